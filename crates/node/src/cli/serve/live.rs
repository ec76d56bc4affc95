//! `serve` without recordings: live chains, through nodes that nobody trusts.

use std::collections::HashMap;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use superroot_api::WatchView;
use superroot_chain::{ChainRow, Status};
use superroot_source::{LiveConfig, LiveSource};
use superroot_types::ChainKey;
use toml::Value;

use super::super::style::{FAINT, HEADING, WARNING};
use super::ServeArgs;
use super::recorded::chosen;
use crate::config::{ChainConfig, Config, EndpointConfig, Watch};
use crate::run::{self, Plan, PlannedChain, Service};
use crate::{chains, follow, origin};

/// Longest pause between looks at a chain that has nothing new, unless it is configured.
const POLL_INTERVAL_MAX_MS: u64 = 15_000;

/// A value of `--watch`: what, and of which chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WatchArg {
    chain: Option<ChainKey>,
    watch: Watch,
}

impl FromStr for WatchArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (chain, what) = match text.split_once('=') {
            Some((chain, what)) => (Some(chain), what),
            None => (None, text),
        };
        let chain = chain.map(chains::find).transpose().map_err(|error| format!("{error:#}"))?;
        let watch = what.parse().map_err(|error| format!("{error}"))?;
        Ok(Self { chain: chain.map(ChainRow::key), watch })
    }
}

/// Starts the service and says what it follows. It does not wait for nodes: the screen tells how they
/// fare.
pub(super) async fn start(args: ServeArgs) -> anyhow::Result<Service> {
    let file = args.endpoints.as_deref().map(Path::display);
    let flags = file.map(|file| ("live.endpoints_file", Value::String(file.to_string())));
    let config = args.service.load(flags.into_iter().collect())?;
    let (chains, not_followed) = planned(&config, &args)?;
    let origin = origin::of_live_log(&args.data, &config.log.origin)?;
    tell(&chains, &args.data, &origin);
    let rows = chains.iter().map(|chain| chain.row.clone()).chain(not_followed.clone()).collect();
    let not_followed = not_followed.iter().map(ChainRow::key).collect();
    let plan = Plan { config, data: args.data, origin, chains, not_followed };
    let mut service = run::start(plan).await?;
    eprintln!("listening on {}", service.url);
    service.show(rows);
    Ok(service)
}

/// The chains to follow, and those that are wanted and have no node.
fn planned(
    config: &Config,
    args: &ServeArgs,
) -> anyhow::Result<(Vec<PlannedChain>, Vec<ChainRow>)> {
    let names = if args.chain.is_empty() { &config.live.chains } else { &args.chain };
    let wanted = chosen(names)?;
    let by_chain = config.by_chain()?;
    let mut nodes: HashMap<ChainKey, Vec<EndpointConfig>> = HashMap::new();
    for node in config.nodes()? {
        nodes.entry(chains::find(&node.chain)?.key()).or_default().push(node);
    }
    let (mut followed, mut without) = (Vec::new(), Vec::new());
    for row in chains::known().rows() {
        let is_wanted = wanted.contains(&row.key());
        if row.status == Status::Planned {
            if is_wanted {
                bail!("--chain {}: {} is planned, this build does not read it", row.slug, row.name);
            }
            continue;
        }
        if !wanted.is_empty() && !is_wanted {
            continue;
        }
        let Some(nodes) = nodes.remove(&row.key()) else {
            without.push(row.clone());
            continue;
        };
        let section = by_chain.get(&row.key()).cloned().unwrap_or_default();
        let watch = watch_of(&args.watch, row.key(), &section, config);
        followed.push(planned_chain(config, row, nodes, section, watch)?);
    }
    if followed.is_empty() {
        let names: Vec<_> = without.iter().map(|row| row.slug.as_str()).collect();
        bail!("no node is known of {}: name some with --endpoints FILE", names.join(", "));
    }
    Ok((followed, without))
}

