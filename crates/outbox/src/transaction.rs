//! Signed transactions (EIP-1559, EIP-2718).

use alloy_consensus::{SignableTransaction, TxEip1559};
use alloy_eips::eip2718::Encodable2718;
use alloy_primitives::{Bytes, Signature, TxKind, U256};
use k256::ecdsa::SigningKey;
use superroot_types::{Address, Hash};

use crate::error::OutboxError;
use crate::fees::Fees;
use crate::row::Pending;

/// Key of the account that pays.
#[derive(Clone)]
pub struct PayerKey {
    key: SigningKey,
    address: Address,
}

/// Transaction ready for `eth_sendRawTransaction`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedTransaction {
    pub raw: Vec<u8>,
    pub hash: Hash,
    pub nonce: u64,
    pub fees: Fees,
}

impl PayerKey {
    /// Key from its 32 bytes.
    ///
    /// # Errors
    /// [`OutboxError::Key`].
    pub fn new(secret: &[u8; 32]) -> Result<Self, OutboxError> {
        let key = SigningKey::from_slice(secret).map_err(|_| OutboxError::Key)?;
        let address = alloy_primitives::Address::from_private_key(&key);
        Ok(Self { key, address: Address(address.into_array()) })
    }

    #[must_use]
    pub const fn address(&self) -> Address {
        self.address
    }

    /// The same transaction has the same bytes: the signature is deterministic (RFC 6979).
    pub(crate) fn sign(
        &self,
        chain_id: u64,
        pending: &Pending,
    ) -> Result<SignedTransaction, OutboxError> {
        let transaction = TxEip1559 {
            chain_id,
            nonce: pending.nonce,
            gas_limit: pending.task.gas_limit,
            max_fee_per_gas: pending.fees.max_fee,
            max_priority_fee_per_gas: pending.fees.tip,
            to: TxKind::Call(pending.task.to.0.into()),
            value: U256::ZERO,
            access_list: Default::default(),
            input: Bytes::copy_from_slice(&pending.task.data),
        };
        let hash = transaction.signature_hash();
        let signed = self.key.sign_prehash_recoverable(hash.as_slice());
        let signature = Signature::from(signed.map_err(|_| OutboxError::Unsigned)?);
        let signed = transaction.into_signed(signature);
        Ok(SignedTransaction {
            raw: signed.encoded_2718(),
            hash: Hash(signed.hash().0),
            nonce: pending.nonce,
            fees: pending.fees,
        })
    }
}

impl std::fmt::Debug for PayerKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("PayerKey").field(&self.address).finish()
    }
}
