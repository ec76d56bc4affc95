//! Proofs of blocks, joined with entries.

use superroot_proof::bundle::{BlockLevel, Bundle, EntryProof, ProofSubject, Statement};
use superroot_store::layout::BlockRow;
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey, SuperRootRef};

use super::error::ProveError;
use super::prover::Prover;

impl Prover {
    /// A block's proof, levels 2 to 5.
    pub fn prove_block(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        at: Option<SuperRootRef>,
    ) -> Result<Bundle, ProveError> {
        let row = self.placed(chain, number, at)?;
        self.bundle(chain, number, &row, ProofSubject::Block, None, at)
    }

    /// Block anchored in this SuperRoot; without a SuperRoot, any stored block.
    pub(super) fn placed(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        at: Option<SuperRootRef>,
    ) -> Result<BlockRow, ProveError> {
        let Some(at) = at else { return self.block(chain, number) };
        self.check_stands(chain, number)?;
        let published = self.published(at)?;
        let reference = published.reference(chain).map(|(_, reference)| *reference);
        let anchored = reference.map(|reference| reference.number);
        if let Some(start) = reference.map(|one| one.start).filter(|start| number < *start) {
            return Err(ProveError::BeforeStart { chain, number, start });
        }
        if anchored.is_some_and(|anchored| number <= anchored) {
            return self.block(chain, number);
        }
        let held = read::load_block(&*self.store, chain, number)?;
        let state = self.chain_state(chain)?;
        let checked_to = state.as_ref().and_then(|state| state.checked_to);
        if held.is_none() && checked_to.is_some_and(|checked_to| number <= checked_to) {
            return Err(ProveError::NotFound {
                chain,
                what: format!("block {number}"),
                checked_to,
            });
        }
        let head = state.and_then(|state| state.head).map(|head| head.number);
        let is_final = held.as_ref().is_some_and(BlockRow::is_final);
        let held = held.is_some();
        Err(ProveError::NotAnchored { chain, number, anchored, head, held, is_final })
    }

    /// Joins an entry, a block and its position.
    pub(super) fn bundle(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        row: &BlockRow,
        subject: ProofSubject,
        entry: Option<EntryProof>,
        at: Option<SuperRootRef>,
    ) -> Result<Bundle, ProveError> {
        let twig = match at {
            None => None,
            Some(at) => Some(self.twig(chain, number, &*self.published(at)?)?),
        };
        let block = BlockLevel { header: row.header.clone(), block_hash: row.hash, twig };
        let statement = Statement { chain, number, subject };
        Ok(Bundle { origin: self.origin().to_owned(), statement, entry, block: Some(block) })
    }
}
