//! Batches: many proofs under one SuperRoot.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use serde_json::{Map, Value};
use superroot_accumulate::Published;
use superroot_accumulate::prove::Occurrence;
use superroot_chain::ChainSpec;
use superroot_types::{BlockRef, SAFE_INTEGER_MAX, SuperRootRef};
use superroot_wire::proof::ProofTarget;
use superroot_wire::{BODY_BYTES_MAX, join_batch};

use super::consensus::FinalityDemand;
use super::question::{Proof, ProofQuestion};
use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::finality::light_client::EXPECTED;
use crate::input::{
    BLOCK, Caller, describe, find_chain, only_members, parse_block, parse_fixed, parse_integer,
    parse_number, parse_transaction_hash, read_json, text_of,
};
use crate::service::{Api, CancelFlag, Shared};

/// `POST /v5/proof/batch`: all under one SuperRoot, all or none.
pub(super) async fn prove_batch(
    State(service): State<Shared>,
    caller: Caller,
    headers: HeaderMap,
    body: Body,
) -> Result<ApiAnswer, ApiError> {
    let body = read_json(&service, &headers, body).await?;
    let questions = read_batch(&service.api, &body)?;
    for (position, question) in questions.iter().enumerate() {
        caller.check_chain(question.query.chain).map_err(|error| error.at_item(position))?;
    }
    caller.count_items(service.api.accounts.limiter(), questions.len())?;
    let cache = Arc::clone(&service.cache);
    service
        .blocking_while_wanted(move |api, wanted| {
            let published = super_root_of(api, &questions)?;
            let mut items = Vec::with_capacity(questions.len());
            let mut byte_count = 0;
            for (position, question) in questions.iter().enumerate() {
                wanted.check()?;
                let item = question.item(api, &published, &cache);
                let item = item.map_err(|error| error.at_item(position))?;
                byte_count += item.len();
                check_batch_bytes(byte_count).map_err(|error| error.at_item(position))?;
                items.push(item);
            }
            Ok(ApiAnswer::of_text(join_batch(&items)).under(published, false))
        })
        .await
}

/// Refuses a batch too large for verifiers once its items are written out.
fn check_batch_bytes(byte_count: usize) -> Result<(), ApiError> {
    if byte_count <= BODY_BYTES_MAX {
        return Ok(());
    }
    let expected = format!("at most {BODY_BYTES_MAX}: ask for fewer items, or for a file of each");
    Err(ApiError::invalid("items", format!("{byte_count} bytes of proofs up to here"), expected))
}

/// Answers all questions under one SuperRoot, the named one or the newest. An error names the first failed item.
pub(crate) fn prove_all(
    api: &Api,
    questions: &[ProofQuestion],
    wanted: &CancelFlag,
) -> Result<(Arc<Published>, Vec<Proof>), ApiError> {
    let published = super_root_of(api, questions)?;
    let mut proofs = Vec::with_capacity(questions.len());
    for (position, question) in questions.iter().enumerate() {
        wanted.check()?;
        let proof = question.answer_under(api, Arc::clone(&published));
        proofs.push(proof.map_err(|error| error.at_item(position))?);
    }
    Ok((published, proofs))
}

/// Common SuperRoot for all questions: the named one, or the newest.
fn super_root_of(api: &Api, questions: &[ProofQuestion]) -> Result<Arc<Published>, ApiError> {
    let refuse = |error| api.refuse_unproven(error);
    let has_note = questions.iter().any(|question| question.has_note);
    let which = match questions.iter().find_map(|question| question.fixed) {
        Some(fixed) => fixed,
        None if has_note => api.prover.noted().map_err(refuse)?,
        None => SuperRootRef::Latest,
    };
    api.prover.published(which).map_err(refuse)
}

fn read_batch(api: &Api, body: &Value) -> Result<Vec<ProofQuestion>, ApiError> {
    only_members(
        body.as_object().unwrap_or(&Map::new()),
        "",
        &["items", "root", "sequence", "note"],
    )?;
    let has_note = read_flag(body.get("note"), "note")?;
    let text = |name| body.get(name).map(text_of);
    let fixed = parse_fixed(text("root").as_deref(), text("sequence").as_deref())?;
    let max = items_max(api);
    let expected = format!("a list of 1 to {max} items");
    let items = body.get("items").ok_or_else(|| ApiError::missing("items", expected.as_str()))?;
    let list = items.as_array().filter(|items| (1..=max).contains(&items.len()));
    let list = list.ok_or_else(|| ApiError::parameter("items", &describe(items), expected))?;
    let questions = list.iter().enumerate().map(|(position, item)| {
        read_item(api, item, fixed, has_note).map_err(|error| error.at_item(position))
    });
    questions.collect()
}

pub(crate) fn items_max(api: &Api) -> usize {
    api.config.batch_items_max.min(superroot_wire::proof::BATCH_ITEMS_MAX)
}

const ITEM_MEMBERS: &[&str] =
    &["chain", "block", "txHash", "txIndex", "logIndex", "absent", "evidence", "set", "finality"];

