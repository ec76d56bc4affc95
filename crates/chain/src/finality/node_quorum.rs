//! Weakest evidence kind: agreement between operators on one hash, with no other check.

use std::collections::BTreeSet;

use superroot_types::UnixSeconds;

use super::{
    BlockLink, EvidenceRefusal, EvidenceVerdict, MissingEvidence, NodeQuorum, check_linked,
};

/// Checks that enough distinct operators agree on the last block, and that the line is linked.
pub(super) fn check(
    quorum: &NodeQuorum,
    line: impl DoubleEndedIterator<Item = BlockLink> + Clone,
    (needed, of): (u32, u32),
    now: UnixSeconds,
) -> Result<(), EvidenceVerdict> {
    let NodeQuorum { sources, number, hash, agreed_at, .. } = quorum;
    let operators: BTreeSet<&str> = sources.iter().map(|source| &*source.operator).collect();
    let got = operators.len();
    if u32::try_from(got).is_ok_and(|got| got < needed.max(1)) {
        return Err(MissingEvidence::TooFew { got, of, expected: needed.max(1) }.into());
    }
    if *agreed_at > now {
        return Err(MissingEvidence::Early { at: *agreed_at }.into());
    }
    if let Some(last) = line.clone().next_back()
        && (last.number, last.hash) != (*number, *hash)
    {
        return Err(EvidenceRefusal::OtherBlock {
            agreed: *number,
            got: last.hash,
            expected: *hash,
        }
        .into());
    }
    check_linked(line)
}
