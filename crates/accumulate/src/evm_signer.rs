//! Signatures of SuperRoots for contracts (ECDSA over secp256k1, PROTOCOL's tag 0a).

use alloy_primitives::Signature;
use k256::ecdsa::SigningKey;
use superroot_proof::superroot::SuperRoot;
use superroot_store::codec::{Decoder, Encoder};
use superroot_store::layout::StoredRow;
use superroot_store::{ScanOrder, Store, StoreError, Table, WriteBatch};
use superroot_types::{Address, Hash, Sequence};

use crate::AccumulateError;

/// Key whose signatures one `SuperRootAnchor` contract takes: log id and address are fixed in the contract.
#[derive(Clone)]
pub struct EvmSigner {
    key: SigningKey,
    address: Address,
}

/// Signature of a SuperRoot, in the compact form of EIP-2098, with the address of its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvmSignature {
    pub signer: Address,
    pub r: Hash,
    /// `s`, at most half of the curve's order, with the parity in the highest bit.
    pub vs: Hash,
}

impl EvmSigner {
    /// Key from its 32 bytes; `None` for zero, and from the curve's order on.
    #[must_use]
    pub fn new(secret: &[u8; 32]) -> Option<Self> {
        let key = SigningKey::from_slice(secret).ok()?;
        let address = alloy_primitives::Address::from_private_key(&key);
        Some(Self { key, address: Address(address.into_array()) })
    }

    #[must_use]
    pub const fn address(&self) -> Address {
        self.address
    }

    /// Puts a SuperRoot's signature into the publishing batch.
    pub(crate) fn put(
        &self,
        batch: &mut WriteBatch,
        super_root: &SuperRoot,
    ) -> Result<(), AccumulateError> {
        let row = self.sign(super_root)?.encode();
        batch.put(Table::EvmSignature, super_root.sequence.0.to_be_bytes(), row);
        Ok(())
    }

    /// Signature of `0a ‖ hash`; always the same one (RFC 6979).
    fn sign(&self, super_root: &SuperRoot) -> Result<EvmSignature, AccumulateError> {
        let signed = self.key.sign_prehash_recoverable(&super_root.evm_message().0);
        let Ok(signed) = signed else {
            let what = format!("SuperRoot {} is not signed for contracts", super_root.sequence.0);
            return Err(AccumulateError::Corrupt { what });
        };
        let compact = Signature::from(signed).as_erc2098();
        let (mut r, mut vs) = ([0; 32], [0; 32]);
        r.copy_from_slice(&compact[..32]);
        vs.copy_from_slice(&compact[32..]);
        Ok(EvmSignature { signer: self.address, r: Hash(r), vs: Hash(vs) })
    }
}

impl std::fmt::Debug for EvmSigner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("EvmSigner").field(&self.address).finish()
    }
}

impl EvmSignature {
    /// `signer:20 ‖ r:32 ‖ vs:32`.
    fn encode(&self) -> Vec<u8> {
        Encoder::new().raw(&self.signer.0).hash(&self.r).hash(&self.vs).finish()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut row = Decoder::new(bytes);
        let signer = Address(row.array()?);
        let r = row.hash()?;
        let vs = row.hash()?;
        row.finish(Self { signer, r, vs })
    }
}

impl StoredRow for EvmSignature {
    fn decode(key: &[u8], bytes: &[u8]) -> Result<Self, StoreError> {
        let corrupt = || StoreError::corrupt(Table::EvmSignature, key, "not a signature");
        Self::read(bytes).ok_or_else(corrupt)
    }
}

/// Signature of a SuperRoot for contracts; `None` of one from before the log had such a key.
///
/// # Errors
/// As [`Store::get`]; [`StoreError::Corrupt`] for other bytes.
pub fn load_evm_signature(
    store: &dyn Store,
    sequence: Sequence,
) -> Result<Option<EvmSignature>, StoreError> {
    let key = sequence.0.to_be_bytes();
    let row = store.get(Table::EvmSignature, &key)?;
    row.map(|row| EvmSignature::decode(&key, &row)).transpose()
}

/// Newest signature for contracts; `None` without any.
///
/// # Errors
/// As [`load_evm_signature`].
pub fn newest_evm_signature(store: &dyn Store) -> Result<Option<EvmSignature>, StoreError> {
    let rows = store.scan(Table::EvmSignature, b"", None, 1, ScanOrder::Falling)?;
    rows.first().map(|(key, row)| EvmSignature::decode(key, row)).transpose()
}

#[cfg(test)]
mod tests {
    use k256::ecdsa::{RecoveryId, Signature, VerifyingKey};
    use superroot_types::UnixSeconds;

    use super::*;

    #[test]
    fn a_signature_names_its_key_and_has_the_pinned_bytes() {
        let signer = EvmSigner::new(&[7; 32]).unwrap();
        for number in 0..50 {
            let super_root = SuperRoot {
                log_id: Hash([1; 32]),
                sequence: Sequence(number),
                timestamp: UnixSeconds(9),
                tree_root: Hash([2; 32]),
            };
            let signed = signer.sign(&super_root).unwrap();
            assert_eq!(signed, signer.sign(&super_root).unwrap(), "it is deterministic");
            let mut s = signed.vs.0;
            let parity = s[0] >> 7;
            s[0] &= 0x7f;
            let signature = Signature::from_scalars(signed.r.0, s).unwrap();
            assert!(signature.normalize_s().is_none(), "s is the lower one");
            let message = super_root.evm_message().0;
            let id = RecoveryId::from_byte(parity).unwrap();
            let key = VerifyingKey::recover_from_prehash(&message, &signature, id).unwrap();
            assert_eq!(&key, signer.key.verifying_key());
            let row = signed.encode();
            let expected = [&signer.address().0[..], &signed.r.0, &signed.vs.0].concat();
            assert_eq!(row, expected);
            assert_eq!(EvmSignature::decode(&[], &row).unwrap(), signed);
            for length in 0..row.len() {
                assert!(EvmSignature::decode(&[], &row[..length]).is_err(), "{length} bytes");
            }
        }
    }

    #[test]
    fn zero_and_the_order_are_no_keys() {
        assert!(EvmSigner::new(&[0; 32]).is_none());
        assert!(EvmSigner::new(&[0xff; 32]).is_none());
    }
}
