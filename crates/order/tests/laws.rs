//! Laws of orders, over legs that are made by the protocols' rules: synthetic, no chain ever had them. The ABI is
//! written by a second implementation.

use crate::shared;

use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use proptest::prelude::*;
use shared::{Block, Orders, data, event};
use superroot_index::BlockEvent;
use superroot_order::{
    ChainProgress, LISTED_MAX, LegKind, Order, OrderState, ProtocolTable, load_steps,
};
use superroot_types::BlockNumber;

pub(crate) const ETHEREUM: u64 = 1;
pub(crate) const OPTIMISM: u64 = 10;
pub(crate) const BASE: u64 = 8453;
pub(crate) const ARBITRUM: u64 = 42161;
pub(crate) const POOL_OF_ARBITRUM: &str = "0xe35e9842fceaca96570b734083f4a58e8f7c5f2a";
pub(crate) const POOL_OF_BASE: &str = "0x09aea4b2242abc8bb4bb78d537a67a245a7bec64";
pub(crate) const SETTLER: &str = "0x9245a985d2055cea7576b293da8649bb6c5af9d0";
pub(crate) const DLN_SOURCE: &str = "0xef4fb24ad0916217251f553c0596f8edc630eb66";
pub(crate) const DLN_DESTINATION: &str = "0xe7351fd770a37282b91d153ee690b63579d6dd7f";
pub(crate) const CCTP_MESSENGER: &str = "0x28b5a0e9c621a5badaa536219b3a228c8168cf5d";
pub(crate) const CCTP_TRANSMITTER: &str = "0x81d40f21f12a8f0e3252bccb954d722d4c464b64";
pub(crate) const DEADLINE: u64 = 5_000;

pub(crate) fn block(chain: u64, number: u64, at: u64, events: Vec<BlockEvent>) -> Block {
    Block { chain, number, at, events }
}

pub(crate) fn n(value: u64) -> U256 {
    U256::from(value)
}

pub(crate) fn who(byte: u8) -> B256 {
    Address::repeat_byte(byte).into_word()
}

pub(crate) fn word(word: B256) -> U256 {
    word.into()
}

/// What an order of Across says.
#[derive(Clone)]
pub(crate) struct Across {
    pub(crate) id: u64,
    pub(crate) output: u64,
    pub(crate) message: Vec<u8>,
}

impl Across {
    pub(crate) fn new(id: u64) -> Self {
        Self { id, output: 99, message: Vec::new() }
    }

    pub(crate) fn deposit_of(&self, contract: &str) -> BlockEvent {
        let values = (
            who(1),
            who(2),
            n(100),
            n(self.output),
            n(7),
            n(DEADLINE),
            n(0),
            who(4),
            B256::ZERO,
            Bytes::from(self.message.clone()),
        );
        event(
            (1, 3),
            contract,
            "FundsDeposited(bytes32,bytes32,uint256,uint256,uint256,uint256,uint32,uint32,uint32,bytes32,bytes32,bytes32,bytes)",
            &[n(BASE), n(self.id), word(who(3))],
            data(&values),
        )
    }

    pub(crate) fn deposit(&self) -> BlockEvent {
        self.deposit_of(POOL_OF_ARBITRUM)
    }

    fn message_hash(&self) -> B256 {
        if self.message.is_empty() { B256::ZERO } else { keccak256(&self.message) }
    }

    pub(crate) fn fill_of(&self, contract: &str, at: (u8, u32), kind: u64) -> BlockEvent {
        let values = (
            who(1),
            who(2),
            n(100),
            n(self.output),
            n(BASE),
            n(DEADLINE),
            n(0),
            B256::ZERO,
            who(3),
            who(4),
            self.message_hash(),
            (who(4), self.message_hash(), n(self.output), n(kind)),
        );
        event(
            at,
            contract,
            "FilledRelay(bytes32,bytes32,uint256,uint256,uint256,uint256,uint256,uint32,uint32,bytes32,bytes32,bytes32,bytes32,bytes32,(bytes32,bytes32,uint256,uint8))",
            &[n(ARBITRUM), n(self.id), word(who(5))],
            data(&values),
        )
    }

    pub(crate) fn fill(&self, at: (u8, u32)) -> BlockEvent {
        self.fill_of(POOL_OF_BASE, at, 0)
    }

    pub(crate) fn slow_fill_request(&self) -> BlockEvent {
        let values = (
            who(1),
            who(2),
            n(100),
            n(self.output),
            n(DEADLINE),
            n(0),
            B256::ZERO,
            who(3),
            who(4),
            self.message_hash(),
        );
        event(
            (2, 0),
            POOL_OF_BASE,
            "RequestedSlowFill(bytes32,bytes32,uint256,uint256,uint256,uint256,uint32,uint32,bytes32,bytes32,bytes32,bytes32)",
            &[n(ARBITRUM), n(self.id)],
            data(&values),
        )
    }

