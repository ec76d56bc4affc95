//! What is known of a block's finality, and no more than that.

use superroot_chain::Evidence;
use superroot_store::layout::BlockRow;
use superroot_wire::finality::{Finality, NamedSources};

/// The `finality` member of a block that is held. The evidence is the nodes' word: no proof of this
/// service shows it, and the text says what the client still trusts. Of one that its nodes took back
/// the evidence is what once spoke for it.
pub(crate) fn describe(row: &BlockRow, is_retracted: bool) -> Finality {
    let Some(evidence) = &row.evidence else {
        return Finality {
            status: "not_final".to_owned(),
            rule: None,
            evidence_kind: None,
            evidence: None,
            trust: "nothing says yet that this block is final".to_owned(),
        };
    };
    let (status, trust) = if is_retracted {
        (
            "retracted",
            "nothing: its nodes agreed on it, and agree on another block now; see retraction",
        )
    } else {
        (
            "finalized",
            "that the named sources are independent and did not all lie; no signature of the \
             chain's validators was checked",
        )
    };
    let sources = sources(evidence);
    Finality {
        status: status.to_owned(),
        rule: rule(evidence).map(str::to_owned),
        evidence_kind: Some(evidence.kind().name().to_owned()),
        evidence: Some(NamedSources {
            sources: sources.to_vec(),
            agreeing: sources.len(),
            of: source_count(evidence),
        }),
        trust: trust.to_owned(),
    }
}

/// The same as one text, for the layer `l6_finality_commitment`.
pub(crate) fn sentence(row: &BlockRow, is_retracted: bool) -> String {
    if is_retracted {
        return "retracted: its nodes agree on another block now".to_owned();
    }
    match &row.evidence {
        Some(Evidence::NodeQuorum { sources, of, rule }) => {
            let (count, names) = (sources.len(), sources.join(", "));
            format!("node_quorum: {count} of {of} sources agree ({names}); rule: {rule}")
        }
        None => "none: not final as far as is known here".to_owned(),
    }
}

/// When a node calls a block final, in words.
pub(crate) fn rule(evidence: &Evidence) -> Option<&str> {
    match evidence {
        Evidence::NodeQuorum { rule, .. } => Some(rule),
    }
}

/// Names of the sources that agree.
pub(crate) fn sources(evidence: &Evidence) -> &[String] {
    match evidence {
        Evidence::NodeQuorum { sources, .. } => sources,
    }
}

/// How many sources were asked.
pub(crate) fn source_count(evidence: &Evidence) -> Option<u32> {
    match evidence {
        Evidence::NodeQuorum { of, .. } => Some(*of),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use superroot_chain::Extent;
    use superroot_types::{Hash, UnixSeconds};

    fn block(evidence: Option<Evidence>) -> BlockRow {
        BlockRow {
            hash: Hash([1; 32]),
            parent_hash: Hash([2; 32]),
            timestamp: UnixSeconds(3),
            extent: Extent::default(),
            kept: superroot_store::layout::Kept::All,
            tx_count: None,
            header: vec![],
            evidence,
        }
    }

    #[test]
    fn a_quorum_of_nodes_is_called_that_and_names_its_sources() {
        let sources = vec!["a".to_owned(), "b".to_owned()];
        let evidence = Evidence::NodeQuorum { sources, of: 3, rule: "finalized tag".to_owned() };
        let row = block(Some(evidence));
        let said = describe(&row, false);
        assert_eq!(said.evidence_kind.as_deref(), Some("node_quorum"));
        let sources = vec!["a".to_owned(), "b".to_owned()];
        assert_eq!(said.evidence, Some(NamedSources { sources, agreeing: 2, of: Some(3) }));
        assert_eq!(
            sentence(&row, false),
            "node_quorum: 2 of 3 sources agree (a, b); rule: finalized tag"
        );
        let taken_back = describe(&row, true);
        assert_eq!((taken_back.status.as_str(), taken_back.rule), ("retracted", said.rule));
        assert!(sentence(&row, true).starts_with("retracted"));
    }

    #[test]
    fn a_block_without_evidence_is_not_called_final() {
        let said = describe(&block(None), true);
        assert_eq!((said.status.as_str(), said.evidence_kind), ("not_final", None));
        assert!(sentence(&block(None), false).starts_with("none"));
    }
}
