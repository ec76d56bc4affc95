//! Simulated Polkadot-family blocks: the time, some signed extrinsics, and events for each; every fourth block with votes.

use rand::RngExt;
use superroot_chain::ledger::polkadot::{BlockPlan, build_block, read_header, timestamp_extrinsic};
use superroot_chain::{Ledger, UntrustedBlock};
use superroot_proof::ledger::polkadot::{StateVersion, babe_slot_item, scheduled_change_item};
use superroot_types::BlockNumber;

use super::authorities::{SET_BLOCKS, SimulatedAuthorities};
use crate::simulated::made::{BlockInputs, SimulatedBlock};

/// First byte of a signed extrinsic, format 4.
const SIGNED: u8 = 0x84;
/// Blocks from one with votes to the next.
const VOTED_BLOCKS: u64 = 4;
const SLOT_SECONDS: u64 = 6;

pub(crate) fn make(mut moment: BlockInputs<'_>) -> SimulatedBlock {
    let count = moment.count(0..12);
    let BlockInputs { row, number, parent_hash, timestamp, mut rng, .. } = moment;
    let pallet =
        if let Ledger::Polkadot(params) = &row.ledger { params.timestamp_pallet } else { 0 };
    let mut extrinsics = vec![timestamp_extrinsic(pallet, timestamp * 1_000)];
    let mut events = vec![event(0, &[0; 8])];
    for tx_index in 1..=count {
        let mut body = vec![0; rng.random_range(100..180_usize)];
        rng.fill(&mut body[..]);
        body[0] = SIGNED;
        let index = u32::try_from(tx_index).unwrap_or(u32::MAX);
        for _ in 0..rng.random_range(1..4_u32) {
            let mut data = [0; 72];
            rng.fill(&mut data);
            events.push(event(index, &data));
        }
        extrinsics.push(body);
    }
    let mut seal = [0; 64];
    rng.fill(&mut seal);
    let signers = SimulatedAuthorities::at(number);
    let mut digest = vec![babe_slot_item(0, timestamp / SLOT_SECONDS)];
    if number.is_multiple_of(SET_BLOCKS) {
        digest.push(scheduled_change_item(&signers.next().list()));
    }
    digest.push([&b"\x05BABE\x01\x01"[..], &seal].concat());
    let number = BlockNumber(number);
    let version = StateVersion::V1;
    let plan = BlockPlan { number, parent_hash, version, extrinsics, events, digest };
    let mut raw = build_block(&plan);
    if number.0.is_multiple_of(VOTED_BLOCKS) {
        raw.votes = read_header(&raw.header).ok().map(|header| signers.votes(&header));
    }
    let hash = raw.hash;
    SimulatedBlock { block: UntrustedBlock::Polkadot(Box::new(raw)), hash, state: Vec::new() }
}

/// Event record: extrinsic phase, pallet and event, data, no topics.
fn event(tx_index: u32, data: &[u8]) -> Vec<u8> {
    [&[0][..], &tx_index.to_le_bytes(), &[0, 0], data, &[0]].concat()
}
