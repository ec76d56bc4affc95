//! Registrations, wallets, subscriptions, grants, clocks, audit.

use super::*;
use crate::{
    Actor, Agreed, AgreedTerms, Changed, Grant, Month, NewKey, PERIOD_SECONDS, PaidTier, Payer,
    ProvisionalTier, Scope, SubscriptionStatus, note,
};

/// Gives a wallet thirty days, as billing does it.
fn give(node: &Accounts, byte: u8, tier: Tier) {
    change_lift(node, byte, |lift| _ = lift.add(tier, UnixSeconds(NOW), 1));
}

fn change_lift(node: &Accounts, byte: u8, change: impl FnOnce(&mut PaidTier)) {
    let (payer, environment) = (Payer::Wallet(wallet(byte)), node.environment());
    let held = PaidTier::load(&*node.store, environment, &payer).unwrap();
    let mut lift = held.as_ref().map(|held| held.value.clone()).unwrap_or_default();
    change(&mut lift);
    let mut batch = WriteBatch::new();
    lift.stage(&mut batch, environment, &payer, held.as_ref().map(|held| &held.bytes[..]));
    note(&mut batch, &[Changed::Wallet(wallet(byte))]);
    node.store.commit(batch).unwrap();
    node.look_again();
}

/// Agrees with an account, as billing does it.
fn agree(node: &Accounts, account: &Account, from: &str, gives: Option<AgreedTerms>) {
    let mut batch = WriteBatch::new();
    let agreed = Agreed { from: from.parse::<Month>().unwrap(), gives };
    agreed.stage(&mut batch, node.environment(), account.id);
    note(&mut batch, &[Changed::Account(account.id)]);
    node.store.commit(batch).unwrap();
    node.look_again();
}

fn integrator() -> Option<AgreedTerms> {
    let (tier, limit_per_minute) = (Tier::Builder, 5_000);
    Some(AgreedTerms { tier, limit_per_minute, grids: None, is_integrator: true })
}

/// A payment at the head lifts at once, whatever is remembered, and only a wallet that is proven and not revoked.
#[test]
fn a_provisional_tier_is_of_a_proven_wallet_and_of_no_revoked_one() {
    let world = World::new();
    let node = world.node();
    let (_, issued) = register(&node);
    let until = UnixSeconds(NOW + 3_600);
    let pending = ProvisionalTier { wallet: wallet(7), tier: Tier::Protocol, until };
    node.set_provisional([pending]);
    assert_eq!(tier(&node, &issued), Tier::Explorer, "a claim alone");
    let shown = entitled(&node, &issued).rights.subscription;
    assert_eq!(shown.status, SubscriptionStatus::Pending, "it says that the wallet is to sign");
    assert_eq!(shown.wallet_to_prove, Some(wallet(7)));
    world.prove(&node, &issued, 7).unwrap();
    assert_eq!(tier(&node, &issued), Tier::Protocol);
    node.set_provisional([]);
    assert_eq!(tier(&node, &issued), Tier::Explorer, "a reorganisation took it away");
    node.set_provisional([pending]);
    assert_eq!(tier(&node, &issued), Tier::Protocol);
    world.pass(3_600);
    assert_eq!(tier(&node, &issued), Tier::Explorer, "its time is over");
    let later = ProvisionalTier { until: UnixSeconds(NOW + 9_000), ..pending };
    node.set_provisional([later]);
    assert_eq!(tier(&node, &issued), Tier::Protocol);
    change_lift(&node, 7, |lift| lift.revoked_at = Some(UnixSeconds(NOW)));
    assert_eq!(tier(&node, &issued), Tier::Explorer, "it was revoked");
}

