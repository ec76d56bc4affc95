//! Whether a node is of the chain, before anything it says is used.

use std::sync::Arc;

use super::node::Node;
use super::{LiveSource, dialect};
use crate::error::SourceError;

impl LiveSource {
    /// Checks a node's chain before anything it says is used, and again after a new connection.
    pub(super) async fn greet(&self, node: &Arc<Node>) -> Result<(), SourceError> {
        if node.is_greeted() {
            return Ok(());
        }
        let before = node.connection_count();
        let client = match self.dialect.greet(node).await {
            Ok(client) => client,
            Err(error) => {
                if matches!(error, SourceError::Mismatch { field: "chain id", .. }) {
                    node.wrong(&error.to_string());
                }
                return Err(error);
            }
        };
        if dialect::is_replay(&client) && !self.config.replay_servers {
            node.wrong("it replays recordings, and is no live node");
            let (source_name, client) = (node.name().to_string(), node.clean(&client));
            return Err(SourceError::NotLive { source_name, client });
        }
        // what was said on one connection says nothing of the next
        let now = node.connection_count();
        if before == now || (before, now) == (0, 1) {
            node.greeted();
        }
        Ok(())
    }

    /// Greets every node once, and is content where one may be of the chain: what does not answer
    /// now may do so later.
    ///
    /// # Errors
    /// [`SourceError::Mismatch`] of the first, where every node says that it is of another chain.
    pub async fn expect_chain(&self) -> Result<(), SourceError> {
        let greetings = self.nodes.iter().map(|node| self.greet(node));
        let mut others = None;
        for greeted in futures_util::future::join_all(greetings).await {
            match greeted {
                Err(error @ SourceError::Mismatch { field: "chain id", .. }) => {
                    others.get_or_insert(error);
                }
                _ => return Ok(()),
            }
        }
        others.map_or(Ok(()), Err)
    }
}
