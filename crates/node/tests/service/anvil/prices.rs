//! Means of prices against the contracts' own: Uniswap v2 and v3 as they were published, swapped on at chosen times, and
//! asked what they kept.

use alloy_primitives::{Address, U256};
use serde_json::{Value, json};
use superroot_dex::twap::{InForce, cumulative_price, mean_tick};
use superroot_dex::{DecodedPoolEvent, Factories, Pair, PoolEvent, PoolId, Spot, decode, tick};
use superroot_types::Hash;

use super::one::deploy;
use super::watch::{builder, get};
use crate::support::Service;
use crate::support::anvil::{Anvil, code_in, quantity, until};
use crate::support::contract::{Arg, call, encode};
use crate::support::world::{World, anchored};

/// As many tokens as a test wants.
pub(super) const TOKENS: u128 = 1_000_000_000_000_000_000_000;
const FEE: u128 = 3_000;
/// Seconds before each round of swaps: odd ones, a long silence, and none to speak of.
const GAPS: [u64; 12] = [1, 13, 7, 600, 2, 59, 3_601, 12, 1, 1, 240, 17];

/// Uniswap v2 and v3 with two tokens, and a pool of them at each.
pub(super) struct Exchanges {
    pub(super) node: Anvil,
    pub(super) account: String,
    /// The lower first.
    pub(super) tokens: [String; 2],
    factories: [String; 2],
    pub(super) pair: String,
    router: String,
    pool: String,
    positions: String,
    swapper: String,
}

/// A contract of Uniswap v3, as its packages have it.
async fn deploy_v3(node: &Anvil, package: &str, contract: &str, arguments: &[Arg]) -> String {
    let file = format!("@uniswap/{package}/artifacts/contracts/{contract}.sol/{contract}.json");
    let code = [code_in(&file), encode(arguments)].concat();
    let receipt = node.execute(None, &code).await;
    receipt["contractAddress"].as_str().unwrap().to_owned()
}

impl Exchanges {
    pub(super) async fn deploy(node: Anvil) -> Self {
        let account = node.account().await;
        let mut tokens = Vec::new();
        for _ in 0..2 {
            tokens.push(deploy(&node, "v2-core", "ERC20", &[TOKENS.into()]).await);
        }
        tokens.sort();
        let tokens: [String; 2] = tokens.try_into().unwrap();
        let weth = deploy(&node, "v2-periphery", "WETH9", &[]).await;
        let v2 = deploy(&node, "v2-core", "UniswapV2Factory", &[account.as_str().into()]).await;
        let of_router = [v2.as_str().into(), weth.as_str().into()];
        let router = deploy(&node, "v2-periphery", "UniswapV2Router02", &of_router).await;
        let v3 = deploy_v3(&node, "v3-core", "UniswapV3Factory", &[]).await;
        let of_v3 = [v3.as_str().into(), weth.as_str().into()];
        let swapper = deploy_v3(&node, "v3-periphery", "SwapRouter", &of_v3).await;
        let of_v3 = [v3.as_str().into(), weth.as_str().into(), weth.as_str().into()];
        let positions =
            deploy_v3(&node, "v3-periphery", "NonfungiblePositionManager", &of_v3).await;
        for token in &tokens {
            for spender in [&router, &swapper, &positions] {
                let arguments = [spender.as_str().into(), TOKENS.into()];
                node.execute(Some(token), &call("approve(address,uint256)", &arguments)).await;
            }
        }
        let both = tokens.each_ref().map(|token| Arg::from(token.as_str()));
        let [a, b] = both.clone();
        node.execute(Some(&v2), &call("createPair(address,address)", &[a, b])).await;
        let [a, b] = both;
        let create = call("createPool(address,address,uint24)", &[a, b, FEE.into()]);
        node.execute(Some(&v3), &create).await;
        // where the pools are, the factories' rows say: the contracts are asked below
        let factories = rows(&v2, &v3);
        let pair = Pair { token0: address(&tokens[0]), token1: address(&tokens[1]) };
        let found = factories.pools_of("anvil", &pair);
        let [of_v2, of_v3] = &found[..] else { panic!("{found:?}") };
        let at = |pool: &PoolId| match pool {
            PoolId::Contract(contract) => format!("{contract:#x}"),
            other @ PoolId::Within(..) => panic!("{other:?}"),
        };
        let (pair, pool) = (at(&of_v2.pool), at(&of_v3.pool));
        Self { node, account, tokens, factories: [v2, v3], pair, router, pool, positions, swapper }
    }

