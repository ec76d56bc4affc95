//! Pending block calls, to explain a stalled chain.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use superroot_types::BlockNumber;
use tokio::time::Instant;

use crate::{BlockParts, OverdueBlock};

/// Time before a pending block is reported: most blocks arrive sooner.
const TOLD_AFTER: Duration = Duration::from_secs(2);

#[derive(Debug)]
struct BlockCall {
    id: u64,
    node: Arc<str>,
    number: BlockNumber,
    parts: BlockParts,
    since: Instant,
}

#[derive(Debug, Default)]
pub(super) struct BlockCalls {
    next_id: AtomicU64,
    asks: Mutex<Vec<BlockCall>>,
}

#[derive(Debug)]
pub(super) struct PendingCall<'a> {
    waits: &'a BlockCalls,
    id: u64,
}

impl BlockCalls {
    pub(super) fn begin(
        &self,
        node: &Arc<str>,
        number: BlockNumber,
        parts: BlockParts,
    ) -> PendingCall<'_> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let node = Arc::clone(node);
        let since = Instant::now();
        self.lock().push(BlockCall { id, node, number, parts, since });
        PendingCall { waits: self, id }
    }

    /// Longest pending block and nodes, if overdue.
    pub(super) fn longest(&self, now: Instant) -> Option<OverdueBlock> {
        let asks = self.lock();
        let first = asks.iter().min_by_key(|ask| ask.since)?;
        let seconds = now.duration_since(first.since);
        if seconds < TOLD_AFTER {
            return None;
        }
        let of_it = asks.iter().filter(|ask| ask.number == first.number);
        let mut nodes: Vec<String> = of_it.map(|ask| ask.node.to_string()).collect();
        nodes.dedup();
        let number = first.number;
        let is_whole = first.parts == BlockParts::Whole;
        Some(OverdueBlock { number, is_whole, nodes, seconds: seconds.as_secs() })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<BlockCall>> {
        self.asks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for PendingCall<'_> {
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
        let waits = BlockCalls::default();
        let [a, b] = ["a", "b"].map(Arc::<str>::from);
        assert_eq!(waits.longest(Instant::now()), None);
        let first = waits.begin(&a, BlockNumber(7), BlockParts::Whole);
        advance(Duration::from_millis(1_999)).await;
        let second = waits.begin(&b, BlockNumber(7), BlockParts::Whole);
        let _other = waits.begin(&a, BlockNumber(6), BlockParts::Header);
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
