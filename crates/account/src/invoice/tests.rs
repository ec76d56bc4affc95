use std::sync::Arc;

use proptest::prelude::*;
use superroot_store::{MemoryStore, Store};
use superroot_types::{ChainKey, Family};

use super::*;
use crate::Operator;
use crate::journal::{Book, Journal};
use crate::money::USDC;

const NOW: UnixSeconds = UnixSeconds(1_800_000_000);

fn month() -> Month {
    "2026-02".parse().unwrap()
}

const PRICE: &str = "/price/{chain}/{token}";

fn used(path: &str, chain: u64, tokens: u64) -> BilledUsage {
    let chain = Some(ChainKey { family: Family::Evm, id: ChainId(chain) });
    let route = crate::route(path).unwrap().number;
    BilledUsage { route, chain, requests: tokens + 1, tokens }
}

fn bill(usage: Vec<BilledUsage>) -> Bill {
    Bill {
        account: AccountId(uuid::Uuid::from_bytes([9; 16])),
        month: month(),
        billed_to: "A & Sons <ltd>".into(),
        charges: Charges::metered(&PayAsYouGo::default()),
        usage,
        bought: Vec::new(),
        charged: Vec::new(),
    }
}

fn draft(bill: &Bill) -> Invoice {
    bill.draft(Environment::Test, NOW).unwrap()
}

struct Room {
    store: Arc<MemoryStore>,
    invoices: Invoices,
    journal: Journal,
}

fn room() -> Room {
    let store = Arc::new(MemoryStore::new());
    let invoices = Invoices::new(store.clone(), Environment::Test);
    let journal = Journal::new(store.clone(), Environment::Test);
    Room { store, invoices, journal }
}

#[test]
fn the_first_million_is_free_once_and_then_a_million_costs_ten() {
    let invoice = draft(&bill(vec![used("/kv/verify", 1, 600_000), used(PRICE, 1, 600_000)]));
    let amounts: Vec<_> = invoice.lines.iter().map(|l| (l.free_tokens, l.amount_usdc_e6)).collect();
    assert_eq!(amounts, [(600_000, 0), (400_000, 2_000_000)]);
    assert_eq!(invoice.total_usdc_e6, 2_000_000);
    let twice = draft(&bill(vec![used(PRICE, 1, 2_000_000)]));
    assert_eq!(twice.total_usdc_e6, i64::try_from(10 * USDC).unwrap());
    assert_eq!(draft(&bill(vec![used(PRICE, 1, 1_000_000)])).total_usdc_e6, 0);
    assert_eq!(draft(&bill(vec![used(PRICE, 1, 1_000_001)])).total_usdc_e6, 10);
}

#[test]
fn usage_is_in_one_order_and_merged_by_route_and_chain() {
    let usage =
        vec![used(PRICE, 10, 5), used(PRICE, 1, 3), used("/kv/verify", 1, 1), used(PRICE, 1, 2)];
    let mut reversed = usage.clone();
    reversed.reverse();
    let invoice = draft(&bill(usage));
    assert_eq!(invoice, draft(&bill(reversed)));
    let lines: Vec<_> = invoice.lines.iter().map(|line| (&line.label[..], line.tokens)).collect();
    assert_eq!(lines, [("/kv/verify", 1), (PRICE, 5), (PRICE, 5)]);
    assert_eq!(invoice.requests(), 15);
}

#[test]
fn a_month_has_lines_for_fee_subscription_share_and_credit() {
    let mut bill = bill(vec![]);
    bill.charges.fee = Some(("integrator, monthly".into(), 99 * USDC));
    bill.charges.revenue_share_usdc_e6 = 30 * USDC;
    bill.charges.availability_credit_usdc_e6 = 9 * USDC;
    bill.bought = vec![BoughtPeriods {
        at: NOW,
        tier: Tier::Builder,
        usdc_e6: 50 * i128::from(USDC),
        into_credit_usdc_e6: 0,
        reference: "0xab".into(),
    }];
    let invoice = draft(&bill);
    let kinds: Vec<_> = invoice.lines.iter().map(|line| line.kind).collect();
    assert_eq!(
        kinds,
        [
            LineKind::Fee,
            LineKind::Subscription,
            LineKind::Paid,
            LineKind::RevenueShare,
            LineKind::AvailabilityCredit
        ]
    );
    assert_eq!(invoice.total_usdc_e6, 60_000_000);
}

