//! The one table from prover errors to API errors, with advice.

use std::sync::atomic::Ordering;

use superroot_accumulate::Published;
use superroot_accumulate::prove::ProveError;
use superroot_chain::{ChainSpec, Extent, UnprovablePart, UnprovableRange};
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey, Hash, Network};

use super::Api;
use crate::ApiError;
use crate::error::chains::NotYetAnchored;
use crate::error::codes::UNKNOWN_SUPERROOT;

/// What the prover was asked for, as far as the refusal depends on it.
#[derive(Clone, Copy)]
pub(crate) enum ProverQuestion<'a> {
    /// Stored item: a SuperRoot, a block, its evidence.
    Lookup,
    /// All events of a range.
    Scan,
    Proof(RequestedProof<'a>),
}

/// Requested proof. Under a named SuperRoot nothing changes, so a retry does not help.
#[derive(Clone, Copy)]
pub(crate) struct RequestedProof<'a> {
    /// SuperRoot of the answer.
    pub(crate) published: &'a Published,
    /// Whether the request names this SuperRoot.
    pub(crate) is_fixed: bool,
    pub(crate) entry: RequestedEntry,
}

/// The requested entry's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestedEntry {
    /// In the newest anchored block.
    Newest,
    /// In this block.
    Block(BlockNumber),
    /// In the block of this transaction, which a hash does not name.
    Transaction(Hash),
}

impl RequestedEntry {
    const fn block(self) -> Option<BlockNumber> {
        match self {
            Self::Block(number) => Some(number),
            Self::Newest | Self::Transaction(_) => None,
        }
    }
}

