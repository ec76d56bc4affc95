//! SuperRoots as JSON: page, blob, and consistency.

mod blob;
pub mod body;
mod consistency;
mod twigs;

use serde_json::Value;
use superroot_proof::superroot::{ChainReference, MiniMmr, SuperRoot, SuperRootHistory, VERSION};
use superroot_types::{ChainKey, Family, Hash, LeafCount, Network, Sequence, UnixSeconds};

use crate::member::Member;
use crate::{Case, WireError};
use body::{
    HistoryRow, MiniMmrRow, Publication, ReferenceRow, SuperRootPage, SuperRootPart, SuperRootRow,
};

pub use blob::{BlobAnswer, parse_blob, render_blob};
pub use consistency::{
    Consistency, ConsistencyAnswer, Strength, parse_consistency, render_consistency,
};
pub(crate) use consistency::{PATH_MAX, parse_opening};
pub use twigs::{TWIGS_MAX, Twigs, parse_twig_page, render_twigs};

impl SuperRootPage {
    /// Creates the page for a SuperRoot, with commitments, and a row for each chain. Each Mini-MMR includes the root.
    #[must_use]
    pub fn new(
        origin: &str,
        super_root: &SuperRoot,
        mini_mmrs: (&[MiniMmr; Family::COUNT], &[Hash; Family::COUNT]),
        block_references: Vec<ReferenceRow>,
        history: &SuperRootHistory,
        registry_root: Hash,
        publication: Publication,
    ) -> Self {
        let mini_mmrs = MiniMmrRow::all(mini_mmrs.0, mini_mmrs.1).into_iter();
        let name = |family: Family| Some(family.display_name().to_owned());
        Self {
            super_root: super_root.into(),
            origin: origin.to_owned(),
            network: Network::of_origin(origin),
            mini_mmrs: mini_mmrs.map(|row| MiniMmrRow { name: name(row.family), ..row }).collect(),
            block_references,
            history_root: history.root(),
            history: history.into(),
            registry_root,
            publication,
        }
    }
}

impl ReferenceRow {
    /// Creates the row of a chain; `reference` is `None` for a chain without a block.
    #[must_use]
    pub fn new(
        chain: ChainKey,
        name: String,
        status: &str,
        reference: Option<&ChainReference>,
        timestamp: Option<UnixSeconds>,
        lag_seconds: Option<u64>,
    ) -> Self {
        Self {
            chain_id: chain.id,
            family: chain.family,
            name,
            status: status.to_owned(),
            start: reference.map(|reference| reference.start),
            number: reference.map(|reference| reference.number),
            hash: reference.map(|reference| reference.block_hash),
            open_twig_index: reference.map(|reference| reference.open_twig_index().0),
            open_twig_root: reference.map(|reference| reference.open_twig_root),
            timestamp,
            lag_seconds,
        }
    }
}

impl From<&SuperRoot> for SuperRootPart {
    fn from(super_root: &SuperRoot) -> Self {
        let SuperRoot { log_id, sequence, timestamp, tree_root } = *super_root;
        Self { version: VERSION, log_id, sequence: sequence.0, timestamp, tree_root }
    }
}

impl From<&SuperRoot> for SuperRootRow {
    fn from(super_root: &SuperRoot) -> Self {
        Self { part: super_root.into(), super_root_hash: super_root.hash() }
    }
}

impl From<&SuperRootHistory> for HistoryRow {
    fn from(history: &SuperRootHistory) -> Self {
        Self { leaf_count: history.leaf_count.0, log_root: history.log_root }
    }
}

impl From<&ChainReference> for body::BlockReference {
    fn from(reference: &ChainReference) -> Self {
        let ChainReference { chain, start, number, block_hash, open_twig_root } = *reference;
        Self {
            chain_id: chain.id,
            family: chain.family,
            start,
            number,
            hash: block_hash,
            open_twig_index: reference.open_twig_index().0,
            open_twig_root,
        }
    }
}

impl MiniMmrRow {
    /// Returns the rows of all families, without names.
    fn all(mini_mmrs: &[MiniMmr; Family::COUNT], roots: &[Hash; Family::COUNT]) -> Vec<Self> {
        let pairs = Family::ALL.into_iter().zip(mini_mmrs.iter().zip(roots));
        let rows = pairs.map(|(family, (mini_mmr, root))| Self {
            family,
            name: None,
            root: *root,
            range_root: mini_mmr.range_root,
            leaf_count: mini_mmr.leaf_count.0,
        });
        rows.collect()
    }
}

fn parse_super_root(member: &Member<'_>) -> Result<SuperRoot, WireError> {
    Ok(SuperRoot {
        log_id: member.get("logId")?.hash()?,
        sequence: Sequence(member.get("sequence")?.integer()?),
        timestamp: UnixSeconds(member.get("timestamp")?.integer()?),
        tree_root: member.get("treeRoot")?.hash()?,
    })
}

fn parse_history(member: &Member<'_>) -> Result<SuperRootHistory, WireError> {
    let leaf_count = LeafCount(member.get("leafCount")?.integer()?);
    Ok(SuperRootHistory { leaf_count, log_root: member.get("logRoot")?.hash()? })
}

/// Detects the spelling of a body by a required name that differs between the spellings.
fn case_of(body: &Value, camel: &str) -> Case {
    let snake = Case::Snake.spell(camel);
    if body.get(camel).is_none() && body.get(&snake).is_some() { Case::Snake } else { Case::Camel }
}
