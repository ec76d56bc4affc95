//! What other chains do otherwise: their own types against single real transactions, entries that
//! nodes add, parts that cannot be recomputed. Made-up blocks, but for the single transactions,
//! which need `SUPERROOT_DATA`.

use crate::real;

use std::collections::BTreeMap;

use alloy_primitives::{B64, Bytes, U256};
use serde_json::{Value, json};
use superroot_chain::ledger::evm::encode;
use superroot_chain::ledger::evm::raw::{
    RawBlock, RawEvmBlock, RawEvmTransaction, RawReceipt, RawTransactions,
};
use superroot_chain::ledger::evm::verify::verify;
use superroot_chain::{BlockCheck, ChainRegistry, ChainSpec, Encoding, Ledger, VerifiedBlock};
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::evm::{Layout, RlpFields, leaf_type};
use superroot_proof::mpt::OrderedTrie;
use superroot_proof::registry::HashRule;
use superroot_types::{Address, BlockNumber, Hash};

fn row(slug: &str) -> &'static ChainSpec {
    ChainRegistry::builtin().find(slug).unwrap()
}

/// Every single transaction of a chain that has a row hashes to its hash, and to its raw bytes.
#[test]
fn single_transactions_of_every_chain_are_encoded_as_they_were_hashed() {
    let Some(entries) = real::single_entries() else { return };
    let mut done = BTreeMap::<String, usize>::new();
    // Celo's test network has Celo's own types
    let encodings = [(11_142_220, Encoding::CeloL2)].into_iter();
    let latest = |row: &ChainSpec| match &row.ledger {
        Ledger::Evm(params) => Some((row.id.0, params.encodings.last()?.encoding)),
        _ => None,
    };
    let encodings: BTreeMap<u64, Encoding> =
        ChainRegistry::builtin().rows().iter().filter_map(latest).chain(encodings).collect();
    for (chain_id, samples) in &entries {
        let Some(encoding) = encodings.get(chain_id) else { continue };
        for sample in samples.iter().filter(|sample| sample["tx"].is_object()) {
            // entries of Arbitrum Classic were hashed in a form that nodes do not show
            if sample["tx"]["type"] == "0x78" {
                continue;
            }
            let Ok(raw) = serde_json::from_value::<RawEvmTransaction>(sample["tx"].clone()) else {
                panic!("{chain_id}: {}", sample["tx"]);
            };
            let leaf = encode::transaction_of(*encoding, &raw);
            let leaf = leaf.unwrap_or_else(|error| panic!("{chain_id} {}: {error}", raw.hash));
            assert_eq!(keccak256(&leaf), raw.hash, "{chain_id}");
            if let Some(bytes) = sample["raw"].as_str() {
                assert_eq!(const_hex::encode_prefixed(&leaf), bytes.to_lowercase());
            }
            *done.entry(format!("{chain_id} {:#04x}", leaf_type(&leaf))).or_default() += 1;
        }
    }
    println!("single transactions by chain and type: {done:?}");
    for needed in ["42220 0x7b", "42220 0x7e", "11142220 0x7b"] {
        assert!(done.contains_key(needed), "{needed}");
    }
}

fn transaction(json: Value) -> RawEvmTransaction {
    let mut whole = json!({
        "hash": Hash::ZERO, "nonce": "0x3", "gas": "0x5208", "gasPrice": "0x7", "value": "0x1",
        "input": "0xabcd", "to": Address([2; 20]), "v": "0x25", "r": "0x5", "s": "0x6",
    });
    for (name, value) in json.as_object().unwrap() {
        whole[name] = value.clone();
    }
    serde_json::from_value(whole).unwrap()
}

/// The number of fields of a leaf, and its type.
fn shape(leaf: &[u8]) -> (u8, usize) {
    let tx_type = leaf_type(leaf);
    let payload = if tx_type == 0 { leaf } else { &leaf[1..] };
    (tx_type, RlpFields::of_list(payload, "leaf").unwrap().count("leaf").unwrap())
}

