//! The running service: one loop a chain, one that publishes, one that answers.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use rand::RngExt;
use superroot_accumulate::prove::Prover;
use superroot_accumulate::{Accumulator, Progress};
use superroot_api::{ChainStage, LeftOut, Point, StatusBoard};
use superroot_chain::ChainRow;
use superroot_collect::{CollectError, Collector, ErrorKind, Step};
use superroot_source::{BlockId, Source};
use superroot_store::{EmbeddedStore, Store, read};
use superroot_types::{ChainKey, Clock, Network, SystemClock};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::config::Config;

/// Longest wait for recordings to be collected before the first SuperRoot.
const FIRST_ROOT_WAIT: Duration = Duration::from_secs(60);
/// Time between looks for the first final block.
const FIRST_ROOT_POLL: Duration = Duration::from_millis(50);
/// First pause after a failure; each further one is twice as long.
const RETRY_MS: u64 = 250;

/// What is to be run.
pub(crate) struct Plan {
    pub(crate) config: Config,
    pub(crate) data: PathBuf,
    pub(crate) origin: String,
    pub(crate) chains: Vec<(ChainRow, Arc<dyn Source>)>,
}

/// A service whose loops run.
pub(crate) struct Service {
    pub(crate) url: String,
    pub(crate) prover: Prover,
    pub(crate) status: Arc<StatusBoard>,
    ready: Arc<AtomicBool>,
    shutdown: CancellationToken,
    tasks: JoinSet<anyhow::Result<()>>,
    shutdown_timeout: Duration,
}

/// Opens the data, takes the addresses and starts the loops.
pub(crate) async fn start(plan: Plan) -> anyhow::Result<Service> {
    let Plan { config, data, origin, chains } = plan;
    let listener = TcpListener::bind(config.server.listen)
        .await
        .with_context(|| format!("cannot listen on {}", config.server.listen))?;
    let url = format!("http://{}", listener.local_addr()?);
    let (store, accumulator) = open(&config, data, origin).await?;
    let prover = Prover::new(store.clone(), accumulator.board());
    let status = Arc::new(StatusBoard::new());
    let shutdown = CancellationToken::new();
    let mut tasks = JoinSet::new();
    let behind = Arc::new(AtomicUsize::new(chains.len()));
    let chain_config = Arc::new(config.clone());
    for (row, source) in chains {
        let collector = Collector::new(store.clone(), source, row.clone(), config.collector());
        let follow = Follow {
            store: store.clone(),
            collector,
            row,
            config: chain_config.clone(),
            status: status.clone(),
            behind: behind.clone(),
            shutdown: shutdown.clone(),
        };
        tasks.spawn(follow.run());
    }
    let beat = Duration::from_millis(config.accumulate.beat_ms);
    let ready = Arc::new(AtomicBool::new(false));
    let publisher = Publisher { beat, behind, ready: ready.clone(), shutdown: shutdown.clone() };
    tasks.spawn(publisher.run(accumulator));
    let api = superroot_api::Api {
        prover: prover.clone(),
        registry: Arc::new(superroot_chain::Registry::builtin().clone()),
        status: status.clone(),
        clock: Arc::new(SystemClock),
        config: config.api()?,
        ready: ready.clone(),
    };
    if let Some(address) = config.server.metrics_listen {
        let metrics = TcpListener::bind(address)
            .await
            .with_context(|| format!("cannot listen on {address} for metrics"))?;
        tasks.spawn(answer(metrics, superroot_api::metrics_router(recorder()?), shutdown.clone()));
    }
    let stopped = shutdown.clone().cancelled_owned();
    tasks.spawn(async move {
        superroot_api::serve(listener, api, stopped).await.context("the HTTP service failed")
    });
    let shutdown_timeout = Duration::from_millis(config.server.shutdown_timeout_ms);
    Ok(Service { url, prover, status, ready, shutdown, tasks, shutdown_timeout })
}

/// Gathers metrics from here on; a process has one recorder.
fn recorder() -> anyhow::Result<PrometheusHandle> {
    PrometheusBuilder::new().install_recorder().context("cannot gather metrics")
}

