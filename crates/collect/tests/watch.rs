//! Laws of watch lists: what passes is kept and proven, what does not is not, and it is said which.

use crate::support;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use superroot_chain::{UntrustedBlock, VerifiedBlock};
use superroot_collect::{CollectConfig, CollectError, CollectProgress, WatchFilter};
use superroot_proof::ledger::evm::{Header, Layout, Log, Receipt};
use superroot_source::BlockParts;
use superroot_source::BlockSource;
use superroot_store::layout::{HeaderWhy, HeldRun, KeptEntries};
use superroot_store::{MemoryStore, Store, Table, read};
use superroot_types::*;
use support::*;

const SEED: u64 = 41;
const BLOCKS: u64 = 60;

fn logs(block: &VerifiedBlock) -> Vec<Vec<Log>> {
    let receipts = block.receipts().unwrap().iter();
    receipts.map(|leaf| Receipt::decode(leaf).unwrap().logs).collect()
}

/// Every block of the chain up to its finalized one.
async fn blocks(nodes: &Nodes) -> Vec<VerifiedBlock> {
    let mut blocks = Vec::new();
    for number in 0..=BLOCKS - 8 {
        blocks.push(honest(&nodes.chain, number).await);
    }
    blocks
}

fn watching(watch: WatchFilter) -> (Bench, Arc<Nodes>) {
    let config = CollectConfig { watch, start: Some(BlockNumber(0)), ..small() };
    Bench::live(SEED, BLOCKS, config)
}

/// The address and the topic that occur in the fewest blocks, and yet in some.
fn rare(blocks: &[VerifiedBlock]) -> (Address, Hash) {
    let (mut addresses, mut topics) = (BTreeMap::new(), BTreeMap::new());
    for (number, block) in blocks.iter().enumerate() {
        for log in logs(block).into_iter().flatten() {
            addresses.entry(log.address).or_insert_with(BTreeSet::new).insert(number);
            for topic in log.topics {
                topics.entry(topic).or_insert_with(BTreeSet::new).insert(number);
            }
        }
    }
    let fewest = |sets: &BTreeMap<Address, BTreeSet<usize>>| {
        *sets.iter().min_by_key(|(_, blocks)| blocks.len()).unwrap().0
    };
    let topic = topics.iter().filter(|(_, blocks)| blocks.len() > 1);
    (fewest(&addresses), *topic.min_by_key(|(_, blocks)| blocks.len()).unwrap().0)
}

fn list(addresses: &[Address], topics: &[Hash]) -> WatchFilter {
    WatchFilter::Some {
        addresses: addresses.iter().copied().collect(),
        topics: topics.iter().copied().collect(),
    }
}

/// By the plain definition, over every event of every block, bloom or not.
fn passing(watch: &WatchFilter, block: &VerifiedBlock) -> Vec<u32> {
    let WatchFilter::Some { addresses, topics } = watch else { unreachable!() };
    let passes = |log: &Log| {
        addresses.contains(&log.address) || log.topics.iter().any(|topic| topics.contains(topic))
    };
    let found = (0..).zip(logs(block)).filter(|(_, logs)| logs.iter().any(passes));
    found.map(|(tx_index, _)| tx_index).collect()
}

/// A branch is exchanged whole, however little room there is for the bodies of its blocks.
#[tokio::test]
async fn reorganisations_are_followed_in_any_room() {
    let (_, nodes) = watching(WatchFilter::nothing());
    let blocks = blocks(&nodes).await;
    let all = blocks.iter().flat_map(logs).flatten().map(|log| log.address).collect::<Vec<_>>();
    for kib in [0, 1_000] {
        let config =
            CollectConfig { watch: list(&all, &[]), start: Some(BlockNumber(0)), ..small() };
        let (mut bench, nodes) = Bench::live(SEED, 20, config.clone());
        let budget = superroot_source::Budget::of(kib << 10);
        let collector =
            superroot_collect::Collector::new(bench.store.clone(), nodes.clone(), row(), config);
        bench.collector = collector.within(&budget);
        // whoever asks for ever gets no answer in the end
        nodes.act(|_, count| if count > 500 { Act::Fail } else { Act::Honest });
        let (mut largest, mut undone_most) = (0, 0);
        for _ in 20..BLOCKS {
            loop {
                match bench.step().await.unwrap().progress {
                    CollectProgress::Idle => break,
                    CollectProgress::Head { taken, undone } => {
                        (largest, undone_most) = (taken.max(largest), undone.max(undone_most));
                    }
                    CollectProgress::Final { .. } => {}
                }
                assert_eq!(budget.bytes_in_use(), 0, "between steps nothing is in hand");
            }
            bench.check();
            bench.clock.advance(1);
        }
        assert!(undone_most > 0 && largest > 1, "{undone_most} undone, {largest} taken");
    }
}

