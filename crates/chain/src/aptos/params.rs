//! What differs between chains of the family, and how a row says it.

use crate::finality::FinalityRule;
use crate::ledger::{Contradiction, LedgerParams, Proves, Traits};
use crate::registry::RegistryError;
use crate::registry::fields::Fields;
use crate::unprovable::Unprovable;
use superroot_proof::ledger::aptos::NO_ABSENCE;

/// Constants of a chain; a row of the registry holds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    /// The chain id that its nodes tell, 1 to 255: 1 is the main network.
    pub network: u8,
}

impl LedgerParams for Params {
    fn read(fields: &mut Fields, _: u64) -> Result<Self, RegistryError> {
        let expected = "an integer from 1 to 255";
        let network = fields.integer("network", expected, u64::from(u8::MAX))?;
        match u8::try_from(network) {
            Ok(network @ 1..) => Ok(Self { network }),
            Ok(0) | Err(_) => Err(fields.wrong("network", network.to_string(), expected)),
        }
    }

    fn simulated(&self) -> Self {
        self.clone()
    }

    fn unprovable(&self) -> &[Unprovable] {
        &[]
    }

    fn traits(&self) -> Traits {
        Traits {
            default_finality: FinalityRule::Latest,
            has_finality_tag: false,
            has_websocket: false,
            body_may_come_later: false,
            has_watchable_events: false,
            has_due_headers: false,
            binds_parent: false,
            bloom: Err(super::NO_BLOOM),
            proves: Proves {
                transaction: "its version, and what it did; that it is in the chain by the block, not its place in that",
                event: Ok("an event of a transaction"),
                absence: Err(NO_ABSENCE),
            },
        }
    }

    fn contradiction(&self, caip2: &str) -> Option<Contradiction> {
        let is_called = caip2 == format!("aptos:{}", self.network);
        let expected = "aptos: and the network";
        (!is_called).then(|| Contradiction { field: "caip2", got: caip2.to_owned(), expected })
    }
}
