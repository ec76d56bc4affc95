//! The replay server over a real socket, by hand and through [`LiveSource`].

use crate::support;

use serde_json::{Value, json};
use superroot_chain::ChainRegistry;
use superroot_source::{BlockSource, Budget, EndpointConfig, LiveConfig, LiveSource, Recordings};
use superroot_types::BlockNumber;

use support::{Folder, Running, capture, hash_text, real_recordings};

/// Two blocks of Ethereum, the second with hashes alone.
fn folder() -> Folder {
    let mut folder = Folder::new();
    folder.block(1, 16, Some(&hash_text(1)), "16.json.gz");
    let mut second = capture(1, 32, Some(&hash_text(2)));
    second["block"]["transactions"] = json!([hash_text(7)]);
    second["receipts"] = Value::Null;
    folder.file("32.json.gz", &second.to_string());
    folder.row(json!({ "chainId": 1, "block": 32, "hash": hash_text(2), "file": "32.json.gz" }));
    folder.write_index();
    folder
}

struct Client {
    folder: Folder,
    server: Running,
    http: reqwest::Client,
}

impl Client {
    async fn new(folder: Folder) -> Self {
        // a provider of the process, so that a client can be built here at all
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { server: Running::start(folder.open()).await, folder, http }
    }

    async fn post(&self, path: &str, body: impl Into<String>) -> (u16, String) {
        let url = format!("{}{path}", self.server.url);
        let response = self.http.post(url).body(body.into()).send().await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    }

    async fn json(&self, body: Value) -> Value {
        let (status, text) = self.post("/1", body.to_string()).await;
        assert_eq!(status, 200, "{text}");
        serde_json::from_str(&text).unwrap()
    }

    async fn call(&self, method: &str, params: Value) -> Value {
        let mut answer = self
            .json(json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params }))
            .await;
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(7)));
        answer["result"].take()
    }

    async fn code(&self, method: &str, params: Value) -> i64 {
        let answer = self
            .json(json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params }))
            .await;
        assert!(answer.get("result").is_none(), "{answer}");
        answer["error"]["code"].as_i64().unwrap()
    }
}

#[tokio::test]
async fn methods_answer_as_a_node_would() {
    let client = Client::new(folder()).await;
    assert_eq!(client.call("eth_chainId", json!([])).await, "0x1");
    assert_eq!(client.call("net_version", json!([])).await, "1");
    assert_eq!(client.call("eth_blockNumber", json!([])).await, "0x20");
    let version = client.call("web3_clientVersion", json!([])).await;
    assert_eq!(version, format!("superroot-replay/{}", env!("CARGO_PKG_VERSION")));

    let block =
        async |which: &str| client.call("eth_getBlockByNumber", json!([which, false])).await;
    for latest in ["latest", "safe", "finalized", "0x20"] {
        assert_eq!(block(latest).await["hash"], hash_text(2), "{latest}");
    }
    assert_eq!(block("earliest").await["number"], "0x10");
    assert_eq!(block("0x11").await, Value::Null);
    assert_eq!(block("pending").await, Value::Null);

    let by_hash = client.call("eth_getBlockByHash", json!([hash_text(1), true])).await;
    assert_eq!(by_hash["number"], "0x10");
    let by_hash = client.call("eth_getBlockByHash", json!([hash_text(9), true])).await;
    assert_eq!(by_hash, Value::Null);

    let full = client.call("eth_getBlockByNumber", json!(["0x20", true])).await;
    assert_eq!(full["transactions"], json!([hash_text(7)]), "what was captured, no more");
    assert_eq!(client.call("eth_getBlockReceipts", json!(["0x10"])).await, json!([]));
    assert_eq!(client.call("eth_getBlockReceipts", json!([hash_text(1)])).await, json!([]));
    assert_eq!(client.call("eth_getBlockReceipts", json!(["0x20"])).await, Value::Null);
    assert_eq!(client.call("eth_getBlockReceipts", json!(["0x30"])).await, Value::Null);
}

