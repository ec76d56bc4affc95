//! Why a source gave no answer, or none that can be used.

use std::fmt;
use std::net::SocketAddr;

use superroot_types::{BlockNumber, ChainKey, ErrorKind, Family, Hash};

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
    #[error("{source_name} answered {method} with http status {got}, expected 200{}", said(text))]
    Status {
        /// The source.
        source_name: String,
        /// JSON-RPC method.
        method: &'static str,
        /// HTTP status.
        got: u16,
        /// How its body begins, cut short and without the URL's secrets; may be empty.
        text: String,
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
    /// Nodes were asked, and none of them answered in time.
    #[error("{} of {chain} that {} within {timeout_ms} ms", asked_nodes(*asked), answered(*asked))]
    NoAnswer {
        /// The chain.
        chain: ChainKey,
        /// How many were asked.
        asked: usize,
        /// Time allowed, in milliseconds.
        timeout_ms: u64,
    },
    /// Fewer nodes than must agree call a block final.
    #[error(
        "{got} {} of {chain} {} on {}, expected {expected} of {of}",
        if *got == 1 { "node" } else { "nodes" },
        if *got == 1 { "agrees" } else { "agree" },
        final_block(*number)
    )]
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
    /// Too few nodes name a final block, since others refuse to.
    #[error(
        "{refusing} of {of} nodes of {chain} refuse eth_getBlockByNumber(\"finalized\"), {got} name a \
         final block, expected {expected}: name nodes that have it, or set finality of the chain to \
         latest or a number of confirmations"
    )]
    NoFinalTag {
        /// The chain.
        chain: ChainKey,
        /// How many refuse to name it.
        refusing: usize,
        /// How many name one.
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
    #[error("no node of the chain executes contracts")]
    NoCalls,
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
    /// Final blocks are asked for by a word that the chain's nodes do not have.
    #[error(
        "finality is {got:?}, expected a number of confirmations: nodes of the {family} family \
             have no tags"
    )]
    FinalityWord {
        /// The word.
        got: &'static str,
        /// Family of the chain.
        family: Family,
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
            | Self::NoAnswer { .. }
            | Self::TooFewAgree { .. }
            | Self::NoFinalTag { .. }
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
            | Self::NotReplay { .. }
            | Self::NotLive { .. }
            | Self::Mismatch { .. } => ErrorKind::Invalid,
            Self::Url { .. }
            | Self::Setup { .. }
            | Self::NoDialect { .. }
            | Self::NoCalls
            | Self::NotSimulated { .. }
            | Self::FinalityWord { .. }
            | Self::Config { .. }
            | Self::Panicked => ErrorKind::Bug,
        }
    }
}

fn final_block(number: Option<BlockNumber>) -> String {
    number.map_or_else(|| "any final block".into(), |number| format!("final block {number}"))
}

/// What came along, where anything did.
pub(crate) fn said(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(": {text:?}") }
}

/// Whether the bytes read are at fault (a broken archive), not the reading.
fn is_about_content(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof)
}

const fn answered(asked: usize) -> &'static str {
    if asked == 1 { "was asked did not answer" } else { "were asked answered" }
}

