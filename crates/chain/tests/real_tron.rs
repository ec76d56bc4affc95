//! Real blocks, headers and transactions of Tron, found through `SUPERROOT_DATA` alone.

use std::path::PathBuf;

use serde_json::Value;
use superroot_chain::ledger::tron::{HttpBlock, RawTronBlock, RawTronHeader};
use superroot_chain::{
    ChainError, ChainRegistry, ChainSpec, Ledger, SignedBlock, UntrustedBlock, VerifiedBlock,
    verify,
};
use superroot_proof::bundle::*;
use superroot_proof::finality::producers::{ProducerParams, write_producer_set};
use superroot_proof::finality::{FinalityParams, FinalitySet, Verdict, check_evidence};
use superroot_proof::hash::sha256_joined;
use superroot_proof::ledger::tron::{
    CONTRACT_RESULTS, Contract, Header, NO_EVENTS, Transaction, TronFieldValue as Field,
    TronFields, leaf_hash,
};
use superroot_types::*;

const BLOCK_FILE: &str = "tron_blockext_raw_79072107_\
                          860981c986ef3c0313916283483e6e0f8614686b2c011c31d68d42e8efff6601.json";
const BLOCK_NUMBER: BlockNumber = BlockNumber(79_072_107);

/// A file of Tron's data; `None`, loudly, when there is none.
fn file(name: &str) -> Option<Value> {
    let Ok(data) = std::env::var("SUPERROOT_DATA") else {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, no block of Tron was read");
        return None;
    };
    let text = std::fs::read(PathBuf::from(data).join("other/tron").join(name)).expect("the file");
    Some(serde_json::from_slice(&text).expect("JSON"))
}

fn row() -> &'static ChainSpec {
    ChainRegistry::builtin().find("tron").unwrap()
}

fn check(raw: &RawTronBlock) -> Result<VerifiedBlock, ChainError> {
    verify(row(), &UntrustedBlock::Tron(Box::new(raw.clone())))
}

fn bytes(value: &Value) -> Vec<u8> {
    const_hex::decode(value.as_str().unwrap()).unwrap()
}

/// The messages of that number in a message.
fn all(message: &[u8], number: u32) -> Vec<&[u8]> {
    let fields: Option<Vec<_>> = TronFields::of(message).collect();
    let bytes = fields.unwrap().into_iter().filter_map(|(other, value)| match value {
        Field::Bytes(bytes) if other == number => Some(bytes),
        _ => None,
    });
    bytes.collect()
}

/// `BlockExtention`, as gRPC gives it: `{1: {1: transaction}*, 2: {1: header}, 3: block id}`.
fn real_block() -> Option<RawTronBlock> {
    let message = bytes(&file(BLOCK_FILE)?["blockExtention"]);
    let transactions = all(&message, 1).into_iter().map(|one| all(one, 1)[0].to_vec()).collect();
    Some(RawTronBlock {
        number: BLOCK_NUMBER,
        hash: Hash(all(&message, 3)[0].try_into().unwrap()),
        header: all(all(&message, 2)[0], 1)[0].to_vec(),
        signature: None,
        transactions: Some(transactions),
        run: Vec::new(),
    })
}

fn bundle(block: &VerifiedBlock, subject: ProofSubject) -> Bundle {
    let entry = block.body().and_then(|body| body.prove(subject, true).unwrap());
    let statement = Statement { chain: block.chain(), number: block.number(), subject };
    let (header, block_hash) = (block.header().to_vec(), block.hash());
    let block = Some(BlockLevel { header, block_hash, twig: None });
    Bundle { origin: "recorded/test".to_owned(), statement, entry, block }
}

