//! What a person sees of a service that follows live chains: on a terminal one table that is redrawn
//! in place; elsewhere a line for each change.

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
use superroot_api::{ChainStatus, Publishing, StatusBoard, chain_view};
use superroot_chain::ChainRow;
use superroot_store::read;
use superroot_types::{BlockNumber, UnixSeconds, duration_text, shorten};
use superroot_wire::chain::WitnessStatus;

use crate::stage::{Failure, StageName, Work};
use line::{Anchored, Line, Mark};
use table::{fitting, within};

/// Time between looks.
const INTERVAL: Duration = Duration::from_secs(1);
/// Time between lines about SuperRoots where lines are not redrawn, in seconds.
const SUPER_ROOT_LINE_SECONDS: u64 = 60;
/// Characters of why a witness does not cosign.
const WITNESS_WORDS_MAX: usize = 60;

/// What is shown.
pub(crate) struct Screen {
    url: String,
    prover: Prover,
    status: Arc<StatusBoard>,
    /// Chains with a line, in this order.
    rows: Vec<ChainRow>,
    journal: Journal,
}

/// The service at one moment.
struct Look {
    now: UnixSeconds,
    /// Sequence, hash and age in seconds of the newest SuperRoot.
    super_root: Option<(u64, String, u64)>,
    publishing: Publishing,
    witnesses: Vec<WitnessStatus>,
    lines: Vec<Line>,
}

impl Screen {
    /// A screen with a line for each of these chains, in this order.
    pub(crate) fn new(
        url: String,
        prover: Prover,
        status: Arc<StatusBoard>,
        rows: Vec<ChainRow>,
    ) -> Self {
        Self { url, prover, status, rows, journal: Journal::default() }
    }

    fn look(&self, now: UnixSeconds) -> Look {
        let line = |row: &ChainRow| {
            let view = chain_view(&self.prover, &*self.status, row, now);
            Line::of(&row.name, &view, self.anchored(row), now, row.block_time_ms)
        };
        let super_root = self.prover.latest().map(|latest| {
            let age = now.0.saturating_sub(latest.super_root.timestamp.0);
            (latest.super_root.sequence, latest.hash.to_string(), age)
        });
        let (publishing, witnesses) = (self.status.publishing(), self.status.witnesses());
        let lines = self.rows.iter().map(line).collect();
        Look { now, super_root, publishing, witnesses, lines }
    }

    /// The newest block that is anchored; of a withdrawn chain the newest that is not withdrawn.
    fn anchored(&self, row: &ChainRow) -> Option<Anchored> {
        let (latest, chain) = (self.prover.latest()?, row.key());
        let number = latest.reference(chain)?.1.number;
        let number = match row.withdrawn_from() {
            Some(from) => number.min(BlockNumber(from.0.checked_sub(1)?)),
            None => number,
        };
        let held = read::load_block(self.prover.store(), chain, number).ok().flatten();
        Some(Anchored { number: number.0, timestamp: held.map(|held| held.timestamp) })
    }

    fn page(&self, look: &Look, width: usize, height: usize) -> Vec<String> {
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

impl Work for Screen {
    fn name(&self) -> StageName {
        StageName::Screen
    }

    fn step(&mut self, now: UnixSeconds) -> Result<Duration, Failure> {
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

/// How far each witness cosigned, and why one does not; nothing where none is asked.
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

/// Lines for a file or a pipe: what changed, and now and then the newest SuperRoot.
#[derive(Default)]
struct Journal {
    marks: HashMap<String, Mark>,
    super_root_at: Option<UnixSeconds>,
    publishing: Option<Publishing>,
}

impl Journal {
    fn write(&mut self, look: &Look) -> io::Result<()> {
        for line in self.changes(look) {
            use io::Write;
            writeln!(io::stderr(), "{line}")?;
        }
        Ok(())
    }

    fn changes(&mut self, look: &Look) -> Vec<String> {
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
