//! Recorded blocks of Ethereum: what is rendered from proven bytes agrees with what nodes said.

mod fixture;
#[allow(dead_code)]
#[path = "../../chain/tests/real/mod.rs"]
mod real;

use fixture::world::{self, Block, ETHEREUM, World};
use serde_json::Value;
use superroot_chain::{Registry, UntrustedBlock, VerifiedBlock};
use superroot_proof::bundle::*;
use superroot_wire::*;

fn verified(recording: &real::Recording) -> Option<VerifiedBlock> {
    let row = Registry::builtin().find("ethereum").unwrap();
    let untrusted = UntrustedBlock::Evm(Box::new(recording.raw()));
    recording.is_ok("header").then(|| superroot_chain::verify(row, &untrusted).unwrap())
}

/// A log that holds this block alone.
fn log_of(block: &VerifiedBlock) -> World {
    let mut world = World::new();
    let number = block.number().0;
    world.starts.insert(ETHEREUM, number / 2048 * 2048);
    let held = Block {
        header: block.header().to_vec(),
        transactions: block.transactions().unwrap_or_default().to_vec(),
        receipts: block.receipts().unwrap_or_default().to_vec(),
    };
    world.blocks.insert((world::ETHEREUM, number), held);
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
    let lower = |value: &Value| value.to_string().to_lowercase();
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

#[test]
fn rendered_objects_agree_with_what_nodes_said() {
    let Some(recordings) = real::ethereum() else { return };
    let (mut blocks, mut entries, mut compared) = (0, 0, 0);
    for recording in &recordings {
        let Some(block) = verified(recording) else { continue };
        let world = log_of(&block);
        let policy = Policy::strict(&world.registry);
        let check = |subject, both| {
            let bundle = world.prove(ETHEREUM, block.number().0, subject, both, 0);
            let facts = verify(&bundle, &policy).unwrap();
            let body = render(&bundle, &facts, Shape::V5);
            let text = body.to_string();
            let checked = check_body(text.as_bytes(), &policy, Some(&world.root(0))).unwrap();
            assert_eq!((checked.bundle, checked.unproven), (bundle, vec![]));
            body
        };
        let at = format!("block {}", block.number());
        let body = check(Subject::Block, false);
        compared += agree(&body["header"], &recording.json["block"], &at);
        blocks += 1;
        let last = block.transactions().unwrap_or_default().len();
        let samples: Vec<usize> =
            [0, last / 2, last.saturating_sub(1)].into_iter().filter(|i| *i < last).collect();
        for index in samples {
            let tx_index = u32::try_from(index).unwrap();
            let both = block.receipts().is_some();
            let body = check(Subject::Transaction { tx_index }, both);
            let node = &recording.json["block"]["transactions"][index];
            // calls of eth_simulateV1 are unsigned: r is zero, and there is no sender to recover
            let is_signed = body["transaction"]["r"] != "0x0";
            assert_eq!(body["transaction"].get("from").is_some(), is_signed, "{at} {index}");
            compared += agree(&body["transaction"], node, &format!("{at} transaction {index}"));
            if both {
                let node = &recording.json["receipts"][index];
                compared += agree(&body["receipt"], node, &format!("{at} receipt {index}"));
                let logs = body["receipt"]["logs"].as_array().unwrap().len();
                if let Some(log_index) = logs.checked_sub(1).and_then(|i| u32::try_from(i).ok()) {
                    let body = check(Subject::Log { tx_index, log_index }, true);
                    assert_eq!(body["bloom"]["inHeader"], true);
                }
            }
            entries += 1;
        }
    }
    println!("{blocks} blocks, {entries} entries, {compared} members agree");
    assert!(blocks >= 100 && entries >= 150 && compared > 5_000, "{blocks} {entries} {compared}");
}
