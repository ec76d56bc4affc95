//! Request input, parsed strictly: a malformed value is 400 and names its parameter, an unknown well-formed one is 404.

use axum::extract::{FromRequestParts, Query, RawPathParams};
use axum::http::request::Parts;
use serde_json::{Map, Value};
use superroot_accumulate::prove::Occurrence;
use superroot_chain::registry::{ChainSpec, TEXT_BYTES_MAX};
use superroot_types::{
    BlockNumber, BlockRef, Family, Hash, ProofLevel, SAFE_INTEGER_MAX, Sequence, SuperRootRef,
};
use superroot_wire::proof::parse_spelled_hash;

use crate::ApiError;
use crate::error::shorten;
use crate::route::parameters::WAIT_SECONDS_MAX;
use crate::seen::Conditional;
use crate::service::Api;

mod accept;
mod body;
pub(crate) mod caller;

pub(crate) use body::{BYTES_EACH, drain, named_length, parse_object, read_json, read_json_if_any};
pub(crate) use caller::Caller;

/// Path and query parameters, decoded.
#[derive(Debug, Default)]
pub(crate) struct RequestInput {
    path: Vec<(String, String)>,
    query: Vec<(String, String)>,
    seen: Conditional,
    wants_file: bool,
}

impl<S: Send + Sync> FromRequestParts<S> for RequestInput {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let path = RawPathParams::from_request_parts(parts, state).await.map_err(|rejection| {
            let text = rejection.body_text();
            // the rejection tells the parameter's name between back quotes and no other way
            let name = text.split('`').nth(1).unwrap_or("path").to_owned();
            ApiError::invalid(name, "not UTF-8", "percent-encoded UTF-8")
        })?;
        let path = path.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let Query(query) = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri)
            .map_err(|_| ApiError::parameter("query", "malformed", "name=value pairs"))?;
        let wants_file = accept::wants_file(&parts.headers);
        let seen = parts.extensions.remove().unwrap_or_default();
        Ok(Self { path, query, seen, wants_file })
    }
}

