//! Pools of Uniswap v4 through what a chain takes back: one contract tells of all of them, so here one of a few bytes
//! says what a manager of pools would say.

use alloy_primitives::Address;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use superroot_dex::{Pair, id_within, tick};

use super::one::deploy;
use super::prices::{TOKENS, serve};
use super::watch::{builder, get};
use crate::support::Service;
use crate::support::anvil::{Anvil, until};
use crate::support::contract::{Arg, encode, topic};
use crate::support::world::World;

const CHAIN: u64 = 31_337;
const FEE: u32 = 500;
const SPACING: i32 = 10;
/// Depth of the deepest of what is taken back; blocks are final 16 later.
const DEPTH_MAX: u64 = 6;

/// Emits what it is called with: how many topics there are (3, or else 4), four words for them, the data.
///
/// It copies the data to memory, looks at the first word, and ends in `LOG3` or `LOG4`.
const EMITTER: &str = "60a036038060a06000376000356004146021576060356040356020358360\
                       00a3005b608035606035604035602035846000a400";

/// What was said of the pool.
#[derive(Clone, Copy, Debug)]
enum Said {
    Initialized { tick: i32 },
    Swapped { tick: i32, liquidity: u128 },
    Liquidity { ticks: (i32, i32), delta: i128 },
}

struct Manager {
    node: Anvil,
    contract: String,
    tokens: [String; 2],
    id: String,
    /// By block, what the node's chain has.
    said: Vec<(u64, Said)>,
}

impl Manager {
    async fn deploy(node: Anvil) -> Self {
        let mut tokens = Vec::new();
        for _ in 0..2 {
            tokens.push(deploy(&node, "v2-core", "ERC20", &[TOKENS.into()]).await);
        }
        tokens.sort();
        let tokens: [String; 2] = tokens.try_into().unwrap();
        let code = const_hex::decode(EMITTER).unwrap();
        let length = u8::try_from(code.len()).unwrap();
        // the rest of the code is what is deployed
        let creation = [&[0x60, length, 0x80, 0x60, 11, 0x60, 0, 0x39, 0x60, 0, 0xf3], &code[..]];
        let made = node.execute(None, &creation.concat()).await;
        let contract = made["contractAddress"].as_str().unwrap().to_owned();
        let [token0, token1] = tokens.each_ref().map(|token| token.parse().unwrap());
        let id = id_within(&Pair { token0, token1 }, FEE, SPACING, Address::ZERO);
        Self { node, contract, tokens, id: id.to_string(), said: Vec::new() }
    }

    /// Has the contract say these, all in one block.
    async fn say(&mut self, all: &[Said]) {
        let of_hex = |hex: &str| const_hex::decode(hex).unwrap();
        let word = |arg: Arg| encode(&[arg]);
        let root = |tick: i32| Arg::Uint(tick::sqrt_price_at(tick).unwrap().to());
        let int = |tick: i32| Arg::Int(tick.into());
        let nobody = || Arg::Address(Address::ZERO.to_string());
        for said in all {
            let (name, topics, data) = match *said {
                Said::Initialized { tick } => (
                    "Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)",
                    self.tokens.each_ref().map(|token| word(token.as_str().into())).concat(),
                    vec![Arg::Uint(FEE.into()), int(SPACING), nobody(), root(tick), int(tick)],
                ),
                Said::Swapped { tick, liquidity } => (
                    "Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)",
                    [word(nobody()), vec![0; 32]].concat(),
                    vec![
                        Arg::Int(-1_000),
                        Arg::Int(999),
                        root(tick),
                        liquidity.into(),
                        int(tick),
                        Arg::Uint(FEE.into()),
                    ],
                ),
                Said::Liquidity { ticks, delta } => (
                    "ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)",
                    [word(nobody()), vec![0; 32]].concat(),
                    vec![int(ticks.0), int(ticks.1), Arg::Int(delta), Arg::Uint(0)],
                ),
            };
            let count = if matches!(said, Said::Initialized { .. }) { 4 } else { 3 };
            let call = [
                word(Arg::Uint(count)),
                of_hex(&topic(name)),
                of_hex(&self.id),
                topics,
                encode(&data),
            ];
            self.node.send(Some(&self.contract), &call.concat()).await;
        }
        self.node.mine(1).await;
        let number = self.node.head().await;
        self.said.extend(all.iter().map(|said| (number, *said)));
    }

    /// Has the node put empty blocks in the place of its newest.
    async fn take_back(&mut self, depth: u64) {
        self.node.call("anvil_reorg", json!([depth, []])).await;
        let head = self.node.head().await;
        self.said.retain(|(number, _)| *number + depth <= head);
    }

    /// What is in force: the tick, and the liquidity there. `None` where there is no pool.
    fn in_force(&self) -> Option<(i32, u128)> {
        let mut held = None;
        for (_, said) in &self.said {
            match *said {
                Said::Initialized { tick } => held = Some((tick, 0)),
                Said::Swapped { tick, liquidity } => held = Some((tick, liquidity)),
                Said::Liquidity { ticks: (lower, upper), delta } => {
                    held = held.map(|(tick, liquidity): (i32, u128)| {
                        let is_in = (lower..upper).contains(&tick);
                        (tick, liquidity.checked_add_signed(if is_in { delta } else { 0 }).unwrap())
                    });
                }
            }
        }
        held
    }