    pub(super) async fn ask(&self, to: &str, data: Vec<u8>) -> Vec<u8> {
        let asked = json!([{"to": to, "data": const_hex::encode_prefixed(data)}, "latest"]);
        let returned = self.node.call("eth_call", asked).await;
        const_hex::decode(returned.as_str().unwrap()).unwrap()
    }

    fn both(&self) -> [Arg; 2] {
        self.tokens.each_ref().map(|token| Arg::from(token.as_str()))
    }

    /// Liquidity in both.
    pub(super) async fn fill(&self) -> Vec<Value> {
        let root = tick::sqrt_price_at(0).unwrap().to::<u128>();
        let initialize = call("initialize(uint160)", &[root.into()]);
        let first = self.node.execute(Some(&self.pool), &initialize).await;
        let more = call("increaseObservationCardinalityNext(uint16)", &[64.into()]);
        self.node.execute(Some(&self.pool), &more).await;
        let amount = TOKENS / 4;
        let [a, b] = self.both();
        let words = [amount, amount, 0, 0].map(Arg::from);
        let to = [Arg::from(self.account.as_str()), far()];
        let v2 = call(
            "addLiquidity(address,address,uint256,uint256,uint256,uint256,address,uint256)",
            &[&[a, b][..], &words, &to].concat(),
        );
        let v2 = self.node.execute(Some(&self.router), &v2).await;
        let v3 = self.add_range(amount).await;
        self.node.mine(1).await;
        vec![first, v2, self.node.receipt(&v3).await]
    }

    /// Sends liquidity for a range around the price of the pool of v3, to be in the next block.
    pub(super) async fn add_range(&self, amount: u128) -> String {
        let [a, b] = self.both();
        let range = [FEE.into(), Arg::Int(-60_000), Arg::Int(60_000)];
        let words = [amount, amount, 0, 0].map(Arg::from);
        let to = [Arg::from(self.account.as_str()), far()];
        let mint = call(
            "mint((address,address,uint24,int24,int24,uint256,uint256,uint256,uint256,address,uint256))",
            &[&[a, b][..], &range, &words, &to].concat(),
        );
        self.node.send(Some(&self.positions), &mint).await
    }

    /// The service on the node, which knows these factories, and one token as worth a dollar.
    pub(super) fn serve(&self, world: &World) -> Service {
        let [v2, v3] = &self.factories;
        serve(world, &list_of_factories(v2, v3), &self.tokens[0], &[])
    }

    /// That both pools of a price are in the state that their contracts had after that block.
    pub(super) async fn same_states(&self, price: &Value, number: u64) {
        let at = format!("{number:#x}");
        let ask = async |to: &str, data: Vec<u8>| {
            let asked = json!([{"to": to, "data": const_hex::encode_prefixed(data)}, at]);
            const_hex::decode(self.node.call("eth_call", asked).await.as_str().unwrap()).unwrap()
        };
        let word = |bytes: &[u8], place: usize| U256::from_be_slice(&bytes[32 * place..][..32]);
        let pools = price["pools"].as_array().unwrap();
        assert_eq!(pools.len(), 2, "{price}");
        for quoted in pools {
            assert_eq!(quoted["left_out"], Value::Null, "{quoted}");
            if quoted["protocol"] == "uniswap_v2" {
                let held = ask(&self.pair, call("getReserves()", &[])).await;
                let held = json!([word(&held, 0).to_string(), word(&held, 1).to_string()]);
                assert_eq!(quoted["reserves"], held);
                continue;
            }
            let spot = ask(&self.pool, call("slot0()", &[])).await;
            assert_eq!(quoted["sqrt_price_x96"], word(&spot, 0).to_string());
            let liquidity = ask(&self.pool, call("liquidity()", &[])).await;
            assert_eq!(quoted["liquidity"], word(&liquidity, 0).to_string());
            // the mean over what is covered, as the pool's own observations have it
            let covered = quoted["covered_seconds"].as_u64().unwrap();
            if covered > 0 {
                let observe = [call("observe(uint32[])", &[]), list(&[covered.into(), 0])].concat();
                let observed = ask(&self.pool, observe).await;
                let delta = signed(&observed[128..]) - signed(&observed[96..]);
                let mean = quoted["mean_tick"].as_i64().unwrap();
                assert_eq!(i128::from(mean), delta.div_euclid(covered.into()), "{quoted}");
            }
        }
    }

