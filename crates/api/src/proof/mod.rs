//! Proofs for blocks, transactions, events and absences, in every shape.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::handler::Handler;
use futures_util::future::BoxFuture;
use superroot_types::BlockRef;
use superroot_wire::proof::ProofTarget;
use superroot_wire::proof::body::{
    AbsenceProof, Batch, BatchRequest, BlobProof, BlockProof, EventProof, LambdaBundle,
    TransactionProof,
};
use superroot_wire::{Shape, paths};
use tokio::time::Instant;

use self::batch::prove_batch;
use self::options::{contract_file, finality_asked};
use self::question::{ProofQuestion, find_cached};
use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::error::codes::{
    CHAIN_UNAVAILABLE, ErrorCode, NOT_FINAL, NOT_FOUND, NOT_INDEXED, NOT_PROVABLE,
    NOT_YET_ANCHORED, NOTHING_RECORDED, STARTING, UNKNOWN_CHAIN, UNKNOWN_SUPERROOT, WITHDRAWN,
};
use crate::input::RequestInput;
use crate::response_cache::{CacheSlot, Validity};
use crate::route::parameters::{EVIDENCE, FINALITY, LEVEL, NOTE, ROOT, SEQUENCE, SET, WAIT};
use crate::route::{ApiRoute, RouteGroup, RouteOperation, RouteParameter};
use crate::service::{Api, Shared, WorkPace};

mod batch;
mod ccip;
mod consensus;
mod options;
pub(crate) mod question;
mod verified;

pub(crate) use batch::{block_target, items_max, prove_all};
pub(crate) use consensus::FinalityDemand;

/// Poll interval while waiting for a proof.
const LOOK_INTERVAL: Duration = Duration::from_millis(200);
/// Errors common to all proofs.
pub(crate) const PROOF_ERRORS: &[ErrorCode] = &[
    UNKNOWN_CHAIN,
    NOT_PROVABLE,
    NOT_FOUND,
    NOT_INDEXED,
    UNKNOWN_SUPERROOT,
    NOT_YET_ANCHORED,
    NOT_FINAL,
    WITHDRAWN,
    CHAIN_UNAVAILABLE,
    STARTING,
    NOTHING_RECORDED,
];
pub(crate) const FIXED: &[RouteParameter] = &[ROOT, SEQUENCE, NOTE, WAIT];
const WITH_EVIDENCE: &[RouteParameter] = &[ROOT, SEQUENCE, NOTE, WAIT, EVIDENCE, SET, FINALITY];
const FIXED_AND_LEVEL: &[RouteParameter] = &[ROOT, SEQUENCE, NOTE, LEVEL, WAIT];
const WITH_LEVEL_AND_EVIDENCE: &[RouteParameter] =
    &[ROOT, SEQUENCE, NOTE, LEVEL, WAIT, EVIDENCE, SET, FINALITY];
const FORM: RouteParameter =
    RouteParameter::text("form", "for contracts: calldata, or entry alone", "^(calldata|entry)$");
const FILES: &[RouteParameter] =
    &[ROOT, SEQUENCE, NOTE, LEVEL, WAIT, FORM, EVIDENCE, SET, FINALITY];
const OCCURRENCE: &[RouteParameter] = &[
    ROOT,
    SEQUENCE,
    NOTE,
    LEVEL,
    WAIT,
    FORM,
    EVIDENCE,
    SET,
    FINALITY,
    RouteParameter::integer("block", "Block, where the bytes stand in several"),
    RouteParameter::integer("tx_index", "Its position, where its bytes stand in one block twice"),
];
const UNDER_A_ROOT: &str = "Immutable under ?root=.";
const OF_TRANSACTIONS: &str = "Indexed transactions only. JSON-RPC objects of proven \
    bytes; above 65,536 bytes the siblings alone have them. Of several places the lowest, or ?block= and ?tx_index=.";
const OF_EVENTS: &str = "Indexed events only. log_index counts in the receipt, not in the block.";
const OF_FINALITY: &str = "Evidence of finality is beside the proof, not part of it.";

pub(crate) fn routes() -> Vec<ApiRoute> {
    let mut routes = block_routes();
    routes.extend(finality_routes());
    routes.extend(entry_routes());
    routes.push(batch_route());
    routes.push(ccip::route());
    routes
}

/// Proof operation, with level and SuperRoot in the query.
fn proves<T: 'static>(
    id: &'static str,
    about: &'static str,
    handler: impl Handler<T, Shared>,
) -> RouteOperation {
    let operation = RouteOperation::get(id, about, handler).query(FIXED_AND_LEVEL);
    operation.errors(PROOF_ERRORS).says(UNDER_A_ROOT)
}

/// Proof operation with the `.srproof` file as alternative.
fn proves_or_file<T: 'static>(
    id: &'static str,
    about: &'static str,
    handler: impl Handler<T, Shared>,
) -> RouteOperation {
    proves(id, about, handler).query(FILES).or_file()
}

