//! Why a source gave no answer, or none that can be used.

use std::fmt;
use std::net::SocketAddr;

use superroot_types::{BlockNumber, ChainKey, Hash};

/// What the caller does about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// What the source sent is wrong: drop it, blame the source.
    Invalid,
    /// The source did not answer: retry with backoff.
    Unavailable,
    /// The caller asked for what this build cannot do, or we are at fault: stop.
    Bug,
}

/// Why a source gave no answer, or none that can be used. `source_name` is [`crate::Source::name`];
/// no variant holds a URL's path, query or user part.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// A folder or file cannot be read.
    #[error("cannot read {path}")]
    Io {
        /// The folder or file.
        path: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file is larger, unzipped, than a recording may be.
    #[error("{path} is too large, expected at most {expected} bytes")]
    FileTooLarge {
        /// The file.
        path: String,
        /// Largest size allowed, in bytes.
        expected: u64,
    },
    /// A file is not JSON of the shape expected.
    #[error("{path} is no recording")]
    FileShape {
        /// The file.
        path: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A file holds another block than its index says.
    #[error("{field} in {path} is {got}, expected {expected}")]
    FileMismatch {
        /// The file.
        path: String,
        /// The field.
        field: &'static str,
        /// Value in the file.
        got: String,
        /// Value in the index.
        expected: String,
    },
    /// A folder holds more entries, or nests deeper, than recordings may.
    #[error("{path} has more {what} than the {expected} allowed")]
    TooMany {
        /// The folder or file.
        path: String,
        /// What there is too much of.
        what: &'static str,
        /// Most allowed.
        expected: usize,
    },
    /// A folder to record into holds something else.
    #[error("{path} holds files but no index.json, expected an empty folder or a recording")]
    NoIndex {
        /// The folder.
        path: String,
    },
    /// There are no recordings of the chain.
    #[error("no block of {chain} is recorded")]
    NotRecorded {
        /// The chain.
        chain: ChainKey,
    },
    /// The address to serve on cannot be had.
    #[error("cannot serve on {address}")]
    Serve {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: std::io::Error,
    },
    /// A node's address is no URL that can be used.
    #[error("the node's url is of no use: {why}")]
    Url {
        /// What is wrong, without the URL.
        why: &'static str,
    },
    /// HTTP cannot be set up.
    #[error("cannot set up http: {why}")]
    Setup {
        /// What is wrong.
        why: String,
    },
    /// The node cannot be reached, or the connection broke.
    #[error("{source_name} cannot be reached for {method}: {why}")]
    Unreachable {
        /// The source.
        source_name: String,
        /// JSON-RPC method.
        method: &'static str,
        /// What went wrong, without the URL.
        why: String,
    },
    /// The answer was not complete in time.
    #[error("{source_name} did not finish {method} within {timeout_ms} ms")]
    Timeout {
        /// The source.
        source_name: String,
        /// JSON-RPC method.
        method: &'static str,
        /// Time allowed, in milliseconds.
        timeout_ms: u64,
    },
    /// The node answered with an HTTP status other than 200.
    #[error("{source_name} answered {method} with http status {got}, expected 200")]
    Status {
        /// The source.
        source_name: String,
        /// JSON-RPC method.
        method: &'static str,
        /// HTTP status.
        got: u16,
    },
    /// The answer is larger than allowed.
    #[error("{source_name} answered {method} with more than the {expected} bytes allowed")]
    BodyTooLarge {
        /// The source.
        source_name: String,
        /// JSON-RPC method.
        method: &'static str,
        /// Largest size allowed, in bytes.
        expected: usize,
    },
    /// The answer is no JSON-RPC answer: not JSON, or not an object.
    #[error("{source_name} answered {method} with no json-rpc, but {got:?}")]
    NotJsonRpc {
        /// The source.
        source_name: String,
        /// JSON-RPC method.
        method: &'static str,
        /// How the answer begins.
        got: String,
    },
    /// The node refuses the call.
    #[error("{source_name} refused {method} with error {code}: {message:?}")]
    Refused {
        /// The source.
        source_name: String,
        /// JSON-RPC method.
        method: &'static str,
        /// JSON-RPC error code.
        code: i64,
        /// The node's words, cut short and without the URL's secrets.
        message: String,
    },
    /// The result is not of the shape that the method has.
    #[error("{source_name} answered {method} in another shape: {why}")]
    Shape {
        /// The source.
        source_name: String,
        /// JSON-RPC method.
        method: &'static str,
        /// What is wrong.
        why: String,
    },
    /// A value in an answer is not the one asked for.
    #[error("{source_name} answered {method} with {field} {got}, expected {expected}")]
    Mismatch {
        /// The source.
        source_name: String,
        /// JSON-RPC method.
        method: &'static str,
        /// The field.
        field: &'static str,
        /// Value found.
        got: String,
        /// Value expected.
        expected: String,
    },
    /// The node wants fewer calls.
    #[error("{source_name} wants fewer calls, {method} was not answered")]
    Limited {
        /// The source.
        source_name: String,
        /// JSON-RPC method.
        method: &'static str,
        /// How long it asks to be left alone, in milliseconds, where it says so.
        retry_after_ms: Option<u64>,
    },
    /// A live node where recordings are replayed was expected.
    #[error("{source_name} is a live node ({client:?}), expected a replay server")]
    NotReplay {
        /// The source.
        source_name: String,
        /// What the node says it is.
        client: String,
    },
    /// A replay server where a live node was expected.
    #[error("{source_name} replays recordings ({client:?}), expected a live node")]
    NotLive {
        /// The source.
        source_name: String,
        /// What the node says it is.
        client: String,
    },
    /// Nodes of the chain's family cannot be asked by this build.
    #[error("live nodes of {chain} cannot be read by this build")]
    NoDialect {
        /// The chain.
        chain: ChainKey,
    },
    /// No node may be asked now.
    #[error("no node of {chain} can be asked now: {why}")]
    NoEndpoint {
        /// The chain.
        chain: ChainKey,
        /// How each of them fares.
        why: String,
    },
    /// Fewer nodes than must agree call a block final.
    #[error("{got} nodes of {chain} agree on {}, expected {expected} of {of}", final_block(*number))]
    TooFewAgree {
        /// The chain.
        chain: ChainKey,
        /// The block; none where too few name any final block.
        number: Option<BlockNumber>,
        /// How many agree.
        got: usize,
        /// How many must.
        expected: usize,
        /// How many there are.
        of: usize,
    },
    /// Too few nodes executed a contract call, or they do not agree on what it returns.
    #[error("{got} nodes of {chain} agree on what a contract returns, expected {expected} of {of}")]
    NoAgreedCall {
        /// The chain.
        chain: ChainKey,
        /// How many agree.
        got: usize,
        /// How many must.
        expected: usize,
        /// How many there are.
        of: usize,
    },
    /// There is no node that executes contracts.
    #[error("contracts of {chain} cannot be called here")]
    NoCalls {
        /// The chain.
        chain: ChainKey,
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
    /// The chain cannot be simulated: its rules or its encoding are not Ethereum's.
    #[error("{chain} cannot be simulated, only chains with ethereum's rules can")]
    NotSimulated {
        /// The chain.
        chain: ChainKey,
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
    /// Work of ours panicked.
    #[error("work of a source panicked")]
    Panicked,
    /// The runtime stops.
    #[error("the source is shutting down")]
    ShuttingDown,
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

/// JSON-RPC codes that blame the call or its answer for good; others may pass.
const LASTING_CODES: std::ops::RangeInclusive<i64> = -32602..=-32600;

impl SourceError {
    /// What the caller does about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Io { source, .. } if is_about_content(source) => ErrorKind::Invalid,
            Self::Io { .. }
            | Self::Serve { .. }
            | Self::Unreachable { .. }
            | Self::Timeout { .. }
            | Self::Status { .. }
            | Self::Limited { .. }
            | Self::NoEndpoint { .. }
            | Self::TooFewAgree { .. }
            | Self::NoAgreedCall { .. }
            | Self::Disagreement(_)
            | Self::Inconsistent { .. }
            | Self::ShuttingDown => ErrorKind::Unavailable,
            Self::Refused { code, .. } if LASTING_CODES.contains(code) => ErrorKind::Invalid,
            Self::Refused { .. } => ErrorKind::Unavailable,
            Self::FileTooLarge { .. }
            | Self::FileShape { .. }
            | Self::FileMismatch { .. }
            | Self::TooMany { .. }
            | Self::NotRecorded { .. }
            | Self::NoIndex { .. }
            | Self::BodyTooLarge { .. }
            | Self::NotJsonRpc { .. }
            | Self::Shape { .. }
            | Self::Mismatch { .. } => ErrorKind::Invalid,
            Self::Url { .. }
            | Self::Setup { .. }
            | Self::NotReplay { .. }
            | Self::NotLive { .. }
            | Self::NoDialect { .. }
            | Self::NoCalls { .. }
            | Self::NotSimulated { .. }
            | Self::Config { .. }
            | Self::Panicked => ErrorKind::Bug,
        }
    }
}

fn final_block(number: Option<BlockNumber>) -> String {
    number.map_or_else(|| "any final block".into(), |number| format!("final block {number}"))
}

/// Whether the bytes read are at fault (a broken archive), not the reading.
fn is_about_content(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(code: i64) -> SourceError {
        let (source_name, message) = ("http://node:1".into(), "no".into());
        SourceError::Refused { source_name, method: "eth_chainId", code, message }
    }

    #[test]
    fn what_may_pass_is_unavailable_and_what_stays_is_not() {
        assert_eq!(refused(-32601).kind(), ErrorKind::Invalid);
        assert_eq!(refused(-32005).kind(), ErrorKind::Unavailable);
        assert_eq!(SourceError::ShuttingDown.kind(), ErrorKind::Unavailable);
        assert_eq!(SourceError::Panicked.kind(), ErrorKind::Bug);
        assert_eq!(SourceError::Url { why: "it is empty" }.kind(), ErrorKind::Bug);
    }

    #[test]
    fn a_message_names_source_method_and_cause() {
        let told = r#"http://node:1 refused eth_chainId with error -32601: "no""#;
        assert_eq!(refused(-32601).to_string(), told);
    }
}
