//! Laws of the chain: what nodes are asked, what blocks say, what a restart keeps.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use alloy_consensus::{SignableTransaction, TxEip1559};
use alloy_eips::eip2718::Encodable2718;
use alloy_primitives::{Address, Bytes, Signature, TxKind, U256};
use k256::ecdsa::SigningKey;
use serde_json::{Value, json};
use superroot_devnet::{Devnet, DevnetConfig, DevnetSource, answer};
use superroot_source::{BlockAt, BlockParts, BlockSource};
use superroot_types::{BlockNumber, Clock, UnixSeconds};

const CHAIN: u64 = 84_532;
const ETHER: u64 = 1_000_000_000_000_000_000;

#[derive(Debug, Default)]
struct Hand(AtomicU64);

impl Clock for Hand {
    fn now(&self) -> UnixSeconds {
        UnixSeconds(self.0.load(Ordering::SeqCst))
    }
}

struct Bench {
    folder: tempfile::TempDir,
    clock: Arc<Hand>,
    chain: Arc<Devnet>,
    key: SigningKey,
}

fn config(folder: &tempfile::TempDir, key: &SigningKey) -> DevnetConfig {
    let account = Address::from_private_key(key);
    let funded = vec![(account, U256::from(100) * U256::from(ETHER))];
    DevnetConfig { chain_id: CHAIN, funded, journal: folder.path().join("devnet.journal") }
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let key = SigningKey::from_slice(&[7; 32]).unwrap();
        let clock = Arc::new(Hand(1_800_000_000.into()));
        let chain = Devnet::open(&config(&folder, &key), clock.clone()).unwrap();
        Self { folder, clock, chain, key }
    }

    fn tick(&self, seconds: u64) {
        self.clock.0.fetch_add(seconds, Ordering::SeqCst);
    }

    fn again(self) -> Self {
        let Self { folder, clock, chain, key } = self;
        drop(chain);
        let chain = Devnet::open(&config(&folder, &key), clock.clone()).unwrap();
        Self { folder, clock, chain, key }
    }

    fn account(&self) -> Address {
        Address::from_private_key(&self.key)
    }

    fn ask(&self, method: &str, params: Value) -> Value {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        answer(&self.chain, body.to_string().as_bytes())
    }

    fn good(&self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    fn number(&self, method: &str, params: Value) -> u64 {
        let number = self.good(method, params);
        u64::from_str_radix(&number.as_str().unwrap()[2..], 16).unwrap()
    }

    fn signed(&self, nonce: u64, to: TxKind, input: Vec<u8>, fee: u128) -> Vec<u8> {
        let transaction = TxEip1559 {
            chain_id: CHAIN,
            nonce,
            gas_limit: 5_000_000,
            max_fee_per_gas: fee,
            max_priority_fee_per_gas: 1,
            to,
            value: U256::ZERO,
            access_list: Default::default(),
            input: Bytes::from(input),
        };
        let hash = transaction.signature_hash();
        let (signature, recovery) = self.key.sign_prehash_recoverable(hash.as_slice()).unwrap();
        let signed = transaction.into_signed(Signature::from((signature, recovery)));
        signed.encoded_2718()
    }

    fn send(&self, raw: &[u8]) -> Value {
        self.ask("eth_sendRawTransaction", json!([Bytes::copy_from_slice(raw)]))
    }
}

/// Runtime code that counts in slot 0 and logs the count; creation code around it.
fn counter() -> Vec<u8> {
    let runtime: &[u8] =
        &[0x5f, 0x54, 0x60, 0x01, 0x01, 0x80, 0x5f, 0x55, 0x5f, 0x52, 0x60, 0x20, 0x5f, 0xa0, 0x00];
    let head: &[u8] = &[
        0x60,
        runtime.len() as u8,
        0x60,
        0x0b,
        0x5f,
        0x39,
        0x60,
        runtime.len() as u8,
        0x5f,
        0xf3,
        0xfe,
    ];
    assert_eq!(head.len(), 11);
    [head, runtime].concat()
}

fn fee() -> u128 {
    10_000_000_000
}

