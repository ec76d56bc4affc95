//! Finality of each kind: real evidence, made sets that change, and all that must be refused. Data is found through
//! `SUPERROOT_DATA` alone.

use std::io::Read;

use blst::min_sig::{AggregateSignature, SecretKey};
use ic_certification::{HashTree, HashTreeNode, fork, label, leaf};
use ic_verify_bls_signature::PrivateKey;
use serde_json::Value;
use sui_sdk_types as sdk;
use superroot_proof::finality::certificate::{
    CertificateParams, CertificateSet, Principal, SIGNED_PREFIX, write_cbor,
};
use superroot_proof::finality::checkpoint::{
    Certificate, CheckpointParams, CheckpointSet, Committee, write_checkpoint,
};
use superroot_proof::finality::work::{
    RETARGET_BLOCKS, WORK_HEADER_BYTES, WorkParams, WorkSet, is_met, retargeted, target,
    write_headers,
};
use superroot_proof::finality::*;
use superroot_proof::hash::sha256d;
use superroot_proof::ledger::bitcoin::Header;
use superroot_proof::ledger::sui::checkpoint_digest;
use superroot_proof::registry::HashRule;
use superroot_types::{BlockNumber, ChainId, ChainKey, Family, Hash, UnixSeconds};

pub(crate) const NOW: UnixSeconds = UnixSeconds(1_795_000_000);
const EASY: u32 = 0x207f_ffff;

pub(crate) fn data(name: &str) -> Option<Vec<u8>> {
    let Some(folder) = std::env::var_os("SUPERROOT_DATA") else {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, {name} was not read");
        return None;
    };
    let bytes = std::fs::read(std::path::Path::new(&folder).join(name)).unwrap();
    if !name.ends_with(".gz") {
        return Some(bytes);
    }
    let mut out = Vec::new();
    flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut out).unwrap();
    Some(out)
}

