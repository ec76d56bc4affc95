//! Operators of nodes: several addresses of the same operator count once.
//!
//! Nodes with a shared key belong to the same operator. Keys: host and port of the address, regardless of scheme and
//! path; and the configured operator name, or otherwise the registered domain (`rpc1.example.co.uk` and
//! `rpc2.example.co.uk` share `example.co.uk`). Local addresses, private networks and single-word names have no
//! registered domain: there, each port is a separate node.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::sync::Arc;

use public_suffix::{DEFAULT_PROVIDER, EffectiveTLDProvider};
use reqwest::Url;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NodeOperator {
    /// Same number for all nodes of an operator.
    pub(crate) number: usize,
    /// Display name, unique per operator.
    pub(crate) name: Arc<str>,
}

struct NodeOwner {
    host: String,
    port: u16,
    /// Registered domain, or a public address.
    registered: Option<String>,
}

impl NodeOwner {
    fn of(url: &Url) -> Self {
        let host = url.host_str().unwrap_or_default();
        let host = host.trim_matches(['[', ']']).trim_end_matches('.').to_lowercase();
        let port = url.port_or_known_default().unwrap_or_default();
        let address = host.parse::<IpAddr>().ok().map(|address| address.to_canonical());
        let is_here = match address {
            Some(address) => address.is_loopback() || address.is_unspecified(),
            None => host == "localhost" || host.ends_with(".localhost"),
        };
        let host = match address {
            _ if is_here => "this machine".to_owned(),
            Some(address) => address.to_string(),
            None => host,
        };
        let registered = match address {
            _ if is_here => None,
            Some(address) => (!is_private(address)).then(|| host.clone()),
            None => DEFAULT_PROVIDER.effective_tld_plus_one(&host).ok().map(str::to_owned),
        };
        Self { host, port, registered }
    }
}

/// Configured operator name, in lower case, because case is ignored.
fn configured(operator: Option<&str>) -> Option<String> {
    operator.map(str::trim).filter(|name| !name.is_empty()).map(str::to_lowercase)
}

/// Operator keys for an address.
pub(crate) fn keys_of(url: &Url, operator: Option<&str>) -> Vec<String> {
    let NodeOwner { host, port, registered } = NodeOwner::of(url);
    let name = configured(operator).or(registered).map(|name| format!("of {name}"));
    [Some(format!("at {host} {port}")), name].into_iter().flatten().collect()
}

/// Configured operator name, or the registered domain if the address may be shown.
pub(crate) fn name_of(url: &Url, operator: Option<&str>, may_show: bool) -> Option<String> {
    let registered = || may_show.then(|| NodeOwner::of(url).registered).flatten();
    configured(operator).or_else(registered)
}

/// Whether an address may be a gateway to several machines.
fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_private() || address.is_link_local(),
        IpAddr::V6(address) => address.is_unique_local() || address.is_unicast_link_local(),
    }
}

/// Assigns operators from each node's keys, operator name and node name. Nodes with shared keys, directly or through
/// other nodes, share an operator; an unnamed operator takes the first node's name.
pub(crate) fn of_nodes(nodes: &[(Vec<String>, Option<String>, Arc<str>)]) -> Vec<NodeOperator> {
    let mut numbers: Vec<usize> = (0..nodes.len()).collect();
    for (at, (keys, ..)) in nodes.iter().enumerate() {
        for (before, (others, ..)) in nodes.iter().enumerate().take(at) {
            if keys.iter().any(|key| others.contains(key)) {
                let joined = numbers[at];
                let to = numbers[before];
                numbers.iter_mut().filter(|one| **one == joined).for_each(|one| *one = to);
            }
        }
    }
    let mut used = HashSet::new();
    let mut names: HashMap<usize, Arc<str>> = HashMap::new();
    let operator = |number: &usize| {
        let name = names.entry(*number).or_insert_with(|| {
            let mut of_it = nodes.iter().zip(&numbers).filter(|(_, of)| *of == number);
            let named = of_it.clone().find_map(|((_, operator, _), _)| operator.as_deref());
            let first = of_it.next().map(|((_, _, node), _)| &**node);
            unused_name(named.or(first).unwrap_or_default(), &mut used)
        });
        NodeOperator { number: *number, name: Arc::clone(name) }
    };
    numbers.iter().map(operator).collect()
}

