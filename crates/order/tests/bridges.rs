//! Bridges that claim, mint or redeem what their contracts verified of the other side. Synthetic: no chain ever had these
//! legs.

use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use superroot_index::BlockEvent;
use superroot_order::OrderState;

use crate::causes::{address, amount, awaited, hash, id, shown, steps};
use crate::laws::*;
use crate::shared::{Block, Orders, data, event};

const LINEA: u64 = 59_144;
const LINEA_OF_ETHEREUM: &str = "0xd19d4b5d358258f05d7b411e21a1460d11b0876f";
const LINEA_OF_LINEA: &str = "0x508ca82df566dcd1b0de8296e70a96332cd644ec";
const SYNAPSE_OF_ARBITRUM: &str = "0x6f4e8eba4d337f874ab57478acc2cb5bacdc19c9";
const SYNAPSE_OF_BASE: &str = "0xf07d1c752fab503e47fef309bf14fbdd3e867089";
const SYNAPSE_OF_OPTIMISM: &str = "0xaf41a65f786339e7911f4acdad6bd49426f2dc6b";
const WORMHOLE_CORE_OF_ARBITRUM: &str = "0xa5f208e072434bc67592e4c49c1b991ba79bca46";
const WORMHOLE_OF_ARBITRUM: &str = "0x0b2402144bb366a632d14b83f244d2e0e21bd39c";
const WORMHOLE_OF_BASE: &str = "0x8d2de8d2f73f1f4cab472ac9a881c9b123c79627";
const WORMHOLE_OF_OPTIMISM: &str = "0x1d68124e65fafc907325e3edbf8c4d84499daa8b";
const STARGATE_USDC_OF_ARBITRUM: &str = "0xe8cdf27acd73a434d661c84887215f7598e7d0d3";
const STARGATE_USDC_OF_BASE: &str = "0x27a16dc786820b16e5c9028b75b99f6f604b5d26";
const STARGATE_OF_ARBITRUM: &str = "0x19cfce47ed54a88614648dc3f19a5980097007dd";
const STARGATE_ETHER_OF_BASE: &str = "0xdc181bd607330aeebef6ea62e03e5e1fb4b6f7c7";
const USDT0_OF_ETHEREUM: &str = "0x6c96de32cea08842dcc4058c14d3aaad7fa41dee";
const USDT0_OF_OPTIMISM: &str = "0xf03b4d9ac1d5d1e7c4cef54c2a313b9fe051a0ad";
const WEETH_OF_OPTIMISM: &str = "0x5a7facb970d094b6c7ff1df0ea68d99e6e73cbff";
const CCIP_OF_ARBITRUM: &str = "0x67761742ac8a21ec4d76ca18cbd701e5a6f3bef3";
const CCIP_RAMP_OF_ARBITRUM: &str = "0x76a443768a5e3b8d1aed0105fc250877841deb40";
const CCIP_RAMP_OF_BASE: &str = "0xf09afe78d3c7d359b334d7cb88995751f7ec5e13";
const CCIP_RAMP_OF_OPTIMISM: &str = "0xee85aefb15b9489563a6a29891ebe0750aa1a7ae";
const STRANGER: &str = "0x6666666666666666666666666666666666666666";

// -- Linea -------------------------------------------------------------------------------------------------------

fn sent_by_linea(contract: &str) -> BlockEvent {
    let values = (n(1), n(500), n(7), Bytes::from(vec![1, 2, 3]));
    let signature = "MessageSent(address,address,uint256,uint256,uint256,bytes,bytes32)";
    let topics = [word(who(1)), word(who(2)), id(0x11).0];
    event((1, 0), contract, signature, &topics, data(&values))
}

fn claimed_of_linea(contract: &str) -> BlockEvent {
    event((2, 0), contract, "MessageClaimed(bytes32)", &[id(0x11).0], Vec::new())
}

