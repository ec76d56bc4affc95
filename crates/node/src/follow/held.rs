//! Stored state of a chain, for the status.

use superroot_api::{LEFT_OUT_MAX, LeftOut, Point, WatchView};
use superroot_source::ClaimedBlock;
use superroot_store::layout::WatchFilter;
use superroot_store::{Store, layout, read};
use superroot_types::ChainKey;

pub(super) fn view_of(watch: &WatchFilter) -> WatchView {
    match watch {
        WatchFilter::All => WatchView::All,
        WatchFilter::Some { addresses, topics } => WatchView::Some {
            address_count: addresses.len() as u64,
            topic_count: topics.len() as u64,
        },
    }
}

/// Most notes of refused blocks searched for omitted ones.
const NOTES_MAX: usize = 512;

pub(super) fn held_before(
    store: &dyn Store,
    chain: ChainKey,
) -> anyhow::Result<[Option<Point>; 2]> {
    let Some(state) = read::load_chain_state(store, chain)? else { return Ok([None; 2]) };
    let point = |tip: Option<layout::BlockTip>| {
        let layout::BlockTip { number, hash } = tip?;
        let row = held_row(store, chain, ClaimedBlock { number, hash })?;
        Some(Point { number, hash, timestamp: row.timestamp })
    };
    Ok([point(state.head), point(state.indexed)])
}

/// Newest blocks omitted before this start, oldest first, without later accepted ones.
pub(super) fn left_out_before(store: &dyn Store, chain: ChainKey) -> anyhow::Result<Vec<LeftOut>> {
    let mut left_out = Vec::new();
    // among them are notes of blocks that are stored, of whose body a part was refused
    for (number, row) in read::load_newest_refused(store, chain, NOTES_MAX)? {
        if left_out.len() < LEFT_OUT_MAX && read::load_block(store, chain, number)?.is_none() {
            left_out.push(LeftOut { number, reason: row.reason });
        }
    }
    left_out.reverse();
    Ok(left_out)
}

pub(super) fn held_row(
    store: &dyn Store,
    chain: ChainKey,
    id: ClaimedBlock,
) -> Option<layout::BlockRow> {
    let row = read::load_block(store, chain, id.number).ok().flatten();
    row.filter(|row| row.hash == id.hash)
}
