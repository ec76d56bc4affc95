//! A proof in the form for contracts.

use alloc::format;
use alloc::vec::Vec;

use superroot_types::Family;

use super::error::CalldataError;
use super::{CALLDATA_FORM, OPEN, SUBJECT_BLOCK, SUBJECT_LOG, SUBJECT_TRANSACTION, paths, trie};
use crate::bundle::{Bundle, EntryProof, ProofSubject, SuperRootProof, TwigPosition};
use crate::mpt;
use crate::registry::Profile;
use crate::superroot::{SuperRoot, reference_slot};

impl Bundle {
    /// The form for contracts of a proof that verifies to level 5: a block, transaction or log of an EVM chain. Of a log
    /// the receipt alone is kept, of a transaction the transaction, and no note: [`Bundle::from_calldata`] gives the
    /// rest back.
    ///
    /// # Errors
    /// [`CalldataError::Subject`] for other subjects, ledgers and levels; [`CalldataError::Trie`] for a trie with nodes
    /// inside their parents.
    pub fn to_calldata(&self) -> Result<Vec<u8>, CalldataError> {
        let no = |what| CalldataError::Subject { what };
        if self.statement.chain.family != Family::Evm {
            return Err(no("a chain of another family than EVM"));
        }
        let block = self.block.as_ref().ok_or(no("a proof below level 5"))?;
        let (twig, place) = self.twig().zip(self.place()).ok_or(no("a proof below level 5"))?;
        let super_root = self.super_root().ok_or(no("a proof below level 5"))?;
        let is_open = matches!(place, TwigPosition::Open(_));
        let subject = match self.statement.subject {
            ProofSubject::Block => SUBJECT_BLOCK,
            ProofSubject::Transaction { .. } => SUBJECT_TRANSACTION,
            ProofSubject::Log { .. } => SUBJECT_LOG,
            ProofSubject::Absence { .. } => return Err(no("a proof of absence")),
        };
        let mut out = Vec::new();
        out.extend_from_slice(&[CALLDATA_FORM, if is_open { subject | OPEN } else { subject }]);
        put_profile(&mut out, super_root)?;
        self.put_entry(&mut out)?;
        let length = u16::try_from(block.header.len()).map_err(|_| no("a header above 64 KiB"))?;
        out.extend_from_slice(&length.to_be_bytes());
        out.extend_from_slice(&block.header);
        let siblings = (0..).zip(twig.siblings.iter().copied());
        paths::put_masked(&mut out, &siblings.collect::<Vec<_>>());
        match place {
            TwigPosition::Sealed(sealed) => {
                out.extend_from_slice(&sealed.leaf_index.0.to_be_bytes());
                out.extend_from_slice(&sealed.leaf_count.0.to_be_bytes());
                sealed.siblings.iter().for_each(|sibling| out.extend_from_slice(&sibling.0));
            }
            TwigPosition::Open(open) => {
                out.extend_from_slice(&open.start.0.to_be_bytes());
                out.extend_from_slice(&open.number.0.to_be_bytes());
                out.extend_from_slice(&open.block_hash.0);
            }
        }
        let slot = match is_open {
            true => reference_slot(super_root.registry.row),
            false => u64::from(Family::Evm.byte()),
        };
        put_super_root(&mut out, super_root, slot)?;
        Ok(out)
    }

    /// `position ‖ leaf ‖ trie`; nothing for a block.
    fn put_entry(&self, out: &mut Vec<u8>) -> Result<(), CalldataError> {
        let missing = CalldataError::Subject { what: "a proof without its trie" };
        let (tx_index, log_index) = match self.statement.subject {
            ProofSubject::Log { tx_index, log_index } => (tx_index, Some(log_index)),
            ProofSubject::Transaction { tx_index } => (tx_index, None),
            ProofSubject::Block | ProofSubject::Absence { .. } => return Ok(()),
        };
        let Some(EntryProof::Evm(tries)) = &self.entry else { return Err(missing) };
        let nodes = match log_index {
            Some(_) => tries.receipt.as_ref(),
            None => tries.transaction.as_ref(),
        };
        out.extend_from_slice(&tx_index.to_be_bytes());
        log_index.into_iter().for_each(|index| out.extend_from_slice(&index.to_be_bytes()));
        trie::put(out, &mpt::index_key(u64::from(tx_index)), nodes.ok_or(missing)?)
    }
}

/// `chain_id ‖ count ‖ rules`: the rest of the profile follows.
fn put_profile(out: &mut Vec<u8>, proof: &SuperRootProof) -> Result<(), CalldataError> {
    let no = |what| CalldataError::Subject { what };
    let profile = Profile::decode(&proof.registry.profile);
    let profile = profile.map_err(|_| no("a malformed profile"))?;
    if profile.chain.family != Family::Evm || profile.caip2 != caip2(profile.chain.id.0) {
        return Err(no("a chain whose CAIP-2 name is not eip155:<id>"));
    }
    out.extend_from_slice(&profile.chain.id.0.to_be_bytes());
    out.push(u8::try_from(profile.rules.len()).unwrap_or(u8::MAX));
    for rule in &profile.rules {
        out.extend_from_slice(&rule.from_number.to_be_bytes());
        out.extend_from_slice(&rule.code.to_be_bytes());
    }
    Ok(())
}

/// CAIP-2 name of an EVM chain.
pub(super) fn caip2(chain_id: u64) -> alloc::string::String {
    format!("eip155:{chain_id}")
}

fn put_super_root(
    out: &mut Vec<u8>,
    proof: &SuperRootProof,
    slot: u64,
) -> Result<(), CalldataError> {
    put_registry(out, proof)?;
    paths::put_pair(out, (slot, &proof.siblings), &proof.registry.siblings);
    Ok(())
}

/// Sequence, time, row, count, and the row's path among those that are there.
fn put_registry(out: &mut Vec<u8>, proof: &SuperRootProof) -> Result<(), CalldataError> {
    let malformed = CalldataError::Subject { what: "a malformed SuperRoot" };
    let super_root = SuperRoot::decode(&proof.preimage).map_err(|_| malformed)?;
    let opening = &proof.registry;
    out.extend_from_slice(&super_root.sequence.0.to_be_bytes());
    out.extend_from_slice(&super_root.timestamp.0.to_be_bytes());
    out.extend_from_slice(&[opening.row.0, opening.count]);
    for (height, sibling) in (0..).zip(&opening.row_siblings) {
        if has_rows(opening.row.0, opening.count, height) {
            out.extend_from_slice(&sibling.0);
        }
    }
    Ok(())
}

/// A chain's profile opened under a SuperRoot, for an anchor that records what the log withdrew: `chain_id ‖ count ‖
/// rules ‖ sequence ‖ timestamp ‖ row ‖ count ‖ registry ‖ path of slot 55`.
///
/// # Errors
/// [`CalldataError::Subject`] for a malformed part, or a chain that is no EVM chain.
pub fn withdrawal_of(proof: &SuperRootProof) -> Result<Vec<u8>, CalldataError> {
    let mut out = Vec::new();
    put_profile(&mut out, proof)?;
    put_registry(&mut out, proof)?;
    let path = (0..).zip(proof.registry.siblings.iter().copied());
    paths::put_masked(&mut out, &path.collect::<Vec<_>>());
    Ok(out)
}

/// Whether a row's sibling at a height has a row below the count.
pub(super) fn has_rows(row: u8, count: u8, height: u32) -> bool {
    let at = u32::from(row).checked_shr(height).unwrap_or(0) ^ 1;
    at.checked_shl(height).is_some_and(|first| first < u32::from(count))
}
