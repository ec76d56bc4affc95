//! Bitcoin-family block in a recording: `{number, hash, raw}`, hash in internal byte order, hex from `getblock` or
//! `getblockheader`.

use serde::Deserialize;
use serde_json::{Value, json};
use superroot_chain::UntrustedBlock;
use superroot_chain::ledger::bitcoin::RawBitcoinBlock;
use superroot_types::BlockNumber;

use super::parse_bytes;
use crate::error::SourceError;
use crate::recorded::Capture;

pub(crate) fn read(capture: &Capture) -> Result<UntrustedBlock, SourceError> {
    read_raw(capture).map(|raw| UntrustedBlock::Bitcoin(Box::new(raw)))
}

pub(super) fn read_raw(capture: &Capture) -> Result<RawBitcoinBlock, SourceError> {
    #[derive(Deserialize)]
    struct BitcoinCapture {
        raw: String,
    }
    let (number, hash) = capture.block_id()?;
    let hash = hash.ok_or_else(|| capture.wrong("block.hash is missing"))?;
    let BitcoinCapture { raw } = capture.parse(&capture.block)?;
    let bytes = parse_bytes(&raw).ok_or_else(|| capture.wrong("block.raw is no hex"))?;
    Ok(RawBitcoinBlock { number: BlockNumber(number), hash, bytes })
}

pub(crate) fn write(raw: &RawBitcoinBlock) -> (Value, Value) {
    let bytes = const_hex::encode(&raw.bytes);
    (json!({ "number": raw.number, "hash": raw.hash, "raw": bytes }), Value::Null)
}
