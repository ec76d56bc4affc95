//! A block's finality: evidence, link and steps, and the proof file.

use alloc::string::String;
use alloc::vec::Vec;

use superroot_types::{BlockNumber, Hash, UnixSeconds};

use super::verdict::Stop;
use super::{
    ConsensusEvidence, FinalityKind, FinalityParams, FinalitySet, LINK_BYTES_MAX, LinkHeaders,
    Refusal, Shortfall, Verdict,
};
use crate::bundle::{BUNDLE_BYTES_MAX, Bundle, DecodeError};
use crate::codec::{ByteReader, put_long};
use crate::registry::HashRule;

/// Most bytes of all steps.
pub const STEPS_BYTES_MAX: usize = 2 << 20;

/// Evidence with link and steps: `length:u32 ‖ evidence ‖ length:u32 ‖ link ‖ count:u16 ‖ (length:u32 ‖ step)*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinalityProof {
    /// What a set signed.
    pub evidence: ConsensusEvidence,
    /// From the evidence's block to the proof's block.
    pub link: LinkHeaders,
    /// From the client's set to the signing set, in order.
    pub steps: Vec<Vec<u8>>,
}

impl FinalityProof {
    /// Bytes, for [`FinalityProof::decode`].
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_long(&mut out, &self.evidence.encode());
        put_long(&mut out, &self.link.encode());
        let count = u16::try_from(self.steps.len()).unwrap_or(u16::MAX);
        out.extend_from_slice(&count.to_be_bytes());
        self.steps.iter().for_each(|step| put_long(&mut out, step));
        out
    }

    /// Reads all bytes.
    ///
    /// # Errors
    /// [`DecodeError::Part`] for a cut, malformed or too long part, [`DecodeError::Trailing`].
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = ByteReader::new(bytes);
        let part = |part| DecodeError::Part { part };
        let evidence = reader.long().and_then(ConsensusEvidence::decode);
        let evidence = evidence.ok_or(part("evidence of finality"))?;
        let link = reader.long().filter(|link| link.len() <= LINK_BYTES_MAX);
        let link = link.and_then(LinkHeaders::decode).ok_or(part("link of finality"))?;
        if reader.len() > STEPS_BYTES_MAX {
            return Err(part("steps of finality"));
        }
        let mut steps = Vec::new();
        for _ in 0..reader.u16().ok_or(part("steps of finality"))? {
            steps.push(reader.long().ok_or(part("steps of finality"))?.to_vec());
        }
        match reader.len() {
            0 => Ok(Self { evidence, link, steps }),
            count => Err(DecodeError::Trailing { count }),
        }
    }
}

/// What a proof file holds: format 02 with finality, else format 01.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofFile {
    /// Proof up to a SuperRoot.
    pub bundle: Bundle,
    /// The block's finality.
    pub finality: Option<FinalityProof>,
}

impl ProofFile {
    /// Bytes, for [`ProofFile::decode`].
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        match &self.finality {
            None => self.bundle.encode(),
            Some(finality) => self.bundle.encode_with(&finality.encode()),
        }
    }

    /// Reads a proof file of either format.
    ///
    /// # Errors
    /// [`DecodeError`] naming the part. Nothing is verified yet.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        if bytes.len() > BUNDLE_BYTES_MAX {
            return Err(DecodeError::TooLarge { got: bytes.len() });
        }
        let (bundle, finality) = Bundle::decode_with(bytes)?;
        let finality = finality.map(FinalityProof::decode).transpose()?;
        let file = Self { bundle, finality };
        if file.encode() == bytes { Ok(file) } else { Err(DecodeError::NotCanonical) }
    }
}

/// A block's finality, made only by [`check`] and [`check_evidence`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinalityShown {
    kind: FinalityKind,
    number: Option<BlockNumber>,
    hash: Hash,
    target: Hash,
    set: Hash,
    steps: usize,
    at: Option<UnixSeconds>,
    by: String,
}

impl FinalityShown {
    /// The evidence's kind.
    #[must_use]
    pub const fn kind(&self) -> FinalityKind {
        self.kind
    }