/// The name, or the first unused `name #n`.
pub(crate) fn unused_name(name: &str, used: &mut HashSet<String>) -> Arc<str> {
    let mut unused = name.to_owned();
    let mut number = 1_u32;
    while !used.insert(unused.clone()) {
        number += 1;
        unused = format!("{name} #{number}");
    }
    unused.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operators(nodes: &[(&str, Option<&str>)]) -> usize {
        let node = |(url, operator): &(&str, Option<&str>)| {
            (keys_of(&Url::parse(url).unwrap(), *operator), None, Arc::from(""))
        };
        let nodes: Vec<_> = nodes.iter().map(node).collect();
        of_nodes(&nodes).iter().map(|one| one.number).collect::<HashSet<_>>().len()
    }

    fn of(urls: &[&str]) -> usize {
        operators(&urls.iter().map(|url| (*url, None)).collect::<Vec<_>>())
    }

    #[test]
    fn one_node_under_many_spellings_counts_once() {
        for urls in [
            &[
                "http://127.0.0.1:19001",
                "ws://127.0.0.1:19001",
                "http://localhost:19001",
                "http://127.0.0.1:19001/?a",
                "http://[::1]:19001",
                "http://[::ffff:127.0.0.1]:19001",
                "http://a.localhost.:19001",
                "http://127.9.9.9:19001",
                "http://0.0.0.0:19001",
                "http://user:pass@LOCALHOST:19001/k",
            ][..],
            &["http://node.lan", "http://node.lan:80/x", "ws://NODE.lan.:80"],
            &["https://a.example.co.uk", "wss://b.c.example.co.uk:8443/key"],
            &["https://rpc.monad.xyz", "https://rpc1.monad.xyz", "https://rpc3.monad.xyz"],
            &["http://8.8.8.8:1", "http://8.8.8.8:2", "http://[::ffff:8.8.8.8]:3"],
            &["http://geth:8545", "ws://geth:8545"],
        ] {
            assert_eq!(of(urls), 1, "{urls:?}");
        }
    }

    #[test]
    fn several_nodes_are_told_apart() {
        for urls in [
            &["http://127.0.0.1:1", "http://127.0.0.1:2", "http://10.0.0.1:1"][..],
            &["http://10.0.0.1:1", "http://10.0.0.1:2", "http://[fd00::1]:1"],
            &["http://geth:8545", "http://reth:8545", "http://geth:8546"],
            &["https://a.co.uk", "https://b.co.uk", "https://a.com"],
            &["http://8.8.8.8", "http://8.8.4.4", "https://dns.google"],
        ] {
            assert_eq!(of(urls), 3, "{urls:?}");
        }
    }

    /// A name joins what addresses do not show to belong together; it tells no node from itself.
    #[test]
    fn an_operators_name_joins_and_does_not_split_one_node() {
        let named = |names: [Option<&str>; 3]| {
            let urls = ["https://a.example", "https://b.test", "https://b.test/other"];
            operators(&urls.into_iter().zip(names).collect::<Vec<_>>())
        };
        assert_eq!(named([None, None, None]), 2);
        assert_eq!(named([Some("Acme"), Some(" acme "), None]), 1);
        assert_eq!(named([None, Some("one"), Some("two")]), 2, "the same host and port");
        assert_eq!(named([Some(""), Some(" "), None]), 2, "no name is none");
        // of one registered name, run by two
        let two =
            [("https://a.co.example.com", Some("x")), ("https://b.co.example.com", Some("y"))];
        assert_eq!(operators(&two), 2);
    }

    fn names(nodes: &[(&[&str], Option<&str>, &str)]) -> Vec<String> {
        let node = |(keys, operator, name): &(&[&str], Option<&str>, &str)| {
            let keys = keys.iter().map(|key| (*key).to_owned()).collect();
            (keys, operator.map(str::to_owned), Arc::from(*name))
        };
        let nodes: Vec<_> = nodes.iter().map(node).collect();
        of_nodes(&nodes).into_iter().map(|operator| operator.name.to_string()).collect()
    }

    #[test]
    fn nodes_that_count_once_show_one_operator_and_no_other_shows_it() {
        assert_eq!(
            names(&[
                (&["x"], None, "first"),
                (&["y"], Some("acme"), "second"),
                (&["x"], None, "third"),
                (&["z", "y"], None, "fourth"),
                (&[], None, "fifth"),
                (&[], Some("first"), "sixth"),
            ]),
            ["first", "acme", "first", "acme", "fifth", "first #2"]
        );
    }

    /// A name given to a node stands in place of its address everywhere.
    #[test]
    fn an_operator_goes_by_its_address_only_where_that_may_be_shown() {
        let name = |url, operator, may_show| name_of(&Url::parse(url).unwrap(), operator, may_show);
        let keyed = "https://token123.eth.example.co.uk/secretsecret";
        assert_eq!(name(keyed, None, true).as_deref(), Some("example.co.uk"));
        assert_eq!(name(keyed, None, false), None);
        assert_eq!(name(keyed, Some(" Acme "), false).as_deref(), Some("acme"));
        assert_eq!(name("http://8.8.8.8:1", None, true).as_deref(), Some("8.8.8.8"));
        for here in ["http://127.0.0.1:1", "http://10.0.0.1:1", "http://geth:8545"] {
            assert_eq!(name(here, None, true), None, "{here}");
        }
    }
}
