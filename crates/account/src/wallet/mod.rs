//! Whose wallet it is: a message is given out (EIP-4361), and comes back signed.
//!
//! ```text
//!            challenge                             verify
//! address ──────────────► message, nonce ──sign──► message + signature ──► ProvenWallet
//!                            │                        │ 1. the very message that was given out
//!                            ▼                        │ 2. in time
//!               nonce -> hash, wallet, expiry         │ 3. the wallet's key (EIP-191), or else
//!               (table `challenge`)                   │ 4. the wallet's contract says so
//!                         ▲                           ▼    (EIP-1271, EIP-6492), asked of nodes
//!                         `- taken, once -------- ProvenWallet ──► written down for an account
//! ```
//! What must always hold: only [`Wallets::verify`] makes a [`ProvenWallet`]; the commit that writes it
//! down uses its challenge up, so one challenge proves once and none is lost without a proof; what
//! cannot be checked is refused, never valid.
//!
//! A contract lives on one chain, and whoever holds its address there need not hold it on another:
//! contract wallets are proven only on the chains that configuration names for them, which must be
//! those that payments come from.

mod config;
mod contract;
mod message;
mod proven;
mod rows;
mod service;
mod signature;

pub use config::WalletConfig;
pub use contract::{CallUnavailable, Called, ContractCall, ContractCaller, NoNodes};
pub use message::MESSAGE_BYTES_MAX;
pub use proven::{ProvenBy, ProvenWallet};
pub use service::{Challenge, Wallets};
pub use signature::SIGNATURE_BYTES_MAX;
