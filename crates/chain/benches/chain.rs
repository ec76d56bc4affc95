//! What reading and recomputing a block costs, against the types and the tries of `alloy`.

mod fixture;
#[path = "../../proof/benches/ratio/mod.rs"]
mod ratio;

use alloy_consensus::{ReceiptEnvelope, proofs::calculate_receipt_root};
use alloy_primitives::{B256, BloomInput, logs_bloom};
use alloy_rpc_types_eth::TransactionReceipt;
use alloy_trie::root::ordered_trie_root_encoded;
use divan::{Bencher, black_box};
use fixture::Shape;
use ratio::Ratios;
use sha2::{Digest, Sha256};
use superroot_chain::ledger::cosmos::RawCosmosBlock;
use superroot_chain::ledger::cosmos::build::{CosmosBlockPlan, block};
use superroot_chain::ledger::evm::raw::{RawBlock, RawEvmBlock, RawReceipt};
use superroot_chain::{ChainRegistry, ChainSpec, UntrustedBlock, VerifiedBlock, verify};
use superroot_types::{BlockNumber, ChainId, Hash};

/// Transactions of a usual block.
const USUAL: usize = 200;
/// Transactions of a block whose receipts take about a megabyte of JSON.
const LARGE: usize = 425;

fn main() {
    divan::main();
    let ratios = Ratios::of("chain");
    let block = Block::of(USUAL);
    let untrusted = UntrustedBlock::Evm(Box::new(block.raw.clone()));
    let ours = |()| verify(row(), &untrusted).unwrap();
    let name = format!("verify/n={USUAL}");
    let peer = "alloy's roots, keccaks and blooms of leaves that are there already";
    ratios.print(&name, peer, || (), ours, || block.bare());
    let raw = cosmos(USUAL);
    let untrusted = UntrustedBlock::Cosmos(Box::new(raw.clone()));
    let hub =
        ChainRegistry::builtin().find("cosmoshub").expect("the Cosmos Hub is in the registry");
    let ours = |()| verify(hub, &untrusted).unwrap();
    let peer = "SHA-256 of the transactions and the nodes of their tree alone";
    ratios.print(&format!("verify_cosmos/n={USUAL}"), peer, || (), ours, || cosmos_bare(&raw));
    let answer = Answer::of(LARGE);
    let bytes = answer.json.len();
    let (none, peer) = (|| (), "alloy's");
    let name = format!("receipts_read/bytes={bytes}");
    ratios.print(&name, peer, none, |()| answer.read(), || answer.read_by_alloy());
    let name = format!("receipts_read_and_verified/bytes={bytes}");
    ratios.print(&name, peer, none, |()| answer.verified(), || answer.verified_by_alloy());
}

/// A block of the Cosmos Hub with so many transactions of 400 bytes, as a node sends it.
fn cosmos(transactions: usize) -> RawCosmosBlock {
    block(&CosmosBlockPlan {
        chain_id: "cosmoshub-4".to_owned(),
        number: BlockNumber(20_000_000),
        parent_hash: Hash([7; 32]),
        time: (1_700_000_000, 5),
        app_hash: Hash([9; 32]),
        proposer_address: [3; 20],
        transactions: (0..transactions)
            .map(|at| [&at.to_be_bytes()[..], &[7; 392]].concat())
            .collect(),
    })
}

/// The least that has to be computed of it: base64 undone, each transaction and each node hashed.
fn cosmos_bare(raw: &RawCosmosBlock) -> [u8; 32] {
    use base64::Engine;
    let engine = base64::engine::general_purpose::STANDARD;
    let leaf = |text: &String| {
        let hash: [u8; 32] = Sha256::digest(engine.decode(text).unwrap()).into();
        Sha256::new().chain_update([0]).chain_update(hash).finalize().into()
    };
    let mut row: Vec<[u8; 32]> = raw.txs.iter().flatten().map(leaf).collect();
    while row.len() > 1 {
        let node = |pair: &[[u8; 32]]| match pair {
            [left, right] => {
                let node = Sha256::new().chain_update([1]).chain_update(left);
                node.chain_update(right).finalize().into()
            }
            alone => alone[0],
        };
        row = row.chunks(2).map(node).collect();
    }
    black_box(row[0])
}

