//! Newest rows in memory, once for all listeners.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};
use superroot_accumulate::prove::Prover;
use tokio::sync::{Semaphore, watch};

use crate::StreamError;
use crate::cursor::{LogCursor, RowPosition};
use crate::load::{Loaded, Loader};
use crate::row::{LogBounds, load_head, load_rows};

/// Rows and bytes kept in memory: a listener behind the oldest of these rows is closed.
const RING_ROWS_MAX: usize = 4_096;
const RING_BYTES_MAX: usize = 64 << 20;
/// Rows per read from the store.
const PAGE_ROWS_MAX: usize = 64;
/// Byte limit for a page of newest rows; the row at the limit is complete.
const NEWEST_BYTES_MAX: usize = 1 << 20;
/// Byte limit for a page of older rows; the block at the limit is complete.
const PAGE_BYTES_MAX: usize = 64 << 10;
/// Listeners reading the store at one time; further listeners wait.
const READERS_MAX: usize = 8;
/// Bytes of older rows cached for all listeners. Listeners cache nothing, so an idle listener costs no memory.
const PAST_BYTES_MAX: u64 = 32 << 20;
/// An older row's typical bytes.
const USUAL_ROW_BYTES: u64 = 8 << 10;

/// Event hub. Clones share one hub.
#[derive(Clone)]
pub struct Hub(Arc<HubState>);

pub(crate) struct HubState {
    pub(crate) prover: Prover,
    ring: RwLock<Ring>,
    past: Cache<PastReader, Arc<Loaded>, RingWeight>,
    page_bytes_max: usize,
    head: watch::Sender<ListenerView>,
    listeners: AtomicUsize,
    log_listeners: AtomicUsize,
    readers: Arc<Semaphore>,
}

/// Read position of a listener in older rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PastReader {
    pub(crate) row: u64,
    /// Block position in the row ([`RowPosition::block`]).
    pub(crate) block: u32,
    /// Whether block events are included.
    pub(crate) with_logs: bool,
}

#[derive(Clone)]
struct RingWeight;

impl Weighter<PastReader, Arc<Loaded>> for RingWeight {
    fn weight(&self, _: &PastReader, loaded: &Arc<Loaded>) -> u64 {
        loaded.size as u64
    }
}

