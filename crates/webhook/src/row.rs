//! Webhook rows, next to the accounts: `environment:u8 ‖ account:16 ‖ id:16` to a version byte and JSON.

use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use superroot_account::{AccountId, Environment, KeyId, Label};
use superroot_stream::{ListenerFilter, LogCursor, Topic};
use superroot_types::UnixSeconds;
use uuid::Uuid;

/// Most stored runs of dead letters; further runs drop the oldest.
const DEAD_RUNS_MAX: usize = 100;

/// Webhook id: a random UUID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WebhookId(pub Uuid);

impl fmt::Display for WebhookId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for WebhookId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, uuid::Error> {
        text.parse().map(Self)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WebhookState {
    Enabled,
    /// Paused by the owner.
    Paused,
    /// Ended by the receiver (410).
    Gone,
}

/// Signing secret with its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SigningSecret {
    pub(crate) text: String,
    /// First second without this signature; `None` for the current secret.
    pub(crate) until: Option<UnixSeconds>,
}

/// Run of the log that could not be delivered in time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeadRun {
    /// Cursor before the first event.
    #[serde(with = "text")]
    pub after: LogCursor,
    /// The last event's cursor.
    #[serde(with = "text")]
    pub last: LogCursor,
    /// Number of events.
    pub count: u64,
    /// Time at which the last event was given up.
    pub given_up_at: UnixSeconds,
    /// The last attempt's failure.
    pub why: String,
}

/// A webhook's delivery progress.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WebhookProgress {
    /// Cursor of the last event delivered or given up.
    #[serde(with = "maybe_text")]
    pub cursor: Option<LogCursor>,
    /// Delivered events.
    pub delivered: u64,
    /// The last delivery's time.
    pub delivered_at: Option<UnixSeconds>,
    /// Failed attempts since the last delivery.
    pub failed_attempts: u32,
    /// Time of the first failure since the last delivery.
    pub failing_since: Option<UnixSeconds>,
    /// The last attempt's failure.
    pub last_failure: Option<String>,
    pub next_attempt_at: Option<UnixSeconds>,
    /// Runs given up, oldest first.
    pub dead: Vec<DeadRun>,
    /// Run under replay.
    pub replaying: Option<DeadRun>,
}

impl WebhookProgress {
    /// Records an event as given up; an adjacent event extends the last run.
    pub(crate) fn give_up(
        &mut self,
        after: LogCursor,
        last: LogCursor,
        now: UnixSeconds,
        why: &str,
    ) {
        let why = why.to_owned();
        if let Some(run) = self.dead.last_mut().filter(|run| run.last == after) {
            (run.last, run.count, run.given_up_at, run.why) = (last, run.count + 1, now, why);
            return;
        }
        self.dead.push(DeadRun { after, last, count: 1, given_up_at: now, why });
        if self.dead.len() > DEAD_RUNS_MAX {
            self.dead.remove(0);
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WebhookRow {
    pub id: WebhookId,
    pub account: AccountId,
    /// Creating key: delivered signals count under this key. `None` for a webhook of an earlier build, which counts
    /// nothing.
    #[serde(default)]
    pub made_with: Option<KeyId>,
    pub url: String,
    pub label: Option<Label>,
    /// Requested filter, as submitted.
    pub asked: Map<String, Value>,
    /// Filter in the form of streams.
    #[serde(with = "encoded")]
    pub subscription: ListenerFilter,
    pub state: WebhookState,
    pub created_at: UnixSeconds,
    /// Number of changes by the owner.
    pub revision: u64,
    pub progress: WebhookProgress,
    /// Signing secrets, the current one first.
    pub(crate) secrets: Vec<SigningSecret>,
}

impl WebhookRow {
    /// Whether the filter can match events that cost billing tokens: such a webhook pauses while the account owes.
    #[must_use]
    pub fn weighs(&self) -> bool {
        self.subscription.topics.contains(&Topic::Launches)
    }
}

pub(crate) fn key(environment: Environment, account: AccountId, id: WebhookId) -> Vec<u8> {
    [&of_account(environment, account)[..], id.0.as_bytes()].concat()
}

/// Key prefix of an account's webhooks.
pub(crate) fn of_account(environment: Environment, account: AccountId) -> Vec<u8> {
    [&of_environment(environment)[..], account.0.as_bytes()].concat()
}

/// Key prefix of all webhooks.
pub(crate) const fn of_environment(environment: Environment) -> [u8; 1] {
    [match environment {
        Environment::Live => 0,
        Environment::Test => 1,
    }]
}

mod text {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use superroot_stream::LogCursor;

    pub(super) fn serialize<S: Serializer>(cursor: &LogCursor, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(cursor)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<LogCursor, D::Error> {
        String::deserialize(input)?.parse().map_err(D::Error::custom)
    }
}

mod maybe_text {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use superroot_stream::LogCursor;

    pub(super) fn serialize<S: Serializer>(
        cursor: &Option<LogCursor>,
        out: S,
    ) -> Result<S::Ok, S::Error> {
        cursor.map(|cursor| cursor.to_string()).serialize(out)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        input: D,
    ) -> Result<Option<LogCursor>, D::Error> {
        let text = Option::<String>::deserialize(input)?;
        text.map(|text| text.parse().map_err(D::Error::custom)).transpose()
    }
}

mod encoded {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use superroot_stream::ListenerFilter;

    pub(super) fn serialize<S: Serializer>(
        what: &ListenerFilter,
        out: S,
    ) -> Result<S::Ok, S::Error> {
        out.serialize_str(&const_hex::encode(what.encode()))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        input: D,
    ) -> Result<ListenerFilter, D::Error> {
        let text = String::deserialize(input)?;
        let bytes = const_hex::decode(text).map_err(D::Error::custom)?;
        ListenerFilter::decode(&bytes).ok_or_else(|| D::Error::custom("not a subscription"))
    }
}

#[cfg(test)]
mod tests {
    use superroot_stream::RowPosition;

    use super::*;

    fn at(row: u64) -> LogCursor {
        LogCursor { log: 7, row, place: RowPosition::default() }
    }

    #[test]
    fn what_is_given_up_in_a_row_is_one_run() {
        let mut progress = WebhookProgress::default();
        let now = UnixSeconds(1);
        progress.give_up(at(1), at(2), now, "500");
        progress.give_up(at(2), at(5), now, "timeout");
        progress.give_up(at(7), at(8), now, "500");
        let runs: Vec<_> =
            progress.dead.iter().map(|run| (run.after.row, run.last.row, run.count)).collect();
        assert_eq!(runs, [(1, 5, 2), (7, 8, 1)]);
        assert_eq!(progress.dead[0].why, "timeout");
        (0..200).for_each(|place| progress.give_up(at(10 * place), at(10 * place + 1), now, "x"));
        assert_eq!(progress.dead.len(), DEAD_RUNS_MAX);
    }
}
