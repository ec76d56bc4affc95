//! Settings for one chain: `[chain.NAME]`.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, anyhow, bail};
use serde::{Deserialize, Serialize, Serializer};
use superroot_chain::finality::{NOT_CHECKABLE, SetPin, finality_params, gates};
use superroot_chain::{ChainRegistry, ChainSpec};
use superroot_source::{FinalityAsk, LiveConfig};
use superroot_store::layout::WatchFilter;
use superroot_types::{BlockNumber, ChainKey, Network, OutOfBounds, SAFE_INTEGER_MAX};

use super::endpoints::{ConfiguredEndpoint, check, shown};

const CONFIRMATIONS_MAX: u64 = 1 << 20;

/// Settings for one chain; missing values default to the general ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ChainConfig {
    pub(crate) watch: Option<WatchFilter>,
    /// Time without news from the nodes before a chain counts as stalled, in milliseconds.
    pub(crate) stalled_after_ms: Option<u64>,
    /// Time without finality on a moving chain before finality counts as stalled, in milliseconds.
    pub(crate) finality_stalled_after_ms: Option<u64>,
    /// Poll interval for an idle chain, in milliseconds.
    pub(crate) poll_interval_ms: Option<u64>,
    /// Time a final block waits for a body missing on every node, in milliseconds.
    pub(crate) body_wait_ms: Option<u64>,
    /// Nodes that must agree on a final block.
    pub(crate) quorum: Option<u32>,
    pub(crate) calls_per_second_max: Option<u32>,
    /// Finality rule: `finalized`, `latest`, or a number of confirmations.
    pub(crate) finality: Option<FinalityAsk>,
    /// Highest first number of a new log; collection begins at the first block in the same twig.
    pub(crate) start: Option<u64>,
    /// First trusted set of signers, to check the chain's consensus: `NUMBER:ID`.
    pub(crate) pinned_set: Option<SetPin>,
    /// Whether final blocks wait for evidence; by default if signers are pinned and evidence is collected.
    pub(crate) finality_demand: Option<EvidenceDemand>,
    /// Nodes for the chain, instead of all others.
    #[serde(serialize_with = "redacted_list")]
    pub(crate) endpoints: Option<Vec<String>>,
}

/// What makes a block final in this log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EvidenceDemand {
    /// Agreement of nodes alone.
    Nodes,
    /// Agreement of nodes, and evidence shown by pinned signers.
    #[default]
    Both,
}

/// Sections by chain. An unknown name is an error, as are two names for one chain.
pub(super) fn by_key(
    sections: &BTreeMap<String, ChainConfig>,
    registry: &ChainRegistry,
) -> anyhow::Result<HashMap<ChainKey, ChainConfig>> {
    let mut found = HashMap::new();
    for (name, section) in sections {
        let row = registry.find(name);
        let row = row.with_context(|| format!("chain.{name}: no row of the registry has it"))?;
        section.check(name, row, registry)?;
        if found.insert(row.key(), section.clone()).is_some() {
            bail!("chain.{name}: {} has a section under another name already", row.name);
        }
    }
    Ok(found)
}

impl ChainConfig {
    pub(crate) fn collect(
        &self,
        all: &superroot_collect::CollectConfig,
    ) -> superroot_collect::CollectConfig {
        superroot_collect::CollectConfig {
            poll_interval_ms: self.poll_interval_ms.unwrap_or(all.poll_interval_ms),
            body_wait_ms: self.body_wait_ms.unwrap_or(all.body_wait_ms),
            stalled_after_ms: self.stalled_after_ms.unwrap_or(all.stalled_after_ms),
            finality_stalled_after_ms: self
                .finality_stalled_after_ms
                .unwrap_or(all.finality_stalled_after_ms),
            start: self.start.map(BlockNumber),
            ..all.clone()
        }
    }

    pub(crate) fn source(&self, row: &ChainSpec, all: LiveConfig) -> LiveConfig {
        let calls = all.calls_per_second_max.max(calls_needed(row));
        LiveConfig {
            calls_per_second_max: self.calls_per_second_max.unwrap_or(calls),
            quorum: self.quorum.unwrap_or(all.quorum),
            finality: self.finality.unwrap_or(all.finality),
            ..all
        }
    }

