//! Laws of batches: shared nodes are written once, and each item is as good as an answer alone.

use crate::fixture;

use std::collections::BTreeSet;

use fixture::*;
use serde_json::{Value, json};
use superroot_proof::bundle::*;
use superroot_wire::proof::{BATCH_ITEMS_MAX, SPELLED_BYTES_MAX};
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

/// A receipt of 5,013 logs: it stood in an answer three times, and in each item of a batch twice.
#[test]
fn a_large_receipt_stands_in_an_answer_and_in_a_batch_once() {
    use fixture::world::{ETHEREUM, World, block, receipt};
    use superroot_proof::mpt::OrderedTrie;
    use superroot_types::Hash;
    let (mut world, number) = (World::new(), 4096);
    world.starts.insert(ETHEREUM, number);
    let mut large = block(number, Hash([9; 32]), 7);
    let old = OrderedTrie::build(&large.receipts).root();
    large.receipts[3] = receipt(number, 3, 5_013);
    let at = large.header.windows(32).position(|window| window == old.0).unwrap();
    let root = OrderedTrie::build(&large.receipts).root();
    large.header[at..at + 32].copy_from_slice(&root.0);
    let hex_bytes = 2 * large.receipts[3].len();
    assert!(hex_bytes > 16 * SPELLED_BYTES_MAX);
    world.blocks.insert((ETHEREUM, number), large);
    world.publish(1_700_000_000);
    let policy = Policy::strict(&world.registry);
    let answer = |subject| {
        let bundle = world.prove(ETHEREUM, number, subject, true, 0);
        let facts = verify(&bundle, &policy).unwrap();
        let base = BaseText::of(&bundle, &facts, Shape::V5, BesideEvent::default());
        render_answer(&bundle, &facts, Shape::V5, &base, (&json!({}), &[]))
    };
    let log = |tx_index, log_index| ProofSubject::Log { tx_index, log_index };
    for subject in [log(3, 7), ProofSubject::Transaction { tx_index: 3 }] {
        let answer = answer(subject);
        assert!(answer.len() < hex_bytes + (32 << 10), "{} of {hex_bytes}", answer.len());
        check_body(&answer, &policy, Some(&world.root(0))).unwrap();
        let body: Value = serde_json::from_slice(&answer).unwrap();
        let is_event = matches!(subject, ProofSubject::Log { .. });
        assert_eq!(body["event"]["logIndex"], if is_event { json!(7) } else { Value::Null });
        assert!(body.get("receipt").is_none() && body.get("rawReceipt").is_none());
        assert!(body.get("transaction").is_some() && body.get("rawTransaction").is_some());
    }
    let small: Value = serde_json::from_slice(&answer(log(6, 0))).unwrap();
    assert!(small.get("receipt").is_some() && small.get("rawReceipt").is_some());
    let items = (0..20).map(|place| batch_item(&answer(log(3, place * 200))));
    let batch = join_batch(&items.collect::<Vec<_>>());
    assert!(batch.len() < hex_bytes + (256 << 10), "{} of {hex_bytes}", batch.len());
    let items = expand_batch(&serde_json::from_slice(&batch).unwrap()).unwrap();
    for (place, item) in items.iter().enumerate() {
        check_json(item, &policy, Some(&world.root(0))).unwrap();
        assert_eq!(item["event"]["logIndex"], place * 200);
    }
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
