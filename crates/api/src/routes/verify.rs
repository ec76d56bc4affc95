//! `POST /kv/verify`: the check that a client would make, made here.

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use serde_json::{Value, json};
use superroot_accumulate::prove::{ProveError, Which};
use superroot_proof::bundle::{self, Bundle, Facts, Policy, Subject};
use superroot_types::{Hash, ProofLevel};
use superroot_wire::{CheckError, WireError, check_json, parse};

use crate::ApiError;
use crate::dress::Answer;
use crate::input::{find_chain, read_json};
use crate::service::{Api, Shared};

/// `POST /kv/verify`
pub(super) async fn verify(
    State(service): State<Shared>,
    headers: HeaderMap,
    body: Body,
) -> Result<Answer, ApiError> {
    let body = read_json(&service.api, &headers, body).await?;
    service.blocking(move |api| check(api, &body).map(Answer::new)).await
}

fn check(api: &Api, body: &Value) -> Result<Value, ApiError> {
    let proof = match (body.get("proof"), body.get("proof_blob")) {
        (Some(proof), None) => proof.clone(),
        (None, Some(blob)) => json!({ "proof_blob": blob }),
        _ => return Err(ApiError::missing("proof", "either proof or proof_blob")),
    };
    let policy = Policy::strict(api.registry.proof_registry());
    let unusable = |error: WireError| ApiError::unreadable("proof", &error);
    let bundle = parse(&proof).map_err(unusable)?;
    let expected = Expected::read(api, body.get("expected"))?;
    let mut checks = levels(&bundle, &policy);
    let facts = bundle::verify(&bundle, &policy).ok();
    match check_json(&proof, &policy, None) {
        Ok(_) => checks.push(Check::whole("members", Ok("no member says anything else"))),
        Err(CheckError::Disagreement(error)) => {
            checks.push(Check::whole("members", Err(error.to_string())));
        }
        Err(CheckError::Unusable(error)) => return Err(unusable(error)),
        // the failing level is among the checks already, or the statement itself is at fault
        Err(other) if checks.iter().all(|check| check.is_ok) => {
            checks.push(Check::whole("statement", Err(other.to_string())));
        }
        Err(_) => {}
    }
    if let Some(facts) = &facts {
        checks.extend(expected.compare(facts));
    }
    let valid = facts.is_some() && checks.iter().all(|check| check.is_ok);
    let reached = checks.iter().take_while(|check| check.is_ok).filter_map(|check| check.level);
    let (super_root, known) = anchored(api, facts.as_deref())?;
    Ok(json!({
        "valid": valid,
        "level_reached": reached.map(ProofLevel::number).max(),
        "checks": checks.iter().map(Check::to_value).collect::<Value>(),
        "anchored": {
            "known_super_root": known.is_some(),
            "sequence": known,
            "super_root_hash": super_root,
        },
    }))
}

/// The SuperRoot a proof leads to, and its sequence if this log published it.
fn anchored(api: &Api, facts: Option<&Facts>) -> Result<(Option<Hash>, Option<u64>), ApiError> {
    let Some(hash) = facts.and_then(Facts::super_root_hash) else { return Ok((None, None)) };
    match api.prover.published(Which::Hash(hash)) {
        Ok(published) => Ok((Some(hash), Some(published.super_root.sequence))),
        Err(ProveError::UnknownSuperRoot { .. } | ProveError::NothingPublished) => {
            Ok((Some(hash), None))
        }
        Err(error) => Err(api.refused(None, error)),
    }
}

/// One line of the answer.
struct Check {
    level: Option<ProofLevel>,
    name: &'static str,
    is_ok: bool,
    detail: String,
}

impl Check {
    fn whole(name: &'static str, outcome: Result<&str, String>) -> Self {
        let is_ok = outcome.is_ok();
        let detail = outcome.map_or_else(|error| error, str::to_owned);
        Self { level: None, name, is_ok, detail }
    }

