//! Tron block in a recording: `{number, hash, header, signature?, transactions?, run?}`, with consensus bytes in hex: the
//! message `BlockHeader.raw`, and each message `Transaction`. Header-only recordings have no `transactions`. A run is a list
//! of `{header, signature}`.

use serde::Deserialize;
use serde_json::{Value, json};
use superroot_chain::UntrustedBlock;
use superroot_chain::ledger::tron::{RawTronBlock, RawTronHeader};
use superroot_types::BlockNumber;

use crate::error::SourceError;
use crate::recorded::Capture;

pub(crate) fn read(capture: &Capture) -> Result<UntrustedBlock, SourceError> {
    read_raw(capture).map(|raw| UntrustedBlock::Tron(Box::new(raw)))
}

pub(super) fn read_raw(capture: &Capture) -> Result<RawTronBlock, SourceError> {
    #[derive(Deserialize)]
    struct TronCapture {
        header: String,
        #[serde(default)]
        signature: Option<String>,
        #[serde(default)]
        transactions: Option<Vec<String>>,
        #[serde(default)]
        run: Vec<TronHeaderCapture>,
    }
    #[derive(Deserialize)]
    struct TronHeaderCapture {
        header: String,
        signature: String,
    }
    let (number, hash) = capture.block_id()?;
    let hash = hash.ok_or_else(|| capture.wrong("block.hash is missing"))?;
    let TronCapture { header, signature, transactions, run } = capture.parse(&capture.block)?;
    let bytes = |field: &str, text: &str| {
        const_hex::decode(text).map_err(|_| capture.wrong(&format!("block.{field} is no hex")))
    };
    let header = bytes("header", &header)?;
    let transactions = transactions.map(|list| {
        let one = |(at, text): (usize, &String)| bytes(&format!("transactions[{at}]"), text);
        list.iter().enumerate().map(one).collect()
    });
    let transactions = transactions.transpose()?;
    let signature = signature.map(|text| bytes("signature", &text)).transpose()?;
    let signed = |(at, TronHeaderCapture { header, signature }): (usize, &TronHeaderCapture)| {
        let header = bytes(&format!("run[{at}].header"), header)?;
        let signature = bytes(&format!("run[{at}].signature"), signature)?;
        Ok(RawTronHeader { header, signature })
    };
    let run = run.iter().enumerate().map(signed).collect::<Result<_, SourceError>>()?;
    Ok(RawTronBlock { number: BlockNumber(number), hash, header, signature, transactions, run })
}

pub(crate) fn write(raw: &RawTronBlock) -> (Value, Value) {
    let mut block = json!({
        "number": raw.number,
        "hash": raw.hash,
        "header": const_hex::encode(&raw.header),
    });
    let Some(members) = block.as_object_mut() else { return (block, Value::Null) };
    if let Some(signature) = &raw.signature {
        members.insert("signature".into(), json!(const_hex::encode(signature)));
    }
    if let Some(list) = &raw.transactions {
        let list: Vec<String> = list.iter().map(const_hex::encode).collect();
        members.insert("transactions".into(), json!(list));
    }
    if !raw.run.is_empty() {
        let one = |RawTronHeader { header, signature }: &RawTronHeader| {
            let (header, signature) = (const_hex::encode(header), const_hex::encode(signature));
            json!({ "header": header, "signature": signature })
        };
        members.insert("run".into(), raw.run.iter().map(one).collect());
    }
    (block, Value::Null)
}
