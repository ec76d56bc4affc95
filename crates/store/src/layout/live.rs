//! Rows about following a chain: what is held of it, what was taken back, what is being filled.

use superroot_chain::{Evidence, Extent};
use superroot_types::{BlockNumber, Hash, UnixSeconds};

use super::{StoredRow, Tip};
use crate::codec::{Decoder, Encoder};
use crate::{StoreError, Table};

/// Why of a run of blocks only the headers are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HeaderWhy {
    /// The chain was collected under an empty watch list.
    NothingWatched,
    /// The source gave no body that recomputes: it had none, or the chain's rules allow none.
    NoBody,
}

impl HeaderWhy {
    /// The word used in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NothingWatched => "nothing_watched",
            Self::NoBody => "no_body",
        }
    }
}

/// How much of a run of final blocks is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Held {
    /// Every transaction and receipt.
    Whole,
    /// Every entry that passes that watch list.
    Watched {
        /// Hash of the list, [`super::Watch::hash`].
        watch_hash: Hash,
    },
    /// Headers alone.
    HeaderOnly {
        /// Why.
        why: HeaderWhy,
    },
    /// Every entry of one tree; the other did not come.
    Partial {
        /// The parts that are held.
        extent: Extent,
    },
    /// Nothing: numbers that were not recorded.
    Skipped,
    /// Nothing: the block was refused; its [`super::RefusedRow`] says why.
    Refused,
}

impl Held {
    fn write(self, out: &mut Encoder) {
        match self {
            Self::Whole => _ = out.u8(0),
            Self::Watched { watch_hash } => _ = out.u8(1).hash(&watch_hash),
            Self::HeaderOnly { why: HeaderWhy::NothingWatched } => _ = out.u8(2),
            Self::HeaderOnly { why: HeaderWhy::NoBody } => _ = out.u8(3),
            Self::Partial { extent } => {
                out.u8(4).flag(extent.transactions).flag(extent.receipts);
            }
            Self::Skipped => _ = out.u8(5),
            Self::Refused => _ = out.u8(6),
        }
    }

    fn read(row: &mut Decoder<'_>) -> Option<Self> {
        Some(match row.u8()? {
            0 => Self::Whole,
            1 => Self::Watched { watch_hash: row.hash()? },
            2 => Self::HeaderOnly { why: HeaderWhy::NothingWatched },
            3 => Self::HeaderOnly { why: HeaderWhy::NoBody },
            4 => Self::Partial {
                extent: Extent { transactions: row.flag()?, receipts: row.flag()? },
            },
            5 => Self::Skipped,
            6 => Self::Refused,
            _ => return None,
        })
    }
}

/// A run of final numbers of which one thing can be said; its first number is in the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoverageRow {
    /// Its last number.
    pub to: BlockNumber,
    /// How much of it is held.
    pub held: Held,
}

impl CoverageRow {
    /// `to:u64 ‖ held`, held as `00`, `01 ‖ watch_hash`, `02`, `03`,
    /// `04 ‖ transactions:flag ‖ receipts:flag`, `05` or `06`.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::new();
        self.held.write(out.u64(self.to.0));
        out.finish()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut row = Decoder::new(bytes);
        let run = Self { to: BlockNumber(row.u64()?), held: Held::read(&mut row)? };
        row.finish(run)
    }
}

/// A block that was taken as final and, as others now agree, is not. It stays in the log; the chain
/// is halted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetractionRow {
    /// Hash that is held as final.
    pub held_hash: Hash,
    /// Hash that is said to be final now.
    pub other_hash: Hash,
    /// Who says so, of how many, by which rule.
    pub evidence: Evidence,
    /// When it was noticed.
    pub noticed_at: UnixSeconds,
    /// Header of the other block in the bytes its ledger hashes, where it could be had.
    pub other_header: Option<Vec<u8>>,
}

impl RetractionRow {
    /// `held_hash ‖ other_hash ‖ evidence ‖ noticed_at:u64 ‖ other_header`: the evidence as bytes, the
    /// header an option of bytes.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::new();
        out.hash(&self.held_hash).hash(&self.other_hash).bytes(&self.evidence.encode());
        out.u64(self.noticed_at.0);
        out.option(self.other_header.as_ref(), |out, header| _ = out.bytes(header)).finish()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut row = Decoder::new(bytes);
        let retraction = Self {
            held_hash: row.hash()?,
            other_hash: row.hash()?,
            evidence: Evidence::decode(row.bytes()?)?,
            noticed_at: UnixSeconds(row.u64()?),
            other_header: row.option(|row| row.bytes().map(<[u8]>::to_vec))?,
        };
        row.finish(retraction)
    }
}

/// A chain that is halted: nothing is collected until an operator clears it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HaltRow {
    /// Block at which it was halted.
    pub number: BlockNumber,
    /// Since when.
    pub since: UnixSeconds,
    /// Why, in words.
    pub reason: String,
}

impl HaltRow {
    /// `number:u64 ‖ since:u64 ‖ reason`.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::new();
        out.u64(self.number.0).u64(self.since.0).bytes(self.reason.as_bytes()).finish()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut row = Decoder::new(bytes);
        let halt = Self {
            number: BlockNumber(row.u64()?),
            since: UnixSeconds(row.u64()?),
            reason: row.text()?,
        };
        row.finish(halt)
    }
}

/// Blocks that were taken as final and that others took back: nothing from `from` on is published
/// until a final block is taken above `held_to`, which stands on them. A halt that an operator clears
/// leaves this behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContestRow {
    /// First block that is contested.
    pub from: BlockNumber,
    /// Newest final block as they were taken back.
    pub held_to: BlockNumber,
}

