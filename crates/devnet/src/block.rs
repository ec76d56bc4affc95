//! Blocks: header, transactions and receipts.

use alloy_consensus::proofs::{calculate_receipt_root, calculate_transaction_root};
use alloy_consensus::{
    BlockHeader, EMPTY_OMMER_ROOT_HASH, Header, Receipt, ReceiptEnvelope, ReceiptWithBloom,
    Transaction as _, TxEnvelope, TxType,
};
use alloy_eips::eip1559::{BaseFeeParams, calc_next_block_base_fee};
use alloy_primitives::{Address, B256, Bloom, Bytes, Log, U256, address, b256};
use alloy_rpc_types_eth as rpc;
use alloy_trie::EMPTY_ROOT_HASH;

use crate::pool::PooledTransaction;
use crate::state::Executed;

/// Blocks between head and finalized block.
pub(crate) const FINALITY_DEPTH: u64 = 8;
pub(crate) const GAS_LIMIT: u64 = 30_000_000;
/// Base fee of block 0, in wei per gas.
const FIRST_BASE_FEE: u64 = 1_000_000_000;
const PRODUCER: Address = address!("00000000000000000000000000000000000d3700");
/// SHA-256 of nothing: no execution requests (EIP-7685).
const NO_REQUESTS: B256 = b256!("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");

/// Block as nodes answer it.
#[derive(Clone, Debug)]
pub(crate) struct SealedBlock {
    pub(crate) header: rpc::Header,
    pub(crate) transactions: Vec<rpc::Transaction>,
    pub(crate) receipts: Vec<rpc::TransactionReceipt>,
}

/// Transaction with the result.
pub(crate) type Included = (PooledTransaction, Executed);

/// The next block's header, before the body is known.
pub(crate) fn next_header(parent: Option<&rpc::Header>, timestamp: u64) -> Header {
    let base_fee = parent.map_or(FIRST_BASE_FEE, |parent| {
        let base_fee = parent.base_fee_per_gas().unwrap_or(FIRST_BASE_FEE);
        let used = parent.gas_used();
        calc_next_block_base_fee(used, GAS_LIMIT, base_fee, BaseFeeParams::ethereum())
    });
    Header {
        parent_hash: parent.map_or(B256::ZERO, |parent| parent.hash),
        ommers_hash: EMPTY_OMMER_ROOT_HASH,
        beneficiary: PRODUCER,
        transactions_root: EMPTY_ROOT_HASH,
        receipts_root: EMPTY_ROOT_HASH,
        number: parent.map_or(0, |parent| parent.number().saturating_add(1)),
        gas_limit: GAS_LIMIT,
        timestamp,
        extra_data: Bytes::from_static(b"superroot devnet"),
        base_fee_per_gas: Some(base_fee),
        withdrawals_root: Some(EMPTY_ROOT_HASH),
        blob_gas_used: Some(0),
        excess_blob_gas: Some(0),
        parent_beacon_block_root: Some(B256::ZERO),
        requests_hash: Some(NO_REQUESTS),
        ..Header::default()
    }
}

/// Completes a block.
pub(crate) fn seal(mut header: Header, state_root: B256, included: Vec<Included>) -> SealedBlock {
    let mut gas_used = 0_u64;
    let mut receipts = Vec::with_capacity(included.len());
    for (transaction, executed) in &included {
        gas_used = gas_used.saturating_add(executed.gas_used);
        receipts.push(receipt(transaction.envelope.tx_type(), executed, gas_used));
    }
    let envelopes: Vec<TxEnvelope> =
        included.iter().map(|(transaction, _)| transaction.envelope.clone()).collect();
    header.state_root = state_root;
    header.transactions_root = calculate_transaction_root(&envelopes);
    header.receipts_root = calculate_receipt_root(&receipts);
    header.logs_bloom = receipts.iter().fold(Bloom::ZERO, |bloom, one| bloom | *one.logs_bloom());
    header.gas_used = gas_used;
    let header = rpc::Header::new(header);
    let mut first_log = 0_u64;
    let mut sealed = SealedBlock { header, transactions: Vec::new(), receipts: Vec::new() };
    for ((index, (transaction, executed)), receipt) in (0..).zip(included).zip(receipts) {
        let place = Place { header: &sealed.header, index, first_log };
        first_log = first_log.saturating_add(u64::try_from(executed.logs.len()).unwrap_or(0));
        let shown = place.receipt(&transaction, &executed, receipt);
        let transaction = place.transaction(transaction);
        sealed.receipts.push(shown);
        sealed.transactions.push(transaction);
    }
    sealed
}

