//! Commits of CometBFT: real headers of two networks, made heights whose validators change, and all that must be refused.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signer, Verifier, VerifyingKey};
use serde_json::Value;
use sha2::{Digest, Sha256};
use superroot_proof::finality::commit::*;
use superroot_proof::finality::*;
use superroot_proof::ledger::cosmos::*;
use superroot_types::{BlockNumber, Hash, UnixSeconds};

use crate::commits::*;
use crate::finality::{Case, NOW, data, shown};

// -- second computation ----------------------------------------------------------------------------------------------

fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    Sha256::digest(parts.concat()).into()
}

/// RFC 6962 root by its recursive definition.
fn tree_root(leaves: &[Vec<u8>]) -> [u8; 32] {
    match leaves {
        [] => sha256(&[]),
        [leaf] => sha256(&[&[0], leaf]),
        _ => {
            let half = leaves.len().next_power_of_two() / 2;
            let (left, right) = leaves.split_at(half);
            sha256(&[&[1], &tree_root(left), &tree_root(right)])
        }
    }
}

/// A protobuf message's fields by number: numbers, and bytes.
#[derive(Debug, Default)]
struct Message<'a> {
    numbers: Vec<(u64, u64)>,
    bytes: Vec<(u64, &'a [u8])>,
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for place in 0.. {
        let byte = bytes[0];
        *bytes = &bytes[1..];
        value |= u64::from(byte & 0x7f) << (7 * place);
        if byte < 0x80 {
            break;
        }
    }
    value
}

impl<'a> Message<'a> {
    fn read(mut bytes: &'a [u8]) -> Self {
        let mut read = Self::default();
        while !bytes.is_empty() {
            let key = varint(&mut bytes);
            let value = varint(&mut bytes);
            if key & 7 == 0 {
                read.numbers.push((key >> 3, value));
            } else {
                assert_eq!(key & 7, 2);
                let (taken, rest) = bytes.split_at(value as usize);
                read.bytes.push((key >> 3, taken));
                bytes = rest;
            }
        }
        read
    }

    fn number(&self, field: u64) -> u64 {
        self.numbers.iter().find(|(at, _)| *at == field).map_or(0, |(_, value)| *value)
    }

    fn all(&self, field: u64) -> impl Iterator<Item = &'a [u8]> {
        self.bytes.iter().filter(move |(at, _)| *at == field).map(|(_, bytes)| *bytes)
    }

    fn one(&self, field: u64) -> &'a [u8] {
        self.all(field).next().unwrap_or_default()
    }

    fn message(&self, field: u64) -> Message<'a> {
        Message::read(self.one(field))
    }
}

/// Header hash from the fields of the message: text, bytes and the height each wrapped in a message of one field.
fn header_root(header: &[u8]) -> [u8; 32] {
    let message = Message::read(header);
    let wrapped = |field| match message.one(field) {
        [] => Vec::new(),
        bytes => [&[0x0a, bytes.len() as u8][..], bytes].concat(),
    };
    let mut height = vec![0x08];
    let mut left = message.number(3);
    while left > 0x7f {
        height.push((left & 0x7f) as u8 | 0x80);
        left >>= 7;
    }
    height.push(left as u8);
    let mut leaves = vec![message.one(1).to_vec(), wrapped(2), height];
    leaves.extend([4, 5].map(|field| message.one(field).to_vec()));
    leaves.extend((6..=14).map(wrapped));
    tree_root(&leaves)
}

fn validators_root(validators: &[CosmosValidator]) -> [u8; 32] {
    let leaf = |one: &CosmosValidator| {
        let mut out = [&[0x0a, 0x22, 0x0a, 0x20][..], &one.key, &[0x10]].concat();
        let mut left = one.power;
        while left > 0x7f {
            out.push((left & 0x7f) as u8 | 0x80);
            left >>= 7;
        }
        out.push(left as u8);
        out
    };
    tree_root(&validators.iter().map(leaf).collect::<Vec<_>>())
}

// -- real commits ----------------------------------------------------------------------------------------------------

/// A real commit with all its votes, and validators trusted before it.
struct RealCommit {
    chain_id: &'static str,
    /// Places that voted for nothing.
    nil: Vec<usize>,
    commit: BlockCommit,
    trusted: Vec<CosmosValidator>,
}

