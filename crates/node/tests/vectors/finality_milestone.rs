//! Milestones of a made Heimdall whose validators change.

use superroot_proof::finality::milestone::{IavlStep, MilestoneBody};
use superroot_proof::finality::*;
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::cosmos::precommit_bytes;
use superroot_proof::ledger::evm::Layout;
use superroot_proof::registry::HashRule;
use superroot_types::{Hash, UnixSeconds};

use crate::commits::{GENESIS, Members};
use crate::epochs;
use crate::finality::Case;
use crate::milestones::*;

/// Of 90: a third is 30, two thirds are 60.
const OLD: [(u8, u64); 6] = [(1, 20), (2, 20), (3, 20), (4, 10), (5, 10), (6, 10)];
const NEW: [(u8, u64); 6] = [(7, 30), (1, 20), (8, 20), (2, 11), (4, 5), (9, 4)];

/// Milestone 9 at height 370 by its own validators, from the set of height 320 by way of that of 352.
pub(crate) fn cases() -> Vec<Case> {
    let params = FinalityParams::Milestone(params());
    let first = state(1);
    let set = set(&params, &header(320, &OLD, &OLD, &first), &OLD);
    let state = state(9);
    let about = header(370, &NEW, &OLD, &state);
    let step = |height, signers: &[usize]| {
        commit(&header(height, &NEW, &NEW, &first), &NEW, signers).encode()
    };
    let proof = FinalityProof {
        evidence: evidence_of(9, &state.body(&commit(&about, &NEW, &[0, 2, 3]))),
        link: LinkHeaders::default(),
        steps: vec![step(352, &[0, 1, 3])],
    };
    let mut good = Case::new(params.clone(), HashRule::Evm(Layout::Ethereum), &set, &proof);
    good.now = UnixSeconds(GENESIS + 6 * 1_000);
    let next = crate::milestones::set(&params, &header(352, &NEW, &NEW, &first), &NEW);
    let signed = |state: &MadeState, members: &Members, signers: &[usize]| {
        let about = header(370, members, members, state);
        evidence_of(9, &state.body(&commit(&about, members, signers)))
    };
    let body = |change: &dyn Fn(&mut MilestoneBody)| {
        let mut body = state.body(&commit(&about, &NEW, &[0, 2, 3]));
        change(&mut body);
        evidence_of(9, &body)
    };
    let all = |bor: &str| -> Vec<_> {
        (1..=9).map(|at| milestone(block(at).0.0, block(at).1, bor)).collect()
    };
    let other_words = |chain_id: &str| {
        let made = commit_with(&about, &NEW, &[0, 2, 3], |_, id, time| {
            precommit_bytes(chain_id, (370, 1), id, time)
        });
        evidence_of(9, &state.body(&made))
    };
    vec![
        good.clone(),
        good.but("a set that is further on", "steps to it are skipped", |case| {
            case.trusted = (next.encode(), next.id());
        }),
        good.but("an ancestor by its descendant", "the link leads to it", |case| {
            let (number, parent) = (block(9).0.0, Hash([8; 32]));
            let child = epochs::header(number, parent, &[]);
            let hash = keccak256(&child);
            let mut milestones = all("137");
            milestones[8] = milestone(number, hash, "137");
            let signed = signed(&MadeState::new(&milestones, 9), &NEW, &[0, 2, 3]);
            let linked = FinalityProof {
                evidence: ConsensusEvidence { hash, ..signed },
                link: LinkHeaders { headers: vec![child.into()] },
                ..proof.clone()
            };
            case.finality = linked.encode();
            case.number -= 1;
            case.hash = parent;
        }),
        good.but_proof("no step, for too many strangers", "a third must be trusted", |proof| {
            proof.steps.clear();
        }),
        good.but_proof("a step of too little power", "more than two thirds must", |proof| {
            proof.steps = vec![step(352, &[0, 1])];
        }),
        good.but_proof("a step to a height of no set", "sets are 32 blocks apart", |proof| {
            proof.steps = vec![step(353, &[0, 1, 3])];
        }),
        good.but_proof("two thirds exactly", "more must sign", |proof| {
            let members = [(7, 30), (1, 20), (8, 25), (2, 10), (4, 5)];
            proof.evidence = signed(&state, &members, &[0, 1, 3]);
        }),
        good.but_proof("votes of another chain", "the signature is over the chain id", |proof| {
            proof.evidence = other_words("heimdall-other");
        }),
        good.but_proof("another milestone's number", "its key has another value", |proof| {
            proof.evidence = body(&|body| body.number = 8);
        }),
        good.but_proof(
            "a milestone of another store",
            "the store's name is in the tree",
            |proof| {
                proof.evidence =
                    signed(&MadeState::in_store(&all("137"), 9, "bank"), &NEW, &[0, 2, 3]);
            },
        ),
        good.but_proof("a milestone of another chain", "it names its chain", |proof| {
            proof.evidence = signed(&MadeState::new(&all("80002"), 9), &NEW, &[0, 2, 3]);
        }),
        good.but_proof("the header of the state's own height", "its root is older", |proof| {
            let before = MadeState::new(&all("137")[..8], 8);
            let state = MadeState { app_hash: before.app_hash, ..state.clone() };
            proof.evidence = signed(&state, &NEW, &[0, 2, 3]);
        }),
        good.but_proof("a leaf as an inner node", "inner nodes have heights", |proof| {
            proof.evidence = body(&|body| body.path.steps[0].height = 0);
        }),
        good.but_proof("heights that do not rise", "a node is above its children", |proof| {
            proof.evidence = body(&|body| body.path.steps[2].height = 2);
        }),
        good.but_proof("a node more", "it leads past the root", |proof| {
            proof.evidence = body(&|body| {
                let step = body.path.steps[0];
                body.path.steps.push(IavlStep { height: 9, ..step });
            });
        }),
        good.but_proof("a prefix of thirteen bytes", "twelve are the most", |proof| {
            proof.evidence = body(&|body| body.path.steps[0].version = 1 << 62);
        }),
        good.but("another number", "the evidence binds it", |case| case.number += 1),
        good.but("another hash", "the evidence is about another block", |case| {
            case.hash = Hash([8; 32]);
        }),
        good.but("after the trusting period", "the set is too old", |case| {
            case.now = UnixSeconds(GENESIS + 2 * 86_400);
        }),
        good.but("a clock of before", "the header is of later", |case| {
            case.now = UnixSeconds(GENESIS + 6 * 370 - 10);
        }),
        good.but("another set than the pinned one", "its id is another", |case| {
            case.trusted.0[20] ^= 1;
        }),
    ]
}
