//! Expected answer sizes, based on earlier answers.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::json_rpc::Call;

/// Most expected answer bytes per batch, unless a single call exceeds the limit.
pub(super) const BATCH_BYTES: usize = 4 << 20;
/// Expected answer size before the first answer, in bytes.
const AT_FIRST: usize = 16 << 10;
/// Expected size for a whole block.
const BLOCK_AT_FIRST: usize = 512 << 10;
/// Answer overhead besides the result, in bytes.
const ENVELOPE: usize = 1 << 10;

/// Answer sizes by method (a closed set); whole blocks separately.
#[derive(Debug, Default)]
pub(super) struct AnswerSizes {
    seen: Mutex<HashMap<(&'static str, bool), usize>>,
}

impl AnswerSizes {
    /// Expected bytes.
    pub(super) fn expected(&self, call: &Call) -> usize {
        let kind = (call.method, call.is_large);
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner).get(&kind).copied();
        let at_first = if call.is_large { BLOCK_AT_FIRST } else { AT_FIRST };
        seen.map_or(at_first, |seen| seen.saturating_add(seen / 2)).saturating_add(ENVELOPE)
    }

    /// Records an answer size; large sizes are forgotten slowly.
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
