//! Signed headers of a made Tron chain whose producers change.

use superroot_proof::finality::producers::{ProducedHeader, write_run};
use superroot_proof::finality::*;
use superroot_proof::registry::HashRule;
use superroot_types::{Hash, UnixSeconds};

use crate::finality::Case;
use crate::rounds::*;

/// Block of the evidence, on the second day.
const ABOUT: u64 = DAY_BLOCKS + 100;

/// The second day has a producer with the own key in place of the first.
fn list(number: u64) -> Vec<Member> {
    let mut list = members();
    if number > DAY_BLOCKS {
        list[0] = (40, 40);
    }
    list
}

/// Block 300 by a round of headers, from the set of the first day by way of that of the second.
pub(crate) fn cases() -> Vec<Case> {
    let params = FinalityParams::Producers(short());
    let of = |number: u64| list(number)[number as usize % 27];
    let rounds = MadeRounds::new(1, 2 * DAY_BLOCKS - 1, of);
    let set = producer_set(&params, DAY, &members());
    let next = producer_set(&params, DAY + 1, &list(ABOUT));
    let proof = FinalityProof {
        evidence: rounds.evidence(ABOUT, 19),
        link: LinkHeaders::default(),
        steps: vec![rounds.step(DAY + 1, 27)],
    };
    let mut good = Case::new(params.clone(), HashRule::Tron, &set, &proof);
    good.now = UnixSeconds(GENESIS + 86_400);
    let resigned = |change: &dyn Fn(usize, &mut ProducedHeader)| {
        let mut run = rounds.run(ABOUT, 19).to_vec();
        run.iter_mut().enumerate().for_each(|(at, one)| change(at, one));
        evidence_of(ABOUT, rounds.id(ABOUT), &run)
    };
    let other = |of: &dyn Fn(u64) -> Member| MadeRounds::new(ABOUT, 19, of);
    let by = |case: &mut Case, rounds: &MadeRounds| {
        let mut proof = FinalityProof::decode(&case.finality).unwrap();
        proof.evidence = rounds.evidence(ABOUT, 19);
        (case.finality, case.hash) = (proof.encode(), rounds.id(ABOUT));
    };
    let begin = DAY_BLOCKS - 1;
    let stepped = |run: &[ProducedHeader]| vec![write_run(run).unwrap()];
    vec![
        good.clone(),
        good.but("an ancestor by its descendant", "the link leads to it", |case| {
            let linked = FinalityProof {
                evidence: rounds.evidence(ABOUT + 1, 27),
                link: rounds.run(ABOUT + 1, 1).iter().map(|one| one.header.clone()).collect(),
                ..proof.clone()
            };
            case.finality = linked.encode();
        }),
        good.but("a set that is further on", "steps to it are skipped", |case| {
            case.trusted = (next.encode(), next.id());
        }),
        good.but_proof("without a step", "nineteen of the first day's list signed", |proof| {
            proof.steps.clear();
            proof.evidence = rounds.evidence(ABOUT, 27);
        }),
        good.but_proof("the step twice", "the second is of the day before", |proof| {
            proof.steps.push(proof.steps[0].clone());
        }),
        good.but_proof("a step with 18 on top", "nineteen of the old list must sign", |proof| {
            proof.steps = vec![rounds.step(DAY + 1, 19)];
        }),
        good.but_proof("a step within a day", "the second header begins the day", |proof| {
            proof.steps = stepped(rounds.run(begin + 1, 2 + 54 + 27));
        }),
        good.but_proof("real headers signed by strangers", "no member comes of them", |proof| {
            let mut run = rounds.run(begin, 2 + 54 + 27).to_vec();
            for (at, one) in run.iter_mut().enumerate().take(56) {
                one.signature = sign(&one.header, 200 - (at % 27) as u8);
            }
            proof.steps = stepped(&run);
        }),
        good.but_proof("18 headers", "nineteen producers must build", |proof| {
            proof.evidence = rounds.evidence(ABOUT, 18);
        }),
        good.but("one producer 19 times", "nineteen distinct ones must build", |case| {
            by(case, &MadeRounds::in_turn(ABOUT, 19, &[(5, 5)]));
        }),
        good.but("18 distinct producers", "one counts once", |case| {
            by(case, &other(&|number| members()[1 + number as usize % 18]));
        }),
        good.but("a producer of the old list", "the new list counts", |case| {
            by(case, &other(&|number| members()[(number - ABOUT) as usize]));
        }),
        good.but("a key that is delegated no longer", "the list's key must sign", |case| {
            by(
                case,
                &other(&|number| match list(number)[1 + (number - ABOUT) as usize] {
                    (5, _) => (5, 105),
                    one => one,
                }),
            );
        }),
        good.but_proof("a signature by another key", "it does not count", |proof| {
            proof.evidence = resigned(&|at, one| {
                if at == 4 {
                    one.signature = sign(&one.header, 200);
                }
            });
        }),
        good.but_proof("a signature in another form", "there is one form", |proof| {
            proof.evidence = resigned(&|at, one| {
                if at == 4 {
                    one.signature[64] += 27;
                }
            });
        }),
        good.but_proof("a gap", "the next header has the next number", |proof| {
            let run = rounds.run(ABOUT, 19);
            let short = write_run(&run[..9]).unwrap().len();
            let longer = write_run(&run[..10]).unwrap().len();
            proof.evidence.body.drain(short..longer);
        }),
        good.but("another id of the same header", "the id holds the number", |case| {
            let mut proof = FinalityProof::decode(&case.finality).unwrap();
            proof.evidence.hash.0[7] ^= 1;
            (case.finality, case.hash) = (proof.encode(), proof.evidence.hash);
        }),
        good.but("another number", "the evidence binds it", |case| case.number += 1),
        good.but("another hash", "the evidence is about another block", |case| {
            case.hash = Hash([7; 32]);
        }),
        good.but("after the trusting period", "the set is too old", |case| {
            case.now = UnixSeconds(GENESIS + 15 * 86_400);
        }),
        good.but("a clock of before", "the headers are of later", |case| {
            case.now = UnixSeconds(GENESIS + BLOCK_SECONDS * ABOUT);
        }),
        good.but("another set than the pinned one", "its id is another", |case| {
            case.trusted.0[20] ^= 1;
        }),
        good.but("a list of 22", "23 are the least", |case| {
            let few = set_bytes(DAY, &members()[..22]);
            case.trusted = (few.clone(), superroot_proof::hash::sha256_joined(&[&few]));
        }),
    ]
}
