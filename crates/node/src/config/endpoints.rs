//! Which nodes are asked: a list, one a line, that is built in, a file, or part of the configuration.

use std::collections::HashSet;
use std::path::Path;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use superroot_chain::{ChainRow, Registry};
use superroot_types::ChainKey;
use toml::Spanned;

/// The list of this build.
const BUILTIN: &str = include_str!("../../../../config/endpoints.toml");
/// Largest file of endpoints, in bytes.
const FILE_BYTES_MAX: u64 = 4 << 20;
/// Most endpoints of one chain.
const CHAIN_ENDPOINTS_MAX: usize = 64;

/// A node to ask. Its URL may hold a key, and is never printed whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EndpointConfig {
    /// Name, id, alias or CAIP-2 name of a row.
    pub(crate) chain: String,
    /// `http`, `https`, `ws` or `wss`; of Bitcoin's family the first two.
    #[serde(serialize_with = "redacted")]
    pub(crate) url: String,
    /// Who runs it, where its host's registered name does not tell.
    pub(crate) operator: Option<String>,
    /// Where the address is published.
    source: Option<String>,
    /// When it was read there.
    date: Option<String>,
}

impl EndpointConfig {
    /// A node of a chain, from a list of URLs.
    pub(super) fn new(chain: &str, url: &str) -> Self {
        let (chain, url) = (chain.to_owned(), url.to_owned());
        Self { chain, url, operator: None, source: None, date: None }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    endpoint: Vec<Spanned<EndpointConfig>>,
}

/// The list of this build.
pub(crate) fn builtin(registry: &Registry) -> anyhow::Result<Vec<EndpointConfig>> {
    parse(BUILTIN, registry).context("the built-in endpoints")
}

/// The list of a file; an error names its line.
pub(crate) fn read(file: &Path, registry: &Registry) -> anyhow::Result<Vec<EndpointConfig>> {
    let shown = file.display();
    let about = || format!("cannot read the endpoints of {shown}");
    let size = std::fs::metadata(file).with_context(about)?.len();
    if size > FILE_BYTES_MAX {
        bail!("{shown} has {size} bytes, expected at most {FILE_BYTES_MAX}");
    }
    let text = std::fs::read_to_string(file).with_context(about)?;
    parse(&text, registry).with_context(|| shown.to_string())
}

fn parse(text: &str, registry: &Registry) -> anyhow::Result<Vec<EndpointConfig>> {
    // the parser's own words show the line at fault, which may hold a key
    let file: File = toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(0, |span| line_of(text, span.start));
        anyhow::anyhow!("line {line}: {}", error.message())
    })?;
    let lines: Vec<_> = file.endpoint.iter().map(|one| line_of(text, one.span().start)).collect();
    let endpoints: Vec<_> = file.endpoint.into_iter().map(Spanned::into_inner).collect();
    check(&endpoints, registry, |index| format!("line {}", lines[index]))?;
    Ok(endpoints)
}

/// Checks that each entry names a chain and an address, and none twice; `place` says where an entry
/// stands.
pub(super) fn check(
    endpoints: &[EndpointConfig],
    registry: &Registry,
    place: impl Fn(usize) -> String,
) -> anyhow::Result<()> {
    let mut seen: HashSet<(ChainKey, String)> = HashSet::new();
    for (index, endpoint) in endpoints.iter().enumerate() {
        let EndpointConfig { chain, url, .. } = endpoint;
        let place = place(index);
        let Some(row) = registry.find(chain) else {
            bail!("{place}: chain {chain:?} is in no row of the registry");
        };
        let address = address(url, row).with_context(|| format!("{place}: url of {chain}"))?;
        if !seen.insert((row.key(), address)) {
            bail!("{place}: url of {chain}: this node of {} is there already", row.name);
        }
        let of_chain = seen.iter().filter(|(key, _)| *key == row.key()).count();
        if of_chain > CHAIN_ENDPOINTS_MAX {
            bail!("{place}: more than {CHAIN_ENDPOINTS_MAX} endpoints of {}", row.name);
        }
    }
    Ok(())
}

/// An address in the one form that two spellings share. Its text is in no error: it may hold a key.
fn address(url: &str, row: &ChainRow) -> anyhow::Result<String> {
    let Ok(parsed) = reqwest::Url::parse(url) else {
        bail!("it is no url");
    };
    if !matches!(parsed.scheme(), "http" | "https" | "ws" | "wss") {
        bail!("its scheme is {:?}, expected http, https, ws or wss", parsed.scheme());
    }
    if !row.ledger.has_websocket() && matches!(parsed.scheme(), "ws" | "wss") {
        let scheme = parsed.scheme();
        bail!(
            "its scheme is {scheme:?}, expected http or https: nodes of {} have no other",
            row.name
        );
    }
    if parsed.host_str().is_none_or(str::is_empty) {
        bail!("it has no host");
    }
    Ok(parsed.as_str().trim_end_matches('/').to_owned())
}

fn line_of(text: &str, byte: usize) -> usize {
    text.bytes().take(byte).filter(|byte| *byte == b'\n').count() + 1
}

