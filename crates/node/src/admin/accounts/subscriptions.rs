//! Subscription commands.

use anyhow::bail;
use serde_json::{Value, json};
use superroot_account::Payer;
use superroot_billing::{AppliedAct, Asset, Payment, PaymentId, SubscriptionAct};

use super::order::{SubscriptionCommand, SubscriptionOwner};
use super::{OperatorApi, shown};

/// Most subscription steps shown: the newest.
const STEPS_MAX: usize = 1_000;

impl OperatorApi<'_> {
    pub(super) fn subscription(&self, order: &SubscriptionCommand) -> anyhow::Result<Value> {
        match order {
            SubscriptionCommand::List { after, limit } => {
                let payers = self.billing.payers(after.as_ref(), *limit)?;
                let next = payers.last().filter(|_| payers.len() == *limit);
                let next = next.map(|(payer, _)| shown::payer(payer));
                let shown = payers.iter().map(|(payer, _)| {
                    let (held, standing) = self.billing.subscription(payer)?;
                    Ok(shown::subscription(payer, &held, &standing))
                });
                let shown = shown.collect::<anyhow::Result<Vec<_>>>()?;
                Ok(json!({ "subscriptions": shown, "next_after": next }))
            }
            SubscriptionCommand::Show { of } => self.show_subscription(of),
            SubscriptionCommand::Pay { wallet, tier, usdc, chain, tx, log_index, paid_at } => {
                if *paid_at > self.billing.now() {
                    bail!("--paid-at: {} is yet to come", paid_at.iso_8601());
                }
                let payment = Payment {
                    id: PaymentId { chain: *chain, tx: *tx, log_index: *log_index },
                    wallet: *wallet,
                    tier: *tier,
                    usdc_e6: *usdc,
                    asset: Asset::Usdc,
                    paid_at: *paid_at,
                    is_proven: false,
                    is_final: true, // the operator says so, and the audit log says who
                };
                let applied = self.billing.pay(&payment, Some(self.operator))?;
                Ok(applied_shown(&Payer::Wallet(*wallet), &applied))
            }
            SubscriptionCommand::Grant { of, tier, periods } => {
                self.act(of, &SubscriptionAct::Grant { tier: *tier, periods: *periods })
            }
            SubscriptionCommand::Refund { of, usdc } => {
                self.act(of, &SubscriptionAct::Refund { usdc_e6: *usdc })
            }
            SubscriptionCommand::Revoke { of } => self.act(of, &SubscriptionAct::Revoke),
            SubscriptionCommand::Reinstate { of } => self.act(of, &SubscriptionAct::Reinstate),
        }
    }

    fn act(&self, of: &SubscriptionOwner, act: &SubscriptionAct) -> anyhow::Result<Value> {
        let payer = of.payer()?;
        Ok(applied_shown(&payer, &self.billing.act(&payer, act, self.operator)?))
    }

    fn show_subscription(&self, of: &SubscriptionOwner) -> anyhow::Result<Value> {
        let payer = of.payer()?;
        let (held, standing) = self.billing.subscription(&payer)?;
        let mut shown = shown::subscription(&payer, &held, &standing);
        if let Payer::Wallet(wallet) = payer {
            shown["lifts_account"] = json!(self.service.accounts().proven_by(wallet)?);
        }
        let newest = held.step_count.saturating_sub(STEPS_MAX as u64);
        let steps = self.billing.steps(&payer, newest, STEPS_MAX)?;
        shown["steps"] = steps.iter().map(shown::step).collect();
        Ok(shown)
    }
}

fn applied_shown(payer: &Payer, applied: &AppliedAct) -> Value {
    let mut shown = shown::subscription(payer, &applied.subscription, &applied.standing);
    match &applied.step {
        Some(step) => shown["step"] = shown::step(step),
        None => shown["note"] = json!("this payment was entered before, nothing was changed"),
    }
    shown
}
