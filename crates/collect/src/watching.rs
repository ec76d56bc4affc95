//! Which entries of a block are kept: its header's bloom first, then the events themselves.

use std::collections::BTreeSet;

use superroot_chain::{ChainRow, Extent, VerifiedBlock};
use superroot_proof::ledger::Header;
use superroot_proof::ledger::evm::{Bloom, Receipt};
use superroot_store::layout::{BlockRow, HeaderWhy, Held, Kept, Watch};
use superroot_types::{Address, BlockNumber, Hash};

/// Whether a block may hold a watched event, by its header alone. Blooms have false positives, and
/// no false negatives: what does not pass has no watched event.
pub(crate) fn header_passes(
    row: &ChainRow,
    watch: &Watch,
    number: BlockNumber,
    header: &[u8],
) -> bool {
    let Watch::Some { addresses, topics } = watch else { return true };
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

/// What is kept of a block. Where its receipts did not come nothing can be chosen, and all that came
/// is kept.
pub(crate) fn kept(row: &ChainRow, watch: &Watch, block: &VerifiedBlock) -> Kept {
    let Watch::Some { addresses, topics } = watch else { return Kept::All };
    if !header_passes(row, watch, block.number(), block.header()) {
        return Kept::Some(Vec::new());
    }
    let Some(receipts) = block.receipts() else { return Kept::All };
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
    Kept::Some(passing.map(|(tx_index, _)| tx_index).collect())
}

/// What is kept of a block that is held already, perhaps without a part of its body or under
/// another list: nothing that is held is given up.
pub(crate) fn kept_beside(
    row: &ChainRow,
    watch: &Watch,
    block: &VerifiedBlock,
    held: Option<&BlockRow>,
) -> Kept {
    let now = kept(row, watch, block);
    let parts = held.filter(|held| held.hash == block.hash() && held.extent != Extent::default());
    parts.map_or(now.clone(), |held| now.union(&held.kept))
}

/// The list that such a chain can be collected under: no other ledger's events have addresses and topics.
#[must_use]
pub fn list_of(row: &ChainRow, watch: Watch) -> Watch {
    match watch {
        Watch::Some { .. } if !row.ledger.has_watchable_events() => Watch::nothing(),
        watch => watch,
    }
}

/// Whether a held block may have events of `more`, a list that it was not kept under.
pub(crate) fn lacks_events(
    row: &ChainRow,
    more: &Watch,
    number: BlockNumber,
    held: &BlockRow,
) -> bool {
    held.kept != Kept::All && header_passes(row, more, number, &held.header)
}

/// Whether a block's body was wanted when it was taken, and a part of it is not there: nobody had it,
/// or its row says that it cannot be recomputed.
pub(crate) fn lacks_body(row: &ChainRow, held: &BlockRow) -> bool {
    let Extent { transactions, receipts } = held.extent;
    row.ledger.body_may_come_later() && held.kept == Kept::All && !(transactions && receipts)
}

/// What of a body is not there.
pub(crate) const fn lacking(extent: Extent) -> &'static str {
    match (extent.transactions, extent.receipts) {
        (true, _) => "receipts",
        (false, true) => "transactions",
        (false, false) => "body",
    }
}

/// What can be said of a block that is held like this.
pub(crate) fn held(watch: &Watch, extent: Extent, kept: &Kept) -> Held {
    match (kept, extent) {
        (Kept::Some(_), _) if watch.is_nothing() => {
            Held::HeaderOnly { why: HeaderWhy::NothingWatched }
        }
        (Kept::Some(_), _) => Held::Watched { watch_hash: watch.hash() },
        (Kept::All, Extent { transactions: true, receipts: true }) => Held::Whole,
        (Kept::All, Extent { transactions: false, receipts: false }) => {
            Held::HeaderOnly { why: HeaderWhy::NoBody }
        }
        (Kept::All, extent) => Held::Partial { extent },
    }
}
