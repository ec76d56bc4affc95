//! Recorded blocks, found through `SUPERROOT_DATA` alone, and the rows of their chains.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;
use std::sync::OnceLock;

use serde_json::Value;
use superroot_chain::ledger::evm::raw::RawEvmBlock;
use superroot_chain::{ChainRegistry, ChainSpec};
use superroot_types::ChainId;

/// A recorded block: its row of the index and the recording, as text that is not parsed yet.
pub(crate) struct Recording {
    pub(crate) chain_id: u64,
    pub(crate) network: String,
    pub(crate) number: u64,
    pub(crate) hash: String,
    pub(crate) checks: Value,
    /// The layout of the header as the index names it.
    pub(crate) layout: String,
    pub(crate) json: Value,
}

impl Recording {
    pub(crate) fn raw(&self) -> RawEvmBlock {
        parse(&self.json).unwrap_or_else(|error| panic!("{self}: {error}"))
    }

    /// Made up by a node of a simulated call: its transactions have signatures of zeros.
    pub(crate) fn is_simulated(&self) -> bool {
        matches!((self.chain_id, self.number), (1, 21_000_002 | 21_000_003))
    }

    pub(crate) fn is_ok(&self, check: &str) -> bool {
        self.checks[check] == "ok"
    }

    /// The row of its chain, of the default registry or of the test networks.
    pub(crate) fn row(&self) -> Option<&'static ChainSpec> {
        let id = ChainId(self.chain_id);
        ChainRegistry::builtin().by_id(id).or_else(|| test_networks().by_id(id))
    }
}

impl std::fmt::Display for Recording {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.network, self.number)
    }
}

/// Rows of networks that are recorded but not in the default registry.
pub(crate) fn test_networks() -> &'static ChainRegistry {
    static ROWS: OnceLock<ChainRegistry> = OnceLock::new();
    ROWS.get_or_init(|| ChainRegistry::parse(include_str!("../test_networks.toml")).unwrap())
}

pub(crate) fn parse(json: &Value) -> Result<RawEvmBlock, String> {
    serde_json::from_str(&json.to_string()).map_err(|error| error.to_string())
}

/// Every recorded block of chain 1; `None`, loudly, when there is no data.
pub(crate) fn ethereum() -> Option<Vec<Recording>> {
    let rows = recordings(|chain_id| chain_id == 1)?;
    assert!(rows.len() >= 136, "the recordings hold at least 136 blocks of Ethereum");
    Some(rows)
}

/// Every recorded block of the chains asked for; `None`, loudly, when there is no data.
pub(crate) fn recordings(is_asked: impl Fn(u64) -> bool) -> Option<Vec<Recording>> {
    let data = data()?;
    let mut recordings = Vec::new();
    for folder in ["evm", "evm-added"].map(|folder| data.join(folder)) {
        let index = std::fs::read(folder.join("index.json")).expect("index of the recordings");
        let index: Vec<Value> = serde_json::from_slice(&index).expect("index is JSON");
        let asked = index.into_iter().filter(|row| is_asked(row["chainId"].as_u64().unwrap()));
        recordings.extend(asked.map(|row| Recording {
            chain_id: row["chainId"].as_u64().unwrap(),
            network: row["network"].as_str().unwrap().to_owned(),
            number: row["block"].as_u64().unwrap(),
            hash: row["hash"].as_str().unwrap_or_default().to_owned(),
            checks: row["checks"].clone(),
            layout: row["headerLayout"].as_str().unwrap_or("none").to_owned(),
            json: unpacked(&folder.join(row["file"].as_str().unwrap())),
        }));
    }
    Some(recordings)
}