#[test]
fn a_real_block_of_619_transactions_verifies_and_proves_each() {
    let Some(raw) = real_block() else { return };
    let block = check(&raw).unwrap();
    assert_eq!(
        (block.extent().to_string().as_str(), block.tx_count()),
        ("header+transactions", Some(619))
    );
    assert_eq!(block.timestamp(), UnixSeconds(1_767_879_414));
    assert_eq!(block.parent_hash().0[..8], 79_072_106_u64.to_be_bytes());
    let file = file(BLOCK_FILE).unwrap();
    let message = bytes(&file["blockExtention"]);
    for (hash, theirs) in block.transaction_hashes().unwrap().iter().zip(all(&message, 1)) {
        assert_eq!(hash.0, all(theirs, 2)[0]);
    }
    let policy = Policy::strict(ChainRegistry::builtin().proof_registry());
    let mut longest = 0;
    for tx_index in 0..619_u32 {
        let bundle = bundle(&block, ProofSubject::Transaction { tx_index });
        let facts = superroot_proof::bundle::verify(&bundle, &policy).unwrap();
        let proven = facts.transaction.as_ref().unwrap();
        assert_eq!(proven.hash, block.transaction_hashes().unwrap()[tx_index as usize]);
        let read = Transaction::decode(&proven.raw).unwrap();
        assert_eq!(CONTRACT_RESULTS[read.contract_ret.unwrap() as usize], "SUCCESS");
        assert!(Contract::read(read.raw_data).is_some());
        assert_eq!(facts.tx_count, (tx_index == 618).then_some(619));
        let encoded = bundle.encode();
        longest = longest.max(encoded.len());
        assert_eq!(Bundle::decode(&encoded), Ok(bundle));
    }
    assert!(longest < 3_000, "{longest}");
    let expected = file["expectedTxIndex"].as_u64().unwrap() as usize;
    let txid = bytes(&file["txId"]);
    assert_eq!(block.transaction_hashes().unwrap()[expected].0.as_slice(), txid);
    let absence = bundle(&block, ProofSubject::Absence { tx_index: 619 });
    let facts = superroot_proof::bundle::verify(&absence, &policy).unwrap();
    assert_eq!(facts.tx_count, Some(619));
    let log = ProofSubject::Log { tx_index: 296, log_index: 0 };
    let refused = block.body().unwrap().prove(log, true).unwrap_err();
    assert_eq!(refused, superroot_proof::ledger::NoEntry::NotProvable(NO_EVENTS));
}

