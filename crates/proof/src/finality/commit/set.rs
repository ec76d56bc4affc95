//! Header with validators, as a set.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use superroot_types::{BlockNumber, Hash, UnixSeconds};

use super::body::{CheckedVotes, check_validators, read_header};
use super::params::CommitParams;
use super::validators::{ValidatorList, put_validators};
use crate::codec::{ByteReader, put_long};
use crate::finality::rules::{SetRules, SetSignature};
use crate::finality::verdict::Stop;
use crate::finality::{Refusal, Shortfall};
use crate::ledger::cosmos::{CosmosValidator, Header, VALIDATOR_KEY_BYTES, ValidatorKey};

/// Most seconds of a header's time past the client's clock.
const DRIFT_SECONDS: u64 = 10;

/// Header and its validators: `length:u32 ‖ header ‖ validators`; the id is the block hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitSet<K = [u8; VALIDATOR_KEY_BYTES]> {
    header: Box<Header>,
    hash: Hash,
    number: u64,
    validators: ValidatorList<K>,
}

/// Bytes of a set.
#[must_use]
pub fn write_commit_set<K: ValidatorKey>(
    header: &[u8],
    validators: &[CosmosValidator<K>],
) -> Vec<u8> {
    let mut out = Vec::new();
    put_long(&mut out, header);
    put_validators(&mut out, validators);
    out
}

impl<K: ValidatorKey> CommitSet<K> {
    fn new(
        params: &CommitParams,
        header: Header,
        validators: ValidatorList<K>,
    ) -> Result<Self, Refusal> {
        check_chain(params, &header)?;
        let is_first = header.height.is_multiple_of(params.set_blocks);
        let number = params.set_of(header.height).filter(|_| is_first);
        let what = "the header's height is not that of a set";
        let number = number.ok_or(Refusal::Order { what })?;
        Ok(Self { hash: header.hash(), header: Box::new(header), number, validators })
    }

    /// Height of the header.
    #[must_use]
    pub const fn height(&self) -> BlockNumber {
        BlockNumber(self.header.height)
    }

    const fn as_of(&self) -> UnixSeconds {
        UnixSeconds(self.header.seconds)
    }

    /// Whether the header is of the next height, whose validators the own header names.
    fn is_next(&self, header: &Header) -> bool {
        self.header.height.checked_add(1) == Some(header.height)
    }

    /// Checks a commit of this height or a later one.
    pub(in crate::finality) fn checked(
        &self,
        params: &CommitParams,
        body: &CheckedVotes<K>,
        now: UnixSeconds,
    ) -> Result<SetSignature, Stop> {
        check_chain(params, &body.header)?;
        self.check_height(params, body)?;
        self.check_time(params, &body.header, now)?;
        let own: u64 = body.signers().map(|one| one.power).fold(0, u64::saturating_add);
        let (of, expected) = (body.validators.total(), body.validators.quorum());
        if own < expected {
            return Err(Shortfall::Signers { got: own, of, expected }.into());
        }
        let trusted = body.signers().map(|one| self.validators.power_of(&one.key));
        let got = trusted.fold(0, u64::saturating_add);
        let (of, expected) = (self.validators.total(), self.validators.overlap());
        if got < expected && !self.is_next(&body.header) {
            return Err(Shortfall::Signers { got, of, expected }.into());
        }
        body.signatures.iter().try_for_each(|one| body.check_signature(&params.chain_id, one))?;
        let (of, height) = (body.validators.total(), body.header.height);
        let by = format!("{own} of {of} of the voting power at height {height}");
        Ok(SetSignature { at: Some(UnixSeconds(body.header.seconds)), by })
    }

    fn check_height(&self, params: &CommitParams, body: &CheckedVotes<K>) -> Result<(), Stop> {
        let CheckedVotes { header, id, .. } = body;
        let height = self.header.height;
        if header.height < height {
            let needed = params.set_of(header.height).unwrap_or(0);
            return Err(Shortfall::Set { needed, held: self.number }.into());
        }
        if header.height == height && id.hash != self.hash {
            return Err(Refusal::Block { got: id.hash, expected: self.hash }.into());
        }
        if self.is_next(header) && header.validators_hash != self.header.next_validators_hash {
            return Err(Refusal::Branch { part: "validators of the next height" }.into());
        }
        Ok(())
    }

