//! A beacon node, asked for its light client data.

use serde::de::DeserializeOwned;
use superroot_proof::finality::beacon::BeaconParams;
use superroot_proof::finality::{ConsensusEvidence, FinalityKind};

use super::beacon_json::{BeaconAnswer, LightUpdate};
use super::http::EvidenceEndpoint;
use super::{FinalitySource, FinalitySourceError, NewestFinal, NumberedStep};
use crate::BoxFuture;

/// Most bytes of an answer: an update has 60 kB.
const BODY_BYTES_MAX: usize = 2 << 20;
/// Most updates of one request: beacon nodes give at most 128.
const UPDATES_MAX: u64 = 16;

/// Beacon node with the API of ethereum/beacon-APIs.
pub struct BeaconNode {
    endpoint: EvidenceEndpoint,
    params: BeaconParams,
}

impl BeaconNode {
    /// Node at a URL, which may contain a key; `name` is shown instead.
    ///
    /// # Errors
    /// [`FinalitySourceError`] for what is no URL of a server.
    pub fn new(url: &str, name: &str, params: BeaconParams) -> Result<Self, FinalitySourceError> {
        Ok(Self { endpoint: EvidenceEndpoint::new(url, name, BODY_BYTES_MAX)?, params })
    }

    fn fault(&self, why: impl ToString) -> FinalitySourceError {
        self.endpoint.fault(why)
    }

    async fn fetch<T: DeserializeOwned>(&self, path: &str) -> Result<T, FinalitySourceError> {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let mut url = self.endpoint.below(&format!("eth/v1/beacon/light_client/{path}"));
        if !query.is_empty() {
            url.set_query(Some(query));
        }
        self.endpoint.read(path, self.endpoint.http.get(url)).await
    }
}

impl FinalitySource for BeaconNode {
    fn name(&self) -> &str {
        &self.endpoint.name
    }

    fn fetch_newest(
        &self,
        _: NewestFinal,
    ) -> BoxFuture<'_, Result<ConsensusEvidence, FinalitySourceError>> {
        Box::pin(async move {
            let BeaconAnswer { data }: BeaconAnswer<LightUpdate> =
                self.fetch("finality_update").await?;
            let malformed = |field| self.fault(format!("finality_update: malformed {field}"));
            let (number, evidence) = data.evidence(&self.params).map_err(malformed)?;
            Ok(ConsensusEvidence {
                kind: FinalityKind::Beacon,
                number,
                hash: evidence.block_hash,
                body: evidence.encode(),
            })
        })
    }

    fn fetch_steps(
        &self,
        first: u64,
        count: u64,
    ) -> BoxFuture<'_, Result<Vec<NumberedStep>, FinalitySourceError>> {
        Box::pin(async move {
            let count = count.min(UPDATES_MAX);
            let path = format!("updates?start_period={first}&count={count}");
            let answers: Vec<BeaconAnswer<LightUpdate>> = self.fetch(&path).await?;
            let malformed = |field| self.fault(format!("updates: malformed {field}"));
            let mut steps = Vec::new();
            for (BeaconAnswer { data }, number) in answers.into_iter().zip(first..) {
                let step = data.step().map_err(malformed)?;
                if self.params.period_of(step.signed.attested.slot) != number {
                    return Err(malformed("period"));
                }
                steps.push((number, step.encode()));
            }
            Ok(steps)
        })
    }
}
