//! Current chain state: the loop's report combined with stored data.

use std::collections::HashMap;

use superroot_accumulate::prove::Prover;
use superroot_chain::ChainSpec;
use superroot_store::layout::{BlockTip, HaltRow};
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey, UnixSeconds};

use super::{ChainStage, ChainView, Point, StatusReader};

/// Chain state at `now`. A chain is not followed until a report arrives, withdrawn if its row says so, halted as long
/// as the store says so, and stalled after too long without a new block. No reorganised block is reported as final.
/// Reads the store.
#[must_use]
pub fn chain_view(
    prover: &Prover,
    status: &dyn StatusReader,
    row: &ChainSpec,
    now: UnixSeconds,
) -> ChainView {
    let mut view = staged(load_halt(prover, row.key()), status, row, now);
    fill(prover, row, &mut view);
    view
}

/// Stages for these chains, in order, from a single store read.
pub(crate) fn stages(
    prover: &Prover,
    status: &dyn StatusReader,
    rows: &[ChainSpec],
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

/// View without the block data from the store.
fn staged(
    halt: Option<HaltRow>,
    status: &dyn StatusReader,
    row: &ChainSpec,
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

/// Adds stored blocks if the chain's loop has not reported them yet; never reports a reorganised block as final.
fn fill(prover: &Prover, row: &ChainSpec, view: &mut ChainView) {
    let chain = row.key();
    let held = prover.chain_state(chain).ok().flatten();
    if let Some(held) = held {
        let point = |tip: Option<BlockTip>| held_point(prover, chain, tip?.number);
        view.head = view.head.or_else(|| point(held.head));
        view.finalized = view.finalized.or_else(|| point(held.indexed));
    }
    let Ok(contested) = read::load_contested(prover.store(), chain) else { return };
    if let Some(from) = [contested, row.withdrawn_from()].into_iter().flatten().min() {
        view.finalized = uncontested(prover, chain, from, view.finalized);
        view.safe = view.safe.filter(|safe| safe.number < from);
    }
}

/// Returns the block, or the newest uncontested one if nodes dropped it.
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

/// Stored halt. If the store is unreadable, the chain's loop reports this.
fn load_halt(prover: &Prover, chain: ChainKey) -> Option<HaltRow> {
    read::load_halt(prover.store(), chain).unwrap_or_else(|error| {
        tracing::error!(chain.id = %chain, %error, "a halt could not be read");
        None
    })
}
