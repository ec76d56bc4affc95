//! Who may cause an event, and what it shows by itself; every end that a protocol has. Synthetic: no chain ever had
//! these legs.

use alloy_primitives::{Address, B256, Bytes, U256};
use proptest::prelude::*;
use superroot_index::BlockEvent;
use superroot_order::{ChainProgress, LegKind, Order, OrderState, load_steps};
use superroot_types::{BlockNumber, ChainId, ChainKey, Family, Hash};

use crate::laws::*;
use crate::shared::{Block, Orders, data, event};

const PORTAL: &str = "0xbeb5fc579115071764c7423a4f12edde41f106ed";
const PASSER: &str = "0x4200000000000000000000000000000000000016";
const TICKETS: &str = "0x000000000000000000000000000000000000006e";
const AMB_OF_ETHEREUM: &str = "0x4c36d2919e407f0cc2ee3c993ccf8ac26d9ce64e";
const AMB_OF_GNOSIS: &str = "0x75df5af045d91108662d8080fd1fefad6aa0bb59";
const MEDIATOR_OF_ETHEREUM: &str = "0x88ad09518695c6c3712ac10a214be5109a655671";
const CELER_OF_ETHEREUM: &str = "0x5427fefa711eff984124bfbb1ab6fbf5e3da1820";
const CELER_OF_OPTIMISM: &str = "0x9d39fc627a6d9d9f8c831c16995b209548cc3401";
const CCTP1_MESSENGER_OF_BASE: &str = "0x1682ae6375c4e4a97e4b583bc394c861a46d8962";
const CCTP1_MESSENGER_OF_OPTIMISM: &str = "0x2b4069517957735be00cee0fadae88a26365528f";
const CCTP1_TRANSMITTER_OF_OPTIMISM: &str = "0x4d41f22c5a0e5c74090899e5a8fb597a8842b3e8";
const HOP_OF_OPTIMISM: &str = "0x83f6244bd87662118d96d9a6d44f09dfff14b30e";
const HOP_OF_ARBITRUM: &str = "0x3749c4f034022c39ecaffaba182555d4508caccc";
const LIFI: &str = "0x1231deb6f5749ef6ce6943a275a1d3e7486f4eae";
const GNOSIS: u64 = 100;
const DAY: u64 = 86_400;

pub(crate) fn id(byte: u8) -> (U256, String) {
    (word(B256::repeat_byte(byte)), format!("0x{}", format!("{byte:02x}").repeat(32)))
}

pub(crate) fn hash(byte: u8) -> B256 {
    B256::repeat_byte(byte)
}

pub(crate) fn address(text: &str) -> B256 {
    text.parse::<Address>().unwrap().into_word()
}

pub(crate) fn shown(order: &Order) -> (OrderState, bool) {
    (order.state, order.is_terminal)
}

pub(crate) fn awaited(order: &Order) -> (&str, Option<u64>) {
    let next = order.next.as_ref().unwrap_or_else(|| panic!("{order:#?}"));
    (&next.event, next.chain)
}

pub(crate) fn amount(order: &Order, name: &str) -> String {
    let table = superroot_order::ProtocolTable::builtin();
    let amounts = order.legs.iter().rev().flat_map(|one| {
        one.leg.amounts.iter().map(move |amount| (table.amount_name(&one.leg, amount), amount))
    });
    let named = amounts.filter(|(known, _)| *known == Some(name));
    named.map(|(_, amount)| amount.value.to_string()).next().unwrap_or_default()
}

// -- fills that anybody may make ---------------------------------------------------------------------------------

#[test]
fn a_fill_or_a_request_of_no_deposit_shows_nothing() {
    let order = Across::new(9);
    let fill = block(BASE, 20, 1_010, vec![order.fill((1, 0))]);
    let asked = block(BASE, 19, 1_005, vec![order.slow_fill_request()]);
    for (blocks, state) in
        [(vec![&asked], OrderState::StepSeen), (vec![&fill, &asked], OrderState::FillSeen)]
    {
        let seen = Orders::of(blocks).one("across:42161:9");
        assert_eq!(shown(&seen), (state, false));
        assert_eq!(stuck(&seen), "opening_not_seen");
        assert_eq!(awaited(&seen), ("FundsDeposited", Some(ARBITRUM)));
        assert!(seen.transitions.iter().all(|one| one.state != OrderState::Opened));
    }
    let orders = Orders::of([&fill, &asked]);
    orders.put(&block(ARBITRUM, 10, 1_000, vec![order.deposit()]));
    assert_eq!(shown(&orders.one("across:42161:9")), (OrderState::Filled, true));
    // of DLN what is unlocked was filled, by its own contracts
    let dln = (dln_order(), hash(0x1d), Address::repeat_byte(1), Address::repeat_byte(2));
    let signature = "FulfilledOrder((uint64,bytes,uint256,bytes,uint256,uint256,bytes,uint256,bytes,bytes,bytes,bytes,bytes,bytes),bytes32,address,address)";
    let filled = event((1, 0), DLN_DESTINATION, signature, &[], data(&dln));
    let orders = Orders::of([&block(BASE, 1, 10, vec![filled])]);
    let (_, name) = id(0x1d);
    assert_eq!(orders.one(&name).state, OrderState::FillSeen);
    let unlock = (hash(0x1d), Bytes::from(vec![1_u8; 20]), hash(3));
    let signature = "SentOrderUnlock(bytes32,bytes,bytes32)";
    let unlock = event((1, 0), DLN_DESTINATION, signature, &[], data(&unlock));
    let orders = Orders::of([&block(BASE, 2, 20, vec![unlock])]);
    let sent = orders.one(&name);
    assert_eq!((sent.state, awaited(&sent).0), (OrderState::Filled, "ClaimedUnlock"));
}

#[test]
fn an_end_that_is_no_chain_here_fits_no_fill() {
    let deposit = |to: U256| {
        let values = (
            who(1),
            who(2),
            n(100),
            n(99),
            n(7),
            n(DEADLINE),
            n(0),
            who(4),
            B256::ZERO,
            Bytes::new(),
        );
        let signature = "FundsDeposited(bytes32,bytes32,uint256,uint256,uint256,uint256,uint32,uint32,uint32,bytes32,bytes32,bytes32,bytes)";
        event((1, 3), POOL_OF_ARBITRUM, signature, &[to, n(5), word(who(3))], data(&values))
    };
    let fill = block(BASE, 20, 1_010, vec![Across::new(5).fill((1, 0))]);
    let wide = (U256::from(1) << 64) + n(BASE);
    for to in [wide, U256::MAX, n(1 << 60)] {
        let opening = block(ARBITRUM, 10, 1_000, vec![deposit(to)]);
        let order = Orders::of([&opening, &fill]).one("across:42161:5");
        assert_eq!((order.state, order.destination), (OrderState::Opened, None), "{to}");
        assert_eq!(stuck(&order), "destination_not_known");
    }
}

