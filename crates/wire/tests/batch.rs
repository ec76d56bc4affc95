//! Laws of batches: shared nodes are written once, and each item is as good as an answer alone.

use crate::fixture;

use std::collections::BTreeSet;

use fixture::*;
use serde_json::{Value, json};
use superroot_proof::bundle::*;
use superroot_wire::proof::BATCH_ITEMS_MAX;
use superroot_wire::*;

fn batch(bundles: &[(&str, Bundle)], policy: &Policy<'_>) -> Value {
    let facts: Vec<Facts> =
        bundles.iter().map(|(_, bundle)| verify(bundle, policy).unwrap().into_inner()).collect();
    let items = bundles.iter().zip(&facts).map(|((_, bundle), facts)| {
        let mut answer = render(bundle, facts, Shape::V5);
        answer["finality"] = json!({ "siblings": ["not a node"], "by": "a \"word\\\"" });
        batch_item(answer.to_string().as_bytes())
    });
    serde_json::from_slice(&join_batch(&items.collect::<Vec<_>>())).unwrap()
}

#[test]
fn a_batch_reads_back_item_by_item() {
    let world = log();
    let policy = Policy::strict(&world.registry);
    let bundles = proofs(&world);
    let body = batch(&bundles, &policy);
    let expected: Vec<Bundle> = bundles.iter().map(|(_, bundle)| bundle.clone()).collect();
    assert_eq!(parse_batch(&body), Ok(expected));
    for (item, (name, bundle)) in expand_batch(&body).unwrap().iter().zip(&bundles) {
        let checked = check_json(item, &policy, Some(&world.root(1))).unwrap();
        assert_eq!(
            (&checked.bundle, &checked.unproven[..]),
            (bundle, &["finality".to_owned()][..]),
            "{name}"
        );
        assert_eq!(item["finality"]["siblings"], json!(["not a node"]));
    }
}

#[test]
fn a_node_is_written_once() {
    let world = log();
    let policy = Policy::strict(&world.registry);
    let body = batch(&proofs(&world), &policy);
    let nodes: Vec<&str> =
        body["nodes"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(nodes.iter().collect::<BTreeSet<_>>().len(), nodes.len());
    let alone: usize = expand_batch(&body).unwrap().iter().map(|item| item.to_string().len()).sum();
    assert!(body.to_string().len() < alone * 9 / 10, "{} of {alone}", body.to_string().len());
}

#[test]
fn an_index_past_the_nodes_is_refused() {
    let world = log();
    let policy = Policy::strict(&world.registry);
    let body = batch(&proofs(&world), &policy);
    let count = body["nodes"].as_array().unwrap().len();
    for wrong in [json!(count), json!(-1), json!("0x00"), json!(null), json!(u64::MAX)] {
        let mut bent = body.clone();
        bent["items"][1]["twig"]["siblings"][2] = wrong;
        let error = expand_batch(&bent).unwrap_err();
        assert!(error.to_string().starts_with("member items[1] is "), "{error}");
    }
    let mut swapped = body;
    let (one, other) = (swapped["nodes"][0].clone(), swapped["nodes"][1].clone());
    (swapped["nodes"][0], swapped["nodes"][1]) = (other, one);
    let items = expand_batch(&swapped).unwrap();
    assert!(items.iter().any(|item| check_json(item, &policy, None).is_err()));
}

/// A few large nodes that are named over and over would be a small body and a large answer.
#[test]
fn a_batch_that_blows_up_is_refused() {
    let node = format!("0x{}", "00".repeat(1 << 20));
    let siblings: Vec<u64> = vec![0; 40];
    let item = json!({ "siblings": siblings });
    let error = expand_batch(&json!({ "nodes": [node], "items": [item] })).unwrap_err();
    assert!(matches!(error, WireError::TooLarge { what: "the batch", .. }), "{error}");
    let items: Vec<Value> = (0..=BATCH_ITEMS_MAX).map(|_| json!({})).collect();
    assert!(expand_batch(&json!({ "nodes": [], "items": items })).is_err());
    assert_eq!(expand_batch(&json!({ "nodes": [], "items": [] })), Ok(vec![]));
}
