//! Ledger infos of Aptos: two real epochs, made epochs whose validators change, and all that must be refused.

use superroot_proof::finality::ledger_info::*;
use superroot_proof::finality::*;
use superroot_proof::hash::sha3_256_joined;
use superroot_proof::ledger::aptos::*;
use superroot_types::{BlockNumber, Hash, UnixSeconds};

use crate::finality::{Case, NOW, data, set_of, shown};
use crate::ledger_infos::*;

// -- the real epochs 7495 and 7496 -----------------------------------------------------------------------------------

/// Last version of a block, for which there is a ledger info.
const VERSION: u64 = 998_167_816;

struct RealEpochs {
    set: FinalitySet,
    step: Vec<u8>,
    signed: SignedLedgerInfo,
    leaf: Hash,
    siblings: Vec<Hash>,
}

fn params() -> FinalityParams {
    FinalityParams::LedgerInfo(LedgerInfoParams { trusted_seconds: NOW.0 })
}

fn real() -> Option<RealEpochs> {
    let change = data("other/aptos/epoch_change_data.bcs")?;
    let account = data("other/aptos/account_inclusion_data.bcs")?;
    // the validators of epoch 7495 stand in the file; the ledger info that named them does not
    let end = [
        &7_494_u64.to_le_bytes()[..],
        &[0; 32],
        &998_009_036_u64.to_le_bytes(),
        &1_719_252_201_000_000_u64.to_le_bytes(),
        &[1],
        &change[12_582..],
    ];
    let set = FinalitySet::decode(&params(), &end.concat()).unwrap();
    let hash = |at: usize| Hash(account[at..at + 32].try_into().unwrap());
    let info = &account[1_955..2_095];
    Some(RealEpochs {
        set,
        step: SignedLedgerInfo::decode_bcs(&change[1..12_540]).unwrap().encode(),
        signed: SignedLedgerInfo::decode_bcs(&account[2_103..2_350]).unwrap(),
        leaf: sha3_256_joined(&[&sha3_256_joined(&[b"APTOS::TransactionInfo"]).0, info]),
        siblings: (0..30).map(|at| hash(995 + 32 * at)).collect(),
    })
}

#[test]
fn real_epochs_follow_and_show_a_block_and_the_one_before() {
    let Some(RealEpochs { set, step, signed, leaf, siblings }) = real() else { return };
    assert_eq!(set.number(), 7_495);
    assert_eq!(SignedLedgerInfo::decode_bcs(&signed.encode_bcs()), Some(signed.clone()));
    let next = set_of(set.advance(&params(), &step, NOW));
    assert_eq!(next.number(), 7_496);
    assert_eq!(FinalitySet::named_by(&params(), &step), Some(next.clone()));
    // waypoint 998146172:40af.., computed from the file by a program of few lines with Python's hashlib
    let waypoint = "0x40afa6c1739d8c87b4fcf22471d67fd0d224a325a9de2c768081fcf5bfa80d9c";
    assert_eq!(next.id().to_string(), waypoint);
    assert_eq!(next.begins(&params()), Some(UnixSeconds(1_719_259_401)));
    assert_eq!(step.len(), 12_543);
    assert_eq!(next.encode().len(), 12_349);
    // the very version
    assert_eq!((signed.info.version, signed.info.epoch), (VERSION, 7_496));
    let direct = evidence(signed.info.root, &signed);
    let found = shown(check_evidence(&params(), &next, &direct, NOW));
    assert_eq!((found.number(), found.hash()), (None, signed.info.root));
    assert_eq!(found.at(), Some(UnixSeconds(1_719_260_726)));
    assert_eq!(
        found.by(),
        "58264796400754625 of 86815448632330980 of the voting power of epoch 7496"
    );
    assert_eq!(direct.encode().len(), 296);
    // the versions before: 2^3 leaves end with the last of them, and are the lowest perfect subtree
    let seed = sha3_256_joined(&[b"APTOS::TransactionAccumulator"]);
    let pair = |left: Hash, right: Hash| sha3_256_joined(&[&seed.0, &left.0, &right.0]);
    let right = siblings[..3].iter().fold(leaf, |node, right| pair(node, *right));
    let path = EarlierRoot {
        version: VERSION - 1,
        node: siblings[3],
        siblings: [&[right], &siblings[4..]].concat(),
    };
    let upward =
        (4..30).fold(pair(siblings[3], PLACEHOLDER), |node, height| match VERSION >> height & 1 {
            1 => pair(siblings[height as usize], node),
            _ => pair(node, PLACEHOLDER),
        });
    let earlier = SignedLedgerInfo { earlier: Some(path), ..signed.clone() };
    let before = evidence(upward, &earlier);
    assert_eq!(shown(check_evidence(&params(), &next, &before, NOW)).hash(), upward);
    assert_eq!(before.encode().len(), 1_200);
    // the path of the very version leads to the signed root, and is another encoding
    let path = EarlierRoot::of_leaf(VERSION, &leaf, &siblings).unwrap();
    let longer = evidence(signed.info.root, &SignedLedgerInfo { earlier: Some(path), ..signed });
    let verdict = check_evidence(&params(), &next, &longer, NOW);
    assert_eq!(verdict, Verdict::Refusal(Refusal::Encoding { part: "path" }));
    let held = Verdict::NotEnough(Shortfall::Set { needed: 7_496, held: 7_495 });
    assert_eq!(check_evidence(&params(), &set, &direct, NOW), held);
}

