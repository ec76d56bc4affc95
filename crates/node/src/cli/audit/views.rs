//! The places that show the log: services, and the witnesses of the policy.

use anyhow::{Context, bail};
use futures_util::future::join_all;
use superroot_client::audit::{AuditError, checkpoint, has_quorum};
use superroot_client::{At, Client, ClientError};
use superroot_proof::note::{KeyKind, TrustPolicy, VerifierKey};
use superroot_wire::parse_json;

use super::AuditArgs;
use crate::cli::style::plain;

/// All places, and the log that they are to show.
pub(super) struct Views {
    pub(super) origin: String,
    pub(super) key: Option<VerifierKey>,
    policy: TrustPolicy,
    pub(super) services: Vec<Place>,
    witnesses: Vec<Place>,
}

/// A place.
pub(super) struct Place {
    /// Its address, or the name of a witness.
    pub(super) name: String,
    /// Not patient: who cannot be reached at all is told at once.
    pub(super) client: Client,
}

/// Notes that are looked back through for one that the quorum cosigned.
const LOOK_BACK: usize = 64;

/// What all of them show at the moment.
pub(super) struct Seen {
    /// The service that shows most.
    pub(super) farthest: usize,
    /// SuperRoots that it shows.
    pub(super) size: u64,
    /// Every note that was shown, with its size.
    pub(super) notes: Vec<(u64, String)>,
    /// Largest size that the quorum cosigned, of the notes of services.
    pub(super) cosigned: Option<u64>,
    /// What a reader should know of places that show nothing, or more.
    pub(super) warnings: Vec<String>,
}

impl Views {
    pub(super) async fn of(args: &AuditArgs) -> anyhow::Result<Self> {
        let key = args.key.clone();
        if key.as_ref().is_some_and(|key| key.kind() != KeyKind::Log) {
            bail!("--key is the key of a witness, not of a log");
        }
        if args.url.len() > 1 && key.is_none() {
            bail!("several --url are compared by their notes: give --key as well");
        }
        let policy = match &args.policy {
            None => TrustPolicy::none(),
            Some(file) => {
                let text = std::fs::read_to_string(file);
                let text = text.with_context(|| format!("cannot read {}", file.display()))?;
                TrustPolicy::parse(&text).with_context(|| file.display().to_string())?
            }
        };
        let services = args.url.iter().map(|url| {
            let client = args.timeout.client(url);
            let client = client.with_context(|| format!("--url {}", plain(url)))?;
            Ok(Place { name: url.clone(), client })
        });
        let services = services.collect::<anyhow::Result<Vec<_>>>()?;
        let witnesses = policy.witnesses().filter_map(|(key, url)| Some((key.name(), url?)));
        let witnesses = witnesses.map(|(name, url)| {
            let client = args.timeout.client(url);
            let client = client.with_context(|| format!("the witness {}", plain(name)))?;
            Ok(Place { name: name.to_owned(), client })
        });
        let witnesses = witnesses.collect::<anyhow::Result<Vec<_>>>()?;
        let origin = match &key {
            Some(key) => key.name().to_owned(),
            None => origin(&services[0].client).await?,
        };
        Ok(Self { origin, key, policy, services, witnesses })
    }

