//! Stored form of a SuperRoot: its preimage and every preimage behind its slots, except the registry, which is stored
//! once under its root.
//!
//! ```text
//! preimage:82 ‖ 9 × (leaf_count:u64 ‖ range_root:32) ‖ count:u16 ‖ (row:u16 ‖ reference:90)*
//!   ‖ leaf_count:u64 ‖ log_root:32 ‖ registry_root:32
//! ```

use superroot_proof::perfect::PerfectTree;
use superroot_proof::registry::{LogRegistry, Profile};
use superroot_proof::superroot::{
    ChainReference, MiniMmr, PREIMAGE_BYTES, SuperRoot, SuperRootHistory, build_tree,
};
use superroot_types::{ChainKey, Family, Hash, LeafCount, LogSize, RowIndex};

use crate::AccumulateError;

/// SuperRoot with all preimages except the profiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// Preimage.
    pub super_root: SuperRoot,
    pub hash: Hash,
    /// Mini-MMRs by family.
    pub mini_mmrs: [MiniMmr; Family::COUNT],
    /// References with their row numbers, ascending.
    pub references: Vec<(RowIndex, ChainReference)>,
    /// Earlier SuperRoots.
    pub history: SuperRootHistory,
    pub registry_root: Hash,
}

impl Published {
    /// Row and reference of a chain, if present.
    #[must_use]
    pub fn reference(&self, chain: ChainKey) -> Option<(RowIndex, &ChainReference)> {
        let found = self.references.iter().find(|(_, reference)| reference.chain == chain);
        found.map(|(row, reference)| (*row, reference))
    }

    /// Size of the log that ends in this SuperRoot.
    ///
    /// # Errors
    /// [`AccumulateError::Corrupt`] for the sequence 2^53 - 1.
    pub fn log_size(&self) -> Result<LogSize, AccumulateError> {
        log_size(Some(&self.super_root))
    }

    #[must_use]
    pub fn tree(&self) -> PerfectTree {
        build_tree(&self.mini_mmrs, &self.references, &self.history, self.registry_root)
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = self.super_root.encode();
        for mini_mmr in &self.mini_mmrs {
            bytes.extend(mini_mmr.leaf_count.0.to_be_bytes());
            bytes.extend(mini_mmr.range_root.0);
        }
        // a registry has at most 45 rows
        bytes.extend(u16::try_from(self.references.len()).unwrap_or(u16::MAX).to_be_bytes());
        for (row, reference) in &self.references {
            bytes.extend(u16::from(row.0).to_be_bytes());
            bytes.extend(reference.encode());
        }
        bytes.extend(self.history.leaf_count.0.to_be_bytes());
        bytes.extend(self.history.log_root.0);
        bytes.extend(self.registry_root.0);
        bytes
    }

    /// Decodes a record; `None` for malformed bytes, or for a tree root that does not match its parts.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let super_root = SuperRoot::decode(take(&mut rest, PREIMAGE_BYTES)?).ok()?;
        let mut mini_mmrs = [MiniMmr::EMPTY; Family::COUNT];
        for mini_mmr in &mut mini_mmrs {
            *mini_mmr =
                MiniMmr { leaf_count: leaf_count(&mut rest)?, range_root: hash(&mut rest)? };
        }
        let mut references = Vec::new();
        for _ in 0..u16::from_be_bytes(take(&mut rest, 2)?.try_into().ok()?) {
            let row = u16::from_be_bytes(take(&mut rest, 2)?.try_into().ok()?);
            let reference = ChainReference::decode(take(&mut rest, ChainReference::BYTES)?)?;
            references.push((RowIndex::at(usize::from(row))?, reference));
        }
        let history =
            SuperRootHistory { leaf_count: leaf_count(&mut rest)?, log_root: hash(&mut rest)? };
        let registry_root = hash(&mut rest)?;
        let hash = super_root.hash();
        let published = Self { super_root, hash, mini_mmrs, references, history, registry_root };
        let whole = rest.is_empty() && published.tree().root() == super_root.tree_root;
        whole.then_some(published)
    }
}