fn members(set: &Message<'_>) -> Vec<CosmosValidator> {
    let one = |bytes: &[u8]| {
        let validator = Message::read(bytes);
        let key = validator.message(2).one(1).try_into().unwrap();
        CosmosValidator { key, power: validator.number(3) }
    };
    set.all(1).map(one).collect()
}

fn stargaze() -> Option<RealCommit> {
    let text = data("finality/cometbft/stargaze-1_update_client_1.msg.gz")?;
    let bytes = STANDARD.decode(String::from_utf8(text).unwrap().trim()).unwrap();
    let update = Message::read(&bytes).message(2);
    let update = update.message(2);
    let signed = update.message(1);
    let commit = signed.message(2);
    let parts = commit.message(3).message(2);
    let mut signatures = Vec::new();
    for (index, bytes) in commit.all(4).enumerate() {
        let vote = Message::read(bytes);
        if vote.number(1) == 2 {
            let at = vote.message(3);
            let time = at.number(1) * 1_000_000_000 + at.number(2);
            let signature = vote.one(4).try_into().unwrap();
            signatures.push(CommitSignature { index, time, signature });
        }
    }
    let commit = BlockCommit {
        header: signed.one(1).to_vec(),
        round: u32::try_from(commit.number(2)).unwrap(),
        part_count: u32::try_from(parts.number(1)).unwrap(),
        parts_hash: Hash(parts.one(2).try_into().unwrap()),
        validators: members(&update.message(2)),
        signatures,
    };
    let trusted = members(&update.message(4));
    Some(RealCommit { chain_id: "stargaze-1", nil: Vec::new(), commit, trusted })
}

fn mocha() -> Option<RealCommit> {
    let json: Value =
        serde_json::from_slice(&data("finality/cometbft/mocha-4_2279100.json.gz")?).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let hash = |value: &Value| Hash(const_hex::decode(text(value)).unwrap().try_into().unwrap());
    // seconds within the minute and nanoseconds: all is of one hour
    let time = |value: &Value| {
        let text = text(value);
        let (clock, part) = text.trim_end_matches('Z').split_once('.').unwrap();
        let minutes = clock.strip_prefix("2024-07-16T21:").unwrap();
        let (minute, second) = minutes.split_once(':').unwrap();
        let seconds = 1_721_163_600 + 60 * minute.parse::<u64>().unwrap();
        let seconds = seconds + second.parse::<u64>().unwrap();
        (seconds, format!("{part:0<9}").parse::<u32>().unwrap())
    };
    let number = |value: &Value| value.as_str().unwrap().parse::<u64>().unwrap();
    let of = &json["signed_header"]["header"];
    let id = &of["last_block_id"];
    let (seconds, nanos) = time(&of["time"]);
    let header = Header {
        version_block: number(&of["version"]["block"]),
        version_app: number(&of["version"]["app"]),
        chain_id: text(&of["chain_id"]),
        height: number(&of["height"]),
        seconds,
        nanos,
        last_block_id: Some(CosmosBlockId {
            hash: hash(&id["hash"]),
            part_count: u32::try_from(id["parts"]["total"].as_u64().unwrap()).unwrap(),
            parts_hash: hash(&id["parts"]["hash"]),
        }),
        last_commit_hash: hash(&of["last_commit_hash"]),
        data_hash: hash(&of["data_hash"]),
        validators_hash: hash(&of["validators_hash"]),
        next_validators_hash: hash(&of["next_validators_hash"]),
        consensus_hash: hash(&of["consensus_hash"]),
        app_hash: hash(&of["app_hash"]).0.to_vec(),
        last_results_hash: hash(&of["last_results_hash"]),
        evidence_hash: hash(&of["evidence_hash"]),
        proposer_address: const_hex::decode(text(&of["proposer_address"]))
            .unwrap()
            .try_into()
            .unwrap(),
    };
    let commit = &json["signed_header"]["commit"];
    let base64 = |value: &Value| STANDARD.decode(text(value)).unwrap();
    let votes = commit["signatures"].as_array().unwrap().iter().enumerate();
    let nil = votes.clone().filter(|(_, vote)| vote["block_id_flag"] == 3).map(|(index, _)| index);
    let nil = nil.collect();
    let vote = |(index, vote): (usize, &Value)| {
        let (seconds, nanos) = time(&vote["timestamp"]);
        let time = seconds * 1_000_000_000 + u64::from(nanos);
        CommitSignature { index, time, signature: base64(&vote["signature"]).try_into().unwrap() }
    };
    let validator = |one: &Value| CosmosValidator {
        key: base64(&one["pub_key"]["value"]).try_into().unwrap(),
        power: number(&one["power"]),
    };
    let validators: Vec<_> =
        json["validator_set"]["validators"].as_array().unwrap().iter().map(validator).collect();
    let parts = &commit["block_id"]["parts"];
    let commit = BlockCommit {
        header: header.encode(),
        round: u32::try_from(commit["round"].as_u64().unwrap()).unwrap(),
        part_count: u32::try_from(parts["total"].as_u64().unwrap()).unwrap(),
        parts_hash: hash(&parts["hash"]),
        validators: validators.clone(),
        signatures: votes.map(vote).collect(),
    };
    Some(RealCommit { chain_id: "mocha-4", nil, commit, trusted: validators })
}

