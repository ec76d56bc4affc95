//! Family-specific hash spellings of nodes and explorers, in addition to `0x` hex.

use superroot_types::{Family, Hash};

use super::{bitcoin, solana};

/// Returns a hash in the family's explorer form; `None` if explorers use `0x` hex.
#[must_use]
pub fn spelled_hash(family: Family, hash: &Hash) -> Option<String> {
    match family {
        Family::Evm | Family::Polkadot | Family::Aptos => None,
        Family::Bitcoin => Some(bitcoin::explorer_hash(hash)),
        Family::Tron | Family::Icp => Some(const_hex::encode(hash.0)),
        Family::Cosmos => Some(const_hex::encode_upper(hash.0)),
        Family::Solana | Family::Sui => Some(bs58::encode(hash.0).into_string()),
    }
}

/// Parses a hash in the family's explorer form; for the Solana family also a transaction signature.
#[must_use]
pub fn parse_spelled_hash(family: Family, text: &str) -> Option<Hash> {
    match family {
        Family::Evm | Family::Polkadot | Family::Aptos => None,
        Family::Bitcoin => bitcoin::parse_explorer_hash(text),
        Family::Tron | Family::Icp | Family::Cosmos => plain_hex(text),
        Family::Solana => solana::parse_signature(text).or_else(|| base58(text)),
        Family::Sui => base58(text),
    }
}

/// Parses 32 bytes in base58.
fn base58(text: &str) -> Option<Hash> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spelled_is_read_again() {
        let mut hash = Hash([0xab; 32]);
        for first in [0, 1, 0xff] {
            hash.0[0] = first;
            for family in Family::ALL {
                let Some(text) = spelled_hash(family, &hash) else { continue };
                assert_eq!(parse_spelled_hash(family, &text), Some(hash), "{family}: {text}");
                for wrong in
                    [format!("0x{text}"), text[1..].to_owned(), format!("{text}!"), String::new()]
                {
                    assert_ne!(parse_spelled_hash(family, &wrong), Some(hash), "{family}: {wrong}");
                }
            }
        }
    }

    #[test]
    fn families_spell_in_their_own_ways() {
        let spelled = |family| spelled_hash(family, &Hash([0xab; 32]));
        assert_eq!(spelled(Family::Evm), None);
        assert_eq!(spelled(Family::Tron), Some("ab".repeat(32)));
        assert_eq!(spelled(Family::Cosmos), Some("AB".repeat(32)));
        assert_eq!(
            spelled(Family::Sui).as_deref(),
            Some("CZ8YUVdk7znjrUmnb5n7kgySk9yRAsQDYmyCxzfSky9t")
        );
    }
}
