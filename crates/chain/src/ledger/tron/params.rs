use superroot_types::Hash;

use crate::finality::FinalityRule;
use crate::ledger::{LedgerParams, NO_TRANSACTION_AT, ProofScope, SpecContradiction, Traits};
use crate::registry::ChainRegistryError;
use crate::registry::fields::TableFields;
use crate::unprovable::UnprovableRange;
use superroot_proof::finality::producers::ProducerParams;
use superroot_proof::ledger::tron::{Header, NO_EVENTS};

/// Blocks from a block with signed headers to the next.
pub const RUN_BLOCKS: u64 = 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TronParams {
    /// First block id. The last four bytes are the chain id.
    pub genesis: Hash,
    /// Constants for evidence.
    pub producers: ProducerParams,
}

impl LedgerParams for TronParams {
    fn read(fields: &mut TableFields, _: u64) -> Result<Self, ChainRegistryError> {
        let expected = "the block id of the first block: 0x, 16 zeros, and 48 hex digits";
        let genesis = fields.choice("genesis", expected, |text| {
            text.parse().ok().filter(|hash: &Hash| hash.0.starts_with(&[0; 8]))
        })?;
        Ok(Self { genesis, producers: ProducerParams::TRON })
    }

    fn unprovable(&self) -> &[UnprovableRange] {
        &[]
    }

    /// Signed headers on top come later.
    fn is_signed_when_final(&self, header: &[u8]) -> bool {
        Header::decode(header).is_ok_and(|header| header.number.is_multiple_of(RUN_BLOCKS))
    }

    fn simulated(&self) -> Self {
        Self { producers: ProducerParams::SIMULATED, ..self.clone() }
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
            proves: ProofScope {
                transaction: "its place, its bytes and signatures, and contractRet: whether its call succeeded",
                event: Err(NO_EVENTS),
                absence: Ok(NO_TRANSACTION_AT),
            },
        }
    }

    fn contradiction(&self, caip2: &str) -> Option<SpecContradiction> {
        let [.., a, b, c, d] = self.genesis.0;
        let is_called = caip2 == format!("tron:0x{:08x}", u32::from_be_bytes([a, b, c, d]));
        let expected = "tron:0x and the last four bytes of genesis in hex";
        (!is_called).then(|| SpecContradiction { field: "caip2", got: caip2.to_owned(), expected })
    }
}
