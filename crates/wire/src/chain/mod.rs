//! Chains: registry, status, coverage.

mod coverage;
mod part;
mod registry;
mod status;

pub use coverage::{Coverage, CoverageGap, CoverageRange};
pub use part::{
    Anchored, Backfill, CatchUp, Claimed, EndpointReport, LastError, LeftOut, Point, Repair,
    Retraction, RuleFrom, Unprovable, WatchCounts, WatchList,
};
pub use registry::{ChainList, ChainRow, Provable, Proves, RulesChecked};
pub use status::{
    ChainStanding, ChainStatus, ContractStatus, NewestSuperRoot, StateCounts, Status, StoreStatus,
    WitnessStatus,
};
