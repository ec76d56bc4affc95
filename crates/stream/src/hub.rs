//! The newest rows in memory, once for all listeners.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};
use superroot_accumulate::prove::Prover;
use tokio::sync::{Semaphore, watch};

use crate::StreamError;
use crate::cursor::{Cursor, Place};
use crate::load::{Loaded, Loader};
use crate::row::{Head, load_head, load_rows};

/// Rows kept in memory, and their bytes: whoever reads slower than that is closed.
const RING_ROWS_MAX: usize = 4_096;
const RING_BYTES_MAX: usize = 64 << 20;
/// Rows read from the store at one time.
const PAGE_ROWS_MAX: usize = 64;
/// Bytes after which a page of the newest rows ends, with the row in which they end.
const NEWEST_BYTES_MAX: usize = 1 << 20;
/// Bytes after which a page of older rows ends, with the block in which they end.
const PAGE_BYTES_MAX: usize = 64 << 10;
/// Listeners that read the store at one time; further ones wait.
const READERS_MAX: usize = 8;
/// Bytes of older rows that are kept for all listeners who read the past. A listener holds none of its own: one that does
/// not read costs nothing.
const PAST_BYTES_MAX: u64 = 32 << 20;
/// Bytes of a usual row of these.
const USUAL_ROW_BYTES: u64 = 8 << 10;

/// Where events are handed out. Clones are the same hub.
#[derive(Clone)]
pub struct Hub(Arc<Shared>);

pub(crate) struct Shared {
    pub(crate) prover: Prover,
    ring: RwLock<Ring>,
    past: Cache<Part, Arc<Loaded>, Weight>,
    page_bytes_max: usize,
    head: watch::Sender<Seen>,
    listeners: AtomicUsize,
    log_listeners: AtomicUsize,
    readers: Arc<Semaphore>,
}

/// Where a listener reads on in the past.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Part {
    pub(crate) row: u64,
    /// The place of the block in the row ([`Place::block`]).
    pub(crate) block: u32,
    /// Whether events of blocks are wanted.
    pub(crate) with_logs: bool,
}

#[derive(Clone)]
struct Weight;

impl Weighter<Part, Arc<Loaded>> for Weight {
    fn weight(&self, _: &Part, loaded: &Arc<Loaded>) -> u64 {
        loaded.size as u64
    }
}

/// Room for older rows, of one shard: what is large may take any part of it.
fn past(bytes_max: u64) -> Cache<Part, Arc<Loaded>, Weight> {
    let usual = usize::try_from(bytes_max / USUAL_ROW_BYTES).unwrap_or(usize::MAX);
    let mut options = OptionsBuilder::new();
    options.shards(1).weight_capacity(bytes_max).estimated_items_capacity(usual);
    let options = options.build().expect("all that it asks for is set");
    let (hasher, lifecycle) = (DefaultHashBuilder::default(), DefaultLifecycle::default());
    Cache::with_options(options, Weight, hasher, lifecycle)
}

/// What listeners look at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    /// Rows that are handed out; `None` before the log has begun.
    pub(crate) head: Option<Head>,
    /// Whether nothing comes any more.
    pub(crate) is_closed: bool,
}

#[derive(Default)]
struct Ring {
    rows: VecDeque<Arc<Loaded>>,
    bytes: usize,
}

/// What the ring says of a row.
pub(crate) enum Kept {
    /// Here it is.
    Row(Arc<Loaded>),
    /// It is older than the ring.
    Older,
    /// It comes later.
    Later,
}

impl Hub {
    /// A hub over the log in the prover's store. It hands out what was written once [`Hub::take`] has
    /// taken it.
    ///
    /// # Errors
    /// The store's.
    pub fn open(prover: Prover) -> Result<Self, StreamError> {
        Self::with_past(prover, PAST_BYTES_MAX)
    }

    /// The same with another bound for the bytes of older rows in memory.
    ///
    /// # Errors
    /// The store's.
    pub fn with_past(prover: Prover, bytes_max: u64) -> Result<Self, StreamError> {
        let head = load_head(prover.store())?;
        Ok(Self(Arc::new(Shared {
            prover,
            ring: RwLock::default(),
            past: past(bytes_max),
            page_bytes_max: usize::try_from(bytes_max / 8)
                .map_or(PAGE_BYTES_MAX, |part| part.min(PAGE_BYTES_MAX)),
            head: watch::channel(Seen { head, is_closed: false }).0,
            listeners: AtomicUsize::new(0),
            log_listeners: AtomicUsize::new(0),
            readers: Arc::new(Semaphore::new(READERS_MAX)),
        })))
    }

