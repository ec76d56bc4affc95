//! Replay of Internet Computer nodes: status, ledger queries and archive queries. The archive serves blocks far below
//! the newest.

use superroot_chain::Ledger;
use superroot_chain::ledger::icp::{IcpParams, Principal, sign_certificate, simulated_root_key};
use superroot_types::BlockNumber;

use super::blocks::{Archived, BlockRange, LedgerBlocks, write_archived};
use super::capture::read_raw;
use super::envelope::{CanisterQuery, CanisterReply, IcpNodeStatus};
use super::nodes::now_nanos;
use super::{ARCHIVED_BLOCKS, CBOR, ENCODED_BLOCKS, STATUS, der_key, query_path};
use crate::replay::methods::{Methods, PathCall, PathReply, RpcFault, client_name, fault};

const BLOCKS_MAX: u64 = 100;
/// Blocks in the ledger itself.
const LEDGER_BLOCKS: u64 = 1_000;
const ARCHIVE: [u8; 10] = [0, 0, 0, 0, 0, 0, 0, 9, 1, 1];

/// Reject code: unknown canister.
const NO_CANISTER: u64 = 3;
/// Reject code: call not supported by the canister.
const BAD_CALL: u64 = 5;

pub(crate) fn call(methods: &Methods<'_>, call: &PathCall<'_>) -> Option<PathReply> {
    let Ledger::Icp(params) = &methods.row()?.ledger else { return None };
    let path = format!("/{}", call.path);
    if !call.is_post && path == STATUS {
        let status =
            IcpNodeStatus { client: client_name(), root_key: Some(der_key(&params.root_key)) };
        return Some(reply(200, status.write()));
    }
    let archive = Principal::from_slice(&ARCHIVE).ok()?;
    let canister = [&params.canister, &archive].into_iter().find(|one| query_path(one) == path);
    let canister = canister.filter(|_| call.is_post)?;
    let Some(query) =
        CanisterQuery::read(call.body).filter(|query| query.canister == canister.as_slice())
    else {
        return Some(reply(400, b"no query of that canister".to_vec()));
    };
    let Some(range) = BlockRange::read(&query.argument) else {
        return Some(reply(200, rejected(BAD_CALL, "the argument is no range")));
    };
    let is_ledger = *canister == params.canister;
    let answer = match (query.method.as_str(), is_ledger) {
        (ENCODED_BLOCKS, true) => blocks(methods, params, range),
        (ARCHIVED_BLOCKS, false) => below(methods, range).map(|blocks| write_archived(&blocks)),
        _ => return Some(reply(200, rejected(NO_CANISTER, "the canister has no such query"))),
    };
    Some(match answer {
        Ok(answer) => reply(200, CanisterReply::Replied(answer).write()),
        Err(fault) => reply(200, rejected(BAD_CALL, &fault.message)),
    })
}

fn reply(status: u16, body: Vec<u8>) -> PathReply {
    PathReply { status, media_type: CBOR, body }
}

fn rejected(code: u64, why: &str) -> Vec<u8> {
    CanisterReply::Rejected(code, why.to_owned()).write()
}

fn blocks(
    methods: &Methods<'_>,
    params: &IcpParams,
    range: BlockRange,
) -> Result<Vec<u8>, RpcFault> {
    let tip = methods.tip()?;
    let chain_length = tip.number.0 + 1;
    let kept_from = chain_length.saturating_sub(LEDGER_BLOCKS);
    let first = range.start.max(kept_from);
    let there = range.start.saturating_add(range.length).min(chain_length).saturating_sub(first);
    let blocks = captured(methods, BlockRange { start: first, length: there })?;
    let below = range.start.saturating_add(range.length).min(kept_from).saturating_sub(range.start);
    let archived = Archived {
        range: BlockRange { start: range.start, length: below },
        canister: ARCHIVE.to_vec(),
        method: ARCHIVED_BLOCKS.into(),
    };
    let is_signed = params.root_key == simulated_root_key();
    let certificate =
        is_signed.then(|| sign_certificate(&params.canister, &tip.hash.0, now_nanos()));
    let archived = (below > 0).then_some(archived).into_iter().collect();
    Ok(LedgerBlocks { certificate, blocks, first, chain_length, archived }.write())
}

fn below(methods: &Methods<'_>, range: BlockRange) -> Result<Vec<Vec<u8>>, RpcFault> {
    let kept_from = (methods.tip()?.number.0 + 1).saturating_sub(LEDGER_BLOCKS);
    captured(
        methods,
        BlockRange { length: range.length.min(kept_from.saturating_sub(range.start)), ..range },
    )
}

/// A range's blocks, up to the first gap in the recording.
fn captured(methods: &Methods<'_>, range: BlockRange) -> Result<Vec<Vec<u8>>, RpcFault> {
    let mut blocks = Vec::new();
    for number in range.start..range.start.saturating_add(range.length.min(BLOCKS_MAX)) {
        let Some(capture) = methods.capture(Some(BlockNumber(number)))? else { break };
        blocks.push(read_raw(&capture).map_err(fault)?.bytes);
    }
    Ok(blocks)
}
