//! Subscriptions in the store. Keys of table `subscription`:
//!
//! | key | row |
//! |---|---|
//! | `environment:u8 ‖ 1 ‖ subscriber` | [`Subscription`] |
//! | `environment:u8 ‖ 2 ‖ subscriber ‖ number:u64` | [`Transition`], counted from 0 |
//! | `environment:u8 ‖ 3 ‖ chain:u64 ‖ tx:32 ‖ log_index:u32` | the payment and its subscriber |
//! | `environment:u8 ‖ 11 ‖ subscriber` | number of the first step that is on no closed invoice |
//!
//! A subscriber is `1 ‖ address:20` or `2 ‖ account:16`; numbers are big-endian; rows are
//! `as `row` writes them`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use superroot_store::{Batch, Direction, Store, Table};
use superroot_types::UnixSeconds;

use super::{
    Event, Evidence, Moved, Payment, PaymentId, Reason, Subscriber, Subscription, Transition, apply,
};
use crate::{AccountError, AccountId, BoughtPeriods, Environment, Plans, Tier, row};

/// Rows that one listing hands out at most.
pub(crate) const LIST_MAX: usize = 1_000;

const TABLE: Table = Table::Subscription;

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

/// Movements of a subscription that are on no closed invoice yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unbilled {
    /// Whose.
    pub subscriber: Subscriber,
    /// What moved, in the order of the steps.
    pub bought: Vec<BoughtPeriods>,
    /// Number of the first step behind them.
    until: u64,
    /// The row that they were counted from.
    held: Option<Vec<u8>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PaymentRow {
    subscriber: Subscriber,
    payment: Payment,
}

/// What is written along with an event: gets the batch, the subscription before, and what was done.
pub type Along<'a> =
    dyn FnMut(&mut Batch, &Subscription, &Applied) -> Result<(), AccountError> + 'a;

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
    /// [`AccountError::Store`].
    pub fn load(&self, subscriber: &Subscriber) -> Result<Subscription, AccountError> {
        let held = row::load(&*self.store, TABLE, &self.key(subscriber))?;
        Ok(held.map_or_else(|| Subscription::none(*subscriber), |held| held.value))
    }

    /// Applies an event and writes what it did in one commit: see [`apply`]. Repeats it where
    /// another writer was faster. Safe to repeat for payments.
    ///
    /// # Errors
    /// Those of [`apply`]; [`AccountError::PaymentDiffers`], [`AccountError::Contended`],
    /// [`AccountError::Store`].
    pub fn apply(
        &self,
        subscriber: &Subscriber,
        event: &Event,
        now: UnixSeconds,
        plans: &Plans,
    ) -> Result<Applied, AccountError> {
        self.apply_with(subscriber, event, now, plans, &mut |_, _, _| Ok(()))
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
        also: &mut Along<'_>,
    ) -> Result<Applied, AccountError> {
        row::commit(&*self.store, TABLE, || {
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
            let held = row::load(&*self.store, TABLE, &key)?;
            let bytes = held.as_ref().map(|held| held.bytes.clone());
            let before = held.map_or_else(|| Subscription::none(*subscriber), |held| held.value);
            let (subscription, transitions) = apply(&before, event, now, plans)?;
            let mut batch = Batch::new();
            batch.expect(TABLE, key.clone(), bytes.as_deref());
            batch.put(TABLE, key, row::encode(&subscription));
            for (number, transition) in (before.transition_count..).zip(&transitions) {
                let key = self.transition_key(subscriber, number);
                batch.expect(TABLE, key.clone(), None);
                batch.put(TABLE, key, row::encode(transition));
            }
            if let Event::Payment(payment) = event {
                let key = self.payment_key(&payment.id);
                let payment = PaymentRow { subscriber: *subscriber, payment: payment.clone() };
                batch.expect(TABLE, key.clone(), None);
                batch.put(TABLE, key, row::encode(&payment));
            }
            let applied = Applied { subscription, transitions, is_repeat: false };
            also(&mut batch, &before, &applied)?;
            Ok((batch, applied))
        })
    }

    /// Steps of a subscription from a number on (counted from 0), at most a thousand.
    ///
    /// # Errors
    /// [`AccountError::Store`].
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
        rows.iter().map(|(key, bytes)| row::decode(TABLE, key, bytes)).collect()
    }

    /// What moved money before `before` and is on no closed invoice yet: payments, and periods
    /// bought out of credit, given back or exchanged; at most `most`. Steps are billed in the order
    /// in which they were taken, whatever account and month they come to: one that was written late
    /// comes behind those before it.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn unbilled(
        &self,
        subscriber: &Subscriber,
        before: UnixSeconds,
        most: usize,
    ) -> Result<Unbilled, AccountError> {
        let held = row::load::<u64>(&*self.store, TABLE, &self.billed_key(subscriber))?;
        let until = held.as_ref().map_or(0, |held| held.value);
        let held = held.map(|held| held.bytes);
        let mut unbilled = Unbilled { subscriber: *subscriber, bought: vec![], until, held };
        loop {
            let steps = self.transitions(subscriber, unbilled.until, LIST_MAX)?;
            if steps.is_empty() {
                return Ok(unbilled);
            }
            for step in &steps {
                let is_full = unbilled.bought.len() >= most;
                let moved = self.moved_in(step)?;
                if step.at >= before || (is_full && moved.is_some()) {
                    return Ok(unbilled);
                }
                unbilled.bought.extend(moved);
                unbilled.until = unbilled.until.saturating_add(1);
            }
        }
    }

    /// Puts into the batch of an invoice that those movements are on it; it then holds only where
    /// none of them came onto another meanwhile.
    pub(crate) fn stage_billed(&self, batch: &mut Batch, unbilled: &Unbilled) {
        let key = self.billed_key(&unbilled.subscriber);
        batch.expect(TABLE, key.clone(), unbilled.held.as_deref());
        batch.put(TABLE, key, row::encode(&unbilled.until));
    }

    fn moved_in(&self, step: &Transition) -> Result<Option<BoughtPeriods>, AccountError> {
        let Evidence::Payment(id) = &step.evidence else { return Ok(moved_by(step)) };
        Ok(self.payment(id)?.map(|(_, payment)| bought_by(step, &payment)))
    }

    /// A payment that was counted, and for whom.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn payment(&self, id: &PaymentId) -> Result<Option<(Subscriber, Payment)>, AccountError> {
        Ok(self.load_payment_row(id)?.map(|row| (row.subscriber, row.payment)))
    }

    /// Subscriptions after a subscriber (or from the first), wallets before accounts, at most a
    /// thousand.
    ///
    /// # Errors
    /// [`AccountError::Store`].
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
        rows.iter().map(|(key, bytes)| row::decode(TABLE, key, bytes)).collect()
    }

    fn load_payment_row(&self, id: &PaymentId) -> Result<Option<PaymentRow>, AccountError> {
        let held = row::load(&*self.store, TABLE, &self.payment_key(id))?;
        Ok(held.map(|held| held.value))
    }

    fn key(&self, subscriber: &Subscriber) -> Vec<u8> {
        let mut key = vec![environment_byte(self.environment), 1];
        key.extend(subscriber_key(subscriber));
        key
    }

    fn transition_key(&self, subscriber: &Subscriber, number: u64) -> Vec<u8> {
        let mut key = vec![environment_byte(self.environment), 2];
        key.extend(subscriber_key(subscriber));
        key.extend(number.to_be_bytes());
        key
    }

    fn billed_key(&self, subscriber: &Subscriber) -> Vec<u8> {
        [&[environment_byte(self.environment), 11], &subscriber_key(subscriber)[..]].concat()
    }

    fn payment_key(&self, id: &PaymentId) -> Vec<u8> {
        let mut key = vec![environment_byte(self.environment), 3];
        key.extend(id.chain.0.to_be_bytes());
        key.extend(id.tx.0);
        key.extend(id.log_index.to_be_bytes());
        key
    }
}

