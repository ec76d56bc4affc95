//! Constants of a beacon chain, and where its forks put what.

use superroot_types::{Hash, UnixSeconds};

use crate::hash::sha256_joined;

/// Where things stand in state and body, by generalised index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BeaconLayout {
    /// Capella.
    Capella,
    /// Deneb.
    Deneb,
    /// Electra and Fulu.
    Electra,
    /// Gloas: the block hash is the parent's, as the body has it.
    Gloas,
}

impl BeaconLayout {
    /// The finalized header's root, in the state.
    #[must_use]
    pub const fn finalized_root(self) -> u64 {
        match self {
            Self::Capella | Self::Deneb => 105,
            Self::Electra => 169,
            Self::Gloas => 735,
        }
    }

    /// This period's committee, in the state.
    #[must_use]
    pub const fn committee(self) -> u64 {
        match self {
            Self::Capella | Self::Deneb => 54,
            Self::Electra => 86,
            Self::Gloas => 2_945,
        }
    }

    /// The next period's committee, in the state.
    #[must_use]
    pub const fn next_committee(self) -> u64 {
        match self {
            Self::Capella | Self::Deneb => 55,
            Self::Electra => 87,
            Self::Gloas => 2_946,
        }
    }

    /// The execution block's hash, in the body.
    #[must_use]
    pub const fn block_hash(self) -> u64 {
        match self {
            Self::Capella => 412,
            Self::Deneb | Self::Electra => 812,
            Self::Gloas => 2_856,
        }
    }
}

/// A beacon chain's fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BeaconFork {
    /// First epoch.
    pub epoch: u64,
    /// Version, signed by the committee.
    pub version: [u8; 4],
    /// Layout of states and bodies.
    pub layout: BeaconLayout,
}

/// A beacon chain's constants: the client's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BeaconParams {
    /// Root of the first validators, signed by the committee.
    pub genesis_validators_root: Hash,
    /// Time of slot 0.
    pub genesis_time: UnixSeconds,
    /// A slot's seconds.
    pub slot_seconds: u64,
    /// An epoch's slots, a power of two.
    pub epoch_slots: u64,
    /// A committee's epochs.
    pub period_epochs: u64,
    /// A committee's members, a multiple of eight.
    pub members: usize,
    /// Forks by rising epoch, from Capella on.
    pub forks: &'static [BeaconFork],
    /// Seconds for which a set is trusted: weak subjectivity.
    pub trusted_seconds: u64,
}

impl BeaconParams {
    /// Ethereum. Weak subjectivity: 3,532 epochs at 33.5 M ETH staked (`specs/electra/weak-subjectivity.md`).
    pub const ETHEREUM: Self = Self {
        genesis_validators_root: Hash([
            0x4b, 0x36, 0x3d, 0xb9, 0x4e, 0x28, 0x61, 0x20, 0xd7, 0x6e, 0xb9, 0x05, 0x34, 0x0f,
            0xdd, 0x4e, 0x54, 0xbf, 0xe9, 0xf0, 0x6b, 0xf3, 0x3f, 0xf6, 0xcf, 0x5a, 0xd2, 0x7f,
            0x51, 0x1b, 0xfe, 0x95,
        ]),
        genesis_time: UnixSeconds(1_606_824_023),
        slot_seconds: 12,
        epoch_slots: 32,
        period_epochs: 256,
        members: 512,
        forks: &[
            BeaconFork { epoch: 194_048, version: [3, 0, 0, 0], layout: BeaconLayout::Capella },
            BeaconFork { epoch: 269_568, version: [4, 0, 0, 0], layout: BeaconLayout::Deneb },
            BeaconFork { epoch: 364_032, version: [5, 0, 0, 0], layout: BeaconLayout::Electra },
            BeaconFork { epoch: 411_392, version: [6, 0, 0, 0], layout: BeaconLayout::Electra },
        ],
        trusted_seconds: 3_532 * 32 * 12,
    };

