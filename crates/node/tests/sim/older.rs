//! An older copy of the disk, put back after the run: it repeats what was published since, and signs no
//! size a second time.

use std::sync::Arc;

use superroot_accumulate::{
    AccumulateProgress, Accumulator, PublishedTarget, Successors, put_goal,
};
use superroot_proof::note::{KeyKind, Signer};
use superroot_store::{MemoryStore, ScanOrder, Store, Table, WriteBatch};
use superroot_types::{Sequence, UnixSeconds};

use crate::dice::Dice;
use crate::plan::registry;

/// What a log keeps of itself.
pub(crate) const OF_THE_LOG: [Table; 9] = [
    Table::Meta,
    Table::SuperRoot,
    Table::SuperRootByHash,
    Table::Note,
    Table::MiniMmrLeaf,
    Table::MiniMmrNode,
    Table::HistoryNode,
    Table::Registry,
    Table::Feed,
];
/// What is collected anew from the chains. What was taken back meanwhile is left out: the log has it.
pub(crate) const OF_CHAINS: [Table; 5] =
    [Table::ChainState, Table::Block, Table::Body, Table::Transaction, Table::Evidence];

/// The key of the log.
pub(crate) fn signer(origin: &str) -> Signer {
    Signer::new(origin, KeyKind::Log, &[7; 32]).unwrap()
}

/// A copy that is made somewhere in a run.
pub(crate) struct Older {
    dice: Dice,
    copy: MemoryStore,
}

impl Older {
    pub(crate) fn of(seed: u64) -> Self {
        Self { dice: Dice::new(seed, "older"), copy: MemoryStore::new() }
    }

    /// Copies the log, now and then.
    pub(crate) fn look(&mut self, disk: &dyn Store) {
        if self.dice.percent(4) {
            self.copy = MemoryStore::new();
            copy(disk, &self.copy, &OF_THE_LOG);
        }
    }

    /// Puts the copy back, and lets it catch up; gives the SuperRoots that came out again.
    pub(crate) fn catches_up(self, disk: &dyn Store, origin: &str) -> u64 {
        for (size, note) in rows(&self.copy, Table::Note) {
            let now = disk.get(Table::Note, &size).unwrap();
            assert_eq!(now, Some(note), "a size was signed twice, or its note is gone");
        }
        let older: Arc<dyn Store> = Arc::new(self.copy);
        let key = signer(origin);
        // before its chains have blocks: a copy of a disk that nothing was written to has no origin yet
        let open = || {
            let rows_of_log = registry().proof_registry().clone();
            let log = Accumulator::open(older.clone(), rows_of_log, origin).unwrap();
            log.signed_by(vec![signer(origin)]).unwrap()
        };
        drop(open());
        let mut successors = Successors::of(&*older, key.verifier().clone()).unwrap();
        let (from, mut batch) = (successors.next(), WriteBatch::new());
        for sequence in (from.0..).map(Sequence) {
            let Some(target) = PublishedTarget::load(disk, sequence).unwrap() else { break };
            successors.take(&mut batch, &target).unwrap();
            put_goal(&mut batch, sequence);
        }
        let repeated = successors.next().0 - from.0;
        drop(successors);
        older.commit(batch).unwrap();
        copy(disk, &*older, &OF_CHAINS);
        let mut again = open();
        for _ in 0..repeated {
            let progress = again.step(UnixSeconds(0)).unwrap();
            assert!(matches!(progress, AccumulateProgress::Advanced { .. }), "{progress:?}");
        }
        for table in
            OF_THE_LOG.into_iter().filter(|table| !matches!(table, Table::Meta | Table::Feed))
        {
            assert_eq!(rows(&*older, table), rows(disk, table), "{table} of the older copy");
        }
        repeated
    }
}

fn rows(store: &dyn Store, table: Table) -> Vec<(Vec<u8>, Vec<u8>)> {
    store.scan(table, b"", None, usize::MAX, ScanOrder::Rising).unwrap()
}

pub(crate) fn copy(from: &dyn Store, into: &dyn Store, tables: &[Table]) {
    let mut batch = WriteBatch::new();
    for table in tables {
        for (key, value) in rows(from, *table) {
            batch.put(*table, key, value);
        }
    }
    into.commit(batch).unwrap();
}
