//! What launches are found by.

use std::sync::Arc;

use superroot_dex::Factories;
use superroot_types::Clock;

use crate::{Config, TokenBook};

/// What launches are found by.
#[derive(Clone)]
pub struct Launching {
    /// Name of the chain in `factories.toml`.
    pub slug: String,
    /// Whose pools are believed.
    pub factories: Arc<Factories>,
    /// What is known of tokens.
    pub tokens: Arc<dyn TokenBook>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// Least value of a launch, and when pools are believed.
    pub config: Config,
}
