//! Signatures of a wallet's own key (EIP-191, version `E`).

use alloy_primitives::{Address as AlloyAddress, B256, Signature, U256};
use superroot_types::{Address, Hash};

use super::form::SignatureForm;
use crate::AccountError;

/// Longest accepted signature, in bytes; signatures that first deploy a wallet are long (EIP-6492).
pub const SIGNATURE_BYTES_MAX: usize = 16 << 10;

/// Offline verdict on a wallet's signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SignatureReading {
    /// Made by the wallet's own key.
    OwnKey,
    /// Not made by the own key; a contract may still accept the signature.
    NotOwnKey(SignatureForm),
}

/// Whether the wallet's key signed `hash`: 65 bytes `r ‖ s ‖ v`, `v` being 0, 1, 27 or 28. The compact form of EIP-2098
/// is another text for the same signature, and is refused by name: no wallet answers `personal_sign` in that form.
///
/// # Errors
/// [`AccountError::Signature`] for a too long signature (an empty one is allowed: a contract may know its owners'
/// approval), for a missing `v`, and for `s` in the upper half of the curve's order (EIP-2): anyone can make that twin
/// of a valid signature.
pub(super) fn read(
    wallet: Address,
    hash: &Hash,
    signature: &[u8],
) -> Result<SignatureReading, AccountError> {
    if signature.len() > SIGNATURE_BYTES_MAX {
        return Err(AccountError::Signature { why: "expected at most 16384 bytes" });
    }
    if let Ok(short) = <&[u8; 64]>::try_from(signature) {
        return read_short(wallet, hash, short);
    }
    let Ok(bytes) = <&[u8; 65]>::try_from(signature) else {
        return Ok(SignatureReading::NotOwnKey(SignatureForm::Length(signature.len())));
    };
    let r = &bytes[..32];
    let s = &bytes[32..64];
    let v = bytes[64];
    let is_odd = match v {
        0 | 27 => false,
        1 | 28 => true,
        v => return Ok(SignatureReading::NotOwnKey(SignatureForm::V(v))),
    };
    let claimed = Signature::new(U256::from_be_slice(r), U256::from_be_slice(s), is_odd);
    // the twin names the same key, once it is set right
    let low = claimed.normalize_s();
    let signer = low.unwrap_or(claimed).recover_address_from_prehash(&B256::from(hash.0));
    match signer {
        Ok(signer) if signer == AlloyAddress::from(wallet.0) && low.is_some() => {
            Err(AccountError::Signature { why: "its s is in the upper half of the curve's order" })
        }
        Ok(signer) if signer == AlloyAddress::from(wallet.0) => Ok(SignatureReading::OwnKey),
        Ok(_) | Err(_) => Ok(SignatureReading::NotOwnKey(SignatureForm::Key)),
    }
}

/// Verdict on 64 bytes: the wallet's own signature if `v` was omitted, or is in `s`.
fn read_short(
    wallet: Address,
    hash: &Hash,
    short: &[u8; 64],
) -> Result<SignatureReading, AccountError> {
    let is_own =
        |bytes: [u8; 65]| matches!(read(wallet, hash, &bytes), Ok(SignatureReading::OwnKey));
    let why = if is_own(expanded(short)) {
        "it is in the compact form of EIP-2098: send its 65 bytes r, s and v"
    } else if [0, 1].into_iter().any(|v| is_own(with_v(short, v))) {
        "it has 64 bytes, r and s without v: send all 65 bytes, r, s and v"
    } else {
        return Ok(SignatureReading::NotOwnKey(SignatureForm::Length(short.len())));
    };
    Err(AccountError::Signature { why })
}

fn with_v(short: &[u8; 64], v: u8) -> [u8; 65] {
    let mut bytes = [v; 65];
    bytes[..64].copy_from_slice(short);
    bytes
}

