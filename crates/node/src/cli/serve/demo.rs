//! `demo`: the whole service on simulated chains.

use std::path::PathBuf;

use anyhow::Context;

use super::{DemoArgs, commands, print_ready, recorded, unless_stopped};
use crate::demo::DemoState;
use crate::run::{Plan, Service, start};

pub(super) async fn run(args: DemoArgs) -> anyhow::Result<()> {
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

/// Starts the demo and waits until it is ready.
async fn start_it(args: DemoArgs, data: PathBuf) -> anyhow::Result<Service> {
    let config = args.service.load(Vec::new())?;
    let state = DemoState::open(&data, args.seed, !args.no_reorg)?;
    let chains = state.chains()?;
    let budget = superroot_source::Budget::of(config.source.in_hand_bytes_max);
    let planned = |(row, source)| recorded::planned(&config, &budget, row, source);
    let chains = chains.into_iter().map(planned).collect();
    let mut service = start(Plan { config, data, origin: state.origin(), chains }).await?;
    say!("making three chains of seed {} ...", state.seed());
    service.ready(|_| ()).await?;
    print_ready(&service);
    commands::print_commands(&service).await?;
    Ok(service)
}

/// A folder that goes when the demo ends.
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
