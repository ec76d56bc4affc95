//! SuperRoots: newest, older ones, blobs, consistency proofs, checkpoint.

pub(crate) mod tiles;

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use superroot_accumulate::prove::ProveError;
use superroot_accumulate::{EvmSignature, Published, load_evm_signature};
use superroot_proof::note::Checkpoint;
use superroot_types::{Network, Sequence, SuperRootRef, UnixSeconds};
use superroot_wire::superroot::body::{
    ConsistencyProof, EvmSignatureRow, Publication, PublishedBlob, ReferenceRow, SuperRootPage,
};
use superroot_wire::superroot::{BlobAnswer, Consistency, ConsistencyAnswer, Strength, TWIGS_MAX};
use superroot_wire::{Case, case, paths};

use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::error::codes::{ErrorCode, NOTHING_RECORDED, STARTING, UNKNOWN_SUPERROOT};
use crate::input::{RequestInput, parse_sequence};
use crate::route::parameters::{ROOT, SEQUENCE};
use crate::route::{ApiRoute, RouteGroup, RouteOperation, RouteParameter};
use crate::seen::Conditional;
use crate::service::{Api, Shared};

pub(crate) mod twigs;

const ERRORS: &[ErrorCode] = &[UNKNOWN_SUPERROOT, STARTING, NOTHING_RECORDED];
const LIVE: &str = "Timestamps of blocks, lag, status and names beside a reference are not proven.";
/// Request count for a blob, consistency or twig page request.
const LARGE_REQUESTS: u32 = 4;
const FROM: RouteParameter =
    RouteParameter::integer("from", "Sequence of the earlier SuperRoot").required();
const TO: RouteParameter =
    RouteParameter::integer("to", "Sequence of the later SuperRoot; the newest if left out");
const COSIGNED: RouteParameter = RouteParameter::text(
    "cosigned",
    "1: the newest note that the quorum of the log's witnesses signed too",
    "^[01]$",
);
const STRENGTH: RouteParameter =
    RouteParameter::text("strength", "history (if left out) or full", "^(history|full)$");

pub(crate) fn routes() -> Vec<ApiRoute> {
    let mut routes = Vec::from(tiles::routes());
    routes.extend(page_routes());
    routes.extend([blob_route(), twigs::route(), consistency_route(), checkpoint_route()]);
    routes
}

fn page_routes() -> Vec<ApiRoute> {
    vec![
        ApiRoute::open(1, paths::NEWEST_SUPERROOT, RouteGroup::G1).serves(
            RouteOperation::get(
                "superRoot",
                "The newest SuperRoot: 9 Mini-MMR roots and a block reference for each chain",
                newest,
            )
            .query(&[ROOT, SEQUENCE])
            .errors(ERRORS)
            .says(LIVE)
            .returns::<SuperRootPage>(),
        ),
        ApiRoute::open(2, paths::SUPERROOT, RouteGroup::G1).serves(
            RouteOperation::get(
                "superRootBySequence",
                "The SuperRoot of that sequence",
                of_sequence,
            )
            .errors(ERRORS)
            .says(LIVE)
            .returns::<SuperRootPage>(),
        ),
        ApiRoute::open(7, "/kv/super-root/latest", RouteGroup::G1).serves(
            RouteOperation::get("superRootKv", "The newest SuperRoot in snake_case", kv_latest)
                .errors(ERRORS)
                .says(LIVE)
                .returns::<SuperRootPage>(),
        ),
    ]
}

fn blob_route() -> ApiRoute {
    let operation = RouteOperation::get(
        "superRootBlob",
        "Every preimage behind a SuperRoot, the profiles, and the twigs sealed since the last",
        blob,
    );
    let operation = operation.errors(ERRORS).says(twigs::MANY).returns::<PublishedBlob>();
    ApiRoute::open(8, paths::SUPERROOT_BLOB, RouteGroup::G1).serves(operation).has_files()
}

