//! Errors of sources.

use std::fmt;
use std::net::SocketAddr;

use superroot_types::{BlockNumber, ChainKey, ErrorKind, Hash, Network};

use crate::MissingBody;

/// Reason for a missing or unusable answer. `source_name` is [`crate::BlockSource::name`] or a node name; no variant
/// contains a URL path, query or user part.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// A folder or file cannot be read or written.
    #[error("cannot read {path}")]
    Io { path: String, source: std::io::Error },
    /// A folder or file is not a valid recording.
    #[error("{path} {why}")]
    Recording {
        path: String,
        /// Fault: `is too large, expected at most 100 bytes`.
        why: String,
    },
    #[error("no block of {0} is recorded")]
    NotRecorded(ChainKey),
    /// The server cannot bind to the address.
    #[error("cannot serve on {address}")]
    Serve { address: SocketAddr, source: std::io::Error },
    /// A request or configuration is impossible, whatever nodes answer.
    #[error("{what} {why}")]
    Setup {
        /// Unusable part.
        what: String,
        /// Reason, without a URL: `has no host`.
        why: String,
    },
    /// A configured value is out of range.
    #[error("{field} is {got}, expected {expected}")]
    Config {
        field: &'static str,
        got: u64,
        /// Valid range.
        expected: &'static str,
    },
    /// This build cannot query nodes of the chain's ledger.
    #[error("live nodes of {0} cannot be read by this build")]
    NoDialect(ChainKey),
    /// A call to a node has no usable answer.
    #[error("{source_name}, asked for {method}: {fault}")]
    Call {
        source_name: String,
        /// Requested method, or `a block`.
        method: &'static str,
        fault: CallFault,
    },
    /// No node may be asked now.
    #[error("no node of {chain} can be asked now: {why}")]
    NoEndpoint {
        chain: ChainKey,
        /// State of each node.
        why: String,
    },
    /// No asked node answered in time.
    #[error("no node of {chain} answered within {timeout_ms} ms, of {asked} that were asked")]
    NoAnswer {
        chain: ChainKey,
        asked: usize,
        /// Time limit, in milliseconds.
        timeout_ms: u64,
    },
    /// Too few operators agree.
    #[error("{on}: {got} of {of} nodes of {chain} agree, expected {expected}")]
    TooFewAgree {
        chain: ChainKey,
        /// The agreement's subject.
        on: AgreeOn,
        /// Agreeing operators.
        got: usize,
        /// Operators required.
        expected: usize,
        /// Operators in total.
        of: usize,
    },
    /// Nodes report different final blocks for the same number.
    #[error("{0}")]
    Disagreement(Box<FinalityDisagreement>),
    /// A single trusted node gave two different answers about the same block: machines behind the address disagree.
    #[error(
        "{source_name} contradicts itself: it has {got} and {expected} as block {number}, and \
         is believed alone"
    )]
    Inconsistent {
        source_name: String,
        number: BlockNumber,
        /// Hash in the first answer.
        got: Hash,
        /// Hash implied by the other answer.
        expected: Hash,
    },
    #[error("no node of the chain executes contracts")]
    NoCalls,
    #[error("work of a source panicked")]
    Panicked,
    #[error("the source is shutting down")]
    ShuttingDown,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgreeOn {
    Block(BlockNumber),
    Final,
    /// Any final block, with nodes that refuse the call for the final block; the text says what to do.
    FinalRefused {
        /// Number of nodes without a final block because of the refusal.
        refusing: usize,
        call: &'static str,
    },
    ContractCall,
    GasPrice,
}

impl fmt::Display for AgreeOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Block(number) => write!(f, "final block {number}"),
            Self::Final => f.write_str("the final block"),
            Self::FinalRefused { refusing, call } => write!(
                f,
                "the final block ({refusing} {} {call}: name nodes that have it, or set finality of \
                 the chain to latest or a number of confirmations)",
                if *refusing == 1 { "node refuses" } else { "nodes refuse" },
            ),
            Self::ContractCall => f.write_str("what a contract returns"),
            Self::GasPrice => f.write_str("what gas costs"),
        }
    }
}

/// Two conflicting final blocks with the same number, and the nodes behind each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinalityDisagreement {
    pub chain: ChainKey,
    pub number: BlockNumber,
    /// Hash from most nodes.
    pub hash: Hash,
    /// Names of nodes with `hash`.
    pub sources: Vec<String>,
    /// Hash from most other nodes.
    pub other_hash: Hash,
    /// Names of nodes with `other_hash`.
    pub other_sources: Vec<String>,
}

