use std::sync::Arc;

use proptest::prelude::*;
use superroot_store::{MemoryStore, Store};

use super::*;
use crate::journal::Book;
use crate::money::USDC;
use crate::{BilledUsage, Environment, LineKind};

const INTEGRATOR: AccountId = AccountId(uuid::Uuid::from_bytes([1; 16]));
const CHILD: AccountId = AccountId(uuid::Uuid::from_bytes([2; 16]));

fn month() -> Month {
    "2026-02".parse().unwrap()
}

fn commerce() -> (Arc<MemoryStore>, Commerce) {
    let store = Arc::new(MemoryStore::new());
    (store.clone(), Commerce::new(store, Environment::Live))
}

fn agreement(account: AccountId, terms: Terms) -> Agreement {
    Agreement {
        account,
        terms,
        from: "2026-01".parse().unwrap(),
        until: None,
        by: Operator { who: "ops".into(), why: "contract 7".into() },
        entered_at: UnixSeconds(0),
    }
}

fn monthly(fee: u64) -> Terms {
    Terms::Integrator { interval: Interval::Monthly, fee_usdc_e6: fee * USDC, tier: Tier::Builder }
}

fn yearly(fee: u64) -> Terms {
    Terms::Integrator { interval: Interval::Yearly, fee_usdc_e6: fee * USDC, tier: Tier::Builder }
}

fn enterprise() -> Terms {
    Terms::Enterprise {
        limit_per_minute: 50_000,
        grids: [Grid::G1, Grid::G4].into(),
        monthly_fee_usdc_e6: 2_000 * USDC,
        million_tokens_usdc_e6: 4 * USDC,
        free_tokens_per_month: 5_000_000,
        availability_e6: Some(999_900),
    }
}

fn charge(usdc_e6: u64, reference: &str) -> Charge {
    let (at, reference) = (month().start(), reference.into());
    let by = Operator { who: "ana".into(), why: "told by the integrator".into() };
    Charge { integrator: INTEGRATOR, sub_account: CHILD, usdc_e6, at, reference, by }
}

fn of(account: AccountId, tokens: u64) -> MonthOfAccount {
    let used = BilledUsage {
        route: crate::route("/signals/arb").unwrap().number,
        chain: None,
        requests: tokens,
        tokens,
    };
    let (usage, bought) = (vec![used], vec![]);
    MonthOfAccount { account, month: month(), billed_to: "Somebody".into(), usage, bought }
}

/// An integrator with one sub-account.
fn with_child() -> (Arc<MemoryStore>, Commerce, Plans) {
    let (store, commerce) = commerce();
    let plans = Plans::default();
    commerce.agree(&agreement(INTEGRATOR, monthly(99)), &plans).unwrap();
    commerce.add_sub_account(INTEGRATOR, CHILD, month(), &plans).unwrap();
    (store, commerce, plans)
}

#[test]
fn an_agreement_outside_the_plans_is_refused() {
    let (store, commerce) = commerce();
    let plans = Plans::default();
    let mut ends_first = agreement(INTEGRATOR, monthly(99));
    ends_first.until = Some("2025-12".parse().unwrap());
    let mut nobody = agreement(INTEGRATOR, monthly(99));
    nobody.by.who = String::new();
    let bend = |bend: fn(&mut Terms)| {
        let mut terms = enterprise();
        bend(&mut terms);
        agreement(INTEGRATOR, terms)
    };
    let refused = [
        agreement(INTEGRATOR, monthly(98)),
        agreement(INTEGRATOR, monthly(1_000)),
        agreement(INTEGRATOR, yearly(998)),
        ends_first,
        nobody,
        bend(|terms| {
            if let Terms::Enterprise { limit_per_minute, .. } = terms {
                *limit_per_minute = 0;
            }
        }),
        bend(|terms| {
            if let Terms::Enterprise { grids, .. } = terms {
                grids.clear();
            }
        }),
        bend(|terms| {
            if let Terms::Enterprise { availability_e6, .. } = terms {
                *availability_e6 = Some(1_000_001);
            }
        }),
    ];
    for agreement in refused {
        assert!(commerce.agree(&agreement, &plans).is_err(), "{agreement:?}");
    }
    assert_eq!(store.commit_count(), 0);
    let held = commerce.agree(&agreement(INTEGRATOR, enterprise()), &plans).unwrap();
    assert_eq!(commerce.agreements(INTEGRATOR).unwrap().newest(), Some(&held.entered));
    assert_eq!(held.entered.limit_per_minute(&plans), 50_000);
    assert_eq!(agreement(INTEGRATOR, monthly(99)).limit_per_minute(&plans), 5_000);
}

