//! Progress of a backfill or repair: a bar on a terminal, or log lines.

use std::time::Duration;

use anyhow::bail;
use indicatif::{ProgressBar, ProgressStyle};
use tokio::time::Instant;

use super::style::{GOOD, WARNING, plain};
use crate::admin::ProgressEvent;

/// Interval between lines without a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(30);

pub(super) fn bar(length: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(length).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn spinner() -> ProgressStyle {
    ProgressStyle::with_template("{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_bar())
}

pub(super) struct CommandProgress {
    bar: ProgressBar,
    of: String,
    line_at: Instant,
    /// Repaired blocks, and failed ones.
    repaired: Option<(u64, u64)>,
}

impl CommandProgress {
    pub(super) fn new() -> Self {
        let bar = bar(0, "{prefix} {bar:40} {pos}/{len} blocks, {eta} left");
        Self { bar, of: String::new(), line_at: Instant::now(), repaired: None }
    }

    pub(super) fn show(&mut self, event: ProgressEvent) {
        match event {
            ProgressEvent::Progress { chain, done, total } => {
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
            ProgressEvent::Copying { what, rows } => {
                self.bar.set_style(spinner());
                self.bar.set_message(format!("{}: {rows} rows copied", plain(&what)));
                self.bar.tick();
                if self.bar.is_hidden() && self.line_at.elapsed() >= LINE_INTERVAL {
                    self.line_at = Instant::now();
                    say!("{}: {rows} rows copied", plain(&what));
                }
            }
            ProgressEvent::Repaired { repaired, left, .. } => {
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

    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// Prints the result; an error if some blocks were not repaired.
    pub(super) fn end(self) -> anyhow::Result<()> {
        let Some((repaired, left)) = self.repaired else { return Ok(()) };
        put!("{GOOD}repaired{GOOD:#}  {repaired} blocks, {left} left as they are");
        if left > 0 {
            bail!("{left} blocks could not be repaired");
        }
        Ok(())
    }
}

/// Event text. Control characters from nodes and services are escaped.
fn words(event: &ProgressEvent) -> Option<String> {
    Some(match event {
        ProgressEvent::Again { why, .. } => format!("again  {}", plain(why)),
        ProgressEvent::Left { chain, number, why } => {
            format!("left  block {number} of {}: {}", plain(chain), plain(why))
        }
        ProgressEvent::Contradicted { number, held, other, evidence, .. } => format!(
            "{WARNING}contradicted{WARNING:#}  block {number}: held is {held}, {} say {other}",
            plain(evidence)
        ),
        ProgressEvent::Filled { chain, start } => format!(
            "{GOOD}filled{GOOD:#}  {} begins at block {start} now; the next SuperRoot has it",
            plain(chain)
        ),
        ProgressEvent::AlreadyHeld { chain, start, newest } => format!(
            "nothing was to do: {} is held from block {start} to block {newest}",
            plain(chain)
        ),
        ProgressEvent::Resumed { chain, number, why } => format!(
            "{GOOD}cleared{GOOD:#}  {} was halted at block {number}: {}\nwhat it held as final stays; \
             it halts again if its nodes still contradict that",
            plain(chain),
            plain(why)
        ),
        ProgressEvent::Restarted { chain, why } => format!(
            "{GOOD}cleared{GOOD:#}  {} was halted by an error of this program: {}\nit halts again if \
             that happens again",
            plain(chain),
            plain(why)
        ),
        ProgressEvent::NotHalted { chain } => format!("{} is not halted", plain(chain)),
        ProgressEvent::Withdrawn { chain, from } => format!(
            "{WARNING}withdrawn{WARNING:#}  {} is withdrawn from block {from} on, as its row says: a \
             service with that row takes nothing of it any more, and nothing lets it go on",
            plain(chain)
        ),
        ProgressEvent::Copied { to, rows, account_rows } => format!(
            "{GOOD}copied{GOOD:#}  {rows} rows of chains and {account_rows} of accounts, whole, to {}",
            plain(to)
        ),
        ProgressEvent::Copying { .. }
        | ProgressEvent::Progress { .. }
        | ProgressEvent::Repaired { .. }
        | ProgressEvent::Failed { .. }
        | ProgressEvent::End => {
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
            let mut progress = CommandProgress::new();
            for left in lefts {
                progress.show(ProgressEvent::Repaired {
                    chain: "Base".into(),
                    repaired: 2,
                    left: *left,
                });
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
            ProgressEvent::Resumed { chain: evil(), number: 7, why: evil() },
            ProgressEvent::Restarted { chain: evil(), why: evil() },
            ProgressEvent::Again { chain: evil(), why: evil() },
        ] {
            let words = words(&event).unwrap();
            assert!(!words.contains("\u{1b}[2J"), "{words}");
        }
    }
}