fn planned_chain(
    config: &Config,
    row: &ChainRow,
    nodes: Vec<EndpointConfig>,
    section: ChainConfig,
    watch: Watch,
) -> anyhow::Result<PlannedChain> {
    let endpoints = nodes.iter().map(|node| superroot_source::EndpointConfig::at(&node.url));
    let asked = LiveConfig {
        quorum: section.quorum.unwrap_or(config.source.quorum),
        finality: section.finality.unwrap_or(config.source.finality),
        ..config.source
    };
    let source = LiveSource::new(row, endpoints.collect(), asked)
        .with_context(|| format!("nodes of {}", row.name))?;
    let poll_ms = section.poll_interval_ms.unwrap_or_else(|| {
        let by_block_time = (row.block_time_ms / 4).min(POLL_INTERVAL_MAX_MS);
        config.collect.poll_interval_ms.max(by_block_time)
    });
    let follow = follow::Settings {
        poll_interval: Duration::from_millis(poll_ms),
        retry_max: Duration::from_millis(config.collect.retry_max_ms),
        stalled_after_ms: section.stalled_after_ms.or(config.collect.stalled_after_ms()),
        watch: view_of(&watch),
    };
    let collect = config.collector();
    Ok(PlannedChain { row: row.clone(), source: Arc::new(source), collect, follow })
}

/// What is kept of a chain: flags of the chain, or its section, or flags of all, or the default.
fn watch_of(flags: &[WatchArg], chain: ChainKey, section: &ChainConfig, config: &Config) -> Watch {
    let joined = |of: Option<ChainKey>| {
        let flags = flags.iter().filter(|flag| flag.chain == of).map(|flag| flag.watch.clone());
        flags.reduce(Watch::and)
    };
    let own = joined(Some(chain)).or_else(|| section.watch.clone());
    own.or_else(|| joined(None)).unwrap_or_else(|| config.live.watch.clone())
}

fn view_of(watch: &Watch) -> WatchView {
    match watch {
        Watch::All => WatchView::All,
        Watch::Some { addresses, topics } => WatchView::Some {
            address_count: addresses.len() as u64,
            topic_count: topics.len() as u64,
        },
    }
}

/// What a person should know before anything happens.
fn tell(chains: &[PlannedChain], data: &Path, origin: &str) {
    let count = chains.len();
    anstream::eprintln!(
        "following {HEADING}{count} chains{HEADING:#} into {}, log {origin}",
        data.display()
    );
    let headers_only = |chain: &&PlannedChain| {
        matches!(chain.follow.watch, WatchView::Some { address_count: 0, topic_count: 0 })
    };
    let headers_only = chains.iter().filter(headers_only).count();
    if headers_only > 0 {
        anstream::eprintln!(
            "{WARNING}headers only{WARNING:#} of {headers_only} of them: blocks are proven, \
             transactions and events are not kept"
        );
        anstream::eprintln!(
            "{FAINT}to keep them: --watch all, --watch base=0xADDRESS, or watch in [chain.NAME] of \
             --config{FAINT:#}"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: &str = "0x00000000000000000000000000000000000000aa";

    fn key(name: &str) -> ChainKey {
        chains::find(name).unwrap().key()
    }

    fn watched(flags: &[&str], section: Option<&str>, chain: &str) -> Watch {
        let flags: Vec<WatchArg> = flags.iter().map(|flag| flag.parse().unwrap()).collect();
        let watch = section.map(|watch| watch.parse().unwrap());
        let section = ChainConfig { watch, ..ChainConfig::default() };
        let config = Config::load(None, [], &[]).unwrap();
        watch_of(&flags, key(chain), &section, &config)
    }

    #[test]
    fn what_names_a_chain_is_stronger_than_what_names_none() {
        assert!(watched(&[], None, "base").is_none());
        assert_eq!(watched(&["all"], None, "base"), Watch::All);
        assert!(watched(&["all"], Some("none"), "base").is_none());
        assert_eq!(watched(&["base=all"], Some("none"), "base"), Watch::All);
        assert!(watched(&["base=all"], None, "ethereum").is_none());
        let two = watched(&[ADDRESS, "0x00000000000000000000000000000000000000ab"], None, "base");
        assert_eq!(two.to_string(), "2 addresses, 0 topics");
    }

    #[test]
    fn a_flag_that_names_nothing_is_refused() {
        for text in ["", "base", "atlantis=all", "base=", "=all", "base=0x12", "base=all=all"] {
            assert!(text.parse::<WatchArg>().is_err(), "{text}");
        }
        let arg: WatchArg = format!("8453={ADDRESS}").parse().unwrap();
        assert_eq!(arg.chain, Some(key("base")));
    }
}
