//! A made Heimdall: keys, commits, and a state with milestones, whose trees are made by their definitions.

use k256::ecdsa::SigningKey;
use k256::ecdsa::signature::hazmat::PrehashSigner;
use sha2::{Digest, Sha256};
use sha3::Keccak256;
use superroot_proof::finality::commit::*;
use superroot_proof::finality::milestone::*;
use superroot_proof::finality::*;
use superroot_proof::ledger::cosmos::*;
use superroot_types::{BlockNumber, ChainId, Hash};

use crate::commits::{self, Members};

pub(crate) const HEIMDALL: &str = "heimdall-made";
pub(crate) const BOR: u64 = 137;

/// Sets 32 heights apart, trusted for a day.
pub(crate) fn params() -> MilestoneParams {
    let chain_id = HEIMDALL.to_owned();
    let heimdall = CommitParams { chain_id, set_blocks: 32, trusted_seconds: 86_400 };
    MilestoneParams { heimdall, bor_chain: ChainId(BOR) }
}

pub(crate) fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    Sha256::digest(parts.concat()).into()
}

fn signing_key(seed: u8) -> SigningKey {
    let mut secret = [0x5c; 32];
    secret[31] = seed;
    SigningKey::from_slice(&secret).unwrap()
}

pub(crate) fn key(seed: u8) -> HeimdallKey {
    let point = signing_key(seed).verifying_key().to_encoded_point(false);
    HeimdallKey(point.as_bytes().try_into().unwrap())
}

/// Signature over Keccak-256, with the lower `s`.
pub(crate) fn sign(seed: u8, message: &[u8]) -> [u8; 64] {
    let hash: [u8; 32] = Keccak256::digest(message).into();
    let signature: k256::ecdsa::Signature = signing_key(seed).sign_prehash(&hash).unwrap();
    signature.normalize_s().unwrap_or(signature).to_bytes().into()
}

pub(crate) fn list(members: &Members) -> Vec<CosmosValidator<HeimdallKey>> {
    members.iter().map(|(seed, power)| CosmosValidator { key: key(*seed), power: *power }).collect()
}

/// Header with the state of the height before.
pub(crate) fn header(height: u64, own: &Members, next: &Members, state: &MadeState) -> Header {
    Header {
        chain_id: HEIMDALL.to_owned(),
        validators_hash: validators_hash(&list(own)),
        next_validators_hash: validators_hash(&list(next)),
        app_hash: state.app_hash.to_vec(),
        ..commits::header(height, &[(1, 1)], &[(1, 1)])
    }
}

/// Commit of round 1 by the members at these places; `words` changes what one of them signs.
pub(crate) fn commit_with(
    header: &Header,
    own: &Members,
    signers: &[usize],
    words: impl Fn(usize, &CosmosBlockId, u64) -> Vec<u8>,
) -> BlockCommit<HeimdallKey> {
    let id = CosmosBlockId { hash: header.hash(), part_count: 3, parts_hash: Hash([10; 32]) };
    let vote = |index: &usize| {
        let time = header.time_nanos().unwrap() + 1_000_000_007 * (*index as u64 + 1);
        let signature = sign(own[*index].0, &words(*index, &id, time));
        CommitSignature { index: *index, time, signature }
    };
    BlockCommit {
        header: header.encode(),
        round: 1,
        part_count: id.part_count,
        parts_hash: id.parts_hash,
        validators: list(own),
        signatures: signers.iter().map(vote).collect(),
    }
}

pub(crate) fn commit(
    header: &Header,
    own: &Members,
    signers: &[usize],
) -> BlockCommit<HeimdallKey> {
    commit_with(header, own, signers, |_, id, time| {
        precommit_bytes(&header.chain_id, (header.height, 1), id, time)
    })
}

pub(crate) fn set(params: &FinalityParams, header: &Header, own: &Members) -> FinalitySet {
    FinalitySet::decode(params, &write_commit_set(&header.encode(), &list(own))).unwrap()
}

// -- the state of a height -------------------------------------------------------------------------------------------