    fn to_value(&self) -> Value {
        json!({
            "level": self.level.map(ProofLevel::number),
            "name": self.name,
            "ok": self.is_ok,
            "detail": self.detail,
        })
    }
}

/// A check for each level that the proof has, lowest first: the proof cut off above it is verified.
fn levels(bundle: &Bundle, policy: &Policy<'_>) -> Vec<Check> {
    let mut checks = Vec::new();
    for level in ProofLevel::ALL.into_iter().filter(|level| has_level(bundle, *level)) {
        let shown = bundle::verify(&bundle.clone().up_to(level), policy);
        let (is_ok, detail) = match shown {
            Ok(_) => (true, format!("{level} holds")),
            Err(error) => (false, error.to_string()),
        };
        checks.push(Check { level: Some(level), name: level.name(), is_ok, detail });
        if !is_ok {
            break;
        }
    }
    checks
}

fn has_level(bundle: &Bundle, level: ProofLevel) -> bool {
    match level {
        ProofLevel::Entry => bundle.entry.is_some(),
        ProofLevel::Block => bundle.block.is_some(),
        ProofLevel::Twig => bundle.twig().is_some(),
        ProofLevel::MiniMmr => matches!(bundle.place(), Some(bundle::Place::Sealed(_))),
        ProofLevel::SuperRoot => bundle.super_root().is_some(),
    }
}

/// What the caller expects the proof to be about.
#[derive(Default)]
struct Expected {
    members: Vec<(&'static str, String)>,
}

impl Expected {
    /// Reads `expected: {super_root_hash?, chain?, block?, tx_index?, log_index?, address?,
    /// topics?}`.
    fn read(api: &Api, given: Option<&Value>) -> Result<Self, ApiError> {
        let Some(given) = given else { return Ok(Self::default()) };
        let object = given.as_object();
        let object =
            object.ok_or_else(|| ApiError::parameter("expected", "no object", "an object"))?;
        let mut members = Vec::new();
        for (name, value) in object {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_lowercase);
            let member = match name.as_str() {
                "super_root_hash" => ("super_root_hash", text),
                "chain" | "chain_id" => {
                    ("chain", find_chain(api, "expected.chain", &text)?.key().to_string())
                }
                "block" | "block_number" => ("block", text),
                "tx_index" => ("tx_index", text),
                "log_index" => ("log_index", text),
                "address" => ("address", text),
                "topics" => ("topics", text.to_lowercase()),
                other => {
                    let known = "only super_root_hash, chain, block, tx_index, log_index, \
                                 address, topics";
                    return Err(ApiError::parameter("expected", other, known));
                }
            };
            members.push(member);
        }
        Ok(Self { members })
    }

    fn compare(&self, facts: &Facts) -> Vec<Check> {
        let checks = self.members.iter().map(|(name, expected)| {
            let proven = proven(facts, name).unwrap_or_else(|| "not shown".to_owned());
            let is_ok = proven == *expected;
            let detail = format!("proven is {proven}, expected {expected}");
            Check { level: None, name, is_ok, detail: crate::error::shorten(&detail) }
        });
        checks.collect()
    }
}

/// The proven value of an expectation, in the form in which it is compared.
fn proven(facts: &Facts, name: &str) -> Option<String> {
    let statement = facts.statement;
    let log = facts.log.as_ref().map(|proven| &proven.log);
    match name {
        "super_root_hash" => facts.super_root_hash().map(|hash| hash.to_string()),
        "chain" => Some(statement.chain.to_string()),
        "block" => Some(statement.number.to_string()),
        "tx_index" => statement.subject.tx_index().map(|index| index.to_string()),
        "log_index" => match statement.subject {
            Subject::Log { log_index, .. } => Some(log_index.to_string()),
            _ => None,
        },
        "address" => log.map(|log| log.address.to_string()),
        "topics" => log.map(|log| json!(log.topics).to_string()),
        _ => None,
    }
}
