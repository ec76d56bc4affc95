//! Pin update: advance to the newest SuperRoot signed by the pinned key, after full consistency only.
//!
//! ```text
//! newest note, of the key and the quorum ──► its SuperRoot ──► full consistency from the pin
//!                                                 │            └─ twigs in pages, checked as they come
//!                                                 └─ contradicts the pin: evidence, where both are signed
//! ```

use superroot_proof::consistency::HistoryOpening;
use superroot_proof::note::{ForkEvidence, HistoryEntry, TrustPolicy};
use superroot_proof::perfect::PerfectTree;
use superroot_proof::superroot::HISTORY_SLOT;
use superroot_types::{ErrorKind, Hash, LogSize, SuperRootRef};
use superroot_wire::superroot::{
    BlobAnswer, Consistency, ConsistencyAnswer, Strength, parse_blob, parse_consistency,
};
use superroot_wire::{WireError, parse_json};

use crate::page::size_of;
use crate::{Client, ClientError, FetchedPage, LogKey, Pin, PinAdvance, TrustError, TrustedLog};

/// Reason why a pin does not advance.
#[derive(Debug, thiserror::Error)]
pub enum UpdateError {
    /// Request failed.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// Malformed answer.
    #[error("the service's answer: {0}")]
    Wire(#[from] WireError),
    /// Answer not signed, or not extending the pin.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// Service is at an older SuperRoot than the pin.
    #[error("the service is at SuperRoot {at}, behind your pin {pin}")]
    Behind {
        /// Service's sequence.
        at: u64,
        /// Pinned sequence.
        pin: u64,
    },
    /// The answer leads to another SuperRoot than the one shown.
    #[error("the service shows SuperRoot {shown}, its proof of consistency leads to {got}")]
    Elsewhere {
        /// Sequence in the note.
        shown: u64,
        /// Sequence proven.
        got: u64,
    },
    /// The service has another log.
    #[error("the service's log is {got:?}, not {expected}")]
    OtherLog {
        /// Origin shown.
        got: String,
        /// Pinned origin.
        expected: String,
    },
    /// The key signed two histories.
    #[error("the log's key signed two histories: {} and what you pinned", .0.key.name())]
    TwoHistories(Box<ForkEvidence>),
}

impl UpdateError {
    /// Whether the service contradicts the pin, or itself.
    #[must_use]
    pub const fn is_contradiction(&self) -> bool {
        match self {
            Self::TwoHistories(_) | Self::Elsewhere { .. } => true,
            Self::Trust(error) => {
                matches!(error, TrustError::Fork { .. } | TrustError::Inconsistent(_))
            }
            Self::Wire(error) => error.is_false(),
            Self::Client(_) | Self::Behind { .. } | Self::OtherLog { .. } => false,
        }
    }

    /// Error class: the caller's next action.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::Client(error) => error.kind(),
            Self::Behind { .. } => ErrorKind::Unavailable,
            Self::Wire(_)
            | Self::Trust(_)
            | Self::Elsewhere { .. }
            | Self::OtherLog { .. }
            | Self::TwoHistories(_) => ErrorKind::Invalid,
        }
    }
}

/// Fetches the newest SuperRoot signed by the log's key and witnesses, and checks that the newest pin is fully
/// extended. `None` if the pin is already the newest. `told` receives the twigs fetched between both and the total;
/// memory does not grow with the total.
///
/// If the policy requires witnesses and they signed nothing above the pin, the note signed by the key alone is also
/// compared with the pin, without moving the pin: witnesses are absent when a log forks.
///
/// # Errors
/// [`UpdateError`]; the pin must then not move.
pub async fn fetch_step(
    client: &Client,
    log: &TrustedLog,
    key: &LogKey,
    told: impl Fn(u64, u64),
) -> Result<Option<PinAdvance>, UpdateError> {
    if !key.asks_for_witnesses() {
        return step_to(client, log, key, client.fetch_checkpoint(None).await?, &told).await;
    }
    let step = match client.fetch_cosigned().await {
        Ok(note) => step_to(client, log, key, note, &told).await,
        Err(error) => Err(error.into()),
    };
    let is_decided = match &step {
        Ok(step) => step.is_some(),
        Err(error) => error.is_contradiction(),
    };
    if is_decided || log.pins().is_empty() {
        return step;
    }
    let Ok(note) = client.fetch_checkpoint(None).await else { return step };
    let alone = LogKey { policy: TrustPolicy::none(), ..key.clone() };
    match step_to(client, log, &alone, note, &told).await {
        Err(error) if error.is_contradiction() => Err(error),
        Ok(_) | Err(_) => step,
    }
}

/// Step from the newest pin to a note's final SuperRoot.
async fn step_to(
    client: &Client,
    log: &TrustedLog,
    key: &LogKey,
    note: Vec<u8>,
    told: &impl Fn(u64, u64),
) -> Result<Option<PinAdvance>, UpdateError> {
    let note = text(note)?;
    let page = signed_page(client, log, key, &note).await?;
    let Some(pin) = log.pins().last() else {
        let blob = fetch_blob(client, &page.super_root.hash()).await?.blob;
        return Ok(Some(PinAdvance::first(log.origin(), key, &page, &note, &blob)?));
    };
    let from = pin.sequence;
    let to = page.super_root.sequence.0;
    if to < from {
        return Err(UpdateError::Behind { at: to, pin: from });
    }
    if to == from {
        return same(log, key, pin, &page, &note).map(|()| None);
    }
    match extend(client, log, key, pin, (&page, &note), told).await {
        Err(UpdateError::Trust(error @ TrustError::Inconsistent(_))) => {
            match evidence(client, key, pin, (&page, &note)).await {
                Some(evidence) => Err(UpdateError::TwoHistories(Box::new(evidence))),
                None => Err(error.into()),
            }
        }
        step => step.map(Some),
    }
}

