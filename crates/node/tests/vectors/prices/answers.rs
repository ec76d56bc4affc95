//! Answers about prices.

use std::collections::BTreeMap;

use alloy_primitives::{Address, U256, address};
use serde_json::{Value, json};
use superroot_client::{PriceCheckError, Verifier};
use superroot_dex::quote::{self, BasePrice, ObservedPool, PricingRules};
use superroot_dex::{
    Decimal, Decimals, Factories, FactoryPool, Pair, PoolId, PoolState, Spot, TokenSide, id_within,
    tick,
};
use superroot_proof::ledger::evm::Log;
use superroot_types::*;
use superroot_wire::price::*;

use super::events::{Chain, Word, event, number, of, place, signed, time};
use super::{AnswerVector, Answers, add, check, remove, replace};
use crate::same_in_file;

const USDC: Address = address!("a0b86991c6218b36c1d19d4a2e9eb0ce3606eb48");
const USDT: Address = address!("dac17f958d2ee523a2206206994597c13d831ec7");
const DAI: Address = address!("6b175474e89094c44da98b954eedeac495271d0f");
const WETH: Address = address!("c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2");
/// A token that no list knows.
const TOKEN: Address = address!("1111111111111111111111111111111111111111");
const TOKEN_DECIMALS: u8 = 9;
const UNISWAP_V3: Address = address!("1f98431c8ad98523631ae4a59f267346ea31f984");
const MANAGER: Address = address!("000000000004444c5dc75cb358380d2e3de08a90");
/// A pool that follows from no tokens and fee.
const TOLD: Address = address!("7777777777777777777777777777777777777777");
/// The block that the prices are of.
const BLOCK: u64 = 130;

const SWAP: &str = "Swap(address,address,int256,int256,uint160,uint128,int24)";
const WITHIN: &str = "Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)";
const RULES: PricingRules = PricingRules {
    depth_usd_min: 1_000,
    stale_after_seconds: 86_400,
    outlier_percent_max: 5,
    drift_percent_max: 20,
    covered_seconds_min: 0,
};

/// A pool of the made-up chain.
struct Made {
    bound: FactoryPool,
    pair: [Address; 2],
    base: Address,
    state: PoolState,
    last: EventPlace,
    later: Vec<EventPlace>,
    creation: Option<EventPlace>,
}

fn units(whole: u64, decimals: u8) -> U256 {
    U256::from(whole) * U256::from(10).pow(U256::from(decimals))
}

/// The pool of these tokens and that fee.
fn bound(id: PoolId, [token0, token1]: [Address; 2], fee: (u32, i32)) -> FactoryPool {
    Factories::builtin().bind("ethereum", id, &Pair { token0, token1 }, fee).unwrap()
}

fn contract(dex: &str, pair: [Address; 2], fee: u32) -> FactoryPool {
    let all = Factories::builtin().pools_of("ethereum", &Pair { token0: pair[0], token1: pair[1] });
    let found = all.iter().find(|pool| pool.dex == dex && pool.fee == fee).cloned();
    found.unwrap_or_else(|| panic!("{dex} has no such pool"))
}

fn at(bound: &FactoryPool) -> Address {
    match bound.pool {
        PoolId::Contract(at) | PoolId::Within(at, _) => at,
    }
}

/// A spot between two ticks, near the price of these reserves.
fn spot_near(reserves: [U256; 2], liquidity: u128) -> Spot {
    let tick = tick::tick_of_reserves(reserves).unwrap();
    let root = tick::sqrt_price_at(tick).unwrap();
    let more = (tick::sqrt_price_at(tick + 1).unwrap() - root) / U256::from(3);
    Spot { sqrt_price_x96: root + more, tick, liquidity: Some(liquidity) }
}

fn swap_words(spot: &Spot) -> [Word; 3] {
    let liquidity = spot.liquidity.unwrap_or(0);
    [number(spot.sqrt_price_x96), number(liquidity), signed(spot.tick.into())]
}

fn sync(pool: &FactoryPool, held: [U256; 2]) -> Log {
    event(at(pool), "Sync(uint112,uint112)", &[], &held.map(number))
}

