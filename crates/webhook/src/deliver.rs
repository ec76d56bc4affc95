//! One delivery attempt.

use std::time::{Duration, Instant};

use reqwest::header::{CONTENT_TYPE, DATE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use superroot_stream::{LogCursor, PreparedEvent};
use superroot_types::UnixSeconds;

use crate::row::{SigningSecret, WebhookId, WebhookRow};
use crate::{WebhookConfig, WebhookError, address, sign};

/// Most bytes read of an answer.
const ANSWER_BYTES_MAX: usize = 16 << 10;
/// Longest pause that a receiver may request.
pub(crate) const RETRY_AFTER_MAX: Duration = Duration::from_secs(3_600);

#[derive(Clone, Debug)]
pub(crate) struct WebhookMessage {
    pub(crate) id: String,
    pub(crate) body: Vec<u8>,
}

impl WebhookMessage {
    /// Message for an event of the log.
    pub(crate) fn of(webhook: WebhookId, item: &PreparedEvent) -> Self {
        let data = item.data();
        let data = String::from_utf8_lossy(&data);
        let cursor = item.cursor;
        let name = item.name();
        let at = item.at.iso_8601();
        let body =
            format!(r#"{{"type":"{name}","timestamp":"{at}","cursor":"{cursor}","data":{data}}}"#);
        Self { id: id_of(webhook, &cursor), body: body.into_bytes() }
    }

    /// Service message: a test, or a notice that something is gone.
    pub(crate) fn own(webhook: WebhookId, name: &str, at: UnixSeconds, data: &Value) -> Self {
        let body = json!({ "type": name, "timestamp": at.iso_8601(), "data": data });
        Self {
            id: format!("msg_{}_{name}_{at}", webhook.0.simple()),
            body: body.to_string().into(),
        }
    }
}

/// Message id, equal for every attempt, so that receivers can detect repeats.
fn id_of(webhook: WebhookId, cursor: &LogCursor) -> String {
    format!("msg_{}_{cursor}", webhook.0.simple())
}

/// A delivery attempt's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryResult {
    /// HTTP status, if the receiver answered.
    pub status: Option<u16>,
    pub took: Duration,
    /// The failure's reason; `None` if delivered.
    pub failure: Option<String>,
    /// Pause requested by the receiver.
    pub(crate) retry_after: Option<Duration>,
}

impl DeliveryResult {
    /// Whether the receiver refuses all further messages.
    pub(crate) fn is_gone(&self) -> bool {
        self.status == Some(StatusCode::GONE.as_u16())
    }
}

/// Sends a message once.
pub(crate) async fn attempt(
    client: &Client,
    config: &WebhookConfig,
    webhook: &WebhookRow,
    message: &WebhookMessage,
    now: UnixSeconds,
) -> DeliveryResult {
    let begun = Instant::now();
    let answered = |status, failure: Option<String>, retry_after| DeliveryResult {
        status,
        took: begun.elapsed(),
        failure,
        retry_after,
    };
    let url = match address::check(&webhook.url, config) {
        Ok(url) => url,
        Err(error) => return answered(None, Some(error.to_string()), None),
    };
    let headers = headers(&webhook.secrets, message, now);
    let request = client.post(url).headers(headers).body(message.body.clone());
    let mut answer = match request.send().await {
        Ok(answer) => answer,
        Err(error) => return answered(None, Some(plain(&error)), None),
    };
    let status = answer.status();
    let text = |name| answer.headers().get(name).and_then(|value| value.to_str().ok());
    let retry_after = text(RETRY_AFTER)
        .and_then(|value| superroot_types::retry_after(value, text(DATE), Some(now)));
    // a connection is used again only once its answer is read
    let mut read = 0;
    while let Ok(Some(piece)) = answer.chunk().await {
        read += piece.len();
        if read > ANSWER_BYTES_MAX {
            break;
        }
    }
    let failure = match status {
        status if status.is_success() => None,
        status if status.is_redirection() => {
            Some(format!("it answered {}: redirects are not followed", status.as_u16()))
        }
        status => Some(format!("it answered {}", status.as_u16())),
    };
    let retry_after = retry_after.map(|pause| pause.min(RETRY_AFTER_MAX));
    answered(Some(status.as_u16()), failure, retry_after)
}

fn headers(secrets: &[SigningSecret], message: &WebhookMessage, now: UnixSeconds) -> HeaderMap {
    let signing = secrets.iter().filter(|secret| secret.until.is_none_or(|until| now < until));
    let signatures: Vec<String> =
        signing.filter_map(|secret| sign(&secret.text, &message.id, now, &message.body)).collect();
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let named = [
        ("webhook-id", message.id.clone()),
        ("webhook-timestamp", now.0.to_string()),
        ("webhook-signature", signatures.join(" ")),
    ];
    for (name, value) in named {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(name, value);
        }
    }
    headers
}

/// Error text without the address, which may contain a secret.
fn plain(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "it did not answer in time".to_owned();
    }
    let mut source: Option<&dyn std::error::Error> = std::error::Error::source(error);
    let mut last = String::new();
    while let Some(error) = source {
        last = error.to_string();
        source = error.source();
    }
    let last = superroot_types::shorten(&superroot_types::plain(&last), 160);
    if error.is_connect() { format!("no connection: {last}") } else { format!("no answer: {last}") }
}

/// Builds a client and sends a test message.
pub(crate) async fn test(
    config: &WebhookConfig,
    webhook: &WebhookRow,
    now: UnixSeconds,
) -> Result<DeliveryResult, WebhookError> {
    let client = address::client(config)?;
    let data = json!({ "webhook_id": webhook.id, "text": "a test, as its owner asked" });
    let mut message = WebhookMessage::own(webhook.id, "test", now, &data);
    // two tests of one second are two messages
    message.id = format!("{}_{}", message.id, uuid::Uuid::new_v4().simple());
    Ok(attempt(&client, config, webhook, &message, now).await)
}
