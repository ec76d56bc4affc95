//! A store of orders, filled with the events of blocks as the index fills it.
#![allow(dead_code, reason = "each test file uses a part of it")]

use alloy_primitives::{Address, U256};
use alloy_sol_types::abi::TokenSeq;
use alloy_sol_types::{SolType, SolValue};
use superroot_index::{BlockEvent, EventBlock, View};
use superroot_order::{
    ChainProgress, Knowledge, LegPosition, Order, OrderProtocol, OrderQuery, OrderView, assemble,
    find, load_legs, load_named,
};
use superroot_proof::hash::keccak256;
use superroot_store::layout::{BlockTip, ChainState};
use superroot_store::{MemoryStore, ScanOrder, Store, StoreError, Table, WriteBatch, write};
use superroot_types::{BlockNumber, ChainId, ChainKey, Family, Hash, UnixSeconds};

/// The events of a block.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) chain: u64,
    pub(crate) number: u64,
    pub(crate) at: u64,
    pub(crate) events: Vec<BlockEvent>,
}

impl Block {
    pub(crate) fn key(&self) -> ChainKey {
        ChainKey { family: Family::Evm, id: ChainId(self.chain) }
    }

    pub(crate) fn view(&self) -> EventBlock<'_> {
        EventBlock {
            chain: self.key(),
            number: BlockNumber(self.number),
            hash: Hash([7; 32]),
            timestamp: UnixSeconds(self.at),
            events: &self.events,
        }
    }

    /// Its rows.
    pub(crate) fn rows(&self) -> Vec<superroot_index::Row> {
        let mut rows = Vec::new();
        OrderView.put(&self.view(), &mut rows);
        rows
    }
}

#[derive(Default)]
pub(crate) struct Orders {
    pub(crate) store: MemoryStore,
}

impl Orders {
    pub(crate) fn of<'a>(blocks: impl IntoIterator<Item = &'a Block>) -> Self {
        let orders = Self::default();
        blocks.into_iter().for_each(|block| orders.put(block));
        orders
    }

    pub(crate) fn put(&self, block: &Block) {
        let mut batch = WriteBatch::new();
        for (table, key, value) in block.rows() {
            batch.put(table, key, value);
        }
        write::put_chain_state(&mut batch, block.key(), &final_up_to(u64::MAX));
        self.store.commit(batch).unwrap();
    }

    /// Lets that be the last final block of a chain.
    pub(crate) fn end_finality(&self, chain: u64, last: u64) {
        let mut batch = WriteBatch::new();
        let chain = ChainKey { family: Family::Evm, id: ChainId(chain) };
        write::put_chain_state(&mut batch, chain, &final_up_to(last));
        self.store.commit(batch).unwrap();
    }

    pub(crate) fn undo(&self, block: &Block) {
        let mut batch = WriteBatch::new();
        for (table, key, _) in block.rows() {
            batch.delete(table, key);
        }
        self.store.commit(batch).unwrap();
    }

    /// All rows.
    pub(crate) fn rows(&self) -> Vec<superroot_store::Row> {
        let all = self.store.scan(Table::Order, b"", None, usize::MAX, ScanOrder::Rising);
        all.unwrap()
    }

    /// Every order that a name leads to.
    pub(crate) fn all(&self, name: &str) -> Vec<Order> {
        let (own, others) = load_named(&self.store, &OrderQuery::parse(name).unwrap()).unwrap();
        [own, others].concat()
    }

    /// The only order that a name leads to.
    pub(crate) fn one(&self, name: &str) -> Order {
        let mut orders = self.all(name);
        assert_eq!(orders.len(), 1, "{name}: {orders:#?}");
        orders.remove(0)
    }

    /// The same, where the destination is known like this.
    pub(crate) fn seen(&self, name: &str, clock: ChainProgress) -> Order {
        let keys = find(&self.store, &OrderQuery::parse(name).unwrap()).unwrap();
        let legs = load_legs(&self.store, &keys[0]).unwrap();
        assemble(legs, &GivenKnowledge { clock, retry: None }).unwrap().unwrap()
    }

    /// The same, where that is what came of every transaction.
    pub(crate) fn retried(&self, name: &str, retry: Option<bool>) -> Order {
        let keys = find(&self.store, &OrderQuery::parse(name).unwrap()).unwrap();
        let legs = load_legs(&self.store, &keys[0]).unwrap();
        assemble(legs, &GivenKnowledge { clock: ChainProgress::default(), retry }).unwrap().unwrap()
    }
}

fn final_up_to(last: u64) -> ChainState {
    let tip = BlockTip { number: BlockNumber(last), hash: Hash([7; 32]) };
    ChainState { indexed: Some(tip), ..ChainState::empty(BlockNumber(0)) }
}

/// All that is known besides legs, as a test says it.
struct GivenKnowledge {
    clock: ChainProgress,
    retry: Option<bool>,
}

impl Knowledge for GivenKnowledge {
    fn clock(&self, _: u64, _: &OrderProtocol, _: u64) -> Result<ChainProgress, StoreError> {
        Ok(self.clock)
    }

    fn is_final(&self, _: &LegPosition) -> Result<bool, StoreError> {
        Ok(true)
    }

    fn has_succeeded(&self, _: ChainKey, _: &Hash) -> Result<Option<bool>, StoreError> {
        Ok(self.retry)
    }
}

/// An event of a contract, made by a second implementation of the ABI.
pub(crate) fn event(
    (tx, log_index): (u8, u32),
    contract: &str,
    signature: &str,
    topics: &[U256],
    data: Vec<u8>,
) -> BlockEvent {
    let contract: Address = contract.parse().unwrap();
    let mut all = vec![keccak256(signature.as_bytes())];
    all.extend(topics.iter().map(|topic| Hash(topic.to_be_bytes::<32>())));
    BlockEvent {
        tx_index: tx.into(),
        log_index,
        transaction_hash: Some(Hash([tx; 32])),
        addresses: vec![contract.to_vec()],
        topics: all,
        data: Some(data),
    }
}

/// Data of an event, as Solidity writes it.
pub(crate) fn data<T: SolValue>(values: &T) -> Vec<u8>
where
    for<'a> <T::SolType as SolType>::Token<'a>: TokenSeq<'a>,
{
    values.abi_encode_params()
}
