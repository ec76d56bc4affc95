//! A made-up chain: one contract that takes each place of its sequence once, pools that lose what they like.

use std::collections::{BTreeMap, BTreeSet};

use alloy_consensus::{Transaction, TxEnvelope};
use alloy_eips::eip2718::Decodable2718;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use superroot_outbox::{AccountState, Fees, PayerKey, Task};
use superroot_types::Address;

pub(crate) const CONTRACT: Address = Address([0xcc; 20]);
pub(crate) const GAS: u64 = 100_000;

pub(crate) fn key() -> PayerKey {
    PayerKey::new(&[7; 32]).unwrap()
}

/// Publication of a sequence: its number is the call's data.
pub(crate) fn task(sequence: u64) -> Task {
    Task { sequence, to: CONTRACT, data: sequence.to_be_bytes().to_vec(), gas_limit: GAS }
}

pub(crate) fn chance(random: &mut ChaCha8Rng, percent: u64) -> bool {
    random.next_u64() % 100 < percent
}

#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) next_sequence: u64,
    pub(crate) transaction_count: u64,
    pub(crate) taken: BTreeSet<u64>,
    /// Calls that failed.
    pub(crate) failed: u32,
}

/// Blocks, the newest last, and the transactions that wait.
pub(crate) struct Chain {
    pub(crate) blocks: Vec<State>,
    pool: BTreeMap<u64, TxEnvelope>,
    pub(crate) base_fee: u128,
}

impl Chain {
    pub(crate) fn new() -> Self {
        Self { blocks: vec![State::default()], pool: BTreeMap::new(), base_fee: 10 }
    }

    pub(crate) fn head(&self) -> &State {
        self.blocks.last().unwrap()
    }

    /// What nodes agree on: two blocks behind the head.
    pub(crate) fn agreed(&self) -> AccountState {
        let at = &self.blocks[self.blocks.len().saturating_sub(3)];
        AccountState { next_sequence: at.next_sequence, transaction_count: at.transaction_count }
    }

    pub(crate) fn fees(&self) -> Result<Fees, String> {
        Ok(Fees::for_base_fee(self.base_fee, 2))
    }

    /// Takes a transaction as nodes do: one for each nonce, replaced for a tenth more.
    pub(crate) fn receive(&mut self, raw: &[u8]) {
        let sent = TxEnvelope::decode_2718_exact(raw).unwrap();
        let signer = sent.signature().recover_address_from_prehash(&sent.signature_hash());
        assert_eq!(signer.unwrap().0, key().address().0);
        assert_eq!((sent.chain_id(), sent.to().map(|to| to.0.0)), (Some(8453), Some(CONTRACT.0)));
        let is_higher = |held: &TxEnvelope| {
            let tenth = |fee: u128| fee + fee.div_ceil(10);
            sent.max_fee_per_gas() >= tenth(held.max_fee_per_gas())
                && sent.max_priority_fee_per_gas() >= held.max_priority_fee_per_gas().map(tenth)
        };
        let nonce = sent.nonce();
        if nonce >= self.head().transaction_count && self.pool.get(&nonce).is_none_or(is_higher) {
            self.pool.insert(nonce, sent);
        }
    }

    /// Nodes forget what waits.
    pub(crate) fn forget(&mut self) {
        self.pool.clear();
    }

    /// A transaction by hand, with the same key.
    pub(crate) fn use_nonce(&mut self) {
        let mut state = self.head().clone();
        state.transaction_count += 1;
        self.pool.remove(&(state.transaction_count - 1));
        self.blocks.push(state);
    }

    pub(crate) fn mine(&mut self) {
        let mut state = self.head().clone();
        while let Some(sent) = self.pool.get(&state.transaction_count) {
            if sent.max_fee_per_gas() < self.base_fee {
                break;
            }
            let sequence = u64::from_be_bytes(sent.input()[..].try_into().unwrap());
            if sequence >= state.next_sequence {
                state.taken.insert(sequence);
                state.next_sequence = sequence + 1;
            } else {
                state.failed += 1;
            }
            self.pool.remove(&state.transaction_count);
            state.transaction_count += 1;
        }
        self.blocks.push(state);
    }

    /// The newest block goes, its transactions are forgotten.
    pub(crate) fn reorganise(&mut self) {
        if self.blocks.len() > 1 {
            self.blocks.pop();
        }
    }
}