#[test]
fn types_known_from_sources_alone_have_the_fields_their_sources_give() {
    let arbitrum = |tx_type: u8| {
        transaction(json!({
            "type": tx_type, "chainId": "0xa4b1", "from": Address([1; 20]), "maxFeePerGas": "0x9",
            "requestId": Hash([4; 32]), "v": null, "r": null, "s": null,
        }))
    };
    for (tx_type, fields) in [(0x64, 5), (0x65, 8), (0x66, 8), (0x6a, 2)] {
        let leaf = encode::transaction_of(Encoding::Arbitrum, &arbitrum(tx_type)).unwrap();
        assert_eq!(shape(&leaf), (tx_type, fields));
        assert!(encode::transaction_of(Encoding::Ethereum, &arbitrum(tx_type)).is_err());
    }
    let celo = |tx_type: u8| {
        transaction(json!({
            "type": tx_type, "chainId": "0xa4ec", "maxFeePerGas": "0x9", "yParity": "0x1", "v": "0x1",
            "maxPriorityFeePerGas": "0x1", "feeCurrency": Address([8; 20]), "gatewayFee": "0x2",
            "gatewayFeeRecipient": Address([9; 20]),
        }))
    };
    for (tx_type, fields) in [(0x7b, 13), (0x7c, 15)] {
        let leaf = encode::transaction_of(Encoding::CeloL1, &celo(tx_type)).unwrap();
        assert_eq!(shape(&leaf), (tx_type, fields));
    }
    assert!(encode::transaction_of(Encoding::CeloL2, &celo(0x7b)).is_ok());
    let error = encode::transaction_of(Encoding::CeloL2, &celo(0x7c)).unwrap_err();
    assert_eq!(error.check(), BlockCheck::TxType);
}

/// Celo's type 0 has three fields more, unless the node says otherwise or the hash does.
#[test]
fn a_legacy_transaction_of_celo_is_of_the_form_its_node_or_hash_says() {
    let encode = |raw: &RawEvmTransaction| encode::transaction_of(Encoding::CeloL1, raw).unwrap();
    let said = |compatible: bool| transaction(json!({ "ethCompatible": compatible }));
    let (plain, long) = (encode(&said(true)), encode(&said(false)));
    assert_eq!((shape(&plain), shape(&long)), ((0, 9), (0, 12)));
    assert_eq!(plain, encode::transaction(&said(true)).unwrap());
    let unsaid = |leaf: &[u8]| transaction(json!({ "hash": keccak256(leaf) }));
    assert_eq!(encode(&unsaid(&plain)), plain);
    assert_eq!(encode(&unsaid(&long)), long);
}

#[test]
fn the_type_number_of_a_deposit_is_read_by_the_encoding() {
    let raw = transaction(json!({
        "type": "0x7e", "sourceHash": Hash([1; 32]), "from": Address([5; 20]), "queueIndex": "0x3",
        "sender": Address([5; 20]), "v": null, "r": null, "s": null,
    }));
    let deposit = encode::transaction_of(Encoding::OpStack, &raw).unwrap();
    let message = encode::transaction_of(Encoding::Scroll, &raw).unwrap();
    assert_eq!((shape(&deposit), shape(&message)), ((0x7e, 8), (0x7e, 6)));
    for encoding in [Encoding::Ethereum, Encoding::Arbitrum, Encoding::PreBedrock] {
        let error = encode::transaction_of(encoding, &raw).unwrap_err();
        assert_eq!(error.check(), BlockCheck::TxType, "{encoding}");
    }
    let mut other = raw.clone();
    other.nonce = Some(0);
    assert_eq!(encode::transaction_of(Encoding::Scroll, &other).unwrap(), message);
    (other.nonce, other.queue_index) = (Some(3), None);
    assert_eq!(encode::transaction_of(Encoding::Scroll, &other).unwrap(), message);
    other = raw;
    other.from = Some(Address([6; 20]));
    assert_eq!(encode::transaction_of(Encoding::Scroll, &other).unwrap(), message);
}

