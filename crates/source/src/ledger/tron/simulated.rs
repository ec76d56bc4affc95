//! Simulated Tron blocks: unsigned TRX transfers in blocks signed by producers in turn, every 20th with the headers before.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use superroot_chain::UntrustedBlock;
use superroot_chain::ledger::Ledger;
use superroot_chain::ledger::tron::build::{Transfer, block};
use superroot_chain::ledger::tron::{RUN_BLOCKS, RawTronBlock, RawTronHeader};
use superroot_proof::finality::producers::ProducerParams;
use superroot_types::BlockNumber;

use super::signers::{KeptHeaders, SimulatedProducer};
use crate::simulated::made::{BlockInputs, SimulatedBlock};

/// Largest transfer, in millionths of a TRX.
const AMOUNT_MAX: i64 = 1_000_000_000_000;
/// An address's first byte.
const ADDRESS_MARK: u8 = 0x41;

pub(crate) fn make(mut moment: BlockInputs<'_>) -> SimulatedBlock {
    let count = moment.count(0..24);
    let BlockInputs { row, number, parent_hash, state, timestamp, mut rng, .. } = moment;
    let params = match &row.ledger {
        Ledger::Tron(params) => params.producers,
        _ => ProducerParams::SIMULATED,
    };
    let mut kept = KeptHeaders::read(state);
    let set = kept.set(&params).or_else(|| params.set_of(timestamp)).unwrap_or_default();
    let producer = SimulatedProducer::in_turn(set, number);
    let timestamp_ms = i64::try_from(timestamp).map_or(i64::MAX, |time| time.saturating_mul(1_000));
    let transfers = (0..count).map(|_| transfer(&mut rng, timestamp_ms).encode()).collect();
    let made = block(BlockNumber(number), parent_hash, timestamp_ms, &producer.address, transfers);
    let raw = made.expect("transfers are transactions");
    let signature = producer.sign(&raw.header);
    kept.0.push(RawTronHeader { header: raw.header.clone(), signature: signature.clone() });
    let has_run = number.is_multiple_of(RUN_BLOCKS);
    let run = if has_run { kept.run(&params) } else { Vec::new() };
    kept.shorten(&params, has_run);
    let raw = RawTronBlock { signature: Some(signature), run, ..raw };
    let hash = raw.hash;
    SimulatedBlock { block: UntrustedBlock::Tron(Box::new(raw)), hash, state: kept.write() }
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
