//! Response future, shared by the layers.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;

/// An answer's future; infallible, since errors are answers too.
pub(crate) type Answering<R> = Pin<Box<dyn Future<Output = Result<R, Infallible>> + Send>>;