#[test]
fn amounts_past_what_is_counted_are_errors() {
    let mut dear = bill(vec![used(PRICE, 1, u64::MAX - 1)]);
    dear.charges.million_tokens_usdc_e6 = u64::MAX;
    let mut twice = bill(vec![used(PRICE, 1, u64::MAX - 1), used(PRICE, 1, 2)]);
    twice.charges.million_tokens_usdc_e6 = 0;
    let mut fees = bill(vec![]);
    fees.charges.fee = Some(("fee".into(), u64::MAX));
    let mut many =
        bill(vec![used("/v5/superroot", 1, u64::MAX - 1), used("/finality", 1, u64::MAX - 1)]);
    many.charges.million_tokens_usdc_e6 = 400_000;
    for bill in [dear, twice, fees, many] {
        let error = bill.draft(Environment::Test, NOW).unwrap_err();
        assert!(matches!(error, AccountError::Overflow { .. }), "{error}");
    }
    let nobody = Bill { billed_to: String::new(), ..bill(vec![]) };
    assert!(nobody.draft(Environment::Test, NOW).is_err());
    let lines = (0..=INVOICE_LINES_MAX as u64).map(|chain| used(PRICE, chain, 1)).collect();
    assert!(bill(lines).draft(Environment::Test, NOW).is_err());
}

#[test]
fn a_closed_invoice_never_changes() {
    let Room { store, invoices, journal } = room();
    let first = bill(vec![used(PRICE, 1, 2_000_000)]);
    let early = UnixSeconds(month().end().0 - 1);
    let error = invoices.close(&first, early, &journal).unwrap_err();
    assert!(matches!(error, AccountError::Month { why: "is not over yet", .. }), "{error}");
    let closed = invoices.close(&first, month().end(), &journal).unwrap();
    assert_eq!((closed.number, closed.printed_number()), (1, "SR-TEST-000001".into()));
    let commits = store.commit_count();
    let more = bill(vec![used(PRICE, 1, 9_000_000)]);
    assert_eq!(invoices.close(&more, NOW, &journal).unwrap(), closed);
    assert_eq!(store.commit_count(), commits);
    assert_eq!(invoices.load(closed.account, month()).unwrap().as_ref(), Some(&closed));
    assert_eq!(invoices.by_number(1).unwrap(), Some(closed));
    assert_eq!(invoices.by_number(2).unwrap(), None);
}

#[test]
fn a_correction_is_a_credit_note_of_its_own_number() {
    let Room { invoices, journal, .. } = room();
    let bill = bill(vec![used(PRICE, 1, 2_000_000)]);
    let correct = |usdc_e6, reference: &str| {
        let (by, reference) = (operator("an outage"), reference.into());
        let correction = Correction { by, usdc_e6, reference };
        invoices.correct(bill.account, month(), &correction, NOW, &journal)
    };
    assert!(correct(1, "a").is_err(), "nothing is closed yet");
    let closed = invoices.close(&bill, NOW, &journal).unwrap();
    let note = correct(4 * USDC, "a").unwrap();
    assert_eq!((note.number, note.corrects, note.total_usdc_e6), (2, Some(1), -4_000_000));
    assert_eq!(correct(4 * USDC, "a").unwrap(), note);
    assert!(matches!(correct(5 * USDC, "a"), Err(AccountError::ReferenceDiffers { .. })));
    assert!(matches!(correct(6 * USDC + 1, "b"), Err(AccountError::Invoice { .. })));
    assert!(matches!(correct(0, "b"), Err(AccountError::Invoice { .. })));
    correct(6 * USDC, "b").unwrap();
    assert_eq!(invoices.load(bill.account, month()).unwrap(), Some(closed));
    assert_eq!(invoices.documents(bill.account, month()).unwrap().len(), 3);
    let owed = journal.balance(&Book::Receivable(bill.account)).unwrap();
    assert_eq!(owed.net_usdc_e6(), 0);
    assert!(note.to_html().contains("Corrects invoice SR-TEST-000001"));
}

