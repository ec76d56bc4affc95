//! What a proof costs to make and to check, against `alloy-trie` and against bare hashing.

mod fixture;
mod ratio;

use alloy_trie::root::ordered_trie_root_encoded;
use divan::{Bencher, black_box};
use fixture::{N, Vector, bare_keccaks, bloom_of, leaves, logs, peer, proof_of_one, range};
use ratio::Ratios;
use superroot_proof::bundle::{Bundle, verify, verify_anchored};
use superroot_proof::hash::keccak256;
use superroot_proof::mpt::{self, OrderedTrie};
use superroot_proof::note::{Checkpoint, TrustPolicy};
use superroot_proof::range::{KeccakRange, verify_inclusion};
use superroot_proof::twig;
use superroot_types::{Hash, LeafCount, LeafIndex, LogSize, TwigIndex};

/// Receipts of a usual and of a very full block.
const BLOCKS: [N; 2] = [N(200), N(2_000)];
/// Leaves of the range.
const RANGE: N = N(100_000);
/// A leaf whose path has every height.
const LEAF: LeafIndex = LeafIndex(54_321);
/// Blocks of a twig, and hashes that it takes: a leaf each and what is above.
const TWIG: N = N(2_048);
const TWIG_HASHES: usize = 4_095;
/// Bytes of an inner node before hashing.
const NODE_BYTES: usize = 65;

fn main() {
    divan::main();
    let ratios = Ratios::of("proof");
    tries(&ratios);
    bundles(&ratios);
    notes(&ratios);
    trees(&ratios);
}

fn tries(ratios: &Ratios) {
    for n in BLOCKS {
        let leaves = leaves(n);
        let none = || ();
        let alloy = || ordered_trie_root_encoded(&leaves);
        let (build, prove) = (|()| OrderedTrie::build(&leaves), |()| prove_all(&leaves));
        ratios.print(&format!("trie_build/{n:?}"), "alloy-trie's root", none, build, alloy);
        ratios.print(&format!("trie_prove_all/{n:?}"), "alloy-trie's root", none, prove, alloy);
        let (root, key, nodes) = proof_of_one(&leaves);
        let bare = || nodes.iter().for_each(|node| _ = black_box(keccak256(node)));
        let check = |()| mpt::verify(&root, &key, &nodes).map(|value| value.map(<[u8]>::len));
        ratios.print(&format!("mpt_verify/{n:?}"), "bare keccaks of its nodes", none, check, bare);
        let logs = logs(n);
        let bare = || {
            for log in &logs {
                black_box(keccak256(&log.address.0));
                log.topics.iter().for_each(|topic| _ = black_box(keccak256(&topic.0)));
            }
        };
        let name = format!("logs_bloom/{n:?}");
        ratios.print(
            &name,
            "bare keccaks of addresses and topics",
            none,
            |()| bloom_of(&logs),
            bare,
        );
    }
}

fn bundles(ratios: &Ratios) {
    let bare = "bare keccak of its bytes";
    for vector in fixture::vectors() {
        let Vector { name, bytes, bundle, trusted } = &vector;
        let registry = fixture::registry();
        let policy = fixture::policy(&registry);
        let (none, hash) = (|| (), || keccak256(bytes));
        let check = |()| verify_anchored(bundle, &policy, trusted).unwrap();
        ratios.print(&format!("bundle_verify/{name}"), bare, none, check, hash);
        let decode = |()| Bundle::decode(bytes).unwrap();
        ratios.print(&format!("bundle_decode/{name}"), bare, none, decode, hash);
        ratios.print(&format!("bundle_encode/{name}"), bare, none, |()| bundle.encode(), hash);
    }
}

/// A proof by the log's key beside the same by a hash, and the note of a SuperRoot beside the bare
/// signature.
fn notes(ratios: &Ratios) {
    let (key, none) = (fixture::log_key(), || ());
    for vector in fixture::vectors() {
        let registry = fixture::registry();
        let policy = fixture::policy(&registry);
        let nobody = TrustPolicy::none();
        let signed = fixture::signed(&vector.bundle, &key);
        let by_key = |()| {
            let facts = verify(&signed, &policy).unwrap();
            facts.check_signed(key.verifier(), &nobody).unwrap().size
        };
        let by_hash = || verify_anchored(&vector.bundle, &policy, &vector.trusted).unwrap();
        let name = format!("verify_by_key/{}", vector.name);
        ratios.print(&name, "verify by hash", none, by_key, by_hash);
    }
    let text =
        Checkpoint { origin: "log".into(), size: LogSize(7), root: Hash([7; 32]) }.to_string();
    let bare = ed25519_dalek::SigningKey::from_bytes(&[1; 32]);
    let sign = || ed25519_dalek::Signer::sign(&bare, text.as_bytes());
    ratios.print("sign_note", "bare Ed25519", none, |()| key.sign(&text, 0).to_string(), sign);
}