fn row() -> &'static ChainSpec {
    ChainRegistry::builtin().by_id(ChainId(1)).expect("Ethereum is in the registry")
}

/// A block as a node sends it, and its leaves.
struct Block {
    raw: RawEvmBlock,
    verified: VerifiedBlock,
}

impl Block {
    fn of(transactions: usize) -> Self {
        let raw = fixture::chain(Shape::ethereum(transactions), 1).remove(0);
        let untrusted = UntrustedBlock::Evm(Box::new(raw.clone()));
        Self { verified: verify(row(), &untrusted).unwrap(), raw }
    }

    /// The least that has to be computed of a block.
    fn bare(&self) {
        let (transactions, receipts) =
            (self.verified.transactions().unwrap(), self.verified.receipts().unwrap());
        black_box(ordered_trie_root_encoded(transactions));
        black_box(ordered_trie_root_encoded(receipts));
        black_box(alloy_primitives::keccak256(self.verified.header()));
        transactions.iter().for_each(|leaf| _ = black_box(alloy_primitives::keccak256(leaf)));
        for receipt in self.raw.receipts.iter().flatten() {
            let mut bloom = alloy_primitives::Bloom::ZERO;
            for log in &receipt.logs {
                bloom.accrue(BloomInput::Raw(&log.address.0));
                log.topics.iter().for_each(|topic| bloom.accrue(BloomInput::Raw(&topic.0)));
            }
            black_box(bloom);
        }
    }
}

/// The receipts of a block, as a node's answer holds them, and the block without them.
struct Answer {
    json: Vec<u8>,
    block: RawBlock,
    receipts_root: B256,
}

impl Answer {
    fn of(transactions: usize) -> Self {
        let raw = fixture::chain(Shape::ethereum(transactions), 1).remove(0);
        let block: RawBlock = serde_json::from_slice(&fixture::block_json(&raw, false)).unwrap();
        let receipts_root = B256::from(block.receipts_root.0);
        Self { json: fixture::receipts_json(&raw), block, receipts_root }
    }

    fn read(&self) -> Vec<RawReceipt> {
        serde_json::from_slice(&self.json).unwrap()
    }

    fn read_by_alloy(&self) -> Vec<TransactionReceipt> {
        serde_json::from_slice(&self.json).unwrap()
    }

    fn verified(&self) -> VerifiedBlock {
        let (block, receipts) = (self.block.clone(), Some(self.read()));
        let untrusted = UntrustedBlock::Evm(Box::new(RawEvmBlock { block, receipts }));
        let verified = verify(row(), &untrusted).unwrap();
        assert!(verified.receipts().is_some());
        verified
    }

    /// The root of the receipts, each with the bloom of its logs.
    fn verified_by_alloy(&self) -> Vec<ReceiptEnvelope> {
        let receipts = self.read_by_alloy().into_iter();
        let receipts: Vec<ReceiptEnvelope> =
            receipts.map(|receipt| receipt.into_primitives_receipt().inner).collect();
        for receipt in &receipts {
            assert_eq!(*receipt.logs_bloom(), logs_bloom(receipt.logs()));
        }
        assert_eq!(calculate_receipt_root(&receipts), self.receipts_root);
        receipts
    }
}

#[divan::bench(name = "verify/n=200")]
fn verify_block(bencher: Bencher<'_, '_>) {
    let untrusted = UntrustedBlock::Evm(Box::new(Block::of(USUAL).raw));
    bencher.bench_local(|| verify(row(), black_box(&untrusted)).unwrap());
}

#[divan::bench(name = "verify_cosmos/n=200")]
fn verify_cosmos(bencher: Bencher<'_, '_>) {
    let untrusted = UntrustedBlock::Cosmos(Box::new(cosmos(USUAL)));
    let row = ChainRegistry::builtin().find("cosmoshub").unwrap();
    bencher.bench_local(|| verify(row, black_box(&untrusted)).unwrap());
}

#[divan::bench(name = "receipts_read_and_verified/n=425")]
fn receipts_read_and_verified(bencher: Bencher<'_, '_>) {
    let answer = Answer::of(LARGE);
    bencher.bench_local(|| answer.verified());
}
