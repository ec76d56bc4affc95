//! `vectors/protocol/commitment.json`: roots and proofs computed by another program from
//! `docs/protocol.md` alone. The blocks are made up: `block_hash = H("test block" ‖ chain ‖ number)`.

use std::collections::BTreeMap;
use std::convert::Infallible;

use serde_json::Value;
use superroot_proof::hash::{keccak256, keccak256_joined};
use superroot_proof::perfect::{empty_root, root_of_path};
use superroot_proof::range::{
    self, KeccakRange, Sha256Range, prove_consistency, prove_inclusion, root_of_path as range_root,
};
use superroot_proof::registry::{LogRegistry, Profile, root_of};
use superroot_proof::superroot::*;
use superroot_proof::twig::{self, block_leaf, twig_leaf};
use superroot_types::*;

fn vectors() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/protocol/commitment.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn bytes(value: &Value) -> Vec<u8> {
    const_hex::decode(value.as_str().unwrap()).unwrap()
}

fn hash(value: &Value) -> Hash {
    Hash(bytes(value).try_into().unwrap())
}

fn hashes(value: &Value) -> Vec<Hash> {
    value.as_array().unwrap().iter().map(hash).collect()
}

/// A key of the file: `family:chain` or `family:chain:twig`.
fn chain_of(key: &str) -> (ChainKey, u64) {
    let parts: Vec<u64> = key.split(':').map(|part| part.parse().unwrap()).collect();
    let family = Family::try_from(parts[0] as u8).unwrap();
    (ChainKey { family, id: ChainId(parts[1]) }, parts.get(2).copied().unwrap_or(0))
}

fn made_up_hash(chain: ChainKey, number: u64) -> Hash {
    keccak256_joined(&[b"test block", &chain.id.0.to_be_bytes(), &number.to_be_bytes()])
}

fn made_up_twig(chain: ChainKey, index: u64, last: u64) -> superroot_proof::perfect::PerfectTree {
    let numbers = (index * 2048..(index + 1) * 2048).filter(|number| *number <= last);
    twig::build(chain, TwigIndex(index), numbers.map(|n| (BlockNumber(n), made_up_hash(chain, n))))
}

#[test]
fn single_hashes_come_out() {
    let v = vectors();
    assert_eq!(log_id(v["origin"].as_str().unwrap()), Ok(hash(&v["log_id"])));
    assert_eq!(empty_root(TWIG_HEIGHT), hash(&v["zero_twig_root"]));
    assert_eq!(empty_root(3), hash(&v["empty_slots_8"]));
    let ethereum = ChainKey { family: Family::Evm, id: ChainId(1) };
    let block_hash = made_up_hash(ethereum, 4097);
    let leaf = block_leaf(ethereum, BlockNumber(4097), &block_hash);
    assert_eq!(leaf, hash(&v["block_leaf_0_1_4097"]));
}

#[test]
fn profiles_and_registry_lead_back_to_their_bytes() {
    let v = vectors();
    let profiles = v["profiles"].as_array().unwrap().iter().map(bytes);
    let rows: Vec<Profile> = profiles
        .map(|bytes| {
            let profile = Profile::decode(&bytes).unwrap();
            assert_eq!(profile.encode().unwrap(), bytes);
            for length in 0..bytes.len() {
                assert!(Profile::decode(&bytes[..length]).is_err());
            }
            profile
        })
        .collect();
    let registry = LogRegistry::new(rows).unwrap();
    let preimage = bytes(&v["registry_preimage"]);
    assert_eq!([&[6, 0, 2], &registry.tree().root().0[..]].concat(), preimage);
    assert_eq!(registry.root(), hash(&v["registry_root"]));
    assert_eq!(registry.root(), keccak256(&preimage));
}

#[test]
fn twigs_and_mini_mmr_leaves_come_out() {
    let v = vectors();
    let mut leaves = Vec::new();
    for (key, root) in v["twig_roots"].as_object().unwrap() {
        let (chain, index) = chain_of(key);
        // every twig of the file is full
        assert_eq!(made_up_twig(chain, index, u64::MAX).root(), hash(root), "{key}");
        leaves.push(twig_leaf(chain, TwigIndex(index), &hash(root)));
    }
    let listed = v["mini_mmr_leaves"].as_object().unwrap().values().flat_map(hashes);
    for leaf in listed {
        assert!(leaves.contains(&leaf));
    }
}

/// Complete subtrees by the plain definition.
fn subtree<R: range::RangeHash>(leaves: &[Hash], height: u8, index: u64) -> Hash {
    let size = 1_usize << height;
    match &leaves[index as usize * size..][..size] {
        [leaf] => *leaf,
        part => {
            let (left, right) = part.split_at(size / 2);
            R::node(&subtree::<R>(left, height - 1, 0), &subtree::<R>(right, height - 1, 0))
        }
    }
}