    /// A bundle that pays the depositor that amount.
    pub(crate) fn refund(at: (u8, u32), amount: u64) -> BlockEvent {
        let values = (
            n(0),
            vec![n(7), n(amount)],
            Address::repeat_byte(1),
            vec![Address::repeat_byte(9), Address::repeat_byte(3)],
            Address::repeat_byte(8),
        );
        event(
            at,
            POOL_OF_ARBITRUM,
            "ExecutedRelayerRefundRoot(uint256,uint256,uint256[],uint32,uint32,address,address[],address)",
            &[n(ARBITRUM), n(5), n(6)],
            data(&values),
        )
    }
}

/// A destination that is known until then, whole.
pub(crate) fn until(newest: u64) -> ChainProgress {
    ChainProgress { newest: Some(newest), is_followed: true, whole_since: Some(0) }
}

/// A block that is held and not indexed yet has no legs: what it lacks is no absence.
#[test]
fn nothing_expires_before_its_blocks_are_indexed() {
    let deposit = block(ARBITRUM, 10, 1_000, vec![Across::new(1).deposit()]);
    let orders = Orders::of([&deposit]);
    let chain = block(BASE, 99, DEADLINE + 50, vec![]).key();
    let mut batch = superroot_store::WriteBatch::new();
    let mut changes = superroot_store::feed::Changes::default();
    let tip = superroot_store::layout::BlockTip {
        number: superroot_types::BlockNumber(99),
        hash: superroot_types::Hash([7; 32]),
    };
    changes.taken(tip);
    let now = superroot_types::UnixSeconds(DEADLINE + 60);
    superroot_store::feed::append(&mut batch, &orders.store, chain, changes, now, 86_400).unwrap();
    superroot_store::Store::commit(&orders.store, batch).unwrap();
    let waiting = orders.one("across:42161:1");
    assert_eq!(waiting.state, OrderState::Opened);
    assert_eq!(
        waiting.stuck.map(|stuck| stuck.reason),
        Some("destination_not_collected".to_owned())
    );
}

pub(crate) fn pair(id: u64) -> [Block; 2] {
    let order = Across::new(id);
    [
        block(ARBITRUM, 10, 1_000, vec![order.deposit()]),
        block(BASE, 20, 1_010, vec![order.fill((1, 0))]),
    ]
}

pub(crate) fn stuck(order: &Order) -> &str {
    &order.stuck.as_ref().unwrap_or_else(|| panic!("{order:#?}")).reason
}

#[test]
fn the_table_reads_and_every_event_is_a_topic_of_the_watch_word() {
    let watched: superroot_store::layout::WatchFilter = "orders".parse().unwrap();
    let superroot_store::layout::WatchFilter::Some { topics, .. } = watched else { panic!("all") };
    let mut count = 0;
    for (topic, name) in ProtocolTable::builtin().topics() {
        assert!(topics.contains(&topic), "{name}");
        count += 1;
    }
    assert!(count > 60, "{count}");
}

/// An event of whoever else makes no order and fills none, whatever it says.
#[test]
fn no_forged_emitter_makes_or_fills_an_order() {
    let order = Across::new(1);
    let forged = "0x1111111111111111111111111111111111111111";
    for contract in [forged, POOL_OF_BASE, SETTLER] {
        let orders = Orders::of(&[block(ARBITRUM, 10, 1_000, vec![order.deposit_of(contract)])]);
        assert_eq!(orders.all("across:42161:1"), [], "{contract} is no pool of Arbitrum");
    }
    let opening = block(ARBITRUM, 10, 1_000, vec![order.deposit()]);
    for contract in [forged, POOL_OF_ARBITRUM, SETTLER] {
        let fill = block(BASE, 20, 1_010, vec![order.fill_of(contract, (1, 0), 0)]);
        let order = Orders::of([&opening, &fill]).one("1");
        assert_eq!((order.state, order.legs.len()), (OrderState::Opened, 1), "{contract}");
    }
}

