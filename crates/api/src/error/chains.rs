//! Errors about a chain and its blocks.

use superroot_types::{BlockNumber, ChainKey};
use superroot_wire::problem::Scanned;

use super::ApiError;
use super::codes::*;

/// A block that is not in the SuperRoot in which its proof was to end, and may be in a later one.
#[derive(Clone, Debug)]
pub(crate) struct Waits {
    pub(crate) chain: ChainKey,
    /// What was asked for.
    pub(crate) what: String,
    /// Last anchored number.
    pub(crate) anchored: Option<BlockNumber>,
    /// Newest block held.
    pub(crate) head: Option<BlockNumber>,
    /// Whether levels 1 and 2 can be had.
    pub(crate) held: bool,
    /// Seconds after which to ask again.
    pub(crate) retry_after: u64,
}

impl Waits {
    const fn levels(&self) -> &'static str {
        if self.held {
            ", the proof of a block, transaction or event has ?level=2 for the levels below the SuperRoot"
        } else {
            ""
        }
    }

    fn error(&self, code: Code, detail: String) -> ApiError {
        ApiError::new(code, detail)
            .about(self.chain)
            .again_after(self.retry_after)
            .with("anchored", self.anchored)
            .with("head", self.head)
    }
}

impl ApiError {
    /// The registry has no such chain.
    pub(crate) fn unknown_chain(parameter: &str, got: &str) -> Self {
        let detail = format!("chain {got} is not in the registry, see /api/v1/chains");
        Self::new(UNKNOWN_CHAIN, detail).at(parameter)
    }

    /// The chain has no such block or transaction, as far as was checked.
    pub(crate) fn not_found(chain: ChainKey, what: &str, checked_to: Option<BlockNumber>) -> Self {
        let checked = checked_to.map_or_else(
            || "and nothing was checked yet".to_owned(),
            |number| format!("checked up to block {number}"),
        );
        let detail = format!("{what} does not exist on chain {chain}, {checked}");
        Self::new(NOT_FOUND, detail).about(chain).with("checked_to", checked_to)
    }

    /// An index past the events that a transaction has: its two words are those of the event and of what has it.
    pub(crate) fn event_index(
        chain: Option<ChainKey>,
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

    /// It may exist, but is not held here. `why` says what is not indexed, and how to have it indexed;
    /// `scanned` are the first and the last number that was.
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

    /// The block or the ledger does not commit to what was asked for.
    pub(crate) fn not_provable(chain: ChainKey, why: &str) -> Self {
        Self::new(NOT_PROVABLE, format!("not provable on chain {chain}: {why}")).about(chain)
    }

    /// The block is above the SuperRoot in which the proof was to end.
    pub(crate) fn not_anchored(block: &Waits) -> Self {
        let Waits { chain, what, .. } = block;
        let instead = match block.head {
            Some(head) if !block.held => format!(", the newest block held is {head}"),
            _ => block.levels().to_owned(),
        };
        let detail = format!("{what} of chain {chain} is not anchored yet{instead}");
        block.error(NOT_YET_ANCHORED, detail)
    }

    /// The block is held but not final.
    pub(crate) fn not_final(block: &Waits) -> Self {
        let Waits { chain, what, .. } = block;
        let detail = format!("{what} of chain {chain} is not final yet{}", block.levels());
        block.error(NOT_FINAL, detail)
    }

    /// The SuperRoot that the request names does not have the block, and never will; `anchored` is the
    /// last number that it has.
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

    /// The log withdrew the block: it was taken as final and was not.
    pub(crate) fn withdrawn(chain: ChainKey, number: BlockNumber) -> Self {
        let detail = format!("block {number} of chain {chain} was withdrawn by the log");
        Self::new(WITHDRAWN, detail).about(chain)
    }

    /// No SuperRoot stands yet.
    pub(crate) fn starting() -> Self {
        Self::new(STARTING, "the service is starting: the first SuperRoot does not stand yet")
    }

    /// All recordings were read, and none of their blocks can be recomputed.
    pub(crate) fn nothing_recorded() -> Self {
        Self::new(
            NOTHING_RECORDED,
            "none of the recorded blocks could be recomputed, so there is nothing to prove and no \
             SuperRoot will come; /api/v1/status says why",
        )
    }
}
