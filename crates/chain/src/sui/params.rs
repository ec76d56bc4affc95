//! What differs between networks of the family, and how a row says it.

use superroot_types::Hash;

use super::committee::Committee;
use crate::finality::FinalityRule;
use crate::ledger::{Contradiction, LedgerParams, NO_TRANSACTION_AT, Proves, Traits};
use crate::registry::RegistryError;
use crate::registry::fields::Fields;
use crate::unprovable::Unprovable;

/// Constants of a network; a row of the registry holds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    /// Digest of checkpoint 0, by which nodes say what network they are of.
    pub genesis: Hash,
    /// A committee that is believed; the checkpoints of its epoch must have its signature.
    pub committee: Option<Committee>,
}

impl Params {
    /// Whether a CAIP-2 name is the network's: `sui:` and the first four bytes of the digest in hex.
    fn is_called(&self, caip2: &str) -> bool {
        let name = self.genesis.0.first_chunk::<4>().map(const_hex::encode);
        caip2.strip_prefix("sui:").map(str::to_owned) == name
    }
}

impl LedgerParams for Params {
    fn read(fields: &mut Fields, _: u64) -> Result<Self, RegistryError> {
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

    fn unprovable(&self) -> &[Unprovable] {
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
            proves: Proves {
                transaction: "its place in the checkpoint, its digest, and its effects",
                event: Ok("an event of a transaction"),
                absence: Ok(NO_TRANSACTION_AT),
            },
        }
    }

    fn contradiction(&self, caip2: &str) -> Option<Contradiction> {
        let expected = "sui: and the first four bytes of genesis in hex";
        let got = || caip2.to_owned();
        (!self.is_called(caip2)).then(|| Contradiction { field: "caip2", got: got(), expected })
    }
}
