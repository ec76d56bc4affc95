//! First header in a period, as a set.

use alloc::format;
use alloc::vec::Vec;

use superroot_types::{BlockNumber, Hash, SAFE_INTEGER_MAX, UnixSeconds};

use super::headers::{HeaderLine, WORK_HEADER_BYTES};
use super::params::WorkParams;
use super::target::{RETARGET_BLOCKS, target, work_log2};
use crate::codec::ByteReader;
use crate::finality::rules::{SetRules, SetSignature};
use crate::finality::verdict::Stop;
use crate::finality::{Refusal, Shortfall};
use crate::ledger::bitcoin::{HEADER_BYTES, Header};

/// First header of a period of [`RETARGET_BLOCKS`]: `number:u64 ‖ header:80`. Its id is its hash. A step is
/// `number:u64 ‖ header:48*`, from the header behind the set's to the first of the next period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkSet {
    number: u64,
    header: Header,
}

impl WorkSet {
    /// Set at a number, unbound by the header. With constant targets, a set may begin within a period.
    ///
    /// # Errors
    /// [`Refusal::Order`] for a number not divisible by [`RETARGET_BLOCKS`].
    pub fn new(params: &WorkParams, number: BlockNumber, header: Header) -> Result<Self, Refusal> {
        let begins = number.0.is_multiple_of(RETARGET_BLOCKS) || !params.retargets;
        if !begins || number.0 > SAFE_INTEGER_MAX {
            return Err(Refusal::Order { what: "the number is not a multiple of 2,016" });
        }
        Ok(Self { number: number.0, header })
    }

    /// The header's number.
    #[must_use]
    pub const fn block(&self) -> BlockNumber {
        BlockNumber(self.number)
    }

    fn period(&self) -> u64 {
        period_of(self.number)
    }

    fn line<'a>(&self, params: &'a WorkParams) -> HeaderLine<'a> {
        HeaderLine::new(params, self.number, self.header)
    }
}

/// Blocks up to the first of the next period.
fn to_next(number: u64) -> u64 {
    RETARGET_BLOCKS.saturating_sub(number.checked_rem(RETARGET_BLOCKS).unwrap_or(0))
}

fn period_of(number: u64) -> u64 {
    number.checked_div(RETARGET_BLOCKS).unwrap_or(0)
}

impl SetRules for WorkSet {
    type Params = WorkParams;

    fn decode(params: &WorkParams, bytes: &[u8]) -> Result<Self, Refusal> {
        let unread = Refusal::Encoding { part: "set" };
        let mut reader = ByteReader::new(bytes);
        let number = reader.u64().ok_or(unread)?;
        let header = reader.bytes(HEADER_BYTES).filter(|_| reader.is_empty()).ok_or(unread)?;
        Self::new(params, BlockNumber(number), Header::decode(header).map_err(|_| unread)?)
    }

    fn encode(&self) -> Vec<u8> {
        [&self.number.to_be_bytes()[..], &self.header.encode()].concat()
    }

    fn id(&self) -> Hash {
        self.header.hash()
    }

    fn trusted_until(&self, _: &WorkParams) -> Option<UnixSeconds> {
        None
    }

    /// Headers from the one behind the set's to the last that confirms the block.
    fn check(
        &self,
        params: &WorkParams,
        (number, hash): (BlockNumber, Hash),
        body: &[u8],
        now: UnixSeconds,
    ) -> Result<SetSignature, Stop> {
        let (needed, held) = (period_of(number.0), self.period());
        if needed != held {
            return Err(Shortfall::Set { needed, held }.into());
        }
        let unread = Refusal::Encoding { part: "headers" };
        let headers = body.chunks(WORK_HEADER_BYTES);
        let count = u64::try_from(headers.len()).unwrap_or(u64::MAX);
        let last = self.number.checked_add(count).ok_or(unread)?;
        let got = last.saturating_sub(number.0);
        let expected = params.confirmations;
        if number.0 > last || got < expected {
            return Err(Shortfall::Confirmations { got, expected }.into());
        }
        if got > expected {
            return Err(Refusal::Encoding { part: "headers behind the last confirmation" }.into());
        }
        let mut line = self.line(params);
        let mut found = (number.0 == self.number).then(|| line.hash());
        for header in headers {
            line.take(header, now)?;
            if line.number() == number.0 {
                found = Some(line.hash());
            }
        }
        let got = found.ok_or(unread)?;
        if got != hash {
            return Err(Refusal::Block { got, expected: hash }.into());
        }
        let work = target(line.last().bits).map_or(0, work_log2);
        let at = Some(UnixSeconds(line.last().time.into()));
        Ok(SetSignature { at, by: format!("{expected} blocks of 2^{work} hashes each") })
    }

    /// All headers up to the first of the next period.
    fn advance(&self, params: &WorkParams, step: &[u8], now: UnixSeconds) -> Result<Self, Stop> {
        let (numbered, headers) =
            step.split_at_checked(8).ok_or(Refusal::Encoding { part: "step" })?;
        let from = numbered.try_into().map(u64::from_be_bytes);
        let from = from.map_err(|_| Refusal::Encoding { part: "step" })?;
        if from != self.number {
            return Err(Shortfall::Set { needed: period_of(from), held: self.period() }.into());
        }
        let count = u64::try_from(headers.len() / WORK_HEADER_BYTES).ok();
        if count != Some(to_next(from)) || !headers.len().is_multiple_of(WORK_HEADER_BYTES) {
            return Err(Refusal::Encoding { part: "step" }.into());
        }
        let mut line = self.line(params);
        for header in headers.chunks(WORK_HEADER_BYTES) {
            line.take(header, now)?;
        }
        Ok(Self { number: line.number(), header: *line.last() })
    }

    /// Headers of a step name their parents' hashes only together with the set before: there is nothing to read.
    fn named_by(_: &WorkParams, _: &[u8]) -> Option<Self> {
        None
    }

    fn number(&self) -> u64 {
        self.period()
    }

    fn signer_of(_: &WorkParams, number: BlockNumber, _: &[u8]) -> Option<u64> {
        Some(period_of(number.0))
    }
}
