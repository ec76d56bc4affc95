use std::sync::{Arc, Weak};

use superroot_store::{ScanOrder, read};
use superroot_types::{BlockNumber, ChainKey, Sequence, SuperRootRef, UnixSeconds};
use superroot_wire::paths;
use superroot_wire::stream::{BlocksAnchored, StreamEnded, StreamReady, StreamStale};
use tokio::sync::watch;

use crate::cursor::{LogCursor, RowPosition};
use crate::hub::{CountedListener, Hub, ListenerView, PastReader, RingEntry};
use crate::load::{Loaded, PreparedEvent};
use crate::subscription::{EventKind, ListenerFilter, Topic};
use crate::{StreamError, anchor};

#[derive(Clone, Debug)]
pub enum Delivery {
    Event(PreparedEvent),
    /// Requested rows were pruned: requested cursor and actual start.
    Stale(StreamStale),
    /// Listener is too slow; the stream ends.
    Lagged(StreamEnded),
}

/// Listener without an event buffer: newest rows and recently read older rows are in memory once for all listeners, so
/// an idle listener costs nothing.
pub struct Subscriber {
    hub: Hub,
    subscription: ListenerFilter,
    head: watch::Receiver<ListenerView>,
    row: u64,
    block: u32,
    /// Last position in the row already handled.
    after: Option<RowPosition>,
    /// Last delivered event, or the start.
    last: Option<LogCursor>,
    /// Requested cursor, not yet checked.
    since: Option<LogCursor>,
    /// Whether the position is known; unknown before the log begins.
    is_placed: bool,
    /// Whether the listener came before the log began.
    is_before_all: bool,
    /// Whether the listener has reached the newest rows and may no longer fall behind.
    is_live: bool,
    /// Whether to check first if the transaction is already anchored.
    is_waiting: bool,
    /// First message if the requested cursor is unavailable.
    stale: Option<StreamStale>,
    has_ended: bool,
    /// Row read for this listener, not yet used.
    fetched: Option<Arc<Loaded>>,
    /// Last used row, if still in memory.
    recent: Weak<Loaded>,
    _counted: CountedListener,
}

enum ReadyNow {
    Told(Box<Delivery>),
    Fetch,
    LookUp(Box<PreparedEvent>),
    Wait,
}

