//! How long a client checks the finality of a block, by the vectors of `vectors/finality`, against the least that there is to
//! compute: the hashes of the headers, one check of a BLS signature, or the needed checks of Ed25519 or secp256k1.

#[path = "../tests/commits/mod.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod commits;
#[path = "../tests/milestones/mod.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod milestones;

#[path = "../tests/ledger_infos/mod.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod ledger_infos;
#[path = "../tests/precommits/mod.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod precommits;
#[path = "../tests/rounds/mod.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod rounds;

use std::hint::black_box;
use std::time::Instant;

use blst::{min_pk, min_sig};
use ed25519_dalek::Signer;
use k256::ecdsa::VerifyingKey;
use serde_json::Value;
use superroot_proof::finality::anchor::{AnchorContract, AnchorForm, AnchorParams};
use superroot_proof::finality::beacon::{BeaconParams, SUITE};
use superroot_proof::finality::certificate::CertificateParams;
use superroot_proof::finality::checkpoint::{CheckpointParams, DOMAIN};
use superroot_proof::finality::producers::QUORUM;
use superroot_proof::finality::vote::VoteParams;
use superroot_proof::finality::work::{WORK_HEADER_BYTES, WorkParams};
use superroot_proof::finality::{
    FinalityParams, FinalityProof, FinalityQuestion, FinalitySet, LinkHeaders, Verdict, check,
    check_evidence,
};
use superroot_proof::hash::sha256d;
use superroot_proof::ledger::cosmos::{Header, ValidatorKey};
use superroot_proof::ledger::evm::Layout;
use superroot_proof::ledger::polkadot;
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
    of_commit(180);
    of_ledger_info(138);
    of_milestone(105);
    of_grandpa(600);
    of_producers();
}

/// Validators as on the main network, two thirds sign; an accumulator with 2^12 versions.
fn of_ledger_info(count: u8) {
    let members: Vec<_> = (0..count).map(|seed| (seed, 1_000_000)).collect();
    let signers: Vec<_> = (0..=members.len() * 2 / 3).collect();
    let set = ledger_infos::set(10, &members);
    let last = ledger_infos::last(10, 4_000, Hash([9; 32]), &members);
    let about = ledger_infos::info(11, 4_095, ledger_infos::root(4_096));
    let mut signed = ledger_infos::sign(about, &members, &signers);
    signed.earlier = Some(ledger_infos::earlier(4_096, 2_730));
    let evidence = ledger_infos::evidence(ledger_infos::root(2_731), &signed);
    let asked =
        FinalityQuestion { rule: HashRule::Aptos, number: evidence.number, hash: evidence.hash };
    let steps = vec![ledger_infos::sign(last, &members, &signers).encode()];
    let proof = FinalityProof { evidence, link: LinkHeaders::default(), steps };
    let params = ledger_infos::PARAMS;
    let question = BenchQuestion { params, bytes: set.encode(), proof, asked };
    let now = UnixSeconds(signed.info.timestamp_us / 1_000_000);
    question.measure(&format!("ledger_info of {count}"), now, least("ledger_info", 0));
}

/// Heimdall's validators with falling power, a milestone, and a step to each set.
fn of_milestone(count: u8) {
    let members: Vec<_> =
        (0..count).map(|seed| (seed, 3_600_000_000 / (u64::from(seed) + 3))).collect();
    let params = FinalityParams::Milestone(milestones::params());
    let state = milestones::state(9);
    let header = |height| milestones::header(height, &members, &members, &state);
    let signers: Vec<_> = (0..members.len()).collect();
    let commit = |header: &Header| {
        let whole = milestones::commit(header, &members, &signers);
        whole.with_fewest(milestones::HEIMDALL).unwrap()
    };
    let about = header(370);
    let evidence = milestones::evidence_of(9, &state.body(&commit(&about)));
    let (number, hash) = (evidence.number, evidence.hash);
    let link = LinkHeaders::default();
    let proof = FinalityProof { evidence, link, steps: vec![commit(&header(352)).encode()] };
    let asked = FinalityQuestion { rule: HashRule::Evm(Layout::Ethereum), number, hash };
    let set = milestones::set(&params, &header(320), &members);
    let question = BenchQuestion { params, bytes: set.encode(), proof, asked };
    let (key, message) = (milestones::key(1), [7; 120]);
    let signature = milestones::sign(1, &message);
    let needed = commit(&about).signatures.len();
    let least = median(|| {
        for _ in 0..needed {
            _ = black_box(key.verify(&message, &signature));
        }
    });
    let name = format!("milestone of {count}, {needed} signatures");
    question.measure(&name, UnixSeconds(about.seconds), least);
}

/// Authorities of weight 1: two thirds of the signatures are needed, and a step to the set.
fn of_grandpa(count: u16) {
    let voters: Vec<_> = (0..count).map(|seed| (seed, 1)).collect();
    let line = precommits::line(100..103, &[(100, &voters), (101, &voters)]);
    let signers: Vec<_> = (0..voters.len()).map(|index| (index, 0)).collect();
    let commit = |set, header: &polkadot::Header| {
        let whole = precommits::commit(set, std::slice::from_ref(header), &voters, &signers);
        whole.with_fewest(&precommits::list(&voters)).unwrap()
    };
    let [first, last, about] = &line[..] else { unreachable!() };
    let commit_of_block = commit(8, about);
    let proof = FinalityProof {
        evidence: precommits::evidence_of(&commit_of_block),
        link: LinkHeaders::default(),
        steps: vec![commit(7, last).encode()],
    };
    let asked = FinalityQuestion {
        rule: HashRule::Polkadot,
        number: BlockNumber(about.number),
        hash: about.hash(),
    };
    let bytes = precommits::grandpa_set(7, first).encode();
    let question = BenchQuestion { params: precommits::params(), bytes, proof, asked };
    let needed = commit_of_block.votes.len();
    let message = precommits::signed_bytes(about, precommits::ROUND, 8);
    let name = format!("grandpa of {count}, {needed} signatures");
    question.measure(&name, precommits::time(about.number), of_signatures(needed, &message));
}

