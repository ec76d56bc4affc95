//! The inputs that a corpus begins with: the proofs of `vectors/`, good and bad, a small log made by
//! the plain definitions of the proof tests, and recorded blocks where `SUPERROOT_DATA` has them.

#[path = "../../crates/proof/tests/world/mod.rs"]
mod world;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::{Value, json};
use superroot_chain::ChainRegistry;
use superroot_proof::bundle::{Bundle, EntryProof, ProofSubject, verify};
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::evm::{Bloom, Header, Layout};
use superroot_proof::mpt::{OrderedTrie, index_key};
use superroot_proof::note::{Checkpoint, KeyKind, Signer};
use superroot_proof::scan::{ScanFilter, ScanStatement};
use superroot_types::{Address, BlockNumber, ChainKey, Hash, LogSize};
use superroot_wire::superroot::{
    BlobAnswer, Consistency, ConsistencyAnswer, render_blob, render_consistency,
};
use superroot_wire::{Case, Shape, render};
use world::{ETHEREUM, OPTIMISM, World};

use crate::{link, policy};

/// Largest recorded block that becomes a seed, in bytes of JSON.
const RECORDING_BYTES_MAX: usize = 48 << 10;
/// Most recorded blocks that become seeds.
const RECORDINGS_MAX: usize = 40;

/// Writes a target's seeds into its corpus folder.
///
/// # Panics
/// When the folder cannot be written.
pub fn plant(target: &str, seeds: &[Vec<u8>]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    fs::create_dir_all(&folder).expect("the corpus folder can be made");
    for seed in seeds {
        let name = format!("seed-{}", const_hex::encode(&keccak256(seed).0[..8]));
        fs::write(folder.join(name), seed).expect("the corpus folder can be written");
    }
}

/// Answers of a node to the first calls of a client, single and in batches; `#0` is the first id.
#[must_use]
pub fn node_answers() -> Vec<Vec<u8>> {
    let one =
        |id: usize, result: &str| format!(r##"{{"jsonrpc":"2.0","id":#{id},"result":{result}}}"##);
    let list = |results: &[&str]| {
        let each = results.iter().enumerate().map(|(id, result)| one(id, result));
        format!("[{}]", each.collect::<Vec<_>>().join(","))
    };
    let zero = format!("\"0x{}\"", "00".repeat(32));
    let bloom = format!("\"0x{}\"", "00".repeat(256));
    let block = format!(
        r#"{{"number":"0x5","hash":{zero},"parentHash":{zero},"sha3Uncles":{zero},
        "miner":"0x{}","stateRoot":{zero},"transactionsRoot":{zero},"receiptsRoot":{zero},
        "logsBloom":{bloom},"difficulty":"0x0","gasLimit":"0x0","gasUsed":"0x0",
        "timestamp":"0x0","extraData":"0x","mixHash":{zero},"nonce":"0x0000000000000000",
        "transactions":[{zero}]}}"#,
        "00".repeat(20)
    );
    let refused =
        r##"{"jsonrpc":"2.0","id":#0,"error":{"code":-32601,"message":"method not found"}}"##;
    let limited = r##"{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"rate limit"}}"##;
    let (id, client) = ("\"0x1\"", "\"Geth\"");
    [
        one(0, id),
        one(0, &block),
        list(&[id, client, &block, &block, &block]),
        list(&[&block, "[]"]),
        list(&[&block, "null"]),
        refused.to_owned(),
        limited.to_owned(),
        format!("[{refused},{refused}]"),
        "<!doctype html>".to_owned(),
        format!(
            "{}\0{}\0{}\0{}",
            list(&[id, client, &block, &block, &block]),
            one(0, &block),
            list(&[&block, "[]"]),
            one(0, &block)
        ),
    ]
    .map(String::into_bytes)
    .to_vec()
}

/// A block of a log that is known whole.
#[derive(Clone, Copy, Debug)]
pub struct KnownBlock {
    /// The SuperRoot it stands under.
    pub root: Hash,
    /// Its chain.
    pub chain: ChainKey,
    /// Its number.
    pub number: BlockNumber,
    /// Its hash.
    pub hash: Hash,
}

/// A proof of `vectors/` and the root it is checked against there.
struct Vector {
    trusted: Hash,
    proof: Vec<u8>,
}

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors")
}

