//! Laws of trust: nothing an answer says makes its own SuperRoot trusted.

mod fixture;

use fixture::world::{ETHEREUM, ORIGIN, World, block};
use fixture::{full, json, log, log_with, prove};
use superroot_client::*;
use superroot_proof::bundle::*;
use superroot_types::*;
use superroot_wire::superroot::{Consistency, ConsistencyAnswer, Strength};
use superroot_wire::{CheckError, Shape};

fn pinned(world: &World, sequences: &[usize]) -> TrustStore {
    let mut store = TrustStore::default();
    for sequence in sequences {
        store.pin(ORIGIN, *sequence as u64, world.root(*sequence)).unwrap();
    }
    store
}

fn history(world: &World, from: usize, to: usize) -> ConsistencyAnswer {
    Consistency::History(Box::new(world.consistency(from, to).proof.history)).into()
}

#[test]
fn only_a_pinned_super_root_is_trusted() {
    let world = log();
    let verifier = Verifier::new(world.registry.clone());
    let body = json(&world, &prove(&world, Subject::Block, 1), Shape::V5);
    let checked = verifier.check_trusted(&body, &pinned(&world, &[0, 1])).unwrap();
    assert_eq!(checked.facts.super_root_hash(), Some(world.root(1)));
    for store in [TrustStore::default(), pinned(&world, &[0, 2])] {
        let error = verifier.check_trusted(&body, &store).unwrap_err();
        assert!(matches!(error, ClientError::NotTrusted { sequence: 1, .. }), "{error}");
    }
    let mut elsewhere = TrustStore::default();
    elsewhere.pin("simulated/other", 1, world.root(1)).unwrap();
    elsewhere.pin(ORIGIN, 2, world.root(1)).unwrap();
    assert!(verifier.check_trusted(&body, &elsewhere).is_err());
}

#[test]
fn a_proof_below_level_five_is_never_trusted() {
    let world = log();
    let verifier = Verifier::new(world.registry.clone());
    let short = prove(&world, Subject::Block, 1).up_to(ProofLevel::Twig);
    let store = pinned(&world, &[0, 1, 2]);
    let error = verifier.check_trusted(&short.encode(), &store).unwrap_err();
    assert!(matches!(error, ClientError::NoSuperRoot { level: ProofLevel::Twig }), "{error}");
}

#[test]
fn a_new_store_trusts_nothing_and_takes_a_log_by_its_name_alone() {
    let world = log();
    let store = TrustStore::default();
    assert_eq!(store.origins().count(), 0);
    assert!(matches!(
        pinned(&world, &[]).advance(ORIGIN, &full(&world, 0, 1), Strength::Full),
        Err(TrustError::UnknownLog { .. })
    ));
    let mut store = store;
    for wrong in ["", "a b", "a+b"] {
        assert!(matches!(store.pin(wrong, 0, Hash::ZERO), Err(TrustError::Origin(_))));
    }
    assert!(store.pin(ORIGIN, SAFE_INTEGER_MAX + 1, Hash::ZERO).is_err());
    assert_eq!(store, TrustStore::default());
}

#[test]
fn the_store_moves_on_by_full_consistency() {
    let world = log();
    let mut store = pinned(&world, &[0]);
    for (from, to) in [(0, 1), (1, 2)] {
        let pin = store.advance(ORIGIN, &full(&world, from, to), Strength::Full).unwrap();
        let expected = Pin { sequence: to as u64, super_root_hash: world.root(to) };
        assert_eq!(pin, expected);
        assert_eq!(store.pins(ORIGIN).last(), Some(&expected));
    }
    let mut jumped = pinned(&world, &[0]);
    jumped.advance(ORIGIN, &full(&world, 0, 2), Strength::Full).unwrap();
    let verifier = Verifier::new(world.registry.clone());
    let body = prove(&world, Subject::Block, 2).encode();
    verifier.check_trusted(&body, &jumped).unwrap();
    let started = store.advance(ORIGIN, &full(&world, 0, 2), Strength::Full);
    assert!(matches!(started, Err(TrustError::Start { got: 0, newest: 2 })));
}

#[test]
fn weaker_proofs_move_nothing_unless_asked() {
    let world = log();
    let mut store = pinned(&world, &[0]);
    let before = store.clone();
    let (weaker, upgrade) = (history(&world, 0, 1), {
        let history = world.consistency(0, 1).proof.history;
        Consistency::Upgrade(Box::new(history.upgrade)).into()
    });
    let refused = store.advance(ORIGIN, &weaker, Strength::Full).unwrap_err();
    assert!(matches!(
        refused,
        TrustError::Strength { got: Strength::History, needed: Strength::Full }
    ));
    for weakest in Strength::ALL {
        let refused = store.advance(ORIGIN, &upgrade, weakest).unwrap_err();
        assert!(matches!(refused, TrustError::Strength { got: Strength::Upgrade, .. }));
    }
    assert_eq!(store, before);
    store.advance(ORIGIN, &weaker, Strength::History).unwrap();
    assert_eq!(store.pins(ORIGIN).len(), 2);
}

