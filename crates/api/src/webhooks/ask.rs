//! Webhook parameters from a body.

use serde_json::{Map, Value};
use superroot_account::{KeyId, Label};
use superroot_webhook::{NewWebhook, WebhookChange};

use crate::ApiError;
use crate::error::of_account;
use crate::input::{Caller, describe, only_members};
use crate::service::Api;
use crate::streams::StreamAsk;

/// Members that select the events.
const OF_STREAMS: [&str; 11] = [
    "topics", "chain", "address", "topic0", "topic1", "topic2", "topic3", "finality", "partial",
    "tx", "order",
];

pub(super) struct WebhookAsk {
    url: Option<String>,
    label: Option<Option<Label>>,
    is_enabled: Option<bool>,
    pub(super) wish: Option<(Map<String, Value>, StreamAsk)>,
}

impl WebhookAsk {
    /// Reads a body for a new or changed webhook.
    ///
    /// # Errors
    /// 400 naming the malformed member; errors from [`StreamAsk::read`].
    pub(super) fn read(
        api: &Api,
        caller: &Caller,
        body: &Value,
        is_new: bool,
    ) -> Result<Self, ApiError> {
        let members = body.as_object().cloned().unwrap_or_default();
        let own: &[&str] =
            if is_new { &["url", "label", "since"] } else { &["url", "label", "enabled"] };
        let known: Vec<&str> = own.iter().copied().chain(OF_STREAMS).collect();
        only_members(&members, "", &known)?;
        let url = text(&members, "url", "an address that begins with https://")?;
        let label = match members.get("label") {
            None => None,
            Some(Value::Null) => Some(None),
            Some(Value::String(text)) => {
                Some(Some(Label::try_from(text.clone()).map_err(of_account)?))
            }
            Some(other) => {
                return Err(ApiError::parameter("label", &describe(other), "a text, or null"));
            }
        };
        let is_enabled = match members.get("enabled") {
            None => None,
            Some(Value::Bool(is_enabled)) => Some(*is_enabled),
            Some(other) => {
                return Err(ApiError::parameter("enabled", &describe(other), "true or false"));
            }
        };
        let has_wish = is_new || OF_STREAMS.iter().any(|name| members.contains_key(*name));
        let wish = if has_wish {
            let asked: Map<String, Value> = members
                .iter()
                .filter(|(name, _)| OF_STREAMS.contains(&name.as_str()))
                .map(own_pair)
                .collect();
            Some((asked, StreamAsk::read(api, caller, &members)?))
        } else {
            None
        };
        Ok(Self { url, label, is_enabled, wish })
    }

    /// New webhook, created with this key; 400 without an address.
    pub(super) fn into_new(self, made_with: KeyId) -> Result<NewWebhook, ApiError> {
        let url = self.url.ok_or_else(|| ApiError::missing("url", "an address"))?;
        let Some((asked, wish)) = self.wish else { return Err(ApiError::internal()) };
        let StreamAsk { subscription, since, .. } = wish;
        let label = self.label.flatten();
        Ok(NewWebhook { made_with, url, label, asked, subscription, since })
    }

    pub(super) fn into_change(self) -> WebhookChange {
        let wish = self.wish.map(|(asked, wish)| (asked, wish.subscription));
        WebhookChange { url: self.url, label: self.label, wish, is_enabled: self.is_enabled }
    }
}

fn own_pair((name, value): (&String, &Value)) -> (String, Value) {
    (name.clone(), value.clone())
}

fn text(
    members: &Map<String, Value>,
    name: &'static str,
    expected: &str,
) -> Result<Option<String>, ApiError> {
    match members.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(ApiError::parameter(name, &describe(other), expected)),
    }
}
