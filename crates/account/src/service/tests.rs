use std::net::IpAddr;

use superroot_store::{Direction, MemoryStore, Table};
use superroot_types::{ChainId, Hash, ManualClock};

use super::*;
use crate::meter::{Caller, Counted, StatusClass};
use crate::money::USDC;
use crate::{
    Agreement, Asset, Event, Grant, Interval, LineKind, ManualStopwatch, Month, Operator, Payment,
    PaymentId, Subscriber, Terms, Tier, Waiting, route,
};

const NOW: UnixSeconds = UnixSeconds(1_700_000_000);

struct World {
    store: Arc<MemoryStore>,
    service: Arc<AccountService>,
    clock: Arc<ManualClock>,
}

fn world() -> World {
    let (store, clock) = (Arc::new(MemoryStore::new()), Arc::new(ManualClock::at(NOW)));
    let stopwatch = Arc::new(ManualStopwatch::default());
    let mut config = Config::default();
    config.keys.environment = Environment::Test;
    let service =
        AccountService::open_with(store.clone(), clock.clone(), stopwatch, &config).unwrap();
    service.refresh().unwrap();
    World { store, service, clock }
}

fn from(text: &str) -> AddressPrefix {
    text.parse::<IpAddr>().unwrap().into()
}

fn operator() -> Operator {
    Operator { who: "ana".into(), why: "asked by the customer".into() }
}

fn count(world: &World, account: AccountId, key: crate::KeyId, times: usize) {
    let route = route("/kv/verify").unwrap();
    for _ in 0..times {
        world.service.meter().count(&Counted {
            environment: Environment::Test,
            caller: Caller::Account { account, key },
            route: route.number,
            chain: None,
            status: StatusClass::Success,
            weight: route.weight,
            at: world.service.now(),
        });
    }
}

fn make_integrator(world: &World, account: AccountId) {
    let agreement = Agreement {
        account,
        terms: Terms::Integrator {
            interval: Interval::Monthly,
            fee_usdc_e6: 99_000_000,
            tier: Tier::Builder,
        },
        from: Month::of(NOW).unwrap(),
        until: None,
        by: operator(),
        entered_at: NOW,
    };
    world.service.commerce().agree(&agreement, world.service.plans()).unwrap();
}

