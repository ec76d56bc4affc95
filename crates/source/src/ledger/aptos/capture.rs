//! Aptos block in a recording: `{number, hash, parentHash, timestampUs, versions?, ledgerInfo?}`, with `versions` as
//! `{firstVersion, frozen, infos, events?}`: roots of the perfect subtrees before the block, highest first; each
//! `TransactionInfo` and `ContractEvent` in BCS, as hex. Without `versions`, only the root is recorded. `ledgerInfo` is
//! `LedgerInfoWithSignatures` about the block, in BCS.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use superroot_chain::UntrustedBlock;
use superroot_chain::ledger::aptos::{RawAptosBlock, RawVersions};
use superroot_types::{BlockNumber, Hash};

use crate::error::SourceError;
use crate::recorded::Capture;

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct CapturedVersions {
    first_version: u64,
    frozen: Vec<Hash>,
    infos: Vec<String>,
    /// A list per info; `null` if the events were not kept.
    #[serde(default)]
    events: Option<Vec<Option<Vec<String>>>>,
}

pub(crate) fn read(capture: &Capture) -> Result<UntrustedBlock, SourceError> {
    read_raw(capture).map(|raw| UntrustedBlock::Aptos(Box::new(raw)))
}

pub(super) fn read_raw(capture: &Capture) -> Result<RawAptosBlock, SourceError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct AptosCapture {
        parent_hash: Hash,
        timestamp_us: u64,
        #[serde(default)]
        versions: Option<CapturedVersions>,
        #[serde(default)]
        ledger_info: Option<String>,
    }
    let (number, hash) = capture.block_id()?;
    let hash = hash.ok_or_else(|| capture.wrong("block.hash is missing"))?;
    let AptosCapture { parent_hash, timestamp_us, versions, ledger_info } =
        capture.parse(&capture.block)?;
    let versions = versions.map(|versions| raw(capture, versions)).transpose()?;
    let ledger_info = ledger_info.map(const_hex::decode).transpose();
    let ledger_info = ledger_info.map_err(|_| capture.wrong("block.ledgerInfo is no hex"))?;
    let number = BlockNumber(number);
    Ok(RawAptosBlock { number, hash, parent_hash, timestamp_us, versions, ledger_info })
}

fn raw(capture: &Capture, versions: CapturedVersions) -> Result<RawVersions, SourceError> {
    let CapturedVersions { first_version, frozen, infos, events } = versions;
    let bytes = |field: &str, at: usize, text: &String| {
        let wrong = |_| capture.wrong(&format!("block.versions.{field}[{at}] is no hex"));
        const_hex::decode(text).map_err(wrong)
    };
    let events = events.unwrap_or_else(|| vec![None; infos.len()]);
    let infos = infos.iter().enumerate().map(|(at, text)| bytes("infos", at, text));
    let events = events.iter().enumerate().map(|(at, list)| {
        let list = list.as_ref();
        list.map(|list| list.iter().map(|text| bytes("events", at, text)).collect()).transpose()
    });
    Ok(RawVersions {
        first_version,
        frozen,
        infos: infos.collect::<Result<_, _>>()?,
        events: events.collect::<Result<_, _>>()?,
    })
}

pub(crate) fn write(raw: &RawAptosBlock) -> (Value, Value) {
    let mut block = json!({
        "number": raw.number,
        "hash": raw.hash,
        "parentHash": raw.parent_hash,
        "timestampUs": raw.timestamp_us,
    });
    if let (Some(members), Some(versions)) = (block.as_object_mut(), &raw.versions) {
        let hex = |list: &[Vec<u8>]| list.iter().map(const_hex::encode).collect();
        let events = versions.events.iter().map(|list| list.as_deref().map(hex));
        let versions = CapturedVersions {
            first_version: versions.first_version,
            frozen: versions.frozen.clone(),
            infos: hex(&versions.infos),
            events: Some(events.collect()),
        };
        members.insert("versions".into(), json!(versions));
    }
    if let (Some(members), Some(signed)) = (block.as_object_mut(), &raw.ledger_info) {
        members.insert("ledgerInfo".into(), json!(const_hex::encode(signed)));
    }
    (block, Value::Null)
}