#[test]
fn real_epochs_refuse_every_change() {
    let Some(RealEpochs { set, step, signed, .. }) = real() else { return };
    let evidence = evidence(signed.info.root, &signed);
    Case { params: params(), set, step: Some(step), evidence }.refuses_every_change(29);
}

// -- made epochs -----------------------------------------------------------------------------------------------------

/// Of 90: two thirds are 60.
const OLD: [(u8, u64); 9] =
    [(1, 20), (2, 20), (3, 20), (4, 10), (5, 10), (6, 10), (7, 0), (8, 0), (9, 0)];
const NEW: [(u8, u64); 4] = [(1, 25), (10, 25), (11, 25), (2, 25)];
/// Signers of 70.
const ENOUGH: [usize; 4] = [0, 1, 2, 3];

/// Set 10, the step to set 11, and evidence by set 11 about the version 20 of 35.
fn made() -> Case {
    let step = sign(last(10, 18, root(19), &NEW), &OLD, &ENOUGH).encode();
    let mut signed = sign(info(11, 34, root(35)), &NEW, &[0, 2, 3]);
    signed.earlier = Some(earlier(35, 20));
    Case {
        params: PARAMS,
        set: set(10, &OLD),
        step: Some(step),
        evidence: evidence(root(21), &signed),
    }
}

fn verdict_of(signed: &SignedLedgerInfo, hash: Hash) -> Verdict<FinalityShown> {
    check_evidence(&PARAMS, &set(10, &OLD), &evidence(hash, signed), NOW)
}

/// Ledger info of version 34 by the old validators.
fn signed(signers: &[usize]) -> SignedLedgerInfo {
    sign(info(10, 34, root(35)), &OLD, signers)
}

fn encoding(part: &'static str) -> Verdict<FinalityShown> {
    Verdict::Refusal(Refusal::Encoding { part })
}

#[test]
fn epochs_follow_and_every_change_is_refused() {
    let case = made();
    case.refuses_every_change(1);
    let next = case.signer();
    assert_eq!((next.number(), case.evidence.signer(&PARAMS)), (11, Some(11)));
    let found = shown(check_evidence(&PARAMS, &next, &case.evidence, NOW));
    assert_eq!(found.by(), "75 of 100 of the voting power of epoch 11");
    // two more epochs
    let second = sign(last(11, 40, root(41), &OLD), &NEW, &[1, 2, 3]).encode();
    let third = set_of(next.advance(&PARAMS, &second, NOW));
    let step = case.step.clone().unwrap();
    assert_eq!(third.number(), 12);
    let about = sign(info(12, 50, root(51)), &OLD, &ENOUGH);
    shown(check_evidence(&PARAMS, &third, &evidence(root(51), &about), NOW));
    // a step is taken once and in order
    let of = |needed, held| Verdict::NotEnough(Shortfall::Set { needed, held });
    assert_eq!(next.advance(&PARAMS, &step, NOW), of(10, 11));
    assert_eq!(case.set.advance(&PARAMS, &second, NOW), of(11, 10));
    // the validators of the epoch before and after sign nothing of this one
    let by_next = sign(info(10, 34, root(35)), &NEW, &[0, 1, 2, 3]);
    assert_eq!(verdict_of(&by_next, root(35)), encoding("signers"));
    let held = Verdict::NotEnough(Shortfall::Set { needed: 11, held: 10 });
    assert_eq!(check_evidence(&PARAMS, &case.set, &case.evidence, NOW), held);
    // a step's ledger info is evidence about the last block of its epoch
    let step = sign(last(10, 18, root(19), &NEW), &OLD, &ENOUGH);
    shown(verdict_of(&step, root(19)));
}