// -- CCTP --------------------------------------------------------------------------------------------------------

fn burn_v1(nonce: u64, recipient: u8, at: (u8, u32)) -> BlockEvent {
    let values = (n(500), who(recipient), n(2), who(0x28), B256::ZERO);
    let signature = "DepositForBurn(uint64,address,uint256,address,bytes32,uint32,bytes32,bytes32)";
    let topics = [n(nonce), word(who(1)), word(who(3))];
    event(at, CCTP1_MESSENGER_OF_BASE, signature, &topics, data(&values))
}

fn mint_v1(nonce: u64, recipient: u8, sender: B256, minted_to: Option<u8>) -> Vec<BlockEvent> {
    let mut body = vec![0; 4];
    for one in [word(who(1)), word(who(recipient)), n(500), word(who(3))] {
        body.extend_from_slice(&one.to_be_bytes::<32>());
    }
    let message = event(
        (1, 1),
        CCTP1_TRANSMITTER_OF_OPTIMISM,
        "MessageReceived(address,uint32,uint64,bytes32,bytes)",
        &[word(who(9)), n(nonce)],
        data(&(n(6), sender, Bytes::from(body))),
    );
    let minted = minted_to.map(|to| {
        let topics = [word(who(to)), word(who(2))];
        let signature = "MintAndWithdraw(address,uint256,address)";
        event((1, 0), CCTP1_MESSENGER_OF_OPTIMISM, signature, &topics, data(&(n(500),)))
    });
    minted.into_iter().chain([message]).collect()
}

#[test]
fn a_message_with_a_copied_body_mints_nothing() {
    let burn = block(BASE, 1, 1_000, vec![burn_v1(7, 4, (1, 0))]);
    let (own, other) = (address(CCTP1_MESSENGER_OF_BASE), who(0x66));
    let received = |sender, minted| block(OPTIMISM, 2, 1_010, mint_v1(7, 4, sender, minted));
    for (sender, minted) in [(other, Some(4)), (own, None), (own, Some(5))] {
        let message = received(sender, minted);
        let order = Orders::of([&burn, &message]).one("cctp_v1:6:7");
        assert_eq!(shown(&order), (OrderState::Opened, false), "{sender} {minted:?}");
        assert_eq!(Orders::of([&message]).all("cctp_v1:6:7"), [], "an order that never was");
    }
    let order = Orders::of([&burn, &received(own, Some(4))]).one("cctp_v1:6:7");
    assert_eq!(shown(&order), (OrderState::Filled, true));
}

#[test]
fn of_two_burns_of_one_nonce_the_mint_is_of_the_one_that_it_fits() {
    let first = block(BASE, 1, 1_000, vec![burn_v1(7, 4, (1, 0))]);
    let second = block(BASE, 5, 1_100, vec![burn_v1(7, 5, (2, 0))]);
    let own = address(CCTP1_MESSENGER_OF_BASE);
    let both = Orders::of([&first, &second]).one("cctp_v1:6:7");
    assert_eq!((both.state, both.identical, both.opening), (OrderState::Opened, 1, Some(1)));
    for to in [4, 5] {
        let mint = block(OPTIMISM, 9, 1_200, mint_v1(7, to, own, Some(to)));
        let order = Orders::of([&first, &second, &mint]).one("cctp_v1:6:7");
        assert_eq!((shown(&order), order.identical), ((OrderState::Filled, true), 1), "{to}");
        assert_eq!(order.opening, Some(usize::from(to == 5)));
        assert_eq!(order.legs.iter().filter(|one| one.mismatch.is_some()).count(), 1);
    }
}

fn burn_v2(tx: u8) -> BlockEvent {
    let values = (n(500), who(4), n(6), who(0x28), B256::ZERO, n(9), Bytes::new());
    event(
        (tx, 0),
        CCTP_MESSENGER,
        "DepositForBurn(address,uint256,address,bytes32,uint32,bytes32,bytes32,uint256,uint32,bytes)",
        &[word(who(1)), word(who(3)), n(1_000)],
        data(&values),
    )
}

fn mint_v2(tx: u8, minted: u64) -> Vec<BlockEvent> {
    let mut body = vec![0, 0, 0, 1];
    for one in [word(who(1)), word(who(4)), n(500), word(who(3)), n(9), n(3), n(0)] {
        body.extend_from_slice(&one.to_be_bytes::<32>());
    }
    let signature = "MintAndWithdraw(address,uint256,address,uint256)";
    let topics = [word(who(4)), word(who(2))];
    let minted = event((tx, 0), CCTP_MESSENGER, signature, &topics, data(&(n(minted), n(3))));
    let message = event(
        (tx, 1),
        CCTP_TRANSMITTER,
        "MessageReceived(address,uint32,bytes32,bytes32,uint32,bytes)",
        &[word(who(9)), n(tx.into()), n(1_000)],
        data(&(n(3), address(CCTP_MESSENGER), Bytes::from(body))),
    );
    vec![minted, message]
}

/// The hash of a transaction, by a number.
fn numbered(number: u64) -> Hash {
    let mut hash = [0x5a; 32];
    hash[..8].copy_from_slice(&number.to_be_bytes());
    Hash(hash)
}