pub(crate) fn shown(verdict: Verdict<FinalityShown>) -> FinalityShown {
    match verdict {
        Verdict::Shown(shown) => shown,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn set_of(verdict: Verdict<FinalitySet>) -> FinalitySet {
    match verdict {
        Verdict::Shown(set) => set,
        other => panic!("{other:?}"),
    }
}

/// What a kind's tests share: a set, a step from it, and evidence by the set behind that step.
pub(crate) struct Case {
    pub(crate) params: FinalityParams,
    pub(crate) set: FinalitySet,
    pub(crate) step: Option<Vec<u8>>,
    pub(crate) evidence: ConsensusEvidence,
}

impl Case {
    pub(crate) fn signer(&self) -> FinalitySet {
        match &self.step {
            Some(step) => set_of(self.set.advance(&self.params, step, NOW)),
            None => self.set.clone(),
        }
    }

    /// Every single byte changed, cut and doubled, in evidence, step and set: nothing is shown.
    pub(crate) fn refuses_every_change(&self, stride: usize) {
        let signer = self.signer();
        shown(check_evidence(&self.params, &signer, &self.evidence, NOW));
        let is_shown = |bytes: &[u8]| {
            let evidence = ConsensusEvidence::decode(bytes);
            evidence.is_some_and(|evidence| {
                check_evidence(&self.params, &signer, &evidence, NOW).shown().is_some()
            })
        };
        let bytes = self.evidence.encode();
        assert!(is_shown(&bytes));
        // the number is not bound by every kind: it is told apart
        let free = match self.evidence.kind {
            // whatever work follows the block confirms it
            FinalityKind::Work => 45 + 5 * WORK_HEADER_BYTES..bytes.len(),
            kind if kind.binds_number() => 0..0,
            _ => 5..13,
        };
        for changed in changes(&bytes, stride).filter(|(at, _)| !free.contains(at)) {
            assert!(!is_shown(&changed.1), "evidence of {:?} at {}", self.evidence.kind, changed.0);
        }
        if let Some(step) = &self.step {
            // a few of so many headers; the last ones may as well be others with the same work
            let is_work = self.evidence.kind == FinalityKind::Work;
            let stride = if is_work { 1_009 } else { stride };
            let is_told = |at: usize| !is_work || at < step.len() / 2 || at == usize::MAX;
            for (at, changed) in changes(step, stride).filter(|(at, _)| is_told(*at)) {
                let next = self.set.advance(&self.params, &changed, NOW).shown();
                assert!(next.is_none(), "step of {:?} at {at}", self.evidence.kind);
            }
        }
        let trusted = self.trusted();
        for (at, changed) in changes(&trusted.set, stride) {
            let changed = TrustedSet { set: changed, ..trusted.clone() };
            let read = changed.read(&self.params);
            // the time or number of a pin is the client's own word
            let kinds = [FinalityKind::Checkpoint, FinalityKind::Work, FinalityKind::Grandpa];
            let own = kinds.contains(&self.evidence.kind) && at < 8;
            assert!(read.is_err() || own, "set of {:?} at {at}", self.evidence.kind);
        }
    }

    fn trusted(&self) -> TrustedSet {
        TrustedSet {
            chain: ChainKey { family: Family::Sui, id: ChainId(7) },
            kind: self.params.kind(),
            pinned_at: NOW,
            pin: self.set.id(),
            id: self.set.id(),
            set: self.set.encode(),
        }
    }
}

/// Each byte of `bytes` (or every so many) with one bit changed; then the bytes cut, doubled and continued.
fn changes(bytes: &[u8], stride: usize) -> impl Iterator<Item = (usize, Vec<u8>)> {
    let flip = |at: usize| {
        let mut changed = bytes.to_vec();
        changed[at] ^= 1 << (at % 8);
        (at, changed)
    };
    let others = [
        bytes[..bytes.len() - 1].to_vec(),
        Vec::new(),
        [bytes, bytes].concat(),
        [bytes, &[0]].concat(),
        [bytes, &bytes[bytes.len().saturating_sub(WORK_HEADER_BYTES)..]].concat(),
    ];
    (0..bytes.len())
        .step_by(stride)
        .map(flip)
        .chain(others.into_iter().map(|other| (usize::MAX, other)))
        .collect::<Vec<_>>()
        .into_iter()
}

// --- work ---

const MAIN: WorkParams = WorkParams {
    target_limit_bits: 0x1d00_ffff,
    floor_bits: 0x1d00_ffff,
    retargets: true,
    confirmations: 6,
};

/// Headers in a row on top of one, each mined, ten minutes (or `seconds`) apart.
fn mined(params: &WorkParams, number: u64, first: Header, count: u64, seconds: u32) -> Vec<Header> {
    let mut line = vec![first];
    let mut begin = first;
    for next in number + 1..=number + count {
        let last = *line.last().unwrap();
        let mut header = Header {
            version: 2,
            parent_hash: last.hash(),
            merkle_root: sha256d(&[&next.to_be_bytes()]),
            time: last.time + seconds,
            bits: last.bits,
            nonce: 0,
        };
        if next % RETARGET_BLOCKS == 0 && params.retargets {
            let taken = u64::from(last.time - begin.time);
            header.bits = retargeted(last.bits, taken, params.target_limit_bits).unwrap();
            begin = header;
        }
        while !is_met(&header.hash(), target(header.bits).unwrap()) {
            header.nonce += 1;
        }
        line.push(header);
    }
    line.remove(0);
    line
}

fn written(headers: &[Header]) -> Vec<u8> {
    let bytes: Vec<_> = headers.iter().map(Header::encode).collect();
    write_headers(bytes.iter().map(|header| &header[..]))
}

fn first_of_period() -> Header {
    let (parent_hash, merkle_root) = (Hash([1; 32]), Hash([2; 32]));
    Header { version: 2, parent_hash, merkle_root, time: 1_700_000_000, bits: EASY, nonce: 0 }
}

fn work_case() -> (Case, Vec<Header>) {
    let params =
        WorkParams { target_limit_bits: EASY, floor_bits: EASY, retargets: true, confirmations: 3 };
    let first = first_of_period();
    let line = mined(&params, RETARGET_BLOCKS, first, RETARGET_BLOCKS + 2_030, 300);
    let (period, after) = line.split_at(RETARGET_BLOCKS as usize);
    let set = WorkSet::new(&params, BlockNumber(RETARGET_BLOCKS), first).unwrap();
    let step = [&RETARGET_BLOCKS.to_be_bytes()[..], &written(period)].concat();
    let number = 2 * RETARGET_BLOCKS + 5;
    let evidence = ConsensusEvidence {
        kind: FinalityKind::Work,
        number: BlockNumber(number),
        hash: after[4].hash(),
        body: written(&after[..8]),
    };
    let set = FinalitySet::Work(set);
    (Case { params: FinalityParams::Work(params), set, step: Some(step), evidence }, line)
}

#[test]
fn real_headers_of_bitcoin_bind_their_numbers_behind_two_retargets() {
    for (file, begin, list) in [
        ("finality/bitcoin/longHeaders.json.gz", 741_888_u64, "chain"),
        ("finality/bitcoin/headersWithRetarget.json.gz", 554_400, "chain"),
    ] {
        let Some(bytes) = data(file) else { return };
        let json: Value = serde_json::from_slice(&bytes).unwrap();
        let read = |value: &Value| {
            let hex = value["hex"].as_str().unwrap();
            let bytes = const_hex::decode(hex).unwrap();
            (value["height"].as_u64().unwrap(), Header::decode(&bytes).unwrap())
        };
        let all: Vec<_> = json[list].as_array().unwrap().iter().map(read).collect();
        let at = all.iter().position(|(number, _)| *number == begin).unwrap();
        let set = FinalitySet::Work(WorkSet::new(&MAIN, BlockNumber(begin), all[at].1).unwrap());
        let params = FinalityParams::Work(MAIN);
        let last = all.len() - 1;
        let mut count = 0;
        for index in at..=last - 6 {
            let (number, header) = all[index];
            let headers: Vec<_> =
                all[at + 1..=index + 6].iter().map(|(_, header)| *header).collect();
            let evidence = ConsensusEvidence {
                kind: FinalityKind::Work,
                number: BlockNumber(number),
                hash: header.hash(),
                body: written(&headers),
            };
            let found = shown(check_evidence(&params, &set, &evidence, NOW));
            assert_eq!((found.number(), found.hash()), (Some(BlockNumber(number)), header.hash()));
            count += 1;
            let of_another =
                ConsensusEvidence { number: BlockNumber(number + 1), ..evidence.clone() };
            assert!(check_evidence(&params, &set, &of_another, NOW).shown().is_none());
            let mut fewer = evidence;
            fewer.body.truncate(fewer.body.len() - WORK_HEADER_BYTES);
            assert_eq!(
                check_evidence(&params, &set, &fewer, NOW),
                Verdict::NotEnough(Shortfall::Confirmations { got: 5, expected: 6 })
            );
        }
        assert!(count >= 3, "{count} blocks of {file}");
        // the last header of the period before is due another target
        let set = WorkSet::new(&MAIN, BlockNumber(begin), all[at - 1].1).unwrap();
        let body = written(&all[at..at + 8].iter().map(|(_, header)| *header).collect::<Vec<_>>());
        let evidence = ConsensusEvidence {
            kind: FinalityKind::Work,
            number: BlockNumber(begin + 2),
            hash: all[at + 1].1.hash(),
            body,
        };
        let refused = check_evidence(&params, &FinalitySet::Work(set), &evidence, NOW);
        assert!(matches!(refused, Verdict::Refusal(Refusal::Header { .. })), "{refused:?}");
    }
}

#[test]
fn work_follows_its_periods_and_refuses_every_change() {
    let (case, line) = work_case();
    case.refuses_every_change(7);
    let next = case.signer();
    assert_eq!(next.id(), line[RETARGET_BLOCKS as usize - 1].hash());
    // another period's set is not enough, whatever is signed
    assert_eq!(
        check_evidence(&case.params, &case.set, &case.evidence, NOW),
        Verdict::NotEnough(Shortfall::Set { needed: 2, held: 1 })
    );
    // a period of 2,015
    let short = case.step.as_ref().unwrap();
    let short = &short[..short.len() - WORK_HEADER_BYTES];
    assert!(case.set.advance(&case.params, short, NOW).shown().is_none());
    // the last blocks of a period are confirmed by those of the next
    let number = 2 * RETARGET_BLOCKS - 1;
    let index = RETARGET_BLOCKS as usize - 2;
    let evidence = ConsensusEvidence {
        kind: FinalityKind::Work,
        number: BlockNumber(number),
        hash: line[index].hash(),
        body: written(&line[..index + 4]),
    };
    assert_eq!(
        shown(check_evidence(&case.params, &case.set, &evidence, NOW)).hash(),
        evidence.hash
    );
    assert!(evidence.encode().len() <= 97 << 10);
    // the set's own block
    let own = ConsensusEvidence {
        kind: FinalityKind::Work,
        number: BlockNumber(RETARGET_BLOCKS),
        hash: case.set.id(),
        body: written(&line[..3]),
    };
    shown(check_evidence(&case.params, &case.set, &own, NOW));
    // more than is asked for is another encoding of the same
    let more = ConsensusEvidence { body: written(&line[..4]), ..own };
    assert!(matches!(
        check_evidence(&case.params, &case.set, &more, NOW),
        Verdict::Refusal(Refusal::Encoding { .. })
    ));
}

#[test]
fn work_keeps_the_rules_of_time_and_target() {
    let (case, line) = work_case();
    let FinalityParams::Work(params) = &case.params else { unreachable!() };
    let set = case.set.clone();
    let bent = |bend: &dyn Fn(usize, &mut Header)| {
        let mut headers = Vec::new();
        let mut parent = set.id();
        for (index, header) in line[..24].iter().enumerate() {
            let mut header = Header { parent_hash: parent, ..*header };
            bend(index, &mut header);
            let bits = target(header.bits).or_else(|| target(EASY)).unwrap();
            header.nonce = 0;
            while !is_met(&header.hash(), bits) {
                header.nonce += 1;
            }
            parent = header.hash();
            headers.push(header);
        }
        let evidence = ConsensusEvidence {
            kind: FinalityKind::Work,
            number: BlockNumber(RETARGET_BLOCKS + 21),
            hash: headers[20].hash(),
            body: written(&headers),
        };
        check_evidence(&case.params, &set, &evidence, NOW)
    };
    shown(bent(&|_, _| {}));
    let wrong = |verdict: Verdict<FinalityShown>, what: &str| match verdict {
        Verdict::Refusal(Refusal::Header { what: got, .. }) => assert!(got.contains(what), "{got}"),
        other => panic!("{what}: {other:?}"),
    };
    let early = line[3].time;
    wrong(
        bent(&|index, header| {
            if index == 15 {
                header.time = early
            }
        }),
        "median",
    );
    wrong(
        bent(&|index, header| {
            if index == 15 {
                header.bits = 0x203f_ffff
            }
        }),
        "due",
    );
    let late = bent(&|index, header| {
        if index == 23 {
            header.time = u32::try_from(NOW.0).unwrap() + 2 * 60 * 60 + 1;
        }
    });
    assert!(matches!(late, Verdict::NotEnough(Shortfall::Early { .. })), "{late:?}");
    // work that is too cheap to count is not enough, though nothing is wrong with it
    let params = FinalityParams::Work(WorkParams { floor_bits: 0x2000_ffff, ..*params });
    let number = RETARGET_BLOCKS + 1;
    assert_eq!(
        check_evidence(
            &params,
            &set,
            &ConsensusEvidence {
                kind: FinalityKind::Work,
                number: BlockNumber(number),
                hash: line[0].hash(),
                body: written(&line[..4]),
            },
            NOW
        ),
        Verdict::NotEnough(Shortfall::Work { number })
    );
}

// --- checkpoint ---

const SUI: CheckpointParams = CheckpointParams { trusted_seconds: 14 * 86_400 };
const SUITE: &[u8] = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";

fn members(epoch: u64, count: u8) -> (Vec<SecretKey>, Committee) {
    let key = |index: u8| {
        let seed = [epoch as u8 ^ 0x5a, index, 7].repeat(11);
        SecretKey::key_gen(&seed, &[]).unwrap()
    };
    let keys: Vec<_> = (0..count).map(key).collect();
    let mut bytes = epoch.to_le_bytes().to_vec();
    bytes.extend(member_bytes(&keys));
    (keys, Committee::read(&bytes).unwrap())
}

fn member_bytes(keys: &[SecretKey]) -> Vec<u8> {
    let mut bytes = vec![u8::try_from(keys.len()).unwrap()];
    for key in keys {
        bytes.push(96);
        bytes.extend(key.sk_to_pk().compress());
        bytes.extend(100_u64.to_le_bytes());
    }
    bytes
}

/// Summary in BCS, by hand; with the members of the next committee it ends its epoch.
fn summary(epoch: u64, number: u64, seconds: u64, next: Option<&[SecretKey]>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for value in [epoch, number, 5] {
        bytes.extend(value.to_le_bytes());
    }
    bytes.push(32);
    bytes.extend([3; 32]);
    bytes.extend([1, 32]);
    bytes.extend([4; 32]);
    bytes.extend([0; 32]);
    bytes.extend((seconds * 1_000).to_le_bytes());
    bytes.push(0);
    match next {
        None => bytes.push(0),
        Some(keys) => {
            bytes.push(1);
            bytes.extend(member_bytes(keys));
            bytes.extend(9_u64.to_le_bytes());
            bytes.push(0);
        }
    }
    bytes.push(0);
    bytes
}

fn signed(keys: &[SecretKey], signers: &[u32], epoch: u64, summary: &[u8]) -> Vec<u8> {
    let message = [&[2, 0, 0][..], summary, &epoch.to_le_bytes()].concat();
    let sign = |index: &u32| keys[*index as usize].sign(&message, SUITE, &[]);
    let signatures: Vec<_> = signers.iter().map(sign).collect();
    let all: Vec<_> = signatures.iter().collect();
    let signature = AggregateSignature::aggregate(&all, false).unwrap().to_signature();
    let mut bitmap = Vec::new();
    let of: roaring::RoaringBitmap = signers.iter().copied().collect();
    of.serialize_into(&mut bitmap).unwrap();
    let signature = signature.compress().to_vec();
    write_checkpoint(summary, &Certificate { epoch, signature, signers: bitmap })
}

fn checkpoint_case() -> Case {
    let (keys, committee) = members(5, 4);
    let (next_keys, _) = members(6, 7);
    let as_of = UnixSeconds(NOW.0 - 2 * 86_400);
    let last = summary(5, 900, NOW.0 - 86_400, Some(&next_keys));
    let step = signed(&keys, &[0, 1, 3], 5, &last);
    let about = summary(6, 950, NOW.0 - 60, None);
    let evidence = ConsensusEvidence {
        kind: FinalityKind::Checkpoint,
        number: BlockNumber(950),
        hash: checkpoint_digest(&about),
        body: signed(&next_keys, &[0, 2, 3, 4, 6], 6, &about),
    };
    let set = FinalitySet::Checkpoint(CheckpointSet::new(as_of, committee));
    Case { params: FinalityParams::Checkpoint(SUI), set, step: Some(step), evidence }
}

#[test]
fn committees_follow_one_another_and_every_change_is_refused() {
    let case = checkpoint_case();
    case.refuses_every_change(1);
    let next = case.signer();
    let FinalitySet::Checkpoint(set) = &next else { unreachable!() };
    assert_eq!(set.committee().epoch, 6);
    assert_eq!(set.committee(), &members(6, 7).1);
    // the committee of the epoch before, and of the one after
    assert_eq!(
        check_evidence(&case.params, &case.set, &case.evidence, NOW),
        Verdict::NotEnough(Shortfall::Set { needed: 6, held: 5 })
    );
    let step = case.step.clone().unwrap();
    assert_eq!(
        next.advance(&case.params, &step, NOW),
        Verdict::NotEnough(Shortfall::Set { needed: 5, held: 6 })
    );
    // a checkpoint that does not end its epoch names no committee
    let (keys, _) = members(5, 4);
    let inner = signed(&keys, &[0, 1, 2], 5, &summary(5, 899, NOW.0 - 86_500, None));
    assert!(matches!(
        case.set.advance(&case.params, &inner, NOW),
        Verdict::Refusal(Refusal::Order { .. })
    ));
    // two of four, and one past the members
    let about = summary(5, 899, NOW.0 - 86_500, None);
    let of = |body| ConsensusEvidence {
        kind: FinalityKind::Checkpoint,
        number: BlockNumber(899),
        hash: checkpoint_digest(&about),
        body,
    };
    shown(check_evidence(&case.params, &case.set, &of(inner), NOW));
    assert_eq!(
        check_evidence(&case.params, &case.set, &of(signed(&keys, &[0, 1], 5, &about)), NOW),
        Verdict::NotEnough(Shortfall::Signers { got: 200, of: 400, expected: 267 })
    );
    let mut past = signed(&keys, &[0, 1, 2], 5, &about);
    let end = past.len();
    past[end - 2] = 9;
    assert!(matches!(
        check_evidence(&case.params, &case.set, &of(past), NOW),
        Verdict::Refusal(Refusal::Encoding { part: "signers" })
    ));
    // after the trusting period, and before its time
    let late = UnixSeconds(NOW.0 + 15 * 86_400);
    assert!(matches!(
        check_evidence(&case.params, &next, &case.evidence, late),
        Verdict::NotEnough(Shortfall::Expired { .. })
    ));
    let early = UnixSeconds(NOW.0 - 61);
    assert!(matches!(
        check_evidence(&case.params, &next, &case.evidence, early),
        Verdict::NotEnough(Shortfall::Early { .. })
    ));
}

#[test]
fn the_real_checkpoint_is_shown_by_its_committee() {
    let (Some(file), Some(committee)) =
        (data("other/sui/1137.chk"), data("other/sui/committee.bcs"))
    else {
        return;
    };
    let data: sdk::CheckpointData = bcs::from_bytes(&file).unwrap();
    let sdk::SignedCheckpointSummary { checkpoint, signature } = &data.checkpoint_summary;
    let summary = bcs::to_bytes(checkpoint).unwrap();
    let certificate = Certificate {
        epoch: signature.epoch,
        signature: signature.signature.inner().to_vec(),
        signers: bcs::to_bytes(&signature.bitmap).unwrap()[1..].to_vec(),
    };
    let at = UnixSeconds(checkpoint.timestamp_ms / 1_000);
    let committee = Committee::read(&committee).unwrap();
    let set = FinalitySet::Checkpoint(CheckpointSet::new(at, committee));
    let evidence = ConsensusEvidence {
        kind: FinalityKind::Checkpoint,
        number: BlockNumber(1_137),
        hash: Hash(checkpoint.digest().into_inner()),
        body: write_checkpoint(&summary, &certificate),
    };
    assert!(evidence.encode().len() < 512, "{} bytes", evidence.encode().len());
    let case = Case { params: FinalityParams::Checkpoint(SUI), set, step: None, evidence };
    let now = UnixSeconds(at.0 + 10);
    let found = shown(check_evidence(&case.params, &case.set, &case.evidence, now));
    assert_eq!((found.number(), found.at()), (Some(BlockNumber(1_137)), Some(at)));
}

// --- certificate ---

fn tree_of(node: &HashTreeNode) -> ciborium::Value {
    use ciborium::Value::{Array, Bytes};
    Array(match node {
        HashTreeNode::Empty() => vec![0.into()],
        HashTreeNode::Fork(sides) => vec![1.into(), tree_of(&sides.0), tree_of(&sides.1)],
        HashTreeNode::Labeled(name, node) => {
            vec![2.into(), Bytes(name.as_bytes().to_vec()), tree_of(node)]
        }
        HashTreeNode::Leaf(bytes) => vec![3.into(), Bytes(bytes.clone())],
        HashTreeNode::Pruned(hash) => vec![4.into(), Bytes(hash.to_vec())],
    })
}

fn certificate_case() -> Case {
    let canister: Principal = "ryjl3-tyaaa-aaaaa-aaaba-cai".parse().unwrap();
    let key = PrivateKey::deserialize(b"\0superroot simulated, not secret").unwrap();
    let hash = Hash([9; 32]);
    let mut time = Vec::new();
    let mut left = (NOW.0 - 5) * 1_000_000_000;
    while left > 0 {
        time.push((left & 0x7f) as u8 | if left > 0x7f { 0x80 } else { 0 });
        left >>= 7;
    }
    let certified = label("certified_data", leaf(hash.0));
    let canisters = label("canister", label(canister.as_slice(), certified));
    let tree: HashTree = fork(canisters, label("time", leaf(time)));
    let signature = key.sign(&[SIGNED_PREFIX, &tree.digest()].concat()).serialize().to_vec();
    let members =
        [("tree", tree_of(tree.as_ref())), ("signature", ciborium::Value::Bytes(signature))];
    let map = members.map(|(name, value)| (ciborium::Value::Text(name.into()), value));
    let evidence = ConsensusEvidence {
        kind: FinalityKind::Certificate,
        number: BlockNumber(44),
        hash,
        body: write_cbor(ciborium::Value::Map(map.into())),
    };
    let set = FinalitySet::Certificate(CertificateSet::new(key.public_key().serialize()));
    let params = FinalityParams::Certificate(CertificateParams { canister });
    Case { params, set, step: None, evidence }
}

#[test]
fn a_certificate_shows_the_hash_and_not_the_number() {
    let case = certificate_case();
    case.refuses_every_change(1);
    let found = shown(check_evidence(&case.params, &case.set, &case.evidence, NOW));
    assert_eq!((found.number(), found.hash()), (None, Hash([9; 32])));
    let early = UnixSeconds(NOW.0 - 6);
    assert!(matches!(
        check_evidence(&case.params, &case.set, &case.evidence, early),
        Verdict::NotEnough(Shortfall::Early { .. })
    ));
    let other = CertificateParams { canister: "aaaaa-aa".parse().unwrap() };
    let other = FinalityParams::Certificate(other);
    assert!(check_evidence(&other, &case.set, &case.evidence, NOW).shown().is_none());
    assert!(case.set.advance(&case.params, b"", NOW).shown().is_none());
}

// --- all kinds ---

#[test]
fn the_whole_proof_is_steps_evidence_and_link() {
    let (case, line) = work_case();
    let rule = HashRule::Bitcoin;
    let target = RETARGET_BLOCKS as usize + 4;
    assert_eq!(line[target].hash(), case.evidence.hash);
    let link = |range: std::ops::RangeInclusive<usize>| {
        range.rev().map(|index| line[index].encode().to_vec()).collect::<LinkHeaders>()
    };
    let proof = |link: LinkHeaders, steps: Vec<Vec<u8>>| FinalityProof {
        evidence: case.evidence.clone(),
        link,
        steps,
    };
    let step = case.step.clone().unwrap();
    let ask = |proof: &FinalityProof, set: &FinalitySet, number: u64, hash: Hash| {
        let again = FinalityProof::decode(&proof.encode()).unwrap();
        assert_eq!(&again, proof);
        let asked = FinalityQuestion { rule, number: BlockNumber(number), hash };
        check(&case.params, set, proof, asked, NOW)
    };
    let check = |proof: &FinalityProof, set: &FinalitySet, hash: Hash| {
        let below = proof.link.headers.len() as u64;
        ask(proof, set, case.evidence.number.0 - below, hash)
    };
    let whole = proof(LinkHeaders::default(), vec![step.clone()]);
    let found = shown(check(&whole, &case.set, case.evidence.hash));
    assert_eq!((found.steps(), found.number()), (1, Some(case.evidence.number)));
    // a client that is further on skips the step
    assert_eq!(shown(check(&whole, &case.signer(), case.evidence.hash)).steps(), 0);
    // another number than the evidence binds
    assert_eq!(
        ask(&whole, &case.set, case.evidence.number.0 + 1, case.evidence.hash),
        Verdict::Refusal(Refusal::Number {
            got: case.evidence.number,
            expected: BlockNumber(case.evidence.number.0 + 1)
        })
    );
    // an ancestor, by its descendants
    let below = proof(link(target - 2..=target), vec![step.clone()]);
    let found = shown(check(&below, &case.set, line[target - 3].hash()));
    let number = Some(BlockNumber(case.evidence.number.0 - 3));
    assert_eq!((found.number(), found.target()), (number, case.evidence.hash));
    // a gap, a header too many, another block
    let mut gap = below.clone();
    gap.link.headers.remove(1);
    assert_eq!(
        check(&gap, &case.set, line[target - 3].hash()),
        Verdict::Refusal(Refusal::Link { index: 1 })
    );
    let refused = check(&below, &case.set, line[target - 2].hash());
    assert!(matches!(refused, Verdict::Refusal(Refusal::Block { .. })), "{refused:?}");
    // without the step
    assert_eq!(
        check(&proof(LinkHeaders::default(), Vec::new()), &case.set, case.evidence.hash),
        Verdict::NotEnough(Shortfall::Set { needed: 2, held: 1 })
    );
    // the same step twice: the second is no step of the set that the first led to
    let twice = proof(LinkHeaders::default(), vec![step.clone(), step]);
    assert!(check(&twice, &case.set, case.evidence.hash).shown().is_none());
    // another kind's params
    let other = FinalityParams::Checkpoint(SUI);
    assert_eq!(
        check_evidence(&other, &case.set, &case.evidence, NOW),
        Verdict::Refusal(Refusal::Kind)
    );
}

#[test]
fn what_a_client_keeps_reads_back_and_nothing_else_does() {
    for case in [work_case().0, checkpoint_case(), certificate_case()] {
        let trusted = case.trusted();
        let bytes = trusted.encode();
        assert_eq!(TrustedSet::decode(&bytes).as_ref(), Some(&trusted));
        assert_eq!(trusted.read(&case.params).unwrap(), case.set);
        assert_eq!(TrustedSet::decode(&bytes[1..]), None);
        assert_eq!(TrustedSet::decode(&[&bytes[..], &[0]].concat()), None);
        let other = TrustedSet { id: Hash([1; 32]), ..trusted.clone() };
        assert_eq!(other.read(&case.params), Err(Refusal::Root));
    }
}
