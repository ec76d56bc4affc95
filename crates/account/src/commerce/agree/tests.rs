use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use superroot_store::MemoryStore;

use super::*;
use crate::money::USDC;
use crate::{Correction, Grid, Interval, Invoice, LineKind, MonthOfAccount, Terms, Tier};

const ACCOUNT: AccountId = AccountId(uuid::Uuid::from_bytes([1; 16]));
const CHILD: AccountId = AccountId(uuid::Uuid::from_bytes([2; 16]));

fn month(text: &str) -> Month {
    text.parse().unwrap()
}

fn operator() -> Operator {
    Operator { who: "ops".into(), why: "contract 7".into() }
}

fn integrator(interval: Interval, fee_usdc_e6: u64) -> Terms {
    Terms::Integrator { interval, fee_usdc_e6, tier: Tier::Builder }
}

fn monthly(fee: u64) -> Terms {
    integrator(Interval::Monthly, fee * USDC)
}

fn yearly(fee: u64) -> Terms {
    integrator(Interval::Yearly, fee * USDC)
}

fn enterprise(fee: u64) -> Terms {
    Terms::Enterprise {
        limit_per_minute: 50_000,
        grids: [Grid::G1, Grid::G4].into(),
        monthly_fee_usdc_e6: fee * USDC,
        million_tokens_usdc_e6: 4 * USDC,
        free_tokens_per_month: 5_000_000,
        availability_e6: Some(999_000),
    }
}

struct World {
    store: Arc<MemoryStore>,
    commerce: Commerce,
    plans: Plans,
}

fn world() -> World {
    let store = Arc::new(MemoryStore::new());
    let commerce = Commerce::new(store.clone(), Environment::Live);
    World { store, commerce, plans: Plans::default() }
}

impl World {
    /// Enters an agreement ten minutes into a month.
    fn agree(
        &self,
        entered: &str,
        terms: Terms,
        from: &str,
        until: Option<&str>,
    ) -> Result<Agreed, AccountError> {
        let agreement = Agreement {
            account: ACCOUNT,
            terms,
            from: month(from),
            until: until.map(month),
            by: operator(),
            entered_at: UnixSeconds(month(entered).start().0 + 600),
        };
        self.commerce.agree(&agreement, &self.plans)
    }

    fn end(&self, now: &str, last: &str) -> Result<Vec<Replaced>, AccountError> {
        let now = UnixSeconds(month(now).start().0 + 600);
        self.commerce.end_agreements(ACCOUNT, month(last), &operator(), now)
    }

    fn of(text: &str) -> MonthOfAccount {
        let used = crate::BilledUsage {
            route: crate::route("/signals/arb").unwrap().number,
            chain: None,
            requests: 40,
            tokens: 40,
        };
        let (usage, bought) = (vec![used], vec![]);
        let billed_to = "Somebody".to_owned();
        MonthOfAccount { account: ACCOUNT, month: month(text), billed_to, usage, bought }
    }

    fn close(&self, text: &str) -> Invoice {
        let end = month(text).end();
        self.commerce.close_month(&Self::of(text), end, &self.plans, None).unwrap()
    }

    fn correct(&self, text: &str, usdc_e6: u64, reference: &str) -> Result<Invoice, AccountError> {
        let (by, reference) = (operator(), reference.to_owned());
        let correction = Correction { by, usdc_e6, reference };
        let (invoices, journal) = (self.commerce.invoices(), self.commerce.journal());
        invoices.correct(ACCOUNT, month(text), &correction, UnixSeconds(0), journal)
    }

    /// Records that the service was down all month.
    fn down(&self, text: &str) {
        self.commerce.record_minute(month(text).start(), false).unwrap();
    }

    /// `from..until` of all, oldest first.
    fn held(&self) -> Vec<String> {
        let agreements = self.commerce.agreements(ACCOUNT).unwrap();
        agreements.iter().map(Agreement::months_text).collect()
    }
}

fn sum(invoice: &Invoice, kind: LineKind) -> i128 {
    invoice.sum_of(kind)
}

fn refused(answer: Result<Agreed, AccountError>, words: &str, first_month: &str) {
    let error = answer.unwrap_err();
    let first = match &error {
        AccountError::AgreementMonth { first, .. } | AccountError::YearBilled { first, .. } => {
            first
        }
        other => panic!("{other}"),
    };
    assert_eq!(first.to_string(), first_month, "{error}");
    assert!(error.to_string().contains(words), "{error}");
}