pub(crate) fn json_of(path: &Path) -> Value {
    let text = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub(crate) fn hex_of(value: &Value) -> Vec<u8> {
    const_hex::decode(value.as_str().expect("a text of hex")).expect("hex")
}

/// The tests of one of the crates.
pub(crate) fn tests_of(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates").join(name).join("tests")
}

/// Lies about blocks of a ledger that are true.
pub(crate) fn hostile_bundles(ledger: &str) -> Vec<Bundle> {
    let vectors = vectors(&format!("hostile/{ledger}.json"));
    vectors.iter().filter_map(|vector| Bundle::decode(&vector.proof).ok()).collect()
}

fn vectors(name: &str) -> Vec<Vector> {
    let list = json_of(&folder().join(name));
    let list = list.as_array().expect("a list of vectors");
    let vector = |one: &Value| Vector {
        trusted: one["trusted"].as_str().and_then(|text| text.parse().ok()).expect("a hash"),
        proof: hex_of(&one["proof"]),
    };
    list.iter().map(vector).collect()
}

fn real() -> &'static [Vector] {
    static REAL: OnceLock<Vec<Vector>> = OnceLock::new();
    REAL.get_or_init(|| vectors("real/ethereum.json"))
}

/// The log of the proof tests, over the rows of this build.
fn world() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| World::of(ChainRegistry::builtin().proof_registry().clone()).filled())
}

/// The SuperRoot of [`world`] that proofs lead to.
const SEQUENCE: usize = 3;

/// Proofs of every subject in that log, sealed and open.
fn made() -> Vec<Bundle> {
    let transaction = |tx_index| ProofSubject::Transaction { tx_index };
    let of = |chain, number, subject, both| world().prove(chain, number, subject, both, SEQUENCE);
    vec![
        of(ETHEREUM, 4099, ProofSubject::Block, false),
        of(ETHEREUM, 6160, ProofSubject::Block, false),
        of(ETHEREUM, 4099, transaction(3), true),
        of(ETHEREUM, 6160, transaction(0), true),
        of(ETHEREUM, 4099, ProofSubject::Log { tx_index: 3, log_index: 2 }, false),
        of(ETHEREUM, 4099, ProofSubject::Log { tx_index: 2, log_index: 1 }, true),
        of(ETHEREUM, 4099, ProofSubject::Absence { tx_index: 4 }, true),
        of(OPTIMISM, 2060, transaction(1), false),
    ]
}

/// Every block that a genuine proof of these seeds can be about.
pub fn blocks() -> &'static [KnownBlock] {
    static BLOCKS: OnceLock<Vec<KnownBlock>> = OnceLock::new();
    BLOCKS.get_or_init(|| {
        let root = world().root(SEQUENCE);
        let made = world().blocks.iter().map(|((chain, number), block)| KnownBlock {
            root,
            chain: *chain,
            number: BlockNumber(*number),
            hash: block.hash(),
        });
        let real = real().iter().map(|vector| {
            let bundle = Bundle::decode(&vector.proof).expect("vectors/real decodes");
            let hash = bundle.block.expect("vectors/real has blocks").block_hash;
            let (chain, number) = (bundle.statement.chain, bundle.statement.number);
            KnownBlock { root: vector.trusted, chain, number, hash }
        });
        made.chain(real).collect()
    })
}

fn real_bundles() -> Vec<Bundle> {
    let decode = |vector: &Vector| Bundle::decode(&vector.proof).expect("vectors/real decodes");
    real().iter().map(decode).collect()
}

/// Proof files: those of `vectors/`, good and bad, and those of the small log.
#[must_use]
pub fn proofs() -> Vec<Vec<u8>> {
    let mut hostile = vectors("hostile/proofs.json");
    for ledger in ["aptos", "bitcoin", "cosmos", "polkadot", "sui", "tron"] {
        hostile.extend(vectors(&format!("hostile/{ledger}.json")));
    }
    let vectors = real().iter().chain(&hostile).map(|vector| vector.proof.clone());
    vectors.chain(made().iter().map(Bundle::encode)).collect()
}

/// Proofs in calldata: those of `vectors/`, good and bad.
#[must_use]
pub fn calldata() -> Vec<Vec<u8>> {
    let files = ["real/calldata", "real/calldata-bitcoin", "hostile/calldata", "hostile/calldata-bitcoin"];
    let of_file = |file: &str| {
        let list = json_of(&folder().join(format!("{file}.json")));
        let list = list.as_array().expect("a list of vectors");
        list.iter().map(|one| hex_of(&one["calldata"])).collect::<Vec<_>>()
    };
    files.into_iter().flat_map(of_file).collect()
}

