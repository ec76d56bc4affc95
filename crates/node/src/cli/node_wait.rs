//! How long a command waits for nodes, and what a person reads meanwhile: nobody sits before a
//! silent terminal, and nobody waits for a node that is not there without having asked for it.

use std::time::Duration;

use anyhow::bail;
use superroot_source::{EndpointReport, EndpointState, LiveConfig, LiveNodes};
use superroot_types::shorten;
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::style::{WARNING, plain};

/// Time between looks at how the nodes fare.
const LOOK_INTERVAL: Duration = Duration::from_millis(250);
/// Time between lines about what is waited for.
const TELL_INTERVAL: Duration = Duration::from_secs(5);
/// Nodes that a line names.
const NAMED_MAX: usize = 4;
/// Characters of a node's own words in a line.
const WHY_CHARS_MAX: usize = 200;
/// Longest wait that can be asked for, in seconds: a day.
const TIMEOUT_SECONDS_MAX: u64 = 86_400;
/// Longest time for one block, in milliseconds: a day, too.
const FETCH_TIMEOUT_MAX_MS: u64 = TIMEOUT_SECONDS_MAX * 1_000;
/// How much longer a block is tried for than nodes are waited for, in milliseconds: a pause of
/// them.
const FETCH_MARGIN_MS: u64 = 10_000;

/// The flag of commands that ask nodes.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(super) struct NodeWaitArgs {
    /// Seconds to wait for nodes that do not answer. Without it a node has to answer at first, and
    /// later on source.fetch_timeout_ms is waited for each block.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=TIMEOUT_SECONDS_MAX))]
    timeout: Option<u64>,
}

impl NodeWaitArgs {
    /// Whether anything is asked for.
    pub(super) const fn is_set(self) -> bool {
        self.timeout.is_some()
    }

    /// The nodes' settings, with that time for a block.
    pub(super) fn over(self, config: LiveConfig) -> LiveConfig {
        match self.timeout {
            // a little more, so that it ends with the words of who waited
            Some(seconds) => LiveConfig {
                fetch_timeout_ms: (seconds * 1_000 + FETCH_MARGIN_MS).min(FETCH_TIMEOUT_MAX_MS),
                attempts_max: 1_000,
                ..config
            },
            None => config,
        }
    }

    /// The wait for nodes of the chain of that name.
    pub(super) fn of(self, name: &str, config: &LiveConfig) -> NodeWait {
        let timeout = self.timeout.map(Duration::from_secs);
        let now = Instant::now();
        NodeWait {
            name: name.to_owned(),
            timeout,
            fetch_timeout_ms: config.fetch_timeout_ms,
            has_answered: false,
            silent_since: now,
            told_at: None,
            began_at: now,
        }
    }
}

/// One wait for the nodes of one chain.
pub(super) struct NodeWait {
    name: String,
    timeout: Option<Duration>,
    fetch_timeout_ms: u64,
    /// Whether a node ever did.
    has_answered: bool,
    silent_since: Instant,
    told_at: Option<Instant>,
    began_at: Instant,
}

