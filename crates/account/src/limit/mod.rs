//! Request limits: GCRA, equivalent to an evenly refilled bucket.
//!
//! ```text
//! no key   address prefix --+
//! a key    account ---------+--> bucket of `limit` requests, refilled one by one over its period
//! ```
//! A bucket is one number: the time at which the bucket is full. As the burst equals the limit, an empty bucket fills
//! in one period under any limit; so a limit can change between two requests (a tier bought or ended) without a change
//! in how full the bucket is.
//!
//! Invariants: a caller within the limit in every period is never refused; no caller gets more than twice the limit
//! within any period.

mod allowance;
mod bucket;
#[doc(hidden)]
pub mod conformance;
mod counters;
mod in_process;
mod limiter;
mod prefix;
mod ticks;

pub use allowance::{Allowance, RefillPeriod, RequestRate};
pub use counters::{Counter, Counters};
pub use in_process::InProcess;
pub use limiter::{LimitConfig, LimitSubject, Limiter};
pub use prefix::AddressPrefix;
