//! Usage proofs (`GET /api/v1/usage/checkpoints/{checkpoint}`, saved as `.srusage`): hourly rows lead to the account's
//! leaf, the leaf to the root of the day, and the registry contract's proven event has the root.

use serde::Deserialize;
use superroot_proof::bundle::Facts;
use superroot_proof::hash::keccak256;
use superroot_proof::usage::{UsageDay, UsageLeaf, UsageRow, range_root, verify_leaf};
use superroot_types::{Address, ChainId, Family, Hash, LeafIndex, first_chars};
use superroot_wire::account::{AccountLeaf, UsageProof, UsageProofRow};

use crate::said::check_anchor;
use crate::{EnclosedProofError, Verifier};

const DAY_SECONDS: u64 = 86_400;
const HOUR_SECONDS: u64 = 3_600;
const EVENT: &str = "UsageCheckpoint(uint64,uint64,uint64,bytes32)";
/// Most rows.
const ROWS_MAX: usize = 16_384;

/// Usage of an account on a day, in a registry contract's checkpoint.
#[derive(Debug)]
pub struct CheckedUsage {
    /// Answer.
    pub proof: UsageProof,
    /// Whether the hourly rows are there, and lead to the leaf.
    pub has_rows: bool,
    /// The proven event's registry contract.
    pub contract: Address,
    /// Proven event.
    pub event: Facts,
}