impl NodeWait {
    /// Does the work, and tells every few seconds which nodes keep it waiting.
    ///
    /// # Errors
    /// Where no node answers: at once where none ever did and nobody asked to wait, else after the
    /// time that was asked for.
    pub(super) async fn with<T>(
        &mut self,
        nodes: Option<&dyn LiveNodes>,
        mut line: impl FnMut(&str),
        work: impl Future<Output = T>,
    ) -> anyhow::Result<T> {
        let mut work = std::pin::pin!(work);
        let mut looks = interval(LOOK_INTERVAL);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                done = &mut work => return Ok(done),
                _ = looks.tick() => {
                    let endpoints = nodes.map(|nodes| nodes.report().endpoints).unwrap_or_default();
                    if let Some(text) = self.look(&endpoints, Instant::now())? {
                        line(&format!("{WARNING}waiting{WARNING:#}  {text}"));
                    }
                }
            }
        }
    }

    /// What is to be told of the nodes now.
    fn look(&mut self, nodes: &[EndpointReport], now: Instant) -> anyhow::Result<Option<String>> {
        let is_silent = !nodes.is_empty() && nodes.iter().all(failed);
        if nodes.iter().any(answers) {
            self.has_answered = true;
        }
        if !is_silent {
            self.silent_since = now;
        }
        let silent = now.duration_since(self.silent_since);
        let waiting: Vec<_> = nodes.iter().filter(|node| !is_healthy(node)).collect();
        let name = &self.name;
        match self.timeout {
            None if is_silent && !self.has_answered => bail!(
                "no node of {name} can be asked: {}; --timeout SECONDS waits for one",
                in_words(&waiting)
            ),
            Some(timeout) if is_silent && silent >= timeout => bail!(
                "no node of {name} could be asked within the {} s of --timeout: {}",
                timeout.as_secs(),
                in_words(&waiting)
            ),
            _ => {}
        }
        let last = self.told_at.unwrap_or(self.began_at);
        let is_first = is_silent && self.told_at.is_none();
        if waiting.is_empty() || (!is_first && now.duration_since(last) < TELL_INTERVAL) {
            return Ok(None);
        }
        self.told_at = Some(now);
        let until = match self.timeout {
            Some(timeout) if is_silent => {
                let left = timeout.saturating_sub(silent).as_secs();
                format!("{left} s left of --timeout")
            }
            _ => {
                let seconds = self.fetch_timeout_ms / 1_000;
                let key = match self.timeout {
                    Some(_) => "--timeout",
                    None => "source.fetch_timeout_ms, --timeout",
                };
                format!("a block is given up after {seconds} s ({key})")
            }
        };
        Ok(Some(format!("for nodes of {name}: {}; {until}", in_words(&waiting))))
    }
}

/// Whether it was asked, and did not answer.
fn failed(node: &EndpointReport) -> bool {
    let is_out = matches!(node.state, EndpointState::Untried | EndpointState::Down);
    is_out && node.last_error.is_some()
}

fn answers(node: &EndpointReport) -> bool {
    !matches!(node.state, EndpointState::Untried | EndpointState::Down)
}

fn is_healthy(node: &EndpointReport) -> bool {
    matches!(node.state, EndpointState::Healthy | EndpointState::Lagging)
}

