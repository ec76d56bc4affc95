//! What differs between chains of the family, and how a row says it.

use ic_verify_bls_signature::{PrivateKey, PublicKey};

use super::principal::Principal;
use crate::finality::FinalityRule;
use crate::ledger::{LedgerParams, NO_TRANSACTION_AT, Proves, Traits};
use crate::registry::RegistryError;
use crate::registry::fields::Fields;
use crate::unprovable::Unprovable;

/// Bytes of a root key: a point of BLS12-381's second group, compressed.
const KEY_BYTES: usize = 96;

/// The secret key of simulated chains, which everybody knows.
pub const SIMULATED_KEY: [u8; 32] = *b"\0superroot simulated, not secret";

/// What a row of the registry holds for a chain of the family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    /// The ledger's canister.
    pub canister: Principal,
    /// The key that every certificate leads to; that of the Internet Computer never changes.
    pub root_key: [u8; KEY_BYTES],
}

/// The root key of simulated chains.
#[must_use]
pub fn simulated_root_key() -> [u8; KEY_BYTES] {
    PrivateKey::deserialize(&SIMULATED_KEY)
        .map_or([0; KEY_BYTES], |key| key.public_key().serialize())
}

impl LedgerParams for Params {
    fn read(fields: &mut Fields, _: u64) -> Result<Self, RegistryError> {
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

    /// Of a chain whose certificates anybody can sign.
    fn simulated(&self) -> Self {
        Self { root_key: simulated_root_key(), ..self.clone() }
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
            binds_parent: true,
            bloom: Err(super::NO_BLOOM),
            proves: Proves {
                transaction: "the only one of its block, whole",
                event: Ok("what the transaction did, which is its only event"),
                absence: Ok(NO_TRANSACTION_AT),
            },
        }
    }
}
