//! Complete check of a body: parse, verify the proof, compare every member.

use serde_json::Value;
use superroot_proof::bundle::{
    self, Bundle, Facts, MAGIC, Policy, ProofError, ProofStep, Verified,
};
use superroot_proof::finality::{FinalityProof, ProofFile};
use superroot_types::Hash;

use super::{compare, parse};
use crate::{Disagreement, WireError, parse_json};

/// Member of an answer with finality, in the shapes of answers.
const FINALITY_MEMBERS: [&str; 2] = ["finality_proof", "finalityProof"];

/// Body with a valid proof and no member that contradicts the proof.
#[derive(Clone, Debug)]
pub struct CheckedBody {
    /// Proven facts.
    pub facts: Verified<Facts>,
    /// Proof.
    pub bundle: Bundle,
    /// The unproven members' paths.
    pub unproven: Vec<String>,
    /// The block's finality, unchecked: see [`superroot_proof::finality::check`].
    pub finality: Option<FinalityProof>,
}

/// Reason for rejecting a body.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// No proof found: nothing was shown to be true or false.
    #[error(transparent)]
    Unusable(#[from] WireError),
    /// Invalid proof.
    #[error(transparent)]
    Proof(#[from] ProofError),
    /// Valid proof, but a member contradicts the proof.
    #[error(transparent)]
    Disagreement(#[from] Disagreement),
}

impl CheckError {
    /// Whether the body is a well-formed but false proof, rather than garbage.
    #[must_use]
    pub const fn is_false(&self) -> bool {
        !matches!(self, Self::Unusable(_))
    }

    /// Returns the failed proof step, if any.
    #[must_use]
    pub const fn step(&self) -> Option<ProofStep> {
        match self {
            Self::Proof(error) => Some(error.step),
            Self::Unusable(_) | Self::Disagreement(_) => None,
        }
    }
}

/// Checks a body: a proof file (`.srproof`) or JSON of any shape, detected by the first bytes. With `trusted`, the
/// proof must lead to the given SuperRoot hash, which comes from the client's own store, never from the answer.
///
/// # Errors
/// [`CheckError::Unusable`] without a proof; [`CheckError::Proof`] and [`CheckError::Disagreement`] for a false proof.
pub fn check_body(
    body: &[u8],
    policy: &Policy<'_>,
    trusted: Option<&Hash>,
) -> Result<CheckedBody, CheckError> {
    if !body.starts_with(&MAGIC) {
        return check_json(&parse_json(body)?, policy, trusted);
    }
    let named = |cause| WireError::Binary { member: "body".to_owned(), cause };
    let ProofFile { bundle, finality } = ProofFile::decode(body).map_err(named)?;
    let facts = verify(&bundle, policy, trusted)?;
    Ok(CheckedBody { facts, bundle, unproven: Vec::new(), finality })
}

/// Checks a parsed JSON body.
///
/// # Errors
/// As [`check_body`].
pub fn check_json(
    body: &Value,
    policy: &Policy<'_>,
    trusted: Option<&Hash>,
) -> Result<CheckedBody, CheckError> {
    let bundle = parse(body)?;
    let facts = verify(&bundle, policy, trusted)?;
    let mut unproven = compare(body, &bundle, &facts)?;
    let finality = finality_of(body)?;
    unproven.retain(|path| !FINALITY_MEMBERS.contains(&path.as_str()));
    Ok(CheckedBody { facts, bundle, unproven, finality })
}

/// Finality in an answer with `?evidence=1`, unchecked.
fn finality_of(body: &Value) -> Result<Option<FinalityProof>, WireError> {
    let found = FINALITY_MEMBERS.iter().find_map(|name| Some((name, body.get(*name)?)));
    let Some((name, value)) = found else { return Ok(None) };
    let malformed = || WireError::Member {
        member: (*name).to_owned(),
        got: superroot_types::shorten(&value.to_string(), 80),
        expected: "hex of evidence, link and steps",
    };
    let bytes =
        value.as_str().and_then(|text| const_hex::decode(text).ok()).ok_or_else(malformed)?;
    let named = |cause| WireError::Binary { member: (*name).to_owned(), cause };
    FinalityProof::decode(&bytes).map(Some).map_err(named)
}

fn verify(
    bundle: &Bundle,
    policy: &Policy<'_>,
    trusted: Option<&Hash>,
) -> Result<Verified<Facts>, ProofError> {
    match trusted {
        Some(trusted) => bundle::verify_anchored(bundle, policy, trusted),
        None => bundle::verify(bundle, policy),
    }
}
