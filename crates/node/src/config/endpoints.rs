//! Node list, one per line: built in, from a file, or from the configuration.

use std::collections::HashSet;
use std::path::Path;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use superroot_chain::ChainRegistry;
use superroot_chain::finality::finality_params;
use superroot_proof::finality::FinalityParams;
use superroot_types::{ChainKey, Network};

const BUILTIN: &str = include_str!("../../../../config/endpoints.toml");
const FILE_BYTES_MAX: u64 = 4 << 20;
const CHAIN_ENDPOINTS_MAX: usize = 64;
const ETHEREUM: &str = "eip155:1";

/// Node. The URL may contain a key, so the full URL is never printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConfiguredEndpoint {
    /// Name, id, alias or CAIP-2 name of a row.
    pub(crate) chain: String,
    /// `http`, `https`, `ws` or `wss`; for Bitcoin's family only the first two.
    #[serde(serialize_with = "redacted")]
    pub(crate) url: String,
    /// What it is asked for; a node of blocks by default.
    #[serde(default, skip_serializing_if = "EndpointRole::is_node")]
    pub(crate) role: EndpointRole,
    /// Operator, if not clear from the host's registered name.
    pub(crate) operator: Option<String>,
    /// The address's publication source.
    source: Option<String>,
    /// Date of reading the source.
    date: Option<String>,
    /// Whether this build never tried any of the chain's public nodes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    untried: bool,
}

/// What an endpoint is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EndpointRole {
    /// Blocks.
    #[default]
    Node,
    /// Light client data of a beacon chain.
    Beacon,
    /// Accounts and slots with proofs (`eth_getProof`), in recent states.
    Proofs,
    /// Signed ledger infos of Aptos, from a node's backup service.
    Backup,
    /// Commits of Polygon's Heimdall, and milestones with proofs.
    Heimdall,
}

impl EndpointRole {
    #[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for a reference
    const fn is_node(&self) -> bool {
        matches!(self, Self::Node)
    }
}

