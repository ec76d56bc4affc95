//! Entering and ending agreements.
//!
//! ```text
//! agree --from M:  ... | the one before, until M-1 | the new one ...   (what was ahead is replaced)
//! ```
//! What must always hold: a month whose invoice is closed keeps its agreement, one that is over and
//! has one keeps it too; a year that was billed is billed again only as far as it was taken back.

use superroot_store::{Batch, Store, Table};
use superroot_types::UnixSeconds;

use super::{Agreement, Agreements, Commerce, FeeLeft, Replaced};
use crate::audit::append_act;
use crate::changes::{Changed, note};
use crate::closing::expect_not_begun;
use crate::money::scaled_up;
use crate::row::{self, Held};
use crate::subscription::{check_operator, environment_byte};
use crate::{AccountError, AccountId, Environment, Month, Operator, Plans};

const TABLE: Table = Table::Subscription;

/// How many months ago an agreement may begin.
const MONTHS_BACK_MAX: i32 = 120;
/// Months that are looked at for the first that would do.
const MONTHS_TRIED_MAX: u32 = 256;
/// Agreements that were replaced, as the audit log names them.
const REPLACED_NAMED_MAX: usize = 3;

/// What came of entering an agreement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreed {
    /// As it stands.
    pub entered: Agreement,
    /// What it put an end to, or took the place of.
    pub replaced: Vec<Replaced>,
}

/// Why a month is too early for an agreement to begin.
enum TooEarly {
    For(&'static str),
    /// The month that bills the year, and what is to be taken back of it.
    Year(Month, u64),
}

/// The agreements with an account, as they stand in a store.
///
/// # Errors
/// [`AccountError::Store`].
pub(crate) fn load_agreements(
    store: &dyn Store,
    environment: Environment,
    account: AccountId,
) -> Result<Option<Held<Agreements>>, AccountError> {
    row::load(store, TABLE, &agreements_key(environment, account))
}

pub(super) fn agreements_key(environment: Environment, account: AccountId) -> Vec<u8> {
    [&[environment_byte(environment), 4][..], account.0.as_bytes()].concat()
}

impl Commerce {
    /// Enters an agreement: it takes every month from its first on, and what held there before ends
    /// with the month before, or is gone. Sub-accounts stay. It lifts the account while it holds; the
    /// act is in the audit log, and nodes are told of it, by the same commit.
    /// [`AccountService::agree`](crate::AccountService::agree) lets it hold here at once.
    ///
    /// # Errors
    /// [`AccountError::Agreement`], [`AccountError::Config`] for terms outside the plans, for a
    /// sub-account, where sub-accounts would lose their integrator, and for one that is over;
    /// [`AccountError::AgreementMonth`] for a first month that is closed, or is over and has an
    /// agreement; [`AccountError::Month`] for one that was gone through;
    /// [`AccountError::YearBilled`]; [`AccountError::Full`], [`AccountError::Text`],
    /// [`AccountError::Contended`], [`AccountError::Store`].
    pub fn agree(&self, agreement: &Agreement, plans: &Plans) -> Result<Agreed, AccountError> {
        agreement.validate(plans)?;
        check_operator(&agreement.by)?;
        let (account, by) = (agreement.account, &agreement.by);
        let running = Month::of(agreement.entered_at)?;
        if running.months_since(agreement.from) > MONTHS_BACK_MAX {
            return Err(AccountError::Agreement { why: "it begins more than ten years ago" });
        }
        self.change_agreements(account, (by, agreement.entered_at), |agreements, batch| {
            let parent_key = self.key(6, &[account]);
            if self.store.get(TABLE, &parent_key)?.is_some() {
                return Err(AccountError::Agreement { why: "the account is a sub-account" });
            }
            batch.expect(TABLE, parent_key, None);
            if agreements.sub_account_count() > 0 && !agreement.is_integrator() {
                return Err(AccountError::Agreement { why: "the account has sub-accounts" });
            }
            let is_over = agreement.until.is_some_and(|until| until < running);
            if is_over && agreements.after(agreement.from).is_some() {
                return Err(AccountError::Agreement { why: "it is over, and another follows it" });
            }
            self.check_begins(agreements, account, agreement.from, running)?;
            self.expect_open_from(batch, account, agreement.from, running)?;
            // a month that was gone through is billed no more, nor where a clock stands in it again
            expect_not_begun(&*self.store, batch, self.environment, agreement.from)?;
            let replaced = agreements.enter(agreement.clone())?;
            let mut subject = format!("account {account} {}", agreement.summary());
            subject.extend(replaced_text(&replaced));
            let entered = agreement.clone();
            Ok(("agree", subject, Agreed { entered, replaced }))
        })
    }

