//! Final block retraction: keeps the evidence and halts the chain.

use superroot_chain::FinalityEvidence;
use superroot_source::{BlockAt, BlockParts, ClaimedBlock, SourceTip};
use superroot_store::feed::Changes;
use superroot_store::layout::{self, ChainState, HaltRow, RetractionRow};
use superroot_store::{WriteBatch, read, write};
use superroot_types::{BlockNumber, Hash, UnixSeconds};
use tokio::sync::watch;

use crate::blocking::blocking;
use crate::collector::Collector;
use crate::error::CollectError;
use crate::fetch::Received;
use crate::line::RunPiece;
use crate::progress::DivergenceSearch;

impl Collector {
    /// Returns a live view on the running search; `None` without one.
    #[must_use]
    pub fn search(&self) -> watch::Receiver<Option<DivergenceSearch>> {
        self.search.subscribe()
    }

    /// Begins a search, over when the guard is dropped.
    fn begin_search(&self, newest: BlockNumber) -> Searching<'_> {
        self.search.send_replace(Some(DivergenceSearch { newest, lowest: newest }));
        Searching(&self.search)
    }

    fn note_differs(&self, lowest: BlockNumber) {
        self.search.send_modify(|search| {
            if let Some(search) = search {
                search.lowest = lowest;
            }
        });
    }

    /// Keeps a halted chain halted across restarts.
    pub(crate) async fn check_halt(&self) -> Result<(), CollectError> {
        let store = self.store.clone();
        let chain = self.chain();
        match blocking(move || Ok(read::load_halt(&*store, chain)?)).await? {
            None => Ok(()),
            Some(HaltRow { number, reason, .. }) => {
                Err(CollectError::Halted { chain, number, reason })
            }
        }
    }

    /// Investigates a finalized block from the source that differs from the stored one.
    pub(crate) async fn check_finalized(
        &self,
        state: &ChainState,
        tip: &SourceTip,
        now: UnixSeconds,
    ) -> Result<(), CollectError> {
        let Some(held) = state.indexed.filter(|_| !self.is_sparse()) else { return Ok(()) };
        if held.number != tip.finalized.number || held.hash == tip.finalized.hash {
            return Ok(());
        }
        let other = self.standing(held, now).await?;
        if other.hash == held.hash { Ok(()) } else { Err(self.retract(held, other, now).await) }
    }

    /// Handles an agreed block `number` that conflicts with a stored final block: `lowest`, if fetched, does not name
    /// the stored block as its parent. Either another block is now final there, or a node lied.
    pub(crate) async fn stands_elsewhere(
        &self,
        held: layout::BlockTip,
        lowest: Option<&RunPiece>,
        number: BlockNumber,
        now: UnixSeconds,
    ) -> CollectError {
        let other = match self.standing(held, now).await {
            Ok(other) => other,
            Err(error) => return error,
        };
        if other.hash != held.hash {
            return self.retract(held, other, now).await;
        }
        let chain = self.chain();
        let expected = held.hash;
        if let Some(RunPiece::New(received)) = lowest {
            let why = format!("its parent is not {expected}, which is agreed on");
            self.fetcher(true).blame(&received.sender, number, "parent_link", &why);
        }
        CollectError::Contradiction { chain, number, expected }
    }

    /// Whether the block is currently agreed on.
    async fn is_agreed(&self, held: layout::BlockTip) -> bool {
        let agreement = self.source.fetch_agreement(held.number).await;
        agreement.is_ok_and(|agreement| agreement.hash == Some(held.hash))
    }

    /// Agreed block for a stored final block's number.
    async fn standing(
        &self,
        held: layout::BlockTip,
        now: UnixSeconds,
    ) -> Result<AgreedBlock, CollectError> {
        let fetcher = self.fetcher(false);
        let agreement = self.source.fetch_agreement(held.number).await;
        let agreement = agreement.map_err(|cause| fetcher.source_error(cause))?;
        if agreement.hash == Some(held.hash) {
            let evidence = self.evidence(&agreement, held.number, held.hash, now);
            return Ok(AgreedBlock { hash: held.hash, evidence, header: None });
        }
        let at = match agreement.hash {
            Some(hash) => BlockAt::Id(ClaimedBlock { number: held.number, hash }),
            None => BlockAt::Number(held.number),
        };
        let fetched = fetcher.block(at, BlockParts::Header).await;
        let (hash, header) = match (agreement.hash, fetched) {
            (_, Ok(Received { block, .. })) => (block.hash(), Some(block.header().to_vec())),
            (Some(hash), Err(_)) => (hash, None),
            (None, Err(error)) => return Err(error),
        };
        let evidence = self.evidence(&agreement, held.number, hash, now);
        Ok(AgreedBlock { hash, evidence, header })
    }

    /// Bisects for the first differing block in the run, asking for each half's lowest number. Without an agreement on
    /// a number, all blocks not known to be equal are contested.
    async fn first_difference(
        &self,
        held: layout::BlockTip,
        other: AgreedBlock,
        now: UnixSeconds,
    ) -> Result<Difference, CollectError> {
        let mut first = (held, other);
        let mut low = BlockNumber(0);
        if let Some(state) = self.held_state().await? {
            low = state.start;
        }
        while low < first.0.number {
            let number = BlockNumber(low.0.midpoint(first.0.number.0));
            let Some(row) = self.held_at(number).await? else { break };
            let held = layout::BlockTip { number, hash: row.hash };
            let Ok(other) = self.standing(held, now).await else { break };
            if other.hash == held.hash {
                low = BlockNumber(number.0.saturating_add(1));
                continue;
            }
            self.note_differs(number);
            first = (held, other);
        }
        let (held, other) = first;
        Ok(Difference { held, other, from: low.min(held.number) })
    }

    /// Stores the evidence and halts the chain, in one commit.
    async fn retract(
        &self,
        held: layout::BlockTip,
        other: AgreedBlock,
        now: UnixSeconds,
    ) -> CollectError {
        let newest = held;
        let _search = self.begin_search(newest.number); // until the halt is written down
        let Difference { held, other, from } = match self.first_difference(held, other, now).await {
            Ok(difference) => difference,
            Err(error) => return error,
        };
        // they may have come back to what is held while the first difference was looked for
        if self.is_agreed(newest).await {
            let chain = self.chain();
            let number = newest.number;
            let expected = newest.hash;
            return CollectError::Contradiction { chain, number, expected };
        }
        let store = self.store.clone();
        let chain = self.chain();
        let number = held.number;
        let expected = held.hash;
        let got = other.hash;
        let is_first = from == held.number;
        let error = CollectError::FinalReorg { chain, number, is_first, got, expected };
        metrics::counter!("superroot_collect_retractions_total", "chain" => self.row.slug.clone())
            .increment(1);
        let halt = HaltRow { number, since: now, reason: error.to_string() };
        let row = RetractionRow {
            held_hash: expected,
            other_hash: got,
            evidence: other.evidence,
            noticed_at: now,
            other_header: other.header,
        };
        let feed = self.feed(now);
        let noted = blocking(move || {
            let mut batch = WriteBatch::new();
            write::put_retraction(&mut batch, &*store, chain, number, &row)?;
            write::put_contest(&mut batch, &*store, chain, from)?;
            write::put_halt(&mut batch, chain, &halt);
            let mut changes = Changes::default();
            changes.retracted(from, newest.number);
            feed.append(&mut batch, &*store, changes)?;
            Ok(store.commit(batch)?)
        });
        noted.await.err().unwrap_or(error)
    }
}

struct Searching<'a>(&'a watch::Sender<Option<DivergenceSearch>>);

impl Drop for Searching<'_> {
    fn drop(&mut self) {
        self.0.send_replace(None);
    }
}

/// Agreed block for a number, with the agreeing nodes.
struct AgreedBlock {
    hash: Hash,
    evidence: FinalityEvidence,
    header: Option<Vec<u8>>,
}

/// Stored final block and its replacement.
struct Difference {
    held: layout::BlockTip,
    other: AgreedBlock,
    /// First block not known to be equal: this one, if all lower ones are equal.
    from: BlockNumber,
}
