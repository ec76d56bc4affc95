//! Event delivery: one task per webhook.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use reqwest::Client;
use superroot_account::AccountId;
use superroot_stream::Hub;
use tokio::task::{AbortHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::row::WebhookId;
use crate::sender::{ATTEMPTS, GIVEN_UP, Sender};
use crate::{WebhookError, Webhooks, address};

/// Interval between scans of all webhooks: an account whose tier has ended receives events for at most this long.
const LOOK_INTERVAL: Duration = Duration::from_secs(20);

/// Sender of events to every due webhook.
pub struct Dispatcher {
    webhooks: Arc<Webhooks>,
    hub: Hub,
    client: Client,
    owes: Arc<Owes>,
}

/// Whether an account must pay before receiving more billed events. Blocks.
type Owes = dyn Fn(AccountId) -> bool + Send + Sync;

impl Dispatcher {
    /// Creates a dispatcher that has not started. An account that `owes` receives no signals until it has paid;
    /// delivery then resumes at the stored cursor.
    pub fn new(
        webhooks: Arc<Webhooks>,
        hub: Hub,
        owes: impl Fn(AccountId) -> bool + Send + Sync + 'static,
    ) -> Result<Self, WebhookError> {
        let client = address::client(webhooks.config())?;
        Ok(Self { webhooks, hub, client, owes: Arc::new(owes) })
    }

    /// Sends until `shutdown`, then writes the progress of each webhook.
    pub fn run(self, shutdown: CancellationToken) -> BoxFuture<'static, ()> {
        self.send_until(shutdown).boxed()
    }

    async fn send_until(self, shutdown: CancellationToken) {
        // they stand at 0 from the start
        metrics::counter!(GIVEN_UP).increment(0);
        for result in ["delivered", "failed"] {
            metrics::counter!(ATTEMPTS, "result" => result).increment(0);
        }
        let mut running: HashMap<WebhookId, (u64, CancellationToken, AbortHandle)> = HashMap::new();
        let mut tasks = JoinSet::new();
        loop {
            let webhooks = Arc::clone(&self.webhooks);
            let owes = Arc::clone(&self.owes);
            let due = tokio::task::spawn_blocking(move || webhooks.due(&*owes)).await;
            match due {
                Ok(Ok(due)) => {
                    let wanted: HashMap<_, _> =
                        due.iter().map(|webhook| (webhook.id, webhook.revision)).collect();
                    running.retain(|id, (revision, stop, task)| {
                        if wanted.get(id) != Some(revision) {
                            stop.cancel();
                        }
                        // the next one begins where this one has written that it was
                        !task.is_finished()
                    });
                    for webhook in due {
                        if running.contains_key(&webhook.id) {
                            continue;
                        }
                        let stop = shutdown.child_token();
                        let id = webhook.id;
                        let revision = webhook.revision;
                        let webhooks = Arc::clone(&self.webhooks);
                        let hub = self.hub.clone();
                        let sender = Sender::new(webhooks, hub, self.client.clone(), webhook);
                        let task = tasks.spawn(sender.run(stop.clone()));
                        running.insert(id, (revision, stop, task));
                    }
                    metrics::gauge!("superroot_webhook_active").set(running.len() as f64);
                }
                Ok(Err(error)) => tracing::warn!(%error, "webhooks cannot be read"),
                Err(error) => tracing::error!(%error, "looking at webhooks panicked"),
            }
            tokio::select! {
                () = tokio::time::sleep(LOOK_INTERVAL) => {}
                () = self.webhooks.changed() => {}
                Some(_) = tasks.join_next() => {}
                () = shutdown.cancelled() => break,
            }
        }
        while tasks.join_next().await.is_some() {}
    }
}
