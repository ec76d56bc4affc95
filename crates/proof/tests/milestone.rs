//! Milestones of a made Heimdall whose validators change, and all that must be refused. There is no real data.

use k256::ecdsa::Signature;
use superroot_proof::finality::commit::*;
use superroot_proof::finality::milestone::*;
use superroot_proof::finality::*;
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::cosmos::*;
use superroot_proof::ledger::evm::Layout;
use superroot_proof::registry::HashRule;
use superroot_types::{BlockNumber, Hash, UnixSeconds};

use crate::commits::GENESIS;
use crate::epochs;
use crate::finality::{Case, NOW, shown};
use crate::milestones::*;

/// Of 90: a third is 30, two thirds are 60.
const OLD: [(u8, u64); 6] = [(1, 20), (2, 20), (3, 20), (4, 10), (5, 10), (6, 10)];
/// Some left, some came, some have other power.
const NEW: [(u8, u64); 6] = [(7, 30), (1, 20), (8, 20), (2, 11), (4, 5), (9, 4)];
const LAST: [(u8, u64); 4] = [(9, 30), (7, 30), (8, 20), (10, 10)];

fn made_params() -> FinalityParams {
    FinalityParams::Milestone(params())
}

/// Set 10 of height 320, the step to set 11 of height 352, and milestone 9 in the header of height 370.
fn made() -> Case {
    let params = made_params();
    let set = set(&params, &header(320, &OLD, &OLD, &state(1)), &OLD);
    let behind = header(352, &NEW, &NEW, &state(1));
    let step = commit(&behind, &NEW, &[0, 1, 3]).encode();
    let state = state(9);
    let about = header(370, &NEW, &OLD, &state);
    let evidence = evidence_of(9, &state.body(&commit(&about, &NEW, &[0, 2, 3])));
    Case { params, set, step: Some(step), evidence }
}

/// Evidence of milestone 9 at height 330 with four of the old validators.
fn verdict_with(state: &MadeState, change: impl Fn(&mut MilestoneBody)) -> Verdict<FinalityShown> {
    let Case { params, set, .. } = made();
    let about = header(330, &OLD, &OLD, state);
    let mut body = state.body(&commit(&about, &OLD, &[0, 1, 2, 3]));
    change(&mut body);
    check_evidence(&params, &set, &evidence_of(9, &body), NOW)
}

fn refused(refusal: Refusal) -> Verdict<FinalityShown> {
    Verdict::Refusal(refusal)
}

const NOT_UNDER: Refusal = Refusal::Branch { part: "milestone" };
const NO_PATH: Refusal = Refusal::Encoding { part: "path of the milestone" };
const UNREAD: Refusal = Refusal::Encoding { part: "body" };

#[test]
fn milestones_are_shown_by_sets_that_follow_and_every_change_is_refused() {
    let case = made();
    case.refuses_every_change(1);
    let next = case.signer();
    let about = header(352, &NEW, &NEW, &state(1));
    assert_eq!((next.number(), next.id()), (11, about.hash()));
    assert_eq!(
        FinalitySet::named_by(&case.params, case.step.as_ref().unwrap()),
        Some(next.clone())
    );
    assert_eq!(case.evidence.signer(&case.params), Some(11));
    let found = shown(check_evidence(&case.params, &next, &case.evidence, NOW));
    let by = "61 of 90 of the voting power at height 370 of Heimdall, whose milestone 9 ends with block 5027";
    assert_eq!(found.by(), by);
    assert_eq!((found.number(), found.hash()), (Some(block(9).0), block(9).1));
    assert_eq!(found.at(), Some(UnixSeconds(GENESIS + 6 * 370)));
    // the set before is too far from these validators
    let few = Shortfall::Signers { got: 20, of: 90, expected: 31 };
    let verdict = check_evidence(&case.params, &case.set, &case.evidence, NOW);
    assert_eq!(verdict, Verdict::NotEnough(few));
    // a third set, with nobody of the first
    let third = header(384, &LAST, &LAST, &state(1));
    let step = commit(&third, &LAST, &[0, 1, 2]).encode();
    let Verdict::Shown(third) = next.advance(&case.params, &step, NOW) else { panic!() };
    let state = state(11);
    let about = header(400, &LAST, &LAST, &state);
    let evidence = evidence_of(11, &state.body(&commit(&about, &LAST, &[0, 1, 2])));
    shown(check_evidence(&case.params, &third, &evidence, NOW));
    let verdict = check_evidence(&case.params, &case.set, &evidence, NOW);
    let none = Shortfall::Signers { got: 0, of: 90, expected: 31 };
    assert_eq!(verdict, Verdict::NotEnough(none));
    let verdict = case.set.advance(&case.params, &step, NOW);
    assert_eq!(verdict, Verdict::NotEnough(Shortfall::Set { needed: 11, held: 10 }));
}

