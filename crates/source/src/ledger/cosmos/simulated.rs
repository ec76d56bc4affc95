//! Simulated Cosmos-family blocks: valid headers, every fourth with votes, over Cosmos SDK transactions
//! (`cosmos.tx.v1beta1.TxRaw`) with account-to-account payments.

use bech32::{Bech32, Hrp};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use superroot_chain::UntrustedBlock;
use superroot_chain::ledger::Ledger;
use superroot_chain::ledger::cosmos::build::{CosmosBlockPlan, block, header};
use superroot_chain::ledger::cosmos::{RawCosmosBlock, RawCosmosHeader};
use superroot_proof::ledger::cosmos::Header;
use superroot_types::{BlockNumber, Hash};

use super::votes::SimulatedSigners;
use crate::simulated::made::{BlockInputs, SimulatedBlock};

const SEND: &str = "/cosmos.bank.v1beta1.MsgSend";
/// Largest payment, in millionths of an ATOM.
const AMOUNT_MAX: u64 = 5_000_000_000;
/// Blocks from one with votes to the next.
const COMMIT_BLOCKS: u64 = 4;

pub(crate) fn make(mut moment: BlockInputs<'_>) -> SimulatedBlock {
    let count = moment.count(0..12);
    let BlockInputs { row, number, parent_hash, timestamp, mut rng, .. } = moment;
    let mut app_hash = [0; 32];
    let mut proposer_address = [0; 20];
    rng.fill(&mut app_hash);
    rng.fill(&mut proposer_address);
    let chain_id = row.caip2.split_once(':').map_or("", |(_, reference)| reference);
    let plan = CosmosBlockPlan {
        chain_id: chain_id.to_owned(),
        number: BlockNumber(number),
        parent_hash,
        time: (timestamp, rng.random_range(0..1_000_000_000_u32)),
        app_hash: Hash(app_hash),
        proposer_address,
        transactions: (0..count).map(|_| payment(&mut rng)).collect(),
    };
    let set_blocks = match &row.ledger {
        Ledger::Cosmos(params) => params.set_blocks,
        _ => 1,
    };
    let signers = SimulatedSigners::at(number, set_blocks);
    let next = SimulatedSigners::at(number.saturating_add(1), set_blocks);
    let header = Header {
        validators_hash: signers.hash(),
        next_validators_hash: next.hash(),
        ..header(&plan)
    };
    let raw = RawCosmosBlock {
        hash: header.hash(),
        header: RawCosmosHeader::from(&header),
        commit: number.is_multiple_of(COMMIT_BLOCKS).then(|| signers.commit(&header)),
        ..block(&plan)
    };
    let hash = raw.hash;
    SimulatedBlock { block: UntrustedBlock::Cosmos(Box::new(raw)), hash, state: Vec::new() }
}

/// `TxRaw { body, auth_info, signatures }` with a single message. Account and signature are random.
fn payment(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut account = || {
        let mut bytes = [0_u8; 20];
        rng.fill(&mut bytes);
        bech32::encode::<Bech32>(Hrp::parse_unchecked("cosmos"), &bytes).unwrap_or_default()
    };
    let from = account();
    let to = account();
    let amount = rng.random_range(1..AMOUNT_MAX).to_string();
    let coin = [field(1, b"uatom"), field(2, amount.as_bytes())].concat();
    let send = [field(1, from.as_bytes()), field(2, to.as_bytes()), field(3, &coin)].concat();
    let message = [field(1, SEND.as_bytes()), field(2, &send)].concat();
    let mut signature = [0; 64];
    rng.fill(&mut signature);
    let body = field(1, &message);
    [field(1, &body), field(2, &[]), field(3, &signature)].concat()
}

/// Protobuf length-delimited field, shorter than 2^14 bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    match u8::try_from(bytes.len()) {
        Ok(length @ 0..=0x7f) => out.push(length),
        _ => {
            let [low, ..] = bytes.len().to_le_bytes();
            let high = u8::try_from(bytes.len() >> 7).unwrap_or(u8::MAX);
            out.extend_from_slice(&[low | 0x80, high]);
        }
    }
    out.extend_from_slice(bytes);
    out
}
