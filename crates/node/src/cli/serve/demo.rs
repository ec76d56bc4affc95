//! `demo`: the whole service on simulated chains.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::{DemoArgs, commands, print_ready, recorded, unless_stopped};
use crate::accounts::demo_keys::{self, DemoKey};
use crate::chains;
use crate::claim;
use crate::cli::style::HEADING;
use crate::config::{no_drain, private_webhooks, test_environment};
use crate::demo::DemoState;
use crate::limits;
use crate::log_key;
use crate::run::{RunPlan, RunningStages, start};

pub(crate) async fn run(args: DemoArgs) -> anyhow::Result<()> {
    limits::keep_private();
    let (data, _temporary) = match args.data.clone() {
        Some(data) => (data, None),
        None => {
            let folder = Temporary::new()?;
            (folder.0.clone(), Some(folder))
        }
    };
    match unless_stopped(start_it(args, data)).await? {
        Some(service) => service.until_stopped().await,
        None => Ok(()),
    }
}

async fn start_it(args: DemoArgs, data: PathBuf) -> anyhow::Result<RunningStages> {
    let config =
        args.service.load_over(&[private_webhooks(), no_drain()], vec![test_environment()])?;
    let append_rows = args.service.append_rows;
    let accept_accounts = args.service.accept_accounts;
    let key = log_key::path(&data, &config.log);
    let begun = async {
        let state = DemoState::open(&data, args.seed, !args.no_reorg)?;
        let mut chains = state.chains()?;
        chains::leave_withdrawn(&mut chains);
        let count = chains.len();
        let budget = superroot_source::Budget::of(config.source.in_hand_bytes_max);
        let planned = |(row, source)| recorded::planned(&config, &budget, row, source);
        let chains = chains.into_iter().map(planned).collect();
        let origin = state.origin();
        let is_kept = args.data.is_some();
        let data = data.clone();
        let plan = RunPlan { config, data, is_kept, origin, chains, append_rows, accept_accounts };
        anyhow::Ok((start(plan).await?, count, state.seed()))
    };
    let (mut service, count, seed) = claim::starting(&data, &key, begun).await?;
    say!("making {count} chains of seed {seed} ...");
    service.ready(|_| ()).await?;
    let keys = demo_keys::of_folder(service.accounts.clone(), &data).await?;
    print_ready(&service);
    print_keys(&keys, &data);
    commands::print_commands(&service, &keys).await?;
    Ok(service)
}

fn print_keys(keys: &[DemoKey], data: &Path) {
    let file = data.join(demo_keys::FILE);
    put!("{HEADING}keys{HEADING:#}, one of each tier, also in {}:", file.display());
    for DemoKey { tier, api_key, .. } in keys {
        put!("  {:10} {api_key}", tier.name());
    }
    put!();
}

/// Folder removed at the end of the demo.
struct Temporary(PathBuf);

impl Temporary {
    fn new() -> anyhow::Result<Self> {
        let name = format!("superroot-demo-{}-{:08x}", std::process::id(), rand::random::<u32>());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        Ok(Self(folder))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
