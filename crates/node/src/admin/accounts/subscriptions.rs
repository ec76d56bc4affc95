//! Orders about subscriptions.

use anyhow::bail;
use serde_json::{Value, json};
use superroot_account::{Asset, Event, Payment, PaymentId, Subscriber, Tier};
use superroot_types::{ChainId, UnixSeconds};

use super::order::{Of, SubscriptionOrder};
use super::{Desk, above_zero, shown};

/// Steps of a subscription that are shown.
const STEPS_MAX: usize = 1_000;

impl Desk<'_> {
    pub(super) fn subscription(&self, order: &SubscriptionOrder) -> anyhow::Result<Value> {
        let by = || self.operator.clone();
        match order {
            SubscriptionOrder::List { limit } => {
                let held = self.service.accounts().subscriptions().list(None, limit.get())?;
                let (plans, now) = (self.service.plans(), self.service.accounts().now());
                let held: Vec<_> =
                    held.iter().map(|one| shown::subscription(one, plans, now)).collect();
                Ok(json!({ "subscriptions": held }))
            }
            SubscriptionOrder::Show { of } => self.show_subscription(of),
            SubscriptionOrder::Pay { wallet, tier, usdc, chain, tx, log_index, paid_at } => {
                self.check_payment(*tier, *usdc, *chain, *paid_at)?;
                let id = PaymentId { chain: *chain, tx: *tx, log_index: *log_index };
                let payment = Payment {
                    id,
                    wallet: *wallet,
                    tier: *tier,
                    usdc_e6: *usdc,
                    asset: Asset::Usdc,
                    paid_at: *paid_at,
                    is_final: true, // the operator says so, and the audit log says who
                };
                self.applied(
                    &Subscriber::Wallet(*wallet),
                    &Event::Payment(payment),
                    "enter_payment",
                )
            }
            SubscriptionOrder::Grant { of, tier, periods } => {
                self.apply(of, &Event::Grant(*tier, *periods, by()), "grant_periods")
            }
            SubscriptionOrder::Change { of, tier } => {
                self.apply(of, &Event::ChangeTier(*tier, by()), "change_tier")
            }
            SubscriptionOrder::Release { of } => self.apply(of, &Event::Release(by()), "release"),
            SubscriptionOrder::Refund { of, usdc } => {
                above_zero(*usdc)?;
                self.apply(of, &Event::Refund(*usdc, by()), "refund")
            }
            SubscriptionOrder::Revoke { of } => {
                self.apply(of, &Event::Revoke(by()), "revoke_subscription")
            }
            SubscriptionOrder::Reinstate { of } => {
                self.apply(of, &Event::Reinstate(by()), "reinstate_subscription")
            }
        }
    }

    /// Refuses what cannot be a payment for a subscription, by the option at fault.
    fn check_payment(
        &self,
        tier: Tier,
        usdc_e6: u64,
        chain: ChainId,
        paid_at: UnixSeconds,
    ) -> anyhow::Result<()> {
        above_zero(usdc_e6)?;
        let plans = self.service.plans();
        if plans.price_usdc_e6(tier).is_none() {
            let priced = Tier::ALL.into_iter().filter(|tier| plans.price_usdc_e6(*tier).is_some());
            let priced: Vec<_> = priced.map(Tier::name).collect();
            bail!("--tier: {tier} is not paid for, expected {}", priced.join(" or "));
        }
        let billing = plans.subscription.payment_chain_id;
        if chain.0 != billing {
            bail!("--chain: {chain} is not the chain that subscriptions are paid on, {billing}");
        }
        if paid_at > self.service.accounts().now() {
            bail!("--paid-at: {} is yet to come", paid_at.iso_8601());
        }
        Ok(())
    }

    fn apply(&self, of: &Of, event: &Event, what: &str) -> anyhow::Result<Value> {
        let subscriber = of.subscriber()?;
        if let Subscriber::Account(account) = subscriber {
            self.service.accounts().account(account)?; // a typo must not be given a subscription
        }
        self.applied(&subscriber, event, what)
    }

    fn applied(&self, subscriber: &Subscriber, event: &Event, what: &str) -> anyhow::Result<Value> {
        let accounts = self.service.accounts();
        let applied =
            accounts.apply_to_subscription(subscriber, event, Some((self.operator, what)))?;
        let (plans, now) = (self.service.plans(), accounts.now());
        let mut shown = shown::subscription(&applied.subscription, plans, now);
        shown["steps"] = applied.transitions.iter().map(shown::transition).collect();
        if applied.is_repeat {
            shown["note"] = json!("this payment was entered before, nothing was changed");
        }
        Ok(shown)
    }

    fn show_subscription(&self, of: &Of) -> anyhow::Result<Value> {
        let accounts = self.service.accounts();
        let (subscriber, rows) = (of.subscriber()?, accounts.subscriptions());
        let held = rows.load(&subscriber)?;
        let mut shown = shown::subscription(&held, self.service.plans(), accounts.now());
        if let Subscriber::Wallet(wallet) = subscriber {
            shown["lifts_account"] = json!(accounts.proven_by(wallet)?);
        }
        let newest = held.transition_count.saturating_sub(STEPS_MAX as u64);
        let steps = rows.transitions(&subscriber, newest, STEPS_MAX)?;
        shown["steps"] = steps.iter().map(shown::transition).collect();
        Ok(shown)
    }
}
