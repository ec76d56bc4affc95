//! How far a backfill or a repair is, as a person at the terminal sees it: a bar, or lines in a log.

use std::time::Duration;

use anyhow::bail;
use indicatif::{ProgressBar, ProgressStyle};
use tokio::time::Instant;

use super::style::{GOOD, WARNING, plain};
use crate::admin::Event;

/// Time between lines where there is no terminal for a bar.
const LINE_INTERVAL: Duration = Duration::from_secs(30);

/// A bar of that form.
pub(super) fn bar(length: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(length).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn spinner() -> ProgressStyle {
    ProgressStyle::with_template("{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// A bar and lines, made of events.
pub(super) struct Progress {
    bar: ProgressBar,
    /// Name of whom the bar is.
    of: String,
    line_at: Instant,
    /// Blocks that were repaired, and those that could not be.
    repaired: Option<(u64, u64)>,
}

impl Progress {
    pub(super) fn new() -> Self {
        let bar = bar(0, "{prefix} {bar:40} {pos}/{len} blocks, {eta} left");
        Self { bar, of: String::new(), line_at: Instant::now(), repaired: None }
    }

    /// Shows one event.
    pub(super) fn show(&mut self, event: Event) {
        match event {
            Event::Progress { chain, done, total } => {
                if self.of != chain {
                    self.bar.reset();
                    self.bar.set_prefix(plain(&chain));
                    self.of = chain;
                }
                self.bar.set_length(total);
                self.bar.set_position(done);
                if self.bar.is_hidden() && self.line_at.elapsed() >= LINE_INTERVAL {
                    self.line_at = Instant::now();
                    say!("{}: {done} of {total} blocks", plain(&self.of));
                }
            }
            Event::Copying { what, rows } => {
                self.bar.set_style(spinner());
                self.bar.set_message(format!("{}: {rows} rows copied", plain(&what)));
                self.bar.tick();
                if self.bar.is_hidden() && self.line_at.elapsed() >= LINE_INTERVAL {
                    self.line_at = Instant::now();
                    say!("{}: {rows} rows copied", plain(&what));
                }
            }
            Event::Repaired { repaired, left, .. } => {
                let (before, left_before) = self.repaired.unwrap_or_default();
                self.repaired =
                    Some((before.saturating_add(repaired), left_before.saturating_add(left)));
            }
            event => {
                if let Some(words) = words(&event) {
                    self.bar.suspend(|| put!("{words}"));
                }
            }
        }
    }

    /// Takes the bar away.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// Prints how it ended.
    ///
    /// # Errors
    /// When blocks could not be repaired.
    pub(super) fn end(self) -> anyhow::Result<()> {
        let Some((repaired, left)) = self.repaired else { return Ok(()) };
        put!("{GOOD}repaired{GOOD:#}  {repaired} blocks, {left} left as they are");
        if left > 0 {
            bail!("{left} blocks could not be repaired");
        }
        Ok(())
    }
}

/// An event in words. Texts of nodes and services obey nothing on the terminal.
fn words(event: &Event) -> Option<String> {
    Some(match event {
        Event::Again { why, .. } => format!("again  {}", plain(why)),
        Event::Left { chain, number, why } => {
            format!("left  block {number} of {}: {}", plain(chain), plain(why))
        }
        Event::Contradicted { number, held, other, evidence, .. } => format!(
            "{WARNING}contradicted{WARNING:#}  block {number}: held is {held}, {} say {other}",
            plain(evidence)
        ),
        Event::Filled { chain, start } => format!(
            "{GOOD}filled{GOOD:#}  {} begins at block {start} now; the next SuperRoot has it",
            plain(chain)
        ),
        Event::AlreadyHeld { chain, start, newest } => format!(
            "nothing was to do: {} is held from block {start} to block {newest}",
            plain(chain)
        ),
        Event::Resumed { chain, number, why } => format!(
            "{GOOD}cleared{GOOD:#}  {} was halted at block {number}: {}\nwhat it held as final stays; \
             it halts again if its nodes still contradict that",
            plain(chain),
            plain(why)
        ),
        Event::Restarted { chain, why } => format!(
            "{GOOD}cleared{GOOD:#}  {} was halted by an error of this program: {}\nit halts again if \
             that happens again",
            plain(chain),
            plain(why)
        ),
        Event::NotHalted { chain } => format!("{} is not halted", plain(chain)),
        Event::Withdrawn { chain, from } => format!(
            "{WARNING}withdrawn{WARNING:#}  {} is withdrawn from block {from} on, as its row says: a \
             service with that row takes nothing of it any more, and nothing lets it go on",
            plain(chain)
        ),
        Event::Copied { to, rows, account_rows } => format!(
            "{GOOD}copied{GOOD:#}  {rows} rows of chains and {account_rows} of accounts, whole, to {}",
            plain(to)
        ),
        Event::Copying { .. }
        | Event::Progress { .. }
        | Event::Repaired { .. }
        | Event::Failed { .. }
        | Event::End => {
            return None;
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_several_chains_leave_is_added_up_and_is_a_failure() {
        let ended = |lefts: &[u64]| {
            let mut progress = Progress::new();
            for left in lefts {
                progress.show(Event::Repaired { chain: "Base".into(), repaired: 2, left: *left });
            }
            progress.end()
        };
        assert!(ended(&[0, 3]).unwrap_err().to_string().contains("3 blocks"));
        assert!(ended(&[0, 0]).is_ok() && ended(&[]).is_ok());
    }

    #[test]
    fn what_is_told_obeys_nothing_on_the_terminal() {
        let evil = || "x\u{1b}[2J".to_owned();
        for event in [
            Event::Resumed { chain: evil(), number: 7, why: evil() },
            Event::Restarted { chain: evil(), why: evil() },
            Event::Again { chain: evil(), why: evil() },
        ] {
            let words = words(&event).unwrap();
            assert!(!words.contains("\u{1b}[2J"), "{words}");
        }
    }
}
