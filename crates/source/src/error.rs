//! Why a source gave no answer, or none that can be used.

use std::fmt;
use std::net::SocketAddr;

use superroot_types::{BlockNumber, ChainKey, ErrorKind, Hash, Network};

use crate::BodyFault;

/// Why a source gave no answer, or none that can be used. `source_name` is [`crate::Source::name`] or
/// the name of a node; no variant holds a URL's path, query or user part.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// A folder or file cannot be read or written.
    #[error("cannot read {path}")]
    Io {
        /// The folder or file.
        path: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// A folder or file is not what a recording must be.
    #[error("{path} {why}")]
    Recording {
        /// The folder or file.
        path: String,
        /// What is wrong with it: `is too large, expected at most 100 bytes`.
        why: String,
    },
    /// There are no recordings of the chain.
    #[error("no block of {0} is recorded")]
    NotRecorded(ChainKey),
    /// The address to serve on cannot be had.
    #[error("cannot serve on {address}")]
    Serve {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: std::io::Error,
    },
    /// What was asked for or configured cannot be done, whatever nodes answer.
    #[error("{what} {why}")]
    Setup {
        /// What cannot be used.
        what: String,
        /// Why, without a URL: `has no host`.
        why: String,
    },
    /// A configured value is out of range.
    #[error("{field} is {got}, expected {expected}")]
    Config {
        /// The key.
        field: &'static str,
        /// Value found.
        got: u64,
        /// What it must be.
        expected: &'static str,
    },
    /// Nodes of the chain's ledger cannot be asked by this build.
    #[error("live nodes of {0} cannot be read by this build")]
    NoDialect(ChainKey),
    /// A call of a node has no answer of use.
    #[error("{source_name}, asked for {method}: {fault}")]
    Call {
        /// The node.
        source_name: String,
        /// What was asked: a method, or `a block`.
        method: &'static str,
        /// What went wrong.
        fault: Fault,
    },
    /// No node may be asked now.
    #[error("no node of {chain} can be asked now: {why}")]
    NoEndpoint {
        /// The chain.
        chain: ChainKey,
        /// How each of them fares.
        why: String,
    },
    /// Nodes were asked, and none of them answered in time.
    #[error("no node of {chain} answered within {timeout_ms} ms, of {asked} that were asked")]
    NoAnswer {
        /// The chain.
        chain: ChainKey,
        /// How many were asked.
        asked: usize,
        /// Time allowed, in milliseconds.
        timeout_ms: u64,
    },
    /// Fewer operators than must agree say the same.
    #[error("{on}: {got} of {of} nodes of {chain} agree, expected {expected}")]
    TooFewAgree {
        /// The chain.
        chain: ChainKey,
        /// What they would agree on.
        on: AgreeOn,
        /// How many agree.
        got: usize,
        /// How many must.
        expected: usize,
        /// How many there are.
        of: usize,
    },
    /// Nodes call different blocks of one number final.
    #[error("{0}")]
    Disagreement(Box<Disagreement>),
    /// A node that is believed alone gave two answers about one block: machines behind its address are
    /// of different minds.
    #[error(
        "{source_name} contradicts itself: it has {got} and {expected} as block {number}, and \
         is believed alone"
    )]
    Inconsistent {
        /// The node.
        source_name: String,
        /// The block.
        number: BlockNumber,
        /// Hash of the one answer.
        got: Hash,
        /// Hash that follows from the other.
        expected: Hash,
    },
    /// There is no node that executes contracts.
    #[error("no node of the chain executes contracts")]
    NoCalls,
    /// Work of ours panicked.
    #[error("work of a source panicked")]
    Panicked,
    /// The runtime stops.
    #[error("the source is shutting down")]
    ShuttingDown,
}

/// What nodes would agree on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgreeOn {
    /// A final block of that number.
    Block(BlockNumber),
    /// Any final block.
    Final,
    /// Any final block, which so many nodes do not name: they refuse the call, and what to do.
    FinalRefused {
        /// How many refuse to name one.
        refusing: usize,
        /// The call that they refuse.
        call: &'static str,
    },
    /// What a contract returns.
    ContractCall,
    /// What gas costs.
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

/// Who calls which of two blocks of one number final.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The chain.
    pub chain: ChainKey,
    /// The number.
    pub number: BlockNumber,
    /// The hash that most nodes have.
    pub hash: Hash,
    /// Their names.
    pub sources: Vec<String>,
    /// The hash that most of the others have.
    pub other_hash: Hash,
    /// Their names.
    pub other_sources: Vec<String>,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { chain, number, hash, other_hash, .. } = self;
        let (sources, other_sources) = (self.sources.join(", "), self.other_sources.join(", "));
        write!(
            f,
            "nodes of {chain} disagree on final block {number}: {sources} have {hash}, \
             {other_sources} have {other_hash}"
        )
    }
}

