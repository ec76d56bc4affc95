//! The weakest kind: several operators of nodes named the same hash. Nothing is checked but that.

use std::collections::BTreeSet;

use superroot_types::UnixSeconds;

use super::{Lack, Link, NodeQuorum, Refusal, Verdict, check_linked};

/// Whether as many distinct operators as must agree name the line's last block, and the line leads
/// up to it.
pub(super) fn check(
    quorum: &NodeQuorum,
    line: impl DoubleEndedIterator<Item = Link> + Clone,
    (needed, of): (u32, u32),
    now: UnixSeconds,
) -> Result<(), Verdict> {
    let NodeQuorum { sources, number, hash, agreed_at, .. } = quorum;
    let operators: BTreeSet<&str> = sources.iter().map(|source| &*source.operator).collect();
    let got = operators.len();
    if u32::try_from(got).is_ok_and(|got| got < needed.max(1)) {
        return Err(Lack::TooFew { got, of, expected: needed.max(1) }.into());
    }
    if *agreed_at > now {
        return Err(Lack::Early { at: *agreed_at }.into());
    }
    if let Some(last) = line.clone().next_back()
        && (last.number, last.hash) != (*number, *hash)
    {
        return Err(Refusal::OtherBlock { agreed: *number, got: last.hash, expected: *hash }.into());
    }
    check_linked(line)
}
