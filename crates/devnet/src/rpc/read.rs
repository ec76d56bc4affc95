//! Reading methods.

use alloy_consensus::{BlockHeader, Transaction as _};
use alloy_eips::{BlockId, BlockNumberOrTag};
use alloy_primitives::{Address, B256, U256};
use alloy_rpc_types_eth as rpc;
use serde_json::{Value, json};

use super::error::{RpcError, hash_param, params};
use crate::block::FINALITY_DEPTH;
use crate::chain::{Devnet, Inner};

/// Tip for a quick inclusion, in wei per gas.
pub(super) const TIP: u64 = 1_000_000;
/// Most blocks of a fee history.
const HISTORY_MAX: u64 = 1_024;

pub(super) fn base_fee(chain: &Devnet) -> u64 {
    chain.at_now().head().header.base_fee_per_gas().unwrap_or(0)
}

/// A block's number; `None` for a future block.
pub(super) fn number_of(inner: &Inner, tag: BlockNumberOrTag) -> Option<u64> {
    let head = inner.head_number();
    match tag {
        BlockNumberOrTag::Latest | BlockNumberOrTag::Pending => Some(head),
        BlockNumberOrTag::Safe | BlockNumberOrTag::Finalized => {
            Some(head.saturating_sub(FINALITY_DEPTH))
        }
        BlockNumberOrTag::Earliest => Some(0),
        BlockNumberOrTag::Number(number) => (number <= head).then_some(number),
    }
}

/// Refuses any state but the newest: states of earlier blocks are not kept.
pub(super) fn newest_only(inner: &Inner, block: Option<BlockId>) -> Result<(), RpcError> {
    let head = inner.head_number();
    let is_newest = match block {
        None => true,
        Some(BlockId::Hash(hash)) => inner.number_of(hash.block_hash) == Some(head),
        Some(BlockId::Number(BlockNumberOrTag::Latest | BlockNumberOrTag::Pending)) => true,
        // a block a second: what was the newest a moment ago
        Some(BlockId::Number(BlockNumberOrTag::Number(number))) => {
            number <= head && number.saturating_add(FINALITY_DEPTH) > head
        }
        Some(BlockId::Number(_)) => false,
    };
    let why = "states of earlier blocks are not kept: ask for latest";
    if is_newest { Ok(()) } else { Err(RpcError::params(why)) }
}

pub(super) fn balance(chain: &Devnet, given: Value) -> Result<Value, RpcError> {
    let (address, block): (Address, Option<BlockId>) = params(given, 2)?;
    let inner = chain.at_now();
    newest_only(&inner, block)?;
    Ok(json!(inner.state.balance(address)))
}

pub(super) fn transaction_count(chain: &Devnet, given: Value) -> Result<Value, RpcError> {
    let (address, block): (Address, Option<BlockId>) = params(given, 2)?;
    let inner = chain.at_now();
    newest_only(&inner, block)?;
    let count = match block {
        Some(BlockId::Number(BlockNumberOrTag::Pending)) => {
            inner.pool.pending_nonce(&inner.state, address)
        }
        _ => inner.state.nonce(address),
    };
    Ok(json!(U256::from(count)))
}

pub(super) fn code(chain: &Devnet, given: Value) -> Result<Value, RpcError> {
    let (address, block): (Address, Option<BlockId>) = params(given, 2)?;
    let inner = chain.at_now();
    newest_only(&inner, block)?;
    Ok(json!(inner.state.code(address)))
}

pub(super) fn storage(chain: &Devnet, given: Value) -> Result<Value, RpcError> {
    let (address, slot, block): (Address, U256, Option<BlockId>) = params(given, 3)?;
    let inner = chain.at_now();
    newest_only(&inner, block)?;
    Ok(json!(B256::from(inner.state.storage(address, slot))))
}

pub(super) fn block_by_number(chain: &Devnet, given: Value) -> Result<Value, RpcError> {
    let (tag, is_full): (BlockNumberOrTag, Option<bool>) = params(given, 2)?;
    let inner = chain.at_now();
    let block = number_of(&inner, tag).and_then(|number| inner.block(number));
    Ok(json!(block.map(|block| block.shown(is_full.unwrap_or(false)))))
}

