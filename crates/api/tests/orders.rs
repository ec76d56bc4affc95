//! What `/events/{order_id}` says, of legs that are made by Across's rules: synthetic.

use crate::support;

use serde_json::json;
use superroot_account::Tier;
use superroot_index::{BlockEvent, EventBlock, View};
use superroot_order::OrderView;
use superroot_proof::hash::keccak256;
use superroot_store::WriteBatch;
use superroot_store::layout::{BlockTip, ChainState};
use superroot_store::write::put_chain_state;
use superroot_types::{BlockNumber, ChainId, ChainKey, Family, Hash, UnixSeconds};
use support::*;

const POOL: [u8; 20] = [
    0x5c, 0x7b, 0xcd, 0x6e, 0x7d, 0xe5, 0x42, 0x3a, 0x25, 0x7d, 0x81, 0xb4, 0x42, 0x09, 0x5a, 0x1a,
    0x6c, 0xed, 0x35, 0xc5,
];
const POOL_OF_BASE: [u8; 20] = [
    0x09, 0xae, 0xa4, 0xb2, 0x24, 0x2a, 0xbc, 0x8b, 0xb4, 0xbb, 0x78, 0xd5, 0x37, 0xa6, 0x7a, 0x24,
    0x5a, 0x7b, 0xec, 0x64,
];
const DEPOSITED: &str = "FundsDeposited(bytes32,bytes32,uint256,uint256,uint256,uint256,uint32,uint32,uint32,bytes32,bytes32,bytes32,bytes)";
const FILLED: &str = "FilledRelay(bytes32,bytes32,uint256,uint256,uint256,uint256,uint256,uint32,uint32,bytes32,bytes32,bytes32,bytes32,bytes32,(bytes32,bytes32,uint256,uint8))";
const DEADLINE: u64 = 1_700_009_999;

fn word(value: u64) -> [u8; 32] {
    let mut word = [0; 32];
    word[24..].copy_from_slice(&value.to_be_bytes());
    word
}

/// USDC of Ethereum, of which the decimals are well known.
fn usdc() -> [u8; 32] {
    let mut word = [0; 32];
    let address = [
        0xa0, 0xb8, 0x69, 0x91, 0xc6, 0x21, 0x8b, 0x36, 0xc1, 0xd1, 0x9d, 0x4a, 0x2e, 0x9e, 0xb0,
        0xce, 0x36, 0x06, 0xeb, 0x48,
    ];
    word[12..].copy_from_slice(&address);
    word
}

fn put(
    world: &World,
    chain: u64,
    number: u64,
    pool: &[u8],
    topics: &[[u8; 32]],
    data: &[[u8; 32]],
) {
    let signature = if data.len() == 11 { DEPOSITED } else { FILLED };
    let mut all = vec![keccak256(signature.as_bytes())];
    all.extend(topics.iter().map(|topic| Hash(*topic)));
    let event = BlockEvent {
        tx_index: 1,
        log_index: 2,
        transaction_hash: Some(Hash([chain as u8; 32])),
        addresses: vec![pool.to_vec()],
        topics: all,
        data: Some(data.concat()),
    };
    let chain = ChainKey { family: Family::Evm, id: ChainId(chain) };
    let (number, timestamp) = (BlockNumber(number), UnixSeconds(GENESIS + number));
    let block = EventBlock { chain, number, hash: Hash([1; 32]), timestamp, events: &[event] };
    let (mut rows, mut batch) = (Vec::new(), WriteBatch::new());
    OrderView.put(&block, &mut rows);
    for (table, key, value) in rows {
        batch.put(table, key, value);
    }
    // the small world has its own blocks, and none of the destination
    if chain.id != ChainId(1) {
        let tip = BlockTip { number, hash: Hash([1; 32]) };
        let state = ChainState { indexed: Some(tip), ..ChainState::empty(BlockNumber(0)) };
        put_chain_state(&mut batch, chain, &state);
    }
    world.store.commit(batch).unwrap();
}

