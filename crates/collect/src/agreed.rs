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

use superroot_source::{BlockAt, BlockId, SourceError};
use superroot_types::{BlockNumber, Hash};
use tokio::task::JoinSet;

use crate::checks;
use crate::collector::Collector;
use crate::error::CollectError;
use crate::fetch::Fetcher;
use crate::line::Piece;

/// Most blocks of a line of such a ledger: as many agreements are asked for at one time.
pub(crate) const LINE_BLOCKS_MAX: u64 = 32;

/// What is agreed on, by number; `None` where the source speaks for itself.
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

    /// What is agreed on of each block and of the one before the first, asked for at one time.
    async fn agreed_on(&self, fetcher: &Fetcher, pieces: &[Piece]) -> Result<Agreed, CollectError> {
        let before = pieces.first().and_then(|first| first.number().0.checked_sub(1));
        let mut asked = JoinSet::new();
        for number in before.map(BlockNumber).into_iter().chain(pieces.iter().map(Piece::number)) {
            let source = Arc::clone(&self.source);
            asked.spawn(async move {
                let agreement = source.fetch_agreement(number).await?;
                Ok::<_, SourceError>((number, agreement.hash))
            });
        }
        let mut agreed = Agreed::new();
        while let Some(answered) = asked.join_next().await {
            let answered = answered.map_err(|_| CollectError::Panicked)?;
            let (number, hash) = answered.map_err(|cause| fetcher.source_error(cause))?;
            agreed.insert(number, hash);
        }
        Ok(agreed)
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