fn consistency_route() -> ApiRoute {
    let operation =
        RouteOperation::get("consistency", "Proof that one SuperRoot extends another", consistency);
    let operation = operation
        .query(&[FROM, TO, STRENGTH])
        .errors(ERRORS)
        .says(
            "A client brings the hash of the earlier one itself: a pair that comes from one answer \
             proves nothing. With strength full, more than 4,096 appended twigs come in pages: GET \
             /v5/mini-mmr/{family}/twigs.",
        )
        .returns::<ConsistencyProof>();
    ApiRoute::open(3, paths::CONSISTENCY, RouteGroup::G1)
        .serves(operation)
        .counts_as(LARGE_REQUESTS)
}

fn checkpoint_route() -> ApiRoute {
    ApiRoute::open(4, paths::CHECKPOINT, RouteGroup::G1).serves(
        RouteOperation::get(
            "checkpoint",
            "The signed C2SP checkpoint of a SuperRoot, the newest if none is named",
            checkpoint,
        )
        .query(&[SEQUENCE, COSIGNED])
        .errors(ERRORS)
        .says(
            "Size n + 1 covers SuperRoots 0 to n. Where nobody signed that size, the three lines of \
             the note's text alone.",
        )
        .returns_text("text/plain"),
    )
}

async fn newest(State(service): State<Shared>, ask: RequestInput) -> Result<ApiAnswer, ApiError> {
    let fixed = ask.fixed()?;
    page(service, ask.seen(), fixed, Case::Camel).await
}

async fn of_sequence(
    State(service): State<Shared>,
    ask: RequestInput,
) -> Result<ApiAnswer, ApiError> {
    let sequence = ask.sequence("sequence")?;
    page(service, ask.seen(), Some(SuperRootRef::Sequence(sequence)), Case::Camel).await
}

async fn kv_latest(
    State(service): State<Shared>,
    ask: RequestInput,
) -> Result<ApiAnswer, ApiError> {
    page(service, ask.seen(), None, Case::Snake).await
}

async fn page(
    service: Shared,
    seen: Conditional,
    fixed: Option<SuperRootRef>,
    spelling: Case,
) -> Result<ApiAnswer, ApiError> {
    let which = fixed.unwrap_or(SuperRootRef::Latest);
    let address = seen.address().to_owned();
    let make = move |api: &Api| {
        let published = api.prover.published(which);
        let published = published.map_err(|error| api.refuse_unproven(error))?;
        let make = || Ok(case::text(&body(api, &published, fixed.is_none())?, Some(spelling)));
        ApiAnswer::made((&published, fixed.is_some()), &seen, make)
    };
    match fixed {
        None => service.page_of_second(&address, make).await,
        Some(_) => service.page_of_super_root(&address, make).await,
    }
}

/// SuperRoot page. Status and lag are live, and omitted from an immutable page.
pub(crate) fn body(
    api: &Api,
    published: &Published,
    is_live: bool,
) -> Result<SuperRootPage, ApiError> {
    let now = api.clock.now();
    let mut chains = Vec::new();
    let times =
        api.prover.reference_times(published).map_err(|error| api.refuse_unproven(error))?;
    let stages = is_live.then(|| api.stages(now));
    for (place, row) in api.registry.rows().iter().enumerate() {
        let chain = row.key();
        let mut references = published.references.iter().zip(&times);
        let (reference, timestamp) = references
            .find(|((_, it), _)| it.chain == chain)
            .map(|((_, it), at)| (it, *at))
            .unzip();
        let has_lag = is_live && api.prover.network() != Network::Recorded;
        let lag = |timestamp: UnixSeconds| now.0.saturating_sub(timestamp.0);
        let status = stages.as_ref().map_or("as_anchored", |stages| stages[place].name());
        let lag_seconds = timestamp.filter(|_| has_lag).map(lag);
        let name = row.name.clone();
        chains.push(ReferenceRow::new(chain, name, status, reference, timestamp, lag_seconds));
    }
    let Published { super_root, mini_mmrs, history, registry_root, .. } = published;
    let origin = api.prover.origin();
    let root = *registry_root;
    let signed = publication(api, published, is_live)?;
    let roots = api.prover.mini_mmr_roots(published);
    let roots = roots.map_err(|error| api.refuse_unproven(error))?;
    let mini_mmrs = (mini_mmrs, &roots);
    Ok(SuperRootPage::new(origin, super_root, mini_mmrs, chains, history, root, signed))
}

