use proptest::prelude::*;
use superroot_types::{Address, ChainId, Hash};

use super::*;
use crate::money::USDC;
use crate::subscription::Asset;
use crate::{PaymentId, SubscriptionTerms};

const DAY: u64 = 86_400;
const START: u64 = 1_700_000_000;
const WALLET: Address = Address([7; 20]);
const BUILDER: u64 = 50 * USDC;
const PROTOCOL: u64 = 500 * USDC;

fn payment(number: u8, tier: Tier, usdc_e6: u64, paid_at: u64) -> Payment {
    Payment {
        id: PaymentId { chain: ChainId(8453), tx: Hash([number; 32]), log_index: 0 },
        wallet: WALLET,
        tier,
        usdc_e6,
        asset: Asset::Usdc,
        paid_at: UnixSeconds(paid_at),
        is_final: true,
    }
}

fn operator() -> Operator {
    Operator { who: "ops".into(), why: "asked for".into() }
}

/// A subscription with a calendar: days since it began, and the steps it took.
struct Story {
    subscription: Subscription,
    steps: Vec<Transition>,
    plans: Plans,
    payments: u8,
}

impl Story {
    fn new() -> Self {
        let subscription = Subscription::none(Subscriber::Wallet(WALLET));
        Self { subscription, steps: vec![], plans: Plans::default(), payments: 0 }
    }

    fn on(&mut self, day: u64, event: Event) -> Result<(), AccountError> {
        let now = UnixSeconds(START + day * DAY);
        let (next, steps) = apply(&self.subscription, &event, now, &self.plans)?;
        self.subscription = next;
        self.steps.extend(steps);
        Ok(())
    }

    fn pays(&mut self, day: u64, tier: Tier, usdc_e6: u64) -> &mut Self {
        self.payments += 1;
        let payment = payment(self.payments, tier, usdc_e6, START + day * DAY);
        self.on(day, Event::Payment(payment)).unwrap();
        self
    }

    fn does(&mut self, day: u64, event: Event) -> &mut Self {
        self.on(day, event).unwrap();
        self
    }

    fn status(&self, day: u64) -> Status {
        let now = UnixSeconds(START + day * DAY);
        self.subscription.status_at(now, &self.plans.subscription)
    }

    fn tier(&self, day: u64) -> Tier {
        let now = UnixSeconds(START + day * DAY);
        self.subscription.standing_at(now, &self.plans.subscription).tier
    }

    /// Days from the start to the end of what is paid, and the seconds beyond.
    fn expires(&self) -> (u64, u64) {
        let seconds = self.subscription.expires_at().unwrap().0 - START;
        (seconds / DAY, seconds % DAY)
    }

    fn reasons(&self) -> Vec<Reason> {
        self.steps.iter().map(|step| step.reason).collect()
    }
}

#[test]
fn a_payment_of_the_price_gives_thirty_days_to_the_second() {
    let mut story = Story::new();
    assert_eq!(story.status(0), Status::None);
    assert_eq!(story.subscription.expires_at(), None);
    story.pays(0, Tier::Builder, BUILDER);
    let end = START + 30 * DAY;
    let at = |now| story.subscription.standing_at(UnixSeconds(now), &story.plans.subscription);
    assert_eq!((at(end - 1).status, at(end - 1).tier), (Status::Active, Tier::Builder));
    assert_eq!(at(end - 1).changes_at, Some(UnixSeconds(end)));
    assert_eq!((at(end).status, at(end).tier), (Status::Grace, Tier::Builder));
    assert_eq!(at(end + 3 * DAY - 1).status, Status::Grace);
    assert_eq!(
        (at(end + 3 * DAY).status, at(end + 3 * DAY).tier),
        (Status::Expired, Tier::Explorer)
    );
    assert_eq!(at(end + 3 * DAY).changes_at, None);
    assert_eq!(at(u64::MAX).expires_at, Some(UnixSeconds(end)));
    assert_eq!(story.subscription.paid_usdc_e6, BUILDER);
    assert_eq!(story.subscription.credit_usdc_e6, 0);
}

