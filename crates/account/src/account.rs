//! An account: who asks.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use superroot_types::{Address, UnixSeconds};

use crate::{AccountError, AccountId, Environment, Grid, Label, Tier};

/// An account as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Account {
    /// Its name, `user_id` in answers.
    pub id: AccountId,
    /// Its world.
    pub environment: Environment,
    /// When it was opened.
    pub created_at: UnixSeconds,
    /// The wallet it was registered with, which that alone only claims.
    pub wallet: Option<Address>,
    /// The integrator's account whose sub-account it is.
    pub parent: Option<AccountId>,
    /// What the operator gave it.
    pub grant: Option<Grant>,
    /// Sub-accounts that it has opened.
    pub sub_account_count: u32,
    /// What the integrator above it calls it.
    pub label: Option<Label>,
    /// Since when it is closed: its keys are refused.
    pub closed_at: Option<UnixSeconds>,
    /// How often it or its keys were changed: of two changes at one time one has to look again.
    pub revision: u64,
}

/// What an operator gives an account beside its subscription.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// The tier.
    pub tier: Tier,
    /// Requests a minute, where other than the tier's.
    pub limit_per_minute: Option<u32>,
    /// Grids that are open, where other than the tier's.
    pub grids: Option<BTreeSet<Grid>>,
    /// First second it holds no more; none: until it is taken back.
    pub until: Option<UnixSeconds>,
}

impl Grant {
    /// A tier with everything it has, for good.
    #[must_use]
    pub const fn of(tier: Tier) -> Self {
        Self { tier, limit_per_minute: None, grids: None, until: None }
    }

    /// Whether it holds at `now`.
    #[must_use]
    pub fn holds_at(&self, now: UnixSeconds) -> bool {
        self.until.is_none_or(|until| now < until)
    }

    /// Refuses a grant of nothing.
    ///
    /// # Errors
    /// [`AccountError::Range`] for a limit below that of everybody, or past what may be agreed.
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

/// What an account has to do with a wallet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WalletLink {
    /// The wallet.
    pub wallet: Address,
    /// Since when the account names it.
    pub claimed_at: UnixSeconds,
    /// Since when its signature stands behind that; none: a claim, which gives nothing.
    pub proven_at: Option<UnixSeconds>,
}

/// The account that has proven a wallet: the last one that did.
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
