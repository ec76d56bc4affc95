//! Laws of reading a ledger's own bytes: a header or a leaf has one form, and each error names the
//! field at fault.

use crate::world;

use superroot_proof::bundle::{BlockLevel, Bundle, Policy, ProofSubject, Statement, verify};
use superroot_proof::ledger::evm::*;
use superroot_proof::ledger::{self, Body, LedgerError, aptos};
use superroot_proof::registry::{HashRule, HashRuleFrom, LogRegistry, Profile};
use superroot_types::*;
use world::{integer, list, string};

/// The fields of a header of all forks, in order.
fn header_fields() -> Vec<(&'static str, Vec<u8>)> {
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
        ("mixHash", string(&[10; 32])),
        ("nonce", string(&[11; 8])),
        ("baseFeePerGas", integer(12)),
        ("withdrawalsRoot", string(&[13; 32])),
        ("blobGasUsed", integer(14)),
        ("excessBlobGas", integer(15)),
        ("parentBeaconBlockRoot", string(&[16; 32])),
        ("requestsHash", string(&[17; 32])),
        ("blockAccessListHash", string(&[18; 32])),
        ("slotNumber", integer(19)),
    ]
}

fn whole(fields: &[(&'static str, Vec<u8>)]) -> Vec<u8> {
    list(&fields.iter().map(|(_, field)| field.clone()).collect::<Vec<_>>())
}

fn header(fields: &[(&'static str, Vec<u8>)]) -> Result<Header, LedgerError> {
    Header::decode(Layout::Ethereum, &whole(fields))
}

fn field(field: &'static str) -> LedgerError {
    LedgerError::Field { field }
}

/// The field at fault, where the layout has no more to say than that.
fn named(error: &LedgerError) -> &'static str {
    match error {
        LedgerError::Field { field } => field,
        other => panic!("{other}"),
    }
}

#[test]
fn a_header_of_every_fork_reads_back() {
    let fields = header_fields();
    for count in 0..=24 {
        let mut some = fields.clone();
        some.push(("one too many", integer(1)));
        some.truncate(count);
        let read = header(&some);
        if !matches!(count, 15 | 16 | 17 | 20..=23) {
            let expected = "15, 16, 17, 20, 21, 22 or 23";
            assert_eq!(read, Err(LedgerError::FieldCount { got: count, expected }));
            continue;
        }
        let read = read.unwrap();
        assert_eq!((read.number, read.gas_limit, read.gas_used), (9, Some(u64::MAX), 0));
        assert_eq!((read.transactions_root, read.receipts_root), (Hash([5; 32]), Hash([6; 32])));
        assert_eq!((read.extra_data.as_slice(), read.nonce), (&b"extra"[..], Some([11; 8])));
        assert_eq!(read.base_fee_per_gas, (count > 15).then_some(12));
        assert_eq!(read.withdrawals_root, (count > 16).then_some(Hash([13; 32])));
        assert_eq!(read.blob_gas_used, (count > 17).then_some(14));
        assert_eq!(read.excess_blob_gas, (count > 17).then_some(15));
        assert_eq!(read.parent_beacon_block_root, (count > 17).then_some(Hash([16; 32])));
        assert_eq!(read.requests_hash, (count > 20).then_some(Hash([17; 32])));
        assert_eq!(read.block_access_list_hash, (count > 21).then_some(Hash([18; 32])));
        assert_eq!(read.slot_number, (count > 22).then_some(19));
    }
}

#[test]
fn each_malformed_field_of_a_header_is_named() {
    let fields = header_fields();
    for (at, (name, good)) in fields.iter().enumerate() {
        let is_number = matches!(
            *name,
            "difficulty" | "number" | "gasLimit" | "gasUsed" | "timestamp" | "baseFeePerGas"
        ) || matches!(*name, "blobGasUsed" | "excessBlobGas" | "slotNumber");
        let mut bad = vec![list(&[]), list(std::slice::from_ref(good))];
        if is_number {
            let bytes_max = if *name == "difficulty" { 32 } else { 8 };
            bad.push(string(&vec![1; bytes_max + 1]));
            // a leading zero, alone and before a digit
            bad.extend([string(&[0]), string(&[0, 1])]);
        } else if *name != "extraData" {
            let length = match *name {
                "miner" => 20,
                "logsBloom" => 256,
                "nonce" => 8,
                _ => 32,
            };
            bad.extend([string(&vec![1; length - 1]), string(&vec![1; length + 1]), string(&[])]);
        }
        for bytes in bad {
            let mut bent = fields.clone();
            bent[at].1 = bytes;
            assert_eq!(named(&header(&bent).unwrap_err()), *name);
        }
    }
}

#[test]
fn a_header_is_one_canonical_list_and_nothing_after_it() {
    let good = whole(&header_fields());
    let decode = |bytes: &[u8]| Header::decode(Layout::Ethereum, bytes);
    assert!(decode(&good).is_ok());
    let longer = [good.as_slice(), &[0x80]].concat();
    assert_eq!(decode(&longer), Err(LedgerError::Trailing { what: "header" }));
    for length in 0..good.len() {
        assert_eq!(decode(&good[..length]), Err(field("header")), "{length}");
    }
    assert_eq!(decode(&string(&good)), Err(field("header")));
    // a length written longer than it must be, of the list and of a field
    let [0xf9, high, low, ..] = good[..] else { panic!("a list of two length bytes") };
    let padded = [&[0xfa, 0, high, low], &good[3..]].concat();
    assert_eq!(decode(&padded), Err(field("header")));
    let mut fields = header_fields();
    fields[8].1 = vec![0x81, 9];
    assert!(header(&fields).is_err(), "a byte below 0x80 is its own encoding");
    fields[8].1 = vec![0xb8, 1, 9];
    assert!(header(&fields).is_err());
    // lengths that promise more than there is, up to 2^64 - 1
    for promise in [&[0xf8, 0xff][..], &[0xfb, 0xff, 0xff, 0xff, 0xff], &[0xff; 9], &[0xbf; 9]] {
        assert_eq!(decode(promise), Err(field("header")));
    }
}

#[test]
fn a_rule_without_a_reader_reads_nothing_and_hashes_nothing() {
    let good = whole(&header_fields());
    let rule = HashRule::Withdrawn;
    let refused = LedgerError::Rule { code: rule.code() };
    assert_eq!(ledger::Header::decode(rule, &good), Err(refused.clone()));
    assert_eq!(ledger::block_hash(rule, &good), Err(refused));
}

/// A receipt as it is decoded; checking alone says the same of it.
fn decode(leaf: &[u8]) -> Result<Receipt, LedgerError> {
    let decoded = Receipt::decode(leaf);
    let checked = Receipt::check(leaf, &mut RememberedBits::new());
    match (&decoded, checked) {
        (Ok(decoded), Ok(head)) => {
            assert_eq!(head.tx_type, decoded.tx_type);
            assert_eq!(head.cumulative_gas_used, decoded.cumulative_gas_used);
            assert_eq!(head.logs_bloom, decoded.logs_bloom);
        }
        (decoded, checked) => {
            assert_eq!(decoded.as_ref().err(), checked.err().as_ref(), "of {leaf:?}");
        }
    }
    decoded
}

/// One log, and a bloom that fits it.
fn a_log() -> (Log, Bloom) {
    let log = Log { address: Address([1; 20]), topics: vec![Hash([2; 32])], data: vec![3; 5] };
    let mut bloom = Bloom::ZERO;
    bloom.insert_log(&log);
    (log, bloom)
}

fn log_item(address: &[u8], topics: &[Vec<u8>], data: Vec<u8>) -> Vec<u8> {
    list(&[string(address), list(topics), data])
}

fn good_log() -> Vec<u8> {
    log_item(&[1; 20], &[string(&[2; 32])], string(&[3; 5]))
}

fn receipt_fields() -> Vec<Vec<u8>> {
    let (_, bloom) = a_log();
    vec![integer(1), integer(21_000), string(&bloom.0), list(&[good_log()])]
}

fn bent_receipt(at: usize, bytes: Vec<u8>) -> LedgerError {
    let mut fields = receipt_fields();
    fields[at] = bytes;
    decode(&list(&fields)).unwrap_err()
}

#[test]
fn receipts_of_every_form_read_back() {
    let (log, bloom) = a_log();
    for (status, outcome) in [
        (integer(0), ReceiptStatus::Status(false)),
        (integer(1), ReceiptStatus::Status(true)),
        (string(&[9; 32]), ReceiptStatus::StateRoot(Hash([9; 32]))),
    ] {
        for tx_type in [0, 1, 2, 0x7e, 0x7f] {
            let mut fields = receipt_fields();
            fields[0] = status.clone();
            let payload = list(&fields);
            let leaf = if tx_type == 0 { payload } else { [&[tx_type], &payload[..]].concat() };
            let read = decode(&leaf).unwrap();
            assert_eq!((read.tx_type, read.outcome), (tx_type, outcome));
            assert_eq!((&read.logs[..], &read.logs_bloom), (&[log.clone()][..], &bloom));
            assert_eq!(read.cumulative_gas_used, 21_000);
        }
    }
}

#[test]
fn each_malformed_field_of_a_receipt_is_named() {
    for status in [integer(2), string(&[0]), string(&[1; 31]), string(&[1; 33]), list(&[])] {
        assert_eq!(bent_receipt(0, status), field("status"));
    }
    for gas in [string(&[1; 9]), string(&[0, 1]), string(&[0]), list(&[])] {
        assert_eq!(bent_receipt(1, gas), field("cumulativeGasUsed"));
    }
    for bloom in [string(&[0; 255]), string(&[0; 257]), string(&[]), list(&[])] {
        assert_eq!(bent_receipt(2, bloom), field("logsBloom"));
    }
    assert_eq!(bent_receipt(3, string(&[1, 2])), field("logs"));
    assert_eq!(bent_receipt(3, list(&[string(&[1, 2])])), field("log"));
    let log = |item: Vec<u8>| bent_receipt(3, list(&[item]));
    for length in [0, 19, 21] {
        assert_eq!(log(log_item(&vec![1; length], &[], string(&[]))), field("address"));
    }
    for length in [0, 31, 33] {
        let topics = [string(&vec![2; length])];
        assert_eq!(log(log_item(&[1; 20], &topics, string(&[]))), field("topic"));
    }
    let five = vec![string(&[2; 32]); TOPICS_MAX + 1];
    assert_eq!(log(log_item(&[1; 20], &five, string(&[]))), field("topics"));
    let flat = list(&[string(&[1; 20]), string(&[2; 32]), string(&[])]);
    assert_eq!(log(flat), field("topics"));
    assert_eq!(log(log_item(&[1; 20], &[], list(&[]))), field("data"));
    let longer = list(&[string(&[1; 20]), list(&[]), string(&[]), string(&[])]);
    assert_eq!(log(longer), LedgerError::Trailing { what: "log" });
}

#[test]
fn a_receipt_is_one_list_and_nothing_after_it() {
    let good = list(&receipt_fields());
    assert!(decode(&good).is_ok());
    let trailing = LedgerError::Trailing { what: "receipt" };
    for typed in [false, true] {
        let leaf = if typed { [&[2], &good[..]].concat() } else { good.clone() };
        let longer = [leaf.as_slice(), &[0x80]].concat();
        assert_eq!(decode(&longer), Err(trailing.clone()));
        for length in 0..leaf.len() {
            assert!(decode(&leaf[..length]).is_err(), "{length}");
        }
    }
    let mut five = receipt_fields();
    five.push(integer(1));
    assert_eq!(decode(&list(&five)), Err(trailing));
    for (count, name) in ["status", "cumulativeGasUsed", "logsBloom", "logs"].iter().enumerate() {
        let error = decode(&list(&receipt_fields()[..count])).unwrap_err();
        assert_eq!(named(&error), *name);
    }
    // type 0 is written without its byte, and a type is below 0x80
    assert_eq!(decode(&[&[0], &good[..]].concat()), Err(field("type")));
    assert_eq!(decode(&[]), Err(field("type")));
    assert_eq!(
        decode(&[&[0x80], &good[..]].concat()),
        Err(LedgerError::Trailing { what: "receipt" })
    );
}

#[test]
fn a_bloom_that_is_not_its_logs_is_refused() {
    let differs = LedgerError::Bloom { whose: "receipt's" };
    let (_, bloom) = a_log();
    for bit in [0, 1, 1_000, 2_047] {
        let mut bent = bloom.clone();
        bent.0[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(bent_receipt(2, string(&bent.0)), differs, "{bit}");
    }
    assert_eq!(bent_receipt(3, list(&[])), differs);
    let other = log_item(&[1; 20], &[string(&[9; 32])], string(&[]));
    assert_eq!(bent_receipt(3, list(&[other])), differs);
}

/// What one receipt left behind must not change what is said of the next.
#[test]
fn what_is_remembered_changes_no_verdict() {
    let mut remembered = RememberedBits::new();
    for round in 0..3_u8 {
        for address in 0..=255_u8 {
            let topics = [Hash([address / 3; 32]), Hash([round; 32])];
            let log = Log { address: Address([address; 20]), topics: topics.into(), data: vec![] };
            let mut bloom = Bloom::ZERO;
            bloom.insert_log(&log);
            let topics: Vec<Vec<u8>> = topics.iter().map(|topic| string(&topic.0)).collect();
            let logs = list(&[log_item(&log.address.0, &topics, string(&[]))]);
            let leaf = |bloom: &Bloom| {
                list(&[integer(1), integer(21_000), string(&bloom.0), logs.clone()])
            };
            let head = Receipt::check(&leaf(&bloom), &mut remembered).unwrap();
            assert_eq!(head.logs_bloom, bloom);
            bloom.0[usize::from(address)] ^= 1 << (address % 8);
            let error = Receipt::check(&leaf(&bloom), &mut remembered).unwrap_err();
            assert_eq!(error, LedgerError::Bloom { whose: "receipt's" });
        }
    }
}

/// What a ledger's proofs do not bind stands in no statement, whatever the file says.
#[test]
fn a_statement_has_only_the_positions_that_its_ledger_binds() {
    let log = ProofSubject::Log { tx_index: 3, log_index: 7 };
    let transaction = ProofSubject::Transaction { tx_index: 3 };
    for family in Family::ALL {
        let positions = |subject| {
            let chain = ChainKey { family, id: ChainId(1) };
            let statement = Statement { chain, number: BlockNumber(1), subject };
            (statement.tx_index(), statement.log_index())
        };
        let (of_transaction, of_log) = match family {
            Family::Solana => ((None, None), (None, None)),
            Family::Aptos => ((None, None), (None, Some(7))),
            Family::Polkadot => ((Some(3), None), (None, None)),
            Family::Evm
            | Family::Bitcoin
            | Family::Tron
            | Family::Sui
            | Family::Icp
            | Family::Cosmos => ((Some(3), None), (Some(3), Some(7))),
        };
        assert_eq!(positions(transaction), of_transaction, "{family}");
        assert_eq!(positions(log), of_log, "{family}");
        assert_eq!(positions(ProofSubject::Block), (None, None), "{family}");
    }
}

/// The root after a block holds the versions of all blocks before.
#[test]
fn a_version_of_an_earlier_block_of_aptos_is_in_the_chain_by_the_block() {
    let chain = ChainKey { family: Family::Aptos, id: ChainId(637) };
    let rules = vec![HashRuleFrom { from_number: 0, code: 0x0501 }];
    let rows = vec![Profile { chain, caip2: "aptos:1".to_owned(), rules }];
    let registry = LogRegistry::new(rows).unwrap();
    let info = |version: u8| {
        let (event_root, state_checkpoint_hash) = (aptos::PLACEHOLDER, None);
        let (status, auxiliary_hash) = (aptos::ExecutionStatus::Success, None);
        let (transaction_hash, state_change_hash) = (Hash([version; 32]), Hash([9; 32]));
        aptos::Info {
            gas_used: 5,
            status,
            transaction_hash,
            event_root,
            state_change_hash,
            state_checkpoint_hash,
            auxiliary_hash,
        }
        .encode()
    };
    // versions 0 to 2 are those of the block before, 3 and 4 those of the block
    let infos: Vec<Vec<u8>> = (0..5).map(info).collect();
    let both = aptos::AptosVersions::build(aptos::Frozen::empty(), infos, vec![None; 5]).unwrap();
    let root = both.roots().0;
    for version in 0..5 {
        let subject = ProofSubject::Transaction { tx_index: version };
        let entry = Body::Aptos(both.clone()).prove(subject, true).unwrap();
        let statement = Statement { chain, number: BlockNumber(9699), subject };
        let block = BlockLevel { header: root.0.to_vec(), block_hash: root, twig: None };
        let origin = "example.org/log".to_owned();
        let mut bundle = Bundle { origin, statement, entry, block: Some(block) };
        for tx_index in [version, 3, u32::MAX] {
            bundle.statement.subject = ProofSubject::Transaction { tx_index };
            let facts = verify(&bundle, &Policy::strict(&registry)).unwrap();
            assert!(!facts.block_bound && !facts.index_bound && !facts.number_bound);
            assert_eq!((facts.statement.tx_index(), bundle.shows_block()), (None, false));
            assert_eq!(facts.transaction.as_ref().unwrap().hash, Hash([version as u8; 32]));
        }
    }
}
