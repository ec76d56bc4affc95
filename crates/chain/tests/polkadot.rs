//! Made-up blocks of the Polkadot family: what is verified of them, and which lies are refused by name.

use alloy_primitives::Bytes;
use proptest::prelude::*;
use superroot_chain::ledger::polkadot::{
    BlockPlan, PolkadotParams, RawPolkadotBlock, build_block, timestamp_extrinsic,
};
use superroot_chain::{
    BlockCheck, ChainError, ChainRegistry, ChainSpec, Extent, Ledger, UntrustedBlock,
    VerifiedBlock, verify,
};
use superroot_proof::ledger::polkadot::StateVersion;
use superroot_types::*;

fn row() -> ChainSpec {
    let mut row = ChainRegistry::builtin().find("polkadot").unwrap().clone();
    row.ledger = Ledger::Polkadot(PolkadotParams { timestamp_pallet: 3 });
    row
}

fn plan(version: StateVersion) -> BlockPlan {
    let mut extrinsics = vec![timestamp_extrinsic(3, 1_780_000_006_000)];
    extrinsics.extend((0..20).map(|place| vec![0x84; 3 + 11 * place]));
    BlockPlan {
        number: BlockNumber(31_500_000),
        parent_hash: Hash([3; 32]),
        version,
        extrinsics,
        events: (0..30).map(|place| vec![0; 5 + place]).collect(),
        digest: vec![[&b"\x06BABE"[..], &[8, 1, 2]].concat()],
    }
}

fn check(raw: &RawPolkadotBlock) -> Result<VerifiedBlock, ChainError> {
    verify(&row(), &UntrustedBlock::Polkadot(Box::new(raw.clone())))
}

#[test]
fn blocks_of_both_state_versions_verify_with_their_events_and_time() {
    for version in [StateVersion::V0, StateVersion::V1] {
        let raw = build_block(&plan(version));
        let block = check(&raw).unwrap();
        assert_eq!(block.extent(), Extent { transactions: true, receipts: true });
        assert_eq!(block.timestamp(), UnixSeconds(1_780_000_006));
        assert_eq!(block.tx_count(), Some(21));
        let json = serde_json::to_string(&raw).unwrap();
        assert_eq!(serde_json::from_str::<RawPolkadotBlock>(&json).unwrap(), raw);
        let without = RawPolkadotBlock { read_proof: None, ..raw.clone() };
        let extent = Extent { transactions: true, receipts: false };
        assert_eq!(check(&without).unwrap().extent(), extent);
        let header = RawPolkadotBlock { extrinsics: None, ..raw };
        let header = check(&header).unwrap();
        assert_eq!((header.extent(), header.timestamp()), (Extent::default(), UnixSeconds(0)));
    }
}

#[test]
fn a_time_is_read_from_the_call_that_sets_it_and_from_no_other() {
    let time = |extrinsics: Vec<Vec<u8>>| {
        let raw = build_block(&BlockPlan { extrinsics, ..plan(StateVersion::V0) });
        check(&raw).unwrap().timestamp().0
    };
    let set = timestamp_extrinsic(3, 1_780_000_006_999);
    assert_eq!(time(vec![vec![4, 9, 9], set.clone()]), 1_780_000_006);
    assert_eq!(time(vec![[&[5], &set[1..]].concat()]), 1_780_000_006, "format 5");
    assert_eq!(time(vec![[&[0x84], &set[1..]].concat()]), 0, "a signed one");
    assert_eq!(time(vec![timestamp_extrinsic(2, 1_780_000_006_999)]), 0, "another pallet");
    assert_eq!(time(vec![[&[4, 3, 1], &set[3..]].concat()]), 0, "another call");
    assert_eq!(time(vec![[&set[..], &[0]].concat()]), 0, "more than a time");
    assert_eq!(time(vec![vec![4, 3, 0]]), 0);
    assert_eq!(time(vec![timestamp_extrinsic(3, u64::MAX)]), 0, "no time that JSON can hold");
    assert_eq!(time(vec![]), 0);
}

