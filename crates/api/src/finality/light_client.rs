//! What light clients need: sets of signers, and the steps from one to the next. Whoever gets them checks them.

use axum::extract::State;
use superroot_accumulate::prove::HeldSets;
use superroot_chain::ChainSpec;
use superroot_chain::finality::{NOT_CHECKABLE, finality_params};
use superroot_proof::finality::{
    ConflictStatements, FinalityConflict, FinalityParams, FinalitySet,
};
use superroot_store::read;
use superroot_types::SAFE_INTEGER_MAX;
use superroot_wire::finality::{
    LightClient, LightClientConflict, LightClientSet, LightClientSteps,
};
use superroot_wire::{Case, Hex, paths};

use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::error::codes::{ErrorCode, NOT_FOUND, NOT_PROVABLE, UNKNOWN_CHAIN};
use crate::input::{RequestInput, parse_integer};
use crate::route::{ApiRoute, RouteGroup, RouteOperation, RouteParameter};
use crate::service::{Api, Shared};

const FROM: &[RouteParameter] =
    &[RouteParameter::integer("from", "Number of the set that you have").required()];
const ERRORS: &[ErrorCode] = &[UNKNOWN_CHAIN, NOT_PROVABLE, NOT_FOUND];
const CHECKED: &str = "Clients pin one id, and check every step.";
pub(crate) const EXPECTED: &str = "the number of a set, below 2^53";

pub(super) fn routes() -> [ApiRoute; 4] {
    [
        ApiRoute::open(135, paths::LIGHT_CLIENT, RouteGroup::G2).serves(
            RouteOperation::get("lightClient", "Sets of signers of a chain's consensus", client)
                .errors(ERRORS)
                .says(CHECKED)
                .returns::<LightClient>(),
        ),
        ApiRoute::open(136, paths::LIGHT_CLIENT_SET, RouteGroup::G2).serves(
            RouteOperation::get("lightClientSet", "One set of signers", set)
                .errors(ERRORS)
                .says("Of the number that its chain counts: a period or an epoch.")
                .returns::<LightClientSet>(),
        ),
        ApiRoute::open(137, paths::LIGHT_CLIENT_STEPS, RouteGroup::G2).serves(
            RouteOperation::get("lightClientSteps", "Steps from a set to the newest", steps)
                .query(FROM)
                .errors(ERRORS)
                .says("At most 2 MB at once: go on from the set that they lead to.")
                .returns::<LightClientSteps>(),
        ),
        ApiRoute::open(141, paths::LIGHT_CLIENT_CONFLICT, RouteGroup::G2).serves(
            RouteOperation::get(
                "lightClientConflict",
                "Two statements by one set of signers that exclude each other",
                conflict,
            )
            .errors(ERRORS)
            .says("A file for `superroot verify`.")
            .returns::<LightClientConflict>(),
        ),
    ]
}

/// Row, constants and sets of a chain with evidence.
fn held(api: &Api, row: &ChainSpec) -> Result<(FinalityParams, Option<HeldSets>), ApiError> {
    let params = finality_params(row, api.prover.network());
    let params = params.ok_or_else(|| ApiError::not_provable(row.key(), NOT_CHECKABLE))?;
    if let Some(signing) = params.signing_chain() {
        let why = format!(
            "contracts on Ethereum hold its blocks: the sets that sign are those of chain {signing}"
        );
        return Err(ApiError::not_provable(row.key(), &why));
    }
    let sets = api.prover.sets(row).map_err(|error| api.refuse_unproven(error))?;
    Ok((params, sets))
}

/// Sets of signers of a chain.
pub(crate) fn load_client(api: &Api, row: &ChainSpec) -> Result<LightClient, ApiError> {
    let (params, sets) = held(api, row)?;
    let kind = params.kind();
    // the last set may be known before it signs
    let signed = api.prover.newest_signed(row).map_err(|error| api.refuse_unproven(error))?;
    let signer = signed.and_then(|evidence| evidence.signer(&params));
    let newest = sets.as_ref().map(|sets| match signer {
        Some(signer) if signer < sets.last => load_set(api, row, signer.max(sets.first)),
        _ => load_set(api, row, sets.last),
    });
    Ok(LightClient {
        chain_id: row.id,
        network: api.prover.network(),
        kind: kind.name().to_owned(),
        trust: kind.trust().to_owned(),
        number_bound: kind.binds_number(),
        first_set: sets.as_ref().map(|sets| sets.first),
        last_set: sets.as_ref().map(|sets| sets.last),
        newest: newest.transpose()?,
        conflict: stored_conflict(api, row)?.map(|_| paths::light_client_conflict(row.id)),
    })
}

fn stored_conflict(api: &Api, row: &ChainSpec) -> Result<Option<FinalityConflict>, ApiError> {
    read::load_conflict(api.prover.store(), row.key()).map_err(ApiError::of_store)
}

