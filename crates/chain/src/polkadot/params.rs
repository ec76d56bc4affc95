//! What differs between chains of the family, and how a row says it.

use crate::finality::FinalityRule;
use crate::ledger::{LedgerParams, NO_TRANSACTION_AT, Proves, Traits};
use crate::registry::RegistryError;
use crate::registry::fields::Fields;
use crate::unprovable::Unprovable;

/// Constants of a chain; a row of the registry holds them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Index of the pallet whose first call sets the time of a block.
    pub timestamp_pallet: u8,
}

impl LedgerParams for Params {
    fn read(fields: &mut Fields, _: u64) -> Result<Self, RegistryError> {
        let expected = "the index of the pallet Timestamp in the runtime, from 0 to 255";
        let index = fields.integer("timestamp_pallet", expected, u64::from(u8::MAX))?;
        Ok(Self { timestamp_pallet: u8::try_from(index).unwrap_or(u8::MAX) })
    }

    fn unprovable(&self) -> &[Unprovable] {
        &[]
    }

    /// Whoever makes a block's tries makes a block: there is nothing to ease.
    fn simulated(&self) -> Self {
        *self
    }

    fn traits(&self) -> Traits {
        Traits {
            default_finality: FinalityRule::Tag,
            has_finality_tag: true,
            has_websocket: true,
            // other nodes keep older states
            body_may_come_later: true,
            has_watchable_events: false,
            has_due_headers: false,
            binds_parent: true,
            bloom: Err(super::NO_BLOOM),
            proves: Proves {
                transaction: "its place, and its bytes",
                event: Ok(
                    "the list of all events of the block; which of them is meant is not shown",
                ),
                absence: Ok(NO_TRANSACTION_AT),
            },
        }
    }
}
