//! Which target and time are due after the headers before: on recorded headers of the main network,
//! beside a second implementation, and under the rules of the test networks.

use std::collections::BTreeMap;

use bitcoin::CompactTarget;
use proptest::prelude::*;
use superroot_chain::ledger::bitcoin::{
    BitcoinParams, MEDIAN_BLOCKS, RETARGET_BLOCKS, Retarget, check_due, check_work,
};
use superroot_chain::{ChainError, ChainRegistry, Ledger};
use superroot_proof::ledger::bitcoin::Header;
use superroot_types::{BlockNumber, Hash};

const LIMIT: u32 = 0x1d00_ffff;
const TWO_WEEKS: u32 = 14 * 24 * 60 * 60;

fn params(retarget: Retarget) -> BitcoinParams {
    let unprovable = Vec::new();
    BitcoinParams {
        target_limit_bits: LIMIT,
        coinbase_height_from: 0,
        confirmations: 6,
        retarget,
        checkpoints: Vec::new(),
        unprovable,
    }
}

fn header(time: u32, bits: u32) -> Header {
    let (parent_hash, merkle_root) = (Hash::ZERO, Hash::ZERO);
    Header { version: 1, parent_hash, merkle_root, time, bits, nonce: 0 }
}

type Held = BTreeMap<u64, Header>;

fn check(retarget: Retarget, number: u64, header: &Header, held: &Held) -> Result<(), ChainError> {
    let before = |number: BlockNumber| held.get(&number.0).copied();
    check_due(&params(retarget), BlockNumber(number), header, before)
}

/// Headers ten minutes apart, all with those bits.
fn line(numbers: std::ops::Range<u64>, bits: u32) -> Held {
    let at = |number: u64| (number, header(1_300_000_000 + 600 * number as u32, bits));
    numbers.map(at).collect()
}

/// First and last header of 2016 and the one after, as `testVectors.json` of bitcoin-spv has them.
#[test]
fn real_adjustments_are_those_that_are_due() {
    let Some(data) = std::env::var_os("SUPERROOT_DATA") else {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, real adjustments are not read");
        return;
    };
    let file = std::path::Path::new(&data).join("other/bitcoin/btc/bitcoin-spv/testVectors.json");
    let vectors: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let mut count = 0;
    for vector in vectors["retargetAlgorithm"].as_array().unwrap() {
        let read = |value: &serde_json::Value| {
            let bytes = const_hex::decode(value["hex"].as_str().unwrap()).unwrap();
            (value["height"].as_u64().unwrap(), Header::decode(&bytes).unwrap())
        };
        let [first, last, next] = [0, 1, 2].map(|place| read(&vector["input"][place]));
        assert_eq!((first.0 % RETARGET_BLOCKS, first.0 + RETARGET_BLOCKS), (0, next.0));
        let held: Held = [first, (next.0 - 1, last.1)].into();
        check(Retarget::Main, next.0, &next.1, &held).unwrap();
        for bend in [-1_i64, 1] {
            let bits = u32::try_from(i64::from(next.1.bits) + bend).unwrap();
            let bent = Header { bits, ..next.1 };
            assert!(check(Retarget::Main, next.0, &bent, &held).is_err());
        }
        count += 1;
    }
    assert!(count >= 9, "{count}");
}

#[test]
fn between_adjustments_the_target_stays() {
    let held = line(2_016..4_031, 0x1b04_04cb);
    let next = header(held[&4_030].time + 600, 0x1b04_04cb);
    check(Retarget::Main, 4_031, &next, &held).unwrap();
    let error = check(Retarget::Main, 4_031, &Header { bits: 0x1b04_04cc, ..next }, &held);
    assert_eq!(
        error.unwrap_err().to_string(),
        "bits is 0x1b0404cc, expected 0x1b0404cb, which is due at 4031"
    );
    let error = check(Retarget::Main, 4_031, &Header { bits: LIMIT, ..next }, &held);
    assert!(error.is_err(), "the easiest target is due nowhere on the main network");
}

/// The row's checkpoint: nothing else is held.
#[test]
fn targets_follow_from_a_checkpoint() {
    let row = ChainRegistry::builtin().find("bitcoin").unwrap();
    let Ledger::Bitcoin(params) = &row.ledger else { panic!("of another family") };
    let [.., known] = params.checkpoints[..] else { panic!("no checkpoint") };
    check_work(&known.header, params).expect("its work is its own");
    let nothing = |_: BlockNumber| None;
    let at = |offset: u64| BlockNumber(known.number.0 + offset);
    check_due(params, at(0), &known.header, nothing).unwrap();
    let other = Header { nonce: 0, ..known.header };
    let error = check_due(params, at(0), &other, nothing).unwrap_err().to_string();
    assert!(error.starts_with("hash of the checkpoint is "), "{error}");
    for offset in [1, 2, 1_000, RETARGET_BLOCKS - 1] {
        check_due(params, at(offset), &other, nothing).unwrap();
        let easier = Header { bits: other.bits + 1, ..other };
        let error = check_due(params, at(offset), &easier, nothing).unwrap_err().to_string();
        assert!(error.contains("which is due at"), "{error}");
    }
    // the next period takes the last header of this one
    let last = Header { time: known.header.time + 600 * 2_015, ..other };
    let held = |number: BlockNumber| (number == at(RETARGET_BLOCKS - 1)).then_some(last);
    let next = |bits| check_due(params, at(RETARGET_BLOCKS), &Header { bits, ..last }, held);
    let error = next(known.header.bits + 1).unwrap_err().to_string();
    let due = error.split_once("expected ").unwrap().1.split(',').next().unwrap();
    next(u32::from_str_radix(&due[2..], 16).unwrap()).unwrap();
    check_due(params, at(RETARGET_BLOCKS + 1), &Header { bits: 1, ..last }, nothing).unwrap();
}

