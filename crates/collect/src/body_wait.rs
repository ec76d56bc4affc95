//! Wait limits for bodies that no node supplies.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use superroot_types::{BlockNumber, Hash};
use tokio::time::Instant;

/// Most blocks with a remembered wait.
const BLOCKS_MAX: usize = 4_096;

/// Wait timer for withheld bodies: a glitch passes within the limit; a body that no node keeps never arrives. After the
/// full limit without any body, further blocks do not wait until a body arrives: otherwise each block on a chain
/// without bodies would wait again.
#[derive(Debug)]
pub(crate) struct BodyWait {
    limit: Duration,
    bare: Mutex<BareBlock>,
}

#[derive(Debug, Default)]
struct BareBlock {
    /// Start time without a body from any block.
    since: Option<Instant>,
    /// Wait start per block.
    blocks: BTreeMap<(BlockNumber, Hash), Instant>,
}

impl BodyWait {
    pub(crate) fn of(limit: Duration) -> Self {
        Self { limit, bare: Mutex::default() }
    }

    /// Records a received body. An empty body shows nothing: no node needs to keep it.
    pub(crate) fn came(&self, number: BlockNumber, hash: Hash, entries: usize) {
        let mut bare = self.bare.lock().unwrap_or_else(PoisonError::into_inner);
        bare.blocks.remove(&(number, hash));
        if entries > 0 {
            bare.since = None;
        }
    }

    /// Whether the limit has passed without any body.
    pub(crate) fn is_over(&self) -> bool {
        let bare = self.bare.lock().unwrap_or_else(PoisonError::into_inner);
        bare.since.is_some_and(|since| since.elapsed() >= self.limit)
    }

    pub(crate) const fn limit(&self) -> Duration {
        self.limit
    }

    /// Records a missing body and returns the remaining wait; `None` once over.
    pub(crate) fn left(&self, number: BlockNumber, hash: Hash) -> Option<Duration> {
        let now = Instant::now();
        let mut bare = self.bare.lock().unwrap_or_else(PoisonError::into_inner);
        let of_all = *bare.since.get_or_insert(now);
        let of_block = *bare.blocks.entry((number, hash)).or_insert(now);
        if bare.blocks.len() > BLOCKS_MAX {
            bare.blocks.pop_first();
        }
        let waited = now.duration_since(of_all.min(of_block));
        self.limit.checked_sub(waited).filter(|left| !left.is_zero())
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn left(body_wait: &BodyWait, number: u64) -> Option<u64> {
        body_wait.left(BlockNumber(number), Hash::ZERO).map(|left| left.as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn a_block_is_waited_for_as_long_as_others_come_and_then_taken_as_it_is() {
        let body_wait = BodyWait::of(MINUTE);
        assert_eq!(left(&body_wait, 7), Some(60));
        for passed in 1..6 {
            advance(MINUTE / 6).await;
            body_wait.came(BlockNumber(8), Hash::ZERO, 3);
            assert_eq!(left(&body_wait, 7), Some(60 - passed * 10));
        }
        advance(MINUTE / 6).await;
        assert_eq!(left(&body_wait, 7), None);
        body_wait.came(BlockNumber(8), Hash::ZERO, 3);
        assert_eq!(left(&body_wait, 9), Some(60), "others give theirs");
    }

    #[tokio::test(start_paused = true)]
    async fn where_no_node_keeps_bodies_only_the_first_block_waits() {
        let body_wait = BodyWait::of(MINUTE);
        assert!(!body_wait.is_over());
        assert_eq!(left(&body_wait, 1), Some(60));
        advance(MINUTE).await;
        assert_eq!(left(&body_wait, 1), None);
        assert!(body_wait.is_over());
        body_wait.came(BlockNumber(2), Hash::ZERO, 0);
        assert_eq!(left(&body_wait, 3), None, "an empty block needs no node");
        body_wait.came(BlockNumber(4), Hash::ZERO, 1);
        assert!(!body_wait.is_over());
        assert_eq!(left(&body_wait, 5), Some(60));
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_of_nothing_waits_for_nothing_and_memory_is_bounded() {
        let body_wait = BodyWait::of(Duration::ZERO);
        assert!((0..5_000).all(|number| left(&body_wait, number).is_none()));
        assert_eq!(body_wait.bare.lock().unwrap().blocks.len(), BLOCKS_MAX);
    }
}