fn operator(why: &str) -> Operator {
    Operator { who: "ana".into(), why: why.into() }
}

/// A number is of something: an account that used, bought and owes nothing has no invoice.
#[test]
fn a_month_of_nothing_is_given_no_number() {
    let Room { invoices, journal, .. } = room();
    let empty = bill(vec![]);
    let refused = invoices.close(&empty, NOW, &journal).unwrap_err();
    assert!(matches!(refused, AccountError::Invoice { .. }), "{refused}");
    assert_eq!(invoices.documents(empty.account, month()).unwrap(), []);
    let used = bill(vec![used(PRICE, 1, 0)]);
    assert_eq!(invoices.close(&used, NOW, &journal).unwrap().number, 1);
}

#[test]
fn a_payment_settles_what_is_owed_once() {
    let Room { store, invoices, journal } = room();
    let bill = bill(vec![used(PRICE, 1, 2_000_000)]);
    invoices.close(&bill, NOW, &journal).unwrap();
    let receipt = |usdc_e6, reference: &str, at| {
        let (by, reference) = (operator("on the statement"), reference.into());
        Receipt { account: bill.account, usdc_e6, reference, at, by }
    };
    let later = UnixSeconds(NOW.0 + 60);
    let repeats = [NOW, NOW, later]
        .map(|at| invoices.record_payment(&receipt(10 * USDC, "bank 7", at), &journal).unwrap());
    assert_eq!(repeats, [false, true, true]);
    let acts = crate::audit::list(&*store, 0, 10).unwrap();
    let subject = format!("account {} 10.000000 USDC, bank 7", bill.account);
    assert_eq!(acts.iter().map(|act| &act.subject).collect::<Vec<_>>(), [&subject]);
    let owed = journal.balance(&Book::Receivable(bill.account)).unwrap();
    assert_eq!(owed.net_usdc_e6(), 0);
    let nothing = invoices.record_payment(&receipt(0, "bank 8", NOW), &journal);
    assert!(matches!(nothing, Err(AccountError::Nothing { .. })));
}

#[test]
fn lists_run_from_the_newest_month_and_environments_are_apart() {
    let Room { store, invoices, journal } = room();
    let mut bill = bill(vec![used(PRICE, 1, 2_000_000)]);
    for text in ["2025-12", "2026-02", "2026-01"] {
        bill.month = text.parse().unwrap();
        invoices.close(&bill, NOW, &journal).unwrap();
    }
    let other = Bill { account: AccountId(uuid::Uuid::from_bytes([10; 16])), ..bill.clone() };
    invoices.close(&other, NOW, &journal).unwrap();
    let months = |before: Option<&str>| -> Vec<String> {
        let before = before.map(|text| text.parse().unwrap());
        let found = invoices.list(bill.account, before, 10).unwrap();
        found.iter().map(|invoice| invoice.month.to_string()).collect()
    };
    assert_eq!(months(None), ["2026-02", "2026-01", "2025-12"]);
    assert_eq!(months(Some("2026-01")), ["2025-12"]);
    let live = Invoices::new(store, Environment::Live);
    assert!(live.list(bill.account, None, 10).unwrap().is_empty());
}

