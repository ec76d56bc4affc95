//! Webhooks as their owners see them: made, changed, ended, tested, sent again.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use superroot_account::meter::{Caller, Counted, StatusClass};
use superroot_account::row::{self, Held};
use superroot_account::{AccountId, AccountService, KeyId, Label, SIGNAL_EVENT_WEIGHT, Tier};
use superroot_store::{Batch, Store, StoreError, Table, scan};
use superroot_stream::{Cursor, Subscription};
use superroot_types::{ChainKey, UnixSeconds};
use tokio::sync::Notify;
use uuid::Uuid;

use crate::row::{
    DeadRun, Progress, Secret, State, Webhook, WebhookId, key, of_account, of_environment,
};
use crate::{Answered, Config, WebhookError, address, deliver, new_secret};

/// The route that webhooks are made at, and that the signals they deliver count under.
pub const PATH: &str = "/api/v1/webhooks";

/// Secrets that sign beside the present one, at most.
const OLD_SECRETS_MAX: usize = 2;

/// A webhook that is to be.
#[derive(Clone, Debug)]
pub struct NewWebhook {
    /// The key that makes it.
    pub made_with: KeyId,
    /// Where it is sent.
    pub url: String,
    /// What its owner calls it.
    pub label: Option<Label>,
    /// What is sent, as it was asked for.
    pub asked: Map<String, Value>,
    /// The same as streams know it.
    pub subscription: Subscription,
    /// Place after which it begins.
    pub since: Option<Cursor>,
}

/// What is changed of a webhook; what is left out stays.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Where it is sent.
    pub url: Option<String>,
    /// What its owner calls it; `Some(None)`: nothing.
    pub label: Option<Option<Label>>,
    /// What is sent.
    pub wish: Option<(Map<String, Value>, Subscription)>,
    /// Whether it is sent to.
    pub is_enabled: Option<bool>,
}

/// The webhooks of all accounts. They lie beside the accounts.
pub struct Webhooks {
    store: Arc<dyn Store>,
    accounts: Arc<AccountService>,
    config: Config,
    changed: Notify,
}

impl Webhooks {
    /// The webhooks of these accounts.
    #[must_use]
    pub fn new(accounts: Arc<AccountService>, config: Config) -> Arc<Self> {
        let store = Arc::clone(accounts.store());
        Arc::new(Self { store, accounts, config, changed: Notify::new() })
    }

    /// Its settings.
    #[must_use]
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// The webhooks of an account, oldest first.
    ///
    /// # Errors
    /// [`WebhookError::Store`].
    pub fn of(&self, account: AccountId) -> Result<Vec<Webhook>, WebhookError> {
        let prefix = of_account(self.accounts.environment(), account);
        let mut webhooks = self.under(&prefix)?;
        webhooks.sort_by_key(|webhook| (webhook.created_at, webhook.id));
        Ok(webhooks)
    }

    /// A webhook of an account.
    ///
    /// # Errors
    /// [`WebhookError::Unknown`], [`WebhookError::Store`].
    pub fn get(&self, account: AccountId, id: WebhookId) -> Result<Webhook, WebhookError> {
        Ok(self.load(account, id)?.value)
    }

    /// Makes a webhook, and gives the secret that its messages are signed with.
    ///
    /// # Errors
    /// [`WebhookError::Address`], [`WebhookError::Full`], [`WebhookError::Store`].
    pub fn create(
        &self,
        account: AccountId,
        tier: Tier,
        new: NewWebhook,
    ) -> Result<(Webhook, String), WebhookError> {
        address::check(&new.url, &self.config)?;
        let max = self.accounts.plans().tier(tier).webhooks_max;
        let secret = new_secret();
        let webhook = Webhook {
            id: WebhookId(Uuid::new_v4()),
            account,
            made_with: Some(new.made_with),
            url: new.url,
            label: new.label,
            asked: new.asked,
            subscription: new.subscription,
            state: State::Enabled,
            created_at: self.accounts.now(),
            revision: 0,
            progress: Progress { cursor: new.since, ..Progress::default() },
            secrets: vec![Secret { text: secret.clone(), until: None }],
        };
        let count = u32::try_from(self.of(account)?.len()).unwrap_or(u32::MAX);
        if count >= max {
            return Err(WebhookError::Full { expected: max });
        }
        let mut batch = Batch::new();
        let place = self.place(account, webhook.id);
        row::replace(&mut batch, Table::Webhook, place, None, &webhook);
        self.store.commit(batch)?;
        self.changed.notify_one();
        Ok((webhook, secret))
    }

