//! Change feed: ordered changes per chain, the source for all derived data.
//!
//! ```text
//! collect ──(in the commit that takes, undoes or finalises blocks)──► row 7  row 8  row 9   of a chain
//! accumulate ──(in the commit that publishes)──► row = sequence                of publications
//!
//!   oldest ........ cursor ........ next        a stage has taken the rows below its cursor
//!   pruned │ kept for a span │ to be written
//! ```
//! A *row* is one commit's *changes*, in order. A *cursor* is the next row to take; rows are numbered from 0 without a
//! gap. A [*stage*](FeedStage) derives data from the changes, and a [`Follower`] drives the stage: one commit per step,
//! with the stage's rows and cursor. A new stage, or a stage behind the oldest row, is rebuilt from the stored blocks.
//!
//! Chain 1 takes heads 100 and 101, then 101 is replaced, then 100 becomes final:
//!
//! ```text
//! row 0  taken 100 [A], 101 [B]
//! row 1  undone 101 [B], taken 101 [C]
//! row 2  final 100..=100
//! ```
//! Invariants: a feed's cursor only grows, and rows never change; all rows together give the stored state; no stage
//! prevents pruning; applying a row again changes nothing.

mod append;
mod change;
mod follower;

pub use append::{FeedBounds, append, load_bounds, load_publications, load_rows, put_publication};
pub use change::{Changes, FeedChange, FeedRow};
pub use follower::{
    FeedStage, Follower, FollowerStanding, StageProgress, load_cursor, load_standing,
};

pub use crate::layout::Feed;

#[cfg(test)]
mod tests;
