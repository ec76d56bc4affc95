//! Webhook operations of an owner: create, change, delete, test, replay.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use superroot_account::meter::{CountedRequest, MeteredCaller, StatusClass};
use superroot_account::row::{self, RowSnapshot};
use superroot_account::{AccountId, AccountService, KeyId, Label, SIGNAL_EVENT_WEIGHT, Tier};
use superroot_store::{Store, StoreError, Table, WriteBatch, scan};
use superroot_stream::{ListenerFilter, LogCursor};
use superroot_types::{ChainKey, UnixSeconds};
use tokio::sync::Notify;
use uuid::Uuid;

use crate::row::{
    DeadRun, SigningSecret, WebhookId, WebhookProgress, WebhookRow, WebhookState, key, of_account,
    of_environment,
};
use crate::{DeliveryResult, WebhookConfig, WebhookError, address, deliver, new_secret};

/// Route of webhook creation; delivered signals count under this route.
pub const PATH: &str = "/api/v1/webhooks";

/// Most old secrets that sign along with the current one.
const OLD_SECRETS_MAX: usize = 2;

#[derive(Clone, Debug)]
pub struct NewWebhook {
    pub made_with: KeyId,
    pub url: String,
    pub label: Option<Label>,
    /// Requested filter, as submitted.
    pub asked: Map<String, Value>,
    /// Filter in the form of streams.
    pub subscription: ListenerFilter,
    /// Cursor before the first event.
    pub since: Option<LogCursor>,
}

/// A webhook's change; omitted fields stay.
#[derive(Clone, Debug, Default)]
pub struct WebhookChange {
    pub url: Option<String>,
    /// New label; `Some(None)` removes the label.
    pub label: Option<Option<Label>>,
    /// New filter, as submitted and in the form of streams.
    pub wish: Option<(Map<String, Value>, ListenerFilter)>,
    pub is_enabled: Option<bool>,
}

/// Webhooks of all accounts, stored next to the accounts.
pub struct Webhooks {
    store: Arc<dyn Store>,
    accounts: Arc<AccountService>,
    config: WebhookConfig,
    changed: Notify,
}

impl Webhooks {
    #[must_use]
    pub fn new(accounts: Arc<AccountService>, config: WebhookConfig) -> Arc<Self> {
        let store = Arc::clone(accounts.store());
        Arc::new(Self { store, accounts, config, changed: Notify::new() })
    }

    #[must_use]
    pub const fn config(&self) -> &WebhookConfig {
        &self.config
    }

    /// An account's webhooks, oldest first.
    pub fn of(&self, account: AccountId) -> Result<Vec<WebhookRow>, WebhookError> {
        let prefix = of_account(self.accounts.environment(), account);
        let mut webhooks = self.under(&prefix)?;
        webhooks.sort_by_key(|webhook| (webhook.created_at, webhook.id));
        Ok(webhooks)
    }

    /// Returns a webhook of an account.
    pub fn get(&self, account: AccountId, id: WebhookId) -> Result<WebhookRow, WebhookError> {
        Ok(self.load(account, id)?.value)
    }

    /// Creates a webhook and returns the signing secret.
    pub fn create(
        &self,
        account: AccountId,
        tier: Tier,
        new: NewWebhook,
    ) -> Result<(WebhookRow, String), WebhookError> {
        address::check(&new.url, &self.config)?;
        let max = self.accounts.plans().tier(tier).webhooks_max;
        let secret = new_secret();
        let webhook = WebhookRow {
            id: WebhookId(Uuid::new_v4()),
            account,
            made_with: Some(new.made_with),
            url: new.url,
            label: new.label,
            asked: new.asked,
            subscription: new.subscription,
            state: WebhookState::Enabled,
            created_at: self.accounts.now(),
            revision: 0,
            progress: WebhookProgress { cursor: new.since, ..WebhookProgress::default() },
            secrets: vec![SigningSecret { text: secret.clone(), until: None }],
        };
        let count = u32::try_from(self.of(account)?.len()).unwrap_or(u32::MAX);
        if count >= max {
            return Err(WebhookError::Full { expected: max });
        }
        let mut batch = WriteBatch::new();
        let place = self.place(account, webhook.id);
        row::replace(&mut batch, Table::Webhook, place, None, &webhook);
        self.store.commit(batch)?;
        self.changed.notify_one();
        Ok((webhook, secret))
    }

