//! What is shown, as text: pure, so that a test can read it.

use superroot_api::{ChainStage, ChainView};
use superroot_source::{EndpointReport, EndpointState};
use superroot_types::UnixSeconds;

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
    pub(super) why: String,
}

/// What of a line is told anew when it changes.
pub(super) type Mark = (ChainStage, usize, usize, String);

/// What a reason says, without figures and without the node it names: those change by themselves.
fn reason(why: &str) -> String {
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
        Self {
            name: name.to_owned(),
            stage: view.stage(now, block_time_ms),
            head: view.head.map(|point| point.number.0).max(view.claimed.map(|it| it.head.0)),
            finalized: view.finalized.map(|point| point.number.0),
            anchored: anchored.map(|anchored| anchored.number),
            lag_seconds: timestamp.map(|timestamp| now.0.saturating_sub(timestamp.0)),
            healthy: view.endpoints.iter().filter(|node| is_healthy(node)).count(),
            nodes: view.endpoints.len(),
            why: [why(view, now, block_time_ms), view.warning().unwrap_or_default().to_owned()]
                .into_iter()
                .filter(|text| !text.is_empty())
                .collect::<Vec<_>>()
                .join("; "),
        }
    }

    /// What makes a new line of a journal: never a figure that moves by itself.
    pub(super) fn mark(&self) -> Mark {
        (self.stage, self.healthy, self.nodes, reason(&self.why))
    }

    /// What a person must know of it, besides numbers that always move.
    pub(super) fn state(&self) -> String {
        let Self { name, stage, healthy, nodes, why, .. } = self;
        let nodes = if *nodes == 0 { String::new() } else { format!(", {healthy}/{nodes} nodes") };
        let why = if why.is_empty() { String::new() } else { format!(": {}", cut(why)) };
        format!("{name} {}{nodes}{why}", stage.name().replace('_', " "))
    }

    /// The reason in a few words, where none of its nodes answers for one that is common.
    fn short_why(&self) -> String {
        const CAUSES: [(&str, &str); 5] = [
            ("dns error", "no node can be reached (DNS)"),
            ("failed to lookup address", "no node can be reached (DNS)"),
            ("etwork is unreachable", "no node can be reached (no network)"),
            ("onnection refused", "no node can be reached (connection refused)"),
            (" answered within ", "no node answers in time"),
        ];
        let cause = CAUSES.iter().find(|(words, _)| self.why.contains(words));
        match cause.filter(|_| self.healthy == 0 && self.nodes > 0) {
            Some((_, short)) => (*short).to_owned(),
            None => self.why.clone(),
        }
    }

    fn cells(&self) -> [String; 8] {
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
            self.lag_seconds.map_or_else(|| "-".to_owned(), age),
            nodes,
            self.why.clone(),
        ]
    }
}

fn is_healthy(node: &EndpointReport) -> bool {
    node.state == EndpointState::Healthy
}

/// Why a chain does not move, or else which of its nodes does not answer; empty when all is well. What
/// went wrong comes first: a line is cut at the window's edge.
fn why(view: &ChainView, now: UnixSeconds, block_time_ms: u64) -> String {
    let stage = view.stage(now, block_time_ms);
    let error = view.last_error.as_ref().map(|error| cause(&error.message));
    let stands = view.why(now, block_time_ms);
    // how many of its nodes are healthy has a column of its own
    let stands = stands.as_deref().and_then(|why| match stage {
        ChainStage::CatchingUp => Some(why),
        _ => why.split("; ").next(),
    });
    let stands = stands.filter(|_| stage != ChainStage::Starting || error.is_none());
    let parts: Vec<_> = [error, stands].into_iter().flatten().collect();
    if !parts.is_empty() {
        return plain(&parts.join("; "));
    }
    let failing = |node: &&EndpointReport| {
        !matches!(node.state, EndpointState::Healthy | EndpointState::Untried)
    };
    let Some(node) = view.endpoints.iter().find(failing) else { return String::new() };
    let error = node.last_error.as_ref().map(|error| format!(": {error}")).unwrap_or_default();
    plain(&format!("{} {}{error}", node.name, node.state.name()))
}

/// The error without whose it is: its line names the chain.
fn cause(message: &str) -> &str {
    let rest = message.strip_prefix("source nodes of ").and_then(|rest| rest.split_once(": "));
    rest.map_or(message, |(_, cause)| cause)
}

