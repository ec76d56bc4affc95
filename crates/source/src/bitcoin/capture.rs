//! A block of the Bitcoin family in the file of a recording: `{number, hash, raw}`, the hash as it is
//! hashed, and the hex of what `getblock` or `getblockheader` gave.

use serde::Deserialize;
use serde_json::{Value, json};
use superroot_chain::UntrustedBlock;
use superroot_chain::bitcoin::RawBitcoinBlock;
use superroot_types::BlockNumber;

use super::parse_bytes;
use crate::error::SourceError;
use crate::recorded::Capture;

/// The block as a source gives it out.
pub(crate) fn read(capture: &Capture) -> Result<UntrustedBlock, SourceError> {
    read_raw(capture).map(|raw| UntrustedBlock::Bitcoin(Box::new(raw)))
}

pub(super) fn read_raw(capture: &Capture) -> Result<RawBitcoinBlock, SourceError> {
    #[derive(Deserialize)]
    struct Raw {
        raw: String,
    }
    let (number, hash) = capture.block_id()?;
    let hash = hash.ok_or_else(|| capture.wrong("block.hash is missing"))?;
    let Raw { raw } = capture.parse(&capture.block)?;
    let bytes = parse_bytes(&raw).ok_or_else(|| capture.wrong("block.raw is no hex"))?;
    Ok(RawBitcoinBlock { number: BlockNumber(number), hash, bytes })
}

/// `block` and `receipts` of a capture.
pub(crate) fn write(raw: &RawBitcoinBlock) -> (Value, Value) {
    let bytes = const_hex::encode(&raw.bytes);
    (json!({ "number": raw.number, "hash": raw.hash, "raw": bytes }), Value::Null)
}
