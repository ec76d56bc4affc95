//! Orders about enterprises and integrators.

use anyhow::bail;
use serde_json::{Value, json};
use superroot_account::{AccountId, Actor, Agreement, Charge, Grid, Month, NewKey, Terms};

use super::order::{EnterpriseOrder, IntegratorOrder};
use super::{Desk, above_zero, shown};

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
                let terms = Terms::Enterprise {
                    limit_per_minute: *limit,
                    grids: grids.into_iter().collect(),
                    monthly_fee_usdc_e6: *monthly_fee,
                    million_tokens_usdc_e6: *million_tokens,
                    free_tokens_per_month: *free_tokens,
                    availability_e6: *availability,
                };
                self.agree(*account, terms, (*from, *until))
            }
            EnterpriseOrder::End { account, last } => self.end_agreements(*account, *last),
            EnterpriseOrder::Show { account } => self.show_agreement(*account),
        }
    }

    pub(super) fn integrator(&self, order: &IntegratorOrder) -> anyhow::Result<Value> {
        match order {
            IntegratorOrder::Agree { account, every, fee, tier, from, until } => {
                let (interval, tier) = ((*every).into(), *tier);
                let terms = Terms::Integrator { interval, fee_usdc_e6: *fee, tier };
                self.agree(*account, terms, (*from, *until))
            }
            IntegratorOrder::End { account, last } => self.end_agreements(*account, *last),
            IntegratorOrder::Show { account, month } => {
                let month = month.map_or_else(|| self.this_month(), Ok)?;
                let commerce = self.service.commerce();
                let mut shown = self.show_agreement(*account)?;
                let share = commerce.share_of(*account, month)?;
                shown["month"] = json!(month);
                shown["charged_usdc"] = shown::usdc(share.charged_usdc_e6);
                shown["share_usdc"] = shown::usdc(share.share_usdc_e6);
                shown["availability"] = shown::availability(&commerce.availability(month)?);
                Ok(shown)
            }
            IntegratorOrder::Open { account, label } => {
                let actor = Actor::Operator(self.operator);
                let first = NewKey { label: label.clone(), ..NewKey::default() };
                let (_, issued) = self.service.open_sub_account(actor, *account, &first)?;
                Ok(shown::issued(&issued))
            }
            IntegratorOrder::SubAccounts { account, page } => {
                let commerce = self.service.commerce();
                let below = commerce.sub_accounts(*account, page.after, page.limit.get())?;
                let below: Vec<_> = below.iter().map(|id| json!({ "account": id })).collect();
                Ok(json!({ "sub_accounts": below }))
            }
            IntegratorOrder::Charge { account, sub_account, usdc, reference } => {
                above_zero(*usdc)?;
                let charge = Charge {
                    integrator: *account,
                    sub_account: *sub_account,
                    usdc_e6: *usdc,
                    at: self.service.now(),
                    reference: reference.clone(),
                    by: self.operator.clone(),
                };
                let charged = self.service.commerce().charge(&charge, self.service.plans())?;
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
        terms: Terms,
        (from, until): (Option<Month>, Option<Month>),
    ) -> anyhow::Result<Value> {
        let accounts = self.service.accounts();
        let entered_at = self.service.now();
        let running = Month::of(entered_at)?;
        if let Some(until) = until.filter(|until| from.is_none() && *until < running) {
            bail!("--until: {until} is over");
        }
        let from = from.unwrap_or(running);
        let by = self.operator.clone();
        let agreement = Agreement { account, terms, from, until, by, entered_at };
        let agreed = self.service.agree(&agreement)?;
        let mut shown = shown::agreement(&agreed.entered);
        shown["replaced"] = agreed.replaced.iter().map(shown::replaced).collect();
        shown["has"] = shown::rights(&accounts.rights(account)?);
        let account = accounts.account(account)?;
        if account.grant.as_ref().is_some_and(|grant| grant.holds_at(accounts.now())) {
            // it lifts the account as well, until it ends or is withdrawn
            shown["grant_beside"] = shown::account(&account)["grant"].clone();
        }
        Ok(shown)
    }

    fn end_agreements(&self, account: AccountId, last: Month) -> anyhow::Result<Value> {
        let replaced = self.service.end_agreements(account, last, self.operator)?;
        let mut shown = self.show_agreement(account).unwrap_or_else(|_| json!({}));
        shown["replaced"] = replaced.iter().map(shown::replaced).collect();
        shown["has"] = shown::rights(&self.service.accounts().rights(account)?);
        Ok(shown)
    }

    fn show_agreement(&self, account: AccountId) -> anyhow::Result<Value> {
        let agreements = self.service.commerce().agreements(account)?;
        let shown = shown::agreements(&agreements, self.this_month()?);
        shown.ok_or_else(|| anyhow::anyhow!("no agreement with account {account}"))
    }
}