#[test]
fn real_commits_are_shown_from_sets_before_them_and_hash_as_computed_otherwise() {
    for (real, before, needed) in [(stargaze(), 11, 68), (mocha(), 100, 9)] {
        let Some(RealCommit { chain_id, nil, mut commit, trusted }) = real else { return };
        let header = Header::decode(&commit.header).unwrap();
        let all = commit.clone();
        commit.signatures.retain(|one| !nil.contains(&one.index));
        assert_eq!(header.hash().0, header_root(&commit.header));
        assert_eq!(header.validators_hash.0, validators_root(&commit.validators));
        assert_eq!(header.chain_id, chain_id);
        // the header in which the trusted validators would have stood
        let set_header = Header {
            height: header.height - before,
            seconds: header.seconds - 6 * before,
            validators_hash: validators_hash(&trusted),
            ..header.clone()
        };
        let set_blocks = set_header.height;
        let params = CommitParams {
            chain_id: chain_id.to_owned(),
            set_blocks,
            trusted_seconds: 14 * 86_400,
        };
        let params = FinalityParams::Commit(params);
        let bytes = write_commit_set(&set_header.encode(), &trusted);
        let set = FinalitySet::decode(&params, &bytes).unwrap();
        let now = UnixSeconds(header.seconds + 1);
        let check = |commit: &BlockCommit| {
            check_evidence(&params, &set, &evidence_of(&header, commit), now)
        };
        let found = shown(check(&commit));
        assert_eq!(found.number(), Some(BlockNumber(header.height)));
        assert_eq!(found.at(), Some(UnixSeconds(header.seconds)));
        let fewest = commit.clone().with_fewest(chain_id).unwrap();
        shown(check(&fewest));
        // a real vote for nothing does not count for the block
        assert_eq!(all.clone().with_fewest(chain_id), Some(fewest.clone()));
        if !nil.is_empty() {
            assert_eq!(check(&all), Verdict::Refusal(Refusal::Signature));
        }
        assert_eq!(fewest.signatures.len(), needed);
        let size = evidence_of(&header, &fewest).encode().len();
        assert!(size < 10_000, "{size} bytes");
        let mut one_less = fewest.clone();
        one_less.signatures.pop();
        let verdict = check(&one_less);
        assert!(matches!(verdict, Verdict::NotEnough(Shortfall::Signers { .. })), "{verdict:?}");
        // the header with its own validators is a set, and its own evidence shows it
        let params = FinalityParams::Commit(CommitParams {
            chain_id: chain_id.to_owned(),
            set_blocks: header.height,
            trusted_seconds: 1,
        });
        let bytes = write_commit_set(&commit.header, &commit.validators);
        let own = FinalitySet::decode(&params, &bytes).unwrap();
        assert_eq!((own.id(), own.number()), (header.hash(), 1));
        let at = UnixSeconds(header.seconds);
        shown(check_evidence(&params, &own, &evidence_of(&header, &fewest), at));
        assert_eq!(FinalitySet::named_by(&params, &fewest.encode()), Some(own));
    }
}