#[tokio::test]
async fn what_passes_is_kept_and_nothing_else() {
    let (_, nodes) = watching(WatchFilter::nothing());
    let blocks = blocks(&nodes).await;
    let (address, topic) = rare(&blocks);
    for watch in [list(&[address], &[]), list(&[], &[topic]), list(&[address], &[topic])] {
        let (mut bench, nodes) = watching(watch.clone());
        while let CollectProgress::Final { .. } = bench.step().await.unwrap().progress {}
        let asked_whole: BTreeSet<u64> = nodes
            .asked()
            .into_iter()
            .filter(|(_, parts)| *parts == BlockParts::Whole)
            .map(|(at, _)| at.number().0)
            .collect();
        let mut kept_in_all = 0;
        for block in &blocks {
            let number = block.number();
            let expected = passing(&watch, block);
            let row = read::load_block(&*bench.store, block.chain(), number).unwrap().unwrap();
            assert_eq!(row.kept, KeptEntries::Some(expected.clone()), "block {number}");
            assert_eq!(row.extent.receipts, !expected.is_empty(), "{number}: {}", row.extent);
            let body = read::load_body(&*bench.store, block.chain(), number).unwrap();
            assert_eq!(body.is_some(), !expected.is_empty());
            assert!(expected.is_empty() || asked_whole.contains(&number.0));
            for index in 0..block.receipts().unwrap().len() as u32 {
                let hash = &block.transaction_hashes().unwrap()[index as usize];
                let found = read::find_transaction(&*bench.store, block.chain(), hash).unwrap();
                assert_eq!(found.len(), usize::from(expected.contains(&index)));
            }
            kept_in_all += expected.len();
        }
        assert!(kept_in_all > 0, "nothing passed, so nothing was tested");
        assert!(asked_whole.len() < blocks.len() - 5, "bodies were fetched without need");
        let watch_hash = watch.hash();
        assert_eq!(bench.coverage(), [run(0, BLOCKS - 8, HeldRun::Watched { watch_hash })]);
        assert_eq!(read::load_watch(&*bench.store, &watch_hash).unwrap(), Some(watch));
    }
}

/// A header that passes by chance alone is honest about it: its body is fetched, nothing is kept.
#[tokio::test]
async fn a_false_positive_of_a_bloom_keeps_nothing() {
    let (_, nodes) = watching(WatchFilter::nothing());
    let blocks = blocks(&nodes).await;
    let bloom = |block: &VerifiedBlock| {
        Header::decode(Layout::Ethereum, block.header()).unwrap().logs_bloom
    };
    // an address that no event has, and that some header's bloom admits all the same
    let candidates = (0_u32..).map(|seed| {
        let hash = superroot_proof::hash::keccak256(&seed.to_be_bytes());
        Address(hash.0[..20].try_into().unwrap())
    });
    let admits = |address: &Address| blocks.iter().any(|block| bloom(block).contains(&address.0));
    let address = candidates.take(2_000_000).find(admits).unwrap();
    let watch = list(&[address], &[]);
    let (mut bench, nodes) = watching(watch.clone());
    bench.settle().await.unwrap();
    bench.check();
    assert!(nodes.asked().iter().any(|(_, parts)| *parts == BlockParts::Whole));
    assert_eq!(bench.rows(Table::Body), []);
    let watch_hash = watch.hash();
    assert_eq!(bench.coverage(), [run(0, BLOCKS - 8, HeldRun::Watched { watch_hash })]);
}

