//! Markets that somebody bends: a pump of one block, and names that are another's.

use super::*;

/// The pool of two tokens at the factory of Uniswap v2, and what it says that it holds.
fn sync_of(tokens: [Token; 2], held: [u64; 2]) -> BlockEvent {
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
    BlockEvent {
        tx_index: 0,
        log_index: 0,
        transaction_hash: None,
        addresses: vec![pool.to_vec()],
        topics: vec![topic.unwrap().0],
        data: Some(held.map(|held| held.to_be_bytes::<32>()).concat()),
    }
}

/// A pump for one block of twelve seconds moves the mean over ten minutes by a fiftieth, in ticks; a large pump leaves no
/// price until its end.
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

/// A borrowed symbol is no identity: a price in a false dollar is no price, and a false coin beside the true coin moves
/// nothing.
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

const MANAGER: &str = "0x000000000004444c5dc75cb358380d2e3de08a90";

fn fresh() -> Token {
    Token { address: Address::repeat_byte(0xee), decimals: 18 }
}

fn dollar() -> Token {
    token(simulated::USDC, 6)
}

pub(super) fn event(
    log_index: u32,
    by: Address,
    signature: &str,
    topics: &[Hash],
    words: &[[u8; 32]],
) -> BlockEvent {
    let topic = superroot_dex::topics().find(|(_, text)| *text == signature);
    let mut all = vec![topic.unwrap_or_else(|| panic!("{signature}")).0];
    all.extend_from_slice(topics);
    BlockEvent {
        tx_index: 0,
        log_index,
        transaction_hash: None,
        addresses: vec![by.to_vec()],
        topics: all,
        data: Some(words.concat()),
    }
}

pub(super) fn word(value: u128) -> [u8; 32] {
    U256::from(value).to_be_bytes()
}

pub(super) fn signed(value: i32) -> [u8; 32] {
    let fill = if value < 0 { 0xff } else { 0 };
    let mut word = [fill; 32];
    word[28..].copy_from_slice(&value.to_be_bytes());
    word
}

pub(super) fn of_address(address: Address) -> [u8; 32] {
    address.into_word().0
}

/// Tick for a dollar price of the fresh token: dollars are token 0 if their address is lower.
pub(super) fn tick_of(dollars: f64) -> i32 {
    let (_, side) = crate::pair_of(fresh().address, dollar().address);
    let raw = dollars / 1e12;
    let raw = if side == superroot_dex::TokenSide::Token0 { raw } else { 1.0 / raw };
    (raw.ln() / 1.0001_f64.ln()).floor() as i32
}

pub(super) fn root_at(tick: i32) -> [u8; 32] {
    superroot_dex::tick::sqrt_price_at(tick).unwrap().to_be_bytes()
}

pub(super) fn pair() -> [Address; 2] {
    let (pair, _) = crate::pair_of(fresh().address, dollar().address);
    [pair.token0, pair.token1]
}

pub(super) fn pool_v3(fee: u32) -> Address {
    let [token0, token1] = pair();
    let pools = Factories::builtin().pools_of("ethereum", &Pair { token0, token1 });
    let is_it = |bound: &&superroot_dex::FactoryPool| bound.dex == "uniswap_v3" && bound.fee == fee;
    let PoolId::Contract(pool) = pools.iter().find(is_it).unwrap().pool else { panic!() };
    pool
}

pub(super) fn swap_v3(pool: Address, tick: i32, liquidity: u128) -> BlockEvent {
    let signature = "Swap(address,address,int256,int256,uint160,uint128,int24)";
    let topics = [Hash(of_address(pool)), Hash(of_address(pool))];
    let words = [word(1), word(1), root_at(tick), word(liquidity), signed(tick)];
    event(0, pool, signature, &topics, &words)
}

pub(super) fn mint_v3(
    log_index: u32,
    pool: Address,
    range: (i32, i32),
    liquidity: u128,
) -> BlockEvent {
    let signature = "Mint(address,address,int24,int24,uint128,uint256,uint256)";
    let topics = [Hash(of_address(pool)), Hash(signed(range.0)), Hash(signed(range.1))];
    let words = [of_address(pool), word(liquidity), word(1), word(1)];
    event(log_index, pool, signature, &topics, &words)
}

