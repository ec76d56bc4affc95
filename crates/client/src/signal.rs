//! Launch proofs (`GET /v5/proof/hash/{proof_hash}`): both events are valid, belong to one pool from a known factory,
//! and match the hash.

use alloy_primitives::Address;
use serde::Deserialize;
use serde_json::{Value, json};
use superroot_dex::{DecodedPoolEvent, Factories, PoolEvent, PoolId, decode};
use superroot_proof::bundle::{Facts, ProofSubject};
use superroot_proof::hash::keccak256;
use superroot_types::Hash;
use superroot_wire::paths;

use crate::price::slug;
use crate::said::{check_anchor, check_members};
use crate::{Differs, EnclosedProofError, Verifier};

/// Proven launch events.
#[derive(Debug)]
pub struct CheckedSignal {
    /// Hash that identifies both events.
    pub proof_hash: Hash,
    /// Pool; for Uniswap v4, the contract for all pools.
    pub pool: Address,
    /// Pool id within the contract; `None` if the pool is the contract.
    pub pool_id: Option<Hash>,
    /// Exchange.
    pub protocol: String,
    /// Token pair.
    pub pair: [Address; 2],
    /// Whether the second event adds liquidity; for a pulled launch, the event is the one that ended the launch.
    pub adds: bool,
    /// Contract called at each trade in the pool (Uniswap v4).
    pub hooks: Option<Address>,
    /// Creation and liquidity events.
    pub events: [Facts; 2],
}

