//! The proofs behind launches.

use alloy_primitives::{Address, address};
use serde_json::{Value, json};
use superroot_client::{SignalCheckError, Verifier};
use superroot_proof::hash::keccak256;
use superroot_types::*;
use superroot_wire::price::EventPlace;

use super::events::{Chain, event, number, of, place, signed};
use super::{AnswerVector, Answers, check, remove, replace};
use crate::same_in_file;
use crate::world::ETHEREUM;

const FACTORY: Address = address!("5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f");
const MANAGER: Address = address!("000000000004444c5dc75cb358380d2e3de08a90");
const STRANGER: Address = address!("5c69bee701ef814a2b6a3edd4b1652cb9cc5aa70");
const TOKEN: Address = address!("1111111111111111111111111111111111111111");
const WETH: Address = address!("c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2");
const POOL: Address = address!("7777777777777777777777777777777777777777");
const OTHER: Address = address!("8888888888888888888888888888888888888888");
const ID: [u8; 32] = [0x1d; 32];

/// Creations in receipt 0 of block 100, liquidity in receipt 1 of block 101.
fn chain() -> Chain {
    let pair = |by, pool| {
        let signature = "PairCreated(address,address,address,uint256)";
        event(by, signature, &[of(TOKEN), of(WETH)], &[of(pool), number(7_u64)])
    };
    let within = |hooks| {
        let signature = "Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)";
        let words = [number(3_000_u64), signed(60), of(hooks), number(1_u128 << 96), signed(0)];
        event(MANAGER, signature, &[ID, of(TOKEN), of(WETH)], &words)
    };
    let mint = |pool| {
        let signature = "Mint(address,uint256,uint256)";
        event(pool, signature, &[of(OTHER)], &[number(5_u64), number(6_u64)])
    };
    let words = [signed(-60), signed(60), signed(1_000), [0; 32]];
    let signature = "ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)";
    let added = event(MANAGER, signature, &[ID, of(OTHER)], &words);
    let made =
        vec![pair(FACTORY, POOL), pair(STRANGER, POOL), within(Address::ZERO), within(OTHER)];
    let filled = vec![mint(POOL), mint(OTHER), added];
    Chain::new(&[(100, vec![made]), (101, vec![vec![], filled])])
}

/// Keccak-256 of both statements.
fn proof_hash(chain: &Chain, events: [&EventPlace; 2]) -> Hash {
    let statements = events.map(|at| {
        let block_hash = chain.0.blocks[&(ETHEREUM, at.block_number.0)].hash();
        let (tx, log) = (at.tx_index.to_be_bytes(), at.log_index.to_be_bytes());
        [&[0_u8][..], &1_u64.to_be_bytes(), &block_hash.0, &tx, &log].concat()
    });
    keccak256(&statements.concat())
}

fn answer(chain: &Chain, events: [&EventPlace; 2]) -> Value {
    let row = |(at, role): (&EventPlace, &str)| {
        json!({
            "role": role,
            "blockNumber": at.block_number,
            "blockHash": chain.0.blocks[&(ETHEREUM, at.block_number.0)].hash(),
            "txIndex": at.tx_index,
            "logIndex": at.log_index,
            "proofUrl": at.proof_url,
            "proofBlob": chain.blob(at),
        })
    };
    json!({
        "proofHash": proof_hash(chain, events),
        "chainId": 1,
        "events": [row((events[0], "creation")), row((events[1], "liquidity"))],
        "v5Anchor": chain.anchor("superRootHash"),
    })
}

fn judge(body: &Value) -> Result<Option<usize>, &'static str> {
    let checked = Verifier::builtin().check_signal(body.to_string().as_bytes());
    checked.map(|_| None).map_err(|error| match error {
        SignalCheckError::NoSignal(_) => "no_signal",
        SignalCheckError::Proof(..) => "proof",
        SignalCheckError::SuperRoots => "super_roots",
        SignalCheckError::Hash { .. } => "hash",
        SignalCheckError::Said(_) => "said",
        SignalCheckError::Pool(_) => "pool",
    })
}

