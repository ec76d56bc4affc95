//! Shared parts for the replay methods of every ledger: recordings of a chain, answers and errors.

use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use superroot_chain::ChainSpec;
use superroot_types::{BlockNumber, ChainKey, Hash, first_chars};

use crate::ClaimedBlock;
use crate::error::SourceError;
use crate::ledger::evm::parse_quantity;
use crate::recorded::{Capture, Recordings};

/// Prefix of the replay server's `web3_clientVersion`.
pub(crate) const REPLAY_CLIENT: &str = "superroot-replay/";

/// Whether a client name belongs to a replay server.
pub(crate) fn is_replay(client: &str) -> bool {
    client.starts_with(REPLAY_CLIENT)
}

pub(crate) fn client_name() -> String {
    format!("{REPLAY_CLIENT}{}", env!("CARGO_PKG_VERSION"))
}

/// Error code for data not recorded: resource not found (EIP-1474).
pub(crate) const NOT_RECORDED: i64 = -32001;

pub(crate) type Outcome = Result<Box<RawValue>, RpcFault>;

#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct RpcFault {
    pub(crate) code: i64,
    pub(crate) message: String,
}

impl RpcFault {
    pub(super) fn parse() -> Self {
        Self { code: -32700, message: "the request is not json".into() }
    }

    pub(super) fn request(message: impl Into<String>) -> Self {
        Self { code: -32600, message: message.into() }
    }

    pub(crate) fn method(name: &str) -> Self {
        let name = first_chars(name, 64);
        Self { code: -32601, message: format!("the method {name} does not exist here") }
    }

    pub(crate) fn params(message: impl Into<String>) -> Self {
        Self { code: -32602, message: message.into() }
    }

    pub(crate) fn of_node(code: i64, message: &str) -> Self {
        Self { code, message: message.into() }
    }

    /// Data missing in the recording, though available from a real node.
    pub(crate) fn not_recorded(message: impl Into<String>) -> Self {
        Self { code: NOT_RECORDED, message: message.into() }
    }

    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self { code: -32603, message: message.into() }
    }

    pub(super) fn too_large() -> Self {
        Self { code: -32005, message: "the answer to the batch is too large".into() }
    }
}

#[allow(dead_code, reason = "of ledgers whose nodes have a path for each call")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathCall<'a> {
    /// POST, otherwise GET.
    pub(crate) is_post: bool,
    /// Path below the chain's path, without leading slash.
    pub(crate) path: &'a str,
    /// Query, without the question mark.
    pub(crate) query: &'a str,
    pub(crate) body: &'a [u8],
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathReply {
    pub(crate) status: u16,
    pub(crate) media_type: &'static str,
    pub(crate) body: Vec<u8>,
}

pub(crate) struct Methods<'a> {
    recordings: &'a Recordings,
    chain: ChainKey,
}

impl<'a> Methods<'a> {
    pub(super) const fn new(recordings: &'a Recordings, chain: ChainKey) -> Self {
        Self { recordings, chain }
    }

    pub(crate) const fn chain(&self) -> ChainKey {
        self.chain
    }

    pub(crate) fn row(&self) -> Option<&ChainSpec> {
        self.recordings.row(self.chain).ok()
    }

    pub(crate) fn tip(&self) -> Result<ClaimedBlock, RpcFault> {
        self.recordings.tip(self.chain).map_err(fault)
    }

    pub(crate) fn first(&self) -> Result<BlockNumber, RpcFault> {
        self.recordings.first(self.chain).map_err(fault)
    }

    /// Recorded numbers from `from` on, ascending.
    pub(crate) fn numbers(
        &self,
        from: BlockNumber,
        limit: usize,
    ) -> Result<Vec<BlockNumber>, RpcFault> {
        self.recordings.numbers(self.chain, from, limit).map_err(fault)
    }

    pub(crate) fn number_of(&self, hash: &Hash) -> Result<Option<BlockNumber>, RpcFault> {
        self.recordings.number_of(self.chain, hash).map_err(fault)
    }

    /// Next recorded number at or above `from`.
    pub(crate) fn next_number(&self, from: BlockNumber) -> Result<Option<BlockNumber>, RpcFault> {
        let next = self.recordings.numbers(self.chain, from, 1).map_err(fault)?;
        Ok(next.first().copied())
    }

    /// A transaction's block number: [`Recordings::number_of_transaction`].
    pub(crate) fn number_of_transaction(
        &self,
        transaction: &Hash,
        hashes: impl Fn(&Capture) -> Vec<Hash>,
    ) -> Result<Option<BlockNumber>, RpcFault> {
        self.recordings.number_of_transaction(self.chain, transaction, hashes).map_err(fault)
    }

    pub(crate) fn capture(&self, number: Option<BlockNumber>) -> Result<Option<Capture>, RpcFault> {
        let Some(number) = number else { return Ok(None) };
        self.recordings.load_capture(self.chain, number).map_err(fault)
    }
}

/// Requires exactly `N` parameters.
pub(crate) fn exactly<const N: usize>(params: &[Value]) -> Result<&[Value; N], RpcFault> {
    let wrong = |_| RpcFault::params(format!("expected {N} params, got {}", params.len()));
    params.try_into().map_err(wrong)
}

pub(crate) fn integer(param: &Value, field: &str) -> Result<u64, RpcFault> {
    let wrong = || RpcFault::params(format!("{field} is no quantity, as 0x10"));
    param.as_str().and_then(parse_quantity).ok_or_else(wrong)
}

pub(crate) fn json(value: &impl Serialize) -> Outcome {
    to_raw_value(value).map_err(|_| unreadable())
}

pub(crate) fn unreadable() -> RpcFault {
    RpcFault::internal("the recording of this block cannot be read")
}

/// Fault for the caller; details go to the log.
pub(crate) fn fault(error: SourceError) -> RpcFault {
    let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
    tracing::warn!(cause, "a recording cannot be replayed: {error}");
    unreadable()
}