/// Anybody may fill in the pool what nobody ordered: it counts only with the terms of the opening.
#[test]
fn a_fill_of_other_terms_does_not_count_however_many_there_are() {
    let [opening, fill] = pair(1);
    let false_fills: Vec<Block> = (0..900)
        .map(|at| {
            let order = Across { output: at, ..Across::new(1) };
            block(BASE, 21 + at, 1_020, vec![order.fill((2, 0))])
        })
        .filter(|_| true)
        .collect();
    let false_fills: Vec<&Block> = false_fills.iter().filter(|one| one.number != 21 + 99).collect();
    let orders = Orders::of(false_fills.iter().copied().chain([&opening]));
    let order = orders.one("1");
    assert_eq!(order.state, OrderState::Opened);
    assert!(order.is_cut && order.legs.len() < LISTED_MAX);
    orders.put(&fill);
    let order = orders.one("1");
    assert_eq!(
        order.state,
        OrderState::Filled,
        "the real one is found among {}",
        false_fills.len()
    );
    let counted = order.legs.iter().filter(|one| one.mismatch.is_none()).count();
    assert_eq!(counted, 2, "{order:#?}");
    // a step tells of each as the answer does, whether it is listed or not
    let told = |block: &Block| {
        let steps = load_steps(&orders.store, block.key(), BlockNumber(block.number)).unwrap();
        steps.into_iter().map(|step| step.mismatch).collect::<Vec<_>>()
    };
    for false_fill in &false_fills {
        assert_eq!(
            told(false_fill),
            [Some("other terms than the opening")],
            "{}",
            false_fill.number
        );
    }
    assert_eq!((told(&opening), told(&fill)), (vec![None], vec![None]));
    // on another chain than ordered, with the right terms
    let elsewhere = block(
        OPTIMISM,
        20,
        1_010,
        vec![Across::new(1).fill_of("0x6f26bf09b1c792e3228e5467807a900a503c0281", (1, 0), 0)],
    );
    assert_eq!(Orders::of([&opening, &elsewhere]).one("1").state, OrderState::Opened);
    // without an opening, fills that disagree settle nothing
    let fills = Orders::of(false_fills.iter().copied().take(3)).one("1");
    assert_eq!((fills.is_terminal, stuck(&fills)), (false, "fills_disagree"));
}

/// Across v2: fills in parts, each of which says how much was filled so far.
#[test]
fn ten_thousand_partial_fills_are_bounded_and_the_last_one_counts() {
    let pool = "0x5c7bcd6e7de5423a257d81b442095a1a6ced35c5";
    let count = 10_000_u64;
    let values = (
        n(count),
        n(1),
        U256::ZERO,
        n(7),
        Address::repeat_byte(1),
        Address::repeat_byte(4),
        Bytes::new(),
    );
    let opening = event(
        (1, 0),
        POOL_OF_ARBITRUM,
        "FundsDeposited(uint256,uint256,uint256,int64,uint32,uint32,address,address,address,bytes)",
        &[n(ETHEREUM), n(5), word(who(3))],
        data(&values),
    );
    let fill = |place: u64| {
        let (so_far, address) = (place + 1, Address::repeat_byte(4));
        let update = (address, Bytes::new(), U256::ZERO, false, U256::ZERO);
        let values = (
            n(count),
            n(so_far),
            n(1),
            n(1),
            n(ETHEREUM),
            U256::ZERO,
            n(3),
            Address::repeat_byte(2),
            address,
            address,
            Bytes::new(),
            update,
        );
        event(
            (u8::try_from(place / 200).unwrap(), u32::try_from(place % 200).unwrap()),
            pool,
            "FilledRelay(uint256,uint256,uint256,uint256,uint256,uint256,int64,int64,uint32,address,address,address,address,bytes,(address,bytes,int64,bool,int256))",
            &[n(ARBITRUM), n(5), word(who(3))],
            data(&values),
        )
    };
    let block_of = |from: u64| {
        block(ETHEREUM, 100 + from / 200, 2_000 + from, (from..from + 200).map(fill).collect())
    };
    let opening = block(ARBITRUM, 10, 1_000, vec![opening]);
    let orders = Orders::of([&opening]);
    let blocks: Vec<Block> = (0..count).step_by(200).map(block_of).collect();
    let (last, before) = blocks.split_last().unwrap();
    before.iter().for_each(|block| orders.put(block));
    let order = orders.one("across:42161:5");
    assert_eq!((order.state, order.is_terminal), (OrderState::PartiallyFilled, false));
    orders.put(last);
    let begun = std::time::Instant::now();
    let order = orders.one("across:42161:5");
    println!("an order of 10,000 fills is read in {:?}", begun.elapsed());
    assert_eq!((order.state, order.is_terminal), (OrderState::Filled, true));
    assert!(order.is_cut && order.legs.len() <= LISTED_MAX, "{}", order.legs.len());
    assert!(order.counts.contains(&(LegKind::Filled, 1_000, true)), "{:?}", order.counts);
    orders.undo(last);
    assert_eq!(orders.one("5").state, OrderState::PartiallyFilled);
    // anybody may fill what was never deposited: alone, in a store of its own, a fill shows nothing
    let alone = Orders::of([last]).one("5");
    assert_eq!((alone.state, alone.is_terminal), (OrderState::FillSeen, false));
    assert_eq!(stuck(&alone), "opening_not_seen");
}