fn deposit(world: &World, number: u64, id: u64) {
    let data = [
        usdc(),
        word(2),
        word(100),
        word(99),
        word(7),
        word(DEADLINE),
        word(0),
        word(4),
        word(0),
        word(320),
        word(0),
    ];
    put(world, 1, number, &POOL, &[word(8453), word(id), word(3)], &data);
}

fn fill(world: &World, number: u64, id: u64) {
    let data = [
        usdc(),
        word(2),
        word(100),
        word(99),
        word(8453),
        word(DEADLINE),
        word(0),
        word(0),
        word(3),
        word(4),
        word(0),
        word(4),
        word(0),
        word(99),
        word(0),
    ];
    put(world, 8453, number, &POOL_OF_BASE, &[word(1), word(id), word(5)], &data);
}

#[tokio::test]
async fn an_order_tells_each_step_with_its_proof_however_it_is_asked_for() {
    let mut world = World::small(unlimited());
    world.step(NOW);
    let key = world.key_of_tier(Tier::Builder);
    let document = world.get("/openapi.json").await.json();
    deposit(&world, 10, 7);
    let body = world.ask(&key, "GET", "/events/across:1:7", None).await.good();
    assert_documented(&document, "OrderStatus", &body);
    assert_eq!((&body["state"], &body["terminal"]), (&json!("opened"), &json!(false)));
    assert_eq!(body["origin"]["anchor_status"], "anchored");
    assert_eq!(body["origin"]["proof_url"], "/v5/proof/event/1/10/1/2");
    assert_eq!(body["stuck"]["reason"], "destination_not_collected");
    let next = json!({ "event": "FilledRelay", "chain_id": 8453, "before": DEADLINE,
                       "proof": "provable", "why": null });
    assert_eq!(body["next_expected"], next);
    let amounts = &body["amounts"];
    assert_eq!((&amounts[0]["symbol"], &amounts[0]["decimals"]), (&json!("USDC"), &json!(6)));
    assert_eq!((&amounts[1]["amount"], &amounts[1]["decimals"]), (&json!("99"), &json!(null)));
    fill(&world, 900, 7);
    let whole = world.ask(&key, "GET", "/events/across:1:7", None).await.good();
    assert_eq!((&whole["state"], &whole["terminal"]), (&json!("filled"), &json!(true)));
    let states: Vec<_> = whole["transitions"].as_array().unwrap().iter().collect();
    assert_eq!((states.len(), &states[1]["anchor_status"]), (2, &json!("pending")));
    let tx = |chain: u8| format!("0x{}", format!("{chain:02x}").repeat(32));
    for name in
        ["7".to_owned(), "007".to_owned(), "ACROSS:1:7".to_owned(), tx(1), tx(8453_u64 as u8)]
    {
        let body = world.ask(&key, "GET", &format!("/events/{name}"), None).await.good();
        assert_eq!(without_anchor(&body), without_anchor(&whole), "{name}");
    }
}

#[tokio::test]
async fn an_order_that_is_not_there_says_how_far_each_chain_is_scanned() {
    let world = World::small(unlimited());
    let key = world.key_of_tier(Tier::Builder);
    let problem = world.ask(&key, "GET", "/events/across:1:7", None).await;
    let problem = problem.problem(404, "not_found");
    let scanned = problem["scanned"].as_array().unwrap();
    let ethereum = scanned.iter().find(|one| one["chain_id"] == 1).unwrap();
    assert_eq!(ethereum["newest_block"], 33, "{problem}");
    let base = scanned.iter().find(|one| one["chain_id"] == 8453);
    assert!(base.is_none_or(|base| base["newest_block"].is_null()), "{problem}");
    for none in ["across:1", "across:1:abc", "across:1:7:4", "across:nochain:7", "hops:1:7", "0x12"]
    {
        let reply = world.ask(&key, "GET", &format!("/events/{none}"), None).await;
        reply.problem(400, "invalid_parameter");
    }
    deposit(&world, 10, 7);
    for name in ["across:ethereum:7", "across:eip155:1:7", "across:1:7", "7"] {
        let order = world.ask(&key, "GET", &format!("/events/{name}"), None).await.good();
        assert_eq!(order["order_id"], "across:1:7");
    }
    // who has no key, or one of a lower tier
    world.get("/events/7").await.problem(401, "api_key_required");
    let explorer = world.key_of_tier(Tier::Explorer);
    world.ask(&explorer, "GET", "/events/7", None).await.problem(403, "tier_required");
}