#[test]
fn a_sub_account_has_one_integrator_and_none_of_its_own() {
    let (_, commerce, plans) = with_child();
    commerce.add_sub_account(INTEGRATOR, CHILD, month(), &plans).unwrap();
    assert_eq!(commerce.agreements(INTEGRATOR).unwrap().sub_account_count(), 1);
    let [other, third] = [3, 4].map(|byte| AccountId(uuid::Uuid::from_bytes([byte; 16])));
    commerce.agree(&agreement(other, monthly(99)), &plans).unwrap();
    for (integrator, child) in
        [(other, CHILD), (other, INTEGRATOR), (other, other), (third, AccountId::random())]
    {
        let error = commerce.add_sub_account(integrator, child, month(), &plans).unwrap_err();
        assert!(matches!(error, AccountError::Agreement { .. }), "{error}");
    }
    assert!(commerce.agree(&agreement(CHILD, monthly(99)), &plans).is_err());
    assert!(commerce.agree(&agreement(INTEGRATOR, enterprise()), &plans).is_err());
    commerce.agree(&agreement(INTEGRATOR, monthly(199)), &plans).unwrap();
    assert_eq!(commerce.agreements(INTEGRATOR).unwrap().sub_account_count(), 1);
    commerce.add_sub_account(INTEGRATOR, third, month(), &plans).unwrap();
    assert_eq!(commerce.sub_accounts(INTEGRATOR, None, 10).unwrap(), [CHILD, third]);
    assert_eq!(commerce.sub_accounts(INTEGRATOR, Some(CHILD), 10).unwrap(), [third]);
    assert_eq!(commerce.integrator_of(third).unwrap(), Some(INTEGRATOR));
    assert_eq!(commerce.integrator_of(other).unwrap(), None);
}

#[test]
fn no_integrator_has_more_sub_accounts_than_the_plans_allow() {
    let (_, commerce, mut plans) = with_child();
    plans.integrator.sub_accounts_max = 2;
    commerce.add_sub_account(INTEGRATOR, AccountId::random(), month(), &plans).unwrap();
    let error =
        commerce.add_sub_account(INTEGRATOR, AccountId::random(), month(), &plans).unwrap_err();
    assert!(matches!(error, AccountError::Full { expected: 2, .. }), "{error}");
}

#[test]
fn a_charge_is_parted_seventy_to_thirty_once() {
    let (store, commerce, plans) = with_child();
    for _ in 0..2 {
        let later = Charge { at: UnixSeconds(month().start().0 + 60), ..charge(100 * USDC, "a") };
        let charged = [charge(100 * USDC, "a"), later].map(|one| commerce.charge(&one, &plans));
        let shares = charged.map(|charged| charged.unwrap().share_usdc_e6);
        assert_eq!(shares, [70 * USDC; 2], "told again, at another time");
    }
    let acts = crate::audit::list(&*store, 0, 10).unwrap();
    let charges: Vec<_> = acts.iter().filter(|act| act.what == "charge").collect();
    assert_eq!(charges.len(), 1, "what changed nothing is no act");
    let expected = format!("integrator {INTEGRATOR} charges {CHILD} 100.000000 USDC, a");
    assert_eq!(charges[0].subject, expected);
    let sum = commerce.share_of(INTEGRATOR, month()).unwrap();
    let expected = ShareOfMonth { charged_usdc_e6: 100 * USDC, share_usdc_e6: 70 * USDC };
    assert_eq!(sum, expected);
    let net = |book| commerce.journal().balance(&book).unwrap().net_usdc_e6();
    assert_eq!(net(Book::Receivable(CHILD)), 100_000_000);
    assert_eq!(net(Book::RevenueShare(INTEGRATOR)), -70_000_000);
    assert_eq!(net(Book::Revenue), -30_000_000);
    assert!(commerce.charge(&charge(1, "a"), &plans).is_err());
    assert!(commerce.charge(&charge(0, "b"), &plans).is_err());
    let stranger = Charge { sub_account: AccountId::random(), ..charge(1, "c") };
    assert!(commerce.charge(&stranger, &plans).is_err());
    let before = Charge { at: UnixSeconds(1_700_000_000), ..charge(1, "d") };
    assert!(commerce.charge(&before, &plans).is_err());
}

