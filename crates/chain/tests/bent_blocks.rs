//! A small made-up block with a transaction and a receipt of every type, and one bend in each test:
//! what is refused, and under which name. No recordings are needed.

use alloy_primitives::{B64, Bloom, Bytes, U256};
use superroot_chain::ledger::evm::raw::{
    RawAccess, RawAuthorization, RawBlock, RawEvmBlock, RawEvmTransaction, RawLog, RawReceipt,
    RawTransactions, RawWithdrawal,
};
use superroot_chain::ledger::evm::{encode, verify};
use superroot_chain::{ChainError, ChainRegistry, ChainSpec, Extent, UntrustedBlock};
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::evm::{Bloom as ProofBloom, Layout, Receipt};
use superroot_proof::mpt::OrderedTrie;
use superroot_proof::registry::HashRuleFrom;
use superroot_types::{Address, ErrorKind, Hash, SAFE_INTEGER_MAX};

fn row() -> ChainSpec {
    ChainRegistry::builtin().find("ethereum").unwrap().clone()
}

fn transaction(tx_type: u8) -> RawEvmTransaction {
    let typed = tx_type > 0;
    let fees = tx_type > 1;
    let access = RawAccess { address: Address([7; 20]), storage_keys: vec![Hash([8; 32])] };
    let authorization = RawAuthorization {
        chain_id: U256::from(1),
        address: Address([9; 20]),
        nonce: 3,
        y_parity: 1,
        r: U256::from(10),
        s: U256::from(11),
    };
    RawEvmTransaction {
        block_number: Some(500),
        transaction_index: Some(tx_type.into()),
        tx_type: Some(tx_type.into()),
        chain_id: Some(1),
        nonce: Some(5),
        gas: Some(21_000),
        gas_price: Some(U256::from(70)),
        max_fee_per_gas: fees.then(|| U256::from(80)),
        max_priority_fee_per_gas: fees.then(|| U256::from(2)),
        max_fee_per_blob_gas: (tx_type == 3).then(|| U256::from(4)),
        to: Some(Address([tx_type; 20])),
        value: U256::from(1_000),
        input: Bytes::from_static(b"input"),
        access_list: typed.then(|| vec![access]),
        blob_versioned_hashes: (tx_type == 3).then(|| vec![Hash([1; 32])]),
        authorization_list: (tx_type == 4).then(|| vec![authorization]),
        v: Some(U256::from(if typed { 1 } else { 37 })),
        y_parity: typed.then_some(1),
        r: Some(U256::from(1_234)),
        s: Some(U256::from(5_678)),
        ..RawEvmTransaction::default()
    }
}

fn receipt(tx_type: u8) -> RawReceipt {
    let log = RawLog {
        address: Address([tx_type; 20]),
        topics: vec![Hash([tx_type; 32]); usize::from(tx_type)],
        data: Bytes::from_static(b"data"),
        block_number: Some(500),
        transaction_index: Some(tx_type.into()),
        log_index_in_block: Some(tx_type.into()),
        removed: Some(false),
        ..RawLog::default()
    };
    RawReceipt {
        transaction_index: Some(tx_type.into()),
        block_number: Some(500),
        tx_type: Some(tx_type.into()),
        status: Some(1),
        cumulative_gas_used: 21_000 * (u64::from(tx_type) + 1),
        gas_used: Some(21_000),
        logs: vec![log],
        ..RawReceipt::default()
    }
}

fn withdrawal() -> RawWithdrawal {
    RawWithdrawal { index: 1, validator_index: 2, address: Address([3; 20]), amount: 4 }
}

fn root(leaves: &[Vec<u8>]) -> Hash {
    OrderedTrie::build(leaves).root()
}

