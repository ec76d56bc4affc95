//! Ledgers: the parameters that a chain's row holds for its own, and what each of them can do.
//!
//! Whoever treats chains alike asks here instead of naming a family. A new ledger is a line in
//! `ledgers!` below, and its parameters' answers to `LedgerParams`.

use superroot_proof::ledger::NotProvable;
use superroot_types::Family;

use crate::finality::FinalityRule;
use crate::registry::fields::Fields;
use crate::registry::{RegistryError, Status};
use crate::unprovable::Unprovable;
use crate::{aptos, bitcoin, cosmos, evm, icp, polkadot, solana, sui, tron};

/// What a ledger and its nodes can do. Every ledger says each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Traits {
    /// [`Ledger::default_finality`].
    pub(crate) default_finality: FinalityRule,
    /// [`Ledger::has_finality_tag`].
    pub(crate) has_finality_tag: bool,
    /// [`Ledger::has_websocket`].
    pub(crate) has_websocket: bool,
    /// [`Ledger::body_may_come_later`].
    pub(crate) body_may_come_later: bool,
    /// [`Ledger::has_watchable_events`].
    pub(crate) has_watchable_events: bool,
    /// [`Ledger::has_due_headers`].
    pub(crate) has_due_headers: bool,
    /// [`Ledger::binds_parent`].
    pub(crate) binds_parent: bool,
    /// [`Ledger::check_bloom`].
    pub(crate) bloom: Result<(), NotProvable>,
}

/// What a ledger's parameters answer.
pub(crate) trait LedgerParams: Sized {
    /// Reads them of a row whose first rule is that of `first_number`.
    fn read(fields: &mut Fields, first_number: u64) -> Result<Self, RegistryError>;

    /// Those of a chain that is made up under the same name, by rules that can be kept here: what takes
    /// much work or somebody's key is made easy.
    fn simulated(&self) -> Self;

    /// Which blocks have parts that cannot be recomputed.
    fn unprovable(&self) -> &[Unprovable];

    /// What the ledger and its nodes can do.
    fn traits(&self) -> Traits;
}

/// Of a planned ledger nothing is said that would refuse a setting.
const PLANNED: Traits = Traits {
    default_finality: FinalityRule::Tag,
    has_finality_tag: true,
    has_websocket: true,
    body_may_come_later: false,
    has_watchable_events: false,
    has_due_headers: false,
    binds_parent: true,
    bloom: Ok(()),
};

/// Writes the type that holds any ledger's parameters, and passes each question on to them.
macro_rules! ledgers {
    ($($(#[$doc:meta])* $ledger:ident: $params:ty;)*) => {
        /// A chain's ledger, with what differs between chains of it.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Ledger {
            $($(#[$doc])* $ledger($params),)*
            /// Of that family. The row and its slot are there; this build does not read its blocks.
            Planned(Family),
        }

        impl Ledger {
            /// The ledger's family.
            #[must_use]
            pub const fn family(&self) -> Family {
                match self {
                    $(Self::$ledger(_) => Family::$ledger,)*
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
                    $((Status::Collected, Family::$ledger) => {
                        LedgerParams::read(fields, first_number).map(Self::$ledger)
                    })*
                }
            }

            /// Whether this build reads its blocks.
            #[must_use]
            pub const fn status(&self) -> Status {
                match self {
                    $(Self::$ledger(_))|* => Status::Collected,
                    Self::Planned(_) => Status::Planned,
                }
            }

            /// The parameters of a chain that is made up under the same name.
            #[must_use]
            pub(crate) fn simulated(&self) -> Self {
                match self {
                    $(Self::$ledger(params) => Self::$ledger(LedgerParams::simulated(params)),)*
                    Self::Planned(family) => Self::Planned(*family),
                }
            }

            /// Which blocks have parts that cannot be recomputed.
            #[must_use]
            pub fn unprovable(&self) -> &[Unprovable] {
                match self {
                    $(Self::$ledger(params) => LedgerParams::unprovable(params),)*
                    Self::Planned(_) => &[],
                }
            }

            fn traits(&self) -> Traits {
                match self {
                    $(Self::$ledger(params) => params.traits(),)*
                    Self::Planned(_) => PLANNED,
                }
            }
        }
    };
}

ledgers! {
    /// Of the EVM family.
    Evm: evm::Params;
    /// Of the Bitcoin family.
    Bitcoin: bitcoin::Params;
    /// Of the Cosmos family.
    Cosmos: cosmos::Params;
    /// Of the ICP family.
    Icp: icp::Params;
    /// Of the Aptos family.
    Aptos: aptos::Params;
    /// Of the Polkadot family.
    Polkadot: polkadot::Params;
    /// Of the Tron family.
    Tron: tron::Params;
    /// Of the Sui family.
    Sui: sui::Params;
    /// Of the Solana family.
    Solana: solana::Params;
}

impl Ledger {
    /// Whether a CAIP-2 name does not contradict what the row says of the first block.
    pub(crate) fn is_called(&self, caip2: &str) -> bool {
        if let Self::Sui(params) = self { params.is_called(caip2) } else { true }
    }

    /// When its nodes count a block as final, unless configuration says otherwise.
    #[must_use]
    pub fn default_finality(&self) -> FinalityRule {
        self.traits().default_finality
    }

    /// Whether nodes have a word for their newest final block.
    #[must_use]
    pub fn has_finality_tag(&self) -> bool {
        self.traits().has_finality_tag
    }

    /// Whether nodes announce new heads over a WebSocket.
    #[must_use]
    pub fn has_websocket(&self) -> bool {
        self.traits().has_websocket
    }

    /// Whether nodes may have a header before they have all of its body, which is then asked for
    /// again.
    #[must_use]
    pub fn body_may_come_later(&self) -> bool {
        self.traits().body_may_come_later
    }

    /// Whether its events have addresses and topics, by which a watch list can choose.
    #[must_use]
    pub fn has_watchable_events(&self) -> bool {
        self.traits().has_watchable_events
    }

    /// Whether a header must follow from those before it by more than its parent's hash:
    /// [`crate::check_due`].
    #[must_use]
    pub fn has_due_headers(&self) -> bool {
        self.traits().has_due_headers
    }

    /// Whether a block's hash shows its parent's: then nodes that agree on one block agree on those
    /// before it. Else every block has to be agreed on.
    #[must_use]
    pub fn binds_parent(&self) -> bool {
        self.traits().binds_parent
    }

    /// Whether a header alone can show that its block has no event of an address or topic.
    ///
    /// # Errors
    /// Why it cannot. Of a planned ledger nothing is said.
    pub fn check_bloom(&self) -> Result<(), NotProvable> {
        self.traits().bloom
    }
}
