//! Heimdall for a simulated Polygon: validators with public, not secret, keys sign for real.

use std::sync::Arc;

use secp256k1::{Message, SECP256K1, SecretKey};
use superroot_proof::finality::commit::{BlockCommit, CommitSignature};
use superroot_proof::finality::milestone::{
    HeimdallKey, IavlPath, IavlStep, MILESTONE_STORE, MilestoneBody, MilestoneParams, StorePath,
    StoreStep, milestone_key,
};
use superroot_proof::finality::{ConsensusEvidence, FinalityKind};
use superroot_proof::hash::{keccak256, sha256_joined};
use superroot_proof::ledger::cosmos::{
    CosmosBlockId, CosmosValidator, Header, precommit_bytes, validators_hash,
};
use superroot_types::{Clock, Hash, UnixSeconds};

use super::{FinalitySource, FinalitySourceError, NewestFinal, NumberedStep};
use crate::simulated::SimulatedChain;
use crate::{BlockSource, BoxFuture, ClaimedBlock};

const HEIGHT_SECONDS: u64 = 2;
/// Powers by rank: the first validator leaves with the next set.
const POWERS: [u64; 4] = [40, 30, 20, 15];
/// Signing ranks, with 90 in 105 power.
const VOTERS: usize = 3;

/// Simulated Heimdall: a block's height is the time in heights. Each block has a milestone.
pub struct SimulatedHeimdall {
    params: MilestoneParams,
    clock: Arc<dyn Clock>,
    chain: Option<Arc<SimulatedChain>>,
}

struct SimulatedValidator {
    key: SecretKey,
    power: u64,
}

impl SimulatedValidator {
    fn public(&self) -> CosmosValidator<HeimdallKey> {
        let key = self.key.public_key(SECP256K1).serialize_uncompressed();
        CosmosValidator { key: HeimdallKey(key), power: self.power }
    }

    fn sign(&self, message: &[u8]) -> [u8; 64] {
        let hash = Message::from_digest(keccak256(message).0);
        SECP256K1.sign_ecdsa(hash, &self.key).serialize_compact()
    }
}

/// Milestone in a state, with the root.
struct SimulatedState {
    root: Hash,
    number: u64,
    milestone: Vec<u8>,
    path: IavlPath,
    stores: StorePath,
}

/// Message field with a number.
fn put_number(out: &mut Vec<u8>, field: u8, mut value: u64) {
    out.push(field << 3);
    while value > 0x7f {
        let [low, ..] = value.to_le_bytes();
        out.push(low | 0x80);
        value >>= 7;
    }
    let [low, ..] = value.to_le_bytes();
    out.push(low);
}

/// Message field with less than 128 bytes.
fn put_short(out: &mut Vec<u8>, field: u8, bytes: &[u8]) {
    out.extend([field << 3 | 2, u8::try_from(bytes.len()).unwrap_or(0)]);
    out.extend_from_slice(bytes);
}

impl SimulatedHeimdall {
    /// Heimdall with these params.
    #[must_use]
    pub fn new(params: MilestoneParams, clock: Arc<dyn Clock>) -> Self {
        Self { params, clock, chain: None }
    }

    /// Heimdall of a simulated chain, for evidence about blocks to come.
    #[must_use]
    pub fn of_chain(self, chain: Arc<SimulatedChain>) -> Self {
        Self { chain: Some(chain), ..self }
    }

    /// Block to sign: the stored one, or the chain's newest final block.
    async fn finalized(&self, held: NewestFinal) -> Result<NewestFinal, FinalitySourceError> {
        let chain = self.chain.as_ref().filter(|_| held.number.0 == u64::MAX);
        let Some(chain) = chain else { return Ok(held) };
        let fault = |why: String| FinalitySourceError { endpoint: "simulated".to_owned(), why };
        let tip = chain.fetch_tip().await.map_err(|error| fault(error.to_string()))?;
        let ClaimedBlock { number, hash } = tip.finalized;
        Ok(NewestFinal { number, hash, timestamp: chain.time_of(number) })
    }

    fn validators(&self, height: u64) -> Vec<SimulatedValidator> {
        let set = self.params.heimdall.set_of(height).unwrap_or(0);
        let validator = |(rank, power): (u64, u64)| {
            let index = set.saturating_add(rank);
            let seed = format!("superroot simulated, not secret: Heimdall's validator {index}");
            let key = SecretKey::from_byte_array(sha256_joined(&[seed.as_bytes()]).0).ok()?;
            Some(SimulatedValidator { key, power })
        };
        (0..).zip(POWERS).filter_map(validator).collect()
    }

