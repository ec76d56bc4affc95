//! A node's address: what of it may be shown, and what must never be.

use reqwest::Url;

use crate::error::SourceError;

/// Longest text of a node that is shown, in characters.
const SHOWN_CHARS_MAX: usize = 200;

/// Parts of a URL below this length are words ("v2", "eth"), not secrets.
const SECRET_CHARS_MIN: usize = 8;

/// A node's URL, split into its public and its secret parts.
pub(super) struct Endpoint {
    url: Url,
    shown: String,
    secrets: Vec<String>,
}

impl Endpoint {
    /// Takes an `http` or `https` URL with a host.
    pub(super) fn parse(text: &str) -> Result<Self, SourceError> {
        let refuse = |why| Err(SourceError::Url { why });
        let Ok(url) = Url::parse(text) else { return refuse("it is no url") };
        if !matches!(url.scheme(), "http" | "https") {
            return refuse("its scheme is not http or https");
        }
        let Some(host) = url.host_str() else { return refuse("it has no host") };
        let shown = match url.port_or_known_default() {
            Some(port) => format!("{}://{host}:{port}", url.scheme()),
            None => format!("{}://{host}", url.scheme()),
        };
        let secrets = secrets_of(&url);
        Ok(Self { url, shown, secrets })
    }

    pub(super) const fn url(&self) -> &Url {
        &self.url
    }

    /// Scheme, host and port.
    pub(super) fn shown(&self) -> &str {
        &self.shown
    }

    pub(super) fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// A text that came from outside as it may be shown: short, on one line, without secrets.
    pub(super) fn clean(&self, text: &str) -> String {
        let mut cleaned = text.to_owned();
        for secret in &self.secrets {
            cleaned = cleaned.replace(secret.as_str(), "***");
        }
        let one_line = cleaned.chars().map(|c| if c.is_control() { ' ' } else { c });
        one_line.take(SHOWN_CHARS_MAX).collect()
    }
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown)
    }
}

/// Every part of the URL that may be a key: user, password, path segments, query values.
fn secrets_of(url: &Url) -> Vec<String> {
    let segments = url.path_segments().into_iter().flatten().map(str::to_owned);
    let pairs = url.query_pairs().flat_map(|(name, value)| [name.into_owned(), value.into_owned()]);
    let user = [Some(url.username()), url.password()].into_iter().flatten().map(str::to_owned);
    let whole = [url.path(), url.query().unwrap_or_default()].map(str::to_owned);
    let mut secrets: Vec<String> = segments.chain(pairs).chain(user).chain(whole).collect();
    secrets.retain(|secret| secret.chars().count() >= SECRET_CHARS_MIN);
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    secrets.dedup();
    secrets
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYED: &str =
        "https://user-name:pass-word@node.example:8443/v2/abcdef0123456789?key=topsecret";

    #[test]
    fn nothing_but_scheme_host_and_port_is_shown() {
        let endpoint = Endpoint::parse(KEYED).unwrap();
        assert_eq!(endpoint.shown(), "https://node.example:8443");
        assert_eq!(format!("{endpoint:?}"), "https://node.example:8443");
        assert_eq!(Endpoint::parse("http://[::1]/k").unwrap().shown(), "http://[::1]:80");
    }

    #[test]
    fn a_node_that_repeats_a_secret_does_not_get_it_shown() {
        let endpoint = Endpoint::parse(KEYED).unwrap();
        for secret in ["user-name", "pass-word", "abcdef0123456789", "topsecret"] {
            let cleaned = endpoint.clean(&format!("no access for {secret}, sorry"));
            assert_eq!(cleaned, "no access for ***, sorry");
            let late = endpoint.clean(&format!("{}{secret}", "x".repeat(SHOWN_CHARS_MAX - 3)));
            assert_eq!(late, format!("{}***", "x".repeat(SHOWN_CHARS_MAX - 3)), "{secret}");
        }
    }

    #[test]
    fn a_text_is_shown_short_and_on_one_line() {
        let endpoint = Endpoint::parse("http://node/").unwrap();
        assert_eq!(endpoint.clean("a\nb\u{1b}[31m"), "a b [31m");
        assert_eq!(endpoint.clean(&"é".repeat(1_000)).chars().count(), SHOWN_CHARS_MAX);
    }

    #[test]
    fn other_addresses_are_refused_without_being_shown() {
        for text in
            ["", "node:1", "ftp://node/secretsecret", "/secretsecret", "http://", "wss://a/b"]
        {
            let error = Endpoint::parse(text).unwrap_err().to_string();
            assert!(error.starts_with("the node's url is of no use: it"), "{error}");
            assert!(!error.contains("secret"));
        }
    }
}
