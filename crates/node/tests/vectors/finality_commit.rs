//! Commits of a made CometBFT chain whose validators change.

use superroot_proof::finality::*;
use superroot_proof::ledger::cosmos::{CosmosBlockId, precommit_bytes};
use superroot_proof::registry::HashRule;
use superroot_types::UnixSeconds;

use crate::commits::*;
use crate::finality::Case;

/// Of 90: a third is 30, two thirds are 60.
const OLD: [(u8, u64); 6] = [(1, 20), (2, 20), (3, 20), (4, 10), (5, 10), (6, 10)];
const NEW: [(u8, u64); 6] = [(7, 30), (1, 20), (8, 20), (2, 11), (4, 5), (9, 4)];

/// Height 370 by its own validators, from the set of height 320 by way of that of 352.
pub(crate) fn cases() -> Vec<Case> {
    let params = FinalityParams::Commit(short());
    let set = commit_set(&params, &header(320, &OLD, &OLD), &OLD);
    let about = header(370, &NEW, &OLD);
    let step =
        |height, signers: &[usize]| commit(&header(height, &NEW, &NEW), &NEW, signers).encode();
    let proof = FinalityProof {
        evidence: evidence_of(&about, &commit(&about, &NEW, &[0, 2, 3])),
        link: LinkHeaders::default(),
        steps: vec![step(352, &[0, 1, 3])],
    };
    let mut good = Case::new(params.clone(), HashRule::Cosmos, &set, &proof);
    good.now = UnixSeconds(GENESIS + 6 * 1_000);
    let next = commit_set(&params, &header(352, &NEW, &NEW), &NEW);
    let parent = header(370, &NEW, &NEW);
    let mut child = header(371, &NEW, &NEW);
    child.last_block_id = child.last_block_id.map(|id| CosmosBlockId { hash: parent.hash(), ..id });
    let signed = |members: &Members, signers: &[usize]| {
        let about = header(370, members, members);
        evidence_of(&about, &commit(&about, members, signers))
    };
    let other_words = |chain_id: &str, round| {
        let made = commit_with(&about, &NEW, &[0, 2, 3], |_, id, time| {
            precommit_bytes(chain_id, (370, round), id, time)
        });
        evidence_of(&about, &made)
    };
    vec![
        good.clone(),
        good.but("an ancestor by its descendant", "the link leads to it", |case| {
            let linked = FinalityProof {
                evidence: evidence_of(&child, &commit(&child, &NEW, &[0, 2, 3])),
                link: LinkHeaders { headers: vec![child.encode().into()] },
                ..proof.clone()
            };
            case.finality = linked.encode();
            case.hash = parent.hash();
        }),
        good.but("a set that is further on", "steps to it are skipped", |case| {
            case.trusted = (next.encode(), next.id());
        }),
        good.but_proof("no step, for too many strangers", "a third must be trusted", |proof| {
            proof.steps.clear();
        }),
        good.but_proof("the step twice", "the second is of the set before", |proof| {
            proof.steps.push(proof.steps[0].clone());
        }),
        good.but_proof("a step of too little power", "more than two thirds must", |proof| {
            proof.steps = vec![step(352, &[0, 1])];
        }),
        good.but_proof("a step of strangers", "more than a third must be trusted", |proof| {
            proof.steps = vec![step(352, &[0, 2, 3])];
        }),
        good.but_proof("a step to a height of no set", "sets are 32 blocks apart", |proof| {
            proof.steps = vec![step(353, &[0, 1, 3])];
        }),
        good.but_proof("a step past the next set", "each step leads to the next", |proof| {
            proof.steps = vec![step(384, &[0, 1, 3])];
        }),
        good.but_proof("two thirds exactly", "more must sign", |proof| {
            let members = [(7, 30), (1, 20), (8, 25), (2, 10), (4, 5)];
            proof.evidence = signed(&members, &[0, 1, 3]);
        }),
        good.but_proof("a third of the trusted power exactly", "more must sign", |proof| {
            proof.evidence = signed(&[(20, 900), (7, 30)], &[0, 1]);
        }),
        good.but_proof("a validator twice", "each is named once", |proof| {
            proof.evidence = signed(&[(7, 30), (7, 30)], &[0, 1]);
        }),
        good.but_proof("votes of another chain", "the signature is over the chain id", |proof| {
            proof.evidence = other_words("made-2", 1);
        }),
        good.but_proof("votes of another round", "the signature is over the round", |proof| {
            proof.evidence = other_words(CHAIN_ID, 2);
        }),
        good.but("another number", "the evidence binds it", |case| case.number += 1),
        good.but("another hash", "the evidence is about another block", |case| {
            case.hash = parent.hash();
        }),
        good.but("after the trusting period", "the set is too old", |case| {
            case.now = UnixSeconds(GENESIS + 15 * 86_400);
        }),
        good.but("a clock of before", "the header is of later", |case| {
            case.now = UnixSeconds(GENESIS + 6 * 370 - 10);
        }),
        good.but("another set than the pinned one", "its id is another", |case| {
            case.trusted.0[20] ^= 1;
        }),
    ]
}
