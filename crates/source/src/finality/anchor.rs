//! Proofs for rollups: contracts on Ethereum, and earlier blocks in rollups' states.

use std::sync::Arc;

use superroot_proof::finality::anchor::{ContractProof, GameBlock, game_blocks};
use superroot_proof::ledger::evm::HistoryProof;
use superroot_types::{BlockNumber, ChainId};

use super::{FinalitySourceError, NewestFinal};
use crate::BoxFuture;
use crate::simulated::SimulatedChain;

/// A contract's proof, and possible blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedAnchor {
    /// Proof in the state of the requested block.
    pub proof: ContractProof,
    /// Possible blocks of the rollup, unchecked.
    pub blocks: Vec<GameBlock>,
}

/// Untrusted source of proofs about a rollup.
pub trait AnchorSource: Send + Sync {
    /// Endpoints, without keys.
    fn name(&self) -> &str;

    /// Contract's proof in the state after a block of Ethereum; `None` while the contract holds no block.
    fn fetch_contract(
        &self,
        ethereum: NewestFinal,
    ) -> BoxFuture<'_, Result<Option<ClaimedAnchor>, FinalitySourceError>>;

    /// Ancestors' hashes, proven in the rollup's state after a block; `None` for a block to come.
    fn fetch_history(
        &self,
        at: BlockNumber,
    ) -> BoxFuture<'_, Result<Option<HistoryProof>, FinalitySourceError>>;
}

/// A simulated rollup over a simulated Ethereum.
pub struct SimulatedRollup {
    id: ChainId,
    ethereum: Arc<SimulatedChain>,
    rollup: Arc<SimulatedChain>,
}

impl SimulatedRollup {
    /// Rollup, and an Ethereum made by [`SimulatedChain::anchoring`] with the rollup.
    #[must_use]
    pub fn new(id: ChainId, ethereum: Arc<SimulatedChain>, rollup: Arc<SimulatedChain>) -> Self {
        Self { id, ethereum, rollup }
    }
}

fn fault(error: impl ToString) -> FinalitySourceError {
    FinalitySourceError { endpoint: "simulated".to_owned(), why: error.to_string() }
}

impl AnchorSource for SimulatedRollup {
    fn name(&self) -> &str {
        "simulated"
    }

    fn fetch_contract(
        &self,
        ethereum: NewestFinal,
    ) -> BoxFuture<'_, Result<Option<ClaimedAnchor>, FinalitySourceError>> {
        Box::pin(async move {
            let proof = self.ethereum.contract_proof(self.id, ethereum.timestamp).await;
            let proof = proof.map_err(fault)?;
            Ok(proof.map(|proof| ClaimedAnchor {
                blocks: game_blocks(&proof.code),
                proof: ContractProof::Registry(proof),
            }))
        })
    }

    fn fetch_history(
        &self,
        at: BlockNumber,
    ) -> BoxFuture<'_, Result<Option<HistoryProof>, FinalitySourceError>> {
        Box::pin(async move { self.rollup.history_proof(at).await.map_err(fault) })
    }
}
