//! What JSON adds to a proof, against writing and reading plain JSON and against the check alone.

#[path = "../../proof/benches/ratio/mod.rs"]
mod ratio;

use std::fs;
use std::path::Path;

use divan::{Bencher, black_box};
use ratio::Ratios;
use serde_json::Value;
use superroot_chain::ChainRegistry;
use superroot_proof::bundle::{Bundle, Facts, Policy, ProofSubject, verify};
use superroot_types::Hash;
use superroot_wire::{CheckedBody, Shape, check_body, render};

fn main() {
    divan::main();
    let ratios = Ratios::of("wire");
    let proof = Transaction::load();
    let n = proof.body.len();
    let none = || ();
    let plain: Value = serde_json::from_slice(&proof.body).unwrap();
    let write = || serde_json::to_vec(&plain).unwrap();
    let name = format!("render/n={n}");
    ratios.print(&name, "writing the same as plain JSON", none, |()| proof.render(), write);
    let read = || serde_json::from_slice::<Value>(&proof.body).unwrap();
    let name = format!("check_body/n={n}");
    ratios.print(
        &name,
        "reading the same as plain JSON",
        none,
        |()| proof.check(&proof.body),
        read,
    );
    let check = || verify(&proof.bundle, &policy()).unwrap();
    ratios.print(&name, "the check alone", none, |()| proof.check(&proof.body), check);
    let file = proof.bundle.encode();
    let name = format!("check_file/n={}", file.len());
    ratios.print(&name, "the check alone", none, |()| proof.check(&file), check);
}

fn policy() -> Policy<'static> {
    Policy::strict(ChainRegistry::builtin().proof_registry())
}

/// The proof of a real transaction, and its answer.
struct Transaction {
    bundle: Bundle,
    facts: Facts,
    trusted: Hash,
    body: Vec<u8>,
}

impl Transaction {
    fn load() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/real/ethereum.json");
        let text = fs::read(path).expect("vectors/real is there");
        let list: Vec<Value> = serde_json::from_slice(&text).expect("a list of vectors");
        let read = |one: &Value| {
            let bytes = const_hex::decode(one["proof"].as_str().unwrap()).unwrap();
            let trusted = one["trusted"].as_str().unwrap().parse().unwrap();
            (Bundle::decode(&bytes).unwrap(), trusted)
        };
        let is_transaction = |(bundle, _): &(Bundle, Hash)| {
            matches!(bundle.statement.subject, ProofSubject::Transaction { .. })
        };
        let (bundle, trusted) = list.iter().map(read).find(is_transaction).expect("a transaction");
        let facts = verify(&bundle, &policy()).unwrap().into_inner();
        let body = render(&bundle, &facts, Shape::V5).to_string().into_bytes();
        Self { bundle, facts, trusted, body }
    }

    /// The answer as a service writes it.
    fn render(&self) -> Vec<u8> {
        serde_json::to_vec(&render(&self.bundle, &self.facts, Shape::V5)).unwrap()
    }

    /// The whole check of a client.
    fn check(&self, body: &[u8]) -> CheckedBody {
        check_body(body, &policy(), Some(&self.trusted)).unwrap()
    }
}

#[divan::bench]
fn render_transaction(bencher: Bencher<'_, '_>) {
    let proof = Transaction::load();
    bencher.bench_local(|| black_box(&proof).render());
}

#[divan::bench]
fn check_body_of_transaction(bencher: Bencher<'_, '_>) {
    let proof = Transaction::load();
    bencher.bench_local(|| proof.check(black_box(&proof.body)));
}

#[divan::bench]
fn check_file_of_transaction(bencher: Bencher<'_, '_>) {
    let proof = Transaction::load();
    let file = proof.bundle.encode();
    bencher.bench_local(|| proof.check(black_box(&file)));
}
