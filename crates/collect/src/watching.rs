//! Entry selection: first by header bloom, then by events.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use superroot_chain::{ChainSpec, Extent, VerifiedBlock};
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::Header;
use superroot_proof::ledger::evm::{Bloom, Receipt};
use superroot_store::layout::{BlockRow, HeaderWhy, HeldRun, KeptEntries, WatchFilter};
use superroot_types::{Address, BlockNumber, Hash};

/// Whether a block may contain a watched event, by its header alone. Blooms have false positives, but no false
/// negatives.
pub(crate) fn header_passes(
    row: &ChainSpec,
    watch: &WatchFilter,
    number: BlockNumber,
    header: &[u8],
) -> bool {
    let WatchFilter::Some { addresses, topics } = watch else { return true };
    if !row.ledger.has_watchable_events() || watch.is_nothing() {
        // no other ledger's events have addresses or topics
        return false;
    }
    let header = row.rule_at(number).and_then(|rule| Header::decode(rule, header).ok());
    let bloom = header.as_ref().and_then(Header::logs_bloom);
    bloom.is_none_or(|bloom| bloom_passes(bloom, addresses, topics))
}

fn bloom_passes(bloom: &Bloom, addresses: &BTreeSet<Address>, topics: &BTreeSet<Hash>) -> bool {
    addresses.iter().any(|address| bloom.contains(&address.0))
        || topics.iter().any(|topic| bloom.contains(&topic.0))
}

/// Retries that a block schedules, and executes itself: what became of them only their receipts say, which may have no
/// log.
fn scheduled_retries(block: &VerifiedBlock, receipts: &[Vec<u8>]) -> Vec<u32> {
    let logs = receipts.iter().filter_map(|leaf| Receipt::decode(leaf).ok());
    let logs = logs.flat_map(|receipt| receipt.logs);
    let scheduled = logs.filter(|log| log.topics.first() == Some(&redeem_scheduled()));
    let hashes: BTreeSet<Hash> = scheduled.filter_map(|log| log.topics.get(2).copied()).collect();
    if hashes.is_empty() {
        return Vec::new();
    }
    let own = (0..).zip(block.transaction_hashes().into_iter().flatten());
    own.filter(|(_, hash)| hashes.contains(hash)).map(|(index, _)| index).collect()
}

/// First topic of the event that schedules a retry (nitro, `ArbRetryableTx`): the third is the retry's hash.
fn redeem_scheduled() -> Hash {
    static TOPIC: LazyLock<Hash> = LazyLock::new(|| {
        keccak256(b"RedeemScheduled(bytes32,bytes32,uint64,uint64,address,uint256,uint256)")
    });
    *TOPIC
}

/// Kept entries for a block. Without receipts no selection is possible, and all received entries are kept.
pub(crate) fn kept(row: &ChainSpec, watch: &WatchFilter, block: &VerifiedBlock) -> KeptEntries {
    let WatchFilter::Some { addresses, topics } = watch else { return KeptEntries::All };
    if !header_passes(row, watch, block.number(), block.header()) {
        return KeptEntries::Some(Vec::new());
    }
    let Some(receipts) = block.receipts() else { return KeptEntries::All };
    let passes = |leaf: &Vec<u8>| {
        // a verified leaf that is no receipt here is kept rather than lost
        Receipt::decode(leaf).map_or(true, |receipt| {
            receipt.logs.iter().any(|log| {
                addresses.contains(&log.address)
                    || log.topics.iter().any(|topic| topics.contains(topic))
            })
        })
    };
    let passing = (0..).zip(receipts).filter(|(_, leaf)| passes(leaf));
    let mut passing: BTreeSet<u32> = passing.map(|(tx_index, _)| tx_index).collect();
    if topics.contains(&redeem_scheduled()) {
        passing.extend(scheduled_retries(block, receipts));
    }
    KeptEntries::Some(passing.into_iter().collect())
}

/// Kept entries for a block already stored, perhaps without a body part or under another list: no stored entry is
/// dropped.
pub(crate) fn kept_beside(
    row: &ChainSpec,
    watch: &WatchFilter,
    block: &VerifiedBlock,
    held: Option<&BlockRow>,
) -> KeptEntries {
    let now = kept(row, watch, block);
    let parts = held.filter(|held| held.hash == block.hash() && held.extent != Extent::default());
    parts.map_or(now.clone(), |held| now.union(&held.kept))
}

