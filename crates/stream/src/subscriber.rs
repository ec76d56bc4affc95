//! A listener, and what it is told next.

use std::sync::{Arc, Weak};

use superroot_accumulate::prove::Which;
use superroot_store::{Direction, read};
use superroot_types::{BlockNumber, ChainKey, UnixSeconds};
use superroot_wire::stream::{BlocksAnchored, StreamEnded, StreamReady, StreamStale};
use tokio::sync::watch;

use crate::cursor::{Cursor, Place};
use crate::hub::{Counted, Hub, Kept, Part, Seen};
use crate::load::{Item, Loaded};
use crate::subscription::{Kind, Subscription, Topic};
use crate::{StreamError, anchor};

/// What a listener is told.
#[derive(Clone, Debug)]
pub enum Told {
    /// Something that happened.
    Event(Item),
    /// Part of what was asked for is not kept any more: the place asked for, and that from which it goes
    /// on.
    Stale(StreamStale),
    /// It reads too slowly; nothing comes after.
    Lagged(StreamEnded),
}

/// A listener. It keeps no event in memory, so one that is not asked costs nothing: the newest rows are in memory once for
/// all listeners, and so are the older ones that are read.
pub struct Subscriber {
    hub: Hub,
    subscription: Subscription,
    head: watch::Receiver<Seen>,
    /// Row to look at next.
    row: u64,
    /// Place of the block in that row from which it looks on.
    block: u32,
    /// Place in that row after which it goes on.
    after: Option<Place>,
    /// The last event that was told, or where it began.
    last: Option<Cursor>,
    /// The place that was asked for, while it is not checked yet.
    since: Option<Cursor>,
    /// Whether the place is known: before the log begins there is none.
    is_placed: bool,
    /// Whether it came before the log began.
    is_before_all: bool,
    /// Whether it has reached the newest rows: from there on it may not fall behind them.
    is_live: bool,
    /// Whether it is still to be looked whether the transaction is anchored already.
    is_waiting: bool,
    /// What is told first: that the place asked for cannot be had.
    stale: Option<StreamStale>,
    has_ended: bool,
    /// What was read for it, until it is looked at.
    fetched: Option<Arc<Loaded>>,
    /// What it looked at last, where that is still in memory.
    recent: Weak<Loaded>,
    _counted: Counted,
}

/// What can be said without waiting.
enum Now {
    Told(Box<Told>),
    /// Rows have to be read from the store.
    Fetch,
    /// A transaction has to be looked for.
    LookUp(Box<Item>),
    /// Nothing has happened yet.
    Wait,
}

impl Subscriber {
    /// A listener that is told what happens after that place; from now on where none is given.
    #[must_use]
    pub fn new(hub: Hub, subscription: Subscription, since: Option<Cursor>) -> Self {
        let at_rest = hub.clone();
        let _no_rows_are_passed_over = at_rest.hold();
        let counted = hub.count(subscription.wants_logs());
        let head = hub.follow();
        let is_waiting = subscription.transaction.is_some();
        let mut subscriber = Self {
            hub,
            subscription,
            head,
            row: 0,
            block: 0,
            after: None,
            last: None,
            since,
            is_placed: false,
            is_before_all: false,
            is_live: false,
            is_waiting,
            stale: None,
            has_ended: false,
            fetched: None,
            recent: Weak::new(),
            _counted: counted,
        };
        subscriber.place();
        subscriber.is_before_all = !subscriber.is_placed;
        subscriber
    }

    /// The last event that was told, or the place where it began; `None` before the log has begun.
    #[must_use]
    pub const fn cursor(&self) -> Option<Cursor> {
        self.last
    }

    /// What it wants.
    #[must_use]
    pub const fn subscription(&self) -> &Subscription {
        &self.subscription
    }

    /// The first event of every stream: what is delivered, and from where on.
    #[must_use]
    pub fn ready(&self, not_indexed: Vec<superroot_types::ChainId>) -> StreamReady {
        let Subscription { topics, chains, .. } = &self.subscription;
        let chains = chains.as_ref().map(|chains| chains.iter().map(|chain| chain.id).collect());
        StreamReady {
            cursor: self.last.map(|cursor| cursor.to_string()).unwrap_or_default(),
            topics: topics.iter().map(|topic| topic.name()).collect(),
            chain_ids: chains,
            not_indexed,
        }
    }

