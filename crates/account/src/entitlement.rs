//! Rights of a key at one second, computed from stored rows. Pure.
//!
//! ```text
//! tier = the highest of   explorer
//!                         the operator's grant, while it holds
//!                         the agreement in force
//!                         the account's own lift, active or in grace
//!                         that of each wallet it has PROVEN, active or in grace
//!                         that of a proven wallet's payment at the head, for an hour at most
//! ```
//! A sub-account has its parent's rights. Limit and grids are the best of all sources in force, so a gift never reduces
//! rights.

use std::collections::BTreeSet;
use std::sync::Arc;

use superroot_types::{Address, UnixSeconds};

use crate::account::{Account, Grant, WalletLink};
use crate::agreed::AgreedRows;
use crate::key::KeyRow;
use crate::provisional::ProvisionalTier;
use crate::{
    AccountError, AccountId, Environment, Grid, KeyId, PaidTier, PlanTable, Scope,
    SubscriptionStanding, SubscriptionStatus, Tier,
};

/// A key's current rights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entitlement {
    pub account: AccountId,
    pub key: KeyId,
    pub key_prefix: String,
    pub environment: Environment,
    pub parent: Option<AccountId>,
    pub scope: Scope,
    /// First second at which time alone invalidates the key.
    pub key_expires_at: Option<UnixSeconds>,
    pub rights: Rights,
}

/// Cached entitlement with its sources.
#[derive(Debug)]
pub(crate) struct Remembered {
    pub(crate) entitlement: Arc<Entitlement>,
    /// First valid second; an earlier clock was set back.
    pub(crate) from: UnixSeconds,
    /// First second at which time alone changes the entitlement; `None` for never.
    pub(crate) until: Option<UnixSeconds>,
    /// Source accounts: the key's own and its parent.
    pub(crate) accounts: Vec<AccountId>,
    /// Source wallets.
    pub(crate) wallets: Vec<Address>,
}

impl Remembered {
    pub(crate) fn holds_at(&self, now: UnixSeconds) -> bool {
        self.from <= now && self.until.is_none_or(|until| now < until)
    }
}

/// An account's rights at one second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rights {
    pub tier: Tier,
    /// Requests a minute, all keys together.
    pub limit_per_minute: u32,
    pub grids: BTreeSet<Grid>,
    pub subscription: SubscriptionView,
}

/// Subscription as shown to the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubscriptionView {
    /// Status; also pending if a merely claimed wallet has paid, and active if an agreement or another operator's grant
    /// gives the tier.
    pub status: SubscriptionStatus,
    /// End of the shown tier, past or future; also `None` for a grant without an end.
    pub expires_at: Option<UnixSeconds>,
    /// Wallet that has paid and must still sign.
    pub wallet_to_prove: Option<Address>,
}

impl Entitlement {
    /// The request limit's account: sub-accounts share their integrator's.
    #[must_use]
    pub fn limited_as(&self) -> AccountId {
        self.parent.unwrap_or(self.account)
    }

    #[must_use]
    pub const fn tier(&self) -> Tier {
        self.rights.tier
    }
}

/// Source rows for an account's rights; a sub-account has the parent's.
#[derive(Clone, Debug)]
pub(crate) struct Standings {
    pub(crate) account: Account,
    pub(crate) parent: Option<Account>,
    /// The top account's agreements.
    pub(crate) agreed: AgreedRows,
    /// The top account's wallets, with lifts.
    pub(crate) wallets: Vec<(WalletLink, PaidTier)>,
    /// The top account's own lift.
    pub(crate) own: PaidTier,
    /// Tiers of proven wallets whose payments are not final yet.
    pub(crate) provisional: Vec<ProvisionalTier>,
    /// Tiers of merely claimed wallets whose payments are not final yet: not given, only shown as pending.
    pub(crate) to_prove: Vec<ProvisionalTier>,
}

impl Standings {
    const fn above(&self) -> &Account {
        match &self.parent {
            Some(parent) => parent,
            None => &self.account,
        }
    }

    pub(crate) const fn is_closed(&self) -> bool {
        self.account.closed_at.is_some() || self.above().closed_at.is_some()
    }

