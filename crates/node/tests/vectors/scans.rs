//! `vectors/hostile/scans.json`: scans of a made-up log, good and bad, each bad one with the reason and the
//! step at which it must fail; and scans of real blocks against what nodes listed. `make vectors` writes
//! them anew.

use std::io::Read;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use superroot_chain::ledger::evm::raw::RawEvmBlock;
use superroot_chain::{ChainRegistry, UntrustedBlock};
use superroot_proof::bundle::Policy;
use superroot_proof::scan::*;
use superroot_types::*;

use crate::same_in_file;
use crate::world::*;

/// A scan: one that holds where `refused_at` is `null`.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScanVector {
    /// What it is, or what was done to it.
    name: String,
    /// Why it must be refused, or what it shows.
    reason: String,
    /// `encoding`, `statement`, `headers`, `receipts`, the level of the last block's proof, or `anchor`.
    refused_at: Option<String>,
    /// Places of the events that it shows: block, transaction, log.
    events: Vec<(u64, u32, u32)>,
    /// SuperRoot hash that the verifier trusts.
    trusted: Hash,
    /// The `.srscan` file in hex.
    scan: String,
}

fn policy() -> Policy<'static> {
    Policy::strict(ChainRegistry::builtin().proof_registry())
}

type Places = Vec<(u64, u32, u32)>;

/// The events that it shows, or the step at which it fails.
fn judged(bytes: &[u8], trusted: &Hash) -> Result<Places, String> {
    let scan = Scan::decode(bytes).map_err(|_| "encoding".to_owned())?;
    let facts = verify_anchored(&scan, &policy(), trusted);
    let facts = facts.map_err(|error| error.step().to_owned())?;
    let place = |one: &ScanEvent| (one.number.0, one.tx_index, one.log_index);
    Ok(facts.events.iter().map(place).collect())
}

struct Scans {
    trusted: Hash,
    all: Vec<ScanVector>,
}

impl Scans {
    fn add(&mut self, name: &str, reason: &str, bytes: &[u8]) -> &ScanVector {
        let judged = judged(bytes, &self.trusted);
        self.all.push(ScanVector {
            name: name.to_owned(),
            reason: reason.to_owned(),
            refused_at: judged.as_ref().err().cloned(),
            events: judged.unwrap_or_default(),
            trusted: self.trusted,
            scan: const_hex::encode(bytes),
        });
        self.all.last().unwrap()
    }

    fn good(&mut self, name: &str, reason: &str, scan: &Scan, events: usize) {
        let vector = self.add(name, reason, &scan.encode());
        assert_eq!((&vector.refused_at, vector.events.len()), (&None, events), "{name}");
    }

    fn bad(&mut self, name: &str, reason: &str, good: &Scan, bend: impl Fn(&mut Scan)) {
        let mut lie = good.clone();
        bend(&mut lie);
        let vector = self.add(name, reason, &lie.encode());
        assert!(vector.refused_at.is_some(), "{name} was accepted");
    }
}

fn of_address(byte: u8) -> ScanFilter {
    ScanFilter::new(vec![Address([byte; 20])], Default::default(), vec![]).unwrap()
}

