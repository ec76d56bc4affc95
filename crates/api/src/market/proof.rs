//! Proofs for all events behind a price.

use std::collections::BTreeMap;
use std::sync::Arc;

use superroot_accumulate::Published;
use superroot_chain::ChainSpec;
use superroot_wire::price::{EventPlace, PriceProof, TokenPrice};
use superroot_wire::proof::ProofTarget;

use crate::ApiError;
use crate::error::codes::{NOT_FINAL, NOT_YET_ANCHORED};
use crate::proof::prove_all;
use crate::proof::question::ProofQuestion;
use crate::service::{Api, CancelFlag};

/// Refusal of early proofs, worded for a combined request.
pub(super) fn early(error: ApiError, parameter: &'static str, detail: &str) -> ApiError {
    if ![NOT_YET_ANCHORED, NOT_FINAL].contains(&error.code) {
        return error;
    }
    let early = ApiError::new(error.code, detail).at(parameter).about(error.chain);
    early.again_after(error.retry_after)
}

/// Proofs under one SuperRoot: for each pool in the price, and for the pools that price its base.
pub(super) fn all(
    api: &Api,
    chain: &ChainSpec,
    price: &TokenPrice,
    has_note: bool,
) -> Result<(Arc<Published>, Vec<PriceProof>), ApiError> {
    let of_bases = price.bases.iter().flat_map(|base| &base.pools);
    let pools = price.pools.iter().chain(of_bases).filter(|pool| pool.is_judged());
    let events = pools.flat_map(|pool| {
        let others = pool.later_events.iter().chain(&pool.creation_event);
        std::iter::once(&pool.last_event).chain(others)
    });
    let place = |event: &EventPlace| (event.block_number, event.tx_index, event.log_index);
    let events: BTreeMap<_, _> = events.map(|event| (place(event), event)).collect();
    let questions: Vec<ProofQuestion> = events
        .keys()
        .map(|&(number, tx_index, log_index)| {
            let target = ProofTarget::Event { block: number.into(), tx_index, log_index };
            ProofQuestion { has_note, ..ProofQuestion::new(chain.key(), target) }
        })
        .collect();
    let proven = prove_all(api, &questions, &CancelFlag::default());
    let (published, proofs) = proven.map_err(|error| {
        early(
            error,
            "block",
            "events behind this price are not all anchored yet: ask with block=latest",
        )
    })?;
    let proofs = events.into_values().zip(&proofs).map(|(event, proof)| {
        let proof_blob = const_hex::encode_prefixed(proof.bundle.encode());
        PriceProof { event: event.clone(), proof_blob }
    });
    Ok((published, proofs.collect()))
}
