//! `vectors/finality/finality.json`: blocks that a client finds final by its own set of signers, and all that it must not.
//! `make vectors` writes them anew.

use std::sync::Arc;

use futures_util::FutureExt;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use superroot_chain::ledger::bitcoin::EASY_BITS;
use superroot_chain::ledger::icp::{Principal, sign_certificate, simulated_root_key};
use superroot_chain::ledger::sui::{
    CheckpointPlan, build_checkpoint, sign_summary, simulated_members,
};
use superroot_proof::finality::anchor::AnchorForm;
use superroot_proof::finality::beacon::BeaconParams;
use superroot_proof::finality::certificate::{CertificateParams, CertificateSet};
use superroot_proof::finality::checkpoint::{
    CheckpointParams, CheckpointSet, Committee, write_checkpoint,
};
use superroot_proof::finality::commit::CommitParams;
use superroot_proof::finality::work::{
    RETARGET_BLOCKS, WORK_HEADER_BYTES, WorkParams, WorkSet, is_met, target, write_headers,
};
use superroot_proof::finality::*;
use superroot_proof::hash::sha256d;
use superroot_proof::ledger::bitcoin::Header;
use superroot_proof::registry::HashRule;
use superroot_source::finality::{FinalitySource, NewestFinal, SimulatedBeacon};
use superroot_types::{BlockNumber, Hash, ManualClock, UnixSeconds};

use crate::{
    finality_anchor, finality_commit, finality_grandpa, finality_ledger_info, finality_milestone,
    finality_producers, finality_vote, same_in_file,
};

pub(crate) const NOW: UnixSeconds = UnixSeconds(1_796_000_000);
const CANISTER: &str = "ryjl3-tyaaa-aaaaa-aaaba-cai";

/// A block, and what a client with this set and clock finds.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FinalityVector {
    name: String,
    reason: String,
    /// `shown`, `not_enough` or `refused`.
    verdict: String,
    kind: String,
    /// The client's own, of the chain.
    params: Value,
    /// Rule that hashes the chain's headers.
    rule: u16,
    number: u64,
    hash: Hash,
    now: u64,
    /// The client's set, and the id that it pinned.
    set: String,
    id: Hash,
    /// Evidence, link and steps, as in a file of format 02.
    finality: String,
    /// Steps taken, of what is shown.
    steps: Option<usize>,
    /// Number that the evidence binds.
    shown_number: Option<u64>,
}

#[derive(Clone)]
pub(crate) struct Case {
    name: String,
    reason: String,
    pub(crate) params: FinalityParams,
    rule: HashRule,
    pub(crate) number: u64,
    pub(crate) hash: Hash,
    pub(crate) now: UnixSeconds,
    pub(crate) trusted: (Vec<u8>, Hash),
    pub(crate) finality: Vec<u8>,
}

impl Case {
    pub(crate) fn new(
        params: FinalityParams,
        rule: HashRule,
        set: &FinalitySet,
        proof: &FinalityProof,
    ) -> Self {
        let ConsensusEvidence { kind, number, hash, .. } = proof.evidence;
        Self {
            name: format!("{}: a final block", kind.name()),
            reason: "everything holds".to_owned(),
            params,
            rule,
            number: number.0,
            hash,
            now: NOW,
            trusted: (set.encode(), set.id()),
            finality: proof.encode(),
        }
    }

    pub(crate) fn but(&self, name: &str, reason: &str, change: impl FnOnce(&mut Self)) -> Self {
        let mut changed = self.clone();
        changed.name = format!("{}: {name}", self.params.kind().name());
        changed.reason = reason.to_owned();
        change(&mut changed);
        changed
    }

    pub(crate) fn but_proof(
        &self,
        name: &str,
        reason: &str,
        change: impl FnOnce(&mut FinalityProof),
    ) -> Self {
        self.but(name, reason, |case| {
            let mut proof = FinalityProof::decode(&case.finality).unwrap();
            change(&mut proof);
            case.finality = proof.encode();
        })
    }

    fn verdict(&self) -> Result<Verdict<FinalityShown>, String> {
        let (set, id) = &self.trusted;
        let set = FinalitySet::decode(&self.params, set).map_err(|why| why.to_string())?;
        if set.id() != *id {
            return Err(Refusal::Root.to_string());
        }
        let proof = FinalityProof::decode(&self.finality).map_err(|why| why.to_string())?;
        let Self { rule, hash, .. } = *self;
        let asked = FinalityQuestion { rule, number: BlockNumber(self.number), hash };
        Ok(check(&self.params, &set, &proof, asked, self.now))
    }