fn scans() -> Vec<ScanVector> {
    let mut world = World::of(ChainRegistry::builtin().proof_registry().clone());
    let polygon = ChainKey { family: Family::Evm, id: ChainId(137) };
    world.extend(ETHEREUM, 4096..=4104, |number| number % 5);
    world.extend(OPTIMISM, 0..=6, |number| number % 3);
    world.extend(polygon, 0..=4, |number| number % 2);
    let trusted = world.publish(1_700_000_000);
    let mut scans = Scans { trusted, all: Vec::new() };
    let scan = |chain, range, filter: &ScanFilter, all| world.scan(chain, range, filter, all, 0);
    let events = scan(ETHEREUM, (4_097, 4_100), &of_address(3), false);
    scans.good("all events of an address", "six events of three receipts", &events, 6);
    let absent = scan(ETHEREUM, (4_100, 4_104), &of_address(0xee), false);
    scans.good("absence of an address", "no bloom allows it", &absent, 0);
    let topic = Hash([2; 32]);
    let by_topic = ScanFilter::new(vec![], [vec![], vec![topic], vec![], vec![]], vec![]).unwrap();
    let by_topic = scan(ETHEREUM, (4_098, 4_099), &by_topic, false);
    scans.good("events by their second topic", "one event has it there", &by_topic, 1);
    let anywhere = ScanFilter::new(vec![], Default::default(), vec![topic]).unwrap();
    let anywhere = scan(OPTIMISM, (0, 6), &anywhere, false);
    scans.good("topic at any position", "no event of the chain has it", &anywhere, 0);
    let unbound = scan(polygon, (1, 3), &of_address(0xee), true);
    scans.good("absence where blooms do not bind", "all receipts of all blocks", &unbound, 0);

    let mut bad = |name: &str, reason: &str, bend: &dyn Fn(&mut Scan)| {
        scans.bad(name, reason, &events, bend);
    };
    bad("a block left out", "the range has four blocks", &|lie| drop(lie.headers.remove(1)));
    bad("first block left out", "the range has four blocks", &|lie| drop(lie.headers.remove(0)));
    bad("a block too many", "the range has four blocks", &|lie| {
        lie.headers.push(lie.headers[2].clone());
    });
    bad("two blocks exchanged", "each is the parent of the next", &|lie| lie.headers.swap(0, 1));
    bad("a block twice", "each is the parent of the next", &|lie| {
        lie.headers[1] = lie.headers[2].clone();
    });
    bad("a bit of a bloom cleared", "the header has another hash", &|lie| {
        let header = &mut lie.headers[2];
        let byte = header[192..448].iter().position(|byte| *byte != 0).unwrap() + 192;
        header[byte] = 0;
    });
    bad("a receipts root of one's own", "the header has another hash", &|lie| {
        lie.headers[2][160] ^= 1;
    });
    bad("all receipts left out", "blooms allow the events", &|lie| lie.receipts.clear());
    let of_4099 = events.receipts.iter().position(|block| block.number.0 == 4_099).unwrap();
    bad("receipts of a block left out", "its bloom allows the events", &|lie| {
        lie.receipts.remove(of_4099);
    });
    for (name, index) in [("first", 0), ("middle", 2), ("last", 3)] {
        bad(&format!("{name} receipt left out"), "the rest lead to another root", &|lie| {
            lie.receipts[of_4099].leaves.remove(index);
        });
    }
    bad("receipts exchanged", "their keys are their positions", &|lie| {
        lie.receipts[of_4099].leaves.swap(2, 3);
    });
    bad("a log cut out of a receipt", "it leads to another root", &|lie| {
        lie.receipts[of_4099].leaves[3] = receipt(4099, 3, 2);
    });
    bad("receipts of another block", "they lead to another root", &|lie| {
        lie.receipts[of_4099].leaves = world.blocks[&(ETHEREUM, 4098)].receipts.clone();
    });
    bad("receipts of a block outside the range", "the range ends before", &|lie| {
        let leaves = world.blocks[&(ETHEREUM, 4101)].receipts.clone();
        lie.receipts.push(BlockReceipts { number: BlockNumber(4_101), leaves });
    });
    bad("range one block longer", "nothing is shown of that block", &|lie| {
        lie.statement.from = BlockNumber(4_096);
    });
    bad("range one block shorter", "a header is left over", &|lie| {
        lie.statement.from = BlockNumber(4_098);
    });
    bad("range moved by one", "the last block is another", &|lie| {
        lie.statement.from = BlockNumber(4_098);
        lie.statement.to = BlockNumber(4_101);
    });
    bad("range that ends before it begins", "there is no such range", &|lie| {
        lie.statement.from = BlockNumber(4_101);
    });
    bad("range of 2,049 blocks", "a scan has 2,048 at most", &|lie| {
        lie.statement.from = BlockNumber(2_052);
    });
    bad("another address", "other blocks need their receipts", &|lie| {
        lie.statement.filter = of_address(2);
    });
    bad("a filter of nothing", "every block needs its receipts, and has them", &|lie| {
        lie.statement.filter = of_address(0xee);
    });
    bad("another chain", "the last block is of Ethereum", &|lie| {
        lie.statement.chain = OPTIMISM;
    });
    bad("another chain throughout", "its leaf names its chain", &|lie| {
        lie.statement.chain = OPTIMISM;
        lie.last.statement.chain = OPTIMISM;
    });
    bad("chain of another family", "its headers commit to no receipts", &|lie| {
        lie.statement.chain = ChainKey { family: Family::Bitcoin, id: ChainId(21_000_000) };
    });
    bad("chain that nobody knows", "it is not in the registry", &|lie| {
        let chain = ChainKey { family: Family::Evm, id: ChainId(4_242_424) };
        lie.statement.chain = chain;
        lie.last.statement.chain = chain;
    });
    bad("last block of another scan", "the range ends elsewhere", &|lie| {
        lie.last = absent.last.clone();
    });
    bad("last block below level 5", "it leads to no SuperRoot", &|lie| {
        lie.last = lie.last.clone().up_to(ProofLevel::Twig);
    });
    scans.bad("receipts where the bloom does", "a scan has one form", &absent, |lie| {
        let leaves = world.blocks[&(ETHEREUM, 4_102)].receipts.clone();
        lie.receipts.push(BlockReceipts { number: BlockNumber(4_102), leaves });
    });
    let skipping = scan(polygon, (1, 3), &of_address(0xee), false);
    scans.bad("a bloom that does not bind", "Polygon lists logs beside it", &skipping, |_| ());
    encodings(&mut scans, &events);
    scans.all
}

