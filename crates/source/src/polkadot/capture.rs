//! A block of the Polkadot family in the file of a recording: `{number, hash, header, extrinsics,
//! readProof}`, header and extrinsics as `chain_getBlock` gives them, the read proof the list of nodes
//! that `state_getReadProof` gives.

use serde_json::{Value, json};
use superroot_chain::UntrustedBlock;
use superroot_chain::polkadot::RawPolkadotBlock;

use crate::error::SourceError;
use crate::recorded::Capture;

/// The block as a source gives it out. Of a capture that shows part of the extrinsics, the header alone.
pub(crate) fn read(capture: &Capture) -> Result<UntrustedBlock, SourceError> {
    read_raw(capture).map(|raw| UntrustedBlock::Polkadot(Box::new(raw)))
}

pub(super) fn read_raw(capture: &Capture) -> Result<RawPolkadotBlock, SourceError> {
    let raw: RawPolkadotBlock = capture.parse(&capture.block)?;
    Ok(if capture.is_trimmed() {
        RawPolkadotBlock { extrinsics: None, read_proof: None, ..raw }
    } else {
        raw
    })
}

/// `block` and `receipts` of a capture.
pub(crate) fn write(raw: &RawPolkadotBlock) -> (Value, Value) {
    let mut block = json!(raw);
    if let Some(members) = block.as_object_mut() {
        members.insert("number".to_owned(), json!(raw.header.number));
    }
    (block, Value::Null)
}
