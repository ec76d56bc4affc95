//! Chains without new blocks: anchored blocks can still be proven, and later requests get a clear refusal instead of
//! endless retries.

use superroot_accumulate::Published;
use superroot_chain::ChainSpec;
use superroot_proof::superroot::ChainReference;
use superroot_store::coverage::{self, CoverageRun};
use superroot_store::layout::HeldRun;
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey, Network, UnixSeconds};
use superroot_wire::paths;

use super::Api;
use super::retraction::{self, FinalityContradiction};
use crate::ApiError;
use crate::error::codes::{CHAIN_UNAVAILABLE, WITHDRAWN};
use crate::status::current::{self, chain_view};
use crate::status::{ChainStage, ChainView, Point};

/// Retry time in seconds for a chain that needs an operator.
const OPERATOR_SECONDS: u64 = 3_600;
/// Notes of refused blocks searched for partly stored blocks.
const NOTES_MAX: usize = 512;

/// Bounds for the retry time of a stalled chain in seconds.
const RETRY_SECONDS: std::ops::RangeInclusive<u64> = 30..=600;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unavailable {
    pub(crate) chain: ChainKey,
    /// Stage at the service.
    pub(crate) stage: ChainStage,
    pub(crate) why: String,
    pub(crate) since: Option<UnixSeconds>,
    /// Newest anchored number, and last provable block.
    pub(crate) anchored: Option<BlockNumber>,
    /// Newest known number.
    pub(crate) head: Option<BlockNumber>,
    /// Seconds until a retry; `None` if a retry does not help.
    pub(crate) retry_after: Option<u64>,
    /// Contradiction that halted the chain.
    pub(crate) retraction: Option<FinalityContradiction>,
}

impl From<Unavailable> for ApiError {
    fn from(unavailable: Unavailable) -> Self {
        let Unavailable { chain, stage, why, since, anchored, head, retry_after, retraction } =
            unavailable;
        let temporarily = if retry_after.is_some() { "temporarily " } else { "" };
        let still = anchored.map_or_else(String::new, |number| {
            format!("; what is anchored, up to block {number}, can still be proven")
        });
        let code = if stage == ChainStage::Withdrawn { WITHDRAWN } else { CHAIN_UNAVAILABLE };
        Self::new(code, format!("chain {chain} is {temporarily}unavailable: {why}{still}"))
            .about(chain)
            .again_after(retry_after)
            .with("state", stage.name())
            .with("since", since)
            .with("anchored", anchored)
            .with("head", head)
            .with("retraction", retraction.map(|one| retraction::body(chain, &one)))
            .with("see", paths::coverage(chain.id))
    }
}

impl Api {
    /// Current chain state: [`chain_view`].
    pub(crate) fn view(&self, row: &ChainSpec) -> ChainView {
        chain_view(&self.prover, &*self.status, row, self.clock.now())
    }

    /// Current stage for each chain, in registry order.
    pub(crate) fn stages(&self, now: UnixSeconds) -> Vec<ChainStage> {
        current::stages(&self.prover, &*self.status, self.registry.rows(), now)
    }

    /// First number no longer final: reorganised or withdrawn.
    pub(crate) fn not_final_from(&self, chain: ChainKey) -> Result<Option<BlockNumber>, ApiError> {
        let withdrawn = self.registry.by_key(chain).and_then(|(_, row)| row.withdrawn_from());
        Ok([self.contested(chain)?, withdrawn].into_iter().flatten().min())
    }

    /// Checks that the log has not withdrawn the block: else 410 `withdrawn`, whether the block was ever stored or not.
    pub(crate) fn still_stands(
        &self,
        chain: ChainKey,
        number: BlockNumber,
    ) -> Result<(), ApiError> {
        let row = self.registry.by_key(chain).map(|(_, row)| row);
        match row.and_then(ChainSpec::withdrawn_from) {
            Some(from) if from <= number => Err(ApiError::withdrawn(chain, number)),
            _ => Ok(()),
        }
    }

    /// Returns the block, or the newest uncontested one if nodes dropped it.
    pub(crate) fn uncontested(
        &self,
        chain: ChainKey,
        from: BlockNumber,
        block: Option<Point>,
    ) -> Option<Point> {
        current::uncontested(&self.prover, chain, from, block)
    }

