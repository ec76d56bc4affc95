//! Service assembly: stages and servers.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use superroot_account::{AccountService, ContractCaller};
use superroot_accumulate::prove::Prover;
use superroot_accumulate::{Accumulator, Cosigners};
use superroot_api::{ChainStage, LEFT_OUT_MAX, StatusBoard, StatusReader};
use superroot_billing::BillingLedger;
use superroot_chain::ChainSpec;
use superroot_index::EventIndex;
use superroot_market::launch::LAUNCHES;
use superroot_store::feed::Feed;
use superroot_store::{EmbeddedStore, Store, StoreError, read};
use superroot_stream::{Hub, StreamLogWriter};
use superroot_types::{ChainId, ChainKey, Clock, Family, Network, SystemClock};
use superroot_watch::Watches;
use superroot_webhook::{Dispatcher, Webhooks};
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use crate::accounts::{self, ChainClock};
use crate::admin::{ActionJournal, Admin, OrderSender, socket};
use crate::backup::Original;
use crate::blooms::{TwigBlooms, index_failure};
use crate::bond::{self, AccountHeartbeat, Bond};
use crate::chains;
use crate::cli::style::WARNING;
use crate::config::ServiceConfig;
use crate::contract_calls::ContractCalls;
use crate::folder::{StoreSize, patiently};
use crate::follow::{self, Follow, KeyWatches, PlannedChain};
use crate::gas_nodes::GasNodes;
use crate::gate::Gate;
use crate::launches::LaunchFinder;
use crate::limits;
use crate::log_key;
use crate::marks::Marks;
use crate::measures::{self, Metrics, Upkeep};
use crate::publish::{CatchingUp, FIRST_ROOT_POLL, Publisher, Searches};
use crate::screen::Screen;
use crate::stage::{BlockingStage, Runner, StageFailure, StageName};
use crate::stop;
use crate::streams::Streams;
use crate::tls::Tls;
use crate::tokens;
use crate::views;
use crate::witnesses;

/// Time limit for the last account commit note.
const LAST_NOTE: Duration = Duration::from_secs(5);

pub(crate) struct RunPlan {
    pub(crate) config: ServiceConfig,
    pub(crate) data: PathBuf,
    /// Whether the folder outlives the service.
    pub(crate) is_kept: bool,
    pub(crate) origin: String,
    pub(crate) chains: Vec<PlannedChain>,
    pub(crate) append_rows: bool,
    /// Whether accounts from another folder are accepted.
    pub(crate) accept_accounts: bool,
}

pub(crate) struct RunningStages {
    pub(crate) url: String,
    pub(crate) prover: Prover,
    pub(crate) status: Arc<StatusBoard>,
    pub(crate) accounts: Arc<AccountService>,
    noting: AccountHeartbeat,
    ready: Arc<AtomicBool>,
    runner: Runner,
    drain: Duration,
    shutdown_timeout: Duration,
}

