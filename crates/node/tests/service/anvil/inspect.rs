//! What a new token's contract does, tried on a real pair of Uniswap v2 as the service tries it.

use alloy_primitives::{Address, U256};
use serde_json::json;
use superroot_token::{Inspection, TRADER, TradePool};

use super::one::deploy;
use crate::support::anvil::Anvil;
use crate::support::contract::call;

const AT_A_LOCKER: &str = "0x0101010101010101010101010101010101010101";
const AT_ANOTHER: &str = "0x0202020202020202020202020202020202020202";
const LOCKERS: [Address; 2] = [Address::repeat_byte(1), Address::repeat_byte(2)];
const TOKENS: u128 = 1_000_000_000_000_000_000_000;

async fn ask(node: &Anvil, to: &str, data: Vec<u8>) -> Vec<u8> {
    let asked = json!([{"to": to, "data": const_hex::encode_prefixed(data)}, "latest"]);
    const_hex::decode(node.call("eth_call", asked).await.as_str().unwrap()).unwrap()
}

/// The pair of a token and the wrapped coin, with something in it.
async fn fill(node: &Anvil, factory: &str, token: &str, weth: &str) -> Address {
    let both = [token.into(), weth.into()];
    node.execute(Some(factory), &call("createPair(address,address)", &both)).await;
    let pair = ask(node, factory, call("getPair(address,address)", &both)).await;
    let pair = Address::from_slice(&pair[12..]);
    let at = format!("{pair:#x}");
    for (token, amount) in [(token, TOKENS / 4), (weth, TOKENS / 100)] {
        let transfer = call("transfer(address,uint256)", &[at.as_str().into(), amount.into()]);
        node.execute(Some(token), &transfer).await;
    }
    let account = node.account().await;
    node.execute(Some(&at), &call("mint(address)", &[account.as_str().into()])).await;
    pair
}

async fn inspect(node: &Anvil, trade: &TradePool) -> Inspection {
    let call = json!({
        "to": format!("{TRADER:#x}"),
        "data": const_hex::encode_prefixed(trade.input()),
        "gas": "0xe4e1c0",
    });
    let stands = json!({
        "code": const_hex::encode_prefixed(trade.code()),
        "balance": "0x1000000000000000000000000",
    });
    let overrides = json!({ format!("{TRADER:#x}"): stands });
    let returned = node.call("eth_call", json!([call, "latest", overrides])).await;
    let returned = const_hex::decode(returned.as_str().unwrap()).unwrap();
    Inspection::decode(&returned).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn taxes_owners_and_mints_are_found_by_a_trade_that_nobody_makes() {
    let Some(node) = Anvil::start(31_337, 1) else { return };
    let account = node.account().await;
    let factory = deploy(&node, "v2-core", "UniswapV2Factory", &[account.as_str().into()]).await;
    // two coins, so that the new tokens are once the lower, once the higher
    let mut coins = Vec::new();
    for _ in 0..8 {
        coins.push(deploy(&node, "v2-periphery", "WETH9", &[]).await);
    }
    coins.sort();
    let (low, high) = (coins[0].clone(), coins[7].clone());
    // a token that takes nothing, and one that burns a hundredth of every transfer
    let mut orders = std::collections::BTreeSet::new();
    for (package, name, tax, weth) in [
        ("v2-core", "ERC20", 0, &low),
        ("v2-periphery", "DeflatingERC20", 100, &low),
        ("v2-core", "ERC20", 0, &high),
        ("v2-periphery", "DeflatingERC20", 100, &high),
    ] {
        let paid = json!([{
            "from": account, "to": weth, "value": format!("{:#x}", U256::from(TOKENS / 20)), "data": "0xd0e30db0",
        }]);
        node.call("eth_sendTransaction", paid).await;
        node.mine(1).await;
        let base: Address = weth.parse().unwrap();
        let token = deploy(&node, package, name, &[TOKENS.into()]).await;
        let pair = fill(&node, &factory, &token, weth).await;
        let token: Address = token.parse().unwrap();
        orders.insert(token < base);
        let found = inspect(&node, &TradePool { token, base, pair, lockers: &LOCKERS }).await;
        let expected = Inspection {
            owner: None,
            is_mintable: Some(false),
            buy_tax: Some(tax),
            sell_tax: Some(tax),
            burned: Some(0), // the thousand units that every pair keeps are no hundredth of a hundredth
            locked: Some(0),
        };
        assert_eq!(found, expected, "{name}");
        // a quarter of the pool's own tokens is burned, and a fifth of the others locked, in two places
        let own = ask(&node, &format!("{pair:#x}"), call("totalSupply()", &[])).await;
        let all = U256::from_be_slice(&own).to::<u128>();
        for (to, amount) in [
            ("0x000000000000000000000000000000000000dead", all / 4),
            (AT_A_LOCKER, all / 10),
            (AT_ANOTHER, all / 20),
        ] {
            let transfer = call("transfer(address,uint256)", &[to.into(), amount.into()]);
            node.execute(Some(&format!("{pair:#x}")), &transfer).await;
        }
        let found = inspect(&node, &TradePool { token, base, pair, lockers: &LOCKERS }).await;
        let near =
            |part: Option<u16>, expected| part.is_some_and(|part| part.abs_diff(expected) < 2);
        assert!(near(found.burned, 2_500) && near(found.locked, 1_500), "{found:?}");
        assert_eq!((found.buy_tax, found.sell_tax), (expected.buy_tax, expected.sell_tax));
        // of a pool that is none it says as much as it can
        let none = inspect(
            &node,
            &TradePool { token, base, pair: Address::repeat_byte(7), lockers: &LOCKERS },
        )
        .await;
        let nothing = Inspection { owner: None, is_mintable: Some(false), ..Inspection::default() };
        assert_eq!(none, nothing);
    }
    assert_eq!(orders.len(), 2, "the new token is once the lower, once the higher");
    // nothing at all is there
    let base: Address = low.parse().unwrap();
    let trade = TradePool {
        token: Address::repeat_byte(8),
        base,
        pair: Address::repeat_byte(7),
        lockers: &LOCKERS,
    };
    assert_eq!(inspect(&node, &trade).await, Inspection::default());
    // a pair is a token too, and its factory owns nothing: whoever can mint is told
    let pair = ask(&node, &factory, call("allPairs(uint256)", &[0.into()])).await;
    let token = Address::from_slice(&pair[12..]);
    let found = inspect(
        &node,
        &TradePool { token, base, pair: Address::repeat_byte(7), lockers: &LOCKERS },
    )
    .await;
    assert_eq!(found.is_mintable, Some(true), "mint(address)");
}
