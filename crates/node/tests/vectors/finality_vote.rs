//! Votes over two epochs of a made chain.

use superroot_proof::finality::vote::*;
use superroot_proof::finality::*;
use superroot_proof::hash::keccak256;
use superroot_proof::registry::HashRule;
use superroot_types::UnixSeconds;

use crate::epochs::*;
use crate::finality::{Case, NOW};

/// An ancestor of the voted block 50, by the set of the epoch before.
pub(crate) fn cases() -> Vec<Case> {
    let headers = line(FIRST, 60);
    let set = FinalitySet::Vote(VoteSet::new(&SHORT, &headers[0]).unwrap());
    let link = |range: std::ops::RangeInclusive<usize>| {
        headers[range].iter().rev().cloned().collect::<LinkHeaders>()
    };
    let step = |range, at, voters: &[usize]| {
        write_vote_step(&link(range), &body(&headers, at, 10, voters))
    };
    let proof = FinalityProof {
        evidence: evidence(&headers, 50, 11, &FIVE),
        link: LinkHeaders::default(),
        steps: vec![step(32..=35, 35, &FIVE)],
    };
    let params = FinalityParams::Vote(SHORT);
    let mut good = Case::new(params, HashRule::from_code(1).unwrap(), &set, &proof);
    good.now = UnixSeconds(BEGIN + 1_000);
    let next = VoteSet::new(&SHORT, &headers[32]).unwrap();
    let next = FinalitySet::Vote(next);
    let at = |case: &mut Case, at: usize| {
        (case.number, case.hash) = (FIRST + at as u64, keccak256(&headers[at]));
    };
    let of_target = 8 + 8 + 96;
    vec![
        good.clone(),
        good.but("an ancestor by its descendants", "the link leads to it", |case| {
            let linked = FinalityProof { link: link(48..=50), ..proof.clone() };
            case.finality = linked.encode();
            at(case, 47);
        }),
        good.but("a set that is further on", "steps to it are skipped", |case| {
            case.trusted = (next.encode(), next.id());
        }),
        good.but("a link with a gap", "each header is the parent of the one above", |case| {
            let linked = LinkHeaders::from_iter([headers[50].clone(), headers[48].clone()]);
            case.finality = FinalityProof { link: linked, ..proof.clone() }.encode();
            at(case, 47);
        }),
        good.but_proof("no step", "the set of an earlier epoch", |proof| proof.steps.clear()),
        good.but_proof("the step twice", "the second is of the epoch before", |proof| {
            proof.steps.push(proof.steps[0].clone());
        }),
        good.but_proof("a step of four votes", "five of seven must", |proof| {
            proof.steps = vec![step(32..=35, 35, &FIVE[..4])];
        }),
        good.but_proof("a step to no epoch's first header", "it names no validators", |proof| {
            proof.steps = vec![step(33..=35, 35, &FIVE)];
        }),
        good.but_proof(
            "a step with a gap",
            "each header is the parent of the one above",
            |proof| {
                proof.steps = vec![step(32..=34, 35, &FIVE)];
            },
        ),
        good.but_proof("four votes", "five of seven must", |proof| {
            proof.evidence = evidence(&headers, 50, 11, &FIVE[..4]);
        }),
        good.but_proof("a bit more", "the signature is of one less", |proof| {
            proof.evidence.body[15] |= 2;
        }),
        good.but_proof("a bit past the validators", "the epoch has seven", |proof| {
            proof.evidence.body[15] |= 0x80;
        }),
        good.but_proof("votes of the epoch before", "others sign by then", |proof| {
            proof.evidence = evidence(&headers, 50, 10, &FIVE);
            proof.evidence.body[7] = 11;
        }),
        good.but_proof("votes of the set behind, too early", "the first still signs", |proof| {
            proof.evidence = evidence(&headers, 31, 11, &FIVE);
        }),
        good.but_proof("a vote from further below", "it makes nothing final", |proof| {
            let hash = |at: usize| keccak256(&headers[at]);
            let number = FIRST + 50;
            let vote = vote(11, (number, hash(50)), (number + 2, hash(52)), &FIVE);
            proof.evidence.body = write_vote(11, &vote, &headers[52]);
        }),
        good.but_proof("another header as target", "its parent is another", |proof| {
            proof.evidence.body.truncate(of_target);
            proof.evidence.body.extend_from_slice(&headers[40]);
        }),
        good.but("another number", "the evidence binds it", |case| case.number += 1),
        good.but("another hash", "the evidence is about another block", |case| {
            case.hash = keccak256(&headers[49]);
        }),
        good.but("after the trusting period", "the set is too old", |case| {
            case.now = UnixSeconds(NOW.0 + 15 * 86_400);
        }),
        good.but("a clock of before", "the target is of later", |case| {
            case.now = UnixSeconds(BEGIN + FIRST + 50);
        }),
        good.but("another set than the pinned one", "its id is another", |case| {
            case.trusted.0[20] ^= 1;
        }),
    ]
}
