//! Laws of Polkadot's level 1 and 2: what verifies, what must not, beside vectors that a program of its
//! own made (`vectors/polkadot/tries.py`).

use proptest::prelude::*;
use serde_json::Value;
use superroot_proof::bundle::{self, *};
use superroot_proof::hash::blake2b_256;
use superroot_proof::ledger::polkadot::{
    BlockTries, EVENTS_KEY, EXTRINSIC_NODES_MAX, ExtrinsicProofs, HEADER_BYTES_MAX, Header,
    StateVersion, Trie, compact, is_digest_item, record_count, verify as verify_trie,
};
use superroot_proof::ledger::{Body, Extent, LedgerError, NoEntry};
use superroot_proof::mpt::MptError;
use superroot_proof::registry::{HashRuleFrom, LogRegistry, Profile};
use superroot_types::*;

const POLKADOT: ChainKey = ChainKey { family: Family::Polkadot, id: ChainId(400) };
const NUMBER: u64 = 31_500_000;

fn vectors() -> Value {
    serde_json::from_str(include_str!("../../../vectors/polkadot/tries.json")).unwrap()
}

fn bytes(value: &Value) -> Vec<u8> {
    const_hex::decode(value.as_str().unwrap()).unwrap()
}

fn hash(value: &Value) -> Hash {
    value.as_str().unwrap().parse().unwrap()
}

fn nodes(value: &Value) -> Vec<Vec<u8>> {
    value.as_array().unwrap().iter().map(bytes).collect()
}

fn version(value: &Value) -> StateVersion {
    if value["version"] == 0 { StateVersion::V0 } else { StateVersion::V1 }
}

/// As in the program that made the vectors.
fn leaf(index: u32, longest: usize) -> Vec<u8> {
    let length = 1 + index as usize * 37 % longest;
    let part = |part: u32| blake2b_256(&[index.to_le_bytes(), part.to_le_bytes()].concat()).0;
    let stream: Vec<u8> = (0..=length as u32 / 32).flat_map(part).collect();
    [&compact(length as u64)[..], &stream[..length]].concat()
}

fn leaves(count: u32, longest: usize) -> Vec<Vec<u8>> {
    (0..count).map(|index| leaf(index, longest)).collect()
}

fn events(count: u64) -> Vec<u8> {
    let records = (0..count).flat_map(|index| [[0; 3].as_slice(), &[index as u8; 40]].concat());
    compact(count).into_iter().chain(records).collect()
}

/// A block: its tries, and the header over them.
struct Block {
    tries: BlockTries,
    header: Header,
}

fn block(version: StateVersion, tx_count: u32, event_count: u64) -> Block {
    let extrinsics = Trie::of_extrinsics(version, &leaves(tx_count, 90));
    let other = [(vec![0x26, 0xaa], vec![1; 50]), (vec![7; 32], vec![2; 20])];
    let pairs = other.into_iter().chain([(EVENTS_KEY.to_vec(), events(event_count))]);
    let state = Trie::build(version, pairs);
    let header = Header {
        parent_hash: Hash([7; 32]),
        number: NUMBER,
        state_root: state.root(),
        extrinsics_root: extrinsics.root(),
        digest: vec![vec![8], [&b"\x05BABE"[..], &[8, 1, 2]].concat()],
    };
    Block {
        tries: BlockTries { extrinsics, events: Some(state.prove(&EVENTS_KEY).unwrap()) },
        header,
    }
}

fn registry() -> LogRegistry {
    let rules = vec![HashRuleFrom { from_number: 0, code: 0x0301 }];
    let caip2 = "polkadot:91b171bb158e2d3848fa23a9f1c25182".to_owned();
    LogRegistry::new(vec![Profile { chain: POLKADOT, caip2, rules }]).unwrap()
}

fn check(bundle: &Bundle) -> Result<Verified<Facts>, ProofError> {
    verify(bundle, &Policy::strict(&registry()))
}

fn fault(bundle: &Bundle) -> ProofFault {
    check(bundle).unwrap_err().fault
}

