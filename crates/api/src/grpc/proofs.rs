//! Proofs and verification.

use serde_json::{Map, Value, json};
use superroot_accumulate::prove::Occurrence;
use superroot_types::ChainKey;
use superroot_wire::grpc::{
    BatchItem, Expected, FinalityDemand as GrpcDemand, Proof, ProveAbsenceRequest,
    ProveBatchRequest, ProveBatchResponse, ProveBlockRequest, ProveEventRequest,
    ProveSignalRequest, ProveTransactionRequest, SignalProofs, VerifyProofRequest,
    VerifyProofResponse,
};
use superroot_wire::proof::ProofTarget;
use tonic::Response;

use super::answer::{Answered, about, anchored, live};
use super::asked::GrpcCaller;
use super::read;
use crate::ApiError;
use crate::finality::light_client::EXPECTED as SET_EXPECTED;
use crate::input::Caller;
use crate::market::launches;
use crate::proof::question::{self, ProofQuestion};
use crate::proof::{FinalityDemand, block_target, items_max, prove_all, wait_for};
use crate::service::{Api, Shared};
use crate::verify::check_file;

pub(super) struct Options<'a> {
    pub(super) root: Option<&'a [u8]>,
    pub(super) sequence: Option<u64>,
    pub(super) note: bool,
    pub(super) level: Option<u32>,
    pub(super) wait_seconds: u32,
    pub(super) finality: Option<&'a GrpcDemand>,
}

/// Options from a message that has all fields.
macro_rules! options {
    ($message:ident) => {
        Options {
            root: $message.root.as_deref(),
            sequence: $message.sequence,
            note: $message.note,
            level: $message.level,
            wait_seconds: $message.wait_seconds,
            finality: $message.finality.as_ref(),
        }
    };
}

pub(super) async fn prove_block(
    service: Shared,
    asked: GrpcCaller,
    message: ProveBlockRequest,
) -> Answered<Proof> {
    asked.wait(message.wait_seconds)?;
    let chain = read::chain(&service.api, &message.chain)?.key();
    let target = ProofTarget::Block(read::block(message.block)?);
    let question = ProofQuestion::new(chain, target);
    prove(&service, &asked.caller, question, &options!(message)).await
}

pub(super) async fn prove_transaction(
    service: Shared,
    asked: GrpcCaller,
    message: ProveTransactionRequest,
) -> Answered<Proof> {
    asked.wait(message.wait_seconds)?;
    let chain = read::chain(&service.api, &message.chain)?.key();
    let target = ProofTarget::Transaction { tx_hash: read::hash("tx_hash", &message.tx_hash)? };
    let block = read::block_number("block", message.block)?;
    let occurrence = Occurrence { block, tx_index: message.tx_index };
    let question = ProofQuestion { occurrence, ..ProofQuestion::new(chain, target) };
    prove(&service, &asked.caller, question, &options!(message)).await
}

pub(super) async fn prove_event(
    service: Shared,
    asked: GrpcCaller,
    message: ProveEventRequest,
) -> Answered<Proof> {
    asked.wait(message.wait_seconds)?;
    let chain = read::chain(&service.api, &message.chain)?.key();
    let item = BatchItem {
        chain: String::new(),
        block: message.block,
        tx_hash: message.tx_hash.clone(),
        tx_index: message.tx_index,
        log_index: Some(message.log_index),
        absent: false,
        finality: None,
    };
    prove(&service, &asked.caller, question(chain, &item)?, &options!(message)).await
}

pub(super) async fn prove_absence(
    service: Shared,
    asked: GrpcCaller,
    message: ProveAbsenceRequest,
) -> Answered<Proof> {
    asked.wait(message.wait_seconds)?;
    let chain = read::chain(&service.api, &message.chain)?.key();
    let block = read::block(message.block)?;
    let target = ProofTarget::Absence { block, tx_index: message.tx_index };
    let question = ProofQuestion::new(chain, target);
    prove(&service, &asked.caller, question, &options!(message)).await
}

pub(super) async fn prove_batch(
    service: Shared,
    asked: GrpcCaller,
    message: ProveBatchRequest,
) -> Answered<ProveBatchResponse> {
    let questions = read_batch(&service.api, &asked.caller, &message)?;
    asked.caller.count_items(service.api.accounts.limiter(), questions.len())?;
    let prove = move |api: &Api, wanted: &crate::service::CancelFlag| {
        let (published, proofs) = prove_all(api, &questions, wanted)?;
        let items = proofs.iter().map(|proof| describe(api, proof)).collect::<Result<_, _>>()?;
        Ok(ProveBatchResponse { items, v5_anchor: anchored(api, &published, None) })
    };
    Ok(Response::new(service.blocking_while_wanted(prove).await?))
}

pub(super) async fn prove_signal(
    service: Shared,
    asked: GrpcCaller,
    message: ProveSignalRequest,
) -> Answered<SignalProofs> {
    let hash = read::hash("proof_hash", &message.proof_hash)?;
    let note = message.note;
    let prove = move |api: &Api| {
        let (body, published, chain) =
            launches::prove_signal(api, &asked.caller, hash, (None, note))?;
        let v5_anchor = anchored(api, &published, Some(chain));
        Ok((chain, SignalProofs { v5_anchor, ..body.into() }))
    };
    let (chain, answer) = service.blocking(prove).await?;
    Ok(about(chain, answer))
}