    /// Changes a webhook. One that goes on after it was stopped or gone goes on where it was.
    ///
    /// # Errors
    /// [`WebhookError::Address`], [`WebhookError::Unknown`], [`WebhookError::Store`].
    pub fn change(
        &self,
        account: AccountId,
        id: WebhookId,
        change: &Change,
    ) -> Result<Webhook, WebhookError> {
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
                    webhook.state = State::Enabled;
                    webhook.progress.next_attempt_at = None;
                }
                Some(false) => webhook.state = State::Paused,
                None => {}
            }
            webhook.revision += 1;
            Ok(())
        })
    }

    /// Ends a webhook.
    ///
    /// # Errors
    /// [`WebhookError::Unknown`], [`WebhookError::Store`].
    pub fn delete(&self, account: AccountId, id: WebhookId) -> Result<Webhook, WebhookError> {
        let deleted = row::commit::<_, WebhookError>(&*self.store, Table::Webhook, || {
            let Held { value, bytes } = self.load(account, id)?;
            let (mut batch, place) = (Batch::new(), self.place(account, id));
            batch.expect(Table::Webhook, place.clone(), Some(&bytes));
            batch.delete(Table::Webhook, place);
            Ok((batch, value))
        })?;
        self.changed.notify_one();
        Ok(deleted)
    }

    /// A new secret; the one before signs beside it for so long.
    ///
    /// # Errors
    /// [`WebhookError::Unknown`], [`WebhookError::Store`].
    pub fn rotate(
        &self,
        account: AccountId,
        id: WebhookId,
        grace_seconds: u64,
    ) -> Result<(Webhook, String), WebhookError> {
        let (secret, now) = (new_secret(), self.accounts.now());
        let until = UnixSeconds(now.0.saturating_add(grace_seconds));
        let webhook = self.update(account, id, |webhook| {
            webhook.secrets.retain(|secret| secret.until.is_none_or(|until| now < until));
            for old in &mut webhook.secrets {
                old.until = Some(old.until.map_or(until, |earlier| earlier.min(until)));
            }
            webhook.secrets.insert(0, Secret { text: secret.clone(), until: None });
            webhook.secrets.truncate(1 + OLD_SECRETS_MAX);
            webhook.revision += 1;
            Ok(())
        })?;
        Ok((webhook, secret))
    }

    /// Sends a test message, once, and waits for its answer no longer than `within`.
    ///
    /// # Errors
    /// [`WebhookError::Client`].
    pub async fn test(
        &self,
        webhook: &Webhook,
        within: Duration,
    ) -> Result<Answered, WebhookError> {
        let within = u64::try_from(within.as_millis()).unwrap_or(u64::MAX).max(1);
        let timeout_ms = self.config.timeout_ms.min(within);
        let config = Config { timeout_ms, ..self.config.clone() };
        deliver::test(&config, webhook, self.accounts.now()).await
    }

    /// Has the oldest run of dead letters sent again, and then the webhook go on where it was.
    ///
    /// # Errors
    /// [`WebhookError::NothingDead`], [`WebhookError::Unknown`], [`WebhookError::Store`].
    pub fn replay(
        &self,
        account: AccountId,
        id: WebhookId,
    ) -> Result<(Webhook, DeadRun), WebhookError> {
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

    /// Changes a row as it stands, and has the dispatcher look.
    fn update(
        &self,
        account: AccountId,
        id: WebhookId,
        change: impl FnMut(&mut Webhook) -> Result<(), WebhookError>,
    ) -> Result<Webhook, WebhookError> {
        let changed = self.write(account, id, change)?;
        self.changed.notify_one();
        Ok(changed)
    }

    /// Changes a row as it stands.
    pub(crate) fn write(
        &self,
        account: AccountId,
        id: WebhookId,
        mut change: impl FnMut(&mut Webhook) -> Result<(), WebhookError>,
    ) -> Result<Webhook, WebhookError> {
        row::commit(&*self.store, Table::Webhook, || {
            let Held { mut value, bytes } = self.load(account, id)?;
            change(&mut value)?;
            let mut batch = Batch::new();
            let place = self.place(account, id);
            row::replace(&mut batch, Table::Webhook, place, Some(&bytes), &value);
            Ok((batch, value))
        })
    }

    /// Every webhook that is to be sent to: enabled, of an account whose tier has webhooks; and of one that owes nothing,
    /// where what it is sent weighs.
    pub(crate) fn due(
        &self,
        owes: &dyn Fn(AccountId) -> bool,
    ) -> Result<Vec<Webhook>, WebhookError> {
        let all = self.under(&of_environment(self.accounts.environment()))?;
        let is_served = |webhook: &Webhook| {
            let rights = self.accounts.accounts().rights(webhook.account);
            rights.is_ok_and(|rights| self.accounts.plans().tier(rights.tier).webhooks_max > 0)
        };
        let enabled = all.into_iter().filter(|webhook| webhook.state == State::Enabled);
        let is_paid = |webhook: &Webhook| !webhook.weighs() || !owes(webhook.account);
        Ok(enabled.filter(is_served).filter(is_paid).collect())
    }

    /// Waits until an owner has changed one.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Counts a delivered signal under the key that made the webhook, and under [`PATH`].
    pub(crate) fn weigh_signal(&self, webhook: &Webhook, chain: Option<ChainKey>) {
        let mut routes = self.accounts.config().routes.iter();
        let route = routes.find(|route| route.path == PATH);
        let Some((route, key)) = route.zip(webhook.made_with) else { return };
        self.accounts.meter().weigh(&Counted {
            environment: self.accounts.environment(),
            caller: Caller::Account { account: webhook.account, key },
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

    fn load(&self, account: AccountId, id: WebhookId) -> Result<Held<Webhook>, WebhookError> {
        let held = row::load(&*self.store, Table::Webhook, &self.place(account, id))?;
        held.ok_or_else(|| WebhookError::Unknown { id: id.to_string() })
    }

    fn under(&self, prefix: &[u8]) -> Result<Vec<Webhook>, WebhookError> {
        let rows = scan::rows_of(&*self.store, Table::Webhook, prefix);
        let decoded = rows.map(|one| {
            let (key, bytes) = one?;
            row::decode(Table::Webhook, &key, &bytes)
        });
        Ok(decoded.collect::<Result<_, StoreError>>()?)
    }
}
