//! What every handler shares.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::body::Bytes;
use superroot_account::{AccountError, AccountService, ContractCaller, ProvenWallet};
use superroot_accumulate::Published;
use superroot_accumulate::prove::{ProveError, Prover};
use superroot_billing::{Billing, BillingError};
use superroot_chain::Registry;
use superroot_types::{BlockNumber, ChainKey, Clock, Network, UnixSeconds};
use tokio::sync::Semaphore;

use crate::error::{of_account, of_billing};
use crate::status::ChainStatus;
use crate::{ApiError, Config};

pub(crate) mod advice;
pub(crate) mod availability;
pub(crate) mod evidence;
pub(crate) mod retraction;

/// What the HTTP face stands on.
#[derive(Clone)]
pub struct Api {
    /// Makes proofs out of what was published.
    pub prover: Prover,
    /// The chains.
    pub registry: Arc<Registry>,
    /// How each chain fares.
    pub status: Arc<dyn ChainStatus>,
    /// Accounts, keys, limits, counts. A library user without any opens it on a `MemoryStore`.
    pub accounts: Arc<AccountService>,
    /// Money of those accounts.
    pub billing: Arc<Billing>,
    /// Asks contract wallets; [`NoNodes`](superroot_account::wallet::NoNodes) where there is none
    /// to ask.
    pub contracts: Arc<dyn ContractCaller>,
    /// Tells the time of limits and lags.
    pub clock: Arc<dyn Clock>,
    /// Settings.
    pub config: Config,
    /// Set when everything that was final as the service began is anchored.
    pub ready: Arc<AtomicBool>,
}

/// The OpenAPI document, ready to be sent.
pub(crate) struct Document {
    /// As JSON.
    pub(crate) json: Bytes,
    /// As a page for people.
    pub(crate) html: Bytes,
}

/// State of the router: cheap to share, never changed.
pub(crate) struct Service {
    pub(crate) api: Api,
    pub(crate) document: Document,
    /// When the router was made.
    pub(crate) began_at: UnixSeconds,
    proofs: Arc<Semaphore>,
    /// Looks into accounts, which never wait for proofs.
    lookups: Arc<Semaphore>,
    /// Checks of signatures, some of which wait for nodes.
    signatures: Arc<Semaphore>,
}

/// Looks into accounts at one time; further ones wait.
const LOOKUPS_MAX: usize = 64;

/// How handlers get the state.
pub(crate) type Shared = Arc<Service>;

impl Service {
    pub(crate) fn new(api: Api, document: Document) -> Self {
        let proofs = Arc::new(Semaphore::new(api.config.proofs_at_once_max.max(1)));
        let began_at = api.clock.now();
        let lookups = Arc::new(Semaphore::new(LOOKUPS_MAX));
        // those that wait for nodes are bounded by this, and leave the others their room
        let of_contracts = api.accounts.config().wallet.contract_checks_at_once_max;
        let signatures = LOOKUPS_MAX.saturating_add(of_contracts);
        let signatures = Arc::new(Semaphore::new(signatures));
        Self { api, document, began_at, proofs, lookups, signatures }
    }

    /// The newest SuperRoot.
    ///
    /// # Errors
    /// As [`Api::nothing_published`] until the first stands.
    pub(crate) fn latest(&self) -> Result<Arc<Published>, ApiError> {
        self.api.prover.latest().ok_or_else(|| self.api.nothing_published())
    }

    /// Runs work that reads the store or hashes much, away from the async threads, and only so many
    /// at a time. Work goes on when its request was given up, and keeps its permit until it ends.
    ///
    /// # Errors
    /// The work's own; [`ApiError::Internal`] when it panics.
    pub(crate) async fn blocking<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Api) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let service = Arc::clone(self);
        run_blocking(&self.proofs, move || work(&service.api)).await
    }

    /// As [`Service::blocking`], for what reads or writes accounts: neither waits for the other.
    ///
    /// # Errors
    /// As there.
    pub(crate) async fn look_up<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        run_blocking(&self.lookups, work).await
    }

    /// Checks a message that came back signed, off the async threads. Nothing is written down by
    /// it: whoever gave the request up meanwhile has proven nothing.
    ///
    /// # Errors
    /// Those of [`Wallets::verify`](superroot_account::Wallets::verify), by
    /// [`of_account`].
    pub(crate) async fn verify_wallet(
        &self,
        message: String,
        signature: Vec<u8>,
    ) -> Result<ProvenWallet, ApiError> {
        let (accounts, contracts) = (self.api.accounts.clone(), self.api.contracts.clone());
        let verify = move || {
            let now = accounts.accounts().now();
            let proven = accounts.wallets().verify(&message, &signature, &*contracts, now);
            proven.map_err(of_account)
        };
        run_blocking(&self.signatures, verify).await
    }

    /// Runs what an account asks about its money.
    ///
    /// # Errors
    /// The work's own, by [`of_billing`]; as [`Service::look_up`].
    pub(crate) async fn billing<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Billing) -> Result<T, BillingError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let billing = Arc::clone(&self.api.billing);
        self.look_up(move || work(&billing).map_err(of_billing)).await
    }

    /// Runs what an account asks about itself.
    ///
    /// # Errors
    /// The work's own, by [`of_account`]; as [`Service::look_up`].
    pub(crate) async fn account<T: Send + 'static>(
        &self,
        work: impl FnOnce(&AccountService) -> Result<T, AccountError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let accounts = Arc::clone(&self.api.accounts);
        self.look_up(move || work(&accounts).map_err(of_account)).await
    }
}

