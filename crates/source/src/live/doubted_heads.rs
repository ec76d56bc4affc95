//! Heads that nobody serves: who names one again and again is left alone.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::{Instant, timeout};

use super::LiveSource;
use super::node::Node;
use crate::error::Fault;
use crate::{BlockAt, BlockId, Parts};

/// Heads in a row that a node may name and not serve: the machines behind one address are not always
/// of one mind.
const UNSERVED_MAX: u32 = 3;

impl LiveSource {
    /// Asks those who named that head for it.
    pub(super) async fn doubt(&self, head: BlockId) {
        let now = Instant::now();
        let named = |node: &&Arc<Node>| {
            let health = node.health();
            health.is_usable(now) && health.head_id() == Some(head)
        };
        let asks = self.nodes.iter().filter(named).map(|node| async move {
            let asked = self.dialect.block(node, BlockAt::Id(head), Parts::Header);
            let in_time = Duration::from_millis(self.config.tip_timeout_ms);
            let is_served = match timeout(in_time, asked).await {
                Ok(Ok(block)) => block.is_some(),
                Ok(Err(error)) => match error.fault() {
                    Some(Fault::Refused { .. } | Fault::Shape(_) | Fault::Missing(_)) => false,
                    // it has no answer at all, or was blamed for it already
                    _ => return,
                },
                Err(_) => return,
            };
            let unserved = node.health().head_was_served(is_served);
            if unserved >= UNSERVED_MAX {
                let BlockId { number, hash } = head;
                node.wrong(&format!(
                    "it names block {number} with hash {hash} and does not have it"
                ));
                node.health().head_was_served(true);
            }
        });
        join_all(asks).await;
    }
}
