//! Handles that the stages and servers of one service share.

use std::path::PathBuf;
use std::sync::Arc;

use superroot_account::{AccountService, ContractCaller};
use superroot_accumulate::prove::Prover;
use superroot_api::StatusBoard;
use superroot_billing::BillingLedger;
use superroot_store::{EmbeddedStore, Store};
use superroot_stream::Hub;
use superroot_types::Network;
use tokio_util::sync::CancellationToken;

use crate::config::ServiceConfig;

pub(super) struct ServiceParts {
    pub(super) config: ServiceConfig,
    pub(super) data: PathBuf,
    pub(super) origin: String,
    /// The store of the chains and the log.
    pub(super) embedded: Arc<EmbeddedStore>,
    /// The same store.
    pub(super) store: Arc<dyn Store>,
    pub(super) account_store: Arc<EmbeddedStore>,
    pub(super) billing: Arc<BillingLedger>,
    pub(super) accounts: Arc<AccountService>,
    pub(super) prover: Prover,
    pub(super) status: Arc<StatusBoard>,
    pub(super) hub: Hub,
    pub(super) contracts: Arc<dyn ContractCaller>,
    pub(super) shutdown: CancellationToken,
}

impl ServiceParts {
    pub(super) fn is_recorded(&self) -> bool {
        self.prover.network() == Network::Recorded
    }
}