    /// Block in a SuperRoot's chain reference; for a withdrawn chain, the last provable block.
    pub(crate) fn anchored(
        &self,
        published: &Published,
        chain: ChainKey,
    ) -> Option<ChainReference> {
        let reference = *published.reference(chain)?.1;
        let withdrawn = self.registry.by_key(chain).and_then(|(_, row)| row.withdrawn_from());
        let Some(from) = withdrawn.filter(|from| *from <= reference.number) else {
            return Some(reference);
        };
        let number = BlockNumber(from.0.checked_sub(1)?);
        let block_hash = self.prover.block(chain, number).ok()?.hash;
        Some(ChainReference { number, block_hash, ..reference })
    }

    /// Last number with complete entries on a live chain, gapless from the ledger's first block; `None` if anything may
    /// be missing. An entry absent up to there does not exist, as far as was checked.
    pub(crate) fn whole_to(&self, chain: ChainKey) -> Option<BlockNumber> {
        if self.prover.network() != Network::Live {
            return None;
        }
        let (_, row) = self.registry.by_key(chain)?;
        let first = BlockNumber(row.rules.first().map_or(0, |rule| rule.from_number));
        let checked_to = self.prover.chain_state(chain).ok()??.checked_to?;
        let runs = coverage::load_coverage_within(self.prover.store(), chain, first, first).ok()?;
        let is_whole = |run: &CoverageRun| {
            run.held == HeldRun::Whole && run.from <= first && run.to >= checked_to
        };
        runs.iter().any(is_whole).then_some(checked_to)
    }

    /// Newest blocks stored without a body part, because no node returned one that recomputes, descending, with the
    /// reason: at most `limit`.
    pub(crate) fn withheld_bodies(
        &self,
        chain: ChainKey,
        limit: usize,
    ) -> Result<Vec<(BlockNumber, String)>, ApiError> {
        let store = self.prover.store();
        let mut withheld = Vec::new();
        for (number, row) in
            read::load_newest_refused(store, chain, NOTES_MAX).map_err(ApiError::of_store)?
        {
            if withheld.len() == limit {
                break;
            }
            if read::load_block(store, chain, number).map_err(ApiError::of_store)?.is_some() {
                withheld.push((number, row.reason));
            }
        }
        Ok(withheld)
    }

    /// Refusal for a withheld body part, if a block among these numbers has one. `None` also if the store is
    /// unreadable, which another error reports.
    pub(crate) fn withheld(
        &self,
        chain: ChainKey,
        (from, to): (BlockNumber, BlockNumber),
        instead: &str,
    ) -> Option<ApiError> {
        let (number, why) = self.withheld_body_within(chain, (from, to)).ok()??;
        let why = format!("a part of the body of block {number} is withheld: {why}{instead}");
        Some(ApiError::not_provable(chain, &why))
    }

    /// First block among these numbers stored without a body part, and the reason.
    fn withheld_body_within(
        &self,
        chain: ChainKey,
        (from, to): (BlockNumber, BlockNumber),
    ) -> Result<Option<(BlockNumber, String)>, ApiError> {
        let store = self.prover.store();
        let numbers = from..BlockNumber(to.0.saturating_add(1));
        let refused = read::load_refused_numbers(store, chain, numbers, NOTES_MAX);
        for number in refused.map_err(ApiError::of_store)? {
            if read::load_block(store, chain, number).map_err(ApiError::of_store)?.is_some() {
                let row = read::load_refused(store, chain, number).map_err(ApiError::of_store)?;
                return Ok(row.map(|row| (number, row.reason)));
            }
        }
        Ok(None)
    }

    /// Hint for a transaction not found: a withheld body may contain it. Empty without withheld bodies.
    pub(crate) fn withheld_hint(&self, row: &ChainSpec) -> String {
        let newest = self.withheld_bodies(row.key(), 1).unwrap_or_default();
        let hint = |(number, reason): &(BlockNumber, String)| {
            format!(
                "of blocks of {} the bodies are withheld, of which block {number} is the newest: {reason}",
                row.name
            )
        };
        newest.first().map(hint).unwrap_or_default()
    }

    /// Whether blocks are stored with receipts but without transactions, so that no hash finds them.
    pub(crate) fn lacks_hashes(&self, chain: ChainKey) -> bool {
        let runs = coverage::load_coverage(self.prover.store(), chain).unwrap_or_default();
        let lacks = |run: &CoverageRun| matches!(run.held, HeldRun::Partial { extent } if !extent.transactions);
        runs.iter().any(lacks)
    }