fn mint(by: Address, (lower, upper): (i32, i32), amount: u128) -> Log {
    let topics = [of(TOLD), signed(lower.into()), signed(upper.into())];
    let words = [of(TOLD), number(amount), number(1_u64), number(2_u64)];
    let signature = "Mint(address,address,int24,int24,uint128,uint256,uint256)";
    event(by, signature, &topics, &words)
}

fn burn(by: Address, (lower, upper): (i32, i32), amount: u128) -> Log {
    let topics = [of(TOLD), signed(lower.into()), signed(upper.into())];
    let words = [number(amount), number(1_u64), number(2_u64)];
    event(by, "Burn(address,int24,int24,uint128,uint256,uint256)", &topics, &words)
}

fn of_reserves(
    bound: FactoryPool,
    pair: [Address; 2],
    base: Address,
    held: [U256; 2],
    last: EventPlace,
) -> Made {
    let state = PoolState::Reserves(held, tick::tick_of_reserves(held));
    Made { bound, pair, base, state, last, later: Vec::new(), creation: None }
}

/// The chain, and the pools of WETH and of the token.
struct Market {
    chain: Chain,
    weth: Vec<Made>,
    token: Vec<Made>,
}

impl Market {
    fn new() -> Self {
        let (mut receipts, mut weth, mut token) = (BTreeMap::new(), Vec::new(), Vec::new());
        let mut put = |block: u64, logs: Vec<Log>| -> u32 {
            let all: &mut Vec<Vec<Log>> = receipts.entry(block).or_default();
            all.push(logs);
            all.len() as u32 - 1
        };
        pools_of_weth(&mut put, &mut weth);
        pools_of_token(&mut put, &mut token);
        let blocks: Vec<_> = receipts.into_iter().collect();
        Self { chain: Chain::new(&blocks), weth, token }
    }

    /// Proofs of the events of these pools.
    fn proofs(&self, pools: &[&Made]) -> Vec<PriceProof> {
        let events = pools
            .iter()
            .flat_map(|pool| [&pool.last].into_iter().chain(&pool.later).chain(&pool.creation));
        let proof = |event: &EventPlace| PriceProof {
            event: event.clone(),
            proof_blob: self.chain.blob(event),
        };
        events.map(proof).collect()
    }
}

fn pools_of_weth(put: &mut impl FnMut(u64, Vec<Log>) -> u32, all: &mut Vec<Made>) {
    for (dex, fee, pair, held, block) in [
        ("uniswap_v2", 3_000, [USDC, WETH], [units(30_000_000, 6), units(10_000, 18)], 110),
        ("sushiswap_v2", 3_000, [DAI, WETH], [units(9_030_000, 18), units(3_000, 18)], 111),
        ("uniswap_v2", 3_000, [WETH, USDT], [units(100, 18), units(400_000, 6)], 111),
    ] {
        let bound = contract(dex, pair, fee);
        let noise = event(at(&bound), "Transfer(address,address,uint256)", &[], &[]);
        let tx_index = put(block, vec![noise, sync(&bound, held)]);
        let base = if pair[0] == WETH { pair[1] } else { pair[0] };
        all.push(of_reserves(bound, pair, base, held, place(block, tx_index, 1)));
    }
    let (pair, liquidity) = ([USDC, WETH], 20_000_000_000_000_000_000_u128);
    let bound = contract("uniswap_v3", pair, 500);
    let pool = at(&bound);
    let spot = spot_near([units(3_010, 6), units(1, 18)], liquidity);
    let [price, held, tick] = swap_words(&spot);
    let words = [signed(-5), signed(7), price, held, tick];
    let last = place(112, put(112, vec![event(pool, SWAP, &[of(TOLD); 2], &words)]), 0);
    let around = (spot.tick.div_euclid(10) * 10, spot.tick.div_euclid(10) * 10 + 10);
    let tx_index = put(115, vec![mint(pool, around, 900), burn(pool, (-887_270, 887_270), 1_000)]);
    let later = vec![place(115, tx_index, 0), place(115, tx_index, 1)];
    let state = PoolState::Spot(Spot { liquidity: Some(liquidity - 100), ..spot });
    all.push(Made { bound, pair, base: USDC, state, last, later, creation: None });
}