/// Of more equal transfers than are listed each has its own state, asked for by its burn, its mint or its step.
#[test]
fn hundreds_of_equal_transfers_have_each_their_own_state() {
    const COUNT: u64 = 300;
    const HOUR: u64 = 3_600;
    let of = |mut events: Vec<BlockEvent>, tx: u64| {
        events.iter_mut().for_each(|event| event.transaction_hash = Some(numbered(tx)));
        events
    };
    let burn = |at: u64| block(ARBITRUM, 10 + at, (1 + at) * HOUR, of(vec![burn_v2(1)], at));
    let mint =
        |at: u64| block(BASE, 900 + at, (1 + at) * HOUR + 60, of(mint_v2(2, 497), 5_000 + at));
    let orders = Orders::default();
    (0..COUNT).for_each(|at| orders.put(&burn(at)));
    (0..COUNT - 1).for_each(|at| orders.put(&mint(at)));
    let asked = |hash: Hash| orders.one(&hash.to_string());
    for at in [0, 1, 127, 150, 200, COUNT - 2] {
        let order = asked(numbered(at));
        assert_eq!((shown(&order), order.identical), ((OrderState::Filled, true), 1), "{at}");
        assert_eq!(asked(numbered(5_000 + at)), order, "{at} by its mint");
        assert_eq!((order.legs.len(), order.is_cut), (2, false));
        let told = steps(&orders, &mint(at));
        assert_eq!(told, [(order.id, "filled", None)], "{at}");
    }
    let last = asked(numbered(COUNT - 1));
    assert_eq!((shown(&last), last.identical), ((OrderState::Opened, false), 1));
    assert_eq!(orders.one(&last.id), last, "by the id that all have, the newest");
    orders.put(&mint(COUNT - 1));
    assert_eq!(shown(&asked(numbered(COUNT - 1))), (OrderState::Filled, true));
    // all at once, nothing tells them from each other
    let at_once = |of_which: u64, event: &dyn Fn() -> Vec<BlockEvent>| {
        let mut events = Vec::new();
        for at in 0..of_which {
            for mut one in of(event(), at) {
                one.tx_index = u32::try_from(at).unwrap();
                one.log_index += 2 * u32::try_from(at).unwrap();
                events.push(one);
            }
        }
        events
    };
    let burns = block(ARBITRUM, 10, HOUR, at_once(COUNT, &|| vec![burn_v2(1)]));
    for (count, state) in [(COUNT, OrderState::Filled), (COUNT - 1, OrderState::PartiallyFilled)] {
        let mints = block(BASE, 900, HOUR + 60, at_once(count, &|| mint_v2(2, 497)));
        let order = Orders::of([&burns, &mints]).one(&last.id);
        assert_eq!(order.state, state, "{count}");
        let awaits = order.next.map(|next| next.event);
        let expected = (count < COUNT).then(|| "MessageReceived".to_owned());
        assert_eq!(awaits, expected, "{count}");
        // not all are read, and the counts say so
        assert!(order.is_cut && order.counts.iter().all(|(_, _, is_more)| *is_more), "{count}");
    }
}

/// What is beyond the legs that are counted is claimed by nothing.
#[test]
fn of_thousands_of_equal_transfers_none_is_called_arrived() {
    let many = |count: u32, event: &dyn Fn() -> Vec<BlockEvent>| {
        let number = |at: u32| {
            event().into_iter().map(move |mut one| {
                (one.tx_index, one.log_index) = (at, one.log_index + 2 * at);
                one
            })
        };
        (0..count).flat_map(number).collect::<Vec<_>>()
    };
    let burns = block(ARBITRUM, 10, 3_600, many(8_193, &|| vec![burn_v2(1)]));
    let mints = block(BASE, 900, 3_660, many(8_193, &|| mint_v2(2, 497)));
    let order = Orders::of([&burns, &mints]).one(&hash(1).to_string());
    assert_eq!((shown(&order), order.is_cut), ((OrderState::Opened, false), true));
    assert_eq!(stuck(&order), "identical_transfers");
    assert_eq!(awaited(&order), ("MessageReceived", Some(BASE)));
}

/// Every day the same amount, to the same address: what arrived yesterday is not today's.
#[test]
fn an_equal_transfer_of_another_day_does_not_fill_this_one() {
    let burn = |day: u64| block(ARBITRUM, 10 + day, day * DAY, vec![burn_v2(day as u8)]);
    let mint = |day: u64, at: u64| block(BASE, 100 + day, at, mint_v2(0x80 + day as u8, 497));
    let name = Orders::of([&burn(2)]).all(&id(2).1)[0].id.clone();
    let yesterdays = Orders::of([&burn(2), &mint(1, DAY + 20)]).one(&name);
    assert_eq!((shown(&yesterdays), yesterdays.identical), ((OrderState::Opened, false), 1));
    let legs = yesterdays.legs.iter().map(|one| one.mismatch);
    assert!(legs.clone().any(|one| one.is_some_and(|why| why.contains("earlier"))));
    // clocks of two chains differ by less
    let early = Orders::of([&burn(2), &mint(2, 2 * DAY - 60)]).one(&name);
    assert_eq!(early.state, OrderState::Filled);
    // each arrival is of the oldest that has none: of three the first is over, and of the others one is awaited
    let three =
        Orders::of([&burn(1), &burn(2), &burn(3), &mint(1, DAY + 20), &mint(3, 3 * DAY + 9)]);
    let others = three.one(&name);
    assert_eq!((others.state, others.identical), (OrderState::PartiallyFilled, 2));
    assert_eq!(stuck(&others), "identical_transfers");
    let first = three.one(&hash(1).to_string());
    assert_eq!((shown(&first), first.identical), ((OrderState::Filled, true), 1));
    assert_eq!(three.one(&hash(0x81).to_string()), first, "by the arrival as by the burn");
    // a day later the first stays filled, and the second is open until it arrives itself
    let daily = Orders::of([&burn(1), &mint(1, DAY + 20), &burn(2)]);
    let of = |day: u8| daily.one(&hash(day).to_string());
    assert_eq!((shown(&of(1)), of(1).identical), ((OrderState::Filled, true), 1));
    assert_eq!((shown(&of(2)), of(2).identical), ((OrderState::Opened, false), 1));
    daily.put(&mint(2, 2 * DAY + 40));
    assert_eq!(
        (shown(&of(1)), shown(&of(2))),
        ((OrderState::Filled, true), (OrderState::Filled, true))
    );
    let step = |number| superroot_order::load_steps(&daily.store, burn(1).key(), number).unwrap();
    let step = &step(superroot_types::BlockNumber(11))[0];
    assert_eq!((step.state, step.is_terminal), (OrderState::Filled, true));
    // another amount than the body's was minted for another message
    let wrong = block(BASE, 102, 2 * DAY + 5, mint_v2(0x82, 400));
    assert_eq!(Orders::of([&burn(2), &wrong]).one(&name).state, OrderState::Opened);
}

// -- ids that callers choose -------------------------------------------------------------------------------------

