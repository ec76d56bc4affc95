use super::*;
use crate::due::{Due, Dues};

/// A million tokens are free for everybody, more are for whoever has proven a wallet. Below an agreement
/// nobody is asked.
#[test]
fn past_the_free_tokens_a_wallet_has_to_be_proven() {
    let world = world("2026-02");
    let (account, issued) = world.open();
    let key = world.entitled(&issued).key;
    let (billing, dues) = (&world.billing, Dues::default());
    world.count(account.id, key, 1_000_000);
    assert_eq!(dues.look(billing, account.id).unwrap(), None);
    assert_eq!(dues.remembered(account.id, world.billing.now()), Some(None));
    world.count(account.id, key, 1);
    assert_eq!(dues.remembered(account.id, billing.now()), Some(None), "for half a minute");
    world.clock.advance(30);
    assert_eq!(dues.remembered(account.id, billing.now()), None);
    let due = Some(Due::Wallet { used: 1_000_001, free: 1_000_000 });
    assert_eq!(dues.look(billing, account.id).unwrap(), due);
    assert_eq!(dues.remembered(account.id, billing.now()), Some(due));
    world.make_integrator(account.id, Interval::Monthly, 99);
    assert_eq!(billing.due(account.id).unwrap(), None, "its fee covers it");
}

/// Sub-accounts and their integrator are asked the same: its agreement covers them, and its debt stops them.
#[test]
fn an_integrator_answers_for_its_sub_accounts() {
    let world = world("2026-02");
    let (integrator, _) = world.open();
    world.make_integrator(integrator.id, Interval::Monthly, 999);
    let (below, key) = world.open_below(integrator.id);
    world.count(below.id, key.key.id, 1_000_001);
    assert_eq!(world.billing.due(below.id).unwrap(), None, "the fee covers it");
    world.billing.end_agreement(integrator.id, month("2026-02"), &operator()).unwrap();
    world.go_to("2026-03");
    world.close_all();
    let due = world.billing.due(integrator.id).unwrap();
    assert!(matches!(due, Some(Due::Payment { .. })), "{due:?}");
    assert_eq!(world.billing.due(below.id).unwrap(), due);
    world.billing.receive(&world.receipt(integrator.id, 999, "wire-7")).unwrap();
    assert_eq!(world.billing.due(below.id).unwrap(), None);
}

/// In the hour before a month is closed what it came to is in no book, and is owed all the same.
#[test]
fn the_bound_on_debt_holds_between_a_months_end_and_its_closing() {
    let world = world("2026-02");
    let (account, _) = world.open();
    world.make_integrator(account.id, Interval::Monthly, 999);
    world.billing.end_agreement(account.id, month("2026-02"), &operator()).unwrap();
    world.clock.set(month("2026-02").end());
    assert_eq!(world.close_all(), 0, "an hour has to pass");
    let due = Due::Payment { owed_usdc_e6: 999 * USDC, most_usdc_e6: 100 * USDC };
    assert_eq!(world.billing.due(account.id).unwrap(), Some(due));
    world.go_to("2026-03");
    assert_eq!(world.close_all(), 1);
    assert_eq!(world.billing.due(account.id).unwrap(), Some(due), "counted once");
}

/// What is owed has a bound, and paying lifts it.
#[test]
fn whoever_owes_more_than_the_bound_has_to_pay() {
    let world = world("2026-02");
    let (account, _) = world.open();
    world.make_integrator(account.id, Interval::Monthly, 999);
    world.billing.end_agreement(account.id, month("2026-02"), &operator()).unwrap();
    world.go_to("2026-03");
    world.close_all();
    let owed_usdc_e6 = u64::try_from(world.billing.owes_usdc_e6(account.id).unwrap()).unwrap();
    assert_eq!(owed_usdc_e6, 999 * USDC);
    let due = Due::Payment { owed_usdc_e6, most_usdc_e6: 100 * USDC };
    assert_eq!(world.billing.due(account.id).unwrap(), Some(due));
    let receipt = OperatorEntry {
        account: account.id,
        usdc_e6: 899 * USDC,
        reference: "wire-7".into(),
        by: operator(),
    };
    world.billing.receive(&receipt).unwrap();
    assert_eq!(world.billing.due(account.id).unwrap(), None, "100 may be owed");
}