#[test]
fn a_real_commit_refuses_every_change() {
    let Some(RealCommit { chain_id, commit, .. }) = stargaze() else { return };
    let header = Header::decode(&commit.header).unwrap();
    let params = FinalityParams::Commit(CommitParams {
        chain_id: chain_id.to_owned(),
        set_blocks: header.height,
        trusted_seconds: NOW.0,
    });
    let bytes = write_commit_set(&commit.header, &commit.validators);
    let set = FinalitySet::decode(&params, &bytes).unwrap();
    let evidence = evidence_of(&header, &commit.with_fewest(chain_id).unwrap());
    Case { params, set, step: None, evidence }.refuses_every_change(23);
}

// -- made heights ----------------------------------------------------------------------------------------------------

/// Of 90: a third is 30, two thirds are 60.
const OLD: [(u8, u64); 6] = [(1, 20), (2, 20), (3, 20), (4, 10), (5, 10), (6, 10)];
/// Some left, some came, some have other power.
const NEW: [(u8, u64); 6] = [(7, 30), (1, 20), (8, 20), (2, 11), (4, 5), (9, 4)];

fn made_params() -> FinalityParams {
    FinalityParams::Commit(short())
}

/// Set 10 of height 320, and the step to set 11 of height 352, whose validators have changed.
fn made() -> Case {
    let params = made_params();
    let set = commit_set(&params, &header(320, &OLD, &OLD), &OLD);
    let behind = header(352, &NEW, &NEW);
    let step = commit(&behind, &NEW, &[0, 1, 3]).encode();
    let about = header(370, &NEW, &OLD);
    let evidence = evidence_of(&about, &commit(&about, &NEW, &[0, 2, 3]));
    Case { params, set, step: Some(step), evidence }
}

fn verdict_of(height: u64, own: &Members, signers: &[usize]) -> Verdict<FinalityShown> {
    let about = header(height, own, own);
    made_verdict(&about, &commit(&about, own, signers))
}

fn made_verdict(about: &Header, commit: &BlockCommit) -> Verdict<FinalityShown> {
    let Case { params, set, .. } = made();
    check_evidence(&params, &set, &evidence_of(about, commit), NOW)
}

fn signers_lack(got: u64, of: u64, expected: u64) -> Verdict<FinalityShown> {
    Verdict::NotEnough(Shortfall::Signers { got, of, expected })
}

#[test]
fn sets_follow_by_skipping_and_every_change_is_refused() {
    let case = made();
    case.refuses_every_change(1);
    let next = case.signer();
    assert_eq!((next.number(), next.id()), (11, header(352, &NEW, &NEW).hash()));
    assert_eq!(
        FinalitySet::named_by(&case.params, case.step.as_ref().unwrap()),
        Some(next.clone())
    );
    assert_eq!(case.evidence.signer(&case.params), Some(11));
    assert_eq!(next.begins(&case.params), Some(UnixSeconds(GENESIS + 6 * 352)));
    let found = shown(check_evidence(&case.params, &next, &case.evidence, NOW));
    assert_eq!(found.by(), "61 of 90 of the voting power at height 370");
    assert_eq!((found.number(), found.set()), (Some(BlockNumber(370)), next.id()));
    // the set that was left behind is too far from these validators, and a step is taken once and in order
    assert_eq!(
        check_evidence(&case.params, &case.set, &case.evidence, NOW),
        signers_lack(20, 90, 31)
    );
    let step = case.step.as_ref().unwrap();
    let again = next.advance(&case.params, step, NOW);
    assert_eq!(again, Verdict::NotEnough(Shortfall::Set { needed: 10, held: 11 }));
    let far = header(384, &OLD, &OLD);
    let far = commit(&far, &OLD, &[0, 1, 2, 3]).encode();
    let verdict = case.set.advance(&case.params, &far, NOW);
    assert_eq!(verdict, Verdict::NotEnough(Shortfall::Set { needed: 11, held: 10 }));
    let between = header(353, &OLD, &OLD);
    let between = commit(&between, &OLD, &[0, 1, 2, 3]).encode();
    let what = "the header's height is not that of a set";
    let verdict = case.set.advance(&case.params, &between, NOW);
    assert_eq!(verdict, Verdict::Refusal(Refusal::Order { what }));
    // evidence of a height before the set
    let verdict = verdict_of(319, &OLD, &[0, 1, 2, 3]);
    assert_eq!(verdict, Verdict::NotEnough(Shortfall::Set { needed: 9, held: 10 }));
}

