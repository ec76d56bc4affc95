//! A report for people.

use core::fmt::Write as _;

use serde_json::Value;
use superroot_types::{Network, UnixSeconds, shorten};

use super::{Anchoring, Examined, LevelRow, Report, State, Verdict, statement_words};
use crate::cli::style::{BAD, FAINT, GOOD, HEADING, WARNING, plain, styled};

/// Characters of a value on a line; a hash has 66.
const VALUE_CHARS_MAX: usize = 130;
/// Topics of a log, and so items of any list, that are printed.
const ITEMS_MAX: usize = 4;

/// Writing into a text cannot fail.
macro_rules! line {
    ($text:expr, $($part:tt)*) => {{
        let _ = writeln!($text, $($part)*);
    }};
}

impl Report {
    /// The report as text, with styles.
    pub(crate) fn to_text(&self) -> String {
        let mut text = self.examined.to_text();
        line!(text, "{}", anchor_line(self.anchoring.as_ref()));
        let list = |text: &mut String, heading: &str, lines: &[String]| {
            if !lines.is_empty() {
                line!(text, "\n{}", styled(HEADING, heading));
                lines.iter().for_each(|entry| line!(text, "  - {}", plain(entry)));
            }
        };
        list(&mut text, "Not shown:", &self.examined.not_shown());
        list(&mut text, "Said by the service, not proven:", &self.examined.unproven);
        line!(text, "\n{}", self.verdict_line());
        text
    }

    fn verdict_line(&self) -> String {
        let why = |verdict: &str| match self.error() {
            None => verdict.to_owned(),
            Some(error) => {
                let step = error.step.map_or("body".to_owned(), |step| step.to_string());
                format!("{verdict}: {step}: {}", plain(&error.reason))
            }
        };
        match self.verdict() {
            Verdict::True => styled(GOOD, "TRUE: every level holds and leads to what you trust"),
            Verdict::False => styled(BAD, why("FALSE")),
            Verdict::Unusable => styled(WARNING, why("NOT ANCHORED")),
        }
    }
}

impl Examined {
    /// What is claimed, where it comes from, and the levels.
    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        let words = statement_words(&self.bundle.statement);
        line!(text, "{}  {}", styled(HEADING, "Statement"), styled(HEADING, words));
        line!(text, "{}", origin_lines(&self.bundle.origin));
        for row in self.levels() {
            line!(text, "{}", level_line(&row));
            print_members(&mut text, &row.shown);
        }
        if let Some(failure) = self.failure.as_ref().filter(|failure| failure.step.is_none()) {
            line!(text, "{} {:<20} {}", styled(BAD, "✗"), "body", plain(&failure.reason));
        }
        text
    }
}

/// The network, so that nobody takes made-up chains for real ones, and the log.
pub(crate) fn origin_lines(origin: &str) -> String {
    let network = Network::of_origin(origin);
    let named = match network {
        Network::Live => network.name().to_owned(),
        Network::Recorded => styled(
            WARNING,
            "RECORDED: blocks as a recording holds them, with gaps, of no current state",
        ),
        Network::Simulated => styled(WARNING, "SIMULATED: made-up chains, nothing of it is real"),
    };
    let heading = |name| styled(HEADING, name);
    format!("{}    {named}\n{}     {}\n", heading("Network"), heading("Origin"), plain(origin))
}

fn level_line(row: &LevelRow) -> String {
    let (number, name, detail) = (row.level.number(), row.level.name(), plain(&row.detail));
    let (mark, detail) = match row.state {
        State::Shown => (styled(GOOD, "✓"), detail),
        State::Failed => (styled(BAD, "✗"), styled(BAD, detail)),
        State::NotChecked => (styled(FAINT, "?"), styled(FAINT, detail)),
        State::NotThere => (styled(FAINT, "-"), styled(FAINT, detail)),
    };
    format!("{mark} level {number}  {name:<11} {detail}")
}

/// By whose word the SuperRoot is trusted, in a line.
pub(crate) fn anchor_line(anchoring: Option<&Anchoring>) -> String {
    let (mark, words) = match anchoring {
        None => (styled(FAINT, "?"), styled(FAINT, "not checked")),
        Some(Anchoring::Given { .. }) => {
            (styled(GOOD, "✓"), "anchored to the --superroot that you gave".to_owned())
        }
        Some(Anchoring::Pinned { file }) => {
            (styled(GOOD, "✓"), format!("pinned in your trust store {}", plain(file)))
        }
        Some(Anchoring::Contradicted { by, .. }) => {
            let words = format!("{} names another SuperRoot", plain(by));
            (styled(BAD, "✗"), styled(BAD, words))
        }
        Some(Anchoring::Nothing { .. }) => {
            (styled(WARNING, "✗"), styled(WARNING, "not anchored to anything you trust"))
        }
    };
    format!("{mark} {:<20} {words}", "anchor")
}

/// Names and values, a line each; lists item by item.
pub(crate) fn print_members(text: &mut String, members: &[(&'static str, Value)]) {
    const INDENT: &str = "                       ";
    for (name, value) in members {
        let name = name.replace('_', " ");
        match value {
            Value::Array(items) => {
                for (index, item) in items.iter().take(ITEMS_MAX).enumerate() {
                    let name = format!("{name} {index}");
                    line!(text, "{INDENT}{name:<17} {}", words(&name, item));
                }
            }
            value => line!(text, "{INDENT}{name:<17} {}", words(&name, value)),
        }
    }
}

fn words(name: &str, value: &Value) -> String {
    let text = match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => plain(text),
        other => other.to_string(),
    };
    match value.as_u64() {
        Some(seconds) if name == "timestamp" => {
            format!("{text} ({})", UnixSeconds(seconds).iso_8601())
        }
        _ => shorten(&text, VALUE_CHARS_MAX),
    }
}
