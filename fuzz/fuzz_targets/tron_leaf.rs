//! Tron's headers, transactions and the JSON of nodes: what decodes means the same everywhere, what a node
//! shows comes back as the same bytes, and nothing panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use superroot_chain::ledger::tron::{HttpBlock, RawTronBlock};
use superroot_chain::{ChainRegistry, UntrustedBlock, verify};
use superroot_fuzz::seeds;
use superroot_proof::ledger::tron::{
    Contract, Header, Transaction, TronFields, TronTransactionTree, leaf_hash, merkle_root,
};
use superroot_types::{BlockNumber, Hash};

fuzz_target!(init: seeds::plant("tron_leaf", &seeds::transfers()), |bytes: &[u8]| {
    let fields = TronFields::of(bytes).count();
    assert!(fields <= bytes.len());
    if let Ok(transaction) = Transaction::decode(bytes) {
        assert_ne!(bytes.len(), 64);
        assert!(fields > 0);
        let _ = Contract::read(transaction.raw_data);
        let tree = TronTransactionTree::build(vec![bytes.to_vec()]).expect("a transaction");
        assert_eq!(tree.root(), leaf_hash(bytes));
        assert_eq!(merkle_root(&[leaf_hash(bytes)]), tree.root());
    }
    let header = Header::decode(bytes).ok();
    let number = BlockNumber(header.as_ref().map_or(7, |header| header.number));
    let hash = header.map_or(Hash::ZERO, |header| Header::id(header.number, bytes));
    let transactions = Some(vec![bytes.to_vec()]);
    let (header, run) = (bytes.to_vec(), Vec::new());
    let raw = RawTronBlock { number, hash, header, signature: None, transactions, run };
    let row = ChainRegistry::builtin().find("tron").expect("the built-in row");
    for raw in [RawTronBlock { transactions: None, ..raw.clone() }, raw] {
        if let Some(shown) = HttpBlock::show(&raw) {
            let text = serde_json::to_vec(&shown).expect("a block is JSON");
            let read: HttpBlock = serde_json::from_slice(&text).expect("what was written is read");
            assert_eq!(read.into_raw(raw.transactions.is_some()).as_ref(), Ok(&raw));
        }
        let _ = verify(row, &UntrustedBlock::Tron(Box::new(raw)));
    }
    if let Ok(block) = serde_json::from_slice::<HttpBlock>(bytes) {
        let _ = block.into_raw(true);
    }
});
