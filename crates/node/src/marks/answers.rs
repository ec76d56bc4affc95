//! Witness answers to the newest note, for witnesses named in `log.mark`. A witness with a larger log or another root
//! shows that the folder is behind, even without showing a note.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::GuardVerdict;

/// Why a witness refuses to cosign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CosignRefusal {
    /// Witness log is larger.
    Ahead {
        /// Entries known to the witness.
        held: u64,
    },
    /// Witness root differs at the same size.
    Fork {
        /// Entries in both logs.
        size: u64,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WitnessAnswer {
    NotYet,
    /// Nothing against the folder.
    Nothing,
    Refused(CosignRefusal),
}

/// Last answers by witness name, written by the witness stages and read by the publisher.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers(Arc<Mutex<BTreeMap<String, WitnessAnswer>>>);

impl Answers {
    pub(crate) fn expect(&self, witness: &str) {
        self.set(witness, WitnessAnswer::NotYet);
    }

    pub(crate) fn cosigned(&self, witness: &str) {
        self.set(witness, WitnessAnswer::Nothing);
    }

    /// Records a refusal. A reason without log information leaves the previous answer.
    pub(crate) fn refused(&self, witness: &str, refusal: Option<CosignRefusal>) {
        let before = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(witness).copied();
        match (refusal, before) {
            (Some(refusal), _) => self.set(witness, WitnessAnswer::Refused(refusal)),
            (None, Some(WitnessAnswer::Refused(_))) => {}
            (None, _) => self.set(witness, WitnessAnswer::Nothing),
        }
    }

    fn set(&self, witness: &str, answer: WitnessAnswer) {
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        answers.insert(witness.to_owned(), answer);
    }

    /// Objection against a folder with that size; `None` without objection.
    pub(super) fn verdict(&self, ours: u64) -> Option<GuardVerdict> {
        let answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let refused = answers.iter().find_map(|(witness, answer)| match answer {
            // a folder that was restored comes to that size again
            WitnessAnswer::Refused(CosignRefusal::Ahead { held }) if *held <= ours => None,
            WitnessAnswer::Refused(refusal) => {
                Some(GuardVerdict::Refused { witness: witness.clone(), refusal: *refusal })
            }
            WitnessAnswer::NotYet | WitnessAnswer::Nothing => None,
        });
        let is_waiting =
            ours > 0 && answers.values().any(|answer| *answer == WitnessAnswer::NotYet);
        let why = || "witnesses were not asked yet".to_owned();
        refused
            .or_else(|| is_waiting.then(|| GuardVerdict::Unknown { why: why(), is_asked: false }))
    }
}
