//! ICP ledger block in a recording: `{number, hash, raw}`, with the encoded block in plain hex.

use serde::Deserialize;
use serde_json::{Value, json};
use superroot_chain::UntrustedBlock;
use superroot_chain::ledger::icp::RawIcpBlock;
use superroot_types::BlockNumber;

use crate::error::SourceError;
use crate::recorded::Capture;

pub(crate) fn read(capture: &Capture) -> Result<UntrustedBlock, SourceError> {
    read_raw(capture).map(|raw| UntrustedBlock::Icp(Box::new(raw)))
}

pub(super) fn read_raw(capture: &Capture) -> Result<RawIcpBlock, SourceError> {
    #[derive(Deserialize)]
    struct IcpCapture {
        raw: String,
    }
    let (number, hash) = capture.block_id()?;
    let hash = hash.ok_or_else(|| capture.wrong("block.hash is missing"))?;
    let IcpCapture { raw } = capture.parse(&capture.block)?;
    let is_plain = raw.bytes().all(|byte| byte.is_ascii_hexdigit());
    let bytes = const_hex::decode(&raw).ok().filter(|_| is_plain);
    let bytes = bytes.ok_or_else(|| capture.wrong("block.raw is no hex"))?;
    Ok(RawIcpBlock { number: BlockNumber(number), hash, bytes, certificate: None })
}

pub(crate) fn write(raw: &RawIcpBlock) -> (Value, Value) {
    let bytes = const_hex::encode(&raw.bytes);
    (json!({ "number": raw.number, "hash": raw.hash, "raw": bytes }), Value::Null)
}