fn pools_of_token(put: &mut impl FnMut(u64, Vec<Log>) -> u32, all: &mut Vec<Made>) {
    let (pair, digits) = ([TOKEN, WETH], TOKEN_DECIMALS);
    let bound_v2 = contract("uniswap_v2", pair, 3_000);
    let held = [units(700_000, digits), units(350, 18)];
    let tx_index = put(120, vec![sync(&bound_v2, held)]);
    all.push(of_reserves(bound_v2, pair, WETH, held, place(120, tx_index, 0)));
    // a pool that was given its first price, then liquidity
    let bound_v3 = contract("uniswap_v3", pair, 3_000);
    let spot = spot_near([units(2_010, digits), units(1, 18)], 0);
    let words = [number(spot.sqrt_price_x96), signed(spot.tick.into())];
    let first = event(at(&bound_v3), "Initialize(uint160,int24)", &[], &words);
    let added = 5_000_000_000_000_000_u128;
    let logs = vec![first, mint(at(&bound_v3), (-887_220, 887_220), added)];
    let tx_index = put(121, logs);
    let state = PoolState::Spot(Spot { liquidity: Some(added), ..spot });
    let (last, later) = (place(121, tx_index, 0), vec![place(121, tx_index, 1)]);
    all.push(Made { bound: bound_v3, pair, base: WETH, state, last, later, creation: None });
    within(put, all);
    told(put, all);
    // a fee that factories did not begin with
    let pair = [TOKEN, USDC];
    let kind = (123, 1);
    let bound_odd = bound(PoolId::Contract(unusual(pair)), pair, kind);
    let spot = spot_near([units(10, digits), units(15, 6)], 3_000_000_000_000_000);
    let [price, held, tick] = swap_words(&spot);
    let words = [signed(1), signed(-1), price, held, tick];
    let tx_index = put(124, vec![event(at(&bound_odd), SWAP, &[of(TOLD); 2], &words)]);
    let (state, last) = (PoolState::Spot(spot), place(124, tx_index, 0));
    all.push(Made {
        bound: bound_odd,
        pair,
        base: USDC,
        state,
        last,
        later: vec![],
        creation: None,
    });
}

/// Address of the pool of fee 123 of Uniswap v3.
fn unusual([token0, token1]: [Address; 2]) -> Address {
    use alloy_primitives::{b256, keccak256};
    let code = b256!("e34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54");
    UNISWAP_V3.create2(keccak256([of(token0), of(token1), number(123_u64)].concat()), code)
}

/// A pool of Uniswap v4 with the chain's own coin.
fn within(put: &mut impl FnMut(u64, Vec<Log>) -> u32, all: &mut Vec<Made>) {
    let pair = [Address::ZERO, TOKEN];
    let id = id_within(&Pair { token0: pair[0], token1: pair[1] }, 3_000, 60, Address::ZERO);
    let bound = bound(PoolId::Within(MANAGER, id), pair, (3_000, 60));
    let spot = spot_near([units(1, 18), units(1_990, TOKEN_DECIMALS)], 800_000_000_000_000);
    let [price, held, tick] = swap_words(&spot);
    let words = [signed(-3), signed(4), price, held, tick, number(3_000_u64)];
    let swap = event(MANAGER, WITHIN, &[id.0, of(TOLD)], &words);
    let words = [signed(-600_000), signed(600_000), signed(-99), [0; 32]];
    let signature = "ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)";
    let taken = event(MANAGER, signature, &[id.0, of(TOLD)], &words);
    let tx_index = put(122, vec![swap, taken]);
    let state = PoolState::Spot(Spot { liquidity: Some(800_000_000_000_000 - 99), ..spot });
    let (last, later) = (place(122, tx_index, 0), vec![place(122, tx_index, 1)]);
    all.push(Made { bound, pair, base: WETH, state, last, later, creation: None });
}

