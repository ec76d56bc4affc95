//! Where ledgers differ: how their nodes speak, and how recordings hold their blocks. A closed set.
//!
//! ```text
//!   <ledger>/nodes.rs     what a live node is asked: who are you, how far are you, a hash, a block
//!   <ledger>/capture.rs   a block in the file of a recording, read and written
//!   <ledger>/replay.rs    what a node would answer of a recording
//!   <ledger>/simulated.rs a made-up block on top of another
//! ```
//!
//! The next ledger is a folder with these three and a variant of [`Dialect`]; what all have in common
//! (quorum, pace, blame, health, transport) is in [`crate::live`]. Nodes need not speak JSON-RPC:
//! REST and its like, whatever the bodies are written in, are [`crate::live::node::json_rpc::Protocol::Paths`],
//! with calls by `Call::get` and `Call::post`, and `replay_path` for the replay. A ledger that skips
//! numbers, or whose blocks come with a certificate, gives them with the block it fetches.

use std::sync::Arc;

use serde_json::Value;
use superroot_chain::{ChainRow, FinalityRule, Ledger, UntrustedBlock};
use superroot_proof::mpt::EMPTY_ROOT;
use superroot_types::{BlockNumber, Hash};

use crate::error::SourceError;
use crate::live::config::{FinalityAsk, LiveConfig};
use crate::live::node::Node;
use crate::live::node::json_rpc::Protocol;
use crate::recorded::Capture;
use crate::replay::grpc::GrpcOutcome;
use crate::replay::methods::{Methods, Outcome, PathCall, PathReply};
use crate::simulated::made::Make;
use crate::{
    BlockAt, BlockId, BodyFault, ContractCall, Fetched, Parts, aptos, bitcoin, cosmos, evm, icp,
    polkadot, solana, sui, tron,
};

/// How far one node says its chain has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeTip {
    pub(crate) head: BlockId,
    pub(crate) safe: Option<BlockId>,
    /// Newest final block; `None` where the node names none.
    pub(crate) finalized: Option<BlockNumber>,
    /// Its hash, where it came along.
    pub(crate) finalized_hash: Option<Hash>,
    /// The call for its final block, where the node refuses it.
    pub(crate) refused: Option<&'static str>,
}

/// When a node's block counts as final; the default is the ledger's.
pub(crate) fn finality_of(row: &ChainRow, asked: FinalityAsk) -> FinalityRule {
    match asked {
        FinalityAsk::Auto => row.ledger.default_finality(),
        FinalityAsk::Finalized => FinalityRule::Tag,
        FinalityAsk::Latest => FinalityRule::Latest,
        FinalityAsk::Confirmations(count) => FinalityRule::Confirmations(count),
    }
}

/// The rule in words, as evidence says it.
pub(crate) fn words_of(rule: FinalityRule) -> String {
    match rule {
        FinalityRule::Tag => "finalized tag".into(),
        FinalityRule::Latest => "latest block".into(),
        FinalityRule::Confirmations(count) => format!("{count} confirmations"),
    }
}

/// A block as a node or a recording gives it.
#[derive(Debug)]
pub(crate) struct Given {
    pub(crate) block: UntrustedBlock,
    /// Why a part of the body that was asked for is not there.
    pub(crate) fault: Option<SourceError>,
}

impl From<UntrustedBlock> for Given {
    fn from(block: UntrustedBlock) -> Self {
        Self { block, fault: None }
    }
}

impl Given {
    /// The block as a source gives it out.
    pub(crate) fn sent_by(self, sender: Arc<str>) -> Fetched {
        let body_fault = self.fault.as_ref().map(BodyFault::from);
        Fetched { block: self.block, sender, body_fault }
    }
}

/// How the nodes of one chain are asked.
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

