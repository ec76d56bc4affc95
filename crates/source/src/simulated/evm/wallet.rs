//! Accounts of a simulated chain, and signatures.

use alloy_consensus::{SignableTransaction, TxEip1559, TxLegacy};
use alloy_primitives::{Address as AlloyAddress, B256, Bytes, Signature, TxKind, U256};
use secp256k1::{Message, SECP256K1, SecretKey};
use superroot_chain::ledger::evm::raw::RawEvmTransaction;
use superroot_types::{Address, Hash};

use super::super::entropy::Entropy;

/// Account with a key. The key is public: it follows from the seed.
#[derive(Clone, Debug)]
pub(super) struct SimulatedWallet {
    key: SecretKey,
    pub(super) address: Address,
}

#[derive(Clone, Debug)]
pub(super) struct TransactionRequest {
    pub(super) to: Address,
    pub(super) value: U256,
    pub(super) input: Bytes,
    pub(super) gas: u64,
    /// Wei per gas above the base fee.
    pub(super) tip: u64,
    /// Type 0, otherwise type 2.
    pub(super) legacy: bool,
}

impl SimulatedWallet {
    pub(super) fn new(entropy: &Entropy, index: u64) -> Self {
        // one hash in 2^128 is no key: no seed that anybody will find
        let key = SecretKey::from_byte_array(entropy.hash("account", index).0)
            .expect("a hash is a key of secp256k1");
        let point = key.public_key(SECP256K1).serialize_uncompressed();
        // a byte of form stands before the coordinates
        let address = AlloyAddress::from_raw_public_key(&point[1..]);
        Self { key, address: Address(address.into_array()) }
    }

    /// Signs a transaction; `hash` and block fields are filled in later.
    pub(super) fn transaction(
        &self,
        chain_id: u64,
        nonce: u64,
        base_fee: u64,
        order: TransactionRequest,
    ) -> RawEvmTransaction {
        let price = u128::from(base_fee) + u128::from(order.tip);
        let price_max = price + u128::from(base_fee);
        let message = if order.legacy {
            order.legacy_message(chain_id, nonce, price)
        } else {
            order.fee_market_message(chain_id, nonce, price_max)
        };
        let signature = sign(&self.key, message);
        let TransactionRequest { to, value, input, gas, tip, legacy } = order;
        let parity = u64::from(signature.v());
        let v = if legacy { chain_id * 2 + 35 + parity } else { parity };
        RawEvmTransaction {
            hash: Hash::ZERO,
            tx_type: Some(if legacy { 0 } else { 2 }),
            chain_id: Some(chain_id),
            nonce: Some(nonce),
            gas: Some(gas),
            gas_price: Some(U256::from(price)),
            max_fee_per_gas: (!legacy).then(|| U256::from(price_max)),
            max_priority_fee_per_gas: (!legacy).then(|| U256::from(tip)),
            to: Some(to),
            value,
            input,
            access_list: (!legacy).then(Vec::new),
            v: Some(U256::from(v)),
            y_parity: (!legacy).then_some(parity),
            r: Some(signature.r()),
            s: Some(signature.s()),
            ..RawEvmTransaction::default()
        }
    }
}

impl TransactionRequest {
    /// Signing message of a type 0 transaction (EIP-155).
    fn legacy_message(&self, chain_id: u64, nonce: u64, gas_price: u128) -> B256 {
        let unsigned = TxLegacy {
            chain_id: Some(chain_id),
            nonce,
            gas_price,
            gas_limit: self.gas,
            to: TxKind::Call(self.to.0.into()),
            value: self.value,
            input: self.input.clone(),
        };
        unsigned.signature_hash()
    }

    /// Signing message of a type 2 transaction (EIP-1559).
    fn fee_market_message(&self, chain_id: u64, nonce: u64, max_fee_per_gas: u128) -> B256 {
        let unsigned = TxEip1559 {
            chain_id,
            nonce,
            gas_limit: self.gas,
            max_fee_per_gas,
            max_priority_fee_per_gas: self.tip.into(),
            to: TxKind::Call(self.to.0.into()),
            value: self.value,
            access_list: Default::default(),
            input: self.input.clone(),
        };
        unsigned.signature_hash()
    }
}

fn sign(key: &SecretKey, message: B256) -> Signature {
    let signed = SECP256K1.sign_ecdsa_recoverable(Message::from_digest(message.0), key);
    let (recovery, bytes) = signed.serialize_compact();
    Signature::from_bytes_and_parity(&bytes, i32::from(recovery) % 2 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy_consensus::{Transaction, TxEnvelope};
    use alloy_eips::Decodable2718;
    use superroot_chain::ledger::evm::encode;
    use superroot_types::{ChainId, ChainKey, Family};

    fn account(index: u64) -> SimulatedWallet {
        let chain = ChainKey { family: Family::Evm, id: ChainId(1) };
        SimulatedWallet::new(&Entropy::new(1, chain), index)
    }

    fn order(legacy: bool) -> TransactionRequest {
        let (to, value, input) = (Address([7; 20]), U256::from(5), Bytes::from_static(b"call"));
        TransactionRequest { to, value, input, gas: 30_000, tip: 2, legacy }
    }

    /// Read back by another implementation, from the bytes that consensus hashes.
    #[test]
    fn transactions_are_read_back_with_their_sender_and_every_field() {
        for (legacy, chain_id) in [(true, 1), (false, 1), (true, 42_161), (false, 1 << 40)] {
            let raw = account(3).transaction(chain_id, 9, 100, order(legacy));
            let leaf = encode::transaction(&raw).unwrap();
            let read = TxEnvelope::decode_2718_exact(&leaf).unwrap();
            let signer =
                read.signature().recover_address_from_prehash(&read.signature_hash()).unwrap();
            assert_eq!((signer.0.0, read.signature().normalize_s()), (account(3).address.0, None));
            assert_eq!((read.chain_id(), read.nonce()), (Some(chain_id), 9));
            assert_eq!((read.gas_limit(), read.value()), (30_000, U256::from(5)));
            assert_eq!(read.max_fee_per_gas(), if legacy { 102 } else { 202 });
            assert_eq!(read.max_priority_fee_per_gas(), if legacy { None } else { Some(2) });
            assert_eq!((read.to().unwrap().0.0, &read.input()[..]), ([7; 20], &b"call"[..]));
        }
    }
}
