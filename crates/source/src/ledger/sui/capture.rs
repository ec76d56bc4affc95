//! Sui checkpoint in a recording: `{number, hash, summary, signature?, contents?, transactions?}`, each part in BCS as
//! hex. A transaction is `{transaction, effects, events?}`, a signature `{epoch, signature, signers}`. Summary-only
//! recordings omit the last two.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use superroot_chain::UntrustedBlock;
use superroot_chain::ledger::sui::{Certificate, RawContents, RawSuiBlock, RawSuiTransaction};
use superroot_proof::ledger::sui::Header;

use crate::error::SourceError;
use crate::recorded::Capture;

#[derive(Serialize, Deserialize)]
struct InHex(#[serde(with = "const_hex")] Vec<u8>);

#[derive(Serialize, Deserialize)]
struct CapturedTransaction {
    transaction: InHex,
    effects: InHex,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    events: Option<InHex>,
}

#[derive(Serialize, Deserialize)]
struct Signature {
    epoch: u64,
    signature: InHex,
    signers: InHex,
}

#[derive(Serialize, Deserialize)]
struct CapturedParts {
    summary: InHex,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signature: Option<Signature>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    contents: Option<InHex>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    transactions: Option<Vec<CapturedTransaction>>,
}

pub(crate) fn read(capture: &Capture) -> Result<UntrustedBlock, SourceError> {
    read_raw(capture).map(|raw| UntrustedBlock::Sui(Box::new(raw)))
}

pub(super) fn read_raw(capture: &Capture) -> Result<RawSuiBlock, SourceError> {
    let (number, hash) = capture.block_id()?;
    let digest = hash.ok_or_else(|| capture.wrong("block.hash is missing"))?;
    let CapturedParts { summary, signature, contents, transactions } =
        capture.parse(&capture.block)?;
    let named = Header::decode(&summary.0).map(|header| header.sequence_number);
    if named != Ok(number) {
        return Err(capture.wrong("block.number is not that of block.summary"));
    }
    let certificate = signature.map(|one| Certificate {
        epoch: one.epoch,
        signature: one.signature.0,
        signers: one.signers.0,
    });
    let contents = match (contents, transactions) {
        (None, None) => None,
        (Some(contents), Some(transactions)) => {
            let raw = |one: CapturedTransaction| RawSuiTransaction {
                transaction: one.transaction.0,
                effects: one.effects.0,
                events: one.events.map(|events| events.0),
            };
            let transactions = transactions.into_iter().map(raw).collect();
            Some(RawContents { contents: contents.0, transactions })
        }
        (None, Some(_)) => return Err(capture.wrong("block.contents is missing")),
        (Some(_), None) => return Err(capture.wrong("block.transactions is missing")),
    };
    Ok(RawSuiBlock { digest, summary: summary.0, certificate, contents })
}

pub(crate) fn write(raw: &RawSuiBlock) -> (Value, Value) {
    let RawSuiBlock { digest, summary, certificate, contents } = raw.clone();
    let number = Header::decode(&summary).map_or(0, |header| header.sequence_number);
    let signature = certificate.map(|one| Signature {
        epoch: one.epoch,
        signature: InHex(one.signature),
        signers: InHex(one.signers),
    });
    let (contents, transactions) = contents.map_or((None, None), |contents| {
        let RawContents { contents, transactions } = contents;
        let written = |one: RawSuiTransaction| CapturedTransaction {
            transaction: InHex(one.transaction),
            effects: InHex(one.effects),
            events: one.events.map(InHex),
        };
        (Some(InHex(contents)), Some(transactions.into_iter().map(written).collect()))
    });
    let mut block =
        json!(CapturedParts { summary: InHex(summary), signature, contents, transactions });
    if let Some(members) = block.as_object_mut() {
        members.insert("number".into(), json!(number));
        members.insert("hash".into(), json!(digest));
    }
    (block, Value::Null)
}
