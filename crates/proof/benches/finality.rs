//! How long a client checks the finality of a block, by the vectors of `vectors/finality`, against the least that there is to
//! compute: the hashes of the headers, or one check of a BLS signature.

use std::hint::black_box;
use std::time::Instant;

use blst::{min_pk, min_sig};
use serde_json::Value;
use superroot_proof::finality::anchor::{AnchorContract, AnchorParams, ContractKind};
use superroot_proof::finality::beacon::{BeaconParams, SUITE};
use superroot_proof::finality::certificate::CertificateParams;
use superroot_proof::finality::checkpoint::{CheckpointParams, DOMAIN};
use superroot_proof::finality::vote::VoteParams;
use superroot_proof::finality::work::{WORK_HEADER_BYTES, WorkParams};
use superroot_proof::finality::{
    FinalityParams, FinalityProof, FinalityQuestion, FinalitySet, Verdict, check, check_evidence,
};
use superroot_proof::hash::sha256d;
use superroot_proof::registry::HashRule;
use superroot_types::{BlockNumber, ChainId, ChainKey, Family, Hash, UnixSeconds};

const ROUNDS: usize = 9;

fn main() {
    if std::env::args().any(|argument| argument == "--list") {
        return;
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/finality/finality.json");
    let vectors: Vec<Value> = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    for kind in ["work", "checkpoint", "certificate", "beacon", "vote", "anchor"] {
        let name = format!("{kind}: a final block");
        let vector = vectors.iter().find(|one| one["name"] == name.as_str()).unwrap();
        of_vector(kind, vector);
    }
}

fn hex(value: &Value) -> Vec<u8> {
    const_hex::decode(value.as_str().unwrap()).unwrap()
}

fn params(kind: &str, of: &Value) -> FinalityParams {
    let number = |name: &str| of[name].as_u64().unwrap();
    match kind {
        "work" => FinalityParams::Work(WorkParams {
            target_limit_bits: u32::try_from(number("target_limit_bits")).unwrap(),
            floor_bits: u32::try_from(number("floor_bits")).unwrap(),
            retargets: of["retargets"].as_bool().unwrap(),
            confirmations: number("confirmations"),
        }),
        "checkpoint" => FinalityParams::Checkpoint(CheckpointParams {
            trusted_seconds: number("trusted_seconds"),
        }),
        "certificate" => FinalityParams::Certificate(CertificateParams {
            canister: of["canister"].as_str().unwrap().parse().unwrap(),
        }),
        "vote" => FinalityParams::Vote(VoteParams::SIMULATED),
        "anchor" => FinalityParams::Anchor(anchor(of)),
        _ => FinalityParams::Beacon(BeaconParams::SIMULATED),
    }
}

fn anchor(of: &Value) -> AnchorParams {
    let rule = HashRule::from_code(1).unwrap();
    let contract = |contract: &Value| AnchorContract {
        from: BlockNumber(contract["from"].as_u64().unwrap()),
        address: contract["address"].as_str().unwrap().parse().unwrap(),
    };
    AnchorParams {
        chain: ChainId(of["chain"].as_u64().unwrap()),
        ethereum: ChainKey { family: Family::Evm, id: ChainId(1) },
        beacon: BeaconParams::SIMULATED,
        ethereum_rule: rule,
        rule,
        contract: ContractKind::Registry,
        contracts: of["contracts"].as_array().unwrap().iter().map(contract).collect(),
        history_blocks: of["history_blocks"].as_u64().unwrap(),
    }
}

fn of_vector(kind: &str, vector: &Value) {
    let params = params(kind, &vector["params"]);
    let bytes = hex(&vector["set"]);
    let set = FinalitySet::decode(&params, &bytes).unwrap();
    let proof = FinalityProof::decode(&hex(&vector["finality"])).unwrap();
    let rule = u16::try_from(vector["rule"].as_u64().unwrap()).unwrap();
    let asked = FinalityQuestion {
        rule: HashRule::from_code(rule).unwrap(),
        number: BlockNumber(vector["number"].as_u64().unwrap()),
        hash: vector["hash"].as_str().unwrap().parse::<Hash>().unwrap(),
    };
    let now = UnixSeconds(vector["now"].as_u64().unwrap());
    let mut signer = set.clone();
    for step in &proof.steps {
        let Verdict::Shown(next) = signer.advance(&params, step, now) else { panic!("{kind}") };
        signer = next;
    }
    let read = median(|| drop(black_box(FinalitySet::decode(&params, &bytes))));
    let whole = median(|| drop(black_box(check(&params, &set, &proof, asked, now))));
    let held = median(|| drop(black_box(check_evidence(&params, &signer, &proof.evidence, now))));
    let least = least(kind, proof.evidence.body.len() / WORK_HEADER_BYTES);
    println!(
        "finality/{kind}: {held:.3} ms with the set held ({:.1}x of the least, {least:.3} ms), {whole:.3} ms with {} steps, \
         set read in {read:.3} ms; evidence {} bytes, a step {} bytes",
        held / least,
        proof.steps.len(),
        proof.evidence.encode().len(),
        proof.steps.first().map_or(0, Vec::len),
    );
}

/// Median of some rounds, in milliseconds.
fn median(mut run: impl FnMut()) -> f64 {
    let time = |run: &mut dyn FnMut()| {
        let begun = Instant::now();
        run();
        begun.elapsed().as_secs_f64() * 1e3
    };
    let mut times: Vec<f64> = (0..ROUNDS).map(|_| time(&mut run)).collect();
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}

/// The least that there is to compute.
fn least(kind: &str, headers: usize) -> f64 {
    let message = [7; 32];
    match kind {
        "work" => {
            let header = [5; 80];
            median(|| (0..headers).for_each(|_| _ = black_box(sha256d(&[&header]))))
        }
        "beacon" | "vote" | "anchor" => {
            let key = min_pk::SecretKey::key_gen(&[1; 32], &[]).unwrap();
            let (public, signature) = (key.sk_to_pk(), key.sign(&message, SUITE, &[]));
            median(|| {
                black_box(signature.verify(false, &message, SUITE, &[], &public, false));
            })
        }
        _ => {
            let key = min_sig::SecretKey::key_gen(&[1; 32], &[]).unwrap();
            let (public, signature) = (key.sk_to_pk(), key.sign(&message, DOMAIN, &[]));
            median(|| {
                black_box(signature.verify(false, &message, DOMAIN, &[], &public, false));
            })
        }
    }
}