    /// Sends a swap of one of the tokens at each exchange, both to be in the next block.
    pub(super) async fn swap(&self, gives: usize, amount: u128) -> [String; 2] {
        let [from, to] = [&self.tokens[gives], &self.tokens[1 - gives]];
        let way = Arg::Addresses(vec![from.clone(), to.clone()]);
        let account = Arg::from(self.account.as_str());
        let v2 = call(
            "swapExactTokensForTokens(uint256,uint256,address[],address,uint256)",
            &[amount.into(), 0.into(), way, account.clone(), far()],
        );
        let v3 = call(
            "exactInputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))",
            &[
                from.as_str().into(),
                to.as_str().into(),
                FEE.into(),
                account,
                far(),
                amount.into(),
                0.into(),
                0.into(),
            ],
        );
        let v2 = self.node.send(Some(&self.router), &v2).await;
        [v2, self.node.send(Some(&self.swapper), &v3).await]
    }
}

/// The service on a node, which knows these factories, one token as worth a dollar, and more settings.
pub(super) fn serve(world: &World, factories: &str, coin: &str, more: &[(&str, &str)]) -> Service {
    std::fs::write(world.path("factories.toml"), factories).unwrap();
    let tokens = format!(
        "[anvil-31337]\ntokens = [{{ symbol = \"USD\", address = \"{coin}\", decimals = 18, roles = [\"usd_stable\"] }}]\n"
    );
    std::fs::write(world.path("tokens.toml"), tokens).unwrap();
    let [listed, known] = ["factories.toml", "tokens.toml"].map(|name| world.path(name));
    let settings = [
        ("SUPERROOT__MARKET__FACTORIES", listed.to_str().unwrap()),
        ("SUPERROOT__MARKET__TOKENS", known.to_str().unwrap()),
        ("SUPERROOT__MARKET__DEPTH_USD_MIN", "1"),
        ("SUPERROOT__MARKET__LAUNCH_USD_MIN", "100"),
        ("SUPERROOT__MARKET__COVERED_SECONDS_MIN", "0"),
    ];
    world.serve(&[&settings[..], more].concat())
}

/// A time that does not come.
fn far() -> Arg {
    Arg::Uint(u128::from(u32::MAX))
}

fn address(text: &str) -> Address {
    text.parse().unwrap()
}

/// The factories as an operator would list them.
fn rows(v2: &str, v3: &str) -> Factories {
    Factories::builtin().with(&list_of_factories(v2, v3)).unwrap()
}

fn list_of_factories(v2: &str, v3: &str) -> String {
    format!(
        "[[factory]]\ndex = \"uniswap_v2\"\nchains = [\"anvil\", \"anvil-31337\"]\nform = \"v2\"\naddress = \"{v2}\"\nfees = [3000]\n\
         init_code_hash = \"0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f\"\n\
         [[factory]]\ndex = \"uniswap_v3\"\nchains = [\"anvil\", \"anvil-31337\"]\nform = \"v3\"\naddress = \"{v3}\"\nfees = [3000]\n\
         init_code_hash = \"0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54\"\n"
    )
}

/// What stood in force after each block, in order, and from when on.
#[derive(Default)]
struct History {
    reserves: Vec<(u64, [U256; 2])>,
    spots: Vec<(u64, Spot)>,
}