/// Without the header of 2016 blocks before, nothing is said of an adjustment; without the parent,
/// nothing at all.
#[test]
fn what_takes_a_header_that_is_not_held_is_not_checked() {
    let held = line(2_017..4_032, 0x1b04_04cb);
    let next = header(held[&4_031].time + 600, 0x1b01_0000);
    check(Retarget::Main, 4_032, &next, &held).unwrap();
    check(Retarget::Main, 4_033, &header(1, 0x1b01_0000), &held).unwrap();
    let whole = line(2_016..4_032, 0x1b04_04cb);
    assert!(check(Retarget::Main, 4_032, &next, &whole).is_err());
}

#[test]
fn a_block_is_later_than_the_median_of_eleven() {
    let held = line(100..200, 0x1b04_04cb);
    let median = held[&194].time;
    let next = |time| header(time, 0x1b04_04cb);
    let error = check(Retarget::Main, 200, &next(median), &held).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("time is {median}, expected later than {median}, the median of the blocks before")
    );
    assert_eq!(error.check().name(), "time");
    check(Retarget::Main, 200, &next(median + 1), &held).unwrap();
    // with fewer than eleven held it is not known, but below block 11 there are no more
    let few = line(190..200, 0x1b04_04cb);
    check(Retarget::Main, 200, &next(0), &few).unwrap();
    let first = line(0..MEDIAN_BLOCKS - 1, 0x1b04_04cb);
    assert!(check(Retarget::Main, MEDIAN_BLOCKS - 1, &next(first[&5].time), &first).is_err());
    check(Retarget::Main, MEDIAN_BLOCKS - 1, &next(first[&5].time + 1), &first).unwrap();
}

#[test]
fn a_regression_test_network_never_adjusts() {
    let held = line(0..4_032, 0x207f_ffff);
    let next = header(held[&4_031].time + 600, 0x207f_ffff);
    check(Retarget::Never, 4_032, &next, &held).unwrap();
    assert!(check(Retarget::Never, 4_032, &Header { bits: 0x207f_fffe, ..next }, &held).is_err());
}

#[test]
fn a_late_block_of_a_test_network_has_the_easiest_target_and_the_next_one_the_true_one() {
    for rule in [Retarget::Test3, Retarget::Test4] {
        let mut held = line(2_016..2_100, 0x1b04_04cb);
        let last = held[&2_099].time;
        let (late, soon) = (last + 1_201, last + 1_200);
        check(rule, 2_100, &header(late, LIMIT), &held).unwrap();
        assert!(check(rule, 2_100, &header(late, 0x1b04_04cb), &held).is_err());
        check(rule, 2_100, &header(soon, 0x1b04_04cb), &held).unwrap();
        assert!(check(rule, 2_100, &header(soon, LIMIT), &held).is_err());
        for number in 2_100..2_105 {
            held.insert(number, header(late, LIMIT));
        }
        check(rule, 2_105, &header(late + 1, 0x1b04_04cb), &held).unwrap();
        assert!(check(rule, 2_105, &header(late + 1, LIMIT), &held).is_err());
        held.retain(|number, _| *number >= 2_100);
        check(rule, 2_105, &header(late + 1, 0x1b01_0000), &held).unwrap();
        assert!(check(Retarget::Main, 2_105, &header(late, 0x1b04_04cb), &held).is_err());
    }
}

/// The last of the 2016 was an exception: the third network adjusts that, the fourth the first one's.
#[test]
fn what_is_adjusted_differs_between_the_test_networks() {
    let mut held = line(2_016..4_032, 0x1b04_04cb);
    let first = held[&2_016].time;
    held.insert(4_031, header(first + TWO_WEEKS, LIMIT));
    let next = |bits| header(first + TWO_WEEKS + 600, bits);
    check(Retarget::Test3, 4_032, &next(LIMIT), &held).unwrap();
    assert!(check(Retarget::Test4, 4_032, &next(LIMIT), &held).is_err());
    check(Retarget::Test4, 4_032, &next(0x1b04_04cb), &held).unwrap();
    assert!(check(Retarget::Test3, 4_032, &next(0x1b04_04cb), &held).is_err());
}

proptest! {
    /// Beside the second implementation, for any time taken, backwards too.
    #[test]
    fn adjustments_agree_with_a_second_implementation(
        mantissa in 0x8000_u32..0x80_0000,
        exponent in 5_u32..0x1d,
        taken in -100_000_i64..4_000_000,
    ) {
        let bits = (exponent << 24) | mantissa;
        let mut held = line(2_016..4_032, bits);
        let first = held[&2_016].time;
        let time = u32::try_from(i64::from(first) + taken).unwrap();
        held.insert(4_031, header(time, bits));
        let theirs = CompactTarget::from_next_work_required(
            CompactTarget::from_consensus(bits),
            u64::try_from(taken.max(0)).unwrap(),
            bitcoin::Network::Bitcoin,
        );
        let next = header(u32::MAX, theirs.to_consensus());
        check(Retarget::Main, 4_032, &next, &held).unwrap();
        let other = Header { bits: next.bits ^ 1, ..next };
        prop_assert!(check(Retarget::Main, 4_032, &other, &held).is_err());
    }
}
