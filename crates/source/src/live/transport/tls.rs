//! TLS trust and code: the same on every machine, regardless of the process default.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};

use crate::error::SourceError;

/// Mozilla's root certificates, with `ring`; no trusted roots without encryption.
pub(super) fn client_config(is_encrypted: bool) -> Result<ClientConfig, SourceError> {
    let mut roots = RootCertStore::empty();
    if is_encrypted {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map(|tls| tls.with_root_certificates(roots).with_no_client_auth())
        .map_err(|error| SourceError::setup("tls", format!("cannot be set up: {error}")))
}
