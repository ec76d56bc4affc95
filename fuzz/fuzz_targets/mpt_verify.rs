//! Trie proofs: what is shown is in the nodes, needs all of them, and a second implementation
//! agrees.
#![no_main]

use alloy_primitives::{B256, Bytes};
use alloy_trie::Nibbles;
use alloy_trie::proof::verify_proof;
use libfuzzer_sys::fuzz_target;
use superroot_fuzz::{link, seeds};
use superroot_proof::hash::keccak256;
use superroot_proof::mpt::{MptError, OrderedTrie, first_node_hash, index_key, verify};
use superroot_types::Hash;

fuzz_target!(init: seeds::plant("mpt_verify", &seeds::tries()), |bytes: &[u8]| {
    let Some((key, nodes)) = link::decode(bytes) else { return };
    let Ok(root) = first_node_hash(&nodes) else {
        assert_eq!(verify(&Hash::ZERO, key, &nodes), Err(MptError::Empty));
        return;
    };
    let Ok(shown) = verify(&root, key, &nodes) else { return };
    needs_every_node(&root, key, &nodes);
    if let Some(value) = shown {
        assert!(!value.is_empty());
        assert!(nodes.iter().any(|node| node.windows(value.len()).any(|part| part == value)));
        let shared = nodes.iter().map(|node| Bytes::copy_from_slice(node)).collect::<Vec<_>>();
        let (root, key) = (B256::from(root.0), Nibbles::unpack(key));
        match verify_proof(root, key, Some(value.to_vec()), &shared) {
            Ok(()) => {}
            // no ordered list makes one, since no key of it begins another
            Err(error) if error.to_string().contains("branch node values") => {}
            Err(error) => panic!("alloy-trie does not find {value:02x?}: {error}"),
        }
    }
    // the walk that makes proofs finds what the walk that checks them found
    let kept = OrderedTrie::from_nodes(root, nodes.clone());
    for index in (0..300).filter(|index| index_key(*index) == key) {
        assert_eq!(kept.leaf(index), Ok(shown));
        assert_eq!(kept.prove(index).as_ref(), Ok(&nodes));
    }
});

fn needs_every_node(root: &Hash, key: &[u8], nodes: &[Vec<u8>]) {
    assert!(verify(root, key, &nodes[..nodes.len() - 1]).is_err());
    let longer = [nodes, &nodes[..1]].concat();
    assert_eq!(verify(root, key, &longer), Err(MptError::Unused { unused: 1 }));
    assert!(verify(&keccak256(&root.0), key, nodes).is_err());
}
