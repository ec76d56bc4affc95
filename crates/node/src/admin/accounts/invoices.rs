//! Orders about invoices and what is owed.

use anyhow::bail;
use serde_json::{Value, json};
use superroot_billing::{CreditNote, Entry, Receipt};

use super::order::{Form, InvoiceOrder, LedgerOrder};
use super::{Desk, above_zero, shown};

impl Desk<'_> {
    pub(super) fn invoice(&self, order: &InvoiceOrder) -> anyhow::Result<Value> {
        let (service, billing) = (self.service, self.billing);
        match order {
            InvoiceOrder::List { account, before, limit } => {
                service.accounts().account(*account)?;
                let found = billing.invoices(*account, *before, *limit)?;
                let next = found.last().filter(|_| found.len() == *limit);
                Ok(json!({
                    "owes_usdc": shown::usdc(billing.owes_usdc_e6(*account)?),
                    "invoices": found.iter().map(shown::document).collect::<Vec<_>>(),
                    "next_before": next.map(|last| last.month),
                }))
            }
            InvoiceOrder::Show { account, month, form } => {
                let month = month.map_or_else(|| self.this_month(), Ok)?;
                let invoice = billing.invoice_or_draft(*account, month)?;
                Ok(match form {
                    Form::Lines => shown::invoice(&invoice),
                    Form::Csv => json!({ "text": invoice.to_csv() }),
                    Form::Html => json!({ "text": invoice.to_html() }),
                })
            }
            InvoiceOrder::Close { account, month } => {
                service.flush(service.now())?;
                match billing.close_month(*account, *month, Some(self.operator))? {
                    Some(invoice) => Ok(shown::invoice(&invoice)),
                    None => bail!("nothing was used, entered or owed in {month}: no invoice"),
                }
            }
            InvoiceOrder::Correct { account, month, usdc, reference } => {
                above_zero(*usdc)?;
                let entered = billing.credit(&CreditNote {
                    account: *account,
                    month: *month,
                    usdc_e6: *usdc,
                    reference: reference.clone(),
                    by: self.operator.clone(),
                })?;
                Ok(entered_shown(&entered, "credit note"))
            }
            InvoiceOrder::RefundAvailability { account, month } => {
                let entered = billing.refund_availability(*account, *month, self.operator)?;
                Ok(entered_shown(&entered, "credit note"))
            }
            InvoiceOrder::Paid { account, usdc, reference } => {
                above_zero(*usdc)?;
                let entered = billing.receive(&Receipt {
                    account: *account,
                    usdc_e6: *usdc,
                    reference: reference.clone(),
                    by: self.operator.clone(),
                })?;
                let mut shown = entered_shown(&entered, "payment");
                shown["owes_usdc"] = shown::usdc(billing.owes_usdc_e6(*account)?);
                Ok(shown)
            }
        }
    }

    pub(super) fn ledger(&self, order: &LedgerOrder) -> anyhow::Result<Value> {
        let LedgerOrder::List { account, after, limit } = order;
        self.service.accounts().account(*account)?; // a typo has no entries, and must not look so
        let entries = self.billing.entries(*account, *after, *limit)?;
        let next = entries.last().filter(|_| entries.len() == *limit);
        Ok(json!({
            "owes_usdc": shown::usdc(self.billing.owes_usdc_e6(*account)?),
            "entries": entries.iter().map(shown::entry).collect::<Vec<_>>(),
            "next_after": next.map(|last| format!("{}/{}", last.month, last.number)),
        }))
    }
}

fn entered_shown((entry, is_repeat): &(Entry, bool), what: &str) -> Value {
    let mut shown = shown::entry(entry);
    if *is_repeat {
        shown["note"] = json!(format!("this {what} was entered before, nothing was changed"));
    }
    shown
}