/// Every block is what the collector takes: header, roots and receipts are computed again by the product's own rules.
#[tokio::test]
async fn every_block_verifies_by_the_rules_of_the_product() {
    let bench = Bench::new();
    assert!(bench.send(&bench.signed(0, TxKind::Create, counter(), fee()))["result"].is_string());
    bench.tick(3);
    let contract = bench.account().create(0);
    for nonce in 1..40 {
        bench.send(&bench.signed(nonce, TxKind::Call(contract), vec![], fee()));
        bench.tick(nonce % 9);
    }
    bench.tick(20);
    let head = bench.number("eth_blockNumber", json!([]));
    let text = format!(
        "[[chain]]\nid = {CHAIN}\nname = \"Devnet\"\nslug = \"devnet\"\nfamily = \"evm\"\ncaip2 = \"eip155:{CHAIN}\"\n\
         aliases = []\nencodings = [{{ from = 0, name = \"ethereum\" }}]\nevidence = \"node_quorum\"\n\
         block_time_ms = 1000\nrules = [{{ from = 0, code = 0x0001 }}]\n"
    );
    let registry = superroot_chain::ChainRegistry::parse(&text).unwrap();
    let row = registry.rows()[0].clone().as_simulated();
    let source = DevnetSource::new(bench.chain.clone());
    let tip = source.fetch_tip().await.unwrap();
    assert_eq!((tip.head.number.0, tip.finalized.number.0), (head, head - 8));
    let mut parent: Option<superroot_types::Hash> = None;
    let mut count = 0;
    for number in 0..=head {
        let at = BlockAt::Number(BlockNumber(number));
        let fetched = source.fetch_block(at, BlockParts::Whole, &[]).await.unwrap().unwrap();
        let verified = superroot_chain::verify(&row, &fetched.block).unwrap();
        assert_eq!(verified.number(), BlockNumber(number));
        let shown = bench.good("eth_getBlockByHash", json!([verified.hash().to_string(), false]));
        assert_eq!(shown["number"], json!(U256::from(number)));
        if let Some(parent) = parent {
            assert_eq!(shown["parentHash"], json!(parent), "{number}");
        }
        count += shown["transactions"].as_array().unwrap().len();
        parent = Some(verified.hash());
    }
    assert_eq!(count, 40);
    let logs = bench.good("eth_getLogs", json!([{ "address": contract, "fromBlock": "0x0" }]));
    let counts: Vec<u64> = logs
        .as_array()
        .unwrap()
        .iter()
        .map(|log| u64::from_str_radix(&log["data"].as_str().unwrap()[2..], 16).unwrap())
        .collect();
    assert_eq!(counts, (1..40).collect::<Vec<u64>>());
}

/// A restart executes the journal again: the same blocks, states and receipts, and numbers go on where they were.
#[test]
fn a_restart_has_the_same_blocks_and_states() {
    let bench = Bench::new();
    let contract = bench.account().create(0);
    bench.send(&bench.signed(0, TxKind::Create, counter(), fee()));
    bench.tick(2);
    for nonce in 1..6 {
        bench.send(&bench.signed(nonce, TxKind::Call(contract), vec![], fee()));
        bench.tick(40);
        bench.number("eth_blockNumber", json!([]));
    }
    let seen = |bench: &Bench, head: u64| {
        let blocks: Vec<Value> = (0..=head)
            .map(|number| bench.good("eth_getBlockByNumber", json!([U256::from(number), true])))
            .collect();
        let storage = bench.good("eth_getStorageAt", json!([contract, "0x0", "latest"]));
        let nonce = bench.good("eth_getTransactionCount", json!([bench.account(), "latest"]));
        (blocks, storage, nonce, bench.good("eth_getLogs", json!([{ "fromBlock": "0x0" }])))
    };
    let head = bench.number("eth_blockNumber", json!([]));
    let before = seen(&bench, head);
    assert_eq!(before.1, json!(alloy_primitives::B256::from(U256::from(5))));
    let bench = bench.again();
    bench.tick(10_000);
    let now = bench.number("eth_blockNumber", json!([]));
    assert_eq!(now, head + 1, "a pause leaves a gap of time alone");
    assert_eq!(seen(&bench, head), before);
    bench.tick(2);
    assert_eq!(bench.number("eth_blockNumber", json!([])), head + 3);
}

