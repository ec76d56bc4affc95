use proptest::prelude::*;
use superroot_types::{Address, Hash};

use super::*;
use crate::payment::{Asset, PaymentId};

const DAY: u64 = 86_400;
const USDC: u64 = 1_000_000;
const BASE: ChainId = ChainId(8_453);

fn at(day: u64) -> UnixSeconds {
    UnixSeconds(day * DAY)
}

fn payment(tier: Tier, usdc_e6: u64, day: u64) -> Payment {
    let id = PaymentId { chain: BASE, tx: Hash([1; 32]), log_index: 0 };
    let (wallet, asset, paid_at) = (Address([7; 20]), Asset::Usdc, at(day));
    Payment { id, wallet, tier, usdc_e6, asset, paid_at, is_final: true, is_proven: false }
}

fn apply(
    held: &(SubscriptionMoney, PaidTier),
    act: &SubscriptionAct,
    day: u64,
) -> Result<(SubscriptionMoney, PaidTier), BillingError> {
    let plans = PlanTable::default();
    let terms = (&plans, &PriceList::of(&plans, at(0)));
    let (subscription, lift, _) = held.0.apply(held.1.clone(), act, at(day), terms)?;
    Ok((subscription, lift))
}

fn status(lift: &PaidTier, day: u64) -> SubscriptionStatus {
    lift.standing_at(at(day), PlanTable::default().subscription.grace_seconds).status
}

#[test]
fn a_payment_is_exactly_the_price_of_its_tier_or_nothing() {
    let none = (SubscriptionMoney::default(), PaidTier::default());
    let pay = |payment: Payment| apply(&none, &SubscriptionAct::Payment(payment), 10);
    let (paid, lift) = pay(payment(Tier::Builder, 50 * USDC, 10)).unwrap();
    assert_eq!((paid.paid_usdc_e6, paid.step_count), (50 * USDC, 1));
    assert_eq!(lift.periods, [TierPeriod { tier: Tier::Builder, start: at(10), end: at(40) }]);
    for wrong in [1, 50 * USDC - 1, 50 * USDC + 1, 100 * USDC, 500 * USDC] {
        let refused = pay(payment(Tier::Builder, wrong, 10)).unwrap_err();
        assert!(matches!(refused, BillingError::Price { got_usdc_e6, expected_usdc_e6, .. }
            if got_usdc_e6 == wrong && expected_usdc_e6 == 50 * USDC));
    }
    for tier in [Tier::Explorer, Tier::Enterprise] {
        let refused = pay(payment(tier, 50 * USDC, 10));
        assert!(matches!(refused, Err(BillingError::NotForSale { .. })));
    }
    let pending = Payment { is_final: false, ..payment(Tier::Builder, 50 * USDC, 10) };
    assert!(matches!(pay(pending), Err(BillingError::PaymentNotFinal)));
    let mut elsewhere = payment(Tier::Builder, 50 * USDC, 10);
    elsewhere.id.chain = ChainId(1);
    assert!(matches!(pay(elsewhere), Err(BillingError::PaymentChain { .. })));
}

/// A proven event is the price: who paid what the contract asks has the tier, whatever is configured here.
#[test]
fn a_proven_payment_counts_at_the_price_of_its_event() {
    let none = (SubscriptionMoney::default(), PaidTier::default());
    let pay = |payment: Payment| apply(&none, &SubscriptionAct::Payment(payment), 10);
    let proven = |tier, usdc_e6| Payment { is_proven: true, ..payment(tier, usdc_e6, 10) };
    for usdc_e6 in [1, 50 * USDC - 1, 60 * USDC, u64::MAX] {
        let (paid, lift) = pay(proven(Tier::Builder, usdc_e6)).unwrap();
        assert_eq!((paid.paid_usdc_e6, paid.step_count), (usdc_e6, 1));
        assert_eq!(lift.periods, [TierPeriod { tier: Tier::Builder, start: at(10), end: at(40) }]);
    }
    // all else is asked of it as of any other
    for tier in [Tier::Explorer, Tier::Enterprise] {
        assert!(matches!(pay(proven(tier, 50 * USDC)), Err(BillingError::NotForSale { .. })));
    }
    let pending = Payment { is_final: false, ..proven(Tier::Builder, 50 * USDC) };
    assert!(matches!(pay(pending), Err(BillingError::PaymentNotFinal)));
    let mut elsewhere = proven(Tier::Builder, 50 * USDC);
    elsewhere.id.chain = ChainId(1);
    assert!(matches!(pay(elsewhere), Err(BillingError::PaymentChain { .. })));
}

