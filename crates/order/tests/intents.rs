//! Orders that others fill: who may fill them with whose words, and how they end. Synthetic: no chain ever had these legs.

use alloy_primitives::{Address, Bytes};
use superroot_index::BlockEvent;
use superroot_order::OrderState;

use crate::causes::{amount, awaited, hash, id, lifi, shown};
use crate::laws::*;
use crate::shared::{Block, Orders, data, event};

const FAST_BRIDGE: &str = "0x5523d3c98809dddb82c686e152f5c58b1b0fb59e";
const SWIFT_1: &str = "0xc38e4e6a15593f908255214653d3d947ca1c2338";
const SWIFT_2_SOURCE: &str = "0x40ffe85a28dc9993541449464d7529a922142960";
const SWIFT_2_DESTINATION: &str = "0xd78d199f8c402e7b5cc2abe278df0412400a3bae";
const AXELAR_OF_ETHEREUM: &str = "0x4f4495243837681061c4743b74b3eedf548d56a5";
const AXELAR_OF_ARBITRUM: &str = "0xe432150cce91c13a887f7d836923d5597add8e31";
const REACTOR: &str = "0x00000011f84b9aa48e5f8aa8b9897600006289be";
const OLD_POOL_OF_ETHEREUM: &str = "0x4d9079bb4165aeb4084c526a32695dcfd2f77381";
const OLD_POOL_OF_ARBITRUM: &str = "0xb88690461ddbab6f04dfad7df66b7725942feb9c";
const STRANGER: &str = "0x6666666666666666666666666666666666666666";

fn alone(chain: u64, number: u64, event: BlockEvent) -> Block {
    block(chain, number, 1_000 + number, vec![event])
}

// -- Synapse's requests ------------------------------------------------------------------------------------------

fn requested() -> Block {
    let mut request = vec![0; 12 * 32];
    request[10 * 32..11 * 32].copy_from_slice(&n(DEADLINE).to_be_bytes::<32>());
    let values = (Bytes::from(request), n(BASE), who(1), who(2), n(100), n(99), false);
    let signature =
        "BridgeRequested(bytes32,address,bytes,uint32,address,address,uint256,uint256,bool)";
    let topics = [id(0x2f).0, word(who(3))];
    alone(ARBITRUM, 1, event((1, 0), FAST_BRIDGE, signature, &topics, data(&values)))
}

fn relayed(contract: &str, output: u64) -> Block {
    let values = (n(ARBITRUM), who(1), who(2), n(100), n(output), n(0));
    let signature =
        "BridgeRelayed(bytes32,address,address,uint32,address,address,uint256,uint256,uint256)";
    let topics = [id(0x2f).0, word(who(5)), word(who(4))];
    alone(BASE, 2, event((2, 0), contract, signature, &topics, data(&values)))
}

fn of_request(number: u64, signature: &str, topics: usize, values: Vec<u8>) -> Block {
    let topics = [id(0x2f).0, word(who(5)), word(who(5))].into_iter().take(topics);
    let topics: Vec<_> = topics.collect();
    alone(ARBITRUM, number, event((number as u8, 0), FAST_BRIDGE, signature, &topics, values))
}

#[test]
fn a_request_of_synapse_is_relayed_then_claimed_or_paid_back() {
    let name = id(0x2f).1;
    let seen = Orders::of([&relayed(FAST_BRIDGE, 99)]).one(&name);
    assert_eq!((shown(&seen), stuck(&seen)), ((OrderState::FillSeen, false), "opening_not_seen"));
    for other in [relayed(STRANGER, 99), relayed(FAST_BRIDGE, 98)] {
        assert_eq!(Orders::of([&requested(), &other]).one(&name).state, OrderState::Opened);
    }
    // the relayer's word is none, until nobody disputed it
    let proof = of_request(3, "BridgeProofProvided(bytes32,address,bytes32)", 2, data(&(hash(9),)));
    let disputed = of_request(4, "BridgeProofDisputed(bytes32,address)", 2, Vec::new());
    let orders = Orders::of([&requested(), &proof, &disputed]);
    assert_eq!(shown(&orders.one(&name)), (OrderState::Opened, false));
    assert_eq!(awaited(&orders.one(&name)), ("BridgeRelayed", Some(BASE)));
    orders.put(&relayed(FAST_BRIDGE, 99));
    let filled = orders.one(&name);
    assert_eq!((shown(&filled), filled.deadline), ((OrderState::Filled, false), Some(DEADLINE)));
    assert_eq!(awaited(&filled), ("BridgeProofProvided", Some(ARBITRUM)));
    let signature = "BridgeDepositClaimed(bytes32,address,address,address,uint256)";
    orders.put(&of_request(5, signature, 3, data(&(who(1), n(100)))));
    assert_eq!(shown(&orders.one(&name)), (OrderState::Settled, true));

    let orders = Orders::of([&requested()]);
    let expired = orders.seen(&name, until(DEADLINE + 1));
    assert_eq!(expired.state, OrderState::Expired);
    assert_eq!(awaited(&expired), ("BridgeDepositRefunded", Some(ARBITRUM)));
    let signature = "BridgeDepositRefunded(bytes32,address,address,uint256)";
    orders.put(&of_request(6, signature, 2, data(&(who(1), n(100)))));
    let refunded = orders.one(&name);
    assert_eq!(
        (shown(&refunded), amount(&refunded, "refund")),
        ((OrderState::Refunded, true), "100".into())
    );
}

