//! Chains with binding header blooms. A verifier knows them itself: a proof cannot say so.

use superroot_types::{BlockNumber, ChainKey, Family};

use crate::ledger::evm::Layout;
use crate::registry::HashRule;

const POLYGON: u64 = 137;
const HYPER_EVM: u64 = 999;

/// Chains whose nodes refuse a block with a log missing in its bloom, each with the first number for which this is
/// true.
pub const BLOOMS_BIND: [(u64, u64); 17] = [
    (1, 0),               // Ethereum
    (10, 0),              // OP Mainnet
    (56, 0),              // BNB Smart Chain
    (100, 0),             // Gnosis
    (130, 0),             // Unichain
    (143, 0),             // Monad
    (146, 0),             // Sonic
    (480, 0),             // World Chain
    (1_868, 0),           // Soneium
    (8_453, 0),           // Base
    (42_161, 22_207_818), // Arbitrum One: since Nitro; Classic blocks were made from elsewhere
    (42_220, 31_056_500), // Celo: since it is an L2; before, a block's own receipt is left out
    (43_114, 0),          // Avalanche
    (57_073, 0),          // Ink
    (59_144, 0),          // Linea
    (167_000, 0),         // Taiko
    (534_352, 0),         // Scroll
];

/// Whether the header's bloom can exclude a log from its block.
///
/// # Errors
/// Reason why not, in words.
pub fn check_bloom(
    chain: ChainKey,
    number: BlockNumber,
    rule: HashRule,
) -> Result<(), &'static str> {
    if let Some(why) = outside_receipts(chain) {
        return Err(why);
    }
    if matches!(rule, HashRule::Evm(Layout::CeloL1 | Layout::CeloGingerbread)) {
        return Err("the logs of a block's own receipt stand outside the header's bloom");
    }
    let known = BLOOMS_BIND.iter().find(|(id, _)| chain.family == Family::Evm && *id == chain.id.0);
    match known {
        Some((_, from)) if number.0 >= *from => Ok(()),
        Some(_) => Err("so old a header's bloom is not known to have every log"),
        None => Err("the blooms of this chain are not known to have every log"),
    }
}

/// Node-listed logs outside every receipt trie on the chain, in words: receipt proofs say nothing about them.
#[must_use]
pub const fn outside_receipts(chain: ChainKey) -> Option<&'static str> {
    match (chain.family, chain.id.0) {
        (Family::Evm, POLYGON) => {
            Some("the logs of state-sync entries stand outside bloom and receipts of the header")
        }
        (Family::Evm, HYPER_EVM) => {
            Some("the logs of system entries stand outside bloom and receipts of the header")
        }
        _ => None,
    }
}