pub(super) async fn verify_proof(
    service: Shared,
    asked: GrpcCaller,
    message: VerifyProofRequest,
) -> Answered<VerifyProofResponse> {
    let expected = message.expected.as_ref().map(expectations).transpose()?;
    let check = move |api: &Api| {
        let answer = check_file(api, &asked.caller, &message.proof_blob, expected.as_ref())?;
        Ok(VerifyProofResponse { v5_anchor: live(api, None), ..answer.into() })
    };
    Ok(Response::new(service.blocking(check).await?))
}

pub(super) async fn prove(
    service: &Shared,
    caller: &Caller,
    question: ProofQuestion,
    options: &Options<'_>,
) -> Answered<Proof> {
    let chain = question.query.chain;
    caller.check_chain(chain)?;
    let fixed = read::fixed(options.root, options.sequence)?;
    let level = read::level(options.level)?;
    let has_note = options.note;
    let finality = finality_demand(options.finality)?;
    let question = ProofQuestion { fixed, level, has_note, finality, ..question };
    let answer = move |api: &Api| describe(api, &question.answer(api)?);
    let by_hash = question.is_by_hash();
    let pace = question.pace(&service.paces);
    let proof = wait_for(service, pace, by_hash, options.wait_seconds.into(), answer).await?;
    Ok(about(chain, proof))
}

/// Message for a proof, with unproven context data.
fn describe(api: &Api, proof: &question::Proof) -> Result<Proof, ApiError> {
    let beside = proof.beside(api)?;
    let mut message = Proof::new(&proof.bundle, &proof.facts);
    message.proof_blob = proof.file().encode();
    if let Some(event) = &mut message.event {
        event.log_index_in_block = proof.beside_event(api)?.log_index_in_block;
    }
    let chain = proof.facts.statement.chain;
    Ok(Proof {
        anchor_status: beside.anchor_status.to_owned(),
        finality: beside.finality.map(Into::into),
        retraction: beside.retraction.map(Into::into),
        v5_anchor: anchored(api, &proof.published, Some(chain)),
        ..message
    })
}

fn read_batch(
    api: &Api,
    caller: &Caller,
    message: &ProveBatchRequest,
) -> Result<Vec<ProofQuestion>, ApiError> {
    let fixed = read::fixed(message.root.as_deref(), message.sequence)?;
    let max = items_max(api);
    if !(1..=max).contains(&message.items.len()) {
        let got = format!("a list of {}", message.items.len());
        return Err(ApiError::invalid("items", got, format!("a list of 1 to {max} items")));
    }
    let read_item = |item: &BatchItem| {
        let chain = read::chain(api, &item.chain)?.key();
        caller.check_chain(chain)?;
        let finality = finality_demand(item.finality.as_ref())?;
        Ok(ProofQuestion { fixed, has_note: message.note, finality, ..question(chain, item)? })
    };
    let questions = message.items.iter().enumerate();
    let questions = questions
        .map(|(position, item)| read_item(item).map_err(|error: ApiError| error.at_item(position)));
    questions.collect()
}

fn finality_demand(asked: Option<&GrpcDemand>) -> Result<FinalityDemand, ApiError> {
    let Some(GrpcDemand { evidence, set, least }) = asked else {
        return Ok(FinalityDemand::default());
    };
    let set = read::bounded("finality.set", *set, SET_EXPECTED)?;
    FinalityDemand::new(("finality.least", least.as_deref()), *evidence, set)
}

/// Question of an item, as in REST: a block by number, or a transaction by hash.
fn question(chain: ChainKey, item: &BatchItem) -> Result<ProofQuestion, ApiError> {
    let Some(tx_hash) = &item.tx_hash else {
        let block = read::block(item.block)?;
        let target = block_target(block, item.tx_index, item.log_index, item.absent)?;
        return Ok(ProofQuestion::new(chain, target));
    };
    if item.absent {
        return Err(ApiError::parameter("absent", "given", "either tx_hash or absent"));
    }
    let tx_hash = read::hash("tx_hash", tx_hash)?;
    let block = read::block_number("block", item.block)?;
    let occurrence = Occurrence { block, tx_index: item.tx_index };
    let target = match item.log_index {
        Some(log_index) => ProofTarget::EventByHash { tx_hash, log_index },
        None => ProofTarget::Transaction { tx_hash },
    };
    Ok(ProofQuestion { occurrence, ..ProofQuestion::new(chain, target) })
}

/// Expected proof content, as a REST body.
fn expectations(expected: &Expected) -> Result<Value, ApiError> {
    let mut members = Map::new();
    let mut put = |name: &str, value: Option<Value>| {
        members.extend(value.map(|value| (name.to_owned(), value)));
    };
    let hash = |name: &str, bytes: &[u8]| read::hash(name, bytes).map(|hash| json!(hash));
    let root = expected.super_root_hash.as_deref();
    put("super_root_hash", root.map(|root| hash("expected.super_root_hash", root)).transpose()?);
    put("chain", expected.chain.as_ref().map(|chain| json!(chain)));
    put("block", expected.block.map(|number| json!(number)));
    put("tx_index", expected.tx_index.map(|index| json!(index)));
    put("log_index", expected.log_index.map(|index| json!(index)));
    let address = expected.address.as_deref().map(const_hex::encode_prefixed);
    put("address", address.map(|address| json!(address)));
    let topics = expected.topics.as_ref().map(|list| {
        let topics = list.topics.iter().map(|topic| hash("expected.topics", topic));
        topics.collect::<Result<Value, _>>()
    });
    put("topics", topics.transpose()?);
    Ok(Value::Object(members))
}
