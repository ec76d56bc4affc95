//! Agreement and integrator commands.

use serde_json::{Value, json};
use superroot_account::{AccountId, Actor, Grid, Month, NewKey};
use superroot_billing::{Agreement, AgreementTerms, Charge, EntryKind};

use super::order::{AgreementCommand, IntegratorCommand, TermsCommand};
use super::{OperatorApi, shown};

impl OperatorApi<'_> {
    pub(super) fn agreement(&self, order: &AgreementCommand) -> anyhow::Result<Value> {
        let account = match order {
            AgreementCommand::Show { account, month } => {
                let month = month.map_or_else(|| self.this_month(), Ok)?;
                return self.show_agreement_in(*account, month);
            }
            AgreementCommand::Set { account, from, terms } => {
                let (account, by) = (*account, self.operator.clone());
                let (terms, entered_at) = (terms_of(terms), self.billing.now());
                let from = from.map_or_else(|| self.this_month(), Ok)?;
                self.billing.agree(&Agreement { account, from, terms, by, entered_at })?;
                account
            }
            AgreementCommand::End { account, last } => {
                self.billing.end_agreement(*account, *last, self.operator)?;
                *account
            }
        };
        let accounts = self.service.accounts();
        let mut shown = self.show_agreements(account)?;
        shown["has"] = shown::rights(&accounts.rights(account)?);
        let account = accounts.account(account)?;
        if account.grant.as_ref().is_some_and(|grant| grant.holds_at(accounts.now())) {
            // it lifts the account as well, until it ends or is withdrawn
            shown["grant_beside"] = shown::account(&account)["grant"].clone();
        }
        Ok(shown)
    }

    fn show_agreements(&self, account: AccountId) -> anyhow::Result<Value> {
        let all = self.billing.agreements(account)?;
        let shown = shown::agreements(&all, self.this_month()?);
        shown.ok_or_else(|| anyhow::anyhow!("no agreement with account {account}"))
    }

    fn show_agreement_in(&self, account: AccountId, month: Month) -> anyhow::Result<Value> {
        let mut shown = self.show_agreements(account)?;
        let invoice = self.billing.invoice_or_draft(account, month)?;
        let owed_back = self.billing.availability_credit_usdc_e6(account, month)?;
        let held = self.service.accounts().account(account)?;
        shown["sub_accounts"] = json!(held.sub_account_count);
        shown["month"] = json!(month);
        shown["share_usdc"] = shown::usdc(-invoice.sum_of(EntryKind::RevenueShare));
        shown["availability"] = shown::availability(&self.billing.availability(month)?);
        shown["availability_credit_usdc"] = json!(owed_back.map(shown::usdc));
        Ok(shown)
    }

    pub(super) fn integrator(&self, order: &IntegratorCommand) -> anyhow::Result<Value> {
        match order {
            IntegratorCommand::Open { account, label } => {
                let actor = Actor::Operator(self.operator);
                let first = NewKey { label: label.clone(), ..NewKey::default() };
                let accounts = self.service.accounts();
                let (_, issued) = accounts.open_sub_account(actor, *account, &first)?;
                Ok(shown::issued(&issued))
            }
            IntegratorCommand::SubAccounts { account, page } => {
                let accounts = self.service.accounts();
                let below = accounts.sub_accounts(*account, page.after, page.limit)?;
                let below: Vec<_> = below.iter().map(|id| json!({ "account": id })).collect();
                Ok(json!({ "sub_accounts": below }))
            }
            IntegratorCommand::Charge { account, sub_account, usdc, reference } => {
                let charged = self.billing.charge(&Charge {
                    integrator: *account,
                    sub_account: *sub_account,
                    usdc_e6: *usdc,
                    reference: reference.clone(),
                    by: self.operator.clone(),
                })?;
                let mut shown = json!({
                    "charged_usdc": shown::usdc(*usdc),
                    "share_usdc": shown::usdc(charged.share_usdc_e6),
                });
                if charged.is_repeat {
                    shown["note"] = json!("this charge was entered before, nothing was changed");
                }
                Ok(shown)
            }
        }
    }
}

fn terms_of(order: &TermsCommand) -> AgreementTerms {
    match order {
        TermsCommand::Enterprise {
            limit,
            grids,
            monthly_fee,
            million_tokens,
            free_tokens,
            availability,
        } => AgreementTerms::Enterprise {
            limit_per_minute: *limit,
            grids: if grids.is_empty() {
                Grid::ALL.into()
            } else {
                grids.iter().copied().collect()
            },
            monthly_fee_usdc_e6: *monthly_fee,
            million_tokens_usdc_e6: *million_tokens,
            free_tokens_per_month: *free_tokens,
            availability_e6: *availability,
        },
        TermsCommand::Integrator { every, fee, tier } => {
            AgreementTerms::Integrator { interval: *every, fee_usdc_e6: *fee, tier: *tier }
        }
    }
}
