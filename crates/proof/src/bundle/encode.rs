//! Binary form, `.srproof`: a proof has exactly one encoding.
//!
//! ```text
//! "SRPROOF" ‖ format:u8 = 01; 02 with finality
//! origin length:u8 ‖ origin
//! family:u8 ‖ chain_id:u64 ‖ number:u64
//! subject:u8 (0 block | 1 transaction ‖ tx:u32 | 2 log ‖ tx:u32 ‖ log:u32 | 3 absence ‖ tx:u32)
//! check:4    first bytes of H(all before it): damage to a statement may leave another true one
//! parts:u8   bit 0 transaction trie, or branches | 1 receipt trie | 2 header | 3 twig | 4 sealed
//!            | 5 open | 6 SuperRoot
//! more:u8    in format 02 alone: bit 0 finality, last in the file
//! tries      count:u8 ‖ (length:u32 ‖ node)*          each trie that is there
//! branches   tx_count:u32 ‖ branch ‖ branch of the coinbase, unless the first is that (Bitcoin)
//!            branch = length:u32 ‖ transaction ‖ sibling:32*      index and count give how many
//! header     length:u32 ‖ header ‖ block_hash:32
//! twig       perfect path of 11 ‖ twig_root:32
//! sealed     leaf_index:u64 ‖ leaf_count:u64 ‖ sibling:32* ‖ mini_mmr_root:32
//! open       start:u64 ‖ number:u64 ‖ block_hash:32
//! SuperRoot  perfect path of 6 ‖ preimage:82
//!            length:u16 ‖ profile ‖ row:u8 ‖ count:u8 ‖ perfect path of 6 in the registry's tree
//!            ‖ perfect path of 6 from slot 55
//! ```
//! A perfect path is `mask:u16 ‖ sibling:32*`: a set bit `k` omits a sibling equal to the empty tree `Zk`; a written
//! sibling is never `Zk`.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::{Bundle, EntryProof, NotePath, ProofSubject, SuperRootProof, TwigPosition};
use crate::codec::put_long;
use crate::hash::keccak256;
use crate::perfect::zeros;

/// First bytes in a proof file.
pub const MAGIC: [u8; 7] = *b"SRPROOF";
/// Proof file format version.
pub const FORMAT_VERSION: u8 = 1;
/// Format version of a proof file with finality.
pub const FORMAT_WITH_FINALITY: u8 = 2;

/// Flag of format 02: finality follows the last part.
pub(super) const MORE_FINALITY: u8 = 1;

/// Transaction trie; branches in the Bitcoin family.
pub(super) const PART_TRANSACTION: u8 = 1;
pub(super) const PART_RECEIPT: u8 = 1 << 1;
pub(super) const PART_HEADER: u8 = 1 << 2;
pub(super) const PART_TWIG: u8 = 1 << 3;
pub(super) const PART_SEALED: u8 = 1 << 4;
pub(super) const PART_OPEN: u8 = 1 << 5;
pub(super) const PART_SUPER_ROOT: u8 = 1 << 6;
pub(super) const PART_NOTE: u8 = 1 << 7;

