//! Two statements by one set of signers: what excludes each other, and what does not.

use superroot_proof::finality::*;
use superroot_types::{BlockNumber, Hash, UnixSeconds};

use crate::commits::*;
use crate::finality::NOW;

const OWN: [(u8, u64); 4] = [(1, 10), (2, 20), (3, 30), (4, 30)];

fn params() -> FinalityParams {
    FinalityParams::Commit(short())
}

fn set() -> FinalitySet {
    commit_set(&params(), &header(320, &OWN, &OWN), &OWN)
}

/// Header of a height, of a branch.
fn branch(height: u64, branch: u8) -> superroot_proof::ledger::cosmos::Header {
    superroot_proof::ledger::cosmos::Header {
        data_hash: Hash([branch; 32]),
        ..header(height, &OWN, &OWN)
    }
}

fn evidence(height: u64, of_branch: u8, signers: &[usize]) -> ConsensusEvidence {
    let about = branch(height, of_branch);
    evidence_of(&about, &commit(&about, &OWN, signers))
}

fn of_blocks(first: ConsensusEvidence, second: ConsensusEvidence) -> FinalityConflict {
    let statements = ConflictStatements::Blocks([first, second]);
    FinalityConflict { set: set().encode(), statements }
}

fn of_sets(first: u8, second: u8) -> FinalityConflict {
    let step = |of_branch| evidence(352, of_branch, &[1, 2, 3]).body;
    let statements = ConflictStatements::Sets([step(first), step(second)]);
    FinalityConflict { set: set().encode(), statements }
}

fn order(what: &'static str) -> Verdict<ConflictShown> {
    Verdict::Refusal(Refusal::Order { what })
}

#[test]
fn two_blocks_at_one_height_are_shown_with_their_signers() {
    let conflict = of_blocks(evidence(330, 1, &[1, 2, 3]), evidence(330, 2, &[0, 2, 3]));
    let shown = check_conflict(&params(), &conflict, NOW).shown().unwrap();
    assert_eq!((shown.set, shown.number), (set().id(), 10));
    assert_eq!(shown.place, Some(SignedPlace::Number(BlockNumber(330))));
    assert_eq!(shown.hashes, [branch(330, 1).hash(), branch(330, 2).hash()]);
    let by = |power| format!("{power} of 90 of the voting power at height 330");
    assert_eq!(shown.by, [by(80), by(70)]);
}

#[test]
fn two_sets_behind_one_are_shown() {
    let shown = check_conflict(&params(), &of_sets(1, 2), NOW).shown().unwrap();
    assert_eq!((shown.place, shown.number), (None, 10));
    assert_eq!(shown.hashes, [branch(352, 1).hash(), branch(352, 2).hash()]);
}

#[test]
fn what_can_both_be_true_is_refused() {
    let check = |conflict| check_conflict(&params(), &conflict, NOW);
    let one = evidence(330, 1, &[1, 2, 3]);
    let same = "both statements say the same";
    assert_eq!(check(of_blocks(one.clone(), one.clone())), order(same));
    // the same block by other signers
    assert_eq!(check(of_blocks(one.clone(), evidence(330, 1, &[0, 2, 3]))), order(same));
    assert_eq!(check(of_sets(1, 1)), order(same));
    let place = "the blocks are not at one place";
    assert_eq!(check(of_blocks(one.clone(), evidence(331, 2, &[1, 2, 3]))), order(place));
    // a number is not the place: the signed height is
    let moved = ConsensusEvidence { number: BlockNumber(330), ..evidence(331, 2, &[1, 2, 3]) };
    assert!(matches!(check(of_blocks(one.clone(), moved)), Verdict::Refusal(_)));
    let other_kind = ConsensusEvidence { kind: FinalityKind::Vote, ..evidence(330, 2, &[1, 2, 3]) };
    assert!(matches!(check(of_blocks(other_kind, one.clone())), Verdict::Refusal(_)));
    let few = Verdict::NotEnough(Shortfall::Signers { got: 60, of: 90, expected: 61 });
    assert_eq!(check(of_blocks(one.clone(), evidence(330, 2, &[0, 1, 2]))), few);
    // signers whose stake is gone may sign anything
    let late = UnixSeconds(NOW.0 + 30 * 86_400);
    let conflict = of_blocks(one, evidence(330, 2, &[1, 2, 3]));
    let verdict = check_conflict(&params(), &conflict, late);
    assert!(matches!(verdict, Verdict::NotEnough(Shortfall::Expired { .. })), "{verdict:?}");
}

#[test]
fn every_change_shows_nothing_or_the_same_set() {
    for conflict in
        [of_blocks(evidence(330, 1, &[1, 2, 3]), evidence(330, 2, &[1, 2, 3])), of_sets(1, 2)]
    {
        let bytes = conflict.encode();
        assert_eq!(FinalityConflict::decode(&bytes), Some(conflict));
        let is_shown = |bytes: &[u8]| {
            let read = FinalityConflict::decode(bytes);
            let shown = read.and_then(|read| check_conflict(&params(), &read, NOW).shown());
            shown.is_some_and(|shown| shown.set == set().id())
        };
        assert!(is_shown(&bytes));
        for at in (0..bytes.len()).step_by(7) {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert!(!is_shown(&changed), "byte {at}");
            assert!(!is_shown(&bytes[..at]), "cut at {at}");
        }
        assert!(!is_shown(&[&bytes[..], &[0]].concat()));
    }
}
