//! EVM family: RLP headers, transaction and receipt leaves, logs blooms.
//!
//! Sources: Ethereum yellow paper 4.3 and 4.4; EIP-1559, 4895, 4844, 4788, 7685, 7928 for later header fields; EIP-2718
//! for typed leaves; `docs/protocol/evm.md#headers-and-leaves-of-the-evm-family` for additions on different chains in
//! the family.

mod bloom;
mod entry;
mod header;
mod layout;
mod log;
mod receipt;
mod rlp;
mod state;
mod tries;

pub use bloom::{Bloom, RememberedBits};
pub use entry::{TRIE_NODES_MAX, TrieProofs};
pub use header::{AuraSeal, Avalanche, Header, Settled};
pub use layout::Layout;
pub use log::Log;
pub use receipt::{Deposit, Receipt, ReceiptHead, ReceiptStatus, TOPICS_MAX};
pub use rlp::RlpFields;
pub use state::{
    EvmAccount, HISTORY_BLOCKS, HISTORY_CONTRACT, HistoryProof, HistorySlot, StateNodes,
    history_slot, word_of,
};
pub use tries::Tries;

use superroot_types::Hash;

use crate::hash::keccak256;

/// Transaction hash: Keccak-256 over the leaf.
#[must_use]
pub fn transaction_hash(leaf: &[u8]) -> Hash {
    keccak256(leaf)
}

/// EIP-2718 type in a transaction or receipt leaf; 0 for the untyped form.
#[must_use]
pub fn leaf_type(leaf: &[u8]) -> u8 {
    leaf.first().copied().filter(|byte| *byte < 0x80).unwrap_or(0)
}
