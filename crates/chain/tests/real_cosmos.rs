//! Real headers, blocks and proofs of chains of the Cosmos family, found through `SUPERROOT_DATA` alone.

use std::path::PathBuf;
use std::sync::OnceLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use superroot_chain::ledger::cosmos::{RawCosmosBlock, RawCosmosCommit};
use superroot_chain::{ChainError, ChainRegistry, UntrustedBlock, VerifiedBlock, verify};
use superroot_proof::bundle::{
    self, BlockLevel, Bundle, EntryProof, Policy, ProofSubject, Statement,
};
use superroot_proof::finality::commit::CommitParams;
use superroot_proof::finality::{FinalityParams, FinalitySet, Verdict, check_evidence};
use superroot_proof::ledger::cosmos::{Branch, TreeProof};
use superroot_proof::ledger::{Body, NoEntry};
use superroot_types::*;

/// The folder of the family's data; `None`, loudly, when there is none.
fn folder() -> Option<PathBuf> {
    let Ok(data) = std::env::var("SUPERROOT_DATA") else {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, no block of the Cosmos family was read");
        return None;
    };
    Some(PathBuf::from(data).join("other/cometbft"))
}

fn networks() -> &'static ChainRegistry {
    static ROWS: OnceLock<ChainRegistry> = OnceLock::new();
    ROWS.get_or_init(|| ChainRegistry::parse(include_str!("test_networks.toml")).unwrap())
}

fn json(file: &str) -> Option<Value> {
    let text = std::fs::read_to_string(folder()?.join(file)).expect("a file of the index");
    Some(serde_json::from_str(&text).expect("json"))
}

/// A block out of the objects of an answer: a header, what says its hash, and transactions.
fn raw(header: &Value, hash: &Value, txs: Option<&Value>) -> RawCosmosBlock {
    let hash = const_hex::decode(hash.as_str().unwrap()).unwrap();
    RawCosmosBlock {
        hash: Hash(hash.try_into().unwrap()),
        header: serde_json::from_value(header.clone()).unwrap(),
        txs: txs.map(|txs| serde_json::from_value(txs.clone()).unwrap()),
        commit: None,
    }
}

fn check(network: &str, raw: &RawCosmosBlock) -> Result<VerifiedBlock, ChainError> {
    let row = networks().find(network).unwrap();
    verify(row, &UntrustedBlock::Cosmos(Box::new(raw.clone())))
}

/// Level 2 of a block, with level 1 of a subject.
fn bundle(block: &VerifiedBlock, subject: ProofSubject) -> Bundle {
    let entry = block.body().map(|body| body.prove(subject, true).unwrap());
    let statement = Statement { chain: block.chain(), number: block.number(), subject };
    let (header, block_hash) = (block.header().to_vec(), block.hash());
    let block = Some(BlockLevel { header, block_hash, twig: None });
    Bundle { origin: "recorded/test".to_owned(), statement, entry: entry.flatten(), block }
}

/// One changed digit of any field of the header, and each of the hash, is refused.
fn check_bent(network: &str, good: &RawCosmosBlock) {
    let header = serde_json::to_value(&good.header).unwrap();
    let fields = header.as_object().unwrap();
    for (field, value) in fields.iter().filter(|(_, value)| value.is_string()) {
        let text = value.as_str().unwrap();
        let last = text.rfind(|digit: char| digit.is_ascii_alphanumeric() && digit != 'Z');
        let Some(at) = last else { continue };
        let digit = if &text[at..=at] == "1" { "2" } else { "1" };
        let mut bent = header.clone();
        bent[field] = Value::from(format!("{}{digit}{}", &text[..at], &text[at + 1..]));
        let bent = RawCosmosBlock { header: serde_json::from_value(bent).unwrap(), ..good.clone() };
        let error = check(network, &bent).unwrap_err().to_string();
        assert!(error.starts_with("block_id.hash is ") || field == "chain_id", "{field}: {error}");
    }
    let mut bent = good.clone();
    bent.hash.0[31] ^= 1;
    assert_eq!(check(network, &bent).unwrap_err().check().name(), "header_hash");
}