/// A pool that a factory says it made.
fn told(put: &mut impl FnMut(u64, Vec<Log>) -> u32, all: &mut Vec<Made>) {
    let pair = [TOKEN, USDC];
    let signature = "PoolCreated(address,address,uint24,int24,address)";
    let topics = [of(TOKEN), of(USDC), number(2_500_u64)];
    let made = event(UNISWAP_V3, signature, &topics, &[signed(50), of(TOLD)]);
    let spot = spot_near([units(2, TOKEN_DECIMALS), units(3, 6)], 4_000_000_000_000_000);
    let [price, held, tick] = swap_words(&spot);
    let swap = event(TOLD, SWAP, &[of(TOLD); 2], &[signed(1), signed(-1), price, held, tick]);
    let creation = Some(place(109, put(109, vec![made]), 0));
    let last = place(123, put(123, vec![swap]), 0);
    let bound = FactoryPool {
        fee: 2_500,
        tick_spacing: 50,
        pool: PoolId::Contract(TOLD),
        ..contract("uniswap_v3", pair, 3_000)
    };
    let state = PoolState::Spot(spot);
    all.push(Made { bound, pair, base: USDC, state, last, later: Vec::new(), creation });
}

/// What pools of a token say, and its price.
fn priced(
    pools: &[Made],
    (token, decimals): (Address, u8),
    bases: &BTreeMap<Address, (u8, Decimal)>,
) -> (Vec<PricePool>, Decimal) {
    let side_of = |pool: &Made| {
        let is_token0 = pool.pair[0] == token && pool.pair[1] != token;
        if is_token0 { TokenSide::Token0 } else { TokenSide::Token1 }
    };
    let seen = |pool: &Made| {
        let (base_decimals, usd) = bases[&pool.base];
        let side = side_of(pool);
        let decimals = match side {
            TokenSide::Token0 => Decimals { token0: decimals, token1: base_decimals },
            TokenSide::Token1 => Decimals { token0: base_decimals, token1: decimals },
        };
        ObservedPool {
            bound: pool.bound.clone(),
            side,
            decimals,
            state: Some(pool.state),
            age_seconds: time(BLOCK) - time(pool.last.block_number.0),
            mean: None,
            base: BasePrice { usd, mean_usd: None },
            near: None,
        }
    };
    let seen: Vec<ObservedPool> = pools.iter().map(seen).collect();
    let (said, price) = quote::price(&seen, &RULES);
    let counted = said.iter().flatten().filter(|one| one.left.is_none());
    let sum = counted.fold(Decimal::ZERO, |sum, one| sum.plus(one.depth_usd));
    let shown = pools.iter().zip(&said).map(|(pool, said)| shown(pool, &said.unwrap(), sum));
    (shown.collect(), price.unwrap().usd)
}

fn shown(pool: &Made, said: &quote::PoolPrice, sum: Decimal) -> PricePool {
    let text = |number: Decimal| Some(number.text(18));
    let (reserves, spot) = match pool.state {
        PoolState::Reserves(held, _) => (Some(held.map(|held| held.to_string())), None),
        PoolState::Spot(spot) => (None, Some(spot)),
        PoolState::Bin(_) => (None, None),
    };
    let part = said.depth_usd.over(sum).filter(|_| said.left.is_none());
    let (contract, pool_id) = match pool.bound.pool {
        PoolId::Contract(at) => (at, None),
        PoolId::Within(at, id) => (at, Some(id)),
    };
    PricePool {
        address: format!("{contract:#x}"),
        pool_id,
        protocol: pool.bound.dex.clone(),
        pair: pool.pair.map(|token| format!("{token:#x}")),
        fee_millionths: pool.bound.fee,
        fee_may_change: false,
        tick_spacing: pool.bound.tick_spacing,
        base: format!("{:#x}", pool.base),
        reserves,
        sqrt_price_x96: spot.map(|spot| spot.sqrt_price_x96.to_string()),
        tick: pool.state.tick(),
        liquidity: spot.map(|spot| spot.liquidity.unwrap_or(0).to_string()),
        price_base: text(said.in_base),
        price_usd: text(said.usd),
        liquidity_usd: text(said.liquidity_usd),
        depth_usd: text(said.depth_usd),
        near_liquidity: None,
        weight: part.map_or(0.0, |part| (part.to_f64() * 10_000.0).round() / 10_000.0),
        left_out: said.left.map(|left| left.name().to_owned()),
        creation_event: pool.creation.clone(),
        last_event: pool.last.clone(),
        last_event_timestamp: time(pool.last.block_number.0),
        later_events: pool.later.clone(),
        mean_tick: None,
        covered_seconds: 1_200,
        cost_to_move_2_percent_usd: None,
        cost_reason: Some("not_read".to_owned()),
    }
}

