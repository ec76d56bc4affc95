use superroot_store::MemoryStore;
use superroot_types::{Address, ChainId, ErrorKind, Hash};

use super::*;
use crate::money::USDC;
use crate::subscription::{Asset, Operator, Reason, Status};
use crate::{Month, Tier};

const NOW: UnixSeconds = UnixSeconds(1_700_000_000);
const WALLET: Address = Address([7; 20]);
const SUBSCRIBER: Subscriber = Subscriber::Wallet(WALLET);

fn payment(number: u8, wallet: Address) -> Payment {
    Payment {
        id: PaymentId { chain: ChainId(8453), tx: Hash([number; 32]), log_index: 3 },
        wallet,
        tier: Tier::Builder,
        usdc_e6: 50 * USDC,
        asset: Asset::Eth { wei: u128::MAX, eth_price_usdc_e6: 1 },
        paid_at: NOW,
        is_final: true,
    }
}

fn paid(number: u8) -> Event {
    Event::Payment(payment(number, WALLET))
}

fn subscriptions() -> (Arc<MemoryStore>, Subscriptions) {
    let store = Arc::new(MemoryStore::new());
    (store.clone(), Subscriptions::new(store, Environment::Test))
}

#[test]
fn what_was_written_is_read_with_every_step() {
    let (_, rows) = subscriptions();
    let plans = Plans::default();
    assert_eq!(rows.load(&SUBSCRIBER).unwrap(), Subscription::none(SUBSCRIBER));
    let first = rows.apply(&SUBSCRIBER, &paid(1), NOW, &plans).unwrap();
    let second = rows.apply(&SUBSCRIBER, &paid(2), NOW, &plans).unwrap();
    assert_eq!(rows.load(&SUBSCRIBER).unwrap(), second.subscription);
    let steps = [first.transitions, second.transitions].concat();
    assert_eq!(rows.transitions(&SUBSCRIBER, 0, 10).unwrap(), steps);
    assert_eq!(rows.transitions(&SUBSCRIBER, 1, 10).unwrap(), steps[1..]);
    assert_eq!(
        steps.iter().map(|step| step.reason).collect::<Vec<_>>(),
        [Reason::Activated, Reason::Renewed]
    );
    let held = rows.payment(&payment(1, WALLET).id).unwrap();
    assert_eq!(held, Some((SUBSCRIBER, payment(1, WALLET))));
}

#[test]
fn a_payment_counts_once_even_when_the_subscription_has_forgotten_it() {
    let (store, rows) = subscriptions();
    let plans = Plans::default();
    for number in 0..=u8::try_from(super::super::RECENT_PAYMENTS_MAX).unwrap() {
        rows.apply(&SUBSCRIBER, &paid(number), NOW, &plans).unwrap();
    }
    let before = rows.load(&SUBSCRIBER).unwrap();
    assert!(!before.recent_payments.contains(&payment(0, WALLET).id));
    let commits = store.commit_count();
    let again = rows.apply(&SUBSCRIBER, &paid(0), NOW, &plans).unwrap();
    assert!(again.is_repeat && again.transitions.is_empty());
    assert_eq!((rows.load(&SUBSCRIBER).unwrap(), store.commit_count()), (before, commits));
}

#[test]
fn one_payment_does_not_count_for_two() {
    let (_, rows) = subscriptions();
    let plans = Plans::default();
    rows.apply(&SUBSCRIBER, &paid(1), NOW, &plans).unwrap();
    let account = Subscriber::Account(AccountId::random());
    let again = rows.apply(&account, &paid(1), NOW, &plans).unwrap();
    assert!(again.is_repeat);
    assert_eq!(again.subscription.subscriber, SUBSCRIBER);
    assert_eq!(rows.load(&account).unwrap(), Subscription::none(account));
    let other = Event::Payment(Payment { usdc_e6: 1, ..payment(1, WALLET) });
    let error = rows.apply(&SUBSCRIBER, &other, NOW, &plans).unwrap_err();
    assert!(matches!(error, AccountError::PaymentDiffers { .. }), "{error}");
}

