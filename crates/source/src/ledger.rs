//! Ledger differences: node protocols and recording formats. A closed set.
//!
//! ```text
//!   <ledger>/nodes.rs     what a live node is asked: who are you, how far are you, a hash, a block
//!   <ledger>/capture.rs   a block in the file of a recording, read and written
//!   <ledger>/replay.rs    what a node would answer of a recording
//!   <ledger>/simulated.rs a made-up block on top of another
//! ```
//!
//! A new ledger is a folder with these files and a variant of [`Dialect`]; the shared parts (quorum, pace, blame,
//! health, transport) are in [`crate::live`]. Nodes need not speak JSON-RPC: REST and similar protocols, with any body
//! encoding, are [`crate::live::node::json_rpc::RpcProtocol::Paths`], with calls by `Call::get` and `Call::post`, and
//! `replay_path` for the replay. A ledger with skipped numbers or with block certificates returns both with the fetched
//! block.

use std::sync::Arc;

use serde_json::Value;
use superroot_chain::{ChainSpec, FinalityRule, Ledger, UntrustedBlock};
use superroot_proof::mpt::EMPTY_ROOT;
use superroot_types::{BlockNumber, Hash};

use crate::error::SourceError;
use crate::live::config::{FinalityAsk, LiveConfig};
use crate::live::node::LiveNode;
use crate::live::node::json_rpc::RpcProtocol;
use crate::recorded::Capture;
use crate::replay::grpc::GrpcOutcome;
use crate::replay::methods::{Methods, Outcome, PathCall, PathReply};
use crate::simulated::made::Make;
use crate::{
    BlockAt, BlockParts, ClaimedBlock, FetchedBlock, MissingBody, aptos, bitcoin, cosmos, evm, icp,
    polkadot, solana, sui, tron,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeTip {
    pub(crate) head: ClaimedBlock,
    pub(crate) safe: Option<ClaimedBlock>,
    /// Newest final block; `None` if the node names none.
    pub(crate) finalized: Option<BlockNumber>,
    /// Hash of the final block, if sent.
    pub(crate) finalized_hash: Option<Hash>,
    /// Call for the final block, if refused by the node.
    pub(crate) refused: Option<&'static str>,
}

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

#[derive(Debug)]
pub(crate) struct ReceivedBlock {
    pub(crate) block: UntrustedBlock,
    /// Reason for a missing part of the requested body.
    pub(crate) fault: Option<SourceError>,
}

impl From<UntrustedBlock> for ReceivedBlock {
    fn from(block: UntrustedBlock) -> Self {
        Self { block, fault: None }
    }
}

impl ReceivedBlock {
    pub(crate) fn sent_by(self, sender: Arc<str>) -> FetchedBlock {
        let body_fault = self.fault.as_ref().map(MissingBody::from);
        FetchedBlock { block: self.block, sender, body_fault }
    }
}

/// Node protocol of a chain.
#[derive(Clone, Debug)]
pub(crate) enum Dialect {
    Evm(evm::nodes::Evm),
    Bitcoin(bitcoin::nodes::Bitcoin),
    Cosmos(cosmos::nodes::Cosmos),
    Icp(icp::nodes::Icp),
    Aptos(aptos::nodes::Aptos),
    Polkadot(polkadot::nodes::Polkadot),
    Tron(tron::nodes::Tron),
    Sui(sui::nodes::Sui),
    Solana(solana::nodes::Solana),
}

macro_rules! ask {
    ($self:ident, $ledger:ident => $asked:expr) => {
        match $self {
            Dialect::Evm($ledger) => $asked,
            Dialect::Bitcoin($ledger) => $asked,
            Dialect::Cosmos($ledger) => $asked,
            Dialect::Icp($ledger) => $asked,
            Dialect::Aptos($ledger) => $asked,
            Dialect::Polkadot($ledger) => $asked,
            Dialect::Tron($ledger) => $asked,
            Dialect::Sui($ledger) => $asked,
            Dialect::Solana($ledger) => $asked,
        }
    };
}

impl Dialect {
    pub(crate) fn of(row: &ChainSpec, config: &LiveConfig) -> Result<Self, SourceError> {
        let finality = finality_of(row, config.finality);
        match &row.ledger {
            Ledger::Evm(_) => {
                Ok(Self::Evm(evm::nodes::Evm::new(row, finality, config.replay_servers)))
            }
            Ledger::Bitcoin(_) => bitcoin::nodes::Bitcoin::of(row, finality).map(Self::Bitcoin),
            Ledger::Cosmos(_) => cosmos::nodes::Cosmos::of(row, finality).map(Self::Cosmos),
            Ledger::Icp(params) => {
                icp::nodes::Icp::of(row, params, finality, config.replay_servers).map(Self::Icp)
            }
            Ledger::Aptos(params) => Ok(Self::Aptos(aptos::nodes::Aptos::of(params, finality))),
            Ledger::Polkadot(_) => polkadot::nodes::Polkadot::of(row, finality).map(Self::Polkadot),
            Ledger::Tron(params) => Ok(Self::Tron(tron::nodes::Tron::of(params, finality))),
            Ledger::Sui(params) => sui::nodes::Sui::of(row, params, finality).map(Self::Sui),
            Ledger::Solana(params) => {
                solana::nodes::Solana::of(row, params, finality, config.replay_servers)
                    .map(Self::Solana)
            }
        }
    }

    pub(crate) const fn protocol(&self) -> RpcProtocol {
        match self {
            Self::Evm(_) | Self::Cosmos(_) | Self::Polkadot(_) | Self::Solana(_) => {
                RpcProtocol::JsonRpc
            }
            Self::Bitcoin(_) => RpcProtocol::JsonRpcUnnamed,
            Self::Aptos(_) | Self::Icp(_) | Self::Tron(_) => RpcProtocol::Paths,
            Self::Sui(_) => RpcProtocol::Grpc,
        }
    }

    /// WebSocket request to subscribe to new heads.
    pub(crate) const fn subscription(&self) -> Option<&'static str> {
        match self {
            Self::Evm(_) => Some(evm::nodes::SUBSCRIBE),
            Self::Polkadot(_) => Some(polkadot::nodes::SUBSCRIBE),
            // they announce none, or in ways of their own: they are polled
            Self::Aptos(_)
            | Self::Bitcoin(_)
            | Self::Cosmos(_)
            | Self::Icp(_)
            | Self::Solana(_)
            | Self::Sui(_)
            | Self::Tron(_) => None,
        }
    }

    /// Checks that the node serves this chain. Returns the client name, if stated.
    pub(crate) async fn greet(&self, node: &Arc<LiveNode>) -> Result<String, SourceError> {
        ask!(self, ledger => ledger.greet(node).await)
    }

    pub(crate) async fn tip(&self, node: &Arc<LiveNode>) -> Result<NodeTip, SourceError> {
        ask!(self, ledger => ledger.tip(node).await)
    }

    /// Hash of the node's block with this number.
    pub(crate) async fn hash_at(
        &self,
        node: &Arc<LiveNode>,
        number: BlockNumber,
    ) -> Result<Option<Hash>, SourceError> {
        ask!(self, ledger => ledger.hash_at(node, number).await)
    }

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

    async fn block_with(
        &self,
        node: &Arc<LiveNode>,
        at: BlockAt,
        parts: BlockParts,
    ) -> Result<Option<ReceivedBlock>, SourceError> {
        match self {
            Self::Evm(ledger) => ledger.block(node, at, parts).await,
            Self::Polkadot(ledger) => ledger.block(node, at, parts).await,
            Self::Bitcoin(ledger) => given(ledger.block(node, at, parts).await),
            Self::Cosmos(ledger) => given(ledger.block(node, at, parts).await),
            Self::Icp(ledger) => given(ledger.block(node, at, parts).await),
            Self::Aptos(ledger) => given(ledger.block(node, at, parts).await),
            Self::Tron(ledger) => given(ledger.block(node, at, parts).await),
            Self::Sui(ledger) => given(ledger.block(node, at, parts).await),
            Self::Solana(ledger) => given(ledger.block(node, at, parts).await),
        }
    }

    /// What nodes of EVM chains are asked besides blocks.
    ///
    /// # Errors
    /// [`SourceError::NoCalls`] of other ledgers.
    pub(crate) const fn evm(&self) -> Result<&evm::nodes::Evm, SourceError> {
        match self {
            Self::Evm(evm) => Ok(evm),
            Self::Aptos(_)
            | Self::Bitcoin(_)
            | Self::Cosmos(_)
            | Self::Icp(_)
            | Self::Polkadot(_)
            | Self::Solana(_)
            | Self::Sui(_)
            | Self::Tron(_) => Err(SourceError::NoCalls),
        }
    }
}

