//! One JSON-RPC call over HTTP: bounded in time and size, its envelope checked.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::HttpConfig;
use super::endpoint::Endpoint;
use crate::error::SourceError;
use crate::off_thread;

/// A node's address and the connections to it.
#[derive(Debug)]
pub(super) struct Transport {
    http: Client,
    endpoint: Arc<Endpoint>,
    config: HttpConfig,
    next_id: AtomicU64,
}

impl Transport {
    pub(super) fn new(url: &str, config: HttpConfig) -> Result<Self, SourceError> {
        let endpoint = Arc::new(Endpoint::parse(url)?);
        let http = build_client(&endpoint, &config)?;
        Ok(Self { http, endpoint, config, next_id: AtomicU64::new(1) })
    }

    /// Scheme, host and port of the node.
    pub(super) fn name(&self) -> &str {
        self.endpoint.shown()
    }

    /// A text of the node as it may be shown.
    pub(super) fn clean(&self, text: &str) -> String {
        self.endpoint.clean(text)
    }

    pub(super) fn mismatch(
        &self,
        method: &'static str,
        field: &'static str,
        got: impl Into<String>,
        expected: impl Into<String>,
    ) -> SourceError {
        self.endpoint.mismatch(method, field, got, expected)
    }

    /// Calls a method and reads its result.
    pub(super) async fn call<T: DeserializeOwned + Send + 'static>(
        &self,
        method: &'static str,
        params: Value,
    ) -> Result<T, SourceError> {
        let deadline = tokio::time::sleep(Duration::from_millis(self.config.timeout_ms));
        self.call_until(method, params, deadline).await
    }

    /// Calls a method; whatever has not come when `deadline` is ready is not waited for.
    async fn call_until<T: DeserializeOwned + Send + 'static>(
        &self,
        method: &'static str,
        params: Value,
        deadline: impl Future<Output = ()>,
    ) -> Result<T, SourceError> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let body = tokio::select! {
            body = self.exchange(method, &request) => body?,
            () = deadline => {
                let (source_name, timeout_ms) = (self.name().into(), self.config.timeout_ms);
                return Err(SourceError::Timeout { source_name, method, timeout_ms });
            }
        };
        let endpoint = Arc::clone(&self.endpoint);
        off_thread(move || endpoint.decode(method, id, &body)).await
    }

    async fn exchange(&self, method: &'static str, body: &Value) -> Result<Vec<u8>, SourceError> {
        let request = self.http.post(self.endpoint.url().clone()).json(body);
        let response = request.send().await.map_err(|error| self.unreachable(method, error))?;
        if response.status() != reqwest::StatusCode::OK {
            let (source_name, got) = (self.name().into(), response.status().as_u16());
            return Err(SourceError::Status { source_name, method, got });
        }
        self.read(method, response).await
    }

    async fn read(
        &self,
        method: &'static str,
        mut response: Response,
    ) -> Result<Vec<u8>, SourceError> {
        let mut body = Vec::new();
        while let Some(chunk) =
            response.chunk().await.map_err(|error| self.unreachable(method, error))?
        {
            if body.len() + chunk.len() > self.config.body_bytes_max {
                let (source_name, expected) = (self.name().into(), self.config.body_bytes_max);
                return Err(SourceError::BodyTooLarge { source_name, method, expected });
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    fn unreachable(&self, method: &'static str, error: reqwest::Error) -> SourceError {
        let error = error.without_url();
        let mut why = error.to_string();
        let mut cause = std::error::Error::source(&error);
        while let Some(deeper) = cause {
            why = format!("{why}: {deeper}");
            cause = deeper.source();
        }
        SourceError::Unreachable { source_name: self.name().into(), method, why: self.clean(&why) }
    }
}

/// A client without proxies and redirects: either could carry a key elsewhere.
fn build_client(endpoint: &Endpoint, config: &HttpConfig) -> Result<Client, SourceError> {
    let setup = |why: String| SourceError::Setup { why };
    let builder = Client::builder()
        .no_proxy()
        .redirect(Policy::none())
        .connect_timeout(Duration::from_millis(config.connect_timeout_ms));
    let has_provider = rustls::crypto::CryptoProvider::get_default().is_some();
    let builder = match (endpoint.is_https(), has_provider) {
        (_, true) => builder,
        (true, false) => return Err(setup("no tls provider is installed, https needs one".into())),
        (false, false) => builder.tls_backend_preconfigured(unused_tls()?),
    };
    builder.build().map_err(|error| setup(error.without_url().to_string()))
}

/// TLS that trusts nobody: plain `http` never uses it, but the client wants one, and would
/// otherwise look for a provider of the process.
fn unused_tls() -> Result<rustls::ClientConfig, SourceError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map(|tls| tls.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth())
        .map_err(|error| SourceError::Setup { why: error.to_string() })
}

#[derive(Deserialize)]
struct Reply<'a> {
    #[serde(default)]
    jsonrpc: Value,
    #[serde(default)]
    id: Value,
    #[serde(default, borrow, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(default)]
    error: Option<ErrorObject>,
}

/// Tells a `result` of `null` from none.
fn present<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
struct ErrorObject {
    code: i64,
    #[serde(default)]
    message: String,
}

