//! Recorded blocks of every chain of the EVM family: what is rendered from proven bytes agrees with what nodes said.

use crate::fixture;
use crate::real;

use std::collections::BTreeMap;

use fixture::world::{Block, World};
use serde_json::Value;
use superroot_chain::{ChainSpec, UntrustedBlock, VerifiedBlock};
use superroot_proof::bundle::*;
use superroot_proof::ledger::evm::leaf_type;
use superroot_proof::registry::LogRegistry;
use superroot_wire::*;

/// A recording that its row accepts.
fn verified(recording: &real::Recording) -> Option<(&'static ChainSpec, VerifiedBlock)> {
    let row = recording.row()?;
    let untrusted = UntrustedBlock::Evm(Box::new(recording.raw()));
    Some((row, superroot_chain::verify(row, &untrusted).ok()?))
}

/// A log that holds this block alone.
fn log_of(row: &ChainSpec, block: &VerifiedBlock) -> World {
    let mut world = World::of(LogRegistry::new(vec![row.profile()]).unwrap());
    let number = block.number().0;
    world.starts.insert(row.key(), number / 2048 * 2048);
    let held = Block {
        header: block.header().to_vec(),
        transactions: block.transactions().unwrap_or_default().to_vec(),
        receipts: block.receipts().unwrap_or_default().to_vec(),
    };
    world.blocks.insert((row.key(), number), held);
    world.publish(1_800_000_000);
    world
}

/// Equal but for the case of hex digits; some recordings write quantities as decimals.
fn is_same(ours: &Value, node: &Value) -> bool {
    let number = |value: &Value| match value {
        Value::String(text) => match text.strip_prefix("0x") {
            Some(digits) => u128::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        },
        other => other.as_u64().map(u128::from),
    };
    let lower = |value: &Value| value.to_string().to_lowercase().replace("0x", "");
    lower(ours) == lower(node) || number(ours).is_some_and(|ours| number(node) == Some(ours))
}

/// Members of ours that the node has too must be equal; the count of them is given back.
fn agree(ours: &Value, node: &Value, at: &str) -> usize {
    let Value::Object(members) = ours else { panic!("{at} is no object") };
    let mut compared = 0;
    for (name, value) in members {
        let Some(said) = node.get(name).filter(|said| !said.is_null()) else { continue };
        // nodes add to logs, and some recordings have the logs' own index in the block
        if name == "logs" {
            for (own, said) in value.as_array().unwrap().iter().zip(said.as_array().unwrap()) {
                let bound = ["address", "topics", "data"];
                compared += bound.into_iter().filter(|name| own[name] == said[name]).count();
                assert!(bound.into_iter().all(|name| own[name] == said[name]), "{at} {name}");
            }
            continue;
        }
        assert!(is_same(value, said), "{at} {name}: {value} and {said}");
        compared += 1;
    }
    compared
}

/// Places to look at: of each type the first two, and the last transaction.
fn places(leaves: &[Vec<u8>], seen: &mut BTreeMap<u8, usize>) -> Vec<usize> {
    let mut places = Vec::new();
    for (place, leaf) in leaves.iter().enumerate() {
        let count = seen.entry(leaf_type(leaf)).or_default();
        if *count < 4 {
            *count += 1;
            places.push(place);
        }
    }
    places
}

/// Whether the sender stands in the leaf or follows from its signature.
fn has_sender(transaction: &Value) -> bool {
    match transaction["type"].as_str().unwrap() {
        "0x6a" => false,
        "0x7e" => true,
        "0x64" | "0x68" | "0x69" => true,
        // calls of eth_simulateV1, and what a rollup once took over from its L1, are unsigned
        _ => transaction["r"] != "0x0",
    }
}

#[test]
fn rendered_objects_agree_with_what_nodes_said() {
    let Some(recordings) = real::recordings(|_| true) else { return };
    let mut seen = BTreeMap::<String, BTreeMap<u8, usize>>::new();
    let mut headers = BTreeMap::<(String, usize), usize>::new();
    let (mut blocks, mut entries, mut compared) = (0, 0, 0);
    for recording in &recordings {
        let Some((row, block)) = verified(recording) else { continue };
        let leaves = block.transactions().unwrap_or_default();
        let places = places(leaves, seen.entry(recording.network.clone()).or_default());
        let shape = (recording.network.clone(), block.header().len() / 32);
        let of_shape = headers.entry(shape).or_default();
        *of_shape += 1;
        if places.is_empty() && *of_shape > 2 {
            continue;
        }
        let world = log_of(row, &block);
        let policy = Policy::strict(&world.registry);
        let check = |subject, both| {
            let bundle = world.prove(row.key(), block.number().0, subject, both, 0);
            let facts = verify(&bundle, &policy).unwrap();
            let body = render(&bundle, &facts, Shape::V5);
            let text = body.to_string();
            let checked = check_body(text.as_bytes(), &policy, Some(&world.root(0))).unwrap();
            assert_eq!((checked.bundle, checked.unproven), (bundle, vec![]));
            body
        };
        let at = recording.to_string();
        let mut body = check(ProofSubject::Block, false);
        if recording.network == "celo" {
            // hashed without the seal of the block's own validators
            body["header"].as_object_mut().unwrap().remove("extraData");
        }
        compared += agree(&body["header"], &recording.json["block"], &at);
        blocks += 1;
        for place in places {
            let tx_index = u32::try_from(place).unwrap();
            let both = block.receipts().is_some();
            let body = check(ProofSubject::Transaction { tx_index }, both);
            let (ours, listed) = (&body["transaction"], &recording.json["block"]["transactions"]);
            // nodes add entries of their own that are in no trie
            let mut listed = listed.as_array().unwrap().iter();
            let node = listed.find(|node| is_same(&node["hash"], &ours["hash"])).unwrap();
            assert_eq!(ours.get("from").is_some(), has_sender(ours), "{at} {place}");
            assert!(ours.as_object().unwrap().len() >= 7, "{at} {place} shows its fields");
            let mut ours = ours.clone();
            if recording.network == "hyperevm" {
                ours.as_object_mut().unwrap().remove("transactionIndex");
            }
            compared += agree(&ours, node, &format!("{at} transaction {place}"));
            if both {
                let node = &recording.json["receipts"][place];
                compared += agree(&body["receipt"], node, &format!("{at} receipt {place}"));
                let logs = body["receipt"]["logs"].as_array().unwrap().len();
                if let Some(log_index) = logs.checked_sub(1).and_then(|i| u32::try_from(i).ok()) {
                    let body = check(ProofSubject::Log { tx_index, log_index }, true);
                    assert_eq!(body["bloom"]["inHeader"], true);
                }
            }
            entries += 1;
        }
    }
    println!("{blocks} blocks, {entries} entries, {compared} members agree: {seen:?}");
    assert!(blocks >= 150 && entries >= 250 && compared > 5_000, "{blocks} {entries} {compared}");
}