/// Reason for an invalid usage proof.
#[derive(Debug, thiserror::Error)]
pub enum UsageCheckError {
    /// Not a usage proof.
    #[error("not a proof of usage: {0}")]
    NoUsage(String),
    /// The account has no usage in the checkpoint.
    #[error("the account has no usage in this checkpoint: there is nothing to prove")]
    NoLeaf,
    /// The checkpoint is not yet proven at the contract.
    #[error("the checkpoint is not proven at the registry contract yet: ask again later")]
    NotProven,
    /// The rows do not lead to the leaf.
    #[error("{0}")]
    Rows(String),
    /// The leaf does not lead to the root.
    #[error("{0}")]
    Leaf(String),
    /// Invalid event proof.
    #[error("the proof of the contract's event does not hold: {0}")]
    Proof(#[from] EnclosedProofError),
    /// Another event.
    #[error("{0}")]
    Event(String),
}

/// Whether a body has the members for a usage proof.
#[must_use]
pub fn is_usage(body: &[u8]) -> bool {
    let body = superroot_wire::parse_json(body).ok();
    body.is_some_and(|body| body.get("usage_checkpoint").is_some())
}

impl Verifier {
    /// Checks a usage proof. The SuperRoot is not yet trusted, nor is the contract.
    ///
    /// # Errors
    /// [`UsageCheckError`].
    pub fn check_usage(&self, body: &[u8]) -> Result<CheckedUsage, UsageCheckError> {
        let none = |why: String| UsageCheckError::NoUsage(why);
        let body = superroot_wire::parse_json(body).map_err(|error| none(error.to_string()))?;
        let proof = UsageProof::deserialize(&body).map_err(|error| none(error.to_string()))?;
        let checkpoint = &proof.usage_checkpoint;
        let account = uuid_of(&proof.user_id).ok_or_else(|| none("user_id is no id".to_owned()))?;
        let day = day_of(&proof).ok_or_else(|| none("its times are those of no day".to_owned()))?;
        let said = proof.leaf.as_ref().ok_or(UsageCheckError::NoLeaf)?;
        let has_rows = check_rows(proof.rows.as_deref(), said, day)?;
        let leaf = UsageLeaf {
            account,
            day,
            blind: said.blind,
            rows: said.row_count,
            requests: said.requests,
            tokens: said.billing_tokens,
            range_root: said.range_root,
        };
        let environment = match checkpoint.environment.as_str() {
            "live" => 1,
            "test" => 2,
            _ => return Err(none("environment is neither live nor test".to_owned())),
        };
        let (accounts, range_root) = (checkpoint.accounts, checkpoint.range_root);
        let usage = UsageDay { environment, day, accounts, range_root };
        verify_leaf(&usage, &leaf, LeafIndex(said.index), &said.path).map_err(|error| {
            UsageCheckError::Leaf(format!("the leaf is not in the day: {error}"))
        })?;
        if usage.root() != checkpoint.root {
            let (computed, said) = (usage.root(), checkpoint.root);
            let why = format!("the day has the root {computed}, {said} is said");
            return Err(UsageCheckError::Leaf(why));
        }
        let blob = proof.proof_blob.as_ref().ok_or(UsageCheckError::NotProven)?;
        let event = self.check_enclosed(blob)?;
        check_anchor(&body, &event).map_err(|why| UsageCheckError::Event(why.to_string()))?;
        let contract = check_event(&proof, &event)?;
        Ok(CheckedUsage { proof, has_rows, contract, event })
    }
}

/// Checks the rows' root and sums; `false` without rows.
fn check_rows(
    rows: Option<&[UsageProofRow]>,
    leaf: &AccountLeaf,
    day: u32,
) -> Result<bool, UsageCheckError> {
    let Some(rows) = rows else { return Ok(false) };
    let wrong = |why: &str| UsageCheckError::Rows(why.to_owned());
    if rows.len() > ROWS_MAX || u32::try_from(rows.len()) != Ok(leaf.row_count) {
        let (got, said) = (rows.len(), leaf.row_count);
        return Err(UsageCheckError::Rows(format!("{got} rows are there, the leaf has {said}")));
    }
    let mut hashes = Vec::with_capacity(rows.len());
    let (mut requests, mut tokens) = (0_u64, 0_u64);
    for (at, row) in rows.iter().enumerate() {
        let read = row_of(row).filter(|read| read.hour / 24 == day);
        let read =
            read.ok_or_else(|| UsageCheckError::Rows(format!("rows[{at}] is no row of this day")))?;
        requests = requests.checked_add(read.requests).ok_or_else(|| wrong("sums overflow"))?;
        tokens = tokens.checked_add(read.tokens).ok_or_else(|| wrong("sums overflow"))?;
        hashes.push(read.hash());
    }
    if range_root(&hashes) != leaf.range_root {
        return Err(wrong("these are not the rows of the leaf: they have another root"));
    }
    if (requests, tokens) != (leaf.requests, leaf.billing_tokens) {
        return Err(wrong("the rows add up to other sums than the leaf's"));
    }
    Ok(true)
}

fn row_of(row: &UsageProofRow) -> Option<UsageRow> {
    let hour = u32::try_from(row.hour.0 / HOUR_SECONDS).ok();
    let hour = hour.filter(|_| row.hour.0.is_multiple_of(HOUR_SECONDS))?;
    let key = match &row.key_id {
        Some(key) => uuid_of(key)?,
        None => [0; 16],
    };
    let mut chain = [0; 9];
    match (&row.family, row.chain_id) {
        (None, None) => chain[0] = 0xff,
        (Some(family), Some(id)) => {
            let family = Family::ALL.into_iter().find(|one| one.name() == family.as_str())?;
            chain[0] = family.byte();
            chain[1..].copy_from_slice(&id.to_be_bytes());
        }
        _ => return None,
    }
    let classes = ["1xx", "2xx", "3xx", "4xx", "5xx"];
    let status = (1..).zip(classes).find(|(_, class)| *class == row.status)?.0;
    let (route, requests, tokens) = (row.route, row.requests, row.billing_tokens);
    Some(UsageRow { hour, key, route, chain, status, requests, tokens })
}

/// Day of a checkpoint with a day's times.
fn day_of(proof: &UsageProof) -> Option<u32> {
    let checkpoint = &proof.usage_checkpoint;
    let day = checkpoint.start.0 / DAY_SECONDS;
    let is_day = checkpoint.start.0.is_multiple_of(DAY_SECONDS)
        && checkpoint.end.0 == checkpoint.start.0.checked_add(DAY_SECONDS)?
        && checkpoint.start.iso_8601().get(..10) == Some(checkpoint.day.as_str());
    u32::try_from(day).ok().filter(|_| is_day)
}

/// Checks that the event is the checkpoint's; returns the contract.
fn check_event(proof: &UsageProof, event: &Facts) -> Result<Address, UsageCheckError> {
    let checkpoint = &proof.usage_checkpoint;
    let wrong = |why: String| UsageCheckError::Event(why);
    let log = event.log().ok_or_else(|| wrong("the proof shows no log".to_owned()))?;
    let word = |number: u64| {
        let mut word = [0; 32];
        word[24..].copy_from_slice(&number.to_be_bytes());
        word
    };
    let topics = [keccak256(EVENT.as_bytes()), Hash(word(checkpoint.sequence))];
    let data = [word(checkpoint.start.0), word(checkpoint.end.0), checkpoint.root.0].concat();
    if log.log.topics != topics || log.log.data != data {
        let why = "the proven event is not the checkpoint of this sequence, day and root";
        return Err(wrong(why.to_owned()));
    }
    let chain = event.statement.chain;
    if chain.family != Family::Evm || chain.id != ChainId(checkpoint.chain_id) {
        return Err(wrong(format!("the event is of chain {}", chain.id)));
    }
    let contract = log.log.address;
    let said = checkpoint.contract.parse::<alloy_primitives::Address>().ok();
    if said.is_none_or(|said| said.into_array() != contract.0) {
        let said = first_chars(&checkpoint.contract, 60);
        return Err(wrong(format!("the event is not of the contract {said}")));
    }
    Ok(contract)
}

/// Bytes of a UUID in the usual form.
fn uuid_of(text: &str) -> Option<[u8; 16]> {
    let is_usual =
        text.len() == 36 && [8, 13, 18, 23].iter().all(|at| text.as_bytes()[*at] == b'-');
    let digits: String = text.chars().filter(|one| *one != '-').collect();
    let bytes = const_hex::decode_to_array(&digits).ok();
    bytes.filter(|_| is_usual)
}
