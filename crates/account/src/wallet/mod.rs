//! Wallet proofs: a message is issued (EIP-4361), and returned with a signature.
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
//! Invariants: only [`Wallets::verify`] makes a [`ProvenWallet`]; the commit that records the wallet uses the challenge
//! up, so a challenge proves once, and none is lost without a proof; an uncheckable signature is refused, never valid.
//! An unused challenge is not stored.
//!
//! A contract exists on one chain, and its address may have another owner elsewhere: contract wallets are proven only
//! on the configured chains, which must be the chains of payments.

mod config;
mod contract;
mod form;
mod message;
mod proven;
mod service;
mod signature;
mod used;

pub use config::WalletConfig;
pub use contract::{CallResult, CallUnavailable, ContractCaller, NoNodes, WalletCall};
pub use form::SignatureForm;
pub use message::MESSAGE_BYTES_MAX;
pub use proven::{ProvenBy, ProvenWallet};
pub use service::{PendingChallenge, Wallets};
pub use signature::SIGNATURE_BYTES_MAX;