/// Checks of Ed25519.
fn of_signatures(count: usize, message: &[u8]) -> f64 {
    let key = commits::signing_key(1);
    let signature = key.sign(message);
    median(|| {
        for _ in 0..count {
            _ = black_box(key.verifying_key().verify_strict(message, &signature));
        }
    })
}

/// A whole round of headers, and a step to each day.
fn of_producers() {
    let params = FinalityParams::Producers(rounds::short());
    let members = rounds::members();
    let made = rounds::MadeRounds::in_turn(1, 2 * rounds::DAY_BLOCKS, &members);
    let about = rounds::DAY_BLOCKS + 100;
    let proof = FinalityProof {
        evidence: made.evidence(about, 27),
        link: LinkHeaders::default(),
        steps: vec![made.step(rounds::DAY + 1, 27)],
    };
    let asked =
        FinalityQuestion { rule: HashRule::Tron, number: BlockNumber(about), hash: made.id(about) };
    let set = rounds::producer_set(&params, rounds::DAY, &members);
    let question = BenchQuestion { params, bytes: set.encode(), proof, asked };
    let digest = Hash([7; 32]);
    let (signature, recovery) = rounds::signing_key(1).sign_prehash_recoverable(&digest.0).unwrap();
    let least = median(|| {
        for _ in 0..QUORUM {
            _ = black_box(VerifyingKey::recover_from_prehash(&digest.0, &signature, recovery));
        }
    });
    let now = UnixSeconds(rounds::GENESIS + rounds::BLOCK_SECONDS * 2 * rounds::DAY_BLOCKS);
    question.measure("producers, a round of 27", now, least);
}

/// Validators of equal power: the most signatures that are needed, and a step to each set.
fn of_commit(count: u8) {
    let members: Vec<_> = (0..count).map(|seed| (seed, 1_000_000)).collect();
    let params = FinalityParams::Commit(commits::short());
    let header = |height| commits::header(height, &members, &members);
    let signers: Vec<_> = (0..members.len()).collect();
    let commit = |header: &Header| {
        let whole = commits::commit(header, &members, &signers);
        whole.with_fewest(commits::CHAIN_ID).unwrap()
    };
    let about = header(370);
    let proof = FinalityProof {
        evidence: commits::evidence_of(&about, &commit(&about)),
        link: LinkHeaders::default(),
        steps: vec![commit(&header(352)).encode()],
    };
    let asked = FinalityQuestion {
        rule: HashRule::Cosmos,
        number: BlockNumber(about.height),
        hash: about.hash(),
    };
    let set = commits::commit_set(&params, &header(320), &members);
    let question = BenchQuestion { params, bytes: set.encode(), proof, asked };
    let needed = commit(&about).signatures.len();
    let least = of_signatures(needed, &[7; 120]);
    let name = format!("commit of {count}, {needed} signatures");
    question.measure(&name, UnixSeconds(about.seconds), least);
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
        contract: AnchorForm::Registry,
        contracts: of["contracts"].as_array().unwrap().iter().map(contract).collect(),
        history_blocks: of["history_blocks"].as_u64().unwrap(),
    }
}

fn of_vector(kind: &str, vector: &Value) {
    let params = params(kind, &vector["params"]);
    let bytes = hex(&vector["set"]);
    let proof = FinalityProof::decode(&hex(&vector["finality"])).unwrap();
    let rule = u16::try_from(vector["rule"].as_u64().unwrap()).unwrap();
    let asked = FinalityQuestion {
        rule: HashRule::from_code(rule).unwrap(),
        number: BlockNumber(vector["number"].as_u64().unwrap()),
        hash: vector["hash"].as_str().unwrap().parse::<Hash>().unwrap(),
    };
    let now = UnixSeconds(vector["now"].as_u64().unwrap());
    let least = least(kind, proof.evidence.body.len() / WORK_HEADER_BYTES);
    BenchQuestion { params, bytes, proof, asked }.measure(kind, now, least);
}

/// A set, and a proof with steps from the set.
struct BenchQuestion {
    params: FinalityParams,
    bytes: Vec<u8>,
    proof: FinalityProof,
    asked: FinalityQuestion,
}

impl BenchQuestion {
    fn measure(&self, name: &str, now: UnixSeconds, least: f64) {
        let Self { params, bytes, proof, asked } = self;
        let set = FinalitySet::decode(params, bytes).unwrap();
        let mut signer = set.clone();
        for step in &proof.steps {
            let Verdict::Shown(next) = signer.advance(params, step, now) else { panic!("{name}") };
            signer = next;
        }
        assert!(check(params, &set, proof, *asked, now).shown().is_some(), "{name}");
        let read = median(|| drop(black_box(FinalitySet::decode(params, bytes))));
        let whole = median(|| drop(black_box(check(params, &set, proof, *asked, now))));
        let held =
            median(|| drop(black_box(check_evidence(params, &signer, &proof.evidence, now))));
        println!(
            "finality/{name}: {held:.3} ms with the set held ({:.1}x of the least, {least:.3} ms), {whole:.3} ms with {} \
             steps, set read in {read:.3} ms; evidence {} bytes, a step {} bytes",
            held / least,
            proof.steps.len(),
            proof.evidence.encode().len(),
            proof.steps.first().map_or(0, Vec::len),
        );
    }
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
        "beacon" | "vote" | "anchor" | "ledger_info" => {
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
