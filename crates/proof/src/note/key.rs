//! Client keys: C2SP `vkey`, `name+id+base64(kind ‖ public key)`.

use alloc::format;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ed25519_dalek::{Signature, VerifyingKey};

use superroot_types::Hash;

use super::is_name;
use crate::hash::sha256_joined;

/// Key purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// Log: Ed25519 over the text (byte 01).
    Log,
    /// Witness: Ed25519 over `cosignature/v1`, a time and the text (byte 04).
    Witness,
}

impl KeyKind {
    pub(super) const fn byte(self) -> u8 {
        match self {
            Self::Log => 1,
            Self::Witness => 4,
        }
    }

    pub(super) const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            1 => Some(Self::Log),
            4 => Some(Self::Witness),
            _ => None,
        }
    }
}

/// Named public key.
#[derive(Clone, PartialEq, Eq)]
pub struct VerifierKey {
    name: String,
    kind: KeyKind,
    id: [u8; 4],
    key: VerifyingKey,
}

/// Why text is not a `vkey`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Not `name+id+key`.
    #[error("a key is name+id+base64, the id in 8 hex digits")]
    Form,
    /// Empty name, or white space or `+` inside.
    #[error("the name of a key is not empty and has no white space and no plus sign")]
    Name,
    /// Neither a log's Ed25519 key (01) nor a witness's (04).
    #[error("the key is neither an Ed25519 key of a log (01) nor one of a witness (04)")]
    Kind,
    /// Id does not match name and key: one of the two was altered.
    #[error("the id is not that of this name and key")]
    Id,
}

impl VerifierKey {
    /// Key with a name.
    ///
    /// # Errors
    /// [`KeyError::Name`], or [`KeyError::Kind`] for bytes that are not a curve point.
    pub fn new(name: &str, kind: KeyKind, public_key: &[u8; 32]) -> Result<Self, KeyError> {
        if !is_name(name) {
            return Err(KeyError::Name);
        }
        let key = VerifyingKey::from_bytes(public_key).map_err(|_| KeyError::Kind)?;
        let [a, b, c, d, ..] = fingerprint(name, kind, public_key).0;
        Ok(Self { name: name.into(), kind, id: [a, b, c, d], key })
    }

    /// Key name; for a log key, the origin.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Key purpose.
    #[must_use]
    pub const fn kind(&self) -> KeyKind {
        self.kind
    }

    /// Hash over name and key, starting with the id: for comparison by people.
    #[must_use]
    pub fn fingerprint(&self) -> Hash {
        fingerprint(&self.name, self.kind, self.public_key())
    }

    /// First bytes in the hash over name and key.
    #[must_use]
    pub const fn id(&self) -> [u8; 4] {
        self.id
    }

    pub(super) fn hex_id(&self) -> String {
        format!("{:08x}", u32::from_be_bytes(self.id))
    }

    /// Public key, 32 bytes.
    #[must_use]
    pub fn public_key(&self) -> &[u8; 32] {
        self.key.as_bytes()
    }

    /// Checks a text signature: `Some` if valid, with a cosignature's time.
    pub(super) fn check(&self, text: &str, signature: &[u8]) -> Option<Option<u64>> {
        let (time, signature) = match self.kind {
            KeyKind::Log => (None, signature),
            KeyKind::Witness => {
                let (time, signature) = signature.split_first_chunk::<8>()?;
                (Some(u64::from_be_bytes(*time)), signature)
            }
        };
        let signature = Signature::from_slice(signature).ok()?;
        let message = signed_bytes(time, text);
        self.key.verify_strict(message.as_bytes(), &signature).is_ok().then_some(time)
    }
}

fn fingerprint(name: &str, kind: KeyKind, public_key: &[u8; 32]) -> Hash {
    sha256_joined(&[name.as_bytes(), &[b'\n', kind.byte()], public_key])
}

/// Signed bytes: the text itself; for a witness, under a time.
pub(super) fn signed_bytes(time: Option<u64>, text: &str) -> String {
    match time {
        None => text.into(),
        Some(time) => format!("cosignature/v1\ntime {time}\n{text}"),
    }
}

impl fmt::Display for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = [&[self.kind.byte()], self.public_key().as_slice()].concat();
        write!(f, "{}+{}+{}", self.name, self.hex_id(), BASE64_STANDARD.encode(bytes))
    }
}

impl fmt::Debug for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VerifierKey({self})")
    }
}

impl FromStr for VerifierKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        // base64 may hold a plus sign, a name and an id may not
        let mut parts = text.splitn(3, '+');
        let (Some(name), Some(id), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(KeyError::Form);
        };
        let bytes = BASE64_STANDARD.decode(key).map_err(|_| KeyError::Form)?;
        let (kind, public_key) = bytes.split_first().ok_or(KeyError::Form)?;
        let kind = KeyKind::from_byte(*kind).ok_or(KeyError::Kind)?;
        let key = Self::new(name, kind, public_key.try_into().map_err(|_| KeyError::Kind)?)?;
        let is_hex = id.len() == 8 && id.bytes().all(|digit| digit.is_ascii_hexdigit());
        match u32::from_str_radix(id, 16) {
            Ok(id) if is_hex && id.to_be_bytes() == key.id => Ok(key),
            Ok(_) if is_hex => Err(KeyError::Id),
            Ok(_) | Err(_) => Err(KeyError::Form),
        }
    }
}
