//! `vectors/real/calldata-bitcoin.json`: proofs of a real block of Bitcoin in the form for contracts.

use serde::{Deserialize, Serialize};
use superroot_chain::ledger::bitcoin::RawBitcoinBlock;
use superroot_chain::{ChainRegistry, UntrustedBlock, verify as verify_block};
use superroot_proof::bundle::*;
use superroot_proof::ledger::bitcoin::BitcoinTransactionTree;
use superroot_proof::superroot::log_id;
use superroot_types::*;

use crate::made::{ORIGIN, anchored};
use crate::{read, same_in_file};

/// A block of 2,500 transactions; its number is told by its coinbase.
const HASH: &str = "000000000000000000000c835b2adcaedc20fdf6ee440009c249452c726dafae";
const NUMBER: BlockNumber = BlockNumber(702_861);

/// A proof of a real block.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RealBitcoinCalldata {
    name: String,
    origin: String,
    log_id: Hash,
    block_number: u64,
    /// As hashed; explorers show it reversed.
    block_hash: Hash,
    /// `block`, `transaction` or `event`, which is an output.
    shows: String,
    open: bool,
    tx_index: Option<u32>,
    output_index: Option<u32>,
    /// As hashed.
    transaction_hash: Option<Hash>,
    value_sats: Option<u64>,
    /// In hex.
    script: Option<String>,
    sequence: u64,
    trusted: Hash,
    calldata: String,
}

fn real(bundle: &Bundle) -> RealBitcoinCalldata {
    let policy = Policy::strict(ChainRegistry::builtin().proof_registry());
    let facts = verify(bundle, &policy).unwrap();
    let statement = facts.statement;
    let open = matches!(bundle.place(), Some(TwigPosition::Open(_)));
    let output = facts.output().map(|proven| &proven.output);
    let place = [statement.tx_index(), statement.log_index()];
    let place = place.into_iter().flatten().map(|index| format!(" {index}")).collect::<String>();
    let twig = if open { "open" } else { "sealed" };
    RealBitcoinCalldata {
        name: format!("bitcoin {} {}{place} {twig}", statement.number, statement.subject.name()),
        origin: ORIGIN.to_owned(),
        log_id: log_id(ORIGIN).unwrap(),
        block_number: statement.number.0,
        block_hash: facts.block_hash.unwrap(),
        shows: statement.subject.name().to_owned(),
        open,
        tx_index: statement.tx_index(),
        output_index: statement.log_index(),
        transaction_hash: facts.transaction.as_ref().map(|transaction| transaction.hash),
        value_sats: output.map(|output| output.value_sats),
        script: output.map(|output| const_hex::encode(&output.script_pubkey)),
        sequence: facts.super_root.unwrap().sequence.0,
        trusted: facts.super_root_hash().unwrap(),
        calldata: const_hex::encode(bundle.to_calldata().unwrap()),
    }
}

/// Proofs of the block's first, last and some more transactions, and of outputs of each; none without the data.
fn made() -> Vec<RealBitcoinCalldata> {
    let Some(data) = std::env::var_os("SUPERROOT_DATA") else { return Vec::new() };
    let file = format!("other/bitcoin/btc/mainnet_block_{HASH}.raw");
    let bytes = std::fs::read(std::path::Path::new(&data).join(file)).expect("the raw block");
    let mut hash: [u8; 32] = const_hex::decode(HASH).unwrap().try_into().unwrap();
    hash.reverse();
    let raw = RawBitcoinBlock { number: NUMBER, hash: Hash(hash), bytes };
    let row = ChainRegistry::builtin().find("bitcoin").unwrap();
    let block = verify_block(row, &UntrustedBlock::Bitcoin(Box::new(raw))).unwrap();
    let tree = BitcoinTransactionTree::build(block.transactions().unwrap().to_vec());
    let last = u32::try_from(tree.leaves().len()).unwrap() - 1;
    let mut subjects = vec![ProofSubject::Block];
    for tx_index in (0..=last).step_by(131).chain([1, last]) {
        subjects.push(ProofSubject::Transaction { tx_index });
        for log_index in 0..4 {
            subjects.push(ProofSubject::Log { tx_index, log_index });
        }
    }
    let mut found = Vec::new();
    for (nth, subject) in subjects.into_iter().enumerate() {
        for open in [false, true].into_iter().skip(nth % 2).step_by(2) {
            let bundle = Bundle {
                origin: ORIGIN.to_owned(),
                statement: Statement { chain: row.key(), number: NUMBER, subject },
                entry: tree.branches(subject).unwrap().map(EntryProof::Bitcoin),
                block: Some(anchored(row.key(), NUMBER, block.header(), open)),
            };
            let policy = Policy::strict(ChainRegistry::builtin().proof_registry());
            // a transaction of fewer outputs
            if verify(&bundle, &policy).is_ok() {
                found.push(real(&bundle));
            }
        }
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found.dedup_by(|one, other| one.name == other.name);
    found
}

#[test]
fn real_proofs_of_bitcoin_have_a_form_for_contracts() {
    let made = made();
    let vectors: Vec<RealBitcoinCalldata> = match made.is_empty() {
        true => {
            eprintln!("SKIPPED: SUPERROOT_DATA is not set, real proofs are read and not made");
            read("real/calldata-bitcoin.json")
        }
        false => same_in_file("real/calldata-bitcoin.json", &made, |one| &one.name),
    };
    let policy = Policy::strict(ChainRegistry::builtin().proof_registry());
    for vector in &vectors {
        let bytes = const_hex::decode(&vector.calldata).unwrap();
        let bundle = Bundle::from_calldata(&bytes, &vector.origin).unwrap();
        assert_eq!(bundle.to_calldata().unwrap(), bytes, "{}", vector.name);
        let facts = verify_anchored(&bundle, &policy, &vector.trusted).unwrap();
        assert_eq!(facts.statement.number.0, vector.block_number);
        assert_eq!(facts.output().map(|one| one.output.value_sats), vector.value_sats);
    }
    let outputs = vectors.iter().filter(|one| one.shows == "event").count();
    assert!(vectors.len() >= 50 && outputs >= 30, "{} proofs, {outputs} outputs", vectors.len());
}
