//! Sync committee of a period.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::params::BeaconParams;
use super::update::{BeaconHeader, layout};
use crate::codec::ByteReader;
use crate::finality::Refusal;
use crate::finality::bls::{self, KEY_BYTES, MemberKey};
use crate::finality::ssz;
use crate::hash::sha256_joined;

/// Sync committee of one period, with its keys read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BeaconSet {
    period: u64,
    id: Hash,
    bytes: Vec<u8>,
    keys: Vec<MemberKey>,
}

impl BeaconSet {
    /// Reads a committee of a period: `key:48*members ‖ aggregate:48`, the serialization of `SyncCommittee`. The
    /// root must be `id`, from a pin or a step.
    ///
    /// # Errors
    /// [`Refusal::Encoding`], [`Refusal::Root`], [`Refusal::Key`].
    pub fn read(
        params: &BeaconParams,
        period: u64,
        bytes: &[u8],
        id: Hash,
    ) -> Result<Self, Refusal> {
        let (root, keys) = committee(params, bytes)?;
        if root != id {
            return Err(Refusal::Root);
        }
        let read =
            |(index, key): (usize, &&[u8; 48])| MemberKey::read(key).ok_or(Refusal::Key { index });
        let keys = keys.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { period, id, bytes: bytes.to_vec(), keys })
    }

    /// Reads the committee in the pinned header's state, for the header's period.
    ///
    /// # Errors
    /// [`Refusal::Root`] for a different header, [`Refusal::Branch`], and as [`BeaconSet::read`].
    pub fn of_header(
        params: &BeaconParams,
        (root, header): (Hash, &BeaconHeader),
        bytes: &[u8],
        branch: &[Hash],
    ) -> Result<Self, Refusal> {
        if header.root() != root {
            return Err(Refusal::Root);
        }
        let (id, _) = committee(params, bytes)?;
        let index = layout(params, header.slot)?.committee();
        if !ssz::is_under(&header.state_root, id, index, branch) {
            return Err(Refusal::Branch { part: "committee" });
        }
        proven(params, params.period_of(header.slot), bytes, id)
    }

    /// The committee's period.
    #[must_use]
    pub const fn period(&self) -> u64 {
        self.period
    }

    /// `hash_tree_root` for pins.
    #[must_use]
    pub const fn id(&self) -> Hash {
        self.id
    }

    /// Serialized committee.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn keys(&self) -> &[MemberKey] {
        &self.keys
    }
}

/// Committee after its proof: the aggregate is the sum of the keys.
pub(super) fn proven(
    params: &BeaconParams,
    period: u64,
    bytes: &[u8],
    id: Hash,
) -> Result<BeaconSet, Refusal> {
    let set = BeaconSet::read(params, period, bytes, id)?;
    let aggregate = bytes.last_chunk::<KEY_BYTES>();
    match aggregate.is_some() && bls::sum(&set.keys).as_ref() == aggregate {
        true => Ok(set),
        false => Err(Refusal::Key { index: params.members }),
    }
}

/// `hash_tree_root` of a serialized committee; `None` for a wrong length.
#[must_use]
pub fn committee_root(params: &BeaconParams, bytes: &[u8]) -> Option<Hash> {
    committee(params, bytes).ok().map(|(root, _)| root)
}

/// A serialized committee's root, and its keys.
pub(super) fn committee<'a>(
    params: &BeaconParams,
    bytes: &'a [u8],
) -> Result<(Hash, Vec<&'a [u8; KEY_BYTES]>), Refusal> {
    let unread = Refusal::Encoding { part: "committee" };
    let mut reader = ByteReader::new(bytes);
    let mut key = || reader.bytes(KEY_BYTES).and_then(|key| <&[u8; KEY_BYTES]>::try_from(key).ok());
    let mut keys = Vec::new();
    for _ in 0..params.members {
        keys.push(key().ok_or(unread)?);
    }
    let aggregate = key().filter(|_| reader.is_empty()).ok_or(unread)?;
    let leaf = |key: &[u8; KEY_BYTES]| sha256_joined(&[key, &[0; 16]]);
    let all = ssz::root_of(keys.iter().map(|key| leaf(key)).collect());
    Ok((ssz::node(&all, &leaf(aggregate)), keys))
}
