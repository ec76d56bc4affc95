//! Headers of CometBFT, and blocks as its nodes send them: what decodes is written as it was, a header that
//! is shown as JSON comes back as the same bytes, and nothing panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use superroot_chain::ledger::cosmos::{RawCosmosBlock, RawCosmosHeader, check_header};
use superroot_chain::{ChainRegistry, UntrustedBlock, verify};
use superroot_fuzz::seeds;
use superroot_proof::ledger::Body;
use superroot_proof::ledger::cosmos::{CosmosTransactionTree, Header, data_hash, transaction_hash};

fuzz_target!(init: seeds::plant("cosmos_block", &seeds::comets()), |bytes: &[u8]| {
    let row = ChainRegistry::builtin().find("cosmoshub").expect("the built-in row");
    if let Ok(header) = Header::decode(bytes) {
        assert_eq!(header.encode(), bytes);
        let shown = RawCosmosHeader::from(&header);
        assert_eq!(check_header(&shown, &header.hash()), Ok(()));
        let text = serde_json::to_vec(&shown).expect("a header is JSON");
        let read: RawCosmosHeader = serde_json::from_slice(&text).expect("what was written is read");
        assert_eq!(read, shown);
        let raw = RawCosmosBlock { hash: header.hash(), header: shown, txs: None, commit: None };
        if let Ok(verified) = verify(row, &UntrustedBlock::Cosmos(Box::new(raw))) {
            assert_eq!(verified.header(), bytes);
        }
    }
    if let Ok(raw) = serde_json::from_slice::<RawCosmosBlock>(bytes) {
        let _ = verify(row, &UntrustedBlock::Cosmos(Box::new(raw)));
    }
    // the bytes as transactions, divided by zero bytes: a body that is written comes back
    let transactions: Vec<Vec<u8>> = bytes.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect();
    let hashes: Vec<_> = transactions.iter().map(|one| transaction_hash(one)).collect();
    let tree = CosmosTransactionTree::build(transactions);
    assert_eq!(tree.root(), data_hash(&hashes));
    let body = Body::Cosmos(tree);
    assert_eq!(Body::decode(&body.encode()), Some(body));
});
