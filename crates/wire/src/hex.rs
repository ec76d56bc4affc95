//! Bytes as text: `0x` and hex digits.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Bytes in lower-case hex with prefix `0x`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hex(pub Vec<u8>);

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&const_hex::encode_prefixed(&self.0))
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        const_hex::decode(text).map(Self).map_err(de::Error::custom)
    }
}

#[cfg(feature = "schema")]
superroot_types::scalar_schema!(Hex: String, "Bytes: 0x and hex digits", "^0x([0-9a-fA-F]{2})*$");
