//! Agreements, sub-accounts, charges and availability in the store.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use superroot_store::{Batch, Direction, Store, Table};
use superroot_types::UnixSeconds;

use super::{Agreement, Availability, Interval, Terms};
use crate::audit::append_act;
use crate::journal::{Book, EntryLine, Journal, Posting};
use crate::label::check_text;
use crate::money::scaled_up;
use crate::subscription::{LIST_MAX, check_operator, environment_byte};
use crate::{
    AccountError, AccountId, Bill, BilledUsage, BoughtPeriods, Charges, Environment, Invoice,
    Invoices, Month, Operator, Plans, row, usdc_text,
};

const TABLE: Table = Table::Subscription;

/// What an integrator charged a sub-account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charge {
    /// Who sells.
    pub integrator: AccountId,
    /// Who is charged.
    pub sub_account: AccountId,
    /// How much, above zero.
    pub usdc_e6: u64,
    /// When; its month must not be closed.
    pub at: UnixSeconds,
    /// What it is recorded once under; 1 to 128 printable characters.
    pub reference: String,
    /// Who enters it, and why.
    pub by: Operator,
}

/// What came of a charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charged {
    /// The integrator's part.
    pub share_usdc_e6: u64,
    /// Whether it was entered before under its reference: nothing was written.
    pub is_repeat: bool,
}

/// What an integrator charged in a month, and how it was parted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShareOfMonth {
    /// Everything charged.
    pub charged_usdc_e6: u64,
    /// The integrator's part.
    pub share_usdc_e6: u64,
}

/// What a month's bill needs from elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MonthOfAccount {
    /// The account.
    pub account: AccountId,
    /// The month.
    pub month: Month,
    /// Who is billed, as it is to be printed.
    pub billed_to: String,
    /// What it used; for an integrator, its sub-accounts too.
    pub usage: Vec<BilledUsage>,
    /// What it bought ahead.
    pub bought: Vec<BoughtPeriods>,
}

/// Agreements of one environment and what belongs to them. Calls block.
#[derive(Clone)]
pub struct Commerce {
    store: Arc<dyn Store>,
    environment: Environment,
    journal: Journal,
    invoices: Invoices,
}

