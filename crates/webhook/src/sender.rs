//! Sender of one webhook: delivers its events in order, and writes how far it has come.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::RngExt;
use reqwest::Client;
use serde_json::json;
use superroot_stream::{Delivery, Hub, LogCursor, PreparedEvent, StreamError, Subscriber};
use superroot_types::UnixSeconds;
use tokio_util::sync::CancellationToken;

use crate::deliver::{DeliveryResult, RETRY_AFTER_MAX, WebhookMessage, attempt};
use crate::row::{DeadRun, WebhookProgress, WebhookRow, WebhookState};
use crate::{WebhookConfig, WebhookError, Webhooks};

pub(crate) const ATTEMPTS: &str = "superroot_webhook_attempts_total";
pub(crate) const GIVEN_UP: &str = "superroot_webhook_given_up_total";

/// Interval between progress writes without a failure.
const WRITE_INTERVAL: Duration = Duration::from_secs(1);
/// Pause after a log or row that cannot be read.
const FAULT_PAUSE: Duration = Duration::from_secs(1);
/// Most characters of a stored failure.
const FAILURE_CHARS_MAX: usize = 200;

pub(crate) struct Sender {
    webhooks: Arc<Webhooks>,
    hub: Hub,
    client: Client,
    webhook: WebhookRow,
    progress: WebhookProgress,
    written_at: Instant,
    /// Time of the next attempt on the monotonic clock.
    due_at: Option<Instant>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DispatchOutcome {
    Delivered,
    GivenUp,
    /// The webhook receives nothing further.
    Over,
}

impl Sender {
    pub(crate) fn new(
        webhooks: Arc<Webhooks>,
        hub: Hub,
        client: Client,
        webhook: WebhookRow,
    ) -> Self {
        Self {
            webhooks,
            hub,
            client,
            progress: webhook.progress.clone(),
            webhook,
            written_at: Instant::now(),
            due_at: None,
        }
        .resumed()
    }

    /// Resumes the pause stored by the previous process, cut to the longest pause in case the clock was set back.
    fn resumed(mut self) -> Self {
        let Some(at) = self.progress.next_attempt_at else { return self };
        let left = Duration::from_secs(at.0.saturating_sub(self.webhooks.now().0));
        let longest = Duration::from_millis(self.webhooks.config().retry_max_ms);
        self.due_at = Instant::now().checked_add(left.min(longest.max(RETRY_AFTER_MAX)));
        self
    }

    pub(crate) async fn run(mut self, stop: CancellationToken) {
        tokio::select! {
            () = self.send_all() => {}
            () = stop.cancelled() => {}
        }
        self.write().await;
    }

    async fn send_all(&mut self) {
        if self.replay().await == DispatchOutcome::Over {
            return;
        }
        loop {
            if self.follow().await == DispatchOutcome::Over {
                return;
            }
        }
    }

    /// Resends a run of dead letters.
    async fn replay(&mut self) -> DispatchOutcome {
        let Some(run) = self.progress.replaying.clone() else { return DispatchOutcome::Delivered };
        let mut listener = self.listen(Some(run.after));
        loop {
            match listener.next().await {
                Ok(Delivery::Event(item)) if item.cursor <= run.last => {
                    if self.deliver(&item, RetryBound::Answered).await == DispatchOutcome::Over {
                        return DispatchOutcome::Over;
                    }
                    if item.cursor == run.last {
                        break;
                    }
                    // who stops here goes on after it
                    if let Some(run) = &mut self.progress.replaying {
                        (run.after, run.count) = (item.cursor, run.count.saturating_sub(1));
                    }
                    if self.written_at.elapsed() >= WRITE_INTERVAL {
                        self.write().await;
                    }
                }
                // what is over is over: the rest of the run is not kept any more
                Ok(Delivery::Event(_) | Delivery::Stale(_)) => break,
                Ok(Delivery::Lagged(_)) => listener = self.listen(listener.cursor()),
                Err(StreamError::Ended) => return DispatchOutcome::Over,
                Err(error) => self.pause_after(&error).await,
            }
        }
        self.progress.replaying = None;
        self.write().await;
        DispatchOutcome::Delivered
    }

