//! Tron block in a recording: `{number, hash, header, transactions?}`, with consensus bytes in hex: the message
//! `BlockHeader.raw`, and each message `Transaction`. Header-only recordings have no `transactions`.

use serde::Deserialize;
use serde_json::{Value, json};
use superroot_chain::UntrustedBlock;
use superroot_chain::ledger::tron::RawTronBlock;
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
        transactions: Option<Vec<String>>,
    }
    let (number, hash) = capture.block_id()?;
    let hash = hash.ok_or_else(|| capture.wrong("block.hash is missing"))?;
    let TronCapture { header, transactions } = capture.parse(&capture.block)?;
    let bytes = |field: &str, text: &str| {
        const_hex::decode(text).map_err(|_| capture.wrong(&format!("block.{field} is no hex")))
    };
    let header = bytes("header", &header)?;
    let transactions = transactions.map(|list| {
        let one = |(at, text): (usize, &String)| bytes(&format!("transactions[{at}]"), text);
        list.iter().enumerate().map(one).collect()
    });
    let transactions = transactions.transpose()?;
    Ok(RawTronBlock { number: BlockNumber(number), hash, header, transactions })
}

pub(crate) fn write(raw: &RawTronBlock) -> (Value, Value) {
    let mut block = json!({
        "number": raw.number,
        "hash": raw.hash,
        "header": const_hex::encode(&raw.header),
    });
    if let (Some(members), Some(list)) = (block.as_object_mut(), &raw.transactions) {
        let list: Vec<String> = list.iter().map(const_hex::encode).collect();
        members.insert("transactions".into(), json!(list));
    }
    (block, Value::Null)
}