/// Lines that a reason takes below the table at most.
const WHY_LINES_MAX: usize = 3;

/// Lines that reasons take above a table that does not fit.
const REASONS_MAX: usize = 5;

/// The chains as a table of that width in so many lines. Where it does not fit, the reasons stand
/// above it, each once with how many chains it holds for, and chains with a reason come first.
pub(super) fn within(lines: &[Line], width: usize, height: usize) -> Vec<String> {
    let whole = table(lines, width);
    if whole.len() <= height {
        return whole;
    }
    let mut reasons: Vec<(String, Vec<&Line>)> = Vec::new();
    for line in lines.iter().filter(|line| !line.why.is_empty()) {
        let why = line.short_why();
        match reasons.iter_mut().find(|(known, _)| reason(known) == reason(&why)) {
            Some((_, of)) => of.push(line),
            None => reasons.push((why, vec![line])),
        }
    }
    reasons.sort_by_key(|(_, of)| std::cmp::Reverse(of.len()));
    let more = reasons.len().saturating_sub(REASONS_MAX);
    let said = reasons.iter().take(REASONS_MAX).map(|(why, of)| match of.as_slice() {
        [one] => format!("{}: {why}", one.name),
        many => format!("{} chains: {why}", many.len()),
    });
    let mut page: Vec<String> = said.map(|text| text.chars().take(width).collect()).collect();
    if more > 0 {
        page.push(format!("{more} more reasons: /api/v1/status"));
    }
    let mut sorted = lines.to_vec();
    sorted.sort_by_key(|line| line.why.is_empty());
    page.extend(rows(&sorted, false));
    page
}

/// The chains as a table of that width. Where a reason does not fit in its row, all reasons stand below
/// the table, each wrapped.
pub(super) fn table(lines: &[Line], width: usize) -> Vec<String> {
    let whole = rows(lines, true);
    if whole.iter().all(|row| row.chars().count() <= width) {
        return whole;
    }
    let mut rows = rows(lines, false);
    for line in lines.iter().filter(|line| !line.why.is_empty()) {
        rows.extend(wrapped(&format!("{}: {}", line.name, line.why), width));
    }
    rows
}

/// A text in lines of that width, later ones indented; what is more than three lines is cut.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let count = lines.len();
        let Some(line) = lines.last_mut() else { break };
        if line.trim().is_empty() || line.chars().count() + 1 + word.chars().count() <= width {
            line.push_str(if line.trim().is_empty() { "" } else { " " });
            line.push_str(word);
        } else if count == WHY_LINES_MAX {
            line.push_str(" ...");
            break;
        } else {
            lines.push(format!("  {word}"));
        }
    }
    lines
}

