//! Blocks for tests, made as a node would send them and let in by the chain's own gate.

use serde_json::{Value, json};
use superroot_chain::finality::{Candidate, FinalityAnchor, OneSource, check};
use superroot_chain::ledger::evm::encode;
use superroot_chain::ledger::evm::raw::{
    RawEvmBlock, RawEvmTransaction, RawReceipt, RawTransactions,
};
use superroot_chain::{
    ChainRegistry, ChainSpec, EvidenceVerdict, Extent, FinalBlock, FinalityEvidence,
    UntrustedBlock, VerifiedBlock, verify,
};
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::evm::Layout;
use superroot_proof::mpt::OrderedTrie;

/// What a block is made of.
#[derive(Clone, Copy)]
pub(crate) struct Recipe {
    pub(crate) number: u64,
    pub(crate) tx_count: u64,
    /// Another salt gives another block with the same transactions.
    pub(crate) salt: u64,
    /// Nonce of the first transaction.
    pub(crate) first_nonce: u64,
    pub(crate) extent: Extent,
}

pub(crate) const BOTH: Extent = Extent { transactions: true, receipts: true };

#[allow(dead_code)] // not every test is about parts
pub(crate) const EXTENTS: [Extent; 4] = [
    Extent { transactions: false, receipts: false },
    Extent { transactions: true, receipts: false },
    Extent { transactions: false, receipts: true },
    BOTH,
];

impl Recipe {
    pub(crate) fn new(number: u64, tx_count: u64) -> Self {
        Self { number, tx_count, salt: 0, first_nonce: number * 1_000, extent: BOTH }
    }

    pub(crate) fn verified(self) -> VerifiedBlock {
        let block = verify(ethereum(), &UntrustedBlock::Evm(Box::new(self.raw()))).unwrap();
        assert_eq!(block.extent(), self.extent);
        block
    }

    fn raw(self) -> RawEvmBlock {
        let transactions: Vec<RawEvmTransaction> =
            (0..self.tx_count).map(|index| transaction(self.first_nonce + index)).collect();
        let receipts: Vec<RawReceipt> = (1..=self.tx_count).map(receipt).collect();
        let leaves = |leaf: &dyn Fn(usize) -> Vec<u8>| {
            let leaves: Vec<_> = (0..transactions.len()).map(leaf).collect();
            OrderedTrie::build(&leaves).root()
        };
        let transactions_root = leaves(&|index| encode::transaction(&transactions[index]).unwrap());
        let receipts_root = leaves(&|index| encode::receipt(&receipts[index]).unwrap());
        let block = json!({
            "parentHash": hash(self.number), "sha3Uncles": hash(1), "miner": address(),
            "stateRoot": hash(2), "transactionsRoot": transactions_root,
            "receiptsRoot": receipts_root, "logsBloom": bloom(), "difficulty": "0x0",
            "number": quantity(self.number), "gasLimit": "0x1c9c380",
            "gasUsed": quantity(21_000 * self.tx_count), "timestamp": quantity(1_700_000_000),
            "extraData": format!("0x{:016x}", self.salt), "mixHash": hash(3),
            "nonce": "0x0000000000000000", "baseFeePerGas": "0x7",
        });
        let mut raw = RawEvmBlock { block: serde_json::from_value(block).unwrap(), receipts: None };
        raw.block.hash = Some(keccak256(&encode::header(&raw.block, Layout::Ethereum).unwrap()));
        if self.extent.transactions {
            raw.block.transactions = RawTransactions::Full(transactions);
        }
        raw.receipts = self.extent.receipts.then_some(receipts);
        raw
    }
}

fn ethereum() -> &'static ChainSpec {
    ChainRegistry::builtin().find("ethereum").unwrap()
}

fn transaction(nonce: u64) -> RawEvmTransaction {
    let raw: Value = json!({
        "hash": hash(0), "type": "0x0", "nonce": quantity(nonce), "gas": "0x5208",
        "gasPrice": "0x7", "to": address(), "value": "0x1", "input": "0x", "v": "0x25",
        "r": "0x1", "s": "0x1",
    });
    let mut raw: RawEvmTransaction = serde_json::from_value(raw).unwrap();
    raw.hash = keccak256(&encode::transaction(&raw).unwrap());
    raw
}

fn receipt(place: u64) -> RawReceipt {
    let raw = json!({
        "type": "0x0", "status": "0x1", "cumulativeGasUsed": quantity(21_000 * place),
        "logsBloom": bloom(), "logs": [],
    });
    serde_json::from_value(raw).unwrap()
}

fn quantity(value: u64) -> String {
    format!("{value:#x}")
}

fn hash(value: u64) -> String {
    format!("0x{value:064x}")
}

fn address() -> String {
    format!("0x{}", "11".repeat(20))
}

fn bloom() -> String {
    format!("0x{}", "00".repeat(256))
}

/// The same as a final block, on the word of its only source.
#[allow(dead_code)] // not every test has final blocks
pub(crate) fn as_final(block: &VerifiedBlock) -> FinalBlock {
    final_by(evidence(), block.clone().into())
}

#[allow(dead_code)]
pub(crate) fn final_by(evidence: FinalityEvidence, candidate: Candidate) -> FinalBlock {
    let now = superroot_types::UnixSeconds(0);
    match check(evidence, vec![candidate], &FinalityAnchor::OneSource, now) {
        EvidenceVerdict::Final(mut blocks) => blocks.remove(0),
        refused => panic!("{refused:?}"),
    }
}

#[allow(dead_code)]
pub(crate) fn evidence() -> FinalityEvidence {
    FinalityEvidence::OneSource(OneSource { name: "test".into(), rule: "as recorded".into() })
}