#[test]
fn an_order_expires_by_the_destinations_clock_alone_and_only_where_nothing_was_missed() {
    let [opening, fill] = pair(1);
    let orders = Orders::of([&opening]);
    let at = |clock| orders.seen("1", clock);
    assert_eq!(at(until(DEADLINE)).state, OrderState::Opened, "its last moment");
    let expired = at(until(DEADLINE + 1));
    assert_eq!((expired.state, expired.is_terminal), (OrderState::Expired, false));
    assert_eq!(stuck(&expired), "past_deadline_without_refund");
    assert_eq!(expired.transitions[1].leg, None);
    let late = ChainProgress { whole_since: Some(1_001), ..until(9_999) };
    assert_eq!((at(late).state, stuck(&at(late))), (OrderState::Opened, "destination_not_whole"));
    // before its last moment as well
    let early = ChainProgress { newest: Some(1_002), ..late };
    assert_eq!((at(early).state, stuck(&at(early))), (OrderState::Opened, "destination_not_whole"));
    let behind = ChainProgress { newest: Some(999), whole_since: None, ..late };
    assert_eq!(at(behind).stuck, None, "nothing since it was opened is there yet");
    let alone = ChainProgress { is_followed: false, ..until(9_999) };
    assert_eq!(
        (at(alone).state, stuck(&at(alone))),
        (OrderState::Opened, "destination_not_collected")
    );
    assert_eq!(stuck(&orders.one("1")), "destination_not_collected", "nothing of Base is held");
    orders.put(&fill);
    assert_eq!(at(until(9_999)).state, OrderState::Filled);
}

/// Synthetic: Across's slow fills, and refunds in bundles.
#[test]
fn across_fills_slowly_and_refunds_what_expired() {
    let order = Across { message: vec![1, 2, 3], ..Across::new(8) };
    let opening = block(ARBITRUM, 10, 1_000, vec![order.deposit()]);
    let asked = block(BASE, 20, 1_100, vec![order.slow_fill_request()]);
    let orders = Orders::of([&asked, &opening]);
    let slow = orders.one("8");
    assert_eq!(slow.state, OrderState::Opened);
    assert_eq!(slow.next.unwrap().event, "FilledRelay");
    orders.put(&block(BASE, 21, 1_200, vec![order.fill_of(POOL_OF_BASE, (1, 0), 2)]));
    assert_eq!(orders.one("8").state, OrderState::Filled);

    // refunded by chain, token, address and exact amount, after the last moment
    let opening = block(ARBITRUM, 10, 1_000, vec![Across::new(9).deposit()]);
    let early = block(ARBITRUM, 11, DEADLINE, vec![Across::refund((1, 0), 100)]);
    let other = block(ARBITRUM, 12, DEADLINE + 9, vec![Across::refund((1, 0), 101)]);
    let refund = block(ARBITRUM, 13, DEADLINE + 9, vec![Across::refund((1, 0), 100)]);
    let orders = Orders::of([&opening, &early, &other]);
    assert_eq!(orders.seen("9", until(9_999)).state, OrderState::Expired);
    orders.put(&refund);
    let refunded = orders.seen("9", until(9_999));
    assert_eq!((refunded.state, refunded.is_terminal), (OrderState::Refunded, true));
    // two orders that a refund may mean: neither is told to be refunded
    orders.put(&block(ARBITRUM, 14, 1_050, vec![Across::new(10).deposit()]));
    for id in ["9", "10"] {
        let order = orders.seen(id, until(9_999));
        assert_eq!((order.state, stuck(&order)), (OrderState::Expired, "refund_not_told_apart"));
    }
}

pub(crate) fn open_7683(id: B256, origin_data: &[u8]) -> BlockEvent {
    let output = |amount, chain| vec![(who(2), n(amount), who(4), n(chain))];
    let instructions = vec![(n(BASE), who(6), Bytes::from(origin_data.to_vec()))];
    let resolved = (
        Address::repeat_byte(3),
        n(OPTIMISM),
        n(900),
        n(DEADLINE),
        id,
        output(10, BASE),
        output(11, OPTIMISM),
        instructions,
    );
    event(
        (1, 0),
        SETTLER,
        "Open(bytes32,(address,uint256,uint32,uint32,bytes32,(bytes32,uint256,bytes32,uint256)[],(bytes32,uint256,bytes32,uint256)[],(uint64,bytes32,bytes)[]))",
        &[word(id)],
        data(&(resolved,)),
    )
}

