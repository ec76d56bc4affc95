//! Public and secret parts of a node address.

use reqwest::Url;
use superroot_types::one_line;

use crate::error::SourceError;
use crate::live::operators::{keys_of, name_of};

/// Longest node text shown, in characters.
const SHOWN_CHARS_MAX: usize = 200;

/// Shorter parts of a URL path or query are words ("v2", "eth"), not secrets.
const SECRET_CHARS_MIN: usize = 8;

/// Shorter user names and passwords cannot be told from words.
const PASSWORD_CHARS_MIN: usize = 3;

/// Node URL, split into public and secret parts.
#[derive(Clone)]
pub(crate) struct Address {
    url: Url,
    shown: String,
    secrets: Vec<String>,
    operator: Option<String>,
}

impl Address {
    /// Parses an `http`, `https`, `ws` or `wss` URL with a host.
    pub(crate) fn parse(text: &str) -> Result<Self, SourceError> {
        let refuse = |why| Err(SourceError::setup("the node's url", why));
        let Ok(url) = Url::parse(text) else { return refuse("is no url") };
        if !matches!(url.scheme(), "http" | "https" | "ws" | "wss") {
            return refuse("has a scheme other than http, https, ws or wss");
        }
        let Some(host) = url.host_str() else { return refuse("has no host") };
        let shown = match url.port_or_known_default() {
            Some(port) => format!("{}://{host}:{port}", url.scheme()),
            None => format!("{}://{host}", url.scheme()),
        };
        let secrets = secrets_of(&url);
        Ok(Self { url, shown, secrets, operator: None })
    }

    pub(crate) fn run_by(self, operator: Option<&str>) -> Self {
        Self { operator: operator.map(str::to_owned), ..self }
    }

    /// Keys shared with other nodes of the operator.
    pub(crate) fn operator_keys(&self) -> Vec<String> {
        keys_of(&self.url, self.operator.as_deref())
    }

    /// Operator name for the node named `node`; `None` if nothing may be shown.
    pub(crate) fn operator_name(&self, node: &str) -> Option<String> {
        let name = name_of(&self.url, self.operator.as_deref(), node == self.shown)?;
        Some(self.clean(&name))
    }

    pub(crate) const fn url(&self) -> &Url {
        &self.url
    }

    /// URL of a path, with query, below the address. The address keeps a path prefix and query, possibly with a key.
    pub(crate) fn below(&self, path: &str) -> Url {
        let (path, query) =
            path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
        let mut url = self.url.clone();
        url.set_path(&format!("{}{path}", self.url.path().trim_end_matches('/')));
        let queries: Vec<&str> = query.into_iter().chain(self.url.query()).collect();
        url.set_query((!queries.is_empty()).then(|| queries.join("&")).as_deref());
        url
    }

    /// Scheme, host and port.
    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }

    pub(crate) fn is_socket(&self) -> bool {
        matches!(self.url.scheme(), "ws" | "wss")
    }

    pub(crate) fn is_encrypted(&self) -> bool {
        matches!(self.url.scheme(), "https" | "wss")
    }

    /// Makes foreign text safe to show: short, on a single line, without secrets.
    pub(crate) fn clean(&self, text: &str) -> String {
        let mut cleaned = text.to_owned();
        for secret in &self.secrets {
            cleaned = cleaned.replace(secret.as_str(), "***");
        }
        shown(&cleaned)
    }
}

impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown)
    }
}

/// Every URL part that may be a key: user, password, path segments, query values; raw and decoded.
fn secrets_of(url: &Url) -> Vec<String> {
    let segments = url.path_segments().into_iter().flatten().map(str::to_owned);
    let pairs = url.query_pairs().flat_map(|(name, value)| [name.into_owned(), value.into_owned()]);
    let whole = [url.path(), url.query().unwrap_or_default()].map(str::to_owned);
    let parts = segments.chain(pairs).chain(whole);
    let parts = parts.filter(|part| part.chars().count() >= SECRET_CHARS_MIN);
    let user = [Some(url.username()), url.password()].into_iter().flatten().map(str::to_owned);
    let user = user.filter(|part| part.chars().count() >= PASSWORD_CHARS_MIN);
    let mut secrets: Vec<String> =
        parts.chain(user).flat_map(|part| [percent_decoded(&part), part]).collect();
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    secrets.dedup();
    secrets
}

pub(crate) fn percent_decoded(part: &str) -> String {
    percent_encoding::percent_decode_str(part).decode_utf8_lossy().into_owned()
}

/// Makes foreign text safe to show without a known address: short and on a single line.
pub(super) fn shown(text: &str) -> String {
    one_line(text, SHOWN_CHARS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYED: &str =
        "https://user-name:pass-word@node.example:8443/v2/abcdef0123456789?key=topsecret";

    #[test]
    fn paths_go_below_the_address_and_keep_its_query() {
        let below = |url: &str, path| Address::parse(url).unwrap().below(path).to_string();
        assert_eq!(below("https://node", "/v1/blocks/5"), "https://node/v1/blocks/5");
        assert_eq!(below("https://node/v1/", "/blocks/5?a=b"), "https://node/v1/blocks/5?a=b");
        let keyed = "https://node/secret?key=abc";
        assert_eq!(below(keyed, "/x?a=b"), "https://node/secret/x?a=b&key=abc");
        assert_eq!(below(keyed, "/x"), "https://node/secret/x?key=abc");
    }

    #[test]
    fn nothing_but_scheme_host_and_port_is_shown() {
        let address = Address::parse(KEYED).unwrap();
        assert_eq!(address.shown(), "https://node.example:8443");
        assert_eq!(format!("{address:?}"), "https://node.example:8443");
        assert_eq!(Address::parse("http://[::1]/k").unwrap().shown(), "http://[::1]:80");
    }

    #[test]
    fn a_node_that_repeats_a_secret_does_not_get_it_shown() {
        let address = Address::parse(KEYED).unwrap();
        for secret in ["user-name", "pass-word", "abcdef0123456789", "topsecret"] {
            let cleaned = address.clean(&format!("no access for {secret}, sorry"));
            assert_eq!(cleaned, "no access for ***, sorry");
            let late = address.clean(&format!("{}{secret}", "x".repeat(SHOWN_CHARS_MAX - 3)));
            assert_eq!(late, format!("{}***", "x".repeat(SHOWN_CHARS_MAX - 3)), "{secret}");
        }
    }

    #[test]
    fn a_secret_is_known_however_it_is_written() {
        let address = Address::parse("ws://rpc:p%40ss%2@node/%7Bsecret%7D").unwrap();
        assert_eq!(address.shown(), "ws://node:80");
        for secret in ["p%40ss%2", "p@ss%2", "%7Bsecret%7D", "{secret}", "rpc"] {
            assert_eq!(address.clean(&format!("no {secret}")), "no ***", "{secret}");
        }
    }

    #[test]
    fn a_text_is_shown_short_and_on_one_line() {
        let address = Address::parse("http://node/").unwrap();
        assert_eq!(address.clean("a\nb\u{1b}[31m"), "a b [31m");
        assert_eq!(address.clean(&"é".repeat(1_000)).chars().count(), SHOWN_CHARS_MAX);
    }

    #[test]
    fn other_addresses_are_refused_without_being_shown() {
        for text in
            ["", "node:1", "ftp://node/secretsecret", "/secretsecret", "http://", "file://a/b"]
        {
            let error = Address::parse(text).unwrap_err().to_string();
            assert!(error.starts_with("the node's url "), "{error}");
            assert!(!error.contains("secret"));
        }
    }
}
