//! Accounts and storage under a state root. Sources: Ethereum yellow paper 4.1; EIP-1186 for proofs; EIP-2935 for the
//! history contract.

use alloc::vec::Vec;

use superroot_types::{Address, BlockNumber, Hash};

use super::rlp::RlpFields;
use crate::codec::{ByteReader, put_long};
use crate::hash::keccak256;
use crate::mpt;

/// History contract of EIP-2935: a ring of block hashes.
pub const HISTORY_CONTRACT: Address = Address([
    0x00, 0x00, 0xf9, 0x08, 0x27, 0xf1, 0xc5, 0x3a, 0x10, 0xcb, 0x7a, 0x02, 0x33, 0x5b, 0x17, 0x53,
    0x20, 0x00, 0x29, 0x35,
]);
/// Ring slots on Ethereum and the OP stack.
pub const HISTORY_BLOCKS: u64 = 8_191;

/// Trie nodes from a root down to a key: `count:u8 ‖ (length:u32 ‖ node)*`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateNodes(pub Vec<Vec<u8>>);

impl StateNodes {
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.push(u8::try_from(self.0.len()).unwrap_or(u8::MAX));
        self.0.iter().for_each(|node| put_long(out, node));
    }

    pub(crate) fn read(reader: &mut ByteReader<'_>) -> Option<Self> {
        let count = reader.u8()?;
        (0..count).map(|_| reader.long().map(<[u8]>::to_vec)).collect::<Option<_>>().map(Self)
    }

    /// Account under a state root; `None` without proof, or for a missing account.
    #[must_use]
    pub fn account(&self, state_root: &Hash, address: &Address) -> Option<EvmAccount> {
        let key = keccak256(&address.0);
        let leaf = mpt::verify(state_root, &key.0, &self.0).ok()??;
        EvmAccount::decode(leaf)
    }

    /// Word in a slot; `None` without proof, or for an empty slot.
    #[must_use]
    pub fn word(&self, storage_root: &Hash, slot: &Hash) -> Option<Hash> {
        let leaf = mpt::verify(storage_root, &keccak256(&slot.0).0, &self.0).ok()??;
        let mut items = RlpFields::of_items(leaf);
        let word = Hash(items.uint256("word").ok()?);
        Some(word).filter(|word| items.is_empty() && *word != Hash::ZERO)
    }
}

/// An account's storage root and code hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvmAccount {
    /// Storage trie root.
    pub storage_root: Hash,
    /// Keccak-256 of the code.
    pub code_hash: Hash,
}

impl EvmAccount {
    fn decode(leaf: &[u8]) -> Option<Self> {
        let mut fields = RlpFields::of_list(leaf, "account").ok()?;
        fields.uint256("nonce").ok()?;
        fields.uint256("balance").ok()?;
        let storage_root = fields.hash("storageRoot").ok()?;
        let code_hash = fields.hash("codeHash").ok()?;
        fields.end("account").ok()?;
        Some(Self { storage_root, code_hash })
    }
}

/// An ancestor's hash in the history contract: `number:u64 ‖ account ‖ word`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistorySlot {
    /// The ancestor's number.
    pub number: BlockNumber,
    /// Nodes down to the contract.
    pub account: StateNodes,
    /// Nodes down to the slot.
    pub word: StateNodes,
}

impl HistorySlot {
    /// Bytes, for [`HistorySlot::decode`].
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::from(self.number.0.to_be_bytes());
        self.account.write(&mut out);
        self.word.write(&mut out);
        out
    }

    /// Reads all bytes; `None` if malformed.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = ByteReader::new(bytes);
        let number = BlockNumber(reader.u64()?);
        let account = StateNodes::read(&mut reader)?;
        let word = StateNodes::read(&mut reader)?;
        reader.is_empty().then_some(Self { number, account, word })
    }

    /// Ancestor's hash in a ring with `ring` slots, in the state after block `at`; `None` without proof, or for a block
    /// outside the ring.
    #[must_use]
    pub fn hash(&self, ring: u64, at: BlockNumber, state_root: &Hash) -> Option<Hash> {
        let behind = at.0.checked_sub(self.number.0)?;
        if !(1..=ring).contains(&behind) {
            return None;
        }
        let account = self.account.account(state_root, &HISTORY_CONTRACT)?;
        self.word.word(&account.storage_root, &history_slot(ring, self.number)?)
    }
}

/// Ancestors' hashes in a state: `account ‖ count:u8 ‖ (number:u64 ‖ word)*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryProof {
    /// Nodes down to the contract.
    pub account: StateNodes,
    /// Ancestors, and the nodes down to their slots.
    pub words: Vec<(BlockNumber, StateNodes)>,
}

impl HistoryProof {
    /// Bytes, for [`HistoryProof::decode`].
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.account.write(&mut out);
        out.push(u8::try_from(self.words.len()).unwrap_or(u8::MAX));
        for (number, word) in &self.words {
            out.extend_from_slice(&number.0.to_be_bytes());
            word.write(&mut out);
        }
        out
    }

    /// Reads all bytes; `None` if malformed.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = ByteReader::new(bytes);
        let account = StateNodes::read(&mut reader)?;
        let count = reader.u8()?;
        let mut word = |_| Some((BlockNumber(reader.u64()?), StateNodes::read(&mut reader)?));
        let words = (0..count).map(&mut word).collect::<Option<_>>()?;
        reader.is_empty().then_some(Self { account, words })
    }

    /// An ancestor's slot.
    #[must_use]
    pub fn slot(&self, number: BlockNumber) -> Option<HistorySlot> {
        let (_, word) = self.words.iter().find(|(at, _)| *at == number)?;
        Some(HistorySlot { number, account: self.account.clone(), word: word.clone() })
    }
}

/// A block's slot in a ring; `None` for a ring without slots.
#[must_use]
pub fn history_slot(ring: u64, number: BlockNumber) -> Option<Hash> {
    number.0.checked_rem(ring).map(word_of)
}

/// Number as a word of 32 bytes.
#[must_use]
pub fn word_of(number: u64) -> Hash {
    let mut word = [0; 32];
    if let Some(last) = word.last_chunk_mut() {
        *last = number.to_be_bytes();
    }
    Hash(word)
}
