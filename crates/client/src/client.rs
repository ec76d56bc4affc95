//! HTTP client: one method per route, returning the raw body.

mod transport;

use core::fmt;
use core::time::Duration;
use std::sync::Arc;

use reqwest::Url;
use reqwest::header::HeaderValue;
use reqwest::redirect::Policy;
use superroot_proof::hash::sha256_joined;
use superroot_proof::scan::ScanStatement;
use superroot_types::{ChainId, Family, Hash, SuperRootRef};
use superroot_wire::paths;
use superroot_wire::proof::ProofQuery;
use superroot_wire::superroot::Strength;

use crate::ClientError;

/// Time limit for a whole answer.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Time limit for a patient client without any answer, over all tries.
const PATIENT_TIMEOUT: Duration = Duration::from_secs(300);
/// Time limit to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Most tries per answer for a patient client.
const TRIES_MAX: u32 = 10;
/// Accept header, except for files.
const JSON: &str = "application/json, text/plain";

/// Scan format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanForm {
    /// `.srscan` file bytes.
    File,
    /// JSON.
    Json,
}

/// Client for one service. Cheap to clone.
#[derive(Clone)]
pub struct Client {
    base: Url,
    http: reqwest::Client,
    api_key: Option<HeaderValue>,
    at: SuperRootRef,
    tries_max: u32,
    has_notes: bool,
    /// Finality for a client to check, with steps from this set on.
    evidence: Option<Option<u64>>,
    timeout: Duration,
    wait_notice: Option<Arc<WaitNotice>>,
}

type WaitNotice = dyn Fn(&str) + Send + Sync;

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("base", &self.base.as_str()).finish_non_exhaustive()
    }
}

