//! The service against real nodes: what they execute is followed, proven, and survives what nodes and
//! machines do.

use crate::support::anvil::{Anvil, creation_code, quantity, until};
use crate::support::contract::{Arg, call, encode, topic};
use crate::support::world::{World, anchored, same_blocks};
use serde_json::json;

/// Chain id that anvil has when nobody asks for another.
const CHAIN: u64 = 31_337;
/// As many tokens as a test wants.
const TOKENS: u128 = 1_000_000_000_000_000_000_000;

/// Uniswap v2 as it was published, with a pair and something in it.
struct Exchange {
    pair: String,
    router: String,
    tokens: [String; 2],
}

pub(super) async fn deploy(
    node: &Anvil,
    package: &str,
    contract: &str,
    arguments: &[Arg],
) -> String {
    let code = [creation_code(package, contract), encode(arguments)].concat();
    let receipt = node.execute(None, &code).await;
    receipt["contractAddress"].as_str().unwrap().to_owned()
}

impl Exchange {
    async fn deploy(node: &Anvil) -> Self {
        let account = node.account().await;
        let factory = deploy(node, "v2-core", "UniswapV2Factory", &[account.as_str().into()]).await;
        let weth = deploy(node, "v2-periphery", "WETH9", &[]).await;
        let of_router = [factory.as_str().into(), weth.as_str().into()];
        let router = deploy(node, "v2-periphery", "UniswapV2Router02", &of_router).await;
        let mut tokens = Vec::new();
        for _ in 0..2 {
            let token = deploy(node, "v2-core", "ERC20", &[TOKENS.into()]).await;
            let approve =
                call("approve(address,uint256)", &[router.as_str().into(), TOKENS.into()]);
            node.execute(Some(&token), &approve).await;
            tokens.push(token);
        }
        let tokens: [String; 2] = tokens.try_into().unwrap();
        let [a, b] = tokens.each_ref().map(|token| Arg::from(token.as_str()));
        let create = call("createPair(address,address)", &[a.clone(), b.clone()]);
        node.execute(Some(&factory), &create).await;
        let of_pair = call("getPair(address,address)", &[a.clone(), b.clone()]);
        let asked = json!([{"to": factory, "data": const_hex::encode_prefixed(of_pair)}, "latest"]);
        let word = node.call("eth_call", asked).await;
        let pair = format!("0x{}", &word.as_str().unwrap()[26..]);
        let amount = Arg::from(TOKENS / 2);
        let add = call(
            "addLiquidity(address,address,uint256,uint256,uint256,uint256,address,uint256)",
            &[a, b, amount.clone(), amount, 0.into(), 0.into(), account.as_str().into(), far()],
        );
        node.execute(Some(&router), &add).await;
        Self { pair, router, tokens }
    }

    fn swap(&self, account: &str, amount: u128) -> Vec<u8> {
        let way = Arg::Addresses(self.tokens.to_vec());
        let arguments = [amount.into(), 0.into(), way, account.into(), far()];
        call("swapExactTokensForTokens(uint256,uint256,address[],address,uint256)", &arguments)
    }
}

/// A time that does not come.
fn far() -> Arg {
    Arg::Uint(u128::from(u32::MAX))
}