    fn vector(&self) -> FinalityVector {
        let hex = |bytes: &[u8]| format!("0x{}", const_hex::encode(bytes));
        let (verdict, shown) = match self.verdict() {
            Ok(Verdict::Shown(shown)) => ("shown", Some(shown)),
            Ok(Verdict::NotEnough(_)) => ("not_enough", None),
            Ok(Verdict::Refusal(_)) | Err(_) => ("refused", None),
        };
        FinalityVector {
            name: self.name.clone(),
            reason: self.reason.clone(),
            verdict: verdict.to_owned(),
            kind: self.params.kind().name().to_owned(),
            params: params_of(&self.params),
            rule: self.rule.code(),
            number: self.number,
            hash: self.hash,
            now: self.now.0,
            set: hex(&self.trusted.0),
            id: self.trusted.1,
            finality: hex(&self.finality),
            steps: shown.as_ref().map(FinalityShown::steps),
            shown_number: shown.and_then(|shown| shown.number()).map(|number| number.0),
        }
    }
}

fn params_of(params: &FinalityParams) -> Value {
    match params {
        FinalityParams::Beacon(of) => json!({
            "genesis_validators_root": of.genesis_validators_root,
            "genesis_time": of.genesis_time,
            "slot_seconds": of.slot_seconds,
            "epoch_slots": of.epoch_slots,
            "period_epochs": of.period_epochs,
            "members": of.members,
            "trusted_seconds": of.trusted_seconds,
            "forks": of.forks.iter().map(|fork| json!({
                "epoch": fork.epoch,
                "version": const_hex::encode(fork.version),
                "layout": format!("{:?}", fork.layout).to_lowercase(),
            })).collect::<Vec<_>>(),
        }),
        FinalityParams::Work(of) => json!({
            "target_limit_bits": of.target_limit_bits,
            "floor_bits": of.floor_bits,
            "retargets": of.retargets,
            "confirmations": of.confirmations,
        }),
        FinalityParams::Checkpoint(of) => json!({ "trusted_seconds": of.trusted_seconds }),
        FinalityParams::Certificate(of) => json!({ "canister": of.canister.to_string() }),
        FinalityParams::Anchor(of) => json!({
            "chain": of.chain,
            "beacon": params_of(&FinalityParams::Beacon(of.beacon)),
            "contract": match of.contract {
                AnchorForm::Registry => "registry",
                AnchorForm::Outbox => "outbox",
            },
            "contracts": of.contracts.iter().map(|contract| json!({
                "from": contract.from, "address": contract.address,
            })).collect::<Vec<_>>(),
            "history_blocks": of.history_blocks,
        }),
        FinalityParams::Vote(of) => json!({
            "rule": of.rule.code(),
            "epoch_blocks": of.epoch_blocks,
            "trusted_seconds": of.trusted_seconds,
        }),
        FinalityParams::Producers(of) => json!({
            "set_seconds": of.set_seconds,
            "window_blocks": of.window_blocks,
            "trusted_seconds": of.trusted_seconds,
        }),
        FinalityParams::Grandpa(of) => json!({
            "slot_seconds": of.slot_seconds,
            "trusted_seconds": of.trusted_seconds,
        }),
        FinalityParams::Commit(of) => commit_params(of),
        FinalityParams::Milestone(of) => json!({
            "heimdall": commit_params(&of.heimdall),
            "bor_chain": of.bor_chain,
        }),
        FinalityParams::LedgerInfo(of) => json!({ "trusted_seconds": of.trusted_seconds }),
    }
}

fn commit_params(of: &CommitParams) -> Value {
    json!({
        "chain_id": of.chain_id,
        "set_blocks": of.set_blocks,
        "trusted_seconds": of.trusted_seconds,
    })
}