    /// What it is told next. May be dropped while it waits: nothing is lost by that.
    ///
    /// # Errors
    /// Those of reading the log; the next call goes on at the same place.
    pub async fn next(&mut self) -> Result<Told, StreamError> {
        loop {
            match self.now() {
                Now::Told(told) => return Ok(*told),
                Now::Fetch => self.fetch().await?,
                Now::LookUp(anchored) => {
                    if let Some(told) = self.look_up(&anchored).await? {
                        return Ok(told);
                    }
                }
                Now::Wait => {
                    if self.is_waiting {
                        if let Some(told) = self.look_first().await? {
                            return Ok(told);
                        }
                        continue;
                    }
                    let is_closed = self.head.borrow().is_closed;
                    if is_closed || self.head.changed().await.is_err() {
                        return Err(StreamError::Ended);
                    }
                }
            }
        }
    }

    /// What can be told at once; `None` where it would have to wait. For sending many at one time.
    pub fn next_now(&mut self) -> Option<Told> {
        match self.now() {
            Now::Told(told) => Some(*told),
            Now::Fetch | Now::LookUp(_) | Now::Wait => None,
        }
    }

    /// Finds its place, once the log has begun.
    fn place(&mut self) {
        let Some(head) = self.head.borrow_and_update().head else { return };
        self.is_placed = true;
        let begin = |row| Cursor { log: head.log, row, place: Place::default() };
        let since = self.since.take();
        let kept = since.filter(|since| {
            since.log == head.log && head.oldest <= since.row && since.row <= head.next
        });
        let at = match (since, kept) {
            (_, Some(kept)) => kept,
            (None, _) if self.is_before_all => begin(head.oldest),
            (None, _) => begin(head.next),
            (Some(since), None) => {
                let oldest = begin(head.oldest);
                let why = if since.log == head.log && since.row < head.oldest {
                    "what follows that place is not kept any more"
                } else {
                    "that place is not in this log"
                };
                let (since, shown) = (since.to_string(), oldest.to_string());
                self.stale = Some(StreamStale { since, oldest: shown, why });
                oldest
            }
        };
        (self.row, self.block) = (at.row, at.place.block);
        (self.after, self.last) = (Some(at.place), Some(at));
        self.is_live = at.row == head.next;
    }

    fn now(&mut self) -> Now {
        if self.has_ended {
            return Now::Wait;
        }
        if !self.is_placed || self.since.is_some() {
            self.place();
        }
        if let Some(stale) = self.stale.take() {
            return Now::Told(Box::new(Told::Stale(stale)));
        }
        if !self.is_placed {
            return Now::Wait;
        }
        loop {
            self.head.mark_unchanged();
            let loaded = match self.loaded() {
                Ok(loaded) => loaded,
                Err(now) => return now,
            };
            if let Some(now) = self.next_of(&loaded) {
                self.recent = Arc::downgrade(&loaded);
                return now;
            }
            match loaded.rest {
                Some(block) => self.block = block,
                None => self.begin_row(self.row.saturating_add(1)),
            }
        }
    }

    fn begin_row(&mut self, row: u64) {
        (self.row, self.block, self.after) = (row, 0, None);
    }

    /// What is in memory of its place; what to do where that is nothing.
    fn loaded(&mut self) -> Result<Arc<Loaded>, Now> {
        let known = self.fetched.take().or_else(|| self.recent.upgrade());
        if let Some(known) = known.filter(|known| known.covers(self.row, self.block)) {
            return Ok(known);
        }
        match self.hub.kept(self.row) {
            Kept::Row(loaded) if loaded.has_logs || !self.subscription.wants_logs() => {
                self.is_live = true;
                Ok(loaded)
            }
            Kept::Older if self.is_live => Err(Now::Told(Box::new(self.lagged()))),
            Kept::Older | Kept::Row(_) => self.hub.past(self.part()).ok_or(Now::Fetch),
            Kept::Later => {
                self.is_live = true;
                Err(Now::Wait)
            }
        }
    }

    fn part(&self) -> Part {
        Part { row: self.row, block: self.block, with_logs: self.subscription.wants_logs() }
    }

    /// The next event of a row that passes.
    fn next_of(&mut self, loaded: &Loaded) -> Option<Now> {
        let begin = match self.after {
            None => 0,
            Some(after) => loaded.items.partition_point(|item| item.cursor.place <= after),
        };
        for item in loaded.items.iter().skip(begin) {
            if !self.subscription.passes(item.chain, &item.kind) {
                continue;
            }
            if let (Kind::Of(Topic::Anchored), Some((chain, _))) =
                (&item.kind, self.subscription.transaction)
            {
                if item.chain == Some(chain) {
                    return Some(Now::LookUp(Box::new(item.clone())));
                }
                continue;
            }
            self.after = Some(item.cursor.place);
            self.last = Some(item.cursor);
            return Some(Now::Told(Box::new(Told::Event(item.clone()))));
        }
        None
    }

    fn lagged(&mut self) -> Told {
        self.has_ended = true;
        let cursor = self.last.map(|cursor| cursor.to_string()).unwrap_or_default();
        let why = "events came faster than they were read; come back with this cursor";
        Told::Lagged(StreamEnded { cursor, why })
    }