#[test]
fn time_alone_is_written_down_at_the_second_it_took_effect() {
    let mut story = Story::new();
    story.pays(0, Tier::Builder, BUILDER).does(100, Event::Time);
    let end = START + 30 * DAY;
    let steps: Vec<_> = story.steps.iter().map(|s| (s.from, s.to, s.at.0, s.reason)).collect();
    assert_eq!(
        steps,
        [
            (Status::None, Status::Active, START, Reason::Activated),
            (Status::Active, Status::Grace, end, Reason::PeriodEnded),
            (Status::Grace, Status::Expired, end + 3 * DAY, Reason::GraceEnded),
        ]
    );
    assert_eq!(story.subscription.transition_count, 3);
    story.does(101, Event::Time);
    assert_eq!(story.steps.len(), 3);
}

#[test]
fn a_renewal_before_expiry_stacks() {
    let mut story = Story::new();
    story.pays(0, Tier::Builder, BUILDER).pays(29, Tier::Builder, BUILDER);
    assert_eq!(story.expires(), (60, 0));
    story.pays(29, Tier::Builder, BUILDER);
    assert_eq!(story.expires(), (90, 0));
    assert_eq!(story.reasons(), [Reason::Activated, Reason::Renewed, Reason::Renewed]);
}

#[test]
fn a_payment_in_grace_continues_from_the_old_expiry_and_after_it_from_the_payment() {
    let mut story = Story::new();
    story.pays(0, Tier::Builder, BUILDER).pays(32, Tier::Builder, BUILDER);
    assert_eq!(story.expires(), (60, 0));
    assert_eq!(story.reasons()[1..], [Reason::PeriodEnded, Reason::Renewed]);
    story.pays(63, Tier::Builder, BUILDER);
    assert_eq!(story.expires(), (93, 0));
    assert_eq!(story.steps.last().unwrap().from, Status::Expired);
    assert_eq!(story.subscription.periods.len(), 1);
}

#[test]
fn a_higher_tier_in_grace_begins_with_its_payment() {
    let mut story = Story::new();
    story.pays(0, Tier::Builder, BUILDER).pays(32, Tier::Protocol, PROTOCOL);
    assert_eq!((story.expires(), story.tier(33)), ((62, 0), Tier::Protocol));
    assert_eq!(story.subscription.credit_usdc_e6, 0);
}

#[test]
fn a_payment_made_in_grace_and_seen_after_it_counts_as_in_grace() {
    let mut story = Story::new();
    story.pays(0, Tier::Builder, BUILDER).does(33, Event::Time);
    assert_eq!(story.subscription.status, Status::Expired);
    let late = payment(9, Tier::Builder, BUILDER, START + 33 * DAY - 1);
    story.does(33, Event::Payment(late));
    assert_eq!((story.expires(), story.status(33)), ((60, 0), Status::Active));
}

#[test]
fn a_payment_seen_long_after_it_was_made_loses_a_day_at_most() {
    let mut story = Story::new();
    story.does(50, Event::Payment(payment(1, Tier::Builder, BUILDER, START)));
    assert_eq!(story.expires(), (79, 0));
    let mut story = Story::new();
    let from_the_future = payment(1, Tier::Builder, BUILDER, u64::MAX);
    story.does(50, Event::Payment(from_the_future));
    assert_eq!(story.expires(), (80, 0));
}

#[test]
fn a_short_payment_is_pending_until_the_price_is_reached() {
    let mut story = Story::new();
    story.pays(0, Tier::Builder, BUILDER - 1);
    assert_eq!((story.status(0), story.tier(0)), (Status::Pending, Tier::Explorer));
    assert_eq!(story.subscription.credit_usdc_e6, BUILDER - 1);
    assert_eq!(story.subscription.expires_at(), None);
    story.pays(10, Tier::Builder, 1);
    assert_eq!((story.status(10), story.expires()), (Status::Active, (40, 0)));
    assert_eq!(story.subscription.credit_usdc_e6, 0);
    assert_eq!(story.reasons(), [Reason::ShortPayment, Reason::Activated]);
}

