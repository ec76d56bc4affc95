//! Kind 1b, *ledger info*: validators of Aptos sign the accumulator root after a block.
//!
//! ```text
//! epoch's validators ──sign──► ledger info: root R after version V ──► block that ends with V
//!                                  │            └── frozen roots, path ──► block that ends before V
//!                                  └── last of the epoch: validators of the next
//! ```
//! The hash of a block is the accumulator root after the block's last version. Validators do not sign about every block
//! for ever: nodes keep the newest ledger info of an epoch, and of an epoch that is over only the last. So evidence may be
//! a later ledger info of the same epoch, with a path: roots of the perfect subtrees up to an earlier version give the
//! earlier root, and lead to the signed root. The path shows the state after a version; that the version ends a block, and
//! the block's number, stand in no ledger info.
//!
//! A set is the end of the epoch before, without signatures: the id is the waypoint's hash, as written by nodes and in the
//! manifests of backups, and binds time and validators. A step is the last ledger info of an epoch.
//!
//! The same keys sign blocks in order before execution, with a ledger info whose root is the placeholder: no evidence.
//!
//! Sources: aptos-core `types/src/{ledger_info,block_info,waypoint,trusted_state,validator_verifier,aggregate_signature}.rs`,
//! `crates/aptos-bitvec` (first bit: highest of the first byte), `types/src/proof/definition.rs` (consistency of
//! accumulators), `storage/aptosdb/src/backup/backup_handler.rs` (ledger infos that a node keeps).

mod body;
mod path;
mod set;

pub use body::SignedLedgerInfo;
pub use path::EarlierRoot;
pub use set::{LedgerInfoParams, LedgerInfoSet};
