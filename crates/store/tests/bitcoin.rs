//! Blocks of Bitcoin, kept and proven from the store.

use crate::mined;

use superroot_chain::{UntrustedBlock, VerifiedBlock, verify};
use superroot_proof::bundle::ProofSubject;
use superroot_proof::ledger::Body;
use superroot_store::layout::KeptEntries;
use superroot_store::read::{find_transaction, load_block, load_body};
use superroot_store::write::{put_block, put_kept_block, remove_block};
use superroot_store::{
    EmbeddedConfig, EmbeddedStore, MemoryStore, ScanOrder, Store, StoreError, Table, WriteBatch,
};

fn block(number: u64, others: u8) -> VerifiedBlock {
    let raw = mined::mine(mined::block(number, others, true), number);
    verify(&mined::row(), &UntrustedBlock::Bitcoin(Box::new(raw))).unwrap()
}

fn row_count(store: &dyn Store, table: Table) -> usize {
    store.scan(table, b"", None, usize::MAX, ScanOrder::Rising).unwrap().len()
}

fn put(store: &dyn Store, block: &VerifiedBlock) {
    let mut batch = WriteBatch::new();
    put_block(&mut batch, store, block).unwrap();
    store.commit(batch).unwrap();
}

fn laws(store: &dyn Store) {
    let (first, second) = (block(500, 6), block(501, 0));
    put(store, &first);
    put(store, &second);
    let chain = first.chain();
    for block in [&first, &second] {
        let row = load_block(store, chain, block.number()).unwrap().unwrap();
        assert_eq!((row.hash, row.header.as_slice()), (block.hash(), block.header()));
        assert_eq!((row.extent, row.extent.receipts), (block.extent(), false));
        let body = load_body(store, chain, block.number()).unwrap().unwrap();
        let Body::Bitcoin(tree) = body else { panic!("a tree of transactions") };
        assert_eq!(tree.leaves(), block.transactions().unwrap());
        assert_eq!(tree.hashes(), block.transaction_hashes().unwrap());
        assert_eq!(tree.root().unwrap().0, block.header()[36..68]);
        let index = tree.leaves().len() as u32;
        assert!(tree.branches(ProofSubject::Transaction { tx_index: index }).is_err());
        assert!(tree.branches(ProofSubject::Absence { tx_index: index }).unwrap().is_some());
        assert_eq!(tree.branches(ProofSubject::Block), Ok(None));
        for (tx_index, hash) in (0..).zip(block.transaction_hashes().unwrap()) {
            let places = find_transaction(store, chain, hash).unwrap();
            let found = |place: &superroot_store::read::TransactionPlace| {
                (place.number, place.tx_index) == (block.number(), tx_index)
            };
            assert!(places.iter().any(found), "transaction {tx_index}");
        }
    }
    let mut batch = WriteBatch::new();
    remove_block(&mut batch, store, chain, first.number()).unwrap().unwrap();
    remove_block(&mut batch, store, chain, second.number()).unwrap().unwrap();
    store.commit(batch).unwrap();
    for table in [Table::Block, Table::Body, Table::Transaction] {
        assert_eq!(row_count(store, table), 0, "{table:?}");
    }
}

#[test]
fn blocks_of_bitcoin_are_kept_found_and_removed_in_both_stores() {
    laws(&MemoryStore::new());
    let folder = tempfile::tempdir().unwrap();
    laws(&EmbeddedStore::open(folder.path(), &EmbeddedConfig::default()).unwrap());
}

/// A branch takes hashes of all others, so a part of a block proves nothing.
#[test]
fn a_block_of_bitcoin_is_kept_whole_or_not_at_all() {
    let (store, block) = (MemoryStore::new(), block(500, 3));
    let mut batch = WriteBatch::new();
    let error =
        put_kept_block(&mut batch, &store, &block, &KeptEntries::Some(vec![1])).unwrap_err();
    assert!(matches!(error, StoreError::Block { .. }), "{error}");
    assert!(error.to_string().contains("whole or not at all"), "{error}");
    let mut batch = WriteBatch::new();
    put_kept_block(&mut batch, &store, &block, &KeptEntries::Some(Vec::new())).unwrap();
    store.commit(batch).unwrap();
    assert_eq!((row_count(&store, Table::Block), row_count(&store, Table::Body)), (1, 0));
}
