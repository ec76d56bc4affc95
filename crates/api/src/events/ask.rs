//! What a search asks for, out of its query.

use superroot_chain::ChainRow;
use superroot_index::{Filter, event};
use superroot_store::Direction;
use superroot_types::{BlockNumber, Family, Hash, SAFE_INTEGER_MAX};

use super::cursor::Cursor;
use crate::ApiError;
use crate::input::{Ask, find_chain, parse_integer};
use crate::service::Api;

/// Events of a page where the request names no limit, and at most.
const LIMIT: u64 = 100;
const LIMIT_MAX: u64 = 1000;
/// Addresses, and topics of one position, that a request names at most.
const NAMED_MAX: usize = 100;
/// Longest address, in bytes: a script of Bitcoin.
const ADDRESS_BYTES_MAX: usize = 10_000;

/// The lowest finality of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Finality {
    Head,
    Finalized,
    Anchored,
}

impl Finality {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Head => "head",
            Self::Finalized => "finalized",
            Self::Anchored => "anchored",
        }
    }
}

/// What is searched for.
#[derive(Clone, Debug)]
pub(super) struct LogsAsk {
    pub(super) row: ChainRow,
    pub(super) filter: Filter,
    pub(super) from: Option<BlockNumber>,
    pub(super) to: Option<BlockNumber>,
    pub(super) finality: Finality,
    pub(super) direction: Direction,
    pub(super) limit: usize,
    pub(super) cursor: Option<Cursor>,
    pub(super) is_partial: bool,
    /// Whether the answer is to show that its events are all.
    pub(super) is_complete: bool,
}

impl LogsAsk {
    pub(super) fn read(api: &Api, ask: &Ask) -> Result<Self, ApiError> {
        let chain = ask.query("chain")?;
        let chain = chain.ok_or_else(|| ApiError::missing("chain", "a chain id or name"))?;
        let row = find_chain(api, "chain", chain)?.clone();
        let filter = filter(ask, row.family())?;
        let (from, to) = range(ask)?;
        let is_complete = ask.is_set("complete")?;
        let finality = match ask.query("finality")? {
            Some("head") => Finality::Head,
            None if is_complete => Finality::Anchored,
            None | Some("finalized") => Finality::Finalized,
            Some("anchored") => Finality::Anchored,
            Some(other) => {
                let expected = "head, finalized or anchored";
                return Err(ApiError::parameter("finality", other, expected));
            }
        };
        let direction = match ask.query("order")? {
            None | Some("asc") => Direction::Rising,
            Some("desc") => Direction::Falling,
            Some(other) => return Err(ApiError::parameter("order", other, "asc or desc")),
        };
        let expected = "a count from 1 to 1000";
        let limit = match ask.query("limit")? {
            None => LIMIT,
            Some(text) => match parse_integer("limit", text, LIMIT_MAX, expected)? {
                0 => return Err(ApiError::parameter("limit", text, expected)),
                limit => limit,
            },
        };
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let cursor = ask.query("cursor")?.map(Cursor::parse).transpose()?;
        let is_partial = ask.is_set("partial")?;
        let clash = [
            (finality != Finality::Anchored, "finality", "anchored with complete=1"),
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

/// Addresses and topics, as the events of that family have them.
pub(super) fn filter(ask: &Ask, family: Family) -> Result<Filter, ApiError> {
    let mut filter = Filter::default();
    for text in list(ask, "address")? {
        filter.addresses.push(parse_address(text, family)?);
    }
    for (name, topics) in
        ["topic0", "topic1", "topic2", "topic3"].into_iter().zip(&mut filter.topics)
    {
        *topics = topics_named(ask, name)?;
    }
    Ok(filter)
}

/// The topics under that name.
pub(super) fn topics_named(ask: &Ask, name: &'static str) -> Result<Vec<Hash>, ApiError> {
    topics_of(ask, name)?.into_iter().map(|text| parse_topic(name, text)).collect()
}

/// First and last block, as far as they are named.
pub(super) fn range(ask: &Ask) -> Result<(Option<BlockNumber>, Option<BlockNumber>), ApiError> {
    let (from, to) = (number(ask, "fromBlock")?, number(ask, "toBlock")?);
    if let Some((from, to)) = from.zip(to).filter(|(from, to)| from > to) {
        let expected = format!("a block from {from} on, which is fromBlock");
        return Err(ApiError::parameter("toBlock", &to.to_string(), expected));
    }
    Ok((from, to))
}

fn number(ask: &Ask, name: &'static str) -> Result<Option<BlockNumber>, ApiError> {
    let Some(text) = ask.query(name)? else { return Ok(None) };
    let number = parse_integer(name, text, SAFE_INTEGER_MAX, "a block number below 2^53")?;
    Ok(Some(BlockNumber(number)))
}

/// The items of a list with commas, without empty ones.
fn list<'a>(ask: &'a Ask, name: &'static str) -> Result<Vec<&'a str>, ApiError> {
    let Some(text) = ask.query(name)? else { return Ok(Vec::new()) };
    check_count(name, text.split(',').map(str::trim).collect())
}

/// The same where an item may be a signature, which has commas of its own.
fn topics_of<'a>(ask: &'a Ask, name: &'static str) -> Result<Vec<&'a str>, ApiError> {
    let Some(text) = ask.query(name)? else { return Ok(Vec::new()) };
    let (mut items, mut depth, mut start) = (Vec::new(), 0_usize, 0);
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
    let (expected, length) = match family {
        Family::Evm => ("0x and 40 hex digits (an address of 20 bytes)", Some(20)),
        Family::Sui => ("0x and 64 hex digits (a package or address of 32 bytes)", Some(32)),
        Family::Icp => ("64 hex digits (an account identifier of 32 bytes)", Some(32)),
        Family::Bitcoin => ("0x and the hex digits of an output's script", None),
        Family::Solana | Family::Polkadot | Family::Tron | Family::Aptos | Family::Cosmos => {
            ("no address: events of this ledger are not indexed", Some(0))
        }
    };
    let bytes = const_hex::decode(text).ok();
    let bytes = bytes.filter(|bytes| match length {
        Some(length) => bytes.len() == length && length > 0,
        None => (1..=ADDRESS_BYTES_MAX).contains(&bytes.len()),
    });
    bytes.ok_or_else(|| ApiError::parameter("address", text, expected))
}

/// A topic as it is, or by the name that it is the hash of.
fn parse_topic(name: &'static str, text: &str) -> Result<Hash, ApiError> {
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
    let is_type = text.starts_with("0x") && text.contains("::");
    let is_operation = matches!(text, "burn" | "mint" | "transfer" | "approve");
    if is_signature || is_type || is_operation {
        return Ok(event::topic_of(text));
    }
    let expected = "0x and 64 hex digits, or a signature such as Transfer(address,address,uint256)";
    Err(ApiError::parameter(name, text, expected))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_are_named_by_hash_or_by_what_they_are_the_hash_of() {
        let transfer: Hash = super::super::A_TOPIC.parse().unwrap();
        assert_eq!(parse_topic("topic0", super::super::A_TOPIC).unwrap(), transfer);
        let signature = "Transfer(address,address,uint256)";
        assert_eq!(parse_topic("topic0", signature).unwrap(), transfer);
        for wrong in
            ["", "0x12", "Transfer", "Transfer(", "Tr ansfer()", "Transfer(address indexed)"]
        {
            let error = parse_topic("topic1", wrong).unwrap_err();
            assert_eq!(error.code.name, "invalid_parameter", "{wrong}");
        }
    }
}