/// Size of the log that ends in this SuperRoot; an empty log without one.
pub(crate) fn log_size(newest: Option<&SuperRoot>) -> Result<LogSize, AccumulateError> {
    let Some(SuperRoot { sequence, .. }) = newest else { return Ok(LogSize::EMPTY) };
    let what = || AccumulateError::corrupt(format!("SuperRoot {sequence} is past the last one"));
    sequence.size().ok_or_else(what)
}

/// Encodes a registry: `count:u16 ‖ (length:u16 ‖ profile)*`.
pub(crate) fn encode_registry(registry: &LogRegistry) -> Vec<u8> {
    let mut bytes = u16::try_from(registry.rows().len()).unwrap_or(u16::MAX).to_be_bytes().to_vec();
    for profile in registry.rows().iter().filter_map(|row| row.encode().ok()) {
        bytes.extend(u16::try_from(profile.len()).unwrap_or(u16::MAX).to_be_bytes());
        bytes.extend(profile);
    }
    bytes
}

pub(crate) fn decode_registry(bytes: &[u8]) -> Option<LogRegistry> {
    let mut rest = bytes;
    let mut rows = Vec::new();
    for _ in 0..u16::from_be_bytes(take(&mut rest, 2)?.try_into().ok()?) {
        let length = u16::from_be_bytes(take(&mut rest, 2)?.try_into().ok()?);
        rows.push(Profile::decode(take(&mut rest, usize::from(length))?).ok()?);
    }
    if rest.is_empty() { LogRegistry::new(rows).ok() } else { None }
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(taken)
}

fn leaf_count(rest: &mut &[u8]) -> Option<LeafCount> {
    take(rest, 8)?.try_into().ok().map(u64::from_be_bytes).map(LeafCount)
}

fn hash(rest: &mut &[u8]) -> Option<Hash> {
    take(rest, 32)?.try_into().ok().map(Hash)
}

#[cfg(test)]
mod tests {
    use superroot_proof::registry::HashRuleFrom;
    use superroot_types::{BlockNumber, ChainId, Family, Sequence, UnixSeconds};

    use super::*;

    /// A change of any of these bytes is a new layout.
    #[test]
    fn records_have_the_pinned_bytes_and_read_back() {
        let chain = ChainKey { family: Family::Evm, id: ChainId(1) };
        let rules = vec![HashRuleFrom { from_number: 0, code: 1 }];
        let profile = Profile { chain, caip2: "eip155:1".into(), rules };
        let registry = LogRegistry::new(vec![profile]).unwrap();
        let mut mini_mmrs = [MiniMmr::EMPTY; Family::COUNT];
        mini_mmrs[0] = MiniMmr { leaf_count: LeafCount(2), range_root: Hash([3; 32]) };
        let references = vec![(
            RowIndex(0),
            ChainReference {
                chain,
                start: BlockNumber(4),
                number: BlockNumber(5_000),
                block_hash: Hash([6; 32]),
                open_twig_root: Hash([7; 32]),
            },
        )];
        let history = SuperRootHistory { leaf_count: LeafCount(8), log_root: Hash([9; 32]) };
        let registry_root = registry.root();
        let tree_root = build_tree(&mini_mmrs, &references, &history, registry_root).root();
        let (log_id, timestamp) = (Hash([10; 32]), UnixSeconds(11));
        let super_root = SuperRoot { log_id, sequence: Sequence(8), timestamp, tree_root };
        let hash = super_root.hash();
        let record = Published { super_root, hash, mini_mmrs, references, history, registry_root };
        let rows = [record.encode(), encode_registry(&registry)];
        assert_eq!(Published::decode(&rows[0]), Some(record));
        assert_eq!(decode_registry(&rows[1]), Some(registry));
        insta::assert_snapshot!(rows.map(const_hex::encode).join("\n"));
    }
}
