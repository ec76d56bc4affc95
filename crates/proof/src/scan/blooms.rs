//! Where the bloom of a header binds. A verifier knows this of its own: a proof cannot say it.

use superroot_types::{BlockNumber, ChainKey, Family};

use crate::ledger::evm::Layout;
use crate::registry::Rule;

const POLYGON: u64 = 137;
const HYPER_EVM: u64 = 999;

/// Chains whose nodes refuse a block whose bloom lacks one of its logs, and the first number from
/// which on it is so.
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

/// Whether the bloom of that header can show that a log is not in its block.
///
/// # Errors
/// Why it cannot, in words.
pub fn check_bloom(chain: ChainKey, number: BlockNumber, rule: Rule) -> Result<(), &'static str> {
    if let Some(why) = outside_receipts(chain) {
        return Err(why);
    }
    if matches!(rule, Rule::Evm(Layout::CeloL1 | Layout::CeloGingerbread)) {
        return Err("the logs of a block's own receipt stand outside the header's bloom");
    }
    let known = BLOOMS_BIND.iter().find(|(id, _)| chain.family == Family::Evm && *id == chain.id.0);
    match known {
        Some((_, from)) if number.0 >= *from => Ok(()),
        Some(_) => Err("so old a header's bloom is not known to have every log"),
        None => Err("the blooms of this chain are not known to have every log"),
    }
}

/// Which logs that nodes list are in no receipt trie of the chain, in words: of those no proof of
/// receipts says anything.
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