pub(super) fn block_by_hash(chain: &Devnet, given: Value) -> Result<Value, RpcError> {
    let (hash, is_full): (B256, Option<bool>) = params(given, 2)?;
    let inner = chain.at_now();
    let block = inner.number_of(hash).and_then(|number| inner.block(number));
    Ok(json!(block.map(|block| block.shown(is_full.unwrap_or(false)))))
}

pub(super) fn block_receipts(chain: &Devnet, given: Value) -> Result<Value, RpcError> {
    let (block,): (BlockId,) = params(given, 1)?;
    let inner = chain.at_now();
    let number = match block {
        BlockId::Hash(hash) => inner.number_of(hash.block_hash),
        BlockId::Number(tag) => number_of(&inner, tag),
    };
    let block = number.and_then(|number| inner.block(number));
    Ok(json!(block.map(|block| block.receipts.clone())))
}

pub(super) fn transaction(chain: &Devnet, given: Value) -> Result<Value, RpcError> {
    let hash = hash_param(given)?;
    let inner = chain.at_now();
    if let Some(waiting) = inner.pool.find(hash) {
        let envelope = waiting.envelope.clone();
        let inner =
            alloy_consensus::transaction::Recovered::new_unchecked(envelope, waiting.sender);
        let shown = rpc::Transaction {
            inner,
            block_hash: None,
            block_number: None,
            transaction_index: None,
            effective_gas_price: Some(waiting.envelope.max_fee_per_gas()),
            block_timestamp: None,
        };
        return Ok(json!(shown));
    }
    let found = inner
        .place(hash)
        .and_then(|(number, at)| inner.block(number)?.transactions.get(at).cloned());
    Ok(json!(found))
}

pub(super) fn receipt(chain: &Devnet, given: Value) -> Result<Value, RpcError> {
    let hash = hash_param(given)?;
    let inner = chain.at_now();
    let found =
        inner.place(hash).and_then(|(number, at)| inner.block(number)?.receipts.get(at).cloned());
    Ok(json!(found))
}

pub(super) fn fee_history(chain: &Devnet, given: Value) -> Result<Value, RpcError> {
    let (count, newest, percentiles): (U256, BlockNumberOrTag, Option<Vec<f64>>) =
        params(given, 3)?;
    let count = u64::try_from(count).unwrap_or(u64::MAX).clamp(1, HISTORY_MAX);
    let percentiles = percentiles.unwrap_or_default();
    if percentiles.len() > 100 || percentiles.iter().any(|one| !(0.0..=100.0).contains(one)) {
        return Err(RpcError::params("percentiles are at most 100 numbers from 0 to 100"));
    }
    let inner = chain.at_now();
    let newest =
        number_of(&inner, newest).ok_or_else(|| RpcError::params("a block of the future"))?;
    let oldest = newest.saturating_sub(count.saturating_sub(1));
    let mut fees = Vec::new();
    let (mut ratios, mut rewards) = (Vec::new(), Vec::new());
    for number in oldest..=newest {
        let Some(block) = inner.block(number) else { continue };
        let base_fee = block.header.base_fee_per_gas().unwrap_or(0);
        fees.push(U256::from(base_fee));
        ratios.push(block.header.gas_used() as f64 / block.header.gas_limit() as f64);
        let mut tips: Vec<u128> = block
            .receipts
            .iter()
            .map(|receipt| receipt.effective_gas_price.saturating_sub(base_fee.into()))
            .collect();
        tips.sort_unstable();
        let at = |percent: &f64| {
            let last = tips.len().saturating_sub(1);
            let tip = tips.get((percent / 100.0 * last as f64) as usize);
            U256::from(tip.copied().unwrap_or(TIP.into()))
        };
        rewards.push(percentiles.iter().map(at).collect::<Vec<U256>>());
    }
    let next = crate::block::next_header(
        inner.block(newest).map(|block| block.header.clone()).as_ref(),
        0,
    );
    fees.push(U256::from(next.base_fee_per_gas.unwrap_or(0)));
    let mut history = json!({
        "oldestBlock": U256::from(oldest),
        "baseFeePerGas": fees,
        "gasUsedRatio": ratios,
    });
    if !percentiles.is_empty() {
        history["reward"] = json!(rewards);
    }
    Ok(history)
}