#[test]
fn of_two_deposits_of_one_id_each_has_its_own_fill() {
    let (one, other) = (Across { output: 5, ..Across::new(3) }, Across::new(3));
    let deposits = [
        block(ARBITRUM, 10, 1_000, vec![one.deposit()]),
        block(ARBITRUM, 11, 1_001, vec![other.deposit()]),
    ];
    let orders = Orders::of(&deposits);
    orders.put(&block(BASE, 20, 1_010, vec![other.fill((1, 0))]));
    let half = orders.one("across:42161:3");
    assert_eq!(
        (shown(&half), stuck(&half)),
        ((OrderState::PartiallyFilled, false), "id_of_several")
    );
    assert!(half.legs.iter().all(|leg| leg.mismatch.is_none()), "{half:#?}");
    orders.put(&block(BASE, 21, 1_020, vec![one.fill((2, 0))]));
    assert_eq!(shown(&orders.one("across:42161:3")), (OrderState::Filled, true));
}

/// Refunds are told apart by amount: one deposit's says nothing of the other.
#[test]
fn of_two_deposits_of_one_id_each_has_its_own_refund() {
    let deposit = |number, amount: u64| {
        let values = (
            who(1),
            who(2),
            n(amount),
            n(99),
            n(7),
            n(DEADLINE),
            n(0),
            who(4),
            B256::ZERO,
            Bytes::new(),
        );
        let signature = "FundsDeposited(bytes32,bytes32,uint256,uint256,uint256,uint256,uint32,uint32,uint32,bytes32,bytes32,bytes32,bytes)";
        let topics = [n(BASE), n(3), word(who(3))];
        let deposit = event((1, 3), POOL_OF_ARBITRUM, signature, &topics, data(&values));
        block(ARBITRUM, number, 1_000 + number, vec![deposit])
    };
    let refund =
        |number, amount| block(ARBITRUM, number, 9_000, vec![Across::refund((1, 0), amount)]);
    let orders = Orders::of([&deposit(10, 100), &deposit(11, 200), &refund(30, 200)]);
    let half = orders.seen("across:42161:3", until(8_000));
    assert_eq!(
        (shown(&half), stuck(&half)),
        ((OrderState::PartiallyFilled, false), "id_of_several")
    );
    orders.put(&refund(31, 100));
    assert_eq!(shown(&orders.seen("across:42161:3", until(8_000))), (OrderState::Refunded, true));
}

pub(crate) fn lifi(at: (u8, u32), byte: u8, bridge: &str, to: u64) -> BlockEvent {
    let zero = Address::ZERO;
    let call = (
        hash(byte),
        bridge.to_owned(),
        "x".to_owned(),
        zero,
        zero,
        zero,
        n(1),
        n(to),
        false,
        false,
    );
    let signature = "LiFiTransferStarted((bytes32,string,string,address,address,address,uint256,uint256,bool,bool))";
    event(at, LIFI, signature, &[], data(&(call,)))
}

#[test]
fn a_wrapper_leads_to_the_bridge_and_chain_that_it_names_alone() {
    let lone = |call: BlockEvent| {
        let orders =
            Orders::of([&block(ARBITRUM, 10, 1_000, vec![Across::new(1).deposit(), call])]);
        orders.one(&id(0xaa).1).protocol
    };
    assert_eq!(lone(lifi((1, 9), 0xaa, "across", BASE)), "across");
    assert_eq!(lone(lifi((1, 9), 0xaa, "acrossV4", BASE)), "across");
    assert_eq!(lone(lifi((1, 9), 0xaa, "stargateV2", BASE)), "lifi");
    assert_eq!(lone(lifi((1, 9), 0xaa, "across", OPTIMISM)), "lifi");
    // two in one transaction are two
    let mut second = Across::new(2).deposit();
    second.log_index = 5;
    let events = vec![
        Across::new(1).deposit(),
        lifi((1, 4), 0xaa, "across", BASE),
        second,
        lifi((1, 6), 0xbb, "across", BASE),
    ];
    let orders = Orders::of([&block(ARBITRUM, 10, 1_000, events)]);
    assert_eq!(orders.one(&id(0xaa).1).id, "across:42161:1");
    assert_eq!(orders.one(&id(0xbb).1).id, "across:42161:2");
    // behind any number of others its own is the nearest before it
    let mut events: Vec<BlockEvent> = (0..40)
        .map(|at| BlockEvent { log_index: at, ..Across::new(500 + u64::from(at)).deposit() })
        .collect();
    events.push(lifi((1, 40), 0xcc, "across", BASE));
    let orders = Orders::of([&block(ARBITRUM, 10, 1_000, events)]);
    assert_eq!(orders.one(&id(0xcc).1).id, "across:42161:539");
}

/// Whoever calls LI.FI's Executor says what he likes: it stands beside an opening, and ends, fills and opens nothing.
#[test]
fn a_completion_that_anybody_may_cause_ends_nothing() {
    let executor = "0x4dac9d1769b9b304cb04741dcdeb2fc14abdf110";
    let words = (Address::repeat_byte(1), Address::repeat_byte(2), n(5), n(1_010));
    let signature = "LiFiTransferCompleted(bytes32,address,address,uint256,uint256)";
    let completed = event((2, 1), executor, signature, &[word(hash(0xaa))], data(&words));
    let completion = block(BASE, 20, 1_010, vec![completed]);
    let opening = block(ARBITRUM, 10, 1_000, vec![lifi((1, 9), 0xaa, "stargateV2", BASE)]);
    let lifi_id = id(0xaa).1;
    // by the order's id and by the transaction of the completion, whichever came first
    for blocks in [[&opening, &completion], [&completion, &opening]] {
        let orders = Orders::of(blocks);
        for name in [&lifi_id, &id(2).1] {
            let order = orders.one(name);
            assert_eq!((&order.id, order.state), (&lifi_id, OrderState::Opened));
            assert!(!order.is_terminal);
            let kinds: Vec<_> = order.legs.iter().map(|one| one.leg.kind).collect();
            assert_eq!(kinds, [LegKind::Opened, LegKind::Noted]);
            assert!(order.legs.iter().all(|one| one.mismatch.is_none()));
        }
        assert_eq!(steps(&orders, &completion), [(lifi_id.clone(), "noted", None)]);
    }
    // alone it is no order, by any name, and no step
    let alone = Orders::of([&completion]);
    for name in [&lifi_id, &id(2).1, &format!("lifi_completed:{lifi_id}")] {
        assert_eq!(alone.all(name), [], "{name}");
    }
    assert_eq!(steps(&alone, &completion), []);
    // a wrapped order is that of its bridge, whatever is said beside it
    let events = vec![Across::new(1).deposit(), lifi((1, 9), 0xaa, "across", BASE)];
    let wrapped = Orders::of([&block(ARBITRUM, 10, 1_000, events), &completion]);
    let order = wrapped.one(&lifi_id);
    assert_eq!((order.protocol.as_str(), order.state), ("across", OrderState::Opened));
    assert_eq!(wrapped.all(&id(2).1), []);
    assert_eq!(steps(&wrapped, &completion), []);
}