#[test]
fn a_message_of_linea_is_settled_where_it_was_sent_to() {
    let name = id(0x11).1;
    let sides = [
        (ETHEREUM, LINEA_OF_ETHEREUM, LINEA, LINEA_OF_LINEA),
        (LINEA, LINEA_OF_LINEA, ETHEREUM, LINEA_OF_ETHEREUM),
    ];
    for (from, sender, to, claimer) in sides {
        let sent = block(from, 1, 1_000, vec![sent_by_linea(sender)]);
        let claimed = |chain, contract| block(chain, 2, 1_010, vec![claimed_of_linea(contract)]);
        let open = Orders::of([&sent]).one(&name);
        assert_eq!(
            (shown(&open), awaited(&open)),
            ((OrderState::Opened, false), ("MessageClaimed", Some(to)))
        );
        assert_eq!((amount(&open, "value"), amount(&open, "fee")), ("500".into(), "1".into()));
        // somebody else's event, and the other direction's message of that hash
        for other in [claimed(to, STRANGER), claimed(from, sender)] {
            assert_eq!(Orders::of([&sent, &other]).one(&name).state, OrderState::Opened);
        }
        let order = Orders::of([&claimed(to, claimer), &sent]).one(&name);
        assert_eq!((shown(&order), order.origin), ((OrderState::Settled, true), Some(from)));
    }
}

// -- Synapse -----------------------------------------------------------------------------------------------------

fn deposited(at: (u8, u32), to: u8) -> BlockEvent {
    let signature = "TokenDeposit(address,uint256,address,uint256)";
    let values = (n(BASE), who(1), n(1_000));
    event(at, SYNAPSE_OF_ARBITRUM, signature, &[word(who(to))], data(&values))
}

/// The Keccak-256 of the text of the transaction.
fn kappa(tx: u8) -> B256 {
    keccak256(format!("0x{}", format!("{tx:02x}").repeat(32)))
}

fn minted(contract: &str, to: u8, kappa: B256) -> BlockEvent {
    let signature = "TokenMint(address,address,uint256,uint256,bytes32)";
    let topics = [word(who(to)), word(kappa)];
    event((9, 0), contract, signature, &topics, data(&(who(2), n(990), n(10))))
}

#[test]
fn a_transfer_of_synapse_is_filled_by_the_mint_of_its_transaction() {
    let name = format!("{:?}", kappa(1));
    let deposit = block(ARBITRUM, 1, 1_000, vec![deposited((1, 0), 4)]);
    let mint = |chain, contract, to, kappa| {
        Orders::of([&deposit, &block(chain, 2, 1_010, vec![minted(contract, to, kappa)])])
            .one(&name)
    };
    let filled = mint(BASE, SYNAPSE_OF_BASE, 4, kappa(1));
    assert_eq!(
        (shown(&filled), amount(&filled, "destination_amount")),
        ((OrderState::Filled, true), "990".into())
    );
    assert_eq!((filled.origin, filled.destination), (Some(ARBITRUM), Some(BASE)));
    let others = [
        mint(BASE, STRANGER, 4, kappa(1)),
        mint(BASE, SYNAPSE_OF_BASE, 4, kappa(2)),
        mint(BASE, SYNAPSE_OF_BASE, 5, kappa(1)),
        mint(OPTIMISM, SYNAPSE_OF_OPTIMISM, 4, kappa(1)),
    ];
    assert!(others.iter().all(|order| shown(order) == (OrderState::Opened, false)), "{others:#?}");
    // two of one transaction have one name, and one of them is paid
    let both = block(ARBITRUM, 1, 1_000, vec![deposited((1, 0), 4), deposited((1, 1), 4)]);
    let mint = block(BASE, 2, 1_010, vec![minted(SYNAPSE_OF_BASE, 4, kappa(1))]);
    let half = Orders::of([&both, &mint]).one(&name);
    assert_eq!(
        (shown(&half), stuck(&half)),
        ((OrderState::PartiallyFilled, false), "identical_transfers")
    );
}

// -- Wormhole ----------------------------------------------------------------------------------------------------

