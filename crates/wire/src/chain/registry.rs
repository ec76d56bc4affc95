//! Registry, with the service state of each chain.

use serde::Serialize;
use superroot_types::{ChainId, Family};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use super::part::{Anchored, LastError, LeftOut, RuleFrom, Unprovable, WatchCounts};

/// Registry (`GET /api/v1/chains`).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ChainList {
    /// Chains in registry order.
    pub chains: Vec<ChainRow>,
}

/// Provable statements about block entries in a ledger.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Proves {
    /// Transaction proofs.
    pub transaction: Provable,
    /// Event proofs.
    pub event: Provable,
    /// Absence proofs.
    pub absence: Provable,
}

/// Meaning of a proof, or why proofs do not exist.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Provable {
    /// Whether proofs exist.
    pub is_provable: bool,
    /// Meaning of the proofs, or the reason why the ledger has no proofs.
    pub what: &'static str,
    /// Nearest provable alternative.
    pub nearest: Option<&'static str>,
}

/// Last check of the chain rules against the chain's own sources.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct RulesChecked {
    /// Newest checked fork.
    pub fork: String,
    /// Source.
    pub source: String,
    /// The check's date, `YYYY-MM-DD`.
    pub date: String,
}

/// The registry's chain, with the service state.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ChainRow {
    /// Registry row, from 0.
    pub row: usize,
    /// Slot in the SuperRoot.
    pub slot: u64,
    /// Chain id.
    pub chain_id: ChainId,
    /// Chain name.
    pub name: String,
    /// Short word for paths.
    pub slug: String,
    /// Ledger family.
    pub family: Family,
    /// CAIP-2 name.
    pub caip2: String,
    /// Other ids for the chain, as decimal texts.
    pub alias_ids: Vec<String>,
    /// Other names for the chain.
    pub alias_words: Vec<String>,
    /// `collected`: this build reads the chain's blocks.
    pub status: &'static str,
    /// Service state: `not_followed`, `starting`, `catching_up`, `backfilling`, `following`, `stalled`, `halted`,
    /// `recorded` or `withdrawn`.
    pub state: String,
    /// Why the chain does not progress.
    pub why: Option<String>,
    /// Block hash rules, by block number.
    pub rules: Vec<RuleFrom>,
    /// Last check of the rules; `null` if the row does not say.
    pub rules_checked: Option<RulesChecked>,
    /// Provable statements about block entries.
    pub proves: Proves,
    /// Real blocks used to prove the rules.
    pub proven_on: Option<String>,
    /// Rules not yet checked with a real block.
    pub unproven_rules: Option<String>,
    /// Block parts that are never indexed.
    pub unprovable: Vec<Unprovable>,
    /// Nominal time between blocks, in milliseconds.
    pub block_time_ms: u64,
    /// Milliseconds without a block after which the chain counts as stalled.
    pub stalled_after_ms: u64,
    /// Strongest available finality evidence: `consensus`, `l1_anchored` or `node_quorum`.
    pub strongest_evidence: String,
    /// Finality evidence for the newest anchored block.
    pub evidence_in_use: Option<String>,
    /// Nodes' finality rule, in words.
    pub finality_rule: Option<String>,
    /// Indexed entries; `null` if nothing is indexed.
    pub watch: Option<WatchCounts>,
    /// Newest block in the newest SuperRoot.
    pub anchored: Option<Anchored>,
    /// Source names.
    pub sources: Vec<String>,
    /// Last unresolved error.
    pub last_error: Option<LastError>,
    /// Recently refused blocks, newest last, at most 16.
    pub left_out: Vec<LeftOut>,
    /// Blocks stored without a part of the body, as no node's recomputes: at most 16, newest last.
    pub bodies_withheld: Vec<LeftOut>,
}