#[test]
fn an_integrators_month_is_its_fee_less_its_share_and_the_credit_for_outages() {
    let (_, commerce, plans) = with_child();
    commerce.charge(&charge(100 * USDC, "a"), &plans).unwrap();
    let start = month().start().0;
    for minute in 0..1_000 {
        commerce.record_minute(UnixSeconds(start + minute * 60), minute >= 2).unwrap();
    }
    let invoice =
        commerce.close_month(&of(INTEGRATOR, 7_000_000), month().end(), &plans, None).unwrap();
    let lines: Vec<_> = invoice.lines.iter().map(|l| (l.kind, l.amount_usdc_e6)).collect();
    assert_eq!(
        lines,
        [
            (LineKind::Usage, 0),
            (LineKind::Fee, 99_000_000),
            (LineKind::RevenueShare, -70_000_000),
            (LineKind::AvailabilityCredit, -9_900_000),
        ]
    );
    let net = |book| commerce.journal().balance(&book).unwrap().net_usdc_e6();
    assert_eq!(net(Book::Receivable(INTEGRATOR)), i128::from(invoice.total_usdc_e6));
    assert_eq!(net(Book::RevenueShare(INTEGRATOR)), 0);
    let error = commerce.charge(&charge(1, "late"), &plans).unwrap_err();
    assert!(matches!(error, AccountError::Month { why: "is closed", .. }), "{error}");
    assert!(commerce.charge(&charge(100 * USDC, "a"), &plans).unwrap().is_repeat);
    commerce.journal().verify().unwrap();
}

#[test]
fn a_yearly_fee_is_due_in_the_month_the_agreement_began() {
    let plans = Plans::default();
    let agreement = agreement(INTEGRATOR, yearly(999));
    let left = FeeLeft { kept_usdc_e6: 999 * USDC, credited_usdc_e6: 0, months: 12 };
    let down = Availability { measured_minutes: 10, up_minutes: 0, last_minute: 0 };
    let charges = |text: &str, measured: &Availability| {
        agreement.charges(text.parse().unwrap(), measured, 0, &left, &plans).unwrap()
    };
    let fees = ["2026-01", "2026-02", "2026-12", "2027-01"]
        .map(|text| charges(text, &Availability::default()).fee.is_some());
    assert_eq!(fees, [true, false, false, true]);
    assert_eq!(charges("2026-02", &down).availability_credit_usdc_e6, 999 * USDC / 12);
}

#[test]
fn an_enterprise_pays_its_own_prices_and_others_are_metered() {
    let (_, commerce) = commerce();
    let plans = Plans::default();
    commerce.agree(&agreement(INTEGRATOR, enterprise()), &plans).unwrap();
    let bill = commerce.bill(&of(INTEGRATOR, 6_000_000), &plans).unwrap();
    let invoice = bill.draft(Environment::Live, month().end()).unwrap();
    assert_eq!(invoice.total_usdc_e6, 2_004_000_000);
    let early = MonthOfAccount { month: "2025-12".parse().unwrap(), ..of(INTEGRATOR, 0) };
    for metered in [early, of(CHILD, 0)] {
        let bill = commerce.bill(&metered, &plans).unwrap();
        assert_eq!(bill.charges, Charges::metered(&plans.pay_as_you_go));
    }
}

