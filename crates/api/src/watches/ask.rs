//! Watch parameters from a body.

use serde_json::{Map, Value};
use superroot_account::Label;
use superroot_chain::ChainSpec;
use superroot_store::read;
use superroot_types::{Address, BlockNumber, SAFE_INTEGER_MAX};
use superroot_watch::{NewWatch, WatchChange, WatchTarget};

use crate::ApiError;
use crate::error::of_account;
use crate::events::parse_topic;
use crate::input::{Caller, describe, find_chain, only_members};
use crate::service::Api;
use crate::status::ChainStage;

/// Reads a new watch.
///
/// # Errors
/// 400 naming the malformed member; 404 for an unknown or unfollowed chain, and for one without watchable events; 403
/// outside the key's scope.
pub(super) fn read_new(api: &Api, caller: &Caller, body: &Value) -> Result<NewWatch, ApiError> {
    let members = body.as_object().cloned().unwrap_or_default();
    only_members(&members, "", &["chain", "address", "topic", "from_block", "label"])?;
    let row = chain_of(api, caller, &members)?;
    let target = target_of(&members)?;
    let from_block = from_block_of(&members)?.flatten();
    check_held(api, row, from_block)?;
    let label = label_of(&members)?.flatten();
    Ok(NewWatch { chain: row.key(), target, from_block, label })
}

/// Reads a watch change; 400 naming the malformed member.
pub(super) fn read_change(body: &Value) -> Result<WatchChange, ApiError> {
    let members = body.as_object().cloned().unwrap_or_default();
    only_members(&members, "", &["from_block", "label"])?;
    Ok(WatchChange { from_block: from_block_of(&members)?, label: label_of(&members)? })
}

fn chain_of<'a>(
    api: &'a Api,
    caller: &Caller,
    members: &Map<String, Value>,
) -> Result<&'a ChainSpec, ApiError> {
    let expected = "an id, a name or a CAIP-2 name like eip155:1";
    let text = match members.get("chain") {
        None | Some(Value::Null) => return Err(ApiError::missing("chain", expected)),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(id)) if id.is_u64() => id.to_string(),
        Some(other) => return Err(ApiError::parameter("chain", &describe(other), expected)),
    };
    let row = find_chain(api, "chain", &text)?;
    caller.check_chain(row.key())?;
    if !row.ledger.has_watchable_events() {
        let why = format!(
            "events of {} have no addresses and topics that can be watched; the operator collects all of \
             them, or none",
            row.name
        );
        return Err(ApiError::not_provable(row.key(), &why));
    }
    if matches!(api.view(row).state, ChainStage::NotFollowed | ChainStage::Withdrawn) {
        return Err(ApiError::not_indexed(row.key(), None, &api.how_to_index(row.key())));
    }
    Ok(row)
}

fn target_of(members: &Map<String, Value>) -> Result<WatchTarget, ApiError> {
    let text = |name: &'static str, expected: &str| match members.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(other) => Err(ApiError::parameter(name, &describe(other), expected)),
    };
    let of_address = "0x and 40 hex digits (an address of 20 bytes)";
    let of_topic = "0x and 64 hex digits, or a signature such as Transfer(address,address,uint256)";
    match (text("address", of_address)?, text("topic", of_topic)?) {
        (Some(address), None) => {
            let parsed: Result<Address, _> = address.parse();
            let wrong = |_| ApiError::parameter("address", address, of_address);
            parsed.map(WatchTarget::Address).map_err(wrong)
        }
        (None, Some(topic)) => parse_topic("topic", topic).map(WatchTarget::Topic),
        (Some(_), Some(topic)) => {
            Err(ApiError::parameter("topic", topic, "an address or a topic, not both"))
        }
        (None, None) => Err(ApiError::missing("address", "an address, or a topic")),
    }
}

fn from_block_of(members: &Map<String, Value>) -> Result<Option<Option<BlockNumber>>, ApiError> {
    match members.get("from_block") {
        None => Ok(None),
        Some(Value::Null) => Ok(Some(None)),
        Some(value) => {
            let number = value.as_u64().filter(|number| *number <= SAFE_INTEGER_MAX);
            let expected = "a block number below 2^53, or null";
            let number = number
                .ok_or_else(|| ApiError::parameter("from_block", &describe(value), expected))?;
            Ok(Some(Some(BlockNumber(number))))
        }
    }
}

fn label_of(members: &Map<String, Value>) -> Result<Option<Option<Label>>, ApiError> {
    match members.get("label") {
        None => Ok(None),
        Some(Value::Null) => Ok(Some(None)),
        Some(Value::String(text)) => {
            Ok(Some(Some(Label::try_from(text.clone()).map_err(of_account)?)))
        }
        Some(other) => Err(ApiError::parameter("label", &describe(other), "a text, or null")),
    }
}

/// Refuses blocks that are not collected: a watch extends the stored data of collected blocks only.
///
/// # Errors
/// 400 with the first collected block, or the newest; store errors.
pub(super) fn check_held(
    api: &Api,
    row: &ChainSpec,
    from_block: Option<BlockNumber>,
) -> Result<(), ApiError> {
    let Some(from_block) = from_block else { return Ok(()) };
    let state = read::load_chain_state(api.prover.store(), row.key());
    let Some(state) = state.map_err(ApiError::of_store)? else { return Ok(()) };
    let start = state.start;
    let head = state.head.map(|head| head.number);
    let expected = if from_block < start {
        let how = api.how_to_reach(row.key(), from_block);
        format!("a block from {start} on, the first that is collected of {}; {how}", row.name)
    } else if let Some(head) = head.filter(|head| from_block > *head) {
        format!("at most {head}, the head of {}; left out it means from now on", row.name)
    } else {
        return Ok(());
    };
    Err(ApiError::parameter("from_block", &from_block.to_string(), expected))
}