#[test]
fn a_short_payment_is_shown_as_pending_for_its_time_only_and_its_credit_stays() {
    let mut story = Story::new();
    story.pays(0, Tier::Builder, BUILDER - 1);
    assert_eq!((story.status(29), story.status(30)), (Status::Pending, Status::None));
    story.does(31, Event::Time);
    assert_eq!(story.reasons(), [Reason::ShortPayment, Reason::PendingLapsed]);
    assert_eq!(story.steps[1].at.0, START + 30 * DAY);
    story.pays(400, Tier::Builder, 1);
    assert_eq!(story.status(400), Status::Active);
}

#[test]
fn a_short_renewal_takes_nothing_away_and_is_pending_after_grace() {
    let mut story = Story::new();
    story.pays(0, Tier::Builder, BUILDER).pays(29, Tier::Builder, 1);
    assert_eq!(story.status(29), Status::Active);
    assert_eq!((story.status(32), story.status(33)), (Status::Grace, Status::Pending));
    assert_eq!(story.status(59), Status::Expired);
    story.does(70, Event::Time);
    assert_eq!(
        story.reasons()[2..],
        [Reason::PeriodEnded, Reason::GraceEnded, Reason::PendingLapsed]
    );
}

#[test]
fn an_over_payment_buys_whole_periods_and_the_rest_is_credit() {
    let mut story = Story::new();
    story.pays(0, Tier::Builder, 2 * BUILDER + 7);
    assert_eq!((story.expires(), story.subscription.credit_usdc_e6), ((60, 0), 7));
    story.pays(0, Tier::Builder, BUILDER - 7);
    assert_eq!((story.expires(), story.subscription.credit_usdc_e6), ((90, 0), 0));
}

#[test]
fn no_more_is_bought_ahead_than_the_terms_allow() {
    let mut story = Story::new();
    story.pays(0, Tier::Builder, 100 * BUILDER);
    assert_eq!((story.expires(), story.subscription.credit_usdc_e6), ((360, 0), 88 * BUILDER));
    story.pays(0, Tier::Builder, BUILDER);
    assert_eq!(story.subscription.credit_usdc_e6, 89 * BUILDER);
    assert_eq!(story.reasons(), [Reason::Activated, Reason::CreditKept]);
    story.does(30, Event::ChangeTier(Tier::Builder, operator()));
    assert_eq!((story.expires(), story.subscription.credit_usdc_e6), ((390, 0), 88 * BUILDER));
}

/// Who has paid for more than may lie ahead has it afterwards, without a gap.
#[test]
fn credit_held_buys_on_when_what_was_bought_ends() {
    let mut story = Story::new();
    story.pays(0, Tier::Builder, 14 * BUILDER);
    assert_eq!((story.expires(), story.subscription.credit_usdc_e6), ((360, 0), 2 * BUILDER));
    let at = |story: &Story, day| {
        renewal(&story.subscription, UnixSeconds(START + day * DAY), &story.plans)
    };
    assert_eq!(at(&story, 359), None);
    assert_eq!(at(&story, 360), Some((Tier::Builder, BUILDER)));
    story.does(361, Event::Time);
    assert_eq!((story.expires(), story.subscription.credit_usdc_e6), ((390, 0), BUILDER));
    let step = story.steps.last().unwrap();
    assert_eq!(
        (step.from, step.to, step.reason),
        (Status::Active, Status::Active, Reason::Renewed)
    );
    assert_eq!(step.at, UnixSeconds(START + 360 * DAY));
    assert_eq!(step.moved.unwrap().bought_usdc_e6(), i128::from(BUILDER), "one at a time");
    assert_eq!(at(&story, 389), None);
    story.does(390, Event::Time);
    assert_eq!((story.expires(), story.subscription.credit_usdc_e6), ((420, 0), 0));
    assert_eq!(at(&story, 430), None);
    story.does(430, Event::Time);
    assert_eq!(story.status(430), Status::Expired, "and not for longer than it was paid for");
}

