//! A chain of Bitcoin's family: what is agreed on is not taken where its target or time is not due.

use crate::support;

use std::sync::{Arc, Mutex};

use superroot_chain::ledger::bitcoin::{BitcoinParams, RawBitcoinBlock, Retarget};
use superroot_chain::{ChainRegistry, ChainSpec, Ledger, UntrustedBlock};
use superroot_collect::{CollectConfig, CollectError, CollectProgress, Collector, WatchFilter};
use superroot_proof::ledger::bitcoin::Header;
use superroot_source::{
    BlockAt, BlockParts, BlockSource, ClaimedBlock, FetchedBlock, Fetching, FinalityAgreement,
    LiveNodes, NodesReport, SourceDescription, SourceTip,
};
use superroot_store::{MemoryStore, read};
use superroot_types::ErrorKind;
use superroot_types::*;

/// A twig's first number, with which a live chain begins.
const FIRST: u64 = 2_048;
const BITS: u32 = 0x207f_ffff;

fn regtest() -> ChainSpec {
    let mut row = ChainRegistry::builtin().find("bitcoin").unwrap().clone();
    let (target_limit_bits, coinbase_height_from, confirmations) = (BITS, 1, 6);
    let retarget = Retarget::Never;
    let unprovable = Vec::new();
    row.ledger = Ledger::Bitcoin(BitcoinParams {
        target_limit_bits,
        coinbase_height_from,
        confirmations,
        retarget,
        checkpoints: Vec::new(),
        unprovable,
    });
    row
}

/// Headers from [`FIRST`] on, each with the work its target asks for; `bend` changes one before it is
/// mined.
fn mined(count: u64, bend: impl Fn(u64, &mut Header)) -> Vec<Header> {
    let mut line: Vec<Header> = Vec::new();
    for number in FIRST..FIRST + count {
        let parent_hash = line.last().map_or(Hash([3; 32]), Header::hash);
        let time = 1_700_000_000 + 600 * (number - FIRST) as u32;
        let merkle_root = Hash([9; 32]);
        let mut header =
            Header { version: 4, parent_hash, merkle_root, time, bits: BITS, nonce: 0 };
        bend(number, &mut header);
        while header.hash().0[31] >= 0x7f {
            header.nonce += 1;
        }
        line.push(header);
    }
    line
}

/// A node that is believed, and how far it calls its chain final.
struct Node {
    line: Vec<Header>,
    finalized: u64,
    blamed: Mutex<Vec<String>>,
}

impl Node {
    fn id(&self, number: u64) -> Option<ClaimedBlock> {
        let place = usize::try_from(number.checked_sub(FIRST)?).ok()?;
        let hash = self.line.get(place)?.hash();
        Some(ClaimedBlock { number: BlockNumber(number), hash })
    }
}

impl BlockSource for Node {
    fn about(&self) -> SourceDescription<'_> {
        SourceDescription { name: "node", chain: regtest().key(), network: Network::Live }
    }

    fn fetch_tip(&self) -> Fetching<'_, SourceTip> {
        let head = self.id(FIRST + self.line.len() as u64 - 1).unwrap();
        let finalized = self.id(self.finalized).unwrap();
        Box::pin(async move { Ok(SourceTip { head, safe: None, finalized }) })
    }

    fn fetch_block<'a>(
        &'a self,
        at: BlockAt,
        _parts: BlockParts,
        _: &'a [Arc<str>],
    ) -> Fetching<'a, Option<FetchedBlock>> {
        let block = self.id(at.number().0).map(|ClaimedBlock { number, hash }| {
            let bytes = self.line[(number.0 - FIRST) as usize].encode().to_vec();
            UntrustedBlock::Bitcoin(Box::new(RawBitcoinBlock { number, hash, bytes }))
        });
        Box::pin(async move {
            Ok(block.map(|block| FetchedBlock { block, sender: "node".into(), body_fault: None }))
        })
    }

    fn fetch_agreement(&self, number: BlockNumber) -> Fetching<'_, FinalityAgreement> {
        let hash = self.id(number.0).map(|id| id.hash);
        Box::pin(async move {
            Ok(FinalityAgreement { hash, ..FinalityAgreement::of_one("node", "6 blocks") })
        })
    }

    fn nodes(&self) -> Option<&dyn LiveNodes> {
        Some(self)
    }
}

impl LiveNodes for Node {
    fn blame(&self, _sender: &str, why: &str) {
        self.blamed.lock().unwrap().push(why.to_owned());
    }

    fn report(&self) -> NodesReport {
        NodesReport::default()
    }
}

/// Steps until nothing more comes, or an error does; gives the newest final and the newest number.
async fn follow(
    line: Vec<Header>,
    finalized: u64,
) -> (Result<(), CollectError>, Vec<String>, (u64, u64)) {
    let store = Arc::new(MemoryStore::new());
    let node = Arc::new(Node { line, finalized, blamed: Mutex::default() });
    let config = CollectConfig {
        watch: WatchFilter::nothing(),
        blocks_per_step_max: 5,
        ..CollectConfig::default()
    };
    let mut collector = Collector::new(store.clone(), node.clone(), regtest(), config);
    let done = loop {
        match collector.step(support::NOW).await {
            Ok(step) if step.progress == CollectProgress::Idle => break Ok(()),
            Ok(_) => {}
            Err(error) => break Err(error),
        }
    };
    let state = read::load_chain_state(&*store, regtest().key()).unwrap().unwrap();
    let numbers = (state.indexed.unwrap().number.0, state.head.unwrap().number.0);
    let blamed = node.blamed.lock().unwrap().clone();
    (done, blamed, numbers)
}

#[tokio::test]
async fn a_line_whose_targets_and_times_are_due_is_followed() {
    let (done, blamed, numbers) = follow(mined(40, |_, _| {}), FIRST + 30).await;
    done.unwrap();
    assert_eq!((blamed.len(), numbers), (0, (FIRST + 30, FIRST + 39)));
}

/// However many agree on it, and whether the headers it follows from came in one step or before.
#[tokio::test]
async fn a_final_block_that_is_not_due_is_not_taken() {
    for bad in [FIRST + 13, FIRST + 15, FIRST + 19] {
        for bend in [(|header| header.bits = 0x207f_fffe) as fn(&mut Header), |header| {
            header.time -= 600 * 7
        }] {
            let line = mined(40, |number, header| {
                if number == bad {
                    bend(header)
                }
            });
            let (done, blamed, (indexed, _)) = follow(line, FIRST + 30).await;
            let error = done.unwrap_err();
            let CollectError::Refused { number, .. } = &error else { panic!("{error}") };
            assert_eq!((number.0, error.kind()), (bad, ErrorKind::Invalid), "{error}");
            assert!(indexed < bad && indexed + 5 >= bad, "{indexed}");
            assert!(!blamed.is_empty());
        }
    }
}

#[tokio::test]
async fn a_head_that_is_not_due_is_not_followed() {
    let bad = FIRST + 36;
    let line = mined(40, |number, header| {
        if number == bad {
            header.bits = 0x207f_fffe
        }
    });
    let (done, blamed, (indexed, head)) = follow(line, FIRST + 30).await;
    assert!(matches!(done, Err(CollectError::Refused { .. })), "{done:?}");
    assert_eq!(indexed, FIRST + 30);
    assert!(head < bad);
    assert!(blamed[0].starts_with("bits is 0x207ffffe, expected 0x207fffff"), "{blamed:?}");
}
