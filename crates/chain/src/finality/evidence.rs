//! Evidence and its bytes, which are stored and given out as they are.
//!
//! ```text
//! evidence     kind:u8 ‖ length:u32 ‖ that many bytes, which the kind decodes
//! node quorum  02: needed:u32 ‖ of:u32 ‖ number:u64 ‖ hash:32 ‖ agreed_at:u64 ‖ rule
//!                  ‖ count:u32 ‖ (name ‖ operator)*
//! one source   03: name ‖ rule
//! text         length:u32 ‖ UTF-8
//! ```
//! 00 and 01 are kept for a chain's own consensus and for what another chain holds.

use core::fmt;

use superroot_types::{BlockNumber, Hash, UnixSeconds};

const NODE_QUORUM: u8 = 2;
const ONE_SOURCE: u8 = 3;

/// Kinds of evidence, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EvidenceKind {
    /// The chain's own consensus, checked here.
    Consensus,
    /// A root or hash that another chain holds, checked here.
    L1Anchored,
    /// Several independent nodes said the same: nothing is checked but their agreement.
    NodeQuorum,
}

impl EvidenceKind {
    /// Every kind, strongest first.
    pub const ALL: [Self; 3] = [Self::Consensus, Self::L1Anchored, Self::NodeQuorum];

    /// The word used in JSON and configuration.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Consensus => "consensus",
            Self::L1Anchored => "l1_anchored",
            Self::NodeQuorum => "node_quorum",
        }
    }

    /// The kind of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for EvidenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// When a chain's nodes count a block as final.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinalityRule {
    /// When they name it with the tag `finalized`.
    Tag,
    /// When they show it at all.
    Latest,
    /// When so many blocks follow it.
    Confirmations(u64),
}

/// A node that agreed, and who runs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// Its name.
    pub name: String,
    /// Its operator: nodes of one count once.
    pub operator: String,
}

/// Operators of nodes that agreed on a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeQuorum {
    /// Nodes that agreed.
    pub sources: Vec<Witness>,
    /// How many operators had to.
    pub needed: u32,
    /// How many operators there were, whether they answered or not.
    pub of: u32,
    /// When a node calls a block final, in words: `finalized tag`.
    pub rule: String,
    /// The block that they agreed on.
    pub number: BlockNumber,
    /// The hash that they agreed on.
    pub hash: Hash,
    /// When they were asked.
    pub agreed_at: UnixSeconds,
}

/// A recording or a simulated chain, which speaks for itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneSource {
    /// Its name.
    pub name: String,
    /// When it calls a block final, in words: `as recorded`.
    pub rule: String,
}

/// Why a block counts as final.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Operators of nodes agreed on it, or on a block that descends from it.
    NodeQuorum(NodeQuorum),
    /// Its only source gave it.
    OneSource(OneSource),
}

impl Evidence {
    /// Its kind, as it is told: one source is a quorum of one.
    #[must_use]
    pub const fn kind(&self) -> EvidenceKind {
        match self {
            Self::NodeQuorum(_) | Self::OneSource(_) => EvidenceKind::NodeQuorum,
        }
    }

    /// Names of the sources that agree.
    #[must_use]
    pub fn sources(&self) -> Vec<String> {
        match self {
            Self::NodeQuorum(quorum) => {
                quorum.sources.iter().map(|source| source.name.clone()).collect()
            }
            Self::OneSource(source) => vec![source.name.clone()],
        }
    }

    /// How many sources there were to ask.
    #[must_use]
    pub const fn of(&self) -> u32 {
        match self {
            Self::NodeQuorum(quorum) => quorum.of,
            Self::OneSource(_) => 1,
        }
    }

    /// When a source calls a block final, in words.
    #[must_use]
    pub fn rule(&self) -> &str {
        match self {
            Self::NodeQuorum(quorum) => &quorum.rule,
            Self::OneSource(source) => &source.rule,
        }
    }

    /// Its bytes; one evidence has one encoding.
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

    /// Reads what [`Evidence::encode`] wrote; `None` for anything else.
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
                let (name, rule) = (read_text(&mut rest)?, read_text(&mut rest)?);
                Self::OneSource(OneSource { name, rule })
            }
            _ => return None,
        };
        rest.is_empty().then_some(evidence)
    }
}

fn read_quorum(rest: &mut &[u8]) -> Option<NodeQuorum> {
    let (needed, of) = (integer(rest)?, integer(rest)?);
    let number = BlockNumber(u64::from_be_bytes(array(rest)?));
    let hash = Hash(array(rest)?);
    let agreed_at = UnixSeconds(u64::from_be_bytes(array(rest)?));
    let rule = read_text(rest)?;
    let mut sources = Vec::new(); // grows with what is really there, not with what is claimed
    for _ in 0..integer(rest)? {
        sources.push(Witness { name: read_text(rest)?, operator: read_text(rest)? });
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
