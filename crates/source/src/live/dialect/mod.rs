//! What nodes of one ledger family are asked, and how their answers read. A closed set: each family
//! has its own words for the same few questions.

mod bitcoin;
mod evm;
mod recorded;

use std::sync::Arc;

pub(crate) use evm::Evm;

use superroot_chain::{ChainRow, FinalityRule, Ledger, UntrustedBlock};
use superroot_types::{BlockNumber, Hash};

use super::config::{FinalityAsk, LiveConfig};
use super::node::Node;
use crate::error::SourceError;
use crate::rpc::{REPLAY_CLIENT, parse_quantity};
use crate::{BlockAt, BlockId, Parts};

/// How far one node says its chain has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeTip {
    pub(crate) head: BlockId,
    pub(crate) safe: Option<BlockId>,
    /// Newest final block; `None` where the node names none.
    pub(crate) finalized: Option<BlockNumber>,
    /// Its hash, where it came along.
    pub(crate) finalized_hash: Option<Hash>,
}

/// When a chain's node calls a block final; [`FinalityAsk`] with the default looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finality {
    Tag,
    Latest,
    Confirmations(u64),
}

impl Finality {
    pub(crate) fn of(row: &ChainRow, asked: FinalityAsk) -> Self {
        match asked {
            FinalityAsk::Auto => match default_finality(row) {
                FinalityAsk::Latest => Self::Latest,
                FinalityAsk::Confirmations(count) => Self::Confirmations(count),
                FinalityAsk::Auto | FinalityAsk::Finalized => Self::Tag,
            },
            FinalityAsk::Finalized => Self::Tag,
            FinalityAsk::Latest => Self::Latest,
            FinalityAsk::Confirmations(count) => Self::Confirmations(count),
        }
    }

    /// The rule in words, as evidence says it.
    pub(crate) fn words(self) -> String {
        match self {
            Self::Tag => "finalized tag".into(),
            Self::Latest => "latest block".into(),
            Self::Confirmations(count) => format!("{count} confirmations"),
        }
    }
}

/// What the nodes of a chain are asked for final blocks by, unless configuration says otherwise.
/// Avalanche, Sonic and HyperEVM show final blocks alone, so their newest is final; Bitcoin has no
/// tag, and its row says how many confirmations; the others answer the tag `finalized`.
#[must_use]
pub fn default_finality(row: &ChainRow) -> FinalityAsk {
    match row.ledger.default_finality() {
        FinalityRule::Tag => FinalityAsk::Finalized,
        FinalityRule::Latest => FinalityAsk::Latest,
        FinalityRule::Confirmations(count) => FinalityAsk::Confirmations(count),
    }
}

/// Whether a client's name is that of a replay server.
pub(crate) fn is_replay(client: &str) -> bool {
    client.starts_with(REPLAY_CLIENT)
}

/// Whether the receipts of a block that has transactions are not there.
pub(crate) fn lacks_receipts(block: &UntrustedBlock) -> bool {
    match block {
        UntrustedBlock::Evm(raw) => raw.receipts.is_none(),
        UntrustedBlock::Bitcoin(_) => false,
    }
}

/// Whether a block has receipts, one at least: that of a block without transactions has none, and no
/// node needs to keep any for it.
pub(crate) fn shows_receipts(block: &UntrustedBlock) -> bool {
    match block {
        UntrustedBlock::Evm(raw) => {
            raw.receipts.as_ref().is_some_and(|receipts| !receipts.is_empty())
        }
        UntrustedBlock::Bitcoin(_) => true,
    }
}

/// The words of one family, for one chain.
#[derive(Clone, Debug)]
pub(crate) enum Dialect {
    Evm(evm::Evm),
    Bitcoin(bitcoin::Bitcoin),
}

impl Dialect {
    /// The dialect of a chain's nodes.
    pub(crate) fn of(row: &ChainRow, config: &LiveConfig) -> Result<Self, SourceError> {
        let finality = Finality::of(row, config.finality);
        match &row.ledger {
            Ledger::Evm(_) => Ok(Self::Evm(evm::Evm::new(row, finality, config.replay_servers))),
            Ledger::Bitcoin(_) => {
                let word = |got| SourceError::FinalityWord { got, family: row.family() };
                let confirmations = match finality {
                    Finality::Confirmations(confirmations) => confirmations,
                    Finality::Tag => return Err(word("finalized")),
                    Finality::Latest => return Err(word("latest")),
                };
                let bitcoin = bitcoin::Bitcoin::of(row.id.0, confirmations);
                let known = bitcoin.map(Self::Bitcoin);
                known.ok_or(SourceError::NoDialect { chain: row.key() })
            }
            Ledger::Planned(_) => Err(SourceError::NoDialect { chain: row.key() }),
        }
    }

    /// Whether an answer may leave out which JSON-RPC it is, as `bitcoind` before 28 does.
    pub(crate) const fn is_old_rpc(&self) -> bool {
        matches!(self, Self::Bitcoin(_))
    }

    /// What makes a node announce new heads, as a request of a WebSocket.
    pub(crate) fn subscription(&self) -> Option<&'static str> {
        match self {
            Self::Evm(_) => Some(evm::SUBSCRIBE),
            // nodes announce blocks over sockets of their own, which are not asked
            Self::Bitcoin(_) => None,
        }
    }

    /// Whether nodes have a word for their newest final block.
    pub(crate) const fn names_final_blocks(&self) -> bool {
        matches!(self, Self::Evm(_))
    }

    /// Checks that the node is of our chain. Gives the client's name, where it says one.
    pub(crate) async fn greet(&self, node: &Arc<Node>) -> Result<String, SourceError> {
        match self {
            Self::Evm(evm) => evm.greet(node).await,
            Self::Bitcoin(bitcoin) => bitcoin.greet(node).await,
        }
    }

    pub(crate) async fn tip(&self, node: &Arc<Node>) -> Result<NodeTip, SourceError> {
        match self {
            Self::Evm(evm) => evm.tip(node).await,
            Self::Bitcoin(bitcoin) => bitcoin.tip(node).await,
        }
    }

    /// Hash of the block that the node has under that number.
    pub(crate) async fn hash_at(
        &self,
        node: &Arc<Node>,
        number: BlockNumber,
    ) -> Result<Option<Hash>, SourceError> {
        match self {
            Self::Evm(evm) => evm.hash_at(node, number).await,
            Self::Bitcoin(bitcoin) => bitcoin.hash_at(node, number).await,
        }
    }

    pub(crate) async fn block(
        &self,
        node: &Arc<Node>,
        at: BlockAt,
        parts: Parts,
    ) -> Result<Option<UntrustedBlock>, SourceError> {
        match self {
            Self::Evm(evm) => evm.block(node, at, parts).await,
            Self::Bitcoin(bitcoin) => bitcoin.block(node, at, parts).await,
        }
    }

    /// The recorded numbers of a replay server.
    pub(crate) async fn recorded_numbers(
        node: &Arc<Node>,
        from: BlockNumber,
        limit: usize,
    ) -> Result<Vec<BlockNumber>, SourceError> {
        recorded::numbers(node, from, limit).await
    }
}

fn number_of(
    node: &Arc<Node>,
    method: &'static str,
    text: &str,
) -> Result<BlockNumber, SourceError> {
    let wrong = || node.mismatch(method, "number", text, "a quantity below 2^64");
    parse_quantity(text).map(BlockNumber).ok_or_else(wrong)
}
