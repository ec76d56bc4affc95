//! Stage that asks one witness.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use superroot_accumulate::prove::{ProveError, Prover};
use superroot_accumulate::{AccumulateError, Cosigners};
use superroot_api::StatusBoard;
use superroot_proof::note::{Note, VerifierKey};
use superroot_types::{ErrorKind, Hash, LogSize, UnixSeconds, one_line};
use superroot_witness::AddCheckpoint;

use super::client::{AskError, CosignAnswer, WitnessClient};
use crate::marks::{Answers, CosignRefusal};
use crate::stage::{Next, RunnerStage, StageName, backoff};

const LOOK_INTERVAL: Duration = Duration::from_secs(1);
const RETRY_MAX: Duration = Duration::from_secs(60);
/// Most requests per step: the first may name an older size than the witness's.
const REQUESTS_MAX: usize = 4;
/// Most seconds by which a cosignature may lie in the future.
const FUTURE_SECONDS_MAX: u64 = 300;
const WORDS_MAX: usize = 300;
/// Newest size cosigned by a witness.
const SIZE: &str = "superroot_node_witness_size";
/// The newest cosignature's Unix time.
const TIME: &str = "superroot_node_witness_cosigned_seconds";
/// Entries by which a witness is ahead of the log.
const AHEAD: &str = "superroot_node_witness_ahead_entries";
const FAILURES: &str = "superroot_node_witness_failures_total";

pub(super) struct AskWitness {
    key: VerifierKey,
    client: WitnessClient,
    prover: Prover,
    cosigners: Arc<Cosigners>,
    status: Arc<StatusBoard>,
    /// Answer store, if the witness is a mark.
    answers: Option<Answers>,
    every: Duration,
    /// Last size known to be cosigned.
    confirmed: u64,
    failures: u32,
}

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
        let confirmed = 0;
        let failures = 0;
        Self { key, client, prover, cosigners, status, answers, every, confirmed, failures }
    }

    fn newest(&self) -> u64 {
        self.prover.latest().map_or(0, |latest| latest.super_root.sequence.0 + 1)
    }

    /// Gets the newest note cosigned. Returns note size and cosignature time.
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
                CosignAnswer::Signed(lines) => {
                    return self.keep(size, &request.note, &lines, now).await;
                }
                CosignAnswer::Holds(held) if held > self.newest() => {
                    return Err(Refused::Ahead { held, size: self.newest() });
                }
                CosignAnswer::Holds(held) if held == old && held == size => {
                    return Err(Refused::Fork { size });
                }
                CosignAnswer::Holds(held) => old = held,
            }
        }
        Err(Refused::Restless)
    }

    /// Note with a size, and the consistency path up to the note.
    async fn read(&self, old: u64, size: u64) -> Result<(Note, Vec<Hash>), Refused> {
        let prover = self.prover.clone();
        let read = move || {
            let missing = || ProveError::UnknownSuperRoot { asked: format!("note of size {size}") };
            let note = prover.note(LogSize(size))?.ok_or_else(missing)?;
            Ok((note, prover.history_growth(LogSize(old.min(size)), LogSize(size))?))
        };
        blocking(read).await
    }

    /// Verifies signature lines, and merges them into the note.
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
        let cosigners = self.cosigners.clone();
        let key = self.key.clone();
        blocking(move || Ok(cosigners.keep(LogSize(size), &key, &cosigned)?)).await?;
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
        let name = self.key.name();
        let why = one_line(&refused.to_string(), WORDS_MAX);
        self.failures = self.failures.saturating_add(1);
        metrics::counter!(FAILURES, "witness" => name.to_owned()).increment(1);
        let refusal = match refused {
            Refused::Ahead { held, .. } => Some(CosignRefusal::Ahead { held: *held }),
            Refused::Fork { size } => Some(CosignRefusal::Fork { size: *size }),
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
            Some(CosignRefusal::Ahead { held }) => Some(held),
            Some(CosignRefusal::Fork { .. }) | None => None,
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

impl RunnerStage for AskWitness {
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

/// Runs store work on a blocking thread.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refused> + Send + 'static,
) -> Result<T, Refused> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
        let what = format!("reading a note ended in a panic: {error}");
        Err(Refused::Prove(ProveError::Corrupt { what }))
    })
}