/// Each node and what keeps it; the words of nodes obey nothing on the terminal.
fn in_words(nodes: &[&EndpointReport]) -> String {
    let one = |node: &&EndpointReport| match &node.last_error {
        Some(error) => format!("{} ({})", plain(&node.name), shorten(&plain(error), WHY_CHARS_MAX)),
        None => format!("{} has not answered yet", plain(&node.name)),
    };
    let mut words: Vec<_> = nodes.iter().take(NAMED_MAX).map(one).collect();
    if nodes.len() > NAMED_MAX {
        words.push(format!("{} more", nodes.len() - NAMED_MAX));
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use superroot_source::NodesReport;
    use tokio::time::sleep;

    use super::*;

    /// Nodes of which nothing but their report matters here.
    struct Nodes(Mutex<Vec<EndpointReport>>);

    impl Nodes {
        fn of(states: &[(EndpointState, Option<&str>)]) -> Self {
            let nodes = Self(Mutex::default());
            nodes.set(states);
            nodes
        }

        fn set(&self, states: &[(EndpointState, Option<&str>)]) {
            let node =
                |(place, (state, error)): (usize, &(EndpointState, Option<&str>))| EndpointReport {
                    name: format!("node {place}"),
                    operator: "acme".into(),
                    state: *state,
                    score: 1.0,
                    head: None,
                    latency_ms: None,
                    call_count: 1,
                    failure_count: 1,
                    last_error: error.map(str::to_owned),
                };
            *self.0.lock().unwrap() = states.iter().enumerate().map(node).collect();
        }
    }

    impl LiveNodes for Nodes {
        fn blame(&self, _: &str, _: &str) {}
        fn report(&self) -> NodesReport {
            NodesReport { endpoints: self.0.lock().unwrap().clone(), ..NodesReport::default() }
        }
    }

    use EndpointState::{Down, Healthy, Untried};

    const REFUSED: Option<&str> = Some("cannot be reached: Connection refused");

    fn wait(timeout: Option<u64>) -> NodeWait {
        NodeWaitArgs { timeout }.of("Base", &LiveConfig::default())
    }

    /// Runs work of so many seconds; gives the lines, what came of it, and how long it took.
    async fn run(
        wait: &mut NodeWait,
        nodes: &Nodes,
        seconds: u64,
    ) -> (Vec<String>, anyhow::Result<()>, Duration) {
        let (mut lines, begun) = (Vec::new(), Instant::now());
        let work = sleep(Duration::from_secs(seconds));
        let done = wait.with(Some(nodes), |line| lines.push(line.to_owned()), work).await;
        (lines, done, begun.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn nodes_that_refuse_are_not_waited_for_unless_that_is_asked_for() {
        let nodes = Nodes::of(&[(Untried, REFUSED), (Down, REFUSED)]);
        let (_, done, took) = run(&mut wait(None), &nodes, 60).await;
        let error = done.unwrap_err().to_string();
        assert!(
            error.starts_with("no node of Base can be asked: node 0 (cannot be reached"),
            "{error}"
        );
        assert!(error.ends_with("--timeout SECONDS waits for one"), "{error}");
        assert!(took < Duration::from_secs(1), "{took:?}");
        let (lines, done, took) = run(&mut wait(Some(12)), &nodes, 60).await;
        let error = done.unwrap_err().to_string();
        assert!(error.contains("asked within the 12 s of --timeout: node 0"), "{error}");
        assert!((12..13).contains(&took.as_secs()), "{took:?}");
        assert_eq!(lines.len(), 3, "at once, and every five seconds: {lines:?}");
        assert!(lines[0].contains("12 s left of --timeout"), "{lines:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_node_is_told_of_with_what_ends_the_wait() {
        let nodes = Nodes::of(&[(Untried, None), (Healthy, None)]);
        let (lines, done, _) = run(&mut wait(None), &nodes, 11).await;
        assert!(done.is_ok());
        assert_eq!(lines.len(), 2, "{lines:?}");
        for line in &lines {
            assert!(line.contains("for nodes of Base: node 0 has not answered yet"), "{line}");
            assert!(line.contains("given up after 60 s (source.fetch_timeout_ms, --timeout)"));
        }
    }

    /// What went well for hours is not ended by a second without nodes.
    #[tokio::test(start_paused = true)]
    async fn nodes_that_answered_once_are_waited_for() {
        let (nodes, mut wait) = (Nodes::of(&[(Healthy, None)]), wait(None));
        let (lines, done, _) = run(&mut wait, &nodes, 7).await;
        assert!(done.is_ok() && lines.is_empty(), "{lines:?}");
        nodes.set(&[(Down, REFUSED)]);
        let (lines, done, _) = run(&mut wait, &nodes, 7).await;
        assert!(done.is_ok(), "{done:?}");
        assert!(lines[0].contains("node 0 (cannot be reached"), "{lines:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn work_that_needs_no_node_is_done_whoever_is_down() {
        let nodes = Nodes::of(&[(Down, REFUSED)]);
        let done = wait(None).with(Some(&nodes), |_| (), async { 7 }).await;
        assert_eq!(done.unwrap(), 7);
    }

    #[test]
    fn the_wait_is_the_time_of_a_block_too() {
        let config = LiveConfig::default();
        assert_eq!(NodeWaitArgs::default().over(config), config);
        for (seconds, ms) in [(1, 11_000), (TIMEOUT_SECONDS_MAX, 86_400_000)] {
            let patient = NodeWaitArgs { timeout: Some(seconds) }.over(config);
            assert_eq!(patient.fetch_timeout_ms, ms);
            assert!(patient.check().is_ok());
        }
    }

    #[test]
    fn words_of_nodes_are_bounded_and_obey_nothing() {
        let evil = "x\u{1b}[2J".repeat(1_000);
        let nodes = Nodes::of(&[(Down, Some(evil.as_str())); 9]).report().endpoints;
        let words = in_words(&nodes.iter().collect::<Vec<_>>());
        assert!(!words.contains('\u{1b}') && words.len() < 2_000, "{words}");
        assert!(words.ends_with(", 5 more"), "{words}");
    }
}