const OF_V2: &str = "a pool of Uniswap v2";

fn all() -> Vec<AnswerVector> {
    let chain = chain();
    let made = |log_index| place(100, 0, log_index);
    let filled = |log_index| place(101, 1, log_index);
    let mut all = Answers { trusted: chain.trusted(), judge, all: Vec::new() };
    all.good(
        OF_V2,
        "its factory made it, and it was filled",
        &answer(&chain, [&made(0), &filled(0)]),
    );
    let of_v4 = answer(&chain, [&made(2), &filled(2)]);
    all.good("a pool of Uniswap v4", "the manager made it, without hooks", &of_v4);
    let hooked = answer(&chain, [&made(3), &filled(2)]);
    all.good("a pool with hooks", "the manager made it; what they do is not shown", &hooked);
    for (name, reason, events) in [
        ("made by a stranger", "no factory known here made it", [&made(1), &filled(0)]),
        ("liquidity of another pool", "both are of one pool", [&made(0), &filled(1)]),
        ("liquidity first", "the first makes the pool", [&filled(0), &made(0)]),
        ("liquidity twice", "the first makes the pool", [&filled(0), &filled(0)]),
    ] {
        all.bad(name, reason, &answer(&chain, events));
    }
    bent(&mut all, &chain, &made(0));
    all.all
}

fn bent(
    all: &mut Answers<impl Fn(&Value) -> Result<Option<usize>, &'static str>>,
    chain: &Chain,
    creation: &EventPlace,
) {
    let mut bent = |name: &str, reason: &str, path: &str, value: Value| {
        all.bent(OF_V2, name, reason, &[replace(path, value)]);
    };
    bent("another hash", "it follows from the events", "/proofHash", json!(Hash::ZERO));
    bent("a hash that is none", "it has 64 digits", "/proofHash", json!("0x12"));
    let older = const_hex::encode_prefixed(chain.bundle(creation, 0).encode());
    bent("two SuperRoots", "both lead to one", "/events/0/proofBlob", json!(older));
    let short = chain.bundle(creation, 1).up_to(ProofLevel::Twig).encode();
    let blob = json!(const_hex::encode_prefixed(&short));
    bent("a proof below level 5", "it leads to no SuperRoot", "/events/0/proofBlob", blob);
    bent("a proof that is none", "it is not read", "/events/1/proofBlob", json!("0x00"));
    let mut lie = chain.bundle(creation, 1);
    lie.statement.number = BlockNumber(101);
    let blob = json!(const_hex::encode_prefixed(lie.encode()));
    bent("a false proof", "the header names another number", "/events/0/proofBlob", blob);
    let proven = "it is what is proven";
    bent("another chain id", proven, "/chainId", json!(10));
    bent("roles exchanged", proven, "/events/0/role", json!("liquidity"));
    bent("another block number", proven, "/events/1/blockNumber", json!(100));
    bent("another block hash", proven, "/events/1/blockHash", json!(Hash::ZERO));
    bent("another index", proven, "/events/1/txIndex", json!(0));
    bent("another log index", proven, "/events/0/logIndex", json!(1));
    bent(
        "another address of a proof",
        proven,
        "/events/0/proofUrl",
        json!("/v5/proof/event/1/1/1/1"),
    );
    bent("another sequence", proven, "/v5Anchor/sequence", json!(0));
    all.bent(OF_V2, "one event", "there are two", &[remove("/events/1")]);
    all.bent(OF_V2, "no proof", "each event has one", &[remove("/events/1/proofBlob")]);
}

#[test]
fn every_launch_is_judged_at_its_step() {
    let vectors = same_in_file("prices/launches.json", &all(), |one| &one.name);
    let steps = ["no_signal", "proof", "super_roots", "hash", "said", "pool"];
    check(&vectors, &steps, judge);
    assert!(vectors.len() >= 20, "{} launches", vectors.len());
}