/// Money sent toward a higher tier keeps the one that runs meanwhile, and is never spent on more of
/// that unasked.
#[test]
fn who_waits_for_a_higher_tier_keeps_what_he_has_for_as_long_as_money_is_held() {
    let mut story = Story::new();
    let sent = 2 * BUILDER + 30_000_000;
    story.pays(0, Tier::Builder, BUILDER).pays(20, Tier::Protocol, sent);
    for (day, left) in [(30, sent - BUILDER), (60, sent - 2 * BUILDER)] {
        story.does(day, Event::Time);
        assert_eq!((story.status(day), story.tier(day)), (Status::Active, Tier::Builder));
        assert_eq!(story.subscription.credit_usdc_e6, left);
        assert_eq!(story.subscription.pending.unwrap().tier, Tier::Protocol);
    }
    // what is sent later still counts towards it
    story.pays(61, Tier::Protocol, PROTOCOL);
    assert_eq!((story.tier(61), story.subscription.pending), (Tier::Protocol, None));
}

#[test]
fn what_was_meant_for_a_higher_tier_buys_no_lower_one_unasked() {
    let mut story = Story::new();
    story.pays(0, Tier::Builder, BUILDER).pays(100, Tier::Protocol, 3 * BUILDER);
    for day in [101, 131, 200] {
        story.does(day, Event::Time);
        assert_eq!(story.subscription.credit_usdc_e6, 3 * BUILDER, "day {day}");
    }
    assert_eq!(story.status(200), Status::Expired);
    let lapsed = story.reasons().iter().filter(|one| **one == Reason::PendingLapsed).count();
    assert_eq!(lapsed, 1);
    // a new payment waits anew, and what he asks for he gets
    story.pays(201, Tier::Protocol, BUILDER);
    assert_eq!(story.status(201), Status::Pending);
    story.pays(202, Tier::Builder, BUILDER);
    assert_eq!((story.status(202), story.tier(202)), (Status::Active, Tier::Builder));
}

/// Money is paid back as it is, not spent first.
#[test]
fn only_time_spends_credit() {
    let mut story = Story::new();
    story.pays(0, Tier::Builder, 13 * BUILDER).does(361, Event::Refund(BUILDER, operator()));
    assert_eq!((story.expires(), story.subscription.credit_usdc_e6), ((360, 0), 0));
}

/// After long silence credit buys from now on, not a time that is over.
#[test]
fn credit_buys_from_now_on_where_grace_is_over() {
    let mut story = Story::new();
    story.pays(0, Tier::Builder, 13 * BUILDER).does(400, Event::Time);
    assert_eq!((story.expires(), story.status(400)), ((430, 0), Status::Active));
    let reasons = [Reason::Activated, Reason::PeriodEnded, Reason::GraceEnded, Reason::Activated];
    assert_eq!(story.reasons(), reasons);
    assert_eq!(story.subscription.credit_usdc_e6, 0);
}

/// What was paid while it was revoked is of use once it is given back; what was released or given
/// free of charge is not bought on.
#[test]
fn credit_is_spent_for_what_was_paid_for_alone() {
    let mut story = Story::new();
    story.does(0, Event::Revoke(operator())).pays(1, Tier::Builder, BUILDER + 1);
    story.does(2, Event::Reinstate(operator())).does(3, Event::Time);
    assert_eq!((story.status(3), story.tier(3)), (Status::Active, Tier::Builder));
    assert_eq!(story.subscription.credit_usdc_e6, 1);
    let mut released = Story::new();
    released.pays(0, Tier::Builder, BUILDER).does(0, Event::Release(operator()));
    released.does(1, Event::Time);
    assert_eq!(released.subscription.credit_usdc_e6, BUILDER);
    let mut granted = Story::new();
    granted.pays(0, Tier::Builder, BUILDER).does(0, Event::Release(operator()));
    granted.does(1, Event::Grant(Tier::Builder, 1, operator())).does(40, Event::Time);
    assert_eq!(
        (granted.status(40), granted.subscription.credit_usdc_e6),
        (Status::Expired, BUILDER)
    );
}

#[test]
fn the_same_payment_counts_once() {
    let mut story = Story::new();
    let paid = Event::Payment(payment(1, Tier::Builder, BUILDER, START));
    story.does(0, paid.clone());
    let before = story.subscription.clone();
    story.does(0, paid);
    assert_eq!(story.subscription, before);
}

