//! Solana-family block in a recording: `{number, hash, slot, parent_slot, previous_blockhash, block_time, entries}`,
//! hash in hex as in every recording, other hashes as written by nodes. `entries` is null if unavailable.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use superroot_chain::UntrustedBlock;
use superroot_chain::ledger::solana::RawSolanaBlock;
use superroot_types::{BlockNumber, Hash};

use super::{ShownEntry, base58, read_entries};
use crate::error::SourceError;
use crate::recorded::Capture;

#[derive(Serialize, Deserialize)]
struct SolanaCapture {
    slot: u64,
    parent_slot: u64,
    #[serde(with = "base58")]
    previous_blockhash: Hash,
    /// Unix seconds; 0 if unknown.
    #[serde(default)]
    block_time: u64,
    #[serde(default)]
    entries: Option<Vec<ShownEntry>>,
}

pub(crate) fn read(capture: &Capture) -> Result<UntrustedBlock, SourceError> {
    read_raw(capture).map(|raw| UntrustedBlock::Solana(Box::new(raw)))
}

pub(super) fn read_raw(capture: &Capture) -> Result<RawSolanaBlock, SourceError> {
    let (number, hash) = capture.block_id()?;
    let hash = hash.ok_or_else(|| capture.wrong("block.hash is missing"))?;
    let block: SolanaCapture = capture.parse(&capture.block)?;
    let entries = block.entries.as_deref().map(read_entries).transpose();
    Ok(RawSolanaBlock {
        number: BlockNumber(number),
        slot: block.slot,
        parent_slot: block.parent_slot,
        hash,
        parent_hash: block.previous_blockhash,
        time: block.block_time,
        entries: entries.map_err(|why| capture.wrong(&format!("block.{why}")))?,
    })
}

pub(crate) fn write(raw: &RawSolanaBlock) -> (Value, Value) {
    let recorded = SolanaCapture {
        slot: raw.slot,
        parent_slot: raw.parent_slot,
        previous_blockhash: raw.parent_hash,
        block_time: raw.time,
        entries: raw.entries.as_ref().map(|all| all.iter().map(ShownEntry::of).collect()),
    };
    let mut block = serde_json::to_value(recorded).unwrap_or_default();
    if let Value::Object(members) = &mut block {
        members.insert("number".to_owned(), raw.number.0.into());
        members.insert("hash".to_owned(), raw.hash.to_string().into());
    }
    (block, Value::Null)
}