/// Gives every computed field the value that follows from the others, as a chain would.
fn sealed(mut raw: RawEvmBlock) -> RawEvmBlock {
    let mut bloom = ProofBloom::ZERO;
    let receipts = raw.receipts.as_mut().unwrap();
    for receipt in receipts.iter_mut() {
        let mut own = ProofBloom::ZERO;
        for log in &receipt.logs {
            own.insert(log.address.as_ref());
            log.topics.iter().for_each(|topic| own.insert(topic.as_ref()));
        }
        bloom.accrue(&own);
        receipt.logs_bloom = Bloom::new(own.0);
    }
    let leaves: Vec<_> = receipts.iter().map(|raw| encode::receipt(raw).unwrap()).collect();
    raw.block.receipts_root = root(&leaves);
    raw.block.logs_bloom = Bloom::new(bloom.0);
    raw.block.gas_used = receipts.last().map_or(0, |last| last.cumulative_gas_used);
    if let RawTransactions::Full(list) = &mut raw.block.transactions {
        let leaves: Vec<_> = list.iter().map(|raw| encode::transaction(raw).unwrap()).collect();
        for (transaction, leaf) in list.iter_mut().zip(&leaves) {
            transaction.hash = keccak256(leaf);
        }
        raw.block.transactions_root = root(&leaves);
    }
    if let Some(withdrawals) = &raw.block.withdrawals {
        let leaves: Vec<_> = withdrawals.iter().map(encode::withdrawal).collect();
        raw.block.withdrawals_root = Some(root(&leaves));
    }
    rehashed(raw)
}

/// The block with the hash of its header, whatever that says.
fn rehashed(mut raw: RawEvmBlock) -> RawEvmBlock {
    raw.block.hash = Some(keccak256(&encode::header(&raw.block, Layout::Ethereum).unwrap()));
    raw
}

fn good() -> RawEvmBlock {
    sealed(RawEvmBlock {
        block: RawBlock {
            parent_hash: Hash([1; 32]),
            sha3_uncles: Some(Hash([2; 32])),
            miner: Address([3; 20]),
            state_root: Hash([4; 32]),
            difficulty: Some(U256::ZERO),
            number: 500,
            gas_limit: Some(30_000_000),
            timestamp: 1_700_000_000,
            mix_hash: Some(Hash([5; 32])),
            nonce: Some(B64::ZERO),
            base_fee_per_gas: Some(7),
            blob_gas_used: Some(0),
            excess_blob_gas: Some(0),
            parent_beacon_block_root: Some(Hash([6; 32])),
            requests_hash: Some(Hash([7; 32])),
            transactions: RawTransactions::Full((0..5).map(transaction).collect()),
            withdrawals: Some(vec![withdrawal(), withdrawal()]),
            ..RawBlock::default()
        },
        receipts: Some((0..5).map(receipt).collect()),
    })
}

fn transactions(raw: &mut RawEvmBlock) -> &mut Vec<RawEvmTransaction> {
    match &mut raw.block.transactions {
        RawTransactions::Full(list) => list,
        _ => panic!("the sample is full"),
    }
}

fn receipts(raw: &mut RawEvmBlock) -> &mut Vec<RawReceipt> {
    raw.receipts.as_mut().unwrap()
}

fn refused(raw: &RawEvmBlock) -> String {
    let error = verify::verify(&row(), raw).expect_err("the block is bent");
    assert_eq!(error.kind(), ErrorKind::Invalid);
    error.to_string()
}

#[test]
fn the_good_block_is_accepted_whole() {
    let untrusted = UntrustedBlock::Evm(Box::new(good()));
    let block = superroot_chain::verify(&row(), &untrusted).unwrap();
    assert_eq!(block.extent(), Extent { transactions: true, receipts: true });
    assert_eq!(block.transactions().unwrap().len(), 5);
    let logs =
        block.receipts().unwrap().iter().map(|leaf| Receipt::decode(leaf).unwrap().logs.len());
    assert_eq!(logs.sum::<usize>(), 5);
    assert_eq!((block.number().0, block.timestamp().0), (500, 1_700_000_000));
}

