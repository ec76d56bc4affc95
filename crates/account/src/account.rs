use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use superroot_types::{Address, UnixSeconds};

use crate::{AccountError, AccountId, Environment, Grid, Label, Tier};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Account {
    /// Account id, `user_id` in answers.
    pub id: AccountId,
    pub environment: Environment,
    pub created_at: UnixSeconds,
    /// Wallet named at registration; registration alone is only a claim.
    pub wallet: Option<Address>,
    /// Integrator's account of a sub-account.
    pub parent: Option<AccountId>,
    pub grant: Option<Grant>,
    pub sub_account_count: u32,
    /// Label set by the integrator above.
    pub label: Option<Label>,
    /// Closing time: from then on all keys are refused.
    pub closed_at: Option<UnixSeconds>,
    /// Number of changes of account and keys: one of two concurrent changes must retry.
    pub revision: u64,
}

/// Operator's grant to an account, besides the subscription.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    pub tier: Tier,
    /// Requests a minute, if different from the tier's.
    pub limit_per_minute: Option<u32>,
    /// Open grids, if different from the tier's.
    pub grids: Option<BTreeSet<Grid>>,
    /// First second after the grant; `None` until withdrawn.
    pub until: Option<UnixSeconds>,
}

impl Grant {
    /// Unlimited grant of a tier with all rights.
    #[must_use]
    pub const fn of(tier: Tier) -> Self {
        Self { tier, limit_per_minute: None, grids: None, until: None }
    }

    /// Whether the grant is in force at `now`.
    #[must_use]
    pub fn holds_at(&self, now: UnixSeconds) -> bool {
        self.until.is_none_or(|until| now < until)
    }

    /// Checks a grant.
    ///
    /// # Errors
    /// [`AccountError::Range`] for a limit below the public one, or above the agreeable maximum.
    pub(crate) fn check(&self, limits: RangeInclusive<u32>) -> Result<(), AccountError> {
        let Some(limit) = self.limit_per_minute else { return Ok(()) };
        if limits.contains(&limit) {
            return Ok(());
        }
        let (least, most) = limits.into_inner();
        Err(AccountError::Range {
            what: "limit_per_minute",
            got: limit.into(),
            least: least.into(),
            most: most.into(),
        })
    }
}

/// Relation of an account to a wallet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WalletLink {
    pub wallet: Address,
    /// The claim's time.
    pub claimed_at: UnixSeconds,
    /// Time of the proof by signature; `None` for a claim, which gives no rights.
    pub proven_at: Option<UnixSeconds>,
}

/// Account that proved a wallet last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Holder {
    pub(crate) account: AccountId,
    pub(crate) proven_at: UnixSeconds,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grant_ends_with_its_last_second() {
        let grant = Grant { until: Some(UnixSeconds(10)), ..Grant::of(Tier::Enterprise) };
        assert!(grant.holds_at(UnixSeconds(9)) && !grant.holds_at(UnixSeconds(10)));
        assert!(Grant::of(Tier::Builder).holds_at(UnixSeconds(u64::MAX)));
    }

    #[test]
    fn a_granted_limit_has_bounds() {
        let grant = |limit| Grant { limit_per_minute: limit, ..Grant::of(Tier::Enterprise) };
        assert!(
            [None, Some(3), Some(10)]
                .map(|limit| grant(limit).check(3..=10))
                .iter()
                .all(Result::is_ok)
        );
        let refused = |limit| grant(Some(limit)).check(3..=10).unwrap_err();
        assert!(matches!(refused(2), AccountError::Range { got: 2, least: 3, .. }));
        assert!(matches!(refused(11), AccountError::Range { most: 10, .. }));
    }
}
