//! Laws of following a chain through nodes that lie, fork, lag and withhold.

use crate::support;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use superroot_chain::FinalityEvidence;
use superroot_chain::finality::{AgreeingNode, NodeQuorum};
use superroot_collect::{CollectConfig, CollectError, CollectProgress, CollectStep};
use superroot_source::{BlockSource, ClaimedBlock};
use superroot_store::layout::{HaltRow, HeldRun};
use superroot_store::{WriteBatch, read, write};
use superroot_types::ErrorKind;
use superroot_types::*;
use support::*;

/// A live chain that begins at block 0, so that all of a test's blocks are taken.
fn from_genesis() -> CollectConfig {
    CollectConfig { start: Some(BlockNumber(0)), ..small() }
}

#[tokio::test]
async fn a_final_block_carries_the_agreement_it_descends_from() {
    let (mut bench, _) = Bench::live(31, 40, from_genesis());
    bench.settle().await.unwrap();
    bench.check();
    let witness = |name: &str| AgreeingNode { name: name.to_owned(), operator: name.to_owned() };
    for number in 0..=32 {
        let agreed = bench.block(number).agreed.unwrap();
        assert!(BlockNumber(number) <= agreed && agreed <= BlockNumber(32));
        let expected = FinalityEvidence::NodeQuorum(NodeQuorum {
            sources: vec![witness("one"), witness("two")],
            needed: 2,
            of: 3,
            rule: "finalized tag".to_owned(),
            number: agreed,
            hash: bench.hash(agreed.0),
            agreed_at: NOW,
        });
        assert_eq!(bench.evidence(number), Some(expected), "block {number}");
    }
    assert_eq!(bench.evidence(33), None);
}

/// A node that answers a whole forged run, each block of it sound and linked to the next, slips in
/// none of it: every block is asked for again by the hash that its child names.
#[tokio::test]
async fn a_lone_node_cannot_slip_in_a_forged_run() {
    let (mut bench, nodes) = Bench::live(31, 40, from_genesis());
    let forged = simulated(32, &bench.clock);
    nodes.act(move |at, _| {
        if is_by_id(at) || !(3..=12).contains(&at.number().0) {
            return Act::Honest;
        }
        Act::Other(forged.clone())
    });
    bench.settle().await.unwrap();
    bench.check();
    for number in 0..=32 {
        assert_eq!(bench.hash(number), honest(&nodes.chain, number).await.hash());
    }
    let blamed = nodes.blamed();
    assert_eq!(blamed, ["liar"; 10], "and nobody else");
}

#[tokio::test]
async fn what_does_not_recompute_is_blamed_and_asked_of_another() {
    let (mut bench, nodes) = Bench::live(31, 40, from_genesis());
    nodes.act(|at, count| {
        let bent = at.number().0 == 5 && count <= 3;
        if bent { Act::Bend(with_other_gas) } else { Act::Honest }
    });
    bench.settle().await.unwrap();
    bench.check();
    assert_eq!(nodes.blamed(), ["liar"; 3]);
    assert_eq!(bench.rows(superroot_store::Table::Refused), []);
}

/// However often it is asked for: the number of questions in one step is bounded. The chain stands
/// just before it, and goes on when a sound one comes.
#[tokio::test]
async fn a_block_that_never_recomputes_is_asked_for_a_bounded_number_of_times() {
    let (mut bench, nodes) = Bench::live(31, 40, from_genesis());
    nodes.act(|at, _| if at.number().0 == 7 { Act::Bend(with_other_gas) } else { Act::Honest });
    assert!(bench.settle().await.is_err());
    nodes.asked();
    let error = bench.step().await.unwrap_err();
    assert!(matches!(&error, CollectError::Refused { number: BlockNumber(7), .. }), "{error}");
    assert_eq!(error.kind(), ErrorKind::Invalid);
    let asked = nodes.asked().iter().filter(|(at, _)| at.number().0 == 7).count();
    assert_eq!(asked, small().attempts_max as usize);
    let note = read::load_refused(&*bench.store, row().key(), BlockNumber(7)).unwrap().unwrap();
    assert_eq!(note.source, "liar", "who sent it");
    assert_eq!(bench.coverage(), [run(0, 6, HeldRun::Whole), run(7, 7, HeldRun::Refused)]);
    nodes.act(|_, _| Act::Honest);
    bench.settle().await.unwrap();
    bench.check();
    assert_eq!(read::load_refused(&*bench.store, row().key(), BlockNumber(7)).unwrap(), None);
}