    /// Gnosis. The trusting period is that of Ethereum in epochs, of 80 seconds here.
    pub const GNOSIS: Self = Self {
        genesis_validators_root: Hash([
            0xf5, 0xdc, 0xb5, 0x56, 0x4e, 0x82, 0x9a, 0xab, 0x27, 0x26, 0x4b, 0x9b, 0xec, 0xd5,
            0xdf, 0xaa, 0x01, 0x70, 0x85, 0x61, 0x12, 0x24, 0xcb, 0x30, 0x36, 0xf5, 0x73, 0x36,
            0x8d, 0xbb, 0x9d, 0x47,
        ]),
        genesis_time: UnixSeconds(1_638_993_340),
        slot_seconds: 5,
        epoch_slots: 16,
        period_epochs: 512,
        members: 512,
        forks: &[
            BeaconFork { epoch: 648_704, version: [3, 0, 0, 0x64], layout: BeaconLayout::Capella },
            BeaconFork { epoch: 889_856, version: [4, 0, 0, 0x64], layout: BeaconLayout::Deneb },
            BeaconFork {
                epoch: 1_337_856,
                version: [5, 0, 0, 0x64],
                layout: BeaconLayout::Electra,
            },
            BeaconFork {
                epoch: 1_714_688,
                version: [6, 0, 0, 0x64],
                layout: BeaconLayout::Electra,
            },
        ],
        trusted_seconds: 3_532 * 16 * 5,
    };

    /// Simulated Ethereum: 32 members, whose keys everybody knows; a slot is its time in slots, and a period has 192
    /// seconds.
    pub const SIMULATED: Self = Self {
        genesis_validators_root: Hash([0x51; 32]),
        genesis_time: UnixSeconds(0),
        slot_seconds: 2,
        epoch_slots: 8,
        period_epochs: 12,
        members: 32,
        forks: &[BeaconFork { epoch: 0, version: [5, 0, 0, 0x51], layout: BeaconLayout::Electra }],
        trusted_seconds: 14 * 86_400,
    };

    /// Simulated Gnosis: as the simulated Ethereum, signing for a root of its own.
    pub const SIMULATED_GNOSIS: Self = Self {
        genesis_validators_root: Hash([0x64; 32]),
        forks: &[BeaconFork { epoch: 0, version: [5, 0, 0, 0x64], layout: BeaconLayout::Electra }],
        ..Self::SIMULATED
    };

    /// Layout at a slot; `None` before Capella.
    #[must_use]
    pub fn layout_at(&self, slot: u64) -> Option<BeaconLayout> {
        self.fork_at(slot).map(|fork| fork.layout)
    }

    /// Slot at a time; 0 before the first.
    #[must_use]
    pub fn slot_at(&self, time: UnixSeconds) -> u64 {
        let since = time.0.saturating_sub(self.genesis_time.0);
        since.checked_div(self.slot_seconds).unwrap_or(0)
    }

    /// Least signers: two thirds.
    pub(super) const fn quorum(&self) -> usize {
        self.members.saturating_mul(2).div_ceil(3)
    }

    /// Rules at a slot; `None` before Capella.
    pub(super) fn fork_at(&self, slot: u64) -> Option<&'static BeaconFork> {
        let epoch = slot.checked_div(self.epoch_slots)?;
        self.forks.iter().rev().find(|fork| fork.epoch <= epoch)
    }

    /// A slot's period.
    #[must_use]
    pub fn period_of(&self, slot: u64) -> u64 {
        let slots = self.epoch_slots.saturating_mul(self.period_epochs);
        slot.checked_div(slots).unwrap_or(0)
    }

    /// A slot's time.
    #[must_use]
    pub const fn time_of(&self, slot: u64) -> UnixSeconds {
        UnixSeconds(self.genesis_time.0.saturating_add(slot.saturating_mul(self.slot_seconds)))
    }

    /// A period's first slot.
    #[must_use]
    pub const fn first_slot(&self, period: u64) -> u64 {
        period.saturating_mul(self.epoch_slots).saturating_mul(self.period_epochs)
    }

    /// Domain of the committee's signatures under a fork's version.
    pub(super) fn domain(&self, version: [u8; 4]) -> Hash {
        let mut padded = [0; 32];
        for (place, byte) in padded.iter_mut().zip(version) {
            *place = byte;
        }
        let fork = sha256_joined(&[&padded, &self.genesis_validators_root.0]);
        let mut domain = [0; 32];
        for (place, byte) in domain.iter_mut().zip([7, 0, 0, 0].into_iter().chain(fork.0)) {
            *place = byte;
        }
        Hash(domain)
    }
}
