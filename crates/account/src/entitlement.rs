//! What a key gives at one second, from the rows behind it. Pure.
//!
//! ```text
//! tier = the highest of   explorer
//!                         the operator's grant, while it holds
//!                         the agreement of the running month
//!                         the account's own subscription, active or in grace
//!                         that of each wallet it has PROVEN, active or in grace
//! ```
//! A sub-account has what its parent has. Limit and grids are the best of everything in force, so
//! no gift makes anybody poorer.

use std::collections::BTreeSet;
use std::sync::Arc;

use superroot_types::{Address, UnixSeconds};

use crate::account::{Account, Grant, WalletLink};
use crate::cache::Remembered;
use crate::key::Key;
use crate::{
    AccountError, AccountId, Agreements, Environment, Grid, KeyId, Plans, Scope, Status,
    Subscriber, Subscription, Tier,
};

/// What whoever shows a key may do now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entitlement {
    /// Whose key it is.
    pub account: AccountId,
    /// Which key.
    pub key: KeyId,
    /// Its first characters.
    pub key_prefix: String,
    /// Its world.
    pub environment: Environment,
    /// The integrator's account above this one.
    pub parent: Option<AccountId>,
    /// What the key is confined to.
    pub scope: Scope,
    /// First second the key is refused by time alone.
    pub key_expires_at: Option<UnixSeconds>,
    /// What the account has.
    pub rights: Rights,
}

/// What an account has at one second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rights {
    /// Its tier.
    pub tier: Tier,
    /// Requests a minute, all its keys together.
    pub limit_per_minute: u32,
    /// Grids that are open.
    pub grids: BTreeSet<Grid>,
    /// Its subscription.
    pub subscription: SubscriptionView,
}

/// A subscription as its account sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubscriptionView {
    /// Where it stands; pending also where a wallet that is only claimed has paid; active where an
    /// agreement or another grant of the operator's gives the tier.
    pub status: Status,
    /// First second that is not paid for, or not granted; none also for a grant without an end.
    pub expires_at: Option<UnixSeconds>,
    /// Everything paid so far.
    pub paid_usdc_e6: u64,
    /// The wallet that has paid and still has to sign.
    pub wallet_to_prove: Option<Address>,
}

impl Entitlement {
    /// The account whose limit a request counts against: an integrator's sub-accounts share one.
    #[must_use]
    pub fn limited_as(&self) -> AccountId {
        self.parent.unwrap_or(self.account)
    }

    /// The tier.
    #[must_use]
    pub const fn tier(&self) -> Tier {
        self.rights.tier
    }
}

/// The rows behind an account's rights: those of its parent where it has one.
#[derive(Clone, Debug)]
pub(crate) struct Standings {
    pub(crate) account: Account,
    pub(crate) parent: Option<Account>,
    /// The agreements with whoever is above.
    pub(crate) agreements: Agreements,
    /// Wallets of whoever is above, with their subscriptions.
    pub(crate) wallets: Vec<(WalletLink, Subscription)>,
    /// The subscription of the account that is above, by itself.
    pub(crate) own: Subscription,
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

    /// What the account has at `now`, and when time alone changes that.
    pub(crate) fn rights(&self, plans: &Plans, now: UnixSeconds) -> (Rights, Option<UnixSeconds>) {
        let mut changes = Vec::new();
        let mut rights = Rights {
            tier: Tier::Explorer,
            limit_per_minute: plans.limit_per_minute(Tier::Explorer),
            grids: plans.tier(Tier::Explorer).grids.iter().copied().collect(),
            subscription: self.view(plans, now, &mut changes),
        };
        let (agreed, turns_at) = self.agreements.grant_at(plans, now);
        changes.extend(turns_at);
        for grant in self.granted(now).chain(&agreed) {
            changes.extend(grant.until);
            let limit = grant.limit_per_minute;
            let limit = limit.unwrap_or_else(|| plans.limit_per_minute(grant.tier));
            let plan = || plans.tier(grant.tier).grids.iter().copied().collect();
            rights.lift(grant.tier, limit, grant.grids.clone().unwrap_or_else(plan));
        }
        for subscription in self.serving() {
            let standing = subscription.standing_at(now, &plans.subscription);
            if standing.status.is_served() {
                let plan = plans.tier(standing.tier);
                let limit = plans.limit_per_minute(standing.tier);
                rights.lift(standing.tier, limit, plan.grids.iter().copied().collect());
            }
        }
        (rights, changes.into_iter().min())
    }