// -- Mayan -------------------------------------------------------------------------------------------------------

fn of_mayan(at: (u8, u32), contract: &str, name: &str, more: usize) -> BlockEvent {
    let (signature, values) = match (name, more) {
        (_, 0) => (format!("{name}(bytes32)"), data(&(hash(0x3a),))),
        ("OrderFulfilled", _) => {
            (format!("{name}(bytes32,uint64,uint256)"), data(&(hash(0x3a), n(1), n(99))))
        }
        ("OrderCanceled", _) => (format!("{name}(bytes32,uint64)"), data(&(hash(0x3a), n(1)))),
        _ => (format!("{name}(bytes32,uint256)"), data(&(hash(0x3a), n(98)))),
    };
    event(at, contract, &signature, &[], values)
}

#[test]
fn an_order_of_mayan_is_unlocked_or_refunded() {
    let name = id(0x3a).1;
    let created = alone(ARBITRUM, 1, of_mayan((1, 0), SWIFT_2_SOURCE, "OrderCreated", 0));
    let fulfilled = |contract| alone(BASE, 2, of_mayan((2, 0), contract, "OrderFulfilled", 2));
    let cancelled = alone(BASE, 3, of_mayan((3, 0), SWIFT_2_DESTINATION, "OrderCanceled", 1));
    let open = Orders::of([&created]).one(&name);
    assert_eq!(
        (shown(&open), stuck(&open)),
        ((OrderState::Opened, false), "destination_not_known")
    );
    assert!(open.stuck.unwrap().detail.contains("names no destination"));
    // anybody may fill or call off what was never made
    for (alone, state) in [
        (&fulfilled(SWIFT_2_DESTINATION), OrderState::FillSeen),
        (&cancelled, OrderState::StepSeen),
    ] {
        let seen = Orders::of([alone]).one(&name);
        assert_eq!(shown(&seen), (state, false));
        assert!(seen.transitions.iter().all(|one| one.state == OrderState::FillSeen), "{seen:#?}");
    }
    // the contract of another version is another order's
    for contract in [STRANGER, SWIFT_1] {
        let orders = Orders::of([&created, &fulfilled(contract)]).all(&name);
        assert!(orders.iter().any(|order| order.state == OrderState::Opened), "{orders:#?}");
    }
    let orders = Orders::of([&created, &fulfilled(SWIFT_2_DESTINATION)]);
    let filled = orders.one(&name);
    assert_eq!((shown(&filled), filled.destination), ((OrderState::Filled, false), Some(BASE)));
    assert_eq!(awaited(&filled), ("OrderUnlocked", Some(ARBITRUM)));
    orders.put(&alone(ARBITRUM, 4, of_mayan((4, 0), SWIFT_2_SOURCE, "OrderUnlocked", 0)));
    assert_eq!(shown(&orders.one(&name)), (OrderState::Settled, true));

    let orders = Orders::of([&created, &cancelled]);
    assert_eq!(shown(&orders.one(&name)), (OrderState::Cancelled, false));
    assert_eq!(awaited(&orders.one(&name)), ("OrderRefunded", Some(ARBITRUM)));
    orders.put(&alone(ARBITRUM, 5, of_mayan((5, 0), SWIFT_2_SOURCE, "OrderRefunded", 1)));
    assert_eq!(shown(&orders.one(&name)), (OrderState::Refunded, true));
}

/// Mayan's opening names no chain, so that what the wrapper says of one contradicts nothing.
#[test]
fn a_wrapper_leads_to_a_bridge_whose_event_names_no_chain() {
    let created = of_mayan((1, 0), SWIFT_1, "OrderCreated", 0);
    let lone = |bridge| {
        let events = vec![created.clone(), lifi((1, 4), 0xaa, bridge, OPTIMISM)];
        Orders::of([&block(ARBITRUM, 1, 1_000, events)]).one(&id(0xaa).1).protocol
    };
    assert_eq!((lone("mayan"), lone("across")), ("mayan".into(), "lifi".into()));
}

// -- Axelar ------------------------------------------------------------------------------------------------------

fn called(chain: &str) -> Block {
    let signature = "ContractCallWithToken(address,string,string,bytes32,bytes,string,uint256)";
    let to = "0x6666".to_owned();
    let values = (chain.to_owned(), to, Bytes::from(vec![1]), "USDC".to_owned(), n(500));
    let topics = [word(who(1)), id(0x4b).0];
    alone(ETHEREUM, 1, event((1, 8), AXELAR_OF_ETHEREUM, signature, &topics, data(&values)))
}

