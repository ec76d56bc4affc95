//! Keys and values of the prover's caches.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use quick_cache::Weighter;
use superroot_chain::Extent;
use superroot_proof::bundle::{Bundle, NotePath, ProofSubject, TwigPosition};
use superroot_proof::finality::FinalitySet;
use superroot_proof::ledger::{Body, EventOffsets};
use superroot_proof::perfect::PerfectTree;
use superroot_proof::range::Bags;
use superroot_proof::registry::{LogRegistry, ROWS_MAX};
use superroot_types::{ChainKey, Family, Hash, TwigIndex, UnixSeconds};

use super::verified::{VerifiedBase, VerifiedTop};

/// Twig up to a number.
pub(super) type TwigKey = (ChainKey, TwigIndex, u64);
/// Part of a sealed twig: the tree over one of its nodes, or with `None` the tree above all nodes.
pub(super) type PartKey = (ChainKey, TwigIndex, Option<u64>);
/// Body by chain, block hash and stored extent: a reorganised block has another body, and a repaired block a larger
/// one.
pub(super) type BodyKey = (ChainKey, Hash, Extent, usize);

/// Sets by chain and number, each reached by a checked step.
pub(super) type FollowedSets = BTreeMap<(ChainKey, u64), FollowedSet>;

/// A followed set.
#[derive(Clone, Debug)]
pub(super) struct FollowedSet {
    pub(super) id: Hash,
    /// The set, for producers: a stored step alone names keys too that are not followed.
    pub(super) own: Option<FinalitySet>,
}

/// Subject of a proof in a block.
pub(super) type BaseKey = (ChainKey, Hash, ProofSubject);

#[derive(Clone)]
pub(super) struct ByBytes;

impl Weighter<BodyKey, Arc<HeldBody>> for ByBytes {
    fn weight(&self, _: &BodyKey, held: &Arc<HeldBody>) -> u64 {
        // and its hashes, offsets, and what is around them
        held.body.byte_count() as u64 * 5 / 4 + 4096
    }
}

impl Weighter<BaseKey, Arc<VerifiedBase>> for ByBytes {
    fn weight(&self, _: &BaseKey, base: &Arc<VerifiedBase>) -> u64 {
        // and what is around the bytes
        base.byte_count() as u64 + 512
    }
}

pub(super) struct HeldBody {
    pub(super) body: Body,
    offsets: OnceLock<EventOffsets>,
}

impl HeldBody {
    pub(super) const fn new(body: Body) -> Self {
        Self { body, offsets: OnceLock::new() }
    }

    /// Event counts over the whole block.
    pub(super) fn event_offsets(&self) -> &EventOffsets {
        self.offsets.get_or_init(|| self.body.event_offsets())
    }
}

/// Data shared by every proof under one SuperRoot.
pub(super) struct Top {
    pub(super) tree: PerfectTree,
    pub(super) registry: LogRegistry,
    pub(super) profiles: PerfectTree,
    /// By family; set by the first proof for a sealed twig.
    pub(super) bags: [OnceLock<Bags>; Family::COUNT],
    pub(super) times: OnceLock<Vec<UnixSeconds>>,
    pub(super) note: OnceLock<NotePath>,
    /// Level 5 of verified proofs: by row, for open twigs and then for sealed ones.
    pub(super) verified: [[OnceLock<VerifiedTop>; ROWS_MAX]; 2],
}

impl Top {
    /// Cache slot for level 5 of this proof.
    pub(super) fn verified(&self, bundle: &Bundle) -> Option<&OnceLock<VerifiedTop>> {
        let row = usize::from(bundle.super_root()?.registry.row);
        let is_sealed = matches!(bundle.place()?, TwigPosition::Sealed(_));
        self.verified[usize::from(is_sealed)].get(row)
    }
}
