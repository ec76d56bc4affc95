//! Moving a pin on: to the newest SuperRoot that the pinned key signed, by full consistency alone.
//!
//! ```text
//! newest note, of the key and the quorum ──► its SuperRoot ──► full consistency from the pin
//!                                                 │            └─ twigs in pages, checked as they come
//!                                                 └─ contradicts the pin: evidence, where both are signed
//! ```

use superroot_proof::consistency::HistoryOpening;
use superroot_proof::note::{Evidence, HistoryEntry, TrustPolicy};
use superroot_proof::perfect::PerfectTree;
use superroot_proof::superroot::HISTORY_SLOT;
use superroot_types::{ErrorKind, Hash};
use superroot_wire::superroot::{
    BlobAnswer, Consistency, ConsistencyAnswer, Strength, parse_blob, parse_consistency,
};
use superroot_wire::{WireError, parse_json};

use crate::page::size_of;
use crate::{At, Client, ClientError, LogKey, Page, Pin, Step, TrustError, TrustedLog};

/// Why a pin does not move.
#[derive(Debug, thiserror::Error)]
pub enum UpdateError {
    /// The service did not answer as it should.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// An answer is malformed.
    #[error("the service's answer: {0}")]
    Wire(#[from] WireError),
    /// What it shows is not signed, or does not extend the pin.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// The service is at an older SuperRoot than the pin.
    #[error("the service is at SuperRoot {at}, behind your pin {pin}")]
    Behind {
        /// Where it is.
        at: u64,
        /// The pin.
        pin: u64,
    },
    /// The answer leads to another SuperRoot than the service shows.
    #[error("the service shows SuperRoot {shown}, its proof of consistency leads to {got}")]
    Elsewhere {
        /// What its note is about.
        shown: u64,
        /// Where its proof leads.
        got: u64,
    },
    /// The log of the service is another one.
    #[error("the service's log is {got:?}, not {expected}")]
    OtherLog {
        /// Origin that it shows.
        got: String,
        /// The log that is pinned.
        expected: String,
    },
    /// The key signed two histories.
    #[error("the log's key signed two histories: {} and what you pinned", .0.key.name())]
    TwoHistories(Box<Evidence>),
}

impl UpdateError {
    /// Whether the service contradicts what is pinned, or itself.
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

    /// What the caller does next.
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

/// Asks a service for the newest SuperRoot that the log's key and witnesses signed, and checks that it
/// extends the newest pin in full. `None` where that is the newest already. `told` hears how many of the
/// twigs between the two came; memory does not grow with their number.
///
/// Where witnesses are asked for and signed nothing above the pin, what the key signed alone is compared
/// with the pin as well: it moves nothing, and witnesses are not there where the log has forked.
///
/// # Errors
/// [`UpdateError`]; nothing is to be moved then.
pub async fn fetch_step(
    client: &Client,
    log: &TrustedLog,
    key: &LogKey,
    told: impl Fn(u64, u64),
) -> Result<Option<Step>, UpdateError> {
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

/// The step from the newest pin to the SuperRoot that a note ends in.
async fn step_to(
    client: &Client,
    log: &TrustedLog,
    key: &LogKey,
    note: Vec<u8>,
    told: &impl Fn(u64, u64),
) -> Result<Option<Step>, UpdateError> {
    let note = text(note)?;
    let page = signed_page(client, log, key, &note).await?;
    let Some(pin) = log.pins().last() else {
        let blob = fetch_blob(client, &page.super_root.hash()).await?.blob;
        return Ok(Some(Step::first(log.origin(), key, &page, &note, &blob)?));
    };
    let (from, to) = (pin.sequence, page.super_root.sequence);
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

/// The SuperRoot that a note ends in, by the log's key.
async fn signed_page(
    client: &Client,
    log: &TrustedLog,
    key: &LogKey,
    note: &str,
) -> Result<Page, UpdateError> {
    let size = size_of(note).and_then(|size| size.checked_sub(1));
    let why =
        || ClientError::Page { why: "the checkpoint is no note of a log with entries".into() };
    let page = client.fetch_superroot(At::Sequence(size.ok_or_else(why)?)).await?;
    let page = Page::read(&page)?;
    if page.origin != log.origin() {
        let (got, expected) = (page.origin, log.origin().to_owned());
        return Err(UpdateError::OtherLog { got, expected });
    }
    page.check_signed(note, key)?;
    Ok(page)
}

/// What is shown for the pin's own sequence has to be what is pinned.
fn same(
    log: &TrustedLog,
    key: &LogKey,
    pin: &Pin,
    page: &Page,
    note: &str,
) -> Result<(), UpdateError> {
    let got = page.super_root.hash();
    if got == pin.super_root_hash {
        return Ok(());
    }
    if let Some(own) = &pin.note {
        let (key, notes) = (key.key.clone(), [own.clone(), note.to_owned()]);
        let evidence = Evidence { key, notes, entry: None };
        if evidence.verify().is_ok() {
            return Err(UpdateError::TwoHistories(Box::new(evidence)));
        }
    }
    let (origin, sequence, pinned) = (log.origin().to_owned(), pin.sequence, pin.super_root_hash);
    Err(TrustError::Fork { origin, sequence, pinned, got }.into())
}

/// Full consistency from the pin, its twigs page by page.
async fn extend(
    client: &Client,
    log: &TrustedLog,
    key: &LogKey,
    pin: &Pin,
    (page, note): (&Page, &str),
    told: &impl Fn(u64, u64),
) -> Result<Step, UpdateError> {
    let (from, to) = (pin.sequence, page.super_root.sequence);
    let answer = consistency(client, from, to, Strength::Full).await?;
    let got = answer.proof.to().sequence;
    if got != to {
        return Err(UpdateError::Elsewhere { shown: to, got });
    }
    let Consistency::Full(proof) = &answer.proof else {
        let member = "strength".to_owned();
        return Err(WireError::Missing { member }.into());
    };
    let mut pending = Step::after(log.origin(), key, pin, (page, note), proof)?;
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

/// Evidence that the key signed both the pin and another past of it: SuperRoot `pin + 1`, as the newer
/// note has it, commits to another history than the pin's note. `None` where the service does not give
/// what it takes; then the answer alone is refused.
async fn evidence(
    client: &Client,
    key: &LogKey,
    pin: &Pin,
    (page, note): (&Page, &str),
) -> Option<Evidence> {
    let own = pin.note.clone()?;
    let (next, last) = (pin.sequence.checked_add(1)?, page.super_root.sequence);
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
        let (path, opening) = (history.upgrade.path.clone(), history.from_opening.clone());
        let newer = client.fetch_checkpoint(Some(last.checked_sub(1)?)).await.ok()?;
        (HistoryEntry { super_root: history.upgrade.from, path, opening }, text(newer).ok()?)
    };
    let (key, notes) = (key.key.clone(), [own, newer]);
    let evidence = Evidence { key, notes, entry: Some(Box::new(entry)) };
    evidence.verify().is_ok().then_some(evidence)
}

fn history_path(tree: &PerfectTree) -> Option<[Hash; 6]> {
    tree.siblings(HISTORY_SLOT).try_into().ok()
}
