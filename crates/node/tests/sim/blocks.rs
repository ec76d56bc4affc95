//! Blocks by the thousand: signed transactions and receipts of a simulated chain, put together anew
//! under headers of any number and parent. Everything that a verifier checks is real.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use serde_json::json;
use superroot_chain::ledger::cosmos::RawCosmosBlock;
use superroot_chain::ledger::evm::encode;
use superroot_chain::ledger::evm::raw::{
    RawBlock, RawEvmBlock, RawEvmTransaction, RawLog, RawReceipt, RawTransactions,
};
use superroot_chain::{ChainSpec, UntrustedBlock};
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::evm::{Bloom, Layout, transaction_hash};
use superroot_proof::mpt::OrderedTrie;
use superroot_source::BlockSource;
use superroot_source::simulated::{SimulatedChain, SimulatedConfig};
use superroot_types::{BlockNumber, Family, Hash, ManualClock, UnixSeconds};

use crate::dice::Dice;
use crate::ledgers;

/// Time of every ledger's first block.
pub(crate) const GENESIS: u64 = 1_700_000_000;

/// Simulated blocks whose transactions are used.
const SOURCE_BLOCKS: u64 = 48;

/// Most transactions of one block.
const ENTRIES_MAX: u64 = 4;

/// One number in so many has a body that nodes do not show as this build knows it.
const ODD_EVERY: u64 = 11;

/// How all nodes of a chain show a block's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Oddity {
    /// The last transaction and its receipt have a type that this build does not know.
    UnknownType,
    /// A fork counts gas anew: the receipts do not have the header's root.
    OtherGas,
    /// The places of receipts and logs are nonsense, which no hash binds.
    Places,
    /// No receipts, until the faults are over.
    NoReceipts,
    /// An error in place of receipts, until the faults are over.
    ReceiptsError,
    /// Status 403 where receipts are asked for, until the faults are over.
    ReceiptsForbidden,
}

impl Oddity {
    const ALL: [Self; 6] = [
        Self::UnknownType,
        Self::OtherGas,
        Self::Places,
        Self::NoReceipts,
        Self::ReceiptsError,
        Self::ReceiptsForbidden,
    ];
}

/// A type of transactions that no chain of this build has.
const UNKNOWN_TYPE: u64 = 0x7d;

/// A transaction and its receipt, not yet in a block.
struct Entry {
    transaction: RawEvmTransaction,
    receipt: RawReceipt,
    gas_used: u64,
}

/// What blocks of one chain are made of.
pub(crate) struct Quarry {
    header: RawBlock,
    entries: Vec<Entry>,
}

/// The quarry of a chain, made once a process: signatures are dear.
pub(crate) fn quarry(row: &ChainSpec) -> Arc<Quarry> {
    static MADE: OnceLock<Mutex<BTreeMap<u64, Arc<Quarry>>>> = OnceLock::new();
    let mut made = MADE.get_or_init(Mutex::default).lock().unwrap();
    made.entry(row.id.0).or_insert_with(|| Arc::new(Quarry::open(row))).clone()
}

impl Quarry {
    fn open(row: &ChainSpec) -> Self {
        let config = SimulatedConfig { reorgs: false, ..SimulatedConfig::new(9, UnixSeconds(0)) };
        let clock = Arc::new(ManualClock::at(UnixSeconds(1_000_000)));
        let chain = SimulatedChain::new(row, config, clock).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut blocks = (1..=SOURCE_BLOCKS).map(|number| {
            let fetched = runtime.block_on(chain.fetch_whole(BlockNumber(number)));
            match fetched.unwrap().unwrap() {
                UntrustedBlock::Evm(raw) => *raw,
                _ => unreachable!("a simulated chain has Ethereum's blocks"),
            }
        });
        let first = blocks.next().unwrap();
        let header = RawBlock { transactions: RawTransactions::Absent, ..first.block.clone() };
        let entries = std::iter::once(first).chain(blocks).flat_map(entries_of).collect();
        Self { header, entries }
    }

    /// Some log of some transaction; `None` where that one has none.
    pub(crate) fn log_at(&self, place: u64) -> Option<&RawLog> {
        let logs = &self.entries[(place % self.entries.len() as u64) as usize].receipt.logs;
        logs.get((place / 1_024) as usize % logs.len().max(1))
    }
}

fn entries_of(raw: RawEvmBlock) -> Vec<Entry> {
    let RawTransactions::Full(transactions) = raw.block.transactions else { unreachable!() };
    let both = transactions.into_iter().zip(raw.receipts.unwrap());
    let entry = |(transaction, receipt): (RawEvmTransaction, RawReceipt)| {
        let gas_used = receipt.gas_used.unwrap();
        Entry { transaction, receipt, gas_used }
    };
    both.map(entry).collect()
}

