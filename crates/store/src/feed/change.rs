//! Feed row content.

use superroot_types::{BlockNumber, Hash, Sequence, UnixSeconds};

use crate::codec::{Decoder, Encoder};
use crate::layout::{BlockTip, StoredRow};
use crate::{StoreError, Table};

/// Longest block run in one change, and most blocks per row.
pub(super) const BLOCKS_MAX: u64 = 256;

const TAKEN: u8 = 0;
const UNDONE: u8 = 1;
const FINAL: u8 = 2;
const BODY: u8 = 3;
const RETRACTED: u8 = 4;

/// Change to a block run, or a publication.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FeedChange {
    /// Non-final blocks were taken. A later change undoes any block no longer stored.
    Taken {
        /// First block number.
        from: BlockNumber,
        /// Block hashes, ascending by number.
        hashes: Vec<Hash>,
    },
    /// Taken blocks are gone after a reorganisation. A reader with another block at the same number keeps that block.
    Undone {
        /// First block number.
        from: BlockNumber,
        /// Block hashes, ascending by number.
        hashes: Vec<Hash>,
    },
    /// Blocks became final, taken before or not: the stored hashes at these numbers are permanent.
    Final {
        /// First number.
        from: BlockNumber,
        /// Last number.
        to: BlockNumber,
    },
    /// More block bodies were stored.
    Body {
        /// First number.
        from: BlockNumber,
        /// Last number.
        to: BlockNumber,
    },
    /// Final blocks no longer count: their nodes now agree on other blocks. The blocks stay stored, and count again
    /// after a block above them is final.
    Retracted {
        /// First number.
        from: BlockNumber,
        /// Last number.
        to: BlockNumber,
    },
    /// A SuperRoot was published.
    Published {
        /// SuperRoot sequence.
        sequence: Sequence,
        /// SuperRoot hash.
        hash: Hash,
    },
}

impl FeedChange {
    /// Number of blocks changed.
    pub(super) fn block_count(&self) -> u64 {
        match self {
            Self::Taken { hashes, .. } | Self::Undone { hashes, .. } => hashes.len() as u64,
            Self::Final { from, to } | Self::Body { from, to } => to.0 - from.0 + 1,
            Self::Retracted { .. } | Self::Published { .. } => 1,
        }
    }

    /// Returns the first and last block with changed data; `None` without changed blocks.
    #[must_use]
    pub fn range(&self) -> Option<(BlockNumber, BlockNumber)> {
        match self {
            Self::Taken { from, hashes } | Self::Undone { from, hashes } => {
                let more = (hashes.len() as u64).checked_sub(1)?;
                Some((*from, BlockNumber(from.0.saturating_add(more))))
            }
            Self::Final { from, to } | Self::Body { from, to } => Some((*from, *to)),
            Self::Retracted { .. } | Self::Published { .. } => None,
        }
    }

    /// Returns the changed block numbers, ascending.
    pub fn numbers(&self) -> impl Iterator<Item = BlockNumber> {
        self.range().into_iter().flat_map(|(from, to)| (from.0..=to.0).map(BlockNumber))
    }

    /// Returns the part below `end`; `None` if empty.
    pub(super) fn below(self, end: BlockNumber) -> Option<Self> {
        let cut = |from: BlockNumber, mut hashes: Vec<Hash>| {
            let count = usize::try_from(end.0.saturating_sub(from.0)).unwrap_or(usize::MAX);
            hashes.truncate(count);
            (!hashes.is_empty()).then_some((from, hashes))
        };
        let run = |from: BlockNumber, to: BlockNumber| {
            let last = end.0.checked_sub(1).map(BlockNumber)?.min(to);
            (from <= last).then_some((from, last))
        };
        match self {
            Self::Taken { from, hashes } => {
                cut(from, hashes).map(|(from, hashes)| Self::Taken { from, hashes })
            }
            Self::Undone { from, hashes } => {
                cut(from, hashes).map(|(from, hashes)| Self::Undone { from, hashes })
            }
            Self::Final { from, to } => run(from, to).map(|(from, to)| Self::Final { from, to }),
            Self::Body { from, to } => run(from, to).map(|(from, to)| Self::Body { from, to }),
            Self::Retracted { .. } | Self::Published { .. } => Some(self),
        }
    }

