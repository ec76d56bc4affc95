//! What differs between chains of the family, and how a row says it.

use superroot_types::Hash;

use crate::finality::FinalityRule;
use crate::ledger::{Contradiction, LedgerParams, Proves, Traits};
use crate::registry::RegistryError;
use crate::registry::fields::Fields;
use crate::unprovable::Unprovable;
use superroot_proof::ledger::solana::{NO_ABSENCE, NO_EVENT};

/// How the CAIP-2 names of the family begin.
const NAMESPACE: &str = "solana:";
/// Digits of the genesis hash that a CAIP-2 name holds.
const REFERENCE_DIGITS: usize = 32;

/// Constants of a chain; a row of the registry holds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    /// Genesis hash: nodes name it, and the entries of the first block begin with it.
    pub genesis_hash: Hash,
}

impl Params {
    /// What is expected of a row's `genesis_hash`.
    pub(crate) const EXPECTED: &'static str =
        "32 bytes in base58, whose first 32 digits are the reference of the CAIP-2 name";

    /// Genesis hash in base58.
    #[must_use]
    pub fn genesis(&self) -> String {
        bs58::encode(self.genesis_hash.0).into_string()
    }
}

fn parse_hash(text: &str) -> Option<Hash> {
    let bytes = bs58::decode(text).into_vec().ok()?;
    bytes.try_into().ok().map(Hash)
}

impl LedgerParams for Params {
    fn read(fields: &mut Fields, _: u64) -> Result<Self, RegistryError> {
        let genesis_hash = fields.choice("genesis_hash", Self::EXPECTED, parse_hash)?;
        Ok(Self { genesis_hash })
    }

    fn simulated(&self) -> Self {
        self.clone()
    }

    fn unprovable(&self) -> &[Unprovable] {
        &[]
    }

    fn traits(&self) -> Traits {
        Traits {
            default_finality: FinalityRule::Tag,
            has_finality_tag: true,
            has_websocket: false,
            body_may_come_later: false,
            has_watchable_events: false,
            has_due_headers: false,
            binds_parent: false,
            bloom: Err(super::NO_BLOOM),
            proves: Proves {
                transaction: "under rule 0201, where the block's entries are held: that its signatures were recorded in the block; neither its place nor whether it succeeded",
                event: Err(NO_EVENT),
                absence: Err(NO_ABSENCE),
            },
        }
    }

    fn contradiction(&self, caip2: &str) -> Option<Contradiction> {
        let (field, got, expected) = ("genesis_hash", self.genesis(), Self::EXPECTED);
        let is_called = caip2.strip_prefix(NAMESPACE) == got.get(..REFERENCE_DIGITS);
        (!is_called).then_some(Contradiction { field, got, expected })
    }
}
