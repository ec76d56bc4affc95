//! Laws: the newest sequence is taken, whatever nodes do and wherever the process dies; and no gas is wasted on the way.

use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use superroot_outbox::{AccountState, FeeLimits, Fees, Outbox, Step};
use superroot_store::{MemoryStore, Store};
use superroot_types::{ChainId, ChainKey, Family, UnixSeconds};

use crate::chain::{Chain, chance, key, task};

pub(crate) const BASE: ChainKey = ChainKey { family: Family::Evm, id: ChainId(8453) };
pub(crate) const LIMITS: FeeLimits =
    FeeLimits { fee_per_gas_max: 1_000, wei_per_day_max: u128::MAX, raise_after_seconds: 60 };

pub(crate) fn outbox(store: &Arc<MemoryStore>, limits: FeeLimits) -> Outbox {
    Outbox::new(store.clone() as Arc<dyn Store>, BASE, key(), limits)
}

/// Everything at once: nodes that swallow and double, fees that jump, hands on the key, short reorganisations, and a
/// process that dies before and after it sends.
#[test]
fn the_newest_sequence_is_taken_whatever_happens() {
    let seeds = if std::env::var_os("SUPERROOT_TEST_ALL").is_some() { 5_000 } else { 300 };
    let mut lost = 0;
    for seed in 0..seeds {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let store = Arc::new(MemoryStore::new());
        let mut chain = Chain::new();
        let mut now = 1_000;
        let mut newest = 0;
        let (mut quiet_from, mut reorganised) = (None, 0);
        for round in 0..400 {
            let is_quiet = round >= 300;
            now += random.next_u64() % 40;
            if !is_quiet {
                newest += u64::from(chance(&mut random, 30));
                chain.base_fee = 1 + u128::from(random.next_u64() % 600);
            } else if quiet_from.is_none() {
                (chain.base_fee, quiet_from) = (10, Some(newest));
            }
            // a new process each time: nothing is in memory alone
            let outbox = outbox(&store, LIMITS);
            let next = chain.agreed().next_sequence;
            let of = || (newest >= next).then(|| task(newest));
            let step = outbox.step(UnixSeconds(now), &chain.agreed(), &chain.fees(), of).unwrap();
            match step {
                Step::Send { transaction, .. } if is_quiet || !chance(&mut random, 30) => {
                    for _ in 0..=usize::from(chance(&mut random, 20)) {
                        chain.receive(&transaction.raw);
                    }
                }
                Step::Lost { .. } => lost += 1,
                _ => {}
            }
            if !is_quiet {
                match random.next_u64() % 20 {
                    0 => chain.forget(),
                    1 => chain.use_nonce(),
                    2 => {
                        chain.reorganise();
                        reorganised += 1;
                    }
                    _ => {}
                }
            }
            if is_quiet || chance(&mut random, 60) {
                chain.mine();
            }
        }
        let head = chain.head();
        assert!(head.failed <= reorganised, "seed {seed}: {} calls failed", head.failed);
        assert_eq!(head.taken.last(), quiet_from.as_ref(), "seed {seed}: the newest");
        let outbox = outbox(&store, LIMITS);
        assert!(!outbox.is_busy().unwrap(), "seed {seed}");
    }
    assert!(lost > 0, "no nonce was ever taken by hand");
}

/// Without hands on the key and reorganisations no gas is wasted: no call ever fails.
#[test]
fn no_call_fails_while_the_key_is_ours_alone() {
    for seed in 0..200 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let store = Arc::new(MemoryStore::new());
        let mut chain = Chain::new();
        for round in 0..300_u64 {
            let outbox = outbox(&store, LIMITS);
            let now = UnixSeconds(1_000 + round * 13);
            let (state, fees) = (chain.agreed(), chain.fees());
            let of = || Some(task(round / 7));
            let step = outbox.step(now, &state, &fees, of).unwrap();
            if let Step::Send { transaction, .. } = step
                && !chance(&mut random, 40)
            {
                chain.receive(&transaction.raw);
            }
            if chance(&mut random, 10) {
                chain.forget();
            }
            if chance(&mut random, 50) {
                chain.mine();
            }
        }
        assert_eq!(chain.head().failed, 0, "seed {seed}");
        assert!(chain.head().taken.len() > 5, "seed {seed}");
    }
}

/// What is not replaced has the same bytes after a restart, the key is deterministic.
#[test]
fn a_restart_sends_the_same_transaction() {
    let store = Arc::new(MemoryStore::new());
    let state = AccountState { next_sequence: 0, transaction_count: 9 };
    let fees = Ok(Fees { max_fee: 100, tip: 1 });
    let step = |now: u64| {
        let step = outbox(&store, LIMITS).step(UnixSeconds(now), &state, &fees, || Some(task(4)));
        match step.unwrap() {
            Step::Send { transaction, held: None, sequence: 4 } => transaction,
            other => panic!("{other:?}"),
        }
    };
    let first = step(1_000);
    assert_eq!(first.nonce, 9);
    assert_eq!(step(1_059), first);
    let raised = step(1_060);
    assert_eq!(raised.nonce, 9);
    assert!(raised.fees.max_fee >= 110 && raised.fees.tip >= 2, "{:?}", raised.fees);
    assert_eq!(step(1_061), raised);
}

/// What was done is done again where a reorganisation goes below all that nodes agreed on: in the same transaction, so that
/// it is there once, whichever of both blocks stays.
#[test]
fn a_done_task_that_a_reorganisation_took_back_is_sent_again() {
    let store = Arc::new(MemoryStore::new());
    let mut chain = Chain::new();
    let step = |chain: &Chain, now: u64| {
        let (state, fees) = (chain.agreed(), chain.fees());
        outbox(&store, LIMITS).step(UnixSeconds(now), &state, &fees, || Some(task(0))).unwrap()
    };
    let sent = |step: Step| match step {
        Step::Send { transaction, held: None, sequence: 0 } => transaction,
        other => panic!("{other:?}"),
    };
    let first = sent(step(&chain, 1_000));
    for time in 1..=3 {
        chain.receive(&first.raw);
        for _ in 0..3 {
            chain.mine();
        }
        assert_eq!(chain.head().taken.len(), 1, "{time}");
        assert_eq!(step(&chain, 1_001), Step::Done { sequence: 0 });
        assert_eq!(step(&chain, 1_002), Step::Idle, "the contract is past it");
        for _ in 0..3 {
            chain.reorganise();
        }
        assert!(chain.head().taken.is_empty(), "{time}");
        assert_eq!(sent(step(&chain, 1_003)), first, "the same bytes: no second one can be mined");
    }
    chain.receive(&first.raw);
    for _ in 0..3 {
        chain.mine();
    }
    assert_eq!(step(&chain, 1_004), Step::Done { sequence: 0 });
    assert_eq!((chain.head().failed, chain.head().transaction_count), (0, 1));
}

#[test]
fn two_services_with_one_key_do_not_stop() {
    let stores = [Arc::new(MemoryStore::new()), Arc::new(MemoryStore::new())];
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut chain = Chain::new();
    for round in 0..500_u64 {
        let store = &stores[usize::from(chance(&mut random, 50))];
        let state = chain.agreed();
        let of = || Some(task(round / 10));
        let now = UnixSeconds(1_000 + round * 13);
        let step = outbox(store, LIMITS).step(now, &state, &chain.fees(), of).unwrap();
        if let Step::Send { transaction, .. } = step {
            chain.receive(&transaction.raw);
        }
        chain.mine();
    }
    let head = chain.head();
    assert!(head.taken.len() > 30, "{}", head.taken.len());
}
