//! Laws of ranges, against the plain recursive definitions of RFC 9162.

use core::convert::Infallible;

use alloc::vec::Vec;

use proptest::prelude::*;
use superroot_types::{Hash, LeafCount, LeafIndex};

use super::*;

/// A range held as every complete subtree it ever made.
#[derive(Default)]
struct Held {
    levels: Vec<Vec<Hash>>,
    leaves: Vec<Hash>,
}

impl Held {
    fn of<R: RangeHash>(leaves: &[Hash]) -> Self {
        let mut held = Self::default();
        for leaf in leaves {
            let count = counted(held.leaves.len());
            let grown = append::<R, Infallible>(count, *leaf, |h, i| Ok(held.node(h, i))).unwrap();
            for Grown { height, index, hash } in grown {
                if held.levels.len() <= usize::from(height) {
                    held.levels.push(Vec::new());
                }
                let level = &mut held.levels[usize::from(height)];
                assert_eq!(level.len() as u64, index, "subtrees appear in order");
                level.push(hash);
            }
            held.leaves.push(*leaf);
        }
        held
    }

    fn node(&self, height: u8, index: u64) -> Hash {
        self.levels[usize::from(height)][index as usize]
    }

    fn root<R: RangeHash>(&self, count: LeafCount) -> Hash {
        root::<R, Infallible>(count, |h, i| Ok(self.node(h, i))).unwrap()
    }

    fn inclusion<R: RangeHash>(&self, index: LeafIndex, count: LeafCount) -> Vec<Hash> {
        let fetch = |h, i| Ok::<_, Infallible>(self.node(h, i));
        let path = prove_inclusion::<R, _>(index, count, fetch).unwrap();
        let bags = Bags::of::<R, _>(count, fetch).unwrap();
        assert_eq!(bags.prove_inclusion(index, fetch).unwrap(), path, "{index} of {count}");
        path
    }

    fn consistency<R: RangeHash>(&self, from: LeafCount, to: LeafCount) -> Vec<Hash> {
        prove_consistency::<R, Infallible>(from, to, |h, i| Ok(self.node(h, i))).unwrap()
    }
}

/// MTH of RFC 9162 2.1.1, word for word.
fn mth<R: RangeHash>(leaves: &[Hash]) -> Hash {
    match leaves {
        [] => R::empty(),
        [leaf] => *leaf,
        _ => {
            let k = leaves.len().next_power_of_two() / 2;
            R::node(&mth::<R>(&leaves[..k]), &mth::<R>(&leaves[k..]))
        }
    }
}

/// PATH of RFC 9162 2.1.3.1, word for word.
fn path<R: RangeHash>(m: usize, leaves: &[Hash]) -> Vec<Hash> {
    if leaves.len() <= 1 {
        return Vec::new();
    }
    let k = leaves.len().next_power_of_two() / 2;
    let (mut below, other) = if m < k {
        (path::<R>(m, &leaves[..k]), mth::<R>(&leaves[k..]))
    } else {
        (path::<R>(m - k, &leaves[k..]), mth::<R>(&leaves[..k]))
    };
    below.push(other);
    below
}

/// SUBPROOF of RFC 9162 2.1.4.1, word for word.
fn subproof<R: RangeHash>(m: usize, leaves: &[Hash], whole: bool) -> Vec<Hash> {
    if m == leaves.len() {
        return if whole { Vec::new() } else { [mth::<R>(leaves)].to_vec() };
    }
    let k = leaves.len().next_power_of_two() / 2;
    let (mut below, other) = if m <= k {
        (subproof::<R>(m, &leaves[..k], whole), mth::<R>(&leaves[k..]))
    } else {
        (subproof::<R>(m - k, &leaves[k..], false), mth::<R>(&leaves[..k]))
    };
    below.push(other);
    below
}

fn counted(count: usize) -> LeafCount {
    LeafCount(count as u64)
}

fn indexed(index: usize) -> LeafIndex {
    LeafIndex(index as u64)
}

fn leaves(count: usize) -> Vec<Hash> {
    (0..count).map(|n| crate::hash::keccak256(&n.to_be_bytes())).collect()
}