fn encodings(scans: &mut Scans, good: &Scan) {
    let bytes = good.encode();
    let mut add = |name: &str, reason: &str, bytes: &[u8]| {
        let vector = scans.add(name, reason, bytes);
        assert_eq!(vector.refused_at.as_deref(), Some("encoding"), "{name}");
    };
    add("nothing", "it is no scan", &[]);
    add("format 2", "this form is the first", &[&bytes[..6], &[2], &bytes[7..]].concat());
    add("one byte short", "it is cut short", &bytes[..bytes.len() - 1]);
    add("one byte long", "a byte follows", &[bytes.as_slice(), &[0]].concat());
    let mut damaged = bytes.clone();
    damaged[23] ^= 1; // the first number
    add("a number damaged", "the check of the statement does not fit", &damaged);
    // two addresses, the greater one first, and the check set right
    let filter =
        ScanFilter::new(vec![Address([1; 20]), Address([3; 20])], Default::default(), vec![]);
    let two = Scan {
        statement: ScanStatement { filter: filter.unwrap(), ..good.statement.clone() },
        ..good.clone()
    };
    let mut unsorted = two.encode();
    let at = 7 + 1 + 8 + 8 + 8 + 1;
    unsorted[at..at + 40].rotate_left(20);
    let end = at + 40 + 5;
    let check = superroot_proof::hash::keccak256(&unsorted[..end]).0;
    unsorted[end..end + 4].copy_from_slice(&check[..4]);
    add("addresses out of order", "a filter has one form", &unsorted);
}

#[test]
fn every_scan_of_the_vectors_is_judged_as_it_says() {
    let made = scans();
    let vectors = same_in_file("hostile/scans.json", &made, |one| &one.name);
    for vector in &vectors {
        let bytes = const_hex::decode(&vector.scan).unwrap();
        let expected = match &vector.refused_at {
            None => Ok(vector.events.clone()),
            Some(step) => Err(step.clone()),
        };
        assert_eq!(judged(&bytes, &vector.trusted), expected, "{}", vector.name);
    }
    assert!(vectors.len() >= 40, "{} scans", vectors.len());
}

/// Nine blocks of Ethereum, one after the other, as nodes showed them; `None`, said loudly, without data.
fn recorded() -> Option<Vec<(Block, Value)>> {
    let Some(data) = std::env::var_os("SUPERROOT_DATA").filter(|data| !data.is_empty()) else {
        eprintln!("SKIPPED: real blocks are not at hand, set SUPERROOT_DATA");
        return None;
    };
    let folder = PathBuf::from(data).join("evm");
    let index = std::fs::read(folder.join("index.json")).unwrap();
    let index: Vec<Value> = serde_json::from_slice(&index).unwrap();
    let ethereum = ChainRegistry::builtin().find("ethereum").unwrap();
    let blocks = (15_000_001..=15_000_009_u64).map(|number| {
        let is_it = |row: &&Value| row["chainId"] == 1 && row["block"] == number;
        let row = index.iter().find(is_it).unwrap();
        let file = std::fs::File::open(folder.join(row["file"].as_str().unwrap())).unwrap();
        let mut text = Vec::new();
        flate2::read::GzDecoder::new(file).read_to_end(&mut text).unwrap();
        let raw: RawEvmBlock = serde_json::from_slice(&text).unwrap();
        let block = superroot_chain::verify(ethereum, &UntrustedBlock::Evm(Box::new(raw))).unwrap();
        let [transactions, receipts] = [block.transactions(), block.receipts()];
        let block = Block {
            header: block.header().to_vec(),
            transactions: transactions.unwrap().to_vec(),
            receipts: receipts.unwrap().to_vec(),
        };
        (block, serde_json::from_slice(&text).unwrap())
    });
    Some(blocks.collect())
}

