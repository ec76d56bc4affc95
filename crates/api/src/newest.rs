//! Hashes of each chain's newest blocks. No table indexes blocks by hash, and a search for an unknown hash reads all
//! chains.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use superroot_store::layout::ChainState;
use superroot_store::{Store, StoreError, read};
use superroot_types::{BlockNumber, ChainKey, Hash, UnixSeconds};

/// Newest blocks per chain in a hash search.
pub(crate) const BLOCKS_MAX: u64 = 256;
/// Seconds until a full reload, even if the chain only grew: gaps may have been filled.
const WHOLE_SECONDS: u64 = 60;

/// Newest blocks of all searched chains.
#[derive(Default)]
pub(crate) struct NewestBlocks(Mutex<HashMap<ChainKey, Newest>>);

struct Newest {
    /// Chain state when the blocks were read.
    state: ChainState,
    read_whole_at: UnixSeconds,
    /// By number, ascending.
    blocks: VecDeque<(BlockNumber, Hash)>,
}

impl NewestBlocks {
    /// Returns the newest block with one of these hashes. Blocking.
    pub(crate) fn find(
        &self,
        store: &dyn Store,
        (chain, state): (ChainKey, &ChainState),
        hashes: &[Hash],
        now: UnixSeconds,
    ) -> Result<Option<BlockNumber>, StoreError> {
        let mut chains = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = match chains.get_mut(&chain) {
            Some(newest) => newest.state == *state || newest.extend(store, chain, state, now)?,
            None => false,
        };
        if !is_known {
            chains.insert(chain, Newest::read(store, chain, state, now)?);
        }
        let blocks = chains.get(&chain).into_iter().flat_map(|newest| newest.blocks.iter().rev());
        let mut found = blocks.filter(|(_, hash)| hashes.contains(hash));
        Ok(found.next().map(|(number, _)| *number))
    }
}

impl Newest {
    fn read(
        store: &dyn Store,
        chain: ChainKey,
        state: &ChainState,
        now: UnixSeconds,
    ) -> Result<Self, StoreError> {
        let mut newest = Self { state: state.clone(), read_whole_at: now, blocks: VecDeque::new() };
        if let Some(head) = head_of(state) {
            let start = BlockNumber((head.0 + 1).saturating_sub(BLOCKS_MAX));
            newest.blocks.extend(load(store, chain, start, head)?);
        }
        Ok(newest)
    }

    /// Reads newer blocks; returns false after a reorganisation, which needs a full reload.
    fn extend(
        &mut self,
        store: &dyn Store,
        chain: ChainKey,
        state: &ChainState,
        now: UnixSeconds,
    ) -> Result<bool, StoreError> {
        let (Some(head), Some(known)) = (head_of(state), self.blocks.back().copied()) else {
            return Ok(false);
        };
        let is_old = now.0 >= self.read_whole_at.0.saturating_add(WHOLE_SECONDS);
        if is_old || head < known.0 || head.0 - known.0.0 >= BLOCKS_MAX {
            return Ok(false);
        }
        let mut above = load(store, chain, known.0, head)?.into_iter();
        if above.next() != Some(known) {
            return Ok(false);
        }
        self.blocks.extend(above);
        let start = (head.0 + 1).saturating_sub(BLOCKS_MAX);
        while self.blocks.front().is_some_and(|(number, _)| number.0 < start) {
            self.blocks.pop_front();
        }
        self.state = state.clone();
        Ok(true)
    }
}

fn head_of(state: &ChainState) -> Option<BlockNumber> {
    let head = state.head.or(state.indexed)?;
    (head.number.0 < u64::MAX).then_some(head.number)
}

/// Numbers and hashes of stored blocks, both ends included.
fn load(
    store: &dyn Store,
    chain: ChainKey,
    from: BlockNumber,
    to: BlockNumber,
) -> Result<Vec<(BlockNumber, Hash)>, StoreError> {
    let limit = usize::try_from(BLOCKS_MAX).unwrap_or(usize::MAX);
    let blocks = read::load_blocks(store, chain, from..BlockNumber(to.0 + 1), limit)?;
    Ok(blocks.into_iter().map(|(number, block)| (number, block.hash)).collect())
}