fn block_routes() -> Vec<ApiRoute> {
    vec![
        ApiRoute::open(5, paths::BLOCK_PROOF, RouteGroup::G1).serves(
            proves_or_file(
                "proveBlock",
                "Proof that a block stands in a SuperRoot",
                block("chain", "block", Shape::V5, false),
            )
            .returns::<BlockProof>(),
        ),
        ApiRoute::open(6, "/kv/proof/{chain_id}/{block_number}", RouteGroup::G1).serves(
            proves(
                "proveBlockKv",
                "The same proof in snake_case, levels 2 to 5",
                block("chain_id", "block_number", Shape::KvBlock, false),
            )
            .returns::<BlockProof>()
            .query(FIXED),
        ),
        ApiRoute::open(10, "/api/v5/proof/blob/{chain_id}/{block}", RouteGroup::G1).serves(
            proves(
                "proveBlockBlob",
                "The portable proof of a block: the bytes of a .srproof file, and its layers",
                block("chain_id", "block", Shape::Blob, false),
            )
            .returns::<BlobProof>()
            .query(WITH_EVIDENCE)
            .says(
                "l1 to l6 are names of layers, not proof levels. l6_finality_commitment is not \
                 proven.",
            ),
        ),
        ApiRoute::open(11, "/api/lambda/proof-bundle/block/{chain_id}/{block}", RouteGroup::G1)
            .weighs(1)
            .serves(
                proves(
                    "proveBlockLambda",
                    "Header, roots and path of a block in one object",
                    block("chain_id", "block", Shape::LambdaBlock, false),
                )
                .returns::<LambdaBundle>()
                .query(FIXED),
            ),
    ]
}

fn finality_routes() -> [ApiRoute; 2] {
    let finality = || block("chain_id", "block", Shape::KvBlock, true);
    [
        ApiRoute::open(14, paths::FINALITY_PROOF, RouteGroup::G2).serves(
            proves(
                "finalityProof",
                "Proof of a block up to level 5, with the evidence of its finality",
                finality(),
            )
            .returns::<BlockProof>()
            .query(WITH_EVIDENCE)
            .says(OF_FINALITY),
        ),
        ApiRoute::open(15, "/api/finality/{chain_id}/proof/{block}", RouteGroup::G2).serves(
            proves("finalityProofApi", "The same under /api", finality())
                .returns::<BlockProof>()
                .query(WITH_EVIDENCE),
        ),
    ]
}

fn entry_routes() -> Vec<ApiRoute> {
    vec![
        ApiRoute::open(16, paths::TRANSACTION_PROOF, RouteGroup::G3).serves(
            proves_or_file(
                "proveTransaction",
                "Transaction and receipt with trie proofs, up to a SuperRoot",
                transaction("chain_id", "tx_hash"),
            )
            .returns::<TransactionProof>()
            .query(OCCURRENCE)
            .says(OF_TRANSACTIONS),
        ),
        ApiRoute::open(17, "/v5/tx/{chain}/{hash}", RouteGroup::G3).serves(
            proves_or_file(
                "proveTransactionShort",
                "The same under a shorter path",
                transaction("chain", "hash"),
            )
            .returns::<TransactionProof>()
            .query(OCCURRENCE),
        ),
        ApiRoute::open(18, paths::EVENT_PROOF, RouteGroup::G3).serves(
            proves_or_file(
                "proveEvent",
                "Event with receipt proof and bloom path, up to a SuperRoot",
                event,
            )
            .returns::<EventProof>()
            .says(OF_EVENTS),
        ),
        ApiRoute::open(19, paths::EVENT_PROOF_BY_HASH, RouteGroup::G3).serves(
            proves_or_file(
                "proveEventShort",
                "The same by transaction hash, with the transaction",
                short_event,
            )
            .returns::<EventProof>()
            .query(OCCURRENCE),
        ),
        ApiRoute::open(20, paths::ABSENCE_PROOF, RouteGroup::G3).serves(
            proves_or_file(
                "proveAbsence",
                "Proof that a block has no transaction at a position",
                absence,
            )
            .query(WITH_LEVEL_AND_EVIDENCE)
            .returns::<AbsenceProof>(),
        ),
    ]
}

fn batch_route() -> ApiRoute {
    ApiRoute::open(21, "/v5/proof/batch", RouteGroup::G3).serves(
        RouteOperation::post(
            "proveBatch",
            "Many proofs under one SuperRoot, shared nodes once; all or none",
            prove_batch,
        )
        .says("Proofs refer to nodes by index.")
        .errors(PROOF_ERRORS)
        .reads::<BatchRequest>()
        .returns::<Batch>(),
    )
}

