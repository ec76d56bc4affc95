//! Sources for published SuperRoots: a service, or another folder of the same log.

use std::path::Path;

use anyhow::{Context, bail};
use superroot_accumulate::{PublishedTarget, load_origin};
use superroot_client::Client;
use superroot_proof::note::{Checkpoint, TrustPolicy, VerifierKey};
use superroot_store::{EmbeddedStore, read};
use superroot_types::{LogSize, Sequence, SuperRootRef};
use superroot_wire::parse_json;
use superroot_wire::superroot::parse_blob;

use crate::cli::timeout::TimeoutArgs;
use crate::config::ServiceConfig;

/// Source for published SuperRoots, without trust: see [`superroot_accumulate::Successors`].
pub(super) enum RestoreSource {
    Service(Box<(Client, VerifierKey)>),
    Folder(Box<EmbeddedStore>),
}

impl RestoreSource {
    pub(super) fn open(
        from: &str,
        timeout: TimeoutArgs,
        config: &ServiceConfig,
        key: &VerifierKey,
    ) -> anyhow::Result<Self> {
        if from.starts_with("http://") || from.starts_with("https://") {
            let client = timeout.client_with(from, Client::patient).context("--from")?;
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

    pub(super) async fn newest(&mut self) -> anyhow::Result<u64> {
        match self {
            Self::Folder(store) => {
                let newest = read::load_newest_super_root(&**store)?;
                newest.map(|(sequence, _)| sequence.0).context("the source has no SuperRoot")
            }
            Self::Service(service) => {
                let (client, key) = &**service;
                let note = client.fetch_checkpoint(None).await.context("the source")?;
                let size = checkpoint(text(&note)?, key)?.size;
                size.newest().map(|newest| newest.0).context("the source has no SuperRoot")
            }
        }
    }

    /// Signed note that ends in the SuperRoot.
    pub(super) async fn note(&mut self, sequence: u64) -> anyhow::Result<String> {
        match self {
            Self::Folder(store) => {
                let note = read::load_note(&**store, LogSize(sequence + 1))?;
                let note = note.with_context(|| format!("the source has no note {sequence}"))?;
                Ok(text(&note)?.to_owned())
            }
            Self::Service(service) => {
                let (client, _) = &**service;
                let note = client.fetch_checkpoint(Some(sequence)).await.context("the source")?;
                Ok(text(&note)?.to_owned())
            }
        }
    }

    pub(super) async fn target(&mut self, sequence: u64) -> anyhow::Result<PublishedTarget> {
        let about = || format!("SuperRoot {sequence} of the source");
        if let Self::Folder(store) = self {
            return PublishedTarget::load(&**store, Sequence(sequence))?
                .with_context(|| format!("{} is gone", about()));
        }
        let note = self.note(sequence).await?;
        let Self::Service(service) = self else { bail!("{} is gone", about()) };
        let (client, _) = &**service;
        let at = SuperRootRef::Sequence(Sequence(sequence));
        let page = client.fetch_superroot(at).await.context("the source")?;
        let page = parse_json(&page).with_context(about)?;
        let hash = page["superRootHash"].as_str().and_then(|hash| hash.parse().ok());
        let hash = hash.with_context(|| format!("{}: superRootHash is no hash", about()))?;
        let blob = client.fetch_blob(&hash).await.context("the source")?;
        let blob = parse_blob(&parse_json(&blob).with_context(about)?);
        let blob = blob.with_context(about)?.0.blob;
        blob.check().with_context(about)?;
        Ok(PublishedTarget::of_blob(blob, note))
    }
}

/// Checkpoint in a note signed by the log key.
pub(super) fn checkpoint(note: &str, key: &VerifierKey) -> anyhow::Result<Checkpoint> {
    let checkpoint = Checkpoint::of_note(note, key, &TrustPolicy::none());
    checkpoint.context("the source shows no note of this log's key")
}

fn text(note: &[u8]) -> anyhow::Result<&str> {
    std::str::from_utf8(note).context("the note of the source is no text")
}