/// What the bridge says: kind, amount, token, its chain, recipient, chain of that, fee.
fn published(sender: B256, kind: u8) -> Block {
    let mut payload = vec![kind];
    payload.extend_from_slice(&n(500).to_be_bytes::<32>());
    payload.extend_from_slice(who(1).as_slice());
    payload.extend_from_slice(&23_u16.to_be_bytes());
    payload.extend_from_slice(who(2).as_slice());
    payload.extend_from_slice(&30_u16.to_be_bytes());
    payload.extend_from_slice(&[0; 32]);
    let values = (n(77), n(0), Bytes::from(payload), n(1));
    let signature = "LogMessagePublished(address,uint64,uint32,bytes,uint8)";
    let published =
        event((1, 0), WORMHOLE_CORE_OF_ARBITRUM, signature, &[word(sender)], data(&values));
    block(ARBITRUM, 1, 1_000, vec![published])
}

fn redeemed(chain: u64, contract: &str, emitter: B256, sequence: u64) -> Block {
    let signature = "TransferRedeemed(uint16,bytes32,uint64)";
    let topics = [n(23), word(emitter), n(sequence)];
    block(chain, 2, 1_010, vec![event((2, 0), contract, signature, &topics, Vec::new())])
}

#[test]
fn a_transfer_of_wormhole_is_its_bridges_own_and_is_redeemed_where_it_goes() {
    let own = address(WORMHOLE_OF_ARBITRUM);
    let name = format!("wormhole:23:{own:?}:77");
    for (sender, kind) in [(address(STRANGER), 1), (own, 2)] {
        assert_eq!(Orders::of([&published(sender, kind)]).rows(), [], "{sender} {kind}");
    }
    for kind in [1, 3] {
        let opening = published(own, kind);
        let order = Orders::of([&opening]).one(&name);
        assert_eq!(shown(&order), (OrderState::Opened, false));
        assert_eq!(awaited(&order), ("TransferRedeemed", Some(BASE)));
        let others = [
            redeemed(BASE, STRANGER, own, 77),
            redeemed(BASE, WORMHOLE_OF_BASE, own, 78),
            redeemed(BASE, WORMHOLE_OF_BASE, address(STRANGER), 77),
            redeemed(OPTIMISM, WORMHOLE_OF_OPTIMISM, own, 77),
        ];
        for other in &others {
            assert_eq!(Orders::of([&opening, other]).one(&name).state, OrderState::Opened);
        }
        let redeemed = redeemed(BASE, WORMHOLE_OF_BASE, own, 77);
        let order = Orders::of([&redeemed, &opening]).one("77");
        assert_eq!((shown(&order), order.origin), ((OrderState::Filled, true), Some(ARBITRUM)));
    }
}

// -- LayerZero ---------------------------------------------------------------------------------------------------

fn oft_sent(contract: &str, guid: U256, to: u64) -> BlockEvent {
    let signature = "OFTSent(bytes32,uint32,address,uint256,uint256)";
    event((1, 0), contract, signature, &[guid, word(who(1))], data(&(n(to), n(100), n(99))))
}

fn oft_received(contract: &str, guid: U256, from: u64, to: u8) -> BlockEvent {
    let signature = "OFTReceived(bytes32,uint32,address,uint256)";
    event((2, to.into()), contract, signature, &[guid, word(who(to))], data(&(n(from), n(99))))
}

#[test]
fn a_taxi_of_stargate_arrives_or_is_tried_again() {
    let (guid, name) = id(0x57);
    let sent = block(ARBITRUM, 1, 1_000, vec![oft_sent(STARGATE_USDC_OF_ARBITRUM, guid, 30_184)]);
    let received = |contract| block(BASE, 3, 1_020, vec![oft_received(contract, guid, 30_110, 4)]);
    let order = Orders::of([&sent]).one(&name);
    assert_eq!(
        (shown(&order), awaited(&order)),
        ((OrderState::Opened, false), ("OFTReceived", Some(BASE)))
    );
    assert_eq!(Orders::of([&sent, &received(STRANGER)]).one(&name).state, OrderState::Opened);
    let values = (hash(0x57), n(0), n(30_110), who(4), n(99), Bytes::new());
    let signature = "UnreceivedTokenCached(bytes32,uint8,uint32,address,uint256,bytes)";
    let cached = event((2, 0), STARGATE_USDC_OF_BASE, signature, &[], data(&values));
    let orders = Orders::of([&sent, &block(BASE, 2, 1_010, vec![cached])]);
    let failed = orders.one(&name);
    assert_eq!((shown(&failed), stuck(&failed)), ((OrderState::Opened, false), "execution_failed"));
    orders.put(&received(STARGATE_USDC_OF_BASE));
    assert_eq!(shown(&orders.one(&name)), (OrderState::Filled, true));
}

