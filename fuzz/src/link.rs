//! Trie nodes out of fuzzed bytes. No fuzzer finds a Keccak preimage, so a node names its child by
//! a mark, and linking writes the child's hash in its place.
//!
//! ```text
//! key length : u8 ‖ key ‖ (node length : u16 ‖ node)*          a mark is 32 times ee
//! ```

use superroot_proof::hash::keccak256;

/// What stands in a node for the hash of the node after it.
pub const MARK: [u8; 32] = [0xee; 32];

/// Longest key; that of an index has 9 bytes at most.
const KEY_BYTES_MAX: usize = 12;

/// A key and the nodes that lead along it, linked from the last to the first.
#[must_use]
pub fn decode(bytes: &[u8]) -> Option<(&[u8], Vec<Vec<u8>>)> {
    let (length, rest) = bytes.split_first()?;
    let (key, mut rest) = rest.split_at_checked(usize::from(*length) % (KEY_BYTES_MAX + 1))?;
    let mut nodes = Vec::new();
    while let Some((length, after)) = rest.split_first_chunk::<2>() {
        let length = usize::from(u16::from_be_bytes(*length)).min(after.len());
        let (node, after) = after.split_at(length);
        nodes.push(node.to_vec());
        rest = after;
    }
    for position in (1..nodes.len()).rev() {
        let hash = keccak256(&nodes[position]).0;
        replace(&mut nodes[position - 1], &MARK, &hash);
    }
    Some((key, nodes))
}

/// The bytes from which [`decode`] makes that key and those nodes.
#[must_use]
pub fn encode(key: &[u8], nodes: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = vec![u8::try_from(key.len()).expect("a key is short")];
    bytes.extend_from_slice(key);
    for (position, node) in nodes.iter().enumerate() {
        let mut node = node.clone();
        if let Some(child) = nodes.get(position + 1) {
            replace(&mut node, &keccak256(child).0, &MARK);
        }
        bytes.extend_from_slice(&u16::try_from(node.len()).expect("a node is short").to_be_bytes());
        bytes.extend_from_slice(&node);
    }
    bytes
}

fn replace(node: &mut [u8], old: &[u8; 32], new: &[u8; 32]) {
    if let Some(at) = node.windows(32).position(|window| window == old) {
        node[at..at + 32].copy_from_slice(new);
    }
}

#[cfg(test)]
mod tests {
    use superroot_proof::mpt::{OrderedTrie, index_key, verify};

    use super::*;

    #[test]
    fn linked_nodes_are_the_proof_they_were_made_of() {
        let leaves: Vec<Vec<u8>> = (0..200_u8).map(|seed| vec![seed; 40]).collect();
        let trie = OrderedTrie::build(&leaves);
        for index in [0, 127, 128, 199] {
            let (key, nodes) = (index_key(index), trie.prove(index).unwrap());
            let encoded = encode(&key, &nodes);
            assert_eq!(decode(&encoded), Some((key.as_slice(), nodes.clone())));
            assert!(nodes.len() == 1 || encoded.windows(32).any(|window| window == MARK));
            let shown = verify(&trie.root(), &key, &nodes).unwrap();
            assert_eq!(shown, Some(leaves[usize::try_from(index).unwrap()].as_slice()));
        }
    }
}