    /// Changes a webhook. A paused or ended webhook that is enabled resumes at its cursor.
    pub fn change(
        &self,
        account: AccountId,
        id: WebhookId,
        change: &WebhookChange,
    ) -> Result<WebhookRow, WebhookError> {
        if let Some(url) = &change.url {
            address::check(url, &self.config)?;
        }
        self.update(account, id, |webhook| {
            if let Some(url) = change.url.as_ref().filter(|url| **url != webhook.url) {
                webhook.url.clone_from(url);
                // the address before asked for that pause
                webhook.progress.next_attempt_at = None;
            }
            if let Some(label) = &change.label {
                webhook.label.clone_from(label);
            }
            if let Some((asked, subscription)) = &change.wish {
                webhook.asked.clone_from(asked);
                webhook.subscription.clone_from(subscription);
            }
            match change.is_enabled {
                Some(true) => {
                    webhook.state = WebhookState::Enabled;
                    webhook.progress.next_attempt_at = None;
                }
                Some(false) => webhook.state = WebhookState::Paused,
                None => {}
            }
            webhook.revision += 1;
            Ok(())
        })
    }

    /// Deletes a webhook.
    pub fn delete(&self, account: AccountId, id: WebhookId) -> Result<WebhookRow, WebhookError> {
        let deleted = row::commit::<_, WebhookError>(&*self.store, Table::Webhook, || {
            let RowSnapshot { value, bytes } = self.load(account, id)?;
            let mut batch = WriteBatch::new();
            let place = self.place(account, id);
            batch.expect(Table::Webhook, place.clone(), Some(&bytes));
            batch.delete(Table::Webhook, place);
            Ok((batch, value))
        })?;
        self.changed.notify_one();
        Ok(deleted)
    }

    /// Creates a new secret; the previous one also signs for the given time.
    pub fn rotate(
        &self,
        account: AccountId,
        id: WebhookId,
        grace_seconds: u64,
    ) -> Result<(WebhookRow, String), WebhookError> {
        let secret = new_secret();
        let now = self.accounts.now();
        let until = UnixSeconds(now.0.saturating_add(grace_seconds));
        let webhook = self.update(account, id, |webhook| {
            webhook.secrets.retain(|secret| secret.until.is_none_or(|until| now < until));
            for old in &mut webhook.secrets {
                old.until = Some(old.until.map_or(until, |earlier| earlier.min(until)));
            }
            webhook.secrets.insert(0, SigningSecret { text: secret.clone(), until: None });
            webhook.secrets.truncate(1 + OLD_SECRETS_MAX);
            webhook.revision += 1;
            Ok(())
        })?;
        Ok((webhook, secret))
    }

    /// Sends one test message and waits at most `within` for the answer.
    pub async fn test(
        &self,
        webhook: &WebhookRow,
        within: Duration,
    ) -> Result<DeliveryResult, WebhookError> {
        let within = u64::try_from(within.as_millis()).unwrap_or(u64::MAX).max(1);
        let timeout_ms = self.config.timeout_ms.min(within);
        let config = WebhookConfig { timeout_ms, ..self.config.clone() };
        deliver::test(&config, webhook, self.accounts.now()).await
    }

    /// Resends the oldest run of dead letters; the webhook then resumes at its cursor.
    pub fn replay(
        &self,
        account: AccountId,
        id: WebhookId,
    ) -> Result<(WebhookRow, DeadRun), WebhookError> {
        let mut replayed = None;
        let webhook = self.update(account, id, |webhook| {
            let progress = &mut webhook.progress;
            if progress.replaying.is_none() {
                if progress.dead.is_empty() {
                    return Err(WebhookError::NothingDead);
                }
                progress.replaying = Some(progress.dead.remove(0));
                progress.next_attempt_at = None;
            }
            replayed.clone_from(&progress.replaying);
            webhook.revision += 1;
            Ok(())
        })?;
        Ok((webhook, replayed.ok_or(WebhookError::NothingDead)?))
    }