/// Ids that rise with their number.
fn id_of(number: u16) -> Hash {
    let mut id = [0; 32];
    id[..2].copy_from_slice(&number.to_be_bytes());
    Hash(id)
}

fn created_v4(log_index: u32, id: u16, (fee, spacing): (u32, i32), tick: i32) -> BlockEvent {
    let [token0, token1] = pair();
    let signature = "Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)";
    let topics = [id_of(id), Hash(of_address(token0)), Hash(of_address(token1))];
    let words = [word(fee.into()), signed(spacing), word(0), root_at(tick), signed(tick)];
    event(log_index, MANAGER.parse().unwrap(), signature, &topics, &words)
}

fn swap_v4(log_index: u32, id: u16, tick: i32, liquidity: u128) -> BlockEvent {
    let signature = "Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)";
    let topics = [id_of(id), Hash(of_address(dollar().address))];
    let words = [word(1), word(1), root_at(tick), word(liquidity), signed(tick), word(0)];
    event(log_index, MANAGER.parse().unwrap(), signature, &topics, &words)
}

/// Liquidity of a pool of equal worths that holds so many dollars of each token, at two dollars a token.
pub(super) fn liquidity_of(dollars: u128) -> u128 {
    // sqrt(dollars / 2 * 10^18 * dollars * 10^6)
    U256::from(dollars * dollars / 2)
        .saturating_mul(U256::from(10).pow(U256::from(24)))
        .root(2)
        .to()
}

/// The price of the fresh token after blocks of these events, an hour apart.
fn after(blocks: &[Vec<BlockEvent>]) -> Quote {
    let store = MemoryStore::new();
    for (number, events) in (1..).zip(blocks) {
        let at = UnixSeconds(number * 600);
        let (number, events) = (BlockNumber(number), events.clone());
        put(&store, &RealBlock { number, at, hash: Hash::ZERO, events });
    }
    let bases = Bench::bases();
    let number = blocks.len() as u64;
    let market = market(&store, &bases, (BlockNumber(number), UnixSeconds(number * 600)));
    market.price(fresh()).unwrap()
}

fn usd(quote: &Quote) -> f64 {
    quote.price.as_ref().unwrap_or_else(|why| panic!("{why:?}")).usd.to_f64()
}

fn weight(quote: &Quote, dex: &str) -> (Option<superroot_dex::quote::LeftOutReason>, f64) {
    let pool = quote.pools.iter().find(|pool| pool.seen.bound.dex == dex).unwrap();
    let said = pool.said.unwrap();
    (said.left, said.depth_usd.to_f64())
}

/// Whatever fee and spacing the maker of a pool chooses, it weighs what can be traded against it.
#[test]
fn a_pool_of_a_fee_that_nobody_pays_sets_no_price() {
    let honest = sync_of([fresh(), dollar()], [1_000_000, 2_000_000]);
    for (fee, spacing) in [(999_900, 16_384), (20_001, 200), (500_000, 1)] {
        let events = vec![
            honest.clone(),
            created_v4(1, 9, (fee, spacing), tick_of(2.36)),
            swap_v4(2, 9, tick_of(2.36), liquidity_of(400_000_000)),
        ];
        let quote = after(&[events.clone(), events]);
        assert_eq!(usd(&quote), 2.0);
        assert_eq!(
            weight(&quote, "uniswap_v4").0,
            Some(superroot_dex::quote::LeftOutReason::Fee),
            "{fee}"
        );
    }
    let cheap = vec![
        created_v4(1, 9, (20_000, 200), tick_of(2.0)),
        swap_v4(2, 9, tick_of(2.0), liquidity_of(400_000)),
    ];
    assert_eq!(weight(&after(&[cheap.clone(), cheap]), "uniswap_v4").0, None);
}

