//! Witness client over HTTP: one POST per request, bounded in size and time, without proxies or redirects.

use std::time::Duration;

use anyhow::Context;
use reqwest::header::CONTENT_TYPE;
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode, Url};
use superroot_types::one_line;
use superroot_witness::{AddCheckpoint, SIZE_TYPE};

const TIMEOUT: Duration = Duration::from_secs(10);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest answer in bytes: signature lines.
const ANSWER_BYTES_MAX: usize = 16 << 10;
const WORDS_MAX: usize = 120;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum CosignAnswer {
    /// Unverified signature lines.
    Signed(String),
    /// Size at the witness, different from the stated size, or with another root.
    Holds(u64),
}

#[derive(Debug, thiserror::Error)]
pub(super) enum AskError {
    #[error("cannot be reached: {0}")]
    Unreachable(String),
    #[error("answers {status}: {words}")]
    Status { status: u16, words: String },
    #[error("its answer is longer than {ANSWER_BYTES_MAX} bytes")]
    TooLong,
    #[error("its answer is no text")]
    NoText,
    #[error("its 409 names no size")]
    NoSize,
}

#[derive(Clone)]
pub(super) struct WitnessClient {
    http: Client,
    url: Url,
}

/// `add-checkpoint` address below a witness prefix.
pub(super) fn submission(prefix: &str) -> anyhow::Result<Url> {
    below(prefix, "add-checkpoint")
}

/// Address of a path below a witness prefix.
pub(super) fn below(prefix: &str, path: &str) -> anyhow::Result<Url> {
    let url = Url::parse(&format!("{}/{path}", prefix.trim_end_matches('/')));
    let url = url.ok().filter(|url| {
        let has_secret = !url.username().is_empty() || url.password().is_some();
        matches!(url.scheme(), "http" | "https")
            && !has_secret
            && url.query().is_none()
            && url.fragment().is_none()
    });
    url.with_context(|| {
        format!("{prefix:?} is no http or https address without user, query and fragment")
    })
}

impl WitnessClient {
    pub(super) fn new(url: Url) -> anyhow::Result<Self> {
        let http = Client::builder()
            .no_proxy()
            .redirect(Policy::none())
            .timeout(TIMEOUT)
            .connect_timeout(CONNECT_TIMEOUT)
            .build();
        Ok(Self { http: http.context("an HTTP client cannot be set up")?, url })
    }

    pub(super) async fn ask(&self, request: &AddCheckpoint) -> Result<CosignAnswer, AskError> {
        let request = self.http.post(self.url.clone()).body(request.encode());
        let response = request.send().await.map_err(unreachable)?;
        let status = response.status();
        let media_type = response.headers().get(CONTENT_TYPE);
        let is_size =
            media_type.is_some_and(|media_type| media_type.as_bytes() == SIZE_TYPE.as_bytes());
        let text = read(response).await?;
        match status {
            StatusCode::OK => Ok(CosignAnswer::Signed(text)),
            StatusCode::CONFLICT => {
                let size = text.strip_suffix('\n').filter(|_| is_size);
                let size = size.and_then(|size| size.parse().ok());
                size.map(CosignAnswer::Holds).ok_or(AskError::NoSize)
            }
            other => {
                let words = one_line(&text, WORDS_MAX);
                Err(AskError::Status { status: other.as_u16(), words })
            }
        }
    }
}

/// Reads in pieces, to bound memory.
async fn read(mut response: Response) -> Result<String, AskError> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(unreachable)? {
        if body.len().saturating_add(piece.len()) > ANSWER_BYTES_MAX {
            return Err(AskError::TooLong);
        }
        body.extend_from_slice(&piece);
    }
    String::from_utf8(body).map_err(|_| AskError::NoText)
}

fn unreachable(error: reqwest::Error) -> AskError {
    let error = error.without_url();
    let mut why = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(deeper) = cause {
        why = format!("{why}: {deeper}");
        cause = deeper.source();
    }
    AskError::Unreachable(why)
}
