//! Whether this machine has a network at all: where no chain's nodes can be reached, one line says
//! so in place of one a chain.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use superroot_source::{EndpointReport, EndpointState};
use superroot_types::ChainKey;

/// Words of an error that no node's own fault brings about.
const NO_NAME: [&str; 2] = ["dns error", "failed to lookup address"];
const NO_ROUTE: [&str; 2] = ["network is unreachable", "no route to host"];
/// Of a resolver that drops what it is asked, and of packets that nobody answers, comes nothing at all.
const NOTHING: [&str; 3] = ["no answer within", "timed out", "deadline has elapsed"];

/// Of so many chains it is no chance that no node answers in time.
const SILENT_CHAINS_MIN: usize = 3;

/// What is known of a chain's nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// None was asked yet.
    Unknown,
    /// None answers, and at least one since its name leads nowhere.
    NoName,
    /// None answers, and at least one since no way leads there.
    NoRoute,
    /// None answers in time.
    Silent,
    /// One answered, or failed by itself.
    Reached,
}

/// What is to be told of a chain that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tell {
    /// Its own failure.
    Own,
    /// Nothing: it is told for all chains at once, or will be known soon.
    Nothing,
    /// This, for all chains.
    NoNetwork(String),
}

/// The chains of a service, as far as their nodes can be reached.
#[derive(Debug, Default)]
pub(crate) struct Reachable(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    chains: HashMap<ChainKey, Reach>,
    is_told: bool,
}

impl Reachable {
    /// One more chain, of which nothing is known yet.
    pub(super) fn join(&self, chain: ChainKey) {
        self.state().chains.insert(chain, Reach::Unknown);
    }

    /// The chain's nodes answered.
    pub(super) fn reached(&self, chain: ChainKey) {
        let mut state = self.state();
        state.chains.insert(chain, Reach::Reached);
        state.is_told = false;
    }

    /// The chain failed, and its nodes stand so: what is to be told.
    pub(super) fn failed(&self, chain: ChainKey, nodes: &[EndpointReport]) -> Tell {
        let reach = reach(nodes);
        if reach == Reach::Reached {
            self.reached(chain);
            return Tell::Own;
        }
        let mut state = self.state();
        state.chains.insert(chain, reach);
        let count = state.chains.len();
        let any = |reach| state.chains.values().any(|one| *one == reach);
        // of one chain its own failure says as much
        if count == 1 || any(Reach::Reached) {
            return Tell::Own;
        }
        let why = match (any(Reach::Unknown), any(Reach::NoName), any(Reach::NoRoute)) {
            (true, ..) => return Tell::Nothing,
            (_, true, _) => "no network: no host name could be resolved",
            (_, _, true) => "no network: no way leads to any node",
            _ if count >= SILENT_CHAINS_MIN => "no network, as it seems: no node answers in time",
            _ => return Tell::Own,
        };
        if std::mem::replace(&mut state.is_told, true) {
            return Tell::Nothing;
        }
        Tell::NoNetwork(format!("{why}; no node of {count} chains can be asked"))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn reach(nodes: &[EndpointReport]) -> Reach {
    let mut reach = Reach::Silent;
    for node in nodes {
        let is_out = matches!(node.state, EndpointState::Untried | EndpointState::Down);
        let error = node.last_error.as_deref().unwrap_or_default().to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| error.contains(word));
        reach = match reach {
            _ if !is_out => return Reach::Reached,
            _ if says(&NO_NAME) => Reach::NoName,
            Reach::Silent if says(&NO_ROUTE) => Reach::NoRoute,
            reach if error.is_empty() || says(&NO_ROUTE) || says(&NOTHING) => reach,
            _ => return Reach::Reached,
        };
    }
    // a chain without nodes says nothing of the network
    if nodes.is_empty() { Reach::Reached } else { reach }
}

#[cfg(test)]
mod tests {
    use superroot_types::{ChainId, Family};

    use super::*;
    use EndpointState::{Down, Healthy, Untried};

    const DNS: &str = "cannot be reached: client error (Connect): dns error: failed to lookup \
                       address information: Temporary failure in name resolution";
    const ROUTE: &str =
        "cannot be reached: tcp connect error: Network is unreachable (os error 101)";
    const REFUSED: &str = "cannot be reached: tcp connect error: Connection refused";

    fn node(state: EndpointState, error: &str) -> EndpointReport {
        EndpointReport {
            name: "node".into(),
            operator: "acme".into(),
            state,
            score: 1.0,
            head: None,
            latency_ms: None,
            call_count: 1,
            failure_count: 1,
            last_error: (!error.is_empty()).then(|| error.to_owned()),
        }
    }

