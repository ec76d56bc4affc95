use superroot_store::{Table, WriteBatch};

use super::*;
use crate::entry::EntryKind;
use crate::journal::reference_hash;
use crate::keys::BillingKey;

/// Rows as the build before price lists, payouts and reversals wrote them.
fn rows(account: AccountId) -> Vec<(BillingKey, String)> {
    let (february, march) = (month("2026-02"), month("2026-03"));
    let entry = |of: Month, number: u32, kind: &str, usdc_e6: i64, reference: &str, text: &str| {
        format!(
            "{{\"at\":1772326800,\"month\":\"{of}\",\"number\":{number},\"moved\":{{\"kind\":\"{kind}\",\
             \"usdc_e6\":{usdc_e6},\"reference\":\"{reference}\",\"text\":\"{text}\"}}}}"
        )
    };
    let at = |of: Month, number: u32| format!("{{\"month\":\"{of}\",\"number\":{number}}}");
    let found = |kind, reference| BillingKey::Reference(account, reference_hash(kind, reference));
    let corrected = "invoice SR-LIVE-000001: contract 7";
    vec![
        (BillingKey::Book(account), "{\"owes_usdc_e6\":9500000,\"entry_count\":3}".into()),
        (
            BillingKey::Entry(account, february, 0),
            entry(february, 0, "fee", 99_000_000, "2026-02", "integrator, monthly"),
        ),
        (
            BillingKey::Entry(account, march, 0),
            entry(march, 0, "paid", -80_000_000, "wire-1", "paid, wire-1"),
        ),
        (
            BillingKey::Entry(account, march, 1),
            entry(march, 1, "credit_note", -9_500_000, "a", corrected),
        ),
        (found(EntryKind::Fee, "2026-02"), at(february, 0)),
        (found(EntryKind::Paid, "wire-1"), at(march, 0)),
        (found(EntryKind::CreditNote, "a"), at(march, 1)),
        (
            BillingKey::Agreement(account, february),
            format!(
                "{{\"account\":\"{account}\",\"from\":\"2026-02\",\"terms\":{{\"integrator\":{{\"interval\":\
                 \"monthly\",\"fee_usdc_e6\":99000000,\"tier\":\"builder\"}}}},\"by\":{{\"who\":\"ana\",\
                 \"why\":\"contract 7\"}},\"entered_at\":1769904000}}"
            ),
        ),
        (BillingKey::Closed(account), "\"2026-02\"".into()),
        (
            BillingKey::Document(account, february),
            format!(
                "{{\"number\":1,\"environment\":\"live\",\"account\":\"{account}\",\"month\":\"2026-02\",\
                 \"billed_to\":\"Account {account}\",\"issued_at\":1772326800,\"lines\":[{{\"kind\":\"fee\",\
                 \"label\":\"integrator, monthly\",\"chain\":null,\"requests\":0,\"tokens\":0,\
                 \"free_tokens\":0,\"amount_usdc_e6\":99000000}}],\"total_usdc_e6\":99000000}}"
            ),
        ),
        (BillingKey::LastNumber, "1".into()),
        (BillingKey::ByNumber(1), format!("[\"{account}\",\"2026-02\"]")),
    ]
}

/// A journal of an earlier build adds up, goes on where it was, and knows what is new here.
#[test]
fn a_journal_of_an_earlier_build_is_read_and_goes_on() {
    let world = world("2026-03");
    let (account, issued) = world.open();
    let mut batch = WriteBatch::new();
    for (key, json) in rows(account.id) {
        let row = [&[1], json.as_bytes()].concat();
        batch.put(key.table(), key.encode(world.billing.environment()), row);
    }
    // what earlier builds counted of the credit notes of an invoice
    let environment = world.billing.environment().byte();
    let month_key = month("2026-02").key();
    let counted = [&[environment, 5][..], account.id.0.as_bytes(), &month_key].concat();
    batch.put(Table::Invoice, counted, b"\x019500000".to_vec());
    world.store.commit(batch).unwrap();
    assert_eq!(world.billing.check().unwrap(), 3);
    assert_eq!(world.billing.owes_usdc_e6(account.id).unwrap(), 9_500_000);
    let february = month("2026-02");
    let invoice = world.billing.invoice(account.id, february).unwrap().unwrap();
    assert_eq!((invoice.printed_number().as_str(), invoice.lines.len()), ("SR-LIVE-000001", 1));
    // what was entered is known again, and can be taken back
    let receipt = world.receipt(account.id, 80, "wire-1");
    let (paid, is_repeat) = world.billing.receive(&receipt).unwrap();
    assert!(is_repeat);
    let again = world.billing.credit(&world.receipt(account.id, 9, "a"));
    assert!(matches!(again, Err(BillingError::ReferenceDiffers { .. })), "{again:?}");
    let (note, _) =
        world.billing.take_back(account.id, (month("2026-03"), 1), &operator()).unwrap();
    assert_eq!(note.moved.usdc_e6, 9_500_000);
    // no price list was entered: the configured one bills what is open
    let list = world.billing.price_list(month("2026-03")).unwrap();
    assert_eq!(list.million_tokens_usdc_e6, 10 * USDC);
    assert!(world.billing.enter_price_list().unwrap().is_some());
    world.count(account.id, issued.key.id, 2);
    world.billing.take_back(account.id, (paid.month, paid.number), &operator()).unwrap();
    world.go_to("2026-04");
    assert_eq!(world.close_all(), 1);
    assert_eq!(world.owes_usdc(account.id), 99 + 99);
    assert_eq!(world.billing.check().unwrap(), 6);
    assert!(
        world
            .store
            .get(Table::Invoice, &BillingKey::ByNumber(2).encode(world.billing.environment()))
            .unwrap()
            .is_some()
    );
}
