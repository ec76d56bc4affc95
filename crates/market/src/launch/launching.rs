use std::sync::Arc;

use superroot_dex::Factories;
use superroot_types::Clock;

use crate::{MarketConfig, TokenBook};

#[derive(Clone)]
pub struct Launching {
    /// Chain name in `factories.toml`.
    pub slug: String,
    /// Trusted factories.
    pub factories: Arc<Factories>,
    pub tokens: Arc<dyn TokenBook>,
    pub clock: Arc<dyn Clock>,
    /// Least launch value, and rules for pools to count.
    pub config: MarketConfig,
}
