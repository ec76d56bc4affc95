//! `serve --replay` and `replay`: recorded blocks.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, bail};
use superroot_accumulate::prove::Prover;
use superroot_chain::ChainSpec;
use superroot_source::{BlockSource, Budget, Recordings, ReplayServer};
use superroot_types::ChainKey;

use super::super::progress::bar;
use super::super::style::{GOOD, WARNING};
use super::{ReplayArgs, ServeArgs, print_ready, tell_publishing};
use crate::chains;
use crate::claim;
use crate::config::ServiceConfig;
use crate::follow::PlannedChain;
use crate::log_key;
use crate::origin;
use crate::run::{self, RunPlan, RunningStages, anchored_blocks};

pub(super) async fn start(args: ServeArgs) -> anyhow::Result<RunningStages> {
    let config = args.service.load(Vec::new())?;
    let mut chains = recorded(args.replay.clone()).await?;
    let wanted = chains::chosen(&args.chain, "--chain")?;
    chains.retain(|(row, _)| wanted.is_empty() || wanted.contains(&row.key()));
    let count = chains.len();
    chains::leave_withdrawn(&mut chains);
    if count == 0 {
        bail!("none of the chains that are wanted is recorded in {}", shown(&args.replay));
    }
    let keys: Vec<_> = chains.iter().map(|(row, _)| row.key()).collect();
    let budget = Budget::of(config.source.in_hand_bytes_max);
    let plan = |(row, source)| planned(&config, &budget, row, source);
    let chains: Vec<_> = chains.into_iter().map(plan).collect();
    let append_rows = args.service.append_rows;
    let accept_accounts = args.service.accept_accounts;
    let key = log_key::path(&args.data, &config.log);
    let begun = async {
        let origin = origin::of_recorded_log(&args.data, &config.log.origin)?;
        say!("collecting {} recorded chains into {}", keys.len(), args.data.display());
        let data = args.data.clone();
        let is_kept = true;
        let own = None;
        let plan =
            RunPlan { config, data, is_kept, origin, chains, append_rows, accept_accounts, own };
        run::start(plan).await
    };
    let mut service = claim::starting(&args.data, &key, begun).await?;
    say!("listening on {}", service.url);
    let bar = bar(0, "{spinner} {msg}");
    let showing = |prover: &Prover| {
        let blocks: u64 = keys.iter().map(|key| anchored_blocks(prover.store(), *key)).sum();
        bar.set_message(format!("{blocks} blocks collected"));
        bar.tick();
    };
    service.ready(showing).await?;
    bar.finish_and_clear();
    if service.prover.latest().is_none() {
        say!(
            "{WARNING}nothing to prove{WARNING:#}: none of the recorded blocks could be recomputed; \
             {}/api/v1/chains says why of each",
            service.url
        );
        tell_publishing(&service);
        return Ok(service);
    }
    print_ready(&service);
    Ok(service)
}

/// Recorded or simulated chain, stored completely.
pub(super) fn planned(
    config: &ServiceConfig,
    budget: &Budget,
    row: ChainSpec,
    source: Arc<dyn BlockSource>,
) -> PlannedChain {
    let collect = config.collect.clone();
    let budget = budget.clone();
    PlannedChain { row, source, collect, budget, finality: None, gate: None }
}

async fn recorded(folders: Vec<PathBuf>) -> anyhow::Result<Vec<(ChainSpec, Arc<dyn BlockSource>)>> {
    let recordings = Arc::new(open_recordings(folders).await?);
    let mut chains: Vec<(ChainSpec, Arc<dyn BlockSource>)> = Vec::new();
    for chain in recordings.keys() {
        let Some((_, row)) = chains::known().by_key(chain) else { continue };
        chains.push((row.clone(), Arc::new(recordings.source(chain)?)));
    }
    Ok(chains)
}

fn shown(folders: &[PathBuf]) -> String {
    let names: Vec<_> = folders.iter().map(|folder| folder.display().to_string()).collect();
    names.join(", ")
}

/// Opens folders, and logs omitted parts, one line per reason.
async fn open_recordings(folders: Vec<PathBuf>) -> anyhow::Result<Recordings> {
    let names = shown(&folders);
    let opened =
        tokio::task::spawn_blocking(move || Recordings::open(&folders, chains::known())).await?;
    let recordings = opened.with_context(|| format!("cannot read recordings {names}"))?;
    let mut left_out = BTreeMap::<_, Vec<_>>::new();
    for one in recordings.left_out() {
        let shown = format!("{} ({}, {} blocks)", one.network, one.chain_id, one.block_count);
        left_out.entry(one.why).or_default().push(shown);
    }
    for (why, chains) in left_out {
        let count = chains.len();
        let chains = chains.join(", ");
        tracing::info!(count, "left out, as {why}: {chains}");
    }
    Ok(recordings)
}

pub(crate) async fn replay(args: ReplayArgs) -> anyhow::Result<()> {
    let mut recordings = open_recordings(vec![args.folder]).await?;
    if let Some(at_start) = args.paced {
        recordings = recordings.paced(at_start.get());
    }
    let recordings = Arc::new(recordings);
    let server = ReplayServer::bind(args.listen.0, recordings.clone()).await?;
    let url = format!("http://{}", server.address());
    for recorded in recordings.chains() {
        let ChainKey { id, .. } = recorded.chain;
        let count = recorded.block_count;
        let first = recorded.first;
        let last = recorded.tip.number;
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