/// A price changed in the first hour of a month leaves the month before as it was: with a fee, in a
/// year that was paid, and without any.
#[test]
fn a_month_that_is_over_and_not_closed_is_billed_by_the_agreement_of_its_time() {
    for terms in [yearly(1_200), monthly(99), enterprise(0), enterprise(2_000)] {
        let world = world();
        world.agree("2030-09", terms.clone(), "2030-09", None).unwrap();
        world.close("2030-09");
        world.down("2031-08");
        let draft = || world.commerce.bill(&World::of("2031-08"), &world.plans).unwrap();
        let before = draft();
        world.agree("2031-09", monthly(150), "2031-09", None).unwrap();
        assert_eq!(draft(), before, "{terms:?}");
        let closed = world.close("2031-08");
        assert_eq!(sum(&closed, LineKind::Usage), 0, "what was used is in the fee");
        assert_eq!(sum(&world.close("2031-09"), LineKind::Fee), 150_000_000);
        assert_eq!(world.held(), ["from 2030-09 to 2031-08", "from 2031-09 open"]);
    }
}

#[test]
fn a_month_that_is_closed_or_over_keeps_its_agreement_and_the_first_possible_is_named() {
    let world = world();
    world.agree("2026-02", monthly(99), "2026-02", None).unwrap();
    world.close("2026-02");
    refused(world.agree("2026-04", monthly(300), "2026-02", None), "closed", "2026-04");
    refused(world.agree("2026-04", monthly(300), "2026-03", None), "over keeps", "2026-04");
    refused(world.agree("2026-04", monthly(300), "2025-01", None), "closed", "2026-04");
    assert_eq!(world.held(), ["from 2026-02 open"]);
    assert_eq!(world.close("2026-03").sum_of(LineKind::Fee), 99_000_000);
    let over = world.agree("2026-04", monthly(99), "2026-04", Some("2026-03"));
    assert!(over.is_err(), "it ends before it begins");
    let long_ago = world.agree("2037-04", monthly(99), "2026-04", None).unwrap_err();
    assert!(long_ago.to_string().contains("ten years"), "{long_ago}");
}

#[test]
fn a_month_that_is_over_and_has_no_agreement_can_be_entered_before_it_is_closed() {
    let world = world();
    world.agree("2026-05", monthly(99), "2026-01", Some("2026-01")).unwrap();
    assert_eq!(world.held(), ["from 2026-01 to 2026-01"], "one month, which is over");
    assert_eq!(sum(&world.close("2026-01"), LineKind::Fee), 99_000_000);
    world.agree("2026-05", monthly(99), "2026-03", None).unwrap();
    let error = world.agree("2026-05", monthly(99), "2026-02", Some("2026-02")).unwrap_err();
    assert!(error.to_string().contains("it is over, and another follows it"), "{error}");
    refused(world.agree("2026-05", monthly(150), "2026-02", None), "over keeps", "2026-05");
    assert_eq!(sum(&world.close("2026-04"), LineKind::Fee), 99_000_000);
    assert_eq!(sum(&world.close("2026-02"), LineKind::Fee), 0);
    assert_eq!(world.held(), ["from 2026-01 to 2026-01", "from 2026-03 open"]);
}

#[test]
fn an_agreement_ends_the_one_before_and_says_so_in_answer_and_log() {
    let world = world();
    let first = world.agree("2026-02", monthly(99), "2026-02", None).unwrap();
    assert_eq!(first.replaced, []);
    let second = world.agree("2026-02", monthly(150), "2026-05", Some("2026-07")).unwrap();
    let was = first.entered;
    assert_eq!(second.replaced, [Replaced { was, until: Some(month("2026-04")) }]);
    let third = world.agree("2026-03", monthly(200), "2026-04", None).unwrap();
    let told: Vec<_> = third.replaced.iter().map(|one| (one.was.from, one.until)).collect();
    let (ended, gone) = (month("2026-02"), month("2026-05"));
    assert_eq!(told, [(ended, Some(month("2026-03"))), (gone, None)]);
    assert_eq!(world.held(), ["from 2026-02 to 2026-03", "from 2026-04 open"]);
    let acts = crate::audit::list(&*world.store, 0, 10).unwrap();
    let log = &acts[2].subject;
    assert!(acts.iter().all(|act| act.subject.contains(&ACCOUNT.to_string())), "{acts:?}");
    assert!(log.contains("the one from 2026-02 to 2026-04 ends with 2026-03"), "{log}");
    assert!(log.contains("the one from 2026-05 to 2026-07 is gone"), "{log}");
    for number in 0..6 {
        let from = month("2026-06").plus(number).to_string();
        world.agree("2026-03", monthly(200 + u64::from(number)), &from, None).unwrap();
    }
    world.agree("2026-03", monthly(99), "2026-03", None).unwrap();
    let acts = crate::audit::list(&*world.store, 0, 20).unwrap();
    assert!(acts.last().unwrap().subject.ends_with("; 5 more are gone"), "{acts:?}");
    assert_eq!(world.held(), ["from 2026-02 to 2026-02", "from 2026-03 open"]);
}

