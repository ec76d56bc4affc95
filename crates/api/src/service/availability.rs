//! Chains of which nothing new can be had: what is anchored can still be proven, and whoever asks
//! for more is told so instead of being put off for ever.

use superroot_accumulate::Published;
use superroot_chain::ChainRow;
use superroot_proof::superroot::BlockReference;
use superroot_store::coverage::{self, Coverage};
use superroot_store::layout::Held;
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey, Network, UnixSeconds};

use super::Api;
use super::retraction::{self, Retraction};
use crate::ApiError;
use crate::error::codes::{CHAIN_UNAVAILABLE, WITHDRAWN};
use crate::status::current::{self, chain_view};
use crate::status::{ChainStage, ChainView, Point};

/// Seconds after which to ask again for a chain that an operator has to look after.
const OPERATOR_SECONDS: u64 = 3_600;
/// Notes of refused blocks that are looked through for those of which a part is stored.
const NOTES_MAX: usize = 512;

/// Bounds of the pause before a stalled chain is asked for again, in seconds.
const RETRY_SECONDS: std::ops::RangeInclusive<u64> = 30..=600;

/// A chain of which nothing new can be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unavailable {
    /// The chain.
    pub(crate) chain: ChainKey,
    /// What the service does with it.
    pub(crate) stage: ChainStage,
    /// Why there is nothing new, in words.
    pub(crate) why: String,
    /// When it last moved.
    pub(crate) since: Option<UnixSeconds>,
    /// Newest anchored number: up to it proofs can be had.
    pub(crate) anchored: Option<BlockNumber>,
    /// Newest number known.
    pub(crate) head: Option<BlockNumber>,
    /// Seconds after which to ask again; `None` where that does not help.
    pub(crate) retry_after: Option<u64>,
    /// The contradiction that halted it.
    pub(crate) retraction: Option<Retraction>,
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
            .with("see", format!("/api/v1/coverage/{}", chain.id))
    }
}

impl Api {
    /// How a chain fares now: [`chain_view`].
    pub(crate) fn view(&self, row: &ChainRow) -> ChainView {
        chain_view(&self.prover, &*self.status, row, self.clock.now())
    }

    /// What the service does with each chain now, in the order of the registry's rows.
    pub(crate) fn stages(&self, now: UnixSeconds) -> Vec<ChainStage> {
        current::stages(&self.prover, &*self.status, self.registry.rows(), now)
    }

    /// First number of a chain that counts as final no more: it is taken back, or withdrawn.
    ///
    /// # Errors
    /// The store's.
    pub(crate) fn not_final_from(&self, chain: ChainKey) -> Result<Option<BlockNumber>, ApiError> {
        let withdrawn = self.registry.by_key(chain).and_then(|(_, row)| row.withdrawn_from());
        Ok([self.contested(chain)?, withdrawn].into_iter().flatten().min())
    }

    /// Passes where the log has not withdrawn that block.
    ///
    /// # Errors
    /// 410 `withdrawn`, whether the block was ever held or not.
    pub(crate) fn still_stands(
        &self,
        chain: ChainKey,
        number: BlockNumber,
    ) -> Result<(), ApiError> {
        let row = self.registry.by_key(chain).map(|(_, row)| row);
        match row.and_then(ChainRow::withdrawn_from) {
            Some(from) if from <= number => Err(ApiError::withdrawn(chain, number)),
            _ => Ok(()),
        }
    }

    /// The block, or, where it is taken back, the newest that is not.
    pub(crate) fn uncontested(
        &self,
        chain: ChainKey,
        from: BlockNumber,
        block: Option<Point>,
    ) -> Option<Point> {
        current::uncontested(&self.prover, chain, from, block)
    }

    /// What a SuperRoot refers to of a chain: of one that is withdrawn, the last block that can still
    /// be proven.
    pub(crate) fn anchored(
        &self,
        published: &Published,
        chain: ChainKey,
    ) -> Option<BlockReference> {
        let reference = *published.reference(chain)?.1;
        let withdrawn = self.registry.by_key(chain).and_then(|(_, row)| row.withdrawn_from());
        let Some(from) = withdrawn.filter(|from| *from <= reference.number) else {
            return Some(reference);
        };
        let number = BlockNumber(from.0.checked_sub(1)?);
        let block_hash = self.prover.block(chain, number).ok()?.hash;
        Some(BlockReference { number, block_hash, ..reference })
    }

