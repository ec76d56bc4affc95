//! Ledgers: the parameters that a chain's row holds for its own, and what each of them can do.
//!
//! Whoever treats chains alike asks here instead of naming a family. A new ledger is a variant, and
//! an answer to each question.

use superroot_proof::ledger::NotProvable;
use superroot_types::Family;

use crate::finality::FinalityRule;
use crate::registry::fields::Fields;
use crate::registry::{RegistryError, Status};
use crate::unprovable::Unprovable;
use crate::{bitcoin, evm};

/// A chain's ledger, with what differs between chains of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ledger {
    /// Of the EVM family.
    Evm(evm::Params),
    /// Of the Bitcoin family.
    Bitcoin(bitcoin::Params),
    /// Of that family. The row and its slot are there; this build does not read its blocks.
    Planned(Family),
}

impl Ledger {
    /// The ledger's family.
    #[must_use]
    pub const fn family(&self) -> Family {
        match self {
            Self::Evm(_) => Family::Evm,
            Self::Bitcoin(_) => Family::Bitcoin,
            Self::Planned(family) => *family,
        }
    }

    /// Reads the parameters of a row, whose first rule is that of the first number.
    pub(crate) fn read(
        fields: &mut Fields,
        family: Family,
        status: Status,
        first_number: u64,
    ) -> Result<Self, RegistryError> {
        match (status, family) {
            (Status::Planned, family) => Ok(Self::Planned(family)),
            (Status::Collected, Family::Evm) => {
                evm::Params::read(fields, first_number).map(Self::Evm)
            }
            (Status::Collected, Family::Bitcoin) => {
                bitcoin::Params::read(fields).map(Self::Bitcoin)
            }
            (
                Status::Collected,
                Family::Solana
                | Family::Polkadot
                | Family::Tron
                | Family::Aptos
                | Family::Sui
                | Family::Icp
                | Family::Cosmos,
            ) => {
                let expected = "planned: this build reads no blocks of the family";
                Err(fields.wrong("status", status.name(), expected))
            }
        }
    }

    /// Whether this build reads its blocks.
    #[must_use]
    pub const fn status(&self) -> Status {
        match self {
            Self::Evm(_) | Self::Bitcoin(_) => Status::Collected,
            Self::Planned(_) => Status::Planned,
        }
    }

    /// Which blocks have parts that cannot be recomputed.
    #[must_use]
    pub fn unprovable(&self) -> &[Unprovable] {
        match self {
            Self::Evm(params) => &params.unprovable,
            Self::Bitcoin(params) => &params.unprovable,
            Self::Planned(_) => &[],
        }
    }

    /// When its nodes count a block as final, unless configuration says otherwise.
    #[must_use]
    pub const fn default_finality(&self) -> FinalityRule {
        match self {
            Self::Evm(params) if params.final_when_seen => FinalityRule::Latest,
            Self::Evm(_) | Self::Planned(_) => FinalityRule::Tag,
            Self::Bitcoin(params) => FinalityRule::Confirmations(params.confirmations),
        }
    }

    /// Whether nodes have a word for their newest final block.
    #[must_use]
    pub const fn has_finality_tag(&self) -> bool {
        match self {
            Self::Evm(_) | Self::Planned(_) => true,
            Self::Bitcoin(_) => false,
        }
    }

    /// Whether nodes announce new heads over a WebSocket.
    #[must_use]
    pub const fn has_websocket(&self) -> bool {
        match self {
            Self::Evm(_) | Self::Planned(_) => true,
            Self::Bitcoin(_) => false,
        }
    }

    /// Whether nodes may have a header before they have all of its body, which is then asked for
    /// again.
    #[must_use]
    pub const fn body_may_come_later(&self) -> bool {
        match self {
            Self::Evm(_) => true,
            Self::Bitcoin(_) | Self::Planned(_) => false,
        }
    }

    /// Whether its events have addresses and topics, by which a watch list can choose.
    #[must_use]
    pub const fn has_watchable_events(&self) -> bool {
        match self {
            Self::Evm(_) => true,
            Self::Bitcoin(_) | Self::Planned(_) => false,
        }
    }

    /// Whether a header must follow from those before it by more than its parent's hash:
    /// [`crate::check_due`].
    #[must_use]
    pub const fn has_due_headers(&self) -> bool {
        match self {
            Self::Evm(_) | Self::Planned(_) => false,
            Self::Bitcoin(_) => true,
        }
    }

    /// Whether a header alone can show that its block has no event of an address or topic.
    ///
    /// # Errors
    /// Why it cannot. Of a planned ledger nothing is said.
    pub const fn check_bloom(&self) -> Result<(), NotProvable> {
        match self {
            Self::Evm(_) | Self::Planned(_) => Ok(()),
            Self::Bitcoin(_) => Err(bitcoin::NO_BLOOM),
        }
    }
}