#[test]
fn an_agreement_is_ended_with_a_month_and_what_was_billed_stays() {
    let world = world();
    world.agree("2026-02", yearly(999), "2026-02", None).unwrap();
    world.agree("2026-02", yearly(1_200), "2027-02", None).unwrap();
    world.close("2026-02");
    let replaced = world.end("2026-05", "2027-01").unwrap();
    assert_eq!(replaced.len(), 1, "the one ahead alone");
    assert_eq!(world.held(), ["from 2026-02 to 2027-01"]);
    let nothing = world.end("2026-05", "2027-01").unwrap_err();
    assert!(nothing.to_string().contains("none holds"), "{nothing}");
    let over = world.end("2026-05", "2026-03").unwrap_err();
    assert!(over.to_string().contains("2026-04 is the first month possible"), "{over}");
    // the year is paid for: nobody is billed for what he uses in its rest
    let paid = world.end("2026-05", "2026-05").unwrap_err().to_string();
    assert!(paid.contains("2027-01 is the first") && paid.contains("take 666.000000"), "{paid}");
    refused(world.agree("2026-06", monthly(99), "2026-06", None), "take 666.000000", "2027-02");
    world.correct("2026-02", 666 * USDC, "rest").unwrap();
    world.end("2026-05", "2026-05").unwrap();
    world.close("2026-05");
    let acts = crate::audit::list(&*world.store, 0, 10).unwrap();
    assert_eq!(acts.last().unwrap().what, "end_agreement");
    assert!(acts.last().unwrap().subject.contains("to 2027-01 ends with 2026-05"), "{acts:?}");
    let closed = world.end("2026-06", "2026-04").unwrap_err();
    assert!(matches!(closed, AccountError::AgreementMonth { .. }), "{closed}");
}

#[test]
fn a_year_that_was_billed_is_billed_again_only_when_its_rest_is_taken_back() {
    let world = world();
    world.agree("2028-03", yearly(1_000), "2028-03", None).unwrap();
    // the fee is not billed yet, and will be
    refused(
        world.agree("2028-03", monthly(99), "2028-04", None),
        "covers twelve months",
        "2029-03",
    );
    world.close("2028-03");
    let rest = "take 916.666667 USDC";
    refused(world.agree("2028-04", monthly(99), "2028-04", None), rest, "2029-03");
    refused(world.agree("2028-04", monthly(99), "2028-03", None), "closed", "2029-03");
    world.correct("2028-03", USDC, "a").unwrap();
    refused(world.agree("2028-04", yearly(999), "2028-04", None), "take 915.666667", "2029-03");
    refused(
        world.agree("2028-04", monthly(99), "2029-04", None),
        "covers twelve months",
        "2030-03",
    );
    world.agree("2028-04", monthly(99), "2029-03", None).unwrap();
    assert_eq!(world.held(), ["from 2028-03 to 2029-02", "from 2029-03 open"]);
    world.correct("2028-03", 915_666_667, "b").unwrap();
    world.agree("2028-04", monthly(99), "2028-04", None).unwrap();
    assert_eq!(world.held(), ["from 2028-03 to 2028-03", "from 2028-04 open"]);
    assert_eq!(sum(&world.close("2028-04"), LineKind::Fee), 99_000_000);
}

/// What a year's fee pays for would be billed as used in the months that are left of it.
#[test]
fn a_yearly_agreement_ends_with_a_year() {
    let world = world();
    for (until, first) in [("2028-03", "2029-02"), ("2029-01", "2029-02"), ("2029-03", "2030-02")] {
        let within = world.agree("2028-03", yearly(1_000), "2028-03", Some(until));
        refused(within, "ends within them", first);
        world.agree("2028-03", yearly(1_000), "2028-03", Some(first)).unwrap();
    }
}

