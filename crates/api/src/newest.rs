//! Hashes of the newest blocks of each chain: no table has blocks by their hash, and whoever looks for a hash that nobody
//! knows asks for those of all chains.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use superroot_store::layout::ChainState;
use superroot_store::{Store, StoreError, read};
use superroot_types::{BlockNumber, ChainKey, Hash, UnixSeconds};

/// Newest blocks of each chain whose hashes are compared.
pub(crate) const BLOCKS_MAX: u64 = 256;
/// Seconds after which all of them are read again, also where the chain only grew: holes may have been filled.
const WHOLE_SECONDS: u64 = 60;

/// The newest blocks of the chains that were asked for.
#[derive(Default)]
pub(crate) struct NewestBlocks(Mutex<HashMap<ChainKey, Newest>>);

/// Those of one chain.
struct Newest {
    /// The state of the chain when they were read.
    state: ChainState,
    read_whole_at: UnixSeconds,
    /// By number, rising.
    blocks: VecDeque<(BlockNumber, Hash)>,
}

impl NewestBlocks {
    /// The number of the newest block that has one of these hashes. Blocks.
    ///
    /// # Errors
    /// Those of the store.
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

    /// Reads the blocks above those that are known; says whether that is enough: not after a reorganisation.
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

/// Numbers and hashes of held blocks, both ends included.
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
