//! Ledger infos of made epochs of Aptos whose validators change.

use superroot_proof::finality::ledger_info::SignedLedgerInfo;
use superroot_proof::finality::*;
use superroot_proof::ledger::aptos::{AptosLedgerInfo, PLACEHOLDER};
use superroot_proof::registry::HashRule;
use superroot_types::{Hash, UnixSeconds};

use crate::finality::Case;
use crate::ledger_infos::*;

/// Of 90: two thirds are 60.
const OLD: [(u8, u64); 9] =
    [(1, 20), (2, 20), (3, 20), (4, 10), (5, 10), (6, 10), (7, 0), (8, 0), (9, 0)];
const NEW: [(u8, u64); 4] = [(1, 25), (10, 25), (11, 25), (2, 25)];
/// Signers of 70, and of 75.
const ENOUGH: [usize; 4] = [0, 1, 2, 3];
const OF_NEW: [usize; 3] = [0, 2, 3];

/// Version 34 by the validators of epoch 11, from the set of epoch 10.
pub(crate) fn cases() -> Vec<Case> {
    let set10 = set(10, &OLD);
    let end = last(10, 18, root(19), &NEW);
    let about = info(11, 34, root(35));
    let own = sign(about.clone(), &NEW, &OF_NEW);
    let proof = FinalityProof {
        evidence: evidence(root(35), &own),
        link: LinkHeaders::default(),
        steps: vec![sign(end.clone(), &OLD, &ENOUGH).encode()],
    };
    let mut good = Case::new(PARAMS, HashRule::Aptos, &set10, &proof);
    good.now = UnixSeconds(GENESIS + 12 * EPOCH);
    let next = set10.advance(&PARAMS, &proof.steps[0], good.now).shown().unwrap();
    let with = |hash: Hash, signed: &SignedLedgerInfo| FinalityProof {
        evidence: evidence(hash, signed),
        ..proof.clone()
    };
    let with_path = SignedLedgerInfo { earlier: Some(earlier(35, 20)), ..own.clone() };
    let by_path = |case: &mut Case, hash: Hash, change: &dyn Fn(&mut SignedLedgerInfo)| {
        let mut signed = with_path.clone();
        change(&mut signed);
        case.finality = with(hash, &signed).encode();
        case.hash = hash;
    };
    let step = |info: AptosLedgerInfo, signers: &[usize]| sign(info, &OLD, signers).encode();
    let mut cases = vec![
        good.clone(),
        good.but("an ancestor by a path", "the path leads to the signed root", |case| {
            by_path(case, root(21), &|_| {});
        }),
        good.but("a set that is further on", "steps to it are skipped", |case| {
            case.trusted = (next.encode(), next.id());
        }),
        good.but_proof("no step", "validators of the next epoch signed", |proof| {
            proof.steps.clear();
        }),
        good.but_proof("the step twice", "the second is of the epoch before", |proof| {
            proof.steps.push(proof.steps[0].clone());
        }),
        good.but_proof("a step of too little power", "more than two thirds must", |proof| {
            proof.steps = vec![step(end.clone(), &[0, 1, 2])];
        }),
        good.but_proof("a step within its epoch", "the last names validators", |proof| {
            proof.steps = vec![step(info(10, 18, root(19)), &ENOUGH)];
        }),
        good.but_proof("a step over an epoch", "each names the next", |proof| {
            let far = AptosLedgerInfo { next: Some(epoch(12, &NEW)), ..end.clone() };
            proof.steps = vec![step(far, &ENOUGH)];
        }),
        good.but_proof("two thirds exactly", "more must sign", |proof| {
            let signed = sign(info(10, 34, root(35)), &OLD, &[0, 1, 2]);
            proof.steps.clear();
            proof.evidence = evidence(root(35), &signed);
        }),
        good.but_proof("validators of the epoch before", "others sign in epoch 11", |proof| {
            let signed = sign(about.clone(), &[(1, 25), (20, 25), (21, 25), (2, 25)], &OF_NEW);
            proof.evidence = evidence(root(35), &signed);
        }),
        good.but("a link", "a root names no parent", |case| {
            let link = [root(35).0.to_vec()].into_iter().collect();
            case.finality = FinalityProof { link, ..proof.clone() }.encode();
        }),
        good.but("another hash", "the evidence is about another block", |case| {
            case.hash = root(34);
        }),
        good.but("after the trusting period", "the set is too old", |case| {
            case.now = UnixSeconds(GENESIS + 9 * EPOCH + 14 * 86_400 + 1);
        }),
        good.but("a clock of before", "the ledger info is of later", |case| {
            case.now = UnixSeconds(GENESIS + 10 * EPOCH + EPOCH / 2 - 1);
        }),
        good.but("another set than the pinned one", "its id is another", |case| {
            case.trusted.0[20] ^= 1;
        }),
    ];
    cases.extend(malformed(&good, &with, &own));
    cases.extend([
        good.but("a path of another version", "the path is of one version", |case| {
            by_path(case, root(21), &|signed| {
                signed.earlier.iter_mut().for_each(|path| path.version = 22);
            });
        }),
        good.but("a path one too long", "its length follows from both versions", |case| {
            by_path(case, root(21), &|signed| {
                signed.earlier.iter_mut().for_each(|path| path.siblings.push(PLACEHOLDER));
            });
        }),
        good.but("a path from the version itself", "it needs none", |case| {
            by_path(case, root(35), &|signed| signed.earlier = Some(earlier(35, 34)));
        }),
    ]);
    cases
}

/// Ledger infos that cannot be.
fn malformed(
    good: &Case,
    with: &dyn Fn(Hash, &SignedLedgerInfo) -> FinalityProof,
    own: &SignedLedgerInfo,
) -> Vec<Case> {
    let of = |name: &str, reason: &str, signed: &SignedLedgerInfo| {
        good.but(name, reason, |case| case.finality = with(root(35), signed).encode())
    };
    let bits = |bits: &[u8]| SignedLedgerInfo { bits: bits.to_vec(), ..own.clone() };
    let ordered = sign(info(11, 0, PLACEHOLDER), &NEW, &OF_NEW);
    vec![
        of("a bit past the validators", "there are four", &bits(&[0b1011_1000])),
        of("more bytes of bits", "there are four validators", &bits(&[0b1011_0000, 0])),
        of("another signer", "the signature is of others", &bits(&[0b1111_0000])),
        good.but("a block in order alone", "it is not executed", |case| {
            case.finality = with(PLACEHOLDER, &ordered).encode();
            case.hash = PLACEHOLDER;
        }),
    ]
}
