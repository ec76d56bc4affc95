//! Mark at a peer: a service that shows this log's note, such as a mirror.

use std::time::Duration;

use anyhow::{Context, bail};
use futures_util::future::join_all;
use reqwest::{StatusCode, Url};
use superroot_proof::note::{NOTE_BYTES_MAX, VerifierKey};
use superroot_types::UnixSeconds;
use superroot_wire::paths;

use super::{Sighting, Sightings, note_of};
use crate::stage::{Next, RunnerStage, StageName, backoff};

const TIMEOUT: Duration = Duration::from_secs(10);
/// Poll interval for answering peers.
const INTERVAL: Duration = Duration::from_secs(30);

pub(super) fn parse(place: &str) -> anyhow::Result<Url> {
    let url = Url::parse(place).context("it is no address")?;
    if !url.username().is_empty() || url.password().is_some() {
        bail!("it carries a password");
    }
    if url.query().is_some() || url.fragment().is_some() {
        bail!("expected the address of the service alone, without a query");
    }
    Ok(url)
}

/// Checkpoint URL at a peer. An http or https address has a path.
pub(super) fn checkpoint_of(peer: &Url) -> Url {
    let mut url = peer.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(paths::CHECKPOINT.split('/').skip(1));
    }
    url
}

/// Address without secrets.
pub(super) fn shown(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// Polls peers, faster until all have answered.
pub(crate) struct Peers {
    http: reqwest::Client,
    peers: Vec<(usize, Url)>,
    keys: Vec<VerifierKey>,
    sightings: Sightings,
    failures: u32,
}

impl Peers {
    pub(super) fn new(
        peers: Vec<(usize, Url)>,
        keys: Vec<VerifierKey>,
        sightings: Sightings,
    ) -> anyhow::Result<Self> {
        let http = reqwest::Client::builder()
            .timeout(TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .build();
        let http = http.context("cannot make a client for log.mark")?;
        Ok(Self { http, peers, keys, sightings, failures: 0 })
    }

    async fn ask(&self, url: &Url) -> Sighting {
        match self.fetch(url).await {
            Ok(Some(text)) => match note_of(&text, &self.keys) {
                Ok(note) => Sighting::Note(Box::new(note)),
                Err(why) => Sighting::Other(why),
            },
            Ok(None) => Sighting::Nothing,
            Err(why) => Sighting::Other(why),
        }
    }

    /// Peer's checkpoint text; `None` if the peer has none.
    async fn fetch(&self, url: &Url) -> Result<Option<String>, String> {
        let answer = self.http.get(url.clone()).send().await.map_err(|error| plain(&error))?;
        match answer.status() {
            StatusCode::OK => {}
            // it knows no SuperRoot yet: a peer that is starting says so as well
            StatusCode::NOT_FOUND | StatusCode::SERVICE_UNAVAILABLE => return Ok(None),
            status => return Err(format!("it answers {status}")),
        }
        let mut answer = answer;
        let mut body = Vec::new();
        while let Some(piece) = answer.chunk().await.map_err(|error| plain(&error))? {
            if body.len() + piece.len() > NOTE_BYTES_MAX {
                return Err(format!("its answer is larger than {NOTE_BYTES_MAX} bytes"));
            }
            body.extend_from_slice(&piece);
        }
        String::from_utf8(body).map(Some).map_err(|_| "its answer is no text".to_owned())
    }
}

/// Error without the address, which may contain a secret.
fn plain(error: &reqwest::Error) -> String {
    match (error.is_timeout(), error.is_connect()) {
        (true, _) => format!("no answer within {} s", TIMEOUT.as_secs()),
        (false, true) => "it cannot be reached".to_owned(),
        (false, false) => "its answer broke off".to_owned(),
    }
}

impl RunnerStage for Peers {
    fn name(&self) -> StageName {
        StageName::Marks
    }

    async fn step(&mut self, _: UnixSeconds) -> anyhow::Result<Next> {
        let asked = self.peers.iter().map(async |(index, url)| (*index, self.ask(url).await));
        let answers: Vec<(usize, Sighting)> = join_all(asked).await;
        let has_failed = answers.iter().any(|(_, seen)| matches!(seen, Sighting::Other(_)));
        let all_told = answers.iter().all(|(_, seen)| matches!(seen, Sighting::Note(_)));
        for (index, seen) in answers {
            self.sightings.set(index, seen);
        }
        self.failures = if all_told { 0 } else { self.failures.saturating_add(1) };
        let pause = if all_told { INTERVAL } else { backoff(self.failures, INTERVAL) };
        Ok(Next { pause: Some(pause), has_failed })
    }
}
