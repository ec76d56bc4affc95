//! Payments, and operators' acts on subscriptions.

use superroot_account::{
    AccountId, Changed, Operator, PaidTier, Payer, SubscriptionStanding, row, show_wallet,
};
use superroot_store::{Table, WriteBatch};
use superroot_types::{Address, UnixSeconds};

use super::BillingLedger;
use crate::entry::{EntryKind, NewEntry};
use crate::error::BillingError;
use crate::journal::{PAGE, corrupt, reference_hash};
use crate::keys::{self, BillingKey};
use crate::payment::Payment;
use crate::subscription::{SubscriptionAct, SubscriptionMoney, SubscriptionStep};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedAct {
    /// Subscription money after the act.
    pub subscription: SubscriptionMoney,
    pub standing: SubscriptionStanding,
    /// Recorded step; `None` for a payment counted before: nothing was written.
    pub step: Option<SubscriptionStep>,
}

impl BillingLedger {
    /// Counts a payment once: thirty days for its wallet. With an operator, the same commit writes the audit log.
    ///
    /// # Errors
    /// Errors of [`SubscriptionMoney::apply`]; [`BillingError::PaymentDiffers`] if the log was entered with other
    /// contents; [`BillingError::Contended`], [`BillingError::Store`].
    pub fn pay(
        &self,
        payment: &Payment,
        by: Option<&Operator>,
    ) -> Result<AppliedAct, BillingError> {
        self.apply(&Payer::Wallet(payment.wallet), &SubscriptionAct::Payment(payment.clone()), by)
    }

    /// Applies an operator's act to a subscription.
    ///
    /// # Errors
    /// Errors of [`SubscriptionMoney::apply`]; [`AccountError`](superroot_account::AccountError) for an unknown account
    /// or an operator without a reason; [`BillingError::Contended`], [`BillingError::Store`].
    pub fn act(
        &self,
        payer: &Payer,
        act: &SubscriptionAct,
        by: &Operator,
    ) -> Result<AppliedAct, BillingError> {
        if let Payer::Account(account) = payer {
            self.check_account(*account)?;
        }
        self.apply(payer, act, Some(by))
    }

    pub(super) fn apply(
        &self,
        payer: &Payer,
        act: &SubscriptionAct,
        by: Option<&Operator>,
    ) -> Result<AppliedAct, BillingError> {
        let journal = self.journal();
        let environment = self.environment();
        let now = self.now();
        let grace = self.plans().subscription.grace_seconds;
        let changed = match payer {
            Payer::Wallet(wallet) => Changed::Wallet(*wallet),
            Payer::Account(account) => Changed::Account(*account),
        };
        self.commit_change(changed, || {
            let mut batch = WriteBatch::new();
            if let SubscriptionAct::Payment(payment) = act {
                let key = BillingKey::Payment(payment.id);
                if let Some(held) = journal.expect::<Payment>(&mut batch, key)? {
                    return Ok((WriteBatch::new(), self.repeated(payer, payment, &held)?));
                }
                journal.put(&mut batch, key, payment);
            }
            let key = BillingKey::Subscription(*payer);
            let before: SubscriptionMoney = journal.expect(&mut batch, key)?.unwrap_or_default();
            let held = PaidTier::load(self.store(), environment, payer)?;
            let lift = held.as_ref().map(|held| held.value.clone()).unwrap_or_default();
            let paid_at =
                if let SubscriptionAct::Payment(payment) = act { payment.paid_at } else { now };
            let terms = (self.plans(), &self.price_list_at(paid_at)?);
            let (subscription, lift, period) = before.apply(lift, act, now, terms)?;
            let step = SubscriptionStep { at: now, act: act.clone(), by: by.cloned(), period };
            journal.put(&mut batch, key, &subscription);
            journal.put_new(&mut batch, BillingKey::Step(*payer, before.step_count), &step);
            lift.stage(&mut batch, environment, payer, held.as_ref().map(|held| &held.bytes[..]));
            let entries = entries_of(payer, act, before.step_count)?;
            self.stage_for_payer(&mut batch, payer, now, &entries)?;
            let standing = lift.standing_at(now, grace);
            if let Some(by) = by {
                let subject = act.subject(payer, standing.status);
                self.stage_act(&mut batch, by, act.name(), &subject)?;
            }
            Ok((batch, AppliedAct { subscription, standing, step: Some(step) }))
        })
    }

