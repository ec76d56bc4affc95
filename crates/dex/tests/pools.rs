//! Well-known pools of chains of which no block is at hand: their addresses follow from their rows.

use alloy_primitives::Address;
use superroot_dex::{Factories, Pair};

/// Chain, exchange, both tokens, fee in millionths, pool.
const POOLS: [(&str, &str, &str, &str, u32, &str); 7] = [
    (
        "base",
        "uniswap_v3",
        "0x4200000000000000000000000000000000000006",
        "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        500,
        "0xd0b53d9277642d899df5c87a3966a349a798f224",
    ),
    (
        "base",
        "uniswap_v2",
        "0x4200000000000000000000000000000000000006",
        "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        3000,
        "0x88a43bbdf9d098eec7bceda4e2494615dfd9bb9c",
    ),
    (
        "base",
        "pancakeswap_v3",
        "0x4200000000000000000000000000000000000006",
        "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        100,
        "0x72ab388e2e2f6facef59e3c3fa2c4e29011c2d38",
    ),
    (
        "arbitrum",
        "uniswap_v3",
        "0x82af49447d8a07e3bd95bd0d56f35241523fbab1",
        "0xff970a61a04b1ca14834a43f5de4533ebddb5cc8",
        500,
        "0xc31e54c7a869b9fcbecc14363cf510d1c41fa443",
    ),
    (
        "arbitrum",
        "pancakeswap_v3",
        "0x82af49447d8a07e3bd95bd0d56f35241523fbab1",
        "0xaf88d065e77c8cc2239327c5edb3a432268e5831",
        100,
        "0x7fcdc35463e3770c2fb992716cd070b63540b947",
    ),
    (
        "bnb",
        "pancakeswap_v3",
        "0x55d398326f99059ff775485246999027b3197955",
        "0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c",
        500,
        "0x36696169c63e42cd08ce11f5deebbcebae652050",
    ),
    (
        "bnb",
        "pancakeswap_v2",
        "0x55d398326f99059ff775485246999027b3197955",
        "0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c",
        2500,
        "0x16b9a82891338f9ba80e2d6970fdda79d1eb0dae",
    ),
];

#[test]
fn well_known_pools_are_of_their_factories() {
    let parse = |text: &str| text.parse::<Address>().unwrap();
    let mut wrong = Vec::new();
    for (chain, dex, token0, token1, fee, pool) in POOLS {
        let pair = Pair { token0: parse(token0), token1: parse(token1) };
        assert!(pair.token0 < pair.token1, "{pool}");
        let found = Factories::builtin().of_pool(chain, parse(pool), &pair);
        let found = found.map(|(factory, fee)| (factory.dex.as_str(), fee));
        if found != Some((dex, fee)) {
            wrong.push((chain, dex, pool, found));
        }
        let another = Pair { token0: pair.token1, token1: pair.token0 };
        assert_eq!(Factories::builtin().of_pool(chain, parse(pool), &another), None);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