impl ConfiguredEndpoint {
    pub(super) fn new(chain: &str, url: &str) -> Self {
        let chain = chain.to_owned();
        let url = url.to_owned();
        let role = EndpointRole::Node;
        Self { chain, url, role, operator: None, source: None, date: None, untried: false }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EndpointsFile {
    #[serde(default)]
    endpoint: Vec<ConfiguredEndpoint>,
}

pub(crate) fn builtin(registry: &ChainRegistry) -> anyhow::Result<Vec<ConfiguredEndpoint>> {
    parse(BUILTIN, registry).context("the built-in endpoints")
}

/// Reads a file. An error names the entry, or the line if the TOML is invalid.
pub(crate) fn read(
    file: &Path,
    registry: &ChainRegistry,
) -> anyhow::Result<Vec<ConfiguredEndpoint>> {
    let shown = file.display();
    let about = || format!("cannot read the endpoints of {shown}");
    let size = std::fs::metadata(file).with_context(about)?.len();
    if size > FILE_BYTES_MAX {
        bail!("{shown} has {size} bytes, expected at most {FILE_BYTES_MAX}");
    }
    let text = std::fs::read_to_string(file).with_context(about)?;
    parse(&text, registry).with_context(|| shown.to_string())
}

fn parse(text: &str, registry: &ChainRegistry) -> anyhow::Result<Vec<ConfiguredEndpoint>> {
    // the parser's own words show the line at fault, which may hold a key
    let file: EndpointsFile = toml::from_str(text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        anyhow::anyhow!("line {}: {}", before.matches('\n').count() + 1, error.message())
    })?;
    check(&file.endpoint, registry, "endpoint")?;
    Ok(file.endpoint)
}

/// Checks that every entry has a chain and an address, without duplicates. `list` is the list's name.
pub(super) fn check(
    endpoints: &[ConfiguredEndpoint],
    registry: &ChainRegistry,
    list: &str,
) -> anyhow::Result<()> {
    let mut seen: HashSet<(ChainKey, EndpointRole, String)> = HashSet::new();
    for (index, endpoint) in endpoints.iter().enumerate() {
        let ConfiguredEndpoint { chain, url, role, .. } = endpoint;
        let place = format!("{list}[{index}]");
        let Some(row) = registry.find(chain) else {
            bail!("{place}: chain {chain:?} is in no row of the registry");
        };
        let has_websocket = *role == EndpointRole::Node && row.ledger.has_websocket();
        let address = address(url, has_websocket);
        let address = address.with_context(|| format!("{place}: url of {chain}"))?;
        let params = finality_params(row, Network::Live);
        let is_beacon = matches!(params, Some(FinalityParams::Beacon(_)));
        let has_ledger_infos = matches!(params, Some(FinalityParams::LedgerInfo(_)));
        let is_polygon = matches!(params, Some(FinalityParams::Milestone(_)));
        let is_rollup = params.is_some_and(|params| params.signing_chain().is_some());
        match role {
            EndpointRole::Beacon if !is_beacon => {
                bail!("{place}: role of {chain}: {} has no beacon chain", row.name)
            }
            EndpointRole::Proofs if !is_rollup && row.caip2 != ETHEREUM => bail!(
                "{place}: role of {chain}: proofs are asked of Ethereum, and of rollups with contracts there"
            ),
            EndpointRole::Backup if !has_ledger_infos => {
                bail!("{place}: role of {chain}: a backup service is asked of Aptos alone")
            }
            EndpointRole::Heimdall if !is_polygon => {
                bail!("{place}: role of {chain}: {} has no Heimdall", row.name)
            }
            EndpointRole::Node
            | EndpointRole::Beacon
            | EndpointRole::Proofs
            | EndpointRole::Backup
            | EndpointRole::Heimdall => {}
        }
        if !seen.insert((row.key(), *role, address)) {
            bail!("{place}: url of {chain}: this node of {} is there already", row.name);
        }
        let of_chain = seen.iter().filter(|(key, ..)| *key == row.key()).count();
        if of_chain > CHAIN_ENDPOINTS_MAX {
            bail!("{place}: more than {CHAIN_ENDPOINTS_MAX} endpoints of {}", row.name);
        }
    }
    Ok(())
}

/// Normalized address. Errors omit the text, because an address may contain a key.
fn address(url: &str, has_websocket: bool) -> anyhow::Result<String> {
    let Ok(parsed) = reqwest::Url::parse(url) else {
        bail!("it is no url");
    };
    let schemes = ["http", "https", "ws", "wss"];
    let known = if has_websocket { &schemes[..] } else { &schemes[..2] };
    if !known.contains(&parsed.scheme()) {
        bail!("its scheme is {:?}, expected {}", parsed.scheme(), known.join(", "));
    }
    if parsed.host_str().is_none_or(str::is_empty) {
        bail!("it has no host");
    }
    Ok(parsed.as_str().trim_end_matches('/').to_owned())
}

pub(super) fn redacted<S: serde::Serializer>(url: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&shown(url))
}

/// Scheme, host and port: the printable part of an address with a key.
pub(crate) fn shown(url: &str) -> String {
    let shown = reqwest::Url::parse(url).ok().map(|url| {
        let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
        let rest = if url.path().len() > 1 || url.query().is_some() { "/***" } else { "" };
        format!("{}://{}{port}{rest}", url.scheme(), url.host_str().unwrap_or_default())
    });
    shown.unwrap_or_else(|| "***".to_owned())
}

#[cfg(test)]
mod tests {
    use superroot_source::{Budget, LiveConfig, LiveNodes, LiveSource};
    use superroot_types::Family;

    use super::*;

    fn error_of(text: &str) -> String {
        format!("{:#}", parse(text, ChainRegistry::builtin()).unwrap_err())
    }

