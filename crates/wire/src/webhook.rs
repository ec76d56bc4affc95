//! Webhooks (`/api/v1/webhooks`).

#[cfg(feature = "schema")]
use crate::schema::{ChainName, OneOrMany};
use serde::Serialize;
use serde_json::{Map, Value};
use superroot_types::UnixSeconds;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

/// Settings of a new or changed webhook: in a change, omitted members stay unchanged.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WebhookSettings {
    /// `https` URL with a public internet host; required for a new webhook.
    pub url: Option<String>,
    /// 1 to 64 printable characters; `null` for no label.
    pub label: Option<String>,
    /// Subscribed events; required for a new webhook. Changing one member replaces all members.
    #[serde(flatten)]
    pub subscription: WebhookSubscription,
    /// Start cursor; for a new webhook.
    pub since: Option<String>,
    /// Whether events are delivered; for a change.
    pub enabled: Option<bool>,
}

/// Webhook subscription, with the parameters of `/v5/stream`.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WebhookSubscription {
    /// Topics of `/v5/stream`.
    pub topics: Option<Vec<String>>,
    /// Chain ids or names; all if omitted.
    #[cfg_attr(feature = "schema", schema(required = false, value_type = Vec<ChainName>))]
    pub chain: Option<Vec<Value>>,
    /// Addresses: an event must have one from the list.
    #[cfg_attr(feature = "schema", schema(required = false, value_type = OneOrMany))]
    pub address: Option<Value>,
    /// First topics: an event must have one from the list.
    #[cfg_attr(feature = "schema", schema(required = false, value_type = OneOrMany))]
    pub topic0: Option<Value>,
    /// Second topics.
    #[cfg_attr(feature = "schema", schema(required = false, value_type = OneOrMany))]
    pub topic1: Option<Value>,
    /// Third topics.
    #[cfg_attr(feature = "schema", schema(required = false, value_type = OneOrMany))]
    pub topic2: Option<Value>,
    /// Fourth topics.
    #[cfg_attr(feature = "schema", schema(required = false, value_type = OneOrMany))]
    pub topic3: Option<Value>,
    /// `head`, `finalized` or `anchored`.
    pub finality: Option<String>,
    /// Whether to accept chains with incompletely watched events.
    pub partial: Option<bool>,
    /// Single transaction, for topic `anchored` with one chain.
    pub tx: Option<String>,
    /// Single order, for topic `orders`.
    pub order: Option<String>,
}

/// Events not delivered in time.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct DeadLetters {
    /// Cursor before the first event.
    pub after: String,
    /// The last event's cursor.
    pub last: String,
    /// Number of events.
    pub count: u64,
    /// Time at which delivery of the last event was abandoned, in Unix seconds.
    pub given_up_at: UnixSeconds,
    /// The last attempt's result.
    pub why: String,
}

/// Webhook.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Webhook {
    /// Webhook id (UUID).
    pub id: String,
    /// Target URL.
    pub url: String,
    /// Label.
    pub label: Option<String>,
    /// Subscription as requested.
    #[cfg_attr(feature = "schema", schema(value_type = WebhookSubscription))]
    pub subscription: Map<String, Value>,
    /// `enabled`; `paused` by the owner; `gone`: the URL answered 410; `suspended`.
    pub state: String,
    /// `tier_required` or `payment_due`, then a colon and the required action.
    pub suspension: Option<String>,
    /// Unix seconds.
    pub created_at: UnixSeconds,
    /// Cursor of the last delivered or abandoned event; saved once per second.
    pub cursor: Option<String>,
    /// Number of delivered events.
    pub delivered: u64,
    /// The last delivery's time, in Unix seconds.
    pub delivered_at: Option<UnixSeconds>,
    /// Number of failed attempts since the last delivery.
    pub failed_attempts: u32,
    /// Time of the first failed attempt since, in Unix seconds.
    pub failing_since: Option<UnixSeconds>,
    /// Result of the last failed attempt.
    pub last_failure: Option<String>,
    /// The next attempt's time, in Unix seconds.
    pub next_attempt_at: Option<UnixSeconds>,
    /// Abandoned events, oldest first.
    pub dead_letters: Vec<DeadLetters>,
    /// Events under replay.
    pub replaying: Option<DeadLetters>,
}

/// An account's webhooks.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WebhookList {
    /// Webhooks, oldest first.
    pub webhooks: Vec<Webhook>,
}

/// Webhook and signing secret. The secret is shown only once.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WebhookSecret {
    /// Webhook.
    pub webhook: Webhook,
    /// Signing secret for messages: `whsec_` and base64.
    pub secret: String,
}

/// A test message's result.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WebhookTest {
    /// Whether the URL accepted the message.
    pub is_delivered: bool,
    /// HTTP status of the response.
    pub status: Option<u16>,
    /// Duration, in milliseconds.
    pub duration_ms: u64,
    /// Reason for a failed delivery.
    pub failure: Option<String>,
}