/// Where the rest of a year was taken back, what is left of its fee is for the months that it had.
#[test]
fn a_year_cut_short_gives_back_a_whole_month_of_what_is_left() {
    let world = world();
    world.agree("2028-05", yearly(1_200), "2028-05", None).unwrap();
    world.close("2028-05");
    world.correct("2028-05", 1_000 * USDC, "rest").unwrap();
    let by = Operator { who: "ops".into(), why: "contract 7".into() };
    let now = month("2028-06").start();
    world.commerce.end_agreements(ACCOUNT, month("2028-06"), &by, now).unwrap();
    world.down("2028-06");
    assert_eq!(sum(&world.close("2028-06"), LineKind::AvailabilityCredit), -100_000_000);
}

/// A month named by a refusal is one that is taken.
#[test]
fn the_month_that_a_refusal_names_is_taken() {
    let world = world();
    world.agree("2028-03", yearly(1_000), "2028-03", None).unwrap();
    world.close("2028-03");
    let error = world.agree("2028-06", enterprise(5), "2028-01", None).unwrap_err();
    let AccountError::AgreementMonth { first, .. } = error else { panic!("{error}") };
    world.agree("2028-06", enterprise(5), &first.to_string(), None).unwrap();
}

#[test]
fn credits_of_a_yearly_fee_are_of_what_is_left_of_it_and_add_up_to_no_more() {
    let world = world();
    world.agree("2028-01", integrator(Interval::Yearly, 1_234_567_891), "2028-01", None).unwrap();
    let mut credited = 0;
    for number in 0..12 {
        let text = month("2028-01").plus(number).to_string();
        world.down(&text);
        credited -= sum(&world.close(&text), LineKind::AvailabilityCredit);
    }
    assert_eq!(credited, 1_234_567_891);
    let error = world.correct("2028-01", 1, "more").unwrap_err();
    assert!(error.to_string().contains("more is taken back"), "{error}");
}

#[test]
fn who_was_paid_back_is_given_no_credit_for_it() {
    let world = world();
    world.agree("2028-08", yearly(1_200), "2028-08", None).unwrap();
    for text in ["2028-08", "2028-09", "2028-10", "2028-11", "2028-12"] {
        world.down(text);
    }
    let credit = |text: &str| -sum(&world.close(text), LineKind::AvailabilityCredit);
    assert_eq!(credit("2028-10"), 100_000_000, "out of order");
    assert_eq!(credit("2028-08"), 100_000_000);
    world.correct("2028-08", 600 * USDC, "half").unwrap();
    assert_eq!(credit("2028-09"), 50_000_000, "of the 600 that are left");
    assert!(world.correct("2028-08", 350_000_001, "rest").is_err());
    world.correct("2028-08", 350 * USDC, "rest").unwrap();
    assert_eq!([credit("2028-11"), credit("2028-12")], [0, 0]);
    let owed = crate::Book::Receivable(ACCOUNT);
    assert_eq!(world.commerce.journal().balance(&owed).unwrap().net_usdc_e6(), 0);
}

#[test]
fn sub_accounts_keep_an_integrator_in_every_month_ahead() {
    let world = world();
    world.agree("2026-02", monthly(99), "2026-02", None).unwrap();
    world.agree("2026-02", enterprise(1), "2026-06", None).unwrap();
    let add = || world.commerce.add_sub_account(ACCOUNT, CHILD, month("2026-02"), &world.plans);
    assert!(add().is_err(), "it would lose its integrator in June");
    world.agree("2026-02", monthly(150), "2026-06", None).unwrap();
    add().unwrap();
    assert!(world.agree("2026-02", enterprise(1), "2026-09", None).is_err());
    world.agree("2026-02", monthly(200), "2026-09", None).unwrap();
    assert_eq!(world.commerce.agreements(ACCOUNT).unwrap().sub_account_count(), 1);
    assert_eq!(world.commerce.integrator_of(CHILD).unwrap(), Some(ACCOUNT));
}