/// Scan files: those of `vectors/`, good and bad, and those of the small log.
#[must_use]
pub fn scans() -> Vec<Vec<u8>> {
    let list = json_of(&folder().join("hostile/scans.json"));
    let list = list.as_array().expect("a list of vectors");
    let mut seeds: Vec<Vec<u8>> = list.iter().map(|one| hex_of(&one["scan"])).collect();
    for (byte, range) in [(3, (4_096, 4_104)), (0xee, (6_140, 6_160)), (0, (6_144, 6_144))] {
        let filter = ScanFilter::new(vec![Address([byte; 20])], Default::default(), Vec::new());
        let filter = filter.expect("a short filter");
        seeds.push(world().scan(ETHEREUM, range, &filter, false, SEQUENCE).encode());
    }
    seeds
}

/// Places of all events of the small log that a scan under its root has to show; `None` under another
/// root.
#[must_use]
pub fn events_due(root: Hash, statement: &ScanStatement) -> Option<Vec<(u64, u32, u32)>> {
    if root != world().root(SEQUENCE) {
        return None;
    }
    let range = (statement.from.0, statement.to.0);
    let events = world().events(statement.chain, range, |log| statement.filter.passes(log));
    Some(events.iter().map(|event| (event.0, event.1, event.2)).collect())
}

/// Trie proofs, in the form of [`link`].
#[must_use]
pub fn tries() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for bundle in real_bundles().into_iter().chain(made()) {
        let Some((entry, index)) = bundle.entry.zip(bundle.statement.subject.tx_index()) else {
            continue;
        };
        let key = index_key(u64::from(index));
        let EntryProof::Evm(tries) = entry else { continue };
        let tries = [tries.transaction, tries.receipt].into_iter().flatten();
        seeds.extend(tries.map(|nodes| link::encode(&key, &nodes)));
    }
    // short leaves lie inside their parents
    let leaves: Vec<Vec<u8>> = (0..20_u8).map(|seed| vec![seed; 1 + usize::from(seed)]).collect();
    let trie = OrderedTrie::build(&leaves);
    seeds.extend([0, 1, 17, 40].map(|index| {
        link::encode(&index_key(index), &trie.prove(index).expect("the trie is whole"))
    }));
    seeds
}

/// Headers and receipts.
#[must_use]
pub fn leaves() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for bundle in real_bundles().into_iter().chain(made()) {
        let Ok(facts) = verify(&bundle, &policy()) else { continue };
        seeds.extend(bundle.block.map(|block| block.header));
        seeds.extend(facts.receipt.clone().map(|proven| proven.raw));
        seeds.extend(facts.transaction.clone().map(|proven| proven.raw));
    }
    seeds
}

/// Headers, transactions and rows of hashes of Bitcoin, out of lies about a block that is true.
#[must_use]
pub fn coins() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for vector in vectors("hostile/bitcoin.json") {
        let Ok(bundle) = Bundle::decode(&vector.proof) else { continue };
        seeds.extend(bundle.block.map(|block| block.header));
        let Some(EntryProof::Bitcoin(proofs)) = bundle.entry else { continue };
        for branch in [Some(proofs.transaction), proofs.coinbase].into_iter().flatten() {
            seeds.push(branch.siblings.iter().flat_map(|sibling| sibling.0).collect());
            seeds.push(branch.leaf);
        }
    }
    seeds
}

/// Headers and transactions of Tron, out of lies about a block that is true.
#[must_use]
pub fn transfers() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for vector in vectors("hostile/tron.json") {
        let Ok(bundle) = Bundle::decode(&vector.proof) else { continue };
        seeds.extend(bundle.block.map(|block| block.header));
        let Some(EntryProof::Tron(proof)) = bundle.entry else { continue };
        seeds.extend(proof.transaction.into_iter().chain(proof.peaks).map(|branch| branch.leaf));
    }
    seeds
}

