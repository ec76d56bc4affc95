//! The registry, with what is done with each chain.

use serde::Serialize;
use superroot_types::{ChainId, Family};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use super::part::{Anchored, LastError, LeftOut, RuleFrom, Unprovable, WatchCounts};

/// The registry (`GET /api/v1/chains`).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ChainList {
    /// In the order of its rows.
    pub chains: Vec<ChainRow>,
}

/// What proofs show of entries of a ledger's blocks.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Proves {
    /// Of a transaction.
    pub transaction: Provable,
    /// Of an event.
    pub event: Provable,
    /// Of what is not there.
    pub absence: Provable,
}

/// What a proof shows, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Provable {
    /// Whether there are such proofs.
    pub is_provable: bool,
    /// What they show, or why the ledger has none.
    pub what: &'static str,
    /// What can be shown instead.
    pub nearest: Option<&'static str>,
}

/// When the rules of a chain were last held against the chain's own sources.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct RulesChecked {
    /// Newest fork of the chain that was looked at.
    pub fork: String,
    /// What was read.
    pub source: String,
    /// Day of it, `YYYY-MM-DD`.
    pub date: String,
}

/// A chain of the registry, and what is done with it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ChainRow {
    /// Row of the registry, from 0.
    pub row: usize,
    /// Its slot in the SuperRoot.
    pub slot: u64,
    /// Chain id.
    pub chain_id: ChainId,
    /// Name.
    pub name: String,
    /// Short word for paths.
    pub slug: String,
    /// Ledger family.
    pub family: Family,
    /// CAIP-2 name.
    pub caip2: String,
    /// Other ids that lead to it, as decimal texts.
    pub alias_ids: Vec<String>,
    /// Other words that lead to it.
    pub alias_words: Vec<String>,
    /// `collected`: this build reads its blocks.
    pub status: &'static str,
    /// What the service does with it: `not_followed`, `starting`, `catching_up`,
    /// `backfilling`, `following`, `stalled`, `halted`, `recorded` or `withdrawn`.
    pub state: String,
    /// Why it does not move, or how far it is behind.
    pub why: Option<String>,
    /// How its block hash is made, by number.
    pub rules: Vec<RuleFrom>,
    /// When these were last checked; `null` where the row does not say.
    pub rules_checked: Option<RulesChecked>,
    /// What proofs show of entries of its blocks.
    pub proves: Proves,
    /// On which real blocks its rules were proven.
    pub proven_on: Option<String>,
    /// Which rules no real block was checked by yet.
    pub unproven_rules: Option<String>,
    /// What of its blocks is never indexed.
    pub unprovable: Vec<Unprovable>,
    /// Nominal time between blocks, in milliseconds.
    pub block_time_ms: u64,
    /// Without a block for so long it counts as stalled.
    pub stalled_after_ms: u64,
    /// Strongest evidence of finality within reach: `consensus`, `l1_anchored` or `node_quorum`.
    pub strongest_evidence: String,
    /// That of its newest anchored block.
    pub evidence_in_use: Option<String>,
    /// When its nodes call a block final, in words.
    pub finality_rule: Option<String>,
    /// Which entries are indexed; `null`: nothing is.
    pub watch: Option<WatchCounts>,
    /// Newest block in the newest SuperRoot.
    pub anchored: Option<Anchored>,
    /// Names of its sources.
    pub sources: Vec<String>,
    /// What went wrong last, and is not mended.
    pub last_error: Option<LastError>,
    /// Blocks not taken lately, newest last, 16 at most.
    pub left_out: Vec<LeftOut>,
    /// Blocks stored without a part of their body, since no node gave one that recomputes: newest
    /// last, 16 at most.
    pub bodies_withheld: Vec<LeftOut>,
}