#[test]
fn registering_anothers_wallet_yields_neither_its_tier_nor_its_data() {
    let world = World::new();
    let (node, other) = (world.node(), world.node());
    let (owner, own) = register(&node);
    let (thief, stolen) = register(&node);
    assert_ne!(owner.id, thief.id);
    world.prove(&node, &own, 7).unwrap();
    assert_eq!(node.proven_by(wallet(7)).unwrap(), Some(owner.id));
    for issued in [&own, &stolen] {
        assert!(is_served(&node, issued) && is_served(&other, issued));
    }
    give(&node, 7, Tier::Builder);
    other.refresh().unwrap();
    for node in [&node, &other] {
        let given = entitled(node, &own);
        assert_eq!((given.tier(), given.rights.limit_per_minute), (Tier::Builder, 1_000));
        assert_eq!(given.rights.subscription.status, SubscriptionStatus::Active);
        let expires_at = given.rights.subscription.expires_at;
        assert_eq!(expires_at, Some(UnixSeconds(NOW + PERIOD_SECONDS)));
        let claimed = entitled(node, &stolen);
        assert_eq!((claimed.tier(), claimed.rights.limit_per_minute), (Tier::Explorer, 100));
        let view = claimed.rights.subscription;
        assert_eq!(
            (view.status, view.wallet_to_prove),
            (SubscriptionStatus::Pending, Some(wallet(7)))
        );
        assert_eq!(view.expires_at, None);
    }
}

#[test]
fn a_signature_lifts_at_once_and_one_wallet_lifts_one_account() {
    let world = World::new();
    let (node, other) = (world.node(), world.node());
    give(&node, 7, Tier::Protocol);
    let (first, a) = register(&node);
    let (second, b) = register(&node);
    assert_eq!((tier(&node, &a), tier(&other, &b)), (Tier::Explorer, Tier::Explorer));
    world.prove(&node, &a, 7).unwrap();
    assert_eq!(tier(&node, &a), Tier::Protocol);
    world.prove(&node, &a, 7).unwrap();
    assert_eq!(node.wallets(first.id).unwrap().len(), 1);
    other.refresh().unwrap();
    assert_eq!(tier(&other, &a), Tier::Protocol);
    world.prove(&node, &b, 7).unwrap();
    assert_eq!((tier(&node, &a), tier(&node, &b)), (Tier::Explorer, Tier::Protocol));
    other.refresh().unwrap();
    assert_eq!((tier(&other, &a), tier(&other, &b)), (Tier::Explorer, Tier::Protocol));
    assert_eq!(node.proven_by(wallet(7)).unwrap(), Some(second.id));
    let links = node.wallets(first.id).unwrap();
    assert_eq!(links[0].proven_at, None, "what was proven is a claim again");
}

#[test]
fn an_account_has_so_many_wallets_and_no_more() {
    let world = World::new();
    let keys = KeysConfig {
        environment: Environment::Test,
        wallets_per_account_max: 2,
        ..KeysConfig::default()
    };
    let node = world.node_with(keys);
    let (_, issued) = register(&node);
    world.prove(&node, &issued, 8).unwrap();
    let third = world.prove(&node, &issued, 9);
    assert!(matches!(third, Err(AccountError::Full { what: "wallets", expected: 2 })));
    assert_eq!(node.proven_by(wallet(9)).unwrap(), None);
    assert!(world.prove(&node, &issued, 7).is_ok(), "the one that is claimed");
}

#[test]
fn a_subscription_ends_by_time_alone_though_its_key_is_remembered() {
    let world = World::new();
    let node = world.node();
    let (_, issued) = register(&node);
    world.prove(&node, &issued, 7).unwrap();
    give(&node, 7, Tier::Builder);
    let grace = node.plans().subscription.grace_seconds;
    let mut seen = Vec::new();
    for seconds in [0, PERIOD_SECONDS - 1, 1, grace - 1, 1] {
        world.clock.advance(seconds); // the stopwatch stands: what is remembered is believed
        let given = entitled(&node, &issued);
        seen.push((given.tier(), given.rights.subscription.status));
    }
    let active = (Tier::Builder, SubscriptionStatus::Active);
    let in_grace = (Tier::Builder, SubscriptionStatus::Grace);
    let expired = (Tier::Explorer, SubscriptionStatus::Expired);
    assert_eq!(seen, [active, active, in_grace, in_grace, expired]);
}

