//! Committee as a set.

use alloc::format;
use alloc::vec::Vec;

use superroot_types::{BlockNumber, Hash, UnixSeconds};

use super::committee::{Certificate, Committee, QuorumFault};
use crate::codec::{ByteReader, put_long};
use crate::finality::rules::{SetRules, SetSignature};
use crate::finality::verdict::Stop;
use crate::finality::{Refusal, Shortfall};
use crate::ledger::sui::{Header, checkpoint_digest, next_committee};

const SIGNATURE_BYTES: usize = 48;

/// Constants of Sui: the client's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckpointParams {
    /// Trusting period, in seconds.
    pub trusted_seconds: u64,
}

/// An epoch's committee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointSet {
    /// Begin of the epoch, or pin time.
    as_of: UnixSeconds,
    committee: Committee,
}

impl CheckpointSet {
    /// Set of a committee as of a time: the begin of its epoch.
    #[must_use]
    pub const fn new(as_of: UnixSeconds, committee: Committee) -> Self {
        Self { as_of, committee }
    }

    /// The committee.
    #[must_use]
    pub const fn committee(&self) -> &Committee {
        &self.committee
    }

    fn verified(
        &self,
        params: &CheckpointParams,
        body: &[u8],
        now: UnixSeconds,
    ) -> Result<(Header, Vec<u8>), Stop> {
        let (summary, signature, signers) =
            read(body).ok_or(Refusal::Encoding { part: "checkpoint" })?;
        let header = Header::decode(summary).map_err(|_| Refusal::Encoding { part: "summary" })?;
        let at = time_of(&header);
        if at > now {
            return Err(Shortfall::Early { at }.into());
        }
        let (needed, held) = (header.epoch, self.committee.epoch);
        if needed != held {
            return Err(Shortfall::Set { needed, held }.into());
        }
        let seconds = params.trusted_seconds;
        if now.0 > self.as_of.0.saturating_add(seconds) {
            return Err(Shortfall::Expired { of: self.as_of, seconds }.into());
        }
        let certificate = Certificate {
            epoch: header.epoch,
            signature: signature.to_vec(),
            signers: signers.to_vec(),
        };
        match self.committee.check(summary, &certificate) {
            Ok(()) => Ok((header, summary.to_vec())),
            Err(QuorumFault::Stake { got, expected }) => {
                let of = self.committee.total_stake();
                Err(Shortfall::Signers { got, of, expected }.into())
            }
            Err(QuorumFault::Signers { .. }) => Err(Refusal::Encoding { part: "signers" }.into()),
            Err(QuorumFault::Epoch { .. } | QuorumFault::Signature) => {
                Err(Refusal::Signature.into())
            }
        }
    }
}

/// Evidence or step from a summary in BCS and its certificate.
#[must_use]
pub fn write_checkpoint(summary: &[u8], certificate: &Certificate) -> Vec<u8> {
    let mut out = Vec::new();
    put_long(&mut out, summary);
    out.extend_from_slice(&certificate.signature);
    out.extend_from_slice(&certificate.signers);
    out
}

fn read(body: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let mut reader = ByteReader::new(body);
    let summary = reader.long()?;
    let signature = reader.bytes(SIGNATURE_BYTES)?;
    Some((summary, signature, reader.bytes(reader.len())?))
}

const fn time_of(header: &Header) -> UnixSeconds {
    UnixSeconds(header.timestamp_ms / 1_000)
}

/// Set behind the last checkpoint of an epoch.
fn after(header: &Header, summary: &[u8]) -> Option<CheckpointSet> {
    let members = next_committee(summary)?;
    let epoch = header.epoch.checked_add(1)?;
    let committee = Committee::read(&[&epoch.to_le_bytes()[..], members].concat())?;
    Some(CheckpointSet { as_of: time_of(header), committee })
}

impl SetRules for CheckpointSet {
    type Params = CheckpointParams;

    fn decode(_: &CheckpointParams, bytes: &[u8]) -> Result<Self, Refusal> {
        let unread = Refusal::Encoding { part: "committee" };
        let mut reader = ByteReader::new(bytes);
        let as_of = UnixSeconds(reader.u64().ok_or(unread)?);
        let committee = reader.bytes(reader.len()).and_then(Committee::read).ok_or(unread)?;
        Ok(Self { as_of, committee })
    }

    fn encode(&self) -> Vec<u8> {
        [&self.as_of.0.to_be_bytes()[..], self.committee.bytes()].concat()
    }

    fn id(&self) -> Hash {
        self.committee.id()
    }

    fn trusted_until(&self, params: &CheckpointParams) -> Option<UnixSeconds> {
        Some(UnixSeconds(self.as_of.0.saturating_add(params.trusted_seconds)))
    }

    fn check(
        &self,
        params: &CheckpointParams,
        (number, hash): (BlockNumber, Hash),
        body: &[u8],
        now: UnixSeconds,
    ) -> Result<SetSignature, Stop> {
        let (header, summary) = self.verified(params, body, now)?;
        let got = checkpoint_digest(&summary);
        if got != hash || header.sequence_number != number.0 {
            return Err(Refusal::Block { got, expected: hash }.into());
        }
        let by = format!("two thirds of the stake of epoch {}", header.epoch);
        Ok(SetSignature { at: Some(time_of(&header)), by })
    }

    /// Last checkpoint of the epoch.
    fn advance(
        &self,
        params: &CheckpointParams,
        step: &[u8],
        now: UnixSeconds,
    ) -> Result<Self, Stop> {
        let (header, summary) = self.verified(params, step, now)?;
        let what = "the checkpoint does not end its epoch";
        Ok(after(&header, &summary).ok_or(Refusal::Order { what })?)
    }

    fn named_by(_: &CheckpointParams, step: &[u8]) -> Option<Self> {
        let (summary, ..) = read(step)?;
        after(&Header::decode(summary).ok()?, summary)
    }

    fn number(&self) -> u64 {
        self.committee.epoch
    }

    fn signer_of(_: &CheckpointParams, _: BlockNumber, body: &[u8]) -> Option<u64> {
        let (summary, ..) = read(body)?;
        Some(Header::decode(summary).ok()?.epoch)
    }
}
