//! Transactions that wait for a block.

use alloy_consensus::{Transaction, TxEnvelope};
use alloy_eips::eip2718::Decodable2718;
use alloy_primitives::{Address, B256, U256};
use revm::context_interface::cfg::gas::calculate_initial_tx_gas;

use crate::error::DevnetError;
use crate::state::{SPEC, State};

/// Most waiting transactions.
const WAITING_MAX: usize = 4_096;
/// Most bytes of a transaction.
const BYTES_MAX: usize = 256 << 10;
/// Farthest nonce ahead of the account's.
const AHEAD_MAX: u64 = 64;

/// Signed transaction with the sender.
#[derive(Clone, Debug)]
pub(crate) struct PooledTransaction {
    pub(crate) envelope: TxEnvelope,
    pub(crate) sender: Address,
    pub(crate) raw: Vec<u8>,
}

impl PooledTransaction {
    /// Reads a transaction for a chain.
    ///
    /// # Errors
    /// [`DevnetError::Refused`].
    pub(crate) fn read(raw: &[u8], chain_id: u64) -> Result<Self, DevnetError> {
        let refused = |why: String| DevnetError::Refused(why);
        if raw.len() > BYTES_MAX {
            return Err(refused(format!("oversized data: {} bytes, limit {BYTES_MAX}", raw.len())));
        }
        let mut rest = raw;
        let envelope = TxEnvelope::decode_2718(&mut rest)
            .map_err(|error| refused(format!("no transaction: {error}")))?;
        if !rest.is_empty() {
            return Err(refused("no transaction: bytes behind the end".to_owned()));
        }
        if !matches!(
            envelope,
            TxEnvelope::Legacy(_) | TxEnvelope::Eip2930(_) | TxEnvelope::Eip1559(_)
        ) {
            return Err(refused("transaction type not supported".to_owned()));
        }
        if envelope.chain_id() != Some(chain_id) {
            return Err(refused(format!("invalid chain id, expected {chain_id}")));
        }
        let signature = envelope.signature();
        // a high s is another signature of the same transaction (EIP-2)
        let is_low = signature.normalize_s().is_none();
        let sender = signature.recover_address_from_prehash(&envelope.signature_hash()).ok();
        let sender = sender.filter(|_| is_low);
        let sender = sender.ok_or_else(|| refused("invalid signature".to_owned()))?;
        Ok(Self { envelope, sender, raw: raw.to_vec() })
    }

    pub(crate) fn hash(&self) -> B256 {
        *self.envelope.tx_hash()
    }

    /// Gas before the first instruction, or the floor of the call data (EIP-7623), whichever is more.
    fn least_gas(&self) -> u64 {
        let transaction = &self.envelope;
        let accounts = transaction.access_list().map_or(0, |list| list.len() as u64);
        let slots = transaction.access_list().map_or(0, |list| list.storage_keys_count() as u64);
        let is_create = transaction.is_create();
        let gas = calculate_initial_tx_gas(
            SPEC,
            transaction.input(),
            is_create,
            accounts,
            slots,
            0,
            None,
        );
        gas.initial_total_gas().max(gas.floor_gas())
    }
}

/// Waiting transactions, by time of arrival.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    waiting: Vec<PooledTransaction>,
}

impl Pool {
    /// Takes a transaction.
    ///
    /// # Errors
    /// [`DevnetError::Refused`], in the words of usual nodes.
    pub(crate) fn take(
        &mut self,
        new: PooledTransaction,
        state: &State,
        gas_limit: u64,
    ) -> Result<(), DevnetError> {
        let refused = |why: String| Err(DevnetError::Refused(why));
        let next = state.nonce(new.sender);
        let transaction = &new.envelope;
        let nonce = transaction.nonce();
        if self.waiting.iter().any(|waiting| waiting.hash() == new.hash()) {
            return refused("already known".to_owned());
        }
        if nonce < next {
            return refused(format!("nonce too low: next nonce {next}, tx nonce {nonce}"));
        }
        if nonce > next.saturating_add(AHEAD_MAX) {
            return refused(format!("nonce too high: next nonce {next}, tx nonce {nonce}"));
        }
        if transaction.gas_limit() > gas_limit {
            return refused("exceeds block gas limit".to_owned());
        }
        let least = new.least_gas();
        if transaction.gas_limit() < least {
            let have = transaction.gas_limit();
            return refused(format!("intrinsic gas too low: have {have}, want {least}"));
        }
        let fee = transaction.max_fee_per_gas();
        let cost = U256::from(fee).saturating_mul(U256::from(transaction.gas_limit()));
        if state.balance(new.sender) < cost.saturating_add(transaction.value()) {
            return refused("insufficient funds for gas * price + value".to_owned());
        }
        let is_same = |waiting: &PooledTransaction| {
            waiting.sender == new.sender && waiting.envelope.nonce() == nonce
        };
        if let Some(at) = self.waiting.iter().position(is_same) {
            let before = self.waiting.get(at).map_or(0, |before| before.envelope.max_fee_per_gas());
            if fee < before.saturating_add(before.div_ceil(10)) {
                return refused("replacement transaction underpriced".to_owned());
            }
            self.waiting.remove(at);
        } else if self.waiting.len() >= WAITING_MAX {
            return refused("txpool is full".to_owned());
        }
        self.waiting.push(new);
        Ok(())
    }

    /// Removes the next executable transaction: the account's next nonce, a high enough fee, and room in the block.
    pub(crate) fn next(
        &mut self,
        state: &State,
        base_fee: u64,
        gas_left: u64,
    ) -> Option<PooledTransaction> {
        let is_next = |waiting: &PooledTransaction| {
            let transaction = &waiting.envelope;
            transaction.nonce() == state.nonce(waiting.sender)
                && transaction.max_fee_per_gas() >= u128::from(base_fee)
                && transaction.gas_limit() <= gas_left
        };
        let at = self.waiting.iter().position(is_next)?;
        Some(self.waiting.remove(at))
    }

    /// Removes transactions with a used nonce.
    pub(crate) fn forget_used(&mut self, state: &State) {
        self.waiting.retain(|waiting| waiting.envelope.nonce() >= state.nonce(waiting.sender));
    }

    /// Nonce after the account's waiting transactions without a gap.
    pub(crate) fn pending_nonce(&self, state: &State, sender: Address) -> u64 {
        let mut next = state.nonce(sender);
        let is_at = |nonce: u64| {
            let mut of = self.waiting.iter().filter(|waiting| waiting.sender == sender);
            of.any(|waiting| waiting.envelope.nonce() == nonce)
        };
        while is_at(next) {
            next = next.saturating_add(1);
        }
        next
    }

    pub(crate) fn find(&self, hash: B256) -> Option<&PooledTransaction> {
        self.waiting.iter().find(|waiting| waiting.hash() == hash)
    }
}