fn all_agree<R: RangeHash>() {
    let all = leaves(33);
    let held = Held::of::<R>(&all);
    for count in 0..=all.len() {
        let part = &all[..count];
        let root = held.root::<R>(counted(count));
        assert_eq!(root, mth::<R>(part), "root of {count}");
        for index in 0..count {
            let proof = held.inclusion::<R>(indexed(index), counted(count));
            assert_eq!(proof, path::<R>(index, part), "path of {index} in {count}");
            assert_eq!(path_length(indexed(index), counted(count)), Some(proof.len()));
            verify_inclusion::<R>(&part[index], indexed(index), counted(count), &proof, &root)
                .unwrap();
        }
        for from in 0..=count {
            let proof = held.consistency::<R>(counted(from), counted(count));
            if from > 0 {
                assert_eq!(proof, subproof::<R>(from, part, true), "{from} to {count}");
            }
            let old = held.root::<R>(counted(from));
            verify_consistency::<R>(counted(from), counted(count), &old, &root, &proof).unwrap();
        }
    }
}

#[test]
fn keccak_ranges_agree_with_the_rfc() {
    all_agree::<KeccakRange>();
}

#[test]
fn sha256_ranges_agree_with_the_rfc() {
    all_agree::<Sha256Range>();
}

#[test]
fn peaks_bagged_from_the_right_give_the_same_root() {
    for count in 1..40_usize {
        let all = leaves(count);
        let mut peaks = Vec::new();
        let mut start = 0;
        for bit in (0..7).rev() {
            if count >> bit & 1 == 1 {
                peaks.push(mth::<KeccakRange>(&all[start..start + (1 << bit)]));
                start += 1 << bit;
            }
        }
        let last = peaks.pop().unwrap();
        let bag = peaks.iter().rev().fold(last, |bag, peak| KeccakRange::node(peak, &bag));
        assert_eq!(bag, mth::<KeccakRange>(&all), "{count} leaves");
    }
}

#[test]
fn index_at_or_past_the_count_is_refused() {
    for (index, count) in [(0, 0), (1, 1), (5, 5), (u64::MAX, 5), (u64::MAX, u64::MAX)] {
        let (index, count) = (LeafIndex(index), LeafCount(count));
        let got = root_of_path::<KeccakRange>(&Hash::ZERO, index, count, &[]);
        assert_eq!(got, Err(RangeError::LeafIndex { index, count }));
    }
}

#[test]
fn the_largest_range_does_not_overflow() {
    let count = LeafCount(u64::MAX);
    let last = count.last().unwrap();
    let length = path_length(last, count).unwrap();
    assert!(length <= 64);
    let path = alloc::vec![Hash::ZERO; length];
    root_of_path::<KeccakRange>(&Hash::ZERO, last, count, &path).unwrap();
    let old =
        verify_consistency::<KeccakRange>(LeafCount(3), count, &Hash::ZERO, &Hash::ZERO, &path);
    assert!(old.is_err());
}

