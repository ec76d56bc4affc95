//! Validators with powers: `count:u16 ‖ (key ‖ power:varint)*`, with keys of the chain's length.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use superroot_types::Hash;

use crate::codec::ByteReader;
use crate::finality::Refusal;
use crate::finality::quorum::least_above_two_thirds;
use crate::ledger::cosmos::{
    CosmosValidator, ValidatorKey, put_varint, read_varint, validators_hash,
};

/// Most validators of a block.
pub const VALIDATORS_MAX: usize = 512;
/// `MaxTotalVotingPower`: thrice as much fits in 64 bits.
const POWER_MAX: u64 = i64::MAX.unsigned_abs() / 8;

/// Validators in their order, with at least one, each once and with power.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ValidatorList<K> {
    members: Vec<CosmosValidator<K>>,
    powers: BTreeMap<K, u64>,
    total: u64,
}

impl<K: ValidatorKey> ValidatorList<K> {
    pub(super) fn new(members: Vec<CosmosValidator<K>>) -> Result<Self, Refusal> {
        let unread = Refusal::Encoding { part: "validators" };
        let mut powers = BTreeMap::new();
        let mut total = 0_u64;
        for CosmosValidator { key, power } in &members {
            total = total.checked_add(*power).ok_or(unread)?;
            if *power == 0 || total > POWER_MAX {
                return Err(unread);
            }
            if powers.insert(*key, *power).is_some() {
                return Err(Refusal::Order { what: "a validator is named twice" });
            }
        }
        if !(1..=VALIDATORS_MAX).contains(&members.len()) {
            return Err(unread);
        }
        Ok(Self { members, powers, total })
    }

    pub(super) fn read(reader: &mut ByteReader<'_>) -> Result<Self, Refusal> {
        let unread = Refusal::Encoding { part: "validators" };
        let count = reader.u16().map(usize::from).ok_or(unread)?;
        if !(1..=VALIDATORS_MAX).contains(&count) {
            return Err(unread);
        }
        let mut members = Vec::with_capacity(count);
        for _ in 0..count {
            let key = reader.bytes(K::BYTES).and_then(K::read);
            let power = read_varint(reader);
            let (key, power) = key.zip(power).ok_or(unread)?;
            members.push(CosmosValidator { key, power });
        }
        Self::new(members)
    }

    pub(super) fn hash(&self) -> Hash {
        validators_hash(&self.members)
    }

    pub(super) const fn total(&self) -> u64 {
        self.total
    }

    pub(super) fn members(&self) -> &[CosmosValidator<K>] {
        &self.members
    }

    /// Power of a key; 0 for others.
    pub(super) fn power_of(&self, key: &K) -> u64 {
        self.powers.get(key).copied().unwrap_or(0)
    }

    /// Least power above two thirds.
    pub(super) const fn quorum(&self) -> u64 {
        least_above_two_thirds(self.total)
    }

    /// Least power above one third.
    pub(super) const fn overlap(&self) -> u64 {
        (self.total / 3).saturating_add(1)
    }
}

pub(super) fn put_validators<K: ValidatorKey>(
    out: &mut Vec<u8>,
    validators: &[CosmosValidator<K>],
) {
    let count = u16::try_from(validators.len()).unwrap_or(u16::MAX);
    out.extend_from_slice(&count.to_be_bytes());
    for CosmosValidator { key, power } in validators {
        out.extend_from_slice(key.bytes());
        put_varint(out, *power);
    }
}
