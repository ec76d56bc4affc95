//! Contradictions of signers, checked from a pinned set.

use superroot_chain::ChainSpec;
use superroot_chain::finality::{builtin_set, finality_params};
use superroot_proof::finality::{ConflictShown, FinalityConflict, Verdict, check_conflict};
use superroot_types::{Network, UnixSeconds};

use crate::light_client::{LightClientError, LightClientFolder};

/// Check of a contradiction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConflictJudgment {
    /// Verdict on the bytes.
    pub verdict: Verdict<ConflictShown>,
    /// Whether the signing set is the pinned one, or was passed on the way from the pin, or is built in.
    pub is_trusted: bool,
}

/// Checks a contradiction; `None` for a chain without evidence.
///
/// # Errors
/// [`LightClientError`] of the pinned set's files.
pub fn judge_conflict(
    folder: Option<&LightClientFolder>,
    (row, network): (&ChainSpec, Network),
    conflict: &FinalityConflict,
    now: UnixSeconds,
) -> Result<Option<ConflictJudgment>, LightClientError> {
    let Some(params) = finality_params(row, network) else { return Ok(None) };
    let verdict = check_conflict(&params, conflict, now);
    let Verdict::Shown(shown) = &verdict else {
        return Ok(Some(ConflictJudgment { verdict, is_trusted: false }));
    };
    let pinned = folder.map(|folder| folder.load(network, row)).transpose()?.flatten();
    let passed = folder.map(|folder| folder.passed(network, row)).transpose()?.unwrap_or_default();
    let is_trusted = pinned.is_some_and(|pinned| [pinned.pin, pinned.id].contains(&shown.set))
        || passed.get(&shown.number) == Some(&shown.set)
        || builtin_set(row, network).is_some_and(|set| set.id() == shown.set);
    Ok(Some(ConflictJudgment { verdict, is_trusted }))
}
