//! What the screen shows, in windows of any size.

use superroot_api::{ChainStage, ChainView, Point, StatusError};
use superroot_source::{EndpointState, NodeReport, QuorumSize};
use superroot_types::Hash;

use super::line::grouped;
use super::table::{WHY_LINES_MAX, table, wrapped};
use super::*;

const NOW: UnixSeconds = UnixSeconds(1_000_000);

fn node(name: &str, state: EndpointState, error: Option<&str>) -> NodeReport {
    NodeReport {
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

fn line(view: &ChainView) -> ChainLine {
    let timestamp = Some(UnixSeconds(NOW.0 - 900));
    let anchored = Some(AnchoredBlock { number: 22_999_990, timestamp });
    ChainLine::of("Ethereum", view, anchored, NOW, 12_000)
}

#[test]
fn the_table_says_where_each_chain_is_and_who_answers() {
    let not_followed = ChainView { state: ChainStage::NotFollowed, ..ChainView::default() };
    let lines = [line(&following()), ChainLine::of("Base", &not_followed, None, NOW, 2_000)];
    let expected = "\
chain     state               head   finalized    anchored         lag  nodes  why
Ethereum  following     23,000,064  23,000,000  22,999,990  15 min 0 s    1/2  http://b:2 down: connection refused
Base      not followed           -           -           -           -      -  no source of it is configured here";
    assert_eq!(table(&lines, 120).join("\n"), expected);
}

/// In a window of any width the cause is read, not the words before it.
#[test]
fn a_reason_that_does_not_fit_stands_below_the_table() {
    let error = "no node can be asked now: http://127.0.0.1:19101 is \
                 down: connection refused; http://127.0.0.1:19102 is down: no route to host";
    let view = ChainView { last_error: Some(StatusError::new(&error, NOW)), ..following() };
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
        ChainView { last_error: Some(StatusError::new(&"no node answers", NOW)), ..following() };
    let cause = "no node answers; http://b:2: connection refused";
    assert_eq!(line(&view).why, cause);
    let later = UnixSeconds(NOW.0 + 1_000);
    let stalled = ChainLine::of("Ethereum", &view, None, later, 12_000);
    assert_eq!(stalled.stage, ChainStage::Stalled);
    assert!(stalled.why.starts_with(&format!("{cause}; no new block for 1000 s")), "{stalled:?}");
    assert!(stalled.state().starts_with("Ethereum stalled, 1/2 nodes: no node answers"));
    let starting = ChainView { state: ChainStage::Starting, ..view };
    assert_eq!(line(&starting).why, cause);
}

#[test]
fn a_healthy_chain_has_no_reason() {
    let needed = Some(QuorumSize { agree: 1, of: 3 });
    let alone = ChainLine::of("A", &ChainView { needed, ..following() }, None, NOW, 12_000);
    assert!(alone.why.ends_with("one node is believed"), "{}", alone.why);
    let view = ChainView { endpoints: Vec::new(), ..following() };
    assert_eq!(line(&view).why, "");
    assert_eq!(line(&view).state(), "Ethereum following");
}

/// Numbers move with every block, and nodes fail in turn; a log wants a line only when something else
/// changes.
#[test]
fn numbers_are_no_change_of_state() {
    let mut moved = following();
    moved.head = moved.finalized;
    assert_eq!(line(&moved).mark(), line(&following()).mark());
    moved.endpoints[1].state = EndpointState::Healthy;
    assert_ne!(line(&moved).mark(), line(&following()).mark());
    let with = |error: &str| {
        let last_error = Some(StatusError::new(&error, NOW));
        line(&ChainView { last_error, ..following() }).mark()
    };
    assert_eq!(with("http://a:1 does not answer"), with("http://b:2 does not answer"));
    assert_ne!(with("http://a:1 does not answer"), line(&following()).mark());
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

/// What is wrong, and one's own chain among twenty that nobody named, are read without a taller window.
#[test]
fn a_small_window_shows_reasons_and_chains_in_trouble_first() {
    let not_followed = ChainView { state: ChainStage::NotFollowed, ..ChainView::default() };
    let of = |name: &str, view: &ChainView| ChainLine::of(name, view, None, NOW, 12_000);
    let mut lines: Vec<_> = (0..17).map(|n| of(&format!("C{n}"), &not_followed)).collect();
    let well = ChainView { endpoints: Vec::new(), ..following() };
    let stalled = ChainView { last_error: Some(StatusError::new(&"no node", NOW)), ..well.clone() };
    lines.push(of("own", &stalled));
    let shown = within(&lines, 80, 20);
    assert!(shown[1].starts_with("own  ") && shown.len() <= 4, "{shown:?}");
    assert!(shown.last().unwrap().starts_with("not followed: C0, C1, "), "{shown:?}");
    assert_eq!(within(&lines, 80, 40).len(), table(&lines, 80).len(), "there is room");
    lines.splice(17..17, (0..20).map(|n| of(&format!("W{n}"), &well)));
    let shown = within(&lines, 80, 20);
    let names: Vec<_> = shown.iter().map(|row| row.split_whitespace().next().unwrap()).collect();
    assert_eq!(names[..4], ["own:", "chain", "own", "W0"]);
    assert_eq!((names.len(), names[names.len() - 1]), (24, "not"), "every chain has its row");
}

/// It changes with every block.
#[test]
fn a_block_that_is_waited_for_is_shown_and_makes_no_line_of_a_log() {
    let (number, nodes) = (BlockNumber(120), vec!["http://a:1".to_owned()]);
    let waiting = superroot_source::OverdueBlock { number, is_whole: true, nodes, seconds: 4 };
    let waits = ChainView { waiting: Some(waiting), ..following() };
    let shown = line(&waits);
    let expected = "waiting for block 120 with its receipts from http://a:1 for 4 s";
    assert!(shown.why.starts_with(expected), "{}", shown.why);
    assert_eq!(shown.mark(), line(&following()).mark());
}

#[test]
fn figures_are_short_and_exact() {
    let numbers = [0, 999, 1_000, 12_345_678].map(grouped);
    assert_eq!(numbers, ["0", "999", "1,000", "12,345,678"]);
}

fn look(now: u64, state: ChainStage) -> ServiceSnapshot {
    let view = ChainView { state, ..ChainView::default() };
    let line = ChainLine::of("Base", &view, None, UnixSeconds(now), 2_000);
    let super_root = Some((now, "0xab".to_owned(), 0));
    let (publishing, witnesses) = (Publishing::On, Vec::new());
    ServiceSnapshot { now: UnixSeconds(now), super_root, publishing, witnesses, lines: vec![line] }
}

#[test]
fn a_journal_tells_changes_and_nothing_twice() {
    let mut journal = LineJournal::default();
    let first = journal.changes(&look(100, ChainStage::Following));
    assert_eq!(first, ["Base following", "SuperRoot 100 0xab, 0 chains"]);
    assert!(journal.changes(&look(101, ChainStage::Following)).is_empty());
    let halted = journal.changes(&look(102, ChainStage::Halted));
    assert_eq!(halted.len(), 1);
    assert!(halted[0].starts_with("Base halted: "), "{halted:?}");
    assert_eq!(journal.changes(&look(160, ChainStage::Halted)), ["SuperRoot 160 0xab, 0 chains"]);
}

#[test]
fn witnesses_have_a_line_where_any_is_asked() {
    let witness = |name: &str| WitnessStatus { name: name.to_owned(), ..WitnessStatus::default() };
    assert_eq!(witness_line(&[], NOW), None);
    let at = Some(UnixSeconds(NOW.0 - 4));
    let cosigned = WitnessStatus { size: Some(12), cosigned_at: at, ..witness("w1") };
    let failing = WitnessStatus { last_error: Some("x".repeat(500)), ..cosigned.clone() };
    let said = witness_line(&[cosigned, failing, witness("w2")], NOW).unwrap();
    let start = "witnesses  w1 cosigned size 12 4 s ago, w1: xxx";
    assert!(said.starts_with(start) && said.ends_with(", w2 was not asked yet"), "{said}");
    assert!(said.len() < 200, "{said}");
}