#[test]
fn every_earlier_version_is_shown_and_none_besides() {
    let set = set(10, &OLD);
    let verdict_of = |signed: &SignedLedgerInfo, hash: Hash| {
        check_evidence(&PARAMS, &set, &evidence(hash, signed), NOW)
    };
    let roots: Vec<Hash> = (0..=34).map(root).collect();
    for count in 1..34_u64 {
        let base = sign(info(10, count - 1, roots[count as usize]), &OLD, &ENOUGH);
        shown(verdict_of(&base, base.info.root));
        for version in 0..count - 1 {
            let path = earlier(count, version);
            let with = |path| SignedLedgerInfo { earlier: Some(path), ..base.clone() };
            let signed = with(path.clone());
            assert_eq!(SignedLedgerInfo::decode(&signed.encode()), Some(signed.clone()));
            let own = roots[version as usize + 1];
            shown(verdict_of(&signed, own));
            // the root is of no other count, and the path of no other version
            let expected = roots[version as usize + 2];
            let refused = Verdict::Refusal(Refusal::Block { got: own, expected });
            assert_eq!(verdict_of(&signed, expected), refused);
            for wrong in (0..count + 2).filter(|wrong| *wrong != version) {
                let moved = with(EarlierRoot { version: wrong, ..path.clone() });
                let verdict = verdict_of(&moved, own);
                let is_refused = matches!(
                    verdict,
                    Verdict::Refusal(Refusal::Encoding { part: "path" } | Refusal::Branch { .. })
                );
                assert!(is_refused, "{count} {version} {wrong}: {verdict:?}");
            }
        }
        // leaves that are not there yet
        for version in [count - 1, count] {
            let path = EarlierRoot { version, node: PLACEHOLDER, siblings: siblings(count, 0) };
            let signed = SignedLedgerInfo { earlier: Some(path), ..base.clone() };
            assert_eq!(verdict_of(&signed, base.info.root), encoding("path"));
        }
    }
}

#[test]
fn two_thirds_are_too_few_and_one_more_is_enough() {
    let lack = |got| Verdict::NotEnough(Shortfall::Signers { got, of: 90, expected: 61 });
    shown(verdict_of(&signed(&ENOUGH), root(35)));
    assert_eq!(verdict_of(&signed(&[0, 1, 2]), root(35)), lack(60));
    assert_eq!(verdict_of(&signed(&[0, 1, 2, 6, 7, 8]), root(35)), lack(60));
    assert_eq!(verdict_of(&signed(&[]), root(35)), lack(0));
    // all bits, with the signature of some
    let mut more = signed(&[0, 1, 2]);
    more.bits = signed(&ENOUGH).bits;
    assert_eq!(verdict_of(&more, root(35)), Verdict::Refusal(Refusal::Signature));
    // the same step for fewer signers shows no set
    let step = sign(last(10, 34, root(35), &NEW), &OLD, &[0, 1, 2]).encode();
    let verdict = set(10, &OLD).advance(&PARAMS, &step, NOW);
    assert_eq!(verdict, Verdict::NotEnough(Shortfall::Signers { got: 60, of: 90, expected: 61 }));
    // as many as can be counted
    let most = [(1, u64::MAX - 2), (2, 1), (3, 1)];
    let whole = set(10, &most);
    let FinalitySet::LedgerInfo(own) = &whole else { unreachable!() };
    assert_eq!(own.quorum(), u64::MAX / 3 * 2 + 1);
    let end = AptosEpochEnd { next: epoch(10, &[(1, u64::MAX), (2, 1)]), ..own.end().clone() };
    let refused = FinalitySet::decode(&PARAMS, &end.encode());
    assert_eq!(refused, Err(Refusal::Encoding { part: "voting power" }));
    let end = AptosEpochEnd { next: epoch(10, &[(1, 0)]), ..end };
    let refused = FinalitySet::decode(&PARAMS, &end.encode());
    assert_eq!(refused, Err(Refusal::Encoding { part: "voting power" }));
}

