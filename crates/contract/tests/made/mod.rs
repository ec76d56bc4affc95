//! Levels 3 to 5 over any block, in a made-up log as large as all EVM chains from genesis.
#![allow(dead_code, reason = "each test crate uses a part of it")]

use superroot_chain::ChainRegistry;
use superroot_proof::bundle::*;
use superroot_proof::hash::{keccak256, sha256d};
use superroot_proof::perfect::PerfectTree;
use superroot_proof::range::{KeccakRange, path_length, root_of_path};
use superroot_proof::superroot::{ChainReference, MiniMmr, SuperRoot, log_id, reference_slot};
use superroot_proof::twig::{block_leaf, twig_leaf};
use superroot_types::*;

/// Twigs that all EVM chains have sealed from genesis.
const LEAVES: u64 = 580_123;
pub(crate) const ORIGIN: &str = "recorded/calldata";

/// Words that follow from a seed.
struct Words(u64);

impl Words {
    fn next(&mut self) -> Hash {
        self.0 += 1;
        keccak256(&self.0.to_be_bytes())
    }
}

/// Levels 3 to 5 over a block, as in a log of that size.
pub(crate) fn anchored(
    chain: ChainKey,
    number: BlockNumber,
    header: &[u8],
    open: bool,
) -> BlockLevel {
    let mut words = Words(number.0 << 20);
    let registry = ChainRegistry::builtin().proof_registry();
    let (row, profile) = registry.find(chain).unwrap();
    let block_hash = match chain.family {
        Family::Bitcoin => sha256d(&[header]),
        _ => keccak256(header),
    };
    let slots: Vec<Hash> = match open {
        // the slots up to the block's, of a twig that is not full
        true => (0..number.0 % TWIG_BLOCKS).map(|_| words.next()).collect(),
        false => (0..2_048).map(|_| words.next()).collect(),
    };
    let mut twig = PerfectTree::new(TWIG_HEIGHT, slots);
    twig.set(number.twig_slot().into(), block_leaf(chain, number, &block_hash));
    let root = twig.root();
    let siblings = twig.siblings(number.twig_slot().into()).try_into().unwrap();
    let mut tree: Vec<Hash> = (0..64).map(|_| words.next()).collect();
    let rows = registry.rows().len();
    (9 + rows..54).chain(56..64).for_each(|slot| tree[slot] = Hash::ZERO);
    tree[55] = registry.root();
    let start = BlockNumber(number.0 / TWIG_BLOCKS * TWIG_BLOCKS);
    let reference = ChainReference { chain, start, number, block_hash, open_twig_root: root };
    let (leaf_index, leaf_count) = (LeafIndex(number.0 % LEAVES), LeafCount(LEAVES));
    let count = path_length(leaf_index, leaf_count).unwrap();
    let path: Vec<Hash> = (0..count).map(|_| words.next()).collect();
    let leaf = twig_leaf(chain, number.twig_index(), &root);
    let range_root = root_of_path::<KeccakRange>(&leaf, leaf_index, leaf_count, &path).unwrap();
    let mini_mmr = MiniMmr { leaf_count, range_root }.root(chain.family);
    let slot = if open { reference_slot(row) } else { chain.family.byte().into() };
    tree[usize::try_from(slot).unwrap()] = if open { reference.hash() } else { mini_mmr };
    let tree = PerfectTree::new(6, tree);
    let super_root = SuperRoot {
        log_id: log_id(ORIGIN).unwrap(),
        sequence: Sequence(number.0 % 1_000_000),
        timestamp: UnixSeconds(1_790_000_000),
        tree_root: tree.root(),
    };
    let super_root = SuperRootProof {
        siblings: tree.siblings(slot).try_into().unwrap(),
        preimage: super_root.encode(),
        registry: RegistryOpening {
            profile: profile.encode().unwrap(),
            row,
            count: u8::try_from(rows).unwrap(),
            row_siblings: registry.tree().siblings(row.0.into()).try_into().unwrap(),
            siblings: tree.siblings(55).try_into().unwrap(),
        },
        note: None,
    };
    let place = match open {
        true => TwigPosition::Open(OpenPlace { start, number, block_hash, super_root }),
        false => TwigPosition::Sealed(SealedPlace {
            leaf_index,
            leaf_count,
            siblings: path,
            root: mini_mmr,
            super_root: Some(super_root),
        }),
    };
    let twig = Some(TwigProof { siblings, root, place: Some(place) });
    BlockLevel { header: header.to_vec(), block_hash, twig }
}
