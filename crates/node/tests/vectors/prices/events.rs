//! A made-up Ethereum whose blocks have events of pools.

use alloy_primitives::{Address, I256, U256};
use serde_json::{Value, json};
use superroot_chain::ChainRegistry;
use superroot_proof::bundle::*;
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::evm::{Bloom, Log};
use superroot_proof::mpt::OrderedTrie;
use superroot_types::*;
use superroot_wire::price::EventPlace;

use crate::world::*;

/// Unix seconds of block 0.
const GENESIS: u64 = 1_700_000_000;

/// A word of 32 bytes.
pub(super) type Word = [u8; 32];

pub(super) fn number(value: impl TryInto<U256>) -> Word {
    value.try_into().unwrap_or_else(|_| panic!("a word has 256 bits")).to_be_bytes()
}

pub(super) fn signed(value: i128) -> Word {
    I256::try_from(value).unwrap().to_be_bytes()
}

pub(super) fn of(address: Address) -> Word {
    address.into_word().0
}

/// An event: its topics are the signature's hash and these.
pub(super) fn event(by: Address, signature: &str, topics: &[Word], words: &[Word]) -> Log {
    let first = keccak256(signature.as_bytes());
    let topics = [first].into_iter().chain(topics.iter().map(|topic| Hash(*topic))).collect();
    Log { address: superroot_types::Address(by.0.0), topics, data: words.concat() }
}

/// Time of a block.
pub(super) fn time(number: u64) -> u64 {
    GENESIS + 12 * number
}

pub(super) fn place(number: u64, tx_index: u32, log_index: u32) -> EventPlace {
    EventPlace {
        block_number: BlockNumber(number),
        tx_index,
        log_index,
        proof_url: format!("/v5/proof/event/1/{number}/{tx_index}/{log_index}"),
    }
}

fn receipt(index: usize, logs: &[Log]) -> (Vec<u8>, Bloom) {
    let bloom = Bloom::of_logs(logs);
    let items = logs.iter().map(|log| {
        let topics: Vec<_> = log.topics.iter().map(|topic| string(&topic.0)).collect();
        list(&[string(&log.address.0), list(&topics), string(&log.data)])
    });
    let gas = integer(50_000 * (index as u64 + 1));
    let items: Vec<_> = items.collect();
    let body = list(&[string(&[1]), gas, string(&bloom.0), list(&items)]);
    ([vec![2], body].concat(), bloom)
}

/// A block whose receipts have these logs.
fn block_of(number: u64, receipts: &[Vec<Log>]) -> Block {
    let transaction = |index: usize| list(&[integer(number), integer(index as u64)]);
    let transactions: Vec<_> = (0..receipts.len()).map(transaction).collect();
    let made: Vec<_> = receipts.iter().enumerate().map(|(at, logs)| receipt(at, logs)).collect();
    let mut bloom = Bloom::ZERO;
    made.iter().for_each(|(_, more)| bloom.accrue(more));
    let receipts: Vec<_> = made.into_iter().map(|(leaf, _)| leaf).collect();
    let header = list(&[
        string(&[8; 32]),
        string(&[1; 32]),
        string(&[2; 20]),
        string(&[3; 32]),
        string(&OrderedTrie::build(&transactions).root().0),
        string(&OrderedTrie::build(&receipts).root().0),
        string(&bloom.0),
        integer(0),
        integer(number),
        integer(30_000_000),
        integer(50_000 * receipts.len() as u64),
        integer(time(number)),
        string(b""),
        string(&[4; 32]),
        string(&[0; 8]),
        integer(7),
    ]);
    Block { header, transactions, receipts }
}

/// The log, with two SuperRoots over the same blocks.
pub(super) struct Chain(pub(super) World);

impl Chain {
    /// Blocks of these numbers, each with the logs of its receipts.
    pub(super) fn new(blocks: &[(u64, Vec<Vec<Log>>)]) -> Self {
        let mut world = World::of(ChainRegistry::builtin().proof_registry().clone());
        for (number, receipts) in blocks {
            world.add(ETHEREUM, *number, block_of(*number, receipts));
        }
        world.publish(time(200));
        world.publish(time(201));
        Self(world)
    }

    pub(super) fn trusted(&self) -> Hash {
        self.0.root(1)
    }

    /// The proof of an event under a SuperRoot.
    pub(super) fn bundle(&self, at: &EventPlace, sequence: usize) -> Bundle {
        let subject = ProofSubject::Log { tx_index: at.tx_index, log_index: at.log_index };
        self.0.prove(ETHEREUM, at.block_number.0, subject, false, sequence)
    }

    /// The same in hex.
    pub(super) fn blob(&self, at: &EventPlace) -> String {
        const_hex::encode_prefixed(self.bundle(at, 1).encode())
    }

    /// The members of `v5_anchor`, or in the other case.
    pub(super) fn anchor(&self, hash_name: &str) -> Value {
        let root = self.0.published[1].blob.super_root;
        json!({ "sequence": 1, hash_name: root.hash(), "timestamp": root.timestamp })
    }
}