impl Block {
    fn body(&self) -> Body {
        Body::Polkadot(self.tries.clone())
    }

    fn try_prove(&self, subject: ProofSubject) -> Result<Bundle, NoEntry> {
        let statement = Statement { chain: POLKADOT, number: BlockNumber(NUMBER), subject };
        let block_hash = self.header.hash();
        let block = Some(BlockLevel { header: self.header.encode(), block_hash, twig: None });
        let entry = self.body().prove(subject, false)?;
        Ok(Bundle { origin: "simulated/dots".to_owned(), statement, entry, block })
    }

    fn prove(&self, subject: ProofSubject) -> Bundle {
        self.try_prove(subject).unwrap()
    }
}

fn proofs(bundle: &mut Bundle) -> &mut ExtrinsicProofs {
    match &mut bundle.entry {
        Some(EntryProof::Polkadot(proofs)) => proofs,
        other => panic!("no trie nodes: {other:?}"),
    }
}

#[test]
fn tries_of_extrinsics_agree_with_a_second_computation() {
    let vectors = vectors();
    assert_eq!(bytes(&vectors["events_key"]), EVENTS_KEY);
    assert_eq!(
        hash(&vectors["empty_root"]),
        Trie::of_extrinsics::<&[u8]>(StateVersion::V0, &[]).root()
    );
    let mut proven = 0;
    for one in vectors["extrinsics"].as_array().unwrap() {
        let count = one["count"].as_u64().unwrap() as u32;
        let leaves = leaves(count, one["longest"].as_u64().unwrap() as usize);
        let trie = Trie::of_extrinsics(version(one), &leaves);
        assert_eq!(trie.root(), hash(&one["root"]), "{count} leaves");
        for proof in one["proofs"].as_array().unwrap() {
            let index = proof["index"].as_u64().unwrap();
            let nodes = nodes(&proof["nodes"]);
            assert_eq!(trie.prove(&compact(index)).unwrap(), nodes, "{index} of {count}");
            let leaf = leaves.get(index as usize).map(Vec::as_slice);
            assert_eq!(verify_trie(&trie.root(), &compact(index), &nodes), Ok(leaf));
            proven += 1;
        }
    }
    assert!(proven > 60);
}

#[test]
fn lists_of_events_agree_with_a_second_computation() {
    for one in vectors()["states"].as_array().unwrap() {
        let (root, nodes) = (hash(&one["root"]), nodes(&one["nodes"]));
        let value = one["value"].as_str().map(|value| const_hex::decode(value).unwrap());
        assert_eq!(
            verify_trie(&root, &EVENTS_KEY, &nodes),
            Ok(value.as_deref()),
            "{}",
            one["name"]
        );
        let count = value.map(|value| record_count(&value).unwrap() as u64);
        assert_eq!(count, one["records"].as_u64());
        // a node answers with a set
        let mut set = nodes.clone();
        set.reverse();
        set.push(vec![1, 2, 3]);
        assert_eq!(Trie::from_nodes(root, set).prove(&EVENTS_KEY), Ok(nodes));
    }
}

#[test]
fn headers_agree_with_a_second_computation() {
    for one in vectors()["headers"].as_array().unwrap() {
        let scale = bytes(&one["scale"]);
        let header = Header::decode(&scale).unwrap();
        assert_eq!((header.number, header.digest.len()), (one["number"].as_u64().unwrap(), 5));
        assert_eq!((header.hash(), header.encode()), (hash(&one["hash"]), scale.clone()));
        assert!(header.digest.iter().all(|item| is_digest_item(item)));
        for length in 0..scale.len() {
            assert!(Header::decode(&scale[..length]).is_err(), "{length} bytes");
        }
        let longer = [&scale[..], &[0]].concat();
        assert_eq!(Header::decode(&longer), Err(LedgerError::Trailing { what: "header" }));
    }
}

