//! Laws of the trie, with `alloy-trie` as the second computation.

use alloy_trie::root::ordered_trie_root_encoded;
use proptest::prelude::*;
use superroot_proof::hash::keccak256;
use superroot_proof::mpt::{EMPTY_ROOT, MptError, OrderedTrie, first_node_hash, index_key, verify};
use superroot_types::Hash;

fn alloy_root(leaves: &[Vec<u8>]) -> Hash {
    Hash(ordered_trie_root_encoded(leaves).0)
}

fn leaves_of(count: usize, length: impl Fn(usize) -> usize) -> Vec<Vec<u8>> {
    let leaf = |n: usize| {
        let seed = keccak256(&n.to_be_bytes());
        seed.0.iter().cycle().take(length(n).max(1)).copied().collect()
    };
    (0..count).map(leaf).collect()
}

#[test]
fn roots_agree_with_a_second_implementation() {
    for count in (0..=300).chain([1000]) {
        for length in [1_usize, 5, 31, 32, 33, 110, 600] {
            if count > 40 && length > 5 && count % 37 != 0 {
                continue;
            }
            let leaves = leaves_of(count, |n| if n % 3 == 0 { length } else { 40 });
            let root = OrderedTrie::build(&leaves).root();
            assert_eq!(root, alloy_root(&leaves), "{count} leaves of {length}");
        }
    }
}

#[test]
fn an_empty_trie_is_shown_by_its_one_node() {
    let trie = OrderedTrie::build::<Vec<u8>>(&[]);
    assert_eq!(trie.root(), EMPTY_ROOT);
    let nodes = trie.prove(0).unwrap();
    assert_eq!(nodes, vec![vec![0x80]]);
    assert_eq!(verify(&EMPTY_ROOT, &index_key(0), &nodes), Ok(None));
    assert_eq!(verify(&EMPTY_ROOT, &index_key(0), &[]), Err(MptError::Empty));
    assert_eq!(first_node_hash(&[]), Err(MptError::Empty));
}

#[test]
fn every_index_is_proven_there_or_not_there() {
    for count in [1_u64, 2, 16, 17, 127, 128, 129, 255, 256, 257, 300] {
        let leaves = leaves_of(count as usize, |n| 1 + n % 90);
        let trie = OrderedTrie::build(&leaves);
        for index in (0..count + 40).chain([1 << 16, u64::from(u32::MAX), u64::MAX]) {
            let nodes = trie.prove(index).unwrap();
            let expected = leaves.get(index as usize).map(Vec::as_slice);
            assert_eq!(verify(&trie.root(), &index_key(index), &nodes), Ok(expected));
            assert_eq!(trie.leaf(index), Ok(expected));
        }
    }
}

#[test]
fn a_trie_of_kept_nodes_proves_what_was_kept_and_says_what_is_missing() {
    let leaves = leaves_of(200, |_| 100);
    let whole = OrderedTrie::build(&leaves);
    let kept = [whole.prove(3).unwrap(), whole.prove(150).unwrap()].concat();
    let part = OrderedTrie::from_nodes(whole.root(), kept);
    assert_eq!(part.prove(3), whole.prove(3));
    assert_eq!(part.prove(150), whole.prove(150));
    assert!(matches!(part.prove(199), Err(MptError::Missing(_))));
    assert!(part.nodes().count() < whole.nodes().count());
}

/// Nodes come in the order of their hashes, each once, and lead back to the trie in any order.
#[test]
fn a_trie_is_its_nodes() {
    for count in [0, 1, 2, 17, 130, 300] {
        let trie = OrderedTrie::build(&leaves_of(count, |n| 1 + n % 90));
        let nodes: Vec<&[u8]> = trie.nodes().collect();
        let hashes: Vec<Hash> = nodes.iter().map(|node| keccak256(node)).collect();
        assert!(hashes.is_sorted_by(|one, next| one < next), "{count} leaves");
        let backwards = nodes.iter().rev().chain(nodes.first());
        assert_eq!(OrderedTrie::from_nodes(trie.root(), backwards), trie);
        let fewer = OrderedTrie::from_nodes(trie.root(), &nodes[1..]);
        assert_ne!(fewer, trie, "{count} leaves");
    }
}

/// A whole trie is read back from its nodes in order without a hash, and its leaves come by index. A list that is cut, or
/// longer, is none; altered bytes of a leaf are found out by hashing alone.
#[test]
fn a_whole_trie_is_its_nodes_in_order() {
    for count in [0, 1, 2, 17, 127, 128, 129, 130, 300] {
        let leaves = leaves_of(count, |n| 1 + n % 90);
        let trie = OrderedTrie::build(&leaves);
        assert_eq!(trie.leaves().unwrap(), leaves, "{count} leaves");
        let nodes = trie.nodes_in_order().unwrap();
        let of = |nodes: &[&[u8]]| OrderedTrie::from_nodes_in_order(trie.root(), nodes);
        let read = of(&nodes).unwrap();
        assert_eq!(read, trie, "{count} leaves");
        assert!(read.is_sound());
        assert!(of(&nodes[..nodes.len() - 1]).is_none(), "cut, {count} leaves");
        assert!(of(&[nodes.as_slice(), &nodes[..1]].concat()).is_none(), "longer");
        let mut altered: Vec<Vec<u8>> = nodes.iter().map(|node| node.to_vec()).collect();
        *altered.last_mut().unwrap().last_mut().unwrap() ^= 1;
        let altered = OrderedTrie::from_nodes_in_order(trie.root(), altered);
        assert!(altered.is_none_or(|altered| !altered.is_sound()));
    }
    let whole = OrderedTrie::build(&leaves_of(200, |_| 100));
    let part = OrderedTrie::from_nodes(whole.root(), whole.prove(3).unwrap());
    assert_eq!((part.nodes_in_order(), part.leaves()), (None, None), "not every node is held");
    // two equal leaves under equal ends of their keys are one node
    let twins: Vec<Vec<u8>> = (0..200).map(|_| vec![7; 100]).collect();
    let twins = OrderedTrie::build(&twins);
    assert_eq!((twins.nodes_in_order(), twins.leaves()), (None, None));
    assert_eq!(twins.leaf(150).unwrap(), Some(&[7; 100][..]));
}

