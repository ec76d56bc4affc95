//! Line for a chain: numbers, answering nodes, and why the chain does not move.

use std::mem::{Discriminant, discriminant};

use superroot_api::{ChainStage, ChainView, StallReason};
use superroot_source::{EndpointState, NodeReport};
use superroot_types::{UnixSeconds, duration_text, first_chars};

use crate::cli::style::plain;

const WHY_CHARS_MAX: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChainLine {
    pub(super) name: String,
    pub(super) stage: ChainStage,
    /// Newest number from nodes, else from the store.
    pub(super) head: Option<u64>,
    /// Newest final stored number.
    pub(super) finalized: Option<u64>,
    pub(super) anchored: Option<u64>,
    /// Age of the newest anchored block, in seconds.
    pub(super) lag_seconds: Option<u64>,
    pub(super) healthy: usize,
    pub(super) nodes: usize,
    /// Why the chain does not move, or failed nodes; empty if all is well. The main fault comes first, because a line
    /// is cut at the window's edge.
    pub(super) why: String,
    /// Reason without step details, which change all the time. A new reason makes a new log line.
    news: Vec<Discriminant<StallReason>>,
}

/// Parts that make a new line on change.
pub(super) type Mark = (ChainStage, usize, usize, Vec<Discriminant<StallReason>>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AnchoredBlock {
    pub(super) number: u64,
    pub(super) timestamp: Option<UnixSeconds>,
}

impl ChainLine {
    pub(super) fn of(
        name: &str,
        view: &ChainView,
        anchored: Option<AnchoredBlock>,
        now: UnixSeconds,
        block_time_ms: u64,
    ) -> Self {
        let timestamp = anchored.and_then(|anchored| anchored.timestamp);
        let stage = view.stage(now, block_time_ms);
        let mut reasons = view.reasons(now, block_time_ms);
        if reasons.iter().any(StallReason::is_cause) {
            reasons.retain(|reason| *reason != StallReason::NothingTaken); // goes without saying
        }
        let (mut steps, mut reasons): (Vec<_>, Vec<_>) =
            reasons.into_iter().partition(StallReason::is_step);
        if reasons.is_empty() {
            reasons.extend(view.failing_node());
        }
        reasons.extend(view.warning().into_iter().chain(view.left_out()));
        let news = reasons.iter().map(discriminant).collect();
        steps.append(&mut reasons);
        Self {
            name: name.to_owned(),
            stage,
            head: view.newest_head().map(|head| head.0),
            finalized: view.finalized.map(|point| point.number.0),
            anchored: anchored.map(|anchored| anchored.number),
            lag_seconds: timestamp.map(|timestamp| now.0.saturating_sub(timestamp.0)),
            healthy: view.endpoints.iter().filter(|node| is_healthy(node)).count(),
            nodes: view.endpoints.len(),
            why: plain(&steps.iter().map(StallReason::to_string).collect::<Vec<_>>().join("; ")),
            news,
        }
    }

    /// Key for a new line, without self-moving figures.
    pub(super) fn mark(&self) -> Mark {
        (self.stage, self.healthy, self.nodes, self.news.clone())
    }

    /// State for people, besides moving numbers.
    pub(super) fn state(&self) -> String {
        let Self { name, stage, healthy, nodes, why, .. } = self;
        let nodes = if *nodes == 0 { String::new() } else { format!(", {healthy}/{nodes} nodes") };
        let why = if why.is_empty() {
            String::new()
        } else {
            format!(": {}", first_chars(why, WHY_CHARS_MAX))
        };
        format!("{name} {}{nodes}{why}", stage.name().replace('_', " "))
    }

    /// Whether the chain has no data, now or later.
    pub(super) fn is_left_out(&self) -> bool {
        self.stage == ChainStage::NotFollowed && self.anchored.is_none()
    }

    pub(super) fn is_in_trouble(&self) -> bool {
        !self.why.is_empty()
            && !matches!(self.stage, ChainStage::NotFollowed | ChainStage::Withdrawn)
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

fn is_healthy(node: &NodeReport) -> bool {
    node.state == EndpointState::Healthy
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