/// Scheme, host and port: what is shown of an address that may hold a key.
pub(super) fn redacted<S: serde::Serializer>(url: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&shown(url))
}

/// Scheme, host and port: what is shown of an address that may hold a key.
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
    use std::collections::HashMap;

    use super::*;

    fn error_of(text: &str) -> String {
        format!("{:#}", parse(text, Registry::builtin()).unwrap_err())
    }

    /// The chains of the first two families, and several nodes each, so that they can disagree.
    #[test]
    fn every_evm_chain_and_bitcoin_has_several_nodes() {
        let endpoints = builtin(Registry::builtin()).unwrap();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for endpoint in &endpoints {
            *counts.entry(endpoint.chain.as_str()).or_default() += 1;
            assert!(endpoint.source.is_some() && endpoint.date.is_some(), "{endpoint:?}");
            assert!(endpoint.url.starts_with("https://"), "{endpoint:?}");
        }
        let rows = Registry::builtin().rows().iter();
        let wanted = rows.filter(|row| row.status() == superroot_chain::Status::Collected);
        let wanted: Vec<_> = wanted.map(|row| row.slug.as_str()).collect();
        assert_eq!((wanted.len(), counts.len()), (20, 20));
        for slug in wanted {
            assert!(counts.get(slug).is_some_and(|count| *count >= 3), "{slug}: {counts:?}");
        }
    }

    /// With one operator alone nobody could contradict it.
    #[test]
    fn every_chain_has_nodes_of_several_operators() {
        let endpoints = builtin(Registry::builtin()).unwrap();
        for row in Registry::builtin().rows() {
            let of_row = |one: &&EndpointConfig| Registry::builtin().find(&one.chain) == Some(row);
            let nodes: Vec<_> = endpoints.iter().filter(of_row).collect();
            if nodes.is_empty() {
                continue;
            }
            let nodes = nodes.iter().map(|node| superroot_source::EndpointConfig {
                operator: node.operator.clone(),
                ..superroot_source::EndpointConfig::at(&node.url)
            });
            let config = superroot_source::LiveConfig::default();
            let budget = superroot_source::Budget::default();
            let source =
                superroot_source::LiveSource::new(&budget, row, nodes.collect(), config).unwrap();
            let needed = superroot_source::LiveNodes::report(&source).needed;
            assert!(needed.of >= 2, "{}: {needed:?}", row.slug);
        }
    }

    #[test]
    fn the_built_in_list_has_one_entry_a_line() {
        let lines = BUILTIN.lines().filter(|line| line.trim_start().starts_with("{ chain = "));
        assert_eq!(lines.count(), builtin(Registry::builtin()).unwrap().len());
    }

    #[test]
    fn tables_and_lines_are_read_alike() {
        let tables = "[[endpoint]]\nchain = \"1\"\nurl = \"ws://127.0.0.1:1\"\n";
        let lines = "endpoint = [\n{ chain = \"1\", url = \"ws://127.0.0.1:1\" },\n]";
        let read = |text| parse(text, Registry::builtin()).unwrap();
        assert_eq!(read(tables), read(lines));
        assert!(read("").is_empty());
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let entry = |chain: &str, url: &str| {
            format!("# a list\nendpoint = [\n  {{ chain = \"{chain}\", url = \"{url}\" }},\n]\n")
        };
        for (chain, url, expected) in [
            ("atlantis", "http://a", "line 3: chain \"atlantis\" is in no row"),
            ("ethereum", "a.example", "line 3: url of ethereum: it is no url"),
            ("ethereum", "ftp://a.example", "line 3: url of ethereum: its scheme is \"ftp\""),
            (
                "bitcoin",
                "wss://a.example",
                "line 3: url of bitcoin: its scheme is \"wss\", expected",
            ),
            ("ethereum", "unix:/run/node", "line 3: url of ethereum: its scheme is \"unix\""),
        ] {
            let error = error_of(&entry(chain, url));
            assert!(error.starts_with(expected), "{error}");
        }
        let twice = "endpoint = [\n{ chain = \"ethereum\", url = \"http://a\" },\n\
                     { chain = \"eip155:1\", url = \"http://A/\" }]";
        assert!(error_of(twice).starts_with("line 3: url of eip155:1: this node of Ethereum"));
        let unknown = "endpoint = [\n{ chain = \"ethereum\", urls = \"http://a\" }]";
        assert!(error_of(unknown).starts_with("line 2: unknown field `urls`"));
        let missing = "endpoint = [\n\n{ chain = \"ethereum\" }]";
        assert!(error_of(missing).starts_with("line 3: missing field `url`"));
        assert!(error_of("endpoints = []").starts_with("line 1: unknown field `endpoints`"));
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
        let text = toml::to_string(&EndpointConfig::new("ethereum", url)).unwrap();
        assert!(text.contains("https://node.example:8545/***"), "{text}");
        assert!(!text.contains("secret") && !text.contains("key") && !text.contains("token"));
        assert_eq!(shown("http://127.0.0.1:8545"), "http://127.0.0.1:8545");
        assert_eq!(shown("no url"), "***");
    }
}