/// Real blocks: what a scan shows is what the nodes listed, and what no bloom allows is absent by headers
/// alone.
#[test]
fn scans_of_real_blocks_show_what_nodes_listed() {
    let Some(recorded) = recorded() else { return };
    let mut world = World::of(ChainRegistry::builtin().proof_registry().clone());
    let mut listed: Vec<(u64, u64, String, Vec<String>)> = Vec::new();
    for (number, (block, capture)) in (15_000_001..).zip(&recorded) {
        world.add(ETHEREUM, number, block.clone());
        for receipt in capture["receipts"].as_array().unwrap() {
            let index = receipt["transactionIndex"].as_str().unwrap();
            let index = u64::from_str_radix(index.trim_start_matches("0x"), 16).unwrap();
            for log in receipt["logs"].as_array().unwrap() {
                let text = |value: &Value| value.as_str().unwrap().to_lowercase();
                let topics = log["topics"].as_array().unwrap().iter().map(text).collect();
                listed.push((number, index, text(&log["address"]), topics));
            }
        }
    }
    listed.sort_by_key(|log| (log.0, log.1));
    let root = world.publish(1_700_000_000);
    let range = (15_000_001, 15_000_009);
    let usdt: Address = "0xdac17f958d2ee523a2206206994597c13d831ec7".parse().unwrap();
    let transfer: Hash =
        "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef".parse().unwrap();
    let none = || Default::default();
    let nobody = (0_u8..=255)
        .map(|byte| ScanFilter::new(vec![Address([byte; 20])], none(), vec![]).unwrap());
    let is_ruled_out = |filter: &ScanFilter| {
        let sieve = Sieve::new(ETHEREUM, filter);
        recorded.iter().all(|(block, _)| {
            let bloom = crate::world::scan::bloom_of(&block.header).try_into().unwrap();
            !sieve.allows(&superroot_proof::ledger::evm::Bloom(bloom))
        })
    };
    let absent = nobody.into_iter().find(is_ruled_out).expect("some address is in no bloom");
    let by_both = [vec![transfer], vec![], vec![], vec![]];
    for (filter, is_absence) in [
        (ScanFilter::new(vec![usdt], none(), vec![]).unwrap(), false),
        (ScanFilter::new(vec![usdt], by_both, vec![]).unwrap(), false),
        (ScanFilter::new(vec![], none(), vec![transfer]).unwrap(), false),
        (absent, true),
    ] {
        let scan = world.scan(ETHEREUM, range, &filter, false, 0);
        let encoded = scan.encode();
        let facts = verify_anchored(&Scan::decode(&encoded).unwrap(), &policy(), &root).unwrap();
        let shown: Vec<_> = facts
            .events
            .iter()
            .map(|one| {
                let topics = one.log.topics.iter().map(ToString::to_string).collect();
                (one.number.0, u64::from(one.tx_index), one.log.address.to_string(), topics)
            })
            .collect();
        let expected: Vec<_> = listed
            .iter()
            .filter(|(_, _, address, topics)| {
                let one_of = filter.addresses().iter().any(|one| one.to_string() == *address);
                let first = filter.topics()[0].first().map(ToString::to_string);
                (filter.addresses().is_empty() || one_of)
                    && first.is_none_or(|topic| topics.first() == Some(&topic))
                    && filter.anywhere().iter().all(|one| topics.contains(&one.to_string()))
            })
            .cloned()
            .collect();
        assert_eq!(shown, expected);
        assert_eq!(shown.is_empty(), is_absence);
        if is_absence {
            assert_eq!((facts.by_bloom, facts.by_receipts), (9, 0));
            assert!(encoded.len() < 16 << 10, "{} bytes for nine headers", encoded.len());
        }
    }
}
