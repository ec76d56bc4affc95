//! `eth_getLogs`.

use alloy_consensus::BlockHeader;
use alloy_rpc_types_eth as rpc;
use serde_json::{Value, json};

use super::error::{RpcError, params};
use super::read::number_of;
use crate::chain::Devnet;

/// Most logs of an answer.
const LOGS_MAX: usize = 10_000;

pub(super) fn logs(chain: &Devnet, given: Value) -> Result<Value, RpcError> {
    let (filter,): (rpc::Filter,) = params(given, 1)?;
    let inner = chain.at_now();
    let head = inner.head_number();
    let (from, to) = match filter.block_option {
        rpc::FilterBlockOption::AtBlockHash(hash) => {
            let number = inner.number_of(hash);
            let number = number.ok_or_else(|| RpcError::params("no block has this hash"))?;
            (number, number)
        }
        rpc::FilterBlockOption::Range { from_block, to_block } => {
            let at = |tag: Option<rpc::BlockNumberOrTag>| match tag {
                None => Some(head),
                Some(tag) => number_of(&inner, tag),
            };
            let from = at(from_block).unwrap_or(head.saturating_add(1));
            (from, at(to_block).unwrap_or(head))
        }
    };
    let mut found = Vec::new();
    for block in inner.full(from, to) {
        if !filter.matches_bloom(block.header.logs_bloom()) {
            continue;
        }
        let logs = block.receipts.iter().flat_map(|receipt| receipt.inner.logs());
        let of_filter = logs.filter(|log| {
            filter.matches_address(log.address()) && filter.matches_topics(log.topics())
        });
        found.extend(of_filter.cloned());
        if found.len() > LOGS_MAX {
            return Err(RpcError::params(format!(
                "more than {LOGS_MAX} logs: ask for fewer blocks"
            )));
        }
    }
    Ok(json!(found))
}
