//! The time that a block's extrinsic sets.

use superroot_proof::ledger::polkadot::extrinsic;
use superroot_types::{SAFE_INTEGER_MAX, UnixSeconds};

use super::params::Params;

/// First bytes of an unsigned extrinsic, by version of the format.
const UNSIGNED: [u8; 2] = [4, 5];
/// Place of `set` among the calls of the pallet.
const SET: u8 = 0;

/// The time that one of the extrinsics sets: an unsigned one with the call `set` of the row's pallet and
/// nothing else than milliseconds. `None` where there is none.
pub(super) fn time_of(leaves: &[Vec<u8>], params: &Params) -> Option<UnixSeconds> {
    leaves.iter().find_map(|leaf| {
        let [version, pallet, call, moment @ ..] = extrinsic(leaf)? else { return None };
        let is_set = *pallet == params.timestamp_pallet && *call == SET;
        let milliseconds = milliseconds(moment).filter(|_| is_set && UNSIGNED.contains(version))?;
        milliseconds.checked_div(1_000).map(UnixSeconds)
    })
}

/// A time in compact form. Since 1970 every one is past 2^30 ms, so that it has the form of a length
/// and that many bytes.
fn milliseconds(moment: &[u8]) -> Option<u64> {
    let (first, bytes) = moment.split_first()?;
    let length = usize::from(first >> 2).saturating_add(4);
    if first & 3 != 3 || bytes.len() != length || length > 8 {
        return None;
    }
    let value = bytes.iter().rev().fold(0_u64, |value, byte| value << 8 | u64::from(*byte));
    (value <= SAFE_INTEGER_MAX).then_some(value)
}