/// Creates the cache of older rows, with one shard: a large row may use any part of the cache.
fn past(bytes_max: u64) -> Cache<PastReader, Arc<Loaded>, RingWeight> {
    let usual = usize::try_from(bytes_max / USUAL_ROW_BYTES).unwrap_or(usize::MAX);
    let mut options = OptionsBuilder::new();
    options.shards(1).weight_capacity(bytes_max).estimated_items_capacity(usual);
    let options = options.build().expect("all that it asks for is set");
    let hasher = DefaultHashBuilder::default();
    let lifecycle = DefaultLifecycle::default();
    Cache::with_options(options, RingWeight, hasher, lifecycle)
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ListenerView {
    /// Published rows; `None` before the log has begun.
    pub(crate) head: Option<LogBounds>,
    pub(crate) is_closed: bool,
}

#[derive(Default)]
struct Ring {
    rows: VecDeque<Arc<Loaded>>,
    bytes: usize,
}

pub(crate) enum RingEntry {
    Row(Arc<Loaded>),
    Older,
    /// Row not yet in the ring.
    Later,
}

impl Hub {
    /// Opens a hub over the log in the prover's store. New rows are delivered after [`Hub::take`].
    pub fn open(prover: Prover) -> Result<Self, StreamError> {
        Self::with_past(prover, PAST_BYTES_MAX)
    }

    /// Opens a hub with another byte limit for older rows in memory.
    pub fn with_past(prover: Prover, bytes_max: u64) -> Result<Self, StreamError> {
        let head = load_head(prover.store())?;
        Ok(Self(Arc::new(HubState {
            prover,
            ring: RwLock::default(),
            past: past(bytes_max),
            page_bytes_max: usize::try_from(bytes_max / 8)
                .map_or(PAGE_BYTES_MAX, |part| part.min(PAGE_BYTES_MAX)),
            head: watch::channel(ListenerView { head, is_closed: false }).0,
            listeners: AtomicUsize::new(0),
            log_listeners: AtomicUsize::new(0),
            readers: Arc::new(Semaphore::new(READERS_MAX)),
        })))
    }

    /// Takes newly written rows and returns the row count. Blocking; call from one thread only.
    ///
    /// # Errors
    /// Store or read error: the next call takes the same rows again.
    pub fn take(&self) -> Result<usize, StreamError> {
        let shared = &self.0;
        let Some(head) = load_head(shared.prover.store())? else { return Ok(0) };
        let taken = self.head().filter(|taken| taken.log == head.log);
        let from = taken.map_or(head.oldest, |taken| taken.next).max(head.oldest);
        if taken.is_some_and(|taken| taken == head) {
            return Ok(0);
        }
        {
            // whoever comes now comes before or after, and is not passed over
            let mut ring = shared.write();
            if shared.listeners.load(Ordering::SeqCst) == 0 {
                *ring = Ring::default();
                shared.show(head);
                return Ok(usize::try_from(head.next.saturating_sub(from)).unwrap_or(usize::MAX));
            }
        }
        let with_logs = shared.log_listeners.load(Ordering::SeqCst) > 0;
        let begin = PastReader { row: from, block: 0, with_logs };
        let page = shared.read_page(head.log, begin, (NEWEST_BYTES_MAX, usize::MAX))?;
        let Some(last) = page.last().map(|row| row.row) else {
            shared.show(head);
            return Ok(0);
        };
        let count = page.len();
        let mut ring = shared.write();
        page.into_iter().for_each(|row| ring.push(row));
        drop(ring);
        shared.show(LogBounds { next: last + 1, ..head });
        Ok(count)
    }

    /// Ends all listeners after delivery of the available rows: the service stops.
    pub fn close(&self) {
        self.0.head.send_modify(|seen| seen.is_closed = true);
    }

    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.0.head.borrow().is_closed
    }

    /// Returns a signal for new rows since this call.
    pub fn moves(&self) -> MoveSignal {
        let mut seen = self.0.head.subscribe();
        seen.mark_unchanged();
        MoveSignal(seen)
    }

    /// Cursor before the oldest stored event; `None` before the log has begun.
    #[must_use]
    pub fn oldest(&self) -> Option<LogCursor> {
        self.head().map(|head| LogCursor {
            log: head.log,
            row: head.oldest,
            place: RowPosition::default(),
        })
    }

    /// Cursor after the newest event; `None` before the log has begun.
    #[must_use]
    pub fn newest(&self) -> Option<LogCursor> {
        self.head().map(|head| LogCursor {
            log: head.log,
            row: head.next,
            place: RowPosition::default(),
        })
    }

    #[must_use]
    pub fn listener_count(&self) -> usize {
        self.0.listeners.load(Ordering::SeqCst)
    }

    /// Bytes of older rows in memory.
    #[must_use]
    pub fn past_bytes(&self) -> u64 {
        self.0.past.weight()
    }

    pub(crate) fn head(&self) -> Option<LogBounds> {
        self.0.head.borrow().head
    }

    pub(crate) fn follow(&self) -> watch::Receiver<ListenerView> {
        self.0.head.subscribe()
    }

    /// Blocks new rows while a listener finds a position.
    pub(crate) fn hold(&self) -> impl Drop + '_ {
        self.0.read()
    }

    pub(crate) fn prover(&self) -> &Prover {
        &self.0.prover
    }

    pub(crate) fn count(&self, wants_logs: bool) -> CountedListener {
        self.0.listeners.fetch_add(1, Ordering::SeqCst);
        if wants_logs {
            self.0.log_listeners.fetch_add(1, Ordering::SeqCst);
        }
        CountedListener { shared: Arc::clone(&self.0), wants_logs }
    }

    /// Looks up a row in the ring.
    pub(crate) fn kept(&self, row: u64) -> RingEntry {
        let ring = self.0.read();
        let Some(first) = ring.rows.front().map(|loaded| loaded.row) else {
            let next = self.head().map_or(0, |head| head.next);
            return if row < next { RingEntry::Older } else { RingEntry::Later };
        };
        match row.checked_sub(first) {
            None => RingEntry::Older,
            Some(place) => {
                let place = usize::try_from(place).unwrap_or(usize::MAX);
                ring.rows
                    .get(place)
                    .map_or(RingEntry::Later, |loaded| RingEntry::Row(Arc::clone(loaded)))
            }
        }
    }

    /// Returns a recently read older row, or part of a row, from the cache.
    pub(crate) fn past(&self, part: PastReader) -> Option<Arc<Loaded>> {
        self.0.past.get(&part)
    }

    /// Returns an older row from the cache or the store, off the async threads; for a pruned row, the next row.
    /// Following rows are read ahead for [`Hub::past`].
    pub(crate) async fn fetch(&self, part: PastReader) -> Result<Option<Arc<Loaded>>, StreamError> {
        let shared = Arc::clone(&self.0);
        let Some(head) = self.head() else { return Ok(None) };
        let readers = Arc::clone(&shared.readers);
        let permit = readers.acquire_owned().await.map_err(|_| StreamError::Ended)?;
        let read = tokio::task::spawn_blocking(move || -> Result<_, StreamError> {
            let _read_by_so_many = permit;
            if let Some(loaded) = shared.past.get(&part) {
                return Ok(Some(loaded)); // another one waited for the same
            }
            let bytes_max = shared.page_bytes_max;
            let page = shared.read_page(head.log, part, (bytes_max, bytes_max))?;
            let mut page = page.into_iter().filter(|loaded| loaded.row < head.next);
            let first = page.next();
            for loaded in first.iter().cloned().chain(page) {
                let Loaded { row, begin: block, .. } = *loaded;
                shared.past.insert(PastReader { row, block, ..part }, loaded);
            }
            Ok(first)
        });
        read.await.map_err(|_| StreamError::Ended)?
    }
}

