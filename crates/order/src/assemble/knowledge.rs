//! Knowledge of chains that an order's legs do not contain.

use superroot_store::StoreError;
use superroot_types::{ChainKey, Hash};

use crate::leg::LegPosition;
use crate::order::ChainProgress;
use crate::table::OrderProtocol;

/// Knowledge besides an order's legs.
pub trait Knowledge {
    /// A chain's known progress, for an order of this protocol with this opening time.
    fn clock(
        &self,
        chain: u64,
        protocol: &OrderProtocol,
        since: u64,
    ) -> Result<ChainProgress, StoreError>;

    /// Whether the block at this position is final and was not taken back.
    fn is_final(&self, place: &LegPosition) -> Result<bool, StoreError>;

    /// Whether a transaction succeeded; `None` without a stored receipt.
    fn has_succeeded(&self, chain: ChainKey, hash: &Hash) -> Result<Option<bool>, StoreError>;
}