/// A block as nodes of its ledger know it.
pub(crate) enum Raw {
    Evm(Box<RawBlock>),
    Cosmos(Box<RawCosmosBlock>),
    /// A slot of Solana, of which nodes know no more than its hash and its parent's.
    Slot,
}

/// A block, with everything that was put into it.
pub(crate) struct Block {
    pub(crate) number: u64,
    pub(crate) hash: Hash,
    pub(crate) parent: Hash,
    /// Of Ethereum's ledger alone.
    pub(crate) receipts: Vec<RawReceipt>,
    pub(crate) transaction_leaves: Vec<Vec<u8>>,
    pub(crate) receipt_leaves: Vec<Vec<u8>>,
    pub(crate) transaction_hashes: Vec<Hash>,
    /// Transactions of its line up to and with its own.
    used: usize,
    pub(crate) raw: Raw,
    json: [OnceLock<String>; 3],
}

impl Block {
    /// Of Ethereum's ledger.
    fn evm(&self) -> &RawBlock {
        let Raw::Evm(raw) = &self.raw else { unreachable!("it is of another ledger") };
        raw
    }

    /// Whether its ledger has receipts, and proves events and absence.
    pub(crate) fn has_receipts(&self) -> bool {
        matches!(self.raw, Raw::Evm(_))
    }

    /// What is odd about its body, as every node shows it.
    pub(crate) fn oddity(&self) -> Option<Oddity> {
        let is_odd = self.number % ODD_EVERY == 7 && !self.receipts.is_empty();
        is_odd.then(|| Oddity::ALL[usize::from(self.hash.0[0]) % Oddity::ALL.len()])
    }

    fn has_unknown_type(&self) -> bool {
        self.oddity() == Some(Oddity::UnknownType)
    }

    /// Hash of the transaction of a type that this build does not know.
    fn unknown_hash(&self) -> Hash {
        keccak256(&self.hash.0)
    }

    /// Hashes of its transactions, as nodes show them.
    pub(crate) fn shown_hashes(&self) -> Vec<Hash> {
        let mut hashes = self.transaction_hashes.clone();
        if self.has_unknown_type() {
            *hashes.last_mut().unwrap() = self.unknown_hash();
        }
        hashes
    }

    /// As `eth_getBlockByNumber` shows it with every transaction.
    pub(crate) fn full_json(&self) -> &str {
        self.json[0].get_or_init(|| {
            let mut block = self.evm().clone();
            if let (true, RawTransactions::Full(list)) =
                (self.has_unknown_type(), &mut block.transactions)
            {
                let last = list.last_mut().unwrap();
                (last.tx_type, last.hash) = (Some(UNKNOWN_TYPE), self.unknown_hash());
            }
            serde_json::to_string(&block).unwrap()
        })
    }

    /// Its receipts, as nodes show them.
    pub(crate) fn shown_receipts(&self) -> Vec<RawReceipt> {
        let mut receipts = self.receipts.clone();
        let Some(last) = receipts.last_mut() else { return receipts };
        match self.oddity() {
            Some(Oddity::UnknownType) => {
                last.tx_type = Some(UNKNOWN_TYPE);
                last.transaction_hash = Some(self.unknown_hash());
            }
            Some(Oddity::OtherGas) => {
                last.cumulative_gas_used += 1;
                last.gas_used = None;
            }
            Some(Oddity::Places) => {
                last.transaction_index = Some(u32::MAX.into());
                for log in &mut last.logs {
                    log.transaction_index = Some(0);
                    log.log_index_in_block = Some(7);
                }
            }
            _ => {}
        }
        receipts
    }

    /// As `eth_getBlockByNumber` shows it with hashes alone.
    pub(crate) fn header_json(&self) -> &str {
        self.json[1].get_or_init(|| {
            let mut block =
                json!(RawBlock { transactions: RawTransactions::Absent, ..self.evm().clone() });
            block["transactions"] = json!(self.shown_hashes());
            block.to_string()
        })
    }

    /// As `eth_getBlockReceipts` shows its receipts.
    pub(crate) fn receipts_json(&self) -> &str {
        self.json[2].get_or_init(|| serde_json::to_string(&self.shown_receipts()).unwrap())
    }
}

/// Makes the blocks of one run's chain, on as many branches as are wanted.
pub(crate) struct Mason {
    row: ChainSpec,
    /// Of Ethereum's ledger.
    quarry: Option<Arc<Quarry>>,
    /// In which order a line's transactions come.
    order: Vec<usize>,
    dice: Dice,
    block_seconds: u64,
}

