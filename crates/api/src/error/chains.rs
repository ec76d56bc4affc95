//! Errors about a chain and its blocks.

use superroot_types::{BlockNumber, ChainKey};
use superroot_wire::problem::Scanned;

use super::ApiError;
use super::codes::*;

/// Block that is not in the requested SuperRoot, but may be in a later one.
#[derive(Clone, Debug)]
pub(crate) struct NotYetAnchored {
    pub(crate) chain: ChainKey,
    pub(crate) what: String,
    /// Last anchored number.
    pub(crate) anchored: Option<BlockNumber>,
    /// Newest stored block.
    pub(crate) head: Option<BlockNumber>,
    /// Whether levels 1 and 2 are available.
    pub(crate) held: bool,
    /// Seconds until a retry.
    pub(crate) retry_after: u64,
}

impl NotYetAnchored {
    const fn levels(&self) -> &'static str {
        if self.held {
            ", the proof of a block, transaction or event has ?level=2 for the levels below the SuperRoot"
        } else {
            ""
        }
    }

    fn error(&self, code: ErrorCode, detail: String) -> ApiError {
        ApiError::new(code, detail)
            .about(self.chain)
            .again_after(self.retry_after)
            .with("anchored", self.anchored)
            .with("head", self.head)
    }
}

impl ApiError {
    pub(crate) fn unknown_chain(parameter: &str, got: &str) -> Self {
        let detail = format!("chain {got} is not in the registry, see /api/v1/chains");
        Self::new(UNKNOWN_CHAIN, detail).at(parameter)
    }

    /// No such block or transaction in the chain, up to the last checked block.
    pub(crate) fn not_found(chain: ChainKey, what: &str, checked_to: Option<BlockNumber>) -> Self {
        let checked = checked_to.map_or_else(
            || "and nothing was checked yet".to_owned(),
            |number| format!("checked up to block {number}"),
        );
        let detail = format!("{what} does not exist on chain {chain}, {checked}");
        Self::new(NOT_FOUND, detail).about(chain).with("checked_to", checked_to)
    }

    /// Index past a transaction's last event; the two words name the event and its container.
    pub(crate) fn event_index(
        chain: ChainKey,
        (noun, whole): (&str, &str),
        log_index: u32,
        count: usize,
        meant: Option<u32>,
    ) -> Self {
        let hint = meant.map_or_else(String::new, |meant| {
            format!("; as an index over the whole block it means log_index {meant}")
        });
        let detail =
            format!("log_index {log_index} is past the {count} {noun}s of the {whole}{hint}");
        let error = Self::new(NOT_FOUND, detail).about(chain).at("log_index");
        let error = error.with(&format!("{noun}_count"), count);
        if meant.is_some() { error.with("meant_log_index", meant) } else { error }
    }

    /// Not stored here, but may exist. `why` says what is not indexed and how to index it; `scanned` are the first and
    /// the last indexed number.
    pub(crate) fn not_indexed(
        chain: ChainKey,
        scanned: Option<(BlockNumber, BlockNumber)>,
        why: &str,
    ) -> Self {
        let scanned = scanned.map(|(from, to)| Scanned { from, to });
        Self::new(NOT_INDEXED, format!("not indexed on chain {chain}: {why}"))
            .about(chain)
            .with("scanned", scanned)
    }

    /// Block or ledger does not commit to the requested item.
    pub(crate) fn not_provable(chain: ChainKey, why: &str) -> Self {
        Self::new(NOT_PROVABLE, format!("not provable on chain {chain}: {why}")).about(chain)
    }

    pub(crate) fn not_anchored(block: &NotYetAnchored) -> Self {
        let NotYetAnchored { chain, what, .. } = block;
        let instead = match block.head {
            Some(head) if !block.held => format!(", the newest block held is {head}"),
            _ => block.levels().to_owned(),
        };
        let detail = format!("{what} of chain {chain} is not anchored yet{instead}");
        block.error(NOT_YET_ANCHORED, detail)
    }

    pub(crate) fn not_final(block: &NotYetAnchored) -> Self {
        let NotYetAnchored { chain, what, .. } = block;
        let detail = format!("{what} of chain {chain} is not final yet{}", block.levels());
        block.error(NOT_FINAL, detail)
    }

    /// The requested SuperRoot does not contain the block, and never will; `anchored` is its last number.
    pub(crate) fn not_under(
        chain: ChainKey,
        what: &str,
        sequence: u64,
        anchored: Option<BlockNumber>,
    ) -> Self {
        let ends = anchored.map_or_else(
            || ", which has no block of it".to_owned(),
            |number| format!(", which ends at block {number}"),
        );
        let detail = format!("{what} of chain {chain} is not in SuperRoot {sequence}{ends}");
        let error = Self::new(NOT_YET_ANCHORED, detail).about(chain);
        error.with("sequence", sequence).with("anchored", anchored)
    }

    /// The log withdrew the block: it was wrongly taken as final.
    pub(crate) fn withdrawn(chain: ChainKey, number: BlockNumber) -> Self {
        let detail = format!("block {number} of chain {chain} was withdrawn by the log");
        Self::new(WITHDRAWN, detail).about(chain)
    }

    pub(crate) fn starting() -> Self {
        Self::new(STARTING, "the service is starting: the first SuperRoot does not stand yet")
    }

    /// All recordings were read, and no block can be recomputed.
    pub(crate) fn nothing_recorded() -> Self {
        Self::new(
            NOTHING_RECORDED,
            "none of the recorded blocks could be recomputed, so there is nothing to prove and no \
             SuperRoot will come; /api/v1/status says why",
        )
    }
}