/// Reason for an invalid launch proof.
#[derive(Debug, thiserror::Error)]
pub enum SignalCheckError {
    /// Not a launch proof.
    #[error("not the proofs behind a signal: {0}")]
    NoSignal(String),
    /// Invalid event proof.
    #[error("the proof of the {0} does not hold: {1}")]
    Proof(&'static str, EnclosedProofError),
    /// The proofs lead to different SuperRoots, or to none.
    #[error("the proofs lead to more than one SuperRoot, or to none")]
    SuperRoots,
    /// The events do not match the hash.
    #[error("these events have the proof hash {computed}, {said} is said")]
    Hash {
        /// Computed hash.
        computed: Hash,
        /// Stated hash.
        said: Hash,
    },
    /// The answer contradicts the events.
    #[error(transparent)]
    Said(#[from] Differs),
    /// The events are not creation and liquidity for one pool.
    #[error("{0}")]
    Pool(&'static str),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SignalBody {
    proof_hash: Hash,
    events: [SignalAnswer; 2],
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SignalAnswer {
    proof_blob: String,
}

/// Whether a body has the members for launch proofs.
#[must_use]
pub fn is_signal(body: &[u8]) -> bool {
    let body = superroot_wire::parse_json(body).ok();
    let has = |name| body.as_ref().is_some_and(|body| body.get(name).is_some());
    has("proofHash") && has("events")
}

impl Verifier {
    /// Checks the proofs behind a launch. The SuperRoot is not yet trusted.
    ///
    /// # Errors
    /// [`SignalCheckError`]: not a launch proof, a false proof, or other events.
    pub fn check_signal(&self, body: &[u8]) -> Result<CheckedSignal, SignalCheckError> {
        let none = |why: String| SignalCheckError::NoSignal(why);
        let body = superroot_wire::parse_json(body).map_err(|error| none(error.to_string()))?;
        let SignalBody { proof_hash, events: [creation, liquidity] } =
            SignalBody::deserialize(&body).map_err(|error| none(error.to_string()))?;
        let creation = self.event("creation", &creation)?;
        let liquidity = self.event("liquidity", &liquidity)?;
        let roots = [&creation, &liquidity].map(Facts::super_root_hash);
        if roots[0].is_none() || roots[0] != roots[1] {
            return Err(SignalCheckError::SuperRoots);
        }
        let computed = hash_of([&creation, &liquidity]);
        if computed != proof_hash {
            return Err(SignalCheckError::Hash { computed, said: proof_hash });
        }
        check_said(&body, [&creation, &liquidity])?;
        let (by, made) = decoded(&creation)?;
        let PoolEvent::Created(made_of) = made.event else {
            return Err(SignalCheckError::Pool("the first event makes no pool"));
        };
        let known = slug(creation.statement.chain, creation.network)
            .and_then(|slug| Factories::builtin().made_with_hooks(&slug, by, &made_of));
        let known = known.ok_or(SignalCheckError::Pool("no factory known here made the pool"))?;
        let (_, filled) = decoded(&liquidity)?;
        if filled.pool != made_of.pool {
            return Err(SignalCheckError::Pool("the second event is of another pool"));
        }
        let adds = match filled.event {
            PoolEvent::Liquidity(change) => change.adds(),
            PoolEvent::Reserves(held) => held.iter().all(|held| !held.is_zero()),
            PoolEvent::Created(_)
            | PoolEvent::Initialized(_)
            | PoolEvent::Swapped(..)
            | PoolEvent::SwappedInBin(_) => false,
        };
        let hooks = Some(made_of.hooks).filter(|hooks| *hooks != Address::ZERO);
        let (pool, pool_id) = match made_of.pool {
            PoolId::Contract(address) => (address, None),
            PoolId::Within(address, id) => (address, Some(id)),
        };
        let pair = [made_of.token0, made_of.token1];
        let protocol = known.dex;
        let events = [creation, liquidity];
        Ok(CheckedSignal { proof_hash, pool, pool_id, protocol, pair, adds, hooks, events })
    }

    fn event(&self, role: &'static str, behind: &SignalAnswer) -> Result<Facts, SignalCheckError> {
        let checked = self.check_enclosed(&behind.proof_blob);
        checked.map_err(|why| SignalCheckError::Proof(role, why))
    }
}

/// Compares the answer's event members with the proven events.
fn check_said(body: &Value, events: [&Facts; 2]) -> Result<(), Differs> {
    check_anchor(body, events[0])?;
    let chain = events[0].statement.chain.id;
    let all = body.as_object().into_iter();
    for said in all {
        check_members("", said, &[("chainId", json!(chain))])?;
    }
    let listed = body.get("events").and_then(Value::as_array).into_iter().flatten();
    for (at, ((said, facts), role)) in listed.zip(events).zip(["creation", "liquidity"]).enumerate()
    {
        let (Some(said), statement) = (said.as_object(), &facts.statement) else { continue };
        let ProofSubject::Log { tx_index, log_index, .. } = statement.subject else { continue };
        let number = statement.number;
        let proven = [
            ("role", json!(role)),
            ("blockNumber", json!(number)),
            ("blockHash", json!(facts.block_hash)),
            ("txIndex", json!(tx_index)),
            ("logIndex", json!(log_index)),
            ("proofUrl", json!(paths::event_proof(chain, number, tx_index, log_index))),
        ];
        check_members(&format!("events[{at}]."), said, &proven)?;
    }
    Ok(())
}

/// Decodes an event and its emitting contract.
fn decoded(facts: &Facts) -> Result<(Address, DecodedPoolEvent), SignalCheckError> {
    let log = facts.log().ok_or(SignalCheckError::Pool("an event is no log"))?;
    let by = Address::from(log.log.address.0);
    let decoded = decode(by, &log.log.topics, &log.log.data);
    decoded.map(|one| (by, one)).ok_or(SignalCheckError::Pool("an event is none of a pool"))
}

/// Keccak-256 over the statements, each `family:u8 ‖ chain id:u64 ‖ block hash ‖ tx_index:u32 ‖ log_index:u32`,
/// big-endian.
fn hash_of(events: [&Facts; 2]) -> Hash {
    let mut bytes = Vec::with_capacity(98);
    for facts in events {
        let statement = &facts.statement;
        bytes.push(statement.chain.family as u8);
        bytes.extend_from_slice(&statement.chain.id.0.to_be_bytes());
        bytes.extend(facts.block_hash.iter().flat_map(|hash| hash.0));
        if let ProofSubject::Log { tx_index, log_index, .. } = statement.subject {
            bytes.extend_from_slice(&tx_index.to_be_bytes());
            bytes.extend_from_slice(&log_index.to_be_bytes());
        }
    }
    keccak256(&bytes)
}
