//! Precommits of GRANDPA: real signatures, authorities and headers; made sets that change; and all that must be refused.

use ed25519_dalek::{Verifier, VerifyingKey};
use parity_scale_codec::{Compact, Decode, Encode};
use serde_json::Value;
use superroot_proof::finality::grandpa::*;
use superroot_proof::finality::*;
use superroot_proof::ledger::polkadot::*;
use superroot_proof::registry::HashRule;
use superroot_types::{BlockNumber, Hash, UnixSeconds};

use crate::finality::{Case, NOW, data, set_of, shown};
use crate::precommits::*;

// -- real data -------------------------------------------------------------------------------------------------------

/// Target's hash and number, signature, key.
type RealVote = ([u8; 32], u32, [u8; 64], [u8; 32]);
/// Round, target's hash and number, votes, count of headers.
type RealJustification = (u64, [u8; 32], u32, Vec<RealVote>, Compact<u32>);

/// The header of the block is not known, so the votes alone are checked: by the bytes here and by those of a second
/// encoder.
#[test]
fn real_votes_are_strictly_valid_over_the_bytes_made_here() {
    let Some(bytes) = data("other/polkadot/grandpa_justification_302592.scale") else { return };
    let mut rest = &bytes[..];
    let (round, hash, number, votes, headers) = RealJustification::decode(&mut rest).unwrap();
    assert!(rest.is_empty() && headers.0 == 0);
    assert_eq!((number, votes.len()), (302_592, 5));
    let read = GrandpaJustification::decode(&bytes).unwrap();
    assert_eq!((read.round, read.hash.0, read.number), (round, hash, number));
    assert_eq!((read.precommits.len(), read.ancestries.len()), (5, 0));
    for ((target, target_number, signature, key), read) in votes.iter().zip(&read.precommits) {
        assert_eq!((target, *target_number), (&hash, number));
        assert_eq!((&read.hash.0, read.number), (target, *target_number));
        assert_eq!((&read.signature, &read.key), (signature, key));
        let key = VerifyingKey::from_bytes(key).unwrap();
        let bytes = |round: u64, set: u64| precommit_bytes(&Hash(*target), number, round, set);
        assert_eq!(bytes(round, 0), (1_u8, target, number, round, 0_u64).encode());
        key.verify_strict(&bytes(round, 0), &signature.into()).unwrap();
        let next = precommit_bytes(&Hash(*target), number + 1, round, 0);
        for other in [bytes(round, 1), bytes(round + 1, 0), next] {
            assert!(key.verify(&other, &signature.into()).is_err());
        }
    }
    assert_eq!(read.encode(), bytes);
    for length in 0..bytes.len() {
        assert_eq!(GrandpaJustification::decode(&bytes[..length]), None);
    }
    assert_eq!(GrandpaJustification::decode(&[&bytes[..], &[0]].concat()), None);
}

struct RealSet {
    number: u64,
    header: Header,
    keys: Vec<[u8; 32]>,
}

fn real_set(number: u64) -> Option<RealSet> {
    let bytes = data(&format!("finality/polkadot/grandpa_set_{number}.json.gz"))?;
    let json: Value = serde_json::from_slice(&bytes).unwrap();
    let hex = |value: &Value| const_hex::decode(value.as_str().unwrap()).unwrap();
    let header = Header::decode(&hex(&json["finalizedHeader"])).unwrap();
    assert_eq!(header.hash().to_string(), json["finalizedHash"].as_str().unwrap());
    assert_eq!(json["setId"], number);
    let keys = json["authorities"].as_array().unwrap();
    let keys = keys.iter().map(|key| hex(key).try_into().unwrap()).collect();
    Some(RealSet { number, header, keys })
}

