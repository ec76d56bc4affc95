//! Views of the log: services, and the policy's witnesses.

use anyhow::{Context, bail};
use futures_util::future::join_all;
use superroot_client::audit::{AuditError, checkpoint, has_quorum};
use superroot_client::{Client, ClientError};
use superroot_proof::note::{KeyKind, TrustPolicy, VerifierKey};
use superroot_types::SuperRootRef;
use superroot_wire::parse_json;

use super::args::AuditArgs;
use crate::cli::style::plain;

pub(super) struct Views {
    pub(super) origin: String,
    pub(super) key: Option<VerifierKey>,
    policy: TrustPolicy,
    pub(super) services: Vec<ViewPlace>,
    witnesses: Vec<ViewPlace>,
}

pub(super) struct ViewPlace {
    /// Address, or witness name.
    pub(super) name: String,
    /// Without retries: an unreachable service is reported at once.
    pub(super) client: Client,
}

const LOOK_BACK: usize = 64;

pub(super) struct CommonView {
    /// Index of the service with the largest log.
    pub(super) farthest: usize,
    /// Size of that log, in SuperRoots.
    pub(super) size: u64,
    pub(super) notes: Vec<(u64, String)>,
    /// Largest size cosigned by the quorum in services' notes.
    pub(super) cosigned: Option<u64>,
    /// Warnings about views with no log, or with a larger one.
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
            Ok(ViewPlace { name: url.clone(), client })
        });
        let services = services.collect::<anyhow::Result<Vec<_>>>()?;
        let witnesses = policy.witnesses().filter_map(|(key, url)| Some((key.name(), url?)));
        let witnesses = witnesses.map(|(name, url)| {
            let client = args.timeout.client(url);
            let client = client.with_context(|| format!("the witness {}", plain(name)))?;
            Ok(ViewPlace { name: name.to_owned(), client })
        });
        let witnesses = witnesses.collect::<anyhow::Result<Vec<_>>>()?;
        let origin = match &key {
            Some(key) => key.name().to_owned(),
            None => origin(&services[0].client).await?,
        };
        Ok(Self { origin, key, policy, services, witnesses })
    }

    /// Asks all views, witnesses first, so that services have published everything seen by witnesses. A silent witness
    /// is only a warning, a failed service an error.
    pub(super) async fn look(&self) -> Result<CommonView, AuditError> {
        let mut notes = Vec::new();
        let mut warnings = Vec::new();
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
        let mut farthest = 0;
        let mut most = 0;
        let mut cosigned = None;
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
        Ok(CommonView { farthest, size: most, notes, cosigned, warnings })
    }

    /// Newest recent note cosigned by the quorum: the service's quorum may be smaller than the auditor's, and witnesses
    /// sign a little later.
    async fn older_cosigned(
        &self,
        service: &ViewPlace,
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

    /// Witness's last cosignature on this log, or the fault.
    async fn ask(&self, witness: &ViewPlace) -> Result<(u64, String), String> {
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

    /// Newest note signed by the service's witnesses, if any.
    async fn fetch_cosigned(
        &self,
        service: &ViewPlace,
    ) -> Result<Option<(u64, String)>, AuditError> {
        match service.client.fetch_cosigned().await {
            Ok(text) => {
                let text = String::from_utf8_lossy(&text).into_owned();
                Ok(Some((self.size_of(&text)?, text)))
            }
            Err(ClientError::Problem { status: 404, .. }) => Ok(None),
            Err(error) => Err(service.failed(error)),
        }
    }

    /// Size in a note verified by the key; unverified without a key.
    fn size_of(&self, text: &str) -> Result<u64, AuditError> {
        match &self.key {
            Some(key) => Ok(checkpoint(text, key)?.size.0),
            None => {
                let size = text.lines().nth(1).and_then(|size| size.parse().ok());
                size.ok_or(AuditError::NoHash { sequence: 0 })
            }
        }
    }

    pub(super) const fn asks_for_witnesses(&self) -> bool {
        self.policy.asks_for_witnesses()
    }
}

impl ViewPlace {
    fn failed(&self, cause: ClientError) -> AuditError {
        AuditError::Place { place: self.name.clone(), cause: Box::new(cause) }
    }
}

/// Origin according to the service alone.
async fn origin(client: &Client) -> anyhow::Result<String> {
    let page = parse_json(&client.fetch_superroot(SuperRootRef::Latest).await?)?;
    let origin = page.get("origin").and_then(|origin| origin.as_str());
    Ok(origin.context("the service names no origin")?.to_owned())
}
