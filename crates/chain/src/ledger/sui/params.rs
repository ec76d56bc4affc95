use superroot_proof::finality::checkpoint::Committee;
use superroot_types::Hash;

use crate::finality::FinalityRule;
use crate::ledger::{LedgerParams, NO_TRANSACTION_AT, ProofScope, SpecContradiction, Traits};
use crate::registry::ChainRegistryError;
use crate::registry::fields::TableFields;
use crate::unprovable::UnprovableRange;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiParams {
    /// Digest of checkpoint 0, the network id reported by nodes.
    pub genesis: Hash,
    /// Trusted committee; checkpoints in the committee's epoch require the signature.
    pub committee: Option<Committee>,
}

impl SuiParams {
    /// Whether a CAIP-2 name matches the network: `sui:` and the first four digest bytes in hex.
    fn is_called(&self, caip2: &str) -> bool {
        let name = self.genesis.0.first_chunk::<4>().map(const_hex::encode);
        caip2.strip_prefix("sui:").map(str::to_owned) == name
    }
}

impl LedgerParams for SuiParams {
    fn read(fields: &mut TableFields, _: u64) -> Result<Self, ChainRegistryError> {
        let expected = "the digest of checkpoint 0 in base58";
        let genesis = fields.choice("genesis", expected, |text| {
            // 32 bytes have 44 digits at most
            let bytes = (text.len() <= 44).then(|| bs58::decode(text).into_vec().ok());
            bytes.flatten()?.try_into().ok().map(Hash)
        })?;
        let expected = "hex of a ValidatorCommittee in BCS";
        let committee = fields.optional_choice("committee", expected, |text| {
            Committee::read(&const_hex::decode(text).ok()?)
        })?;
        Ok(Self { genesis, committee })
    }

    fn simulated(&self) -> Self {
        Self { genesis: self.genesis, committee: None }
    }

    fn unprovable(&self) -> &[UnprovableRange] {
        &[]
    }

    fn traits(&self) -> Traits {
        Traits {
            // a checkpoint is made of what is final
            default_finality: FinalityRule::Latest,
            has_finality_tag: false,
            has_websocket: false,
            body_may_come_later: false,
            has_watchable_events: false,
            has_due_headers: false,
            binds_parent: true,
            bloom: Err(super::NO_BLOOM),
            proves: ProofScope {
                transaction: "its place in the checkpoint, its digest, and its effects",
                event: Ok("an event of a transaction"),
                absence: Ok(NO_TRANSACTION_AT),
            },
        }
    }

    fn contradiction(&self, caip2: &str) -> Option<SpecContradiction> {
        let expected = "sui: and the first four bytes of genesis in hex";
        let got = || caip2.to_owned();
        (!self.is_called(caip2)).then(|| SpecContradiction { field: "caip2", got: got(), expected })
    }
}
