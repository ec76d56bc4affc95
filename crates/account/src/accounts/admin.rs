//! The operator's hand, and what follows from subscriptions.

use superroot_store::{Batch, Direction, Table};
use superroot_types::{Address, Hash, UnixSeconds};

use super::Accounts;
use crate::account::{Account, Grant};
use crate::audit::{self, Act, append_act};
use crate::changes::{Changed, note};
use crate::commerce::grids_text;
use crate::key::{IssuedKey, Key};
use crate::{
    AccountError, AccountId, Applied, Event, Evidence, Moved, NewKey, Operator, Subscriber,
    Subscription, Tier, place, row, show_wallet, usdc_text,
};

/// Accounts that one listing hands out at most.
const ACCOUNTS_LISTED_MAX: usize = 1_000;

impl Accounts {
    /// Opens an account by hand, under a parent or not, and without a limit of registrations. A
    /// sub-account has its parent's tier and shares its limit.
    ///
    /// # Errors
    /// [`AccountError::UnknownAccount`] for the parent, [`AccountError::Beyond`] where that is a
    /// sub-account itself, [`AccountError::Text`], [`AccountError::Contended`],
    /// [`AccountError::Randomness`], [`AccountError::Store`].
    pub fn open_account(
        &self,
        operator: &Operator,
        wallet: Option<Address>,
        parent: Option<AccountId>,
    ) -> Result<(Account, IssuedKey), AccountError> {
        row::commit(&*self.store, Table::Account, || {
            let now = self.now();
            let account = self.new_account(wallet, parent, now);
            let (issued, mut batch) = self.opening(&account, None, NewKey::default(), now)?;
            let mut subject = format!("account {}", account.id);
            if let Some(parent) = parent {
                let held = self.load_account(parent)?;
                if held.value.parent.is_some() {
                    return Err(AccountError::Beyond { what: "a sub-account has none below it" });
                }
                let place = place::account(self.environment(), parent);
                batch.expect(Table::Account, place, Some(&held.bytes));
                subject = format!("{subject} under {parent}");
            }
            append_act(&*self.store, &mut batch, operator, "open_account", &subject, now)?;
            Ok((batch, (account, issued)))
        })
    }

    /// Gives an account a tier beside its subscription, or takes it back.
    ///
    /// # Errors
    /// [`AccountError::Range`], [`AccountError::Beyond`] of a sub-account,
    /// [`AccountError::UnknownAccount`], [`AccountError::Text`], [`AccountError::Contended`],
    /// [`AccountError::Store`].
    pub fn grant(
        &self,
        operator: &Operator,
        id: AccountId,
        grant: Option<&Grant>,
    ) -> Result<Account, AccountError> {
        if let Some(grant) = grant {
            // an account has never less than everybody has
            let least = self.plans().limit_per_minute(Tier::Explorer);
            grant.check(least..=self.plans().enterprise.limit_per_minute_max)?;
        }
        let subject = match grant {
            None => format!("account {id} nothing"),
            Some(grant) => {
                let until = grant.until.map_or("for good".into(), |until| format!("until {until}"));
                let limit = grant.limit_per_minute;
                let limit = limit.map_or("its limit".into(), |limit| format!("{limit} a minute"));
                let grids = grant.grids.as_ref().map_or("its grids".into(), grids_text);
                format!("account {id} {}, {limit}, {grids}, {until}", grant.tier)
            }
        };
        if grant.is_some() && self.account(id)?.parent.is_some() {
            return Err(AccountError::Beyond {
                what: "a sub-account has what its integrator has, no grant lifts it",
            });
        }
        self.change_account(operator, id, ("grant", &subject), |account, _| {
            account.grant = grant.cloned();
        })
    }

    /// Closes an account: its keys, and those of its sub-accounts, are refused here at once and
    /// everywhere in under a second. Its rows stay.
    ///
    /// # Errors
    /// As [`Accounts::grant`].
    pub fn close_account(
        &self,
        operator: &Operator,
        id: AccountId,
    ) -> Result<Account, AccountError> {
        let subject = format!("account {id}");
        self.change_account(operator, id, ("close_account", &subject), |account, now| {
            account.closed_at = Some(account.closed_at.unwrap_or(now));
        })
    }

    /// Opens a closed account again.
    ///
    /// # Errors
    /// As [`Accounts::grant`].
    pub fn reopen_account(
        &self,
        operator: &Operator,
        id: AccountId,
    ) -> Result<Account, AccountError> {
        let subject = format!("account {id}");
        self.change_account(operator, id, ("reopen_account", &subject), |account, _| {
            account.closed_at = None;
        })
    }

