//! Bodies that do not recompute: the deviation of one sender, or a change of the chain's rules.
//!
//! ```text
//!   sender   header       body
//!   a        recomputes   fails a check  ┐  as many operators as must agree send the same header: the
//!   b        recomputes   fails it too   ┘  block is taken without that part, and nobody is blamed
//!   c        recomputes   recomputes        c's block is taken; a and b are blamed
//! ```

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use superroot_chain::Extent;
use tokio::time::Instant;

use crate::received::Received;

/// Time after which a chain whose bodies are refused is told of again.
const TELL_AGAIN: Duration = Duration::from_secs(600);

/// Why a part of the body of a received block is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BodyFault {
    /// What was sent fails the check of that name, or shows an entry that cannot be recomputed.
    Check {
        /// Label of the check.
        name: &'static str,
        /// What was found and expected.
        why: String,
    },
    /// Every node that was asked sends the part in a form that this build does not read.
    Unreadable {
        /// What could not be read.
        why: String,
    },
    /// No node that was asked gives the part, for whatever reason they say.
    Missing {
        /// Their reason, where they say one.
        why: Option<String>,
    },
}

/// Label of a body in a form that this build does not read: [`superroot_chain::Check::Shape`].
const SHAPE: &str = superroot_chain::Check::Shape.name();

impl BodyFault {
    /// Label of the check that failed.
    pub(crate) const fn check(&self) -> &'static str {
        match self {
            Self::Check { name, .. } => name,
            Self::Unreadable { .. } => SHAPE,
            Self::Missing { .. } => crate::checks::BODY_MISSING,
        }
    }

    /// Whether one cause may explain both: a change of rules makes one check fail, or leaves a node
    /// without an answer.
    fn may_be_one_with(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Check { name, .. }, Self::Check { name: other, .. }) => name == other,
            _ => true,
        }
    }
}

/// Blocks that were received for one question, each of another operator, none with its whole body.
#[derive(Debug, Default)]
pub(crate) struct RefusedBodies(Vec<(Received, BodyFault)>);

impl RefusedBodies {
    pub(crate) fn push(&mut self, received: Received, fault: BodyFault) {
        self.0.push((received, fault));
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) const fn len(&self) -> usize {
        self.0.len()
    }

    /// Names of those who sent them: other nodes are asked next.
    pub(crate) fn senders(&self) -> Vec<Arc<str>> {
        self.0.iter().map(|(received, _)| Arc::clone(&received.sender)).collect()
    }

    /// Those whose body failed a check, and why: who sends the whole body shows that they deviate.
    pub(crate) fn deviating(&self) -> impl Iterator<Item = (&Received, &'static str, &str)> {
        self.0.iter().filter_map(|(received, fault)| match fault {
            BodyFault::Check { name, why } => Some((received, *name, why.as_str())),
            BodyFault::Unreadable { .. } | BodyFault::Missing { .. } => None,
        })
    }

    /// How many operators agree with the block received last: on its header, and on what is wrong with its body.
    pub(crate) fn agreeing(&self) -> usize {
        self.with_last().count()
    }

    /// Whether a node may still have the part, and only did not give it.
    pub(crate) fn may_be_missing_alone(&self) -> bool {
        self.with_last().any(|(_, fault)| matches!(fault, BodyFault::Missing { .. }))
    }

    /// Of those who agree with the block received last the one with the most parts, and what is
    /// wrong with its body.
    pub(crate) fn into_best(mut self) -> Option<(Received, BodyFault)> {
        let parts = |(_, (received, _)): &(usize, &(Received, BodyFault))| {
            let Extent { transactions, receipts } = received.block.extent();
            u8::from(transactions) + u8::from(receipts)
        };
        let last = self.0.last()?;
        let agreeing = self.0.iter().enumerate().filter(|(_, one)| agree(one, last));
        let best = agreeing.max_by_key(parts).map(|(place, _)| place)?;
        Some(self.0.swap_remove(best))
    }

    fn with_last(&self) -> impl Iterator<Item = &(Received, BodyFault)> {
        let last = self.0.last();
        self.0.iter().filter(move |one| last.is_some_and(|last| agree(one, last)))
    }
}

fn agree(one: &(Received, BodyFault), other: &(Received, BodyFault)) -> bool {
    one.0.block.hash() == other.0.block.hash() && one.1.may_be_one_with(&other.1)
}

/// When something was told last that would be told of every block.
#[derive(Debug, Default)]
pub(crate) struct LastTold(Mutex<Option<Instant>>);

impl LastTold {
    /// Whether it is time to tell it again, which then counts as done.
    pub(crate) fn is_due(&self) -> bool {
        let now = Instant::now();
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = last.is_none_or(|last| now.duration_since(last) >= TELL_AGAIN);
        if is_due {
            *last = Some(now);
        }
        is_due
    }
}