/// The swap shares its block with a transfer before it, so its node numbers its logs from 1; here
/// they are numbered in their receipt.
#[tokio::test(flavor = "multi_thread")]
async fn a_swap_that_uniswap_really_made_is_proven() {
    let Some(node) = Anvil::start(CHAIN, 1) else { return };
    let world = World::of(&[&node]);
    let service = world.serve(&[]);
    let exchange = Exchange::deploy(&node).await;
    let account = node.account().await;
    let transfer =
        call("transfer(address,uint256)", &[exchange.pair.as_str().into(), 1_u128.into()]);
    let transfer = node.send(Some(&exchange.tokens[0]), &transfer).await;
    let swap = node.send(Some(&exchange.router), &exchange.swap(&account, 1_000_000)).await;
    node.mine(1).await;
    let (transfer, receipt) = (node.receipt(&transfer).await, node.receipt(&swap).await);
    assert_eq!(transfer["blockHash"], receipt["blockHash"], "one block has both");
    let number = quantity(&receipt["blockNumber"]);
    node.mine(3).await;
    anchored(&service, CHAIN, number).await;

    let swapped = topic("Swap(address,uint256,uint256,uint256,uint256,address)");
    let logs = receipt["logs"].as_array().unwrap();
    let position = logs.iter().position(|log| log["topics"][0] == *swapped).unwrap();
    let log = &logs[position];
    let in_block = quantity(&log["logIndex"]);
    assert_eq!(in_block, position as u64 + 1, "the transfer's log comes before those of the swap");
    let proof = world.prove(&service, &format!("/v5/event/{CHAIN}/{swap}/{position}")).await;
    assert_eq!(proof["event"]["address"], exchange.pair.as_str());
    assert_eq!(proof["event"]["topics"], log["topics"]);
    assert_eq!(proof["event"]["data"], log["data"]);
    assert_eq!(
        (&proof["event"]["logIndex"], &proof["network"]),
        (&json!(position), &json!("live"))
    );

    let (status, problem) = service.answer(&format!("/v5/event/{CHAIN}/{swap}/{in_block}")).await;
    assert_eq!(status, 404, "past the receipt's logs: {problem}");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains(&format!("{position}")), "it names the position meant: {detail}");

    let index = quantity(&receipt["transactionIndex"]);
    assert_eq!(index, 1);
    let by_place = format!("/v5/proof/event/{CHAIN}/{number}/{index}/{position}");
    assert_eq!(world.prove(&service, &by_place).await["event"], proof["event"]);
    let of_transaction = world.prove(&service, &format!("/v5/proof/tx/{CHAIN}/{swap}")).await;
    assert_eq!(of_transaction["transaction"]["hash"], swap);
    world.prove(&service, &format!("/v5/proof/absence/{CHAIN}/{number}/2")).await;
    same_blocks(&service, &node).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reorganisation_above_finalized_is_followed_to_the_letter() {
    let Some(node) = Anvil::start(CHAIN, 4) else { return };
    let world = World::of(&[&node]);
    node.mine(20).await;
    let service = world.serve(&[]);
    let transaction = node.send(Some(&node.account().await), &[]).await;
    node.mine(1).await;
    let at_head = async || {
        let (number, finality) = (node.head().await, service.answer("/finality/31337").await.1);
        (finality["head"]["hash"] == *node.hash_at(number).await).then_some(number)
    };
    let number = until("the head is held", &at_head).await;
    let replaced = node.hash_at(number).await;
    for depth in [1, 3, 5] {
        node.call("anvil_reorg", json!([depth, []])).await;
        until(&format!("a reorganisation of {depth} blocks is followed"), &at_head).await;
    }
    assert_ne!(node.hash_at(number).await, replaced, "the node has another block there now");
    let gone = service.get(&format!("/v5/tx/{CHAIN}/{transaction}")).await;
    assert_ne!(gone.0, 200, "a transaction that was reorganised away is not proven");
    node.mine(16).await;
    anchored(&service, CHAIN, number).await;
    same_blocks(&service, &node).await;
    world.prove(&service, &format!("/v5/proof/{CHAIN}/{number}")).await;
    assert!(
        service.get(&format!("/v5/tx/{CHAIN}/{transaction}")).await.0 != 200,
        "not even when its number is final"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_whose_node_hangs_is_stalled_alone_and_goes_on() {
    let (hanging, other) = (CHAIN, CHAIN + 1);
    let Some(node) = Anvil::start(hanging, 1) else { return };
    let Some(neighbour) = Anvil::start(other, 1) else { return };
    let world = World::of(&[&node, &neighbour]);
    node.mine(5).await;
    let service = world.serve(&[
        ("SUPERROOT__SOURCE__TIMEOUT_MS", "300"),
        ("SUPERROOT__COLLECT__RETRY_MAX_MS", "500"),
        ("SUPERROOT__CHAIN__31337__STALLED_AFTER_MS", "1500"),
    ]);
    anchored(&service, hanging, 3).await;
    node.freeze();
    let stalled = until("the chain is stalled", async || {
        let chain = service.chain(hanging).await;
        (chain["state"] == "stalled").then_some(chain)
    });
    let stalled = stalled.await;
    assert!(stalled.to_string().contains("no new block for"), "{stalled}");
    assert!(service.shows("Anvil 31337 stalled"));
    neighbour.mine(9).await;
    anchored(&service, other, 7).await;
    world.prove(&service, &format!("/v5/proof/{hanging}/3")).await;
    node.thaw();
    node.mine(5).await;
    anchored(&service, hanging, 8).await;
    let follows = async || (service.chain(hanging).await["state"] == "following").then_some(());
    until("the chain is followed again", follows).await;
    same_blocks(&service, &node).await;
    same_blocks(&service, &neighbour).await;
    let screen = service.screen.lock().unwrap().clone();
    assert!(!screen.contains("Anvil 31338 stalled"), "and of no other: {screen}");
}

/// A node that is not there, one of another chain, and one that replays recordings: each is named, and
/// the chain with a node goes on.
#[tokio::test(flavor = "multi_thread")]
async fn a_chain_without_a_usable_node_harms_no_other() {
    let Some(node) = Anvil::start(CHAIN, 1) else { return };
    let Some(neighbour) = Anvil::start(CHAIN + 1, 1) else { return };
    let world = World::of(&[&node, &neighbour]);
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let text = format!(
        "endpoint = [\n{{ chain = \"{CHAIN}\", url = \"{}\" }},\n\
         {{ chain = \"anvil-31338\", url = \"{}\" }},\n\
         {{ chain = \"ethereum\", url = \"http://{closed}/key-nobody-may-see\" }},\n]\n",
        node.url, node.url
    );
    std::fs::write(world.path("endpoints.toml"), text).unwrap();
    node.mine(6).await;
    let service = world.serve(&[("SUPERROOT__SOURCE__FETCH_TIMEOUT_MS", "1200")]);
    anchored(&service, CHAIN, 4).await;
    same_blocks(&service, &node).await;
    until("the other chain's node is found out", async || {
        let chain = service.chain(CHAIN + 1).await.to_string();
        (chain.contains("wrong") && chain.contains("chain id")).then_some(())
    })
    .await;
    until("the closed one is found out", async || {
        service.chain(1).await.to_string().contains("down").then_some(())
    })
    .await;
    let screen = service.screen.lock().unwrap().clone();
    let all = service.json("/api/v1/status").await.to_string();
    assert!(!screen.contains("nobody-may-see") && !all.contains("nobody-may-see"), "{screen}");
}
