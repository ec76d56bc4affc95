//! Votes of BNB Smart Chain: real headers, made epochs whose validators change, and all that must be refused.

use alloy_rlp::{Encodable, PayloadView};
use serde_json::Value;
use superroot_proof::finality::vote::*;
use superroot_proof::finality::*;
use superroot_proof::hash::keccak256;
use superroot_types::{BlockNumber, Hash, UnixSeconds};

use crate::epochs::*;
use crate::finality::{Case, NOW, data, set_of, shown};

const BNB: VoteParams = VoteParams::BNB;
const PARENT: usize = 0;
const NUMBER: usize = 8;
const TIME: usize = 11;
const EXTRA: usize = 12;

/// A header with these fields in place of its own.
fn header_with(header: &[u8], fields: &[(usize, &[u8])]) -> Vec<u8> {
    let PayloadView::List(items) = alloy_rlp::Header::decode_raw(&mut &header[..]).unwrap() else {
        panic!("a list")
    };
    let mut body = Vec::new();
    for (index, item) in items.iter().enumerate() {
        match fields.iter().find(|(at, _)| *at == index) {
            Some((_, value)) => value.encode(&mut body),
            None => body.extend_from_slice(item),
        }
    }
    let mut out = Vec::new();
    alloy_rlp::Header { list: true, payload_length: body.len() }.encode(&mut out);
    [out, body].concat()
}

/// Real headers of the test network, and the header that its set would have stood in.
struct Chapel {
    headers: Vec<(u64, Vec<u8>)>,
    set: FinalitySet,
}

impl Chapel {
    fn read(number: u64) -> Option<Self> {
        let bytes = data(&format!("finality/bsc/chapel_{number}.json.gz"))?;
        let json: Value = serde_json::from_slice(&bytes).unwrap();
        let header = |one: &Value| {
            let rlp = const_hex::decode(one["rlp"].as_str().unwrap()).unwrap();
            assert_eq!(keccak256(&rlp).to_string(), one["hash"].as_str().unwrap());
            (one["number"].as_u64().unwrap(), rlp)
        };
        let headers: Vec<_> = json["headers"].as_array().unwrap().iter().map(header).collect();
        let hex = |value: &Value| const_hex::decode(value.as_str().unwrap()).unwrap();
        let members = json["validatorSet"].as_array().unwrap();
        let mut extra = [&[0; 32][..], &[u8::try_from(members.len()).unwrap()]].concat();
        for member in members {
            extra.extend([hex(&member["address"]), hex(&member["blsKey"])].concat());
        }
        extra.extend([&[8][..], &[0; 65]].concat());
        let begin = trimmed(json["setOfEpochHeader"].as_u64().unwrap());
        let before = header_with(&headers[0].1, &[(NUMBER, &begin), (EXTRA, &extra)]);
        let set = FinalitySet::Vote(VoteSet::new(&BNB, &before).unwrap());
        Some(Self { headers, set })
    }

    fn header(&self, number: u64) -> &[u8] {
        &self.headers.iter().find(|(own, _)| *own == number).unwrap().1
    }

    /// A day behind the headers: they are of January.
    fn now(&self) -> UnixSeconds {
        UnixSeconds(self.set.begins(&FinalityParams::Vote(BNB)).unwrap().0 + 86_400)
    }

    fn evidence(&self, carrier: u64, target: u64) -> ConsensusEvidence {
        let vote = read_vote(&BNB, self.header(carrier)).unwrap();
        let (number, hash) = vote.source;
        let body = write_vote(self.set.number(), &vote, self.header(target));
        ConsensusEvidence { kind: FinalityKind::Vote, number, hash, body }
    }

    fn check(&self, evidence: &ConsensusEvidence) -> Verdict<FinalityShown> {
        check_evidence(&FinalityParams::Vote(BNB), &self.set, evidence, self.now())
    }
}