#[tokio::test]
async fn nothing_is_final_while_too_few_nodes_agree() {
    let (mut bench, nodes) = Bench::live(31, 40, from_genesis());
    nodes.agree(|_| Agree::Fail);
    let error = bench.settle().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(read::load_chain_state(&*bench.store, row().key()).unwrap(), None);
    nodes.agree(|_| Agree::Honest);
    bench.settle().await.unwrap();
    bench.check();
}

#[tokio::test]
async fn a_withheld_block_is_never_stepped_over() {
    let (mut bench, nodes) = Bench::live(31, 40, from_genesis());
    let forged = simulated(32, &bench.clock);
    for act in [Act::Withhold, Act::Fail, Act::Other(forged)] {
        nodes.act(move |at, _| if at.number().0 == 10 { act.clone() } else { Act::Honest });
        let error = bench.settle().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
        assert!(bench.state().indexed.unwrap().number.0 < 10);
    }
    nodes.act(|_, _| Act::Honest);
    bench.settle().await.unwrap();
    bench.check();
}

/// What was followed at the head is final as soon as it is agreed on, without being sent again.
#[tokio::test]
async fn a_block_held_at_the_head_becomes_final_without_a_second_fetch() {
    let (mut bench, nodes) = Bench::live(31, 40, from_genesis());
    bench.settle().await.unwrap();
    nodes.asked();
    for _ in 0..20 {
        bench.clock.advance(1);
        while bench.step().await.is_ok_and(|step| step.progress != CollectProgress::Idle) {}
    }
    bench.check();
    let mut asked: Vec<u64> = nodes.asked().iter().map(|(at, _)| at.number().0).collect();
    let count = asked.len();
    asked.sort_unstable();
    asked.dedup();
    assert!(count <= asked.len() + 12, "only reorganised blocks are sent twice: {count}");
    assert!(bench.state().indexed.unwrap().number.0 >= 51);
}

/// A live chain begins with the twig of its finalized block, or an older one that is named.
#[tokio::test]
async fn a_live_chain_begins_at_a_twig() {
    for (start, expected) in [(None, 2048), (Some(2047), 0), (Some(99_999), 2048)] {
        let config = CollectConfig { start: start.map(BlockNumber), ..small() };
        let clock = Arc::new(ManualClock::at(UnixSeconds(GENESIS + 2070)));
        let nodes = Nodes::new(simulated_with(31, &clock, true, 2000));
        let store = Arc::new(superroot_store::MemoryStore::new());
        let mut bench = Bench::with(store, nodes, clock, config);
        bench.step().await.unwrap();
        assert_eq!(bench.state().start, BlockNumber(expected), "{start:?}");
    }
}

/// Steps are smaller where blocks are larger; one block is always taken.
#[tokio::test]
async fn a_step_holds_a_bounded_number_of_bytes() {
    let config = CollectConfig { blocks_per_step_max: 100, ..from_genesis() };
    for (bytes, at_most) in [(1, 1), (100_000, 20)] {
        let config = CollectConfig { step_bytes_max: bytes, ..config.clone() };
        let (mut bench, _) = Bench::live(31, 60, config);
        let mut largest = 0;
        while let CollectProgress::Final { blocks, .. } = bench.step().await.unwrap().progress {
            assert!(blocks >= 1);
            largest = largest.max(blocks);
        }
        assert!(largest <= at_most, "{largest} blocks of {bytes} bytes");
    }
}

/// However little room all chains have together, every block is taken, and none is in hand after.
#[tokio::test]
async fn a_chain_advances_in_any_room_and_gives_it_back() {
    for kib in [0, 100, 1_000, 10_000] {
        let budget = superroot_source::Budget::of(kib << 10);
        let config = CollectConfig { blocks_per_step_max: 100, ..from_genesis() };
        let (mut bench, nodes) = Bench::live(31, 60, config.clone());
        let (store, one) = (bench.store.clone(), nodes.clone());
        let collector = superroot_collect::Collector::new(store, one, row(), config);
        bench.collector = collector.within(&budget);
        let (mut steps, mut largest) = (0, 0);
        while let CollectProgress::Final { blocks, .. } = bench.step().await.unwrap().progress {
            (steps, largest) = (steps + 1, largest.max(blocks));
            assert_eq!(budget.bytes_in_use(), 0, "between steps nothing is in hand");
        }
        bench.settle().await.unwrap();
        bench.check();
        assert_eq!(bench.state().head.unwrap().number, BlockNumber(60));
        assert!(steps > 1 && largest < 53, "{steps} steps of up to {largest} in {kib} KiB");
    }
}