proptest! {
    #[test]
    fn a_path_of_another_length_leaf_or_root_is_refused(
        count in 1_usize..40,
        pick in any::<prop::sample::Index>(),
        bit in any::<prop::sample::Index>(),
    ) {
        let all = leaves(count);
        let held = Held::of::<KeccakRange>(&all);
        let index = pick.index(count);
        let root = held.root::<KeccakRange>(counted(count));
        let proof = held.inclusion::<KeccakRange>(indexed(index), counted(count));
        let check = |leaf: &Hash, index: usize, proof: &[Hash], root: &Hash| {
            verify_inclusion::<KeccakRange>(leaf, indexed(index), counted(count), proof, root)
        };
        let mut longer = proof.clone();
        longer.push(Hash::ZERO);
        let is_length = |result| matches!(result, Err(RangeError::PathLength { .. }));
        prop_assert!(is_length(check(&all[index], index, &longer, &root)));
        if let Some((_, shorter)) = proof.split_last() {
            prop_assert!(is_length(check(&all[index], index, shorter, &root)));
            let mut flipped = proof.clone();
            let at = bit.index(flipped.len() * 256);
            flipped[at / 256].0[at % 256 / 8] ^= 1 << (at % 8);
            prop_assert!(check(&all[index], index, &flipped, &root).is_err());
        }
        for other in (0..count).filter(|other| *other != index) {
            prop_assert!(check(&all[other], index, &proof, &root).is_err());
            prop_assert!(check(&all[index], other, &proof, &root).is_err());
        }
        prop_assert!(check(&all[index], index, &proof, &Hash::ZERO).is_err());
    }

    #[test]
    fn a_rewritten_leaf_breaks_consistency(
        to in 2_usize..40,
        from in any::<prop::sample::Index>(),
        change in any::<prop::sample::Index>(),
    ) {
        let all = leaves(to);
        let from = 1 + from.index(to - 1);
        let mut other = all.clone();
        other[change.index(from)] = Hash([7; 32]);
        let (old, new) = (Held::of::<Sha256Range>(&all), Held::of::<Sha256Range>(&other));
        let path = new.consistency::<Sha256Range>(counted(from), counted(to));
        let old_root = old.root::<Sha256Range>(counted(from));
        let new_root = new.root::<Sha256Range>(counted(to));
        let check = |from: LeafCount, path: &[Hash]| {
            verify_consistency::<Sha256Range>(from, counted(to), &old_root, &new_root, path)
        };
        prop_assert!(check(counted(from), &path).is_err());
        prop_assert!(check(counted(from), &[path.clone(), path.clone()].concat()).is_err());
        prop_assert!(check(counted(to + 1), &path).is_err());
    }
}

proptest! {
    /// A path names the peaks of the older range: appended to, they make the newer one.
    #[test]
    fn peaks_out_of_a_consistency_path_grow_into_the_newer_range(
        from in 0_u64..70,
        more in 0_u64..70,
    ) {
        let leaves: Vec<Hash> = (0..from + more).map(|leaf| Hash([leaf as u8 + 1; 32])).collect();
        let held = Held::of::<KeccakRange>(&leaves);
        let (from, to) = (LeafCount(from), LeafCount(from + more));
        let path = held.consistency::<KeccakRange>(from, to);
        let from_root = held.root::<KeccakRange>(from);
        let peaks = Peaks::of_consistency(from, to, &from_root, &path);
        prop_assert_eq!(peaks.is_some(), from.0 > 0 && more > 0);
        let Some(mut peaks) = peaks else { return Ok(()) };
        prop_assert_eq!((peaks.count(), peaks.root::<KeccakRange>()), (from, from_root));
        let mut plain = Peaks::default();
        leaves[..from.0 as usize].iter().for_each(|leaf| plain.append::<KeccakRange>(*leaf));
        prop_assert_eq!(&peaks, &plain);
        let hashes: Vec<Hash> = peaks.hashes().collect();
        prop_assert_eq!(Peaks::of_hashes(from, &hashes), Some(plain));
        prop_assert_eq!(Peaks::of_hashes(from, &hashes[1..]), None);
        leaves[from.0 as usize..].iter().for_each(|leaf| peaks.append::<KeccakRange>(*leaf));
        prop_assert_eq!(peaks.root::<KeccakRange>(), held.root::<KeccakRange>(to));
    }
}

#[test]
fn a_range_that_did_not_grow_has_one_root() {
    let (one, other) = (Hash([1; 32]), Hash([2; 32]));
    let zero = KeccakRange::empty();
    assert_eq!(
        verify_consistency::<KeccakRange>(LeafCount(0), LeafCount(0), &zero, &zero, &[]),
        Ok(())
    );
    assert_eq!(
        verify_consistency::<KeccakRange>(LeafCount(0), LeafCount(3), &zero, &one, &[]),
        Ok(())
    );
    assert_eq!(
        verify_consistency::<KeccakRange>(LeafCount(3), LeafCount(3), &one, &one, &[]),
        Ok(())
    );
    for (count, from, to) in [(0, zero, one), (0, one, one), (3, one, other)] {
        let count = LeafCount(count);
        let refused = verify_consistency::<KeccakRange>(count, count, &from, &to, &[]);
        assert!(matches!(refused, Err(RangeError::Root { .. })));
    }
}
