//! Laws of bodies that carry a scan: what they say is held against what it shows, in each form.

use crate::fixture;

use fixture::*;
use serde_json::{Value, json};
use superroot_proof::bundle::Policy;
use superroot_proof::scan::{Scan, ScanFacts, ScanFilter, verify};
use superroot_types::*;
use superroot_wire::scan::*;
use superroot_wire::{Case, case};
use world::{ETHEREUM, World};

/// Blocks 4,098 to 4,104 with the events of one block.
fn scan(world: &World) -> (Scan, ScanFacts) {
    let filter = ScanFilter::new(vec![Address([3; 20])], Default::default(), vec![]).unwrap();
    let scan = world.scan(ETHEREUM, (4_098, 4_104), &filter, false, 1);
    let facts = verify(&scan, &Policy::strict(&world.registry)).unwrap().into_inner();
    assert_eq!(facts.events.len(), 6);
    (scan, facts)
}

fn check(body: &Value, world: &World) -> Result<Vec<String>, ScanCheckError> {
    let bytes = body.to_string().into_bytes();
    assert!(is_scan(&bytes));
    check_scan(&bytes, &Policy::strict(&world.registry)).map(|checked| checked.unproven)
}

/// A search that says it is complete, newest first where that is asked.
fn search(scan: &Scan, facts: &ScanFacts, newest_first: bool, count: usize) -> Value {
    let mut logs: Vec<Value> = facts
        .events
        .iter()
        .map(|event| {
            let mut log = case::write(&ShownEvent::from(event), Case::Camel);
            log["finality"] = json!("anchored");
            log["otherAddresses"] = json!([]);
            log["transactionHash"] = json!(Hash([7; 32]));
            log
        })
        .collect();
    if newest_first {
        logs.reverse();
    }
    logs.truncate(count);
    let goes_on = count < facts.events.len();
    let (mut from, mut to) = (4_098, 4_104);
    if goes_on {
        // the block of the last event that is listed, or of the first that is not
        let place = count.saturating_sub(1);
        match newest_first {
            true => from = facts.events[facts.events.len() - 1 - place].number.0,
            false => to = facts.events[place].number.0,
        }
    }
    json!({
        "chainId": 1,
        "finality": "anchored",
        "searched": { "from": from, "to": to },
        "logs": logs,
        "gaps": [],
        "nextCursor": goes_on.then_some("4099-x"),
        "completeness": case::write(&Completeness::new(scan, facts), Case::Camel),
    })
}

#[test]
fn a_file_a_page_and_a_search_read_back_and_hold() {
    let world = log();
    let (scan, facts) = scan(&world);
    let policy = Policy::strict(&world.registry);
    assert!(is_scan(&scan.encode()));
    let checked = check_scan(&scan.encode(), &policy).unwrap();
    assert_eq!((&checked.scan, &*checked.facts), (&scan, &facts));
    let page = case::write(&ScanShown::new(&scan, &facts), Case::Camel);
    assert_eq!(check(&page, &world), Ok(vec![]));
    for newest_first in [false, true] {
        for count in [6, 4, 0] {
            let unproven = check(&search(&scan, &facts, newest_first, count), &world).unwrap();
            let of_logs = unproven.iter().filter(|path| path.starts_with("logs")).count();
            assert_eq!(of_logs, if count == 0 { 0 } else { 3 }, "{unproven:?}");
        }
    }
    // a page that goes on leaves out nothing of the blocks that it is of
    let lies: [fn(&mut Value); 3] = [
        |page| page["searched"]["to"] = json!(4_104),
        |page| page["searched"]["from"] = json!(4_100),
        |page| page["searched"] = Value::Null,
    ];
    for newest_first in [false, true] {
        let mut whole = search(&scan, &facts, newest_first, 6);
        whole["nextCursor"] = json!("1");
        assert!(check(&whole, &world).is_ok(), "all of them, and a cursor");
        whole["logs"] = json!([]);
        assert!(check(&whole, &world).is_err(), "none of them, and a cursor");
    }
    for lie in lies {
        let mut page = search(&scan, &facts, false, 1);
        lie(&mut page);
        assert!(matches!(check(&page, &world), Err(ScanCheckError::Disagreement(_))), "{page}");
    }
    for none in [&b"SRPROOF"[..], b"{}", b"{\"logs\":[]}", b"[1]", b""] {
        assert!(!is_scan(none));
        assert!(matches!(check_scan(none, &policy), Err(ScanCheckError::Unusable(_))));
    }
}

#[test]
fn a_search_that_leaves_out_or_invents_is_refused() {
    let world = log();
    let (scan, facts) = scan(&world);
    let good = search(&scan, &facts, false, 6);
    let bends: [fn(&mut Value); 9] = [
        |body| drop(body["logs"].as_array_mut().unwrap().remove(2)),
        |body| drop(body["logs"].as_array_mut().unwrap().pop()),
        |body| body["logs"] = json!([]),
        |body| body["logs"].as_array_mut().unwrap().swap(0, 1),
        |body| body["logs"][1]["data"] = json!("0x"),
        |body| body["logs"][1]["address"] = json!(Address([4; 20])),
        |body| body["searched"]["to"] = json!(4_103),
        |body| body["completeness"]["eventCount"] = json!(7),
        |body| body["chainId"] = json!(10),
    ];
    for (index, bend) in bends.into_iter().enumerate() {
        let mut bent = good.clone();
        bend(&mut bent);
        let refused = check(&bent, &world);
        assert!(matches!(refused, Err(ScanCheckError::Disagreement(_))), "{index}: {refused:?}");
    }
    // a page of it may be short, but what it lists is what comes first
    let mut short = search(&scan, &facts, false, 4);
    assert!(check(&short, &world).is_ok());
    short["logs"].as_array_mut().unwrap().remove(0);
    assert!(check(&short, &world).is_err());
}

#[test]
fn a_scan_that_does_not_hold_is_told_as_such() {
    let world = log();
    let (mut scan, facts) = scan(&world);
    scan.receipts.clear();
    let page = case::write(&ScanShown::new(&scan, &facts), Case::Camel);
    assert!(matches!(check(&page, &world), Err(ScanCheckError::Scan(_))));
    let mut torn = page;
    torn["scanBlob"] = json!("0x5352");
    assert!(matches!(check(&torn, &world), Err(ScanCheckError::Unusable(_))));
}