pub(crate) async fn start(plan: RunPlan) -> anyhow::Result<RunningStages> {
    let RunPlan { mut config, data, is_kept, origin, chains, append_rows, accept_accounts } = plan;
    config.api.connections_max = limits::connections(config.api.connections_max);
    let listener = TcpListener::bind(config.server.listen.0)
        .await
        .with_context(|| format!("cannot listen on {}", config.server.listen))?;
    let listen = listener.local_addr()?;
    let tls = Tls::open(&config.server)?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    let folder = data.clone();
    let (original, accumulator, keyless) = open(&config, data.clone(), origin.clone()).await?;
    let store: Arc<dyn Store> = original.clone();
    let policy = witnesses::policy(&config.log)?;
    let chain_keys: Vec<_> = chains.iter().map(|chain| chain.row.key()).collect();
    chains::take_up(&accumulator.appended()?, append_rows)?;
    let (billing, accounts_store) =
        open_accounts(&config, &data, &store, &origin, accept_accounts).await?;
    let accounts = billing.accounts().clone();
    let prover = Prover::new(store.clone(), accumulator.board());
    let log_store = store.clone();
    let status = status_of(&chains);
    let hub = Hub::open(prover.clone()).context("cannot read the log of streams")?;
    let contracts = contract_calls(&config, &chains);
    let price_nodes = GasNodes::new(chains.iter().map(|chain| chain.source.clone()));
    let shutdown = CancellationToken::new();
    let mut runner = Runner::new(shutdown.clone());
    serve_metrics(&config, &chains, &mut runner, &shutdown).await?;
    let behind = CatchingUp::default();
    let searches = Searches::default();
    runner.work(streams_of(&chains, &store, &prover, &hub));
    let watches = Watches::open(accounts.clone(), config.watch.clone())
        .context("cannot read what keys watch")?;
    runner.serve({
        let looking = watches.clone().run(shutdown.clone());
        async move {
            looking.await;
            Ok(())
        }
    });
    let markets = tokens::markets(&config, prover.network(), store.clone(), contracts.clone())?;
    for row in chains.iter().map(|chain| &chain.row) {
        let found = LaunchFinder::new(store.clone(), row, prover.network(), &markets);
        if let Some(launches) = found.filter(|_| row.family() == Family::Evm) {
            runner.work(launches);
        }
    }
    let seen_by_chains = (&status, &*watches, &behind, &searches);
    let senders = follow_all(chains, &store, seen_by_chains, &mut runner);
    let journal = ActionJournal::open(&data).context("cannot open admin.log of the data folder")?;
    let embedded = original.clone();
    let noted: Arc<dyn Store> = accounts_store.clone();
    let original = Original {
        data: data.clone(),
        chains: original,
        accounts: Some(accounts_store),
        key: log_key::path(&data, &config.log),
    };
    let admin = Admin::new(billing.clone(), senders, journal, original);
    runner.serve(socket::serve(data.clone(), admin, shutdown.clone()));
    runner.work(StoreSize::new(data, embedded, status.clone()));
    let noting =
        AccountHeartbeat { chains: store.clone(), accounts: noted, origin: origin.as_str().into() };
    runner.work(noting.clone());
    let is_recorded = prover.network() == Network::Recorded;
    let chain_clock = ChainClock::new(store.clone(), chain_keys, is_recorded);
    accounts::spawn(&mut runner, &billing, chain_clock, (scheme, listen))?;
    let shown_at = policy.as_ref().map(|policy| witnesses::shown_at(policy, prover.origin()));
    let shown_at = shown_at.transpose()?.unwrap_or_default();
    let keys = accumulator.board().keys().to_vec();
    let marks = Marks::new(&config.log.mark, &folder, keys, shown_at)?;
    let is_signed = !accumulator.board().keys().is_empty();
    if marks.is_empty() && is_signed && is_kept {
        say!(
            "{WARNING}no mark{WARNING:#}  an older copy of {} would publish anew what was published: set \
             log.mark (docs/log.md)",
            folder.display()
        );
    }
    if let Some(peers) = marks.peers()? {
        runner.stage(peers);
    }
    let answers = marks.answers();
    let mut gate = Gate::new(marks, folder, status.clone(), keyless);
    if accumulator.goal()?.is_none() {
        // before anything is shown: what a crash left out of the marks is put there
        gate.look(&accumulator).map_err(StageFailure::into_error)?;
    }
    let beat = Duration::from_millis(config.accumulate.beat_ms);
    // a mirror, which has not the key, has nothing to be cosigned
    if let Some(policy) = policy.filter(|_| is_signed) {
        witnesses::check_log(&policy, prover.keys())?;
        let cosigners = Cosigners::open(log_store, accumulator.board(), policy.clone())?;
        let every = beat.saturating_mul(config.log.witness_every);
        let told = (&status, answers.as_ref());
        witnesses::ask_all(&policy, cosigners, (&prover, told), every, &mut runner)?;
    }
    let ready = Arc::new(AtomicBool::new(false));
    let seen = (behind, searches);
    runner.work(Publisher::new((accumulator, gate), beat, seen, is_recorded, ready.clone()));
    let webhooks = Webhooks::new(accounts.clone(), config.webhook.clone());
    let dues = billing.clone();
    // where it cannot be read the rest of the service says so
    let owes = move |account| dues.due(account).is_ok_and(|due| due.is_some());
    let sender = Dispatcher::new(webhooks.clone(), hub.clone(), owes);
    let sender = sender.context("cannot send to webhooks")?;
    let sending = sender.run(shutdown.clone());
    runner.serve(async move {
        sending.await;
        Ok(())
    });
    let api = superroot_api::Api {
        webhooks,
        watches,
        prover: prover.clone(),
        hub: hub.clone(),
        registry: Arc::new(chains::known().clone()),
        blooms: Arc::default(),
        status: status.clone(),
        accounts: accounts.clone(),
        billing,
        market: markets,
        contracts,
        price_nodes: Arc::new(price_nodes),
        clock: Arc::new(SystemClock),
        config: config.api.clone(),
        ready: ready.clone(),
    };
    let stopped = shutdown.cancelled_owned();
    let stopped = async move {
        stopped.await;
        // streams never end by themselves
        hub.close();
    };
    let secured = tls.as_ref().map(Tls::config).transpose()?;
    if let Some(tls) = tls {
        tokio::spawn(tls.renew());
    }
    runner.serve(async move {
        let served = match secured {
            Some(tls) => superroot_api::serve_secured(listener, tls, api, stopped)?,
            None => superroot_api::serve(listener, api, stopped),
        };
        served.await.context("the HTTP service failed")
    });
    let drain = Duration::from_millis(config.server.drain_ms);
    let shutdown_timeout = Duration::from_millis(config.server.shutdown_timeout_ms);
    let url = format!("{scheme}://{listen}");
    Ok(RunningStages {
        url,
        prover,
        status,
        accounts,
        noting,
        ready,
        runner,
        drain,
        shutdown_timeout,
    })
}