pub struct MoveSignal(watch::Receiver<ListenerView>);

impl MoveSignal {
    /// Waits for new rows since the last call. Cancel-safe.
    pub async fn next(&mut self) {
        if self.0.changed().await.is_err() {
            std::future::pending().await
        }
    }
}

impl HubState {
    fn show(&self, head: LogBounds) {
        self.head.send_modify(|seen| seen.head = Some(head));
    }

    fn read(&self) -> RwLockReadGuard<'_, Ring> {
        self.ring.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Ring> {
        self.ring.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads from a position on, up to a byte limit for the page and for one row: the block at the limit is complete.
    fn read_page(
        &self,
        log: u64,
        begin: PastReader,
        (page_bytes_max, row_bytes_max): (usize, usize),
    ) -> Result<Vec<Arc<Loaded>>, StreamError> {
        let mut page = Vec::new();
        let mut bytes = 0_usize;
        for (number, row) in load_rows(self.prover.store(), begin.row, PAGE_ROWS_MAX)? {
            let block = if number == begin.row { begin.block } else { 0 };
            let bytes_max = row_bytes_max.saturating_sub(bytes);
            let PastReader { with_logs, .. } = begin;
            let loader = Loader { prover: &self.prover, log, with_logs, bytes_max };
            let loaded = loader.load(number, &row, block)?;
            bytes += loaded.size;
            let is_cut = loaded.rest.is_some();
            page.push(Arc::new(loaded));
            if is_cut || bytes >= page_bytes_max {
                break;
            }
        }
        Ok(page)
    }
}

impl Ring {
    fn push(&mut self, row: Arc<Loaded>) {
        // rows stand side by side: after a hole the ring begins anew
        if self.rows.back().is_some_and(|last| last.row + 1 != row.row) {
            *self = Self::default();
        }
        self.bytes += row.size;
        self.rows.push_back(row);
        while self.rows.len() > RING_ROWS_MAX
            || (self.bytes > RING_BYTES_MAX && self.rows.len() > 1)
        {
            if let Some(row) = self.rows.pop_front() {
                self.bytes -= row.size;
            }
        }
    }
}

pub(crate) struct CountedListener {
    shared: Arc<HubState>,
    wants_logs: bool,
}

impl Drop for CountedListener {
    fn drop(&mut self) {
        self.shared.listeners.fetch_sub(1, Ordering::SeqCst);
        if self.wants_logs {
            self.shared.log_listeners.fetch_sub(1, Ordering::SeqCst);
        }
    }
}