#[test]
fn no_flipped_bit_no_cut_and_no_other_key_verifies() {
    let leaves = leaves_of(150, |n| 20 + n % 60);
    let trie = OrderedTrie::build(&leaves);
    for index in [0, 1, 127, 128, 149] {
        let nodes = trie.prove(index).unwrap();
        let key = index_key(index);
        let good = leaves[index as usize].as_slice();
        for position in 0..nodes.len() {
            for bit in 0..nodes[position].len() * 8 {
                let mut flipped = nodes.clone();
                flipped[position][bit / 8] ^= 1 << (bit % 8);
                assert!(verify(&trie.root(), &key, &flipped).is_err(), "node {position} bit {bit}");
            }
            let cut: Vec<_> = nodes[..position].to_vec();
            assert!(verify(&trie.root(), &key, &cut).is_err());
        }
        let longer = [nodes.clone(), vec![nodes[0].clone()]].concat();
        assert_eq!(verify(&trie.root(), &key, &longer), Err(MptError::Unused { unused: 1 }));
        for other in (0..160).filter(|other| *other != index) {
            let got = verify(&trie.root(), &index_key(other), &nodes);
            assert_ne!(got, Ok(Some(good)), "{index} passes as {other}");
        }
        assert!(verify(&Hash::ZERO, &key, &nodes).is_err());
    }
}

/// A node that hashes right but is not canonical: what only a dishonest root could commit to.
#[test]
fn nodes_that_are_not_canonical_are_refused() {
    let branch = |children: &[&[u8]]| {
        let mut payload: Vec<u8> = children.concat();
        payload.extend(std::iter::repeat_n(0x80, 17 - children.len()));
        [vec![0xc0 + payload.len() as u8], payload].concat()
    };
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("nothing", vec![]),
        ("a lone string", vec![0x83, 1, 2, 3]),
        ("trailing bytes", vec![0xc2, 0x20, 0x01, 0x00]),
        ("cut short", vec![0xc3, 0x20, 0x01]),
        ("one item", vec![0xc1, 0x20]),
        ("three items", vec![0xc3, 0x20, 0x01, 0x01]),
        ("a leaf without a value", vec![0xc2, 0x20, 0x80]),
        ("an extension without a path", vec![0xc2, 0x00, 0x80]),
        ("an unknown flag", vec![0xc2, 0x40, 0x01]),
        ("padding that is not zero", vec![0xc2, 0x21, 0x01]),
        ("a length that is not minimal", vec![0xf8, 0x02, 0x20, 0x01]),
        ("a byte with a needless prefix", vec![0xc3, 0x81, 0x20, 0x01]),
        ("a branch that does not branch", branch(&[&[0xc2, 0x20, 0x01]])),
        ("a child of three bytes", branch(&[&[0x83, 1, 2, 3], &[0xc2, 0x20, 0x01]])),
        ("a path that is a list", vec![0xc3, 0xc1, 0x20, 0x01]),
        ("a huge length", vec![0xff; 9]),
    ];
    for (why, node) in cases {
        let root = keccak256(&node);
        let nodes = [node];
        let result = verify(&root, &[0x11], &nodes);
        assert!(matches!(result, Err(MptError::Node { position: 0, .. })), "{why}: {result:?}");
    }
}

#[test]
fn a_short_node_that_is_hashed_is_refused_below_the_root() {
    let short = vec![0xc2, 0x31, 0x05];
    let mut payload = vec![0xa0];
    payload.extend(keccak256(&short).0);
    payload.extend([0xc2, 0x20, 0x01]);
    payload.extend([0x80; 15]);
    let root = [vec![0xc0 + payload.len() as u8], payload].concat();
    let nodes = [root, short];
    let result = verify(&keccak256(&nodes[0]), &[0x01], &nodes);
    let why = "a hashed node under 32 bytes that is not the root";
    assert_eq!(result, Err(MptError::Node { position: 1, why }));
}

proptest! {
    #[test]
    fn bytes_from_outside_never_panic(
        nodes in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..80), 0..6),
        key in proptest::collection::vec(any::<u8>(), 0..10),
    ) {
        let root = nodes.first().map_or(Hash::ZERO, |node| keccak256(node));
        if let Ok(Some(value)) = verify(&root, &key, &nodes) {
            prop_assert!(nodes.iter().any(|node| node.windows(value.len()).any(|w| w == value)));
        }
    }

    #[test]
    fn random_leaves_agree_and_verify(
        leaves in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 1..70), 1..60),
        pick in any::<prop::sample::Index>(),
    ) {
        let trie = OrderedTrie::build(&leaves);
        prop_assert_eq!(trie.root(), alloy_root(&leaves));
        let index = pick.index(leaves.len());
        let nodes = trie.prove(index as u64).unwrap();
        let got = verify(&trie.root(), &index_key(index as u64), &nodes);
        prop_assert_eq!(got, Ok(Some(leaves[index].as_slice())));
    }
}
