//! Header fields from node texts, and back.

use std::time::{Duration, UNIX_EPOCH};

use superroot_proof::ledger::LedgerError;
use superroot_proof::ledger::cosmos::{CosmosBlockId, Header};
use superroot_types::Hash;

use super::raw::{RawBlockId, RawCosmosHeader, RawParts, RawVersion};
use crate::error::ChainError;

/// Longest time text, with nine fractional digits.
const TIME_BYTES_MAX: usize = 30;

/// Reads every field. Bounds: [`Header::check`].
pub(crate) fn read(raw: &RawCosmosHeader) -> Result<Header, ChainError> {
    let (seconds, nanos) = time(&raw.time)?;
    let header = Header {
        version_block: number("version.block", &raw.version.block)?,
        version_app: number("version.app", raw.version.app.as_deref().unwrap_or("0"))?,
        chain_id: raw.chain_id.clone(),
        height: number("height", &raw.height)?,
        seconds,
        nanos,
        last_block_id: block_id(raw.last_block_id.as_ref())?,
        last_commit_hash: hash("last_commit_hash", &raw.last_commit_hash)?,
        data_hash: hash("data_hash", &raw.data_hash)?,
        validators_hash: hash("validators_hash", &raw.validators_hash)?,
        next_validators_hash: hash("next_validators_hash", &raw.next_validators_hash)?,
        consensus_hash: hash("consensus_hash", &raw.consensus_hash)?,
        app_hash: bytes("app_hash", &raw.app_hash)?,
        last_results_hash: hash("last_results_hash", &raw.last_results_hash)?,
        evidence_hash: hash("evidence_hash", &raw.evidence_hash)?,
        proposer_address: array("proposer_address", &raw.proposer_address)?,
    };
    header.check().map_err(|source| ChainError::ledger("header", source))?;
    Ok(header)
}

/// Previous block; `None` without a hash.
fn block_id(raw: Option<&RawBlockId>) -> Result<Option<CosmosBlockId>, ChainError> {
    let Some(RawBlockId { hash: text, parts }) = raw else { return Ok(None) };
    if text.is_empty() && parts.hash.is_empty() && parts.total == 0 {
        return Ok(None);
    }
    Ok(Some(CosmosBlockId {
        hash: hash("last_block_id.hash", text)?,
        part_count: parts.total,
        parts_hash: hash("last_block_id.parts.hash", &parts.hash)?,
    }))
}

fn malformed(field: &'static str) -> ChainError {
    ChainError::ledger("header", LedgerError::Field { field })
}

/// Decimal digits without leading zeros.
fn number(field: &'static str, text: &str) -> Result<u64, ChainError> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let is_shortest = text == "0" || !text.starts_with('0');
    let read = text.parse().ok().filter(|_| is_plain && is_shortest);
    read.ok_or_else(|| malformed(field))
}

fn bytes(field: &'static str, text: &str) -> Result<Vec<u8>, ChainError> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    const_hex::decode(text).ok().filter(|_| is_plain).ok_or_else(|| malformed(field))
}

fn array<const N: usize>(field: &'static str, text: &str) -> Result<[u8; N], ChainError> {
    bytes(field, text)?.try_into().map_err(|_| malformed(field))
}

fn hash(field: &'static str, text: &str) -> Result<Hash, ChainError> {
    array(field, text).map(Hash)
}

/// Seconds since 1970, and nanoseconds.
pub(super) fn time(text: &str) -> Result<(u64, u32), ChainError> {
    let read = humantime::parse_rfc3339(text).ok().filter(|_| text.len() <= TIME_BYTES_MAX);
    let since = read.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.map(|since| (since.as_secs(), since.subsec_nanos())).ok_or_else(|| malformed("time"))
}

impl From<&Header> for RawCosmosHeader {
    fn from(header: &Header) -> Self {
        let hex = |bytes: &[u8]| const_hex::encode_upper(bytes);
        let since = Duration::new(header.seconds, header.nanos);
        // a header's bounds leave no time that is past the clock's
        let time = UNIX_EPOCH.checked_add(since).unwrap_or(UNIX_EPOCH);
        let id = header.last_block_id.as_ref();
        let last_block_id = RawBlockId {
            hash: id.map_or_else(String::new, |id| hex(&id.hash.0)),
            parts: RawParts {
                total: id.map_or(0, |id| id.part_count),
                hash: id.map_or_else(String::new, |id| hex(&id.parts_hash.0)),
            },
        };
        let app = (header.version_app > 0).then(|| header.version_app.to_string());
        Self {
            version: RawVersion { block: header.version_block.to_string(), app },
            chain_id: header.chain_id.clone(),
            height: header.height.to_string(),
            time: humantime::format_rfc3339_nanos(time).to_string(),
            last_block_id: Some(last_block_id),
            last_commit_hash: hex(&header.last_commit_hash.0),
            data_hash: hex(&header.data_hash.0),
            validators_hash: hex(&header.validators_hash.0),
            next_validators_hash: hex(&header.next_validators_hash.0),
            consensus_hash: hex(&header.consensus_hash.0),
            app_hash: hex(&header.app_hash),
            last_results_hash: hex(&header.last_results_hash.0),
            evidence_hash: hex(&header.evidence_hash.0),
            proposer_address: hex(&header.proposer_address),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_up_to_nine_digits_behind_the_second() {
        let read = |text| time(text).ok();
        assert_eq!(read("2023-09-07T12:45:59.767207173Z"), Some((1_694_090_759, 767_207_173)));
        assert_eq!(read("2023-09-07T12:45:59.7Z"), Some((1_694_090_759, 700_000_000)));
        assert_eq!(read("2023-09-07T12:45:59Z"), Some((1_694_090_759, 0)));
        assert_eq!(read("1970-01-01T00:00:00Z"), Some((0, 0)));
        for wrong in [
            "",
            "1969-12-31T23:59:59Z",
            "0001-01-01T00:00:00Z",
            "2023-09-07T12:45:59.767207173",
            "2023-09-07T12:45:59+02:00",
            "2023-02-30T12:45:59Z",
            "2023-09-07T12:45:59.7672071734Z",
            "12023-09-07T12:45:59Z",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn numbers_are_plain_and_in_their_shortest_form() {
        assert_eq!(number("height", "0"), Ok(0));
        assert_eq!(number("height", "18446744073709551615"), Ok(u64::MAX));
        for wrong in ["", "01", "+1", "-1", "1.0", "0x1", "18446744073709551616", " 1"] {
            assert_eq!(number("height", wrong), Err(malformed("height")), "{wrong}");
        }
    }
}
