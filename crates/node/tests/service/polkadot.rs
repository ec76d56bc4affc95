//! Polkadot the whole way: recording -> service -> HTTP -> file -> `superroot verify` in another process.
//! Made-up blocks with events are always at hand; real blocks of Westend with `SUPERROOT_DATA`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Service, superroot, verify};
use serde_json::{Value, json};
use superroot_chain::ledger::polkadot::{
    BlockPlan, RawPolkadotBlock, build_block, hash_of, timestamp_extrinsic,
};
use superroot_proof::bundle::Bundle;
use superroot_proof::hash::blake2b_256;
use superroot_proof::ledger::polkadot::{Header, StateVersion, compact};
use superroot_types::{BlockNumber, Hash};

/// Westend's row, beside the built-in ones.
const WESTEND: &str = r#"
[[chain]]
id = 1900042
name = "Westend"
slug = "westend"
family = "polkadot"
caip2 = "polkadot:e143f23803ac50e8f6f8e62695d1ce9e"
aliases = []
timestamp_pallet = 2
evidence = "node_quorum"
block_time_ms = 6000
rules = [{ from = 0, code = 0x0301 }]
"#;

/// A recordings folder with an index.
fn recordings(folder: &Path, chain_id: u64, blocks: &[RawPolkadotBlock]) -> PathBuf {
    let folder = folder.join("recordings");
    fs::create_dir_all(&folder).unwrap();
    let mut index = Vec::new();
    for block in blocks {
        let (number, hash) = (block.header.number, block.hash);
        let mut members = json!(block);
        members["number"] = json!(number);
        let capture = json!({ "chainId": chain_id, "network": "polkadot", "block": members });
        let file = format!("{number}.json");
        fs::write(folder.join(&file), capture.to_string()).unwrap();
        index.push(json!({ "chainId": chain_id, "block": number, "hash": hash, "file": file }));
    }
    fs::write(folder.join("index.json"), json!(index).to_string()).unwrap();
    folder
}

struct Shop {
    work: tempfile::TempDir,
    service: Service,
    /// Further arguments of `superroot verify`.
    rows: Option<PathBuf>,
    root: String,
}

impl Shop {
    async fn open(chain: &str, chain_id: u64, blocks: &[RawPolkadotBlock], own: bool) -> Self {
        let work = tempfile::tempdir().unwrap();
        let from = recordings(work.path(), chain_id, blocks);
        let mut command = superroot();
        command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
        command.args(["serve", "--listen", "127.0.0.1:0", "--chain", chain, "--data"]);
        command.arg(work.path().join("data")).arg("--replay").arg(from);
        let rows = own.then(|| work.path().join("rows.toml"));
        if let Some(rows) = &rows {
            fs::write(rows, WESTEND).unwrap();
            command.arg("--chains").arg(rows);
        }
        let service = Service::start(&mut command, "listening on");
        service.ready().await;
        let root = service.json("/v5/superroot").await;
        let root = root["superRootHash"].as_str().unwrap().to_owned();
        Self { work, service, rows, root }
    }

    fn verify(&self, file: &Path) -> (i32, String) {
        let Some(rows) = &self.rows else { return verify(file, &self.root) };
        let mut command = superroot();
        command.arg("verify").arg(file).args(["--superroot", &self.root, "--chains"]).arg(rows);
        crate::support::operator::run(&mut command)
    }

    /// A route's answer, held in both forms by another process; one changed bit is refused. Gives the
    /// size of the file as well.
    async fn check(&self, path: &str) -> (Value, String, usize) {
        let body = self.service.json(path).await;
        let file = self.work.path().join("proof");
        fs::write(&file, body.to_string()).unwrap();
        let (code, screen) = self.verify(&file);
        assert_eq!(code, 0, "{path}: {screen}");
        let mut binary = superroot_wire::proof::parse(&body).unwrap().encode();
        fs::write(&file, &binary).unwrap();
        let (code, screen) = self.verify(&file);
        assert_eq!(code, 0, "{path}: {screen}");
        let size = binary.len();
        binary[size / 2] ^= 1;
        fs::write(&file, &binary).unwrap();
        assert_ne!(self.verify(&file).0, 0, "{path}");
        (body, screen, size)
    }
}