/// Log signers of the SuperRoot. Keys may change, and are omitted from an immutable page.
fn publication(api: &Api, published: &Published, is_live: bool) -> Result<Publication, ApiError> {
    let note = api.prover.own_note(published);
    let note = note.map_err(|error| api.refuse_unproven(error))?;
    let keys = api.prover.keys().iter().filter(|_| is_live).map(ToString::to_string).collect();
    let (note, siblings) = note.map(|path| (path.note, path.siblings)).unzip();
    let sequence = published.super_root.sequence;
    let evm = load_evm_signature(api.prover.store(), sequence).map_err(ApiError::of_store)?;
    let evm_signature = evm.map(|EvmSignature { signer, r, vs }| EvmSignatureRow { signer, r, vs });
    Ok(Publication { note, siblings: siblings.unwrap_or_default(), keys, evm_signature })
}

/// `GET /kv/blob/{superroot_hash}`: addressed by hash, so immutable.
async fn blob(State(service): State<Shared>, ask: RequestInput) -> Result<ApiAnswer, ApiError> {
    let which = SuperRootRef::Hash(ask.hash("superroot_hash")?);
    let seen = ask.seen();
    let address = seen.address().to_owned();
    service
        .large_page_of_super_root(&address, move |api| {
            let refuse = |error| api.refuse_unproven(error);
            let published = api.prover.published(which).map_err(refuse)?;
            ApiAnswer::made((&published, true), &seen, || {
                let (answer, publication) = load_blob(api, &published)?;
                let body = PublishedBlob { blob: (&answer).into(), publication };
                Ok(case::text(&body, Some(Case::Snake)))
            })
        })
        .await
}

/// SuperRoot blob, verified as a client would, with its signers.
pub(crate) fn load_blob(
    api: &Api,
    published: &Published,
) -> Result<(BlobAnswer, Publication), ApiError> {
    let refuse = |error| api.refuse_unproven(error);
    let now = published.super_root.sequence;
    let blob = api.prover.blob(SuperRootRef::Sequence(now)).map_err(refuse)?;
    held("blob", blob.check())?;
    let appended = api.prover.appended(now.previous(), now, TWIGS_MAX as u64);
    let (appended_count, appended) = appended.map_err(refuse)?;
    let publication = publication(api, published, false)?;
    Ok((BlobAnswer { blob, appended_count, appended }, publication))
}

async fn consistency(
    State(service): State<Shared>,
    ask: RequestInput,
) -> Result<ApiAnswer, ApiError> {
    let from = ask.query("from")?;
    let from = from.ok_or_else(|| ApiError::missing("from", "a sequence below 2^53"))?;
    let from = parse_sequence("from", from)?;
    let named_to = ask.query("to")?.map(|to| parse_sequence("to", to)).transpose()?;
    let strength = parse_strength(ask.query("strength")?)?;
    let newest = service.latest()?.super_root.sequence;
    let to = named_to.unwrap_or(newest);
    let seen = ask.seen();
    let address = seen.address().to_owned();
    service
        .large_page_of_super_root(&address, move |api| {
            let later = later_of(api, (from, to))?;
            let make = || {
                let answer = prove_extension(api, from, &later, strength)?;
                Ok(case::text(&ConsistencyProof::from(&answer), Some(Case::Camel)))
            };
            ApiAnswer::made((&later, named_to.is_some()), &seen, make)
        })
        .await
}

/// Defaults to `history`.
pub(crate) fn parse_strength(text: Option<&str>) -> Result<Strength, ApiError> {
    match text {
        None | Some("history") => Ok(Strength::History),
        Some("full") => Ok(Strength::Full),
        Some(other) => Err(ApiError::parameter("strength", other, "history or full")),
    }
}

/// Later of two existing SuperRoots.
pub(crate) fn later_of(
    api: &Api,
    (from, to): (Sequence, Sequence),
) -> Result<Arc<Published>, ApiError> {
    let refuse = |error| api.refuse_unproven(error);
    let later = api.prover.published(SuperRootRef::Sequence(to)).map_err(refuse)?;
    // an unknown one is 404, whatever it is compared with
    api.prover.published(SuperRootRef::Sequence(from)).map_err(refuse)?;
    if from >= to {
        return Err(refuse(ProveError::Order { from: from.0, to: to.0 }));
    }
    Ok(later)
}