#[test]
fn two_thirds_of_the_own_and_a_third_of_the_trusted_power_are_too_few() {
    shown(verdict_of(330, &OLD, &[0, 1, 2, 3]));
    assert_eq!(verdict_of(330, &OLD, &[0, 1, 2]), signers_lack(60, 90, 61));
    assert_eq!(verdict_of(330, &OLD, &[]), signers_lack(0, 90, 61));
    // strangers have all the power of their own header, and a third of the trusted power
    let strangers = [(20, 1_000), (1, 20), (4, 10)];
    assert_eq!(verdict_of(330, &strangers, &[0, 1, 2]), signers_lack(30, 90, 31));
    let one_more = [(20, 1_000), (1, 20), (4, 10), (5, 1)];
    shown(verdict_of(330, &one_more, &[0, 1, 2, 3]));
    // power counts as it was trusted, not as a new header gives it
    let raised = [(4, 1_000), (5, 1_000)];
    assert_eq!(verdict_of(330, &raised, &[0, 1]), signers_lack(20, 90, 31));
}

#[test]
fn the_next_height_has_the_validators_that_the_set_names() {
    shown(verdict_of(321, &OLD, &[0, 1, 2, 3]));
    let other = Refusal::Branch { part: "validators of the next height" };
    assert_eq!(verdict_of(321, &NEW, &[0, 1, 2, 3]), Verdict::Refusal(other));
    // all of them may be new
    let strangers = [(30, 5), (31, 5)];
    let params = made_params();
    let set = commit_set(&params, &header(320, &OLD, &strangers), &OLD);
    let check = |height, signers: &[usize]| {
        let about = header(height, &strangers, &strangers);
        let commit = commit(&about, &strangers, signers);
        check_evidence(&params, &set, &evidence_of(&about, &commit), NOW)
    };
    shown(check(321, &[0, 1]));
    assert_eq!(check(321, &[0]), signers_lack(5, 10, 7));
    assert_eq!(check(322, &[0, 1]), signers_lack(0, 90, 31));
    // the set's own height is its own block alone
    let own = header(320, &OLD, &OLD);
    shown(verdict_of(320, &OLD, &[0, 1, 2, 3]));
    let twin = Header { data_hash: Hash([40; 32]), ..own.clone() };
    let verdict = made_verdict(&twin, &commit(&twin, &OLD, &[0, 1, 2, 3]));
    let (got, expected) = (twin.hash(), own.hash());
    assert_eq!(verdict, Verdict::Refusal(Refusal::Block { got, expected }));
    // the next validators do not stand for the header's
    let about = header(330, &OLD, &NEW);
    let mut swapped = commit(&about, &OLD, &[0, 1, 2, 3]);
    swapped.validators = list(&NEW);
    let not_own = Refusal::Branch { part: "list of validators" };
    assert_eq!(made_verdict(&about, &swapped), Verdict::Refusal(not_own));
    let bytes = write_commit_set(&header(320, &OLD, &NEW).encode(), &list(&NEW));
    assert_eq!(FinalitySet::decode(&params, &bytes), Err(not_own));
}