/// Made-up blocks of Polkadot with events.
fn made_up(version: StateVersion) -> Vec<RawPolkadotBlock> {
    let mut parent_hash = Hash([7; 32]);
    (0..3_u8)
        .map(|place| {
            let time = 1_780_000_000_000 + u64::from(place) * 6_000;
            let mut extrinsics = vec![timestamp_extrinsic(3, time)];
            extrinsics.extend((0..20).map(|at| [&[0x84, place, at][..], &[at; 100]].concat()));
            let plan = BlockPlan {
                number: BlockNumber(31_500_000 + u64::from(place)),
                parent_hash,
                version,
                extrinsics,
                events: (0..30).map(|event| vec![0; 10 + event]).collect(),
                digest: vec![b"\x05BABE\x08ab".to_vec()],
            };
            let block = build_block(&plan);
            parent_hash = block.hash;
            block
        })
        .collect()
}

/// Inherents of equal bytes stand in many blocks: each is found, and proven where it is named.
#[tokio::test(flavor = "multi_thread")]
async fn an_extrinsic_of_several_blocks_is_found_in_all_of_them_and_proven_at_each() {
    let inherent = [&[0x04_u8, 54, 0][..], &[0; 40]].concat();
    let mut parent_hash = Hash([7; 32]);
    let blocks = (0..3_u64).map(|place| {
        let time = timestamp_extrinsic(3, 1_780_000_000_000 + place * 6_000);
        let plan = BlockPlan {
            number: BlockNumber(31_500_000 + place),
            parent_hash,
            version: StateVersion::V1,
            // in the last one twice
            extrinsics: [vec![time], vec![inherent.clone(); 1 + usize::from(place == 2)]].concat(),
            events: vec![vec![0; 10]],
            digest: vec![b"\x05BABE\x08ab".to_vec()],
        };
        let block = build_block(&plan);
        parent_hash = block.hash;
        block
    });
    let blocks: Vec<_> = blocks.collect();
    let leaf = &blocks[0].extrinsics.as_ref().unwrap()[1];
    let hash = blake2b_256(leaf);
    let shop = Shop::open("polkadot", 400, &blocks, false).await;
    let found = shop.service.json(&format!("/v5/find/{hash}")).await;
    let matches = found["matches"].as_array().unwrap();
    let places: Vec<_> =
        matches.iter().map(|one| [&one["blockNumber"], &one["transactionIndex"]]).collect();
    let first = 31_500_000;
    let expected = [(first, 1), (first + 1, 1), (first + 2, 1), (first + 2, 2)];
    assert_eq!(json!(places), json!(expected.map(|(number, index)| [number, index])));
    for (one, (number, tx_index)) in matches.iter().zip(expected) {
        let (body, ..) = shop.check(one["proofUrl"].as_str().unwrap()).await;
        assert_eq!(
            (&body["blockNumber"], &body["transactionIndex"]),
            (&json!(number), &json!(tx_index))
        );
        assert_eq!(body["transactionHash"], hash.to_string());
    }
    let (lowest, ..) = shop.check(&format!("/v5/tx/polkadot/{hash}")).await;
    assert_eq!(lowest["blockNumber"], first);
}

