//! Chains of other ledgers than Ethereum's: one whose every block is final at once, and one that skips
//! slots and whose hashes bind no parent. How their rows, blocks and nodes' answers look.

use serde_json::{Value, json};
use superroot_chain::ledger::cosmos::build::{CosmosBlockPlan, block};
use superroot_chain::ledger::cosmos::{RawCosmosBlock, RawCosmosHeader};
use superroot_chain::{ChainSpec, Ledger};
use superroot_proof::ledger::cosmos::transaction_hash;
use superroot_types::{BlockNumber, Family, Hash};

use crate::blocks::{Block, GENESIS, Raw};
use crate::dice::Dice;
use crate::history::View;

/// Rows of a log of one's own: slug, the row whose ledger it has, id, first number.
pub(crate) const ROWS: [(&str, &str, u64, u64); 2] =
    [("sim-comet", "cosmoshub", 900_011, 2_044), ("sim-slots", "solana", 900_012, 0)];

/// Hash that no chain of the simulation begins with.
const OTHER_GENESIS: &str = "11111111111111111111111111111112";

/// Most transactions of one block.
const ENTRIES_MAX: u64 = 4;

/// Makes a row one of its own network.
pub(crate) fn rename(slug: &str, row: &mut toml::Table) {
    let caip2 = if row.contains_key("genesis_hash") {
        let genesis = base58(&Hash([5; 32]));
        let caip2 = format!("solana:{}", &genesis[..32]);
        row.insert("genesis_hash".into(), genesis.into());
        caip2
    } else {
        format!("cosmos:{slug}")
    };
    row.insert("caip2".into(), caip2.into());
}

/// What a block of a ledger consists of, besides its place.
pub(crate) struct Parts {
    pub(crate) hash: Hash,
    pub(crate) parent: Hash,
    pub(crate) transactions: Vec<Vec<u8>>,
    pub(crate) transaction_hashes: Vec<Hash>,
    pub(crate) raw: Raw,
}

/// A block of another ledger, unlike any other.
pub(crate) fn make(
    row: &ChainSpec,
    number: u64,
    parent: Hash,
    seconds: u64,
    dice: &mut Dice,
) -> Parts {
    let mark = mark(dice);
    let is_first = number == row.profile().first_number();
    let parent = if is_first { Hash::ZERO } else { parent };
    match row.family() {
        Family::Cosmos => {
            let transaction = |at: u64| {
                [&mark.0[..], &at.to_be_bytes()[..], &row.id.0.to_be_bytes()[..]].concat()
            };
            let transactions: Vec<Vec<u8>> =
                (0..dice.below(ENTRIES_MAX + 1)).map(transaction).collect();
            let plan = CosmosBlockPlan {
                chain_id: row.slug.clone(),
                number: BlockNumber(number),
                parent_hash: parent,
                time: (GENESIS + number * seconds, 0),
                app_hash: mark,
                proposer_address: [3; 20],
                transactions: transactions.clone(),
            };
            let raw = block(&plan);
            let transaction_hashes = transactions.iter().map(|one| transaction_hash(one)).collect();
            let hash = raw.hash;
            Parts {
                hash,
                parent,
                transactions,
                transaction_hashes,
                raw: Raw::Cosmos(Box::new(raw)),
            }
        }
        // of nodes alone: they give no entries, so a block is its hash
        Family::Solana => Parts {
            hash: mark,
            parent,
            transactions: Vec::new(),
            transaction_hashes: Vec::new(),
            raw: Raw::Slot,
        },
        other => unreachable!("{other} is not simulated here"),
    }
}

fn mark(dice: &mut Dice) -> Hash {
    let mut mark = Hash([1; 32]);
    mark.0[..8].copy_from_slice(&dice.below(u64::MAX).to_be_bytes());
    mark.0[8..16].copy_from_slice(&dice.below(u64::MAX).to_be_bytes());
    mark
}

