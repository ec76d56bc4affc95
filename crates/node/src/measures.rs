//! Metrics, initialized at zero, so that an event without occurrences is visible.

use std::time::Duration;

use anyhow::Context;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use superroot_chain::BlockCheck;
use superroot_socket::ConnectionBounds;
use superroot_types::UnixSeconds;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::listen::ListenAddress;
use crate::stage::{self, BlockingStage, StageFailure, StageName};

/// Most concurrent metrics connections. A reader needs one, and the service needs its descriptors.
const CONNECTIONS_MAX: usize = 16;
/// Idle limit for a metrics connection: longer than a monitor's scrape interval.
const IDLE: Duration = Duration::from_secs(150);
const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);
/// Histogram bounds in seconds: a cached proof takes a tenth of a millisecond, a silent node tens of seconds.
const BUCKETS: [f64; 17] = [
    0.0001, 0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
    5.0, 10.0, 60.0,
];
const TABLE: &str = include_str!("../../../docs/metrics.md");
const OF_A_CHAIN: [&str; 11] = [
    "superroot_collect_backfilled_blocks_total",
    "superroot_collect_final_blocks_total",
    "superroot_collect_refused_blocks_total",
    "superroot_collect_reorgs_total",
    "superroot_collect_repaired_blocks_total",
    "superroot_collect_retractions_total",
    "superroot_finality_contradictions_total",
    "superroot_finality_evidence_total",
    "superroot_source_calls_total",
    "superroot_source_disagreements_total",
    "superroot_source_wrong_total",
];
const OF_THE_SERVICE: [&str; 2] =
    ["superroot_accumulate_super_roots_total", "superroot_accumulate_sealed_twigs_total"];
const FAILED_CHECKS: &str = "superroot_collect_failed_checks_total";

/// Blocks taken without a part of their body, by chain and check.
const WITHHELD_BODIES: &str = "superroot_collect_withheld_bodies_total";

pub(crate) struct Metrics {
    pub(crate) listener: TcpListener,
    pub(crate) handle: PrometheusHandle,
}

/// Binds the address and installs the recorder, one per process.
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

pub(crate) async fn serve(
    listener: TcpListener,
    handle: PrometheusHandle,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let routes = superroot_api::metrics_router(handle);
    let stopped = shutdown.cancelled_owned();
    let bounds = ConnectionBounds::new(IDLE, CONNECTIONS_MAX);
    let served = superroot_socket::serve(listener, routes, bounds, stopped).await;
    served.context("the metrics cannot be served")
}

/// Registers metric descriptions from the documentation: name in the first cell of a row, description in the last.
fn describe() {
    for row in TABLE.lines().filter(|line| line.starts_with("| `superroot_")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, name, kind, .., about, _] = &cells[..] else { continue };
        let name = name.trim_matches('`').to_owned();
        let about = about.replace('`', "");
        match *kind {
            "counter" => metrics::describe_counter!(name, about),
            "gauge" => metrics::describe_gauge!(name, about),
            _ => metrics::describe_histogram!(name, about),
        }
    }
    process().describe();
}

/// Process metrics: `process_resident_memory_bytes`, `process_open_fds` and others.
fn process() -> metrics_process::Collector {
    metrics_process::Collector::default()
}

/// Folds samples into buckets from time to time, even if no monitor fetches them.
pub(crate) struct Upkeep(pub(crate) PrometheusHandle);

impl BlockingStage for Upkeep {
    fn name(&self) -> StageName {
        StageName::MetricsUpkeep
    }

    fn step(&mut self, _: UnixSeconds) -> Result<Duration, StageFailure> {
        self.0.run_upkeep();
        process().collect();
        Ok(UPKEEP_INTERVAL)
    }
}

fn register<'a>(chains: impl Iterator<Item = &'a str>) {
    stage::register();
    for name in OF_THE_SERVICE {
        metrics::counter!(name).increment(0);
    }
    let checks: Vec<&str> = BlockCheck::ALL
        .iter()
        .map(|check| check.name())
        .chain(superroot_collect::OWN_CHECKS)
        .collect();
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