fn token(address: Address, symbol: &str, decimals: u8) -> PricedToken {
    PricedToken {
        address: format!("{address:#x}"),
        symbol: Some(symbol.to_owned()),
        decimals,
        metadata_evidence: "configured".to_owned(),
        metadata_nodes: None,
        metadata_block: None,
    }
}

fn stables() -> Vec<PricedToken> {
    vec![token(USDC, "USDC", 6), token(USDT, "USDT", 6), token(DAI, "DAI", 18)]
}

fn dollar(stable: PricedToken) -> PriceBase {
    let (evidence, price_usd) = ("configured".to_owned(), "1".to_owned());
    PriceBase {
        token: stable,
        price_usd,
        twap_usd: None,
        evidence,
        pools: vec![],
        stables: vec![],
        disputed_by: vec![],
    }
}

fn answer(
    market: &Market,
    of: PricedToken,
    (pools, usd): (Vec<PricePool>, Decimal),
    bases: Vec<PriceBase>,
    proven: &[&Made],
) -> Value {
    let parts =
        ConfidenceParts { depth: 0.5, freshness: 1.0, agreement: 0.5, calm: 0.0, coverage: 1.0 };
    let price = TokenPrice {
        chain_id: ChainId(1),
        token: of,
        block: PriceBlock {
            number: BlockNumber(BLOCK),
            hash: Hash([0xb1; 32]),
            timestamp: time(BLOCK),
            finality: "anchored".to_owned(),
            age_seconds: None,
            events_from: BlockNumber(100),
            proof_url: format!("/v5/proof/block/1/{BLOCK}"),
        },
        price_usd: usd.text(18),
        price_native: None,
        twap: None,
        cost_to_move_2_percent_usd: None,
        confidence: Confidence { value: 0.0, parts },
        rules: PriceRules {
            depth_usd_min: RULES.depth_usd_min,
            stale_after_seconds: RULES.stale_after_seconds,
            outlier_percent_max: RULES.outlier_percent_max,
            drift_percent_max: RULES.drift_percent_max,
            covered_seconds_min: 300,
        },
        pools,
        bases,
        proof: Some(market.proofs(proven)),
    };
    let mut body = serde_json::to_value(&price).unwrap();
    body["v5_anchor"] = market.chain.anchor("super_root_hash");
    body
}

fn judge(body: &Value) -> Result<Option<usize>, &'static str> {
    let checked = Verifier::builtin().check_price(body.to_string().as_bytes(), &[]);
    checked.map(|checked| Some(checked.pools)).map_err(|error| match error {
        PriceCheckError::NoPrice(_) => "no_price",
        PriceCheckError::NoProof => "no_proof",
        PriceCheckError::Proof(..) => "proof",
        PriceCheckError::SuperRoots => "super_roots",
        PriceCheckError::Pool { .. } => "pool",
        PriceCheckError::Shown { .. } => "shown",
        PriceCheckError::Said(_) => "said",
        PriceCheckError::Price { .. } => "price",
    })
}

const OF_COIN: &str = "the chain's coin by pools with stablecoins";
const OF_TOKEN: &str = "a token by pools with the coin and with a stablecoin";

fn all() -> Vec<AnswerVector> {
    let market = Market::new();
    let mut known: BTreeMap<Address, (u8, Decimal)> = BTreeMap::new();
    for stable in stables() {
        known.insert(stable.address.parse().unwrap(), (stable.decimals, Decimal::ONE));
    }
    let (weth_pools, weth_usd) = priced(&market.weth, (WETH, 18), &known);
    let weth = token(WETH, "WETH", 18);
    let proven: Vec<&Made> = market.weth.iter().collect();
    let bases = stables().into_iter().map(dollar).collect();
    let of_coin = answer(&market, weth.clone(), (weth_pools.clone(), weth_usd), bases, &proven);
    known.insert(WETH, (18, weth_usd));
    let token_pools = priced(&market.token, (TOKEN, TOKEN_DECIMALS), &known);
    let by_pools = PriceBase {
        token: weth,
        price_usd: weth_usd.text(18),
        twap_usd: None,
        evidence: "pools".to_owned(),
        pools: weth_pools,
        stables: stables(),
        disputed_by: vec![],
    };
    let bases = vec![dollar(token(USDC, "USDC", 6)), by_pools];
    let proven: Vec<&Made> = market.token.iter().chain(&market.weth).collect();
    let mut unlisted = token(TOKEN, "ONE", TOKEN_DECIMALS);
    unlisted.metadata_evidence = "node_quorum".to_owned();
    let of_token = answer(&market, unlisted, token_pools, bases, &proven);
    let (trusted, judge) = (market.chain.trusted(), judge as Judge);
    let mut answers = Answers { trusted, judge, all: Vec::new() };
    answers.good(OF_COIN, "one of four pools is too far from the others", &of_coin);
    answers.good(
        OF_TOKEN,
        "every form of pool: v2, v3, v4, told by its factory, of an odd fee",
        &of_token,
    );
    whole(&mut answers, &market);
    pools(&mut answers);
    events(&mut answers);
    figures(&mut answers, &of_coin);
    answers.all
}

