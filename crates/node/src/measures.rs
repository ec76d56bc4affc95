//! What is counted, at zero from the start: what never happened is then seen not to have happened.

use std::time::Duration;

use anyhow::Context;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use superroot_chain::Check;
use superroot_socket::Bounds;
use superroot_types::UnixSeconds;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::listen::ListenAddress;
use crate::stage::{self, Failure, StageName, Work};

/// Connections to the metrics at one time: whoever reads them needs one, and the service keeps its descriptors.
const CONNECTIONS_MAX: usize = 16;
/// Time that one of them may be idle: longer than from one look of a monitor to the next.
const IDLE: Duration = Duration::from_secs(150);
/// Time between looks at what was measured.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);
/// Bounds of what is counted by time, in seconds: a remembered proof takes a tenth of a millisecond, a silent node tens of
/// seconds.
const BUCKETS: [f64; 17] = [
    0.0001, 0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
    5.0, 10.0, 60.0,
];
/// What each metric tells.
const TABLE: &str = include_str!("../../../docs/metrics.md");
/// Counters of a chain.
const OF_A_CHAIN: [&str; 9] = [
    "superroot_collect_backfilled_blocks_total",
    "superroot_collect_final_blocks_total",
    "superroot_collect_refused_blocks_total",
    "superroot_collect_reorgs_total",
    "superroot_collect_repaired_blocks_total",
    "superroot_collect_retractions_total",
    "superroot_source_calls_total",
    "superroot_source_disagreements_total",
    "superroot_source_wrong_total",
];
/// Counters of the service.
const OF_THE_SERVICE: [&str; 2] =
    ["superroot_accumulate_super_roots_total", "superroot_accumulate_sealed_twigs_total"];
/// Counter of checks that failed, by chain and check.
const FAILED_CHECKS: &str = "superroot_collect_failed_checks_total";

/// Counter of blocks taken without a part of their body, by chain and check.
const WITHHELD_BODIES: &str = "superroot_collect_withheld_bodies_total";

/// Where `/metrics` is served from, and what has been gathered so far.
pub(crate) struct Metrics {
    pub(crate) listener: TcpListener,
    pub(crate) handle: PrometheusHandle,
}

/// Takes the address and gathers from here on; a process has one recorder.
pub(crate) async fn open(
    address: ListenAddress,
    chains: impl Iterator<Item = &str>,
) -> anyhow::Result<Metrics> {
    let listener = TcpListener::bind(address.0).await;
    let listener = listener.with_context(|| format!("cannot listen on {address} for metrics"))?;
    let builder = PrometheusBuilder::new().set_buckets(&BUCKETS).context("no buckets")?;
    let handle = builder.install_recorder().context("cannot gather metrics")?;
    describe();
    register(chains);
    Ok(Metrics { listener, handle })
}

/// Serves them until `shutdown`.
pub(crate) async fn serve(
    listener: TcpListener,
    handle: PrometheusHandle,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let (routes, stopped) = (superroot_api::metrics_router(handle), shutdown.cancelled_owned());
    let bounds = Bounds::new(IDLE, CONNECTIONS_MAX);
    let served = superroot_socket::serve(listener, routes, bounds, stopped).await;
    served.context("the metrics cannot be served")
}

/// Says of each metric what the documents say of it, in the first cell of its row the name, in the last what it tells.
fn describe() {
    for row in TABLE.lines().filter(|line| line.starts_with("| `superroot_")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, name, kind, .., about, _] = &cells[..] else { continue };
        let (name, about) = (name.trim_matches('`').to_owned(), about.replace('`', ""));
        match *kind {
            "counter" => metrics::describe_counter!(name, about),
            "gauge" => metrics::describe_gauge!(name, about),
            _ => metrics::describe_histogram!(name, about),
        }
    }
    process().describe();
}

/// What every process is measured by: `process_resident_memory_bytes`, `process_open_fds` and others.
fn process() -> metrics_process::Collector {
    metrics_process::Collector::default()
}

/// Folds what was measured into its buckets now and then: nobody may ever come to fetch it.
pub(crate) struct Upkeep(pub(crate) PrometheusHandle);

impl Work for Upkeep {
    fn name(&self) -> StageName {
        StageName::MetricsUpkeep
    }

    fn step(&mut self, _: UnixSeconds) -> Result<Duration, Failure> {
        self.0.run_upkeep();
        process().collect();
        Ok(UPKEEP_INTERVAL)
    }
}

/// Makes every counter that is known beforehand.
fn register<'a>(chains: impl Iterator<Item = &'a str>) {
    stage::register();
    for name in OF_THE_SERVICE {
        metrics::counter!(name).increment(0);
    }
    let checks: Vec<&str> =
        Check::ALL.iter().map(|check| check.name()).chain(superroot_collect::OWN_CHECKS).collect();
    for chain in chains {
        for name in OF_A_CHAIN {
            metrics::counter!(name, "chain" => chain.to_owned()).increment(0);
        }
        for check in &checks {
            let labels = [("chain", chain.to_owned()), ("check", (*check).to_owned())];
            metrics::counter!(FAILED_CHECKS, &labels).increment(0);
            metrics::counter!(WITHHELD_BODIES, &labels).increment(0);
        }
    }
}
