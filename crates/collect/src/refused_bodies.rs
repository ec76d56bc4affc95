//! Bodies that fail recomputation: one sender's deviation, or a change in the chain's rules.
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

/// Interval between reports about a chain with refused bodies.
const TELL_AGAIN: Duration = Duration::from_secs(600);

/// Reason for a missing body part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WithheldBody {
    /// The part fails the named check, or has an entry that cannot be recomputed.
    Check { name: &'static str, why: String },
    /// Every node asked sends a format unknown to this build.
    Unreadable { why: String },
    /// No node asked supplies the part, for any stated reason.
    Missing {
        /// Stated reason, if any.
        why: Option<String>,
    },
}

/// Label for a body format unknown to this build: [`superroot_chain::BlockCheck::Shape`].
const SHAPE: &str = superroot_chain::BlockCheck::Shape.name();

impl WithheldBody {
    /// Label for the failed check.
    pub(crate) const fn check(&self) -> &'static str {
        match self {
            Self::Check { name, .. } => name,
            Self::Unreadable { .. } => SHAPE,
            Self::Missing { .. } => crate::checks::BODY_MISSING,
        }
    }

    /// Whether one cause may explain both: a rule change makes one check fail, or leaves a node without an answer.
    fn may_be_one_with(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Check { name, .. }, Self::Check { name: other, .. }) => name == other,
            _ => true,
        }
    }
}

/// Blocks received for one request, each from another operator, none with a whole body.
#[derive(Debug, Default)]
pub(crate) struct RefusedBodies(Vec<(Received, WithheldBody)>);

impl RefusedBodies {
    pub(crate) fn push(&mut self, received: Received, fault: WithheldBody) {
        self.0.push((received, fault));
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) const fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn senders(&self) -> Vec<Arc<str>> {
        self.0.iter().map(|(received, _)| Arc::clone(&received.sender)).collect()
    }

    /// Blocks whose body failed a check, with the reason: a whole body from another sender shows that these senders
    /// deviate.
    pub(crate) fn deviating(&self) -> impl Iterator<Item = (&Received, &'static str, &str)> {
        self.0.iter().filter_map(|(received, fault)| match fault {
            WithheldBody::Check { name, why } => Some((received, *name, why.as_str())),
            WithheldBody::Unreadable { .. } | WithheldBody::Missing { .. } => None,
        })
    }

    /// Number of operators that agree with the last received block: on header and body fault.
    pub(crate) fn agreeing(&self) -> usize {
        self.with_last().count()
    }

    /// Whether a node may still have the missing part.
    pub(crate) fn may_be_missing_alone(&self) -> bool {
        self.with_last().any(|(_, fault)| matches!(fault, WithheldBody::Missing { .. }))
    }

    /// Returns the block with the most parts among those that agree with the last received one, and its body fault.
    pub(crate) fn into_best(mut self) -> Option<(Received, WithheldBody)> {
        let parts = |(_, (received, _)): &(usize, &(Received, WithheldBody))| {
            let Extent { transactions, receipts } = received.block.extent();
            u8::from(transactions) + u8::from(receipts)
        };
        let last = self.0.last()?;
        let agreeing = self.0.iter().enumerate().filter(|(_, one)| agree(one, last));
        let best = agreeing.max_by_key(parts).map(|(place, _)| place)?;
        Some(self.0.swap_remove(best))
    }

    fn with_last(&self) -> impl Iterator<Item = &(Received, WithheldBody)> {
        let last = self.0.last();
        self.0.iter().filter(move |one| last.is_some_and(|last| agree(one, last)))
    }
}

fn agree(one: &(Received, WithheldBody), other: &(Received, WithheldBody)) -> bool {
    one.0.block.hash() == other.0.block.hash() && one.1.may_be_one_with(&other.1)
}

/// Rate limit for reports that would repeat with every block.
#[derive(Debug, Default)]
pub(crate) struct LastTold(Mutex<Option<Instant>>);

impl LastTold {
    /// Whether a report is due; if so, marks the report as made.
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
