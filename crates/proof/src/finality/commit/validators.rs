//! Validators with powers: `count:u16 ‖ (key:32 ‖ power:varint)*`.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use superroot_types::Hash;

use crate::codec::ByteReader;
use crate::finality::Refusal;
use crate::ledger::cosmos::{
    CosmosValidator, VALIDATOR_KEY_BYTES, put_varint, read_varint, validators_hash,
};

/// Most validators of a block.
pub const VALIDATORS_MAX: usize = 512;
/// `MaxTotalVotingPower`: thrice as much fits in 64 bits.
const POWER_MAX: u64 = i64::MAX.unsigned_abs() / 8;

/// Validators in their order, with at least one, each once and with power.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ValidatorList {
    members: Vec<CosmosValidator>,
    powers: BTreeMap<[u8; VALIDATOR_KEY_BYTES], u64>,
    total: u64,
}

impl ValidatorList {
    pub(super) fn new(members: Vec<CosmosValidator>) -> Result<Self, Refusal> {
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
            let key = reader.bytes(VALIDATOR_KEY_BYTES).and_then(|key| key.try_into().ok());
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

    pub(super) fn members(&self) -> &[CosmosValidator] {
        &self.members
    }

    /// Power of a key; 0 for others.
    pub(super) fn power_of(&self, key: &[u8; VALIDATOR_KEY_BYTES]) -> u64 {
        self.powers.get(key).copied().unwrap_or(0)
    }

    /// Least power above two thirds.
    pub(super) const fn quorum(&self) -> u64 {
        (self.total.saturating_mul(2) / 3).saturating_add(1)
    }

    /// Least power above one third.
    pub(super) const fn overlap(&self) -> u64 {
        (self.total / 3).saturating_add(1)
    }
}

pub(super) fn put_validators(out: &mut Vec<u8>, validators: &[CosmosValidator]) {
    let count = u16::try_from(validators.len()).unwrap_or(u16::MAX);
    out.extend_from_slice(&count.to_be_bytes());
    for CosmosValidator { key, power } in validators {
        out.extend_from_slice(key);
        put_varint(out, *power);
    }
}