#[tokio::test(flavor = "multi_thread")]
async fn made_up_blocks_are_proven_with_their_events_and_say_what_is_not() {
    for version in [StateVersion::V0, StateVersion::V1] {
        let blocks = made_up(version);
        let shop = Shop::open("polkadot", 400, &blocks, false).await;
        let block = &blocks[1];
        let number = block.header.number;
        let (body, screen, _) = shop.check(&format!("/v5/proof/polkadot/{number}")).await;
        assert_eq!(body["blockHash"], block.hash.to_string());
        assert_eq!((&body["numberBound"], &body["family"]), (&json!(true), &json!("polkadot")));
        let header = &body["header"];
        assert_eq!(header["extrinsicsRoot"], block.header.extrinsics_root.to_string());
        assert_eq!(header["number"], format!("{number:#x}"));
        assert_eq!(header["digest"]["logs"], json!(block.header.digest.logs));
        assert!(screen.contains(&block.hash.to_string()), "{screen}");
        for (tx_index, leaf) in block.extrinsics.iter().flatten().enumerate().step_by(10) {
            let hash = blake2b_256(leaf);
            let (body, screen, _) = shop.check(&format!("/v5/tx/polkadot/{hash}")).await;
            assert_eq!(body["transactionHash"], hash.to_string());
            assert_eq!(body["transactionIndex"], tx_index);
            assert_eq!(body["rawTransaction"], json!(leaf));
            let kind = if tx_index == 0 { "bare" } else { "signed" };
            assert_eq!(body["transaction"]["kind"], kind);
            assert!(screen.contains(&hash.to_string()), "{screen}");
            check_event(&shop, block, tx_index, &hash).await;
        }
        let path = format!("/v5/proof/absence/polkadot/{number}/21");
        shop.check(&path).await;
        let there = format!("/v5/proof/absence/polkadot/{number}/20");
        assert_eq!(shop.service.answer(&there).await.1["code"], "not_provable");
        check_batch(&shop, number).await;
    }
}

/// The list of events, by place and by hash, and what the answer calls not proven.
async fn check_event(shop: &Shop, block: &RawPolkadotBlock, tx_index: usize, hash: &Hash) {
    let number = block.header.number;
    let mut list = compact(30);
    (0..30).for_each(|event| list.extend(vec![0; 10 + event]));
    for path in
        [format!("/v5/proof/event/400/{number}/{tx_index}/29"), format!("/v5/event/dot/{hash}/29")]
    {
        let (body, screen, _) = shop.check(&path).await;
        let event = &body["event"];
        assert_eq!(event["list"], const_hex::encode_prefixed(&list));
        assert_eq!((&event["recordCount"], &event["logIndex"]), (&json!(30), &json!(29)));
        assert_eq!(body["stateRoot"], block.header.state_root.to_string());
        let not_proven = body["notProven"].as_array().unwrap();
        for name in ["event.logIndex", "transactionIndex"] {
            assert!(not_proven.contains(&json!(name)), "{not_proven:?}");
        }
        assert!(screen.contains("which bytes of the list the event is"), "{screen}");
        assert!(screen.contains(&format!("an event of block {number} of Polkadot")), "{screen}");
        let file = superroot_wire::proof::parse(&body).unwrap().encode();
        shop.service.assert_not_shown(&file, &["tx_index", "log_index"]).await;
        assert!(screen.contains("the block's events, 30 in all, of which event 29"), "{screen}");
    }
    let (status, body) = shop.service.answer(&format!("/v5/event/dot/{hash}/30")).await;
    assert_eq!((status, &body["event_count"]), (404, &json!(30)), "{body}");
    let past = format!("/v5/proof/event/polkadot/{number}/21/0");
    assert_eq!(shop.service.get(&past).await.0, 404);
}

async fn check_batch(shop: &Shop, number: u64) {
    let items = json!({ "items": [
        { "chain": "polkadot", "block": number },
        { "chain": "polkadot", "block": number, "txIndex": 3, "logIndex": 7 },
        { "chain": "polkadot", "block": number, "txIndex": 4, "logIndex": 8 },
        { "chain": "polkadot", "block": number, "txIndex": 9_999, "absent": true },
    ] });
    let (_, answer) = shop.service.post("/v5/proof/batch", "", &items).await;
    let bundles: Vec<Bundle> = superroot_wire::proof::parse_batch(&answer).unwrap();
    assert_eq!(bundles.len(), 4);
    let policy = superroot_chain::ChainRegistry::builtin().proof_registry();
    let policy = superroot_proof::bundle::Policy::strict(policy);
    for bundle in bundles {
        superroot_proof::bundle::verify(&bundle, &policy).unwrap();
    }
    for route in [
        "/kv/proof/polkadot",
        "/api/lambda/proof-bundle/block/polkadot",
        "/api/v5/proof/blob/polkadot",
    ] {
        let body = shop.service.json(&format!("{route}/{number}")).await;
        assert_eq!(body["block_number"], number, "{route}");
    }
}