#[test]
fn a_clock_set_back_revives_nothing() {
    let world = World::new();
    let node = world.node();
    let (account, first) = register(&node);
    let own = entitled(&node, &first);
    let expires_at = Some(UnixSeconds(NOW + 10));
    let new = NewKey { expires_at, ..NewKey::default() };
    let second = node.create_key(Actor::Key(&own), account.id, &new).unwrap();
    assert!(is_served(&node, &second));
    world.pass(10);
    assert!(matches!(refusal(&node, &second), Some(AccountError::ExpiredKey { .. })));
    node.revoke_key(Actor::Key(&own), account.id, first.key.id).unwrap();
    world.clock.set(UnixSeconds(NOW - 86_400));
    assert!(matches!(refusal(&node, &second), Some(AccountError::ExpiredKey { .. })));
    assert!(matches!(refusal(&node, &first), Some(AccountError::RevokedKey)));
    let restarted = world.node(); // it knows no better than its clock, but what is revoked stays so
    assert!(matches!(refusal(&restarted, &first), Some(AccountError::RevokedKey)));
}

#[test]
fn a_clock_that_ran_ahead_and_was_put_right_locks_nobody_out_for_good() {
    let world = World::new();
    let node = world.node();
    let (account, first) = register(&node);
    let own = entitled(&node, &first);
    let expires_at = Some(UnixSeconds(NOW + 100));
    let new = NewKey { expires_at, ..NewKey::default() };
    let second = node.create_key(Actor::Key(&own), account.id, &new).unwrap();
    world.clock.set(UnixSeconds(NOW + 1_000_000));
    assert!(matches!(refusal(&node, &second), Some(AccountError::ExpiredKey { .. })));
    world.clock.set(UnixSeconds(NOW));
    assert!(is_served(&node, &second));
}

#[test]
fn a_grant_lifts_until_it_is_over_or_taken_back() {
    let world = World::new();
    let (node, other) = (world.node(), world.node());
    let (account, issued) = register(&node);
    assert_eq!(tier(&other, &issued), Tier::Explorer);
    let grant = Grant {
        limit_per_minute: Some(25_000),
        until: Some(UnixSeconds(NOW + 50)),
        ..Grant::of(Tier::Enterprise)
    };
    node.grant(&operator(), account.id, Some(&grant)).unwrap();
    other.refresh().unwrap();
    for node in [&node, &other] {
        let given = entitled(node, &issued);
        assert_eq!((given.tier(), given.rights.limit_per_minute), (Tier::Enterprise, 25_000));
    }
    world.clock.advance(50);
    assert_eq!(tier(&node, &issued), Tier::Explorer);
    node.grant(&operator(), account.id, Some(&Grant::of(Tier::Builder))).unwrap();
    assert_eq!(tier(&node, &issued), Tier::Builder);
    node.grant(&operator(), account.id, None).unwrap();
    assert_eq!(tier(&node, &issued), Tier::Explorer);
    let none = Grant { limit_per_minute: Some(0), ..Grant::of(Tier::Enterprise) };
    let refused = node.grant(&operator(), account.id, Some(&none));
    assert!(matches!(refused, Err(AccountError::Range { .. })));
}

#[test]
fn a_sub_account_lives_by_its_parent_who_manages_its_keys() {
    let world = World::new();
    let (node, other) = (world.node(), world.node());
    let (parent, above) = register(&node);
    agree(&node, &parent, "2023-11", integrator());
    let by = operator();
    let open = |parent| node.open_sub_account(Actor::Operator(&by), parent, &NewKey::default());
    let (child, below) = open(parent.id).unwrap();
    assert_eq!(tier(&other, &below), Tier::Builder);
    node.grant(&operator(), parent.id, Some(&Grant::of(Tier::Protocol))).unwrap();
    other.refresh().unwrap();
    assert_eq!(tier(&other, &below), Tier::Protocol);
    assert_eq!(entitled(&node, &below).limited_as(), parent.id);
    let lifted = node.grant(&operator(), child.id, Some(&Grant::of(Tier::Protocol)));
    assert!(matches!(lifted, Err(AccountError::Beyond { .. })), "it would have no effect");
    let own = entitled(&node, &above);
    let made = node.create_key(Actor::Key(&own), child.id, &NewKey::default()).unwrap();
    assert!(is_served(&node, &made));
    let upward = entitled(&node, &below);
    let refused = node.create_key(Actor::Key(&upward), parent.id, &NewKey::default());
    assert!(matches!(refused, Err(AccountError::UnknownAccount { .. })));
    let deeper = open(child.id);
    assert!(matches!(deeper, Err(AccountError::Beyond { .. })));
    node.close_account(&operator(), parent.id).unwrap();
    other.refresh().unwrap();
    for node in [&node, &other] {
        assert!(matches!(refusal(node, &below), Some(AccountError::ClosedAccount)));
    }
    node.reopen_account(&operator(), parent.id).unwrap();
    assert!(is_served(&node, &below));
}

