use proptest::prelude::*;

use superroot_store::MemoryStore;
use superroot_types::{Address, UnixSeconds};

use super::*;
use crate::interrupted::Interrupted;

fn journal() -> (Arc<MemoryStore>, Journal) {
    let store = Arc::new(MemoryStore::new());
    (store.clone(), Journal::new(store, Environment::Live))
}

fn sale(reference: &str, usdc_e6: u64) -> Posting {
    Posting {
        at: UnixSeconds(1_700_000_000),
        description: "a sale".into(),
        reference: reference.into(),
        lines: vec![
            EntryLine::debit(Book::Cash, usdc_e6),
            EntryLine::credit(Book::Revenue, usdc_e6),
        ],
    }
}

#[test]
fn an_entry_is_entered_once_under_its_reference() {
    let (store, journal) = journal();
    let first = journal.enter(&sale("a", 7)).unwrap();
    assert!(!first.is_repeat);
    let commits = store.commit_count();
    let again = journal.enter(&sale("a", 7)).unwrap();
    assert_eq!((again.entry, again.is_repeat), (first.entry, true));
    assert_eq!(store.commit_count(), commits);
    let error = journal.enter(&sale("a", 8)).unwrap_err();
    assert!(matches!(error, AccountError::ReferenceDiffers { .. }), "{error}");
    assert_eq!(journal.balance(&Book::Cash).unwrap().debit_usdc_e6, 7);
    assert_eq!(journal.balance(&Book::Revenue).unwrap().net_usdc_e6(), -7);
    assert_eq!(journal.verify().unwrap(), 1);
}

#[test]
fn an_entry_that_is_not_balanced_is_refused() {
    let (store, journal) = journal();
    let bend: [fn(&mut Posting); 7] = [
        |posting| posting.lines[0].usdc_e6 += 1,
        |posting| posting.lines.truncate(1),
        |posting| posting.lines.clear(),
        |posting| posting.lines.iter_mut().for_each(|line| line.usdc_e6 = 0),
        |posting| posting.lines[1].side = Side::Debit,
        |posting| posting.lines = posting.lines.repeat(33),
        |posting| posting.reference = "\n".into(),
    ];
    for bend in bend {
        let mut posting = sale("a", 7);
        bend(&mut posting);
        assert!(journal.enter(&posting).is_err(), "{posting:?}");
    }
    assert_eq!(store.commit_count(), 0);
}

#[test]
fn a_sum_past_what_is_counted_is_refused_and_changes_nothing() {
    let (_, journal) = journal();
    journal.enter(&sale("a", u64::MAX)).unwrap();
    let error = journal.enter(&sale("b", 1)).unwrap_err();
    assert!(matches!(error, AccountError::Overflow { .. }), "{error}");
    assert_eq!(journal.verify().unwrap(), 1);
}

#[test]
fn several_entries_go_into_one_batch_in_order() {
    let (store, journal) = journal();
    let mut batch = Batch::new();
    for (number, reference) in ["a", "b", "c"].into_iter().enumerate() {
        let entered = journal.stage(&mut batch, &sale(reference, 5)).unwrap();
        assert_eq!(entered.entry.sequence, number as u64);
    }
    assert!(journal.stage(&mut batch, &sale("a", 5)).unwrap().is_repeat);
    store.commit(batch.clone()).unwrap();
    assert!(store.commit(batch).is_err(), "the journal has gone on");
    assert_eq!(journal.verify().unwrap(), 3);
    assert_eq!(journal.balance(&Book::Cash).unwrap().debit_usdc_e6, 15);
    assert_eq!(journal.entries(1, 10).unwrap().len(), 2);
}

/// What an operator reads of an account is every entry of it and no other's, page by page.
#[test]
fn entries_of_a_book_come_in_pages_without_gap_or_double() {
    let (_, journal) = journal();
    let owed = |number| Book::Receivable(AccountId(uuid::Uuid::from_bytes([number; 16])));
    for number in 0..2_500_u64 {
        let mut posting = sale(&number.to_string(), 7);
        posting.lines[0].book = owed(u8::from(number % 500 == 3));
        journal.enter(&posting).unwrap();
    }
    let (mut seen, mut from, mut pages) = (Vec::new(), 0, 0);
    loop {
        let (entries, next) = journal.entries_of(&[owed(1)], from, 2).unwrap();
        seen.extend(entries.iter().map(|entry| entry.sequence));
        pages += 1;
        let Some(next) = next else { break };
        from = next;
    }
    assert_eq!((seen, pages), (vec![3, 503, 1_003, 1_503, 2_003], 3));
    let (all, _) = journal.entries_of(&[owed(0), owed(1)], 0, usize::MAX).unwrap();
    assert_eq!(all.len(), LIST_MAX);
    assert_eq!(journal.entries_of(&[owed(2)], 0, 10).unwrap(), (vec![], None));
    assert_eq!(journal.entries_of(&[owed(1)], u64::MAX, 10).unwrap(), (vec![], None));
}

/// Whoever tells of a payment again tells of it at another time.
#[test]
fn an_entry_told_again_later_is_the_same() {
    let (_, journal) = journal();
    let first = journal.enter(&sale("a", 7)).unwrap();
    let later = Posting { at: UnixSeconds(1_800_000_000), ..sale("a", 7) };
    let again = journal.enter(&later).unwrap();
    assert_eq!((again.entry, again.is_repeat), (first.entry, true));
}

