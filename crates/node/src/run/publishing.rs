//! Publishing: the rollback guard before it, the publisher, and the witnesses after it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use superroot_accumulate::{Accumulator, Cosigners};
use superroot_proof::note::TrustPolicy;

use super::parts::ServiceParts;
use crate::cli::style::WARNING;
use crate::gate::PublishGuard;
use crate::marks::{Answers, Marks};
use crate::publish::{CatchingUp, Publisher, Searches};
use crate::stage::{Runner, StageFailure};
use crate::witnesses;

/// Log that is open, and not yet published.
pub(super) struct UnpublishedLog {
    pub(super) accumulator: Accumulator,
    /// Why the log key is unavailable.
    pub(super) keyless: Option<String>,
    pub(super) policy: Option<TrustPolicy>,
    /// Whether the folder outlives the service.
    pub(super) is_kept: bool,
}

/// Starts the publisher and the stages around it. The flag is set when everything final at the start is anchored.
pub(super) fn start_publishing(
    log: UnpublishedLog,
    behind: CatchingUp,
    searches: Searches,
    parts: &ServiceParts,
    runner: &mut Runner,
) -> anyhow::Result<Arc<AtomicBool>> {
    let UnpublishedLog { accumulator, keyless, policy, is_kept } = log;
    let is_signed = !accumulator.board().keys().is_empty();
    let marks = open_marks(&accumulator, policy.as_ref(), parts)?;
    if marks.is_empty() && is_signed && is_kept {
        warn_of_no_mark(&parts.data);
    }
    if let Some(peers) = marks.peers()? {
        runner.stage(peers);
    }
    let answers = marks.answers();
    let mut gate = PublishGuard::new(marks, parts.data.clone(), parts.status.clone(), keyless);
    if accumulator.goal()?.is_none() {
        // before anything is shown: what a crash left out of the marks is put there
        gate.look(&accumulator).map_err(StageFailure::into_error)?;
    }
    let beat = Duration::from_millis(parts.config.accumulate.beat_ms);
    // a mirror, which has not the key, has nothing to be cosigned
    if let Some(policy) = policy.filter(|_| is_signed) {
        ask_witnesses(&policy, &accumulator, answers.as_ref(), beat, parts, runner)?;
    }
    let ready = Arc::new(AtomicBool::new(false));
    let seen = (behind, searches);
    let is_recorded = parts.is_recorded();
    runner.work(Publisher::new((accumulator, gate), beat, seen, is_recorded, ready.clone()));
    Ok(ready)
}

fn open_marks(
    accumulator: &Accumulator,
    policy: Option<&TrustPolicy>,
    parts: &ServiceParts,
) -> anyhow::Result<Marks> {
    let shown_at = policy.map(|policy| witnesses::shown_at(policy, parts.prover.origin()));
    let shown_at = shown_at.transpose()?.unwrap_or_default();
    let keys = accumulator.board().keys().to_vec();
    Marks::new(&parts.config.log.mark, &parts.data, keys, shown_at)
}

fn warn_of_no_mark(data: &Path) {
    say!(
        "{WARNING}no mark{WARNING:#}  an older copy of {} would publish anew what was published: set \
         log.mark (docs/log.md)",
        data.display()
    );
}

fn ask_witnesses(
    policy: &TrustPolicy,
    accumulator: &Accumulator,
    answers: Option<&Answers>,
    beat: Duration,
    parts: &ServiceParts,
    runner: &mut Runner,
) -> anyhow::Result<()> {
    witnesses::check_log(policy, parts.prover.keys())?;
    let cosigners = Cosigners::open(parts.store.clone(), accumulator.board(), policy.clone())?;
    let every = beat.saturating_mul(parts.config.log.witness_every);
    let told = (&parts.status, answers);
    witnesses::ask_all(policy, cosigners, (&parts.prover, told), every, runner)
}
