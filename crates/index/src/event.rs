//! Events in a form shared by all ledgers.
//!
//! | ledger | addresses | first topic | data |
//! |---|---|---|---|
//! | EVM | the contract | the log's | the log's |
//! | Bitcoin | the output's script | none | value in satoshi, `u64` |
//! | Sui | package, and who sent the transaction | Keccak-256 of the type's name | the value, in BCS |
//! | Aptos | module of its type, zeros without one; account of its handle | Keccak-256 of the type's name | the value, in BCS |
//! | ICP | owner, recipient, spender, as far as there are such | Keccak-256 of the operation's name | the transaction |
//!
//! Other ledgers commit to no events, or only to events that need data outside the block to tell apart.

mod aptos;
mod bitcoin;
mod evm;
mod icp;
mod sui;

use superroot_proof::hash::keccak256;
use superroot_proof::ledger::Body;
use superroot_types::{Family, Hash};

/// Event of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockEvent {
    /// Transaction position in the block.
    pub tx_index: u32,
    /// Position among the transaction's events: `log_index` in the proof routes.
    pub log_index: u32,
    /// Transaction hash; `None` if transactions are not stored.
    pub transaction_hash: Option<Hash>,
    /// Addresses concerned, at least one: the first is the emitter.
    pub addresses: Vec<Vec<u8>>,
    /// Topics, up to four.
    pub topics: Vec<Hash>,
    /// Data; `None` if too long for the index and only in the block body.
    pub data: Option<Vec<u8>>,
}

#[must_use]
pub const fn is_indexed(family: Family) -> bool {
    match family {
        Family::Evm | Family::Bitcoin | Family::Aptos | Family::Sui | Family::Icp => true,
        Family::Solana | Family::Polkadot | Family::Tron | Family::Cosmos => false,
    }
}

/// First topic for a name: a Move type, or an ICP ledger operation.
#[must_use]
pub fn topic_of(name: &str) -> Hash {
    keccak256(name.as_bytes())
}

/// Every event of a body, in block order. `tx_count` is the block's; `holds` tells which entries the body has.
///
/// # Errors
/// The fault in the body, in words.
pub(crate) fn of_body(
    body: &Body,
    tx_count: u32,
    holds: impl Fn(u32) -> bool,
) -> Result<Vec<BlockEvent>, String> {
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

fn name_transactions(body: &Body, events: &mut [BlockEvent]) -> Result<(), String> {
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