/// Stream log writer. Rows are kept as long as in the longest feed.
fn streams_of(
    chains: &[PlannedChain],
    store: &Arc<dyn Store>,
    prover: &Prover,
    hub: &Hub,
) -> Streams {
    let keys = chains.iter().map(|chain| chain.row.key()).collect();
    let kept = chains.iter().map(|chain| chain.collect.feed_kept_seconds).max();
    let kept =
        kept.unwrap_or_else(|| superroot_collect::CollectConfig::default().feed_kept_seconds);
    let writer =
        StreamLogWriter::new(store.clone(), prover.clone(), keys, kept).waiting_for(LAUNCHES);
    Streams::new(writer, hub.clone())
}

fn status_of(chains: &[PlannedChain]) -> Arc<StatusBoard> {
    let status = StatusBoard::new();
    for (row, from) in chains::withdrawn() {
        status.update(row.key(), |view| view.withdraw(from));
    }
    for chain in chains {
        status.update(chain.row.key(), |view| view.state = ChainStage::Starting);
    }
    Arc::new(status)
}

async fn serve_metrics(
    config: &ServiceConfig,
    chains: &[PlannedChain],
    runner: &mut Runner,
    shutdown: &CancellationToken,
) -> anyhow::Result<()> {
    let Some(address) = config.server.metrics_listen else { return Ok(()) };
    let slugs = chains.iter().map(|chain| chain.row.slug.as_str());
    let Metrics { listener, handle } = measures::open(address, slugs).await?;
    say!("metrics on http://{}/metrics", listener.local_addr()?);
    runner.work(Upkeep(handle.clone()));
    runner.serve(measures::serve(listener, handle, shutdown.clone()));
    Ok(())
}

fn follow_all(
    chains: Vec<PlannedChain>,
    store: &Arc<dyn Store>,
    (status, watches, behind, searches): (&Arc<StatusBoard>, &Watches, &CatchingUp, &Searches),
    runner: &mut Runner,
) -> Vec<OrderSender> {
    let apply = Duration::from_millis(watches.config().apply_ms);
    let views = views::all();
    let mut senders = Vec::with_capacity(chains.len());
    for chain in chains {
        let (sender, orders) = OrderSender::new(chain.row.clone());
        senders.push(sender);
        let feed = (store.clone(), Feed::Chain(chain.row.key()));
        runner.derived(StageName::Events, feed, EventIndex::with(views.clone()), index_failure);
        runner.work(TwigBlooms::new(store.clone(), chain.row.clone()));
        let store = store.clone();
        let status = status.clone();
        let behind = behind.one();
        let searches = searches.clone();
        let watches = KeyWatches { wanted: watches.wanted(), apply };
        let shared = follow::ChainShared { store, status, behind, searches, orders, watches };
        let follow = Follow::new(chain, shared);
        runner.stage(follow.nodes());
        runner.stage(follow);
    }
    senders
}

/// Contract wallet calls to the chains' nodes, limited to four fifths of the request time, so that a silent node
/// differs from a slow service.
fn contract_calls(config: &ServiceConfig, chains: &[PlannedChain]) -> Arc<dyn ContractCaller> {
    let longest = Duration::from_millis(config.api.request_timeout_ms / 5 * 4);
    let sources = chains.iter().map(|chain| chain.source.clone());
    let calls = ContractCalls::new(Handle::current(), sources, longest);
    for id in config.accounts().wallet.contract_chain_ids {
        if !calls.asks(ChainId(id)) {
            tracing::info!(
                chain.id = id,
                "no node of chain {id} is asked: its contract wallets cannot be proven"
            );
        }
    }
    Arc::new(calls)
}

