//! Kind 17, *milestone*: Heimdall validators, on a CometBFT chain, finalize Polygon PoS blocks in Heimdall's state.
//!
//! ```text
//! pinned header ── a third of the power ──► header ── app_hash ──► stores ──► tree of store `milestone` ──► milestone
//!                  two thirds of the own                (simple tree)         (IAVL)                            │
//!                                                              end_block, hash, bor_chain_id ◄──────────────────┘
//! ```
//! Sets, steps and commits are as in kind 16, with different keys: secp256k1, uncompressed, field 3 in `PublicKey`; a
//! signature is over Keccak-256. Nodes add a recovery byte and never check the byte: evidence has none. Votes with the
//! higher `s` are refused, as by nodes.
//!
//! The header at height `h` has the state after height `h - 1`. Key `81 ‖ number:u64` in store `milestone` has the message
//! `Milestone`; validators with more than two thirds power named the last block in their vote extensions. Evidence has
//! node parts instead of raw prefixes, so only nodes in the two tree forms can be written. ICS 23 checks follow from the
//! form, or are in [`IavlPath::root`]: leaf height 0, rising heights, 32 bytes a child, prefixes from 4 to 12 bytes (BNB
//! bridge, 2022-10: inner node bytes hid a child).
//!
//! Sources: 0xPolygon/heimdall-v2 `x/milestone/types/keys.go`, `x/milestone/keeper/keeper.go`,
//! `x/milestone/types/milestone.pb.go`, `x/milestone/abci/{abci,compact}.go` (newer vote extensions are shorter, the store
//! is as before); 0xPolygon/cometbft `crypto/secp256k1/secp256k1.go`, `types/canonical.go`; polytope-labs/hyperbridge
//! `modules/consensus/tendermint/verifier/src/sp_io_verifier.rs` (key field), `modules/ismp/clients/polygon`;
//! cosmos/ics23 `go/ops.go`, `go/proof.go`; cosmos/iavl `node.go`, `proof_ics23.go`. No live Heimdall was seen.

mod body;
mod key;
mod params;
mod set;
mod store;

pub use body::{BorMilestone, MILESTONE_BYTES_MAX, MilestoneBody};
pub use key::{HEIMDALL_KEY_BYTES, HeimdallKey};
pub use params::{MILESTONE_COUNT_KEY, MILESTONE_STORE, MilestoneParams, milestone_key};
pub use set::MilestoneSet;
pub use store::{IAVL_DEPTH_MAX, IavlPath, IavlStep, STORES_DEPTH_MAX, StorePath, StoreStep};
