//! Replay of a Solana node, extended with slot entries.

use serde::Serialize;
use serde_json::Value;
use superroot_chain::Ledger;
use superroot_chain::ledger::solana::RawSolanaBlock;
use superroot_types::BlockNumber;

use super::capture::read_raw;
use super::{
    BLOCK, BLOCK_HEIGHT, BLOCKS, BLOCKS_WITH_LIMIT, ENTRIES, GENESIS_HASH, SKIPPED, SLOT,
    ShownEntry, SolanaBlockAnswer, SolanaVersion, VERSION,
};
use crate::replay::methods::{
    Methods, Outcome, RpcFault, client_name, exactly, fault, json, unreadable,
};

/// Most slots listed per call: each needs a file read.
const LISTED_MAX: u64 = 512;

/// Block with the requested transactions. Execution results are not recorded.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReplayedBlock {
    #[serde(flatten)]
    block: SolanaBlockAnswer,
    #[serde(skip_serializing_if = "Option::is_none")]
    signatures: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transactions: Option<Vec<ReplayedTransaction>>,
}

#[derive(Serialize)]
struct ReplayedTransaction {
    transaction: [String; 2],
    meta: Option<Value>,
}

pub(crate) fn call(methods: &Methods<'_>, method: &str, params: &[Value]) -> Option<Outcome> {
    Some(match method {
        GENESIS_HASH => genesis(methods),
        VERSION => json(&SolanaVersion { core: client_name() }),
        SLOT => tip(methods).and_then(|tip| json(&tip.slot)),
        BLOCK_HEIGHT => tip(methods).and_then(|tip| json(&tip.number)),
        BLOCK => block(methods, params),
        BLOCKS => blocks(methods, params),
        BLOCKS_WITH_LIMIT => blocks_with_limit(methods, params),
        ENTRIES => entries(methods, params),
        _ => return None,
    })
}

fn genesis(methods: &Methods<'_>) -> Outcome {
    match methods.row().map(|row| &row.ledger) {
        Some(Ledger::Solana(params)) => json(&params.genesis()),
        _ => Err(unreadable()),
    }
}

fn block(methods: &Methods<'_>, params: &[Value]) -> Outcome {
    let details = match params {
        [_] => "full",
        [_, config] => {
            config.get("transactionDetails").map_or(Some("full"), Value::as_str).unwrap_or("")
        }
        _ => return Err(RpcFault::params("expected a slot, and a config")),
    };
    let block = at_slot(methods, slot(params.first())?)?;
    let entries = block.entries.as_deref();
    let raw = || entries.unwrap_or_default().iter().flat_map(|entry| &entry.transactions);
    let mut signatures = None;
    let mut transactions = None;
    match details {
        "none" => {}
        _ if entries.is_none() => return Err(unreadable()),
        "signatures" => {
            signatures = Some(raw().map(|raw| first_signature(raw)).collect::<Result<_, _>>()?)
        }
        "full" => {
            let one = |raw: &Vec<u8>| {
                use base64::Engine;
                let text = base64::prelude::BASE64_STANDARD.encode(raw);
                ReplayedTransaction { transaction: [text, "base64".to_owned()], meta: None }
            };
            transactions = Some(raw().map(one).collect());
        }
        _ => return Err(RpcFault::params("transactionDetails is not full, signatures or none")),
    }
    json(&ReplayedBlock { block: describe(&block), signatures, transactions })
}

fn describe(block: &RawSolanaBlock) -> SolanaBlockAnswer {
    SolanaBlockAnswer {
        block_height: Some(block.number.0),
        block_time: Some(block.time).filter(|time| *time > 0),
        blockhash: block.hash,
        parent_slot: block.parent_slot,
        previous_blockhash: block.parent_hash,
    }
}

fn first_signature(raw: &[u8]) -> Result<String, RpcFault> {
    let mut all = superroot_proof::ledger::solana::signatures(raw).map_err(|_| unreadable())?;
    all.next().map(|first| bs58::encode(first).into_string()).ok_or_else(unreadable)
}