fn asked_nodes(asked: usize) -> String {
    if asked == 1 { "the one node".to_owned() } else { format!("none of {asked} nodes") }
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

    /// Who can bring an error about.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Cause {
        /// What a node sends, or does not send; or what a recording holds.
        Node,
        /// What an operator asked for or configured, before any node is asked.
        Operator,
        /// This program.
        Ours,
    }

    /// A place for each variant, in the order of the enum, and its cause. Exhaustive: a new variant
    /// does not compile before somebody has said who can cause it.
    fn place_and_cause(error: &SourceError) -> (usize, Cause) {
        match error {
            SourceError::Io { .. } => (0, Cause::Node),
            SourceError::FileTooLarge { .. } => (1, Cause::Node),
            SourceError::FileShape { .. } => (2, Cause::Node),
            SourceError::FileMismatch { .. } => (3, Cause::Node),
            SourceError::TooMany { .. } => (4, Cause::Node),
            SourceError::NoIndex { .. } => (5, Cause::Node),
            SourceError::NotRecorded { .. } => (6, Cause::Node),
            SourceError::Serve { .. } => (7, Cause::Node),
            SourceError::Url { .. } => (8, Cause::Operator),
            SourceError::Setup { .. } => (9, Cause::Operator),
            SourceError::Unreachable { .. } => (10, Cause::Node),
            SourceError::Timeout { .. } => (11, Cause::Node),
            SourceError::Status { .. } => (12, Cause::Node),
            SourceError::BodyTooLarge { .. } => (13, Cause::Node),
            SourceError::NotJsonRpc { .. } => (14, Cause::Node),
            SourceError::Refused { .. } => (15, Cause::Node),
            SourceError::Shape { .. } => (16, Cause::Node),
            SourceError::Mismatch { .. } => (17, Cause::Node),
            SourceError::Limited { .. } => (18, Cause::Node),
            SourceError::NotReplay { .. } => (19, Cause::Node),
            SourceError::NotLive { .. } => (20, Cause::Node),
            SourceError::NoDialect { .. } => (21, Cause::Operator),
            SourceError::NoEndpoint { .. } => (22, Cause::Node),
            SourceError::TooFewAgree { .. } => (23, Cause::Node),
            SourceError::Disagreement(_) => (24, Cause::Node),
            SourceError::Inconsistent { .. } => (25, Cause::Node),
            SourceError::NotSimulated { .. } => (26, Cause::Operator),
            SourceError::Config { .. } => (27, Cause::Operator),
            SourceError::Panicked => (28, Cause::Ours),
            SourceError::ShuttingDown => (29, Cause::Node),
            SourceError::NoAnswer { .. } => (30, Cause::Node),
            SourceError::NoAgreedCall { .. } => (31, Cause::Node),
            SourceError::NoCalls => (32, Cause::Operator),
            SourceError::FinalityWord { .. } => (33, Cause::Operator),
            SourceError::NoFinalTag { .. } => (34, Cause::Node),
        }
    }

    const VARIANTS: usize = 35;

    fn every_variant() -> Vec<SourceError> {
        use superroot_types::{ChainId, Family};
        let chain = ChainKey { family: Family::Evm, id: ChainId(1) };
        let (number, hash) = (BlockNumber(1), Hash::ZERO);
        let (path, source_name, method) = (String::new, String::new, "m");
        let io = || std::io::Error::from(std::io::ErrorKind::NotFound);
        let json = serde_json::from_str::<u8>("x").unwrap_err();
        let (got, expected, field) = (String::new, String::new, "f");
        let why = String::new;
        let disagreement = Disagreement {
            chain,
            number,
            hash,
            sources: Vec::new(),
            other_hash: hash,
            other_sources: Vec::new(),
        };
        let mut errors = vec![
            SourceError::Io { path: path(), source: io() },
            SourceError::Io { path: path(), source: std::io::ErrorKind::InvalidData.into() },
            SourceError::FileTooLarge { path: path(), expected: 1 },
            SourceError::FileShape { path: path(), source: json },
            SourceError::FileMismatch { path: path(), field, got: got(), expected: expected() },
            SourceError::TooMany { path: path(), what: "w", expected: 1 },
            SourceError::NoIndex { path: path() },
            SourceError::NotRecorded { chain },
            SourceError::Serve { address: ([127, 0, 0, 1], 0).into(), source: io() },
            SourceError::Url { why: "w" },
            SourceError::Setup { why: why() },
            SourceError::Unreachable { source_name: source_name(), method, why: why() },
            SourceError::Timeout { source_name: source_name(), method, timeout_ms: 1 },
            SourceError::Status { source_name: source_name(), method, got: 500, text: why() },
            SourceError::BodyTooLarge { source_name: source_name(), method, expected: 1 },
            SourceError::NotJsonRpc { source_name: source_name(), method, got: got() },
            SourceError::Shape { source_name: source_name(), method, why: why() },
            SourceError::Mismatch {
                source_name: source_name(),
                method,
                field,
                got: got(),
                expected: expected(),
            },
            SourceError::Limited { source_name: source_name(), method, retry_after_ms: None },
            SourceError::NotReplay { source_name: source_name(), client: String::new() },
            SourceError::NotLive { source_name: source_name(), client: String::new() },
            SourceError::NoDialect { chain },
            SourceError::NoEndpoint { chain, why: why() },
            SourceError::NoAnswer { chain, asked: 1, timeout_ms: 1 },
            SourceError::TooFewAgree { chain, number: None, got: 1, expected: 2, of: 3 },
            SourceError::NoFinalTag { chain, refusing: 2, got: 1, expected: 2, of: 3 },
            SourceError::Disagreement(Box::new(disagreement)),
            SourceError::Inconsistent {
                source_name: source_name(),
                number,
                got: hash,
                expected: hash,
            },
            SourceError::NotSimulated { chain },
            SourceError::NoAgreedCall { chain, got: 1, expected: 2, of: 3 },
            SourceError::NoCalls,
            SourceError::FinalityWord { got: "w", family: Family::Evm },
            SourceError::Config { field, got: 1, expected: "e" },
            SourceError::Panicked,
            SourceError::ShuttingDown,
        ];
        let codes = [i64::MIN, -32700, -32603, -32602, -32601, -32600, -32005, -1, 0, 1, i64::MAX];
        errors.extend(codes.map(refused));
        errors
    }

    /// Else one node could stop a chain, and nobody but a person could let it go on.
    #[test]
    fn nothing_that_a_node_can_cause_is_a_bug() {
        let mut seen = [false; VARIANTS];
        for error in every_variant() {
            let (place, cause) = place_and_cause(&error);
            seen[place] = true;
            let is_bug = error.kind() == ErrorKind::Bug;
            assert_eq!(is_bug, cause != Cause::Node, "{error:?}");
        }
        assert_eq!(seen, [true; VARIANTS], "each variant was tried");
    }

    #[test]
    fn a_message_names_source_method_and_cause() {
        let told = r#"http://node:1 refused eth_chainId with error -32601: "no""#;
        assert_eq!(refused(-32601).to_string(), told);
    }
}
