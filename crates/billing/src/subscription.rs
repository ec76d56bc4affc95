//! Subscriptions: thirty days of a tier for each payment.
//!
//! ```text
//!        payment, grant          last second           grace over
//! none ------------------> active ---------> grace ---------------> expired
//!                            ^  payment, grant |                      |
//!                            '-----------------+----------------------'
//! any --revoke--> revoked --reinstate--> where payments and time have brought it
//! ```
//! The registry contract decides: an activation pays exactly the price of one tier, or does not happen.
//! What must always hold: the lift of a payer is what its steps make of nothing; a payment counts once.

use serde::{Deserialize, Serialize};
use superroot_account::{Lift, Operator, Payer, Period, Plans, Status, Tier, show_wallet};
use superroot_types::{ChainId, UnixSeconds};

use crate::error::BillingError;
use crate::money::usdc_text;
use crate::payment::Payment;
use crate::price_list::PriceList;

/// Periods that are granted at one time at most.
pub const PERIODS_GRANTED_MAX: u16 = 120;

/// What happens to a subscription.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// A payment was seen in a final block.
    Payment(Payment),
    /// Periods free of charge.
    Grant {
        /// The tier.
        tier: Tier,
        /// How many, 1 to [`PERIODS_GRANTED_MAX`].
        periods: u16,
    },
    /// Money was paid back; the periods stay.
    Refund {
        /// How much, above zero.
        usdc_e6: u64,
    },
    /// Taken away. Time goes on.
    Revoke,
    /// Given back.
    Reinstate,
}

/// A step that a subscription took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// When it was written down.
    pub at: UnixSeconds,
    /// What happened.
    pub act: Act,
    /// Who did it, and why; none where the chain watcher saw it.
    pub by: Option<Operator>,
    /// The time that it gives.
    pub period: Option<Period>,
}

/// The money of a payer's subscription. Which tiers it gives is its [`Lift`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subscription {
    /// Everything ever paid.
    pub paid_usdc_e6: u64,
    /// Everything ever paid back.
    pub refunded_usdc_e6: u64,
    /// Steps so far.
    pub step_count: u64,
}

impl Subscription {
    /// What was paid and not paid back.
    #[must_use]
    pub const fn kept_usdc_e6(&self) -> u64 {
        self.paid_usdc_e6.saturating_sub(self.refunded_usdc_e6)
    }

    /// Takes one step: money and lift after it, and the time that it gives. A payment is exactly the price of
    /// its tier in `list`, which was in force when it was paid, or the configured one.
    ///
    /// # Errors
    /// For a payment [`BillingError::PaymentNotFinal`], [`BillingError::PaymentChain`],
    /// [`BillingError::NotForSale`], [`BillingError::Price`]; for acts by hand
    /// [`BillingError::Subscription`] where the state does not allow them,
    /// [`BillingError::Periods`], [`BillingError::Refund`], [`BillingError::Nothing`];
    /// [`BillingError::Overflow`].
    pub fn apply(
        mut self,
        mut lift: Lift,
        act: &Act,
        now: UnixSeconds,
        (plans, list): (&Plans, &PriceList),
    ) -> Result<(Self, Lift, Option<Period>), BillingError> {
        let refuse = |lift: &Lift, act| {
            let status = lift.standing_at(now, plans.subscription.grace_seconds).status;
            Err(BillingError::Subscription { status, act })
        };
        let overflow = |what| BillingError::Overflow { what };
        let mut period = None;
        match act {
            Act::Payment(payment) => {
                check_payment(payment, plans, list)?;
                let paid = self.paid_usdc_e6.checked_add(payment.usdc_e6);
                self.paid_usdc_e6 = paid.ok_or_else(|| overflow("what was ever paid"))?;
                period = Some(lift.add(payment.tier, payment.paid_at.min(now), 1));
            }
            Act::Grant { tier, periods } => {
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
            Act::Refund { usdc_e6 } => {
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
            Act::Revoke if lift.revoked_at.is_some() => return refuse(&lift, "revoked"),
            Act::Revoke => lift.revoked_at = Some(now),
            Act::Reinstate if lift.revoked_at.is_none() => return refuse(&lift, "reinstated"),
            Act::Reinstate => lift.revoked_at = None,
        }
        let count = self.step_count.checked_add(1);
        self.step_count = count.ok_or_else(|| overflow("the number of steps"))?;
        Ok((self, lift, period))
    }
}

fn check_payment(payment: &Payment, plans: &Plans, list: &PriceList) -> Result<(), BillingError> {
    if !payment.is_final {
        return Err(BillingError::PaymentNotFinal);
    }
    let (got, expected) = (payment.id.chain, ChainId(plans.subscription.payment_chain_id));
    if got != expected {
        return Err(BillingError::PaymentChain { got, expected });
    }
    let (tier, got_usdc_e6) = (payment.tier, payment.usdc_e6);
    // the operator may enter it after the price has changed, or change the price after the contract has
    let (then, now) = (list.tier_usdc_e6(tier), plans.price_usdc_e6(tier));
    let expected_usdc_e6 = then.or(now).ok_or(BillingError::NotForSale { tier })?;
    if ![then, now].contains(&Some(got_usdc_e6)) {
        return Err(BillingError::Price { tier, got_usdc_e6, expected_usdc_e6 });
    }
    Ok(())
}

impl Act {
    /// The word of the audit log.
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

    /// In a line of the audit log, with where the subscription then stands.
    pub(crate) fn subject(&self, payer: &Payer, status: Status) -> String {
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
