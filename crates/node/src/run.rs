//! Service assembly: stages and servers.

mod follow_chains;
mod open;
mod parts;
mod publishing;
mod running;
mod serve;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use superroot_account::{AccountService, ContractCaller};
use superroot_accumulate::prove::Prover;
use superroot_api::{ChainRpc, ChainStage, Facilitator, StatusBoard};
use superroot_source::{BlockSource, LiveNodes};
use superroot_store::{Store, read};
use superroot_stream::Hub;
use superroot_types::{ChainId, ChainKey};
use superroot_webhook::{Dispatcher, Webhooks};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use self::follow_chains::{FollowedChains, follow_chains};
use self::open::{OpenAccounts, OpenLog, open_accounts, open_log};
use self::parts::ServiceParts;
use self::publishing::{UnpublishedLog, start_publishing};
use self::serve::{ApiParts, ServicePort, build_api};
use crate::accounts::{self, ChainClock};
use crate::admin::{ActionJournal, Admin, OrderSender, socket};
use crate::anchor;
use crate::backup::Original;
use crate::bond::AccountHeartbeat;
use crate::chains;
use crate::checkpoints;
use crate::config::ServiceConfig;
use crate::contract_calls::ContractCalls;
use crate::evm_key;
use crate::folder::StoreSize;
use crate::follow::PlannedChain;
use crate::gas_nodes::GasNodes;
use crate::limits;
use crate::log_key;
use crate::measures::{self, Metrics, Upkeep};
use crate::passes::{self, CountPasses};
use crate::payments::CountPayments;
use crate::sender::SenderParts;
use crate::stage::Runner;
use crate::witnesses;

pub(crate) use running::RunningStages;

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
    /// This process's chain, if any.
    pub(crate) own: Option<OwnChain>,
}

/// This process's chain: nodes for transactions, JSON-RPC, and work on the accounts before any stage runs.
pub(crate) struct OwnChain {
    pub(crate) nodes: (ChainKey, Arc<dyn LiveNodes>),
    pub(crate) rpc: Arc<dyn ChainRpc>,
    pub(crate) facilitator: Arc<dyn Facilitator>,
    pub(crate) prepare: PrepareAccounts,
}

/// Work on the accounts before any stage runs.
pub(crate) type PrepareAccounts =
    Box<dyn FnOnce(&Arc<AccountService>) -> anyhow::Result<()> + Send>;

/// Service that is open, before its stages run.
struct OpenService {
    port: ServicePort,
    parts: ServiceParts,
    log: UnpublishedLog,
    chains: Vec<PlannedChain>,
}

pub(crate) async fn start(mut plan: RunPlan) -> anyhow::Result<RunningStages> {
    let own = plan.own.take();
    let OpenService { port, parts, log, chains } = open_service(plan).await?;
    let own = prepare(own, &parts.accounts).await?;
    let chain_keys: Vec<_> = chains.iter().map(|chain| chain.row.key()).collect();
    let sources: HashMap<_, _> =
        chains.iter().map(|chain| (chain.row.key(), chain.source.clone())).collect();
    let mut runner = Runner::new(parts.shutdown.clone());
    serve_metrics(&parts, &chains, &mut runner).await?;
    let followed = follow_chains(chains, &parts, &mut runner)?;
    let FollowedChains { watches, markets, senders, behind, searches } = followed;
    let noting = serve_operator(senders, &parts, &mut runner)?;
    let clock = ChainClock::new(parts.store.clone(), chain_keys, parts.is_recorded());
    accounts::spawn(&mut runner, &parts.billing, clock, &port.own_url())?;
    let ready = start_publishing(log, behind, searches, &parts, &mut runner)?;
    let price_nodes = GasNodes::new(sources.values().cloned());
    send_transactions(sources, own.nodes, &parts, &mut runner)?;
    count_payments(&parts, &mut runner)?;
    let api = ApiParts {
        watches,
        webhooks: send_webhooks(&parts, &mut runner)?,
        markets,
        price_nodes,
        ready: ready.clone(),
        rpc: own.rpc,
        passes: passes::sale(&parts.config.pass, own.facilitator, parts.store.clone())?,
    };
    let url = port.url();
    port.serve(build_api(&parts, api), &parts.shutdown, &mut runner)?;
    Ok(RunningStages::of(parts, url, noting, ready, runner))
}

/// What the service takes of its own chain.
#[derive(Default)]
struct OwnParts {
    nodes: HashMap<ChainKey, Arc<dyn LiveNodes>>,
    rpc: Option<Arc<dyn ChainRpc>>,
    facilitator: Option<Arc<dyn Facilitator>>,
}

/// Does the own chain's work on the accounts.
async fn prepare(
    own: Option<OwnChain>,
    accounts: &Arc<AccountService>,
) -> anyhow::Result<OwnParts> {
    let Some(OwnChain { nodes, rpc, facilitator, prepare }) = own else {
        return Ok(OwnParts::default());
    };
    let accounts = accounts.clone();
    let prepared = tokio::task::spawn_blocking(move || prepare(&accounts));
    prepared.await.context("preparing the accounts panicked")??;
    Ok(OwnParts { nodes: HashMap::from([nodes]), rpc: Some(rpc), facilitator: Some(facilitator) })
}

/// Starts the senders to anchors and registries.
fn send_transactions(
    sources: HashMap<ChainKey, Arc<dyn BlockSource>>,
    own_nodes: HashMap<ChainKey, Arc<dyn LiveNodes>>,
    parts: &ServiceParts,
    runner: &mut Runner,
) -> anyhow::Result<()> {
    let sending = SenderParts {
        store: parts.store.clone(),
        prover: parts.prover.clone(),
        status: parts.status.clone(),
        sources,
        own_nodes,
    };
    anchor::start(&parts.config, &sending, runner)?;
    checkpoints::start(&parts.config, &parts.accounts, &sending, runner)
}