#[test]
fn receipts_carry_what_their_encoding_adds() {
    let receipt = |json: Value| -> RawReceipt {
        let mut whole = json!({
            "cumulativeGasUsed": "0x5208", "status": "0x1", "logs": [],
            "logsBloom": alloy_primitives::Bloom::ZERO,
        });
        json.as_object().unwrap().iter().for_each(|(name, value)| whole[name] = value.clone());
        serde_json::from_value(whole).unwrap()
    };
    let fields = |encoding, json| Some(shape(&encode::receipt_of(encoding, &receipt(json)).ok()?));
    let before = json!({ "type": "0x7e", "depositNonce": "0x5" });
    assert_eq!(fields(Encoding::OpStack, before), Some((0x7e, 4)), "before Canyon");
    let canyon = json!({ "type": "0x7e", "depositNonce": "0x5", "depositReceiptVersion": "0x1" });
    assert_eq!(fields(Encoding::OpStack, canyon.clone()), Some((0x7e, 6)));
    assert_eq!(fields(Encoding::CeloL2, canyon.clone()), Some((0x7e, 6)));
    assert_eq!(fields(Encoding::Scroll, canyon), Some((0x7e, 4)), "Scroll's is another type");
    let missing = json!({ "type": "0x7e", "depositReceiptVersion": "0x1" });
    assert_eq!(fields(Encoding::OpStack, missing), None);
    let fee = json!({ "type": "0x7b", "baseFee": "0x9" });
    assert_eq!(fields(Encoding::CeloL2, fee.clone()), Some((0x7b, 5)));
    assert_eq!(fields(Encoding::CeloL1, fee), Some((0x7b, 4)));
    assert_eq!(fields(Encoding::CeloL2, json!({ "type": "0x7b" })), None);
}

/// A block of two transactions with a receipt of one log each.
fn block(number: u64, chain_id: u64) -> RawEvmBlock {
    let signed = |nonce: u64| transaction(json!({ "nonce": nonce, "chainId": chain_id }));
    let logs = json!([{ "address": Address([3; 20]), "topics": [], "data": "0x" }]);
    let receipt = |place: u64| -> RawReceipt {
        serde_json::from_value(json!({
            "cumulativeGasUsed": 21_000 * (place + 1), "status": 1, "logs": logs,
            "logsBloom": alloy_primitives::Bloom::ZERO,
        }))
        .unwrap()
    };
    RawEvmBlock {
        block: RawBlock {
            number,
            sha3_uncles: Some(Hash([2; 32])),
            difficulty: Some(U256::from(1)),
            gas_limit: Some(1_000_000),
            mix_hash: Some(Hash::ZERO),
            nonce: Some(B64::ZERO),
            transactions: RawTransactions::Full(vec![signed(0), signed(1)]),
            ..RawBlock::default()
        },
        receipts: Some(vec![receipt(0), receipt(1)]),
    }
}

fn full(raw: &mut RawEvmBlock) -> &mut Vec<RawEvmTransaction> {
    match &mut raw.block.transactions {
        RawTransactions::Full(list) => list,
        _ => panic!("the sample is full"),
    }
}

/// The block with every value that follows from the others.
fn sealed(mut raw: RawEvmBlock, encoding: Encoding, layout: Layout) -> RawEvmBlock {
    let mut bloom = superroot_proof::ledger::evm::Bloom::ZERO;
    let mut hashes = Vec::new();
    let mut leaves = Vec::new();
    for entry in full(&mut raw) {
        let leaf = encode::transaction_of(encoding, entry).unwrap();
        entry.hash = keccak256(&leaf);
        hashes.push(entry.hash);
        leaves.push(leaf);
    }
    raw.block.transactions_root = OrderedTrie::build(&leaves).root();
    let receipts = raw.receipts.as_mut().unwrap();
    let mut leaves = Vec::new();
    for (place, receipt) in receipts.iter_mut().enumerate() {
        let mut own = superroot_proof::ledger::evm::Bloom::ZERO;
        receipt.logs.iter().for_each(|log| own.insert(log.address.as_ref()));
        bloom.accrue(&own);
        receipt.logs_bloom = alloy_primitives::Bloom::new(own.0);
        receipt.transaction_hash = Some(hashes[place]);
        leaves.push(encode::receipt_of(encoding, receipt).unwrap());
        raw.block.gas_used = receipt.cumulative_gas_used;
    }
    raw.block.receipts_root = OrderedTrie::build(&leaves).root();
    raw.block.logs_bloom = alloy_primitives::Bloom::new(bloom.0);
    raw.block.hash = Some(keccak256(&encode::header(&raw.block, layout).unwrap()));
    raw
}

/// Puts an entry of a node's own, with a receipt of one log, at a place of the block.
fn add(raw: &mut RawEvmBlock, place: usize, entry: RawEvmTransaction) {
    let receipts = raw.receipts.as_mut().unwrap();
    let mut receipt = receipts[0].clone();
    (receipt.cumulative_gas_used, receipt.transaction_hash) = (0, Some(entry.hash));
    receipts.insert(place, receipt);
    full(raw).insert(place, entry);
    let mut logs = 0_u64..;
    for (place, receipt) in (0..).zip(raw.receipts.as_mut().unwrap()) {
        receipt.transaction_index = Some(place);
        for log in &mut receipt.logs {
            log.transaction_index = Some(place);
            log.log_index_in_block = logs.next();
        }
    }
    for (place, entry) in (0..).zip(full(raw)) {
        entry.transaction_index = Some(place);
    }
}

