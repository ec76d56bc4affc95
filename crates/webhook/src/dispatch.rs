//! Event delivery: one task per webhook.

use std::collections::HashMap;
use std::sync::Arc;

use reqwest::Client;
use superroot_account::AccountId;
use superroot_stream::Hub;
use tokio::task::{AbortHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::row::WebhookId;
use crate::sender::{ATTEMPTS, GIVEN_UP, Sender};
use crate::{WebhookError, Webhooks, address};

/// Sender of events to every due webhook. The caller runs [`dispatch`](Self::dispatch) now and then, and after each
/// change.
pub struct Dispatcher {
    webhooks: Arc<Webhooks>,
    hub: Hub,
    client: Client,
    owes: Box<Owes>,
    running: HashMap<WebhookId, RunningSender>,
    tasks: JoinSet<()>,
    shutdown: CancellationToken,
}

struct RunningSender {
    /// Revision of the webhook that is sent.
    revision: u64,
    stop: CancellationToken,
    task: AbortHandle,
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
        // they stand at 0 from the start
        metrics::counter!(GIVEN_UP).increment(0);
        for result in ["delivered", "failed"] {
            metrics::counter!(ATTEMPTS, "result" => result).increment(0);
        }
        Ok(Self {
            client: address::client(webhooks.config())?,
            webhooks,
            hub,
            owes: Box::new(owes),
            running: HashMap::new(),
            tasks: JoinSet::new(),
            shutdown: CancellationToken::new(),
        })
    }

    /// Starts a sender for each due webhook without one, and stops senders of webhooks that have changed or are no
    /// longer due. Blocks; must be called within a runtime.
    ///
    /// # Errors
    /// The webhooks cannot be read; running senders continue.
    pub fn dispatch(&mut self) -> Result<(), WebhookError> {
        let due = self.webhooks.due(&*self.owes)?;
        let wanted: HashMap<_, _> =
            due.iter().map(|webhook| (webhook.id, webhook.revision)).collect();
        self.running.retain(|id, sender| {
            if wanted.get(id) != Some(&sender.revision) {
                sender.stop.cancel();
            }
            // the next one begins where this one has written that it was
            !sender.task.is_finished()
        });
        for webhook in due {
            if self.running.contains_key(&webhook.id) {
                continue;
            }
            let (id, revision) = (webhook.id, webhook.revision);
            let (webhooks, hub) = (Arc::clone(&self.webhooks), self.hub.clone());
            let sender = Sender::new(webhooks, hub, self.client.clone(), webhook);
            let stop = self.shutdown.child_token();
            let task = self.tasks.spawn(sender.run(stop.clone()));
            self.running.insert(id, RunningSender { revision, stop, task });
        }
        metrics::gauge!("superroot_webhook_active").set(self.running.len() as f64);
        Ok(())
    }

    /// Waits for a change by an owner, or the end of a sender.
    pub async fn changed(&mut self) {
        tokio::select! {
            () = self.webhooks.changed() => {}
            Some(_) = self.tasks.join_next() => {}
        }
    }

    /// Stops every sender, and waits until each has written its progress.
    pub async fn end(&mut self) {
        self.shutdown.cancel();
        while self.tasks.join_next().await.is_some() {}
    }
}
