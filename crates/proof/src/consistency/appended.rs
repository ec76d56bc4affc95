//! The twigs that one SuperRoot appends after another.

use alloc::vec::Vec;

use superroot_types::{ChainKey, Family, Hash};

use super::{Blob, ConsistencyError, same};
use crate::range::{KeccakRange, Peaks};
use crate::superroot::BlockReference;
use crate::twig::twig_leaf;

/// Checks that the twigs appended are those between the runs before and the runs now, each once, in
/// order of chain and index.
pub(super) fn check_order(before: Option<&Blob>, now: &Blob) -> Result<(), ConsistencyError> {
    let known = |chain: ChainKey| {
        let mut known = before.into_iter().flat_map(|blob| &blob.references);
        known.find(|(_, reference)| reference.chain == chain).map(|(_, reference)| *reference)
    };
    let mut runs: Vec<BlockReference> =
        now.references.iter().map(|(_, reference)| *reference).collect();
    runs.sort_unstable_by_key(|run| run.chain);
    // never written out: the runs are the service's word and may be long
    let mut expected = runs.iter().flat_map(|run| {
        let (first, open) = (run.start.twig_index(), run.open_twig_index());
        let old = known(run.chain);
        let (old_first, old_open) =
            old.map_or((first, first), |old| (old.start.twig_index(), old.open_twig_index()));
        (first..old_first).chain(old_open..open).map(|index| (run.chain, index))
    });
    for (position, twig) in now.appended.iter().enumerate() {
        if expected.next() != Some((twig.chain, twig.twig_index)) {
            return Err(ConsistencyError::Appended { position });
        }
    }
    match expected.next() {
        Some(_) => Err(ConsistencyError::Appended { position: now.appended.len() }),
        None => Ok(()),
    }
}

/// Appends the twigs of a family to its range, and checks that its root comes out.
pub(super) fn append(
    peaks: &mut Peaks,
    family: Family,
    now: &Blob,
    range_root: &Hash,
) -> Result<(), ConsistencyError> {
    for twig in now.appended.iter().filter(|twig| twig.chain.family == family) {
        let leaf = twig_leaf(twig.chain, twig.twig_index, &twig.twig_root);
        peaks.append::<KeccakRange>(leaf);
    }
    same("Mini-MMR range root", peaks.root::<KeccakRange>(), *range_root)
}
