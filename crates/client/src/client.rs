//! Asking the service: one method per route, each gives the body as it came.

use core::fmt;
use core::pin::pin;
use core::time::Duration;
use std::sync::Arc;

use reqwest::header::{ACCEPT, DATE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Response, Url};
use superroot_proof::hash::sha256_joined;
use superroot_proof::scan::ScanStatement;
use superroot_types::{ChainKey, ErrorKind, Family, Hash, first_chars, plain, retry_after};
use superroot_wire::superroot::Strength;
use superroot_wire::{BODY_BYTES_MAX, Problem};
use tokio::time::{Instant, timeout};

use crate::ClientError;
use crate::verify::{Asked, Of};

/// Time for a whole answer.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Time for a whole answer, over all that a patient client asks without getting any.
const PATIENT_TIMEOUT: Duration = Duration::from_secs(300);
/// Time after which a client says what it waits for.
const NOTICE_AFTER: Duration = Duration::from_secs(10);
/// Time to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Times that a patient client asks for one answer.
const TRIES_MAX: u32 = 10;
/// Longest pause between two of them, in seconds.
const PAUSE_SECONDS_MAX: u64 = 60;
/// What is accepted but for files.
const JSON: &str = "application/json, text/plain";
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

/// Form of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanForm {
    /// The bytes of an `.srscan` file.
    File,
    /// The JSON of the route.
    Json,
}

/// A client of one service. Cheap to clone.
#[derive(Clone)]
pub struct Client {
    base: Url,
    http: reqwest::Client,
    api_key: Option<HeaderValue>,
    at: At,
    tries_max: u32,
    has_notes: bool,
    timeout: Duration,
    wait_notice: Option<Arc<WaitNotice>>,
}

/// Hears what is waited for.
type WaitNotice = dyn Fn(&str) + Send + Sync;

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("base", &self.base.as_str()).finish_non_exhaustive()
    }
}