/// A result, or a code and a message.
pub(crate) type Answered = Result<Value, (i64, &'static str)>;

/// What a node of that row answers, which sees the chain so. A foreign one is of another network.
pub(crate) fn answer(row: &ChainSpec, call: &Value, view: &View, is_foreign: bool) -> Answered {
    let (method, params) = (call["method"].as_str().unwrap(), &call["params"]);
    match &row.ledger {
        Ledger::Cosmos(_) => comet(&row.slug, method, params, view, is_foreign),
        Ledger::Solana(params_of) => {
            let genesis = params_of.genesis();
            let genesis = if is_foreign { OTHER_GENESIS } else { &genesis };
            slots(genesis, method, params, view)
        }
        _ => unreachable!("it is not simulated here"),
    }
}

fn comet(slug: &str, method: &str, params: &Value, view: &View, is_foreign: bool) -> Answered {
    let height = |at: usize| params[at].as_str().and_then(|text| text.parse().ok()).unwrap_or(0);
    let (first, last) = (view.first(), view.head().number);
    let too_high = "height must be less than or equal to the current blockchain height";
    let at = |height: u64| match view.at(height) {
        Some(block) => Ok(block),
        None if height > last => Err((-32_603, too_high)),
        None => Err((-32_603, "height is not available, lowest height is another")),
    };
    Ok(match method {
        "status" => json!({
            "node_info": {
                "network": if is_foreign { "sim-other" } else { slug },
                "version": "0.38.17", "moniker": "sim",
            },
            "sync_info": {
                "latest_block_hash": hex(&view.head().hash),
                "latest_block_height": last.to_string(),
                "earliest_block_height": first.to_string(), "catching_up": false,
            },
        }),
        "block" => {
            let block = at(height(0))?;
            let (header, txs) = comet_parts(block);
            json!({
                "block_id": { "hash": hex(&block.hash), "parts": { "total": 1, "hash": "" } },
                "block": { "header": header, "data": { "txs": txs } },
            })
        }
        "blockchain" => {
            let (low, high) = (height(0).max(first), height(1).min(last));
            at(height(0))?;
            let metas = (low..=high).rev().filter_map(|height| view.at(height));
            let metas = metas.map(|block| {
                let (header, _) = comet_parts(block);
                json!({ "block_id": { "hash": hex(&block.hash) }, "header": header, "num_txs": "0" })
            });
            let metas: Vec<Value> = metas.collect();
            json!({ "last_height": last.to_string(), "block_metas": metas })
        }
        _ => return Err((-32_601, "Method not found")),
    })
}

fn comet_parts(block: &Block) -> (&RawCosmosHeader, &Option<Vec<String>>) {
    let Raw::Cosmos(raw) = &block.raw else { unreachable!("it is of another ledger") };
    let RawCosmosBlock { header, txs, .. } = &**raw;
    (header, txs)
}

fn hex(hash: &Hash) -> String {
    const_hex::encode_upper(hash.0)
}

/// Each fourth slot has no block.
const fn slot_of(height: u64) -> u64 {
    height + height / 3
}

fn slots(genesis: &str, method: &str, params: &Value, view: &View) -> Answered {
    let asked = |at: usize| params[at].as_u64().unwrap_or(0);
    let from = |slot: u64| view.line.iter().filter(move |block| slot_of(block.number) >= slot);
    let slots = |blocks: &mut dyn Iterator<Item = u64>| json!(blocks.collect::<Vec<u64>>());
    let listed = |slot: u64| from(slot).map(|block| slot_of(block.number));
    Ok(match method {
        "getGenesisHash" => json!(genesis),
        "getVersion" => json!({ "solana-core": "2.1.0" }),
        "getSlot" => json!(slot_of(view.head().number)),
        "getBlock" => {
            let block = from(asked(0)).next().ok_or((-32_004, "Block not available for slot"))?;
            if slot_of(block.number) != asked(0) {
                return Err((-32_007, "Slot was skipped"));
            }
            json!({
                "blockHeight": block.number, "blockTime": GENESIS + block.number,
                "blockhash": base58(&block.hash),
                "parentSlot": slot_of(block.number.saturating_sub(1)),
                "previousBlockhash": base58(&block.parent),
            })
        }
        "getBlocks" => slots(&mut listed(asked(0)).take_while(|slot| *slot <= asked(1))),
        "getBlocksWithLimit" => {
            let limit = usize::try_from(asked(1)).unwrap();
            slots(&mut listed(asked(0)).take(limit))
        }
        _ => return Err((-32_601, "Method not found")),
    })
}

fn base58(hash: &Hash) -> String {
    bs58::encode(hash.0).into_string()
}
