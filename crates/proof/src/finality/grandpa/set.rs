//! Header that names authorities, as a set.

use alloc::format;
use alloc::vec::Vec;

use superroot_types::{BlockNumber, Hash, UnixSeconds};

use super::authorities::AuthorityList;
use super::body::{GrandpaBody, read_header};
use super::params::GrandpaParams;
use crate::codec::ByteReader;
use crate::finality::rules::{SetRules, SetSignature};
use crate::finality::verdict::Stop;
use crate::finality::{Refusal, Shortfall};
use crate::ledger::polkadot::{GrandpaAuthority, Header};

/// Number and header: `set:u64 ‖ header`; the id is the block hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrandpaSet {
    number: u64,
    header: Vec<u8>,
    hash: Hash,
    block: BlockNumber,
    as_of: UnixSeconds,
    authorities: AuthorityList,
}

/// Bytes of a set.
#[must_use]
pub fn write_grandpa_set(number: u64, header: &[u8]) -> Vec<u8> {
    let mut out = number.to_be_bytes().to_vec();
    out.extend_from_slice(header);
    out
}

impl GrandpaSet {
    /// Set behind a block that names authorities.
    fn behind(
        params: &GrandpaParams,
        number: u64,
        header: &Header,
        next: Option<Vec<GrandpaAuthority>>,
    ) -> Result<Self, Refusal> {
        let what = "the block names no next authorities";
        let next = next.ok_or(Refusal::Header { number: header.number, what })?;
        Ok(Self {
            number,
            hash: header.hash(),
            block: BlockNumber(header.number),
            as_of: time_of(params, header)?,
            authorities: AuthorityList::new(next)?,
            header: header.encode(),
        })
    }

    /// Block with the authorities' names, the last block in the set before.
    #[must_use]
    pub const fn block(&self) -> BlockNumber {
        self.block
    }

    /// Checks votes for a block of this set. Returns the block's time and the weight that signed.
    fn checked(
        &self,
        params: &GrandpaParams,
        body: &GrandpaBody,
        now: UnixSeconds,
    ) -> Result<(UnixSeconds, u64), Stop> {
        if body.set != self.number {
            return Err(Shortfall::Set { needed: body.set, held: self.number }.into());
        }
        if body.line.block.number <= self.block.0 {
            return Err(Refusal::Order { what: "the block is not above that of the set" }.into());
        }
        if self.trusted_until(params).is_none_or(|until| now > until) {
            let seconds = params.trusted_seconds;
            return Err(Shortfall::Expired { of: self.as_of, seconds }.into());
        }
        let at = time_of(params, &body.line.block)?;
        if at > now {
            return Err(Shortfall::Early { at }.into());
        }
        if at <= self.as_of {
            return Err(Refusal::Order { what: "the block's time does not rise" }.into());
        }
        if body.authority_count != self.authorities.members().len() {
            return Err(Refusal::Encoding { part: "bits of the authorities" }.into());
        }
        let weights = body.votes.iter().map(|vote| self.authorities.weight(vote.index));
        let got = weights.fold(0, u64::saturating_add);
        let (of, expected) = (self.authorities.total(), self.authorities.quorum());
        if got < expected {
            return Err(Shortfall::Signers { got, of, expected }.into());
        }
        body.check_votes(&self.authorities)?;
        Ok((at, got))
    }
}

/// Begin of the header's slot.
fn time_of(params: &GrandpaParams, header: &Header) -> Result<UnixSeconds, Refusal> {
    let number = header.number;
    let slot = header.babe_slot().and_then(|slot| slot.checked_mul(params.slot_seconds));
    let what = "the digest has no slot of BABE";
    slot.map(UnixSeconds).ok_or(Refusal::Header { number, what })
}

impl SetRules for GrandpaSet {
    type Params = GrandpaParams;

    fn decode(params: &GrandpaParams, bytes: &[u8]) -> Result<Self, Refusal> {
        let mut reader = ByteReader::new(bytes);
        let number = reader.u64().ok_or(Refusal::Encoding { part: "set" })?;
        let (header, next) = read_header(reader.rest())?;
        Self::behind(params, number, &header, next)
    }

    fn encode(&self) -> Vec<u8> {
        write_grandpa_set(self.number, &self.header)
    }

    fn id(&self) -> Hash {
        self.hash
    }

    fn begins(&self, _: &GrandpaParams) -> Option<UnixSeconds> {
        Some(self.as_of)
    }

    fn trusted_until(&self, params: &GrandpaParams) -> Option<UnixSeconds> {
        Some(UnixSeconds(self.as_of.0.saturating_add(params.trusted_seconds)))
    }

    fn check(
        &self,
        params: &GrandpaParams,
        (number, hash): (BlockNumber, Hash),
        body: &[u8],
        now: UnixSeconds,
    ) -> Result<SetSignature, Stop> {
        let body = GrandpaBody::read(body)?;
        if body.line.hash != hash {
            return Err(Refusal::Block { got: body.line.hash, expected: hash }.into());
        }
        let got = BlockNumber(body.line.block.number);
        if got != number {
            return Err(Refusal::Number { got, expected: number }.into());
        }
        let (at, weight) = self.checked(params, &body, now)?;
        let (of, set) = (self.authorities.total(), self.number);
        let by = format!("{weight} of {of} of the weight of authority set {set}");
        Ok(SetSignature { at: Some(at), by })
    }

    /// Votes for the set's last block, which names the next authorities.
    fn advance(&self, params: &GrandpaParams, step: &[u8], now: UnixSeconds) -> Result<Self, Stop> {
        let body = GrandpaBody::read(step)?;
        self.checked(params, &body, now)?;
        Ok(next_set(params, body)?)
    }

    fn named_by(params: &GrandpaParams, step: &[u8]) -> Option<Self> {
        next_set(params, GrandpaBody::read(step).ok()?).ok()
    }

    fn number(&self) -> u64 {
        self.number
    }

    fn signer_of(_: &GrandpaParams, _: BlockNumber, body: &[u8]) -> Option<u64> {
        ByteReader::new(body).u64()
    }
}

fn next_set(params: &GrandpaParams, body: GrandpaBody) -> Result<GrandpaSet, Refusal> {
    let unread = Refusal::Encoding { part: "set" };
    let number = body.set.checked_add(1).ok_or(unread)?;
    let line = body.line;
    GrandpaSet::behind(params, number, &line.block, line.next)
}