    fn repeated(
        &self,
        payer: &Payer,
        payment: &Payment,
        held: &Payment,
    ) -> Result<AppliedAct, BillingError> {
        if held != payment {
            return Err(BillingError::PaymentDiffers { id: payment.id.to_string() });
        }
        let (subscription, standing) = self.subscription(payer)?;
        Ok(AppliedAct { subscription, standing, step: None })
    }

    /// Enters a payer's movements into its account's journal; movements of an unproven wallet wait for the proof.
    fn stage_for_payer(
        &self,
        batch: &mut WriteBatch,
        payer: &Payer,
        at: UnixSeconds,
        entries: &[NewEntry],
    ) -> Result<(), BillingError> {
        let Some(first) = entries.first() else { return Ok(()) };
        let (account, wallet) = match payer {
            Payer::Account(account) => (Some(*account), None),
            Payer::Wallet(wallet) => (self.accounts.accounts().proven_by(*wallet)?, Some(*wallet)),
        };
        match (account, wallet) {
            (Some(account), _) => self.journal().stage(batch, account, at, entries).map(drop),
            (None, Some(wallet)) => {
                let key = BillingKey::Waiting(wallet, reference_hash(first.kind, &first.reference));
                self.journal().put_new(batch, key, &entries);
                Ok(())
            }
            (None, None) => Ok(()), // an account is always its own
        }
    }

    /// Enters one page of waiting movements whose wallets are now proven, in the current month of the proving account;
    /// pages start after a key (or at the first). Returns the number of entered movements and the next key, `None` at
    /// the end. Call now and then.
    ///
    /// # Errors
    /// [`BillingError::Contended`], [`BillingError::Store`]; earlier entries of the page stay.
    pub fn enter_waiting(
        &self,
        behind: Option<&[u8]>,
    ) -> Result<(u64, Option<Vec<u8>>), BillingError> {
        let table = Table::Journal;
        let prefix = keys::waiting(self.environment());
        let start = behind.map_or_else(|| prefix.clone(), superroot_account::next);
        let rows = self.journal().page(table, &prefix, &start, PAGE)?;
        let mut entered = 0;
        for (key, _) in &rows {
            let wallet = key.get(prefix.len()..).and_then(|rest| rest.first_chunk());
            let wallet = wallet.copied().map(Address).ok_or_else(|| corrupt(table, key))?;
            if let Some(account) = self.accounts.accounts().proven_by(wallet)? {
                entered += self.enter_waiting_of(account, key)?;
            }
        }
        let last = rows.last().filter(|_| rows.len() == PAGE);
        Ok((entered, last.map(|(key, _)| key.clone())))
    }

    fn enter_waiting_of(&self, account: AccountId, key: &[u8]) -> Result<u64, BillingError> {
        self.commit(|| {
            let mut batch = WriteBatch::new();
            let held = row::load::<Vec<NewEntry>>(self.store(), Table::Journal, key)?;
            let Some(held) = held else { return Ok((WriteBatch::new(), 0)) };
            batch.expect(Table::Journal, key, Some(&held.bytes)).delete(Table::Journal, key);
            self.journal().stage(&mut batch, account, self.now(), &held.value)?;
            Ok((batch, held.value.len() as u64))
        })
    }