impl Client {
    /// Client for the service at `base_url` (`https://host` or `http://host:port`, with or without a path).
    ///
    /// # Errors
    /// [`ClientError::Address`] for an invalid address; [`ClientError::Build`] if TLS setup fails.
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
        let at = SuperRootRef::Latest;
        let has_notes = false;
        let evidence = None;
        let tries_max = 1;
        let timeout = TIMEOUT;
        let api_key = None;
        let wait_notice = None;
        Ok(Self { base, http, api_key, at, has_notes, evidence, tries_max, timeout, wait_notice })
    }

    /// Adds an API key.
    ///
    /// # Errors
    /// [`ClientError::ApiKey`] if no header can carry the key.
    pub fn with_api_key(mut self, key: &str) -> Result<Self, ClientError> {
        let mut value = HeaderValue::from_str(key).map_err(|_| ClientError::ApiKey)?;
        value.set_sensitive(true);
        self.api_key = Some(value);
        Ok(self)
    }

    /// Retries for long work: if the service is busy, rate-limits or is briefly away, waits as long as the service says
    /// and asks again, at most ten times. Without any answer, gives up after five minutes; call
    /// [`Client::with_timeout`] afterwards for another limit.
    #[must_use]
    pub const fn patient(mut self) -> Self {
        (self.tries_max, self.timeout) = (TRIES_MAX, PATIENT_TIMEOUT);
        self
    }

    /// Sets the time limit for a whole answer, 30 s by default. The error is [`ClientError::TimedOut`].
    #[must_use]
    pub const fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Calls `notice` with the pending URL after ten seconds without an answer, or a sixth of a shorter timeout.
    #[must_use]
    pub fn with_wait_notice(mut self, notice: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.wait_notice = Some(Arc::new(notice));
        self
    }

    /// Requests proofs under this SuperRoot, for example a pinned one.
    #[must_use]
    pub fn under(mut self, at: SuperRootRef) -> Self {
        self.at = at;
        self
    }

    /// Requests the log's signed note with every proof.
    #[must_use]
    pub const fn with_notes(mut self) -> Self {
        self.has_notes = true;
        self
    }

    /// Requests, with every proof, what the chain's own consensus signed about the block, and the steps from the set of this
    /// number on.
    #[must_use]
    pub const fn with_evidence(mut self, set: Option<u64>) -> Self {
        self.evidence = Some(set);
        self
    }

    /// Fetches a proof, as JSON.
    ///
    /// # Errors
    /// As every fetch method: [`ClientError::Problem`] for a refusal by the service, [`ClientError::Unavailable`],
    /// [`ClientError::TimedOut`], [`ClientError::Status`] and [`ClientError::TooLarge`].
    pub async fn fetch_proof(&self, asked: &ProofQuery) -> Result<Vec<u8>, ClientError> {
        self.get(&asked.path(), &self.fixed(), JSON).await
    }

    /// `GET /v5/scan/:chain`: first page, as file bytes or JSON. The page's own statement says where the page ends; the
    /// next page begins after that.
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
        self.get(&paths::scan(chain.id), &query, accept).await
    }

    /// Query for the SuperRoot and notes.
    fn fixed(&self) -> Vec<(&'static str, String)> {
        let mut query = match self.at {
            SuperRootRef::Latest => Vec::new(),
            SuperRootRef::Sequence(sequence) => vec![("sequence", sequence.to_string())],
            SuperRootRef::Hash(root) => vec![("root", root.to_string())],
        };
        if self.has_notes {
            query.push(("note", "1".to_owned()));
        }
        if let Some(set) = self.evidence {
            query.push(("evidence", "1".to_owned()));
            query.extend(set.map(|set| ("set", set.to_string())));
        }
        query
    }

    /// `GET /v5/superroot` or `/v5/superroot/:sequence`: SuperRoot page.
    ///
    /// # Errors
    /// As [`Client::fetch_proof`].
    pub async fn fetch_superroot(&self, at: SuperRootRef) -> Result<Vec<u8>, ClientError> {
        match at {
            SuperRootRef::Latest => self.get(paths::NEWEST_SUPERROOT, &[], JSON).await,
            SuperRootRef::Sequence(sequence) => {
                self.get(&paths::superroot(sequence.0), &[], JSON).await
            }
            SuperRootRef::Hash(root) => {
                self.get(paths::NEWEST_SUPERROOT, &[("root", root.to_string())], JSON).await
            }
        }
    }

    /// `GET /kv/blob/:superroot_hash`: all SuperRoot data except the block leaves.
    ///
    /// # Errors
    /// As [`Client::fetch_proof`].
    pub async fn fetch_blob(&self, super_root: &Hash) -> Result<Vec<u8>, ClientError> {
        self.get(&paths::superroot_blob(super_root), &[], JSON).await
    }

    /// `GET /v5/checkpoint`: signed note that ends in SuperRoot `sequence`, or in the newest.
    ///
    /// # Errors
    /// As [`Client::fetch_proof`].
    pub async fn fetch_checkpoint(&self, sequence: Option<u64>) -> Result<Vec<u8>, ClientError> {
        let query = sequence.map(|sequence| ("sequence", sequence.to_string()));
        self.get(paths::CHECKPOINT, query.as_slice(), JSON).await
    }

    /// `GET /v5/superroot/consistency`: proof that SuperRoot `to` extends SuperRoot `from`.
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
        self.get(paths::CONSISTENCY, &query, JSON).await
    }

    /// `GET /v5/checkpoint?cosigned=1`: newest note also signed by the quorum among the service's witnesses.
    ///
    /// # Errors
    /// As [`Client::fetch_proof`].
    pub async fn fetch_cosigned(&self) -> Result<Vec<u8>, ClientError> {
        self.get(paths::CHECKPOINT, &[("cosigned", "1".to_owned())], JSON).await
    }

    /// `GET <prefix>/<SHA-256 of the origin>/checkpoint`, for a witness client (C2SP `tlog-witness`): the witness's
    /// latest cosigned note for the log with this origin.
    ///
    /// # Errors
    /// As [`Client::fetch_proof`].
    pub async fn fetch_witnessed(&self, origin: &str) -> Result<Vec<u8>, ClientError> {
        let id = const_hex::encode(sha256_joined(&[origin.as_bytes()]).0);
        self.get(&format!("{id}/checkpoint"), &[], JSON).await
    }

    /// `GET /v5/mini-mmr/:family/twigs`: `count` Mini-MMR leaves from `from` on, as in SuperRoot `under`.
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
        self.get(&paths::twigs(family), &query, JSON).await
    }

    /// `GET /v5/light-client/:chain`: sets of signers that the service holds.
    ///
    /// # Errors
    /// As [`Client::fetch_proof`].
    pub async fn fetch_light_client(&self, chain: ChainId) -> Result<Vec<u8>, ClientError> {
        self.get(&paths::light_client(chain), &[], JSON).await
    }

    /// `GET /v5/light-client/:chain/sets/:set`: one set of signers.
    ///
    /// # Errors
    /// As [`Client::fetch_proof`].
    pub async fn fetch_light_client_set(
        &self,
        chain: ChainId,
        set: u64,
    ) -> Result<Vec<u8>, ClientError> {
        self.get(&paths::light_client_set(chain, set), &[], JSON).await
    }

    /// `GET /v5/light-client/:chain/steps`: steps from a set on.
    ///
    /// # Errors
    /// As [`Client::fetch_proof`].
    pub async fn fetch_light_client_steps(
        &self,
        chain: ChainId,
        from: u64,
    ) -> Result<Vec<u8>, ClientError> {
        self.get(&paths::light_client_steps(chain), &[("from", from.to_string())], JSON).await
    }

    /// `GET` of any route, as JSON. `route` is an escaped path with its query, such as `/v5/logs?chain=1`.
    ///
    /// # Errors
    /// As [`Client::fetch_proof`]; [`ClientError::Address`] for an invalid route.
    pub async fn fetch_route(&self, route: &str) -> Result<Vec<u8>, ClientError> {
        let wrong = |why| ClientError::Address { got: route.to_owned(), why };
        if !route.starts_with('/') {
            return Err(wrong("a route begins with /"));
        }
        let whole = format!("{}{route}", self.base.as_str().trim_end_matches('/'));
        let url = Url::parse(&whole).map_err(|_| wrong("it is no path"))?;
        self.get_url(&url, JSON).await
    }

    fn url(&self, path: &str, query: &[(&str, String)]) -> Result<Url, ClientError> {
        let mut url = self.base.clone();
        let why = "it has no path";
        let no_path = |()| ClientError::Address { got: self.base.to_string(), why };
        url.path_segments_mut()
            .map_err(no_path)?
            .pop_if_empty()
            .extend(path.trim_start_matches('/').split('/'));
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        Ok(url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_stands_below_the_path_of_the_address() {
        for base in ["http://localhost:1/service/", "http://localhost:1/service"] {
            let url =
                Client::new(base).unwrap().url(paths::NEWEST_SUPERROOT, &[]).unwrap().to_string();
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
