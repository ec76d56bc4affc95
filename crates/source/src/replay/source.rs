//! A replay server, read as recordings: one node, which speaks for itself alone.

use std::sync::Arc;

use serde_json::json;
use superroot_chain::ChainRow;
use superroot_types::{BlockNumber, ChainKey, Network};

use super::methods::{RECORDED_NUMBERS, is_replay};
use crate::error::SourceError;
use crate::evm::{parse_quantity, quantity};
use crate::ledger::Dialect;
use crate::live::config::{EndpointConfig, LiveConfig};
use crate::live::node::Node;
use crate::live::node::measure::Measure;
use crate::live::operators::Operator;
use crate::live::transport::transport_to;
use crate::{
    Agreement, BlockAt, BlockId, Budget, Fetched, Fetching, NUMBERS_MAX, Parts, Source, Tip,
};

/// A replay server, read as recordings.
pub struct ReplayedSource {
    node: Arc<Node>,
    chain: ChainKey,
    dialect: Dialect,
    has_finality_tag: bool,
}

impl std::fmt::Debug for ReplayedSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReplayedSource").field("name", self.node.name()).finish_non_exhaustive()
    }
}

impl ReplayedSource {
    /// Asks the node which chain it has and what it is.
    ///
    /// # Errors
    /// [`SourceError::Config`] or [`SourceError::Setup`] before anything is sent; [`SourceError::Call`]
    /// when the node has another chain, or a call fails; [`SourceError::OtherClient`] when it is no
    /// replay server.
    pub async fn connect(
        url: &str,
        row: &ChainRow,
        config: LiveConfig,
    ) -> Result<Self, SourceError> {
        config.check()?;
        // nobody's patience but ours is spared: it is a server of our own
        let config = LiveConfig { calls_per_second_max: 100_000, replay_servers: true, ..config };
        let dialect = Dialect::of(row, &config)?;
        let transport = transport_to(&EndpointConfig::at(url), None, &config)?;
        let name = transport.name().into();
        let (measure, budget) = (Measure::of(&row.slug), Budget::of(config.in_hand_bytes_max));
        let operator = Operator { number: 0, name: Arc::clone(&name) };
        let node =
            Node::new(name, operator, transport, config, dialect.protocol(), measure, budget);
        let client = dialect.greet(&node).await?;
        if !is_replay(&client) {
            let (source_name, client) = (node.name().to_string(), node.clean(&client));
            let expected = "a replay server";
            return Err(SourceError::OtherClient { source_name, client, expected });
        }
        node.greeted();
        Ok(Self {
            node,
            chain: row.key(),
            dialect,
            has_finality_tag: row.ledger.has_finality_tag(),
        })
    }

    async fn tip(&self) -> Result<Tip, SourceError> {
        let tip = self.dialect.tip(&self.node).await?;
        let finalized = match tip.finalized.zip(tip.finalized_hash) {
            Some((number, hash)) => BlockId { number, hash },
            // everything recorded is final, also where nodes of the ledger name no final block
            None if !self.has_finality_tag => tip.head,
            None => return Err(self.node.mismatch("a tip", "finalized", "null", "a block")),
        };
        Ok(Tip { head: tip.head, safe: tip.safe, finalized })
    }
}

impl Source for ReplayedSource {
    fn name(&self) -> &str {
        self.node.name()
    }

    fn chain(&self) -> ChainKey {
        self.chain
    }

    fn network(&self) -> Network {
        Network::Recorded
    }

    fn fetch_tip(&self) -> Fetching<'_, Tip> {
        Box::pin(self.tip())
    }

    fn fetch_block<'a>(
        &'a self,
        at: BlockAt,
        parts: Parts,
        _: &'a [Arc<str>],
    ) -> Fetching<'a, Option<Fetched>> {
        Box::pin(async move {
            let block = self.dialect.block(&self.node, at, parts).await?;
            Ok(block.map(|block| Fetched { block, sender: Arc::clone(self.node.name()) }))
        })
    }

    fn fetch_agreement(&self, _number: BlockNumber) -> Fetching<'_, Agreement> {
        Box::pin(std::future::ready(Ok(Agreement::of_one(self.name(), "as recorded"))))
    }

    fn fetch_numbers(
        &self,
        from: BlockNumber,
        limit: usize,
    ) -> Fetching<'_, Option<Vec<BlockNumber>>> {
        Box::pin(async move { numbers(&self.node, from, limit).await.map(Some) })
    }
}

/// At most `limit` of the recorded numbers from `from` on, rising.
async fn numbers(
    node: &Arc<Node>,
    from: BlockNumber,
    limit: usize,
) -> Result<Vec<BlockNumber>, SourceError> {
    let limit = limit.min(NUMBERS_MAX);
    let params = json!([quantity(from.0), quantity(limit as u64)]);
    let texts: Vec<String> = node.call(RECORDED_NUMBERS, params).await?;
    if texts.len() > limit {
        let (got, expected) = (texts.len().to_string(), format!("at most {limit}"));
        return Err(node.mismatch(RECORDED_NUMBERS, "count", &got, expected));
    }
    let mut numbers: Vec<BlockNumber> = Vec::with_capacity(texts.len());
    for text in &texts {
        let wrong = || node.mismatch(RECORDED_NUMBERS, "number", text, "a quantity below 2^64");
        let number = parse_quantity(text).map(BlockNumber).ok_or_else(wrong)?;
        if number < from || numbers.last().is_some_and(|last| *last >= number) {
            let expected = format!("rising numbers from {from} on");
            return Err(node.mismatch(RECORDED_NUMBERS, "number", text, expected));
        }
        numbers.push(number);
    }
    Ok(numbers)
}
