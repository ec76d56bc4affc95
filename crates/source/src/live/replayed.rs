//! A replay server, read as recordings: one node, which speaks for itself alone.

use std::sync::Arc;

use superroot_chain::ChainRow;
use superroot_types::{BlockNumber, ChainKey, Network};

use super::config::{EndpointConfig, LiveConfig};
use super::dialect::{self, Dialect};
use super::measure::Measure;
use super::node::Node;
use super::operators::Operator;
use super::transport_to;
use crate::error::SourceError;
use crate::{Agreement, BlockAt, BlockId, BoxFuture, Budget, Fetched, Parts, Source, Tip};

/// A replay server, read as recordings.
pub struct ReplayedSource {
    node: Arc<Node>,
    chain: ChainKey,
    dialect: Dialect,
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
    /// [`SourceError::Url`], [`SourceError::Config`] or [`SourceError::Setup`] before anything is
    /// sent; [`SourceError::Mismatch`] when the node has another chain;
    /// [`SourceError::NotReplay`] when it is no replay server; what a call can give.
    pub async fn connect(
        url: &str,
        row: &ChainRow,
        config: LiveConfig,
    ) -> Result<Self, SourceError> {
        config.check()?;
        // nobody's patience but ours is spared: it is a server of our own
        let config = LiveConfig { calls_per_second_max: 100_000, replay_servers: true, ..config };
        let dialect = Dialect::of(row, &config)?;
        let transport = transport_to(&EndpointConfig::at(url), &dialect, &config)?;
        let name = transport.name().into();
        let (measure, budget) = (Measure::of(&row.slug), Budget::of(config.in_hand_bytes_max));
        let operator = Operator { number: 0, name: Arc::clone(&name) };
        let node =
            Node::new(name, operator, transport, config, dialect.is_old_rpc(), measure, budget);
        let client = dialect.greet(&node).await?;
        if !dialect::is_replay(&client) {
            let (source_name, client) = (node.name().to_string(), node.clean(&client));
            return Err(SourceError::NotReplay { source_name, client });
        }
        node.greeted();
        Ok(Self { node, chain: row.key(), dialect })
    }

    async fn tip(&self) -> Result<Tip, SourceError> {
        let tip = self.dialect.tip(&self.node).await?;
        let finalized = match (tip.finalized, tip.finalized_hash) {
            (Some(number), Some(hash)) => BlockId { number, hash },
            // everything recorded is final, also where nodes of the family name no final block
            _ if !self.dialect.names_final_blocks() => tip.head,
            _ => return Err(self.node.mismatch("a tip", "finalized", "null", "a block")),
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

    fn fetch_tip(&self) -> BoxFuture<'_, Result<Tip, SourceError>> {
        Box::pin(self.tip())
    }

    fn fetch_block<'a>(
        &'a self,
        at: BlockAt,
        parts: Parts,
        _: &'a [Arc<str>],
    ) -> BoxFuture<'a, Result<Option<Fetched>, SourceError>> {
        Box::pin(async move {
            let block = self.dialect.block(&self.node, at, parts).await?;
            Ok(block.map(|block| Fetched { block, sender: Arc::clone(self.node.name()) }))
        })
    }

    fn fetch_agreement(
        &self,
        _number: BlockNumber,
    ) -> BoxFuture<'_, Result<Agreement, SourceError>> {
        Box::pin(std::future::ready(Ok(Agreement::of_one(self.name(), "as recorded"))))
    }

    fn fetch_numbers(
        &self,
        from: BlockNumber,
        limit: usize,
    ) -> BoxFuture<'_, Result<Option<Vec<BlockNumber>>, SourceError>> {
        Box::pin(async move { Dialect::recorded_numbers(&self.node, from, limit).await.map(Some) })
    }
}