#[test]
fn lies_are_refused_with_the_field_named() {
    let raw = build_block(&plan(StateVersion::V1));
    type Change<'a> = &'a dyn Fn(&mut RawPolkadotBlock);
    let refused = |change: Change<'_>| {
        let mut changed = raw.clone();
        change(&mut changed);
        check(&changed).unwrap_err()
    };
    let says = |change: Change<'_>, expected: &str| {
        let error = refused(change).to_string();
        assert!(error.starts_with(expected), "{error}");
    };
    let nodes = |raw: &mut RawPolkadotBlock| raw.read_proof.take().unwrap();
    says(&|raw| raw.hash = Hash([1; 32]), "hash is 0x0101");
    says(&|raw| raw.header.number = 1 << 53, "number is 9007199254740992, expected at most");
    says(
        &|raw| raw.header.digest.logs.push(vec![9].into()),
        "digest.logs[1] cannot be read by a verifier: field digest is malformed",
    );
    says(
        &|raw| raw.header.digest.logs = vec![vec![8; 1 << 20].into()],
        "digest.logs[0] cannot be read by a verifier",
    );
    says(
        &|raw| raw.extrinsics.as_mut().unwrap()[2] = vec![9, 9].into(),
        "extrinsics[2] cannot be read by a verifier: field extrinsic length is malformed",
    );
    says(&|raw| raw.extrinsics.as_mut().unwrap().truncate(3), "extrinsicsRoot is ");
    says(
        &|raw| raw.extrinsics = Some(vec![Bytes::new(); (1 << 17) + 1]),
        "count of extrinsics is 131073, expected at most 131072",
    );
    says(
        &|raw| raw.extrinsics = Some(vec![vec![0; 7 << 20].into(); 2]),
        "bytes of extrinsics is 14680064, expected at most 12582912",
    );
    says(
        &|raw| raw.read_proof = Some(vec![vec![0; 7 << 20].into(); 2]),
        "bytes of readProof is 14680064",
    );
    says(
        &|raw| raw.read_proof = Some(vec![]),
        "readProof cannot be read by a verifier: state trie: trie node 0x",
    );
    says(
        &|raw| raw.read_proof = Some(nodes(raw).into_iter().skip(1).collect()),
        "readProof cannot be read by a verifier: state trie: trie node 0x",
    );
    let of_another = build_block(&BlockPlan { events: vec![], ..plan(StateVersion::V1) });
    says(
        &|raw| raw.read_proof.clone_from(&of_another.read_proof),
        "readProof cannot be read by a verifier: state trie: trie node 0x",
    );
    let error = refused(&|raw| drop(raw.extrinsics.as_mut().unwrap().pop()));
    assert_eq!(error.check(), BlockCheck::TransactionsRoot);
    assert_eq!(refused(&|raw| raw.hash = Hash::ZERO).check(), BlockCheck::HeaderHash);
}

#[test]
fn a_list_of_events_that_says_more_than_it_has_is_refused() {
    // one record of no bytes: the count is 1, and nothing follows
    let raw = build_block(&BlockPlan { events: vec![vec![]], ..plan(StateVersion::V0) });
    let error = check(&raw).unwrap_err().to_string();
    let expected = "readProof cannot be read by a verifier: field System.Events is malformed";
    assert_eq!(error, expected);
}

/// The header of a made-up block over another state, which has no events: an empty trie.
#[test]
fn a_state_without_events_leaves_them_out_and_says_so() {
    use superroot_proof::ledger::polkadot::Trie;
    let mut raw = build_block(&plan(StateVersion::V1));
    let empty = Trie::of_extrinsics::<&[u8]>(StateVersion::V1, &[]);
    raw.header.state_root = empty.root();
    raw.hash = superroot_chain::ledger::polkadot::hash_of(&raw.header).unwrap();
    raw.read_proof = Some(empty.nodes().map(|node| node.to_vec().into()).collect());
    let block = check(&raw).unwrap();
    assert_eq!(block.extent(), Extent { transactions: true, receipts: false });
    assert_eq!(block.body_withheld(), Some("the state after it has no list of events"));
}

#[test]
fn the_first_block_is_that_of_the_row_and_alone_without_a_parent() {
    let of = |number, parent_hash| {
        let number = BlockNumber(number);
        build_block(&BlockPlan { number, parent_hash, ..plan(StateVersion::V0) })
    };
    let error = check(&of(0, Hash::ZERO)).unwrap_err().to_string();
    assert!(error.contains("expected 0x91b171bb158e2d3848fa23a9f1c25182.."), "{error}");
    let error = check(&of(0, Hash([1; 32]))).unwrap_err().to_string();
    assert!(error.ends_with("expected zeros at number 0"), "{error}");
    let error = check(&of(7, Hash::ZERO)).unwrap_err().to_string();
    assert!(error.ends_with("expected a hash past number 0"), "{error}");
}

/// In the JSON of a node: quantities, missing members, wrong kinds.
#[test]
fn answers_of_other_shapes_are_no_blocks() {
    let raw = serde_json::to_value(build_block(&plan(StateVersion::V0))).unwrap();
    assert_eq!(raw["header"]["number"], "0x1e0a6e0");
    for (pointer, other) in [
        ("/header/number", serde_json::json!("0x10000000000000000")),
        ("/header/number", serde_json::json!(-1)),
        ("/header/digest", serde_json::json!([])),
        ("/header/digest/logs", serde_json::json!(["0x0"])),
        ("/header/stateRoot", serde_json::json!("0x00")),
        ("/extrinsics", serde_json::json!({})),
        ("/extrinsics/0", serde_json::json!(7)),
        ("/readProof", serde_json::json!(["zz"])),
    ] {
        let mut changed = raw.clone();
        *changed.pointer_mut(pointer).unwrap() = other;
        assert!(serde_json::from_value::<RawPolkadotBlock>(changed).is_err(), "{pointer}");
    }
}

proptest! {
    #[test]
    fn every_made_up_block_verifies(
        extrinsics in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..90), 0..80),
        events in prop::collection::vec(prop::collection::vec(any::<u8>(), 4..90), 0..40),
        is_new: bool,
        number in 1_u64..1 << 53,
    ) {
        let version = if is_new { StateVersion::V1 } else { StateVersion::V0 };
        let number = BlockNumber(number);
        let block = check(&build_block(&BlockPlan { number, extrinsics, events, ..plan(version) }));
        prop_assert_eq!(block.unwrap().extent(), Extent { transactions: true, receipts: true });
    }
}
