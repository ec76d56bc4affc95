//! Polkadot's headers, trie nodes, lists of events and blocks as nodes send them: nothing panics, and
//! what is read is bound by its hash.
#![no_main]

use libfuzzer_sys::fuzz_target;
use superroot_chain::ledger::polkadot::RawPolkadotBlock;
use superroot_chain::{ChainRegistry, UntrustedBlock, verify};
use superroot_fuzz::seeds;
use superroot_proof::hash::blake2b_256;
use superroot_proof::ledger::Body;
use superroot_proof::ledger::polkadot::{
    EVENTS_KEY, Header, StateVersion, Trie, compact, extrinsic, record_count, verify as walk,
};
use superroot_types::Family;

fuzz_target!(init: seeds::plant("polkadot_block", &seeds::dots()), |bytes: &[u8]| {
    if let Ok(header) = Header::decode(bytes) {
        assert_eq!((header.encode().as_slice(), header.hash()), (bytes, blake2b_256(bytes)));
    }
    if let Some(body) = extrinsic(bytes) {
        let length = compact(u64::try_from(body.len()).expect("a short input"));
        assert_eq!([&length, body].concat(), bytes);
    }
    if let Some(count) = record_count(bytes) {
        assert!(count < bytes.len());
    }
    let node = bytes.to_vec();
    for key in [&EVENTS_KEY[..], &[], &[0x04], &[0x01, 0x01]] {
        let _ = walk(&blake2b_256(bytes), key, std::slice::from_ref(&node));
    }
    let tagged = [&[Family::Polkadot.byte()], bytes].concat();
    if let Some(body) = Body::decode(&tagged) {
        assert_eq!(body.encode(), tagged);
    }
    check_trie(bytes);
    let Ok(raw) = serde_json::from_slice::<RawPolkadotBlock>(bytes) else { return };
    let row = ChainRegistry::builtin().find("polkadot").expect("the built-in row");
    if let Ok(block) = verify(row, &UntrustedBlock::Polkadot(Box::new(raw))) {
        assert_eq!(blake2b_256(block.header()), block.hash());
    }
});

/// The bytes as extrinsics: each is proven at its place, and nothing past them.
fn check_trie(bytes: &[u8]) {
    let leaves: Vec<&[u8]> = bytes.chunks(37).collect();
    for version in [StateVersion::V0, StateVersion::V1] {
        let trie = Trie::of_extrinsics(version, &leaves);
        for (index, leaf) in (0..).zip(leaves.iter().map(Some).chain([None])) {
            let nodes = trie.prove(&compact(index)).expect("the trie is whole");
            assert_eq!(walk(&trie.root(), &compact(index), &nodes), Ok(leaf.copied()));
        }
    }
}
