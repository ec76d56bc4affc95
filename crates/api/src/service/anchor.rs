//! Anchor for answers.

use superroot_accumulate::Published;
use superroot_types::{BlockNumber, ChainKey};
use superroot_wire::{Anchor, AnchorChain};

use super::Api;

impl Api {
    /// An answer's anchor. In a proof both numbers belong to its SuperRoot, whose committed blocks are final and
    /// indexed. In live answers they are the newest known.
    pub(crate) fn anchor(
        &self,
        published: &Published,
        chain: Option<ChainKey>,
        is_live: bool,
    ) -> Anchor {
        let chain = chain.map(|chain| {
            let indexed_block = published.reference(chain).map(|(_, reference)| reference.number);
            let finalized_block =
                if is_live { self.newest_final(chain, indexed_block) } else { indexed_block };
            AnchorChain { chain_id: chain.id, finalized_block, indexed_block }
        });
        let sequence = published.super_root.sequence;
        let timestamp = published.super_root.timestamp;
        Anchor { sequence: sequence.0, super_root_hash: published.hash, timestamp, chain }
    }

    fn newest_final(&self, chain: ChainKey, indexed: Option<BlockNumber>) -> Option<BlockNumber> {
        let live = self.status.status(chain).finalized.map(|point| point.number);
        let newest = live.max(indexed);
        // what is taken back or withdrawn is final no more
        let contested = self.not_final_from(chain).ok().flatten();
        match contested.filter(|from| newest.is_some_and(|newest| newest >= *from)) {
            Some(from) => from.0.checked_sub(1).map(BlockNumber),
            None => newest,
        }
    }
}
