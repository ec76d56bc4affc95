//! The checked-in bytecode, run as a chain runs it.

mod anchor;
mod bitcoin;
mod differential;
mod gas;
mod hostile;
mod lens;
mod made;
mod made_block;
mod release;

use std::path::Path;

use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use alloy_sol_types::{SolCall, SolValue, sol};
use serde::Deserialize;
use superroot_contract::{CallOutcome, EvmHost, artifact};
use superroot_types::Hash;

sol! {
    function set(uint64 sequence, bytes32 hash);
    function withdraw(uint8 row, uint64 from);
    function verifyEvent(bytes proof) returns (uint256 chainId, uint256 blockNumber, uint256 txIndex, uint256 logIndex, address emitter, bytes32[] topics, bytes data);
    function verifyTransaction(bytes proof) returns (uint256 chainId, uint256 blockNumber, uint256 txIndex, bytes32 transactionHash);
    function verifyBlock(bytes proof) returns (uint256 chainId, uint256 blockNumber, bytes32 blockHash, bytes32 transactionsRoot, bytes32 receiptsRoot);
    function keepBlock(bytes proof) returns (uint256 chainId, uint256 blockNumber);
    function verifyKeptEvent(uint256 chainId, uint256 blockNumber, bytes entry) returns (uint256 txIndex, uint256 logIndex, address emitter, bytes32[] topics, bytes data);
    function validateEvent(bytes proof) returns (uint32 chainId, address emittingContract, bytes topics, bytes unindexedData);
    function inspectLogIdentifier(bytes proof) returns (uint32 srcChain, uint64 blockNumber, uint16 receiptIndex, uint8 logIndex);
    function release(bytes proof);
    function checkEvent(bytes proof, bytes32 logId) returns (bytes32 superRootHash, address emitter, uint256 dataLength);
    function checkEventInDirtyMemory(bytes proof, bytes32 logId) returns (bytes32 superRootHash, address emitter, uint256 dataLength);
    function checkEntry(bytes entry) returns (bytes32 root, address emitter);
    function checkTrie(bytes32 root, bytes key, bytes[] nodes) returns (bytes32 leafHash);
    function checkHeader(bytes part) returns (bytes32 hash, bytes32 root, uint256 number);
    function verifyOutput(bytes proof) returns (uint256 blockNumber, uint256 txIndex, bytes32 transactionHash, uint256 outputIndex, uint256 valueSats, bytes script);
    function verifyBitcoinTransaction(bytes proof) returns (uint256 blockNumber, uint256 txIndex, bytes32 transactionHash);
    function verifyBitcoinBlock(bytes proof) returns (uint256 blockNumber, bytes32 blockHash, bytes32 merkleRoot);
    function checkOutput(bytes proof, bytes32 logId) returns (bytes32 superRootHash, uint256 valueSats);
    function checkBlock(bytes proof, bytes32 logId) returns (bytes32 superRootHash, bytes32 blockHash);

    struct SuperRoot { uint64 sequence; uint64 timestamp; bytes32 treeRoot; }
    struct Signature { bytes32 r; bytes32 vs; }
    function publish(SuperRoot superRoot, Signature signature);
    function reportFork(SuperRoot one, Signature ofOne, SuperRoot other, Signature ofOther);
    function reportWithdrawal(bytes opening);
    function superRootAt(uint64 sequence, uint8 row) returns (bytes32 hash, uint64 withdrawnFrom);
    function next() returns (uint64 sequence);

    error NotSigned(bytes32 hash);
    error NotRising(uint64 sequence, uint64 newest);
    error TimeFalls(uint64 timestamp, uint64 newest);
    error TimeAhead(uint64 timestamp, uint256 clock);
    error Frozen(uint64 sequence);
    error NoFork(bytes32 hash);
    error NoWithdrawal(uint8 row);
    error ProofRefused(uint256 level, bytes32 what);
    error NotAnchored(uint256 sequence, bytes32 hash);
    error Withdrawn(uint256 chainId, uint256 blockNumber, uint256 withdrawnFrom);
    error ReleasedBefore(bytes32 id);
    error OtherEvent(uint256 chainId, address emitter);
}

/// Row of `vectors/real/calldata.json`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct RealCalldata {
    pub(crate) name: String,
    pub(crate) origin: String,
    pub(crate) log_id: B256,
    pub(crate) chain_id: u64,
    pub(crate) block_number: u64,
    pub(crate) block_hash: B256,
    pub(crate) shows: String,
    pub(crate) open: bool,
    pub(crate) tx_index: Option<u32>,
    pub(crate) log_index: Option<u32>,
    pub(crate) emitter: Option<Address>,
    pub(crate) topics: Option<Vec<B256>>,
    pub(crate) data_hash: Option<B256>,
    pub(crate) sequence: u64,
    pub(crate) trusted: B256,
    pub(crate) calldata: String,
}

impl RealCalldata {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        const_hex::decode(&self.calldata).unwrap()
    }
}

pub(crate) fn vectors() -> Vec<RealCalldata> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/real/calldata.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// A lens over an anchor whose roots the test sets.
pub(crate) struct Lens {
    pub(crate) host: EvmHost,
    pub(crate) anchor: Address,
    pub(crate) lens: Address,
}

impl Lens {
    pub(crate) fn new(log_id: B256) -> Self {
        let mut host = EvmHost::new(1);
        let double = artifact("AnchorDouble").unwrap();
        let anchor = host.create(&double.bytecode, &log_id.abi_encode()).unwrap();
        let lens = artifact("SuperRootLens").unwrap();
        let lens = host.create(&lens.bytecode, &anchor.abi_encode()).unwrap();
        Self { host, anchor, lens }
    }

    pub(crate) fn anchor(&mut self, sequence: u64, hash: B256) {
        let data = setCall { sequence, hash }.abi_encode();
        assert!(self.host.call(Address::ZERO, self.anchor, data, U256::ZERO).unwrap().is_success);
    }

    pub(crate) fn withdraw(&mut self, row: u8, from: u64) {
        let data = withdrawCall { row, from }.abi_encode();
        assert!(self.host.call(Address::ZERO, self.anchor, data, U256::ZERO).unwrap().is_success);
    }

    pub(crate) fn view(&mut self, call: &impl SolCall) -> CallOutcome {
        self.host.view(self.lens, call.abi_encode()).unwrap()
    }
}

/// Level and reason of a refused proof.
pub(crate) fn refusal(outcome: &CallOutcome) -> String {
    use alloy_sol_types::SolError;
    match ProofRefused::abi_decode(&outcome.output) {
        Ok(refused) => {
            let text = refused.what.0;
            let length = text.iter().position(|byte| *byte == 0).unwrap_or(32);
            format!("level {}: {}", refused.level, String::from_utf8_lossy(&text[..length]))
        }
        Err(_) => const_hex::encode(outcome.output.get(..4).unwrap_or_default()),
    }
}

pub(crate) fn hash(hash: B256) -> Hash {
    Hash(hash.0)
}

pub(crate) fn proof(vector: &RealCalldata) -> Bytes {
    vector.bytes().into()
}

pub(crate) fn keccak(bytes: &[u8]) -> B256 {
    keccak256(bytes)
}
