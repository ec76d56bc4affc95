//! How nodes of Bitcoin speak, in the words of Bitcoin Core's JSON-RPC: hashes are written in reverse and without `0x`, blocks as
//! plain hex. Source: <https://developer.bitcoin.org/reference/rpc/>.

pub(crate) mod capture;
pub(crate) mod nodes;
pub(crate) mod replay;
pub(crate) mod simulated;

use serde::{Deserialize, Serialize};
use superroot_chain::bitcoin::RawBitcoinBlock;
use superroot_types::Hash;

/// `() -> height`
pub(crate) const BLOCK_COUNT: &str = "getblockcount";
/// `(height) -> hash`
pub(crate) const BLOCK_HASH: &str = "getblockhash";
/// `(hash, verbose) -> hex or object`
pub(crate) const BLOCK_HEADER: &str = "getblockheader";
/// `(hash, verbosity) -> hex or object`
pub(crate) const BLOCK: &str = "getblock";
/// `() -> object`
pub(crate) const CHAIN_INFO: &str = "getblockchaininfo";
/// `() -> object`
pub(crate) const NETWORK_INFO: &str = "getnetworkinfo";

/// Code of a height that the chain has not reached.
pub(crate) const OUT_OF_RANGE: i64 = -8;
/// Code of a hash that the node does not know.
pub(crate) const NOT_FOUND: i64 = -5;

/// What is read of [`CHAIN_INFO`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ChainInfo {
    /// Height of the newest block that the node has whole.
    pub(crate) blocks: u64,
    /// Its hash.
    pub(crate) bestblockhash: String,
}

/// What is read of [`NETWORK_INFO`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NetworkInfo {
    /// Name and version of the client.
    pub(crate) subversion: String,
}

/// A hash as nodes write it.
pub(crate) fn shown(hash: &Hash) -> String {
    let mut bytes = hash.0;
    bytes.reverse();
    const_hex::encode(bytes)
}

/// Reads a hash as nodes write it.
pub(crate) fn parse_shown(text: &str) -> Option<Hash> {
    let is_plain = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut bytes: [u8; 32] = const_hex::decode(text).ok().filter(|_| is_plain)?.try_into().ok()?;
    bytes.reverse();
    Some(Hash(bytes))
}

/// Hash of the block before, as the header names it.
pub(crate) fn parent_hash(raw: &RawBitcoinBlock) -> Hash {
    let parent = raw.bytes.get(4..36).and_then(|bytes| bytes.try_into().ok());
    parent.map_or(Hash::ZERO, Hash)
}

/// Reads plain hex.
pub(crate) fn parse_bytes(text: &str) -> Option<Vec<u8>> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    const_hex::decode(text).ok().filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_written_in_reverse() {
        let mut hash = Hash::ZERO;
        hash.0[31] = 0xab;
        let text = format!("ab{}", "00".repeat(31));
        assert_eq!((shown(&hash), parse_shown(&text)), (text.clone(), Some(hash)));
        for text in ["", &text[2..], &format!("0x{}", &text[2..]), &text.replace('a', "g")] {
            assert_eq!(parse_shown(text), None, "{text}");
        }
    }

    #[test]
    fn blocks_are_plain_hex() {
        assert_eq!(parse_bytes("00fF"), Some(vec![0, 255]));
        for text in ["0", "0x00", "zz", " 00"] {
            assert_eq!(parse_bytes(text), None, "{text}");
        }
    }
}