#[test]
fn a_bend_is_named_with_its_place() {
    type Bend = fn(&mut RawEvmBlock);
    let bends: [(&str, Bend); 18] = [
        ("hash is missing", |raw| raw.block.hash = None),
        ("hash is ", |raw| raw.block.parent_hash = Hash::ZERO),
        ("mixHash is missing", |raw| raw.block.mix_hash = None),
        ("nonce is missing", |raw| raw.block.nonce = None),
        ("blobGasUsed is there, but", |raw| raw.block.withdrawals_root = None),
        ("slotNumber is there, but", |raw| raw.block.slot_number = Some(1)),
        ("number is 9007199254740992, ", |raw| raw.block.number = SAFE_INTEGER_MAX + 1),
        ("timestamp is ", |raw| raw.block.timestamp = u64::MAX),
        ("withdrawalsRoot is ", |raw| raw.block.withdrawals = Some(vec![withdrawal()])),
        ("transactions[2].hash is ", |raw| transactions(raw)[2].hash = Hash::ZERO),
        ("transactions[2].hash is ", |raw| transactions(raw)[2].value = U256::ZERO),
        ("transactionsRoot is ", |raw| drop(transactions(raw).pop().zip(receipts(raw).pop()))),
        ("receipts is 4, expected 5", |raw| drop(receipts(raw).pop())),
        ("receipts[1].status is 2, expected at most 1", |raw| receipts(raw)[1].status = Some(2)),
        ("receipts[1].status is missing", |raw| receipts(raw)[1].status = None),
        ("receipts[1].cumulativeGasUsed is 21000, expected more than 21000", |raw| {
            receipts(raw)[1].cumulative_gas_used = 21_000;
        }),
        ("receipts[1].logsBloom cannot be read", |raw| receipts(raw)[1].logs_bloom = Bloom::ZERO),
        ("receiptsRoot is ", |raw| receipts(raw)[4].logs[0].data = Bytes::new()),
    ];
    for (expected, bend) in bends {
        let mut raw = good();
        bend(&mut raw);
        let error = refused(&raw);
        assert!(error.starts_with(expected), "expected {expected:?}, got {error:?}");
    }
}

/// What a node says beside the bytes is neither believed nor a reason to refuse them.
#[test]
fn a_claim_that_no_hash_binds_changes_nothing() {
    type Bend = fn(&mut RawEvmBlock);
    let bends: [Bend; 23] = [
        |raw| transactions(raw)[1].block_hash = Some(Hash::ZERO),
        |raw| transactions(raw)[1].block_number = Some(1),
        |raw| transactions(raw)[0].transaction_index = Some(u64::MAX),
        |raw| transactions(raw)[1].from = Some(Address([6; 20])),
        |raw| transactions(raw)[0].chain_id = Some(0),
        |raw| transactions(raw)[2].chain_id = Some(0),
        |raw| transactions(raw)[2].chain_id = None,
        |raw| transactions(raw)[3].tx_type = Some(0),
        |raw| transactions(raw)[3].tx_type = None,
        |raw| transactions(raw)[2].tx_type = Some(5),
        |raw| transactions(raw)[1].v = Some(U256::ZERO),
        |raw| {
            (transactions(raw)[1].v, transactions(raw)[1].y_parity) = (Some(U256::from(28)), None)
        },
        |raw| transactions(raw)[1].y_parity = Some(0),
        |raw| receipts(raw)[4].transaction_index = Some(7),
        |raw| receipts(raw)[4].transaction_index = Some(0),
        |raw| receipts(raw).iter_mut().for_each(|one| one.transaction_index = Some(0)),
        |raw| receipts(raw)[1].block_hash = Some(Hash::ZERO),
        |raw| receipts(raw)[1].block_number = Some(4),
        |raw| receipts(raw)[1].transaction_hash = Some(Hash::ZERO),
        |raw| receipts(raw)[1].tx_type = Some(2),
        |raw| receipts(raw)[1].gas_used = Some(5),
        |raw| receipts(raw)[3].logs[0].log_index_in_block = Some(4),
        |raw| {
            let log = &mut receipts(raw)[3].logs[0];
            (log.removed, log.transaction_hash) = (Some(true), Some(Hash::ZERO));
            (log.transaction_index, log.block_hash) = (Some(9), Some(Hash::ZERO));
        },
    ];
    let whole = verify::verify(&row(), &good()).unwrap();
    for (place, bend) in bends.into_iter().enumerate() {
        let mut raw = good();
        bend(&mut raw);
        assert_eq!(verify::verify(&row(), &raw).as_ref(), Ok(&whole), "claim {place}");
    }
}

