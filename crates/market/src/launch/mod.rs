//! Launches: pools made by a known factory, once their first liquidity has enough value.
//!
//! ```text
//! creation of a pool (block 10) ──► first liquidity above the least (block 12) ──► launch of block 12
//!                                                                 later all but gone ──► pulled, block 90
//! ```
//! A launch exists only with the block in which it was found: its liquidity's, or a later one in which trades made the
//! liquidity worth enough. Its *proof hash* names both events and is never reused: the hash
//! commits to both block hashes.

mod events;
mod find;
mod given_up;
mod holders;
mod launching;
mod rows;
mod stage;
mod taken;
mod told;

use std::collections::BTreeMap;

use alloy_primitives::Address;
use superroot_dex::{Decimal, PoolId};
use superroot_proof::hash::keccak256;
use superroot_types::{ChainKey, Hash, UnixSeconds};

use crate::{EventPosition, LockedShare, TokenFacts};

pub use holders::NoHolders;
pub use launching::Launching;
pub use rows::{LaunchProofRow, load_behind, load_in, load_newest};
pub use stage::{LAUNCHES, LaunchStage};
pub use told::{add_inspection, told};

/// Launches changed in a batch; `None`: removed.
type Changed = BTreeMap<PoolId, Option<Launch>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchEvent {
    pub place: EventPosition,
    pub block_hash: Hash,
    /// Block time.
    pub at: UnixSeconds,
}

/// A new pool's fate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchKind {
    /// The pool has liquidity.
    Launched,
    /// The liquidity is almost gone.
    Pulled,
}

/// Launch, or its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    pub kind: LaunchKind,
    pub token: Address,
    /// Facts known when the liquidity was found.
    pub facts: TokenFacts,
    /// Paired token with a known price.
    pub paired_with: Address,
    pub pool: PoolId,
    pub dex: String,
    /// Pool fee, in millionths.
    pub fee: u32,
    /// Pool liquidity near its price, in US dollars: twice the paired token's amount.
    pub liquidity_usd: Decimal,
    /// Irrevocable share of the pool's own tokens issued in this block, in hundredths. `None` if the pool issues none.
    pub given_up: Option<LockedShare>,
    /// Share of the ten largest holders, in hundredths of a percent, without the pool.
    pub top_holders: Result<u16, NoHolders>,
    pub creation: LaunchEvent,
    pub liquidity: LaunchEvent,
    /// The liquidity event's transaction hash; `None` if transactions are not stored.
    pub transaction_hash: Option<Hash>,
    /// Contract called at each trade in the pool (Uniswap v4).
    pub hooks: Option<Address>,
    /// Event with which the pool's worth reached the least, if in a later block than the liquidity: a pool filled with
    /// the new token alone is worth something once others buy.
    pub reached: Option<LaunchEvent>,
}

impl Launch {
    /// Event of the block in which the launch was found.
    #[must_use]
    pub fn found_at(&self) -> LaunchEvent {
        self.reached.unwrap_or(self.liquidity)
    }

    /// Keccak-256 over both events' statements, each `family:u8 ‖ chain id:u64 ‖ block hash ‖ tx_index:u32 ‖
    /// log_index:u32`, big-endian, the creation first.
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