#[test]
fn an_upgrade_credits_the_unused_part_rounded_up() {
    let mut story = Story::new();
    story.pays(0, Tier::Builder, BUILDER).pays(10, Tier::Protocol, PROTOCOL);
    // 20 of 30 days of 50 USDC
    assert_eq!(story.subscription.credit_usdc_e6, 33_333_334);
    assert_eq!((story.expires(), story.tier(10)), ((40, 0), Tier::Protocol));
    assert_eq!(story.reasons()[1], Reason::Upgraded);
}

#[test]
fn an_upgrade_may_be_paid_with_the_difference() {
    let mut story = Story::new();
    story.pays(0, Tier::Builder, BUILDER).pays(10, Tier::Protocol, PROTOCOL - 33_333_335);
    assert_eq!((story.tier(10), story.status(10)), (Tier::Builder, Status::Active));
    assert_eq!(story.subscription.pending.unwrap().tier, Tier::Protocol);
    story.pays(10, Tier::Protocol, 1);
    assert_eq!((story.expires(), story.tier(10)), ((40, 0), Tier::Protocol));
    assert_eq!(story.subscription.credit_usdc_e6, 0);
}

#[test]
fn a_payment_for_a_lower_tier_begins_when_the_higher_ends() {
    let mut story = Story::new();
    story.pays(0, Tier::Protocol, PROTOCOL).pays(10, Tier::Builder, BUILDER);
    assert_eq!(story.reasons()[1], Reason::Scheduled);
    assert_eq!(
        (story.tier(29), story.tier(30), story.expires()),
        (Tier::Protocol, Tier::Builder, (60, 0))
    );
    story.pays(11, Tier::Protocol, PROTOCOL);
    assert_eq!(
        (story.tier(59), story.tier(60), story.expires()),
        (Tier::Protocol, Tier::Builder, (90, 0))
    );
}

#[test]
fn a_downgrade_by_hand_buys_what_the_unused_part_reaches() {
    let mut story = Story::new();
    story.pays(0, Tier::Protocol, PROTOCOL).does(10, Event::ChangeTier(Tier::Builder, operator()));
    // 333.333334 USDC are six periods and a rest
    assert_eq!((story.tier(10), story.expires()), (Tier::Builder, (190, 0)));
    assert_eq!(story.subscription.credit_usdc_e6, 33_333_334);
    assert_eq!(story.reasons()[1], Reason::Downgraded);
}

#[test]
fn an_upgrade_by_hand_says_what_is_missing() {
    let mut story = Story::new();
    story.pays(0, Tier::Builder, BUILDER);
    let before = story.subscription.clone();
    let error = story.on(0, Event::ChangeTier(Tier::Protocol, operator())).unwrap_err();
    assert!(matches!(error, AccountError::Unaffordable { missing_usdc_e6, .. }
        if missing_usdc_e6 == PROTOCOL - BUILDER));
    for tier in [Tier::Explorer, Tier::Enterprise] {
        let error = story.on(0, Event::ChangeTier(tier, operator())).unwrap_err();
        assert!(matches!(error, AccountError::NotForSale { .. }), "{error}");
    }
    assert_eq!(story.subscription, before);
}

#[test]
fn a_payment_for_a_tier_without_a_price_is_kept() {
    let mut story = Story::new();
    story.pays(0, Tier::Enterprise, 7).pays(1, Tier::Explorer, 8);
    assert_eq!((story.subscription.credit_usdc_e6, story.status(1)), (15, Status::None));
    assert_eq!(story.reasons(), [Reason::CreditKept, Reason::CreditKept]);
}

#[test]
fn a_grant_is_free_and_lower_tiers_wait_for_it() {
    let mut story = Story::new();
    story.pays(0, Tier::Builder, BUILDER).does(10, Event::Grant(Tier::Protocol, 1, operator()));
    assert_eq!(
        (story.tier(39), story.tier(40), story.expires()),
        (Tier::Protocol, Tier::Builder, (60, 0))
    );
    let unused = |day: u64| story.subscription.unused_usdc_e6(UnixSeconds(START + day * DAY));
    assert_eq!((unused(39).unwrap(), unused(50).unwrap()), (33_333_334, 16_666_667));
    for count in [0, 13] {
        assert!(story.on(10, Event::Grant(Tier::Protocol, count, operator())).is_err());
    }
    assert!(story.on(10, Event::Grant(Tier::Explorer, 1, operator())).is_err());
}