fn approved(contract: &str, payload: u8) -> Block {
    let signature = "ContractCallApprovedWithMint(bytes32,string,string,address,bytes32,string,uint256,bytes32,uint256)";
    let from = "0x6666".to_owned();
    let values = ("Ethereum".to_owned(), from, "USDC".to_owned(), n(500), hash(1), n(8));
    let topics = [id(0x4c).0, word(who(2)), id(payload).0];
    alone(ARBITRUM, 2, event((2, 0), contract, signature, &topics, data(&values)))
}

fn executed(command: u8) -> Block {
    let signature = "ContractCallExecuted(bytes32)";
    let topics = [id(command).0];
    alone(ARBITRUM, 3, event((3, 0), AXELAR_OF_ARBITRUM, signature, &topics, Vec::new()))
}

#[test]
fn a_call_of_axelar_is_approved_then_executed() {
    let name = format!("axelar:{}:8", id(1).1);
    let orders = Orders::of([&called("arbitrum"), &executed(0x4d), &approved(STRANGER, 0x4b)]);
    let open = orders.one(&name);
    assert_eq!((shown(&open), open.destination), ((OrderState::Opened, false), Some(ARBITRUM)));
    orders.put(&approved(AXELAR_OF_ARBITRUM, 0x4b));
    let noted = orders.one(&name);
    assert_eq!(
        (shown(&noted), awaited(&noted)),
        ((OrderState::Opened, false), ("ContractCallExecuted", Some(ARBITRUM)))
    );
    orders.put(&executed(0x4c));
    let filled = orders.one(&name);
    assert_eq!(
        (shown(&filled), amount(&filled, "destination_amount")),
        ((OrderState::Filled, true), "500".into())
    );
    // names of chains in whatever letters; one that is not known is elsewhere
    assert_eq!(Orders::of([&called("Arbitrum")]).one(&name).destination, Some(ARBITRUM));
    let elsewhere = Orders::of([&called("osmosis")]).one(&name);
    assert_eq!((elsewhere.destination, stuck(&elsewhere)), (None, "destination_not_known"));
    // an approval of another payload is another call's
    let other = Orders::of([&called("arbitrum"), &approved(AXELAR_OF_ARBITRUM, 0x4e)]).one(&name);
    assert!(other.legs.iter().any(|one| one.mismatch.is_some()), "{other:#?}");
}

// -- UniswapX ----------------------------------------------------------------------------------------------------

#[test]
fn what_is_signed_off_the_chain_is_seen_when_it_is_filled() {
    let (order, name) = id(0x5b);
    let filled = |contract| {
        let signature = "Fill(bytes32,address,address,uint256)";
        let topics = [order, word(who(1)), word(who(2))];
        alone(ETHEREUM, 1, event((1, 0), contract, signature, &topics, data(&(n(7),))))
    };
    assert_eq!(Orders::of([&filled(STRANGER)]).rows(), []);
    let order = Orders::of([&filled(REACTOR)]).one(&name);
    assert_eq!(
        (shown(&order), &order.next, &order.stuck),
        ((OrderState::Filled, true), &None, &None)
    );
    assert_eq!((order.origin, order.destination), (Some(ETHEREUM), Some(ETHEREUM)));
}

// -- Across, before messages -------------------------------------------------------------------------------------

#[test]
fn a_deposit_of_across_2_0_is_filled_in_parts_with_its_own_terms() {
    let address = Address::repeat_byte;
    let values = (n(100), n(ARBITRUM), n(ETHEREUM), n(7), n(900), address(4));
    let signature =
        "FundsDeposited(uint256,uint256,uint256,uint64,uint32,uint32,address,address,address)";
    let topics = [n(5), word(who(1)), word(who(3))];
    let deposit =
        alone(ARBITRUM, 1, event((1, 0), OLD_POOL_OF_ARBITRUM, signature, &topics, data(&values)));
    let fill = |number, so_far, fee| {
        let values = (
            n(100),
            n(so_far),
            n(50),
            n(1),
            n(ARBITRUM),
            n(ETHEREUM),
            n(fee),
            n(fee),
            n(0),
            address(2),
            address(4),
            false,
        );
        let signature = "FilledRelay(uint256,uint256,uint256,uint256,uint256,uint256,uint64,uint64,uint64,uint32,address,address,address,address,bool)";
        let topics = [n(5), word(who(9)), word(who(3))];
        let fill = event((1, 0), OLD_POOL_OF_ETHEREUM, signature, &topics, data(&values));
        alone(ETHEREUM, number, fill)
    };
    let orders = Orders::of([&deposit, &fill(2, 100, 8)]);
    assert_eq!(orders.one("across:42161:5").state, OrderState::Opened, "another fee than offered");
    orders.put(&fill(3, 50, 7));
    assert_eq!(shown(&orders.one("across:42161:5")), (OrderState::PartiallyFilled, false));
    orders.put(&fill(4, 100, 7));
    assert_eq!(shown(&orders.one("across:42161:5")), (OrderState::Filled, true));
    assert_eq!(Orders::of([&fill(4, 100, 7)]).one("5").state, OrderState::FillSeen);
}
