//! The change feed: what changed of each chain, in order, for everything that is derived from it.
//!
//! ```text
//! collect ──(in the commit that takes, undoes or finalises blocks)──► row 7  row 8  row 9   of a chain
//! accumulate ──(in the commit that publishes)──► row = sequence                of publications
//!
//!   oldest ........ cursor ........ next        a stage has taken the rows below its cursor
//!   pruned │ kept for a span │ to be written
//! ```
//! A *row* is what one commit changed, as *changes* in order. A *cursor* is the number of the next row
//! to take; rows are numbered from 0 without a gap. A [*stage*](Stage) derives something of its own
//! from the changes, and a [`Follower`] takes it along: a commit a step, with the stage's rows and its
//! cursor in it. A stage that is new, or was behind the oldest row, is built anew from the blocks held.
//!
//! Chain 1 takes heads 100 and 101, then 101 is replaced, then 100 becomes final:
//!
//! ```text
//! row 0  taken 100 [A], 101 [B]
//! row 1  undone 101 [B], taken 101 [C]
//! row 2  final 100..=100
//! ```
//! What must always hold: the cursor of a feed only grows, and no row is ever changed; what the rows say
//! together is what is held; no stage keeps a row from being pruned; applying a row again changes
//! nothing.

mod append;
mod change;
mod follower;

pub use append::{Bounds, append, load_bounds, load_publications, load_rows, put_publication};
pub use change::{Change, Changes, FeedRow};
pub use follower::{Follower, Progress, Stage, Standing, load_cursor, load_standing};

pub use crate::layout::Feed;

#[cfg(test)]
mod tests;
