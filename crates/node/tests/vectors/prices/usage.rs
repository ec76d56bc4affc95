//! `vectors/usage/`: bills, each the usage of one account on one day with its proof, good and bad.

use alloy_primitives::{Address, address};
use serde_json::{Value, json};
use superroot_client::{UsageCheckError, Verifier};
use superroot_proof::ledger::evm::Log;
use superroot_proof::usage::{UsageDay, UsageLeaf, UsageRow, path, range_root};
use superroot_types::*;
use superroot_wire::account::{AccountLeaf, UsageCheckpoint, UsageProof, UsageProofRow};
use superroot_wire::price::EventPlace;

use super::events::{Chain, event, number, place, time};
use super::{AnswerVector, Answers, Change, add, check, remove, replace};
use crate::same_in_file;

const REGISTRY: Address = address!("5555555555555555555555555555555555555555");
const STRANGER: Address = address!("6666666666666666666666666666666666666666");
const EVENT: &str = "UsageCheckpoint(uint64,uint64,uint64,bytes32)";
const DAY_SECONDS: u64 = 86_400;
/// Test keys.
const ENVIRONMENT: u8 = 2;
const WHOLE: &str = "a day of an account";

/// The day before block 0.
fn day() -> u32 {
    (time(0) / DAY_SECONDS) as u32 - 1
}

/// A row of an account's: `place` makes it another.
fn row(account: u8, place: u8) -> UsageRow {
    let chain = match place % 2 {
        0 => [0xff, 0, 0, 0, 0, 0, 0, 0, 0],
        _ => [0, 0, 0, 0, 0, 0, 0, 0x21, 5],
    };
    UsageRow {
        hour: day() * 24 + u32::from(place),
        key: if place == 0 { [0; 16] } else { [account + 100; 16] },
        route: 5 + u16::from(place),
        chain,
        status: 2 + place % 4,
        requests: 10 + u64::from(place),
        tokens: u64::from(place),
    }
}

fn rows(account: u8) -> Vec<UsageRow> {
    (0..=account % 4 + 1).map(|place| row(account, place)).collect()
}

fn leaf(account: u8, day: u32) -> UsageLeaf {
    let rows = rows(account);
    let hashes: Vec<Hash> = rows.iter().map(UsageRow::hash).collect();
    UsageLeaf {
        account: [account; 16],
        day,
        blind: Hash([account ^ 0x5a; 32]),
        rows: rows.len() as u32,
        requests: rows.iter().map(|row| row.requests).sum(),
        tokens: rows.iter().map(|row| row.tokens).sum(),
        range_root: range_root(&hashes),
    }
}

/// A day of 21 accounts: the leaves in order, and their root.
fn whole_day(environment: u8, day: u32) -> (Vec<Hash>, UsageDay) {
    let mut hashes: Vec<Hash> = (1..=21).map(|account| leaf(account, day).hash()).collect();
    hashes.sort();
    let range_root = range_root(&hashes);
    (hashes, UsageDay { environment, day, accounts: 21, range_root })
}

fn written(by: Address, sequence: u64, usage: &UsageDay) -> Log {
    let start = u64::from(usage.day) * DAY_SECONDS;
    let words = [number(start), number(start + DAY_SECONDS), usage.root().0];
    event(by, EVENT, &[number(sequence)], &words)
}

