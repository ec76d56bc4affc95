//! Simulated ICP ledger blocks: mints, transfers, burns and approvals.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use superroot_chain::ledger::icp::{RawIcpBlock, encode_block, sign_certificate};
use superroot_chain::{Ledger, UntrustedBlock};
use superroot_proof::hash::sha256_joined;
use superroot_proof::ledger::icp::{DEFAULT_FEE_E8S, IcpAccount, Operation, Transaction};
use superroot_types::BlockNumber;

use crate::simulated::made::{BlockInputs, SimulatedBlock};

/// Blocks from one that was seen as the newest, with its certificate, to the next.
const CERTIFIED_EACH: u64 = 8;
const SECOND: u64 = 1_000_000_000;
/// Largest amount per operation, in e8s: 100,000 ICP.
const AMOUNT_E8S_MAX: u64 = 10_000_000_000_000;

pub(crate) fn make(moment: BlockInputs<'_>) -> SimulatedBlock {
    let BlockInputs { row, number, parent_hash, timestamp, mut rng, .. } = moment;
    let nanos = timestamp.saturating_mul(SECOND).saturating_add(rng.random_range(0..SECOND));
    let transaction = transaction(&mut rng, nanos);
    let bytes = encode_block(Some(&parent_hash), nanos, &transaction);
    let hash = sha256_joined(&[&bytes]);
    let is_certified = number.is_multiple_of(CERTIFIED_EACH);
    let certificate = match &row.ledger {
        Ledger::Icp(params) if is_certified => {
            Some(sign_certificate(&params.canister, &hash.0, nanos))
        }
        _ => None,
    };
    let raw = RawIcpBlock { number: BlockNumber(number), hash, bytes, certificate };
    SimulatedBlock { block: UntrustedBlock::Icp(Box::new(raw)), hash, state: Vec::new() }
}

fn transaction(rng: &mut ChaCha8Rng, nanos: u64) -> Transaction {
    let amount_e8s = rng.random_range(1..AMOUNT_E8S_MAX);
    let fee_e8s = DEFAULT_FEE_E8S;
    let from = account(rng);
    let to = account(rng);
    let spender = rng.random_bool(0.2).then(|| account(rng));
    let operation = match rng.random_range(0..10_u8) {
        0 => Operation::Mint { to, amount_e8s },
        1 => Operation::Burn { from, amount_e8s, spender },
        2 => Operation::Approve {
            from,
            spender: to,
            allowance_e8s: amount_e8s,
            expected_allowance_e8s: rng.random_bool(0.3).then_some(0),
            expires_at_nanos: rng.random_bool(0.5).then(|| nanos.saturating_add(3_600 * SECOND)),
            fee_e8s,
        },
        _ => Operation::Transfer { from, to, amount_e8s, fee_e8s, spender },
    };
    Transaction {
        operation,
        memo: rng.random_range(0..1_000),
        created_at_nanos: rng.random_bool(0.8).then_some(nanos),
        icrc1_memo: rng.random_bool(0.2).then(|| bytes::<32>(rng).to_vec()),
    }
}

fn account(rng: &mut ChaCha8Rng) -> IcpAccount {
    IcpAccount(bytes(rng))
}

fn bytes<const N: usize>(rng: &mut ChaCha8Rng) -> [u8; N] {
    let mut bytes = [0; N];
    rng.fill(&mut bytes[..]);
    bytes
}
