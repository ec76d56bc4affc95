//! Rules for a kind.

use alloc::string::String;
use alloc::vec::Vec;

use superroot_types::{BlockNumber, Hash, UnixSeconds};

use super::verdict::{Refusal, Stop};

/// Rules of a kind's sets.
pub(super) trait SetRules: Sized {
    /// A chain's constants, the client's own.
    type Params;

    /// Reads a set. Compare the [`SetRules::id`] with the pin.
    fn decode(params: &Self::Params, bytes: &[u8]) -> Result<Self, Refusal>;

    fn encode(&self) -> Vec<u8>;

    fn id(&self) -> Hash;

    /// Begin; `None` if it is in no bytes of the set.
    fn begins(&self, _params: &Self::Params) -> Option<UnixSeconds> {
        None
    }

    /// End of trust; `None` for ever.
    fn trusted_until(&self, params: &Self::Params) -> Option<UnixSeconds>;

    /// Checks a signature about a block.
    fn check(
        &self,
        params: &Self::Params,
        block: (BlockNumber, Hash),
        body: &[u8],
        now: UnixSeconds,
    ) -> Result<SetSignature, Stop>;

    /// Checks a step: the set behind this one.
    fn advance(&self, params: &Self::Params, step: &[u8], now: UnixSeconds) -> Result<Self, Stop>;

    /// Set named by a step, unchecked.
    fn named_by(params: &Self::Params, step: &[u8]) -> Option<Self>;

    /// Set number: a period or an epoch.
    fn number(&self) -> u64;

    /// Signing set's number as named by evidence, unchecked.
    fn signer_of(params: &Self::Params, number: BlockNumber, body: &[u8]) -> Option<u64>;

    /// Bound place of the evidence's block; `None` without one.
    fn place(_params: &Self::Params, number: BlockNumber, _body: &[u8]) -> Option<SignedPlace> {
        Some(SignedPlace::Number(number))
    }
}

/// Block's place in the chain, as bound by evidence. Two blocks at one place exclude each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignedPlace {
    /// Number.
    Number(BlockNumber),
    /// Slot, on chains whose evidence binds no number.
    Slot(u64),
}

/// A checked signature.
pub(super) struct SetSignature {
    /// The signature's time, if shown.
    pub(super) at: Option<UnixSeconds>,
    /// Who signed, in words.
    pub(super) by: String,
}