    async fn fetch(&mut self) -> Result<(), StreamError> {
        match self.hub.fetch(self.part()).await? {
            Some(loaded) if loaded.row >= self.row => {
                if loaded.row > self.row {
                    // rows were pruned while it read: it is told when it has its next place
                    self.since = self.last;
                    self.begin_row(loaded.row);
                }
                self.fetched = Some(loaded);
            }
            // pruned up to the newest: those come into memory
            _ => {
                let newest = self.hub.head().map_or(self.row, |head| head.next);
                if newest != self.row {
                    self.begin_row(newest);
                }
            }
        }
        Ok(())
    }

    /// Whether the transaction that is waited for is among the blocks of this event.
    async fn look_up(&mut self, anchored: &Item) -> Result<Option<Told>, StreamError> {
        let number = self.find_transaction().await?;
        self.after = Some(anchored.cursor.place);
        self.last = Some(anchored.cursor);
        let is_met = |number: &BlockNumber| {
            anchored.blocks.is_some_and(|(from, to)| from <= *number && *number <= to)
        };
        let Some(number) = number.filter(is_met) else { return Ok(None) };
        self.is_waiting = false;
        let newest = anchor::newest(self.hub.prover()).map_or(0, |newest| newest.sequence);
        let sequence = anchored.sequence.unwrap_or(newest);
        Ok(self.of_transaction((anchored.cursor, anchored.at), number, sequence))
    }

    /// Whether the transaction that is waited for is anchored already.
    async fn look_first(&mut self) -> Result<Option<Told>, StreamError> {
        let number = self.find_transaction().await?;
        self.is_waiting = false;
        let Some(cursor) = self.last else { return Ok(None) };
        let Some((chain, _)) = self.subscription.transaction else { return Ok(None) };
        let latest = self.hub.prover().latest();
        let reference = latest.as_ref().and_then(|latest| latest.reference(chain));
        let anchored = number.filter(|number| {
            reference.is_some_and(|(_, one)| one.start <= *number && *number <= one.number)
        });
        let at = latest.as_ref().map_or(UnixSeconds(0), |latest| latest.super_root.timestamp);
        let Some((number, latest)) = anchored.zip(latest) else { return Ok(None) };
        let hub = self.hub.clone();
        let newest = latest.super_root.sequence;
        let first = tokio::task::spawn_blocking(move || first_with(&hub, chain, number, newest));
        let sequence = first.await.map_err(|_| StreamError::Ended)?;
        Ok(self.of_transaction((cursor, at), number, sequence))
    }

    /// The number of the block in which the transaction is.
    async fn find_transaction(&self) -> Result<Option<BlockNumber>, StreamError> {
        let Some((chain, hash)) = self.subscription.transaction else { return Ok(None) };
        let hub = self.hub.clone();
        let look = move || -> Result<Option<BlockNumber>, StreamError> {
            let all = BlockNumber(0)..BlockNumber(u64::MAX);
            let (store, falling) = (hub.prover().store(), Direction::Falling);
            let places = read::find_transaction_within(store, chain, &hash, all, falling)?;
            Ok(places.first().map(|place| place.number))
        };
        tokio::task::spawn_blocking(look).await.map_err(|_| StreamError::Ended)?
    }

    fn of_transaction(
        &self,
        at: (Cursor, UnixSeconds),
        number: BlockNumber,
        sequence: u64,
    ) -> Option<Told> {
        let (chain, hash) = self.subscription.transaction?;
        let newest = anchor::newest(self.hub.prover());
        let data = BlocksAnchored {
            chain_id: chain.id,
            from_block: number,
            to_block: number,
            sequence,
            transaction_hash: Some(hash),
            // its bytes may stand in an earlier block as well
            proof_url: format!("/v5/proof/tx/{}/{hash}?block={number}", chain.id),
        };
        let kind = Kind::Of(Topic::Anchored);
        Some(Told::Event(Item::new(at, (Some(chain), kind), &data, newest.as_ref())))
    }
}

/// The first SuperRoot that has a block, up to one that has it: looked for by halves.
fn first_with(hub: &Hub, chain: ChainKey, number: BlockNumber, newest: u64) -> u64 {
    let has = |sequence| {
        let published = hub.prover().published(Which::Sequence(sequence));
        published.is_ok_and(|published| {
            let reference = published.reference(chain);
            reference.is_some_and(|(_, one)| one.start <= number && number <= one.number)
        })
    };
    let (mut low, mut high) = (0, newest);
    while low < high {
        let middle = low + (high - low) / 2;
        if has(middle) { high = middle } else { low = middle + 1 }
    }
    high
}