impl fmt::Display for FinalityDisagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { chain, number, hash, other_hash, .. } = self;
        let sources = self.sources.join(", ");
        let other_sources = self.other_sources.join(", ");
        write!(
            f,
            "nodes of {chain} disagree on final block {number}: {sources} have {hash}, \
             {other_sources} have {other_hash}"
        )
    }
}

/// A single call's fault. Texts are truncated and contain no secret part of the node's address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallFault {
    #[error("cannot be reached: {0}")]
    Unreachable(String),
    /// No complete answer in time, in milliseconds.
    #[error("no answer within {0} ms")]
    Timeout(u64),
    /// HTTP status other than 200.
    #[error("http status {got}{}", said(text))]
    Status {
        got: u16,
        /// The body's beginning; may be empty.
        text: String,
    },
    /// More bytes than allowed.
    #[error("an answer of more than {0} bytes")]
    TooLarge(usize),
    /// Not a valid JSON-RPC answer; beginning of the text.
    #[error("no json-rpc, but {0:?}")]
    NotJsonRpc(String),
    /// The node demands fewer calls; pause in milliseconds, if stated.
    #[error("it asks for fewer calls")]
    Limited(Option<u64>),
    #[error("error {code}: {message:?}")]
    Refused { code: i64, message: String },
    /// The batch answer omits or repeats this call.
    #[error("{0}")]
    Missing(&'static str),
    /// A value differs from the requested value.
    #[error("{field} is {got}, expected {expected}")]
    Mismatch { field: &'static str, got: String, expected: String },
    /// Result with the wrong shape for the method.
    #[error("an answer of another shape: {0}")]
    Shape(String),
    /// The node has the block, but no receipts.
    #[error("{}", crate::LACKS_RECEIPTS)]
    NoReceipts,
    /// The node sent a block without a part of the body; reason.
    #[error("a block without all of its body: {0}")]
    NoBody(String),
}

/// JSON-RPC codes for permanent faults in the call or answer; other codes may be temporary.
const LASTING_CODES: std::ops::RangeInclusive<i64> = -32602..=-32600;

impl CallFault {
    pub(crate) fn into_error(self, source_name: &str, method: &'static str) -> SourceError {
        SourceError::Call { source_name: source_name.to_owned(), method, fault: self }
    }

    fn kind(&self) -> ErrorKind {
        match self {
            Self::Unreachable(_) | Self::Timeout(_) | Self::Status { .. } | Self::Limited(_) => {
                ErrorKind::Unavailable
            }
            Self::Refused { code, .. } if !LASTING_CODES.contains(code) => ErrorKind::Unavailable,
            Self::Refused { .. }
            | Self::TooLarge(_)
            | Self::NotJsonRpc(_)
            | Self::Missing(_)
            | Self::Mismatch { .. }
            | Self::Shape(_)
            | Self::NoReceipts
            | Self::NoBody(_) => ErrorKind::Invalid,
        }
    }
}

/// Call label for a missing block.
pub(crate) const NO_BLOCK: &str = "block";

impl SourceError {
    /// Error kind, for the caller's reaction.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Call { fault, .. } => fault.kind(),
            Self::Io { source, .. } if is_about_content(source) => ErrorKind::Invalid,
            Self::Recording { .. } | Self::NotRecorded(_) => ErrorKind::Invalid,
            Self::Io { .. }
            | Self::Serve { .. }
            | Self::NoEndpoint { .. }
            | Self::NoAnswer { .. }
            | Self::TooFewAgree { .. }
            | Self::Disagreement(_)
            | Self::Inconsistent { .. }
            | Self::ShuttingDown => ErrorKind::Unavailable,
            Self::Setup { .. }
            | Self::Config { .. }
            | Self::NoDialect(_)
            | Self::NoCalls
            | Self::Panicked => ErrorKind::Bug,
        }
    }

    #[must_use]
    pub const fn fault(&self) -> Option<&CallFault> {
        if let Self::Call { fault, .. } = self { Some(fault) } else { None }
    }

    /// Whether no asked node that answered has the requested block hash.
    #[must_use]
    pub fn lacks_block(&self) -> bool {
        matches!(self.fault(), Some(CallFault::Mismatch { field: NO_BLOCK, .. }))
    }

    /// Whether only the block body may be affected, so the header may still be available.
    pub(crate) const fn may_be_of_body(&self) -> bool {
        match self.fault() {
            Some(
                CallFault::Status { .. }
                | CallFault::TooLarge(_)
                | CallFault::NotJsonRpc(_)
                | CallFault::Refused { .. }
                | CallFault::Missing(_)
                | CallFault::Shape(_),
            ) => true,
            Some(
                CallFault::Unreachable(_)
                | CallFault::Timeout(_)
                | CallFault::Limited(_)
                | CallFault::Mismatch { .. }
                | CallFault::NoReceipts
                | CallFault::NoBody(_),
            )
            | None => false,
        }
    }

    pub(crate) fn setup(what: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Setup { what: what.into(), why: why.into() }
    }

    pub(crate) fn recording(path: &std::path::Path, why: impl Into<String>) -> Self {
        Self::Recording { path: path.display().to_string(), why: why.into() }
    }

    pub(crate) fn io(path: &std::path::Path, source: std::io::Error) -> Self {
        Self::Io { path: path.display().to_string(), source }
    }
}