#[test]
fn bits_are_the_validators_alone_and_from_the_highest() {
    let good = signed(&ENOUGH);
    assert_eq!(good.bits, [0xf0, 0]);
    let with = |bits: &[u8]| SignedLedgerInfo { bits: bits.to_vec(), ..good.clone() };
    for bits in [&[0xf0, 0x40][..], &[0xf0, 0x01], &[0xf0], &[0xf0, 0, 0], &[], &[0xf0; 64]] {
        assert_eq!(verdict_of(&with(bits), root(35)), encoding("signers"), "{bits:?}");
    }
    assert_eq!(verdict_of(&with(&[0xf0; 65]), root(35)), encoding("ledger info"));
    // from the lowest: others' keys
    let verdict = verdict_of(&with(&[0x0f, 0]), root(35));
    assert!(matches!(verdict, Verdict::NotEnough(Shortfall::Signers { .. })), "{verdict:?}");
}

#[test]
fn what_a_ledger_info_does_not_say_is_refused() {
    // in order, and not executed
    let ordered = sign(info(10, 0, PLACEHOLDER), &OLD, &ENOUGH);
    let what = "the ledger info is of a block before execution";
    let refused = Verdict::Refusal(Refusal::Order { what });
    assert_eq!(verdict_of(&ordered, PLACEHOLDER), refused);
    // a step that ends no epoch, names a far one, or is of an earlier version
    let advance = |signed: &SignedLedgerInfo| {
        let advanced = set(10, &OLD).advance(&PARAMS, &signed.encode(), NOW);
        assert_eq!(FinalitySet::named_by(&PARAMS, &signed.encode()), None);
        advanced
    };
    let what = "the ledger info does not end its epoch";
    assert_eq!(advance(&signed(&ENOUGH)), Verdict::Refusal(Refusal::Order { what }));
    let what = "the named epoch does not follow";
    for number in [10, 12] {
        let mut far = last(10, 34, root(35), &NEW);
        far.next = Some(epoch(number, &NEW));
        let verdict = advance(&sign(far, &OLD, &ENOUGH));
        assert_eq!(verdict, Verdict::Refusal(Refusal::Order { what }));
    }
    let mut with_path = sign(last(10, 34, root(35), &NEW), &OLD, &ENOUGH);
    with_path.earlier = Some(earlier(35, 20));
    let refused = Refusal::Encoding { part: "step" };
    assert_eq!(advance(&with_path), Verdict::Refusal(refused));
    // another version of the form, and no signature
    let bytes = signed(&ENOUGH).encode_bcs();
    let body = |bytes: &[u8]| {
        let length = u32::try_from(bytes.len()).unwrap().to_be_bytes();
        let evidence = ConsensusEvidence {
            body: [&length[..], bytes].concat(),
            ..evidence(root(35), &signed(&ENOUGH))
        };
        check_evidence(&PARAMS, &set(10, &OLD), &evidence, NOW)
    };
    shown(body(&bytes));
    assert_eq!(body(&[&[1], &bytes[1..]].concat()), encoding("ledger info"));
    let unsigned = [&bytes[..bytes.len() - 98], &[0]].concat();
    assert_eq!(body(&unsigned), encoding("ledger info"));
    // lengths in a longer form
    let bits_at = bytes.len() - 98 - 3;
    assert_eq!(bytes[bits_at], 2);
    let longer = [&bytes[..bits_at], &[0x82, 0], &bytes[bits_at + 1..]].concat();
    assert_eq!(body(&longer), encoding("ledger info"));
}

