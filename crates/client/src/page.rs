//! SuperRoot page, recomputed: its members and its note.

use serde::Deserialize;
use superroot_proof::note::{Checkpoint, Note, VerifierKey};
use superroot_proof::range::{Sha256Range, verify_inclusion};
use superroot_proof::superroot::{SuperRoot, SuperRootHistory, log_id};
use superroot_types::{Hash, Sequence, UnixSeconds};
use superroot_wire::parse_json;

use crate::{ClientError, LogKey, TrustError};

/// SuperRoot page (`GET /v5/superroot`) with recomputed hash and log id. [`FetchedPage::check_signed`] decides about
/// trust.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchedPage {
    /// Log origin.
    pub origin: String,
    /// SuperRoot.
    pub super_root: SuperRoot,
    /// Inclusion path as the last entry in the log up to this SuperRoot.
    pub siblings: Vec<Hash>,
    /// Log keys named by the service.
    pub keys: Vec<VerifierKey>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SuperRootMembers {
    origin: String,
    log_id: Hash,
    sequence: u64,
    timestamp: UnixSeconds,
    tree_root: Hash,
    super_root_hash: Hash,
    #[serde(default)]
    publication: PagePublication,
}

#[derive(Default, Deserialize)]
struct PagePublication {
    #[serde(default)]
    siblings: Vec<Hash>,
    #[serde(default)]
    keys: Vec<String>,
}

impl FetchedPage {
    /// Reads a page.
    ///
    /// # Errors
    /// [`ClientError::Page`] for an invalid or inconsistent page.
    pub fn read(body: &[u8]) -> Result<Self, ClientError> {
        let page = |why: String| ClientError::Page { why };
        let body = parse_json(body).map_err(|error| page(error.to_string()))?;
        let SuperRootMembers {
            origin,
            log_id: claimed,
            sequence,
            timestamp,
            tree_root,
            super_root_hash,
            publication,
        } = serde_json::from_value(body).map_err(|error| page(error.to_string()))?;
        let log_id = log_id(&origin).map_err(|error| page(error.to_string()))?;
        if log_id != claimed {
            let why = format!("the log id of {origin:?} is {log_id}, the service says {claimed}");
            return Err(page(why));
        }
        let sequence = Sequence(sequence);
        let super_root = SuperRoot { log_id, sequence, timestamp, tree_root };
        let got = super_root.hash();
        if got != super_root_hash {
            let why = format!("the page hashes to {got}, the service says {super_root_hash}");
            return Err(page(why));
        }
        let PagePublication { siblings, keys } = publication;
        let keys = keys.iter().map(|key| key.parse()).collect::<Result<_, _>>();
        let keys = keys.map_err(|error| page(format!("a key that is none: {error}")))?;
        Ok(Self { origin, super_root, siblings, keys })
    }

    /// Checks that a note belongs to the log up to this SuperRoot, signed by its key and the policy's witnesses.
    ///
    /// # Errors
    /// [`TrustError::Note`], [`TrustError::NoteSize`], [`TrustError::NotUnderNote`].
    pub fn check_signed(&self, note: &str, key: &LogKey) -> Result<Checkpoint, TrustError> {
        let signed = Checkpoint::of_note(note, &key.key, &key.policy)?;
        let size = signed.size;
        let sequence = self.super_root.sequence;
        if sequence.size() != Some(size) {
            return Err(TrustError::NoteSize { size: size.0, sequence: sequence.0 });
        }
        let leaf = SuperRootHistory::leaf(&self.super_root);
        let (index, count) = (sequence.leaf_index(), size.leaf_count());
        verify_inclusion::<Sha256Range>(&leaf, index, count, &self.siblings, &signed.root)
            .map_err(|cause| TrustError::NotUnderNote { sequence: sequence.0, cause })?;
        Ok(signed)
    }
}

/// Log size in a note signed by this key, whatever the policy requires.
pub(crate) fn size_of(note: &str) -> Option<u64> {
    Checkpoint::parse(Note::parse(note).ok()?.text()).ok().map(|checkpoint| checkpoint.size.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn page() -> Value {
        let log_id = log_id("log.example.org").unwrap();
        let (tree_root, timestamp) = (Hash([7; 32]), UnixSeconds(1_700_000_000));
        let super_root = SuperRoot { log_id, sequence: Sequence(3), timestamp, tree_root };
        json!({
            "version": 5, "origin": "log.example.org", "logId": log_id, "sequence": 3,
            "timestamp": timestamp, "treeRoot": tree_root, "superRootHash": super_root.hash(),
            "miniMmrs": [],
        })
    }

    #[test]
    fn the_hash_binds_every_member_of_the_page() {
        let read = |page: &Value| FetchedPage::read(page.to_string().as_bytes());
        let good = read(&page()).unwrap();
        assert_eq!((good.origin.as_str(), good.super_root.sequence.0), ("log.example.org", 3));
        for (member, bent) in [
            ("origin", json!("log.example.com")),
            ("logId", json!(Hash([1; 32]))),
            ("sequence", json!(4)),
            ("timestamp", json!(1)),
            ("treeRoot", json!(Hash([1; 32]))),
            ("superRootHash", json!(Hash([1; 32]))),
            ("superRootHash", Value::Null),
            ("publication", json!({ "keys": ["no key"] })),
        ] {
            let mut page = page();
            page[member] = bent;
            assert!(read(&page).is_err(), "{member}");
        }
        assert!(FetchedPage::read(b"[]").is_err() && FetchedPage::read(b"<html>").is_err());
    }
}
