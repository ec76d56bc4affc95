//! The twigs that a later SuperRoot appends after an earlier one.

use alloc::vec::Vec;

use superroot_types::{ChainKey, Family, Hash};

use super::{AppendedTwig, Blob, ConsistencyError, same};
use crate::range::{KeccakRange, Peaks};
use crate::superroot::BlockReference;
use crate::twig::twig_leaf;

/// Checks that the twigs are those between the runs before and the runs now, each once, in order of
/// chain and index.
pub(super) fn check_order(
    before: Option<&Blob>,
    now: &Blob,
    twigs: &[AppendedTwig],
) -> Result<(), ConsistencyError> {
    let named = twigs.iter().enumerate();
    check_named(before, now, named.map(|(position, twig)| (twig.chain, twig.twig_index, position)))
}

/// Checks that the twigs are those between the runs before and the runs now, each once, in any order.
pub(super) fn check_set(
    before: &Blob,
    now: &Blob,
    twigs: &[AppendedTwig],
) -> Result<(), ConsistencyError> {
    let named = twigs.iter().enumerate();
    let mut named: Vec<Named> =
        named.map(|(position, twig)| (twig.chain, twig.twig_index, position)).collect();
    named.sort_unstable();
    check_named(Some(before), now, named.into_iter())
}

/// Chain and index of a twig, and its place among the appended.
type Named = (ChainKey, u64, usize);

fn check_named(
    before: Option<&Blob>,
    now: &Blob,
    mut named: impl ExactSizeIterator<Item = Named>,
) -> Result<(), ConsistencyError> {
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
    let count = named.len();
    let wrong = named.find(|(chain, index, _)| expected.next() != Some((*chain, *index)));
    match (wrong, expected.next()) {
        (Some((.., position)), _) => Err(ConsistencyError::Appended { position }),
        (None, Some(_)) => Err(ConsistencyError::Appended { position: count }),
        (None, None) => Ok(()),
    }
}

/// Appends the twigs of a family to its range, and checks that its root comes out.
pub(super) fn append(
    peaks: &mut Peaks,
    family: Family,
    twigs: &[AppendedTwig],
    range_root: &Hash,
) -> Result<(), ConsistencyError> {
    for twig in twigs.iter().filter(|twig| twig.chain.family == family) {
        let leaf = twig_leaf(twig.chain, twig.twig_index, &twig.twig_root);
        peaks.append::<KeccakRange>(leaf);
    }
    same("Mini-MMR range root", peaks.root::<KeccakRange>(), *range_root)
}
