//! `witness`: cosigns logs until stopped.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use superroot_proof::note::KeyKind;
use superroot_socket::ConnectionBounds;
use superroot_store::{EmbeddedConfig, EmbeddedStore};
use superroot_types::SystemClock;
use superroot_witness::{Witness, WitnessedKey, router};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::style::{GOOD, HEADING};
use crate::claim;
use crate::folder::patiently;
use crate::limits;
use crate::listen::ListenAddress;
use crate::log_key;
use crate::measures::{self, Metrics, Upkeep};
use crate::stage::Runner;
use crate::stop;

/// Write stall after which a connection is closed.
const IDLE: Duration = Duration::from_secs(50);
/// Most concurrent connections. Logs and readers open one each.
const CONNECTIONS_MAX: usize = 4_096;
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);
/// Small, because a witness stores one row per log.
const CACHE_BYTES: u64 = 16 << 20;

/// Arguments of `witness`.
#[derive(Debug, Args)]
pub(crate) struct WitnessArgs {
    /// Witness address; port 0 selects a free port.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8090")]
    listen: ListenAddress,
    /// Folder for cosigned states and evidence against logs; created if missing. A witness that loses the folder is
    /// useless, because it could cosign another history.
    #[arg(long, value_name = "DIR", default_value = "witness-data")]
    data: PathBuf,
    /// Witness key file, created by `superroot key new FILE --witness NAME`.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// Log key to witness (name+id+base64), as published by the operator, after the log's origin if different from the
    /// key name. May be repeated; two keys with one origin belong to one log.
    #[arg(long, value_name = "[ORIGIN=]VKEY", required = true)]
    log_key: Vec<WitnessedKey>,
    /// Address of /metrics.
    #[arg(long, value_name = "ADDR")]
    metrics_listen: Option<ListenAddress>,
}

/// Runs until stopped, or until a storage failure.
pub(crate) async fn run(args: WitnessArgs) -> anyhow::Result<()> {
    let signer = log_key::read(&args.key)?;
    if signer.verifier().kind() != KeyKind::Witness {
        bail!("{} is the key of a log, not of a witness", args.key.display());
    }
    let listener = TcpListener::bind(args.listen.0).await;
    let listener = listener.with_context(|| format!("cannot listen on {}", args.listen))?;
    let shutdown = CancellationToken::new();
    let failed = CancellationToken::new();
    let mut runner = Runner::new(shutdown.clone());
    if let Some(address) = args.metrics_listen {
        let opened = measures::open(address, std::iter::empty()).await?;
        let Metrics { listener, handle } = opened;
        say!("metrics on http://{}/metrics", listener.local_addr()?);
        runner.work(Upkeep(handle.clone()));
        runner.serve(measures::serve(listener, handle, shutdown.clone()));
    }
    let data = args.data.clone();
    let keys = args.log_key;
    let open = move || -> anyhow::Result<Witness> {
        let shown = data.display();
        let config = EmbeddedConfig { cache_bytes: CACHE_BYTES, ..EmbeddedConfig::default() };
        let store = patiently(|| EmbeddedStore::open(&data, &config))
            .with_context(|| format!("cannot open the data in {shown}"))?;
        let evidence = data.join("evidence");
        Witness::open(signer, Arc::new(store), keys, evidence)
            .with_context(|| format!("cannot witness from {shown}"))
    };
    let begun =
        async { tokio::task::spawn_blocking(open).await.context("opening the data panicked")? };
    let witness = Arc::new(claim::starting(&args.data, &args.key, begun).await?);
    put!();
    put!("{GOOD}ready{GOOD:#}  {HEADING}http://{}{HEADING:#}", listener.local_addr()?);
    put!("  witness   {}", witness.key());
    for (origin, size) in witness.sizes()? {
        put!("  log       {origin}, size {size}");
    }
    put!();
    let routes = router(witness, Arc::new(SystemClock), failed.clone());
    runner.serve(serve(listener, routes, shutdown));
    let ended = tokio::select! {
        error = runner.ended() => Err(error),
        () = failed.cancelled() => Err(anyhow::anyhow!("nothing can be stored any more")),
        stopped = stop::requested() => stopped.context("cannot hear signals"),
    };
    runner.stop(SHUTDOWN_TIMEOUT).await;
    ended
}

async fn serve(
    listener: TcpListener,
    routes: axum::Router,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let stopped = shutdown.cancelled_owned();
    let connections_max = limits::connections(CONNECTIONS_MAX);
    let bounds = ConnectionBounds::new(IDLE, connections_max);
    let served = superroot_socket::serve(listener, routes, bounds, stopped).await;
    served.context("the HTTP service failed")
}
