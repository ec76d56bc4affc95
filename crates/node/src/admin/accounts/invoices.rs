//! Orders about invoices and what is owed.

use serde_json::{Value, json};
use superroot_account::{Book, Correction, usdc_text};

use super::order::{Form, InvoiceOrder};
use super::{Desk, shown};

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
                let subject = format!("account {account} month {month}");
                let invoice = self
                    .recorded("close_month", &subject, || service.close_month(*account, *month))?;
                Ok(shown::invoice(&invoice))
            }
            InvoiceOrder::Correct { account, month, usdc, reference } => {
                let correction = Correction {
                    why: self.operator.why.clone(),
                    usdc_e6: *usdc,
                    reference: reference.clone(),
                };
                let amount = usdc_text((*usdc).into());
                let subject = format!("account {account} month {month} by {amount}, {reference}");
                let note = self.recorded("correct_invoice", &subject, || {
                    let journal = service.journal();
                    invoices.correct(*account, *month, &correction, service.now(), journal)
                })?;
                Ok(shown::invoice(&note))
            }
            InvoiceOrder::Paid { account, usdc, reference } => {
                service.accounts().account(*account)?;
                let subject =
                    format!("account {account} {}, {reference}", usdc_text((*usdc).into()));
                self.recorded("enter_receipt", &subject, || {
                    let (now, journal) = (service.now(), service.journal());
                    invoices.record_payment(*account, *usdc, reference, now, journal)
                })?;
                let owed = service.journal().balance(&Book::Receivable(*account))?;
                Ok(json!({ "account": account, "owes_usdc": shown::usdc(owed.net_usdc_e6()) }))
            }
        }
    }
}