#[test]
fn votes_for_something_else_do_not_count() {
    let about = header(330, &OLD, &OLD);
    let all = [0, 1, 2, 3];
    let refused = |commit: &BlockCommit| {
        assert_eq!(made_verdict(&about, commit), Verdict::Refusal(Refusal::Signature));
    };
    let own = |id: &CosmosBlockId, time| precommit_bytes(CHAIN_ID, (330, 1), id, time);
    shown(made_verdict(&about, &commit_with(&about, &OLD, &all, |_, id, time| own(id, time))));
    // the last one signs that there is no block: the field of the block id is left out
    refused(&commit_with(&about, &OLD, &all, |index, id, time| {
        let signed = own(id, time);
        match index {
            // 1 length, 2 type, 9 height, 9 round, 2 + 72 block id
            3 => [&[signed[0] - 74], &signed[1..21], &signed[95..]].concat(),
            _ => signed,
        }
    }));
    // another chain, height, round or part set
    refused(&commit_with(&about, &OLD, &all, |_, id, time| {
        precommit_bytes("made-2", (330, 1), id, time)
    }));
    refused(&commit_with(&about, &OLD, &all, |_, id, time| {
        precommit_bytes(CHAIN_ID, (331, 1), id, time)
    }));
    let good = commit(&about, &OLD, &all);
    for round in [0, 2] {
        refused(&BlockCommit { round, ..good.clone() });
    }
    refused(&BlockCommit { part_count: 4, ..good.clone() });
    let past = BlockCommit { round: 1 << 31, ..good.clone() };
    let unread = Verdict::Refusal(Refusal::Encoding { part: "commit" });
    assert_eq!(made_verdict(&about, &past), unread);
    // a vote at another validator's place, whoever's address comes with it
    let mut moved = good.clone();
    moved.signatures[3].index = 4;
    refused(&moved);
    // a header of another chain, with everything signed for it
    let foreign = Header { chain_id: "made-2".to_owned(), ..about };
    let what = "the chain id is another";
    assert_eq!(
        made_verdict(&foreign, &commit(&foreign, &OLD, &all)),
        Verdict::Refusal(Refusal::Header { number: 330, what })
    );
    let bytes = write_commit_set(&Header { height: 320, ..foreign }.encode(), &list(&OLD));
    let refused = FinalitySet::decode(&made_params(), &bytes);
    assert_eq!(refused, Err(Refusal::Header { number: 320, what }));
}

#[test]
fn times_stay_within_the_period_and_rise() {
    let Case { params, set, .. } = made();
    let own = header(320, &OLD, &OLD);
    let about = header(330, &OLD, &OLD);
    let at = |header: &Header, now: u64| {
        let commit = commit(header, &OLD, &[0, 1, 2, 3]);
        check_evidence(&params, &set, &evidence_of(header, &commit), UnixSeconds(now))
    };
    // the period counts from the set's header
    let until = set.trusted_until(&params).unwrap().0;
    assert_eq!(until, own.seconds + 14 * 86_400 - 1);
    shown(at(&about, until));
    let (of, seconds) = (UnixSeconds(own.seconds), 14 * 86_400);
    let expired = Verdict::NotEnough(Shortfall::Expired { of, seconds });
    assert_eq!(at(&about, until + 1), expired);
    // ten seconds ahead of the clock at most
    shown(at(&about, about.seconds - 9));
    let early = Verdict::NotEnough(Shortfall::Early { at: UnixSeconds(about.seconds) });
    assert_eq!(at(&about, about.seconds - 10), early);
    // above the set's time, by a nanosecond
    let what = "the header's time does not rise";
    let same = Header { seconds: own.seconds, ..about };
    assert_eq!(at(&same, NOW.0), Verdict::Refusal(Refusal::Order { what }));
    shown(at(&Header { nanos: own.nanos + 1, ..same }, NOW.0));
}

#[test]
fn lists_that_cannot_be_are_refused() {
    let at = |validators: &[CosmosValidator]| {
        let own = validators_hash(validators);
        let header = Header { validators_hash: own, ..header(320, &OLD, &OLD) };
        let bytes = write_commit_set(&header.encode(), validators);
        FinalitySet::decode(&made_params(), &bytes)
    };
    let many = |count: u16| -> Vec<_> {
        let key = |index: u16| {
            let mut key = [7; 32];
            key[..2].copy_from_slice(&index.to_be_bytes());
            key
        };
        (0..count).map(|index| CosmosValidator { key: key(index), power: 1 }).collect()
    };
    let unread = Err(Refusal::Encoding { part: "validators" });
    at(&many(512)).unwrap();
    assert_eq!(at(&many(513)), unread);
    assert_eq!(at(&[]), unread);
    let with = |powers: [u64; 2]| {
        let mut two = many(2);
        two.iter_mut().zip(powers).for_each(|(one, power)| one.power = power);
        two
    };
    let most = (1 << 60) - 1;
    at(&with([most - 1, 1])).unwrap();
    for powers in [[1, 0], [most, 1], [u64::MAX, u64::MAX]] {
        assert_eq!(at(&with(powers)), unread, "{powers:?}");
    }
    let [first, ..] = many(2)[..] else { unreachable!() };
    let what = "a validator is named twice";
    assert_eq!(at(&[first, first]), Err(Refusal::Order { what }));
    // one with a third of the trusted power, named twice
    let about = header(330, &[(1, 20), (1, 20)], &OLD);
    let twice = commit(&about, &[(1, 20), (1, 20)], &[0, 1]);
    assert_eq!(made_verdict(&about, &twice), Verdict::Refusal(Refusal::Order { what }));
    // a power in a longer form
    let about = header(330, &OLD, &OLD);
    let good = evidence_of(&about, &commit(&about, &OLD, &[0, 1, 2, 3]));
    let place = 4 + about.encode().len() + 4 + 4 + 32 + 2 + 32;
    assert_eq!(good.body[place], 20);
    let mut longer = good;
    longer.body.splice(place..=place, [0x80 | 20, 0]);
    let verdict = check_evidence(&made_params(), &made().set, &longer, NOW);
    assert_eq!(verdict, Verdict::Refusal(Refusal::Encoding { part: "validators" }));
}