/// However many callers choose a name, its own order is found by it, with the protocol's name and without.
#[test]
fn a_flood_of_chosen_names_hides_no_order() {
    let opening = block(OPTIMISM, 1, 1_000, vec![open_7683(hash(0x76), b"terms")]);
    let flood = (0..110_u8).map(|at| {
        let mut deposit = Across::new(900 + u64::from(at)).deposit();
        (deposit.tx_index, deposit.transaction_hash) =
            (at.into(), Some(superroot_types::Hash([at; 32])));
        vec![deposit, lifi((at, 9), 0x76, "across", BASE)]
    });
    let flood = block(ARBITRUM, 10, 1_001, flood.flatten().collect());
    let orders = Orders::of([&opening, &flood]);
    let name = id(0x76).1;
    for name in [name.clone(), format!("erc7683:{OPTIMISM}:{name}")] {
        let ask = superroot_order::OrderQuery::parse(&name).unwrap();
        let (own, others) = superroot_order::load_named(&orders.store, &ask).unwrap();
        let first = own.first().map(|order| order.protocol.as_str());
        assert_eq!((own.len(), first), (1, Some("erc7683")), "{name}");
        assert_eq!(others.is_empty(), name.starts_with("erc"), "{name}");
    }
}

#[test]
fn an_id_that_a_contract_makes_comes_before_one_that_a_caller_chose() {
    let opening = block(OPTIMISM, 1, 1_000, vec![open_7683(hash(0x76), b"terms")]);
    let strangers = block(BASE, 2, 1_001, vec![lifi((3, 0), 0x76, "x", OPTIMISM)]);
    let orders = Orders::of([&opening, &strangers]);
    let ask = superroot_order::OrderQuery::parse(&id(0x76).1).unwrap();
    let (own, others) = superroot_order::load_named(&orders.store, &ask).unwrap();
    let names =
        |orders: &[Order]| orders.iter().map(|one| one.protocol.clone()).collect::<Vec<_>>();
    assert_eq!((names(&own), names(&others)), (vec!["erc7683".into()], vec!["lifi".into()]));
    assert_eq!(orders.one(&format!("lifi:8453:{}", id(0x76).1)).protocol, "lifi");
}

// -- every end ---------------------------------------------------------------------------------------------------

fn withdrawal() -> Block {
    withdrawal_from(OPTIMISM)
}

fn withdrawal_from(chain: u64) -> Block {
    let values = (n(5), n(21_000), Bytes::new(), hash(0x51));
    let signature = "MessagePassed(uint256,address,address,uint256,uint256,bytes,bytes32)";
    let topics = [n(1), word(who(1)), word(who(2))];
    block(chain, 1, 1_000, vec![event((1, 0), PASSER, signature, &topics, data(&values))])
}

#[test]
fn a_withdrawal_that_was_finalized_without_success_is_over() {
    let of = |portal, success: u64| {
        let (hash, _) = id(0x51);
        let signature = "WithdrawalFinalized(bytes32,bool)";
        let ended = event((2, 0), portal, signature, &[hash], data(&(n(success),)));
        block(ETHEREUM, 9, 9_000, vec![ended])
    };
    let name = id(0x51).1;
    let of_celo = "0xc5c5d157928bdbd2acf6d0777626b6c75a9eaedc";
    for (chain, portal) in [(OPTIMISM, PORTAL), (42_220, of_celo)] {
        let order = Orders::of([&withdrawal_from(chain), &of(portal, 1)]).one(&name);
        assert_eq!(shown(&order), (OrderState::Settled, true));
        // the portal of another chain ends nothing
        let other = if chain == OPTIMISM { of_celo } else { PORTAL };
        assert_eq!(Orders::of([&withdrawal_from(chain), &of(other, 1)]).all(&name).len(), 2);
    }
    let failed = Orders::of([&withdrawal(), &of(PORTAL, 0)]).one(&name);
    assert_eq!((shown(&failed), &failed.next), ((OrderState::Failed, true), &None));
}

#[test]
fn a_message_of_the_omnibridge_that_failed_is_paid_back() {
    let (message, name) = id(0x0b);
    let sent = event(
        (1, 0),
        AMB_OF_ETHEREUM,
        "UserRequestForAffirmation(bytes32,bytes)",
        &[message],
        data(&(Bytes::from(vec![1, 2, 3]),)),
    );
    let failed = event(
        (2, 0),
        AMB_OF_GNOSIS,
        "AffirmationCompleted(address,address,bytes32,bool)",
        &[word(who(1)), word(who(2)), message],
        data(&(n(0),)),
    );
    let fixed = event(
        (3, 0),
        MEDIATOR_OF_ETHEREUM,
        "FailedMessageFixed(bytes32,address,address,uint256)",
        &[message],
        data(&(who(1), who(2), n(19))),
    );
    let orders = Orders::of([
        &block(ETHEREUM, 1, 1_000, vec![sent]),
        &block(GNOSIS, 2, 1_100, vec![failed]),
    ]);
    let order = orders.one(&name);
    assert_eq!((shown(&order), stuck(&order)), ((OrderState::Failed, false), "execution_failed"));
    assert!(!order.stuck.as_ref().unwrap().detail.contains("tried again"));
    assert_eq!(awaited(&order), ("FailedMessageFixed", Some(ETHEREUM)));
    orders.put(&block(ETHEREUM, 3, 1_200, vec![fixed]));
    assert_eq!(shown(&orders.one(&name)), (OrderState::Refunded, true));
}

fn ticket(events: Vec<BlockEvent>) -> Block {
    block(ARBITRUM, 5, 1_010, events)
}

fn of_tickets(at: (u8, u32), signature: &str, topics: &[U256], data: Vec<u8>) -> BlockEvent {
    event(at, TICKETS, signature, topics, data)
}

fn created() -> BlockEvent {
    of_tickets((2, 0), "TicketCreated(bytes32)", &[id(0x71).0], Vec::new())
}

fn redeem(retry: u8, log_index: u32) -> BlockEvent {
    let signature = "RedeemScheduled(bytes32,bytes32,uint64,uint64,address,uint256,uint256)";
    let topics = [id(0x71).0, word(hash(retry)), n(log_index.into())];
    of_tickets((2, log_index), signature, &topics, data(&(n(1), Address::ZERO, n(2), n(3))))
}