#[test]
fn real_authorities_are_a_set_and_real_headers_have_the_time_of_their_day() {
    // the 600 of 2025-09 and of 2026-01, by the dates of the commits in which they were published
    for (number, days) in [(2_903, 20_330..20_362), (3_195, 20_454..20_485)] {
        let Some(RealSet { number, header, keys }) = real_set(number) else { return };
        assert_eq!(header.authority_change(), Ok(None));
        let time = header.babe_slot().unwrap() * 6;
        assert!(days.contains(&(time / 86_400)), "{time}");
        // the header that named them is not known: a made one names them
        let item = {
            let authorities: Vec<_> = keys.iter().map(|key| (*key, 1_u64)).collect();
            let log = (1_u8, authorities, 0_u32).encode();
            (4_u8, *b"FRNK", log).encode()
        };
        let named: Vec<_> =
            keys.iter().map(|key| GrandpaAuthority { key: *key, weight: 1 }).collect();
        assert_eq!(item, scheduled_change_item(&named));
        let mut naming = header.clone();
        naming.digest.insert(1, item);
        let set = grandpa_set(number, &naming);
        assert_eq!((set.number(), set.id()), (number, naming.hash()));
        assert_eq!(set.begins(&params()), Some(UnixSeconds(time)));
        assert_eq!(set.trusted_until(&params()), Some(UnixSeconds(time + 21 * 86_400)));
        assert_eq!(set.encode().len(), 8 + header.encode().len() + 24_016);
        // all keys can sign strictly: a small-order key would have no power
        assert!(keys.iter().all(|key| !VerifyingKey::from_bytes(key).unwrap().is_weak()));
        // nobody signed: 401 of 600 are needed
        let child = crate::precommits::header(naming.number + 1, naming.hash(), &[]);
        let mut nobody = commit(number, &[child], &[], &[]);
        nobody.authority_count = 600;
        let verdict = check_evidence(&params(), &set, &evidence_of(&nobody), time_of(&nobody));
        let lacking = Shortfall::Signers { got: 0, of: 600, expected: 401 };
        let late = Shortfall::Expired { of: UnixSeconds(time), seconds: 21 * 86_400 };
        assert!(verdict == Verdict::NotEnough(late), "{verdict:?}");
        let mut soon = naming.clone();
        soon.number += 1;
        soon.parent_hash = naming.hash();
        soon.digest = vec![babe_slot_item(0, time / 6 + 1)];
        let mut nobody = commit(number, &[soon], &[], &[]);
        nobody.authority_count = 600;
        let now = UnixSeconds(time + 60);
        let verdict = check_evidence(&params(), &set, &evidence_of(&nobody), now);
        assert_eq!(verdict, Verdict::NotEnough(lacking));
    }
}

fn time_of(commit: &GrandpaCommit) -> UnixSeconds {
    UnixSeconds(Header::decode(&commit.headers[0]).unwrap().babe_slot().unwrap() * 6)
}

/// Westend's blocks state their time in an extrinsic: within the slot of the header.
#[test]
fn slots_of_real_headers_are_the_times_of_their_extrinsics() {
    for file in ["westend_blocks_1_to_10.json", "westend_blocks_1_to_128.json"] {
        let Some(bytes) = data(&format!("other/polkadot/{file}")) else { return };
        let blocks: Vec<Value> = serde_json::from_slice(&bytes).unwrap();
        let mut count = 0;
        for block in &blocks {
            let hex = |value: &Value| const_hex::decode(value.as_str().unwrap()).unwrap();
            let header = Header::decode(&hex(&block["header_scale"])).unwrap();
            // length, version 4, pallet, call 0
            let moment = hex(&block["extrinsics"][0]);
            let milliseconds = Compact::<u64>::decode(&mut &moment[4..]).unwrap().0;
            assert_eq!(header.babe_slot(), Some(milliseconds / 6_000), "block {}", header.number);
            count += 1;
        }
        assert!(count >= 10);
    }
}

// -- made sets -------------------------------------------------------------------------------------------------------

/// Weight 90: 61 are needed.
const OLD: [(u16, u64); 6] = [(1, 20), (2, 20), (3, 20), (4, 10), (5, 10), (6, 10)];
/// Weight 10: 7 are needed.
const NEW: [(u16, u64); 10] =
    [(1, 1), (7, 1), (8, 1), (9, 1), (10, 1), (11, 1), (12, 1), (13, 1), (14, 1), (15, 1)];
const LATER: [(u16, u64); 4] = [(20, 1), (21, 1), (1, 1), (23, 1)];
const FIRST: u64 = 100;

/// Blocks 100 to 160; 100, 120 and 140 name the sets 10, 11 and 12.
fn chain() -> Vec<Header> {
    line(FIRST..161, &[(100, &OLD), (120, &NEW), (140, &LATER)])
}

fn at(chain: &[Header], number: u64) -> &Header {
    &chain[usize::try_from(number - FIRST).unwrap()]
}

fn votes_of(indexes: &[usize]) -> Vec<(usize, u8)> {
    indexes.iter().map(|index| (*index, 0)).collect()
}

