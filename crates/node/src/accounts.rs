//! Accounts within the service: their store, and the stages that keep them.
//!
//! ```text
//! DATA/accounts/   a store of its own: what must be backed up, while chains can be collected again
//!
//! every 250 ms   whom other nodes have changed       a revoked key is refused within a second
//! every 500 ms   counts into the store               at most a second of them is lost by a kill
//! every minute   did the service answer?             availability of the month
//! at the start   a changed price list            in force from then on; months have the one they began under
//! now and then   old counts go, months that are over by the chains' blocks are closed, payments of wallets proven since enter
//! ```

mod chain_clock;
pub(crate) mod demo_keys;
mod stages;

use std::sync::Arc;

use anyhow::Context;
use superroot_account::AccountService;
use superroot_billing::Billing;
use superroot_store::{EmbeddedConfig, Store};
use superroot_types::SystemClock;

use crate::config::Config;

pub(crate) use chain_clock::ChainClock;
pub(crate) use stages::{last_flush, spawn};

/// The store of accounts, in the data folder.
pub(crate) const FOLDER: &str = "accounts";

/// Cache and journals of that store, in bytes: it is small beside the chains'.
const CACHE_BYTES: u64 = 64 << 20;

/// How the store of accounts is opened beside that one of chains.
pub(crate) fn store_settings(chains: &EmbeddedConfig) -> EmbeddedConfig {
    EmbeddedConfig { cache_bytes: CACHE_BYTES, journal_bytes_max: CACHE_BYTES, ..chains.clone() }
}

/// The accounts in a store, and their money.
///
/// # Errors
/// A setting out of range.
pub(crate) fn of_store(store: Arc<dyn Store>, config: &Config) -> anyhow::Result<Arc<Billing>> {
    let opened = AccountService::open(store, Arc::new(SystemClock), &config.accounts());
    Ok(Billing::new(opened.context("cannot open the accounts")?))
}