/// A range over all prices weighs as a pool of equal worths does, whatever its spacing; one tick of liquidity is one tick's
/// money.
#[test]
fn a_pool_with_ranges_weighs_what_lies_near_its_price() {
    let honest = sync_of([fresh(), dollar()], [200_000, 400_000]);
    let tick = tick_of(2.0);
    for (fee, spacing) in [(100, 1), (3_000, 60), (10_000, 200)] {
        let [token0, token1] = pair();
        let pool = pool_v3(fee);
        let signature = "PoolCreated(address,address,uint24,int24,address)";
        let factory: Address = "0x1f98431c8ad98523631ae4a59f267346ea31f984".parse().unwrap();
        let topics = [Hash(of_address(token0)), Hash(of_address(token1)), Hash(word(fee.into()))];
        let made = event(7, factory, signature, &topics, &[signed(spacing), of_address(pool)]);
        let liquidity = liquidity_of(400_000);
        let full = mint_v3(8, pool, (-887_200, 887_200), liquidity);
        let swapped = swap_v3(pool, tick, liquidity);
        let quote = after(&[
            vec![honest.clone(), made, full],
            vec![honest.clone(), swapped.clone()],
            vec![swapped.clone()],
        ]);
        let (of_v2, of_v3) = (weight(&quote, "uniswap_v2").1, weight(&quote, "uniswap_v3").1);
        assert!((of_v3 / of_v2 - 1.0).abs() < 0.01, "{fee}: {of_v2} {of_v3}");
        // where its positions are not held, what is in force is what is between two ticks, on the side that has less
        let middle = tick.div_euclid(spacing) * spacing + spacing / 2;
        for (tick, is_between) in
            [(middle, spacing > 1), (tick.div_euclid(spacing) * spacing, false)]
        {
            let swapped = vec![honest.clone(), swap_v3(pool, tick, liquidity)];
            let quote = after(&[swapped.clone(), swapped]);
            let part = weight(&quote, "uniswap_v3").1 / of_v2;
            let most = f64::from(spacing) / 200.0;
            let least = if is_between { most / 2.0 } else { 0.0 };
            assert!((least..=most + 0.01).contains(&part), "{fee}: {part} of {most}");
        }
    }
    // alone, a pool whose positions are not stored counts as if they went on; one whose positions are stored does not
    let alone = vec![swap_v3(pool_v3(100), tick, liquidity_of(400_000))];
    assert!((usd(&after(&[alone.clone(), alone.clone()])) / 2.0 - 1.0).abs() < 1e-3);
    let [token0, token1] = pair();
    let signature = "PoolCreated(address,address,uint24,int24,address)";
    let factory: Address = "0x1f98431c8ad98523631ae4a59f267346ea31f984".parse().unwrap();
    let topics = [Hash(of_address(token0)), Hash(of_address(token1)), Hash(word(100))];
    let made = event(7, factory, signature, &topics, &[signed(1), of_address(pool_v3(100))]);
    let narrow = mint_v3(8, pool_v3(100), (tick, tick + 1), liquidity_of(400_000));
    let quote = after(&[vec![made, narrow], alone.clone(), alone]);
    assert!(matches!(quote.price, Err(NoPrice::Thin(_))), "{:?}", quote.price);
    // a thousand dollars in one tick weigh about that, and move nothing
    let pool = pool_v3(100);
    let held = |liquidity| {
        superroot_dex::PoolState::Spot(superroot_dex::Spot {
            sqrt_price_x96: superroot_dex::tick::sqrt_price_at(tick_of(2.36)).unwrap(),
            tick: tick_of(2.36),
            liquidity: Some(liquidity),
        })
    };
    let thin = liquidity_of(20_000_000);
    let dollars = held(thin).held(1).unwrap().map(|held| held.to::<u128>());
    let swapped = vec![honest.clone(), swap_v3(pool, tick_of(2.36), thin)];
    let quote = after(&[swapped.clone(), swapped]);
    let money = (dollars[0] as f64 / 1e6).max(dollars[1] as f64 / 1e6).min(1e6);
    assert!(weight(&quote, "uniswap_v3").1 < 4.0 * money.max(500.0), "{money}");
    assert_eq!(usd(&quote), 2.0);
}

