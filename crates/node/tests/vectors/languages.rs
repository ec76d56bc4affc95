//! The verifiers in JavaScript and Python against this one, on proofs that were altered at random: same verdict, same step.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use superroot_types::Hash;

use crate::proofs::refused_at;
use crate::read;

/// Altered files, by default and with `SUPERROOT_TEST_ALL`.
const FILES: usize = 2_000;
const FILES_OF_ALL: usize = 20_000;
/// Names of the steps there, and those of the vectors.
const STEPS: [(&str, &str); 5] = [
    ("entry", "level 1 (entry)"),
    ("block", "level 2 (block)"),
    ("twig", "level 3 (twig)"),
    ("mini_mmr", "level 4 (mini_mmr)"),
    ("super_root", "level 5 (super_root)"),
];

/// A file, the SuperRoot that its reader trusts, and the step at which it fails.
struct Judged {
    proof: Vec<u8>,
    trusted: Hash,
    refused_at: Option<String>,
}

/// Proofs of all ledgers: valid, real and hostile ones.
fn proofs() -> Vec<(Vec<u8>, Hash)> {
    let files = ["valid/ledgers.json", "real/ethereum.json", "hostile/proofs.json"];
    let ledgers = ["aptos", "bitcoin", "cosmos", "icp", "polkadot", "solana", "sui", "tron"];
    let ledgers = ledgers.map(|ledger| format!("hostile/{ledger}.json"));
    let names = files.into_iter().map(str::to_owned).chain(ledgers);
    let rows = names.flat_map(|name| read::<Value>(&name));
    rows.map(|row| {
        let proof = const_hex::decode(row["proof"].as_str().unwrap()).unwrap();
        (proof, row["trusted"].as_str().unwrap().parse().unwrap())
    })
    .collect()
}

struct Dice(ChaCha8Rng);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0.random_range(0..bound.max(1))
    }

    /// One to three changes: a bit, a byte, a run of bytes that goes, comes twice, or is taken from another proof.
    fn altered(&mut self, proof: &[u8], other: &[u8]) -> Vec<u8> {
        let mut bytes = proof.to_vec();
        for _ in 0..=self.below(3) {
            let at = self.below(bytes.len());
            let end = (at + 1 + self.below(33)).min(bytes.len());
            match self.below(6) {
                0 | 1 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
                2 if at < bytes.len() => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][self.below(5)],
                3 => drop(bytes.drain(at..end)),
                4 => {
                    let run = bytes[at..end].to_vec();
                    bytes.splice(at..at, run);
                }
                _ => {
                    let from = self.below(other.len());
                    let to = (from + 32).min(other.len()).max(from);
                    let until = (at + to - from).min(bytes.len());
                    bytes.splice(at..until, other[from..to].iter().copied());
                }
            }
        }
        bytes
    }
}

fn judged() -> Vec<Judged> {
    let proofs = proofs();
    let count = match std::env::var_os("SUPERROOT_TEST_ALL") {
        Some(_) => FILES_OF_ALL,
        None => FILES,
    };
    let mut dice = Dice(ChaCha8Rng::seed_from_u64(49));
    let judge = |proof: Vec<u8>, trusted: Hash| {
        let refused_at = refused_at(&proof, &trusted);
        Judged { proof, trusted, refused_at }
    };
    let mut all: Vec<_> =
        proofs.iter().map(|(proof, trusted)| judge(proof.clone(), *trusted)).collect();
    for _ in 0..count {
        let (proof, trusted) = &proofs[dice.below(proofs.len())];
        let (other, _) = &proofs[dice.below(proofs.len())];
        all.push(judge(dice.altered(proof, other), *trusted));
    }
    all
}

/// Verdicts of a program, a line each.
fn verdicts(command: &mut Command, judged: &[Judged]) -> Vec<Option<String>> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let lines: Vec<_> = judged
        .iter()
        .map(|one| json!({ "proof": BASE64.encode(&one.proof), "trusted": one.trusted }))
        .collect();
    let writer = std::thread::spawn(move || {
        for line in lines {
            writeln!(stdin, "{line}").unwrap();
        }
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success(), "{command:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let read = |line: &str| serde_json::from_str::<Value>(line).unwrap();
    text.lines().map(|line| read(line)["step"].as_str().map(str::to_owned)).collect()
}

fn assert_agreed(language: &str, judged: &[Judged], said: &[Option<String>]) {
    assert_eq!(said.len(), judged.len(), "{language} answered fewer than it was asked");
    let name = |step: &str| {
        let known = STEPS.iter().find(|(theirs, _)| *theirs == step);
        known.map_or(step, |(_, ours)| *ours).to_owned()
    };
    let differ: Vec<_> = judged
        .iter()
        .zip(said)
        .filter(|(one, said)| one.refused_at != said.as_deref().map(name))
        .map(|(one, said)| {
            let proof = const_hex::encode(&one.proof);
            format!("{:?} here, {said:?} there, trusted {}: {proof}", one.refused_at, one.trusted)
        })
        .collect();
    let shown: Vec<_> = differ.iter().take(5).cloned().collect();
    assert!(differ.is_empty(), "{} of {}:\n{}", differ.len(), judged.len(), shown.join("\n"));
    let accepted = said.iter().filter(|step| step.is_none()).count();
    eprintln!("{language} agrees on {} files, {accepted} of them true", judged.len());
}

/// Program on the path; `None`, said loudly, where it is missing.
fn program(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found =
        std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file());
    if found.is_none() {
        eprintln!("SKIPPED: {name} is not available");
    }
    found
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Python with the packages of the client, where `make sdk` puts it.
fn python() -> Option<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| root().join("target"));
    let program = target.join("sdk/python/bin/python");
    if !program.is_file() {
        eprintln!("SKIPPED: the verifier in Python, run `make sdk`");
        return None;
    }
    Some(program)
}

#[test]
fn javascript_gives_the_same_verdict_at_the_same_step() {
    let Some(node) = program("node") else { return };
    let judged = judged();
    let script = root().join("sdk/js/test/verdicts.mjs");
    let said = verdicts(Command::new(node).arg(script), &judged);
    assert_agreed("JavaScript", &judged, &said);
}

#[test]
fn python_gives_the_same_verdict_at_the_same_step() {
    let Some(python) = python() else { return };
    let judged = judged();
    let script = root().join("sdk/python/tests/verdicts.py");
    let said = verdicts(Command::new(python).arg(script), &judged);
    assert_agreed("Python", &judged, &said);
}