#[test]
fn a_ticket_is_cancelled_or_redeemed_by_the_receipt_of_a_retry() {
    let name = id(0x71).1;
    let cancelled = of_tickets((3, 1), "Canceled(bytes32)", &[id(0x71).0], Vec::new());
    let orders =
        Orders::of([&ticket(vec![created()]), &block(ARBITRUM, 9, 2_000, vec![cancelled])]);
    assert_eq!(shown(&orders.one(&name)), (OrderState::Cancelled, true));
    // the ninth retry succeeds as the first does
    for count in [1_u8, 9, 40] {
        let redeems = (1..=count).map(|place| redeem(place, place.into()));
        let orders = Orders::of([&ticket(std::iter::once(created()).chain(redeems).collect())]);
        assert_eq!(
            shown(&orders.retried(&name, Some(true))),
            (OrderState::Settled, true),
            "{count}"
        );
        let failed = orders.retried(&name, Some(false));
        assert_eq!((failed.state, stuck(&failed)), (OrderState::StepSeen, "opening_not_seen"));
        assert_eq!(orders.retried(&name, None).state, OrderState::StepSeen);
    }
}

fn send_celer() -> Block {
    let values = (hash(0xce), who(1), who(2), who(3), n(1_000), n(OPTIMISM), n(1), n(5));
    let signature = "Send(bytes32,address,address,address,uint256,uint64,uint64,uint32)";
    block(ETHEREUM, 1, 1_000, vec![event((1, 0), CELER_OF_ETHEREUM, signature, &[], data(&values))])
}

fn relay_celer(is_delayed: bool) -> Vec<BlockEvent> {
    let values = (hash(0x4e), who(1), who(2), who(3), n(999), n(ETHEREUM), hash(0xce));
    let signature = "Relay(bytes32,address,address,address,uint256,uint64,bytes32)";
    let relay = event((1, 1), CELER_OF_OPTIMISM, signature, &[], data(&values));
    let signature = "DelayedTransferAdded(bytes32)";
    let id = if is_delayed { hash(0x4e) } else { hash(0x4f) };
    vec![event((1, 0), CELER_OF_OPTIMISM, signature, &[], data(&(id,))), relay]
}

#[test]
fn a_relay_of_celer_above_the_threshold_pays_when_it_is_executed() {
    let name = id(0xce).1;
    let at_once = Orders::of([&send_celer(), &block(OPTIMISM, 2, 1_010, relay_celer(false))]);
    assert_eq!(shown(&at_once.one(&name)), (OrderState::Filled, true));
    // any number of others' events may stand between the two
    let [added, mut relay] = relay_celer(true).try_into().unwrap();
    let stranger = |at| {
        event((1, at), "0x0b2c639c533813f4aa9d7837caf62653d097ff85", "Other()", &[], Vec::new())
    };
    relay.log_index = 3_000;
    let far = [vec![added], (1..3_000).map(stranger).collect(), vec![relay]].concat();
    let far = Orders::of([&send_celer(), &block(OPTIMISM, 2, 1_010, far)]);
    let far = far.seen(&name, until(1_020));
    assert_eq!(stuck(&far), "transfer_delayed");
    let orders = Orders::of([&send_celer(), &block(OPTIMISM, 2, 1_010, relay_celer(true))]);
    let delayed = orders.seen(&name, until(1_020));
    assert_eq!(
        (shown(&delayed), stuck(&delayed)),
        ((OrderState::Opened, false), "transfer_delayed")
    );
    assert_eq!(awaited(&delayed), ("DelayedTransferExecuted", Some(OPTIMISM)));
    let values = (hash(0x4e), who(2), who(3), n(999));
    let signature = "DelayedTransferExecuted(bytes32,address,address,uint256)";
    let executed = event((3, 0), CELER_OF_OPTIMISM, signature, &[], data(&values));
    orders.put(&block(OPTIMISM, 7, 2_000, vec![executed]));
    assert_eq!(shown(&orders.one(&name)), (OrderState::Filled, true));
    // paid back on the origin; a withdrawal of somebody who gave liquidity is of no order
    let done = |of: B256| {
        let values = (hash(1), n(5), who(1), who(3), n(1_000), of);
        let signature = "WithdrawDone(bytes32,uint64,address,address,uint256,bytes32)";
        let done = event((4, 0), CELER_OF_ETHEREUM, signature, &[], data(&values));
        block(ETHEREUM, 8, 3_000, vec![done])
    };
    assert_eq!(
        shown(&Orders::of([&send_celer(), &done(hash(0xce))]).one(&name)),
        (OrderState::Refunded, true)
    );
    assert_eq!(Orders::of([&done(B256::ZERO)]).rows(), []);
    // a refund above the threshold is not paid yet either
    let signature = "DelayedTransferAdded(bytes32)";
    let added = event((3, 0), CELER_OF_ETHEREUM, signature, &[], data(&(hash(1),)));
    let mut refund = done(hash(0xce));
    refund.events[0].log_index = 1;
    refund.events[0].tx_index = 3;
    refund.events.insert(0, added);
    let orders = Orders::of([&send_celer(), &refund]);
    let late = orders.seen(&name, until(3_100));
    assert_eq!((shown(&late), stuck(&late)), ((OrderState::Opened, false), "transfer_delayed"));
    assert_eq!(awaited(&late), ("DelayedTransferExecuted", Some(ETHEREUM)));
    let values = (hash(1), who(1), who(3), n(1_000));
    let signature = "DelayedTransferExecuted(bytes32,address,address,uint256)";
    let executed = event((5, 0), CELER_OF_ETHEREUM, signature, &[], data(&values));
    let executed = block(ETHEREUM, 9, 4_000, vec![executed]);
    orders.put(&executed);
    let order = orders.one(&name);
    assert_eq!((shown(&order), &order.next), ((OrderState::Refunded, true), &None));
    assert_eq!(steps(&orders, &executed), [(name.clone(), "refunded", None)]);
    // by its transaction as well
    assert_eq!(orders.one(&id(5).1).id, name);
}

