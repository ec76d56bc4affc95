//! The whole check of a body: read it, verify the proof, hold every member against it.

use serde_json::Value;
use superroot_proof::bundle::{self, Bundle, Facts, MAGIC, Policy, ProofError, Step, Verified};
use superroot_types::Hash;

use super::{compare, parse};
use crate::{Disagreement, WireError, parse_json};

/// A body whose proof holds, and whose members say nothing else than what was proven.
#[derive(Clone, Debug)]
pub struct Checked {
    /// What was proven.
    pub facts: Verified<Facts>,
    /// The proof itself.
    pub bundle: Bundle,
    /// Paths of the members that the proof does not speak for.
    pub unproven: Vec<String>,
}

/// Why a body was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// It carries no proof: nothing was shown to be true or false.
    #[error(transparent)]
    Unusable(#[from] WireError),
    /// Its proof does not hold.
    #[error(transparent)]
    Proof(#[from] ProofError),
    /// Its proof holds, and a member says something else.
    #[error(transparent)]
    Disagreement(#[from] Disagreement),
}

impl CheckError {
    /// Whether the body is a well-formed proof that is false, not mere garbage.
    #[must_use]
    pub const fn is_false(&self) -> bool {
        !matches!(self, Self::Unusable(_))
    }

    /// The step that failed, where it is one of the proof.
    #[must_use]
    pub const fn step(&self) -> Option<Step> {
        match self {
            Self::Proof(error) => Some(error.step),
            Self::Unusable(_) | Self::Disagreement(_) => None,
        }
    }
}

/// Checks a body: a proof file (`.srproof`) or JSON of any shape, told apart by the first bytes.
/// With `trusted`, the proof must lead to that SuperRoot hash; it comes from the client's own
/// store, never from the answer.
///
/// # Errors
/// [`CheckError::Unusable`] when there is no proof in it; [`CheckError::Proof`] and
/// [`CheckError::Disagreement`] when there is one and it is false.
pub fn check_body(
    body: &[u8],
    policy: &Policy<'_>,
    trusted: Option<&Hash>,
) -> Result<Checked, CheckError> {
    if !body.starts_with(&MAGIC) {
        return check_json(&parse_json(body)?, policy, trusted);
    }
    let named = |cause| WireError::Binary { member: "body".to_owned(), cause };
    let bundle = Bundle::decode(body).map_err(named)?;
    let facts = verify(&bundle, policy, trusted)?;
    Ok(Checked { facts, bundle, unproven: Vec::new() })
}

/// Checks a body of JSON that was read already.
///
/// # Errors
/// As [`check_body`].
pub fn check_json(
    body: &Value,
    policy: &Policy<'_>,
    trusted: Option<&Hash>,
) -> Result<Checked, CheckError> {
    let bundle = parse(body)?;
    let facts = verify(&bundle, policy, trusted)?;
    let unproven = compare(body, &bundle, &facts)?;
    Ok(Checked { facts, bundle, unproven })
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
