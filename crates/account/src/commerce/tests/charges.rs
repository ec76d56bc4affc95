//! Charges of sub-accounts, while others write.

use super::*;
use crate::CHARGES_PER_MONTH_MAX;
use crate::interrupted::Interrupted;

/// A charge that comes while the month is closed is on the invoice, or refused.
#[test]
fn no_charge_slips_in_between_a_bill_and_its_invoice() {
    let mut refused = 0;
    for at_read in 1..30 {
        let (store, commerce, plans) = with_child();
        commerce.charge(&charge(USDC, "first"), &plans).unwrap();
        let (other, bounds) = (commerce.clone(), plans.clone());
        let between = move |read| {
            if read == at_read {
                let _ = other.charge(&charge(10 * USDC, "between"), &bounds);
            }
        };
        let closer = Commerce::new(Arc::new(Interrupted::new(store, between)), Environment::Live);
        let closed = closer.close_month(&of(CHILD, 3), month().end(), &plans, None).unwrap();
        let owed = commerce.journal().balance(&Book::Receivable(CHILD)).unwrap().net_usdc_e6();
        assert_eq!(i128::from(closed.total_usdc_e6), owed, "read {at_read}");
        refused += u32::from(commerce.charge(&charge(10 * USDC, "between"), &plans).is_err());
    }
    assert!((1..29).contains(&refused), "{refused}: some came in time, some did not");
}

/// An invoice of the integrator that is closed closes the month for charges too, and the other way.
#[test]
fn a_month_closed_for_one_of_both_takes_no_charge() {
    for closed in [INTEGRATOR, CHILD] {
        let (_, commerce, plans) = with_child();
        commerce.charge(&charge(1, "a"), &plans).unwrap();
        commerce.close_month(&of(closed, 1), month().end(), &plans, None).unwrap();
        let late = commerce.charge(&charge(1, "late"), &plans).unwrap_err();
        assert!(matches!(late, AccountError::Month { why: "is closed", .. }), "{late}");
        assert!(commerce.charge(&charge(1, "a"), &plans).unwrap().is_repeat);
        assert_eq!(commerce.charges_of(CHILD, month()).unwrap().len(), 1);
    }
}

#[test]
fn charges_of_a_month_are_listed_in_order_and_bounded() {
    let (store, commerce, plans) = with_child();
    for number in 0..CHARGES_PER_MONTH_MAX {
        commerce.charge(&charge(1, &number.to_string()), &plans).unwrap();
    }
    let commits = store.commit_count();
    let full = commerce.charge(&charge(1, "more"), &plans).unwrap_err();
    assert!(matches!(full, AccountError::Full { expected: 1_000, .. }), "{full}");
    assert_eq!(store.commit_count(), commits);
    let listed = commerce.charges_of(CHILD, month()).unwrap();
    let references: Vec<_> = listed.iter().map(|one| one.reference.clone()).collect();
    let expected: Vec<_> = (0..CHARGES_PER_MONTH_MAX).map(|number| number.to_string()).collect();
    assert_eq!(references, expected);
    let at = month().next().start();
    commerce.charge(&Charge { at, ..charge(1, "more") }, &plans).unwrap();
    assert_eq!(commerce.charges_of(CHILD, month().next()).unwrap().len(), 1);
    let closed = commerce.close_month(&of(CHILD, 1), month().end(), &plans, None).unwrap();
    assert_eq!(closed.total_usdc_e6, i64::from(CHARGES_PER_MONTH_MAX));
}

/// The agreement that lets an account open others is the one that stands when it is written.
#[test]
fn a_sub_account_is_added_only_while_the_agreement_holds() {
    let other = AccountId(uuid::Uuid::from_bytes([3; 16]));
    let by = agreement(INTEGRATOR, monthly(99)).by;
    for at_read in 1..=4 {
        let (store, commerce, plans) = with_child();
        let (changer, by) = (commerce.clone(), by.clone());
        let between = move |read| {
            if read == at_read {
                let last = "2026-01".parse().unwrap();
                changer.end_agreements(INTEGRATOR, last, &by, month().start()).unwrap();
            }
        };
        let adder = Commerce::new(Arc::new(Interrupted::new(store, between)), Environment::Live);
        let refused = adder.add_sub_account(INTEGRATOR, other, month(), &plans);
        let tied = commerce.integrator_of(other).unwrap();
        let has_ended = commerce.agreement_in(INTEGRATOR, month()).unwrap().is_none();
        assert_eq!(refused.is_err(), tied.is_none(), "read {at_read}");
        assert_eq!(refused.is_err(), has_ended, "read {at_read}");
    }
    let (_, commerce, plans) = with_child();
    let before = "2025-12".parse().unwrap();
    let early = commerce.add_sub_account(INTEGRATOR, other, before, &plans).unwrap_err();
    assert!(early.to_string().contains("does not hold"), "{early}");
    commerce.add_sub_account(INTEGRATOR, CHILD, before, &plans).unwrap(); // it is one
}

/// The log of acts takes the longest agreement that there is.
#[test]
fn the_longest_agreement_finds_room_in_the_log() {
    let (_, commerce) = commerce();
    let plans = Plans::default();
    let mut longest = enterprise();
    if let Terms::Enterprise {
        limit_per_minute,
        grids,
        monthly_fee_usdc_e6,
        million_tokens_usdc_e6,
        free_tokens_per_month,
        availability_e6,
    } = &mut longest
    {
        *limit_per_minute = plans.enterprise.limit_per_minute_max;
        *grids = Grid::ALL.into();
        (*monthly_fee_usdc_e6, *million_tokens_usdc_e6) = (u64::MAX, u64::MAX);
        (*free_tokens_per_month, *availability_e6) = (u64::MAX, None);
    }
    for until in ["9998-11", "9998-12"] {
        let until = Some(until.parse().unwrap());
        let longest = Agreement { until, ..agreement(CHILD, longest.clone()) };
        commerce.agree(&longest, &plans).unwrap();
    }
}
