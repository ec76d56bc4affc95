//! What the methods of every ledger's replay are made of: the recordings of one chain, and what is
//! answered or refused.

use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use superroot_chain::ChainRow;
use superroot_types::{BlockNumber, ChainKey, Hash, first_chars};

use crate::BlockId;
use crate::error::SourceError;
use crate::evm::parse_quantity;
use crate::recorded::{Capture, Recordings};

/// How a replay server's `web3_clientVersion` begins.
pub(crate) const REPLAY_CLIENT: &str = "superroot-replay/";

/// Whether a client's name is that of a replay server.
pub(crate) fn is_replay(client: &str) -> bool {
    client.starts_with(REPLAY_CLIENT)
}

/// The name of this one.
pub(crate) fn client_name() -> String {
    format!("{REPLAY_CLIENT}{}", env!("CARGO_PKG_VERSION"))
}

/// Code of what is not recorded: a resource that is not found (EIP-1474).
pub(crate) const NOT_RECORDED: i64 = -32001;

pub(crate) type Outcome = Result<Box<RawValue>, Fault>;

/// A fault of JSON-RPC: code and message.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Fault {
    pub(crate) code: i64,
    pub(crate) message: String,
}

impl Fault {
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

    /// A fault in the node's own words.
    pub(crate) fn of_node(code: i64, message: &str) -> Self {
        Self { code, message: message.into() }
    }

    /// The recording has not what was asked for, though a node of the chain would have it.
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

/// A call with a path.
#[allow(dead_code, reason = "of ledgers whose nodes have a path for each call")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathCall<'a> {
    /// Whether it is posted; else it is got.
    pub(crate) is_post: bool,
    /// The path below the chain's, without a slash before it.
    pub(crate) path: &'a str,
    /// The query, without its mark.
    pub(crate) query: &'a str,
    /// What is posted.
    pub(crate) body: &'a [u8],
}

/// The answer to one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathReply {
    /// HTTP status.
    pub(crate) status: u16,
    /// Media type of the body.
    pub(crate) media_type: &'static str,
    /// The body.
    pub(crate) body: Vec<u8>,
}

/// The recordings of one chain.
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

    pub(crate) fn row(&self) -> Option<&ChainRow> {
        self.recordings.row(self.chain).ok()
    }

    pub(crate) fn tip(&self) -> Result<BlockId, Fault> {
        self.recordings.tip(self.chain).map_err(fault)
    }

    pub(crate) fn first(&self) -> Result<BlockNumber, Fault> {
        self.recordings.first(self.chain).map_err(fault)
    }

    /// Recorded numbers from `from` on, rising.
    pub(crate) fn numbers(
        &self,
        from: BlockNumber,
        limit: usize,
    ) -> Result<Vec<BlockNumber>, Fault> {
        self.recordings.numbers(self.chain, from, limit).map_err(fault)
    }

    pub(crate) fn number_of(&self, hash: &Hash) -> Result<Option<BlockNumber>, Fault> {
        self.recordings.number_of(self.chain, hash).map_err(fault)
    }

    /// The next recorded number from that one on.
    pub(crate) fn next_number(&self, from: BlockNumber) -> Result<Option<BlockNumber>, Fault> {
        let next = self.recordings.numbers(self.chain, from, 1).map_err(fault)?;
        Ok(next.first().copied())
    }

    /// Number of the block that a transaction is in: [`Recordings::number_of_transaction`].
    pub(crate) fn number_of_transaction(
        &self,
        transaction: &Hash,
        hashes: impl Fn(&Capture) -> Vec<Hash>,
    ) -> Result<Option<BlockNumber>, Fault> {
        self.recordings.number_of_transaction(self.chain, transaction, hashes).map_err(fault)
    }

    pub(crate) fn capture(&self, number: Option<BlockNumber>) -> Result<Option<Capture>, Fault> {
        let Some(number) = number else { return Ok(None) };
        self.recordings.load_capture(self.chain, number).map_err(fault)
    }
}

/// As many params as the method has.
pub(crate) fn exactly<const N: usize>(params: &[Value]) -> Result<&[Value; N], Fault> {
    let wrong = |_| Fault::params(format!("expected {N} params, got {}", params.len()));
    params.try_into().map_err(wrong)
}

pub(crate) fn integer(param: &Value, field: &str) -> Result<u64, Fault> {
    let wrong = || Fault::params(format!("{field} is no quantity, as 0x10"));
    param.as_str().and_then(parse_quantity).ok_or_else(wrong)
}

pub(crate) fn json(value: &impl Serialize) -> Outcome {
    to_raw_value(value).map_err(|_| unreadable())
}

pub(crate) fn unreadable() -> Fault {
    Fault::internal("the recording of this block cannot be read")
}

/// What a caller is told; the log says the rest.
pub(crate) fn fault(error: SourceError) -> Fault {
    let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
    tracing::warn!(cause, "a recording cannot be replayed: {error}");
    unreadable()
}