/// Where the receipts alone are held, no transaction has a hash: looking for one there finds nothing, which says nothing.
#[tokio::test]
async fn an_order_asked_for_by_its_transaction_says_where_hashes_are_not_held() {
    let world = World::small(unlimited());
    let key = world.key_of_tier(Tier::Builder);
    let ask = async |name: &str| {
        let reply = world.ask(&key, "GET", &format!("/events/{name}"), None).await;
        reply.problem(404, "not_found")["detail"].as_str().unwrap().to_owned()
    };
    let (hash, said) =
        (Hash([0x77; 32]).to_string(), "of some blocks of Ethereum the receipts alone");
    let proof = format!("/v5/proof/tx/1/{hash}");
    assert!(!ask(&hash).await.contains(said));
    let alone = "the receipts alone are held and the hashes of transactions are not";
    let problem = world.get(&proof).await.problem(404, "not_indexed");
    assert!(!problem["detail"].as_str().unwrap().contains(alone), "{problem}");
    let extent = superroot_chain::Extent { transactions: false, receipts: true };
    let run = superroot_store::coverage::CoverageRun {
        from: BlockNumber(3),
        to: BlockNumber(4),
        held: superroot_store::layout::HeldRun::Partial { extent },
    };
    let mut batch = WriteBatch::new();
    let store = &*world.store;
    superroot_store::coverage::put_coverage(&mut batch, store, world.key(), &[run]).unwrap();
    store.commit(batch).unwrap();
    assert!(ask(&hash).await.contains(said));
    assert!(!ask("across:1:7").await.contains(said), "an id leads there all the same");
    let problem = world.get(&proof).await.problem(404, "not_indexed");
    assert!(problem["detail"].as_str().unwrap().contains(alone), "{problem}");
}

#[tokio::test]
async fn a_name_of_several_orders_is_refused_with_each() {
    let world = World::small(unlimited());
    let key = world.key_of_tier(Tier::Builder);
    deposit(&world, 10, 7);
    deposit(&world, 11, 8); // in another block, with the same transaction hash
    let tx = format!("/events/0x{}", "01".repeat(32));
    let problem = world.ask(&key, "GET", &tx, None).await.problem(400, "invalid_parameter");
    let mut ids: Vec<_> = problem["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["order_id"].clone())
        .collect();
    ids.sort_by_key(ToString::to_string);
    assert_eq!(ids, ["across:1:7", "across:1:8"]);
}

/// `?wait=` comes back as soon as there is something else to say, and at once where nothing more comes.
#[tokio::test]
async fn a_wait_ends_when_the_order_is_there() {
    let world = World::small(unlimited());
    let key = world.key_of_tier(Tier::Builder);
    let asked = world.ask(&key, "GET", "/events/across:1:7?wait=15", None);
    let come = async {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        deposit(&world, 10, 7);
        fill(&world, 900, 7);
        world.extend([34], false);
        world.tell();
    };
    let begun = std::time::Instant::now();
    let (reply, ()) = tokio::join!(asked, come);
    assert_eq!(reply.good()["state"], "filled");
    assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
    world
        .ask(&key, "GET", "/events/across:1:7?wait=99", None)
        .await
        .problem(400, "invalid_parameter");
}
