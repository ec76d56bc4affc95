//! Objects of ledgers, as members or as text.

use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::proof::beside::BesideEvent;

/// Rendered JSON with final member names.
#[derive(Clone, Debug)]
pub struct WrittenJson(Arc<RawValue>);

impl WrittenJson {
    pub(in crate::proof) fn new(text: Box<RawValue>) -> Self {
        Self(text.into())
    }

    /// Number of text bytes.
    pub(in crate::proof) fn byte_count(&self) -> usize {
        self.0.get().len()
    }
}

impl Serialize for WrittenJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// Ledger-specific object, as members or text.
#[derive(Serialize)]
#[serde(untagged)]
pub enum LedgerObject {
    /// Members.
    Made(Value),
    /// Text.
    Written(WrittenJson),
}

impl From<Value> for LedgerObject {
    fn from(members: Value) -> Self {
        Self::Made(members)
    }
}

/// An object's purpose.
#[derive(Clone, Copy)]
pub(in crate::proof) enum ObjectForm {
    /// Comparison: proven members as values.
    Values,
    /// Answer: text without intermediate values, with unproven event members.
    Text(BesideEvent),
}

/// Maximum size of a decoded transaction, receipt or event list in an answer, in bytes. Larger data occurs once in the
/// answer, as part of the proof: as the last sibling, or as the raw transaction.
pub const SPELLED_BYTES_MAX: usize = 64 << 10;

impl ObjectForm {
    /// Whether the form decodes the given bytes.
    pub(in crate::proof) const fn spells(self, bytes: &[u8]) -> bool {
        matches!(self, Self::Values) || bytes.len() <= SPELLED_BYTES_MAX
    }

    /// Returns the unproven event members.
    pub(in crate::proof) const fn beside(self) -> Option<BesideEvent> {
        match self {
            Self::Values => None,
            Self::Text(beside) => Some(beside),
        }
    }

    /// Creates the object in this form.
    pub(in crate::proof) fn make(self, object: &impl Serialize) -> LedgerObject {
        match self {
            Self::Values => {
                LedgerObject::Made(serde_json::to_value(object).expect("a body is JSON"))
            }
            Self::Text(_) => {
                let text = to_raw_value(object).expect("a body is JSON");
                LedgerObject::Written(WrittenJson::new(text))
            }
        }
    }
}
