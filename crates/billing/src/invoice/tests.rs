use proptest::prelude::*;
use superroot_account::meter::RouteNumber;
use superroot_account::{Access, Grid, MeteredRoute, PlanTable};
use superroot_types::{ChainKey, Family};

use super::*;
use crate::price_list::PriceList;

const USDC: u64 = 1_000_000;
const NOW: UnixSeconds = UnixSeconds(1_800_000_000);
const PRICE: &str = "/price/{chain}/{token}";

const fn weighs_one(number: u16, path: &'static str, grid: Grid) -> MeteredRoute {
    let (number, grid) = (RouteNumber(number), Some(grid));
    MeteredRoute { number, path, grid, access: Access::Anyone, weight: 1, requests: 1 }
}

/// A small service's routes, each of which weighs a token.
pub(crate) const ROUTES: &[MeteredRoute] =
    &[weighs_one(1, "/kv/verify", Grid::G1), weighs_one(2, PRICE, Grid::G4)];

fn month() -> Month {
    "2026-02".parse().unwrap()
}

fn used(path: &str, chain: u64, tokens: u64) -> BilledUsage {
    let chain = Some(ChainKey { family: Family::Evm, id: ChainId(chain) });
    let route = ROUTES.iter().find(|route| route.path == path).unwrap().number;
    BilledUsage { route, chain, requests: tokens + 1, tokens }
}

fn metered() -> MonthPrices {
    MonthPrices::metered(&PriceList::of(&PlanTable::default(), NOW))
}

fn made(
    used: &[BilledUsage],
    entries: &[JournalEntry],
    prices: &MonthPrices,
) -> Result<Bill, BillingError> {
    let mut usage = MonthUsage::default();
    used.iter().try_for_each(|used| usage.add(used, ROUTES))?;
    bill(month(), entries, &usage, prices)
}

fn entry(number: u32, kind: EntryKind, usdc_e6: u64) -> JournalEntry {
    let moved = NewEntry::new(kind, usdc_e6, format!("r{number}"), "text, \"=1+1\" <b>").unwrap();
    JournalEntry { at: NOW, month: month(), number, moved }
}

fn document(bill: &Bill) -> MonthInvoice {
    MonthInvoice {
        number: 42,
        environment: Environment::Test,
        account: AccountId(uuid::Uuid::from_bytes([9; 16])),
        month: month(),
        billed_to: "A & Sons <ltd>".into(),
        issued_at: NOW,
        lines: bill.lines.clone(),
        total_usdc_e6: bill.total_usdc_e6,
    }
}

#[test]
fn the_first_million_is_free_once_and_then_a_million_costs_ten() {
    let bill = made(&[used("/kv/verify", 1, 600_000), used(PRICE, 1, 600_000)], &[], &metered());
    let bill = bill.unwrap();
    let amounts: Vec<_> = bill.lines.iter().map(|l| (l.free_tokens, l.amount_usdc_e6)).collect();
    assert_eq!(amounts, [(600_000, 0), (400_000, 2_000_000)]);
    assert_eq!((bill.total_usdc_e6, bill.entries[0].usdc_e6), (2_000_000, 2_000_000));
    let total = |tokens| made(&[used(PRICE, 1, tokens)], &[], &metered()).unwrap().total_usdc_e6;
    assert_eq!((total(2_000_000), total(1_000_000), total(1_000_001)), (10_000_000, 0, 10));
    let free = made(&[used(PRICE, 1, 1)], &[], &metered()).unwrap();
    assert!(free.says_something && free.entries.is_empty(), "it is told, and moves nothing");
    assert!(!made(&[], &[], &metered()).unwrap().says_something);
}

#[test]
fn usage_is_in_one_order_and_merged_by_route_and_chain() {
    let mut usage =
        vec![used(PRICE, 10, 5), used(PRICE, 1, 3), used("/kv/verify", 1, 1), used(PRICE, 1, 2)];
    let one = document(&made(&usage, &[], &metered()).unwrap());
    usage.reverse();
    assert_eq!(one, document(&made(&usage, &[], &metered()).unwrap()));
    let lines: Vec<_> = one.lines.iter().map(|line| (&line.label[..], line.tokens)).collect();
    assert_eq!(lines, [("/kv/verify", 1), (PRICE, 5), (PRICE, 5)]);
    assert_eq!((one.requests(), one.tokens()), (15, 11));
}

