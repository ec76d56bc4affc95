//! Whether a node is of the chain, before anything it says is used.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::LiveSource;
use super::node::Node;
use crate::error::{Fault, SourceError};
use crate::replay::methods::is_replay;

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
                if is_of_another_chain(&error) {
                    node.wrong(&error.to_string());
                }
                return Err(error);
            }
        };
        if is_replay(&client) && !self.config.replay_servers {
            node.wrong("it replays recordings, and is no live node");
            return Err(node.mismatch("its name", "client", &client, "a live node"));
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
    /// [`SourceError::Call`] of the first, where every node says that it is of another chain.
    pub fn expect_chain(&self) -> BoxFuture<'_, Result<(), SourceError>> {
        let greetings = self.nodes.iter().map(|node| self.greet(node));
        let greetings = futures_util::future::join_all(greetings);
        let others = greetings.map(|greetings| {
            let mut others = None;
            for greeted in greetings {
                match greeted {
                    Err(error) if is_of_another_chain(&error) => {
                        others.get_or_insert(error);
                    }
                    _ => return Ok(()),
                }
            }
            others.map_or(Ok(()), Err)
        });
        others.boxed()
    }
}

/// Whether a node says that it is of another chain.
fn is_of_another_chain(error: &SourceError) -> bool {
    matches!(error.fault(), Some(Fault::Mismatch { field: "chain id", .. }))
}
