//! Orders about enterprises and integrators.

use anyhow::bail;
use serde_json::{Value, json};
use superroot_account::{
    AccountId, Actor, Agreement, Charge, Grant, Grid, Month, NewKey, Terms, Tier,
};

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
                let grids: std::collections::BTreeSet<_> = grids.into_iter().collect();
                let terms = Terms::Enterprise {
                    limit_per_minute: *limit,
                    grids: grids.clone(),
                    monthly_fee_usdc_e6: *monthly_fee,
                    million_tokens_usdc_e6: *million_tokens,
                    free_tokens_per_month: *free_tokens,
                    availability_e6: *availability,
                };
                let grant = Grant {
                    grids: Some(grids),
                    limit_per_minute: Some(*limit),
                    ..Grant::of(Tier::Enterprise)
                };
                self.agree(*account, terms, (*from, *until), grant)
            }
            EnterpriseOrder::Show { account } => self.show_agreement(*account),
        }
    }

    pub(super) fn integrator(&self, order: &IntegratorOrder) -> anyhow::Result<Value> {
        match order {
            IntegratorOrder::Agree { account, every, fee, tier, from, until } => {
                let terms = Terms::Integrator { interval: (*every).into(), fee_usdc_e6: *fee };
                let limit = self.service.plans().integrator.limit_per_minute;
                let grant = Grant { limit_per_minute: Some(limit), ..Grant::of(*tier) };
                self.agree(*account, terms, (*from, *until), grant)
            }
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

    /// Enters an agreement, then lets it lift the account until its last month is over.
    fn agree(
        &self,
        account: AccountId,
        terms: Terms,
        (from, until): (Option<Month>, Option<Month>),
        grant: Grant,
    ) -> anyhow::Result<Value> {
        let accounts = self.service.accounts();
        let opened = Month::of(accounts.account(account)?.created_at)?;
        let from = from.map_or_else(|| self.this_month(), Ok)?;
        if from < opened {
            bail!("--from: {from} is before {opened}, in which the account was opened");
        }
        if let Some(until) = until.filter(|until| Month::end(*until) <= accounts.now()) {
            bail!("--until: {until} is over");
        }
        let agreement = Agreement {
            account,
            terms,
            from,
            until,
            by: self.operator.clone(),
            entered_at: self.service.now(),
            sub_account_count: 0,
        };
        let agreed = self.service.commerce().agree(&agreement, self.service.plans())?;
        let grant = Grant { until: until.map(Month::end), ..grant };
        accounts.grant(self.operator, account, Some(&grant)).map_err(|error| {
            anyhow::Error::from(error)
                .context("the agreement is entered, its limit is not in force: do it again")
        })?;
        let mut shown = shown::agreement(&agreed.agreement);
        shown["replaced"] = json!(agreed.replaced.as_ref().map(Agreement::summary));
        shown["has"] = shown::rights(&accounts.rights(account)?);
        Ok(shown)
    }

    fn show_agreement(&self, account: AccountId) -> anyhow::Result<Value> {
        let agreement = self.service.commerce().agreement(account)?;
        let agreement =
            agreement.ok_or_else(|| anyhow::anyhow!("no agreement with account {account}"))?;
        Ok(shown::agreement(&agreement))
    }
}
