//! The running service: one loop a chain, one that publishes, one that answers.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use superroot_account::{AccountService, ContractCaller};
use superroot_accumulate::Accumulator;
use superroot_accumulate::prove::Prover;
use superroot_api::{ChainStage, StatusBoard};
use superroot_chain::{ChainRow, Status};
use superroot_collect::Collector;
use superroot_source::{Budget, Source};
use superroot_store::{EmbeddedStore, Store, StoreError, read};
use superroot_types::{ChainId, ChainKey, Network, SystemClock};
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::accounts::{self, Loops};
use crate::admin::{Admin, Hand, Journal, socket};
use crate::chains;
use crate::config::Config;
use crate::contract_calls::ContractCalls;
use crate::follow::{self, Follow, Reachable};
use crate::measures::{self, Metrics};
use crate::publish::{Behind, FIRST_ROOT_POLL, Publisher, Searches};
use crate::screen::Screen;
use crate::stop;

/// Time between looks at the size of the data folder.
const MEASURE_INTERVAL: Duration = Duration::from_secs(60);
/// A command that acts on a data folder which no service holds is done, or has failed, within that
/// time.
const LOCK_WAIT: Duration = Duration::from_secs(3);
/// Time between tries to take the folder.
const LOCK_INTERVAL: Duration = Duration::from_millis(100);

/// What is to be run.
pub(crate) struct Plan {
    pub(crate) config: Config,
    pub(crate) data: PathBuf,
    pub(crate) origin: String,
    pub(crate) chains: Vec<PlannedChain>,
    /// Whether rows of `--chains` that the standing log lacks may enter it.
    pub(crate) append_rows: bool,
}

/// A chain with its source, and how it is collected and followed.
pub(crate) struct PlannedChain {
    pub(crate) row: ChainRow,
    pub(crate) source: Arc<dyn Source>,
    pub(crate) collect: superroot_collect::Config,
    /// Bytes in hand, of all chains together.
    pub(crate) budget: Budget,
}

impl PlannedChain {
    /// What collects it into that store.
    pub(crate) fn collector(&self, store: Arc<dyn Store>) -> Collector {
        let (source, row, collect) = (self.source.clone(), self.row.clone(), self.collect.clone());
        Collector::new(store, source, row, collect).within(&self.budget)
    }
}

/// A service whose loops run.
pub(crate) struct Service {
    pub(crate) url: String,
    pub(crate) prover: Prover,
    pub(crate) status: Arc<StatusBoard>,
    pub(crate) accounts: Arc<AccountService>,
    ready: Arc<AtomicBool>,
    shutdown: CancellationToken,
    tasks: JoinSet<anyhow::Result<()>>,
    shutdown_timeout: Duration,
}

