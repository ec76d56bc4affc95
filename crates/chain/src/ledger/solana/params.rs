use superroot_types::Hash;

use crate::finality::FinalityRule;
use crate::ledger::{LedgerParams, ProofScope, SpecContradiction, Traits};
use crate::registry::ChainRegistryError;
use crate::registry::fields::TableFields;
use crate::unprovable::UnprovableRange;
use superroot_proof::ledger::solana::{NO_ABSENCE, NO_EVENT};

/// Prefix of CAIP-2 names in the family.
const NAMESPACE: &str = "solana:";
/// Genesis hash digits in a CAIP-2 name.
const REFERENCE_DIGITS: usize = 32;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolanaParams {
    /// Genesis hash: reported by nodes, and the start of the first block's entries.
    pub genesis_hash: Hash,
}

impl SolanaParams {
    /// Expected form of `genesis_hash` in a row.
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

impl LedgerParams for SolanaParams {
    fn read(fields: &mut TableFields, _: u64) -> Result<Self, ChainRegistryError> {
        let genesis_hash = fields.choice("genesis_hash", Self::EXPECTED, parse_hash)?;
        Ok(Self { genesis_hash })
    }

    fn simulated(&self) -> Self {
        self.clone()
    }

    fn unprovable(&self) -> &[UnprovableRange] {
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
            proves: ProofScope {
                transaction: "under rule 0201, where the block's entries are held: that its signatures were recorded in the block; neither its place nor whether it succeeded",
                event: Err(NO_EVENT),
                absence: Err(NO_ABSENCE),
            },
        }
    }

    fn contradiction(&self, caip2: &str) -> Option<SpecContradiction> {
        let field = "genesis_hash";
        let got = self.genesis();
        let expected = Self::EXPECTED;
        let is_called = caip2.strip_prefix(NAMESPACE) == got.get(..REFERENCE_DIGITS);
        (!is_called).then_some(SpecContradiction { field, got, expected })
    }
}
