//! `POST /kv/verify`: client verification as a service.

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use serde_json::{Map, Value};
use superroot_accumulate::prove::ProveError;
use superroot_proof::bundle::{self, Bundle, Facts, Policy};
use superroot_proof::note::TrustPolicy;
use superroot_types::{Hash, ProofLevel, SuperRootRef};
use superroot_wire::chain::Retraction;
use superroot_wire::verify::{KnownSuperRoot, ProofCheck, VerifyAnswer, VerifyRequest};
use superroot_wire::{CheckError, WireError, check_json, parse};

use self::expectation::{Expectation, compare, read_expected};
use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::error::shorten;
use crate::input::{Caller, only_members, read_json};
use crate::route::{ApiRoute, RouteGroup, RouteOperation};
use crate::service::{Api, Shared, retraction};

mod expectation;

pub(crate) fn routes() -> Vec<ApiRoute> {
    vec![ApiRoute::open(9, "/kv/verify", RouteGroup::G1).weighs(1).serves(
        RouteOperation::post(
            "verifyProof",
            "Check of a proof of a block, transaction or event",
            verify,
        )
        .says(
            "A well-formed but false proof is 200 with valid: false and the check that failed; what \
             is no proof is 400. Takes a proof route's answer as it is.",
        )
        .reads::<VerifyRequest>()
        .returns::<VerifyAnswer>(),
    )]
}

async fn verify(
    State(service): State<Shared>,
    caller: Caller,
    headers: HeaderMap,
    body: Body,
) -> Result<ApiAnswer, ApiError> {
    let body = read_json(&service, &headers, body).await?;
    service.blocking(move |api| Ok(ApiAnswer::of(&check(api, &caller, &body)?))).await
}

fn check(api: &Api, caller: &Caller, body: &Value) -> Result<VerifyAnswer, ApiError> {
    // the answer of a proof route as it came, and what it must be about where that was put in
    let is_bare = has_any(body, &PROOF_MARKS) || has_any(body, &OTHER_MARKS);
    if is_bare && body.get("proof").is_none() {
        return check_proof(api, caller, body, body.get("expected"));
    }
    only_members(
        body.as_object().unwrap_or(&Map::new()),
        "",
        &["proof", "proof_blob", "expected"],
    )?;
    let expected = body.get("expected");
    match (body.get("proof"), body.get("proof_blob")) {
        (Some(proof), None) => check_proof(api, caller, proof, expected),
        (None, Some(blob)) => {
            let proof = [("proof_blob".to_owned(), blob.clone())].into_iter().collect();
            check_proof(api, caller, &Value::Object(proof), expected)
        }
        (None, None) => Err(ApiError::missing("proof", "proof or proof_blob")),
        (Some(_), Some(_)) => {
            Err(ApiError::parameter("proof_blob", "given", "either proof or proof_blob"))
        }
    }
}

/// Most members named as unproven.
const UNPROVEN_NAMED_MAX: usize = 16;
/// Members of proof answers, in either spelling, that requests do not have.
const PROOF_MARKS: [&str; 4] = ["proofKind", "proof_kind", "proof_format", "nodes"];
/// Members of blobs, consistency proofs and scans that proofs do not have.
const OTHER_MARKS: [&str; 6] = [
    "appendedTwigCount",
    "appended_twig_count",
    "completeness",
    "scanBlob",
    "scan_blob",
    "strength",
];

fn has_any(body: &Value, marks: &[&str]) -> bool {
    marks.iter().any(|mark| body.get(mark).is_some())
}

fn check_proof(
    api: &Api,
    caller: &Caller,
    proof: &Value,
    expected: Option<&Value>,
) -> Result<VerifyAnswer, ApiError> {
    if proof.get("items").is_some() && proof.get("nodes").is_some() {
        let expected = "one proof; the items of a batch are checked by `superroot verify`";
        return Err(ApiError::parameter("proof", "a batch", expected));
    }
    if has_any(proof, &OTHER_MARKS) {
        let expected =
            "the proof of a block, transaction or event; `superroot verify` checks the others";
        return Err(ApiError::invalid(
            "proof",
            "a blob, consistency, a scan or a list of events",
            expected,
        ));
    }
    let policy = Policy::strict(api.registry.proof_registry());
    let unusable = |error: WireError| ApiError::unreadable("proof", &error);
    let bundle = parse(proof).map_err(unusable)?;
    let of_members = match check_json(proof, &policy, None) {
        Ok(checked) => Some(whole("members", Ok(&agreement(&checked.unproven)))),
        Err(CheckError::Disagreement(error)) => Some(whole("members", Err(error.to_string()))),
        Err(CheckError::Unusable(error)) => return Err(unusable(error)),
        Err(_) => None, // what is wrong with the proof itself is found below
    };
    examine(api, caller, &bundle, of_members, expected)
}

