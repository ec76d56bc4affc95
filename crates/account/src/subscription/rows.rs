//! Subscriptions in the store. Keys of table `subscription`:
//!
//! | key | row |
//! |---|---|
//! | `environment:u8 ‖ 1 ‖ subscriber` | [`Subscription`] |
//! | `environment:u8 ‖ 2 ‖ subscriber ‖ number:u64` | [`Transition`], counted from 0 |
//! | `environment:u8 ‖ 3 ‖ chain:u64 ‖ tx:32 ‖ log_index:u32` | the payment and its subscriber |
//!
//! A subscriber is `1 ‖ address:20` or `2 ‖ account:16`; numbers are big-endian; rows are
//! `version:u8 ‖ JSON`.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use superroot_store::{Batch, Direction, Store, StoreError, Table};
use superroot_types::UnixSeconds;

use super::{Event, Payment, PaymentId, Subscriber, Subscription, Transition, apply};
use crate::{AccountError, AccountId, Environment, Plans};

/// Attempts to write before other writers are too many.
pub(crate) const ATTEMPTS_MAX: u32 = 32;

/// Rows that one listing hands out at most.
pub(crate) const LIST_MAX: usize = 1_000;

const TABLE: Table = Table::Subscription;
const ROW_VERSION: u8 = 1;

/// What an event did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The subscription after it.
    pub subscription: Subscription,
    /// The steps it took.
    pub transitions: Vec<Transition>,
    /// Whether the event was a payment that had been counted before: nothing was written.
    pub is_repeat: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PaymentRow {
    subscriber: Subscriber,
    payment: Payment,
}

/// The subscriptions of one environment. Calls block.
#[derive(Clone)]
pub struct Subscriptions {
    store: Arc<dyn Store>,
    environment: Environment,
}

impl Subscriptions {
    /// Those in a store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, environment: Environment) -> Self {
        Self { store, environment }
    }

    /// A subscription as last written; one that never had anything where none is held.
    ///
    /// # Errors
    /// [`AccountError::Store`], [`AccountError::Row`].
    pub fn load(&self, subscriber: &Subscriber) -> Result<Subscription, AccountError> {
        let row = self.store.get(TABLE, &self.key(subscriber))?;
        row.map_or_else(
            || Ok(Subscription::none(*subscriber)),
            |row| decode_row(TABLE, ROW_VERSION, &row),
        )
    }

    /// Applies an event and writes what it did in one commit: see [`apply`]. Repeats it where
    /// another writer was faster. Safe to repeat for payments.
    ///
    /// # Errors
    /// Those of [`apply`]; [`AccountError::PaymentDiffers`], [`AccountError::Contended`],
    /// [`AccountError::Store`], [`AccountError::Row`].
    pub fn apply(
        &self,
        subscriber: &Subscriber,
        event: &Event,
        now: UnixSeconds,
        plans: &Plans,
    ) -> Result<Applied, AccountError> {
        self.apply_with(subscriber, event, now, plans, &mut |_, _| Ok(()))
    }

    /// As [`Subscriptions::apply`], with more written in the same commit: `also` is called once an
    /// attempt, and not for a repeated payment.
    ///
    /// # Errors
    /// As [`Subscriptions::apply`], and whatever `also` returns.
    pub fn apply_with(
        &self,
        subscriber: &Subscriber,
        event: &Event,
        now: UnixSeconds,
        plans: &Plans,
        also: &mut dyn FnMut(&mut Batch, &Applied) -> Result<(), AccountError>,
    ) -> Result<Applied, AccountError> {
        commit_until_done(&*self.store, TABLE, || {
            if let Event::Payment(payment) = event
                && let Some(held) = self.load_payment_row(&payment.id)?
            {
                if held.payment != *payment {
                    return Err(AccountError::PaymentDiffers { id: payment.id.to_string() });
                }
                let subscription = self.load(&held.subscriber)?;
                let applied = Applied { subscription, transitions: vec![], is_repeat: true };
                return Ok((Batch::new(), applied));
            }
            let key = self.key(subscriber);
            let row = self.store.get(TABLE, &key)?;
            let before = row.as_deref().map_or_else(
                || Ok(Subscription::none(*subscriber)),
                |row| decode_row(TABLE, ROW_VERSION, row),
            )?;
            let (subscription, transitions) = apply(&before, event, now, plans)?;
            let mut batch = Batch::new();
            batch.expect(TABLE, key.clone(), row.as_deref());
            batch.put(TABLE, key, encode_row(ROW_VERSION, &subscription)?);
            for (number, transition) in (before.transition_count..).zip(&transitions) {
                let key = self.transition_key(subscriber, number);
                batch.expect(TABLE, key.clone(), None);
                batch.put(TABLE, key, encode_row(ROW_VERSION, transition)?);
            }
            if let Event::Payment(payment) = event {
                let key = self.payment_key(&payment.id);
                let row = PaymentRow { subscriber: *subscriber, payment: payment.clone() };
                batch.expect(TABLE, key.clone(), None);
                batch.put(TABLE, key, encode_row(ROW_VERSION, &row)?);
            }
            let applied = Applied { subscription, transitions, is_repeat: false };
            also(&mut batch, &applied)?;
            Ok((batch, applied))
        })
    }

    /// Steps of a subscription from a number on (counted from 0), at most a thousand.
    ///
    /// # Errors
    /// [`AccountError::Store`], [`AccountError::Row`].
    pub fn transitions(
        &self,
        subscriber: &Subscriber,
        from: u64,
        limit: usize,
    ) -> Result<Vec<Transition>, AccountError> {
        let start = self.transition_key(subscriber, from);
        let mut end = self.transition_key(subscriber, u64::MAX);
        end.push(0);
        let limit = limit.min(LIST_MAX);
        let rows = self.store.scan(TABLE, &start, Some(&end), limit, Direction::Rising)?;
        rows.iter().map(|(_, row)| decode_row(TABLE, ROW_VERSION, row)).collect()
    }

    /// A payment that was counted, and for whom.
    ///
    /// # Errors
    /// [`AccountError::Store`], [`AccountError::Row`].
    pub fn payment(&self, id: &PaymentId) -> Result<Option<(Subscriber, Payment)>, AccountError> {
        Ok(self.load_payment_row(id)?.map(|row| (row.subscriber, row.payment)))
    }

    /// Subscriptions after a subscriber (or from the first), wallets before accounts, at most a
    /// thousand.
    ///
    /// # Errors
    /// [`AccountError::Store`], [`AccountError::Row`].
    pub fn list(
        &self,
        after: Option<&Subscriber>,
        limit: usize,
    ) -> Result<Vec<Subscription>, AccountError> {
        let start = after.map_or_else(
            || vec![environment_byte(self.environment), 1],
            |after| [self.key(after), vec![0]].concat(),
        );
        let end = [environment_byte(self.environment), 2];
        let limit = limit.min(LIST_MAX);
        let rows = self.store.scan(TABLE, &start, Some(&end), limit, Direction::Rising)?;
        rows.iter().map(|(_, row)| decode_row(TABLE, ROW_VERSION, row)).collect()
    }

    fn load_payment_row(&self, id: &PaymentId) -> Result<Option<PaymentRow>, AccountError> {
        let row = self.store.get(TABLE, &self.payment_key(id))?;
        row.map(|row| decode_row(TABLE, ROW_VERSION, &row)).transpose()
    }

    fn key(&self, subscriber: &Subscriber) -> Vec<u8> {
        let mut key = vec![environment_byte(self.environment), 1];
        push_subscriber(&mut key, subscriber);
        key
    }

    fn transition_key(&self, subscriber: &Subscriber, number: u64) -> Vec<u8> {
        let mut key = vec![environment_byte(self.environment), 2];
        push_subscriber(&mut key, subscriber);
        key.extend(number.to_be_bytes());
        key
    }

    fn payment_key(&self, id: &PaymentId) -> Vec<u8> {
        let mut key = vec![environment_byte(self.environment), 3];
        key.extend(id.chain.0.to_be_bytes());
        key.extend(id.tx.0);
        key.extend(id.log_index.to_be_bytes());
        key
    }
}

