//! Finality evidence from a source, and its sufficiency.

use std::collections::BTreeMap;
use std::sync::Arc;

use superroot_chain::finality::{
    self, AgreeingNode, BlockLink, Candidate, EvidenceVerdict, FinalBlock, FinalityAnchor,
    FinalityEvidence, LineEvidence, NodeQuorum, OneSource,
};
use superroot_source::{FinalityAgreement, NodesReport};
use superroot_store::layout::{BlockTip, HaltRow};
use superroot_store::{WriteBatch, write};
use superroot_types::{BlockNumber, Hash, UnixSeconds};

use crate::blocking::blocking;
use crate::collector::Collector;
use crate::error::CollectError;
use crate::line::{BlockTimed, RunPiece};

impl Collector {
    /// Evidence from an agreement for block `number` and all its ancestors. If the source names no hash, the block sent
    /// for the number counts.
    pub(crate) fn evidence(
        &self,
        agreement: &FinalityAgreement,
        number: BlockNumber,
        sent: Hash,
        now: UnixSeconds,
    ) -> FinalityEvidence {
        let FinalityAgreement { hash, sources, of, rule } = agreement.clone();
        let Some(nodes) = self.source.nodes() else {
            let name = sources.into_iter().next().unwrap_or_default();
            return FinalityEvidence::OneSource(OneSource { name, rule });
        };
        let NodesReport { endpoints, needed, .. } = nodes.report();
        let operators: BTreeMap<String, String> =
            endpoints.into_iter().map(|node| (node.name, node.operator)).collect();
        let witness = |name: String| {
            let operator = operators.get(&name).unwrap_or(&name).clone();
            AgreeingNode { name, operator }
        };
        let sources = sources.into_iter().map(witness).collect();
        let hash = hash.unwrap_or(sent);
        let needed = needed.agree;
        let agreed_at = now;
        FinalityEvidence::NodeQuorum(NodeQuorum {
            sources,
            needed,
            of,
            rule,
            number,
            hash,
            agreed_at,
        })
    }

    /// Trust in the source's nodes.
    fn trusted(&self) -> FinalityAnchor {
        let needed = self.source.nodes().map(|nodes| nodes.report().needed);
        needed.map_or(FinalityAnchor::OneSource, |needed| FinalityAnchor::Operators {
            needed: needed.agree,
            of: needed.of,
        })
    }

    /// Converts blocks to final blocks if the evidence proves finality.
    pub(crate) fn check_final(
        &self,
        evidence: FinalityEvidence,
        line: Vec<Candidate>,
        now: UnixSeconds,
    ) -> Result<Vec<FinalBlock>, CollectError> {
        self.judged(finality::check(evidence, line, &self.trusted(), now))
    }

    /// Converts the ancestors of `child`, final by this evidence, to final blocks.
    pub(crate) fn check_ancestors(
        &self,
        child: &BlockLink,
        agreed: BlockNumber,
        evidence: FinalityEvidence,
        line: Vec<Candidate>,
    ) -> Result<Vec<FinalBlock>, CollectError> {
        self.judged(finality::check_ancestors(child, agreed, Arc::new(evidence), line))
    }

    fn judged(&self, verdict: EvidenceVerdict) -> Result<Vec<FinalBlock>, CollectError> {
        let chain = self.chain();
        match verdict {
            EvidenceVerdict::Final(blocks) => Ok(blocks),
            EvidenceVerdict::Refused(why) => Err(CollectError::NotShown { chain, why }),
            EvidenceVerdict::NotEnoughYet(why) => Err(CollectError::NotShownYet { chain, why }),
        }
    }
}

impl Collector {
    /// Last block to take as final: the agreed block, or the newest block up to there with evidence; `None` if the next
    /// block has to wait. Comes with the block of the evidence, if required.
    pub(crate) async fn final_within(
        &self,
        next: BlockNumber,
        agreed: BlockNumber,
        now: UnixSeconds,
    ) -> Result<Option<(BlockNumber, Option<BlockTip>)>, CollectError> {
        let Some(gate) = self.gate.clone().filter(|gate| gate.is_beside()) else {
            return Ok((next <= agreed).then_some((agreed, None)));
        };
        let shown = blocking(move || Ok(gate.newest_shown(agreed, now)?)).await?;
        let within = shown.map(|shown| (shown.number, Some(shown)));
        Ok(within.filter(|(last, _)| next <= *last))
    }

    /// Line up to the last block with shown evidence, with the agreement on that block; `None` if the line has to wait.
    pub(crate) async fn shown_part(
        &self,
        mut pieces: Vec<RunPiece>,
        agreement: FinalityAgreement,
        now: UnixSeconds,
    ) -> Result<Option<(Vec<RunPiece>, FinalityAgreement)>, CollectError> {
        let Some(gate) = self.gate.clone().filter(|gate| !gate.is_beside()) else {
            return Ok(Some((pieces, agreement)));
        };
        let line: Vec<_> = pieces.iter().map(RunPiece::in_line).collect();
        let shown = blocking(move || Ok(gate.shown_within(&line, now)?)).await?;
        let newest = pieces.last().map(RunPiece::number);
        match shown {
            LineEvidence::NotDemanded => Ok(Some((pieces, agreement))),
            LineEvidence::Missing => Ok(None),
            LineEvidence::Shown(last) if newest == Some(last) => Ok(Some((pieces, agreement))),
            LineEvidence::Shown(last) => {
                pieces.retain(|piece| piece.number() <= last);
                let agreement = self.source.fetch_agreement(last).await;
                let agreement = agreement.map_err(|cause| self.fetcher(true).source_error(cause));
                Ok(Some((pieces, agreement?)))
            }
        }
    }

    /// Halts the chain if the agreed block is another than the signers'. Whether the block may be taken.
    pub(crate) async fn check_shown(
        &self,
        shown: BlockTip,
        agreed: &BlockTimed,
        evidence: &FinalityEvidence,
        now: UnixSeconds,
    ) -> Result<bool, CollectError> {
        if shown.number != agreed.number || shown.hash == agreed.hash {
            return Ok(true);
        }
        let Some(gate) = self.gate.clone() else { return Ok(true) };
        let time = agreed.timestamp;
        if !blocking(move || Ok(gate.excludes(shown, time)?)).await? {
            return Ok(false);
        }
        let chain = self.chain();
        let (number, nodes, consensus) = (shown.number, agreed.hash, shown.hash);
        let error = CollectError::EvidenceContradicts { chain, number, nodes, consensus };
        let reason = error.to_string();
        let (store, evidence) = (self.store.clone(), evidence.clone());
        let noted = blocking(move || {
            let mut batch = WriteBatch::new();
            write::put_node_evidence(&mut batch, chain, number, &evidence);
            write::put_halt(&mut batch, chain, &HaltRow { number, since: now, reason });
            Ok(store.commit(batch)?)
        });
        noted.await?;
        Err(error)
    }
}