    /// Several nodes of several operators each, so that they can contradict each other.
    #[test]
    fn every_chain_has_nodes_of_several_operators() {
        let endpoints = builtin(ChainRegistry::builtin()).unwrap();
        for endpoint in &endpoints {
            assert!(endpoint.source.is_some() && endpoint.date.is_some(), "{endpoint:?}");
            let is_encrypted =
                ["https://", "wss://"].iter().any(|start| endpoint.url.starts_with(start));
            assert!(is_encrypted, "{endpoint:?}");
        }
        for row in ChainRegistry::builtin().rows() {
            let of_row =
                |one: &&ConfiguredEndpoint| ChainRegistry::builtin().find(&one.chain) == Some(row);
            let nodes = endpoints.iter().filter(of_row).map(|node| {
                let at = superroot_source::EndpointConfig::at(&node.url);
                superroot_source::EndpointConfig { operator: node.operator.clone(), ..at }
            });
            let nodes: Vec<_> = nodes.collect();
            assert!(nodes.len() >= 3, "{}", row.slug);
            let source =
                LiveSource::new(&Budget::default(), row, nodes, LiveConfig::default()).unwrap();
            // boundary nodes of ICP have one operator, but what they say is certified
            let operators = if row.family() == Family::Icp { 1 } else { 2 };
            assert!(source.report().needed.of >= operators, "{}", row.slug);
        }
    }

    #[test]
    fn tables_and_lines_are_read_alike() {
        let tables = "[[endpoint]]\nchain = \"1\"\nurl = \"ws://127.0.0.1:1\"\n";
        let lines = "endpoint = [\n{ chain = \"1\", url = \"ws://127.0.0.1:1\" },\n]";
        let read = |text| parse(text, ChainRegistry::builtin()).unwrap();
        assert_eq!(read(tables), read(lines));
        assert!(read("").is_empty());
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        for (entries, expected) in [
            (
                "chain = \"atlantis\", url = \"http://a\"",
                "endpoint[0]: chain \"atlantis\" is in no row",
            ),
            ("chain = \"1\", url = \"a.example\"", "endpoint[0]: url of 1: it is no url"),
            ("chain = \"1\", url = \"ftp://a\"", "endpoint[0]: url of 1: its scheme is \"ftp\""),
            (
                "chain = \"btc\", url = \"wss://a\"",
                "endpoint[0]: url of btc: its scheme is \"wss\"",
            ),
            (
                "chain = \"1\", url = \"http://a\" }, { chain = \"eth\", url = \"http://A/\"",
                "endpoint[1]: url of eth: this node of Ethereum is there already",
            ),
            (
                "chain = \"btc\", url = \"http://a\", role = \"heimdall\"",
                "endpoint[0]: role of btc: Bitcoin has no Heimdall",
            ),
            ("chain = \"1\", urls = \"http://a\"", "line 2: unknown field `urls`"),
            ("chain = \"1\"", "line 2: missing field `url`"),
        ] {
            let error = error_of(&format!("endpoint = [\n{{ {entries} }}]"));
            assert!(error.starts_with(expected), "{error}");
        }
    }

    /// A key stands in the line at fault more often than not.
    #[test]
    fn no_error_shows_an_address() {
        for text in [
            "endpoint = [{ chain = \"ethereum\", url = \"ftp://host/secretkey\" }]",
            "endpoint = [{ chain = \"ethereum\", url = \"http:///\\\\secretkey:99999\" }]",
            "endpoint = [{ chain = \"ethereum\", url = \"http://host/secretkey\", ur = 1 }]",
            "endpoint = [{ chain = \"ethereum\", url = \"http://host/secretkey }]",
        ] {
            let error = error_of(text);
            assert!(!error.contains("secretkey"), "{error}");
        }
    }

    #[test]
    fn addresses_are_printed_without_their_keys() {
        let url = "https://user:secret@node.example:8545/v3/key?x=token";
        let text = toml::to_string(&ConfiguredEndpoint::new("ethereum", url)).unwrap();
        assert!(text.contains("https://node.example:8545/***"), "{text}");
        assert!(!text.contains("secret") && !text.contains("key") && !text.contains("token"));
        assert_eq!(shown("http://127.0.0.1:8545"), "http://127.0.0.1:8545");
        assert_eq!(shown("no url"), "***");
    }
}
