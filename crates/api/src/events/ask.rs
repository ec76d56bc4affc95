//! Parameters of an event search.

use superroot_chain::ChainSpec;
use superroot_chain::ledger::facts;
use superroot_index::{EventFilter, event};
use superroot_store::ScanOrder;
use superroot_types::{BlockNumber, Family, Hash, SAFE_INTEGER_MAX};

use super::cursor::ScanCursor;
use crate::ApiError;
use crate::input::{RequestInput, find_chain, parse_integer};
use crate::service::Api;

/// Default page size in events; `LIMIT_MAX` is the largest.
const LIMIT: u64 = 100;
const LIMIT_MAX: u64 = 1000;
/// Most addresses, and most topics per position, in a request.
pub(crate) const NAMED_MAX: usize = 100;
/// Longest address in bytes: a Bitcoin script.
const ADDRESS_BYTES_MAX: usize = 10_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FinalityFloor {
    Head,
    Finalized,
    Anchored,
}

impl FinalityFloor {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Head => "head",
            Self::Finalized => "finalized",
            Self::Anchored => "anchored",
        }
    }

    /// Defaults to `finalized`.
    pub(crate) fn parse(text: Option<&str>) -> Result<Self, ApiError> {
        match text {
            Some("head") => Ok(Self::Head),
            None | Some("finalized") => Ok(Self::Finalized),
            Some("anchored") => Ok(Self::Anchored),
            Some(other) => {
                Err(ApiError::parameter("finality", other, "head, finalized or anchored"))
            }
        }
    }
}

/// Defaults to `asc`.
pub(crate) fn parse_order(text: Option<&str>) -> Result<ScanOrder, ApiError> {
    match text {
        None | Some("asc") => Ok(ScanOrder::Rising),
        Some("desc") => Ok(ScanOrder::Falling),
        Some(other) => Err(ApiError::parameter("order", other, "asc or desc")),
    }
}

/// Defaults to 100.
pub(crate) fn check_limit(limit: Option<u64>) -> Result<usize, ApiError> {
    let limit = limit.unwrap_or(LIMIT);
    if !(1..=LIMIT_MAX).contains(&limit) {
        return Err(ApiError::parameter("limit", &limit.to_string(), "a count from 1 to 1000"));
    }
    Ok(usize::try_from(limit).unwrap_or(usize::MAX))
}

/// Refuses a range that ends before its start; the strings name both ends.
pub(crate) fn check_range(
    (from, to): (Option<BlockNumber>, Option<BlockNumber>),
    (from_name, to_name): (&str, &str),
) -> Result<(), ApiError> {
    match from.zip(to) {
        Some((from, to)) if from > to => {
            let expected = format!("a block from {from} on, which is {from_name}");
            Err(ApiError::parameter(to_name, &to.to_string(), expected))
        }
        _ => Ok(()),
    }
}

#[derive(Clone, Debug)]
pub(crate) struct LogsAsk {
    pub(crate) row: ChainSpec,
    pub(crate) filter: EventFilter,
    pub(crate) from: Option<BlockNumber>,
    pub(crate) to: Option<BlockNumber>,
    pub(crate) finality: FinalityFloor,
    pub(crate) direction: ScanOrder,
    pub(crate) limit: usize,
    pub(crate) cursor: Option<ScanCursor>,
    pub(crate) is_partial: bool,
    /// Whether the answer must prove that its events are complete.
    pub(crate) is_complete: bool,
}

