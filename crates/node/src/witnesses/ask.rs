//! The stage that asks one witness.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use superroot_accumulate::prove::{ProveError, Prover};
use superroot_accumulate::{AccumulateError, Cosigners};
use superroot_api::StatusBoard;
use superroot_proof::note::{Note, VerifierKey};
use superroot_types::{ErrorKind, Hash, UnixSeconds, one_line};
use superroot_witness::AddCheckpoint;

use super::client::{Answer, AskError, WitnessClient};
use crate::marks::{Answers, Refusal};
use crate::stage::{Next, Stage, StageName, backoff};

/// Time between looks for a new note.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// Longest pause after failures.
const RETRY_MAX: Duration = Duration::from_secs(60);
/// Requests of one step: the first may name an older size than the witness holds.
const REQUESTS_MAX: usize = 4;
/// A cosignature may be of a clock that goes before this one by that many seconds.
const FUTURE_SECONDS_MAX: u64 = 300;
/// Characters that are told of a failure.
const WORDS_MAX: usize = 300;
/// Size of the newest note that a witness cosigned.
const SIZE: &str = "superroot_node_witness_size";
/// Unix time of its newest cosignature.
const TIME: &str = "superroot_node_witness_cosigned_seconds";
/// Size by which a witness is ahead of the log.
const AHEAD: &str = "superroot_node_witness_ahead_entries";
/// Requests that brought no cosignature.
const FAILURES: &str = "superroot_node_witness_failures_total";

/// Asks one witness for its cosignature of the newest note.
pub(super) struct AskWitness {
    key: VerifierKey,
    client: WitnessClient,
    prover: Prover,
    cosigners: Arc<Cosigners>,
    status: Arc<StatusBoard>,
    /// Where its answers go as those of a mark.
    answers: Option<Answers>,
    /// Time between two cosignatures.
    every: Duration,
    /// Size that it cosigned last, as far as known.
    confirmed: u64,
    failures: u32,
}