/// Expands a compact signature to 65 bytes: the first bit of `s` is the parity (EIP-2098).
fn expanded(compact: &[u8; 64]) -> [u8; 65] {
    let mut bytes = with_v(compact, compact[32] >> 7);
    bytes[32] &= 0x7f;
    bytes
}

/// Hash signed by a wallet for a message (EIP-191).
pub(super) fn message_hash(message: &str) -> Hash {
    Hash(alloy_primitives::eip191_hash_message(message).0)
}

#[cfg(test)]
mod tests {
    use k256::ecdsa::SigningKey;
    use proptest::prelude::*;

    use super::*;

    /// The order of secp256k1.
    const ORDER: U256 = U256::from_be_slice(&alloy_primitives::hex!(
        "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
    ));

    /// A key's the wallet: the last 20 bytes of Keccak-256 of its point.
    fn wallet_of(key: &SigningKey) -> Address {
        let point = key.verifying_key().to_encoded_point(false);
        let hash = alloy_primitives::keccak256(&point.as_bytes()[1..]);
        Address(hash[12..].try_into().unwrap())
    }

    fn sign(key: &SigningKey, hash: &Hash) -> [u8; 65] {
        let (signature, recovery) = key.sign_prehash_recoverable(&hash.0).unwrap();
        let mut bytes = [0; 65];
        bytes[..64].copy_from_slice(&signature.to_bytes());
        bytes[64] = recovery.to_byte() + 27;
        bytes
    }

    /// The other signature of the same message under the same key.
    fn twin(signature: &[u8; 65]) -> [u8; 65] {
        let mut twin = *signature;
        let s = ORDER - U256::from_be_slice(&signature[32..64]);
        twin[32..64].copy_from_slice(&s.to_be_bytes::<32>());
        twin[64] ^= 27 ^ 28;
        twin
    }

    fn sample() -> (SigningKey, Address, Hash) {
        let key = SigningKey::from_slice(&[7; 32]).unwrap();
        let wallet = wallet_of(&key);
        (key, wallet, message_hash("mine"))
    }

    /// `personal_sign` of go-ethereum's and web3.js's documentation: message `Some data`, key
    /// `0x4c08...2318`.
    #[test]
    fn the_known_signature_of_web3_is_read() {
        let wallet = crate::parse_wallet("0x2c7536E3605D9C16a7a3D7b1898e529396a65c23").unwrap();
        let hash = message_hash("Some data");
        assert_eq!(
            const_hex::encode(hash.0),
            "1da44b586eb0729ff70a73c326926f6ed5a25f5b056e7f47fbc6e58d86871655"
        );
        let signature = const_hex::decode(
            "b91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd\
             6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a0291c",
        );
        assert_eq!(read(wallet, &hash, &signature.unwrap()).unwrap(), SignatureReading::OwnKey);
    }

    #[test]
    fn v_is_0_1_27_or_28_and_nothing_else() {
        let (key, wallet, hash) = sample();
        let good = sign(&key, &hash);
        let parity = good[64] - 27;
        for v in 0..=u8::MAX {
            let mut bytes = good;
            bytes[64] = v;
            let expected = match v {
                v if v == parity || v == parity + 27 => SignatureReading::OwnKey,
                0 | 1 | 27 | 28 => SignatureReading::NotOwnKey(SignatureForm::Key),
                v => SignatureReading::NotOwnKey(SignatureForm::V(v)),
            };
            assert_eq!(read(wallet, &hash, &bytes).unwrap(), expected, "{v}");
        }
    }

    #[test]
    fn numbers_that_are_no_signature_name_nobody() {
        let (key, wallet, hash) = sample();
        let good = sign(&key, &hash);
        for number in [U256::ZERO, ORDER, ORDER + U256::from(1), U256::MAX] {
            for at in [0, 32] {
                let mut bytes = good;
                bytes[at..at + 32].copy_from_slice(&number.to_be_bytes::<32>());
                let reading = read(wallet, &hash, &bytes).unwrap();
                assert_eq!(reading, SignatureReading::NotOwnKey(SignatureForm::Key));
            }
        }
    }

