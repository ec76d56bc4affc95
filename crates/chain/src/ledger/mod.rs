//! Ledgers: the ledger parameters in a chain's row, the ledger's abilities, and a folder for each ledger.
//!
//! ```text
//!   <ledger>/params.rs   parameters in a chain's row, and abilities: `LedgerParams`
//!   <ledger>/raw.rs      a block in the form of the nodes, and the block without some of its parts
//!   <ledger>/verify.rs   from the raw block to a verified block
//!   <ledger>/events.rs   events in the form shared by all ledgers, if the ledger commits to events
//!   <ledger>/fees.rs     fee rates, if a block shows them
//!   <ledger>/mod.rs      what holds for every chain of the ledger: `FACTS`
//! ```
//! Code that treats all chains alike asks here instead of naming a family. A new ledger needs a folder, and its two
//! lines below: the module, and the row in `with_ledgers!`.

pub mod aptos;
pub mod bitcoin;
pub mod cosmos;
pub mod evm;
mod facts;
pub mod icp;
pub mod polkadot;
pub mod solana;
pub mod sui;
pub mod tron;

/// Table of ledgers: family, folder, parameters in a chain's row, and a block in the form of the nodes. Expands
/// `$define!` with the table.
macro_rules! with_ledgers {
    ($define:ident) => {
        $define! {
            Evm, evm: EvmParams, RawEvmBlock;
            Bitcoin, bitcoin: BitcoinParams, RawBitcoinBlock;
            Cosmos, cosmos: CosmosParams, RawCosmosBlock;
            Icp, icp: IcpParams, RawIcpBlock;
            Aptos, aptos: AptosParams, RawAptosBlock;
            Polkadot, polkadot: PolkadotParams, RawPolkadotBlock;
            Tron, tron: TronParams, RawTronBlock;
            Sui, sui: SuiParams, RawSuiBlock;
            Solana, solana: SolanaParams, RawSolanaBlock;
        }
    };
}
pub(crate) use with_ledgers;

pub use facts::LedgerFacts;

use superroot_proof::ledger::{Header, NotProvable};
use superroot_types::{BlockNumber, Family};

use crate::error::ChainError;
use crate::finality::FinalityRule;
use crate::registry::ChainRegistryError;
use crate::registry::fields::TableFields;
use crate::unprovable::UnprovableRange;

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
    /// An entry's absence.
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

    /// Logs outside the header blooms in blocks `from` to `to`, in words.
    fn logs_outside_bloom(&self, _from: BlockNumber, _to: BlockNumber) -> Option<&'static str> {
        None
    }

    /// Whether nodes send consensus signatures for the block once the block is final, and not before.
    fn is_signed_when_final(&self, _header: &[u8]) -> bool {
        false
    }

    /// Checks a header against previous headers, for a ledger with [`Traits::has_due_headers`]; `before` returns a
    /// stored header by number.
    fn check_due(
        &self,
        _number: BlockNumber,
        _header: &Header,
        _before: &dyn Fn(BlockNumber) -> Option<Header>,
    ) -> Result<(), ChainError> {
        Ok(())
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
    ($($ledger:ident, $folder:ident: $params:ident, $raw:ident;)*) => {
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Ledger {
            $($ledger($folder::$params),)*
        }

        /// What holds for every chain of the family.
        #[must_use]
        pub const fn facts(family: Family) -> &'static LedgerFacts {
            match family { $(Family::$ledger => &$folder::FACTS,)* }
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

            /// Logs outside the header blooms in blocks `from` to `to`, in words.
            #[must_use]
            pub fn logs_outside_bloom(
                &self,
                from: BlockNumber,
                to: BlockNumber,
            ) -> Option<&'static str> {
                match self {
                    $(Self::$ledger(params) => params.logs_outside_bloom(from, to),)*
                }
            }

            /// Whether nodes send consensus signatures for the block once the block is final, and not before.
            #[must_use]
            pub fn is_signed_when_final(&self, header: &[u8]) -> bool {
                match self {
                    $(Self::$ledger(params) => params.is_signed_when_final(header),)*
                }
            }

            pub(crate) fn check_due(
                &self,
                number: BlockNumber,
                header: &Header,
                before: &dyn Fn(BlockNumber) -> Option<Header>,
            ) -> Result<(), ChainError> {
                match self {
                    $(Self::$ledger(params) => {
                        LedgerParams::check_due(params, number, header, before)
                    })*
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

with_ledgers!(ledgers);

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
}