/// Two periods of a made Bitcoin whose targets never change, six confirmations.
fn work() -> Vec<Case> {
    let params = WorkParams {
        target_limit_bits: EASY_BITS,
        floor_bits: EASY_BITS,
        retargets: false,
        confirmations: 6,
    };
    let header = |parent_hash: Hash, number: u64| {
        let mut header = Header {
            version: 2,
            parent_hash,
            merkle_root: sha256d(&[&number.to_be_bytes()]),
            time: 1_700_000_000 + 600 * u32::try_from(number).unwrap(),
            bits: EASY_BITS,
            nonce: 0,
        };
        while !is_met(&header.hash(), target(EASY_BITS).unwrap()) {
            header.nonce += 1;
        }
        header
    };
    // a set that begins shortly before the next period
    let begin = 2 * RETARGET_BLOCKS - 20;
    let mut line = vec![header(Hash([1; 32]), begin)];
    for number in begin + 1..begin + 60 {
        line.push(header(line.last().unwrap().hash(), number));
    }
    let bytes: Vec<_> = line.iter().map(Header::encode).collect();
    let written = |range: std::ops::Range<usize>| {
        write_headers(bytes[range].iter().map(|header| &header[..]))
    };
    let set = FinalitySet::Work(WorkSet::new(&params, BlockNumber(begin), line[0]).unwrap());
    let step = [&begin.to_be_bytes()[..], &written(1..21)].concat();
    let evidence = |at: usize, body: Vec<u8>| ConsensusEvidence {
        kind: FinalityKind::Work,
        number: BlockNumber(begin + at as u64),
        hash: line[at].hash(),
        body,
    };
    let params = FinalityParams::Work(params);
    let proof = FinalityProof {
        evidence: evidence(30, written(21..37)),
        link: LinkHeaders::default(),
        steps: vec![step],
    };
    let good = Case::new(params.clone(), HashRule::Bitcoin, &set, &proof);
    let own = FinalityProof {
        evidence: evidence(3, written(1..10)),
        link: LinkHeaders::default(),
        steps: Vec::new(),
    };
    let linked = FinalityProof {
        link: [bytes[30].to_vec(), bytes[29].to_vec()].into_iter().collect(),
        ..proof.clone()
    };
    let below = |case: &mut Case| {
        (case.number, case.hash) = (begin + 28, line[28].hash());
        case.finality = linked.encode();
    };
    vec![
        good.clone(),
        good.but("without a step", "the set itself is of the block's period", |case| {
            (case.number, case.hash) = (begin + 3, line[3].hash());
            case.finality = own.encode();
        }),
        good.but("an ancestor by its descendants", "the link leads to it", below),
        good.but_proof("five confirmations", "six must follow", |proof| {
            let length = proof.evidence.body.len() - WORK_HEADER_BYTES;
            proof.evidence.body.truncate(length);
        }),
        good.but_proof("seven confirmations", "a second encoding", |proof| {
            proof.evidence.body.extend(written(37..38));
        }),
        good.but_proof("no step", "the set is of the period before", |proof| proof.steps.clear()),
        good.but_proof("a step that is cut", "a period of one header less", |proof| {
            let length = proof.steps[0].len() - WORK_HEADER_BYTES;
            proof.steps[0].truncate(length);
        }),
        good.but_proof("the step twice", "parts left over", |proof| {
            proof.steps.push(proof.steps[0].clone());
        }),
        good.but("another number", "the evidence binds it", |case| case.number += 1),
        good.but("another hash", "the evidence is about another block", |case| {
            case.hash = line[31].hash();
        }),
        good.but("a link with a gap", "each header is the parent of the one above", |case| {
            let mut proof = linked.clone();
            proof.link.headers.remove(0);
            case.finality = proof.encode();
            (case.number, case.hash) = (begin + 28, line[28].hash());
        }),
        good.but("a header too many in the link", "it ends at another block", |case| {
            let mut proof = linked.clone();
            proof.link.headers.push(bytes[28].to_vec().into());
            case.finality = proof.encode();
            (case.number, case.hash) = (begin + 28, line[28].hash());
        }),
        good.but_proof(
            "another merkle root in the block's header",
            "it hashes to another block",
            |proof| {
                proof.evidence.body[9 * WORK_HEADER_BYTES + 10] ^= 1;
            },
        ),
        good.but("work that is too cheap", "every header is below the floor", |case| {
            let FinalityParams::Work(params) = &mut case.params else { unreachable!() };
            params.floor_bits = 0x1d00_ffff;
        }),
        good.but("a clock of before", "a header is of later", |case| {
            case.now = UnixSeconds(1_700_000_000);
        }),
        good.but("another set than the pinned one", "its id is another", |case| {
            case.trusted.0[20] ^= 1;
        }),
    ]
}

