//! Headers without their parents: `version:4 ‖ merkle_root:32 ‖ time:4 ‖ bits:4 ‖ nonce:4`, integers little-endian.

use alloc::vec::Vec;

use superroot_types::{Hash, UnixSeconds};

use super::params::WorkParams;
use super::target::{RETARGET_BLOCKS, is_met, retargeted, target};
use crate::finality::verdict::Stop;
use crate::finality::{Refusal, Shortfall};
use crate::ledger::bitcoin::Header;

/// Bytes of a header without its parent.
pub const WORK_HEADER_BYTES: usize = 48;
/// Blocks before a block whose median time is a lower bound for its own.
const MEDIAN_BLOCKS: usize = 11;
/// Largest allowed difference to the client's clock.
const EARLY_SECONDS: u64 = 2 * 60 * 60;
/// Place of the parent's hash in a header of 80 bytes.
const PARENT: core::ops::Range<usize> = 4..36;

/// Evidence or step from headers in a row, as their 80 bytes; others are left out.
#[must_use]
pub fn write_headers<'a>(headers: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut out = Vec::new();
    for header in headers {
        let before = header.get(..PARENT.start);
        let after = header.get(PARENT.end..).filter(|_| header.len() == 80);
        for part in before.zip(after).into_iter().flat_map(|(before, after)| [before, after]) {
            out.extend_from_slice(part);
        }
    }
    out
}

/// Headers in a row, each checked: work, target, time.
pub(super) struct HeaderLine<'a> {
    params: &'a WorkParams,
    /// First header of the period of the last one.
    first: Header,
    number: u64,
    last: Header,
    hash: Hash,
    /// Times of the last blocks, at most eleven.
    times: Vec<u32>,
}

impl<'a> HeaderLine<'a> {
    /// Begins with the first header of a period.
    pub(super) fn new(params: &'a WorkParams, number: u64, first: Header) -> Self {
        let hash = first.hash();
        Self { params, first, number, last: first, hash, times: Vec::from([first.time]) }
    }

    pub(super) const fn number(&self) -> u64 {
        self.number
    }

    pub(super) const fn hash(&self) -> Hash {
        self.hash
    }

    pub(super) const fn last(&self) -> &Header {
        &self.last
    }

    /// Takes the next header.
    pub(super) fn take(&mut self, bytes: &[u8], now: UnixSeconds) -> Result<(), Stop> {
        let number = self.number.checked_add(1).ok_or(Refusal::Encoding { part: "number" })?;
        let wrong = |what| Stop::from(Refusal::Header { number, what });
        let header = self.header(bytes).ok_or(Refusal::Encoding { part: "headers" })?;
        let begins = number.is_multiple_of(RETARGET_BLOCKS);
        let due = match begins && self.params.retargets {
            true => {
                let taken = u64::from(self.last.time).saturating_sub(self.first.time.into());
                retargeted(self.last.bits, taken, self.params.target_limit_bits)
            }
            false => Some(self.last.bits),
        };
        if due != Some(header.bits) {
            return Err(wrong("its target is not the one that is due"));
        }
        if let Some(median) = self.median()
            && header.time <= median
        {
            return Err(wrong("its time is not later than the median of the eleven before"));
        }
        let at = UnixSeconds(header.time.into());
        if at.0 > now.0.saturating_add(EARLY_SECONDS) {
            return Err(Shortfall::Early { at }.into());
        }
        let hash = header.hash();
        let met = target(header.bits).filter(|target| is_met(&hash, *target));
        let Some(met) = met else {
            return Err(wrong("its hash is above its target"));
        };
        if target(self.params.floor_bits).is_none_or(|floor| met > floor) {
            return Err(Shortfall::Work { number }.into());
        }
        if self.times.len() == MEDIAN_BLOCKS {
            self.times.remove(0);
        }
        self.times.push(header.time);
        if begins {
            self.first = header;
        }
        self.number = number;
        self.last = header;
        self.hash = hash;
        Ok(())
    }

    fn header(&self, bytes: &[u8]) -> Option<Header> {
        let (before, after) = bytes.split_at_checked(PARENT.start)?;
        Header::decode(&[before, &self.hash.0, after].concat()).ok()
    }

    /// Median time of the eleven last blocks; `None` where fewer are known.
    fn median(&self) -> Option<u32> {
        let mut times = self.times.clone();
        times.sort_unstable();
        times.get(times.len() / 2).copied().filter(|_| times.len() == MEDIAN_BLOCKS)
    }
}