/// Watch list usable on a chain: without event addresses and topics on its ledger, a limited list becomes empty.
#[must_use]
pub fn list_of(row: &ChainSpec, watch: WatchFilter) -> WatchFilter {
    match watch {
        WatchFilter::Some { .. } if !row.ledger.has_watchable_events() => WatchFilter::nothing(),
        watch => watch,
    }
}

/// Whether a stored block may have events from `more`, a list not applied to the block.
pub(crate) fn lacks_events(
    row: &ChainSpec,
    more: &WatchFilter,
    number: BlockNumber,
    held: &BlockRow,
) -> bool {
    held.kept != KeptEntries::All && header_passes(row, more, number, &held.header)
}

/// Whether a wanted body part is missing: no node had the part, or the block row says that the part cannot be
/// recomputed.
pub(crate) fn lacks_body(row: &ChainSpec, held: &BlockRow) -> bool {
    let Extent { transactions, receipts } = held.extent;
    row.ledger.body_may_come_later() && held.kept == KeptEntries::All && !(transactions && receipts)
}

/// Name for the missing body part.
pub(crate) const fn lacking(extent: Extent) -> &'static str {
    match (extent.transactions, extent.receipts) {
        (true, _) => "receipts",
        (false, true) => "transactions",
        (false, false) => "body",
    }
}

/// Coverage for a stored block.
pub(crate) fn held(watch: &WatchFilter, extent: Extent, kept: &KeptEntries) -> HeldRun {
    match (kept, extent) {
        (KeptEntries::Some(_), _) if watch.is_nothing() => {
            HeldRun::HeaderOnly { why: HeaderWhy::NothingWatched }
        }
        (KeptEntries::Some(_), _) => HeldRun::Watched { watch_hash: watch.hash() },
        (KeptEntries::All, Extent { transactions: true, receipts: true }) => HeldRun::Whole,
        (KeptEntries::All, Extent { transactions: false, receipts: false }) => {
            HeldRun::HeaderOnly { why: HeaderWhy::NoBody }
        }
        (KeptEntries::All, extent) => HeldRun::Partial { extent },
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use superroot_chain::ChainRegistry;
    use superroot_source::{BlockSource, Recordings};
    use superroot_types::ChainId;

    use super::*;

    /// A retry of ether alone has no log: the receipt is kept with the scheduling event, and no other receipt.
    #[tokio::test]
    async fn what_became_of_a_scheduled_retry_is_kept() {
        let Some(data) = std::env::var_os("SUPERROOT_DATA").map(PathBuf::from) else {
            return eprintln!("SKIPPED: SUPERROOT_DATA is not set, no real retry was looked at");
        };
        let folder = data.join("orders/retryable-of-ether");
        let recordings = Recordings::open(&[folder], ChainRegistry::builtin()).unwrap();
        let recordings = std::sync::Arc::new(recordings);
        let row = ChainRegistry::builtin().by_id(ChainId(42_161)).unwrap();
        let source = recordings.source(row.key()).unwrap();
        let watch: WatchFilter = "orders".parse().unwrap();
        let scheduled = [redeem_scheduled()].into();
        let WatchFilter::Some { topics, addresses } = watch.clone() else { panic!("{watch}") };
        assert!(topics.is_superset(&scheduled));
        let others = topics.difference(&scheduled).copied().collect();
        let others = WatchFilter::Some { topics: others, addresses };
        let mut retries = 0;
        for number in 499_999_744..=499_999_746 {
            let Some(block) = source.fetch_whole(BlockNumber(number)).await.unwrap() else {
                continue;
            };
            let block = superroot_chain::verify(row, &block).unwrap();
            let receipts = block.receipts().unwrap();
            let is_scheduled =
                |tx_index: &u32| scheduled_retries(&block, receipts).contains(tx_index);
            for tx_index in (0..).take(receipts.len()).filter(is_scheduled) {
                assert!(kept(row, &watch, &block).holds(tx_index), "{number}/{tx_index}");
                assert!(!kept(row, &others, &block).holds(tx_index), "{number}/{tx_index}");
                retries += 1;
            }
        }
        assert_eq!(retries, 1, "one of four transactions is the retry");
    }
}
