//! Opens the two stores of a data folder: log and accounts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use superroot_accumulate::Accumulator;
use superroot_billing::BillingLedger;
use superroot_store::{EmbeddedStore, Store, StoreError};

use crate::accounts;
use crate::bond::{self, AccountBinding};
use crate::chains;
use crate::config::ServiceConfig;
use crate::evm_key;
use crate::folder::patiently;
use crate::log_key;

pub(super) struct OpenLog {
    pub(super) store: Arc<EmbeddedStore>,
    pub(super) accumulator: Accumulator,
    /// Why the log key is unavailable.
    pub(super) keyless: Option<String>,
}

pub(super) struct OpenAccounts {
    pub(super) billing: Arc<BillingLedger>,
    pub(super) store: Arc<EmbeddedStore>,
}

/// Opens the folder's accounts after a check, and notes their commit count from then on.
pub(super) async fn open_accounts(
    config: &ServiceConfig,
    data: &Path,
    chains: &Arc<dyn Store>,
    origin: &str,
    is_accepted: bool,
) -> anyhow::Result<OpenAccounts> {
    let settings = accounts::store_settings(&config.store);
    let folder = data.join(accounts::FOLDER);
    let chains = chains.clone();
    let data = data.to_path_buf();
    let origin = origin.to_owned();
    let config = config.clone();
    let opened = tokio::task::spawn_blocking(move || -> anyhow::Result<_> {
        let open = || match EmbeddedStore::open_existing(&folder, &settings) {
            Err(StoreError::NoData { .. }) => Ok(None),
            opened => opened.map(Some),
        };
        let held = patiently(open)
            .with_context(|| format!("cannot open the accounts in {}", folder.display()))?;
        let accounts = held.as_ref().map(|held| held as &dyn Store);
        let bond =
            AccountBinding { chains: &*chains, accounts, data: &data, origin: Some(&origin) };
        match bond.check()? {
            Some(unbound) if is_accepted => {
                tracing::warn!("taken with --accept-accounts: {unbound}");
                bond::note_accepted(&data, accounts, &unbound)?;
            }
            Some(unbound) => bail!("{unbound}; {}", bond::help(&data)),
            None => {}
        }
        let store = held.map_or_else(|| EmbeddedStore::open(&folder, &settings), Ok)?;
        match bond::bind(&*chains, &store, &origin) {
            // it is noted when there is room
            Err(full @ StoreError::Full { .. }) => tracing::warn!("{full}"),
            bound => bound.context("cannot bind accounts and chains")?,
        }
        let store = Arc::new(store);
        let billing = accounts::of_store(store.clone(), &config)?;
        billing.accounts().refresh().context("cannot read the accounts")?;
        Ok(OpenAccounts { billing, store })
    });
    opened.await.context("opening the accounts panicked")?
}

pub(super) async fn open_log(
    config: &ServiceConfig,
    data: PathBuf,
    origin: String,
) -> anyhow::Result<OpenLog> {
    let settings = config.store.clone();
    let log = config.log.clone();
    let opened = tokio::task::spawn_blocking(move || -> anyhow::Result<_> {
        let store = patiently(|| EmbeddedStore::open(&data, &settings))
            .with_context(|| format!("cannot open the data in {}", data.display()))?;
        let store = Arc::new(store);
        let registry = chains::known().proof_registry().clone();
        let accumulator = Accumulator::open(store.clone(), registry, &origin)
            .with_context(|| format!("cannot open the log in {}", data.display()))?;
        if let Some(why) = log_key::missing(&data, &log, superroot_accumulate::is_signed(&*store)?)
        {
            return Ok(OpenLog { store, accumulator, keyless: Some(why) });
        }
        let signers = log_key::signers(&data, &log, &origin)?;
        let note = superroot_accumulate::newest_note(&*store)?;
        let other = note.and_then(|note| log_key::other(&data, &log, &signers, &note));
        let signers = if other.is_some() { Vec::new() } else { signers };
        let is_signed = !signers.is_empty();
        let mut accumulator = accumulator.signed_by(signers)?;
        if is_signed && let Some(signer) = evm_key::signer(&data, &log, &*store)? {
            accumulator = accumulator.signed_for_contracts_by(signer)?;
        }
        Ok(OpenLog { store, accumulator, keyless: other })
    });
    opened.await.context("opening the data panicked")?
}
