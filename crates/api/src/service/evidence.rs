//! Finality evidence in answers, with no stronger claim.

use superroot_accumulate::prove::{FollowedFinality, TrustBegin};
use superroot_chain::{EvidenceKind, FinalityEvidence};
use superroot_proof::hash::keccak256;
use superroot_types::Hash;
use superroot_wire::finality::{Finality, FinalityTarget, NamedSources, SigningSet};

/// Rule in a recording.
const AS_RECORDED: &str = "as recorded";

/// The `finality` member of a stored block. Evidence is the nodes' claim: no proof from this service shows it, and the
/// text names the client's remaining trust. For a reorganised block, it is the earlier evidence.
pub(crate) fn describe(evidence: Option<&FinalityEvidence>, is_retracted: bool) -> Finality {
    let Some(evidence) = evidence else {
        return Finality {
            status: "not_final".to_owned(),
            trust: "nothing says yet that this block is final".to_owned(),
            ..Finality::default()
        };
    };
    let (status, trust) = if is_retracted {
        (
            "retracted",
            "nothing: its nodes agreed on it, and agree on another block now; see retraction",
        )
    } else if evidence.rule() == AS_RECORDED {
        ("finalized", "that the recording is of the chain, and of a final block: no node was asked")
    } else {
        (
            "finalized",
            "that the named sources are independent and did not all lie; no signature of the \
             chain's validators was checked",
        )
    };
    let sources = evidence.sources();
    Finality {
        status: status.to_owned(),
        rule: Some(evidence.rule().to_owned()),
        evidence_kind: Some(kind_of(evidence).to_owned()),
        evidence: Some(NamedSources {
            agreeing: sources.len(),
            sources,
            of: Some(evidence.of()),
            encoded: format!("0x{}", const_hex::encode(evidence.encode())),
        }),
        trust: trust.to_owned(),
        ..Finality::default()
    }
}

/// The `finality` member for a block with finality checked by the service.
pub(crate) fn with_checked(said: Finality, checked: &FollowedFinality) -> Finality {
    let FollowedFinality { shown, target, set, begin } = checked;
    let (from, start) = match begin {
        TrustBegin::BuiltIn => ("built_in", *set),
        TrustBegin::Configured(number) => ("configured", *number),
    };
    Finality {
        evidence_kind: Some(EvidenceKind::from(shown.kind()).name().to_owned()),
        trust: shown.trust().to_owned(),
        kind: Some(shown.kind().name().to_owned()),
        target: Some(FinalityTarget { number: *target, hash: shown.target() }),
        set: Some(SigningSet { number: *set, id: shown.set(), from: from.to_owned(), start }),
        as_of: shown.at(),
        ..said
    }
}

/// Evidence kind. A recording has one source and claims no quorum.
pub(crate) fn kind_of(evidence: &FinalityEvidence) -> &'static str {
    if evidence.rule() == AS_RECORDED { "recorded" } else { evidence.kind().name() }
}

/// Layer `l6_finality_commitment`: Keccak-256 over the stored evidence. `None` without valid evidence.
pub(crate) fn commitment(evidence: Option<&FinalityEvidence>, is_retracted: bool) -> Option<Hash> {
    evidence.filter(|_| !is_retracted).map(|evidence| keccak256(&evidence.encode()))
}

#[cfg(test)]
mod tests {
    use superroot_chain::finality::{AgreeingNode, NodeQuorum};
    use superroot_types::{BlockNumber, UnixSeconds};

    use super::*;

    #[test]
    fn a_quorum_of_nodes_is_called_that_and_names_its_sources() {
        let witness = |name: &str| AgreeingNode { name: name.into(), operator: name.into() };
        let evidence = FinalityEvidence::NodeQuorum(NodeQuorum {
            sources: vec![witness("a"), witness("b")],
            needed: 2,
            of: 3,
            rule: "finalized tag".to_owned(),
            number: BlockNumber(1),
            hash: Hash([1; 32]),
            agreed_at: UnixSeconds(2),
        });
        let said = describe(Some(&evidence), false);
        assert_eq!(said.evidence_kind.as_deref(), Some("node_quorum"));
        let sources = vec!["a".to_owned(), "b".to_owned()];
        let encoded = format!("0x{}", const_hex::encode(evidence.encode()));
        let named = NamedSources { sources, agreeing: 2, of: Some(3), encoded };
        assert_eq!(said.evidence, Some(named));
        let committed = commitment(Some(&evidence), false);
        assert_eq!(committed, Some(keccak256(&evidence.encode())));
        let taken_back = describe(Some(&evidence), true);
        assert_eq!((taken_back.status.as_str(), taken_back.rule), ("retracted", said.rule));
        assert_eq!(commitment(Some(&evidence), true), None);
    }

    #[test]
    fn a_block_without_evidence_is_not_called_final() {
        let said = describe(None, true);
        assert_eq!((said.status.as_str(), said.evidence_kind), ("not_final", None));
        assert_eq!(commitment(None, false), None);
    }
}