/// Synthetic: ERC-7683 as Hyperlane's settler speaks it.
#[test]
fn an_order_of_erc_7683_goes_from_open_to_settled_or_refunded() {
    let (id, name) = (B256::repeat_byte(0x76), format!("0x{}", "76".repeat(32)));
    let opening = block(OPTIMISM, 1, 1_000, vec![open_7683(id, b"terms")]);
    let fill = |terms: &[u8]| {
        let values = (id, Bytes::from(terms.to_vec()), Bytes::from(vec![1]));
        let signature = "Filled(bytes32,bytes,bytes)";
        block(BASE, 2, 1_010, vec![event((1, 0), SETTLER, signature, &[], data(&values))])
    };
    // the settler hashes what it decodes of these bytes into the id, and passes over what stands behind
    let longer = Orders::of([&opening, &fill(b"terms and more")]).one(&name);
    assert_eq!((longer.state, longer.protocol.as_str()), (OrderState::Filled, "erc7683"));
    let alone = Orders::of([&fill(b"terms")]).one(&name);
    assert_eq!((alone.state, alone.is_terminal), (OrderState::FillSeen, false));
    let orders = Orders::of([&fill(b"terms"), &opening]);
    let filled = orders.one(&name);
    assert_eq!((filled.state, filled.is_terminal), (OrderState::Filled, false));
    assert_eq!((filled.destination, filled.deadline), (Some(BASE), Some(DEADLINE)));
    assert_eq!(filled.next.unwrap().chain, Some(OPTIMISM));
    let settled = data(&(id, Address::repeat_byte(5)));
    let settled = event((1, 0), SETTLER, "Settled(bytes32,address)", &[], settled);
    orders.put(&block(OPTIMISM, 3, 1_020, vec![settled]));
    assert_eq!(
        (orders.one(&name).state, orders.one(&name).is_terminal),
        (OrderState::Settled, true)
    );

    let orders = Orders::of([&opening]);
    let asked = data(&(vec![B256::repeat_byte(1), id],));
    let asked = event((1, 0), SETTLER, "Refund(bytes32[])", &[], asked);
    orders.put(&block(BASE, 4, 6_000, vec![asked]));
    let expired = orders.seen(&name, until(6_000));
    assert_eq!(expired.state, OrderState::Expired);
    assert_eq!(expired.next.unwrap().event, "Refunded");
    let paid = data(&(id, Address::repeat_byte(3)));
    let paid = event((1, 0), SETTLER, "Refunded(bytes32,address)", &[], paid);
    orders.put(&block(OPTIMISM, 5, 6_100, vec![paid]));
    assert_eq!(orders.one(&name).state, OrderState::Refunded);
}

pub(crate) fn dln_order() -> impl alloy_sol_types::SolValue + Clone {
    dln_order_with_call(Bytes::new())
}

/// An order of DLN whose fill calls a contract with these bytes.
pub(crate) fn dln_order_with_call(call: Bytes) -> impl alloy_sol_types::SolValue + Clone {
    let wide = |byte: u8| Bytes::from(vec![byte; 20]);
    (
        n(77),
        wide(3),
        n(ETHEREUM),
        wide(1),
        n(1_000),
        n(BASE),
        wide(2),
        n(990),
        wide(4),
        wide(5),
        wide(6),
        Bytes::new(),
        Bytes::new(),
        call,
    )
}

/// Synthetic: deBridge DLN, filled and unlocked, or cancelled and paid back.
#[test]
fn an_order_of_dln_is_unlocked_or_cancelled() {
    const ORDER: &str = "(uint64,bytes,uint256,bytes,uint256,uint256,bytes,uint256,bytes,bytes,bytes,bytes,bytes,bytes)";
    let (id, name) = (B256::repeat_byte(0xd1), format!("0x{}", "d1".repeat(32)));
    let values = data(&(dln_order(), id, Bytes::new(), n(1), n(2), n(3), Bytes::new()));
    let signature = format!("CreatedOrder({ORDER},bytes32,bytes,uint256,uint256,uint32,bytes)");
    let opening = event((1, 0), DLN_SOURCE, &signature, &[], values);
    let opening = block(ETHEREUM, 1, 1_000, vec![opening]);
    let signature = format!("FulfilledOrder({ORDER},bytes32,address,address)");
    let values = data(&(dln_order(), id, Address::repeat_byte(7), Address::repeat_byte(8)));
    let fill = block(BASE, 2, 1_010, vec![event((1, 0), DLN_DESTINATION, &signature, &[], values)]);
    let orders = Orders::of([&fill, &opening]);
    let filled = orders.one(&name);
    assert_eq!((filled.state, filled.is_terminal), (OrderState::Filled, false));
    assert_eq!((filled.origin, filled.destination), (Some(ETHEREUM), Some(BASE)));
    let values = data(&(id, Bytes::from(vec![8; 20]), B256::repeat_byte(1)));
    let sent =
        event((1, 1), DLN_DESTINATION, "SentOrderUnlock(bytes32,bytes,bytes32)", &[], values);
    orders.put(&block(BASE, 3, 1_020, vec![sent]));
    assert_eq!(orders.one(&name).next.unwrap().event, "ClaimedUnlock");
    let values = data(&(id, Address::repeat_byte(8), n(1_000), Address::repeat_byte(1)));
    let signature = "ClaimedUnlock(bytes32,address,uint256,address)";
    let claimed = event((1, 0), DLN_SOURCE, signature, &[], values.clone());
    orders.put(&block(ETHEREUM, 4, 1_030, vec![claimed]));
    let settled = orders.one(&name);
    assert_eq!(
        (settled.state, settled.is_terminal, settled.next),
        (OrderState::Settled, true, None)
    );

    let orders = Orders::of([&opening]);
    let signature = format!("SentOrderCancel({ORDER},bytes32,bytes,bytes32)");
    let cancel = data(&(dln_order(), id, Bytes::from(vec![3; 20]), B256::repeat_byte(2)));
    let cancel = event((1, 0), DLN_DESTINATION, &signature, &[], cancel);
    orders.put(&block(BASE, 2, 1_010, vec![cancel]));
    let cancelled = orders.one(&name);
    assert_eq!((cancelled.state, cancelled.is_terminal), (OrderState::Cancelled, false));
    let signature = "ClaimedOrderCancel(bytes32,address,uint256,address)";
    orders.put(&block(ETHEREUM, 5, 1_040, vec![event((1, 0), DLN_SOURCE, signature, &[], values)]));
    assert_eq!(orders.one(&name).state, OrderState::Refunded);
}

