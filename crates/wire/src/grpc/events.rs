//! Messages for events and blooms.

use super::parts::{all, bytes, hash, hashes, number};
use super::{
    BloomQuery, BloomResult, EventLog, ListLogsResponse, LogGap, QueryBloomsResponse, WithoutBloom,
};
use crate::{bloom, logs};

impl From<logs::Logs> for ListLogsResponse {
    fn from(body: logs::Logs) -> Self {
        Self {
            chain_id: body.chain_id.0,
            finality: body.finality.to_owned(),
            searched: body.searched.map(Into::into),
            logs: all(body.logs),
            gaps: all(body.gaps),
            next_cursor: body.next_cursor,
            next_block: number(body.next_block),
            scan_blob: body.completeness.map(|shown| shown.scan_blob.0),
            v5_anchor: None,
        }
    }
}

impl From<logs::EventLog> for EventLog {
    fn from(log: logs::EventLog) -> Self {
        Self {
            block_number: log.block_number.0,
            block_hash: hash(log.block_hash),
            block_timestamp: log.block_timestamp,
            transaction_hash: log.transaction_hash.map(hash),
            transaction_index: log.transaction_index,
            log_index: log.log_index,
            address: log.address.0,
            other_addresses: bytes(log.other_addresses),
            topics: hashes(log.topics),
            data: log.data.0,
            finality: log.finality.to_owned(),
            proof_url: log.proof_url,
        }
    }
}

impl From<logs::LogGap> for LogGap {
    fn from(gap: logs::LogGap) -> Self {
        Self { from: gap.from.0, to: gap.to.0, reason: gap.reason.to_owned() }
    }
}

impl From<bloom::BloomAnswer> for QueryBloomsResponse {
    fn from(body: bloom::BloomAnswer) -> Self {
        let bloom::BloomAnswer { query, results, left_out } = body;
        let address = query.address.map(|address| address.0);
        let query = BloomQuery { address, topics: hashes(query.topics) };
        let results = all(results);
        let left_out = all(left_out);
        Self { query: Some(query), results, left_out, v5_anchor: None }
    }
}

impl From<bloom::BloomResult> for BloomResult {
    fn from(body: bloom::BloomResult) -> Self {
        Self {
            chain_id: body.chain_id.0,
            scanned: body.scanned.map(Into::into),
            answer: body.answer.to_owned(),
            evidence: body.evidence.to_owned(),
            candidate_blocks: body.candidate_blocks.iter().map(|number| number.0).collect(),
            candidate_count: body.candidate_count,
            header_candidate_count: body.header_candidate_count,
            missing_count: body.missing_count,
            false_positive_rate: body.false_positive_rate,
            outside_bloom: body.outside_bloom.map(str::to_owned),
            next_from_block: number(body.next_from_block),
            proof: body.proof,
        }
    }
}

impl From<bloom::WithoutBloom> for WithoutBloom {
    fn from(body: bloom::WithoutBloom) -> Self {
        Self { chain_id: body.chain_id.0, why: body.why }
    }
}
