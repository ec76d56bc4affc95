//! Kind 19, *grandpa*: authorities of Polkadot's relay chain sign a block, and with the block all ancestors.
//!
//! ```text
//! header ── digest FRNK 01 ──► authorities of set n
//!                                    │
//! evidence: block ◄── child ◄── ..   ├ more than 2/3 signed, each for the block or a descendant
//!             │         votes ───────┘
//!             └ digest FRNK 01 ──► authorities of set n + 1: evidence for this block is the step
//! ```
//! A set is a number and the header in which the set before named the authorities. The id is the header's hash, as shown
//! by nodes and explorers: the hash binds keys, weights, block number and BABE's slot, from which the trusting period
//! runs. The number is not under the hash, but under every signature: a set with a false number shows nothing, because
//! votes of one set are for blocks past the set's header and up to the next one.
//!
//! Authorities change behind the block with the digest (`pallet-grandpa` schedules without delay): a change with a delay
//! is refused. A forced change replaces authorities without their votes: a header with one is refused, and a client
//! pins again. No authority of a set votes past the block that names the next set, so only the last header of evidence
//! may name one.
//!
//! A vote has an authority's place instead of the key, and the place of the voted header: the block, or the last of a
//! line of children. Votes on a fork above the block stay out, with their weight. Authorities are slashed for two votes in
//! a round, and nobody counts twice.
//!
//! Nodes accept signatures by ZIP 215, the check here is strict (RFC 8032, without keys of small order): everything that
//! is strict is accepted by ZIP 215, and honest signers make nothing else. A vote valid only by ZIP 215 is left out of
//! evidence, with its weight: never shown wrongly, at worst not shown.
//!
//! Sources: paritytech/polkadot-sdk `sc-consensus-grandpa` `justification.rs` (`verify_with_voter_set`), `authorities.rs`;
//! `pallet-grandpa` `lib.rs` (`on_new_session`); paritytech/finality-grandpa `lib.rs` (`validate_commit`), `voter_set.rs`
//! (`threshold`); `sp-core` `ed25519.rs` (ZIP 215).

mod authorities;
mod body;
mod params;
mod set;

pub use authorities::AUTHORITIES_MAX;
pub use body::{GRANDPA_HEADERS_MAX, GrandpaCommit, GrandpaVote};
pub use params::GrandpaParams;
pub use set::{GrandpaSet, write_grandpa_set};
