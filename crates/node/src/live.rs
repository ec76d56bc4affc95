//! Live chains: selection, nodes and stored data.

use std::collections::HashMap;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Context, bail};
use superroot_chain::ChainSpec;
use superroot_chain::finality::finality_params;
use superroot_proof::finality::FinalityParams;
use superroot_proof::finality::anchor::AnchorForm;
use superroot_source::finality::{BackupNode, BeaconNode, HeimdallNode, RollupNodes};
use superroot_source::{Budget, LiveNodes, LiveSource, SourceError};
use superroot_store::layout::WatchFilter;
use superroot_types::{ChainKey, Network};
use toml::Value;

use crate::chains;
use crate::cli::style::WARNING;
use crate::config::{
    ChainConfig, ConfiguredEndpoint, EndpointRole, ServiceConfig, check_finality, endpoints,
};
use crate::follow::{EvidenceSource, PlannedChain};

/// Longest default poll interval for an idle chain.
const POLL_INTERVAL_MAX_MS: u64 = 15_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WatchFlag {
    chain: Option<ChainKey>,
    watch: WatchFilter,
}

impl FromStr for WatchFlag {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (chain, what) = match text.split_once('=') {
            Some((chain, what)) => (Some(chain), what),
            None => (None, text),
        };
        let chain = chain.map(chains::find).transpose().map_err(|error| format!("{error:#}"))?;
        let watch = what.parse().map_err(|error| format!("{error}"))?;
        Ok(Self { chain: chain.map(ChainSpec::key), watch })
    }
}

pub(crate) fn flags(endpoints: Option<&Path>) -> Vec<(&'static str, Value)> {
    let file = endpoints.map(|file| Value::String(file.display().to_string()));
    file.map(|file| ("live.endpoints_file", file)).into_iter().collect()
}

pub(crate) fn plan(
    config: &ServiceConfig,
    chosen: &[String],
    watch: &[WatchFlag],
) -> anyhow::Result<(Vec<PlannedChain>, Vec<ChainSpec>)> {
    let names = if chosen.is_empty() { &config.live.chains } else { chosen };
    let naming = if chosen.is_empty() { "live.chains" } else { "--chain" };
    let wanted = chains::chosen(names, naming)?;
    let by_chain = config.by_chain()?;
    let (mut nodes, evidence) = by_role(config)?;
    let mut followed = Vec::new();
    let mut without = Vec::new();
    let budget = Budget::of(config.source.in_hand_bytes_max);
    for row in chains::known().rows() {
        let is_wanted = wanted.contains(&row.key());
        if !wanted.is_empty() && !is_wanted {
            continue;
        }
        if let Some(from) = row.withdrawn_from() {
            if is_wanted {
                bail!("{naming}: {} is withdrawn from block {from} on", row.name);
            }
            chains::tell_withdrawn(row, from);
            without.push(row.clone());
            continue;
        }
        let Some(nodes) = nodes.remove(&row.key()) else {
            let naming = is_wanted.then_some(naming);
            if let Some(asker) = asker(row, naming, by_chain.contains_key(&row.key())) {
                bail!("{asker} has no endpoint: name one with --endpoints FILE or [[endpoint]]");
            }
            without.push(row.clone());
            continue;
        };
        let section = by_chain.get(&row.key()).cloned().unwrap_or_default();
        let watch = watch_of(watch, row.key(), &section, config);
        let first = nodes.first().cloned();
        match planned_chain(config, &budget, row, nodes, section, watch) {
            Ok(mut chain) => {
                chain.finality = evidence.source(row, first.as_ref())?;
                followed.push(chain);
            }
            Err(error) if is_no_dialect(&error) && !is_wanted => {
                say!("{WARNING}not followed{WARNING:#}  {error:#}");
                without.push(row.clone());
            }
            Err(error) => return Err(error),
        }
    }
    check_watched(watch, &followed)?;
    leave_unanchored(&mut followed);
    // what stands of a withdrawn chain goes on being served
    let is_withdrawn = |row: &ChainSpec| row.withdrawn_from().is_some();
    if followed.is_empty() && !without.iter().any(is_withdrawn) {
        let names: Vec<_> = without.iter().map(|row| row.slug.as_str()).collect();
        bail!("no node is known of {}: name some with --endpoints FILE", names.join(", "));
    }
    Ok((followed, without))
}

