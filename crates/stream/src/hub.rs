//! The newest rows in memory, once for all listeners.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

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
/// Bytes after which a page ends.
const PAGE_BYTES_MAX: usize = 1 << 20;
/// Listeners that read the store at one time; further ones wait.
const READERS_MAX: usize = 8;

/// Where events are handed out. Clones are the same hub.
#[derive(Clone)]
pub struct Hub(Arc<Shared>);

pub(crate) struct Shared {
    pub(crate) prover: Prover,
    ring: RwLock<Ring>,
    head: watch::Sender<Seen>,
    listeners: AtomicUsize,
    log_listeners: AtomicUsize,
    readers: Arc<Semaphore>,
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
        let head = load_head(prover.store())?;
        Ok(Self(Arc::new(Shared {
            prover,
            ring: RwLock::default(),
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
        let page = shared.read_page(head.log, from, with_logs)?;
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

    /// Rows from that one on, out of the store, off the async threads.
    pub(crate) async fn fetch(
        &self,
        row: u64,
        with_logs: bool,
    ) -> Result<Vec<Arc<Loaded>>, StreamError> {
        let shared = Arc::clone(&self.0);
        let Some(head) = self.head() else { return Ok(Vec::new()) };
        let readers = Arc::clone(&shared.readers);
        let permit = readers.acquire_owned().await.map_err(|_| StreamError::Ended)?;
        let read = tokio::task::spawn_blocking(move || {
            let page = shared.read_page(head.log, row, with_logs);
            drop(permit);
            page
        });
        let page = read.await.map_err(|_| StreamError::Ended)??;
        Ok(page.into_iter().filter(|loaded| loaded.row < head.next).collect())
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

    fn read_page(
        &self,
        log: u64,
        from: u64,
        with_logs: bool,
    ) -> Result<Vec<Arc<Loaded>>, StreamError> {
        let loader = Loader { prover: &self.prover, log, with_logs };
        let mut page = Vec::new();
        let mut bytes = 0;
        for (number, row) in load_rows(self.prover.store(), from, PAGE_ROWS_MAX)? {
            let loaded = loader.load(number, &row)?;
            bytes += loaded.size;
            page.push(Arc::new(loaded));
            if bytes >= PAGE_BYTES_MAX {
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