#[test]
fn a_revoked_subscription_serves_nothing_and_comes_back_with_the_time_it_had() {
    let mut story = Story::new();
    story.pays(0, Tier::Builder, BUILDER).does(10, Event::Revoke(operator()));
    assert_eq!((story.status(10), story.tier(10)), (Status::Revoked, Tier::Explorer));
    assert_eq!(story.status(1_000), Status::Revoked);
    story.pays(20, Tier::Builder, BUILDER);
    assert_eq!((story.status(20), story.subscription.credit_usdc_e6), (Status::Revoked, BUILDER));
    assert!(story.on(20, Event::Revoke(operator())).is_err());
    assert!(story.on(20, Event::ChangeTier(Tier::Builder, operator())).is_err());
    assert!(story.on(20, Event::Grant(Tier::Builder, 1, operator())).is_err());
    story.does(100, Event::Reinstate(operator()));
    assert_eq!((story.status(100), story.expires()), (Status::Active, (120, 0)));
    assert!(story.on(100, Event::Reinstate(operator())).is_err());
    story.does(100, Event::ChangeTier(Tier::Builder, operator()));
    assert_eq!((story.expires(), story.subscription.credit_usdc_e6), ((150, 0), 0));
    let by: Vec<_> = story.steps.iter().filter(|step| step.reason == Reason::Revoked).collect();
    assert_eq!(by[0].evidence, Evidence::Operator(operator()));
}

#[test]
fn what_is_released_becomes_credit_and_can_be_paid_back() {
    let mut story = Story::new();
    story.pays(0, Tier::Builder, BUILDER).does(10, Event::Release(operator()));
    assert_eq!((story.status(10), story.expires()), (Status::Expired, (10, 0)));
    assert_eq!(story.subscription.credit_usdc_e6, 33_333_334);
    let error = story.on(11, Event::Refund(33_333_335, operator())).unwrap_err();
    assert!(matches!(error, AccountError::CreditShort { .. }));
    story.does(11, Event::Refund(33_333_334, operator()));
    assert_eq!(story.subscription.credit_usdc_e6, 0);
    assert_eq!(story.subscription.refunded_usdc_e6, 33_333_334);
    assert!(story.on(12, Event::Release(operator())).is_err());
    story.pays(12, Tier::Builder, BUILDER);
    assert_eq!((story.status(12), story.expires()), (Status::Active, (42, 0)));
}

#[test]
fn what_was_revoked_is_released_as_it_stood_when_revoked() {
    let mut story = Story::new();
    story.pays(0, Tier::Builder, BUILDER).does(15, Event::Revoke(operator()));
    story.does(90, Event::Release(operator()));
    assert_eq!(
        (story.status(90), story.subscription.credit_usdc_e6),
        (Status::Revoked, BUILDER / 2)
    );
}

#[test]
fn only_final_payments_of_the_wallet_itself_count() {
    let mut story = Story::new();
    let pending = Payment { is_final: false, ..payment(1, Tier::Builder, BUILDER, START) };
    let error = story.on(0, Event::Payment(pending)).unwrap_err();
    assert!(matches!(error, AccountError::PaymentNotFinal));
    let other = Payment { wallet: Address([8; 20]), ..payment(1, Tier::Builder, BUILDER, START) };
    let error = story.on(0, Event::Payment(other)).unwrap_err();
    assert!(matches!(error, AccountError::PaymentOfAnother));
    assert_eq!(story.subscription, Subscription::none(Subscriber::Wallet(WALLET)));
}

#[test]
fn a_clock_that_goes_back_stands_still() {
    let mut story = Story::new();
    story.pays(10, Tier::Builder, BUILDER).does(5, Event::Time);
    assert_eq!(story.subscription.written_at.0, START + 10 * DAY);
    story.does(5, Event::Revoke(operator()));
    assert_eq!(story.steps.last().unwrap().at.0, START + 10 * DAY);
}