/// Opens the data, takes the addresses and starts the loops.
pub(crate) async fn start(plan: Plan) -> anyhow::Result<Service> {
    let Plan { config, data, origin, chains, append_rows } = plan;
    let listener = TcpListener::bind(config.server.listen)
        .await
        .with_context(|| format!("cannot listen on {}", config.server.listen))?;
    let listen = listener.local_addr()?;
    let url = format!("http://{listen}");
    let (store, accumulator) = open(&config, data.clone(), origin).await?;
    chains::take_up(&accumulator.appended()?, append_rows)?;
    let billing = accounts::open(&config, &data).await?;
    let accounts = billing.accounts().clone();
    let prover = Prover::new(store.clone(), accumulator.board());
    let status = Arc::new(StatusBoard::new());
    let contracts = contract_calls(&config, &chains);
    let shutdown = CancellationToken::new();
    let mut tasks = JoinSet::new();
    if let Some(address) = config.server.metrics_listen {
        let slugs = chains.iter().map(|chain| chain.row.slug.as_str());
        let Metrics { listener, handle } = measures::open(address, slugs).await?;
        say!("metrics on http://{}/metrics", listener.local_addr()?);
        tasks.spawn(measures::keep(handle.clone(), shutdown.clone()));
        tasks.spawn(answer(listener, superroot_api::metrics_router(handle), shutdown.clone()));
    }
    for row in chains::known().rows().iter().filter(|row| row.status() == Status::Collected) {
        status.update(row.key(), |view| view.state = ChainStage::NotFollowed);
    }
    for (row, from) in chains::withdrawn() {
        status.update(row.key(), |view| view.withdraw(from));
    }
    for chain in &chains {
        status.update(chain.row.key(), |view| view.state = ChainStage::Starting);
    }
    let (behind, network) = (Behind::default(), Arc::new(Reachable::default()));
    let searches = Searches::default();
    let mut hands = Vec::with_capacity(chains.len());
    for chain in chains {
        let (hand, orders) = Hand::new(chain.row.clone());
        hands.push(hand);
        let (store, status, behind) = (store.clone(), status.clone(), behind.one());
        let (network, shutdown) = (network.clone(), shutdown.clone());
        let searches = searches.clone();
        let shared = follow::Shared { store, status, network, behind, searches, orders, shutdown };
        tasks.spawn(Follow::new(chain, shared).run());
    }
    let journal = Journal::open(&data).context("cannot open admin.log of the data folder")?;
    let admin = Admin::new(store.clone(), billing.clone(), hands, journal);
    tasks.spawn(socket::serve(data.clone(), admin, shutdown.clone()));
    tasks.spawn(measure(data, status.clone(), shutdown.clone()));
    let loops = Loops { billing: billing.clone(), listen, shutdown: shutdown.clone() };
    loops.spawn(&mut tasks);
    let beat = Duration::from_millis(config.accumulate.beat_ms);
    let ready = Arc::new(AtomicBool::new(false));
    let is_recorded = prover.network() == Network::Recorded;
    let publisher = Publisher {
        beat,
        behind,
        searches,
        is_recorded,
        ready: ready.clone(),
        shutdown: shutdown.clone(),
    };
    tasks.spawn(publisher.run(accumulator));
    let api = superroot_api::Api {
        prover: prover.clone(),
        registry: Arc::new(chains::known().clone()),
        status: status.clone(),
        accounts: accounts.clone(),
        billing,
        contracts,
        clock: Arc::new(SystemClock),
        config: config.api.clone(),
        ready: ready.clone(),
    };
    let stopped = shutdown.clone().cancelled_owned();
    tasks.spawn(async move {
        superroot_api::serve(listener, api, stopped).await.context("the HTTP service failed")
    });
    let shutdown_timeout = Duration::from_millis(config.server.shutdown_timeout_ms);
    Ok(Service { url, prover, status, accounts, ready, shutdown, tasks, shutdown_timeout })
}

/// What asks the nodes of these chains about contract wallets: within four fifths of what a request
/// may take, so that a silent node is told from a slow service.
fn contract_calls(config: &Config, chains: &[PlannedChain]) -> Arc<dyn ContractCaller> {
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

/// Tells now and then how large the data folder is.
async fn measure(
    data: PathBuf,
    status: Arc<StatusBoard>,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    loop {
        let folder = data.clone();
        let bytes = tokio::task::spawn_blocking(move || bytes_below(&folder)).await;
        let bytes = bytes.context("measuring the data folder panicked")?;
        status.set_store_bytes(bytes);
        metrics::gauge!("superroot_node_store_bytes").set(bytes as f64);
        tokio::select! {
            () = tokio::time::sleep(MEASURE_INTERVAL) => {}
            () = shutdown.cancelled() => return Ok(()),
        }
    }
}

/// What all files below a folder take on disk, as far as they can be seen; files come and go meanwhile.
/// Journals are longer than that: room is set aside in them that nothing was written to.
fn bytes_below(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = entries.map(|entry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => bytes_below(&entry.path()),
        Ok(metadata) => bytes_on_disk(&metadata),
        Err(_) => 0,
    });
    bytes.sum()
}

#[cfg(unix)]
fn bytes_on_disk(metadata: &std::fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    // the system counts in units of 512 bytes, whatever the blocks of the disk are
    metadata.blocks().saturating_mul(512)
}

#[cfg(not(unix))]
fn bytes_on_disk(metadata: &std::fs::Metadata) -> u64 {
    metadata.len()
}

/// Opens a store, also where a command has it for a moment.
pub(crate) fn patiently(
    open: impl Fn() -> Result<EmbeddedStore, StoreError>,
) -> Result<EmbeddedStore, StoreError> {
    let begun = Instant::now();
    loop {
        match open() {
            Err(StoreError::Locked { .. }) if begun.elapsed() < LOCK_WAIT => {
                std::thread::sleep(LOCK_INTERVAL);
            }
            opened => return opened,
        }
    }
}

