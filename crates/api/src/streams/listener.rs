//! A listener as every mouth has it: what it is told, whether its key still stands, and its heartbeat.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use superroot_account::Entitlement;
use superroot_stream::{Item, StreamError, Subscriber, Told};
use superroot_wire::stream::{StreamEnded, StreamReady};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use super::ask::StreamAsk;
use super::open_key::OpenKey;
use crate::ApiError;
use crate::service::{Api, Shared};

/// Time between signs of life, and between looks at the key.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(10);
/// Time before a log that cannot be read is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// What a listener is told.
pub(crate) enum Word {
    Told(Told),
    /// A sign of life.
    Alive,
    /// Nothing comes after.
    Ended(StreamEnded),
}

/// A listener whose key is looked at now and then.
pub(crate) struct Listener {
    pub(super) subscriber: Subscriber,
    key: OpenKey,
    beat: Interval,
    has_ended: bool,
}

impl Listener {
    /// A listener, and the first that it is told.
    ///
    /// # Errors
    /// As [`StreamAsk::not_indexed`].
    pub(crate) async fn open(
        service: &Shared,
        entitlement: Arc<Entitlement>,
        path: &'static str,
        ask: StreamAsk,
    ) -> Result<(Self, StreamReady), ApiError> {
        let mut ask = ask;
        let check = move |api: &Api| {
            ask.find_order(api)?;
            let not_indexed = ask.not_indexed(api)?;
            Ok((ask, not_indexed))
        };
        let (ask, not_indexed) = service.blocking(check).await?;
        let subscriber = Subscriber::new(service.api.hub.clone(), ask.subscription, ask.since);
        let ready = subscriber.ready(not_indexed);
        let mut beat = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let key = OpenKey::new(service, entitlement, path);
        let listener = Self { subscriber, key, beat, has_ended: false };
        Ok((listener, ready))
    }

    /// What it is told next; `None` when nothing comes any more.
    pub(crate) async fn next(&mut self) -> Option<Word> {
        if self.has_ended {
            return None;
        }
        tokio::select! {
            biased;
            _ = self.beat.tick() => {
                match self.key.refused().await {
                    None => Some(Word::Alive),
                    Some(why) => Some(self.end(why)),
                }
            }
            told = self.subscriber.next() => Some(match told {
                Ok(told) => {
                    self.has_ended = matches!(told, Told::Lagged(_));
                    Word::Told(told)
                }
                Err(StreamError::Ended) => self.end("the service stops; come back with this cursor"),
                Err(error) => {
                    tracing::warn!(%error, "a stream cannot be read, it is tried again");
                    tokio::time::sleep(RETRY).await;
                    Word::Alive
                }
            }),
        }
    }

    /// As [`OpenKey::own`].
    pub(crate) fn own(&self, data: &impl Serialize) -> Value {
        self.key.own(data)
    }

    /// Counts an event that is delivered, where it is a signal.
    pub(crate) fn delivers(&self, item: &Item) {
        if item.launch_usd().is_some() {
            self.key.weigh_signal(item.chain);
        }
    }

    fn end(&mut self, why: &'static str) -> Word {
        self.has_ended = true;
        let cursor = self.subscriber.cursor().map(|cursor| cursor.to_string()).unwrap_or_default();
        Word::Ended(StreamEnded { cursor, why })
    }
}
