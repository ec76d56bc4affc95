//! Proofs of the Solana family as JSON: what is written is read again, and says nothing else.

use crate::slots;

use serde_json::{Value, json};
use slots::*;
use superroot_proof::bundle::{Bundle, Policy, verify};
use superroot_wire::check_json;
use superroot_wire::proof::{Shape, parse_spelled_hash, render};

fn body(bundle: &Bundle) -> Value {
    let facts = verify(bundle, &Policy::strict(&registry())).unwrap();
    render(bundle, &facts, Shape::V5)
}

#[test]
fn what_is_written_is_read_again_and_nothing_unbound_is_called_proven() {
    for slot in slots() {
        for (tx_index, due) in (0..).zip(&slot.proofs) {
            let bundle = slot.prove(tx_index);
            let body = body(&bundle);
            let checked = check_json(&body, &Policy::strict(&registry()), None).unwrap();
            assert_eq!(checked.bundle, bundle);
            for member in ["transactionIndex", "signatureCount", "blockNumber"] {
                assert!(checked.unproven.iter().any(|one| one == member), "{member}");
            }
            assert_eq!(body["transactionSignature"], json!(due.signature));
            assert_eq!(body["transaction"]["signatures"][0], json!(due.signature));
            assert_eq!(body["indexBound"], json!(false));
            let family = superroot_types::Family::Solana;
            assert_eq!(parse_spelled_hash(family, &due.signature), Some(due.hash()));
            assert_eq!(body["transactionHash"], json!(due.hash()));
            let blockhash = body["block"]["header"]["blockhash"].as_str().unwrap();
            assert_eq!(parse_spelled_hash(family, blockhash), Some(slot.blockhash()));
            assert!(body["receiptRoot"].is_null() && body["receiptRootReason"].is_string());
            assert!(body.get("receipt").is_none());
        }
    }
}

/// Every text and number of the answer, changed, is refused; but for those called not proven.
#[test]
fn no_changed_member_passes() {
    let bundle = slots().pop().unwrap().prove(9);
    let good = body(&bundle);
    let mut paths = Vec::new();
    leaves(&good, String::new(), &mut paths);
    assert!(paths.len() > 50, "{}", paths.len());
    let free = ["/transactionIndex", "/blockNumber", "/block/blockNumber", "/chainId", "/origin"];
    for path in paths {
        let mut bent = good.clone();
        let member = bent.pointer_mut(&path).unwrap();
        *member = match &*member {
            Value::String(text) if text.starts_with("0x") && text.len() > 4 => {
                let digit = if text.ends_with('0') { "1" } else { "0" };
                json!(format!("{}{digit}", &text[..text.len() - 1]))
            }
            Value::String(text) => json!(format!("{text}x")),
            Value::Number(number) => json!(number.as_u64().unwrap() + 1),
            Value::Bool(said) => json!(!said),
            other => panic!("{path}: {other}"),
        };
        if free.contains(&path.as_str()) || path.starts_with("/block/") {
            continue;
        }
        let checked = check_json(&bent, &Policy::strict(&registry()), None);
        assert!(checked.is_err(), "{path} was changed");
    }
}

fn leaves(value: &Value, path: String, into: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(name, one)| leaves(one, format!("{path}/{name}"), into));
        }
        Value::Array(list) => {
            (0..)
                .zip(list)
                .for_each(|(at, one): (usize, _)| leaves(one, format!("{path}/{at}"), into));
        }
        Value::Null => {}
        _ => into.push(path),
    }
}

#[test]
fn lists_that_are_too_long_or_cut_are_refused() {
    let good = body(&slots().pop().unwrap().prove(9));
    for (member, value) in [
        (
            "records",
            json!(vec![
                json!({ "numHashes": 1, "mixin": format!("0x{}", "00".repeat(32)) });
                32_769
            ]),
        ),
        ("signatureSiblings", json!(vec![Vec::<Value>::new(); 20])),
        ("signatureSiblings", json!([])),
        ("tailHashes", json!(1_u64 << 32)),
        ("tailHashes", json!(u32::MAX)),
        ("hashBefore", Value::Null),
    ] {
        let mut bent = good.clone();
        bent[member] = value;
        assert!(check_json(&bent, &Policy::strict(&registry()), None).is_err(), "{member}");
    }
}
