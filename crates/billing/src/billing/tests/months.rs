use proptest::prelude::*;
use superroot_store::Table;

use super::*;
use crate::billing::OperatorEntry;
use crate::entry::EntryKind;
use crate::invoice::MonthInvoice;
use crate::keys::BillingKey;
use crate::subscription::SubscriptionAct;

#[test]
fn a_month_is_closed_once_in_order_and_never_changes() {
    let world = world("2026-02");
    let (account, issued) = world.open();
    world.make_integrator(account.id, Interval::Monthly, 99);
    world.count(account.id, issued.key.id, 3);
    let february = month("2026-02");
    let draft = world.billing.invoice_or_draft(account.id, february).unwrap();
    assert_eq!((draft.number, draft.tokens(), draft.total_usdc_e6), (0, 3, 99_000_000));
    let close = |month| world.billing.close_month(account.id, month, Some(&operator()));
    assert!(matches!(close(february), Err(BillingError::Month { .. })), "it is not over");
    assert!(matches!(close(month("2026-01")), Err(BillingError::Month { .. })), "no account yet");
    world.go_to("2026-04");
    let march = close(month("2026-03")).unwrap().unwrap();
    assert_eq!(march.number, 2, "February came first");
    let closed = close(february).unwrap().unwrap();
    assert_eq!((closed.number, &closed.lines), (1, &draft.lines));
    let rows = world.rows();
    world.count(account.id, issued.key.id, 1);
    assert_eq!(close(february).unwrap().unwrap(), closed);
    let documents = |rows: &[(Table, Vec<superroot_store::Row>)]| {
        rows.iter().find(|(table, _)| *table == Table::Invoice).unwrap().1.clone()
    };
    assert_eq!(documents(&world.rows()), documents(&rows), "closed twice, the same bytes");
    assert_eq!(world.acts().iter().filter(|act| *act == "close_month").count(), 2);
    assert_eq!(world.billing.owes_usdc_e6(account.id).unwrap(), 198_000_000);
    assert_eq!(world.billing.invoice_of_number(1).unwrap().unwrap(), closed);
    let listed = world.billing.invoices(account.id, None, 10).unwrap();
    assert_eq!(listed, [march.clone(), closed.clone()]);
    assert_eq!(world.billing.invoices(account.id, Some(month("2026-03")), 10).unwrap(), [closed]);
}

#[test]
fn what_comes_late_stands_in_the_month_in_which_it_was_entered() {
    let world = world("2026-02");
    let (account, _) = world.open();
    world.make_integrator(account.id, Interval::Monthly, 99);
    world.go_to("2026-03");
    world.close_all();
    let receipt = |reference: &str, usdc: u64| OperatorEntry {
        account: account.id,
        usdc_e6: usdc * USDC,
        reference: reference.to_owned(),
        by: operator(),
    };
    let (paid, is_repeat) = world.billing.receive(&receipt("wire 1", 80)).unwrap();
    assert_eq!((paid.month, is_repeat), (month("2026-03"), false));
    let (again, is_repeat) = world.billing.receive(&receipt("wire 1", 80)).unwrap();
    assert_eq!((again, is_repeat), (paid, true));
    let differs = world.billing.receive(&receipt("wire 1", 81));
    assert!(matches!(differs, Err(BillingError::ReferenceDiffers { .. })));
    for _ in 0..2 {
        world.billing.credit(&receipt("a", 99)).unwrap();
    }
    assert!(world.billing.credit(&receipt("a", 90)).is_err(), "a reference is one credit");
    assert_eq!(world.billing.owes_usdc_e6(account.id).unwrap(), -80_000_000);
    let march = world.billing.invoice_or_draft(account.id, month("2026-03")).unwrap();
    assert_eq!(march.sum_of(EntryKind::CreditNote), -99_000_000);
    assert_eq!(march.sum_of(EntryKind::Paid), -80_000_000);
    // a clock that is set back enters nothing behind a closed month
    world.go_to("2026-02");
    let late = world.billing.receive(&receipt("wire 2", 1));
    let why = "a stopwatch that stands still lets the clock of this test run back";
    assert!(matches!(late, Err(BillingError::Month { .. })), "{why}: {late:?}");
    let agreed = world.agree(account.id, AgreementTerms::Ended, "2026-02");
    assert!(agreed.is_err());
}

