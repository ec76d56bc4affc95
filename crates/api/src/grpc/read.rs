//! Message parsing, as strict as for paths and queries.

use superroot_chain::ChainSpec;
use superroot_types::{
    BlockNumber, BlockRef, Hash, ProofLevel, SAFE_INTEGER_MAX, Sequence, SuperRootRef,
};

use crate::ApiError;
use crate::input::{BLOCK, find_chain};
use crate::route::parameters::WAIT_SECONDS_MAX;
use crate::service::Api;

pub(super) fn chain<'a>(api: &'a Api, text: &str) -> Result<&'a ChainSpec, ApiError> {
    if text.is_empty() {
        return Err(ApiError::missing("chain", "a chain id or name"));
    }
    find_chain(api, "chain", text)
}

/// Block by number; the newest anchored block if absent.
pub(super) fn block(number: Option<u64>) -> Result<BlockRef, ApiError> {
    Ok(block_number("block", number)?.map_or(BlockRef::Latest, BlockRef::Number))
}

pub(super) fn block_number(
    name: &str,
    number: Option<u64>,
) -> Result<Option<BlockNumber>, ApiError> {
    Ok(bounded(name, number, BLOCK)?.map(BlockNumber))
}

/// Number within JSON's safe range.
pub(super) fn bounded(
    name: &str,
    number: Option<u64>,
    expected: &str,
) -> Result<Option<u64>, ApiError> {
    match number {
        Some(got) if got > SAFE_INTEGER_MAX => {
            Err(ApiError::parameter(name, &got.to_string(), expected))
        }
        _ => Ok(number),
    }
}

pub(super) fn sequence(name: &str, number: u64) -> Result<Sequence, ApiError> {
    bounded(name, Some(number), "a sequence below 2^53").map(|_| Sequence(number))
}

pub(super) fn hash(name: &str, bytes: &[u8]) -> Result<Hash, ApiError> {
    let hash = bytes.try_into().map(Hash);
    hash.map_err(|_| ApiError::invalid(name, length(bytes), "32 bytes"))
}

pub(super) fn length(bytes: &[u8]) -> String {
    format!("of {} bytes", bytes.len())
}

/// SuperRoot by hash or sequence; `None` if both are absent.
pub(super) fn fixed(
    root: Option<&[u8]>,
    named: Option<u64>,
) -> Result<Option<SuperRootRef>, ApiError> {
    match (root, named) {
        (None, None) => Ok(None),
        (Some(root), None) => hash("root", root).map(|hash| Some(SuperRootRef::Hash(hash))),
        (None, Some(named)) => {
            sequence("sequence", named).map(|it| Some(SuperRootRef::Sequence(it)))
        }
        (Some(_), Some(named)) => {
            Err(ApiError::parameter("sequence", &named.to_string(), "either root or sequence"))
        }
    }
}

pub(super) fn level(level: Option<u32>) -> Result<Option<ProofLevel>, ApiError> {
    let Some(number) = level else { return Ok(None) };
    let read = u8::try_from(number).ok().and_then(ProofLevel::from_number);
    let expected = "a proof level from 1 to 5";
    read.map(Some).ok_or_else(|| ApiError::parameter("level", &number.to_string(), expected))
}

/// Text, or `None` for an empty field, which means absent.
pub(super) fn word(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

pub(super) fn wait_seconds(seconds: u32) -> Result<u32, ApiError> {
    if u64::from(seconds) > WAIT_SECONDS_MAX {
        let expected = format!("0 to {WAIT_SECONDS_MAX}");
        return Err(ApiError::invalid("wait_seconds", seconds.to_string(), expected));
    }
    Ok(seconds)
}
