//! What is shown, as text: pure, so that a test can read it.

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
    told: String,
    /// What of it makes another line of a log when it changes.
    news: String,
}

/// What of a line is told anew when it changes.
pub(super) type Mark = (ChainStage, usize, usize, String);

/// What a reason says, without figures and without the node it names: those change by themselves.
fn without_figures(why: &str) -> String {
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
    fn short_why(&self) -> String {
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

/// Lines that a reason takes below the table at most.
const WHY_LINES_MAX: usize = 3;

/// Lines that reasons take above a table that does not fit.
const REASONS_MAX: usize = 5;

/// Where a chain stands in a window that is too small for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    InTrouble,
    Well,
    /// Nothing new of it comes, and some of it is held.
    Past,
    /// Nothing of it is here.
    NotFollowed,
}

impl Line {
    fn place(&self) -> Place {
        match self.stage {
            ChainStage::NotFollowed if self.anchored.is_none() => Place::NotFollowed,
            ChainStage::NotFollowed | ChainStage::Withdrawn => Place::Past,
            _ if self.why.is_empty() => Place::Well,
            _ => Place::InTrouble,
        }
    }
}

/// The chains as a table of that width in so many lines. Where it does not fit, chains that are not
/// followed are one line below it; where that does not either, the reasons stand above it, each once
/// with how many chains it holds for, and chains in trouble come first.
pub(super) fn within(lines: &[Line], width: usize, height: usize) -> Vec<String> {
    let whole = table(lines, width);
    if whole.len() <= height {
        return whole;
    }
    let (out, lines): (Vec<_>, Vec<_>) =
        lines.iter().cloned().partition(|line| line.place() == Place::NotFollowed);
    let fold = not_followed(&out);
    let mut followed = if lines.is_empty() { Vec::new() } else { table(&lines, width) };
    followed.extend(fold.clone());
    if followed.len() <= height {
        return followed;
    }
    let mut reasons: Vec<(String, Vec<&Line>)> = Vec::new();
    for line in lines.iter().filter(|line| line.place() == Place::InTrouble) {
        let why = line.short_why();
        match reasons.iter_mut().find(|(known, _)| without_figures(known) == without_figures(&why))
        {
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
    let mut page: Vec<String> = said.map(|text| first_chars(&text, width).to_owned()).collect();
    if more > 0 {
        page.push(format!("{more} more reasons: /api/v1/status"));
    }
    let mut sorted = lines;
    sorted.sort_by_key(Line::place);
    page.extend(rows(&sorted, false));
    page.extend(fold);
    page
}

/// One line for all chains that are not followed.
fn not_followed(out: &[Line]) -> Option<String> {
    let names = out.iter().map(|line| line.name.as_str()).collect::<Vec<_>>().join(", ");
    match out.len() {
        0 => None,
        1 => Some(format!("1 chain is not followed: {names}")),
        count => Some(format!("{count} chains are not followed: {names}")),
    }
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
chain     state               head   finalized    anchored         lag  nodes  why
Ethereum  following     23,000,064  23,000,000  22,999,990  15 min 0 s    1/2  http://b:2 down: connection refused
Base      not followed           -           -           -           -      -  no source of it is configured here";
        assert_eq!(table(&lines, 120).join("\n"), expected);
    }

    /// In a window of any width the cause is read, not the words before it.
    #[test]
    fn a_reason_that_does_not_fit_stands_below_the_table() {
        let error = "no node can be asked now: http://127.0.0.1:19101 is down: connection refused; \
                     http://127.0.0.1:19102 is down: no route to host";
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
        let cause = "no node answers; http://b:2: connection refused";
        assert_eq!(line(&view).why, cause);
        let later = UnixSeconds(NOW.0 + 1_000);
        let stalled = Line::of("Ethereum", &view, None, later, 12_000);
        assert_eq!(stalled.stage, ChainStage::Stalled);
        assert!(
            stalled.why.starts_with(&format!("{cause}; no new block for 1000 s")),
            "{stalled:?}"
        );
        assert!(stalled.state().starts_with("Ethereum stalled, 1/2 nodes: no node answers"));
        let starting = ChainView { state: ChainStage::Starting, ..view };
        assert_eq!(line(&starting).why, cause);
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

    /// One's own chain among twenty that nobody named: it is on the screen, well or not.
    #[test]
    fn a_small_window_shows_followed_chains_before_those_that_are_not() {
        let not_followed = ChainView { state: ChainStage::NotFollowed, ..ChainView::default() };
        let mut lines: Vec<_> =
            (0..17).map(|n| Line::of(&format!("C{n}"), &not_followed, None, NOW, 2_000)).collect();
        let well = ChainView { endpoints: Vec::new(), ..following() };
        let stalled =
            ChainView { last_error: Some(LastError::new(&"no node", NOW)), ..well.clone() };
        for (view, why) in [(&well, ""), (&stalled, "no node")] {
            lines.truncate(17);
            lines.push(Line::of("own", view, None, NOW, 12_000));
            let shown = within(&lines, 80, 20);
            assert!(shown[1].starts_with("own  "), "{shown:?}");
            assert!(shown[1].ends_with(why), "{shown:?}");
            let last = shown.last().unwrap();
            assert!(last.starts_with("17 chains are not followed: C0, C1, "), "{last}");
            assert!(shown.len() <= 4, "{shown:?}");
            assert_eq!(within(&lines, 80, 40).len(), table(&lines, 80).len(), "there is room");
        }
        // many that are followed: trouble first, what is withdrawn last
        let withdrawn = ChainView { state: ChainStage::Withdrawn, ..ChainView::default() };
        lines.push(Line::of("gone", &withdrawn, None, NOW, 2_000));
        lines.extend((0..20).map(|n| Line::of(&format!("W{n}"), &well, None, NOW, 2_000)));
        let shown = within(&lines, 80, 20);
        let names: Vec<_> =
            shown.iter().map(|row| row.split_whitespace().next().unwrap()).collect();
        assert_eq!(names[..4], ["own:", "chain", "own", "W0"]);
        assert_eq!(names[names.len() - 3..], ["W19", "gone", "17"]);
    }

    /// It changes with every block.
    #[test]
    fn a_block_that_is_waited_for_is_shown_and_makes_no_line_of_a_log() {
        let (number, nodes) = (BlockNumber(120), vec!["http://a:1".to_owned()]);
        let waiting = superroot_source::Waiting { number, is_whole: true, nodes, seconds: 4 };
        let waits = ChainView { waiting: Some(waiting), ..following() };
        let shown = line(&waits);
        let expected = "waiting for block 120 with its receipts from http://a:1 for 4 s";
        assert!(shown.why.starts_with(expected), "{}", shown.why);
        assert_eq!(shown.mark(), line(&following()).mark());
        assert_eq!(shown.state(), line(&following()).state());
    }

    /// Twenty chains in a usual window: what is wrong is read without a taller one.
    #[test]
    fn a_window_that_is_too_small_shows_reasons_and_chains_in_trouble() {
        let named = |name: &str, why: &str, healthy| Line {
            name: name.to_owned(),
            why: why.to_owned(),
            told: why.to_owned(),
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
    }
}