fn own_commit(set: u64, header: &Header, voters: &Voters, signers: &[usize]) -> GrandpaCommit {
    commit(set, std::slice::from_ref(header), voters, &votes_of(signers))
}

fn case_of(evidence: &GrandpaCommit) -> Case {
    let chain = chain();
    let set = grandpa_set(10, at(&chain, 100));
    let step = own_commit(10, at(&chain, 120), &OLD, &[0, 1, 3, 4, 5]).encode();
    Case { params: params(), set, step: Some(step), evidence: evidence_of(evidence) }
}

fn made() -> Case {
    let chain = chain();
    let headers: Vec<_> = (130..133).map(|number| at(&chain, number).clone()).collect();
    let signers = [(0, 0), (1, 2), (3, 1), (4, 0), (5, 0), (6, 2), (9, 0)];
    case_of(&commit(11, &headers, &NEW, &signers))
}

/// Verdict for votes by set 10 about a block of the line.
fn verdict_of(commit: &GrandpaCommit) -> Verdict<FinalityShown> {
    let set = grandpa_set(10, at(&chain(), 100));
    check_evidence(&params(), &set, &evidence_of(commit), NOW)
}

const fn signers_lack(got: u64, of: u64, expected: u64) -> Verdict<FinalityShown> {
    Verdict::NotEnough(Shortfall::Signers { got, of, expected })
}

const fn refused<T>(why: Refusal) -> Verdict<T> {
    Verdict::Refusal(why)
}

#[test]
fn sets_follow_and_every_change_is_refused() {
    let case = made();
    case.refuses_every_change(1);
    let chain = chain();
    let next = case.signer();
    assert_eq!((next.number(), next.id()), (11, at(&chain, 120).hash()));
    let step = case.step.as_ref().unwrap();
    assert_eq!(FinalitySet::named_by(&params(), step), Some(next.clone()));
    assert_eq!(FinalitySet::decode(&params(), &next.encode()), Ok(next.clone()));
    assert_eq!(case.evidence.signer(&params()), Some(11));
    let found = shown(check_evidence(&params(), &next, &case.evidence, NOW));
    assert_eq!(found.by(), "7 of 10 of the weight of authority set 11");
    assert_eq!((found.number(), found.at()), (Some(BlockNumber(130)), Some(time(130))));
    assert_eq!(found.set(), at(&chain, 120).hash());
    // evidence and a step of another set, before or behind
    let lacking = Shortfall::Set { needed: 11, held: 10 };
    let by_old = check_evidence(&params(), &case.set, &case.evidence, NOW);
    assert_eq!(by_old, Verdict::NotEnough(lacking));
    let again = next.advance(&params(), step, NOW);
    assert_eq!(again, Verdict::NotEnough(Shortfall::Set { needed: 10, held: 11 }));
    // and the third one
    let second = own_commit(11, at(&chain, 140), &NEW, &[0, 1, 2, 3, 4, 5, 6]).encode();
    assert_eq!(case.set.advance(&params(), &second, NOW), Verdict::NotEnough(lacking));
    let third = set_of(next.advance(&params(), &second, NOW));
    assert_eq!((third.number(), third.id()), (12, at(&chain, 140).hash()));
    let proof = FinalityProof {
        evidence: evidence_of(&own_commit(12, at(&chain, 160), &LATER, &[0, 1, 3])),
        link: (151..161).rev().map(|number| at(&chain, number).encode()).collect(),
        steps: vec![step.clone(), second],
    };
    let rule = HashRule::Polkadot;
    let asked = FinalityQuestion { rule, number: BlockNumber(150), hash: at(&chain, 150).hash() };
    let found = shown(check(&params(), &case.set, &proof, asked, NOW));
    assert_eq!((found.steps(), found.number()), (2, Some(BlockNumber(150))));
    let found = shown(check(&params(), &third, &proof, asked, NOW));
    assert_eq!(found.steps(), 0);
}