    /// Lets no agreement hold after a month: the one that holds there ends with it, those after it
    /// are gone. What was billed stays so: within a year whose fee is billed none ends, unless the rest
    /// of it was taken back.
    ///
    /// # Errors
    /// [`AccountError::AgreementMonth`] before the month that was over last, or is closed;
    /// [`AccountError::YearBilled`] with the first month that may be the last;
    /// [`AccountError::Agreement`] where none holds after it; [`AccountError::Text`],
    /// [`AccountError::Contended`], [`AccountError::Store`].
    pub fn end_agreements(
        &self,
        account: AccountId,
        last: Month,
        by: &Operator,
        now: UnixSeconds,
    ) -> Result<Vec<Replaced>, AccountError> {
        check_operator(by)?;
        let running = Month::of(now)?;
        if last.next() < running {
            let why = "a month that is over keeps its agreement";
            let first = running.before().unwrap_or(running);
            return Err(AccountError::AgreementMonth { why, first });
        }
        self.change_agreements(account, (by, now), |agreements, batch| {
            // what is paid for until the year's end is not billed as used before
            self.check_begins(agreements, account, last.next(), running).map_err(last_month)?;
            self.expect_open_from(batch, account, last.next(), running)?;
            let replaced = agreements.end_before(last.next());
            if replaced.is_empty() {
                return Err(AccountError::Agreement { why: "none holds after that month" });
            }
            let mut subject = format!("account {account} has no agreement after {last}");
            subject.extend(replaced_text(&replaced));
            Ok(("end_agreement", subject, replaced))
        })
    }

    /// The agreements with an account.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn agreements(&self, account: AccountId) -> Result<Agreements, AccountError> {
        let held = load_agreements(&*self.store, self.environment, account)?;
        Ok(held.map(|held| held.value).unwrap_or_default())
    }