    /// Last number of a live chain of which every entry is held, without a gap from the ledger's
    /// first block on; `None` where anything may be missing. What is not among these entries does
    /// not exist, as far as was checked.
    pub(crate) fn whole_to(&self, chain: ChainKey) -> Option<BlockNumber> {
        if self.prover.network() != Network::Live {
            return None;
        }
        let (_, row) = self.registry.by_key(chain)?;
        let first = BlockNumber(row.rules.first().map_or(0, |rule| rule.from_number));
        let checked_to = self.prover.chain_state(chain).ok()??.checked_to?;
        let runs = coverage::load_coverage_within(self.prover.store(), chain, first, first).ok()?;
        let is_whole =
            |run: &Coverage| run.held == Held::Whole && run.from <= first && run.to >= checked_to;
        runs.iter().any(is_whole).then_some(checked_to)
    }

    /// The newest blocks that are stored without a part of their body, since no node gave one that recomputes, falling,
    /// with the reason: at most `limit`.
    ///
    /// # Errors
    /// The store's.
    pub(crate) fn withheld_bodies(
        &self,
        chain: ChainKey,
        limit: usize,
    ) -> Result<Vec<(BlockNumber, String)>, ApiError> {
        let (store, failed) = (self.prover.store(), |error| ApiError::of_store(&error));
        let mut withheld = Vec::new();
        for (number, row) in read::load_newest_refused(store, chain, NOTES_MAX).map_err(failed)? {
            if withheld.len() == limit {
                break;
            }
            if read::load_block(store, chain, number).map_err(failed)?.is_some() {
                withheld.push((number, row.reason));
            }
        }
        Ok(withheld)
    }

    /// The refusal of what needs a part of a body that is withheld, where the first such block of these numbers has one.
    /// Where the store cannot be read, another error says so.
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

    /// The first block of these numbers that is stored without a part of its body, and the reason.
    fn withheld_body_within(
        &self,
        chain: ChainKey,
        (from, to): (BlockNumber, BlockNumber),
    ) -> Result<Option<(BlockNumber, String)>, ApiError> {
        let (store, failed) = (self.prover.store(), |error| ApiError::of_store(&error));
        let numbers = from..BlockNumber(to.0.saturating_add(1));
        let refused = read::load_refused_numbers(store, chain, numbers, NOTES_MAX);
        for number in refused.map_err(failed)? {
            if read::load_block(store, chain, number).map_err(failed)?.is_some() {
                let row = read::load_refused(store, chain, number).map_err(failed)?;
                return Ok(row.map(|row| (number, row.reason)));
            }
        }
        Ok(None)
    }

    /// Words for whoever looks for a transaction in vain: it may be in a body that is withheld. Empty where none is.
    pub(crate) fn withheld_hint(&self, row: &ChainRow) -> String {
        let newest = self.withheld_bodies(row.key(), 1).unwrap_or_default();
        let hint = |(number, reason): &(BlockNumber, String)| {
            format!(
                "of blocks of {} the bodies are withheld, of which block {number} is the newest: {reason}",
                row.name
            )
        };
        newest.first().map(hint).unwrap_or_default()
    }

    /// Whether blocks of the chain are held with receipts and without transactions: no hash leads to these.
    pub(crate) fn lacks_hashes(&self, chain: ChainKey) -> bool {
        let runs = coverage::load_coverage(self.prover.store(), chain).unwrap_or_default();
        let lacks =
            |run: &Coverage| matches!(run.held, Held::Partial { extent } if !extent.transactions);
        runs.iter().any(lacks)
    }

    /// Why the chain does not move, in words; `None` where it does, or nothing is to come.
    pub(crate) fn why(&self, row: &ChainRow, view: &ChainView) -> Option<String> {
        view.why(self.clock.now(), row.block_time_ms)
    }

    /// Passes when more of the chain may come in its own time.
    ///
    /// # Errors
    /// 503 `chain_unavailable` where whoever waits for it waits in vain.
    pub(crate) fn still_moves(&self, chain: ChainKey) -> Result<(), ApiError> {
        let Some((_, row)) = self.registry.by_key(chain) else { return Ok(()) };
        let view = self.view(row);
        if view.state.is_stopped() {
            return Err(self.unavailable(row, view)?.into());
        }
        Ok(())
    }

    /// Passes when any chain that is followed may bring something in its own time.
    ///
    /// # Errors
    /// 503 `chain_unavailable` of the first one where all of them stand still.
    pub(crate) fn any_moves(&self) -> Result<(), ApiError> {
        let views = self.registry.rows().iter().map(|row| (row, self.view(row)));
        let followed = |(_, view): &(&ChainRow, ChainView)| {
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

    /// The error where nothing of a chain is there yet.
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

    fn unavailable(&self, row: &ChainRow, view: ChainView) -> Result<Unavailable, ApiError> {
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
            why,
            since: view.halt.as_ref().map(|halt| halt.since).or(view.quiet_since()),
            anchored,
            head: view.head.map(|head| head.number).max(anchored),
            retry_after,
            retraction,
        })
    }
}
