use std::fmt;
use std::str::FromStr;

/// Event position in a log row: (0, 0) before all events, (0, 1) the row's own event, (n + 1, ordinal) an event of the
/// row's block n.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowPosition {
    /// 0, or the block's index in the row plus one.
    pub block: u32,
    /// Event ordinal in the block.
    pub ordinal: u32,
}

/// Position in one log: survives restarts, meaningless in another log.
///
/// Text: `log-row` before a row, `log-row-block-ordinal` for an event in a row; log in 16 hex digits, the rest decimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogCursor {
    pub log: u64,
    pub row: u64,
    pub place: RowPosition,
}

impl RowPosition {
    /// Position of the row's own event.
    pub(crate) const OF_ROW: Self = Self { block: 0, ordinal: 1 };
}

impl fmt::Display for LogCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}-{}", self.log, self.row)?;
        match self.place {
            RowPosition { block: 0, ordinal: 0 } => Ok(()),
            RowPosition { block, ordinal } => write!(f, "-{block}-{ordinal}"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a cursor of a stream")]
pub struct ParseCursorError;

impl FromStr for LogCursor {
    type Err = ParseCursorError;

    fn from_str(text: &str) -> Result<Self, ParseCursorError> {
        let mut parts = text.split('-');
        let mut next = || parts.next().ok_or(ParseCursorError);
        let log = u64::from_str_radix(next()?, 16).map_err(|_| ParseCursorError)?;
        let row = next()?.parse().map_err(|_| ParseCursorError)?;
        let mut place = RowPosition::default();
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
            let cursor = LogCursor { log, row, place: RowPosition { block, ordinal } };
            prop_assert_eq!(cursor.to_string().parse(), Ok(cursor));
        }

        #[test]
        fn no_text_makes_it_panic(text: String) {
            let _ = text.parse::<LogCursor>();
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
            assert_eq!(text.parse::<LogCursor>(), Err(ParseCursorError), "{text}");
        }
        assert!("00000000000000ab-1-2-3".parse::<LogCursor>().is_ok());
    }
}
