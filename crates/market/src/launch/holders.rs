use std::collections::BTreeMap;
use std::sync::LazyLock;

use alloy_primitives::{Address, U256};
use superroot_dex::PoolId;
use superroot_index::{BlockEvent, EventFilter, EventQuery, IndexError};
use superroot_proof::hash::keccak256;
use superroot_store::{ScanOrder, Store, read as blocks};
use superroot_types::{BlockNumber, ChainKey, Hash};

/// Largest holders in the sum.
const TOP: usize = 10;
/// Most transfers examined.
const TRANSFERS_MAX: usize = 5_000;

static TRANSFER: LazyLock<Hash> = LazyLock::new(|| keccak256(b"Transfer(address,address,uint256)"));

/// Reason why a token's holders are unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoHolders {
    /// Not all transfers are stored.
    Unwatched,
    /// Too many transfers.
    TooMany,
    /// Transfers do not add up: the token moves in other ways too, or is older than the stored blocks.
    Unequal,
}

impl NoHolders {
    /// Reason as a sentence.
    #[must_use]
    pub const fn why(self) -> &'static str {
        match self {
            Self::Unwatched => {
                "not every transfer of it is held: they are where all events of its chain are (watch = \"all\")"
            }
            Self::TooMany => "it was transferred more than 5000 times before its launch",
            Self::Unequal => {
                "its transfers do not add up: it moves without them, or is older than the blocks that are held"
            }
        }
    }
}

/// Whether nobody has the key of an address.
pub(super) fn is_nobody(address: Address) -> bool {
    let dead = Address::with_last_byte(0).0.0;
    let mut dead = dead;
    (dead[18], dead[19]) = (0xde, 0xad);
    address == Address::ZERO || address.0.0 == dead
}

/// ERC-20 transfers of a token contract.
pub(super) fn transfers(contract: Address) -> EventFilter {
    EventFilter {
        addresses: vec![contract.to_vec()],
        topics: [vec![*TRANSFER], Vec::new(), Vec::new(), Vec::new()],
    }
}

/// Sender, recipient and amount; `None` for an event of another form.
pub(super) fn read_transfer(event: &BlockEvent) -> Option<(Address, Address, U256)> {
    let [_, from, to] = event.topics.as_slice() else { return None };
    let party = |topic: &Hash| Address::from_slice(&topic.0[12..]);
    let amount: [u8; 32] = event.data.as_deref()?.try_into().ok()?;
    Some((party(from), party(to), U256::from_be_bytes(amount)))
}

/// Share of the ten largest holders after a block, in hundredths of a percent of all spendable tokens. The pool does
/// not count as a holder.
pub(super) fn top_holders(
    store: &dyn Store,
    (chain, number): (ChainKey, BlockNumber),
    token: Address,
    pool: &PoolId,
) -> Result<Result<u16, NoHolders>, IndexError> {
    let filter = transfers(token);
    let Some(state) = blocks::load_chain_state(store, chain)? else {
        return Ok(Err(NoHolders::Unwatched));
    };
    let gaps = superroot_index::gaps(store, chain, &filter, state.start, number)?;
    // what is older than the blocks held does not add up
    if gaps.iter().any(|gap| gap.why != "skipped" || gap.from != state.start) {
        return Ok(Err(NoHolders::Unwatched));
    }
    let query = EventQuery {
        chain,
        filter,
        from: state.start,
        to: number,
        direction: ScanOrder::Rising,
        at: None,
        limit: TRANSFERS_MAX,
        examined_max: usize::MAX,
        data_bytes_max: usize::MAX,
    };
    let found = superroot_index::find(store, &query)?;
    if found.next.is_some() {
        return Ok(Err(NoHolders::TooMany));
    }
    let moved = found.events.iter().filter_map(|hit| read_transfer(&hit.event));
    Ok(part_of_top(moved, pool).ok_or(NoHolders::Unequal))
}

/// `None` if a sender does not have the amount, or nothing is spendable.
fn part_of_top(
    moved: impl Iterator<Item = (Address, Address, U256)>,
    pool: &PoolId,
) -> Option<u16> {
    let mut held: BTreeMap<Address, U256> = BTreeMap::new();
    for (from, to, amount) in moved {
        if from != Address::ZERO {
            let left = held.get_mut(&from)?;
            *left = left.checked_sub(amount)?;
        }
        let has = held.entry(to).or_default();
        *has = has.checked_add(amount)?;
    }
    held.retain(|holder, _| !is_nobody(*holder));
    let all = held.values().try_fold(U256::ZERO, |sum, one| sum.checked_add(*one))?;
    let (PoolId::Contract(pool) | PoolId::Within(pool, _)) = pool;
    held.remove(pool);
    let mut largest: Vec<U256> = held.into_values().collect();
    largest.sort_unstable_by(|one, other| other.cmp(one));
    let top = largest.into_iter().take(TOP).fold(U256::ZERO, U256::saturating_add);
    let part = top.checked_mul(U256::from(10_000))?.checked_div(all)?;
    u16::try_from(part).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn who(digit: u8) -> Address {
        Address::repeat_byte(digit)
    }

    #[test]
    fn the_ten_largest_are_added_up_without_pool_and_burned() {
        let pool = PoolId::Contract(who(9));
        let units = U256::from;
        let made = (Address::ZERO, who(1), units(1_000_u64));
        let mut moved = vec![made, (who(1), who(9), units(600_u64))];
        moved.push((who(1), Address::ZERO, units(200_u64)));
        assert_eq!(part_of_top(moved.clone().into_iter(), &pool), Some(2_500), "200 of 800");
        // twelve with one each: ten of them, and the maker's 188
        moved.extend((20..32).map(|digit| (who(1), who(digit), U256::ONE)));
        assert_eq!(part_of_top(moved.clone().into_iter(), &pool), Some(2_462), "197 of 800");
        moved.push((who(5), who(6), U256::ONE));
        assert_eq!(part_of_top(moved.into_iter(), &pool), None, "he never had it");
        assert_eq!(part_of_top(std::iter::empty(), &pool), None);
    }
}