/// Single transactions and receipts by chain id.
pub(crate) fn single_entries() -> Option<BTreeMap<u64, Vec<Value>>> {
    let folder = data()?.join("evm/samples");
    let index = std::fs::read(folder.join("index.json")).expect("index of the samples");
    let index: Vec<Value> = serde_json::from_slice(&index).expect("index is JSON");
    let entries = index.iter().map(|row| {
        let file = row["file"].as_str().unwrap().trim_start_matches("samples/");
        let samples = unpacked(&folder.join(file))["samples"].as_array().unwrap().clone();
        (row["chainId"].as_u64().unwrap(), samples)
    });
    Some(entries.collect())
}

/// The recorded blocks of a folder of `field`; `None`, loudly, when there is no data.
pub(crate) fn field(kind: &str) -> Option<Vec<RawEvmBlock>> {
    let folder = data()?.join("field").join(kind);
    let read = |name: &str| -> Value {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let index = read("index.json");
    let files = index.as_array().unwrap().iter().map(|row| row["file"].as_str().unwrap());
    Some(files.map(|file| parse(&read(file)).unwrap()).collect())
}

fn data() -> Option<PathBuf> {
    let Ok(data) = std::env::var("SUPERROOT_DATA") else {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, no recorded block was read");
        return None;
    };
    Some(PathBuf::from(data))
}

fn unpacked(path: &std::path::Path) -> Value {
    let mut text = String::new();
    let file = std::fs::File::open(path).unwrap();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// How often a sampled test repeats: ten times as much with `SUPERROOT_TEST_ALL=1`.
pub(crate) fn samples(usual: usize) -> usize {
    let all = std::env::var("SUPERROOT_TEST_ALL").is_ok_and(|value| value == "1");
    if all { 10 * usual } else { usual }
}

/// A small deterministic generator (splitmix64), so that a failure repeats.
pub(crate) struct Seeded(pub(crate) u64);

impl Seeded {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word ^ (word >> 31)) % limit as u64) as usize
    }
}

/// Alters one bit of a scalar, or drops the last entry of a list. `false` when there is nothing to
/// alter: an empty list, a null.
pub(crate) fn alter(value: &mut Value, seeded: &mut Seeded) -> bool {
    let altered = match &*value {
        Value::Null => return false,
        Value::Bool(flag) => Value::Bool(!flag),
        Value::Number(number) => Value::from(number.as_u64().expect("a quantity") ^ 1),
        Value::String(text) if text == "0x" => Value::from("0x01"),
        Value::String(text) => {
            let start = if text.starts_with("0x") { 2 } else { 0 };
            let mut bytes = text.clone().into_bytes();
            let at = start + seeded.below(bytes.len() - start);
            bytes[at] = if start == 2 {
                let digit = char::from(bytes[at]).to_digit(16).expect("a hex digit");
                let flipped = digit ^ (1 << seeded.below(4));
                char::from_digit(flipped, 16).unwrap() as u8
            } else {
                b'0' + (bytes[at] - b'0' + 1) % 10
            };
            Value::from(String::from_utf8(bytes).unwrap())
        }
        Value::Array(list) if list.is_empty() => return false,
        Value::Array(list) => Value::from(list[..list.len() - 1].to_vec()),
        Value::Object(_) => panic!("an object is altered field by field"),
    };
    assert_ne!(altered, *value);
    *value = altered;
    true
}

/// JSON pointers of every scalar and list below a value, the value's own excluded.
pub(crate) fn pointers(value: &Value) -> Vec<String> {
    let below = |key: String, value: &Value| {
        let own = if value.is_object() { vec![] } else { vec![key.clone()] };
        let inner = pointers(value).into_iter().map(move |inner| format!("{key}{inner}"));
        own.into_iter().chain(inner).collect::<Vec<_>>()
    };
    match value {
        Value::Object(map) => {
            map.iter().flat_map(|(key, value)| below(format!("/{key}"), value)).collect()
        }
        Value::Array(list) => {
            let entries = list.iter().enumerate();
            entries.flat_map(|(index, value)| below(format!("/{index}"), value)).collect()
        }
        _ => vec![],
    }
}
