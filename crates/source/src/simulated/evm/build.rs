//! Builds a block as sent by a node from planned transactions, with everything checked by a verifier.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use alloy_primitives::{B64, Bloom, Bytes, U256};
use superroot_chain::finality::{HISTORY_STEP, history_numbers};
use superroot_chain::ledger::evm::encode;
use superroot_chain::ledger::evm::raw::{
    RawBlock, RawEvmBlock, RawEvmTransaction, RawReceipt, RawTransactions,
};
use superroot_chain::{ChainError, UntrustedBlock};
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::evm;
use superroot_proof::ledger::evm::{HISTORY_BLOCKS, Layout};
use superroot_proof::mpt::{EMPTY_ROOT, OrderedTrie};
use superroot_types::{Address, BlockNumber, Hash, UnixSeconds};

use super::super::Size;
use super::super::entropy::Entropy;
use super::super::history::{Build, ParentState};
use super::super::schedule::{ForkBranch, Schedule};
use super::rollup::{KeptHashes, RollupView, ethereum_state, history_state};
use super::votes::SimulatedValidators;
use super::wallet::SimulatedWallet;
use super::world::{ACCOUNTS, BlockContext, GAS_LIMIT, Planned, World};

/// Base fee of block 0, in wei per gas.
const FIRST_BASE_FEE: u64 = 1_000_000_000;

/// SHA-256 of the empty string: hash for no execution requests (EIP-7685).
const NO_REQUESTS: Hash = Hash(
    alloy_primitives::b256!("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855").0,
);

#[derive(Debug)]
pub(in super::super) struct SimulatedChainBuilder {
    chain_id: u64,
    entropy: Entropy,
    schedule: Schedule,
    size: Size,
    accounts: Vec<SimulatedWallet>,
    addresses: Vec<Address>,
    layout: Layout,
    /// On chains with votes in their headers.
    validators: Option<SimulatedValidators>,
    /// On Ethereum, rollups with registries there.
    rollups: Vec<RollupView>,
    /// Whether hashes of earlier blocks are in the state (EIP-2935).
    keeps_history: bool,
}

/// State for the next block, besides the hash.
#[derive(Clone, Debug)]
pub(in super::super) struct SimulatedState {
    base_fee: u64,
    /// Hash of the parent's parent.
    grandparent_hash: Hash,
    world: World,
    /// Hashes in the history contract, and the state with them.
    kept: KeptHashes,
    history_root: Hash,
}

impl SimulatedChainBuilder {
    pub(in super::super) fn new(
        chain_id: u64,
        entropy: Entropy,
        schedule: Schedule,
        size: Size,
    ) -> Self {
        let accounts = (0..ACCOUNTS as u64).map(|index| SimulatedWallet::new(&entropy, index));
        let accounts: Vec<SimulatedWallet> = accounts.collect();
        let addresses = accounts.iter().map(|account| account.address).collect();
        let validators = SimulatedValidators::of_chain(chain_id);
        let (rollups, keeps_history) = (Vec::new(), false);
        Self {
            chain_id,
            entropy,
            schedule,
            size,
            accounts,
            addresses,
            layout: Layout::Ethereum,
            validators,
            rollups,
            keeps_history,
        }
    }

    /// With headers in this layout: Ethereum's or AuRa's.
    pub(in super::super) fn with_layout(self, layout: Layout) -> Self {
        Self { layout, ..self }
    }

    /// With hashes of earlier blocks in the state.
    pub(in super::super) fn with_history(self, keeps_history: bool) -> Self {
        Self { keeps_history, ..self }
    }

    /// With registries of rollups in the state.
    pub(in super::super) fn with_rollups(self, rollups: Vec<RollupView>) -> Self {
        Self { rollups, ..self }
    }

    /// State root of a block; without contracts a random hash.
    fn state_root(
        &self,
        state: &SimulatedState,
        number: u64,
        timestamp: u64,
        random: impl FnOnce() -> Hash,
    ) -> Hash {
        if self.keeps_history && history_numbers(BlockNumber(number)).is_empty() {
            return state.history_root;
        }
        if self.keeps_history {
            return history_state(number, &state.kept).root();
        }
        match self.rollups.is_empty() {
            true => random(),
            false => ethereum_state(&self.rollups, UnixSeconds(timestamp)).root(),
        }
    }