/// Synthetic: CCTP v2, whose message gets its number on the way. Burns that say the same are one order.
#[test]
fn a_burn_of_cctp_v2_is_joined_by_what_its_body_says() {
    let burn = |at: (u8, u32)| {
        let zero = B256::ZERO;
        let values = (n(500), who(4), n(6), who(0x28), zero, n(9), Bytes::from(vec![0xab; 40]));
        event(
            at,
            CCTP_MESSENGER,
            "DepositForBurn(address,uint256,address,bytes32,uint32,bytes32,bytes32,uint256,uint32,bytes)",
            &[word(who(1)), word(who(3)), n(1_000)],
            data(&values),
        )
    };
    let received = |number: u64| {
        let mut body = vec![0, 0, 0, 1];
        for one in [word(who(1)), word(who(4)), n(500), word(who(3)), n(9), n(3), n(123_456)] {
            body.extend_from_slice(&one.to_be_bytes::<32>());
        }
        body.extend_from_slice(&[0xab; 40]);
        let minted = event(
            (1, 0),
            CCTP_MESSENGER,
            "MintAndWithdraw(address,uint256,address,uint256)",
            &[word(who(4)), word(who(2))],
            data(&(n(497), n(3))),
        );
        let message = event(
            (1, 1),
            CCTP_TRANSMITTER,
            "MessageReceived(address,uint32,bytes32,bytes32,uint32,bytes)",
            &[word(who(9)), n(number), n(1_000)],
            data(&(
                n(3),
                CCTP_MESSENGER.parse::<Address>().unwrap().into_word(),
                Bytes::from(body),
            )),
        );
        block(BASE, number, 1_000 + number, vec![minted, message])
    };
    let opening = block(ARBITRUM, 1, 1_000, vec![burn((1, 0))]);
    let orders = Orders::of([&received(20), &opening]);
    let by_tx = orders.all(&format!("0x{}", "01".repeat(32)));
    assert_eq!(by_tx.len(), 1, "both sides are one order");
    let order = &by_tx[0];
    assert_eq!((order.state, order.is_terminal, order.identical), (OrderState::Filled, true, 1));
    assert_eq!((order.origin, order.destination), (Some(ARBITRUM), Some(BASE)));
    // the same burn again: one of two arrived, and which cannot be told
    orders.put(&block(ARBITRUM, 2, 1_005, vec![burn((4, 0))]));
    let twice = orders.one(&order.id);
    assert_eq!((twice.state, twice.identical), (OrderState::PartiallyFilled, 2));
    assert_eq!(stuck(&twice), "identical_transfers");
    orders.put(&received(21));
    assert_eq!(orders.one(&order.id).state, OrderState::Filled);
    // as many as arrived are counted, however many say the same
    (22..63).for_each(|number| orders.put(&received(number)));
    let all: Vec<BlockEvent> = (0..41).map(|log_index| burn((4, log_index))).collect();
    orders.put(&block(ARBITRUM, 3, 1_010, all));
    let many = orders.one(&order.id);
    assert_eq!((many.state, many.is_terminal, many.identical), (OrderState::Filled, true, 43));
    assert!(!many.is_cut);
    orders.put(&block(ARBITRUM, 4, 1_011, vec![burn((4, 0))]));
    assert_eq!(orders.one(&order.id).state, OrderState::PartiallyFilled);
}