/// Binds the port, and opens the data folder.
async fn open_service(plan: RunPlan) -> anyhow::Result<OpenService> {
    let RunPlan { mut config, data, is_kept, origin, chains, append_rows, accept_accounts, .. } =
        plan;
    config.api.connections_max = limits::connections(config.api.connections_max);
    let port = ServicePort::bind(&config.server).await?;
    let OpenLog { store: embedded, accumulator, keyless } =
        open_log(&config, data.clone(), origin.clone()).await?;
    let store: Arc<dyn Store> = embedded.clone();
    let policy = witnesses::policy(&config.log)?;
    chains::take_up(&accumulator.appended()?, append_rows)?;
    let OpenAccounts { billing, store: account_store } =
        open_accounts(&config, &data, &store, &origin, accept_accounts).await?;
    let collected = chains.iter().filter(|chain| chain.finality.is_some());
    let prover = Prover::new(store.clone(), accumulator.board())
        .with_pins(config.pinned_sets()?)
        .with_collected(collected.map(|chain| chain.row.key()).collect());
    tell_of_pins(&prover, &chains)?;
    let status = status_of(&chains);
    let hub = Hub::open(prover.clone()).context("cannot read the log of streams")?;
    let contracts = contract_calls(&config, &chains);
    let accounts = billing.accounts().clone();
    let parts = ServiceParts {
        config,
        data,
        origin,
        embedded,
        store,
        account_store,
        billing,
        accounts,
        prover,
        status,
        hub,
        contracts,
        shutdown: CancellationToken::new(),
    };
    let log = UnpublishedLog { accumulator, keyless, policy, is_kept };
    Ok(OpenService { port, parts, log, chains })
}

/// Logs pinned sets from which nothing follows.
fn tell_of_pins(prover: &Prover, chains: &[PlannedChain]) -> anyhow::Result<()> {
    for row in chains.iter().map(|chain| &chain.row) {
        if let Some(fault) = prover.pin_fault(row)? {
            tracing::warn!(chain.id = %row.key(), "nothing follows from the pinned set of signers: {fault}");
        }
    }
    Ok(())
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
    parts: &ServiceParts,
    chains: &[PlannedChain],
    runner: &mut Runner,
) -> anyhow::Result<()> {
    let Some(address) = parts.config.server.metrics_listen else { return Ok(()) };
    let slugs = chains.iter().map(|chain| chain.row.slug.as_str());
    let Metrics { listener, handle } = measures::open(address, slugs).await?;
    say!("metrics on http://{}/metrics", listener.local_addr()?);
    runner.work(Upkeep(handle.clone()));
    runner.serve(measures::serve(listener, handle, parts.shutdown.clone()));
    Ok(())
}

/// Serves operator commands, and starts the stages over the data folder.
fn serve_operator(
    senders: Vec<OrderSender>,
    parts: &ServiceParts,
    runner: &mut Runner,
) -> anyhow::Result<AccountHeartbeat> {
    let data = &parts.data;
    let journal = ActionJournal::open(data).context("cannot open admin.log of the data folder")?;
    let original = Original {
        data: data.clone(),
        chains: parts.embedded.clone(),
        accounts: Some(parts.account_store.clone()),
        key: log_key::path(data, &parts.config.log),
        evm_key: evm_key::path(data, &parts.config.log),
    };
    let admin = Admin::new(parts.billing.clone(), senders, journal, original);
    runner.serve(socket::serve(data.clone(), admin, parts.shutdown.clone()));
    runner.work(StoreSize::new(data.clone(), parts.embedded.clone(), parts.status.clone()));
    let noting = AccountHeartbeat {
        chains: parts.store.clone(),
        accounts: parts.account_store.clone(),
        origin: parts.origin.as_str().into(),
    };
    runner.work(noting.clone());
    Ok(noting)
}

fn count_payments(parts: &ServiceParts, runner: &mut Runner) -> anyhow::Result<()> {
    let places = parts.config.registry.places()?;
    if !places.is_empty() {
        let (store, billing) = (parts.store.clone(), parts.billing.clone());
        let provisional = parts.config.registry.provisional_seconds;
        let prover = parts.prover.clone();
        runner.work(CountPayments::new(places, store, prover, billing, provisional));
    }
    if let Some(terms) = parts.config.pass.terms()? {
        let (store, billing) = (parts.store.clone(), parts.billing.clone());
        runner.work(CountPasses::new(&terms, store, parts.prover.clone(), billing));
    }
    Ok(())
}

fn send_webhooks(parts: &ServiceParts, runner: &mut Runner) -> anyhow::Result<Arc<Webhooks>> {
    let webhooks = Webhooks::new(parts.accounts.clone(), parts.config.webhook.clone());
    let dues = parts.billing.clone();
    // where it cannot be read the rest of the service says so
    let owes = move |account| dues.due(account).is_ok_and(|due| due.is_some());
    let sender = Dispatcher::new(webhooks.clone(), parts.hub.clone(), owes);
    let sender = sender.context("cannot send to webhooks")?;
    runner.work(sender);
    Ok(webhooks)
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

pub(crate) fn anchored_blocks(store: &dyn Store, chain: ChainKey) -> u64 {
    read::load_chain_state(store, chain).ok().flatten().map_or(0, |state| state.block_count)
}
