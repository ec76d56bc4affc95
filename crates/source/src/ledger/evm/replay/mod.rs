//! Replay of an EVM-family node.

mod logs;
mod transactions;

use serde_json::Value;
use superroot_types::{BlockNumber, Hash};

use crate::ledger::evm::capture::{block_members, receipts};
use crate::ledger::evm::quantity;
use crate::replay::methods::{
    Methods, Outcome, RpcFault, client_name, exactly, fault, integer, json,
};

/// Answers a call; `None` for unknown methods and methods that need state.
pub(crate) fn call(methods: &Methods<'_>, method: &str, params: &[Value]) -> Option<Outcome> {
    Some(match method {
        "web3_clientVersion" => no_params(params, || json(&client_name())),
        "eth_chainId" => no_params(params, || json(&quantity(methods.chain().id.0))),
        "net_version" => no_params(params, || json(&methods.chain().id.to_string())),
        "eth_blockNumber" => no_params(params, || json(&quantity(methods.tip()?.number.0))),
        "eth_getBlockByNumber" => by_number(methods, params),
        "eth_getBlockByHash" => by_hash(methods, params),
        "eth_getBlockReceipts" => block_receipts(methods, params),
        "eth_getTransactionByHash" => transactions::transaction(methods, params),
        "eth_getTransactionReceipt" => transactions::receipt(methods, params),
        "eth_getLogs" => logs::logs(methods, params),
        _ => return None,
    })
}

fn no_params(params: &[Value], answer: impl FnOnce() -> Outcome) -> Outcome {
    let [] = exactly(params)?;
    answer()
}

fn by_number(methods: &Methods<'_>, params: &[Value]) -> Outcome {
    let [which, full] = exactly(params)?;
    block(methods, number(methods, which)?, full)
}

fn by_hash(methods: &Methods<'_>, params: &[Value]) -> Outcome {
    let [hash, full] = exactly(params)?;
    let hash = block_hash(hash).ok_or_else(|| RpcFault::params("params[0] is no hash"))?;
    block(methods, methods.number_of(&hash)?, full)
}

fn block(methods: &Methods<'_>, number: Option<BlockNumber>, full: &Value) -> Outcome {
    let full = full.as_bool().ok_or_else(|| RpcFault::params("params[1] is not true or false"))?;
    match methods.capture(number)? {
        Some(capture) => json(&block_members(&capture, full).map_err(fault)?),
        None => json(&()),
    }
}

fn block_receipts(methods: &Methods<'_>, params: &[Value]) -> Outcome {
    let [which] = exactly(params)?;
    let number = match block_hash(which) {
        Some(hash) => methods.number_of(&hash)?,
        None => number(methods, which)?,
    };
    match methods.capture(number)? {
        Some(capture) => json(&receipts(&capture)),
        None => json(&()),
    }
}

/// Number for a tag or quantity; `None` for a tag unavailable in recordings.
fn number(methods: &Methods<'_>, which: &Value) -> Result<Option<BlockNumber>, RpcFault> {
    match which.as_str() {
        Some("latest" | "safe" | "finalized") => methods.tip().map(|tip| Some(tip.number)),
        Some("earliest") => methods.first().map(Some),
        Some("pending") => Ok(None),
        _ => integer(which, "params[0]").map(|number| Some(BlockNumber(number))),
    }
}

fn block_hash(param: &Value) -> Option<Hash> {
    param.as_str()?.parse().ok()
}
