//! `witness`: cosigns what logs publish, until it is stopped.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use superroot_proof::note::KeyKind;
use superroot_socket::Bounds;
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

/// A connection on which nothing could be written for that long is closed.
const IDLE: Duration = Duration::from_secs(50);
/// Connections at one time; logs and readers open one each.
const CONNECTIONS_MAX: usize = 4_096;
/// Time that open requests get at the end.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);
/// A witness holds a row a log: it needs little memory.
const CACHE_BYTES: u64 = 16 << 20;

/// Arguments of `witness`.
#[derive(Debug, Args)]
pub(crate) struct WitnessArgs {
    /// Address of the witness; port 0 takes a free one.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8090")]
    listen: ListenAddress,
    /// Folder of what was cosigned, and of evidence against logs; made if it is not there. A witness
    /// that loses it is of no use: it could cosign another history.
    #[arg(long, value_name = "DIR", default_value = "witness-data")]
    data: PathBuf,
    /// File with the witness's key: `superroot key new FILE --witness NAME` makes one.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// Key of a log to witness (name+id+base64), as its operator publishes it, behind the log's origin where
    /// that is not the key's name. May be given several times; two keys of one origin are two keys of one log.
    #[arg(long, value_name = "[ORIGIN=]VKEY", required = true)]
    log_key: Vec<WitnessedKey>,
    /// Address of /metrics.
    #[arg(long, value_name = "ADDR")]
    metrics_listen: Option<ListenAddress>,
}

/// Runs until it is told to stop, or until nothing can be stored any more.
pub(crate) async fn run(args: WitnessArgs) -> anyhow::Result<()> {
    let signer = log_key::read(&args.key)?;
    if signer.verifier().kind() != KeyKind::Witness {
        bail!("{} is the key of a log, not of a witness", args.key.display());
    }
    let listener = TcpListener::bind(args.listen.0).await;
    let listener = listener.with_context(|| format!("cannot listen on {}", args.listen))?;
    let (shutdown, failed) = (CancellationToken::new(), CancellationToken::new());
    let mut runner = Runner::new(shutdown.clone());
    if let Some(address) = args.metrics_listen {
        let opened = measures::open(address, std::iter::empty()).await?;
        let Metrics { listener, handle } = opened;
        say!("metrics on http://{}/metrics", listener.local_addr()?);
        runner.work(Upkeep(handle.clone()));
        runner.serve(measures::serve(listener, handle, shutdown.clone()));
    }
    let (data, keys) = (args.data.clone(), args.log_key);
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
    let bounds = Bounds::new(IDLE, connections_max);
    let served = superroot_socket::serve(listener, routes, bounds, stopped).await;
    served.context("the HTTP service failed")
}
