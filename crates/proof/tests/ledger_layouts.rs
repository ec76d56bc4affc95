//! Headers of the rules that are not Ethereum's, and receipts with fields behind their logs: each
//! layout has its numbers of fields, its names, one form.

use crate::world;

use superroot_proof::bundle::*;
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::LedgerError;
use superroot_proof::ledger::evm::Layout;
use superroot_proof::ledger::evm::*;
use superroot_proof::mpt::OrderedTrie;
use superroot_proof::registry::{HashRule, HashRuleFrom, LogRegistry, Profile};
use superroot_types::*;
use world::{integer, list, string};

type Named = (&'static str, Vec<u8>);

fn first_13() -> Vec<Named> {
    vec![
        ("parentHash", string(&[1; 32])),
        ("sha3Uncles", string(&[2; 32])),
        ("miner", string(&[3; 20])),
        ("stateRoot", string(&[4; 32])),
        ("transactionsRoot", string(&[5; 32])),
        ("receiptsRoot", string(&[6; 32])),
        ("logsBloom", string(&[7; 256])),
        ("difficulty", string(&[8; 32])),
        ("number", integer(9)),
        ("gasLimit", integer(u64::MAX)),
        ("gasUsed", integer(0)),
        ("timestamp", integer(1_700_000_000)),
        ("extraData", string(b"extra")),
    ]
}

fn with(mut fields: Vec<Named>, more: impl IntoIterator<Item = Named>) -> Vec<Named> {
    fields.extend(more);
    fields
}

fn pow_seal() -> [Named; 2] {
    [("mixHash", string(&[10; 32])), ("nonce", string(&[11; 8]))]
}

fn cancun() -> [Named; 3] {
    [
        ("blobGasUsed", integer(14)),
        ("excessBlobGas", integer(15)),
        ("parentBeaconBlockRoot", string(&[16; 32])),
    ]
}

/// Every layout with the fields of its longest header and the numbers of fields it may have.
fn layouts() -> Vec<(Layout, Vec<Named>, &'static [usize])> {
    let base_fee = || ("baseFeePerGas", integer(12));
    let aura = [("step", integer(10)), ("signature", string(&[11; 65])), base_fee()];
    let gingerbread = with(with(first_13(), pow_seal()), [base_fee()]);
    let celo: Vec<Named> = first_13()
        .into_iter()
        .filter(|(name, _)| !matches!(*name, "sha3Uncles" | "difficulty" | "gasLimit"))
        .collect();
    let avalanche = with(
        with(first_13(), pow_seal()),
        [
            ("extDataHash", string(&[12; 32])),
            base_fee(),
            ("extDataGasUsed", integer(17)),
            ("blockGasCost", integer(18)),
        ],
    );
    let avalanche = with(
        with(avalanche, cancun()),
        [
            ("timestampMilliseconds", integer(19)),
            ("minDelayExcess", integer(20)),
            ("targetExponent", integer(21)),
            ("minPriceExponent", integer(22)),
            ("settledHeight", integer(23)),
            ("settledGasUnix", integer(24)),
            ("settledGasNumerator", integer(25)),
            ("settledExcess", integer(26)),
        ],
    );
    let sonic = with(
        with(first_13(), pow_seal()),
        [
            base_fee(),
            ("withdrawalsRoot", string(&[13; 32])),
            ("blobGasUsed", integer(14)),
            ("excessBlobGas", integer(15)),
        ],
    );
    vec![
        (Layout::Aura, with(first_13(), aura), &[15, 16]),
        (Layout::CeloL1, celo, &[10]),
        (Layout::CeloGingerbread, gingerbread, &[15, 16]),
        (Layout::Avalanche, avalanche, &[16, 17, 19, 22, 24, 26, 30]),
        (Layout::Sonic, sonic, &[19]),
    ]
}

fn decode(layout: Layout, fields: &[Named]) -> Result<Header, LedgerError> {
    let fields: Vec<Vec<u8>> = fields.iter().map(|(_, field)| field.clone()).collect();
    Header::decode(layout, &list(&fields))
}

#[test]
fn each_layout_has_its_numbers_of_fields_and_no_other() {
    for (layout, fields, counts) in layouts() {
        for count in 0..=fields.len() + 1 {
            let mut some = with(fields.clone(), [("one too many", integer(1))]);
            some.truncate(count);
            match decode(layout, &some) {
                Ok(header) => {
                    assert!(counts.contains(&count), "{layout:?} of {count}");
                    assert_eq!((header.number, header.timestamp), (9, 1_700_000_000));
                    let roots = (header.transactions_root, header.receipts_root);
                    assert_eq!(roots, (Hash([5; 32]), Hash([6; 32])));
                }
                Err(LedgerError::FieldCount { got, expected }) => {
                    assert_eq!(got, count);
                    assert!(!counts.contains(&count), "{layout:?} of {count}");
                    let named: Vec<&str> = expected.split(&[' ', ','][..]).collect();
                    assert!(counts.iter().all(|count| named.contains(&&*count.to_string())));
                }
                Err(other) => panic!("{layout:?} of {count}: {other}"),
            }
        }
    }
}

#[test]
fn what_a_rule_adds_is_read_and_what_it_lacks_is_none() {
    let read = |layout| {
        let (_, fields, _) = layouts().into_iter().find(|(other, ..)| *other == layout).unwrap();
        decode(layout, &fields).unwrap()
    };
    let aura = read(Layout::Aura);
    let seal = aura.aura_seal.unwrap();
    assert_eq!((seal.step, seal.signature, aura.mix_hash, aura.nonce), (10, [11; 65], None, None));
    let celo = read(Layout::CeloL1);
    assert_eq!((celo.ommers_hash, celo.difficulty, celo.gas_limit), (None, None, None));
    assert_eq!((celo.mix_hash, celo.base_fee_per_gas), (None, None));
    let gingerbread = read(Layout::CeloGingerbread);
    assert_eq!((gingerbread.gas_limit, gingerbread.base_fee_per_gas), (Some(u64::MAX), Some(12)));
    let sonic = read(Layout::Sonic);
    assert_eq!((sonic.excess_blob_gas, sonic.parent_beacon_block_root), (Some(15), None));
    let header = read(Layout::Avalanche);
    assert!(header.settles_other_blocks());
    let more = header.avalanche.unwrap();
    assert_eq!(more.ext_data_hash, Some(Hash([12; 32])));
    assert_eq!((more.ext_data_gas_used, more.block_gas_cost), (Some(17), Some(18)));
    assert_eq!((more.timestamp_milliseconds, more.min_delay_excess), (Some(19), Some(20)));
    assert_eq!((more.target_exponent, more.min_price_exponent), (Some(21), Some(22)));
    let settled = more.settled.unwrap();
    assert_eq!((settled.height, settled.gas_unix), (23, 24));
    assert_eq!((settled.gas_numerator, settled.excess), (25, 26));
}

#[test]
fn each_malformed_field_of_each_layout_is_named() {
    for (layout, fields, _) in layouts() {
        for (at, (name, good)) in fields.iter().enumerate() {
            // a list, a list around it, and of what is no free text: a byte too many
            let mut bad = vec![list(&[]), list(std::slice::from_ref(good))];
            if *name != "extraData" {
                bad.push(string(&[1; 300]));
                bad.push(string(&[0, 0]));
            }
            for bytes in bad {
                let mut bent = fields.clone();
                bent[at].1 = bytes;
                let error = decode(layout, &bent).unwrap_err();
                assert_eq!(error, LedgerError::Field { field: name }, "{layout:?}");
            }
        }
    }
}

#[test]
fn every_bit_of_a_header_reads_differently_or_not_at_all() {
    for (layout, fields, _) in layouts() {
        let fields: Vec<Vec<u8>> = fields.into_iter().map(|(_, field)| field).collect();
        let mut bytes = list(&fields);
        let good = Header::decode(layout, &bytes).unwrap();
        for bit in 0..bytes.len() * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            let read = Header::decode(layout, &bytes);
            assert_ne!(read.as_ref(), Ok(&good), "{layout:?} bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        for length in 0..bytes.len() {
            assert!(Header::decode(layout, &bytes[..length]).is_err());
        }
        let longer = [&bytes[..], &[0x80]].concat();
        assert_eq!(Header::decode(layout, &longer), Err(LedgerError::Trailing { what: "header" }));
    }
}

fn receipt(tx_type: u8, more: &[Vec<u8>]) -> Result<Receipt, LedgerError> {
    let four = [integer(1), integer(21_000), string(&[0; 256]), list(&[])];
    let payload = list(&[&four[..], more].concat());
    let leaf = if tx_type == 0 { payload } else { [&[tx_type], &payload[..]].concat() };
    Receipt::decode(&leaf)
}

#[test]
fn receipts_of_deposits_and_fee_currencies_carry_more() {
    let plain = receipt(0x7e, &[]).unwrap();
    assert_eq!((plain.deposit, plain.fee_currency_base_fee), (None, None));
    let canyon = receipt(0x7e, &[integer(5), integer(1)]).unwrap();
    assert_eq!(canyon.deposit, Some(Deposit { nonce: 5, version: 1 }));
    assert_eq!(receipt(0x7b, &[]).unwrap().fee_currency_base_fee, None);
    let fee = receipt(0x7b, &[integer(7)]).unwrap().fee_currency_base_fee.unwrap();
    assert_eq!((fee[31], fee[..31].iter().max()), (7, Some(&0)));
    assert!(receipt(0x7b, &[string(&[0xff; 32])]).is_ok());
}

#[test]
fn no_other_receipt_has_fields_behind_its_logs() {
    let trailing = Err(LedgerError::Trailing { what: "receipt" });
    for tx_type in (0..0x80).filter(|tx_type| !matches!(tx_type, 0x7b | 0x7e)) {
        assert_eq!(receipt(tx_type, &[integer(1)]), trailing, "{tx_type:#x}");
        assert_eq!(receipt(tx_type, &[integer(1), integer(1)]), trailing);
    }
    assert_eq!(receipt(0x7e, &[integer(1), integer(1), integer(1)]), trailing);
    assert_eq!(receipt(0x7b, &[integer(1), integer(1)]), trailing);
    let field = |field| Err(LedgerError::Field { field });
    assert_eq!(receipt(0x7e, &[integer(1)]), field("depositReceiptVersion"));
    for bad in [list(&[]), string(&[0]), string(&[1; 9])] {
        assert_eq!(receipt(0x7e, &[bad.clone(), integer(1)]), field("depositNonce"));
        assert_eq!(receipt(0x7e, &[integer(1), bad]), field("depositReceiptVersion"));
    }
    for bad in [list(&[]), string(&[0]), string(&[1; 33])] {
        assert_eq!(receipt(0x7b, &[bad]), field("baseFee"));
    }
}

/// A header that settles other blocks names their receipts: nothing shown under that root is this
/// block's.
#[test]
fn a_receipt_under_a_header_that_settles_other_blocks_is_refused() {
    let chain = ChainKey { family: Family::Evm, id: ChainId(43114) };
    let rules =
        vec![HashRuleFrom { from_number: 0, code: HashRule::Evm(Layout::Avalanche).code() }];
    let profile = Profile { chain, caip2: "eip155:43114".into(), rules };
    let registry = LogRegistry::new(vec![profile]).unwrap();
    let trie = OrderedTrie::build(&[world::receipt(9, 0, 1)]);
    let (_, mut fields, _) =
        layouts().into_iter().find(|(layout, ..)| *layout == Layout::Avalanche).unwrap();
    for (name, bytes) in &mut fields {
        match *name {
            "receiptsRoot" => *bytes = string(&trie.root().0),
            "logsBloom" => *bytes = string(&[0xff; 256]),
            _ => {}
        }
    }
    for count in [24, 30] {
        let header: Vec<Vec<u8>> =
            fields.iter().take(count).map(|(_, field)| field.clone()).collect();
        let header = list(&header);
        let block_hash = keccak256(&header);
        let bundle = Bundle {
            origin: world::ORIGIN.into(),
            statement: Statement {
                chain,
                number: BlockNumber(9),
                subject: ProofSubject::Log { tx_index: 0, log_index: 0 },
            },
            entry: Some(EntryProof::Evm(TrieProofs {
                transaction: None,
                receipt: Some(trie.prove(0).unwrap()),
            })),
            block: Some(BlockLevel { header, block_hash, twig: None }),
        };
        let verified = verify(&bundle, &Policy::strict(&registry));
        if count == 24 {
            verified.unwrap();
        } else {
            let error = verified.unwrap_err().to_string();
            assert!(error.contains("of the blocks it settles"), "{error}");
        }
    }
}
