//! What is known of a block's finality, and no more than that.

use serde_json::{Value, json};
use superroot_chain::Evidence;
use superroot_proof::hash::keccak256;

/// The `finality` member of a block that is held. The evidence is the nodes' word: no proof of this
/// service shows it, and the text says what the client still trusts. Of one that its nodes took back
/// the evidence is what once spoke for it.
pub(crate) fn describe(evidence: Option<&Evidence>, is_retracted: bool) -> Value {
    let Some(evidence) = evidence else {
        return json!({
            "status": "not_final",
            "rule": null,
            "evidence_kind": null,
            "evidence": null,
            "trust": "nothing says yet that this block is final",
        });
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
    let sources = evidence.sources();
    json!({
        "status": status,
        "rule": evidence.rule(),
        "evidence_kind": evidence.kind().name(),
        "evidence": {
            "sources": sources,
            "agreeing": sources.len(),
            "of": evidence.of(),
            "encoded": format!("0x{}", const_hex::encode(evidence.encode())),
        },
        "trust": trust,
    })
}

/// The layer `l6_finality_commitment`: Keccak-256 of the evidence as it is stored. Nothing where
/// nothing speaks for the block any more, or yet.
pub(crate) fn commitment(evidence: Option<&Evidence>, is_retracted: bool) -> Value {
    let evidence = evidence.filter(|_| !is_retracted);
    json!(evidence.map(|evidence| keccak256(&evidence.encode())))
}

#[cfg(test)]
mod tests {
    use superroot_chain::finality::{NodeQuorum, Witness};
    use superroot_types::{BlockNumber, Hash, UnixSeconds};

    use super::*;

    #[test]
    fn a_quorum_of_nodes_is_called_that_and_names_its_sources() {
        let witness = |name: &str| Witness { name: name.into(), operator: name.into() };
        let evidence = Evidence::NodeQuorum(NodeQuorum {
            sources: vec![witness("a"), witness("b")],
            needed: 2,
            of: 3,
            rule: "finalized tag".to_owned(),
            number: BlockNumber(1),
            hash: Hash([1; 32]),
            agreed_at: UnixSeconds(2),
        });
        let said = describe(Some(&evidence), false);
        assert_eq!(said["evidence_kind"], "node_quorum");
        let encoded = format!("0x{}", const_hex::encode(evidence.encode()));
        let members = json!({ "sources": ["a", "b"], "agreeing": 2, "of": 3, "encoded": encoded });
        assert_eq!(said["evidence"], members);
        let committed = commitment(Some(&evidence), false);
        assert_eq!(committed, json!(keccak256(&evidence.encode())));
        let taken_back = describe(Some(&evidence), true);
        assert_eq!(
            (&taken_back["status"], &taken_back["rule"]),
            (&json!("retracted"), &said["rule"])
        );
        assert_eq!(commitment(Some(&evidence), true), Value::Null);
    }

    #[test]
    fn a_block_without_evidence_is_not_called_final() {
        let said = describe(None, true);
        assert_eq!((&said["status"], &said["evidence_kind"]), (&json!("not_final"), &Value::Null));
        assert_eq!(commitment(None, false), Value::Null);
    }
}