impl RequestInput {
    pub(crate) fn path(&self, name: &'static str) -> Result<&str, ApiError> {
        let found = self.path.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str()).ok_or_else(|| {
            tracing::error!(parameter = name, "a handler asks for a parameter its path lacks");
            ApiError::internal()
        })
    }

    /// Path parameter that only some of a handler's paths have.
    pub(crate) fn path_if_named(&self, name: &'static str) -> Option<&str> {
        let found = self.path.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Query parameter; 400 `invalid_parameter` if given twice, since neither can be preferred.
    pub(crate) fn query(&self, name: &'static str) -> Result<Option<&str>, ApiError> {
        let mut found = self.query.iter().filter(|(other, _)| other == name);
        let first = found.next().map(|(_, value)| value.as_str());
        match found.next() {
            Some((_, second)) => Err(ApiError::parameter(name, second, "to be given once")),
            None => Ok(first),
        }
    }

    pub(crate) fn chain<'a>(
        &self,
        api: &'a Api,
        name: &'static str,
    ) -> Result<&'a ChainSpec, ApiError> {
        let text = self.path(name)?;
        check_plain(name, text)?;
        find_chain(api, name, text)
    }

    pub(crate) fn block(&self, name: &'static str) -> Result<BlockRef, ApiError> {
        let text = self.path(name)?;
        check_plain(name, text)?;
        parse_block(name, text)
    }

    pub(crate) fn hash(&self, name: &'static str) -> Result<Hash, ApiError> {
        parse_hash(name, self.path(name)?)
    }

    /// Transaction hash in a path parameter, in the chain's format: see [`parse_transaction_hash`].
    pub(crate) fn transaction_hash(
        &self,
        api: &Api,
        chain: &'static str,
        name: &'static str,
    ) -> Result<Hash, ApiError> {
        let row = self.chain(api, chain)?;
        parse_transaction_hash(name, self.path(name)?, row.family())
    }

    pub(crate) fn index(&self, name: &'static str) -> Result<u32, ApiError> {
        let text = self.path(name)?;
        check_plain(name, text)?;
        parse_index(name, text)
    }

    /// Transaction occurrence, from `?block=` and `?tx_index=`.
    pub(crate) fn occurrence(&self) -> Result<Occurrence, ApiError> {
        let block = self.query("block")?.map(|text| parse_number("block", text)).transpose()?;
        let tx_index = self.query("tx_index")?.map(|text| parse_index("tx_index", text));
        Ok(Occurrence { block, tx_index: tx_index.transpose()? })
    }

    pub(crate) fn sequence(&self, name: &'static str) -> Result<Sequence, ApiError> {
        parse_sequence(name, self.path(name)?)
    }

    /// SuperRoot from `?root=` or `?sequence=`; `None` without either.
    pub(crate) fn fixed(&self) -> Result<Option<SuperRootRef>, ApiError> {
        parse_fixed(self.query("root")?, self.query("sequence")?)
    }

    pub(crate) fn seen(&self) -> Conditional {
        self.seen.clone()
    }

    pub(crate) const fn is_head(&self) -> bool {
        self.seen.is_head
    }

    /// Whether the caller accepts a file and does not name JSON.
    pub(crate) const fn wants_file(&self) -> bool {
        self.wants_file
    }

    /// Whether the query parameter is 1; default 0.
    pub(crate) fn is_set(&self, name: &'static str) -> Result<bool, ApiError> {
        match self.query(name)? {
            None | Some("0") => Ok(false),
            Some("1") => Ok(true),
            Some(other) => Err(ApiError::parameter(name, other, "0 or 1")),
        }
    }

    /// Number of the caller's own set of signers, in `?set=`.
    pub(crate) fn client_set(&self) -> Result<Option<u64>, ApiError> {
        let expected = "the number of a set, below 2^53";
        let read = |text| parse_integer("set", text, SAFE_INTEGER_MAX, expected);
        self.query("set")?.map(read).transpose()
    }

    /// Seconds in `?wait=`; default 0.
    pub(crate) fn wait_seconds(&self) -> Result<u64, ApiError> {
        let Some(text) = self.query("wait")? else { return Ok(0) };
        let expected = format!("a number of seconds from 0 to {WAIT_SECONDS_MAX}");
        parse_integer("wait", text, WAIT_SECONDS_MAX, &expected)
    }

    /// Level in `?level=`.
    pub(crate) fn level(&self) -> Result<Option<ProofLevel>, ApiError> {
        let Some(text) = self.query("level")? else { return Ok(None) };
        let level = text.parse().ok().and_then(ProofLevel::from_number);
        let wrong = || ApiError::parameter("level", text, "a proof level from 1 to 5");
        level.map(Some).ok_or_else(wrong)
    }
}

/// Chain by id, alias, slug, name or CAIP-2 name.
pub(crate) fn find_chain<'a>(
    api: &'a Api,
    name: &str,
    text: &str,
) -> Result<&'a ChainSpec, ApiError> {
    if let Some(row) = api.registry.find(text) {
        return Ok(row);
    }
    let letter = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '.' | '_' | '-' | ':');
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let is_sane = (1..=TEXT_BYTES_MAX).contains(&text.len())
        && !text.starts_with('-')
        && text.chars().all(letter)
        && (!is_number || text.parse::<u64>().is_ok());
    if is_sane {
        return Err(ApiError::unknown_chain(name, text));
    }
    let expected = "an id below 2^64, a name or a CAIP-2 name like eip155:1";
    Err(ApiError::parameter(name, text, expected))
}

/// Decimal digits and nothing else.
pub(crate) fn parse_integer(
    name: &str,
    text: &str,
    max: u64,
    expected: &str,
) -> Result<u64, ApiError> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let value = if digits { text.parse().ok() } else { None };
    let value = value.filter(|value| *value <= max);
    value.ok_or_else(|| ApiError::parameter(name, text, expected))
}

/// Refuses leading zeros, so that one resource has one address.
fn check_plain(name: &str, text: &str) -> Result<(), ApiError> {
    if text.len() > 1 && text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(ApiError::parameter(name, text, "a number without leading zeros"));
    }
    Ok(())
}

pub(crate) const BLOCK: &str = "a block number below 2^53 or latest";

pub(crate) fn parse_block(name: &str, text: &str) -> Result<BlockRef, ApiError> {
    if text == "latest" {
        return Ok(BlockRef::Latest);
    }
    let number = parse_integer(name, text, SAFE_INTEGER_MAX, BLOCK)?;
    Ok(BlockRef::Number(BlockNumber(number)))
}

