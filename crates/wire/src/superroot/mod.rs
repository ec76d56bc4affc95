//! SuperRoots as JSON: the page of one, its blob, and that one extends another.

mod blob;
pub mod body;
mod consistency;

use serde_json::{Value, json};
use superroot_proof::superroot::{BlockReference, History, MiniMmr, SuperRoot, VERSION};
use superroot_types::{ChainKey, Family, Hash, Network, UnixSeconds};

use crate::{Case, WireError, case};

pub use blob::{parse_blob, render_blob};
pub use consistency::{Consistency, Strength, parse_consistency, render_consistency};

/// What the page of a SuperRoot shows.
#[derive(Clone, Debug, PartialEq)]
pub struct SuperRootView {
    /// Origin of the log.
    pub origin: String,
    /// The SuperRoot.
    pub super_root: SuperRoot,
    /// Mini-MMRs by family.
    pub mini_mmrs: [MiniMmr; 9],
    /// The chains, in the order of their rows.
    pub chains: Vec<ChainView>,
    /// The history it commits to.
    pub history: History,
    /// Its registry root.
    pub registry_root: Hash,
    /// Where it was published and witnessed; not proven, and `null` where nowhere.
    pub publication: Value,
}

/// A row of the page. But for the reference nothing of it is proven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainView {
    /// The chain.
    pub chain: ChainKey,
    /// Its name for people.
    pub name: String,
    /// How the service stands with it, in one word.
    pub status: String,
    /// Its reference; `None` while the row has no block.
    pub reference: Option<BlockReference>,
    /// Time of the block referred to, as its header says.
    pub timestamp: Option<UnixSeconds>,
    /// Seconds the block is behind the clock.
    pub lag_seconds: Option<u64>,
}

/// The page of a SuperRoot (`GET /v5/superroot`, `GET /kv/super-root/latest`).
#[must_use]
pub fn render_super_root(view: &SuperRootView, case: Case) -> Value {
    let SuperRootView { origin, super_root, mini_mmrs, chains, history, .. } = view;
    let mini_mmrs = Family::ALL.into_iter().zip(mini_mmrs).map(|(family, mini_mmr)| {
        let mut members = mini_mmr_members(family, mini_mmr);
        members["name"] = json!(family_name(family));
        members
    });
    let body = json!({
        "version": VERSION,
        "logId": super_root.log_id,
        "origin": origin,
        "network": Network::of_origin(origin),
        "sequence": super_root.sequence,
        "superRootHash": super_root.hash(),
        "timestamp": super_root.timestamp,
        "treeRoot": super_root.tree_root,
        "miniMmrs": mini_mmrs.collect::<Value>(),
        "blockReferences": chains.iter().map(chain_members).collect::<Value>(),
        "historyRoot": history.root(),
        "history": history_members(history),
        "registryRoot": view.registry_root,
        "publication": view.publication,
    });
    case::convert(body, case)
}

fn chain_members(view: &ChainView) -> Value {
    let reference = view.reference.as_ref();
    json!({
        "chainId": view.chain.id,
        "family": view.chain.family,
        "name": view.name,
        "status": view.status,
        "start": reference.map(|reference| reference.start),
        "number": reference.map(|reference| reference.number),
        "hash": reference.map(|reference| reference.block_hash),
        "openTwigIndex": reference.map(BlockReference::open_twig_index),
        "openTwigRoot": reference.map(|reference| reference.open_twig_root),
        "timestamp": view.timestamp,
        "lagSeconds": view.lag_seconds,
    })
}

/// The family's name for people.
const fn family_name(family: Family) -> &'static str {
    match family {
        Family::Evm => "EVM",
        Family::Bitcoin => "Bitcoin",
        Family::Solana => "Solana",
        Family::Polkadot => "Polkadot",
        Family::Tron => "Tron",
        Family::Aptos => "Aptos",
        Family::Sui => "Sui",
        Family::Icp => "Internet Computer",
        Family::Cosmos => "Cosmos",
    }
}

fn super_root_members(super_root: &SuperRoot) -> Value {
    json!({
        "version": VERSION,
        "logId": super_root.log_id,
        "sequence": super_root.sequence,
        "timestamp": super_root.timestamp,
        "treeRoot": super_root.tree_root,
        "superRootHash": super_root.hash(),
    })
}

fn parse_super_root(member: &crate::member::Member<'_>) -> Result<SuperRoot, WireError> {
    Ok(SuperRoot {
        log_id: member.get("logId")?.hash()?,
        sequence: member.get("sequence")?.integer()?,
        timestamp: UnixSeconds(member.get("timestamp")?.integer()?),
        tree_root: member.get("treeRoot")?.hash()?,
    })
}

fn mini_mmr_members(family: Family, mini_mmr: &MiniMmr) -> Value {
    json!({
        "family": family,
        "leafCount": mini_mmr.leaf_count,
        "rangeRoot": mini_mmr.range_root,
        "root": mini_mmr.root(family),
    })
}

fn history_members(history: &History) -> Value {
    json!({ "leafCount": history.leaf_count, "logRoot": history.log_root })
}

fn parse_history(member: &crate::member::Member<'_>) -> Result<History, WireError> {
    let leaf_count = member.get("leafCount")?.integer()?;
    Ok(History { leaf_count, log_root: member.get("logRoot")?.hash()? })
}

/// The spelling of a body, by a name that it must have and that differs in both.
fn case_of(body: &Value, camel: &str) -> Case {
    let snake = Case::Snake.spell(camel);
    if body.get(camel).is_none() && body.get(&snake).is_some() { Case::Snake } else { Case::Camel }
}
