//! What one node does is so on all of them.

use proptest::prelude::*;

use super::*;
use crate::{Actor, Grant, KeyId, NewKey, Scope};

#[test]
fn a_key_revoked_on_one_node_is_refused_there_at_once_and_on_the_other_after_its_next_look() {
    let world = World::new();
    let (a, b) = (world.node(), world.node());
    let (account, issued) = register(&a);
    assert!(is_served(&a, &issued) && is_served(&b, &issued));
    a.revoke_key(Actor::Operator(&operator()), account.id, issued.key.id).unwrap();
    assert!(matches!(refusal(&a, &issued), Some(AccountError::RevokedKey)));
    b.refresh().unwrap();
    assert!(matches!(refusal(&b, &issued), Some(AccountError::RevokedKey)));
    assert!(matches!(b.authenticate_remembered(issued.secret.expose()), Ok(None)));
}

#[test]
fn a_node_that_does_not_look_believes_itself_for_less_than_a_second() {
    let world = World::new();
    let (a, b) = (world.node(), world.node());
    let (account, issued) = register(&a);
    assert!(is_served(&b, &issued));
    a.revoke_key(Actor::Operator(&operator()), account.id, issued.key.id).unwrap();
    world.stopwatch.advance_ms(899);
    assert!(is_served(&b, &issued), "remembered, and still believed");
    world.stopwatch.advance_ms(1);
    assert!(matches!(refusal(&b, &issued), Some(AccountError::RevokedKey)));
}

#[test]
fn a_node_whose_store_is_gone_lets_nobody_in_after_that() {
    let world = World::new();
    let node = world.node();
    let (_, issued) = register(&node);
    assert!(is_served(&node, &issued));
    world.store.is_down.store(true, Ordering::SeqCst);
    world.stopwatch.advance_ms(500);
    assert!(node.refresh().is_err());
    assert!(is_served(&node, &issued), "the last look is 500 ms old");
    world.stopwatch.advance_ms(400);
    assert!(matches!(refusal(&node, &issued), Some(AccountError::Store(_))));
    world.store.is_down.store(false, Ordering::SeqCst);
    assert!(is_served(&node, &issued), "from the store");
    node.refresh().unwrap();
    assert!(node.authenticate_remembered(issued.secret.expose()).unwrap().is_some());
}

#[test]
fn a_change_whose_outcome_is_unknown_leaves_nothing_believed() {
    let world = World::new();
    let node = world.node();
    let (account, issued) = register(&node);
    assert!(is_served(&node, &issued));
    world.store.is_down.store(true, Ordering::SeqCst);
    let revoked = node.revoke_key(Actor::Operator(&operator()), account.id, issued.key.id);
    assert!(matches!(revoked, Err(AccountError::Store(_))));
    assert!(matches!(refusal(&node, &issued), Some(AccountError::Store(_))));
}

/// The key is read, then revoked, and only then remembered: it must not be.
#[test]
fn what_was_loaded_before_a_revocation_is_not_remembered_after_it() {
    for table in [Table::KeyHash, Table::AccountKey, Table::Account, Table::Subscription] {
        let world = World::new();
        let node = Arc::new(world.node());
        let (account, issued) = register(&node);
        let reached: Arc<OnceLock<()>> = Arc::default();
        let (weak, told): (Weak<Accounts>, _) = (Arc::downgrade(&node), Arc::clone(&reached));
        let (id, key) = (account.id, issued.key.id);
        let hook: Hook = Box::new(move || {
            let node = weak.upgrade().unwrap();
            node.revoke_key(Actor::Operator(&operator()), id, key).unwrap();
            told.set(()).unwrap();
        });
        *world.store.after_get_of.lock().unwrap() = Some((table, hook));
        let _ = node.authenticate(issued.secret.expose()); // began before: may go either way
        assert!(reached.get().is_some(), "{table}");
        assert!(matches!(refusal(&node, &issued), Some(AccountError::RevokedKey)), "{table}");
    }
}

