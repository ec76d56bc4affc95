use superroot_account::MeteredTerms;

use super::*;
use crate::due::Due;

/// Plans of that price of a million tokens and so many free ones.
fn plans(usdc: u64, free: u64) -> PlanTable {
    let terms = MeteredTerms {
        million_tokens_usdc_e6: usdc * 1_000_000 * USDC,
        free_tokens_per_month: free,
        owed_usdc_e6_max: 100 * USDC,
    };
    PlanTable { pay_as_you_go: terms, ..PlanTable::default() }
}

impl World {
    /// The service is started anew with other prices: a token costs so many USDC.
    fn restart(&mut self, usdc: u64, free: u64) -> bool {
        self.billing = node_with(&self.store, &self.clock, plans(usdc, free));
        self.billing.enter_price_list().unwrap().is_some()
    }
}

/// A price that changes in a month holds from the next one on: neither what was used before nor what is
/// closed later is billed by it. The same for free tokens.
#[test]
fn a_month_is_billed_by_the_price_list_it_began_under() {
    let mut world = world("2026-02");
    assert!(world.restart(1, 1));
    assert!(!world.restart(1, 1), "nothing has changed");
    let (account, issued) = world.open();
    world.count(account.id, issued.key.id, 5);
    world.clock.advance(86_400);
    assert!(world.restart(2, 3));
    let total = |world: &World, text| {
        world.billing.invoice_or_draft(account.id, month(text)).unwrap().total_usdc_e6 / 1_000_000
    };
    assert_eq!(total(&world, "2026-02"), 4, "of the running month");
    world.go_to("2026-03");
    world.count(account.id, issued.key.id, 5);
    world.restart(7, 0);
    world.close_all();
    assert_eq!((total(&world, "2026-02"), total(&world, "2026-03")), (4, 4));
    world.go_to("2026-04");
    world.close_all();
    assert_eq!(total(&world, "2026-03"), 4, "two of five tokens, 2 each");
    assert_eq!(world.billing.price_lists(10).unwrap().len(), 3);
    world.billing.check().unwrap();
}

/// What stands between an account and more tokens is counted by the same prices.
#[test]
fn the_bound_on_debt_is_counted_by_the_prices_of_each_month() {
    let mut world = world("2026-02");
    world.restart(30, 1);
    let (account, issued) = world.open();
    world.count(account.id, issued.key.id, 5);
    world.clock.advance(86_400);
    world.restart(1, 1_000);
    let due = Due::Wallet { used: 5, free: 1 };
    assert_eq!(world.billing.due(account.id).unwrap(), Some(due));
    world.clock.set(month("2026-02").end());
    let due = Due::Payment { owed_usdc_e6: 120 * USDC, most_usdc_e6: 100 * USDC };
    assert_eq!(world.billing.due(account.id).unwrap(), Some(due), "February is not closed");
}

/// A promise that is lowered after a month has begun does not lower what that month missed.
#[test]
fn a_promise_is_the_one_the_month_began_under() {
    let mut world = world("2026-02");
    world.restart(1, 1);
    let (account, _) = world.open();
    world.make_integrator(account.id, Interval::Monthly, 100);
    world.billing.record_minute(month("2026-02").start(), false).unwrap();
    let mut lower = plans(1, 1);
    lower.integrator.availability_e6 = 0;
    world.billing = node_with(&world.store, &world.clock, lower);
    world.billing.enter_price_list().unwrap();
    world.go_to("2026-03");
    world.close_all();
    let owed_back = |text| world.billing.availability_credit_usdc_e6(account.id, month(text));
    assert_eq!(owed_back("2026-02").unwrap(), Some(100 * USDC));
    assert_eq!(world.billing.price_list(month("2026-03")).unwrap().availability_e6, 0);
}

/// A payment that is entered after the price has changed counts by the price it was made at.
#[test]
fn a_payment_is_held_against_the_price_when_it_was_paid() {
    let mut world = world("2026-02");
    world.restart(1, 1);
    let paid_at = world.billing.now();
    world.clock.advance(3_600);
    let mut dearer = plans(1, 1);
    dearer.tiers.builder.price_usdc_e6 = Some(60 * USDC);
    world.billing = node_with(&world.store, &world.clock, dearer);
    world.billing.enter_price_list().unwrap();
    let wallet = Address([7; 20]);
    assert!(world.billing.pay(&payment(1, wallet, Tier::Builder, paid_at), None).is_ok());
    let late = payment(2, wallet, Tier::Builder, world.billing.now());
    assert!(matches!(world.billing.pay(&late, None), Err(BillingError::Price { .. })));
    let right = Payment { usdc_e6: 60 * USDC, ..late };
    assert!(world.billing.pay(&right, None).is_ok());
}

/// A list that a clock ahead has entered begins later; the next start with a right clock enters it again.
#[test]
fn a_list_of_a_clock_that_was_ahead_is_entered_again() {
    let mut world = world("2026-02");
    world.restart(1, 0);
    world.go_to("2026-11");
    assert!(world.restart(2, 0));
    world.go_to("2026-03");
    assert!(world.restart(2, 0));
    let price = |text| {
        world.billing.price_list(month(text)).unwrap().million_tokens_usdc_e6 / 1_000_000 / USDC
    };
    let prices = ["2026-01", "2026-03", "2026-04", "2026-10", "2026-12"].map(price);
    assert_eq!(prices, [1, 1, 2, 2, 2]);
}
