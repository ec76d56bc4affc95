//! Whose wallet it is: a message is given out (EIP-4361), and comes back signed.
//!
//! ```text
//!            challenge                             verify
//! address ──────────────► message, nonce ──sign──► message + signature ──► ProvenWallet
//!                            │                        │ 1. a message of ours to the byte
//!                  nonce = random ‖ hash of           │ 2. its nonce is that of what it says, unused
//!                  (secret, what it says)             │ 3. in time
//!                                                     │ 4. the wallet's key (EIP-191), or else
//!                                                     ▼    its contract (EIP-1271, EIP-6492), by nodes
//!               the nonce is used up ◄──────────── ProvenWallet, written down for an account
//! ```
//! What must always hold: only [`Wallets::verify`] makes a [`ProvenWallet`]; the commit that writes it
//! down uses its challenge up, so one challenge proves once and none is lost without a proof; what
//! cannot be checked is refused, never valid. Nothing is kept of a challenge before it is used.
//!
//! A contract lives on one chain, and whoever holds its address there need not hold it on another:
//! contract wallets are proven only on the chains that configuration names for them, which must be
//! those that payments come from.

mod config;
mod contract;
mod form;
mod message;
mod proven;
mod service;
mod signature;
mod used;

pub use config::WalletConfig;
pub use contract::{CallUnavailable, Called, ContractCall, ContractCaller, NoNodes};
pub use form::SignatureForm;
pub use message::MESSAGE_BYTES_MAX;
pub use proven::{ProvenBy, ProvenWallet};
pub use service::{Challenge, Wallets};
pub use signature::SIGNATURE_BYTES_MAX;
