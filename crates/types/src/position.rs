//! Positions and sizes in twigs, ranges and logs. Arithmetic exists only where two of them meet, and gives `None`
//! instead of a value outside the protocol's integers.

use core::fmt;

use crate::{BlockNumber, SAFE_INTEGER_MAX, TWIG_BLOCKS, TWIG_HEIGHT};

macro_rules! position {
    ($(#[$about:meta])* $name:ident($visible:vis $integer:ident)) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name($visible $integer);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

position! {
    /// Leaf in an append-only range, from 0 in append order; below 2^53. Source: `docs/protocol.md#two-trees`.
    LeafIndex(pub u64)
}
position! {
    /// Leaves in an append-only range; below 2^53. Source: `docs/protocol.md#two-trees`.
    LeafCount(pub u64)
}
position! {
    /// Twig in a chain: block number / 2,048; at most 2^42. Source: `docs/protocol.md#twig`.
    TwigIndex(pub u64)
}
position! {
    /// Place of a block in its twig: block number % 2,048; always below 2,048. Source: `docs/protocol.md#twig`.
    TwigSlot(pub(crate) u16)
}
position! {
    /// SuperRoot counter, from 0 without gaps; below 2^53. Source: `docs/protocol.md#superroot`.
    Sequence(pub u64)
}
position! {
    /// SuperRoots in a log, as in a checkpoint; below 2^53. Source: `docs/protocol/log.md`.
    LogSize(pub u64)
}
position! {
    /// Registry row, from 0 in append order; at most 44. Source: `docs/protocol.md#superroot`.
    RowIndex(pub u8)
}

/// Next integer; `None` at 2^53 - 1 and above.
const fn next(value: u64) -> Option<u64> {
    if value < SAFE_INTEGER_MAX { Some(value + 1) } else { None }
}

impl LeafIndex {
    /// Whether a range with this many leaves has the leaf.
    #[must_use]
    pub const fn is_in(self, count: LeafCount) -> bool {
        self.0 < count.0
    }
}

impl LeafCount {
    /// No leaf.
    pub const EMPTY: Self = Self(0);

    /// Last leaf; `None` without leaves.
    #[must_use]
    pub const fn last(self) -> Option<LeafIndex> {
        match self.0.checked_sub(1) {
            Some(last) => Some(LeafIndex(last)),
            None => None,
        }
    }

    /// Index of the leaf appended next, one past the last leaf.
    #[must_use]
    pub const fn end(self) -> LeafIndex {
        LeafIndex(self.0)
    }

    /// Count after one append; `None` at 2^53 - 1.
    #[must_use]
    pub const fn next(self) -> Option<Self> {
        match next(self.0) {
            Some(count) => Some(Self(count)),
            None => None,
        }
    }

    /// Leaves appended since an earlier count; `None` if the range shrank.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Option<u64> {
        self.0.checked_sub(earlier.0)
    }
}

impl BlockNumber {
    /// Twig with this number.
    #[must_use]
    pub const fn twig_index(self) -> TwigIndex {
        TwigIndex(self.0 >> TWIG_HEIGHT)
    }

    /// Slot of this number in its twig.
    #[must_use]
    pub const fn twig_slot(self) -> TwigSlot {
        let [.., high, low] = (self.0 % TWIG_BLOCKS).to_be_bytes();
        TwigSlot(u16::from_be_bytes([high, low]))
    }
}

impl TwigIndex {
    /// First block number; `None` for a twig past the last block number, 2^53 - 1.
    #[must_use]
    pub const fn first(self) -> Option<BlockNumber> {
        self.block(TwigSlot::FIRST)
    }

    /// Last block number; `None` for a twig past the last block number, 2^53 - 1.
    #[must_use]
    pub const fn last(self) -> Option<BlockNumber> {
        self.block(TwigSlot::LAST)
    }

    /// Block number at a slot; `None` for a twig past the last block number, 2^53 - 1.
    #[must_use]
    pub const fn block(self, slot: TwigSlot) -> Option<BlockNumber> {
        if self.0 > SAFE_INTEGER_MAX >> TWIG_HEIGHT {
            return None;
        }
        Some(BlockNumber(self.0 << TWIG_HEIGHT | slot.0 as u64))
    }

    /// Twig above; `None` at 2^53 - 1.
    #[must_use]
    pub const fn next(self) -> Option<Self> {
        match next(self.0) {
            Some(index) => Some(Self(index)),
            None => None,
        }
    }
}

impl TwigSlot {
    /// First slot.
    pub const FIRST: Self = Self(0);
    /// Last slot, 2,047.
    pub const LAST: Self = Self((1 << TWIG_HEIGHT) - 1);

    /// Slot; `None` from 2,048 on.
    #[must_use]
    pub const fn new(slot: u16) -> Option<Self> {
        if slot <= Self::LAST.0 { Some(Self(slot)) } else { None }
    }
}

impl From<TwigSlot> for u64 {
    fn from(slot: TwigSlot) -> Self {
        Self::from(slot.0)
    }
}

impl From<TwigSlot> for usize {
    fn from(slot: TwigSlot) -> Self {
        Self::from(slot.0)
    }
}

impl Sequence {
    /// First SuperRoot of a log.
    pub const FIRST: Self = Self(0);

    /// SuperRoot after this one; `None` at 2^53 - 1.
    #[must_use]
    pub const fn next(self) -> Option<Self> {
        match next(self.0) {
            Some(sequence) => Some(Self(sequence)),
            None => None,
        }
    }

    /// SuperRoot before this one; `None` at 0.
    #[must_use]
    pub const fn previous(self) -> Option<Self> {
        match self.0.checked_sub(1) {
            Some(previous) => Some(Self(previous)),
            None => None,
        }
    }

    /// Size of the log whose newest entry is this SuperRoot; `None` at 2^53 - 1.
    #[must_use]
    pub const fn size(self) -> Option<LogSize> {
        match next(self.0) {
            Some(size) => Some(LogSize(size)),
            None => None,
        }
    }

    /// Leaf in the history of every later SuperRoot.
    #[must_use]
    pub const fn leaf_index(self) -> LeafIndex {
        LeafIndex(self.0)
    }

    /// Leaves in the history that this SuperRoot commits to: all earlier SuperRoots.
    #[must_use]
    pub const fn history(self) -> LeafCount {
        LeafCount(self.0)
    }
}

impl LogSize {
    /// Log without SuperRoots.
    pub const EMPTY: Self = Self(0);

    /// Whether a log of this size has the SuperRoot.
    #[must_use]
    pub const fn holds(self, sequence: Sequence) -> bool {
        sequence.0 < self.0
    }

    /// Newest SuperRoot; `None` for an empty log.
    #[must_use]
    pub const fn newest(self) -> Option<Sequence> {
        match self.0.checked_sub(1) {
            Some(newest) => Some(Sequence(newest)),
            None => None,
        }
    }

    /// SuperRoot published next.
    #[must_use]
    pub const fn next(self) -> Sequence {
        Sequence(self.0)
    }

    /// Leaves in a range over the whole log.
    #[must_use]
    pub const fn leaf_count(self) -> LeafCount {
        LeafCount(self.0)
    }
}

impl RowIndex {
    /// Row at a position in a list; `None` from 256 on.
    #[must_use]
    pub fn at(position: usize) -> Option<Self> {
        u8::try_from(position).ok().map(Self)
    }
}

impl From<RowIndex> for usize {
    fn from(row: RowIndex) -> Self {
        Self::from(row.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAST: u64 = SAFE_INTEGER_MAX;

    #[test]
    fn last_slot_of_a_twig_is_in_that_twig() {
        let place =
            |number: u64| (BlockNumber(number).twig_index().0, BlockNumber(number).twig_slot().0);
        assert_eq!([place(0), place(2047), place(2048)], [(0, 0), (0, 2047), (1, 0)]);
        assert_eq!(place(LAST), ((1 << 42) - 1, 2047));
        assert_eq!(place(u64::MAX), (u64::MAX >> 11, 2047));
    }

    #[test]
    fn a_twig_has_2048_slots() {
        assert_eq!(TwigSlot::new(2047), Some(TwigSlot::LAST));
        assert_eq!([2048, u16::MAX].map(TwigSlot::new), [None, None]);
        assert_eq!(u64::from(TwigSlot::LAST), TWIG_BLOCKS - 1);
    }

    #[test]
    fn number_twig_and_slot_lead_to_each_other() {
        for number in [0, 1, 2047, 2048, 4095, LAST - 2048, LAST - 2047, LAST].map(BlockNumber) {
            let twig = number.twig_index();
            assert_eq!(twig.block(number.twig_slot()), Some(number));
            assert_eq!(twig.first().unwrap().twig_slot(), TwigSlot::FIRST);
            assert_eq!(twig.last().unwrap().twig_slot(), TwigSlot::LAST);
            assert!(twig.first().unwrap() <= number && number <= twig.last().unwrap());
        }
    }

    #[test]
    fn a_twig_past_the_last_number_has_no_block() {
        for twig in [1 << 42, LAST, u64::MAX].map(TwigIndex) {
            assert_eq!(
                (twig.first(), twig.last(), twig.block(TwigSlot::FIRST)),
                (None, None, None)
            );
        }
        assert_eq!(TwigIndex((1 << 42) - 1).last(), Some(BlockNumber(LAST)));
        assert_eq!([LAST, u64::MAX].map(|index| TwigIndex(index).next()), [None, None]);
    }

    #[test]
    fn a_leaf_is_in_a_range_below_its_count() {
        for (index, count, is_in) in [
            (0, 0, false),
            (0, 1, true),
            (1, 1, false),
            (LAST, LAST, false),
            (u64::MAX, u64::MAX, false),
        ] {
            assert_eq!(LeafIndex(index).is_in(LeafCount(count)), is_in, "{index} of {count}");
        }
        for count in [1, 2, LAST, u64::MAX].map(LeafCount) {
            assert!(count.last().unwrap().is_in(count) && !count.end().is_in(count));
        }
        assert_eq!(LeafCount::EMPTY.last(), None);
        assert_eq!(LeafCount(LAST - 1).next(), Some(LeafCount(LAST)));
        assert_eq!([LAST, LAST + 1, u64::MAX].map(|count| LeafCount(count).next()), [None; 3]);
        assert_eq!(
            (LeafCount(5).since(LeafCount(3)), LeafCount(3).since(LeafCount(5))),
            (Some(2), None)
        );
    }

    #[test]
    fn a_log_has_a_superroot_from_its_size_on() {
        for sequence in [0, 1, LAST - 1].map(Sequence) {
            let size = sequence.size().unwrap();
            assert_eq!(size.newest(), Some(sequence));
            assert_eq!(sequence.next(), Some(size.next()));
            assert_eq!(size.next().previous(), Some(sequence));
            assert!(size.holds(sequence) && !size.holds(size.next()));
            assert!(sequence.leaf_index().is_in(size.leaf_count()));
            assert!(!sequence.leaf_index().is_in(sequence.history()));
        }
        for sequence in [LAST, LAST + 1, u64::MAX].map(Sequence) {
            assert_eq!((sequence.size(), sequence.next()), (None, None));
        }
        assert!(
            !LogSize::EMPTY.holds(Sequence::FIRST) && !LogSize(u64::MAX).holds(Sequence(u64::MAX))
        );
        assert_eq!((LogSize::EMPTY.newest(), Sequence::FIRST.previous()), (None, None));
    }

    #[test]
    fn positions_are_shown_as_plain_numbers() {
        extern crate alloc;
        let shown = alloc::format!("{} {} {}", LeafIndex(7), TwigSlot::LAST, RowIndex(44));
        assert_eq!(shown, "7 2047 44");
        assert_eq!((RowIndex::at(255), RowIndex::at(256)), (Some(RowIndex(255)), None));
    }
}
