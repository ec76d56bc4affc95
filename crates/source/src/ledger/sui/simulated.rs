//! Simulated Sui-family checkpoints: no-op transactions, some failing, and events.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use superroot_chain::UntrustedBlock;
use superroot_chain::ledger::sui::{
    CheckpointPlan, TransactionPlan, build_checkpoint, sign_summary, simulated_members,
};
use superroot_types::Hash;

use crate::simulated::made::{BlockInputs, SimulatedBlock};

/// A simulated epoch's checkpoints.
const EPOCH_CHECKPOINTS: u64 = 16;

/// Makes the next checkpoint. Parent state: the network's transaction count.
pub(crate) fn make(mut moment: BlockInputs<'_>) -> SimulatedBlock {
    let count = moment.count(1..8);
    let BlockInputs { number, parent_hash, state, timestamp, mut rng, .. } = moment;
    let transactions_before = state.try_into().map_or(0, u64::from_be_bytes);
    let epoch = number / EPOCH_CHECKPOINTS;
    let is_last = (number + 1).is_multiple_of(EPOCH_CHECKPOINTS);
    let plan = CheckpointPlan {
        epoch,
        sequence_number: number,
        previous_digest: parent_hash,
        transactions_before,
        timestamp_ms: timestamp * 1_000,
        transactions: (0..count).map(|_| transaction(&mut rng)).collect(),
        next_committee: is_last.then(|| simulated_members(epoch + 1)),
    };
    let mut raw = build_checkpoint(&plan);
    raw.certificate = sign_summary(&raw.summary, epoch);
    let hash = raw.digest;
    let total = transactions_before + count;
    let block = UntrustedBlock::Sui(Box::new(raw));
    SimulatedBlock { block, hash, state: total.to_be_bytes().to_vec() }
}

fn transaction(rng: &mut ChaCha8Rng) -> TransactionPlan {
    let mut sender = [0; 32];
    let mut input = [0; 16];
    rng.fill(&mut sender);
    rng.fill(&mut input);
    let is_success = rng.random_range(0..10_u8) > 0;
    let event_count = rng.random_range(0..4_usize);
    let events = (0..event_count).map(|_| rng.random::<[u8; 24]>().to_vec()).collect();
    TransactionPlan { sender: Hash(sender), input: input.to_vec(), is_success, events }
}