pub(crate) fn parse_number(name: &str, text: &str) -> Result<BlockNumber, ApiError> {
    let number = parse_integer(name, text, SAFE_INTEGER_MAX, "a block number below 2^53")?;
    Ok(BlockNumber(number))
}

fn parse_index(name: &str, text: &str) -> Result<u32, ApiError> {
    let index = parse_integer(name, text, u32::MAX.into(), "an index from 0 to 2^32 - 1")?;
    u32::try_from(index).map_err(|_| ApiError::internal())
}

/// SuperRoot by hash or sequence; `None` if both are absent.
pub(crate) fn parse_fixed(
    root: Option<&str>,
    sequence: Option<&str>,
) -> Result<Option<SuperRootRef>, ApiError> {
    match (root, sequence) {
        (None, None) => Ok(None),
        (Some(root), None) => Ok(Some(SuperRootRef::Hash(parse_hash("root", root)?))),
        (None, Some(sequence)) => {
            Ok(Some(SuperRootRef::Sequence(parse_sequence("sequence", sequence)?)))
        }
        (Some(_), Some(sequence)) => {
            Err(ApiError::parameter("sequence", sequence, "either root or sequence"))
        }
    }
}

pub(crate) fn parse_sequence(name: &str, text: &str) -> Result<Sequence, ApiError> {
    check_plain(name, text)?;
    parse_integer(name, text, SAFE_INTEGER_MAX, "a sequence below 2^53").map(Sequence)
}

pub(crate) fn parse_hash(name: &str, text: &str) -> Result<Hash, ApiError> {
    text.parse()
        .map_err(|_| ApiError::parameter(name, text, "0x and 64 hex digits (a hash of 32 bytes)"))
}

/// Transaction hash: `0x` and 64 digits, or the family's explorer format. In the Bitcoin family either form may be in
/// either byte order: the prover tries both.
pub(crate) fn parse_transaction_hash(
    name: &str,
    text: &str,
    family: Family,
) -> Result<Hash, ApiError> {
    parse_spelled_hash(family, text).map_or_else(|| parse_hash(name, text), Ok)
}

/// Refuses an object with unknown members, so that no typo is ignored: 400 `invalid_parameter` naming the member.
/// `place` names the object, and is empty for the body.
pub(crate) fn only_members(
    members: &Map<String, Value>,
    place: &str,
    known: &[&str],
) -> Result<(), ApiError> {
    let Some(other) = members.keys().find(|name| !known.contains(&name.as_str())) else {
        return Ok(());
    };
    let dot = if place.is_empty() { "" } else { "." };
    let parameter = format!("{place}{dot}{}", shorten(other));
    Err(ApiError::invalid(parameter, "no member", format_args!("only {}", known.join(", "))))
}

/// Text unchanged, other values as JSON: `7` and `"7"` read the same.
pub(crate) fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| describe(value), str::to_owned)
}

/// Value for a message, abbreviated if large.
pub(crate) fn describe(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn transactions_of_bitcoin_are_named_as_explorers_name_them_too() {
        let (shown, read) = (format!("{}ab", "00".repeat(31)), Hash([0; 32]));
        let mut first = read;
        first.0[0] = 0xab;
        let parse = |text: &str, family| parse_transaction_hash("h", text, family).ok();
        assert_eq!(parse(&shown, Family::Bitcoin), Some(first));
        assert_eq!(parse(&first.to_string(), Family::Bitcoin), Some(first));
        assert_eq!(parse(&first.to_string(), Family::Evm), Some(first));
        assert_eq!((parse(&shown, Family::Evm), parse(&shown[1..], Family::Bitcoin)), (None, None));
    }

    proptest! {
        /// Whatever stands where a number belongs: digits within bounds or 400, never a panic.
        #[test]
        fn any_text_is_a_number_or_refused(text: String, max: u64) {
            match parse_integer("n", &text, max, "x") {
                Ok(value) => prop_assert!(value <= max && text.trim_start_matches('0').len() <= 20),
                Err(error) => prop_assert_eq!(error.code.name, "invalid_parameter"),
            }
        }
    }
}
