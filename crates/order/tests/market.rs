//! Against legs of real orders, found and joined independently: `SUPERROOT_DATA/market/orders.json`.

use crate::shared;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;
use shared::{Block, Orders};
use superroot_index::BlockEvent;
use superroot_order::{Order, OrderState, ProtocolTable};
use superroot_types::Hash;

struct Judge {
    folder: PathBuf,
    rows: Vec<Value>,
}

impl Judge {
    /// `None`, loudly, where there is no data.
    fn open() -> Option<Self> {
        let Some(data) = std::env::var_os("SUPERROOT_DATA") else {
            eprintln!("SKIPPED: SUPERROOT_DATA is not set, no real order was read");
            return None;
        };
        let folder = PathBuf::from(data).join("market");
        let rows = std::fs::read(folder.join("orders.json")).unwrap();
        Some(Self { folder, rows: serde_json::from_slice(&rows).unwrap() })
    }

    /// The block of a leg, with the events of its receipt.
    fn block(&self, leg: &Value) -> Block {
        let file = std::fs::read(self.folder.join(text(&leg["receipt_file"]))).unwrap();
        let receipt: Value = serde_json::from_slice(&file).unwrap();
        let logs = receipt["logs"].as_array().unwrap();
        let tx_index = u32::try_from(leg["tx_index"].as_u64().unwrap()).unwrap();
        let event = |(log_index, log): (u32, &Value)| BlockEvent {
            tx_index,
            log_index,
            transaction_hash: Some(text(&leg["tx"]).parse().unwrap()),
            addresses: vec![const_hex::decode(text(&log["address"])).unwrap()],
            topics: log["topics"]
                .as_array()
                .unwrap()
                .iter()
                .map(|topic| text(topic).parse::<Hash>().unwrap())
                .collect(),
            data: Some(const_hex::decode(text(&log["data"])).unwrap()),
        };
        Block {
            chain: leg["chain"].as_u64().unwrap(),
            number: leg["block"].as_u64().unwrap(),
            at: leg["timestamp"].as_u64().unwrap_or(0),
            events: (0..).zip(logs).map(event).collect(),
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value}"))
}

/// Names of protocols in the data, by those of the table.
fn protocol_of(row: &Value) -> &str {
    match text(&row["protocol"]) {
        "across_v2" | "across_v3" | "across_v3_5" => "across",
        "arbitrum_gateway" => "arbitrum_retryable",
        "oft" => "stargate_v2",
        other => other,
    }
}

/// The order of a row, found by the transaction of a leg.
fn order_of(orders: &Orders, row: &Value, leg: &Value) -> Option<Order> {
    let mut found = orders.all(text(&leg["tx"]));
    found.retain(|order| order.protocol == protocol_of(row));
    let id = text(&row["order_id"]);
    if found.len() > 1 {
        found.retain(|order| order.id == id);
    }
    found.pop()
}

/// Every amount of the data that the order's legs have under the same name, or is there under another.
fn amounts(order: &Order) -> BTreeMap<String, String> {
    let table = ProtocolTable::builtin();
    let mut amounts = BTreeMap::new();
    for listed in &order.legs {
        for amount in &listed.leg.amounts {
            let name = table.amount_name(&listed.leg, amount).unwrap();
            amounts.insert(name.to_owned(), amount.value.to_string());
        }
    }
    amounts
}

#[test]
fn every_real_pair_is_joined_with_the_same_fields() {
    let Some(judge) = Judge::open() else { return };
    let mut joined = BTreeMap::<&str, usize>::new();
    for row in judge.rows.iter().filter(|row| row["kind"] == "pair") {
        let (origin, destination) = (&row["origin"], &row["destination"]);
        let legs = [judge.block(destination), judge.block(origin)];
        // the fill comes before the deposit
        let orders = Orders::of(&legs);
        let id = text(&row["order_id"]);
        for leg in [origin, destination] {
            let order = order_of(&orders, row, leg).unwrap_or_else(|| panic!("not found: {id}"));
            let expected = &row["expected"];
            assert_eq!(order.state.name(), text(&expected["state"]), "{order:#?}");
            assert_eq!(order.is_terminal, expected["terminal"].as_bool().unwrap(), "{id}");
            let states: Vec<&str> = order.transitions.iter().map(|one| one.state.name()).collect();
            assert_eq!(serde_json::json!(states), expected["state_sequence"], "{id}");
            match &expected["next_expected"] {
                Value::Null => assert_eq!(order.next, None, "{id}"),
                next => {
                    let awaited = order.next.as_ref().unwrap();
                    assert_eq!(awaited.event, text(&next["event"]));
                    assert_eq!(awaited.chain, next["chain"].as_u64());
                }
            }
            assert_eq!(order.origin, origin["chain"].as_u64(), "{id}");
            assert_eq!(order.destination, destination["chain"].as_u64(), "{id}");
            let deadline = order.deadline.or(order.swap_deadline);
            assert_eq!(deadline, row["deadline"].as_u64(), "{id}");
            let counted = order.legs.iter().all(|listed| listed.mismatch.is_none());
            assert!(counted, "{order:#?}");
            let amounts = amounts(&order);
            for (name, value) in row["amounts"].as_object().unwrap() {
                // what the judge computed, or has as a list
                if ["tokens", "recipient_gets"].contains(&name.as_str()) {
                    continue;
                }
                // the event's word before the bonder's fee
                let is_bonded =
                    name == "destination_amount" && amounts.contains_key("bonded_amount");
                let name = if is_bonded { "bonded_amount" } else { name };
                assert_eq!(amounts.get(name).map(String::as_str), value.as_str(), "{id}: {name}");
            }
            match row["deposit_id"].as_str() {
                Some(deposit) => assert_eq!(orders.one(deposit), order, "{id}"),
                None if id.starts_with("0x") => assert_eq!(orders.one(id), order, "{id}"),
                None => {}
            }
            assert_eq!(orders.one(&order.id), order, "{id}");
            // the ids of the data, but for those that name less than the table does
            if !id.starts_with("hop_l1") && !id.starts_with("xdai") {
                assert_eq!(order.id, id);
            }
            let chain = origin["chain"].as_u64().unwrap();
            if let Some(deposit) = row["deposit_id"].as_str() {
                let named = format!("{}:{chain}:{deposit}", order.protocol);
                if order.protocol == "across" {
                    assert_eq!(orders.one(&named), order, "{id}");
                }
            }
        }
        *joined.entry(text(&row["protocol"])).or_default() += 1;
    }
    println!("{joined:?}");
    assert_eq!(joined.values().sum::<usize>(), 17, "{joined:?}");
}

/// Orders of which one leg was found: they are known by it, and what they lack is said.
#[test]
fn every_real_leg_of_a_known_protocol_is_an_order() {
    let Some(judge) = Judge::open() else { return };
    let table = ProtocolTable::builtin();
    let (mut known, mut others) = (BTreeMap::<&str, usize>::new(), BTreeMap::<&str, usize>::new());
    for row in judge.rows.iter().filter(|row| row["kind"] != "pair") {
        let leg = if row["origin"].is_null() { &row["destination"] } else { &row["origin"] };
        let name = text(&row["protocol"]);
        let block = judge.block(leg);
        let orders = Orders::of([&block]);
        // bundles are nobody's order; classic messages of Arbitrum have no ticket; the base testnet and the outbox of
        // before Nitro are not in the table; other tokens are not believed
        let is_in_table = table.protocol(protocol_of(row)).is_some()
            && name != "across"
            && leg["chain"] != 988
            && leg["chain"] != 84531
            && !text(&row["order_id"]).ends_with(":27");
        let Some(order) = order_of(&orders, row, leg) else {
            let is_classic = name == "arbitrum_gateway";
            let leads_below = name == "lifi" && !orders.all(text(&row["order_id"])).is_empty();
            assert!(!is_in_table || is_classic || leads_below, "not found: {row}");
            *others.entry(name).or_default() += 1;
            continue;
        };
        let expected = &row["expected"];
        // the judge knows no word for what anybody may cause while the opening is not held
        let is_anyones = matches!(order.state, OrderState::FillSeen | OrderState::StepSeen);
        if is_anyones {
            assert!(row["origin"].is_null() && !order.is_terminal, "{order:#?}");
            assert!(["filled", "opened"].contains(&text(&expected["state"])), "{order:#?}");
        } else {
            assert_eq!(order.state.name(), text(&expected["state"]), "{order:#?}");
            assert_eq!(order.is_terminal, expected["terminal"].as_bool().unwrap(), "{order:#?}");
        }
        if order.state == OrderState::Opened {
            let stuck = order.stuck.as_ref().unwrap();
            assert!(!stuck.detail.is_empty(), "{order:#?}");
            let next = order.next.as_ref().unwrap();
            assert!(!next.event.is_empty());
            assert_eq!(next.before, row["deadline"].as_u64().filter(|_| order.deadline.is_some()));
        }
        *known.entry(name).or_default() += 1;
    }
    println!("{known:?}; not in the table: {others:?}");
    assert!(known.values().sum::<usize>() > 27, "{known:?}");
}

/// The id that a wrapper gave leads to the order of the bridge that it called.
#[test]
fn a_wrappers_id_leads_to_the_bridges_order() {
    let Some(judge) = Judge::open() else { return };
    let (mut lifi, mut socket) = (0, 0);
    for row in &judge.rows {
        let origin = &row["origin"];
        if origin.is_null() {
            continue;
        }
        let events = origin["order_events"].as_array().unwrap();
        let has = |name: &str| events.iter().any(|event| event["event"] == name);
        let orders = Orders::of([&judge.block(origin)]);
        if text(&row["protocol"]) == "lifi" && has("Send") {
            let order = orders.one(text(&row["order_id"]));
            assert_eq!(order.protocol, "celer");
            lifi += 1;
        }
        if has("SocketBridge") {
            let order = order_of(&orders, row, origin).unwrap();
            let wrapper = order.legs.iter().find_map(|listed| listed.leg.wrapper.as_ref()).unwrap();
            assert!(wrapper.1.contains(text(&origin["tx"])), "{wrapper:?}");
            assert_eq!(orders.one(&wrapper.1), order);
            socket += 1;
        }
    }
    assert_eq!((lifi, socket), (2, 4), "LI.FI and Socket");
}
