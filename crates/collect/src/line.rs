//! Line fetching: each block is the next block's parent; the last one is agreed on.

use superroot_chain::VerifiedBlock;
use superroot_chain::finality::{Candidate, LineBlock};
use superroot_source::{BlockAt, BlockParts, ClaimedBlock, FinalityAgreement};
use superroot_store::layout::{BlockRow, WatchFilter};
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey, Hash, UnixSeconds};

use crate::blocking::blocking;
use crate::collector::Collector;
use crate::error::CollectError;
use crate::fetch::{Fetcher, Received};
use crate::{checks, watching};

/// Block in a run.
#[derive(Debug)]
pub(crate) enum RunPiece {
    /// Stored non-final block.
    Held(BlockNumber, BlockRow),
    New(Box<Received>),
}

/// Block with the header's time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockTimed {
    pub(crate) number: BlockNumber,
    pub(crate) hash: Hash,
    pub(crate) timestamp: UnixSeconds,
}

impl RunPiece {
    pub(crate) fn number(&self) -> BlockNumber {
        match self {
            Self::Held(number, _) => *number,
            Self::New(received) => received.block.number(),
        }
    }

    pub(crate) fn hash(&self) -> Hash {
        match self {
            Self::Held(_, row) => row.hash,
            Self::New(received) => received.block.hash(),
        }
    }

    pub(crate) fn parent_hash(&self) -> Hash {
        match self {
            Self::Held(_, row) => row.parent_hash,
            Self::New(received) => received.block.parent_hash(),
        }
    }

    /// Candidate for finality.
    pub(crate) fn into_candidate(self, chain: ChainKey) -> Candidate {
        match self {
            Self::Held(number, row) => Candidate::Held(row.link(chain, number)),
            Self::New(received) => received.block.into(),
        }
    }

    /// Block for the gate.
    pub(crate) fn in_line(&self) -> LineBlock {
        let (number, hash) = (self.number(), self.hash());
        match self {
            Self::Held(_, row) => {
                LineBlock { number, hash, header: row.header.clone(), evidence: None }
            }
            Self::New(received) => {
                let signed = received.block.signed();
                let evidence = signed.map(|signed| signed.evidence.clone());
                LineBlock { number, hash, header: received.block.header().to_vec(), evidence }
            }
        }
    }

    pub(crate) fn timed(&self) -> BlockTimed {
        let timestamp = match self {
            Self::Held(_, row) => row.timestamp,
            Self::New(received) => received.block.timestamp(),
        };
        BlockTimed { number: self.number(), hash: self.hash(), timestamp }
    }

    pub(crate) fn block(&self) -> Option<&VerifiedBlock> {
        match self {
            Self::Held(..) => None,
            Self::New(received) => Some(&received.block),
        }
    }
}

impl Collector {
    /// Fetches the linked blocks from `first` to the agreed block `last`, with the agreement.
    pub(crate) async fn fetch_line(
        &self,
        first: BlockNumber,
        last: BlockNumber,
    ) -> Result<(Vec<RunPiece>, FinalityAgreement), CollectError> {
        let fetcher = self.fetcher(true);
        self.clear_room();
        let agreement = self.source.fetch_agreement(last).await;
        let agreement = agreement.map_err(|cause| fetcher.source_error(cause))?;
        let mut held = self.held_blocks(first, last).await?;
        if agreement.hash.is_none() {
            // the source speaks for itself: what it sends as the last block is what it stands by, and
            // where that one's hash does not bind those below, so is what it sends as each of them
            let binds_parent = self.row.ledger.binds_parent();
            held.retain(|(number, _)| binds_parent && *number != last);
        }
        // a body that nobody had at the head may be there by now
        let (bare, held): (Vec<_>, Vec<_>) = held.into_iter().partition(|(_, row)| {
            // signatures come once a block is final
            let is_signed_now = self.row.ledger.is_signed_when_final(&row.header);
            is_signed_now || watching::lacks_body(&self.row, row)
        });
        let pieces = self.fetch_pieces(&fetcher.for_a_step(), first, last, held).await?;
        let agreement = match pieces.last().map(RunPiece::number) {
            Some(newest) if newest < last => {
                let shorter = self.source.fetch_agreement(newest).await;
                shorter.map_err(|cause| fetcher.source_error(cause))?
            }
            _ => agreement,
        };
        let pieces = match self.row.ledger.binds_parent() {
            true => self.settle(&fetcher, pieces, agreement.hash).await?,
            false => self.settle_each(&fetcher, pieces).await?,
        };
        let mut pieces = self.fetch_bodies(&fetcher, pieces).await?;
        for (number, row) in bare {
            let same = |piece: &&mut RunPiece| piece.number() == number && piece.hash() == row.hash;
            if let Some(piece) = pieces.iter_mut().find(same)
                && piece.block().is_some_and(|block| {
                    let extent = block.extent();
                    let is_whole = extent.transactions && extent.receipts;
                    !is_whole && (block.body_refused().is_none() || !extent.covers(row.extent))
                })
            {
                *piece = RunPiece::Held(number, row); // still nobody has it, or less came than is held
            }
        }
        Ok((pieces, agreement))
    }