#[test]
fn longer_grace_reaches_those_who_have_just_expired_and_is_written_down() {
    let mut story = Story::new();
    story.pays(0, Tier::Builder, BUILDER).does(34, Event::Time);
    assert_eq!(story.subscription.status, Status::Expired);
    story.plans.subscription = SubscriptionTerms { grace_seconds: 10 * DAY, ..Default::default() };
    assert_eq!(story.status(34), Status::Grace);
    story.does(34, Event::Time);
    assert_eq!(story.steps.last().unwrap().reason, Reason::TermsChanged);
    story.plans.subscription.grace_seconds = 0;
    story.does(35, Event::Time);
    assert_eq!(story.subscription.status, Status::Expired);
}

#[test]
fn without_grace_a_subscription_passes_through_it_in_no_time() {
    let mut story = Story::new();
    story.plans.subscription.grace_seconds = 0;
    story.pays(0, Tier::Builder, BUILDER);
    assert_eq!(story.status(30), Status::Expired);
    story.does(30, Event::Time);
    assert_eq!(story.reasons()[1..], [Reason::PeriodEnded, Reason::GraceEnded]);
}

#[test]
fn sums_that_would_wrap_are_errors_and_change_nothing() {
    let mut story = Story::new();
    story.pays(0, Tier::Enterprise, u64::MAX);
    let before = story.subscription.clone();
    let error = story.on(0, Event::Payment(payment(9, Tier::Builder, 1, START))).unwrap_err();
    assert!(matches!(error, AccountError::Overflow { .. }), "{error}");
    assert_eq!(story.subscription, before);
    let late = UnixSeconds(u64::MAX - 1);
    let paid = Event::Payment(payment(1, Tier::Builder, BUILDER, late.0));
    let fresh = Subscription::none(Subscriber::Wallet(WALLET));
    let error = apply(&fresh, &paid, late, &Plans::default()).unwrap_err();
    assert!(matches!(error, AccountError::Overflow { .. }), "{error}");
}

#[test]
fn an_act_by_hand_names_who_and_why() {
    let long = "x".repeat(513);
    for (who, why) in [("", "why"), ("who", " "), ("who", &long), ("a\nb", "why"), ("who", "\u{7}")]
    {
        let operator = Operator { who: who.into(), why: why.into() };
        for event in [
            Event::Revoke(operator.clone()),
            Event::Refund(0, operator.clone()),
            Event::Grant(Tier::Builder, 1, operator.clone()),
        ] {
            let error = Story::new().on(0, event).unwrap_err();
            assert!(matches!(error, AccountError::Text { .. }), "{error}");
        }
    }
}

#[test]
fn the_table_of_steps_is_this() {
    let table = Status::ALL.map(|from| {
        let row = Status::ALL.map(|to| if from.may_become(to) { 'x' } else { '.' });
        (from.name(), row.iter().collect::<String>())
    });
    // to: none, pending, active, grace, expired, revoked
    assert_eq!(
        table.map(|(from, row)| format!("{from} {row}")),
        [
            "none xxx..x",
            "pending xxxxxx",
            "active .xxxxx",
            "grace .xxxxx",
            "expired .xxxxx",
            "revoked xxxxxx",
        ]
    );
}