/// A pool older than the stored events is priced by its current liquidity beside a pool of dust as alone, anywhere in its
/// spacing and whatever the dust's price.
#[test]
fn a_pool_of_dust_hides_no_pool_from_before_the_events() {
    let spacing = 10;
    let edge = tick_of(2.0).div_euclid(spacing) * spacing;
    for tick in [edge, edge + 5, edge + spacing - 1] {
        let old = swap_v3(pool_v3(500), tick, liquidity_of(4_000_000));
        let alone = vec![old.clone()];
        let alone = usd(&after(&[alone.clone(), alone]));
        for of_dust in [tick, tick_of(3.0)] {
            let made = created_v4(1, 7, (3_000, 60), of_dust);
            let dust = vec![old.clone(), made, swap_v4(2, 7, of_dust, liquidity_of(20))];
            assert_eq!(usd(&after(&[dust.clone(), dust])), alone, "{tick} {of_dust}");
        }
    }
}

/// A traded pool from before the events weighs by its prices over the window, at the end of a spacing as in the middle:
/// 10,000 dollars at a false price decide nothing beside 4,000,000.
#[test]
fn a_pool_from_before_the_events_has_its_weight_at_the_end_of_a_spacing() {
    let spacing = 10;
    let edge = tick_of(2.0).div_euclid(spacing) * spacing;
    let other = sync_of([fresh(), dollar()], [2_500, 10_000]);
    let block = |tick: i32| {
        let old = swap_v3(pool_v3(500), tick, liquidity_of(4_000_000));
        vec![old, BlockEvent { log_index: 9, ..other.clone() }]
    };
    for last in [edge, edge + 5, edge + spacing - 1] {
        let quote = after(&[block(edge + 3), block(edge + 6), block(last)]);
        assert!((usd(&quote) / 2.0 - 1.0).abs() < 2e-3, "{last}");
    }
    // who asks alone is at an end all the time, whatever the liquidity there
    let free = || swap_v3(pool_v3(100), tick_of(3.0), liquidity_of(400_000_000));
    let both = |tick| [block(tick), vec![BlockEvent { log_index: 11, ..free() }]].concat();
    let quote = after(&[both(edge + 3), both(edge + 6), both(edge)]);
    assert!((usd(&quote) / 2.0 - 1.0).abs() < 2e-3, "{:?}", quote.price);
}

/// A deserted pool from before the events, with one tick of somebody's few dollars, sets no price beside an honest pool from
/// before the events, whose known part is small as well: then there is none.
#[test]
fn a_few_dollars_in_a_deserted_pool_set_no_price() {
    let edge = tick_of(2.0).div_euclid(10) * 10;
    let block = |tick: i32, price: f64| {
        let honest = swap_v3(pool_v3(500), tick, liquidity_of(80_000));
        let deserted = swap_v3(pool_v3(100), tick_of(price), liquidity_of(120_000));
        vec![honest, BlockEvent { log_index: 9, ..deserted }]
    };
    for price in [3.0, 2.3, 1.5] {
        let quote =
            after(&[block(edge + 3, price), block(edge + 6, price), block(edge + 5, price)]);
        let is_honest =
            quote.price.as_ref().is_ok_and(|priced| (priced.usd.to_f64() / 2.0 - 1.0).abs() < 2e-3);
        assert!(
            is_honest || matches!(quote.price, Err(NoPrice::Thin(_))),
            "{price}: {:?}",
            quote.price
        );
    }
    // pools that agree contradict nobody, and count in full
    let quote = after(&[block(edge + 3, 2.0), block(edge + 6, 2.0), block(edge + 5, 2.0)]);
    assert!((usd(&quote) / 2.0 - 1.0).abs() < 2e-3, "{:?}", quote.price);
}