impl Endpoint {
    fn decode<T: DeserializeOwned>(
        &self,
        method: &'static str,
        id: u64,
        body: &[u8],
    ) -> Result<T, SourceError> {
        let source_name = || self.shown().to_owned();
        // serde would read a list as an object's values in turn
        let is_object = body.trim_ascii_start().first() == Some(&b'{');
        let reply = serde_json::from_slice::<Reply<'_>>(body).ok().filter(|_| is_object);
        let reply = reply.ok_or_else(|| {
            let got = self.clean(&String::from_utf8_lossy(body));
            SourceError::NotJsonRpc { source_name: source_name(), method, got }
        })?;
        if reply.jsonrpc != "2.0" {
            return Err(self.mismatch(
                method,
                "jsonrpc",
                self.clean(&reply.jsonrpc.to_string()),
                "\"2.0\"",
            ));
        }
        // a node that could not read the call does not know its id
        let is_ours = reply.id == id || (reply.id.is_null() && reply.error.is_some());
        if !is_ours {
            return Err(self.mismatch(
                method,
                "id",
                self.clean(&reply.id.to_string()),
                id.to_string(),
            ));
        }
        let shape = |why: &str| SourceError::Shape {
            source_name: source_name(),
            method,
            why: self.clean(why),
        };
        match (reply.error, reply.result) {
            (Some(ErrorObject { code, message }), _) => {
                let (source_name, message) = (source_name(), self.clean(&message));
                Err(SourceError::Refused { source_name, method, code, message })
            }
            (None, Some(result)) => {
                serde_json::from_str(result.get()).map_err(|error| shape(&error.to_string()))
            }
            (None, None) => Err(shape("neither result nor error")),
        }
    }

    fn mismatch(
        &self,
        method: &'static str,
        field: &'static str,
        got: impl Into<String>,
        expected: impl Into<String>,
    ) -> SourceError {
        let (source_name, got, expected) = (self.shown().into(), got.into(), expected.into());
        SourceError::Mismatch { source_name, method, field, got, expected }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio::sync::oneshot;

    /// A node that sends `start` and then holds the connection without a word.
    async fn silent_after(start: &'static str) -> (Transport, oneshot::Receiver<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let (sent, is_sent) = oneshot::channel();
        tokio::spawn(async move {
            let (mut connection, _) = listener.accept().await.unwrap();
            let mut request = [0; 1_024];
            let _ = connection.read(&mut request).await.unwrap();
            connection.write_all(start.as_bytes()).await.unwrap();
            sent.send(()).unwrap();
            let _ = connection.read(&mut request).await;
            std::future::pending::<()>().await;
        });
        (Transport::new(&url, HttpConfig::default()).unwrap(), is_sent)
    }

    proptest::proptest! {
        /// Whatever a node sends, it is read or refused, never a panic.
        #[test]
        fn any_bytes_are_an_answer_or_an_error(body: Vec<u8>, tail in "[ -~]{0,40}") {
            let endpoint = Endpoint::parse("http://node/").unwrap();
            let known = |error: &SourceError| error.kind() != crate::ErrorKind::Bug;
            let texts = [
                body,
                format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{tail}}}").into_bytes(),
                format!("{{\"jsonrpc\":\"2.0\",\"id\":1,{tail}}}").into_bytes(),
            ];
            for text in texts {
                let answer = endpoint.decode::<u64>("eth_chainId", 1, &text);
                assert!(answer.is_ok() || answer.as_ref().is_err_and(known), "{answer:?}");
            }
        }
    }

    #[test]
    fn an_error_wins_over_a_result_and_null_is_a_result() {
        let endpoint = Endpoint::parse("http://node/").unwrap();
        let decode = |rest: &str| {
            let text = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,{rest}}}");
            endpoint.decode::<Option<u64>>("eth_chainId", 1, text.as_bytes())
        };
        assert!(matches!(decode(r#""result":null"#), Ok(None)));
        assert!(matches!(decode(r#""result":7,"error":null"#), Ok(Some(7))));
        let both = decode(r#""result":7,"error":{"code":1}"#);
        assert!(matches!(both, Err(SourceError::Refused { code: 1, .. })), "{both:?}");
    }

    #[tokio::test]
    async fn a_slow_answer_ends_at_its_deadline() {
        for start in ["", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"jsonrpc\""] {
            let (transport, is_sent) = silent_after(start).await;
            let deadline = async { is_sent.await.unwrap() };
            let answer = transport.call_until::<String>("eth_chainId", json!([]), deadline).await;
            let error = answer.unwrap_err();
            assert!(matches!(error, SourceError::Timeout { timeout_ms: 20_000, .. }), "{error}");
        }
    }

    #[tokio::test]
    async fn a_connection_that_breaks_names_its_cause() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/secretsecret", listener.local_addr().unwrap());
        drop(listener);
        let transport = Transport::new(&url, HttpConfig::default()).unwrap();
        let error = transport.call::<String>("eth_chainId", json!([])).await.unwrap_err();
        let told = error.to_string();
        assert!(told.contains("refused") && !told.contains("secretsecret"), "{told}");
    }
}
