//! Messages for chain finality.

use super::parts::{all, hash, number};
use super::{
    Anchored, BlockFinality, CatchUp, ChainFinality, CheckableBlock, Claimed, FinalityEvidence,
    FinalityTarget, LightClient, LightClientSet, ListFinalityResponse,
    ListLightClientStepsResponse, SigningSet,
};
use crate::{chain, finality};

impl From<finality::ChainFinality> for ChainFinality {
    fn from(body: finality::ChainFinality) -> Self {
        Self {
            chain_id: body.chain_id.0,
            name: body.name,
            family: body.family.name().to_owned(),
            state: body.state,
            why: body.why,
            network: body.network.name().to_owned(),
            finalized: body.finalized.map(Into::into),
            safe: body.safe.map(Into::into),
            head: body.head.map(Into::into),
            indexed: number(body.indexed),
            claimed: body.claimed.map(Into::into),
            behind_blocks: body.behind_blocks,
            catch_up: body.catch_up.map(Into::into),
            anchored: body.anchored.map(Into::into),
            rule: body.rule,
            evidence_kind: body.evidence_kind,
            sources: body.sources,
            agreeing: body.agreeing.map(|count| count as u64),
            source_count: body.source_count,
            lag_blocks: body.lag_blocks,
            lag_seconds: body.lag_seconds,
            checkable: body.checkable.map(Into::into),
            v5_anchor: None,
        }
    }
}

impl From<finality::FinalityList> for ListFinalityResponse {
    fn from(body: finality::FinalityList) -> Self {
        Self { chains: all(body.chains), v5_anchor: None }
    }
}

impl From<chain::Claimed> for Claimed {
    fn from(claimed: chain::Claimed) -> Self {
        let chain::Claimed { head, finalized, at } = claimed;
        Self { head: head.0, finalized: finalized.0, at: at.0 }
    }
}

impl From<chain::CatchUp> for CatchUp {
    fn from(catch_up: chain::CatchUp) -> Self {
        let chain::CatchUp { behind_blocks, blocks_per_second, seconds_left } = catch_up;
        Self { behind_blocks, blocks_per_second, seconds_left }
    }
}

impl From<chain::Anchored> for Anchored {
    fn from(anchored: chain::Anchored) -> Self {
        let chain::Anchored { start, number, hash: block_hash } = anchored;
        Self { start: start.0, number: number.0, hash: hash(block_hash) }
    }
}

impl From<finality::Finality> for BlockFinality {
    fn from(body: finality::Finality) -> Self {
        Self {
            status: body.status,
            rule: body.rule,
            evidence_kind: body.evidence_kind,
            evidence: body.evidence.map(Into::into),
            trust: body.trust,
            checkable: body.checkable,
            kind: body.kind,
            target: body.target.map(Into::into),
            set: body.set.map(Into::into),
            as_of: body.as_of.map(|at| at.0),
        }
    }
}

impl From<finality::CheckableBlock> for CheckableBlock {
    fn from(body: finality::CheckableBlock) -> Self {
        Self {
            kind: body.kind,
            number: body.number.0,
            hash: hash(body.hash),
            lag_blocks: body.lag_blocks,
            lag_seconds: body.lag_seconds,
            set: body.set,
            trusted_until: body.trusted_until.map(|until| until.0),
        }
    }
}

impl From<finality::FinalityTarget> for FinalityTarget {
    fn from(body: finality::FinalityTarget) -> Self {
        Self { number: body.number.0, hash: hash(body.hash) }
    }
}

impl From<finality::SigningSet> for SigningSet {
    fn from(body: finality::SigningSet) -> Self {
        let finality::SigningSet { number, id, from, start } = body;
        Self { number, id: hash(id), from, start }
    }
}

impl From<finality::NamedSources> for FinalityEvidence {
    fn from(body: finality::NamedSources) -> Self {
        let finality::NamedSources { sources, agreeing, of, encoded } = body;
        let encoded = const_hex::decode(encoded).unwrap_or_default(); // it was made of bytes
        Self { sources, agreeing: agreeing as u64, of, encoded }
    }
}

impl From<finality::LightClient> for LightClient {
    fn from(body: finality::LightClient) -> Self {
        Self {
            chain_id: body.chain_id.0,
            network: body.network.name().to_owned(),
            kind: body.kind,
            trust: body.trust,
            number_bound: body.number_bound,
            first_set: body.first_set,
            last_set: body.last_set,
            newest: body.newest.map(Into::into),
            conflict: body.conflict,
            v5_anchor: None,
        }
    }
}

impl From<finality::LightClientSet> for LightClientSet {
    fn from(body: finality::LightClientSet) -> Self {
        Self {
            number: body.number,
            id: hash(body.id),
            trusted_until: body.trusted_until.map(|until| until.0),
            set: body.set.0,
        }
    }
}

impl From<finality::LightClientSteps> for ListLightClientStepsResponse {
    fn from(body: finality::LightClientSteps) -> Self {
        let finality::LightClientSteps { from, to, last, steps } = body;
        let steps = steps.into_iter().map(|step| step.0).collect();
        Self { from, to, last, steps, v5_anchor: None }
    }
}
