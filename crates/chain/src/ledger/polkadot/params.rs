use superroot_proof::ledger::polkadot::Header;

use super::votes::has_votes;
use crate::finality::FinalityRule;
use crate::ledger::{LedgerParams, NO_TRANSACTION_AT, ProofScope, Traits};
use crate::registry::ChainRegistryError;
use crate::registry::fields::TableFields;
use crate::unprovable::UnprovableRange;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolkadotParams {
    /// Pallet index; the first call sets the block time.
    pub timestamp_pallet: u8,
}

impl LedgerParams for PolkadotParams {
    fn read(fields: &mut TableFields, _: u64) -> Result<Self, ChainRegistryError> {
        let expected = "the index of the pallet Timestamp in the runtime, from 0 to 255";
        let index = fields.integer("timestamp_pallet", expected, u64::from(u8::MAX))?;
        Ok(Self { timestamp_pallet: u8::try_from(index).unwrap_or(u8::MAX) })
    }

    fn unprovable(&self) -> &[UnprovableRange] {
        &[]
    }

    /// Nothing to ease: anybody who builds the tries can build a block.
    fn simulated(&self) -> Self {
        *self
    }

    fn is_signed_when_final(&self, header: &[u8]) -> bool {
        Header::decode(header).is_ok_and(|header| has_votes(&header))
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
            proves: ProofScope {
                transaction: "its place, and its bytes",
                event: Ok(
                    "the list of all events of the block; which of them is meant is not shown",
                ),
                absence: Ok(NO_TRANSACTION_AT),
            },
        }
    }
}
