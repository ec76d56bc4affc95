//! Early failure if no node can be reached.

use std::time::Duration;

use anyhow::bail;
use superroot_source::{EndpointState, LiveNodes, NodeReport};
use superroot_types::shorten;
use tokio::time::interval;

use super::style::plain;

const LOOK_INTERVAL: Duration = Duration::from_millis(250);
const NAMED_MAX: usize = 4;
const WHY_CHARS_MAX: usize = 200;

pub(super) struct NodeWait {
    name: String,
    has_answered: bool,
}

impl NodeWait {
    pub(super) fn of(name: &str) -> Self {
        Self { name: name.to_owned(), has_answered: false }
    }

    /// Runs the work. An error if all nodes failed and none ever answered.
    pub(super) async fn with<T>(
        &mut self,
        nodes: Option<&dyn LiveNodes>,
        work: impl Future<Output = T>,
    ) -> anyhow::Result<T> {
        let mut work = std::pin::pin!(work);
        let mut looks = interval(LOOK_INTERVAL);
        loop {
            tokio::select! {
                biased;
                done = &mut work => return Ok(done),
                _ = looks.tick(), if !self.has_answered => {
                    let nodes = nodes.map(|nodes| nodes.report().endpoints).unwrap_or_default();
                    self.has_answered = nodes.iter().any(|node| !is_out(node));
                    let failed = |node: &NodeReport| is_out(node) && node.last_error.is_some();
                    if !nodes.is_empty() && nodes.iter().all(failed) {
                        bail!("no node of {} can be asked: {}", self.name, in_words(&nodes));
                    }
                }
            }
        }
    }
}

const fn is_out(node: &NodeReport) -> bool {
    matches!(node.state, EndpointState::Untried | EndpointState::Down)
}

/// Nodes and errors. Control characters in node texts are escaped.
fn in_words(nodes: &[NodeReport]) -> String {
    let one = |node: &NodeReport| {
        let why = plain(node.last_error.as_deref().unwrap_or_default());
        format!("{} ({})", plain(&node.name), shorten(&why, WHY_CHARS_MAX))
    };
    let mut words: Vec<_> = nodes.iter().take(NAMED_MAX).map(one).collect();
    if nodes.len() > NAMED_MAX {
        words.push(format!("{} more", nodes.len() - NAMED_MAX));
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use superroot_source::NodesReport;
    use tokio::time::sleep;

    use super::EndpointState::{Down, Healthy, Untried};
    use super::*;

    /// Nodes of which nothing but their report matters here.
    struct Nodes(Vec<NodeReport>);

    impl Nodes {
        fn of(states: &[(EndpointState, Option<&str>)]) -> Self {
            let node = |(state, error): &(EndpointState, Option<&str>)| NodeReport {
                name: "node".into(),
                operator: "acme".into(),
                state: *state,
                score: 1.0,
                head: None,
                latency_ms: None,
                call_count: 1,
                failure_count: 1,
                last_error: error.map(str::to_owned),
            };
            Self(states.iter().map(node).collect())
        }
    }

    impl LiveNodes for Nodes {
        fn blame(&self, _: &str, _: &str) {}
        fn report(&self) -> NodesReport {
            NodesReport { endpoints: self.0.clone(), ..NodesReport::default() }
        }
    }

    const REFUSED: Option<&str> = Some("cannot be reached: Connection refused");

    /// What went well once is not ended by a second without nodes; a silent node is waited for.
    #[tokio::test(start_paused = true)]
    async fn only_nodes_that_refuse_from_the_first_are_not_waited_for() {
        let mut wait = NodeWait::of("Base");
        for states in
            [&[(Untried, None), (Down, REFUSED)][..], &[(Healthy, None)], &[(Down, REFUSED)]]
        {
            let nodes = Nodes::of(states);
            wait.with(Some(&nodes), sleep(Duration::from_secs(60))).await.unwrap();
        }
        let (nodes, mut wait) =
            (Nodes::of(&[(Untried, REFUSED), (Down, REFUSED)]), NodeWait::of("Base"));
        let error = wait.with(Some(&nodes), sleep(Duration::from_secs(60))).await.unwrap_err();
        assert!(
            error.to_string().starts_with("no node of Base can be asked: node (cannot be reached")
        );
        assert_eq!(wait.with(Some(&nodes), async { 7 }).await.unwrap(), 7, "it needs no node");
    }

    #[test]
    fn words_of_nodes_are_bounded_and_obey_nothing() {
        let evil = "x\u{1b}[2J".repeat(1_000);
        let words = in_words(&Nodes::of(&[(Down, Some(evil.as_str())); 9]).0);
        assert!(!words.contains('\u{1b}') && words.len() < 2_000, "{words}");
        assert!(words.ends_with(", 5 more"), "{words}");
    }
}
