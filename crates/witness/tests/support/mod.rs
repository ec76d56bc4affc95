#![allow(dead_code, reason = "each test uses its part")]
//! A log that is not ours: its tree, proofs and notes are made by other implementations.

use std::path::Path;
use std::sync::Arc;

use signed_note::{Note as OtherNote, StandardSigner, generate_key};
use superroot_proof::note::{KeyKind, Note, Signer, VerifierKey};
use superroot_store::{EmbeddedConfig, EmbeddedStore, Store};
use superroot_types::{Hash, UnixSeconds};
use superroot_witness::{AddCheckpoint, Witness, WitnessRefusal};
use tlog_tiles::tlog::{self, stored_hashes};

pub(crate) const ORIGIN: &str = "example.org/other-log";
pub(crate) const NOW: UnixSeconds = UnixSeconds(1_700_000_000);

/// A log's key, as another implementation makes it.
pub(crate) struct Key {
    secret: String,
    pub(crate) public: VerifierKey,
}

impl Key {
    pub(crate) fn new(origin: &str) -> Self {
        let (secret, public) = generate_key(&mut rand_core::OsRng, origin);
        Self { secret, public: public.parse().unwrap() }
    }

    pub(crate) fn sign(&self, text: &str) -> Note {
        let mut note = OtherNote::new(text.as_bytes(), &[]).unwrap();
        note.add_sigs(&[&StandardSigner::new(&self.secret).unwrap()]).unwrap();
        Note::parse(&String::from_utf8(note.to_bytes()).unwrap()).unwrap()
    }
}

/// A tree of entries; one that is forked has other entries from some index on.
pub(crate) struct Tree(Vec<tlog::Hash>);

impl Tree {
    /// `count` entries; those from `forked` on are of that branch.
    pub(crate) fn new(count: u64, forked: u64, branch: &str) -> Self {
        let mut hashes: Vec<tlog::Hash> = Vec::new();
        for index in 0..count {
            let entry = format!("entry {index}{}", if index < forked { "" } else { branch });
            let added = stored_hashes(index, entry.as_bytes(), &Reader(&hashes)).unwrap();
            hashes.extend(added);
        }
        Self(hashes)
    }

    pub(crate) fn text(&self, origin: &str, size: u64) -> String {
        let root = tlog::tree_hash(size, &Reader(&self.0)).unwrap();
        format!("{origin}\n{size}\n{root}\n")
    }

    pub(crate) fn proof(&self, old: u64, size: u64) -> Vec<Hash> {
        if old == 0 || old == size {
            return Vec::new();
        }
        let proof = tlog::prove_tree(size, old, &Reader(&self.0)).unwrap();
        proof.into_iter().map(|hash| Hash(hash.0)).collect()
    }

    /// A good request; each test bends one thing.
    pub(crate) fn request(&self, key: &Key, old: u64, size: u64) -> AddCheckpoint {
        let note = key.sign(&self.text(key.public.name(), size));
        AddCheckpoint { old, proof: self.proof(old, size), note }
    }
}

struct Reader<'a>(&'a [tlog::Hash]);

impl tlog::HashReader for Reader<'_> {
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<tlog::Hash>, tlog::Error> {
        Ok(indexes.iter().map(|index| self.0[*index as usize]).collect())
    }
}

pub(crate) fn own_key() -> Signer {
    Signer::new("witness.example/w", KeyKind::Witness, &[9; 32]).unwrap()
}

pub(crate) fn on(store: Arc<dyn Store>, folder: &Path, keys: &[&Key]) -> Witness {
    let keys = keys.iter().map(|key| key.public.clone());
    Witness::open(own_key(), store, keys, folder.join("evidence")).unwrap()
}

pub(crate) fn embedded(folder: &Path) -> Arc<EmbeddedStore> {
    Arc::new(EmbeddedStore::open(folder, &EmbeddedConfig::default()).unwrap())
}

/// Adds by the size that the witness says it holds.
pub(crate) fn add(
    witness: &Witness,
    tree: &Tree,
    key: &Key,
    size: u64,
) -> Result<Note, WitnessRefusal> {
    let held = witness.sizes().unwrap()[0].1;
    witness.add(&tree.request(key, held.min(size), size), NOW)
}