#[test]
fn no_request_that_begins_after_a_revocation_is_served_whatever_the_threads() {
    for _ in 0..20 {
        let world = World::new();
        let node = world.node();
        let (account, issued) = register(&node);
        let is_revoked = AtomicBool::new(false);
        std::thread::scope(|threads| {
            let ask = || {
                for _ in 0..500 {
                    let began_after = is_revoked.load(Ordering::SeqCst);
                    let served = is_served(&node, &issued);
                    assert!(!(began_after && served), "a revoked key was served");
                }
            };
            let askers = [threads.spawn(ask), threads.spawn(ask)];
            node.revoke_key(Actor::Operator(&operator()), account.id, issued.key.id).unwrap();
            is_revoked.store(true, Ordering::SeqCst);
            for asker in askers {
                asker.join().unwrap();
            }
        });
    }
}

#[test]
fn what_changes_for_one_is_not_forgotten_of_others_and_registrations_are_no_change() {
    let world = World::new();
    let (a, b) = (world.node(), world.node());
    let keys: Vec<_> = (0..10).map(|_| register(&a)).collect();
    for (_, issued) in &keys {
        assert!(is_served(&b, issued));
    }
    assert_eq!(b.remembered_key_count(), 10);
    register(&a);
    a.revoke_key(Actor::Operator(&operator()), keys[0].0.id, keys[0].1.key.id).unwrap();
    a.grant(&operator(), keys[1].0.id, Some(&Grant::of(Tier::Protocol))).unwrap();
    b.refresh().unwrap();
    assert_eq!(b.remembered_key_count(), 8);
    assert_eq!(tier(&b, &keys[1].1), Tier::Protocol);
    for (_, issued) in &keys[2..] {
        assert!(b.authenticate_remembered(issued.secret.expose()).unwrap().is_some());
    }
}

#[test]
fn memory_is_bounded_by_the_keys_that_are_remembered() {
    let world = World::new();
    let keys =
        KeysConfig { environment: Environment::Test, cached_keys_max: 64, ..KeysConfig::default() };
    let node = world.node_with(keys);
    let issued: Vec<_> = (0..500).map(|_| register(&node).1).collect();
    assert!(issued.iter().all(|issued| is_served(&node, issued)));
    assert!(node.remembered_key_count() <= 64, "{}", node.remembered_key_count());
    assert!(issued.iter().all(|issued| is_served(&node, issued)), "forgotten is not refused");
}

/// A guess is hashed whole and the hash leads to a row or to none: what work is done depends on no bit
/// that a guesser controls, however much of a key is right.
#[test]
fn a_guess_costs_one_look_and_is_not_remembered() {
    let world = World::new();
    let node = world.node();
    let (_, issued) = register(&node);
    let text = issued.secret.expose();
    let asked_for = |guess: &str| {
        world.store.asked.lock().unwrap().clear();
        assert!(node.authenticate(guess).is_err(), "{guess}");
        std::mem::take(&mut *world.store.asked.lock().unwrap())
    };
    for cut in 1..text.len() {
        assert_eq!(asked_for(&text[..cut]), [], "without its checksum");
    }
    for _ in 0..100 {
        let guess = crate::KeySecret::generate(Environment::Test).unwrap();
        let expected = (Table::KeyHash, guess.hash().0.to_vec());
        assert_eq!(asked_for(guess.expose()), [expected]);
    }
    assert_eq!(node.remembered_key_count(), 0);
}

#[test]
fn the_other_environment_is_another_world_on_the_same_store() {
    let world = World::new();
    let (test, live) = (world.node(), world.node_with(KeysConfig::default()));
    let (account, issued) = register(&test);
    let (_, other) = register(&live);
    assert!(is_served(&test, &issued) && is_served(&live, &other));
    for (node, issued) in [(&live, &issued), (&test, &other)] {
        let refused = refusal(node, issued);
        assert!(matches!(refused, Some(AccountError::OtherEnvironment { .. })), "{refused:?}");
    }
    assert!(matches!(live.account(account.id), Err(AccountError::UnknownAccount { .. })));
    let found = live.find_key(issued.secret.expose());
    assert!(matches!(found, Err(AccountError::OtherEnvironment { .. })));
    assert_eq!(live.accounts(None, 10).unwrap().len(), 1);
}