fn text(body: Vec<u8>) -> Result<String, ClientError> {
    String::from_utf8(body)
        .map_err(|_| ClientError::Page { why: "a checkpoint is text".to_owned() })
}

/// Returns a note's final SuperRoot, signed by the log's key.
async fn signed_page(
    client: &Client,
    log: &TrustedLog,
    key: &LogKey,
    note: &str,
) -> Result<FetchedPage, UpdateError> {
    let size = size_of(note).and_then(|size| LogSize(size).newest());
    let why =
        || ClientError::Page { why: "the checkpoint is no note of a log with entries".into() };
    let page = client.fetch_superroot(SuperRootRef::Sequence(size.ok_or_else(why)?)).await?;
    let page = FetchedPage::read(&page)?;
    if page.origin != log.origin() {
        let got = page.origin;
        let expected = log.origin().to_owned();
        return Err(UpdateError::OtherLog { got, expected });
    }
    page.check_signed(note, key)?;
    Ok(page)
}

/// Checks the SuperRoot shown for the pin's own sequence against the pin.
fn same(
    log: &TrustedLog,
    key: &LogKey,
    pin: &Pin,
    page: &FetchedPage,
    note: &str,
) -> Result<(), UpdateError> {
    let got = page.super_root.hash();
    if got == pin.super_root_hash {
        return Ok(());
    }
    if let Some(own) = &pin.note {
        let key = key.key.clone();
        let notes = [own.clone(), note.to_owned()];
        let evidence = ForkEvidence { key, notes, entry: None };
        if evidence.verify().is_ok() {
            return Err(UpdateError::TwoHistories(Box::new(evidence)));
        }
    }
    let origin = log.origin().to_owned();
    let sequence = pin.sequence;
    let pinned = pin.super_root_hash;
    Err(TrustError::Fork { origin, sequence, pinned, got }.into())
}

/// Checks full consistency from the pin, with twigs page by page.
async fn extend(
    client: &Client,
    log: &TrustedLog,
    key: &LogKey,
    pin: &Pin,
    (page, note): (&FetchedPage, &str),
    told: &impl Fn(u64, u64),
) -> Result<PinAdvance, UpdateError> {
    let from = pin.sequence;
    let to = page.super_root.sequence.0;
    let answer = consistency(client, from, to, Strength::Full).await?;
    let got = answer.proof.to().sequence.0;
    if got != to {
        return Err(UpdateError::Elsewhere { shown: to, got });
    }
    let Consistency::Full(proof) = &answer.proof else {
        let member = "strength".to_owned();
        return Err(WireError::Missing { member }.into());
    };
    let mut pending = PinAdvance::after(log.origin(), key, pin, (page, note), proof)?;
    match &answer.appended {
        Some(twigs) => pending.appending.take_all(twigs).map_err(TrustError::from)?,
        None => {
            let under = page.super_root.hash();
            let fetched = client.fetch_appended(&under, &mut pending.appending, told).await;
            fetched.map_err(|error| match error {
                ClientError::Inconsistent(error) => TrustError::from(error).into(),
                error => UpdateError::Client(error),
            })?;
        }
    }
    Ok(pending.finish()?)
}

async fn consistency(
    client: &Client,
    from: u64,
    to: u64,
    strength: Strength,
) -> Result<ConsistencyAnswer, UpdateError> {
    let body = client.fetch_consistency(from, to, strength).await?;
    Ok(parse_consistency(&parse_json(&body)?)?.0)
}

async fn fetch_blob(client: &Client, hash: &Hash) -> Result<BlobAnswer, UpdateError> {
    Ok(parse_blob(&parse_json(&client.fetch_blob(hash).await?)?)?.0)
}

/// Evidence that the key signed two histories: in the newer note, SuperRoot `pin + 1` commits to another history than
/// the pin's note. `None` if the service withholds the required data; then only the answer is refused.
async fn evidence(
    client: &Client,
    key: &LogKey,
    pin: &Pin,
    (page, note): (&FetchedPage, &str),
) -> Option<ForkEvidence> {
    let own = pin.note.clone()?;
    let next = pin.sequence.checked_add(1)?;
    let last = page.super_root.sequence.0;
    let (entry, newer) = if next == last {
        let blob = fetch_blob(client, &page.super_root.hash()).await.ok()?.blob;
        let opening =
            HistoryOpening { history: blob.history, siblings: history_path(&blob.tree())? };
        let path = page.siblings.clone();
        (HistoryEntry { super_root: page.super_root, path, opening }, note.to_owned())
    } else {
        // the log before its last SuperRoot is what that one commits to
        let answer = consistency(client, next, last, Strength::History).await.ok()?;
        let history = answer.proof.history()?;
        let path = history.upgrade.path.clone();
        let opening = history.from_opening.clone();
        let newer = client.fetch_checkpoint(Some(last.checked_sub(1)?)).await.ok()?;
        (HistoryEntry { super_root: history.upgrade.from, path, opening }, text(newer).ok()?)
    };
    let key = key.key.clone();
    let notes = [own, newer];
    let evidence = ForkEvidence { key, notes, entry: Some(Box::new(entry)) };
    evidence.verify().is_ok().then_some(evidence)
}

fn history_path(tree: &PerfectTree) -> Option<[Hash; 6]> {
    tree.siblings(HISTORY_SLOT).try_into().ok()
}
