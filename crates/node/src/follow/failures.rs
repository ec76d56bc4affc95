//! Which failures of a chain stand in the log already: each node that is asked in vain makes another
//! text of one failure.

use std::mem::{Discriminant, discriminant};
use std::time::Duration;

use superroot_collect::CollectError;
use superroot_source::{Fault, SourceError};
use tokio::time::Instant;

/// A kind of failure is logged no more than once in so long.
const LOG_AGAIN: Duration = Duration::from_secs(60);

/// A kind of failure, whichever node or block it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    /// Its nodes do not answer, each in its own way.
    NoAnswer,
    /// Another.
    Other(Discriminant<CollectError>, Option<Discriminant<SourceError>>),
}

impl Failure {
    fn of(error: &CollectError) -> Self {
        let CollectError::Source { cause, .. } = error else {
            return Self::Other(discriminant(error), None);
        };
        match **cause {
            SourceError::NoAnswer { .. }
            | SourceError::NoEndpoint { .. }
            | SourceError::Call { fault: Fault::Unreachable(_) | Fault::Timeout(_), .. } => {
                Self::NoAnswer
            }
            _ => Self::Other(discriminant(error), Some(discriminant(&**cause))),
        }
    }
}

/// Kinds of failures that were logged.
#[derive(Debug, Default)]
pub(super) struct Logged {
    /// Since the last step that ended well.
    lately: Vec<Failure>,
    /// When each was logged last.
    at: Vec<(Failure, Instant)>,
}

impl Logged {
    /// A step ended well: what fails from now on is news.
    pub(super) fn went_well(&mut self) {
        self.lately.clear();
    }

    /// Whether that is logged already: once until a step ends well, and no more than once in
    /// [`LOG_AGAIN`]. Each node that is asked in vain makes another text of one failure.
    pub(super) fn is_known(&mut self, error: &CollectError, now: Instant) -> bool {
        let failure = Failure::of(error);
        if self.lately.contains(&failure) {
            return true;
        }
        self.lately.push(failure);
        self.at.retain(|(_, at)| now.duration_since(*at) < LOG_AGAIN);
        if self.at.iter().any(|(logged, _)| *logged == failure) {
            return true;
        }
        self.at.push((failure, now));
        false
    }
}

#[cfg(test)]
mod tests {
    use superroot_types::{ChainId, ChainKey, Family};

    use super::*;

    /// Its nodes fail in turn, so that each text names another: one line tells it, until a step
    /// ends well or something else goes wrong; and no more than once a minute where steps end well
    /// between.
    #[tokio::test(start_paused = true)]
    async fn one_failure_is_logged_once_whichever_node_it_names() {
        let silent = |name: &str| CollectError::Source {
            source_name: name.to_owned(),
            cause: Box::new(SourceError::Call {
                source_name: name.to_owned(),
                method: "a block",
                fault: Fault::Timeout(20_000),
            }),
        };
        let chain = ChainKey { family: Family::Evm, id: ChainId(1) };
        let moved = CollectError::HeadMoved { chain };
        let none = CollectError::Source {
            source_name: String::new(),
            cause: Box::new(SourceError::NoAnswer { chain, asked: 3, timeout_ms: 5_000 }),
        };
        let (mut logged, start) = (Logged::default(), Instant::now());
        let known: Vec<_> = [&silent("a"), &silent("b"), &none, &moved, &silent("c"), &moved]
            .into_iter()
            .map(|error| logged.is_known(error, start))
            .collect();
        assert_eq!(known, [false, true, true, false, true, true]);
        let later = |seconds| start + Duration::from_secs(seconds);
        assert!(logged.is_known(&moved, later(3_600)), "no step ended well between");
        logged.went_well();
        assert!(!logged.is_known(&moved, later(3_600)));
        for (seconds, expected) in [(3_601, true), (3_659, true), (3_660, false), (3_661, true)] {
            logged.went_well();
            assert_eq!(logged.is_known(&moved, later(seconds)), expected, "{seconds}");
        }
    }
}