/// Message `Milestone`.
pub(crate) fn milestone(end_block: u64, hash: Hash, bor: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let text = |out: &mut Vec<u8>, field: u8, bytes: &[u8]| {
        out.extend([field << 3 | 2, u8::try_from(bytes.len()).unwrap()]);
        out.extend(bytes);
    };
    text(&mut out, 1, b"0x00000000000000000000000000000000000000aa");
    number(&mut out, 2, end_block - 2);
    number(&mut out, 3, end_block);
    text(&mut out, 4, &hash.0);
    text(&mut out, 5, bor.as_bytes());
    text(&mut out, 6, b"made - 0xaa");
    number(&mut out, 7, 1_794_990_000);
    number(&mut out, 8, 3 * end_block);
    out
}

pub(crate) fn number(out: &mut Vec<u8>, field: u8, value: u64) {
    out.push(field << 3);
    out.extend(varint(value));
}

pub(crate) fn varint(mut value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while value > 0x7f {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
    out
}

/// Node of a store's tree.
struct Node {
    hash: [u8; 32],
    height: u64,
    size: u64,
    children: Option<Box<[Node; 2]>>,
}

const VERSION: u64 = 300;

/// Height, size and version as IAVL writes them: twice the number for one that is not negative.
pub(crate) fn iavl_prefix(height: u64, size: u64, version: u64) -> Vec<u8> {
    [height, size, version].into_iter().flat_map(|number| varint(2 * number)).collect()
}

fn tree(leaves: &[(Vec<u8>, Vec<u8>)]) -> Node {
    if let [(key, value)] = leaves {
        let length = [u8::try_from(key.len()).unwrap()];
        let prefix = iavl_prefix(0, 1, VERSION);
        let hash = sha256(&[&prefix, &length, key, &[32], &sha256(&[value])]);
        return Node { hash, height: 0, size: 1, children: None };
    }
    let (left, right) = leaves.split_at(leaves.len() / 2);
    let (left, right) = (tree(left), tree(right));
    let height = 1 + left.height.max(right.height);
    let size = left.size + right.size;
    let prefix = iavl_prefix(height, size, VERSION);
    let hash = sha256(&[&prefix, &[32], &left.hash, &[32], &right.hash]);
    Node { hash, height, size, children: Some(Box::new([left, right])) }
}

/// Steps down to the leaf with this index, the lowest first.
fn path(node: &Node, index: u64) -> Vec<IavlStep> {
    let Some(children) = &node.children else { return Vec::new() };
    let [left, right] = &**children;
    let is_right = index >= left.size;
    let (below, sibling, index) =
        if is_right { (right, left, index - left.size) } else { (left, right, index) };
    let mut steps = path(below, index);
    steps.push(IavlStep {
        is_sibling_left: is_right,
        height: node.height,
        size: node.size,
        version: VERSION,
        sibling: Hash(sibling.hash),
    });
    steps
}

/// Root by the recursive definition, and the steps from one leaf, the lowest first.
fn simple(leaves: &[Vec<u8>], index: usize) -> ([u8; 32], Vec<StoreStep>) {
    if let [leaf] = leaves {
        return (sha256(&[&[0], leaf]), Vec::new());
    }
    let half = leaves.len().next_power_of_two() / 2;
    let (left, right) = leaves.split_at(half);
    let is_right = index >= half;
    let of = |part, index| simple(part, index);
    let (own, other) = if is_right {
        (of(right, index - half), of(left, 0).0)
    } else {
        (of(left, index), of(right, 0).0)
    };
    let mut steps = own.1;
    steps.push(StoreStep { is_sibling_left: is_right, sibling: Hash(other) });
    let root =
        if is_right { sha256(&[&[1], &other, &own.0]) } else { sha256(&[&[1], &own.0, &other]) };
    (root, steps)
}

const STORES: [&str; 7] = ["auth", "bank", "bor", "checkpoint", "milestone", "stake", "topup"];

/// Milestones by number, with the paths of one, in a store with this name.
#[derive(Clone)]
pub(crate) struct MadeState {
    pub(crate) app_hash: [u8; 32],
    pub(crate) number: u64,
    pub(crate) milestone: Vec<u8>,
    pub(crate) path: IavlPath,
    pub(crate) stores: StorePath,
}

/// Message field with a length.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2][..], &varint(bytes.len() as u64), bytes].concat()
}

