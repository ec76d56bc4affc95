//! Laws of answers: a proof that holds may still be about something else than what was asked.

use crate::fixture;

use fixture::world::ETHEREUM;
use fixture::{json, log, prove};
use superroot_client::*;
use superroot_proof::bundle::*;
use superroot_types::*;
use superroot_wire::proof::{ProofQuery, ProofTarget};
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
    let ask = |target| ProofQuery { chain, target };
    answers_proof(&ask(ProofTarget::Block(BlockRef::Latest)), &block).unwrap();
    let tx_hash = transaction.transaction.as_ref().unwrap().hash;
    let block_target = ProofTarget::Block(number.into());
    let event_target =
        |log_index| ProofTarget::Event { block: number.into(), tx_index: 3, log_index };
    let absence_target = |tx_index| ProofTarget::Absence { block: number.into(), tx_index };
    let asked =
        [block_target, ProofTarget::Transaction { tx_hash }, event_target(2), absence_target(4)];
    for (question, target) in asked.into_iter().enumerate() {
        for (answer, facts) in [&block, &transaction, &event, &absence].into_iter().enumerate() {
            let answered = answers_proof(&ask(target), facts);
            assert_eq!(answered.is_ok(), question == answer, "{target:?}");
        }
    }
    for other in [
        ask(ProofTarget::Block(BlockNumber(4098).into())),
        ProofQuery { chain: ChainKey { id: ChainId(10), ..chain }, target: block_target },
        // an id alone is never enough
        ProofQuery { chain: ChainKey { family: Family::Cosmos, ..chain }, target: block_target },
    ] {
        let error = answers_proof(&other, &block).unwrap_err().to_string();
        assert!(
            error.ends_with("the proof is about block of block 4099 of chain evm:1"),
            "{error}"
        );
    }
    let other = ask(ProofTarget::Transaction { tx_hash: Hash::ZERO });
    assert!(answers_proof(&other, &transaction).is_err());
    assert!(answers_proof(&ask(event_target(1)), &event).is_err());
    // the nodes that show nothing at 4 may show nothing at 5 as well
    assert!(answers_proof(&ask(absence_target(5)), &absence).is_err());
    let event_with = |both| {
        let subject = ProofSubject::Log { tx_index: 3, log_index: 2 };
        let bundle = world.prove(chain, 4099, subject, both, 1);
        verifier.check(&bundle.encode(), None).unwrap().facts.into_inner()
    };
    let (both, alone) = (event_with(true), event_with(false));
    let tx_hash = both.transaction.as_ref().unwrap().hash;
    let by_hash = |tx_hash, log_index| ask(ProofTarget::EventByHash { tx_hash, log_index });
    answers_proof(&by_hash(tx_hash, 2), &both).unwrap();
    assert!(answers_proof(&by_hash(tx_hash, 1), &both).is_err());
    assert!(answers_proof(&by_hash(Hash::ZERO, 2), &both).is_err());
    // without the transaction's own trie nobody has shown its hash
    assert!(answers_proof(&by_hash(tx_hash, 2), &alone).is_err());
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