/// Dust and empty pools hide no pool.
#[test]
fn dust_and_empty_pools_hide_no_price() {
    let (pool, tick, liquidity) = (pool_v3(3_000), tick_of(2.0), liquidity_of(4_000_000));
    let range = (tick.div_euclid(60) * 60 - 600, tick.div_euclid(60) * 60 + 600);
    let swapped = vec![swap_v3(pool, tick, liquidity)];
    let dust = |count: u32, each: u128| {
        (1..=count).map(|at| mint_v3(at, pool, range, each)).collect::<Vec<_>>()
    };
    for (count, each) in [(17, 1), (500, 1), (64, liquidity / 20)] {
        let quote = after(&[swapped.clone(), swapped.clone(), dust(count, each)]);
        assert!((usd(&quote) / 2.0 - 1.0).abs() < 1e-3, "{count}");
        assert!(quote.pools[0].later.len() <= 64);
        assert!(quote.pools[0].later.is_sorted());
    }
    // what would change its weight, and is too much to prove, is not passed over
    let quote = after(&[swapped.clone(), swapped, dust(80, liquidity / 20)]);
    assert_eq!(
        quote.price.err(),
        Some(NoPrice::Left(superroot_dex::quote::LeftOutReason::Unsettled))
    );
    // pools of the pair whose ids come first
    let mut events: Vec<BlockEvent> =
        (0..200).map(|id| created_v4(id.into(), id, (4_000, 80), tick)).collect();
    events.push(created_v4(200, 250, (4_000, 80), tick));
    events.push(swap_v4(201, 250, tick, liquidity));
    let quote = after(&[events.clone(), events.clone()]);
    assert!((usd(&quote) / 2.0 - 1.0).abs() < 1e-3);
    // who only asks, at a price of his own, has as much liquidity as he likes
    // (the fresh token is the second of both: it is asked for below the price)
    let edge = tick_of(2e9).div_euclid(80) * 80;
    let root = superroot_dex::tick::sqrt_price_at(edge).unwrap() - U256::ONE;
    let many = (0..200).map(|id| {
        let mut event = swap_v4(300 + u32::from(id), id, edge - 1, 1 << 100);
        event.data.as_mut().unwrap()[64..96].copy_from_slice(&root.to_be_bytes::<32>());
        event
    });
    let mut loud = events.clone();
    loud.extend(many);
    let quote = after(&[loud, vec![swap_v4(0, 250, tick, liquidity)]]);
    assert!((usd(&quote) / 2.0 - 1.0).abs() < 1e-3, "{:?}", quote.price);
    // what was there first is looked at, however many come after it
    let honest = vec![created_v4(0, 9_000, (4_000, 80), tick), swap_v4(1, 9_000, tick, liquidity)];
    let crowd = (1_000..3_000).map(|id| created_v4(id.into(), id, (4_000, 80), tick)).collect();
    let quote = after(&[honest, crowd, vec![swap_v4(0, 9_000, tick, liquidity)]]);
    assert!((usd(&quote) / 2.0 - 1.0).abs() < 1e-3, "{:?}", quote.price);
}

