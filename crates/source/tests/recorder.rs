//! Recordings that are written, and read back.

use crate::support;

use std::path::Path;
use std::sync::{Arc, Mutex};

use superroot_chain::{ChainRegistry, UntrustedBlock, verify};
use superroot_source::{
    BlockAt, BlockParts, BlockSource, FetchedBlock, Fetching, FinalityAgreement, LiveNodes,
    NodesReport, RecordStep, Recorder, Recordings, SimulatedChain, SimulatedConfig,
    SourceDescription, SourceError, SourceTip,
};
use superroot_types::{BlockNumber, ManualClock, Network, UnixSeconds};

use support::ethereum;

fn chain() -> SimulatedChain {
    let clock = Arc::new(ManualClock::at(UnixSeconds(12 * 30)));
    SimulatedChain::new(ethereum(), SimulatedConfig::new(5, UnixSeconds(0)), clock).unwrap()
}

fn numbers(from: u64, to: u64) -> impl Iterator<Item = BlockNumber> {
    (from..=to).map(BlockNumber)
}

async fn record(folder: &Path, source: &dyn BlockSource, from: u64, to: u64) -> Vec<RecordStep> {
    let mut recorder = Recorder::open(folder, ethereum()).unwrap();
    let mut steps = Vec::new();
    recorder.record(source, numbers(from, to), |step| steps.push(step)).await.unwrap();
    steps
}

/// A source that bends blocks, or breaks, as the test says.
struct Bent {
    inner: SimulatedChain,
    bent: BlockNumber,
    /// How often the bent block is still sent.
    times: Mutex<usize>,
    blamed: Mutex<Vec<String>>,
    breaks_at: Option<BlockNumber>,
}

impl Bent {
    fn new(bent: u64, times: usize) -> Self {
        let (times, blamed) = (Mutex::new(times), Mutex::default());
        Self { inner: chain(), bent: BlockNumber(bent), times, blamed, breaks_at: None }
    }

    async fn block(
        &self,
        at: BlockAt,
        parts: BlockParts,
    ) -> Result<Option<FetchedBlock>, SourceError> {
        if self.breaks_at == Some(at.number()) {
            return Err(SourceError::ShuttingDown);
        }
        let mut fetched = self.inner.fetch_block(at, parts, &[]).await?;
        let mut times = self.times.lock().unwrap();
        if let Some(FetchedBlock { block: UntrustedBlock::Evm(raw), .. }) = &mut fetched
            && at.number() == self.bent
            && *times > 0
        {
            *times -= 1;
            raw.block.gas_used += 1;
        }
        Ok(fetched)
    }
}

impl BlockSource for Bent {
    fn about(&self) -> SourceDescription<'_> {
        SourceDescription { name: "bent", network: Network::Live, ..self.inner.about() }
    }
    fn fetch_tip(&self) -> Fetching<'_, SourceTip> {
        self.inner.fetch_tip()
    }
    fn fetch_block<'a>(
        &'a self,
        at: BlockAt,
        parts: BlockParts,
        _: &'a [Arc<str>],
    ) -> Fetching<'a, Option<FetchedBlock>> {
        Box::pin(self.block(at, parts))
    }
    fn fetch_agreement(&self, number: BlockNumber) -> Fetching<'_, FinalityAgreement> {
        self.inner.fetch_agreement(number)
    }
    fn fetch_numbers(
        &self,
        from: BlockNumber,
        limit: usize,
    ) -> Fetching<'_, Option<Vec<BlockNumber>>> {
        self.inner.fetch_numbers(from, limit)
    }

    fn nodes(&self) -> Option<&dyn LiveNodes> {
        Some(self)
    }
}

impl LiveNodes for Bent {
    fn blame(&self, _sender: &str, why: &str) {
        self.blamed.lock().unwrap().push(why.to_owned());
    }

    fn report(&self) -> NodesReport {
        NodesReport::default()
    }
}