#[test]
fn a_step_is_votes_for_the_block_that_names_the_next_set() {
    let chain = chain();
    let set = grandpa_set(10, at(&chain, 100));
    let advance = |commit: &GrandpaCommit| set.advance(&params(), &commit.encode(), NOW);
    set_of(advance(&own_commit(10, at(&chain, 120), &OLD, &[0, 1, 2, 3])));
    let two_thirds = own_commit(10, at(&chain, 120), &OLD, &[0, 1, 2]);
    let lacking = Shortfall::Signers { got: 60, of: 90, expected: 61 };
    assert_eq!(advance(&two_thirds), Verdict::NotEnough(lacking));
    let what = "the block names no next authorities";
    let plain = own_commit(10, at(&chain, 119), &OLD, &[0, 1, 2, 3]);
    assert_eq!(advance(&plain), refused(Refusal::Header { number: 119, what }));
    assert_eq!(FinalitySet::named_by(&params(), &plain.encode()), None);
    // a step is no set, and a set no step
    assert!(FinalitySet::decode(&params(), &plain.encode()).is_err());
    assert!(set.advance(&params(), &set.encode(), NOW).shown().is_none());
    // the new authorities do not sign the block that names them
    let own = own_commit(10, at(&chain, 120), &NEW, &[0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(advance(&own), refused(Refusal::Encoding { part: "bits of the authorities" }));
}

#[test]
fn changes_that_are_forced_delayed_or_doubled_stop_a_client() {
    let set = grandpa_set(10, at(&chain(), 100));
    let log = |log: Vec<u8>| (4_u8, *b"FRNK", log).encode();
    let next: Vec<_> = list(&NEW).iter().map(|one| (one.key, one.weight)).collect();
    let with = |items: &[Vec<u8>]| {
        let header = header(101, Hash([1; 32]), items);
        own_commit(10, &header, &OLD, &[0, 1, 2, 3])
    };
    let both = |items: &[Vec<u8>]| {
        let commit = with(items);
        (verdict_of(&commit), set.advance(&params(), &commit.encode(), NOW))
    };
    let scheduled = |delay: u32| log((1_u8, next.clone(), delay).encode());
    let (evidence, step) = both(&[scheduled(0)]);
    shown(evidence);
    set_of(step);
    let header = |what| Refusal::Header { number: 101, what };
    let forced = log((2_u8, 99_u32, next.clone(), 0_u32).encode());
    let stops = header("a change of authorities is forced: pin again");
    assert_eq!(both(std::slice::from_ref(&forced)), (refused(stops), refused(stops)));
    let late = header("a change of authorities is delayed, expected one behind the block");
    assert_eq!(both(&[scheduled(1)]), (refused(late), refused(late)));
    let unread = Refusal::Encoding { part: "header" };
    for items in [
        vec![scheduled(0), scheduled(0)],
        vec![scheduled(0), forced],
        vec![log([&(1_u8, next.clone(), 0_u32).encode()[..], &[0]].concat())],
        vec![log((1_u8, next.clone()).encode())],
        vec![log(vec![6])],
        vec![log(Vec::new())],
    ] {
        assert_eq!(both(&items), (refused(unread), refused(unread)));
    }
    // what nodes do with a disabled authority, a pause, or another engine's change is not about signers
    let others = [log((3_u8, 5_u64).encode()), log((4_u8, 9_u32).encode())];
    shown(both(&others).0);
    shown(both(&[(4_u8, *b"BEEF", (1_u8, next, 0_u32).encode()).encode()]).0);
}

#[test]
fn two_thirds_exactly_are_too_few_and_three_of_four_are_enough() {
    let chain = chain();
    let by_old = |signers: &[usize]| verdict_of(&own_commit(10, at(&chain, 110), &OLD, signers));
    shown(by_old(&[0, 1, 2, 3]));
    assert_eq!(by_old(&[0, 1, 2]), signers_lack(60, 90, 61));
    assert_eq!(by_old(&[]), signers_lack(0, 90, 61));
    // n - (n - 1) / 3, as a second computation has it
    for count in 1..40_u16 {
        let voters: Vec<_> = (0..count).map(|seed| (seed, 1)).collect();
        let line = line(100..102, &[(100, &voters)]);
        let set = grandpa_set(10, &line[0]);
        let least = (1..=u64::from(count)).find(|votes| 3 * votes > 2 * u64::from(count)).unwrap();
        let none = own_commit(10, &line[1], &voters, &[]);
        let verdict = check_evidence(&params(), &set, &evidence_of(&none), NOW);
        assert_eq!(verdict, signers_lack(0, count.into(), least), "{count}");
    }
}

#[test]
fn votes_for_descendants_count_and_headers_link_them() {
    let chain = chain();
    let headers: Vec<_> = (110..114).map(|number| at(&chain, number).clone()).collect();
    let all = |places: [u8; 4]| {
        let signers: Vec<_> = (0..4).zip(places).collect();
        commit(10, &headers, &OLD, &signers)
    };
    shown(verdict_of(&all([3, 3, 3, 3])));
    shown(verdict_of(&all([0, 3, 1, 1])));
    // a header that nobody voted for, and a vote past the headers
    let unread = Refusal::Encoding { part: "votes" };
    assert_eq!(verdict_of(&all([0, 2, 1, 1])), refused(unread));
    let mut past = all([3, 3, 3, 3]);
    past.headers.pop();
    assert_eq!(verdict_of(&past), refused(unread));
    // a vote at another header's place
    let mut moved = all([0, 3, 1, 1]);
    moved.votes[0].place = 1;
    assert_eq!(verdict_of(&moved), refused(Refusal::Signature));
    // a gap, another fork, another order
    let mut gap = all([0, 2, 1, 1]);
    gap.headers.remove(1);
    assert_eq!(verdict_of(&gap), refused(Refusal::Link { index: 1 }));
    let fork = header(111, Hash([7; 32]), &[]);
    let forked = commit(10, &[headers[0].clone(), fork], &OLD, &[(0, 0), (1, 1), (2, 0), (3, 0)]);
    assert_eq!(verdict_of(&forked), refused(Refusal::Link { index: 1 }));
    let numbered = header(112, headers[0].hash(), &[]);
    let skipped =
        commit(10, &[headers[0].clone(), numbered], &OLD, &[(0, 0), (1, 1), (2, 0), (3, 0)]);
    assert_eq!(verdict_of(&skipped), refused(Refusal::Link { index: 1 }));
    // votes for an ancestor: the block is above what they finalize
    let parent = at(&chain, 109);
    let older = commit_with(10, &headers[..1], &OLD, &votes_of(&[0, 1, 2, 3]), |index, own| {
        signed_bytes(if index == 1 { parent } else { own }, ROUND, 10)
    });
    assert_eq!(verdict_of(&older), refused(Refusal::Signature));
    // more headers than may be
    let many = line(101..101 + 67, &[]);
    let most = commit(10, &many[..65], &OLD, &[(0, 0), (1, 64), (2, 0), (3, 0)]);
    shown(verdict_of(&most));
    let more = commit(10, &many[..66], &OLD, &[(0, 0), (1, 65), (2, 0), (3, 0)]);
    assert_eq!(verdict_of(&more), refused(unread));
    let none = GrandpaCommit { headers: Vec::new(), ..most };
    let evidence = ConsensusEvidence { body: none.encode(), ..evidence_of(&more) };
    let set = grandpa_set(10, at(&chain, 100));
    assert_eq!(check_evidence(&params(), &set, &evidence, NOW), refused(unread));
}

#[test]
fn a_set_signs_up_to_its_last_block_and_nothing_before_its_first() {
    let chain = chain();
    let votes = [(0, 0), (1, 1), (2, 1), (3, 1)];
    let across = |number: u64| {
        let headers = [at(&chain, number).clone(), at(&chain, number + 1).clone()];
        verdict_of(&commit(10, &headers, &OLD, &votes))
    };
    shown(across(119));
    let what = "a vote is for a block past the set's last";
    assert_eq!(across(120), refused(Refusal::Order { what }));
    // the block of the set itself was for the set before
    let what = "the block is not above that of the set";
    let own = own_commit(10, at(&chain, 100), &OLD, &[0, 1, 2, 3]);
    assert_eq!(verdict_of(&own), refused(Refusal::Order { what }));
    let before = header(99, Hash([1; 32]), &[]);
    let verdict = verdict_of(&own_commit(10, &before, &OLD, &[0, 1, 2, 3]));
    assert_eq!(verdict, refused(Refusal::Order { what }));
    // a pin with a false number shows nothing that this set signed, nor what authorities that stay signed before
    let pinned = FinalitySet::decode(&params(), &write_grandpa_set(9, &at(&chain, 100).encode()));
    let pinned = pinned.unwrap();
    assert_eq!(pinned.id(), at(&chain, 100).hash());
    let evidence = evidence_of(&own_commit(10, at(&chain, 110), &OLD, &[0, 1, 2, 3]));
    let verdict = check_evidence(&params(), &pinned, &evidence, NOW);
    assert_eq!(verdict, Verdict::NotEnough(Shortfall::Set { needed: 10, held: 9 }));
    let of_before = evidence_of(&own_commit(9, &before, &OLD, &[0, 1, 2, 3]));
    let verdict = check_evidence(&params(), &pinned, &of_before, NOW);
    assert_eq!(verdict, refused(Refusal::Order { what }));
}

#[test]
fn votes_for_something_else_do_not_count() {
    let chain = chain();
    let about = std::slice::from_ref(at(&chain, 110));
    let with = |sign: &dyn Fn(&Header) -> Vec<u8>| {
        let all = votes_of(&[0, 1, 2, 3]);
        verdict_of(&commit_with(10, about, &OLD, &all, |_, header| sign(header)))
    };
    shown(with(&|header| signed_bytes(header, ROUND, 10)));
    let wrong = refused(Refusal::Signature);
    assert_eq!(with(&|header| signed_bytes(header, ROUND, 11)), wrong);
    assert_eq!(with(&|header| signed_bytes(header, ROUND + 1, 10)), wrong);
    assert_eq!(with(&|header| precommit_bytes(&header.hash(), 111, ROUND, 10)), wrong);
    assert_eq!(with(&|_| precommit_bytes(&Hash([8; 32]), 110, ROUND, 10)), wrong);
    // a prevote
    let prevote = |header: &Header| [&[0], &signed_bytes(header, ROUND, 10)[1..]].concat();
    assert_eq!(with(&prevote), wrong);
    let good = own_commit(10, &about[0], &OLD, &[0, 1, 2, 3]);
    for round in [0, ROUND - 1, u64::MAX] {
        assert_eq!(verdict_of(&GrandpaCommit { round, ..good.clone() }), wrong);
    }
    // one vote at two places: there is one place for each, and the second has a signature of its own
    let mut twice = good.clone();
    twice.votes[1].signature = twice.votes[0].signature;
    assert_eq!(verdict_of(&twice), wrong);
    let mut doubled = good.clone();
    doubled.votes.insert(0, doubled.votes[0]);
    assert_eq!(verdict_of(&doubled), refused(Refusal::Encoding { part: "votes" }));
    // a bit past the authorities
    let body = good.encode();
    let bits = body.len() - 4 * 65 - 1;
    assert_eq!(body[bits], 0b1111);
    let mut past = evidence_of(&good);
    past.body[bits] |= 0x40;
    past.body.extend([0; 65]);
    let set = grandpa_set(10, at(&chain, 100));
    let verdict = check_evidence(&params(), &set, &past, NOW);
    assert_eq!(verdict, refused(Refusal::Encoding { part: "votes" }));
    // more authorities than the set has
    let more = GrandpaCommit { authority_count: 7, ..good.clone() };
    assert_eq!(verdict_of(&more), refused(Refusal::Encoding { part: "bits of the authorities" }));
    let most = GrandpaCommit { authority_count: 1_025, ..good };
    assert_eq!(verdict_of(&most), refused(Refusal::Encoding { part: "votes" }));
}

#[test]
fn another_block_or_number_is_refused() {
    let chain = chain();
    let set = grandpa_set(10, at(&chain, 100));
    let good = evidence_of(&own_commit(10, at(&chain, 110), &OLD, &[0, 1, 2, 3]));
    let (got, expected) = (good.hash, Hash([1; 32]));
    let other = ConsensusEvidence { hash: expected, ..good.clone() };
    let verdict = check_evidence(&params(), &set, &other, NOW);
    assert_eq!(verdict, refused(Refusal::Block { got, expected }));
    let (got, expected) = (BlockNumber(110), BlockNumber(111));
    let other = ConsensusEvidence { number: expected, ..good.clone() };
    let verdict = check_evidence(&params(), &set, &other, NOW);
    assert_eq!(verdict, refused(Refusal::Number { got, expected }));
    let other = ConsensusEvidence { kind: FinalityKind::Commit, ..good };
    assert_eq!(check_evidence(&params(), &set, &other, NOW), refused(Refusal::Kind));
    // a number past 32 bits, which no vote can name
    let past = header(1 << 32, Hash([1; 32]), &[]);
    let mut of_past = own_commit(10, at(&chain, 110), &OLD, &[0, 1, 2, 3]);
    of_past.headers = vec![past.encode()];
    let what = "the number has more than 32 bits";
    assert_eq!(verdict_of(&of_past), refused(Refusal::Header { number: 1 << 32, what }));
}

#[test]
fn times_rise_within_the_period_and_not_past_the_clock() {
    let chain = chain();
    let set = grandpa_set(10, at(&chain, 100));
    let good = evidence_of(&own_commit(10, at(&chain, 110), &OLD, &[0, 1, 2, 3]));
    let at_time = |now: UnixSeconds| check_evidence(&params(), &set, &good, now);
    let step = own_commit(10, at(&chain, 120), &OLD, &[0, 1, 2, 3]).encode();
    let until = set.trusted_until(&params()).unwrap();
    assert_eq!(until.0, time(100).0 + 21 * 86_400);
    shown(at_time(until));
    let past = UnixSeconds(until.0 + 1);
    let late = Shortfall::Expired { of: time(100), seconds: 21 * 86_400 };
    assert_eq!(at_time(past), Verdict::NotEnough(late));
    assert_eq!(set.advance(&params(), &step, past), Verdict::NotEnough(late));
    shown(at_time(time(110)));
    let before = UnixSeconds(time(110).0 - 1);
    let early = Shortfall::Early { at: time(110) };
    assert_eq!(at_time(before), Verdict::NotEnough(early));
    // a slot that does not rise, a header without one
    let with = |digest: Vec<Vec<u8>>| {
        let header = Header { digest, ..at(&chain, 110).clone() };
        verdict_of(&own_commit(10, &header, &OLD, &[0, 1, 2, 3]))
    };
    let what = "the block's time does not rise";
    let same = with(vec![babe_slot_item(0, time(100).0 / 6)]);
    assert_eq!(same, refused(Refusal::Order { what }));
    let what = "the digest has no slot of BABE";
    let no_slot = refused(Refusal::Header { number: 110, what });
    let mut other_engine = babe_slot_item(0, time(110).0 / 6);
    other_engine[1..5].copy_from_slice(b"aura");
    let mut other_form = babe_slot_item(0, time(110).0 / 6);
    other_form[6] = 4;
    let far = babe_slot_item(0, u64::MAX / 2);
    for digest in [vec![], vec![other_engine], vec![other_form], vec![far]] {
        assert_eq!(with(digest), no_slot);
    }
}

#[test]
fn lists_that_cannot_be_are_refused() {
    let decode = |authorities: &[GrandpaAuthority]| {
        let header = header(100, Hash([1; 32]), &[scheduled_change_item(authorities)]);
        FinalitySet::decode(&params(), &write_grandpa_set(10, &header.encode()))
    };
    let many = |count: u16| -> Vec<_> {
        let key = |index: u16| {
            let mut key = [7; 32];
            key[..2].copy_from_slice(&index.to_be_bytes());
            key
        };
        (0..count).map(|index| GrandpaAuthority { key: key(index), weight: 1 }).collect()
    };
    let unread = Err(Refusal::Encoding { part: "authorities" });
    decode(&many(1_024)).unwrap();
    assert_eq!(decode(&many(1_025)), unread);
    assert_eq!(decode(&[]), unread);
    let with = |weights: [u64; 2]| {
        let mut two = many(2);
        two.iter_mut().zip(weights).for_each(|(one, weight)| one.weight = weight);
        two
    };
    decode(&with([u64::MAX - 1, 1])).unwrap();
    assert_eq!(decode(&with([u64::MAX, 1])), unread);
    assert_eq!(decode(&with([1, 0])), unread);
    let [first, ..] = many(2)[..] else { unreachable!() };
    let what = "an authority is named twice";
    assert_eq!(decode(&[first, first]), Err(Refusal::Order { what }));
    let what = "the block names no next authorities";
    let plain = write_grandpa_set(10, &header(100, Hash([1; 32]), &[]).encode());
    assert_eq!(FinalitySet::decode(&params(), &plain), Err(Refusal::Header { number: 100, what }));
    for length in 0..9 {
        assert!(FinalitySet::decode(&params(), &vec![0; length]).is_err());
    }
}

#[test]
fn the_fewest_valid_votes_are_picked_nearest_to_the_block() {
    let chain = chain();
    let headers: Vec<_> = (110..113).map(|number| at(&chain, number).clone()).collect();
    let picked = |commit: &GrandpaCommit| -> Option<(Vec<(usize, u8)>, usize)> {
        let commit = commit.clone().with_fewest(&list(&OLD))?;
        shown(verdict_of(&commit));
        let votes = commit.votes.iter().map(|vote| (vote.index, vote.place)).collect();
        Some((votes, commit.headers.len()))
    };
    let all = commit(10, &headers, &OLD, &[(0, 2), (1, 1), (2, 0), (3, 0), (4, 0), (5, 2)]);
    assert_eq!(picked(&all), Some((vec![(0, 2), (1, 1), (2, 0), (3, 0), (4, 0)], 3)));
    // headers that only votes left out are for go
    let near = commit(10, &headers, &OLD, &[(0, 0), (1, 0), (2, 0), (3, 1), (4, 1), (5, 2)]);
    assert_eq!(picked(&near), Some((vec![(0, 0), (1, 0), (2, 0), (3, 1)], 2)));
    // an equivocation counts once, a false signature not at all
    let two = [(0, 0), (0, 1), (1, 0), (2, 0)];
    assert_eq!(picked(&commit(10, &headers, &OLD, &two)), None);
    let mut one_false = all.clone();
    one_false.votes[0].signature[40] ^= 1;
    assert_eq!(picked(&one_false), Some((vec![(1, 1), (2, 0), (3, 0), (4, 0), (5, 2)], 3)));
    let mut enough = commit(10, &headers, &OLD, &[(0, 0), (1, 0), (2, 0), (3, 0), (4, 1)]);
    enough.votes[3].signature[40] ^= 1;
    assert_eq!(picked(&enough), Some((vec![(0, 0), (1, 0), (2, 0), (4, 1)], 2)));
    enough.votes[0].index = 99;
    assert_eq!(picked(&enough), None);
    assert_eq!(all.clone().with_fewest(&list(&NEW)), None);
    assert_eq!(all.clone().with_fewest(&[]), None);
    assert_eq!(GrandpaCommit { set: 11, ..all.clone() }.with_fewest(&list(&OLD)), None);
    assert_eq!(GrandpaCommit { headers: Vec::new(), ..all }.with_fewest(&list(&OLD)), None);
}

/// A key that is no point, and the identity, with which ZIP 215 accepts any message.
#[test]
fn a_keyless_authority_signs_nothing() {
    let keys = (1..).map(|first: u8| {
        let mut key = [0; 32];
        key[0] = first;
        key
    });
    let is_point = |key: &[u8; 32]| VerifyingKey::from_bytes(key).is_ok();
    let pointless = keys.clone().find(|key| !is_point(key)).unwrap();
    let identity = keys.clone().next().unwrap();
    for (key, refusal) in [(pointless, Refusal::Key { index: 0 }), (identity, Refusal::Signature)] {
        let mut authorities = list(&OLD);
        authorities[0].key = key;
        let first = header(100, Hash([1; 32]), &[scheduled_change_item(&authorities)]);
        let set = grandpa_set(10, &first);
        let about = header(101, first.hash(), &[]);
        let mut of_all = own_commit(10, &about, &OLD, &[0, 1, 2, 3, 4, 5]);
        let forged: [u8; 64] = [&key[..], &[0; 32]].concat().try_into().unwrap();
        of_all.votes[0].signature = forged;
        if let Ok(key) = VerifyingKey::from_bytes(&key) {
            key.verify(b"anything", &forged.into()).unwrap();
        }
        let verdict = check_evidence(&params(), &set, &evidence_of(&of_all), NOW);
        assert_eq!(verdict, refused(refusal));
        let picked = of_all.with_fewest(&authorities).unwrap();
        assert!(picked.votes.iter().all(|vote| vote.index != 0));
        shown(check_evidence(&params(), &set, &evidence_of(&picked), NOW));
    }
}

/// Mainnet's shape: 600 authorities of weight 1, of whom 401 votes are needed.
#[test]
fn evidence_by_401_of_600_is_half_of_a_justification() {
    let voters: Vec<_> = (0..600).map(|seed| (seed, 1)).collect();
    let line = line(100..103, &[(100, &voters), (101, &voters)]);
    let set = grandpa_set(7, &line[0]);
    let all: Vec<_> = (0..voters.len()).collect();
    let step = own_commit(7, &line[1], &voters, &all).with_fewest(&list(&voters)).unwrap();
    assert_eq!(step.votes.len(), 401);
    let next = set_of(set.advance(&params(), &step.encode(), NOW));
    let commit = own_commit(8, &line[2], &voters, &all).with_fewest(&list(&voters)).unwrap();
    let evidence = evidence_of(&commit);
    shown(check_evidence(&params(), &next, &evidence, NOW));
    let (evidence, step) = (evidence.encode().len(), step.encode().len());
    assert!(evidence < 27_000 && step < 51_000, "{evidence} and {step} bytes");
    let mut one_less = commit;
    one_less.votes.pop();
    let verdict = check_evidence(&params(), &next, &evidence_of(&one_less), NOW);
    assert_eq!(verdict, signers_lack(400, 600, 401));
}
