//! Memory budget for received, not yet stored bytes, shared by all chains.
//!
//! ```text
//!   for answers          for large answers   for heads        for chains that are behind
//!   1/4, a little each   1/4, one at a time  1/8, by step     3/8, by step
//!   └── from sending until it is read ──┘    └── from fetching until it is committed ──┘
//! ```
//! A [*lease*](Lease) is taken before the bytes arrive and returned when the bytes are dropped. Invariants: the sum of
//! all leases never exceeds the budget, and no task waits for ever. A task with a step lease may wait for an answer
//! lease; a task with an answer lease waits for no other lease; no task waits for two leases of the same kind. Leases
//! of each kind are granted in request order, so no chain starves; heads have a separate share, so chains behind the
//! head never delay heads.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Default budget, in bytes.
pub const IN_HAND_BYTES: usize = 256 << 20;
/// Lease granularity, in bytes.
const UNIT: usize = 1 << 10;
/// Share (1/n) of the answer bytes for a single ordinary answer.
const ORDINARY_PART: usize = 8;
/// Share (1/n) of the step bytes for a single step.
const STEP_PART: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    Answer,
    /// Blocks at the head of a chain.
    Head,
    /// Blocks of a chain behind the head, or filled backwards.
    Behind,
}

/// Memory budget; clones share the same budget.
#[derive(Clone, Debug)]
pub struct Budget {
    answers: ByteBudget,
    large: ByteBudget,
    head: ByteBudget,
    behind: ByteBudget,
}

/// Permission to use a number of bytes, until dropped.
#[derive(Debug)]
pub struct Lease {
    permit: OwnedSemaphorePermit,
    from: Arc<Semaphore>,
}

#[derive(Clone, Debug)]
struct ByteBudget {
    free: Arc<Semaphore>,
    units: u32,
}

impl ByteBudget {
    fn of(bytes: usize) -> Self {
        let units = u32::try_from(bytes / UNIT).unwrap_or(u32::MAX).max(1);
        Self { free: Arc::new(Semaphore::new(units as usize)), units }
    }

    const fn bytes(&self) -> usize {
        self.units as usize * UNIT
    }

    fn bytes_in_use(&self) -> usize {
        (self.units as usize).saturating_sub(self.free.available_permits()) * UNIT
    }

    async fn lease(&self, bytes: usize) -> Lease {
        let units = units(bytes).clamp(1, self.units);
        let permit = Arc::clone(&self.free).acquire_many_owned(units).await;
        Lease { permit: permit.expect("the semaphore is never closed"), from: self.free.clone() }
    }
}

fn units(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX)
}

impl Budget {
    #[must_use]
    pub fn of(bytes_max: usize) -> Self {
        let eighth = bytes_max / 8;
        Self {
            answers: ByteBudget::of(eighth * 2),
            large: ByteBudget::of(eighth * 2),
            head: ByteBudget::of(eighth),
            behind: ByteBudget::of(eighth * 3),
        }
    }

    #[must_use]
    pub fn bytes_max(&self) -> usize {
        self.pools().map(ByteBudget::bytes).iter().sum()
    }

    /// Sum of all leases, in bytes.
    #[must_use]
    pub fn bytes_in_use(&self) -> usize {
        self.pools().map(ByteBudget::bytes_in_use).iter().sum()
    }

    const fn pools(&self) -> [&ByteBudget; 4] {
        [&self.answers, &self.large, &self.head, &self.behind]
    }

    /// Largest lease for this purpose, in bytes.
    #[must_use]
    pub fn lease_bytes_max(&self, purpose: Purpose) -> usize {
        match purpose {
            Purpose::Answer => self.large.bytes(),
            Purpose::Head => self.head.bytes() / STEP_PART,
            Purpose::Behind => self.behind.bytes() / STEP_PART,
        }
    }

