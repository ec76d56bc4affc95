//! Laws: nothing that comes makes a decoder panic, and ticks and prices lead to each other.

use alloy_primitives::{Address, I256, U256};
use proptest::prelude::*;
use superroot_dex::{Factories, Price, decode, tick, topics};
use superroot_types::Hash;

proptest! {
    #[test]
    fn no_log_makes_a_decoder_panic(
        form in any::<prop::sample::Index>(), others in proptest::collection::vec(any::<[u8; 32]>(), 0..4),
        words in proptest::collection::vec(any::<[u8; 32]>(), 0..8), cut in 0_usize..32, keep in 0_u8..33,
    ) {
        let all: Vec<Hash> = topics().map(|(topic, _)| topic).collect();
        let mut given = vec![*form.get(&all)];
        // words of few bytes are within their types, others are not
        let narrow = |mut word: [u8; 32]| {
            word[..32 - usize::from(keep.min(32))].fill(0);
            word
        };
        given.extend(others.into_iter().map(narrow).map(Hash));
        let mut data = words.into_iter().flat_map(narrow).collect::<Vec<u8>>();
        let whole = decode(Address::ZERO, &given, &data);
        if cut > 0 && data.pop().is_some() {
            prop_assert_eq!(decode(Address::ZERO, &given, &data), None);
        }
        let _ = whole;
    }

    #[test]
    fn a_tick_has_its_price_and_the_price_its_tick(at in tick::TICK_MIN..tick::TICK_MAX, more: u64) {
        let here = tick::sqrt_price_at(at).unwrap();
        let next = tick::sqrt_price_at(at + 1).unwrap();
        prop_assert!(here < next);
        prop_assert_eq!(tick::tick_at(here), Some(at));
        let between = here + U256::from(more) % (next - here);
        prop_assert_eq!(tick::tick_at(between), Some(at));
    }

    #[test]
    fn a_price_and_its_inverse_are_reduced(reserve0 in 1_u128.., reserve1 in 1_u128..) {
        let price = Price::of_reserves([U256::from(reserve0), U256::from(reserve1)]).unwrap();
        prop_assert_eq!(price.inverse().inverse(), price);
        let (numerator, denominator) = price.parts();
        prop_assert_eq!(numerator.gcd(denominator).to::<u64>(), 1);
        let swapped = [I256::try_from(reserve0).unwrap(), -I256::try_from(reserve1).unwrap()];
        prop_assert_eq!(Price::of_swap(swapped), Some(price));
        prop_assert_eq!(Price::of_swap([swapped[1], swapped[0]]), Some(price));
    }
}

proptest! {
    /// What the contracts give for a very small amount is the slope, however the pool stands (Solidly, `_get_y`).
    #[test]
    fn a_pool_for_tokens_of_one_worth_has_the_slope_of_its_curve(
        whole0 in 1_000_u64..1_000_000_000, whole1 in 1_000_u64..1_000_000_000,
        digits0 in 2_u8..13, digits1 in 2_u8..13,
    ) {
        let units = |whole: u64, digits: u8| U256::from(whole) * U256::from(10).pow(U256::from(digits));
        let reserves = [units(whole0, digits0), units(whole1, digits1)];
        let price = Price::of_stable_reserves(reserves, [digits0, digits1]).unwrap();
        let (numerator, denominator) = price.parts();
        let as_f64 = |number: alloy_primitives::U512| number.to_string().parse::<f64>().unwrap();
        let got = as_f64(numerator) / as_f64(denominator) * 10_f64.powi(i32::from(digits0) - i32::from(digits1));
        // second computation: the difference of the curve along both ways
        let (x, y) = (whole0 as f64, whole1 as f64);
        let k = |x: f64, y: f64| x * y * (x * x + y * y);
        let (dx, dy) = (x * 1e-5, y * 1e-5);
        let along_x = (k(x + dx, y) - k(x - dx, y)) / dx;
        let along_y = (k(x, y + dy) - k(x, y - dy)) / dy;
        prop_assert!((got / (along_x / along_y) - 1.0).abs() < 1e-6, "{got} {along_x} {along_y}");
        let other = Price::of_stable_reserves([reserves[1], reserves[0]], [digits1, digits0]).unwrap();
        prop_assert_eq!(other.inverse(), price);
    }

    #[test]
    fn no_reserves_make_a_price_panic(reserve0: [u8; 32], reserve1: [u8; 32], digits: [u8; 2]) {
        let reserves = [U256::from_be_bytes(reserve0), U256::from_be_bytes(reserve1)];
        let _ = Price::of_stable_reserves(reserves, digits);
    }
}

