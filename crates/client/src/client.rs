//! Asking the service: one method per route, each gives the body as it came.

use core::fmt;
use core::time::Duration;

use reqwest::header::{ACCEPT, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Response, Url};
use superroot_types::{BlockNumber, Hash};
use superroot_wire::superroot::Strength;
use superroot_wire::{BODY_BYTES_MAX, Problem};

use crate::ClientError;

/// Characters of a problem's text that are kept.
const PROBLEM_CHARS_MAX: usize = 1_000;

/// Under which SuperRoot a proof is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum At {
    /// The newest.
    #[default]
    Latest,
    /// The one of that sequence.
    Sequence(u64),
    /// The one of that hash.
    Root(Hash),
}

/// Limits of a client.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// Time for a whole answer, in milliseconds.
    pub timeout_ms: u64,
    /// Time to connect, in milliseconds.
    pub connect_timeout_ms: u64,
    /// Largest body read, in bytes after decompression.
    pub body_bytes_max: usize,
}

impl Default for ClientConfig {
    fn default() -> Self {
        Self { timeout_ms: 30_000, connect_timeout_ms: 5_000, body_bytes_max: BODY_BYTES_MAX }
    }
}

/// A client of one service. Cheap to clone.
#[derive(Clone)]
pub struct Client {
    base: Url,
    http: reqwest::Client,
    api_key: Option<HeaderValue>,
    at: At,
    body_bytes_max: usize,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("base", &self.base.as_str()).finish_non_exhaustive()
    }
}

impl Client {
    /// A client of the service at `base_url` (`https://host` or `http://host:port`, with or without
    /// a path), with the usual limits.
    ///
    /// # Errors
    /// [`ClientError::Address`] when it is no such address.
    pub fn new(base_url: &str) -> Result<Self, ClientError> {
        Self::with_config(base_url, &ClientConfig::default())
    }