#[test]
fn headers_of_mocha_4_hash_to_what_its_validators_signed() {
    let Some(folder) = folder() else { return };
    let mut blocks = Vec::new();
    for file in std::fs::read_dir(folder.join("mocha-4")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let answer = json(&format!("mocha-4/{name}")).unwrap();
        let result = &answer["result"];
        let raw = raw(
            &result["header"],
            &result["commit"]["block_id"]["hash"],
            Some(&result["data"]["txs"]),
        );
        let block = check("celestia-mocha", &raw).unwrap();
        assert_eq!(format!("{}.json", block.number()), name);
        assert_eq!((block.extent().transactions, block.tx_count()), (false, None));
        assert!(block.body_withheld().unwrap().contains("square"));
        let facts = bundle::verify(
            &bundle(&block, ProofSubject::Block),
            &Policy::strict(networks().proof_registry()),
        );
        assert!(facts.unwrap().number_bound);
        check_bent("celestia-mocha", &raw);
        blocks.push(block);
    }
    blocks.sort_by_key(VerifiedBlock::number);
    let neighbours = blocks.windows(2).filter(|two| two[0].number().0 + 1 == two[1].number().0);
    let linked = neighbours.inspect(|two| assert_eq!(two[1].parent_hash(), two[0].hash())).count();
    assert_eq!((blocks.len(), linked), (11, 6));
}

#[test]
fn a_private_chain_is_linked_from_its_first_block_on() {
    let Some(headers) = json("celestia-private/extended_headers_1_64.json") else { return };
    let mut parent = Hash::ZERO;
    for (height, one) in (1_u64..).zip(headers.as_array().unwrap()) {
        let raw = raw(&one["header"], &one["commit"]["block_id"]["hash"], None);
        let block = check("celestia-private", &raw).unwrap();
        assert_eq!((block.number(), block.parent_hash()), (BlockNumber(height), parent));
        parent = block.hash();
        if height < 4 {
            check_bent("celestia-private", &raw);
            let other = check("celestia-mocha", &raw).unwrap_err();
            assert_eq!(other.check().name(), "chain_id");
        }
    }
    assert_eq!(headers.as_array().unwrap().len(), 64);
}

#[test]
fn blocks_and_commits_of_local_nodes_verify_and_show_that_they_are_empty() {
    for (network, folder) in
        [("gaia-local", "rpc/gaia"), ("cometbft-local", "rpc/kvstore/v0_38/incoming")]
    {
        let Some(answer) = json(&format!("{folder}/block_at_height_10.json")) else { return };
        let (id, block) = (&answer["result"]["block_id"], &answer["result"]["block"]);
        let whole = raw(&block["header"], &id["hash"], Some(&block["data"]["txs"]));
        let verified = check(network, &whole).unwrap();
        assert_eq!((verified.number(), verified.tx_count()), (BlockNumber(10), Some(0)));
        check_bent(network, &whole);
        let policy = Policy::strict(networks().proof_registry());
        let absence = bundle(&verified, ProofSubject::Absence { tx_index: 0 });
        assert_eq!(bundle::verify(&absence, &policy).unwrap().tx_count, Some(0));
        let none = verified.body().unwrap().prove(ProofSubject::Transaction { tx_index: 0 }, true);
        assert_eq!(none, Err(NoEntry::NoTransaction { tx_index: 0 }));
        let more = RawCosmosBlock { txs: Some(vec!["YQ==".into()]), ..whole };
        assert_eq!(check(network, &more).unwrap_err().check().name(), "transactions_root");

        let answer = json(&format!("{folder}/commit_at_height_10.json")).unwrap();
        let signed = &answer["result"]["signed_header"];
        let raw = raw(&signed["header"], &signed["commit"]["block_id"]["hash"], None);
        let of_commit = check(network, &raw).unwrap();
        assert_eq!((of_commit.number(), of_commit.body()), (BlockNumber(10), None::<&Body>));
    }
}