fn push_subscriber(key: &mut Vec<u8>, subscriber: &Subscriber) {
    match subscriber {
        Subscriber::Wallet(address) => {
            key.push(1);
            key.extend(address.0);
        }
        Subscriber::Account(AccountId(uuid)) => {
            key.push(2);
            key.extend(uuid.as_bytes());
        }
    }
}

/// The byte that keys of rows of an environment begin with.
pub(crate) const fn environment_byte(environment: Environment) -> u8 {
    match environment {
        Environment::Live => 1,
        Environment::Test => 2,
    }
}

/// `version:u8 ‖ JSON`.
pub(crate) fn encode_row<T: Serialize>(version: u8, row: &T) -> Result<Vec<u8>, AccountError> {
    let mut bytes = vec![version];
    serde_json::to_writer(&mut bytes, row).map_err(|_| AccountError::Unwritable)?;
    Ok(bytes)
}

/// Reads what [`encode_row`] wrote.
pub(crate) fn decode_row<T: DeserializeOwned>(
    table: Table,
    version: u8,
    row: &[u8],
) -> Result<T, AccountError> {
    let corrupt = |why: String| AccountError::Row { table, why };
    match row.split_first() {
        Some((got, json)) if *got == version => {
            serde_json::from_slice(json).map_err(|error| corrupt(error.to_string()))
        }
        Some((got, _)) => Err(corrupt(format!("version {got}, expected {version}"))),
        None => Err(corrupt("it is empty".into())),
    }
}

/// Builds a batch and commits it, again where a row it expects has changed. An empty batch is not
/// committed.
pub(crate) fn commit_until_done<T>(
    store: &dyn Store,
    table: Table,
    mut build: impl FnMut() -> Result<(Batch, T), AccountError>,
) -> Result<T, AccountError> {
    for _ in 0..ATTEMPTS_MAX {
        let (batch, done) = build()?;
        if batch.is_empty() {
            return Ok(done);
        }
        match store.commit(batch) {
            Ok(()) => return Ok(done),
            Err(StoreError::Conflict { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(AccountError::Contended { table, attempts: ATTEMPTS_MAX })
}

#[cfg(test)]
mod tests;