    /// Accounts after `after` (or from the first), in order of their ids, at most 1,000.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn accounts(
        &self,
        after: Option<AccountId>,
        limit: usize,
    ) -> Result<Vec<Account>, AccountError> {
        let nil = AccountId(uuid::Uuid::nil());
        let mut start = place::account(self.environment(), after.unwrap_or(nil));
        if after.is_some() {
            start.push(0);
        }
        let mut end = place::account(self.environment(), AccountId(uuid::Uuid::max()));
        end.push(0);
        let limit = limit.min(ACCOUNTS_LISTED_MAX);
        let rows = self.store.scan(Table::Account, &start, Some(&end), limit, Direction::Rising)?;
        rows.iter().map(|(key, bytes)| row::decode(Table::Account, key, bytes)).collect()
    }

    /// The key that a text is, in force or not: for the operator who is told of a leaked one.
    ///
    /// # Errors
    /// [`AccountError::NotAKey`], [`AccountError::OtherEnvironment`],
    /// [`AccountError::UnknownKey`], [`AccountError::Store`].
    pub fn find_key(&self, text: &str) -> Result<Key, AccountError> {
        let owner = self.load_owner(&self.read(text)?.hash)?.ok_or(AccountError::UnknownKey)?;
        let place = place::key(owner.environment, owner.account, owner.key);
        let held = row::load::<Key>(&*self.store, Table::AccountKey, &place)?;
        Ok(held.ok_or(AccountError::UnknownKey)?.value)
    }

    /// Applies an event to a subscription, enters what it moves in the ledger, and lets every node
    /// look again at whom it lifts, in the same commit; with an operator, the act is written down in it too. The chain watcher's and the
    /// operator's one way in.
    ///
    /// # Errors
    /// Those of [`Subscriptions::apply`](crate::Subscriptions::apply), [`AccountError::Text`].
    pub fn apply_to_subscription(
        &self,
        subscriber: &Subscriber,
        event: &Event,
        by: Option<(&Operator, &str)>,
    ) -> Result<Applied, AccountError> {
        let changed = match subscriber {
            Subscriber::Wallet(wallet) => Changed::Wallet(*wallet),
            Subscriber::Account(account) => Changed::Account(*account),
        };
        let now = self.now();
        let mut also = |batch: &mut Batch, before: &Subscription, applied: &Applied| {
            if let Some(posting) = applied.subscription.posting_since(before)? {
                self.journal.stage(batch, &posting)?;
            }
            if let Some((operator, what)) = by {
                let subject = subject_of(subscriber, event, applied);
                append_act(&*self.store, batch, operator, what, &subject, now)?;
            }
            note(&*self.store, batch, &[changed])
        };
        let plans = self.plans();
        let done = self.subscriptions.apply_with(subscriber, event, now, plans, &mut also);
        self.forget_changed(done)
    }

    /// What operators did, from a place in the log on, oldest first.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn acts(&self, from: u64, limit: usize) -> Result<Vec<Act>, AccountError> {
        audit::list(&*self.store, from, limit)
    }

    /// How many acts there are, and the hash of the last to keep outside. One row, not the log.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn acts_head(&self) -> Result<(u64, Hash), AccountError> {
        audit::head(&*self.store)
    }

    /// Checks the whole log of acts; answers how many there are, and the hash to keep outside.
    ///
    /// # Errors
    /// [`AccountError::Audit`], [`AccountError::Store`].
    pub fn check_acts(&self) -> Result<(u64, Hash), AccountError> {
        audit::check(&*self.store)
    }

    fn change_account(
        &self,
        operator: &Operator,
        id: AccountId,
        (what, subject): (&str, &str),
        mut bend: impl FnMut(&mut Account, UnixSeconds),
    ) -> Result<Account, AccountError> {
        self.change(Table::Account, || {
            let now = self.now();
            let held = self.load_account(id)?;
            let mut account = held.value.clone();
            bend(&mut account, now);
            let mut batch = Batch::new();
            append_act(&*self.store, &mut batch, operator, what, subject, now)?;
            self.put_account(&mut batch, &held, account.clone());
            note(&*self.store, &mut batch, &[Changed::Account(id)])?;
            Ok((batch, account))
        })
    }
}

/// An act on a subscription, with what it moved: figures, tier, and the payment behind them.
fn subject_of(subscriber: &Subscriber, event: &Event, applied: &Applied) -> String {
    let name = match subscriber {
        Subscriber::Wallet(wallet) => format!("subscription of wallet {}", show_wallet(wallet)),
        Subscriber::Account(account) => format!("subscription of account {account}"),
    };
    let usdc = |usdc_e6: u64| format!("{} USDC", usdc_text(usdc_e6.into()));
    let what = match event {
        Event::Payment(payment) => {
            let (amount, tier, id) = (usdc(payment.usdc_e6), payment.tier, &payment.id);
            format!("{amount} for {tier}, payment {id}")
        }
        Event::Grant(tier, periods, _) => format!("{periods} periods of {tier} free of charge"),
        Event::ChangeTier(tier, _) => format!("to {tier}"),
        Event::Refund(usdc_e6, _) => format!("{} paid back", usdc(*usdc_e6)),
        Event::Release(_) => "ended now".to_owned(),
        Event::Revoke(_) => "taken away".to_owned(),
        Event::Reinstate(_) => "given back".to_owned(),
        Event::Time => "time".to_owned(),
    };
    let after = &applied.subscription;
    let (status, credit) = (after.status, usdc(after.credit_usdc_e6));
    let moved = match event {
        Event::Payment(_) | Event::Refund(..) => String::new(), // named above
        _ => moved_by_operator(applied),
    };
    format!("{name}: {what}{moved}; {status}, credit {credit}")
}

/// What an act, and not the time before it, did to the credit; nothing where that stayed as it was.
fn moved_by_operator(applied: &Applied) -> String {
    let mut steps = applied.transitions.iter().rev();
    let act = steps.find(|step| matches!(step.evidence, Evidence::Operator(_)));
    let moved = act.and_then(|step| step.moved.as_ref()).map_or(0, Moved::into_credit_usdc_e6);
    match moved {
        0 => String::new(),
        1.. => format!(", {} USDC became credit", usdc_text(moved)),
        ..0 => format!(", {} USDC of credit used", usdc_text(-moved)),
    }
}
