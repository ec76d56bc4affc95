//! `GET /v5/find/{hash}`: on which chains a hash is that of a transaction, of a new block or of a SuperRoot.

use axum::extract::State;
use superroot_accumulate::prove::{ProveError, Which};
use superroot_chain::ChainRow;
use superroot_store::read;
use superroot_types::{BlockNumber, Hash};
use superroot_wire::Case;
use superroot_wire::find::{Found, Match};

use crate::ApiError;
use crate::answer::Answer;
use crate::error::codes::NOT_FOUND;
use crate::input::{Ask, Caller, parse_hash, parse_transaction_hash};
use crate::route::{Group, Operation, Route};
use crate::service::{Api, Shared};

/// Newest blocks of each chain whose hashes are compared: no table has blocks by their hash.
const BLOCKS_MAX: u64 = 256;

const ABOUT: &str = "A transaction is found wherever it is held, a block among the newest 256 of each chain, a \
    SuperRoot always. What is found is the service's word until its proof is checked.";

/// The routes.
pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::open(120, "/v5/find/{hash}", Group::G3).serves(
            Operation::get("find", "Where a hash stands: chain, block, and its proof", find)
                .errors(&[NOT_FOUND])
                .says(ABOUT)
                .returns::<Found>(),
        ),
    ]
}

/// `GET /v5/find/{hash}`
async fn find(State(service): State<Shared>, caller: Caller, ask: Ask) -> Result<Answer, ApiError> {
    let found = whereabouts(&service, caller, ask.path("hash")?.to_owned()).await?;
    Ok(Answer::spelled(&found, Case::Camel))
}

/// Every place of a hash.
pub(crate) async fn whereabouts(
    service: &Shared,
    caller: Caller,
    text: String,
) -> Result<Found, ApiError> {
    let rows = service.api.registry.rows().iter();
    let read = |row: &ChainRow| Some((row.clone(), spelled(row, &text)?));
    let chains: Vec<_> = rows.filter_map(read).collect();
    if chains.is_empty() {
        // says what was expected
        parse_hash("hash", &text)?;
    }
    let in_scope = move |(row, _): &(ChainRow, Hash)| caller.check_chain(row.key()).is_ok();
    let chains: Vec<_> = chains.into_iter().filter(in_scope).collect();
    service
        .blocking(move |api| {
            let matches = matches(api, &text, &chains)?;
            if matches.is_empty() {
                return Err(nowhere(api, &text, &chains));
            }
            Ok(Found { query: text, matches })
        })
        .await
}

/// The hash as transactions of that chain are named.
fn spelled(row: &ChainRow, text: &str) -> Option<Hash> {
    parse_transaction_hash("hash", text, row.family()).ok()
}

/// Every place of the hash. A block is looked for only where it is nothing else.
fn matches(api: &Api, text: &str, chains: &[(ChainRow, Hash)]) -> Result<Vec<Match>, ApiError> {
    let mut found = Vec::new();
    for (row, hash) in chains {
        match api.prover.find_transaction(row.key(), hash) {
            Ok((number, _)) => {
                let proof_url = format!("/v5/proof/tx/{}/{hash}", row.id);
                found.push(on_chain("transaction", row, number, proof_url));
            }
            Err(ProveError::NotIndexed { .. }) => {}
            Err(error) => return Err(api.refused(Some(row.key()), error)),
        }
    }
    if let Ok(hash) = parse_hash("hash", text)
        && let Ok(published) = api.prover.published(Which::Hash(hash))
    {
        let sequence = published.super_root.sequence;
        found.push(Match {
            kind: "superRoot",
            chain_id: None,
            chain_name: None,
            block_number: None,
            sequence: Some(sequence),
            proof_url: format!("/v5/superroot/{sequence}"),
        });
    }
    if found.is_empty() {
        for (row, hash) in chains {
            if let Some(number) = new_block(api, row, hash)? {
                let proof_url = format!("/v5/proof/{}/{number}", row.id);
                found.push(on_chain("block", row, number, proof_url));
            }
        }
    }
    Ok(found)
}

fn on_chain(kind: &'static str, row: &ChainRow, number: BlockNumber, proof_url: String) -> Match {
    Match {
        kind,
        chain_id: Some(row.id),
        chain_name: Some(row.name.clone()),
        block_number: Some(number),
        sequence: None,
        proof_url,
    }
}

/// The block of that hash among the newest ones; where explorers show hashes reversed, in either order.
fn new_block(api: &Api, row: &ChainRow, hash: &Hash) -> Result<Option<BlockNumber>, ApiError> {
    let failed = |error| ApiError::of_store(&error);
    let store = api.prover.store();
    let state = read::load_chain_state(store, row.key()).map_err(failed)?;
    let Some(head) = state.and_then(|state| state.head.or(state.indexed)) else { return Ok(None) };
    let end = BlockNumber(head.number.0.saturating_add(1));
    let start = BlockNumber(end.0.saturating_sub(BLOCKS_MAX));
    let limit = usize::try_from(BLOCKS_MAX).unwrap_or(usize::MAX);
    let blocks = read::load_blocks(store, row.key(), start..end, limit).map_err(failed)?;
    let mut reversed = *hash;
    reversed.0.reverse();
    let is_reversed = row.family().shows_hashes_reversed();
    let is_it = |own: &Hash| own == hash || is_reversed && *own == reversed;
    Ok(blocks.into_iter().find(|(_, block)| is_it(&block.hash)).map(|(number, _)| number))
}

/// Why nothing is found: how far each chain is held.
fn nowhere(api: &Api, text: &str, chains: &[(ChainRow, Hash)]) -> ApiError {
    let held = chains.iter().filter_map(|(row, _)| {
        let state = read::load_chain_state(api.prover.store(), row.key()).ok()??;
        Some(format!("{} {} to {}", row.name, state.start, state.checked_to?))
    });
    let held: Vec<_> = held.collect();
    let held = if held.is_empty() { "no block yet".to_owned() } else { held.join(", ") };
    let detail = format!(
        "{text} is no transaction held here, none of the newest {BLOCKS_MAX} blocks of a chain and \
         no SuperRoot; held are {held}"
    );
    ApiError::new(NOT_FOUND, detail).at("hash")
}
