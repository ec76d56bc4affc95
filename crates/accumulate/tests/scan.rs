//! Laws of scans as the prover makes them: each page holds by itself, the pages join, and together
//! they show what reading every receipt finds.

use crate::support;

use superroot_accumulate::prove::{ProveError, Prover};
use superroot_chain::ChainRegistry;
use superroot_proof::bundle::Policy;
use superroot_proof::ledger::evm::Receipt;
use superroot_proof::scan::*;
use superroot_types::*;
use support::*;

fn policy() -> Policy<'static> {
    Policy::strict(ChainRegistry::builtin().proof_registry())
}

/// Ethereum 2000 to 2099, across a twig's end, the last five not anchored.
fn log() -> (Log, Chain) {
    let (mut log, ethereum) = (Log::new(), chain("ethereum", 2036));
    log.extend(&ethereum, 2000..2095);
    log.step(100);
    log.extend(&ethereum, 2095..2100);
    (log, ethereum)
}

/// Every event of a range, out of the blocks themselves.
fn events(chain: &Chain, range: (u64, u64)) -> Vec<(u64, u32, u32, Address, Vec<Hash>)> {
    let mut events = Vec::new();
    for number in range.0..=range.1 {
        let block = chain.block(number);
        for (tx_index, leaf) in (0..).zip(block.receipts().unwrap()) {
            for (log_index, log) in (0..).zip(Receipt::decode(leaf).unwrap().logs) {
                events.push((number, tx_index, log_index, log.address, log.topics));
            }
        }
    }
    events
}

/// All pages of a range, each checked.
fn pages(
    prover: &Prover,
    key: ChainKey,
    (from, to): (u64, u64),
    filter: &ScanFilter,
    bytes_max: usize,
) -> Vec<ScanFacts> {
    let root = prover.published(SuperRootRef::Latest).unwrap().hash;
    let (mut pages, mut next) = (Vec::new(), from);
    while next <= to {
        let (from, to) = (BlockNumber(next), BlockNumber(to));
        let statement = ScanStatement { chain: key, from, to, filter: filter.clone() };
        let scan = prover.prove_scan(statement, SuperRootRef::Latest, bytes_max).unwrap();
        assert_eq!(scan.statement.from, from);
        let encoded = scan.encode();
        assert_eq!(Scan::decode(&encoded).as_ref(), Ok(&scan));
        let facts = verify_anchored(&scan, &policy(), &root).unwrap().into_inner();
        next = facts.statement.to.0 + 1;
        pages.push(facts);
    }
    pages
}

#[test]
fn pages_of_any_size_show_what_every_receipt_says() {
    let (log, ethereum) = log();
    let (prover, key) = (log.prover(), ethereum.key());
    let range = (2005, 2094);
    let all = events(&ethereum, range);
    let (_, _, _, address, topics) = all[all.len() / 2].clone();
    let none = || Default::default();
    let by_topic = [vec![topics[0]], vec![], vec![], vec![]];
    let filters = [
        ScanFilter::default(),
        ScanFilter::new(vec![address], none(), vec![]).unwrap(),
        ScanFilter::new(vec![], by_topic, vec![]).unwrap(),
        ScanFilter::new(vec![], none(), vec![topics[0]]).unwrap(),
        ScanFilter::new(vec![Address([0xee; 20])], none(), vec![]).unwrap(),
    ];
    let (mut skipped, mut paged) = (0, 0);
    for filter in filters {
        let passes = |one: &&(u64, u32, u32, Address, Vec<Hash>)| {
            (filter.addresses().is_empty() || filter.addresses().contains(&one.3))
                && filter.topics()[0].first().is_none_or(|topic| one.4.first() == Some(topic))
                && filter.anywhere().iter().all(|topic| one.4.contains(topic))
        };
        let expected: Vec<_> = all.iter().filter(passes).map(|one| (one.0, one.1, one.2)).collect();
        for bytes_max in [SCAN_BYTES_MAX, 300 << 10, 0] {
            let pages = pages(&prover, key, range, &filter, bytes_max);
            let shown = pages.iter().flat_map(|page| &page.events);
            let shown: Vec<_> =
                shown.map(|one| (one.number.0, one.tx_index, one.log_index)).collect();
            assert_eq!(shown, expected);
            skipped += pages.iter().map(|page| page.by_bloom).sum::<u64>();
            paged += usize::from((2..90).contains(&pages.len()));
            assert_eq!(pages.len() == 1, bytes_max == SCAN_BYTES_MAX);
        }
    }
    assert!(skipped > 100 && paged > 0, "{skipped} skipped, {paged} in pages");
}

#[test]
fn what_cannot_be_scanned_says_why() {
    let (log, ethereum) = log();
    let (prover, key) = (log.prover(), ethereum.key());
    let ask = |chain, from, to| {
        let (from, to) = (BlockNumber(from), BlockNumber(to));
        let statement = ScanStatement { chain, from, to, filter: ScanFilter::default() };
        prover.prove_scan(statement, SuperRootRef::Latest, SCAN_BYTES_MAX)
    };
    let early = ask(key, 1990, 2010).unwrap_err();
    assert!(matches!(early, ProveError::NotFound { .. }), "{early}");
    let late = ask(key, 2090, 2096).unwrap_err();
    assert!(matches!(late, ProveError::NotAnchored { held: true, .. }), "{late}");
    let bitcoin = ChainKey { family: Family::Bitcoin, id: ChainId(21_000_000) };
    assert!(matches!(ask(bitcoin, 0, 1), Err(ProveError::NotProvable { .. })));
    // a block that was skipped is named
    let (mut log, ethereum) = (Log::new(), chain("ethereum", 2036));
    log.extend(&ethereum, (2050..2060).filter(|number| *number != 2055));
    log.step(100);
    let (from, to, filter) = (BlockNumber(2052), BlockNumber(2058), ScanFilter::default());
    let statement = ScanStatement { chain: key, from, to, filter };
    let gap = log.prover().prove_scan(statement, SuperRootRef::Latest, SCAN_BYTES_MAX).unwrap_err();
    assert!(matches!(&gap, ProveError::NotFound { what, .. } if what == "block 2055"), "{gap}");
}

/// Of a block held against a watch list not all receipts are held: an absence may still be shown by
/// its bloom, and nothing else.
#[test]
fn a_block_that_is_not_whole_is_skipped_by_its_bloom_or_refused() {
    let (mut log, ethereum) = (Log::new(), chain("ethereum", 2036));
    let key = ethereum.key();
    for number in 2048..2054 {
        log.extend_kept(&ethereum, number, &[1]);
    }
    log.step(100);
    let prover = log.prover();
    let ask = |filter| {
        let (from, to) = (BlockNumber(2050), BlockNumber(2053));
        let statement = ScanStatement { chain: key, from, to, filter };
        prover.prove_scan(statement, SuperRootRef::Latest, SCAN_BYTES_MAX)
    };
    let refused = ask(ScanFilter::default()).unwrap_err();
    assert!(matches!(refused, ProveError::NotIndexed { .. }), "{refused}");
    let absent = (0_u8..=255).map(|byte| {
        ScanFilter::new(vec![Address([byte; 20])], Default::default(), vec![]).unwrap()
    });
    let shown = absent.filter_map(|filter| ask(filter).ok()).find(|scan| scan.receipts.is_empty());
    let facts = verify(&shown.expect("some address is in no bloom"), &policy()).unwrap();
    assert_eq!((facts.by_bloom, facts.events.len()), (4, 0));
}
