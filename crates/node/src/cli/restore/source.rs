//! Where SuperRoots that were published can be had: a service, or another folder of the same log.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use superroot_accumulate::{Target, load_origin};
use superroot_client::{At, Client, ClientError};
use superroot_proof::note::{Checkpoint, TrustPolicy, VerifierKey};
use superroot_store::{EmbeddedStore, read};
use superroot_types::ErrorKind;
use superroot_wire::parse_json;
use superroot_wire::superroot::parse_blob;

use crate::config::Config;

/// Times that one answer is asked for.
const TRIES_MAX: u32 = 10;
/// Longest pause between two of them, in seconds.
const PAUSE_SECONDS_MAX: u64 = 60;

/// A source of published SuperRoots. Nothing of it is believed: see
/// [`superroot_accumulate::Successors`].
pub(super) enum Source {
    /// A service.
    Service(Box<(Client, VerifierKey)>),
    /// Another data folder.
    Folder(Box<EmbeddedStore>),
}

impl Source {
    pub(super) fn open(from: &str, config: &Config, key: &VerifierKey) -> anyhow::Result<Self> {
        if from.starts_with("http://") || from.starts_with("https://") {
            let client = Client::new(from).context("--from")?;
            return Ok(Self::Service(Box::new((client, key.clone()))));
        }
        let store =
            EmbeddedStore::open_existing(Path::new(from), &config.store).with_context(|| {
                format!("cannot open --from {from} (a service on it has to stop first)")
            })?;
        match load_origin(&store)? {
            Some(origin) if origin == key.name() => Ok(Self::Folder(Box::new(store))),
            Some(origin) => bail!("--from {from} holds the log {origin}, expected {}", key.name()),
            None => bail!("--from {from} holds no log"),
        }
    }

    /// Sequence of its newest SuperRoot.
    pub(super) async fn newest(&mut self) -> anyhow::Result<u64> {
        match self {
            Self::Folder(store) => {
                let newest = read::load_newest_super_root(&**store)?;
                newest.map(|(sequence, _)| sequence).context("the source has no SuperRoot")
            }
            Self::Service(service) => {
                let (client, key) = &**service;
                let note = client.fetch_checkpoint(None).await.context("the source")?;
                let size = checkpoint(text(&note)?, key)?.size;
                size.checked_sub(1).context("the source has no SuperRoot")
            }
        }
    }

    /// The signed note that ends in that SuperRoot.
    pub(super) async fn note(&mut self, sequence: u64) -> anyhow::Result<String> {
        match self {
            Self::Folder(store) => {
                let note = read::load_note(&**store, sequence + 1)?;
                let note = note.with_context(|| format!("the source has no note {sequence}"))?;
                Ok(text(&note)?.to_owned())
            }
            Self::Service(service) => {
                let (client, _) = &**service;
                let note =
                    patiently(async || client.fetch_checkpoint(Some(sequence)).await).await?;
                Ok(text(&note)?.to_owned())
            }
        }
    }

    /// That SuperRoot.
    pub(super) async fn target(&mut self, sequence: u64) -> anyhow::Result<Target> {
        let about = || format!("SuperRoot {sequence} of the source");
        if let Self::Folder(store) = self {
            return Target::load(&**store, sequence)?
                .with_context(|| format!("{} is gone", about()));
        }
        let note = self.note(sequence).await?;
        let Self::Service(service) = self else { bail!("{} is gone", about()) };
        let (client, _) = &**service;
        let at = At::Sequence(sequence);
        let page = patiently(async || client.fetch_superroot(at).await).await?;
        let page = parse_json(&page).with_context(about)?;
        let hash = page["superRootHash"].as_str().and_then(|hash| hash.parse().ok());
        let hash = hash.with_context(|| format!("{}: superRootHash is no hash", about()))?;
        let blob = patiently(async || client.fetch_blob(&hash).await).await?;
        let blob = parse_blob(&parse_json(&blob).with_context(about)?);
        let blob = blob.with_context(about)?.0.blob;
        blob.check().with_context(about)?;
        Ok(Target::of_blob(blob, note))
    }
}

/// The checkpoint of a note of the log's key.
pub(super) fn checkpoint(note: &str, key: &VerifierKey) -> anyhow::Result<Checkpoint> {
    let checkpoint = Checkpoint::of_note(note, key, &TrustPolicy::none());
    checkpoint.context("the source shows no note of this log's key")
}

fn text(note: &[u8]) -> anyhow::Result<&str> {
    std::str::from_utf8(note).context("the note of the source is no text")
}

/// Asks until there is an answer, pausing as the service says.
async fn patiently(ask: impl AsyncFn() -> Result<Vec<u8>, ClientError>) -> anyhow::Result<Vec<u8>> {
    let mut tries = 1;
    loop {
        match ask().await {
            Err(error) if error.kind() == ErrorKind::Unavailable && tries < TRIES_MAX => {
                let said = match &error {
                    ClientError::Problem { retry_after, .. } => *retry_after,
                    _ => None,
                };
                tracing::warn!("asked again: {error}");
                let pause = said.unwrap_or(1 << tries.min(5)).clamp(1, PAUSE_SECONDS_MAX);
                tokio::time::sleep(Duration::from_secs(pause)).await;
                tries += 1;
            }
            answer => return answer.context("the source"),
        }
    }
}
