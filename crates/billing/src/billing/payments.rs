//! Payments of an account, pending and counted.

use superroot_account::{AccountId, Payer, ProvisionalTier};
use superroot_types::UnixSeconds;

use super::BillingLedger;
use crate::error::BillingError;
use crate::pending::{ListedPayment, PendingPayment};
use crate::subscription::SubscriptionAct;

/// Most seconds by which a block's time may be ahead of this machine's clock.
const AHEAD_SECONDS_MAX: u64 = 60;
/// Most counted payments listed for a wallet: the newest.
const LISTED_MAX: u64 = 16;

impl BillingLedger {
    /// Replaces the pending payments. Each gives its tier for `provisional_seconds` from its block's time, 0: not. A block
    /// from the future gives no tier: a lying node could prolong the tier for ever.
    pub fn set_pending(&self, pending: Vec<PendingPayment>, provisional_seconds: u64) {
        let latest = self.accounts().now().0.saturating_add(AHEAD_SECONDS_MAX);
        let is_given = |one: &&PendingPayment| provisional_seconds > 0 && one.paid_at.0 <= latest;
        let tiers = pending.iter().filter(is_given).map(|one| {
            let until = UnixSeconds(one.paid_at.0.saturating_add(provisional_seconds));
            ProvisionalTier { wallet: one.wallet, tier: one.tier, until }
        });
        self.accounts().accounts().set_provisional(tiers);
        self.pending.replace(pending);
    }

    /// Payments of an account's proven wallets, newest first: pending ones, and the newest counted ones of each wallet.
    ///
    /// # Errors
    /// [`BillingError::Store`].
    pub fn payments(&self, account: AccountId) -> Result<Vec<ListedPayment>, BillingError> {
        let links = self.accounts().accounts().wallets(account)?;
        let proven = links.iter().filter(|link| link.proven_at.is_some());
        let mut listed: Vec<ListedPayment> = Vec::new();
        let wallets = proven.map(|link| Payer::Wallet(link.wallet));
        for payer in wallets.chain([Payer::Account(account)]) {
            let count = self.subscription(&payer)?.0.step_count;
            let first = count.saturating_sub(LISTED_MAX);
            for step in self.steps(&payer, first, usize::MAX)? {
                if let SubscriptionAct::Payment(payment) = step.act {
                    let payment = PendingPayment {
                        id: payment.id,
                        wallet: payment.wallet,
                        tier: payment.tier,
                        usdc_e6: payment.usdc_e6,
                        paid_at: payment.paid_at,
                    };
                    listed.push(ListedPayment { payment, is_counted: true });
                }
            }
            let Payer::Wallet(wallet) = payer else { continue };
            for payment in self.pending.of(wallet) {
                if listed.iter().all(|known| known.payment.id != payment.id) {
                    listed.push(ListedPayment { payment, is_counted: false });
                }
            }
        }
        listed.sort_by_key(|one| std::cmp::Reverse(one.payment.paid_at));
        Ok(listed)
    }
}
