//! A key that signs.

use alloc::string::String;
use alloc::vec;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ed25519_dalek::{Signer as _, SigningKey};
use zeroize::Zeroizing;

use super::key::signed_bytes;
use super::{KeyError, KeyKind, Note, NoteSignature, VerifierKey};

/// What a secret in text begins with.
const SECRET: &str = "PRIVATE+KEY+";

/// A secret key with its name. The memory of the secret is overwritten when it goes.
#[derive(Clone)]
pub struct Signer {
    key: SigningKey,
    verifier: VerifierKey,
}

impl core::fmt::Debug for Signer {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Signer").field(&self.verifier).finish()
    }
}

impl Signer {
    /// A signer of these 32 secret bytes.
    ///
    /// # Errors
    /// [`KeyError::Name`].
    pub fn new(name: &str, kind: KeyKind, secret: &[u8; 32]) -> Result<Self, KeyError> {
        let key = SigningKey::from_bytes(secret);
        let verifier = VerifierKey::new(name, kind, key.verifying_key().as_bytes())?;
        Ok(Self { key, verifier })
    }

    /// Reads a secret: `PRIVATE+KEY+name+id+base64(kind ‖ secret)`, as the tools of signed notes write
    /// it.
    ///
    /// # Errors
    /// [`KeyError`] naming what is wrong; no part of the secret is in it.
    pub fn from_secret(text: &str) -> Result<Self, KeyError> {
        let rest = text.trim().strip_prefix(SECRET).ok_or(KeyError::Form)?;
        let mut parts = rest.splitn(3, '+');
        let (Some(name), Some(id), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(KeyError::Form);
        };
        let bytes = Zeroizing::new(BASE64_STANDARD.decode(key).map_err(|_| KeyError::Form)?);
        let (kind, secret) = bytes.split_first().ok_or(KeyError::Form)?;
        let kind = KeyKind::from_byte(*kind).ok_or(KeyError::Kind)?;
        let signer = Self::new(name, kind, secret.try_into().map_err(|_| KeyError::Kind)?)?;
        if id == signer.verifier.hex_id() { Ok(signer) } else { Err(KeyError::Id) }
    }

    /// The secret as [`Signer::from_secret`] reads it.
    #[must_use]
    pub fn to_secret(&self) -> Zeroizing<String> {
        let bytes = [&[self.verifier.kind().byte()], self.key.as_bytes().as_slice()].concat();
        let encoded = Zeroizing::new(BASE64_STANDARD.encode(Zeroizing::new(bytes)));
        let (name, id) = (self.verifier.name(), self.verifier.hex_id());
        Zeroizing::new([SECRET, name, "+", &id, "+", &encoded].concat())
    }

    /// What a client pins.
    #[must_use]
    pub const fn verifier(&self) -> &VerifierKey {
        &self.verifier
    }

    /// A note of that text (whole lines, the last one ended), signed by this key alone. `time` is
    /// that of a witness, in Unix seconds; the key of a log signs none.
    #[must_use]
    pub fn sign(&self, text: &str, time: u64) -> Note {
        let time = match self.verifier.kind() {
            KeyKind::Log => None,
            KeyKind::Witness => Some(time),
        };
        let signature = self.key.sign(signed_bytes(time, text).as_bytes()).to_bytes();
        let time = time.map(u64::to_be_bytes);
        let signature = [time.as_ref().map_or(&[][..], |time| time), &signature].concat();
        let (name, key_id) = (String::from(self.verifier.name()), self.verifier.id());
        let signatures = vec![NoteSignature { name, key_id, signature }];
        Note { text: text.into(), signatures }
    }
}
