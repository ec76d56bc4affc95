//! Rows: their bytes, and that a cut one stops the outbox, as sending anew could double what is under way.

use std::sync::Arc;

use superroot_outbox::{AccountState, Fees, OutboxError};
use superroot_store::{MemoryStore, ScanOrder, Store, Table, WriteBatch};
use superroot_types::UnixSeconds;

use crate::chain::{key, task};
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

#[test]
fn a_row_of_each_kind_has_the_pinned_bytes() {
    let state = AccountState { next_sequence: 0, transaction_count: 3 };
    let fees = Ok(Fees { max_fee: 100, tip: 1 });
    let store = Arc::new(MemoryStore::new());
    outbox(&store, LIMITS).step(UnixSeconds(9), &state, &fees, || Some(task(7))).unwrap();
    let rows = store.scan(Table::Outbox, &[], None, 9, ScanOrder::Rising).unwrap();
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let payer = hex(&key().address().0);
    let chain = "000000000000002105";
    let number = |number: u64| format!("{number:016x}");
    let wide = |number: u128| format!("{number:032x}");
    let call = [number(3), number(7), "cc".repeat(20), number(100_000)].concat();
    let sent = [wide(100), wide(1), number(9), "00000001".into(), "00000008".into(), number(7)];
    let expected = [
        (format!("00{chain}{payer}"), call + &sent.concat()),
        (format!("01{chain}{payer}"), number(0) + &wide(10_000_000)),
    ];
    let found: Vec<(String, String)> =
        rows.iter().map(|(key, value)| (hex(key), hex(value))).collect();
    assert_eq!(found, expected);
}
