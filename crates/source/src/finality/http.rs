//! HTTP client for evidence endpoints: no redirects, bounded answers.

use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Url};
use serde::de::DeserializeOwned;

use super::FinalitySourceError;

const TIMEOUT: Duration = Duration::from_secs(30);

/// Endpoint with a printable name: the URL may contain a key.
pub(super) struct EvidenceEndpoint {
    pub(super) http: Client,
    pub(super) base: Url,
    pub(super) name: String,
    bytes_max: usize,
}

impl EvidenceEndpoint {
    pub(super) fn new(
        url: &str,
        name: &str,
        bytes_max: usize,
    ) -> Result<Self, FinalitySourceError> {
        let fault = |why: String| FinalitySourceError { endpoint: name.to_owned(), why };
        let base = Url::parse(url).map_err(|error| fault(error.to_string()))?;
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = Client::builder()
            .no_proxy()
            .redirect(Policy::none())
            .timeout(TIMEOUT)
            .build()
            .map_err(|error| fault(error.without_url().to_string()))?;
        Ok(Self { http, base, name: name.to_owned(), bytes_max })
    }

    pub(super) fn fault(&self, why: impl ToString) -> FinalitySourceError {
        FinalitySourceError { endpoint: self.name.clone(), why: why.to_string() }
    }

    /// URL of a path below the base.
    pub(super) fn below(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(&format!("{}/{path}", self.base.path().trim_end_matches('/')));
        url
    }

    /// Sends a request, and reads the JSON; errors name `what`.
    pub(super) async fn read<T: DeserializeOwned>(
        &self,
        what: &str,
        request: RequestBuilder,
    ) -> Result<T, FinalitySourceError> {
        let request = request.header("accept", "application/json");
        let body = self.read_bytes(what, request).await?;
        serde_json::from_slice(&body).map_err(|error| self.fault(format!("{what}: {error}")))
    }

    /// Sends a request, and reads the answer; errors name `what`.
    pub(super) async fn read_bytes(
        &self,
        what: &str,
        request: RequestBuilder,
    ) -> Result<Vec<u8>, FinalitySourceError> {
        let sent = request.send().await;
        let mut response = sent.map_err(|error| self.fault(error.without_url()))?;
        if !response.status().is_success() {
            return Err(self.fault(format!("{what}: status {}", response.status())));
        }
        let mut body = Vec::new();
        while let Some(part) =
            response.chunk().await.map_err(|error| self.fault(error.without_url()))?
        {
            if body.len().saturating_add(part.len()) > self.bytes_max {
                return Err(self.fault(format!("{what}: more than {} bytes", self.bytes_max)));
            }
            body.extend_from_slice(&part);
        }
        Ok(body)
    }
}