    fn serve(&self, world: &World) -> Service {
        let factories = format!(
            "[[factory]]\ndex = \"uniswap_v4\"\nchains = [\"anvil-31337\"]\nform = \"v4\"\naddress = \"{}\"\n",
            self.contract
        );
        // what is checked is the price of a moment, however far it jumped
        let more = [("SUPERROOT__MARKET__DRIFT_PERCENT_MAX", "1000")];
        serve(world, &factories, &self.tokens[0], &more)
    }

    /// That the service has the price of the node's head, and the pool in the state that it should be in.
    async fn is_served(&self, service: &Service, key: &str) {
        let path = format!("/price/{CHAIN}/{}?window=60", self.tokens[1]);
        let head = self.node.hash_at(self.node.head().await).await;
        let Some((tick, liquidity)) = self.in_force() else {
            until("there is no pool", async || {
                let (status, none) = get(service, key, &path).await;
                (status == 404 && none["reason"] == "no_pool").then_some(())
            })
            .await;
            return;
        };
        let price = until("the price is that of the node's head", async || {
            let (status, price) = get(service, key, &path).await;
            (status == 200 && price["block"]["hash"] == *head).then_some(price)
        })
        .await;
        let [pool] = &price["pools"].as_array().unwrap()[..] else { panic!("{price}") };
        assert_eq!(pool["pool_id"], self.id, "{pool}");
        let root = tick::sqrt_price_at(tick).unwrap().to_string();
        assert_eq!(pool["sqrt_price_x96"], root, "{pool}");
        assert_eq!(pool["liquidity"], liquidity.to_string(), "{pool}");
        let dollars: f64 = price["price_usd"].as_str().unwrap().parse().unwrap();
        let expected = 1.0001_f64.powi(-tick);
        assert!((dollars / expected - 1.0).abs() < 1e-6, "{dollars} {expected}");
    }
}

async fn states(service: &Service, key: &str) -> Vec<String> {
    let path = format!("/signals/launches?format=json&chain_id={CHAIN}");
    let (status, body) = get(service, key, &path).await;
    assert_eq!(status, 200, "{body}");
    let state = |one: &Value| one["state"].as_str().unwrap().to_owned();
    body["launches"].as_array().unwrap().iter().map(state).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pool_within_a_manager_follows_what_its_chain_takes_back() {
    let Some(node) = Anvil::start(CHAIN, 8) else { return };
    let world = World::of(&[&node]);
    let mut manager = Manager::deploy(node).await;
    let service = manager.serve(&world);
    let key = builder(&world.path("data"));
    let deep = 10_u128.pow(24);
    let whole = Said::Liquidity { ticks: (-60_000, 60_000), delta: deep.cast_signed() };
    let launched = async || (!states(&service, &key).await.is_empty()).then_some(());
    let gone = async || states(&service, &key).await.is_empty().then_some(());

    // the pool and its filling are taken back, and come again at another price
    manager.say(&[Said::Initialized { tick: 0 }]).await;
    manager.say(&[whole]).await;
    manager.is_served(&service, &key).await;
    until("the launch is found", launched).await;
    manager.take_back(2).await;
    assert!(manager.said.is_empty());
    manager.is_served(&service, &key).await;
    until("the launch of blocks that are gone is gone", gone).await;
    manager.say(&[Said::Initialized { tick: 100 }, whole]).await;
    manager.is_served(&service, &key).await;
    until("the launch is found again", launched).await;
    manager.node.mine(DEPTH_MAX).await;

    let mut random = StdRng::seed_from_u64(4);
    let (mut taken_back, mut lower) = (0, 0);
    for _ in 0..24 {
        let some = (0..random.random_range(1..4)).map(|_| match random.random_range(0..3) {
            0 => {
                Said::Liquidity { ticks: (-60_000, 60_000), delta: random.random_range(1..1 << 70) }
            }
            1 => Said::Liquidity { ticks: (5_000, 60_000), delta: random.random_range(1..1 << 70) },
            _ => Said::Swapped {
                tick: random.random_range(-2_000..9_000),
                liquidity: deep + random.random_range(0..1 << 70),
            },
        });
        let some: Vec<Said> = some.collect();
        manager.say(&some).await;
        manager.is_served(&service, &key).await;
        if random.random_range(0..2) == 0 {
            let before = manager.said.len();
            manager.take_back(random.random_range(1..=DEPTH_MAX)).await;
            (taken_back, lower) = (taken_back + before - manager.said.len(), lower + 1);
            manager.is_served(&service, &key).await;
        }
    }
    assert!(lower > 5 && taken_back > 15, "{lower} times, {taken_back} events");
    assert!(manager.in_force().is_some());
    assert!(service.stop().success());
}