/// Block part or entry that is not indexed.
struct MissingEntry {
    chain: ChainKey,
    /// First and last scanned number, if any.
    scanned: Option<(BlockNumber, BlockNumber)>,
    /// The named block's stored extent, if any.
    extent: Option<Extent>,
    why: String,
}

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

    /// API error for a prover error that depends on nothing but itself.
    pub(crate) fn refuse_unproven(&self, error: ProveError) -> ApiError {
        self.refuse_question(ProverQuestion::Lookup, error)
    }

    /// API error for a prover error about this question.
    pub(crate) fn refuse_question(
        &self,
        question: ProverQuestion<'_>,
        error: ProveError,
    ) -> ApiError {
        match error {
            ProveError::NotIndexed { chain, scanned, extent, why } => {
                let entry = MissingEntry { chain, scanned, extent, why };
                match question {
                    ProverQuestion::Proof(proof) => self.refuse_unindexed_entry(proof.entry, entry),
                    ProverQuestion::Lookup | ProverQuestion::Scan => self.refuse_unindexed(entry),
                }
            }
            ProveError::NotFound { chain, what, checked_to } => self
                .refuse_unrecorded(question, chain, &what, checked_to)
                .unwrap_or_else(|| ApiError::not_found(chain, &what, checked_to)),
            ProveError::BeforeStart { chain, number, start } => {
                self.refuse_before_start(chain, number, start)
            }
            ProveError::NotAnchored { chain, number, anchored, head, held, is_final } => {
                let retry_after = self.retry_seconds(chain, number, head);
                let what = format!("block {number}");
                let block = NotYetAnchored { chain, what, anchored, head, held, retry_after };
                match question {
                    ProverQuestion::Proof(proof) => {
                        self.refuse_unanchored_proof(proof, number, &block, is_final)
                    }
                    ProverQuestion::Lookup | ProverQuestion::Scan => {
                        self.refuse_unanchored(&block, is_final)
                    }
                }
            }
            ProveError::Withdrawn { chain, number } => ApiError::withdrawn(chain, number),
            ProveError::UnknownSuperRoot { asked } => {
                ApiError::new(UNKNOWN_SUPERROOT, format!("this log has no SuperRoot {asked}"))
            }
            ProveError::NothingPublished => self.nothing_published(),
            ProveError::Order { from, to } => refuse_order(from, to),
            ProveError::EventIndex { chain, noun, whole, log_index, count, meant } => {
                ApiError::event_index(chain, (noun, whole), log_index, count, meant)
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

    fn refuse_before_start(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        start: BlockNumber,
    ) -> ApiError {
        let last = self.prover.latest().and_then(|latest| Some(latest.reference(chain)?.1.number));
        let why = format!("block {number} is before {start}, the first block of this log");
        let how = self.how_to_reach(chain, number);
        ApiError::not_indexed(chain, last.map(|last| (start, last)), &format!("{why}; {how}"))
    }

    fn refuse_unindexed(&self, entry: MissingEntry) -> ApiError {
        let MissingEntry { chain, scanned, extent, why } = entry;
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

    /// Refusal of an entry that may be permanently missing, or not exist at all.
    fn refuse_unindexed_entry(&self, asked: RequestedEntry, entry: MissingEntry) -> ApiError {
        let MissingEntry { chain, scanned, extent, .. } = entry;
        let within = match extent {
            Some(_) => asked.block().map(|number| (number, number)),
            None => scanned,
        };
        let block = scanned.filter(|(from, to)| from == to);
        if let Some(withheld) = block.and_then(|block| self.withheld(chain, block, "")) {
            return withheld;
        }
        let row = self.registry.by_key(chain).map(|(_, row)| row);
        let ranges = row.map_or(&[][..], |row| row.ledger.unprovable());
        let reason = within.and_then(|within| Some((within.0, never_held(ranges, within)?)));
        match (reason, extent) {
            (Some((number, reason)), Some(_)) if reason.what == UnprovablePart::Body => {
                let why = &reason.why;
                let why = format!("the body of block {number} cannot be recomputed: {why}");
                ApiError::not_provable(chain, &why)
            }
            // nothing that can be done brings what is missing
            (Some((_, reason)), _) => {
                let why = format!(
                    "{}; of some of its blocks more can never be held, whatever is watched or \
                     repaired: {}",
                    entry.why, reason.why
                );
                ApiError::not_indexed(chain, scanned, &why)
            }
            (None, None) if self.whole_to(chain).is_some() => {
                let what = match asked {
                    RequestedEntry::Transaction(hash) => format!("transaction {hash}"),
                    RequestedEntry::Newest | RequestedEntry::Block(_) => "it".to_owned(),
                };
                ApiError::not_found(chain, &what, self.whole_to(chain))
            }
            (None, _) => {
                let is_by_hash = matches!(asked, RequestedEntry::Transaction(_));
                let hints = row.filter(|_| is_by_hash).map(|row| self.hints_for_hash(row));
                let why = entry.why + &hints.unwrap_or_default();
                self.refuse_unindexed(MissingEntry { why, ..entry })
            }
        }
    }

    /// Reasons why a stored transaction may not be found by its hash; a sentence ending.
    fn hints_for_hash(&self, row: &ChainSpec) -> String {
        let mut hints = String::new();
        if self.lacks_hashes(row.key()) {
            hints.push_str(
                "; of some blocks the receipts alone are held and the hashes of transactions are not",
            );
        }
        let withheld = self.withheld_hint(row);
        if !withheld.is_empty() {
            hints.push_str("; ");
            hints.push_str(&withheld);
        }
        hints
    }

    /// Refusal of an item missing from a recorded log, which cannot tell whether unrecorded data exists or will come;
    /// `None` if the chain does not have it.
    fn refuse_unrecorded(
        &self,
        question: ProverQuestion<'_>,
        chain: ChainKey,
        what: &str,
        checked_to: Option<BlockNumber>,
    ) -> Option<ApiError> {
        if self.prover.network() != Network::Recorded {
            return None;
        }
        match question {
            ProverQuestion::Lookup => None,
            ProverQuestion::Scan => {
                let why = format!("no recording of {what} was taken");
                Some(ApiError::not_indexed(chain, None, &why))
            }
            ProverQuestion::Proof(proof) => {
                let number = proof.entry.block()?;
                let block = self.prover.block(chain, number);
                if !matches!(block, Err(ProveError::NotFound { .. })) {
                    return None;
                }
                let start = proof.published.reference(chain).map(|(_, reference)| reference.start);
                let why = self.left_out(chain, number).unwrap_or_else(|| {
                    "no recording of the block was taken, which says nothing of whether the chain \
                     has it"
                        .to_owned()
                });
                Some(ApiError::not_indexed(chain, start.zip(checked_to), &why))
            }
        }
    }

    /// Reason why the block's recording was left out, if any.
    fn left_out(&self, chain: ChainKey, number: BlockNumber) -> Option<String> {
        let refused = read::load_refused(self.prover.store(), chain, number).ok()??;
        let reason = refused.reason;
        Some(format!("the recording of block {number} was left out: {reason}"))
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

    /// Refusal of a proof in a block that is not in the answer's SuperRoot, and may never be.
    fn refuse_unanchored_proof(
        &self,
        proof: RequestedProof<'_>,
        number: BlockNumber,
        block: &NotYetAnchored,
        is_final: bool,
    ) -> ApiError {
        let NotYetAnchored { chain, anchored, .. } = *block;
        if let Err(withdrawn) = self.still_stands(chain, number) {
            return withdrawn;
        }
        if proof.is_fixed {
            let what = match proof.entry {
                RequestedEntry::Newest => "the newest block",
                RequestedEntry::Block(_) | RequestedEntry::Transaction(_) => &block.what,
            };
            return ApiError::not_under(
                chain,
                what,
                proof.published.super_root.sequence.0,
                anchored,
            );
        }
        if let Some(last) = anchored.filter(|_| !block.held && self.is_complete_recording()) {
            let start = proof.published.reference(chain).map(|(_, reference)| reference.start);
            let why = format!("the recordings end at block {last}, before block {number}");
            return ApiError::not_indexed(chain, start.map(|start| (start, last)), &why);
        }
        self.refuse_unanchored(block, is_final)
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

/// First permanent gap in these blocks, if any.
fn never_held(
    ranges: &[UnprovableRange],
    (first, last): (BlockNumber, BlockNumber),
) -> Option<&UnprovableRange> {
    ranges
        .iter()
        .find(|range| range.from_number <= last.0 && range.to_number.is_none_or(|to| first.0 <= to))
}

#[cfg(test)]
mod tests {
    use superroot_chain::ChainRegistry;

    use super::*;

    /// Who asks for an entry that nobody can prove must not be sent for a watch list in vain.
    #[test]
    fn what_can_never_be_held_is_said_where_it_may_be_meant() {
        let rows = |name| ChainRegistry::builtin().find(name).unwrap().ledger.unprovable();
        let among =
            |name, first, last| never_held(rows(name), (BlockNumber(first), BlockNumber(last)));
        assert!(among("polygon", 90_000_000, 90_000_100).unwrap().why.contains("state-sync"));
        assert!(among("polygon", 80_084_799, 80_084_800).is_some(), "it begins with the last");
        assert_eq!(among("polygon", 5, 80_084_799), None);
        assert!(among("celo", 31_056_499, 40_000_000).is_some());
        assert_eq!(among("celo", 31_056_500, 40_000_000), None);
        assert_eq!(among("base", 0, u64::MAX), None);
    }
}
