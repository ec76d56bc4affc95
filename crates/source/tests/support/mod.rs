//! What the tests of recordings and replay share.
#![allow(dead_code, reason = "each test file uses its part")]

pub(crate) mod nodes;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use superroot_chain::{ChainRegistry, ChainSpec};
use superroot_source::{Recordings, ReplayServer};
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub(crate) fn ethereum() -> &'static ChainSpec {
    ChainRegistry::builtin().find("ethereum").unwrap()
}

/// The folder of real recordings; says so loudly when there is none.
pub(crate) fn real_recordings() -> Option<PathBuf> {
    let folder = std::env::var_os("SUPERROOT_DATA").map(|data| PathBuf::from(data).join("evm"));
    if folder.is_none() {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, real recordings are not read");
    }
    folder
}

pub(crate) fn hash_text(byte: u8) -> String {
    format!("0x{}", format!("{byte:02x}").repeat(32))
}

/// A capture with the fields that every header has, and no transactions.
pub(crate) fn capture(chain_id: u64, number: u64, hash: Option<&str>) -> Value {
    let zero = hash_text(0);
    json!({
        "chainId": chain_id, "network": "made-up", "source": "test",
        "block": {
            "hash": hash, "parentHash": zero, "sha3Uncles": zero,
            "miner": format!("0x{}", "00".repeat(20)), "stateRoot": zero, "transactionsRoot": zero,
            "receiptsRoot": zero, "logsBloom": format!("0x{}", "00".repeat(256)),
            "difficulty": "0x0", "number": format!("{number:#x}"), "gasLimit": "0x0",
            "gasUsed": "0x0", "timestamp": "0x0", "extraData": "0x", "mixHash": zero,
            "nonce": "0x0000000000000000", "transactions": [],
        },
        "receipts": [],
    })
}

/// A recordings folder in the making.
pub(crate) struct Folder {
    folder: TempDir,
    rows: Vec<Value>,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), rows: Vec::new() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file, zipped if its name says so.
    pub(crate) fn file(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let file = std::fs::File::create(path).unwrap();
        if name.ends_with(".gz") {
            let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
            encoder.write_all(text.as_bytes()).unwrap();
            encoder.finish().unwrap();
        } else {
            (&file).write_all(text.as_bytes()).unwrap();
        }
    }

    /// A block with its row in the index.
    pub(crate) fn block(&mut self, chain_id: u64, number: u64, hash: Option<&str>, name: &str) {
        self.file(name, &capture(chain_id, number, hash).to_string());
        self.row(json!({
            "chainId": chain_id, "network": "made-up", "block": number, "hash": hash, "file": name,
        }));
    }

    pub(crate) fn row(&mut self, row: Value) {
        self.rows.push(row);
    }

    pub(crate) fn write_index(&self) {
        self.file("index.json", &Value::from(self.rows.clone()).to_string());
    }

    pub(crate) fn open(&self) -> Arc<Recordings> {
        Arc::new(Recordings::open(&[self.path()], ChainRegistry::builtin()).unwrap())
    }
}

/// A replay server that runs until it is dropped or stopped.
pub(crate) struct Running {
    pub(crate) url: String,
    stop: oneshot::Sender<()>,
    server: JoinHandle<()>,
}

impl Running {
    pub(crate) async fn start(recordings: Arc<Recordings>) -> Self {
        let address = "127.0.0.1:0".parse().unwrap();
        let server = ReplayServer::bind(address, recordings).await.unwrap();
        let url = format!("http://{}", server.address());
        let (stop, stopped) = oneshot::channel::<()>();
        let server = tokio::spawn(async move {
            server.run(async move { drop(stopped.await) }).await.unwrap();
        });
        Self { url, stop, server }
    }

    /// Asks the server to stop and waits until it has.
    pub(crate) async fn stop(self) {
        drop(self.stop);
        self.server.await.unwrap();
    }
}
