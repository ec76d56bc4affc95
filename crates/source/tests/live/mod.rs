//! Several nodes of one chain: what they agree on, who is asked, who is left alone. Time is paused.

use crate::support;

mod agreement;
mod blocks;
mod health;

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use superroot_chain::UntrustedBlock;
use superroot_source::{
    AgreeOn, BlockAt, BlockParts, BlockSource, BoxFuture, Budget, CallFault, ClaimedBlock,
    FinalityAsk, LiveConfig, LiveNodes, LiveSource, NodeAnswer, NodeRequest, QuorumSize,
    SourceError, Transport, TransportError,
};
use superroot_types::{BlockNumber, ErrorKind, Network};
use tokio::time::Instant;

use support::ethereum;
use support::nodes::{Mode, Node, View, config, hash, live, state_of, transaction_hash};

const N: fn(u64) -> BlockNumber = BlockNumber;

fn three() -> Vec<Arc<Node>> {
    ["a", "b", "c"].map(Node::good).to_vec()
}

async fn after(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}

async fn whole(source: &LiveSource, number: u64) -> Result<Option<String>, SourceError> {
    let fetched = source.fetch_block(BlockAt::Number(N(number)), BlockParts::Whole, &[]).await?;
    Ok(fetched.map(|fetched| fetched.sender.to_string()))
}