#[test]
fn every_milestone_of_every_small_state_is_under_the_root() {
    for count in 1..=20_u64 {
        let all: Vec<_> = (1..=count)
            .map(|number| milestone(100 * number, Hash([number as u8; 32]), "137"))
            .collect();
        for number in 1..=count {
            let made = MadeState::new(&all, number);
            let store = made.path.root(&milestone_key(number), &made.milestone).unwrap();
            let root = made.stores.root(MILESTONE_STORE, &store.0).unwrap();
            assert_eq!(root.0, made.app_hash, "{number} of {count}");
            let read = BorMilestone::decode(&made.milestone).unwrap();
            assert_eq!(read.end_block, BlockNumber(100 * number));
            assert_eq!(
                (read.hash, read.bor_chain_id),
                (Hash([number as u8; 32]), "137".to_owned())
            );
        }
    }
}

#[test]
fn another_block_chain_key_store_or_height_is_refused() {
    let state = state(9);
    shown(verdict_with(&state, |_| {}));
    // another milestone than the one under the key
    let other = |body: &mut MilestoneBody| body.number = 8;
    assert_eq!(verdict_with(&state, other), refused(NOT_UNDER));
    let (number, hash) = block(8);
    let other = |body: &mut MilestoneBody| body.milestone = milestone(number.0, hash, "137");
    let (got, expected) = (hash, block(9).1);
    assert_eq!(verdict_with(&state, other), refused(Refusal::Block { got, expected }));
    let other = |body: &mut MilestoneBody| body.milestone = milestone(number.0, block(9).1, "137");
    let (got, expected) = (number, block(9).0);
    assert_eq!(verdict_with(&state, other), refused(Refusal::Number { got, expected }));
    // a state with the block, of another chain
    let all: Vec<_> = (1..=9).map(|at| milestone(block(at).0.0, block(at).1, "80002")).collect();
    let what = "the milestone's chain id is another";
    let verdict = verdict_with(&MadeState::new(&all, 9), |_| {});
    assert_eq!(verdict, refused(Refusal::Header { number: block(9).0.0, what }));
    // the same bytes in another store
    let all: Vec<_> = (1..=9).map(|at| milestone(block(at).0.0, block(at).1, "137")).collect();
    shown(verdict_with(&MadeState::new(&all, 9), |_| {}));
    let verdict = verdict_with(&MadeState::in_store(&all, 9, "bank"), |_| {});
    assert_eq!(verdict, refused(NOT_UNDER));
    // the header of the state's own height has the root of the state before
    let before = MadeState::new(&all[..8], 8);
    let verdict = verdict_with(&MadeState { app_hash: before.app_hash, ..state.clone() }, |_| {});
    assert_eq!(verdict, refused(NOT_UNDER));
    // an app hash that only begins with the root
    let Case { params, set, .. } = made();
    let mut about = header(330, &OLD, &OLD, &state);
    about.app_hash.push(0);
    let body = state.body(&commit(&about, &OLD, &[0, 1, 2, 3]));
    assert_eq!(check_evidence(&params, &set, &evidence_of(9, &body), NOW), refused(NOT_UNDER));
    // Heimdall's own block is no block of Polygon
    let (number, hash) = (BlockNumber(about.height), about.hash());
    let own = ConsensusEvidence { number, hash, ..evidence_of(9, &body) };
    let expected = hash;
    let verdict = check_evidence(&params, &set, &own, NOW);
    assert_eq!(verdict, refused(Refusal::Block { got: block(9).1, expected }));
}

