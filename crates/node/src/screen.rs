//! Terminal output for live chains: a table redrawn in place, or a line per change without a terminal.

mod line;
mod table;
pub(crate) mod terminal;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use superroot_accumulate::prove::Prover;
use superroot_api::{Publishing, StatusBoard, StatusReader, chain_view};
use superroot_chain::ChainSpec;
use superroot_store::read;
use superroot_types::{BlockNumber, UnixSeconds, duration_text, shorten};
use superroot_wire::chain::WitnessStatus;

use crate::stage::{BlockingStage, StageFailure, StageName};
use line::{AnchoredBlock, ChainLine, Mark};
use table::{fitting, within};

const INTERVAL: Duration = Duration::from_secs(1);
/// Least time between SuperRoot lines without a terminal, in seconds.
const SUPER_ROOT_LINE_SECONDS: u64 = 60;
/// Most characters in a witness's reason.
const WITNESS_WORDS_MAX: usize = 60;

pub(crate) struct Screen {
    url: String,
    prover: Prover,
    status: Arc<StatusBoard>,
    rows: Vec<ChainSpec>,
    journal: LineJournal,
}

struct ServiceSnapshot {
    now: UnixSeconds,
    /// Sequence, hash and age in seconds of the newest SuperRoot.
    super_root: Option<(u64, String, u64)>,
    publishing: Publishing,
    witnesses: Vec<WitnessStatus>,
    lines: Vec<ChainLine>,
}

impl Screen {
    pub(crate) fn new(
        url: String,
        prover: Prover,
        status: Arc<StatusBoard>,
        rows: Vec<ChainSpec>,
    ) -> Self {
        Self { url, prover, status, rows, journal: LineJournal::default() }
    }

    fn look(&self, now: UnixSeconds) -> ServiceSnapshot {
        let line = |row: &ChainSpec| {
            let view = chain_view(&self.prover, &*self.status, row, now);
            ChainLine::of(&row.name, &view, self.anchored(row), now, row.block_time_ms)
        };
        let super_root = self.prover.latest().map(|latest| {
            let age = now.0.saturating_sub(latest.super_root.timestamp.0);
            (latest.super_root.sequence.0, latest.hash.to_string(), age)
        });
        let publishing = self.status.publishing();
        let witnesses = self.status.witnesses();
        let lines = self.rows.iter().map(line).collect();
        ServiceSnapshot { now, super_root, publishing, witnesses, lines }
    }

    /// Newest anchored block; on a withdrawn chain the newest valid one.
    fn anchored(&self, row: &ChainSpec) -> Option<AnchoredBlock> {
        let latest = self.prover.latest()?;
        let chain = row.key();
        let number = latest.reference(chain)?.1.number;
        let number = match row.withdrawn_from() {
            Some(from) => number.min(BlockNumber(from.0.checked_sub(1)?)),
            None => number,
        };
        let held = read::load_block(self.prover.store(), chain, number).ok().flatten();
        Some(AnchoredBlock { number: number.0, timestamp: held.map(|held| held.timestamp) })
    }

    fn page(&self, look: &ServiceSnapshot, width: usize, height: usize) -> Vec<String> {
        let origin = self.prover.origin();
        let super_root = match &look.super_root {
            None => "no SuperRoot yet".to_owned(),
            Some((sequence, hash, seconds)) => {
                format!("SuperRoot {sequence}  {hash}  {} ago", duration_text(*seconds))
            }
        };
        let mut page = vec![format!("{}  log {origin}", self.url), super_root];
        page.extend(
            look.publishing.in_full().map(|why| format!("{}: {why}", look.publishing.name())),
        );
        page.extend(witness_line(&look.witnesses, look.now));
        page.push(String::new());
        page.extend(within(&look.lines, width, height.saturating_sub(page.len())));
        page
    }
}

impl BlockingStage for Screen {
    fn name(&self) -> StageName {
        StageName::Screen
    }

    fn step(&mut self, now: UnixSeconds) -> Result<Duration, StageFailure> {
        let look = self.look(now);
        // a terminal that takes no more is no reason to stop
        let _ = match terminal::size() {
            Some((height, width)) => {
                let height = height.saturating_sub(1);
                let page = self.page(&look, width, height);
                terminal::draw(&fitting(page, height), width)
            }
            None => self.journal.write(&look),
        };
        Ok(INTERVAL)
    }
}

/// Witness progress and faults; `None` without witnesses.
fn witness_line(witnesses: &[WitnessStatus], now: UnixSeconds) -> Option<String> {
    let one = |witness: &WitnessStatus| {
        let name = &witness.name;
        let seconds = witness.cosigned_at.map(|at| now.0.saturating_sub(at.0));
        match (&witness.last_error, witness.size.zip(seconds)) {
            (Some(why), _) => format!("{name}: {}", shorten(why, WITNESS_WORDS_MAX)),
            (None, Some((size, seconds))) => {
                format!("{name} cosigned size {size} {} ago", duration_text(seconds))
            }
            (None, None) => format!("{name} was not asked yet"),
        }
    };
    let all: Vec<_> = witnesses.iter().map(one).collect();
    if all.is_empty() { None } else { Some(format!("witnesses  {}", all.join(", "))) }
}

/// Line output for files and pipes: changes, and the newest SuperRoot from time to time.
#[derive(Default)]
struct LineJournal {
    marks: HashMap<String, Mark>,
    super_root_at: Option<UnixSeconds>,
    publishing: Option<Publishing>,
}

impl LineJournal {
    fn write(&mut self, look: &ServiceSnapshot) -> io::Result<()> {
        for line in self.changes(look) {
            use io::Write;
            writeln!(io::stderr(), "{line}")?;
        }
        Ok(())
    }

    fn changes(&mut self, look: &ServiceSnapshot) -> Vec<String> {
        let mut changes = Vec::new();
        for line in &look.lines {
            if self.marks.insert(line.name.clone(), line.mark()) != Some(line.mark()) {
                changes.push(line.state());
            }
        }
        if self.publishing.as_ref() != Some(&look.publishing) {
            let is_first = self.publishing.replace(look.publishing.clone()).is_none();
            match look.publishing.in_full() {
                Some(why) => changes.push(format!("publishing {}: {why}", look.publishing.name())),
                None if is_first => {}
                None => changes.push("publishing goes on".to_owned()),
            }
        }
        let due = self.super_root_at.is_none_or(|at| look.now.0 >= at.0 + SUPER_ROOT_LINE_SECONDS);
        if let Some((sequence, hash, _)) = look.super_root.as_ref().filter(|_| due) {
            self.super_root_at = Some(look.now);
            let anchored = look.lines.iter().filter(|line| line.anchored.is_some()).count();
            let noun = if anchored == 1 { "chain" } else { "chains" };
            changes.push(format!("SuperRoot {sequence} {hash}, {anchored} {noun}"));
        }
        changes
    }
}
