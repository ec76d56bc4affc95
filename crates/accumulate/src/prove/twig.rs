//! ProofLevels 3 to 5: the path of a block to a SuperRoot.

use std::sync::Arc;

use superroot_proof::bundle::{
    OpenPlace, RegistryOpening, SealedPlace, SuperRootProof, TwigPosition, TwigProof,
};
use superroot_proof::perfect::PerfectTree;
use superroot_proof::superroot::{ChainReference, REGISTRY_SLOT, reference_slot};
use superroot_proof::twig;
use superroot_store::layout::TwigNodes;
use superroot_store::read;
use superroot_types::{
    BlockNumber, ChainKey, Family, Hash, LeafIndex, RowIndex, TWIG_HEIGHT, TwigIndex, TwigSlot,
};

use super::caches::Top;
use super::error::ProveError;
use super::prover::Prover;
use crate::nodes::NodeRange;
use crate::open_twig::{load_hashes, numbers};
use crate::record::Published;

pub(super) struct InTwig {
    pub(super) leaf: Hash,
    pub(super) siblings: [Hash; TWIG_HEIGHT],
    pub(super) root: Hash,
}

impl InTwig {
    fn of(twig: &PerfectTree, slot: TwigSlot) -> Result<Self, ProveError> {
        let slot = u64::from(slot);
        Ok(Self { leaf: twig.slot(slot), siblings: path(twig, slot)?, root: twig.root() })
    }
}

/// Reason why a part of a twig is unavailable.
enum MissingPart {
    Nodes,
    Store(superroot_store::StoreError),
}

impl From<superroot_store::StoreError> for MissingPart {
    fn from(error: superroot_store::StoreError) -> Self {
        Self::Store(error)
    }
}

impl Prover {
    /// ProofLevels 3 and up for an anchored block.
    pub(super) fn twig(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        published: &Published,
    ) -> Result<TwigProof, ProveError> {
        let gone = |what: String| ProveError::Corrupt { what };
        let (row, reference) = published
            .reference(chain)
            .ok_or_else(|| gone(format!("chain {chain} has no reference")))?;
        let index = number.twig_index();
        let InTwig { siblings, root, .. } = self.in_twig(chain, number, reference)?;
        let place = if index == reference.open_twig_index() {
            if root != reference.open_twig_root {
                return Err(gone(format!("open twig {index} of chain {chain} differs")));
            }
            let super_root = self.super_root(published, row, reference_slot(row))?;
            let ChainReference { start, number, block_hash, .. } = *reference;
            TwigPosition::Open(OpenPlace { start, number, block_hash, super_root })
        } else {
            let leaf_index = read::load_leaf_index(&*self.store, chain, index)?
                .ok_or_else(|| gone(format!("twig {index} of chain {chain} has no leaf")))?;
            let family = chain.family;
            let mini_mmr = published.mini_mmrs[usize::from(family.byte())];
            let count = mini_mmr.leaf_count;
            let siblings = self.in_mini_mmr(published, family, leaf_index)?;
            let slot = u64::from(family.byte());
            TwigPosition::Sealed(SealedPlace {
                leaf_index,
                leaf_count: count,
                siblings,
                root: mini_mmr.root(family),
                super_root: Some(self.super_root(published, row, slot)?),
            })
        };
        Ok(TwigProof { siblings, root, place: Some(place) })
    }

    /// Path of a twig in its Mini-MMR at this SuperRoot.
    fn in_mini_mmr(
        &self,
        published: &Published,
        family: Family,
        leaf_index: LeafIndex,
    ) -> Result<Vec<Hash>, ProveError> {
        let top = self.top(published)?;
        let slot = usize::from(family.byte());
        let range = NodeRange::MiniMmr(family);
        let bags = match top.bags[slot].get() {
            Some(bags) => bags,
            None => {
                let made = range.bags(&*self.store, published.mini_mmrs[slot].leaf_count)?;
                top.bags[slot].get_or_init(|| made)
            }
        };
        Ok(bags.prove_inclusion(leaf_index, |height, index| {
            // a complete subtree never changes
            self.nodes.get_or_insert_with(&(family, height, index), || {
                range.load(&*self.store, height, index)
            })
        })?)
    }

