//! Solana JSON-RPC: slot-based, hashes in base58. Source: <https://solana.com/docs/rpc>.
//!
//! Blocks are numbered by height; nodes are queried by slot, and some slots have no block. Nodes have no call for slot
//! entries: the replay adds [`ENTRIES`]; a future entry stream would fill the same place,
//! [`superroot_chain::ledger::solana::RawSolanaBlock::entries`].

pub(crate) mod capture;
mod form;
pub(crate) mod nodes;
pub(crate) mod replay;
pub(crate) mod simulated;
mod slots;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};
use superroot_chain::ledger::solana::RawEntry;
use superroot_types::Hash;

/// `() -> base58`
pub(crate) const GENESIS_HASH: &str = "getGenesisHash";
/// `() -> object`
pub(crate) const VERSION: &str = "getVersion";
/// `(config) -> slot`
pub(crate) const SLOT: &str = "getSlot";
/// `(config) -> height`
pub(crate) const BLOCK_HEIGHT: &str = "getBlockHeight";
/// `(slot, config) -> object`
pub(crate) const BLOCK: &str = "getBlock";
/// `(slot, last slot, config) -> slots`
pub(crate) const BLOCKS: &str = "getBlocks";
/// `(slot, limit, config) -> slots`
pub(crate) const BLOCKS_WITH_LIMIT: &str = "getBlocksWithLimit";
/// `(slot) -> entries`; not a live node's call.
pub(crate) const ENTRIES: &str = "superroot_getEntries";

/// Error codes: slot without a block, or block not available.
pub(crate) const ABSENT: [i64; 5] = [CLEANED_UP, NOT_AVAILABLE, SKIPPED, -32009, -32014];
/// Error code: block no longer available.
const CLEANED_UP: i64 = -32001;
/// Error code: block not available yet.
pub(crate) const NOT_AVAILABLE: i64 = -32004;
/// Error code: slot without a block.
pub(crate) const SKIPPED: i64 = -32007;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SolanaVersion {
    #[serde(rename = "solana-core")]
    pub(crate) core: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SolanaBlockAnswer {
    /// Height; unknown for old blocks on some nodes.
    pub(crate) block_height: Option<u64>,
    /// Unix seconds; unknown for old blocks on some nodes.
    pub(crate) block_time: Option<u64>,
    #[serde(with = "base58")]
    pub(crate) blockhash: Hash,
    pub(crate) parent_slot: u64,
    #[serde(with = "base58")]
    pub(crate) previous_blockhash: Hash,
}

/// Entry in recordings and in answers to [`ENTRIES`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ShownEntry {
    pub(crate) num_hashes: u64,
    pub(crate) hash: String,
    pub(crate) transactions_base64: Vec<String>,
}

impl ShownEntry {
    pub(crate) fn of(entry: &RawEntry) -> Self {
        let transactions = entry.transactions.iter().map(|raw| BASE64_STANDARD.encode(raw));
        Self {
            num_hashes: entry.num_hashes,
            hash: shown(&entry.hash),
            transactions_base64: transactions.collect(),
        }
    }

    /// Parses the entry; the error names the invalid member.
    pub(crate) fn read(&self) -> Result<RawEntry, &'static str> {
        let hash = parse_shown(&self.hash).ok_or("hash")?;
        let decoded = self.transactions_base64.iter().map(|raw| BASE64_STANDARD.decode(raw));
        let transactions = decoded.collect::<Result<_, _>>().map_err(|_| "transactions_base64")?;
        Ok(RawEntry { num_hashes: self.num_hashes, hash, transactions })
    }
}

/// Parses all entries; the error is the path to the invalid member.
pub(crate) fn read_entries(shown: &[ShownEntry]) -> Result<Vec<RawEntry>, String> {
    let read = |(at, entry): (usize, &ShownEntry)| {
        entry.read().map_err(|member| format!("entries[{at}].{member} cannot be read"))
    };
    shown.iter().enumerate().map(read).collect()
}

/// Formats a hash for nodes.
pub(crate) fn shown(hash: &Hash) -> String {
    bs58::encode(hash.0).into_string()
}

/// Parses a hash from nodes: 32 bytes, at most 44 digits.
pub(crate) fn parse_shown(text: &str) -> Option<Hash> {
    let bytes = (text.len() <= 44).then(|| bs58::decode(text).into_vec().ok()).flatten()?;
    bytes.try_into().ok().map(Hash)
}

/// Serde for hashes in base58.
mod base58 {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use superroot_types::Hash;

    pub(super) fn serialize<S: Serializer>(hash: &Hash, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&super::shown(hash))
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Hash, D::Error> {
        let text = String::deserialize(from)?;
        super::parse_shown(&text).ok_or_else(|| D::Error::custom("a hash is no 32 bytes in base58"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_written_in_base58() {
        let text = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d";
        let hash = parse_shown(text).unwrap();
        assert_eq!(shown(&hash), text);
        assert_eq!(parse_shown(&"1".repeat(32)), Some(Hash::ZERO));
        for text in ["", "1", &text[2..], &format!("{text}1"), "0OIl", &"1".repeat(45)] {
            assert_eq!(parse_shown(text), None, "{text}");
        }
    }

    #[test]
    fn a_member_of_an_entry_that_cannot_be_read_is_named() {
        let good = RawEntry { num_hashes: 3, hash: Hash([7; 32]), transactions: vec![vec![1, 2]] };
        let shown = ShownEntry::of(&good);
        assert_eq!(read_entries(std::slice::from_ref(&shown)), Ok(vec![good]));
        let hash = ShownEntry { hash: "x0".into(), ..shown.clone() };
        let error = read_entries(&[shown.clone(), hash]).unwrap_err();
        assert_eq!(error, "entries[1].hash cannot be read");
        let raw = ShownEntry { transactions_base64: vec!["%".into()], ..shown };
        let error = read_entries(&[raw]).unwrap_err();
        assert_eq!(error, "entries[0].transactions_base64 cannot be read");
    }
}
