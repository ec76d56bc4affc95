//! Subscriptions: thirty days of a tier for each payer.
//!
//! ```text
//!        payment, grant          last second           grace over
//! none ------------------> active ---------> grace ---------------> expired
//!                            ^  payment, grant |                      |
//!                            '-----------------+----------------------'
//! any --revoke--> revoked --reinstate--> where payments and time have brought it
//! ```
//! The registry contract decides: an activation pays exactly the price of one tier, or fails. Invariants: a payer's
//! lift is the result of its steps; a payment counts once.

use serde::{Deserialize, Serialize};
use superroot_account::{
    Operator, PaidTier, Payer, PlanTable, SubscriptionStatus, Tier, TierPeriod, show_wallet,
};
use superroot_types::{ChainId, UnixSeconds};

use crate::error::BillingError;
use crate::money::usdc_text;
use crate::payment::Payment;
use crate::price_list::PriceList;

/// Most periods per grant.
pub const PERIODS_GRANTED_MAX: u16 = 120;

/// Act on a subscription.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubscriptionAct {
    /// Payment in a final block.
    Payment(Payment),
    /// Free periods.
    Grant {
        tier: Tier,
        /// Number of periods, 1 to [`PERIODS_GRANTED_MAX`].
        periods: u16,
    },
    /// Refund; the periods stay.
    Refund {
        /// Amount, above zero.
        usdc_e6: u64,
    },
    /// Revocation; periods keep running.
    Revoke,
    /// Reinstatement after a revocation.
    Reinstate,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubscriptionStep {
    /// Recording time.
    pub at: UnixSeconds,
    pub act: SubscriptionAct,
    /// Operator and reason; `None` if the chain watcher saw the payment.
    pub by: Option<Operator>,
    /// Time given by the step.
    pub period: Option<TierPeriod>,
}

/// Money of a payer's subscription; the payer's [`PaidTier`] has the tiers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubscriptionMoney {
    /// Total payments.
    pub paid_usdc_e6: u64,
    /// Total refunds.
    pub refunded_usdc_e6: u64,
    pub step_count: u64,
}

impl SubscriptionMoney {
    /// Payments less refunds.
    #[must_use]
    pub const fn kept_usdc_e6(&self) -> u64 {
        self.paid_usdc_e6.saturating_sub(self.refunded_usdc_e6)
    }

    /// Applies one step: returns money, lift, and given time. A payment must be exactly the tier's price in `list`, in
    /// force at payment, or the configured price.
    ///
    /// # Errors
    /// For a payment: [`BillingError::PaymentNotFinal`], [`BillingError::PaymentChain`], [`BillingError::Price`]. For
    /// an operator's act: [`BillingError::Subscription`] if the state does not allow the act,
    /// [`BillingError::Periods`], [`BillingError::Refund`], [`BillingError::Nothing`]. For both
    /// [`BillingError::NotForSale`] and [`BillingError::Overflow`].
    pub fn apply(
        mut self,
        mut lift: PaidTier,
        act: &SubscriptionAct,
        now: UnixSeconds,
        (plans, list): (&PlanTable, &PriceList),
    ) -> Result<(Self, PaidTier, Option<TierPeriod>), BillingError> {
        let refuse = |lift: &PaidTier, act| {
            let status = lift.standing_at(now, plans.subscription.grace_seconds).status;
            Err(BillingError::Subscription { status, act })
        };
        let overflow = |what| BillingError::Overflow { what };
        let mut period = None;
        match act {
            SubscriptionAct::Payment(payment) => {
                check_payment(payment, plans, list)?;
                let paid = self.paid_usdc_e6.checked_add(payment.usdc_e6);
                self.paid_usdc_e6 = paid.ok_or_else(|| overflow("what was ever paid"))?;
                period = Some(lift.add(payment.tier, payment.paid_at.min(now), 1));
            }
            SubscriptionAct::Grant { tier, periods } => {
                let most = PERIODS_GRANTED_MAX;
                if *periods == 0 || *periods > most {
                    return Err(BillingError::Periods { got: *periods, most });
                }
                if *tier == Tier::Explorer {
                    return Err(BillingError::NotForSale { tier: *tier });
                }
                if lift.revoked_at.is_some() {
                    return refuse(&lift, "granted more time");
                }
                period = Some(lift.add(*tier, now, *periods));
            }
            SubscriptionAct::Refund { usdc_e6 } => {
                let left = self.kept_usdc_e6();
                if *usdc_e6 == 0 {
                    return Err(BillingError::Nothing { what: "a refund" });
                }
                if left < *usdc_e6 {
                    let asked_usdc_e6 = *usdc_e6;
                    return Err(BillingError::Refund { asked_usdc_e6, left_usdc_e6: left });
                }
                self.refunded_usdc_e6 += usdc_e6; // at most what was paid
            }
            SubscriptionAct::Revoke if lift.revoked_at.is_some() => {
                return refuse(&lift, "revoked");
            }
            SubscriptionAct::Revoke => lift.revoked_at = Some(now),
            SubscriptionAct::Reinstate if lift.revoked_at.is_none() => {
                return refuse(&lift, "reinstated");
            }
            SubscriptionAct::Reinstate => lift.revoked_at = None,
        }
        let count = self.step_count.checked_add(1);
        self.step_count = count.ok_or_else(|| overflow("the number of steps"))?;
        Ok((self, lift, period))
    }
}