/// The refusals of usual nodes, in their words: clients look for these.
#[test]
fn what_cannot_be_executed_is_refused_as_usual_nodes_do() {
    let bench = Bench::new();
    bench.tick(1);
    let to = TxKind::Call(Address::repeat_byte(9));
    let why = |raw: &[u8]| {
        let answer = bench.send(raw);
        answer["error"]["message"].as_str().unwrap_or_default().to_owned()
    };
    let first = bench.signed(0, to, vec![], fee());
    assert_eq!(why(&first), "");
    assert_eq!(why(&first), "already known");
    assert_eq!(
        why(&bench.signed(0, to, vec![1], fee() + 1)),
        "replacement transaction underpriced"
    );
    assert_eq!(why(&bench.signed(0, to, vec![2], fee() * 2)), "");
    assert_eq!(bench.number("eth_getTransactionCount", json!([bench.account(), "pending"])), 1);
    bench.tick(1);
    assert!(why(&bench.signed(0, to, vec![3], fee())).starts_with("nonce too low"));
    assert!(why(&bench.signed(99, to, vec![], fee())).starts_with("nonce too high"));
    assert!(why(&bench.signed(1, to, vec![], u128::MAX)).starts_with("insufficient funds"));
    // 21,000 and 40 of each byte (EIP-7623) are more than the limit of 5,000,000
    let floor = why(&bench.signed(1, to, vec![1; 124_500], fee()));
    assert_eq!(floor, "intrinsic gas too low: have 5000000, want 5001000");
    let receipt = bench.good("eth_getBlockReceipts", json!(["latest"]));
    assert_eq!(receipt.as_array().unwrap().len(), 1, "the replacement alone");
    for cut in 0..first.len() {
        assert_ne!(why(&first[..cut]), "", "{cut}");
        let mut bent = first.clone();
        bent[cut] ^= 1;
        // another sender has no coins; what is no transaction is none
        assert_ne!(why(&bent), "", "{cut}");
    }
}

/// An estimate is a limit with which the transaction succeeds, and little above what it uses.
#[test]
fn an_estimate_is_enough_and_not_far_off() {
    let bench = Bench::new();
    let contract = bench.account().create(0);
    bench.send(&bench.signed(0, TxKind::Create, counter(), fee()));
    bench.tick(1);
    let request = json!([{ "from": bench.account(), "to": contract }]);
    let estimate = bench.number("eth_estimateGas", request);
    bench.send(&bench.signed(1, TxKind::Call(contract), vec![], fee()));
    bench.tick(1);
    let receipt = bench.good("eth_getBlockReceipts", json!(["latest"]));
    let used = receipt[0]["gasUsed"].as_str().unwrap();
    let used = u64::from_str_radix(&used[2..], 16).unwrap();
    assert!((used..used + used / 8).contains(&estimate), "{estimate} of {used}");
    // a call that reverts says so with its bytes
    let bad = json!([{ "input": "0x60016000fd" }]);
    let answer = bench.ask("eth_call", bad);
    assert_eq!((&answer["error"]["code"], &answer["error"]["data"]), (&json!(3), &json!("0x00")));
}

/// Garbage is answered, and changes nothing.
#[test]
fn garbage_is_refused_by_its_code() {
    let bench = Bench::new();
    let code = |body: &str| answer(&bench.chain, body.as_bytes())["error"]["code"].clone();
    for (body, expected) in [
        ("", -32_700),
        ("{", -32_700),
        ("[]", -32_600),
        ("{}", -32_600),
        ("7", -32_600),
        (r#"{"method":"eth_nothing"}"#, -32_601),
        (r#"{"method":"eth_getBalance"}"#, -32_602),
        (r#"{"method":"eth_getBalance","params":{}}"#, -32_602),
        (r#"{"method":"eth_getBalance","params":["0x12"]}"#, -32_602),
        (
            r#"{"method":"eth_getBalance","params":["0x0000000000000000000000000000000000000001","latest",1]}"#,
            -32_602,
        ),
        (
            r#"{"method":"eth_getBalance","params":["0x0000000000000000000000000000000000000001","earliest"]}"#,
            -32_602,
        ),
        (r#"{"method":"eth_call","params":[{},"latest",{"a":1}]}"#, -32_602),
        (r#"{"method":"eth_feeHistory","params":["0x1","latest",[101]]}"#, -32_602),
    ] {
        assert_eq!(code(body), json!(expected), "{body}");
    }
    let batch = json!([{ "id": 1, "method": "eth_chainId" }, { "id": "b", "method": "no" }]);
    let answers = answer(&bench.chain, batch.to_string().as_bytes());
    assert_eq!((&answers[0]["result"], &answers[1]["id"]), (&json!("0x14a34"), &json!("b")));
    let history = bench.good("eth_feeHistory", json!(["0x4", "latest", [10, 90]]));
    assert_eq!(history["baseFeePerGas"].as_array().unwrap().len(), 2, "one block, and the next");
}
