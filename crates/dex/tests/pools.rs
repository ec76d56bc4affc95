//! Well-known pools: their addresses follow from the rows of their factories.

use std::collections::BTreeSet;

use alloy_primitives::Address;
use superroot_dex::{Created, Factories, Pair, PoolId};

/// Chain, exchange, both tokens, fee in millionths, pool.
const POOLS: [(&str, &str, &str, &str, u32, &str); 59] = [
    (
        "arbitrum",
        "camelot_v3",
        "0x82af49447d8a07e3bd95bd0d56f35241523fbab1",
        "0xaf88d065e77c8cc2239327c5edb3a432268e5831",
        100,
        "0xb1026b8e7276e7ac75410f1fcbbe21796e8f7526",
    ),
    (
        "arbitrum",
        "camelot_v3",
        "0x82af49447d8a07e3bd95bd0d56f35241523fbab1",
        "0xff970a61a04b1ca14834a43f5de4533ebddb5cc8",
        100,
        "0x521aa84ab3fcc4c05cabac24dc3682339887b126",
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
        "arbitrum",
        "sushiswap_v2",
        "0x82af49447d8a07e3bd95bd0d56f35241523fbab1",
        "0xff970a61a04b1ca14834a43f5de4533ebddb5cc8",
        3000,
        "0x905dfcd5649217c42684f23958568e533c711aa3",
    ),
    (
        "arbitrum",
        "sushiswap_v3",
        "0x82af49447d8a07e3bd95bd0d56f35241523fbab1",
        "0xaf88d065e77c8cc2239327c5edb3a432268e5831",
        500,
        "0xf3eb87c1f6020982173c908e7eb31aa66c1f0296",
    ),
    (
        "arbitrum",
        "uniswap_v2",
        "0x82af49447d8a07e3bd95bd0d56f35241523fbab1",
        "0xaf88d065e77c8cc2239327c5edb3a432268e5831",
        3000,
        "0xf64dfe17c8b87f012fcf50fbda1d62bfa148366a",
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
        "avalanche",
        "pangolin_v2",
        "0xa7d7079b0fead91f3e65f86e8915cb59c1a4c664",
        "0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7",
        3000,
        "0xbd918ed441767fe7924e99f6a0e0b568ac1970d9",
    ),
    (
        "avalanche",
        "trader_joe_v1",
        "0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7",
        "0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e",
        3000,
        "0xf4003f4efbe8691b60249e6afbd307abe7758adb",
    ),
    (
        "avalanche",
        "uniswap_v2",
        "0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7",
        "0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e",
        3000,
        "0x6239ae4d661379b71a90c4c79f0a95297342e391",
    ),
    (
        "avalanche",
        "uniswap_v3",
        "0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7",
        "0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e",
        500,
        "0xfae3f424a0a47706811521e3ee268f00cfb5c45e",
    ),
    (
        "base",
        "aerodrome",
        "0x4200000000000000000000000000000000000006",
        "0x940181a94a35a4569e4529a3cdfb74e38fd98631",
        3000,
        "0x7f670f78b17dec44d5ef68a48740b6f8849cc2e6",
    ),
    (
        "base",
        "aerodrome",
        "0x4200000000000000000000000000000000000006",
        "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        3000,
        "0xcdac0d6c6c59727a65f871236188350531885c43",
    ),
    (
        "base",
        "aerodrome_slipstream",
        "0x4200000000000000000000000000000000000006",
        "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        500,
        "0xb2cc224c1c9fee385f8ad6a55b4d94e92359dc59",
    ),
    (
        "base",
        "aerodrome_slipstream",
        "0x4200000000000000000000000000000000000006",
        "0x940181a94a35a4569e4529a3cdfb74e38fd98631",
        3000,
        "0x82321f3beb69f503380d6b233857d5c43562e2d0",
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
        "base",
        "sushiswap_v3",
        "0x4200000000000000000000000000000000000006",
        "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        500,
        "0x57713f7716e0b0f65ec116912f834e49805480d2",
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
        "uniswap_v3",
        "0x4200000000000000000000000000000000000006",
        "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        500,
        "0xd0b53d9277642d899df5c87a3966a349a798f224",
    ),
    (
        "bnb",
        "biswap_v2",
        "0x55d398326f99059ff775485246999027b3197955",
        "0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c",
        1000,
        "0x8840c6252e2e86e545defb6da98b2a0e26d8c1ba",
    ),
    (
        "bnb",
        "pancakeswap_v2",
        "0x55d398326f99059ff775485246999027b3197955",
        "0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c",
        2500,
        "0x16b9a82891338f9ba80e2d6970fdda79d1eb0dae",
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
        "uniswap_v2",
        "0x55d398326f99059ff775485246999027b3197955",
        "0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c",
        3000,
        "0x8a1ed8e124fdfbd534bf48baf732e26db9cc0cf4",
    ),
    (
        "bnb",
        "uniswap_v3",
        "0x55d398326f99059ff775485246999027b3197955",
        "0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c",
        500,
        "0x6fe9e9de56356f7edbfcbb29fab7cd69471a4869",
    ),
    (
        "celo",
        "ubeswap_v2",
        "0x471ece3750da237f93b8e339c536989b8978a438",
        "0x765de816845861e75a25fca122bb6898b8b1282a",
        3000,
        "0x1e593f1fe7b61c53874b54ec0c59fd0d5eb8621e",
    ),
    (
        "celo",
        "uniswap_v3",
        "0x471ece3750da237f93b8e339c536989b8978a438",
        "0x765de816845861e75a25fca122bb6898b8b1282a",
        3000,
        "0x079e7a44f42e9cd2442c3b9536244be634e8f888",
    ),
    (
        "ethereum",
        "pancakeswap_v2",
        "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
        "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
        2500,
        "0x2e8135be71230c6b1b4045696d41c09db0414226",
    ),
    (
        "ethereum",
        "sushiswap_v3",
        "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
        "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
        500,
        "0x35644fb61afbc458bf92b15add6abc1996be5014",
    ),
    (
        "gnosis",
        "sushiswap_v2",
        "0xddafbb505ad214d7b80b1f830fccc89b60fb7a83",
        "0xe91d153e0b41518a2ce8dd3d7944fa863463a97d",
        3000,
        "0xa227c72a4055a9dc949cae24f54535fe890d3663",
    ),
    (
        "gnosis",
        "uniswap_v3",
        "0xddafbb505ad214d7b80b1f830fccc89b60fb7a83",
        "0xe91d153e0b41518a2ce8dd3d7944fa863463a97d",
        3000,
        "0x909e36ab6ea5db6fd71876fe319328bae4dfea29",
    ),
    (
        "linea",
        "pancakeswap_v3",
        "0x176211869ca2b568f2a7d4ee941e073a821ee1ff",
        "0xe5d7c2a44ffddf6b295a15c148167daaaf5cf34f",
        500,
        "0xd5539d0360438a66661148c633a9f0965e482845",
    ),
    (
        "linea",
        "uniswap_v3",
        "0x176211869ca2b568f2a7d4ee941e073a821ee1ff",
        "0xe5d7c2a44ffddf6b295a15c148167daaaf5cf34f",
        500,
        "0xc48622190a6b91d64ee7459c62fade9abe61b48a",
    ),
    (
        "monad",
        "pancakeswap_v3",
        "0x3bd359c1119da7da1d913d1c4d2b7c461115433a",
        "0x754704bc059f8c67012fed69bc8a327a5aafb603",
        500,
        "0x63e48b725540a3db24acf6682a29f877808c53f2",
    ),
    (
        "monad",
        "uniswap_v3",
        "0x3bd359c1119da7da1d913d1c4d2b7c461115433a",
        "0x754704bc059f8c67012fed69bc8a327a5aafb603",
        3000,
        "0x659bd0bc4167ba25c62e05656f78043e7ed4a9da",
    ),
    (
        "optimism",
        "sushiswap_v3",
        "0x0b2c639c533813f4aa9d7837caf62653d097ff85",
        "0x4200000000000000000000000000000000000006",
        500,
        "0x146eda2f1d35efb5eef5703acec701c68e1503d8",
    ),
    (
        "optimism",
        "uniswap_v2",
        "0x0b2c639c533813f4aa9d7837caf62653d097ff85",
        "0x4200000000000000000000000000000000000006",
        3000,
        "0x4c43646304492a925e335f2b6d840c1489f17815",
    ),
    (
        "optimism",
        "velodrome",
        "0x7f5c764cbc14f9669b88837ca1490cca17c31607",
        "0x94b008aa00579c1307b0ef2c499ad98a8ce58e58",
        500,
        "0x2b47c794c3789f499d8a54ec12f949eecce8ba16",
    ),
    (
        "optimism",
        "velodrome_slipstream",
        "0x0b2c639c533813f4aa9d7837caf62653d097ff85",
        "0x4200000000000000000000000000000000000006",
        500,
        "0x478946bcd4a5a22b316470f5486fafb928c0ba25",
    ),
    (
        "optimism",
        "velodrome_slipstream",
        "0x4200000000000000000000000000000000000006",
        "0x4200000000000000000000000000000000000042",
        3000,
        "0x4dc22588ade05c40338a9d95a6da9dcee68bcd60",
    ),
    (
        "optimism",
        "velodrome_slipstream",
        "0x0b2c639c533813f4aa9d7837caf62653d097ff85",
        "0x4200000000000000000000000000000000000006",
        500,
        "0x3241738149b24c9164da14fa2040159ffc6dd237",
    ),
    (
        "polygon",
        "quickswap_v3",
        "0x2791bca1f2de4661ed88a30c99a7a9449aa84174",
        "0x7ceb23fd6bc0add59e62ac25578270cff1b9f619",
        100,
        "0x55caabb0d2b704fd0ef8192a7e35d8837e678207",
    ),
    (
        "polygon",
        "quickswap_v3",
        "0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270",
        "0x2791bca1f2de4661ed88a30c99a7a9449aa84174",
        100,
        "0xae81fac689a1b4b1e06e7ef4a2ab4cd8ac0a087d",
    ),
    (
        "polygon",
        "uniswap_v2",
        "0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270",
        "0x3c499c542cef5e3811e1192ce70d8cc03d5c3359",
        3000,
        "0x1f0c5400a3c7e357cc7c9a3d2f7fe6ddf629d868",
    ),
    (
        "polygon",
        "uniswap_v3",
        "0x2791bca1f2de4661ed88a30c99a7a9449aa84174",
        "0x7ceb23fd6bc0add59e62ac25578270cff1b9f619",
        500,
        "0x45dda9cb7c25131df268515131f647d726f50608",
    ),
    (
        "scroll",
        "uniswap_v3",
        "0x06efdbff2a14a7c8e15944d1f4a48f9f95f663a4",
        "0x5300000000000000000000000000000000000004",
        500,
        "0x813df550a32d4a9d42010d057386429ad2328ed9",
    ),
    (
        "soneium",
        "uniswap_v3",
        "0x4200000000000000000000000000000000000006",
        "0xba9986d2381edf1da03b0b9c1f8b00dc4aacc369",
        500,
        "0xcd4255ceae51803a9333aa1a559991e17b024efc",
    ),
    (
        "sonic",
        "uniswap_v3",
        "0x039e2fb66102314ce7b64ce5ce3e5183bc94ad38",
        "0x29219dd400f2bf60e5a23d13be72b486d4038894",
        3000,
        "0xecb04e075503bd678241f00155abcb532c0a15eb",
    ),
    (
        "taiko",
        "uniswap_v3",
        "0x07d83526730c7438048d55a4fc0b850e2aab6f0b",
        "0xa51894664a773981c6c112c43ce576f315d5b1b6",
        500,
        "0xe47a76e15a6f3976c8dc070b3a54c7f7083d668b",
    ),
    (
        "unichain",
        "uniswap_v2",
        "0x078d782b760474a361dda0af3839290b0ef57ad6",
        "0x4200000000000000000000000000000000000006",
        3000,
        "0x8cbf356ecf5ae7035583543479996250178527f4",
    ),
    (
        "unichain",
        "uniswap_v3",
        "0x078d782b760474a361dda0af3839290b0ef57ad6",
        "0x4200000000000000000000000000000000000006",
        500,
        "0x65081cb48d74a32e9ccfed75164b8c09972dbcf1",
    ),
    (
        "worldchain",
        "uniswap_v2",
        "0x4200000000000000000000000000000000000006",
        "0x79a02482a880bce3f13e09da970dc34db4cd24d1",
        3000,
        "0x5a5189307eae50b0ef16eff3812b798091a4dd52",
    ),
    (
        "worldchain",
        "uniswap_v3",
        "0x4200000000000000000000000000000000000006",
        "0x79a02482a880bce3f13e09da970dc34db4cd24d1",
        500,
        "0x5f835420502a7702de50cd0e78d8aa3608b2137e",
    ),
    (
        "ethereum",
        "uniswap_v2",
        "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
        "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
        3000,
        "0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc",
    ),
    (
        "ethereum",
        "uniswap_v3",
        "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
        "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
        500,
        "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640",
    ),
    (
        "ethereum",
        "sushiswap_v2",
        "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
        "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
        3000,
        "0x397ff1542f962076d0bfe58ea045ffa2d347aca0",
    ),
    (
        "polygon",
        "quickswap_v2",
        "0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270",
        "0x2791bca1f2de4661ed88a30c99a7a9449aa84174",
        3000,
        "0x6e7a5fafcec6bb1e78bae2a1f0b612012bf14827",
    ),
    (
        "optimism",
        "uniswap_v3",
        "0x4200000000000000000000000000000000000006",
        "0x4200000000000000000000000000000000000042",
        3000,
        "0x68f5c0a2de713a54991e01858fd27a3832401849",
    ),
    (
        "ethereum",
        "pancakeswap_v3",
        "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
        "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
        500,
        "0x1ac1a8feaaea1900c4166deeed0c11cc10669d36",
    ),
    (
        "polygon",
        "sushiswap_v2",
        "0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270",
        "0x7ceb23fd6bc0add59e62ac25578270cff1b9f619",
        3000,
        "0xc4e595acdd7d12fec385e5da5d43160e8a0bac0e",
    ),
];