/// A clock that is months ahead closes nothing: fees of months to come are not charged, and what is paid in
/// the month that it really is can be entered.
#[test]
fn a_month_is_closed_when_the_chains_have_passed_it_or_an_operator_says_so() {
    let world = world("2026-02");
    let (account, _) = world.open();
    world.make_integrator(account.id, Interval::Monthly, 99);
    let real = UnixSeconds(month("2026-02").start().0 + 20 * 86_400);
    world.go_to("2026-11");
    let october = Some(month("2026-10"));
    assert_eq!(world.close_by(Some(real)), (0, october));
    assert_eq!(world.close_by(None), (0, october), "no chain has a block");
    assert_eq!(
        world.close_by(Some(UnixSeconds(u64::MAX))),
        (0, october),
        "no time of the calendar"
    );
    world.clock.set(real);
    world.billing.receive(&world.receipt(account.id, 1, "wire-1")).unwrap();
    // the chains alone close nothing, and no month before its own blocks are past it
    assert_eq!(world.close_by(Some(month("2026-04").end())), (0, None));
    world.go_to("2026-04");
    assert_eq!(world.close_by(Some(month("2026-02").end())), (1, Some(month("2026-03"))));
    assert_eq!(world.owes_usdc(account.id), 98);
    let early = world.billing.confirm_month_over(month("2026-04"), &operator());
    assert!(matches!(early, Err(BillingError::Month { .. })), "{early:?}");
    for _ in 0..2 {
        world.billing.confirm_month_over(month("2026-03"), &operator()).unwrap();
    }
    assert_eq!(world.close_by(None), (1, None));
    assert_eq!(world.owes_usdc(account.id), 197);
    assert_eq!(world.acts().iter().filter(|act| *act == "confirm_month_over").count(), 1);
    world.billing.check().unwrap();
}

#[test]
fn an_account_about_which_there_is_nothing_to_say_uses_up_no_number() {
    let world = world("2026-02");
    let (idle, _) = world.open();
    let (account, _) = world.open();
    world.make_integrator(account.id, Interval::Monthly, 99);
    world.go_to("2026-05");
    assert_eq!(world.close_all(), 1, "accounts that have an invoice of the last month due");
    assert_eq!(world.close_all(), 1, "gone through again without harm");
    let numbers = world.billing.invoices(account.id, None, 10).unwrap();
    let numbers: Vec<u64> = numbers.iter().map(|invoice| invoice.number).collect();
    assert_eq!(numbers, [3, 2, 1], "without gaps");
    assert!(world.billing.invoices(idle.id, None, 10).unwrap().is_empty());
    assert_eq!(world.billing.check().unwrap(), 3);
}

/// Two closers at one time: each month has one invoice, and numbers have no gaps.
#[test]
fn many_closers_at_one_time_make_one_invoice_a_month() {
    let world = world("2026-02");
    let accounts: Vec<_> = (0..6).map(|_| world.open().0.id).collect();
    for account in &accounts {
        world.make_integrator(*account, Interval::Monthly, 99);
    }
    world.go_to("2026-04");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| world.close_all());
        }
    });
    let of = |account: &AccountId| world.billing.invoices(*account, None, 10).unwrap();
    let mut numbers: Vec<u64> =
        accounts.iter().flat_map(of).map(|invoice: MonthInvoice| invoice.number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=12).collect::<Vec<_>>());
    world.billing.check().unwrap();
}

#[test]
fn a_row_that_was_tampered_with_is_found() {
    let world = world("2026-02");
    let (account, _) = world.open();
    world.make_integrator(account.id, Interval::Monthly, 99);
    world.go_to("2026-04");
    world.close_all();
    world.billing.check().unwrap();
    let environment = world.billing.environment();
    let february = month("2026-02");
    let keys = [
        BillingKey::Book(account.id),
        BillingKey::Entry(account.id, february, 0),
        BillingKey::Document(account.id, february),
        BillingKey::ByNumber(1),
    ];
    for key in keys {
        let bytes = world.store.get(key.table(), &key.encode(environment)).unwrap().unwrap();
        let text = String::from_utf8(bytes.clone()).unwrap();
        let bent = text.replacen("198000000", "198000001", 1).replacen("99000000", "99000001", 1);
        let bent = if bent == text { text.replacen("2026-02", "2026-03", 1) } else { bent };
        let put = |bytes: Vec<u8>| {
            let mut batch = WriteBatch::new();
            batch.put(key.table(), key.encode(environment), bytes);
            world.store.commit(batch).unwrap();
        };
        assert_ne!(bent.as_bytes(), bytes);
        put(bent.into_bytes());
        assert!(world.billing.check().is_err(), "{key:?}");
        put(bytes);
        world.billing.check().unwrap();
    }
}

/// Money of one account waits for no other's: a commit built before another's still holds.
#[test]
fn commits_of_one_account_do_not_conflict_with_those_of_another() {
    let world = world("2026-02");
    let (one, _) = world.open();
    let (two, _) = world.open();
    let journal = world.billing.journal();
    let paid = |reference: &str| {
        crate::entry::NewEntry::new(EntryKind::Paid, USDC, reference, "paid").unwrap()
    };
    let (mut first, mut second) = (WriteBatch::new(), WriteBatch::new());
    let now = world.billing.now();
    journal.stage_one(&mut first, one.id, now, &paid("a")).unwrap();
    journal.stage_one(&mut second, two.id, now, &paid("a")).unwrap();
    superroot_account::note(&mut first, &[superroot_account::Changed::Account(one.id)]);
    superroot_account::note(&mut second, &[superroot_account::Changed::Account(two.id)]);
    world.store.commit(second).unwrap();
    world.store.commit(first).unwrap();
    world.billing.check().unwrap();
}