#[test]
fn only_strictly_valid_votes_are_picked_and_a_keyless_validator_signs_nothing() {
    let about = header(330, &OLD, &OLD);
    let good = commit(&about, &OLD, &[0, 1, 2, 3, 4, 5]);
    let places = |commit: &BlockCommit| -> Vec<usize> {
        commit.signatures.iter().map(|one| one.index).collect()
    };
    assert_eq!(places(&good.clone().with_fewest(CHAIN_ID).unwrap()), [0, 1, 2, 3]);
    let mut wrong = good.clone();
    wrong.signatures[1].signature[40] ^= 1;
    assert_eq!(places(&wrong.clone().with_fewest(CHAIN_ID).unwrap()), [0, 2, 3, 4, 5]);
    wrong.signatures[0].signature[40] ^= 1;
    assert_eq!(wrong.with_fewest(CHAIN_ID), None);
    assert_eq!(good.clone().with_fewest("made-2"), None);
    // a key that is no point; the identity, with which ZIP 215 accepts any message
    let keys = (1..).map(|first: u8| {
        let mut key = [0; 32];
        key[0] = first;
        key
    });
    let is_point = |key: &[u8; 32]| VerifyingKey::from_bytes(key).is_ok();
    let pointless = keys.clone().find(|key| !is_point(key)).unwrap();
    let identity = keys.clone().next().unwrap();
    for (key, refusal) in [(pointless, Refusal::Key { index: 0 }), (identity, Refusal::Signature)] {
        let mut validators = list(&OLD);
        validators[0].key = key;
        let header = Header { validators_hash: validators_hash(&validators), ..about.clone() };
        let mut of_all = commit(&header, &OLD, &[0, 1, 2, 3, 4]);
        of_all.validators = validators.clone();
        let forged: [u8; 64] = [&key[..], &[0; 32]].concat().try_into().unwrap();
        of_all.signatures[0].signature = forged;
        if let Ok(key) = VerifyingKey::from_bytes(&key) {
            key.verify(b"anything", &forged.into()).unwrap();
        }
        assert_eq!(made_verdict(&header, &of_all), Verdict::Refusal(refusal));
        of_all.signatures.push(commit(&header, &OLD, &[5]).signatures[0]);
        let picked = of_all.with_fewest(CHAIN_ID).unwrap();
        assert_eq!(places(&picked), [1, 2, 3, 4, 5]);
        shown(made_verdict(&header, &picked));
    }
}

/// A vote signed by `precommit_bytes` is what a node signs: the bytes are written by hand here.
#[test]
fn a_vote_has_the_bytes_of_the_canonical_message() {
    let id = CosmosBlockId { hash: Hash([1; 32]), part_count: 3, parts_hash: Hash([2; 32]) };
    let block = [&[0x0a, 32][..], &[1; 32], &[0x12, 36, 0x08, 3, 0x12, 32], &[2; 32]].concat();
    let expected = [
        &[0x08, 2, 0x11, 5, 0, 0, 0, 0, 0, 0, 0, 0x22, 72][..],
        &block,
        &[0x2a, 4, 0x08, 7, 0x10, 9, 0x32, 6],
        b"made-1",
    ]
    .concat();
    let framed = [&[u8::try_from(expected.len()).unwrap()][..], &expected].concat();
    assert_eq!(precommit_bytes(CHAIN_ID, (5, 0), &id, 7_000_000_009), framed);
    signing_key(1).verifying_key().verify_strict(&framed, &signing_key(1).sign(&framed)).unwrap();
}
