//! What a person at the terminal sees of an act, wherever it is done.

use anyhow::bail;
use indicatif::{ProgressBar, ProgressStyle};

use super::style::{GOOD, WARNING, plain};
use crate::admin::Event;

/// A bar and lines, made of what is told.
pub(super) struct Told {
    bar: ProgressBar,
    /// Names of whom the bar is.
    of: String,
    repaired: u64,
    left: u64,
    /// Lines for the end, when no bar stands any more.
    lines: Vec<String>,
    has_repaired: bool,
}

impl Told {
    pub(super) fn new() -> Self {
        let style = ProgressStyle::with_template(
            "{msg} {bar:40} {pos}/{len} blocks, {per_sec}, {eta} left",
        );
        let bar =
            ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let (of, lines) = (String::new(), Vec::new());
        Self { bar, of, repaired: 0, left: 0, lines, has_repaired: false }
    }

    /// Shows one event. Texts of nodes and services obey nothing on the terminal.
    pub(super) fn tell(&mut self, event: Event) {
        match event {
            Event::Progress { chain, done, total } => {
                if self.of != chain {
                    self.bar.reset();
                    self.bar.set_message(plain(&chain));
                    self.of = chain;
                }
                self.bar.set_length(total);
                self.bar.set_position(done);
            }
            Event::Again { why, .. } => self.line(&format!("again  {}", plain(&why))),
            Event::Left { chain, number, why } => {
                self.line(&format!("left  block {number} of {}: {}", plain(&chain), plain(&why)));
            }
            Event::Contradicted { number, held, other, evidence, .. } => self.lines.push(format!(
                "{WARNING}contradicted{WARNING:#}  block {number}: held is {held}, {} say {other}",
                plain(&evidence)
            )),
            Event::Filled { chain, start } => self.lines.push(format!(
                "{GOOD}filled{GOOD:#}  {} begins at block {start} now; the next SuperRoot has it",
                plain(&chain)
            )),
            Event::AlreadyHeld { chain, start, newest } => self.lines.push(format!(
                "nothing was to do: {} is held from block {start} to block {newest}",
                plain(&chain)
            )),
            Event::Repaired { repaired, left, .. } => {
                self.has_repaired = true;
                self.repaired = self.repaired.saturating_add(repaired);
                self.left = self.left.saturating_add(left);
            }
            Event::Resumed { chain, number, why } => {
                self.lines.push(format!(
                    "{GOOD}cleared{GOOD:#}  {} was halted at block {number}: {}",
                    plain(&chain),
                    plain(&why)
                ));
                self.lines.push(
                    "what it held as final stays; it halts again if its nodes still contradict that"
                        .to_owned(),
                );
            }
            Event::Restarted { chain, why } => {
                self.lines.push(format!(
                    "{GOOD}cleared{GOOD:#}  {} was halted by an error of this program: {}",
                    plain(&chain),
                    plain(&why)
                ));
                self.lines.push("it halts again if that happens again".to_owned());
            }
            Event::NotHalted { chain } => {
                self.lines.push(format!("{} is not halted", plain(&chain)));
            }
            Event::Withdrawn { chain, from } => self.lines.push(format!(
                "{WARNING}withdrawn{WARNING:#}  {} is withdrawn from block {from} on: nothing of it is \
                 taken any more, and nothing lets it go on",
                plain(&chain)
            )),
            Event::Failed { .. } | Event::End => {}
        }
    }

    /// A line above the bar; without a terminal there is no bar, and the line is for the log.
    pub(super) fn line(&self, text: &str) {
        if self.bar.is_hidden() {
            say!("{text}");
        } else {
            self.bar.println(text);
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
        let Self { repaired, left, lines, has_repaired, .. } = self;
        for line in lines {
            put!("{line}");
        }
        if has_repaired {
            put!("{GOOD}repaired{GOOD:#}  {repaired} blocks, {left} left as they are");
        }
        if left > 0 {
            bail!("{left} blocks could not be repaired");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repaired(left: u64) -> Event {
        Event::Repaired { chain: "Base".to_owned(), repaired: 2, left }
    }

    #[test]
    fn what_several_chains_leave_is_added_up_and_is_a_failure() {
        let mut told = Told::new();
        told.tell(repaired(0));
        told.tell(repaired(3));
        assert_eq!((told.repaired, told.left), (4, 3));
        assert!(told.end().unwrap_err().to_string().contains("3 blocks"));
        let mut told = Told::new();
        told.tell(repaired(0));
        assert!(told.end().is_ok());
    }

    #[test]
    fn what_is_told_obeys_nothing_on_the_terminal() {
        let mut told = Told::new();
        let evil = "x\u{1b}[2J".to_owned();
        told.tell(Event::Resumed { chain: evil.clone(), number: 7, why: evil.clone() });
        told.tell(Event::Restarted { chain: evil.clone(), why: evil });
        assert!(told.lines.iter().all(|line| !line.contains("\u{1b}[2J")), "{:?}", told.lines);
    }
}
