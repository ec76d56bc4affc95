//! Prover errors as API errors, with advice.

use std::sync::atomic::Ordering;

use superroot_accumulate::prove::ProveError;
use superroot_chain::Extent;
use superroot_types::{BlockNumber, ChainKey, Network};

use super::Api;
use crate::ApiError;
use crate::error::chains::NotYetAnchored;
use crate::error::codes::UNKNOWN_SUPERROOT;

impl Api {
    /// Estimated time until the block is anchored: one block time per block above the head, at least one, at most an
    /// hour.
    pub(crate) fn retry_seconds(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        head: Option<BlockNumber>,
    ) -> u64 {
        let ahead = head.map_or(1, |head| number.0.saturating_sub(head.0).max(1));
        let block_time_ms = self.registry.by_key(chain).map_or(5_000, |(_, row)| row.block_time_ms);
        block_time_ms.saturating_mul(ahead).div_ceil(1000).clamp(1, 3600)
    }

    /// Reason for a missing SuperRoot: `nothing_recorded` if none will come, `chain_unavailable` if every chain is
    /// halted, else `starting`.
    pub(crate) fn nothing_published(&self) -> ApiError {
        if self.is_complete_recording() {
            return ApiError::nothing_recorded();
        }
        self.any_moves().err().unwrap_or_else(ApiError::starting)
    }

    /// Whether this is a recorded log without further blocks.
    pub(crate) fn is_complete_recording(&self) -> bool {
        self.prover.network() == Network::Recorded && self.ready.load(Ordering::SeqCst)
    }

    /// API error for a prover error about this chain.
    pub(crate) fn refused(&self, asked: Option<ChainKey>, error: ProveError) -> ApiError {
        match error {
            ProveError::NotIndexed { chain, scanned, extent, why } => {
                self.refuse_unindexed(chain, scanned, extent, &why)
            }
            ProveError::NotFound { chain, what, checked_to } => {
                ApiError::not_found(chain, &what, checked_to)
            }
            ProveError::BeforeStart { chain, number, start } => {
                let scanned =
                    self.prover.latest().and_then(|latest| Some(latest.reference(chain)?.1.number));
                let scanned = scanned.map(|number| (start, number));
                let why = format!("block {number} is before {start}, the first block of this log");
                let how = self.how_to_reach(chain, number);
                ApiError::not_indexed(chain, scanned, &format!("{why}; {how}"))
            }
            ProveError::NotAnchored { chain, number, anchored, head, held, is_final } => {
                let retry_after = self.retry_seconds(chain, number, head);
                let what = format!("block {number}");
                let block = NotYetAnchored { chain, what, anchored, head, held, retry_after };
                self.refuse_unanchored(&block, is_final)
            }
            ProveError::Withdrawn { chain, number } => ApiError::withdrawn(chain, number),
            ProveError::UnknownSuperRoot { asked } => {
                ApiError::new(UNKNOWN_SUPERROOT, format!("this log has no SuperRoot {asked}"))
            }
            ProveError::NothingPublished => self.nothing_published(),
            ProveError::Order { from, to } => refuse_order(from, to),
            ProveError::EventIndex { noun, whole, log_index, count, meant } => {
                ApiError::event_index(asked, (noun, whole), log_index, count, meant)
            }
            ProveError::NotProvable { chain, cause } => {
                ApiError::not_provable(chain, &cause.to_string())
            }
            ProveError::Present { chain, number, tx_index } => {
                let why = format!("block {number} has a transaction at index {tx_index}");
                ApiError::not_provable(chain, &why)
            }
            ProveError::ScanTooLarge { chain, .. } => {
                ApiError::not_provable(chain, &error.to_string())
            }
            ProveError::Store(_) | ProveError::Corrupt { .. } => {
                tracing::error!(%error, "a proof could not be made");
                ApiError::internal()
            }
        }
    }

    fn refuse_unindexed(
        &self,
        chain: ChainKey,
        scanned: Option<(BlockNumber, BlockNumber)>,
        extent: Option<Extent>,
        why: &str,
    ) -> ApiError {
        // of a chain of which nothing stands that is the reason, whatever was asked for
        if scanned.is_none()
            && let Err(stopped) = self.still_moves(chain)
        {
            return stopped;
        }
        let block = scanned.filter(|(from, to)| from == to);
        if let Some(withheld) = block.and_then(|block| self.withheld(chain, block, "")) {
            return withheld;
        }
        let held = extent.map_or_else(String::new, |extent| format!(" (held: {extent})"));
        let how = self.how_to_index(chain);
        let how = if how.is_empty() { how } else { format!("; {how}") };
        ApiError::not_indexed(chain, scanned, &format!("{why}{held}{how}"))
    }

    fn refuse_unanchored(&self, block: &NotYetAnchored, is_final: bool) -> ApiError {
        if let Err(stopped) = self.still_moves(block.chain) {
            return stopped;
        }
        if block.anchored.is_none() && block.head.is_none() {
            return self.nothing_yet(block.chain, "no final block of it is anchored yet");
        }
        if block.held && !is_final {
            ApiError::not_final(block)
        } else {
            ApiError::not_anchored(block)
        }
    }
}

fn refuse_order(from: u64, to: u64) -> ApiError {
    let expected = if from == to {
        "another one than to; a SuperRoot extends itself: compare the hashes, there is nothing to \
         prove"
            .to_owned()
    } else {
        format!("a sequence below {to}")
    };
    ApiError::parameter("from", &from.to_string(), expected)
}