/// A log that showed us SuperRoot 1 and then rewrites a block under it.
#[test]
fn a_fork_is_refused() {
    let honest = log();
    let liar = log_with(|world| {
        drop(world.blocks.insert((ETHEREUM, 4105), block(4105, Hash([9; 32]), 7)));
    });
    assert_eq!((honest.root(1), honest.root(0)), (liar.root(1), liar.root(0)));
    assert_ne!(honest.root(2), liar.root(2));
    let mut store = pinned(&honest, &[0, 1]);
    let before = store.clone();
    let refused = store.advance(ORIGIN, &full(&liar, 1, 2), Strength::Full).unwrap_err();
    assert!(matches!(refused, TrustError::Inconsistent(_)), "{refused}");
    assert_eq!(store, before);
    store.advance(ORIGIN, &full(&honest, 1, 2), Strength::Full).unwrap();
    let refused = store.pin(ORIGIN, 2, liar.root(2)).unwrap_err();
    assert!(matches!(refused, TrustError::Fork { sequence: 2, .. }), "{refused}");
    let verifier = Verifier::new(honest.registry.clone());
    let lie = prove(&liar, Subject::Block, 2).encode();
    let refused = verifier.check_trusted(&lie, &store).unwrap_err();
    assert!(matches!(refused, ClientError::NotTrusted { sequence: 2, .. }), "{refused}");
}

/// A log whose history was another from the start: its proof fits itself, not our pin.
#[test]
fn a_proof_from_another_start_is_refused() {
    let honest = log();
    let mut other = World::new();
    other.extend(ETHEREUM, 4096..=4100, |_| 1);
    other.publish(1_700_000_000);
    other.extend(ETHEREUM, 4101..=4110, |_| 0);
    other.publish(1_700_000_012);
    let mut store = pinned(&honest, &[0]);
    let refused = store.advance(ORIGIN, &full(&other, 0, 1), Strength::Full).unwrap_err();
    assert!(matches!(refused, TrustError::Inconsistent(_)), "{refused}");
    assert_eq!(store, pinned(&honest, &[0]));
}

#[test]
fn a_store_reads_back_and_is_replaced_whole() {
    let world = log();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trust.toml");
    let missing = TrustStore::load(&path).unwrap_err();
    assert!(matches!(missing, TrustError::File { .. }));
    for sequences in [&[][..], &[0], &[0, 2], &[0, 1, 2]] {
        let mut store = pinned(&world, sequences);
        store.pin("log.example.org", 5, Hash([5; 32])).unwrap();
        store.save(&path).unwrap();
        assert_eq!(TrustStore::load(&path).unwrap(), store);
    }
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().flatten().collect();
    assert_eq!(names.len(), 1, "{names:?}");
    let nowhere = folder.path().join("none").join("trust.toml");
    assert!(matches!(pinned(&world, &[0]).save(&nowhere), Err(TrustError::File { .. })));
}

#[test]
fn a_bent_store_is_refused() {
    let world = log();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trust.toml");
    pinned(&world, &[0, 1]).save(&path).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let id = superroot_proof::superroot::log_id(ORIGIN).unwrap().to_string();
    let doubled = format!("{text}{text}");
    for (bent, why) in [
        (text.replace(ORIGIN, "live.example.org"), "malformed: a log id is not its origin's"),
        (text.replace(&id, &Hash::ZERO.to_string()), "malformed: a log id is not its origin's"),
        (text.replace("sequence = 1", "sequence = 0"), "the log has forked"),
        (text.replace("sequence = 0", "sequence = 7"), "or pins do not rise"),
        (text.replace("sequence = 0", "sequence = -1"), "malformed"),
        (text.replace("sequence = 1", "sequence = 9007199254740992"), "2^53"),
        (text.replace("sequence", "sequenz"), "unknown field"),
        (text.replace("0x", ""), "0x-prefixed hex"),
        (doubled, "a log occurs twice"),
        ("log = 7".to_owned(), "malformed"),
        ("\u{0}".to_owned(), "malformed"),
    ] {
        assert_ne!(bent, text, "{why}");
        std::fs::write(&path, &bent).unwrap();
        let error = TrustStore::load(&path).unwrap_err().to_string();
        assert!(error.contains(why), "{error} instead of {why}");
    }
    let large = "#".repeat(usize::try_from(FILE_BYTES_MAX).unwrap() + 1);
    std::fs::write(&path, large).unwrap();
    assert!(matches!(TrustStore::load(&path), Err(TrustError::File { .. })));
}

