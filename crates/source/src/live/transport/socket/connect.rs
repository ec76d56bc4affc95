//! Connection setup: TCP, TLS if required, then the handshake.

use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use reqwest::header::{AUTHORIZATION, HeaderValue};
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::handshake::client::Request;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use crate::error::SourceError;
use crate::live::config::LiveConfig;
use crate::live::transport::TransportError;
use crate::live::transport::address::{Address, percent_decoded};
use crate::live::transport::retry_after::retry_after_ms;
use crate::live::transport::tls;

/// Byte stream, encrypted or plain.
pub(super) trait Bytes: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Bytes for T {}

pub(super) type Stream = WebSocketStream<Box<dyn Bytes>>;

pub(super) struct Connector {
    address: Address,
    host: String,
    port: u16,
    tls: Option<TlsConnector>,
    limits: WebSocketConfig,
    body_bytes_max: usize,
}

impl Connector {
    pub(super) fn new(address: Address, config: &LiveConfig) -> Result<Self, SourceError> {
        let url = address.url();
        let host =
            url.host_str().ok_or_else(|| SourceError::setup("the node's url", "has no host"))?;
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let port = url
            .port_or_known_default()
            .ok_or_else(|| SourceError::setup("the node's url", "has no port"))?;
        let tls = if address.is_encrypted() {
            Some(TlsConnector::from(Arc::new(tls::client_config(true)?)))
        } else {
            None
        };
        let limits = WebSocketConfig::default()
            .max_message_size(Some(config.body_bytes_max))
            .max_frame_size(Some(config.body_bytes_max));
        let body_bytes_max = config.body_bytes_max;
        Ok(Self { address, host, port, tls, limits, body_bytes_max })
    }

    pub(super) async fn connect(&self) -> Result<Stream, TransportError> {
        let unreachable = |error: std::io::Error| self.unreachable(&error.to_string());
        let tcp = TcpStream::connect((self.host.as_str(), self.port)).await.map_err(unreachable)?;
        tcp.set_nodelay(true).map_err(unreachable)?;
        let bytes: Box<dyn Bytes> = match &self.tls {
            None => Box::new(tcp),
            Some(tls) => {
                let name = ServerName::try_from(self.host.clone());
                let name = name.map_err(|error| self.unreachable(&error.to_string()))?;
                Box::new(tls.connect(name, tcp).await.map_err(unreachable)?)
            }
        };
        let request = self.request().map_err(|error| self.failed(error))?;
        let connected = client_async_with_config(request, bytes, Some(self.limits)).await;
        connected.map(|(stream, _)| stream).map_err(|error| self.failed(error))
    }

    /// Handshake request; user and password become a header.
    fn request(&self) -> Result<Request, Error> {
        let mut url = self.address.url().clone();
        let user = percent_decoded(url.username());
        let password = url.password().map(percent_decoded);
        let is_known = !user.is_empty() || password.is_some();
        // of a URL with a host, both can be taken away
        let _ = (url.set_username(""), url.set_password(None));
        let mut request = url.as_str().into_client_request()?;
        if is_known {
            let both = format!("{user}:{}", password.unwrap_or_default());
            let mut value =
                HeaderValue::from_str(&format!("Basic {}", BASE64_STANDARD.encode(both)))?;
            value.set_sensitive(true);
            request.headers_mut().insert(AUTHORIZATION, value);
        }
        Ok(request)
    }

    fn unreachable(&self, why: &str) -> TransportError {
        TransportError::Unreachable { why: self.address.clean(why) }
    }

    pub(super) fn failed(&self, error: Error) -> TransportError {
        match error {
            Error::Http(response) => TransportError::Status {
                got: response.status().as_u16(),
                retry_after_ms: retry_after_ms(response.headers()),
                text: response.into_body().unwrap_or_default(),
            },
            Error::Capacity(_) => TransportError::TooLarge { expected: self.body_bytes_max },
            error => self.unreachable(&error.to_string()),
        }
    }
}
