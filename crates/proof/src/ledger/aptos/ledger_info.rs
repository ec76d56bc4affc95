//! Ledger infos in BCS, as signed by validators, and epochs.
//!
//! ```text
//! ledger info  epoch:8  round:8  block id:32  root:32  version:8  time:8  option(next epoch)  consensus data:32
//! next epoch   epoch:8  count  (address:32  48  key:48  power:8)*
//! epoch end    epoch:8  root:32  version:8  time:8  01  next epoch          SHA3-256 behind a seed: the waypoint
//! ```
//! Sources: aptos-core `types/src/{ledger_info,block_info,epoch_state,validator_verifier,waypoint}.rs`.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::{Seeded, seed};
use crate::hash::sha3_256_joined;
use crate::ledger::LedgerError;
use crate::ledger::bcs::BcsFields;

/// Bytes of a validator's BLS12-381 key, compressed.
pub const APTOS_KEY_BYTES: usize = 48;
/// Most validators in an epoch.
pub const APTOS_VALIDATORS_MAX: usize = 512;
const VALIDATOR_BYTES: usize = 32 + 1 + APTOS_KEY_BYTES + 8;

/// Validator of an epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AptosValidator {
    /// Account.
    pub address: Hash,
    /// Consensus key, unchecked.
    pub key: [u8; APTOS_KEY_BYTES],
    /// Voting power.
    pub power: u64,
}

/// Epoch with validators (`EpochState`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AptosEpoch {
    /// Epoch.
    pub epoch: u64,
    /// Validators, in the order of signers' bits.
    pub validators: Vec<AptosValidator>,
}

impl AptosEpoch {
    fn read(fields: &mut BcsFields<'_>) -> Result<Self, LedgerError> {
        let epoch = fields.u64("next epoch")?;
        let wrong = LedgerError::Field { field: "validators" };
        let count = fields.count("validators", VALIDATOR_BYTES)?;
        if !(1..=APTOS_VALIDATORS_MAX).contains(&count) {
            return Err(wrong);
        }
        let mut validators = Vec::with_capacity(count);
        for _ in 0..count {
            let address = fields.address("validator")?;
            let key = fields.bytes("validator")?.try_into().map_err(|_| wrong.clone())?;
            validators.push(AptosValidator { address, key, power: fields.u64("validator")? });
        }
        Ok(Self { epoch, validators })
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.epoch.to_le_bytes());
        let count = u16::try_from(self.validators.len()).unwrap_or(u16::MAX);
        // at most 512: one byte or two
        let [low, high] = [count & 0x7f, count >> 7].map(|part| u8::try_from(part).unwrap_or(0));
        match high {
            0 => out.push(low),
            _ => out.extend([low | 0x80, high]),
        }
        for AptosValidator { address, key, power } in &self.validators {
            out.extend_from_slice(&address.0);
            out.push(u8::try_from(key.len()).unwrap_or(u8::MAX));
            out.extend_from_slice(key);
            out.extend_from_slice(&power.to_le_bytes());
        }
    }
}

/// Ledger info: a state of the chain (`LedgerInfo`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AptosLedgerInfo {
    /// Epoch of the signers.
    pub epoch: u64,
    /// Round of consensus.
    pub round: u64,
    /// Id of the block in consensus, shown by explorers.
    pub id: Hash,
    /// Transaction accumulator root after the version; the placeholder for a block in order, but not executed.
    pub root: Hash,
    /// Last version.
    pub version: u64,
    /// Microseconds since 1970.
    pub timestamp_us: u64,
    /// Next epoch, in the last ledger info of an epoch.
    pub next: Option<AptosEpoch>,
    /// Hash of consensus data.
    pub consensus_data_hash: Hash,
}

impl AptosLedgerInfo {
    /// Reads a ledger info and returns the bytes after the ledger info.
    ///
    /// # Errors
    /// [`LedgerError::Field`] naming the field.
    pub fn decode_first(bytes: &[u8]) -> Result<(Self, &[u8]), LedgerError> {
        let mut fields = BcsFields::new(bytes);
        let info = Self {
            epoch: fields.u64("epoch")?,
            round: fields.u64("round")?,
            id: fields.address("block id")?,
            root: fields.address("executed_state_id")?,
            version: fields.u64("version")?,
            timestamp_us: fields.u64("timestamp_usecs")?,
            next: match fields.flag("next_epoch_state")? {
                true => Some(AptosEpoch::read(&mut fields)?),
                false => None,
            },
            consensus_data_hash: fields.address("consensus_data_hash")?,
        };
        Ok((info, fields.rest()))
    }

    /// BCS.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend_from_slice(&self.epoch.to_le_bytes());
        out.extend_from_slice(&self.round.to_le_bytes());
        out.extend_from_slice(&self.id.0);
        out.extend_from_slice(&self.root.0);
        out.extend_from_slice(&self.version.to_le_bytes());
        out.extend_from_slice(&self.timestamp_us.to_le_bytes());
        out.push(u8::from(self.next.is_some()));
        if let Some(next) = &self.next {
            next.put(&mut out);
        }
        out.extend_from_slice(&self.consensus_data_hash.0);
        out
    }

    /// Signed bytes: a seed, and BCS.
    #[must_use]
    pub fn signed_bytes(&self) -> Vec<u8> {
        [&seed(Seeded::LedgerInfo).0[..], &self.encode()].concat()
    }
}

/// End of an epoch, as in a waypoint (`Ledger2WaypointConverter`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AptosEpochEnd {
    /// Epoch that ended.
    pub epoch: u64,
    /// Transaction accumulator root after the version.
    pub root: Hash,
    /// Last version.
    pub version: u64,
    /// Microseconds since 1970.
    pub timestamp_us: u64,
    /// Next epoch.
    pub next: AptosEpoch,
}

impl AptosEpochEnd {
    /// End of an epoch by a ledger info; `None` within an epoch.
    #[must_use]
    pub fn of(info: AptosLedgerInfo) -> Option<Self> {
        let AptosLedgerInfo { epoch, root, version, timestamp_us, next, .. } = info;
        Some(Self { epoch, root, version, timestamp_us, next: next? })
    }

    /// Reads the whole BCS.
    ///
    /// # Errors
    /// [`LedgerError::Field`] naming the field; [`LedgerError::Trailing`].
    pub fn decode(bytes: &[u8]) -> Result<Self, LedgerError> {
        let mut fields = BcsFields::new(bytes);
        let end = Self {
            epoch: fields.u64("epoch")?,
            root: fields.address("root_hash")?,
            version: fields.u64("version")?,
            timestamp_us: fields.u64("timestamp_usecs")?,
            next: match fields.flag("next_epoch_state")? {
                true => AptosEpoch::read(&mut fields)?,
                false => return Err(LedgerError::Field { field: "next_epoch_state" }),
            },
        };
        fields.end("epoch end")?;
        Ok(end)
    }

    /// BCS.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend_from_slice(&self.epoch.to_le_bytes());
        out.extend_from_slice(&self.root.0);
        out.extend_from_slice(&self.version.to_le_bytes());
        out.extend_from_slice(&self.timestamp_us.to_le_bytes());
        out.push(1);
        self.next.put(&mut out);
        out
    }

    /// Hash of the waypoint: a node writes a waypoint as `version:hash`.
    #[must_use]
    pub fn waypoint(&self) -> Hash {
        sha3_256_joined(&[&seed(Seeded::Waypoint).0, &self.encode()])
    }
}
