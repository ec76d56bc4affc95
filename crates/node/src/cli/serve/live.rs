//! `serve` without recordings: live chains through untrusted nodes.

use std::path::Path;

use super::super::style::{FAINT, HEADING, WARNING};
use super::{ServeArgs, tell_publishing};
use crate::follow::PlannedChain;
use crate::run::{self, RunPlan, RunningStages};
use crate::{claim, live, log_key, origin};

/// Starts the service and lists the followed chains, without a wait for nodes: the screen shows node health.
pub(super) async fn start(args: ServeArgs) -> anyhow::Result<RunningStages> {
    let config = args.service.load(live::flags(args.endpoints.as_deref()))?;
    let (chains, not_followed) = live::plan(&config, &args.chain, &args.watch)?;
    let rows = chains.iter().map(|chain| chain.row.clone()).chain(not_followed).collect();
    let append_rows = args.service.append_rows;
    let accept_accounts = args.service.accept_accounts;
    let key = log_key::path(&args.data, &config.log);
    let begun = async {
        let origin = origin::of_live_log(&args.data, &config.log.origin)?;
        tell(&chains, &args.data, &origin);
        let data = args.data.clone();
        let is_kept = true;
        let own = None;
        let plan =
            RunPlan { config, data, is_kept, origin, chains, append_rows, accept_accounts, own };
        run::start(plan).await
    };
    let mut service = claim::starting(&args.data, &key, begun).await?;
    say!("listening on {}", service.url);
    for key in service.prover.keys() {
        say!("the log's key, which clients pin: {key}");
    }
    tell_publishing(&service);
    service.show(rows);
    Ok(service)
}

/// Prints essentials before the start.
fn tell(chains: &[PlannedChain], data: &Path, origin: &str) {
    let count = chains.len();
    let noun = if count == 1 { "chain" } else { "chains" };
    say!("following {HEADING}{count} {noun}{HEADING:#} into {}, log {origin}", data.display());
    let headers_only = |chain: &&PlannedChain| chain.collect.watch.is_nothing();
    let headers_only = chains.iter().filter(headers_only).count();
    if headers_only > 0 {
        say!(
            "{WARNING}headers only{WARNING:#} of {headers_only} of them: blocks are proven, \
             transactions and events are not kept"
        );
        say!(
            "{FAINT}to keep them: --watch all, --watch base=0xADDRESS, or watch in [chain.NAME] of \
             --config{FAINT:#}"
        );
    }
}
