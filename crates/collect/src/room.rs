//! Step memory, within a bound shared by all chains.

use std::sync::{Mutex, PoisonError};

use superroot_source::Lease;
use superroot_types::BlockNumber;

/// Memory copies counted per arrived block: sizes vary, and a step is planned for the mean.
const FORMS_AT_LEAST: usize = 2;

/// Step room and its used part.
#[derive(Debug)]
pub(crate) struct StepRoom(Mutex<TakenRoom>);

#[derive(Debug)]
struct TakenRoom {
    lease: Lease,
    bytes: usize,
    first: Option<BlockNumber>,
}

impl StepRoom {
    pub(crate) fn of(lease: Lease) -> Self {
        Self(Mutex::new(TakenRoom { lease, bytes: 0, first: None }))
    }

    /// Reserves room for a received block; returns false without room. A lone block always has room.
    pub(crate) fn take(&self, number: BlockNumber, block_bytes: usize) -> bool {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_alone = *taken.first.get_or_insert(number) == number;
        let bytes = taken.bytes.saturating_add(block_bytes.saturating_mul(FORMS_AT_LEAST));
        let has_room = bytes <= taken.lease.bytes() || taken.lease.try_grow_to(bytes);
        taken.bytes = bytes;
        has_room || is_alone
    }

    /// Clears the room for another fetch.
    pub(crate) fn clear(&self) {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (taken.bytes, taken.first) = (0, None);
    }
}

#[cfg(test)]
mod tests {
    use superroot_source::{Budget, Purpose};

    use super::*;

    const KIB: usize = 1 << 10;

    #[tokio::test]
    async fn a_room_holds_what_it_was_made_for_and_one_block_always() {
        let budget = Budget::of(1024 * KIB);
        let room = StepRoom::of(budget.lease(Purpose::Head, 32 * KIB).await);
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
        let room = StepRoom::of(budget.lease(Purpose::Head, 32 * KIB).await);
        assert!(room.take(BlockNumber(1), 4 * KIB) && room.take(BlockNumber(2), 40 * KIB));
        assert_eq!(budget.bytes_in_use(), 88 * KIB);
        drop(room);
        assert_eq!(budget.bytes_in_use(), 0);
    }
}