/// Two neighbours, and one after a hole: transactions and logs are found, and a hole is told.
#[tokio::test]
async fn transactions_and_logs_are_found_where_they_are_recorded() {
    let mut folder = Folder::new();
    let address = |byte: u8| format!("0x{}", format!("{byte:02x}").repeat(20));
    for (number, byte) in [(16_u64, 1_u8), (17, 2), (32, 3)] {
        let mut block = capture(1, number, Some(&hash_text(byte)));
        let hash = hash_text(0x10 + byte);
        let log =
            |topics: Value| json!({ "address": address(byte), "topics": topics, "data": "0x" });
        let both = json!([hash_text(0xaa), hash_text(byte)]);
        block["block"]["transactions"] = json!([{ "hash": hash, "value": 10_u128.pow(30).to_string() }, { "hash": hash_text(0x20 + byte) }]);
        block["receipts"] = json!([
            { "transactionHash": hash, "logs": [log(both), log(json!([]))] },
            { "transactionHash": hash_text(0x20 + byte), "logs": [] },
        ]);
        let name = format!("{number}.json");
        folder.file(&name, &block.to_string());
        folder.row(json!({ "chainId": 1, "block": number, "hash": hash_text(byte), "file": name }));
    }
    folder.write_index();
    let client = Client::new(folder).await;
    let transaction = client.call("eth_getTransactionByHash", json!([hash_text(0x12)])).await;
    assert_eq!(transaction["value"], 10_u128.pow(30).to_string(), "as it was captured");
    let receipt = client.call("eth_getTransactionReceipt", json!([hash_text(0x22)])).await;
    assert_eq!(receipt, json!({ "transactionHash": hash_text(0x22), "logs": [] }));
    for method in ["eth_getTransactionByHash", "eth_getTransactionReceipt"] {
        assert_eq!(client.call(method, json!([hash_text(0x77)])).await, Value::Null, "{method}");
        assert_eq!(client.code(method, json!(["0x12"])).await, -32602, "{method}");
    }

    let logs = async |filter: Value| {
        client.call("eth_getLogs", json!([filter])).await.as_array().unwrap().len()
    };
    let range = json!({ "fromBlock": "0x10", "toBlock": "0x11" });
    let with = |name: &str, value: Value| {
        let mut filter = range.clone();
        filter[name] = value;
        filter
    };
    assert_eq!(logs(range.clone()).await, 4);
    assert_eq!(logs(with("address", json!(address(1)))).await, 2);
    assert_eq!(logs(with("address", json!([address(1), address(2), address(9)]))).await, 4);
    assert_eq!(logs(with("address", json!([]))).await, 4, "none is any");
    assert_eq!(logs(with("topics", json!([hash_text(0xaa)]))).await, 2);
    assert_eq!(logs(with("topics", json!([null, [hash_text(2), hash_text(9)]]))).await, 1);
    assert_eq!(logs(with("topics", json!([hash_text(2)]))).await, 0);
    assert_eq!(logs(json!({ "blockHash": hash_text(3) })).await, 2);
    assert_eq!(logs(json!({ "fromBlock": "latest" })).await, 2);
    assert_eq!(logs(json!({})).await, 2, "the newest block");
    for (filter, code) in [
        (json!({ "fromBlock": "0x10", "toBlock": "0x12" }), -32001),
        (json!({ "blockHash": hash_text(9) }), -32001),
        (json!({ "fromBlock": "pending" }), -32001),
        (json!({ "fromBlock": "0x20", "toBlock": "0x10" }), -32602),
        (json!({ "fromBlock": "0x0", "toBlock": "0xffffffffffffffff" }), -32602),
        (json!({ "blockHash": hash_text(3), "toBlock": "0x20" }), -32602),
        (json!({ "topics": [null, null, null, null, null] }), -32602),
        (json!({ "topics": "0x12" }), -32602),
        (json!({ "adress": [] }), -32602),
        (json!([]), -32602),
    ] {
        assert_eq!(client.code("eth_getLogs", json!([filter])).await, code, "{filter}");
    }
}

#[tokio::test]
async fn faults_have_the_codes_of_json_rpc() {
    let client = Client::new(folder()).await;
    assert_eq!(client.code("eth_sendRawTransaction", json!(["0x00"])).await, -32601);
    for params in [json!([]), json!(["0x1"]), json!(["0x1", 1]), json!([1, true]), json!({})] {
        assert_eq!(client.code("eth_getBlockByNumber", params.clone()).await, -32602, "{params}");
    }
    for which in ["newest", "0x", "-1", "0x1ffffffffffffffff", ""] {
        assert_eq!(client.code("eth_getBlockByNumber", json!([which, true])).await, -32602);
    }
    assert_eq!(client.code("eth_getBlockByHash", json!(["0x12", true])).await, -32602);
    assert_eq!(client.code("eth_chainId", json!([1])).await, -32602);

    for (body, code) in [
        ("{", -32700),
        ("", -32700),
        ("\u{0}", -32700),
        ("1", -32600),
        ("[]", -32600),
        ("{}", -32600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"eth_chainId"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"eth_chainId"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600),
    ] {
        let (status, text) = client.post("/1", body).await;
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((status, &answer["error"]["code"]), (200, &json!(code)), "{body}");
    }
}

#[tokio::test]
async fn batches_are_answered_in_order_and_bounded() {
    let client = Client::new(folder()).await;
    let call = |id: Value, method: &str| json!({ "jsonrpc": "2.0", "id": id, "method": method });
    let notification = json!({ "jsonrpc": "2.0", "method": "eth_chainId" });
    let batch = json!([
        call(json!("a"), "eth_chainId"),
        notification,
        ["2.0", 1, "eth_chainId", []],
        call(Value::Null, "no"),
    ]);
    let answers = client.json(batch).await;
    assert_eq!(answers.as_array().unwrap().len(), 3);
    assert_eq!((&answers[0]["id"], &answers[0]["result"]), (&json!("a"), &json!("0x1")));
    assert_eq!(answers[1]["error"]["code"], -32600);
    assert_eq!(answers[2]["error"]["code"], -32601);

    let of = |count| Value::from(vec![call(json!(1), "eth_chainId"); count]);
    assert_eq!(client.json(of(100)).await.as_array().unwrap().len(), 100);
    assert_eq!(client.json(of(101)).await["error"]["code"], -32600);

    let (status, text) = client.post("/1", notification.to_string()).await;
    assert_eq!((status, text.as_str()), (204, ""));
    let (status, text) = client.post("/1", json!([notification]).to_string()).await;
    assert_eq!((status, text.as_str()), (204, ""));
}

