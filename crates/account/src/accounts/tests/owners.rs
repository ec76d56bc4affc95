//! What owners may do with their keys.

use std::collections::BTreeSet;

use superroot_types::ChainId;

use super::*;
use crate::{AccountId, Actor, KeyChange, KeyState, Label, NewKey, Scope};

fn chains(ids: &[u64]) -> Scope {
    let chains = ids.iter().copied().map(ChainId).collect::<BTreeSet<_>>();
    Scope { chains: Some(chains), routes: None }
}

fn new_key(scope: Scope) -> NewKey {
    NewKey { scope, ..NewKey::default() }
}

#[test]
fn a_key_is_shown_once_and_nowhere_kept() {
    let world = World::new();
    let node = world.node();
    let (account, first) = register(&node);
    let own = entitled(&node, &first);
    let second = node.create_key(Actor::Key(&own), account.id, &NewKey::default()).unwrap();
    for issued in [&first, &second] {
        let random = &issued.secret.expose()[17..];
        for table in Table::ALL {
            for (key, value) in world.rows(table) {
                let text = [key, value].concat();
                let found = text.windows(8).any(|window| random.as_bytes().starts_with(window));
                assert!(!found, "a row of {table} holds a key");
            }
        }
        assert!(world.rows(Table::KeyHash).iter().any(|(key, _)| *key == issued.key.hash.0));
        assert_eq!(node.find_key(issued.secret.expose()).unwrap(), issued.key);
    }
}

#[test]
fn keys_are_listed_with_label_scope_and_state() {
    let world = World::new();
    let node = world.node();
    let (account, first) = register(&node);
    world.pass(1);
    let label = Label::try_from("build server".to_owned()).unwrap();
    let expires_at = Some(UnixSeconds(NOW + 100));
    let new = NewKey { label: Some(label.clone()), scope: chains(&[1]), expires_at };
    let own = entitled(&node, &first);
    let second = node.create_key(Actor::Key(&own), account.id, &new).unwrap();
    let keys = node.keys(account.id).unwrap();
    assert_eq!(keys, [second.key.clone(), first.key.clone()]);
    assert_eq!((keys[0].label.as_ref(), &keys[0].scope), (Some(&label), &chains(&[1])));
    let given = entitled(&node, &second);
    assert!(given.scope.has_chain(ChainId(1)) && !given.scope.has_chain(ChainId(10)));
    assert_eq!(given.key_expires_at, expires_at);
    world.pass(99);
    assert!(matches!(refusal(&node, &second), Some(AccountError::ExpiredKey { .. })));
    assert_eq!(node.keys(account.id).unwrap()[0].state_at(node.now()), KeyState::Expired);
    assert!(is_served(&node, &first));
}

#[test]
fn a_change_is_in_force_at_once() {
    let world = World::new();
    let (node, other) = (world.node(), world.node());
    let (account, first) = register(&node);
    let own = entitled(&node, &first);
    let second = node.create_key(Actor::Key(&own), account.id, &NewKey::default()).unwrap();
    assert!(is_served(&node, &second) && is_served(&other, &second));
    let change = KeyChange { chains: Some(chains(&[10]).chains), ..KeyChange::default() };
    let changed = node.change_key(Actor::Key(&own), account.id, second.key.id, &change).unwrap();
    assert_eq!(changed.scope, chains(&[10]));
    assert_eq!(entitled(&node, &second).scope, chains(&[10]));
    other.refresh().unwrap();
    assert_eq!(entitled(&other, &second).scope, chains(&[10]));
    let past = KeyChange { expires_at: Some(Some(UnixSeconds(NOW))), ..KeyChange::default() };
    let refused = node.change_key(Actor::Key(&own), account.id, second.key.id, &past);
    assert!(matches!(refused, Err(AccountError::Range { what: "expires_at", .. })));
}

#[test]
fn a_rotated_key_goes_on_for_its_whole_grace_and_less_than_a_second_longer() {
    let world = World::new();
    let node = world.node();
    let (account, first) = register(&node);
    let own = entitled(&node, &first);
    let second = node.rotate_key(Actor::Key(&own), account.id, first.key.id, 60).unwrap();
    assert!(is_served(&node, &first) && is_served(&node, &second));
    world.pass(60); // the clock told whole seconds: of the first, any part may have been over
    assert!(is_served(&node, &first));
    world.pass(1);
    assert!(matches!(refusal(&node, &first), Some(AccountError::RotatedKey { .. })));
    let own = entitled(&node, &second);
    let third = node.rotate_key(Actor::Key(&own), account.id, second.key.id, 0).unwrap();
    assert!(matches!(refusal(&node, &second), Some(AccountError::RotatedKey { .. })));
    assert!(is_served(&node, &third));
    world.clock.set(UnixSeconds(node.now().0 - 1));
    assert!(!is_served(&node, &second), "no clock brings it back");
    world.pass(1);
    let own = entitled(&node, &third);
    let most = 7 * 86_400;
    let long = node.rotate_key(Actor::Key(&own), account.id, third.key.id, most + 1);
    assert!(matches!(long, Err(AccountError::Range { what: "grace_seconds", .. })));
    let over = node.rotate_key(Actor::Key(&own), account.id, second.key.id, 1);
    assert!(matches!(over, Err(AccountError::KeyState { state: "rotated", .. })));
}