    /// Rights at `now`, and the time at which time alone changes them.
    pub(crate) fn rights(
        &self,
        plans: &PlanTable,
        now: UnixSeconds,
    ) -> (Rights, Option<UnixSeconds>) {
        let grace = plans.subscription.grace_seconds;
        let lifts: Vec<_> = self.lifting().map(|lift| lift.standing_at(now, grace)).collect();
        let grants = self.grants(now);
        let to_prove = self.wallet_to_prove(now, grace);
        let mut rights = Rights {
            tier: Tier::Explorer,
            limit_per_minute: plans.limit_per_minute(Tier::Explorer),
            grids: plans.tier(Tier::Explorer).grids.iter().copied().collect(),
            subscription: view(&lifts, &grants, to_prove),
        };
        let provisional = || self.provisional.iter().filter(|one| now < one.until);
        let of_tier = |tier| plans.tier(tier).grids.iter().copied().collect();
        for grant in &grants {
            let limit = grant.limit_per_minute;
            let limit = limit.unwrap_or_else(|| plans.limit_per_minute(grant.tier));
            let grids = grant.grids.clone().unwrap_or_else(|| of_tier(grant.tier));
            rights.lift(grant.tier, limit, grids);
        }
        for SubscriptionStanding { tier, .. } in lifts.iter().filter(|lift| lift.status.is_served())
        {
            rights.lift(*tier, plans.limit_per_minute(*tier), of_tier(*tier));
        }
        for ProvisionalTier { tier, .. } in provisional() {
            rights.lift(*tier, plans.limit_per_minute(*tier), of_tier(*tier));
        }
        if let Some(last) = provisional().map(|one| one.until).max()
            && !rights.subscription.status.is_served()
        {
            rights.subscription.status = SubscriptionStatus::Pending;
            rights.subscription.expires_at = Some(last);
        }
        let all = self.wallets.iter().map(|(_, lift)| lift).chain([&self.own]);
        let of_lifts = all.filter_map(|lift| lift.standing_at(now, grace).changes_at);
        let of_grants = grants.iter().filter_map(|grant| grant.until);
        let shown = self.to_prove.iter().filter(|one| now < one.until);
        let of_provisional = provisional().chain(shown).map(|one| one.until);
        let of_all = of_lifts.chain(of_grants).chain(of_provisional);
        (rights, of_all.chain(self.agreed.turns_at()).min())
    }

    /// Grants of operator and agreement in force.
    fn grants(&self, now: UnixSeconds) -> Vec<Grant> {
        let granted = self.above().grant.iter().filter(|grant| grant.holds_at(now)).cloned();
        granted.chain(self.agreed.grant()).collect()
    }

    /// Effective lifts: the account's own, and those of proven wallets.
    fn lifting(&self) -> impl Iterator<Item = &PaidTier> {
        let proven = self.wallets.iter().filter(|(link, _)| link.proven_at.is_some());
        std::iter::once(&self.own).chain(proven.map(|(_, lift)| lift))
    }

    /// Merely claimed wallet that has paid.
    fn wallet_to_prove(&self, now: UnixSeconds, grace_seconds: u64) -> Option<Address> {
        let claimed = self.wallets.iter().find(|(link, lift)| {
            let has_paid = lift.standing_at(now, grace_seconds).status.is_served();
            link.proven_at.is_none() && has_paid
        });
        let at_head = || self.to_prove.iter().find(|one| now < one.until).map(|one| one.wallet);
        claimed.map(|(link, _)| link.wallet).or_else(at_head)
    }

    /// Rights of `key` at `now`, with their sources.
    pub(crate) fn entitle(
        self,
        key: KeyRow,
        plans: &PlanTable,
        now: UnixSeconds,
    ) -> Result<Remembered, AccountError> {
        key.check_at(now)?;
        if self.is_closed() {
            return Err(AccountError::ClosedAccount);
        }
        let (rights, changes_at) = self.rights(plans, now);
        let until = [key.ends_at(), changes_at].into_iter().flatten().min();
        let accounts = [Some(self.account.id), self.account.parent].into_iter().flatten().collect();
        let wallets = self.wallets.iter().map(|(link, _)| link.wallet).collect();
        let entitlement = Arc::new(Entitlement {
            account: self.account.id,
            key_expires_at: key.ends_at(),
            key: key.id,
            key_prefix: key.key_prefix,
            environment: self.account.environment,
            parent: self.account.parent,
            scope: key.scope,
            rights,
        });
        Ok(Remembered { entitlement, from: now, until, accounts, wallets })
    }
}