#[test]
fn the_operator_grants_refunds_revokes_and_reinstates() {
    let none = (SubscriptionMoney::default(), PaidTier::default());
    let paid =
        apply(&none, &SubscriptionAct::Payment(payment(Tier::Builder, 50 * USDC, 0)), 0).unwrap();
    let granted =
        apply(&paid, &SubscriptionAct::Grant { tier: Tier::Builder, periods: 2 }, 5).unwrap();
    assert_eq!(granted.1.periods[0].end, at(90));
    for periods in [0, PERIODS_GRANTED_MAX + 1] {
        let refused = apply(&paid, &SubscriptionAct::Grant { tier: Tier::Builder, periods }, 5);
        assert!(matches!(refused, Err(BillingError::Periods { .. })));
    }
    let revoked = apply(&granted, &SubscriptionAct::Revoke, 6).unwrap();
    assert_eq!(status(&revoked.1, 6), SubscriptionStatus::Revoked);
    assert!(matches!(
        apply(&revoked, &SubscriptionAct::Revoke, 7),
        Err(BillingError::Subscription { .. })
    ));
    let more = SubscriptionAct::Grant { tier: Tier::Builder, periods: 1 };
    assert!(matches!(apply(&revoked, &more, 7), Err(BillingError::Subscription { .. })));
    let while_revoked = SubscriptionAct::Payment(payment(Tier::Protocol, 500 * USDC, 7));
    let revoked = apply(&revoked, &while_revoked, 7).unwrap();
    assert_eq!(
        status(&revoked.1, 7),
        SubscriptionStatus::Revoked,
        "nothing paid is lost, nor given"
    );
    let back = apply(&revoked, &SubscriptionAct::Reinstate, 8).unwrap();
    let standing = back.1.standing_at(at(8), 0);
    assert_eq!((standing.status, standing.tier), (SubscriptionStatus::Active, Tier::Protocol));
    assert!(matches!(
        apply(&back, &SubscriptionAct::Reinstate, 8),
        Err(BillingError::Subscription { .. })
    ));
    let refunded = apply(&back, &SubscriptionAct::Refund { usdc_e6: 550 * USDC }, 9).unwrap();
    assert_eq!((refunded.0.kept_usdc_e6(), &refunded.1), (0, &back.1));
    let too_much = apply(&refunded, &SubscriptionAct::Refund { usdc_e6: 1 }, 9);
    assert!(matches!(too_much, Err(BillingError::Refund { left_usdc_e6: 0, .. })));
}