#[test]
fn six_of_nine_real_votes_make_a_block_final_and_five_do_not() {
    let Some(chapel) = Chapel::read(86_242_000) else { return };
    let evidence = chapel.evidence(86_242_002, 86_242_001);
    let found = shown(chapel.check(&evidence));
    assert_eq!(found.number(), Some(BlockNumber(86_242_000)));
    assert_eq!(found.by(), "6 of 9 validators of epoch 86241");
    assert!(evidence.encode().len() < 1_100, "{}", evidence.encode().len());
    let mut fewer = evidence.clone();
    let bits = fewer.body[15];
    fewer.body[15] &= bits - 1;
    assert_eq!(
        chapel.check(&fewer),
        Verdict::NotEnough(Shortfall::Signers { got: 5, of: 9, expected: 6 })
    );
    let mut past = evidence.clone();
    past.body[14] |= 2;
    assert_eq!(
        chapel.check(&past),
        Verdict::Refusal(Refusal::Encoding { part: "bits past the validators" })
    );
    // the vote makes the epoch's header final: that is the step to its own set
    let headers = LinkHeaders::from_iter([chapel.header(86_242_000).to_vec()]);
    let step = write_vote_step(&headers, &evidence.body);
    let params = FinalityParams::Vote(BNB);
    let next = set_of(chapel.set.advance(&params, &step, chapel.now()));
    assert_eq!((next.number(), next.id()), (86_242, keccak256(chapel.header(86_242_000))));
    assert_eq!(FinalitySet::named_by(&params, &step), Some(next.clone()));
    // the next set signs from a few blocks later on, and the evidence says whose it is
    let signers = |target| signers_of(&BNB, &chapel.set.encode(), BlockNumber(target));
    assert_eq!(signers(86_242_039), Some(86_241));
    assert_eq!(signers(86_242_040), Some(86_242));
    assert_eq!(signers_of(&BNB, chapel.header(86_242_001), BlockNumber(86_242_040)), None);
    assert_eq!(
        check_evidence(&params, &next, &evidence, chapel.now()),
        Verdict::NotEnough(Shortfall::Set { needed: 86_241, held: 86_242 })
    );
    let case = Case { params, set: chapel.set.clone(), step: None, evidence: evidence.clone() };
    let late = check_evidence(&case.params, &case.set, &case.evidence, NOW);
    assert!(matches!(late, Verdict::NotEnough(Shortfall::Expired { .. })), "{late:?}");
}

#[test]
fn a_real_vote_from_further_below_finalizes_nothing() {
    let Some(chapel) = Chapel::read(85_576_000) else { return };
    // 85575999 -> 85576000 is of a parent and its child
    let evidence = chapel.evidence(85_576_001, 85_576_000);
    assert_eq!(shown(chapel.check(&evidence)).number(), Some(BlockNumber(85_575_999)));
    // 85576000 -> 85576002 is not, whichever target is shown
    assert_eq!(
        chapel.check(&chapel.evidence(85_576_003, 85_576_002)),
        Verdict::Refusal(Refusal::Order { what: "the target's number does not follow" })
    );
    assert_eq!(
        chapel.check(&chapel.evidence(85_576_003, 85_576_001)),
        Verdict::Refusal(Refusal::Signature)
    );
    assert_eq!(read_vote(&BNB, chapel.header(85_576_002)), None);
}

#[test]
fn the_validators_of_a_real_epoch_header_are_read() {
    let Some(extra) = data("finality/bsc/mainnet_76371000_extra_data.hex.gz") else { return };
    let extra = const_hex::decode(String::from_utf8(extra).unwrap().trim()).unwrap();
    let header = header(76_371_000, Hash([1; 32]), &extra);
    assert_eq!(VoteSet::new(&BNB, &header).unwrap().block(), BlockNumber(76_371_000));
    let signers = |target| signers_of(&BNB, &header, BlockNumber(target));
    assert_eq!((signers(76_372_087), signers(76_372_088)), (Some(76_371), Some(76_372)));
    let vote = read_vote(&BNB, &header).unwrap();
    assert_eq!((vote.source.0.0, vote.target.0.0), (76_370_998, 76_370_999));
    assert_eq!(vote.bits.count_ones(), 19);
}

// -- made epochs ---------------------------------------------------------------------------------------------------

/// Epochs 10 and 11: the header of the second is made final by a vote three blocks behind it.
fn made() -> (Case, Vec<Vec<u8>>) {
    let headers = line(FIRST, 60);
    let link = headers[32..=35].iter().rev().cloned().collect();
    let step = write_vote_step(&link, &body(&headers, 35, 10, &FIVE));
    let set = FinalitySet::Vote(VoteSet::new(&SHORT, &headers[0]).unwrap());
    let evidence = evidence(&headers, 50, 11, &FIVE);
    (Case { params: FinalityParams::Vote(SHORT), set, step: Some(step), evidence }, headers)
}

