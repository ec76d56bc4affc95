//! A block of the EVM family in the file of a recording: block and receipts are the node's JSON,
//! untouched.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use superroot_chain::UntrustedBlock;
use superroot_chain::evm::raw::{RawBlock, RawEvmBlock, RawReceipt, RawTransactions};

use crate::error::SourceError;
use crate::ledger::Given;
use crate::recorded::Capture;

/// A JSON object whose values stay as they were written.
pub(super) type Members = BTreeMap<String, Box<RawValue>>;

/// The block as a source gives it out. A body of a form that is not read here costs that part of the
/// body alone.
pub(crate) fn read(capture: &Capture) -> Result<Given, SourceError> {
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
    Ok(Given { block, fault })
}

/// The header of a block whose transactions cannot be read.
fn read_header(capture: &Capture) -> Result<RawBlock, SourceError> {
    let mut members: Members = capture.parse(&capture.block)?;
    members.remove("transactions");
    let json =
        serde_json::to_string(&members).map_err(|error| capture.wrong(&error.to_string()))?;
    serde_json::from_str(&json).map_err(|error| capture.wrong(&error.to_string()))
}

/// `block` and `receipts` of a capture.
pub(crate) fn write(raw: &RawEvmBlock) -> (Value, Value) {
    (json!(raw.block), json!(raw.receipts))
}

/// The block as a node answers it: transactions in full as far as they were captured, or as hashes.
/// Of a capture that shows part of the transactions, the header alone.
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

/// The receipts as a node answers them.
pub(super) fn receipts(capture: &Capture) -> Option<&RawValue> {
    capture.receipts.as_deref().filter(|_| !capture.is_trimmed())
}

/// The transactions as a node answers them; `None` where they are not all there, or are no list.
pub(super) fn transactions(capture: &Capture) -> Option<Vec<&RawValue>> {
    #[derive(Deserialize)]
    struct Block<'a> {
        #[serde(borrow)]
        transactions: Vec<&'a RawValue>,
    }
    let block: Block<'_> = capture.parse(&capture.block).ok()?;
    (!capture.is_trimmed()).then_some(block.transactions)
}

/// The hashes of a list of transactions; what is not a list of objects stays as it is.
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
