use superroot_accumulate::prove::Prover;
use superroot_wire::Anchor;

/// Newest SuperRoot as an event anchor; `None` before the first.
pub(crate) fn newest(prover: &Prover) -> Option<Anchor> {
    let published = prover.latest()?;
    Some(Anchor {
        sequence: published.super_root.sequence.0,
        super_root_hash: published.hash,
        timestamp: published.super_root.timestamp,
        chain: None,
    })
}