/// A list of nothing keeps headers. Another counts from the newest final block on: what is not final is collected anew under
/// it, older blocks stay as they were, and it is known which run is under which list.
#[tokio::test]
async fn another_list_holds_for_new_blocks() {
    let (mut bench, nodes) = watching(WatchFilter::nothing());
    bench.settle().await.unwrap();
    bench.check();
    assert!(nodes.asked().iter().all(|(_, parts)| *parts == BlockParts::Header));
    assert_eq!(bench.rows(Table::Body), []);
    bench.restart(nodes.clone(), CollectConfig { start: Some(BlockNumber(0)), ..small() });
    bench.clock.advance(20);
    bench.settle().await.unwrap();
    bench.check();
    let why = HeaderWhy::NothingWatched;
    let (old, new) = (HeldRun::HeaderOnly { why }, HeldRun::Whole);
    assert_eq!(bench.coverage(), [run(0, 52, old), run(53, 72, new)]);
}

/// Steps until `is_done`; lets time pass where a body is waited for, and gives how long, in
/// seconds.
async fn step_until(bench: &mut Bench, is_done: impl Fn(&CollectProgress) -> bool) -> u64 {
    let mut waited_s = 0;
    loop {
        match bench.step().await {
            Ok(step) if is_done(&step.progress) => return waited_s,
            Ok(_) => {}
            Err(CollectError::NoBody { wait_s, .. }) => {
                assert_eq!(wait_s, 60);
                waited_s += 1;
                tokio::time::advance(Duration::from_secs(1)).await;
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// The blocks held above the final ones, and what is kept of each.
fn heads(bench: &Bench) -> Vec<(BlockNumber, Hash, KeptEntries)> {
    let (indexed, head) = (bench.state().indexed.unwrap(), bench.state().head.unwrap());
    let numbers = (indexed.number.0 + 1..=head.number.0).map(BlockNumber);
    let held = numbers.map(|number| (number, read::load_block(&*bench.store, row().key(), number)));
    held.map(|(number, held)| {
        let held = held.unwrap().unwrap();
        (number, held.hash, held.kept)
    })
    .collect()
}

/// A list that grows while the chain is followed counts for the blocks at the head at once, and undoes
/// none of them; one that shrinks takes nothing away.
#[tokio::test]
async fn a_list_that_changes_undoes_no_block() {
    let (mut bench, nodes) = watching(WatchFilter::nothing());
    bench.settle().await.unwrap();
    let before = heads(&bench);
    assert!(
        before.len() > 3 && before.iter().all(|(.., kept)| *kept == KeptEntries::Some(Vec::new()))
    );
    let mut of_heads = Vec::new();
    for (number, ..) in &before {
        of_heads.push(honest(&nodes.chain, number.0).await);
    }
    let addresses = of_heads.iter().flat_map(logs).flatten().map(|log| log.address);
    let addresses: Vec<_> = addresses.collect::<BTreeSet<_>>().into_iter().collect();
    let (one, all) = (list(&addresses[..1], &[]), list(&addresses, &[]));
    for watch in [&one, &all, &one] {
        bench.collector.set_watch(watch.clone());
        assert_eq!(bench.step().await.unwrap().progress, CollectProgress::Idle);
        let held = heads(&bench);
        assert!(held.iter().map(|one| &one.1).eq(before.iter().map(|one| &one.1)), "{watch}");
        for ((number, _, kept), block) in held.iter().zip(&of_heads) {
            for tx_index in passing(watch, block) {
                assert!(kept.holds(tx_index), "{number}: {tx_index} under {watch}");
            }
        }
        let noted = read::load_chain_watch(&*bench.store, row().key()).unwrap();
        assert_eq!(noted, Some(watch.hash()));
    }
    // what was kept under the longer list is still there, and its blocks become final as they are
    let kept = heads(&bench);
    let is_more = |((_, _, kept), block): (&(_, _, KeptEntries), _)| {
        *kept != KeptEntries::Some(passing(&one, block))
    };
    assert!(kept.iter().zip(&of_heads).any(is_more));
    bench.clock.advance(200);
    bench.settle().await.unwrap();
    bench.check();
}

/// A block at the head that no node has any more is collected anew, and the list counts all the same; where
/// no node answers at all, the list before counts.
#[tokio::test]
async fn a_new_list_waits_for_no_block() {
    let (mut bench, nodes) = watching(WatchFilter::nothing());
    bench.settle().await.unwrap();
    let first = heads(&bench)[1].0;
    let nothing = read::load_chain_watch(&*bench.store, row().key()).unwrap();
    bench.collector.set_watch(WatchFilter::All);
    nodes.act(|_, _| Act::Fail);
    assert!(bench.step().await.is_err());
    assert_eq!(read::load_chain_watch(&*bench.store, row().key()).unwrap(), nothing);
    nodes.act(move |at, count| {
        if at.number() == first && count < 8 { Act::Bend(without_receipts) } else { Act::Honest }
    });
    bench.step().await.unwrap();
    assert_eq!(
        read::load_chain_watch(&*bench.store, row().key()).unwrap(),
        Some(WatchFilter::All.hash())
    );
    bench.settle().await.unwrap();
    assert!(heads(&bench).iter().all(|(.., kept)| *kept == KeptEntries::All));
    bench.check();
}

/// A body that nobody gives for a minute leaves the header, and the run says so.
#[tokio::test(start_paused = true)]
async fn a_block_without_receipts_is_said_to_lack_them() {
    let (mut bench, nodes) = watching(WatchFilter::All);
    nodes.act(|at, _| if at.number().0 == 9 { Act::Bend(without_receipts) } else { Act::Honest });
    let waited_s =
        step_until(&mut bench, |progress| matches!(progress, CollectProgress::Head { .. }));
    assert_eq!(waited_s.await, 60);
    let extent = superroot_chain::Extent { transactions: true, receipts: false };
    let expected = [
        run(0, 8, HeldRun::Whole),
        run(9, 9, HeldRun::Partial { extent }),
        run(10, 52, HeldRun::Whole),
    ];
    assert_eq!(bench.coverage(), expected);
}

/// Where no node keeps any receipts, one block alone is waited for.
#[tokio::test(start_paused = true)]
async fn a_chain_whose_nodes_keep_no_receipts_waits_once() {
    let (mut bench, nodes) = watching(WatchFilter::All);
    nodes.act(|_, _| Act::Bend(without_receipts));
    let waited_s =
        step_until(&mut bench, |progress| matches!(progress, CollectProgress::Head { .. }));
    assert_eq!(waited_s.await, 60);
    assert_eq!(bench.state().indexed.unwrap().number, BlockNumber(52));
    let coverage = bench.coverage();
    assert!(coverage.iter().any(|run| matches!(run.held, HeldRun::Partial { .. })), "{coverage:?}");
}

/// Receipts that are gone for less than the wait are held with their block.
#[tokio::test(start_paused = true)]
async fn a_body_that_is_gone_for_a_while_is_waited_for() {
    let (mut bench, nodes) = watching(WatchFilter::All);
    let start = tokio::time::Instant::now();
    nodes.act(move |at, _| match at.number().0 {
        9.. if start.elapsed() < Duration::from_secs(50) => Act::Bend(without_receipts),
        _ => Act::Honest,
    });
    let waited_s =
        step_until(&mut bench, |progress| matches!(progress, CollectProgress::Head { .. }));
    assert_eq!(waited_s.await, 50);
    assert_eq!(bench.coverage(), [run(0, 52, HeldRun::Whole)]);
}

/// At the head nobody may have a body yet: it is asked for again before the block is final, and what
/// is held is kept where it still cannot be had.
#[tokio::test(start_paused = true)]
async fn a_body_that_came_late_is_held_once_its_block_is_final() {
    let (mut bench, nodes) = watching(WatchFilter::All);
    let settle = async |bench: &mut Bench| {
        step_until(bench, |progress| *progress == CollectProgress::Idle).await
    };
    let is_new = |at: superroot_source::BlockAt| (53..=60).contains(&at.number().0);
    nodes.act(move |at, _| if is_new(at) { Act::Bend(without_receipts) } else { Act::Honest });
    assert_eq!(settle(&mut bench).await, 0, "the head waits for nothing");
    let head = bench.state().head.unwrap().number;
    assert!(head > BlockNumber(53), "{head}");
    nodes.act(|at, _| match at.number().0 {
        55 => Act::Bend(without_receipts),
        56 => Act::Bend(without_transactions),
        _ => Act::Honest,
    });
    bench.clock.advance(30);
    settle(&mut bench).await;
    bench.check();
    let extent = superroot_chain::Extent { transactions: true, receipts: false };
    let lacking = run(55, 56, HeldRun::Partial { extent });
    let coverage = bench.coverage();
    assert!(coverage.contains(&run(0, 54, HeldRun::Whole)), "{coverage:?}");
    assert!(coverage.contains(&lacking), "{coverage:?}");
    assert_eq!(coverage.len(), 3, "{coverage:?}");
}

fn without_transactions(block: UntrustedBlock) -> UntrustedBlock {
    let UntrustedBlock::Evm(mut evm) = without_receipts(block) else { unreachable!() };
    evm.block.transactions = superroot_chain::ledger::evm::raw::RawTransactions::Absent;
    UntrustedBlock::Evm(evm)
}

/// A node's `logIndex` counts the logs of the block, ours those of the receipt: a block in which
/// they differ is accepted with the node's own, and refused when a node counts per receipt.
#[tokio::test]
async fn a_nodes_log_index_counts_the_block_and_ours_the_receipt() {
    let (mut bench, nodes) = watching(WatchFilter::All);
    let mut differing = None;
    for number in 0..52 {
        let block = nodes.chain.fetch_whole(BlockNumber(number)).await.unwrap().unwrap();
        let UntrustedBlock::Evm(evm) = block else { unreachable!() };
        let receipts = evm.receipts.unwrap();
        let mut logs = receipts.iter().flat_map(|receipt| receipt.logs.iter().enumerate());
        if logs.any(|(place, log)| log.log_index_in_block.is_some_and(|of| of != place as u64)) {
            differing = Some(number);
            break;
        }
    }
    let differing = differing.expect("no block has two receipts with logs");
    fn per_receipt(block: UntrustedBlock) -> UntrustedBlock {
        let UntrustedBlock::Evm(mut evm) = block else { unreachable!() };
        for receipt in evm.receipts.iter_mut().flatten() {
            for (place, log) in (0..).zip(&mut receipt.logs) {
                log.log_index_in_block = Some(place);
            }
        }
        UntrustedBlock::Evm(evm)
    }
    nodes.act(move |at, count| {
        let bent = at.number().0 == differing && count == 1;
        if bent { Act::Bend(per_receipt) } else { Act::Honest }
    });
    bench.settle().await.unwrap();
    bench.check();
    assert_eq!(nodes.blamed(), [""; 0], "no hash binds either count");
}

/// No event of such a ledger has an address or a topic: the list is taken for one of nothing.
#[tokio::test]
async fn a_ledger_without_addresses_keeps_headers_under_any_list() {
    let mut row = row();
    row.ledger = superroot_chain::ChainRegistry::builtin().find("bitcoin").unwrap().ledger.clone();
    let clock = Arc::new(ManualClock::at(UnixSeconds(GENESIS + 9)));
    let nodes = Nodes::new(simulated(SEED, &clock));
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let watch = list(&[Address([1; 20])], &[]);
    let config = CollectConfig { watch, ..small() };
    let mut collector =
        superroot_collect::Collector::new(store.clone(), nodes, row.clone(), config);
    // its blocks are of another family here, so it refuses them; but the list is noted first
    assert!(collector.step(NOW).await.is_err());
    let noted = read::load_chain_watch(&*store, row.key()).unwrap();
    assert_eq!(noted, Some(WatchFilter::nothing().hash()));
}
