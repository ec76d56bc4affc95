//! What nodes of the Internet Computer answer, of a recording: its status, and queries of the ledger and of
//! an archive, which is said to hold what is far below the newest block.

use superroot_chain::Ledger;
use superroot_chain::icp::{Params, Principal, sign_certificate, simulated_root_key};
use superroot_types::BlockNumber;

use super::blocks::{Archived, Blocks, Range, write_archived};
use super::capture::read_raw;
use super::envelope::{Query, Reply, Status};
use super::nodes::now_nanos;
use super::{ARCHIVED_BLOCKS, CBOR, ENCODED_BLOCKS, STATUS, der_key, query_path};
use crate::replay::methods::{Fault, Methods, PathCall, PathReply, client_name, fault};

/// Most blocks in one answer.
const BLOCKS_MAX: u64 = 100;
/// Blocks that the ledger itself holds.
const LEDGER_BLOCKS: u64 = 1_000;
/// Principal of the archive.
const ARCHIVE: [u8; 10] = [0, 0, 0, 0, 0, 0, 0, 9, 1, 1];

/// Reject code of a canister that is not there.
const NO_CANISTER: u64 = 3;
/// Reject code of a call that a canister does not take.
const BAD_CALL: u64 = 5;

/// Answers one call; `None` where nodes have no such path.
pub(crate) fn call(methods: &Methods<'_>, call: &PathCall<'_>) -> Option<PathReply> {
    let Ledger::Icp(params) = &methods.row()?.ledger else { return None };
    let path = format!("/{}", call.path);
    if !call.is_post && path == STATUS {
        let status = Status { client: client_name(), root_key: Some(der_key(&params.root_key)) };
        return Some(reply(200, status.write()));
    }
    let archive = Principal::from_slice(&ARCHIVE).ok()?;
    let canister = [&params.canister, &archive].into_iter().find(|one| query_path(one) == path);
    let canister = canister.filter(|_| call.is_post)?;
    let Some(query) = Query::read(call.body).filter(|query| query.canister == canister.as_slice())
    else {
        return Some(reply(400, b"no query of that canister".to_vec()));
    };
    let Some(range) = Range::read(&query.argument) else {
        return Some(reply(200, rejected(BAD_CALL, "the argument is no range")));
    };
    let is_ledger = *canister == params.canister;
    let answer = match (query.method.as_str(), is_ledger) {
        (ENCODED_BLOCKS, true) => blocks(methods, params, range),
        (ARCHIVED_BLOCKS, false) => below(methods, range).map(|blocks| write_archived(&blocks)),
        _ => return Some(reply(200, rejected(NO_CANISTER, "the canister has no such query"))),
    };
    Some(match answer {
        Ok(answer) => reply(200, Reply::Replied(answer).write()),
        Err(fault) => reply(200, rejected(BAD_CALL, &fault.message)),
    })
}

fn reply(status: u16, body: Vec<u8>) -> PathReply {
    PathReply { status, media_type: CBOR, body }
}

fn rejected(code: u64, why: &str) -> Vec<u8> {
    Reply::Rejected(code, why.to_owned()).write()
}

/// What the ledger answers.
fn blocks(methods: &Methods<'_>, params: &Params, range: Range) -> Result<Vec<u8>, Fault> {
    let tip = methods.tip()?;
    let chain_length = tip.number.0 + 1;
    let kept_from = chain_length.saturating_sub(LEDGER_BLOCKS);
    let first = range.start.max(kept_from);
    let there = range.start.saturating_add(range.length).min(chain_length).saturating_sub(first);
    let blocks = captured(methods, Range { start: first, length: there })?;
    let below = range.start.saturating_add(range.length).min(kept_from).saturating_sub(range.start);
    let archived = Archived {
        range: Range { start: range.start, length: below },
        canister: ARCHIVE.to_vec(),
        method: ARCHIVED_BLOCKS.into(),
    };
    let is_signed = params.root_key == simulated_root_key();
    let certificate =
        is_signed.then(|| sign_certificate(&params.canister, &tip.hash.0, now_nanos()));
    let archived = (below > 0).then_some(archived).into_iter().collect();
    Ok(Blocks { certificate, blocks, first, chain_length, archived }.write())
}

/// What the archive answers.
fn below(methods: &Methods<'_>, range: Range) -> Result<Vec<Vec<u8>>, Fault> {
    let kept_from = (methods.tip()?.number.0 + 1).saturating_sub(LEDGER_BLOCKS);
    captured(
        methods,
        Range { length: range.length.min(kept_from.saturating_sub(range.start)), ..range },
    )
}

/// The blocks of a range, up to the first that is not recorded.
fn captured(methods: &Methods<'_>, range: Range) -> Result<Vec<Vec<u8>>, Fault> {
    let mut blocks = Vec::new();
    for number in range.start..range.start.saturating_add(range.length.min(BLOCKS_MAX)) {
        let Some(capture) = methods.capture(Some(BlockNumber(number)))? else { break };
        blocks.push(read_raw(&capture).map_err(fault)?.bytes);
    }
    Ok(blocks)
}