/// Message for members that agree with the proof; names the unproven members, whatever their values.
fn agreement(unproven: &[String]) -> String {
    // the list itself is of the service as well, and says so
    let is_list = |name: &&String| ["notProven", "not_proven"].contains(&name.as_str());
    let unproven: Vec<_> = unproven.iter().filter(|name| !is_list(name)).collect();
    let mut text = "no member says anything else".to_owned();
    for (at, name) in unproven.iter().take(UNPROVEN_NAMED_MAX).enumerate() {
        text.push_str(if at == 0 { "; not proven: " } else { ", " });
        text.push_str(&shorten(name));
    }
    if let Some(more) = unproven.len().checked_sub(UNPROVEN_NAMED_MAX).filter(|more| *more > 0) {
        text.push_str(&format!(", and {more} more"));
    }
    text
}

pub(crate) fn check_file(
    api: &Api,
    caller: &Caller,
    bytes: &[u8],
    expected: Option<&Value>,
) -> Result<VerifyAnswer, ApiError> {
    let bundle = Bundle::decode(bytes);
    let bundle = bundle.map_err(|error| ApiError::unreadable("proof_blob", &error))?;
    examine(api, caller, &bundle, None, expected)
}

/// All checks for a proof; `of_members` checks the body around the proof, if any.
fn examine(
    api: &Api,
    caller: &Caller,
    bundle: &Bundle,
    of_members: Option<ProofCheck>,
    expected: Option<&Value>,
) -> Result<VerifyAnswer, ApiError> {
    caller.check_chain(bundle.statement.chain)?;
    let expected = read_expected(api, expected)?;
    let policy = Policy::strict(api.registry.proof_registry());
    let mut checks = levels(bundle, &policy);
    let verified = bundle::verify(bundle, &policy);
    checks.extend(of_members);
    // the failing level is among the checks, or the statement itself is at fault
    if let Err(error) = &verified
        && checks.iter().all(|check| check.ok)
    {
        checks.push(whole("statement", Err(error.to_string())));
    }
    let facts = verified.ok();
    let (super_root, known) = anchored(api, facts.as_deref())?;
    if let Some(facts) = &facts {
        checks.extend(expected.iter().map(|one| compare(facts, one)));
        checks.push(anchor_check(facts, known, &expected));
        checks.extend(note_check(api, facts));
        checks.extend(withdrawal_check(api, facts)?);
    }
    // nothing here is trusted by the word of the note, so its signatures do not decide
    let decide = |check: &&ProofCheck| check.name != NOTE;
    let valid = facts.is_some() && checks.iter().filter(decide).all(|check| check.ok);
    let reached = checks.iter().take_while(|check| check.ok).filter_map(|check| check.level);
    let retraction = retraction_of(api, facts.as_deref())?;
    Ok(VerifyAnswer {
        valid,
        level_reached: reached.max(),
        checks,
        anchored: KnownSuperRoot {
            known_super_root: known.is_some(),
            sequence: known,
            super_root_hash: super_root,
        },
        retraction,
    })
}

/// Proof's SuperRoot, and its sequence if published by this log.
fn anchored(api: &Api, facts: Option<&Facts>) -> Result<(Option<Hash>, Option<u64>), ApiError> {
    let Some(hash) = facts.and_then(Facts::super_root_hash) else { return Ok((None, None)) };
    match api.prover.published(SuperRootRef::Hash(hash)) {
        Ok(published) => Ok((Some(hash), Some(published.super_root.sequence.0))),
        Err(ProveError::UnknownSuperRoot { .. } | ProveError::NothingPublished) => {
            Ok((Some(hash), None))
        }
        Err(error) => Err(api.refuse_unproven(error)),
    }
}