fn two(block: &VerifiedBlock) -> bool {
    let lengths = (block.transactions().map(<[_]>::len), block.receipts().map(<[_]>::len));
    lengths == (Some(2), Some(2)) && block.body_withheld().is_none()
}

#[test]
fn an_entry_that_a_node_adds_is_dropped_and_the_others_keep_their_places() {
    // Polygon: last, by the hash that follows from the block
    let raw = sealed(block(16, 137), Encoding::Polygon, Layout::Ethereum);
    let tag: &[u8] = b"matic-bor-receipt-";
    let hash = keccak256(&[tag, &16_u64.to_be_bytes(), &raw.block.hash.unwrap().0].concat());
    let zeros = json!({ "hash": hash, "gasPrice": "0x0", "v": "0x0", "r": "0x0", "s": "0x0" });
    let mut polygon = raw.clone();
    add(&mut polygon, 2, transaction(zeros.clone()));
    assert!(two(&verify(row("polygon"), &polygon).unwrap()));
    // under another hash it is no such entry
    let mut other = raw;
    let mut entry = transaction(zeros);
    entry.hash = Hash([7; 32]);
    add(&mut other, 2, entry);
    assert_eq!(verify(row("polygon"), &other).unwrap_err().check(), BlockCheck::TxHash);

    // HyperEVM: first, by what it does not pay
    let raw = sealed(block(16, 999), Encoding::HyperEvm, Layout::Ethereum);
    let free = json!({ "hash": Hash([7; 32]), "gasPrice": "0x0", "r": "0x1" });
    let mut hyperevm = raw.clone();
    add(&mut hyperevm, 0, transaction(free));
    assert!(two(&verify(row("hyperevm"), &hyperevm).unwrap()));
    // a node that counts logs without those of its own
    for receipt in &mut hyperevm.receipts.as_mut().unwrap()[1..] {
        receipt.logs[0].log_index_in_block = receipt.transaction_index.map(|place| place - 1);
    }
    assert!(two(&verify(row("hyperevm"), &hyperevm).unwrap()));
    // with hashes alone, the receipts tell
    let hashes = full(&mut hyperevm).iter().map(|entry| entry.hash).collect();
    hyperevm.block.transactions = RawTransactions::Hashes(hashes);
    let block = verify(row("hyperevm"), &hyperevm).unwrap();
    assert_eq!(block.receipts().unwrap().len(), 2);
    // and on a chain where nodes add nothing, it is an ordinary entry, and a wrong one
    let mut ethereum = raw;
    add(&mut ethereum, 0, transaction(json!({ "gasPrice": "0x0" })));
    assert!(verify(&row("hyperevm").clone().read_as(Encoding::Ethereum), &ethereum).is_err());
}

#[test]
fn claimed_places_are_not_needed() {
    let mut raw = sealed(block(16, 999), Encoding::HyperEvm, Layout::Ethereum);
    add(&mut raw, 0, transaction(json!({ "hash": Hash([7; 32]), "gasPrice": "0x0" })));
    type Bend = fn(&mut RawEvmBlock);
    let bends: [Bend; 4] = [
        |raw| full(raw)[1].transaction_index = Some(0),
        |raw| raw.receipts.as_mut().unwrap()[2].transaction_index = Some(5),
        |raw| raw.receipts.as_mut().unwrap()[1].transaction_index = Some(u64::MAX),
        |raw| raw.receipts.as_mut().unwrap()[2].logs[0].log_index_in_block = Some(9),
    ];
    let whole = verify(row("hyperevm"), &raw).unwrap();
    for bend in bends {
        let mut bent = raw.clone();
        bend(&mut bent);
        assert_eq!(verify(row("hyperevm"), &bent).as_ref(), Ok(&whole));
    }
    raw.receipts.as_mut().unwrap().pop();
    assert_eq!(verify(row("hyperevm"), &raw).unwrap_err().check(), BlockCheck::ReceiptCount);
}

