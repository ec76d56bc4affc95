//! What became of the fee on an invoice: taken back by credit notes, given back for availability.

use superroot_store::Batch;

use super::rows::{Invoices, TABLE};
use super::{Invoice, LineKind};
use crate::{AccountError, AccountId, Month};

/// A fee and what was given back of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FeeStanding {
    /// The fee on the closed invoice of the month; none while that is open.
    pub(crate) billed_usdc_e6: Option<u64>,
    /// What credit notes took back of that invoice, at most the fee.
    pub(crate) taken_back_usdc_e6: u64,
    /// What closed invoices of the months that it covers give back for availability.
    pub(crate) credited_usdc_e6: u64,
}

impl Invoices {
    /// What became of the fee that a month bills for itself and the months up to `last`. The batch
    /// holds only while that is so.
    ///
    /// # Errors
    /// [`AccountError::Overflow`], [`AccountError::Store`].
    pub(crate) fn fee_standing(
        &self,
        batch: &mut Batch,
        account: AccountId,
        month: Month,
        last: Month,
    ) -> Result<FeeStanding, AccountError> {
        let documents = self.documents(account, month)?;
        let next_place = u32::try_from(documents.len()).unwrap_or(u32::MAX);
        batch.expect(TABLE, self.key(account, month, next_place), None);
        let sum = |kind| documents.iter().map(|document| document.sum_of(kind)).sum::<i128>();
        let billed = documents.first().map(|invoice| amount(invoice.sum_of(LineKind::Fee)));
        let billed = billed.transpose()?;
        let taken = amount(-sum(LineKind::Correction))?.min(billed.unwrap_or(0));
        let own = -sum(LineKind::AvailabilityCredit);
        let credited = own + self.credits_after(batch, account, month, last)?;
        Ok(FeeStanding {
            billed_usdc_e6: billed,
            taken_back_usdc_e6: taken,
            credited_usdc_e6: amount(credited)?,
        })
    }

    /// What closed invoices after a month, up to `last` and before the next that bills a fee, give
    /// back for availability. The batch holds only while that is so.
    pub(super) fn credits_after(
        &self,
        batch: &mut Batch,
        account: AccountId,
        month: Month,
        last: Month,
    ) -> Result<i128, AccountError> {
        let (mut next, mut credited) = (month.next(), 0);
        while next <= last {
            match self.load(account, next)? {
                None => _ = batch.expect(TABLE, self.key(account, next, 0), None),
                Some(invoice) if bills_a_fee(&invoice) => break,
                Some(invoice) => credited -= invoice.sum_of(LineKind::AvailabilityCredit),
            }
            next = next.next();
        }
        Ok(credited)
    }
}

pub(super) fn bills_a_fee(invoice: &Invoice) -> bool {
    invoice.lines.iter().any(|line| line.kind == LineKind::Fee)
}

fn amount(usdc_e6: i128) -> Result<u64, AccountError> {
    u64::try_from(usdc_e6).map_err(|_| super::OVERFLOW)
}