#[test]
fn every_act_of_an_operator_is_written_down_with_it() {
    let world = World::new();
    let node = world.node();
    let (account, issued) = register(&node);
    let (id, by) = (account.id, operator());
    let own = entitled(&node, &issued);
    node.create_key(Actor::Key(&own), id, &NewKey::default()).unwrap();
    assert_eq!(node.acts(0, 10).unwrap().len(), 0, "owners are not operators");
    node.grant(&by, id, Some(&Grant::of(Tier::Builder))).unwrap();
    let key = node.create_key(Actor::Operator(&by), id, &NewKey::default()).unwrap();
    let rotated = node.rotate_key(Actor::Operator(&by), id, key.key.id, 0).unwrap();
    node.revoke_key(Actor::Operator(&by), id, rotated.key.id).unwrap();
    node.close_account(&by, id).unwrap();
    node.reopen_account(&by, id).unwrap();
    let acts = node.acts(0, 100).unwrap();
    let words: Vec<_> = acts.iter().map(|act| act.what.as_str()).collect();
    let expected =
        ["grant", "create_key", "rotate_key", "revoke_key", "close_account", "reopen_account"];
    assert_eq!(words, expected);
    assert!(acts.iter().all(|act| act.who == "ana" && act.at == UnixSeconds(NOW)));
    assert!(acts[0].subject.contains(&id.to_string()));
    assert!(acts.iter().all(|act| !act.subject.contains(key.secret.expose())));
    assert_eq!(node.check_acts().unwrap().0, 6);
    let nobody = Operator { who: String::new(), why: "why".into() };
    assert!(matches!(node.close_account(&nobody, id), Err(AccountError::Text { .. })));
    assert!(node.account(id).unwrap().closed_at.is_none(), "no act without its record");
}

#[test]
fn accounts_are_listed_page_by_page() {
    let world = World::new();
    let node = world.node();
    let mut expected: Vec<_> = (0..5).map(|_| register(&node).0).collect();
    expected.sort_by_key(|account| account.id);
    let first = node.accounts(None, 3).unwrap();
    let rest = node.accounts(Some(first[2].id), 3).unwrap();
    assert_eq!([first, rest].concat(), expected);
}

#[test]
fn a_row_that_was_tampered_with_lets_nobody_in() {
    let world = World::new();
    let node = world.node();
    let (_, a) = register(&node);
    let (_, b) = register(&node);
    let row = world.store.rows.get(Table::KeyHash, &a.key.hash.0).unwrap().unwrap();
    let mut batch = WriteBatch::new();
    batch.put(Table::KeyHash, b.key.hash.0, row);
    world.store.rows.commit(batch).unwrap();
    let refused = refusal(&node, &b).unwrap();
    assert_eq!(refused.kind(), superroot_types::ErrorKind::Corrupt);
    assert!(!refused.refuses_key() && is_served(&node, &a));
}

#[test]
fn a_proof_of_one_environment_is_nothing_in_the_other() {
    let world = World::new();
    let node = world.node();
    let (_, issued) = register(&node);
    let of_live = ProvenWallet::assumed(Environment::Live, wallet(7));
    let refused = node.prove_wallet(&entitled(&node, &issued), &of_live);
    assert!(matches!(refused, Err(AccountError::UnknownChallenge)));
    assert!(matches!(node.register_proven(&of_live), Err(AccountError::UnknownChallenge)));
    assert_eq!(node.proven_by(wallet(7)).unwrap(), None);
}

fn used_challenges(world: &World) -> usize {
    world.rows(Table::Challenge).len()
}

#[test]
fn one_challenge_proves_for_one_account_alone() {
    let world = World::new();
    let (node, other) = (world.node(), world.node());
    let (_, a) = register(&node);
    let (second, b) = register(&node);
    let proven = world.proven(7);
    node.prove_wallet(&entitled(&node, &a), &proven).unwrap();
    assert_eq!(used_challenges(&world), 1);
    let again = other.prove_wallet(&entitled(&other, &b), &proven);
    assert!(matches!(again, Err(AccountError::UnknownChallenge)));
    assert!(matches!(node.register_proven(&proven), Err(AccountError::UnknownChallenge)));
    assert_eq!(node.wallets(second.id).unwrap()[0].proven_at, None);
    assert_eq!(node.accounts(None, 10).unwrap().len(), 2);
}