/// Anything that may happen, some of it nonsense.
fn any_event() -> impl Strategy<Value = Event> {
    let tier = prop_oneof![
        Just(Tier::Builder),
        Just(Tier::Builder),
        Just(Tier::Protocol),
        Just(Tier::Enterprise),
        Just(Tier::Explorer)
    ];
    let amount =
        prop_oneof![Just(BUILDER), Just(PROTOCOL), 0..2 * PROTOCOL, Just(BUILDER - 1), Just(1_u64)];
    (tier, amount, any::<[u8; 32]>(), 0..100_u8, 0..2 * DAY).prop_map(
        |(tier, amount, tx, kind, ago)| match kind {
            0..50 => {
                let paid_at = START.saturating_sub(ago); // moved to the present by the caller
                let id = PaymentId { chain: ChainId(8453), tx: Hash(tx), log_index: 1 };
                Event::Payment(Payment { id, ..payment(0, tier, amount, paid_at) })
            }
            50..60 => Event::Time,
            60..75 => Event::ChangeTier(tier, operator()),
            75..82 => Event::Grant(tier, u16::from(tx[0] % 5), operator()),
            82..87 => Event::Release(operator()),
            87..92 => Event::Refund(amount, operator()),
            92..96 => Event::Revoke(operator()),
            _ => Event::Reinstate(operator()),
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Whatever happens in whatever order: steps follow the table and join up, time is told the same
    /// by reader and writer, tiers fall, and no money is lost or made.
    #[test]
    fn no_story_breaks_the_laws(
        events in proptest::collection::vec((any_event(), 0..40 * DAY), 1..40),
    ) {
        let plans = Plans::default();
        let terms = &plans.subscription;
        let mut subscription = Subscription::none(Subscriber::Wallet(WALLET));
        let mut now = START;
        for (mut event, gap) in events {
            now += gap;
            let at = UnixSeconds(now);
            if let Event::Payment(payment) = &mut event {
                payment.paid_at.0 += now - START;
            }
            let before = subscription.clone();
            let frozen = before.revoked_at.unwrap_or(at);
            let worth_before = before.credit_usdc_e6 + before.unused_usdc_e6(frozen).unwrap();
            let status_before = before.status_at(at, terms);
            let Ok((next, steps)) = apply(&before, &event, at, &plans) else { continue };
            // steps
            let mut status = before.status;
            let mut time = UnixSeconds(0);
            for step in &steps {
                prop_assert_eq!(step.from, status);
                prop_assert!(step.from.may_become(step.to), "{:?}", step);
                prop_assert!(step.at >= time && step.at <= at);
                (status, time) = (step.to, step.at);
            }
            prop_assert_eq!(status, next.status);
            prop_assert_eq!(next.status, next.status_at(at, terms));
            prop_assert_eq!(next.transition_count, before.transition_count + steps.len() as u64);
            let timed = steps.iter().take_while(|step| step.evidence == Evidence::Time).last();
            // a reader waits for the credit to be spent
            let renewed = renewal(&before, at, &plans).filter(|_| matches!(event, Event::Time));
            let is_renewed = renewed.is_some();
            if !is_renewed {
                prop_assert_eq!(timed.map_or(before.status, |step| step.to), status_before);
            }
            // periods
            for pair in next.periods.windows(2) {
                prop_assert_eq!(pair[0].end, pair[1].start);
                prop_assert!(pair[0].tier >= pair[1].tier);
            }
            prop_assert!(next.periods.iter().all(|period| period.start < period.end));
            // money
            let (paid, refunded) = match &event {
                Event::Payment(payment) if before.recent_payments.contains(&payment.id) => (0, 0),
                Event::Payment(payment) => (payment.usdc_e6, 0),
                Event::Refund(amount, _) => (0, *amount),
                _ => (0, 0),
            };
            let frozen = next.revoked_at.unwrap_or(at);
            let worth = next.credit_usdc_e6 + next.unused_usdc_e6(frozen).unwrap();
            let expected = worth_before + paid - refunded;
            let rounding = 2 * (before.periods.len() + next.periods.len()) as u64;
            prop_assert!(worth <= expected + rounding, "{worth} from {expected}: {event:?}");
            let late = is_renewed || matches!(&event, Event::Payment(_) | Event::ChangeTier(..));
            // a period may begin before now: in grace with the old expiry, seen late with the payment
            let gone = |period: &Period| period.value_usdc_e6 - period.unused_usdc_e6(at);
            let mut used = if late { next.periods.iter().map(gone).sum() } else { 0 };
            if let (Some((_, price)), Some(last)) = (renewed, before.periods.last()) {
                // what was renewed began when what was paid ended, unless grace was over
                let since = now - last.end.0;
                let most = terms.grace_seconds;
                used += if since < most { (price * since).div_ceil(PERIOD_SECONDS) } else { 0 };
            }
            // for an upgrade seen late the unused part is that of its payment
            prop_assert!(worth + used >= expected, "{worth} + {used} from {expected}: {event:?}");
            prop_assert_eq!(next.paid_usdc_e6, before.paid_usdc_e6 + paid);
            subscription = next;
        }
    }
}
