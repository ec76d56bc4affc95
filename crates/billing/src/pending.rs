//! Payments seen at the head, before they count.

use std::sync::{PoisonError, RwLock};

use superroot_account::Tier;
use superroot_types::{Address, UnixSeconds};

use crate::payment::PaymentId;

/// Payment that is not final yet: it may be gone with a reorganisation, and counts for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendingPayment {
    pub id: PaymentId,
    /// Beneficiary.
    pub wallet: Address,
    pub tier: Tier,
    pub usdc_e6: u64,
    /// Block time.
    pub paid_at: UnixSeconds,
}

/// Payment of an account's wallet, pending or counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListedPayment {
    pub payment: PendingPayment,
    pub is_counted: bool,
}

#[derive(Debug, Default)]
pub(crate) struct PendingPayments(RwLock<Vec<PendingPayment>>);

impl PendingPayments {
    pub(crate) fn replace(&self, pending: Vec<PendingPayment>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = pending;
    }

    pub(crate) fn of(&self, wallet: Address) -> Vec<PendingPayment> {
        let pending = self.0.read().unwrap_or_else(PoisonError::into_inner);
        pending.iter().filter(|one| one.wallet == wallet).copied().collect()
    }
}
