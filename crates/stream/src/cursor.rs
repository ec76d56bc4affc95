//! A place in the line of all events, as readers keep it.

use std::fmt;
use std::str::FromStr;

/// Where an event stands in its row: before everything (0, 0), of the row itself (0, 1), of an event of its
/// n-th block (n + 1, ordinal).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// 0, or one more than the place of the block in the row.
    pub block: u32,
    /// Ordinal of the event in its block.
    pub ordinal: u32,
}

/// A place in one log: it outlives restarts, and means nothing in another log.
///
/// Written `log-row` for the place before a row, `log-row-block-ordinal` for an event of it; log in 16 hex
/// digits, the rest in decimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cursor {
    /// Which log.
    pub log: u64,
    /// Which row.
    pub row: u64,
    /// Which event of the row.
    pub place: Place,
}

impl Place {
    /// That of the event that a row is by itself.
    pub(crate) const OF_ROW: Self = Self { block: 0, ordinal: 1 };
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}-{}", self.log, self.row)?;
        match self.place {
            Place { block: 0, ordinal: 0 } => Ok(()),
            Place { block, ordinal } => write!(f, "-{block}-{ordinal}"),
        }
    }
}

/// A text that is no cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a cursor of a stream")]
pub struct ParseCursorError;

impl FromStr for Cursor {
    type Err = ParseCursorError;

    fn from_str(text: &str) -> Result<Self, ParseCursorError> {
        let mut parts = text.split('-');
        let mut next = || parts.next().ok_or(ParseCursorError);
        let log = u64::from_str_radix(next()?, 16).map_err(|_| ParseCursorError)?;
        let row = next()?.parse().map_err(|_| ParseCursorError)?;
        let mut place = Place::default();
        if let Ok(block) = next() {
            place.block = block.parse().map_err(|_| ParseCursorError)?;
            place.ordinal = next()?.parse().map_err(|_| ParseCursorError)?;
        }
        let cursor = Self { log, row, place };
        // one place has one text
        if cursor.to_string() == text { Ok(cursor) } else { Err(ParseCursorError) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_cursor_leads_back(log: u64, row: u64, block in 0..3_u32, ordinal in 0..3_u32) {
            let cursor = Cursor { log, row, place: Place { block, ordinal } };
            prop_assert_eq!(cursor.to_string().parse(), Ok(cursor));
        }

        #[test]
        fn no_text_makes_it_panic(text: String) {
            let _ = text.parse::<Cursor>();
        }
    }

    #[test]
    fn what_is_not_written_so_is_no_cursor() {
        for text in [
            "",
            "1-2",
            "00000000000000ab",
            "00000000000000ab-01",
            "00000000000000ab-1-0-0",
            "00000000000000ab-1-2",
            "00000000000000AB-1",
            "00000000000000ab-1-2-3-4",
            "-1",
            "+1-2",
        ] {
            assert_eq!(text.parse::<Cursor>(), Err(ParseCursorError), "{text}");
        }
        assert!("00000000000000ab-1-2-3".parse::<Cursor>().is_ok());
    }
}
