//! `serve --replay` and `replay`: recorded blocks.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressStyle};
use superroot_accumulate::prove::Prover;
use superroot_chain::{ChainRow, Status};
use superroot_source::{Budget, Recordings, ReplayServer, Source};
use superroot_types::ChainKey;

use super::super::style::{FAINT, GOOD, HEADING, WARNING};
use super::{ReplayArgs, ServeArgs, print_ready};
use crate::chains;
use crate::config::Config;
use crate::follow::PlannedChain;
use crate::origin;
use crate::run::{self, Plan, Service, anchored_blocks};

/// Starts the service and waits until it is ready.
pub(super) async fn start(args: ServeArgs) -> anyhow::Result<Service> {
    let config = args.service.load(Vec::new())?;
    let mut chains = recorded(args.replay.clone()).await?;
    let wanted = chains::chosen(&args.chain, "--chain")?;
    for key in &wanted {
        let row = chains::known().by_key(*key).map(|(_, row)| row);
        if let Some(row) = row.filter(|row| row.status() == Status::Planned) {
            bail!("--chain {}: {} is planned, this build does not read it", row.slug, row.name);
        }
    }
    chains.retain(|(row, _)| wanted.is_empty() || wanted.contains(&row.key()));
    let count = chains.len();
    chains::leave_withdrawn(&mut chains);
    if count == 0 {
        bail!("none of the chains that are wanted is recorded in {}", shown(&args.replay));
    }
    let (data, configured, store) =
        (args.data.clone(), config.log.origin.clone(), config.store.clone());
    let origin = move || origin::of_recorded_log(&data, &configured, &store);
    let origin = tokio::task::spawn_blocking(origin).await??;
    say!("collecting {} recorded chains into {}", chains.len(), args.data.display());
    let rows: Vec<_> = chains.iter().map(|(row, _)| row.clone()).collect();
    let budget = Budget::of(config.source.in_hand_bytes_max);
    let plan = |(row, source)| planned(&config, &budget, row, source);
    let chains = chains.into_iter().map(plan).collect();
    let append_rows = args.service.append_rows;
    let plan = Plan { config, data: args.data, origin, chains, append_rows };
    let mut service = run::start(plan).await?;
    say!("listening on {}", service.url);
    let bar = ProgressBar::new_spinner().with_style(
        ProgressStyle::with_template("{spinner} {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_spinner()),
    );
    let showing = |prover: &Prover| {
        let held = |row: &ChainRow| anchored_blocks(prover.store(), row.key());
        let blocks: u64 = rows.iter().map(held).sum();
        bar.set_message(format!("{blocks} blocks collected"));
        bar.tick();
    };
    service.ready(showing).await?;
    bar.finish_and_clear();
    for row in rows {
        let blocks = anchored_blocks(service.prover.store(), row.key());
        let view = superroot_api::ChainStatus::status(&*service.status, row.key());
        let left_out = match view.left_out.len() {
            0 => String::new(),
            count => format!(", {WARNING}{count} left out{WARNING:#} (/api/v1/chains says why)"),
        };
        say!("  {HEADING}{}{HEADING:#}: {blocks} anchored{left_out}", row.name);
    }
    if service.prover.latest().is_none() {
        say!(
            "{WARNING}nothing to prove{WARNING:#}: none of the recorded blocks could be recomputed; \
             {}/api/v1/chains says why of each",
            service.url
        );
        return Ok(service);
    }
    print_ready(&service);
    Ok(service)
}

/// A chain of recordings or simulation: all of it is kept.
pub(super) fn planned(
    config: &Config,
    budget: &Budget,
    row: ChainRow,
    source: Arc<dyn Source>,
) -> PlannedChain {
    let (collect, budget) = (config.collect.clone(), budget.clone());
    PlannedChain { row, source, collect, budget }
}

/// The collected chains of the folders as sources; what is left out is told.
async fn recorded(folders: Vec<PathBuf>) -> anyhow::Result<Vec<(ChainRow, Arc<dyn Source>)>> {
    let recordings = open_recordings(folders).await?;
    let mut chains: Vec<(ChainRow, Arc<dyn Source>)> = Vec::new();
    let (mut planned, mut blocks) = (0_usize, 0_usize);
    for recorded in recordings.chains() {
        let row = chains::known().by_key(recorded.chain).map(|(_, row)| row);
        let Some(row) = row else { continue };
        if row.status() != Status::Collected {
            let count = recorded.block_count;
            tracing::info!("left out {}: {count} blocks, planned", row.name);
            (planned, blocks) = (planned + 1, blocks + count);
            continue;
        }
        chains.push((row.clone(), Arc::new(recordings.source(recorded.chain)?)));
    }
    if planned > 0 {
        say!(
            "  {FAINT}left out{FAINT:#} {blocks} blocks of {planned} planned chains; --log info names \
             them"
        );
    }
    Ok(chains)
}

fn shown(folders: &[PathBuf]) -> String {
    let names: Vec<_> = folders.iter().map(|folder| folder.display().to_string()).collect();
    names.join(", ")
}

async fn open_recordings(folders: Vec<PathBuf>) -> anyhow::Result<Arc<Recordings>> {
    let names = shown(&folders);
    let opened =
        tokio::task::spawn_blocking(move || Recordings::open(&folders, chains::known())).await?;
    let recordings = Arc::new(opened.with_context(|| format!("cannot read recordings {names}"))?);
    for one in recordings.left_out() {
        let (id, network, count, why) = (one.chain_id, &one.network, one.block_count, one.why);
        tracing::info!("left out {network} ({id}): {count} blocks, {why}");
    }
    let networks = recordings.left_out().len();
    let blocks: usize = recordings.left_out().iter().map(|one| one.block_count).sum();
    if networks > 0 {
        say!(
            "  {FAINT}left out{FAINT:#} {blocks} blocks of {networks} networks; --log info names them"
        );
    }
    Ok(recordings)
}

pub(super) async fn replay(args: ReplayArgs) -> anyhow::Result<()> {
    let recordings = open_recordings(vec![args.folder]).await?;
    let server = ReplayServer::bind(args.listen, recordings.clone()).await?;
    let url = format!("http://{}", server.address());
    for recorded in recordings.chains() {
        let ChainKey { id, .. } = recorded.chain;
        let (count, first, last) = (recorded.block_count, recorded.first, recorded.tip.number);
        put!("{url}/{id}  {count} blocks, {first} to {last}");
    }
    put!("{GOOD}ready{GOOD:#}: JSON-RPC on {url}/<chain id>, a list on {url}/");
    server
        .run(async {
            let _ = crate::stop::requested().await;
        })
        .await?;
    Ok(())
}