/// Whoever closes the month while an agreement is entered: one of the two looks again.
#[test]
fn no_month_is_closed_under_an_agreement_that_is_being_replaced() {
    let world = world();
    world.agree("2026-02", monthly(99), "2026-02", None).unwrap();
    let mut batch = Batch::new();
    let [february, march] = ["2026-02", "2026-03"].map(month);
    world.commerce.expect_open_from(&mut batch, ACCOUNT, february, march).unwrap();
    world.close("2026-02");
    use superroot_store::{Store, StoreError, Table};
    batch.put(Table::Meta, b"k", b"v");
    assert!(matches!(world.store.commit(batch), Err(StoreError::Conflict { .. })));
}

/// A row as stores had it when an account had one agreement.
#[test]
fn a_store_with_one_agreement_an_account_goes_on() {
    let world = world();
    let row = format!(
        r#"{{"account":"{}","terms":{{"integrator":{{"interval":"yearly","fee_usdc_e6":1200000000}}}},
        "from":"2028-03","until":null,"by":{{"who":"ops","why":"contract 7"}},"entered_at":0,
        "sub_account_count":1}}"#,
        ACCOUNT.0
    );
    let mut batch = Batch::new();
    let key = agreements_key(Environment::Live, ACCOUNT);
    batch.put(TABLE, key, [&[1], row.as_bytes()].concat());
    world.store.commit(batch).unwrap();
    assert_eq!(sum(&world.close("2028-03"), LineKind::Fee), 1_200_000_000);
    assert!(world.agree("2028-04", monthly(99), "2028-04", None).is_err());
    world.agree("2028-04", monthly(99), "2029-03", None).unwrap();
    assert_eq!(world.held(), ["from 2028-03 to 2029-02", "from 2029-03 open"]);
    assert!(
        world.agree("2028-04", enterprise(1), "2029-03", None).is_err(),
        "it has a sub-account"
    );
}

#[derive(Clone, Debug)]
enum Act {
    /// Terms, months from the running one on, months it holds.
    Agree(Terms, i8, Option<u8>),
    End(i8),
    /// Time goes on by a month.
    Turn,
    /// Closes one of the months that are over and open: the oldest, or the newest.
    Close(bool),
    /// Takes a part of a closed invoice back, in hundredths of its fee.
    Correct(u8, u64),
    Down,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let terms = prop_oneof![
        (99..=999_u64).prop_map(monthly),
        (999_000_000..=9_999_000_000_u64).prop_map(|fee| integrator(Interval::Yearly, fee)),
        (0..3_u64).prop_map(|fee| enterprise(fee * 500)),
    ];
    let act = prop_oneof![
        4 => (terms, -4..15_i8, proptest::option::of(0..20_u8))
            .prop_map(|(terms, from, length)| Act::Agree(terms, from, length)),
        1 => (-3..14_i8).prop_map(Act::End),
        8 => Just(Act::Turn),
        6 => any::<bool>().prop_map(Act::Close),
        2 => (0..20_u8, 1..=100_u64).prop_map(|(back, part)| Act::Correct(back, part)),
        2 => Just(Act::Down),
    ];
    proptest::collection::vec(act, 1..80)
}

/// What must hold of whatever was done, told by what was seen on the way.
#[derive(Default)]
struct Seen {
    /// The agreement of each month that is over, as it was when the month was over or was entered.
    due: BTreeMap<Month, Option<Terms>>,
    closed: BTreeMap<Month, Invoice>,
}

fn moved(month: Month, by: i8) -> Month {
    let mut month = month;
    for _ in 0..by.unsigned_abs() {
        month = if by < 0 { month.before().unwrap() } else { month.next() };
    }
    month
}

