use std::net::IpAddr;

use superroot_store::{MemoryStore, ScanOrder, Table, WriteBatch};
use superroot_types::{ChainId, ManualClock};

use super::*;
use crate::routes::tests::SAMPLE;
use crate::{
    Actor, Agreed, AgreedTerms, Grant, ManualStopwatch, Month, NewKey, Operator, Tier, note,
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
    let mut config = AccountConfig::default();
    config.keys.environment = Environment::Test;
    config.routes = SAMPLE;
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

/// Makes an account an integrator, as billing does it.
fn make_integrator(world: &World, account: AccountId) {
    let gives = AgreedTerms {
        tier: Tier::Builder,
        limit_per_minute: 5_000,
        grids: None,
        is_integrator: true,
    };
    let mut batch = WriteBatch::new();
    let agreed = Agreed { from: Month::of(NOW).unwrap(), gives: Some(gives) };
    agreed.stage(&mut batch, Environment::Test, account);
    note(&mut batch, &[crate::Changed::Account(account)]);
    world.store.commit(batch).unwrap();
    world.service.accounts().look_again();
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
        |table| world.store.scan(table, b"", None, usize::MAX, ScanOrder::Rising).unwrap().len();
    assert_eq!((rows(Table::Account), rows(Table::KeyHash)), (20, 20));
    assert!(register("2001:db8:1:ffff::1", 9).is_err(), "the same site");
    assert!(register("2001:db8:2::1", 9).is_ok());
    assert!(register("192.0.2.1", 9).is_ok());
    world.clock.advance(3_600);
    assert!(register("2001:db8:1:2::1", 9).is_ok());
}

#[test]
fn a_sub_account_is_opened_whole_or_not_at_all_and_only_by_an_integrator() {
    let world = world();
    let service = &world.service;
    let (account, issued) = service.register(from("192.0.2.1"), Address([1; 20])).unwrap();
    let entitled = service.accounts().authenticate(issued.secret.expose()).unwrap();
    let open = || {
        service.accounts().open_sub_account(Actor::Key(&entitled), account.id, &NewKey::default())
    };
    assert!(matches!(open(), Err(AccountError::NoIntegrator)));
    assert_eq!(service.accounts().accounts(None, 10).unwrap().len(), 1);
    make_integrator(&world, account.id);
    let (child, key) = open().unwrap();
    assert_eq!(child.parent, Some(account.id));
    assert_eq!(service.accounts().sub_accounts(account.id, None, 10).unwrap(), [child.id]);
    let below = service.accounts().authenticate(key.secret.expose()).unwrap();
    assert_eq!((below.account, below.limited_as()), (child.id, account.id));
    let of_child =
        service.accounts().open_sub_account(Actor::Key(&below), child.id, &NewKey::default());
    assert!(matches!(of_child, Err(AccountError::Beyond { .. })));
    let of_parent =
        service.accounts().open_sub_account(Actor::Key(&below), account.id, &NewKey::default());
    assert!(matches!(of_parent, Err(AccountError::UnknownAccount { .. })));
    assert_eq!(service.account_below(&entitled, child.id).unwrap().id, child.id);
    assert!(service.account_below(&below, account.id).is_err());
}

/// An integrator names its customer's account and confines the key it hands out, as with any key.
#[test]
fn a_sub_account_has_the_label_and_its_first_key_the_bounds_it_is_opened_with() {
    let world = world();
    let service = &world.service;
    let (account, issued) = service.register(from("192.0.2.1"), Address([1; 20])).unwrap();
    make_integrator(&world, account.id);
    let by = service.accounts().authenticate(issued.secret.expose()).unwrap();
    let open =
        |first: &NewKey| service.accounts().open_sub_account(Actor::Key(&by), account.id, first);
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
    let past = NewKey { expires_at: Some(NOW), ..first };
    assert!(matches!(open(&past), Err(AccountError::Range { what: "expires_at", .. })));
    assert_eq!(service.accounts().sub_accounts(account.id, None, 10).unwrap(), [child.id]);
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