#[test]
fn environments_are_apart() {
    let (store, test) = subscriptions();
    let live = Subscriptions::new(store, Environment::Live);
    test.apply(&SUBSCRIBER, &paid(1), NOW, &Plans::default()).unwrap();
    assert_eq!(live.load(&SUBSCRIBER).unwrap(), Subscription::none(SUBSCRIBER));
    assert!(live.list(None, 10).unwrap().is_empty());
    assert_eq!(live.payment(&payment(1, WALLET).id).unwrap(), None);
}

#[test]
fn writers_at_one_time_all_count() {
    let (_, rows) = subscriptions();
    let plans = Plans::default();
    std::thread::scope(|scope| {
        for thread in 0..4_u8 {
            let (rows, plans) = (&rows, &plans);
            scope.spawn(move || {
                for number in 0..3 {
                    rows.apply(&SUBSCRIBER, &paid(thread * 3 + number), NOW, plans).unwrap();
                }
            });
        }
    });
    let subscription = rows.load(&SUBSCRIBER).unwrap();
    assert_eq!(subscription.periods.len(), 12);
    assert_eq!(rows.transitions(&SUBSCRIBER, 0, 100).unwrap().len(), 12);
}

#[test]
fn what_goes_along_is_in_the_same_commit_or_nothing_is() {
    let (store, rows) = subscriptions();
    let plans = Plans::default();
    let refused = rows.apply_with(&SUBSCRIBER, &paid(1), NOW, &plans, &mut |_, _, _| {
        Err(AccountError::PaymentNotFinal)
    });
    assert!(refused.is_err_and(|error| error.kind() == ErrorKind::Invalid));
    assert_eq!(store.commit_count(), 0);
    let mut calls = 0;
    let mut also = |batch: &mut Batch, before: &Subscription, applied: &Applied| {
        calls += 1;
        assert_eq!(before.status, Status::None);
        batch.put(Table::Meta, b"seen", [u8::try_from(applied.transitions.len()).unwrap()]);
        Ok(())
    };
    rows.apply_with(&SUBSCRIBER, &paid(1), NOW, &plans, &mut also).unwrap();
    rows.apply_with(&SUBSCRIBER, &paid(1), NOW, &plans, &mut also).unwrap();
    assert_eq!((calls, store.commit_count()), (1, 1));
    assert_eq!(store.get(Table::Meta, b"seen").unwrap(), Some(vec![1]));
}

#[test]
fn lists_are_in_order_and_paged() {
    let (_, rows) = subscriptions();
    let plans = Plans::default();
    let operator = Operator { who: "ops".into(), why: "trial".into() };
    let account = Subscriber::Account(AccountId::random());
    rows.apply(&account, &Event::Grant(Tier::Builder, 1, operator), NOW, &plans).unwrap();
    for number in 1..=3 {
        let wallet = Address([number; 20]);
        let event = Event::Payment(payment(number, wallet));
        rows.apply(&Subscriber::Wallet(wallet), &event, NOW, &plans).unwrap();
    }
    let mut seen = Vec::new();
    while let Some(next) = rows.list(seen.last(), 1).unwrap().first() {
        seen.push(next.subscriber);
    }
    let wallets = [1, 2, 3].map(|number| Subscriber::Wallet(Address([number; 20])));
    assert_eq!(seen, [&wallets[..], &[account]].concat());
}

#[test]
fn a_damaged_row_is_an_error() {
    let (store, rows) = subscriptions();
    for row in [&b""[..], b"\x02{}", b"\x01{}", b"\x01"] {
        let mut batch = Batch::new();
        batch.put(TABLE, rows.key(&SUBSCRIBER), row);
        store.commit(batch).unwrap();
        let error = rows.load(&SUBSCRIBER).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    }
}

