//! Invoice and balance commands.

use anyhow::bail;
use serde_json::{Value, json};
use superroot_account::AccountId;
use superroot_billing::{JournalEntry, OperatorEntry};

use super::order::{EntryArgs, InvoiceCommand, InvoicePrint, LedgerCommand};
use super::{OperatorApi, shown};

impl OperatorApi<'_> {
    pub(super) fn invoice(&self, order: &InvoiceCommand) -> anyhow::Result<Value> {
        let service = self.service;
        let billing = self.billing;
        match order {
            InvoiceCommand::List { account, before, limit } => {
                service.accounts().account(*account)?;
                let found = billing.invoices(*account, *before, *limit)?;
                let next = found.last().filter(|_| found.len() == *limit);
                Ok(json!({
                    "owes_usdc": shown::usdc(billing.owes_usdc_e6(*account)?),
                    "invoices": found.iter().map(shown::document).collect::<Vec<_>>(),
                    "next_before": next.map(|last| last.month),
                }))
            }
            InvoiceCommand::Show { account, month, form } => {
                let month = month.map_or_else(|| self.this_month(), Ok)?;
                let invoice = billing.invoice_or_draft(*account, month)?;
                Ok(match form {
                    InvoicePrint::Lines => shown::invoice(&invoice),
                    InvoicePrint::Csv => json!({ "text": invoice.to_csv() }),
                    InvoicePrint::Html => json!({ "text": invoice.to_html() }),
                })
            }
            InvoiceCommand::Close { account, month } => {
                service.flush(service.now())?;
                match billing.close_month(*account, *month, Some(self.operator))? {
                    Some(invoice) => Ok(shown::invoice(&invoice)),
                    None => bail!("nothing was used, entered or owed in {month}: no invoice"),
                }
            }
            InvoiceCommand::ConfirmOver { month } => {
                billing.confirm_month_over(*month, self.operator)?;
                Ok(json!({ "confirmed_over": billing.confirmed_over()? }))
            }
            InvoiceCommand::Paid(entry) => {
                let entered = billing.receive(&self.entry(entry))?;
                self.with_owed(entry.account, entered_shown(&entered, "payment"))
            }
            InvoiceCommand::PaidOut(entry) => {
                let entered = billing.pay_out(&self.entry(entry))?;
                self.with_owed(entry.account, entered_shown(&entered, "payout"))
            }
            InvoiceCommand::Credit(entry) => {
                let entered = billing.credit(&self.entry(entry))?;
                self.with_owed(entry.account, entered_shown(&entered, "credit"))
            }
        }
    }

    fn entry(&self, EntryArgs { account, usdc, reference }: &EntryArgs) -> OperatorEntry {
        let (reference, by) = (reference.clone(), self.operator.clone());
        OperatorEntry { account: *account, usdc_e6: *usdc, reference, by }
    }

    fn with_owed(&self, account: AccountId, mut shown: Value) -> anyhow::Result<Value> {
        shown["owes_usdc"] = shown::usdc(self.billing.owes_usdc_e6(account)?);
        Ok(shown)
    }

    pub(super) fn ledger(&self, order: &LedgerCommand) -> anyhow::Result<Value> {
        let (account, after, limit) = match order {
            LedgerCommand::List { account, after, limit } => (account, after, limit),
            LedgerCommand::TakeBack { account, entry } => {
                self.service.accounts().account(*account)?;
                let entered = self.billing.take_back(*account, *entry, self.operator)?;
                return self.with_owed(*account, entered_shown(&entered, "reversal"));
            }
            LedgerCommand::Prices { limit } => {
                let lists = self.billing.price_lists(*limit)?;
                let lists: Vec<_> = lists.iter().map(shown::price_list).collect();
                return Ok(json!({ "price_lists": lists }));
            }
        };
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

fn entered_shown((entry, is_repeat): &(JournalEntry, bool), what: &str) -> Value {
    let mut shown = shown::entry(entry);
    if *is_repeat {
        shown["note"] = json!(format!("this {what} was entered before, nothing was changed"));
    }
    shown
}
