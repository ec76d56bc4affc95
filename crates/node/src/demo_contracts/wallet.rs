//! Account of the demo's own chain, by a word that everybody knows.

use std::path::Path;

use alloy_consensus::{SignableTransaction, TxEip1559};
use alloy_eips::eip2718::Encodable2718;
use alloy_primitives::{Address, Bytes, Signature, TxKind, U256, keccak256};
use anyhow::Context;
use k256::ecdsa::SigningKey;
use zeroize::Zeroizing;

use crate::evm_key;

/// Chain id of Base Sepolia, whose subscriptions test keys have.
pub(super) const CHAIN: u64 = 84_532;
const GAS_LIMIT: u64 = 12_000_000;
/// Far above the chain's base fee, in wei per gas.
const MAX_FEE: u128 = 10_000_000_000;
const TIP: u128 = 1_000_000;

pub(crate) struct DemoWallet {
    key: SigningKey,
}

impl DemoWallet {
    pub(super) fn new(word: &str) -> anyhow::Result<Self> {
        let key = SigningKey::from_slice(keccak256(word).as_slice()).context("no key")?;
        Ok(Self { key })
    }

    pub(super) fn address(&self) -> Address {
        Address::from_private_key(&self.key)
    }

    /// Writes the key file if it is missing, and returns its name.
    pub(super) fn write(&self, file: &Path) -> anyhow::Result<String> {
        if !file.exists() {
            evm_key::put(file, &Zeroizing::new(self.key.to_bytes().into()))?;
        }
        Ok(file.display().to_string())
    }

    /// Signed transaction (EIP-1559).
    pub(super) fn sign(&self, nonce: u64, to: TxKind, input: Vec<u8>) -> anyhow::Result<Vec<u8>> {
        let transaction = TxEip1559 {
            chain_id: CHAIN,
            nonce,
            gas_limit: GAS_LIMIT,
            max_fee_per_gas: MAX_FEE,
            max_priority_fee_per_gas: TIP,
            to,
            value: U256::ZERO,
            access_list: Default::default(),
            input: Bytes::from(input),
        };
        let hash = transaction.signature_hash();
        let signed = self.key.sign_prehash_recoverable(hash.as_slice()).context("no signature")?;
        Ok(transaction.into_signed(Signature::from(signed)).encoded_2718())
    }
}
