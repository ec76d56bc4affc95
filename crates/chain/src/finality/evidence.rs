//! Finality evidence and stored bytes.
//!
//! ```text
//! evidence     kind:u8 ‖ length:u32 ‖ that many bytes, which the kind decodes
//! node quorum  02: needed:u32 ‖ of:u32 ‖ number:u64 ‖ hash:32 ‖ agreed_at:u64 ‖ rule
//!                  ‖ count:u32 ‖ (name ‖ operator)*
//! one source   03: name ‖ rule
//! text         length:u32 ‖ UTF-8
//! ```
//! 00 and 01 are reserved for a chain's own consensus and for data on another chain.

use core::fmt;

use superroot_proof::finality::FinalityKind;
use superroot_types::{BlockNumber, Hash, UnixSeconds};

const NODE_QUORUM: u8 = 2;
const ONE_SOURCE: u8 = 3;

/// Evidence kinds, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EvidenceKind {
    /// The chain's own consensus, checked here.
    Consensus,
    /// Root or hash stored on another chain, checked here.
    L1Anchored,
    /// Agreement between independent nodes, with no other check.
    NodeQuorum,
}

impl EvidenceKind {
    pub const ALL: [Self; 3] = [Self::Consensus, Self::L1Anchored, Self::NodeQuorum];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Consensus => "consensus",
            Self::L1Anchored => "l1_anchored",
            Self::NodeQuorum => "node_quorum",
        }
    }

    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl From<FinalityKind> for EvidenceKind {
    fn from(kind: FinalityKind) -> Self {
        match kind {
            FinalityKind::Anchor => Self::L1Anchored,
            _ => Self::Consensus,
        }
    }
}

impl fmt::Display for EvidenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Node rule for a final block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinalityRule {
    /// Nodes name the block with the tag `finalized`.
    Tag,
    Latest,
    /// Number of blocks that must follow.
    Confirmations(u64),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgreeingNode {
    pub name: String,
    /// Node operator: nodes of one operator count once.
    pub operator: String,
}

/// Node operators in agreement on a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeQuorum {
    pub sources: Vec<AgreeingNode>,
    /// Required operators.
    pub needed: u32,
    /// Total operators, with or without a response.
    pub of: u32,
    /// Finality rule of the nodes, in words: `finalized tag`.
    pub rule: String,
    pub number: BlockNumber,
    pub hash: Hash,
    /// The request's time.
    pub agreed_at: UnixSeconds,
}

/// Recording or simulated chain, the only source of its blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneSource {
    pub name: String,
    /// The source's finality rule, in words: `as recorded`.
    pub rule: String,
}

/// Reason for finality.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FinalityEvidence {
    NodeQuorum(NodeQuorum),
    /// The only source gave the block.
    OneSource(OneSource),
}

impl FinalityEvidence {
    /// Reported kind: one source counts as a quorum of one.
    #[must_use]
    pub const fn kind(&self) -> EvidenceKind {
        match self {
            Self::NodeQuorum(_) | Self::OneSource(_) => EvidenceKind::NodeQuorum,
        }
    }

    #[must_use]
    pub fn sources(&self) -> Vec<String> {
        match self {
            Self::NodeQuorum(quorum) => {
                quorum.sources.iter().map(|source| source.name.clone()).collect()
            }
            Self::OneSource(source) => vec![source.name.clone()],
        }
    }

    /// Total sources.
    #[must_use]
    pub const fn of(&self) -> u32 {
        match self {
            Self::NodeQuorum(quorum) => quorum.of,
            Self::OneSource(_) => 1,
        }
    }

    /// Finality rule of the sources, in words.
    #[must_use]
    pub fn rule(&self) -> &str {
        match self {
            Self::NodeQuorum(quorum) => &quorum.rule,
            Self::OneSource(source) => &source.rule,
        }
    }

    /// Byte form; every value has one encoding.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let kind = match self {
            Self::NodeQuorum(quorum) => {
                let NodeQuorum { sources, needed, of, rule, number, hash, agreed_at } = quorum;
                bytes.extend(needed.to_be_bytes());
                bytes.extend(of.to_be_bytes());
                bytes.extend(number.0.to_be_bytes());
                bytes.extend(hash.0);
                bytes.extend(agreed_at.0.to_be_bytes());
                text(&mut bytes, rule);
                bytes.extend(length(sources.len()));
                for source in sources {
                    text(&mut bytes, &source.name);
                    text(&mut bytes, &source.operator);
                }
                NODE_QUORUM
            }
            Self::OneSource(OneSource { name, rule }) => {
                text(&mut bytes, name);
                text(&mut bytes, rule);
                ONE_SOURCE
            }
        };
        [&[kind][..], &length(bytes.len()), &bytes].concat()
    }

    /// Reads [`FinalityEvidence::encode`] output; `None` for other bytes.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let [kind] = array(&mut rest)?;
        let said = usize::try_from(integer(&mut rest)?).ok()?;
        if said != rest.len() {
            return None;
        }
        let evidence = match kind {
            NODE_QUORUM => Self::NodeQuorum(read_quorum(&mut rest)?),
            ONE_SOURCE => {
                let name = read_text(&mut rest)?;
                let rule = read_text(&mut rest)?;
                Self::OneSource(OneSource { name, rule })
            }
            _ => return None,
        };
        rest.is_empty().then_some(evidence)
    }
}

fn read_quorum(rest: &mut &[u8]) -> Option<NodeQuorum> {
    let needed = integer(rest)?;
    let of = integer(rest)?;
    let number = BlockNumber(u64::from_be_bytes(array(rest)?));
    let hash = Hash(array(rest)?);
    let agreed_at = UnixSeconds(u64::from_be_bytes(array(rest)?));
    let rule = read_text(rest)?;
    let mut sources = Vec::new(); // grows with what is really there, not with what is claimed
    for _ in 0..integer(rest)? {
        sources.push(AgreeingNode { name: read_text(rest)?, operator: read_text(rest)? });
    }
    Some(NodeQuorum { sources, needed, of, rule, number, hash, agreed_at })
}

fn length(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes()
}

fn text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend(length(text.len()));
    bytes.extend(text.as_bytes());
}

fn array<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (array, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(*array)
}

fn integer(rest: &mut &[u8]) -> Option<u32> {
    array(rest).map(u32::from_be_bytes)
}

fn read_text(rest: &mut &[u8]) -> Option<String> {
    let length = usize::try_from(integer(rest)?).ok()?;
    let (text, after) = rest.split_at_checked(length)?;
    *rest = after;
    String::from_utf8(text.to_vec()).ok()
}