impl Client {
    /// A client of the service at `base_url` (`https://host` or `http://host:port`, with or without
    /// a path).
    ///
    /// # Errors
    /// [`ClientError::Address`] when it is no such address; [`ClientError::Build`] when TLS cannot be
    /// set up.
    pub fn new(base_url: &str) -> Result<Self, ClientError> {
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
            .connect_timeout(CONNECT_TIMEOUT)
            // the service has no redirects, and a key must not follow one to another host
            .redirect(Policy::none());
        if matches!(base.host_str(), Some("localhost" | "127.0.0.1" | "[::1]")) {
            builder = builder.no_proxy();
        }
        let http = builder.build().map_err(ClientError::Build)?;
        let (at, has_notes, tries_max, timeout) = (At::Latest, false, 1, TIMEOUT);
        let (api_key, wait_notice) = (None, None);
        Ok(Self { base, http, api_key, at, has_notes, tries_max, timeout, wait_notice })
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

    /// The same client, for long work: where the service is busy, limits or is away for a while, it
    /// waits as long as the service says and asks again, ten times at most. Where nothing answers, it waits for five minutes;
    /// [`Client::with_timeout`], called after this, says otherwise.
    #[must_use]
    pub const fn patient(mut self) -> Self {
        (self.tries_max, self.timeout) = (TRIES_MAX, PATIENT_TIMEOUT);
        self
    }

    /// The same client, which waits that long for a whole answer; 30 s otherwise. What ends it is
    /// [`ClientError::TimedOut`].
    #[must_use]
    pub const fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The same client, which tells `notice` what it waits for, once an answer has not come for ten seconds, or a sixth of a
    /// shorter timeout.
    #[must_use]
    pub fn with_wait_notice(mut self, notice: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.wait_notice = Some(Arc::new(notice));
        self
    }

    /// The same client, asking for proofs under that SuperRoot: one that is pinned, say.
    #[must_use]
    pub fn under(mut self, at: At) -> Self {
        self.at = at;
        self
    }

    /// The same client, asking for the log's signed note with every proof.
    #[must_use]
    pub const fn with_notes(mut self) -> Self {
        self.has_notes = true;
        self
    }

    /// The proof of what is asked, as the JSON of its route below `/v5`.
    ///
    /// # Errors
    /// As every method that fetches: [`ClientError::Problem`] for what the service refuses,
    /// [`ClientError::Unavailable`], [`ClientError::Status`] and [`ClientError::TooLarge`].
    pub async fn fetch_proof(&self, asked: &Asked) -> Result<Vec<u8>, ClientError> {
        let Asked { chain: ChainKey { id: chain, .. }, of } = asked;
        let path = match of {
            Of::LatestBlock => format!("v5/proof/{chain}/latest"),
            Of::Block { number } => format!("v5/proof/{chain}/{number}"),
            Of::Transaction { tx_hash } => format!("v5/proof/tx/{chain}/{tx_hash}"),
            Of::Event { number, tx_index, log_index } => {
                format!("v5/proof/event/{chain}/{number}/{tx_index}/{log_index}")
            }
            Of::EventByHash { tx_hash, log_index } => {
                format!("v5/event/{chain}/{tx_hash}/{log_index}")
            }
            Of::Absence { number, tx_index } => {
                format!("v5/proof/absence/{chain}/{number}/{tx_index}")
            }
        };
        self.get(&path, &self.fixed(), JSON).await
    }

    /// `GET /v5/scan/:chain`: the first page of a scan, as the bytes of a file, or as JSON. Where the page
    /// ends, its own statement says; the next one begins behind it.
    ///
    /// # Errors
    /// As [`Client::fetch_proof`].
    pub async fn fetch_scan(
        &self,
        asked: &ScanStatement,
        form: ScanForm,
    ) -> Result<Vec<u8>, ClientError> {
        let ScanStatement { chain, from, to, filter } = asked;
        let mut query = vec![("fromBlock", from.to_string()), ("toBlock", to.to_string())];
        let mut list = |name, items: Vec<String>| {
            if !items.is_empty() {
                query.push((name, items.join(",")));
            }
        };
        list("address", filter.addresses().iter().map(ToString::to_string).collect());
        for (name, topics) in
            ["topic0", "topic1", "topic2", "topic3"].into_iter().zip(filter.topics())
        {
            list(name, topics.iter().map(ToString::to_string).collect());
        }
        list("topic", filter.anywhere().iter().map(ToString::to_string).collect());
        query.extend(self.fixed());
        let accept = match form {
            ScanForm::File => "application/octet-stream",
            ScanForm::Json => JSON,
        };
        self.get(&format!("v5/scan/{}", chain.id), &query, accept).await
    }

    /// The SuperRoot that proofs are asked under, and whether with notes.
    fn fixed(&self) -> Vec<(&'static str, String)> {
        let mut query = match self.at {
            At::Latest => Vec::new(),
            At::Sequence(sequence) => vec![("sequence", sequence.to_string())],
            At::Root(root) => vec![("root", root.to_string())],
        };
        if self.has_notes {
            query.push(("note", "1".to_owned()));
        }
        query
    }

    /// `GET /v5/superroot` or `/v5/superroot/:sequence`: the page of a SuperRoot.
    ///
    /// # Errors
    /// As [`Client::fetch_proof`].
    pub async fn fetch_superroot(&self, at: At) -> Result<Vec<u8>, ClientError> {
        match at {
            At::Latest => self.get("v5/superroot", &[], JSON).await,
            At::Sequence(sequence) => {
                self.get(&format!("v5/superroot/{sequence}"), &[], JSON).await
            }
            At::Root(root) => self.get("v5/superroot", &[("root", root.to_string())], JSON).await,
        }
    }

    /// `GET /kv/blob/:superroot_hash`: everything behind a SuperRoot but the block leaves.
    ///
    /// # Errors
    /// As [`Client::fetch_proof`].
    pub async fn fetch_blob(&self, super_root: &Hash) -> Result<Vec<u8>, ClientError> {
        self.get(&format!("kv/blob/{super_root}"), &[], JSON).await
    }

    /// `GET /v5/checkpoint`: the signed note that ends in SuperRoot `sequence`, or in the newest.
    ///
    /// # Errors
    /// As [`Client::fetch_proof`].
    pub async fn fetch_checkpoint(&self, sequence: Option<u64>) -> Result<Vec<u8>, ClientError> {
        let query = sequence.map(|sequence| ("sequence", sequence.to_string()));
        self.get("v5/checkpoint", query.as_slice(), JSON).await
    }

    /// `GET /v5/superroot/consistency`: that SuperRoot `to` extends SuperRoot `from`.
    ///
    /// # Errors
    /// As [`Client::fetch_proof`].
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
        self.get("v5/superroot/consistency", &query, JSON).await
    }

    /// `GET /v5/checkpoint?cosigned=1`: the newest note that the quorum of the service's witnesses signed
    /// too.
    ///
    /// # Errors
    /// As [`Client::fetch_proof`].
    pub async fn fetch_cosigned(&self) -> Result<Vec<u8>, ClientError> {
        self.get("v5/checkpoint", &[("cosigned", "1".to_owned())], JSON).await
    }

    /// `GET <prefix>/<SHA-256 of the origin>/checkpoint` of a witness, where this is a client of one (C2SP
    /// `tlog-witness`): what it cosigned last of the log of that origin.
    ///
    /// # Errors
    /// As [`Client::fetch_proof`].
    pub async fn fetch_witnessed(&self, origin: &str) -> Result<Vec<u8>, ClientError> {
        let id = const_hex::encode(sha256_joined(&[origin.as_bytes()]).0);
        self.get(&format!("{id}/checkpoint"), &[], JSON).await
    }