fn load_conflict(api: &Api, row: &ChainSpec) -> Result<LightClientConflict, ApiError> {
    let (params, _) = held(api, row)?;
    let none = || {
        let detail = format!("no signers of chain {} contradicted themselves", row.key());
        ApiError::new(NOT_FOUND, detail).about(row.key())
    };
    let conflict = stored_conflict(api, row)?.ok_or_else(none)?;
    let set = FinalitySet::decode(&params, &conflict.set).map_err(|_| ApiError::internal())?;
    let hashes = match &conflict.statements {
        ConflictStatements::Blocks(blocks) => blocks.iter().map(|block| block.hash).collect(),
        ConflictStatements::Sets(steps) => {
            let named = steps.iter().filter_map(|step| FinalitySet::named_by(&params, step));
            named.map(|set| set.id()).collect()
        }
    };
    Ok(LightClientConflict {
        chain_id: row.id,
        network: api.prover.network(),
        family: row.family(),
        kind: params.kind().name().to_owned(),
        set: shown(&params, &set),
        hashes,
        conflict: Hex(conflict.encode()),
    })
}

fn shown(params: &FinalityParams, set: &FinalitySet) -> LightClientSet {
    LightClientSet {
        number: set.number(),
        id: set.id(),
        trusted_until: set.trusted_until(params),
        set: Hex(set.encode()),
    }
}

/// One set of signers.
pub(crate) fn load_set(
    api: &Api,
    row: &ChainSpec,
    number: u64,
) -> Result<LightClientSet, ApiError> {
    let (params, sets) = held(api, row)?;
    let set = api.prover.set(row, number).map_err(|error| api.refuse_unproven(error))?;
    let set = set.ok_or_else(|| {
        let there = match sets {
            Some(HeldSets { first, last, .. }) => format!("{first} to {last} are held"),
            None => "none is held yet".to_owned(),
        };
        let detail = format!("set {number} of chain {} is not held: {there}", row.key());
        ApiError::new(NOT_FOUND, detail).about(row.key())
    })?;
    Ok(shown(&params, &set))
}

/// Steps from a set on.
pub(crate) fn load_steps(
    api: &Api,
    row: &ChainSpec,
    from: u64,
) -> Result<LightClientSteps, ApiError> {
    let (_, sets) = held(api, row)?;
    let last = sets.map_or(from, |sets| sets.last);
    let steps = api.prover.set_steps(row, from, last);
    let steps = steps.map_err(|error| api.refuse_unproven(error))?;
    let to = from.saturating_add(steps.len() as u64);
    let steps = steps.into_iter().map(Hex).collect();
    Ok(LightClientSteps { from, to, last, steps })
}

async fn client(State(service): State<Shared>, ask: RequestInput) -> Result<ApiAnswer, ApiError> {
    let row = ask.chain(&service.api, "chain")?.clone();
    let seen = ask.seen();
    let make = move |api: &Api| {
        Ok(ApiAnswer::spelled(&load_client(api, &row)?, Case::Camel).about(row.key()))
    };
    service.page_of_state(seen.address(), make).await
}

async fn set(State(service): State<Shared>, ask: RequestInput) -> Result<ApiAnswer, ApiError> {
    let row = ask.chain(&service.api, "chain")?.clone();
    let number = parse_integer("set", ask.path("set")?, SAFE_INTEGER_MAX, EXPECTED)?;
    let seen = ask.seen();
    let make = move |api: &Api| {
        Ok(ApiAnswer::spelled(&load_set(api, &row, number)?, Case::Camel).about(row.key()))
    };
    service.page_of_super_root(seen.address(), make).await
}

async fn steps(State(service): State<Shared>, ask: RequestInput) -> Result<ApiAnswer, ApiError> {
    let row = ask.chain(&service.api, "chain")?.clone();
    let from = ask.query("from")?.ok_or_else(|| ApiError::parameter("from", "", EXPECTED))?;
    let from = parse_integer("from", from, SAFE_INTEGER_MAX, EXPECTED)?;
    let seen = ask.seen();
    let make = move |api: &Api| {
        Ok(ApiAnswer::spelled(&load_steps(api, &row, from)?, Case::Camel).about(row.key()))
    };
    service.large_page_of_super_root(seen.address(), make).await
}

async fn conflict(State(service): State<Shared>, ask: RequestInput) -> Result<ApiAnswer, ApiError> {
    let row = ask.chain(&service.api, "chain")?.clone();
    let seen = ask.seen();
    let make = move |api: &Api| {
        Ok(ApiAnswer::spelled(&load_conflict(api, &row)?, Case::Camel).about(row.key()))
    };
    service.page_of_state(seen.address(), make).await
}