async fn open(
    config: &Config,
    data: PathBuf,
    origin: String,
) -> anyhow::Result<(Arc<dyn Store>, Accumulator)> {
    let settings = config.store.clone();
    let opened = tokio::task::spawn_blocking(move || -> anyhow::Result<_> {
        let store = patiently(|| EmbeddedStore::open(&data, &settings))
            .with_context(|| format!("cannot open the data in {}", data.display()))?;
        let store: Arc<dyn Store> = Arc::new(store);
        let registry = chains::known().proof_registry().clone();
        let accumulator = Accumulator::open(store.clone(), registry, &origin)
            .with_context(|| format!("cannot open the log in {}", data.display()))?;
        Ok((store, accumulator))
    });
    opened.await.context("opening the data panicked")?
}

impl Service {
    /// Waits until what was final at the start is anchored, or a loop fails. `waiting` is called now
    /// and then.
    pub(crate) async fn ready(&mut self, mut waiting: impl FnMut(&Prover)) -> anyhow::Result<()> {
        loop {
            tokio::select! {
                ended = self.tasks.join_next() => return ended_early(ended),
                () = tokio::time::sleep(FIRST_ROOT_POLL) => {}
            }
            if self.ready.load(Ordering::SeqCst) {
                return Ok(());
            }
            waiting(&self.prover);
        }
    }

    /// Shows these chains to the person at the terminal until the service stops.
    pub(crate) fn show(&mut self, rows: Vec<ChainRow>) {
        let screen = Screen {
            url: self.url.clone(),
            prover: self.prover.clone(),
            status: self.status.clone(),
            rows,
            shutdown: self.shutdown.clone(),
        };
        self.tasks.spawn(screen.run());
    }

    /// Runs until a signal comes or a loop fails, then ends what has begun.
    pub(crate) async fn until_stopped(mut self) -> anyhow::Result<()> {
        let result = tokio::select! {
            ended = self.tasks.join_next() => ended_early(ended),
            stopped = stop::requested() => stopped.context("cannot hear signals"),
        };
        tracing::info!("stopping");
        self.shutdown.cancel();
        let rest = async {
            while let Some(ended) = self.tasks.join_next().await {
                if let Ok(Err(error)) = ended {
                    tracing::warn!("while stopping: {error:#}");
                }
            }
        };
        if tokio::time::timeout(self.shutdown_timeout, rest).await.is_err() {
            tracing::warn!("open requests did not end in time and were cut off");
        }
        accounts::last_flush(self.accounts).await;
        result
    }
}

fn ended_early(
    ended: Option<Result<anyhow::Result<()>, tokio::task::JoinError>>,
) -> anyhow::Result<()> {
    match ended {
        None => bail!("every loop has ended"),
        Some(Ok(Ok(()))) => bail!("a loop ended before it was told to"),
        Some(Ok(Err(error))) => Err(error),
        Some(Err(error)) => Err(error).context("a loop panicked"),
    }
}

async fn answer(
    listener: TcpListener,
    router: axum::Router,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let service = router.into_make_service_with_connect_info::<std::net::SocketAddr>();
    axum::serve(listener, service)
        .with_graceful_shutdown(async move { shutdown.cancelled().await })
        .await
        .context("the HTTP service failed")
}

/// Blocks that are anchored of a chain, for the screen.
pub(crate) fn anchored_blocks(store: &dyn Store, chain: ChainKey) -> u64 {
    read::load_chain_state(store, chain).ok().flatten().map_or(0, |state| state.block_count)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `du` counts: a journal with room set aside for later takes what was written to it.
    #[cfg(unix)]
    #[test]
    fn room_that_is_set_aside_is_no_data() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("db");
        std::fs::create_dir(&below).unwrap();
        let journal = std::fs::File::create(below.join("journal")).unwrap();
        journal.set_len(64 << 20).unwrap();
        assert!(bytes_below(folder.path()) < 1 << 20);
        std::fs::write(below.join("blocks"), vec![7; 3 << 20]).unwrap();
        let bytes = bytes_below(folder.path());
        assert!((3 << 20..4 << 20).contains(&bytes), "{bytes}");
    }
}
