//! Real blocks and facts of them, found through `SUPERROOT_DATA` alone.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use serde_json::Value;
use superroot_chain::ledger::evm::raw::RawEvmBlock;
use superroot_chain::{ChainRegistry, ChainSpec, UntrustedBlock, VerifiedBlock, verify};
use superroot_gas::base_fee::BaseFeeRule;
use superroot_gas::{FeeRules, NoFigure, Sample};
use superroot_store::layout::{BlockRow, KeptEntries};
use superroot_types::{BlockNumber, ChainId, Hash, UnixSeconds};

/// Facts of real blocks.
pub(crate) struct Judge {
    data: PathBuf,
}

impl Judge {
    /// `None`, loudly, where there is no data.
    pub(crate) fn open() -> Option<Self> {
        let Some(data) = std::env::var_os("SUPERROOT_DATA") else {
            eprintln!("SKIPPED: SUPERROOT_DATA is not set, no real block was read");
            return None;
        };
        Some(Self { data: data.into() })
    }

    pub(crate) fn rows(&self, file: &str) -> Vec<Value> {
        let bytes = std::fs::read(self.data.join("market").join(file)).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }
}

/// Blocks by their file, each verified once.
#[derive(Default)]
pub(crate) struct Blocks(BTreeMap<String, VerifiedBlock>);

impl Blocks {
    pub(crate) fn get(&mut self, judge: &Judge, file: &str) -> &VerifiedBlock {
        self.0.entry(file.to_owned()).or_insert_with(|| {
            let path = judge.data.join(file.trim_start_matches("shared/data/"));
            let mut text = String::new();
            let file = std::fs::File::open(path).unwrap();
            flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
            let json: Value = serde_json::from_str(&text).unwrap();
            let chain = json["chainId"].as_u64().unwrap();
            let raw: RawEvmBlock = serde_json::from_str(&json.to_string()).unwrap();
            verify(row(chain), &UntrustedBlock::Evm(Box::new(raw))).unwrap()
        })
    }
}

/// The row of a chain, of the default registry or of the test networks.
pub(crate) fn row(chain: u64) -> &'static ChainSpec {
    static TESTS: OnceLock<ChainRegistry> = OnceLock::new();
    let rows = include_str!("../../../chain/tests/test_networks.toml");
    let tests = TESTS.get_or_init(|| ChainRegistry::parse(rows).unwrap());
    let id = ChainId(chain);
    ChainRegistry::builtin().by_id(id).or_else(|| tests.by_id(id)).unwrap()
}

/// The rules of a chain; of test networks those that real headers confirmed.
pub(crate) fn rules_of(chain: u64) -> FeeRules {
    let id = ChainId(chain);
    let listed =
        |id: u64| FeeRules::of(ChainRegistry::builtin().by_id(ChainId(id)).unwrap(), false);
    match chain {
        _ if ChainRegistry::builtin().by_id(id).is_some() => listed(chain),
        59_141 => listed(59_144),
        167_001 => listed(167_000),
        20_143 => FeeRules::always(BaseFeeRule::Constant(50_000_000_000)),
        17_000 | 5 | 3_503_995_874_084_926 => FeeRules::always(BaseFeeRule::EIP_1559),
        _ => FeeRules::of(row(chain), false),
    }
}

/// What is read of a block.
pub(crate) fn read(block: &VerifiedBlock) -> Sample {
    let row = row(block.chain().id.0);
    let held = BlockRow {
        hash: block.hash(),
        parent_hash: block.parent_hash(),
        timestamp: block.timestamp(),
        extent: block.extent(),
        kept: KeptEntries::All,
        tx_count: block.tx_count().map(|count| u32::try_from(count).unwrap()),
        header: block.header().to_vec(),
        agreed: None,
    };
    Sample::read(row, &rules_of(row.id.0), block.number(), &held, block.body()).unwrap()
}

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

/// A number as decimal text; `None` of null.
pub(crate) fn wei(value: &Value) -> Option<u64> {
    value.as_str().map(|text| text.parse().unwrap())
}

/// Numbers in hex, as nodes answer.
pub(crate) fn hexes(value: &Value) -> Vec<u64> {
    let items = value.as_array().into_iter().flatten();
    items
        .map(|item| u64::from_str_radix(text(item).trim_start_matches("0x"), 16).unwrap())
        .collect()
}

pub(crate) trait ToSample {
    fn to_sample(&self) -> Sample;
}

pub(crate) fn sample(told: &impl ToSample) -> Arc<Sample> {
    Arc::new(told.to_sample())
}

pub(crate) fn blank(number: BlockNumber, time: u64) -> Sample {
    let none = NoFigure::of("not told");
    Sample {
        number,
        hash: Hash::ZERO,
        timestamp: UnixSeconds(time),
        header: None,
        paid: None,
        l1: Err(none.clone()),
        rates: Err(none),
    }
}

/// The lowest excess whose fee is at least that.
pub(crate) fn first_with(fee: u128, of: impl Fn(u64) -> u128) -> u64 {
    let (mut low, mut high) = (0, 120_000_000);
    while low < high {
        let middle = (low + high) / 2;
        if of(middle) >= fee { high = middle } else { low = middle + 1 }
    }
    low
}