/// Headers and transactions of the Cosmos family, out of lies about a block that is true, and a block as
/// a node sends it.
#[must_use]
pub fn comets() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for vector in vectors("hostile/cosmos.json") {
        let Ok(bundle) = Bundle::decode(&vector.proof) else { continue };
        seeds.extend(bundle.block.map(|block| block.header));
        let Some(EntryProof::Cosmos(proof)) = bundle.entry else { continue };
        seeds.extend(proof.transaction.map(|branch| branch.transaction));
    }
    let plan = superroot_chain::ledger::cosmos::build::CosmosBlockPlan {
        chain_id: "cosmoshub-4".to_owned(),
        number: BlockNumber(20_000_000),
        parent_hash: Hash([7; 32]),
        time: (1_700_000_000, 5),
        app_hash: Hash([9; 32]),
        proposer_address: [3; 20],
        transactions: vec![vec![1; 40], vec![2; 90]],
    };
    let raw = superroot_chain::ledger::cosmos::build::block(&plan);
    seeds.push(serde_json::to_vec(&raw).expect("a block is JSON"));
    seeds
}

/// Profiles, registries, references and SuperRoots.
#[must_use]
pub fn preimages() -> Vec<Vec<u8>> {
    let protocol = json_of(&folder().join("protocol/commitment.json"));
    let profiles = protocol["profiles"].as_array().expect("a list").iter().map(hex_of);
    let super_roots = protocol["super_roots"].as_array().expect("a list").iter();
    let super_roots = super_roots.map(|one| hex_of(&one["super_root_preimage"]));
    let blob = &world().published[SEQUENCE].blob;
    let references = blob.references.iter().map(|(_, reference)| reference.encode());
    let registry = ChainRegistry::builtin().proof_registry();
    let rows = registry.rows().iter().filter_map(|row| row.encode().ok());
    profiles.chain(super_roots).chain(references).chain(rows).collect()
}

/// Proofs as JSON, in every shape.
#[must_use]
pub fn answers() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for bundle in real_bundles().into_iter().chain(made()) {
        let Ok(facts) = verify(&bundle, &policy()) else { continue };
        let shape = |shape| render(&bundle, &facts, shape).to_string().into_bytes();
        seeds.extend(Shape::ALL.map(shape));
        let item = superroot_wire::batch_item(&shape(Shape::V5));
        seeds.push(superroot_wire::join_batch(&[item]));
    }
    seeds
}

/// Blobs, and proofs of consistency of every strength, each in both spellings.
#[must_use]
pub fn consistencies() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (from, to) in [(0, 1), (1, 2), (0, 3)] {
        let full = world().consistency(from, to);
        let proofs = [
            Consistency::Upgrade(Box::new(full.history.upgrade.clone())).into(),
            Consistency::History(Box::new(full.history.clone())).into(),
            Consistency::Full(Box::new(full.proof.clone())).into(),
            ConsistencyAnswer {
                proof: Consistency::Full(Box::new(full.proof.clone())),
                appended: Some(full.appended.clone()),
            },
        ];
        for case in [Case::Camel, Case::Snake] {
            seeds.extend(proofs.iter().map(|proof| render_consistency(proof, case)));
            let (blob, twigs) = (full.to.clone(), world().published[to].appended.clone());
            let appended_count = twigs.len() as u64;
            let answer = BlobAnswer { blob, appended_count, appended: Some(twigs) };
            seeds.push(render_blob(&answer, case));
        }
    }
    seeds.iter().map(|seed| seed.to_string().into_bytes()).collect()
}

/// A note that a log and its witnesses signed, a key, a secret, and policies.
#[must_use]
pub fn notes() -> Vec<Vec<u8>> {
    let log = Signer::new("fuzz.example/log", KeyKind::Log, &[1; 32]).expect("a key");
    let witness = |secret| {
        Signer::new("fuzz.example/witness", KeyKind::Witness, &[secret; 32]).expect("a key")
    };
    let origin = "fuzz.example/log".to_owned();
    let checkpoint = Checkpoint { origin, size: LogSize(3), root: Hash([5; 32]) }.to_string();
    let note = log.sign(&checkpoint, 0).joined(&witness(2).sign(&checkpoint, 1_700_000_000));
    let (one, two) = (witness(2).verifier().to_string(), witness(3).verifier().to_string());
    let key = log.verifier().to_string();
    let policy = format!(
        "log {key}\nwitness a {one} https://a.example\nwitness b {two}\n\
         group g 1 a b\nquorum g\n"
    );
    let none = format!("# nobody\nlog {key}\nquorum none\n");
    let secret = witness(2).to_secret().to_string();
    let texts = [note.to_string(), checkpoint, key, policy, none, secret];
    texts.map(String::into_bytes).into()
}