/// Synthetic: the ticket's id is computed on the origin, the redeem leads to the retry.
#[test]
fn a_ticket_of_arbitrum_is_stuck_until_it_is_redeemed() {
    let (inbox, bridge) = (
        "0x4dbd4fc535ac27206064b68ffcf827b0a60bab3f",
        "0x8315177ab297ba92a06054ce80a67ed4dbd7ed3a",
    );
    let words =
        [word(who(1)), n(5), n(500), n(7), word(who(2)), word(who(3)), n(21_000), n(9), n(3)];
    let mut message: Vec<u8> = words.iter().flat_map(U256::to_be_bytes::<32>).collect();
    message.extend_from_slice(b"abc");
    let hash = keccak256(&message);
    let delivered = event(
        (1, 0),
        bridge,
        "MessageDelivered(uint256,bytes32,address,uint8,address,bytes32,uint256,uint64)",
        &[n(42), n(1)],
        data(&(
            inbox.parse::<Address>().unwrap(),
            n(9),
            Address::repeat_byte(6),
            hash,
            n(30),
            n(4),
        )),
    );
    let inboxed = event(
        (1, 1),
        inbox,
        "InboxMessageDelivered(uint256,bytes)",
        &[n(42)],
        data(&(Bytes::from(message),)),
    );
    let opening = block(ETHEREUM, 1, 1_000, vec![delivered, inboxed]);
    let orders = Orders::of([&opening]);
    let order = orders.all(&format!("0x{}", "01".repeat(32))).remove(0);
    assert_eq!((order.protocol.as_str(), order.state), ("arbitrum_retryable", OrderState::Opened));
    let ticket: B256 = order.id.parse().unwrap();
    let system = "0x000000000000000000000000000000000000006e";
    let created = event((2, 0), system, "TicketCreated(bytes32)", &[word(ticket)], Vec::new());
    orders.put(&block(ARBITRUM, 5, 1_010, vec![created]));
    assert_eq!(stuck(&orders.seen(&order.id, until(9_999))), "ticket_not_redeemed");
    // a ticket lives for seven days, or as long as somebody pays for
    let dies = 1_010 + 7 * 86_400;
    assert_eq!(orders.seen(&order.id, until(dies)).state, OrderState::Opened);
    let dead = orders.seen(&order.id, until(dies + 1));
    assert_eq!(
        (dead.state, dead.is_terminal, dead.deadline),
        (OrderState::Expired, true, Some(dies))
    );
    let signature = "LifetimeExtended(bytes32,uint256)";
    let longer = event((4, 0), system, signature, &[word(ticket)], data(&(n(dies + 9),)));
    let longer = block(ARBITRUM, 8, 2_000, vec![longer]);
    orders.put(&longer);
    assert_eq!(orders.seen(&order.id, until(dies + 9)).state, OrderState::Opened);
    assert_eq!(orders.seen(&order.id, until(dies + 10)).state, OrderState::Expired);
    orders.undo(&longer);
    let retry = B256::repeat_byte(3);
    let redeem = event(
        (2, 1),
        system,
        "RedeemScheduled(bytes32,bytes32,uint64,uint64,address,uint256,uint256)",
        &[word(ticket), word(retry), n(0)],
        data(&(n(1), Address::repeat_byte(1), n(2), n(3))),
    );
    // a retry whose receipt is not held may have redeemed it: nothing is over
    let scheduled = block(ARBITRUM, 6, 1_020, vec![redeem.clone()]);
    orders.put(&scheduled);
    let unknown = orders.seen(&order.id, until(dies + 1));
    assert_eq!((unknown.state, unknown.is_terminal), (OrderState::Opened, false));
    orders.undo(&scheduled);
    let paid = event(
        (3, 0),
        "0x09e9222e96e7b4ae2a407b98d48e330053351eee",
        "DepositFinalized(address,address,address,uint256)",
        &[word(who(1)), word(who(2)), word(who(3))],
        data(&(n(500),)),
    );
    orders.put(&block(ARBITRUM, 6, 1_020, vec![redeem, paid]));
    let settled = orders.one(&order.id);
    assert_eq!((settled.state, settled.is_terminal), (OrderState::Settled, true));
    assert_eq!(orders.all(&retry.to_string())[0].id, order.id, "the retry leads to its ticket");
}

/// Polygon keeps the other side outside its tries: it is said so, and never waited for in vain.
#[test]
fn what_a_ledger_keeps_outside_its_tries_is_not_provable() {
    let synced = event(
        (1, 0),
        "0x28e4f3a7f651294b9564800b2d01f35189a5bfbe",
        "StateSynced(uint256,address,bytes)",
        &[n(9), word(who(1))],
        data(&(Bytes::from(vec![1]),)),
    );
    let order = Orders::of(&[block(ETHEREUM, 1, 1_000, vec![synced])]).one("polygon_state:9");
    assert_eq!((order.destination, stuck(&order)), (Some(137), "not_provable"));
    assert!(order.next.unwrap().not_provable.unwrap().contains("outside its tries"));
}