/// The table's rows, with or without reasons.
fn rows(lines: &[Line], has_reasons: bool) -> Vec<String> {
    let head = ["chain", "state", "head", "finalized", "anchored", "lag", "nodes", "why"];
    let mut rows = vec![head.map(str::to_owned)];
    rows.extend(lines.iter().map(Line::cells));
    let width =
        |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 8] = std::array::from_fn(width);
    let line = |row: &[String; 8]| {
        let cells =
            row.iter().zip(widths).enumerate().map(|(column, (cell, width))| match column {
                0 | 1 => format!("{cell:<width$}"),
                7 if has_reasons => cell.clone(),
                7 => String::new(),
                _ => format!("{cell:>width$}"),
            });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// At most so many lines, the last of which then says how many are missing.
pub(super) fn fitting(mut lines: Vec<String>, height: usize) -> Vec<String> {
    let height = height.max(2);
    if lines.len() > height {
        let missing = lines.len() - (height - 1);
        lines.truncate(height - 1);
        lines.push(format!("... {missing} more lines: a taller window, or /api/v1/status"));
    }
    lines
}

fn cut(text: &str) -> String {
    text.chars().take(WHY_CHARS_MAX).collect()
}

/// `12,345,678`.
fn grouped(number: u64) -> String {
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

/// Seconds in the largest unit that leaves a figure above 1.
pub(super) fn age(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds}s"),
        120..7_200 => format!("{}m", seconds / 60),
        7_200..172_800 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use superroot_api::{LastError, Point};
    use superroot_types::{BlockNumber, Hash};

    use superroot_source::Needed;

    use super::*;

    const NOW: UnixSeconds = UnixSeconds(1_000_000);

    fn node(name: &str, state: EndpointState, error: Option<&str>) -> EndpointReport {
        EndpointReport {
            name: name.to_owned(),
            operator: name.to_owned(),
            state,
            score: 1.0,
            head: None,
            latency_ms: None,
            call_count: 1,
            failure_count: 0,
            last_error: error.map(str::to_owned),
        }
    }

    fn following() -> ChainView {
        let point =
            |number| Some(Point { number: BlockNumber(number), hash: Hash::ZERO, timestamp: NOW });
        ChainView {
            state: ChainStage::Following,
            head: point(23_000_064),
            finalized: point(23_000_000),
            began_at: Some(NOW),
            advanced_at: Some(NOW),
            finalized_at: Some(NOW),
            endpoints: vec![
                node("http://a:1", EndpointState::Healthy, None),
                node("http://b:2", EndpointState::Down, Some("connection refused")),
            ],
            ..ChainView::default()
        }
    }

    fn line(view: &ChainView) -> Line {
        let timestamp = Some(UnixSeconds(NOW.0 - 900));
        let anchored = Some(Anchored { number: 22_999_990, timestamp });
        Line::of("Ethereum", view, anchored, NOW, 12_000)
    }

    #[test]
    fn the_table_says_where_each_chain_is_and_who_answers() {
        let not_followed = ChainView { state: ChainStage::NotFollowed, ..ChainView::default() };
        let lines = [line(&following()), Line::of("Base", &not_followed, None, NOW, 2_000)];
        let expected = "\
chain     state               head   finalized    anchored  lag  nodes  why
Ethereum  following     23,000,064  23,000,000  22,999,990  15m    1/2  http://b:2 down: connection refused
Base      not followed           -           -           -    -      -  no source of it is configured here";
        assert_eq!(table(&lines, 120).join("\n"), expected);
    }

    /// In a window of any width the cause is read, not the words before it.
    #[test]
    fn a_reason_that_does_not_fit_stands_below_the_table() {
        let error = "source nodes of ethereum: no node can be asked now: http://127.0.0.1:19101 is \
                     down: connection refused; http://127.0.0.1:19102 is down: no route to host";
        let view = ChainView { last_error: Some(LastError::new(&error, NOW)), ..following() };
        for width in [80, 120, 160] {
            let shown = table(&[line(&view), line(&following())], width);
            assert!(shown[0].ends_with("why") == (shown.len() == 3), "{shown:?}");
            let text = shown.join(" ").replace("   ", " ");
            assert!(text.contains("Ethereum: no node can be asked now"), "{text}");
            assert!(text.contains("connection refused"), "{text}");
            assert!(shown[3..].iter().all(|row| row.chars().count() <= width), "{shown:?}");
        }
        assert_eq!(wrapped("a bb ccc dddd", 4), ["a bb", "  ccc", "  dddd"]);
        assert_eq!(wrapped(&"word ".repeat(100), 20).len(), WHY_LINES_MAX);
    }

    #[test]
    fn a_chain_that_is_behind_its_nodes_does_not_look_in_step() {
        let mut view = following();
        let (head, finalized, at) = (BlockNumber(23_004_064), BlockNumber(23_004_000), NOW);
        view.claim(superroot_api::Claimed { head, finalized, at });
        let shown = line(&view);
        assert_eq!((shown.stage, shown.head), (ChainStage::CatchingUp, Some(23_004_064)));
        assert!(shown.why.starts_with("4000 final blocks behind its nodes"), "{}", shown.why);
    }

    #[test]
    fn a_chain_that_stands_still_says_why_and_for_how_long() {
        let view =
            ChainView { last_error: Some(LastError::new(&"no node answers", NOW)), ..following() };
        assert_eq!(line(&view).why, "no node answers");
        let later = UnixSeconds(NOW.0 + 1_000);
        let stalled = Line::of("Ethereum", &view, None, later, 12_000);
        assert_eq!(stalled.stage, ChainStage::Stalled);
        assert!(stalled.why.starts_with("no node answers; no new block for 1000 s"), "{stalled:?}");
        assert!(stalled.state().starts_with("Ethereum stalled, 1/2 nodes: no node answers"));
        let starting = ChainView { state: ChainStage::Starting, ..view };
        assert_eq!(line(&starting).why, "no node answers");
    }

    #[test]
    fn a_healthy_chain_has_no_reason() {
        let needed = Some(Needed { agree: 1, of: 3 });
        let alone = Line::of("A", &ChainView { needed, ..following() }, None, NOW, 12_000);
        assert!(alone.why.ends_with("one node is believed"), "{}", alone.why);
        let view = ChainView { endpoints: Vec::new(), ..following() };
        assert_eq!(line(&view).why, "");
        assert_eq!(line(&view).state(), "Ethereum following");
    }

    /// Its numbers move with every block; a log wants a line only when something else does.
    #[test]
    fn numbers_are_no_change_of_state() {
        let mut moved = following();
        moved.head = moved.finalized;
        assert_eq!(line(&moved).mark(), line(&following()).mark());
        moved.endpoints[1].state = EndpointState::Healthy;
        assert_ne!(line(&moved).mark(), line(&following()).mark());
    }

    /// A reason that changes is told, one that names another node or another figure is not.
    #[test]
    fn another_reason_is_a_change_of_state() {
        let with = |error: &str| {
            let last_error = Some(LastError::new(&error, NOW));
            line(&ChainView { last_error, ..following() }).mark()
        };
        let first = with("http://a:1 does not answer within 20000 ms");
        assert_eq!(first, with("http://b:2 does not answer within 20001 ms"));
        assert_ne!(first, with("http://a:1 has no receipts of a block it has"));
        assert_ne!(first, line(&following()).mark());
    }

    #[test]
    fn a_terminal_obeys_no_word_of_a_node() {
        let mut view = following();
        view.endpoints[1].last_error = Some("\u{1b}[2J\nready".to_owned());
        assert!(!table(&[line(&view)], 200)[1].contains(['\u{1b}', '\n']));
    }

    #[test]
    fn a_small_window_says_what_it_lacks() {
        let lines: Vec<_> = (0..30).map(|line| line.to_string()).collect();
        let shown = fitting(lines.clone(), 24);
        assert_eq!((shown.len(), shown[22].as_str()), (24, "22"));
        assert!(shown[23].starts_with("... 7 more lines"), "{}", shown[23]);
        assert_eq!(fitting(lines.clone(), 30), lines);
    }

    /// Twenty chains in a usual window: what is wrong is read without a taller one.
    #[test]
    fn a_window_that_is_too_small_shows_reasons_and_chains_in_trouble() {
        let named = |name: &str, why: &str, healthy| Line {
            name: name.to_owned(),
            why: why.to_owned(),
            healthy,
            ..line(&following())
        };
        let mut lines: Vec<_> = (0..10).map(|n| named(&format!("good {n}"), "", 2)).collect();
        for n in 0..9 {
            let why = format!("no node can be asked now: http://n{n}:1 is down: dns error: failed");
            lines.push(named(&format!("cut {n}"), &why, 0));
        }
        lines.push(named(
            "Base",
            "none of 3 nodes of evm:8453 that were asked answered within 5 ms",
            0,
        ));
        lines.push(named(
            "Scroll",
            &format!("http://x down: connection refused {}", "é".repeat(90)),
            1,
        ));
        let shown = within(&lines, 80, 20);
        assert_eq!(shown[0], "9 chains: no node can be reached (DNS)");
        assert_eq!(shown[1], "Base: no node answers in time");
        assert!(shown[2].starts_with("Scroll: http://x down"), "one of its nodes answers");
        assert_eq!(shown[2].chars().count(), 80);
        assert!(shown[3].starts_with("chain "), "{shown:?}");
        let places = |name: &str| shown.iter().position(|row| row.starts_with(name)).unwrap();
        assert!(places("cut 8") < places("good 0") && places("Base  ") < places("good 0"));
        assert_eq!(shown.len(), 3 + 1 + 21, "every chain has its row, for a window that has room");
        assert_eq!(within(&lines, 1_000, 30), table(&lines, 1_000), "one that fits is in order");
        let many: Vec<_> =
            ('a'..='z').map(|c| named(&c.to_string(), &format!("{c}{c} is wrong"), 2)).collect();
        assert_eq!(within(&many, 80, 20)[5], "21 more reasons: /api/v1/status");
    }

    #[test]
    fn figures_are_short_and_exact() {
        let numbers = [0, 999, 1_000, 12_345_678].map(grouped);
        assert_eq!(numbers, ["0", "999", "1,000", "12,345,678"]);
        let ages = [0, 119, 120, 7_199, 7_200, 172_800].map(age);
        assert_eq!(ages, ["0s", "119s", "2m", "119m", "2h", "2d"]);
    }
}
