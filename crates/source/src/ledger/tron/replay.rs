//! Replay of a Tron node.

use serde::Deserialize;
use serde_json::{Value, json};
use superroot_chain::ledger::tron::{HttpBlock, RawTronBlock};
use superroot_types::{BlockNumber, Hash};

use super::capture::read_raw;
use super::{
    BLOCK, BLOCK_BY_ID, BLOCK_BY_NUMBER, ConfigInfo, FINAL_BLOCK, JSON, NEWEST_BLOCK,
    NEWEST_FINAL_BLOCK, NODE_INFO, TronNodeInfo,
};
use crate::replay::methods::{Methods, PathCall, PathReply, RpcFault, client_name, fault};

#[derive(Default, Deserialize)]
#[serde(default)]
struct CallParameters {
    id_or_num: Option<String>,
    detail: bool,
    num: u64,
    value: String,
}

pub(crate) fn call(methods: &Methods<'_>, call: &PathCall<'_>) -> Option<PathReply> {
    let asked = asked(call);
    let answer = match call.path {
        NODE_INFO => Ok(json!(TronNodeInfo { config: ConfigInfo { code_version: client_name() } })),
        BLOCK | FINAL_BLOCK => asked.and_then(|asked| {
            let number = match &asked.id_or_num {
                None => Some(methods.tip()?.number),
                Some(text) => which(methods, text)?,
            };
            block(methods, number, asked.detail)
        }),
        NEWEST_BLOCK | NEWEST_FINAL_BLOCK => {
            methods.tip().and_then(|tip| block(methods, Some(tip.number), true))
        }
        BLOCK_BY_NUMBER => {
            asked.and_then(|asked| block(methods, Some(BlockNumber(asked.num)), true))
        }
        BLOCK_BY_ID => asked.and_then(|asked| {
            let hash =
                plain_hash(&asked.value).ok_or_else(|| RpcFault::params("value is no block id"))?;
            block(methods, methods.number_of(&hash)?, true)
        }),
        _ => return None,
    };
    let body = answer.unwrap_or_else(|fault| json!({ "Error": fault.message }));
    Some(PathReply { status: 200, media_type: JSON, body: body.to_string().into_bytes() })
}

fn asked(call: &PathCall<'_>) -> Result<CallParameters, RpcFault> {
    let wrong = || RpcFault::params("what is asked for cannot be read");
    if call.is_post {
        let body = if call.body.is_empty() { b"{}" } else { call.body };
        return serde_json::from_slice(body).map_err(|_| wrong());
    }
    let mut asked = CallParameters::default();
    for (name, value) in call.query.split('&').filter_map(|pair| pair.split_once('=')) {
        match name {
            "id_or_num" => asked.id_or_num = Some(value.to_owned()),
            "detail" => asked.detail = value == "true",
            "num" => asked.num = value.parse().map_err(|_| wrong())?,
            "value" => value.clone_into(&mut asked.value),
            _ => {}
        }
    }
    Ok(asked)
}

/// Block number from a number or id.
fn which(methods: &Methods<'_>, text: &str) -> Result<Option<BlockNumber>, RpcFault> {
    match plain_hash(text) {
        Some(hash) => methods.number_of(&hash),
        None => match text.parse() {
            Ok(number) => Ok(Some(BlockNumber(number))),
            Err(_) => Err(RpcFault::params("id_or_num is neither a number nor a block id")),
        },
    }
}

fn plain_hash(text: &str) -> Option<Hash> {
    let is_plain = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    const_hex::decode(text).ok().filter(|_| is_plain)?.try_into().ok().map(Hash)
}

/// Block as a node's answer; `{}` if not recorded.
fn block(
    methods: &Methods<'_>,
    number: Option<BlockNumber>,
    is_whole: bool,
) -> Result<Value, RpcFault> {
    let Some(capture) = methods.capture(number)? else { return Ok(json!({})) };
    let mut raw: RawTronBlock = read_raw(&capture).map_err(fault)?;
    if !is_whole {
        raw.transactions = None;
    } else if raw.transactions.is_none() {
        return Err(RpcFault::internal("of this block the header alone is recorded"));
    }
    let shown = HttpBlock::show(&raw);
    let shown =
        shown.ok_or_else(|| RpcFault::internal("json cannot show the bytes of this block"))?;
    serde_json::to_value(shown).map_err(|_| crate::replay::methods::unreadable())
}