/// Checkpoints of a simulated Sui over three epochs.
fn checkpoint() -> Vec<Case> {
    const DAY: u64 = 86_400;
    let params = CheckpointParams { trusted_seconds: 14 * DAY };
    let committee = |epoch: u64| {
        let bytes = [&epoch.to_le_bytes()[..], &simulated_members(epoch)].concat();
        Committee::read(&bytes).unwrap()
    };
    let signed = |epoch: u64, number: u64, at: u64, ends: bool| {
        let raw = build_checkpoint(&CheckpointPlan {
            epoch,
            sequence_number: number,
            previous_digest: Hash([3; 32]),
            transactions_before: 10,
            timestamp_ms: at * 1_000,
            transactions: Vec::new(),
            next_committee: ends.then(|| simulated_members(epoch + 1)),
        });
        let certificate = sign_summary(&raw.summary, epoch).unwrap();
        (raw.digest, write_checkpoint(&raw.summary, &certificate))
    };
    let set = CheckpointSet::new(UnixSeconds(NOW.0 - 3 * DAY), committee(7));
    let set = FinalitySet::Checkpoint(set);
    let (_, first) = signed(7, 700, NOW.0 - 2 * DAY, true);
    let (_, second) = signed(8, 800, NOW.0 - DAY, true);
    let (hash, body) = signed(9, 850, NOW.0 - 60, false);
    let evidence =
        ConsensusEvidence { kind: FinalityKind::Checkpoint, number: BlockNumber(850), hash, body };
    let proof = FinalityProof {
        evidence,
        link: LinkHeaders::default(),
        steps: vec![first.clone(), second.clone()],
    };
    let params = FinalityParams::Checkpoint(params);
    let good = Case::new(params, HashRule::Sui, &set, &proof);
    let length = proof.evidence.body.len();
    vec![
        good.clone(),
        good.but("a set that is further on", "steps to it are skipped", |case| {
            let set = CheckpointSet::new(UnixSeconds(NOW.0 - DAY), committee(9));
            let set = FinalitySet::Checkpoint(set);
            case.trusted = (set.encode(), set.id());
        }),
        good.but("a set of after", "it signed nothing of that epoch", |case| {
            let set = CheckpointSet::new(UnixSeconds(NOW.0 - DAY), committee(10));
            let set = FinalitySet::Checkpoint(set);
            case.trusted = (set.encode(), set.id());
        }),
        good.but_proof("a step missing", "the next one is of another epoch", |proof| {
            proof.steps.remove(0);
        }),
        good.but_proof("steps in another order", "each follows from the one before", |proof| {
            proof.steps.reverse();
        }),
        good.but_proof("a step that ends no epoch", "it names no committee", |proof| {
            proof.steps[1] = signed(8, 799, NOW.0 - DAY, false).1;
        }),
        good.but_proof("a signature that is not theirs", "a byte of it is another", |proof| {
            proof.evidence.body[length - 20] ^= 4;
        }),
        good.but_proof(
            "a signer past the members",
            "the bitmap names the tenth of four",
            |proof| {
                proof.evidence.body[length - 2] = 9;
            },
        ),
        good.but_proof("a signer with a tenth of the stake", "two thirds must sign", |proof| {
            proof.evidence.body[length - 2] = 2;
        }),
        good.but_proof("a second summary", "the hash is of another", |proof| {
            proof.evidence.body = signed(9, 850, NOW.0 - 61, false).1;
        }),
        good.but("after the trusting period", "the set is too old", |case| {
            case.now = UnixSeconds(NOW.0 + 15 * DAY);
        }),
        good.but("a clock of before", "the checkpoint is of later", |case| {
            case.now = UnixSeconds(NOW.0 - 61);
        }),
        good.but("another set than the pinned one", "its id is another", |case| {
            let last = case.trusted.0.len() - 1;
            case.trusted.0[last] ^= 1;
        }),
    ]
}

fn certificate() -> Vec<Case> {
    let canister: Principal = CANISTER.parse().unwrap();
    let hash = Hash([9; 32]);
    let at = (NOW.0 - 5) * 1_000_000_000;
    let evidence = ConsensusEvidence {
        kind: FinalityKind::Certificate,
        number: BlockNumber(44),
        hash,
        body: sign_certificate(&canister, &hash.0, at),
    };
    let set = FinalitySet::Certificate(CertificateSet::new(simulated_root_key()));
    let params = FinalityParams::Certificate(CertificateParams { canister });
    let proof = FinalityProof { evidence, link: LinkHeaders::default(), steps: Vec::new() };
    let good = Case::new(params, HashRule::Icp, &set, &proof);
    vec![
        good.clone(),
        good.but("another number", "the evidence names another", |case| case.number = 7),
        good.but_proof("another ledger's", "the canister is another", |proof| {
            let other: Principal = "rrkah-fqaaa-aaaaa-aaaaq-cai".parse().unwrap();
            proof.evidence.body = sign_certificate(&other, &hash.0, at);
        }),
        good.but_proof("of another block", "the certified data are another hash", |proof| {
            let canister: Principal = CANISTER.parse().unwrap();
            proof.evidence.body = sign_certificate(&canister, &[8; 32], at);
        }),
        good.but_proof("a signature that is not the subnet's", "a byte is another", |proof| {
            let last = proof.evidence.body.len() - 1;
            proof.evidence.body[last] ^= 1;
        }),
        good.but_proof("a step", "the root key never changes", |proof| {
            proof.steps.push(vec![1, 2, 3]);
        }),
        good.but("a clock of before", "the certificate is of later", |case| {
            case.now = UnixSeconds(NOW.0 - 6);
        }),
    ]
}