impl Commerce {
    /// That of a store, with its ledger and invoices.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, environment: Environment) -> Self {
        let journal = Journal::new(store.clone(), environment);
        let invoices = Invoices::new(store.clone(), environment);
        Self { store, environment, journal, invoices }
    }

    /// The ledger.
    #[must_use]
    pub const fn journal(&self) -> &Journal {
        &self.journal
    }

    /// The invoices.
    #[must_use]
    pub const fn invoices(&self) -> &Invoices {
        &self.invoices
    }

    /// Enters an agreement, or changes the one there is; sub-accounts stay. The act is in the audit
    /// log by the same commit. It says what is billed and lifts nothing: limit and grids come with
    /// [`Accounts::grant`](crate::Accounts::grant).
    ///
    /// # Errors
    /// [`AccountError::Agreement`] for terms outside the plans, for a sub-account, where
    /// sub-accounts would lose their integrator, or where a month would be billed by neither
    /// agreement or a paid year again; [`AccountError::Text`]; [`AccountError::Contended`],
    /// [`AccountError::Store`].
    pub fn agree(&self, agreement: &Agreement, plans: &Plans) -> Result<Agreement, AccountError> {
        agreement.validate(plans)?;
        check_operator(&agreement.by)?;
        let key = self.key(4, &[agreement.account]);
        row::commit(&*self.store, TABLE, || {
            let parent_key = self.key(6, &[agreement.account]);
            if self.store.get(TABLE, &parent_key)?.is_some() {
                return Err(AccountError::Agreement { why: "the account is a sub-account" });
            }
            let held = row::load::<Agreement>(&*self.store, TABLE, &key)?;
            let children = held.as_ref().map_or(0, |held| held.value.sub_account_count);
            if children > 0 && !matches!(agreement.terms, Terms::Integrator { .. }) {
                return Err(AccountError::Agreement { why: "the account has sub-accounts" });
            }
            if let Some(held) = &held {
                self.check_succession(&held.value, agreement)?;
            }
            let entered = Agreement { sub_account_count: children, ..agreement.clone() };
            let mut batch = Batch::new();
            batch.expect(TABLE, parent_key, None);
            batch.expect(TABLE, key.clone(), held.as_ref().map(|held| &held.bytes[..]));
            batch.put(TABLE, key.clone(), row::encode(&entered));
            let subject = entered.summary();
            let (by, at) = (&entered.by, entered.entered_at);
            append_act(&*self.store, &mut batch, by, "agree", &subject, at)?;
            Ok((batch, entered))
        })
    }

    /// Refuses to let an agreement follow another where a month would be billed by neither, or a
    /// year that was paid for again.
    fn check_succession(&self, held: &Agreement, next: &Agreement) -> Result<(), AccountError> {
        let running = Month::of(next.entered_at)?;
        let before = Month::of(UnixSeconds(running.start().0.saturating_sub(1)))?;
        if before < next.from
            && held.holds_in(before)
            && held.is_fee_due_in(before)
            && self.invoices.load(held.account, before)?.is_none()
        {
            return Err(AccountError::Agreement {
                why: "the month before is not closed yet under the agreement that it replaces: \
                      close it, or enter this one in an hour",
            });
        }
        let first = held.from.max(running);
        if first < next.from && held.holds_in(first) {
            return Err(AccountError::Agreement {
                why: "the agreement that it replaces still bills the running month: let this one \
                      begin with it, or enter it once the month is over",
            });
        }
        let Terms::Integrator { interval: Interval::Yearly, .. } = held.terms else {
            return Ok(());
        };
        let months = next.from.months_since(held.from);
        if months <= 0 || months % 12 == 0 {
            return Ok(());
        }
        let mut paid = held.from;
        while next.from.months_since(paid) >= 12 {
            paid = (0..12).fold(paid, |month, _| month.next());
        }
        let documents = self.invoices.documents(held.account, paid)?;
        if held.holds_in(paid) && documents.len() == 1 {
            return Err(AccountError::Agreement {
                why: "a year that was billed under the agreement that it replaces is not over: let \
                      this one begin after it, or take its rest back by a credit note first",
            });
        }
        Ok(())
    }

    /// The agreement with an account.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn agreement(&self, account: AccountId) -> Result<Option<Agreement>, AccountError> {
        self.load(&self.key(4, &[account]))
    }

    /// Makes an account a sub-account; again changes nothing. It keeps its keys and its usage.
    ///
    /// # Errors
    /// [`AccountError::Agreement`] where the one is no integrator, or the other is one, has an
    /// agreement or another integrator; [`AccountError::Full`]; [`AccountError::Contended`],
    /// [`AccountError::Store`].
    pub fn add_sub_account(
        &self,
        integrator: AccountId,
        sub_account: AccountId,
        plans: &Plans,
    ) -> Result<(), AccountError> {
        row::commit(&*self.store, TABLE, || {
            let mut batch = Batch::new();
            self.stage_sub_account(&mut batch, integrator, sub_account, plans)?;
            Ok((batch, ()))
        })
    }

    /// Puts into a batch what [`Commerce::add_sub_account`] writes, with what it rests on.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn stage_sub_account(
        &self,
        batch: &mut Batch,
        integrator: AccountId,
        sub_account: AccountId,
        plans: &Plans,
    ) -> Result<(), AccountError> {
        let refuse = |why| Err(AccountError::Agreement { why });
        let (agreement_key, parent_key) = (self.key(4, &[integrator]), self.key(6, &[sub_account]));
        if let Some(parent) = self.load::<AccountId>(&parent_key)? {
            if parent == integrator {
                return Ok(());
            }
            return refuse("the account has another integrator");
        }
        let Some(held) = row::load::<Agreement>(&*self.store, TABLE, &agreement_key)? else {
            return refuse("the account is no integrator");
        };
        if !matches!(held.value.terms, Terms::Integrator { .. }) {
            return refuse("the account is no integrator");
        }
        let own_key = self.key(4, &[sub_account]);
        if sub_account == integrator || self.store.get(TABLE, &own_key)?.is_some() {
            return refuse("an account with an agreement cannot be a sub-account");
        }
        let most = plans.integrator.sub_accounts_max;
        let mut agreement = held.value;
        if agreement.sub_account_count >= most {
            let expected = usize::try_from(most).unwrap_or(usize::MAX);
            return Err(AccountError::Full { what: "sub-accounts", expected });
        }
        agreement.sub_account_count = agreement.sub_account_count.saturating_add(1);
        batch.expect(TABLE, agreement_key.clone(), Some(&held.bytes));
        batch.put(TABLE, agreement_key, row::encode(&agreement));
        batch.expect(TABLE, own_key, None);
        batch.expect(TABLE, parent_key.clone(), None);
        batch.put(TABLE, parent_key, row::encode(&integrator));
        batch.put(TABLE, self.key(5, &[integrator, sub_account]), row::encode(&sub_account));
        Ok(())
    }

    /// The integrator of a sub-account.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn integrator_of(&self, account: AccountId) -> Result<Option<AccountId>, AccountError> {
        self.load(&self.key(6, &[account]))
    }

    /// Sub-accounts of an integrator after one (or from the first), at most a thousand.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn sub_accounts(
        &self,
        integrator: AccountId,
        after: Option<AccountId>,
        limit: usize,
    ) -> Result<Vec<AccountId>, AccountError> {
        let prefix = self.key(5, &[integrator]);
        let start = after.map_or_else(
            || prefix.clone(),
            |after| [&self.key(5, &[integrator, after])[..], &[0]].concat(),
        );
        let end = [&prefix[..], &[0xff; 17]].concat();
        let limit = limit.min(LIST_MAX);
        let rows = self.store.scan(TABLE, &start, Some(&end), limit, Direction::Rising)?;
        rows.iter().map(|(key, bytes)| row::decode(TABLE, key, bytes)).collect()
    }

    /// Records what an integrator charged a sub-account: the sub-account owes it, the integrator's
    /// part (rounded up) is owed on to it, the rest is earned. Once under its reference, and with
    /// the act in the audit log.
    ///
    /// # Errors
    /// [`AccountError::Agreement`] where the sub-account is not the integrator's, or no agreement
    /// holds then; [`AccountError::Month`] where the month is closed;
    /// [`AccountError::ReferenceDiffers`], [`AccountError::Text`], [`AccountError::Overflow`],
    /// [`AccountError::Contended`], [`AccountError::Store`].
    pub fn charge(&self, charge: &Charge, plans: &Plans) -> Result<Charged, AccountError> {
        check_text("the reference of a charge", &charge.reference, 128)?;
        if charge.usdc_e6 == 0 {
            return Err(AccountError::Nothing { what: "a charge" });
        }
        if self.integrator_of(charge.sub_account)? != Some(charge.integrator) {
            return Err(AccountError::Agreement { why: "the account is not its sub-account" });
        }
        let month = Month::of(charge.at)?;
        let agreement = self.agreement(charge.integrator)?;
        if !agreement.is_some_and(|agreement| agreement.holds_in(month)) {
            return Err(AccountError::Agreement { why: "none holds in that month" });
        }
        let percent = u64::from(plans.integrator.revenue_share_percent);
        let share = scaled_up(charge.usdc_e6, percent, 100).ok_or(OVERFLOW)?;
        let posting = posting_of(charge, share);
        let key = self.month_key(8, &[charge.integrator], month);
        row::commit(&*self.store, TABLE, || {
            let mut batch = Batch::new();
            if self.journal.stage(&mut batch, &posting)?.is_repeat {
                let charged = Charged { share_usdc_e6: share, is_repeat: true };
                return Ok((Batch::new(), charged));
            }
            append_act(
                &*self.store,
                &mut batch,
                &charge.by,
                "charge",
                &charge.subject(),
                charge.at,
            )?;
            self.invoices.expect_open(&mut batch, charge.integrator, month)?;
            let held = row::load::<ShareOfMonth>(&*self.store, TABLE, &key)?;
            let mut sum = held.as_ref().map(|held| held.value).unwrap_or_default();
            let charged = sum.charged_usdc_e6.checked_add(charge.usdc_e6);
            sum.charged_usdc_e6 = charged.ok_or(OVERFLOW)?;
            sum.share_usdc_e6 = sum.share_usdc_e6.checked_add(share).ok_or(OVERFLOW)?;
            batch.expect(TABLE, key.clone(), held.as_ref().map(|held| &held.bytes[..]));
            batch.put(TABLE, key.clone(), row::encode(&sum));
            Ok((batch, Charged { share_usdc_e6: share, is_repeat: false }))
        })
    }

    /// What an integrator charged in a month.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn share_of(
        &self,
        integrator: AccountId,
        month: Month,
    ) -> Result<ShareOfMonth, AccountError> {
        Ok(self.load(&self.month_key(8, &[integrator], month))?.unwrap_or_default())
    }

    /// Records whether the service was up in the minute of `at`. The first word on a minute counts;
    /// a minute before the last one recorded does not.
    ///
    /// # Errors
    /// [`AccountError::Month`] outside the calendar; [`AccountError::Contended`],
    /// [`AccountError::Store`].
    pub fn record_minute(&self, at: UnixSeconds, is_up: bool) -> Result<(), AccountError> {
        let key = self.month_key(7, &[], Month::of(at)?);
        let minute = at.0 / 60;
        row::commit(&*self.store, TABLE, || {
            let mut batch = Batch::new();
            let held = row::load::<Availability>(&*self.store, TABLE, &key)?;
            let mut sum = held.as_ref().map(|held| held.value).unwrap_or_default();
            if sum.measured_minutes > 0 && minute <= sum.last_minute {
                return Ok((batch, ()));
            }
            sum.last_minute = minute;
            // below the minutes of a month
            sum.measured_minutes = sum.measured_minutes.saturating_add(1);
            sum.up_minutes = sum.up_minutes.saturating_add(u64::from(is_up));
            batch.expect(TABLE, key.clone(), held.as_ref().map(|held| &held.bytes[..]));
            batch.put(TABLE, key.clone(), row::encode(&sum));
            Ok((batch, ()))
        })
    }

    /// Counts as down every minute between the last one recorded and that of `now`, which is not
    /// counted: nobody was there to record them. Where none was ever recorded, or the last one is
    /// more than a year ago, nothing is counted. Answers how many they were.
    ///
    /// # Errors
    /// As [`Commerce::record_minute`].
    pub fn record_gap(&self, now: UnixSeconds) -> Result<u64, AccountError> {
        let Some((mut month, last)) = self.last_measured(now)? else { return Ok(0) };
        let (mut from, until) = (last.saturating_add(1), now.0 / 60);
        let mut down = 0_u64;
        while from < until {
            let end = until.min(month.end().0 / 60);
            down = down.saturating_add(self.record_down(month, from, end)?);
            (from, month) = (end, month.next());
        }
        Ok(down)
    }

    /// The last minute recorded, and its month.
    fn last_measured(&self, now: UnixSeconds) -> Result<Option<(Month, u64)>, AccountError> {
        let mut month = Month::of(now)?;
        for _ in 0..=12 {
            let held = self.availability(month)?;
            if held.measured_minutes > 0 {
                return Ok(Some((month, held.last_minute)));
            }
            let Some(before) = month.start().0.checked_sub(1) else { break };
            month = Month::of(UnixSeconds(before))?;
        }
        Ok(None)
    }

    /// Counts as down the minutes of a month from one on and before another that nobody recorded.
    fn record_down(&self, month: Month, from: u64, until: u64) -> Result<u64, AccountError> {
        let key = self.month_key(7, &[], month);
        row::commit(&*self.store, TABLE, || {
            let mut batch = Batch::new();
            let held = row::load::<Availability>(&*self.store, TABLE, &key)?;
            let mut sum = held.as_ref().map(|held| held.value).unwrap_or_default();
            let next = if sum.measured_minutes > 0 { sum.last_minute.saturating_add(1) } else { 0 };
            let down = until.saturating_sub(from.max(next));
            if down > 0 {
                sum.last_minute = until.saturating_sub(1);
                sum.measured_minutes = sum.measured_minutes.saturating_add(down);
                batch.expect(TABLE, key.clone(), held.as_ref().map(|held| &held.bytes[..]));
                batch.put(TABLE, key.clone(), row::encode(&sum));
            }
            Ok((batch, down))
        })
    }

    /// The availability measured in a month.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn availability(&self, month: Month) -> Result<Availability, AccountError> {
        Ok(self.load(&self.month_key(7, &[], month))?.unwrap_or_default())
    }

    /// The bill of a month by the agreement that holds then; metered where none does. For a draft
    /// of the running month as well as for [`Commerce::close_month`].
    ///
    /// # Errors
    /// [`AccountError::Overflow`], [`AccountError::Store`].
    pub fn bill(&self, of: &MonthOfAccount, plans: &Plans) -> Result<Bill, AccountError> {
        let agreement = self.agreement(of.account)?.filter(|held| held.holds_in(of.month));
        let charges = match agreement {
            // what it uses is in its integrator's fee
            None if self.integrator_of(of.account)?.is_some() => Charges::included(),
            None => Charges::metered(&plans.pay_as_you_go),
            Some(agreement) => {
                let share = self.share_of(of.account, of.month)?.share_usdc_e6;
                agreement.charges(of.month, &self.availability(of.month)?, share, plans)?
            }
        };
        Ok(Bill {
            account: of.account,
            month: of.month,
            billed_to: of.billed_to.clone(),
            charges,
            usage: of.usage.clone(),
            bought: of.bought.clone(),
        })
    }

    /// Closes an account's month: [`Invoices::close`] on [`Commerce::bill`], so that no charge slips
    /// in between. Where an operator does it, the act is in the audit log, once.
    ///
    /// # Errors
    /// As both.
    pub fn close_month(
        &self,
        of: &MonthOfAccount,
        now: UnixSeconds,
        plans: &Plans,
        by: Option<&Operator>,
    ) -> Result<Invoice, AccountError> {
        let month = (of.account, of.month);
        self.invoices.close_with(month, now, &self.journal, &mut |batch| {
            let keys = [
                self.key(4, &[of.account]),
                self.month_key(8, &[of.account], of.month),
                self.month_key(7, &[], of.month),
            ];
            for key in keys {
                let bytes = self.store.get(TABLE, &key)?;
                batch.expect(TABLE, key, bytes.as_deref());
            }
            if let Some(by) = by {
                let subject = format!("account {} month {}", of.account, of.month);
                append_act(&*self.store, batch, by, "close_month", &subject, now)?;
            }
            self.bill(of, plans)
        })
    }

    fn load<T: serde::de::DeserializeOwned>(&self, key: &[u8]) -> Result<Option<T>, AccountError> {
        Ok(row::load(&*self.store, TABLE, key)?.map(|held| held.value))
    }

    fn key(&self, kind: u8, accounts: &[AccountId]) -> Vec<u8> {
        let mut key = vec![environment_byte(self.environment), kind];
        for account in accounts {
            key.extend(account.0.as_bytes());
        }
        key
    }

    fn month_key(&self, kind: u8, accounts: &[AccountId], month: Month) -> Vec<u8> {
        [&self.key(kind, accounts)[..], &month.key()].concat()
    }
}

const OVERFLOW: AccountError = AccountError::Overflow { what: "the charges of a month" };

impl Charge {
    /// In a line, for the audit log.
    fn subject(&self) -> String {
        let Self { integrator, sub_account, usdc_e6, reference, .. } = self;
        let amount = usdc_text((*usdc_e6).into());
        format!("integrator {integrator} charges {sub_account} {amount} USDC, {reference}")
    }
}

fn posting_of(charge: &Charge, share: u64) -> Posting {
    let earned = charge.usdc_e6.saturating_sub(share); // a share is at most the charge
    let mut lines = vec![EntryLine::debit(Book::Receivable(charge.sub_account), charge.usdc_e6)];
    let credits = [(Book::RevenueShare(charge.integrator), share), (Book::Revenue, earned)];
    for (book, usdc_e6) in credits.into_iter().filter(|(_, usdc_e6)| *usdc_e6 > 0) {
        lines.push(EntryLine::credit(book, usdc_e6));
    }
    let integrator = charge.integrator;
    Posting {
        at: charge.at,
        description: format!("charge of integrator {integrator}"),
        reference: format!("charge:{integrator}:{}", charge.reference),
        lines,
    }
}