/// What is refused leaves the challenge open, and what comes of it is whole.
#[test]
fn a_registration_with_its_proof_is_one_commit_or_none() {
    let world = World::new();
    let node = world.node();
    give(&node, 7, Tier::Builder);
    let (before, old) = register(&node);
    world.prove(&node, &old, 7).unwrap();
    assert_eq!(tier(&node, &old), Tier::Builder);
    let proven = world.proven(7);
    world.store.is_down.store(true, Ordering::SeqCst);
    assert!(matches!(node.register_proven(&proven), Err(AccountError::Store(_))));
    world.store.is_down.store(false, Ordering::SeqCst);
    node.refresh().unwrap();
    assert_eq!((used_challenges(&world), node.accounts(None, 10).unwrap().len()), (1, 1));
    let commits = world.store.commit_count();
    let (account, issued) = node.register_proven(&proven).unwrap();
    assert_eq!(world.store.commit_count(), commits + 1);
    assert_eq!(used_challenges(&world), 2);
    assert_eq!((tier(&node, &issued), tier(&node, &old)), (Tier::Builder, Tier::Explorer));
    assert_eq!(node.proven_by(wallet(7)).unwrap(), Some(account.id));
    assert!(node.wallets(account.id).unwrap()[0].proven_at.is_some());
    assert_eq!(node.wallets(before.id).unwrap()[0].proven_at, None);
}

/// Whoever holds a narrow key must not tie a wallet of their own to the account for good.
#[test]
fn only_a_whole_key_in_force_proves_and_only_for_its_own_account() {
    let world = World::new();
    let node = world.node();
    let (account, first) = register(&node);
    let by = entitled(&node, &first);
    let confined = Scope { routes: Some(["G1".parse().unwrap()].into()), chains: None };
    let chain = Scope { chains: Some([superroot_types::ChainId(1)].into()), routes: None };
    let end = Some(UnixSeconds(NOW + 100));
    for (scope, expires_at) in [(confined, None), (chain, None), (Scope::default(), end)] {
        let new = NewKey { scope, expires_at, label: None };
        let issued = node.create_key(Actor::Key(&by), account.id, &new).unwrap();
        let refused = world.prove(&node, &issued, 9);
        assert!(matches!(refused, Err(AccountError::Beyond { .. })), "{new:?}: {refused:?}");
    }
    let second = node.rotate_key(Actor::Key(&by), account.id, first.key.id, 60).unwrap();
    let refused = world.prove(&node, &first, 9);
    assert!(matches!(refused, Err(AccountError::Beyond { .. })), "it retires: {refused:?}");
    let stale = entitled(&node, &second);
    node.revoke_key(Actor::Operator(&operator()), account.id, second.key.id).unwrap();
    let refused = node.prove_wallet(&stale, &world.proven(9));
    assert!(matches!(refused, Err(AccountError::RevokedKey)), "revoked meanwhile: {refused:?}");
    assert_eq!(node.proven_by(wallet(9)).unwrap(), None);
}

#[test]
fn no_wallet_lifts_a_sub_account_and_none_is_lost_to_it() {
    let world = World::new();
    let node = world.node();
    let (parent, own) = register(&node);
    let by = entitled(&node, &own);
    agree(&node, &parent, "2023-11", integrator());
    let (child, below) =
        node.open_sub_account(Actor::Key(&by), parent.id, &NewKey::default()).unwrap();
    let refused = world.prove(&node, &below, 7);
    assert!(matches!(refused, Err(AccountError::Beyond { .. })), "{refused:?}");
    assert_eq!(node.proven_by(wallet(7)).unwrap(), None);
    assert!(node.wallets(child.id).unwrap().is_empty());
    give(&node, 7, Tier::Builder);
    world.prove(&node, &own, 7).unwrap();
    assert_eq!((tier(&node, &own), tier(&node, &below)), (Tier::Builder, Tier::Builder));
}