    /// Changes the current row and wakes the dispatcher.
    fn update(
        &self,
        account: AccountId,
        id: WebhookId,
        change: impl FnMut(&mut WebhookRow) -> Result<(), WebhookError>,
    ) -> Result<WebhookRow, WebhookError> {
        let changed = self.write(account, id, change)?;
        self.changed.notify_one();
        Ok(changed)
    }

    /// Changes the current row.
    pub(crate) fn write(
        &self,
        account: AccountId,
        id: WebhookId,
        mut change: impl FnMut(&mut WebhookRow) -> Result<(), WebhookError>,
    ) -> Result<WebhookRow, WebhookError> {
        row::commit(&*self.store, Table::Webhook, || {
            let RowSnapshot { mut value, bytes } = self.load(account, id)?;
            change(&mut value)?;
            let mut batch = WriteBatch::new();
            let place = self.place(account, id);
            row::replace(&mut batch, Table::Webhook, place, Some(&bytes), &value);
            Ok((batch, value))
        })
    }

    /// Every webhook due for delivery: enabled, of an account whose tier has webhooks; a webhook with billed events
    /// also needs an account that owes nothing.
    pub(crate) fn due(
        &self,
        owes: &dyn Fn(AccountId) -> bool,
    ) -> Result<Vec<WebhookRow>, WebhookError> {
        let all = self.under(&of_environment(self.accounts.environment()))?;
        let is_served = |webhook: &WebhookRow| {
            let rights = self.accounts.accounts().rights(webhook.account);
            rights.is_ok_and(|rights| self.accounts.plans().tier(rights.tier).webhooks_max > 0)
        };
        let enabled = all.into_iter().filter(|webhook| webhook.state == WebhookState::Enabled);
        let is_paid = |webhook: &WebhookRow| !webhook.weighs() || !owes(webhook.account);
        Ok(enabled.filter(is_served).filter(is_paid).collect())
    }

    /// Waits for a change by an owner.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Counts a delivered signal under the webhook's key and [`PATH`].
    pub(crate) fn weigh_signal(&self, webhook: &WebhookRow, chain: Option<ChainKey>) {
        let mut routes = self.accounts.config().routes.iter();
        let route = routes.find(|route| route.path == PATH);
        let Some((route, key)) = route.zip(webhook.made_with) else { return };
        self.accounts.meter().weigh(&CountedRequest {
            environment: self.accounts.environment(),
            caller: MeteredCaller::Account { account: webhook.account, key },
            route: route.number,
            chain,
            status: StatusClass::Success,
            weight: SIGNAL_EVENT_WEIGHT,
            at: self.now(),
        });
    }

    pub(crate) fn now(&self) -> UnixSeconds {
        self.accounts.now()
    }

    fn place(&self, account: AccountId, id: WebhookId) -> Vec<u8> {
        key(self.accounts.environment(), account, id)
    }

    fn load(
        &self,
        account: AccountId,
        id: WebhookId,
    ) -> Result<RowSnapshot<WebhookRow>, WebhookError> {
        let held = row::load(&*self.store, Table::Webhook, &self.place(account, id))?;
        held.ok_or_else(|| WebhookError::Unknown { id: id.to_string() })
    }

    fn under(&self, prefix: &[u8]) -> Result<Vec<WebhookRow>, WebhookError> {
        let rows = scan::rows_of(&*self.store, Table::Webhook, prefix);
        let decoded = rows.map(|one| {
            let (key, bytes) = one?;
            row::decode(Table::Webhook, &key, &bytes)
        });
        Ok(decoded.collect::<Result<_, StoreError>>()?)
    }
}