    /// Block's number, if bound by the evidence.
    #[must_use]
    pub const fn number(&self) -> Option<BlockNumber> {
        self.number
    }

    /// The final block's hash.
    #[must_use]
    pub const fn hash(&self) -> Hash {
        self.hash
    }

    /// The evidence's block hash: this block or a descendant.
    #[must_use]
    pub const fn target(&self) -> Hash {
        self.target
    }

    /// The signing set's id.
    #[must_use]
    pub const fn set(&self) -> Hash {
        self.set
    }

    /// Steps from the client's set to the signing set.
    #[must_use]
    pub const fn steps(&self) -> usize {
        self.steps
    }

    /// The signature's time, if shown.
    #[must_use]
    pub const fn at(&self) -> Option<UnixSeconds> {
        self.at
    }

    /// Who signed, in words.
    #[must_use]
    pub fn by(&self) -> &str {
        &self.by
    }

    /// What is still trusted, in words.
    #[must_use]
    pub const fn trust(&self) -> &'static str {
        self.kind.trust()
    }
}

/// Checks evidence with the signing set.
#[must_use]
pub fn check_evidence(
    params: &FinalityParams,
    set: &FinalitySet,
    evidence: &ConsensusEvidence,
    now: UnixSeconds,
) -> Verdict<FinalityShown> {
    signed(params, set, evidence, now).into()
}

/// Block in question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinalityQuestion {
    /// Header rule.
    pub rule: HashRule,
    /// Stated number.
    pub number: BlockNumber,
    /// Hash.
    pub hash: Hash,
}

/// Checks finality from a trusted set: steps, the last set's signature, and headers down to the block. A bound number
/// must equal the stated number.
#[must_use]
pub fn check(
    params: &FinalityParams,
    set: &FinalitySet,
    proof: &FinalityProof,
    asked: FinalityQuestion,
    now: UnixSeconds,
) -> Verdict<FinalityShown> {
    shown(params, set, proof, asked, now).into()
}

fn shown(
    params: &FinalityParams,
    own: &FinalitySet,
    proof: &FinalityProof,
    FinalityQuestion { rule, number, hash }: FinalityQuestion,
    now: UnixSeconds,
) -> Result<FinalityShown, Stop> {
    let mut set = own.clone();
    let mut steps = 0_usize;
    for step in &proof.steps {
        match set.advance(params, step, now) {
            Verdict::Shown(next) => {
                set = next;
                steps = steps.saturating_add(1);
            }
            // a step that leads to the client's own set, or to an earlier one
            Verdict::NotEnough(Shortfall::Set { needed, held }) if steps == 0 && needed < held => {}
            Verdict::NotEnough(lacking) => return Err(lacking.into()),
            Verdict::Refusal(why) => return Err(why.into()),
        }
    }
    let mut shown = signed(params, &set, &proof.evidence, now)?;
    let ConsensusEvidence { number: target, hash: of_target, .. } = proof.evidence;
    let (got_number, got) =
        proof.link.follow(rule, params.history_blocks(), (target, of_target))?;
    if got != hash {
        return Err(Refusal::Block { got, expected: hash }.into());
    }
    if got_number != number {
        return Err(Refusal::Number { got: got_number, expected: number }.into());
    }
    shown.number = shown.number.map(|_| number);
    Ok(FinalityShown { hash, steps, ..shown })
}

fn signed(
    params: &FinalityParams,
    set: &FinalitySet,
    evidence: &ConsensusEvidence,
    now: UnixSeconds,
) -> Result<FinalityShown, Stop> {
    let ConsensusEvidence { kind, number, hash, body } = evidence;
    if *kind != params.kind() {
        return Err(Refusal::Kind.into());
    }
    let signed = set.check(params, (*number, *hash), body, now)?;
    Ok(FinalityShown {
        kind: *kind,
        number: kind.binds_number().then_some(*number),
        hash: *hash,
        target: *hash,
        set: set.id(),
        steps: 0,
        at: signed.at,
        by: signed.by,
    })
}