fn receipt(tx_type: TxType, executed: &Executed, cumulative_gas_used: u64) -> ReceiptEnvelope {
    let status = executed.is_success.into();
    let receipt = Receipt { status, cumulative_gas_used, logs: executed.logs.clone() };
    envelope(tx_type, receipt.with_bloom())
}

fn envelope<T>(tx_type: TxType, receipt: ReceiptWithBloom<Receipt<T>>) -> ReceiptEnvelope<T> {
    match tx_type {
        TxType::Eip2930 => ReceiptEnvelope::Eip2930(receipt),
        TxType::Eip1559 => ReceiptEnvelope::Eip1559(receipt),
        // other types are not taken into the pool
        TxType::Legacy | TxType::Eip4844 | TxType::Eip7702 => ReceiptEnvelope::Legacy(receipt),
    }
}

/// A transaction's place.
struct Place<'a> {
    header: &'a rpc::Header,
    index: u64,
    /// Position of the first log in the block.
    first_log: u64,
}

impl Place<'_> {
    fn fee(&self, envelope: &TxEnvelope) -> u128 {
        envelope.effective_gas_price(self.header.base_fee_per_gas())
    }

    fn transaction(&self, of: PooledTransaction) -> rpc::Transaction {
        rpc::Transaction {
            block_hash: Some(self.header.hash),
            block_number: Some(self.header.number()),
            transaction_index: Some(self.index),
            effective_gas_price: Some(self.fee(&of.envelope)),
            block_timestamp: Some(self.header.timestamp()),
            inner: alloy_consensus::transaction::Recovered::new_unchecked(of.envelope, of.sender),
        }
    }

    fn log(&self, at: u64, transaction_hash: B256, log: Log) -> rpc::Log {
        rpc::Log {
            inner: log,
            block_hash: Some(self.header.hash),
            block_number: Some(self.header.number()),
            block_timestamp: Some(self.header.timestamp()),
            transaction_hash: Some(transaction_hash),
            transaction_index: Some(self.index),
            log_index: Some(self.first_log.saturating_add(at)),
            removed: false,
        }
    }

    fn receipt(
        &self,
        of: &PooledTransaction,
        executed: &Executed,
        receipt: ReceiptEnvelope,
    ) -> rpc::TransactionReceipt {
        let tx_type = of.envelope.tx_type();
        let transaction_hash = of.hash();
        let logs = (0..).zip(executed.logs.iter().cloned());
        let logs = logs.map(|(at, log)| self.log(at, transaction_hash, log)).collect();
        let cumulative_gas_used = receipt.cumulative_gas_used();
        let shown = Receipt { status: executed.is_success.into(), cumulative_gas_used, logs };
        let logs_bloom = *receipt.logs_bloom();
        rpc::TransactionReceipt {
            inner: envelope(tx_type, ReceiptWithBloom { receipt: shown, logs_bloom }),
            transaction_hash,
            transaction_index: Some(self.index),
            block_hash: Some(self.header.hash),
            block_number: Some(self.header.number()),
            gas_used: executed.gas_used,
            effective_gas_price: self.fee(&of.envelope),
            blob_gas_used: None,
            blob_gas_price: None,
            from: of.sender,
            to: of.envelope.to(),
            contract_address: executed.created,
        }
    }
}

impl SealedBlock {
    /// Block as `eth_getBlockByNumber` answers it.
    pub(crate) fn shown(&self, is_full: bool) -> rpc::Block {
        let transactions = match is_full {
            true => rpc::BlockTransactions::Full(self.transactions.clone()),
            false => rpc::BlockTransactions::Hashes(
                self.receipts.iter().map(|receipt| receipt.transaction_hash).collect(),
            ),
        };
        let header = rpc::Header { total_difficulty: Some(U256::ZERO), ..self.header.clone() };
        let withdrawals = Some(alloy_eips::eip4895::Withdrawals::default());
        rpc::Block { header, uncles: Vec::new(), transactions, withdrawals }
    }
}
