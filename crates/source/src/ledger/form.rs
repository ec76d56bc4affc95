//! Form of a ledger for sources: how its nodes speak, how a recording has its blocks, how a recording is replayed, and
//! how a simulated chain makes its blocks.

use std::sync::Arc;

use serde_json::Value;
use superroot_chain::{ChainSpec, FinalityRule, UntrustedBlock};
use superroot_types::{BlockNumber, Hash};

use crate::error::SourceError;
use crate::live::node::json_rpc::RpcProtocol;
use crate::recorded::Capture;
use crate::replay::grpc::GrpcOutcome;
use crate::replay::methods::{Methods, Outcome, PathCall, PathReply};
use crate::simulated::made::BlockFactory;
use crate::{ClaimedBlock, FetchedBlock, MissingBody};

/// Everything but the calls to nodes, which are the methods of the implementing type: `greet`, `tip`, `hash_at` and
/// `block`.
pub(crate) trait LedgerForm: Sized {
    /// Parameters in a chain's row.
    type Params;
    /// Block in the form of the nodes.
    type Raw;

    const PROTOCOL: RpcProtocol;
    /// WebSocket request to subscribe to new heads; `None` for polled nodes.
    const SUBSCRIPTION: Option<&'static str> = None;
    /// A simulated chain's block maker; `None` for blocks made in [`crate::simulated`].
    const MAKE: Option<BlockFactory>;
    const REPLAY: ReplayCalls;

    /// A chain's node protocol.
    fn of(row: &ChainSpec, params: &Self::Params, setup: DialectSetup)
    -> Result<Self, SourceError>;

    /// Reads a block of a recording.
    fn read_capture(capture: &Capture) -> Result<ReceivedBlock, SourceError>;

    /// Writes a block for a recording: the block, and its receipts or null.
    fn write_capture(raw: &Self::Raw) -> (Value, Value);

    /// The block's hashes, if claimed, and of its parent.
    fn claimed_hashes(raw: &Self::Raw) -> (Option<Hash>, Hash);

    /// Whether the receipts are present; `None` if the block or ledger has none.
    fn has_receipts(_raw: &Self::Raw) -> Option<bool> {
        None
    }
}

/// Calls that a replay server answers from a recording; each is `None` for a call that nodes do not have.
#[derive(Clone, Copy)]
pub(crate) enum ReplayCalls {
    /// JSON-RPC methods.
    Methods(fn(&Methods<'_>, &str, &[Value]) -> Option<Outcome>),
    /// A path for each call.
    Paths(fn(&Methods<'_>, &PathCall<'_>) -> Option<PathReply>),
    /// gRPC methods by path.
    Grpc(fn(&Methods<'_>, &str, &[u8]) -> Option<GrpcOutcome>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DialectSetup {
    pub(crate) finality: FinalityRule,
    /// Whether replay servers count as nodes.
    pub(crate) replay_servers: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeTip {
    pub(crate) head: ClaimedBlock,
    pub(crate) safe: Option<ClaimedBlock>,
    /// Newest final block; `None` if the node names none.
    pub(crate) finalized: Option<BlockNumber>,
    /// The final block's hash, if sent.
    pub(crate) finalized_hash: Option<Hash>,
    /// Call for the final block, if refused by the node.
    pub(crate) refused: Option<&'static str>,
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
