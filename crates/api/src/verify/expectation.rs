//! What a caller expects of a proof, compared with what it proves.

use serde_json::Value;
use superroot_proof::bundle::Facts;
use superroot_types::{Address, Hash, ProofLevel, SAFE_INTEGER_MAX};
use superroot_wire::verify::ProofCheck;

use crate::ApiError;
use crate::error::shorten;
use crate::input::{describe, find_chain, only_members, parse_hash, parse_integer, text_of};
use crate::service::Api;

/// A proof's expected value.
pub(super) struct Expectation {
    pub(super) name: &'static str,
    /// Value in comparison form.
    value: String,
}

/// Caller's expectations, an object with [`EXPECTED`] members.
pub(super) fn read_expected(
    api: &Api,
    given: Option<&Value>,
) -> Result<Vec<Expectation>, ApiError> {
    let Some(given) = given else { return Ok(Vec::new()) };
    let wrong = || ApiError::parameter("expected", &describe(given), "an object");
    let object = given.as_object().ok_or_else(wrong)?;
    only_members(object, "expected", &EXPECTED)?;
    let read =
        |(name, value): (&String, &Value)| canonical(api, name, &format!("expected.{name}"), value);
    object.iter().map(read).collect()
}

pub(super) fn compare(facts: &Facts, expectation: &Expectation) -> ProofCheck {
    let Expectation { name, value: expected } = expectation;
    let proven = proven(facts, name);
    let detail = match &proven {
        Some(proven) => format!("proven is {proven}, expected {expected}"),
        None => format!("not_shown: no hash of the proof binds it, expected {expected}"),
    };
    let ok = proven.as_ref() == Some(expected);
    let detail = shorten(&detail);
    ProofCheck { level: None, name: (*name).to_owned(), ok, detail }
}

/// Allowed expectations.
const EXPECTED: [&str; 9] = [
    "super_root_hash",
    "chain",
    "chain_id",
    "block",
    "block_number",
    "tx_index",
    "log_index",
    "address",
    "topics",
];

/// Expectation in comparison form.
///
/// # Errors
/// 400 for a malformed value: it could never match, and would make a proof look false.
fn canonical(api: &Api, name: &str, place: &str, value: &Value) -> Result<Expectation, ApiError> {
    let text = text_of(value);
    let integer = |max: u64, expected: &str| parse_integer(place, &text, max, expected);
    let index = || integer(u32::MAX.into(), "an index from 0 to 2^32 - 1");
    let (name, value) = match name {
        "super_root_hash" => ("super_root_hash", parse_hash(place, &text)?.to_string()),
        "chain" | "chain_id" => ("chain", find_chain(api, place, &text)?.key().to_string()),
        "block" | "block_number" => {
            ("block", integer(SAFE_INTEGER_MAX, "a block number below 2^53")?.to_string())
        }
        "tx_index" => ("tx_index", index()?.to_string()),
        "log_index" => ("log_index", index()?.to_string()),
        "address" => {
            let address = text.parse::<Address>();
            let wrong = |_| ApiError::parameter(place, &text, "0x and 40 hex digits (an address)");
            ("address", address.map_err(wrong)?.to_string())
        }
        _ => ("topics", text_of_topics(&topics(place, value)?)),
    };
    Ok(Expectation { name, value })
}

fn text_of_topics(topics: &[Hash]) -> String {
    serde_json::to_string(topics).unwrap_or_default()
}

fn topics(place: &str, value: &Value) -> Result<Vec<Hash>, ApiError> {
    const TOPICS_MAX: usize = 4; // LOG0 to LOG4
    let list = value.as_array().filter(|list| list.len() <= TOPICS_MAX);
    let wrong = || ApiError::parameter(place, &describe(value), "a list of up to 4 topics");
    list.ok_or_else(wrong)?.iter().map(|topic| parse_hash(place, &text_of(topic))).collect()
}

/// Proven value for an expectation, in comparison form; `None` if the proof's levels do not show it. The header shows
/// its number; the block leaf in level 3 is the first level to show the chain. An entry proven to be in the chain up to
/// this block has no block value.
fn proven(facts: &Facts, name: &str) -> Option<String> {
    let statement = facts.statement;
    let log = facts.log().map(|proven| &proven.log);
    let shows_chain = facts.level >= ProofLevel::Twig;
    let shows_number = shows_chain || (facts.level >= ProofLevel::Block && facts.number_bound);
    match name {
        "super_root_hash" => facts.super_root_hash().map(|hash| hash.to_string()),
        "chain" => shows_chain.then(|| statement.chain.to_string()),
        "block" => (shows_number && facts.block_bound).then(|| statement.number.to_string()),
        "tx_index" => statement.tx_index().map(|index| index.to_string()),
        "log_index" => statement.log_index().map(|index| index.to_string()),
        "address" => log.map(|log| log.address.to_string()),
        "topics" => log.map(|log| text_of_topics(&log.topics)),
        _ => None,
    }
}
