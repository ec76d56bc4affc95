//! What is shown of one chain: its numbers, how many of its nodes answer, and why it does not move.

use superroot_api::{ChainStage, ChainView, Reason};
use superroot_source::{EndpointReport, EndpointState};
use superroot_types::{UnixSeconds, duration_text, first_chars};

use crate::cli::style::plain;

/// Longest reason on one line of a log, in characters.
const WHY_CHARS_MAX: usize = 200;

/// One chain's line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) name: String,
    pub(super) stage: ChainStage,
    /// The newest number that its nodes name, or what is held.
    pub(super) head: Option<u64>,
    /// The newest final number held.
    pub(super) finalized: Option<u64>,
    pub(super) anchored: Option<u64>,
    /// Age of the newest anchored block, in seconds.
    pub(super) lag_seconds: Option<u64>,
    pub(super) healthy: usize,
    pub(super) nodes: usize,
    /// Why it does not move, or which of its nodes does not answer; empty when all is well. What went
    /// wrong comes first: a line is cut at the window's edge.
    pub(super) why: String,
    /// The same without a block that is waited for, which changes all the time: for a log.
    pub(super) told: String,
    /// What of it makes another line of a log when it changes.
    pub(super) news: String,
}

/// What of a line is told anew when it changes.
pub(super) type Mark = (ChainStage, usize, usize, String);

/// What a reason says, without figures and without the node it names: those change by themselves.
pub(super) fn without_figures(why: &str) -> String {
    let is_word =
        |word: &&str| !word.contains("://") && !word.contains(|c: char| c.is_ascii_digit());
    why.split_whitespace().filter(is_word).collect::<Vec<_>>().join(" ")
}

/// The newest anchored block of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Anchored {
    pub(super) number: u64,
    /// Its time, where it could be read.
    pub(super) timestamp: Option<UnixSeconds>,
}

impl Line {
    /// A chain's line out of what its loop told.
    pub(super) fn of(
        name: &str,
        view: &ChainView,
        anchored: Option<Anchored>,
        now: UnixSeconds,
        block_time_ms: u64,
    ) -> Self {
        let timestamp = anchored.and_then(|anchored| anchored.timestamp);
        let stage = view.stage(now, block_time_ms);
        let mut reasons = view.reasons(now, block_time_ms);
        if reasons.iter().any(Reason::is_cause) {
            reasons.retain(|reason| *reason != Reason::NothingTaken); // goes without saying
        }
        let (steps, mut reasons): (Vec<_>, Vec<_>) = reasons.into_iter().partition(Reason::is_step);
        if reasons.is_empty() {
            reasons.extend(view.failing_node());
        }
        reasons.extend(view.warning());
        let (steps, told) = (join(steps), join(reasons.clone()));
        let why = if steps.is_empty() || told.is_empty() {
            format!("{steps}{told}")
        } else {
            format!("{steps}; {told}")
        };
        Self {
            name: name.to_owned(),
            stage,
            head: view.newest_head().map(|head| head.0),
            finalized: view.finalized.map(|point| point.number.0),
            anchored: anchored.map(|anchored| anchored.number),
            lag_seconds: timestamp.map(|timestamp| now.0.saturating_sub(timestamp.0)),
            healthy: view.endpoints.iter().filter(|node| is_healthy(node)).count(),
            nodes: view.endpoints.len(),
            why,
            told,
            news: without_figures(&join(reasons.into_iter().map(Reason::without_nodes))),
        }
    }

    /// What makes a new line of a journal: never a figure that moves by itself.
    pub(super) fn mark(&self) -> Mark {
        (self.stage, self.healthy, self.nodes, self.news.clone())
    }

    /// What a person must know of it, besides numbers that always move.
    pub(super) fn state(&self) -> String {
        let Self { name, stage, healthy, nodes, told: why, .. } = self;
        let nodes = if *nodes == 0 { String::new() } else { format!(", {healthy}/{nodes} nodes") };
        let why = if why.is_empty() {
            String::new()
        } else {
            format!(": {}", first_chars(why, WHY_CHARS_MAX))
        };
        format!("{name} {}{nodes}{why}", stage.name().replace('_', " "))
    }

    /// The reason in a few words, where none of its nodes answers for one that is common.
    pub(super) fn short_why(&self) -> String {
        const CAUSES: [(&str, &str); 6] = [
            ("dns error", "no node can be reached (DNS)"),
            ("failed to lookup address", "no node can be reached (DNS)"),
            ("etwork is unreachable", "no node can be reached (no network)"),
            ("onnection refused", "no node can be reached (connection refused)"),
            (" answered within ", "no node answers in time"),
            ("no answer within ", "no node answers in time"),
        ];
        let cause = CAUSES.iter().find(|(words, _)| self.why.contains(words));
        match cause.filter(|_| self.healthy == 0 && self.nodes > 0) {
            Some((_, short)) => (*short).to_owned(),
            None => self.why.clone(),
        }
    }

    pub(super) fn cells(&self) -> [String; 8] {
        let number = |number: Option<u64>| number.map_or_else(|| "-".to_owned(), grouped);
        let nodes = match self.nodes {
            0 => "-".to_owned(),
            nodes => format!("{}/{nodes}", self.healthy),
        };
        [
            self.name.clone(),
            self.stage.name().replace('_', " "),
            number(self.head),
            number(self.finalized),
            number(self.anchored),
            self.lag_seconds.map_or_else(|| "-".to_owned(), duration_text),
            nodes,
            self.why.clone(),
        ]
    }
}

/// These reasons as one text that a terminal obeys no word of.
fn join(reasons: impl IntoIterator<Item = Reason>) -> String {
    let reasons = reasons.into_iter().map(|reason| reason.to_string());
    plain(&reasons.collect::<Vec<_>>().join("; "))
}

fn is_healthy(node: &EndpointReport) -> bool {
    node.state == EndpointState::Healthy
}

/// Where a chain stands in a window that is too small for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    InTrouble,
    Well,
    /// Nothing new of it comes, and some of it is held.
    Past,
    /// Nothing of it is here.
    NotFollowed,
}

impl Line {
    pub(super) fn place(&self) -> Place {
        match self.stage {
            ChainStage::NotFollowed if self.anchored.is_none() => Place::NotFollowed,
            ChainStage::NotFollowed | ChainStage::Withdrawn => Place::Past,
            ChainStage::Planned
            | ChainStage::Starting
            | ChainStage::CatchingUp
            | ChainStage::Backfilling
            | ChainStage::Following
            | ChainStage::Stalled
            | ChainStage::Halted
            | ChainStage::Recorded => {
                if self.why.is_empty() {
                    Place::Well
                } else {
                    Place::InTrouble
                }
            }
        }
    }
}

/// `12,345,678`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}