/// Reads the common parameters, generates the proof and writes it.
async fn prove(
    service: Shared,
    ask: RequestInput,
    chain: &'static str,
    target: ProofTarget,
    shape: Shape,
    is_about_finality: bool,
) -> Result<ApiAnswer, ApiError> {
    let occurrence = ask.occurrence()?;
    let contract_file = contract_file(&ask)?;
    let is_file = contract_file.is_some() || shape == Shape::V5 && ask.wants_file();
    let seen = ask.seen();
    let address = seen.address().to_owned();
    if let Some(known) = find_cached(&service, &address).filter(|_| !is_file) {
        return Ok(known);
    }
    let fixed = ask.fixed()?;
    // the other shapes are of fixed levels
    let level = if shape == Shape::V5 { ask.level()? } else { None };
    let chain = ask.chain(&service.api, chain)?.key();
    let has_note = ask.is_set("note")?;
    let question = ProofQuestion {
        occurrence,
        fixed,
        level,
        has_note,
        is_about_finality,
        finality: finality_asked(&ask)?,
        ..ProofQuestion::new(chain, target)
    };
    let cache = Arc::clone(&service.cache);
    let answer = move |api: &Api| {
        let found = question.find(api)?;
        if let Some(head) = found.head(&seen, is_file) {
            return Ok((head, None));
        }
        let proof = question.check(api, found)?;
        let block = proof.is_settled().then(|| proof.block()).flatten().filter(|_| !is_file);
        let answer = match contract_file {
            Some(file) => proof.into_contract_file(file)?,
            None if is_file => proof.into_file(),
            None => proof.into_answer(api, shape, &cache)?,
        };
        Ok((answer.tagged(&seen), block))
    };
    let by_hash = question.is_by_hash();
    let pace = question.pace(&service.paces);
    let answered = wait_for(&service, pace, by_hash, ask.wait_seconds()?, answer).await;
    let (mut answer, block) = answered?;
    // what is asked for as the newest, or with the newest note, is another one in a moment
    let of_now = has_note || is_about_finality || question.finality.evidence.is_some();
    let is_newest = target.block() == Some(BlockRef::Latest) || of_now;
    if let Some((chain, number, hash)) = block.filter(|_| !is_newest) {
        let cache = Arc::clone(&service.cache);
        let validity = Validity::Block(chain, number, hash);
        answer.slot = Some(CacheSlot { cache, address, validity });
    }
    Ok(answer)
}

/// Generates an answer; retries for the given seconds while the subject may still arrive.
pub(crate) async fn wait_for<T: Send + 'static>(
    service: &Shared,
    pace: &Arc<WorkPace>,
    by_hash: bool,
    seconds: u64,
    answer: impl Fn(&Api) -> Result<T, ApiError> + Clone + Send + 'static,
) -> Result<T, ApiError> {
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut moves = service.api.hub.moves();
    loop {
        match service.briefly(pace, answer.clone()).await {
            Err(error) if may_come(&error, by_hash) && Instant::now() < until => {
                let moved = tokio::time::timeout_at(until, moves.next());
                // what was published is shown a moment later, and one look for many moves is enough
                let _ = tokio::join!(moved, tokio::time::sleep(LOOK_INTERVAL));
            }
            answer => return answer,
        }
    }
}

/// Whether waiting may help. An unknown transaction hash may be seconds old, so a request by hash waits; an index past
/// a transaction's last event is final.
fn may_come(error: &ApiError, by_hash: bool) -> bool {
    [NOT_YET_ANCHORED, NOT_FINAL].contains(&error.code)
        || (error.code == NOT_FOUND && error.parameter.is_none())
        || (by_hash && error.code == NOT_INDEXED)
}

type Proving = BoxFuture<'static, Result<ApiAnswer, ApiError>>;

fn block(
    chain: &'static str,
    block: &'static str,
    shape: Shape,
    is_about_finality: bool,
) -> impl Fn(State<Shared>, RequestInput) -> Proving + Clone + Send + Sync + 'static {
    move |State(service), ask| {
        Box::pin(async move {
            let target = ProofTarget::Block(ask.block(block)?);
            prove(service, ask, chain, target, shape, is_about_finality).await
        })
    }
}

fn transaction(
    chain: &'static str,
    hash: &'static str,
) -> impl Fn(State<Shared>, RequestInput) -> Proving + Clone + Send + Sync + 'static {
    move |State(service), ask| {
        Box::pin(async move {
            let tx_hash = ask.transaction_hash(&service.api, chain, hash)?;
            let target = ProofTarget::Transaction { tx_hash };
            prove(service, ask, chain, target, Shape::V5, false).await
        })
    }
}

async fn event(State(service): State<Shared>, ask: RequestInput) -> Result<ApiAnswer, ApiError> {
    let block = ask.block("block_number")?;
    let tx_index = ask.index("tx_index")?;
    let log_index = ask.index("log_index")?;
    let target = ProofTarget::Event { block, tx_index, log_index };
    prove(service, ask, "chain_id", target, Shape::V5, false).await
}

async fn short_event(
    State(service): State<Shared>,
    ask: RequestInput,
) -> Result<ApiAnswer, ApiError> {
    let tx_hash = ask.transaction_hash(&service.api, "chain", "tx")?;
    let target = ProofTarget::EventByHash { tx_hash, log_index: ask.index("log_index")? };
    prove(service, ask, "chain", target, Shape::V5, false).await
}

async fn absence(State(service): State<Shared>, ask: RequestInput) -> Result<ApiAnswer, ApiError> {
    let target =
        ProofTarget::Absence { block: ask.block("block")?, tx_index: ask.index("tx_index")? };
    prove(service, ask, "chain_id", target, Shape::V5, false).await
}
