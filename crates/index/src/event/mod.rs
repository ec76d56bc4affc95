//! Events in the form that all ledgers share.
//!
//! | ledger | addresses | first topic | data |
//! |---|---|---|---|
//! | EVM | the contract | the log's | the log's |
//! | Bitcoin | the output's script | none | value in satoshi, `u64` |
//! | Sui | package, and who sent the transaction | Keccak-256 of the type's name | the value, in BCS |
//! | Aptos | module of its type, zeros without one; account of its handle | Keccak-256 of the type's name | the value, in BCS |
//! | ICP | owner, recipient, spender, as far as there are such | Keccak-256 of the operation's name | the transaction |
//!
//! The other ledgers commit to no events, or to none that can be told apart without what stands outside
//! the block.

mod aptos;
mod bitcoin;
mod evm;
mod icp;
mod sui;

use superroot_proof::hash::keccak256;
use superroot_proof::ledger::Body;
use superroot_types::{Family, Hash};

/// An event of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Position of its transaction in the block.
    pub tx_index: u32,
    /// Position among the events of its transaction: `log_index` of the proof routes.
    pub log_index: u32,
    /// Hash of its transaction; `None` where transactions are not held.
    pub transaction_hash: Option<Hash>,
    /// Whom it is about, at least one: the first is the one that emitted it.
    pub addresses: Vec<Vec<u8>>,
    /// Topics, up to four.
    pub topics: Vec<Hash>,
    /// Data; `None` where it is too long for the index, and stands in the block's body alone.
    pub data: Option<Vec<u8>>,
}

/// Whether events of that family can be indexed.
#[must_use]
pub const fn is_indexed(family: Family) -> bool {
    match family {
        Family::Evm | Family::Bitcoin | Family::Aptos | Family::Sui | Family::Icp => true,
        Family::Solana | Family::Polkadot | Family::Tron | Family::Cosmos => false,
    }
}

/// First topic that stands for a name: of a type in Move, of an operation of the ICP ledger.
#[must_use]
pub fn topic_of(name: &str) -> Hash {
    keccak256(name.as_bytes())
}

/// Every event of a body, in the order of the block. `tx_count` is that of the block; `holds` says
/// which of its entries the body has.
///
/// # Errors
/// What is wrong with the body, in words.
pub(crate) fn of_body(
    body: &Body,
    tx_count: u32,
    holds: impl Fn(u32) -> bool,
) -> Result<Vec<Event>, String> {
    let held = (0..tx_count).filter(|tx_index| holds(*tx_index));
    let mut events = Vec::new();
    match body {
        Body::Evm(tries) => {
            for tx_index in held {
                evm::of_transaction(tries, tx_index, &mut events)?;
            }
        }
        Body::Bitcoin(tree) => bitcoin::of_block(tree, &mut events)?,
        Body::Aptos(versions) => {
            held.for_each(|tx_index| aptos::of_version(versions, tx_index, &mut events));
        }
        Body::Sui(checkpoint) => {
            for tx_index in held {
                sui::of_transaction(checkpoint, tx_index, &mut events)?;
            }
        }
        Body::Icp(block) => icp::of_block(block, &mut events)?,
        Body::Solana(_) | Body::Polkadot(_) | Body::Tron(_) | Body::Cosmos(_) => {}
    }
    if let Body::Evm(_) | Body::Aptos(_) | Body::Sui(_) | Body::Icp(_) = body {
        name_transactions(body, &mut events)?;
    }
    Ok(events)
}

/// Puts the hash of its transaction to each event.
fn name_transactions(body: &Body, events: &mut [Event]) -> Result<(), String> {
    let mut last: Option<(u32, Option<Hash>)> = None;
    for event in events {
        let known = last.filter(|(tx_index, _)| *tx_index == event.tx_index);
        let (_, hash) = match known {
            Some(known) => known,
            None => {
                let hash = body.transaction_hash(event.tx_index);
                (event.tx_index, hash.map_err(|fault| fault.to_string())?)
            }
        };
        (last, event.transaction_hash) = (Some((event.tx_index, hash)), hash);
    }
    Ok(())
}