#[test]
fn a_header_of_an_unknown_or_endless_digest_is_refused() {
    let header = block(StateVersion::V0, 1, 1).header;
    let with = |digest: Vec<Vec<u8>>| Header::decode(&Header { digest, ..header.clone() }.encode());
    assert!(with(vec![vec![2; 33]]).is_ok());
    for unknown in [1, 3, 7, 9, 255] {
        let item = [&[unknown][..], &[0; 33]].concat();
        assert_eq!(with(vec![item.clone()]), Err(LedgerError::Field { field: "digest" }));
        assert!(!is_digest_item(&item));
    }
    let mut endless = header.encode();
    endless.truncate(32 + 4 + 32 + 32);
    endless.extend([0xfe, 0xff, 0xff, 0xff, 8, 8, 8]);
    assert_eq!(Header::decode(&endless), Err(LedgerError::Field { field: "digest" }));
    let huge = vec![0; HEADER_BYTES_MAX + 1];
    assert_eq!(Header::decode(&huge), Err(LedgerError::Field { field: "header length" }));
}

#[test]
fn every_subject_of_every_small_block_is_proven() {
    for (version, tx_count) in
        [StateVersion::V0, StateVersion::V1].into_iter().flat_map(|v| (1..=18).map(move |n| (v, n)))
    {
        let event_count = u64::from(tx_count) * 2;
        let block = block(version, tx_count, event_count);
        assert_eq!(block.body().extent(), Extent { transactions: true, receipts: true });
        for tx_index in 0..tx_count {
            let bundle = block.prove(ProofSubject::Transaction { tx_index });
            let facts = check(&bundle).unwrap();
            let proven = facts.transaction.as_ref().unwrap();
            assert_eq!(proven.raw, leaf(tx_index, 90));
            assert_eq!(proven.hash, blake2b_256(&leaf(tx_index, 90)));
            assert_eq!(facts.block_hash, Some(block.header.hash()));
            assert!(facts.number_bound && facts.receipts_root.is_none() && facts.event.is_none());
            assert_eq!(Bundle::decode(&bundle.encode()), Ok(bundle));
        }
        for log_index in [0, event_count as u32 - 1] {
            let bundle = block.prove(ProofSubject::Log { tx_index: 0, log_index });
            let facts = check(&bundle).unwrap();
            let Some(ProvenEvent::List(list)) = &facts.event else { panic!("no list") };
            assert_eq!(
                (&list.value, list.state_root),
                (&events(event_count), block.header.state_root)
            );
            assert_eq!(list.record_count as u64, event_count);
            assert!(facts.transaction.is_some());
            assert_eq!(Bundle::decode(&bundle.encode()), Ok(bundle));
        }
        for tx_index in [tx_count, tx_count + 1, 64, 1 << 14, 1 << 30, u32::MAX] {
            let bundle = block.prove(ProofSubject::Absence { tx_index });
            assert_eq!(check(&bundle).unwrap().transaction, None);
            assert_eq!(Bundle::decode(&bundle.encode()), Ok(bundle));
            let refused = block.try_prove(ProofSubject::Transaction { tx_index }).unwrap_err();
            assert_eq!(refused, NoEntry::NoTransaction { tx_index });
        }
        assert_eq!(
            block.try_prove(ProofSubject::Absence { tx_index: 0 }).unwrap_err(),
            NoEntry::Present { tx_index: 0 }
        );
        let (log_index, count) = (event_count as u32, event_count as usize);
        let (noun, whole, meant) = ("event", "block", None);
        assert_eq!(
            block.try_prove(ProofSubject::Log { tx_index: 0, log_index }).unwrap_err(),
            NoEntry::EventIndex { noun, whole, log_index, count, meant }
        );
    }
}

#[test]
fn an_empty_block_has_nothing_at_any_index() {
    let block = block(StateVersion::V1, 0, 1);
    let bundle = block.prove(ProofSubject::Absence { tx_index: 0 });
    assert_eq!(check(&bundle).unwrap().transaction, None);
    assert!(block.try_prove(ProofSubject::Log { tx_index: 0, log_index: 0 }).is_err());
}

