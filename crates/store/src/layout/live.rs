//! Live chain rows: coverage, retractions, halts, backfills.

use superroot_chain::{Extent, FinalityEvidence};
use superroot_types::{BlockNumber, Hash, UnixSeconds};

use super::{BlockTip, StoredRow};
use crate::codec::{Decoder, Encoder};
use crate::{StoreError, Table};

/// Reason for storing headers only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HeaderWhy {
    /// Chain collected under an empty watch list.
    NothingWatched,
    /// No source body matched the roots: the source had none, or the chain's rules allow none.
    NoBody,
}

impl HeaderWhy {
    /// Name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NothingWatched => "nothing_watched",
            Self::NoBody => "no_body",
        }
    }
}

/// Stored parts in a final block range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HeldRun {
    /// All transactions and receipts.
    Whole,
    /// All entries that pass the watch list.
    Watched {
        /// Watch list hash, [`super::WatchFilter::hash`].
        watch_hash: Hash,
    },
    /// Headers only.
    HeaderOnly {
        /// Reason.
        why: HeaderWhy,
    },
    /// All entries in one tree; the other tree is missing.
    Partial {
        /// Stored parts.
        extent: Extent,
    },
    /// Nothing: numbers not recorded.
    Skipped,
    /// Nothing: the block was refused; its [`super::RefusedRow`] has the reason.
    Refused,
}

impl HeldRun {
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

/// Final block range with one coverage status; the key has its first number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoverageRow {
    /// Last number.
    pub to: BlockNumber,
    /// Stored parts.
    pub held: HeldRun,
}

impl CoverageRow {
    /// `to:u64 ‖ held`, held as `00`, `01 ‖ watch_hash`, `02`, `03`, `04 ‖ transactions:flag ‖ receipts:flag`, `05` or
    /// `06`.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::new();
        self.held.write(out.u64(self.to.0));
        out.finish()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut row = Decoder::new(bytes);
        let run = Self { to: BlockNumber(row.u64()?), held: HeldRun::read(&mut row)? };
        row.finish(run)
    }
}

/// Retracted block: taken as final, but not final by a later agreement. The block stays in the log; the chain is
/// halted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetractionRow {
    /// Hash stored as final.
    pub held_hash: Hash,
    /// Hash now reported as final.
    pub other_hash: Hash,
    /// Agreeing sources, their total, and the rule.
    pub evidence: FinalityEvidence,
    /// Detection time.
    pub noticed_at: UnixSeconds,
    /// Other block's header as hashed by its ledger, if available.
    pub other_header: Option<Vec<u8>>,
}

impl RetractionRow {
    /// `held_hash ‖ other_hash ‖ evidence ‖ noticed_at:u64 ‖ other_header`: the evidence as bytes, the header an option
    /// of bytes.
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
            evidence: FinalityEvidence::decode(row.bytes()?)?,
            noticed_at: UnixSeconds(row.u64()?),
            other_header: row.option(|row| row.bytes().map(<[u8]>::to_vec))?,
        };
        row.finish(retraction)
    }
}

/// Halted chain: no collection until an operator clears the halt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HaltRow {
    /// Block where the chain was halted.
    pub number: BlockNumber,
    /// Halt time.
    pub since: UnixSeconds,
    /// Reason, in words.
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

/// Contested blocks, taken as final and later retracted: no block from `from` on is published until a final block above
/// `held_to`, descending from them, is taken. Clearing a halt leaves this row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContestRow {
    /// First contested block.
    pub from: BlockNumber,
    /// Newest final block at retraction time.
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

/// Backfill: the twig below a chain's run, filled from its last block downwards. Its blocks count only after the run
/// begins with them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackfillRow {
    /// Lowest stored block in the twig.
    pub lowest: BlockTip,
    /// Stored blocks in the twig.
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
            lowest: BlockTip { number: BlockNumber(row.u64()?), hash: row.hash()? },
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

    fn held() -> impl Strategy<Value = HeldRun> {
        prop_oneof![
            Just(HeldRun::Whole),
            any::<[u8; 32]>().prop_map(|hash| HeldRun::Watched { watch_hash: Hash(hash) }),
            Just(HeldRun::HeaderOnly { why: HeaderWhy::NothingWatched }),
            Just(HeldRun::HeaderOnly { why: HeaderWhy::NoBody }),
            any::<(bool, bool)>().prop_map(|(transactions, receipts)| HeldRun::Partial {
                extent: Extent { transactions, receipts }
            }),
            Just(HeldRun::Skipped),
            Just(HeldRun::Refused),
        ]
    }

    fn evidence() -> impl Strategy<Value = FinalityEvidence> {
        any::<(String, String)>()
            .prop_map(|(name, rule)| FinalityEvidence::OneSource(OneSource { name, rule }))
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
            let lowest = BlockTip { number, hash: one };
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
            (HeldRun::Whole, vec![0]),
            (HeldRun::Watched { watch_hash }, [&[1][..], &[7; 32]].concat()),
            (HeldRun::HeaderOnly { why: HeaderWhy::NothingWatched }, vec![2]),
            (HeldRun::HeaderOnly { why: HeaderWhy::NoBody }, vec![3]),
            (HeldRun::Partial { extent }, vec![4, 1, 0]),
            (HeldRun::Skipped, vec![5]),
            (HeldRun::Refused, vec![6]),
        ];
        for (held, bytes) in helds {
            let row = CoverageRow { to: BlockNumber(9), held };
            assert_eq!(row.encode(), [&[0, 0, 0, 0, 0, 0, 0, 9][..], &bytes].concat());
        }
    }
}
