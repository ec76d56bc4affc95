//! Search cursor: text with block number and hash.

use superroot_index::Position;
use superroot_types::{BlockNumber, Hash, SAFE_INTEGER_MAX};

use crate::ApiError;

/// Position in the event order, and the block at that time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScanCursor {
    pub(super) position: Position,
    pub(super) block_hash: Hash,
}

impl ScanCursor {
    /// `number-hash-ordinal`.
    pub(super) fn text(&self) -> String {
        let Position { number, ordinal } = self.position;
        format!("{number}-{}-{ordinal}", self.block_hash)
    }

    pub(crate) fn parse(text: &str) -> Result<Self, ApiError> {
        let read = || {
            let (number, rest) = text.split_once('-')?;
            let (hash, ordinal) = rest.split_once('-')?;
            let number = number.parse().ok().filter(|number| *number <= SAFE_INTEGER_MAX)?;
            let position = Position { number: BlockNumber(number), ordinal: ordinal.parse().ok()? };
            let cursor = Self { position, block_hash: hash.parse().ok()? };
            (cursor.text() == text).then_some(cursor)
        };
        let expected = "the nextCursor of a page";
        read().ok_or_else(|| ApiError::parameter("cursor", text, expected))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_cursor_leads_back_and_no_other_text_is_one(
            number in 0..=SAFE_INTEGER_MAX, hash: [u8; 32], ordinal: u32, text: String,
        ) {
            let position = Position { number: BlockNumber(number), ordinal };
            let cursor = ScanCursor { position, block_hash: Hash(hash) };
            prop_assert_eq!(ScanCursor::parse(&cursor.text()).unwrap(), cursor);
            prop_assert!(ScanCursor::parse(&text).is_err());
            let with_zero = format!("0{}", cursor.text());
            prop_assert!(ScanCursor::parse(&with_zero).is_err());
        }
    }
}
