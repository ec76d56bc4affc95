//! EVM-family block in a recording: block and receipts are the node's unmodified JSON.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use superroot_chain::UntrustedBlock;
use superroot_chain::ledger::evm::raw::{RawBlock, RawEvmBlock, RawReceipt, RawTransactions};

use crate::error::SourceError;
use crate::ledger::ReceivedBlock;
use crate::recorded::Capture;

/// JSON object with values in the original text.
pub(super) type Members = BTreeMap<String, Box<RawValue>>;

/// Reads the block. An unreadable part of the body is left out.
pub(crate) fn read(capture: &Capture) -> Result<ReceivedBlock, SourceError> {
    let (mut block, mut fault) = match capture.parse::<RawBlock>(&capture.block) {
        Ok(block) => (block, None),
        Err(error) => match read_header(capture) {
            Ok(header) => (header, Some(error)),
            Err(_) => return Err(error),
        },
    };
    let mut receipts: Option<Vec<RawReceipt>> = None;
    if capture.is_trimmed() {
        block.transactions = RawTransactions::Absent;
    } else if let Some(sent) = &capture.receipts {
        match capture.parse_named("receipts", sent) {
            Ok(list) => receipts = list,
            Err(error) => fault = fault.or(Some(error)),
        }
    }
    let block = UntrustedBlock::Evm(Box::new(RawEvmBlock { block, receipts }));
    Ok(ReceivedBlock { block, fault })
}

/// Header of a block with unreadable transactions.
fn read_header(capture: &Capture) -> Result<RawBlock, SourceError> {
    let mut members: Members = capture.parse(&capture.block)?;
    members.remove("transactions");
    let json =
        serde_json::to_string(&members).map_err(|error| capture.wrong(&error.to_string()))?;
    serde_json::from_str(&json).map_err(|error| capture.wrong(&error.to_string()))
}

pub(crate) fn write(raw: &RawEvmBlock) -> (Value, Value) {
    (json!(raw.block), json!(raw.receipts))
}

/// Block as a node's answer: transactions in full as far as captured, or as hashes. For a trimmed capture, the header
/// only.
pub(super) fn block_members(capture: &Capture, full: bool) -> Result<Members, SourceError> {
    let mut members: Members = capture.parse(&capture.block)?;
    if capture.is_trimmed() {
        members.remove("transactions");
    }
    if let Some(transactions) = members.get_mut("transactions").filter(|_| !full) {
        *transactions = hashes_of(transactions);
    }
    Ok(members)
}

pub(super) fn receipts(capture: &Capture) -> Option<&RawValue> {
    capture.receipts.as_deref().filter(|_| !capture.is_trimmed())
}

/// Transactions as a node's answer; `None` if incomplete or not a list.
pub(super) fn transactions(capture: &Capture) -> Option<Vec<&RawValue>> {
    #[derive(Deserialize)]
    struct EvmCapture<'a> {
        #[serde(borrow)]
        transactions: Vec<&'a RawValue>,
    }
    let block: EvmCapture<'_> = capture.parse(&capture.block).ok()?;
    (!capture.is_trimmed()).then_some(block.transactions)
}

/// Transaction hashes; a value other than a list of objects stays the same.
fn hashes_of(transactions: &RawValue) -> Box<RawValue> {
    #[derive(Deserialize, Serialize)]
    struct Hashed {
        hash: Box<RawValue>,
    }
    let list = serde_json::from_str::<Vec<Hashed>>(transactions.get());
    let hashes = list.map(|list| list.into_iter().map(|one| one.hash).collect::<Vec<_>>());
    let hashes = hashes.and_then(|hashes| serde_json::value::to_raw_value(&hashes));
    hashes.unwrap_or_else(|_| transactions.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capture(json: &str) -> Capture {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn transactions_become_hashes_and_large_numbers_stay_exact() {
        let capture = capture(
            r#"{"chainId":1,"block":{"number":"0x1","total":58750003716598352816469,
                "transactions":[{"hash":"0xaa","v":1},{"hash":"0xbb"}]},"receipts":null}"#,
        );
        let members = block_members(&capture, false).unwrap();
        assert_eq!(members["transactions"].get(), r#"["0xaa","0xbb"]"#);
        assert_eq!(members["total"].get(), "58750003716598352816469");
        assert!(block_members(&capture, true).unwrap()["transactions"].get().contains("\"v\":1"));
        assert!(receipts(&capture).is_none());
    }

    #[test]
    fn a_trimmed_capture_gives_its_header_alone() {
        let json = |trimmed: &str| {
            format!(
                r#"{{"chainId":1,{trimmed}"block":{{"number":7,"transactions":[]}},"receipts":[]}}"#
            )
        };
        let trimmed = capture(&json(r#""trimmed":"part","#));
        assert!(!block_members(&trimmed, true).unwrap().contains_key("transactions"));
        assert!(receipts(&trimmed).is_none());
        let whole = capture(&json(""));
        assert!(block_members(&whole, true).unwrap().contains_key("transactions"));
        assert!(receipts(&whole).is_some());
    }
}
