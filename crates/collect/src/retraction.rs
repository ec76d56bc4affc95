//! A final block that is not final any more: evidence is kept, and the chain halted.

use superroot_chain::Evidence;
use superroot_source::{BlockAt, BlockId, Parts, Tip};
use superroot_store::feed::Changes;
use superroot_store::layout::{self, ChainState, HaltRow, RetractionRow};
use superroot_store::{Batch, read, write};
use superroot_types::{BlockNumber, Hash, UnixSeconds};
use tokio::sync::watch;

use crate::blocking::blocking;
use crate::collector::Collector;
use crate::error::CollectError;
use crate::fetch::Received;
use crate::line::Piece;
use crate::progress::Search;

impl Collector {
    /// The search that goes on, as it goes on; `None` while there is none.
    #[must_use]
    pub fn search(&self) -> watch::Receiver<Option<Search>> {
        self.search.subscribe()
    }

    /// Begins a search; it is over when what is returned is dropped.
    fn begin_search(&self, newest: BlockNumber) -> Searching<'_> {
        self.search.send_replace(Some(Search { newest, lowest: newest }));
        Searching(&self.search)
    }

    fn note_differs(&self, lowest: BlockNumber) {
        self.search.send_modify(|search| {
            if let Some(search) = search {
                search.lowest = lowest;
            }
        });
    }

    /// A chain that was halted stays so, through every restart.
    pub(crate) async fn check_halt(&self) -> Result<(), CollectError> {
        let (store, chain) = (self.store.clone(), self.chain());
        match blocking(move || Ok(read::load_halt(&*store, chain)?)).await? {
            None => Ok(()),
            Some(HaltRow { number, reason, .. }) => {
                Err(CollectError::Halted { chain, number, reason })
            }
        }
    }

    /// Looks closer where the source names another finalized block than the one held.
    pub(crate) async fn check_finalized(
        &self,
        state: &ChainState,
        tip: &Tip,
        now: UnixSeconds,
    ) -> Result<(), CollectError> {
        let Some(held) = state.indexed.filter(|_| !self.is_sparse()) else { return Ok(()) };
        if held.number != tip.finalized.number || held.hash == tip.finalized.hash {
            return Ok(());
        }
        let other = self.standing(held, now).await?;
        if other.hash == held.hash { Ok(()) } else { Err(self.retract(held, other, now).await) }
    }

    /// What is agreed on as block `number` does not fit a final block held: `lowest`, where it was
    /// fetched, does not name it as its parent. Either another block is final there now, or somebody
    /// lied.
    pub(crate) async fn stands_elsewhere(
        &self,
        held: layout::Tip,
        lowest: Option<&Piece>,
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
        let (chain, expected) = (self.chain(), held.hash);
        if let Some(Piece::New(received)) = lowest {
            let why = format!("its parent is not {expected}, which is agreed on");
            self.fetcher(true).blame(&received.sender, number, "parent_link", &why);
        }
        CollectError::Contradiction { chain, number, expected }
    }

    /// Whether that block is agreed on, now.
    async fn is_agreed(&self, held: layout::Tip) -> bool {
        let agreement = self.source.fetch_agreement(held.number).await;
        agreement.is_ok_and(|agreement| agreement.hash == Some(held.hash))
    }

    /// What is agreed on under the number of a final block held.
    async fn standing(
        &self,
        held: layout::Tip,
        now: UnixSeconds,
    ) -> Result<Standing, CollectError> {
        let fetcher = self.fetcher(false);
        let agreement = self.source.fetch_agreement(held.number).await;
        let agreement = agreement.map_err(|cause| fetcher.source_error(cause))?;
        if agreement.hash == Some(held.hash) {
            let evidence = self.evidence(&agreement, held.number, held.hash, now);
            return Ok(Standing { hash: held.hash, evidence, header: None });
        }
        let at = match agreement.hash {
            Some(hash) => BlockAt::Id(BlockId { number: held.number, hash }),
            None => BlockAt::Number(held.number),
        };
        let fetched = fetcher.block(at, Parts::Header).await;
        let (hash, header) = match (agreement.hash, fetched) {
            (_, Ok(Received { block, .. })) => (block.hash(), Some(block.header().to_vec())),
            (Some(hash), Err(_)) => (hash, None),
            (None, Err(error)) => return Err(error),
        };
        let evidence = self.evidence(&agreement, held.number, hash, now);
        Ok(Standing { hash, evidence, header })
    }

    /// The first block that differs among those of the run up to one that does, each half of them
    /// asked after by its lowest number. Where nobody agrees on such a number, all that was not seen
    /// to be the same is contested.
    async fn first_difference(
        &self,
        held: layout::Tip,
        other: Standing,
        now: UnixSeconds,
    ) -> Result<Difference, CollectError> {
        let (mut first, mut low) = ((held, other), BlockNumber(0));
        if let Some(state) = self.held_state().await? {
            low = state.start;
        }
        while low < first.0.number {
            let number = BlockNumber(low.0.midpoint(first.0.number.0));
            let Some(row) = self.held_at(number).await? else { break };
            let held = layout::Tip { number, hash: row.hash };
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

    /// Keeps the evidence and halts the chain, in one commit.
    async fn retract(&self, held: layout::Tip, other: Standing, now: UnixSeconds) -> CollectError {
        let newest = held;
        let _search = self.begin_search(newest.number); // until the halt is written down
        let Difference { held, other, from } = match self.first_difference(held, other, now).await {
            Ok(difference) => difference,
            Err(error) => return error,
        };
        // they may have come back to what is held while the first difference was looked for
        if self.is_agreed(newest).await {
            let (chain, number, expected) = (self.chain(), newest.number, newest.hash);
            return CollectError::Contradiction { chain, number, expected };
        }
        let (store, chain, number) = (self.store.clone(), self.chain(), held.number);
        let (expected, got, is_first) = (held.hash, other.hash, from == held.number);
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
            let mut batch = Batch::new();
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

/// A search that goes on.
struct Searching<'a>(&'a watch::Sender<Option<Search>>);

impl Drop for Searching<'_> {
    fn drop(&mut self) {
        self.0.send_replace(None);
    }
}

/// What is agreed on under a number, and by whom.
struct Standing {
    hash: Hash,
    evidence: Evidence,
    header: Option<Vec<u8>>,
}

/// A final block held, and what stands under its number instead.
struct Difference {
    held: layout::Tip,
    other: Standing,
    /// First block that is not known to be the same: this one, where all below it are.
    from: BlockNumber,
}