impl World {
    fn act(&self, act: &Act, number: usize, running: &mut Month, seen: &mut Seen) {
        let running_text = running.to_string();
        match act {
            Act::Agree(terms, from, length) => {
                let from = moved(*running, *from);
                let is_yearly =
                    matches!(terms, Terms::Integrator { interval: Interval::Yearly, .. });
                let until = length.map(|length| match length {
                    1..10 if is_yearly => from.plus(11),
                    10.. if is_yearly => from.plus(23),
                    _ => from.plus(length.into()),
                });
                let (from_text, until_text) = (from.to_string(), until.map(|it| it.to_string()));
                let agreed =
                    self.agree(&running_text, terms.clone(), &from_text, until_text.as_deref());
                let mut month = from;
                let end = until.map_or(*running, |until| until.next().min(*running));
                while agreed.is_ok() && month < end {
                    assert!(!seen.closed.contains_key(&month), "{month} is closed");
                    let before = seen.due.insert(month, Some(terms.clone()));
                    assert!(before.is_none_or(|due| due.is_none()), "{month} had one");
                    month = month.next();
                }
            }
            Act::End(last) => _ = self.end(&running_text, &moved(*running, *last).to_string()),
            Act::Turn => {
                let holds = self.commerce.agreement_in(ACCOUNT, *running).unwrap();
                seen.due.insert(*running, holds.map(|agreement| agreement.terms));
                *running = running.next();
            }
            Act::Close(is_oldest) => {
                let mut open = seen.due.keys().filter(|month| !seen.closed.contains_key(month));
                let month = if *is_oldest { open.next() } else { open.next_back() };
                if let Some(month) = month.copied() {
                    seen.closed.insert(month, self.close(&month.to_string()));
                }
            }
            Act::Correct(back, part) => {
                let month = moved(*running, -i8::try_from(*back).unwrap());
                let fee = seen.closed.get(&month).map_or(0, |held| sum(held, LineKind::Fee));
                let amount = u64::try_from(fee).unwrap() * part / 100;
                let _ = self.correct(&month.to_string(), amount, &number.to_string());
            }
            Act::Down => self.down(&running_text),
        }
    }

    fn check(&self, seen: &Seen) -> Result<(), TestCaseError> {
        let agreements = self.commerce.agreements(ACCOUNT).unwrap();
        for (month, terms) in &seen.due {
            let holds = agreements.in_month(*month);
            prop_assert_eq!(holds.map(|held| &held.terms), terms.as_ref(), "{}", month);
        }
        for (month, invoice) in &seen.closed {
            let held = self.commerce.invoices().load(ACCOUNT, *month).unwrap().unwrap();
            prop_assert_eq!(&held, invoice);
            let due = agreements.in_month(*month).map_or(0, |agreement| match &agreement.terms {
                Terms::Integrator { interval: Interval::Yearly, fee_usdc_e6, .. } => {
                    let is_due = month.months_since(agreement.from) % 12 == 0;
                    if is_due { *fee_usdc_e6 } else { 0 }
                }
                Terms::Integrator { fee_usdc_e6, .. } => *fee_usdc_e6,
                Terms::Enterprise { monthly_fee_usdc_e6, .. } => *monthly_fee_usdc_e6,
            });
            prop_assert_eq!(sum(invoice, LineKind::Fee), i128::from(due), "{}", month);
            self.check_fee(seen, *month, invoice, &agreements)?;
        }
        self.commerce.journal().verify().unwrap();
        Ok(())
    }

    /// A fee gives back no more than it is; a yearly one is followed by no other within its months
    /// unless their part of it was taken back.
    fn check_fee(
        &self,
        seen: &Seen,
        month: Month,
        invoice: &Invoice,
        agreements: &Agreements,
    ) -> Result<(), TestCaseError> {
        let fee = sum(invoice, LineKind::Fee);
        let Some(agreement) = agreements.in_month(month).filter(|_| fee > 0) else {
            return Ok(());
        };
        let is_yearly = matches!(agreement.terms, Terms::Integrator { interval, .. } if interval == Interval::Yearly);
        let documents = self.commerce.invoices().documents(ACCOUNT, month).unwrap();
        let taken: i128 = documents.iter().map(|note| -sum(note, LineKind::Correction)).sum();
        let mut credited = -sum(invoice, LineKind::AvailabilityCredit);
        for months in 1..12_u32 {
            let later = month.plus(months);
            let Some(next) = seen.closed.get(&later).filter(|_| is_yearly) else { continue };
            if sum(next, LineKind::Fee) > 0 {
                let left = fee * i128::from(12 - months);
                prop_assert!(taken * 12 >= left || taken + credited >= fee, "{month} {later}");
                break;
            }
            credited -= sum(next, LineKind::AvailabilityCredit);
        }
        prop_assert!(taken + credited <= fee, "{month}: {taken} {credited} {fee}");
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Whatever is entered, ended, closed, corrected, in whatever order while time goes on: a month
    /// is billed by the agreement that held when it was over, closed invoices are as the record says,
    /// and no year is billed again beyond what was taken back.
    #[test]
    fn every_month_is_billed_by_the_agreement_that_was_in_force_for_it(acts in acts()) {
        let world = world();
        let (mut running, mut seen) = (month("2027-10"), Seen::default());
        for (number, act) in acts.iter().enumerate() {
            world.act(act, number, &mut running, &mut seen);
            world.check(&seen)?;
        }
    }
}
