//! What differs between chains of the family, and how a row says it.

use crate::finality::FinalityRule;
use crate::ledger::{LedgerParams, NO_TRANSACTION_AT, Proves, Traits};
use crate::registry::RegistryError;
use crate::registry::fields::Fields;
use crate::unprovable::{Unprovable, UnprovablePart};
use superroot_proof::ledger::cosmos::NO_EVENTS;

/// Constants of a chain; a row of the registry holds them. Its chain id is in its CAIP-2 name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    /// Which blocks have a `data_hash` that is no root of their transactions.
    pub unprovable: Vec<Unprovable>,
}

impl LedgerParams for Params {
    fn read(fields: &mut Fields, _: u64) -> Result<Self, RegistryError> {
        let unprovable = fields.unprovable(|part| *part == UnprovablePart::Body)?;
        Ok(Self { unprovable })
    }

    fn simulated(&self) -> Self {
        Self { unprovable: Vec::new() }
    }

    fn unprovable(&self) -> &[Unprovable] {
        &self.unprovable
    }

    /// A node shows a block once more than two thirds of the voting power committed it, so the newest is
    /// final. Nodes have no word for it.
    fn traits(&self) -> Traits {
        Traits {
            default_finality: FinalityRule::Latest,
            has_finality_tag: false,
            has_websocket: false,
            body_may_come_later: false,
            has_watchable_events: false,
            has_due_headers: false,
            binds_parent: true,
            bloom: Err(super::NO_BLOOM),
            proves: Proves {
                transaction: "its place, and its bytes; not whether it succeeded",
                event: Err(NO_EVENTS),
                absence: Ok(NO_TRANSACTION_AT),
            },
        }
    }
}
