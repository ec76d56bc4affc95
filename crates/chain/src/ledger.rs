//! Ledgers: the parameters that a chain's row holds for its own, and what each of them can do.
//!
//! Whoever treats chains alike asks here instead of naming a family. A new ledger is a line in
//! `ledgers!` below, and its parameters' answers to `LedgerParams`.

use superroot_proof::ledger::NotProvable;
use superroot_types::{BlockNumber, Family};

use crate::finality::FinalityRule;
use crate::registry::RegistryError;
use crate::registry::fields::Fields;
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
    /// [`Ledger::proves`].
    pub(crate) proves: Proves,
}

/// What level 1 of a proof shows on a ledger, in words, and why it shows nothing where it cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proves {
    /// Of a transaction.
    pub transaction: &'static str,
    /// Of an event.
    pub event: Result<&'static str, NotProvable>,
    /// Of what is not there.
    pub absence: Result<&'static str, NotProvable>,
}

/// Of ledgers whose trees show where they end.
pub(crate) const NO_TRANSACTION_AT: &str = "that a block has no transaction at a place";

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

    /// What they and the chain's CAIP-2 name say against each other.
    fn contradiction(&self, _caip2: &str) -> Option<Contradiction> {
        None
    }
}

/// A field of a row that another speaks against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Contradiction {
    /// Its key.
    pub(crate) field: &'static str,
    /// What it says.
    pub(crate) got: String,
    /// What the other asks for.
    pub(crate) expected: &'static str,
}

/// Writes the type that holds any ledger's parameters, and passes each question on to them.
macro_rules! ledgers {
    ($($(#[$doc:meta])* $ledger:ident: $params:ty;)*) => {
        /// A chain's ledger, with what differs between chains of it.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Ledger {
            $($(#[$doc])* $ledger($params),)*
        }

        impl Ledger {
            /// The ledger's family.
            #[must_use]
            pub const fn family(&self) -> Family {
                match self {
                    $(Self::$ledger(_) => Family::$ledger,)*
                }
            }

            /// Reads the parameters of a row, whose first rule is that of the first number.
            pub(crate) fn read(
                fields: &mut Fields,
                family: Family,
                first_number: u64,
            ) -> Result<Self, RegistryError> {
                match family {
                    $(Family::$ledger => {
                        LedgerParams::read(fields, first_number).map(Self::$ledger)
                    })*
                }
            }

            /// What the parameters and a CAIP-2 name say against each other.
            pub(crate) fn contradiction(&self, caip2: &str) -> Option<Contradiction> {
                match self {
                    $(Self::$ledger(params) => params.contradiction(caip2),)*
                }
            }

            /// The parameters of a chain that is made up under the same name.
            #[must_use]
            pub(crate) fn simulated(&self) -> Self {
                match self {
                    $(Self::$ledger(params) => Self::$ledger(LedgerParams::simulated(params)),)*
                }
            }

            /// Which blocks have parts that cannot be recomputed.
            #[must_use]
            pub fn unprovable(&self) -> &[Unprovable] {
                match self {
                    $(Self::$ledger(params) => LedgerParams::unprovable(params),)*
                }
            }

            fn traits(&self) -> Traits {
                match self {
                    $(Self::$ledger(params) => params.traits(),)*
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

    /// What a proof shows of an entry of a block.
    #[must_use]
    pub fn proves(&self) -> Proves {
        self.traits().proves
    }

    /// Whether a header alone can show that its block has no event of an address or topic.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn check_bloom(&self) -> Result<(), NotProvable> {
        self.traits().bloom
    }

    /// Which logs of blocks from `from` to `to` stand outside the blooms of their headers, in words.
    #[must_use]
    pub fn logs_outside_bloom(&self, from: BlockNumber, to: BlockNumber) -> Option<&'static str> {
        let Self::Evm(params) = self else { return None };
        let last = params.encodings.partition_point(|one| one.from_number <= to.0);
        let first = params.encodings.partition_point(|one| one.from_number <= from.0);
        let in_force = params.encodings.get(first.saturating_sub(1)..last)?;
        in_force.iter().find_map(|one| one.encoding.logs_outside_bloom())
    }
}