    fn check_time(
        &self,
        params: &CommitParams,
        header: &Header,
        now: UnixSeconds,
    ) -> Result<(), Stop> {
        let seconds = params.trusted_seconds;
        if self.trusted_until(params).is_none_or(|until| now > until) {
            return Err(Shortfall::Expired { of: self.as_of(), seconds }.into());
        }
        if header.seconds >= now.0.saturating_add(DRIFT_SECONDS) {
            return Err(Shortfall::Early { at: UnixSeconds(header.seconds) }.into());
        }
        let own = (self.header.seconds, self.header.nanos);
        if header.height > self.header.height && (header.seconds, header.nanos) <= own {
            return Err(Refusal::Order { what: "the header's time does not rise" }.into());
        }
        Ok(())
    }
}

fn check_chain(params: &CommitParams, header: &Header) -> Result<(), Refusal> {
    let what = "the chain id is another";
    let is_own = header.chain_id == params.chain_id;
    is_own.then_some(()).ok_or(Refusal::Header { number: header.height, what })
}

impl<K: ValidatorKey> SetRules for CommitSet<K> {
    type Params = CommitParams;

    fn decode(params: &CommitParams, bytes: &[u8]) -> Result<Self, Refusal> {
        let unread = Refusal::Encoding { part: "set" };
        let mut reader = ByteReader::new(bytes);
        let header = read_header(reader.long().ok_or(unread)?)?;
        let validators = ValidatorList::read(&mut reader)?;
        if !reader.is_empty() {
            return Err(unread);
        }
        check_validators(&header, &validators)?;
        Self::new(params, header, validators)
    }

    fn encode(&self) -> Vec<u8> {
        write_commit_set(&self.header.encode(), self.validators.members())
    }

    fn id(&self) -> Hash {
        self.hash
    }

    fn begins(&self, _: &CommitParams) -> Option<UnixSeconds> {
        Some(self.as_of())
    }

    /// Last whole second within the period: the header's nanoseconds do not count.
    fn trusted_until(&self, params: &CommitParams) -> Option<UnixSeconds> {
        let end = self.header.seconds.saturating_add(params.trusted_seconds);
        Some(UnixSeconds(end.saturating_sub(1)))
    }

    fn check(
        &self,
        params: &CommitParams,
        (number, hash): (BlockNumber, Hash),
        body: &[u8],
        now: UnixSeconds,
    ) -> Result<SetSignature, Stop> {
        let body = CheckedVotes::<K>::read(body)?;
        if body.id.hash != hash {
            return Err(Refusal::Block { got: body.id.hash, expected: hash }.into());
        }
        let got = BlockNumber(body.header.height);
        if got != number {
            return Err(Refusal::Number { got, expected: number }.into());
        }
        self.checked(params, &body, now)
    }

    /// Commit of the next set's header.
    fn advance(&self, params: &CommitParams, step: &[u8], now: UnixSeconds) -> Result<Self, Stop> {
        let body = CheckedVotes::read(step)?;
        let number = params.set_of(body.header.height).unwrap_or(0);
        if self.number.checked_add(1) != Some(number) {
            let needed = number.saturating_sub(1);
            return Err(Shortfall::Set { needed, held: self.number }.into());
        }
        self.checked(params, &body, now)?;
        Ok(Self::new(params, body.header, body.validators)?)
    }

    fn named_by(params: &CommitParams, step: &[u8]) -> Option<Self> {
        let body = CheckedVotes::read(step).ok()?;
        Self::new(params, body.header, body.validators).ok()
    }

    fn number(&self) -> u64 {
        self.number
    }

    /// Last set at or below the height.
    fn signer_of(params: &CommitParams, number: BlockNumber, _: &[u8]) -> Option<u64> {
        params.set_of(number.0)
    }
}
