//! Signed headers of a node as evidence.

use superroot_proof::finality::producers::{
    PRODUCERS_MAX, ProducedHeader, ProducerParams, QUORUM, canonical_signature, distinct_producers,
    signing_address, write_run,
};
use superroot_proof::finality::{ConsensusEvidence, FinalityKind, FinalityParams, FinalitySet};
use superroot_proof::hash::sha256_joined;
use superroot_proof::ledger::tron::Header;
use superroot_types::BlockNumber;

use super::raw::RawTronHeader;
use crate::block::SignedBlock;

/// Most headers read.
const HEADERS_MAX: usize = 256;

/// Evidence about the block or one before, by a round of headers, and the step to a set that begins in the run; `None` for
/// headers that show no block. Producers are not known here: readers check the keys.
pub(super) fn signed(
    params: &ProducerParams,
    own: &[u8],
    run: &[RawTronHeader],
) -> Option<SignedBlock> {
    if run.len() > HEADERS_MAX {
        return None;
    }
    let place = run.iter().position(|one| one.header == own)?;
    let run: Vec<ProducedHeader> = run.iter().map(produced).collect::<Option<_>>()?;
    let first = place.min(run.len().saturating_sub(PRODUCERS_MAX));
    let round: Vec<_> = run.iter().skip(first).take(PRODUCERS_MAX).cloned().collect();
    let header = &round.first()?.header;
    let number = Header::decode(header).ok()?.number;
    let evidence = ConsensusEvidence {
        kind: FinalityKind::Producers,
        number: BlockNumber(number),
        hash: Header::id(number, header),
        body: write_run(&round)?,
    };
    let params = FinalityParams::Producers(*params);
    let is_shown = distinct_producers(&round) >= QUORUM && evidence.signer(&params).is_some();
    let step = step(&params, &run);
    is_shown.then_some(SignedBlock {
        evidence,
        ends_set: step.as_ref().map(|(set, _)| *set),
        step: step.map(|(_, step)| step),
    })
}

/// Header with a signature by any key; `None` if no key signed.
fn produced(raw: &RawTronHeader) -> Option<ProducedHeader> {
    let signature = canonical_signature(&raw.signature)?;
    signing_address(&sha256_joined(&[&raw.header]), &signature)?;
    Some(ProducedHeader { header: raw.header.clone(), signature })
}

/// Ended set, and the step from that set: from the last block before a set, with a round behind the window.
fn step(params: &FinalityParams, run: &[ProducedHeader]) -> Option<(u64, Vec<u8>)> {
    let FinalityParams::Producers(of) = params else { return None };
    let set = |one: &ProducedHeader| {
        let time = Header::decode(&one.header).ok()?.timestamp_ms;
        of.set_of(time.checked_div(1_000)?)
    };
    let sets: Vec<u64> = run.iter().map(set).collect::<Option<_>>()?;
    let before = sets.iter().zip(sets.iter().skip(1)).rposition(|(one, next)| one < next)?;
    // the last block before, the first one, and the window
    let behind = before.checked_add(2)?.checked_add(of.window_blocks.into())?;
    let on_top = run.get(behind..)?;
    let on_top = on_top.get(..PRODUCERS_MAX).unwrap_or(on_top);
    let step = write_run(run.get(before..behind.checked_add(on_top.len())?)?)?;
    let named = FinalitySet::named_by(params, &step)?;
    let ended = named.number().checked_sub(1)?;
    (distinct_producers(on_top) >= QUORUM).then_some((ended, step))
}
