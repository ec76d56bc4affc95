//! Enterprise and integrator commands.

use serde_json::{Value, json};
use superroot_account::{AccountId, Actor, Grid, Month, NewKey};
use superroot_billing::{Agreement, AgreementTerms, Charge, EntryKind};

use super::order::{EnterpriseOrder, IntegratorOrder};
use super::{Desk, above_zero, shown};

/// Most agreements shown per account. There is at most one per month.
const AGREEMENTS_MAX: usize = 1_000;

impl Desk<'_> {
    pub(super) fn enterprise(&self, order: &EnterpriseOrder) -> anyhow::Result<Value> {
        match order {
            EnterpriseOrder::Agree {
                account,
                limit,
                grids,
                monthly_fee,
                million_tokens,
                free_tokens,
                availability,
                from,
                until,
            } => {
                let grids = if grids.is_empty() { Grid::ALL.to_vec() } else { grids.clone() };
                let terms = AgreementTerms::Enterprise {
                    limit_per_minute: *limit,
                    grids: grids.into_iter().collect(),
                    monthly_fee_usdc_e6: *monthly_fee,
                    million_tokens_usdc_e6: *million_tokens,
                    free_tokens_per_month: *free_tokens,
                    availability_e6: *availability,
                };
                self.agree(*account, terms, (*from, *until))
            }
            EnterpriseOrder::End { account, last } => self.end_agreement(*account, *last),
            EnterpriseOrder::Show { account } => self.show_agreements(*account),
        }
    }

    pub(super) fn integrator(&self, order: &IntegratorOrder) -> anyhow::Result<Value> {
        match order {
            IntegratorOrder::Agree { account, every, fee, tier, from, until } => {
                let interval = *every;
                let tier = *tier;
                let terms = AgreementTerms::Integrator { interval, fee_usdc_e6: *fee, tier };
                self.agree(*account, terms, (*from, *until))
            }
            IntegratorOrder::End { account, last } => self.end_agreement(*account, *last),
            IntegratorOrder::Show { account, month } => {
                let month = month.map_or_else(|| self.this_month(), Ok)?;
                let mut shown = self.show_agreements(*account)?;
                let invoice = self.billing.invoice_or_draft(*account, month)?;
                let held = self.service.accounts().account(*account)?;
                shown["sub_accounts"] = json!(held.sub_account_count);
                shown["month"] = json!(month);
                shown["share_usdc"] = shown::usdc(-invoice.sum_of(EntryKind::RevenueShare));
                shown["availability"] = shown::availability(&self.billing.availability(month)?);
                Ok(shown)
            }
            IntegratorOrder::Open { account, label } => {
                let actor = Actor::Operator(self.operator);
                let first = NewKey { label: label.clone(), ..NewKey::default() };
                let accounts = self.service.accounts();
                let (_, issued) = accounts.open_sub_account(actor, *account, &first)?;
                Ok(shown::issued(&issued))
            }
            IntegratorOrder::SubAccounts { account, page } => {
                let accounts = self.service.accounts();
                let below = accounts.sub_accounts(*account, page.after, page.limit)?;
                let below: Vec<_> = below.iter().map(|id| json!({ "account": id })).collect();
                Ok(json!({ "sub_accounts": below }))
            }
            IntegratorOrder::Charge { account, sub_account, usdc, reference } => {
                above_zero(*usdc)?;
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

    fn agree(
        &self,
        account: AccountId,
        terms: AgreementTerms,
        (from, until): (Option<Month>, Option<Month>),
    ) -> anyhow::Result<Value> {
        let accounts = self.service.accounts();
        let entered_at = self.billing.now();
        let from = from.map_or_else(|| Month::of(entered_at), Ok)?;
        let by = self.operator.clone();
        let agreement = Agreement { account, from, terms, by, entered_at };
        self.billing.agree(&agreement, until)?;
        let mut shown = shown::agreement(&agreement);
        shown["until"] = json!(until);
        shown["has"] = shown::rights(&accounts.rights(account)?);
        let account = accounts.account(account)?;
        if account.grant.as_ref().is_some_and(|grant| grant.holds_at(accounts.now())) {
            // it lifts the account as well, until it ends or is withdrawn
            shown["grant_beside"] = shown::account(&account)["grant"].clone();
        }
        Ok(shown)
    }

    fn end_agreement(&self, account: AccountId, last: Month) -> anyhow::Result<Value> {
        self.billing.end_agreement(account, last, self.operator)?;
        let mut shown = self.show_agreements(account)?;
        shown["has"] = shown::rights(&self.service.accounts().rights(account)?);
        Ok(shown)
    }

    fn show_agreements(&self, account: AccountId) -> anyhow::Result<Value> {
        let all = self.billing.agreements(account, None, AGREEMENTS_MAX)?;
        let shown = shown::agreements(&all, self.this_month()?);
        shown.ok_or_else(|| anyhow::anyhow!("no agreement with account {account}"))
    }
}