    /// Whether a subscription would lift the account at `now` to a tier that nothing else which is
    /// paid for or granted gives it.
    pub(crate) fn is_lifted_by(
        &self,
        subscriber: &Subscriber,
        tier: Tier,
        plans: &Plans,
        now: UnixSeconds,
    ) -> bool {
        let lifts = self.serving().any(|own| own.subscriber == *subscriber);
        if !lifts || self.is_closed() || self.parent.is_some() {
            return false;
        }
        let agreed = self.agreements.grant_at(plans, now).0;
        let granted = self.granted(now).chain(&agreed).map(|grant| grant.tier);
        let others = self.serving().filter(|other| other.subscriber != *subscriber);
        let active = others.filter_map(|other| {
            let standing = other.standing_at(now, &plans.subscription);
            (standing.status == Status::Active).then_some(standing.tier)
        });
        granted.chain(active).all(|given| given < tier)
    }

    /// What the operator gave beside agreements, while it holds.
    fn granted(&self, now: UnixSeconds) -> impl Iterator<Item = &Grant> {
        self.above().grant.iter().filter(move |grant| grant.holds_at(now))
    }

    /// Subscriptions that lift: the account's own, and those of proven wallets.
    fn serving(&self) -> impl Iterator<Item = &Subscription> {
        let proven = self.wallets.iter().filter(|(link, _)| link.proven_at.is_some());
        std::iter::once(&self.own).chain(proven.map(|(_, subscription)| subscription))
    }

    /// The subscription to show: the best that lifts, or the grant where that gives more or for
    /// longer; else one that awaits a signature; else the one that stands best.
    fn view(
        &self,
        plans: &Plans,
        now: UnixSeconds,
        changes: &mut Vec<UnixSeconds>,
    ) -> SubscriptionView {
        let terms = &plans.subscription;
        let all = self.wallets.iter().map(|(_, subscription)| subscription);
        for subscription in all.chain([&self.own]) {
            changes.extend(subscription.standing_at(now, terms).changes_at);
        }
        let shown = self.serving().max_by_key(|subscription| {
            let standing = subscription.standing_at(now, terms);
            (rank(standing.status), standing.tier, standing.expires_at)
        });
        let shown = shown.unwrap_or(&self.own);
        let standing = shown.standing_at(now, terms);
        let view = SubscriptionView {
            status: standing.status,
            expires_at: standing.expires_at,
            paid_usdc_e6: shown.paid_usdc_e6,
            wallet_to_prove: None,
        };
        let end = |at: Option<UnixSeconds>| at.unwrap_or(UnixSeconds(u64::MAX));
        let (agreed, _) = self.agreements.grant_at(plans, now);
        let grants = self.granted(now).chain(&agreed);
        let grants = grants.filter(|grant| grant.tier > Tier::Explorer);
        let grant = grants.max_by_key(|grant| (grant.tier, end(grant.until)));
        let is_beyond = |grant: &&Grant| {
            let is_active = standing.status == Status::Active;
            !standing.status.is_served()
                || (grant.tier, true, end(grant.until))
                    > (standing.tier, is_active, end(standing.expires_at))
        };
        let view = match grant.filter(is_beyond) {
            None if standing.status.is_served() => return view,
            None => view,
            Some(grant) => {
                SubscriptionView { status: Status::Active, expires_at: grant.until, ..view }
            }
        };
        let has_paid = |status: Status| status.is_served() || status == Status::Pending;
        let claimed = self.wallets.iter().find(|(link, subscription)| {
            link.proven_at.is_none() && has_paid(subscription.status_at(now, terms))
        });
        if view.status == Status::Active {
            // what lifts already hides no wallet that could lift more
            return SubscriptionView {
                wallet_to_prove: claimed.map(|(link, _)| link.wallet),
                ..view
            };
        }
        let pending = |wallet| SubscriptionView {
            status: Status::Pending,
            expires_at: None, // what a wallet has is told to its holder only
            paid_usdc_e6: 0,
            wallet_to_prove: Some(wallet),
        };
        claimed.map_or(view, |(link, _)| pending(link.wallet))
    }

