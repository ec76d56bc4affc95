//! Sui full node API: gRPC `sui.rpc.v2.LedgerService`, two methods. Each checkpoint part is fetched in BCS, as hashed
//! by the network. Source: MystenLabs/sui-apis, `proto/sui/rpc/v2/`.

pub(crate) mod capture;
mod form;
mod messages;
pub(crate) mod nodes;
pub(crate) mod replay;
pub(crate) mod simulated;

use superroot_chain::ledger::sui::RawSuiBlock;
use superroot_proof::ledger::sui::Header;
use superroot_types::Hash;

pub(crate) const SERVICE: &str = "sui.rpc.v2.LedgerService";
/// `() -> what network, how far`
pub(crate) const SERVICE_INFO: &str = "GetServiceInfo";
/// `(number, digest or nothing for the newest, what of it) -> checkpoint`
pub(crate) const CHECKPOINT: &str = "GetCheckpoint";

const NAMED: [&str; 2] = ["sequence_number", "digest"];
const HEADER: [&str; 2] = ["summary.bcs", "signature"];
const CONTENTS: [&str; 4] = [
    "contents.bcs",
    "transactions.transaction.bcs",
    "transactions.effects.bcs",
    "transactions.events.bcs",
];

/// Previous digest in the summary; zeros if unreadable.
pub(crate) fn parent_hash(raw: &RawSuiBlock) -> Hash {
    let header = Header::decode(&raw.summary).ok();
    header.and_then(|header| header.previous_digest).unwrap_or(Hash::ZERO)
}

fn shown(digest: &Hash) -> String {
    bs58::encode(digest.0).into_string()
}

fn parse_shown(text: &str) -> Option<Hash> {
    // 32 bytes have 44 digits at most
    let bytes = (text.len() <= 44).then(|| bs58::decode(text).into_vec().ok()).flatten()?;
    bytes.try_into().ok().map(Hash)
}
