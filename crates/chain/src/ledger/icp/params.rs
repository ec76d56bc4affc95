use ic_verify_bls_signature::{PrivateKey, PublicKey};
use superroot_proof::finality::certificate::Principal;

use crate::finality::FinalityRule;
use crate::ledger::{LedgerParams, NO_TRANSACTION_AT, ProofScope, Traits};
use crate::registry::ChainRegistryError;
use crate::registry::fields::TableFields;
use crate::unprovable::UnprovableRange;

/// Root key bytes: a compressed point in the second group of BLS12-381.
const KEY_BYTES: usize = 96;

/// Public secret key of simulated chains.
pub const SIMULATED_KEY: [u8; 32] = *b"\0superroot simulated, not secret";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IcpParams {
    pub canister: Principal,
    /// Root of trust for every certificate; the Internet Computer key never changes.
    pub root_key: [u8; KEY_BYTES],
}

#[must_use]
pub fn simulated_root_key() -> [u8; KEY_BYTES] {
    PrivateKey::deserialize(&SIMULATED_KEY)
        .map_or([0; KEY_BYTES], |key| key.public_key().serialize())
}

impl LedgerParams for IcpParams {
    fn read(fields: &mut TableFields, _: u64) -> Result<Self, ChainRegistryError> {
        let expected = "the canister of the ledger, as ryjl3-tyaaa-aaaaa-aaaba-cai";
        let canister = fields.choice("canister", expected, |text| text.parse().ok())?;
        let expected = "the hex of a point of 96 bytes, without 0x";
        let root_key = fields.choice("root_key", expected, |text| {
            let bytes: [u8; KEY_BYTES] = const_hex::decode(text).ok()?.try_into().ok()?;
            (const_hex::encode(bytes) == text && PublicKey::deserialize(&bytes).is_ok())
                .then_some(bytes)
        })?;
        Ok(Self { canister, root_key })
    }

    /// Simulated chain: certificates with a public key.
    fn simulated(&self) -> Self {
        Self { root_key: simulated_root_key(), ..self.clone() }
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
            binds_parent: true,
            bloom: Err(super::NO_BLOOM),
            proves: ProofScope {
                transaction: "the only one of its block, whole",
                event: Ok("what the transaction did, which is its only event"),
                absence: Ok(NO_TRANSACTION_AT),
            },
        }
    }
}