/// Headers of Polygon lead from a milestone's last block to the blocks below.
#[test]
fn a_block_below_is_shown_by_the_headers_between() {
    let Case { params, set, .. } = made();
    let (number, first) = (block(9).0.0, Hash([8; 32]));
    let middle = epochs::header(number - 1, first, &[]);
    let last = epochs::header(number, keccak256(&middle), &[]);
    let hash = keccak256(&last);
    let state = MadeState::new(&[milestone(number, hash, "137")], 1);
    let about = header(330, &OLD, &OLD, &state);
    let body = state.body(&commit(&about, &OLD, &[0, 1, 2, 3]));
    let evidence = ConsensusEvidence { hash, ..evidence_of(9, &body) };
    let link: LinkHeaders = [last, middle].into_iter().collect();
    let proof = FinalityProof { evidence, link, steps: Vec::new() };
    let rule = HashRule::Evm(Layout::Ethereum);
    let asked = FinalityQuestion { rule, number: BlockNumber(number - 2), hash: first };
    let found = shown(check(&params, &set, &proof, asked, NOW));
    assert_eq!((found.number(), found.hash(), found.target()), (Some(asked.number), first, hash));
    let other = FinalityQuestion { number: BlockNumber(number - 1), ..asked };
    let (got, expected) = (asked.number, other.number);
    let verdict = check(&params, &set, &proof, other, NOW);
    assert_eq!(verdict, refused(Refusal::Number { got, expected }));
}

/// A body with milestone 9 in a tree whose nodes are as given; the header has the root, whatever it is.
fn forged(milestone: &[u8], path: IavlPath, app_hash: [u8; 32]) -> Verdict<FinalityShown> {
    let state = MadeState { milestone: milestone.to_vec(), path, app_hash, ..state(9) };
    verdict_with(&state, |_| {})
}

#[test]
fn no_node_is_written_that_a_tree_does_not_have() {
    let good = state(9);
    let heights: Vec<_> = good.path.steps.iter().map(|step| step.height).collect();
    assert_eq!(heights, [1, 2, 3, 4]);
    let bent = |change: &dyn Fn(&mut IavlPath)| {
        let mut path = good.path.clone();
        change(&mut path);
        forged(&good.milestone, path, good.app_hash)
    };
    // heights that do not rise: a leaf as an inner node among them
    assert_eq!(bent(&|path| path.steps[0].height = 0), refused(NO_PATH));
    assert_eq!(bent(&|path| path.steps[2].height = 2), refused(NO_PATH));
    assert_eq!(bent(&|path| path.steps[1].height = 4), refused(NO_PATH));
    // a prefix of twelve bytes with the child's length is the longest
    assert_eq!(bent(&|path| path.steps[0].version = 1 << 55), refused(NOT_UNDER));
    assert_eq!(bent(&|path| path.steps[0].version = 1 << 62), refused(NO_PATH));
    assert_eq!(bent(&|path| path.steps[0].version = u64::MAX), refused(NO_PATH));
    assert_eq!(bent(&|path| path.version = u64::MAX), refused(NO_PATH));
    // a sibling on the other side, a step too few, one too many
    assert_eq!(bent(&|path| path.steps[0].is_sibling_left ^= true), refused(NOT_UNDER));
    assert_eq!(bent(&|path| _ = path.steps.pop()), refused(NOT_UNDER));
    assert_eq!(bent(&|path| _ = path.steps.remove(0)), refused(NOT_UNDER));
    let step = good.path.steps[0];
    let more = |path: &mut IavlPath| path.steps.push(IavlStep { height: 5, ..step });
    assert_eq!(bent(&more), refused(NOT_UNDER));
    let many = |path: &mut IavlPath| {
        path.steps = (1..=65).map(|height| IavlStep { height, ..step }).collect();
    };
    assert_eq!(bent(&many), refused(UNREAD));
    let stores = |count: usize| {
        verdict_with(&good, |body| body.stores.steps = vec![body.stores.steps[0]; count])
    };
    assert_eq!(stores(16), refused(NOT_UNDER));
    assert_eq!(stores(17), refused(UNREAD));
    assert_eq!(stores(0), refused(NOT_UNDER));
}