fn trees(ratios: &Ratios) {
    let none = || ();
    let append = |()| range::grow(RANGE);
    let all = || bare_keccaks(RANGE.0, NODE_BYTES);
    let name = format!("range_append/{RANGE:?}");
    ratios.print(&name, "as many bare keccaks", none, append, all);
    let grown = range::grow(RANGE);
    let (leaf, root) = (grown.node(0, LEAF.0), grown.root());
    let path = grown.prove(LEAF);
    let steps = || bare_keccaks(path.len(), NODE_BYTES);
    let name = format!("range_prove/{RANGE:?}");
    ratios.print(&name, "a bare keccak a sibling", none, |()| grown.prove(LEAF), steps);
    let bags = range::bags(&grown);
    assert_eq!(range::prove_in(&grown, &bags, LEAF), path);
    let name = format!("range_prove_with_bags/{RANGE:?}");
    let prove = |()| range::prove_in(&grown, &bags, LEAF);
    ratios.print(&name, "the same without them", none, prove, || grown.prove(LEAF));
    let check = |()| {
        verify_inclusion::<KeccakRange>(&leaf, LEAF, LeafCount(RANGE.0 as u64), &path, &root)
            .unwrap()
    };
    let name = format!("range_verify/{RANGE:?}");
    ratios.print(&name, "a bare keccak a sibling", none, check, steps);
    // the crate that another chain keeps its headers in: of the same leaves and the same hash
    let theirs = peer::grow(RANGE, range::leaf);
    let name = format!("range_append_beside_ckb/{RANGE:?}");
    let ckb = || peer::grow(RANGE, range::leaf);
    ratios.print(&name, "ckb-merkle-mountain-range", none, |()| range::grow(RANGE), ckb);
    let name = format!("range_prove_beside_ckb/{RANGE:?}");
    let ckb = || peer::prove(&theirs, RANGE, LEAF.0);
    ratios.print(&name, "ckb-merkle-mountain-range", none, prove, ckb);
    let (proof, their_root) = (ckb(), peer::root(&theirs, RANGE));
    let name = format!("range_verify_beside_ckb/{RANGE:?}");
    let ckb = || peer::verify(&proof, LEAF.0, leaf, their_root);
    ratios.print(&name, "ckb-merkle-mountain-range", none, check, ckb);
    let blocks = fixture::blocks(TWIG);
    let build = |()| twig::build(fixture::ETHEREUM, TwigIndex(0), blocks.iter().copied());
    let peer = format!("{TWIG_HASHES} bare keccaks");
    let bare = || bare_keccaks(TWIG_HASHES, NODE_BYTES);
    ratios.print(&format!("twig_build/{TWIG:?}"), &peer, none, build, bare);
}

fn prove_all(leaves: &[Vec<u8>]) -> usize {
    let trie = OrderedTrie::build(leaves);
    let proofs = (0..leaves.len() as u64).map(|index| trie.prove(index).unwrap().len());
    proofs.sum()
}

#[divan::bench(args = BLOCKS)]
fn trie_build(bencher: Bencher<'_, '_>, n: N) {
    let leaves = leaves(n);
    bencher.bench_local(|| OrderedTrie::build(black_box(&leaves)));
}

#[divan::bench(args = BLOCKS)]
fn trie_prove_all(bencher: Bencher<'_, '_>, n: N) {
    let leaves = leaves(n);
    bencher.bench_local(|| prove_all(black_box(&leaves)));
}

#[divan::bench(args = BLOCKS)]
fn mpt_verify(bencher: Bencher<'_, '_>, n: N) {
    let (root, key, nodes) = proof_of_one(&leaves(n));
    bencher.bench_local(|| mpt::verify(&root, &key, black_box(&nodes)).unwrap().map(<[u8]>::len));
}

#[divan::bench(args = BLOCKS)]
fn logs_bloom(bencher: Bencher<'_, '_>, n: N) {
    let logs = logs(n);
    bencher.bench_local(|| bloom_of(black_box(&logs)));
}

#[divan::bench(args = fixture::vectors())]
fn bundle_verify(bencher: Bencher<'_, '_>, vector: &Vector) {
    let registry = fixture::registry();
    let policy = fixture::policy(&registry);
    bencher.bench_local(|| verify(black_box(&vector.bundle), &policy).unwrap());
}

#[divan::bench(args = fixture::vectors())]
fn verify_by_key(bencher: Bencher<'_, '_>, vector: &Vector) {
    let (registry, key, nobody) = (fixture::registry(), fixture::log_key(), TrustPolicy::none());
    let policy = fixture::policy(&registry);
    let signed = fixture::signed(&vector.bundle, &key);
    bencher.bench_local(|| {
        let facts = verify(black_box(&signed), &policy).unwrap();
        facts.check_signed(key.verifier(), &nobody).unwrap().size
    });
}

#[divan::bench]
fn sign_note(bencher: Bencher<'_, '_>) {
    let text =
        Checkpoint { origin: "log".into(), size: LogSize(7), root: Hash([7; 32]) }.to_string();
    let key = fixture::log_key();
    bencher.bench_local(|| key.sign(black_box(&text), 0).to_string());
}

#[divan::bench(args = fixture::vectors())]
fn bundle_decode(vector: &Vector) -> Bundle {
    Bundle::decode(black_box(&vector.bytes)).unwrap()
}

#[divan::bench(args = fixture::vectors())]
fn bundle_encode(vector: &Vector) -> Vec<u8> {
    black_box(&vector.bundle).encode()
}

#[divan::bench(args = [RANGE], sample_count = 10)]
fn range_append(n: N) -> range::Nodes {
    range::grow(n)
}

#[divan::bench(args = [RANGE])]
fn range_prove(bencher: Bencher<'_, '_>, n: N) {
    let grown = range::grow(n);
    bencher.bench_local(|| grown.prove(black_box(LEAF)));
}

#[divan::bench(args = [RANGE])]
fn range_verify(bencher: Bencher<'_, '_>, n: N) {
    let grown = range::grow(n);
    let (leaf, root, path) = (grown.node(0, LEAF.0), grown.root(), grown.prove(LEAF));
    let count = LeafCount(n.0 as u64);
    bencher.bench_local(|| {
        verify_inclusion::<KeccakRange>(&leaf, LEAF, count, black_box(&path), &root).unwrap();
    });
}

#[divan::bench(args = [TWIG])]
fn twig_build(bencher: Bencher<'_, '_>, n: N) {
    let blocks = fixture::blocks(n);
    bencher.bench_local(|| {
        twig::build(fixture::ETHEREUM, TwigIndex(0), black_box(&blocks).iter().copied())
    });
}
