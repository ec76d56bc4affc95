//! Messages for hash search.

use super::parts::{all, number};
use super::{FindResponse, Match};
use crate::find;

impl From<find::HashMatches> for FindResponse {
    fn from(body: find::HashMatches) -> Self {
        Self { query: body.query, matches: all(body.matches), more: body.more, v5_anchor: None }
    }
}

impl From<find::Match> for Match {
    fn from(body: find::Match) -> Self {
        Self {
            kind: body.kind.to_owned(),
            chain_id: body.chain_id.map(|id| id.0),
            chain_name: body.chain_name,
            block_number: number(body.block_number),
            transaction_index: body.transaction_index,
            sequence: body.sequence,
            proof_url: body.proof_url,
        }
    }
}