/// A depegged stablecoin is no dollar: the other stablecoins price it, and it prices no token.
#[test]
fn a_dollar_that_is_none_is_priced_by_the_others() {
    let (coin, sound, strayed) = (token(simulated::WETH, 18), dollar(), token(simulated::DAI, 18));
    let blocks = |behind: [u64; 2]| {
        let store = MemoryStore::new();
        for number in 1..=2 {
            let mut events = vec![
                sync_of([coin, sound], [behind[0], behind[0] * 2_000]),
                sync_of([coin, strayed], [behind[1], behind[1] * 2_500]),
                sync_of([strayed, sound], [1_000_000, 800_000]),
                sync_of([fresh(), strayed], [100_000, 250_000]),
            ];
            (0..).zip(&mut events).for_each(|(at, event)| event.log_index = at);
            let (number, at) = (BlockNumber(number), UnixSeconds(number * 600));
            put(&store, &RealBlock { number, at, hash: Hash::ZERO, events });
        }
        store
    };
    let bases = Bench::bases();
    let store = blocks([10_000, 1_000]);
    let market_of = market(&store, &bases, (BlockNumber(2), UnixSeconds(1_200)));
    let price = |of| market_of.price(of).unwrap();
    assert_eq!(
        (usd(&price(coin)), usd(&price(strayed)), usd(&price(fresh()))),
        (2_000.0, 0.8, 2.0)
    );
    assert_eq!(price(sound).price.err(), Some(NoPrice::NoPool), "nothing but it is a dollar");
    let both = price(coin);
    assert!(both.pools.iter().all(|pool| pool.said.unwrap().left.is_none()), "{both:#?}");
    let base = both.bases.iter().find(|base| base.token == strayed).unwrap();
    assert!(base.by.is_some() && base.price.usd.to_f64() == 0.8);
    let dollar = both.bases.iter().find(|base| base.token == sound).unwrap();
    assert_eq!(dollar.disputed_by, [strayed.address]);
    // of two that disagree none agrees with another
    let bases_of = market_of.priced_bases().unwrap();
    let alone = vec![(sound.address, false)];
    for base in [sound, strayed, coin] {
        assert_eq!(bases_of.dollars(base.address), alone);
    }
    // the one with more behind it is the dollar
    let store = blocks([1_000, 10_000]);
    let market_of = market(&store, &bases, (BlockNumber(2), UnixSeconds(1_200)));
    assert_eq!(usd(&market_of.price(coin).unwrap()), 2_500.0);
    assert_eq!(usd(&market_of.price(sound).unwrap()), 1.25);
}

/// Holding a price up for a window costs, in every block, the amount in docs/prices.md.
#[test]
fn a_price_held_for_a_window_costs_what_the_documentation_says() {
    const BLOCKS: u64 = 60;
    const SECONDS: u64 = 12;
    let dollars_a_side = 2_000_000.0_f64;
    for (rise, fee) in [(1.02_f64, 0.003), (1.1, 0.003), (1.1, 0.0), (1.18, 0.003)] {
        let (mut tokens, mut dollars) = (dollars_a_side / 2.0, dollars_a_side);
        let (mut lost, store) = (0.0, MemoryStore::new());
        for number in 1..=BLOCKS {
            // others trade it back to what it is worth, then it is pushed up again: what was bought is worth two dollars each
            let root = rise.sqrt();
            let (paid, got) = (dollars * (root - 1.0), tokens * (1.0 - 1.0 / root));
            lost += paid / (1.0 - fee) - got * 2.0;
            let pushed = [(tokens - got) as u64, (dollars + paid) as u64];
            let events = vec![sync_of([fresh(), dollar()], pushed)];
            let at = UnixSeconds(number * SECONDS);
            put(&store, &RealBlock { number: BlockNumber(number), at, hash: Hash::ZERO, events });
            (tokens, dollars) = (dollars_a_side / 2.0, dollars_a_side);
        }
        let bases = Bench::bases();
        let quote = market(&store, &bases, (BlockNumber(BLOCKS), UnixSeconds(BLOCKS * SECONDS)))
            .price(fresh())
            .unwrap();
        let mean = quote.price.as_ref().unwrap().mean.unwrap().0.to_f64();
        assert!((usd(&quote) / 2.0 / rise - 1.0).abs() < 1e-4, "it is held: {}", usd(&quote));
        assert!((mean / 2.0 / rise - 1.0).abs() < 1e-3, "and so is its mean: {mean}");
        let root = rise.sqrt();
        let a_block = dollars_a_side * (root + 1.0 / root - 2.0);
        let of_fees = dollars_a_side * (root - 1.0) * fee / (1.0 - fee);
        let said = (a_block + of_fees) * BLOCKS as f64;
        assert!((lost / said - 1.0).abs() < 1e-9, "{rise} {fee}: {lost} {said}");
    }
}

/// The price of the fresh token on a chain, after blocks of these events, ten minutes apart.
fn after_on(slug: &str, blocks: &[Vec<BlockEvent>]) -> Quote {
    let store = MemoryStore::new();
    for (number, events) in (1..).zip(blocks) {
        let (at, number, mut events) =
            (UnixSeconds(number * 600), BlockNumber(number), events.clone());
        (0..).zip(&mut events).for_each(|(at, event)| event.log_index = at);
        put(&store, &RealBlock { number, at, hash: Hash::ZERO, events });
    }
    let (bases, number) = (Bench::bases(), blocks.len() as u64);
    let market = market(&store, &bases, (BlockNumber(number), UnixSeconds(number * 600)));
    Market { slug, ..market }.price(fresh()).unwrap()
}