/// A line never says that periods were bought where money is only held, and every payment comes to
/// nothing in sum.
#[test]
fn what_a_payment_bought_is_told_from_what_is_held_of_it() {
    for (deposit, expected) in [
        (0, &[("subscription", 50), ("paid", -50)][..]),
        (50, &[("deposit", 50), ("paid", -50)]),
        (20, &[("subscription", 30), ("deposit", 20), ("paid", -50)]),
        (-20, &[("subscription", 70), ("deposit", -20), ("paid", -50)]),
        (80, &[("subscription", -30), ("deposit", 80), ("paid", -50)]), // given back by an upgrade
    ] {
        let mut bill = bill(vec![]);
        bill.bought = vec![BoughtPeriods {
            at: NOW,
            tier: Tier::Builder,
            usdc_e6: 50 * i128::from(USDC),
            into_credit_usdc_e6: deposit * i128::from(USDC),
            reference: "payment 1".into(),
        }];
        let invoice = draft(&bill);
        let usdc = i64::try_from(USDC).unwrap();
        let lines = invoice.lines.iter().map(|line| (line.kind.name(), line.amount_usdc_e6 / usdc));
        assert_eq!(lines.collect::<Vec<_>>(), expected);
        assert_eq!(invoice.total_usdc_e6, 0);
        let says_held = invoice.to_csv().contains("held as credit, payment 1");
        assert_eq!(says_held, deposit > 0);
    }
}

#[test]
fn printed_forms_hold_every_line_and_no_foreign_markup() {
    let mut bill = bill(vec![used("/kv/verify", 1, 1_500_000), used(PRICE, 2, 7)]);
    bill.charges.fee = Some(("=cmd()".into(), 0));
    let (at, tier, reference) = (NOW, Tier::Builder, "<b>\"x\",y".into());
    bill.bought = vec![BoughtPeriods { at, tier, usdc_e6: 1, into_credit_usdc_e6: 0, reference }];
    bill.billed_to = "<script>alert(1)</script>".into();
    let invoice = draft(&bill);
    let html = invoice.to_html();
    assert!(!html.contains("<script") && !html.contains("<b>"), "{html}");
    assert!(html.contains("DRAFT") && html.contains("2026-02 (UTC)") && html.contains("5.000070"));
    let csv = invoice.to_csv();
    let lines: Vec<_> = csv.split("\r\n").collect();
    assert_eq!(lines.len(), 8);
    let verified = "DRAFT,2026-02,usage,\"/kv/verify\",1,1500001,1500000,1000000,5.000000";
    assert_eq!(lines[1], verified);
    assert_eq!(lines[2], "DRAFT,2026-02,usage,\"/price/{chain}/{token}\",2,8,7,0,0.000070");
    assert_eq!(lines[3], "DRAFT,2026-02,fee,\"'=cmd()\",,0,0,0,0.000000");
    assert_eq!(
        lines[5],
        "DRAFT,2026-02,paid,\"paid, <b>\"\"x\"\",y, 2027-01-15\",,0,0,0,-0.000001"
    );
    assert_eq!(lines[6], "DRAFT,2026-02,total,,,1500009,1500007,,5.000070");
    let json = serde_json::to_string(&invoice).unwrap();
    assert_eq!(serde_json::from_str::<Invoice>(&json).unwrap(), invoice);
}