/// Who names an entry because of which a body is withheld, and sends a body that holds without it, is
/// caught. A type that a receipt claims alone withholds nothing: the bytes say another.
#[test]
fn an_entry_that_the_trees_do_not_need_withholds_nothing() {
    let good = sealed(block(80_084_800, 137), Encoding::Polygon, Layout::Ethereum);
    let refused = |raw: &RawEvmBlock| {
        let error = verify(row("polygon"), raw).unwrap_err();
        assert_eq!(error.check(), BlockCheck::TxType, "{error}");
        assert!(error.to_string().starts_with("type is 0x7f"), "{error}");
    };
    let mut appended = good.clone();
    let list = full(&mut appended);
    let mut entry = list[list.len() - 1].clone();
    (entry.tx_type, entry.hash) = (Some(0x7f), Hash([9; 32]));
    entry.transaction_index = Some(list.len() as u64);
    list.push(entry);
    refused(&appended);
    let receipts = appended.receipts.as_mut().unwrap();
    let mut receipt = receipts[receipts.len() - 1].clone();
    receipt.tx_type = Some(0x7f);
    receipt.transaction_index = Some(receipts.len() as u64);
    receipts.push(receipt);
    refused(&appended);
    let mut renamed = good.clone();
    renamed.receipts.as_mut().unwrap()[1].tx_type = Some(0x7f);
    let block = verify(row("polygon"), &renamed).unwrap();
    assert!(two(&block) && !block.is_withheld_on_claim());
    assert!(!verify(row("polygon"), &good).unwrap().is_withheld_on_claim());
}

#[test]
fn what_a_row_calls_unprovable_is_withheld_and_says_why() {
    // Polygon since Madhugiri: by the entry, in transactions or receipts
    let good = |number| sealed(block(number, 137), Encoding::Polygon, Layout::Ethereum);
    let verified = |raw: &RawEvmBlock| verify(row("polygon"), raw).unwrap();
    assert!(two(&verified(&good(80_084_800))));
    let with_entry = |number| {
        let mut raw = good(number);
        let entry = &mut full(&mut raw)[1];
        (entry.tx_type, entry.hash) = (Some(0x7f), Hash([9; 32]));
        raw.receipts.as_mut().unwrap()[1].tx_type = Some(0x7f);
        raw
    };
    let block = verified(&with_entry(80_084_800));
    assert_eq!(block.extent().to_string(), "header");
    assert!(block.body_withheld().unwrap().contains("state-sync"));
    assert!(block.is_withheld_on_claim());
    let mut before = good(80_084_799);
    let entry = &mut full(&mut before)[1];
    (entry.tx_type, entry.hash) = (Some(0x7f), Hash([9; 32]));
    assert_eq!(verify(row("polygon"), &before).unwrap_err().check(), BlockCheck::TxType);

    // Arbitrum Classic: by number
    let good = |number| sealed(arbitrum_block(number), Encoding::Arbitrum, Layout::Ethereum);
    let classic = verify(row("arbitrum"), &good(22_207_817)).unwrap();
    assert_eq!(classic.extent().to_string(), "header");
    assert!(classic.body_withheld().unwrap().contains("Classic"));
    assert!(two(&verify(row("arbitrum"), &good(22_207_818)).unwrap()));
    // the header is never withheld
    let mut lie = good(5);
    lie.block.gas_used += 1;
    assert_eq!(verify(row("arbitrum"), &lie).unwrap_err().check(), BlockCheck::HeaderHash);
}

fn arbitrum_block(number: u64) -> RawEvmBlock {
    block(number, 42161)
}