#[test]
fn super_roots_come_out_of_their_parts() {
    let v = vectors();
    let profile = |value| Profile::decode(&bytes(value)).unwrap();
    let mut rows: Vec<Profile> = v["profiles"].as_array().unwrap().iter().map(profile).collect();
    let mut sealed: [Vec<Hash>; 9] = Default::default();
    let mut entries = Vec::new();
    for (sequence, expected) in v["super_roots"].as_array().unwrap().iter().enumerate() {
        if sequence == 3 {
            rows[0] = profile(&v["withdrawn"]["profile"]);
        }
        let registry = LogRegistry::new(rows.clone()).unwrap();
        for key in expected["appended"].as_array().unwrap() {
            let (chain, index) = chain_of(key.as_str().unwrap());
            let root = made_up_twig(chain, index, u64::MAX).root();
            sealed[usize::from(chain.family.byte())].push(twig_leaf(
                chain,
                TwigIndex(index),
                &root,
            ));
        }
        let mini_mmrs = Family::ALL.map(|family| {
            let leaves = &sealed[usize::from(family.byte())];
            let fetch = |h, i| Ok::<_, Infallible>(subtree::<KeccakRange>(leaves, h, i));
            let leaf_count = leaves.len() as u64;
            let range_root = range::root::<KeccakRange, _>(LeafCount(leaf_count), fetch).unwrap();
            MiniMmr { leaf_count: LeafCount(leaf_count), range_root }
        });
        let counts: Vec<u64> = serde_json::from_value(expected["leaf_counts"].clone()).unwrap();
        assert_eq!(mini_mmrs.map(|one| one.leaf_count.0).to_vec(), counts);
        let references =
            expected["references"].as_object().unwrap().iter().map(|(key, preimage)| {
                let reference = ChainReference::decode(&bytes(preimage)).unwrap();
                assert_eq!(reference.encode(), bytes(preimage));
                let (chain, number) = (reference.chain, reference.number);
                assert_eq!(chain, chain_of(key).0);
                assert_eq!(reference.block_hash, made_up_hash(chain, number.0));
                let open = made_up_twig(chain, reference.open_twig_index().0, number.0);
                assert_eq!(reference.open_twig_root, open.root());
                (registry.find(chain).unwrap().0, reference)
            });
        let references: Vec<_> = references.collect();
        let fetch = |h, i| Ok::<_, Infallible>(subtree::<Sha256Range>(&entries, h, i));
        let leaf_count = entries.len() as u64;
        let log_root = range::root::<Sha256Range, _>(LeafCount(leaf_count), fetch).unwrap();
        let history = SuperRootHistory { leaf_count: LeafCount(leaf_count), log_root };
        let tree = build_tree(&mini_mmrs, &references, &history, registry.root());
        for slot in 0..64 {
            let value = expected["slots"].get(slot.to_string());
            assert_eq!(tree.slot(slot), value.map_or(Hash::ZERO, hash), "slot {slot}");
        }
        assert_eq!(tree.root(), hash(&expected["tree_root"]));
        let preimage = bytes(&expected["super_root_preimage"]);
        let super_root = SuperRoot::decode(&preimage).unwrap();
        assert_eq!(super_root.encode(), preimage);
        assert_eq!(super_root.tree_root, tree.root());
        assert_eq!(super_root.hash(), hash(&expected["super_root_hash"]));
        entries.push(SuperRootHistory::leaf(&super_root));
        let size = entries.len() as u64;
        assert_eq!(Some(size), expected["witness_log_size"].as_u64());
        let fetch = |h, i| Ok::<_, Infallible>(subtree::<Sha256Range>(&entries, h, i));
        let root = range::root::<Sha256Range, _>(LeafCount(size), fetch).unwrap();
        assert_eq!(root, hash(&expected["witness_log_root"]));
    }
    let fetch = |h, i| Ok::<_, Infallible>(subtree::<Sha256Range>(&entries, h, i));
    let path = prove_consistency::<Sha256Range, _>(LeafCount(1), LeafCount(2), fetch).unwrap();
    assert_eq!(path, hashes(&v["history_consistency_1_to_2"]));
    let path = prove_inclusion::<Sha256Range, _>(LeafIndex(0), LeafCount(2), fetch).unwrap();
    assert_eq!(path, hashes(&v["history_inclusion_0_in_2"]));
}

#[test]
fn bagged_roots_come_out() {
    let v = vectors();
    let listed = v["mini_mmr_bagged_n_leaves"].as_object().unwrap();
    let leaf = |n: u64| keccak256(&n.to_be_bytes());
    for (count, root) in listed {
        let leaves: Vec<Hash> = (0..count.parse().unwrap()).map(leaf).collect();
        let fetch = |h, i| Ok::<_, Infallible>(subtree::<KeccakRange>(&leaves, h, i));
        let got = range::root::<KeccakRange, _>(LeafCount(leaves.len() as u64), fetch).unwrap();
        assert_eq!(got, hash(root), "{count} leaves");
    }
}

#[test]
fn a_withdrawal_wins_over_every_rule() {
    let v = vectors();
    for case in v["withdrawn"]["rules"].as_array().unwrap() {
        let encoded = bytes(&case["profile"]);
        let profile = Profile::decode(&encoded).unwrap();
        assert_eq!(profile.encode(), Ok(encoded));
        let code = profile.code_at(case["number"].as_u64().unwrap());
        assert_eq!(code != Some(0), case["provable"].as_bool().unwrap(), "{case}");
        assert_eq!(profile.withdrawn_from(), v["withdrawn"]["from_number"].as_u64());
    }
}