    /// The agreement that holds with an account in a month.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn agreement_in(
        &self,
        account: AccountId,
        month: Month,
    ) -> Result<Option<Agreement>, AccountError> {
        Ok(self.agreements(account)?.in_month(month).cloned())
    }

    /// What is left of the fee that covers a month; the batch holds only while that is so.
    pub(super) fn fee_left(
        &self,
        batch: &mut Batch,
        agreement: &Agreement,
        month: Month,
    ) -> Result<FeeLeft, AccountError> {
        let fee = agreement.fee_usdc_e6();
        let Some(billed) = agreement.year_of(month) else {
            return Ok(FeeLeft { kept_usdc_e6: fee, credited_usdc_e6: 0, months: 1 });
        };
        let last = billed.plus(11).min(agreement.until.unwrap_or_else(|| billed.plus(11)));
        let standing = self.invoices.fee_standing(batch, agreement.account, billed, last)?;
        Ok(FeeLeft {
            kept_usdc_e6: standing.billed_usdc_e6.unwrap_or(fee) - standing.taken_back_usdc_e6,
            credited_usdc_e6: standing.credited_usdc_e6,
            months: u64::try_from(last.months_since(billed)).unwrap_or(11).saturating_add(1),
        })
    }

    /// Refuses a month in which no agreement may begin, with the first in which one may.
    fn check_begins(
        &self,
        agreements: &Agreements,
        account: AccountId,
        from: Month,
        running: Month,
    ) -> Result<(), AccountError> {
        let closed = self.newest_closed(account)?;
        let check = |month| self.find_too_early(agreements, (account, month), running, closed);
        let Some(refused) = check(from)? else { return Ok(()) };
        let mut first = closed.map_or(from, Month::next).max(from);
        for _ in 0..MONTHS_TRIED_MAX {
            if check(first)?.is_none() {
                break;
            }
            first = first.next();
        }
        Err(match refused {
            TooEarly::For(why) => AccountError::AgreementMonth { why, first },
            TooEarly::Year(billed, missing_usdc_e6) => {
                AccountError::YearBilled { billed, first, missing_usdc_e6 }
            }
        })
    }

    fn find_too_early(
        &self,
        agreements: &Agreements,
        (account, from): (AccountId, Month),
        running: Month,
        closed: Option<Month>,
    ) -> Result<Option<TooEarly>, AccountError> {
        if closed.is_some_and(|closed| from <= closed) {
            let why = "a month that is closed keeps its agreement";
            return Ok(Some(TooEarly::For(why)));
        }
        let is_kept = |held: &Agreement| {
            held.from < running && from < running && held.until.is_none_or(|until| from <= until)
        };
        if agreements.iter().any(is_kept) {
            return Ok(Some(TooEarly::For("a month that is over keeps its agreement")));
        }
        for held in agreements.iter().filter(|held| held.from < from) {
            let last = held.until.unwrap_or(from);
            let before = from.before().map_or(last, |before| before.min(last));
            let Some(billed) = held.year_of(before) else { continue };
            let months = u32::try_from(from.months_since(billed)).unwrap_or(u32::MAX);
            let months_left = 12_u64.saturating_sub(months.into());
            match self.missing_of_year((account, billed), held, before, months_left)? {
                (0, _) => {}
                (_, false) => {
                    let why = "a yearly fee covers twelve months";
                    return Ok(Some(TooEarly::For(why)));
                }
                (missing, true) => return Ok(Some(TooEarly::Year(billed, missing))),
            }
        }
        Ok(None)
    }

    /// What is still to be taken back of a yearly fee before its last months may be billed by another
    /// agreement: their part of it, rounded up, as far as that much of it was not given back already;
    /// and whether the year is billed.
    fn missing_of_year(
        &self,
        (account, billed): (AccountId, Month),
        held: &Agreement,
        last: Month,
        months_left: u64,
    ) -> Result<(u64, bool), AccountError> {
        if months_left == 0 {
            return Ok((0, true));
        }
        let standing = self.invoices.fee_standing(&mut Batch::new(), account, billed, last)?;
        let fee = standing.billed_usdc_e6.unwrap_or_else(|| held.fee_usdc_e6());
        let part = scaled_up(fee, months_left, 12).ok_or(super::charges::OVERFLOW)?;
        let left = fee.saturating_sub(standing.credited_usdc_e6);
        let missing = part.min(left).saturating_sub(standing.taken_back_usdc_e6);
        Ok((missing, standing.billed_usdc_e6.is_some()))
    }

    fn newest_closed(&self, account: AccountId) -> Result<Option<Month>, AccountError> {
        let newest = self.invoices.list(account, None, 1)?;
        Ok(newest.first().map(|document| document.month))
    }

    /// Lets a batch hold only while no month from one to another is closed.
    fn expect_open_from(
        &self,
        batch: &mut Batch,
        account: AccountId,
        from: Month,
        until: Month,
    ) -> Result<(), AccountError> {
        let mut month = from;
        while month <= until {
            self.invoices.expect_open(batch, account, month)?;
            month = month.next();
        }
        Ok(())
    }

    /// Changes the agreements with an account, with the act in the audit log and a word to every node
    /// in the same commit.
    fn change_agreements<T>(
        &self,
        account: AccountId,
        (by, at): (&Operator, UnixSeconds),
        mut bend: impl FnMut(
            &mut Agreements,
            &mut Batch,
        ) -> Result<(&'static str, String, T), AccountError>,
    ) -> Result<T, AccountError> {
        let key = agreements_key(self.environment, account);
        row::commit(&*self.store, TABLE, || {
            let held = load_agreements(&*self.store, self.environment, account)?;
            let (bytes, mut agreements) = match held {
                Some(Held { value, bytes }) => (Some(bytes), value),
                None => (None, Agreements::default()),
            };
            let mut batch = Batch::new();
            let (what, subject, answer) = bend(&mut agreements, &mut batch)?;
            batch.expect(TABLE, key.clone(), bytes.as_deref());
            batch.put(TABLE, key.clone(), row::encode(&agreements));
            append_act(&*self.store, &mut batch, by, what, &subject, at)?;
            note(&*self.store, &mut batch, &[Changed::Account(account)])?;
            Ok((batch, answer))
        })
    }
}

/// A refusal that names the first month of an agreement, as one that names the last without it.
fn last_month(refused: AccountError) -> AccountError {
    let before = |month: Month| month.before().unwrap_or(month);
    match refused {
        AccountError::YearBilled { billed, first, missing_usdc_e6 } => {
            AccountError::YearBilled { billed, first: before(first), missing_usdc_e6 }
        }
        AccountError::AgreementMonth { why, first } => {
            AccountError::AgreementMonth { why, first: before(first) }
        }
        other => other,
    }
}

/// What was replaced, in words for the audit log.
fn replaced_text(replaced: &[Replaced]) -> Vec<String> {
    let mut texts: Vec<String> = replaced
        .iter()
        .take(REPLACED_NAMED_MAX)
        .map(|Replaced { was, until }| {
            let end = until.map_or_else(|| "is gone".into(), |until| format!("ends with {until}"));
            format!("; the one {} {end}", was.months_text())
        })
        .collect();
    if replaced.len() > REPLACED_NAMED_MAX {
        texts.push(format!("; {} more are gone", replaced.len() - REPLACED_NAMED_MAX));
    }
    texts
}

#[cfg(test)]
mod tests;