/// Sync committees of 32 over three periods.
fn beacon() -> Vec<Case> {
    let params = BeaconParams::SIMULATED;
    let source = SimulatedBeacon::new(Arc::new(ManualClock::at(NOW)));
    let hash = Hash([4; 32]);
    let held = NewestFinal { number: BlockNumber(99), hash, timestamp: UnixSeconds(NOW.0 - 60) };
    let evidence = source.fetch_newest(held).now_or_never().unwrap().unwrap();
    let of = FinalityParams::Beacon(params);
    let signer = evidence.signer(&of).unwrap();
    let steps = source.fetch_steps(signer - 3, 3).now_or_never().unwrap().unwrap();
    let steps: Vec<_> = steps.into_iter().map(|(_, step)| step).collect();
    let set = FinalitySet::named_by(&of, &steps[0]).unwrap();
    let proof =
        FinalityProof { evidence, link: LinkHeaders::default(), steps: steps[1..].to_vec() };
    let good = Case::new(of.clone(), HashRule::from_code(1).unwrap(), &set, &proof);
    // attested, finalized, six siblings: bits follow
    let bits = 112 + 112 + 7 * 32;
    vec![
        good.clone(),
        good.but("another number", "the evidence names another", |case| case.number = 7),
        good.but_proof("no step", "the set is of an earlier period", |proof| proof.steps.clear()),
        good.but_proof("21 of 32", "two thirds must sign", |proof| {
            let signed = [0xff, 0xff, 0x1f, 0];
            proof.evidence.body[bits..bits + 4].copy_from_slice(&signed);
        }),
        good.but_proof("no bits", "nobody signed", |proof| {
            proof.evidence.body[bits..bits + 4].fill(0);
        }),
        good.but_proof("30 of 31 named", "the signature is of one more", |proof| {
            proof.evidence.body[bits] = 0xfe;
        }),
        good.but_proof("another state root", "the finalized header is not under it", |proof| {
            proof.evidence.body[60] ^= 1;
        }),
        good.but_proof("another block hash", "it is not in the body", |proof| {
            let at = proof.evidence.body.len() - 10 * 32;
            proof.evidence.body[at] ^= 1;
        }),
        good.but_proof("a branch with a sibling more", "its index says how many", |proof| {
            proof.evidence.body.extend([0; 32]);
        }),
        good.but_proof("the committee of a step bent", "it is not under the state", |proof| {
            proof.steps[1][600] ^= 1;
        }),
        good.but_proof("steps in another order", "each follows from the one before", |proof| {
            proof.steps.reverse();
        }),
        good.but("another hash", "the evidence is about another block", |case| {
            case.hash = Hash([5; 32]);
        }),
        good.but("Ethereum's own params", "its committees have 512 members", |case| {
            case.params = FinalityParams::Beacon(BeaconParams::ETHEREUM);
        }),
        good.but("after the trusting period", "the set is too old", |case| {
            case.now = UnixSeconds(NOW.0 + 15 * 86_400);
        }),
        good.but("a clock of before", "the signature is of later", |case| {
            case.now = UnixSeconds(NOW.0 - 600);
        }),
    ]
}

#[test]
fn vectors_of_finality_are_what_the_code_makes_and_say_what_it_finds() {
    let others = [
        finality_vote::cases(),
        finality_anchor::cases(),
        finality_commit::cases(),
        finality_grandpa::cases(),
        finality_ledger_info::cases(),
        finality_milestone::cases(),
        finality_producers::cases(),
    ]
    .concat();
    let cases: Vec<_> = [work(), checkpoint(), certificate(), beacon(), others].concat();
    let made: Vec<_> = cases.iter().map(Case::vector).collect();
    let read = same_in_file("finality/finality.json", &made, |one| &one.name);
    let count = |verdict: &str| read.iter().filter(|one| one.verdict == verdict).count();
    assert_eq!(count("shown"), 31, "what must hold does");
    assert!(count("refused") >= 20 && count("not_enough") >= 10, "{} cases", read.len());
    // what is shown by its reason is shown, and nothing else
    for one in &read {
        let holds = ["a final block", "without a step", "an ancestor", "further on"]
            .iter()
            .any(|good| one.name.contains(good));
        assert_eq!(one.verdict == "shown", holds, "{}", one.name);
    }
}