/// Collects no evidence of rollups without Ethereum's, and says so.
fn leave_unanchored(followed: &mut [PlannedChain]) {
    let has_beacon = |chain: &PlannedChain| {
        let params = finality_params(&chain.row, Network::Live);
        chain.finality.is_some() && matches!(params, Some(FinalityParams::Beacon(_)))
    };
    let signing: Vec<_> =
        followed.iter().filter(|chain| has_beacon(chain)).map(|chain| chain.row.key()).collect();
    for chain in followed {
        let params = finality_params(&chain.row, Network::Live);
        let needed = params.and_then(|params| params.signing_chain());
        if chain.finality.is_some() && needed.is_some_and(|needed| !signing.contains(&needed)) {
            let name = &chain.row.name;
            say!(
                "{WARNING}no evidence{WARNING:#}  {name}: Ethereum is not followed with a beacon endpoint"
            );
            chain.finality = None;
        }
    }
}

type NodesOfChains = HashMap<ChainKey, Vec<ConfiguredEndpoint>>;

/// Endpoints of evidence of finality, by chain.
#[derive(Default)]
struct EvidenceNodes {
    beacons: HashMap<ChainKey, ConfiguredEndpoint>,
    proofs: HashMap<ChainKey, ConfiguredEndpoint>,
    backups: HashMap<ChainKey, ConfiguredEndpoint>,
    heimdalls: HashMap<ChainKey, ConfiguredEndpoint>,
}

impl EvidenceNodes {
    /// A chain's evidence; `None` without endpoints. `first`: a node of the chain's blocks.
    fn source(
        &self,
        row: &ChainSpec,
        first: Option<&ConfiguredEndpoint>,
    ) -> anyhow::Result<Option<EvidenceSource>> {
        let named = |node: &ConfiguredEndpoint| (node.url.clone(), endpoints::shown(&node.url));
        let chain = row.key();
        Ok(match finality_params(row, Network::Live) {
            Some(FinalityParams::Beacon(params)) => {
                let Some((url, name)) = self.beacons.get(&chain).map(named) else {
                    return Ok(None);
                };
                let beacon = Arc::new(BeaconNode::new(&url, &name, params)?);
                Some(EvidenceSource::Consensus(beacon))
            }
            Some(FinalityParams::Milestone(params)) => {
                let Some((url, name)) = self.heimdalls.get(&chain).map(named) else {
                    return Ok(None);
                };
                let heimdall = Arc::new(HeimdallNode::new(&url, &name, params)?);
                Some(EvidenceSource::Consensus(heimdall))
            }
            Some(FinalityParams::Anchor(params)) => {
                let ethereum = self.proofs.get(&params.ethereum).map(named);
                let Some((url, name)) = ethereum else { return Ok(None) };
                let own = self.proofs.get(&chain).map(named);
                let own = own.as_ref().map(|(url, name)| (url.as_str(), name.as_str()));
                if params.contract == AnchorForm::Outbox && own.is_none() {
                    let name = &row.name;
                    say!(
                        "{WARNING}no evidence{WARNING:#}  {name}: its own node with role proofs is missing"
                    );
                    return Ok(None);
                }
                let nodes = Arc::new(RollupNodes::new(params, (&url, &name), own)?);
                Some(EvidenceSource::Anchor(nodes))
            }
            Some(FinalityParams::LedgerInfo(_)) => {
                let backup = self.backups.get(&chain).map(named);
                let Some(((url, name), (rest, rest_name))) = backup.zip(first.map(named)) else {
                    return Ok(None);
                };
                let node = BackupNode::new((&url, &name), (&rest, &rest_name))?;
                Some(EvidenceSource::Consensus(Arc::new(node)))
            }
            _ => None,
        })
    }
}

