//! Events of one watch in final, anchored blocks, in order, each proven.

use anyhow::{Context, bail};
use superroot_accumulate::Published;
use superroot_accumulate::prove::Prover;
use superroot_index::{EventFilter, EventQuery, Hit, Position};
use superroot_proof::bundle::{Facts, Policy, Verified, verify_anchored};
use superroot_store::{ScanOrder, Store};
use superroot_types::{BlockNumber, Hash, SuperRootRef};
use superroot_watch::{WantedWatch, WatchTarget, lacking};

use crate::chains;
use crate::config::RegistryPlace;

/// Events in one step.
const PAGE: usize = 64;
const EXAMINED_MAX: usize = 4_096;
const DATA_BYTES_MAX: usize = 1 << 20;

/// A contract's events, and how far they are counted.
pub(crate) struct ProvenEvents {
    pub(crate) place: RegistryPlace,
    target: WatchTarget,
    topics: [Vec<Hash>; 4],
    /// First block with events that may not be counted.
    next: BlockNumber,
    at: Option<Position>,
    is_warned: bool,
}

/// Page of events, to be counted before the next one.
pub(crate) struct EventPage {
    pub(crate) events: Vec<Hit>,
    next: Option<Position>,
    /// First block after the page.
    to: BlockNumber,
}

impl ProvenEvents {
    pub(crate) fn new(place: RegistryPlace, target: WatchTarget, topics: [Vec<Hash>; 4]) -> Self {
        Self { place, target, topics, next: place.from, at: None, is_warned: false }
    }

    /// Next page; `None` if there are no further blocks.
    pub(crate) fn page(
        &mut self,
        store: &dyn Store,
        published: &Published,
    ) -> anyhow::Result<Option<EventPage>> {
        let Some((_, reference)) = published.reference(self.place.chain) else { return Ok(None) };
        self.warn_of_earlier(reference.start);
        let last = match self.first_lacking(store)? {
            None => Some(reference.number.0),
            Some(lacking) => lacking.0.checked_sub(1),
        };
        let to = BlockNumber(last.map_or(0, |last| last.min(reference.number.0)));
        if self.next > to {
            return Ok(None);
        }
        let found = superroot_index::find(store, &self.query((self.next, to), self.at))?;
        // blocks that are not indexed yet may have events
        let to = found.pending.iter().map(|run| run.0).min().unwrap_or(BlockNumber(to.0 + 1));
        Ok(Some(EventPage { events: found.events, next: found.next, to }))
    }

    /// Goes on behind a page whose events are counted; `true` if there may be more.
    pub(crate) fn advance(&mut self, page: &EventPage) -> bool {
        self.at = page.next;
        self.next = page.next.map_or(page.to, |next| next.number.min(page.to));
        page.next.is_some()
    }

    /// Events that are not counted yet, as the newest blocks have them.
    pub(crate) fn newest(&self, store: &dyn Store) -> anyhow::Result<Vec<Hit>> {
        let query = self.query((self.next, BlockNumber(u64::MAX)), None);
        Ok(superroot_index::find(store, &query)?.events)
    }

    /// Proves a log of an event's transaction, and verifies the proof as a stranger would; `None` for another
    /// contract's log.
    pub(crate) fn prove(
        &self,
        prover: &Prover,
        (hit, log_index): (&Hit, u32),
        published: &Published,
    ) -> anyhow::Result<Option<Verified<Facts>>> {
        let tx = hit.event.transaction_hash.context("an event's transaction is not stored")?;
        let at = Some(SuperRootRef::Hash(published.hash));
        let bundle = prover.prove_event_by_hash(self.place.chain, &tx, log_index, at)?;
        let policy = Policy::strict(chains::known().proof_registry());
        let facts = verify_anchored(&bundle, &policy, &published.hash);
        let facts = facts.context("the proof of a payment's event does not verify")?;
        let log = facts.log().context("the proof of a payment's event shows no log")?;
        if facts.statement.number != hit.position.number {
            bail!("the proof of a payment's event shows another block");
        }
        let is_own = log.log.address == self.place.contract;
        Ok(is_own.then_some(facts))
    }

    /// First final block from `next` on without the events: it is fetched again.
    fn first_lacking(&self, store: &dyn Store) -> anyhow::Result<Option<BlockNumber>> {
        let mut wanted = WantedWatch::default();
        wanted.from.insert(self.next, self.target.list());
        let ranges = lacking(store, self.place.chain, &wanted)?;
        Ok(ranges.first().map(|range| range.0))
    }

    /// Says once that blocks since the first are not held.
    fn warn_of_earlier(&mut self, start: BlockNumber) {
        let RegistryPlace { chain, from, .. } = self.place;
        if start > from && !std::mem::replace(&mut self.is_warned, true) {
            tracing::warn!(
                chain.id = %chain.id,
                "blocks {from} to {} of chain {} are not held: payments in them are not counted (superroot backfill)",
                start.0.saturating_sub(1), chain.id
            );
        }
    }

    fn query(&self, (from, to): (BlockNumber, BlockNumber), at: Option<Position>) -> EventQuery {
        EventQuery {
            chain: self.place.chain,
            filter: EventFilter {
                addresses: vec![self.place.contract.0.to_vec()],
                topics: self.topics.clone(),
            },
            from,
            to,
            direction: ScanOrder::Rising,
            at,
            limit: PAGE,
            examined_max: EXAMINED_MAX,
            data_bytes_max: DATA_BYTES_MAX,
        }
    }
}
