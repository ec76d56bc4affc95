//! Cases made by the rules of the protocols, each an order that a stranger bends or an end that is easily missed:
//! `SUPERROOT_DATA/orders`.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;
use superroot_index::BlockEvent;
use superroot_order::{
    ChainProgress, Knowledge, LegPosition, Order, OrderProtocol, OrderQuery, assemble, filter_of,
    find, load_legs,
};
use superroot_store::StoreError;
use superroot_types::{ChainKey, Hash};

use crate::shared::{Block, Orders};

/// The folder of the cases; `None`, loudly, where there is no data.
fn folder() -> Option<PathBuf> {
    let Some(data) = std::env::var_os("SUPERROOT_DATA") else {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, no made case was read");
        return None;
    };
    Some(PathBuf::from(data).join("orders"))
}

fn json(file: &Path) -> Value {
    let mut bytes = std::fs::read(file).unwrap();
    if file.extension().is_some_and(|end| end == "gz") {
        let mut text = Vec::new();
        flate2::read::GzDecoder::new(&*bytes).read_to_end(&mut text).unwrap();
        bytes = text;
    }
    serde_json::from_slice(&bytes).unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value}"))
}

fn number(value: &Value) -> u64 {
    u64::from_str_radix(text(value).trim_start_matches("0x"), 16).unwrap()
}

/// All blocks of a case, and the status of each of its transactions.
struct Case {
    blocks: Vec<Block>,
    statuses: BTreeMap<Hash, bool>,
}

impl Case {
    fn read(folder: &Path) -> Self {
        let index = json(&folder.join("index.json"));
        let mut case = Self { blocks: Vec::new(), statuses: BTreeMap::new() };
        for row in index.as_array().unwrap() {
            let recording = json(&folder.join(text(&row["file"])));
            let mut events = Vec::new();
            for receipt in recording["receipts"].as_array().unwrap() {
                let hash: Hash = text(&receipt["transactionHash"]).parse().unwrap();
                case.statuses.insert(hash, number(&receipt["status"]) == 1);
                let tx_index = u32::try_from(number(&receipt["transactionIndex"])).unwrap();
                let logs = receipt["logs"].as_array().unwrap();
                events.extend((0..).zip(logs).map(|(log_index, log)| {
                    BlockEvent {
                        tx_index,
                        log_index,
                        transaction_hash: Some(hash),
                        addresses: vec![const_hex::decode(text(&log["address"])).unwrap()],
                        topics: log["topics"]
                            .as_array()
                            .unwrap()
                            .iter()
                            .map(|topic| text(topic).parse().unwrap())
                            .collect(),
                        data: Some(const_hex::decode(text(&log["data"])).unwrap()),
                    }
                }));
            }
            case.blocks.push(Block {
                chain: row["chainId"].as_u64().unwrap(),
                number: row["block"].as_u64().unwrap(),
                at: number(&recording["block"]["timestamp"]),
                events,
            });
        }
        case
    }

    /// What is said of a name, where all blocks of all chains are held.
    fn said(&self, orders: &Orders, name: &str) -> Vec<Order> {
        let keys = find(&orders.store, &OrderQuery::parse(name).unwrap()).unwrap();
        let of_key = |key| assemble(load_legs(&orders.store, key).unwrap(), self).unwrap();
        keys.iter().filter_map(of_key).collect()
    }
}

impl Knowledge for Case {
    fn clock(&self, chain: u64, _: &OrderProtocol, _: u64) -> Result<ChainProgress, StoreError> {
        let of_chain = self.blocks.iter().filter(|block| block.chain == chain);
        let newest = of_chain.map(|block| block.at).max();
        Ok(ChainProgress { newest, is_followed: newest.is_some(), whole_since: newest.map(|_| 0) })
    }

    fn is_final(&self, _: &LegPosition) -> Result<bool, StoreError> {
        Ok(true)
    }

    fn has_succeeded(&self, _: ChainKey, hash: &Hash) -> Result<Option<bool>, StoreError> {
        Ok(self.statuses.get(hash).copied())
    }
}

/// In a line: state, `terminal`, what is stuck, and what is awaited where.
fn line(order: &Order) -> String {
    let stuck = order.stuck.as_ref().map_or("", |stuck| &stuck.reason);
    let next = order.next.as_ref().map(|next| format!("{} at {:?}", next.event, next.chain));
    let terminal = if order.is_terminal { "terminal" } else { "goes on" };
    format!("{}, {terminal}, {stuck}, {}", order.state.name(), next.unwrap_or_default())
}