/// Nodes of blocks, and endpoints of evidence, of each chain.
fn by_role(config: &ServiceConfig) -> anyhow::Result<(NodesOfChains, EvidenceNodes)> {
    let mut nodes = NodesOfChains::new();
    let mut evidence = EvidenceNodes::default();
    for node in config.nodes()? {
        let chain = chains::find(&node.chain)?.key();
        match node.role {
            EndpointRole::Node => nodes.entry(chain).or_default().push(node),
            EndpointRole::Beacon => _ = evidence.beacons.insert(chain, node),
            EndpointRole::Proofs => _ = evidence.proofs.insert(chain, node),
            EndpointRole::Backup => _ = evidence.backups.insert(chain, node),
            EndpointRole::Heimdall => _ = evidence.heimdalls.insert(chain, node),
        }
    }
    Ok((nodes, evidence))
}

/// Flag or field that requests the row by name; `None` for a chain that is only available.
fn asker(row: &ChainSpec, naming: Option<&str>, has_section: bool) -> Option<String> {
    let name = &row.name;
    match (naming, chains::own_row(row.key())) {
        (Some(naming), _) => Some(format!("{naming}: {name}")),
        (None, _) if has_section => Some(format!("[chain.{}]: {name}", row.slug)),
        (None, own) => own.map(|place| format!("{}: row {place} ({name})", chains::FLAG)),
    }
}

fn planned_chain(
    config: &ServiceConfig,
    budget: &Budget,
    row: &ChainSpec,
    nodes: Vec<ConfiguredEndpoint>,
    section: ChainConfig,
    watch: WatchFilter,
) -> anyhow::Result<PlannedChain> {
    let source = source_of(config, budget, row, &nodes, &section)?;
    let mut collect =
        superroot_collect::CollectConfig { watch, ..section.collect(&config.collect) };
    if section.poll_interval_ms.is_none() {
        let by_block_time = (row.block_time_ms / 4).min(POLL_INTERVAL_MAX_MS);
        collect.poll_interval_ms = collect.poll_interval_ms.max(by_block_time);
    }
    let row = row.clone();
    let source = Arc::new(source);
    let budget = budget.clone();
    Ok(PlannedChain { row, source, collect, budget, finality: None, gate: None })
}

/// Combines a chain's nodes into one source, and warns where a single node is believed.
fn source_of(
    config: &ServiceConfig,
    budget: &Budget,
    row: &ChainSpec,
    nodes: &[ConfiguredEndpoint],
    section: &ChainConfig,
) -> anyhow::Result<LiveSource> {
    let ChainSpec { name, slug, .. } = row;
    let endpoints = nodes.iter().map(|node| superroot_source::EndpointConfig {
        operator: node.operator.clone(),
        ..superroot_source::EndpointConfig::at(&node.url)
    });
    if section.finality.is_none() {
        check_finality("source.finality", config.source.finality, row).with_context(|| {
            format!("{name} is followed: set chain.{slug}.finality for it alone")
        })?;
    }
    let asked = section.source(row, config.source);
    let source = LiveSource::new(budget, row, endpoints.collect(), asked)
        .with_context(|| format!("nodes of {name}"))?;
    let needed = source.report().needed;
    if let Some(quorum) = section.quorum.filter(|quorum| *quorum > needed.of) {
        bail!(
            "chain.{slug}.quorum is {quorum}, expected at most {}, the number of its nodes' operators",
            needed.of
        );
    }
    if needed.agree == 1 {
        anstream::eprintln!(
            "{WARNING}one node is believed{WARNING:#}  {name}: what it alone calls final is taken; name \
             nodes of several operators, and a quorum above 1"
        );
    }
    Ok(source)
}

/// Whether nodes of the chain's family cannot be asked at all.
fn is_no_dialect(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(SourceError::NoDialect(_)))
}