    /// Stored non-final blocks in the range.
    async fn held_blocks(
        &self,
        first: BlockNumber,
        last: BlockNumber,
    ) -> Result<Vec<(BlockNumber, BlockRow)>, CollectError> {
        let store = self.store.clone();
        let chain = self.chain();
        blocking(move || {
            let numbers = first..BlockNumber(last.0.saturating_add(1));
            let most = usize::try_from(last.0.saturating_sub(first.0)).unwrap_or(usize::MAX);
            let mut held = read::load_blocks(&*store, chain, numbers, most.saturating_add(1))?;
            held.retain(|(_, row)| !row.is_final());
            Ok(held)
        })
        .await
    }

    /// Returns each block in the range, stored or as sent for its number. Without room or time for all, only the first
    /// ones, ending with a fetched block.
    pub(crate) async fn fetch_pieces(
        &self,
        fetcher: &Fetcher,
        first: BlockNumber,
        last: BlockNumber,
        held: Vec<(BlockNumber, BlockRow)>,
    ) -> Result<Vec<RunPiece>, CollectError> {
        let parts = self.first_parts();
        let is_held = |number: &u64| held.iter().any(|(held, _)| held.0 == *number);
        let wanted = (first.0..=last.0).filter(|number| !is_held(number));
        let wanted = wanted.map(|number| (BlockAt::Number(BlockNumber(number)), parts)).collect();
        let (received, error) = fetcher.blocks(wanted, |_| false).await;
        let received = received.into_iter().collect::<Result<Vec<_>, _>>()?;
        let newest = received.last().map(|received| received.block.number());
        let last = match (error, newest) {
            (None, _) => last,
            (Some(CollectError::StepTooLarge { .. }), Some(newest)) => newest,
            (Some(error), _) => return Err(error),
        };
        let held = held.into_iter().filter(|(number, _)| *number <= last);
        let mut pieces: Vec<RunPiece> =
            held.map(|(number, row)| RunPiece::Held(number, row)).collect();
        pieces.extend(received.into_iter().map(|received| RunPiece::New(Box::new(received))));
        pieces.sort_by_key(RunPiece::number);
        Ok(pieces)
    }

    /// Parts requested before anything is known about a block.
    pub(crate) const fn first_parts(&self) -> BlockParts {
        match self.config.watch {
            WatchFilter::All => BlockParts::Whole,
            WatchFilter::Some { .. } => BlockParts::Header,
        }
    }

    /// Follows the line from `top` downwards. An unlinked block is blamed on its sender, and fetched by the hash that
    /// its child names.
    pub(crate) async fn settle(
        &self,
        fetcher: &Fetcher,
        mut pieces: Vec<RunPiece>,
        top: Option<Hash>,
    ) -> Result<Vec<RunPiece>, CollectError> {
        let mut expected = top.or_else(|| pieces.last().map(RunPiece::hash));
        for piece in pieces.iter_mut().rev() {
            if let Some(hash) = expected.filter(|hash| *hash != piece.hash()) {
                let number = piece.number();
                if let RunPiece::New(received) = &*piece
                    && fetcher.is_final
                {
                    let why = format!("sent {}, agreed on is {hash}", piece.hash());
                    fetcher.blame(&received.sender, number, checks::AGREEMENT, &why);
                }
                let at = BlockAt::Id(ClaimedBlock { number, hash });
                *piece = RunPiece::New(Box::new(fetcher.block(at, self.first_parts()).await?));
            }
            expected = Some(piece.parent_hash());
        }
        Ok(pieces)
    }

    /// Fetches bodies by hash for blocks whose header passes the watch list.
    pub(crate) async fn fetch_bodies(
        &self,
        fetcher: &Fetcher,
        mut pieces: Vec<RunPiece>,
    ) -> Result<Vec<RunPiece>, CollectError> {
        let lacks_body = |piece: &RunPiece| match piece {
            RunPiece::Held(..) => false,
            RunPiece::New(received) => {
                let block = &received.block;
                let watch = &self.config.watch;
                *watch != WatchFilter::All
                    && block.receipts().is_none()
                    && watching::header_passes(&self.row, watch, block.number(), block.header())
            }
        };
        let wanted = pieces.iter().filter(|piece| lacks_body(piece)).map(|piece| {
            let id = ClaimedBlock { number: piece.number(), hash: piece.hash() };
            (BlockAt::Id(id), BlockParts::Whole)
        });
        let (received, error) = fetcher.blocks(wanted.collect(), |_| false).await;
        if let Some(error) = error {
            return Err(error);
        }
        let mut received = received.into_iter();
        for piece in pieces.iter_mut().filter(|piece| lacks_body(piece)) {
            if let Some(whole) = received.next() {
                *piece = RunPiece::New(Box::new(whole?));
            }
        }
        Ok(pieces)
    }
}