    /// Waits for a lease of `bytes` bytes, capped at the largest lease for the purpose. Large answers wait only for
    /// other large answers, so a slow large answer delays no other.
    pub async fn lease(&self, purpose: Purpose, bytes: usize) -> Lease {
        let bytes = bytes.min(self.lease_bytes_max(purpose));
        let lease = match purpose {
            Purpose::Answer if bytes > self.answers.bytes() / ORDINARY_PART => {
                self.large.lease(bytes).await
            }
            Purpose::Answer => self.answers.lease(bytes).await,
            Purpose::Head => self.head.lease(bytes).await,
            Purpose::Behind => self.behind.lease(bytes).await,
        };
        metrics::gauge!("superroot_source_in_hand_bytes").set(self.bytes_in_use() as f64);
        lease
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::of(IN_HAND_BYTES)
    }
}

impl Lease {
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.permit.num_permits() * UNIT
    }

    /// Returns all bytes above `bytes`.
    pub fn shrink_to(&mut self, bytes: usize) {
        let more = self.permit.num_permits().saturating_sub(units(bytes) as usize);
        drop(self.permit.split(more));
    }

    /// Grows the lease to at least `bytes` bytes if free, without waiting. Returns `true` on success.
    pub fn try_grow_to(&mut self, bytes: usize) -> bool {
        let more = (units(bytes) as usize).saturating_sub(self.permit.num_permits());
        let Ok(more) = u32::try_from(more) else { return false };
        match Arc::clone(&self.from).try_acquire_many_owned(more) {
            Ok(permit) => {
                self.permit.merge(permit);
                true
            }
            Err(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    const MIB: usize = 1 << 20;

    async fn waits<T>(lease: impl Future<Output = T>) -> bool {
        timeout(Duration::from_secs(1), lease).await.is_err()
    }

    #[tokio::test(start_paused = true)]
    async fn leases_sum_to_the_bound_at_most_and_come_back() {
        let budget = Budget::of(64 * MIB);
        assert_eq!((budget.bytes_max(), budget.bytes_in_use()), (64 * MIB, 0));
        let mut held = Vec::new();
        for purpose in [Purpose::Answer, Purpose::Head, Purpose::Behind] {
            while let Ok(lease) =
                timeout(Duration::from_secs(1), budget.lease(purpose, usize::MAX)).await
            {
                held.push(lease);
                assert!(budget.bytes_in_use() <= budget.bytes_max());
            }
        }
        while let Ok(lease) =
            timeout(Duration::from_secs(1), budget.lease(Purpose::Answer, MIB)).await
        {
            held.push(lease);
        }
        assert_eq!(budget.bytes_in_use(), budget.bytes_max());
        drop(held);
        assert_eq!(budget.bytes_in_use(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn chains_that_are_behind_do_not_keep_heads_waiting() {
        let budget = Budget::of(64 * MIB);
        let mut held = Vec::new();
        for _ in 0..4 {
            held.push(budget.lease(Purpose::Behind, usize::MAX).await);
        }
        assert!(waits(budget.lease(Purpose::Behind, 1)).await);
        assert!(!waits(budget.lease(Purpose::Head, MIB)).await);
        assert!(!waits(budget.lease(Purpose::Answer, MIB)).await);
    }

    #[tokio::test(start_paused = true)]
    async fn one_large_answer_comes_at_a_time_and_small_ones_pass_it() {
        let budget = Budget::of(64 * MIB);
        let large = budget.lease(Purpose::Answer, 16 * MIB).await;
        assert_eq!(large.bytes(), 16 * MIB);
        assert!(waits(budget.lease(Purpose::Answer, 3 * MIB)).await);
        assert!(!waits(budget.lease(Purpose::Answer, 2 * MIB)).await);
        drop(large);
        assert!(!waits(budget.lease(Purpose::Answer, 3 * MIB)).await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_lease_shrinks_and_grows_only_by_what_is_free() {
        let budget = Budget::of(64 * MIB);
        let mut lease = budget.lease(Purpose::Behind, 6 * MIB).await;
        lease.shrink_to(2 * MIB);
        assert_eq!((lease.bytes(), budget.bytes_in_use()), (2 * MIB, 2 * MIB));
        lease.shrink_to(3 * MIB);
        assert_eq!(lease.bytes(), 2 * MIB);
        assert!(lease.try_grow_to(24 * MIB));
        assert!(!lease.try_grow_to(24 * MIB + 1));
        assert!(!lease.try_grow_to(usize::MAX));
        assert!(lease.try_grow_to(0));
        assert_eq!(lease.bytes(), 24 * MIB);
    }
}