    fn write(&self, out: &mut Encoder) {
        match self {
            Self::Taken { from, hashes } => write_hashes(out.u8(TAKEN), *from, hashes),
            Self::Undone { from, hashes } => write_hashes(out.u8(UNDONE), *from, hashes),
            Self::Final { from, to } => _ = out.u8(FINAL).u64(from.0).u64(to.0),
            Self::Body { from, to } => _ = out.u8(BODY).u64(from.0).u64(to.0),
            Self::Retracted { from, to } => _ = out.u8(RETRACTED).u64(from.0).u64(to.0),
            Self::Published { .. } => unreachable!("publications have a feed of their own"),
        }
    }

    fn read(row: &mut Decoder<'_>) -> Option<Self> {
        let kind = row.u8()?;
        let from = BlockNumber(row.u64()?);
        Some(match kind {
            TAKEN => Self::Taken { from, hashes: read_hashes(row, from)? },
            UNDONE => Self::Undone { from, hashes: read_hashes(row, from)? },
            FINAL => Self::Final { from, to: read_end(row, from)? },
            BODY => Self::Body { from, to: read_end(row, from)? },
            RETRACTED => Self::Retracted { from, to: read_end(row, from)? },
            _ => return None,
        })
    }
}

fn write_hashes(out: &mut Encoder, from: BlockNumber, hashes: &[Hash]) {
    out.u64(from.0).u32(u32::try_from(hashes.len()).expect("a run is short"));
    for hash in hashes {
        out.hash(hash);
    }
}

fn read_hashes(row: &mut Decoder<'_>, from: BlockNumber) -> Option<Vec<Hash>> {
    let count = row.u32()?;
    from.0.checked_add(u64::from(count).checked_sub(1)?)?;
    let mut hashes = Vec::new(); // grows with what is really there, not with what is claimed
    for _ in 0..count {
        hashes.push(row.hash()?);
    }
    Some(hashes)
}

fn read_end(row: &mut Decoder<'_>, from: BlockNumber) -> Option<BlockNumber> {
    row.u64().map(BlockNumber).filter(|to| from <= *to)
}

/// Changes in one commit, in order; neighbours merge into one run.
#[derive(Debug, Default)]
pub struct Changes(Vec<FeedChange>);

impl Changes {
    /// Records a non-final block.
    pub fn taken(&mut self, block: BlockTip) {
        if let Some(FeedChange::Taken { from, hashes }) = self.0.last_mut()
            && extends(*from, hashes.len() as u64, block.number)
        {
            return hashes.push(block.hash);
        }
        self.0.push(FeedChange::Taken { from: block.number, hashes: vec![block.hash] });
    }

    /// Records an undone block.
    pub fn undone(&mut self, block: BlockTip) {
        if let Some(FeedChange::Undone { from, hashes }) = self.0.last_mut()
            && extends(*from, hashes.len() as u64, block.number)
        {
            return hashes.push(block.hash);
        }
        self.0.push(FeedChange::Undone { from: block.number, hashes: vec![block.hash] });
    }

    /// Records a block that became final.
    pub fn made_final(&mut self, number: BlockNumber) {
        if let Some(FeedChange::Final { from, to }) = self.0.last_mut()
            && extends(*from, to.0 - from.0 + 1, number)
        {
            *to = number;
            return;
        }
        self.0.push(FeedChange::Final { from: number, to: number });
    }

    /// Records a body with more stored data.
    pub fn body(&mut self, number: BlockNumber) {
        if let Some(FeedChange::Body { from, to }) = self.0.last_mut()
            && extends(*from, to.0 - from.0 + 1, number)
        {
            *to = number;
            return;
        }
        self.0.push(FeedChange::Body { from: number, to: number });
    }

    /// Records final blocks that no longer count.
    pub fn retracted(&mut self, from: BlockNumber, to: BlockNumber) {
        self.0.push(FeedChange::Retracted { from, to: to.max(from) });
    }

    /// Returns the changes, in order.
    #[must_use]
    pub fn into_vec(self) -> Vec<FeedChange> {
        self.0
    }
}

/// Whether a number continues a run that has room for one more.
fn extends(from: BlockNumber, count: u64, number: BlockNumber) -> bool {
    count < BLOCKS_MAX && from.0.checked_add(count) == Some(number.0)
}

/// Chain feed row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedRow {
    /// Oldest row kept when this row was written.
    pub oldest: u64,
    /// Write time.
    pub at: UnixSeconds,
    /// Changes, in order.
    pub changes: Vec<FeedChange>,
}