/// Which chain a transaction was signed for refuses no block whose roots hold. One transaction of another chain is in a
/// canonical block of Celo; a recording of which every typed transaction names another chain is that chain's.
#[test]
fn foreign_transactions_are_taken_and_a_foreign_recording_is_not() {
    let foreign = |places: core::ops::Range<usize>| {
        let mut raw = good();
        for one in &mut transactions(&mut raw)[places] {
            one.chain_id = Some(44_787);
        }
        sealed(raw)
    };
    let taken = verify::verify(&row(), &foreign(1..2)).unwrap();
    assert_eq!(taken.extent(), Extent { transactions: true, receipts: true });
    let check = |places| {
        let block = verify::verify(&row(), &foreign(places)).unwrap();
        assert_eq!(block.extent(), Extent { transactions: true, receipts: true });
        superroot_chain::check_recorded_chain(&row(), &block)
    };
    assert_eq!(check(0..4), Ok(()));
    assert_eq!(check(0..5).unwrap_err().to_string(), "chainId is 44787, expected 1");
}

/// From Amsterdam on the header counts gas before refunds, and receipts what was paid.
#[test]
fn gas_of_receipts_adds_up_to_the_headers_until_amsterdam() {
    for (gas_used, receipt_gas) in [(7, 21_000), (1 << 40, 21_000), (105_000, 105_000)] {
        let mut raw = good();
        receipts(&mut raw)[4].cumulative_gas_used = receipt_gas;
        let mut raw = sealed(raw);
        raw.block.gas_used = gas_used;
        raw.block.block_access_list_hash = Some(Hash([8; 32]));
        raw.block.slot_number = Some(9);
        let amsterdam = rehashed(raw.clone());
        let block = verify::verify(&row(), &amsterdam).unwrap();
        assert_eq!(block.extent(), Extent { transactions: true, receipts: true });
        let mut bent = amsterdam;
        receipts(&mut bent)[1].cumulative_gas_used += 1;
        assert!(refused(&bent).starts_with("receiptsRoot is "));
        (raw.block.block_access_list_hash, raw.block.slot_number) = (None, None);
        let before = verify::verify(&row(), &rehashed(raw));
        assert_eq!(before.is_ok(), (gas_used, receipt_gas) == (105_000, 105_000));
    }
}

/// Whoever makes the header can make it lie; then header and body disagree.
#[test]
fn a_lying_header_with_the_right_hash_is_refused() {
    type Bend = fn(&mut RawBlock);
    let bends: [(&str, Bend); 5] = [
        ("gasUsed is 7, expected 105000", |block| block.gas_used = 7),
        ("logsBloom is ", |block| block.logs_bloom = Bloom::ZERO),
        ("logsBloom is ", |block| block.logs_bloom.0[9] ^= 4),
        ("transactionsRoot is ", |block| block.transactions_root = Hash::ZERO),
        ("receiptsRoot is ", |block| block.receipts_root = Hash::ZERO),
    ];
    for (expected, bend) in bends {
        let mut raw = good();
        bend(&mut raw.block);
        let error = refused(&rehashed(raw));
        assert!(error.starts_with(expected), "expected {expected:?}, got {error:?}");
    }
}

#[test]
fn what_was_not_sent_is_not_in_the_extent() {
    let extent = |raw: &RawEvmBlock| verify::verify(&row(), raw).unwrap().extent().to_string();
    let mut raw = good();
    let hashes = transactions(&mut raw).iter().map(|transaction| transaction.hash).collect();
    raw.block.transactions = RawTransactions::Hashes(hashes);
    assert_eq!(extent(&raw), "header+receipts");
    assert_eq!(verify::verify(&row(), &raw).unwrap().transaction_hashes(), None);
    raw.block.transactions = RawTransactions::Absent;
    assert_eq!(extent(&raw), "header+receipts");
    raw.receipts = None;
    assert_eq!(extent(&raw), "header");
    let mut raw = good();
    raw.receipts = None;
    assert_eq!(extent(&raw), "header+transactions");
}

