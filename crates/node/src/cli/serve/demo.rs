//! `demo`: the whole service on simulated chains.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use superroot_account::AccountService;
use superroot_chain::ChainSpec;

use super::{DemoArgs, commands, print_ready, recorded, unless_stopped};
use crate::accounts::demo_keys::{self, DemoKey};
use crate::chains;
use crate::claim;
use crate::cli::style::HEADING;
use crate::config::{no_drain, private_webhooks, test_environment};
use crate::demo::{DemoFlags, DemoSource, DemoState};
use crate::demo_contracts::{ContractDemo, DemoWallets, count_a_day};
use crate::follow::PlannedChain;
use crate::limits;
use crate::log_key;
use crate::run::{OwnChain, RunPlan, RunningStages, start};

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
    let wallets = args.contracts.then(DemoWallets::new).transpose()?;
    let mut defaults = vec![private_webhooks(), no_drain()];
    if let Some(wallets) = &wallets {
        std::fs::create_dir_all(&data)
            .with_context(|| format!("cannot create {}", data.display()))?;
        defaults.extend(wallets.settings(&data)?);
    }
    let config = args.service.load_over(&defaults, vec![test_environment()])?;
    let append_rows = args.service.append_rows;
    let accept_accounts = args.service.accept_accounts;
    let key = log_key::path(&data, &config.log);
    let begun = async {
        let (seed, reorgs, contracts) = (args.seed, !args.no_reorg, args.contracts);
        let state = DemoState::open(&data, DemoFlags { seed, reorgs, contracts })?;
        let origin = state.origin();
        let clock = DemoState::clock();
        let mut chains = state.chains(&clock)?;
        let contracts = match args.contracts {
            true => Some(ContractDemo::open(&data, (&config.log, &origin), clock)?),
            false => None,
        };
        if let Some(demo) = &contracts {
            demo.deployed().await;
        }
        chains.extend(
            contracts.as_ref().map(|demo| {
                (demo.row.clone(), DemoSource { blocks: demo.source(), finality: None })
            }),
        );
        chains::leave_withdrawn(&mut chains);
        let count = chains.len();
        let budget = superroot_source::Budget::of(config.source.in_hand_bytes_max);
        let planned = |(row, DemoSource { blocks, finality }): (ChainSpec, DemoSource)| {
            PlannedChain { finality, ..recorded::planned(&config, &budget, row, blocks) }
        };
        let chains = chains.into_iter().map(planned).collect();
        let is_kept = args.data.is_some();
        let own = contracts.as_ref().map(|demo| own_chain(demo, &data)).transpose()?;
        let data = data.clone();
        let plan =
            RunPlan { config, data, is_kept, origin, chains, append_rows, accept_accounts, own };
        anyhow::Ok((start(plan).await?, count, state.seed(), contracts))
    };
    let (mut service, count, seed, contracts) = claim::starting(&data, &key, begun).await?;
    say!("making {count} chains of seed {seed} ...");
    service.ready(|_| ()).await?;
    let keys = demo_keys::of_folder(service.accounts.clone(), &data).await?;
    print_ready(&service);
    print_keys(&keys, &data);
    if let Some(demo) = contracts {
        demo.print(&service.url);
    }
    commands::print_commands(&service, &keys).await?;
    Ok(service)
}

/// Makes the keys and a day of their usage before the first usage checkpoint.
fn own_chain(demo: &ContractDemo, data: &Path) -> anyhow::Result<OwnChain> {
    let data = data.to_path_buf();
    let prepare = move |accounts: &Arc<AccountService>| {
        let keys = demo_keys::of_folder_now(accounts, &data)?;
        count_a_day(accounts, &keys)
    };
    let (nodes, rpc, facilitator) = (demo.nodes(), demo.rpc(), demo.facilitator()?);
    Ok(OwnChain { nodes, rpc, facilitator, prepare: Box::new(prepare) })
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