#[test]
fn months_closed_at_one_time_have_numbers_without_gaps() {
    let Room { invoices, journal, .. } = room();
    std::thread::scope(|scope| {
        for thread in 0..4_u8 {
            let (invoices, journal) = (&invoices, &journal);
            scope.spawn(move || {
                for number in 0..4 {
                    let account = AccountId(uuid::Uuid::from_bytes([thread * 4 + number; 16]));
                    let bill = Bill { account, ..bill(vec![used(PRICE, 1, 2_000_000)]) };
                    invoices.close(&bill, NOW, journal).unwrap();
                }
            });
        }
    });
    for number in 1..=16 {
        assert_eq!(invoices.by_number(number).unwrap().map(|held| held.number), Some(number));
    }
    assert_eq!(invoices.by_number(17).unwrap(), None);
    assert_eq!(journal.verify().unwrap(), 16);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Whatever was used at whatever price: lines add up to the usage and to the total, free tokens
    /// are given once, no line is dearer than its exact price, and the ledger owes the totals.
    #[test]
    fn invoices_usage_and_ledger_agree(
        months in proptest::collection::vec(
            proptest::collection::vec((0..4_usize, 1..4_u64, 0..3_000_000_u64), 1..12), 1..4),
        price in 0..1_000_000_000_u64,
        free in prop_oneof![Just(0), Just(1_000_000), 0..5_000_000_u64],
    ) {
        let Room { invoices, journal, .. } = room();
        let routes = ["/kv/verify", PRICE, "/signals/arb", "/v5/superroot"];
        let mut owed = 0_i128;
        let mut month = month();
        let mut account = None;
        for usage in months {
            let usage: Vec<_> = usage.iter().map(|(r, c, t)| used(routes[*r], *c, *t)).collect();
            let (tokens, requests) = usage.iter().fold((0_u128, 0_u128), |(tokens, requests), used| {
                (tokens + u128::from(used.tokens), requests + u128::from(used.requests))
            });
            let mut bill = Bill { month, ..bill(usage) };
            bill.charges.million_tokens_usdc_e6 = price;
            bill.charges.free_tokens = free;
            let invoice = invoices.close(&bill, NOW, &journal).unwrap();
            prop_assert_eq!((invoice.tokens(), invoice.requests()), (tokens, requests));
            let sum: i64 = invoice.lines.iter().map(|line| line.amount_usdc_e6).sum();
            prop_assert_eq!(sum, invoice.total_usdc_e6);
            let given: u64 = invoice.lines.iter().map(|line| line.free_tokens).sum();
            prop_assert_eq!(u128::from(given), tokens.min(u128::from(free)));
            let billed = tokens - u128::from(given);
            let exact_e6 = billed * u128::from(price);
            let total_e6 = u128::try_from(invoice.total_usdc_e6).unwrap() * 1_000_000;
            prop_assert!(total_e6 <= exact_e6);
            prop_assert!(exact_e6 - total_e6 <= 1_000_000 * invoice.lines.len() as u128);
            owed += i128::from(invoice.total_usdc_e6);
            month = month.next();
            account = Some(bill.account);
        }
        let book = Book::Receivable(account.unwrap());
        prop_assert_eq!(journal.balance(&book).unwrap().net_usdc_e6(), owed);
        journal.verify().unwrap();
    }
}

/// What the invoice itself has taken back is not taken back again.
#[test]
fn credit_for_outages_and_corrections_together_are_no_more_than_was_charged() {
    let Room { invoices, journal, .. } = room();
    let mut bill = bill(vec![]);
    bill.charges.fee = Some(("enterprise, monthly".into(), 1_000 * USDC));
    bill.charges.availability_credit_usdc_e6 = 900 * USDC;
    invoices.close(&bill, NOW, &journal).unwrap();
    let correct = |usdc_e6, reference: &str| {
        let (by, reference) = (operator("an outage"), reference.into());
        let correction = Correction { by, usdc_e6, reference };
        invoices.correct(bill.account, month(), &correction, NOW, &journal)
    };
    assert!(matches!(correct(100 * USDC + 1, "a"), Err(AccountError::Invoice { .. })));
    correct(100 * USDC, "a").unwrap();
    assert_eq!(journal.balance(&Book::Receivable(bill.account)).unwrap().net_usdc_e6(), 0);
}

/// What is given back and paid back stands in the invoice as in the ledger.
#[test]
fn refunds_and_early_ends_are_lines() {
    let Room { invoices, journal, .. } = room();
    let mut bill = bill(vec![]);
    let moved = |usdc_e6, into_credit_usdc_e6, reference: &str| BoughtPeriods {
        at: NOW,
        tier: Tier::Explorer,
        usdc_e6,
        into_credit_usdc_e6,
        reference: reference.into(),
    };
    bill.bought = vec![moved(0, 40, "ended early"), moved(-39, -39, "refund")];
    let closed = invoices.close(&bill, NOW, &journal).unwrap();
    let told: Vec<_> = closed.lines.iter().map(|line| (line.kind, line.amount_usdc_e6)).collect();
    let expected = [
        (LineKind::Subscription, -40),
        (LineKind::Deposit, 40),
        (LineKind::Deposit, -39),
        (LineKind::Paid, 39),
    ];
    assert_eq!(told, expected);
    assert_eq!(closed.total_usdc_e6, 0);
}