#[test]
fn hashes_alone_still_count_and_name_the_receipts() {
    let mut raw = good();
    let mut hashes: Vec<Hash> = transactions(&mut raw).iter().map(|one| one.hash).collect();
    receipts(&mut raw)[2].transaction_hash = Some(hashes[2]);
    raw.block.transactions = RawTransactions::Hashes(hashes.clone());
    assert!(verify::verify(&row(), &raw).is_ok());
    hashes.swap(1, 2);
    raw.block.transactions = RawTransactions::Hashes(hashes.clone());
    assert!(verify::verify(&row(), &raw).is_ok());
    hashes.pop();
    raw.block.transactions = RawTransactions::Hashes(hashes);
    assert_eq!(refused(&raw), "receipts is 5, expected 4");
}

#[test]
fn what_a_node_leaves_out_is_filled_in_and_what_is_zero_may_be_dropped() {
    let mut raw = good();
    for transaction in transactions(&mut raw) {
        (transaction.tx_type, transaction.transaction_index) = (None, None);
        (transaction.block_number, transaction.y_parity) = (None, None);
    }
    for receipt in receipts(&mut raw) {
        (receipt.tx_type, receipt.transaction_index, receipt.gas_used) = (None, None, None);
        receipt.logs[0].log_index_in_block = None;
    }
    assert_eq!(verify::verify(&row(), &raw), verify::verify(&row(), &good()));

    let mut zeros = good();
    zeros.block.parent_beacon_block_root = Some(Hash::ZERO);
    zeros.block.requests_hash = None;
    let mut zeros = rehashed(zeros);
    let kept = verify::verify(&row(), &zeros).unwrap();
    zeros.block.blob_gas_used = None;
    assert_eq!(verify::verify(&row(), &zeros).unwrap(), kept, "a zero in between was dropped");
    (zeros.block.excess_blob_gas, zeros.block.parent_beacon_block_root) = (None, None);
    assert_eq!(
        verify::verify(&row(), &zeros).unwrap(),
        kept,
        "three zeros at the end were dropped"
    );
    zeros.block.base_fee_per_gas = None;
    assert!(refused(&zeros).starts_with("withdrawalsRoot is there, but "), "no zero was dropped");
}

#[test]
fn a_header_without_withdrawals_root_has_no_withdrawals() {
    let mut raw = good();
    let block = &mut raw.block;
    (block.withdrawals_root, block.blob_gas_used, block.excess_blob_gas) = (None, None, None);
    (block.parent_beacon_block_root, block.requests_hash) = (None, None);
    let expected = "withdrawals is there, but the header has no withdrawalsRoot";
    let mut raw = rehashed(raw);
    assert_eq!(refused(&raw), expected);
    raw.block.withdrawals = None;
    assert!(verify::verify(&row(), &raw).is_ok());
}

#[test]
fn an_empty_block_is_whole() {
    let mut raw = good();
    raw.block.transactions = RawTransactions::Full(vec![]);
    raw.receipts = Some(vec![]);
    let block = verify::verify(&row(), &sealed(raw)).unwrap();
    assert_eq!(block.extent().to_string(), "header+transactions+receipts");
    assert_eq!(block.transactions(), Some(&[][..]));
}

#[test]
fn rows_of_other_ledgers_or_without_rule_are_told_apart_from_bad_blocks() {
    let raw = UntrustedBlock::Evm(Box::new(good()));
    for other in ["solana", "polkadot"] {
        let row = ChainRegistry::builtin().find(other).unwrap();
        let error = superroot_chain::verify(row, &raw).unwrap_err();
        assert_eq!(error, ChainError::NotCollected { chain: row.key() });
        assert_eq!(error.kind(), ErrorKind::Bug);
    }
    let mut late = row();
    late.rules = vec![HashRuleFrom { from_number: 501, code: 1 }];
    let mut withdrawn = row();
    withdrawn.rules.push(HashRuleFrom { from_number: 500, code: 0 });
    let mut foreign = row();
    foreign.rules = vec![HashRuleFrom { from_number: 0, code: 0x0101 }];
    for row in [late, withdrawn, foreign] {
        let error = superroot_chain::verify(&row, &raw).unwrap_err();
        assert!(matches!(error, ChainError::NoRule { .. }), "{error}");
    }
}
