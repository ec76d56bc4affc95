//! Chain check of a node, before any use.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::LiveSource;
use super::node::LiveNode;
use crate::error::{CallFault, SourceError};
use crate::replay::methods::is_replay;

impl LiveSource {
    /// Checks a node's chain before any use, and again after a reconnect.
    pub(super) async fn greet(&self, node: &Arc<LiveNode>) -> Result<(), SourceError> {
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

    /// Greets every node once; succeeds unless all nodes serve another chain: silent nodes may answer later.
    ///
    /// # Errors
    /// First [`SourceError::Call`], if every node serves another chain.
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

fn is_of_another_chain(error: &SourceError) -> bool {
    matches!(error.fault(), Some(CallFault::Mismatch { field: "chain id", .. }))
}
