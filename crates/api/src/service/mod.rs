//! What every handler shares.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use superroot_account::limit::AddressPrefix;
use superroot_account::{AccountError, AccountService, ContractCaller, ProvenWallet};
use superroot_accumulate::Published;
use superroot_accumulate::prove::Prover;
use superroot_billing::{Billing, BillingError, Dues};
use superroot_chain::Registry;
use superroot_gas::{FeeCache, PriceNodes};
use superroot_index::bloom::Blooms;
use superroot_stream::Hub;
use superroot_types::{Clock, UnixSeconds};
use superroot_watch::Watches;
use superroot_webhook::Webhooks;
use superroot_wire::signal::Opportunities;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::answer::Answer;
use crate::error::codes::TIMEOUT;
use crate::error::{of_account, of_billing};
use crate::gas::nodes::NodePrices;
use crate::newest::NewestBlocks;
use crate::pages::file::File;
use crate::pages::web::Site;
use crate::response_cache::{CacheSlot, CachedResponse, ResponseCache, Validity};
use crate::status::ChainStatus;
use crate::{ApiError, Config};
pub(crate) use pace::Pace;
use passes::Passes;
use tokens::Tokens;

pub(crate) mod advice;
mod anchor;
pub(crate) mod availability;
pub(crate) mod evidence;
mod pace;
pub(crate) mod passes;
mod refusal;
pub(crate) mod retraction;
pub(crate) mod tokens;

/// What the HTTP face stands on.
#[derive(Clone)]
pub struct Api {
    /// Makes proofs out of what was published.
    pub prover: Prover,
    /// What happens, for whoever listens.
    pub hub: Hub,
    /// The chains.
    pub registry: Arc<Registry>,
    /// Blooms of the newest headers, as far as they were read.
    pub blooms: Arc<Blooms>,
    /// How each chain fares.
    pub status: Arc<dyn ChainStatus>,
    /// Accounts, keys, limits, counts. A library user without any opens it on a `MemoryStore`.
    pub accounts: Arc<AccountService>,
    /// Money of those accounts.
    pub billing: Arc<Billing>,
    /// Addresses that events of those accounts are sent to.
    pub webhooks: Arc<Webhooks>,
    /// What the owners of keys watch.
    pub watches: Arc<Watches>,
    /// Prices.
    pub market: Markets,
    /// Asks contract wallets; [`NoNodes`](superroot_account::wallet::NoNodes) where there is none
    /// to ask.
    pub contracts: Arc<dyn ContractCaller>,
    /// Asks nodes what gas costs; [`NoPriceNodes`](superroot_gas::NoPriceNodes) where there is none to ask.
    pub price_nodes: Arc<dyn PriceNodes>,
    /// Tells the time of limits and lags.
    pub clock: Arc<dyn Clock>,
    /// Settings.
    pub config: Config,
    /// Set when everything that was final as the service began is anchored.
    pub ready: Arc<AtomicBool>,
}

/// What prices rest on.
#[derive(Clone)]
pub struct Markets {
    /// Whose pools are believed.
    pub factories: Arc<superroot_dex::Factories>,
    /// What is known of tokens.
    pub tokens: Arc<dyn superroot_market::TokenBook>,
    /// When pools are believed.
    pub config: superroot_market::Config,
}

impl Default for Markets {
    /// The factories that this build knows, and no token.
    fn default() -> Self {
        Self {
            factories: Arc::new(superroot_dex::Factories::builtin().clone()),
            tokens: Arc::new(superroot_market::NoTokens),
            config: superroot_market::Config::default(),
        }
    }
}

/// The OpenAPI document, ready to be sent.
#[derive(Clone)]
pub(crate) struct Document {
    /// As JSON.
    pub(crate) json: File,
    /// As JSON, with an example of every operation.
    pub(crate) with_examples: File,
    /// As a page for people.
    pub(crate) html: File,
    /// What is pushed, as AsyncAPI.
    pub(crate) pushed: File,
}

/// State of the router: cheap to share, never changed.
pub(crate) struct Service {
    pub(crate) api: Api,
    pub(crate) document: Document,
    /// The page at `/`.
    pub(crate) site: Site,
    /// Streams that are open.
    pub(crate) passes: Passes,
    /// Tokens for streams, until they are used.
    pub(crate) tokens: Tokens,
    /// Rendered responses.
    pub(crate) cache: Arc<ResponseCache>,
    /// Hashes of the newest blocks.
    pub(crate) newest: Arc<NewestBlocks>,
    /// Who has to pay before using more.
    pub(crate) dues: Dues,
    /// When the router was made.
    pub(crate) began_at: UnixSeconds,
    /// Fees of each chain at its newest head.
    pub(crate) gas: FeeCache,
    /// What nodes said that gas costs.
    pub(crate) node_prices: NodePrices,
    /// Differences of prices, as they were found last.
    pub(crate) arb: Mutex<Option<(UnixSeconds, Arc<Opportunities>)>>,
    /// Made when the first request asks, on a thread of the runtime that answers.
    pub(crate) paces: LazyLock<Paces>,
    proofs: Arc<Semaphore>,
    /// Large bodies that are parsed: by half of the processors, so that those who send them do not
    /// keep the other half from answering. Made as the paces are.
    bodies: LazyLock<Arc<Semaphore>>,
    /// Looks into accounts, which never wait for proofs.
    lookups: Arc<Semaphore>,
    /// Checks of signatures, some of which wait for nodes.
    signatures: Arc<Semaphore>,
    /// Questions to nodes about tokens, which callers wait for; further ones are told to ask again.
    pub(crate) asking: Semaphore,
    /// Answers of a megabyte that are in hand, until their last byte is on its way.
    large: Arc<Semaphore>,
}

