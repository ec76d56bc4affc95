//! What the store holds of a chain, as its status shows it.

use superroot_api::{LEFT_OUT_MAX, LeftOut, Point, WatchView};
use superroot_source::BlockId;
use superroot_store::layout::Watch;
use superroot_store::{Store, layout, read};
use superroot_types::ChainKey;

/// What is kept of its blocks, for people.
pub(super) fn view_of(watch: &Watch) -> WatchView {
    match watch {
        Watch::All => WatchView::All,
        Watch::Some { addresses, topics } => WatchView::Some {
            address_count: addresses.len() as u64,
            topic_count: topics.len() as u64,
        },
    }
}

/// Notes of refused blocks that are looked through for those left out.
const NOTES_MAX: usize = 512;

/// Head and newest final block as they were held before this start.
pub(super) fn held_before(
    store: &dyn Store,
    chain: ChainKey,
) -> anyhow::Result<[Option<Point>; 2]> {
    let Some(state) = read::load_chain_state(store, chain)? else { return Ok([None; 2]) };
    let point = |tip: Option<layout::Tip>| {
        let layout::Tip { number, hash } = tip?;
        let row = held_row(store, chain, BlockId { number, hash })?;
        Some(Point { number, hash, timestamp: row.timestamp })
    };
    Ok([point(state.head), point(state.indexed)])
}

/// The newest blocks that were left out before this start, oldest first. One that has been taken
/// since is not among them.
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

/// A block that is held under that number and hash.
pub(super) fn held_row(
    store: &dyn Store,
    chain: ChainKey,
    id: BlockId,
) -> Option<layout::BlockRow> {
    let row = read::load_block(store, chain, id.number).ok().flatten();
    row.filter(|row| row.hash == id.hash)
}