/// A block whose node had dropped the state: its extrinsics are proven, its events are not held.
#[tokio::test(flavor = "multi_thread")]
async fn events_that_no_node_proved_are_said_to_be_missing() {
    let mut blocks = made_up(StateVersion::V1);
    blocks.iter_mut().for_each(|block| block.read_proof = None);
    let shop = Shop::open("polkadot", 400, &blocks, false).await;
    let number = blocks[0].header.number;
    let hash = blake2b_256(&blocks[0].extrinsics.as_ref().unwrap()[1]);
    shop.check(&format!("/v5/tx/polkadot/{hash}")).await;
    let (status, body) =
        shop.service.answer(&format!("/v5/proof/event/polkadot/{number}/1/0")).await;
    assert_eq!((status, &body["code"]), (404, &json!("not_indexed")), "{body}");
    assert!(body["detail"].as_str().unwrap().contains("events are not held"), "{body}");
    let chains = shop.service.json("/api/v1/chains").await;
    let mut chains = chains["chains"].as_array().unwrap().iter();
    let row = chains.find(|row| row["slug"] == "polkadot").unwrap();
    assert_eq!(row["status"], "collected", "{row}");
}

/// Every real block at hand.
fn westend() -> Option<Vec<RawPolkadotBlock>> {
    let Some(data) = std::env::var_os("SUPERROOT_DATA") else {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, no block of Westend is proven");
        return None;
    };
    let folder = Path::new(&data).join("other/polkadot");
    let mut blocks = Vec::new();
    for file in ["westend_blocks_1_to_10.json", "westend_blocks_1_to_128.json"] {
        let text = fs::read(folder.join(file)).unwrap();
        let list: Vec<Value> = serde_json::from_slice(&text).unwrap();
        blocks.extend(list.iter().map(raw));
    }
    assert_eq!(blocks.len(), 138);
    // the first ten stand in both files
    blocks.sort_by_key(|block| block.header.number);
    blocks.dedup_by(|one, other| one == other);
    assert_eq!(blocks.len(), 128);
    Some(blocks)
}

/// A block in the form in which nodes give it.
fn raw(block: &Value) -> RawPolkadotBlock {
    let bytes = |value: &Value| const_hex::decode(value.as_str().unwrap()).unwrap();
    let header = Header::decode(&bytes(&block["header_scale"])).unwrap();
    let logs: Vec<String> = header.digest.iter().map(const_hex::encode_prefixed).collect();
    let json = json!({
        "hash": block["hash"],
        "header": {
            "parentHash": header.parent_hash, "number": format!("{:#x}", header.number),
            "stateRoot": header.state_root, "extrinsicsRoot": header.extrinsics_root,
            "digest": { "logs": logs },
        },
        "extrinsics": block["extrinsics"],
    });
    let raw: RawPolkadotBlock = serde_json::from_value(json).unwrap();
    assert_eq!(hash_of(&raw.header).unwrap(), raw.hash);
    raw
}

#[tokio::test(flavor = "multi_thread")]
async fn every_real_block_of_westend_is_proven_from_a_recording() {
    let Some(blocks) = westend() else { return };
    let shop = Shop::open("westend", 1_900_042, &blocks, true).await;
    let (mut transactions, mut sizes) = (0, Vec::new());
    for block in &blocks {
        let number = block.header.number;
        let (body, screen, size) = shop.check(&format!("/v5/proof/westend/{number}")).await;
        assert_eq!(body["blockHash"], block.hash.to_string());
        assert!(screen.contains(&block.hash.to_string()), "{screen}");
        sizes.push(size);
        // the first extrinsic sets the time, and no other block has it
        let leaf = &block.extrinsics.as_ref().unwrap()[0];
        let hash = blake2b_256(leaf);
        let (body, _, size) = shop.check(&format!("/v5/tx/westend/{hash}")).await;
        assert_eq!(body["rawTransaction"], json!(leaf));
        assert_eq!(body["transaction"]["pallet"], 2);
        sizes.push(size);
        transactions += 1;
    }
    let last = &blocks[127];
    let count = last.extrinsics.as_ref().unwrap().len();
    let path = format!("/v5/proof/absence/westend/{}/{count}", last.header.number);
    sizes.push(shop.check(&path).await.2);
    let bounds = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
    println!("{} blocks, {transactions} transactions, files of {bounds:?} bytes", blocks.len());
}