    fn chain(id: u64) -> ChainKey {
        ChainKey { family: Family::Evm, id: ChainId(id) }
    }

    fn of(count: u64) -> Reachable {
        let network = Reachable::default();
        (0..count).for_each(|id| network.join(chain(id)));
        network
    }

    /// Some nodes' names are still being looked up when others have failed.
    #[test]
    fn without_a_network_one_line_is_told_for_all_chains() {
        let network = of(3);
        let (dns, silent) = ([node(Down, DNS), node(Untried, "")], [node(Untried, "")]);
        assert_eq!(network.failed(chain(0), &dns), Tell::Nothing, "others may be reached");
        assert_eq!(network.failed(chain(1), &silent), Tell::Nothing);
        let told = network.failed(chain(2), &[node(Down, "no answer within 5000 ms")]);
        let expected =
            "no network: no host name could be resolved; no node of 3 chains can be asked";
        assert_eq!(told, Tell::NoNetwork(expected.to_owned()));
        for id in 0..3 {
            assert_eq!(network.failed(chain(id), &dns), Tell::Nothing, "it is told");
        }
        // it came and went
        network.reached(chain(1));
        assert_eq!(network.failed(chain(0), &dns), Tell::Own);
        assert!(matches!(network.failed(chain(1), &dns), Tell::NoNetwork(_)));
    }

    #[test]
    fn what_is_no_fault_of_the_network_is_told_of_its_chain() {
        for nodes in [
            &[node(Down, DNS), node(Down, REFUSED)][..],
            &[node(Down, DNS), node(Healthy, "")],
            &[],
        ] {
            let network = of(2);
            assert_eq!(network.failed(chain(0), nodes), Tell::Own, "{nodes:?}");
            assert_eq!(network.failed(chain(1), &[node(Down, DNS)]), Tell::Own, "{nodes:?}");
        }
        let network = of(2);
        assert_eq!(network.failed(chain(0), &[node(Untried, "")]), Tell::Nothing);
        let silent = network.failed(chain(1), &[node(Untried, "")]);
        assert_eq!(silent, Tell::Own, "nodes that are slow are no sign of it");
        assert_eq!(of(1).failed(chain(0), &[node(Down, DNS)]), Tell::Own);
    }

    /// A resolver that drops most of what it is asked: some names fail, the others and the connections
    /// come to nothing in time.
    #[test]
    fn without_a_resolver_that_answers_one_line_is_told_for_all_chains() {
        let timeouts = [
            "cannot be reached: error sending request: client error (Connect): operation timed out",
            "cannot be reached: tcp connect error: Connection timed out (os error 110)",
            "cannot be reached: tcp connect error: deadline has elapsed",
            "no answer within 5000 ms",
        ];
        let network = of(timeouts.len() as u64 + 1);
        for (id, timeout) in (1..).zip(timeouts) {
            let nodes = [node(Down, timeout), node(Untried, timeout)];
            assert_eq!(network.failed(chain(id), &nodes), Tell::Nothing, "{timeout}");
        }
        let told = network.failed(chain(0), &[node(Down, timeouts[0]), node(Down, DNS)]);
        assert!(matches!(told, Tell::NoNetwork(_)), "{told:?}");
    }

    /// Names may fail later than all time-outs: what comes then is told already.
    #[test]
    fn many_chains_without_a_sound_are_no_chance() {
        let network = of(3);
        let silent = [node(Down, "no answer within 5000 ms")];
        assert_eq!(network.failed(chain(0), &silent), Tell::Nothing);
        assert_eq!(network.failed(chain(1), &silent), Tell::Nothing);
        let expected = "no network, as it seems: no node answers in time; no node of 3 chains can \
                        be asked";
        assert_eq!(network.failed(chain(2), &silent), Tell::NoNetwork(expected.to_owned()));
        assert_eq!(network.failed(chain(0), &[node(Down, DNS)]), Tell::Nothing, "it is told");
    }

    #[test]
    fn a_network_that_leads_nowhere_is_told_too() {
        let network = of(2);
        assert_eq!(network.failed(chain(0), &[node(Down, ROUTE)]), Tell::Nothing);
        let Tell::NoNetwork(text) = network.failed(chain(1), &[node(Down, ROUTE)]) else {
            panic!("it is told")
        };
        assert!(text.starts_with("no network: no way leads to any node"), "{text}");
    }
}
