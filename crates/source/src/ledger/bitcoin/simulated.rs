//! Simulated Bitcoin-family blocks: a coinbase with the height, payments, and proof-of-work at the easiest target.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use superroot_chain::ledger::bitcoin::{EASY_BITS, RawBitcoinBlock, check_work};
use superroot_chain::{Ledger, UntrustedBlock};
use superroot_proof::ledger::bitcoin::{BitcoinTransactionTree, Header};
use superroot_types::{BlockNumber, Hash};

use crate::simulated::made::{BlockInputs, SimulatedBlock};

const REWARD_SATS: u64 = 312_500_000;
/// Largest output in sats.
const OUTPUT_SATS_MAX: u64 = 1_000_000_000;

pub(crate) fn make(mut moment: BlockInputs<'_>) -> SimulatedBlock {
    let count = moment.count(0..12);
    let BlockInputs { row, number, parent_hash, timestamp, mut rng, .. } = moment;
    let mut leaves = vec![coinbase(number)];
    leaves.extend((0..count).map(|_| payment(&mut rng)));
    let tree = BitcoinTransactionTree::build(leaves);
    let merkle_root = tree.root().unwrap_or(Hash::ZERO);
    let time = u32::try_from(timestamp).unwrap_or(u32::MAX);
    let mut header =
        Header { version: 0x2000_0000, parent_hash, merkle_root, time, bits: EASY_BITS, nonce: 0 };
    if let Ledger::Bitcoin(params) = &row.ledger {
        // every second try is enough
        while check_work(&header, params).is_err() && header.nonce < 1 << 20 {
            header.nonce += 1;
        }
    }
    let hash = header.hash();
    let mut bytes = header.encode().to_vec();
    bytes.extend(compact_size(tree.leaves().len()));
    bytes.extend(tree.leaves().concat());
    let raw = RawBitcoinBlock { number: BlockNumber(number), hash, bytes };
    SimulatedBlock { block: UntrustedBlock::Bitcoin(Box::new(raw)), hash, state: Vec::new() }
}

/// Bitcoin compact size, for counts below 65,536.
fn compact_size(count: usize) -> Vec<u8> {
    match u8::try_from(count) {
        Ok(small) if small < 0xfd => vec![small],
        Ok(_) | Err(_) => {
            let count = u16::try_from(count).unwrap_or(u16::MAX);
            [&[0xfd][..], &count.to_le_bytes()].concat()
        }
    }
}

/// Coinbase transaction: script begins with the height (BIP 34).
fn coinbase(number: u64) -> Vec<u8> {
    let mut script = superroot_chain::ledger::bitcoin::height_script(number);
    script.extend_from_slice(b"superroot simulated");
    transaction(&[(Hash::ZERO, u32::MAX, script)], &[(REWARD_SATS, [0x51; 20])])
}

/// Payment with one or two inputs and one to three outputs.
fn payment(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let inputs: Vec<_> = (0..rng.random_range(1..3_u64))
        .map(|_| {
            let mut previous = [0; 32];
            let mut script = vec![0; 65];
            rng.fill(&mut previous);
            rng.fill(&mut script[..]);
            (Hash(previous), rng.random_range(0..4_u32), script)
        })
        .collect();
    let outputs: Vec<_> = (0..rng.random_range(1..4_u64))
        .map(|_| {
            let mut to = [0; 20];
            rng.fill(&mut to);
            (rng.random_range(1_000..OUTPUT_SATS_MAX), to)
        })
        .collect();
    transaction(&inputs, &outputs)
}

/// Transaction without witnesses; outputs pay to a key hash (BIP 141).
fn transaction(inputs: &[(Hash, u32, Vec<u8>)], outputs: &[(u64, [u8; 20])]) -> Vec<u8> {
    // no list here is as long as 253
    let length = |count: usize| u8::try_from(count).unwrap_or(u8::MAX);
    let mut bytes = 2_u32.to_le_bytes().to_vec();
    bytes.push(length(inputs.len()));
    for (previous, index, script) in inputs {
        bytes.extend_from_slice(&previous.0);
        bytes.extend_from_slice(&index.to_le_bytes());
        bytes.push(length(script.len()));
        bytes.extend_from_slice(script);
        bytes.extend_from_slice(&u32::MAX.to_le_bytes());
    }
    bytes.push(length(outputs.len()));
    for (value_sats, to) in outputs {
        bytes.extend_from_slice(&value_sats.to_le_bytes());
        bytes.extend_from_slice(&[22, 0, 20]);
        bytes.extend_from_slice(to);
    }
    bytes.extend_from_slice(&0_u32.to_le_bytes());
    bytes
}
