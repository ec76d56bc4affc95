//! Payments, and the operator's acts on subscriptions.

use superroot_account::{AccountId, Changed, Lift, Operator, Payer, Standing, row, show_wallet};
use superroot_store::{Batch, Table};
use superroot_types::{Address, UnixSeconds};

use super::Billing;
use crate::entry::{EntryKind, NewEntry};
use crate::error::BillingError;
use crate::journal::{PAGE, corrupt, reference_hash};
use crate::keys::{self, Key};
use crate::payment::Payment;
use crate::subscription::{Act, Step, Subscription};

/// What an act did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The money of the subscription after it.
    pub subscription: Subscription,
    /// Where it stands.
    pub standing: Standing,
    /// The step; none where the act was a payment that had been counted before: nothing was written.
    pub step: Option<Step>,
}

impl Billing {
    /// Counts a payment: thirty days for its wallet. Once, however often it is entered. With an operator
    /// the act is written down in the same commit.
    ///
    /// # Errors
    /// Those of [`Subscription::apply`]; [`BillingError::PaymentDiffers`] where the same log was
    /// entered with other contents; [`BillingError::Contended`], [`BillingError::Store`].
    pub fn pay(&self, payment: &Payment, by: Option<&Operator>) -> Result<Applied, BillingError> {
        self.apply(&Payer::Wallet(payment.wallet), &Act::Payment(payment.clone()), by)
    }

    /// Does an operator's act on a subscription.
    ///
    /// # Errors
    /// Those of [`Subscription::apply`]; [`AccountError`](superroot_account::AccountError) for an
    /// account that is not there or an operator without a reason; [`BillingError::Contended`],
    /// [`BillingError::Store`].
    pub fn act(&self, payer: &Payer, act: &Act, by: &Operator) -> Result<Applied, BillingError> {
        if let Payer::Account(account) = payer {
            self.check_account(*account)?;
        }
        self.apply(payer, act, Some(by))
    }

    fn apply(
        &self,
        payer: &Payer,
        act: &Act,
        by: Option<&Operator>,
    ) -> Result<Applied, BillingError> {
        let (journal, environment, now) = (self.journal(), self.environment(), self.now());
        let grace = self.plans().subscription.grace_seconds;
        let changed = match payer {
            Payer::Wallet(wallet) => Changed::Wallet(*wallet),
            Payer::Account(account) => Changed::Account(*account),
        };
        self.commit_change(changed, || {
            let mut batch = Batch::new();
            if let Act::Payment(payment) = act {
                let key = Key::Payment(payment.id);
                if let Some(held) = journal.expect::<Payment>(&mut batch, key)? {
                    return Ok((Batch::new(), self.repeated(payer, payment, &held)?));
                }
                journal.put(&mut batch, key, payment);
            }
            let key = Key::Subscription(*payer);
            let before: Subscription = journal.expect(&mut batch, key)?.unwrap_or_default();
            let held = Lift::load(self.store(), environment, payer)?;
            let lift = held.as_ref().map(|held| held.value.clone()).unwrap_or_default();
            let paid_at = if let Act::Payment(payment) = act { payment.paid_at } else { now };
            let terms = (self.plans(), &self.price_list_at(paid_at)?);
            let (subscription, lift, period) = before.apply(lift, act, now, terms)?;
            let step = Step { at: now, act: act.clone(), by: by.cloned(), period };
            journal.put(&mut batch, key, &subscription);
            journal.put_new(&mut batch, Key::Step(*payer, before.step_count), &step);
            lift.stage(&mut batch, environment, payer, held.as_ref().map(|held| &held.bytes[..]));
            let entries = entries_of(payer, act, before.step_count)?;
            self.stage_for_payer(&mut batch, payer, now, &entries)?;
            let standing = lift.standing_at(now, grace);
            if let Some(by) = by {
                let subject = act.subject(payer, standing.status);
                self.stage_act(&mut batch, by, act.name(), &subject)?;
            }
            Ok((batch, Applied { subscription, standing, step: Some(step) }))
        })
    }

    fn repeated(
        &self,
        payer: &Payer,
        payment: &Payment,
        held: &Payment,
    ) -> Result<Applied, BillingError> {
        if held != payment {
            return Err(BillingError::PaymentDiffers { id: payment.id.to_string() });
        }
        let (subscription, standing) = self.subscription(payer)?;
        Ok(Applied { subscription, standing, step: None })
    }

