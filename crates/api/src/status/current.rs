//! How a chain fares now: what its loop said, held against what the store keeps.

use std::collections::HashMap;

use superroot_accumulate::prove::Prover;
use superroot_chain::ChainRow;
use superroot_store::layout::{HaltRow, Tip};
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey, UnixSeconds};

use super::{ChainStage, ChainStatus, ChainView, Point};

/// How a chain fares as of `now`. One is not followed until somebody speaks of
/// it, withdrawn where its row says so, halted as long as the store does, and stalled once it took
/// nothing new for too long. No block is called final that its nodes took back. Reads the store.
#[must_use]
pub fn chain_view(
    prover: &Prover,
    status: &dyn ChainStatus,
    row: &ChainRow,
    now: UnixSeconds,
) -> ChainView {
    let mut view = staged(load_halt(prover, row.key()), status, row, now);
    fill(prover, row, &mut view);
    view
}

/// What the service does with each of those chains, in their order, after one read of the store.
pub(crate) fn stages(
    prover: &Prover,
    status: &dyn ChainStatus,
    rows: &[ChainRow],
    now: UnixSeconds,
) -> Vec<ChainStage> {
    let halts = read::load_halts(prover.store());
    let mut halts = halts.map(HashMap::<_, _>::from_iter);
    let mut halt_of = |chain| match &mut halts {
        Ok(halts) => halts.remove(&chain),
        // one cannot be read: the others still can
        Err(_) => load_halt(prover, chain),
    };
    rows.iter().map(|row| staged(halt_of(row.key()), status, row, now).state).collect()
}

/// The view without what the store alone tells of its blocks.
fn staged(
    halt: Option<HaltRow>,
    status: &dyn ChainStatus,
    row: &ChainRow,
    now: UnixSeconds,
) -> ChainView {
    let mut view = status.status(row.key());
    view.halt = halt.or(view.halt);
    if view.halt.is_some() {
        view.state = ChainStage::Halted;
    }
    if let Some(from) = row.withdrawn_from() {
        view.withdraw(from);
    }
    view.state = view.stage(now, row.block_time_ms);
    view
}

/// What is held of a chain whose loop has not told it yet; and no block is called final that its
/// nodes took back.
fn fill(prover: &Prover, row: &ChainRow, view: &mut ChainView) {
    let chain = row.key();
    let held = prover.chain_state(chain).ok().flatten();
    if let Some(held) = held {
        let point = |tip: Option<Tip>| held_point(prover, chain, tip?.number);
        view.head = view.head.or_else(|| point(held.head));
        view.finalized = view.finalized.or_else(|| point(held.indexed));
    }
    let Ok(contested) = read::load_contested(prover.store(), chain) else { return };
    if let Some(from) = [contested, row.withdrawn_from()].into_iter().flatten().min() {
        view.finalized = uncontested(prover, chain, from, view.finalized);
        view.safe = view.safe.filter(|safe| safe.number < from);
    }
}

/// The block, or, where it is taken back, the newest that is not.
pub(crate) fn uncontested(
    prover: &Prover,
    chain: ChainKey,
    from: BlockNumber,
    block: Option<Point>,
) -> Option<Point> {
    if block?.number < from {
        return block;
    }
    held_point(prover, chain, BlockNumber(from.0.checked_sub(1)?))
}

fn held_point(prover: &Prover, chain: ChainKey, number: BlockNumber) -> Option<Point> {
    let row = prover.block(chain, number).ok()?;
    Some(Point { number, hash: row.hash, timestamp: row.timestamp })
}

/// The halt that the store keeps. Where it cannot be read the chain's loop cannot either, and
/// says so.
fn load_halt(prover: &Prover, chain: ChainKey) -> Option<HaltRow> {
    read::load_halt(prover.store(), chain).unwrap_or_else(|error| {
        tracing::error!(chain.id = %chain, %error, "a halt could not be read");
        None
    })
}
