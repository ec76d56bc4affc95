//! Replay of a Polkadot-family node.

use alloy_primitives::Bytes;
use serde_json::{Value, json as value};
use superroot_chain::ledger::polkadot::RawPolkadotBlock;
use superroot_types::{BlockNumber, Hash};

use super::capture::read_raw;
use super::votes::{AUTHORITIES, NO_ARGUMENTS, NOT_FINAL_YET, PROVE_FINALITY, SET_ID, STATE_CALL};
use super::{
    BLOCK, BLOCK_HASH, FINALIZED_HEAD, HEADER, READ_PROOF, ReadProof, STATE_GONE, VERSION,
    events_key,
};
use crate::replay::methods::{Methods, Outcome, RpcFault, client_name, exactly, fault, json};

/// Error code of the finality gadget's methods.
const NOT_FINAL: i64 = 1;

/// Answers a call; `None` for unknown methods and methods that need state.
pub(crate) fn call(methods: &Methods<'_>, method: &str, params: &[Value]) -> Option<Outcome> {
    Some(match method {
        VERSION => no_params(params, || json(&client_name())),
        FINALIZED_HEAD => no_params(params, || json(&methods.tip()?.hash)),
        BLOCK_HASH => block_hash(methods, params),
        HEADER => found(methods, params).and_then(|raw| json(&raw.map(|raw| raw.header))),
        BLOCK => found(methods, params).and_then(|raw| json(&raw.and_then(block))),
        READ_PROOF => read_proof(methods, params),
        PROVE_FINALITY => prove_finality(methods, params),
        STATE_CALL => state_call(methods, params),
        _ => return None,
    })
}

fn no_params(params: &[Value], answer: impl FnOnce() -> Outcome) -> Outcome {
    let [] = exactly(params)?;
    answer()
}

fn block_hash(methods: &Methods<'_>, params: &[Value]) -> Outcome {
    let number = match params {
        [] | [Value::Null] => return json(&methods.tip()?.hash),
        [number] => number.as_u64().ok_or_else(|| RpcFault::params("params[0] is no number"))?,
        _ => return Err(RpcFault::params("expected a number, or nothing")),
    };
    json(&raw(methods, Some(BlockNumber(number)))?.map(|raw| raw.hash))
}

/// Block as a node's answer; `None` for a header-only recording.
fn block(raw: RawPolkadotBlock) -> Option<Value> {
    let RawPolkadotBlock { header, extrinsics, .. } = raw;
    let extrinsics = extrinsics?;
    Some(value!({
        "block": { "header": header, "extrinsics": extrinsics },
        "justifications": null,
    }))
}

fn read_proof(methods: &Methods<'_>, params: &[Value]) -> Outcome {
    let (keys, hash) = match params {
        [keys] => (keys, Value::Null),
        [keys, hash] => (keys, hash.clone()),
        _ => return Err(RpcFault::params("expected a list of keys, and a hash or nothing")),
    };
    if *keys != value!([events_key()]) {
        return Err(RpcFault::params(
            "params[0] is not the key of System.Events, which is recorded",
        ));
    }
    let raw = found(methods, &[hash])?;
    match raw.and_then(|raw| Some((raw.hash, raw.read_proof?))) {
        Some((at, proof)) => json(&ReadProof { at, proof }),
        None => Err(RpcFault::of_node(STATE_GONE, "Client error: State already discarded")),
    }
}

/// Recorded proof; of the block itself alone.
fn prove_finality(methods: &Methods<'_>, params: &[Value]) -> Outcome {
    let [number] = exactly(params)?;
    let number = number.as_u64().ok_or_else(|| RpcFault::params("params[0] is no number"))?;
    if number > methods.tip()?.number.0 {
        return Err(RpcFault::of_node(NOT_FINAL, &format!("Block {NOT_FINAL_YET}")));
    }
    let raw = raw(methods, Some(BlockNumber(number)))?;
    json(&raw.and_then(|raw| raw.votes).map(|votes| votes.proof))
}

/// Authorities and set number for the block behind, if recorded.
fn state_call(methods: &Methods<'_>, params: &[Value]) -> Outcome {
    let [function, arguments, hash] = exactly(params)?;
    if *arguments != NO_ARGUMENTS {
        return Err(RpcFault::params("params[1] is not 0x"));
    }
    let hash: Option<Hash> = hash.as_str().and_then(|hash| hash.parse().ok());
    let hash = hash.ok_or_else(|| RpcFault::params("params[2] is no hash"))?;
    // the parent itself may be missing from a recording
    let next = methods.number_of(&hash)?.map(|number| BlockNumber(number.0.saturating_add(1)));
    let votes = match next {
        Some(_) => raw(methods, next)?.and_then(|raw| raw.votes),
        None => None,
    };
    let missing = || RpcFault::of_node(STATE_GONE, "Client error: State already discarded");
    let votes = votes.ok_or_else(missing)?;
    match function.as_str() {
        Some(AUTHORITIES) => json(&votes.authorities),
        Some(SET_ID) => json(&Bytes::from(votes.set_id.to_le_bytes())),
        _ => Err(RpcFault::params(format!("params[0] is neither {AUTHORITIES} nor {SET_ID}"))),
    }
}

/// Block by hash, or the newest block.
fn found(methods: &Methods<'_>, params: &[Value]) -> Result<Option<RawPolkadotBlock>, RpcFault> {
    let number = match params {
        [] | [Value::Null] => Some(methods.tip()?.number),
        [hash] => {
            let hash: Option<Hash> = hash.as_str().and_then(|hash| hash.parse().ok());
            methods.number_of(&hash.ok_or_else(|| RpcFault::params("no hash"))?)?
        }
        _ => return Err(RpcFault::params("expected a hash, or nothing")),
    };
    raw(methods, number)
}

fn raw(
    methods: &Methods<'_>,
    number: Option<BlockNumber>,
) -> Result<Option<RawPolkadotBlock>, RpcFault> {
    let capture = methods.capture(number)?;
    capture.map(|capture| read_raw(&capture).map_err(fault)).transpose()
}
