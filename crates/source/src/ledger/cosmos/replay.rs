//! Replay of a `CometBFT` node, without the methods `commit` and `validators`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::Value;
use superroot_chain::ledger::cosmos::{RawCosmosBlock, RawCosmosHeader};
use superroot_types::{BlockNumber, Hash};

use super::capture::read_raw;
use super::{
    BLOCK, BLOCKCHAIN, BlockAnswer, CosmosNodeBlock, CosmosNodeInfo, CosmosStatus, Headers, Meta,
    STATUS, ShownData, ShownId, SyncInfo, parse_shown, shown,
};
use crate::replay::methods::{
    Methods, Outcome, RpcFault, client_name, exactly, fault, json, unreadable,
};

/// `(hash in base64) -> block`
const BLOCK_BY_HASH: &str = "block_by_hash";
/// `(height?) -> header`
const HEADER: &str = "header";
/// `(hash in hex) -> header`
const HEADER_BY_HASH: &str = "header_by_hash";

/// Error code for every failure, including a missing block.
const INTERNAL: i64 = -32603;
const HEADERS_MAX: u64 = 20;

#[derive(Serialize)]
struct HeaderAnswer {
    header: Option<RawCosmosHeader>,
}

pub(crate) fn call(methods: &Methods<'_>, method: &str, params: &[Value]) -> Option<Outcome> {
    Some(match method {
        STATUS => status(methods, params),
        BLOCK => at_height(methods, params).and_then(|raw| json(&block(raw)?)),
        BLOCK_BY_HASH => by_base64(methods, params).and_then(|raw| json(&block(raw)?)),
        HEADER => at_height(methods, params).and_then(|raw| json(&header(raw))),
        HEADER_BY_HASH => by_hex(methods, params).and_then(|raw| json(&header(raw))),
        BLOCKCHAIN => headers(methods, params),
        _ => return None,
    })
}

fn status(methods: &Methods<'_>, params: &[Value]) -> Outcome {
    let [] = exactly(params)?;
    let tip = methods.tip()?;
    let first = methods.first()?;
    // each recorded header names its chain
    let newest = raw(methods, Some(tip.number))?.ok_or_else(unreadable)?;
    json(&CosmosStatus {
        node_info: CosmosNodeInfo { network: newest.header.chain_id, version: client_name() },
        sync_info: SyncInfo {
            latest_block_hash: shown(&tip.hash),
            latest_block_height: tip.number.to_string(),
            earliest_block_height: Some(first.to_string()),
        },
    })
}

/// Whole block: a block without transactions differs from a block without recorded transactions.
fn block(raw: Option<RawCosmosBlock>) -> Result<BlockAnswer, RpcFault> {
    let Some(RawCosmosBlock { hash, header, txs, .. }) = raw else {
        return Ok(BlockAnswer { block_id: ShownId { hash: String::new() }, block: None });
    };
    let missing = || RpcFault::not_recorded("the transactions of this block are not recorded");
    let data = ShownData { txs: Some(txs.ok_or_else(missing)?) };
    let block = Some(CosmosNodeBlock { header, data });
    Ok(BlockAnswer { block_id: ShownId { hash: shown(&hash) }, block })
}

fn header(raw: Option<RawCosmosBlock>) -> HeaderAnswer {
    HeaderAnswer { header: raw.map(|raw| raw.header) }
}

/// Block by height; newest block without a height.
fn at_height(methods: &Methods<'_>, params: &[Value]) -> Result<Option<RawCosmosBlock>, RpcFault> {
    let tip = methods.tip()?.number;
    let first = methods.first()?;
    let height = match params {
        [] | [Value::Null] => tip,
        [height] => height_of(height, "params[0]")?,
        _ => return Err(RpcFault::params("expected a height")),
    };
    if height > tip {
        let why = "must be less than or equal to the current blockchain height";
        return Err(internal(&format!("height {height} {why} {tip}")));
    }
    if height < first {
        return Err(internal(&format!(
            "height {height} is not available, lowest height is {first}"
        )));
    }
    raw(methods, Some(height))
}

fn by_base64(methods: &Methods<'_>, params: &[Value]) -> Result<Option<RawCosmosBlock>, RpcFault> {
    let [hash] = exactly(params)?;
    let hash = hash.as_str().and_then(|text| STANDARD.decode(text).ok()?.try_into().ok());
    let hash = hash.map(Hash).ok_or_else(|| RpcFault::params("params[0] is no hash in base64"))?;
    raw(methods, methods.number_of(&hash)?)
}

fn by_hex(methods: &Methods<'_>, params: &[Value]) -> Result<Option<RawCosmosBlock>, RpcFault> {
    let [hash] = exactly(params)?;
    let hash = hash.as_str().and_then(parse_shown);
    let hash = hash.ok_or_else(|| RpcFault::params("params[0] is no hash"))?;
    raw(methods, methods.number_of(&hash)?)
}

/// Headers from the highest down, as far as recorded.
fn headers(methods: &Methods<'_>, params: &[Value]) -> Outcome {
    let [lowest, highest] = exactly(params)?;
    let lowest = height_of(lowest, "params[0]")?;
    let highest = height_of(highest, "params[1]")?;
    let tip = methods.tip()?.number;
    let first = methods.first()?;
    let highest = if highest.0 == 0 { tip } else { highest.min(tip) };
    let lowest = lowest.max(first).0.max(highest.0.saturating_sub(HEADERS_MAX - 1));
    if lowest > highest.0 {
        let why = "can't be greater than max height";
        return Err(internal(&format!("min height {lowest} {why} {highest}")));
    }
    let mut block_metas = Vec::new();
    for number in (lowest..=highest.0).rev() {
        let Some(raw) = raw(methods, Some(BlockNumber(number)))? else { continue };
        let block_id = ShownId { hash: shown(&raw.hash) };
        block_metas.push(Meta { block_id, header: raw.header });
    }
    json(&Headers { last_height: tip.to_string(), block_metas })
}

/// Parses decimal text, as required by nodes, or a number.
fn height_of(param: &Value, field: &str) -> Result<BlockNumber, RpcFault> {
    let height = param.as_u64().or_else(|| param.as_str()?.parse().ok());
    let wrong = || RpcFault::params(format!("{field} is no height"));
    height.map(BlockNumber).ok_or_else(wrong)
}

fn internal(why: &str) -> RpcFault {
    RpcFault::of_node(INTERNAL, &format!("Internal error: {why}"))
}

fn raw(
    methods: &Methods<'_>,
    number: Option<BlockNumber>,
) -> Result<Option<RawCosmosBlock>, RpcFault> {
    let capture = methods.capture(number)?;
    capture.map(|capture| read_raw(&capture).map_err(fault)).transpose()
}
