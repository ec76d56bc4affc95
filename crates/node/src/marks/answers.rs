//! What the witnesses that `log.mark` names answer to the log's newest note. One that holds more of the
//! log, or another root of it, says that the folder is behind, also where it shows no note of its own.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::Verdict;

/// Why a witness cosigns nothing of this folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It holds the log at that size.
    Ahead {
        /// Entries that it holds.
        held: u64,
    },
    /// It holds another root of that size.
    Fork {
        /// Entries of both.
        size: u64,
    },
}

/// What a witness answered last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// It was not asked yet.
    NotYet,
    /// Nothing that speaks against the folder.
    Nothing,
    /// That.
    Refused(Refusal),
}

/// The last answers, by the witness's name: the stages that ask write, the publisher reads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers(Arc<Mutex<BTreeMap<String, Answer>>>);

impl Answers {
    /// A witness is about to be asked: its answer is waited for.
    pub(crate) fn expect(&self, witness: &str) {
        self.set(witness, Answer::NotYet);
    }

    /// It cosigned the newest note.
    pub(crate) fn cosigned(&self, witness: &str) {
        self.set(witness, Answer::Nothing);
    }

    /// It did not. A reason that says nothing of its log takes nothing from what it said before.
    pub(crate) fn refused(&self, witness: &str, refusal: Option<Refusal>) {
        let before = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(witness).copied();
        match (refusal, before) {
            (Some(refusal), _) => self.set(witness, Answer::Refused(refusal)),
            (None, Some(Answer::Refused(_))) => {}
            (None, _) => self.set(witness, Answer::Nothing),
        }
    }

    fn set(&self, witness: &str, answer: Answer) {
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        answers.insert(witness.to_owned(), answer);
    }

    /// What they say against a folder of that size; `None` where nothing is in the way.
    pub(super) fn verdict(&self, ours: u64) -> Option<Verdict> {
        let answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let refused = answers.iter().find_map(|(witness, answer)| match answer {
            // a folder that was restored comes to that size again
            Answer::Refused(Refusal::Ahead { held }) if *held <= ours => None,
            Answer::Refused(refusal) => {
                Some(Verdict::Refused { witness: witness.clone(), refusal: *refusal })
            }
            Answer::NotYet | Answer::Nothing => None,
        });
        let is_waiting = ours > 0 && answers.values().any(|answer| *answer == Answer::NotYet);
        let why = || "witnesses were not asked yet".to_owned();
        refused.or_else(|| is_waiting.then(|| Verdict::Unknown { why: why(), is_asked: false }))
    }
}
