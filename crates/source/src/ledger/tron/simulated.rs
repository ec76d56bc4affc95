//! Simulated Tron blocks: unsigned TRX transfers.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use superroot_chain::UntrustedBlock;
use superroot_chain::ledger::tron::build::{Transfer, block};
use superroot_types::BlockNumber;

use crate::simulated::made::{BlockInputs, SimulatedBlock};

/// Largest transfer, in millionths of a TRX.
const AMOUNT_MAX: i64 = 1_000_000_000_000;
/// An address's first byte.
const ADDRESS_MARK: u8 = 0x41;

pub(crate) fn make(mut moment: BlockInputs<'_>) -> SimulatedBlock {
    let count = moment.count(0..24);
    let BlockInputs { number, parent_hash, timestamp, mut rng, .. } = moment;
    let timestamp_ms = i64::try_from(timestamp).map_or(i64::MAX, |time| time.saturating_mul(1_000));
    let transfers = (0..count).map(|_| transfer(&mut rng, timestamp_ms).encode()).collect();
    let witness = address(&mut rng);
    let number = BlockNumber(number);
    let made = block(number, parent_hash, timestamp_ms, &witness, transfers);
    let raw = made.expect("transfers are transactions");
    SimulatedBlock { hash: raw.hash, block: UntrustedBlock::Tron(Box::new(raw)), state: Vec::new() }
}

fn transfer(rng: &mut ChaCha8Rng, timestamp_ms: i64) -> Transfer {
    let mut signature = [0; 65];
    rng.fill(&mut signature[..]);
    Transfer {
        owner: address(rng),
        to: address(rng),
        amount: rng.random_range(1..AMOUNT_MAX),
        timestamp_ms: timestamp_ms.saturating_sub(rng.random_range(0..60_000_i64)),
        signature,
    }
}

fn address(rng: &mut ChaCha8Rng) -> [u8; 21] {
    let mut address = [ADDRESS_MARK; 21];
    rng.fill(&mut address[1..]);
    address
}