#[test]
fn a_statement_of_another_place_is_refused() {
    let block = block(StateVersion::V1, 9, 5);
    let with = |subject, other| {
        let mut bundle = block.prove(subject);
        bundle.statement.subject = other;
        fault(&bundle)
    };
    let (first, second) =
        (ProofSubject::Transaction { tx_index: 1 }, ProofSubject::Transaction { tx_index: 2 });
    assert!(matches!(with(first, second), ProofFault::Ledger(LedgerError::Trie { .. })));
    let absent = ProofSubject::Absence { tx_index: 1 };
    let (trie, tx_index) = ("extrinsics trie", 1);
    assert_eq!(
        with(first, absent),
        ProofFault::Ledger(LedgerError::SomethingThere { trie, tx_index })
    );
    let event = |log_index| ProofSubject::Log { tx_index: 1, log_index };
    assert_eq!(
        with(event(4), event(5)),
        ProofFault::Ledger(LedgerError::RecordIndex { log_index: 5, count: 5 })
    );
    let absent = |tx_index| ProofSubject::Absence { tx_index };
    let there = with(absent(9), ProofSubject::Transaction { tx_index: 9 });
    assert_eq!(there, ProofFault::Ledger(LedgerError::NothingThere { trie, tx_index: 9 }));
    let what = "the list of events is missing";
    assert_eq!(with(first, event(0)), ProofFault::Ledger(LedgerError::Parts { what }));
    let what = "a list of events is there, of which nothing is said";
    assert_eq!(with(event(0), first), ProofFault::Ledger(LedgerError::Parts { what }));
}

