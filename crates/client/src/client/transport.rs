//! Requests: tries, time limits, and bounded reading.

use core::pin::pin;
use core::time::Duration;

use reqwest::header::{ACCEPT, DATE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Response, Url};
use superroot_types::{ErrorKind, first_chars, plain, retry_after};
use superroot_wire::{BODY_BYTES_MAX, Problem};
use tokio::time::{Instant, timeout};

use super::{Client, TIMEOUT};
use crate::ClientError;

/// Delay before a wait notice.
const NOTICE_AFTER: Duration = Duration::from_secs(10);
/// Longest pause between two tries, in seconds.
const PAUSE_SECONDS_MAX: u64 = 60;
/// Most characters kept from a problem's text.
const PROBLEM_CHARS_MAX: usize = 1_000;

impl Client {
    /// Sends a request, with a wait notice.
    pub(super) async fn get(
        &self,
        path: &str,
        query: &[(&str, String)],
        accept: &'static str,
    ) -> Result<Vec<u8>, ClientError> {
        self.get_url(&self.url(path, query)?, accept).await
    }

    pub(super) async fn get_url(
        &self,
        url: &Url,
        accept: &'static str,
    ) -> Result<Vec<u8>, ClientError> {
        let mut answer = pin!(self.get_patiently(url, accept));
        if let Some(notice) = &self.wait_notice {
            match timeout(NOTICE_AFTER.min(self.timeout / 6), &mut answer).await {
                Ok(answer) => return answer,
                Err(_) => notice(&format!("waiting for {url}")),
            }
        }
        answer.await
    }

    /// Sends a request; a patient client retries while the service is busy or away. Time counts from the last answer,
    /// whatever kind.
    async fn get_patiently(&self, url: &Url, accept: &'static str) -> Result<Vec<u8>, ClientError> {
        let mut tries = 1;
        let mut silent_since = Instant::now();
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

/// Reads in chunks, so that no answer takes more memory than the limit.
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
