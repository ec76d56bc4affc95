//! Handles that all senders share.

use std::collections::HashMap;
use std::sync::Arc;

use superroot_accumulate::prove::Prover;
use superroot_api::StatusBoard;
use superroot_source::{BlockSource, LiveNodes, SourceError};
use superroot_store::Store;
use superroot_types::{ChainKey, Network};

pub(crate) struct SenderParts {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) prover: Prover,
    pub(crate) status: Arc<StatusBoard>,
    pub(crate) sources: HashMap<ChainKey, Arc<dyn BlockSource>>,
    /// Nodes of chains without live sources: a demo's own chain.
    pub(crate) own_nodes: HashMap<ChainKey, Arc<dyn LiveNodes>>,
}

/// Nodes for calls and transactions.
pub(super) enum SenderNodes {
    OfSource(Arc<dyn BlockSource>),
    Own(Arc<dyn LiveNodes>),
}

impl SenderNodes {
    pub(super) fn get(&self) -> Result<&dyn LiveNodes, SourceError> {
        match self {
            Self::OfSource(source) => source.nodes().ok_or(SourceError::NoCalls),
            Self::Own(nodes) => Ok(&**nodes),
        }
    }
}

impl SenderParts {
    /// A chain's nodes; `None` without live nodes.
    pub(super) fn nodes(&self, chain: ChainKey) -> Option<SenderNodes> {
        if let Some(own) = self.own_nodes.get(&chain) {
            return Some(SenderNodes::Own(own.clone()));
        }
        let source = self.sources.get(&chain);
        let source = source.filter(|source| source.network() == Network::Live);
        source.cloned().map(SenderNodes::OfSource)
    }
}
