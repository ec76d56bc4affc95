//! Building tries: a second implementation gives the same root, and every leaf is proven.
#![no_main]

use libfuzzer_sys::fuzz_target;
use superroot_fuzz::{link, seeds};
use superroot_proof::mpt::{OrderedTrie, index_key, verify};
use superroot_types::Hash;

/// Most leaves in a trie; beyond 128 their keys have two bytes, beyond 256 three.
const LEAVES_MAX: usize = 300;
/// About as many indexes are proven in each.
const PROOFS: usize = 10;

fuzz_target!(init: seeds::plant("mpt_build", &seeds::tries()), |bytes: &[u8]| {
    let Some((key, nodes)) = link::decode(bytes) else { return };
    let mut leaves: Vec<&[u8]> = nodes.iter().map(Vec::as_slice).collect();
    leaves.retain(|leaf| !leaf.is_empty());
    let repeats = key.iter().map(|byte| usize::from(*byte >> 4)).sum::<usize>();
    let count = leaves.len();
    leaves = leaves.into_iter().cycle().take((count * (1 + repeats)).min(LEAVES_MAX)).collect();
    let trie = OrderedTrie::build(&leaves);
    let expected = alloy_trie::root::ordered_trie_root_encoded(&leaves);
    assert_eq!(trie.root(), Hash(expected.0), "{} leaves", leaves.len());
    let step = leaves.len() / PROOFS + 1;
    for index in (0..=leaves.len()).step_by(step).chain([leaves.len()]) {
        let key = index_key(index as u64);
        let proof = trie.prove(index as u64).expect("the trie is whole");
        assert_eq!(verify(&trie.root(), &key, &proof), Ok(leaves.get(index).copied()));
    }
});