#[test]
fn a_minute_is_measured_once_and_months_are_apart() {
    let (store, commerce) = commerce();
    let start = month().start();
    for (second, is_up) in [(0, true), (59, false), (60, false), (61, true), (0, false)] {
        commerce.record_minute(UnixSeconds(start.0 + second), is_up).unwrap();
    }
    commerce.record_minute(UnixSeconds(start.0 - 1), false).unwrap();
    let measured = commerce.availability(month()).unwrap();
    assert_eq!((measured.measured_minutes, measured.up_minutes), (2, 1));
    assert_eq!(measured.part_e6(), Some(500_000));
    assert_eq!(commerce.availability("2026-01".parse().unwrap()).unwrap().measured_minutes, 1);
    let other = Commerce::new(store, Environment::Test);
    assert_eq!(other.availability(month()).unwrap(), Availability::default());
    assert!(commerce.record_minute(UnixSeconds(u64::MAX), true).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The parts of charges are the charges, by month row and by ledger, at any percentage.
    #[test]
    fn the_parts_of_charges_are_the_charges(
        amounts in proptest::collection::vec(1..u64::from(u32::MAX), 1..20),
        percent in 0..=100_u8,
    ) {
        let (_, commerce, mut plans) = with_child();
        plans.integrator.revenue_share_percent = percent;
        let mut shares = 0;
        for (number, amount) in amounts.iter().enumerate() {
            let charged = commerce.charge(&charge(*amount, &number.to_string()), &plans).unwrap();
            let share = charged.share_usdc_e6;
            let exact = u128::from(*amount) * u128::from(percent);
            prop_assert!(u128::from(share) * 100 >= exact && u128::from(share) * 100 < exact + 100);
            shares += share;
        }
        let sum = commerce.share_of(INTEGRATOR, month()).unwrap();
        prop_assert_eq!((sum.charged_usdc_e6, sum.share_usdc_e6), (amounts.iter().sum(), shares));
        let net = |book| commerce.journal().balance(&book).unwrap().net_usdc_e6();
        prop_assert_eq!(net(Book::RevenueShare(INTEGRATOR)), -i128::from(shares));
        let owed = net(Book::Receivable(CHILD));
        prop_assert_eq!(owed, i128::from(sum.charged_usdc_e6));
        prop_assert_eq!(owed + net(Book::RevenueShare(INTEGRATOR)) + net(Book::Revenue), 0);
        commerce.journal().verify().unwrap();
    }
}

/// Who agreed what stands in the audit log by the commit of the agreement itself.
#[test]
fn an_agreement_is_in_the_audit_log() {
    let (store, commerce) = commerce();
    let plans = Plans::default();
    commerce.agree(&agreement(INTEGRATOR, monthly(99)), &plans).unwrap();
    commerce.agree(&agreement(CHILD, enterprise()), &plans).unwrap();
    assert!(commerce.agree(&agreement(CHILD, monthly(1)), &plans).is_err());
    let acts = crate::audit::list(&*store, 0, 10).unwrap();
    assert_eq!(acts.len(), 2, "what was refused was not done");
    assert_eq!(
        (&acts[0].what[..], &acts[0].who[..], &acts[0].why[..]),
        ("agree", "ops", "contract 7")
    );
    assert!(acts[0].subject.contains("integrator monthly 99.000000 USDC, from 2026-01 open"));
    assert!(acts[1].subject.contains("enterprise 50000 a minute"), "{}", acts[1].subject);
    let is_debug = |act: &crate::Act| act.subject.contains(['{', '(', '[']);
    assert!(!acts.iter().any(is_debug), "words, not what Rust prints: {acts:?}");
    let percents = [1_000_000, 999_000, 999_990, 5, 0].map(percent_text);
    assert_eq!(
        percents,
        ["100%", "99.9%", "99.999%", "0.0005%", "0%"].map(|it| format!("{it} available"))
    );
}

/// Minutes in which nobody ran count as down, over the ends of months too.
#[test]
fn minutes_that_nobody_measured_between_two_that_were_are_down() {
    let (_, commerce) = commerce();
    let at = |minutes: u64| UnixSeconds(month().end().0 - 600 + minutes * 60);
    assert_eq!(commerce.record_gap(at(0)).unwrap(), 0, "nothing was ever measured");
    commerce.record_minute(at(0), true).unwrap();
    assert_eq!(commerce.record_gap(at(0)).unwrap(), 0);
    assert_eq!(commerce.record_gap(at(1)).unwrap(), 0);
    assert_eq!(commerce.record_gap(at(3)).unwrap(), 2);
    assert_eq!(commerce.record_gap(at(3)).unwrap(), 0, "each minute counts once");
    commerce.record_minute(at(3), true).unwrap();
    assert_eq!(commerce.record_gap(at(15)).unwrap(), 11);
    commerce.record_minute(at(15), true).unwrap();
    let february = commerce.availability(month()).unwrap();
    assert_eq!((february.measured_minutes, february.up_minutes), (10, 2));
    let march = commerce.availability(month().next()).unwrap();
    assert_eq!((march.measured_minutes, march.up_minutes), (6, 1));
    assert_eq!(commerce.record_gap(UnixSeconds(at(0).0 + 3 * 366 * 86_400)).unwrap(), 0);
}

mod charges;