/// A fill of DLN with a call for the receiver pays an adapter: the user has the money when the call is made.
#[test]
fn a_fill_with_a_call_fills_when_the_call_is_made() {
    const ORDER: &str = "(uint64,bytes,uint256,bytes,uint256,uint256,bytes,uint256,bytes,bytes,bytes,bytes,bytes,bytes)";
    let adapter = "0x61ef2e01e603aeb5cd96f9ec9ae76cc6a68f6cf9";
    let order = dln_order_with_call(Bytes::from(vec![9; 20]));
    let (id, name) = id(0x1e);
    let opening = (order.clone(), id, Bytes::new(), n(1), n(2), n(3), Bytes::new());
    let signature = format!("CreatedOrder({ORDER},bytes32,bytes,uint256,uint256,uint32,bytes)");
    let opened =
        block(ETHEREUM, 1, 1_000, vec![event((1, 0), DLN_SOURCE, &signature, &[], data(&opening))]);
    let fill = (order, id, Address::repeat_byte(7), Address::repeat_byte(8));
    let signature = format!("FulfilledOrder({ORDER},bytes32,address,address)");
    let filled =
        block(BASE, 2, 1_010, vec![event((1, 0), DLN_DESTINATION, &signature, &[], data(&fill))]);
    let unlock = (id, Bytes::from(vec![8_u8; 20]), hash(3));
    let signature = "SentOrderUnlock(bytes32,bytes,bytes32)";
    let unlocked =
        block(BASE, 3, 1_020, vec![event((1, 0), DLN_DESTINATION, signature, &[], data(&unlock))]);
    let orders = Orders::of([&opened, &filled]);
    let waiting = orders.one(&name);
    assert_eq!(waiting.state, OrderState::Opened);
    assert_eq!(awaited(&waiting), ("ExternalCallExecuted", Some(BASE)));
    orders.put(&unlocked);
    assert_eq!(orders.one(&name).state, OrderState::Opened, "the solver is paid, the user is not");
    let executed = |by: &str| {
        let signature = "ExternalCallExecuted(bytes32,bool)";
        block(BASE, 4, 1_030, vec![event((1, 0), by, signature, &[], data(&(id, true)))])
    };
    orders.put(&executed("0x9999999999999999999999999999999999999999"));
    assert_eq!(orders.one(&name).state, OrderState::Opened, "another contract says so");
    let orders = Orders::of([&opened, &filled, &executed(adapter)]);
    assert_eq!(orders.one(&name).state, OrderState::Filled);
}

#[test]
fn what_is_paid_is_told_where_the_event_says_another_amount() {
    // DLN pays what a patch lowered the take to, and says the whole
    let (order, zero) = (dln_order(), Address::ZERO);
    let signature = "FulfilledOrder((uint64,bytes,uint256,bytes,uint256,uint256,bytes,uint256,bytes,bytes,bytes,bytes,bytes,bytes),bytes32,address,address)";
    let values = (order.clone(), hash(0x1d), zero, zero);
    let filled = event((2, 0), DLN_DESTINATION, signature, &[], data(&values));
    let lowered = (hash(0x1d), n(3));
    let signature = "DecreasedTakeAmount(bytes32,uint256)";
    let lowered = event((1, 0), DLN_DESTINATION, signature, &[], data(&lowered));
    let whole = Orders::of([&block(BASE, 9, 900, vec![filled.clone()])]).one(&id(0x1d).1);
    let less =
        Orders::of([&block(BASE, 8, 800, vec![lowered]), &block(BASE, 9, 900, vec![filled])]);
    assert_ne!(amount(&whole, "paid"), "3");
    assert_eq!(amount(&less.one(&id(0x1d).1), "paid"), "3");
    // a bonder of Hop pays less its fee; who withdraws alone gets the whole
    let (transfer, name) = id(0x40);
    let sent = event(
        (1, 0),
        HOP_OF_OPTIMISM,
        "TransferSent(bytes32,uint256,address,uint256,bytes32,uint256,uint256,uint256,uint256)",
        &[transfer, n(ARBITRUM), word(who(2))],
        data(&(n(1_000), hash(1), n(30), n(0), n(900), n(0))),
    );
    let signature = "WithdrawalBonded(bytes32,uint256)";
    let bonded = event((1, 0), HOP_OF_ARBITRUM, signature, &[transfer], data(&(n(1_000),)));
    let bonded = block(ARBITRUM, 2, 1_010, vec![bonded]);
    let order = Orders::of([&block(OPTIMISM, 1, 1_000, vec![sent]), &bonded]).one(&name);
    assert_eq!(
        (amount(&order, "bonded_amount"), amount(&order, "destination_amount")),
        ("1000".into(), "970".into())
    );
    assert_eq!(amount(&Orders::of([&bonded]).one(&name), "destination_amount"), "");
}

#[test]
fn a_refund_by_amount_ends_an_order_where_no_fill_can_have_been_missed_alone() {
    let deposit = block(ARBITRUM, 10, 1_000, vec![Across::new(1).deposit()]);
    let refund = block(ARBITRUM, 30, 9_000, vec![Across::refund((1, 0), 100)]);
    let orders = Orders::of([&deposit, &refund]);
    let unknown = orders.seen("across:42161:1", ChainProgress::default());
    assert_eq!(shown(&unknown), (OrderState::Refunded, false));
    assert_eq!(stuck(&unknown), "destination_not_collected");
    assert_eq!(shown(&orders.seen("across:42161:1", until(8_000))), (OrderState::Refunded, true));
    // of a bundle whose payments were put off nobody can tell which were made
    let values = (
        n(0),
        vec![n(7), n(100)],
        Address::repeat_byte(1),
        vec![Address::repeat_byte(9), Address::repeat_byte(3)],
        true,
        Address::repeat_byte(8),
    );
    let signature = "ExecutedRelayerRefundRoot(uint256,uint256,uint256[],uint32,uint32,address,address[],bool,address)";
    let put_off =
        event((1, 0), POOL_OF_ARBITRUM, signature, &[n(ARBITRUM), n(5), n(6)], data(&values));
    let put_off = block(ARBITRUM, 30, 9_000, vec![put_off]);
    let orders = Orders::of([&deposit, &put_off]);
    let order = orders.seen("across:42161:1", ChainProgress::default());
    assert_eq!((shown(&order), stuck(&order)), ((OrderState::Opened, false), "refund_deferred"));
    // a claim pays all that was put off for one address: of one order, where it is its amount alone
    for (amount, is_refunded) in [(100, true), (107, false)] {
        let signature = "ClaimedRelayerRefund(bytes32,bytes32,uint256,address)";
        let topics = [word(who(1)), word(who(3)), word(who(8))];
        let claimed = event((1, 0), POOL_OF_ARBITRUM, signature, &topics, data(&(n(amount),)));
        let claimed = block(ARBITRUM, 31, 9_100, vec![claimed]);
        let orders = Orders::of([&deposit, &put_off, &claimed]);
        let state = orders.seen("across:42161:1", until(8_000)).state;
        assert_eq!(state == OrderState::Refunded, is_refunded, "{amount}: {state:?}");
    }
    // the deadline is that of a fill, and none of a claim on the origin
    assert_eq!(order.next.as_ref().map(|next| next.before), Some(None));
    // after the last moment no slow fill comes
    let asked = block(BASE, 19, 1_005, vec![Across::new(1).slow_fill_request()]);
    let expired = Orders::of([&deposit, &asked]).seen("across:42161:1", until(9_999));
    assert_eq!(expired.state, OrderState::Expired);
    assert_eq!(awaited(&expired), ("ExecutedRelayerRefundRoot", Some(ARBITRUM)));
}