fn uuid(bytes: [u8; 16]) -> String {
    let hex = const_hex::encode(bytes);
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

fn shown_row(row: &UsageRow) -> UsageProofRow {
    let is_evm = row.chain[0] == 0;
    UsageProofRow {
        hour: UnixSeconds(u64::from(row.hour) * 3_600),
        key_id: (row.key != [0; 16]).then(|| uuid(row.key)),
        route: row.route,
        endpoint: format!("/route/{}", row.route),
        family: is_evm.then(|| "evm".to_owned()),
        chain_id: is_evm.then_some(8_453),
        status: format!("{}xx", row.status),
        requests: row.requests,
        billing_tokens: row.tokens,
    }
}

struct Bills {
    chain: Chain,
    /// The contract's event, a stranger's, one of another day, one of the other environment, another event.
    events: [EventPlace; 5],
}

impl Bills {
    fn new() -> Self {
        let usage = whole_day(ENVIRONMENT, day()).1;
        let logs = [
            written(REGISTRY, 3, &usage),
            written(STRANGER, 3, &usage),
            written(REGISTRY, 4, &whole_day(ENVIRONMENT, day() + 1).1),
            written(REGISTRY, 3, &whole_day(1, day()).1),
            event(REGISTRY, "Transfer(address,address,uint256)", &[], &[]),
        ];
        let receipts: Vec<Vec<Log>> = logs.map(|log| vec![log]).to_vec();
        let events = [0, 1, 2, 3, 4].map(|index| place(105, index, 0));
        Self { chain: Chain::new(&[(105, receipts)]), events }
    }

    fn answer(&self, account: u8, event: &EventPlace) -> Value {
        let (hashes, usage) = whole_day(ENVIRONMENT, day());
        let own = leaf(account, day());
        let index = LeafIndex(hashes.binary_search(&own.hash()).unwrap() as u64);
        let start = UnixSeconds(u64::from(day()) * DAY_SECONDS);
        let proof = UsageProof {
            usage_checkpoint: UsageCheckpoint {
                day: start.iso_8601()[..10].to_owned(),
                environment: "test".to_owned(),
                sequence: 3,
                chain_id: 1,
                contract: format!("{REGISTRY:#x}"),
                start,
                end: UnixSeconds(start.0 + DAY_SECONDS),
                root: usage.root(),
                accounts: usage.accounts,
                range_root: usage.range_root,
                state: "proven".to_owned(),
                transaction_hash: Some(Hash([9; 32])),
                proof_url: Some(event.proof_url.clone()),
            },
            user_id: uuid(own.account),
            leaf: Some(AccountLeaf {
                blind: own.blind,
                row_count: own.rows,
                requests: own.requests,
                billing_tokens: own.tokens,
                range_root: own.range_root,
                index: index.0,
                path: path(&hashes, index),
            }),
            rows: Some(rows(account).iter().map(shown_row).collect()),
            rows_missing: None,
            proof_blob: Some(self.chain.blob(event)),
        };
        let mut body = serde_json::to_value(&proof).unwrap();
        body["v5_anchor"] = self.chain.anchor("super_root_hash");
        body
    }
}

fn judge(body: &Value) -> Result<Option<usize>, &'static str> {
    let checked = Verifier::builtin().check_usage(body.to_string().as_bytes());
    checked.map(|_| None).map_err(|error| match error {
        UsageCheckError::NoUsage(_) => "no_usage",
        UsageCheckError::NoLeaf => "no_leaf",
        UsageCheckError::NotProven => "not_proven",
        UsageCheckError::Rows(_) => "rows",
        UsageCheckError::Leaf(_) => "leaf",
        UsageCheckError::Proof(_) => "proof",
        UsageCheckError::Event(_) => "event",
    })
}

fn all() -> Vec<AnswerVector> {
    let bills = Bills::new();
    let [own, stranger, later, live, other] = &bills.events;
    let trusted = bills.chain.trusted();
    let mut all = Answers { trusted, judge, all: Vec::new() };
    all.good(WHOLE, "five rows, one of 21 accounts", &bills.answer(3, own));
    all.good("another account", "its own leaf and rows", &bills.answer(20, own));
    let mut sums = bills.answer(3, own);
    sums["rows"] = Value::Null;
    sums["rows_missing"] = "changed".into();
    all.good("a day without rows", "sums and root are proven all the same", &sums);
    for (name, reason, event) in [
        ("the event of a stranger", "it is not of the contract", stranger),
        ("the event of the next day", "sequence and times are others", later),
        ("the event of the other environment", "it has another root", live),
        ("another event of the contract", "it is no checkpoint", other),
    ] {
        all.bad(name, reason, &bills.answer(3, event));
    }
    let mut bent = |name: &str, reason: &str, patch: &[Change]| {
        all.bent(WHOLE, name, reason, patch);
    };
    let row = bills.answer(3, own)["rows"][1].clone();
    let next_hour = row["hour"].as_u64().unwrap() + 3_600;
    bent("a row more", "the leaf has its number", &[add("/rows/-", row.clone())]);
    bent("a row less", "the leaf has its number", &[remove("/rows/2")]);
    bent("a row twice, another gone", "its root is another", &[replace("/rows/2", row.clone())]);
    bent("a row of another hour", "its root is another", &[replace("/rows/1/hour", next_hour)]);
    bent(
        "a row of the next day",
        "it is no row of this day",
        &[replace("/rows/1/hour", row["hour"].as_u64().unwrap() + DAY_SECONDS)],
    );
    bent("half an hour", "hours are whole", &[replace("/rows/1/hour", next_hour - 1_800)]);
    for (member, value) in [
        ("key_id", json!(null)),
        ("key_id", json!("x")),
        ("route", json!(7)),
        ("chain_id", json!(1)),
        ("family", json!("bitcoin")),
        ("family", json!(null)),
        ("status", json!("5xx")),
        ("status", json!("200")),
        ("requests", json!(12)),
        ("requests", json!(u64::MAX)),
        ("billing_tokens", json!(2)),
    ] {
        let name = format!("a row with the {member} {value}");
        bent(&name, "its root is another", &[replace(&format!("/rows/1/{member}"), value)]);
    }
    bent(
        "rows in another order",
        "their root is another",
        &[replace("/rows/1", bills.answer(3, own)["rows"][2].clone()), replace("/rows/2", row)],
    );
    let other = bills.answer(4, own);
    bent(
        "another account's name",
        "the leaf is the account's",
        &[replace("/user_id", other["user_id"].clone())],
    );
    bent(
        "another account's leaf",
        "the rows are others",
        &[replace("/leaf", other["leaf"].clone())],
    );
    bent(
        "another account's leaf and rows",
        "the leaf names its account",
        &[replace("/leaf", other["leaf"].clone()), replace("/rows", other["rows"].clone())],
    );
    leaf_changes(&mut bent);
    day_changes(&mut bent);
    all.all
}

