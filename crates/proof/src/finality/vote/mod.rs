//! Kind 14, *vote*: the validators of BNB Smart Chain vote for a block and its child together, in a later header.
//!
//! ```text
//! epoch header ── validators, keys, turn ──► set of an epoch
//!      source ◄── parent ── target            vote of two thirds: source final
//!                                  └──► a later header carries the vote
//! ```
//! A vote from a block to a child makes the block final; a vote from further below finalizes nothing, and is no evidence.
//! Evidence binds the number. A set signs from a few blocks after the epoch's begin to as many after the next begin.
//!
//! Sources: BEP-126, BEP-590; bnb-chain/bsc `consensus/parlia` (`snapshot.go`: `apply`, `minerHistoryCheckLen`;
//! `parlia.go`: `verifyVoteAttestation`, `getVoteAttestationFromHeader`), `core/types/vote.go`.

mod extra;
mod params;
mod set;

pub use super::bls::SUITE;
pub use extra::{BlockVote, VALIDATORS_MAX, read_vote};
pub use params::VoteParams;
pub use set::{VoteSet, signers_of, write_vote, write_vote_step};