const USDC: u16 = 1;

/// Somebody rides a bus of Arbitrum to Base; the pool's event follows that of the messaging contract.
fn rode(at: u8, contract: &str, ticket: u64, asset: u16, to: u8) -> [BlockEvent; 2] {
    let mut passenger = asset.to_be_bytes().to_vec();
    passenger.extend_from_slice(who(to).as_slice());
    passenger.extend_from_slice(&99_u64.to_be_bytes());
    passenger.push(0);
    let seat = data(&(n(30_184), n(ticket), n(5), Bytes::from(passenger)));
    let signature = "BusRode(uint32,uint72,uint80,bytes)";
    let mut sent = oft_sent(STARGATE_USDC_OF_ARBITRUM, U256::ZERO, 30_184);
    (sent.tx_index, sent.log_index) = (at.into(), 1);
    [event((at, 0), contract, signature, &[], seat), sent]
}

fn drove(contract: &str, first: u64, count: u64, guid: u8) -> Block {
    let signature = "BusDriven(uint32,uint72,uint8,bytes32)";
    let values = data(&(n(30_184), n(first), n(count), hash(guid)));
    block(ARBITRUM, 2, 1_010, vec![event((1, 0), contract, signature, &[], values)])
}

/// A bus has one guid for all passengers: each arrives by the words of its own seat.
#[test]
fn who_rides_a_bus_of_stargate_arrives_in_the_own_seat_alone() {
    let seat = |ticket: u64| format!("stargate_bus:{ARBITRUM}:30184:{ticket}");
    let stranger = rode(1, STRANGER, 7, USDC, 4);
    assert_eq!(Orders::of([&block(ARBITRUM, 1, 1_000, stranger.to_vec())]).rows(), []);
    let queue =
        [rode(1, STARGATE_OF_ARBITRUM, 7, USDC, 4), rode(2, STARGATE_OF_ARBITRUM, 8, USDC, 5)];
    let queue = block(ARBITRUM, 1, 1_000, queue.concat());
    let orders = Orders::of([&queue, &drove(STRANGER, 7, 2, 0x58)]);
    let awaits = ((OrderState::Opened, false), ("OFTReceived", Some(BASE)));
    let open = orders.one(&seat(7));
    assert_eq!(((shown(&open), awaited(&open)), open.legs.len()), (awaits, 1));
    orders.put(&drove(STARGATE_OF_ARBITRUM, 7, 2, 0x58));
    let driven = orders.one(&seat(8));
    assert_eq!(((shown(&driven), awaited(&driven)), driven.legs.len()), (awaits, 2));
    let arrived = |number: u64, contract, to| {
        block(BASE, number, 1_020, vec![oft_received(contract, id(0x58).0, 30_110, to)])
    };
    // the words of a seat, in another asset
    orders.put(&arrived(3, STARGATE_ETHER_OF_BASE, 5));
    orders.put(&arrived(4, STARGATE_USDC_OF_BASE, 4));
    let shown_of = |ticket| shown(&orders.one(&seat(ticket)));
    assert_eq!(
        (shown_of(7), shown_of(8)),
        ((OrderState::Filled, true), (OrderState::Opened, false))
    );
    let values = (hash(0x58), n(1), n(30_110), who(5), n(99), Bytes::new());
    let signature = "UnreceivedTokenCached(bytes32,uint8,uint32,address,uint256,bytes)";
    let cached = event((2, 0), STARGATE_USDC_OF_BASE, signature, &[], data(&values));
    orders.put(&block(BASE, 5, 1_030, vec![cached]));
    let failed = orders.one(&seat(8));
    assert_eq!((shown(&failed), stuck(&failed)), ((OrderState::Opened, false), "execution_failed"));
    let last = arrived(6, STARGATE_USDC_OF_BASE, 5);
    orders.put(&last);
    assert_eq!(
        (shown_of(7), shown_of(8)),
        ((OrderState::Filled, true), (OrderState::Filled, true))
    );
    assert_eq!(steps(&orders, &last), [(seat(8), "filled", None)]);
    let bus = orders.one(&id(0x58).1);
    assert_eq!((bus.is_terminal, stuck(&bus)), (false, "fills_disagree"));
}

