//! Bytecode of the contracts as it is checked in, and an EVM in this process that runs it: for tests, figures of gas and
//! simulated chains. Sources: `contracts/`.

mod artifact;
mod host;

pub use artifact::{Artifact, ArtifactError, artifact};
pub use host::{CallOutcome, EvmHost, HostError};