/// How long each kind of work takes that may be done where it is answered, and the room for it.
pub(crate) struct Paces {
    pub(crate) blocks: Arc<Pace>,
    pub(crate) entries: Arc<Pace>,
    pages: Arc<Pace>,
    pub(crate) prices: Arc<Pace>,
    /// Where there are more than two threads that answer, one never does such work: whatever has to be waited for,
    /// others are answered.
    pub(crate) room: Semaphore,
}

impl Default for Paces {
    fn default() -> Self {
        let threads = answering_threads();
        let room = Semaphore::new(if threads > 2 { threads - 1 } else { threads });
        let (blocks, entries, pages, prices) = Default::default();
        Self { blocks, entries, pages, prices, room }
    }
}

/// Threads of the runtime, which are as many as there are processors.
fn answering_threads() -> usize {
    Handle::try_current().map_or(1, |runtime| runtime.metrics().num_workers())
}

/// Large answers in hand at one time; further ones wait.
const LARGE_MAX: usize = 64;
/// Bytes for which one room is.
const ROOM_BYTES: usize = 2 << 20;

/// Callers that wait at one time for nodes to say what a token is.
const ASKING_MAX: usize = 16;

/// Looks into accounts at one time; further ones wait.
const LOOKUPS_MAX: usize = 64;

/// How handlers get the state.
pub(crate) type Shared = Arc<Service>;