    fn check(&self, name: &str, row: &ChainSpec, registry: &ChainRegistry) -> anyhow::Result<()> {
        let own = [
            ("stalled_after_ms", self.stalled_after_ms.unwrap_or(1), 1..=SAFE_INTEGER_MAX),
            ("quorum", self.quorum.unwrap_or(1).into(), 1..=100),
            ("calls_per_second_max", self.calls_per_second_max.unwrap_or(1).into(), 1..=100_000),
            ("start", self.start.unwrap_or(0), 0..=SAFE_INTEGER_MAX),
        ];
        OutOfBounds::check(own)
            .and_then(|()| self.collect(&superroot_collect::CollectConfig::default()).validate())
            .map_err(|error| anyhow!("chain.{name}.{error}"))?;
        if let Some(finality) = self.finality {
            let field = format!("chain.{name}.finality");
            check_confirmations(&field, finality)?;
            check_finality(&field, finality, row)?;
        }
        match finality_params(row, Network::Live) {
            None if self.pinned_set.is_some() => {
                bail!("chain.{name}.pinned_set names signers of {}: {NOT_CHECKABLE}", row.name)
            }
            Some(params) if self.pinned_set.is_some() && params.signing_chain().is_some() => bail!(
                "chain.{name}.pinned_set: sets of Ethereum sign for {}: set chain.ethereum.pinned_set",
                row.name
            ),
            _ => {}
        }
        let may_gate = finality_params(row, Network::Live).is_some_and(|params| gates(&params));
        if self.finality_demand == Some(EvidenceDemand::Both)
            && !(may_gate && self.pinned_set.is_some())
        {
            bail!(
                "chain.{name}.finality_demand is \"both\", which needs a pinned_set and evidence that blocks can wait \
                 for (docs/finality.md); expected \"nodes\""
            );
        }
        if let Some(urls) = &self.endpoints {
            let endpoints: Vec<_> =
                urls.iter().map(|url| ConfiguredEndpoint::new(name, url)).collect();
            check(&endpoints, registry, &format!("chain.{name}.endpoints"))?;
        }
        Ok(())
    }
}

/// Calls per second that keep up with a chain agreed on block by block: at most eight per block.
fn calls_needed(row: &ChainSpec) -> u32 {
    const CALLS_PER_BLOCK: u64 = 8;
    if row.ledger.binds_parent() {
        return 0;
    }
    let a_second = CALLS_PER_BLOCK.saturating_mul(1_000) / row.block_time_ms.max(1);
    u32::try_from(a_second).unwrap_or(u32::MAX)
}

/// Rejects zero confirmations, and more than a chain's length in days.
pub(super) fn check_confirmations(field: &str, asked: FinalityAsk) -> anyhow::Result<()> {
    if let FinalityAsk::Confirmations(got) = asked
        && !(1..=CONFIRMATIONS_MAX).contains(&got)
    {
        bail!("{field} is {got}, expected 1 to {CONFIRMATIONS_MAX} confirmations, or \"latest\"");
    }
    Ok(())
}

/// Rejects a finality tag for a chain family without tags.
pub(crate) fn check_finality(
    field: &str,
    asked: FinalityAsk,
    row: &ChainSpec,
) -> anyhow::Result<()> {
    let word = match asked {
        FinalityAsk::Finalized => "finalized",
        FinalityAsk::Latest => "latest",
        FinalityAsk::Auto | FinalityAsk::Confirmations(_) => return Ok(()),
    };
    if !row.ledger.has_finality_tag() {
        bail!(
            "{field} is {word:?}, expected \"auto\" or a number of confirmations: nodes of {} have \
             no tags",
            row.name
        );
    }
    Ok(())
}