    #[test]
    fn the_compact_form_is_refused_by_its_name() {
        let (key, wallet, hash) = sample();
        let good = sign(&key, &hash);
        let mut compact = good[..64].to_vec();
        compact[32] |= (good[64] - 27) << 7;
        let error = read(wallet, &hash, &compact).unwrap_err();
        assert!(error.to_string().contains("EIP-2098"), "{error}");
        // another's is no signature of this wallet at all
        let other = wallet_of(&SigningKey::from_slice(&[8; 32]).unwrap());
        let expected = SignatureReading::NotOwnKey(SignatureForm::Length(64));
        assert_eq!(read(other, &hash, &compact).unwrap(), expected);
    }

    /// Without its `v` a signature of odd parity is no compact one, and is not called another's.
    #[test]
    fn a_signature_without_v_is_told_as_that() {
        let (key, wallet, _) = sample();
        let parities = (0..32).map(|number: u8| {
            let hash = message_hash(&number.to_string());
            let good = sign(&key, &hash);
            let error = read(wallet, &hash, &good[..64]).unwrap_err().to_string();
            let expected = if good[64] == 28 { "it has 64 bytes" } else { "EIP-2098" };
            assert!(error.contains(expected), "{error}");
            good[64]
        });
        let parities: std::collections::BTreeSet<u8> = parities.collect();
        assert_eq!(parities.len(), 2, "both were there");
    }

    #[test]
    fn another_length_is_no_signature_of_a_key() {
        let (key, wallet, hash) = sample();
        let good = sign(&key, &hash);
        for length in [0, 1, 63, 66, 130] {
            let mut bytes = good.to_vec();
            bytes.resize(length, 0);
            let form = SignatureForm::Length(length);
            assert_eq!(read(wallet, &hash, &bytes).unwrap(), SignatureReading::NotOwnKey(form));
            let said =
                if length == 0 { "is empty".to_owned() } else { format!("this has {length}") };
            assert!(form.to_string().ends_with(&said), "{form}");
        }
        assert!(read(wallet, &hash, &vec![0; SIGNATURE_BYTES_MAX]).is_ok());
        assert!(read(wallet, &hash, &vec![0; SIGNATURE_BYTES_MAX + 1]).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        /// Keys and signatures come from another library than the one that reads them.
        #[test]
        fn the_key_that_signed_is_found_and_its_twin_and_others_are_refused(
            secret in 1..=u128::MAX, other in 1..=u128::MAX, text in "\\PC{0,80}", bit in 0..520_usize
        ) {
            prop_assume!(secret != other);
            let key = |secret: u128| {
                let mut bytes = [0; 32];
                bytes[16..].copy_from_slice(&secret.to_be_bytes());
                SigningKey::from_slice(&bytes).unwrap()
            };
            let (key, other) = (key(secret), key(other));
            let (wallet, hash) = (wallet_of(&key), message_hash(&text));
            let good = sign(&key, &hash);
            prop_assert_eq!(read(wallet, &hash, &good).unwrap(), SignatureReading::OwnKey);
            let of_twin = read(wallet, &hash, &twin(&good));
            let is_refused = matches!(of_twin, Err(AccountError::Signature { .. }));
            prop_assert!(is_refused);
            let not_own = SignatureReading::NotOwnKey(SignatureForm::Key);
            prop_assert_eq!(read(wallet_of(&other), &hash, &good).unwrap(), not_own);
            let another = message_hash(&format!("{text} "));
            prop_assert_eq!(read(wallet, &another, &good).unwrap(), not_own);
            let mut flipped = good;
            flipped[bit / 8] ^= 1 << (bit % 8);
            prop_assert_ne!(read(wallet, &hash, &flipped).ok(), Some(SignatureReading::OwnKey));
        }
    }
}
