//! An answer that is being made, as the layers hand it on.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;

/// Becomes an answer, and never an error: that is an answer as well.
pub(crate) type Answering<R> = Pin<Box<dyn Future<Output = Result<R, Infallible>> + Send>>;
