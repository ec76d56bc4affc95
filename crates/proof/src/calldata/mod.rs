//! Compact form of a proof for contracts: what can be computed is left out, so that most forgeries cannot be said.
//!
//! ```text
//! form:u8       01 EVM chain | 02 Bitcoin
//! subject:u8    0 block | 1 transaction | 2 log or output; +4 with an open twig
//! profile       chain_id:u64 ‖ count:u8 ‖ (from_number:u64 ‖ rule:u16)*      CAIP-2 is `eip155:<chain_id>`
//! position      tx_index:u32 [‖ log_index:u32]                               not of a block
//! leaf          length:u24 ‖ bytes                                           56 bytes or more
//! trie          path:u8 ‖ levels:u8 ‖ level*                                 from the leaf up
//!   branch      mask:u16 ‖ sibling:32*                                       a set bit k: child k, never the key's own
//!   extension   0000 ‖ nibbles:u8
//! header        length:u16 ‖ bytes                                           as hashed
//!               of Bitcoin, from behind the profile on:
//! number:u64
//! position      tx_index:u32 [‖ output_index:u32]                            not of a block
//! tree          tx_count:u32 ‖ branch ‖ branch of the coinbase               the latter unless it is the first
//!   branch      length:u24 ‖ transaction ‖ sibling:32*                       index and count give how many
//! header        80 bytes
//!               of both:
//! twig          mask:u16 ‖ sibling:32*                                       a set bit k omits Zk
//! sealed        leaf_index:u64 ‖ leaf_count:u64 ‖ sibling:32*                index and count give how many
//! open          start:u64 ‖ number:u64 ‖ block_hash:32
//! SuperRoot     sequence:u64 ‖ timestamp:u64 ‖ row:u8 ‖ count:u8
//!   registry    sibling:32*                                                  those with rows below count
//!   paths       mask:u16 ‖ sibling:32*   of the slot and of slot 55, by height, slot first, up to where they meet
//! ```
//! Left out and computed: trie nodes, block hash, block number, twig root, Mini-MMR root, tree root, log id. `path` is
//! the leaf's own count of nibbles. Source: `docs/calldata.md`.

mod bitcoin;
mod error;
mod ledger;
mod paths;
mod read;
mod trie;
mod write;

pub use error::CalldataError;
pub use ledger::CalldataForm;
pub use read::entry_of;
pub use write::withdrawal_of;

/// Most bytes of a proof in this form.
pub const CALLDATA_BYTES_MAX: usize = 1 << 24;

const SUBJECT_BLOCK: u8 = 0;
const SUBJECT_TRANSACTION: u8 = 1;
const SUBJECT_LOG: u8 = 2;
const OPEN: u8 = 4;
/// Shortest leaf: a shorter one may stand inside its parent.
const LEAF_BYTES_MIN: usize = 56;
/// Most levels above a leaf: the nibbles of a key.
const LEVELS_MAX: usize = 18;
