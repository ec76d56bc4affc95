//! `vectors/valid/ledgers.json`: proofs of each ledger that hold.

use serde::{Deserialize, Serialize};
use superroot_chain::ChainRegistry;
use superroot_proof::bundle::*;
use superroot_types::*;

use super::{of_aptos, of_bitcoin, of_cosmos, of_icp, of_polkadot, of_solana, of_sui, of_tron};
use super::{policy, refused_at};
use crate::same_in_file;
use crate::world::{ETHEREUM, World};

/// A proof that holds, and what it shows.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Valid {
    /// Ledger, subject and block.
    name: String,
    /// Hash of the transaction, where the proof shows one.
    transaction_hash: Option<Hash>,
    /// Transactions of the block, where the proof shows how many there are.
    tx_count: Option<u32>,
    /// SuperRoot hash that it leads to.
    trusted: Hash,
    /// The `.srproof` file in hex.
    proof: String,
}

/// Proofs of the EVM family, in an open and in a sealed twig.
fn of_evm() -> (Hash, Vec<Bundle>) {
    let world = World::of(ChainRegistry::builtin().proof_registry().clone()).filled();
    let last = world.published.len() - 1;
    let tx = ProofSubject::Transaction { tx_index: 3 };
    let log = ProofSubject::Log { tx_index: 3, log_index: 2 };
    let absence = ProofSubject::Absence { tx_index: 4 };
    let mut all = Vec::new();
    for (subject, both) in [(tx, true), (log, false), (log, true), (absence, true)] {
        all.push(world.prove(ETHEREUM, 4099, subject, both, last));
    }
    all.push(world.prove(ETHEREUM, 6160, ProofSubject::Block, false, last));
    all.push(world.prove(ETHEREUM, 6160, ProofSubject::Transaction { tx_index: 0 }, true, last));
    (world.root(last), all)
}

fn subject_name(subject: ProofSubject) -> String {
    let name = subject.name();
    match subject {
        ProofSubject::Block => name.to_owned(),
        ProofSubject::Log { tx_index, log_index } => format!("{name} {tx_index}/{log_index}"),
        ProofSubject::Transaction { tx_index } | ProofSubject::Absence { tx_index } => {
            format!("{name} {tx_index}")
        }
    }
}

fn all() -> Vec<Valid> {
    let mut all: Vec<Valid> = Vec::new();
    for (trusted, bundles) in [
        of_evm(),
        of_aptos::valid(),
        of_bitcoin::valid(),
        of_cosmos::valid(),
        of_icp::valid(),
        of_polkadot::valid(),
        of_solana::valid(),
        of_sui::valid(),
        of_tron::valid(),
    ] {
        for bundle in bundles {
            let facts = verify_anchored(&bundle, &policy(), &trusted).unwrap();
            let Statement { chain, number, subject } = bundle.statement;
            let name = format!("{}, block {number}, {}", chain.family, subject_name(subject));
            let again = all.iter().filter(|one| one.name.starts_with(&name)).count();
            let name = if again > 0 { format!("{name}, form {}", again + 1) } else { name };
            all.push(Valid {
                name,
                transaction_hash: facts.transaction.as_ref().map(|proven| proven.hash),
                tx_count: facts.tx_count,
                trusted,
                proof: const_hex::encode(bundle.encode()),
            });
        }
    }
    all
}

#[test]
fn every_valid_proof_of_each_ledger_holds() {
    let vectors = same_in_file("valid/ledgers.json", &all(), |one| &one.name);
    for vector in &vectors {
        let bytes = const_hex::decode(&vector.proof).unwrap();
        assert_eq!(refused_at(&bytes, &vector.trusted), None, "{}", vector.name);
    }
    assert!(vectors.len() >= 45, "{} valid proofs", vectors.len());
}
