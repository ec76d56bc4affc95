//! Simulated Aptos blocks: versions with events, on the accumulator of earlier versions, with signed ledger infos.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use superroot_chain::UntrustedBlock;
use superroot_chain::ledger::aptos::{RawAptosBlock, RawVersions};
use superroot_proof::ledger::aptos::{ExecutionStatus, Frozen, Info, event_root, info_hash};
use superroot_types::{BlockNumber, Hash};

use super::signers::{SimulatedVersion, sign_version};
use crate::simulated::made::{BlockInputs, SimulatedBlock};

/// Makes the next block. Parent state: count and roots of the frozen subtrees.
pub(crate) fn make(mut moment: BlockInputs<'_>) -> SimulatedBlock {
    let count = moment.count(2..16);
    let BlockInputs { number, parent_hash, state, timestamp, mut rng, .. } = moment;
    // before the first block stands one leaf: the hash of what is not there
    let first = || Frozen::new(1, vec![parent_hash]).unwrap_or_else(Frozen::empty);
    let before = frozen_of(state).unwrap_or_else(first);
    let mut infos = Vec::new();
    let mut all_events = Vec::new();
    for _ in 0..count {
        let events: Vec<Vec<u8>> =
            (0..rng.random_range(0..4_u64)).map(|_| event(&mut rng)).collect();
        infos.push(info(&mut rng, event_root(&events)).encode());
        all_events.push(Some(events));
    }
    let leaves: Vec<Hash> = infos.iter().map(|info| info_hash(info)).collect();
    let after = before.with(&leaves).unwrap_or_else(Frozen::empty);
    let hash = after.root();
    let versions = RawVersions {
        first_version: before.count(),
        frozen: before.roots().to_vec(),
        infos,
        events: all_events,
    };
    let timestamp_us = timestamp.saturating_mul(1_000_000);
    let version = after.count().saturating_sub(1);
    let signed = sign_version(SimulatedVersion { number, root: hash, version, timestamp_us });
    let raw = RawAptosBlock {
        number: BlockNumber(number),
        hash,
        parent_hash,
        timestamp_us,
        versions: Some(versions),
        ledger_info: Some(signed),
    };
    let roots = after.roots().iter().flat_map(|root| root.0);
    let state = after.count().to_be_bytes().into_iter().chain(roots).collect();
    SimulatedBlock { block: UntrustedBlock::Aptos(Box::new(raw)), hash, state }
}

fn frozen_of(state: &[u8]) -> Option<Frozen> {
    let (count, roots) = state.split_first_chunk::<8>()?;
    let roots = roots.chunks_exact(32).filter_map(|root| root.try_into().ok().map(Hash));
    Frozen::new(u64::from_be_bytes(*count), roots.collect())
}

fn info(rng: &mut ChaCha8Rng, event_root: Hash) -> Info {
    let status = match rng.random_range(0..12_u64) {
        0 => ExecutionStatus::MoveAbort { code: rng.random_range(1..70_000_u64), reason: None },
        1 => ExecutionStatus::OutOfGas,
        _ => ExecutionStatus::Success,
    };
    Info {
        gas_used: rng.random_range(1..2_000_u64),
        status,
        transaction_hash: hash(rng),
        event_root,
        state_change_hash: hash(rng),
        state_checkpoint_hash: None,
        auxiliary_hash: None,
    }
}

/// Random event: a module event (fungible-asset deposit or withdrawal), or an event under an account's handle.
fn event(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let account = hash(rng).0;
    let amount = rng.random_range(1..1_000_000_000_u64).to_le_bytes();
    match rng.random_range(0..4_u64) {
        0 => {
            let sequence = rng.random_range(0..1_000_u64).to_le_bytes();
            let handle = [&[0][..], &2_u64.to_le_bytes(), &account, &sequence].concat();
            [handle, told("coin", "DepositEvent", &amount)].concat()
        }
        one => {
            let name = if one == 1 { "Withdraw" } else { "Deposit" };
            let value = [&account[..], &amount].concat();
            [vec![1], told("fungible_asset", name, &value)].concat()
        }
    }
}

/// Type of the framework at `0x1`, and a value; each length is below 128.
fn told(module: &str, name: &str, value: &[u8]) -> Vec<u8> {
    let mut framework = [0; 32];
    framework[31] = 1;
    let with_length = |bytes: &[u8]| [&[u8::try_from(bytes.len()).unwrap_or(0)], bytes].concat();
    let module = with_length(module.as_bytes());
    let name = with_length(name.as_bytes());
    [&[7][..], &framework, &module, &name, &[0], &with_length(value)].concat()
}

fn hash(rng: &mut ChaCha8Rng) -> Hash {
    let mut bytes = [0; 32];
    rng.fill(&mut bytes);
    Hash(bytes)
}
