use superroot_account::{AccountError, Grid};

use super::*;
use crate::billing::Charge;
use crate::entry::EntryKind;

fn enterprise(limit_per_minute: u32, availability_e6: Option<u32>) -> AgreementTerms {
    AgreementTerms::Enterprise {
        limit_per_minute,
        grids: [Grid::G1, Grid::G4].into(),
        monthly_fee_usdc_e6: 2_000 * USDC,
        million_tokens_usdc_e6: 4 * USDC,
        free_tokens_per_month: 0,
        availability_e6,
    }
}

#[test]
fn the_last_agreement_that_has_begun_lifts_and_bills() {
    let world = world("2026-02");
    let (account, issued) = world.open();
    world.agree(account.id, enterprise(5_000, None), "2026-02").unwrap();
    world.agree(account.id, enterprise(900, None), "2026-04").unwrap();
    world.billing.end_agreement(account.id, month("2026-05"), &operator()).unwrap();
    let limit = || world.entitled(&issued).rights.limit_per_minute;
    let fee = |text: &str| world.billing.prices(account.id, month(text)).unwrap().fee.is_some();
    let mut seen = Vec::new();
    for text in ["2026-02", "2026-03", "2026-04", "2026-05", "2026-06"] {
        world.go_to(text);
        seen.push((limit(), fee(text)));
    }
    let expected = [(5_000, true), (5_000, true), (900, true), (900, true), (100, false)];
    assert_eq!(seen, expected);
    assert_eq!(world.acts(), ["agree", "agree", "agree"]);
    assert_eq!(world.billing.agreements(account.id).unwrap().len(), 3);
}

#[test]
fn terms_are_edited_until_their_first_month_is_over() {
    let world = world("2026-02");
    let (account, issued) = world.open();
    let agree = |terms, from: &str| world.agree(account.id, terms, from);
    let limit = || world.entitled(&issued).rights.limit_per_minute;
    let end = |last: &str| world.billing.end_agreement(account.id, month(last), &operator());
    let rows = world.rows();
    let refused = |done: Result<(), BillingError>, word: &str| {
        let error = done.unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    };
    refused(agree(enterprise(900, None), "2026-01"), "is over");
    refused(agree(enterprise(99, None), "2026-03"), "the limit");
    refused(end("2026-02"), "none is in force");
    assert_eq!(world.rows(), rows, "what is refused changes nothing");
    for minute in [5_000, 900] {
        agree(enterprise(minute, None), "2026-02").unwrap();
        assert_eq!(limit(), minute);
    }
    end("2026-01").unwrap();
    assert_eq!(limit(), 100, "it never was");
    agree(enterprise(800, None), "2026-02").unwrap();
    end("2026-03").unwrap();
    refused(end("2026-04"), "none is in force");
    agree(enterprise(700, None), "2026-04").unwrap();
    let terms: Vec<_> = world.billing.agreements(account.id).unwrap();
    let terms: Vec<_> = terms.iter().map(|one| (one.from.to_string(), &one.terms)).collect();
    let (february, april) = (enterprise(800, None), enterprise(700, None));
    assert_eq!(terms, [("2026-02".to_owned(), &february), ("2026-04".to_owned(), &april)]);
    world.go_to("2026-03");
    world.close_all();
    refused(agree(enterprise(600, None), "2026-02"), "is over");
    let billed = world.billing.invoice(account.id, month("2026-02")).unwrap().unwrap();
    assert_eq!(billed.sum_of(EntryKind::Fee), 2_000_000_000);
    let none = world.agree(AccountId::random(), enterprise(700, None), "2026-04");
    assert!(matches!(none, Err(BillingError::Account(AccountError::UnknownAccount { .. }))));
}

