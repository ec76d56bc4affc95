//! Hash spellings of nodes and explorers other than `0x` hex.

use superroot_types::Hash;

#[derive(Clone, Copy)]
pub(super) struct HashSpelling {
    pub(super) write: fn(&Hash) -> String,
    pub(super) parse: fn(&str) -> Option<Hash>,
}

/// Hex without `0x`.
pub(super) const PLAIN_HEX: HashSpelling =
    HashSpelling { write: |hash| const_hex::encode(hash.0), parse: plain_hex };

/// Upper-case hex without `0x`; lower case is accepted.
pub(super) const UPPER_HEX: HashSpelling =
    HashSpelling { write: |hash| const_hex::encode_upper(hash.0), parse: plain_hex };

pub(super) const BASE58: HashSpelling =
    HashSpelling { write: |hash| bs58::encode(hash.0).into_string(), parse: base58 };

/// Parses 32 bytes in base58.
pub(super) fn base58(text: &str) -> Option<Hash> {
    // they have 44 digits at most
    let is_short = text.len() <= 44;
    let bytes = is_short.then(|| bs58::decode(text).into_vec().ok()).flatten()?;
    bytes.try_into().ok().map(Hash)
}

/// Parses 64 hex digits without `0x`.
fn plain_hex(text: &str) -> Option<Hash> {
    let is_plain = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    const_hex::decode(text).ok().filter(|_| is_plain)?.try_into().ok().map(Hash)
}