impl History {
    /// Takes what the logs of a receipt say of the two pools.
    fn take(&mut self, at: u64, receipt: &Value, pair: &str, pool: &str) {
        for log in receipt["logs"].as_array().unwrap() {
            let contract = address(log["address"].as_str().unwrap());
            let topics = log["topics"].as_array().unwrap().iter();
            let topics: Vec<Hash> =
                topics.map(|one| one.as_str().unwrap().parse().unwrap()).collect();
            let data = const_hex::decode(log["data"].as_str().unwrap()).unwrap();
            let Some(DecodedPoolEvent { event, .. }) = decode(contract, &topics, &data) else {
                continue;
            };
            match event {
                PoolEvent::Reserves(held) if contract == address(pair) => {
                    put(&mut self.reserves, at, held);
                }
                PoolEvent::Initialized(spot) | PoolEvent::Swapped(_, Some(spot))
                    if contract == address(pool) =>
                {
                    put(&mut self.spots, at, spot);
                }
                _ => {}
            }
        }
    }
}

/// The last event of a block is what counts.
fn put<T>(history: &mut Vec<(u64, T)>, at: u64, what: T) {
    if history.last().is_some_and(|(last, _)| *last == at) {
        history.pop();
    }
    history.push((at, what));
}

/// What was in force between two times.
fn in_force<T: Copy>(history: &[(u64, T)], from: u64, until: u64) -> Vec<InForce<T>> {
    let ends = history.iter().skip(1).map(|(at, _)| *at).chain([u64::MAX]);
    let windows = history.iter().zip(ends).map(|((begins, what), ends)| {
        let seconds = ends.min(until).saturating_sub((*begins).max(from));
        InForce { what: *what, seconds }
    });
    windows.filter(|window| window.seconds > 0).collect()
}

