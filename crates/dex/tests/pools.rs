//! Well-known pools: their addresses follow from the rows of their factories.

use std::collections::BTreeSet;

use alloy_primitives::Address;
use superroot_dex::{Created, Factories, Pair, PoolId};
use superroot_types::Hash;

/// Chain, exchange, both tokens, fee in millionths, pool.
const POOLS: [(&str, &str, &str, &str, u32, &str); 97] = [
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
    (
        "ink",
        "uniswap_v3",
        "0x0200c29006150606b650577bbe7b6248f58470c1",
        "0x4200000000000000000000000000000000000006",
        3000,
        "0x356667da30c89cc36c65d394500424d5eba8731c",
    ),
    (
        "monad",
        "uniswap_v2",
        "0x3bd359c1119da7da1d913d1c4d2b7c461115433a",
        "0x754704bc059f8c67012fed69bc8a327a5aafb603",
        3000,
        "0x3fe12728ea1b89e4bac6e59a9130b61a27d032f8",
    ),
    (
        "soneium",
        "uniswap_v2",
        "0x4200000000000000000000000000000000000006",
        "0xba9986d2381edf1da03b0b9c1f8b00dc4aacc369",
        3000,
        "0x50791d0846438124d630b5095c2a3ce95252a46b",
    ),
    (
        "linea",
        "uniswap_v2",
        "0x176211869ca2b568f2a7d4ee941e073a821ee1ff",
        "0xe5d7c2a44ffddf6b295a15c148167daaaf5cf34f",
        3000,
        "0x85e140a505ac30857fcf7d082b6dac3ee14da396",
    ),
    (
        "polygon",
        "sushiswap_v3",
        "0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270",
        "0x2791bca1f2de4661ed88a30c99a7a9449aa84174",
        500,
        "0x21988c9cfd08db3b5793c2c6782271dc94749251",
    ),
    (
        "bnb",
        "sushiswap_v3",
        "0x55d398326f99059ff775485246999027b3197955",
        "0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c",
        500,
        "0xc0e2792774b2f602f74f6056ed95ab958d253823",
    ),
    (
        "avalanche",
        "sushiswap_v3",
        "0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7",
        "0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e",
        500,
        "0x4a5c0e100f830a1f6b76a42e6bb4be2a7fe0d61b",
    ),
    (
        "scroll",
        "sushiswap_v3",
        "0x06efdbff2a14a7c8e15944d1f4a48f9f95f663a4",
        "0x5300000000000000000000000000000000000004",
        3000,
        "0xe64ae4128e725868e8fe52e771e3d272e787b041",
    ),
    (
        "linea",
        "sushiswap_v3",
        "0x176211869ca2b568f2a7d4ee941e073a821ee1ff",
        "0xe5d7c2a44ffddf6b295a15c148167daaaf5cf34f",
        500,
        "0x7077f0cff76077d0ebb335b607db574400510557",
    ),
    (
        "hyperevm",
        "project_x",
        "0x5555555555555555555555555555555555555555",
        "0xb88339cb7199b77e23db6e890353e22632ba630f",
        500,
        "0x6c9a33e3b592c0d65b3ba59355d5be0d38259285",
    ),
    (
        "hyperevm",
        "hyperswap_v3",
        "0x5555555555555555555555555555555555555555",
        "0xb8ce59fc3717ada4c02eadf9682a9e934f625ebb",
        3000,
        "0x56abfaf40f5b7464e9cc8cff1af13863d6914508",
    ),
    (
        "sonic",
        "shadow",
        "0x039e2fb66102314ce7b64ce5ce3e5183bc94ad38",
        "0x29219dd400f2bf60e5a23d13be72b486d4038894",
        3000,
        "0x324963c267c354c7660ce8ca3f5f167e05649970",
    ),
    (
        "linea",
        "etherex_cl",
        "0x176211869ca2b568f2a7d4ee941e073a821ee1ff",
        "0xe5d7c2a44ffddf6b295a15c148167daaaf5cf34f",
        3000,
        "0x90e8a5b881d211f418d77ba8978788b62544914b",
    ),
    (
        "avalanche",
        "pharaoh_v3",
        "0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7",
        "0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e",
        500,
        "0xf01449c0ba930b6e2caca3def3ccbd7a3e589534",
    ),
    (
        "hyperevm",
        "ramses_cl",
        "0x5555555555555555555555555555555555555555",
        "0xb8ce59fc3717ada4c02eadf9682a9e934f625ebb",
        500,
        "0xee02e3a3034e9ef3bd569b140bc9911fcf1ba067",
    ),
    (
        "arbitrum",
        "ramses_cl",
        "0x82af49447d8a07e3bd95bd0d56f35241523fbab1",
        "0xaf88d065e77c8cc2239327c5edb3a432268e5831",
        500,
        "0x30afbcf9458c3131a6d051c621e307e6278e4110",
    ),
    (
        "arbitrum",
        "pancakeswap_v2",
        "0x82af49447d8a07e3bd95bd0d56f35241523fbab1",
        "0xaf88d065e77c8cc2239327c5edb3a432268e5831",
        2500,
        "0xa59bd260f9707ea44551c510f714ccd482ec75d8",
    ),
    (
        "base",
        "pancakeswap_v2",
        "0x4200000000000000000000000000000000000006",
        "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        2500,
        "0x79474223aedd0339780bacce75abda0be84dcbf9",
    ),
    (
        "linea",
        "pancakeswap_v2",
        "0x176211869ca2b568f2a7d4ee941e073a821ee1ff",
        "0xe5d7c2a44ffddf6b295a15c148167daaaf5cf34f",
        2500,
        "0xb91a09d3794e815008194b0423802af8359516db",
    ),
    (
        "base",
        "sushiswap_v2",
        "0x4200000000000000000000000000000000000006",
        "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        3000,
        "0x2f8818d1b0f3e3e295440c1c0cddf40aaa21fa87",
    ),
    (
        "bnb",
        "sushiswap_v2",
        "0x55d398326f99059ff775485246999027b3197955",
        "0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c",
        3000,
        "0x2905817b020fd35d9d09672946362b62766f0d69",
    ),
    (
        "avalanche",
        "sushiswap_v2",
        "0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7",
        "0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e",
        3000,
        "0x6539bf462f73ff9497054ba261c195da8639ed61",
    ),
    (
        "base",
        "aerodrome_slipstream",
        "0x4200000000000000000000000000000000000006",
        "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        500,
        "0xc758d81b9b81a6fcdad075bd471874a2c46b54e0",
    ),
    (
        "unichain",
        "velodrome",
        "0x078d782b760474a361dda0af3839290b0ef57ad6",
        "0x4200000000000000000000000000000000000006",
        3000,
        "0x13a6bc52c243a809394f3f656606213aebd3e84d",
    ),
    (
        "ink",
        "velodrome_slipstream",
        "0x0200c29006150606b650577bbe7b6248f58470c1",
        "0x4200000000000000000000000000000000000006",
        500,
        "0xac7fc3e9b9d3377a90650fe62b858ff56bd841c9",
    ),
    (
        "soneium",
        "velodrome_slipstream",
        "0x4200000000000000000000000000000000000006",
        "0xba9986d2381edf1da03b0b9c1f8b00dc4aacc369",
        500,
        "0x5441c4c5cc00d33bd9409f742d511ee01db1667b",
    ),
    (
        "celo",
        "velodrome_slipstream",
        "0x48065fbbe25f71c9282ddf5e1cd6d6a887483d5e",
        "0xd221812de1bd094f35587ee8e174b07b6167d9af",
        500,
        "0xa6a14e6767c07ffba3786ac0054a8647cfdca58d",
    ),
    (
        "polygon",
        "quickswap_v4",
        "0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270",
        "0x3c499c542cef5e3811e1192ce70d8cc03d5c3359",
        100,
        "0xb3fa2feb8eb215562b3a98a7eeca4a79ecf37dfc",
    ),
    (
        "base",
        "quickswap_v4",
        "0x4200000000000000000000000000000000000006",
        "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        100,
        "0x5a9ad2bb92b0b3e5c571fdd5125114e04e02be1a",
    ),
    (
        "soneium",
        "quickswap_v4",
        "0x4200000000000000000000000000000000000006",
        "0xba9986d2381edf1da03b0b9c1f8b00dc4aacc369",
        100,
        "0x4e13c7fd28fe96fa5992e7df7d882358629de03a",
    ),
    (
        "base",
        "hydrex",
        "0x4200000000000000000000000000000000000006",
        "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        100,
        "0x82dbe18346a8656dbb5e76f74bf3ae279cc16b29",
    ),
    (
        "sonic",
        "swapx",
        "0x039e2fb66102314ce7b64ce5ce3e5183bc94ad38",
        "0x29219dd400f2bf60e5a23d13be72b486d4038894",
        100,
        "0x5c4b7d607aaf7b5cde9f09b5f03cf3b5c923aeea",
    ),
    (
        "linea",
        "lynex",
        "0x176211869ca2b568f2a7d4ee941e073a821ee1ff",
        "0xe5d7c2a44ffddf6b295a15c148167daaaf5cf34f",
        100,
        "0x3cb104f044db23d6513f2a6100a1997fa5e3f587",
    ),
    (
        "bnb",
        "thena_fusion",
        "0x55d398326f99059ff775485246999027b3197955",
        "0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c",
        100,
        "0xd405b976ac01023c9064024880999fc450a8668b",
    ),
    (
        "bnb",
        "thena_integral",
        "0x55d398326f99059ff775485246999027b3197955",
        "0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c",
        100,
        "0x9ea0f51fd2133d995cf00229bc523737415ad318",
    ),
    (
        "taiko",
        "henjin",
        "0x07d83526730c7438048d55a4fc0b850e2aab6f0b",
        "0xa51894664a773981c6c112c43ce576f315d5b1b6",
        100,
        "0x044e9d04e95da164e7c7a9e2ec734610c09aae13",
    ),
    (
        "gnosis",
        "swapr_v3",
        "0x9c58bacc331c9aa871afd802db6379a98e80cedb",
        "0xe91d153e0b41518a2ce8dd3d7944fa863463a97d",
        100,
        "0x63aec253e5dbdcfc634f5e9dd18daaeb6632c7c7",
    ),
    (
        "gnosis",
        "honeyswap",
        "0x71850b7e9ee3f13ab46d67167341e4bdc905eef9",
        "0xe91d153e0b41518a2ce8dd3d7944fa863463a97d",
        3000,
        "0x4505b262dc053998c10685dc5f9098af8ae5c8ad",
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

/// Two exchanges on one chain may have one code and one salt: who creates the pool tells them apart.
#[test]
fn a_pool_is_of_one_factory_of_its_chain() {
    let builtin = Factories::builtin();
    for (chain, dex, token0, token1, _, pool) in POOLS {
        let pair = Pair { token0: parse(token0), token1: parse(token1) };
        let there = builtin.rows().iter().filter(|row| row.chains.iter().any(|one| one == chain));
        let makers: Vec<&str> =
            there.filter(|row| row.makes(&pair, parse(pool))).map(|row| row.dex.as_str()).collect();
        assert_eq!(makers, [dex], "{pool}");
    }
    let of_base = |dex: &str| {
        let mut rows = builtin.rows().iter();
        rows.find(|row| row.dex == dex && row.chains == ["base"]).unwrap()
    };
    let (one, other) = (of_base("quickswap_v4"), of_base("hydrex"));
    let pair = Pair { token0: Address::repeat_byte(1), token1: Address::repeat_byte(2) };
    let pool = |row: &superroot_dex::Factory| row.pool_of(&pair, 100).unwrap();
    assert_ne!(pool(one), pool(other));
    assert!(!one.makes(&pair, pool(other)) && !other.makes(&pair, pool(one)));
    assert_eq!(builtin.of_pool("base", pool(other), &pair).unwrap().dex, "hydrex");
    assert_eq!(builtin.of_pool("polygon", pool(other), &pair), None);
    let given = (100, 1);
    assert_eq!(builtin.bind("polygon", PoolId::Contract(pool(other)), &pair, given), None);
}

/// What sets the steps between ticks of an unlisted fee is not in the address: nobody's word is taken for it.
#[test]
fn steps_between_ticks_of_an_unlisted_fee_are_the_usual_ones() {
    let builtin = Factories::builtin();
    let pair = Pair { token0: Address::repeat_byte(1), token1: Address::repeat_byte(2) };
    let factory = "0x1f98431c8ad98523631ae4a59f267346ea31f984";
    let hash = "0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54";
    for (fee, usual) in [(400, 8), (123, 1)] {
        let listed = format!(
            "[[factory]]\ndex = \"uniswap_v3\"\nchains = [\"ethereum\"]\nform = \"v3\"\n\
             address = \"{factory}\"\ninit_code_hash = \"{hash}\"\nfees = [{fee}]"
        );
        let listed = Factories::parse(&listed).unwrap();
        let pool = PoolId::Contract(listed.rows()[0].pool_of(&pair, fee).unwrap());
        for given in [usual, 1, 60, 16_384, 0, -1, i32::MAX, i32::MIN] {
            let bound = builtin.bind("ethereum", pool, &pair, (fee, given)).unwrap();
            assert_eq!((bound.fee, bound.tick_spacing), (fee, usual), "{given}");
        }
        assert_eq!(builtin.bind("ethereum", pool, &pair, (fee + 1, usual)), None);
        // the factory's own event says what it set
        let made = Created { tick_spacing: Some(60), ..created(pool, fee) };
        let bound = builtin.made_by("ethereum", parse(factory), &made).unwrap();
        assert_eq!((bound.fee, bound.tick_spacing), (fee, 60));
    }
}

fn created(pool: PoolId, fee: u32) -> Created {
    Created {
        token0: Address::repeat_byte(1),
        token1: Address::repeat_byte(2),
        pool,
        fee: Some(fee),
        tick_spacing: Some(1),
        is_stable: false,
        hooks: Address::ZERO,
        spot: None,
    }
}

/// A pool of Base of its coin and USDC: its id is the hash of its key, and says fee, steps and manager.
#[test]
fn a_pool_of_pancakeswap_infinity_has_the_id_of_its_key() {
    let builtin = Factories::builtin();
    let manager = parse("0xa0ffb9c1ce1fe56963b0321b32e7a0302114058b");
    let usdc = parse("0x833589fcd6edb6e08f4c7c32d4f71b54bda02913");
    let pair = Pair { token0: Address::ZERO, token1: usdc };
    let id: Hash =
        "0xf6e81e5d16a7274d273905e0068f9f607b840c20bec23b2e442976ee03b29d91".parse().unwrap();
    let bound = builtin.bind("base", PoolId::Within(manager, id), &pair, (47, 1)).unwrap();
    assert_eq!(bound.dex, "pancakeswap_infinity");
    assert_eq!((bound.fee, bound.tick_spacing, bound.fee_may_change), (47, 1, false));
    let other = Pair { token0: parse("0x4200000000000000000000000000000000000006"), token1: usdc };
    let v4 = parse("0x498581ff718922c3f8e6a244956af099b2652b2b");
    for (chain, at, pair, given) in [
        ("base", manager, pair, (48, 1)),
        ("base", manager, pair, (47, 2)),
        ("base", manager, pair, (47, -1)),
        ("base", manager, other, (47, 1)),
        ("base", v4, pair, (47, 1)),
        ("base", Address::repeat_byte(7), pair, (47, 1)),
        ("ethereum", manager, pair, (47, 1)),
    ] {
        let pool = PoolId::Within(at, id);
        assert_eq!(builtin.bind(chain, pool, &pair, given), None, "{chain} {at} {given:?}");
    }
    // a fee that its hook sets, or any hook: no price
    let pool = PoolId::Within(manager, id);
    let made = |fee, hooks| Created { hooks, ..created(pool, fee) };
    assert!(builtin.made_by("base", manager, &made(47, Address::ZERO)).is_some());
    assert_eq!(builtin.made_by("base", manager, &made(0x80_0000, Address::ZERO)), None);
    assert_eq!(builtin.made_by("base", manager, &made(47, Address::repeat_byte(9))), None);
}

/// Fees of Ramses and its copies are set anew with the market, whatever form their addresses have.
#[test]
fn a_row_says_where_fees_may_change() {
    let builtin = Factories::builtin();
    let pair = Pair { token0: Address::repeat_byte(1), token1: Address::repeat_byte(2) };
    let may_change = |chain: &str, dex: &str| {
        let pools = builtin.pools_of(chain, &pair);
        pools.iter().find(|pool| pool.dex == dex).unwrap().fee_may_change
    };
    assert!(may_change("arbitrum", "ramses_cl"));
    assert!(!may_change("arbitrum", "uniswap_v3"));
    let kittenswap = parse("0x2e08f5ff603e4343864b14599caedb19918bdcaf");
    let made = Created { fee: None, ..created(PoolId::Contract(Address::repeat_byte(3)), 0) };
    let bound = builtin.made_by("hyperevm", kittenswap, &made).unwrap();
    assert_eq!((bound.fee, bound.fee_may_change), (500, true));
}