/// Who rotates a leaked key must not have its thief make or take keys meanwhile.
#[test]
fn a_retiring_key_is_served_but_manages_no_keys_but_itself() {
    let world = World::new();
    let node = world.node();
    let (account, first) = register(&node);
    let own = entitled(&node, &first);
    let second = node.rotate_key(Actor::Key(&own), account.id, first.key.id, 60).unwrap();
    let old = entitled(&node, &first);
    let by = Actor::Key(&old);
    let created = node.create_key(by, account.id, &NewKey::default());
    assert!(matches!(created, Err(AccountError::Beyond { .. })));
    let revoked = node.revoke_key(by, account.id, second.key.id);
    assert!(matches!(revoked, Err(AccountError::Beyond { .. })));
    let rotated = node.rotate_key(by, account.id, second.key.id, 0);
    assert!(matches!(rotated, Err(AccountError::Beyond { .. })));
    node.revoke_key(by, account.id, first.key.id).unwrap();
    assert!(!is_served(&node, &first) && is_served(&node, &second));
}

#[test]
fn a_key_hands_on_changes_and_takes_no_more_than_it_has() {
    let world = World::new();
    let node = world.node();
    let (account, first) = register(&node);
    let whole = entitled(&node, &first);
    let end = UnixSeconds(NOW + 1_000);
    let narrow = NewKey { scope: chains(&[1, 10]), expires_at: Some(end), label: None };
    let narrow = node.create_key(Actor::Key(&whole), account.id, &narrow).unwrap();
    let narrow = entitled(&node, &narrow);
    let (by, id) = (Actor::Key(&narrow), account.id);
    let is_beyond =
        |done: Result<(), AccountError>| matches!(done, Err(AccountError::Beyond { .. }));
    let create = |scope, expires_at| {
        node.create_key(by, id, &NewKey { scope, expires_at, label: None }).map(drop)
    };
    assert!(is_beyond(create(Scope::default(), Some(end))), "a wider scope");
    assert!(is_beyond(create(chains(&[1, 100]), Some(end))), "another chain");
    assert!(is_beyond(create(chains(&[1]), None)), "a longer life");
    assert!(is_beyond(create(chains(&[1]), Some(UnixSeconds(end.0 + 1)))), "a longer life");
    assert!(create(chains(&[1]), Some(end)).is_ok());
    assert!(is_beyond(node.revoke_key(by, id, first.key.id).map(drop)), "a wider key");
    assert!(is_beyond(node.rotate_key(by, id, first.key.id, 0).map(drop)), "a wider key");
    let widen = KeyChange { chains: Some(None), ..KeyChange::default() };
    assert!(is_beyond(node.change_key(by, id, narrow.key, &widen).map(drop)), "itself, wider");
    let longer = KeyChange { expires_at: Some(None), ..KeyChange::default() };
    assert!(is_beyond(node.change_key(by, id, narrow.key, &longer).map(drop)), "itself, longer");
    assert!(node.revoke_key(by, id, narrow.key).is_ok(), "itself it may give up");
}

/// What was let in is asked again in the commit: a key revoked meanwhile has not acted.
#[test]
fn a_key_that_was_revoked_meanwhile_makes_no_other() {
    let world = World::new();
    let (a, b) = (world.node(), world.node());
    let (account, issued) = register(&a);
    let stale = entitled(&b, &issued);
    a.revoke_key(Actor::Operator(&operator()), account.id, issued.key.id).unwrap();
    let made = b.create_key(Actor::Key(&stale), account.id, &NewKey::default());
    assert!(matches!(made, Err(AccountError::RevokedKey)));
    let node = Arc::new(a);
    let (account, issued) = register(&node);
    let (weak, id, key) = (Arc::downgrade(&node), account.id, issued.key.id);
    let own = entitled(&node, &issued);
    let hook: Hook = Box::new(move || {
        let node = weak.upgrade().unwrap();
        node.revoke_key(Actor::Operator(&operator()), id, key).unwrap();
    });
    *world.store.after_get_of.lock().unwrap() = Some((Table::AccountKey, hook));
    let made = node.create_key(Actor::Key(&own), account.id, &NewKey::default());
    assert!(matches!(made, Err(AccountError::RevokedKey)), "revoked between check and commit");
    assert_eq!(node.keys(account.id).unwrap().len(), 1);
}

