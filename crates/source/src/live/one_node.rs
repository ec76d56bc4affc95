//! Checks on a single trusted node: answers are compared with each other.
//!
//! Several machines often share an address, and some may lag or follow another branch: combining a number from the
//! first machine with a hash from the second would name a block without finality. So the final hash is read from the
//! line below a block with number and hash in a single answer, then again by number.
//!
//! ```text
//!   anchor: number and hash in one answer ── again by its hash
//!      │ parent
//!      ▼
//!   blocks below it, each asked for by number ── each the parent of the one above
//!      │ parent
//!      ▼
//!   the number wanted
//! ```

use std::sync::Arc;

use futures_util::future::{join, join_all};
use superroot_types::{BlockNumber, Hash};

use super::LiveSource;
use super::node::LiveNode;
use crate::error::SourceError;
use crate::ledger::{NodeTip, claimed_hashes};
use crate::{BlockAt, BlockParts, ClaimedBlock};

/// Longest line, in blocks. Blocks further below the final block are fetched twice instead.
const LINE_BLOCKS_MAX: u64 = 16;

impl LiveSource {
    /// Final hash according to a single node; `None` if the node's final block is lower.
    pub(super) async fn line_hash_of(
        &self,
        node: &Arc<LiveNode>,
        number: BlockNumber,
    ) -> Result<Option<Hash>, SourceError> {
        let tip = self.tip_of(node).await?;
        if tip.finalized.is_none_or(|finalized| finalized < number) {
            return Ok(None);
        }
        let anchor = anchor_of(&tip);
        let length = anchor.number.0.saturating_sub(number.0);
        if anchor.number < number || length > LINE_BLOCKS_MAX {
            let first = self.hash_of(node, number).await?;
            let second = self.hash_of(node, number).await?;
            return self.same(node, number, second, first).map(Some);
        }
        self.line_hash(node, anchor, number).await.map(Some)
    }

    /// Reads the line from the anchor down.
    async fn line_hash(
        &self,
        node: &Arc<LiveNode>,
        anchor: ClaimedBlock,
        number: BlockNumber,
    ) -> Result<Hash, SourceError> {
        let top = self.dialect.block(node, BlockAt::Id(anchor), BlockParts::Header);
        // the anchor too is asked for by its number
        let below = (number.0..=anchor.number.0).map(|number| {
            let at = BlockAt::Number(BlockNumber(number));
            self.dialect.block(node, at, BlockParts::Header)
        });
        let (top, below) = join(top, join_all(below)).await;
        let lacks = |number: BlockNumber| {
            node.mismatch("a header", "block", "null", format!("block {number}"))
        };
        top?.ok_or_else(|| lacks(anchor.number))?;
        let mut expected = anchor.hash;
        let mut at = anchor;
        for (number, block) in (number.0..=anchor.number.0).rev().zip(below.into_iter().rev()) {
            let number = BlockNumber(number);
            let block = block?.ok_or_else(|| lacks(number))?;
            let (hash, parent) = claimed_hashes(&block.block);
            let hash = hash.ok_or_else(|| lacks(number))?;
            self.same(node, number, hash, expected)?;
            at = ClaimedBlock { number, hash };
            expected = parent;
        }
        Ok(at.hash)
    }

    /// Rejects a second answer that differs from the first.
    fn same(
        &self,
        node: &Arc<LiveNode>,
        number: BlockNumber,
        got: Hash,
        expected: Hash,
    ) -> Result<Hash, SourceError> {
        if got == expected {
            return Ok(got);
        }
        self.measure.disagreement();
        let source_name = node.name().to_string();
        Err(SourceError::Inconsistent { source_name, number, got, expected })
    }
}

/// Anchor with number and hash in a single answer: the final block, or the head.
fn anchor_of(tip: &NodeTip) -> ClaimedBlock {
    match (tip.finalized, tip.finalized_hash) {
        (Some(number), Some(hash)) => ClaimedBlock { number, hash },
        _ => tip.head,
    }
}
