//! A row that is cut or altered stops the outbox: sending anew could double what is under way.

use std::sync::Arc;

use superroot_outbox::{AccountState, Fees, OutboxError};
use superroot_store::{MemoryStore, ScanOrder, Store, Table, WriteBatch};
use superroot_types::UnixSeconds;

use crate::chain::task;
use crate::laws::{LIMITS, outbox};

#[test]
fn a_row_that_is_no_row_stops_it() {
    let state = AccountState { next_sequence: 0, transaction_count: 0 };
    let fees = Ok(Fees { max_fee: 100, tip: 1 });
    let store = Arc::new(MemoryStore::new());
    let step = || outbox(&store, LIMITS).step(UnixSeconds(9), &state, &fees, || Some(task(0)));
    step().unwrap();
    let rows = store.scan(Table::Outbox, &[], None, 9, ScanOrder::Rising).unwrap();
    assert_eq!(rows.len(), 2, "the transaction, and the day");
    let (key, whole) = &rows[0];
    for length in 0..whole.len() {
        let mut batch = WriteBatch::new();
        batch.put(Table::Outbox, key.clone(), &whole[..length]);
        store.commit(batch).unwrap();
        assert!(matches!(step(), Err(OutboxError::Store(_))), "{length} bytes");
    }
}
