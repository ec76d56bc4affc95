//! The end of a month: every account's invoice.
//!
//! ```text
//! month over, an hour passed --+--> accounts, page by page -> what is still open of each is closed
//! chains' blocks, or operator -'
//! ```
//! The clock of a machine may be wrong by months, and a closed month never changes: it is closed only when
//! the blocks of the chains are of later times too, or an operator says that it is over.
//! What is closed is passed over, so a step that was cut short is repeated without harm.

use superroot_account::{Account, AccountId, Month};
use superroot_types::{ErrorKind, UnixSeconds};

use super::Billing;
use crate::error::BillingError;

/// How long after its end a month is closed: every node has written its counts long since.
pub const CLOSING_DELAY_SECONDS: u64 = 3_600;

/// Accounts that one step looks at.
const ACCOUNTS_AT_ONCE: usize = 100;

/// What a step has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Closed {
    /// Months of accounts that are closed now and have an invoice.
    pub invoices: u64,
    /// Accounts whose month could not be closed, for a person to look at.
    pub refused: u64,
    /// A month that is over by the clock alone: neither the chains nor an operator say so.
    pub waits: Option<Month>,
    /// Whether nothing is left to do until another month ends.
    pub is_done: bool,
}

/// Closes the months of all accounts. A stage without a loop of its own: call it until it is done,
/// and now and then after that.
#[derive(Debug, Default)]
pub struct Closing {
    /// The month up to which all accounts were gone through.
    gone_through: Option<Month>,
    /// The account that it has come to.
    after: Option<AccountId>,
}

impl Closing {
    /// Looks at the next accounts. `chains_at` is the time that the chains have come to by their own blocks; none
    /// where there is no block. Flush first: counts of the month that come later are in no
    /// invoice. An account about which there is nothing to say has none; nor has a sub-account of
    /// which there is usage alone, which is in its integrator's.
    ///
    /// # Errors
    /// [`BillingError::Store`], [`BillingError::Contended`]: the next step goes on with the same.
    pub fn step(
        &mut self,
        billing: &Billing,
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
    billing: &Billing,
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
