//! Evidence of chains' own consensus, from where it is given: other endpoints than those of blocks.

mod anchor;
mod backup;
mod beacon;
mod beacon_json;
mod committee;
mod heimdall;
mod heimdall_simulated;
mod http;
mod rollup;
mod simulated;

use superroot_proof::finality::ConsensusEvidence;
use superroot_types::{BlockNumber, Hash, UnixSeconds};

use crate::BoxFuture;

pub use anchor::{AnchorSource, ClaimedAnchor, SimulatedRollup};
pub use backup::BackupNode;
pub use beacon::BeaconNode;
pub use heimdall::HeimdallNode;
pub use heimdall_simulated::SimulatedHeimdall;
pub use rollup::RollupNodes;
pub use simulated::SimulatedBeacon;

/// Newest stored final block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewestFinal {
    /// Number.
    pub number: BlockNumber,
    /// Hash.
    pub hash: Hash,
    /// Time from the header.
    pub timestamp: UnixSeconds,
}

/// Step from a set of signers to the next, by the set's number.
pub type NumberedStep = (u64, Vec<u8>);

/// Reason why there is no evidence.
#[derive(Debug, thiserror::Error)]
#[error("{endpoint}: {why}")]
pub struct FinalitySourceError {
    /// Endpoint, without keys.
    pub endpoint: String,
    /// Cause.
    pub why: String,
}

/// Source of evidence; nothing of it is believed.
pub trait FinalitySource: Send + Sync {
    /// Endpoint, without keys.
    fn name(&self) -> &str;

    /// Evidence about the newest final block that the source knows. From a simulated source, and for a chain without
    /// links, evidence is about `held`.
    fn fetch_newest(
        &self,
        held: NewestFinal,
    ) -> BoxFuture<'_, Result<ConsensusEvidence, FinalitySourceError>>;

    /// Steps of the sets from `first` on, rising: at most `count`, and as many as there are.
    fn fetch_steps(
        &self,
        first: u64,
        count: u64,
    ) -> BoxFuture<'_, Result<Vec<NumberedStep>, FinalitySourceError>>;
}
