//! Calls, estimates and transactions.

use alloy_eips::BlockId;
use alloy_primitives::{Address, Bytes, TxKind, U256};
use alloy_rpc_types_eth::TransactionRequest;
use serde_json::{Value, json};

use super::error::{RpcError, params};
use super::read::newest_only;
use crate::block::GAS_LIMIT;
use crate::chain::Devnet;
use crate::error::DevnetError;
use crate::state::{Call, Executed, State};

/// A gas search's rounds.
const ROUNDS_MAX: usize = 24;

fn call_of(request: TransactionRequest) -> Call {
    Call {
        from: request.from.unwrap_or(Address::ZERO),
        to: request.to.unwrap_or(TxKind::Create),
        value: request.value.unwrap_or(U256::ZERO),
        data: request.input.into_input().unwrap_or_default(),
        gas: request.gas.unwrap_or(GAS_LIMIT).min(GAS_LIMIT),
    }
}

fn executed(state: &mut State, call: Call) -> Result<Executed, DevnetError> {
    let executed = state.call(call)?;
    if executed.is_success { Ok(executed) } else { Err(DevnetError::Reverted(executed.output)) }
}

pub(super) fn call(chain: &Devnet, given: Value) -> Result<Value, RpcError> {
    let (request, block, overrides): (TransactionRequest, Option<BlockId>, Value) =
        params(given, 3)?;
    if !overrides.is_null() {
        return Err(RpcError::params("state overrides are not supported"));
    }
    let mut inner = chain.at_now();
    newest_only(&inner, block)?;
    Ok(json!(executed(&mut inner.state, call_of(request))?.output))
}

pub(super) fn estimate(chain: &Devnet, given: Value) -> Result<Value, RpcError> {
    let (request, block): (TransactionRequest, Option<BlockId>) = params(given, 2)?;
    let mut inner = chain.at_now();
    newest_only(&inner, block)?;
    let call = call_of(request);
    let first = executed(&mut inner.state, call.clone())?;
    // a call may need more gas than it uses: the least limit with which it succeeds
    let (mut low, mut high) = (first.gas_used.saturating_sub(1), call.gas);
    for _ in 0..ROUNDS_MAX {
        if high.saturating_sub(low) <= low / 64 {
            break;
        }
        // the gas used is the usual answer: look there first
        let middle = low.saturating_add((high - low).min(low / 8).max(2) / 2);
        let tried = inner.state.call(Call { gas: middle, ..call.clone() });
        match tried.is_ok_and(|tried| tried.is_success) {
            true => high = middle,
            false => low = middle,
        }
    }
    Ok(json!(U256::from(high)))
}

pub(super) fn send(chain: &Devnet, given: Value) -> Result<Value, RpcError> {
    let (raw,): (Bytes,) = params(given, 1)?;
    Ok(json!(chain.submit(&raw)?))
}