    /// Enters what a payer's money did into the journal of its account; where its wallet is nobody's
    /// yet, it waits for the account that proves it.
    fn stage_for_payer(
        &self,
        batch: &mut Batch,
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
                let key = Key::Waiting(wallet, reference_hash(first.kind, &first.reference));
                self.journal().put_new(batch, key, &entries);
                Ok(())
            }
            (None, None) => Ok(()), // an account is always its own
        }
    }

    /// Enters what waits for wallets that were proven since, in the running month of the account that has
    /// proven each: looks at a page of what waits behind a key (or from the first). Answers how many
    /// movements were entered, and where to go on; none at the end. A stage: to be called now and then.
    ///
    /// # Errors
    /// [`BillingError::Contended`], [`BillingError::Store`]; what was entered stays so.
    pub fn enter_waiting(
        &self,
        behind: Option<&[u8]>,
    ) -> Result<(u64, Option<Vec<u8>>), BillingError> {
        let (table, prefix) = (Table::Journal, keys::waiting(self.environment()));
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
            let mut batch = Batch::new();
            let held = row::load::<Vec<NewEntry>>(self.store(), Table::Journal, key)?;
            let Some(held) = held else { return Ok((Batch::new(), 0)) };
            batch.expect(Table::Journal, key, Some(&held.bytes)).delete(Table::Journal, key);
            self.journal().stage(&mut batch, account, self.now(), &held.value)?;
            Ok((batch, held.value.len() as u64))
        })
    }

    /// The money of a payer's subscription, and where that stands.
    ///
    /// # Errors
    /// [`BillingError::Store`].
    pub fn subscription(&self, payer: &Payer) -> Result<(Subscription, Standing), BillingError> {
        let held = self.journal().load(Key::Subscription(*payer))?;
        let lift = self.accounts.accounts().lift(payer)?;
        let standing = lift.standing_at(self.now(), self.plans().subscription.grace_seconds);
        Ok((held.map(|held| held.value).unwrap_or_default(), standing))
    }

    /// Payers behind one (or from the first), wallets before accounts, with what they were given; at
    /// most a thousand.
    ///
    /// # Errors
    /// [`BillingError::Store`].
    pub fn payers(
        &self,
        behind: Option<&Payer>,
        limit: usize,
    ) -> Result<Vec<(Payer, Lift)>, BillingError> {
        Ok(Lift::list(self.store(), self.environment(), behind, limit)?)
    }

    /// Steps of a payer's subscription from a number on (counted from 0), at most a thousand.
    ///
    /// # Errors
    /// [`BillingError::Store`].
    pub fn steps(&self, payer: &Payer, from: u64, limit: usize) -> Result<Vec<Step>, BillingError> {
        let (journal, prefix) = (self.journal(), keys::steps(self.environment(), payer));
        let start = journal.encode(Key::Step(*payer, from));
        let rows = journal.page(Table::Journal, &prefix, &start, limit)?;
        let steps = rows.iter().map(|(key, bytes)| row::decode(Table::Journal, key, bytes));
        Ok(steps.collect::<Result<_, _>>()?)
    }

    /// What an account, and the wallets that it has proven, paid for subscriptions so far, less what was
    /// paid back.
    ///
    /// # Errors
    /// [`BillingError::Store`].
    pub fn paid_usdc_e6(&self, account: AccountId) -> Result<u64, BillingError> {
        let links = self.accounts.accounts().wallets(account)?;
        let proven = links.iter().filter(|link| link.proven_at.is_some());
        let wallets = proven.map(|link| Payer::Wallet(link.wallet));
        let mut paid = 0_u64;
        for payer in wallets.chain([Payer::Account(account)]) {
            let held = self.journal().load::<Subscription>(Key::Subscription(payer))?;
            paid = paid.saturating_add(held.map_or(0, |held| held.value.kept_usdc_e6()));
        }
        Ok(paid)
    }
}

/// What an act moves: a payment buys what it pays for, a refund gives both back.
fn entries_of(payer: &Payer, act: &Act, step: u64) -> Result<Vec<NewEntry>, BillingError> {
    Ok(match act {
        Act::Payment(payment) => {
            let (id, tier, amount) = (payment.id.to_string(), payment.tier, payment.usdc_e6);
            let bought = format!("thirty days of {tier}, payment {id}");
            let paid = format!("paid, {id}");
            vec![
                NewEntry::new(EntryKind::Subscription, amount, &*id, bought)?,
                NewEntry::new(EntryKind::Paid, amount, &*id, paid)?,
            ]
        }
        Act::Refund { usdc_e6 } => {
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
        Act::Grant { .. } | Act::Revoke | Act::Reinstate => Vec::new(),
    })
}

#[cfg(test)]
impl Billing {
    /// An act of any payer, also a payment for an account, as if its wallet were proven.
    pub(crate) fn apply_for_test(&self, payer: &Payer, act: &Act) -> Result<Applied, BillingError> {
        self.apply(payer, act, None)
    }
}