/// What may happen to two accounts, month after month.
#[derive(Clone, Debug)]
enum Happening {
    Pay { to: usize, number: u8 },
    Refund { to: usize, usdc: u64 },
    Receive { to: usize, usdc: u64, reference: u8 },
    Credit { to: usize, usdc: u64, reference: u8 },
    PayOut { to: usize, usdc: u64, reference: u8 },
    TakeBack { of: usize, back: u32, number: u32 },
    Use { by: usize, tokens: u64 },
    NextMonth,
    Close,
}

fn happenings() -> impl Strategy<Value = Vec<Happening>> {
    let (to, usdc, reference) = (0..2_usize, 1..120_u64, 0..4_u8);
    let one = prop_oneof![
        2 => (to.clone(), any::<u8>()).prop_map(|(to, number)| Happening::Pay { to, number }),
        1 => (to.clone(), usdc.clone()).prop_map(|(to, usdc)| Happening::Refund { to, usdc }),
        2 => (to.clone(), usdc.clone(), reference.clone())
            .prop_map(|(to, usdc, reference)| Happening::Receive { to, usdc, reference }),
        1 => (to.clone(), usdc.clone(), reference.clone())
            .prop_map(|(to, usdc, reference)| Happening::PayOut { to, usdc, reference }),
        1 => (to.clone(), 0..3_u32, 0..4_u32)
            .prop_map(|(of, back, number)| Happening::TakeBack { of, back, number }),
        2 => (to.clone(), usdc, reference)
            .prop_map(|(to, usdc, reference)| Happening::Credit { to, usdc, reference }),
        2 => (to, 0..4_u64).prop_map(|(by, tokens)| Happening::Use { by, tokens }),
        2 => Just(Happening::NextMonth),
        1 => Just(Happening::Close),
    ];
    prop::collection::vec(one, 1..30)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Whatever happens: invoices of all closed months and the drafts of the others add up to what is owed,
    /// numbers have no gaps, and what is closed never changes.
    #[test]
    fn invoices_of_all_months_add_up_to_the_journal(happenings in happenings()) {
        let world = world("2026-01");
        let opened = [world.open(), world.open()];
        world.make_integrator(opened[0].0.id, Interval::Monthly, 99);
        let mut running = month("2026-01");
        let mut closed: Vec<MonthInvoice> = Vec::new();
        for happening in happenings {
            let account = |to: usize| opened[to].0.id;
            match happening {
                Happening::Pay { to, number } => {
                    // entered for the account as for the wallet that it has proven
                    let act = SubscriptionAct::Payment(payment(number, Address([9; 20]), Tier::Builder, world.clock_now()));
                    let _ = world.billing.apply_for_test(&Payer::Account(account(to)), &act);
                }
                Happening::Refund { to, usdc } => {
                    let act = SubscriptionAct::Refund { usdc_e6: usdc * USDC };
                    let _ = world.billing.act(&Payer::Account(account(to)), &act, &operator());
                }
                Happening::Receive { to, usdc, reference } => {
                    let (account, reference, by) = (account(to), reference.to_string(), operator());
                    let _ = world.billing.receive(&OperatorEntry { account, usdc_e6: usdc * USDC, reference, by });
                }
                Happening::Credit { to, usdc, reference } => {
                    let credit = world.receipt(account(to), usdc, &reference.to_string());
                    let _ = world.billing.credit(&credit);
                }
                Happening::PayOut { to, usdc, reference } => {
                    let payout = world.receipt(account(to), usdc, &reference.to_string());
                    let _ = world.billing.pay_out(&payout);
                }
                Happening::TakeBack { of, back, number } => {
                    let month = (0..back).try_fold(running, |month, _| month.before()).unwrap();
                    let _ = world.billing.take_back(account(of), (month, number), &operator());
                }
                Happening::Use { by, tokens } => world.count(account(by), opened[by].1.key.id, tokens),
                Happening::NextMonth => {
                    running = running.next();
                    world.go_to(&running.to_string());
                }
                Happening::Close => _ = world.close_all(),
            }
            for invoice in &closed {
                let held = world.billing.invoice(invoice.account, invoice.month).unwrap();
                prop_assert_eq!(held.as_ref(), Some(invoice), "what is closed never changes");
            }
            closed.clear();
            for (account, _) in &opened {
                closed.extend(world.billing.invoices(account.id, None, 100).unwrap());
            }
        }
        running = running.next();
        world.go_to(&running.to_string());
        world.close_all();
        for (account, _) in &opened {
            let invoices = world.billing.invoices(account.id, None, 100).unwrap();
            let total: i64 = invoices.iter().map(|invoice| invoice.total_usdc_e6).sum();
            prop_assert_eq!(total, world.billing.owes_usdc_e6(account.id).unwrap());
        }
        world.billing.check().unwrap();
    }
}