/// Blocks as nodes send them: the headers of `vectors/real`, a small one with a transaction and a
/// log, and recorded ones.
#[must_use]
pub fn node_blocks() -> Vec<Vec<u8>> {
    let headers = real_bundles().into_iter().filter_map(|bundle| bundle.block);
    let headers = headers.map(|block| header_json(&block.header, block.block_hash));
    let made = headers.map(|header| json!({ "block": header })).chain([small_block()]);
    made.map(|block| block.to_string().into_bytes()).chain(recordings()).collect()
}

/// A header as a node shows it.
fn header_json(rlp: &[u8], hash: Hash) -> Value {
    let header = Header::decode(Layout::Ethereum, rlp).expect("vectors/real has headers");
    let hex = |bytes: &[u8]| json!(const_hex::encode_prefixed(bytes));
    let quantity = |number: u64| json!(format!("{number:#x}"));
    json!({
        "hash": hash, "parentHash": header.parent_hash, "sha3Uncles": header.ommers_hash,
        "miner": header.beneficiary, "stateRoot": header.state_root,
        "transactionsRoot": header.transactions_root, "receiptsRoot": header.receipts_root,
        "logsBloom": hex(&header.logs_bloom.0),
        "difficulty": format!("{:#x}", alloy_primitives::U256::from_be_bytes(header.difficulty.unwrap_or_default())),
        "number": quantity(header.number), "gasLimit": header.gas_limit.map(quantity),
        "gasUsed": quantity(header.gas_used), "timestamp": quantity(header.timestamp),
        "extraData": hex(&header.extra_data), "mixHash": header.mix_hash,
        "nonce": header.nonce.map(|nonce| hex(&nonce)), "baseFeePerGas": header.base_fee_per_gas.map(quantity),
        "withdrawalsRoot": header.withdrawals_root,
        "blobGasUsed": header.blob_gas_used.map(quantity),
        "excessBlobGas": header.excess_blob_gas.map(quantity),
        "parentBeaconBlockRoot": header.parent_beacon_block_root,
        "requestsHash": header.requests_hash,
    })
}

/// One block with the transaction that EIP-155 works out by hand, and a receipt with a log.
fn small_block() -> Value {
    let address = "0x3535353535353535353535353535353535353535";
    let topic = "0x00000000000000000000000000000000000000000000000000000000000000aa";
    let mut bloom = Bloom::ZERO;
    bloom.insert(&hex_of(&json!(address)));
    bloom.insert(&hex_of(&json!(topic)));
    let bloom = const_hex::encode_prefixed(bloom.0);
    let mut block = json!({
        "hash": Hash::ZERO, "parentHash": Hash([1; 32]), "sha3Uncles": Hash([2; 32]), "miner": address,
        "stateRoot": Hash([3; 32]), "transactionsRoot": Hash::ZERO, "receiptsRoot": Hash::ZERO,
        "logsBloom": bloom, "difficulty": "0x0", "number": "0x64", "gasLimit": "0x1c9c380",
        "gasUsed": "0x5208", "timestamp": "0x6553f100", "extraData": "0x", "mixHash": Hash([4; 32]),
        "nonce": "0x0000000000000000",
        "transactions": [{
            "hash": "0x33469b22e9f636356c4160a87eb19df52b7412e8eac32a4a55ffe88ea8350788",
            "nonce": "0x9", "gasPrice": "0x4a817c800", "gas": "0x5208", "to": address,
            "value": "0xde0b6b3a7640000", "input": "0x", "v": "0x25",
            "r": "0x28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276",
            "s": "0x67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83",
        }],
    });
    let receipts = json!([{
        "transactionIndex": "0x0", "status": "0x1", "cumulativeGasUsed": "0x5208",
        "gasUsed": "0x5208", "logsBloom": bloom,
        "logs": [{ "address": address, "topics": [topic], "data": "0x01", "logIndex": "0x0" }],
    }]);
    let raw: superroot_chain::ledger::evm::raw::RawEvmBlock =
        serde_json::from_value(json!({ "block": block, "receipts": receipts })).expect("a block");
    use superroot_chain::ledger::evm::encode;
    let superroot_chain::ledger::evm::raw::RawTransactions::Full(transactions) = &raw.block.transactions
    else {
        unreachable!("the transactions stand above")
    };
    let transaction = encode::transaction(&transactions[0]).expect("a transaction");
    let receipt = encode::receipt(&raw.receipts.as_ref().expect("receipts")[0]).expect("a receipt");
    block["transactionsRoot"] = json!(OrderedTrie::build(&[transaction]).root());
    block["receiptsRoot"] = json!(OrderedTrie::build(&[receipt]).root());
    let raw = serde_json::from_value(block.clone()).expect("a block");
    let header = encode::header(&raw, Layout::Ethereum).expect("a header");
    block["hash"] = json!(keccak256(&header));
    json!({ "block": block, "receipts": receipts })
}