    /// The same with other limits.
    ///
    /// # Errors
    /// As [`Client::new`]; [`ClientError::Build`] when TLS cannot be set up.
    pub fn with_config(base_url: &str, config: &ClientConfig) -> Result<Self, ClientError> {
        let wrong = |why| ClientError::Address { got: base_url.to_owned(), why };
        let base = Url::parse(base_url).map_err(|_| wrong("it is no URL"))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(wrong("another scheme"));
        }
        if !base.username().is_empty() || base.password().is_some() {
            return Err(wrong("it carries a password"));
        }
        // whoever installs a provider first wins; either serves
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .timeout(Duration::from_millis(config.timeout_ms))
            .connect_timeout(Duration::from_millis(config.connect_timeout_ms))
            // the service has no redirects, and a key must not follow one to another host
            .redirect(Policy::none());
        if matches!(base.host_str(), Some("localhost" | "127.0.0.1" | "[::1]")) {
            builder = builder.no_proxy();
        }
        let http = builder.build().map_err(ClientError::Build)?;
        let body_bytes_max = config.body_bytes_max;
        Ok(Self { base, http, api_key: None, at: At::Latest, body_bytes_max })
    }

    /// The same client with an API key.
    ///
    /// # Errors
    /// [`ClientError::ApiKey`] when no header can carry it.
    pub fn with_api_key(mut self, key: &str) -> Result<Self, ClientError> {
        let mut value = HeaderValue::from_str(key).map_err(|_| ClientError::ApiKey)?;
        value.set_sensitive(true);
        self.api_key = Some(value);
        Ok(self)
    }

    /// The same client, asking for proofs under that SuperRoot: one that is pinned, say.
    #[must_use]
    pub fn under(mut self, at: At) -> Self {
        self.at = at;
        self
    }

    /// `GET /v5/proof/:chain/:block`: a block's proof as JSON. `chain` is an id, a name or a CAIP-2
    /// name, `block` a number or `latest`.
    ///
    /// # Errors
    /// As every method that fetches: [`ClientError::Problem`] for what the service refuses,
    /// [`ClientError::Unavailable`], [`ClientError::Status`] and [`ClientError::TooLarge`].
    pub async fn fetch_block_proof(
        &self,
        chain: &str,
        block: &str,
    ) -> Result<Vec<u8>, ClientError> {
        self.get(&["v5", "proof", chain, block], &self.anchor_query()).await
    }

    /// `GET /api/v5/proof/blob/:chain/:block`: a block's proof in the portable form, as JSON.
    ///
    /// # Errors
    /// As [`Client::fetch_block_proof`].
    pub async fn fetch_block_blob(&self, chain: &str, block: &str) -> Result<Vec<u8>, ClientError> {
        self.get(&["api", "v5", "proof", "blob", chain, block], &self.anchor_query()).await
    }

    /// `GET /v5/proof/tx/:chain/:tx_hash`: a transaction's proof as JSON.
    ///
    /// # Errors
    /// As [`Client::fetch_block_proof`].
    pub async fn fetch_transaction_proof(
        &self,
        chain: &str,
        tx_hash: &Hash,
    ) -> Result<Vec<u8>, ClientError> {
        let hash = tx_hash.to_string();
        self.get(&["v5", "proof", "tx", chain, &hash], &self.anchor_query()).await
    }

    /// `GET /v5/proof/event/:chain/:block/:tx_index/:log_index`: a log's proof as JSON. `log_index`
    /// is the place in the receipt.
    ///
    /// # Errors
    /// As [`Client::fetch_block_proof`].
    pub async fn fetch_event_proof(
        &self,
        chain: &str,
        block: BlockNumber,
        tx_index: u32,
        log_index: u32,
    ) -> Result<Vec<u8>, ClientError> {
        let places = [block.to_string(), tx_index.to_string(), log_index.to_string()];
        let [block, tx_index, log_index] = places.each_ref().map(String::as_str);
        let path = ["v5", "proof", "event", chain, block, tx_index, log_index];
        self.get(&path, &self.anchor_query()).await
    }

    /// `GET /v5/event/:chain/:tx/:log_index`: a log's proof by its transaction's hash, which it
    /// proves too.
    ///
    /// # Errors
    /// As [`Client::fetch_block_proof`].
    pub async fn fetch_event_proof_by_hash(
        &self,
        chain: &str,
        tx_hash: &Hash,
        log_index: u32,
    ) -> Result<Vec<u8>, ClientError> {
        let (hash, log_index) = (tx_hash.to_string(), log_index.to_string());
        self.get(&["v5", "event", chain, &hash, &log_index], &self.anchor_query()).await
    }

    /// `GET /v5/proof/absence/:chain/:block/:tx_index`: proof that a block has no transaction at a
    /// position.
    ///
    /// # Errors
    /// As [`Client::fetch_block_proof`].
    pub async fn fetch_absence_proof(
        &self,
        chain: &str,
        block: BlockNumber,
        tx_index: u32,
    ) -> Result<Vec<u8>, ClientError> {
        let (block, tx_index) = (block.to_string(), tx_index.to_string());
        let path = ["v5", "proof", "absence", chain, &block, &tx_index];
        self.get(&path, &self.anchor_query()).await
    }

    /// `GET /v5/superroot` or `/v5/superroot/:sequence`: the page of a SuperRoot.
    ///
    /// # Errors
    /// As [`Client::fetch_block_proof`].
    pub async fn fetch_superroot(&self, at: At) -> Result<Vec<u8>, ClientError> {
        match at {
            At::Latest => self.get(&["v5", "superroot"], &[]).await,
            At::Sequence(sequence) => {
                self.get(&["v5", "superroot", &sequence.to_string()], &[]).await
            }
            At::Root(root) => self.get(&["v5", "superroot"], &[("root", root.to_string())]).await,
        }
    }

    /// `GET /v5/superroot/consistency`: that SuperRoot `to` extends SuperRoot `from`.
    ///
    /// # Errors
    /// As [`Client::fetch_block_proof`].
    pub async fn fetch_consistency(
        &self,
        from: u64,
        to: u64,
        strength: Strength,
    ) -> Result<Vec<u8>, ClientError> {
        let query = [
            ("from", from.to_string()),
            ("to", to.to_string()),
            ("strength", strength.name().to_owned()),
        ];
        self.get(&["v5", "superroot", "consistency"], &query).await
    }

    /// `GET /v5/checkpoint`: the newest checkpoint, as text of the C2SP form.
    ///
    /// # Errors
    /// As [`Client::fetch_block_proof`].
    pub async fn fetch_checkpoint(&self) -> Result<Vec<u8>, ClientError> {
        self.get(&["v5", "checkpoint"], &[]).await
    }

    fn anchor_query(&self) -> Vec<(&'static str, String)> {
        match self.at {
            At::Latest => Vec::new(),
            At::Sequence(sequence) => vec![("sequence", sequence.to_string())],
            At::Root(root) => vec![("root", root.to_string())],
        }
    }

    /// Path segments and values are percent-encoded, so nothing in them reaches another route.
    fn url(&self, path: &[&str], query: &[(&str, String)]) -> Result<Url, ClientError> {
        let mut url = self.base.clone();
        let why = "it has no path";
        let no_path = |()| ClientError::Address { got: self.base.to_string(), why };
        // dots would be taken for other folders and nothing for no segment; these are no chain either
        let encoded = path.iter().map(|segment| match *segment {
            "" => "%20",
            "." | ".." => "%2E",
            segment => segment,
        });
        url.path_segments_mut().map_err(no_path)?.pop_if_empty().extend(encoded);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        Ok(url)
    }

    async fn get(&self, path: &[&str], query: &[(&str, String)]) -> Result<Vec<u8>, ClientError> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/plain"));
        if let Some(key) = &self.api_key {
            headers.insert("x-api-key", key.clone());
        }
        let request = self.http.get(self.url(path, query)?).headers(headers);
        let response = request.send().await.map_err(ClientError::Unavailable)?;
        let status = response.status();
        let header = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let retry_after = header.and_then(|value| value.parse().ok());
        let body = self.read(response).await?;
        if status.is_success() {
            return Ok(body);
        }
        let status = status.as_u16();
        match serde_json::from_slice::<Problem>(&body) {
            Err(_) => Err(ClientError::Status { status }),
            Ok(Problem { code, detail, retryable, retry_after: said, .. }) => {
                let retry_after = said.or(retry_after);
                let (code, detail) = (plain(&code), plain(&detail));
                Err(ClientError::Problem { status, code, detail, retryable, retry_after })
            }
        }
    }

    /// Reads piece by piece, so that no answer takes more memory than the limit.
    async fn read(&self, mut response: Response) -> Result<Vec<u8>, ClientError> {
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(ClientError::Unavailable)? {
            if body.len().saturating_add(piece.len()) > self.body_bytes_max {
                return Err(ClientError::TooLarge { max: self.body_bytes_max });
            }
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }
}