/// Finality that an item asks for.
fn read_demand(members: &Map<String, Value>) -> Result<FinalityDemand, ApiError> {
    let has_evidence = read_flag(members.get("evidence"), "evidence")?;
    let set = members.get("set");
    let read = |set| parse_integer("set", &text_of(set), SAFE_INTEGER_MAX, EXPECTED);
    let least = members.get("finality").map(text_of);
    FinalityDemand::new(("finality", least.as_deref()), has_evidence, set.map(read).transpose()?)
}

/// `{chain, block}`, with `txIndex` and `logIndex` for an event, with `txIndex` and `absent: true` for an absence; or
/// `{chain, txHash}`, with `logIndex` for an event, with `block` and `txIndex` for one of several occurrences.
fn read_item(
    api: &Api,
    item: &Value,
    fixed: Option<SuperRootRef>,
    has_note: bool,
) -> Result<ProofQuestion, ApiError> {
    let members = item.as_object();
    let members =
        members.ok_or_else(|| ApiError::parameter("item", &describe(item), "an object"))?;
    only_members(members, "", ITEM_MEMBERS)?;
    let chain: &ChainSpec = match members.get("chain") {
        Some(chain) => find_chain(api, "chain", &text_of(chain))?,
        None => return Err(ApiError::missing("chain", "a chain")),
    };
    let index = |name: &'static str| -> Result<Option<u32>, ApiError> {
        let Some(value) = members.get(name) else { return Ok(None) };
        let expected = "an index from 0 to 2^32 - 1";
        let index = parse_integer(name, &text_of(value), u32::MAX.into(), expected)?;
        Ok(u32::try_from(index).ok())
    };
    let is_absence = read_flag(members.get("absent"), "absent")?;
    let mut occurrence = Occurrence::default();
    let target = match members.get("txHash") {
        Some(hash) => {
            if is_absence {
                return Err(ApiError::parameter("absent", "true", "either txHash or absent"));
            }
            let tx_hash = parse_transaction_hash("txHash", &text_of(hash), chain.family())?;
            let block = members.get("block").map(|block| parse_number("block", &text_of(block)));
            occurrence = Occurrence { block: block.transpose()?, tx_index: index("txIndex")? };
            match index("logIndex")? {
                Some(log_index) => ProofTarget::EventByHash { tx_hash, log_index },
                None => ProofTarget::Transaction { tx_hash },
            }
        }
        None => {
            block_target(read_block(members)?, index("txIndex")?, index("logIndex")?, is_absence)?
        }
    };
    let question = ProofQuestion::new(chain.key(), target);
    let finality = read_demand(members)?;
    Ok(ProofQuestion { occurrence, fixed, has_note, finality, ..question })
}

fn read_flag(value: Option<&Value>, name: &'static str) -> Result<bool, ApiError> {
    match value {
        None => Ok(false),
        Some(Value::Bool(is_set)) => Ok(*is_set),
        Some(other) => Err(ApiError::parameter(name, &describe(other), "true or false")),
    }
}

pub(crate) fn block_target(
    block: BlockRef,
    tx_index: Option<u32>,
    log_index: Option<u32>,
    is_absence: bool,
) -> Result<ProofTarget, ApiError> {
    match (tx_index, log_index, is_absence) {
        (None, None, false) => Ok(ProofTarget::Block(block)),
        (Some(tx_index), Some(log_index), false) => {
            Ok(ProofTarget::Event { block, tx_index, log_index })
        }
        (Some(tx_index), None, true) => Ok(ProofTarget::Absence { block, tx_index }),
        (None, ..) => Err(ApiError::missing("txIndex", "an index beside logIndex or absent")),
        (Some(_), None, false) => Err(ApiError::missing("logIndex", "an index, or absent: true")),
        (Some(_), Some(index), true) => {
            Err(ApiError::parameter("logIndex", &index.to_string(), "either logIndex or absent"))
        }
    }
}

fn read_block(members: &Map<String, Value>) -> Result<BlockRef, ApiError> {
    let block = members.get("block").ok_or_else(|| ApiError::missing("block", BLOCK))?;
    parse_block("block", &text_of(block))
}

#[cfg(test)]
mod tests {
    use super::*;
    use superroot_types::BlockNumber;

    #[test]
    fn a_batch_is_as_large_as_a_verifier_reads_at_most() {
        assert!(check_batch_bytes(BODY_BYTES_MAX).is_ok());
        let error = check_batch_bytes(BODY_BYTES_MAX + 1).unwrap_err();
        assert_eq!(error.parameter.as_deref(), Some("items"));
    }

    #[test]
    fn an_item_is_one_of_five_kinds() {
        let block = BlockRef::Number(BlockNumber(7));
        assert!(matches!(block_target(block, None, None, false), Ok(ProofTarget::Block(_))));
        assert!(matches!(
            block_target(block, Some(1), Some(2), false),
            Ok(ProofTarget::Event { .. })
        ));
        assert!(matches!(
            block_target(block, Some(1), None, true),
            Ok(ProofTarget::Absence { .. })
        ));
        for (tx_index, log_index, is_absence, name) in [
            (None, Some(1), false, "txIndex"),
            (None, None, true, "txIndex"),
            (Some(1), None, false, "logIndex"),
            (Some(1), Some(1), true, "logIndex"),
        ] {
            let error = block_target(block, tx_index, log_index, is_absence).unwrap_err();
            assert_eq!(error.parameter.as_deref(), Some(name));
        }
    }
}
