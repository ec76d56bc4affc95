//! What differs between chains of the family, and how a row says it.

use superroot_types::Hash;

use crate::finality::FinalityRule;
use crate::ledger::{Contradiction, LedgerParams, NO_TRANSACTION_AT, Proves, Traits};
use crate::registry::RegistryError;
use crate::registry::fields::Fields;
use crate::unprovable::Unprovable;
use superroot_proof::ledger::tron::NO_EVENTS;

/// Constants of a chain; a row of the registry holds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    /// Block id of its first block. The last four bytes are the chain's id.
    pub genesis: Hash,
}

impl LedgerParams for Params {
    fn read(fields: &mut Fields, _: u64) -> Result<Self, RegistryError> {
        let expected = "the block id of the first block: 0x, 16 zeros, and 48 hex digits";
        let genesis = fields.choice("genesis", expected, |text| {
            text.parse().ok().filter(|hash: &Hash| hash.0.starts_with(&[0; 8]))
        })?;
        Ok(Self { genesis })
    }

    fn unprovable(&self) -> &[Unprovable] {
        &[]
    }

    fn simulated(&self) -> Self {
        self.clone()
    }

    fn traits(&self) -> Traits {
        Traits {
            default_finality: FinalityRule::Tag,
            has_finality_tag: true,
            has_websocket: false,
            body_may_come_later: false,
            has_watchable_events: false,
            has_due_headers: false,
            binds_parent: true,
            bloom: Err(super::NO_BLOOM),
            proves: Proves {
                transaction: "its place, its bytes and signatures, and contractRet: whether its call succeeded",
                event: Err(NO_EVENTS),
                absence: Ok(NO_TRANSACTION_AT),
            },
        }
    }

    fn contradiction(&self, caip2: &str) -> Option<Contradiction> {
        let [.., a, b, c, d] = self.genesis.0;
        let is_called = caip2 == format!("tron:0x{:08x}", u32::from_be_bytes([a, b, c, d]));
        let expected = "tron:0x and the last four bytes of genesis in hex";
        (!is_called).then(|| Contradiction { field: "caip2", got: caip2.to_owned(), expected })
    }
}
