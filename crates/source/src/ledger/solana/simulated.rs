//! Simulated Solana-family blocks: ticks, and records with signed payments. Every 20th slot is skipped.

use ed25519_dalek::{Signer, SigningKey};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use superroot_chain::UntrustedBlock;
use superroot_chain::ledger::solana::{RawEntry, RawSolanaBlock, TICKS_PER_SLOT};
use superroot_proof::ledger::solana::{mixin, plain, record, signature_leaf, signatures};
use superroot_types::{BlockNumber, Hash};

use crate::simulated::made::{BlockInputs, SimulatedBlock};

/// Blocks between skipped slots.
const BLOCKS_PER_SKIPPED: u64 = 19;
const PAYMENTS_MAX: u64 = 12;
/// Program for lamport transfers; the next constant is the instruction.
const SYSTEM_PROGRAM: [u8; 32] = [0; 32];
const TRANSFER: u32 = 2;

pub(crate) fn make(mut moment: BlockInputs<'_>) -> SimulatedBlock {
    let payments = moment.count(0..PAYMENTS_MAX);
    let BlockInputs { number, parent_hash, timestamp, mut rng, .. } = moment;
    let slot = slot_of(number);
    let parent_slot = slot_of(number.saturating_sub(1));
    let tick_count = slot.saturating_sub(parent_slot).max(1) * TICKS_PER_SLOT;
    // so that two branches differ, also where nobody pays
    let hashes_per_tick = rng.random_range(8..24_u32);
    // a leader records in the ticks of its own slot
    let own = tick_count - TICKS_PER_SLOT;
    let mut at_ticks: Vec<u64> = (0..payments).map(|_| rng.random_range(own..tick_count)).collect();
    at_ticks.sort_unstable();
    let mut entries = Vec::new();
    let mut last = parent_hash;
    let mut at_ticks = at_ticks.into_iter().peekable();
    for tick in 0..tick_count {
        let mut left = hashes_per_tick;
        let mut transactions = Vec::new();
        while at_ticks.next_if_eq(&tick).is_some() {
            transactions.push(payment(&parent_hash, &mut rng));
        }
        if !transactions.is_empty() {
            let num_hashes = rng.random_range(1..hashes_per_tick);
            let before = plain(&last, num_hashes - 1);
            let leaves = transactions.iter().filter_map(|raw| signatures(raw).ok()).flatten();
            let leaves: Vec<Hash> = leaves.map(signature_leaf).collect();
            last = record(&before, &mixin(&leaves).unwrap_or(Hash::ZERO));
            entries.push(RawEntry { num_hashes: num_hashes.into(), hash: last, transactions });
            left -= num_hashes;
        }
        last = plain(&last, left);
        entries.push(RawEntry { num_hashes: left.into(), hash: last, transactions: Vec::new() });
    }
    let raw = RawSolanaBlock {
        number: BlockNumber(number),
        slot,
        parent_slot,
        hash: last,
        parent_hash,
        time: timestamp,
        entries: Some(entries),
    };
    SimulatedBlock { block: UntrustedBlock::Solana(Box::new(raw)), hash: last, state: Vec::new() }
}

const fn slot_of(number: u64) -> u64 {
    number.saturating_add(number / BLOCKS_PER_SKIPPED)
}

fn payment(recent_blockhash: &Hash, rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut seed = [0; 32];
    let mut to = [0; 32];
    rng.fill(&mut seed);
    rng.fill(&mut to);
    let key = SigningKey::from_bytes(&seed);
    // one signs, none of those that sign is only read, and one of the others
    let mut message = vec![1, 0, 1, 3];
    for account in [&key.verifying_key().to_bytes(), &to, &SYSTEM_PROGRAM] {
        message.extend_from_slice(account);
    }
    message.extend_from_slice(&recent_blockhash.0);
    // one instruction: of the third account, with the first two, in 12 bytes
    message.extend_from_slice(&[1, 2, 2, 0, 1, 12]);
    message.extend_from_slice(&TRANSFER.to_le_bytes());
    message.extend_from_slice(&rng.random_range(1_000..10_000_000_000_u64).to_le_bytes());
    let mut raw = vec![1];
    raw.extend_from_slice(&key.sign(&message).to_bytes());
    raw.extend_from_slice(&message);
    raw
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng;
    use superroot_chain::{ChainRegistry, verify};

    use super::*;

    #[test]
    fn made_blocks_hold_and_stand_on_each_other() {
        let row = ChainRegistry::builtin().find("solana").unwrap().clone().as_simulated();
        let (mut parent_hash, mut records, mut skipped) = (Hash([1; 32]), 0, 0);
        for number in 1..60 {
            let made = make(BlockInputs {
                row: &row,
                number,
                parent_hash,
                state: &[],
                timestamp: 1_700_000_000 + number,
                is_quiet: number % 7 == 0,
                transactions: None,
                rng: ChaCha8Rng::seed_from_u64(number),
            });
            let block = verify(&row, &made.block).unwrap();
            assert_eq!((block.hash(), block.parent_hash()), (made.hash, parent_hash));
            let UntrustedBlock::Solana(raw) = &made.block else { panic!() };
            skipped += raw.slot - raw.parent_slot - 1;
            records += block.tx_count().unwrap();
            parent_hash = made.hash;
        }
        assert!(records > 100 && skipped == 3, "{records} {skipped}");
    }
}