/// The forgery of BNB's bridge (2022-10): a node's bytes with two children, read with a third hidden in the prefix. An inner
/// node's bytes as the value of a leaf, and a leaf's as an inner node, are of the same family.
#[test]
fn a_hidden_child_and_a_leaf_as_inner_node_lead_nowhere() {
    let good = state(9);
    let root_of_stores = |store: &[u8; 32]| good.stores.root("milestone", store).unwrap().0;
    // the true root of the store is the hash over a longer prefix: size, version, a child, and then two more
    let own = good.path.root(&milestone_key(9), &good.milestone).unwrap();
    let hidden =
        sha256(&[&iavl_prefix(5, 24, 300), &[32], &own.0, &[32], &[7; 32], &[32], &[8; 32]]);
    let mut path = good.path.clone();
    path.steps.push(IavlStep {
        is_sibling_left: false,
        height: 5,
        size: 24,
        version: 300,
        sibling: Hash([7; 32]),
    });
    let verdict = forged(&good.milestone, path, root_of_stores(&hidden));
    assert_eq!(verdict, refused(NOT_UNDER));
    // an inner node whose bytes are a leaf's: height 0 and size 1 in front
    let leaf = sha256(&[&iavl_prefix(0, 1, 300), &[32], &own.0, &[32], &[7; 32]]);
    let mut path = good.path.clone();
    path.steps.push(IavlStep {
        is_sibling_left: false,
        height: 0,
        size: 1,
        version: 300,
        sibling: Hash([7; 32]),
    });
    let verdict = forged(&good.milestone, path, root_of_stores(&leaf));
    assert_eq!(verdict, refused(NO_PATH));
}

#[test]
fn bytes_have_one_form() {
    let good = state(9);
    let about = header(330, &OLD, &OLD, &good);
    let body = good.body(&commit(&about, &OLD, &[0, 1, 2, 3]));
    let bytes = body.encode();
    assert_eq!(MilestoneBody::decode(&bytes), Some(body.clone()));
    for cut in 0..bytes.len() {
        assert_eq!(MilestoneBody::decode(&bytes[..cut]), None, "{cut}");
    }
    // a version in a longer form, and a side that is neither
    let at = 4 + body.commit.len() + 8 + 4 + body.milestone.len();
    assert_eq!(bytes[at..at + 4], [0xac, 2, 4, 0]);
    let mut longer = bytes.clone();
    longer.splice(at..at + 2, [0xac, 0x82, 0]);
    assert_eq!(MilestoneBody::decode(&longer), None);
    let mut side = bytes.clone();
    side[at + 3] = 2;
    assert_eq!(MilestoneBody::decode(&side), None);
    // a milestone of a kilobyte is the longest
    let with = |length: usize| {
        let milestone = vec![7; length];
        MilestoneBody::decode(&MilestoneBody { milestone, ..body.clone() }.encode())
    };
    assert!(with(1_024).is_some() && with(1_025).is_none());
    // fields in order, once, and none that is unknown
    let milestone = &good.milestone;
    let place = milestone.len() - 3;
    let decode = |bytes: &[u8]| BorMilestone::decode(bytes).ok();
    assert!(decode(milestone).is_some());
    for (what, other) in [
        ("a field more", [&milestone[..], &[9 << 3, 1]].concat()),
        ("a field twice", [&milestone[..], &milestone[place..]].concat()),
        ("a field out of order", [&milestone[place..], &milestone[..place]].concat()),
        ("a zero", [&milestone[..place], &[8 << 3, 0]].concat()),
        ("a cut field", milestone[..place + 1].to_vec()),
        ("nothing", Vec::new()),
    ] {
        assert_eq!(decode(&other), None, "{what}");
    }
    let mut short = milestone.clone();
    let hash = short.windows(34).position(|window| window[..2] == [0x22, 32]).unwrap();
    short[hash + 1] = 31;
    short.remove(hash + 2);
    assert_eq!(decode(&short), None);
}

