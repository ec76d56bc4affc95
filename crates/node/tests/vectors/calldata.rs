//! `vectors/real/calldata.json`: real blocks in a made-up log as large as all EVM chains from genesis, each proof in the
//! form for contracts. `vectors/hostile/calldata.json`: such bytes that must be refused.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use superroot_chain::ChainRegistry;
use superroot_collect::{CollectConfig, Collector, WatchFilter};
use superroot_proof::bundle::*;
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::Body;
use superroot_proof::superroot::log_id;
use superroot_source::Recordings;
use superroot_store::{MemoryStore, Store, read as blocks};
use superroot_types::*;

use crate::made::{ORIGIN, anchored};
use crate::{read, same_in_file};

/// A proof of a real block.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RealCalldata {
    name: String,
    origin: String,
    log_id: Hash,
    chain_id: u64,
    block_number: u64,
    block_hash: Hash,
    /// `block`, `transaction` or `event`.
    shows: String,
    /// Whether its twig is open.
    open: bool,
    tx_index: Option<u32>,
    log_index: Option<u32>,
    /// Of an event.
    emitter: Option<String>,
    topics: Option<Vec<Hash>>,
    /// Keccak-256 over the event's data.
    data_hash: Option<Hash>,
    sequence: u64,
    /// Hash of the SuperRoot to which it leads.
    trusted: Hash,
    calldata: String,
}

fn real(name: String, bundle: &Bundle) -> RealCalldata {
    let facts = verify(bundle, &Policy::strict(ChainRegistry::builtin().proof_registry()));
    let facts = facts.unwrap_or_else(|error| panic!("{name}: {error}"));
    let log = facts.log().map(|proven| &proven.log);
    RealCalldata {
        name,
        origin: ORIGIN.to_owned(),
        log_id: log_id(ORIGIN).unwrap(),
        chain_id: facts.statement.chain.id.0,
        block_number: facts.statement.number.0,
        block_hash: facts.block_hash.unwrap(),
        shows: facts.statement.subject.name().to_owned(),
        open: matches!(bundle.place(), Some(TwigPosition::Open(_))),
        tx_index: facts.statement.tx_index(),
        log_index: facts.statement.log_index(),
        emitter: log.map(|log| format!("0x{}", const_hex::encode(log.address.0))),
        topics: log.map(|log| log.topics.clone()),
        data_hash: log.map(|log| keccak256(&log.data)),
        sequence: facts.super_root.unwrap().sequence.0,
        trusted: facts.super_root_hash().unwrap(),
        calldata: const_hex::encode(bundle.to_calldata().unwrap()),
    }
}

