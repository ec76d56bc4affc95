//! `GET /v5/find/{hash}`: finds a hash among transactions, new blocks and SuperRoots.

use std::sync::Arc;

use axum::extract::State;
use superroot_chain::ChainSpec;
use superroot_store::layout::ChainState;
use superroot_store::read::{self, CANDIDATES_MAX, TransactionPlace};
use superroot_types::{BlockNumber, Hash, SuperRootRef};
use superroot_wire::find::{HashMatches, Match};
use superroot_wire::{Case, paths};

use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::error::codes::NOT_FOUND;
use crate::input::{Caller, RequestInput, parse_hash, parse_number, parse_transaction_hash};
use crate::newest::{BLOCKS_MAX, NewestBlocks};
use crate::route::{ApiRoute, RouteGroup, RouteOperation, RouteParameter};
use crate::service::{Api, Shared};

const ABOUT: &str = "Transactions: all blocks with the bytes, 64 of a chain in one answer; blocks: the newest 256 of each chain; SuperRoots: always. The service's word until a proof is checked.";

/// First block for transaction matches.
const FROM: RouteParameter = RouteParameter::integer(
    "from",
    "Lowest block of a transaction; 0 if left out. For what `more` says",
);

pub(crate) fn routes() -> Vec<ApiRoute> {
    vec![
        ApiRoute::open(120, "/v5/find/{hash}", RouteGroup::G3).serves(
            RouteOperation::get("find", "Find a hash: chain, block, and its proof", find)
                .errors(&[NOT_FOUND])
                .query(&[FROM])
                .says(ABOUT)
                .returns::<HashMatches>(),
        ),
    ]
}

async fn find(
    State(service): State<Shared>,
    caller: Caller,
    ask: RequestInput,
) -> Result<ApiAnswer, ApiError> {
    let from = ask.query("from")?.map(|text| parse_number("from", text)).transpose()?;
    let from = from.unwrap_or(BlockNumber(0));
    let found = whereabouts(&service, caller, ask.path("hash")?.to_owned(), from).await?;
    Ok(ApiAnswer::spelled(&found, Case::Camel))
}

/// Returns every match for a hash; transactions from a block on, at most [`CANDIDATES_MAX`] per chain.
pub(crate) async fn whereabouts(
    service: &Shared,
    caller: Caller,
    text: String,
    from: BlockNumber,
) -> Result<HashMatches, ApiError> {
    let rows = service.api.registry.rows().iter().enumerate();
    let read = |(place, row): (usize, &ChainSpec)| Some((place, spelled(row, &text)?));
    let chains: Vec<_> = rows.filter_map(read).collect();
    if chains.is_empty() {
        // says what was expected
        parse_hash("hash", &text)?;
    }
    let newest = Arc::clone(&service.newest);
    service
        .blocking(move |api| {
            let rows = api.registry.rows();
            let chains = chains.into_iter().map(|(place, hash)| (&rows[place], hash));
            let chains =
                held(api, chains.filter(|(row, _)| caller.check_chain(row.key()).is_ok()))?;
            let (matches, more) = matches(api, &newest, &text, &chains, from)?;
            if matches.is_empty() {
                return Err(nowhere(api, &text, &chains));
            }
            Ok(HashMatches { query: text, matches, more })
        })
        .await
}

/// Parses the hash in the chain's transaction format.
fn spelled(row: &ChainSpec, text: &str) -> Option<Hash> {
    parse_transaction_hash("hash", text, row.family()).ok()
}

/// Chain with stored blocks, and the hash in its transaction format.
struct HeldChain<'a> {
    row: &'a ChainSpec,
    hash: Hash,
    state: ChainState,
}

/// Chains with stored blocks; the others are not searched.
fn held<'a>(
    api: &Api,
    chains: impl Iterator<Item = (&'a ChainSpec, Hash)>,
) -> Result<Vec<HeldChain<'a>>, ApiError> {
    let load = |(row, hash): (&'a ChainSpec, Hash)| {
        let state = read::load_chain_state(api.prover.store(), row.key()).transpose()?;
        Some(state.map(|state| HeldChain { row, hash, state }))
    };
    let held: Result<_, _> = chains.filter_map(load).collect();
    held.map_err(ApiError::of_store)
}