/// The first characters of a text from outside, without those that terminals act upon.
fn plain(text: &str) -> String {
    let is_plain = |letter: &char| !letter.is_control();
    let plain = text.chars().map(|letter| Some(letter).filter(is_plain).unwrap_or('?'));
    plain.take(PROBLEM_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(base: &str, segments: &[&str]) -> String {
        Client::new(base).unwrap().url(segments, &[]).unwrap().to_string()
    }

    #[test]
    fn segments_are_encoded_and_stay_in_their_place() {
        let base = "http://localhost:1/service/";
        assert_eq!(path(base, &["v5", "eip155:1"]), "http://localhost:1/service/v5/eip155:1");
        assert_eq!(path(base, &["v5", "a/b?c#d"]), "http://localhost:1/service/v5/a%2Fb%3Fc%23d");
        assert_eq!(path("http://localhost:1", &["x", "y"]), "http://localhost:1/x/y");
        for hostile in ["..", ".", "", "%2e%2e", "\\..\\"] {
            let url = path(base, &["v5", "proof", hostile, "1"]);
            assert_eq!(url.matches('/').count(), 7, "{url}");
            assert!(url.starts_with("http://localhost:1/service/v5/proof/"), "{url}");
        }
    }

    #[test]
    fn addresses_that_are_none_are_refused() {
        for wrong in ["", "localhost", "ftp://host", "file:///etc/passwd", "http://a:b@host"] {
            let error = Client::new(wrong).unwrap_err();
            assert!(matches!(error, ClientError::Address { .. }), "{wrong}: {error}");
        }
    }

    #[test]
    fn a_key_is_never_printed() {
        let client = Client::new("http://localhost:1").unwrap().with_api_key("svc_live_x").unwrap();
        assert!(!format!("{client:?}").contains("svc_live_x"));
        assert!(Client::new("http://localhost:1").unwrap().with_api_key("a\nb").is_err());
    }
}