impl Service {
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
        let (passes, tokens) = (Passes::default(), Tokens::default());
        let (gas, arb) = (FeeCache::default(), Mutex::default());
        let cache = Arc::new(ResponseCache::new(api.config.remembered_bytes_max));
        let site = Site::of(&api.registry);
        Self {
            api,
            document,
            site,
            passes,
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
            large,
        }
    }

    /// The newest SuperRoot.
    ///
    /// # Errors
    /// As [`Api::nothing_published`] until the first stands.
    pub(crate) fn latest(&self) -> Result<Arc<Published>, ApiError> {
        self.api.prover.latest().ok_or_else(|| self.api.nothing_published())
    }

    /// The response of this second at that address: the cached one, or what `make` makes away from the async threads.
    ///
    /// # Errors
    /// As [`Service::blocking`].
    pub(crate) async fn page_of_second(
        self: &Arc<Self>,
        address: &str,
        make: impl FnOnce(&Api) -> Result<Answer, ApiError> + Send + 'static,
    ) -> Result<Answer, ApiError> {
        self.page(address, self.second(), make).await
    }

    /// As [`Service::page_of_second`], of what the store has now: the cached one is used only if nothing was committed
    /// since.
    ///
    /// # Errors
    /// As there.
    pub(crate) async fn page_of_state(
        self: &Arc<Self>,
        address: &str,
        make: impl FnOnce(&Api) -> Result<Answer, ApiError> + Send + 'static,
    ) -> Result<Answer, ApiError> {
        self.page(address, self.state(), make).await
    }

    /// As [`Service::page_of_second`], of what follows from the SuperRoot alone.
    ///
    /// # Errors
    /// As there.
    pub(crate) async fn page_of_super_root(
        self: &Arc<Self>,
        address: &str,
        make: impl FnOnce(&Api) -> Result<Answer, ApiError> + Send + 'static,
    ) -> Result<Answer, ApiError> {
        self.page(address, Validity::SuperRoot, make).await
    }

    /// As [`Service::page_of_super_root`], of up to about 2 MB: what is not cached takes room until it is sent.
    ///
    /// # Errors
    /// As there.
    pub(crate) async fn large_page_of_super_root(
        self: &Arc<Self>,
        address: &str,
        make: impl FnOnce(&Api) -> Result<Answer, ApiError> + Send + 'static,
    ) -> Result<Answer, ApiError> {
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
        make: impl FnOnce(&Api) -> Result<Answer, ApiError> + Send + 'static,
    ) -> Result<Answer, ApiError> {
        if let Some(answer) = self.cached(address, validity) {
            return Ok(answer);
        }
        let answer = self.briefly(&self.paces.pages, make).await?;
        Ok(answer.into_slot(self.slot(address, validity)))
    }

    /// The response cached at that address with that validity.
    pub(crate) fn cached(&self, address: &str, validity: Validity) -> Option<Answer> {
        let latest = self.api.prover.latest();
        let is_valid = |cached: &CachedResponse| cached.validity == validity;
        let cached = self.cache.find(address, latest.as_deref(), is_valid)?;
        Some(Answer::cached(&cached))
    }

    /// The place of a response in the cache.
    pub(crate) fn slot(&self, address: &str, validity: Validity) -> CacheSlot {
        CacheSlot { cache: Arc::clone(&self.cache), address: address.to_owned(), validity }
    }

    /// Runs work that reads the store or hashes much, away from the async threads, and only so many
    /// at a time. Work goes on when its request was given up, and keeps its permit until it ends.
    ///
    /// # Errors
    /// The work's own; 500 when it panics.
    pub(crate) async fn blocking<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Api) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let service = Arc::clone(self);
        run_blocking(&self.proofs, move || work(&service.api)).await
    }

    /// Parses a large body.
    ///
    /// # Errors
    /// Those of `parse`; 500 when it panics.
    pub(crate) async fn parse_large<T: Send + 'static>(
        &self,
        parse: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        run_blocking(&self.bodies, parse).await
    }

    /// As [`Service::blocking`], for work that is done at once, where the request is answered, as long as that of its
    /// kind has been short of late: see [`Pace`].
    ///
    /// # Errors
    /// As there.
    pub(crate) async fn briefly<T: Send + 'static>(
        self: &Arc<Self>,
        pace: &Arc<Pace>,
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

    /// As [`Service::blocking`], for work that is long: it may look whether anybody still waits for it.
    ///
    /// # Errors
    /// As there.
    pub(crate) async fn blocking_while_wanted<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Api, &Wanted) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let wanted = Wanted::default();
        let _until_given_up = GivenUp(wanted.clone());
        self.blocking(move |api| work(api, &wanted)).await
    }

    /// Room for an answer of up to about 2 MB, which goes with it until it is sent: what all requests
    /// together have in hand is bounded. Whoever gives up while waiting leaves nothing behind.
    ///
    /// # Errors
    /// None that a caller sees: the service keeps the room.
    pub(crate) async fn room(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        self.rooms(1).await
    }

    /// As [`Service::room`], for an answer of up to `count` times as much; what turns out not to be
    /// needed is given back by [`fitted`].
    ///
    /// # Errors
    /// As there.
    pub(crate) async fn rooms(&self, count: u32) -> Result<OwnedSemaphorePermit, ApiError> {
        let rooms = Arc::clone(&self.large).acquire_many_owned(count).await;
        rooms.map_err(|_| ApiError::internal())
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
    /// Those of [`AccountService::verify_wallet`], by
    /// [`of_account`].
    pub(crate) async fn verify_wallet(
        &self,
        from: AddressPrefix,
        message: String,
        signature: Vec<u8>,
    ) -> Result<ProvenWallet, ApiError> {
        let (accounts, contracts) = (self.api.accounts.clone(), self.api.contracts.clone());
        let verify = move || {
            let proven = accounts.verify_wallet(from, (&message, &signature), &*contracts);
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

/// Whether anybody waits for the work that looks at it.
#[derive(Clone, Default)]
pub(crate) struct Wanted(Arc<AtomicBool>);

impl Wanted {
    /// Passes while somebody waits.
    ///
    /// # Errors
    /// 503 `timeout`, which nobody sees.
    pub(crate) fn check(&self) -> Result<(), ApiError> {
        if self.0.load(Ordering::Relaxed) {
            return Err(ApiError::new(TIMEOUT, "the request was given up"));
        }
        Ok(())
    }
}

/// Says so to the work when its request ends, be it answered or given up.
struct GivenUp(Wanted);

impl Drop for GivenUp {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

/// As much of the rooms as an answer of so many bytes takes.
pub(crate) fn fitted(mut rooms: OwnedSemaphorePermit, bytes: usize) -> OwnedSemaphorePermit {
    let needed = bytes.div_ceil(ROOM_BYTES).max(1);
    drop(rooms.split(rooms.num_permits().saturating_sub(needed)));
    rooms
}

async fn run_blocking<T: Send + 'static>(
    permits: &Arc<Semaphore>,
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let done = run_erased(permits, Box::new(move || Box::new(work()))).await?;
    *done.downcast().expect("of the type that the work gave")
}

/// What work gives, and the work, of no type: one task serves all questions, and what has to be
/// compiled for each of them is little.
type Done = Box<dyn Any + Send>;
type Work = Box<dyn FnOnce() -> Done + Send>;

async fn run_erased(permits: &Arc<Semaphore>, work: Work) -> Result<Done, ApiError> {
    let permit = Arc::clone(permits).acquire_owned().await.map_err(|_| ApiError::internal())?;
    let task = tokio::task::spawn_blocking(move || {
        let done = work();
        drop(permit);
        done
    });
    task.await.map_err(|error| {
        tracing::error!(%error, "work of a request panicked");
        ApiError::internal()
    })
}
