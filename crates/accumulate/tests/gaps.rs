//! Gaps of many twigs: they are written in parts, and whatever fails in between, the log comes out the same.

use crate::support;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use superroot_accumulate::recompute;
use superroot_chain::ChainRegistry;
use superroot_proof::bundle::{Policy, verify_anchored};
use superroot_store::{
    CheckReport, MemoryStore, Row, ScanOrder, Store, StoreError, Table, WriteBatch,
};
use superroot_types::{BlockNumber, LeafCount, SuperRootRef, UnixSeconds};
use support::*;

/// A store on a disk that fills up after so many commits.
struct Filling {
    store: MemoryStore,
    left: AtomicU64,
}

impl Store for Filling {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.get(table, key)
    }

    fn scan(
        &self,
        table: Table,
        start: &[u8],
        end: Option<&[u8]>,
        limit: usize,
        direction: ScanOrder,
    ) -> Result<Vec<Row>, StoreError> {
        self.store.scan(table, start, end, limit, direction)
    }

    fn commit(&self, batch: WriteBatch) -> Result<(), StoreError> {
        let left =
            self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if left.is_err() {
            return Err(StoreError::Full { path: "disk".into(), free: 0, least: 1 });
        }
        self.store.commit(batch)
    }

    fn commit_count(&self) -> u64 {
        self.store.commit_count()
    }

    fn check(&self, progress: &mut dyn FnMut(Table, u64)) -> Result<CheckReport, StoreError> {
        self.store.check(progress)
    }
}

#[test]
fn many_skipped_twigs_are_written_in_parts_and_a_part_that_fails_leaves_nothing_that_matters() {
    let (ethereum, base) = (chain("ethereum", 100_000), chain("base", 100_000));
    let far = 41 * 2048;
    let fill = |log: &Log| log.extend(&ethereum, [5, far]);
    let mut whole = Log::new();
    fill(&whole);
    whole.step(100);
    let expected = whole.prover().latest().unwrap();
    assert_eq!(expected.mini_mmrs[0].leaf_count, LeafCount(41));

    for commits in 0..3 {
        let store = MemoryStore::new();
        let filling = Arc::new(Filling { store, left: AtomicU64::new(u64::MAX) });
        let open = || {
            let Log { store, accumulator } = Log::over(filling.clone());
            Log { store, accumulator: accumulator.writing_at_once(16) }
        };
        let mut log = open();
        fill(&log);
        filling.left.store(commits, Ordering::SeqCst);
        let refused = log.accumulator.step(UnixSeconds(100));
        assert!(refused.is_err(), "after {commits}: {refused:?}");
        filling.left.store(u64::MAX, Ordering::SeqCst);
        assert!(log.prover().latest().is_none());
        // what was left behind stands in nobody's way: the twigs of another chain take places before it
        let mut log = open();
        log.extend(&base, [3, 2047, 2048]);
        let before = filling.commit_count();
        log.step(100);
        assert_eq!(
            filling.commit_count() - before,
            3,
            "two parts, and the rest with the SuperRoot"
        );
        let published = log.prover().latest().unwrap();
        assert_eq!(published.mini_mmrs[0].leaf_count, LeafCount(42));
        assert_eq!(published.reference(ethereum.key()), expected.reference(ethereum.key()));
        let done = recompute(&*log.store, &mut |_, _| ()).unwrap();
        assert_eq!((done.super_roots, done.sealed_twigs), (1, 42));
        let policy = Policy::strict(ChainRegistry::builtin().proof_registry());
        for (chain, number) in [(&base, 3), (&base, 2048), (&ethereum, 5), (&ethereum, far)] {
            let proof = log.prover().prove_block(
                chain.key(),
                BlockNumber(number),
                Some(SuperRootRef::Latest),
            );
            verify_anchored(&proof.unwrap(), &policy, &published.hash).unwrap();
        }
    }
}