fn signed(word: &[u8]) -> i128 {
    i128::from_be_bytes(word[16..32].try_into().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn means_are_those_that_uniswap_keeps_itself() {
    let Some(node) = Anvil::start(31_337, 1) else { return };
    let exchanges = Exchanges::deploy(node).await;
    let Exchanges { node, pair, pool, .. } = &exchanges;
    let time_of = async |receipt: &Value| {
        let number = receipt["blockNumber"].clone();
        quantity(&node.call("eth_getBlockByNumber", json!([number, false])).await["timestamp"])
    };
    let mut history = History::default();
    for receipt in exchanges.fill().await {
        history.take(time_of(&receipt).await, &receipt, pair, pool);
    }
    let mut now = history.reserves.last().unwrap().0 + 100;
    for (round, gap) in GAPS.into_iter().enumerate() {
        now += gap;
        node.call("evm_setNextBlockTimestamp", json!([now])).await;
        // the price goes below one to one and above it; in some blocks it goes there and back
        let gives = usize::from(round % 5 > 1);
        let mut sent = exchanges.swap(gives, TOKENS / 50 * (1 + round as u128 % 3)).await.to_vec();
        if round % 4 == 3 {
            sent.extend(exchanges.swap(1 - gives, TOKENS / 30).await);
        }
        node.mine(1).await;
        for hash in sent {
            let receipt = node.receipt(&hash).await;
            assert_eq!(time_of(&receipt).await, now);
            history.take(now, &receipt, pair, pool);
        }
    }
    pair_keeps_what_is_computed(&exchanges, &history).await;
    pool_keeps_what_is_computed(&exchanges, &history).await;
}

/// The cumulative prices of v2, to the bit, in both directions.
async fn pair_keeps_what_is_computed(exchanges: &Exchanges, history: &History) {
    let (first, last) = (history.reserves[0].0, history.reserves.last().unwrap().0);
    assert!(history.reserves.len() > GAPS.len());
    for (getter, flip) in [("price0CumulativeLast()", false), ("price1CumulativeLast()", true)] {
        let kept = exchanges.ask(&exchanges.pair, call(getter, &[])).await;
        let mut points = in_force(&history.reserves, first, last);
        if flip {
            points.iter_mut().for_each(|point| point.what.reverse());
        }
        let (sum, _) = cumulative_price(&points).unwrap();
        assert_eq!(sum, U256::from_be_slice(&kept), "{getter}");
    }
}

/// `observe` of v3: ticks times seconds exactly, hence the mean tick; and the geometric mean of the exact prices is
/// within one tick of what that is before it is rounded.
async fn pool_keeps_what_is_computed(exchanges: &Exchanges, history: &History) {
    // the time at which calls are executed, by code that returns it
    let code = json!([{"data": "0x4260005260206000f3"}, "latest"]);
    let returned = exchanges.node.call("eth_call", code).await;
    let now = u64::from_str_radix(&returned.as_str().unwrap()[2..], 16).unwrap();
    let begun = history.spots[0].0;
    let ticks: Vec<(u64, i32)> = history.spots.iter().map(|(at, spot)| (*at, spot.tick)).collect();
    assert!(ticks.iter().any(|(_, tick)| *tick < 0) && ticks.iter().any(|(_, tick)| *tick > 0));
    let mut windows = 0;
    let mut below = 0;
    for from in [begun, begun + 5, begun + 111, begun + 700, now - 900, now - 300, now - 19] {
        for until in [now, now - 1, now - 18, now - 250] {
            if from >= until {
                continue;
            }
            let ago = [from, until].map(|at| u128::from(now - at));
            let observe = [call("observe(uint32[])", &[]), list(&ago)].concat();
            let observed = exchanges.ask(&exchanges.pool, observe).await;
            // two offsets, then the length of the first list and its members
            let cumulative = |place: usize| signed(&observed[96 + 32 * place..]);
            let delta = cumulative(1) - cumulative(0);
            let (sum, mean) = mean_tick(&in_force(&ticks, from, until)).unwrap();
            assert_eq!(sum, delta, "{from} {until}");
            let seconds = i128::from(until - from);
            assert_eq!(i128::from(mean), delta.div_euclid(seconds), "{from} {until}");
            below += usize::from(delta < 0 && delta % seconds != 0);
            let logs: f64 = in_force(&history.spots, from, until)
                .iter()
                .map(|point| {
                    let root: f64 = point.what.sqrt_price_x96.to_string().parse().unwrap();
                    2.0 * (root / 2_f64.powi(96)).ln() * point.seconds as f64
                })
                .sum();
            let geometric = logs / 1.0001_f64.ln() / (until - from) as f64;
            // each tick is the price's rounded down, so their mean is below it, by less than one tick
            let unrounded = delta as f64 / seconds as f64;
            assert!((0.0..=1.0).contains(&(geometric - unrounded)), "{geometric} {unrounded}");
            windows += 1;
        }
    }
    println!(
        "{windows} windows are the contract's own, {below} of them below zero and rounded down"
    );
    assert!(windows > 15 && below > 0);
}

/// A list of numbers as the only argument.
fn list(numbers: &[u128]) -> Vec<u8> {
    let words = [&[32, numbers.len() as u128], numbers].concat();
    encode(&words.into_iter().map(Arg::from).collect::<Vec<_>>())
}

/// The factories say where the pools are, and that they are theirs.
#[tokio::test(flavor = "multi_thread")]
async fn pools_are_where_their_factories_put_them() {
    let Some(node) = Anvil::start(31_337, 1) else { return };
    let exchanges = Exchanges::deploy(node).await;
    let [a, b] = exchanges.both();
    let [v2, v3] = &exchanges.factories;
    let at = |word: Vec<u8>| const_hex::encode_prefixed(&word[12..]);
    let get = call("getPair(address,address)", &[a.clone(), b.clone()]);
    assert_eq!(at(exchanges.ask(v2, get).await), exchanges.pair);
    let get = call("getPool(address,address,uint24)", &[a, b, FEE.into()]);
    assert_eq!(at(exchanges.ask(v3, get).await), exchanges.pool);
}

/// One call brings what contracts say of themselves, and no contract makes it fail.
#[tokio::test(flavor = "multi_thread")]
async fn contracts_say_what_they_are_called() {
    let Some(node) = Anvil::start(31_337, 1) else { return };
    let exchanges = Exchanges::deploy(node).await;
    let said = async |contract: &str| {
        let code = superroot_token::question(address(contract));
        let asked =
            json!([{"data": const_hex::encode_prefixed(code), "gas": "0x1e8480"}, "latest"]);
        let returned = exchanges.node.call("eth_call", asked).await;
        let returned = const_hex::decode(returned.as_str().unwrap()).unwrap();
        let said = superroot_token::decode(&returned).unwrap();
        (said.symbol, said.name, said.decimals)
    };
    let some = |text: &str| Some(text.to_owned());
    let token = (some("UNI-V2"), some("Uniswap V2"), Some(18));
    assert_eq!(said(&exchanges.tokens[0]).await, token);
    assert_eq!(said(&exchanges.pair).await, token);
    let positions = (some("UNI-V3-POS"), some("Uniswap V3 Positions NFT-V1"), None);
    assert_eq!(said(&exchanges.positions).await, positions, "it has no decimals");
    assert_eq!(said(&exchanges.pool).await, (None, None, None), "it has none of the three");
    assert_eq!(said(&exchanges.account).await, (None, None, None), "it has no code");
    // one that answers everything with 262,144 zeros
    let huge = const_hex::decode("6007600c60003960076000f3620400006000f3").unwrap();
    let receipt = exchanges.node.execute(None, &huge).await;
    let huge = receipt["contractAddress"].as_str().unwrap().to_owned();
    assert_eq!(said(&huge).await, (None, None, Some(0)), "262,144 zeros for each");
}

/// The service on a real node, with an operator's exchanges and coin: what it prices is what the contracts say at that block.
#[tokio::test(flavor = "multi_thread")]
async fn the_service_prices_what_the_contracts_say() {
    let Some(node) = Anvil::start(31_337, 1) else { return };
    let world = World::of(&[&node]);
    let exchanges = Exchanges::deploy(node).await;
    exchanges.fill().await;
    let Exchanges { node, tokens: [_, token], .. } = &exchanges;
    let service = exchanges.serve(&world);
    for round in 0..9_u128 {
        exchanges.swap(usize::from(round % 3 == 0), TOKENS / 400 * (round % 4 + 1)).await;
        // a mean is over time, and blocks of a node that mines at once may be of one second
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        node.mine(1).await;
    }
    let number = node.head().await;
    node.mine(3).await;
    anchored(&service, 31_337, number).await;
    let key = builder(&world.path("data"));
    let path = format!("/price/31337/{token}?block={number}&window=60");
    let price = until("the events of pools are indexed", async || {
        let (status, price) = get(&service, &key, &path).await;
        assert!(status == 200 || status == 404 || status == 409, "{status} {price}");
        (status == 200 && price["pools"].as_array().unwrap().len() == 2).then_some(price)
    })
    .await;
    let said = &price["token"];
    assert_eq!((&said["symbol"], &said["decimals"]), (&json!("UNI-V2"), &json!(18)), "{said}");
    assert_eq!(said["metadata_evidence"], "one_node", "{said}");
    assert_eq!(said["metadata_nodes"].as_array().unwrap().len(), 1, "{said}");
    exchanges.same_states(&price, number).await;
    let of_v3 = price["pools"]
        .as_array()
        .unwrap()
        .iter()
        .find(|pool| pool["tick"].is_number() && pool["reserves"].is_null());
    assert!(of_v3.unwrap()["covered_seconds"].as_u64() > Some(0), "{price}");
    // the same for ever
    node.mine(5).await;
    exchanges.swap(0, TOKENS / 20).await;
    node.mine(4).await;
    anchored(&service, 31_337, number + 8).await;
    let (status, again) = get(&service, &key, &path).await;
    assert_eq!(status, 200);
    for member in ["price_usd", "twap", "pools", "bases", "confidence", "token"] {
        assert_eq!(again[member], price[member], "{member}");
    }
    // an unknown token without a pool is no question to any node
    let (status, none) =
        get(&service, &key, "/price/31337/0x00000000000000000000000000000000000000aa").await;
    assert_eq!((status, &none["reason"]), (404, &json!("no_pool")));
    assert!(service.stop().success());
}