/// Block of a ledger with a single answer per block, or an error.
fn given(
    sent: Result<Option<UntrustedBlock>, SourceError>,
) -> Result<Option<ReceivedBlock>, SourceError> {
    Ok(sent?.map(ReceivedBlock::from))
}

/// Whether the receipts are present; `None` if the block or ledger has none.
pub(crate) fn has_receipts(block: &UntrustedBlock) -> Option<bool> {
    match block {
        UntrustedBlock::Evm(raw) => match &raw.receipts {
            Some(receipts) if !receipts.is_empty() => Some(true),
            // some nodes that have no receipts of a block send an empty list of them
            Some(_) => {
                let is_empty = raw.block.transactions.count() == Some(0);
                (!is_empty && raw.block.receipts_root != EMPTY_ROOT).then_some(false)
            }
            None => Some(false),
        },
        UntrustedBlock::Polkadot(raw) => raw.extrinsics.as_ref().map(|_| raw.read_proof.is_some()),
        UntrustedBlock::Aptos(_)
        | UntrustedBlock::Bitcoin(_)
        | UntrustedBlock::Cosmos(_)
        | UntrustedBlock::Icp(_)
        | UntrustedBlock::Solana(_)
        | UntrustedBlock::Sui(_)
        | UntrustedBlock::Tron(_) => None,
    }
}

