//! Values that may be nothing: the empty text.

/// An address, or nothing: the empty text.
pub(super) mod optional_address {
    use std::net::SocketAddr;

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(in super::super) fn serialize<S: Serializer>(
        address: &Option<SocketAddr>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let text = address.map(|address| address.to_string()).unwrap_or_default();
        serializer.serialize_str(&text)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<SocketAddr>, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.is_empty() { Ok(None) } else { text.parse().map(Some).map_err(D::Error::custom) }
    }
}

/// A path, or nothing: the empty text.
pub(super) mod optional_path {
    use std::path::PathBuf;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(in super::super) fn serialize<S: Serializer>(
        path: &Option<PathBuf>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let text = path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        serializer.serialize_str(&text)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<PathBuf>, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok((!text.is_empty()).then(|| text.into()))
    }
}