#[test]
fn environments_are_apart() {
    let (store, live) = journal();
    let test = Journal::new(store, Environment::Test);
    live.enter(&sale("a", 7)).unwrap();
    assert_eq!(test.balance(&Book::Cash).unwrap(), Balance::default());
    assert!(!test.enter(&sale("a", 8)).unwrap().is_repeat);
    assert_eq!((live.verify().unwrap(), test.verify().unwrap()), (1, 1));
}

#[test]
fn writers_at_one_time_all_enter_and_the_chain_holds() {
    let (_, journal) = journal();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let journal = &journal;
            scope.spawn(move || {
                for number in 0..5 {
                    journal.enter(&sale(&format!("{thread}/{number}"), 1)).unwrap();
                }
            });
        }
    });
    assert_eq!(journal.verify().unwrap(), 20);
}

/// Between any two reads of an entry in the making others may enter theirs: all of them count.
#[test]
fn an_entry_made_while_others_enter_theirs_loses_none() {
    for reads_left in 1..12 {
        let store = Arc::new(MemoryStore::new());
        let other = Journal::new(store.clone(), Environment::Live);
        let interrupted = Interrupted::new(store, move |read| {
            if read <= reads_left {
                other.enter(&sale(&format!("between {read}"), 1)).unwrap();
            }
        });
        let journal = Journal::new(Arc::new(interrupted), Environment::Live);
        journal.enter(&sale("mine", 100)).unwrap();
        assert_eq!(journal.verify().unwrap(), u64::from(reads_left) + 1);
        let cash = journal.balance(&Book::Cash).unwrap().debit_usdc_e6;
        assert_eq!(cash, 100 + u64::from(reads_left));
    }
}

/// Whoever changes a row of the journal by hand is found out, whichever row it is.
#[test]
fn every_row_that_is_changed_or_removed_is_noticed() {
    let (store, journal) = journal();
    for number in 0..3 {
        journal.enter(&sale(&format!("sale {number}"), 10 + number)).unwrap();
    }
    let rows = store.scan(TABLE, &[], None, 100, Direction::Rising).unwrap();
    assert_eq!(rows.len(), 1 + 3 + 3 + 2);
    for (key, bytes) in &rows {
        let mut removed = Batch::new();
        removed.delete(TABLE, key.clone());
        let changed = String::from_utf8(bytes[1..].to_vec()).unwrap();
        let digit = changed.rfind(|c: char| c.is_ascii_digit()).unwrap();
        let mut other = bytes.clone();
        other[digit + 1] = if other[digit + 1] == b'1' { b'2' } else { b'1' };
        let mut altered = Batch::new();
        altered.put(TABLE, key.clone(), other);
        for harm in [removed, altered] {
            store.commit(harm).unwrap();
            assert!(journal.verify().is_err(), "{key:?}: {changed}");
            let mut mend = Batch::new();
            mend.put(TABLE, key.clone(), bytes.clone());
            store.commit(mend).unwrap();
            journal.verify().unwrap();
        }
    }
}

/// An entry rewritten together with its balance still breaks the chain.
#[test]
fn an_entry_that_is_rewritten_consistently_breaks_the_hash_of_the_next() {
    let (store, journal) = journal();
    journal.enter(&sale("a", 7)).unwrap();
    journal.enter(&sale("b", 7)).unwrap();
    let mut entry = journal.entries(0, 1).unwrap().remove(0);
    entry.posting.description = "another sale".into();
    let mut batch = Batch::new();
    batch.put(TABLE, journal.entry_key(0), row::encode(&entry));
    store.commit(batch).unwrap();
    let error = journal.verify().unwrap_err();
    assert!(matches!(error, AccountError::Journal { sequence: 1, .. }), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn balances_are_the_sums_of_the_entries(
        moves in proptest::collection::vec(
            proptest::collection::vec((0..6_u8, 0..3_u8, 1..1_000_000_u64), 1..6), 1..20),
    ) {
        let (_, journal) = journal();
        let book = |kind: u8, who: u8| {
            let account = AccountId(uuid::Uuid::from_bytes([who; 16]));
            let subscriber = if who == 0 {
                Subscriber::Account(account)
            } else {
                Subscriber::Wallet(Address([who; 20]))
            };
            match kind {
                0 => Book::Cash,
                1 => Book::Revenue,
                2 => Book::Receivable(account),
                3 => Book::RevenueShare(account),
                4 => Book::Credit(subscriber),
                _ => Book::Refunds(subscriber),
            }
        };
        let mut expected = BTreeMap::<Book, i128>::new();
        for (number, lines) in moves.iter().enumerate() {
            let mut posting = sale(&number.to_string(), 1);
            posting.lines.clear();
            for (kind, who, amount) in lines {
                let (to, from) = (book(*kind, *who), book((*kind + 1) % 6, *who));
                posting.lines.extend([EntryLine::debit(to, *amount), EntryLine::credit(from, *amount)]);
                *expected.entry(to).or_default() += i128::from(*amount);
                *expected.entry(from).or_default() -= i128::from(*amount);
            }
            journal.enter(&posting).unwrap();
        }
        for (book, net) in &expected {
            prop_assert_eq!(journal.balance(book).unwrap().net_usdc_e6(), *net);
        }
        prop_assert_eq!(expected.values().sum::<i128>(), 0);
        prop_assert_eq!(journal.verify().unwrap(), moves.len() as u64);
    }
}