#[test]
fn a_hundred_thousand_registrations_from_one_place_leave_few_rows_and_others_unharmed() {
    let world = world();
    let register =
        |address: &str, wallet: u8| world.service.register(from(address), Address([wallet; 20]));
    let (mut opened, mut refused) = (0, 0);
    for number in 0..100_000_u32 {
        match register("2001:db8:1:2::1", (number % 251) as u8 + 1) {
            Ok(_) => opened += 1,
            Err(AccountError::Registrations { retry_after_seconds, .. }) => {
                assert!((1..=86_400).contains(&retry_after_seconds));
                refused += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!((opened, refused), (20, 99_980));
    let rows =
        |table| world.store.scan(table, b"", None, usize::MAX, Direction::Rising).unwrap().len();
    assert_eq!((rows(Table::Account), rows(Table::KeyHash)), (20, 20));
    assert!(register("2001:db8:1:ffff::1", 9).is_err(), "the same site");
    assert!(register("2001:db8:2::1", 9).is_ok());
    assert!(register("192.0.2.1", 9).is_ok());
    world.clock.advance(3_600);
    assert!(register("2001:db8:1:2::1", 9).is_ok());
}

#[test]
fn what_was_counted_is_in_usage_after_a_flush_and_in_the_draft_of_the_invoice() {
    let world = world();
    let service = &world.service;
    let (account, issued) = service.register(from("192.0.2.1"), Address([1; 20])).unwrap();
    count(&world, account.id, issued.key.id, 3);
    assert_eq!(service.usage().totals(account.id, NOW).unwrap().requests_today, 0);
    assert_eq!(service.flush(NOW).unwrap().requests, 3);
    assert_eq!(service.usage().totals(account.id, NOW).unwrap().requests_today, 3);
    let month = Month::of(NOW).unwrap();
    let draft = service.invoice_of(account.id, month).unwrap();
    assert_eq!((draft.number, draft.requests(), draft.tokens()), (0, 3, 3));
    assert_eq!(draft.lines[0].label, "/kv/verify");
    assert!(service.close_month(account.id, month).is_err(), "it is not over");
    world.clock.set(month.end());
    let closed = service.close_month(account.id, month).unwrap();
    assert_eq!((closed.number, closed.lines), (1, draft.lines));
    count(&world, account.id, issued.key.id, 1);
    service.flush(service.now()).unwrap();
    assert_eq!(service.invoice_of(account.id, month).unwrap().number, 1);
    assert!(service.prune(service.now()).unwrap().done);
}

#[test]
fn a_sub_account_is_opened_whole_or_not_at_all_and_only_by_an_integrator() {
    let world = world();
    let service = &world.service;
    let (account, issued) = service.register(from("192.0.2.1"), Address([1; 20])).unwrap();
    let entitled = service.accounts().authenticate(issued.secret.expose()).unwrap();
    let open = || service.open_sub_account(Actor::Key(&entitled), account.id, &NewKey::default());
    assert!(matches!(open(), Err(AccountError::Agreement { .. })));
    assert_eq!(service.accounts().accounts(None, 10).unwrap().len(), 1);
    make_integrator(&world, account.id);
    let (child, key) = open().unwrap();
    assert_eq!(child.parent, Some(account.id));
    assert_eq!(service.commerce().integrator_of(child.id).unwrap(), Some(account.id));
    assert_eq!(service.commerce().sub_accounts(account.id, None, 10).unwrap(), [child.id]);
    let below = service.accounts().authenticate(key.secret.expose()).unwrap();
    assert_eq!((below.account, below.limited_as()), (child.id, account.id));
    let of_child = service.open_sub_account(Actor::Key(&below), child.id, &NewKey::default());
    assert!(matches!(of_child, Err(AccountError::Beyond { .. })));
    let of_parent = service.open_sub_account(Actor::Key(&below), account.id, &NewKey::default());
    assert!(matches!(of_parent, Err(AccountError::UnknownAccount { .. })));
    assert_eq!(service.account_below(&entitled, child.id).unwrap().id, child.id);
    assert!(service.account_below(&below, account.id).is_err());
    count(&world, child.id, key.key.id, 2);
    service.flush(NOW).unwrap();
    let bill = service.month_of(account.id, Month::of(NOW).unwrap()).unwrap();
    assert_eq!(bill.usage.iter().map(|used| used.requests).sum::<u64>(), 2);
}

/// An integrator names its customer's account and confines the key it hands out, as with any key.
#[test]
fn a_sub_account_has_the_label_and_its_first_key_the_bounds_it_is_opened_with() {
    let world = world();
    let service = &world.service;
    let (account, issued) = service.register(from("192.0.2.1"), Address([1; 20])).unwrap();
    make_integrator(&world, account.id);
    let by = service.accounts().authenticate(issued.secret.expose()).unwrap();
    let open = |first: &NewKey| service.open_sub_account(Actor::Key(&by), account.id, first);
    let label = |text: &str| Some(crate::Label::try_from(text.to_owned()).unwrap());
    let scope = crate::Scope { chains: Some([ChainId(1)].into()), routes: None };
    let expires_at = Some(UnixSeconds(NOW.0 + 60));
    let first = NewKey { label: label("customer 7"), scope, expires_at };
    let (child, key) = open(&first).unwrap();
    assert_eq!(service.accounts().account(child.id).unwrap().label, first.label);
    let given = service.accounts().authenticate(key.secret.expose()).unwrap();
    assert_eq!((given.scope.clone(), given.key_expires_at), (first.scope.clone(), expires_at));
    assert_eq!(key.key.label, first.label);
    let routes = Some(["/nope".parse().unwrap()].into());
    let nowhere = NewKey { scope: crate::Scope { chains: None, routes }, ..first.clone() };
    assert!(matches!(open(&nowhere), Err(AccountError::NoSuchRoute { .. })));
    let past = NewKey { expires_at: Some(NOW), ..first.clone() };
    assert!(matches!(open(&past), Err(AccountError::Range { what: "expires_at", .. })));
    let leaking = NewKey { label: label(issued.secret.expose()), ..first };
    assert!(matches!(open(&leaking), Err(AccountError::KeyInText { .. })));
    assert_eq!(service.commerce().sub_accounts(account.id, None, 10).unwrap(), [child.id]);
}

/// Nobody owes anything for a month in which there was no account.
#[test]
fn a_month_that_was_over_before_the_account_is_not_closed() {
    let world = world();
    let (account, _) = world.service.register(from("192.0.2.1"), Address([1; 20])).unwrap();
    make_integrator(&world, account.id);
    let opened = Month::of(NOW).unwrap();
    let before = Month::of(UnixSeconds(opened.start().0 - 1)).unwrap();
    world.clock.set(opened.end());
    let refused = world.service.close_month(account.id, before).unwrap_err();
    assert!(matches!(refused, AccountError::Month { .. }), "{refused}");
    assert_eq!(world.service.invoices().load(account.id, before).unwrap(), None);
    assert_eq!(world.service.close_month(account.id, opened).unwrap().month, opened);
}

/// A limit below that of everybody would be answered and not hold.
#[test]
fn a_granted_limit_is_no_lower_than_everybodys() {
    let world = world();
    let (account, _) = world.service.register(from("192.0.2.1"), Address([1; 20])).unwrap();
    let grant = |limit| {
        let grant = Grant { limit_per_minute: Some(limit), ..Grant::of(Tier::Explorer) };
        world.service.accounts().grant(&operator(), account.id, Some(&grant))
    };
    assert!(matches!(grant(99), Err(AccountError::Range { least: 100, .. })));
    grant(100).unwrap();
}

/// Money that has bought nothing is told to whom it is held for, as long as it is held.
#[test]
fn what_is_held_missing_and_owed_is_told() {
    let world = world();
    let service = &world.service;
    let (account, _) = service.register(from("192.0.2.1"), Address([1; 20])).unwrap();
    let (other, _) = service.register(from("192.0.2.2"), Address([1; 20])).unwrap();
    let payer = Subscriber::Account(account.id);
    let pay = |number: u8, usdc: u64, tier| {
        let id = PaymentId { chain: ChainId(8453), tx: Hash([number; 32]), log_index: 0 };
        let payment = Payment {
            id,
            wallet: Address([1; 20]),
            tier,
            usdc_e6: usdc * USDC,
            asset: Asset::Usdc,
            paid_at: NOW,
            is_final: true,
        };
        service.accounts().apply_to_subscription(&payer, &Event::Payment(payment), None).unwrap();
    };
    let nothing = Money { credit_usdc_e6: 0, waiting: None, owes_usdc_e6: 0 };
    assert_eq!(service.money_of(account.id).unwrap(), nothing);
    pay(1, 20, Tier::Builder);
    let until = UnixSeconds(NOW.0 + service.plans().subscription.pending_seconds);
    let missing = |tier, usdc: u64| Waiting { tier, missing_usdc_e6: usdc * USDC, until };
    let held = service.money_of(account.id).unwrap();
    assert_eq!(held.credit_usdc_e6, u128::from(20 * USDC));
    assert_eq!(held.waiting, Some((missing(Tier::Builder, 30), None)));
    assert_eq!(service.money_of(other.id).unwrap(), nothing, "a claim of the same wallet");
    pay(2, 40, Tier::Builder);
    let held = service.money_of(account.id).unwrap();
    assert_eq!((held.credit_usdc_e6, held.waiting), (u128::from(10 * USDC), None));
    pay(3, 0, Tier::Protocol);
    let held = service.money_of(account.id).unwrap();
    assert_eq!(held.waiting, Some((missing(Tier::Protocol, 440), None)), "with what is unused");
    world.clock.set(until);
    let held = service.money_of(account.id).unwrap();
    assert_eq!((held.credit_usdc_e6, held.waiting), (u128::from(10 * USDC), None), "it stays");
    make_integrator(&world, other.id);
    world.clock.set(Month::of(NOW).unwrap().end());
    service.close_month(other.id, Month::of(NOW).unwrap()).unwrap();
    assert_eq!(service.money_of(other.id).unwrap().owes_usdc_e6, 99_000_000);
}

/// Credit is spent where it gives somebody something, and kept where it would not.
#[test]
fn credit_is_kept_while_it_would_give_nothing() {
    let world = world();
    let service = &world.service;
    let accounts = service.accounts();
    let open = |wallet: u8| service.register(from("192.0.2.1"), Address([wallet; 20])).unwrap().0;
    let [closed, granted, stacked] = [open(1), open(2), open(3)].map(|account| account.id);
    let unproven = Subscriber::Wallet(Address([9; 20]));
    let own = |id| Subscriber::Account(id);
    for (number, payer) in [own(closed), own(granted), own(stacked), unproven].iter().enumerate() {
        let payment = Payment {
            id: PaymentId { chain: ChainId(8453), tx: Hash([number as u8; 32]), log_index: 0 },
            wallet: Address([9; 20]),
            tier: Tier::Builder,
            usdc_e6: 650 * USDC,
            asset: Asset::Usdc,
            paid_at: NOW,
            is_final: true,
        };
        accounts.apply_to_subscription(payer, &Event::Payment(payment), None).unwrap();
    }
    accounts.close_account(&operator(), closed).unwrap();
    let grant = Grant::of(Tier::Protocol);
    accounts.grant(&operator(), granted, Some(&grant)).unwrap();
    world.clock.set(UnixSeconds(NOW.0 + 361 * 86_400));
    assert_eq!(service.renew(None).unwrap(), (1, None), "one of four is served by it");
    let credit = |payer| accounts.subscriptions().load(&payer).unwrap().credit_usdc_e6;
    assert_eq!(credit(own(stacked)), 0);
    for payer in [own(closed), own(granted), unproven] {
        assert_eq!(credit(payer), 50 * USDC, "{payer:?}");
    }
    // what is kept can be paid back, and buys once it is of use
    let refund = Event::Refund(20 * USDC, operator());
    accounts.apply_to_subscription(&unproven, &refund, None).unwrap();
    assert_eq!(credit(unproven), 30 * USDC);
    accounts.reopen_account(&operator(), closed).unwrap();
    accounts.grant(&operator(), granted, None).unwrap();
    assert_eq!(service.renew(None).unwrap(), (2, None));
    assert_eq!((credit(own(closed)), credit(own(granted))), (0, 0));
}

/// Whoever paid for more than may lie ahead stays served: the service looks for it by itself, and
/// ledger and invoice say what the credit became.
#[test]
fn credit_held_renews_by_itself() {
    let world = world();
    let service = &world.service;
    let (account, _) = service.register(from("192.0.2.1"), Address([1; 20])).unwrap();
    let payer = Subscriber::Account(account.id);
    let payment = Payment {
        id: PaymentId { chain: ChainId(8453), tx: Hash([1; 32]), log_index: 0 },
        wallet: Address([1; 20]),
        tier: Tier::Builder,
        usdc_e6: 700 * USDC,
        asset: Asset::Usdc,
        paid_at: NOW,
        is_final: true,
    };
    service.accounts().apply_to_subscription(&payer, &Event::Payment(payment), None).unwrap();
    assert_eq!(service.renew(None).unwrap(), (0, None));
    let end = UnixSeconds(NOW.0 + 360 * 86_400);
    world.clock.set(end);
    assert_eq!(service.renew(None).unwrap(), (1, None));
    assert_eq!(service.renew(None).unwrap(), (0, None));
    world.clock.set(UnixSeconds(end.0 + 30 * 86_400));
    assert_eq!(service.renew(None).unwrap(), (1, None), "a period at a time");
    let held = service.accounts().subscriptions().load(&payer).unwrap();
    assert_eq!(held.expires_at(), Some(UnixSeconds(end.0 + 60 * 86_400)));
    assert_eq!(held.credit_usdc_e6, 0);
    assert_eq!(service.money_of(account.id).unwrap().credit_usdc_e6, 0);
    assert!(service.journal().verify().unwrap() >= 2);
    let draft = service.invoice_of(account.id, Month::of(end).unwrap()).unwrap();
    let told: Vec<_> = draft.lines.iter().map(|line| (line.kind, line.amount_usdc_e6)).collect();
    assert!(told.contains(&(LineKind::Subscription, 50_000_000)), "{told:?}");
    assert!(told.contains(&(LineKind::Deposit, -50_000_000)), "{told:?}");
    assert_eq!(draft.total_usdc_e6, 0);
}

mod documents;
