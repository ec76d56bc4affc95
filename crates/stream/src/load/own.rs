//! Own event of a row, apart from the events of its blocks.

use serde::Serialize;
use superroot_accumulate::prove::{ProveError, Prover};
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey, Hash, Sequence, SuperRootRef};
use superroot_wire::chain::Retraction;
use superroot_wire::stream::{
    BlocksAnchored, BlocksReached, BlocksRetracted, BlocksUndone, StreamGap, SuperRootPublished,
};
use superroot_wire::{Case, Hex, case, paths};

use crate::StreamError;
use crate::row::{BlockRun, LogRowKind};
use crate::subscription::{DeliveryFinality, EventKind, Topic};

/// Content of a row's own event.
pub(super) struct OwnEvent {
    /// Chain; `None` for an event about all chains.
    pub(super) chain: Option<ChainKey>,
    pub(super) kind: EventKind,
    pub(super) data: serde_json::Value,
    pub(super) blocks: Option<(BlockNumber, BlockNumber)>,
}

impl OwnEvent {
    fn of_run(run: &BlockRun, kind: EventKind, data: &impl Serialize) -> Self {
        let data = write_value(data);
        Self { chain: Some(run.chain), kind, data, blocks: Some((run.from, run.to)) }
    }
}

/// Renders a row's own event; `None` for a row with block events alone.
pub(super) fn render_own(
    prover: &Prover,
    what: &LogRowKind,
) -> Result<Option<OwnEvent>, StreamError> {
    Ok(Some(match what {
        LogRowKind::Taken { run, hashes, .. } => {
            let hash = hashes.last().copied().unwrap_or_default();
            render_reached(run, hash, DeliveryFinality::Head)
        }
        LogRowKind::Undone { run, hashes } => render_undone(run, hashes),
        LogRowKind::Final { run, .. } => {
            let block = read::load_block(prover.store(), run.chain, run.to)?;
            let hash = block.map(|block| block.hash).unwrap_or_default();
            render_reached(run, hash, DeliveryFinality::Finalized)
        }
        LogRowKind::Body { .. } => return Ok(None),
        LogRowKind::Retracted { run } => render_retracted(prover, run)?,
        LogRowKind::Anchored { run, sequence, .. } => render_anchored(run, *sequence),
        LogRowKind::Published { sequence, hash } => render_published(prover, *sequence, *hash)?,
        LogRowKind::ChangesMissed { chain } => render_changes_missed(*chain),
    }))
}

fn render_reached(run: &BlockRun, block_hash: Hash, finality: DeliveryFinality) -> OwnEvent {
    let data = BlocksReached {
        chain_id: run.chain.id,
        from_block: run.from,
        to_block: run.to,
        block_hash,
        finality: finality.name(),
        proof_url: paths::block_proof(run.chain.id, run.to),
    };
    OwnEvent::of_run(run, EventKind::Reached(finality), &data)
}

fn render_undone(run: &BlockRun, hashes: &[Hash]) -> OwnEvent {
    let data = BlocksUndone {
        chain_id: run.chain.id,
        from_block: run.from,
        to_block: run.to,
        block_hashes: hashes.to_vec(),
    };
    OwnEvent::of_run(run, EventKind::Undone, &data)
}

fn render_anchored(run: &BlockRun, sequence: u64) -> OwnEvent {
    let data = BlocksAnchored {
        chain_id: run.chain.id,
        from_block: run.from,
        to_block: run.to,
        sequence,
        transaction_hash: None,
        proof_url: paths::block_proof(run.chain.id, run.to),
    };
    OwnEvent::of_run(run, EventKind::Of(Topic::Anchored), &data)
}

fn render_retracted(prover: &Prover, run: &BlockRun) -> Result<OwnEvent, StreamError> {
    let known = read::load_retractions(prover.store(), run.chain)?;
    let is_met = |number: &BlockNumber| run.from <= *number && *number <= run.to;
    let known = known.into_iter().filter(|(number, _)| is_met(number));
    let retractions = known.map(|(number, row)| Retraction {
        chain_id: run.chain.id,
        number,
        held_hash: row.held_hash,
        other_hash: row.other_hash,
        sources: row.evidence.sources(),
        source_count: Some(row.evidence.of()),
        rule: Some(row.evidence.rule().to_owned()),
        noticed_at: row.noticed_at,
        other_header: row.other_header.map(Hex),
    });
    let data = BlocksRetracted {
        chain_id: run.chain.id,
        from_block: run.from,
        to_block: run.to,
        retractions: retractions.collect(),
        proof_url: paths::finality_proof(run.chain.id, run.from),
    };
    Ok(OwnEvent::of_run(run, EventKind::Of(Topic::Retraction), &data))
}

fn render_published(prover: &Prover, sequence: u64, hash: Hash) -> Result<OwnEvent, StreamError> {
    let published = prover.published(SuperRootRef::Sequence(Sequence(sequence)));
    let why = |error: ProveError| error.to_string();
    let published =
        published.map_err(|error| StreamError::SuperRoot { sequence, why: why(error) })?;
    let data = SuperRootPublished {
        sequence,
        super_root_hash: hash,
        timestamp: published.super_root.timestamp,
        proof_url: paths::superroot(sequence),
    };
    let kind = EventKind::Of(Topic::SuperRoot);
    Ok(OwnEvent { chain: None, kind, data: write_value(&data), blocks: None })
}

fn render_changes_missed(chain: ChainKey) -> OwnEvent {
    let data = StreamGap {
        chain_id: chain.id,
        from_block: None,
        to_block: None,
        why: "the service was behind for so long that changes of this chain were \
              dropped; ask /v5/logs and /finality for what you hold",
    };
    let kind = EventKind::Gap { is_of_logs: false };
    OwnEvent { chain: Some(chain), kind, data: write_value(&data), blocks: None }
}

fn write_value(data: &impl Serialize) -> serde_json::Value {
    case::write(data, Case::Camel)
}
