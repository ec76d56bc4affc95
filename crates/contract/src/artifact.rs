//! Checked-in artifacts.

use alloy_primitives::Bytes;
use serde::Deserialize;

const ARTIFACTS: [(&str, &str); 9] = [
    ("AnchorDouble", include_str!("../../../contracts/artifacts/AnchorDouble.json")),
    ("PeerDouble", include_str!("../../../contracts/artifacts/PeerDouble.json")),
    ("Release", include_str!("../../../contracts/artifacts/Release.json")),
    (
        "SubscriptionRegistry",
        include_str!("../../../contracts/artifacts/SubscriptionRegistry.json"),
    ),
    ("SuperRootAnchor", include_str!("../../../contracts/artifacts/SuperRootAnchor.json")),
    ("SuperRootLens", include_str!("../../../contracts/artifacts/SuperRootLens.json")),
    ("SuperRootReader", include_str!("../../../contracts/artifacts/SuperRootReader.json")),
    ("TestUsdc", include_str!("../../../contracts/artifacts/TestUsdc.json")),
    ("VerifierDouble", include_str!("../../../contracts/artifacts/VerifierDouble.json")),
];

/// Compiled contract.
#[derive(Clone, Debug, Deserialize)]
pub struct Artifact {
    /// ABI as solc writes it.
    pub abi: serde_json::Value,
    /// Creation code, without constructor arguments.
    pub bytecode: Bytes,
    /// Code at the address; immutables are zero.
    #[serde(rename = "deployedBytecode")]
    pub deployed_bytecode: Bytes,
}

/// Why there is no artifact.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    /// No contract has this name.
    #[error("no artifact {0}")]
    Unknown(String),
    /// The file is not as `make contracts` writes it.
    #[error("artifact {name}: {source}")]
    Malformed {
        /// Contract name.
        name: String,
        /// Cause.
        source: serde_json::Error,
    },
}

/// Artifact by contract name.
///
/// # Errors
/// [`ArtifactError`].
pub fn artifact(name: &str) -> Result<Artifact, ArtifactError> {
    let found = ARTIFACTS.iter().find(|(known, _)| *known == name);
    let (_, text) = found.ok_or_else(|| ArtifactError::Unknown(name.to_owned()))?;
    serde_json::from_str(text)
        .map_err(|source| ArtifactError::Malformed { name: name.to_owned(), source })
}
