//! Orders about invoices and what is owed.

use serde_json::{Value, json};
use superroot_account::{Book, Correction, Invoice, Receipt};

use super::order::{Form, InvoiceOrder};
use super::{Desk, above_zero, shown};

/// Documents that a listing shows.
const DOCUMENTS_MAX: usize = 1_000;

impl Desk<'_> {
    pub(super) fn invoice(&self, order: &InvoiceOrder) -> anyhow::Result<Value> {
        let (service, invoices) = (self.service, self.service.invoices());
        match order {
            InvoiceOrder::List { account } => {
                service.accounts().account(*account)?;
                let documents = invoices.list(*account, None, DOCUMENTS_MAX)?;
                let owed = service.journal().balance(&Book::Receivable(*account))?;
                Ok(json!({
                    "owes_usdc": shown::usdc(owed.net_usdc_e6()),
                    "documents": documents.iter().map(shown::document).collect::<Vec<_>>(),
                }))
            }
            InvoiceOrder::Show { account, month, form } => {
                service.accounts().account(*account)?;
                let month = month.map_or_else(|| self.this_month(), Ok)?;
                let invoice = service.invoice_of(*account, month)?;
                Ok(match form {
                    Form::Lines => shown::invoice(&invoice),
                    Form::Csv => json!({ "text": invoice.to_csv() }),
                    Form::Html => json!({ "text": invoice.to_html() }),
                })
            }
            InvoiceOrder::Close { account, month } => {
                service.accounts().account(*account)?;
                service.flush(service.now())?;
                let invoice = service.close_month_by(*account, *month, Some(self.operator))?;
                Ok(shown::invoice(&invoice))
            }
            InvoiceOrder::Correct { account, month, usdc, reference } => {
                above_zero(*usdc)?;
                let (by, reference) = (self.operator.clone(), reference.clone());
                let correction = Correction { by, usdc_e6: *usdc, reference };
                let (now, journal) = (service.now(), service.journal());
                let is_same =
                    |note: &Invoice| note.reference.as_ref() == Some(&correction.reference);
                let is_repeat = invoices.documents(*account, *month)?.iter().any(is_same);
                let note = invoices.correct(*account, *month, &correction, now, journal)?;
                let mut shown = shown::invoice(&note);
                if is_repeat {
                    shown["note"] =
                        json!("this credit note was entered before, nothing was changed");
                }
                Ok(shown)
            }
            InvoiceOrder::Paid { account, usdc, reference } => {
                service.accounts().account(*account)?;
                above_zero(*usdc)?;
                let receipt = Receipt {
                    account: *account,
                    usdc_e6: *usdc,
                    reference: reference.clone(),
                    at: service.now(),
                    by: self.operator.clone(),
                };
                let is_repeat = invoices.record_payment(&receipt, service.journal())?;
                let owed = service.journal().balance(&Book::Receivable(*account))?;
                let owes = shown::usdc(owed.net_usdc_e6());
                let mut shown = json!({ "account": account, "owes_usdc": owes });
                if is_repeat {
                    shown["note"] = json!("this payment was entered before, nothing was changed");
                }
                Ok(shown)
            }
        }
    }
}
