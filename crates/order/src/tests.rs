//! What is stored, and how strictly data are read.

use alloy_primitives::{Address, U256};
use alloy_sol_types::SolValue;
use proptest::prelude::*;
use superroot_store::{WriteBatch, golden};
use superroot_types::{BlockNumber, ChainId, ChainKey, Family, Hash, UnixSeconds};

use crate::abi::{AbiValue, Declaration, at};
use crate::leg::{OrderToken, TokenAmount, leg_key};
use crate::{Leg, LegKind, LegPosition, ProtocolTable};

fn leg() -> Leg {
    Leg {
        place: LegPosition {
            chain: ChainKey { family: Family::Evm, id: ChainId(10) },
            number: BlockNumber(5),
            tx_index: 2,
            log_index: 3,
            part: 1,
        },
        kind: LegKind::Opened,
        protocol: 1,
        event: 5,
        lane: "eth".to_owned(),
        id: format!("0x{}", "ab".repeat(32)),
        at: UnixSeconds(7),
        tx_hash: Some(Hash([3; 32])),
        origin: Some(10),
        destination: Some(1),
        is_elsewhere: false,
        terms: Some([4; 16]),
        token_out: Some(Hash([5; 32])),
        deadline: Some(9),
        swap_deadline: None,
        is_partial: false,
        amounts: vec![
            TokenAmount {
                name: 0,
                value: U256::from(300),
                token: Some(OrderToken::Native),
                chain: Some(10),
            },
            TokenAmount {
                name: 1,
                value: U256::MAX,
                token: Some(OrderToken::Contract(Address::repeat_byte(6))),
                chain: None,
            },
        ],
        join: Some("join:1".to_owned()),
        deposit: Some("8".to_owned()),
        wrapper: None,
    }
}

/// What is stored is read by every later build.
#[test]
fn a_row_of_each_kind_has_the_pinned_bytes() {
    let mut rows = Vec::new();
    leg().put(ProtocolTable::builtin().protocol("across").unwrap(), &mut rows);
    let mut batch = WriteBatch::new();
    for (table, key, value) in rows {
        batch.put(table, key, value);
    }
    insta::assert_snapshot!(golden::lines(&batch).join("\n"));
}

#[test]
fn every_protocol_has_a_number_a_name_and_contracts_of_its_own() {
    let table = crate::ProtocolTable::builtin();
    assert_eq!(table.protocols.len(), 27);
    for protocol in &table.protocols {
        assert!(!protocol.chains.is_empty() && !protocol.events.is_empty(), "{}", protocol.name);
        let opens = protocol.events.iter().any(|event| event.kind == Some(LegKind::Opened));
        // what is signed off the chain is seen when it is filled
        assert!(opens != (protocol.name == "uniswapx"), "{} is never opened", protocol.name);
    }
}

#[test]
fn data_of_another_form_are_no_event() {
    let text = "Made(uint8 indexed a, (uint64 b, bytes c)[] d, address e)";
    let made = Declaration::parse(text).unwrap();
    let topics = [made.topic, Hash(U256::from(200).to_be_bytes::<32>())];
    let parts = vec![(U256::from(1), vec![7_u8; 3].into()), (U256::from(2), vec![8_u8; 40].into())];
    let parts: Vec<(U256, alloy_primitives::Bytes)> = parts;
    let data = (parts, Address::repeat_byte(1)).abi_encode_params();
    let values = made.decode(&topics, &data).unwrap();
    assert_eq!(at(&made.parameters, &values, "d.1.c"), Some(&AbiValue::Bytes(&[8; 40])));
    assert_eq!(at(&made.parameters, &values, "d.2.c"), None);
    assert!(made.decode(&topics[..1], &data).is_none(), "a topic is missing");
    assert!(made.decode(&[topics[0], topics[1], topics[1]], &data).is_none(), "one too many");
    let wide = [topics[0], Hash(U256::from(256).to_be_bytes::<32>())];
    assert!(made.decode(&wide, &data).is_none(), "no uint8");
    for end in 0..data.len() {
        assert!(made.decode(&topics, &data[..end]).is_none(), "cut at {end}");
    }
    // every element at one place: what it leads to would be larger than it is
    let mut aliased = vec![0; 32 * 4];
    aliased[31] = 64;
    aliased[32 * 2 + 31] = 2;
    assert!(made.decode(&topics, &aliased).is_none());
}

proptest! {
    #[test]
    fn a_leg_leads_back(bytes: Vec<u8>, number: u64, name in "[a-z0-9:]{0,40}", value: [u8; 32]) {
        let mut leg = leg();
        leg.place.number = BlockNumber(number);
        leg.id = name.clone();
        leg.wrapper = Some((17, name));
        leg.amounts[0].value = U256::from_be_bytes(value);
        let key = leg_key(&leg.place);
        prop_assert_eq!(Leg::decode(&key, &leg.encode()).unwrap(), leg);
        let _ = Leg::decode(&bytes, &bytes);
        let _ = Leg::decode(&key, &bytes);
    }
}
