//! Cosmos-family block in a recording: `{number, hash, header, txs?, commit?}`. Header and transactions as sent by nodes;
//! header-only recordings have no `txs`. A commit has the validators of its height.

use serde_json::{Value, json};
use superroot_chain::UntrustedBlock;
use superroot_chain::ledger::cosmos::RawCosmosBlock;

use crate::error::SourceError;
use crate::recorded::Capture;

pub(crate) fn read(capture: &Capture) -> Result<UntrustedBlock, SourceError> {
    read_raw(capture).map(|raw| UntrustedBlock::Cosmos(Box::new(raw)))
}

pub(super) fn read_raw(capture: &Capture) -> Result<RawCosmosBlock, SourceError> {
    let (number, _) = capture.block_id()?;
    let raw: RawCosmosBlock = capture.parse(&capture.block)?;
    if raw.header.height != number.to_string() {
        return Err(capture.wrong("block.header.height is another than block.number"));
    }
    Ok(raw)
}

pub(crate) fn write(raw: &RawCosmosBlock) -> (Value, Value) {
    let number: u64 = raw.header.height.parse().unwrap_or_default();
    let mut block = json!({ "number": number, "hash": raw.hash, "header": raw.header });
    if let (Some(members), Some(txs)) = (block.as_object_mut(), &raw.txs) {
        members.insert("txs".into(), json!(txs));
    }
    if let (Some(members), Some(commit)) = (block.as_object_mut(), &raw.commit) {
        members.insert("commit".into(), json!(commit));
    }
    (block, Value::Null)
}