    /// Leaf at a number in its twig, at this reference.
    pub(super) fn in_twig(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        reference: &ChainReference,
    ) -> Result<InTwig, ProveError> {
        let index = number.twig_index();
        let slot = number.twig_slot();
        if index < reference.open_twig_index() {
            return self.in_sealed_twig(chain, number);
        }
        let tree = match self.board.open_twig(chain, &reference.open_twig_root) {
            Some(tree) => tree,
            None => self.whole_twig(chain, index, reference.number.0.saturating_add(1))?,
        };
        InTwig::of(&tree, slot)
    }

    /// Twig built from the blocks below `end`.
    fn whole_twig(
        &self,
        chain: ChainKey,
        index: TwigIndex,
        end: u64,
    ) -> Result<Arc<PerfectTree>, ProveError> {
        self.twigs.get_or_insert_with(&(chain, index, end), || {
            let hashes = load_hashes(&*self.store, chain, numbers(index)?.start, end)?;
            Ok(Arc::new(twig::build(chain, index, hashes)))
        })
    }

    /// Leaf at a number in its sealed twig: from the twig's stored nodes and the blocks below one node.
    fn in_sealed_twig(&self, chain: ChainKey, number: BlockNumber) -> Result<InTwig, ProveError> {
        let index = number.twig_index();
        let slot = u64::from(number.twig_slot());
        let above = self.parts.get_or_insert_with(&(chain, index, None), || {
            let nodes = read::load_twig_nodes(&*self.store, chain, index)?;
            nodes.map(|nodes| Arc::new(nodes.tree())).ok_or(MissingPart::Nodes)
        });
        let above = match above {
            Ok(above) => above,
            // an empty one, or sealed by an earlier build
            Err(MissingPart::Nodes) => {
                let tree = self.whole_twig(chain, index, numbers(index)?.end)?;
                return InTwig::of(&tree, number.twig_slot());
            }
            Err(MissingPart::Store(error)) => return Err(error.into()),
        };
        let node = slot >> TwigNodes::HEIGHT;
        let below = self.parts.get_or_insert_with(&(chain, index, Some(node)), || {
            let count = 1 << TwigNodes::HEIGHT;
            let first = numbers(index)?.start + node * count;
            let mut slots = vec![Hash::ZERO; 1 << TwigNodes::HEIGHT];
            for (number, hash) in load_hashes(&*self.store, chain, first, first + count)? {
                slots[(number.0 - first) as usize] = twig::block_leaf(chain, number, &hash);
            }
            let below = PerfectTree::new(TwigNodes::HEIGHT, slots);
            let what = || {
                format!(
                    "the blocks of twig {index} of chain {chain} are not those it was sealed with"
                )
            };
            match below.root() == above.slot(node) {
                true => Ok(Arc::new(below)),
                false => Err(ProveError::Corrupt { what: what() }),
            }
        })?;
        let in_part = slot % (1 << TwigNodes::HEIGHT);
        let siblings = [below.siblings(in_part), above.siblings(node)].concat();
        let what = || ProveError::Corrupt { what: "a twig has another height".to_owned() };
        let siblings = siblings.try_into().map_err(|_| what())?;
        Ok(InTwig { leaf: below.slot(in_part), siblings, root: above.root() })
    }

    /// Level 5, from a slot, with the row's profile.
    fn super_root(
        &self,
        published: &Published,
        row: RowIndex,
        slot: u64,
    ) -> Result<SuperRootProof, ProveError> {
        let top = self.top(published)?;
        let Top { tree, registry, profiles, .. } = &*top;
        let profile = registry.row(row).and_then(|profile| profile.encode().ok());
        let what = || ProveError::Corrupt { what: format!("registry row {row} is gone") };
        let registry = RegistryOpening {
            profile: profile.ok_or_else(what)?,
            row,
            count: u8::try_from(registry.rows().len()).map_err(|_| what())?,
            row_siblings: path(profiles, u64::from(row.0))?,
            siblings: path(tree, REGISTRY_SLOT)?,
        };
        let preimage = published.super_root.encode();
        Ok(SuperRootProof { siblings: path(tree, slot)?, preimage, registry, note: None })
    }
}

/// Perfect path with the tree's height.
pub(super) fn path<const HEIGHT: usize>(
    tree: &PerfectTree,
    slot: u64,
) -> Result<[Hash; HEIGHT], ProveError> {
    let siblings = tree.siblings(slot).try_into();
    siblings.map_err(|_| ProveError::Corrupt { what: "a tree has another height".to_owned() })
}
