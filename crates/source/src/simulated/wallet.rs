//! Accounts of a simulated chain, and their signatures.

use alloy_consensus::crypto::secp256k1::{recover_signer, sign_message};
use alloy_consensus::{SignableTransaction, TxEip1559, TxLegacy};
use alloy_primitives::{B256, Bytes, Signature, TxKind, U256};
use superroot_chain::evm::raw::RawTransaction;
use superroot_types::{Address, Hash};

use super::entropy::Entropy;

/// An account with its key. The key is public knowledge: it follows from the seed.
#[derive(Clone, Debug)]
pub(super) struct Account {
    secret: B256,
    pub(super) address: Address,
}

/// What a transaction is to do.
#[derive(Clone, Debug)]
pub(super) struct Order {
    pub(super) to: Address,
    pub(super) value: U256,
    pub(super) input: Bytes,
    /// Gas limit.
    pub(super) gas: u64,
    /// Wei per gas above the base fee.
    pub(super) tip: u64,
    /// Whether it is of type 0; of type 2 otherwise.
    pub(super) legacy: bool,
}

impl Account {
    pub(super) fn new(entropy: &Entropy, index: u64) -> Self {
        let secret = B256::from(entropy.hash("account", index).0);
        let any = B256::repeat_byte(1);
        let address = recover_signer(&sign(secret, any), any)
            .expect("a signature just made leads to its signer");
        Self { secret, address: Address(address.0.0) }
    }

    /// A signed transaction; `hash` and the claims about its block are still to be filled in.
    pub(super) fn transaction(
        &self,
        chain_id: u64,
        nonce: u64,
        base_fee: u64,
        order: Order,
    ) -> RawTransaction {
        let Order { to, value, input, gas, tip, legacy } = order;
        let kind = TxKind::Call(to.0.into());
        let price = u128::from(base_fee) + u128::from(tip);
        let price_max = price + u128::from(base_fee);
        let signature = if legacy {
            let unsigned = TxLegacy {
                chain_id: Some(chain_id),
                nonce,
                gas_price: price,
                gas_limit: gas,
                to: kind,
                value,
                input: input.clone(),
            };
            sign(self.secret, unsigned.signature_hash())
        } else {
            let unsigned = TxEip1559 {
                chain_id,
                nonce,
                gas_limit: gas,
                max_fee_per_gas: price_max,
                max_priority_fee_per_gas: tip.into(),
                to: kind,
                value,
                access_list: Default::default(),
                input: input.clone(),
            };
            sign(self.secret, unsigned.signature_hash())
        };
        let parity = u64::from(signature.v());
        let v = if legacy { chain_id * 2 + 35 + parity } else { parity };
        RawTransaction {
            hash: Hash::ZERO,
            block_hash: None,
            block_number: None,
            transaction_index: None,
            tx_type: Some(if legacy { 0 } else { 2 }),
            chain_id: Some(chain_id),
            nonce,
            gas,
            gas_price: Some(U256::from(price)),
            max_fee_per_gas: (!legacy).then(|| U256::from(price_max)),
            max_priority_fee_per_gas: (!legacy).then(|| U256::from(tip)),
            max_fee_per_blob_gas: None,
            to: Some(to),
            value,
            input,
            access_list: (!legacy).then(Vec::new),
            blob_versioned_hashes: None,
            authorization_list: None,
            v: Some(U256::from(v)),
            y_parity: (!legacy).then_some(parity),
            r: signature.r(),
            s: signature.s(),
        }
    }
}

fn sign(secret: B256, message: B256) -> Signature {
    // one hash in 2^128 is no key: no seed that anybody will find
    sign_message(secret, message).expect("a hash is a key of secp256k1")
}
