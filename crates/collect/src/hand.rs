//! Room for the blocks of one step, within the bound that all chains share.

use std::sync::{Arc, Mutex, PoisonError};

use superroot_source::{Lease, Purpose};
use superroot_types::BlockNumber;

use crate::CollectError;
use crate::collector::Collector;

/// What a block takes while it is in hand, next to its recomputed form: what was read of its answers
/// is held until it is recomputed, and what is written of it until it is committed.
const FORMS: usize = 3;
/// Of these, what is counted of a block that has come: sizes vary, and a step is made for the mean.
const FORMS_AT_LEAST: usize = 2;
/// A step takes room for so much at least, in bytes.
const STEP_BYTES_MIN: usize = 64 << 10;
/// A chain that lacks so few final blocks is at its head.
const AT_HEAD_BLOCKS: usize = 8;

/// The room of a step, and how much of it is taken.
#[derive(Debug)]
pub(crate) struct Room(Mutex<Taken>);

#[derive(Debug)]
struct Taken {
    lease: Lease,
    bytes: usize,
    /// The block that came first.
    first: Option<BlockNumber>,
}

impl Room {
    fn of(lease: Lease) -> Self {
        Self(Mutex::new(Taken { lease, bytes: 0, first: None }))
    }

    /// Takes room for what came of a block; says whether there was any. A block that is alone has it.
    pub(crate) fn take(&self, number: BlockNumber, block_bytes: usize) -> bool {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_alone = *taken.first.get_or_insert(number) == number;
        let bytes = taken.bytes.saturating_add(block_bytes.saturating_mul(FORMS_AT_LEAST));
        let has_room = bytes <= taken.lease.bytes() || taken.lease.try_grow_to(bytes);
        taken.bytes = bytes;
        has_room || is_alone
    }

    /// All blocks are fetched again.
    pub(crate) fn clear(&self) {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (taken.bytes, taken.first) = (0, None);
    }
}

impl Collector {
    /// Waits until a step of at most so many blocks has room; says how many blocks that is.
    pub(crate) async fn make_room(&mut self, purpose: Purpose, blocks_max: usize) -> usize {
        // who waits for room holds none
        self.room = None;
        let most = self.budget.lease_bytes_max(purpose);
        let each = self.mean_bytes.saturating_mul(FORMS).max(1);
        let count = blocks_max.min(self.batch_max()).min(most / each).max(1);
        let bytes = each.saturating_mul(count).max(STEP_BYTES_MIN);
        let lease = self.budget.lease(purpose, bytes).await;
        self.room = Some(Arc::new(Room::of(lease)));
        count
    }

    /// What a step's outcome says of room: gives it back, and says whether the step is to be made
    /// again for fewer blocks. A step of one block always has room.
    pub(crate) fn leave_room<T>(&mut self, outcome: &Result<T, CollectError>) -> bool {
        self.room = None;
        let is_too_large = matches!(outcome, Err(CollectError::StepTooLarge { .. }));
        if is_too_large {
            self.mean_bytes = self.mean_bytes.saturating_mul(4);
        }
        is_too_large
    }

    /// Blocks that were fetched are dropped, and fetched again.
    pub(crate) fn clear_room(&self) {
        if let Some(room) = &self.room {
            room.clear();
        }
    }

    /// For whom a step takes room that goes from `next` to the final block `last`.
    pub(crate) const fn purpose(next: BlockNumber, last: BlockNumber) -> Purpose {
        if last.0.saturating_sub(next.0) < AT_HEAD_BLOCKS as u64 {
            Purpose::Head
        } else {
            Purpose::Behind
        }
    }
}

#[cfg(test)]
mod tests {
    use superroot_source::Budget;

    use super::*;

    const KIB: usize = 1 << 10;

    #[tokio::test]
    async fn a_room_holds_what_it_was_made_for_and_one_block_always() {
        let budget = Budget::of(1024 * KIB);
        let room = Room::of(budget.lease(Purpose::Head, 32 * KIB).await);
        let _rest = [
            budget.lease(Purpose::Head, 32 * KIB).await,
            budget.lease(Purpose::Head, 32 * KIB).await,
            budget.lease(Purpose::Head, 32 * KIB).await,
        ];
        let take = |number, bytes| room.take(BlockNumber(number), bytes);
        assert!((0..4).all(|number| take(number, 4 * KIB)));
        assert!(!take(4, 1));
        room.clear();
        assert!(take(5, 100) && take(5, usize::MAX), "one block is always taken");
        assert!(!take(6, 0), "and no other beside it");
    }

    #[tokio::test]
    async fn a_room_grows_by_what_nobody_has() {
        let budget = Budget::of(1024 * KIB);
        let room = Room::of(budget.lease(Purpose::Head, 32 * KIB).await);
        assert!(room.take(BlockNumber(1), 4 * KIB) && room.take(BlockNumber(2), 40 * KIB));
        assert_eq!(budget.bytes_in_use(), 88 * KIB);
        drop(room);
        assert_eq!(budget.bytes_in_use(), 0);
    }

    #[test]
    fn a_chain_that_lacks_few_blocks_is_at_its_head() {
        let purpose = |next, last| Collector::purpose(BlockNumber(next), BlockNumber(last));
        assert_eq!(purpose(10, 17), Purpose::Head);
        assert_eq!(purpose(10, 18), Purpose::Behind);
        assert_eq!(purpose(18, 10), Purpose::Head);
    }
}
