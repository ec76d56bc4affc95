//! The public contract: JSON forms of every route, with proofs. No HTTP.
//!
//! ```text
//! Bundle + Facts ── render ──► JSON (v5, kv, lambda, blob) ── over the wire ──► bytes
//!                                                                                │
//!    Checked ◄── compare: every member  ◄── verify (proof) ◄── parse ◄───────────┘
//! ```
//! A *member* is a name and value in a JSON object; a *path* looks like `block.twig.siblings[3]`. A member is *proven*
//! if rendering the verified facts gives the same value; a member without a rendering is *unproven*, and is reported by
//! path.
//!
//! Invariant: every member from [`render`] comes from hashed bytes or is the proof itself; a body with a different
//! value under such a name is refused.
//!
//! ```
//! use superroot_wire::{Case, case};
//! let body = serde_json::json!({ "superRootHash": "0x00", "miniMmr": { "leafIndex": 3 } });
//! let snake = case::convert(body, Case::Snake);
//! assert_eq!(snake["mini_mmr"]["leaf_index"], 3);
//! ```

#![warn(missing_docs)]

pub mod account;
pub mod anchor;
pub mod bloom;
pub mod case;
pub mod chain;
mod compare;
mod error;
pub mod evidence;
pub mod finality;
pub mod find;
pub mod gas;
#[cfg(feature = "grpc")]
pub mod grpc;
pub mod health;
mod hex;
mod json;
pub mod logs;
mod member;
pub mod order;
pub mod paths;
pub mod price;
pub mod problem;
pub mod proof;
pub mod scan;
#[cfg(feature = "schema")]
pub mod schema;
pub mod signal;
pub mod stream;
pub mod superroot;
mod text;
pub mod verify;
pub mod watch;
pub mod webhook;

pub use anchor::{Anchor, AnchorChain};
pub use case::Case;
pub use compare::Disagreement;
pub use error::WireError;
pub use hex::Hex;
pub use json::{BODY_BYTES_MAX, parse_json, parse_json_within};
pub use problem::Problem;
pub use proof::{
    BaseText, BesideEvent, CheckError, CheckedBody, Shape, batch_item, check_body, check_json,
    compare, expand_batch, join_batch, parse, parse_batch, render, render_answer,
};
