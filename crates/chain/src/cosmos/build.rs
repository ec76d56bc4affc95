//! Blocks made by the rules, for simulated chains and tests.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use superroot_proof::hash::sha256_joined;
use superroot_proof::ledger::cosmos::{BlockId, Header, PROPOSER_BYTES, TransactionTree};
use superroot_types::{BlockNumber, Hash};

use super::raw::{RawCosmosBlock, RawHeader};

/// Version of blocks since Tendermint 0.34.
const VERSION_BLOCK: u64 = 11;

/// What a block stands on and what it holds.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Chain id.
    pub chain_id: String,
    /// Height, at least 1.
    pub number: BlockNumber,
    /// Hash of the block before; zeros for a chain's first.
    pub parent_hash: Hash,
    /// Seconds since 1970, and billionths.
    pub time: (u64, u32),
    /// State of the application after the block before.
    pub app_hash: Hash,
    /// Address of the validator who proposes it.
    pub proposer_address: [u8; PROPOSER_BYTES],
    /// Transactions, whole.
    pub transactions: Vec<Vec<u8>>,
}

/// The header over them. Nobody signed it: the hashes of validators, of their signatures and of results are
/// made up.
#[must_use]
pub fn header(plan: &Plan) -> Header {
    let made_up = |name: &str| sha256_joined(&[name.as_bytes(), plan.chain_id.as_bytes()]);
    let nothing = sha256_joined(&[]);
    let id = BlockId { hash: plan.parent_hash, part_count: 1, parts_hash: made_up("parts") };
    Header {
        version_block: VERSION_BLOCK,
        version_app: 0,
        chain_id: plan.chain_id.clone(),
        height: plan.number.0,
        seconds: plan.time.0,
        nanos: plan.time.1,
        last_block_id: (!plan.parent_hash.is_zero()).then_some(id),
        last_commit_hash: sha256_joined(&[b"commit", &plan.parent_hash.0]),
        data_hash: TransactionTree::build(plan.transactions.clone()).root(),
        validators_hash: made_up("validators"),
        next_validators_hash: made_up("validators"),
        consensus_hash: made_up("consensus"),
        app_hash: plan.app_hash.0.to_vec(),
        last_results_hash: nothing,
        evidence_hash: nothing,
        proposer_address: plan.proposer_address,
    }
}

/// The block as a node would send it.
#[must_use]
pub fn block(plan: &Plan) -> RawCosmosBlock {
    let header = header(plan);
    let txs = plan.transactions.iter().map(|one| STANDARD.encode(one)).collect();
    RawCosmosBlock { hash: header.hash(), header: RawHeader::from(&header), txs: Some(txs) }
}
