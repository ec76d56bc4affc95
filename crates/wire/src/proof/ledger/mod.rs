//! Ledgers in JSON: a folder for each, with the members of its objects and what renders and parses them.
//!
//! ```text
//!   <ledger>/body.rs   members of its header, transaction, event and entry, with their schemas
//!   <ledger>/mod.rs    from proven bytes to the members, and from the members to a proof
//! ```
//! A new ledger needs a folder, its module and its row in `with_ledgers!` below, its events in `with_events!`, its objects
//! in `with_objects!`, and its member names among the reserved names.

mod aptos;
mod bitcoin;
mod cosmos;
mod evm;
mod icp;
mod polkadot;
mod render;
mod solana;
mod spelling;
mod sui;
mod tron;

use serde::Serialize;
use serde_json::Value;
use superroot_types::Family;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

#[cfg(feature = "grpc")]
pub(crate) use evm::{LogBloom, log_bloom};
pub(super) use render::{claimed_with_index, entry, event, header, parse_entry};
pub use render::{
    entry_parts, event_in_short, parse_spelled_hash, receipt_in_short, shows_outcome, spelled_hash,
    transaction_in_short, unshown,
};

/// Table of ledgers: family, folder, and the additional members of an entry with their description. Expands `$define!`
/// with the table.
macro_rules! with_ledgers {
    ($define:ident) => {
        $define! {
            Evm, evm;
            Aptos, aptos: AptosEntry, "Aptos family.";
            Bitcoin, bitcoin: BitcoinEntry, "Bitcoin family.";
            Cosmos, cosmos: CosmosEntry, "Cosmos family.";
            Icp, icp: IcpEntry, "ICP ledger.";
            Polkadot, polkadot: PolkadotEntry, "Polkadot family.";
            Tron, tron: TronEntry, "Tron family.";
            Sui, sui: SuiEntry, "Sui family.";
            Solana, solana: SolanaEntry, "Solana family.";
        }
    };
}
use with_ledgers;

/// Table of events: the form of a proven event, and the folder of its ledger.
macro_rules! with_events {
    ($define:ident) => {
        $define! {
            Log: evm;
            Output: bitcoin;
            Operation: icp;
            OfVersion: aptos;
            List: polkadot;
            Move: sui;
        }
    };
}
use with_events;

/// Table of objects: their possible forms. Forms with the most members of their own come first: generated clients take
/// the first form that fits.
#[cfg(feature = "schema")]
macro_rules! with_objects {
    ($define:ident) => {
        $define! {
            HeaderObject: EvmHeader CosmosHeader SuiHeader TronHeader BitcoinHeader PolkadotHeader
                IcpHeader SolanaHeader AptosHeader;
            TransactionObject: EvmTransaction AptosTransaction BitcoinTransaction IcpTransaction
                PolkadotTransaction SolanaTransaction TronTransaction CosmosTransaction
                SuiTransaction;
            EventObject: EvmEvent AptosEvent BitcoinOutput IcpEvent PolkadotEvent SuiEvent;
        }
    };
}
#[cfg(feature = "schema")]
pub(super) use with_objects;

macro_rules! members {
    ($($ledger:ident, $folder:ident $(: $entry:ident, $doc:literal)?;)*) => {
        /// Members of the objects of every ledger.
        pub(in crate::proof) mod members {
            $(
                #[cfg_attr(
                    not(feature = "schema"),
                    allow(unused_imports, unreachable_pub, reason = "some ledgers have members for schemas alone")
                )]
                pub use crate::proof::ledger::$folder::body::*;
            )*
        }

        /// Ledger-specific members of an entry.
        #[derive(Serialize)]
        #[cfg_attr(feature = "schema", derive(ToSchema))]
        #[serde(untagged)]
        pub enum LedgerEntry {
            $($(#[doc = $doc] $ledger(members::$entry),)?)*
        }
    };
}

with_ledgers!(members);

/// Event position: in the transaction and, in an answer, in the whole block.
pub(super) type EventPlace = (u32, Option<Option<u64>>);

/// Named value.
pub type Named = (&'static str, Value);

/// Names reserved for proven members of level 1. An answer must not use a reserved name without proof.
pub(super) const RESERVED: [&str; 40] = [
    "blockBound",
    "bloom",
    "coinbase",
    "effects",
    "encodedBlock",
    "event",
    "eventSiblings",
    "explorerHash",
    "explorerTransactionHash",
    "hashBefore",
    "header",
    "indexBound",
    "lastTransaction",
    "peaks",
    "rawContents",
    "rawEffects",
    "rawEvent",
    "rawEvents",
    "rawReceipt",
    "rawTransaction",
    "receipt",
    "receiptRoot",
    "receiptSiblings",
    "receiptsRoot",
    "signatureCount",
    "signatureIndex",
    "signatureSiblings",
    "stateRoot",
    "tailHashes",
    "transaction",
    "transactionCount",
    "transactionDigest",
    "transactionHash",
    "transactionIndex",
    "transactionInfo",
    "transactionSignature",
    "transactionsRoot",
    "txHash",
    "txid",
    "version",
];

/// Ledgers with `transactionCount` in level 1; hashes show the count for the last transaction alone.
pub(super) const WITH_COUNT: [Family; 3] = [Family::Bitcoin, Family::Tron, Family::Cosmos];

/// Objects of level 1 with only proven members.
pub(super) const CLOSED: [&str; 8] = [
    "bloom",
    "coinbase",
    "effects",
    "event",
    "header",
    "lastTransaction",
    "receipt",
    "transaction",
];

/// Lists of level 1 with items shared in a batch, and the objects that may contain the lists.
pub(super) const SHARED: [&str; 2] = ["eventSiblings", "receiptSiblings"];
pub(super) const PARTS: [&str; 2] = ["coinbase", "lastTransaction"];
