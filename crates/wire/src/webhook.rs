//! Webhooks (`/api/v1/webhooks`).

#[cfg(feature = "schema")]
use crate::schema::{ChainName, OneOrMany};
use serde::Serialize;
use serde_json::{Map, Value};
use superroot_types::UnixSeconds;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

/// What a webhook is to be, or what is changed of it: of a change, what is left out stays.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WebhookSettings {
    /// `https` and a host of the public internet; needed for a new one.
    pub url: Option<String>,
    /// 1 to 64 printable characters; `null`: none.
    pub label: Option<String>,
    /// What is sent; needed for a new one. A change of one member sets them all.
    #[serde(flatten)]
    pub subscription: WebhookSubscription,
    /// Of a new one: the cursor after which it begins.
    pub since: Option<String>,
    /// Of a change: whether it is sent to.
    pub enabled: Option<bool>,
}

/// What a webhook sends, as `/v5/stream` is asked for it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WebhookSubscription {
    /// Topics of `/v5/stream`.
    pub topics: Option<Vec<String>>,
    /// Chains; all if left out.
    #[cfg_attr(feature = "schema", schema(required = false, value_type = Vec<ChainName>))]
    pub chain: Option<Vec<Value>>,
    /// Addresses, of which an event has one.
    #[cfg_attr(feature = "schema", schema(required = false, value_type = OneOrMany))]
    pub address: Option<Value>,
    /// First topics of which an event has one.
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
    /// Takes chains of whose events not all are watched.
    pub partial: Option<bool>,
    /// Of topic `anchored`, with one chain: this transaction alone.
    pub tx: Option<String>,
    /// Of topic `orders`: this order alone.
    pub order: Option<String>,
}

/// Events that could not be delivered in time.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct DeadLetters {
    /// Place after which they begin.
    pub after: String,
    /// The last of them.
    pub last: String,
    /// How many they are.
    pub count: u64,
    /// When the last was given up.
    pub given_up_at: UnixSeconds,
    /// What its last attempt came to.
    pub why: String,
}

/// A webhook.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Webhook {
    /// Its id: a UUID.
    pub id: String,
    /// Where it is sent.
    pub url: String,
    /// What it is called.
    pub label: Option<String>,
    /// What is sent, as it was asked for.
    #[cfg_attr(feature = "schema", schema(value_type = WebhookSubscription))]
    pub subscription: Map<String, Value>,
    /// `enabled`; `paused` by its owner; `gone`: the address answered 410; `suspended`.
    pub state: String,
    /// `tier_required` or `payment_due`, a colon, what to do.
    pub suspension: Option<String>,
    /// When it was made.
    pub created_at: UnixSeconds,
    /// Place of the last event that was delivered or given up; written once a second.
    pub cursor: Option<String>,
    /// Events delivered.
    pub delivered: u64,
    /// When the last one was.
    pub delivered_at: Option<UnixSeconds>,
    /// Attempts that failed since.
    pub failed_attempts: u32,
    /// When the first of them did.
    pub failing_since: Option<UnixSeconds>,
    /// What the last of them came to.
    pub last_failure: Option<String>,
    /// When the next is made.
    pub next_attempt_at: Option<UnixSeconds>,
    /// What was given up, oldest first.
    pub dead_letters: Vec<DeadLetters>,
    /// What is being sent again.
    pub replaying: Option<DeadLetters>,
}

/// Webhooks of an account.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WebhookList {
    /// Oldest first.
    pub webhooks: Vec<Webhook>,
}

/// A webhook and its secret, which is told once.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WebhookSecret {
    /// The webhook.
    pub webhook: Webhook,
    /// Signs its messages: `whsec_` and base64.
    pub secret: String,
}

/// What a test message came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WebhookTest {
    /// Whether the address took it.
    pub is_delivered: bool,
    /// The status of its answer.
    pub status: Option<u16>,
    /// How long it took.
    pub duration_ms: u64,
    /// Why it did not count.
    pub failure: Option<String>,
}