    /// What `key` gives at `now`, and what that rests on.
    ///
    /// # Errors
    /// [`AccountError::RevokedKey`], [`AccountError::ExpiredKey`], [`AccountError::ClosedAccount`].
    pub(crate) fn entitle(
        self,
        key: Key,
        plans: &Plans,
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

/// Which of several subscriptions is shown: the one that stands best.
const fn rank(status: Status) -> u8 {
    match status {
        Status::Active => 5,
        Status::Grace => 4,
        Status::Pending => 3,
        Status::Revoked => 2,
        Status::Expired => 1,
        Status::None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Period;
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
            label: None,
            closed_at: None,
            revision: 0,
        }
    }

    fn standings(grant: Option<Grant>) -> Standings {
        let account = account(grant);
        let own = Subscription::none(Subscriber::Account(account.id));
        Standings {
            account,
            parent: None,
            agreements: Agreements::default(),
            wallets: Vec::new(),
            own,
        }
    }

    fn paid(wallet: u8, tier: Tier, end: u64) -> Subscription {
        let (start, end) = (UnixSeconds(end.saturating_sub(30 * DAY)), UnixSeconds(end));
        Subscription {
            periods: vec![Period { tier, start, end, value_usdc_e6: 50_000_000 }],
            paid_usdc_e6: 50_000_000,
            ..Subscription::none(Subscriber::Wallet(Address([wallet; 20])))
        }
    }

    fn link(wallet: u8, is_proven: bool) -> WalletLink {
        let proven_at = is_proven.then_some(NOW);
        WalletLink { wallet: Address([wallet; 20]), claimed_at: NOW, proven_at }
    }

    fn rights(standings: &Standings, now: UnixSeconds) -> Rights {
        standings.rights(&Plans::default(), now).0
    }

    #[test]
    fn who_has_nothing_is_an_explorer() {
        let (rights, changes_at) = standings(None).rights(&Plans::default(), NOW);
        assert_eq!((rights.tier, rights.limit_per_minute), (Tier::Explorer, 100));
        assert_eq!((rights.subscription.status, changes_at), (Status::None, None));
    }

    #[test]
    fn a_claim_gives_nothing_but_the_word_pending() {
        let mut some = standings(None);
        some.wallets.push((link(1, false), paid(1, Tier::Protocol, NOW.0 + DAY)));
        let claimed = rights(&some, NOW);
        assert_eq!((claimed.tier, claimed.limit_per_minute), (Tier::Explorer, 100));
        assert_eq!(claimed.grids, rights(&standings(None), NOW).grids);
        let expected = SubscriptionView {
            status: Status::Pending,
            expires_at: None,
            paid_usdc_e6: 0,
            wallet_to_prove: Some(Address([1; 20])),
        };
        assert_eq!(claimed.subscription, expected);
        some.wallets[0].0 = link(1, true);
        let proven = rights(&some, NOW);
        assert_eq!((proven.tier, proven.limit_per_minute), (Tier::Protocol, 10_000));
        assert_eq!(proven.subscription.status, Status::Active);
        assert_eq!(proven.subscription.paid_usdc_e6, 50_000_000);
    }

    #[test]
    fn time_alone_moves_a_subscription_and_the_next_change_is_told() {
        let plans = Plans::default();
        let end = NOW.0 + DAY;
        let mut some = standings(None);
        some.wallets.push((link(1, true), paid(1, Tier::Builder, end)));
        let at = |now: u64| {
            let (rights, changes_at) = some.rights(&plans, UnixSeconds(now));
            (rights.tier, rights.subscription.status, changes_at.map(|at| at.0))
        };
        let grace_end = end + plans.subscription.grace_seconds;
        assert_eq!(at(end - 1), (Tier::Builder, Status::Active, Some(end)));
        assert_eq!(at(end), (Tier::Builder, Status::Grace, Some(grace_end)));
        assert_eq!(at(grace_end), (Tier::Explorer, Status::Expired, None));
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
        some.wallets.push((link(1, true), paid(1, Tier::Builder, NOW.0 + DAY)));
        some.wallets.push((link(2, true), paid(2, Tier::Protocol, NOW.0 + DAY)));
        let both = rights(&some, NOW);
        assert_eq!((both.tier, both.limit_per_minute), (Tier::Enterprise, 10_000));
        let (later, _) = some.rights(&Plans::default(), UnixSeconds(NOW.0 + 10));
        assert_eq!(later.tier, Tier::Protocol);
        some.wallets.clear();
        let alone = rights(&some, NOW);
        assert_eq!((alone.tier, alone.limit_per_minute), (Tier::Enterprise, 500));
        assert_eq!(alone.grids, BTreeSet::from([Grid::G1, Grid::G2, Grid::G4]));
    }

    /// Who is served by an agreement is not told that there is no subscription.
    #[test]
    fn what_is_granted_reads_active_with_its_end() {
        let until = Some(UnixSeconds(NOW.0 + 10));
        let mut some = standings(Some(Grant { until, ..Grant::of(Tier::Builder) }));
        let read = |some: &Standings, now: u64| {
            let view = rights(some, UnixSeconds(now)).subscription;
            (view.status, view.expires_at.map(|at| at.0 - NOW.0), view.wallet_to_prove.is_some())
        };
        assert_eq!(read(&some, NOW.0 + 9), (Status::Active, Some(10), false));
        assert_eq!(read(&some, NOW.0 + 10), (Status::None, None, false));
        some.wallets.push((link(1, false), paid(1, Tier::Protocol, NOW.0 + DAY)));
        assert_eq!(read(&some, NOW.0), (Status::Active, Some(10), true), "it could have more");
        some.wallets[0].0 = link(1, true);
        assert_eq!(read(&some, NOW.0), (Status::Active, Some(DAY), false), "it has more");
        some.wallets[0].1 = paid(1, Tier::Builder, NOW.0);
        assert_eq!(read(&some, NOW.0), (Status::Active, Some(10), false), "better than grace");
        some.account.grant = Some(Grant::of(Tier::Enterprise));
        assert_eq!(read(&some, NOW.0), (Status::Active, None, false), "for good");
        let paid_so_far = rights(&some, NOW).subscription.paid_usdc_e6;
        assert_eq!(paid_so_far, 50_000_000, "a grant hides no payment");
        some.account.grant = Some(Grant::of(Tier::Explorer));
        assert_eq!(read(&some, NOW.0).0, Status::Grace, "a limit alone is no subscription");
    }

    /// A payment that is short has been paid as well: its wallet has to sign to see it.
    #[test]
    fn a_claimed_wallet_that_paid_too_little_is_pending() {
        let mut some = standings(None);
        let pending = Some(crate::Pending { tier: Tier::Builder, since: NOW });
        let short = Subscription {
            pending,
            credit_usdc_e6: 20_000_000,
            ..Subscription::none(Subscriber::Wallet(Address([1; 20])))
        };
        some.wallets.push((link(1, false), short));
        let view = rights(&some, NOW).subscription;
        let expected = (Status::Pending, Some(Address([1; 20])), 0);
        assert_eq!((view.status, view.wallet_to_prove, view.paid_usdc_e6), expected);
    }

    #[test]
    fn a_sub_account_has_what_its_parent_has_and_falls_with_it() {
        let mut some = standings(Some(Grant::of(Tier::Enterprise)));
        let mut parent = account(Some(Grant::of(Tier::Builder)));
        some.account.parent = Some(parent.id);
        some.parent = Some(parent.clone());
        assert_eq!(rights(&some, NOW).tier, Tier::Builder);
        let key = sample_key(some.account.id);
        let given = some.clone().entitle(key.clone(), &Plans::default(), NOW).unwrap();
        assert_eq!(given.entitlement.limited_as(), parent.id);
        assert_eq!(given.accounts, [some.account.id, parent.id]);
        parent.closed_at = Some(NOW);
        some.parent = Some(parent);
        let refused = some.entitle(key, &Plans::default(), NOW);
        assert!(matches!(refused, Err(AccountError::ClosedAccount)));
    }

    #[test]
    fn what_is_remembered_ends_with_the_first_thing_to_end() {
        let mut some = standings(None);
        some.wallets.push((link(1, true), paid(1, Tier::Builder, NOW.0 + DAY)));
        let key = |expires_at| Key { expires_at, ..sample_key(some.account.id) };
        let until = |expires_at| {
            let given = some.clone().entitle(key(expires_at), &Plans::default(), NOW).unwrap();
            given.until.unwrap().0
        };
        assert_eq!(until(Some(UnixSeconds(NOW.0 + 5))), NOW.0 + 5);
        assert_eq!(until(Some(UnixSeconds(NOW.0 + 2 * DAY))), NOW.0 + DAY);
        assert_eq!(until(None), NOW.0 + DAY);
    }

    fn sample_key(account: AccountId) -> Key {
        Key {
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
