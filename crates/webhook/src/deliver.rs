//! One attempt to deliver a message.

use std::time::{Duration, Instant};

use reqwest::header::{CONTENT_TYPE, DATE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use superroot_stream::{Cursor, Item};
use superroot_types::UnixSeconds;

use crate::row::{Secret, Webhook, WebhookId};
use crate::{Config, WebhookError, address, sign};

/// Bytes of an answer that are read: more than that nobody looks at.
const ANSWER_BYTES_MAX: usize = 16 << 10;
/// Longest pause that an address may ask for.
pub(crate) const RETRY_AFTER_MAX: Duration = Duration::from_secs(3_600);

/// A message as it is sent.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) id: String,
    pub(crate) body: Vec<u8>,
}

impl Message {
    /// An event of the log.
    pub(crate) fn of(webhook: WebhookId, item: &Item) -> Self {
        let data = item.data();
        let data = String::from_utf8_lossy(&data);
        let (cursor, name, at) = (item.cursor, item.name(), item.at.iso_8601());
        let body =
            format!(r#"{{"type":"{name}","timestamp":"{at}","cursor":"{cursor}","data":{data}}}"#);
        Self { id: id_of(webhook, &cursor), body: body.into_bytes() }
    }

    /// A message of our own: a test, or that something is gone.
    pub(crate) fn own(webhook: WebhookId, name: &str, at: UnixSeconds, data: &Value) -> Self {
        let body = json!({ "type": name, "timestamp": at.iso_8601(), "data": data });
        Self {
            id: format!("msg_{}_{name}_{at}", webhook.0.simple()),
            body: body.to_string().into(),
        }
    }
}

/// The same for every attempt, so that whoever gets it twice knows.
fn id_of(webhook: WebhookId, cursor: &Cursor) -> String {
    format!("msg_{}_{cursor}", webhook.0.simple())
}

/// What an attempt came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The status, where there was an answer.
    pub status: Option<u16>,
    /// How long it took.
    pub took: Duration,
    /// Why it does not count as delivered; none: it does.
    pub failure: Option<String>,
    /// The pause that the address asked for.
    pub(crate) retry_after: Option<Duration>,
}

impl Answered {
    /// Whether the address wants nothing any more.
    pub(crate) fn is_gone(&self) -> bool {
        self.status == Some(StatusCode::GONE.as_u16())
    }
}

/// Sends a message once.
pub(crate) async fn attempt(
    client: &Client,
    config: &Config,
    webhook: &Webhook,
    message: &Message,
    now: UnixSeconds,
) -> Answered {
    let begun = Instant::now();
    let answered = |status, failure: Option<String>, retry_after| Answered {
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

fn headers(secrets: &[Secret], message: &Message, now: UnixSeconds) -> HeaderMap {
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

/// An error in words, without the address, which may hold a secret.
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

/// A client, and a test message sent with it.
///
/// # Errors
/// [`WebhookError::Client`].
pub(crate) async fn test(
    config: &Config,
    webhook: &Webhook,
    now: UnixSeconds,
) -> Result<Answered, WebhookError> {
    let client = address::client(config)?;
    let data = json!({ "webhook_id": webhook.id, "text": "a test, as its owner asked" });
    let mut message = Message::own(webhook.id, "test", now, &data);
    // two tests of one second are two messages
    message.id = format!("{}_{}", message.id, uuid::Uuid::new_v4().simple());
    Ok(attempt(&client, config, webhook, &message, now).await)
}