pub(crate) fn claimed_hashes(block: &UntrustedBlock) -> (Option<Hash>, Hash) {
    match block {
        UntrustedBlock::Evm(raw) => (raw.block.hash, raw.block.parent_hash),
        UntrustedBlock::Bitcoin(raw) => (Some(raw.hash), bitcoin::parent_hash(raw)),
        UntrustedBlock::Cosmos(raw) => (Some(raw.hash), cosmos::parent_hash(raw)),
        UntrustedBlock::Icp(raw) => (Some(raw.hash), icp::parent_hash(raw)),
        UntrustedBlock::Aptos(raw) => (Some(raw.hash), raw.parent_hash),
        UntrustedBlock::Polkadot(raw) => (Some(raw.hash), raw.header.parent_hash),
        UntrustedBlock::Tron(raw) => (Some(raw.hash), tron::parent_hash(raw)),
        UntrustedBlock::Sui(raw) => (Some(raw.digest), sui::parent_hash(raw)),
        UntrustedBlock::Solana(raw) => (Some(raw.hash), raw.parent_hash),
    }
}

/// Block maker of a simulated chain; `None` for unsupported ledgers. Ethereum blocks are made in [`crate::simulated`].
pub(crate) fn maker(row: &ChainSpec) -> Option<Make> {
    match &row.ledger {
        Ledger::Bitcoin(_) => Some(bitcoin::simulated::make),
        Ledger::Cosmos(_) => Some(cosmos::simulated::make),
        Ledger::Icp(_) => Some(icp::simulated::make),
        Ledger::Aptos(_) => Some(aptos::simulated::make),
        Ledger::Polkadot(_) => Some(polkadot::simulated::make),
        Ledger::Tron(_) => Some(tron::simulated::make),
        Ledger::Sui(_) => Some(sui::simulated::make),
        Ledger::Solana(_) => Some(solana::simulated::make),
        Ledger::Evm(_) => None,
    }
}

