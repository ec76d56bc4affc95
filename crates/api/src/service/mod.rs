//! State shared by all handlers.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock, Mutex};

use superroot_account::limit::AddressPrefix;
use superroot_account::{AccountError, AccountService, ContractCaller, ProvenWallet};
use superroot_accumulate::Published;
use superroot_accumulate::prove::Prover;
use superroot_billing::{BillingError, BillingLedger, Dues};
use superroot_chain::ChainRegistry;
use superroot_gas::{FeeCache, PriceNodes};
use superroot_index::bloom::Blooms;
use superroot_stream::Hub;
use superroot_types::{Clock, UnixSeconds};
use superroot_watch::Watches;
use superroot_webhook::Webhooks;
use superroot_wire::signal::Opportunities;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::accounts::VerifyingAuthorizations;
use crate::answer::ApiAnswer;
use crate::error::{of_account, of_billing};
use crate::gas::nodes::NodePrices;
use crate::newest::NewestBlocks;
use crate::pages::file::PageFile;
use crate::pages::web::Site;
use crate::response_cache::{CacheSlot, CachedResponse, ResponseCache, Validity};
use crate::status::StatusReader;
use crate::{ApiConfig, ApiError};
use pace::answering_threads;
pub(crate) use pace::{Paces, WorkPace};
use permits::StreamPermits;
pub(crate) use refusal::{ProverQuestion, RequestedEntry, RequestedProof};
use tokens::StreamTokens;
pub(crate) use work::{CancelFlag, fitted};
use work::{CancelGuard, run_blocking};

pub(crate) mod advice;
mod anchor;
pub(crate) mod availability;
pub(crate) mod evidence;
mod pace;
pub(crate) mod permits;
mod refusal;
pub(crate) mod retraction;
pub(crate) mod sale;
pub(crate) mod tokens;
mod work;

/// HTTP server dependencies.
#[derive(Clone)]
pub struct Api {
    /// Proof generator over published data.
    pub prover: Prover,
    /// Event hub for listeners.
    pub hub: Hub,
    /// Chain registry.
    pub registry: Arc<ChainRegistry>,
    /// Blooms of the newest headers read so far.
    pub blooms: Arc<Blooms>,
    /// Chain status.
    pub status: Arc<dyn StatusReader>,
    /// Accounts, keys, limits, counts. A library user without accounts opens the service on a `MemoryStore`.
    pub accounts: Arc<AccountService>,
    /// Account billing.
    pub billing: Arc<BillingLedger>,
    /// Account webhooks.
    pub webhooks: Arc<Webhooks>,
    /// Key owners' watches.
    pub watches: Arc<Watches>,
    /// Price sources.
    pub market: Markets,
    /// Contract wallet calls; [`NoNodes`](superroot_account::wallet::NoNodes) without nodes.
    pub contracts: Arc<dyn ContractCaller>,
    /// Node gas prices; [`NoPriceNodes`](superroot_gas::NoPriceNodes) without nodes.
    pub price_nodes: Arc<dyn PriceNodes>,
    /// Clock for limits and lags.
    pub clock: Arc<dyn Clock>,
    /// Settings.
    pub config: ApiConfig,
    /// Set once everything final at service start is anchored.
    pub ready: Arc<AtomicBool>,
    /// JSON-RPC for a chain in the same process, under `/rpc/{chain id}`; without keys and limits.
    pub rpc: Option<Arc<dyn ChainRpc>>,
    /// Sale of passes; `None`: none are sold.
    pub passes: Option<Arc<sale::PassSale>>,
}

/// JSON-RPC for a chain in the same process.
pub trait ChainRpc: Send + Sync {
    /// Chain id.
    fn chain_id(&self) -> superroot_types::ChainId;

    /// Answer to a request or batch.
    fn answer(&self, body: &[u8]) -> Vec<u8>;
}

/// Price sources.
#[derive(Clone)]
pub struct Markets {
    /// Trusted pool factories.
    pub factories: Arc<superroot_dex::Factories>,
    /// Token metadata.
    pub tokens: Arc<dyn superroot_market::TokenBook>,
    /// Pool acceptance rules.
    pub config: superroot_market::MarketConfig,
}

impl Default for Markets {
    /// Built-in factories, and no token.
    fn default() -> Self {
        Self {
            factories: Arc::new(superroot_dex::Factories::builtin().clone()),
            tokens: Arc::new(superroot_market::NoTokens),
            config: superroot_market::MarketConfig::default(),
        }
    }
}

#[derive(Clone)]
pub(crate) struct Document {
    pub(crate) json: PageFile,
    /// JSON with an example for every operation.
    pub(crate) with_examples: PageFile,
    pub(crate) html: PageFile,
    pub(crate) pushed: PageFile,
}

