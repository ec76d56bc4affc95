use crate::finality::FinalityRule;
use crate::ledger::{LedgerParams, ProofScope, SpecContradiction, Traits};
use crate::registry::ChainRegistryError;
use crate::registry::fields::TableFields;
use crate::unprovable::UnprovableRange;
use superroot_proof::ledger::aptos::NO_ABSENCE;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AptosParams {
    /// Chain id reported by nodes, 1 to 255: 1 is the main network.
    pub network: u8,
}

impl LedgerParams for AptosParams {
    fn read(fields: &mut TableFields, _: u64) -> Result<Self, ChainRegistryError> {
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

    fn unprovable(&self) -> &[UnprovableRange] {
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
            proves: ProofScope {
                transaction: "its version, and what it did; that it is in the chain by the block, not its place in that",
                event: Ok("an event of a transaction"),
                absence: Err(NO_ABSENCE),
            },
        }
    }

    fn contradiction(&self, caip2: &str) -> Option<SpecContradiction> {
        let is_called = caip2 == format!("aptos:{}", self.network);
        let expected = "aptos: and the network";
        (!is_called).then(|| SpecContradiction { field: "caip2", got: caip2.to_owned(), expected })
    }
}