/// What a payment bought, and what of it is held or was held before.
fn bought_by(step: &Transition, payment: &Payment) -> BoughtPeriods {
    let into_credit = step.moved.as_ref().map(Moved::into_credit_usdc_e6);
    let into_credit_usdc_e6 = into_credit.unwrap_or(match step.reason {
        Reason::ShortPayment | Reason::CreditKept => payment.usdc_e6.into(),
        _ => 0,
    });
    BoughtPeriods {
        at: step.at,
        tier: payment.tier,
        usdc_e6: payment.usdc_e6.into(),
        into_credit_usdc_e6,
        reference: format!("payment {}", payment.id),
    }
}

/// What an act or the clock moved, where that was money.
fn moved_by(step: &Transition) -> Option<BoughtPeriods> {
    let moved = step.moved.as_ref()?;
    let usdc_e6 = i128::from(moved.paid_usdc_e6) - i128::from(moved.refunded_usdc_e6);
    let into_credit_usdc_e6 = moved.into_credit_usdc_e6();
    if usdc_e6 == 0 && into_credit_usdc_e6 == 0 {
        return None;
    }
    let tier = moved.tier.unwrap_or(Tier::Explorer);
    let reference = step.reason.words().to_owned();
    Some(BoughtPeriods { at: step.at, tier, usdc_e6, into_credit_usdc_e6, reference })
}

/// `1 ‖ address:20` or `2 ‖ account:16`.
pub(crate) fn subscriber_key(subscriber: &Subscriber) -> Vec<u8> {
    match subscriber {
        Subscriber::Wallet(address) => [&[1], &address.0[..]].concat(),
        Subscriber::Account(AccountId(uuid)) => [&[2], &uuid.as_bytes()[..]].concat(),
    }
}

/// The byte that keys of rows of an environment begin with.
pub(crate) const fn environment_byte(environment: Environment) -> u8 {
    match environment {
        Environment::Live => 1,
        Environment::Test => 2,
    }
}

#[cfg(test)]
mod tests;