// Reorganisations below the finalized block

async fn reorganised() -> (Bench, Arc<Nodes>) {
    let (mut bench, nodes) = Bench::live(31, 40, from_genesis());
    bench.settle().await.unwrap();
    bench.clock.advance(10);
    let other = simulated(32, &bench.clock);
    nodes.act({
        let other = other.clone();
        move |_, _| Act::Other(other.clone())
    });
    nodes.agree(move |_| Agree::Other(other.clone()));
    (bench, nodes)
}

#[tokio::test]
async fn a_reorganisation_below_finality_halts_the_chain_and_keeps_the_evidence() {
    let (mut bench, nodes) = reorganised().await;
    let before = bench.state();
    let error = bench.settle().await.unwrap_err();
    let other = simulated(32, &bench.clock);
    let first = first_difference(&bench, &other).await;
    let CollectError::FinalReorg { number, is_first: true, .. } = &error else { panic!("{error}") };
    assert_eq!(*number, first, "the first block that differs is named, not the newest");
    let held = bench.hash(first.0);
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert_eq!(bench.state(), before, "nothing that was final is deleted");
    let other = honest(&other, first.0).await;
    let retractions = read::load_retractions(&*bench.store, row().key()).unwrap();
    let [(number, retraction)] = retractions.as_slice() else { panic!("{retractions:?}") };
    assert_eq!((*number, retraction.held_hash), (first, held));
    assert_eq!((retraction.other_hash, retraction.noticed_at), (other.hash(), NOW));
    assert_eq!(retraction.other_header.as_deref(), Some(other.header()));
    let FinalityEvidence::NodeQuorum(quorum) = &retraction.evidence else { unreachable!() };
    assert_eq!((quorum.sources.len(), quorum.of), (2, 3));
    assert!(quorum.number >= first, "it is about a block that descends from the first");
    let halt = read::load_halt(&*bench.store, row().key()).unwrap().unwrap();
    assert_eq!((halt.number, halt.since), (first, NOW));
    assert!(halt.reason.contains(&format!("from block {first}:")), "{}", halt.reason);
    assert!(nodes.blamed().is_empty(), "a quorum is no liar");
    assert_eq!(contested(&bench), Some(first));
}

/// The first block that is held under another hash than that chain has there.
async fn first_difference(bench: &Bench, other: &superroot_source::SimulatedChain) -> BlockNumber {
    for number in 0..=32 {
        if bench.hash(number) != honest(other, number).await.hash() {
            return BlockNumber(number);
        }
    }
    panic!("nothing differs")
}

fn contested(bench: &Bench) -> Option<BlockNumber> {
    read::load_contested(&*bench.store, row().key()).unwrap()
}

/// The first block that differs is searched for from above, and the search is told as it goes on.
#[tokio::test]
async fn the_first_block_that_differs_is_searched_for() {
    let (mut bench, nodes) = reorganised().await;
    let other = simulated(32, &bench.clock);
    let (search, seen) = (bench.collector.search(), Arc::new(Mutex::new(Vec::new())));
    let told = Arc::clone(&seen);
    nodes.agree(move |_| {
        told.lock().unwrap().extend(*search.borrow());
        Agree::Other(other.clone())
    });
    bench.settle().await.unwrap_err();
    let seen = seen.lock().unwrap().clone();
    assert!(seen.iter().all(|search| search.newest == BlockNumber(32)), "{seen:?}");
    assert!(seen.is_sorted_by(|a, b| a.lowest >= b.lowest), "{seen:?}");
    assert!(seen.last().unwrap().lowest < seen[0].lowest);
    assert_eq!(*bench.collector.search().borrow(), None, "it is over");
}

