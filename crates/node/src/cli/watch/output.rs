//! Output of `superroot watch`, as lines or as JSON.

use std::io::{IsTerminal, Write};

use eventsource_stream::Event;
use serde_json::Value;

use super::super::style::{WARNING, plain};
use super::args::WatchArgs;
use super::line::line;

pub(super) struct WatchOutput {
    pub(super) json: bool,
    pub(super) left: Option<u64>,
    pub(super) tells_blocks: bool,
    pub(super) cursor: Option<String>,
}

impl WatchOutput {
    /// Shows an event, and returns whether the requested count is reached.
    pub(super) fn show(&mut self, event: &Event, out: &mut dyn Write) -> anyhow::Result<bool> {
        if !event.id.is_empty() {
            self.cursor = Some(event.id.clone());
        }
        let data: Value = serde_json::from_str(&event.data).unwrap_or_default();
        let of_connection = ["ready", "ended", "lagged", "stale", "gap"];
        // blocks that go are what is asked for only where it is blocks
        let is_own = match event.event.as_str() {
            "undone" => self.tells_blocks,
            name => !of_connection.contains(&name),
        };
        if self.json {
            let id = &event.id;
            let line = serde_json::json!({ "cursor": id, "event": event.event, "data": data });
            writeln!(out, "{line}")?;
        } else {
            writeln!(out, "{}", line(&event.event, &data))?;
        }
        out.flush()?;
        self.count(is_own)
    }

    /// Shows an order, and returns whether the requested count is reached.
    pub(super) fn order(&mut self, order: &Value, out: &mut dyn Write) -> anyhow::Result<bool> {
        if self.json {
            write_json(out, "order", order)?;
        } else {
            writeln!(out, "{}", line("order", order))?;
        }
        out.flush()?;
        self.count(true)
    }

    /// Counts an event, and returns whether the requested count is reached.
    pub(super) fn count(&mut self, is_own: bool) -> anyhow::Result<bool> {
        self.left = self.left.map(|left| left.saturating_sub(u64::from(is_own)));
        Ok(self.left == Some(0))
    }
}

/// Writes an answer as a JSON line, like an event without cursor.
pub(super) fn write_json(out: &mut dyn Write, event: &str, data: &Value) -> std::io::Result<()> {
    writeln!(out, "{}", serde_json::json!({ "cursor": "", "event": event, "data": data }))
}

pub(super) fn say_lost(args: &WatchArgs, why: &str) {
    if std::io::stderr().is_terminal() || !args.json {
        say!("{WARNING}lost{WARNING:#}  {}; trying again", plain(why));
    }
}