    /// Reason for a halt in words; `None` if the chain moves or is complete.
    pub(crate) fn why(&self, row: &ChainSpec, view: &ChainView) -> Option<String> {
        let why = view.why(self.clock.now(), row.block_time_ms)?;
        // a chain with pinned signers may wait for their evidence
        let fault = self.prover.pin_fault(row).ok().flatten();
        let cause = fault
            .map(|fault| format!("{why}; nothing follows from the pinned set of signers: {fault}"));
        Some(cause.unwrap_or(why))
    }

    /// Reason, with the fault of a pinned set, if any: final blocks may wait for evidence by the signers.
    fn with_pin_fault(&self, row: &ChainSpec, why: String) -> String {
        match self.prover.pin_fault(row).ok().flatten() {
            Some(fault) => {
                format!("{why}; nothing follows from the pinned set of signers: {fault}")
            }
            None => why,
        }
    }

    /// Checks that more blocks may arrive in normal time; 503 `chain_unavailable` if waiting is useless.
    pub(crate) fn still_moves(&self, chain: ChainKey) -> Result<(), ApiError> {
        let Some((_, row)) = self.registry.by_key(chain) else { return Ok(()) };
        let view = self.view(row);
        if view.state.is_stopped() {
            return Err(self.unavailable(row, view)?.into());
        }
        Ok(())
    }

    /// Checks that any collected chain may produce blocks in normal time; 503 `chain_unavailable` for the first chain
    /// if all are halted.
    pub(crate) fn any_moves(&self) -> Result<(), ApiError> {
        let views = self.registry.rows().iter().map(|row| (row, self.view(row)));
        let followed = |(_, view): &(&ChainSpec, ChainView)| {
            !matches!(view.state, ChainStage::NotFollowed | ChainStage::Withdrawn)
        };
        let mut stopped = None;
        for (row, view) in views.filter(followed) {
            if !view.state.is_stopped() {
                return Ok(());
            }
            stopped.get_or_insert((row, view));
        }
        let Some((row, view)) = stopped else { return Ok(()) };
        Err(self.unavailable(row, view)?.into())
    }

    /// Error for a chain without any data yet.
    pub(crate) fn nothing_yet(&self, chain: ChainKey, why: &str) -> ApiError {
        if let Err(stopped) = self.still_moves(chain) {
            return stopped;
        }
        let unavailable = Unavailable {
            chain,
            stage: ChainStage::Starting,
            why: why.to_owned(),
            since: None,
            anchored: None,
            head: None,
            retry_after: Some(self.retry_seconds(chain, BlockNumber(0), None)),
            retraction: None,
        };
        unavailable.into()
    }

    fn unavailable(&self, row: &ChainSpec, view: ChainView) -> Result<Unavailable, ApiError> {
        let chain = row.key();
        let latest = self.prover.latest();
        let anchored = latest.and_then(|latest| self.anchored(&latest, chain));
        let anchored = anchored.map(|anchored| anchored.number);
        let retry_after = match view.state {
            ChainStage::NotFollowed | ChainStage::Withdrawn => None,
            ChainStage::Halted => Some(OPERATOR_SECONDS),
            ChainStage::Starting
            | ChainStage::CatchingUp
            | ChainStage::Backfilling
            | ChainStage::Following
            | ChainStage::Stalled
            | ChainStage::Recorded => {
                let block_time = row.block_time_ms.div_ceil(1_000);
                Some(block_time.clamp(*RETRY_SECONDS.start(), *RETRY_SECONDS.end()))
            }
        };
        let is_contradicted = matches!(view.state, ChainStage::Halted | ChainStage::Withdrawn);
        let retraction = if is_contradicted { self.retractions(chain)?.pop() } else { None };
        let why = view.why_in_short(self.clock.now(), row.block_time_ms).unwrap_or_default();
        Ok(Unavailable {
            chain,
            stage: view.state,
            why: self.with_pin_fault(row, why),
            since: view.halt.as_ref().map(|halt| halt.since).or(view.quiet_since()),
            anchored,
            head: view.head.map(|head| head.number).max(anchored),
            retry_after,
            retraction,
        })
    }
}