impl Rights {
    fn lift(&mut self, tier: Tier, limit_per_minute: u32, grids: BTreeSet<Grid>) {
        self.tier = self.tier.max(tier);
        self.limit_per_minute = self.limit_per_minute.max(limit_per_minute);
        self.grids.extend(grids);
    }
}

/// Subscription to show: the highest served tier of a lift or grant, the longest within a tier; else one awaiting a
/// signature; else the last ended.
fn view(
    lifts: &[SubscriptionStanding],
    grants: &[Grant],
    to_prove: Option<Address>,
) -> SubscriptionView {
    let end = |at: Option<UnixSeconds>| at.unwrap_or(UnixSeconds(u64::MAX));
    let granted = grants.iter().filter(|grant| grant.tier > Tier::Explorer);
    let granted = granted.map(|grant| (SubscriptionStatus::Active, grant.tier, grant.until));
    let lifts = lifts.iter().map(|lift| (lift.status, lift.tier, lift.expires_at));
    let (served, over): (Vec<_>, Vec<_>) =
        lifts.chain(granted).partition(|(status, ..)| status.is_served());
    let best = served.into_iter().max_by_key(|(status, tier, expires_at)| {
        (*tier, *status == SubscriptionStatus::Active, end(*expires_at))
    });
    if let Some((status, _, expires_at)) = best {
        // what lifts already hides no wallet that could lift more
        return SubscriptionView { status, expires_at, wallet_to_prove: to_prove };
    }
    if to_prove.is_some() {
        // what a wallet has is told to its holder only
        let status = SubscriptionStatus::Pending;
        let expires_at = None;
        return SubscriptionView { status, expires_at, wallet_to_prove: to_prove };
    }
    let last = over.into_iter().max_by_key(|(status, _, expires_at)| {
        (*status == SubscriptionStatus::Revoked, *expires_at)
    });
    let (status, expires_at) =
        last.map_or((SubscriptionStatus::None, None), |(status, _, end)| (status, end));
    SubscriptionView { status, expires_at, wallet_to_prove: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use superroot_types::Hash;

    const NOW: UnixSeconds = UnixSeconds(1_700_000_000);
    const DAY: u64 = 86_400;

    fn account(grant: Option<Grant>) -> Account {
        Account {
            id: AccountId::random(),
            environment: Environment::Test,
            created_at: NOW,
            wallet: None,
            parent: None,
            grant,
            sub_account_count: 0,
            label: None,
            closed_at: None,
            revision: 0,
        }
    }

    fn standings(grant: Option<Grant>) -> Standings {
        let (account, wallets) = (account(grant), Vec::new());
        let agreed = AgreedRows::default();
        let (own, provisional, to_prove) = (PaidTier::default(), Vec::new(), Vec::new());
        Standings { account, parent: None, agreed, wallets, own, provisional, to_prove }
    }

    fn paid(tier: Tier, end: u64) -> PaidTier {
        let mut lift = PaidTier::default();
        lift.add(tier, UnixSeconds(end - 30 * DAY), 1);
        lift
    }

    fn link(wallet: u8, is_proven: bool) -> WalletLink {
        let proven_at = is_proven.then_some(NOW);
        WalletLink { wallet: Address([wallet; 20]), claimed_at: NOW, proven_at }
    }

    fn rights(standings: &Standings, now: UnixSeconds) -> Rights {
        standings.rights(&PlanTable::default(), now).0
    }

    #[test]
    fn who_has_nothing_is_an_explorer() {
        let (rights, changes_at) = standings(None).rights(&PlanTable::default(), NOW);
        assert_eq!((rights.tier, rights.limit_per_minute), (Tier::Explorer, 100));
        assert_eq!((rights.subscription.status, changes_at), (SubscriptionStatus::None, None));
    }

    #[test]
    fn a_claim_gives_nothing_but_the_word_pending() {
        let mut some = standings(None);
        some.wallets.push((link(1, false), paid(Tier::Protocol, NOW.0 + DAY)));
        let claimed = rights(&some, NOW);
        assert_eq!((claimed.tier, claimed.limit_per_minute), (Tier::Explorer, 100));
        assert_eq!(claimed.grids, rights(&standings(None), NOW).grids);
        let expected = SubscriptionView {
            status: SubscriptionStatus::Pending,
            expires_at: None,
            wallet_to_prove: Some(Address([1; 20])),
        };
        assert_eq!(claimed.subscription, expected);
        some.wallets[0].0 = link(1, true);
        let proven = rights(&some, NOW);
        assert_eq!((proven.tier, proven.limit_per_minute), (Tier::Protocol, 10_000));
        assert_eq!(proven.subscription.status, SubscriptionStatus::Active);
    }

    #[test]
    fn a_payment_at_the_head_gives_its_tier_for_a_time_and_no_grace() {
        let plans = PlanTable::default();
        let until = UnixSeconds(NOW.0 + 3_600);
        let mut some = standings(None);
        let wallet = Address([1; 20]);
        some.provisional.push(ProvisionalTier { wallet, tier: Tier::Protocol, until });
        let (before, changes_at) = some.rights(&plans, NOW);
        assert_eq!((before.tier, changes_at), (Tier::Protocol, Some(until)));
        assert_eq!(before.subscription.status, SubscriptionStatus::Pending);
        assert_eq!(before.subscription.expires_at, Some(until));
        let (after, changes_at) = some.rights(&plans, until);
        assert_eq!((after.tier, changes_at), (Tier::Explorer, None));
        assert_eq!(after.subscription.status, SubscriptionStatus::None);
        // beside a tier that is paid it lifts, and hides nothing
        some.wallets.push((link(2, true), paid(Tier::Builder, NOW.0 + DAY)));
        let both = rights(&some, NOW);
        assert_eq!(both.tier, Tier::Protocol);
        assert_eq!(both.subscription.status, SubscriptionStatus::Active);
    }

    #[test]
    fn time_alone_moves_a_subscription_and_the_next_change_is_told() {
        let plans = PlanTable::default();
        let end = NOW.0 + DAY;
        let mut some = standings(None);
        some.wallets.push((link(1, true), paid(Tier::Builder, end)));
        let at = |now: u64| {
            let (rights, changes_at) = some.rights(&plans, UnixSeconds(now));
            (rights.tier, rights.subscription.status, changes_at.map(|at| at.0))
        };
        let grace_end = end + plans.subscription.grace_seconds;
        assert_eq!(at(end - 1), (Tier::Builder, SubscriptionStatus::Active, Some(end)));
        assert_eq!(at(end), (Tier::Builder, SubscriptionStatus::Grace, Some(grace_end)));
        assert_eq!(at(grace_end), (Tier::Explorer, SubscriptionStatus::Expired, None));
    }

    #[test]
    fn the_best_of_everything_in_force_counts() {
        let grant = Grant {
            limit_per_minute: Some(500),
            grids: Some(BTreeSet::from([Grid::G4])),
            until: Some(UnixSeconds(NOW.0 + 10)),
            ..Grant::of(Tier::Enterprise)
        };
        let mut some = standings(Some(grant));
        some.wallets.push((link(1, true), paid(Tier::Builder, NOW.0 + DAY)));
        some.wallets.push((link(2, true), paid(Tier::Protocol, NOW.0 + DAY)));
        let both = rights(&some, NOW);
        assert_eq!((both.tier, both.limit_per_minute), (Tier::Enterprise, 10_000));
        let (later, _) = some.rights(&PlanTable::default(), UnixSeconds(NOW.0 + 10));
        assert_eq!(later.tier, Tier::Protocol);
        some.wallets.clear();
        let alone = rights(&some, NOW);
        assert_eq!((alone.tier, alone.limit_per_minute), (Tier::Enterprise, 500));
        assert_eq!(alone.grids, BTreeSet::from([Grid::G1, Grid::G2, Grid::G4]));
    }

    /// An account with an agreement sees no missing subscription.
    #[test]
    fn what_is_granted_reads_active_with_its_end() {
        let until = Some(UnixSeconds(NOW.0 + 10));
        let mut some = standings(Some(Grant { until, ..Grant::of(Tier::Builder) }));
        let read = |some: &Standings, now: u64| {
            let view = rights(some, UnixSeconds(now)).subscription;
            (view.status, view.expires_at.map(|at| at.0 - NOW.0), view.wallet_to_prove.is_some())
        };
        assert_eq!(read(&some, NOW.0 + 9), (SubscriptionStatus::Active, Some(10), false));
        assert_eq!(read(&some, NOW.0 + 10), (SubscriptionStatus::None, None, false));
        some.wallets.push((link(1, false), paid(Tier::Protocol, NOW.0 + DAY)));
        assert_eq!(
            read(&some, NOW.0),
            (SubscriptionStatus::Active, Some(10), true),
            "it could have more"
        );
        some.wallets[0].0 = link(1, true);
        assert_eq!(
            read(&some, NOW.0),
            (SubscriptionStatus::Active, Some(DAY), false),
            "it has more"
        );
        some.wallets[0].1 = paid(Tier::Builder, NOW.0);
        assert_eq!(
            read(&some, NOW.0),
            (SubscriptionStatus::Active, Some(10), false),
            "better than grace"
        );
        some.account.grant = Some(Grant::of(Tier::Enterprise));
        assert_eq!(read(&some, NOW.0), (SubscriptionStatus::Active, None, false), "for good");
        some.account.grant = Some(Grant::of(Tier::Explorer));
        assert_eq!(
            read(&some, NOW.0).0,
            SubscriptionStatus::Grace,
            "a limit alone is no subscription"
        );
    }

    #[test]
    fn a_sub_account_has_what_its_parent_has_and_falls_with_it() {
        let mut some = standings(Some(Grant::of(Tier::Enterprise)));
        let mut parent = account(Some(Grant::of(Tier::Builder)));
        some.account.parent = Some(parent.id);
        some.parent = Some(parent.clone());
        assert_eq!(rights(&some, NOW).tier, Tier::Builder);
        let key = sample_key(some.account.id);
        let given = some.clone().entitle(key.clone(), &PlanTable::default(), NOW).unwrap();
        assert_eq!(given.entitlement.limited_as(), parent.id);
        assert_eq!(given.accounts, [some.account.id, parent.id]);
        parent.closed_at = Some(NOW);
        some.parent = Some(parent);
        let refused = some.entitle(key, &PlanTable::default(), NOW);
        assert!(matches!(refused, Err(AccountError::ClosedAccount)));
    }

    #[test]
    fn what_is_remembered_ends_with_the_first_thing_to_end() {
        let mut some = standings(None);
        some.wallets.push((link(1, true), paid(Tier::Builder, NOW.0 + DAY)));
        let key = |expires_at| KeyRow { expires_at, ..sample_key(some.account.id) };
        let until = |expires_at| {
            let given = some.clone().entitle(key(expires_at), &PlanTable::default(), NOW).unwrap();
            given.until.unwrap().0
        };
        assert_eq!(until(Some(UnixSeconds(NOW.0 + 5))), NOW.0 + 5);
        assert_eq!(until(Some(UnixSeconds(NOW.0 + 2 * DAY))), NOW.0 + DAY);
        assert_eq!(until(None), NOW.0 + DAY);
    }

    fn sample_key(account: AccountId) -> KeyRow {
        KeyRow {
            id: KeyId::random(),
            account,
            key_prefix: "svc_test_00000000".into(),
            label: None,
            scope: Scope::default(),
            created_at: NOW,
            expires_at: None,
            retires_at: None,
            replaced_by: None,
            revoked_at: None,
            hash: Hash([1; 32]),
        }
    }
}