#[tokio::test]
async fn requests_past_a_mebibyte_and_unknown_chains_are_refused() {
    let client = Client::new(folder()).await;
    let (status, _) = client.post("/1", " ".repeat((1 << 20) + 1)).await;
    assert_eq!(status, 413);
    let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "eth_chainId" });
    for path in ["/2", "/10", "/bitcoin", "/nothing"] {
        let (status, text) = client.post(path, json!([call, call]).to_string()).await;
        let answers: Value = serde_json::from_str(&text).unwrap();
        for answer in answers.as_array().unwrap() {
            assert_eq!((status, &answer["id"]), (200, &json!(7)), "{path}: {text}");
            assert_eq!(answer["error"]["code"], -32001, "{path}: {text}");
            let told = answer["error"]["message"].as_str().unwrap();
            assert!(told.ends_with("post to /<chain id>, one of 1"), "{told}");
        }
    }
    for path in ["/1/2", "/%ff"] {
        let (status, text) = client.post(path, "{}").await;
        assert!((400..500).contains(&status), "{path}: {status} {text}");
    }
    for path in ["/1", "/ethereum", "/ETH", "/eip155:1", "/"] {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_chainId" }).to_string();
        assert_eq!(client.post(path, body).await.0, 200, "{path}");
    }
}

#[tokio::test]
async fn without_a_path_one_chain_alone_is_meant() {
    let mut folder = Folder::new();
    folder.block(1, 5, Some(&hash_text(1)), "1.json");
    folder.block(10, 5, Some(&hash_text(1)), "10.json");
    folder.write_index();
    let client = Client::new(folder).await;
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_chainId" }).to_string();
    let (status, text) = client.post("/", call.as_str()).await;
    assert!(status == 200 && text.contains("one of 1, 10"), "{text}");
    let listed = client.http.get(&client.server.url).send().await.unwrap();
    let listed: Value = serde_json::from_str(&listed.text().await.unwrap()).unwrap();
    let chain = |id: u64| {
        json!({
            "family": "evm", "chainId": id, "blockCount": 1, "first": 5,
            "tip": { "number": 5, "hash": hash_text(1) },
        })
    };
    assert_eq!(listed, json!({ "chains": [chain(1), chain(10)] }));
}

#[tokio::test]
async fn a_recording_that_breaks_is_an_internal_fault_that_tells_nothing() {
    let client = Client::new(folder()).await;
    client.folder.file("16.json.gz", "{");
    assert_eq!(client.code("eth_getBlockByNumber", json!(["0x10", true])).await, -32603);
    let (_, text) = client
        .post("/1", r#"{"jsonrpc":"2.0","id":1,"method":"eth_getBlockReceipts","params":["0x10"]}"#)
        .await;
    assert!(!text.contains("json.gz") && !text.contains("tmp"), "{text}");
}

/// What comes over the wire must be what the same recordings give in process.
#[tokio::test]
async fn real_blocks_come_over_the_wire_as_they_are_in_process() {
    let Some(folder) = real_recordings() else { return };
    let recordings =
        std::sync::Arc::new(Recordings::open(&[folder], ChainRegistry::builtin()).unwrap());
    let server = Running::start(recordings.clone()).await;
    let mut compared = 0;
    for slug in ["ethereum", "base"] {
        let row = ChainRegistry::builtin().find(slug).unwrap();
        let near = recordings.source(row.key()).unwrap();
        let url = format!("{}/{}", server.url, row.id);
        let config = LiveConfig {
            calls_per_second_max: 100_000,
            replay_servers: true,
            attempts_max: 1,
            ..LiveConfig::default()
        };
        let far = LiveSource::new(&Budget::default(), row, vec![EndpointConfig::at(&url)], config)
            .unwrap();
        let tip = near.fetch_tip().await.unwrap();
        assert_eq!(far.fetch_tip().await.unwrap(), tip);
        for number in near.fetch_numbers(BlockNumber(0), usize::MAX).await.unwrap().unwrap() {
            match near.fetch_whole(number).await {
                Ok(expected) => {
                    assert_eq!(far.fetch_whole(number).await.unwrap(), expected, "{slug} {number}");
                    compared += 1;
                }
                // blocks of another encoding than ours are refused on both ways
                Err(error) => {
                    assert_ne!(slug, "ethereum", "{error}");
                    far.fetch_whole(number).await.unwrap_err();
                }
            }
        }
    }
    assert!(compared >= 136, "{compared}");
    server.stop().await;
}
