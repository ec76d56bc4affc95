//! Bitcoin Core JSON-RPC: hashes reversed and without `0x`, blocks as plain hex. Source:
//! <https://developer.bitcoin.org/reference/rpc/>.

pub(crate) mod capture;
mod form;
pub(crate) mod nodes;
pub(crate) mod replay;
pub(crate) mod simulated;

use serde::{Deserialize, Serialize};
use superroot_chain::ledger::bitcoin::RawBitcoinBlock;
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

/// Error code: height above the chain tip.
pub(crate) const OUT_OF_RANGE: i64 = -8;
/// Error code: hash unknown to the node.
pub(crate) const NOT_FOUND: i64 = -5;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ChainInfo {
    /// Height of the newest complete block.
    pub(crate) blocks: u64,
    pub(crate) bestblockhash: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NetworkInfo {
    /// Client name and version.
    pub(crate) subversion: String,
}

pub(crate) fn shown(hash: &Hash) -> String {
    let mut bytes = hash.0;
    bytes.reverse();
    const_hex::encode(bytes)
}

pub(crate) fn parse_shown(text: &str) -> Option<Hash> {
    let is_plain = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut bytes: [u8; 32] = const_hex::decode(text).ok().filter(|_| is_plain)?.try_into().ok()?;
    bytes.reverse();
    Some(Hash(bytes))
}

/// Parent hash in the header.
pub(crate) fn parent_hash(raw: &RawBitcoinBlock) -> Hash {
    let parent = raw.bytes.get(4..36).and_then(|bytes| bytes.try_into().ok());
    parent.map_or(Hash::ZERO, Hash)
}

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
