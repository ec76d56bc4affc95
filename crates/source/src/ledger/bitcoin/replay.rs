//! Replay of a Bitcoin node.

use serde::Serialize;
use serde_json::Value;
use superroot_chain::UntrustedBlock;
use superroot_chain::ledger::bitcoin::RawBitcoinBlock;
use superroot_proof::ledger::bitcoin::{HEADER_BYTES, Header};
use superroot_types::{BlockNumber, Hash};

use super::capture::read_raw;
use super::{
    BLOCK, BLOCK_COUNT, BLOCK_HASH, BLOCK_HEADER, CHAIN_INFO, ChainInfo, NETWORK_INFO, NOT_FOUND,
    NetworkInfo, OUT_OF_RANGE, parse_shown, shown,
};
use crate::replay::methods::{
    Methods, Outcome, RpcFault, client_name, exactly, fault, json, unreadable,
};

#[derive(Serialize)]
struct ShownHeader {
    hash: String,
    confirmations: u64,
    height: u64,
    version: i32,
    merkleroot: String,
    time: u32,
    nonce: u32,
    bits: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    previousblockhash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tx: Option<Vec<String>>,
}

pub(crate) fn call(methods: &Methods<'_>, method: &str, params: &[Value]) -> Option<Outcome> {
    Some(match method {
        BLOCK_COUNT => no_params(params, || json(&methods.tip()?.number)),
        CHAIN_INFO => no_params(params, || {
            let tip = methods.tip()?;
            json(&ChainInfo { blocks: tip.number.0, bestblockhash: shown(&tip.hash) })
        }),
        NETWORK_INFO => no_params(params, || json(&NetworkInfo { subversion: client_name() })),
        BLOCK_HASH => hash(methods, params),
        BLOCK_HEADER => header(methods, params),
        BLOCK => block(methods, params),
        _ => return None,
    })
}

fn no_params(params: &[Value], answer: impl FnOnce() -> Outcome) -> Outcome {
    let [] = exactly(params)?;
    answer()
}

fn hash(methods: &Methods<'_>, params: &[Value]) -> Outcome {
    let [height] = exactly(params)?;
    let height = height.as_u64().ok_or_else(|| RpcFault::params("params[0] is no height"))?;
    match raw(methods, Some(BlockNumber(height)))? {
        Some(block) => json(&shown(&block.hash)),
        None => Err(RpcFault::of_node(OUT_OF_RANGE, "Block height out of range")),
    }
}

fn header(methods: &Methods<'_>, params: &[Value]) -> Outcome {
    let (which, verbose) = match params {
        [which] => (which, true),
        [which, Value::Bool(verbose)] => (which, *verbose),
        _ => return Err(RpcFault::params("expected a hash, and true or false")),
    };
    let block = found(methods, which)?;
    let bytes = block.bytes.get(..HEADER_BYTES).ok_or_else(unreadable)?;
    if verbose { json(&describe(methods, &block)?) } else { json(&const_hex::encode(bytes)) }
}

fn block(methods: &Methods<'_>, params: &[Value]) -> Outcome {
    let (which, verbosity) = match params {
        [which] => (which, Some(1)),
        [which, verbosity] => (which, verbosity.as_u64()),
        _ => return Err(RpcFault::params("expected a hash, and a verbosity")),
    };
    match verbosity {
        Some(0) => json(&const_hex::encode(&found(methods, which)?.bytes)),
        Some(1) => {
            let block = found(methods, which)?;
            let row = methods.row().ok_or_else(unreadable)?;
            let verified =
                superroot_chain::verify(row, &UntrustedBlock::Bitcoin(Box::new(block.clone())));
            let verified = verified.map_err(|_| unreadable())?;
            let hashes = verified.transaction_hashes().map(|all| all.iter().map(shown).collect());
            json(&ShownHeader { tx: hashes, ..describe(methods, &block)? })
        }
        _ => Err(RpcFault::params("params[1] is no verbosity of 0 or 1")),
    }
}

fn describe(methods: &Methods<'_>, block: &RawBitcoinBlock) -> Result<ShownHeader, RpcFault> {
    let bytes = block.bytes.get(..HEADER_BYTES).ok_or_else(unreadable)?;
    let header = Header::decode(bytes).map_err(|_| unreadable())?;
    let height = block.number.0;
    Ok(ShownHeader {
        hash: shown(&block.hash),
        confirmations: methods.tip()?.number.0.saturating_sub(height).saturating_add(1),
        height,
        version: header.version,
        merkleroot: shown(&header.merkle_root),
        time: header.time,
        nonce: header.nonce,
        bits: format!("{:08x}", header.bits),
        previousblockhash: (!header.parent_hash.is_zero()).then(|| shown(&header.parent_hash)),
        tx: None,
    })
}

fn found(methods: &Methods<'_>, which: &Value) -> Result<RawBitcoinBlock, RpcFault> {
    let hash = which.as_str().and_then(parse_shown);
    let hash: Hash = hash.ok_or_else(|| RpcFault::params("params[0] is no hash"))?;
    let block = raw(methods, methods.number_of(&hash)?)?;
    block.ok_or_else(|| RpcFault::of_node(NOT_FOUND, "Block not found"))
}

fn raw(
    methods: &Methods<'_>,
    number: Option<BlockNumber>,
) -> Result<Option<RawBitcoinBlock>, RpcFault> {
    let capture = methods.capture(number)?;
    capture.map(|capture| read_raw(&capture).map_err(fault)).transpose()
}
