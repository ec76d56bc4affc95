//! Ledger differences: node protocols and recording formats. A closed set.
//!
//! ```text
//!   <ledger>/form.rs      protocol, recordings, replay and simulation: `LedgerForm`
//!   <ledger>/nodes.rs     what a live node is asked: who are you, how far are you, a hash, a block
//!   <ledger>/capture.rs   a block in the file of a recording, read and written
//!   <ledger>/replay.rs    what a node would answer of a recording
//!   <ledger>/simulated.rs a made-up block on top of another
//! ```
//!
//! A new ledger is a folder with these files, its module below, and a row in `dialects!`; the shared parts (quorum,
//! pace, blame, health, transport) are in [`crate::live`]. Nodes need not speak JSON-RPC: REST and similar protocols,
//! with any body encoding, are [`RpcProtocol::Paths`], with calls by `Call::get` and `Call::post`. A ledger with skipped
//! numbers or with block certificates returns both with the fetched block.

pub(crate) mod aptos;
mod bitcoin;
pub(crate) mod cosmos;
pub(crate) mod evm;
mod form;
mod icp;
mod polkadot;
mod solana;
mod sui;
mod tron;

pub(crate) use form::{NodeTip, ReceivedBlock};

use std::sync::Arc;

use serde_json::Value;
use superroot_chain::{ChainSpec, FinalityRule, Ledger, UntrustedBlock};
use superroot_types::{BlockNumber, Hash};

use self::form::{DialectSetup, LedgerForm, ReplayCalls};
use crate::error::SourceError;
use crate::live::config::{FinalityAsk, LiveConfig};
use crate::live::node::LiveNode;
use crate::live::node::json_rpc::RpcProtocol;
use crate::recorded::Capture;
use crate::replay::grpc::GrpcOutcome;
use crate::replay::methods::{Methods, Outcome, PathCall, PathReply};
use crate::simulated::made::BlockFactory;
use crate::{BlockAt, BlockParts};

/// Finality rule for a node's block; default from the ledger.
pub(crate) fn finality_of(row: &ChainSpec, asked: FinalityAsk) -> FinalityRule {
    match asked {
        FinalityAsk::Auto => row.ledger.default_finality(),
        FinalityAsk::Finalized => FinalityRule::Tag,
        FinalityAsk::Latest => FinalityRule::Latest,
        FinalityAsk::Confirmations(count) => FinalityRule::Confirmations(count),
    }
}

/// Finality rule in words, for evidence.
pub(crate) fn words_of(rule: FinalityRule) -> String {
    match rule {
        FinalityRule::Tag => "finalized tag".into(),
        FinalityRule::Latest => "latest block".into(),
        FinalityRule::Confirmations(count) => format!("{count} confirmations"),
    }
}

