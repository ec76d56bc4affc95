//! The proofs of all events that a price rests on.

use std::collections::BTreeMap;
use std::sync::Arc;

use superroot_accumulate::Published;
use superroot_accumulate::prove::Which;
use superroot_chain::ChainRow;
use superroot_wire::price::{EventPlace, PricePool, PriceProof, TokenPrice};

use crate::ApiError;
use crate::input::BlockAsk;
use crate::proof::question::{Question, Target};
use crate::service::Api;

/// Under one SuperRoot: those of each pool that counts, and of the pools that price its base.
pub(super) fn all(
    api: &Api,
    chain: &ChainRow,
    price: &TokenPrice,
) -> Result<(Arc<Published>, Vec<PriceProof>), ApiError> {
    let published = api.prover.published(Which::Latest);
    let published = published.map_err(|error| api.refused(Some(chain.key()), error))?;
    let of_bases = price.bases.iter().flat_map(|base| &base.pools);
    let counted = |pool: &&PricePool| pool.left_out.is_none();
    let pools = price.pools.iter().chain(of_bases).filter(counted);
    let events = pools.flat_map(|pool| std::iter::once(&pool.last_event).chain(&pool.later_events));
    let place = |event: &EventPlace| (event.block_number, event.tx_index, event.log_index);
    let events: BTreeMap<_, _> = events.map(|event| (place(event), event)).collect();
    let proofs = events.into_iter().map(|((number, tx_index, log_index), event)| {
        let question = Question {
            chain: chain.key(),
            target: Target::Event { block: BlockAsk::Number(number), tx_index, log_index },
            fixed: None,
            level: None,
            has_note: false,
            is_about_finality: false,
        };
        let proof = question.answer_under(api, Arc::clone(&published))?;
        let proof_blob = const_hex::encode_prefixed(proof.bundle.encode());
        Ok(PriceProof { event: event.clone(), proof_blob })
    });
    let proofs = proofs.collect::<Result<Vec<_>, ApiError>>()?;
    Ok((published, proofs))
}