/// What a closed invoice has is left out of the next, and only of what lies before a time.
#[test]
fn movements_are_billed_once_in_the_order_of_their_steps() {
    let (store, rows) = subscriptions();
    let plans = Plans::default();
    let february: Month = "2028-02".parse().unwrap();
    let times =
        [february.start().0 - 1, february.start().0, february.end().0 - 1, february.end().0];
    for (number, time) in (1..).zip(times) {
        rows.apply(&SUBSCRIBER, &paid(number), UnixSeconds(time), &plans).unwrap();
    }
    let unbilled = |before, most| rows.unbilled(&SUBSCRIBER, before, most).unwrap();
    let told = |unbilled: &Unbilled| -> Vec<u64> {
        unbilled.bought.iter().map(|paid| paid.at.0).collect()
    };
    let bill = |unbilled: &Unbilled| {
        let mut batch = Batch::new();
        rows.stage_billed(&mut batch, unbilled);
        store.commit(batch)
    };
    assert_eq!(told(&unbilled(february.start(), 9)), times[..1]);
    let first = unbilled(february.end(), 2);
    assert_eq!(told(&first), times[..2], "no more than asked for");
    assert!(
        first
            .bought
            .iter()
            .all(|paid| paid.usdc_e6 == 50 * i128::from(USDC) && paid.tier == Tier::Builder)
    );
    assert_eq!(first.bought[1].reference, format!("payment {}", payment(2, WALLET).id));
    bill(&first).unwrap();
    assert!(bill(&first).is_err(), "on one invoice only");
    assert_eq!(told(&unbilled(february.start(), 9)), [0; 0], "an older month, later");
    let second = unbilled(february.end(), 9);
    assert_eq!(told(&second), times[2..3]);
    bill(&second).unwrap();
    assert_eq!(told(&unbilled(UnixSeconds(u64::MAX), 9)), times[3..]);
    assert_eq!(told(&unbilled(UnixSeconds(u64::MAX), 0)), [0; 0]);
}

/// What is short or over is held and said to be held; what completes the price says what it used.
#[test]
fn a_payment_of_a_month_says_what_it_bought_and_what_is_held() {
    let (_, rows) = subscriptions();
    let plans = Plans::default();
    let month: Month = "2028-02".parse().unwrap();
    let pay = |number: u8, usdc: u64| {
        let Event::Payment(whole) = paid(number) else { panic!("no payment") };
        let event = Event::Payment(Payment { usdc_e6: usdc * USDC, ..whole });
        rows.apply(&SUBSCRIBER, &event, month.start(), &plans).unwrap()
    };
    pay(1, 20);
    pay(2, 30);
    let over = pay(3, 1_000);
    let held = over.subscription.credit_usdc_e6;
    let found = rows.unbilled(&SUBSCRIBER, month.end(), usize::MAX).unwrap().bought;
    let credits: Vec<_> = found.iter().map(|paid| paid.into_credit_usdc_e6).collect();
    let usdc = i128::from(USDC);
    assert_eq!(credits, [20 * usdc, -20 * usdc, i128::from(held)]);
    assert_eq!(held, 450 * USDC, "11 periods more, up to 12 ahead");
    let moved = over.transitions[0].moved.unwrap();
    assert_eq!((moved.tier, moved.bought_usdc_e6()), (Some(Tier::Builder), 550 * usdc));
    let by = Operator { who: "ana".into(), why: "asked for".into() };
    let back = Event::Refund(7 * USDC, by);
    let back = rows.apply(&SUBSCRIBER, &back, month.start(), &plans).unwrap();
    let moved = back.transitions[0].moved.unwrap();
    assert_eq!((moved.refunded_usdc_e6, moved.bought_usdc_e6()), (7 * USDC, 0));
}

/// Steps that were stored without what they moved are read, and a deposit is told by its reason.
#[test]
fn a_step_of_before_amounts_were_kept_is_read() {
    let (_, rows) = subscriptions();
    let month: Month = "2028-02".parse().unwrap();
    rows.apply(&SUBSCRIBER, &paid(1), month.start(), &Plans::default()).unwrap();
    let step = rows.transitions(&SUBSCRIBER, 0, 1).unwrap().remove(0);
    let mut text = serde_json::to_value(&step).unwrap();
    text.as_object_mut().unwrap().remove("moved").unwrap();
    let old: Transition = serde_json::from_value(text).unwrap();
    let Event::Payment(payment) = paid(1) else { panic!("no payment") };
    assert_eq!(old, Transition { moved: None, ..step });
    assert_eq!(super::bought_by(&old, &payment).into_credit_usdc_e6, 0);
    let short = Transition { reason: Reason::ShortPayment, ..old };
    let all = i128::from(payment.usdc_e6);
    assert_eq!(super::bought_by(&short, &payment).into_credit_usdc_e6, all);
}