#[test]
fn nodes_that_are_missing_left_over_or_of_another_block_are_refused() {
    let block = block(StateVersion::V1, 40, 5);
    let honest = block.prove(ProofSubject::Log { tx_index: 3, log_index: 1 });
    type Change<'a> = &'a dyn Fn(&mut ExtrinsicProofs);
    let with = |change: Change<'_>| {
        let mut bundle = honest.clone();
        change(proofs(&mut bundle));
        match fault(&bundle) {
            ProofFault::Ledger(LedgerError::Trie { trie, cause }) => (trie, cause),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(with(&|proofs| proofs.extrinsic.clear()), ("extrinsics trie", MptError::Empty));
    assert_eq!(with(&|proofs| proofs.events = Some(vec![])), ("state trie", MptError::Empty));
    let spare = |proofs: &mut ExtrinsicProofs| proofs.extrinsic.push(vec![1]);
    assert_eq!(with(&spare), ("extrinsics trie", MptError::Unused { unused: 1 }));
    let cut = |proofs: &mut ExtrinsicProofs| drop(proofs.extrinsic.pop());
    assert!(matches!(with(&cut), (_, MptError::Short { .. })));
    let other = self::block(StateVersion::V1, 40, 6);
    let swapped = |proofs: &mut ExtrinsicProofs| proofs.events = other.tries.events.clone();
    assert!(matches!(with(&swapped), ("state trie", MptError::Hash { position: 0, .. })));
}

/// Without a header above it a proof is one under the roots that it leads to.
#[test]
fn level_one_alone_names_its_roots() {
    let block = block(StateVersion::V0, 4, 5);
    let mut bundle = block.prove(ProofSubject::Log { tx_index: 3, log_index: 1 });
    bundle.block = None;
    let facts = check(&bundle).unwrap();
    assert_eq!(facts.transactions_root, Some(block.header.extrinsics_root));
    let Some(ProvenEvent::List(list)) = &facts.event else { panic!("no list") };
    assert_eq!(list.state_root, block.header.state_root);
}

#[test]
fn no_flipped_bit_verifies() {
    for subject in
        [ProofSubject::Log { tx_index: 3, log_index: 1 }, ProofSubject::Absence { tx_index: 70 }]
    {
        let block = block(StateVersion::V1, 66, 5);
        let encoded = block.prove(subject).encode();
        for bit in 0..encoded.len() * 8 {
            let mut flipped = encoded.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let read = Bundle::decode(&flipped);
            // the origin is checked by the SuperRoot, which this proof does not reach
            let accepted = read
                .is_ok_and(|bundle| bundle.origin == "simulated/dots" && check(&bundle).is_ok());
            assert!(!accepted, "bit {bit} is not bound");
        }
    }
}

#[test]
fn flags_that_the_family_has_not_are_refused() {
    let block = block(StateVersion::V0, 4, 5);
    let mut bundle = block.prove(ProofSubject::Transaction { tx_index: 3 });
    let encoded = bundle.encode();
    let only_events = block.prove(ProofSubject::Log { tx_index: 3, log_index: 1 }).encode();
    // the part flags follow the statement and its check
    let at = |subject_bytes: usize| 8 + 1 + "simulated/dots".len() + 17 + 1 + subject_bytes + 4;
    let with = |mut bytes: Vec<u8>, at: usize, flags: u8| {
        assert!(bytes[at] & 1 == 1, "the flag of the transaction");
        bytes[at] = flags;
        Bundle::decode(&bytes).unwrap_err()
    };
    let error = with(only_events, at(8), 0b110);
    assert!(matches!(error, bundle::DecodeError::Parts { .. }), "{error}");
    assert!(Bundle::decode(&encoded).is_ok());
    proofs(&mut bundle).extrinsic = vec![vec![0]; EXTRINSIC_NODES_MAX + 1];
    let part = "extrinsics trie";
    assert_eq!(Bundle::decode(&bundle.encode()), Err(bundle::DecodeError::Part { part }));
}

#[test]
fn a_body_keeps_what_is_asked_and_reads_back() {
    for version in [StateVersion::V0, StateVersion::V1] {
        let block = block(version, 40, 5);
        let whole = block.body();
        assert_eq!(Body::decode(&whole.encode()), Some(whole.clone()));
        let kept = whole.keep(&[3, 17], 40).unwrap();
        assert_eq!(Body::decode(&kept.encode()), Some(kept.clone()));
        assert!(kept.byte_count() < whole.byte_count());
        for subject in
            [ProofSubject::Transaction { tx_index: 17 }, ProofSubject::Absence { tx_index: 40 }]
        {
            assert_eq!(kept.prove(subject, true), whole.prove(subject, true));
        }
        assert!(kept.prove(ProofSubject::Transaction { tx_index: 1 }, true).is_err());
        let header = superroot_proof::ledger::Header::Polkadot(block.header.clone());
        let extent = whole.extent();
        assert_eq!(whole.check(&header, extent, 40, |_| true), Ok(41));
        assert_eq!(kept.check(&header, extent, 40, |index| index == 3 || index == 17), Ok(3));
        assert!(kept.check(&header, extent, 40, |_| true).is_err());
        assert!(whole.keep(&[40], 40).is_err());
        assert_eq!(whole.transaction_hash(39), Ok(Some(blake2b_256(&leaf(39, 90)))));
        assert_eq!(whole.transaction_hash(40), Ok(None));
        let other = Header { state_root: Hash([1; 32]), ..block.header.clone() };
        let other = superroot_proof::ledger::Header::Polkadot(other);
        assert!(whole.check(&other, extent, 40, |_| true).is_err());
    }
}

/// What one byte more or less, or a count too large, makes of a node: none.
#[test]
fn nodes_that_are_not_canonical_are_refused() {
    let why = |node: &[u8]| match verify_trie(&blake2b_256(node), &[0x12], &[node.to_vec()]) {
        Err(MptError::Node { why, .. }) => why,
        other => panic!("{other:?} of {node:02x?}"),
    };
    let leaf = [0x42, 0x12, 4, 9];
    assert_eq!(verify_trie(&blake2b_256(&leaf), &[0x12], &[leaf.to_vec()]), Ok(Some(&[9][..])));
    let odd = [0x41, 0x02, 4, 9];
    assert_eq!(verify_trie(&blake2b_256(&odd), &[0x12], &[odd.to_vec()]), Ok(None));
    for (node, expected) in [
        (&[][..], "no bytes"),
        (&[0x01], "an unknown kind of node"),
        (&[0x42, 0x12, 4, 9, 0], "trailing bytes"),
        (&[0x42, 0x12, 8, 9], "a value cut short"),
        (&[0x42, 0x12, 1, 0, 9], "a value cut short"),
        (&[0x42], "a path cut short"),
        (&[0x41, 0x12, 4, 9], "a padded path whose padding is not zero"),
        (&[0x7f], "a count of nibbles cut short"),
        (&[0x7f, 255, 255, 0], "a path longer than any key"),
        (&[0x22, 0x12, 9], "a value's hash cut short"),
        (&[0x80], "no bitmap"),
        (&[0x80, 2, 0, 4, 9], "a branch that does not branch"),
        (&[0xc0, 0, 0, 4, 9], "a branch that does not branch"),
        (&[0x80, 6, 0, 0, 4, 9], "a child of no bytes"),
        (&[0x80, 6, 0, 4, 9], "a child cut short"),
    ] {
        assert_eq!(why(node), expected, "{node:02x?}");
    }
    let long = [&[0x80, 6, 0, 33 << 2][..], &[0x41; 33], &[4, 9]].concat();
    assert_eq!(why(&long), "a child longer than a hash");
    // a short node, or a short value, that stands apart
    let child = [0x41, 0x02, 4, 9];
    let parent =
        [&[0x80, 6, 0, 32 << 2][..], &blake2b_256(&child).0, &[4 << 2, 0x40, 4, 9, 9]].concat();
    let nodes = [parent.clone(), child.to_vec()];
    let apart = verify_trie(&blake2b_256(&parent), &[0x12], &nodes);
    assert!(matches!(apart, Err(MptError::Node { position: 1, .. })), "{apart:?}");
    let parent = [&[0x22, 0x12][..], &blake2b_256(&[5; 32]).0].concat();
    let nodes = [parent.clone(), vec![5; 32]];
    let apart = verify_trie(&blake2b_256(&parent), &[0x12], &nodes);
    assert!(matches!(apart, Err(MptError::Node { position: 1, .. })), "{apart:?}");
}

#[test]
fn a_list_shorter_than_its_count_is_none() {
    assert_eq!(record_count(&events(3)), Some(3));
    assert_eq!(record_count(&[0]), Some(0));
    for list in [&[][..], &[4], &[4, 0, 0, 0], &[1, 0], &[3, 255, 255, 255, 255, 9]] {
        assert_eq!(record_count(list), None, "{list:?}");
    }
}

proptest! {
    #[test]
    fn no_bytes_make_a_verifier_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        first in prop::sample::select(vec![0x00_u8, 0x12, 0x1f, 0x22, 0x3f, 0x42, 0x7f, 0x80, 0xbf, 0xc1, 0xff]),
    ) {
        let node = [&[first][..], &bytes].concat();
        let _ = verify_trie(&blake2b_256(&node), &EVENTS_KEY, std::slice::from_ref(&node));
        let _ = Header::decode(&bytes);
        let _ = record_count(&bytes);
        let _ = Body::decode(&[&[3][..], &bytes].concat());
    }

    /// Keys of any length, one a beginning of another among them.
    #[test]
    fn what_was_put_into_a_trie_is_found_and_nothing_else(
        pairs in prop::collection::btree_map(prop::collection::vec(0_u8..4, 0..4), prop::collection::vec(any::<u8>(), 0..50), 0..30),
        other in prop::collection::vec(0_u8..4, 0..5),
        is_new: bool,
    ) {
        let version = if is_new { StateVersion::V1 } else { StateVersion::V0 };
        let trie = Trie::build(version, &pairs);
        for (key, value) in &pairs {
            let nodes = trie.prove(key).unwrap();
            prop_assert_eq!(verify_trie(&trie.root(), key, &nodes), Ok(Some(value.as_slice())));
        }
        let nodes = trie.prove(&other).unwrap();
        let expected = pairs.get(&other).map(Vec::as_slice);
        prop_assert_eq!(verify_trie(&trie.root(), &other, &nodes), Ok(expected));
    }
}
