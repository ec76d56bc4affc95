//! Committees as sets.

use alloc::format;
use alloc::vec::Vec;

use superroot_types::{BlockNumber, Hash, UnixSeconds};

use super::params::{BeaconLayout, BeaconParams};
use super::set::{BeaconSet, committee, proven};
use super::update::{BeaconEvidence, BeaconStep};
use super::verify::{next, shown};
use crate::codec::ByteReader;
use crate::finality::Refusal;
use crate::finality::rules::{SetRules, SetSignature, SignedPlace};
use crate::finality::verdict::Stop;

impl SetRules for BeaconSet {
    type Params = BeaconParams;

    /// `period:u64 ‖ committee`.
    fn decode(params: &BeaconParams, bytes: &[u8]) -> Result<Self, Refusal> {
        let mut reader = ByteReader::new(bytes);
        let period = reader.u64().ok_or(Refusal::Encoding { part: "period" })?;
        let bytes = reader.rest();
        let (id, _) = committee(params, bytes)?;
        proven(params, period, bytes, id)
    }

    fn encode(&self) -> Vec<u8> {
        [&self.period().to_be_bytes()[..], self.bytes()].concat()
    }

    fn id(&self) -> Hash {
        self.id()
    }

    fn begins(&self, params: &BeaconParams) -> Option<UnixSeconds> {
        Some(params.time_of(params.first_slot(self.period())))
    }

    fn trusted_until(&self, params: &BeaconParams) -> Option<UnixSeconds> {
        let end = params.time_of(params.first_slot(self.period().saturating_add(1)));
        Some(UnixSeconds(end.0.saturating_add(params.trusted_seconds)))
    }

    fn check(
        &self,
        params: &BeaconParams,
        (_, hash): (BlockNumber, Hash),
        body: &[u8],
        now: UnixSeconds,
    ) -> Result<SetSignature, Stop> {
        let evidence = BeaconEvidence::decode(params, body)?;
        let shown = shown(params, self, &evidence, now)?;
        let got = shown.block_hash();
        if got != hash {
            return Err(Refusal::Block { got, expected: hash }.into());
        }
        let at = Some(params.time_of(shown.signature_slot()));
        let (signers, members) = (shown.signers(), params.members);
        Ok(SetSignature {
            at,
            by: format!("{signers} of {members} of the sync committee of period {}", self.period()),
        })
    }

    fn advance(&self, params: &BeaconParams, step: &[u8], now: UnixSeconds) -> Result<Self, Stop> {
        next(params, self, &BeaconStep::decode(params, step)?, now)
    }

    fn named_by(params: &BeaconParams, step: &[u8]) -> Option<Self> {
        let step = BeaconStep::decode(params, step).ok()?;
        let period = params.period_of(step.signed.attested.slot).checked_add(1)?;
        let (id, _) = committee(params, &step.committee).ok()?;
        proven(params, period, &step.committee, id).ok()
    }

    fn number(&self) -> u64 {
        self.period()
    }

    fn signer_of(params: &BeaconParams, _: BlockNumber, body: &[u8]) -> Option<u64> {
        let evidence = BeaconEvidence::decode(params, body).ok()?;
        Some(params.period_of(evidence.signed.signature_slot))
    }

    /// The finalized slot; from Gloas on the hash is the parent's, whose slot is not shown.
    fn place(params: &BeaconParams, _: BlockNumber, body: &[u8]) -> Option<SignedPlace> {
        let slot = BeaconEvidence::decode(params, body).ok()?.signed.finalized.slot;
        let is_own = params.layout_at(slot)? != BeaconLayout::Gloas;
        is_own.then_some(SignedPlace::Slot(slot))
    }
}
