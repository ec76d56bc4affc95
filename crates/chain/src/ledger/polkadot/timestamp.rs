use superroot_proof::ledger::polkadot::extrinsic;
use superroot_types::{SAFE_INTEGER_MAX, UnixSeconds};

use super::params::PolkadotParams;

/// First byte of an unsigned extrinsic, by format version.
const UNSIGNED: [u8; 2] = [4, 5];
/// Call index of `set` in the pallet.
const SET: u8 = 0;

/// Time from an extrinsic: unsigned, with only the call `set` of the row's pallet and milliseconds. `None` if missing.
pub(super) fn time_of(leaves: &[Vec<u8>], params: &PolkadotParams) -> Option<UnixSeconds> {
    leaves.iter().find_map(|leaf| {
        let [version, pallet, call, moment @ ..] = extrinsic(leaf)? else { return None };
        let is_set = *pallet == params.timestamp_pallet && *call == SET;
        let milliseconds = milliseconds(moment).filter(|_| is_set && UNSIGNED.contains(version))?;
        milliseconds.checked_div(1_000).map(UnixSeconds)
    })
}

/// Compact time. Every time since 1970 exceeds 2^30 ms, so the form is a length and the bytes.
fn milliseconds(moment: &[u8]) -> Option<u64> {
    let (first, bytes) = moment.split_first()?;
    let length = usize::from(first >> 2).saturating_add(4);
    if first & 3 != 3 || bytes.len() != length || length > 8 {
        return None;
    }
    let value = bytes.iter().rev().fold(0_u64, |value, byte| value << 8 | u64::from(*byte));
    (value <= SAFE_INTEGER_MAX).then_some(value)
}
