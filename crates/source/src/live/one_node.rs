//! A node that is believed alone: what it says is held against itself.
//!
//! Behind one address there are often several machines, of which one may be behind or on another
//! branch: a number out of the mouth of one and a hash out of that of another name a block that is
//! not final. So the hash of a final block is read off the line below a block that was named with
//! its number in one answer, and read again under its number.
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
use super::node::Node;
use crate::error::SourceError;
use crate::ledger::{NodeTip, claimed_hashes};
use crate::{BlockAt, BlockId, Parts};

/// Longest line that is read, in blocks. What is further below a final block is asked for twice.
const LINE_BLOCKS_MAX: u64 = 16;

impl LiveSource {
    /// Hash of a final block, as one node alone has it; `None` where its final block is below.
    pub(super) async fn line_hash_of(
        &self,
        node: &Arc<Node>,
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
        node: &Arc<Node>,
        anchor: BlockId,
        number: BlockNumber,
    ) -> Result<Hash, SourceError> {
        let top = self.dialect.block(node, BlockAt::Id(anchor), Parts::Header);
        // the anchor too is asked for by its number
        let below = (number.0..=anchor.number.0).map(|number| {
            let at = BlockAt::Number(BlockNumber(number));
            self.dialect.block(node, at, Parts::Header)
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
            at = BlockId { number, hash };
            expected = parent;
        }
        Ok(at.hash)
    }

    /// Refuses a second answer that is not the first.
    fn same(
        &self,
        node: &Arc<Node>,
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

/// A block that the node named with its number in one answer: the final one, or its head.
fn anchor_of(tip: &NodeTip) -> BlockId {
    match (tip.finalized, tip.finalized_hash) {
        (Some(number), Some(hash)) => BlockId { number, hash },
        _ => tip.head,
    }
}