fn parse(text: &str) -> Address {
    text.parse().unwrap()
}

#[test]
fn well_known_pools_are_of_their_factories() {
    let mut wrong = Vec::new();
    for (chain, dex, token0, token1, fee, pool) in POOLS {
        let pair = Pair { token0: parse(token0), token1: parse(token1) };
        assert!(pair.token0 < pair.token1, "{pool}");
        let found = Factories::builtin().of_pool(chain, parse(pool), &pair);
        if found.as_ref().is_none_or(|found| (found.dex.as_str(), found.fee) != (dex, fee)) {
            wrong.push((chain, dex, pool, found));
        }
        let another = Pair { token0: pair.token1, token1: pair.token0 };
        assert_eq!(Factories::builtin().of_pool(chain, parse(pool), &another), None);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A row of which nobody has seen a pool where it says that it is could be wrong.
#[test]
fn every_row_with_addresses_has_a_well_known_pool_on_each_of_its_chains() {
    let mut without = Vec::new();
    for factory in Factories::builtin().rows() {
        // a row has pools where its kind gives them an address
        let some = Pair { token0: Address::repeat_byte(1), token1: Address::repeat_byte(2) };
        if factory.fees.first().and_then(|fee| factory.pool_of(&some, *fee)).is_none() {
            continue;
        }
        let known: BTreeSet<&str> = POOLS
            .iter()
            .filter(|(chain, dex, token0, token1, _, pool)| {
                let pair = Pair { token0: parse(token0), token1: parse(token1) };
                let is_of = |chain: &str| {
                    factory.makes(&pair, parse(pool)) && {
                        factory.chains.iter().any(|one| one == chain)
                    }
                };
                factory.dex == *dex && is_of(chain)
            })
            .map(|(chain, ..)| *chain)
            .collect();
        let missing = factory.chains.iter().filter(|chain| !known.contains(chain.as_str()));
        without.extend(missing.map(|chain| (chain, &factory.dex)));
    }
    // pools of these are in the recorded blocks that tests/market.rs reads
    without.retain(|(chain, dex)| (chain.as_str(), dex.as_str()) != ("ethereum", "shibaswap"));
    assert!(without.is_empty(), "{without:?}");
}

#[test]
fn pools_of_one_worth_and_steps_between_ticks_are_told_apart() {
    let known = |chain: &str, pool: &str| {
        let row = POOLS.iter().find(|row| row.0 == chain && row.5 == pool).unwrap();
        let pair = Pair { token0: parse(row.2), token1: parse(row.3) };
        Factories::builtin().of_pool(chain, parse(pool), &pair).unwrap()
    };
    let stable = known("optimism", "0x2b47c794c3789f499d8a54ec12f949eecce8ba16");
    let volatile = known("base", "0xcdac0d6c6c59727a65f871236188350531885c43");
    assert!(stable.is_stable && !volatile.is_stable);
    assert_eq!(known("base", "0xb2cc224c1c9fee385f8ad6a55b4d94e92359dc59").tick_spacing, 100);
    assert_eq!(known("base", "0x82321f3beb69f503380d6b233857d5c43562e2d0").tick_spacing, 200);
    assert_eq!(known("arbitrum", "0xb1026b8e7276e7ac75410f1fcbbe21796e8f7526").tick_spacing, 1);
}

/// Where an address does not follow, the factory's own event has to say it; anybody else's says nothing.
#[test]
fn pools_of_factories_without_addresses_are_believed_by_their_events() {
    let ink = parse("0x640887a9ba3a9c53ed27d0f7e8246a4f933f3424");
    let made = Created {
        token0: Address::repeat_byte(1),
        token1: Address::repeat_byte(2),
        pool: PoolId::Contract(Address::repeat_byte(3)),
        fee: Some(3_000),
        tick_spacing: Some(60),
        is_stable: false,
        hooks: Address::ZERO,
        spot: None,
    };
    let bound = Factories::builtin().made_by("ink", ink, &made).unwrap();
    assert_eq!((bound.pool, bound.fee, bound.tick_spacing), (made.pool, 3_000, 60));
    assert_eq!(Factories::builtin().made_by("ink", Address::repeat_byte(4), &made), None);
    assert_eq!(Factories::builtin().made_by("base", ink, &made), None, "it is of another chain");
    // Slipstream's event says no fee: that of its step is taken, and of a step that is not listed the first
    let slipstream = parse("0x5e7bb104d84c7cb9b682aac2f3d509f5f406809a");
    let of = |step| {
        let made = Created { fee: None, tick_spacing: Some(step), ..made };
        Some(Factories::builtin().made_by("base", slipstream, &made)?.fee)
    };
    assert_eq!((of(200), of(7)), (Some(3_000), Some(100)));
    let aerodrome = parse("0x420dd381b31aef6683db6b902084cb0ffece40da");
    let made = Created { fee: None, tick_spacing: None, is_stable: true, ..made };
    let bound = Factories::builtin().made_by("base", aerodrome, &made).unwrap();
    assert_eq!((bound.fee, bound.is_stable), (500, true));
}