/// Why there is no cosignature.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error(transparent)]
    Ask(#[from] AskError),
    #[error("its answer has no cosignature of the key in the policy on this note")]
    Unsigned,
    #[error("its cosignature is of {time}, the time here is {now}")]
    Future { time: u64, now: u64 },
    #[error("it holds the log at size {held}, and this folder has {size}: the folder is behind")]
    Ahead { held: u64, size: u64 },
    #[error("it holds another root of size {size}: it was shown another history of this log")]
    Fork { size: u64 },
    #[error("each time it says that it holds another size")]
    Restless,
    #[error(transparent)]
    Prove(#[from] ProveError),
    #[error(transparent)]
    Keep(#[from] AccumulateError),
}

impl Refused {
    /// Whether the service cannot go on.
    fn is_lasting(&self) -> bool {
        match self {
            Self::Ask(_)
            | Self::Unsigned
            | Self::Future { .. }
            | Self::Ahead { .. }
            | Self::Fork { .. }
            | Self::Restless => false,
            Self::Prove(ProveError::Store(error)) => error.kind() != ErrorKind::Unavailable,
            Self::Prove(error) => matches!(error, ProveError::Corrupt { .. }),
            Self::Keep(error) => !matches!(error, AccumulateError::Cosignature { .. }),
        }
    }
}

impl AskWitness {
    pub(super) fn new(
        key: VerifierKey,
        client: WitnessClient,
        prover: Prover,
        cosigners: Arc<Cosigners>,
        (status, answers): (Arc<StatusBoard>, Option<Answers>),
        every: Duration,
    ) -> Self {
        let name = key.name().to_owned();
        for gauge in [SIZE, TIME, AHEAD] {
            metrics::gauge!(gauge, "witness" => name.clone()).set(0.0);
        }
        metrics::counter!(FAILURES, "witness" => name.clone()).increment(0);
        status.update_witness(&name, |_| {});
        let (confirmed, failures) = (0, 0);
        Self { key, client, prover, cosigners, status, answers, every, confirmed, failures }
    }

    /// Size of the newest note.
    fn newest(&self) -> u64 {
        self.prover.latest().map_or(0, |latest| latest.super_root.sequence + 1)
    }

    /// Has the newest note cosigned; gives its size and the time of the cosignature.
    async fn collect(&self, now: UnixSeconds) -> Result<(u64, u64), Refused> {
        let mut old = self.confirmed;
        for _ in 0..REQUESTS_MAX {
            let size = self.newest();
            let (note, proof) = self.read(old, size).await?;
            // as a mark it is asked once in any case: an older copy has its cosignatures as well
            let is_mark = self.answers.is_some() && self.confirmed == 0;
            if let (Ok(Some(time)), false) = (note.verify(&self.key), is_mark) {
                return Ok((size, time)); // before this process began, say
            }
            let request = AddCheckpoint { old, proof, note };
            match self.client.ask(&request).await? {
                Answer::Signed(lines) => return self.keep(size, &request.note, &lines, now).await,
                Answer::Holds(held) if held > self.newest() => {
                    return Err(Refused::Ahead { held, size: self.newest() });
                }
                Answer::Holds(held) if held == old && held == size => {
                    return Err(Refused::Fork { size });
                }
                Answer::Holds(held) => old = held,
            }
        }
        Err(Refused::Restless)
    }

    /// The note of a size, and how the log grew up to it.
    async fn read(&self, old: u64, size: u64) -> Result<(Note, Vec<Hash>), Refused> {
        let prover = self.prover.clone();
        let read = move || {
            let missing = || ProveError::UnknownSuperRoot { asked: format!("note of size {size}") };
            let note = prover.note(size)?.ok_or_else(missing)?;
            Ok((note, prover.history_growth(old.min(size), size)?))
        };
        blocking(read).await
    }

    /// Verifies what came, and joins it into the note.
    async fn keep(
        &self,
        size: u64,
        note: &Note,
        lines: &str,
        now: UnixSeconds,
    ) -> Result<(u64, u64), Refused> {
        let read = Note::parse(&format!("{}\n{lines}", note.text()));
        let cosigned = read.map_err(|_| Refused::Unsigned)?;
        let Ok(Some(time)) = cosigned.verify(&self.key) else { return Err(Refused::Unsigned) };
        if time > now.0.saturating_add(FUTURE_SECONDS_MAX) {
            return Err(Refused::Future { time, now: now.0 });
        }
        let (cosigners, key) = (self.cosigners.clone(), self.key.clone());
        blocking(move || Ok(cosigners.keep(size, &key, &cosigned)?)).await?;
        Ok((size, time))
    }

    fn succeeded(&mut self, size: u64, time: u64) {
        let name = self.key.name();
        if std::mem::take(&mut self.failures) > 0 {
            tracing::info!("the witness {name} cosigns again");
        }
        self.confirmed = size;
        if let Some(answers) = &self.answers {
            answers.cosigned(name);
        }
        metrics::gauge!(SIZE, "witness" => name.to_owned()).set(size as f64);
        metrics::gauge!(TIME, "witness" => name.to_owned()).set(time as f64);
        metrics::gauge!(AHEAD, "witness" => name.to_owned()).set(0.0);
        self.status.update_witness(name, |view| {
            (view.size, view.cosigned_at) = (Some(size), Some(UnixSeconds(time)));
            (view.ahead, view.last_error) = (None, None);
        });
    }

    fn failed(&mut self, refused: &Refused) {
        let (name, why) = (self.key.name(), one_line(&refused.to_string(), WORDS_MAX));
        self.failures = self.failures.saturating_add(1);
        metrics::counter!(FAILURES, "witness" => name.to_owned()).increment(1);
        let refusal = match refused {
            Refused::Ahead { held, .. } => Some(Refusal::Ahead { held: *held }),
            Refused::Fork { size } => Some(Refusal::Fork { size: *size }),
            Refused::Ask(_)
            | Refused::Unsigned
            | Refused::Future { .. }
            | Refused::Restless
            | Refused::Prove(_)
            | Refused::Keep(_) => None,
        };
        if let Some(answers) = &self.answers {
            answers.refused(name, refusal);
        }
        let ahead = match refusal {
            Some(Refusal::Ahead { held }) => Some(held),
            Some(Refusal::Fork { .. }) | None => None,
        };
        let entries = ahead.map_or(0, |held| held.saturating_sub(self.newest()));
        metrics::gauge!(AHEAD, "witness" => name.to_owned()).set(entries as f64);
        let before = self.status.update_witness(name, |view| {
            view.ahead = ahead;
            view.last_error.replace(why.clone())
        });
        if before.as_deref() == Some(&why) {
            return;
        }
        match refused {
            Refused::Ahead { .. } | Refused::Fork { .. } => {
                tracing::error!("the witness {name} cosigns nothing: {why}");
            }
            Refused::Ask(_)
            | Refused::Unsigned
            | Refused::Future { .. }
            | Refused::Restless
            | Refused::Prove(_)
            | Refused::Keep(_) => tracing::warn!("the witness {name} did not cosign: {why}"),
        }
    }
}

impl Stage for AskWitness {
    fn name(&self) -> StageName {
        StageName::Witness
    }

    async fn step(&mut self, now: UnixSeconds) -> anyhow::Result<Next> {
        if self.newest() <= self.confirmed {
            return Ok(Next::after(LOOK_INTERVAL.min(self.every)));
        }
        match self.collect(now).await {
            Ok((size, time)) => {
                self.succeeded(size, time);
                Ok(Next::after(self.every))
            }
            Err(refused) if refused.is_lasting() => {
                Err(refused).with_context(|| format!("the witness {}", self.key.name()))
            }
            Err(refused) => {
                self.failed(&refused);
                let pause = Some(backoff(self.failures, RETRY_MAX));
                Ok(Next { pause, has_failed: true })
            }
        }
    }
}

/// Work of the store, away from the async threads.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refused> + Send + 'static,
) -> Result<T, Refused> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
        let what = format!("reading a note ended in a panic: {error}");
        Err(Refused::Prove(ProveError::Corrupt { what }))
    })
}