/// What one change confines another that comes at the same time does not set free.
#[test]
fn two_changes_of_a_key_at_one_time_both_hold() {
    let world = World::new();
    let node = Arc::new(world.node());
    let (account, issued) = register(&node);
    let (weak, id, key) = (Arc::downgrade(&node), account.id, issued.key.id);
    let confine = KeyChange { chains: Some(chains(&[10]).chains), ..KeyChange::default() };
    let hook: Hook = Box::new(move || {
        let node = weak.upgrade().unwrap();
        node.change_key(Actor::Operator(&operator()), id, key, &confine).unwrap();
    });
    *world.store.after_get_of.lock().unwrap() = Some((Table::AccountKey, hook));
    let routes = Some(BTreeSet::from(["/v5/proof/*".parse().unwrap()]));
    let change = KeyChange { routes: Some(routes.clone()), ..KeyChange::default() };
    let changed = node.change_key(Actor::Operator(&operator()), id, key, &change).unwrap();
    assert_eq!(changed.scope, Scope { routes, ..chains(&[10]) });
}

#[test]
fn nobody_touches_an_account_of_others() {
    let world = World::new();
    let node = world.node();
    let (mine, issued) = register(&node);
    let (theirs, other) = register(&node);
    let own = entitled(&node, &issued);
    let by = Actor::Key(&own);
    let is_unknown = |done: Result<(), AccountError>| matches!(done, Err(AccountError::UnknownAccount { id }) if id == theirs.id);
    assert!(is_unknown(node.create_key(by, theirs.id, &NewKey::default()).map(drop)));
    assert!(is_unknown(node.revoke_key(by, theirs.id, other.key.id).map(drop)));
    let crossed = node.revoke_key(by, mine.id, other.key.id);
    assert!(matches!(crossed, Err(AccountError::NoSuchKey { .. })));
    let nobody = node.create_key(by, AccountId::random(), &NewKey::default());
    assert!(matches!(nobody, Err(AccountError::UnknownAccount { .. })));
    assert!(is_served(&node, &other));
}

#[test]
fn keys_in_force_are_limited_by_the_tier_even_when_made_at_one_time() {
    let world = World::new();
    let (a, b) = (world.node(), world.node());
    let (account, issued) = register(&a);
    let max = a.plans().tier(Tier::Explorer).keys_max as usize;
    let own = entitled(&a, &issued);
    std::thread::scope(|threads| {
        for node in [&a, &b] {
            threads.spawn(|| {
                for _ in 0..max {
                    let made = node.create_key(Actor::Key(&own), account.id, &NewKey::default());
                    let is_full = matches!(made, Err(AccountError::Full { what: "keys", .. }));
                    assert!(made.is_ok() || is_full, "{made:?}");
                }
            });
        }
    });
    assert_eq!(a.keys(account.id).unwrap().len(), max);
}

#[test]
fn rows_of_an_account_are_bounded_however_often_its_keys_are_rotated() {
    let world = World::new();
    let keys =
        KeysConfig { environment: Environment::Test, keys_over_max: 3, ..KeysConfig::default() };
    let node = world.node_with(keys);
    let (account, mut issued) = register(&node);
    let bound = node.plans().tier(Tier::Explorer).keys_max as usize + 3;
    for _ in 0..40 {
        world.pass(1);
        let own = entitled(&node, &issued);
        let old = issued.key.id;
        issued = node.rotate_key(Actor::Key(&own), account.id, old, 0).unwrap();
    }
    assert_eq!(world.rows(Table::AccountKey).len(), bound);
    assert_eq!(world.rows(Table::KeyHash).len(), bound);
    assert!(is_served(&node, &issued));
    let mut refused = 0;
    for _ in 0..40 {
        let own = entitled(&node, &issued);
        match node.rotate_key(Actor::Key(&own), account.id, issued.key.id, 600) {
            Ok(new) => issued = new,
            Err(AccountError::Full { .. }) => refused += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert!(refused > 0 && world.rows(Table::AccountKey).len() <= bound);
    assert!(is_served(&node, &issued));
}

#[test]
fn a_scope_or_an_expiry_that_cannot_be_is_refused() {
    let world = World::new();
    let node = world.node();
    let (account, issued) = register(&node);
    let own = entitled(&node, &issued);
    let create = |new: NewKey| node.create_key(Actor::Key(&own), account.id, &new).map(drop);
    let nothing = Scope { chains: Some(BTreeSet::new()), routes: None };
    assert!(matches!(create(new_key(nothing)), Err(AccountError::Scope { .. })));
    for at in [0, NOW, u64::MAX] {
        let expires_at = Some(UnixSeconds(at));
        let done = create(NewKey { expires_at, ..NewKey::default() });
        assert!(matches!(done, Err(AccountError::Range { .. })), "{at}");
    }
    let next = Some(UnixSeconds(NOW + 1));
    assert!(create(NewKey { expires_at: next, ..NewKey::default() }).is_ok());
}