/// Opens the folder's accounts after a check, and notes their commit count from then on.
async fn open_accounts(
    config: &ServiceConfig,
    data: &Path,
    chains: &Arc<dyn Store>,
    origin: &str,
    is_accepted: bool,
) -> anyhow::Result<(Arc<BillingLedger>, Arc<EmbeddedStore>)> {
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
        let bond = Bond { chains: &*chains, accounts, data: &data, origin: Some(&origin) };
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
        Ok((billing, store))
    });
    opened.await.context("opening the accounts panicked")?
}

/// Store, log, and why the log key is unavailable, if so.
type Opened = (Arc<EmbeddedStore>, Accumulator, Option<String>);

async fn open(config: &ServiceConfig, data: PathBuf, origin: String) -> anyhow::Result<Opened> {
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
            return Ok((store, accumulator, Some(why)));
        }
        let signers = log_key::signers(&data, &log, &origin)?;
        let note = superroot_accumulate::newest_note(&*store)?;
        let other = note.and_then(|note| log_key::other(&data, &log, &signers, &note));
        let signers = if other.is_some() { Vec::new() } else { signers };
        Ok((store, accumulator.signed_by(signers)?, other))
    });
    opened.await.context("opening the data panicked")?
}

impl RunningStages {
    /// Waits until everything final at the start is anchored, or a loop fails. Calls `waiting` from time to time.
    pub(crate) async fn ready(&mut self, mut waiting: impl FnMut(&Prover)) -> anyhow::Result<()> {
        loop {
            tokio::select! {
                error = self.runner.ended() => return Err(error),
                () = tokio::time::sleep(FIRST_ROOT_POLL) => {}
            }
            if self.ready.load(Ordering::SeqCst) {
                self.tell_left_out();
                return Ok(());
            }
            waiting(&self.prover);
        }
    }

    /// Reports invalid recorded blocks in one line.
    fn tell_left_out(&self) {
        if self.prover.network() != Network::Recorded {
            return;
        }
        let views = chains::known().rows().iter().map(|row| self.status.status(row.key()));
        let counts: Vec<_> =
            views.map(|view| view.left_out.len()).filter(|count| *count > 0).collect();
        if let (count @ 1.., chains) = (counts.iter().sum::<usize>(), counts.len()) {
            // of a chain the newest are kept alone
            let at_least = if counts.contains(&LEFT_OUT_MAX) { "at least " } else { "" };
            tracing::warn!(
                count,
                "{at_least}{count} blocks of {chains} recorded chains do not hold and are left out: \
                 /api/v1/status has the newest with the reason, and --log warn,superroot_collect=debug names each"
            );
        }
    }

    pub(crate) fn show(&mut self, rows: Vec<ChainSpec>) {
        let url = self.url.clone();
        let prover = self.prover.clone();
        let status = self.status.clone();
        self.runner.work(Screen::new(url, prover, status, rows));
    }

    /// Runs until a signal or a failed loop, then shuts down. After a signal the service reports not ready but serves
    /// on for a while, so that a load balancer sends no client to a closed port.
    pub(crate) async fn until_stopped(mut self) -> anyhow::Result<()> {
        let status = self.status.clone();
        let drain = self.drain;
        let stopped = async {
            let stopped = stop::requested().await.context("cannot hear signals");
            status.stop();
            tracing::info!(drain_ms = drain.as_millis(), "stopping");
            stop::drain(drain).await;
            stopped
        };
        let result = tokio::select! {
            error = self.runner.ended() => Err(error),
            stopped = stopped => stopped,
        };
        self.status.stop();
        tracing::info!("no new connections are taken");
        self.runner.stop(self.shutdown_timeout).await;
        accounts::last_flush(self.accounts).await;
        // without it the next start knows ten seconds less
        let mut noting = self.noting;
        let noted = tokio::task::spawn_blocking(move || noting.step(SystemClock.now()));
        match tokio::time::timeout(LAST_NOTE, noted).await {
            Ok(Ok(Ok(_))) => {}
            Ok(Ok(Err(failed))) => tracing::warn!(
                "it was not noted how much of the accounts there is: {:#}",
                failed.into_error()
            ),
            Ok(Err(_)) | Err(_) => {
                tracing::warn!("it was not noted in time how much of the accounts there is");
            }
        }
        result
    }
}

pub(crate) fn anchored_blocks(store: &dyn Store, chain: ChainKey) -> u64 {
    read::load_chain_state(store, chain).ok().flatten().map_or(0, |state| state.block_count)
}