#[test]
fn a_month_has_a_line_for_its_fee_and_for_each_entry() {
    let entries = [
        entry(0, EntryKind::Subscription, 50 * USDC),
        entry(1, EntryKind::Paid, 50 * USDC),
        entry(2, EntryKind::RevenueShare, 30 * USDC),
        entry(3, EntryKind::CreditNote, 9 * USDC),
    ];
    let fee = Some(("integrator, monthly", 99 * USDC));
    let prices = MonthPrices { fee, million_tokens_usdc_e6: 0, ..metered() };
    let bill = made(&[], &entries, &prices).unwrap();
    let kinds: Vec<_> = bill.lines.iter().map(|line| line.kind.name()).collect();
    assert_eq!(kinds, ["fee", "subscription", "paid", "revenue_share", "credit_note"]);
    assert_eq!((bill.total_usdc_e6, bill.entries.len()), (60_000_000, 1));
    assert_eq!(document(&bill).sum_of(EntryKind::RevenueShare), -30_000_000);
}

#[test]
fn usage_that_is_in_anothers_fee_is_told_and_no_reason_for_an_invoice() {
    let usage = [used(PRICE, 1, 5_000_000)];
    let alone = made(&usage, &[], &MonthPrices::included()).unwrap();
    assert!(!alone.says_something && alone.total_usdc_e6 == 0);
    let charged =
        made(&usage, &[entry(0, EntryKind::Charge, 5)], &MonthPrices::included()).unwrap();
    assert!(charged.says_something && charged.lines.len() == 2);
}

#[test]
fn amounts_past_what_is_counted_and_too_many_lines_are_errors() {
    let dear = MonthPrices { million_tokens_usdc_e6: u64::MAX, ..metered() };
    assert!(made(&[used(PRICE, 1, u64::MAX - 1)], &[], &dear).is_err());
    let twice = [used(PRICE, 1, u64::MAX - 1), used(PRICE, 1, 2)];
    assert!(made(&twice, &[], &metered()).is_err());
    let fee = MonthPrices { fee: Some(("fee", u64::MAX)), ..metered() };
    assert!(made(&[], &[], &fee).is_err());
    let many: Vec<_> = (0..10_001).map(|number| entry(number, EntryKind::Paid, 1)).collect();
    assert!(matches!(made(&[], &many, &metered()), Err(BillingError::Invoice { .. })));
}

#[test]
fn a_document_is_printed_safely() {
    let invoice = document(
        &made(&[used(PRICE, 1, 7)], &[entry(0, EntryKind::Charge, 5)], &metered()).unwrap(),
    );
    let csv = invoice.to_csv();
    assert!(csv.starts_with("number,month,kind,label,chain,"), "{csv}");
    assert!(
        csv.contains("SR-TEST-000042,2026-02,usage,\"/price/{chain}/{token}\",1,8,7,7,0.000000")
    );
    assert!(csv.contains("charge,\"text, \"\"=1+1\"\" <b>\",,0,0,0,0.000005\r\n"), "{csv}");
    assert!(csv.ends_with("SR-TEST-000042,2026-02,total,,,8,7,,0.000005\r\n"), "{csv}");
    let html = invoice.to_html();
    assert!(
        html.contains("<h1>Invoice SR-TEST-000042</h1>")
            && html.contains("A &amp; Sons &lt;ltd&gt;")
    );
    assert!(html.contains("&lt;b&gt;") && !html.contains("<b>") && !html.contains("<script"));
    let formula = NewEntry::new(EntryKind::Charge, 5, "r", "=HYPERLINK(1)").unwrap();
    let formula = JournalEntry { at: NOW, month: month(), number: 0, moved: formula };
    let csv = document(&made(&[], &[formula], &metered()).unwrap()).to_csv();
    assert!(csv.contains("charge,\"'=HYPERLINK(1)\","), "{csv}");
}

