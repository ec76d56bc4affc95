//! Kind 17, *milestone*: validators of Heimdall, a CometBFT chain, finalize blocks of Polygon PoS in Heimdall's state.
//!
//! ```text
//! pinned header ── a third of the power ──► header ── app_hash ──► stores ──► tree of store `milestone` ──► milestone
//!                  two thirds of the own                (simple tree)         (IAVL)                            │
//!                                                              end_block, hash, bor_chain_id ◄──────────────────┘
//! ```
//! Sets, steps and the commit are those of kind 16 with other keys: secp256k1, uncompressed, field 3 of `PublicKey`; a
//! signature is over Keccak-256. Nodes add a recovery byte, which no node checks: the byte is in no evidence. Votes
//! with the higher of both `s` are refused, as by nodes.
//!
//! The header of height `h` has the state after height `h - 1`. The value of key `81 ‖ number:u64` in store `milestone`
//! is the message `Milestone`; validators with more than two thirds of the power named the last block in their vote
//! extensions. Paths are written by the parts of their nodes, so nothing but a node of the two trees can be written; the
//! checks of ICS 23 follow from the form, or are in [`IavlPath::root`]: a leaf has height 0, heights rise, children have 32
//! bytes, a prefix has 4 to 12 (BNB's bridge, 2022-10: bytes of an inner node hid a child).
//!
//! Sources: 0xPolygon/heimdall-v2 `x/milestone/types/keys.go`, `x/milestone/keeper/keeper.go`,
//! `x/milestone/types/milestone.pb.go`, `x/milestone/abci/{abci,compact}.go` (newer vote extensions are shorter, the store
//! is as before); 0xPolygon/cometbft `crypto/secp256k1/secp256k1.go`, `types/canonical.go`; polytope-labs/hyperbridge
//! `modules/consensus/tendermint/verifier/src/sp_io_verifier.rs` (field of the key), `modules/ismp/clients/polygon`;
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