pub(crate) fn read_capture(
    row: &ChainSpec,
    capture: &Capture,
) -> Result<ReceivedBlock, SourceError> {
    let block = match &row.ledger {
        Ledger::Evm(_) => return evm::capture::read(capture),
        Ledger::Bitcoin(_) => bitcoin::capture::read(capture),
        Ledger::Cosmos(_) => cosmos::capture::read(capture),
        Ledger::Icp(_) => icp::capture::read(capture),
        Ledger::Aptos(_) => aptos::capture::read(capture),
        Ledger::Polkadot(_) => polkadot::capture::read(capture),
        Ledger::Tron(_) => tron::capture::read(capture),
        Ledger::Sui(_) => sui::capture::read(capture),
        Ledger::Solana(_) => solana::capture::read(capture),
    }?;
    Ok(block.into())
}

pub(crate) fn write_capture(block: &UntrustedBlock) -> (Value, Value) {
    match block {
        UntrustedBlock::Evm(raw) => evm::capture::write(raw),
        UntrustedBlock::Bitcoin(raw) => bitcoin::capture::write(raw),
        UntrustedBlock::Cosmos(raw) => cosmos::capture::write(raw),
        UntrustedBlock::Icp(raw) => icp::capture::write(raw),
        UntrustedBlock::Aptos(raw) => aptos::capture::write(raw),
        UntrustedBlock::Polkadot(raw) => polkadot::capture::write(raw),
        UntrustedBlock::Tron(raw) => tron::capture::write(raw),
        UntrustedBlock::Sui(raw) => sui::capture::write(raw),
        UntrustedBlock::Solana(raw) => solana::capture::write(raw),
    }
}

/// Replays a path call; `None` if nodes of the ledger have no such path.
pub(crate) fn replay_path(methods: &Methods<'_>, call: &PathCall<'_>) -> Option<PathReply> {
    match &methods.row()?.ledger {
        Ledger::Tron(_) => tron::replay::call(methods, call),
        Ledger::Icp(_) => icp::replay::call(methods, call),
        Ledger::Aptos(params) => aptos::replay::call(methods, params.network, call),
        // they speak JSON-RPC, or gRPC
        Ledger::Evm(_)
        | Ledger::Bitcoin(_)
        | Ledger::Cosmos(_)
        | Ledger::Polkadot(_)
        | Ledger::Solana(_)
        | Ledger::Sui(_) => None,
    }
}

/// Replays a gRPC call by path; `None` if nodes of the ledger have no such method.
pub(crate) fn replay_grpc(
    methods: &Methods<'_>,
    path: &str,
    message: &[u8],
) -> Option<GrpcOutcome> {
    match &methods.row()?.ledger {
        Ledger::Sui(_) => sui::replay::call(methods, path, message),
        Ledger::Evm(_)
        | Ledger::Aptos(_)
        | Ledger::Bitcoin(_)
        | Ledger::Cosmos(_)
        | Ledger::Icp(_)
        | Ledger::Polkadot(_)
        | Ledger::Solana(_)
        | Ledger::Tron(_) => None,
    }
}

/// Replays a call; `None` if nodes have no such method.
pub(crate) fn replay(methods: &Methods<'_>, method: &str, params: &[Value]) -> Option<Outcome> {
    match &methods.row()?.ledger {
        Ledger::Evm(_) => evm::replay::call(methods, method, params),
        Ledger::Bitcoin(_) => bitcoin::replay::call(methods, method, params),
        Ledger::Cosmos(_) => cosmos::replay::call(methods, method, params),
        Ledger::Polkadot(_) => polkadot::replay::call(methods, method, params),
        Ledger::Solana(_) => solana::replay::call(methods, method, params),
        // they have a path for each call
        Ledger::Aptos(_) | Ledger::Icp(_) | Ledger::Sui(_) | Ledger::Tron(_) => None,
    }
}