#[test]
fn rows_stand_as_they_are_pinned() {
    use superroot_account::row::encode;
    let text = |row: Vec<u8>| String::from_utf8(row).unwrap();
    let moved = NewEntry::new(EntryKind::Paid, 5, "r", "t").unwrap();
    let row = JournalEntry { at: UnixSeconds(7), month: month(), number: 3, moved: moved.clone() };
    let pinned = "\u{1}{\"at\":7,\"month\":\"2026-02\",\"number\":3,\"moved\":{\"kind\":\"paid\",\
        \"usdc_e6\":-5,\"reference\":\"r\",\"text\":\"t\"}}";
    assert_eq!(text(encode(&row)), pinned);
    let pinned = "\u{1}[{\"kind\":\"paid\",\"usdc_e6\":-5,\"reference\":\"r\",\"text\":\"t\"}]";
    assert_eq!(text(encode(&[moved])), pinned);
    let row = document(&made(&[], &[row], &metered()).unwrap());
    let pinned = "\u{1}{\"number\":42,\"environment\":\"test\",\"account\":\
        \"09090909-0909-0909-0909-090909090909\",\"month\":\"2026-02\",\"billed_to\":\
        \"A & Sons <ltd>\",\"issued_at\":1800000000,\"lines\":[{\"kind\":\"paid\",\"label\":\"t\",\
        \"chain\":null,\"requests\":0,\"tokens\":0,\"free_tokens\":0,\"amount_usdc_e6\":-5}],\
        \"total_usdc_e6\":-5}";
    assert_eq!(text(encode(&row)), pinned);
    let book = crate::journal::AccountBalance { owes_usdc_e6: -5, entry_count: 2 };
    assert_eq!(text(encode(&book)), "\u{1}{\"owes_usdc_e6\":-5,\"entry_count\":2}");
    let minutes = crate::MeasuredMonth { measured_minutes: 3, up_minutes: 2, last_minute: 9 };
    let pinned = "\u{1}{\"measured_minutes\":3,\"up_minutes\":2,\"last_minute\":9}";
    assert_eq!(text(encode(&minutes)), pinned);
}

proptest! {
    /// Lines add up to the total, requests and tokens to the usage, and what is rounded is rounded in the
    /// customer's favour, by less than a millionth a line.
    #[test]
    fn lines_add_up(
        usage in prop::collection::vec((0..3_u64, 0..5_000_000_u64), 0..12),
        entries in prop::collection::vec((0..4_usize, 1..1_000_000_000_u64), 0..12),
    ) {
        let usage: Vec<_> = usage.iter().map(|(chain, tokens)| used(PRICE, *chain, *tokens)).collect();
        let kinds = [EntryKind::Subscription, EntryKind::Paid, EntryKind::Refund, EntryKind::CreditNote];
        let entries: Vec<_> =
            (0..).zip(&entries).map(|(at, (kind, usdc))| entry(at, kinds[*kind], *usdc)).collect();
        let bill = made(&usage, &entries, &metered()).unwrap();
        let invoice = document(&bill);
        let sum: i64 = invoice.lines.iter().map(|line| line.amount_usdc_e6).sum();
        prop_assert_eq!(sum, invoice.total_usdc_e6);
        let tokens: u64 = usage.iter().map(|used| used.tokens).sum();
        prop_assert_eq!(invoice.tokens(), u128::from(tokens));
        prop_assert_eq!(invoice.requests(), usage.iter().map(|used| u128::from(used.requests)).sum());
        let entered: i64 = entries.iter().map(|entry| entry.moved.usdc_e6).sum();
        let closing: i64 = bill.entries.iter().map(|entry| entry.usdc_e6).sum();
        prop_assert_eq!(entered + closing, invoice.total_usdc_e6);
        let exact = tokens.saturating_sub(1_000_000) * 10;
        let billed = u64::try_from(invoice.sum_of(EntryKind::Usage)).unwrap();
        prop_assert!(billed <= exact && exact - billed <= usage.len() as u64);
    }
}
