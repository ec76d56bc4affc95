//! What the targets of whole ledgers share: blocks out of bytes, and what must hold of a block that was verified.

use superroot_chain::{ChainRegistry, ChainSpec, VerifiedBlock};
use superroot_proof::bundle::{
    BlockLevel, Bundle, DecodeError, EntryProof, FORMAT_VERSION, MAGIC, ProofSubject, Statement,
    verify,
};
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::Body;
use superroot_types::{BlockNumber, Hash};

use crate::policy;

/// Most transactions of a block whose proofs are looked at.
const PROVEN_MAX: u32 = 4;

/// A chain of this build.
///
/// # Panics
/// When there is none of that name.
#[must_use]
pub fn row(slug: &str) -> &'static ChainSpec {
    ChainRegistry::builtin().find(slug).expect("a built-in row")
}

/// Takes parts off the front; one that is longer than what is left is what is left.
#[derive(Clone, Debug)]
pub struct Cursor<'a>(pub &'a [u8]);

impl<'a> Cursor<'a> {
    /// Bytes.
    pub fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// An integer, big-endian, of up to eight bytes.
    pub fn number(&mut self, length: usize) -> u64 {
        self.take(length).iter().fold(0, |value, byte| value << 8 | u64::from(*byte))
    }

    /// 32 bytes, zeros where they are not there.
    pub fn hash(&mut self) -> Hash {
        self.take(32).try_into().map_or(Hash::ZERO, Hash)
    }

    /// Bytes behind their length in four bytes.
    pub fn long(&mut self) -> Vec<u8> {
        let length = usize::try_from(self.number(4)).unwrap_or(usize::MAX);
        self.take(length).to_vec()
    }

    /// Items behind their count in four bytes, as long as there are bytes.
    pub fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = usize::try_from(self.number(4)).unwrap_or(usize::MAX);
        let mut list = Vec::new();
        while list.len() < count && !self.0.is_empty() {
            list.push(item(self));
        }
        list
    }
}

/// A body that is read is written as the same bytes.
///
/// # Panics
/// When it is not.
pub fn check_body(row: &ChainSpec, bytes: &[u8]) -> Option<Body> {
    let tagged = [&[row.key().family.byte()], bytes].concat();
    let body = Body::decode(&tagged)?;
    assert_eq!(body.encode(), tagged);
    Some(body)
}

/// The bytes as the entry of a proof, of every subject and with every part: one that is read is written
/// as the same bytes, and what it leads to is computed.
///
/// # Panics
/// When there are two forms of the same.
pub fn check_entry(row: &ChainSpec, entry: &[u8]) {
    let (tx_index, log_index) = (1, 0);
    for subject in [
        ProofSubject::Transaction { tx_index },
        ProofSubject::Log { tx_index, log_index },
        ProofSubject::Absence { tx_index },
    ] {
        for parts in 1..=3 {
            let bytes = file(row, subject, parts, entry);
            match Bundle::decode(&bytes) {
                Ok(bundle) => {
                    assert_eq!(bundle.encode(), bytes);
                    let _ = verify(&bundle, &policy());
                }
                Err(error) => assert_ne!(error, DecodeError::NotCanonical, "{subject:?} {parts}"),
            }
        }
    }
}

/// The bytes of an entry: those behind what every proof file begins with.
///
/// # Panics
/// Never: a proof of an entry alone has such a beginning.
#[must_use]
pub fn entry_bytes(entry: &EntryProof) -> Vec<u8> {
    let subject = ProofSubject::Transaction { tx_index: 1 };
    let row = row("solana");
    let statement = Statement { chain: row.key(), number: BlockNumber(1_000), subject };
    let bundle =
        Bundle { origin: "fuzz".to_owned(), statement, entry: Some(entry.clone()), block: None };
    bundle.encode()[file(row, subject, 0, &[]).len()..].to_vec()
}

/// A proof file of an entry alone.
fn file(row: &ChainSpec, subject: ProofSubject, parts: u8, entry: &[u8]) -> Vec<u8> {
    let key = row.key();
    let mut bytes = MAGIC.to_vec();
    bytes.extend([FORMAT_VERSION, 4]);
    bytes.extend(b"fuzz");
    bytes.push(key.family.byte());
    bytes.extend(key.id.0.to_be_bytes());
    bytes.extend(1_000_u64.to_be_bytes());
    let (kind, tx_index, log_index) = match subject {
        ProofSubject::Block => (0, None, None),
        ProofSubject::Transaction { tx_index } => (1, Some(tx_index), None),
        ProofSubject::Log { tx_index, log_index } => (2, Some(tx_index), Some(log_index)),
        ProofSubject::Absence { tx_index } => (3, Some(tx_index), None),
    };
    bytes.push(kind);
    bytes.extend([tx_index, log_index].into_iter().flatten().flat_map(u32::to_be_bytes));
    let check = keccak256(&bytes);
    bytes.extend(&check.0[..4]);
    bytes.push(parts);
    bytes.extend(entry);
    bytes
}

/// What a verified block proves is a proof, as a file too.
///
/// # Panics
/// When it is not.
pub fn assert_proven(row: &ChainSpec, block: &VerifiedBlock) {
    let Some(body) = block.body() else { return };
    let bytes = body.encode();
    assert_eq!(check_body(row, &bytes[1..]).as_ref(), Some(body));
    let hashes = body.transaction_hashes().unwrap_or_default();
    let count = u32::try_from(hashes.len()).expect("a short input");
    let subjects = (0..count.min(PROVEN_MAX)).flat_map(|tx_index| {
        let transaction = ProofSubject::Transaction { tx_index };
        [transaction, ProofSubject::Log { tx_index, log_index: 0 }]
    });
    for subject in subjects.chain([ProofSubject::Block, ProofSubject::Absence { tx_index: count }])
    {
        let Ok(entry) = body.prove(subject, true) else { continue };
        let statement = Statement { chain: row.key(), number: block.number(), subject };
        let (header, block_hash) = (block.header().to_vec(), block.hash());
        let block = Some(BlockLevel { header, block_hash, twig: None });
        let bundle = Bundle { origin: "fuzz".to_owned(), statement, entry, block };
        let facts = verify(&bundle, &policy()).expect("what a verified block proves is a proof");
        assert_eq!(facts.block_hash, Some(block_hash));
        if let Some(index) = subject.tx_index().filter(|index| *index < count) {
            let hash = usize::try_from(index).ok().and_then(|index| hashes.get(index));
            assert_eq!(facts.transaction.as_ref().map(|shown| shown.hash).as_ref(), hash);
        }
        assert_eq!(Bundle::decode(&bundle.encode()).as_ref(), Ok(&bundle));
    }
}
