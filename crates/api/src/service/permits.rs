//! Open stream count per account.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use superroot_account::{AccountId, Entitlement, PlanTable};

use crate::ApiError;
use crate::error::codes::{TIER_REQUIRED, TOO_MANY_STREAMS};

/// Open streams by the account whose limit applies.
#[derive(Debug, Default)]
pub(crate) struct StreamPermits(Arc<Mutex<HashMap<AccountId, u32>>>);

/// Open stream, counted until dropped.
#[derive(Debug)]
pub(crate) struct StreamPermit {
    account: AccountId,
    open: Arc<Mutex<HashMap<AccountId, u32>>>,
}

impl StreamPermits {
    /// Admits another stream if the tier allows; sub-accounts share their integrator's limit.
    ///
    /// # Errors
    /// 403 `tier_required` for a tier without streams, 429 `too_many_streams` when all are open.
    pub(crate) fn enter(
        &self,
        entitlement: &Entitlement,
        plans: &PlanTable,
    ) -> Result<StreamPermit, ApiError> {
        let account = entitlement.limited_as();
        let tier = entitlement.tier();
        let max = plans.tier(tier).streams_max;
        if max == 0 {
            let detail = format!("tier {tier} has no streams; see /api/v1/plans");
            return Err(ApiError::new(TIER_REQUIRED, detail).with("tier", tier.name()));
        }
        let mut open = lock(&self.0);
        let count = open.entry(account).or_default();
        if *count >= max {
            let detail = format!("{max} streams are open, which is all that tier {tier} has");
            return Err(ApiError::new(TOO_MANY_STREAMS, detail).with("limit", max));
        }
        *count += 1;
        drop(open);
        Ok(StreamPermit { account, open: Arc::clone(&self.0) })
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let mut open = lock(&self.open);
        if let Some(count) = open.get_mut(&self.account) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.account);
            }
        }
    }
}

fn lock(open: &Mutex<HashMap<AccountId, u32>>) -> MutexGuard<'_, HashMap<AccountId, u32>> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}