    /// Header without the fields derived from the body.
    fn header(
        &self,
        before: &ParentState<SimulatedState>,
        branch: ForkBranch,
        timestamp: u64,
    ) -> RawBlock {
        let number = before.number;
        let purpose = branch.name();
        let extra_data = match &self.validators {
            Some(validators) => {
                let source = before.state.grandparent_hash;
                let votes =
                    (branch == ForkBranch::Canonical).then_some((source, before.parent_hash));
                validators.extra_data(number, votes).into()
            }
            None => Bytes::from_static(b"superroot simulated"),
        };
        let random = |field: &str| self.entropy.hash(&format!("{purpose} {field}"), number);
        let block = RawBlock {
            parent_hash: before.parent_hash,
            sha3_uncles: Some(keccak256(&[0xc0])),
            miner: self.addresses[(number % ACCOUNTS as u64) as usize],
            state_root: self.state_root(&before.state, number, timestamp, || random("state")),
            transactions_root: EMPTY_ROOT,
            receipts_root: EMPTY_ROOT,
            logs_bloom: Bloom::ZERO,
            difficulty: Some(U256::ZERO),
            number,
            gas_limit: Some(GAS_LIMIT),
            timestamp,
            extra_data,
            mix_hash: Some(random("randao")),
            nonce: Some(B64::ZERO),
            base_fee_per_gas: Some(before.state.base_fee),
            withdrawals_root: Some(EMPTY_ROOT),
            blob_gas_used: Some(0),
            excess_blob_gas: Some(0),
            parent_beacon_block_root: Some(random("beacon")),
            requests_hash: Some(NO_REQUESTS),
            withdrawals: Some(Vec::new()),
            ..RawBlock::default()
        };
        match self.layout {
            Layout::Aura => with_aura_seal(block, random("seal")),
            _ => block,
        }
    }

    /// Signs the transactions and writes the receipts.
    fn body(&self, base_fee: u64, planned: Vec<Planned>) -> SimulatedBody {
        let mut body = SimulatedBody::new();
        for Planned { sender, nonce, order, gas_used, succeeds, logs } in planned {
            let account = &self.accounts[sender];
            let mut transaction = account.transaction(self.chain_id, nonce, base_fee, order);
            let leaf = ours(encode::transaction(&transaction));
            transaction.hash = evm::transaction_hash(&leaf);
            body.gas_used += gas_used;
            let mut bloom = evm::Bloom::ZERO;
            for log in &logs {
                bloom.insert(log.address.as_ref());
                log.topics.iter().for_each(|topic| bloom.insert(topic.as_ref()));
            }
            body.bloom.accrue(&bloom);
            let receipt = RawReceipt {
                transaction_hash: Some(transaction.hash),
                tx_type: transaction.tx_type,
                status: Some(succeeds.into()),
                cumulative_gas_used: body.gas_used,
                gas_used: Some(gas_used),
                logs_bloom: bloom.0.into(),
                logs,
                ..RawReceipt::default()
            };
            body.transaction_leaves.push(leaf);
            body.receipt_leaves.push(ours(encode::receipt(&receipt)));
            body.transactions.push(transaction);
            body.receipts.push(receipt);
        }
        body
    }
}

/// Header with an AuRa seal, and without the fields since Shanghai.
fn with_aura_seal(block: RawBlock, random: Hash) -> RawBlock {
    RawBlock {
        step: Some(block.timestamp),
        signature: Some([&random.0.repeat(2)[..], &[0]].concat().into()),
        mix_hash: None,
        nonce: None,
        withdrawals_root: None,
        blob_gas_used: None,
        excess_blob_gas: None,
        parent_beacon_block_root: None,
        requests_hash: None,
        withdrawals: None,
        ..block
    }
}

impl Build for SimulatedChainBuilder {
    type State = SimulatedState;

    fn first(&self) -> (Hash, SimulatedState) {
        let state = SimulatedState {
            base_fee: FIRST_BASE_FEE,
            grandparent_hash: Hash::ZERO,
            world: World::new(),
            kept: KeptHashes::default(),
            history_root: history_state(0, &BTreeMap::new()).root(),
        };
        (Hash::ZERO, state)
    }