/// Defines the node protocol of any ledger, and forwards each question to the ledger's [`LedgerForm`].
macro_rules! dialects {
    ($($ledger:ident: $folder:ident;)*) => {
        /// A chain's node protocol.
        #[derive(Clone, Debug)]
        pub(crate) enum Dialect {
            $($ledger($folder::nodes::$ledger),)*
        }

        impl Dialect {
            pub(crate) fn of(row: &ChainSpec, config: &LiveConfig) -> Result<Self, SourceError> {
                let setup = DialectSetup {
                    finality: finality_of(row, config.finality),
                    replay_servers: config.replay_servers,
                };
                match &row.ledger {
                    $(Ledger::$ledger(params) => {
                        LedgerForm::of(row, params, setup).map(Self::$ledger)
                    })*
                }
            }

            pub(crate) const fn protocol(&self) -> RpcProtocol {
                match self {
                    $(Self::$ledger(_) => <$folder::nodes::$ledger as LedgerForm>::PROTOCOL,)*
                }
            }

            /// WebSocket request to subscribe to new heads.
            pub(crate) const fn subscription(&self) -> Option<&'static str> {
                match self {
                    $(Self::$ledger(_) => <$folder::nodes::$ledger as LedgerForm>::SUBSCRIPTION,)*
                }
            }

            /// Checks that the node serves this chain. Returns the client name, if stated.
            pub(crate) async fn greet(&self, node: &Arc<LiveNode>) -> Result<String, SourceError> {
                match self { $(Self::$ledger(nodes) => nodes.greet(node).await,)* }
            }

            pub(crate) async fn tip(&self, node: &Arc<LiveNode>) -> Result<NodeTip, SourceError> {
                match self { $(Self::$ledger(nodes) => nodes.tip(node).await,)* }
            }

            /// Hash of the node's block with this number.
            pub(crate) async fn hash_at(
                &self,
                node: &Arc<LiveNode>,
                number: BlockNumber,
            ) -> Result<Option<Hash>, SourceError> {
                match self { $(Self::$ledger(nodes) => nodes.hash_at(node, number).await,)* }
            }

            async fn block_with(
                &self,
                node: &Arc<LiveNode>,
                at: BlockAt,
                parts: BlockParts,
            ) -> Result<Option<ReceivedBlock>, SourceError> {
                match self {
                    $(Self::$ledger(nodes) => {
                        Ok(nodes.block(node, at, parts).await?.map(ReceivedBlock::from))
                    })*
                }
            }
        }

        /// Whether the receipts are present; `None` if the block or ledger has none.
        pub(crate) fn has_receipts(block: &UntrustedBlock) -> Option<bool> {
            match block {
                $(UntrustedBlock::$ledger(raw) => $folder::nodes::$ledger::has_receipts(raw),)*
            }
        }

        /// The block's hashes, if claimed, and of its parent.
        pub(crate) fn claimed_hashes(block: &UntrustedBlock) -> (Option<Hash>, Hash) {
            match block {
                $(UntrustedBlock::$ledger(raw) => $folder::nodes::$ledger::claimed_hashes(raw),)*
            }
        }

        /// A simulated chain's block maker; `None` for blocks made in [`crate::simulated`].
        pub(crate) const fn maker(row: &ChainSpec) -> Option<BlockFactory> {
            match &row.ledger {
                $(Ledger::$ledger(_) => <$folder::nodes::$ledger as LedgerForm>::MAKE,)*
            }
        }

        pub(crate) fn read_capture(
            row: &ChainSpec,
            capture: &Capture,
        ) -> Result<ReceivedBlock, SourceError> {
            match &row.ledger {
                $(Ledger::$ledger(_) => $folder::nodes::$ledger::read_capture(capture),)*
            }
        }

        pub(crate) fn write_capture(block: &UntrustedBlock) -> (Value, Value) {
            match block {
                $(UntrustedBlock::$ledger(raw) => $folder::nodes::$ledger::write_capture(raw),)*
            }
        }

        const fn replay_calls(ledger: &Ledger) -> ReplayCalls {
            match ledger {
                $(Ledger::$ledger(_) => <$folder::nodes::$ledger as LedgerForm>::REPLAY,)*
            }
        }
    };
}

dialects! {
    Evm: evm;
    Bitcoin: bitcoin;
    Cosmos: cosmos;
    Icp: icp;
    Aptos: aptos;
    Polkadot: polkadot;
    Tron: tron;
    Sui: sui;
    Solana: solana;
}

impl Dialect {
    /// Fetches a block; `None` if the node has none. If a part of the body is missing or unreadable, returns the header
    /// and the reason.
    pub(crate) async fn block(
        &self,
        node: &Arc<LiveNode>,
        at: BlockAt,
        parts: BlockParts,
    ) -> Result<Option<ReceivedBlock>, SourceError> {
        let fault = match self.block_with(node, at, parts).await {
            Err(fault) if parts == BlockParts::Whole && fault.may_be_of_body() => fault,
            outcome => return outcome,
        };
        match self.block_with(node, at, BlockParts::Header).await {
            Ok(Some(given)) => Ok(Some(ReceivedBlock { fault: Some(fault), ..given })),
            Ok(None) | Err(_) => Err(fault),
        }
    }

    /// What nodes of EVM chains are asked besides blocks.
    ///
    /// # Errors
    /// [`SourceError::NoCalls`] of other ledgers.
    pub(crate) const fn evm(&self) -> Result<&evm::nodes::Evm, SourceError> {
        match self {
            Self::Evm(evm) => Ok(evm),
            _ => Err(SourceError::NoCalls),
        }
    }
}

/// Replays a path call; `None` if nodes of the ledger have no such path.
pub(crate) fn replay_path(methods: &Methods<'_>, call: &PathCall<'_>) -> Option<PathReply> {
    match replay_calls(&methods.row()?.ledger) {
        ReplayCalls::Paths(answer) => answer(methods, call),
        ReplayCalls::Methods(_) | ReplayCalls::Grpc(_) => None,
    }
}

/// Replays a gRPC call by path; `None` if nodes of the ledger have no such method.
pub(crate) fn replay_grpc(
    methods: &Methods<'_>,
    path: &str,
    message: &[u8],
) -> Option<GrpcOutcome> {
    match replay_calls(&methods.row()?.ledger) {
        ReplayCalls::Grpc(answer) => answer(methods, path, message),
        ReplayCalls::Methods(_) | ReplayCalls::Paths(_) => None,
    }
}

/// Replays a call; `None` if nodes have no such method.
pub(crate) fn replay(methods: &Methods<'_>, method: &str, params: &[Value]) -> Option<Outcome> {
    match replay_calls(&methods.row()?.ledger) {
        ReplayCalls::Methods(answer) => answer(methods, method, params),
        ReplayCalls::Paths(_) | ReplayCalls::Grpc(_) => None,
    }
}
