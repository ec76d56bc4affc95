//! What the events of a block say of pools, as rows.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use alloy_primitives::Address;
use superroot_dex::tick::tick_of_reserves;
use superroot_dex::{Decoded, PoolEvent, PoolId, State, decode};
use superroot_index::{Event, EventBlock, Filter, Row, View};
use superroot_store::Table;
use superroot_types::{ChainKey, Family};

use crate::rows::{self, Change, Creation, Observation, Place};

/// Keeps what is in force in each pool after each block, and which pools were made. Whose pool a contract is,
/// who reads decides: anybody may emit such events.
#[derive(Clone, Copy, Debug, Default)]
pub struct PoolView;

impl View for PoolView {
    fn put(&self, block: &EventBlock<'_>, rows: &mut Vec<Row>) {
        if block.chain.family != Family::Evm {
            return;
        }
        let (chain, block_hash, at) = (block.chain, block.hash, block.timestamp);
        let mut states: BTreeMap<PoolId, Observation> = BTreeMap::new();
        let mut put = |key, value| rows.push((Table::Market, key, value));
        for event in block.events {
            let Some((by, Decoded { pool, event: said })) = read(event) else { continue };
            let place = Place {
                number: block.number,
                tx_index: event.tx_index,
                log_index: event.log_index,
            };
            let state = match said {
                PoolEvent::Created(made) => {
                    let creation = Creation { place, block_hash, at, by, made };
                    put(rows::creation_key(chain, by, &pool, place), creation.encode());
                    // what hooks do to a price, nobody knows: such a pool is never looked for
                    if made.hooks == Address::ZERO {
                        put(rows::pair_key(chain, by, &made, place), Vec::new());
                    }
                    made.spot.map(State::Spot)
                }
                PoolEvent::Initialized(spot) => Some(State::Spot(spot)),
                PoolEvent::Reserves(reserves) => {
                    Some(State::Reserves(reserves, tick_of_reserves(reserves)))
                }
                PoolEvent::Swapped(_, spot) => spot.map(State::Spot),
                PoolEvent::Liquidity(liquidity) => {
                    if let Some(change) = Change::of(place, &liquidity) {
                        put(rows::change_key(chain, &pool, place), change.encode());
                    }
                    None
                }
            };
            if let Some(state) = state {
                // the last of a block counts
                states.insert(pool, Observation { place, block_hash, at, state });
            }
        }
        for (pool, observation) in states {
            put(rows::state_key(chain, &pool, block.number), observation.encode());
        }
    }

    fn prefixes(&self, chain: ChainKey) -> Vec<(Table, Vec<u8>)> {
        rows::prefixes(chain)
    }
}

/// The events that change what is in force in pools: whoever has all of these can price what is in them.
pub fn pool_events() -> &'static Filter {
    static OF_POOLS: LazyLock<Filter> = LazyLock::new(|| {
        let first = superroot_dex::state_topics().collect();
        Filter { addresses: Vec::new(), topics: [first, Vec::new(), Vec::new(), Vec::new()] }
    });
    &OF_POOLS
}

/// What an event says of a pool, and the contract that says so.
pub(crate) fn read(event: &Event) -> Option<(Address, Decoded)> {
    let contract = Address::try_from(event.addresses.first()?.as_slice()).ok()?;
    Some((contract, decode(contract, &event.topics, event.data.as_deref()?)?))
}
