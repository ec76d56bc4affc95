//! The anchor that every answer carries: which SuperRoot the service had published.

use serde::Serialize;
use serde_json::Value;
use superroot_proof::superroot::VERSION;
use superroot_types::{BlockNumber, ChainId, Hash, UnixSeconds};
use utoipa::ToSchema;

use crate::{Case, case};

/// A SuperRoot, as an answer names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Anchor {
    /// Sequence of the SuperRoot.
    pub sequence: u64,
    /// Its hash.
    pub super_root_hash: Hash,
    /// When it was made.
    pub timestamp: UnixSeconds,
    /// In answers about one chain: how far that chain is.
    #[serde(flatten)]
    pub chain: Option<AnchorChain>,
}

/// How far a chain is, as of an anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct AnchorChain {
    /// In answers about one chain.
    pub chain_id: ChainId,
    /// Newest final block of that chain.
    pub finalized_block: Option<BlockNumber>,
    /// Newest block of it in that SuperRoot.
    pub indexed_block: Option<BlockNumber>,
}

/// The SuperRoot that an answer stands on.
#[derive(Serialize, ToSchema)]
struct V5Anchor {
    /// 5.
    version: u8,
    /// The rest.
    #[serde(flatten)]
    anchor: Anchor,
}

/// What every JSON answer has besides its own members.
#[derive(ToSchema)]
pub struct WithAnchor {
    /// `null` before the first SuperRoot.
    #[expect(dead_code, reason = "written by `attach`")]
    v5_anchor: Option<V5Anchor>,
}

impl Anchor {
    /// The object `v5Anchor` or `v5_anchor`.
    #[must_use]
    pub fn to_value(&self, case: Case) -> Value {
        case::write(&V5Anchor { version: VERSION, anchor: *self }, case)
    }

    /// Adds the anchor to an answer.
    pub fn attach(&self, body: &mut Value, case: Case) {
        attach(body, Some(self), case);
    }
}

/// Adds the anchor to an answer that is an object; `null` before the first SuperRoot.
pub fn attach(body: &mut Value, anchor: Option<&Anchor>, case: Case) {
    if let Value::Object(members) = body {
        let value = anchor.map_or(Value::Null, |anchor| anchor.to_value(case));
        members.insert(case.spell("v5Anchor"), value);
    }
}

/// The same for an answer that is written already: the text of an object with at least one member.
#[must_use]
pub fn attach_to_text(mut text: String, anchor: Option<&Anchor>, case: Case) -> String {
    let mut own = Value::Object(serde_json::Map::new());
    attach(&mut own, anchor, case);
    if text.pop() == Some('}') {
        text.push(',');
        text.extend(own.to_string().strip_prefix('{'));
    }
    text
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
    }
}
