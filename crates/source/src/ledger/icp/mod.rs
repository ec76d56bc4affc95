//! ICP ledger queries on the Internet Computer: canister queries in CBOR, with arguments and answers in Candid.
//! Sources: the Internet Computer interface specification ("HTTPS interface"); `rs/ledger_suite/icp/ledger.did` and
//! `ledger_archive.did` in dfinity/ic.
//!
//! ```text
//!   POST /api/v3/canister/<ledger>/query   query_encoded_blocks { start, length }
//!     ──► blocks that the ledger still holds, those it has put into archives, the chain's length,
//!         and a certificate of the newest block's hash
//!   POST /api/v3/canister/<archive>/query  get_encoded_blocks { start, length }
//! ```

mod blocks;
mod candid;
pub(crate) mod capture;
mod envelope;
mod form;
pub(crate) mod nodes;
pub(crate) mod replay;
pub(crate) mod simulated;

use superroot_chain::ledger::icp::RawIcpBlock;
use superroot_proof::ledger::icp::Header;
use superroot_types::Hash;

/// `({ start; length }) -> blocks, archives, chain length, certificate`
pub(crate) const ENCODED_BLOCKS: &str = "query_encoded_blocks";
/// Archive query: `({ start; length }) -> blocks`
pub(crate) const ARCHIVED_BLOCKS: &str = "get_encoded_blocks";
pub(crate) const STATUS: &str = "/api/v2/status";
pub(crate) const CBOR: &str = "application/cbor";

pub(crate) fn query_path(canister: &superroot_chain::ledger::icp::Principal) -> String {
    format!("/api/v3/canister/{canister}/query")
}

/// Subnet key in DER, with algorithm, curve and point.
pub(crate) fn der_key(root_key: &[u8; 96]) -> Vec<u8> {
    [&superroot_chain::ledger::icp::KEY_PREFIX[..], root_key].concat()
}

pub(crate) fn parent_hash(raw: &RawIcpBlock) -> Hash {
    let header = Header::decode(&raw.bytes).ok();
    header.and_then(|header| header.parent_hash).unwrap_or(Hash::ZERO)
}