#[test]
fn a_well_known_token_of_layerzero_arrives_in_itself_alone() {
    let (guid, name) = id(0x59);
    let sent = |contract| block(ETHEREUM, 1, 1_000, vec![oft_sent(contract, guid, 30_111)]);
    let received =
        |contract| block(OPTIMISM, 2, 1_010, vec![oft_received(contract, guid, 30_101, 4)]);
    assert_eq!(Orders::of([&sent(STRANGER), &received(STRANGER)]).rows(), []);
    let own = Orders::of([&sent(USDT0_OF_ETHEREUM), &received(USDT0_OF_OPTIMISM)]).one(&name);
    assert_eq!((shown(&own), own.origin), ((OrderState::Filled, true), Some(ETHEREUM)));
    let other = Orders::of([&sent(USDT0_OF_ETHEREUM), &received(WEETH_OF_OPTIMISM)]).all(&name);
    assert!(other.iter().any(|order| order.state == OrderState::Opened), "{other:#?}");
}

// -- CCIP --------------------------------------------------------------------------------------------------------

#[test]
fn a_message_of_ccip_says_which_tokens_it_moves() {
    let message = |tokens: Vec<(Address, U256)>| {
        let zero = Address::ZERO;
        let message = (
            n(1),
            zero,
            zero,
            n(5),
            n(0),
            false,
            n(0),
            zero,
            n(3),
            Bytes::new(),
            tokens,
            Vec::<Bytes>::new(),
            hash(0x5a),
        );
        let signature = "CCIPSendRequested((uint64,address,address,uint64,uint256,bool,uint64,address,uint256,bytes,(address,uint256)[],bytes[],bytes32))";
        let sent = event((1, 0), CCIP_OF_ARBITRUM, signature, &[], data(&(message,)));
        Orders::of([&block(ARBITRUM, 1, 1_000, vec![sent])]).one(&id(0x5a).1)
    };
    let two = message(vec![(Address::repeat_byte(1), n(40)), (Address::repeat_byte(2), n(50))]);
    assert_eq!((amount(&two, "amount"), amount(&two, "second_amount")), ("40".into(), "50".into()));
    let none = message(Vec::new());
    assert_eq!((amount(&none, "amount"), amount(&none, "fee")), (String::new(), "3".into()));
}

