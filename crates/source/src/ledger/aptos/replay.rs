//! Replay of an Aptos node: the root after each recorded block. A block without recorded versions appears as a single
//! version at the block's end.

use serde::Serialize;
use superroot_chain::Ledger;
use superroot_chain::ledger::aptos::RawAptosBlock;
use superroot_types::BlockNumber;

use super::capture::read_raw;
use super::{AptosBlockAnswer, AptosVersion, BLOCK, JSON, LEDGER, LedgerInfo, VERSION};
use crate::replay::methods::{
    Methods, PathCall, PathReply, RpcFault, client_name, fault, unreadable,
};

pub(crate) fn call(methods: &Methods<'_>, call: &PathCall<'_>) -> Option<PathReply> {
    if call.is_post {
        return None;
    }
    let below = |path: &str| call.path.strip_prefix(path)?.strip_prefix('/')?.parse::<u64>().ok();
    if call.path.trim_end_matches('/') == LEDGER {
        let Ledger::Aptos(params) = &methods.row()?.ledger else { return None };
        return Some(reply(ledger(methods, params.network).map(Some)));
    }
    if let Some(number) = below(BLOCK) {
        return Some(reply(block(methods, BlockNumber(number))));
    }
    below(VERSION).map(|version| reply(self::version(methods, version)))
}

fn ledger(methods: &Methods<'_>, network: u8) -> Result<LedgerInfo, RpcFault> {
    let block_height = methods.tip()?.number.0;
    Ok(LedgerInfo { chain_id: network, block_height, git_hash: client_name() })
}

fn load(methods: &Methods<'_>, number: BlockNumber) -> Result<Option<RawAptosBlock>, RpcFault> {
    methods.capture(Some(number))?.map(|capture| read_raw(&capture).map_err(fault)).transpose()
}

/// First and last version: recorded, or derived from the block number.
fn versions(block: &RawAptosBlock) -> (u64, u64) {
    match &block.versions {
        Some(versions) => {
            let count = u64::try_from(versions.infos.len()).unwrap_or(u64::MAX);
            let last = versions.first_version.saturating_add(count).saturating_sub(1);
            (versions.first_version, last)
        }
        None => {
            let only = block.number.0.saturating_add(1);
            (only, only)
        }
    }
}

fn block(methods: &Methods<'_>, number: BlockNumber) -> Result<Option<AptosBlockAnswer>, RpcFault> {
    let Some(block) = load(methods, number)? else { return Ok(None) };
    let (first_version, last_version) = versions(&block);
    let block_height = number.0;
    let block_timestamp = block.timestamp_us;
    Ok(Some(AptosBlockAnswer { block_height, block_timestamp, first_version, last_version }))
}

/// Root after a version: last version of a recorded block, or last version before a recorded block.
fn version(methods: &Methods<'_>, version: u64) -> Result<Option<AptosVersion>, RpcFault> {
    let mut from = methods.first()?;
    while let Some(number) = methods.next_number(from)? {
        let block = load(methods, number)?.ok_or_else(unreadable)?;
        let (first, last) = versions(&block);
        let root = match version {
            _ if version == last => Some(block.hash),
            _ if version.checked_add(1) == Some(first) => Some(block.parent_hash),
            _ => None,
        };
        if let Some(accumulator_root_hash) = root {
            return Ok(Some(AptosVersion { version, accumulator_root_hash }));
        }
        from = BlockNumber(number.0.saturating_add(1));
    }
    Ok(None)
}

fn reply<T: Serialize>(answer: Result<Option<T>, RpcFault>) -> PathReply {
    let (status, body) = match answer {
        Ok(Some(found)) => (200, serde_json::to_vec(&found)),
        Ok(None) => {
            (404, Ok(br#"{"message":"not found","error_code":"block_not_found"}"#.to_vec()))
        }
        Err(fault) => (500, serde_json::to_vec(&fault)),
    };
    PathReply { status, media_type: JSON, body: body.unwrap_or_default() }
}