/// Proofs of real blocks of a chain: a few events a block, and a block and a transaction now and then.
async fn of_chain(slug: &str, most: usize) -> Vec<RealCalldata> {
    let Some(data) = std::env::var_os("SUPERROOT_DATA") else { return Vec::new() };
    let folder = std::path::Path::new(&data).join("evm");
    let recordings = Recordings::open(&[folder], ChainRegistry::builtin()).unwrap();
    let row = ChainRegistry::builtin().find(slug).unwrap().clone();
    let source = Arc::new(Arc::new(recordings).source(row.key()).unwrap());
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let config = CollectConfig { watch: WatchFilter::All, ..CollectConfig::default() };
    let mut collector = Collector::new(store.clone(), source, row.clone(), config);
    for _ in 0..64 {
        collector.step(UnixSeconds(1 << 31)).await.unwrap();
    }
    let all = BlockNumber(0)..BlockNumber(u64::MAX);
    let mut held = blocks::load_blocks(&*store, row.key(), all, 10_000).unwrap();
    // of all times, in an order that follows from the numbers
    held.sort_by_key(|(number, _)| keccak256(&number.0.to_be_bytes()));
    let mut found = Vec::new();
    for (nth, (number, block)) in held.into_iter().enumerate() {
        let Some(Body::Evm(tries)) = blocks::load_body(&*store, row.key(), number).unwrap() else {
            continue;
        };
        let Some(receipts) = tries.receipts else { continue };
        let count = block.tx_count.unwrap_or(0);
        let open = nth % 2 == 1;
        let level = || Some(anchored(row.key(), number, &block.header, open));
        let base = |subject| Bundle {
            origin: ORIGIN.to_owned(),
            statement: Statement { chain: row.key(), number, subject },
            entry: None,
            block: level(),
        };
        let name = |what: String| format!("{slug} {number} {what}");
        for part in 1..=6_u32 {
            let tx_index = count * part / 7;
            let Ok(Some(leaf)) = receipts.leaf(tx_index.into()) else { continue };
            let Ok(receipt) = superroot_proof::ledger::evm::Receipt::decode(leaf) else { continue };
            let Some(last) = receipt.logs.len().checked_sub(1) else { continue };
            let log_index = u32::try_from(last * part as usize / 7).unwrap();
            let receipt = Some(receipts.prove(tx_index.into()).unwrap());
            let entry = Some(EntryProof::Evm(TrieProofs { transaction: None, receipt }));
            let bundle = Bundle { entry, ..base(ProofSubject::Log { tx_index, log_index }) };
            if bundle.to_calldata().is_ok() {
                found.push(real(name(format!("event {tx_index} {log_index}")), &bundle));
            }
        }
        if nth % 4 < 2 {
            found.push(real(name("block".to_owned()), &base(ProofSubject::Block)));
            if let Some(trie) = &tries.transactions
                && count > 0
                && let Ok(nodes) = trie.prove(0)
            {
                let tries = TrieProofs { transaction: Some(nodes), receipt: None };
                let entry = Some(EntryProof::Evm(tries));
                let subject = ProofSubject::Transaction { tx_index: 0 };
                found.push(real(
                    name("transaction 0".to_owned()),
                    &Bundle { entry, ..base(subject) },
                ));
            }
        }
        if found.len() >= most {
            break;
        }
    }
    found.dedup_by(|one, other| one.name == other.name);
    found
}

/// Two hundred and more real proofs, of every EVM chain of which blocks are recorded.
#[tokio::test]
async fn real_proofs_have_a_form_for_contracts() {
    let slugs = [
        ("ethereum", 120),
        ("optimism", 60),
        ("base", 50),
        ("bnb", 40),
        ("arbitrum", 40),
        ("polygon", 40),
        ("gnosis", 40),
        ("celo", 30),
        ("linea", 12),
        ("scroll", 12),
        ("monad", 10),
        ("hyperevm", 10),
        ("taiko", 10),
    ];
    let mut made = Vec::new();
    for (slug, most) in slugs {
        made.extend(of_chain(slug, most).await);
    }
    let vectors: Vec<RealCalldata> = match made.is_empty() {
        true => {
            eprintln!("SKIPPED: SUPERROOT_DATA is not set, real proofs are read and not made");
            read("real/calldata.json")
        }
        false => same_in_file("real/calldata.json", &made, |one| &one.name),
    };
    let policy = Policy::strict(ChainRegistry::builtin().proof_registry());
    for vector in &vectors {
        let bytes = const_hex::decode(&vector.calldata).unwrap();
        let bundle = Bundle::from_calldata(&bytes, &vector.origin).unwrap();
        assert_eq!(bundle.to_calldata().unwrap(), bytes, "{}", vector.name);
        let facts = verify_anchored(&bundle, &policy, &vector.trusted).unwrap();
        assert_eq!(facts.statement.chain.id.0, vector.chain_id);
        assert_eq!(facts.statement.number.0, vector.block_number);
    }
    let events = vectors.iter().filter(|one| one.shows == "event").count();
    assert!(vectors.len() >= 200 && events >= 150, "{} proofs, {events} events", vectors.len());
    let sizes = |is_open: bool, shows: &str| {
        let of = vectors.iter().filter(|one| one.open == is_open && one.shows == shows);
        let mut sizes: Vec<usize> = of.map(|one| one.calldata.len() / 2).collect();
        sizes.sort_unstable();
        (sizes.get(sizes.len() / 2).copied(), sizes.get(sizes.len() * 9 / 10).copied(), sizes.len())
    };
    for shows in ["event", "block", "transaction"] {
        eprintln!("{shows}: sealed {:?}, open {:?}", sizes(false, shows), sizes(true, shows));
    }
}
