//! Converts a block's pool events to rows.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use alloy_primitives::Address;
use superroot_dex::tick::tick_of_reserves;
use superroot_dex::{DecodedPoolEvent, PoolEvent, PoolId, PoolState, decode};
use superroot_index::{BlockEvent, EventBlock, EventFilter, Row, View};
use superroot_store::Table;
use superroot_types::{ChainKey, Family};

use crate::rows::{self, Creation, EventPosition, LiquidityChange, Observation};

/// View of pool states after each block, and of created pools. Anyone may emit such events, so readers decide which
/// factory's pool a contract is.
#[derive(Clone, Copy, Debug, Default)]
pub struct PoolView;

impl View for PoolView {
    fn put(&self, block: &EventBlock<'_>, rows: &mut Vec<Row>) {
        if block.chain.family != Family::Evm {
            return;
        }
        let chain = block.chain;
        let block_hash = block.hash;
        let at = block.timestamp;
        let mut states: BTreeMap<PoolId, Observation> = BTreeMap::new();
        let mut put = |key, value| rows.push((Table::Market, key, value));
        for event in block.events {
            let Some((by, DecodedPoolEvent { pool, event: said })) = read(event) else { continue };
            let place = EventPosition {
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
                    made.spot.map(PoolState::Spot)
                }
                PoolEvent::Initialized(spot) => Some(PoolState::Spot(spot)),
                PoolEvent::Reserves(reserves) => {
                    Some(PoolState::Reserves(reserves, tick_of_reserves(reserves)))
                }
                PoolEvent::Swapped(_, spot) => spot.map(PoolState::Spot),
                PoolEvent::SwappedInBin(bin) => Some(PoolState::Bin(bin)),
                PoolEvent::Liquidity(liquidity) => {
                    if let Some(change) = LiquidityChange::of(place, &liquidity) {
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

/// Events that change pool states: complete coverage of these events allows pricing.
pub fn pool_events() -> &'static EventFilter {
    static OF_POOLS: LazyLock<EventFilter> = LazyLock::new(|| {
        let first = superroot_dex::state_topics().collect();
        EventFilter { addresses: Vec::new(), topics: [first, Vec::new(), Vec::new(), Vec::new()] }
    });
    &OF_POOLS
}

/// Pool event, and the emitting contract.
pub(crate) fn read(event: &BlockEvent) -> Option<(Address, DecodedPoolEvent)> {
    let contract = Address::try_from(event.addresses.first()?.as_slice()).ok()?;
    Some((contract, decode(contract, &event.topics, event.data.as_deref()?)?))
}
