//! Prover errors as API errors, by what the question asks for.

use superroot_accumulate::Published;
use superroot_accumulate::prove::ProveError;
use superroot_chain::{ChainSpec, Extent, UnprovablePart, UnprovableRange};
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey, Network};

use super::question::{ProofQuestion, ProofTarget};
use crate::ApiError;
use crate::input::BlockAsk;
use crate::service::Api;

/// Block part or entry that is not indexed.
struct MissingEntry {
    chain: ChainKey,
    /// First and last scanned number, if any.
    scanned: Option<(BlockNumber, BlockNumber)>,
    /// Stored extent of the named block, if any.
    extent: Option<Extent>,
    why: String,
}

impl ProofQuestion {
    /// API error for a prover error. Under a named SuperRoot nothing changes, so a retry does not help. A recorded log
    /// cannot tell whether unrecorded data exists or will come.
    pub(super) fn refused(&self, api: &Api, published: &Published, error: ProveError) -> ApiError {
        let reference = published.reference(self.chain).map(|(_, reference)| *reference);
        if let ProveError::NotAnchored { chain, number, .. } = error
            && let Err(withdrawn) = api.still_stands(chain, number)
        {
            return withdrawn;
        }
        match error {
            ProveError::NotAnchored { chain, number, anchored, .. } if self.fixed.is_some() => {
                let what = match self.target.block() {
                    Some(BlockAsk::Latest) => "the newest block".to_owned(),
                    _ => format!("block {number}"),
                };
                let sequence = published.super_root.sequence;
                ApiError::not_under(chain, &what, sequence, anchored)
            }
            ProveError::NotAnchored {
                chain, number, anchored: Some(last), held: false, ..
            } if api.is_complete_recording() => {
                let scanned = reference.map(|reference| (reference.start, last));
                let why = format!("the recordings end at block {last}, before block {number}");
                ApiError::not_indexed(chain, scanned, &why)
            }
            ProveError::NotFound { chain, checked_to, .. } if self.is_unrecorded(api) => {
                let scanned = reference.map(|one| one.start).zip(checked_to);
                let why = self.left_out(api).unwrap_or_else(|| {
                    "no recording of the block was taken, which says nothing of whether the chain \
                     has it"
                        .to_owned()
                });
                ApiError::not_indexed(chain, scanned, &why)
            }
            ProveError::NotIndexed { chain, scanned, extent, why } => {
                self.refuse_unindexed(api, MissingEntry { chain, scanned, extent, why })
            }
            other => api.refused(Some(self.chain), other),
        }
    }

    fn refuse_unindexed(&self, api: &Api, entry: MissingEntry) -> ApiError {
        let MissingEntry { chain, scanned, extent, .. } = entry;
        // a hash does not say in which block it is
        let within = match (extent, self.target.block()) {
            (Some(_), Some(BlockAsk::Number(number))) => Some((number, number)),
            (Some(_), Some(BlockAsk::Latest) | None) => None,
            (None, _) => scanned,
        };
        let block = scanned.filter(|(from, to)| from == to);
        if let Some(withheld) = block.and_then(|block| api.withheld(chain, block, "")) {
            return withheld;
        }
        let row = api.registry.by_key(chain).map(|(_, row)| row);
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
            (None, None) if api.whole_to(chain).is_some() => {
                ApiError::not_found(chain, &self.entry(), api.whole_to(chain))
            }
            (None, _) => self.refuse_unwatched(api, row, entry),
        }
    }

    /// Refusal with advice how to index the entry.
    fn refuse_unwatched(
        &self,
        api: &Api,
        row: Option<&ChainSpec>,
        entry: MissingEntry,
    ) -> ApiError {
        let MissingEntry { chain, scanned, extent, why } = entry;
        let why = match self.target.is_by_hash() && api.lacks_hashes(chain) {
            true => format!(
                "{why}; of some blocks the receipts alone are held and the hashes of transactions \
                 are not"
            ),
            false => why,
        };
        let hint = match (self.target.is_by_hash(), row) {
            (true, Some(row)) => api.withheld_hint(row),
            _ => String::new(),
        };
        let why = if hint.is_empty() { why } else { format!("{why}; {hint}") };
        let error = ProveError::NotIndexed { chain, scanned, extent, why };
        api.refused(Some(self.chain), error)
    }

    fn entry(&self) -> String {
        match self.target {
            ProofTarget::Transaction(hash, _)
            | ProofTarget::EventByHash { transaction: hash, .. } => {
                format!("transaction {hash}")
            }
            ProofTarget::Block(_) | ProofTarget::Event { .. } | ProofTarget::Absence { .. } => {
                "it".to_owned()
            }
        }
    }

    /// Whether the block is missing from a recorded log.
    fn is_unrecorded(&self, api: &Api) -> bool {
        let Some(BlockAsk::Number(number)) = self.target.block() else { return false };
        let is_missing =
            || matches!(api.prover.block(self.chain, number), Err(ProveError::NotFound { .. }));
        api.prover.network() == Network::Recorded && is_missing()
    }

    /// Reason why the block's recording was left out, if any.
    fn left_out(&self, api: &Api) -> Option<String> {
        let Some(BlockAsk::Number(number)) = self.target.block() else { return None };
        let refused = read::load_refused(api.prover.store(), self.chain, number).ok()??;
        let reason = refused.reason;
        Some(format!("the recording of block {number} was left out: {reason}"))
    }
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
