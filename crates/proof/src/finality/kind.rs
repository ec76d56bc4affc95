//! Kinds of evidence, one line a kind.

use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey, Hash, UnixSeconds};

use super::anchor::{AnchorParams, AnchorSet};
use super::beacon::{BeaconParams, BeaconSet};
use super::certificate::{CertificateParams, CertificateSet};
use super::checkpoint::{CheckpointParams, CheckpointSet};
use super::commit::{CommitParams, CommitSet};
use super::grandpa::{GrandpaParams, GrandpaSet};
use super::ledger_info::{LedgerInfoParams, LedgerInfoSet};
use super::milestone::{MilestoneParams, MilestoneSet};
use super::producers::{ProducerParams, ProducerSet};
use super::rules::{SetRules, SetSignature, SignedPlace};
use super::verdict::Stop;
use super::vote::{VoteParams, VoteSet};
use super::work::{WorkParams, WorkSet};
use super::{Refusal, Verdict};

macro_rules! kinds {
    ($($(#[$doc:meta])* $byte:literal $Kind:ident $name:literal $Params:ident $Set:ident $binds:literal $trust:literal;)*) => {
        /// Evidence kind.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum FinalityKind {
            $($(#[$doc])* $Kind = $byte,)*
        }

        impl FinalityKind {
            /// All kinds, by byte.
            pub const ALL: [Self; [$($byte),*].len()] = [$(Self::$Kind),*];

            /// Byte in evidence.
            #[must_use]
            pub const fn byte(self) -> u8 {
                self as u8
            }

            /// Kind with this byte.
            #[must_use]
            pub fn of_byte(byte: u8) -> Option<Self> {
                Self::ALL.into_iter().find(|kind| kind.byte() == byte)
            }

            /// Name in answers.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$Kind => $name,)* }
            }

            /// Whether evidence binds the block number, not only the hash.
            #[must_use]
            pub const fn binds_number(self) -> bool {
                match self { $(Self::$Kind => $binds,)* }
            }

            /// What a client still trusts, in words.
            #[must_use]
            pub const fn trust(self) -> &'static str {
                match self { $(Self::$Kind => $trust,)* }
            }
        }

        /// A chain's constants, the client's own.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum FinalityParams {
            $($(#[$doc])* $Kind($Params),)*
        }

        impl FinalityParams {
            /// Evidence kind.
            #[must_use]
            pub const fn kind(&self) -> FinalityKind {
                match self { $(Self::$Kind(_) => FinalityKind::$Kind,)* }
            }
        }

        /// Who may sign.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum FinalitySet {
            $($(#[$doc])* $Kind($Set),)*
        }

        impl FinalitySet {
            /// Reads a set. Compare the [`FinalitySet::id`] with the pin.
            ///
            /// # Errors
            /// [`Refusal`] naming the part.
            pub fn decode(params: &FinalityParams, bytes: &[u8]) -> Result<Self, Refusal> {
                match params { $(FinalityParams::$Kind(params) => SetRules::decode(params, bytes).map(Self::$Kind),)* }
            }

            /// Bytes, for [`FinalitySet::decode`].
            #[must_use]
            pub fn encode(&self) -> Vec<u8> {
                match self { $(Self::$Kind(set) => SetRules::encode(set),)* }
            }

            /// Id for pins.
            #[must_use]
            pub fn id(&self) -> Hash {
                match self { $(Self::$Kind(set) => SetRules::id(set),)* }
            }

            /// End of trust; `None` for ever, or with params for a different kind.
            #[must_use]
            pub fn trusted_until(&self, params: &FinalityParams) -> Option<UnixSeconds> {
                match (self, params) {
                    $((Self::$Kind(set), FinalityParams::$Kind(params)) => set.trusted_until(params),)*
                    _ => None,
                }
            }

            /// Time at which the set begins to sign, if known.
            #[must_use]
            pub fn begins(&self, params: &FinalityParams) -> Option<UnixSeconds> {
                match (self, params) {
                    $((Self::$Kind(set), FinalityParams::$Kind(params)) => SetRules::begins(set, params),)*
                    _ => None,
                }
            }

            /// Checks a step: the set behind this one.
            #[must_use]
            pub fn advance(&self, params: &FinalityParams, step: &[u8], now: UnixSeconds) -> Verdict<Self> {
                let next = match (self, params) {
                    $((Self::$Kind(set), FinalityParams::$Kind(params)) => set.advance(params, step, now).map(Self::$Kind),)*
                    _ => Err(Refusal::Kind.into()),
                };
                next.into()
            }

            /// Set named by a step, unchecked, for servers.
            #[must_use]
            pub fn named_by(params: &FinalityParams, step: &[u8]) -> Option<Self> {
                match params { $(FinalityParams::$Kind(params) => SetRules::named_by(params, step).map(Self::$Kind),)* }
            }

            pub(super) fn signer_of(
                params: &FinalityParams,
                number: BlockNumber,
                body: &[u8],
            ) -> Option<u64> {
                match params {
                    $(FinalityParams::$Kind(params) => {
                        <$Set as SetRules>::signer_of(params, number, body)
                    })*
                }
            }

            pub(super) fn place_of(
                params: &FinalityParams,
                number: BlockNumber,
                body: &[u8],
            ) -> Option<SignedPlace> {
                match params {
                    $(FinalityParams::$Kind(params) => {
                        let place = <$Set as SetRules>::place(params, number, body);
                        place.filter(|place| $binds || !matches!(place, SignedPlace::Number(_)))
                    })*
                }
            }

            /// Set number: a period on Ethereum and Bitcoin, an epoch on Sui and BNB Smart Chain.
            #[must_use]
            pub fn number(&self) -> u64 {
                match self { $(Self::$Kind(set) => SetRules::number(set),)* }
            }

            pub(super) fn check(
                &self,
                params: &FinalityParams,
                block: (BlockNumber, Hash),
                body: &[u8],
                now: UnixSeconds,
            ) -> Result<SetSignature, Stop> {
                match (self, params) {
                    $((Self::$Kind(set), FinalityParams::$Kind(params)) => SetRules::check(set, params, block, body, now),)*
                    _ => Err(Refusal::Kind.into()),
                }
            }
        }
    };
}

kinds! {
    /// Sync committees of Ethereum and Gnosis.
    0x10 Beacon "beacon" BeaconParams BeaconSet false
        "that two thirds of the sampled validators did not sign falsely together, for which they are not slashed";
    /// Bitcoin's proof of work.
    0x11 Work "work" WorkParams WorkSet true
        "that nobody spends this work on another branch";
    /// Sui's committees.
    0x12 Checkpoint "checkpoint" CheckpointParams CheckpointSet true
        "that holders of two thirds of the stake of that epoch did not sign falsely together";
    /// Certificates of the Internet Computer.
    0x13 Certificate "certificate" CertificateParams CertificateSet false
        "that two thirds of the subnet's nodes are honest, and the root key";
    /// Votes of the validators of BNB Smart Chain.
    0x14 Vote "vote" VoteParams VoteSet true
        "that two thirds of the validators of that epoch did not vote falsely together";
    /// Contracts on Ethereum with rollups' blocks.
    0x15 Anchor "anchor" AnchorParams AnchorSet true
        "that two thirds of the sampled validators of Ethereum did not sign falsely together, for which they are not slashed, and that the rollup's contracts on Ethereum hold no false block: games that nobody disputed in time, and whoever may upgrade the contracts";
    /// Commits of the validators of Cosmos Hub.
    0x16 Commit "commit" CommitParams CommitSet true
        "that holders of a third of the pinned voting power did not sign falsely together, for which they are slashed";
    /// Milestones of Heimdall about Polygon PoS.
    0x17 Milestone "milestone" MilestoneParams MilestoneSet true
        "that holders of a third of Heimdall's pinned voting power did not sign falsely together, and that no fork takes the milestone back, as one did in 2025-09";
    /// Producers of Tron.
    0x18 Producers "producers" ProducerParams ProducerSet true
        "that 11 of the 27 producers did not build on two branches, for which they are not slashed, and that no 19 producers of the list sign falsely together within the trusting period";
    /// Polkadot's GRANDPA: precommits of authorities.
    0x19 Grandpa "grandpa" GrandpaParams GrandpaSet true
        "that two thirds of the authorities of that set did not sign falsely together, for which they are slashed if they vote twice in a round";
    /// Ledger infos of the validators of Aptos.
    0x1b LedgerInfo "ledger_info" LedgerInfoParams LedgerInfoSet false
        "that holders of two thirds of the voting power of that epoch did not sign falsely together, for which they are not slashed";
}

impl FinalityKind {
    /// Whether a set may show blocks of later sets.
    #[must_use]
    pub const fn skips_sets(self) -> bool {
        matches!(self, Self::Commit | Self::Milestone | Self::Producers)
    }

    /// Noun for a set's number.
    #[must_use]
    pub const fn set_noun(self) -> &'static str {
        match self {
            Self::Beacon | Self::Anchor | Self::Work => "period",
            Self::Checkpoint | Self::Vote | Self::LedgerInfo => "epoch",
            Self::Certificate => "key",
            Self::Commit | Self::Grandpa | Self::Milestone => "set",
            Self::Producers => "day",
        }
    }
}

impl FinalityParams {
    /// Signing chain, if different.
    #[must_use]
    pub const fn signing_chain(&self) -> Option<ChainKey> {
        match self {
            Self::Anchor(params) => Some(params.ethereum),
            _ => None,
        }
    }

    /// Place of a block with this number and time, for comparison with [`ConsensusEvidence::place`].
    ///
    /// [`ConsensusEvidence::place`]: super::ConsensusEvidence::place
    #[must_use]
    pub fn place_at(&self, number: BlockNumber, time: UnixSeconds) -> SignedPlace {
        match self {
            Self::Beacon(params) => SignedPlace::Slot(params.slot_at(time)),
            _ => SignedPlace::Number(number),
        }
    }

    /// Slots of the chain's history contract, for links; 0 for none.
    #[must_use]
    pub const fn history_blocks(&self) -> u64 {
        match self {
            Self::Anchor(params) => params.history_blocks,
            _ => 0,
        }
    }
}

impl FinalitySet {
    /// The signing chain's set, as one for these params.
    #[must_use]
    pub fn signing_for(self, params: &FinalityParams) -> Self {
        match (self, params) {
            (Self::Beacon(set), FinalityParams::Anchor(_)) => Self::Anchor(AnchorSet(set)),
            (set, _) => set,
        }
    }
}
