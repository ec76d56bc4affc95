//! Checks of evidence and steps.

use superroot_types::{Hash, UnixSeconds};

use super::params::BeaconParams;
use super::set::{BeaconSet, committee, proven};
use super::update::{BeaconEvidence, BeaconHeader, BeaconStep, SignedHeader, layout};
use crate::finality::verdict::Stop;
use crate::finality::{Refusal, Shortfall, Verdict, bls, ssz};

/// Final execution block, made only by [`check`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BeaconShown {
    block_hash: Hash,
    finalized_slot: u64,
    finalized_root: Hash,
    signature_slot: u64,
    signers: u32,
    set: Hash,
}

impl BeaconShown {
    /// Hash of the final execution block.
    #[must_use]
    pub const fn block_hash(&self) -> Hash {
        self.block_hash
    }

    /// The finalized header's slot.
    #[must_use]
    pub const fn finalized_slot(&self) -> u64 {
        self.finalized_slot
    }

    /// The finalized header's root.
    #[must_use]
    pub const fn finalized_root(&self) -> Hash {
        self.finalized_root
    }

    /// The signature's slot.
    #[must_use]
    pub const fn signature_slot(&self) -> u64 {
        self.signature_slot
    }

    /// Signing members.
    #[must_use]
    pub const fn signers(&self) -> u32 {
        self.signers
    }

    /// The signing committee's root.
    #[must_use]
    pub const fn set(&self) -> Hash {
        self.set
    }
}

/// Checks evidence about an execution block with the signing committee.
#[must_use]
pub fn check(
    params: &BeaconParams,
    set: &BeaconSet,
    evidence: &BeaconEvidence,
    now: UnixSeconds,
) -> Verdict<BeaconShown> {
    shown(params, set, evidence, now).into()
}

/// Checks a step to the committee after `set`.
#[must_use]
pub fn advance(
    params: &BeaconParams,
    set: &BeaconSet,
    step: &BeaconStep,
    now: UnixSeconds,
) -> Verdict<BeaconSet> {
    next(params, set, step, now).into()
}

pub(super) fn shown(
    params: &BeaconParams,
    set: &BeaconSet,
    evidence: &BeaconEvidence,
    now: UnixSeconds,
) -> Result<BeaconShown, Stop> {
    let BeaconEvidence { signed, block_hash, block_branch } = evidence;
    let signers = check_signed(params, set, signed, now)?;
    let finalized = &signed.finalized;
    let index = layout(params, finalized.slot)?.block_hash();
    if !ssz::is_under(&finalized.body_root, *block_hash, index, block_branch) {
        return Err(Refusal::Branch { part: "block hash" }.into());
    }
    Ok(BeaconShown {
        block_hash: *block_hash,
        finalized_slot: finalized.slot,
        finalized_root: finalized.root(),
        signature_slot: signed.signature_slot,
        signers,
        set: set.id(),
    })
}

pub(super) fn next(
    params: &BeaconParams,
    set: &BeaconSet,
    step: &BeaconStep,
    now: UnixSeconds,
) -> Result<BeaconSet, Stop> {
    let BeaconStep { signed, committee: bytes, committee_branch } = step;
    let attested = &signed.attested;
    let period = set.period();
    check_signed(params, set, signed, now)?;
    let is_of_period = |slot| params.period_of(slot) == period;
    if !is_of_period(attested.slot) || !is_of_period(signed.finalized.slot) {
        let what = "the headers of a step are of the period of its signers";
        return Err(Refusal::Order { what }.into());
    }
    let (root, _) = committee(params, bytes)?;
    let index = layout(params, attested.slot)?.next_committee();
    if !ssz::is_under(&attested.state_root, root, index, committee_branch) {
        return Err(Refusal::Branch { part: "next committee" }.into());
    }
    let after = period.checked_add(1);
    let after = after.ok_or(Refusal::Order { what: "there is no period behind the last" })?;
    Ok(proven(params, after, bytes, root)?)
}

/// Signed message for a header, by the rules at the slot before the signature; `None` before Capella.
#[must_use]
pub fn signing_root(
    params: &BeaconParams,
    attested: &BeaconHeader,
    signature_slot: u64,
) -> Option<Hash> {
    // the version of the slot before, as the block that was signed is older than the signature
    let fork = params.fork_at(signature_slot.saturating_sub(1))?;
    Some(ssz::node(&attested.root(), &params.domain(fork.version)))
}

/// Checks times, finality branch and signature; the number of signers.
fn check_signed(
    params: &BeaconParams,
    set: &BeaconSet,
    signed: &SignedHeader,
    now: UnixSeconds,
) -> Result<u32, Stop> {
    let SignedHeader { attested, finalized, finality_branch, bits, signature, signature_slot } =
        signed;
    let is_risen =
        *signature_slot > attested.slot && attested.slot >= finalized.slot && finalized.slot > 0;
    if !is_risen {
        let what = "the slots of signature, attested and finalized header do not fall, or are 0";
        return Err(Refusal::Order { what }.into());
    }
    let at = params.time_of(*signature_slot);
    if at > now {
        return Err(Shortfall::Early { at }.into());
    }
    let needed = params.period_of(*signature_slot);
    let held = set.period();
    if needed != held {
        return Err(Shortfall::Set { needed, held }.into());
    }
    let of = params.time_of(params.first_slot(held.saturating_add(1)));
    let seconds = params.trusted_seconds;
    if now.0 > of.0.saturating_add(seconds) {
        return Err(Shortfall::Expired { of, seconds }.into());
    }
    let index = layout(params, attested.slot)?.finalized_root();
    if !ssz::is_under(&attested.state_root, finalized.root(), index, finality_branch) {
        return Err(Refusal::Branch { part: "finalized header" }.into());
    }
    let signers = signers_of(params, bits)?;
    let message = signing_root(params, attested, *signature_slot);
    let message = message.ok_or(Refusal::NoRules { slot: *signature_slot })?;
    let is_set = |index: usize| bit(bits, index);
    let keys = set.keys().iter().enumerate().filter(|(index, _)| is_set(*index));
    match bls::is_signed(keys.map(|(_, key)| key), &message.0, signature) {
        true => Ok(signers),
        false => Err(Refusal::Signature.into()),
    }
}

/// Set bits: at least two thirds, and none past the members.
fn signers_of(params: &BeaconParams, bits: &[u8]) -> Result<u32, Stop> {
    let part = "bits";
    if bits.len() != params.members.div_ceil(8) {
        return Err(Refusal::Encoding { part }.into());
    }
    let got: u32 = bits.iter().map(|byte| byte.count_ones()).sum();
    let within = (0..params.members).filter(|index| bit(bits, *index)).count();
    if u32::try_from(within) != Ok(got) {
        return Err(Refusal::Encoding { part }.into());
    }
    let wide = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let (of, expected) = (wide(params.members), wide(params.quorum()));
    match u64::from(got) >= expected {
        true => Ok(got),
        false => Err(Shortfall::Signers { got: got.into(), of, expected }.into()),
    }
}

fn bit(bits: &[u8], index: usize) -> bool {
    bits.get(index / 8).is_some_and(|byte| byte >> (index % 8) & 1 == 1)
}