fn liquidity(quote: &Quote) -> Option<u128> {
    match quote.pools[0].state()? {
        PoolState::Spot(spot) => spot.liquidity,
        PoolState::Reserves(..) | PoolState::Bin(_) => None,
    }
}

/// What copies of Uniswap v3 add to the events of a position changes no less what is in force.
#[test]
fn liquidity_that_came_and_went_in_the_words_of_copies_counts() {
    let [token0, token1] = pair();
    let pools = Factories::builtin().pools_of("base", &Pair { token0, token1 });
    let bound = pools.iter().find(|bound| bound.dex == "quickswap_v4").unwrap();
    let PoolId::Contract(pool) = bound.pool else { panic!("a contract") };
    let (tick, all) = (tick_of(2.0), liquidity_of(4_000_000));
    let topics = [Hash(of_address(pool)), Hash(signed(tick - 600)), Hash(signed(tick + 600))];
    let swap = "Swap(address,address,int256,int256,uint160,uint128,int24,uint24,uint24)";
    // 100 in place of the pool's fee, and 20 of its plugin besides
    let words = [word(1), word(1), root_at(tick), word(all), signed(tick), word(100), word(20)];
    let swapped = event(0, pool, swap, &[Hash(of_address(pool)); 2], &words);
    let burn = "Burn(address,int24,int24,uint128,uint256,uint256,uint24)";
    let burned = event(0, pool, burn, &topics, &[word(all / 4), word(1), word(1), word(20)]);
    let mint = "Mint(address,address,uint256,int24,int24,uint128,uint256,uint256)";
    let words = [of_address(pool), word(7), word(all / 2), word(1), word(1)];
    let minted = event(0, pool, mint, &topics, &words);
    let blocks = |more: Vec<BlockEvent>| vec![vec![swapped.clone()], vec![swapped.clone()], more];
    let quote = after_on("base", &blocks(vec![burned.clone()]));
    assert!((usd(&quote) / 2.0 - 1.0).abs() < 1e-3);
    assert_eq!(liquidity(&quote), Some(all - all / 4));
    assert!(quote.pools[0].seen.bound.fee_may_change, "the pool's own fee is not in its swaps");
    let quote = after_on("base", &blocks(vec![burned.clone(), minted]));
    assert_eq!(liquidity(&quote), Some(all - all / 4 + all / 2));
    // more than is there is no state
    let quote = after_on("base", &blocks(vec![burned; 5]));
    assert_eq!(
        quote.price.err(),
        Some(NoPrice::Left(superroot_dex::quote::LeftOutReason::Unsettled))
    );
}

/// A PancakeSwap Infinity pool counts by its manager's report, without a hook.
#[test]
fn a_pool_of_pancakeswap_infinity_is_one_of_its_manager_without_hooks() {
    let manager: Address = "0xa0ffb9c1ce1fe56963b0321b32e7a0302114058b".parse().unwrap();
    let (tick, all, [token0, token1]) = (tick_of(2.0), liquidity_of(4_000_000), pair());
    let blocks = |by: Address, hooks: Address| {
        let calls = u128::from(hooks != Address::ZERO);
        let topics = [Hash([7; 32]), Hash(of_address(token0)), Hash(of_address(token1))];
        let words =
            [of_address(hooks), word(67), word((10 << 16) + calls), root_at(tick), signed(tick)];
        let made = "Initialize(bytes32,address,address,address,uint24,bytes32,uint160,int24)";
        let made = event(0, by, made, &topics, &words);
        let swap = "Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24,uint16)";
        let words = [word(1), word(1), root_at(tick), word(all), signed(tick), word(67), word(0)];
        let swapped = event(0, by, swap, &topics[..2], &words);
        vec![vec![made, swapped.clone()], vec![swapped]]
    };
    for slug in ["bnb", "base"] {
        let quote = after_on(slug, &blocks(manager, Address::ZERO));
        assert!((usd(&quote) / 2.0 - 1.0).abs() < 1e-3);
        let bound = &quote.pools[0].seen.bound;
        assert_eq!((bound.dex.as_str(), bound.fee), ("pancakeswap_infinity", 67));
        assert_eq!((bound.tick_spacing, bound.fee_may_change), (10, false));
        assert!(quote.pools[0].creation.is_some());
    }
    for (slug, by, hooks) in [
        ("bnb", manager, Address::repeat_byte(9)),
        ("bnb", Address::repeat_byte(8), Address::ZERO),
        ("ethereum", manager, Address::ZERO),
    ] {
        let quote = after_on(slug, &blocks(by, hooks));
        assert_eq!(quote.price.err(), Some(NoPrice::NoPool), "{slug} {by} {hooks}");
    }
}