impl FeedRow {
    /// `oldest:u64 ‖ at:u64 ‖ change*`. A change is `00` (taken) or `01` (undone) with `from:u64 ‖ count:u32 ‖ hash*`,
    /// or `02` (final), `03` (body) or `04` (retracted) with `from:u64 ‖ to:u64`.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::new();
        out.u64(self.oldest).u64(self.at.0);
        self.changes.iter().for_each(|change| change.write(&mut out));
        out.finish()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut row = Decoder::new(bytes);
        let oldest = row.u64()?;
        let at = UnixSeconds(row.u64()?);
        let mut changes = Vec::new();
        while !row.is_empty() {
            changes.push(FeedChange::read(&mut row)?);
        }
        row.finish(Self { oldest, at, changes })
    }
}

impl StoredRow for FeedRow {
    fn decode(key: &[u8], bytes: &[u8]) -> Result<Self, StoreError> {
        let corrupt = || StoreError::corrupt(Table::Feed, key, "not a row of a feed");
        Self::read(bytes).ok_or_else(corrupt)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tip(number: u64, hash: u8) -> BlockTip {
        BlockTip { number: BlockNumber(number), hash: Hash([hash; 32]) }
    }

    #[test]
    fn neighbours_become_one_run_and_a_run_has_an_end() {
        let mut changes = Changes::default();
        changes.undone(tip(7, 1));
        changes.undone(tip(8, 2));
        changes.taken(tip(7, 3));
        changes.taken(tip(9, 4));
        (0..2 * BLOCKS_MAX + 1).for_each(|number| changes.made_final(BlockNumber(number)));
        let changes = changes.into_vec();
        let hashes = |bytes: &[u8]| bytes.iter().map(|byte| Hash([*byte; 32])).collect();
        assert_eq!(
            changes[0],
            FeedChange::Undone { from: BlockNumber(7), hashes: hashes(&[1, 2]) }
        );
        assert_eq!(changes[1], FeedChange::Taken { from: BlockNumber(7), hashes: hashes(&[3]) });
        assert_eq!(changes[2], FeedChange::Taken { from: BlockNumber(9), hashes: hashes(&[4]) });
        let counts: Vec<u64> = changes[3..].iter().map(FeedChange::block_count).collect();
        assert_eq!(counts, [BLOCKS_MAX, BLOCKS_MAX, 1]);
    }

    #[test]
    fn a_change_is_cut_at_a_number() {
        let end = BlockNumber(10);
        let run = |from, to| FeedChange::Final { from: BlockNumber(from), to: BlockNumber(to) };
        assert_eq!(run(8, 9).below(end), Some(run(8, 9)));
        assert_eq!(run(8, 12).below(end), Some(run(8, 9)));
        assert_eq!(run(10, 12).below(end), None);
        assert_eq!(run(0, 0).below(BlockNumber(0)), None);
        let taken =
            |count| FeedChange::Taken { from: BlockNumber(8), hashes: vec![Hash::ZERO; count] };
        assert_eq!(taken(2).below(end), Some(taken(2)));
        assert_eq!(taken(5).below(end), Some(taken(2)));
        assert_eq!(taken(5).below(BlockNumber(8)), None);
    }

    fn change() -> impl Strategy<Value = FeedChange> {
        let hashes = proptest::collection::vec(any::<[u8; 32]>().prop_map(Hash), 1..4);
        let run = (any::<u32>(), any::<u32>()).prop_map(|(from, more)| {
            (BlockNumber(from.into()), BlockNumber(u64::from(from) + u64::from(more)))
        });
        (0..5_u8, any::<u32>(), hashes, run).prop_map(|(kind, number, hashes, (from, to))| {
            let first = BlockNumber(number.into());
            match kind {
                0 => FeedChange::Taken { from: first, hashes },
                1 => FeedChange::Undone { from: first, hashes },
                2 => FeedChange::Final { from, to },
                3 => FeedChange::Body { from, to },
                _ => FeedChange::Retracted { from, to },
            }
        })
    }

    proptest! {
        #[test]
        fn a_row_leads_back_and_has_one_encoding(
            changes in proptest::collection::vec(change(), 0..5),
            oldest: u64,
            at: u64,
            place: prop::sample::Index,
            byte: u8,
        ) {
            let row = FeedRow { oldest, at: UnixSeconds(at), changes };
            let mut bytes = row.encode();
            prop_assert_eq!(&FeedRow::decode(b"", &bytes).unwrap(), &row);
            prop_assert!(FeedRow::decode(b"", &[bytes.as_slice(), &[9]].concat()).is_err());
            let place = place.index(bytes.len());
            bytes[place] = byte;
            if let Ok(read) = FeedRow::decode(b"", &bytes) {
                prop_assert_eq!(read.encode(), bytes);
            }
        }

        #[test]
        fn no_bytes_make_a_row_panic(bytes: Vec<u8>) {
            let _ = FeedRow::decode(b"", &bytes);
        }
    }
}
