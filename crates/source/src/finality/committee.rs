//! Sync committees of a simulated chain, whose keys everybody knows.

use blst::min_pk::{AggregatePublicKey, AggregateSignature, SecretKey};
use superroot_proof::finality::beacon::{
    BeaconHeader, BeaconParams, SUITE, committee_root, signing_root,
};
use superroot_types::Hash;

const SIGNATURE_BYTES: usize = 96;

/// A period's committee, with its keys.
pub(super) struct SimulatedCommittee {
    keys: Vec<SecretKey>,
    bytes: Vec<u8>,
    root: Hash,
}

impl SimulatedCommittee {
    pub(super) fn of(params: &BeaconParams, period: u64) -> Self {
        let key = |index: usize| {
            let seed =
                format!("superroot simulated, not secret: member {index} of period {period}");
            SecretKey::key_gen(seed.as_bytes(), &[]).ok()
        };
        let keys: Vec<_> = (0..params.members).filter_map(key).collect();
        let public: Vec<_> = keys.iter().map(SecretKey::sk_to_pk).collect();
        let mut bytes: Vec<u8> = public.iter().flat_map(|key| key.compress()).collect();
        let all: Vec<_> = public.iter().collect();
        if let Ok(sum) = AggregatePublicKey::aggregate(&all, false) {
            bytes.extend(sum.to_public_key().compress());
        }
        let root = committee_root(params, &bytes).unwrap_or(Hash::ZERO);
        Self { keys, bytes, root }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) const fn root(&self) -> Hash {
        self.root
    }

    /// Bits and signature of all members but the last.
    pub(super) fn sign(
        &self,
        params: &BeaconParams,
        attested: &BeaconHeader,
        signature_slot: u64,
    ) -> (Vec<u8>, [u8; SIGNATURE_BYTES]) {
        let mut bits = vec![0xff; params.members.div_ceil(8)];
        if let Some(last) = bits.last_mut() {
            *last = 0x7f;
        }
        let message = signing_root(params, attested, signature_slot).unwrap_or(Hash::ZERO);
        let signers = self.keys.iter().take(self.keys.len().saturating_sub(1));
        let signatures: Vec<_> = signers.map(|key| key.sign(&message.0, SUITE, &[])).collect();
        let all: Vec<_> = signatures.iter().collect();
        let signature = AggregateSignature::aggregate(&all, false).ok();
        let signature = signature.map(|sum| sum.to_signature().compress());
        (bits, signature.unwrap_or([0; SIGNATURE_BYTES]))
    }
}
