//! Accounts within the service: their store, and the stages that keep them.
//!
//! ```text
//! DATA/accounts/   a store of its own: what must be backed up, while chains can be collected again
//!
//! every 250 ms   whom other nodes have changed       a revoked key is refused within a second
//! every 500 ms   counts into the store               at most a second of them is lost by a kill
//! every minute   did the service answer?             availability of the month
//! now and then   old counts go, months that are over are closed, payments of wallets proven since enter
//! ```

pub(crate) mod demo_keys;
mod stages;

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use superroot_account::AccountService;
use superroot_billing::Billing;
use superroot_store::{EmbeddedConfig, EmbeddedStore, Store};
use superroot_types::SystemClock;

use crate::config::Config;
use crate::folder::patiently;

pub(crate) use stages::{last_flush, spawn};

/// The store of accounts, in the data folder.
pub(crate) const FOLDER: &str = "accounts";

/// Cache and journals of that store, in bytes: it is small beside the chains'.
const STORE: EmbeddedConfig = EmbeddedConfig { cache_bytes: 64 << 20, journal_bytes_max: 64 << 20 };

/// How the store of accounts is opened.
pub(crate) const fn store_settings() -> EmbeddedConfig {
    STORE
}

/// The accounts in a store, and their money.
///
/// # Errors
/// A setting out of range.
pub(crate) fn of_store(store: Arc<dyn Store>, config: &Config) -> anyhow::Result<Arc<Billing>> {
    let opened = AccountService::open(store, Arc::new(SystemClock), &config.accounts());
    Ok(Billing::new(opened.context("cannot open the accounts")?))
}

/// Opens the accounts of a data folder, or makes them, and looks once at who was changed: nobody is
/// let in by memory before that.
///
/// # Errors
/// What is wrong with the store or the settings.
pub(crate) async fn open(
    config: &Config,
    data: &Path,
) -> anyhow::Result<(Arc<Billing>, Arc<EmbeddedStore>)> {
    let (config, folder) = (config.clone(), data.join(FOLDER));
    let opened = tokio::task::spawn_blocking(move || -> anyhow::Result<_> {
        let store = patiently(|| EmbeddedStore::open(&folder, &STORE))
            .with_context(|| format!("cannot open the accounts in {}", folder.display()))?;
        let store = Arc::new(store);
        let billing = of_store(store.clone(), &config)?;
        billing.accounts().refresh().context("cannot read the accounts")?;
        Ok((billing, store))
    });
    opened.await.context("opening the accounts panicked")?
}