#[test]
fn a_store_is_bounded() {
    let mut store = TrustStore::default();
    for sequence in 0..PINS_MAX as u64 {
        store.pin(ORIGIN, sequence, Hash([1; 32])).unwrap();
    }
    let full = store.pin(ORIGIN, PINS_MAX as u64, Hash([1; 32])).unwrap_err();
    assert!(matches!(full, TrustError::Full { max: PINS_MAX, .. }));
    store.pin(ORIGIN, 0, Hash([1; 32])).expect("what is pinned may be pinned again");
    let more = (1..200).map(|log| store.pin(&format!("log{log}"), 0, Hash::ZERO));
    assert!(more.filter(Result::is_ok).count() < 64);
}

#[test]
fn a_proof_about_something_else_is_no_answer() {
    let world = log();
    let verifier = Verifier::new(world.registry.clone());
    let chain = ETHEREUM;
    let number = BlockNumber(4099);
    let facts = |subject| {
        let body = json(&world, &prove(&world, subject, 1), Shape::V5);
        verifier.check(&body, Some(&world.root(1))).unwrap().facts.into_inner()
    };
    let block = facts(Subject::Block);
    let transaction = facts(Subject::Transaction { tx_index: 1 });
    let event = facts(Subject::Log { tx_index: 3, log_index: 2 });
    let absence = facts(Subject::Absence { tx_index: 4 });
    let ask = |of| Asked { chain, of };
    ask(Of::LatestBlock).is_answered_by(&block).unwrap();
    let tx_hash = transaction.transaction.as_ref().unwrap().hash;
    let asked = [
        Of::Block { number },
        Of::Transaction { tx_hash },
        Of::Event { number, tx_index: 3, log_index: 2 },
        Of::Absence { number, tx_index: 4 },
    ];
    for (question, of) in asked.into_iter().enumerate() {
        for (answer, facts) in [&block, &transaction, &event, &absence].into_iter().enumerate() {
            assert_eq!(ask(of).is_answered_by(facts).is_ok(), question == answer, "{of:?}");
        }
    }
    for other in [
        ask(Of::Block { number: BlockNumber(4098) }),
        Asked { chain: ChainKey { id: ChainId(10), ..chain }, of: Of::Block { number } },
        // an id alone is never enough
        Asked { chain: ChainKey { family: Family::Cosmos, ..chain }, of: Of::Block { number } },
    ] {
        let error = other.is_answered_by(&block).unwrap_err().to_string();
        assert!(
            error.ends_with("the proof is about block of block 4099 of chain evm:1"),
            "{error}"
        );
    }
    let other = ask(Of::Transaction { tx_hash: Hash::ZERO });
    assert!(other.is_answered_by(&transaction).is_err());
    let other = ask(Of::Event { number, tx_index: 3, log_index: 1 });
    assert!(other.is_answered_by(&event).is_err());
    // the nodes that show nothing at 4 may show nothing at 5 as well
    let other = ask(Of::Absence { number, tx_index: 5 });
    assert!(other.is_answered_by(&absence).is_err());
    let event_with = |both| {
        let subject = Subject::Log { tx_index: 3, log_index: 2 };
        let bundle = world.prove(chain, 4099, subject, both, 1);
        verifier.check(&bundle.encode(), None).unwrap().facts.into_inner()
    };
    let (both, alone) = (event_with(true), event_with(false));
    let tx_hash = both.transaction.as_ref().unwrap().hash;
    let by_hash = |tx_hash, log_index| ask(Of::EventByHash { tx_hash, log_index });
    by_hash(tx_hash, 2).is_answered_by(&both).unwrap();
    assert!(by_hash(tx_hash, 1).is_answered_by(&both).is_err());
    assert!(by_hash(Hash::ZERO, 2).is_answered_by(&both).is_err());
    // without the transaction's own trie nobody has shown its hash
    assert!(by_hash(tx_hash, 2).is_answered_by(&alone).is_err());
}

#[test]
fn the_builtin_registry_knows_ethereum_and_refuses_what_it_does_not_know() {
    let world = log();
    let verifier = Verifier::builtin();
    // the same chain stands in row 0 here and there, and a sealed twig needs no row
    let body = prove(&world, Subject::Block, 1).up_to(ProofLevel::Twig).encode();
    assert_eq!(verifier.check(&body, None).unwrap().facts.level, ProofLevel::Twig);
    let mut bundle = prove(&world, Subject::Block, 1).up_to(ProofLevel::Twig);
    bundle.statement.chain.id = ChainId(123_456_789);
    let refused = verifier.check(&bundle.encode(), None).unwrap_err();
    let CheckError::Proof(refused) = refused else { panic!("{refused}") };
    assert!(matches!(refused.fault, Fault::UnknownChain { .. }));
}
