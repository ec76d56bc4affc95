//! Ledgers: the ledger parameters in a chain's row, and the ledger's abilities.
//!
//! Code that treats all chains alike asks here instead of naming a family. A new ledger needs a line in `ledgers!`
//! below, and parameters with `LedgerParams`.

use superroot_proof::ledger::NotProvable;
use superroot_types::{BlockNumber, Family};

use crate::finality::FinalityRule;
use crate::registry::ChainRegistryError;
use crate::registry::fields::TableFields;
use crate::unprovable::UnprovableRange;
use crate::{aptos, bitcoin, cosmos, evm, icp, polkadot, solana, sui, tron};

/// Abilities of a ledger and its nodes. Every ledger states all fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Traits {
    pub(crate) default_finality: FinalityRule,
    pub(crate) has_finality_tag: bool,
    pub(crate) has_websocket: bool,
    pub(crate) body_may_come_later: bool,
    pub(crate) has_watchable_events: bool,
    pub(crate) has_due_headers: bool,
    pub(crate) binds_parent: bool,
    pub(crate) bloom: Result<(), NotProvable>,
    pub(crate) proves: ProofScope,
}

/// Statements proven at level 1 on a ledger, in words, with reasons where nothing is provable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProofScope {
    pub transaction: &'static str,
    pub event: Result<&'static str, NotProvable>,
    /// Absence of an entry.
    pub absence: Result<&'static str, NotProvable>,
}

/// For ledgers with trees that show the number of leaves.
pub(crate) const NO_TRANSACTION_AT: &str = "that a block has no transaction at a place";

pub(crate) trait LedgerParams: Sized {
    /// Reads the parameters of a row; `first_number` is the start of the row's first rule.
    fn read(fields: &mut TableFields, first_number: u64) -> Result<Self, ChainRegistryError>;

    /// Parameters of a simulated chain with the same name: work and secret keys are made easy.
    fn simulated(&self) -> Self;

    /// Block ranges with parts that cannot be recomputed.
    fn unprovable(&self) -> &[UnprovableRange];

    fn traits(&self) -> Traits;

    /// Contradiction between the parameters and the CAIP-2 name.
    fn contradiction(&self, _caip2: &str) -> Option<SpecContradiction> {
        None
    }
}

/// Row field in contradiction with another field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SpecContradiction {
    pub(crate) field: &'static str,
    pub(crate) got: String,
    pub(crate) expected: &'static str,
}

/// Defines the ledger enum and forwards each question to the parameters.
macro_rules! ledgers {
    ($($(#[$doc:meta])* $ledger:ident: $params:ty;)*) => {
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Ledger {
            $($(#[$doc])* $ledger($params),)*
        }

        impl Ledger {
            #[must_use]
            pub const fn family(&self) -> Family {
                match self {
                    $(Self::$ledger(_) => Family::$ledger,)*
                }
            }

            pub(crate) fn read(
                fields: &mut TableFields,
                family: Family,
                first_number: u64,
            ) -> Result<Self, ChainRegistryError> {
                match family {
                    $(Family::$ledger => {
                        LedgerParams::read(fields, first_number).map(Self::$ledger)
                    })*
                }
            }

            pub(crate) fn contradiction(&self, caip2: &str) -> Option<SpecContradiction> {
                match self {
                    $(Self::$ledger(params) => params.contradiction(caip2),)*
                }
            }

            #[must_use]
            pub(crate) fn simulated(&self) -> Self {
                match self {
                    $(Self::$ledger(params) => Self::$ledger(LedgerParams::simulated(params)),)*
                }
            }

            #[must_use]
            pub fn unprovable(&self) -> &[UnprovableRange] {
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
    Evm: evm::EvmParams;
    Bitcoin: bitcoin::BitcoinParams;
    Cosmos: cosmos::CosmosParams;
    Icp: icp::IcpParams;
    Aptos: aptos::AptosParams;
    Polkadot: polkadot::PolkadotParams;
    Tron: tron::TronParams;
    Sui: sui::SuiParams;
    Solana: solana::SolanaParams;
}

impl Ledger {
    /// Default finality rule, unless configured otherwise.
    #[must_use]
    pub fn default_finality(&self) -> FinalityRule {
        self.traits().default_finality
    }

    /// Whether nodes have a tag for the newest final block.
    #[must_use]
    pub fn has_finality_tag(&self) -> bool {
        self.traits().has_finality_tag
    }

    /// Whether nodes announce new heads over a WebSocket.
    #[must_use]
    pub fn has_websocket(&self) -> bool {
        self.traits().has_websocket
    }

    /// Whether nodes may have a header before the complete body; the body is then requested again.
    #[must_use]
    pub fn body_may_come_later(&self) -> bool {
        self.traits().body_may_come_later
    }

    /// Whether events have addresses and topics for a watch list.
    #[must_use]
    pub fn has_watchable_events(&self) -> bool {
        self.traits().has_watchable_events
    }

    /// Whether a header must follow from previous headers by more than the parent hash: [`crate::check_due`].
    #[must_use]
    pub fn has_due_headers(&self) -> bool {
        self.traits().has_due_headers
    }

    /// Whether a block hash commits to the parent hash: agreement on one block then includes all ancestors. Otherwise
    /// nodes must agree on every block.
    #[must_use]
    pub fn binds_parent(&self) -> bool {
        self.traits().binds_parent
    }

    #[must_use]
    pub fn proves(&self) -> ProofScope {
        self.traits().proves
    }

    /// Whether a header alone can show the absence of an address or topic; the error is the reason.
    pub fn check_bloom(&self) -> Result<(), NotProvable> {
        self.traits().bloom
    }

    /// Logs outside the header blooms in blocks `from` to `to`, in words.
    #[must_use]
    pub fn logs_outside_bloom(&self, from: BlockNumber, to: BlockNumber) -> Option<&'static str> {
        let Self::Evm(params) = self else { return None };
        let last = params.encodings.partition_point(|one| one.from_number <= to.0);
        let first = params.encodings.partition_point(|one| one.from_number <= from.0);
        let in_force = params.encodings.get(first.saturating_sub(1)..last)?;
        in_force.iter().find_map(|one| one.encoding.logs_outside_bloom())
    }
}
