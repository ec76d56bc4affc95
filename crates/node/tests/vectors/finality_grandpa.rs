//! Precommits of a made chain with GRANDPA whose authorities change.

use superroot_proof::finality::*;
use superroot_proof::ledger::polkadot::{Header, precommit_bytes, scheduled_change_item};
use superroot_proof::registry::HashRule;
use superroot_types::{Hash, UnixSeconds};

use crate::finality::Case;
use crate::precommits::*;

/// Of 90: two thirds are 60.
const OLD: [(u16, u64); 6] = [(1, 20), (2, 20), (3, 20), (4, 10), (5, 10), (6, 10)];
/// Of 4: three must sign.
const NEW: [(u16, u64); 4] = [(1, 1), (7, 1), (8, 1), (9, 1)];
const FIRST: u64 = 100;

/// Block 130 by set 11 of block 120, from set 10 of block 100.
pub(crate) fn cases() -> Vec<Case> {
    let chain = line(FIRST..141, &[(100, &OLD), (120, &NEW)]);
    let at = |number: u64| &chain[usize::try_from(number - FIRST).unwrap()];
    let from = |number: u64, count: u64| -> Vec<Header> {
        (number..number + count).map(|number| at(number).clone()).collect()
    };
    let set = grandpa_set(10, at(100));
    let next = grandpa_set(11, at(120));
    let all = |places: &[u8]| (0..).zip(places.iter().copied()).collect::<Vec<_>>();
    let step = |header: &Header, signers: &[(usize, u8)]| {
        commit(10, std::slice::from_ref(header), &OLD, signers).encode()
    };
    let good_step = step(at(120), &all(&[0; 4]));
    let signed = |headers: &[Header], signers: &[(usize, u8)]| {
        evidence_of(&commit(11, headers, &NEW, signers))
    };
    let about = from(130, 1);
    let proof = FinalityProof {
        evidence: signed(&about, &all(&[0; 3])),
        link: LinkHeaders::default(),
        steps: vec![good_step.clone()],
    };
    let mut good = Case::new(params(), HashRule::Polkadot, &set, &proof);
    good.now = time(1_000);
    let other_words = |bytes: &dyn Fn(&Header) -> Vec<u8>| {
        evidence_of(&commit_with(11, &about, &NEW, &all(&[0; 3]), |_, header| bytes(header)))
    };
    // the header of a step, with another digest
    let named = |item: Vec<u8>| step(&header(120, at(119).hash(), &[item]), &all(&[0; 4]));
    let change = scheduled_change_item(&list(&NEW));
    // engine and form are behind the kind; the delay is last
    let (mut forced, mut delayed) = (change.clone(), change);
    let form = forced.iter().position(|byte| *byte == 1).unwrap();
    forced[form] = 2;
    let delay = delayed.len() - 4;
    delayed[delay] = 1;
    vec![
        good.clone(),
        good.but("a final block by votes for descendants", "headers link them", |case| {
            let evidence = signed(&from(130, 3), &all(&[2, 1, 2]));
            case.finality = FinalityProof { evidence, ..proof.clone() }.encode();
        }),
        good.but("an ancestor by its descendant", "the link leads to it", |case| {
            let headers = [at(130), at(129)].map(|header| header.encode().into()).to_vec();
            let linked = FinalityProof { link: LinkHeaders { headers }, ..proof.clone() };
            case.finality = linked.encode();
            (case.number, case.hash) = (128, at(128).hash());
        }),
        good.but("a set that is further on", "steps to it are skipped", |case| {
            case.trusted = (next.encode(), next.id());
        }),
        good.but_proof("no step", "another set signed", |proof| proof.steps.clear()),
        good.but_proof("the step twice", "the second is of the set before", |proof| {
            proof.steps.push(proof.steps[0].clone());
        }),
        good.but_proof("a step of two thirds exactly", "more must sign", |proof| {
            proof.steps = vec![step(at(120), &all(&[0; 3]))];
        }),
        good.but_proof("a step that names nobody", "a block with a change is needed", |proof| {
            proof.steps = vec![step(at(119), &all(&[0; 4]))];
        }),
        good.but_proof("a forced change", "the set before did not agree", |proof| {
            proof.steps = vec![named(forced)];
        }),
        good.but_proof("a delayed change", "changes are behind the block", |proof| {
            proof.steps = vec![named(delayed)];
        }),
        good.but_proof("two of four", "three must sign", |proof| {
            proof.evidence = signed(&about, &all(&[0; 2]));
        }),
        good.but_proof("one vote twice", "each signs once", |proof| {
            let mut twice = commit(11, &about, &NEW, &all(&[0; 3]));
            twice.votes[2].signature = twice.votes[0].signature;
            proof.evidence = evidence_of(&twice);
        }),
        good.but_proof("a vote for the parent", "the block is above that", |proof| {
            let parent = signed_bytes(at(129), ROUND, 11);
            proof.evidence = other_words(&|_| parent.clone());
        }),
        good.but_proof("a descendant without a vote", "no header is unused", |proof| {
            proof.evidence = signed(&from(130, 2), &all(&[0; 3]));
        }),
        good.but_proof("a gap between descendants", "each is the parent of the next", |proof| {
            let headers = [at(130).clone(), at(132).clone()];
            proof.evidence = signed(&headers, &all(&[0, 1, 1]));
        }),
        good.but_proof("votes past a set's last block", "the next set signs there", |proof| {
            proof.steps.clear();
            let across = commit(10, &from(120, 2), &OLD, &all(&[1; 4]));
            proof.evidence = evidence_of(&across);
        }),
        good.but_proof("votes of another round", "the signature is over the round", |proof| {
            proof.evidence = other_words(&|header| signed_bytes(header, ROUND + 1, 11));
        }),
        good.but_proof("votes of another set", "the signature is over its number", |proof| {
            proof.evidence = other_words(&|header| signed_bytes(header, ROUND, 10));
        }),
        good.but_proof("votes for another number", "the header has its own", |proof| {
            proof.evidence = other_words(&|header| precommit_bytes(&header.hash(), 131, ROUND, 11));
        }),
        good.but("another number", "the evidence binds it", |case| case.number += 1),
        good.but("another hash", "the evidence is about another block", |case| {
            case.hash = Hash([6; 32]);
        }),
        good.but("after the trusting period", "the set is too old", |case| {
            case.now = UnixSeconds(time(100).0 + 21 * 86_400 + 1);
        }),
        good.but("a clock of before", "the header is of later", |case| {
            case.now = UnixSeconds(time(130).0 - 1);
        }),
        good.but("a set with another number", "votes are over the number", |case| {
            case.trusted.0[7] += 1;
        }),
        good.but("another set than the pinned one", "its id is another", |case| {
            case.trusted.0[20] ^= 1;
        }),
    ]
}