#[test]
fn rows_stand_as_they_are_pinned() {
    use superroot_account::row::encode;
    let text = |row: Vec<u8>| String::from_utf8(row).unwrap();
    let subscription = SubscriptionMoney { paid_usdc_e6: 5, refunded_usdc_e6: 2, step_count: 3 };
    let pinned = "\u{1}{\"paid_usdc_e6\":5,\"refunded_usdc_e6\":2,\"step_count\":3}";
    assert_eq!(text(encode(&subscription)), pinned);
    let period = Some(TierPeriod { tier: Tier::Builder, start: at(1), end: at(31) });
    let act = SubscriptionAct::Grant { tier: Tier::Builder, periods: 1 };
    let by = Some(Operator { who: "ana".into(), why: "trial".into() });
    let pinned = "\u{1}{\"at\":86400,\"act\":{\"grant\":{\"tier\":\"builder\",\"periods\":1}},\"by\":\
        {\"who\":\"ana\",\"why\":\"trial\"},\"period\":{\"tier\":\"builder\",\"start\":86400,\
        \"end\":2678400}}";
    assert_eq!(text(encode(&SubscriptionStep { at: at(1), act, by, period })), pinned);
    let pinned = format!(
        "\u{1}{{\"id\":{{\"chain\":8453,\"tx\":\"0x{}\",\"log_index\":0}},\"wallet\":\"0x{}\",\
         \"tier\":\"builder\",\"usdc_e6\":5,\"asset\":\"usdc\",\"paid_at\":86400,\"is_final\":true}}",
        "01".repeat(32),
        "07".repeat(20)
    );
    assert_eq!(text(encode(&payment(Tier::Builder, 5, 1))), pinned);
}

fn acts() -> impl Strategy<Value = Vec<(SubscriptionAct, u64)>> {
    let tier = prop_oneof![Just(Tier::Builder), Just(Tier::Protocol)];
    let price = |tier| if tier == Tier::Builder { 50 * USDC } else { 500 * USDC };
    let act = prop_oneof![
        4 => (tier.clone(), 0..40_u64, 0..3_u64).prop_map(move |(tier, late, off)| {
            SubscriptionAct::Payment(payment(tier, price(tier) + off / 2, late))
        }),
        2 => (tier, 0..4_u16).prop_map(|(tier, periods)| SubscriptionAct::Grant { tier, periods }),
        1 => (0..60_u64).prop_map(|usdc| SubscriptionAct::Refund { usdc_e6: usdc * USDC }),
        1 => Just(SubscriptionAct::Revoke),
        1 => Just(SubscriptionAct::Reinstate),
    ];
    prop::collection::vec((act, 0..40_u64), 0..24)
}

proptest! {
    /// Whatever happens when: periods of a tier never overlap, time is 30 days for each payment and
    /// granted period, money is what was paid, and where it stands is what steps and time make of it.
    #[test]
    fn a_subscription_is_a_pure_function_of_its_steps_and_the_time(acts in acts()) {
        let mut held = (SubscriptionMoney::default(), PaidTier::default());
        let (mut day, mut steps) = (40, Vec::new());
        let (mut periods, mut paid, mut refunded) = (0, 0, 0);
        for (act, later) in acts {
            day += later;
            let before = held.clone();
            match apply(&held, &act, day) {
                Ok(after) => {
                    match &act {
                        SubscriptionAct::Payment(payment) => (periods, paid) = (periods + 1, paid + payment.usdc_e6),
                        SubscriptionAct::Grant { periods: granted, .. } => periods += u64::from(*granted),
                        SubscriptionAct::Refund { usdc_e6 } => refunded += usdc_e6,
                        SubscriptionAct::Revoke | SubscriptionAct::Reinstate => {}
                    }
                    steps.push((act, day));
                    held = after;
                }
                Err(_) => prop_assert_eq!(&held, &before, "what is refused changes nothing"),
            }
            let seconds: u64 = held.1.periods.iter().map(|one| one.end.0 - one.start.0).sum();
            prop_assert_eq!(seconds, periods * 30 * DAY);
            prop_assert_eq!(held.0.paid_usdc_e6, paid);
            prop_assert_eq!(held.0.refunded_usdc_e6, refunded);
            prop_assert!(refunded <= paid);
            for tier in Tier::ALL {
                let of_tier: Vec<_> =
                    held.1.periods.iter().filter(|one| one.tier == tier).collect();
                prop_assert!(of_tier.windows(2).all(|pair| pair[0].end < pair[1].start));
            }
        }
        let mut again = (SubscriptionMoney::default(), PaidTier::default());
        for (act, day) in &steps {
            again = apply(&again, act, *day).unwrap();
        }
        prop_assert_eq!(&again, &held);
    }
}
