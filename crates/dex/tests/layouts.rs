//! Forms of events that copies of Uniswap v3 and v4 have beside those: whole, cut, and with words past their types.

use alloy_primitives::{Address, I256, U256, address, keccak256};
use superroot_dex::{PoolEvent, PoolId, decode, tick};
use superroot_types::Hash;

/// A word of data: bits of its type, and whether it has a sign.
type Word = (usize, bool);

const ANY: Word = (256, false);
const ADDRESS: Word = (160, false);
const TICK: Word = (24, true);

/// Signature, topics behind the first with the ticks among them, words.
const LAYOUTS: [(&str, [Word; 3], usize, &[Word]); 9] = [
    (
        "Swap(address,address,int256,int256,uint160,uint128,int24,uint24,uint24)",
        [ANY; 3],
        2,
        &[ANY, ANY, (160, false), (128, false), TICK, (24, false), (24, false)],
    ),
    (
        "Burn(address,int24,int24,uint128,uint256,uint256,uint24)",
        [ANY, TICK, TICK],
        3,
        &[(128, false), ANY, ANY, (24, false)],
    ),
    (
        "Mint(address,address,uint256,int24,int24,uint128,uint256,uint256)",
        [ANY, TICK, TICK],
        3,
        &[ADDRESS, ANY, (128, false), ANY, ANY],
    ),
    (
        "Initialize(bytes32,address,address,address,uint24,bytes32,uint160,int24)",
        [ANY, ADDRESS, ADDRESS],
        3,
        &[ADDRESS, (24, false), (40, false), (160, false), TICK],
    ),
    (
        "Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24,uint16)",
        [ANY; 3],
        2,
        &[(128, true), (128, true), (160, false), (128, false), TICK, (24, false), (16, false)],
    ),
    (
        "Initialize(bytes32,address,address,address,uint24,bytes32,uint24)",
        [ANY, ADDRESS, ADDRESS],
        3,
        &[ADDRESS, (24, false), (40, false), (24, false)],
    ),
    (
        "Swap(bytes32,address,int128,int128,uint24,uint24,uint16)",
        [ANY; 3],
        2,
        &[(128, true), (128, true), (24, false), (24, false), (16, false)],
    ),
    (
        "LBPairCreated(address,address,uint256,address,uint256)",
        [ADDRESS, ADDRESS, (16, false)],
        3,
        &[ADDRESS, ANY],
    ),
    (
        "Swap(address,address,uint24,bytes32,bytes32,uint24,bytes32,bytes32)",
        [ANY; 3],
        2,
        &[(24, false), ANY, ANY, (24, false), ANY, ANY],
    ),
];

fn word(value: U256) -> [u8; 32] {
    value.to_be_bytes()
}

/// A value that each word can have; of parameters the one that says a step of one.
fn within((bits, _): Word) -> [u8; 32] {
    word(if bits == 40 { U256::from(1) << 16 } else { U256::from(1) })
}

/// The least value that a type has no room for, with the sign as without one.
fn past((bits, has_sign): Word) -> Option<[u8; 32]> {
    let bits = bits - usize::from(has_sign);
    (bits < 255).then(|| word(U256::from(1) << bits))
}

#[test]
fn what_is_cut_or_past_its_type_is_no_event_of_a_pool() {
    let by = Address::repeat_byte(7);
    let read = |topics: &[Hash], data: &[[u8; 32]]| decode(by, topics, &data.concat());
    for (signature, kinds, indexed, words) in LAYOUTS {
        let first = Hash(keccak256(signature).0);
        let topics: Vec<Hash> = [first]
            .into_iter()
            .chain(kinds[..indexed].iter().map(|kind| Hash(within(*kind))))
            .collect();
        let data: Vec<[u8; 32]> = words.iter().map(|kind| within(*kind)).collect();
        assert!(read(&topics, &data).is_some(), "{signature}");
        let bytes = data.concat();
        for cut in 0..bytes.len() {
            assert_eq!(decode(by, &topics, &bytes[..cut]), None, "{signature}: {cut} bytes");
        }
        assert_eq!(read(&topics, &[data.as_slice(), &[[0; 32]]].concat()), None, "{signature}");
        for count in 0..topics.len() {
            assert_eq!(read(&topics[..count], &data), None, "{signature}: {count} topics");
        }
        assert_eq!(read(&[topics.as_slice(), &[first]].concat(), &data), None, "{signature}");
        for (place, kind) in words.iter().enumerate() {
            let Some(wide) = past(*kind) else { continue };
            let mut data = data.clone();
            data[place] = wide;
            assert_eq!(read(&topics, &data), None, "{signature}: word {place}");
            data[place] = [0xff; 32];
            assert_eq!(read(&topics, &data).is_some(), kind.1, "{signature}: minus one, {place}");
        }
        for (place, kind) in kinds[..indexed].iter().enumerate() {
            let Some(wide) = past(*kind) else { continue };
            let mut topics = topics.clone();
            topics[place + 1] = Hash(wide);
            assert_eq!(read(&topics, &data), None, "{signature}: topic {place}");
        }
    }
}