type Judge = fn(&Value) -> Result<Option<usize>, &'static str>;
type Prices = Answers<Judge>;

fn whole(answers: &mut Prices, market: &Market) {
    let mut bent = |name: &str, reason: &str, patch: &[super::Change]| {
        answers.bent(OF_COIN, name, reason, patch);
    };
    bent("no pools", "a price has pools", &[remove("/pools")]);
    bent("a token that is no address", "it has 40 digits", &[replace("/token/address", "0x12")]);
    bent("no proof", "it is asked for with proof=1", &[replace("/proof", Value::Null)]);
    bent("an empty proof", "no event is proven", &[replace("/proof", json!([]))]);
    let older = market.chain.bundle(&market.weth[0].last, 0).encode();
    let older = const_hex::encode_prefixed(older);
    bent(
        "a proof under another SuperRoot",
        "all lead to one",
        &[replace("/proof/1/proof_blob", older)],
    );
    let mut short = market.chain.bundle(&market.weth[0].last, 1).up_to(ProofLevel::Block).encode();
    bent(
        "a proof without a SuperRoot",
        "all lead to one",
        &[replace("/proof/0/proof_blob", const_hex::encode_prefixed(&short))],
    );
    short.pop();
    bent(
        "a proof cut short",
        "it is not read",
        &[replace("/proof/0/proof_blob", const_hex::encode_prefixed(&short))],
    );
    let mut false_one = market.chain.bundle(&market.weth[0].last, 1);
    if let Some(block) = &mut false_one.block {
        block.block_hash = Hash::ZERO;
    }
    let blob = const_hex::encode_prefixed(false_one.encode());
    bent("a false proof", "level 2 fails", &[replace("/proof/0/proof_blob", blob)]);
    let block = market.chain.0.prove(
        crate::world::ETHEREUM,
        110,
        superroot_proof::bundle::ProofSubject::Block,
        false,
        1,
    );
    let blob = const_hex::encode_prefixed(block.encode());
    bent("the proof of a block", "it is of no event", &[replace("/proof/0/proof_blob", blob)]);
    bent("another chain id", "the proofs are of chain 1", &[replace("/chain_id", 10)]);
    bent("another sequence in v5_anchor", "it is 1", &[replace("/v5_anchor/sequence", 2)]);
    bent(
        "another hash in v5_anchor",
        "it is another",
        &[replace("/v5_anchor/super_root_hash", json!(Hash::ZERO))],
    );
    bent(
        "a stablecoin at two dollars",
        "it is taken to be worth one",
        &[replace("/bases/0/price_usd", "2")],
    );
    bent(
        "other digits of a known token",
        "a list says six",
        &[replace("/bases/0/token/decimals", 7)],
    );
    bent(
        "another symbol of a known token",
        "a list says USDC",
        &[replace("/bases/0/token/symbol", "USDX")],
    );
    bent("another price", "it follows from the pools", &[replace("/price_usd", "3001")]);
    bent("a digit more", "18 are shown", &[replace("/price_usd", "3000.0000000000000001")]);
    bent("more behind it asked for", "it is thin", &[replace("/rules/depth_usd_min", 10_000_000)]);
    bent(
        "an age of an hour",
        "pools are older",
        &[replace("/block/timestamp", time(BLOCK) + 90_000)],
    );
}