/// Returns every match. Blocks are searched only without another match.
fn matches(
    api: &Api,
    newest: &NewestBlocks,
    text: &str,
    chains: &[HeldChain<'_>],
    from: BlockNumber,
) -> Result<(Vec<Match>, bool), ApiError> {
    let mut found = Vec::new();
    let mut more = false;
    for HeldChain { row, hash, state } in chains {
        let places = api.prover.find_transactions((row.key(), state), hash, from);
        let places = places.map_err(|error| api.refuse_unproven(error))?;
        more |= places.len() >= CANDIDATES_MAX;
        // one place needs no name: the lowest is proven where none is named
        let is_one = from.0 == 0 && places.len() == 1;
        for TransactionPlace { number, tx_index } in places {
            let proof_url = match is_one {
                true => paths::transaction_proof(row.id, hash),
                false => format!(
                    "{}&tx_index={tx_index}",
                    paths::transaction_proof_in(row.id, hash, number)
                ),
            };
            let transaction_index = Some(tx_index);
            let found_at = on_chain("transaction", row, number, proof_url);
            found.push(Match { transaction_index, ..found_at });
        }
    }
    if let Ok(hash) = parse_hash("hash", text)
        && let Ok(published) = api.prover.published(SuperRootRef::Hash(hash))
    {
        let sequence = published.super_root.sequence;
        found.push(Match {
            kind: "superRoot",
            chain_id: None,
            chain_name: None,
            block_number: None,
            transaction_index: None,
            sequence: Some(sequence.0),
            proof_url: paths::superroot(sequence.0),
        });
    }
    if found.is_empty() {
        for HeldChain { row, hash, state } in chains {
            if let Some(number) = new_block(api, newest, (row, state), hash)? {
                let proof_url = paths::block_proof(row.id, number);
                found.push(on_chain("block", row, number, proof_url));
            }
        }
    }
    Ok((found, more))
}

fn on_chain(kind: &'static str, row: &ChainSpec, number: BlockNumber, proof_url: String) -> Match {
    Match {
        kind,
        chain_id: Some(row.id),
        chain_name: Some(row.name.clone()),
        block_number: Some(number),
        transaction_index: None,
        sequence: None,
        proof_url,
    }
}

/// Finds the hash among the newest blocks, in either byte order on chains with reversed hashes in explorers.
fn new_block(
    api: &Api,
    newest: &NewestBlocks,
    (row, state): (&ChainSpec, &ChainState),
    hash: &Hash,
) -> Result<Option<BlockNumber>, ApiError> {
    let mut reversed = *hash;
    reversed.0.reverse();
    let spelled = [*hash, reversed];
    let spelled = if row.family().shows_hashes_reversed() { &spelled[..] } else { &spelled[..1] };
    let found = newest.find(api.prover.store(), (row.key(), state), spelled, api.clock.now());
    found.map_err(ApiError::of_store)
}

/// Error for a hash without a match: reports each chain's coverage.
fn nowhere(api: &Api, text: &str, chains: &[HeldChain<'_>]) -> ApiError {
    let held = chains.iter().filter_map(|HeldChain { row, state, .. }| {
        Some(format!("{} {} to {}", row.name, state.start, state.checked_to?))
    });
    let held: Vec<_> = held.collect();
    let held = if held.is_empty() { "no block yet".to_owned() } else { held.join(", ") };
    let detail = format!(
        "{text} is no transaction held here, none of the newest {BLOCKS_MAX} blocks of a chain and \
         no SuperRoot; held are {held}"
    );
    let withheld = chains.iter().map(|chain| api.withheld_hint(chain.row));
    let parts = std::iter::once(detail).chain(withheld.filter(|hint| !hint.is_empty()));
    let detail = parts.collect::<Vec<_>>().join("; ");
    ApiError::new(NOT_FOUND, detail).at("hash")
}