fn redacted_list<S: Serializer>(
    urls: &Option<Vec<String>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match urls {
        Some(urls) => serializer.collect_seq(urls.iter().map(|url| shown(url))),
        None => serializer.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> anyhow::Result<HashMap<ChainKey, ChainConfig>> {
        let sections: BTreeMap<String, ChainConfig> = toml::from_str(text)?;
        by_key(&sections, ChainRegistry::builtin())
    }

    #[test]
    fn a_section_is_found_by_any_name_of_its_chain() {
        let read =
            read("[\"eip155:1\"]\nquorum = 3\nwatch = \"all\"\n[base]\nstart = 7\n").unwrap();
        let key = |name| ChainRegistry::builtin().find(name).unwrap().key();
        assert_eq!(read[&key("ethereum")].quorum, Some(3));
        assert_eq!(read[&key("ethereum")].watch, Some(WatchFilter::All));
        assert_eq!(read[&key("8453")].start, Some(7));
    }

    /// 200 ms a block: five of them a second, eight calls for each.
    #[test]
    fn chains_without_parents_get_the_calls_that_they_need() {
        let all = LiveConfig { calls_per_second_max: 25, ..LiveConfig::default() };
        let calls = |text: &str, slug: &str, all: LiveConfig| {
            let row = ChainRegistry::builtin().find(slug).unwrap();
            let section = read(text).unwrap().remove(&row.key()).unwrap_or_default();
            section.source(row, all).calls_per_second_max
        };
        for (slug, expected) in [("ethereum", 25), ("arbitrum", 25), ("solana", 40), ("aptos", 40)]
        {
            assert_eq!(calls("", slug, all), expected, "{slug}");
        }
        let many = LiveConfig { calls_per_second_max: 500, ..all };
        assert_eq!(calls("", "aptos", many), 500);
        assert_eq!(calls("[aptos]\ncalls_per_second_max = 7\n", "aptos", all), 7);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_key() {
        for (text, expected) in [
            ("[atlantis]\n", "chain.atlantis: no row"),
            ("[eth]\n[ethereum]\n", "chain.ethereum: Ethereum has a section under another name"),
            ("[base]\nquorum = 0\n", "chain.base.quorum is 0, expected 1 to 100"),
            (
                "[base]\ncalls_per_second_max = 0\n",
                "chain.base.calls_per_second_max is 0, expected 1",
            ),
            ("[base]\nstalled_after_ms = 0\n", "chain.base.stalled_after_ms is 0, expected 1 to"),
            (
                "[base]\npoll_interval_ms = 86400001\n",
                "chain.base.poll_interval_ms is 86400001, expected 1 to 86400000",
            ),
            ("[base]\nfinality = 0\n", "chain.base.finality is 0, expected 1 to 1048576"),
            ("[base]\nfinality = 1048577\n", "chain.base.finality is 1048577, expected 1 to"),
            ("[btc]\nfinality = \"finalized\"\n", "chain.btc.finality is \"finalized\", expected"),
            ("[bitcoin]\nfinality = \"latest\"\n", "nodes of Bitcoin have no tags"),
            (
                "[bitcoin]\nendpoints = [\"http://a\", \"ws://b\"]\n",
                "chain.bitcoin.endpoints[1]: url of bitcoin: its scheme is \"ws\", expected http",
            ),
            ("[base]\nendpoints = [\"http://a\", \"b\"]\n", "chain.base.endpoints[1]: url of base"),
            ("[base]\nfinality = \"soon\"\n", "auto, finalized, latest or a number"),
            ("[base]\nwatches = \"all\"\n", "unknown field `watches`"),
        ] {
            let error = format!("{:#}", read(text).unwrap_err());
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn every_way_of_being_final_that_nodes_know_is_taken() {
        for text in [
            "[btc]\nfinality = \"auto\"\n",
            "[btc]\nfinality = 1\n",
            "[base]\nfinality = \"finalized\"\n",
            "[base]\nfinality = \"latest\"\n",
            "[base]\nfinality = 1048576\n",
        ] {
            assert!(read(text).is_ok(), "{text}: {:?}", read(text));
        }
    }

    #[test]
    fn no_key_of_an_address_is_printed() {
        let section = ChainConfig {
            endpoints: Some(vec!["https://node.example/v3/secretkey".to_owned()]),
            ..ChainConfig::default()
        };
        let text = toml::to_string(&section).unwrap();
        assert!(text.contains("node.example") && !text.contains("secretkey"), "{text}");
    }
}
