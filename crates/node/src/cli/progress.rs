//! How far a backfill or a repair is, as a person at the terminal sees it: a bar, or lines in a log.

use anyhow::bail;
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use tokio::time::Instant;

use super::style::{GOOD, WARNING, plain};
use crate::admin::Event;

/// A rate is not told before it was measured for so long.
const PACE_AFTER: Duration = Duration::from_secs(5);
/// Longest time left that is told: beyond it the rate says that nothing moves.
const LEFT_MAX: Duration = Duration::from_secs(30 * 86_400);
/// Time between lines where there is no terminal for a bar.
const LINE_INTERVAL: Duration = Duration::from_secs(30);

/// A bar and lines, made of events.
pub(super) struct Progress {
    bar: ProgressBar,
    /// Names of whom the bar is.
    of: String,
    repaired: u64,
    left: u64,
    /// Lines for the end, when no bar stands any more.
    lines: Vec<String>,
    has_repaired: bool,
    measure: Option<Measure>,
}

/// How fast the work on one chain goes.
#[derive(Clone, Copy, Debug)]
struct Measure {
    began: Instant,
    /// What was done by then: the first that is told took an unknown time.
    done_before: u64,
    line_at: Instant,
}

impl Measure {
    const fn new(done_before: u64, now: Instant) -> Self {
        Self { began: now, done_before, line_at: now }
    }

    /// Rate and time left, for the end of a line; nothing before they mean something.
    fn pace(&self, done: u64, total: u64, now: Instant) -> String {
        let taken = done.saturating_sub(self.done_before);
        let elapsed = now.duration_since(self.began);
        if taken == 0 || elapsed < PACE_AFTER {
            return String::new();
        }
        let rate = taken as f64 / elapsed.as_secs_f64();
        let left = total.saturating_sub(done) as f64 / rate;
        match Duration::try_from_secs_f64(left) {
            Ok(left) if left <= LEFT_MAX => {
                format!(", {rate:.1}/s, {} left", HumanDuration(left))
            }
            _ => String::new(),
        }
    }

    /// Whether it is time for a line.
    fn is_line_due(&mut self, now: Instant) -> bool {
        let is_due = now.duration_since(self.line_at) >= LINE_INTERVAL;
        if is_due {
            self.line_at = now;
        }
        is_due
    }
}

impl Progress {
    pub(super) fn new() -> Self {
        let style = ProgressStyle::with_template("{prefix} {bar:40} {pos}/{len} blocks{msg}");
        let bar =
            ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let (of, lines) = (String::new(), Vec::new());
        Self { bar, of, repaired: 0, left: 0, lines, has_repaired: false, measure: None }
    }

    /// Shows one event. Texts of nodes and services obey nothing on the terminal.
    pub(super) fn show(&mut self, event: Event) {
        match event {
            Event::Progress { chain, done, total } => {
                if let Some(line) = self.progress(chain, done, total, Instant::now()) {
                    self.line(&line);
                }
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
                "{WARNING}withdrawn{WARNING:#}  {} is withdrawn from block {from} on, as its row says: a \
                 service with that row takes nothing of it any more, and nothing lets it go on",
                plain(&chain)
            )),
            Event::Failed { .. } | Event::End => {}
        }
    }

    /// Moves the bar; gives a line now and then, for where there is none.
    fn progress(&mut self, chain: String, done: u64, total: u64, now: Instant) -> Option<String> {
        if self.of != chain {
            self.bar.reset();
            self.bar.set_prefix(plain(&chain));
            (self.of, self.measure) = (chain, None);
        }
        let measure = self.measure.get_or_insert_with(|| Measure::new(done, now));
        let pace = measure.pace(done, total, now);
        self.bar.set_length(total);
        self.bar.set_position(done);
        self.bar.set_message(pace.clone());
        let is_due = self.bar.is_hidden() && measure.is_line_due(now);
        is_due.then(|| format!("{}: {done} of {total} blocks{pace}", plain(&self.of)))
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

    /// A rate over the first moments says nothing, nor does one of a time in which nothing came.
    #[test]
    fn a_rate_is_told_once_it_means_something() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let measure = Measure::new(64, start);
        assert_eq!(measure.pace(1_600, 2_000, at(4)), "");
        assert_eq!(measure.pace(64, 2_000, at(600)), "");
        assert_eq!(measure.pace(164, 364, at(10)), ", 10.0/s, 20 seconds left");
        assert_eq!(measure.pace(65, u64::MAX, at(600)), "", "ages are no figure");
        assert_eq!(measure.pace(364, 364, at(30)), ", 10.0/s, 0 seconds left");
    }

    /// Tests have no terminal: lines tell how far it is, every half minute.
    #[test]
    fn without_a_terminal_a_line_now_and_then_tells_how_far_it_is() {
        let (mut progress, start) = (Progress::new(), Instant::now());
        let mut line = |seconds, done| {
            progress.progress("Base".to_owned(), done, 1_000, start + Duration::from_secs(seconds))
        };
        assert_eq!(line(0, 100), None);
        assert_eq!(line(29, 200), None);
        assert_eq!(line(40, 300).unwrap(), "Base: 300 of 1000 blocks, 5.0/s, 2 minutes left");
        assert_eq!(line(69, 400), None);
        assert!(line(70, 450).unwrap().starts_with("Base: 450 of 1000 blocks, "));
    }

    #[test]
    fn what_several_chains_leave_is_added_up_and_is_a_failure() {
        let mut progress = Progress::new();
        progress.show(repaired(0));
        progress.show(repaired(3));
        assert_eq!((progress.repaired, progress.left), (4, 3));
        assert!(progress.end().unwrap_err().to_string().contains("3 blocks"));
        let mut progress = Progress::new();
        progress.show(repaired(0));
        assert!(progress.end().is_ok());
    }

    #[test]
    fn what_is_told_obeys_nothing_on_the_terminal() {
        let mut progress = Progress::new();
        let evil = "x\u{1b}[2J".to_owned();
        progress.show(Event::Resumed { chain: evil.clone(), number: 7, why: evil.clone() });
        progress.show(Event::Restarted { chain: evil.clone(), why: evil });
        assert!(
            progress.lines.iter().all(|line| !line.contains("\u{1b}[2J")),
            "{:?}",
            progress.lines
        );
    }
}