#[test]
fn an_integrator_bills_its_sub_accounts_and_keeps_its_part() {
    let world = world("2026-02");
    let (account, issued) = world.open();
    world.make_integrator(account.id, Interval::Monthly, 99);
    let (child, key) = world.open_below(account.id);
    world.count(child.id, key.key.id, 5);
    world.count(account.id, issued.key.id, 2);
    let charge = |usdc_e6: u64, reference: &str| {
        let (integrator, sub_account) = (account.id, child.id);
        let (reference, by) = (reference.to_owned(), operator());
        world.billing.charge(&Charge { integrator, sub_account, usdc_e6, reference, by })
    };
    assert_eq!(charge(10 * USDC + 1, "a").unwrap().share_usdc_e6, 7 * USDC + 1, "rounded up");
    assert!(charge(10 * USDC + 1, "a").unwrap().is_repeat);
    assert!(matches!(charge(11 * USDC, "a"), Err(BillingError::ReferenceDiffers { .. })));
    assert!(matches!(charge(0, "b"), Err(BillingError::Nothing { .. })));
    let (stranger, _) = world.open();
    let other = Charge {
        integrator: account.id,
        sub_account: stranger.id,
        usdc_e6: 5,
        reference: "c".into(),
        by: operator(),
    };
    assert!(matches!(world.billing.charge(&other), Err(BillingError::Agreement { .. })));
    assert!(world.agree(child.id, enterprise(900, None), "2026-03").is_err(), "a sub-account");
    world.go_to("2026-03");
    assert_eq!(world.close_all(), 2, "nothing is to be said of the stranger");
    let february = month("2026-02");
    let above = world.billing.invoice(account.id, february).unwrap().unwrap();
    assert_eq!((above.tokens(), above.total_usdc_e6), (7, 92_000_000 - 1));
    let below = world.billing.invoice(child.id, february).unwrap().unwrap();
    assert_eq!((below.tokens(), below.total_usdc_e6), (5, 10_000_001));
    assert_eq!(below.sum_of(EntryKind::Charge), 10_000_001);
    assert_eq!(world.billing.tokens_of(account.id, february).unwrap(), 7);
    assert_eq!(world.acts().iter().filter(|act| *act == "charge").count(), 1);
    world.billing.check().unwrap();
}

#[test]
fn a_promise_that_was_missed_is_owed_back_by_the_measure_and_at_most_the_fee() {
    let world = world("2026-02");
    let (account, _) = world.open();
    world.make_integrator(account.id, Interval::Yearly, 1_200);
    let february = month("2026-02");
    let start = february.start().0;
    for minute in 0..1_000_u64 {
        let at = UnixSeconds(start + minute * 60);
        world.billing.record_minute(at, minute % 500 != 0).unwrap();
    }
    assert_eq!(world.billing.availability(february).unwrap().part_e6(), Some(998_000));
    let owed_back =
        |account, text: &str| world.billing.availability_credit_usdc_e6(account, month(text));
    // a tenth of a twelfth of the year's fee
    assert_eq!(owed_back(account.id, "2026-02").unwrap(), Some(10 * USDC));
    assert_eq!(owed_back(account.id, "2026-03").unwrap(), Some(0), "nobody measured it");
    for minute in 0..10 {
        world
            .billing
            .record_minute(UnixSeconds(month("2026-03").start().0 + minute * 60), false)
            .unwrap();
    }
    // a month of a yearly fee without an invoice
    assert_eq!(owed_back(account.id, "2026-03").unwrap(), Some(100 * USDC));
    let (stranger, _) = world.open();
    assert_eq!(owed_back(stranger.id, "2026-02").unwrap(), None, "nothing was promised");
    world.agree(stranger.id, enterprise(900, Some(999_000)), "2026-02").unwrap();
    assert_eq!(owed_back(stranger.id, "2026-02").unwrap(), Some(200 * USDC));
}

#[test]
fn minutes_count_once_and_a_gap_counts_as_down() {
    let world = world("2026-02");
    let at = |minute: u64| UnixSeconds(month("2026-02").start().0 + minute * 60);
    let seen = |text: &str| {
        let held = world.billing.availability(month(text)).unwrap();
        (held.up_minutes, held.measured_minutes)
    };
    assert_eq!(world.billing.record_gap(at(5)).unwrap(), 0, "nothing was ever measured");
    for (minute, is_up) in [(0, true), (0, false), (1, true), (0, true), (3, false)] {
        world.billing.record_minute(at(minute), is_up).unwrap();
    }
    assert_eq!(seen("2026-02"), (2, 3));
    let march = month("2026-03").start();
    let left = (march.0 / 60) - (at(3).0 / 60) - 1;
    assert_eq!(world.billing.record_gap(UnixSeconds(march.0 + 120)).unwrap(), left + 2);
    assert_eq!(seen("2026-02"), (2, 3 + left));
    assert_eq!(seen("2026-03"), (0, 2));
    assert_eq!(world.billing.record_gap(UnixSeconds(march.0 + 120)).unwrap(), 0);
}