    /// Looks at all of them: at the witnesses first, so that what they have seen is out by the time the
    /// services are asked.
    ///
    /// # Errors
    /// Those of services; a witness that shows nothing is a warning.
    pub(super) async fn look(&self) -> Result<Seen, AuditError> {
        let (mut notes, mut warnings) = (Vec::new(), Vec::new());
        let asked = self.witnesses.iter().map(|witness| self.ask(witness));
        let mut witnessed = Vec::new();
        for (witness, answer) in self.witnesses.iter().zip(join_all(asked).await) {
            match answer {
                Ok((size, note)) => {
                    witnessed.push((&witness.name, size));
                    notes.push((size, note));
                }
                Err(why) => warnings.push(format!("the witness {}: {why}", witness.name)),
            }
        }
        let (mut farthest, mut most, mut cosigned) = (0, 0, None);
        for (index, service) in self.services.iter().enumerate() {
            let text = service.client.fetch_checkpoint(None).await;
            let text = text.map_err(|cause| service.failed(cause))?;
            let text = String::from_utf8_lossy(&text).into_owned();
            let size = self.size_of(&text)?;
            if size > most {
                (farthest, most) = (index, size);
            }
            let mut shown = vec![(size, text)];
            if self.policy.asks_for_witnesses() {
                shown.extend(self.fetch_cosigned(service).await?);
            }
            let signed = shown.iter().filter(|(_, note)| has_quorum(note, &self.policy));
            cosigned = cosigned.max(signed.map(|(size, _)| *size).max());
            notes.extend(shown);
        }
        if cosigned.is_none() && self.policy.asks_for_witnesses() {
            let found = self.older_cosigned(&self.services[farthest], most).await?;
            cosigned = found.as_ref().map(|(size, _)| *size);
            notes.extend(found);
        }
        for (name, size) in witnessed.into_iter().filter(|(_, size)| *size > most) {
            warnings.push(format!(
                "the witness {name} has seen {size} SuperRoots, the services show {most}"
            ));
        }
        if self.key.is_none() {
            notes.clear();
        }
        Ok(Seen { farthest, size: most, notes, cosigned, warnings })
    }

    /// The newest of the last notes that the quorum cosigned: what the service takes for a quorum may be
    /// less than the auditor's, and witnesses sign a little later.
    async fn older_cosigned(
        &self,
        service: &Place,
        size: u64,
    ) -> Result<Option<(u64, String)>, AuditError> {
        for sequence in (0..size.saturating_sub(1)).rev().take(LOOK_BACK) {
            let text = service.client.fetch_checkpoint(Some(sequence)).await;
            let text = text.map_err(|cause| service.failed(cause))?;
            let text = String::from_utf8_lossy(&text).into_owned();
            if has_quorum(&text, &self.policy) {
                return Ok(Some((self.size_of(&text)?, text)));
            }
        }
        Ok(None)
    }

    /// What a witness cosigned last of this log; else why there is nothing.
    async fn ask(&self, witness: &Place) -> Result<(u64, String), String> {
        let text = match witness.client.fetch_witnessed(&self.origin).await {
            Ok(text) => String::from_utf8_lossy(&text).into_owned(),
            Err(ClientError::Status { status: 404 }) => {
                return Err("it has cosigned nothing of this log".to_owned());
            }
            Err(error) => return Err(error.to_string()),
        };
        // whoever serves a note that is none of the key says nothing of the log
        let size = self.size_of(&text).map_err(|error| match error {
            AuditError::Note { cause, .. } => format!("it shows no note of the log's key: {cause}"),
            error => error.to_string(),
        })?;
        Ok((size, text))
    }

    /// The newest note that the service's witnesses signed, where there is one.
    async fn fetch_cosigned(&self, service: &Place) -> Result<Option<(u64, String)>, AuditError> {
        match service.client.fetch_cosigned().await {
            Ok(text) => {
                let text = String::from_utf8_lossy(&text).into_owned();
                Ok(Some((self.size_of(&text)?, text)))
            }
            Err(ClientError::Problem { status: 404, .. }) => Ok(None),
            Err(error) => Err(service.failed(error)),
        }
    }

    /// Size in a note of the key; where none is known, as it is told.
    fn size_of(&self, text: &str) -> Result<u64, AuditError> {
        match &self.key {
            Some(key) => Ok(checkpoint(text, key)?.size),
            None => {
                let size = text.lines().nth(1).and_then(|size| size.parse().ok());
                size.ok_or(AuditError::NoHash { sequence: 0 })
            }
        }
    }

    /// Whether witnesses have to have signed.
    pub(super) const fn asks_for_witnesses(&self) -> bool {
        self.policy.asks_for_witnesses()
    }
}

impl Place {
    fn failed(&self, cause: ClientError) -> AuditError {
        AuditError::Place { place: self.name.clone(), cause: Box::new(cause) }
    }
}

/// The origin that a service names: whose log it is, nobody's word but its own says.
async fn origin(client: &Client) -> anyhow::Result<String> {
    let page = parse_json(&client.fetch_superroot(At::Latest).await?)?;
    let origin = page.get("origin").and_then(|origin| origin.as_str());
    Ok(origin.context("the service names no origin")?.to_owned())
}
