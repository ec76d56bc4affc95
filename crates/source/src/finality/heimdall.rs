//! A Heimdall node, asked for commits, validators and milestones with proofs. Source: CometBFT `rpc/openapi/openapi.yaml`;
//! cosmos-sdk `baseapp/abci.go` (`handleQueryStore`).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use superroot_chain::finality::milestone::{
    RawHeimdallHeight, RawMilestone, RawProofOp, heimdall_step, milestone_evidence,
};
use superroot_chain::ledger::cosmos::{RawCosmosCommit, RawCosmosHeader, RawValidator};
use superroot_proof::finality::ConsensusEvidence;
use superroot_proof::finality::milestone::{
    BorMilestone, MILESTONE_COUNT_KEY, MILESTONE_STORE, MilestoneParams, milestone_key,
};
use superroot_types::BlockNumber;

use super::http::EvidenceEndpoint;
use super::{FinalitySource, FinalitySourceError, NewestFinal, NumberedStep};
use crate::BoxFuture;
use crate::ledger::cosmos::commit::{
    PAGE_VALIDATORS, PAGES_MAX, ShownCommit, VALIDATORS, ValidatorsAnswer,
};

/// Most bytes in an answer: a hundred validators have 30 kB.
const BODY_BYTES_MAX: usize = 2 << 20;
/// Most steps a request, with several calls each.
const STEPS_MAX: u64 = 4;
/// Heights below the newest: the block behind has the canonical commit.
const SETTLED_HEIGHTS: u64 = 2;
/// Most lookups for a milestone.
const LOOKUPS_MAX: usize = 64;

/// Heimdall node with `CometBFT` JSON-RPC, by GET.
pub struct HeimdallNode {
    endpoint: EvidenceEndpoint,
    params: MilestoneParams,
}

#[derive(Deserialize)]
struct HeimdallAnswer<T> {
    result: T,
}

#[derive(Deserialize)]
struct SignedHeightAnswer {
    signed_header: SignedHeight,
}

#[derive(Deserialize)]
struct SignedHeight {
    header: RawCosmosHeader,
    commit: ShownCommit,
}

#[derive(Deserialize)]
struct StoreAnswer {
    response: StoreValue,
}

#[derive(Deserialize)]
struct StoreValue {
    #[serde(default)]
    code: u32,
    #[serde(default)]
    value: Option<String>,
    #[serde(default, rename = "proofOps", alias = "proof_ops")]
    proof_ops: Option<StoreProof>,
    height: String,
}

#[derive(Deserialize)]
struct StoreProof {
    ops: Vec<RawProofOp>,
}

/// Value in the state after a height.
struct HeldValue {
    height: u64,
    bytes: Vec<u8>,
    proofs: Vec<RawProofOp>,
}

impl HeimdallNode {
    /// Node at a URL with or without a key; `name` is shown instead.
    ///
    /// # Errors
    /// [`FinalitySourceError`] for an invalid URL.
    pub fn new(
        url: &str,
        name: &str,
        params: MilestoneParams,
    ) -> Result<Self, FinalitySourceError> {
        Ok(Self { endpoint: EvidenceEndpoint::new(url, name, BODY_BYTES_MAX)?, params })
    }

    fn fault(&self, why: impl ToString) -> FinalitySourceError {
        self.endpoint.fault(why)
    }

    async fn call<T: DeserializeOwned>(
        &self,
        method: &str,
        query: &[(&str, &str)],
    ) -> Result<T, FinalitySourceError> {
        let mut url = self.endpoint.base.clone();
        let path = format!("{}/{method}", url.path().trim_end_matches('/'));
        url.set_path(&path);
        url.query_pairs_mut().extend_pairs(query);
        let answer: HeimdallAnswer<T> =
            self.endpoint.read(method, self.endpoint.http.get(url)).await?;
        Ok(answer.result)
    }

    /// Key's value in the milestone store, empty for a missing key; after the newest height without `height`.
    async fn value(
        &self,
        key: &[u8],
        height: Option<u64>,
        is_proven: bool,
    ) -> Result<HeldValue, FinalitySourceError> {
        let method = "abci_query";
        let path = format!("\"/store/{MILESTONE_STORE}/key\"");
        let (data, at) = (const_hex::encode_prefixed(key), height.unwrap_or(0).to_string());
        let mut query = vec![("path", path.as_str()), ("data", data.as_str())];
        if height.is_some() {
            query.push(("height", at.as_str()));
        }
        query.push(("prove", if is_proven { "true" } else { "false" }));
        let StoreAnswer { response } = self.call(method, &query).await?;
        let malformed = |field: &str| self.fault(format!("{method}: malformed {field}"));
        if response.code != 0 {
            return Err(self.fault(format!("{method}: code {}", response.code)));
        }
        let got = response.height.parse().map_err(|_| malformed("height"))?;
        if height.is_some_and(|height| height != got) {
            return Err(malformed("height"));
        }
        let bytes = STANDARD.decode(response.value.unwrap_or_default());
        let bytes = bytes.map_err(|_| malformed("value"))?;
        let proofs = response.proof_ops.map(|proof| proof.ops).unwrap_or_default();
        Ok(HeldValue { height: got, bytes, proofs })
    }