/// What is not seen to be the same is not called final, and what was not looked at is not claimed.
#[tokio::test]
async fn where_nobody_agrees_further_down_all_that_is_not_known_is_contested() {
    for (answers_from, named) in [(27, 32), (10, 16)] {
        let (mut bench, nodes) = reorganised().await;
        let other = simulated(32, &bench.clock);
        nodes.agree(move |number| match number.0 {
            below if below < answers_from => Agree::Fail,
            _ => Agree::Other(other.clone()),
        });
        let error = bench.settle().await.unwrap_err();
        let CollectError::FinalReorg { number, is_first: false, .. } = &error else {
            panic!("{error}")
        };
        assert!(error.to_string().contains("at or below block"), "{error}");
        assert_eq!((number.0, contested(&bench)), (named, Some(BlockNumber(0))));
        let retractions = read::load_retractions(&*bench.store, row().key()).unwrap();
        assert_eq!(retractions.iter().map(|(number, _)| number.0).collect::<Vec<_>>(), [named]);
    }
}

/// Nodes that return to what is held while the first block that differs is searched for halt nothing.
#[tokio::test]
async fn nodes_that_come_back_during_the_search_halt_nothing() {
    let (mut bench, nodes) = reorganised().await;
    let (other, are_back) = (simulated(32, &bench.clock), Arc::new(AtomicBool::new(false)));
    nodes.agree(move |number| {
        if are_back.load(Ordering::SeqCst) {
            return Agree::Honest;
        }
        let is_deep = number.0 < 27;
        are_back.store(is_deep, Ordering::SeqCst);
        if is_deep { Agree::Fail } else { Agree::Other(other.clone()) }
    });
    let error = bench.settle().await.unwrap_err();
    assert!(matches!(error, CollectError::Contradiction { .. }), "{error}");
    assert_eq!(error.kind(), ErrorKind::Unavailable, "it goes on");
    assert_eq!(read::load_halt(&*bench.store, row().key()).unwrap(), None);
    assert_eq!(
        (read::load_retractions(&*bench.store, row().key()).unwrap(), contested(&bench)),
        (vec![], None)
    );
}

/// Nobody gives the blocks of the other line: it is contradicted by what is agreed on.
#[tokio::test]
async fn a_line_that_cannot_be_had_is_contradicted_by_its_hashes() {
    let (mut bench, nodes) = reorganised().await;
    nodes.act(|_, _| Act::Fail);
    let error = bench.settle().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    let other = simulated(32, &bench.clock);
    let first = first_difference(&bench, &other).await;
    nodes.act(
        move |at, _| {
            if at.number().0 >= 32 { Act::Other(other.clone()) } else { Act::Withhold }
        },
    );
    let error = bench.settle().await.unwrap_err();
    let CollectError::FinalReorg { number, is_first: true, .. } = &error else { panic!("{error}") };
    assert_eq!(*number, first);
    let retractions = read::load_retractions(&*bench.store, row().key()).unwrap();
    assert_eq!(retractions[0].1.other_header, None, "known by hash alone");
}

#[tokio::test]
async fn a_halted_chain_stays_halted_until_it_is_cleared() {
    let (mut bench, nodes) = reorganised().await;
    bench.settle().await.unwrap_err();
    nodes.act(|_, _| Act::Honest);
    nodes.agree(|_| Agree::Honest);
    let nodes_again: Arc<dyn BlockSource> = nodes.clone();
    bench.restart(nodes_again, from_genesis());
    nodes.asked();
    let error = bench.step().await.unwrap_err();
    assert!(matches!(error, CollectError::Halted { .. }), "{error}");
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert_eq!(nodes.asked(), [], "a halted chain asks nothing");
    let mut batch = WriteBatch::new();
    write::clear_halt(&mut batch, row().key());
    bench.store.commit(batch).unwrap();
    bench.settle().await.unwrap();
    bench.check();
    let kept = read::load_retractions(&*bench.store, row().key()).unwrap();
    assert_eq!(kept.len(), 1, "what was noticed stays");
}

