//! Recordings folders, damaged.

use crate::support::*;

use std::path::Path;
use std::sync::Arc;

use superroot_chain::ChainRegistry;
use superroot_collect::CollectProgress;
use superroot_source::{Recorder, Recordings};
use superroot_store::layout::HeldRun;
use superroot_store::read;
use superroot_types::*;

/// A folder with blocks 3 to 8 of a simulated chain.
async fn record(folder: &Path) {
    let clock = Arc::new(ManualClock::at(UnixSeconds(GENESIS + 30)));
    let mut recorder = Recorder::open(folder, &row()).unwrap();
    let numbers = (3..=8).map(BlockNumber);
    recorder.record(&*simulated(4, &clock), numbers, |_| {}).await.unwrap();
}

fn collected(folder: &Path) -> Bench {
    let recordings = Arc::new(Recordings::open(&[folder], ChainRegistry::builtin()).unwrap());
    let source = Arc::new(recordings.source(row().key()).unwrap());
    Bench::over(source, Arc::new(ManualClock::at(UnixSeconds(GENESIS + 30))))
}

/// The index with the rows of these blocks changed.
fn change_index(folder: &Path, change: impl Fn(u64, String) -> String) {
    let index = folder.join("index.json");
    let text = std::fs::read_to_string(&index).unwrap();
    let lines = text.lines().map(|line| {
        let number = line.split("\"block\":").nth(1).and_then(|rest| rest.split(',').next());
        match number.and_then(|number| number.parse().ok()) {
            Some(number) => change(number, line.to_owned()),
            None => line.to_owned(),
        }
    });
    std::fs::write(index, lines.collect::<Vec<_>>().join("\n")).unwrap();
}

fn without_hash(line: &str) -> String {
    let (before, rest) = line.split_once("\"hash\":").unwrap();
    let (_, after) = rest.split_once(',').unwrap();
    format!("{before}\"hash\":null,{after}")
}

/// A cut file took the whole chain, and a file that was gone kept the service from starting.
#[tokio::test]
async fn a_damaged_file_and_one_that_is_gone_are_left_out_alone_and_named() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path()).await;
    let file = |number| folder.path().join(format!("ethereum-1/{number}.json.gz"));
    let whole = std::fs::read(file(4)).unwrap();
    std::fs::write(file(4), &whole[..whole.len() / 2]).unwrap();
    std::fs::remove_file(file(6)).unwrap();
    std::fs::write(file(8), b"not gzip").unwrap();
    let mut bench = collected(folder.path());
    bench.settle().await.unwrap();
    let said = [
        run(0, 2, HeldRun::Skipped),
        run(3, 3, HeldRun::Whole),
        run(4, 4, HeldRun::Refused),
        run(5, 5, HeldRun::Whole),
        run(6, 6, HeldRun::Refused),
        run(7, 7, HeldRun::Whole),
        run(8, 8, HeldRun::Refused),
    ];
    assert_eq!(bench.coverage(), said);
    let refused = read::load_newest_refused(&*bench.store, row().key(), 9).unwrap();
    let reasons: Vec<_> = refused.into_iter().map(|(_, row)| row.reason).collect();
    for (reason, begins) in reasons.iter().zip([
        "8.json.gz cannot be read: ",
        "6.json.gz is missing, though the index lists it",
        "4.json.gz cannot be read: ",
    ]) {
        assert!(reason.starts_with(begins), "{reason}");
    }
    assert_eq!(reasons.len(), 3);
}

/// No hash says how far the chain goes above the last: each of these blocks is named, none is taken.
#[tokio::test]
async fn blocks_that_no_hash_leads_to_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path()).await;
    change_index(folder.path(), |number, line| match number {
        7.. => without_hash(&line),
        _ => line,
    });
    let mut bench = collected(folder.path());
    bench.settle().await.unwrap();
    let said =
        [run(0, 2, HeldRun::Skipped), run(3, 6, HeldRun::Whole), run(7, 8, HeldRun::Refused)];
    assert_eq!(bench.coverage(), said);
    assert_eq!(bench.state().indexed.unwrap().number, BlockNumber(6));

    change_index(folder.path(), |_, line| without_hash(&line));
    let mut bench = collected(folder.path());
    let step = bench.step().await.unwrap();
    let CollectProgress::Final { blocks: 0, refused, .. } = step.progress else {
        panic!("{step:?}")
    };
    assert_eq!(refused.len(), 6);
    let why = "3.json.gz cannot be checked: no block of the chain has a hash";
    assert_eq!(refused[0].reason, why);
    bench.settle().await.unwrap();
    assert_eq!(bench.coverage(), [run(0, 2, HeldRun::Skipped), run(3, 8, HeldRun::Refused)]);
}
