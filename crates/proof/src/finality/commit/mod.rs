//! Kind 16, *commit*: validators of a CometBFT chain sign each block by voting power. Kind 17 has equal sets and commits, with
//! different keys.
//!
//! ```text
//! pinned header ── validators_hash ──► trusted powers ──┐
//!                                                       ├ more than 1/3 signed
//! evidence: header ── validators_hash ──► own powers ───┤
//!           votes of own validators ────────────────────┴ more than 2/3 signed
//! ```
//! A set is the header of a height and the validators of the same height. The id is the header's hash, as shown by
//! explorers and by nodes: the hash binds chain id, height, time, validators and the hash of the next validators, and the
//! trusting period runs from the header's time. A hash of validators alone would bind no time.
//!
//! Evidence is a header, the header's validators and their votes. Validators change a little with nearly every block, so
//! a trusted set shows any later height by *skipping*: validators with more than a third of the trusted power are among
//! the signers. The next height has exactly the validators named by the trusted header. Sets have heights that are
//! multiples of [`CommitParams::set_blocks`], and evidence for the next such height is the step.
//!
//! Votes for nothing and absent votes are not in evidence. A vote is at the validator's place in the list and counts by
//! public key; no address is read (GHSA-6jrf-4jv4-r9mw: tendermint-rs counted by a claimed address).
//!
//! Nodes accept signatures by ZIP 215, the check here is strict (RFC 8032, without keys of small order): everything that
//! is strict is accepted by ZIP 215, and honest signers make nothing else. A vote valid only by ZIP 215 is left out of
//! evidence, with its power: never shown wrongly, at worst not shown.
//!
//! Sources: CometBFT `light/verifier.go` (`VerifyAdjacent`, `VerifyNonAdjacent`), `types/validation.go`
//! (`VerifyCommitLight`, `VerifyCommitLightTrusting`), `types/validator_set.go` (`MaxTotalVotingPower`); tendermint
//! ADR 79 (ZIP 215).

mod body;
mod params;
mod set;
mod validators;

pub(super) use body::CheckedVotes;
pub use body::{BlockCommit, CommitSignature};
pub use params::CommitParams;
pub use set::{CommitSet, write_commit_set};
pub use validators::VALIDATORS_MAX;