impl Mason {
    pub(crate) fn new(row: &ChainSpec, mut dice: Dice) -> Self {
        let quarry = (row.family() == Family::Evm).then(|| quarry(row));
        let order = quarry.as_ref().map_or(Vec::new(), |quarry| dice.order(quarry.entries.len()));
        let block_seconds = (row.block_time_ms / 1_000).max(1);
        Self { row: row.clone(), quarry, order, dice, block_seconds }
    }

    /// The first block of a ledger.
    pub(crate) fn first(&mut self, number: u64) -> Arc<Block> {
        self.block(number, Hash([7; 32]), 0)
    }

    /// A block on that one, unlike any other.
    pub(crate) fn child(&mut self, parent: &Block) -> Arc<Block> {
        self.block(parent.number + 1, parent.hash, parent.used)
    }

    fn block(&mut self, number: u64, parent: Hash, used: usize) -> Arc<Block> {
        match self.quarry.clone() {
            Some(quarry) => self.evm_block(&quarry, number, parent, used),
            None => self.other_block(number, parent),
        }
    }

    fn other_block(&mut self, number: u64, parent: Hash) -> Arc<Block> {
        let parts = ledgers::make(&self.row, number, parent, self.block_seconds, &mut self.dice);
        Arc::new(Block {
            number,
            hash: parts.hash,
            parent: parts.parent,
            receipts: Vec::new(),
            transaction_leaves: parts.transactions,
            receipt_leaves: Vec::new(),
            transaction_hashes: parts.transaction_hashes,
            used: 0,
            raw: parts.raw,
            json: Default::default(),
        })
    }

    fn evm_block(&mut self, quarry: &Quarry, number: u64, parent: Hash, used: usize) -> Arc<Block> {
        let left = (self.order.len() - used) as u64;
        let count = self.dice.below(ENTRIES_MAX + 1).min(left) as usize;
        let chosen = &self.order[used..used + count];
        let entries = chosen.iter().map(|index| &quarry.entries[*index]);
        let mark = self.dice.below(u64::MAX);
        let mut receipts: Vec<RawReceipt> = Vec::new();
        let (mut bloom, mut gas_used) = (Bloom::ZERO, 0);
        let mut transactions: Vec<RawEvmTransaction> = Vec::new();
        for Entry { transaction, receipt, gas_used: own_gas } in entries {
            gas_used += own_gas;
            bloom.accrue(&Bloom(receipt.logs_bloom.0.0));
            receipts.push(RawReceipt { cumulative_gas_used: gas_used, ..receipt.clone() });
            transactions.push(transaction.clone());
        }
        let ours = |bytes: Result<Vec<u8>, _>| bytes.expect("every field is in range");
        let transaction_leaves: Vec<Vec<u8>> =
            transactions.iter().map(|raw| ours(encode::transaction(raw))).collect();
        let receipt_leaves: Vec<Vec<u8>> =
            receipts.iter().map(|raw| ours(encode::receipt(raw))).collect();
        let mut raw = RawBlock {
            number,
            parent_hash: parent,
            timestamp: GENESIS + number * self.block_seconds,
            extra_data: mark.to_be_bytes().to_vec().into(),
            transactions_root: OrderedTrie::build(&transaction_leaves).root(),
            receipts_root: OrderedTrie::build(&receipt_leaves).root(),
            logs_bloom: bloom.0.into(),
            gas_used,
            ..quarry.header.clone()
        };
        let hash = keccak256(&ours(encode::header(&raw, Layout::Ethereum)));
        raw.hash = Some(hash);
        claim(&mut transactions, &mut receipts, hash, number);
        let transaction_hashes =
            transaction_leaves.iter().map(|leaf| transaction_hash(leaf)).collect();
        raw.transactions = RawTransactions::Full(transactions);
        Arc::new(Block {
            number,
            hash,
            parent,
            receipts,
            transaction_leaves,
            receipt_leaves,
            transaction_hashes,
            used: used + count,
            raw: Raw::Evm(Box::new(raw)),
            json: Default::default(),
        })
    }
}

/// Writes into every part where it belongs, as nodes do.
fn claim(
    transactions: &mut [RawEvmTransaction],
    receipts: &mut [RawReceipt],
    hash: Hash,
    number: u64,
) {
    let (block_hash, block_number) = (Some(hash), Some(number));
    let mut log_index_in_block = 0..;
    for (index, (transaction, receipt)) in (0..).zip(transactions.iter_mut().zip(receipts)) {
        (transaction.block_hash, transaction.block_number) = (block_hash, block_number);
        transaction.transaction_index = Some(index);
        (receipt.block_hash, receipt.block_number) = (block_hash, block_number);
        receipt.transaction_index = Some(index);
        for log in &mut receipt.logs {
            (log.block_hash, log.block_number) = (block_hash, block_number);
            log.transaction_index = Some(index);
            log.log_index_in_block = log_index_in_block.next();
        }
    }
}