fn leaf_changes(bent: &mut impl FnMut(&str, &str, &[Change])) {
    let in_leaf = "it is in the leaf's hash";
    for (member, value) in [
        ("requests", json!(1)),
        ("billing_tokens", json!(0)),
        ("blind", json!(Hash::ZERO)),
        ("range_root", json!(Hash::ZERO)),
        ("row_count", json!(6)),
        ("index", json!(20)),
        ("index", json!(u64::MAX)),
    ] {
        let change = replace(&format!("/leaf/{member}"), value.clone());
        bent(&format!("the {member} {value} in the leaf"), in_leaf, &[change]);
        let change = [remove("/rows"), replace(&format!("/leaf/{member}"), value.clone())];
        bent(&format!("the {member} {value} in the leaf, without rows"), in_leaf, &change);
    }
    bent("a path too short", "index and count give its length", &[remove("/leaf/path/0")]);
    bent("another path", "it leads to another root", &[replace("/leaf/path/0", json!(Hash::ZERO))]);
    bent("no leaf", "there is nothing to prove", &[replace("/leaf", Value::Null)]);
    bent("no id", "an id has 36 characters", &[replace("/user_id", "x")]);
}

fn day_changes(bent: &mut impl FnMut(&str, &str, &[Change])) {
    let at = |member: &str| format!("/usage_checkpoint/{member}");
    let start = u64::from(day()) * DAY_SECONDS;
    for (member, value, reason) in [
        ("environment", json!("live"), "it is in the root"),
        ("environment", json!("demo"), "there is no such"),
        ("accounts", json!(22), "it is in the root"),
        ("accounts", json!(0), "an index is below it"),
        ("range_root", json!(Hash::ZERO), "the leaf leads to another"),
        ("root", json!(Hash::ZERO), "the day has another"),
        ("sequence", json!(4), "the event has another"),
        ("chain_id", json!(10), "the event is of chain 1"),
        ("contract", json!(format!("{STRANGER:#x}")), "the event is of another"),
        ("contract", json!("0x12"), "an address has 40 digits"),
        ("start", json!(start + 1), "a day begins at midnight"),
        ("start", json!(start - DAY_SECONDS), "a day has 24 hours"),
        ("end", json!(start + 2 * DAY_SECONDS), "a day has 24 hours"),
        ("day", json!("2023-11-14"), "the times are of another"),
    ] {
        bent(&format!("the {member} {value}"), reason, &[replace(&at(member), value.clone())]);
    }
    let next = UnixSeconds(start + DAY_SECONDS);
    bent(
        "the next day",
        "rows and leaf are of another",
        &[
            replace(&at("day"), &next.iso_8601()[..10]),
            replace(&at("start"), next.0),
            replace(&at("end"), next.0 + DAY_SECONDS),
        ],
    );
    bent("no proof", "the contract does not have it yet", &[replace("/proof_blob", Value::Null)]);
    bent("a proof that is none", "it is not read", &[replace("/proof_blob", "0x00")]);
    bent("another SuperRoot named", "it is what is proven", &[replace("/v5_anchor/sequence", 0)]);
}

#[test]
fn every_bill_is_judged_at_its_step() {
    let vectors = same_in_file("usage/usage.json", &all(), |one| &one.name);
    let steps = ["no_usage", "no_leaf", "not_proven", "rows", "leaf", "proof", "event"];
    check(&vectors, &steps, judge);
    assert!(vectors.len() >= 50, "{} bills", vectors.len());
}
