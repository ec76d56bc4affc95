//! Nodes in memory, good and of every wrong kind, for tests of [`LiveSource`] under paused time.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::{Value, json};
use superroot_chain::ledger::evm::encode;
use superroot_chain::ledger::evm::raw::RawBlock;
use superroot_proof::ledger::evm::Layout;
use superroot_source::{
    BoxFuture, Budget, LiveConfig, LiveNodes, LiveSource, NodeAnswer, NodeRequest, Transport,
    TransportError,
};
use superroot_types::Hash;

use super::{capture, ethereum, hash_text};

/// How a node behaves.
#[derive(Clone, Debug)]
pub(crate) enum Mode {
    Good,
    /// Never answers.
    Silent,
    /// Answers after so many milliseconds.
    Slow(u64),
    /// No connection.
    Broken,
    /// Another HTTP status, with what it asks for in milliseconds.
    Status(u16, Option<u64>),
    /// These bytes, whatever was asked.
    Bytes(Vec<u8>),
    /// This error object for each call.
    Error(i64, &'static str),
    /// This error object for that method.
    MethodError(&'static str, i64, &'static str),
    /// `null` for that method.
    Null(&'static str),
    /// Never answers a request with that method, and everything else.
    Hang(&'static str),
    /// Blocks, and no receipts of them however they are asked for.
    NoReceipts,
    /// This result for that method.
    Result(&'static str, Value),
    /// One error object for a batch.
    NoBatch,
    /// Another HTTP status for a batch.
    BatchStatus(u16),
    /// A batch is hung up on.
    BatchBroken,
    /// Another error for that tag than for a block.
    TagError(&'static str),
    /// A batch's answer without its last entry.
    Partial,
    /// A batch's answer with its first entry twice.
    Twice,
    /// A batch's answer from the last to the first.
    Reversed,
    /// Ids of other calls.
    WrongIds,
}

/// What a node's chain looks like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(crate) chain_id: u64,
    /// Blocks of another branch have other hashes.
    pub(crate) branch: u8,
    /// From this number on the branch is its own; below it is branch 1.
    pub(crate) fork: u64,
    pub(crate) head: u64,
    pub(crate) finalized: u64,
    /// Transactions of each block, shown as hashes.
    pub(crate) transactions: u64,
    /// It says that it is a replay server.
    pub(crate) is_replay: bool,
    /// What its contracts return: this byte.
    pub(crate) returns: u8,
}

pub(crate) fn transaction_hash(number: u64, index: u64) -> String {
    format!("0x{number:032x}{index:032x}")
}

impl View {
    pub(crate) fn at(head: u64) -> Self {
        let finalized = head.saturating_sub(10);
        let (transactions, is_replay, returns) = (0, false, 1);
        Self { chain_id: 1, branch: 1, fork: 0, head, finalized, transactions, is_replay, returns }
    }

    pub(crate) fn hash(&self, number: u64) -> String {
        self.header(number)["hash"].as_str().unwrap().to_owned()
    }

    /// The header of a block, whose hash is its own and whose parent is the block below; every
    /// thousandth begins anew.
    pub(crate) fn header(&self, number: u64) -> Value {
        type Line = (u8, u64);
        static KNOWN: Mutex<BTreeMap<(Line, u64), Value>> = Mutex::new(BTreeMap::new());
        let line_of = |number: u64| {
            if number < self.fork || self.branch == 1 { (1, 0) } else { (self.branch, self.fork) }
        };
        let mut known = KNOWN.lock().unwrap();
        let (mut parent, mut first) = (hash_text(0), number - number % 1_000);
        for below in (first..=number).rev() {
            if let Some(header) = known.get(&(line_of(below), below)) {
                (parent, first) = (header["hash"].as_str().unwrap().to_owned(), below + 1);
                break;
            }
        }
        for number in first..=number {
            let mut header = capture(1, number, Some(&hash_text(0)))["block"].take();
            header["parentHash"] = json!(parent);
            header["extraData"] = json!(format!("0x{:02x}", line_of(number).0));
            let raw: RawBlock = serde_json::from_value(header.clone()).unwrap();
            let encoded = encode::header(&raw, Layout::Ethereum).unwrap();
            parent = alloy_primitives::keccak256(encoded).to_string();
            header["hash"] = json!(parent);
            known.insert((line_of(number), number), header);
        }
        known[&(line_of(number), number)].clone()
    }

    fn block(&self, number: u64) -> Value {
        if number > self.head {
            return Value::Null;
        }
        let mut block = self.header(number);
        let hashes = (0..self.transactions).map(|index| transaction_hash(number, index));
        block["transactions"] = json!(hashes.collect::<Vec<_>>());
        block
    }

    fn number(&self, which: &Value) -> u64 {
        match which.as_str().unwrap() {
            "latest" => self.head,
            "safe" => self.finalized.midpoint(self.head),
            "finalized" => self.finalized,
            text => u64::from_str_radix(&text[2..], 16).unwrap(),
        }
    }

    fn answer(&self, method: &str, params: &Value) -> Value {
        let of_hash = |text: &str| {
            (0..=self.head).rev().take(3_000).find(|number| self.hash(*number) == text)
        };
        match method {
            "eth_chainId" => json!(format!("{:#x}", self.chain_id)),
            "web3_clientVersion" if self.is_replay => json!("superroot-replay/0"),
            "web3_clientVersion" => json!("Geth/v1.16.0"),
            "eth_getBlockByNumber" => self.block(self.number(&params[0])),
            "eth_getBlockByHash" => of_hash(params[0].as_str().unwrap())
                .map_or(Value::Null, |number| self.block(number)),
            "eth_getBlockReceipts" => {
                json!((0..self.transactions).map(|_| receipt(&Value::Null)).collect::<Vec<_>>())
            }
            "eth_getTransactionReceipt" => receipt(&params[0]),
            "eth_call" => {
                assert!(self.number(&params[1]) <= self.head, "a block it does not have");
                json!(format!("0x{:02x}", self.returns))
            }
            "eth_gasPrice" => json!(format!("{:#x}", u64::from(self.returns) * 1_000_000_000)),
            other => panic!("{other} is not asked here"),
        }
    }
}

/// A node in memory.
pub(crate) struct Node {
    name: String,
    state: Mutex<State>,
}

pub(crate) struct State {
    pub(crate) view: View,
    pub(crate) mode: Mode,
    /// Every call received.
    pub(crate) calls: Vec<Value>,
    /// Sizes of the requests received.
    pub(crate) requests: Vec<usize>,
    /// Who runs it.
    pub(crate) operator: Option<&'static str>,
}

impl Node {
    pub(crate) fn new(name: &str, view: View, mode: Mode) -> Arc<Self> {
        let state = State { view, mode, calls: Vec::new(), requests: Vec::new(), operator: None };
        Arc::new(Self { name: name.into(), state: Mutex::new(state) })
    }

    pub(crate) fn good(name: &str) -> Arc<Self> {
        Self::new(name, View::at(100), Mode::Good)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    pub(crate) fn set(&self, mode: Mode) {
        self.state().mode = mode;
    }

    /// How many calls of blocks it got.
    pub(crate) fn count(&self, method: &str) -> usize {
        self.state().calls.iter().filter(|call| call["method"] == method).count()
    }

    pub(crate) fn request_count(&self) -> usize {
        self.state().requests.len()
    }

    async fn reply(&self, body: Vec<u8>) -> Result<NodeAnswer, TransportError> {
        let request: Value = serde_json::from_slice(&body).unwrap();
        let (view, mode) = {
            let mut state = self.state();
            let calls = match &request {
                Value::Array(calls) => calls.clone(),
                call => vec![call.clone()],
            };
            state.requests.push(calls.len());
            state.calls.extend(calls);
            (state.view, state.mode.clone())
        };
        let status = |got, retry_after_ms| {
            Err(TransportError::Status { got, retry_after_ms, text: b"<html>no".to_vec() })
        };
        match mode {
            Mode::Silent => std::future::pending().await,
            Mode::Slow(ms) => tokio::time::sleep(Duration::from_millis(ms)).await,
            Mode::Hang(method) if String::from_utf8_lossy(&body).contains(method) => {
                std::future::pending().await
            }
            Mode::Broken => return Err(TransportError::Unreachable { why: "refused".into() }),
            Mode::Status(got, retry_after_ms) => return status(got, retry_after_ms),
            Mode::Bytes(body) => return Ok(NodeAnswer { body }),
            Mode::BatchBroken if request.is_array() => {
                return Err(TransportError::Unreachable { why: "closed".into() });
            }
            Mode::BatchStatus(got) if request.is_array() => return status(got, None),
            Mode::NoBatch if request.is_array() => {
                let error = json!({ "code": -32600, "message": "no batches here" });
                let answer = json!({ "jsonrpc": "2.0", "id": null, "error": error });
                return Ok(NodeAnswer { body: answer.to_string().into_bytes() });
            }
            _ => {}
        }
        let answer = |call: &Value| one_answer(&view, &mode, call);
        let answers = match &request {
            Value::Array(calls) => {
                let mut answers: Vec<Value> = calls.iter().map(answer).collect();
                match mode {
                    Mode::Partial => drop(answers.pop()),
                    Mode::Twice => answers.push(answers[0].clone()),
                    Mode::Reversed => answers.reverse(),
                    _ => {}
                }
                Value::Array(answers)
            }
            call => answer(call),
        };
        Ok(NodeAnswer { body: answers.to_string().into_bytes() })
    }
}

fn one_answer(view: &View, mode: &Mode, call: &Value) -> Value {
    let method = call["method"].as_str().unwrap();
    let mut id = call["id"].clone();
    let error = |code: i64, message: &str| {
        let error = json!({ "code": code, "message": message });
        json!({ "jsonrpc": "2.0", "id": call["id"], "error": error })
    };
    let result = match mode {
        Mode::Error(code, message) => return error(*code, message),
        Mode::MethodError(of, code, message) if *of == method => return error(*code, message),
        Mode::TagError(tag) if call["params"][0] == *tag => return error(-39001, "unknown block"),
        Mode::Null(of) if *of == method => Value::Null,
        Mode::NoReceipts if method.contains("Receipt") => Value::Null,
        Mode::Result(of, result) if *of == method => result.clone(),
        _ => view.answer(method, &call["params"]),
    };
    if matches!(mode, Mode::WrongIds) {
        id = json!(call["id"].as_u64().unwrap() + 1_000);
    }
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

impl Transport for Node {
    fn name(&self) -> &str {
        &self.name
    }

    fn operator_keys(&self) -> Vec<String> {
        self.state().operator.into_iter().map(str::to_owned).collect()
    }

    fn exchange(&self, request: NodeRequest) -> BoxFuture<'_, Result<NodeAnswer, TransportError>> {
        Box::pin(self.reply(request.body))
    }
}

/// A configuration whose choices are the same each time.
pub(crate) fn config() -> LiveConfig {
    LiveConfig { seed: Some(7), ..LiveConfig::default() }
}

pub(crate) fn live(nodes: &[Arc<Node>], config: LiveConfig) -> LiveSource {
    let transport = |node: &Arc<Node>| Arc::clone(node) as Arc<dyn Transport>;
    let transports = nodes.iter().map(transport).collect();
    LiveSource::with_transports(&Budget::default(), ethereum(), transports, config).unwrap()
}

pub(crate) fn hash(text: &str) -> Hash {
    text.parse().unwrap()
}

/// The word for the state of that node.
pub(crate) fn state_of(source: &LiveSource, name: &str) -> &'static str {
    let report = source.report().endpoints;
    report.iter().find(|report| report.name == name).unwrap().state.name()
}

fn receipt(transaction_hash: &Value) -> Value {
    json!({
        "transactionHash": transaction_hash, "cumulativeGasUsed": "0x0",
        "logsBloom": format!("0x{}", "00".repeat(256)), "logs": [], "status": "0x1",
    })
}
