//! Rows of webhooks, beside the accounts: `environment:u8 ‖ account:16 ‖ id:16` to a version byte and JSON.

use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use superroot_account::{AccountId, Environment, KeyId, Label};
use superroot_stream::{Cursor, Subscription, Topic};
use superroot_types::UnixSeconds;
use uuid::Uuid;

/// Runs of dead letters that are kept; past them the oldest is forgotten.
const DEAD_RUNS_MAX: usize = 100;

/// A webhook: a random UUID.
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

/// Whether a webhook is sent to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It is.
    Enabled,
    /// Its owner has stopped it.
    Paused,
    /// The address said that it wants nothing any more (410).
    Gone,
}

/// A secret, and until when it signs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Secret {
    pub(crate) text: String,
    /// First second that it signs no more; none: it is the present one.
    pub(crate) until: Option<UnixSeconds>,
}

/// A run of the log that could not be delivered in time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeadRun {
    /// Place after which it begins.
    #[serde(with = "text")]
    pub after: Cursor,
    /// Its last event.
    #[serde(with = "text")]
    pub last: Cursor,
    /// Events in it.
    pub count: u64,
    /// When its last event was given up.
    pub given_up_at: UnixSeconds,
    /// What the last attempt came to.
    pub why: String,
}

/// How far a webhook has come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Progress {
    /// Place of the last event that was delivered or given up.
    #[serde(with = "maybe_text")]
    pub cursor: Option<Cursor>,
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
    pub dead: Vec<DeadRun>,
    /// What is being sent again.
    pub replaying: Option<DeadRun>,
}

impl Progress {
    /// Notes an event that was given up; one that follows another lengthens its run.
    pub(crate) fn give_up(&mut self, after: Cursor, last: Cursor, now: UnixSeconds, why: &str) {
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

/// A webhook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Webhook {
    /// Its name.
    pub id: WebhookId,
    /// Whose it is.
    pub account: AccountId,
    /// The key that made it: what it delivers of signals counts under it. None of one that an earlier build made, which
    /// counts nothing.
    #[serde(default)]
    pub made_with: Option<KeyId>,
    /// Where it is sent.
    pub url: String,
    /// What its owner calls it.
    pub label: Option<Label>,
    /// What is sent, as it was asked for.
    pub asked: Map<String, Value>,
    /// The same as streams know it.
    #[serde(with = "encoded")]
    pub subscription: Subscription,
    /// Whether it is sent to.
    pub state: State,
    /// When it was made.
    pub created_at: UnixSeconds,
    /// Counts changes by its owner.
    pub revision: u64,
    /// How far it has come.
    pub progress: Progress,
    /// What signs, the present one first.
    pub(crate) secrets: Vec<Secret>,
}

impl Webhook {
    /// Whether it may be sent events that weigh billing tokens: it rests while its account owes.
    #[must_use]
    pub fn weighs(&self) -> bool {
        self.subscription.topics.contains(&Topic::Launches)
    }
}

/// Key of a webhook.
pub(crate) fn key(environment: Environment, account: AccountId, id: WebhookId) -> Vec<u8> {
    [&of_account(environment, account)[..], id.0.as_bytes()].concat()
}

/// What the keys of an account's webhooks begin with.
pub(crate) fn of_account(environment: Environment, account: AccountId) -> Vec<u8> {
    [&of_environment(environment)[..], account.0.as_bytes()].concat()
}

/// What the keys of all webhooks begin with.
pub(crate) const fn of_environment(environment: Environment) -> [u8; 1] {
    [match environment {
        Environment::Live => 0,
        Environment::Test => 1,
    }]
}

mod text {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use superroot_stream::Cursor;

    pub(super) fn serialize<S: Serializer>(cursor: &Cursor, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(cursor)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Cursor, D::Error> {
        String::deserialize(input)?.parse().map_err(D::Error::custom)
    }
}

mod maybe_text {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use superroot_stream::Cursor;

    pub(super) fn serialize<S: Serializer>(
        cursor: &Option<Cursor>,
        out: S,
    ) -> Result<S::Ok, S::Error> {
        cursor.map(|cursor| cursor.to_string()).serialize(out)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        input: D,
    ) -> Result<Option<Cursor>, D::Error> {
        let text = Option::<String>::deserialize(input)?;
        text.map(|text| text.parse().map_err(D::Error::custom)).transpose()
    }
}

mod encoded {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use superroot_stream::Subscription;

    pub(super) fn serialize<S: Serializer>(what: &Subscription, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(&const_hex::encode(what.encode()))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        input: D,
    ) -> Result<Subscription, D::Error> {
        let text = String::deserialize(input)?;
        let bytes = const_hex::decode(text).map_err(D::Error::custom)?;
        Subscription::decode(&bytes).ok_or_else(|| D::Error::custom("not a subscription"))
    }
}

#[cfg(test)]
mod tests {
    use superroot_stream::Place;

    use super::*;

    fn at(row: u64) -> Cursor {
        Cursor { log: 7, row, place: Place::default() }
    }

    #[test]
    fn what_is_given_up_in_a_row_is_one_run() {
        let mut progress = Progress::default();
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