fn entries(methods: &Methods<'_>, params: &[Value]) -> Outcome {
    let [which] = exactly(params)?;
    let block = at_slot(methods, slot(Some(which))?)?;
    let all = block.entries.as_ref();
    json(&all.map(|all| all.iter().map(ShownEntry::of).collect::<Vec<_>>()))
}

fn blocks(methods: &Methods<'_>, params: &[Value]) -> Outcome {
    let first = slot(params.first())?;
    let last = match params.get(1) {
        Some(last) if last.is_u64() => slot(Some(last))?,
        _ => u64::MAX,
    };
    let mut slots = slots_from(methods, first, LISTED_MAX)?;
    slots.retain(|slot| *slot <= last);
    json(&slots)
}

fn blocks_with_limit(methods: &Methods<'_>, params: &[Value]) -> Outcome {
    let limit = params.get(1).and_then(Value::as_u64);
    let limit = limit.ok_or_else(|| RpcFault::params("params[1] is no limit"))?;
    json(&slots_from(methods, slot(params.first())?, limit.min(LISTED_MAX))?)
}

/// Slots of recorded blocks from `first` on.
fn slots_from(methods: &Methods<'_>, first: u64, limit: u64) -> Result<Vec<u64>, RpcFault> {
    let Some(from) = first_at_or_behind(methods, first)? else { return Ok(Vec::new()) };
    let limit = usize::try_from(limit).unwrap_or(0);
    let numbers = methods.numbers(from.number, limit)?;
    let tip = methods.tip()?.number;
    let numbers = numbers.into_iter().filter(|number| *number <= tip);
    numbers.map(|number| Ok(there(methods, number)?.slot)).collect()
}

fn at_slot(methods: &Methods<'_>, slot: u64) -> Result<RawSolanaBlock, RpcFault> {
    let skipped = || {
        let message =
            format!("Slot {slot} was skipped, or missing due to ledger jump to recent snapshot");
        RpcFault::of_node(SKIPPED, &message)
    };
    let found = first_at_or_behind(methods, slot)?;
    found.filter(|block| block.slot == slot).ok_or_else(skipped)
}

/// First recorded block at or after a slot.
fn first_at_or_behind(
    methods: &Methods<'_>,
    slot: u64,
) -> Result<Option<RawSolanaBlock>, RpcFault> {
    let newest = tip(methods)?;
    if newest.slot < slot {
        return Ok(None);
    }
    let mut low = methods.first()?.0;
    let mut high = newest;
    // as many slots lie between a block and the newest as blocks, if none was skipped
    let mut guess = high.number.0.saturating_sub(high.slot.saturating_sub(slot)).max(low);
    while low < high.number.0 {
        guess = guess.clamp(low, high.number.0 - 1);
        let at = methods.numbers(BlockNumber(guess), 1)?.first().copied();
        let Some(at) = at.filter(|at| *at < high.number) else {
            // nothing is recorded from the guess up to the block that is known
            if guess == low {
                break;
            }
            guess = low.midpoint(guess - 1);
            continue;
        };
        let block = there(methods, at)?;
        if block.slot < slot {
            low = at.0 + 1;
        } else {
            high = block;
        }
        guess = low.midpoint(high.number.0);
    }
    Ok(Some(high))
}

fn tip(methods: &Methods<'_>) -> Result<RawSolanaBlock, RpcFault> {
    there(methods, methods.tip()?.number)
}

fn there(methods: &Methods<'_>, number: BlockNumber) -> Result<RawSolanaBlock, RpcFault> {
    let capture = methods.capture(Some(number))?.ok_or_else(unreadable)?;
    read_raw(&capture).map_err(fault)
}

fn slot(param: Option<&Value>) -> Result<u64, RpcFault> {
    param.and_then(Value::as_u64).ok_or_else(|| RpcFault::params("params[0] is no slot"))
}
