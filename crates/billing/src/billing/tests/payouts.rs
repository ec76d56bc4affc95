use super::*;
use crate::billing::Charge;
use crate::entry::EntryKind;
use crate::subscription::SubscriptionAct;

/// An integrator whose part of its charges is above its fee is paid the difference, and no more.
#[test]
fn at_most_what_the_service_owes_is_paid_out_and_squares_the_account() {
    let world = world("2026-02");
    let (integrator, _) = world.open();
    world.make_integrator(integrator.id, Interval::Monthly, 99);
    let (below, _) = world.open_below(integrator.id);
    let charge = Charge {
        integrator: integrator.id,
        sub_account: below.id,
        usdc_e6: 200 * USDC,
        reference: "seats".into(),
        by: operator(),
    };
    world.billing.charge(&charge).unwrap();
    world.go_to("2026-03");
    world.close_all();
    assert_eq!(world.owes_usdc(integrator.id), 99 - 140);
    let pay_out = |usdc, reference: &str| {
        world.billing.pay_out(&world.receipt(integrator.id, usdc, reference))
    };
    let rows = world.rows();
    let refused = pay_out(42, "wire-9").unwrap_err();
    assert!(matches!(refused, BillingError::PaidOut { .. }), "{refused}");
    assert!(refused.to_string().contains("at most 41.000000 USDC"), "{refused}");
    assert!(matches!(
        world.billing.pay_out(&world.receipt(below.id, 1, "wire-9")),
        Err(BillingError::PaidOut { owed_usdc_e6: 0, .. })
    ));
    assert_eq!(world.rows(), rows, "what is refused changes nothing");
    let (entry, is_repeat) = pay_out(41, "wire-9").unwrap();
    assert_eq!((entry.moved.kind, is_repeat), (EntryKind::PaidOut, false));
    assert_eq!(pay_out(41, "wire-9").unwrap(), (entry, true));
    assert!(matches!(pay_out(40, "wire-9"), Err(BillingError::ReferenceDiffers { .. })));
    assert_eq!(world.owes_usdc(integrator.id), 0);
    assert_eq!(world.acts().iter().filter(|act| *act == "enter_payout").count(), 1);
    let march = world.billing.invoice_or_draft(integrator.id, month("2026-03")).unwrap();
    assert_eq!(march.sum_of(EntryKind::PaidOut), 41_000_000);
    world.billing.check().unwrap();
}

/// 990 for 99: the receipt is taken back in full, once, and its reference is used up.
#[test]
fn a_receipt_that_was_a_mistake_is_taken_back_once() {
    let world = world("2026-02");
    let (account, _) = world.open();
    world.make_integrator(account.id, Interval::Monthly, 99);
    world.go_to("2026-03");
    world.close_all();
    let receive =
        |usdc, reference: &str| world.billing.receive(&world.receipt(account.id, usdc, reference));
    let (wrong, _) = receive(990, "wire-7").unwrap();
    let take_back =
        |number| world.billing.take_back(account.id, (month("2026-03"), number), &operator());
    world.go_to("2026-04"); // also where its month is closed
    world.close_all();
    let (back, is_repeat) = take_back(wrong.number).unwrap();
    assert_eq!((back.moved.kind, back.moved.usdc_e6), (EntryKind::Reversal, 990_000_000));
    assert_eq!((back.month, is_repeat), (month("2026-04"), false));
    assert_eq!(take_back(wrong.number).unwrap(), (back.clone(), true));
    let used_up = receive(990, "wire-7").unwrap_err();
    assert!(matches!(used_up, BillingError::TakenBack { .. }), "{used_up}");
    receive(99, "wire-7, corrected").unwrap();
    assert_eq!(world.owes_usdc(account.id), 99, "March's fee is left");
    let of_reversal = world.billing.take_back(account.id, (back.month, back.number), &operator());
    assert!(matches!(of_reversal, Err(BillingError::NotTakenBack { .. })), "{of_reversal:?}");
    assert!(matches!(take_back(9), Err(BillingError::NoEntry { .. })));
    let fee = world.billing.take_back(account.id, (month("2026-02"), 0), &operator()).unwrap_err();
    assert!(fee.to_string().contains("invoice credit"), "{fee}");
    assert_eq!(world.acts().iter().filter(|act| *act == "take_back_entry").count(), 1);
    world.billing.check().unwrap();
}

/// A payout or credit entered by mistake goes back the same way; a payment on a chain and its refund do not: they were
/// made.
#[test]
fn payouts_and_credits_are_taken_back_and_entries_of_subscriptions_are_not() {
    let world = world("2026-02");
    let (account, _) = world.open();
    world.billing.receive(&world.receipt(account.id, 50, "wire-1")).unwrap();
    let (out, _) = world.billing.pay_out(&world.receipt(account.id, 50, "wire-2")).unwrap();
    assert_eq!(world.owes_usdc(account.id), 0);
    let february = month("2026-02");
    let (back, _) =
        world.billing.take_back(account.id, (february, out.number), &operator()).unwrap();
    assert_eq!((back.moved.usdc_e6, world.owes_usdc(account.id)), (-50_000_000, -50));
    let paid = payment(1, Address([9; 20]), Tier::Builder, world.billing.now());
    let payer = Payer::Account(account.id);
    for act in [SubscriptionAct::Payment(paid), SubscriptionAct::Refund { usdc_e6: 20 * USDC }] {
        world.billing.apply_for_test(&payer, &act).unwrap();
    }
    let entries = world.billing.entries(account.id, None, 10).unwrap();
    for kind in [EntryKind::Paid, EntryKind::CreditNote] {
        let entry = entries.iter().rfind(|entry| entry.moved.kind == kind).unwrap();
        let refused = world.billing.take_back(account.id, (february, entry.number), &operator());
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("a subscription's"), "{refused}");
    }
    let (credit, _) = world.billing.credit(&world.receipt(account.id, 9, "typo")).unwrap();
    assert_eq!((credit.moved.text.as_str(), world.owes_usdc(account.id)), ("contract 7", -59));
    world.billing.take_back(account.id, (february, credit.number), &operator()).unwrap();
    assert_eq!(world.owes_usdc(account.id), -50);
    world.billing.check().unwrap();
}