#[tokio::test]
async fn what_is_recorded_is_read_back_as_it_was() {
    let (folder, chain) = (tempfile::tempdir().unwrap(), chain());
    let steps = record(folder.path(), &chain, 3, 33).await;
    let written = steps.iter().filter(|step| matches!(step, RecordStep::Written { .. })).count();
    assert_eq!((steps.len(), written), (31, 28));
    assert_eq!(steps.last(), Some(&RecordStep::Absent { number: BlockNumber(33) }));

    let recordings =
        Arc::new(Recordings::open(&[folder.path()], ChainRegistry::builtin()).unwrap());
    assert!(recordings.left_out().is_empty());
    let read = recordings.source(ethereum().key()).unwrap();
    for number in numbers(3, 30) {
        let block = read.fetch_whole(number).await.unwrap().unwrap();
        assert_eq!(Some(&block), chain.fetch_whole(number).await.unwrap().as_ref());
        let extent = verify(ethereum(), &block).unwrap().extent();
        assert!(extent.transactions && extent.receipts);
    }
    let left: Vec<_> = walk(folder.path()).into_iter().filter(|n| n.ends_with(".part")).collect();
    assert!(left.is_empty(), "{left:?}");
}

fn walk(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            names.extend(walk(&path));
        } else {
            names.push(path.display().to_string());
        }
    }
    names
}

#[tokio::test]
async fn a_second_run_goes_on_where_the_first_ended() {
    let (folder, chain) = (tempfile::tempdir().unwrap(), chain());
    let held = |steps: &[RecordStep]| {
        steps.iter().filter(|step| matches!(step, RecordStep::Held { .. })).count()
    };
    record(folder.path(), &chain, 1, 5).await;
    assert_eq!(held(&record(folder.path(), &chain, 1, 8).await), 5);
    // as after a crash between the files and the index
    std::fs::remove_file(folder.path().join("index.json")).unwrap();
    std::fs::write(folder.path().join("index.json.part"), b"[").unwrap();
    assert_eq!(held(&record(folder.path(), &chain, 1, 9).await), 0, "all are written again");
    let recordings = Recordings::open(&[folder.path()], ChainRegistry::builtin()).unwrap();
    assert_eq!(recordings.chains().next().unwrap().block_count, 9);
}

#[tokio::test]
async fn what_was_written_before_an_error_is_listed() {
    let folder = tempfile::tempdir().unwrap();
    let mut source = Bent::new(0, 0);
    source.breaks_at = Some(BlockNumber(7));
    let mut recorder = Recorder::open(folder.path(), ethereum()).unwrap();
    let error = recorder.record(&source, numbers(1, 20), |_| {}).await.unwrap_err();
    assert!(matches!(error, SourceError::ShuttingDown), "{error}");
    assert_eq!(recorder.block_count(), 6);
    let recordings = Recordings::open(&[folder.path()], ChainRegistry::builtin()).unwrap();
    assert_eq!(recordings.chains().next().unwrap().block_count, 6);
}

#[tokio::test]
async fn a_block_that_does_not_recompute_is_blamed_asked_again_and_never_written() {
    let folder = tempfile::tempdir().unwrap();
    let mended = Bent::new(4, 2);
    let steps = record(folder.path(), &mended, 4, 4).await;
    assert!(matches!(steps[..], [RecordStep::Written { .. }]), "{steps:?}");
    assert_eq!(mended.blamed.lock().unwrap().len(), 2);

    let lasting = Bent::new(5, usize::MAX);
    let steps = record(folder.path(), &lasting, 5, 6).await;
    let [RecordStep::Refused { number: BlockNumber(5), why }, RecordStep::Written { .. }] =
        &steps[..]
    else {
        panic!("{steps:?}")
    };
    assert!(!why.is_empty());
    assert!(!folder.path().join("ethereum-1/5.json.gz").exists());
}

#[tokio::test]
async fn a_folder_of_something_else_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("1.json"), "{}").unwrap();
    let error = Recorder::open(folder.path(), ethereum()).unwrap_err();
    assert!(matches!(error, SourceError::Recording { .. }), "{error}");
    std::fs::write(folder.path().join("index.json"), "{}").unwrap();
    let error = Recorder::open(folder.path(), ethereum()).unwrap_err();
    assert!(matches!(error, SourceError::Recording { .. }), "{error}");
    // rows of other chains stay
    let row = r#"{"chainId":10,"network":"op","block":1,"hash":null,"file":"1.json","extra":7}"#;
    std::fs::write(folder.path().join("index.json"), format!("[{row}]")).unwrap();
    record(folder.path(), &chain(), 1, 2).await;
    let text = std::fs::read_to_string(folder.path().join("index.json")).unwrap();
    let rows: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    assert_eq!((rows.len(), &rows[0]["extra"]), (3, &serde_json::json!(7)));
}