    /// `GET /v5/mini-mmr/:family/twigs`: `count` leaves of a Mini-MMR from `from` on, as it is in that
    /// SuperRoot.
    ///
    /// # Errors
    /// As [`Client::fetch_proof`].
    pub async fn fetch_twigs(
        &self,
        family: Family,
        from: u64,
        count: u64,
        under: &Hash,
    ) -> Result<Vec<u8>, ClientError> {
        let query =
            [("from", from.to_string()), ("count", count.to_string()), ("root", under.to_string())];
        self.get(&format!("v5/mini-mmr/{family}/twigs"), &query, JSON).await
    }

    fn url(&self, path: &str, query: &[(&str, String)]) -> Result<Url, ClientError> {
        let mut url = self.base.clone();
        let why = "it has no path";
        let no_path = |()| ClientError::Address { got: self.base.to_string(), why };
        url.path_segments_mut().map_err(no_path)?.pop_if_empty().extend(path.split('/'));
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        Ok(url)
    }

    /// Asks, and tells what it waits for.
    async fn get(
        &self,
        path: &str,
        query: &[(&str, String)],
        accept: &'static str,
    ) -> Result<Vec<u8>, ClientError> {
        let url = self.url(path, query)?;
        let mut answer = pin!(self.get_patiently(&url, accept));
        if let Some(notice) = &self.wait_notice {
            match timeout(NOTICE_AFTER.min(self.timeout / 6), &mut answer).await {
                Ok(answer) => return answer,
                Err(_) => notice(&format!("waiting for {url}")),
            }
        }
        answer.await
    }

    /// Asks; a patient client asks again as long as the service is busy or away. Time counts from the last answer of any
    /// kind.
    async fn get_patiently(&self, url: &Url, accept: &'static str) -> Result<Vec<u8>, ClientError> {
        let (mut tries, mut silent_since) = (1, Instant::now());
        loop {
            let left = self.timeout.saturating_sub(silent_since.elapsed());
            let one = if self.tries_max > 1 { left.min(TIMEOUT) } else { left };
            let timed_out =
                || ClientError::TimedOut { url: url.to_string(), seconds: self.timeout.as_secs() };
            let answer = timeout(one, self.get_once(url, accept)).await;
            let error = match answer.unwrap_or_else(|_| Err(timed_out())) {
                Err(error) if error.kind() == ErrorKind::Unavailable && tries < self.tries_max => {
                    error
                }
                answer => return answer,
            };
            let said = match error {
                ClientError::Problem { retry_after, .. } => retry_after,
                _ => None,
            };
            let pause = said.unwrap_or(1 << tries.min(5)).clamp(1, PAUSE_SECONDS_MAX);
            let mut pause = Duration::from_secs(pause);
            if matches!(error, ClientError::Problem { .. } | ClientError::Status { .. }) {
                silent_since = Instant::now() + pause;
            } else {
                let left = self.timeout.saturating_sub(silent_since.elapsed());
                if left.is_zero() {
                    return Err(error);
                }
                pause = pause.min(left);
            }
            tokio::time::sleep(pause).await;
            tries += 1;
        }
    }

    async fn get_once(&self, url: &Url, accept: &'static str) -> Result<Vec<u8>, ClientError> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        if let Some(key) = &self.api_key {
            headers.insert("x-api-key", key.clone());
        }
        let request = self.http.get(url.clone()).headers(headers);
        let response = request.send().await.map_err(ClientError::Unavailable)?;
        let status = response.status();
        let text = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        let pause = text(RETRY_AFTER).and_then(|value| retry_after(value, text(DATE), None));
        let retry_after = pause.map(|pause| pause.as_secs());
        let body = read(response).await?;
        if status.is_success() {
            return Ok(body);
        }
        let status = status.as_u16();
        match serde_json::from_slice::<Problem>(&body) {
            Err(_) => Err(ClientError::Status { status }),
            Ok(Problem { code, detail, retryable, retry_after: said, .. }) => {
                let retry_after = said.or(retry_after);
                let [code, detail] =
                    [code, detail].map(|text| plain(first_chars(&text, PROBLEM_CHARS_MAX)));
                Err(ClientError::Problem { status, code, detail, retryable, retry_after })
            }
        }
    }
}

/// Reads piece by piece, so that no answer takes more memory than the limit.
async fn read(mut response: Response) -> Result<Vec<u8>, ClientError> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(ClientError::Unavailable)? {
        if body.len().saturating_add(piece.len()) > BODY_BYTES_MAX {
            return Err(ClientError::TooLarge { max: BODY_BYTES_MAX });
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_stands_below_the_path_of_the_address() {
        for base in ["http://localhost:1/service/", "http://localhost:1/service"] {
            let url = Client::new(base).unwrap().url("v5/superroot", &[]).unwrap().to_string();
            assert_eq!(url, "http://localhost:1/service/v5/superroot");
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