#[test]
fn receipts_of_an_avalanche_block_that_settles_others_are_withheld() {
    let mut raw = block(16, 43114);
    let block = &mut raw.block;
    block.block_extra_data = Some(Bytes::from_static(b"atomic"));
    block.ext_data_hash = Some(keccak256(&alloy_rlp::encode(Bytes::from_static(b"atomic"))));
    (block.base_fee_per_gas, block.min_delay_excess) = (Some(1), Some(2));
    let hole = encode::header(block, Layout::Avalanche).unwrap_err();
    assert_eq!(hole.check(), BlockCheck::Shape, "there is nothing before minDelayExcess");
    (block.ext_data_gas_used, block.block_gas_cost) = (Some(4), Some(5));
    (block.blob_gas_used, block.excess_blob_gas) = (Some(0), Some(0));
    block.parent_beacon_block_root = Some(Hash::ZERO);
    block.timestamp_milliseconds = Some(3);
    let granite = raw;
    let granite = sealed(granite, Encoding::Ethereum, Layout::Avalanche);
    assert!(two(&verify(row("avalanche"), &granite).unwrap()));
    let mut atomic = granite.clone();
    atomic.block.block_extra_data = Some(Bytes::from_static(b"another"));
    assert_eq!(verify(row("avalanche"), &atomic).unwrap_err().check(), BlockCheck::ExtraData);

    let mut helicon = granite;
    let block = &mut helicon.block;
    (block.target_exponent, block.min_price_exponent) = (Some(6), Some(7));
    (block.settled_height, block.settled_gas_unix) = (Some(8), Some(9));
    (block.settled_gas_numerator, block.settled_excess) = (Some(10), Some(11));
    let helicon = sealed(helicon, Encoding::Ethereum, Layout::Avalanche);
    let block = verify(row("avalanche"), &helicon).unwrap();
    assert_eq!(block.extent().to_string(), "header+transactions");
    assert!(block.body_withheld().unwrap().contains("Helicon"));
}

/// An OP-stack header keeps a storage root where Ethereum keeps withdrawals.
#[test]
fn withdrawals_of_the_op_stack_are_no_list() {
    let mut raw = block(200_000_000, 10);
    (raw.block.base_fee_per_gas, raw.block.withdrawals_root) = (Some(1), Some(Hash([9; 32])));
    raw.block.withdrawals = Some(vec![]);
    let raw = sealed(raw, Encoding::OpStack, Layout::Ethereum);
    assert!(two(&verify(row("optimism"), &raw).unwrap()));
    let error = verify(&row("optimism").clone().read_as(Encoding::Ethereum), &raw).unwrap_err();
    assert_eq!(error.check(), BlockCheck::WithdrawalsRoot);
}

#[test]
fn sonic_and_gingerbread_headers_are_made_as_their_sources_say() {
    let mut raw = block(16, 146);
    (raw.block.base_fee_per_gas, raw.block.extra_data) = (Some(1), vec![1; 12].into());
    let layout = encode::header(&raw.block, Layout::Sonic).unwrap();
    assert_ne!(shape(&layout).1, 19, "as given: base fee alone");
    raw.block.excess_blob_gas = Some(0);
    raw.block.blob_gas_used = Some(0);
    raw.block.withdrawals_root = Some(superroot_proof::mpt::EMPTY_ROOT);
    let mut raw = sealed(raw, Encoding::Ethereum, Layout::Sonic);
    assert!(two(&verify(row("sonic"), &raw).unwrap()));
    let mut internal = raw.clone();
    // a node that drops the fields which are always empty, or shows more than is hashed
    (raw.block.excess_blob_gas, raw.block.blob_gas_used) = (None, None);
    raw.block.parent_beacon_block_root = Some(Hash::ZERO);
    assert!(two(&verify(row("sonic"), &raw).unwrap()));

    // an internal transaction: nobody signs it, and its type is 0
    let zero = U256::ZERO;
    let entry = &mut full(&mut internal)[0];
    (entry.v, entry.r, entry.s, entry.chain_id) = (Some(zero), Some(zero), Some(zero), Some(0));
    let internal = sealed(internal, Encoding::Sonic, Layout::Sonic);
    assert!(two(&verify(row("sonic"), &internal).unwrap()));
    let error = verify(&row("sonic").clone().read_as(Encoding::Ethereum), &internal).unwrap_err();
    assert_eq!(error.check(), BlockCheck::Repeat, "elsewhere every transaction is signed");

    let celo = |number| {
        let mut raw = block(number, 42220);
        raw.block.base_fee_per_gas = Some(1);
        for entry in full(&mut raw) {
            entry.eth_compatible = Some(true);
        }
        let Some(HashRule::Evm(layout)) = row("celo").rule_at(BlockNumber(number)) else {
            panic!("a rule of the family");
        };
        verify(row("celo"), &sealed(raw, Encoding::CeloL1, layout)).unwrap()
    };
    for (number, fields) in [(5, 10), (21_616_000, 16)] {
        let block = celo(number);
        assert_eq!(shape(block.header()).1, fields);
        assert_eq!(block.extent().to_string(), "header+transactions");
        assert!(block.body_withheld().is_some());
    }
}
