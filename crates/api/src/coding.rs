//! Compression of answers.

use tower_http::compression::CompressionLayer;

/// Content codings besides `identity`.
pub(crate) const CODINGS: [&str; 3] = ["zstd", "br", "gzip"];

/// Layer for content negotiation (RFC 9110, section 12.5.3).
pub(crate) fn layer() -> CompressionLayer {
    CompressionLayer::new().zstd(true).br(true).gzip(true)
}