impl Bundle {
    /// Binary form. Parts beyond the format bounds (an origin over 255 bytes, say) give bytes refused by every decoder;
    /// no verifiable bundle has them.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        self.written(None)
    }

    /// Binary form of format 02, with finality behind the parts.
    #[cfg(feature = "finality")]
    pub(crate) fn encode_with(&self, finality: &[u8]) -> Vec<u8> {
        self.written(Some(finality))
    }

    fn written(&self, finality: Option<&[u8]>) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend_from_slice(&MAGIC);
        out.push(if finality.is_some() { FORMAT_WITH_FINALITY } else { FORMAT_VERSION });
        out.push(u8::try_from(self.origin.len()).unwrap_or(0));
        out.extend_from_slice(self.origin.as_bytes());
        out.push(self.statement.chain.family.byte());
        out.extend_from_slice(&self.statement.chain.id.0.to_be_bytes());
        out.extend_from_slice(&self.statement.number.0.to_be_bytes());
        put_subject(&mut out, self.statement.subject);
        let check = statement_check(&out);
        out.extend_from_slice(&check);
        out.push(self.parts());
        if finality.is_some() {
            out.push(MORE_FINALITY);
        }
        if let Some(entry) = &self.entry {
            entry.encode(&mut out);
        }
        if let Some(block) = &self.block {
            put_long(&mut out, &block.header);
            out.extend_from_slice(&block.block_hash.0);
        }
        if let Some(twig) = self.twig() {
            put_perfect_path(&mut out, &twig.siblings);
            out.extend_from_slice(&twig.root.0);
        }
        match self.place() {
            None => {}
            Some(TwigPosition::Sealed(sealed)) => {
                out.extend_from_slice(&sealed.leaf_index.0.to_be_bytes());
                out.extend_from_slice(&sealed.leaf_count.0.to_be_bytes());
                for sibling in &sealed.siblings {
                    out.extend_from_slice(&sibling.0);
                }
                out.extend_from_slice(&sealed.root.0);
            }
            Some(TwigPosition::Open(open)) => {
                out.extend_from_slice(&open.start.0.to_be_bytes());
                out.extend_from_slice(&open.number.0.to_be_bytes());
                out.extend_from_slice(&open.block_hash.0);
            }
        }
        if let Some(super_root) = self.super_root() {
            put_super_root(&mut out, super_root);
        }
        out.extend_from_slice(finality.unwrap_or_default());
        out
    }

    fn parts(&self) -> u8 {
        let entry = self.entry.as_ref().map(EntryProof::parts);
        let flags = [
            (entry.is_some_and(|parts| parts.transaction), PART_TRANSACTION),
            (entry.is_some_and(|parts| parts.receipt), PART_RECEIPT),
            (self.block.is_some(), PART_HEADER),
            (self.twig().is_some(), PART_TWIG),
            (matches!(self.place(), Some(TwigPosition::Sealed(_))), PART_SEALED),
            (matches!(self.place(), Some(TwigPosition::Open(_))), PART_OPEN),
            (self.super_root().is_some(), PART_SUPER_ROOT),
            (self.super_root().is_some_and(|proof| proof.note.is_some()), PART_NOTE),
        ];
        flags.into_iter().filter(|(there, _)| *there).fold(0, |all, (_, flag)| all | flag)
    }
}

/// First four hash bytes over everything up to and including the statement.
pub(super) fn statement_check(before: &[u8]) -> [u8; 4] {
    let [a, b, c, d, ..] = keccak256(before).0;
    [a, b, c, d]
}

fn put_subject(out: &mut Vec<u8>, subject: ProofSubject) {
    match subject {
        ProofSubject::Block => out.push(0),
        ProofSubject::Transaction { tx_index } => {
            out.push(1);
            out.extend_from_slice(&tx_index.to_be_bytes());
        }
        ProofSubject::Log { tx_index, log_index } => {
            out.push(2);
            out.extend_from_slice(&tx_index.to_be_bytes());
            out.extend_from_slice(&log_index.to_be_bytes());
        }
        ProofSubject::Absence { tx_index } => {
            out.push(3);
            out.extend_from_slice(&tx_index.to_be_bytes());
        }
    }
}

fn put_perfect_path(out: &mut Vec<u8>, siblings: &[Hash]) {
    let zeros = zeros(siblings.len());
    let mut mask = 0_u16;
    let mut written = Vec::new();
    for ((height, sibling), zero) in siblings.iter().enumerate().zip(zeros) {
        if sibling == zero {
            mask |= u32::try_from(height).ok().and_then(|bit| 1_u16.checked_shl(bit)).unwrap_or(0);
        } else {
            written.extend_from_slice(&sibling.0);
        }
    }
    out.extend_from_slice(&mask.to_be_bytes());
    out.extend_from_slice(&written);
}

fn put_super_root(out: &mut Vec<u8>, proof: &SuperRootProof) {
    put_perfect_path(out, &proof.siblings);
    out.extend_from_slice(&proof.preimage);
    let opening = &proof.registry;
    let length = u16::try_from(opening.profile.len()).unwrap_or(u16::MAX);
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(&opening.profile);
    out.extend_from_slice(&[opening.row.0, opening.count]);
    put_perfect_path(out, &opening.row_siblings);
    put_perfect_path(out, &opening.siblings);
    if let Some(NotePath { note, siblings }) = &proof.note {
        put_long(out, note.as_bytes());
        out.push(u8::try_from(siblings.len()).unwrap_or(u8::MAX));
        siblings.iter().for_each(|sibling| out.extend_from_slice(&sibling.0));
    }
}