/// Cleared without a reason, it halts again; what was noted first stays as it was.
#[tokio::test]
async fn a_chain_cleared_too_early_halts_again() {
    let (mut bench, _) = reorganised().await;
    bench.settle().await.unwrap_err();
    let first = read::load_retractions(&*bench.store, row().key()).unwrap();
    let mut batch = WriteBatch::new();
    write::clear_halt(&mut batch, row().key());
    bench.store.commit(batch).unwrap();
    let later = UnixSeconds(NOW.0 + 60);
    let error = bench.collector.step(later).await.unwrap_err();
    assert!(matches!(error, CollectError::FinalReorg { .. }), "{error}");
    assert_eq!(read::load_retractions(&*bench.store, row().key()).unwrap(), first);
    let halt = read::load_halt(&*bench.store, row().key()).unwrap();
    assert!(matches!(halt, Some(HaltRow { since, .. }) if since == later));
}

/// Who sends another line while the quorum still stands by ours has lied, or contradicts itself:
/// nothing is taken, and nothing retracted.
#[tokio::test]
async fn a_quorum_that_still_agrees_with_us_retracts_nothing() {
    let (mut bench, nodes) = reorganised().await;
    let other = simulated(32, &bench.clock);
    nodes.agree(
        move |number| {
            if number.0 <= 32 { Agree::Honest } else { Agree::Other(other.clone()) }
        },
    );
    let before = bench.everything();
    let error = bench.settle().await.unwrap_err();
    assert!(matches!(error, CollectError::Contradiction { .. }), "{error}");
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(bench.everything() == before);
    assert_eq!(nodes.blamed(), ["liar"]);
}

// The head

/// A head that does not stand on the final block held is not taken, and whoever sent it is left
/// alone: one node must not keep the others' head from being followed.
#[tokio::test]
async fn a_head_on_another_final_block_is_blamed_on_who_sent_it() {
    let (mut bench, nodes) = Bench::live(31, 40, from_genesis());
    bench.settle().await.unwrap();
    let before = bench.everything();
    let liars = Nodes::new(simulated(32, &bench.clock));
    let truth = nodes.chain.clone();
    liars.agree(move |_| Agree::Other(truth.clone()));
    bench.restart(liars.clone(), from_genesis());
    let error = bench.step().await.unwrap_err();
    assert!(matches!(error, CollectError::HeadMoved { .. }), "{error}");
    assert_eq!(liars.blamed(), ["honest"], "the one that sent it, once");
    assert!(bench.everything() == before);
}

/// A head that nobody has, above blocks that somebody has: those are followed.
#[tokio::test]
async fn a_head_that_nobody_has_does_not_hold_back_those_below_it() {
    for (number, expected) in [(45, 42), (43, 42), (42, 41)] {
        let (mut bench, nodes) = Bench::live(31, 40, from_genesis());
        bench.settle().await.unwrap();
        bench.clock.advance(2);
        while let CollectProgress::Final { .. } = bench.step().await.unwrap().progress {}
        let named = ClaimedBlock { number: BlockNumber(number), hash: Hash([7; 32]) };
        *nodes.head.lock().unwrap() = Some(named);
        for _ in 0..3 {
            let _ = bench.step().await;
        }
        bench.check();
        assert!(bench.state().head.unwrap().number.0 >= expected, "{number}");
        assert_eq!(nodes.blamed(), [""; 0], "who sent what is held did nothing wrong");
        *nodes.head.lock().unwrap() = None;
        bench.settle().await.unwrap();
        bench.check();
        assert_eq!(bench.state().head.unwrap().number.0, 42);
    }
}

/// A head further up than one step takes is followed in parts, each linked to what is held.
#[tokio::test]
async fn a_far_head_is_followed_in_parts() {
    let (mut bench, _) =
        Bench::live(31, 40, CollectConfig { blocks_per_step_max: 3, ..from_genesis() });
    while let CollectProgress::Final { .. } = bench.step().await.unwrap().progress {}
    let mut last = bench.state().head.unwrap().number.0;
    loop {
        match bench.step().await.unwrap() {
            CollectStep { progress: CollectProgress::Idle, .. } => break,
            CollectStep { progress: CollectProgress::Head { taken, .. }, .. } => {
                assert!(taken <= 4)
            }
            CollectStep { progress, .. } => panic!("{progress:?}"),
        }
        let head = bench.state().head.unwrap().number.0;
        assert!(head > last);
        last = head;
        bench.check();
    }
    assert_eq!(last, 40);
}