/// What two nodes may do in turn.
#[derive(Clone, Debug)]
enum Step {
    Create { on: usize },
    Revoke { on: usize, pick: usize },
    Rotate { on: usize, pick: usize, grace: u64 },
    Close { on: usize },
    Reopen { on: usize },
    Ask { on: usize, pick: usize },
    Pass { seconds: u64 },
    Look { on: usize },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let (on, pick) = (0..2_usize, 0..8_usize);
    let step = prop_oneof![
        2 => on.clone().prop_map(|on| Step::Create { on }),
        2 => (on.clone(), pick.clone()).prop_map(|(on, pick)| Step::Revoke { on, pick }),
        2 => (on.clone(), pick.clone(), 0..5_u64)
            .prop_map(|(on, pick, grace)| Step::Rotate { on, pick, grace }),
        1 => on.clone().prop_map(|on| Step::Close { on }),
        2 => on.clone().prop_map(|on| Step::Reopen { on }),
        6 => (on.clone(), pick).prop_map(|(on, pick)| Step::Ask { on, pick }),
        2 => (0..3_u64).prop_map(|seconds| Step::Pass { seconds }),
        2 => on.prop_map(|on| Step::Look { on }),
    ];
    proptest::collection::vec(step, 1..40)
}

/// When a key ends, as a plain model has it: `Some(0)` is revoked.
struct Modelled {
    issued: CreatedKey,
    ends_at: Option<u64>,
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    /// Whatever two nodes do, after a look each serves exactly the keys in force.
    #[test]
    fn after_a_look_every_node_serves_exactly_the_keys_in_force(steps in steps()) {
        let world = World::new();
        let nodes = [world.node(), world.node()];
        let (account, issued) = register(&nodes[0]);
        let (id, by) = (account.id, operator());
        let by = Actor::Operator(&by);
        let mut keys = vec![Modelled { issued, ends_at: None }];
        let (mut now, mut is_closed) = (NOW, false);
        for step in steps {
            match step {
                Step::Create { on } => {
                    if let Ok(issued) = nodes[on].create_key(by, id, &NewKey::default()) {
                        keys.push(Modelled { issued, ends_at: None });
                    }
                }
                Step::Revoke { on, pick } => {
                    let pick = pick % keys.len();
                    nodes[on].revoke_key(by, id, keys[pick].issued.key.id).unwrap();
                    keys[pick].ends_at = Some(0);
                }
                Step::Rotate { on, pick, grace } => {
                    let pick = pick % keys.len();
                    let old: KeyId = keys[pick].issued.key.id;
                    let rotated = nodes[on].rotate_key(by, id, old, grace);
                    prop_assert_eq!(rotated.is_ok(), keys[pick].ends_at.is_none());
                    if let Ok(issued) = rotated {
                        prop_assert_eq!(&issued.key.scope, &Scope::default());
                        keys[pick].ends_at = Some(if grace == 0 { 0 } else { now + grace + 1 });
                        keys.push(Modelled { issued, ends_at: None });
                    }
                }
                Step::Close { on } => {
                    nodes[on].close_account(&operator(), id).unwrap();
                    is_closed = true;
                }
                Step::Reopen { on } => {
                    nodes[on].reopen_account(&operator(), id).unwrap();
                    is_closed = false;
                }
                Step::Ask { on, pick } => {
                    let _ = is_served(&nodes[on], &keys[pick % keys.len()].issued);
                }
                Step::Pass { seconds } => {
                    world.pass(seconds);
                    now += seconds;
                }
                Step::Look { on } => nodes[on].refresh().unwrap(),
            }
            for key in &keys {
                let expected = !is_closed && key.ends_at.is_none_or(|end| now < end);
                let node = &nodes[0];
                node.refresh().unwrap();
                prop_assert_eq!(is_served(node, &key.issued), expected);
            }
        }
        nodes[1].refresh().unwrap();
        for key in &keys {
            let expected = !is_closed && key.ends_at.is_none_or(|end| now < end);
            prop_assert_eq!(is_served(&nodes[1], &key.issued), expected);
        }
        nodes[0].check_acts().unwrap();
    }
}