/// Router state: shared cheaply, never changed.
pub(crate) struct ApiService {
    pub(crate) api: Api,
    pub(crate) document: Document,
    /// Page at `/`.
    pub(crate) site: Site,
    /// Open streams.
    pub(crate) permits: StreamPermits,
    /// Unused stream tokens.
    pub(crate) tokens: StreamTokens,
    pub(crate) cache: Arc<ResponseCache>,
    pub(crate) newest: Arc<NewestBlocks>,
    /// Accounts with a payment due.
    pub(crate) dues: Dues,
    pub(crate) began_at: UnixSeconds,
    /// Fees per chain at its newest block.
    pub(crate) gas: FeeCache,
    /// Gas prices from nodes.
    pub(crate) node_prices: NodePrices,
    /// Last price differences.
    pub(crate) arb: Mutex<Option<(UnixSeconds, Arc<Opportunities>)>>,
    /// Created at the first request, on a runtime thread.
    pub(crate) paces: LazyLock<Paces>,
    proofs: Arc<Semaphore>,
    /// Permits for parsing large bodies: half the processors. Created like `paces`.
    bodies: LazyLock<Arc<Semaphore>>,
    /// Permits for account lookups, separate from proofs.
    lookups: Arc<Semaphore>,
    /// Permits for signature checks, some of which call nodes.
    signatures: Arc<Semaphore>,
    /// Permits for token calls to nodes; further callers must retry.
    pub(crate) asking: Semaphore,
    pub(crate) verifying: VerifyingAuthorizations,
    /// Permits for megabyte answers, until the last byte is sent.
    large: Arc<Semaphore>,
}

/// Most large answers at the same time; further ones wait.
const LARGE_MAX: usize = 64;

/// Most callers waiting for token metadata from nodes.
const ASKING_MAX: usize = 16;

/// Most concurrent account lookups; further ones wait.
const LOOKUPS_MAX: usize = 64;

pub(crate) type Shared = Arc<ApiService>;

impl ApiService {
    pub(crate) fn new(api: Api, document: Document) -> Self {
        let proofs = Arc::new(Semaphore::new(api.config.proofs_at_once_max.max(1)));
        let bodies = || Arc::new(Semaphore::new((answering_threads() / 2).max(1)));
        let began_at = api.clock.now();
        let lookups = Arc::new(Semaphore::new(LOOKUPS_MAX));
        // those that wait for nodes are bounded by this, and leave the others their room
        let of_contracts = api.accounts.config().wallet.contract_checks_at_once_max;
        let signatures = LOOKUPS_MAX.saturating_add(of_contracts);
        let signatures = Arc::new(Semaphore::new(signatures));
        let large = Arc::new(Semaphore::new(LARGE_MAX));
        let asking = Semaphore::new(ASKING_MAX);
        let permits = StreamPermits::default();
        let tokens = StreamTokens::default();
        let gas = FeeCache::default();
        let arb = Mutex::default();
        let cache = Arc::new(ResponseCache::new(api.config.remembered_bytes_max));
        let site = Site::of(&api.registry);
        Self {
            api,
            document,
            site,
            permits,
            tokens,
            cache,
            newest: Arc::default(),
            dues: Dues::default(),
            began_at,
            gas,
            bodies: LazyLock::new(bodies),
            node_prices: NodePrices::default(),
            arb,
            paces: LazyLock::new(Paces::default),
            proofs,
            lookups,
            signatures,
            asking,
            verifying: VerifyingAuthorizations::default(),
            large,
        }
    }

    /// Newest SuperRoot; before the first one, the error is [`Api::nothing_published`].
    pub(crate) fn latest(&self) -> Result<Arc<Published>, ApiError> {
        self.api.prover.latest().ok_or_else(|| self.api.nothing_published())
    }

    /// Response for this second at this address: cached, or generated by `make` on a blocking thread.
    pub(crate) async fn page_of_second(
        self: &Arc<Self>,
        address: &str,
        make: impl FnOnce(&Api) -> Result<ApiAnswer, ApiError> + Send + 'static,
    ) -> Result<ApiAnswer, ApiError> {
        self.page(address, self.second(), make).await
    }

    /// Like [`ApiService::page_of_second`], for current store data: a cached response is used only without later
    /// commits.
    pub(crate) async fn page_of_state(
        self: &Arc<Self>,
        address: &str,
        make: impl FnOnce(&Api) -> Result<ApiAnswer, ApiError> + Send + 'static,
    ) -> Result<ApiAnswer, ApiError> {
        self.page(address, self.state(), make).await
    }

    /// Like [`ApiService::page_of_second`], for data that depends only on the SuperRoot.
    pub(crate) async fn page_of_super_root(
        self: &Arc<Self>,
        address: &str,
        make: impl FnOnce(&Api) -> Result<ApiAnswer, ApiError> + Send + 'static,
    ) -> Result<ApiAnswer, ApiError> {
        self.page(address, Validity::SuperRoot, make).await
    }

    /// Like [`ApiService::page_of_super_root`], up to about 2 MB: an uncached response takes a memory permit until
    /// sent.
    pub(crate) async fn large_page_of_super_root(
        self: &Arc<Self>,
        address: &str,
        make: impl FnOnce(&Api) -> Result<ApiAnswer, ApiError> + Send + 'static,
    ) -> Result<ApiAnswer, ApiError> {
        if let Some(answer) = self.cached(address, Validity::SuperRoot) {
            return Ok(answer);
        }
        let room = self.room().await?;
        let answer = self.blocking(make).await?;
        Ok(answer.taking(room).into_slot(self.slot(address, Validity::SuperRoot)))
    }

