//! How large a node's answers are expected to be, by those before.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::json_rpc::Call;

/// Bytes that the answers of one batch are expected to have at most, unless one call's has more.
pub(super) const BATCH_BYTES: usize = 4 << 20;
/// What one call's answer is expected to have before one was seen, in bytes.
const AT_FIRST: usize = 16 << 10;
/// As much of a whole block.
const BLOCK_AT_FIRST: usize = 512 << 10;
/// What belongs to an answer besides its result, in bytes.
const ENVELOPE: usize = 1 << 10;

/// Sizes of a node's answers by method, a closed set; whole blocks by themselves.
#[derive(Debug, Default)]
pub(super) struct AnswerSizes {
    seen: Mutex<HashMap<(&'static str, bool), usize>>,
}

impl AnswerSizes {
    /// Bytes to make room for.
    pub(super) fn expected(&self, call: &Call) -> usize {
        let kind = (call.method, call.is_large);
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner).get(&kind).copied();
        let at_first = if call.is_large { BLOCK_AT_FIRST } else { AT_FIRST };
        seen.map_or(at_first, |seen| seen.saturating_add(seen / 2)).saturating_add(ENVELOPE)
    }

    /// One came; large ones are forgotten slowly.
    pub(super) fn note(&self, call: &Call, bytes: usize) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let largest = seen.entry((call.method, call.is_large)).or_default();
        *largest = bytes.max(*largest - *largest / 16);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn large_answers_are_expected_again_and_slowly_forgotten() {
        let sizes = AnswerSizes::default();
        let whole = Call::large("block", json!(["0x1"]));
        let header = Call::new("block", json!(["0x1"]));
        assert_eq!(sizes.expected(&whole), BLOCK_AT_FIRST + ENVELOPE);
        assert_eq!(sizes.expected(&header), AT_FIRST + ENVELOPE);
        sizes.note(&whole, 1 << 20);
        assert_eq!(sizes.expected(&whole), (3 << 19) + ENVELOPE);
        assert_eq!(sizes.expected(&header), AT_FIRST + ENVELOPE, "another kind");
        sizes.note(&whole, 1);
        assert_eq!(sizes.expected(&whole), 15 * (1 << 16) / 2 * 3 + ENVELOPE);
        for _ in 0..1_000 {
            sizes.note(&whole, 1);
        }
        assert!(sizes.expected(&whole) < 2 * ENVELOPE);
        sizes.note(&whole, usize::MAX);
        assert_eq!(sizes.expected(&whole), usize::MAX);
    }
}
