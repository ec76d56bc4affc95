//! Kind 15, *anchor*: a contract on Ethereum holds a rollup's block, and a sync committee signed the Ethereum block with
//! this state.
//!
//! ```text
//! sync committee ──► Ethereum block ── parents ──► header ── state root
//!                                                              │ account, slot
//!   OP stack   registry ── game ── root claim ◄── state root, withdrawals root, hash ──┐
//!   Arbitrum   outbox ── block hash ◄── send root ─────────────────────────────────────┤
//!                                                                           rollup's header
//! ```
//! The set is Ethereum's: a client pins no set of the rollup. Addresses are the client's own, by Ethereum block.
//! Games claim an output root, or since Upgrade 20 (2026-09) a super root: output roots of several chains at a time.
//! A registry holds a game only after the game was won by the defender and the delay is over; an outbox a block only
//! after the assertion was confirmed. A created game or an open assertion is no evidence.
//!
//! Sources: ethereum-optimism/optimism `AnchorStateRegistry.sol`, `FaultDisputeGame.sol`; specs.optimism.io, output
//! root version 0, Isthmus; OffchainLabs/nitro-contracts `Outbox.sol`; EIP-1186 for proofs.

mod contract;
mod ethereum;
mod evidence;
mod params;
mod set;

pub use contract::{
    ContractProof, GameBlock, OUTPUT_ROOT, OutboxProof, RegistryProof, anchor_game_slot,
    game_blocks, holds_root, output_root, send_root_slot,
};
pub use ethereum::EthereumPart;
pub use evidence::AnchorBody;
pub use params::{AnchorContract, AnchorForm, AnchorParams};
pub use set::AnchorSet;
