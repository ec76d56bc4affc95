//! How many requests are left: GCRA, the same as a bucket that refills evenly.
//!
//! ```text
//! no key   address prefix --+
//! a key    account ---------+--> bucket of `limit` requests, refilled one by one over its period
//! ```
//! A bucket is one number: the time at which it is full again. As every limit is its own burst, an
//! empty bucket takes one period to fill under any limit, so a limit can change between two requests
//! (a tier was bought, or ran out) and the bucket stays as full as it was.
//!
//! What must always hold: who never sends more than the limit within any period is never refused;
//! nobody gets more than twice the limit within any period.

mod allowance;
mod bucket;
#[doc(hidden)]
pub mod conformance;
mod counters;
mod in_process;
mod limiter;
mod prefix;
mod ticks;

pub use allowance::{Allowance, Period, Rate};
pub use counters::{Counter, Counters};
pub use in_process::InProcess;
pub use limiter::{LimitConfig, Limiter, Who};
pub use prefix::AddressPrefix;