/// Since 1.6 a chain has one contract for all others.
#[test]
fn a_message_of_ccip_is_executed_or_tried_again() {
    const BASE_SELECTOR: u64 = 15_971_525_489_660_198_786;
    const ARBITRUM_SELECTOR: u64 = 4_949_039_107_694_359_620;
    let (message, name) = id(0x5b);
    let header = (hash(0x5b), n(ARBITRUM_SELECTOR), n(BASE_SELECTOR), n(5), n(0));
    let (none, zero) = (Bytes::new(), Address::ZERO);
    let moved = vec![(zero, none.clone(), none.clone(), n(40), none.clone())];
    let bytes = (none.clone(), none.clone(), none.clone());
    let body = (header, zero, bytes.0, bytes.1, bytes.2, zero, n(3), n(0), moved);
    let signature = "CCIPMessageSent(uint64,uint64,((bytes32,uint64,uint64,uint64,uint64),address,bytes,bytes,bytes,address,uint256,uint256,(address,bytes,bytes,uint256,bytes)[]))";
    let topics = [n(BASE_SELECTOR), n(5)];
    let sent = event((1, 0), CCIP_RAMP_OF_ARBITRUM, signature, &topics, data(&(body,)));
    let sent = block(ARBITRUM, 1, 1_000, vec![sent]);
    let executed = |chain, number, contract: &str, state: u64| {
        let signature = "ExecutionStateChanged(uint64,uint64,bytes32,bytes32,uint8,bytes,uint256)";
        let topics = [n(ARBITRUM_SELECTOR), n(5), message];
        let values = data(&(hash(1), n(state), none.clone(), n(9)));
        block(chain, number, 1_010, vec![event((2, 0), contract, signature, &topics, values)])
    };
    let open = Orders::of([&sent]).one(&name);
    let awaits = ("ExecutionStateChanged", Some(BASE));
    assert_eq!((shown(&open), awaited(&open)), ((OrderState::Opened, false), awaits));
    assert_eq!((amount(&open, "amount"), amount(&open, "fee")), ("40".into(), "3".into()));
    let others = [executed(BASE, 2, STRANGER, 2), executed(OPTIMISM, 2, CCIP_RAMP_OF_OPTIMISM, 2)];
    for other in &others {
        assert_eq!(Orders::of([&sent, other]).one(&name).state, OrderState::Opened);
    }
    let orders = Orders::of([&sent, &executed(BASE, 2, CCIP_RAMP_OF_BASE, 3)]);
    let failed = orders.one(&name);
    assert_eq!((shown(&failed), stuck(&failed)), ((OrderState::Opened, false), "execution_failed"));
    orders.put(&executed(BASE, 3, CCIP_RAMP_OF_BASE, 2));
    assert_eq!(shown(&orders.one(&name)), (OrderState::Filled, true));
}

/// Since 2.0 the event names the message and its chain, and packs the rest.
#[test]
fn a_message_of_the_newest_ccip_is_executed_or_tried_again() {
    const RAMP_OF_ETHEREUM: &str = "0x2613cc57f3ac4a054d79a04618fb62589b8a4b26";
    const RAMP_OF_ARBITRUM: &str = "0xd4ad79ed3372460f1e63feb8fc41c3b757198c6e";
    const ETHEREUM_SELECTOR: u64 = 5_009_297_550_715_157_269;
    const ARBITRUM_SELECTOR: u64 = 4_949_039_107_694_359_620;
    let (message, name) = id(0x5c);
    let signature = "CCIPMessageSent(uint64,address,bytes32,address,uint256,bytes,(address,uint32,uint32,uint256,bytes)[],bytes[])";
    let receipts = vec![(Address::ZERO, n(1), n(2), n(3), Bytes::new())];
    let values = (Address::ZERO, n(40), Bytes::from(vec![1; 79]), receipts, Vec::<Bytes>::new());
    let topics = [n(ARBITRUM_SELECTOR), word(who(1)), message];
    let sent = event((1, 0), RAMP_OF_ETHEREUM, signature, &topics, data(&values));
    let sent = block(ETHEREUM, 1, 1_000, vec![sent]);
    let executed = |number, contract: &str, state: u64| {
        let signature = "ExecutionStateChanged(uint64,uint64,bytes32,uint8,bytes)";
        let topics = [n(ETHEREUM_SELECTOR), n(5), message];
        let values = data(&(n(state), Bytes::new()));
        let executed = event((2, 0), contract, signature, &topics, values);
        block(ARBITRUM, number, 1_010, vec![executed])
    };
    let open = Orders::of([&sent]).one(&name);
    let awaits = ("ExecutionStateChanged", Some(ARBITRUM));
    assert_eq!((shown(&open), awaited(&open)), ((OrderState::Opened, false), awaits));
    assert_eq!(amount(&open, "amount"), "40");
    assert_eq!(Orders::of([&sent, &executed(2, STRANGER, 2)]).one(&name).state, OrderState::Opened);
    let orders = Orders::of([&sent, &executed(2, RAMP_OF_ARBITRUM, 3)]);
    let failed = orders.one(&name);
    assert_eq!((shown(&failed), stuck(&failed)), ((OrderState::Opened, false), "execution_failed"));
    orders.put(&executed(3, RAMP_OF_ARBITRUM, 2));
    assert_eq!(shown(&orders.one(&name)), (OrderState::Filled, true));
}

