//! What every source must hold, whatever stands behind it.

use crate::support;

use std::sync::Arc;

use superroot_chain::{ChainRegistry, UntrustedBlock, verify};
use superroot_source::{BlockSource, NUMBERS_MAX, Recordings, SimulatedChain, SimulatedConfig};
use superroot_types::{BlockNumber, ManualClock, UnixSeconds};

use support::{ethereum, real_recordings};

async fn conforms(source: Arc<dyn BlockSource>) {
    assert!(!source.name().is_empty());
    assert_eq!(source.chain(), ethereum().key());

    let tip = source.fetch_tip().await.unwrap();
    assert_eq!(source.fetch_tip().await.unwrap(), tip, "nothing has happened in between");
    let safe = tip.safe.unwrap_or(tip.finalized);
    assert!(tip.finalized.number <= safe.number && safe.number <= tip.head.number);
    for named in [tip.finalized, safe, tip.head] {
        let block = source.fetch_whole(named.number).await.unwrap().expect("a tip is there");
        let UntrustedBlock::Evm(raw) = &block else { panic!("a block of another family") };
        assert_eq!((raw.block.number, raw.block.hash), (named.number.0, Some(named.hash)));
        assert_eq!(verify(ethereum(), &block).unwrap().hash(), named.hash);
        assert_eq!(source.fetch_whole(named.number).await.unwrap(), Some(block));
    }
    for past in [tip.head.number.0 + 1, u64::MAX] {
        assert_eq!(source.fetch_whole(BlockNumber(past)).await.unwrap(), None);
    }
    let Some(all) = source.fetch_numbers(BlockNumber(0), usize::MAX).await.unwrap() else { return };
    assert!(all.len() <= NUMBERS_MAX && all.is_sorted_by(|a, b| a < b));
    assert!(all.contains(&tip.head.number));
    let mut paged = Vec::new();
    let mut from = BlockNumber(0);
    loop {
        let page = source.fetch_numbers(from, 7).await.unwrap().unwrap();
        let Some(last) = page.last() else { break };
        from = BlockNumber(last.0 + 1);
        paged.extend(page);
    }
    assert_eq!(paged, all, "pages hold every number once");
}

#[tokio::test]
async fn a_simulated_chain_conforms() {
    for head in [0, 1, 100] {
        let clock = Arc::new(ManualClock::at(UnixSeconds(12 * head)));
        let config = SimulatedConfig::new(3, UnixSeconds(0));
        conforms(Arc::new(SimulatedChain::new(ethereum(), config, clock).unwrap())).await;
    }
}

#[tokio::test]
async fn recordings_conform() {
    let Some(folder) = real_recordings() else { return };
    let recordings = Arc::new(Recordings::open(&[folder], ChainRegistry::builtin()).unwrap());
    conforms(Arc::new(recordings.source(ethereum().key()).unwrap())).await;
}