impl LogsAsk {
    pub(super) fn read(api: &Api, ask: &RequestInput) -> Result<Self, ApiError> {
        let chain = ask.query("chain")?;
        let chain = chain.ok_or_else(|| ApiError::missing("chain", "a chain id or name"))?;
        let row = find_chain(api, "chain", chain)?.clone();
        let filter = filter(ask, row.family())?;
        let (from, to) = range(ask)?;
        let is_complete = ask.is_set("complete")?;
        let finality = match ask.query("finality")? {
            None if is_complete => FinalityFloor::Anchored,
            named => FinalityFloor::parse(named)?,
        };
        let direction = parse_order(ask.query("order")?)?;
        let expected = "a count from 1 to 1000";
        let limit = ask.query("limit")?;
        let limit = limit.map(|text| parse_integer("limit", text, LIMIT_MAX, expected));
        let limit = check_limit(limit.transpose()?)?;
        let cursor = ask.query("cursor")?.map(ScanCursor::parse).transpose()?;
        let is_partial = ask.is_set("partial")?;
        let clash = [
            (finality != FinalityFloor::Anchored, "finality", "anchored with complete=1"),
            (cursor.is_some(), "cursor", "none with complete=1, which proves the whole range"),
            (is_partial, "partial", "0 with complete=1"),
        ];
        if let Some((_, name, expected)) = clash.iter().find(|(is, ..)| is_complete && *is) {
            return Err(ApiError::invalid(*name, "given", expected));
        }
        Ok(Self {
            row,
            filter,
            from,
            to,
            finality,
            direction,
            limit,
            cursor,
            is_partial,
            is_complete,
        })
    }
}

/// Reads a filter from `address` and `topic0` to `topic3`, with addresses for this family; `text` returns a parameter's
/// text.
///
/// # Errors
/// 400 `invalid_parameter` naming the malformed parameter; errors from `text`.
pub(crate) fn read_filter<'a>(
    family: Family,
    text: impl Fn(&'static str) -> Result<Option<&'a str>, ApiError>,
) -> Result<EventFilter, ApiError> {
    let mut filter = EventFilter::default();
    for item in list("address", text("address")?)? {
        filter.addresses.push(parse_address(item, family)?);
    }
    for (name, topics) in
        ["topic0", "topic1", "topic2", "topic3"].into_iter().zip(&mut filter.topics)
    {
        for item in topics_of(name, text(name)?)? {
            if let Some(Err(expected)) = facts(family).events.map(|form| form.topics) {
                return Err(ApiError::parameter(name, item, expected));
            }
            topics.push(parse_topic(name, item)?);
        }
    }
    Ok(filter)
}

/// Addresses and topics in a query, in the family's event format.
pub(super) fn filter(ask: &RequestInput, family: Family) -> Result<EventFilter, ApiError> {
    read_filter(family, |name| ask.query(name))
}

pub(super) fn topics_named(ask: &RequestInput, name: &'static str) -> Result<Vec<Hash>, ApiError> {
    topics_of(name, ask.query(name)?)?.into_iter().map(|text| parse_topic(name, text)).collect()
}

pub(super) fn range(
    ask: &RequestInput,
) -> Result<(Option<BlockNumber>, Option<BlockNumber>), ApiError> {
    let from = number(ask, "fromBlock")?;
    let to = number(ask, "toBlock")?;
    check_range((from, to), ("fromBlock", "toBlock"))?;
    Ok((from, to))
}

fn number(ask: &RequestInput, name: &'static str) -> Result<Option<BlockNumber>, ApiError> {
    let Some(text) = ask.query(name)? else { return Ok(None) };
    let number = parse_integer(name, text, SAFE_INTEGER_MAX, "a block number below 2^53")?;
    Ok(Some(BlockNumber(number)))
}

/// Splits a comma-separated list; empty items are skipped.
fn list<'a>(name: &'static str, text: Option<&'a str>) -> Result<Vec<&'a str>, ApiError> {
    let Some(text) = text else { return Ok(Vec::new()) };
    check_count(name, text.split(',').map(str::trim).collect())
}