/// A pool that was made and holds nothing is there, and one of a moment is named.
#[test]
fn why_there_is_no_price_tells_pools_that_are_empty_or_young_from_none() {
    use superroot_dex::quote::LeftOutReason;

    let (tick, pool) = (tick_of(2.0), pool_v3(3_000));
    let initialized =
        |tick| event(0, pool, "Initialize(uint160,int24)", &[], &[root_at(tick), signed(tick)]);
    let (low, high) = (superroot_dex::tick::TICK_MIN, superroot_dex::tick::TICK_MAX - 1);
    for (at, left) in [
        (tick, LeftOutReason::Drained),
        (low, LeftOutReason::Beyond),
        (high, LeftOutReason::Beyond),
    ] {
        let quote = after_on("ethereum", &[vec![initialized(at)], vec![initialized(at)]]);
        assert_eq!(quote.price.clone().err(), Some(NoPrice::Left(left)), "{at}");
        assert!(quote.young_pools().is_empty());
    }
    let swapped = swap_v3(pool, tick, liquidity_of(4_000_000));
    let within = swap_v4(1, 9, tick, liquidity_of(400_000));
    let quote = after_on("ethereum", &[vec![created_v4(0, 9, (4_000, 80), tick), swapped, within]]);
    let young = NoPrice::Young { covered_seconds: 0, least: 300 };
    assert_eq!(quote.price.clone().err(), Some(young));
    assert_eq!(quote.young_pools(), [format!("{pool:#x}"), id_of(9).to_string()]);
    assert!(after_on("ethereum", &[vec![], vec![]]).young_pools().is_empty());
}

/// A pool that only asks, or only bids, at a price of its own says none, whatever liquidity that is: nobody can trade it
/// back.
#[test]
fn who_only_asks_or_only_bids_sets_no_price() {
    let honest = sync_of([fresh(), dollar()], [1_000_000, 2_000_000]);
    let [is_up, is_down] = [1, -1];
    for (dollars, side) in
        [(1e6, is_up), (2.36, is_up), (1e6, is_down), (1.6, is_down), (1e-6, is_down)]
    {
        let tick = tick_of(dollars).div_euclid(10) * 10;
        // all of it lies on one side of the price: one token's money
        let range = if side > 0 { [tick, tick + 10] } else { [tick - 10, tick] };
        let liquidity = 1_u128 << 100;
        let words = [signed(range[0]), signed(range[1]), word(liquidity), word(0)];
        let signature = "ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)";
        let topics = [id_of(9), Hash(of_address(dollar().address))];
        let added = event(2, MANAGER.parse().unwrap(), signature, &topics, &words);
        let in_force = if side > 0 { liquidity } else { 0 };
        let events = vec![honest.clone(), created_v4(1, 9, (500, 10), tick), added];
        let swapped = vec![honest.clone(), swap_v4(3, 9, tick, in_force)];
        let quote = after(&[events, swapped]);
        assert!((usd(&quote) / 2.0 - 1.0).abs() < 1e-9, "{dollars} {side}: {:?}", quote.price);
    }
}