/// Checks that the proof ends in a SuperRoot of this log or of the caller: anyone can make a SuperRoot for a false
/// proof.
fn anchor_check(facts: &Facts, known: Option<u64>, expected: &[Expectation]) -> ProofCheck {
    let brought = expected.iter().any(|one| one.name == "super_root_hash");
    let outcome = match (facts.super_root_hash(), known) {
        (None, _) => Err(format!("the proof ends at {}: it leads to no SuperRoot", facts.level)),
        (Some(_), Some(sequence)) => Ok(format!("this log published it as SuperRoot {sequence}")),
        (Some(_), None) if brought => Ok("it is compared with the one expected".to_owned()),
        (Some(hash), None) => Err(format!(
            "this log never published SuperRoot {hash}; bring one that you trust in \
             expected.super_root_hash"
        )),
    };
    whole("anchor", outcome.as_deref().map_err(Clone::clone))
}

/// The non-decisive check's name.
const NOTE: &str = "note";

/// Checks that a note from this log has a signature by one of its keys; other logs' keys are not known here.
fn note_check(api: &Api, facts: &Facts) -> Option<ProofCheck> {
    facts.note.as_ref().filter(|_| facts.origin == api.prover.origin())?;
    let nobody = TrustPolicy::none();
    let signed = api.prover.keys().iter().find_map(|key| facts.check_signed(key, &nobody).ok());
    let size =
        signed.map(|checkpoint| format!("signed by the log's key at size {}", checkpoint.size));
    let unsigned = || "no key of this log signed the note".to_owned();
    Some(whole(NOTE, size.as_deref().ok_or_else(unsigned)))
}

/// Checks against withdrawals in the newest SuperRoot: withdrawn data is no longer true, whatever SuperRoot proves it.
fn withdrawal_check(api: &Api, facts: &Facts) -> Result<Option<ProofCheck>, ApiError> {
    let chain = facts.statement.chain;
    let number = facts.statement.number;
    match api.prover.check_stands(chain, number) {
        Err(error @ ProveError::Withdrawn { .. }) => {
            Ok(Some(whole("withdrawal", Err(error.to_string()))))
        }
        Err(ProveError::NothingPublished) | Ok(()) => Ok(None),
        Err(error) => Err(api.refuse_unproven(error)),
    }
}

/// Reorganisation of the proof's block or an ancestor; `None` for nearly every block. The proof itself stays valid.
fn retraction_of(api: &Api, facts: Option<&Facts>) -> Result<Option<Retraction>, ApiError> {
    let shown = facts.and_then(|facts| Some((facts.statement, facts.block_hash?)));
    let Some((statement, hash)) = shown else { return Ok(None) };
    let chain = statement.chain;
    let number = statement.number;
    let is_held = api.prover.block(chain, number).is_ok_and(|row| row.hash == hash);
    let contest = if is_held { api.contest(chain, number, &hash)? } else { None };
    Ok(contest.map(|contest| retraction::body(chain, &contest.retraction)))
}

fn whole(name: &str, outcome: Result<&str, String>) -> ProofCheck {
    let ok = outcome.is_ok();
    let detail = outcome.map_or_else(|error| error, str::to_owned);
    ProofCheck { level: None, name: name.to_owned(), ok, detail }
}

/// One check per level in the proof, lowest first: each verifies the proof truncated above the level.
fn levels(bundle: &Bundle, policy: &Policy<'_>) -> Vec<ProofCheck> {
    let mut checks = Vec::new();
    for level in ProofLevel::ALL.into_iter().filter(|level| has_level(bundle, *level)) {
        let shown = bundle::verify(&bundle.clone().up_to(level), policy);
        let (ok, detail) = match shown {
            Ok(_) => (true, format!("{level} holds")),
            Err(error) => (false, error.to_string()),
        };
        checks.push(ProofCheck {
            level: Some(level.number()),
            name: level.name().to_owned(),
            ok,
            detail,
        });
        if !ok {
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
        ProofLevel::MiniMmr => matches!(bundle.place(), Some(bundle::TwigPosition::Sealed(_))),
        ProofLevel::SuperRoot => bundle.super_root().is_some(),
    }
}
