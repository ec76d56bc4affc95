//! Listener for every transport: messages, key checks, heartbeat.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use superroot_account::Entitlement;
use superroot_stream::{Delivery, PreparedEvent, StreamError, Subscriber};
use superroot_wire::stream::{StreamEnded, StreamReady};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use super::ask::StreamAsk;
use super::open_key::OpenKey;
use crate::ApiError;
use crate::service::{Api, Shared};

/// Interval for heartbeats and key checks.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(10);
/// Pause before an unreadable log is read again.
const RETRY: Duration = Duration::from_secs(1);

pub(crate) enum ListenerMessage {
    Told(Delivery),
    /// Heartbeat.
    Alive,
    /// Last message.
    Ended(StreamEnded),
}

pub(crate) struct Listener {
    pub(super) subscriber: Subscriber,
    key: OpenKey,
    beat: Interval,
    has_ended: bool,
}

impl Listener {
    /// Opens a listener and returns its first message.
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

    /// Next message; `None` after the last.
    pub(crate) async fn next(&mut self) -> Option<ListenerMessage> {
        if self.has_ended {
            return None;
        }
        tokio::select! {
            biased;
            _ = self.beat.tick() => {
                match self.key.renew_rights().await {
                    None => Some(ListenerMessage::Alive),
                    Some(why) => Some(self.end(why)),
                }
            }
            told = self.subscriber.next() => Some(match told {
                Ok(told) => {
                    self.has_ended = matches!(told, Delivery::Lagged(_));
                    ListenerMessage::Told(told)
                }
                Err(StreamError::Ended) => self.end("the service stops; come back with this cursor"),
                Err(error) => {
                    tracing::warn!(%error, "a stream cannot be read, it is tried again");
                    tokio::time::sleep(RETRY).await;
                    ListenerMessage::Alive
                }
            }),
        }
    }

    /// See [`OpenKey::own`].
    pub(crate) fn own(&self, data: &impl Serialize) -> Value {
        self.key.own(data)
    }

    pub(crate) fn delivers(&self, item: &PreparedEvent) {
        if item.launch_usd().is_some() {
            self.key.weigh_signal(item.chain);
        }
    }

    fn end(&mut self, why: &'static str) -> ListenerMessage {
        self.has_ended = true;
        let cursor = self.subscriber.cursor().map(|cursor| cursor.to_string()).unwrap_or_default();
        ListenerMessage::Ended(StreamEnded { cursor, why })
    }
}