/// What is right for each case, by its row in the index.
const RIGHT: [(&str, &[&str]); 20] = [
    ("fill-behind-a-strangers-megabyte", &["filled, terminal, , "]),
    ("mint-hours-before-the-burn-cctp-v2", &["opened, goes on, , MessageReceived at Some(10)"]),
    ("cctp-v1-burn-replaced", &["filled, terminal, , "]),
    ("thirty-three-equal-transfers", &["filled, terminal, , "]),
    ("op-withdrawal-finalized-without-success", &["failed, terminal, , "]),
    ("retryable-cancelled", &["cancelled, terminal, , "]),
    (
        "retryable-automatic-redeem-failed",
        &["opened, goes on, ticket_not_redeemed, RedeemScheduled at Some(42161)"],
    ),
    ("retryable-of-ether", &["settled, terminal, , "]),
    ("omnibridge-failed-then-fixed", &["refunded, terminal, , "]),
    ("celer-refunded", &["refunded, terminal, , "]),
    ("fill-with-longer-origin-data-7683", &["filled, goes on, , Settled at Some(8453)"]),
    (
        "across-refund-deferred",
        &["opened, goes on, refund_deferred, ClaimedRelayerRefund at Some(8453)"],
    ),
    (
        "lifi-beside-anothers-deposit",
        &["opened, goes on, bridge_not_known, the fill of the bridge below at Some(10)"],
    ),
    (
        "order-id-taken-by-a-lifi-id",
        &[
            "opened, goes on, destination_not_collected, FulfilledOrder at Some(10)",
            "opened, goes on, bridge_not_known, the fill of the bridge below at Some(10)",
        ],
    ),
    (
        "slow-fill-asked-then-expired",
        &[
            "expired, goes on, past_deadline_without_refund, ExecutedRelayerRefundRoot at Some(8453)",
        ],
    ),
    (
        "slow-fill-asked-of-no-deposit",
        &["step_seen, goes on, opening_not_seen, FundsDeposited at Some(10)"],
    ),
    ("dln-take-lowered", &["filled, goes on, , SentOrderUnlock at Some(10)"]),
    ("across-id-twice", &["partially_filled, goes on, id_of_several, FilledRelay at Some(10)"]),
    ("celer-delayed", &["opened, goes on, transfer_delayed, DelayedTransferExecuted at Some(10)"]),
    ("xdai-two-in-one-transaction", &["settled, terminal, , "]),
];

/// Every made case is answered as its row says, in whatever order its blocks came, with all events held as with those
/// that `--watch orders` keeps, and after a block was taken back and came again.
#[test]
fn every_made_case_is_answered_right_however_its_blocks_came() {
    let Some(folder) = folder() else { return };
    let rows = json(&folder.join("index.json"));
    let mut said = Vec::new();
    for row in rows.as_array().unwrap() {
        let id = text(&row["id"]);
        let Some(name) = row["ask"].get(0).map(|ask| text(ask).trim_start_matches("/events/"))
        else {
            continue;
        };
        let case = Case::read(&folder.join(id));
        let whole = Orders::of(&case.blocks);
        let answer = case.said(&whole, name);
        said.push((id.to_owned(), answer.iter().map(line).collect::<Vec<_>>()));
        let backwards = Orders::of(case.blocks.iter().rev());
        let watched: Vec<Block> = case.blocks.iter().map(watched).collect();
        let watched = Orders::of(&watched);
        let again = Orders::of(&case.blocks);
        for block in &case.blocks {
            again.undo(block);
            again.put(block);
        }
        for other in [backwards, watched, again] {
            assert_eq!(other.rows(), whole.rows(), "{id}");
            assert_eq!(case.said(&other, name), answer, "{id}");
        }
    }
    let right = RIGHT
        .map(|(id, lines)| (id.to_owned(), lines.iter().map(|line| (*line).to_owned()).collect()));
    assert_eq!(said, right);
}

/// What of a block `--watch orders` keeps.
fn watched(block: &Block) -> Block {
    let filter = filter_of(block.key()).expect("a chain of the table");
    let events = block.events.iter().filter(|event| filter.passes(event)).cloned().collect();
    Block { events, ..block.clone() }
}