// -- OP stack ----------------------------------------------------------------------------------------------------

const MESSENGER_OF_OPTIMISM: &str = "0x4200000000000000000000000000000000000007";
const MESSENGER_OF_ETHEREUM: &str = "0x25ace71c97b33cc4729cf772ae268934f7ab5fa1";
const BRIDGE_OF_OPTIMISM: Address =
    alloy_primitives::address!("4200000000000000000000000000000000000010");

/// Selector and arguments, as Solidity encodes a call.
fn encode_call<T: alloy_sol_types::SolValue>(signature: &str, values: &T) -> Bytes
where
    for<'a> <T::SolType as alloy_sol_types::SolType>::Token<'a>: alloy_sol_types::abi::TokenSeq<'a>,
{
    [&keccak256(signature)[..4], &data(values)].concat().into()
}

/// A withdrawal from before Bedrock has a hash of version 0 if relayed before, of version 1 if relayed after it: with
/// the ether of the standard bridge, and no gas limit.
#[test]
fn a_message_from_before_bedrock_is_relayed_by_either_hash() {
    let signature = "SentMessage(address,address,bytes,uint256,uint256)";
    let amount = n(700);
    let bridged = encode_call(
        "finalizeETHWithdrawal(address,address,uint256,bytes)",
        &(Address::repeat_byte(1), Address::repeat_byte(2), amount, Bytes::from(vec![5])),
    );
    let target = Address::repeat_byte(9);
    let nonce = n(4_242);
    let senders = [(BRIDGE_OF_OPTIMISM, amount), (Address::repeat_byte(7), n(0))];
    for (sender, value) in senders {
        let values = (sender, bridged.clone(), nonce, n(200_000));
        let topics = [word(target.into_word())];
        let sent = event((1, 0), MESSENGER_OF_OPTIMISM, signature, &topics, data(&values));
        let sent = block(OPTIMISM, 1, 1_000, vec![sent]);
        let v0 = keccak256(encode_call(
            "relayMessage(address,address,bytes,uint256)",
            &(target, sender, bridged.clone(), nonce),
        ));
        let v1 = keccak256(encode_call(
            "relayMessage(uint256,address,address,uint256,uint256,bytes)",
            &(nonce, sender, target, value, n(0), bridged.clone()),
        ));
        let relayed = |event_name: &str, hash: B256, contract: &str| {
            let signature = format!("{event_name}(bytes32)");
            block(
                ETHEREUM,
                2,
                9_000,
                vec![event((2, 0), contract, &signature, &[word(hash)], vec![])],
            )
        };
        for name in [v0, v1] {
            let name = name.to_string();
            let open = Orders::of([&sent]).one(&name);
            assert_eq!(
                (open.id.as_str(), shown(&open)),
                (v0.to_string().as_str(), (OrderState::Opened, false))
            );
        }
        for hash in [v0, v1] {
            let done = relayed("RelayedMessage", hash, MESSENGER_OF_ETHEREUM);
            for blocks in [[&sent, &done], [&done, &sent]] {
                for name in [v0, v1] {
                    let settled = Orders::of(blocks).one(&name.to_string());
                    assert_eq!(settled.id, v0.to_string());
                    assert_eq!(shown(&settled), (OrderState::Settled, true));
                }
            }
        }
        let failed = relayed("FailedRelayedMessage", v1, MESSENGER_OF_ETHEREUM);
        let failed = Orders::of([&sent, &failed]).one(&v0.to_string());
        assert_eq!(shown(&failed), (OrderState::Opened, false));
        // another lane's messenger relays other messages
        let others = relayed("RelayedMessage", v1, "0x866e82a600a1414e583f7f13623f1ac5d58b0afa");
        assert_eq!(Orders::of([&sent, &others]).all(&v0.to_string())[0].state, OrderState::Opened);
    }
}