/// A head that nobody serves, or that moves while it is fetched, is tried again, and nothing of it
/// is kept.
#[tokio::test]
async fn a_head_that_is_not_served_changes_nothing() {
    let (mut bench, nodes) = Bench::live(31, 40, from_genesis());
    while let CollectProgress::Final { .. } = bench.step().await.unwrap().progress {}
    while bench.step().await.unwrap().progress != CollectProgress::Idle {}
    bench.clock.advance(2);
    let before = bench.everything();
    let forged = simulated(32, &bench.clock);
    for act in [Act::Withhold, Act::Fail, Act::Other(forged), Act::Bend(with_other_gas)] {
        nodes.act(move |at, _| if at.number().0 > 38 { act.clone() } else { Act::Honest });
        let mut failed = false;
        for _ in 0..3 {
            failed |= bench.step().await.is_err();
        }
        assert!(failed);
        let state = bench.state();
        assert_eq!(state.head.map(|head| head.number), Some(BlockNumber(40)));
    }
    assert_eq!(bench.rows(superroot_store::Table::Body), before[3].1);
    nodes.act(|_, _| Act::Honest);
    bench.settle().await.unwrap();
    bench.check();
}

/// Whatever a chain does above its finalized block, what is held afterwards is the same as if it
/// had been looked at once, at the end.
#[tokio::test]
async fn reorganisations_leave_nothing_behind() {
    let (mut followed, nodes) = Bench::live(77, 30, from_genesis());
    for _ in 0..60 {
        while followed.step().await.is_ok_and(|step| step.progress != CollectProgress::Idle) {}
        followed.check();
        followed.clock.advance(1);
    }
    followed.settle().await.unwrap();
    let fresh_nodes = Nodes::new(nodes.chain.clone());
    let store = Arc::new(superroot_store::MemoryStore::new());
    let mut fresh = Bench::with(store, fresh_nodes, followed.clock.clone(), from_genesis());
    fresh.settle().await.unwrap();
    assert!(followed.facts() == fresh.facts());
}

/// However slowly blocks come, a step takes what came in ten seconds, and the next one asks anew
/// how far the chain is; each block is fetched once.
#[tokio::test(start_paused = true)]
async fn a_step_takes_what_came_in_its_time() {
    let config = CollectConfig { blocks_per_step_max: 64, fetches_max: 2, ..from_genesis() };
    let (mut bench, nodes) = Bench::live(5, 60, config);
    nodes.act(|_, _| Act::Slow(Duration::from_secs(4)));
    let mut steps = 0;
    loop {
        let start = tokio::time::Instant::now();
        let CollectProgress::Final { blocks, .. } = bench.step().await.unwrap().progress else {
            break;
        };
        let took_s = start.elapsed().as_secs();
        assert!(took_s <= 16, "{took_s} s");
        assert!(blocks <= 8, "{blocks}");
        steps += 1;
    }
    assert!((7..=14).contains(&steps), "{steps}");
    assert_eq!(bench.state().indexed.unwrap().number, BlockNumber(52));
    let asked = nodes.asked().into_iter().filter(|(at, _)| at.number().0 <= 52).count();
    assert_eq!(asked, 53);
}

/// What nodes said is as old as it is: a step that got no answer renews neither it nor its time.
#[tokio::test]
async fn what_nodes_said_keeps_the_time_at_which_they_said_it() {
    let (mut bench, nodes) = Bench::live(5, 40, small());
    assert_eq!(bench.collector.tip(), None);
    let step = bench.collector.step(UnixSeconds(100)).await.unwrap();
    assert_eq!(bench.collector.tip(), Some((step.tip, UnixSeconds(100))));
    *nodes.no_tip.lock().unwrap() = true;
    bench.clock.advance(60);
    bench.collector.step(UnixSeconds(160)).await.unwrap_err();
    assert_eq!(bench.collector.tip(), Some((step.tip, UnixSeconds(100))));
    *nodes.no_tip.lock().unwrap() = false;
    nodes.act(|_, _| Act::Fail);
    bench.collector.step(UnixSeconds(170)).await.unwrap_err();
    let (tip, at) = bench.collector.tip().unwrap();
    assert_eq!(at, UnixSeconds(170), "they were heard, whatever came after");
    assert!(tip.head.number > step.tip.head.number);
}