async fn run_blocking<T: Send + 'static>(
    permits: &Arc<Semaphore>,
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let permit = Arc::clone(permits).acquire_owned().await.map_err(|_| ApiError::Internal)?;
    let task = tokio::task::spawn_blocking(move || {
        let done = work();
        drop(permit);
        done
    });
    task.await.unwrap_or_else(|error| {
        tracing::error!(%error, "work of a request panicked");
        Err(ApiError::Internal)
    })
}

impl Api {
    /// How long until that block of a chain may be anchored: a block time for each block that it is
    /// above the head, one at least, within an hour.
    pub(crate) fn retry_seconds(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        head: Option<BlockNumber>,
    ) -> u64 {
        let ahead = head.map_or(1, |head| number.0.saturating_sub(head.0).max(1));
        let block_time_ms = self.registry.by_key(chain).map_or(5_000, |(_, row)| row.block_time_ms);
        block_time_ms.saturating_mul(ahead).div_ceil(1000).clamp(1, 3600)
    }

    /// Why no SuperRoot stands: [`ApiError::NothingRecorded`] where none will come,
    /// [`ApiError::ChainUnavailable`] where every chain stands still, [`ApiError::Starting`] else.
    pub(crate) fn nothing_published(&self) -> ApiError {
        if self.is_complete_recording() {
            return ApiError::NothingRecorded;
        }
        self.any_moves().err().unwrap_or(ApiError::Starting)
    }

    /// Whether this is a recorded log to which nothing more will come.
    pub(crate) fn is_complete_recording(&self) -> bool {
        self.prover.network() == Network::Recorded && self.ready.load(Ordering::SeqCst)
    }

    /// The error of an answer for one of the prover, which was asked about that chain.
    pub(crate) fn refused(&self, chain: Option<ChainKey>, error: ProveError) -> ApiError {
        match error {
            ProveError::NotIndexed { chain, scanned, extent, why } => {
                let held = extent.map_or_else(String::new, |extent| format!(" (held: {extent})"));
                let how = self.how_to_index(chain);
                let how = if how.is_empty() { how } else { format!("; {how}") };
                let why = format!("{why}{held}{how}");
                ApiError::NotIndexed { chain, scanned, why }
            }
            ProveError::NotFound { chain, what, checked_to } => {
                ApiError::NotFound { chain, what, checked_to }
            }
            ProveError::BeforeStart { chain, number, start } => {
                let scanned =
                    self.prover.latest().and_then(|latest| Some(latest.reference(chain)?.1.number));
                let scanned = scanned.map(|number| (start, number));
                let why = format!("block {number} is before {start}, the first block of this log");
                let how = self.how_to_reach(chain, number);
                ApiError::NotIndexed { chain, scanned, why: format!("{why}; {how}") }
            }
            ProveError::NotAnchored { chain, number, anchored, head, held, is_final } => {
                if let Err(stopped) = self.still_moves(chain) {
                    return stopped;
                }
                if anchored.is_none() && head.is_none() {
                    return self.nothing_yet(chain, "no final block of it is anchored yet");
                }
                let retry_after = self.retry_seconds(chain, number, head);
                let what = format!("block {number}");
                if held && !is_final {
                    ApiError::NotFinal { chain, what, anchored, head, held, retry_after }
                } else {
                    ApiError::NotAnchored { chain, what, anchored, head, held, retry_after }
                }
            }
            ProveError::Withdrawn { chain, number } => ApiError::Withdrawn { chain, number },
            ProveError::UnknownSuperRoot { asked } => ApiError::UnknownSuperRoot { asked },
            ProveError::NothingPublished => self.nothing_published(),
            ProveError::Order { from, to } if from == to => {
                let why =
                    "a SuperRoot extends itself: compare the hashes, there is nothing to prove";
                ApiError::parameter(
                    "from",
                    &from.to_string(),
                    format!("another one than to; {why}"),
                )
            }
            ProveError::Order { from, to } => {
                ApiError::parameter("from", &from.to_string(), format!("a sequence below {to}"))
            }
            ProveError::LogIndex { log_index, count, meant } => {
                ApiError::LogIndex { chain, log_index, count, meant }
            }
            ProveError::OutputIndex { log_index, count } => {
                ApiError::OutputIndex { chain, log_index, count }
            }
            ProveError::Present { chain, number, tx_index } => ApiError::NotProvable {
                chain,
                why: format!("block {number} has a transaction at index {tx_index}"),
            },
            other => {
                tracing::error!(error = %other, "a proof could not be made");
                ApiError::Internal
            }
        }
    }
}