/// Small recorded blocks of Ethereum, as text.
fn recordings() -> Vec<Vec<u8>> {
    let Some(data) = std::env::var_os("SUPERROOT_DATA") else {
        eprintln!("SKIPPED: seeds of recorded blocks, SUPERROOT_DATA is not set");
        return Vec::new();
    };
    let folder = PathBuf::from(data).join("evm");
    let index = json_of(&folder.join("index.json"));
    let rows = index.as_array().expect("the index is a list").iter();
    let read = |row: &Value| {
        let file = fs::File::open(folder.join(row["file"].as_str()?)).ok()?;
        let mut text = Vec::new();
        flate2::read::GzDecoder::new(file).read_to_end(&mut text).ok()?;
        (text.len() <= RECORDING_BYTES_MAX).then_some(text)
    };
    rows.filter(|row| row["chainId"] == 1).filter_map(read).take(RECORDINGS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use superroot_chain::ledger::evm::raw::RawEvmBlock;
    use superroot_chain::{Extent, UntrustedBlock};

    use super::*;

    #[test]
    fn blocks_of_nodes_verify() {
        let ethereum = ChainRegistry::builtin().find("ethereum").unwrap();
        let mut whole = 0;
        for seed in node_blocks() {
            let raw: RawEvmBlock = serde_json::from_slice(&seed).unwrap();
            let verified = superroot_chain::verify(ethereum, &UntrustedBlock::Evm(Box::new(raw)));
            let extent = verified.map(|block| block.extent());
            whole += usize::from(extent == Ok(Extent { transactions: true, receipts: true }));
        }
        assert!(whole > 0, "no seed is a whole block");
    }

    #[test]
    fn proofs_are_genuine() {
        for bundle in real_bundles().into_iter().chain(made()) {
            let facts = verify(&bundle, &policy()).unwrap();
            assert!(blocks().iter().any(|block| Some(block.root) == facts.super_root_hash()));
            crate::assert_genuine(&facts);
        }
    }

    #[test]
    fn every_kind_has_seeds() {
        let kinds = [
            proofs(),
            calldata(),
            scans(),
            tries(),
            leaves(),
            preimages(),
            answers(),
            consistencies(),
            node_blocks(),
        ];
        for seeds in kinds {
            assert!(seeds.len() >= 10, "{} seeds", seeds.len());
        }
    }
}

/// Headers, trie nodes and values of Polkadot, out of lies about a block that is true and out of the
/// vectors of another program, and blocks as nodes send them.
#[must_use]
pub fn dots() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for vector in vectors("hostile/polkadot.json") {
        let Ok(bundle) = Bundle::decode(&vector.proof) else { continue };
        seeds.extend(bundle.block.map(|block| block.header));
        let Some(EntryProof::Polkadot(proofs)) = bundle.entry else { continue };
        seeds.extend(proofs.extrinsic);
        seeds.extend(proofs.events.into_iter().flatten());
    }
    let tries = json_of(&folder().join("polkadot/tries.json"));
    let lists = ["extrinsics", "states"].into_iter().flat_map(|name| tries[name].as_array());
    for one in lists.flatten() {
        let proofs = one["proofs"].as_array().into_iter().flatten().map(|proof| &proof["nodes"]);
        let nodes = proofs.chain([&one["nodes"]]).filter_map(Value::as_array).flatten();
        seeds.extend(nodes.map(hex_of));
    }
    let plan = superroot_chain::ledger::polkadot::BlockPlan {
        number: BlockNumber(9),
        parent_hash: Hash([1; 32]),
        version: superroot_proof::ledger::polkadot::StateVersion::V1,
        extrinsics: vec![superroot_chain::ledger::polkadot::timestamp_extrinsic(3, 1 << 41), vec![4; 40]],
        events: vec![vec![0; 12]; 3],
        digest: vec![vec![8]],
    };
    let block = superroot_chain::ledger::polkadot::build_block(&plan);
    seeds.push(json!(block).to_string().into_bytes());
    seeds
}