#[test]
fn a_number_of_several_orders_leads_to_each() {
    let orders = Orders::of(&pair(7));
    let values =
        (who(1), who(2), n(100), n(99), n(7), n(DEADLINE), n(0), who(4), B256::ZERO, Bytes::new());
    let other = event(
        (1, 0),
        POOL_OF_BASE,
        "FundsDeposited(bytes32,bytes32,uint256,uint256,uint256,uint256,uint32,uint32,uint32,bytes32,bytes32,bytes32,bytes)",
        &[n(ARBITRUM), n(7), word(who(3))],
        data(&values),
    );
    orders.put(&block(BASE, 90, 3_000, vec![other]));
    assert_eq!(orders.all("7").len(), 2);
    assert_eq!(orders.one("across:8453:7").origin, Some(BASE));
    assert_eq!(orders.one("across:42161:7").state, OrderState::Filled);
    // a number that only another chain gave is no order of this one, though it goes there
    pair(8).iter().for_each(|block| orders.put(block));
    assert_eq!(orders.one("across:42161:8").destination, Some(BASE));
    assert_eq!(orders.all("across:8453:8"), []);
}

/// All legs of an order that goes through many states.
fn many_legs() -> Vec<Block> {
    let order = Across::new(1);
    let mut blocks = pair(1).to_vec();
    blocks.push(block(BASE, 19, 1_005, vec![order.slow_fill_request()]));
    blocks.push(block(BASE, 22, 1_030, vec![Across { output: 1, ..order }.fill((2, 0))]));
    blocks.push(block(ARBITRUM, 30, 9_000, vec![Across::refund((1, 0), 100)]));
    blocks.push(block(ARBITRUM, 31, 9_000, vec![Across::new(2).deposit()]));
    blocks
}

proptest! {
    /// Whatever comes first, and whatever was undone and came again meanwhile.
    #[test]
    fn an_order_is_the_same_in_whatever_order_its_legs_come_and_go(
        order in Just((0..6_usize).collect::<Vec<_>>()).prop_shuffle(),
        again in proptest::collection::vec(0..6_usize, 0..8),
    ) {
        let blocks = many_legs();
        let expected = Orders::of(&blocks);
        let orders = Orders::default();
        let mut undo = again.iter();
        for place in &order {
            orders.put(&blocks[*place]);
            if let Some(other) = undo.next() {
                // a reorganisation takes a leg, which comes again
                orders.undo(&blocks[*other]);
            }
        }
        blocks.iter().for_each(|block| orders.put(block));
        blocks.iter().for_each(|block| orders.put(block));
        for id in ["1", "2"] {
            prop_assert_eq!(orders.one(id), expected.one(id));
        }
    }

    /// What is undone leaves nothing: the store is as if it never was.
    #[test]
    fn a_reorganisation_through_any_leg_takes_exactly_that_leg(gone in 0..6_usize) {
        let blocks = many_legs();
        let orders = Orders::of(&blocks);
        orders.undo(&blocks[gone]);
        let others: Vec<&Block> = blocks.iter().enumerate().filter(|(at, _)| *at != gone).map(|(_, one)| one).collect();
        let expected = Orders::of(others);
        prop_assert_eq!(orders.rows(), expected.rows());
        for block in &blocks {
            orders.undo(block);
        }
        prop_assert_eq!(orders.rows(), Vec::new());
    }

    /// Strictness: a form that has a word too much, too few, or one changed never panics.
    #[test]
    fn no_data_make_an_event_panic(
        topic in any::<prop::sample::Index>(),
        topics in 0..4_usize,
        mut bytes in proptest::collection::vec(any::<u8>(), 0..1200),
        small in proptest::collection::vec(0..31_u8, 0..38),
    ) {
        // words that can be offsets and lengths
        for (place, value) in small.iter().enumerate() {
            if let Some(word) = bytes.get_mut(place * 32..place * 32 + 32) {
                word.fill(0);
                word[31] = value * 8;
            }
        }
        bytes.truncate(bytes.len() / 32 * 32);
        let all: Vec<_> = ProtocolTable::builtin().topics().collect();
        for contract in [POOL_OF_BASE, SETTLER, DLN_SOURCE, CCTP_TRANSMITTER] {
            let mut made = event((1, 0), contract, "x", &vec![n(1); topics], bytes.clone());
            made.topics[0] = all[topic.index(all.len())].0;
            block(BASE, 1, 1, vec![made]).rows();
        }
    }
}
