//! Usage checkpoints, and proofs of an account's own usage in them.

use std::sync::Arc;

use axum::extract::State;
use superroot_account::usage::{AccountUsage, CheckpointEvent, HourlyRow, UsageCheckpoint};
use superroot_account::{AccountId, AccountService, Day, label_of};
use superroot_accumulate::Published;
use superroot_types::ChainId;
use superroot_wire::account as wire;
use superroot_wire::account::{AccountLeaf, UsageCheckpointList, UsageProof, UsageProofRow};
use superroot_wire::paths;
use superroot_wire::proof::ProofTarget;

use super::answer;
use super::usage::page_limit;
use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::error::codes::UNKNOWN_CHECKPOINT;
use crate::error::of_account;
use crate::input::RequestInput;
use crate::input::caller::Keyed;
use crate::proof::prove_all;
use crate::proof::question::ProofQuestion;
use crate::routes::metered_routes;
use crate::service::{Api, CancelFlag, Shared};

/// Checkpoints per page.
const PAGE: u64 = 100;
const PAGE_MAX: usize = 1_000;
const EXPECTED: &str = "a sequence at the registry contract, or a day such as 2026-02-28";

/// `GET /api/v1/usage/checkpoints`: newest first.
pub(super) async fn list(
    State(service): State<Shared>,
    _: Keyed,
    ask: RequestInput,
) -> Result<ApiAnswer, ApiError> {
    let before = ask.query("before")?.map(|text| parse_day("before", text)).transpose()?;
    let limit = page_limit(&ask, PAGE, PAGE_MAX)?;
    let load = move |service: &AccountService| service.checkpoints().list(before, limit);
    let found = service.account(load).await?;
    let next = found.last().filter(|_| found.len() == limit).map(|last| last.day.to_string());
    let chain = payment_chain(&service.api);
    let checkpoints = found.iter().map(|one| shown(one, chain)).collect();
    Ok(answer(&UsageCheckpointList { checkpoints, next_before: next }))
}

/// `GET /api/v1/usage/checkpoints/{checkpoint}`: by sequence, or by day.
pub(super) async fn one(
    State(service): State<Shared>,
    keyed: Keyed,
    ask: RequestInput,
) -> Result<ApiAnswer, ApiError> {
    let text = ask.path("checkpoint")?.to_owned();
    let named = CheckpointRef::parse(&text)?;
    let account = keyed.0.account;
    let work = move |api: &Api| proof(api, account, named, &text);
    let (proof, published) = service.blocking(work).await?;
    let answer = ApiAnswer::of(&proof);
    Ok(match published {
        Some(published) => answer.under(published, false),
        None => answer,
    })
}

#[derive(Clone, Copy)]
enum CheckpointRef {
    Sequence(u64),
    Day(Day),
}

impl CheckpointRef {
    fn parse(text: &str) -> Result<Self, ApiError> {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let sequence = is_number.then(|| text.parse().ok()).flatten().map(Self::Sequence);
        sequence.map_or_else(|| parse_day("checkpoint", text).map(Self::Day), Ok)
    }
}

fn parse_day(name: &'static str, text: &str) -> Result<Day, ApiError> {
    let expected = if name == "checkpoint" { EXPECTED } else { "a day such as 2026-02-28" };
    text.parse().map_err(|_| ApiError::parameter(name, text, expected))
}

fn payment_chain(api: &Api) -> ChainId {
    ChainId(api.billing.plans().subscription.payment_chain_id)
}

fn proof(
    api: &Api,
    account: AccountId,
    named: CheckpointRef,
    text: &str,
) -> Result<(UsageProof, Option<Arc<Published>>), ApiError> {
    let checkpoints = api.accounts.checkpoints();
    let found = match named {
        CheckpointRef::Sequence(sequence) => checkpoints.of_sequence(sequence),
        CheckpointRef::Day(day) => checkpoints.of_day(day),
    };
    let Some(checkpoint) = found.map_err(of_account)? else {
        let detail =
            format!("no usage checkpoint is {text}: GET /api/v1/usage/checkpoints lists them");
        return Err(ApiError::new(UNKNOWN_CHECKPOINT, detail));
    };
    let usage = checkpoints.usage(&checkpoint, account).map_err(of_account)?;
    let event = checkpoint.event.map(|event| event_proof(api, event)).transpose()?;
    let (published, proof_blob) = event.unzip();
    let (rows, rows_missing) = match usage.as_ref().map(|usage| &usage.rows) {
        None => (None, None),
        Some(Ok(rows)) => (Some(rows.iter().map(row).collect()), None),
        Some(Err(why)) => (None, Some(why.name().to_owned())),
    };
    let proof = UsageProof {
        usage_checkpoint: shown(&checkpoint, payment_chain(api)),
        user_id: account.to_string(),
        leaf: usage.map(leaf),
        rows,
        rows_missing,
        proof_blob,
    };
    Ok((proof, published))
}

/// Proof of the contract's event, as hex.
fn event_proof(api: &Api, event: CheckpointEvent) -> Result<(Arc<Published>, String), ApiError> {
    let chain =
        superroot_types::ChainKey { family: superroot_types::Family::Evm, id: payment_chain(api) };
    let target = ProofTarget::EventByHash { tx_hash: event.tx, log_index: event.log_index };
    let question = ProofQuestion { has_note: true, ..ProofQuestion::new(chain, target) };
    let (published, mut proofs) = prove_all(api, &[question], &CancelFlag::default())?;
    let bundle = proofs.pop().map(|proof| proof.bundle.encode()).unwrap_or_default();
    Ok((published, const_hex::encode_prefixed(bundle)))
}

fn shown(checkpoint: &UsageCheckpoint, chain: ChainId) -> wire::UsageCheckpoint {
    let UsageCheckpoint { day, contract, sequence, usage, event } = checkpoint;
    let start = day.start();
    let environment = match usage.environment {
        1 => "live",
        _ => "test",
    };
    wire::UsageCheckpoint {
        day: day.to_string(),
        environment: environment.to_owned(),
        sequence: *sequence,
        chain_id: chain.0,
        contract: superroot_account::show_wallet(contract),
        start,
        end: day.end(),
        root: usage.root(),
        accounts: usage.accounts,
        range_root: usage.range_root,
        state: if event.is_some() { "proven" } else { "planned" }.to_owned(),
        transaction_hash: event.map(|event| event.tx),
        proof_url: event.map(|event| paths::event_proof_by_hash(chain, &event.tx, event.log_index)),
    }
}

fn leaf(usage: AccountUsage) -> AccountLeaf {
    let AccountUsage { leaf, index, path, .. } = usage;
    AccountLeaf {
        blind: leaf.blind,
        row_count: leaf.rows,
        requests: leaf.requests,
        billing_tokens: leaf.tokens,
        range_root: leaf.range_root,
        index: index.0,
        path,
    }
}

fn row(row: &HourlyRow) -> UsageProofRow {
    UsageProofRow {
        hour: row.hour.start(),
        key_id: row.key.map(|key| key.to_string()),
        route: row.route.0,
        endpoint: label_of(metered_routes(), row.route),
        family: row.chain.map(|chain| chain.family.name().to_owned()),
        chain_id: row.chain.map(|chain| chain.id.0),
        status: row.status.name().to_owned(),
        requests: row.requests,
        billing_tokens: row.tokens,
    }
}
