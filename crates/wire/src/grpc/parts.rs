//! Parts shared by several messages.

use superroot_proof::superroot::VERSION;
use superroot_types::{BlockNumber, Hash};

use super::{BlockRange, Point, Retraction, V5Anchor};
use crate::logs::Searched;
use crate::{Anchor, Hex, chain};

pub(super) fn hash(hash: Hash) -> Vec<u8> {
    hash.0.to_vec()
}

pub(super) fn hashes(hashes: Vec<Hash>) -> Vec<Vec<u8>> {
    hashes.into_iter().map(hash).collect()
}

pub(super) fn bytes(list: Vec<Hex>) -> Vec<Vec<u8>> {
    list.into_iter().map(|Hex(bytes)| bytes).collect()
}

pub(super) fn number(number: Option<BlockNumber>) -> Option<u64> {
    number.map(|number| number.0)
}

pub(super) fn all<A, B: From<A>>(list: Vec<A>) -> Vec<B> {
    list.into_iter().map(B::from).collect()
}

/// Decodes a proof's hex.
pub(super) fn blob(hex: &str) -> Vec<u8> {
    const_hex::decode(hex).unwrap_or_default()
}

impl From<Anchor> for V5Anchor {
    fn from(anchor: Anchor) -> Self {
        let Anchor { sequence, super_root_hash, timestamp, chain } = anchor;
        Self {
            version: VERSION.into(),
            sequence,
            super_root_hash: hash(super_root_hash),
            timestamp: timestamp.0,
            chain_id: chain.map(|chain| chain.chain_id.0),
            finalized_block: chain.and_then(|chain| number(chain.finalized_block)),
            indexed_block: chain.and_then(|chain| number(chain.indexed_block)),
        }
    }
}

impl From<chain::Point> for Point {
    fn from(point: chain::Point) -> Self {
        let chain::Point { number, hash: block_hash, timestamp } = point;
        Self { number: number.0, hash: hash(block_hash), timestamp: timestamp.0 }
    }
}

impl From<Searched> for BlockRange {
    fn from(range: Searched) -> Self {
        Self { from: range.from.0, to: range.to.0 }
    }
}

impl From<chain::Retraction> for Retraction {
    fn from(retraction: chain::Retraction) -> Self {
        Self {
            chain_id: retraction.chain_id.0,
            number: retraction.number.0,
            held_hash: hash(retraction.held_hash),
            other_hash: hash(retraction.other_hash),
            sources: retraction.sources,
            source_count: retraction.source_count,
            rule: retraction.rule,
            noticed_at: retraction.noticed_at.0,
            other_header: retraction.other_header.map(|Hex(bytes)| bytes),
        }
    }
}
