//! Heimdall's validators as sets.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use superroot_types::{BlockNumber, Hash, UnixSeconds};

use super::body::{BorMilestone, MilestoneBody};
use super::key::HeimdallKey;
use super::params::MilestoneParams;
use crate::finality::Refusal;
use crate::finality::commit::{CheckedVotes, CommitSet};
use crate::finality::rules::{SetRules, SetSignature};
use crate::finality::verdict::Stop;

/// Heimdall header and validators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MilestoneSet(pub CommitSet<HeimdallKey>);

/// Checks a milestone against the stated block.
fn check_milestone(
    params: &MilestoneParams,
    milestone: &[u8],
    (number, hash): (BlockNumber, Hash),
) -> Result<(), Refusal> {
    let milestone = BorMilestone::decode(milestone);
    let milestone = milestone.map_err(|_| Refusal::Encoding { part: "milestone" })?;
    if milestone.hash != hash {
        return Err(Refusal::Block { got: milestone.hash, expected: hash });
    }
    if milestone.end_block != number {
        return Err(Refusal::Number { got: milestone.end_block, expected: number });
    }
    if milestone.bor_chain_id != params.bor_chain.to_string() {
        let what = "the milestone's chain id is another";
        return Err(Refusal::Header { number: number.0, what });
    }
    Ok(())
}

impl SetRules for MilestoneSet {
    type Params = MilestoneParams;

    fn decode(params: &MilestoneParams, bytes: &[u8]) -> Result<Self, Refusal> {
        CommitSet::decode(&params.heimdall, bytes).map(Self)
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    fn id(&self) -> Hash {
        self.0.id()
    }

    fn begins(&self, params: &MilestoneParams) -> Option<UnixSeconds> {
        self.0.begins(&params.heimdall)
    }

    fn trusted_until(&self, params: &MilestoneParams) -> Option<UnixSeconds> {
        self.0.trusted_until(&params.heimdall)
    }

    fn check(
        &self,
        params: &MilestoneParams,
        block: (BlockNumber, Hash),
        body: &[u8],
        now: UnixSeconds,
    ) -> Result<SetSignature, Stop> {
        let unread = Refusal::Encoding { part: "body" };
        let body = MilestoneBody::decode(body).ok_or(unread)?;
        check_milestone(params, &body.milestone, block)?;
        let votes = CheckedVotes::read(&body.commit)?;
        body.check_state(&votes.header.app_hash)?;
        let SetSignature { at, by } = self.0.checked(&params.heimdall, &votes, now)?;
        let by = format!(
            "{by} of Heimdall, whose milestone {} ends with block {}",
            body.number, block.0
        );
        Ok(SetSignature { at, by })
    }

    /// Commit with the next set's header.
    fn advance(
        &self,
        params: &MilestoneParams,
        step: &[u8],
        now: UnixSeconds,
    ) -> Result<Self, Stop> {
        self.0.advance(&params.heimdall, step, now).map(Self)
    }

    fn named_by(params: &MilestoneParams, step: &[u8]) -> Option<Self> {
        CommitSet::named_by(&params.heimdall, step).map(Self)
    }

    fn number(&self) -> u64 {
        self.0.number()
    }

    /// Last set at or below Heimdall's height.
    fn signer_of(params: &MilestoneParams, _: BlockNumber, body: &[u8]) -> Option<u64> {
        params.heimdall.set_of(MilestoneBody::decode(body)?.height()?)
    }
}
