//! Recomputes the hash chain from the parent blockhash to the block's own.

use std::ops::Range;
use std::thread::available_parallelism;

use superroot_proof::ledger::solana::{ENTRIES_MAX, Entry, HASHES_MAX, SolanaEntries};
use superroot_proof::ledger::{Body, LedgerError};
use superroot_proof::registry::HashRule;
use superroot_types::{BlockNumber, Hash, SAFE_INTEGER_MAX, UnixSeconds};

use super::params::SolanaParams;
use super::raw::{RawEntry, RawSolanaBlock};
use crate::block::{BodyLeaves, VerifiedBlock, Withheld};
use crate::error::ChainError;
use crate::ledger::Ledger;
use crate::registry::ChainSpec;

pub const TICKS_PER_SLOT: u64 = 64;

/// Hashes per thread worth the thread's start.
const HASHES_PER_THREAD: u64 = 200_000;

const NO_ENTRIES: &str = "the blockhash follows from the entries of the slot alone, which nodes do not \
                          give over JSON-RPC: held is what they agree on";

const NO_WINDOW: &str = "since slots have fewer hashes than 4,000,000 (SIMD-0525, Alpenglow) no proof shows which block \
                         a transaction is of: held is the blockhash that nodes agree on";

/// Recomputes a Solana block. The extent is `header` without entries, and under rule 0202, which ignores entries. The
/// error names the first field at fault.
pub fn verify(row: &ChainSpec, untrusted: &RawSolanaBlock) -> Result<VerifiedBlock, ChainError> {
    let Ledger::Solana(params) = &row.ledger else {
        return Err(ChainError::NotCollected { chain: row.key() });
    };
    let RawSolanaBlock { number, hash, parent_hash, .. } = untrusted;
    check_place(untrusted)?;
    let given = match row.rule_at(*number) {
        Some(HashRule::Solana) => given(untrusted),
        Some(HashRule::SolanaHeader) => Err(NO_WINDOW.to_owned()),
        _ => return Err(ChainError::NoRule { chain: row.key(), number: *number }),
    };
    let is_by_rule = row.rule_at(*number) == Some(HashRule::SolanaHeader);
    let (body, withheld) = match given {
        Ok(entries) => (Some(Body::Solana(recompute(params, untrusted, entries)?)), None),
        Err(why) if untrusted.entries.is_some() && !is_by_rule => {
            (None, Some(Withheld::OnClaim(why)))
        }
        Err(why) => (None, Some(Withheld::ByRule(why))),
    };
    Ok(VerifiedBlock {
        chain: row.key(),
        number: *number,
        hash: *hash,
        parent_hash: *parent_hash,
        timestamp: UnixSeconds(untrusted.time),
        header: hash.0.to_vec(),
        body,
        leaves: BodyLeaves::default(),
        withheld,
        signed: None,
    })
}

/// Entries to recompute, or the reason to skip.
fn given(untrusted: &RawSolanaBlock) -> Result<&[RawEntry], String> {
    let entries = untrusted.entries.as_deref().ok_or_else(|| NO_ENTRIES.to_owned())?;
    past_bounds(entries).map_or(Ok(entries), Err)
}

/// Checks the order of height and slots; only the first block has no parent.
fn check_place(block: &RawSolanaBlock) -> Result<(), ChainError> {
    let RawSolanaBlock { number: BlockNumber(number), slot, parent_slot, .. } = block;
    for (field, value) in [("blockHeight", number), ("slot", slot), ("blockTime", &block.time)] {
        if *value > SAFE_INTEGER_MAX {
            let field = field.into();
            let got = value.to_string();
            let expected = SAFE_INTEGER_MAX;
            return Err(ChainError::OutOfRange { field, got, expected });
        }
    }
    let is_first = *number == 0;
    if is_first != (*slot == 0) || slot < number {
        let expected = format!("at least the height, and 0 of the first block alone: {number}");
        return Err(ChainError::mismatch("slot", slot, expected));
    }
    let is_before = if is_first { *parent_slot == 0 } else { parent_slot < slot };
    if !is_before || parent_slot < &number.saturating_sub(1) {
        let expected = format!("below the slot {slot}, and at least the height of the parent");
        return Err(ChainError::mismatch("parentSlot", parent_slot, expected));
    }
    if block.parent_hash.is_zero() != is_first {
        let expected = if is_first { "zeros at height 0" } else { "a hash past height 0" };
        return Err(ChainError::mismatch("previousBlockhash", block.parent_hash, expected));
    }
    Ok(())
}