#[test]
fn times_stay_within_the_period_and_not_ahead() {
    let about = evidence(root(35), &signed(&ENOUGH));
    let at = |now: u64| check_evidence(&PARAMS, &set(10, &OLD), &about, UnixSeconds(now));
    let begin = GENESIS + 9 * EPOCH;
    let until = begin + 14 * 86_400;
    assert_eq!(set(10, &OLD).trusted_until(&PARAMS), Some(UnixSeconds(until)));
    assert_eq!(set(10, &OLD).begins(&PARAMS), Some(UnixSeconds(begin)));
    shown(at(until));
    let (of, seconds) = (UnixSeconds(begin), 14 * 86_400);
    let expired = Shortfall::Expired { of, seconds };
    assert_eq!(at(until + 1), Verdict::NotEnough(expired));
    let time = begin + EPOCH / 2;
    shown(at(time));
    let early = Shortfall::Early { at: UnixSeconds(time) };
    assert_eq!(at(time - 1), Verdict::NotEnough(early));
    // the same for a step
    let step = made().step.unwrap();
    let advance = |now| set(10, &OLD).advance(&PARAMS, &step, UnixSeconds(now));
    set_of(advance(GENESIS + 10 * EPOCH));
    let early = Shortfall::Early { at: UnixSeconds(GENESIS + 10 * EPOCH) };
    assert_eq!(advance(GENESIS + 10 * EPOCH - 1), Verdict::NotEnough(early));
    assert_eq!(advance(until + 1), Verdict::NotEnough(expired));
}

#[test]
fn keys_and_signatures_outside_the_group_are_refused() {
    let FinalitySet::LedgerInfo(own) = set(10, &OLD) else { unreachable!() };
    let with = |key: [u8; APTOS_KEY_BYTES]| {
        let mut end = own.end().clone();
        end.next.validators[4].key = key;
        FinalitySet::decode(&PARAMS, &end.encode())
    };
    let mut infinity = [0; 48];
    infinity[0] = 0xc0;
    // x = 4 is a point of the curve outside the subgroup
    let mut outside = [0; 48];
    (outside[0], outside[47]) = (0x80, 4);
    blst::min_pk::PublicKey::uncompress(&outside).unwrap();
    for key in [infinity, outside, [0; 48], [0xff; 48]] {
        assert_eq!(with(key), Err(Refusal::Key { index: 4 }));
    }
    let mut signature = [0; 96];
    signature[0] = 0xc0;
    let signed = SignedLedgerInfo { signature, ..signed(&ENOUGH) };
    assert_eq!(verdict_of(&signed, root(35)), Verdict::Refusal(Refusal::Signature));
    // too many, and none
    let many: Vec<_> = (0..513).map(|_| (1, 1)).collect();
    let unread = Err(Refusal::Encoding { part: "end of an epoch" });
    for members in [&many[..], &[]] {
        let end = AptosEpochEnd { next: epoch(10, members), ..own.end().clone() };
        assert_eq!(FinalitySet::decode(&PARAMS, &end.encode()), unread);
    }
    let end = AptosEpochEnd { next: epoch(10, &many[..512]), ..own.end().clone() };
    let most = FinalitySet::decode(&PARAMS, &end.encode()).unwrap();
    assert_eq!(most.encode(), end.encode());
}

#[test]
fn a_whole_proof_has_steps_and_no_link() {
    let Case { set, step, evidence, .. } = made();
    let rule = superroot_proof::registry::HashRule::Aptos;
    let asked = FinalityQuestion { rule, number: evidence.number, hash: evidence.hash };
    let steps = vec![step.unwrap()];
    let proof = FinalityProof { evidence, link: LinkHeaders::default(), steps };
    let found = shown(check(&PARAMS, &set, &proof, asked, NOW));
    assert_eq!((found.steps(), found.number()), (1, None));
    // a root names no block below
    let header = asked.hash.0.to_vec();
    let linked = FinalityProof { link: [header].into_iter().collect(), ..proof.clone() };
    let below = FinalityQuestion { number: BlockNumber(76), ..asked };
    let refused = Verdict::Refusal(Refusal::Link { index: 0 });
    assert_eq!(check(&PARAMS, &set, &linked, below, NOW), refused);
    // an earlier set's step is skipped
    let next = set_of(set.advance(&PARAMS, &proof.steps[0], NOW));
    shown(check(&PARAMS, &next, &proof, asked, NOW));
}