/// A proof of the file as it stands there, in plain parts.
#[derive(Clone)]
struct Plain(BTreeMap<String, Value>);

impl Plain {
    fn number(&self, key: &str) -> u64 {
        self.0[key].as_u64().unwrap()
    }

    /// The SuperRoot tree root that both of its ways lead to, or nothing when it is refused before.
    fn tree_root(&self) -> Option<Hash> {
        let root = self.tree_root_of_block()?;
        (self.tree_root_of_profile()? == root).then_some(root)
    }

    /// By the opened profile, which is of the chain and does not withdraw the number.
    fn tree_root_of_profile(&self) -> Option<Hash> {
        let encoded = bytes(&self.0["profile"]);
        let profile = Profile::decode(&encoded).ok()?;
        let (row, count) = (self.number("row"), self.number("registry_count"));
        let siblings = hashes(&self.0["registry_siblings"]);
        let is_chain = u64::from(profile.chain.family.byte()) == self.number("family")
            && profile.chain.id.0 == self.number("chain_id");
        let withdrawn = profile.code_at(self.number("number")) == Some(0);
        if !is_chain || withdrawn || row >= count || siblings.len() != 6 {
            return None;
        }
        let tree_root = root_of_path(&keccak256(&encoded), row, &siblings);
        let upward = hashes(&self.0["registry_super_root_siblings"]);
        Some(root_of_path(&root_of(count as u16, &tree_root), REGISTRY_SLOT, &upward))
    }

    fn tree_root_of_block(&self) -> Option<Hash> {
        let family = Family::try_from(self.number("family") as u8).unwrap();
        let chain = ChainKey { family, id: ChainId(self.number("chain_id")) };
        let number = BlockNumber(self.number("number"));
        let leaf = block_leaf(chain, number, &hash(&self.0["block_hash"]));
        let siblings = hashes(&self.0["twig_siblings"]);
        let twig_root = root_of_path(&leaf, number.twig_slot().into(), &siblings);
        let upward = hashes(&self.0["super_root_siblings"]);
        let Some(preimage) = self.0.get("reference_preimage") else {
            let leaf = twig_leaf(chain, number.twig_index(), &twig_root);
            let (index, leaf_count) = (self.number("leaf_index"), self.number("leaf_count"));
            let path = hashes(&self.0["mmr_siblings"]);
            let range_root =
                range_root::<KeccakRange>(&leaf, LeafIndex(index), LeafCount(leaf_count), &path)
                    .ok()?;
            let root = MiniMmr { leaf_count: LeafCount(leaf_count), range_root }.root(family);
            return Some(root_of_path(&root, u64::from(family.byte()), &upward));
        };
        let reference = ChainReference::decode(&bytes(preimage)).unwrap();
        let covered = reference.start <= number && number <= reference.number;
        let open = number.twig_index() == reference.open_twig_index();
        if reference.chain != chain || !covered || !open || reference.open_twig_root != twig_root {
            return None;
        }
        Some(root_of_path(
            &reference.hash(),
            reference_slot(RowIndex(self.number("row") as u8)),
            &upward,
        ))
    }
}

#[test]
fn proofs_lead_to_the_root_and_what_is_refused_does_not() {
    let v = vectors();
    let root = hash(&v["super_roots"][2]["tree_root"]);
    let plain =
        |kind: &str| -> Plain { Plain(serde_json::from_value(v["proofs"][kind].clone()).unwrap()) };
    assert_eq!(plain("sealed").tree_root(), Some(root));
    assert_eq!(plain("open").tree_root(), Some(root));
    let refused = v["refused"].as_array().unwrap();
    for text in refused.iter().map(|text| text.as_str().unwrap()) {
        let (kind, change) = text.split_once(": ").unwrap();
        let (key, value) = change.split_once(" = ").unwrap();
        let mut lie = plain(kind);
        let good = lie.0[key].clone();
        let bent = match &good {
            Value::Array(path) => {
                // "mmr_siblings = n": the path cut or stretched to n hashes
                let mut path = path.clone();
                path.resize(value.parse().unwrap(), Value::from("00".repeat(32)));
                Value::Array(path)
            }
            Value::Number(_) => Value::from(value.parse::<u64>().unwrap()),
            _ => Value::from(value),
        };
        assert_ne!(bent, good, "{text} changes nothing");
        lie.0.insert(key.to_owned(), bent);
        assert_ne!(lie.tree_root(), Some(root), "{text} must be refused");
    }
    assert_eq!(refused.len(), 23);
    let after = hash(&v["super_roots"][3]["tree_root"]);
    let plain = |value: &Value| -> Plain { Plain(serde_json::from_value(value.clone()).unwrap()) };
    assert_eq!(plain(&v["withdrawn"]["holds"]).tree_root(), Some(after));
    for lie in v["withdrawn"]["refused"].as_array().unwrap() {
        assert_ne!(plain(lie).tree_root(), Some(after));
    }
}