impl ContestRow {
    /// `from:u64 ‖ held_to:u64`.
    pub(crate) fn encode(&self) -> Vec<u8> {
        Encoder::new().u64(self.from.0).u64(self.held_to.0).finish()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut row = Decoder::new(bytes);
        let contest = Self { from: BlockNumber(row.u64()?), held_to: BlockNumber(row.u64()?) };
        row.finish(contest)
    }
}

/// The twig below a chain's run that is being filled, from its last block downwards. Its blocks
/// count as soon as the run begins with them, and not before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackfillRow {
    /// Lowest block held of it.
    pub lowest: Tip,
    /// Blocks held of it.
    pub block_count: u64,
}

impl BackfillRow {
    /// `number:u64 ‖ hash ‖ block_count:u64`.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::new();
        out.u64(self.lowest.number.0).hash(&self.lowest.hash).u64(self.block_count).finish()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut row = Decoder::new(bytes);
        let backfill = Self {
            lowest: Tip { number: BlockNumber(row.u64()?), hash: row.hash()? },
            block_count: row.u64()?,
        };
        row.finish(backfill)
    }
}

stored!(
    CoverageRow in Coverage,
    RetractionRow in Retraction,
    HaltRow in Halt,
    ContestRow in Halt,
    BackfillRow in Backfill
);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use superroot_chain::finality::OneSource;

    use super::*;

    fn held() -> impl Strategy<Value = Held> {
        prop_oneof![
            Just(Held::Whole),
            any::<[u8; 32]>().prop_map(|hash| Held::Watched { watch_hash: Hash(hash) }),
            Just(Held::HeaderOnly { why: HeaderWhy::NothingWatched }),
            Just(Held::HeaderOnly { why: HeaderWhy::NoBody }),
            any::<(bool, bool)>().prop_map(|(transactions, receipts)| Held::Partial {
                extent: Extent { transactions, receipts }
            }),
            Just(Held::Skipped),
            Just(Held::Refused),
        ]
    }

    fn evidence() -> impl Strategy<Value = Evidence> {
        any::<(String, String)>()
            .prop_map(|(name, rule)| Evidence::OneSource(OneSource { name, rule }))
    }

    /// Read back, cut anywhere, made longer, and with one byte changed: never another row of the
    /// same bytes.
    fn leads_back<R: StoredRow + PartialEq + std::fmt::Debug>(
        row: &R,
        encode: impl Fn(&R) -> Vec<u8>,
        at: &prop::sample::Index,
        byte: u8,
    ) -> Result<(), TestCaseError> {
        let mut bytes = encode(row);
        prop_assert_eq!(&R::decode(b"k", &bytes).unwrap(), row);
        prop_assert!(R::decode(b"k", &bytes[..at.index(bytes.len())]).is_err());
        prop_assert!(R::decode(b"k", &[bytes.as_slice(), &[0]].concat()).is_err());
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(read) = R::decode(b"k", &bytes) {
            prop_assert_eq!(encode(&read), bytes);
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn rows_lead_back_and_have_one_encoding(
            held in held(),
            evidence in evidence(),
            (to, one, other) in any::<(u64, [u8; 32], [u8; 32])>(),
            other_header: Option<Vec<u8>>,
            reason: String,
            at: prop::sample::Index,
            byte: u8,
        ) {
            let (number, one, other) = (BlockNumber(to), Hash(one), Hash(other));
            leads_back(&CoverageRow { to: number, held }, CoverageRow::encode, &at, byte)?;
            let halt = HaltRow { number, since: UnixSeconds(to), reason };
            leads_back(&halt, HaltRow::encode, &at, byte)?;
            let contest = ContestRow { from: number, held_to: BlockNumber(!to) };
            leads_back(&contest, ContestRow::encode, &at, byte)?;
            let retraction = RetractionRow {
                held_hash: one,
                other_hash: other,
                evidence,
                noticed_at: UnixSeconds(to),
                other_header,
            };
            leads_back(&retraction, RetractionRow::encode, &at, byte)?;
            let lowest = Tip { number, hash: one };
            let row = BackfillRow { lowest, block_count: to };
            leads_back(&row, BackfillRow::encode, &at, byte)?;
        }

        #[test]
        fn no_bytes_make_a_decoder_panic(bytes: Vec<u8>) {
            let _ = CoverageRow::decode(b"", &bytes);
            let _ = RetractionRow::decode(b"", &bytes);
            let _ = HaltRow::decode(b"", &bytes);
            let _ = ContestRow::decode(b"", &bytes);
            let _ = BackfillRow::decode(b"", &bytes);
        }
    }

    /// The bytes are pinned: a change of them is a new layout.
    #[test]
    fn what_is_held_has_the_documented_bytes() {
        let watch_hash = Hash([7; 32]);
        let extent = Extent { transactions: true, receipts: false };
        let helds = [
            (Held::Whole, vec![0]),
            (Held::Watched { watch_hash }, [&[1][..], &[7; 32]].concat()),
            (Held::HeaderOnly { why: HeaderWhy::NothingWatched }, vec![2]),
            (Held::HeaderOnly { why: HeaderWhy::NoBody }, vec![3]),
            (Held::Partial { extent }, vec![4, 1, 0]),
            (Held::Skipped, vec![5]),
            (Held::Refused, vec![6]),
        ];
        for (held, bytes) in helds {
            let row = CoverageRow { to: BlockNumber(9), held };
            assert_eq!(row.encode(), [&[0, 0, 0, 0, 0, 0, 0, 9][..], &bytes].concat());
        }
    }
}