    fn header(&self, height: u64, root: Hash) -> Header {
        let filler = |name: &str| sha256_joined(&[name.as_bytes(), &height.to_be_bytes()]);
        let hash = |height| {
            let validators = self.validators(height);
            validators_hash(&validators.iter().map(SimulatedValidator::public).collect::<Vec<_>>())
        };
        let parts_hash = filler("parts of the parent");
        let parent = CosmosBlockId { hash: filler("parent"), part_count: 1, parts_hash };
        Header {
            version_block: 11,
            version_app: 0,
            chain_id: self.params.heimdall.chain_id.clone(),
            height,
            seconds: height.saturating_mul(HEIGHT_SECONDS),
            nanos: 0,
            last_block_id: Some(parent),
            last_commit_hash: filler("commit"),
            data_hash: filler("data"),
            validators_hash: hash(height),
            next_validators_hash: hash(height.saturating_add(1)),
            consensus_hash: filler("consensus"),
            app_hash: root.0.to_vec(),
            last_results_hash: filler("results"),
            evidence_hash: filler("evidence"),
            proposer_address: [0x51; 20],
        }
    }

    fn commit(&self, header: &Header) -> BlockCommit<HeimdallKey> {
        let validators = self.validators(header.height);
        let parts_hash = sha256_joined(&[b"parts", &header.hash().0]);
        let id = CosmosBlockId { hash: header.hash(), part_count: 1, parts_hash };
        let time = header.time_nanos().unwrap_or(0).saturating_add(500_000_000);
        let vote = precommit_bytes(&header.chain_id, (header.height, 0), &id, time);
        let voters = validators.iter().take(VOTERS).enumerate();
        let signatures = voters.map(|(index, validator)| CommitSignature {
            index,
            time,
            signature: validator.sign(&vote),
        });
        BlockCommit {
            header: header.encode(),
            round: 0,
            part_count: id.part_count,
            parts_hash,
            signatures: signatures.collect(),
            validators: validators.iter().map(SimulatedValidator::public).collect(),
        }
    }

    /// State with a milestone for a block, between two more leaves.
    fn state(&self, held: NewestFinal, version: u64) -> SimulatedState {
        let number = held.number.0;
        let mut milestone = Vec::new();
        put_short(&mut milestone, 1, b"0x5151515151515151515151515151515151515151");
        put_number(&mut milestone, 2, number);
        put_number(&mut milestone, 3, number);
        put_short(&mut milestone, 4, &held.hash.0);
        put_short(&mut milestone, 5, self.params.bor_chain.to_string().as_bytes());
        put_short(&mut milestone, 6, b"simulated");
        put_number(&mut milestone, 7, held.timestamp.0);
        let sibling = |name: &str| sha256_joined(&[name.as_bytes(), &held.hash.0]);
        let step = |height, is_sibling_left, name| {
            let sibling = sibling(name);
            IavlStep { is_sibling_left, height, size: height + 1, version, sibling }
        };
        let steps = vec![step(1, true, "the milestone before"), step(2, false, "the count")];
        let path = IavlPath { version, steps };
        let stores = ["stores above", "stores below"];
        let stores = stores.map(|name| StoreStep {
            is_sibling_left: name == "stores above",
            sibling: sibling(name),
        });
        let stores = StorePath { steps: stores.to_vec() };
        let store = path.root(&milestone_key(number), &milestone);
        let root = store.and_then(|store| stores.root(MILESTONE_STORE, &store.0));
        SimulatedState { root: root.unwrap_or(Hash::ZERO), number, milestone, path, stores }
    }

    /// Height behind a time, never a set's: a set's header has a fixed state.
    fn height_of(&self, time: UnixSeconds) -> u64 {
        let height = (time.0 / HEIGHT_SECONDS).saturating_add(1);
        let is_set = height.is_multiple_of(self.params.heimdall.set_blocks);
        height.saturating_add(u64::from(is_set))
    }

    fn evidence(&self, held: NewestFinal) -> ConsensusEvidence {
        let height = self.height_of(held.timestamp);
        let SimulatedState { root, number, milestone, path, stores } =
            self.state(held, height.saturating_sub(1));
        let commit = self.commit(&self.header(height, root)).encode();
        let body = MilestoneBody { commit, number, milestone, path, stores };
        ConsensusEvidence {
            kind: FinalityKind::Milestone,
            number: held.number,
            hash: held.hash,
            body: body.encode(),
        }
    }
}

impl FinalitySource for SimulatedHeimdall {
    fn name(&self) -> &str {
        "simulated"
    }

    fn fetch_newest(
        &self,
        held: NewestFinal,
    ) -> BoxFuture<'_, Result<ConsensusEvidence, FinalitySourceError>> {
        Box::pin(async move { Ok(self.evidence(self.finalized(held).await?)) })
    }

    fn fetch_steps(
        &self,
        first: u64,
        count: u64,
    ) -> BoxFuture<'_, Result<Vec<NumberedStep>, FinalitySourceError>> {
        Box::pin(async move {
            let now = self.clock.now().0 / HEIGHT_SECONDS;
            let height =
                |step: u64| step.saturating_add(1).saturating_mul(self.params.heimdall.set_blocks);
            let steps =
                (first..first.saturating_add(count)).take_while(|step| height(*step) <= now);
            let commit = |step| {
                let header = self.header(height(step), sha256_joined(&[b"state of a set"]));
                (step, self.commit(&header).encode())
            };
            Ok(steps.map(commit).collect())
        })
    }
}