/// Proofs that nodes made of their own transactions: all blocks have one.
#[test]
fn proofs_of_nodes_lead_to_the_same_roots() {
    let mut shown = 0;
    for version in ["v0_34", "v0_38"] {
        let file = format!("kvstore/{version}_tx_search_with_prove.json");
        let Some(answer) = json(&file) else { return };
        for tx in answer["result"]["txs"].as_array().unwrap() {
            let proof = &tx["proof"]["proof"];
            assert_eq!(
                (&proof["total"], &proof["aunts"]),
                (&"1".into(), &Value::Array(Vec::new()))
            );
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let raw = STANDARD.decode(text(&tx["tx"])).unwrap();
            let number: u64 = text(&tx["height"]).parse().unwrap();
            let subject = ProofSubject::Transaction { tx_index: 0 };
            let chain = networks().find("cometbft-local").unwrap().key();
            let branch = Branch { transaction: raw.clone(), siblings: Vec::new() };
            let entry = TreeProof { tx_count: 1, transaction: Some(branch), peaks: Vec::new() };
            let bundle = Bundle {
                origin: "recorded/test".to_owned(),
                statement: Statement { chain, number: BlockNumber(number), subject },
                entry: Some(EntryProof::Cosmos(entry)),
                block: None,
            };
            let facts =
                bundle::verify(&bundle, &Policy::strict(networks().proof_registry())).unwrap();
            let hex = |hash: Hash| Value::from(const_hex::encode_upper(hash.0));
            assert_eq!(hex(facts.transactions_root.unwrap()), tx["proof"]["root_hash"]);
            assert_eq!(hex(facts.transaction.as_ref().unwrap().hash), tx["hash"]);
            shown += 1;
        }
    }
    assert_eq!(shown, 18);
}

/// The light block that `index.json` of the finality data names: header, commit and validators.
fn light_block() -> Option<RawCosmosBlock> {
    let file = folder()?.join("../../finality/cometbft/mocha-4_2279100.json.gz");
    let unpacked = flate2::read::GzDecoder::new(std::fs::File::open(file).unwrap());
    let json: Value = serde_json::from_reader(unpacked).unwrap();
    let commit = &json["signed_header"]["commit"];
    let mut good = raw(&json["signed_header"]["header"], &commit["block_id"]["hash"], None);
    let mut validators = json["validator_set"]["validators"].clone();
    for one in validators.as_array_mut().unwrap() {
        one["voting_power"] = one["power"].clone();
    }
    let commit = serde_json::json!({
        "round": commit["round"],
        "parts": commit["block_id"]["parts"],
        "signatures": commit["signatures"],
        "validators": validators,
    });
    good.commit = Some(serde_json::from_value(commit).unwrap());
    Some(good)
}

#[test]
fn a_real_commit_becomes_evidence_and_a_wrong_one_does_not() {
    let Some(good) = light_block() else { return };
    let verified = check("celestia-mocha", &good).unwrap();
    let signed = verified.signed().unwrap();
    assert_eq!((signed.evidence.number, signed.evidence.hash), (verified.number(), good.hash));
    assert_eq!(signed.ends_set, None);
    assert!(signed.evidence.body.len() < 5_000, "the nine with the most power are enough");
    let params = FinalityParams::Commit(CommitParams {
        chain_id: "mocha-4".to_owned(),
        set_blocks: 100,
        trusted_seconds: 14 * 86_400,
    });
    let set = FinalitySet::named_by(&params, &signed.evidence.body).unwrap();
    let verdict = check_evidence(&params, &set, &signed.evidence, verified.timestamp());
    assert!(matches!(verdict, Verdict::Shown(_)), "{verdict:?}");
    let lacks = |change: fn(&mut RawCosmosCommit)| {
        let mut changed = good.clone();
        change(changed.commit.as_mut().unwrap());
        assert!(check("celestia-mocha", &changed).unwrap().signed().is_none());
    };
    lacks(|commit| commit.round += 1);
    lacks(|commit| commit.parts.total += 1);
    lacks(|commit| commit.parts.hash.clear());
    lacks(|commit| commit.validators.swap(0, 1));
    lacks(|commit| commit.validators[0].voting_power.push('1'));
    lacks(|commit| commit.validators[0].pub_key.name = "tendermint/PubKeySecp256k1".to_owned());
    lacks(|commit| commit.signatures.truncate(9));
    lacks(|commit| commit.signatures.iter_mut().for_each(|one| one.block_id_flag = 3));
    lacks(|commit| commit.signatures.iter_mut().for_each(|one| one.signature = None));
    lacks(|commit| commit.signatures.rotate_left(1));
    // a wrong vote stops no others
    let mut one_wrong = good.clone();
    one_wrong.commit.as_mut().unwrap().signatures[0].timestamp = "2024-07-16T21:21:23Z".to_owned();
    let verified = check("celestia-mocha", &one_wrong).unwrap();
    let body = &verified.signed().unwrap().evidence.body;
    assert_ne!(body, &signed.evidence.body);
}