fn pools(answers: &mut Prices) {
    let first = answers.all[0].body.clone().unwrap()["pools"][0].clone();
    let mut bent = |name: &str, reason: &str, patch: &[super::Change]| {
        answers.bent(OF_COIN, name, reason, patch);
    };
    bent("a pool twice", "it would weigh twice", &[add("/pools/-", first)]);
    bent(
        "a pool of other tokens",
        "it has the token and the base",
        &[replace("/pools/0/pair/1", format!("{DAI:#x}"))],
    );
    bent(
        "tokens exchanged",
        "they follow from no factory",
        &[replace("/pools/0/pair", json!([format!("{WETH:#x}"), format!("{USDC:#x}")]))],
    );
    bent(
        "a pool at another address",
        "it follows from no factory",
        &[replace("/pools/0/address", format!("{TOLD:#x}"))],
    );
    bent("a base that is not listed", "bases are listed", &[remove("/bases/0")]);
    bent(
        "another exchange",
        "the factory is Uniswap's",
        &[replace("/pools/0/protocol", "sushiswap_v2")],
    );
    bent("another fee", "the factory's is 3,000", &[replace("/pools/0/fee_millionths", 500)]);
    bent("another spacing", "that of fee 500 is 10", &[replace("/pools/3/tick_spacing", 60)]);
    bent(
        "more near the price than is in force",
        "no position there is proven",
        &[replace("/pools/3/near_liquidity", "19999999999999999901")],
    );
    bent(
        "liquidity near the price of reserves",
        "they have none",
        &[replace("/pools/0/near_liquidity", "1")],
    );
    bent(
        "the coin in place of a token",
        "in Uniswap v4 alone",
        &[replace(
            "/pools/0/pair",
            json!(["0x0000000000000000000000000000000000000000", format!("{USDC:#x}")]),
        )],
    );
    let mut bent = |name: &str, reason: &str, patch: &[super::Change]| {
        answers.bent(OF_TOKEN, name, reason, patch);
    };
    bent(
        "a told pool without its creation",
        "it follows from no factory",
        &[replace("/pools/3/creation_event", Value::Null)],
    );
    bent(
        "a swap as a creation",
        "it makes no pool",
        &[replace("/pools/3/creation_event", json!(place(123, 0, 0)))],
    );
    bent(
        "a pool of an odd fee with another",
        "it follows from no factory",
        &[replace("/pools/4/fee_millionths", 124)],
    );
    bent(
        "another price of a base",
        "it follows from its pools",
        &[replace("/bases/1/price_usd", "3001")],
    );
    bent("a base's stablecoin left out", "its pools have it", &[remove("/bases/1/stables/2")]);
    bent(
        "other digits of an unlisted token",
        "another price follows",
        &[replace("/token/decimals", 8)],
    );
}

fn events(answers: &mut Prices) {
    let mut bent = |name: &str, reason: &str, patch: &[super::Change]| {
        answers.bent(OF_COIN, name, reason, patch);
    };
    bent("an event without a proof", "each has one", &[remove("/proof/0")]);
    bent("another place", "no proof is of it", &[replace("/pools/0/last_event/log_index", 9)]);
    bent(
        "another event of the receipt",
        "no proof is of it",
        &[replace("/pools/0/last_event/log_index", 0)],
    );
    bent(
        "the event of another pool",
        "it is of another contract",
        &[replace("/pools/1/last_event", json!(place(111, 1, 1)))],
    );
    bent("a block before the event", "it came later", &[replace("/block/number", 109)]);
    bent(
        "later events left out",
        "liquidity is another",
        &[replace("/pools/3/later_events", json!([]))],
    );
    bent(
        "a later event twice",
        "liquidity is another",
        &[add("/pools/3/later_events/-", json!(place(115, 0, 0)))],
    );
    bent(
        "later events out of order",
        "each follows the one before it",
        &[replace("/pools/3/later_events", json!([place(115, 0, 1), place(115, 0, 0)]))],
    );
    bent(
        "a swap as a later event",
        "it is no change of liquidity",
        &[add("/pools/3/later_events/-", json!(place(112, 0, 0)))],
    );
    bent(
        "a change of liquidity as the last event",
        "it says no price",
        &[replace("/pools/3/last_event", json!(place(115, 0, 0)))],
    );
}