/// Message `CommitmentProof` of ICS 23, by prefix of the leaf, and prefix and suffix of each step.
fn commitment(
    (key, value): (&[u8], &[u8]),
    leaf: &[u8],
    steps: impl Iterator<Item = (Vec<u8>, Vec<u8>)>,
) -> Vec<u8> {
    let leaf = [&[8, 1, 24, 1, 32, 1][..], &field(5, leaf)].concat();
    let mut exist = [field(1, key), field(2, value), field(3, &leaf)].concat();
    for (prefix, suffix) in steps {
        let suffix = if suffix.is_empty() { Vec::new() } else { field(3, &suffix) };
        exist.extend(field(4, &[&[8, 1][..], &field(2, &prefix), &suffix].concat()));
    }
    field(1, &exist)
}

impl MadeState {
    /// Milestones 1 to `all.len()`, and the paths of milestone `number`.
    pub(crate) fn new(all: &[Vec<u8>], number: u64) -> Self {
        Self::in_store(all, number, "milestone")
    }

    pub(crate) fn in_store(all: &[Vec<u8>], number: u64, name: &str) -> Self {
        let mut leaves = vec![(vec![0x80], b"params".to_vec())];
        for (index, milestone) in (1_u64..).zip(all) {
            leaves.push(([&[0x81][..], &index.to_be_bytes()].concat(), milestone.clone()));
        }
        leaves.push((vec![0x83], (all.len() as u64).to_be_bytes().to_vec()));
        let tree = tree(&leaves);
        let index = STORES.iter().position(|store| *store == name).unwrap();
        let leaf = |store: &&str| {
            let other = sha256(&[b"root", store.as_bytes()]);
            let root = if *store == name { tree.hash } else { other };
            let length = [u8::try_from(store.len()).unwrap()];
            [&length, store.as_bytes(), &[32], &sha256(&[&root])].concat()
        };
        let (app_hash, steps) = simple(&STORES.iter().map(leaf).collect::<Vec<_>>(), index);
        Self {
            app_hash,
            number,
            milestone: all[usize::try_from(number).unwrap() - 1].clone(),
            path: IavlPath { version: VERSION, steps: path(&tree, number) },
            stores: StorePath { steps },
        }
    }

    /// Proofs as nodes write them: in the store, and over the stores.
    pub(crate) fn commitments(&self) -> [Vec<u8>; 2] {
        let key = [&[0x81][..], &self.number.to_be_bytes()].concat();
        let steps = self.path.steps.iter().map(|step| {
            let prefix = iavl_prefix(step.height, step.size, step.version);
            let sibling = [&[32][..], &step.sibling.0].concat();
            match step.is_sibling_left {
                true => ([prefix, sibling, vec![32]].concat(), Vec::new()),
                false => ([prefix, vec![32]].concat(), sibling),
            }
        });
        let leaf = iavl_prefix(0, 1, self.path.version);
        let path = commitment((&key, &self.milestone), &leaf, steps);
        let steps = self.stores.steps.iter().map(|step| match step.is_sibling_left {
            true => ([&[1][..], &step.sibling.0].concat(), Vec::new()),
            false => (vec![1], step.sibling.0.to_vec()),
        });
        [path, commitment((b"milestone", b"a root that is not read"), &[0], steps)]
    }

    pub(crate) fn body(&self, commit: &BlockCommit<HeimdallKey>) -> MilestoneBody {
        MilestoneBody {
            commit: commit.encode(),
            number: self.number,
            milestone: self.milestone.clone(),
            path: self.path.clone(),
            stores: self.stores.clone(),
        }
    }
}

/// Block that a milestone names.
pub(crate) fn block(number: u64) -> (BlockNumber, Hash) {
    (BlockNumber(5_000 + 3 * number), Hash([number as u8; 32]))
}

/// Eleven milestones, and the paths of one.
pub(crate) fn state(number: u64) -> MadeState {
    let milestones = (1..=11).map(|number| {
        let (end_block, hash) = block(number);
        milestone(end_block.0, hash, &BOR.to_string())
    });
    MadeState::new(&milestones.collect::<Vec<_>>(), number)
}

pub(crate) fn evidence_of(number: u64, body: &MilestoneBody) -> ConsensusEvidence {
    let (number, hash) = block(number);
    ConsensusEvidence { kind: FinalityKind::Milestone, number, hash, body: body.encode() }
}
