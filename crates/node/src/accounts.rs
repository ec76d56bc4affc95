//! Accounts within the service: store and stages.
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
use superroot_billing::BillingLedger;
use superroot_store::{EmbeddedConfig, Store};
use superroot_types::SystemClock;

use crate::config::ServiceConfig;

pub(crate) use chain_clock::ChainClock;
pub(crate) use stages::{last_flush, spawn};

/// Accounts store, in the data folder.
pub(crate) const FOLDER: &str = "accounts";

/// Cache and journals of the accounts store, in bytes. Accounts are small next to the chains.
const CACHE_BYTES: u64 = 64 << 20;

pub(crate) fn store_settings(chains: &EmbeddedConfig) -> EmbeddedConfig {
    EmbeddedConfig { cache_bytes: CACHE_BYTES, journal_bytes_max: CACHE_BYTES, ..chains.clone() }
}

/// Opens accounts and billing on a store.
///
/// # Errors
/// A setting out of range.
pub(crate) fn of_store(
    store: Arc<dyn Store>,
    config: &ServiceConfig,
) -> anyhow::Result<Arc<BillingLedger>> {
    let opened = AccountService::open(store, Arc::new(SystemClock), &config.accounts());
    Ok(BillingLedger::new(opened.context("cannot open the accounts")?))
}
