//! Laws of answers: a proof that holds may still be about something else than what was asked.

use crate::fixture;

use fixture::world::ETHEREUM;
use fixture::{json, log, prove};
use superroot_client::*;
use superroot_proof::bundle::*;
use superroot_types::*;
use superroot_wire::{CheckError, Shape};

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
    let block = facts(ProofSubject::Block);
    let transaction = facts(ProofSubject::Transaction { tx_index: 1 });
    let event = facts(ProofSubject::Log { tx_index: 3, log_index: 2 });
    let absence = facts(ProofSubject::Absence { tx_index: 4 });
    let ask = |of| ExpectedSubject { chain, of };
    ask(ExpectedEntry::LatestBlock).is_answered_by(&block).unwrap();
    let tx_hash = transaction.transaction.as_ref().unwrap().hash;
    let asked = [
        ExpectedEntry::Block { number },
        ExpectedEntry::Transaction { tx_hash },
        ExpectedEntry::Event { number, tx_index: 3, log_index: 2 },
        ExpectedEntry::Absence { number, tx_index: 4 },
    ];
    for (question, of) in asked.into_iter().enumerate() {
        for (answer, facts) in [&block, &transaction, &event, &absence].into_iter().enumerate() {
            assert_eq!(ask(of).is_answered_by(facts).is_ok(), question == answer, "{of:?}");
        }
    }
    for other in [
        ask(ExpectedEntry::Block { number: BlockNumber(4098) }),
        ExpectedSubject {
            chain: ChainKey { id: ChainId(10), ..chain },
            of: ExpectedEntry::Block { number },
        },
        // an id alone is never enough
        ExpectedSubject {
            chain: ChainKey { family: Family::Cosmos, ..chain },
            of: ExpectedEntry::Block { number },
        },
    ] {
        let error = other.is_answered_by(&block).unwrap_err().to_string();
        assert!(
            error.ends_with("the proof is about block of block 4099 of chain evm:1"),
            "{error}"
        );
    }
    let other = ask(ExpectedEntry::Transaction { tx_hash: Hash::ZERO });
    assert!(other.is_answered_by(&transaction).is_err());
    let other = ask(ExpectedEntry::Event { number, tx_index: 3, log_index: 1 });
    assert!(other.is_answered_by(&event).is_err());
    // the nodes that show nothing at 4 may show nothing at 5 as well
    let other = ask(ExpectedEntry::Absence { number, tx_index: 5 });
    assert!(other.is_answered_by(&absence).is_err());
    let event_with = |both| {
        let subject = ProofSubject::Log { tx_index: 3, log_index: 2 };
        let bundle = world.prove(chain, 4099, subject, both, 1);
        verifier.check(&bundle.encode(), None).unwrap().facts.into_inner()
    };
    let (both, alone) = (event_with(true), event_with(false));
    let tx_hash = both.transaction.as_ref().unwrap().hash;
    let by_hash = |tx_hash, log_index| ask(ExpectedEntry::EventByHash { tx_hash, log_index });
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
    let body = prove(&world, ProofSubject::Block, 1).up_to(ProofLevel::Twig).encode();
    assert_eq!(verifier.check(&body, None).unwrap().facts.level, ProofLevel::Twig);
    let mut bundle = prove(&world, ProofSubject::Block, 1).up_to(ProofLevel::Twig);
    bundle.statement.chain.id = ChainId(123_456_789);
    let refused = verifier.check(&bundle.encode(), None).unwrap_err();
    let CheckError::Proof(refused) = refused else { panic!("{refused}") };
    assert!(matches!(refused.fault, ProofFault::UnknownChain { .. }));
}
