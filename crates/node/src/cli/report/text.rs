//! Report for people.

use core::fmt::Write as _;

use serde_json::Value;
use superroot_types::{Network, UnixSeconds, shorten, shown_origin};

use super::examined::Examined;
use super::finality::{CheckedFinality, FINALITY_STEP};
use super::levels::LevelRow;
use super::statement::statement_words;
use super::verdict::{CommandVerdict, Judged, TrustSource};
use crate::cli::style::{BAD, FAINT, GOOD, HEADING, WARNING, plain, styled};

/// Longest value on a line, in characters. A hash has 66.
const VALUE_CHARS_MAX: usize = 130;
/// Most list items printed: a log has at most as many topics.
const ITEMS_MAX: usize = 4;

/// Writing into a text cannot fail.
macro_rules! line {
    ($text:expr, $($part:tt)*) => {{
        let _ = writeln!($text, $($part)*);
    }};
}

impl Examined {
    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        let words = statement_words(&self.bundle);
        line!(text, "{}  {}", styled(HEADING, "Statement"), styled(HEADING, words));
        line!(text, "{}", origin_lines(&self.bundle.origin));
        for LevelRow { level, ok, detail, shown } in self.levels() {
            let name = format!("level {}  {:<11}", level.number(), level.name());
            line!(text, "{}", check_line(ok, &name, &detail));
            print_members(&mut text, &shown);
        }
        if let Some(failure) = self.failure.as_ref().filter(|failure| failure.step == "body") {
            line!(text, "{}", check_line(Some(false), "body", &failure.reason));
        }
        text
    }

    pub(super) fn report_text(
        &self,
        judged: &Judged,
        finality: &CheckedFinality,
        not_shown: &[&str],
    ) -> String {
        let mut text = self.to_text();
        line!(text, "{}", anchor_line(judged));
        if let Some((ok, words, shown)) = finality.line() {
            line!(text, "{}", check_line(ok, FINALITY_STEP, &words));
            print_members(&mut text, &shown);
        }
        print_list(&mut text, "Not shown:", not_shown);
        let unproven: Vec<&str> = self.unproven.iter().map(String::as_str).collect();
        print_list(&mut text, "Said by the service, not proven:", &unproven);
        let truth = "TRUE: every level holds and leads to what you trust";
        line!(text, "\n{}", verdict_line(judged, truth));
        text
    }
}

pub(crate) fn print_list(text: &mut String, heading: &str, lines: &[&str]) {
    if !lines.is_empty() {
        line!(text, "\n{}", styled(HEADING, heading));
        lines.iter().for_each(|entry| line!(text, "  - {}", plain(entry)));
    }
}

pub(crate) fn verdict_line(judged: &Judged, truth: &str) -> String {
    let why = judged.error.as_ref();
    let why = why.map_or_else(String::new, |why| format!(": {}: {}", why.step, plain(&why.reason)));
    match judged.verdict {
        CommandVerdict::True => styled(GOOD, truth),
        CommandVerdict::False => styled(BAD, format!("FALSE{why}")),
        CommandVerdict::Unusable => {
            let is_final = judged.error.as_ref().is_some_and(|error| error.step == FINALITY_STEP);
            let word = if is_final { "NOT FINAL" } else { "NOT ANCHORED" };
            styled(WARNING, format!("{word}{why}"))
        }
    }
}

pub(crate) fn check_line(ok: Option<bool>, name: &str, detail: &str) -> String {
    let detail = plain(detail);
    let (mark, detail) = match ok {
        Some(true) => (styled(GOOD, "✓"), detail),
        Some(false) => (styled(BAD, "✗"), styled(BAD, detail)),
        None => (styled(FAINT, "-"), styled(FAINT, detail)),
    };
    format!("{mark} {name:<20} {detail}")
}

/// Network and log. The network distinguishes simulated chains from real ones.
pub(crate) fn origin_lines(origin: &str) -> String {
    let network = Network::of_origin(origin);
    let named = match network {
        Network::Live => network.name().to_owned(),
        Network::Recorded => {
            styled(WARNING, "RECORDED: replayed blocks; may have gaps and are not current")
        }
        Network::Simulated => styled(WARNING, "SIMULATED: made-up chains, nothing of it is real"),
    };
    let heading = |name| styled(HEADING, name);
    format!(
        "{}    {named}\n{}     {}\n",
        heading("Network"),
        heading("Origin"),
        shown_origin(origin)
    )
}

pub(crate) fn anchor_line(judged: &Judged) -> String {
    let refused = judged.error.as_ref().filter(|error| error.step == "anchor");
    let (ok, words) = match (judged.by.by, refused) {
        (Some(_), _) => (Some(true), by_words(&judged.by)),
        (None, Some(refused)) => (Some(false), refused.reason.clone()),
        (None, None) => (None, "not checked".to_owned()),
    };
    check_line(ok, "anchor", &words)
}

/// Trust source, and limits of the trust.
fn by_words(by: &TrustSource) -> String {
    let TrustSource { file, key, size, joined, first_use, witnessed, note_fault, .. } = by;
    let mut words = match (file, key, size) {
        (Some(file), Some(_), Some(size)) => {
            format!("signed, at size {size}, by the key that {file} pins")
        }
        (Some(file), ..) => format!("pinned in your trust store {file}"),
        (None, Some(_), Some(size)) => {
            format!("signed, at size {size}, by the --key that you gave")
        }
        (None, ..) => "anchored to the --superroot that you gave".to_owned(),
    };
    if *witnessed {
        words += match size {
            Some(_) => ", and by the quorum of your witnesses",
            None => ", its note signed by the quorum of your witnesses",
        };
    }
    if *joined == Some(false) {
        words += "; not joined to your pin: `superroot trust update` compares the log with it";
    }
    if *first_use {
        words += "; first_use: the key was taken from the service and never confirmed";
    }
    if let Some(fault) = note_fault {
        words += &format!("; the note of the proof does not count: {fault}");
    }
    words
}

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