// -- one truth ---------------------------------------------------------------------------------------------------

#[test]
fn an_order_is_over_only_by_final_events() {
    for id in [1, 2] {
        let orders = Orders::of(&pair(id));
        orders.end_finality(BASE, 19);
        let order = orders.one(&format!("across:42161:{id}"));
        assert_eq!((shown(&order), order.is_decided_at_head), ((OrderState::Filled, false), true));
        assert_eq!(order.next, None);
        orders.end_finality(BASE, 20);
        orders.end_finality(ARBITRUM, 9);
        assert!(!orders.one(&order.id).is_terminal, "what the fill was compared with is not final");
        orders.end_finality(ARBITRUM, 10);
        let order = orders.one(&order.id);
        assert_eq!((order.is_terminal, order.is_decided_at_head), (true, false));
    }
}

pub(crate) fn steps(
    orders: &Orders,
    block: &Block,
) -> Vec<(String, &'static str, Option<&'static str>)> {
    let chain = ChainKey { family: Family::Evm, id: ChainId(block.chain) };
    let steps = load_steps(&orders.store, chain, BlockNumber(block.number)).unwrap();
    steps.into_iter().map(|step| (step.order_id, step.leg.kind.name(), step.mismatch)).collect()
}

#[test]
fn a_step_is_told_as_the_order_answers_it() {
    let order = Across::new(1);
    let deposit = block(ARBITRUM, 10, 1_000, vec![order.deposit()]);
    let strangers = block(BASE, 20, 1_010, vec![Across { output: 1, ..order }.fill((2, 0))]);
    let refund = block(ARBITRUM, 30, 9_000, vec![Across::refund((1, 0), 100)]);
    let orders = Orders::of([&deposit, &strangers, &refund]);
    let own = "across:42161:1".to_owned();
    assert_eq!(steps(&orders, &deposit), [(own.clone(), "opened", None)]);
    let [(id, "filled", Some(why))] = &steps(&orders, &strangers)[..] else { panic!() };
    assert_eq!((id, *why), (&own, "other terms than the opening"));
    let told = steps(&orders, &refund);
    assert!(told.contains(&(own.clone(), "refunded", None)), "{told:?}");
    // what is another's goes by its own name
    assert!(told.iter().any(|(id, ..)| id.starts_with("across_refund:")), "{told:?}");
}

/// Blocks of one order through what its protocol can do, and its name.
fn lives() -> Vec<(String, Vec<Block>)> {
    let own = address(CCTP1_MESSENGER_OF_BASE);
    let burn = |day: u64| block(ARBITRUM, 10 + day, day * DAY, vec![burn_v2(day as u8)]);
    let mint = |day: u64| block(BASE, 100 + day, day * DAY + 20, mint_v2(0x80 + day as u8, 497));
    let daily = vec![burn(1), mint(1), burn(2), burn(3), mint(3)];
    let burned = Orders::of([&burn(1)]).all(&id(1).1)[0].id.clone();
    let (one, other) = (Across { output: 5, ..Across::new(3) }, Across::new(3));
    vec![
        (burned, daily),
        (
            "cctp_v1:6:7".into(),
            vec![
                block(BASE, 1, 1_000, vec![burn_v1(7, 4, (1, 0))]),
                block(BASE, 5, 1_100, vec![burn_v1(7, 5, (2, 0))]),
                block(OPTIMISM, 9, 1_200, mint_v1(7, 5, own, Some(5))),
                block(OPTIMISM, 10, 1_210, mint_v1(7, 4, who(0x66), Some(4))),
            ],
        ),
        (
            "across:42161:3".into(),
            vec![
                block(ARBITRUM, 10, 1_000, vec![one.deposit()]),
                block(ARBITRUM, 11, 1_001, vec![other.deposit()]),
                block(BASE, 19, 1_005, vec![other.slow_fill_request()]),
                block(BASE, 20, 1_010, vec![other.fill((1, 0))]),
                block(ARBITRUM, 30, 9_000, vec![Across::refund((1, 0), 100)]),
            ],
        ),
        (
            id(0xce).1,
            vec![
                send_celer(),
                block(OPTIMISM, 2, 1_010, relay_celer(true)),
                block(OPTIMISM, 3, 1_020, relay_celer(false)),
            ],
        ),
        (
            id(0x71).1,
            vec![
                ticket(vec![created(), redeem(1, 1)]),
                block(ARBITRUM, 6, 2_000, vec![redeem(2, 0)]),
                block(
                    ARBITRUM,
                    9,
                    3_000,
                    vec![of_tickets((3, 1), "Canceled(bytes32)", &[id(0x71).0], Vec::new())],
                ),
            ],
        ),
    ]
}

proptest! {
    /// Whichever side comes first and whatever is undone meanwhile: the same rows, answers and steps.
    #[test]
    fn the_same_legs_are_the_same_order_however_they_came(
        life in 0..5_usize,
        order in Just((0..5_usize).collect::<Vec<_>>()).prop_shuffle(),
        undone in proptest::collection::vec(0..5_usize, 0..5),
    ) {
        let (name, blocks) = lives().swap_remove(life);
        let expected = Orders::of(&blocks);
        let orders = Orders::default();
        let mut undone = undone.iter();
        for place in order.iter().filter(|place| **place < blocks.len()) {
            orders.put(&blocks[*place]);
            if let Some(other) = undone.next().and_then(|other| blocks.get(*other)) {
                orders.undo(other);
            }
        }
        blocks.iter().for_each(|block| orders.put(block));
        prop_assert_eq!(orders.rows(), expected.rows());
        prop_assert_eq!(orders.one(&name), expected.one(&name));
        for block in &blocks {
            prop_assert_eq!(steps(&orders, block), steps(&expected, block));
        }
    }
}