    fn next(
        &self,
        before: &ParentState<SimulatedState>,
        branch: ForkBranch,
    ) -> (UntrustedBlock, ParentState<SimulatedState>) {
        let number = before.number;
        let SimulatedState { base_fee, world, kept, .. } = &before.state;
        let base_fee = *base_fee;
        let purpose = branch.name();
        let timestamp = self.schedule.timestamp(number);
        let moment = BlockContext {
            chain_id: self.chain_id,
            number,
            timestamp,
            elapsed: timestamp - self.schedule.timestamp(number.saturating_sub(1)),
            base_fee,
            size: self.size,
        };
        let mut world = world.clone();
        let planned = world.advance(&self.addresses, moment, self.entropy.rng(purpose, number));
        let mut body = self.body(base_fee, planned);

        let block = self.header(before, branch, timestamp);
        let mut block = RawBlock {
            transactions_root: OrderedTrie::build(&body.transaction_leaves).root(),
            receipts_root: OrderedTrie::build(&body.receipt_leaves).root(),
            logs_bloom: body.bloom.0.into(),
            gas_used: body.gas_used,
            ..block
        };
        let hash = keccak256(&ours(encode::header(&block, self.layout)));
        body.claim(hash, number);
        block.hash = Some(hash);
        block.transactions = RawTransactions::Full(body.transactions);
        let after = ParentState {
            number: number + 1,
            parent_hash: hash,
            state: SimulatedState {
                base_fee: next_base_fee(base_fee, body.gas_used),
                grandparent_hash: before.parent_hash,
                world,
                kept: kept_with(kept, number, hash, self.keeps_history),
                history_root: block.state_root,
            },
        };
        let block = RawEvmBlock { block, receipts: Some(body.receipts) };
        (UntrustedBlock::Evm(Box::new(block)), after)
    }
}

/// Hashes of earlier blocks with this block's, if needed in later states.
fn kept_with(kept: &KeptHashes, number: u64, hash: Hash, keeps_history: bool) -> KeptHashes {
    let mut kept = Arc::clone(kept);
    if keeps_history && number.is_multiple_of(HISTORY_STEP) {
        let hashes = Arc::make_mut(&mut kept);
        hashes.insert(number, hash);
        *hashes = hashes.split_off(&number.saturating_sub(HISTORY_BLOCKS));
    }
    kept
}

/// Transactions and receipts of a block, with the derived header fields.
struct SimulatedBody {
    transactions: Vec<RawEvmTransaction>,
    transaction_leaves: Vec<Vec<u8>>,
    receipts: Vec<RawReceipt>,
    receipt_leaves: Vec<Vec<u8>>,
    bloom: evm::Bloom,
    gas_used: u64,
}

impl SimulatedBody {
    const fn new() -> Self {
        Self {
            transactions: Vec::new(),
            transaction_leaves: Vec::new(),
            receipts: Vec::new(),
            receipt_leaves: Vec::new(),
            bloom: evm::Bloom::ZERO,
            gas_used: 0,
        }
    }

    /// Writes block hash and number into every part, as nodes do.
    fn claim(&mut self, block_hash: Hash, number: u64) {
        let mut log_index_in_block = 0..;
        let both = self.transactions.iter_mut().zip(&mut self.receipts);
        for (tx_index, (transaction, receipt)) in (0..).zip(both) {
            let block_hash = Some(block_hash);
            let number = Some(number);
            let tx_index = Some(tx_index);
            transaction.block_hash = block_hash;
            transaction.block_number = number;
            transaction.transaction_index = tx_index;
            receipt.block_hash = block_hash;
            receipt.block_number = number;
            receipt.transaction_index = tx_index;
            for log in &mut receipt.logs {
                log.block_hash = block_hash;
                log.block_number = number;
                log.transaction_hash = Some(transaction.hash);
                log.transaction_index = tx_index;
                log.log_index_in_block = log_index_in_block.next();
            }
        }
    }
}

/// Base fee of the next block (EIP-1559).
fn next_base_fee(base_fee: u64, gas_used: u64) -> u64 {
    let target = GAS_LIMIT / 2;
    let part = |gas: u64| {
        let part = u128::from(base_fee) * u128::from(gas) / u128::from(target) / 8;
        u64::try_from(part).unwrap_or(u64::MAX)
    };
    match gas_used.cmp(&target) {
        Ordering::Equal => base_fee,
        Ordering::Greater => base_fee.saturating_add(part(gas_used - target).max(1)),
        Ordering::Less => base_fee - part(target - gas_used),
    }
}

/// Unwraps bytes encoded from generated data.
fn ours(bytes: Result<Vec<u8>, ChainError>) -> Vec<u8> {
    bytes.expect("what was made here has every field in range")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_fee_follows_eip_1559() {
        assert_eq!(next_base_fee(1_000_000_000, GAS_LIMIT), 1_125_000_000);
        assert_eq!(next_base_fee(1_000_000_000, 0), 875_000_000);
        assert_eq!(next_base_fee(1_000_000_000, GAS_LIMIT / 2), 1_000_000_000);
        assert_eq!(next_base_fee(7, 0), 7, "rounding stops the fall");
        assert_eq!(next_base_fee(7, GAS_LIMIT), 8, "a full block always raises it");
        assert_eq!(next_base_fee(u64::MAX, GAS_LIMIT), u64::MAX);
    }
}