/// Steps of nothing and below nothing, and calls of a hook that is not there, are no pool of PancakeSwap Infinity.
#[test]
fn parameters_that_no_pool_has_are_refused() {
    let (signature, kinds, _, words) = LAYOUTS[3];
    let topics: Vec<Hash> = [Hash(keccak256(signature).0)]
        .into_iter()
        .chain(kinds.iter().map(|kind| Hash(within(*kind))))
        .collect();
    let read = |parameters: u64, hooks: Address| {
        let mut data: Vec<[u8; 32]> = words.iter().map(|kind| within(*kind)).collect();
        data[0] = hooks.into_word().0;
        data[2] = word(U256::from(parameters));
        match decode(Address::ZERO, &topics, &data.concat())?.event {
            PoolEvent::Created(made) => made.tick_spacing,
            other => panic!("{other:?}"),
        }
    };
    let hook = Address::repeat_byte(9);
    assert_eq!(read(10 << 16, Address::ZERO), Some(10));
    assert_eq!(read((10 << 16) + 0x55, hook), Some(10));
    assert_eq!(read((10 << 16) + 0x55, Address::ZERO), None, "calls of no hook");
    assert_eq!(read(0, hook), None);
    assert_eq!(read(1 << 39, hook), None, "the sign of the steps");
    assert_eq!(read((10 << 16) + (1 << 40), hook), None);
}

/// A mint of a pool of HyperEVM: its owner, which of its positions, and a range below zero.
#[test]
fn a_real_mint_of_ramses_is_read() {
    let by = address!("ee02e3a3034e9ef3bd569b140bc9911fcf1ba067");
    let owner = address!("b3f77c5134d643483253d22e0ca24627ae42ed51");
    let signed = |tick: i32| word(I256::try_from(tick).unwrap().into_raw());
    let topics = [
        Hash(keccak256(LAYOUTS[2].0).0),
        Hash(owner.into_word().0),
        Hash(signed(-239_640)),
        Hash(signed(-239_630)),
    ];
    let amount = 0x0061_95d8_0fdb_a6de_u128;
    let amount0 = 0x1e70_9140_f362_c0ad_u64;
    let numbers = [0x247d, amount, amount0.into(), 0].map(|number: u128| word(U256::from(number)));
    let data = [[owner.into_word().0].as_slice(), &numbers].concat().concat();
    let read = decode(by, &topics, &data).unwrap();
    assert_eq!(read.pool, PoolId::Contract(by));
    let PoolEvent::Liquidity(added) = read.event else { panic!("{read:?}") };
    assert_eq!(added.ticks, Some((-239_640, -239_630)));
    assert_eq!(added.delta, I256::try_from(amount).ok());
    assert_eq!(added.amounts, Some([U256::from(amount0), U256::ZERO]));
    assert!(!added.is_taken);
}

/// A swap of BNB Smart Chain, of USDT and the wrapped coin.
#[test]
fn a_real_swap_of_pancakeswap_infinity_is_read() {
    let manager = address!("a0ffb9c1ce1fe56963b0321b32e7a0302114058b");
    let id: Hash =
        "0x9a5d9822856a5b78491108a85725d4488352ccd5dcff2f8dbcd0a5a4b5edb3be".parse().unwrap();
    let sender = address!("48d9cb0c40287a377e961925bd89f777ffdc4eed");
    let topics = [Hash(keccak256(LAYOUTS[4].0).0), id, Hash(sender.into_word().0)];
    let (given, taken) = (206_621_096_264_442_758_103_i128, 0x15c_ddb3_4705_4b80_9f3b_i128);
    let root: U256 = "0x58bd524e66275ce25175b6c74".parse().unwrap();
    let liquidity = 0x1372_e02b_fd18_e3d4_5a32_u128;
    let data = [
        word(I256::try_from(-given).unwrap().into_raw()),
        word(U256::from(taken.unsigned_abs())),
        word(root),
        word(U256::from(liquidity)),
        word(U256::from(0x85d8)),
        word(U256::from(0x63)),
        word(U256::from(0x20)),
    ];
    let read = decode(manager, &topics, &data.concat()).unwrap();
    assert_eq!(read.pool, PoolId::Within(manager, id));
    let PoolEvent::Swapped(gained, Some(spot)) = read.event else { panic!("{read:?}") };
    assert_eq!(gained, [given, -taken].map(|amount| I256::try_from(amount).unwrap()));
    assert_eq!((spot.sqrt_price_x96, spot.liquidity), (root, Some(liquidity)));
    assert_eq!((spot.tick, tick::tick_at(root)), (34_264, Some(34_264)));
}