    /// Sends new events from the cursor on; returns when a new listener is needed.
    async fn follow(&mut self) -> DispatchOutcome {
        let mut listener = self.listen(self.progress.cursor);
        if self.progress.cursor.is_none() && listener.cursor().is_some() {
            // a restart goes on here, also where nothing has come yet
            self.progress.cursor = listener.cursor();
            self.write().await;
        }
        loop {
            let told = match self.progress.cursor.filter(|_| self.is_unwritten()) {
                None => listener.next().await,
                Some(_) => tokio::select! {
                    told = listener.next() => told,
                    () = tokio::time::sleep(WRITE_INTERVAL) => {
                        self.write().await;
                        continue;
                    }
                },
            };
            match told {
                Ok(Delivery::Event(item)) => {
                    let after = self.progress.cursor.or_else(|| listener.cursor());
                    match self.deliver(&item, RetryBound::TooOld).await {
                        DispatchOutcome::Over => return DispatchOutcome::Over,
                        DispatchOutcome::Delivered => self.progress.cursor = Some(item.cursor),
                        DispatchOutcome::GivenUp => {
                            let why = self.progress.last_failure.clone().unwrap_or_default();
                            let after = after.unwrap_or(item.cursor);
                            self.progress.give_up(after, item.cursor, self.webhooks.now(), &why);
                            self.progress.cursor = Some(item.cursor);
                            metrics::counter!(GIVEN_UP).increment(1);
                            self.write().await;
                        }
                    }
                    if self.written_at.elapsed() >= WRITE_INTERVAL {
                        self.write().await;
                    }
                }
                Ok(Delivery::Stale(stale)) => {
                    let data = json!({ "since": stale.since, "oldest": stale.oldest,
                        "why": stale.why });
                    let now = self.webhooks.now();
                    let message = WebhookMessage::own(self.webhook.id, "stale", now, &data);
                    let oldest = stale.oldest.parse::<LogCursor>().ok();
                    if self.insist(&message, now, RetryBound::TooOld).await == DispatchOutcome::Over
                    {
                        return DispatchOutcome::Over;
                    }
                    self.progress.cursor = oldest;
                    self.write().await;
                }
                // it waited for its address while the log went on: it reads on from the store
                Ok(Delivery::Lagged(_)) => return DispatchOutcome::Delivered,
                Err(StreamError::Ended) => return DispatchOutcome::Over,
                Err(error) => self.pause_after(&error).await,
            }
        }
    }

    fn listen(&self, since: Option<LogCursor>) -> Subscriber {
        Subscriber::new(self.hub.clone(), self.webhook.subscription.clone(), since)
    }

    async fn deliver(&mut self, item: &PreparedEvent, until: RetryBound) -> DispatchOutcome {
        let message = WebhookMessage::of(self.webhook.id, item);
        let outcome = self.insist(&message, item.at, until).await;
        if outcome == DispatchOutcome::Delivered && item.launch_usd().is_some() {
            self.webhooks.weigh_signal(&self.webhook, item.chain);
        }
        outcome
    }

    /// Retries a message until delivered or given up.
    async fn insist(
        &mut self,
        message: &WebhookMessage,
        happened_at: UnixSeconds,
        until: RetryBound,
    ) -> DispatchOutcome {
        let give_up = self.webhooks.config().give_up_seconds;
        let deadline = UnixSeconds(happened_at.0.saturating_add(give_up));
        loop {
            if let Some(due_at) = self.due_at {
                tokio::time::sleep_until(due_at.into()).await;
            }
            let now = self.webhooks.now();
            let config = self.webhooks.config();
            let answered = attempt(&self.client, config, &self.webhook, message, now).await;
            let result = if answered.failure.is_none() { "delivered" } else { "failed" };
            metrics::counter!(ATTEMPTS, "result" => result).increment(1);
            let now = self.webhooks.now();
            if answered.failure.is_none() {
                let progress = &mut self.progress;
                progress.delivered += 1;
                progress.delivered_at = Some(now);
                let was_failing = progress.failing_since.take().is_some();
                (progress.failed_attempts, progress.next_attempt_at) = (0, None);
                self.due_at = None;
                progress.last_failure = None;
                if was_failing {
                    self.write().await;
                }
                return DispatchOutcome::Delivered;
            }
            if answered.is_gone() {
                self.progress.last_failure = answered.failure;
                self.end().await;
                return DispatchOutcome::Over;
            }
            self.note_failure(&answered, now);
            if until == RetryBound::TooOld && now >= deadline {
                return DispatchOutcome::GivenUp;
            }
            self.write().await;
        }
    }