/// Reason to skip entries: more entries or hashes than a verifier accepts.
fn past_bounds(entries: &[RawEntry]) -> Option<String> {
    let within = u32::try_from(entries.len()).is_ok_and(|count| count <= ENTRIES_MAX);
    let hashes = entries.iter().fold(0_u64, |sum, entry| sum.saturating_add(entry.num_hashes));
    if within && hashes <= HASHES_MAX {
        return None;
    }
    let count = entries.len();
    Some(format!(
        "the block has {count} entries of {hashes} hashes, recomputed are at most {ENTRIES_MAX} of \
         {HASHES_MAX}"
    ))
}

/// Entries, after a check of the path from the parent blockhash to the block's own.
fn recompute(
    params: &SolanaParams,
    block: &RawSolanaBlock,
    entries: &[RawEntry],
) -> Result<SolanaEntries, ChainError> {
    check_ticks(block, entries)?;
    let last = entries.last().map_or(Hash::ZERO, |last| last.hash);
    if last != block.hash {
        return Err(ChainError::mismatch("blockhash", block.hash, last));
    }
    let start = if block.number.0 == 0 { params.genesis_hash } else { block.parent_hash };
    let entry = |raw: &RawEntry| {
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let num_hashes = u32::try_from(raw.num_hashes).unwrap_or(u32::MAX); // within bounds
        Entry { num_hashes, hash: raw.hash, tx_count: count(raw.transactions.len()) }
    };
    for (at, raw) in entries.iter().enumerate() {
        for (nth, transaction) in raw.transactions.iter().enumerate() {
            superroot_proof::ledger::solana::transaction_hash(transaction).map_err(|source| {
                let place = format!("entries[{at}].transactions[{nth}]");
                ChainError::ledger(&place, source)
            })?;
        }
    }
    let leaves = entries.iter().flat_map(|raw| raw.transactions.iter().cloned()).collect();
    let built = SolanaEntries::build(start, entries.iter().map(entry).collect(), leaves);
    let built = built.map_err(|source| ChainError::ledger("entries", source))?;
    check_entries(&built)?;
    Ok(built)
}

/// Checks that the last entry is a tick, and counts ticks for the slot and skipped slots.
fn check_ticks(block: &RawSolanaBlock, entries: &[RawEntry]) -> Result<(), ChainError> {
    let is_tick = |entry: &&RawEntry| entry.transactions.is_empty();
    let ticks = u64::try_from(entries.iter().filter(is_tick).count()).unwrap_or(u64::MAX);
    let slots = block.slot.saturating_sub(block.parent_slot).max(1);
    let expected = slots.saturating_mul(TICKS_PER_SLOT);
    if ticks != expected {
        let expected = format!("{expected}, of slots {} to {}", block.parent_slot, block.slot);
        return Err(ChainError::mismatch("entries without transactions", ticks, expected));
    }
    match entries.last().filter(|last| !last.transactions.is_empty()) {
        None => Ok(()),
        Some(_) => {
            let field = format!("entries[{}].transactions", entries.len().saturating_sub(1));
            Err(ChainError::Unexpected { field, expected: "a slot ends with a tick" })
        }
    }
}

/// Recomputes every entry from the previous hash: in parallel, since every entry hash is claimed.
fn check_entries(entries: &SolanaEntries) -> Result<(), ChainError> {
    let parts = parts(entries);
    let fault = |(at, error): (usize, LedgerError)| match error {
        LedgerError::Mismatch { got, expected, .. } => {
            ChainError::mismatch(&format!("entries[{at}].hash"), expected, got)
        }
        other => ChainError::ledger(&format!("entries[{at}]"), other),
    };
    if let [only] = parts.as_slice() {
        return entries.check_range(only.clone()).map_err(fault);
    }
    std::thread::scope(|scope| {
        let check = |part| scope.spawn(move || entries.check_range(part));
        let running: Vec<_> = parts.into_iter().map(check).collect();
        for thread in running {
            match thread.join() {
                Ok(checked) => checked.map_err(fault)?,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok(())
    })
}

/// Ranges with about equal hash counts, one per thread.
fn parts(entries: &SolanaEntries) -> Vec<Range<usize>> {
    let all = entries.entries();
    let hashes = all.iter().fold(0_u64, |sum, entry| sum.saturating_add(entry.num_hashes.into()));
    let cores = available_parallelism().map_or(1, |cores| u64::try_from(cores.get()).unwrap_or(1));
    let count = hashes.checked_div(HASHES_PER_THREAD).unwrap_or(1).clamp(1, cores.max(1));
    let each = hashes.checked_div(count).unwrap_or(hashes);
    let mut parts = Vec::new();
    let mut begin = 0;
    let mut sum = 0_u64;
    for (at, entry) in all.iter().enumerate() {
        sum = sum.saturating_add(entry.num_hashes.into());
        let end = at.saturating_add(1);
        if sum >= each && end < all.len() {
            parts.push(begin..end);
            (begin, sum) = (end, 0);
        }
    }
    parts.push(begin..all.len());
    parts
}
