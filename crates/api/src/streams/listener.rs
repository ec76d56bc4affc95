//! A listener as every mouth has it: what it is told, whether its key still stands, and its heartbeat.

use std::sync::Arc;
use std::time::Duration;

use superroot_account::{Access, Entitlement, Grid, Passage, Route as Gate};
use superroot_stream::{StreamError, Subscriber, Told};
use superroot_wire::stream::{StreamEnded, StreamReady};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use super::ask::StreamAsk;
use crate::ApiError;
use crate::service::Shared;

/// Time between signs of life, and between looks at the key.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(10);
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
    service: Shared,
    entitlement: Arc<Entitlement>,
    path: &'static str,
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
        let asked = ask.clone();
        let not_indexed = service.blocking(move |api| asked.not_indexed(api)).await?;
        let subscriber = Subscriber::new(service.api.hub.clone(), ask.subscription, ask.since);
        let ready = subscriber.ready(not_indexed);
        let mut beat = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let service = Arc::clone(service);
        let listener = Self { subscriber, service, entitlement, path, beat, has_ended: false };
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
                match self.refused().await {
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

    fn end(&mut self, why: &'static str) -> Word {
        self.has_ended = true;
        let cursor = self.subscriber.cursor().map(|cursor| cursor.to_string()).unwrap_or_default();
        Word::Ended(StreamEnded { cursor, why })
    }

    /// Why the key opens no stream any more. Where that cannot be known now, the stream goes on.
    async fn refused(&mut self) -> Option<&'static str> {
        let given = Arc::clone(&self.entitlement);
        let renewed = self.service.account(move |accounts| {
            Ok(match accounts.accounts().renew(&given) {
                Ok(renewed) => Some(Some(renewed)),
                Err(error) if error.refuses_key() => Some(None),
                Err(_) => None,
            })
        });
        match renewed.await {
            Ok(Some(Some(renewed))) => {
                let access = Access::AtLeast(superroot_account::Tier::Builder);
                let gate = Gate { path: self.path, grid: Some(Grid::G5), access };
                if gate.pass(&[], Some(&renewed)) != Passage::Allowed {
                    return Some("the key does not open this stream any more");
                }
                self.entitlement = renewed;
                None
            }
            Ok(Some(None)) => Some("the key is not in force any more"),
            Ok(None) | Err(_) => None,
        }
    }
}