fn check_payment(
    payment: &Payment,
    plans: &PlanTable,
    list: &PriceList,
) -> Result<(), BillingError> {
    if !payment.is_final {
        return Err(BillingError::PaymentNotFinal);
    }
    let got = payment.id.chain;
    let expected = ChainId(plans.subscription.payment_chain_id);
    if got != expected {
        return Err(BillingError::PaymentChain { got, expected });
    }
    let tier = payment.tier;
    let got_usdc_e6 = payment.usdc_e6;
    // the operator may enter it after the price has changed, or change the price after the contract has
    let then = list.tier_usdc_e6(tier);
    let now = plans.price_usdc_e6(tier);
    if payment.is_proven {
        return match tier {
            Tier::Builder | Tier::Protocol => Ok(()),
            Tier::Explorer | Tier::Enterprise => Err(BillingError::NotForSale { tier }),
        };
    }
    let expected_usdc_e6 = then.or(now).ok_or(BillingError::NotForSale { tier })?;
    if ![then, now].contains(&Some(got_usdc_e6)) {
        return Err(BillingError::Price { tier, got_usdc_e6, expected_usdc_e6 });
    }
    Ok(())
}

impl SubscriptionAct {
    /// Name in the audit log.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Payment(_) => "enter_payment",
            Self::Grant { .. } => "grant_periods",
            Self::Refund { .. } => "refund",
            Self::Revoke => "revoke_subscription",
            Self::Reinstate => "reinstate_subscription",
        }
    }

    /// Audit line with the resulting status.
    pub(crate) fn subject(&self, payer: &Payer, status: SubscriptionStatus) -> String {
        let name = match payer {
            Payer::Wallet(wallet) => format!("subscription of wallet {}", show_wallet(wallet)),
            Payer::Account(account) => format!("subscription of account {account}"),
        };
        let usdc = |usdc_e6: &u64| format!("{} USDC", usdc_text((*usdc_e6).into()));
        let what = match self {
            Self::Payment(Payment { usdc_e6, tier, id, .. }) => {
                format!("{} for {tier}, payment {id}", usdc(usdc_e6))
            }
            Self::Grant { tier, periods } => format!("{periods} periods of {tier} free of charge"),
            Self::Refund { usdc_e6 } => format!("{} paid back", usdc(usdc_e6)),
            Self::Revoke => "taken away".to_owned(),
            Self::Reinstate => "given back".to_owned(),
        };
        format!("{name}: {what}; {status}")
    }
}

#[cfg(test)]
mod tests;