    /// Newest height, and the milestone count after the height.
    async fn newest(&self) -> Result<(u64, u64), FinalitySourceError> {
        let HeldValue { height, bytes, .. } = self.value(&MILESTONE_COUNT_KEY, None, false).await?;
        let count = bytes.try_into().map(u64::from_be_bytes);
        Ok((height, count.map_err(|_| self.fault("abci_query: malformed count of milestones"))?))
    }

    /// Whether a milestone is there and ends at a block or below.
    async fn ends_by(
        &self,
        number: u64,
        block: BlockNumber,
        height: u64,
    ) -> Result<bool, FinalitySourceError> {
        let held = self.value(&milestone_key(number), Some(height), false).await?;
        if held.bytes.is_empty() {
            return Ok(false);
        }
        let milestone = BorMilestone::decode(&held.bytes);
        let milestone = milestone.map_err(|_| self.fault("abci_query: malformed milestone"))?;
        Ok(milestone.end_block <= block)
    }

    /// Newest milestone with an end at a block or below: blocks above are not stored yet.
    async fn last_by(
        &self,
        block: BlockNumber,
        (count, height): (u64, u64),
    ) -> Result<u64, FinalitySourceError> {
        let (mut low, mut above) = (0, count.saturating_add(1));
        let mut reach = 1_u64;
        for _ in 0..LOOKUPS_MAX {
            if above.saturating_sub(low) <= 1 {
                break;
            }
            // back from the newest one in growing steps, then by halves
            let middle = match low {
                0 => above.saturating_sub(reach).max(1),
                _ => low.midpoint(above),
            };
            if self.ends_by(middle, block, height).await? {
                low = middle;
            } else {
                above = middle;
            }
            reach = reach.saturating_mul(2);
        }
        let missing = || self.fault(format!("no milestone ends at block {block} or below"));
        (low > 0).then_some(low).ok_or_else(missing)
    }

    async fn signed_height(&self, height: u64) -> Result<RawHeimdallHeight, FinalitySourceError> {
        let at = height.to_string();
        let SignedHeightAnswer { signed_header: SignedHeight { header, commit } } =
            self.call("commit", &[("height", &at)]).await?;
        let mut validators: Vec<RawValidator> = Vec::new();
        let count = PAGE_VALIDATORS.to_string();
        for page in 1..=PAGES_MAX {
            let page = page.to_string();
            let query = [("height", at.as_str()), ("page", &page), ("per_page", &count)];
            let answer: ValidatorsAnswer = self.call(VALIDATORS, &query).await?;
            let is_last = answer.validators.len() < PAGE_VALIDATORS;
            validators.extend(answer.validators);
            if is_last || validators.len().to_string() == answer.total {
                break;
            }
        }
        let ShownCommit { round, block_id, signatures } = commit;
        let commit = RawCosmosCommit { round, parts: block_id.parts, signatures, validators };
        Ok(RawHeimdallHeight { header, commit })
    }
}

impl FinalitySource for HeimdallNode {
    fn name(&self) -> &str {
        &self.endpoint.name
    }

    fn fetch_newest(
        &self,
        held: NewestFinal,
    ) -> BoxFuture<'_, Result<ConsensusEvidence, FinalitySourceError>> {
        Box::pin(async move {
            let (newest, count) = self.newest().await?;
            let height = newest.saturating_sub(SETTLED_HEIGHTS);
            let number = self.last_by(held.number, (count, height)).await?;
            let HeldValue { bytes: value, proofs, .. } =
                self.value(&milestone_key(number), Some(height), true).await?;
            let milestone = RawMilestone { number, value, proofs };
            // the root of a state is in the header of the height behind
            let signed = self.signed_height(height.saturating_add(1)).await?;
            milestone_evidence(&self.params, &milestone, &signed).map_err(|why| self.fault(why))
        })
    }

    fn fetch_steps(
        &self,
        first: u64,
        count: u64,
    ) -> BoxFuture<'_, Result<Vec<NumberedStep>, FinalitySourceError>> {
        Box::pin(async move {
            let (newest, _) = self.newest().await?;
            let settled = newest.saturating_sub(SETTLED_HEIGHTS);
            let mut steps = Vec::new();
            for number in first..first.saturating_add(count.min(STEPS_MAX)) {
                let set = number.saturating_add(1);
                let height = set.saturating_mul(self.params.heimdall.set_blocks);
                if height > settled {
                    break;
                }
                let signed = self.signed_height(height).await?;
                let step = heimdall_step(&self.params, set, &signed);
                steps.push((number, step.map_err(|why| self.fault(why))?));
            }
            Ok(steps)
        })
    }
}
