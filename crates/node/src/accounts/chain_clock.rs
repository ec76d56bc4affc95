//! Chain time according to blocks: a clock independent of this machine's settings.

use std::sync::Arc;

use superroot_store::{Store, StoreError, read};
use superroot_types::{ChainKey, UnixSeconds};

/// Most seconds by which a clock may lead the chains: they catch up, and rollup blocks become final late.
const AHEAD_MAX_SECONDS: u64 = 86_400;

pub(crate) struct ChainClock {
    store: Arc<dyn Store>,
    chains: Vec<ChainKey>,
    /// Whether the chains are recordings, with blocks from another time.
    is_recorded: bool,
}

impl ChainClock {
    pub(crate) const fn new(
        store: Arc<dyn Store>,
        chains: Vec<ChainKey>,
        is_recorded: bool,
    ) -> Self {
        Self { store, chains, is_recorded }
    }

    /// Whether the chains have come within a day of the given time. Recordings agree with any time.
    pub(crate) fn agrees(&self, now: UnixSeconds) -> Result<bool, StoreError> {
        let at = self.now()?.map_or(0, |at| at.0);
        Ok(self.is_recorded || now.0 <= at.saturating_add(AHEAD_MAX_SECONDS))
    }

    /// Time reached by the newest final blocks on more than half of the chains; `None` if too few have blocks. One
    /// stalled chain, or one with lying nodes, does not move the time.
    pub(crate) fn now(&self) -> Result<Option<UnixSeconds>, StoreError> {
        let times = self.chains.iter().map(|chain| self.newest(*chain));
        Ok(majority(times.collect::<Result<_, _>>()?))
    }

    fn newest(&self, chain: ChainKey) -> Result<Option<UnixSeconds>, StoreError> {
        let state = read::load_chain_state(&*self.store, chain)?;
        let Some(tip) = state.and_then(|state| state.indexed) else { return Ok(None) };
        let block = read::load_block(&*self.store, chain, tip.number)?;
        Ok(block.map(|block| block.timestamp))
    }
}

fn majority(mut times: Vec<Option<UnixSeconds>>) -> Option<UnixSeconds> {
    times.sort_unstable_by(|one, other| other.cmp(one));
    times.get(times.len() / 2).copied().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_half_of_the_chains_have_reached_the_time() {
        let of = |times: &[u64]| {
            let at = |at: &u64| (*at > 0).then_some(UnixSeconds(*at));
            majority(times.iter().map(at).collect()).map_or(0, |at| at.0)
        };
        assert_eq!(of(&[]), 0);
        assert_eq!(of(&[7]), 7);
        assert_eq!(of(&[7, 9]), 7, "both of two");
        assert_eq!(of(&[0, 9]), 0);
        assert_eq!(of(&[99, 7, 9]), 9, "two of three");
        assert_eq!(of(&[0, 7, 9]), 7);
        assert_eq!(of(&[8, 99, 7, 9]), 8, "three of four");
    }
}
