//! Launches: a pool that a known factory made, once its first liquidity is worth something.
//!
//! ```text
//! creation of a pool (block 10) ──► first liquidity above the least (block 12) ──► launch of block 12
//!                                                                 later all but gone ──► pulled, block 90
//! ```
//! A launch stands and falls with the block of its liquidity. Its *proof hash* names both events, and is never used
//! for anything else: it commits to the hashes of their blocks.

mod find;
mod holders;
mod launching;
mod rows;
mod stage;
mod told;

use std::collections::BTreeMap;

use alloy_primitives::Address;
use superroot_dex::{Decimal, PoolId};
use superroot_proof::hash::keccak256;
use superroot_types::{ChainKey, Hash, UnixSeconds};

use crate::{GivenUp, Place, TokenFacts};

pub use holders::NoHolders;
pub use launching::Launching;
pub use rows::{Behind, load_behind, load_in, load_newest};
pub use stage::{LAUNCHES, LaunchStage};
pub use told::{add_inspection, told};

/// Launches of pools as a batch leaves them, where it changes them: `None` where one is gone.
type Changed = BTreeMap<PoolId, Option<Launch>>;

/// An event, and the block that it is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Where it stands.
    pub place: Place,
    /// Hash of its block.
    pub block_hash: Hash,
    /// Time of its block.
    pub at: UnixSeconds,
}

/// What became of a new pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It has liquidity.
    Launched,
    /// What it had is all but gone.
    Pulled,
}

/// A launch, or its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Which of both.
    pub kind: Kind,
    /// The new token.
    pub token: Address,
    /// What was known of it when its liquidity was found.
    pub facts: TokenFacts,
    /// What it is paired with: a token whose price is known.
    pub paired_with: Address,
    /// The pool.
    pub pool: PoolId,
    /// Its exchange.
    pub dex: String,
    /// Its fee, in millionths.
    pub fee: u32,
    /// What the pool holds for prices next to its own, in US dollars: twice what it holds of the other token.
    pub liquidity_usd: Decimal,
    /// Of the pool's own tokens that this block gave out, the hundredths that went where nobody takes them back. `None`
    /// where the pool gives out none.
    pub given_up: Option<GivenUp>,
    /// The part of the token that its ten largest holders have, in hundredths of a hundredth; the pool is none.
    pub top_holders: Result<u16, NoHolders>,
    /// The event that made the pool.
    pub creation: Event,
    /// The event of its liquidity.
    pub liquidity: Event,
    /// Hash of that event's transaction; `None` where transactions are not held.
    pub transaction_hash: Option<Hash>,
    /// What is called at each trade of the pool, of Uniswap v4.
    pub hooks: Option<Address>,
}

impl Launch {
    /// Keccak-256 of both events' statements, each `family:u8 ‖ chain id:u64 ‖ block hash ‖ tx_index:u32 ‖ log_index:u32`,
    /// big-endian, the creation first.
    #[must_use]
    pub fn proof_hash(&self, chain: ChainKey) -> Hash {
        let mut bytes = Vec::with_capacity(98);
        for event in [&self.creation, &self.liquidity] {
            bytes.push(chain.family as u8);
            bytes.extend_from_slice(&chain.id.0.to_be_bytes());
            bytes.extend_from_slice(&event.block_hash.0);
            bytes.extend_from_slice(&event.place.tx_index.to_be_bytes());
            bytes.extend_from_slice(&event.place.log_index.to_be_bytes());
        }
        keccak256(&bytes)
    }
}
