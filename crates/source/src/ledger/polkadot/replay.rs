//! Replay of a Polkadot-family node.

use serde_json::{Value, json as value};
use superroot_chain::ledger::polkadot::RawPolkadotBlock;
use superroot_types::{BlockNumber, Hash};

use super::capture::read_raw;
use super::{
    BLOCK, BLOCK_HASH, FINALIZED_HEAD, HEADER, READ_PROOF, ReadProof, STATE_GONE, VERSION,
    events_key,
};
use crate::replay::methods::{Methods, Outcome, RpcFault, client_name, exactly, fault, json};

/// Answers a call; `None` for unknown methods and methods that need state.
pub(crate) fn call(methods: &Methods<'_>, method: &str, params: &[Value]) -> Option<Outcome> {
    Some(match method {
        VERSION => no_params(params, || json(&client_name())),
        FINALIZED_HEAD => no_params(params, || json(&methods.tip()?.hash)),
        BLOCK_HASH => block_hash(methods, params),
        HEADER => found(methods, params).and_then(|raw| json(&raw.map(|raw| raw.header))),
        BLOCK => found(methods, params).and_then(|raw| json(&raw.and_then(block))),
        READ_PROOF => read_proof(methods, params),
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
