use alloc::string::String;
use alloc::vec;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ed25519_dalek::{Signer as _, SigningKey};
use zeroize::Zeroizing;

use super::key::signed_bytes;
use super::{KeyError, KeyKind, Note, NoteSignature, VerifierKey};

const SECRET: &str = "PRIVATE+KEY+";

/// Named secret key, overwritten in memory on drop.
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
    /// Signer from 32 secret bytes.
    ///
    /// # Errors
    /// [`KeyError::Name`].
    pub fn new(name: &str, kind: KeyKind, secret: &[u8; 32]) -> Result<Self, KeyError> {
        let key = SigningKey::from_bytes(secret);
        let verifier = VerifierKey::new(name, kind, key.verifying_key().as_bytes())?;
        Ok(Self { key, verifier })
    }

    /// Reads a secret in the signed note tools' format: `PRIVATE+KEY+name+id+base64(kind ‖ secret)`.
    ///
    /// # Errors
    /// [`KeyError`] naming the fault, without any part from the secret.
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

    /// Secret in the form for [`Signer::from_secret`].
    #[must_use]
    pub fn to_secret(&self) -> Zeroizing<String> {
        let bytes = [&[self.verifier.kind().byte()], self.key.as_bytes().as_slice()].concat();
        let encoded = Zeroizing::new(BASE64_STANDARD.encode(Zeroizing::new(bytes)));
        let name = self.verifier.name();
        let id = self.verifier.hex_id();
        Zeroizing::new([SECRET, name, "+", &id, "+", &encoded].concat())
    }

    /// Public key for clients to pin.
    #[must_use]
    pub const fn verifier(&self) -> &VerifierKey {
        &self.verifier
    }

    /// Note over the text (whole lines, the last ended), signed only by this key. `time` is a witness's Unix seconds; a
    /// log key signs no time.
    #[must_use]
    pub fn sign(&self, text: &str, time: u64) -> Note {
        let time = match self.verifier.kind() {
            KeyKind::Log => None,
            KeyKind::Witness => Some(time),
        };
        let signature = self.key.sign(signed_bytes(time, text).as_bytes()).to_bytes();
        let time = time.map(u64::to_be_bytes);
        let signature = [time.as_ref().map_or(&[][..], |time| time), &signature].concat();
        let name = String::from(self.verifier.name());
        let key_id = self.verifier.id();
        let signatures = vec![NoteSignature { name, key_id, signature }];
        Note { text: text.into(), signatures }
    }
}
