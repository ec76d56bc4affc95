//! Lines of a ledger whose hashes do not bind those of the blocks before: agreement on the last block
//! says nothing of the others, so each is agreed on.
//!
//! ```text
//!            first - 1    first    ...    last
//! agreed on:     h  ◄───────h ◄───── ... ───h      every hash
//!                   names        names             every parent, which its sender alone says
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use superroot_source::{BlockAt, BlockId};
use superroot_types::{BlockNumber, Hash};
use tokio::task::JoinSet;

use crate::checks;
use crate::collector::Collector;
use crate::error::CollectError;
use crate::fetch::Fetcher;
use crate::line::Piece;

/// Most blocks of a line of such a ledger: each takes an agreement of its own.
pub(crate) const LINE_BLOCKS_MAX: u64 = 32;

/// Most agreements that are asked for at one time: nodes count calls, and each of these takes some.
const ASKED_AT_ONCE: usize = 4;

/// What is agreed on, by number; `None` where the source speaks for itself, and the piece is as it sends
/// it now.
type Agreed = BTreeMap<BlockNumber, Option<Hash>>;

impl Collector {
    /// Holds each block of a line against what is agreed on under its number, and its parent against
    /// the block before. A block that does not fit is blamed on who sent it, and fetched again.
    pub(crate) async fn settle_each(
        &self,
        fetcher: &Fetcher,
        mut pieces: Vec<Piece>,
    ) -> Result<Vec<Piece>, CollectError> {
        let agreed = self.agreed_on(fetcher, &pieces).await?;
        let of = |number: BlockNumber| agreed.get(&number).copied().flatten();
        let before = pieces.first().and_then(|first| first.number().0.checked_sub(1));
        let mut parent = before.and_then(|number| of(BlockNumber(number)));
        for piece in &mut pieces {
            if let Some(hash) = of(piece.number()).filter(|hash| *hash != piece.hash()) {
                if let Piece::New(received) = &*piece {
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

    /// What is agreed on of each block and of the one before the first. Where nobody has that one, as of
    /// recordings that begin there, its hash is what the first block's sender says.
    async fn agreed_on(&self, fetcher: &Fetcher, pieces: &[Piece]) -> Result<Agreed, CollectError> {
        let before = pieces.first().and_then(|first| first.number().0.checked_sub(1));
        let before = before.map(BlockNumber);
        let mut waiting = before.into_iter().chain(pieces.iter().map(Piece::number));
        let (mut asked, mut agreed) = (JoinSet::new(), Agreed::new());
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
        piece: &mut Piece,
        hash: Hash,
    ) -> Result<(), CollectError> {
        let at = BlockAt::Id(BlockId { number: piece.number(), hash });
        *piece = Piece::New(Box::new(fetcher.block(at, self.first_parts()).await?));
        Ok(())
    }

    /// The block as one sends it who names that parent.
    async fn with_parent(
        &self,
        fetcher: &Fetcher,
        piece: &mut Piece,
        parent: Hash,
    ) -> Result<(), CollectError> {
        for _ in 0..=fetcher.attempts_max {
            if piece.parent_hash() == parent {
                return Ok(());
            }
            if let Piece::New(received) = &*piece {
                let why = format!("names parent {}, agreed on is {parent}", piece.parent_hash());
                fetcher.blame(&received.sender, piece.number(), checks::PARENT_LINK, &why);
            }
            self.fetch_again(fetcher, piece, piece.hash()).await?;
        }
        let (chain, number) = (self.chain(), piece.number());
        Err(CollectError::Contradiction { chain, number, expected: parent })
    }
}
