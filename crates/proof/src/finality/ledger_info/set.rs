//! Epoch's validators as a set.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use superroot_types::{BlockNumber, Hash, UnixSeconds};

use super::body::SignedLedgerInfo;
use crate::finality::bls::{MemberKey, is_signed};
use crate::finality::quorum::least_above_two_thirds;
use crate::finality::rules::{SetRules, SetSignature};
use crate::finality::verdict::Stop;
use crate::finality::{Refusal, Shortfall};
use crate::ledger::aptos::{AptosEpochEnd, AptosLedgerInfo};

const SECOND_US: u64 = 1_000_000;

/// Constants of Aptos: the client's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerInfoParams {
    /// Trusting period, in seconds.
    pub trusted_seconds: u64,
}

/// Validators of an epoch, named by the end of the epoch before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerInfoSet {
    end: Box<AptosEpochEnd>,
    /// By validator.
    keys: Vec<MemberKey>,
    total: u64,
}

impl LedgerInfoSet {
    /// Set of the epoch behind an end.
    ///
    /// # Errors
    /// [`Refusal::Order`] unless the next epoch follows; [`Refusal::Key`]; [`Refusal::Encoding`] for no voting power, or
    /// 2^64 and more.
    pub fn new(end: AptosEpochEnd) -> Result<Self, Refusal> {
        if end.epoch.checked_add(1) != Some(end.next.epoch) {
            return Err(Refusal::Order { what: "the named epoch does not follow" });
        }
        let powers = end.next.validators.iter().map(|one| one.power);
        let total = powers.into_iter().try_fold(0_u64, u64::checked_add);
        let total = total.filter(|total| *total > 0);
        let total = total.ok_or(Refusal::Encoding { part: "voting power" })?;
        let keys = end
            .next
            .validators
            .iter()
            .enumerate()
            .map(|(index, one)| MemberKey::validated(&one.key).ok_or(Refusal::Key { index }));
        let keys = keys.collect::<Result<_, _>>()?;
        Ok(Self { end: Box::new(end), keys, total })
    }

    /// End of the epoch before.
    #[must_use]
    pub const fn end(&self) -> &AptosEpochEnd {
        &self.end
    }

    /// Least voting power above two thirds.
    #[must_use]
    pub const fn quorum(&self) -> u64 {
        least_above_two_thirds(self.total)
    }

    const fn as_of(&self) -> UnixSeconds {
        seconds(self.end.timestamp_us)
    }

    fn check_time(
        &self,
        params: &LedgerInfoParams,
        info: &AptosLedgerInfo,
        now: UnixSeconds,
    ) -> Result<(), Stop> {
        let (needed, held) = (info.epoch, self.end.next.epoch);
        if needed != held {
            return Err(Shortfall::Set { needed, held }.into());
        }
        if self.trusted_until(params).is_none_or(|until| now > until) {
            let (of, seconds) = (self.as_of(), params.trusted_seconds);
            return Err(Shortfall::Expired { of, seconds }.into());
        }
        let at = seconds(info.timestamp_us);
        if at > now {
            return Err(Shortfall::Early { at }.into());
        }
        Ok(())
    }

    /// Checks the signature. Returns the signers' voting power.
    fn check_signature(&self, signed: &SignedLedgerInfo) -> Result<u64, Stop> {
        let SignedLedgerInfo { info, bits, signature, .. } = signed;
        let count = self.keys.len();
        let places = bits.len().saturating_mul(8);
        let is_set = |index: usize| {
            let way = u32::try_from(index % 8).ok().and_then(|bit| 7_u32.checked_sub(bit));
            bits.get(index / 8).zip(way).is_some_and(|(byte, way)| byte >> way & 1 == 1)
        };
        if bits.len() != count.div_ceil(8) || (count..places).any(is_set) {
            return Err(Refusal::Encoding { part: "signers" }.into());
        }
        let members = self.end.next.validators.iter().zip(&self.keys).enumerate();
        let (mut got, mut keys) = (0_u64, Vec::new());
        for (_, (member, key)) in members.filter(|(index, _)| is_set(*index)) {
            got = got.saturating_add(member.power);
            keys.push(key);
        }
        let (of, expected) = (self.total, self.quorum());
        if got < expected {
            return Err(Shortfall::Signers { got, of, expected }.into());
        }
        if !is_signed(keys.into_iter(), &info.signed_bytes(), signature) {
            return Err(Refusal::Signature.into());
        }
        Ok(got)
    }
}

const fn seconds(timestamp_us: u64) -> UnixSeconds {
    UnixSeconds(timestamp_us / SECOND_US)
}

fn read(body: &[u8]) -> Result<SignedLedgerInfo, Refusal> {
    SignedLedgerInfo::decode(body).ok_or(Refusal::Encoding { part: "ledger info" })
}

/// Set behind a step, unchecked.
fn next_of(step: SignedLedgerInfo) -> Result<LedgerInfoSet, Refusal> {
    if step.earlier.is_some() {
        return Err(Refusal::Encoding { part: "step" });
    }
    let end = AptosEpochEnd::of(step.info);
    let what = "the ledger info does not end its epoch";
    LedgerInfoSet::new(end.ok_or(Refusal::Order { what })?)
}

impl SetRules for LedgerInfoSet {
    type Params = LedgerInfoParams;

    fn decode(_: &LedgerInfoParams, bytes: &[u8]) -> Result<Self, Refusal> {
        let end = AptosEpochEnd::decode(bytes);
        Self::new(end.map_err(|_| Refusal::Encoding { part: "end of an epoch" })?)
    }

    fn encode(&self) -> Vec<u8> {
        self.end.encode()
    }

    fn id(&self) -> Hash {
        self.end.waypoint()
    }

    fn begins(&self, _: &LedgerInfoParams) -> Option<UnixSeconds> {
        Some(self.as_of())
    }

    fn trusted_until(&self, params: &LedgerInfoParams) -> Option<UnixSeconds> {
        Some(UnixSeconds(self.as_of().0.saturating_add(params.trusted_seconds)))
    }

    fn check(
        &self,
        params: &LedgerInfoParams,
        (_, hash): (BlockNumber, Hash),
        body: &[u8],
        now: UnixSeconds,
    ) -> Result<SetSignature, Stop> {
        let signed = read(body)?;
        self.check_time(params, &signed.info, now)?;
        let got = signed.block_root()?;
        if got != hash {
            return Err(Refusal::Block { got, expected: hash }.into());
        }
        let power = self.check_signature(&signed)?;
        let (of, epoch) = (self.total, signed.info.epoch);
        let by = format!("{power} of {of} of the voting power of epoch {epoch}");
        Ok(SetSignature { at: Some(seconds(signed.info.timestamp_us)), by })
    }

    /// Last ledger info of the epoch.
    fn advance(
        &self,
        params: &LedgerInfoParams,
        step: &[u8],
        now: UnixSeconds,
    ) -> Result<Self, Stop> {
        let signed = read(step)?;
        self.check_time(params, &signed.info, now)?;
        signed.block_root()?;
        self.check_signature(&signed)?;
        Ok(next_of(signed)?)
    }

    fn named_by(_: &LedgerInfoParams, step: &[u8]) -> Option<Self> {
        next_of(SignedLedgerInfo::decode(step)?).ok()
    }

    fn number(&self) -> u64 {
        self.end.next.epoch
    }

    fn signer_of(_: &LedgerInfoParams, _: BlockNumber, body: &[u8]) -> Option<u64> {
        Some(SignedLedgerInfo::decode(body)?.info.epoch)
    }
}
