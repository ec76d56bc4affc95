//! A block of the ICP ledger in the file of a recording: `{number, hash, raw}`, the plain hex of the encoded
//! block.

use serde::Deserialize;
use serde_json::{Value, json};
use superroot_chain::UntrustedBlock;
use superroot_chain::icp::RawIcpBlock;
use superroot_types::BlockNumber;

use crate::error::SourceError;
use crate::recorded::Capture;

/// The block as a source gives it out.
pub(crate) fn read(capture: &Capture) -> Result<UntrustedBlock, SourceError> {
    read_raw(capture).map(|raw| UntrustedBlock::Icp(Box::new(raw)))
}

pub(super) fn read_raw(capture: &Capture) -> Result<RawIcpBlock, SourceError> {
    #[derive(Deserialize)]
    struct Raw {
        raw: String,
    }
    let (number, hash) = capture.block_id()?;
    let hash = hash.ok_or_else(|| capture.wrong("block.hash is missing"))?;
    let Raw { raw } = capture.parse(&capture.block)?;
    let is_plain = raw.bytes().all(|byte| byte.is_ascii_hexdigit());
    let bytes = const_hex::decode(&raw).ok().filter(|_| is_plain);
    let bytes = bytes.ok_or_else(|| capture.wrong("block.raw is no hex"))?;
    Ok(RawIcpBlock { number: BlockNumber(number), hash, bytes })
}

/// `block` and `receipts` of a capture.
pub(crate) fn write(raw: &RawIcpBlock) -> (Value, Value) {
    let bytes = const_hex::encode(&raw.bytes);
    (json!({ "number": raw.number, "hash": raw.hash, "raw": bytes }), Value::Null)
}