#[test]
fn votes_follow_their_epochs_and_refuse_every_change() {
    let (case, headers) = made();
    case.refuses_every_change(3);
    assert_eq!(case.signer().id(), keccak256(&headers[32]));
    // each set signs up to eight blocks into the next epoch, and not the block that it stands in
    let check = |set: &FinalitySet, at, epoch| {
        check_evidence(&case.params, set, &evidence(&headers, at, epoch, &FIVE), NOW)
    };
    shown(check(&case.set, 0, 10));
    shown(check(&case.set, 38, 10));
    let order = Refusal::Order { what: "the target is not of the set's epoch" };
    assert_eq!(check(&case.set, 39, 10), Verdict::Refusal(order));
    shown(check(&case.signer(), 39, 11));
    assert_eq!(check(&case.signer(), 31, 11), Verdict::Refusal(order));
    assert_eq!(
        check(&case.set, 50, 11),
        Verdict::NotEnough(Shortfall::Set { needed: 11, held: 10 })
    );
    // the others' keys do not sign for it
    let mut of_others = evidence(&headers, 20, 10, &FIVE);
    of_others.body = body(&headers, 20, 11, &FIVE);
    of_others.body[..8].copy_from_slice(&10_u64.to_be_bytes());
    let verdict = check_evidence(&case.params, &case.set, &of_others, NOW);
    assert_eq!(verdict, Verdict::Refusal(Refusal::Signature));
    let four = evidence(&headers, 20, 10, &FIVE[..4]);
    assert_eq!(
        check_evidence(&case.params, &case.set, &four, NOW),
        Verdict::NotEnough(Shortfall::Signers { got: 4, of: 7, expected: 5 })
    );
    let early = UnixSeconds(BEGIN + FIRST + 20);
    let verdict =
        check_evidence(&case.params, &case.set, &evidence(&headers, 20, 10, &FIVE), early);
    assert!(matches!(verdict, Verdict::NotEnough(Shortfall::Early { .. })), "{verdict:?}");
}

#[test]
fn a_step_leads_to_the_next_epochs_header_alone() {
    let (case, headers) = made();
    let advance = |range: std::ops::RangeInclusive<usize>, at: usize| {
        let link = headers[range].iter().rev().cloned().collect();
        let step = write_vote_step(&link, &body(&headers, at, 10, &FIVE));
        case.set.advance(&case.params, &step, NOW)
    };
    set_of(advance(32..=32, 32));
    set_of(advance(32..=38, 38));
    // another header than an epoch's first, the set's own, and a line with a gap
    for (range, at) in [(33..=35, 35), (31..=35, 35), (0..=3, 3), (32..=34, 35)] {
        assert!(advance(range.clone(), at).shown().is_none(), "{range:?}");
    }
    let nothing = write_vote_step(&LinkHeaders::default(), &body(&headers, 35, 10, &FIVE));
    assert!(matches!(case.set.advance(&case.params, &nothing, NOW), Verdict::Refusal(_)));
}

#[test]
fn validators_that_cannot_be_are_no_set() {
    let at =
        |validators: &[u8]| VoteSet::new(&SHORT, &header(320, Hash([1; 32]), &extra(validators)));
    at(&validators(10, 7, 2)).unwrap();
    let many = validators(10, VALIDATORS_MAX, 1);
    at(&many).unwrap();
    let more = validators(10, VALIDATORS_MAX + 1, 1);
    assert_eq!(at(&more), Err(Refusal::Encoding { part: "validators" }));
    assert_eq!(at(&[0, 2]), Err(Refusal::Encoding { part: "validators" }));
    assert!(at(&[]).is_err() && at(&many[..200]).is_err());
    assert!(at(&validators(10, 7, 0)).is_err(), "no turn");
    // unsorted or doubled addresses
    let swapped = {
        let mut bytes = validators(10, 2, 2);
        bytes[1..69 + 68].rotate_left(68);
        bytes
    };
    let doubled = {
        let mut bytes = validators(10, 2, 2);
        bytes[69..89].fill(0);
        bytes
    };
    for bytes in [swapped, doubled] {
        let what = "the validators' addresses do not rise";
        assert_eq!(at(&bytes), Err(Refusal::Order { what }));
    }
    let elsewhere = header(321, Hash([1; 32]), &extra(&validators(10, 7, 2)));
    assert!(VoteSet::new(&SHORT, &elsewhere).is_err());
    // whoever has no key cannot be among the signers, and stops nobody else
    let headers = line(FIRST, 30);
    for keyless in [[0; 48], [0xff; 48]] {
        let mut bytes = validators(10, 7, 2);
        bytes[1 + 68 + 20..1 + 2 * 68].copy_from_slice(&keyless);
        let set = FinalitySet::Vote(at(&bytes).unwrap());
        let params = FinalityParams::Vote(SHORT);
        let check = |voters: &[usize]| {
            check_evidence(&params, &set, &evidence(&headers, 9, 10, voters), NOW)
        };
        shown(check(&FIVE));
        let with_him = [0, 1, 2, 3, 5];
        assert_eq!(check(&with_him), Verdict::Refusal(Refusal::Key { index: 1 }));
    }
}

#[test]
fn the_fields_that_a_test_changes_are_where_it_thinks() {
    let original = header(320, Hash([1; 32]), b"extra");
    let same = header_with(&original, &[]);
    assert_eq!(same, original);
    let time = trimmed(BEGIN + 9);
    let changed = [(PARENT, &[9; 32][..]), (NUMBER, &[9]), (TIME, &time), (EXTRA, b"other")];
    assert_eq!(header_with(&original, &changed), header(9, Hash([9; 32]), b"other"));
}