async fn open(
    config: &Config,
    data: PathBuf,
    origin: String,
) -> anyhow::Result<(Arc<dyn Store>, Accumulator)> {
    let settings = config.store();
    let opened = tokio::task::spawn_blocking(move || -> anyhow::Result<_> {
        let store = EmbeddedStore::open(&data, &settings)
            .with_context(|| format!("cannot open the data in {}", data.display()))?;
        let store: Arc<dyn Store> = Arc::new(store);
        let registry = superroot_chain::Registry::builtin().proof_registry().clone();
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

    /// Runs until a signal comes or a loop fails, then ends what has begun.
    pub(crate) async fn until_stopped(mut self) -> anyhow::Result<()> {
        let result = tokio::select! {
            ended = self.tasks.join_next() => ended_early(ended),
            stopped = stop_signal() => stopped.context("cannot hear signals"),
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

/// Ready when the process is asked to stop: Ctrl-C, or SIGTERM of a service manager.
pub(crate) async fn stop_signal() -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            interrupted = tokio::signal::ctrl_c() => interrupted,
            _ = terminate.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
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

/// The loop that publishes: the first SuperRoot at once, then on a steady beat, none when nothing
/// changed.
struct Publisher {
    beat: Duration,
    /// Chains that still take blocks which were final when the service began.
    behind: Arc<AtomicUsize>,
    ready: Arc<AtomicBool>,
    shutdown: CancellationToken,
}

impl Publisher {
    async fn run(self, mut accumulator: Accumulator) -> anyhow::Result<()> {
        let begun = Instant::now();
        loop {
            let caught_up = self.behind.load(Ordering::SeqCst) == 0;
            let is_first = accumulator.board().latest().is_none();
            if caught_up || !is_first || begun.elapsed() > FIRST_ROOT_WAIT {
                accumulator = step(accumulator).await?;
            }
            let stands = accumulator.board().latest().is_some();
            if caught_up && stands {
                self.ready.store(true, Ordering::SeqCst);
            }
            let pause = if caught_up && stands { self.beat } else { FIRST_ROOT_POLL };
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = self.shutdown.cancelled() => return Ok(()),
            }
        }
    }
}

async fn step(mut accumulator: Accumulator) -> anyhow::Result<Accumulator> {
    let now = SystemClock.now();
    let step = tokio::task::spawn_blocking(move || {
        let progress = accumulator.step(now);
        (accumulator, progress)
    });
    let (accumulator, progress) = step.await.context("the accumulator panicked")?;
    if let Progress::Advanced { sequence, hash, sealed_twigs } =
        progress.context("the accumulator stopped")?
    {
        tracing::info!(
            superroot.sequence = sequence,
            "SuperRoot {sequence} is {hash}, {sealed_twigs} twigs sealed"
        );
    }
    Ok(accumulator)
}

/// One chain's loop.
struct Follow {
    store: Arc<dyn Store>,
    collector: Collector,
    row: ChainRow,
    config: Arc<Config>,
    status: Arc<StatusBoard>,
    behind: Arc<AtomicUsize>,
    shutdown: CancellationToken,
}

impl Follow {
    async fn run(mut self) -> anyhow::Result<()> {
        let chain = self.row.key();
        let source_name = self.collector.source().name().to_owned();
        self.status.update(chain, |view| {
            view.state = ChainStage::Starting;
            view.sources = vec![source_name];
            view.source_count = 1;
        });
        let mut failures = 0_u32;
        let mut is_behind = true;
        let mut last_advance = Instant::now();
        loop {
            let step = tokio::select! {
                step = self.collector.step(SystemClock.now()) => step,
                () = self.shutdown.cancelled() => return Ok(()),
            };
            let pause = match step {
                Ok(step) => {
                    failures = 0;
                    let advanced = step.progress != superroot_collect::Progress::Idle;
                    if advanced {
                        last_advance = Instant::now();
                    }
                    let takes_final =
                        matches!(step.progress, superroot_collect::Progress::Final { .. });
                    self.show(chain, &step, last_advance).await?;
                    if !takes_final && is_behind {
                        is_behind = false;
                        self.behind.fetch_sub(1, Ordering::SeqCst);
                    }
                    if takes_final { Duration::ZERO } else { self.poll_interval() }
                }
                Err(error @ CollectError::Store(_)) if error.kind() == ErrorKind::Unavailable => {
                    return Err(error).context("the store takes no more writes");
                }
                Err(error) => {
                    self.status.update(chain, |view| view.last_error = Some(error.to_string()));
                    if matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::Bug) {
                        tracing::error!(chain.id = %self.row.id, "{} halted: {error}", self.row.name);
                        self.status.update(chain, |view| view.state = ChainStage::Stalled);
                        self.shutdown.cancelled().await;
                        return Ok(());
                    }
                    tracing::warn!(chain.id = %self.row.id, "{}: {error}", self.row.name);
                    failures = failures.saturating_add(1);
                    if last_advance.elapsed() > self.stalled_after() {
                        self.status.update(chain, |view| view.state = ChainStage::Stalled);
                    }
                    self.backoff(failures)
                }
            };
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = self.shutdown.cancelled() => return Ok(()),
            }
        }
    }

    fn poll_interval(&self) -> Duration {
        Duration::from_millis(self.config.collect.poll_interval_ms)
    }

    fn stalled_after(&self) -> Duration {
        Duration::from_millis(self.config.collect.stalled_after_ms)
    }

    /// Doubling pauses with jitter, so that many chains do not ask at one time.
    fn backoff(&self, failures: u32) -> Duration {
        let exponent = failures.saturating_sub(1).min(20);
        let pause = RETRY_MS.saturating_mul(1 << exponent).min(self.config.collect.retry_max_ms);
        Duration::from_millis(rand::rng().random_range(pause / 2..=pause))
    }

    /// Puts on the board what is held after the step: blocks that recomputed, not what was claimed.
    async fn show(
        &self,
        chain: ChainKey,
        step: &Step,
        last_advance: Instant,
    ) -> anyhow::Result<()> {
        let recorded = self.collector.source().network() == Network::Recorded;
        let stalled = !recorded && last_advance.elapsed() > self.stalled_after();
        let refused = match &step.progress {
            superroot_collect::Progress::Final { refused, .. } => refused.clone(),
            _ => Vec::new(),
        };
        let id = |tip: superroot_store::layout::Tip| BlockId { number: tip.number, hash: tip.hash };
        let wanted = [step.state.head.map(id), step.tip.safe, step.state.indexed.map(id)];
        let store = self.store.clone();
        let points = tokio::task::spawn_blocking(move || {
            wanted.map(|wanted| held_point(&*store, chain, wanted?))
        });
        let [head, safe, finalized] = points.await.context("reading held blocks panicked")?;
        self.status.update(chain, |view| {
            view.state = match (recorded, stalled) {
                (true, _) => ChainStage::Recorded,
                (false, true) => ChainStage::Stalled,
                (false, false) => ChainStage::Following,
            };
            (view.head, view.safe, view.finalized) = (head, safe, finalized);
            view.rule = if recorded { "as recorded" } else { "finalized tag" }.to_owned();
            if step.progress != superroot_collect::Progress::Idle {
                view.last_error = None;
            }
            view.left_out.extend(
                refused.into_iter().map(|one| LeftOut { number: one.number, reason: one.reason }),
            );
        });
        Ok(())
    }
}

/// A block that is held under that number and hash, with its time.
fn held_point(store: &dyn Store, chain: ChainKey, id: BlockId) -> Option<Point> {
    let row = read::load_block(store, chain, id.number).ok().flatten();
    let row = row.filter(|row| row.hash == id.hash)?;
    Some(Point { number: id.number, hash: id.hash, timestamp: row.timestamp })
}

/// Blocks that are anchored of a chain, for the screen.
pub(crate) fn anchored_blocks(store: &dyn Store, chain: ChainKey) -> u64 {
    read::load_chain_state(store, chain).ok().flatten().map_or(0, |state| state.block_count)
}
