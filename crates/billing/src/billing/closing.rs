//! Month end: every account's invoice.
//!
//! ```text
//! month over, an hour passed --+--> accounts, page by page -> what is still open of each is closed
//! chains' blocks, or operator -'
//! ```
//! A machine's clock may be wrong by months, and a closed month never changes: a month is closed only if block times of
//! the chains agree, or an operator confirms the end. Closed months are skipped, so an interrupted step can be
//! repeated.

use superroot_account::{Account, AccountId, Month};
use superroot_types::{ErrorKind, UnixSeconds};

use super::BillingLedger;
use crate::error::BillingError;

/// Delay after a month's end, in seconds: every node has written its counts by then.
pub const CLOSING_DELAY_SECONDS: u64 = 3_600;

/// Accounts per step.
const ACCOUNTS_AT_ONCE: usize = 100;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Closed {
    /// Closed months with an invoice.
    pub invoices: u64,
    /// Accounts with a month that could not be closed, for a person to check.
    pub refused: u64,
    /// Month over by the clock alone: neither chains nor operator confirm the end.
    pub waits: Option<Month>,
    /// Whether nothing is left until another month ends.
    pub is_done: bool,
}

/// Stage that closes the months of all accounts. Has no loop: call `step` until done, then now and then.
#[derive(Debug, Default)]
pub struct MonthClosing {
    /// Last month closed for all accounts.
    gone_through: Option<Month>,
    /// Last visited account.
    after: Option<AccountId>,
}

impl MonthClosing {
    /// Closes months of the next accounts. `chains_at` is the block time reached by the chains; `None` without a block.
    /// Flush the meter first: later counts are on no invoice. An account with an empty bill gets no invoice, nor does a
    /// sub-account with usage alone: its integrator's invoice has the usage.
    ///
    /// # Errors
    /// [`BillingError::Store`], [`BillingError::Contended`]: the next step repeats the same accounts.
    pub fn step(
        &mut self,
        billing: &BillingLedger,
        chains_at: Option<UnixSeconds>,
    ) -> Result<Closed, BillingError> {
        let running = billing.now().0.saturating_sub(CLOSING_DELAY_SECONDS);
        let by_clock = Month::of(UnixSeconds(running))?.before();
        // a time outside of the calendar is no time
        let by_chains = chains_at.and_then(|at| Month::of(at).ok()?.before());
        let due = by_clock.min(by_chains.max(billing.confirmed_over()?));
        let waits = by_clock.filter(|by_clock| due.is_none_or(|due| due < *by_clock));
        let Some(due) = due.filter(|due| self.gone_through.is_none_or(|done| done < *due)) else {
            return Ok(Closed { is_done: true, waits, ..Closed::default() });
        };
        let mut done = Closed { waits, ..Closed::default() };
        let accounts = billing.accounts().accounts().accounts(self.after, ACCOUNTS_AT_ONCE)?;
        for account in &accounts {
            if account.created_at < due.end() {
                close(billing, account, due, &mut done)?;
            }
            self.after = Some(account.id);
        }
        if accounts.len() < ACCOUNTS_AT_ONCE {
            (self.gone_through, self.after) = (Some(due), None);
        }
        Ok(done)
    }
}

fn close(
    billing: &BillingLedger,
    account: &Account,
    month: Month,
    done: &mut Closed,
) -> Result<(), BillingError> {
    match billing.close_month(account.id, month, None) {
        Ok(invoice) => done.invoices += u64::from(invoice.is_some()),
        Err(error) if error.kind() == ErrorKind::Unavailable => return Err(error),
        Err(error) => {
            let id = account.id;
            tracing::error!("{month} of account {id} is not closed, look at it: {error}");
            done.refused += 1;
        }
    }
    Ok(())
}
