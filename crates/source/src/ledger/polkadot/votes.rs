//! GRANDPA votes and authorities of nodes. Sources: paritytech/polkadot-sdk `sc-consensus-grandpa-rpc` `lib.rs`,
//! `sc-consensus-grandpa` `finality_proof.rs` (`prove_finality`), `sp-consensus-grandpa` `lib.rs` (`GrandpaApi`).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use alloy_primitives::Bytes;
use serde_json::{Value, json};
use superroot_chain::ledger::polkadot::{
    RawGrandpaVotes, VOTED_BLOCKS, has_votes, names_authorities,
};
use superroot_proof::ledger::polkadot::{GrandpaFinalityProof, Header};
use superroot_types::{BlockNumber, Hash};

use crate::error::{CallFault, SourceError};
use crate::live::node::LiveNode;
use crate::live::node::json_rpc::Call;

/// `(number) -> justification of the set's last block or of the newest final one, with the headers up to there`
pub(crate) const PROVE_FINALITY: &str = "grandpa_proveFinality";
/// `(function, arguments, hash) -> result in SCALE`
pub(crate) const STATE_CALL: &str = "state_call";
/// Runtime function: authorities of the next block.
pub(crate) const AUTHORITIES: &str = "GrandpaApi_grandpa_authorities";
/// Runtime function: set number for the next block.
pub(crate) const SET_ID: &str = "GrandpaApi_current_set_id";
pub(crate) const NO_ARGUMENTS: &str = "0x";
/// A node's error for a block that is not final there.
pub(crate) const NOT_FINAL_YET: &str = "not yet finalized";

/// Engine of justifications.
const ENGINE: &[u8] = b"FRNK";
/// Fetches of a set's last block before the block is taken without votes: a node may lag, and a node without votes would
/// stop the chain.
const LAST_BLOCK_ATTEMPTS: u32 = 6;

/// Vote fetches on all nodes of a chain.
#[derive(Debug, Default)]
pub(super) struct VoteFetches {
    /// Newest final numbers by name of the node.
    finalized: Mutex<BTreeMap<Arc<str>, u64>>,
    /// Last set's last block without votes, and failed fetches of the block.
    missed: Mutex<(u64, u32)>,
}

impl VoteFetches {
    pub(super) fn note_finalized(&self, node: &LiveNode, number: BlockNumber) {
        let mut finalized = self.finalized.lock().unwrap_or_else(PoisonError::into_inner);
        finalized.insert(node.name().clone(), number.0);
    }

    /// Whether a node named the block as final, or a later one.
    fn is_final(&self, number: u64) -> bool {
        let finalized = self.finalized.lock().unwrap_or_else(PoisonError::into_inner);
        finalized.values().any(|newest| *newest >= number)
    }

    /// Whether the node's newest final block is close: the answer has the headers up to there.
    fn is_close(&self, node: &LiveNode, number: u64) -> bool {
        let finalized = self.finalized.lock().unwrap_or_else(PoisonError::into_inner);
        let newest = finalized.get(node.name()).copied();
        newest.is_some_and(|newest| newest.saturating_sub(number) < VOTED_BLOCKS)
    }

    /// Votes for a final block, now and then: a link of headers leads to the blocks between.
    ///
    /// # Errors
    /// For the last block of a set, if the node gave no answer: without the votes there is no step to the next set.
    pub(super) async fn fetch(
        &self,
        node: &Arc<LiveNode>,
        header: &Header,
        own: Option<&Value>,
    ) -> Result<Option<RawGrandpaVotes>, SourceError> {
        if !has_votes(header) || !self.is_final(header.number) {
            return Ok(None);
        }
        let is_last = names_authorities(header);
        let own = own.and_then(justification).map(|justification| {
            let hash = header.hash();
            let headers = Vec::new();
            GrandpaFinalityProof { hash, justification, headers }.encode().into()
        });
        if own.is_none() && !is_last && !self.is_close(node, header.number) {
            return Ok(None);
        }
        match fetch_votes(node, header, own).await {
            Err(error) if is_last && is_passing(&error) && self.is_tried_again(header.number) => {
                Err(error)
            }
            found => Ok(found.ok().flatten()),
        }
    }

    /// Whether a set's last block without votes is fetched again.
    fn is_tried_again(&self, number: u64) -> bool {
        let mut missed = self.missed.lock().unwrap_or_else(PoisonError::into_inner);
        if missed.0 != number {
            *missed = (number, 0);
        }
        missed.1 = missed.1.saturating_add(1);
        missed.1 < LAST_BLOCK_ATTEMPTS
    }
}

/// GRANDPA's justification from a list of engines and bytes, each in hex or as numbers.
fn justification(list: &Value) -> Option<Vec<u8>> {
    let list: Vec<(Bytes, Bytes)> = serde_json::from_value(list.clone()).ok()?;
    let found = list.into_iter().find(|(engine, _)| **engine == *ENGINE);
    found.map(|(_, justification)| justification.to_vec())
}

async fn fetch_votes(
    node: &Arc<LiveNode>,
    header: &Header,
    own: Option<Bytes>,
) -> Result<Option<RawGrandpaVotes>, SourceError> {
    let proof = match own {
        Some(proof) => Some(proof),
        None => {
            let outcome = node.ask(Call::large(PROVE_FINALITY, json!([header.number]))).await;
            node.read::<Option<Bytes>>(PROVE_FINALITY, outcome).await?
        }
    };
    let Some(proof) = proof else { return Ok(None) };
    let authorities = runtime_call(node, AUTHORITIES, header.parent_hash).await?;
    let set_id = runtime_call(node, SET_ID, header.parent_hash).await?;
    let set_id = set_id.as_ref().try_into().map(u64::from_le_bytes);
    Ok(set_id.ok().map(|set_id| RawGrandpaVotes { set_id, authorities, proof }))
}

async fn runtime_call(
    node: &Arc<LiveNode>,
    function: &str,
    hash: Hash,
) -> Result<Bytes, SourceError> {
    let outcome = node.ask(Call::large(STATE_CALL, json!([function, NO_ARGUMENTS, hash]))).await;
    node.read(STATE_CALL, outcome).await
}

/// Whether another fetch may bring votes: no answer, a gateway's error, or a node behind. Without votes, or with a
/// discarded state, a node refuses otherwise.
fn is_passing(error: &SourceError) -> bool {
    let SourceError::Call { fault, .. } = error else { return false };
    match fault {
        CallFault::Unreachable(_) | CallFault::Timeout(_) | CallFault::Limited(_) => true,
        CallFault::Status { got, .. } => *got >= 500,
        CallFault::NotJsonRpc(_) => true,
        CallFault::Refused { message, .. } => message.contains(NOT_FINAL_YET),
        _ => false,
    }
}
