//! Comparison between an answer's members and its proofs.

use serde_json::{Map, Value, json};
use superroot_proof::bundle::Facts;

/// Member that contradicts the proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("member {member} says {said}, proven is {computed}")]
pub struct Differs {
    /// Member name.
    pub member: String,
    /// Proven value.
    pub computed: String,
    /// Stated value.
    pub said: String,
}

/// Compares the present members with the proof.
pub(crate) fn check_members(
    within: &str,
    said: &Map<String, Value>,
    proven: &[(&str, Value)],
) -> Result<(), Differs> {
    let differing = proven.iter().find_map(|(name, computed)| {
        let said = said.get(*name).filter(|said| *said != computed)?;
        Some((name, computed, said))
    });
    let Some((name, computed, said)) = differing else { return Ok(()) };
    let said = superroot_types::first_chars(&said.to_string(), 100).to_owned();
    Err(Differs { member: format!("{within}{name}"), computed: computed.to_string(), said })
}

/// Compares an answer's SuperRoot with the one proven. The chain's progress remains the service's claim.
pub(crate) fn check_anchor(body: &Value, facts: &Facts) -> Result<(), Differs> {
    let Some((root, hash)) = facts.super_root.zip(facts.super_root_hash()) else { return Ok(()) };
    for (name, hash_name) in [("v5Anchor", "superRootHash"), ("v5_anchor", "super_root_hash")] {
        let Some(said) = body.get(name).and_then(Value::as_object) else { continue };
        let proven = [
            ("sequence", json!(root.sequence.0)),
            (hash_name, json!(hash)),
            ("timestamp", json!(root.timestamp)),
        ];
        check_members(&format!("{name}."), said, &proven)?;
    }
    Ok(())
}
