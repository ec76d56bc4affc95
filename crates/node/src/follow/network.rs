//! Whether any chain's nodes can be reached: where those of all chains fail, one line says so in place of
//! one a chain.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use superroot_source::{EndpointReport, EndpointState};
use superroot_types::ChainKey;

/// Of so many chains it is no chance that no node answers.
const CHAINS_MIN: usize = 3;

/// What is to be logged of a chain that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToLog {
    /// Its own failure.
    Own,
    /// Nothing: it is logged for all chains at once, or will be known soon.
    Nothing,
    /// That no node of so many chains can be asked.
    NoNode { chains: usize },
}

/// The chains of a service, as far as their nodes can be reached.
#[derive(Debug, Default)]
pub(crate) struct Reachable(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Whether a node of it answered, or failed otherwise than by silence; none: not known yet.
    chains: HashMap<ChainKey, Option<bool>>,
    is_logged: bool,
}

impl Reachable {
    /// One more chain, of which nothing is known yet.
    pub(super) fn join(&self, chain: ChainKey) {
        self.state().chains.insert(chain, None);
    }

    /// The chain's nodes answered.
    pub(super) fn reached(&self, chain: ChainKey) {
        let mut state = self.state();
        state.chains.insert(chain, Some(true));
        state.is_logged = false;
    }

    /// The chain failed, and its nodes stand so: what is to be logged.
    pub(super) fn failed(&self, chain: ChainKey, nodes: &[EndpointReport]) -> ToLog {
        let is_out = |node: &EndpointReport| {
            matches!(node.state, EndpointState::Untried | EndpointState::Down)
        };
        if nodes.is_empty() || !nodes.iter().all(is_out) {
            self.reached(chain);
            return ToLog::Own;
        }
        let mut state = self.state();
        state.chains.insert(chain, Some(false));
        let chains = state.chains.len();
        if chains < CHAINS_MIN || state.chains.values().any(|reached| *reached == Some(true)) {
            return ToLog::Own;
        }
        if state.chains.values().any(Option::is_none) || state.is_logged {
            return ToLog::Nothing;
        }
        state.is_logged = true;
        ToLog::NoNode { chains }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use superroot_types::{ChainId, Family};

    use super::*;
    use EndpointState::{Down, Healthy, Untried};

    fn nodes(states: &[EndpointState]) -> Vec<EndpointReport> {
        let node = |state: &EndpointState| EndpointReport {
            name: "node".into(),
            operator: "acme".into(),
            state: *state,
            score: 1.0,
            head: None,
            latency_ms: None,
            call_count: 1,
            failure_count: 1,
            last_error: None,
        };
        states.iter().map(node).collect()
    }

    fn chain(id: u64) -> ChainKey {
        ChainKey { family: Family::Evm, id: ChainId(id) }
    }

    fn of(count: u64) -> Reachable {
        let network = Reachable::default();
        (0..count).for_each(|id| network.join(chain(id)));
        network
    }

    #[test]
    fn without_a_network_one_line_is_logged_for_all_chains() {
        let (network, out) = (of(3), nodes(&[Down, Untried]));
        assert_eq!(network.failed(chain(0), &out), ToLog::Nothing, "others may be reached");
        assert_eq!(network.failed(chain(1), &out), ToLog::Nothing);
        assert_eq!(network.failed(chain(2), &out), ToLog::NoNode { chains: 3 });
        for id in 0..3 {
            assert_eq!(network.failed(chain(id), &out), ToLog::Nothing, "it is logged");
        }
        // it came and went
        network.reached(chain(1));
        assert_eq!(network.failed(chain(0), &out), ToLog::Own);
        assert_eq!(network.failed(chain(1), &out), ToLog::NoNode { chains: 3 });
    }

    #[test]
    fn what_is_no_fault_of_the_network_is_logged_of_its_chain() {
        for reached in [&[Down, Healthy][..], &[]] {
            let network = of(3);
            assert_eq!(network.failed(chain(0), &nodes(reached)), ToLog::Own);
            assert_eq!(network.failed(chain(1), &nodes(&[Down])), ToLog::Own);
        }
        let network = of(2);
        assert_eq!(network.failed(chain(0), &nodes(&[Down])), ToLog::Own, "two may be chance");
    }
}
