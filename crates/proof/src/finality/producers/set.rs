//! Producers with keys, as a set.

use alloc::format;
use alloc::vec::Vec;

use superroot_types::{Address, BlockNumber, Hash, UnixSeconds};

use super::members::{ProducerList, QUORUM};
use super::params::ProducerParams;
use super::run::{EVIDENCE_BLOCKS_MAX, RunBlock, STEP_BLOCKS_MAX, read_run};
use crate::codec::ByteReader;
use crate::finality::rules::{SetRules, SetSignature};
use crate::finality::verdict::Stop;
use crate::finality::{Refusal, Shortfall};
use crate::hash::sha256_joined;

/// Producers and their keys: `number:u64 ‖ count:u8 ‖ (producer:20 ‖ key:20)*`; the id is the SHA-256 of these bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProducerSet {
    number: u64,
    members: ProducerList,
}

/// Bytes of a set. Addresses are without their first byte 0x41, producers in rising order.
#[must_use]
pub fn write_producer_set(number: u64, producers: &[(Address, Address)]) -> Vec<u8> {
    let mut out = number.to_be_bytes().to_vec();
    out.push(u8::try_from(producers.len()).unwrap_or(u8::MAX));
    for (producer, key) in producers {
        out.extend_from_slice(&producer.0);
        out.extend_from_slice(&key.0);
    }
    out
}

/// Parts of a step: the first block of a set, blocks with the set's producers, blocks by the old set on top.
struct ReadStep {
    number: u64,
    blocks: Vec<RunBlock>,
    window_end: usize,
}

/// A step's blocks before the window: the last in a set's time and the first in the next.
const BEFORE_WINDOW: usize = 2;

impl ReadStep {
    fn read(params: &ProducerParams, step: &[u8]) -> Result<Self, Refusal> {
        let unread = Refusal::Encoding { part: "step" };
        let blocks = read_run(step, STEP_BLOCKS_MAX)?;
        let [before, first, ..] = blocks.as_slice() else { return Err(unread) };
        let number = params.set_of(first.seconds()).ok_or(unread)?;
        if params.set_of(before.seconds()) >= Some(number) {
            return Err(Refusal::Order { what: "the second header does not begin a set" });
        }
        let window_end = BEFORE_WINDOW.saturating_add(params.window_blocks.into());
        Ok(Self { number, blocks, window_end })
    }

    fn window(&self) -> &[RunBlock] {
        self.blocks.get(BEFORE_WINDOW..self.window_end).unwrap_or_default()
    }

    fn on_top(&self) -> &[RunBlock] {
        self.blocks.get(self.window_end..).unwrap_or_default()
    }
}

impl ProducerSet {
    fn as_of(&self, params: &ProducerParams) -> UnixSeconds {
        UnixSeconds(self.number.saturating_mul(params.set_seconds))
    }

    fn end(&self, params: &ProducerParams) -> UnixSeconds {
        UnixSeconds(self.as_of(params).0.saturating_add(params.trusted_seconds))
    }

    /// Checks the time of the last header against the clock. Returns that time.
    fn check_time(
        &self,
        params: &ProducerParams,
        blocks: &[RunBlock],
        now: UnixSeconds,
    ) -> Result<UnixSeconds, Stop> {
        let at = UnixSeconds(blocks.last().map_or(0, RunBlock::seconds));
        if at > now {
            return Err(Shortfall::Early { at }.into());
        }
        if now > self.end(params) {
            let (of, seconds) = (self.as_of(params), params.trusted_seconds);
            return Err(Shortfall::Expired { of, seconds }.into());
        }
        Ok(at)
    }
}

impl SetRules for ProducerSet {
    type Params = ProducerParams;

    fn decode(_: &ProducerParams, bytes: &[u8]) -> Result<Self, Refusal> {
        let unread = Refusal::Encoding { part: "set" };
        let mut reader = ByteReader::new(bytes);
        let number = reader.u64().ok_or(unread)?;
        let members = ProducerList::read(&mut reader)?;
        reader.is_empty().then_some(Self { number, members }).ok_or(unread)
    }

    fn encode(&self) -> Vec<u8> {
        let mut out = self.number.to_be_bytes().to_vec();
        self.members.put(&mut out);
        out
    }

    fn id(&self) -> Hash {
        sha256_joined(&[&self.encode()])
    }

    fn begins(&self, params: &ProducerParams) -> Option<UnixSeconds> {
        Some(self.as_of(params))
    }

    fn trusted_until(&self, params: &ProducerParams) -> Option<UnixSeconds> {
        Some(self.end(params))
    }

    /// Headers from the block's on, of the set's time or later.
    fn check(
        &self,
        params: &ProducerParams,
        (number, hash): (BlockNumber, Hash),
        body: &[u8],
        now: UnixSeconds,
    ) -> Result<SetSignature, Stop> {
        let blocks = read_run(body, EVIDENCE_BLOCKS_MAX)?;
        let first = blocks.first().ok_or(Refusal::Encoding { part: "headers" })?;
        if first.id != hash {
            return Err(Refusal::Block { got: first.id, expected: hash }.into());
        }
        let got = BlockNumber(first.header.number);
        if got != number {
            return Err(Refusal::Number { got, expected: number }.into());
        }
        let needed = params.set_of(first.seconds()).unwrap_or(0);
        if needed < self.number {
            return Err(Shortfall::Set { needed, held: self.number }.into());
        }
        let at = self.check_time(params, &blocks, now)?;
        self.members.check_quorum(&blocks)?;
        let by = format!("{QUORUM} of {} producers of day {}", self.members.len(), self.number);
        Ok(SetSignature { at: Some(at), by })
    }

    /// Producers behind the next set's first block, under blocks by this set.
    fn advance(
        &self,
        params: &ProducerParams,
        step: &[u8],
        now: UnixSeconds,
    ) -> Result<Self, Stop> {
        let read = ReadStep::read(params, step)?;
        if self.number.checked_add(1) != Some(read.number) {
            let needed = read.number.saturating_sub(1);
            return Err(Shortfall::Set { needed, held: self.number }.into());
        }
        self.check_time(params, &read.blocks, now)?;
        self.members.check_quorum(read.on_top())?;
        let members = self.members.followed_by(read.window())?;
        Ok(Self { number: read.number, members })
    }

    /// Producers with all keys, also new keys, which clients take from no step.
    fn named_by(params: &ProducerParams, step: &[u8]) -> Option<Self> {
        let read = ReadStep::read(params, step).ok()?;
        let members = ProducerList::of_window(read.window(), |_, _| true).ok()?;
        Some(Self { number: read.number, members })
    }

    fn number(&self) -> u64 {
        self.number
    }

    fn signer_of(params: &ProducerParams, _: BlockNumber, body: &[u8]) -> Option<u64> {
        let blocks = read_run(body, EVIDENCE_BLOCKS_MAX).ok()?;
        params.set_of(blocks.first()?.seconds())
    }
}