/// Transaction by transaction, the JSON that a node makes of the bytes is made into the same bytes. One of
/// them has fields in `ret` that no node knows.
#[test]
fn a_real_block_comes_back_from_what_nodes_show_of_it() {
    let Some(raw) = real_block() else { return };
    let shown = HttpBlock::show(&raw).unwrap();
    let text = serde_json::to_string(&shown).unwrap();
    let read: HttpBlock = serde_json::from_str(&text).unwrap();
    assert_eq!(read.clone().into_raw(true).unwrap(), raw);
    assert!(check(&read.clone().into_raw(true).unwrap()).is_ok());
    assert!(text.contains(r#""1002":["c83e81f6a50cd03ed4b6a20f"]"#));
    let signatures = read.transactions.iter().map(|one| one.signature.len()).max();
    assert_eq!(signatures, Some(2));
    // a node that leaves those fields out shows another tree
    let mut lost = read;
    lost.transactions.iter_mut().for_each(|one| one.ret[0].retain(|name, _| name != "1002"));
    let refused = check(&lost.into_raw(true).unwrap()).unwrap_err().to_string();
    assert!(refused.starts_with("txTrieRoot is 0xf557fe68"), "{refused}");
}

#[test]
fn a_real_block_with_anything_changed_is_refused() {
    let Some(raw) = real_block() else { return };
    let refused = |bend: &dyn Fn(&mut RawTronBlock)| {
        let mut lie = raw.clone();
        bend(&mut lie);
        check(&lie).unwrap_err().to_string()
    };
    let list = |lie: &mut RawTronBlock, bend: &dyn Fn(&mut Vec<Vec<u8>>)| {
        bend(lie.transactions.as_mut().unwrap())
    };
    type Bend<'a> = (&'a str, &'a dyn Fn(&mut Vec<Vec<u8>>));
    let bends: [Bend<'_>; 8] = [
        ("txTrieRoot", &|lie| lie.swap(3, 4)),
        ("txTrieRoot", &|lie| drop(lie.pop())),
        ("txTrieRoot", &|lie| lie.clear()),
        ("txTrieRoot", &|lie| lie.push(lie[0].clone())),
        ("txTrieRoot", &|lie| *lie[618].last_mut().unwrap() ^= 2),
        ("transactions[7].transaction", &|lie| lie[7] = vec![1; 64]),
        ("transactions is 29001", &|lie| lie.resize(29_001, Vec::new())),
        ("bytes of the transactions", &|lie| lie[0].resize(2_001_001, 0)),
    ];
    for (what, bend) in bends {
        let text = refused(&|lie| list(lie, bend));
        assert!(text.starts_with(what), "{text}");
    }
    assert!(refused(&|lie| lie.hash.0[31] ^= 1).starts_with("blockID"));
    assert!(refused(&|lie| lie.number.0 += 1).starts_with("number"));
    assert!(refused(&|lie| lie.header[2] ^= 1).starts_with("blockID"));
    assert!(refused(&|lie| lie.header.clear()).starts_with("header"));
    let mut header = raw.clone();
    header.transactions = None;
    assert_eq!(check(&header).unwrap().extent().to_string(), "header");
}

#[test]
fn real_headers_follow_each_other() {
    let Some(file) = file("headers_78000000_78000066.json") else { return };
    let headers = file["blockHeaderRawBytes"].as_array().unwrap();
    assert_eq!(headers.len(), 67);
    let mut parent = Hash(bytes(&file["parentOfFirst"]).try_into().unwrap());
    for (number, (header, id)) in
        (78_000_000..).zip(headers.iter().zip(file["blockIds"].as_array().unwrap()))
    {
        let hash = Hash(bytes(id).try_into().unwrap());
        let (number, header) = (BlockNumber(number), bytes(header));
        let read = Header::decode(&header).unwrap();
        assert_eq!((read.witness_address.len(), read.version), (21, 32));
        let (signature, run) = (None, Vec::new());
        let raw = RawTronBlock { number, hash, header, signature, transactions: None, run };
        let block = check(&raw).unwrap();
        assert_eq!(block.parent_hash(), parent);
        let facts = bundle(&block, ProofSubject::Block);
        let policy = Policy::strict(ChainRegistry::builtin().proof_registry());
        assert!(superroot_proof::bundle::verify(&facts, &policy).unwrap().number_bound);
        let shown = HttpBlock::show(&raw).unwrap();
        assert_eq!(shown.into_raw(false).unwrap(), raw);
        parent = hash;
    }
}

#[test]
fn real_transfers_of_tokens_have_the_leaf_and_the_hash_that_are_said() {
    let Some(file) = file("trc20_block_78115149.json") else { return };
    let transfers = file["trc20Txs"].as_array().unwrap();
    assert_eq!(transfers.len(), 55);
    for transfer in transfers {
        let leaf = bytes(&transfer["encodedTx"]);
        let read = Transaction::decode(&leaf).unwrap();
        assert_eq!(read.hash().0.as_slice(), bytes(&transfer["txId"]));
        assert_eq!(leaf_hash(&leaf).0.as_slice(), bytes(&transfer["txLeaf"]));
        assert_eq!(sha256_joined(&[&leaf]), leaf_hash(&leaf));
        assert_eq!(read.contract_ret == Some(1), transfer["success"].as_bool().unwrap());
        let contract = Contract::read(read.raw_data).unwrap();
        assert_eq!(contract.kind, 31);
        assert_eq!(contract.bytes(2).unwrap()[1..], bytes(&transfer["tronTokenEvm"]));
        assert_eq!(contract.bytes(4).unwrap()[..4], bytes(&transfer["selector"]));
    }
}

/// A real header alone, with the signed headers from one place to another of the file.
fn signed_header(file: &Value, at: usize, run: std::ops::Range<usize>) -> RawTronBlock {
    let signed = |at: usize| RawTronHeader {
        header: bytes(&file["blockHeaderRawBytes"][at]),
        signature: bytes(&file["witnessSignatures"][at]),
    };
    let RawTronHeader { header, signature } = signed(at);
    RawTronBlock {
        number: BlockNumber(78_000_000 + at as u64),
        hash: Hash(bytes(&file["blockIds"][at]).try_into().unwrap()),
        header,
        signature: Some(signature),
        transactions: None,
        run: run.map(signed).collect(),
    }
}

#[test]
fn real_signed_headers_become_evidence_and_wrong_ones_do_not() {
    let Some(file) = file("headers_78000000_78000066.json") else { return };
    let list = |name: &str| {
        let address = |one| Address(bytes(one).try_into().unwrap());
        file[name].as_array().unwrap().iter().map(address).collect::<Vec<_>>()
    };
    let pairs: Vec<_> = list("srs").into_iter().zip(list("witnessDelegatees")).collect();
    let params = FinalityParams::Producers(ProducerParams::TRON);
    let set = FinalitySet::decode(&params, &write_producer_set(20_424, &pairs)).unwrap();
    let good = signed_header(&file, 20, 12..39);
    let now = check(&signed_header(&file, 66, 0..0)).unwrap().timestamp();
    let signed = |raw: &RawTronBlock| check(raw).unwrap().signed().cloned();
    let shows = |raw: &RawTronBlock, number: u64| {
        let SignedBlock { evidence, ends_set, step } = signed(raw).unwrap();
        assert_eq!((evidence.number.0, ends_set, step), (number, None, None));
        let hash = bytes(&file["blockIds"][(number - 78_000_000) as usize]);
        assert_eq!(evidence.hash.0.as_slice(), hash);
        let verdict = check_evidence(&params, &set, &evidence, now);
        assert!(matches!(verdict, Verdict::Shown(_)), "{verdict:?}");
        evidence
    };
    let evidence = shows(&good, 78_000_012);
    assert!(evidence.encode().len() < 4_000);
    // the round ends with the run, and holds the block
    shows(&signed_header(&file, 20, 0..47), 78_000_020);
    shows(&signed_header(&file, 20, 0..39), 78_000_012);
    shows(&signed_header(&file, 20, 20..39), 78_000_020);
    // a second form of a signature is as good
    let mut other = good.clone();
    other.run[3].signature[64] += 27;
    assert_eq!(shows(&other, 78_000_012), evidence);
    // other keys than the producers': told apart by who knows them
    let mut foreign = good.clone();
    foreign.run.iter_mut().for_each(|one| one.signature[64] ^= 1);
    let verdict = check_evidence(&params, &set, &signed(&foreign).unwrap().evidence, now);
    assert!(matches!(verdict, Verdict::NotEnough(_)), "{verdict:?}");
    let lacks = |change: fn(&mut Vec<RawTronHeader>)| {
        let mut changed = good.clone();
        change(&mut changed.run);
        assert_eq!(signed(&changed), None);
    };
    lacks(Vec::clear);
    lacks(|run| run.truncate(18));
    lacks(|run| run.truncate(8));
    lacks(|run| drop(run.remove(8)));
    lacks(|run| drop(run.remove(15)));
    lacks(|run| run.swap(15, 16));
    lacks(|run| run.reverse());
    lacks(|run| run[20].header[5] ^= 1);
    lacks(|run| run[20].header.clear());
    lacks(|run| run[20].signature.clear());
    lacks(|run| run[20].signature[..32].fill(0));
    lacks(|run| run[20].signature[64] = 9);
    lacks(|run| *run = run.iter().cycle().take(300).cloned().collect());
}

#[test]
fn a_run_over_a_boundary_brings_the_step() {
    let Some(file) = file("headers_78000000_78000066.json") else { return };
    let seconds = |at: usize| check(&signed_header(&file, at, 0..0)).unwrap().timestamp().0;
    // set 1 begins with the third header
    let producers =
        ProducerParams { set_seconds: seconds(2), window_blocks: 27, trusted_seconds: 1 << 40 };
    let mut own = row().clone();
    let Ledger::Tron(of_row) = &mut own.ledger else { panic!("another ledger") };
    of_row.producers = producers;
    let params = FinalityParams::Producers(producers);
    let signed = |run: std::ops::Range<usize>| {
        let raw = signed_header(&file, run.end - 19, run);
        verify(&own, &UntrustedBlock::Tron(Box::new(raw))).unwrap().signed().cloned().unwrap()
    };
    let SignedBlock { evidence, ends_set, step } = signed(0..67);
    assert_eq!((evidence.number.0, ends_set), (78_000_040, Some(0)));
    let step = step.unwrap();
    assert!(step.len() < 8_100, "{} bytes", step.len());
    let next = FinalitySet::named_by(&params, &step).unwrap();
    assert_eq!((next.number(), next.encode().len()), (1, 9 + 27 * 40));
    let old = FinalitySet::decode(&params, &[&[0; 8], &next.encode()[8..]].concat()).unwrap();
    let now = UnixSeconds(seconds(66));
    assert_eq!(old.advance(&params, &step, now), Verdict::Shown(next));
    // nineteen on top are enough, eighteen are too few; the block before has to be there
    assert!(signed(1..49).step.is_some());
    assert!(signed(1..48).step.is_none());
    assert!(signed(2..60).step.is_none());
}
