//! Launches of recorded pools that are emptied again, in whatever steps their blocks are looked at.

use superroot_source::Recordings;
use superroot_store::feed::{FeedChange, FeedStage};

use super::*;

/// The dollar and the coin of Base.
fn bases_of_base() -> Bases {
    let token = |text: &str, decimals| Token { address: text.parse().unwrap(), decimals };
    Bases {
        stables: vec![token("0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", 6)],
        native: Some(token("0x4200000000000000000000000000000000000006", 18)),
    }
}

/// Three pools are launched with 200,000 US dollars each; two are emptied in the next block, one ten blocks later.
#[tokio::test]
async fn a_pool_that_is_emptied_in_the_same_step_is_told_as_pulled() {
    let Some((store, row, mut stage)) = recorded("field/launch-pulled-in-one-step").await else {
        return;
    };
    let (feed, blocks) = (Feed::Chain(row.key()), 44_000_000..44_000_301_u64);
    let mut told = Vec::new();
    for at_a_time in [1, 2, 25, 1_000] {
        loop {
            let mut batch = WriteBatch::new();
            let is_clear = stage.clear(&*store, feed, &mut batch).unwrap();
            store.commit(batch).unwrap();
            if is_clear {
                break;
            }
        }
        for from in blocks.clone().step_by(at_a_time) {
            let to = (from + at_a_time as u64 - 1).min(blocks.end - 1);
            let changes = [FeedChange::Final { from: BlockNumber(from), to: BlockNumber(to) }];
            let mut batch = WriteBatch::new();
            stage.apply(&*store, feed, &changes, &mut batch).unwrap();
            store.commit(batch).unwrap();
        }
        let all = launch::load_newest(&*store, row.key(), BlockNumber(u64::MAX), 100).unwrap();
        let of = |kind| all.iter().filter(|one| one.kind == kind).count();
        assert_eq!(
            (of(LaunchKind::Launched), of(LaunchKind::Pulled)),
            (3, 3),
            "{at_a_time} blocks at a time"
        );
        told.push(all);
    }
    assert!(told.iter().all(|one| *one == told[0]));
}

/// A recording's chain of Base, all of it held and indexed, and the stage that looks for launches in it; `None` without
/// real data.
async fn recorded(folder: &str) -> Option<(Arc<dyn Store>, ChainSpec, LaunchStage)> {
    let data = data()?;
    let recordings = Recordings::open(&[data.join(folder)], ChainRegistry::builtin()).unwrap();
    let row = ChainRegistry::builtin().find("base").unwrap().clone();
    let source = Arc::new(Arc::new(recordings).source(row.key()).unwrap());
    let (store, now): (Arc<dyn Store>, _) = (Arc::new(MemoryStore::new()), UnixSeconds(1 << 31));
    let config = CollectConfig { watch: WatchFilter::All, ..CollectConfig::default() };
    let mut collector = Collector::new(store.clone(), source, row.clone(), config);
    for _ in 0..64 {
        collector.step(now).await.unwrap();
    }
    let index = EventIndex::with(Arc::from([Box::new(PoolView) as _]));
    let mut follower = Follower::new(store.clone(), Feed::Chain(row.key()), index);
    while follower.step().unwrap() != StageProgress::Idle {}
    let tokens = Arc::new(Known(bases_of_base()));
    let launching = Launching { slug: "base".to_owned(), tokens, ..launching() };
    Some((store, row, LaunchStage(launching)))
}

/// What is told of a recording's chain once all of it is held.
async fn told_of(folder: &str) -> Vec<Launch> {
    let Some((store, row, mut stage)) = recorded(folder).await else { return Vec::new() };
    let last =
        blocks::load_chain_state(&*store, row.key()).unwrap().unwrap().indexed.unwrap().number;
    let first = BlockNumber(last.0.saturating_sub(600));
    let mut batch = WriteBatch::new();
    let changes = [FeedChange::Final { from: first, to: last }];
    stage.apply(&*store, Feed::Chain(row.key()), &changes, &mut batch).unwrap();
    store.commit(batch).unwrap();
    launch::load_newest(&*store, row.key(), BlockNumber(u64::MAX), 100).unwrap()
}

/// A pool of Uniswap v3 holds what all of its ranges do; a coin that drifts is worth something; liquidity that comes and
/// goes within a transaction is not given up; a hook hides no launch.
#[tokio::test]
async fn recorded_launches_are_worth_what_their_pools_hold() {
    if data().is_none() {
        return;
    }
    for (folder, expected) in [
        ("prices/launch-v3-full-range", &[("0x64dd", 300_000.0), ("0xc7bd", 4_000_000.0)][..]),
        ("prices/launch-while-coin-drifts", &[("0x326f", 200_000.0), ("0x2ebd", 150_000.0)]),
        ("prices/launch-burned-by-flash", &[("0xe499", 40_000.0)]),
        ("field/launch-v4-hook", &[("0x61f0", 2_463.63), ("0x1f31", 2_463.63)]),
    ] {
        let told = told_of(folder).await;
        assert_eq!(told.len(), expected.len(), "{folder}: {told:#?}");
        for (token, dollars) in expected {
            let is_it = |one: &&Launch| format!("{:#x}", one.token).starts_with(token);
            let one = told.iter().find(is_it).unwrap_or_else(|| panic!("{folder} {token}"));
            let worth = one.liquidity_usd.to_f64();
            assert!((worth / dollars - 1.0).abs() < 0.02 || folder.starts_with("field"), "{worth}");
            assert_eq!(one.kind, LaunchKind::Launched);
            assert_eq!(one.hooks.is_some(), *token == "0x1f31", "{folder}");
            if folder.ends_with("flash") {
                assert_eq!(one.given_up.unwrap().burned, 0);
            }
        }
    }
}
