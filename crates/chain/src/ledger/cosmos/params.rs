use crate::finality::FinalityRule;
use crate::ledger::{LedgerParams, NO_TRANSACTION_AT, ProofScope, Traits};
use crate::registry::ChainRegistryError;
use crate::registry::fields::TableFields;
use crate::unprovable::{UnprovablePart, UnprovableRange};
use superroot_proof::ledger::cosmos::NO_EVENTS;

/// Chain parameters in a registry row. The chain id is in the CAIP-2 name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CosmosParams {
    /// Blocks with a `data_hash` other than a transaction root.
    pub unprovable: Vec<UnprovableRange>,
    /// Blocks from one set of validators for evidence to the next.
    pub set_blocks: u64,
}

/// About eight hours on Cosmos Hub: forty steps of about 10 kB in a trusting period.
const SET_BLOCKS: u64 = 5_000;
const SIMULATED_SET_BLOCKS: u64 = 32;

impl LedgerParams for CosmosParams {
    fn read(fields: &mut TableFields, _: u64) -> Result<Self, ChainRegistryError> {
        let unprovable = fields.unprovable(|part| *part == UnprovablePart::Body)?;
        Ok(Self { unprovable, set_blocks: SET_BLOCKS })
    }

    fn simulated(&self) -> Self {
        Self { unprovable: Vec::new(), set_blocks: SIMULATED_SET_BLOCKS }
    }

    fn unprovable(&self) -> &[UnprovableRange] {
        &self.unprovable
    }

    /// Nodes show a block after commits by more than two thirds of the voting power, so the newest block is final.
    /// Nodes have no tag for finality.
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
            proves: ProofScope {
                transaction: "its place, and its bytes; not whether it succeeded",
                event: Err(NO_EVENTS),
                absence: Ok(NO_TRANSACTION_AT),
            },
        }
    }
}