impl Subscriber {
    /// Creates a listener for events after `since`; without a cursor, from now on.
    #[must_use]
    pub fn new(hub: Hub, subscription: ListenerFilter, since: Option<LogCursor>) -> Self {
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

    /// Last delivered event, or the start; `None` before the log has begun.
    #[must_use]
    pub const fn cursor(&self) -> Option<LogCursor> {
        self.last
    }

    #[must_use]
    pub const fn subscription(&self) -> &ListenerFilter {
        &self.subscription
    }

    /// First event of every stream: delivered topics, chains and start.
    #[must_use]
    pub fn ready(&self, not_indexed: Vec<superroot_types::ChainId>) -> StreamReady {
        let ListenerFilter { topics, chains, .. } = &self.subscription;
        let chains = chains.as_ref().map(|chains| chains.iter().map(|chain| chain.id).collect());
        StreamReady {
            cursor: self.last.map(|cursor| cursor.to_string()).unwrap_or_default(),
            topics: topics.iter().map(|topic| topic.name()).collect(),
            chain_ids: chains,
            not_indexed,
        }
    }

    /// Waits for the next message. Cancel-safe: no message is lost.
    ///
    /// # Errors
    /// Read errors; the next call continues at the same position.
    pub async fn next(&mut self) -> Result<Delivery, StreamError> {
        loop {
            match self.now() {
                ReadyNow::Told(told) => return Ok(*told),
                ReadyNow::Fetch => self.fetch().await?,
                ReadyNow::LookUp(anchored) => {
                    if let Some(told) = self.look_up(&anchored).await? {
                        return Ok(told);
                    }
                }
                ReadyNow::Wait => {
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

    /// Returns an available message; `None` if waiting is necessary. For sending in batches.
    pub fn next_now(&mut self) -> Option<Delivery> {
        match self.now() {
            ReadyNow::Told(told) => Some(*told),
            ReadyNow::Fetch | ReadyNow::LookUp(_) | ReadyNow::Wait => None,
        }
    }

    fn place(&mut self) {
        let Some(head) = self.head.borrow_and_update().head else { return };
        self.is_placed = true;
        let begin = |row| LogCursor { log: head.log, row, place: RowPosition::default() };
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
                let since = since.to_string();
                let shown = oldest.to_string();
                self.stale = Some(StreamStale { since, oldest: shown, why });
                oldest
            }
        };
        (self.row, self.block) = (at.row, at.place.block);
        (self.after, self.last) = (Some(at.place), Some(at));
        self.is_live = at.row == head.next;
    }

    fn now(&mut self) -> ReadyNow {
        if self.has_ended {
            return ReadyNow::Wait;
        }
        if !self.is_placed || self.since.is_some() {
            self.place();
        }
        if let Some(stale) = self.stale.take() {
            return ReadyNow::Told(Box::new(Delivery::Stale(stale)));
        }
        if !self.is_placed {
            return ReadyNow::Wait;
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

    /// Returns the row in memory at the position, or the necessary action.
    fn loaded(&mut self) -> Result<Arc<Loaded>, ReadyNow> {
        let known = self.fetched.take().or_else(|| self.recent.upgrade());
        if let Some(known) = known.filter(|known| known.covers(self.row, self.block)) {
            return Ok(known);
        }
        match self.hub.kept(self.row) {
            RingEntry::Row(loaded) if loaded.has_logs || !self.subscription.wants_logs() => {
                self.is_live = true;
                Ok(loaded)
            }
            RingEntry::Older if self.is_live => Err(ReadyNow::Told(Box::new(self.lagged()))),
            RingEntry::Older | RingEntry::Row(_) => {
                self.hub.past(self.part()).ok_or(ReadyNow::Fetch)
            }
            RingEntry::Later => {
                self.is_live = true;
                Err(ReadyNow::Wait)
            }
        }
    }

    fn part(&self) -> PastReader {
        PastReader { row: self.row, block: self.block, with_logs: self.subscription.wants_logs() }
    }

    fn next_of(&mut self, loaded: &Loaded) -> Option<ReadyNow> {
        let begin = match self.after {
            None => 0,
            Some(after) => loaded.items.partition_point(|item| item.cursor.place <= after),
        };
        for item in loaded.items.iter().skip(begin) {
            if !self.subscription.passes(item.chain, &item.kind) {
                continue;
            }
            if let (EventKind::Of(Topic::Anchored), Some((chain, _))) =
                (&item.kind, self.subscription.transaction)
            {
                if item.chain == Some(chain) {
                    return Some(ReadyNow::LookUp(Box::new(item.clone())));
                }
                continue;
            }
            self.after = Some(item.cursor.place);
            self.last = Some(item.cursor);
            return Some(ReadyNow::Told(Box::new(Delivery::Event(item.clone()))));
        }
        None
    }

    fn lagged(&mut self) -> Delivery {
        self.has_ended = true;
        let cursor = self.last.map(|cursor| cursor.to_string()).unwrap_or_default();
        let why = "events came faster than they were read; come back with this cursor";
        Delivery::Lagged(StreamEnded { cursor, why })
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

    /// Checks whether the awaited transaction is in the anchored blocks.
    async fn look_up(&mut self, anchored: &PreparedEvent) -> Result<Option<Delivery>, StreamError> {
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

    /// Checks whether the awaited transaction is already anchored.
    async fn look_first(&mut self) -> Result<Option<Delivery>, StreamError> {
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
        let newest = latest.super_root.sequence.0;
        let first = tokio::task::spawn_blocking(move || first_with(&hub, chain, number, newest));
        let sequence = first.await.map_err(|_| StreamError::Ended)?;
        Ok(self.of_transaction((cursor, at), number, sequence))
    }

    /// The awaited transaction's block number.
    async fn find_transaction(&self) -> Result<Option<BlockNumber>, StreamError> {
        let Some((chain, hash)) = self.subscription.transaction else { return Ok(None) };
        let hub = self.hub.clone();
        let look = move || -> Result<Option<BlockNumber>, StreamError> {
            let all = BlockNumber(0)..BlockNumber(u64::MAX);
            let store = hub.prover().store();
            let falling = ScanOrder::Falling;
            let places = read::find_transaction_within(store, chain, &hash, all, falling)?;
            Ok(places.first().map(|place| place.number))
        };
        tokio::task::spawn_blocking(look).await.map_err(|_| StreamError::Ended)?
    }

    fn of_transaction(
        &self,
        at: (LogCursor, UnixSeconds),
        number: BlockNumber,
        sequence: u64,
    ) -> Option<Delivery> {
        let (chain, hash) = self.subscription.transaction?;
        let newest = anchor::newest(self.hub.prover());
        let data = BlocksAnchored {
            chain_id: chain.id,
            from_block: number,
            to_block: number,
            sequence,
            transaction_hash: Some(hash),
            // its bytes may stand in an earlier block as well
            proof_url: paths::transaction_proof_in(chain.id, &hash, number),
        };
        let kind = EventKind::Of(Topic::Anchored);
        Some(Delivery::Event(PreparedEvent::new(at, (Some(chain), kind), &data, newest.as_ref())))
    }
}

/// Binary search for the first SuperRoot with a block; `newest` must have the block.
fn first_with(hub: &Hub, chain: ChainKey, number: BlockNumber, newest: u64) -> u64 {
    let has = |sequence| {
        let published = hub.prover().published(SuperRootRef::Sequence(Sequence(sequence)));
        published.is_ok_and(|published| {
            let reference = published.reference(chain);
            reference.is_some_and(|(_, one)| one.start <= number && number <= one.number)
        })
    };
    let mut low = 0;
    let mut high = newest;
    while low < high {
        let middle = low + (high - low) / 2;
        if has(middle) { high = middle } else { low = middle + 1 }
    }
    high
}