/// Watch list for a chain: flags for the chain, else its section, else flags for all chains, else the default.
fn watch_of(
    flags: &[WatchFlag],
    chain: ChainKey,
    section: &ChainConfig,
    config: &ServiceConfig,
) -> WatchFilter {
    let joined = |of: Option<ChainKey>| {
        let flags = flags.iter().filter(|flag| flag.chain == of).map(|flag| flag.watch.clone());
        flags.reduce(WatchFilter::and)
    };
    let own = joined(Some(chain)).or_else(|| section.watch.clone());
    own.or_else(|| joined(None)).unwrap_or_else(|| config.live.watch.clone())
}

fn check_watched(flags: &[WatchFlag], followed: &[PlannedChain]) -> anyhow::Result<()> {
    for chain in flags.iter().filter_map(|flag| flag.chain) {
        if !followed.iter().any(|one| one.row.key() == chain) {
            let name = chains::known().by_key(chain).map_or("it", |(_, row)| row.name.as_str());
            bail!("--watch: {name} is not among the chains that are followed here");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use superroot_types::Family;

    use super::*;

    const ADDRESS: &str = "0x00000000000000000000000000000000000000aa";

    fn key(name: &str) -> ChainKey {
        chains::find(name).unwrap().key()
    }

    fn watched(flags: &[&str], section: Option<&str>, chain: &str) -> WatchFilter {
        let flags: Vec<WatchFlag> = flags.iter().map(|flag| flag.parse().unwrap()).collect();
        let watch = section.map(|watch| watch.parse().unwrap());
        let section = ChainConfig { watch, ..ChainConfig::default() };
        let config = ServiceConfig::load(None, [], &[]).unwrap();
        watch_of(&flags, key(chain), &section, &config)
    }

    #[test]
    fn what_names_a_chain_is_stronger_than_what_names_none() {
        assert!(watched(&[], None, "base").is_nothing());
        assert_eq!(watched(&["all"], None, "base"), WatchFilter::All);
        assert!(watched(&["all"], Some("none"), "base").is_nothing());
        assert_eq!(watched(&["base=all"], Some("none"), "base"), WatchFilter::All);
        assert!(watched(&["base=all"], None, "ethereum").is_nothing());
        let two = watched(&[ADDRESS, "0x00000000000000000000000000000000000000ab"], None, "base");
        assert_eq!(two.to_string(), "2 addresses, 0 topics");
    }

    /// Nothing is sent: nodes are asked once the loops run.
    #[tokio::test]
    async fn without_a_word_every_chain_is_followed() {
        let config = ServiceConfig::load(None, [], &[]).unwrap();
        let (followed, without) = plan(&config, &[], &[]).unwrap();
        let rows = chains::known().rows().iter();
        assert_eq!((followed.len(), without.len()), (rows.len(), 0));
        let evm = followed.iter().filter(|chain| chain.row.family() == Family::Evm);
        assert_eq!(evm.count(), 19);
        assert!(followed.iter().all(|chain| chain.collect.watch.is_nothing()));
        // a flag of a chain that is not followed would be of no effect
        let flag = |text: &str| [text.parse::<WatchFlag>().unwrap()];
        let error = plan(&config, &["base".to_owned()], &flag("ethereum=all")).err().unwrap();
        let error = error.to_string();
        assert!(error.starts_with("--watch: ") && error.contains("is not among"), "{error}");
        let (one, _) = plan(&config, &["base".to_owned()], &["base=all".parse().unwrap()]).unwrap();
        assert_eq!((one.len(), &one[0].collect.watch), (1, &WatchFilter::All));
    }

    #[test]
    fn a_flag_that_names_nothing_is_refused() {
        for text in ["", "base", "atlantis=all", "base=", "=all", "base=0x12", "base=all=all"] {
            assert!(text.parse::<WatchFlag>().is_err(), "{text}");
        }
        let arg: WatchFlag = format!("8453={ADDRESS}").parse().unwrap();
        assert_eq!(arg.chain, Some(key("base")));
    }
}