#[test]
fn there_are_no_ticks_beyond_the_last_and_no_price_of_nothing() {
    assert_eq!(tick::sqrt_price_at(tick::TICK_MAX + 1), None);
    assert_eq!(tick::sqrt_price_at(i32::MIN), None);
    assert_eq!(tick::tick_at(U256::ZERO), None);
    assert_eq!(tick::tick_at(U256::MAX), None);
    // MIN_SQRT_RATIO and MAX_SQRT_RATIO of v3-core
    assert_eq!(tick::sqrt_price_at(tick::TICK_MIN).unwrap().to_string(), "4295128739");
    let most = "1461446703485210103287273052203988822378723970342";
    assert_eq!(tick::sqrt_price_at(tick::TICK_MAX).unwrap().to_string(), most);
    assert_eq!(Price::of_reserves([U256::ZERO, U256::ONE]), None);
    assert_eq!(Price::of_stable_reserves([U256::ZERO, U256::ONE], [18, 6]), None);
    let level = Price::of_stable_reserves([U256::from(7), U256::from(7)], [6, 6]).unwrap();
    assert_eq!(level.parts().0, level.parts().1, "as much of both: one for one");
    assert_eq!(Price::of_swap([I256::ONE, I256::ONE]), None);
}

#[test]
fn rows_of_factories_that_say_too_little_are_refused() {
    assert!(Factories::builtin().rows().len() > 8);
    let row = |more: &str| {
        format!(
            "[[factory]]\ndex = \"a\"\nchains = [\"base\"]\naddress = \"0x{}\"\n{more}",
            "11".repeat(20)
        )
    };
    let hash = format!("init_code_hash = \"0x{}\"", "22".repeat(32));
    let good = row(&format!("form = \"v2\"\n{hash}\nfees = [3000]"));
    assert_eq!(Factories::parse(&good).unwrap().rows().len(), 1);
    let both = Factories::builtin().with(&good).unwrap();
    assert_eq!(both.rows().len(), Factories::builtin().rows().len() + 1);
    assert_eq!(both.rows()[0].dex, "a", "an operator's come first");
    let builtin = Factories::builtin();
    let known = builtin.rows().iter().find(|row| row.chains.len() > 1).unwrap();
    let corrected = good.replace(&"11".repeat(20), &format!("{:x}", known.address));
    let corrected = builtin.with(&corrected.replace("base", &known.chains[0])).unwrap();
    let there = |chain: &String| {
        let rows = corrected.rows().iter();
        rows.filter(|row| row.address == known.address && row.chains.contains(chain)).count()
    };
    assert!(known.chains.iter().all(|chain| there(chain) == 1), "one row stands at one place");
    assert_eq!(corrected.at(&known.chains[0], known.address).unwrap().dex, "a");
    assert!(Factories::parse(&[good.as_str(), &good].join("\n")).is_err(), "twice the same");
    for bad in [
        row(&format!("form = \"v2\"\n{hash}\nfees = [3000, 500]")),
        row(&format!("form = \"v3\"\n{hash}\nfees = []")),
        row(&format!("form = \"v3\"\n{hash}\nfees = [1000000]")),
        row("form = \"v3\"\nfees = [500]"),
        row("form = \"v5\""),
        row("form = \"infinity\"\nfees = [100]"),
        row(&format!("form = \"infinity\"\n{hash}")),
        row(&format!("form = \"solidly\"\n{hash}\nfees = [3000]")),
        row(&format!("form = \"slipstream\"\n{hash}\nfees = [3000]")),
        row(&format!("form = \"slipstream\"\n{hash}\nfees = [3000]\ntick_spacings = [0]")),
        row(&format!(
            "form = \"algebra\"\n{hash}\nimplementation = \"0x{}\"\nfees = [1]",
            "11".repeat(20)
        )),
        row(&format!("form = \"event\"\n{hash}\nfees = [3000]")),
        row("form = \"event\""),
        row(&format!("form = \"v4\"\n{hash}")),
        row("form = \"v4\"\ncolour = 1"),
    ] {
        assert!(Factories::parse(&bad).is_err(), "{bad}");
    }
}
