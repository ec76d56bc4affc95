//! HTTP node: a POST or GET per request, bounded in size, no proxies, no redirects.

use std::sync::Arc;

use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Response, StatusCode};

use super::address::Address;
use super::retry_after::retry_after_ms;
use super::tls;
use super::{CONNECT_TIMEOUT, NodeAnswer, NodeRequest, Path, Transport, TransportError};
use crate::BoxFuture;
use crate::error::SourceError;
use crate::live::config::LiveConfig;

/// Bytes read from the body of a status other than 200.
const REFUSAL_BYTES_MAX: usize = 4 << 10;

pub(crate) struct HttpTransport {
    pub(super) http: Client,
    pub(super) address: Address,
    name: Arc<str>,
    pub(super) body_bytes_max: usize,
}

impl HttpTransport {
    pub(crate) fn new(
        address: Address,
        name: Arc<str>,
        config: &LiveConfig,
    ) -> Result<Self, SourceError> {
        Self::build(address, name, config, Client::builder(), &[])
    }

    /// HTTP/2 only, also without encryption.
    pub(super) fn of_http2(
        address: Address,
        name: Arc<str>,
        config: &LiveConfig,
    ) -> Result<Self, SourceError> {
        Self::build(address, name, config, Client::builder().http2_prior_knowledge(), &["h2"])
    }

    fn build(
        address: Address,
        name: Arc<str>,
        config: &LiveConfig,
        client: ClientBuilder,
        protocols: &[&str],
    ) -> Result<Self, SourceError> {
        let mut tls = tls::client_config(address.is_encrypted())?;
        tls.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        // either a proxy or a redirect could carry a key elsewhere
        let http = client
            .no_proxy()
            .redirect(Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .pool_max_idle_per_host(config.calls_in_flight_max)
            .tls_backend_preconfigured(tls)
            .build()
            .map_err(|error| {
                SourceError::setup("http", format!("cannot be set up: {}", error.without_url()))
            })?;
        Ok(Self { http, address, name, body_bytes_max: config.body_bytes_max })
    }

    async fn send(
        &self,
        request: NodeRequest,
        bytes_max: usize,
    ) -> Result<NodeAnswer, TransportError> {
        let NodeRequest { path, body, .. } = request;
        let request = match path {
            None => {
                let request = self.http.post(self.address.url().clone());
                request.header(CONTENT_TYPE, "application/json").body(body)
            }
            Some(Path { path, content_type, accept }) => {
                let url = self.address.below(&path);
                let request = match content_type {
                    Some(content_type) => {
                        self.http.post(url).header(CONTENT_TYPE, content_type).body(body)
                    }
                    None => self.http.get(url),
                };
                request.header(ACCEPT, accept)
            }
        };
        let response = request.send().await.map_err(|error| self.unreachable(error))?;
        let response = self.accepted(response).await?;
        match self.read(response, bytes_max).await? {
            (body, true) => Ok(NodeAnswer { body }),
            (_, false) => Err(TransportError::TooLarge { expected: bytes_max }),
        }
    }

    /// Returns the response if the status is 200.
    pub(super) async fn accepted(&self, response: Response) -> Result<Response, TransportError> {
        if response.status() == StatusCode::OK {
            return Ok(response);
        }
        let got = response.status().as_u16();
        let retry_after_ms = retry_after_ms(response.headers());
        let (text, _) = self.read(response, REFUSAL_BYTES_MAX).await.unwrap_or_default();
        Err(TransportError::Status { got, retry_after_ms, text })
    }

    /// Reads a decompressed body up to a limit; also returns whether the body is complete.
    async fn read(
        &self,
        mut response: Response,
        bytes_max: usize,
    ) -> Result<(Vec<u8>, bool), TransportError> {
        // what a node announces is reserved and not yet taken: memory comes with the bytes
        let announced = response.content_length().and_then(|bytes| usize::try_from(bytes).ok());
        let mut body = Vec::with_capacity(announced.unwrap_or(0).min(bytes_max));
        while let Some(chunk) = response.chunk().await.map_err(|error| self.unreachable(error))? {
            let room = bytes_max - body.len();
            if let Some(start) = chunk.get(..room).filter(|_| chunk.len() > room) {
                body.extend_from_slice(start);
                return Ok((body, false));
            }
            body.extend_from_slice(&chunk);
        }
        Ok((body, true))
    }

    pub(super) fn unreachable(&self, error: reqwest::Error) -> TransportError {
        let error = error.without_url();
        let mut why = error.to_string();
        let mut cause = std::error::Error::source(&error);
        while let Some(deeper) = cause {
            why = format!("{why}: {deeper}");
            cause = deeper.source();
        }
        TransportError::Unreachable { why: self.address.clean(&why) }
    }
}

impl Transport for HttpTransport {
    fn name(&self) -> &str {
        &self.name
    }

    fn exchange(&self, request: NodeRequest) -> BoxFuture<'_, Result<NodeAnswer, TransportError>> {
        let bytes_max = request.answer_bytes_max.min(self.body_bytes_max);
        Box::pin(self.send(request, bytes_max))
    }

    fn operator_keys(&self) -> Vec<String> {
        self.address.operator_keys()
    }

    fn operator_name(&self) -> Option<String> {
        self.address.operator_name(&self.name)
    }

    fn clean(&self, text: &str) -> String {
        self.address.clean(text)
    }
}