    /// Valid until the second ends or a chain's status changes.
    pub(crate) fn second(&self) -> Validity {
        Validity::Second(self.api.clock.now(), self.api.status.changes())
    }

    /// Valid until the second ends, a chain's status changes or the store takes a commit.
    pub(crate) fn state(&self) -> Validity {
        let commits = self.api.prover.store().commit_count();
        Validity::State(self.api.clock.now(), self.api.status.changes(), commits)
    }

    async fn page(
        self: &Arc<Self>,
        address: &str,
        validity: Validity,
        make: impl FnOnce(&Api) -> Result<ApiAnswer, ApiError> + Send + 'static,
    ) -> Result<ApiAnswer, ApiError> {
        if let Some(answer) = self.cached(address, validity) {
            return Ok(answer);
        }
        let answer = self.briefly(&self.paces.pages, make).await?;
        Ok(answer.into_slot(self.slot(address, validity)))
    }

    pub(crate) fn cached(&self, address: &str, validity: Validity) -> Option<ApiAnswer> {
        let latest = self.api.prover.latest();
        let is_valid = |cached: &CachedResponse| cached.validity == validity;
        let cached = self.cache.find(address, latest.as_deref(), is_valid)?;
        Some(ApiAnswer::cached(&cached))
    }

    pub(crate) fn slot(&self, address: &str, validity: Validity) -> CacheSlot {
        CacheSlot { cache: Arc::clone(&self.cache), address: address.to_owned(), validity }
    }

    /// Runs store reads or heavy hashing on a blocking thread, with bounded concurrency. Work continues after its
    /// request was dropped, and keeps its permit until it ends. A panic is 500.
    pub(crate) async fn blocking<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Api) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let service = Arc::clone(self);
        run_blocking(&self.proofs, move || work(&service.api)).await
    }

    /// Parses a large body; a panic is 500.
    pub(crate) async fn parse_large<T: Send + 'static>(
        &self,
        parse: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        run_blocking(&self.bodies, parse).await
    }

    /// Like [`ApiService::blocking`], but runs short work inline as long as recent work of its kind was short: see
    /// [`WorkPace`].
    pub(crate) async fn briefly<T: Send + 'static>(
        self: &Arc<Self>,
        pace: &Arc<WorkPace>,
        work: impl FnOnce(&Api) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let room = self.paces.room.try_acquire();
        if room.is_ok() && pace.is_brief() {
            return pace.time(|| work(&self.api));
        }
        drop(room);
        let pace = Arc::clone(pace);
        self.blocking(move |api| pace.time(|| work(api))).await
    }

    /// Like [`ApiService::blocking`], for long work, which may check whether its caller still waits.
    pub(crate) async fn blocking_while_wanted<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Api, &CancelFlag) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let wanted = CancelFlag::default();
        let _until_given_up = CancelGuard::new(wanted.clone());
        self.blocking(move |api| work(api, &wanted)).await
    }

    /// Takes a memory permit for an answer up to about 2 MB, released once sent, so that memory for all answers is
    /// bounded. A cancelled wait leaves nothing behind.
    pub(crate) async fn room(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        self.rooms(1).await
    }

    /// Like [`ApiService::room`], for an answer up to `count` times as large; [`fitted`] returns unused permits.
    pub(crate) async fn rooms(&self, count: u32) -> Result<OwnedSemaphorePermit, ApiError> {
        let rooms = Arc::clone(&self.large).acquire_many_owned(count).await;
        rooms.map_err(|_| ApiError::internal())
    }

    /// Like [`ApiService::blocking`], for account reads and writes: neither kind waits for the other.
    pub(crate) async fn look_up<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        run_blocking(&self.lookups, work).await
    }

    /// Verifies a signed message on a blocking thread. Nothing is stored: a dropped request has proven nothing.
    pub(crate) async fn verify_wallet(
        &self,
        from: AddressPrefix,
        message: String,
        signature: Vec<u8>,
    ) -> Result<ProvenWallet, ApiError> {
        let accounts = self.api.accounts.clone();
        let contracts = self.api.contracts.clone();
        let verify = move || {
            let proven = accounts.verify_wallet(from, (&message, &signature), &*contracts);
            proven.map_err(of_account)
        };
        run_blocking(&self.signatures, verify).await
    }

    pub(crate) async fn billing<T: Send + 'static>(
        &self,
        work: impl FnOnce(&BillingLedger) -> Result<T, BillingError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let billing = Arc::clone(&self.api.billing);
        self.look_up(move || work(&billing).map_err(of_billing)).await
    }

    /// Runs an account query.
    pub(crate) async fn account<T: Send + 'static>(
        &self,
        work: impl FnOnce(&AccountService) -> Result<T, AccountError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let accounts = Arc::clone(&self.api.accounts);
        self.look_up(move || work(&accounts).map_err(of_account)).await
    }
}
