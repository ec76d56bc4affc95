//! Route templates and request paths, each spelled once.
//!
//! ```
//! use superroot_types::{BlockNumber, ChainId};
//! use superroot_wire::paths;
//! assert_eq!(paths::BLOCK_PROOF, "/v5/proof/{chain}/{block}");
//! assert_eq!(paths::block_proof(ChainId(1), BlockNumber(7)), "/v5/proof/1/7");
//! ```

use core::fmt::Display;

use superroot_types::{BlockNumber, BlockRef, ChainId, Family, Hash};

/// The log's signed note.
pub const CHECKPOINT: &str = "/v5/checkpoint";
/// Newest SuperRoot.
pub const NEWEST_SUPERROOT: &str = "/v5/superroot";
/// Proof that one SuperRoot extends another.
pub const CONSISTENCY: &str = "/v5/superroot/consistency";
/// Event search.
pub const LOGS: &str = "/v5/logs";
/// Stream of server-sent events.
pub const STREAM: &str = "/v5/stream";
/// Stream over a WebSocket.
pub const WEB_SOCKET: &str = "/v5/ws";
/// Stream of price differences.
pub const ARB_STREAM: &str = "/signals/arb/stream";
/// Launches, as list or stream.
pub const LAUNCHES: &str = "/signals/launches";
/// Chains.
pub const CHAINS: &str = "/api/v1/chains";
/// Status of service and chains.
pub const STATUS: &str = "/api/v1/status";
/// Message for a wallet to sign.
pub const CHALLENGE: &str = "/api/v1/register/challenge";
/// A wallet's proof.
pub const WALLET: &str = "/api/v1/wallet";
/// Sale of passes.
pub const PASS: &str = "/api/v1/pass";
/// An account's keys.
pub const KEYS: &str = "/api/v1/keys";
/// A sub-account's keys.
pub const KEYS_BELOW: &str = "/api/v1/sub-accounts/{account_id}/keys";

/// Defines a route template, and the function that fills its parameters by name.
macro_rules! templates {
    ($($(#[$doc:meta])+ $template:ident $name:ident($($arg:ident: $type:ty),+) = $path:literal;)+) => {$(
        $(#[$doc])+
        pub const $template: &str = $path;

        #[doc = concat!("Path of [`", stringify!($template), "`] for these parameters.")]
        #[must_use]
        pub fn $name($($arg: $type),+) -> String {
            format!($path, $($arg = $arg),+)
        }
    )+};
}

templates! {
    /// Sets of signers of a chain's consensus.
    LIGHT_CLIENT light_client(chain: ChainId) = "/v5/light-client/{chain}";
    /// One set of signers.
    LIGHT_CLIENT_SET light_client_set(chain: ChainId, set: u64) = "/v5/light-client/{chain}/sets/{set}";
    /// Steps from one set of signers to the next.
    LIGHT_CLIENT_STEPS light_client_steps(chain: ChainId) = "/v5/light-client/{chain}/steps";
    /// Contradicting statements by one set.
    LIGHT_CLIENT_CONFLICT light_client_conflict(chain: ChainId) = "/v5/light-client/{chain}/conflict";
    /// SuperRoot by sequence.
    SUPERROOT superroot(sequence: u64) = "/v5/superroot/{sequence}";
    /// SuperRoot data except block leaves.
    SUPERROOT_BLOB superroot_blob(superroot_hash: &Hash) = "/kv/blob/{superroot_hash}";
    /// Mini-MMR leaves.
    TWIGS twigs(family: Family) = "/v5/mini-mmr/{family}/twigs";
    /// Block proof.
    BLOCK_PROOF block_proof(chain: ChainId, block: impl Into<BlockRef> + Display)
        = "/v5/proof/{chain}/{block}";
    /// Block proof with finality evidence.
    FINALITY_PROOF finality_proof(chain_id: ChainId, block: impl Into<BlockRef> + Display)
        = "/finality/{chain_id}/proof/{block}";
    /// Transaction proof, by chain id or slug.
    TRANSACTION_PROOF transaction_proof(chain_id: impl Display, tx_hash: &Hash)
        = "/v5/proof/tx/{chain_id}/{tx_hash}";
    /// Event proof by position: `log_index` is the position in the receipt.
    EVENT_PROOF event_proof(
        chain_id: ChainId,
        block_number: impl Into<BlockRef> + Display,
        tx_index: u32,
        log_index: u32
    ) = "/v5/proof/event/{chain_id}/{block_number}/{tx_index}/{log_index}";
    /// Event proof by transaction hash.
    EVENT_PROOF_BY_HASH event_proof_by_hash(chain: ChainId, tx: &Hash, log_index: u32)
        = "/v5/event/{chain}/{tx}/{log_index}";
    /// Proof that a block has no transaction at a position.
    ABSENCE_PROOF absence_proof(
        chain_id: ChainId,
        block: impl Into<BlockRef> + Display,
        tx_index: u32
    ) = "/v5/proof/absence/{chain_id}/{block}/{tx_index}";
    /// Proofs of both events of a launch.
    HASH_PROOF hash_proof(proof_hash: &Hash) = "/v5/proof/hash/{proof_hash}";
    /// A block range's scan.
    SCAN scan(chain: ChainId) = "/v5/scan/{chain}";
    /// Order across chains.
    ORDER order(order_id: &str) = "/events/{order_id}";
    /// Stored blocks of a chain, by id or slug.
    COVERAGE coverage(chain: impl Display) = "/api/v1/coverage/{chain}";
}

/// URL of a transaction proof in this block: the transaction's bytes may also be in another.
#[must_use]
pub fn transaction_proof_in(chain: ChainId, tx_hash: &Hash, number: BlockNumber) -> String {
    format!("{}?block={number}", transaction_proof(chain, tx_hash))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The compiler holds that a function has the parameters of its template; their order is held here.
    #[test]
    fn a_path_has_its_parameters_in_place() {
        let chain = ChainId(1);
        let number = BlockNumber(4);
        let hash = Hash([0xab; 32]);
        for (path, expected) in [
            (block_proof(chain, BlockRef::Latest), "/v5/proof/1/latest".to_owned()),
            (finality_proof(chain, number), "/finality/1/proof/4".to_owned()),
            (event_proof(chain, number, 3, 2), "/v5/proof/event/1/4/3/2".to_owned()),
            (event_proof_by_hash(chain, &hash, 2), format!("/v5/event/1/{hash}/2")),
            (absence_proof(chain, number, 3), "/v5/proof/absence/1/4/3".to_owned()),
            (transaction_proof_in(chain, &hash, number), format!("/v5/proof/tx/1/{hash}?block=4")),
        ] {
            assert_eq!(path, expected);
        }
    }
}