/// Proof that the later SuperRoot extends the earlier one, verified as a client would.
pub(crate) fn prove_extension(
    api: &Api,
    from: Sequence,
    later: &Published,
    strength: Strength,
) -> Result<ConsistencyAnswer, ApiError> {
    let answer = extension(api, (from, later.super_root.sequence), strength);
    let answer = answer.map_err(|error| api.refuse_unproven(error))?;
    let due = answer.begin(&answer.proof.from().hash(), &later.hash);
    held("consistency", due.map(|_| ()))?;
    Ok(answer)
}

/// Extension proof between two SuperRoots, with its twigs if they are few.
fn extension(
    api: &Api,
    (from, to): (Sequence, Sequence),
    strength: Strength,
) -> Result<ConsistencyAnswer, ProveError> {
    match strength {
        Strength::Full => {
            let proof = Consistency::Full(Box::new(api.prover.full_consistency(from, to)?));
            let (_, appended) = api.prover.appended(Some(from), to, TWIGS_MAX as u64)?;
            Ok(ConsistencyAnswer { proof, appended })
        }
        Strength::Upgrade | Strength::History => {
            let proof = api.prover.history_consistency(from, to)?;
            Ok(Consistency::History(Box::new(proof)).into())
        }
    }
}

fn held<E: std::fmt::Display>(what: &str, checked: Result<(), E>) -> Result<(), ApiError> {
    checked.map_err(|error| {
        tracing::error!(%error, "generated {what} failed verification");
        ApiError::internal()
    })
}

async fn checkpoint(
    State(service): State<Shared>,
    ask: RequestInput,
) -> Result<Response, ApiError> {
    service.latest()?;
    let named = ask.query("sequence")?;
    let fixed = named.map(|text| parse_sequence("sequence", text)).transpose()?;
    let cosigned = ask.is_set("cosigned")?;
    if let (Some(text), true) = (named, cosigned) {
        return Err(ApiError::parameter("sequence", text, "either sequence or cosigned"));
    }
    let text = match (cosigned, fixed) {
        (false, fixed) => match newest_note(&service.api, fixed) {
            Some(text) => text,
            None => service.blocking(move |api| checkpoint_text(api, fixed)).await?,
        },
        (true, _) => service.blocking(cosigned_text).await?,
    };
    let headers =
        [(header::CONTENT_TYPE, "text/plain; charset=utf-8"), (header::CACHE_CONTROL, "no-cache")];
    Ok((headers, text).into_response())
}

/// Newest SuperRoot's note, if requested: one recent row, usually in memory, so no blocking thread is needed.
fn newest_note(api: &Api, fixed: Option<Sequence>) -> Option<String> {
    let latest = api.prover.latest().filter(|_| fixed.is_none())?;
    let size = latest.log_size().ok()?;
    api.prover.note(size).ok()?.map(|note| note.to_string())
}

/// Newest note with a quorum.
pub(crate) fn cosigned_text(api: &Api) -> Result<String, ApiError> {
    let note = api.prover.cosigned_note().map_err(|error| api.refuse_unproven(error))?;
    note.map(|(_, note)| note.to_string()).ok_or_else(|| {
        let why =
            "no SuperRoot has the quorum of witnesses: none are configured, or none signed yet";
        ApiError::new(UNKNOWN_SUPERROOT, why)
    })
}

/// SuperRoot's note, or its unsigned text without a note.
pub(crate) fn checkpoint_text(api: &Api, sequence: Option<Sequence>) -> Result<String, ApiError> {
    let which = sequence.map_or(SuperRootRef::Latest, SuperRootRef::Sequence);
    let refuse = |error| api.refuse_unproven(error);
    let published = api.prover.published(which).map_err(refuse)?;
    let size = published.log_size().map_err(|error| refuse(error.into()))?;
    if let Some(note) = api.prover.note(size).map_err(refuse)? {
        return Ok(note.to_string());
    }
    let origin = api.prover.origin().to_owned();
    let root = api.prover.history_root(size);
    Ok(Checkpoint { origin, size, root: root.map_err(refuse)? }.to_string())
}