/// Splits a topic list; items may be signatures, which contain commas.
fn topics_of<'a>(name: &'static str, text: Option<&'a str>) -> Result<Vec<&'a str>, ApiError> {
    let Some(text) = text else { return Ok(Vec::new()) };
    let mut items = Vec::new();
    let mut depth = 0_usize;
    let mut start = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '<' => depth = depth.saturating_add(1),
            ')' | '>' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                items.push(text.get(start..at).unwrap_or_default().trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push(text.get(start..).unwrap_or_default().trim());
    check_count(name, items)
}

fn check_count<'a>(name: &'static str, items: Vec<&'a str>) -> Result<Vec<&'a str>, ApiError> {
    if items.len() > NAMED_MAX || items.iter().any(|item| item.is_empty()) {
        let expected = format!("1 to {NAMED_MAX} values with commas between");
        return Err(ApiError::parameter(name, &items.join(","), expected));
    }
    Ok(items)
}

fn parse_address(text: &str, family: Family) -> Result<Vec<u8>, ApiError> {
    check_address(const_hex::decode(text).ok(), text, family)
}

/// Checks an address for this family; `shown` is the source text.
pub(crate) fn check_address(
    bytes: Option<Vec<u8>>,
    shown: &str,
    family: Family,
) -> Result<Vec<u8>, ApiError> {
    let form = facts(family).events;
    let (expected, length) = form
        .map_or(("no address: events of this ledger are not indexed", Some(0)), |form| {
            (form.address, form.address_bytes)
        });
    let bytes = bytes.filter(|bytes| match length {
        Some(length) => bytes.len() == length && length > 0,
        None => (1..=ADDRESS_BYTES_MAX).contains(&bytes.len()),
    });
    bytes.ok_or_else(|| ApiError::parameter("address", shown, expected))
}

/// Parses a topic: a hash, or a name to hash.
pub(crate) fn parse_topic(name: &'static str, text: &str) -> Result<Hash, ApiError> {
    if let Ok(topic) = text.parse() {
        return Ok(topic);
    }
    let is_word = |word: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "_$".contains(c))
    };
    let is_signature = text.strip_suffix(')').and_then(|text| text.split_once('(')).is_some_and(
        |(name, arguments)| {
            is_word(name)
                && arguments.chars().all(|c| c.is_ascii_alphanumeric() || "(),[]".contains(c))
        },
    );
    let is_operation = matches!(text, "burn" | "mint" | "transfer" | "approve");
    if is_signature || is_operation {
        return Ok(event::topic_of(text));
    }
    if text.starts_with("0x") && text.contains("::") {
        return Ok(event::topic_of(&with_full_addresses(text)));
    }
    let expected = "0x and 64 hex digits, or a signature such as Transfer(address,address,uint256)";
    Err(ApiError::parameter(name, text, expected))
}

/// Move type with full-length addresses, as in its topic: `0x1::coin::Coin` is accepted.
fn with_full_addresses(text: &str) -> String {
    let mut parts = text.split("0x");
    let mut full = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once("::") {
            Some((digits, rest)) => {
                full.push_str(&format!("0x{:0>64}::{rest}", digits.to_ascii_lowercase()));
            }
            None => full.push_str(&format!("0x{part}")),
        }
    }
    full
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First topic of a token's transfer.
    const TRANSFER: &str = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

    #[test]
    fn topics_are_named_by_hash_or_by_what_they_are_the_hash_of() {
        let transfer: Hash = TRANSFER.parse().unwrap();
        assert_eq!(parse_topic("topic0", TRANSFER).unwrap(), transfer);
        let signature = "Transfer(address,address,uint256)";
        assert_eq!(parse_topic("topic0", signature).unwrap(), transfer);
        let long = |digit: u8| format!("0x{digit:0>64}");
        let full = format!("{}::coin::Minted<{}::sui::SUI>", long(2), long(2));
        for text in ["0x2::coin::Minted<0x2::sui::SUI>", &full] {
            assert_eq!(parse_topic("topic0", text).unwrap(), event::topic_of(&full));
        }
        for wrong in
            ["", "0x12", "Transfer", "Transfer(", "Tr ansfer()", "Transfer(address indexed)"]
        {
            let error = parse_topic("topic1", wrong).unwrap_err();
            assert_eq!(error.code.name, "invalid_parameter", "{wrong}");
        }
    }
    #[test]
    fn outputs_of_bitcoin_have_no_topics_to_ask_for() {
        let named = |name: &'static str| (name == "topic0").then_some(TRANSFER);
        assert!(read_filter(Family::Evm, |name| Ok(named(name))).is_ok());
        let error = read_filter(Family::Bitcoin, |name| Ok(named(name))).unwrap_err();
        assert_eq!(error.parameter.as_deref(), Some("topic0"));
    }
}
