//! How answers are compressed, and for whom.

use tower_http::compression::CompressionLayer;

/// Codings of answers beside none.
pub(crate) const CODINGS: [&str; 3] = ["zstd", "br", "gzip"];

/// The layer that codes an answer as its request asks (RFC 9110, section 12.5.3).
pub(crate) fn layer() -> CompressionLayer {
    CompressionLayer::new().zstd(true).br(true).gzip(true)
}