/// What can be wrong with one call. Its texts are cut short and hold no secret of the node's address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// No connection, or a broken one.
    #[error("cannot be reached: {0}")]
    Unreachable(String),
    /// No whole answer in time, in milliseconds.
    #[error("no answer within {0} ms")]
    Timeout(u64),
    /// An HTTP status other than 200, and how the body begins.
    #[error("http status {got}{}", said(text))]
    Status {
        /// The status.
        got: u16,
        /// How the body begins; may be empty.
        text: String,
    },
    /// More bytes than allowed.
    #[error("an answer of more than {0} bytes")]
    TooLarge(usize),
    /// No answer of the protocol; how it begins.
    #[error("no json-rpc, but {0:?}")]
    NotJsonRpc(String),
    /// Fewer calls are wanted; for how long in milliseconds, where the node says it.
    #[error("it asks for fewer calls")]
    Limited(Option<u64>),
    /// The node refuses the call.
    #[error("error {code}: {message:?}")]
    Refused {
        /// JSON-RPC error code.
        code: i64,
        /// The node's words.
        message: String,
    },
    /// The batch's answer lacks this call, or has it twice.
    #[error("{0}")]
    Missing(&'static str),
    /// A value is not the one asked for.
    #[error("{field} is {got}, expected {expected}")]
    Mismatch {
        /// The field.
        field: &'static str,
        /// Value found.
        got: String,
        /// Value expected.
        expected: String,
    },
    /// A result of another shape than the method has.
    #[error("an answer of another shape: {0}")]
    Shape(String),
    /// The node has a block, and not its receipts.
    #[error("{}", crate::LACKS_RECEIPTS)]
    NoReceipts,
    /// The node gives a block without a part of its body, and why.
    #[error("a block without all of its body: {0}")]
    NoBody(String),
}

/// JSON-RPC codes that blame the call or its answer for good; others may pass.
const LASTING_CODES: std::ops::RangeInclusive<i64> = -32602..=-32600;

impl Fault {
    /// The error that a caller of the source sees.
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

/// What a node was asked for that has no such block.
pub(crate) const NO_BLOCK: &str = "block";

impl SourceError {
    /// What the caller does about it.
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

    /// What went wrong with the call, where it was one.
    #[must_use]
    pub const fn fault(&self) -> Option<&Fault> {
        if let Self::Call { fault, .. } = self { Some(fault) } else { None }
    }

    /// Whether all that were asked for a block's hash have no such block, as far as they answered.
    #[must_use]
    pub fn lacks_block(&self) -> bool {
        matches!(self.fault(), Some(Fault::Mismatch { field: NO_BLOCK, .. }))
    }

    /// Whether the answer may be about the body of a block alone, so that its header may still be had.
    pub(crate) const fn may_be_of_body(&self) -> bool {
        match self.fault() {
            Some(
                Fault::Status { .. }
                | Fault::TooLarge(_)
                | Fault::NotJsonRpc(_)
                | Fault::Refused { .. }
                | Fault::Missing(_)
                | Fault::Shape(_),
            ) => true,
            Some(
                Fault::Unreachable(_)
                | Fault::Timeout(_)
                | Fault::Limited(_)
                | Fault::Mismatch { .. }
                | Fault::NoReceipts
                | Fault::NoBody(_),
            )
            | None => false,
        }
    }

    /// What was configured cannot be used.
    pub(crate) fn setup(what: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Setup { what: what.into(), why: why.into() }
    }

    /// A folder or file is no recording.
    pub(crate) fn recording(path: &std::path::Path, why: impl Into<String>) -> Self {
        Self::Recording { path: path.display().to_string(), why: why.into() }
    }

    pub(crate) fn io(path: &std::path::Path, source: std::io::Error) -> Self {
        Self::Io { path: path.display().to_string(), source }
    }
}

impl From<&SourceError> for BodyFault {
    fn from(error: &SourceError) -> Self {
        match error {
            SourceError::Call { method, fault: fault @ Fault::Shape(_), .. } => {
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

impl BodyFault {
    /// The error of a caller who asked for all of a block.
    pub(crate) fn into_error(self, sender: &str, network: Network) -> SourceError {
        let (Self::Unreadable(why) | Self::Unavailable(why)) = &self;
        match &self {
            _ if network == Network::Recorded => {
                SourceError::Recording { path: sender.to_owned(), why: why.clone() }
            }
            Self::Unreadable(why) => Fault::Shape(why.clone()).into_error(sender, "a block"),
            Self::Unavailable(why) => Fault::NoBody(why.clone()).into_error(sender, "a block"),
        }
    }
}

/// What came along, where anything did.
fn said(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(": {text:?}") }
}

/// Whether the bytes read are at fault (a broken archive), not the reading.
fn is_about_content(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(fault: Fault) -> SourceError {
        fault.into_error("http://node:1", "eth_chainId")
    }

    fn refused(code: i64) -> SourceError {
        call(Fault::Refused { code, message: "no".into() })
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
            Fault::Unreachable(text()),
            Fault::Timeout(1),
            Fault::Status { got: 500, text: text() },
            Fault::TooLarge(1),
            Fault::NotJsonRpc(text()),
            Fault::Limited(None),
            Fault::Missing("m"),
            Fault::Mismatch { field: "f", got: text(), expected: text() },
            Fault::Shape(text()),
            Fault::NoReceipts,
            Fault::NoBody(text()),
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
