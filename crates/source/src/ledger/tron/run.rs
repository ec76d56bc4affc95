//! Signed headers around a block, from nodes.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use superroot_chain::ledger::tron::{RawTronBlock, RawTronHeader};
use superroot_proof::ledger::tron::Header;
use tokio::time::timeout;

use super::nodes::Tron;
use super::run_plan::RunNumbers;
use crate::live::node::LiveNode;

const AT_ONCE: usize = 16;
/// Time for a round, and again for what is before: a slow node costs the evidence, not the block, which has 30 s by default.
const TIME_MAX: Duration = Duration::from_secs(8);

impl Tron {
    /// Signed headers around a block, up to the first missing header; fewer or none after some seconds.
    pub(super) async fn run(
        &self,
        node: &Arc<LiveNode>,
        block: &RawTronBlock,
    ) -> Vec<RawTronHeader> {
        let plan = self.plan.zip(Header::decode(&block.header).ok());
        let Some(RunNumbers { round, before }) =
            plan.and_then(|(plan, header)| plan.numbers(&header))
        else {
            return Vec::new();
        };
        let round = timeout(TIME_MAX, self.signed(node, round)).await.unwrap_or_default();
        let Some(before) = before.filter(|_| !round.is_empty()) else { return round };
        match timeout(TIME_MAX, self.signed(node, before.clone())).await {
            Ok(older) if older.len() == before.count() => [older, round].concat(),
            Ok(_) | Err(_) => round,
        }
    }

    /// Signed headers by number, up to the first missing header.
    async fn signed(&self, node: &Arc<LiveNode>, numbers: Range<u64>) -> Vec<RawTronHeader> {
        let mut run = Vec::new();
        for numbers in numbers.collect::<Vec<_>>().chunks(AT_ONCE) {
            let asked = numbers.iter().map(|number| self.numbered(node, *number));
            for found in join_all(asked).await {
                let Ok(Some(RawTronBlock { header, signature: Some(signature), .. })) = found
                else {
                    return run;
                };
                run.push(RawTronHeader { header, signature });
            }
        }
        run
    }
}
