//! Ledgers whose hashes do not bind earlier blocks: agreement on the last block says nothing about the rest, so each
//! block needs its own agreement.
//!
//! ```text
//!            first - 1    first    ...    last
//! agreed on:     h  ◄───────h ◄───── ... ───h      every hash
//!                   names        names             every parent, which its sender alone says
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use superroot_source::{BlockAt, ClaimedBlock};
use superroot_types::{BlockNumber, Hash};
use tokio::task::JoinSet;

use crate::checks;
use crate::collector::Collector;
use crate::error::CollectError;
use crate::fetch::Fetcher;
use crate::line::RunPiece;

/// Most blocks per line on such a ledger: each requires an agreement.
pub(crate) const LINE_BLOCKS_MAX: u64 = 32;

/// Most concurrent agreement requests: each takes several calls, and nodes count calls.
const ASKED_AT_ONCE: usize = 4;

/// Agreed hashes by number; `None` if the source speaks for itself, and the piece is as sent now.
type Agreed = BTreeMap<BlockNumber, Option<Hash>>;

impl Collector {
    /// Compares each block in a line with the hash agreed on for its number, and its parent with the previous block. A
    /// mismatching block is blamed on its sender and fetched again.
    pub(crate) async fn settle_each(
        &self,
        fetcher: &Fetcher,
        mut pieces: Vec<RunPiece>,
    ) -> Result<Vec<RunPiece>, CollectError> {
        let agreed = self.agreed_on(fetcher, &pieces).await?;
        let of = |number: BlockNumber| agreed.get(&number).copied().flatten();
        let before = pieces.first().and_then(|first| first.number().0.checked_sub(1));
        let mut parent = before.and_then(|number| of(BlockNumber(number)));
        for piece in &mut pieces {
            if let Some(hash) = of(piece.number()).filter(|hash| *hash != piece.hash()) {
                if let RunPiece::New(received) = &*piece {
                    let why = format!("sent {}, agreed on is {hash}", piece.hash());
                    fetcher.blame(&received.sender, piece.number(), checks::AGREEMENT, &why);
                }
                self.fetch_again(fetcher, piece, hash).await?;
            }
            if let Some(parent) = parent {
                self.with_parent(fetcher, piece, parent).await?;
            }
            parent = Some(piece.hash());
        }
        Ok(pieces)
    }

    /// Agreed hashes for each block and the one before the first. If no node has the latter, as in recordings that
    /// begin there, the first block's sender supplies the hash.
    async fn agreed_on(
        &self,
        fetcher: &Fetcher,
        pieces: &[RunPiece],
    ) -> Result<Agreed, CollectError> {
        let before = pieces.first().and_then(|first| first.number().0.checked_sub(1));
        let before = before.map(BlockNumber);
        let mut waiting = before.into_iter().chain(pieces.iter().map(RunPiece::number));
        let mut asked = JoinSet::new();
        let mut agreed = Agreed::new();
        loop {
            while asked.len() < ASKED_AT_ONCE.min(fetcher.fetches_max.max(1)) {
                let Some(number) = waiting.next() else { break };
                let source = Arc::clone(&self.source);
                asked.spawn(async move { (number, source.fetch_agreement(number).await) });
            }
            let Some(answered) = asked.join_next().await else { return Ok(agreed) };
            let (number, answered) = answered.map_err(|_| CollectError::Panicked)?;
            let hash = match answered {
                Ok(agreement) => agreement.hash,
                Err(error) if Some(number) == before && error.lacks_block() => None,
                Err(error) => return Err(fetcher.source_error(error)),
            };
            agreed.insert(number, hash);
        }
    }

    async fn fetch_again(
        &self,
        fetcher: &Fetcher,
        piece: &mut RunPiece,
        hash: Hash,
    ) -> Result<(), CollectError> {
        let at = BlockAt::Id(ClaimedBlock { number: piece.number(), hash });
        *piece = RunPiece::New(Box::new(fetcher.block(at, self.first_parts()).await?));
        Ok(())
    }

    /// Fetches the block from a sender that names this parent.
    async fn with_parent(
        &self,
        fetcher: &Fetcher,
        piece: &mut RunPiece,
        parent: Hash,
    ) -> Result<(), CollectError> {
        for _ in 0..=fetcher.attempts_max {
            if piece.parent_hash() == parent {
                return Ok(());
            }
            if let RunPiece::New(received) = &*piece {
                let why = format!("names parent {}, agreed on is {parent}", piece.parent_hash());
                fetcher.blame(&received.sender, piece.number(), checks::PARENT_LINK, &why);
            }
            self.fetch_again(fetcher, piece, piece.hash()).await?;
        }
        let chain = self.chain();
        let number = piece.number();
        Err(CollectError::Contradiction { chain, number, expected: parent })
    }
}
