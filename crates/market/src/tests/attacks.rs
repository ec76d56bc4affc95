//! Markets that somebody bends: a pump of one block, and names that are another's.

use super::*;

/// The pool of two tokens at the factory of Uniswap v2, and what it says that it holds.
fn sync_of(tokens: [Token; 2], held: [u64; 2]) -> Event {
    let (pair, _) = crate::pair_of(tokens[0].address, tokens[1].address);
    let pools = Factories::builtin().pools_of("ethereum", &pair);
    let bound = pools.iter().find(|bound| bound.dex == "uniswap_v2").unwrap();
    let PoolId::Contract(pool) = bound.pool else { panic!("a contract") };
    let units =
        |at: usize| U256::from(held[at]) * U256::from(10).pow(U256::from(tokens[at].decimals));
    let mut held = [units(0), units(1)];
    if pair.token0 != tokens[0].address {
        held.reverse();
    }
    let topic = superroot_dex::topics().find(|(_, text)| *text == "Sync(uint112,uint112)");
    Event {
        tx_index: 0,
        log_index: 0,
        transaction_hash: None,
        addresses: vec![pool.to_vec()],
        topics: vec![topic.unwrap().0],
        data: Some(held.map(|held| held.to_be_bytes::<32>()).concat()),
    }
}

/// A pool that is pumped for one block of twelve seconds: its mean over ten minutes moves by a fiftieth of that, in
/// ticks, and where the pump is large there is no price at all until it is over.
#[test]
fn a_pump_of_one_block_moves_the_mean_by_its_part_of_the_window() {
    let coin = token(simulated::WETH, 18);
    let pumped = |dollars: u64| {
        let store = MemoryStore::new();
        for number in 1..=60_u64 {
            let price = if number == 59 { dollars } else { 2_000 };
            let events = vec![sync_of([coin, token(simulated::USDC, 6)], [10_000, 10_000 * price])];
            let at = UnixSeconds(number * 12);
            put(&store, &RealBlock { number: BlockNumber(number), at, hash: Hash::ZERO, events });
        }
        let bases = Bench::bases();
        [58, 59, 60].map(|number: u64| {
            market(&store, &bases, (BlockNumber(number), UnixSeconds(number * 12)))
                .price(coin)
                .unwrap()
        })
    };
    let usd = |quote: &Quote| quote.price.as_ref().unwrap().usd.to_f64();
    let mean = |quote: &Quote| quote.price.as_ref().unwrap().mean.unwrap().0.to_f64();
    // a fifth up in one block: the price says so at once, the mean a block later by 12 of 600 seconds
    let [before, during, after] = pumped(2_380);
    assert_eq!([usd(&before), usd(&during), usd(&after)], [2_000.0, 2_380.0, 2_000.0]);
    let moved = (mean(&after) / mean(&before)).ln() / (2_380_f64 / 2_000.0).ln();
    assert!((0.018..=0.022).contains(&moved), "{moved}");
    assert_eq!(mean(&during), mean(&before), "what happens within a block has no time yet");
    // ten times as much, and a hundredth: for one block there is none
    for dollars in [20_000, 20] {
        let [before, during, after] = pumped(dollars);
        let refused = matches!(during.price, Err(NoPrice::Drifted { .. }));
        assert!(refused, "{:?}", during.price);
        assert_eq!((usd(&before), usd(&after)), (2_000.0, 2_000.0));
        let ticks = (mean(&after) / mean(&before)).ln().abs();
        assert!(ticks < (dollars as f64 / 2_000.0).ln().abs() / 45.0, "{dollars} {ticks}");
    }
}

/// Tokens that call themselves as others do are others: what is priced with a false dollar has no price, and a false
/// coin beside the true one moves nothing.
#[test]
fn a_token_with_the_name_of_another_is_not_that_other() {
    let store = MemoryStore::new();
    let (coin, dollar) = (token(simulated::WETH, 18), token(simulated::USDC, 6));
    let false_dollar = Token { address: Address::repeat_byte(0xdd), decimals: 6 };
    let false_coin = Token { address: Address::repeat_byte(0xcc), decimals: 18 };
    let fresh = Token { address: Address::repeat_byte(0xee), decimals: 18 };
    let mut events = vec![
        sync_of([coin, dollar], [10_000, 20_000_000]),
        sync_of([fresh, false_dollar], [1_000, 9_000_000_000]),
        sync_of([coin, false_dollar], [10_000, 90_000_000]),
        sync_of([false_coin, dollar], [1, 9_000_000_000]),
        sync_of([fresh, false_coin], [1, 90_000]),
    ];
    (0..).zip(&mut events).for_each(|(at, event)| event.log_index = at);
    let (number, at) = (BlockNumber(1), UnixSeconds(1_000));
    put(&store, &RealBlock { number, at, hash: Hash::ZERO, events: events.clone() });
    let number = BlockNumber(60);
    put(&store, &RealBlock { number, at: UnixSeconds(1_600), hash: Hash::ZERO, events });
    let bases = Bench::bases();
    let market = market(&store, &bases, (number, UnixSeconds(1_600)));
    assert_eq!(market.price(fresh).unwrap().price.err(), Some(NoPrice::NoPool));
    assert_eq!(market.price(false_dollar).unwrap().pools.len(), 1, "with the coin alone");
    let quote = market.price(coin).unwrap();
    assert_eq!((quote.pools.len(), quote.price.unwrap().usd.to_f64()), (1, 2_000.0));
    assert!(!market.bases.stables.iter().any(|one| one.address == false_dollar.address));
}