impl From<&SourceError> for MissingBody {
    fn from(error: &SourceError) -> Self {
        match error {
            SourceError::Call { method, fault: fault @ CallFault::Shape(_), .. } => {
                Self::Unreadable(format!("{method}: {fault}"))
            }
            SourceError::Call { method, fault, .. } => {
                Self::Unavailable(format!("{method}: {fault}"))
            }
            SourceError::Recording { why, .. } => Self::Unreadable(why.clone()),
            error => Self::Unavailable(error.to_string()),
        }
    }
}

impl MissingBody {
    /// Error for a caller who requested the whole block.
    pub(crate) fn into_error(self, sender: &str, network: Network) -> SourceError {
        let (Self::Unreadable(why) | Self::Unavailable(why)) = &self;
        match &self {
            _ if network == Network::Recorded => {
                SourceError::Recording { path: sender.to_owned(), why: why.clone() }
            }
            Self::Unreadable(why) => CallFault::Shape(why.clone()).into_error(sender, "a block"),
            Self::Unavailable(why) => CallFault::NoBody(why.clone()).into_error(sender, "a block"),
        }
    }
}

fn said(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(": {text:?}") }
}

/// Whether the content is at fault (a broken archive), not the read.
fn is_about_content(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(fault: CallFault) -> SourceError {
        fault.into_error("http://node:1", "eth_chainId")
    }

    fn refused(code: i64) -> SourceError {
        call(CallFault::Refused { code, message: "no".into() })
    }

    #[test]
    fn what_may_pass_is_asked_again_and_what_stays_is_not() {
        assert_eq!(refused(-32601).kind(), ErrorKind::Invalid);
        assert_eq!(refused(-32005).kind(), ErrorKind::Unavailable);
        assert_eq!(SourceError::ShuttingDown.kind(), ErrorKind::Unavailable);
        assert_eq!(SourceError::Panicked.kind(), ErrorKind::Bug);
        assert_eq!(SourceError::setup("the node's url", "is empty").kind(), ErrorKind::Bug);
    }

    /// Else one node could stop a chain, and nobody but a person could let it go on.
    #[test]
    fn nothing_that_a_node_can_cause_is_a_bug() {
        let text = String::new;
        let faults = [
            CallFault::Unreachable(text()),
            CallFault::Timeout(1),
            CallFault::Status { got: 500, text: text() },
            CallFault::TooLarge(1),
            CallFault::NotJsonRpc(text()),
            CallFault::Limited(None),
            CallFault::Missing("m"),
            CallFault::Mismatch { field: "f", got: text(), expected: text() },
            CallFault::Shape(text()),
            CallFault::NoReceipts,
            CallFault::NoBody(text()),
        ];
        let refused = [i64::MIN, -32700, -32602, -32601, -32005, 0, i64::MAX].map(refused);
        for error in faults.map(call).into_iter().chain(refused) {
            assert_ne!(error.kind(), ErrorKind::Bug, "{error:?}");
        }
    }

    #[test]
    fn a_message_names_source_method_and_cause() {
        let told = r#"http://node:1, asked for eth_chainId: error -32601: "no""#;
        assert_eq!(refused(-32601).to_string(), told);
    }
}