    /// Takes rows that were written since; says how many. Blocks; one thread does it.
    ///
    /// # Errors
    /// The store's, and those of reading what a row leads to: the next call takes the same again.
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
        let begin = Part { row: from, block: 0, with_logs };
        let page = shared.read_page(head.log, begin, (NEWEST_BYTES_MAX, usize::MAX))?;
        let Some(last) = page.last().map(|row| row.row) else {
            shared.show(head);
            return Ok(0);
        };
        let count = page.len();
        let mut ring = shared.write();
        page.into_iter().for_each(|row| ring.push(row));
        drop(ring);
        shared.show(Head { next: last + 1, ..head });
        Ok(count)
    }

    /// Ends all listeners once they were told what is there: the service stops.
    pub fn close(&self) {
        self.0.head.send_modify(|seen| seen.is_closed = true);
    }

    /// Whether every listener is let go.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.0.head.borrow().is_closed
    }

    /// Waits until something has happened since it was called first; for whoever looks again then.
    pub fn moves(&self) -> Moves {
        let mut seen = self.0.head.subscribe();
        seen.mark_unchanged();
        Moves(seen)
    }

    /// The place before the oldest event that is kept; `None` before the log has begun.
    #[must_use]
    pub fn oldest(&self) -> Option<Cursor> {
        self.head().map(|head| Cursor { log: head.log, row: head.oldest, place: Place::default() })
    }

    /// The place after the newest event; `None` before the log has begun.
    #[must_use]
    pub fn newest(&self) -> Option<Cursor> {
        self.head().map(|head| Cursor { log: head.log, row: head.next, place: Place::default() })
    }

    /// Who listens now.
    #[must_use]
    pub fn listener_count(&self) -> usize {
        self.0.listeners.load(Ordering::SeqCst)
    }

    /// Bytes of older rows in memory.
    #[must_use]
    pub fn past_bytes(&self) -> u64 {
        self.0.past.weight()
    }

    pub(crate) fn head(&self) -> Option<Head> {
        self.0.head.borrow().head
    }

    pub(crate) fn follow(&self) -> watch::Receiver<Seen> {
        self.0.head.subscribe()
    }

    /// Holds rows back while a listener finds its place.
    pub(crate) fn hold(&self) -> impl Drop + '_ {
        self.0.read()
    }

    pub(crate) fn prover(&self) -> &Prover {
        &self.0.prover
    }

    /// Counts a listener until the guard is dropped.
    pub(crate) fn count(&self, wants_logs: bool) -> Counted {
        self.0.listeners.fetch_add(1, Ordering::SeqCst);
        if wants_logs {
            self.0.log_listeners.fetch_add(1, Ordering::SeqCst);
        }
        Counted { shared: Arc::clone(&self.0), wants_logs }
    }

    /// A row out of memory.
    pub(crate) fn kept(&self, row: u64) -> Kept {
        let ring = self.0.read();
        let Some(first) = ring.rows.front().map(|loaded| loaded.row) else {
            let next = self.head().map_or(0, |head| head.next);
            return if row < next { Kept::Older } else { Kept::Later };
        };
        match row.checked_sub(first) {
            None => Kept::Older,
            Some(place) => {
                let place = usize::try_from(place).unwrap_or(usize::MAX);
                ring.rows.get(place).map_or(Kept::Later, |loaded| Kept::Row(Arc::clone(loaded)))
            }
        }
    }

    /// A row that is older than the ring, or its part, where it was read of late.
    pub(crate) fn past(&self, part: Part) -> Option<Arc<Loaded>> {
        self.0.past.get(&part)
    }

    /// The same, out of the store where need be, off the async threads; of pruned rows the next one. What follows is read
    /// with it, for [`Hub::past`].
    pub(crate) async fn fetch(&self, part: Part) -> Result<Option<Arc<Loaded>>, StreamError> {
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
                shared.past.insert(Part { row, block, ..part }, loaded);
            }
            Ok(first)
        });
        read.await.map_err(|_| StreamError::Ended)?
    }
}

/// Tells when something has happened.
pub struct Moves(watch::Receiver<Seen>);

impl Moves {
    /// Waits until rows were handed out since the last call. May be dropped.
    pub async fn next(&mut self) {
        if self.0.changed().await.is_err() {
            std::future::pending().await
        }
    }
}

impl Shared {
    fn show(&self, head: Head) {
        self.head.send_modify(|seen| seen.head = Some(head));
    }

    fn read(&self) -> RwLockReadGuard<'_, Ring> {
        self.ring.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Ring> {
        self.ring.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// What follows from that place on, up to so many bytes of all, and of one row: the block in which they end is whole.
    fn read_page(
        &self,
        log: u64,
        begin: Part,
        (page_bytes_max, row_bytes_max): (usize, usize),
    ) -> Result<Vec<Arc<Loaded>>, StreamError> {
        let mut page = Vec::new();
        let mut bytes = 0_usize;
        for (number, row) in load_rows(self.prover.store(), begin.row, PAGE_ROWS_MAX)? {
            let block = if number == begin.row { begin.block } else { 0 };
            let bytes_max = row_bytes_max.saturating_sub(bytes);
            let Part { with_logs, .. } = begin;
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

/// A listener, counted until it goes.
pub(crate) struct Counted {
    shared: Arc<Shared>,
    wants_logs: bool,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.shared.listeners.fetch_sub(1, Ordering::SeqCst);
        if self.wants_logs {
            self.shared.log_listeners.fetch_sub(1, Ordering::SeqCst);
        }
    }
}
