use superroot_account::SubscriptionStatus;

use super::*;
use crate::subscription::SubscriptionAct;

#[test]
fn a_payment_counts_once_and_lifts_at_once_and_only_who_proved_the_wallet() {
    let world = world("2026-02");
    let wallet = Address([7; 20]);
    let paid = payment(1, wallet, Tier::Builder, world.clock_now());
    let applied = world.billing.pay(&paid, Some(&operator())).unwrap();
    assert_eq!(applied.standing.status, SubscriptionStatus::Active);
    let rows = world.rows();
    let again = world.billing.pay(&paid, Some(&operator())).unwrap();
    assert_eq!((again.step, again.standing), (None, applied.standing));
    assert_eq!(world.rows(), rows, "entered twice, written once");
    let other = Payment { tier: Tier::Protocol, usdc_e6: 500 * USDC, ..paid.clone() };
    let refused = world.billing.pay(&other, None);
    assert!(matches!(refused, Err(BillingError::PaymentDiffers { .. })));
    let short = Payment { usdc_e6: 49 * USDC, ..payment(2, wallet, Tier::Builder, paid.paid_at) };
    assert!(matches!(world.billing.pay(&short, None), Err(BillingError::Price { .. })));
    assert_eq!(world.rows(), rows, "what is refused changes nothing");
    let (subscription, _) = world.billing.subscription(&Payer::Wallet(wallet)).unwrap();
    assert_eq!(subscription.paid_usdc_e6, 50 * USDC);
    assert_eq!(world.acts(), ["enter_payment"]);
}

/// At one time on many threads: one counts, the others see that it did.
#[test]
fn one_payment_entered_by_many_at_one_time_counts_once() {
    let world = world("2026-02");
    let paid = payment(1, Address([7; 20]), Tier::Builder, world.clock_now());
    let steps: usize = std::thread::scope(|scope| {
        let pay = || world.billing.pay(&paid, None).unwrap().step.is_some();
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(pay)).collect();
        threads.into_iter().map(|thread| usize::from(thread.join().unwrap())).sum()
    });
    assert_eq!(steps, 1);
    let (subscription, _) = world.billing.subscription(&Payer::Wallet(paid.wallet)).unwrap();
    assert_eq!((subscription.paid_usdc_e6, subscription.step_count), (50 * USDC, 1));
}

#[test]
fn what_an_operator_gives_is_in_force_on_every_node_after_its_next_look() {
    let world = world("2026-02");
    let (account, issued) = world.open();
    let other = node(&world.store, &world.clock);
    let tier = |billing: &BillingLedger| {
        billing.accounts().accounts().authenticate(issued.secret.expose()).unwrap().tier()
    };
    assert_eq!((tier(&world.billing), tier(&other)), (Tier::Explorer, Tier::Explorer));
    let payer = Payer::Account(account.id);
    let act = |act: SubscriptionAct| world.billing.act(&payer, &act, &operator()).unwrap();
    act(SubscriptionAct::Grant { tier: Tier::Protocol, periods: 1 });
    other.accounts().refresh().unwrap();
    assert_eq!((tier(&world.billing), tier(&other)), (Tier::Protocol, Tier::Protocol));
    act(SubscriptionAct::Revoke);
    other.accounts().refresh().unwrap();
    assert_eq!((tier(&world.billing), tier(&other)), (Tier::Explorer, Tier::Explorer));
    act(SubscriptionAct::Reinstate);
    assert_eq!(tier(&world.billing), Tier::Protocol);
    world.clock.advance(30 * 86_400);
    let view = world.entitled(&issued).rights.subscription;
    assert_eq!((tier(&world.billing), view.status), (Tier::Protocol, SubscriptionStatus::Grace));
    world.clock.advance(3 * 86_400);
    assert_eq!(tier(&world.billing), Tier::Explorer);
    assert_eq!(world.acts(), ["grant_periods", "revoke_subscription", "reinstate_subscription"]);
    let nobody = Payer::Account(AccountId::random());
    assert!(world.billing.act(&nobody, &SubscriptionAct::Revoke, &operator()).is_err());
    let nameless = Operator { who: String::new(), why: "why".into() };
    assert!(world.billing.act(&payer, &SubscriptionAct::Revoke, &nameless).is_err());
    let (steps, all) =
        (world.billing.steps(&payer, 0, 10).unwrap(), world.billing.payers(None, 10));
    assert_eq!((steps.len(), all.unwrap()[0].0), (3, payer));
}

#[test]
fn what_is_paid_back_stands_on_the_invoice_and_moves_nothing_owed() {
    let world = world("2026-02");
    let (account, _) = world.open();
    let payer = Payer::Account(account.id);
    let refund = |usdc: u64| {
        world.billing.act(&payer, &SubscriptionAct::Refund { usdc_e6: usdc * USDC }, &operator())
    };
    assert!(matches!(refund(1), Err(BillingError::Refund { .. })), "nothing was paid");
    let wallet = Address([7; 20]);
    world.billing.pay(&payment(1, wallet, Tier::Builder, world.clock_now()), None).unwrap();
    let of_wallet = Payer::Wallet(wallet);
    let refund = SubscriptionAct::Refund { usdc_e6: 20 * USDC };
    world.billing.act(&of_wallet, &refund, &operator()).unwrap();
    assert_eq!(world.billing.enter_waiting(None).unwrap(), (0, None), "the wallet is nobody's");
    assert!(world.billing.entries(account.id, None, 10).unwrap().is_empty());
    let (subscription, _) = world.billing.subscription(&of_wallet).unwrap();
    assert_eq!(subscription.kept_usdc_e6(), 30 * USDC);
    assert_eq!(world.billing.paid_usdc_e6(account.id).unwrap(), 0);
}

impl World {
    pub(super) fn clock_now(&self) -> UnixSeconds {
        self.billing.now()
    }
}
