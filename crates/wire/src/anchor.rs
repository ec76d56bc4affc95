//! Anchor of every answer: the published SuperRoot.

use serde::Serialize;
use serde_json::Value;
use superroot_proof::superroot::VERSION;
use superroot_types::{BlockNumber, ChainId, Hash, UnixSeconds};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::{Case, case};

/// SuperRoot reference in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Anchor {
    /// SuperRoot sequence.
    pub sequence: u64,
    /// SuperRoot hash.
    pub super_root_hash: Hash,
    /// Unix seconds.
    pub timestamp: UnixSeconds,
    /// Chain progress, in answers about one chain.
    #[serde(flatten)]
    pub chain: Option<AnchorChain>,
}

/// Chain progress at an anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct AnchorChain {
    /// Chain id; only in answers about one chain.
    pub chain_id: ChainId,
    /// Newest final block of the chain.
    pub finalized_block: Option<BlockNumber>,
    /// Newest block of the chain in the SuperRoot.
    pub indexed_block: Option<BlockNumber>,
}

/// SuperRoot behind an answer.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
struct V5Anchor {
    /// Version: always 5.
    version: u8,
    /// The anchor's members.
    #[serde(flatten)]
    anchor: Anchor,
}

/// Member added to every JSON answer.
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WithAnchor {
    /// SuperRoot behind the answer; `null` before the first SuperRoot.
    #[expect(dead_code, reason = "written by `attach` and `attach_to_text`")]
    v5_anchor: Option<V5Anchor>,
}

impl Anchor {
    /// Returns the object `v5Anchor` or `v5_anchor`.
    #[must_use]
    pub fn to_value(&self, case: Case) -> Value {
        case::write(&V5Anchor { version: VERSION, anchor: *self }, case)
    }

    /// Adds the anchor to an answer.
    pub fn attach(&self, body: &mut Value, case: Case) {
        attach(body, Some(self), case);
    }
}

/// Adds the anchor to an answer object; `null` before the first SuperRoot.
pub fn attach(body: &mut Value, anchor: Option<&Anchor>, case: Case) {
    if let Value::Object(members) = body {
        let value = anchor.map_or(Value::Null, |anchor| anchor.to_value(case));
        members.insert(case.spell("v5Anchor"), value);
    }
}

/// Adds the anchor to an answer in JSON text.
pub fn attach_to_text(text: &mut Vec<u8>, anchor: Option<&Anchor>, case: Case) {
    if text.pop_if(|last| *last == b'}').is_some() {
        let before = if text.last() == Some(&b'{') { "\"" } else { ",\"" };
        text.extend_from_slice(before.as_bytes());
        text.extend_from_slice(case.spell("v5Anchor").as_bytes());
        text.extend_from_slice(b"\":");
        let anchor = anchor.map(|anchor| V5Anchor { version: VERSION, anchor: *anchor });
        case::append(text, &anchor, Some(case));
        text.push(b'}');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn members_follow_the_spelling_of_the_route() {
        let mut anchor = Anchor {
            sequence: 7,
            super_root_hash: Hash([1; 32]),
            timestamp: UnixSeconds(1_700_000_000),
            chain: None,
        };
        let (mut camel, mut snake) = (json!({ "a": 1 }), json!({}));
        anchor.attach(&mut camel, Case::Camel);
        let mut text = br#"{"a":1}"#.to_vec();
        attach_to_text(&mut text, Some(&anchor), Case::Camel);
        assert_eq!(serde_json::from_slice::<Value>(&text).unwrap(), camel);
        let hash = Hash([1; 32]);
        let own = json!({ "version": 5, "sequence": 7, "superRootHash": hash, "timestamp": 1_700_000_000 });
        assert_eq!(camel, json!({ "a": 1, "v5Anchor": own }));
        let finalized_block = Some(BlockNumber(9));
        anchor.chain =
            Some(AnchorChain { chain_id: ChainId(1), finalized_block, indexed_block: None });
        anchor.attach(&mut snake, Case::Snake);
        let chain = json!({ "version": 5, "sequence": 7, "super_root_hash": hash,
            "timestamp": 1_700_000_000, "chain_id": 1, "finalized_block": 9, "indexed_block": null });
        assert_eq!(snake, json!({ "v5_anchor": chain }));
    }

    #[test]
    fn before_the_first_super_root_the_anchor_is_null() {
        let mut body = json!({});
        attach(&mut body, None, Case::Snake);
        assert_eq!(body, json!({ "v5_anchor": null }));
        let mut list = json!([]);
        attach(&mut list, None, Case::Snake);
        assert_eq!(list, json!([]));
        for (text, with) in [("{}", r#"{"v5Anchor":null}"#), ("[]", "[]")] {
            let mut text = text.as_bytes().to_vec();
            attach_to_text(&mut text, None, Case::Camel);
            assert_eq!(text, with.as_bytes());
        }
    }
}
