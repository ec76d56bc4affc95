//! Blocks that were asked for and have not come: what a chain that stands still waits for.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use superroot_types::BlockNumber;
use tokio::time::Instant;

use crate::{Parts, Waiting};

/// A block that is waited for is told of after that time: most come sooner.
const TOLD_AFTER: Duration = Duration::from_secs(2);

/// One call for a block, of one node.
#[derive(Debug)]
struct Ask {
    id: u64,
    node: Arc<str>,
    number: BlockNumber,
    parts: Parts,
    since: Instant,
}

/// The calls for blocks that go on.
#[derive(Debug, Default)]
pub(super) struct Waits {
    next_id: AtomicU64,
    asks: Mutex<Vec<Ask>>,
}

/// A call that ends with whoever made it.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    waits: &'a Waits,
    id: u64,
}

impl Waits {
    /// A node is asked for a block from now on.
    pub(super) fn begin(&self, node: &Arc<str>, number: BlockNumber, parts: Parts) -> Asked<'_> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (node, since) = (Arc::clone(node), Instant::now());
        self.lock().push(Ask { id, node, number, parts, since });
        Asked { waits: self, id }
    }

    /// The block that is waited for longest, and of whom, where that is long.
    pub(super) fn longest(&self, now: Instant) -> Option<Waiting> {
        let asks = self.lock();
        let first = asks.iter().min_by_key(|ask| ask.since)?;
        let seconds = now.duration_since(first.since);
        if seconds < TOLD_AFTER {
            return None;
        }
        let of_it = asks.iter().filter(|ask| ask.number == first.number);
        let mut nodes: Vec<String> = of_it.map(|ask| ask.node.to_string()).collect();
        nodes.dedup();
        let (number, is_whole) = (first.number, first.parts == Parts::Whole);
        Some(Waiting { number, is_whole, nodes, seconds: seconds.as_secs() })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Ask>> {
        self.asks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        self.waits.lock().retain(|ask| ask.id != self.id);
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_is_waited_for_longest_is_told_after_a_while_and_as_long_as_it_lasts() {
        let waits = Waits::default();
        let [a, b] = ["a", "b"].map(Arc::<str>::from);
        assert_eq!(waits.longest(Instant::now()), None);
        let first = waits.begin(&a, BlockNumber(7), Parts::Whole);
        advance(Duration::from_millis(1_999)).await;
        let second = waits.begin(&b, BlockNumber(7), Parts::Whole);
        let _other = waits.begin(&a, BlockNumber(6), Parts::Header);
        assert_eq!(waits.longest(Instant::now()), None);
        advance(Duration::from_millis(1_001)).await;
        let told = waits.longest(Instant::now()).unwrap();
        assert_eq!((told.number, told.is_whole, told.seconds), (BlockNumber(7), true, 3));
        assert_eq!(told.nodes, ["a", "b"]);
        drop((first, second));
        assert_eq!(waits.longest(Instant::now()), None, "that of 6 is young");
        advance(Duration::from_secs(2)).await;
        assert_eq!(waits.longest(Instant::now()).unwrap().number, BlockNumber(6));
    }
}