/// Asks whatever the ledger is.
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
    /// The dialect of a chain's nodes.
    pub(crate) fn of(row: &ChainRow, config: &LiveConfig) -> Result<Self, SourceError> {
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

    /// How its nodes write requests and answers.
    pub(crate) const fn protocol(&self) -> Protocol {
        match self {
            Self::Evm(_) | Self::Cosmos(_) | Self::Polkadot(_) | Self::Solana(_) => {
                Protocol::JsonRpc
            }
            Self::Bitcoin(_) => Protocol::JsonRpcUnnamed,
            Self::Aptos(_) | Self::Icp(_) | Self::Tron(_) => Protocol::Paths,
            Self::Sui(_) => Protocol::Grpc,
        }
    }

    /// What makes a node announce new heads, as a request of a WebSocket.
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

    /// Checks that the node is of our chain. Gives the client's name, where it says one.
    pub(crate) async fn greet(&self, node: &Arc<Node>) -> Result<String, SourceError> {
        ask!(self, ledger => ledger.greet(node).await)
    }

    /// How far the node says its chain has come.
    pub(crate) async fn tip(&self, node: &Arc<Node>) -> Result<NodeTip, SourceError> {
        ask!(self, ledger => ledger.tip(node).await)
    }

    /// Hash of the block that the node has under that number.
    pub(crate) async fn hash_at(
        &self,
        node: &Arc<Node>,
        number: BlockNumber,
    ) -> Result<Option<Hash>, SourceError> {
        ask!(self, ledger => ledger.hash_at(node, number).await)
    }

    /// That block; `None` where the node has none. Where the node does not give all of a body, or in
    /// no form that is read here, the header, and why.
    pub(crate) async fn block(
        &self,
        node: &Arc<Node>,
        at: BlockAt,
        parts: Parts,
    ) -> Result<Option<Given>, SourceError> {
        let fault = match self.block_with(node, at, parts).await {
            Err(fault) if parts == Parts::Whole && fault.may_be_of_body() => fault,
            outcome => return outcome,
        };
        match self.block_with(node, at, Parts::Header).await {
            Ok(Some(given)) => Ok(Some(Given { fault: Some(fault), ..given })),
            Ok(None) | Err(_) => Err(fault),
        }
    }

    async fn block_with(
        &self,
        node: &Arc<Node>,
        at: BlockAt,
        parts: Parts,
    ) -> Result<Option<Given>, SourceError> {
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

    /// What a contract call returns after that block.
    pub(crate) async fn call_contract(
        &self,
        node: &Arc<Node>,
        call: &ContractCall,
        block: BlockNumber,
    ) -> Result<Vec<u8>, SourceError> {
        self.evm()?.call(node, call, block).await
    }

    /// What gas costs, in wei.
    pub(crate) async fn gas_price(&self, node: &Arc<Node>) -> Result<u64, SourceError> {
        self.evm()?.gas_price(node).await
    }

    /// The one whose nodes execute contracts.
    const fn evm(&self) -> Result<&evm::nodes::Evm, SourceError> {
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

/// A block of a ledger whose nodes send all of it in one answer, or an error.
fn given(sent: Result<Option<UntrustedBlock>, SourceError>) -> Result<Option<Given>, SourceError> {
    Ok(sent?.map(Given::from))
}

/// Whether the receipts of a block that has some are there: `None` where the block has none, or its
/// ledger knows none.
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

/// Hash and parent hash, as sent.
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

/// What makes blocks of a simulated chain; `None` of a ledger of which none are made here. Ethereum's are
/// made in [`crate::simulated`].
pub(crate) fn maker(row: &ChainRow) -> Option<Make> {
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

/// The block of a capture, as a source gives it out.
pub(crate) fn read_capture(row: &ChainRow, capture: &Capture) -> Result<Given, SourceError> {
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

/// `block` and `receipts` of a capture.
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

/// What a node would answer to one call with a path; `None` where nodes of the ledger have no such path.
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

/// What a node would answer to one call of gRPC, by its path; `None` where nodes of the ledger have no such
/// method.
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

/// What a node would answer to one call; `None` where it has no such method.
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