#[test]
fn votes_are_over_keccak_with_the_lower_s_by_keys_of_the_list() {
    let state = state(9);
    let about = header(330, &OLD, &OLD, &state);
    let Case { params, set, .. } = made();
    let verdict = |commit: &BlockCommit<HeimdallKey>| {
        check_evidence(&params, &set, &evidence_of(9, &state.body(commit)), NOW)
    };
    let all = [0, 1, 2, 3];
    let own = |id: &CosmosBlockId, time| precommit_bytes(HEIMDALL, (330, 1), id, time);
    let good = commit_with(&about, &OLD, &all, |_, id, time| own(id, time));
    shown(verdict(&good));
    // the other s is as valid, and refused
    let mut high = good.clone();
    let signature = Signature::from_slice(&high.signatures[1].signature).unwrap();
    let (r, s) = signature.split_scalars();
    let other = Signature::from_scalars(r.to_bytes(), (-*s).to_bytes()).unwrap();
    assert_eq!(other.normalize_s(), Some(signature));
    high.signatures[1].signature = other.to_bytes().into();
    assert_eq!(verdict(&high), refused(Refusal::Signature));
    // zeros are no signature
    let mut zero = good.clone();
    zero.signatures[1].signature = [0; 64];
    assert_eq!(verdict(&zero), refused(Refusal::Signature));
    // another chain, height, round, place
    for words in [("heimdall-other", 330, 1), (HEIMDALL, 331, 1), (HEIMDALL, 330, 2)] {
        let (chain, height, round) = words;
        let other = commit_with(&about, &OLD, &all, |_, id, time| {
            precommit_bytes(chain, (height, round), id, time)
        });
        assert_eq!(verdict(&other), refused(Refusal::Signature), "{words:?}");
    }
    let mut moved = good.clone();
    moved.signatures[3].index = 4;
    assert_eq!(verdict(&moved), refused(Refusal::Signature));
    // a key that is no point, and one with another first byte, sign nothing
    for bend in [|key: &mut HeimdallKey| key.0[64] ^= 1, |key: &mut HeimdallKey| key.0[0] = 6] {
        let mut validators = list(&OLD);
        bend(&mut validators[0].key);
        let header = Header { validators_hash: validators_hash(&validators), ..about.clone() };
        let mut of_all = commit(&header, &OLD, &[0, 1, 2, 3, 4]);
        of_all.validators = validators;
        assert_eq!(verdict(&of_all), refused(Refusal::Key { index: 0 }));
        // of the others, 50 are too few
        assert_eq!(of_all.with_fewest(HEIMDALL), None);
    }
    let picked = commit(&about, &OLD, &[0, 1, 2, 3, 4, 5]).with_fewest(HEIMDALL).unwrap();
    assert_eq!(picked.signatures.len(), 4);
    // Ed25519's field would give another hash
    let leaf = [&[0x0a, 67, 3 << 3 | 2, 65][..], &key(1).0, &[0x10, 20]].concat();
    let root = validators_hash(&list(&OLD[..1]));
    assert_eq!(root.0, sha256(&[&[0], &leaf]));
}

#[test]
fn power_and_time_are_those_of_commits() {
    let Case { params, set, .. } = made();
    let state = state(9);
    let check = |height, own: &[(u8, u64)], signers: &[usize], now: u64| {
        let about = header(height, own, own, &state);
        let evidence = evidence_of(9, &state.body(&commit(&about, own, signers)));
        check_evidence(&params, &set, &evidence, UnixSeconds(now))
    };
    let now = NOW.0;
    let lack = |got, of, expected| Verdict::NotEnough(Shortfall::Signers { got, of, expected });
    assert_eq!(check(330, &OLD, &[0, 1, 2], now), lack(60, 90, 61));
    let strangers = [(20, 1_000), (1, 20), (4, 10)];
    assert_eq!(check(330, &strangers, &[0, 1, 2], now), lack(30, 90, 31));
    let twice = [(1, 20), (1, 20)];
    let what = "a validator is named twice";
    assert_eq!(check(330, &twice, &[0, 1], now), refused(Refusal::Order { what }));
    let other = Refusal::Branch { part: "validators of the next height" };
    assert_eq!(check(321, &NEW, &[0, 1, 2, 3], now), refused(other));
    let before = Verdict::NotEnough(Shortfall::Set { needed: 9, held: 10 });
    assert_eq!(check(319, &OLD, &[0, 1, 2, 3], now), before);
    // a day from the set's header
    let all = [0, 1, 2, 3];
    let begin = GENESIS + 6 * 320;
    assert_eq!(set.begins(&params), Some(UnixSeconds(begin)));
    assert_eq!(set.trusted_until(&params), Some(UnixSeconds(begin + 86_399)));
    shown(check(330, &OLD, &all, begin + 86_399));
    let (of, seconds) = (UnixSeconds(begin), 86_400);
    let expired = Verdict::NotEnough(Shortfall::Expired { of, seconds });
    assert_eq!(check(330, &OLD, &all, begin + 86_400), expired);
    let at = UnixSeconds(GENESIS + 6 * 330);
    shown(check(330, &OLD, &all, at.0 - 9));
    assert_eq!(check(330, &OLD, &all, at.0 - 10), Verdict::NotEnough(Shortfall::Early { at }));
}