fn figures(answers: &mut Prices, body: &Value) {
    let mut bent = |name: &str, reason: &str, patch: &[super::Change]| {
        answers.bent(OF_COIN, name, reason, patch);
    };
    let follows = "it follows from the events";
    bent("other reserves", follows, &[replace("/pools/0/reserves/0", "30000000000001")]);
    bent("reserves of a spot", follows, &[replace("/pools/3/reserves", json!(["1", "2"]))]);
    bent("another root", follows, &[replace("/pools/3/sqrt_price_x96", "1")]);
    bent("other liquidity", follows, &[replace("/pools/3/liquidity", "20000000000000000000")]);
    bent(
        "another tick of reserves",
        follows,
        &[replace("/pools/0/tick", body["pools"][0]["tick"].as_i64().unwrap() + 1)],
    );
    bent("another price in the base", follows, &[replace("/pools/0/price_base", "3001")]);
    bent("another price of a pool", follows, &[replace("/pools/0/price_usd", "3001")]);
    bent("another depth", follows, &[replace("/pools/0/depth_usd", "1")]);
    bent("another sum of what it holds", follows, &[replace("/pools/0/liquidity_usd", "1")]);
    bent("another weight", follows, &[replace("/pools/0/weight", 0.5)]);
    let outlier =
        body["pools"].as_array().unwrap().iter().position(|pool| pool["left_out"] == "outlier");
    let outlier = format!("/pools/{}/left_out", outlier.unwrap());
    bent(
        "an outlier that counts",
        "it is too far from the middle",
        &[replace(&outlier, Value::Null)],
    );
    bent(
        "a pool called an outlier",
        "it is near the middle",
        &[replace("/pools/0/left_out", "outlier")],
    );
    bent(
        "a pool left out as stale",
        "another weight follows",
        &[replace("/pools/0/left_out", "stale")],
    );
}

#[test]
fn every_price_is_judged_at_its_step() {
    let vectors = same_in_file("prices/prices.json", &all(), |one| &one.name);
    let steps = ["no_price", "no_proof", "proof", "super_roots", "said", "pool", "shown", "price"];
    check(&vectors, &steps, judge);
    assert!(vectors.len() >= 50, "{} prices", vectors.len());
}

/// What is no stablecoin of the verifier's own list is a dollar only where the reader says so, and the check tells that
/// it was; a well-known symbol at another address is refused whatever the reader admits.
#[test]
fn a_dollar_that_nobody_knows_is_one_by_admission_alone() {
    let mut market = Market::new();
    // the coin, priced by its pools with a token of a dollar that no list has
    let is_contract = |pool: &Made| matches!(pool.bound.pool, PoolId::Contract(_));
    let pools = std::mem::take(&mut market.token).into_iter();
    let pools = pools.filter(|pool| pool.base == WETH && is_contract(pool));
    let pools: Vec<Made> = pools.map(|pool| Made { base: TOKEN, ..pool }).collect();
    let known = BTreeMap::from([(TOKEN, (TOKEN_DECIMALS, Decimal::ONE))]);
    let said = priced(&pools, (WETH, 18), &known);
    let proven: Vec<&Made> = pools.iter().collect();
    let bases = vec![dollar(token(TOKEN, "ONE", TOKEN_DECIMALS))];
    let body = answer(&market, token(WETH, "WETH", 18), said, bases, &proven);
    let check = |body: &Value, admitted: &[Address]| {
        Verifier::builtin().check_price(body.to_string().as_bytes(), admitted)
    };
    let refused = check(&body, &[]).unwrap_err().to_string();
    assert!(refused.contains("is taken for a dollar"), "{refused}");
    assert!(check(&body, &[TOLD]).is_err(), "another token is admitted");
    let checked = check(&body, &[TOKEN]).unwrap();
    assert_eq!(checked.admitted, [TOKEN]);
    let mut false_name = body.clone();
    false_name["bases"][0]["token"]["symbol"] = "USDC".into();
    let refused = check(&false_name, &[TOKEN]).unwrap_err().to_string();
    assert!(refused.contains("the symbol of another token"), "{refused}");
}