    fn note_failure(&mut self, answered: &DeliveryResult, now: UnixSeconds) {
        let progress = &mut self.progress;
        progress.failed_attempts = progress.failed_attempts.saturating_add(1);
        progress.failing_since.get_or_insert(now);
        let why = answered.failure.as_deref().unwrap_or_default();
        progress.last_failure = Some(superroot_types::shorten(why, FAILURE_CHARS_MAX));
        let pause = pause(self.webhooks.config(), progress.failed_attempts);
        let pause = answered.retry_after.map_or(pause, |asked| asked.max(pause));
        let seconds = pause.as_millis().div_ceil(1_000);
        let seconds = u64::try_from(seconds).unwrap_or(u64::MAX);
        progress.next_attempt_at = Some(UnixSeconds(now.0.saturating_add(seconds)));
        self.due_at = Instant::now().checked_add(pause);
    }

    fn is_unwritten(&self) -> bool {
        self.progress != self.webhook.progress
    }

    /// Ends the webhook: the receiver refuses all further messages.
    async fn end(&mut self) {
        self.webhook.state = WebhookState::Gone;
        self.write().await;
    }

    /// Writes the progress, unless the owner has changed the webhook: then the next sender writes.
    async fn write(&mut self) {
        self.written_at = Instant::now();
        if !self.is_unwritten() && self.webhook.state == WebhookState::Enabled {
            return;
        }
        let webhooks = Arc::clone(&self.webhooks);
        let progress = self.progress.clone();
        let WebhookRow { account, id, revision, .. } = self.webhook;
        let is_gone = self.webhook.state == WebhookState::Gone;
        let write = move || {
            webhooks.write(account, id, |webhook| {
                let replaying = webhook.progress.replaying.clone();
                let dead = webhook.progress.dead.clone();
                let next_attempt_at = webhook.progress.next_attempt_at;
                webhook.progress.clone_from(&progress);
                if webhook.revision != revision {
                    // what its owner asked for meanwhile stands; a replay under way is as far as it came
                    let is_same =
                        |run: &DeadRun| replaying.as_ref().is_some_and(|now| now.last == run.last);
                    if !webhook.progress.replaying.as_ref().is_some_and(is_same) {
                        webhook.progress.replaying = replaying;
                    }
                    webhook.progress.dead = dead;
                    webhook.progress.next_attempt_at = next_attempt_at;
                }
                if is_gone {
                    webhook.state = WebhookState::Gone;
                }
                Ok(())
            })
        };
        match tokio::task::spawn_blocking(write).await {
            Ok(Ok(_)) => self.webhook.progress = self.progress.clone(),
            // its owner has ended it
            Ok(Err(WebhookError::Unknown { .. })) => {}
            Ok(Err(error)) => {
                tracing::warn!(%error, "how far a webhook has come cannot be written")
            }
            Err(error) => tracing::error!(%error, "writing a webhook panicked"),
        }
    }

    async fn pause_after(&self, error: &StreamError) {
        tracing::warn!(%error, "the log of streams cannot be read, it is tried again");
        tokio::time::sleep(FAULT_PAUSE).await;
    }
}

/// A message's retry limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RetryBound {
    /// Until the message is too old.
    TooOld,
    /// Without limit, as the owner requested the replay.
    Answered,
}

/// Pause after `failures` failures: each twice the previous one, up to the longest, with jitter.
fn pause(config: &WebhookConfig, failures: u32) -> Duration {
    let exponent = failures.saturating_sub(1).min(30);
    let pause = config.retry_first_ms.saturating_mul(1_u64 << exponent).min(config.retry_max_ms);
    Duration::from_millis(rand::rng().random_range(pause - pause / 5..=pause))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_and_end_at_the_longest() {
        let config = WebhookConfig::default();
        for failures in 1..200 {
            let full = (5_000_u64 << (failures - 1).min(20)).min(3_600_000);
            let pause = pause(&config, failures).as_millis() as u64;
            assert!((full - full / 5..=full).contains(&pause), "{failures}: {pause}");
        }
    }
}
