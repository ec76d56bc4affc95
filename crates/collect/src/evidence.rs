//! What a source says of finality, as evidence; and whether it is enough.

use std::collections::BTreeMap;
use std::sync::Arc;

use superroot_chain::finality::{
    self, Candidate, Evidence, FinalBlock, Link, NodeQuorum, OneSource, Trusted, Verdict, Witness,
};
use superroot_source::{Agreement, NodesReport};
use superroot_types::{BlockNumber, Hash, UnixSeconds};

use crate::collector::Collector;
use crate::error::CollectError;

impl Collector {
    /// The evidence that an agreement gives to block `number` and to all it descends from. Where the
    /// source names no hash, what it sends under that number counts.
    pub(crate) fn evidence(
        &self,
        agreement: &Agreement,
        number: BlockNumber,
        sent: Hash,
        now: UnixSeconds,
    ) -> Evidence {
        let Agreement { hash, sources, of, rule } = agreement.clone();
        let Some(nodes) = self.source.nodes() else {
            let name = sources.into_iter().next().unwrap_or_default();
            return Evidence::OneSource(OneSource { name, rule });
        };
        let NodesReport { endpoints, needed, .. } = nodes.report();
        let operators: BTreeMap<String, String> =
            endpoints.into_iter().map(|node| (node.name, node.operator)).collect();
        let witness = |name: String| {
            let operator = operators.get(&name).unwrap_or(&name).clone();
            Witness { name, operator }
        };
        let (sources, hash) = (sources.into_iter().map(witness).collect(), hash.unwrap_or(sent));
        let (needed, agreed_at) = (needed.agree, now);
        Evidence::NodeQuorum(NodeQuorum { sources, needed, of, rule, number, hash, agreed_at })
    }

    /// What is believed of the source's nodes.
    fn trusted(&self) -> Trusted {
        let needed = self.source.nodes().map(|nodes| nodes.report().needed);
        needed.map_or(Trusted::OneSource, |needed| Trusted::Operators {
            needed: needed.agree,
            of: needed.of,
        })
    }

    /// The blocks as final ones, where that evidence shows it.
    pub(crate) fn check_final(
        &self,
        evidence: Evidence,
        line: Vec<Candidate>,
        now: UnixSeconds,
    ) -> Result<Vec<FinalBlock>, CollectError> {
        self.judged(finality::check(evidence, line, &self.trusted(), now))
    }

    /// The blocks as final ones, where `child` descends from them, which is final by that evidence.
    pub(crate) fn check_ancestors(
        &self,
        child: &Link,
        agreed: BlockNumber,
        evidence: Evidence,
        line: Vec<Candidate>,
    ) -> Result<Vec<FinalBlock>, CollectError> {
        self.judged(finality::check_ancestors(child, agreed, Arc::new(evidence), line))
    }

    fn judged(&self, verdict: Verdict) -> Result<Vec<FinalBlock>, CollectError> {
        let chain = self.chain();
        match verdict {
            Verdict::Final(blocks) => Ok(blocks),
            Verdict::Refused(why) => Err(CollectError::NotShown { chain, why }),
            Verdict::NotEnoughYet(why) => Err(CollectError::NotShownYet { chain, why }),
        }
    }
}
