//! Polkadot-family block in a recording: `{number, hash, header, extrinsics, readProof, votes?}`, header and extrinsics as
//! in `chain_getBlock`, read proof as the node list in `state_getReadProof`. Votes are the set's number and authorities,
//! and the proof as in `grandpa_proveFinality`.

use serde_json::{Value, json};
use superroot_chain::UntrustedBlock;
use superroot_chain::ledger::polkadot::RawPolkadotBlock;

use crate::error::SourceError;
use crate::recorded::Capture;

/// Reads the block. For a trimmed capture, the header only.
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

pub(crate) fn write(raw: &RawPolkadotBlock) -> (Value, Value) {
    let mut block = json!(raw);
    if let Some(members) = block.as_object_mut() {
        members.insert("number".to_owned(), json!(raw.header.number));
    }
    (block, Value::Null)
}
