//! Rule-conforming blocks for simulated chains and tests.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use superroot_proof::hash::sha256_joined;
use superroot_proof::ledger::cosmos::{
    CosmosBlockId, CosmosTransactionTree, Header, PROPOSER_BYTES,
};
use superroot_types::{BlockNumber, Hash};

use super::raw::{RawCosmosBlock, RawCosmosHeader};

/// Block version since Tendermint 0.34.
const VERSION_BLOCK: u64 = 11;

#[derive(Clone, Debug)]
pub struct CosmosBlockPlan {
    pub chain_id: String,
    /// Height, at least 1.
    pub number: BlockNumber,
    /// Previous block hash; zeros for the first block.
    pub parent_hash: Hash,
    /// Seconds since 1970, and nanoseconds.
    pub time: (u64, u32),
    /// Application state after the previous block.
    pub app_hash: Hash,
    pub proposer_address: [u8; PROPOSER_BYTES],
    pub transactions: Vec<Vec<u8>>,
}

/// The plan's header, unsigned: the hashes of validators, signatures and results are invented.
#[must_use]
pub fn header(plan: &CosmosBlockPlan) -> Header {
    let made_up = |name: &str| sha256_joined(&[name.as_bytes(), plan.chain_id.as_bytes()]);
    let nothing = sha256_joined(&[]);
    let id = CosmosBlockId { hash: plan.parent_hash, part_count: 1, parts_hash: made_up("parts") };
    Header {
        version_block: VERSION_BLOCK,
        version_app: 0,
        chain_id: plan.chain_id.clone(),
        height: plan.number.0,
        seconds: plan.time.0,
        nanos: plan.time.1,
        last_block_id: (!plan.parent_hash.is_zero()).then_some(id),
        last_commit_hash: sha256_joined(&[b"commit", &plan.parent_hash.0]),
        data_hash: CosmosTransactionTree::build(plan.transactions.clone()).root(),
        validators_hash: made_up("validators"),
        next_validators_hash: made_up("validators"),
        consensus_hash: made_up("consensus"),
        app_hash: plan.app_hash.0.to_vec(),
        last_results_hash: nothing,
        evidence_hash: nothing,
        proposer_address: plan.proposer_address,
    }
}

#[must_use]
pub fn block(plan: &CosmosBlockPlan) -> RawCosmosBlock {
    let header = header(plan);
    let txs = plan.transactions.iter().map(|one| STANDARD.encode(one)).collect();
    let shown = RawCosmosHeader::from(&header);
    RawCosmosBlock { hash: header.hash(), header: shown, txs: Some(txs), commit: None }
}