    /// Money and standing of a payer's subscription.
    pub fn subscription(
        &self,
        payer: &Payer,
    ) -> Result<(SubscriptionMoney, SubscriptionStanding), BillingError> {
        let held = self.journal().load(BillingKey::Subscription(*payer))?;
        let lift = self.accounts.accounts().lift(payer)?;
        let standing = lift.standing_at(self.now(), self.plans().subscription.grace_seconds);
        Ok((held.map(|held| held.value).unwrap_or_default(), standing))
    }

    /// Payers after one (or from the first) with their lifts, wallets before accounts; at most a thousand.
    pub fn payers(
        &self,
        behind: Option<&Payer>,
        limit: usize,
    ) -> Result<Vec<(Payer, PaidTier)>, BillingError> {
        Ok(PaidTier::list(self.store(), self.environment(), behind, limit)?)
    }

    /// Steps of a payer's subscription from a number on (from 0), at most a thousand.
    pub fn steps(
        &self,
        payer: &Payer,
        from: u64,
        limit: usize,
    ) -> Result<Vec<SubscriptionStep>, BillingError> {
        let journal = self.journal();
        let prefix = keys::steps(self.environment(), payer);
        let start = journal.encode(BillingKey::Step(*payer, from));
        let rows = journal.page(Table::Journal, &prefix, &start, limit)?;
        let steps = rows.iter().map(|(key, bytes)| row::decode(Table::Journal, key, bytes));
        Ok(steps.collect::<Result<_, _>>()?)
    }

    /// Subscription payments of an account and its proven wallets, less refunds.
    pub fn paid_usdc_e6(&self, account: AccountId) -> Result<u64, BillingError> {
        let links = self.accounts.accounts().wallets(account)?;
        let proven = links.iter().filter(|link| link.proven_at.is_some());
        let wallets = proven.map(|link| Payer::Wallet(link.wallet));
        let mut paid = 0_u64;
        for payer in wallets.chain([Payer::Account(account)]) {
            let held = self.journal().load::<SubscriptionMoney>(BillingKey::Subscription(payer))?;
            paid = paid.saturating_add(held.map_or(0, |held| held.value.kept_usdc_e6()));
        }
        Ok(paid)
    }
}

/// An act's movements: a payment with the purchase, a refund with both reversed.
fn entries_of(
    payer: &Payer,
    act: &SubscriptionAct,
    step: u64,
) -> Result<Vec<NewEntry>, BillingError> {
    Ok(match act {
        SubscriptionAct::Payment(payment) => {
            let id = payment.id.to_string();
            let tier = payment.tier;
            let amount = payment.usdc_e6;
            let bought = format!("thirty days of {tier}, payment {id}");
            let paid = format!("paid, {id}");
            vec![
                NewEntry::new(EntryKind::Subscription, amount, &*id, bought)?,
                NewEntry::new(EntryKind::Paid, amount, &*id, paid)?,
            ]
        }
        SubscriptionAct::Refund { usdc_e6 } => {
            let name = match payer {
                Payer::Wallet(wallet) => format!("wallet {}", show_wallet(wallet)),
                Payer::Account(account) => format!("account {account}"),
            };
            let reference = format!("refund of {name}, step {step}");
            let given_back = format!("subscription of {name}, given back");
            vec![
                NewEntry::new(EntryKind::CreditNote, *usdc_e6, &*reference, given_back)?,
                NewEntry::new(EntryKind::Refund, *usdc_e6, &*reference, "paid back")?,
            ]
        }
        SubscriptionAct::Grant { .. } | SubscriptionAct::Revoke | SubscriptionAct::Reinstate => {
            Vec::new()
        }
    })
}

#[cfg(test)]
impl BillingLedger {
    /// Applies an act of any payer, also a payment for an account, as if its wallet were proven.
    pub(crate) fn apply_for_test(
        &self,
        payer: &Payer,
        act: &SubscriptionAct,
    ) -> Result<AppliedAct, BillingError> {
        self.apply(payer, act, None)
    }
}
